//! Lines of a report: our words, and what others wrote, which stays what it is wherever it is shown.

use crate::report::words::in_a_line;

/// A part of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// Our own words, with names between backticks.
    Said(String),
    /// What a blueprint or a file says.
    Quoted(String),
    /// What somebody types, behind a prompt where people read it.
    Command(String),
}

/// One line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Line(Vec<Part>);

impl Line {
    pub(super) fn said(text: impl Into<String>) -> Self {
        Self::default().and(text)
    }

    pub(super) fn quoted(text: impl Into<String>) -> Self {
        Self::default().quote(text)
    }

    /// A command that somebody gives.
    pub(super) fn command(text: String) -> Self {
        Self(vec![Part::Command(text)])
    }

    /// With our words behind it.
    pub(super) fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Said(text.into()));
        self
    }

    /// With words of others behind it.
    pub(super) fn quote(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Quoted(text.into()));
        self
    }

    /// With the first of some words of others behind it, and how many more there are.
    pub(super) fn list<S: AsRef<str>>(mut self, all: &[S], between: &str, most: usize) -> Self {
        for (at, it) in all.iter().take(most).enumerate() {
            self = if at == 0 { self } else { self.and(between) };
            self = self.quote(it.as_ref());
        }
        match all.len().saturating_sub(most) {
            0 => self,
            more => self.and(format!("{between}and {more} more")),
        }
    }

    /// As a terminal shows it.
    pub(super) fn plain(&self) -> String {
        let text = |part: &Part| match part {
            Part::Said(text) | Part::Quoted(text) => text.clone(),
            Part::Command(text) => format!("$ {text}"),
        };
        self.0.iter().map(text).collect()
    }

    /// In a cell of a table of Markdown, where it is no markup and names nobody.
    pub(super) fn markdown(&self) -> String {
        let text = |part: &Part| match part {
            Part::Said(text) => markup(text),
            Part::Quoted(text) | Part::Command(text) => code(text),
        };
        self.0.iter().map(text).collect()
    }
}

/// Our words as Markdown: what stands between backticks is code, and nothing else is markup.
pub(crate) fn markup(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let part = |(at, part): (usize, &&str)| match (at % 2, at == last) {
        (1, false) => code(part),
        // a backtick that nothing closes
        (1, true) => format!("\\`{}", escaped(part)),
        _ => escaped(part),
    };
    parts.iter().enumerate().map(part).collect()
}

fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut inside = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // in the middle of a word it is none
            '_' if inside && chars.peek().is_some_and(|next| next.is_alphanumeric()) => {
                written.push(c);
            }
            '\\' | '|' | '*' | '_' | '[' | ']' | '~' | '$' => written.extend(['\\', c]),
            '<' => written.push_str("&lt;"),
            '&' => written.push_str("&amp;"),
            // neither a mention nor a reference
            '@' | '#' => {
                written.push(c);
                written.push_str("<!-- -->");
            }
            _ => written.push(c),
        }
        inside = c.is_alphanumeric();
    }
    written.replace("://", ":<!-- -->//")
}

/// A text as code of Markdown, in one line, also inside of a table: there a bar ends a cell wherever it stands.
fn code(text: &str) -> String {
    let text = in_a_line(text).replace("\\|", "\\\\|").replace('|', "\\|");
    if text.is_empty() {
        return text;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_no_markup() {
        let line = Line::said("`name` of <b>").quote("a|`b` \\| <img>\n@you").and(" *x*");
        assert_eq!(line.markdown(), "`name` of &lt;b>``a\\|`b` \\\\\\| <img> @you`` \\*x\\*");
        assert_eq!(Line::quoted("`").markdown(), "`` ` ``");
        assert_eq!(markup("a ` b"), "a \\` b");
        assert_eq!(markup("see https://e.com, @all"), "see https:<!-- -->//e.com, @<!-- -->all");
    }

    #[test]
    fn long_lists_end() {
        let line = Line::said("in: ").list(&["a", "b", "c"], ", ", 2);
        assert_eq!(line.plain(), "in: a, b, and 1 more");
    }
}
