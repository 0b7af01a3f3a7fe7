//! Brackets in a text, outside of strings and comments: how deep they stand inside each other, and which is left open.

mod stray;

pub(crate) use stray::{Stray, needless, stray};

/// The first bracket that opens inside `limit` others. Strings and comments do not count, the expressions in strings do.
pub(crate) fn too_deep(chunk: &str, limit: usize) -> Option<usize> {
    let openers = chunk.bytes().filter(|b| matches!(b, b'(' | b'[' | b'{')).count();
    if openers <= limit {
        return None;
    }
    Scan { bytes: chunk.as_bytes(), at: 0, open: Vec::new() }.first_beyond(limit)
}

/// A bracket that is left open.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LeftOpen {
    /// Where it stands.
    pub(crate) open: usize,
    /// What closes it, and those in front of it on its line that are open as well.
    pub(crate) closers: String,
    /// How far its line stands in, in bytes.
    pub(crate) indent: usize,
    /// The start of the first line that cannot stand in it, since that is no further in; a bracket that closes another; the end of the
    /// text where there is neither.
    pub(crate) at: usize,
    /// It ends on a line that has more.
    pub(crate) inline: bool,
}

/// Whether a place stands inside of a list or of arguments.
pub(crate) fn is_inside(chunk: &str, place: usize) -> bool {
    let mut scan = Scan { bytes: chunk.as_bytes(), at: 0, open: Vec::new() };
    while scan.at < place
        && let Some(byte) = scan.byte()
    {
        scan.pass(byte);
    }
    match scan.open.last() {
        Some(Open::Bracket(at, _)) => scan.closer(*at).is_some_and(|closer| closer != '}'),
        _ => false,
    }
}

/// Where a string that is left open on a line is meant to end: where the rest closes what is open in front of it.
pub(crate) fn quote_end(line: &str, quote: usize) -> usize {
    let mut front = Scan { bytes: line.as_bytes(), at: 0, open: Vec::new() };
    while front.at < quote
        && let Some(byte) = front.byte()
    {
        front.pass(byte);
    }
    // what looks like a comment is meant as one
    let behind = line.get(quote..).unwrap_or_default();
    let code = line.len() - behind.len() + behind.find(" #").unwrap_or(behind.len());
    let line = line.get(..code).unwrap_or_default();
    let end = line.trim_end().len();
    let last = if line.get(..end).is_some_and(|it| it.ends_with(',')) { end - 1 } else { end };
    if front.open.is_empty() || front.at != quote {
        return last;
    }
    let closes = |at: &usize| {
        let rest = line.get(*at..).unwrap_or_default();
        let quotes = rest.matches('"').count().is_multiple_of(2);
        let mut scan = Scan { bytes: line.as_bytes(), at: *at, open: front.open.clone() };
        while let Some(byte) = scan.byte() {
            if matches!(byte, b')' | b']' | b'}') && !scan.closes(byte) {
                return false;
            }
            scan.pass(byte);
        }
        quotes && scan.open.is_empty()
    };
    let signs = line.bytes().enumerate().skip(quote + 1).take_while(|(at, _)| *at < last);
    let signs = signs.filter(|(_, byte)| b",)]}".contains(byte)).map(|(at, _)| at);
    let end = signs.take(MOST_SIGNS).find(closes);
    end.map_or(last, |at| line.get(..at).unwrap_or_default().trim_end().len().max(quote + 1))
}

/// So many signs are looked at that a string which is left open may end in front of: each takes the rest of its line.
const MOST_SIGNS: usize = 16;

/// What the lines of a text show to be left open where the bracket at `from` is not closed: that one, or the first inside of it with a line
/// that stands no further in than its own, where the rest closes what is around.
pub(crate) fn left_open(chunk: &str, from: usize) -> Option<LeftOpen> {
    let line = chunk.get(..from)?.rfind('\n').map_or(0, |at| at + 1);
    let mut scan = Scan { bytes: chunk.as_bytes(), at: line, open: Vec::new() };
    let mut first: Option<LeftOpen> = None;
    while let Some(byte) = scan.byte().filter(|_| scan.at <= from || !scan.open.is_empty()) {
        let starts_line = scan.at.checked_sub(1).and_then(|at| scan.bytes.get(at)) == Some(&b'\n');
        if starts_line {
            scan.look_in();
        }
        while starts_line && let Some(found) = scan.left() {
            scan.open.truncate(scan.open.len() - found.closers.len());
            if found.open == from {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        while scan.at > from
            && let Some(found) = scan.crossed(byte, from)
        {
            scan.open.truncate(scan.open.len() - found.closers.len());
            if found.open == from {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        scan.pass(byte);
    }
    match scan.left_at(chunk.len(), None) {
        Some(last) => Some(last).filter(|left| left.open == from),
        None => first,
    }
}

/// What is open at a place of the text.
#[derive(Clone, Copy)]
enum Open {
    /// By where it stands, and whether a line inside stands further in than its own, as far as was looked.
    Bracket(usize, bool),
    /// `${` in a string; the string goes on behind its `}`.
    Interp(Quotes),
}

/// The strings, as far as nesting is concerned: how they end and what opens an expression in them.
#[derive(Clone, Copy, PartialEq)]
enum Quotes {
    Line,
    Block(&'static [u8]),
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    open: Vec<Open>,
}

impl Scan<'_> {
    fn first_beyond(&mut self, limit: usize) -> Option<usize> {
        while let Some(byte) = self.byte() {
            let here = self.at;
            self.pass(byte);
            if self.open.len() > limit {
                return Some(here);
            }
        }
        None
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves behind a byte outside of strings and comments, or behind what begins with it.
    fn pass(&mut self, byte: u8) {
        match byte {
            b'#' => self.pass_line(),
            b'"' => self.open_string(self.at),
            b'(' | b'[' | b'{' => self.open(Open::Bracket(self.at, false)),
            b')' | b']' | b'}' => self.shut(),
            _ => self.at += 1,
        }
    }

    /// How far the line that starts here stands in, and what it begins with; nothing of one that says nothing.
    fn line_here(&self) -> Option<(usize, char)> {
        let rest = self.bytes.get(self.at..)?;
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let first = char::from(*rest.get(blanks)?);
        (!matches!(first, '\n' | '\r' | '#')).then_some((blanks, first))
    }

    /// Takes note of a line that starts here and stands further in than the innermost bracket's.
    fn look_in(&mut self) {
        let Some((blanks, _)) = self.line_here() else { return };
        let Some(Open::Bracket(open, _)) = self.open.last().copied() else { return };
        if blanks > self.indent(open)
            && let Some(last) = self.open.last_mut()
        {
            *last = Open::Bracket(open, true);
        }
    }

    /// The innermost bracket, where the line which starts here cannot stand in it.
    fn left(&self) -> Option<LeftOpen> {
        let Some(Open::Bracket(open, has_inner)) = self.open.last() else { return None };
        let (blanks, first) = self.line_here()?;
        let (indent, closer) = (self.indent(*open), self.closer(*open)?);
        let is_inside = blanks > indent || (blanks == indent && first == closer);
        // a block that begins flat is written flat, or while nobody lays it out
        let is_flat = closer == '}' && !has_inner;
        (!is_inside && !is_flat).then(|| self.left_at(self.at, Some(first))).flatten()
    }

    /// Whether a bracket closes the innermost one that is open.
    fn closes(&self, byte: u8) -> bool {
        match self.open.last() {
            Some(Open::Bracket(open, _)) => self.closer(*open) == Some(char::from(byte)),
            Some(Open::Interp(_)) => byte == b'}',
            None => false,
        }
    }

    /// The innermost bracket, where the one that is here closes another: one around it, or one in front of what was looked at.
    fn crossed(&self, byte: u8, from: usize) -> Option<LeftOpen> {
        let Some(Open::Bracket(open, _)) = self.open.last() else { return None };
        if !matches!(byte, b')' | b']' | b'}') || self.closes(byte) {
            return None;
        }
        let is_around = |open: &Open| matches!(open, Open::Bracket(at, _) if self.closer(*at) == Some(char::from(byte)));
        if *open != from && !self.open.iter().any(is_around) {
            return None;
        }
        let (closers, indent) = (self.closer(*open)?.to_string(), self.indent(*open));
        Some(LeftOpen { open: *open, closers, indent, at: self.at, inline: true })
    }

    /// The last that is open, with those in front of it on its line, as ended at a place: up to the one that
    /// what stands there closes.
    fn left_at(&self, at: usize, there: Option<char>) -> Option<LeftOpen> {
        let open = self.open.iter().rev().map_while(|open| match open {
            Open::Bracket(at, _) => Some(*at),
            Open::Interp(_) => None,
        });
        let mut open = open.peekable();
        let last = *open.peek()?;
        let is_left = |at: &usize| {
            let between = self.bytes.get(*at..last);
            let is_beside = between.is_some_and(|it| !it.contains(&b'\n'));
            *at == last || is_beside && self.closer(*at) != there
        };
        let closers: String = open.take_while(is_left).filter_map(|at| self.closer(at)).collect();
        Some(LeftOpen { open: last, closers, indent: self.indent(last), at, inline: false })
    }

    fn closer(&self, open: usize) -> Option<char> {
        Some(match self.bytes.get(open)? {
            b'(' => ')',
            b'[' => ']',
            _ => '}',
        })
    }

    /// How far the line of a place stands in.
    fn indent(&self, at: usize) -> usize {
        let before = self.bytes.get(..at).unwrap_or_default();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = self.bytes.get(start..).unwrap_or_default();
        line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    fn starts(&self, what: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(what))
    }

    fn pass_line(&mut self) {
        while self.byte().is_some_and(|b| b != b'\n') {
            self.at += 1;
        }
    }

    fn open(&mut self, what: Open) {
        self.open.push(what);
        self.at += 1;
    }

    fn shut(&mut self) {
        self.at += 1;
        if let Some(Open::Interp(quotes)) = self.open.pop() {
            self.pass_text(quotes);
        }
    }

    fn open_string(&mut self, here: usize) {
        let before = |n: usize| {
            here.checked_sub(n).and_then(|at| self.bytes.get(at..here)).unwrap_or_default()
        };
        if !self.starts(b"\"\"\"") {
            self.at += 1;
            return self.pass_text(Quotes::Line);
        }
        let sigil: &'static [u8] = match () {
            () if before(2) == b"$$" => b"$${",
            () if before(1) == b"%" => b"%{",
            () if before(1) == b"@" => b"@{",
            () => b"${",
        };
        self.at += 3;
        self.pass_text(Quotes::Block(sigil));
    }

    /// Passes the text of a string up to its end, or to an expression in it.
    fn pass_text(&mut self, quotes: Quotes) {
        let (end, interp): (&[u8], &[u8]) = match quotes {
            Quotes::Line => (b"\"", b"${"),
            Quotes::Block(sigil) => (b"\"\"\"", sigil),
        };
        while let Some(byte) = self.byte() {
            if self.starts(end) {
                self.at += end.len();
                return;
            }
            if self.starts(interp) {
                self.open.push(Open::Interp(quotes));
                self.at += interp.len();
                return;
            }
            if quotes == Quotes::Line && byte == b'\n' {
                return;
            }
            self.at += if quotes == Quotes::Line && byte == b'\\' { 2 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_counts_brackets_and_the_expressions_in_strings() {
        assert_eq!(too_deep("((()))", 3), None);
        assert_eq!(too_deep("((()))", 2), Some(2));
        assert_eq!(too_deep("() () ()", 1), None);
        assert_eq!(too_deep("\"((((\" # ((((\n(", 1), None);
        assert_eq!(too_deep("\"${\"${\"${", 2), Some(6));
        assert_eq!(too_deep("(\")\" (\")\" (", 2), Some(10));
    }

    #[test]
    fn a_string_that_is_left_open_ends_where_the_rest_closes_what_is_open() {
        for (line, meant) in [
            ("x = [\"a/b]", "x = [\"a/b\"]"),
            ("x = f(\"a.py, args = { a = 1 })", "x = f(\"a.py\", args = { a = 1 })"),
            ("x = { A = \"/x }", "x = { A = \"/x\" }"),
            ("x = \"a, b", "x = \"a, b\""),
            ("  \"a,", "  \"a\","),
            ("x = \"a # b", "x = \"a\" # b"),
        ] {
            let quote = line.find('"').unwrap();
            let at = quote_end(line, quote);
            let mut closed = line.to_owned();
            closed.insert(at, '"');
            assert_eq!(closed, meant);
        }
    }

    #[test]
    fn what_is_left_open_is_what_a_line_cannot_stand_in() {
        let left = |text: &str| {
            let from = text.find(['{', '(', '['])?;
            let found = left_open(text, from)?;
            Some((found.open, found.closers, found.at))
        };
        let inner = "c {\n  p {\n    n = 1\n\n  q {\n  }\n}\n";
        assert_eq!(left(inner), Some((8, "}".to_owned(), 21)));
        let last = "c {\n  p {\n    n = \"{\" # {\n}\n";
        assert_eq!(left(last), Some((8, "}".to_owned(), 26)));
        let call = "w {\n  l = f(\n  n = 2\n}\n";
        assert_eq!(left(call), Some((11, ")".to_owned(), 13)));
        let both = "w {\n  l = f([\n    1,\n  n = 2\n}\n";
        assert_eq!(left(both), Some((12, "])".to_owned(), 21)));
        let flat = "n {\nx = 1\n";
        assert_eq!(left(flat), Some((2, "}".to_owned(), flat.len())));
        let inner = "w {\n  l = f([\n    1,\n  )\n}\n";
        assert_eq!(left(inner), Some((12, "]".to_owned(), 21)));
        let crossed = "n {\n  a = { b = min(1, 2 }\n}\n";
        assert_eq!(left(crossed), Some((19, ")".to_owned(), 25)));
        let found = left_open(crossed, crossed.find('(').unwrap()).unwrap();
        assert_eq!((found.closers.as_str(), found.at, found.inline), (")", 25, true));
        let own = "n {\n  x = 1\n";
        assert_eq!(left(own), Some((2, "}".to_owned(), own.len())));
        assert_eq!(left("n {\n  x = [\n    1,\n  ]\n}\n"), None);
    }
}
