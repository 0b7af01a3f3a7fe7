//! Cuts a text before each statement at column 0, so that each can be parsed, and kept, alone.
//!
//! Only top-level statements start at column 0; a line that looks like one ends whatever is still open
//! above it. Multi-line strings are respected: their text may stand at column 0.

use crate::blank::BLANK;
use crate::operators::is_operator_word;
use std::ops::Range;

/// The ranges of the chunks, in order; together they are the whole text. The comments directly above a
/// statement are in its chunk. A byte order mark in front belongs to no chunk.
pub(crate) fn chunks(text: &str) -> Vec<Range<usize>> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut cuts = vec![start];
    let blocks = text.contains("\"\"\"");
    let mut scan = Scan { text, at: start, lead: None, blocks, never_closed: false };
    while scan.at < text.len() {
        if let Some(cut) = scan.pass_line()
            && cuts.last() != Some(&cut)
        {
            cuts.push(cut);
        }
    }
    cuts.push(text.len());
    cuts.iter()
        .zip(cuts.iter().skip(1))
        .map(|(from, to)| *from..*to)
        .filter(|c| !c.is_empty())
        .collect()
}

struct Scan<'t> {
    text: &'t str,
    /// The start of the next line.
    at: usize,
    /// The start of the comment lines directly above.
    lead: Option<usize>,
    /// There are multi-line strings.
    blocks: bool,
    /// No `*/` follows any more.
    never_closed: bool,
}

impl<'t> Scan<'t> {
    /// Passes one line, or the whole of a multi-line string that starts on it; where a chunk starts with it, its start.
    fn pass_line(&mut self) -> Option<usize> {
        let start = self.at;
        let line = self.line(start);
        self.at = start + line.len();
        if line.trim_start_matches([' ', '\t']).starts_with('#') {
            self.lead.get_or_insert(start);
            return None;
        }
        let lead = self.lead.take();
        if self.blocks && line.contains("\"\"\"") {
            self.pass_strings(start, start + line.len());
        } else if line.starts_with("/*") && !line.contains("*/") {
            self.pass_block_comment();
        }
        starts_statement(line).then_some(lead.unwrap_or(start))
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// There are no block comments, but those who write one mean no statement inside. Moves behind the line that closes it.
    fn pass_block_comment(&mut self) {
        if self.never_closed {
            return;
        }
        match self.rest(self.at).find("*/") {
            Some(close) => self.at += close + self.line(self.at + close).len(),
            None => self.never_closed = true,
        }
    }

    /// Moves behind the multi-line strings that start between `at` and the end of its line.
    fn pass_strings(&mut self, mut at: usize, mut end: usize) {
        while let Some(open) = block_open(self.between(at, end)) {
            let Some(close) = self.close(at + open + 3) else {
                self.at = self.next_start(end, self.text.len()).unwrap_or(self.text.len());
                return;
            };
            at = close + 3;
            if at > end {
                end = at + self.line(at).len();
            }
        }
        self.at = end;
    }

    /// Where the string that starts at `body` is closed. Quotes that look like the opening of the next string, behind a
    /// statement at column 0, do not close this one: it was left open.
    fn close(&self, body: usize) -> Option<usize> {
        let close = body + self.rest(body).find("\"\"\"")?;
        let Some((above, line)) = self.between(body, close).rsplit_once('\n') else {
            return Some(close);
        };
        let assigned =
            line.trim_end_matches(['%', '@', '$']).trim_end_matches(BLANK).ends_with('=');
        if !assigned || !self.line(close + 3).trim_matches(BLANK).is_empty() {
            return Some(close);
        }
        let line_end = body + above.len() + 1 + line.len();
        self.next_start(body, line_end).is_none().then_some(close)
    }

    /// The first line behind the one of `at`, up to `end`, that starts a statement at column 0. If `at` is the start of
    /// a line, that line counts.
    fn next_start(&self, at: usize, end: usize) -> Option<usize> {
        let starts_line = self.between(at.saturating_sub(1), at) == "\n";
        let mut line_start = if starts_line { at } else { at + self.line(at).len() };
        for line in self.between(line_start, end).split_inclusive('\n') {
            if starts_statement(line) {
                return Some(line_start);
            }
            line_start += line.len();
        }
        None
    }

    fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The rest of the line at an offset, with its newline.
    fn line(&self, at: usize) -> &'t str {
        self.rest(at).split_inclusive('\n').next().unwrap_or_default()
    }
}

/// Where `"""` opens a string on this line: not in a comment, not in a string of one line.
fn block_open(line: &str) -> Option<usize> {
    let mut bytes = line.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'#' => return None,
            b'"' if line.get(at..).is_some_and(|rest| rest.starts_with("\"\"\"")) => {
                return Some(at);
            }
            b'"' => pass_string(&mut bytes),
            _ => {}
        }
    }
    None
}

/// Moves behind the closing quote of a string of one line.
fn pass_string(bytes: &mut std::iter::Peekable<impl Iterator<Item = (usize, u8)>>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => return,
            _ => {}
        }
    }
}

/// The words that begin a statement of a file or a block; of those that are as near to a misspelt one the first is meant.
pub(crate) const STATEMENT_WORDS: [&str; 14] = [
    "use",
    "param",
    "let",
    "output",
    "assert",
    "type",
    "kind",
    "rule",
    "component",
    "existing",
    "patch",
    "allow",
    "for",
    "if",
];

/// Those that stand inside of a noun alone: one at column 0 is in a noun that is written flat.
const OF_NOUNS: [&str; 2] = ["patch", "allow"];

/// Whether a word cannot begin a statement, or shows, as the second word, that the line is the rest of an expression.
fn continues(word: &str) -> bool {
    is_operator_word(word) || matches!(word, "else" | "where")
}

/// Whether a line looks like the first of a statement: a statement word, or `kind name`, `kind {`, `kind "name"`.
fn starts_statement(line: &str) -> bool {
    let Some((word, rest)) = word(line) else { return false };
    let spaced = rest.trim_start_matches([' ', '\t']);
    let next = spaced.chars().next();
    if continues(word) || OF_NOUNS.contains(&word) {
        return false;
    }
    if STATEMENT_WORDS.contains(&word) {
        let assigned = next == Some(':') || (next == Some('=') && !spaced.starts_with("=="));
        return !assigned
            && (spaced.len() < rest.len()
                || matches!(next, None | Some('\n' | '\r' | '{' | '(' | '"')));
    }
    match next {
        Some('{' | '"') => true,
        Some(_) if spaced.len() < rest.len() => {
            self::word(spaced).is_some_and(|(next, _)| !continues(next))
        }
        _ => false,
    }
}

/// The identifier at the start of `text`, and what follows.
fn word(text: &str) -> Option<(&str, &str)> {
    let end =
        text.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    let starts = word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    starts.then_some((word, rest))
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        chunks(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_statement_at_column_0_starts_a_chunk_with_the_comments_above_it() {
        assert_eq!(
            cut("# file\n\n## doc\nlet a = 1\n\nnetwork n {\n# inside\n  x = 1\n}\n# last\n"),
            ["# file\n\n", "## doc\nlet a = 1\n\n", "network n {\n# inside\n  x = 1\n}\n# last\n"]
        );
        assert_eq!(
            cut("cluster c {\n  a = [\nworkload w {\n}"),
            ["cluster c {\n  a = [\n", "workload w {\n}"]
        );
    }

    #[test]
    fn text_at_column_0_that_is_no_start_stays_in_its_chunk() {
        for whole in [
            "a b {\nlet = 3\ntype = 4\nname = 5\nx: int\n}\n} else {\n)\nfoo\nx and y\n",
            "let a = \"\"\"\nlet b = 1\nnetwork n {\n\"\"\"\n",
            "workload w {\nnodes = 4\npatch jobset { a = 1 }\nallow a/b because \"c\"\n}\n",
            "let a = f(%\"\"\"\nlet b\n\"\"\", \"\"\"\nlet c\n\"\"\")\n",
        ] {
            assert_eq!(cut(whole), [whole]);
        }
    }

    #[test]
    fn an_unclosed_multi_line_string_ends_at_the_next_statement() {
        assert_eq!(
            cut("let a = \"\"\"\n  text\nlet b = 1\n"),
            ["let a = \"\"\"\n  text\n", "let b = 1\n"]
        );
        assert_eq!(
            cut("let a = \"\"\"\n  text\nlet b = %\"\"\"\n  more\n  \"\"\"\nlet c = 1\n"),
            ["let a = \"\"\"\n  text\n", "let b = %\"\"\"\n  more\n  \"\"\"\n", "let c = 1\n"]
        );
        assert_eq!(
            cut("let a = 1 # \"\"\"\nlet b = \"\\\"\"\n"),
            ["let a = 1 # \"\"\"\n", "let b = \"\\\"\"\n"]
        );
    }
}
