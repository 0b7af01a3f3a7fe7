//! Where the cursor is in a file of tables: `slipform.toml` and `catalog.local.toml`. Read line by line, since the text is broken
//! as a rule while somebody types.

use crate::Analysis;
use slipform_source::{FileId, Span};
use std::ops::Range;

/// A place in a file of tables.
pub(super) struct TomlPlace<'a> {
    file: FileId,
    /// The name of the table around, taken apart: `env`, `prod`, `params`. Of a name that is being typed the words in front.
    pub(super) table: Vec<&'a str>,
    /// The lines of the same table, but for the one of the cursor.
    lines: Vec<&'a str>,
    pub(super) what: What<'a>,
    /// The word at the cursor: of a value what stands between its quotes.
    word: Range<usize>,
    /// The word itself.
    pub(super) written: &'a str,
    /// What of the same name stands in front of the word: `network.`
    pub(super) before: &'a str,
}

/// What stands at the cursor.
pub(super) enum What<'a> {
    /// The name of a table.
    Table,
    /// A key; `follows` says that its value is there.
    Key { follows: bool },
    /// The value of a key.
    Value { key: &'a str, quoted: bool },
}

impl<'a> TomlPlace<'a> {
    /// A place of a file of this name; nothing in a comment.
    pub(super) fn of(
        analysis: &'a Analysis,
        file: FileId,
        offset: usize,
        name: &str,
    ) -> Option<Self> {
        let source = analysis.sources.get(file)?;
        if source.path.file_name() != Some(name) {
            return None;
        }
        Self::in_text(file, &source.text, offset)
    }

    fn in_text(file: FileId, text: &'a str, offset: usize) -> Option<Self> {
        let (head, tail) = text.split_at_checked(offset)?;
        let start = head.rfind('\n').map_or(0, |at| at + 1);
        let end = offset + tail.find(['\n', '\r']).unwrap_or(tail.len());
        let line = text.get(start..end)?;
        let at = offset - start;
        if comment(line).is_some_and(|comment| comment < at) {
            return None;
        }
        let above = text.get(..start)?;
        let headed = |line: &&str| header(line).is_some();
        let around = above.lines().rfind(headed).and_then(header).unwrap_or_default();
        let over = above.lines().rev().take_while(|line| header(line).is_none());
        let below = text.get(end..)?.lines().skip(1).take_while(|line| header(line).is_none());
        let lines = over.chain(below).collect();
        let mut place = Self {
            file,
            table: around,
            lines,
            what: What::Key { follows: false },
            word: offset..offset,
            written: "",
            before: "",
        };
        let word = if line.trim_start().starts_with('[') {
            place.table = header(line.get(..at)?).unwrap_or_default();
            place.table.pop();
            place.what = What::Table;
            word(line, at)
        } else if let Some(sign) = sign(line).filter(|sign| *sign < at) {
            let key = plain_key(line.get(..sign)?);
            let value = value(line, sign + 1, at);
            let quoted = line.get(..value.start)?.ends_with(['"', '\'']);
            place.what = What::Value { key, quoted };
            value
        } else {
            place.what = What::Key { follows: sign(line).is_some() };
            word(line, at)
        };
        place.written = line.get(word.clone())?;
        if let What::Key { .. } = place.what {
            place.before = line.get(..word.start)?.trim_start();
        }
        place.word = start + word.start..start + word.end;
        Some(place)
    }

    /// Where the word stands.
    pub(super) fn span(&self) -> Span {
        Span::new(self.file, self.word.start, self.word.end)
    }

    /// Whether another line of the table gives a key a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys().any(|known| known == key)
    }

    /// What another line of the table gives a key, without its quotes.
    pub(super) fn given(&self, key: &str) -> Option<&'a str> {
        let mut lines = self.lines.iter().filter_map(|line| line.split_once('='));
        let (_, value) = lines.find(|(known, _)| plain_key(known) == key)?;
        let value = value.split('#').next()?.trim();
        Some(value.trim_matches(['"', '\'']))
    }

    fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(|line| Some(plain_key(line.split_once('=')?.0)))
    }
}

/// The words of the name of a table that a line begins.
fn header(line: &str) -> Option<Vec<&str>> {
    let name = line.trim().strip_prefix('[')?;
    let name = name.strip_prefix('[').unwrap_or(name);
    let name = name.split(']').next().unwrap_or(name);
    Some(name.split('.').map(|word| word.trim().trim_matches(['"', '\''])).collect())
}

/// Where the last of some words stands in the head of the first table whose name begins with them.
pub(super) fn table(text: &str, words: &[&str]) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begins = header(line).is_some_and(|name| name.starts_with(words));
        if let (true, Some(last)) = (begins, words.last()) {
            let from = line.find('.').map_or(0, |dot| dot + 1);
            let at = start + from + line.get(from..)?.find(last)?;
            return Some(at..at + last.len());
        }
        start += line.len();
    }
    None
}

fn plain_key(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// The first sign of a line that is in no text.
fn outside(line: &str, wanted: char) -> Option<usize> {
    let mut open = None;
    line.char_indices().find_map(|(at, c)| {
        match open {
            Some(quote) if quote == c => open = None,
            None if matches!(c, '"' | '\'') => open = Some(c),
            None if c == wanted => return Some(at),
            Some(_) | None => {}
        }
        None
    })
}

fn comment(line: &str) -> Option<usize> {
    outside(line, '#')
}

fn sign(line: &str) -> Option<usize> {
    let sign = outside(line, '=')?;
    comment(line).is_none_or(|comment| sign < comment).then_some(sign)
}

/// The word of a name that the cursor touches: words are parted by dots.
fn word(line: &str, at: usize) -> Range<usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let head = line.get(..at).unwrap_or_default();
    let tail = line.get(at..).unwrap_or_default();
    let start = head.trim_end_matches(is_word).len();
    start..line.len() - tail.trim_start_matches(is_word).len()
}

/// The value behind a sign, or the item of a list that the cursor touches, without its quotes.
fn value(line: &str, from: usize, at: usize) -> Range<usize> {
    let end = comment(line).unwrap_or(line.len());
    let head = line.get(from..at).unwrap_or_default();
    let opened = head.match_indices(['"', '\'']).count() % 2 == 1;
    if let Some(open) = head.rfind(['"', '\'']).filter(|_| opened) {
        let tail = line.get(at..end).unwrap_or_default();
        let close = tail.find(['"', '\'']).unwrap_or(tail.trim_end().len());
        return from + open + 1..at + close;
    }
    let is_part = |c: char| !c.is_whitespace() && !matches!(c, '[' | ']' | ',' | '{' | '}' | '"');
    let tail = line.get(at..end).unwrap_or_default();
    from + head.trim_end_matches(is_part).len()..end - tail.trim_start_matches(is_part).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[project]\nname = \"fleet\" # of all\n\n[env.prod.params]\nzone = \"us-east4-a\"\nnodes = 4\n";

    /// The table, what stands there and the word, at a text of the file.
    fn at(place: &str, behind: usize) -> Option<(String, String, &'static str)> {
        let place = TomlPlace::in_text(FileId(0), FILE, FILE.find(place)? + behind)?;
        let what = match place.what {
            What::Table => "table".to_owned(),
            What::Key { follows } => format!("key {follows}"),
            What::Value { key, quoted } => format!("value of {key} {quoted}"),
        };
        Some((place.table.join("."), what, FILE.get(place.span().range())?))
    }

    #[test]
    fn a_place_is_a_table_a_key_or_a_value() {
        let told = |table: &str, what: &str, word| Some((table.to_owned(), what.to_owned(), word));
        assert_eq!(at("project", 3), told("", "table", "project"));
        assert_eq!(at("prod", 1), told("env", "table", "prod"));
        assert_eq!(at("name", 2), told("project", "key true", "name"));
        assert_eq!(at("fleet", 2), told("project", "value of name true", "fleet"));
        assert_eq!(at("of all", 2), None);
        assert_eq!(at("zone", 0), told("env.prod.params", "key true", "zone"));
        assert_eq!(
            at("us-east4-a", 9),
            told("env.prod.params", "value of zone true", "us-east4-a")
        );
        assert_eq!(at("4\n", 1), told("env.prod.params", "value of nodes false", "4"));
    }

    #[test]
    fn other_lines_of_the_table_are_known() {
        let place = TomlPlace::in_text(FileId(0), FILE, FILE.find("nodes").unwrap_or(0));
        let place = place.expect("it is no comment");
        assert!(place.has("zone") && !place.has("nodes") && !place.has("name"));
        assert_eq!(place.given("zone"), Some("us-east4-a"));
    }
}
