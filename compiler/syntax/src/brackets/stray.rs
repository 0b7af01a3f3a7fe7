//! Braces that close more than is meant: one too many, or the end of a block whose opening line is gone.

use super::{Open, Scan};

/// What the lines of a text show to be wrong where a `}` closes nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Stray {
    /// A brace, by its place, that closes a block whose lines go on below.
    Early(usize),
    /// Lines that stand further in than the ones around them, up to a brace of their own: where the first begins, and the brace.
    Headless(usize, usize),
}

/// The first brace that closes what goes on below, or what no line opens.
pub(crate) fn stray(chunk: &str) -> Option<Stray> {
    let scan = Scan { bytes: chunk.as_bytes(), at: 0, open: Vec::new() };
    Lines { scan, start: 0, behind: None, known: Vec::new() }.stray()
}

/// The first `{` at the end of a line, or in it, behind which the lines go on as though it were not there.
pub(crate) fn needless(chunk: &str) -> Option<usize> {
    let mut scan = Scan { bytes: chunk.as_bytes(), at: 0, open: Vec::new() };
    let mut start = 0;
    while let Some(byte) = scan.byte() {
        let starts_line =
            scan.at.checked_sub(1).is_some_and(|at| scan.bytes.get(at) == Some(&b'\n'));
        if starts_line && let Some((indent, first)) = scan.line_here() {
            let last = match scan.open.last() {
                Some(Open::Bracket(open, _)) if *open >= start => Some(*open),
                _ => None,
            };
            let is_flat = |open: &usize| indent <= scan.indent(*open);
            let is_brace = |open: &usize| scan.closer(*open) == Some('}');
            let found = last.filter(is_brace).filter(is_flat);
            if found.is_some() && !matches!(first, '}' | ']' | ')') {
                return found;
            }
            start = scan.at;
        }
        scan.pass(byte);
    }
    None
}

/// A line that says something.
#[derive(Clone, Copy)]
struct Line {
    /// Where its first sign stands.
    first: usize,
    indent: usize,
    /// How many brackets are open in front of it.
    depth: usize,
}

struct Lines<'t> {
    scan: Scan<'t>,
    /// Where the line at hand starts.
    start: usize,
    /// How far the next line stands in that says something; asked for once a line.
    behind: Option<Option<usize>>,
    /// The lines so far, without those in front of a brace that was looked at.
    known: Vec<Line>,
}

impl Lines<'_> {
    fn stray(mut self) -> Option<Stray> {
        while let Some(byte) = self.scan.byte() {
            let at = self.scan.at;
            if at.checked_sub(1).is_none_or(|at| self.scan.bytes.get(at) == Some(&b'\n')) {
                (self.start, self.behind) = (at, None);
                if let Some((indent, _)) = self.scan.line_here() {
                    let depth = self.scan.open.len();
                    self.known.push(Line { first: at + indent, indent, depth });
                }
            }
            if byte == b'}' {
                match self.scan.open.last() {
                    Some(Open::Interp(_)) => {}
                    // it stands in a list or a call, which is what is wrong
                    Some(Open::Bracket(open, _)) if self.scan.closer(*open) != Some('}') => {
                        return None;
                    }
                    Some(Open::Bracket(open, _)) if *open >= self.start => {}
                    Some(Open::Bracket(open, _)) => {
                        let around = self.scan.indent(*open);
                        if let Some(found) = self.closes(around) {
                            return Some(found);
                        }
                    }
                    None => return self.headless(),
                }
            }
            self.scan.pass(byte);
        }
        None
    }

    /// What is wrong with a brace that closes what begins on a line above, which stands so far in.
    fn closes(&mut self, around: usize) -> Option<Stray> {
        let is_first = |line: &&Line| line.first == self.scan.at;
        let own = self.known.last().filter(is_first).map(|line| line.indent);
        if own == Some(around) {
            return None;
        }
        if own.is_some_and(|own| own > around)
            && let Some(found) = self.headless()
        {
            return Some(found);
        }
        (self.behind()? > around).then_some(Stray::Early(self.scan.at))
    }

    /// The lines above a brace that begins its line which stand further in: they are its own.
    fn headless(&mut self) -> Option<Stray> {
        let own = self.known.last().copied().filter(|line| line.first == self.scan.at)?;
        self.known.pop();
        let depth = self.scan.open.len();
        let mut first = None;
        while let Some(line) = self.known.pop_if(|it| it.indent > own.indent && it.depth >= depth) {
            first = Some(line).filter(|it| it.depth == depth).or(first);
        }
        self.known.push(own);
        let begins = |line: &Line| {
            let sign = self.scan.bytes.get(line.first);
            sign.is_some_and(|sign| sign.is_ascii_alphabetic() || *sign == b'_')
        };
        first.filter(begins).map(|line| Stray::Headless(line.first, self.scan.at))
    }

    /// How far the next line stands in that says something.
    fn behind(&mut self) -> Option<usize> {
        if let Some(known) = self.behind {
            return known;
        }
        let mut ahead = Scan { bytes: self.scan.bytes, at: self.scan.at, open: Vec::new() };
        let mut found = None;
        while found.is_none() && ahead.at < ahead.bytes.len() {
            ahead.pass_line();
            ahead.at += 1;
            found = ahead.line_here().map(|(indent, _)| indent);
        }
        self.behind = Some(found);
        found
    }
}

#[cfg(test)]
#[allow(clippy::string_slice, clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[track_caller]
    fn found(text: &str) -> Option<(&str, &str)> {
        let rest = |at: usize| text.get(at..).unwrap().split('\n').next().unwrap();
        match stray(text)? {
            Stray::Early(at) => Some(("early", rest(at))),
            Stray::Headless(at, _) => Some(("headless", rest(at))),
        }
    }

    #[test]
    fn a_brace_is_early_where_its_block_goes_on() {
        assert_eq!(found("n {\n  x = 1}\n  y = 2\n}\n"), Some(("early", "}")));
        assert_eq!(
            found("n {\n  x = { a = 1 }} # one\n\n  y = 2\n}\n"),
            Some(("early", "} # one"))
        );
        assert_eq!(found("n {\n  x = }4\n  y = 2\n}\n"), Some(("early", "}4")));
        assert_eq!(
            found("c {\n  p {\n    x = 1\n  }\n  }\n  p q {\n  }\n}\n"),
            Some(("early", "}"))
        );
        assert_eq!(found("n {\n  x = 1 }\n"), None);
        assert_eq!(found("n {\nx = 1\n}\ny = 2\n"), None);
        assert_eq!(found("n {\n  x = { a = 1,\n        b = 2 }\n  y = \"}\"\n}\n"), None);
    }

    #[test]
    fn a_brace_is_needless_where_the_lines_below_stand_beside_it() {
        fn found(text: &str) -> Option<&str> {
            needless(text).map(|at| text[at..].split('\n').next().unwrap())
        }
        assert_eq!(found("n {\n  x = 1 {\n\n  y = 2\n}\n"), Some("{"));
        assert_eq!(found("n {\n  x = { y\n  z = { a = 1 }\n}\n"), Some("{ y"));
        assert_eq!(found("n {\n  x = {\n    a = 1\n  }\n  y = {\n  }\n}\n"), None);
    }

    #[test]
    fn lines_up_to_a_brace_of_their_own_have_no_head() {
        assert_eq!(found("n {\n}\n\n  x = 1\n  y = 2\n}\n"), Some(("headless", "x = 1")));
        assert_eq!(found("c {\n  z = 1\n\n    x = 1\n  }\n}\n"), Some(("headless", "x = 1")));
        let inner = "  z = 1\n  p q {\n    x = 1\n  }\n}\n";
        assert_eq!(found(inner), Some(("headless", "z = 1")));
        assert_eq!(found("n {\n}\n}\n"), None);
    }
}
