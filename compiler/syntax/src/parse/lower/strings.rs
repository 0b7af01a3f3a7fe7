//! Strings: escapes undone, the indentation of multi-line strings taken off.

use super::{Lower, Node, inner};
use crate::blank::BLANK;
use crate::grammar::Rule;
use crate::parse::lower::holes::SYNTAX_QUOTES;
use crate::tree::{ExprKind, Problem, StrPart};

slipform_source::codes! {
    pub(crate) CODES;
    SYNTAX_ESCAPE = "syntax/escape":
        "this is no escape of a string",
        "write a backslash as `\\\\`";
    SYNTAX_STRING = "syntax/string":
        "the text of a multi-line string starts on the line below its quotes",
        "move it to the next line";
}

/// A piece of a multi-line string as written.
enum Raw<'t> {
    Text(&'t str),
    Part(StrPart),
}

impl<'t> Lower<'t> {
    /// `"..."` without escapes and interpolation.
    pub(super) fn plain(&mut self, node: &Node<'t>) -> ExprKind {
        ExprKind::Str(
            plain_text(node.as_str())
                .map(|text| vec![StrPart::Text(text.into())])
                .unwrap_or_default(),
        )
    }

    pub(super) fn string(&mut self, node: Node<'t>) -> ExprKind {
        let open = node.as_span().start();
        let mut parts = Vec::new();
        let mut text = String::new();
        for child in inner(node) {
            match child.as_rule() {
                Rule::text | Rule::dollar => text.push_str(child.as_str().trim_end_matches('\r')),
                Rule::escape => self.escape(&child, &mut text),
                Rule::interp => {
                    if !text.is_empty() {
                        parts.push(StrPart::Text(std::mem::take(&mut text).into()));
                    }
                    parts.push(self.interp(child));
                }
                _ => self.unclosed(&child, open),
            }
        }
        if !text.is_empty() {
            parts.push(StrPart::Text(text.into()));
        }
        ExprKind::Str(parts)
    }

    /// `'...'`: taken for a string.
    pub(super) fn single_quoted(&mut self, node: &Node<'t>) -> ExprKind {
        let span = self.span(node);
        let text = node.as_str().trim_start_matches('\'').trim_end_matches(['\'', '\r']);
        let mut problem =
            Problem::new(SYNTAX_QUOTES, "strings stand in double quotes", span, "write `\"...\"`");
        if !text.contains(['"', '\\', '$'])
            && node.as_str().len() > 1
            && node.as_str().ends_with('\'')
        {
            problem = problem.fix(span, format!("\"{text}\""));
        }
        self.report(problem);
        ExprKind::Str(vec![StrPart::Text(text.into())])
    }

    pub(super) fn block_string(&mut self, node: Node<'t>) -> ExprKind {
        let open = node.as_span().start();
        let mut raw = Vec::new();
        let mut closed = true;
        for child in inner(node) {
            match child.as_rule() {
                Rule::text_dollar | Rule::text_percent | Rule::text_at | Rule::text_two => {
                    if raw.is_empty() {
                        self.first_line(&child);
                    }
                    raw.push(Raw::Text(child.as_str()));
                }
                Rule::no_close_block => {
                    closed = false;
                    self.unclosed(&child, open);
                }
                _ => raw.push(Raw::Part(self.interp(child))),
            }
        }
        ExprKind::Str(dedent(raw, closed))
    }

    /// Nothing but spaces stands behind the opening quotes.
    fn first_line(&mut self, node: &Node<'t>) {
        let line = node.as_str().split('\n').next().unwrap_or_default();
        let Some(at) = line.find(|c: char| !c.is_whitespace()) else { return };
        let start = node.as_span().start() + at;
        let span = self.span_at(start, start + line.trim().len());
        self.report(Problem::new(
            SYNTAX_STRING,
            "the text of a multi-line string starts on the line below its quotes",
            span,
            "move it to the next line",
        ));
    }

    fn interp(&mut self, node: Node<'t>) -> StrPart {
        let open = node.as_span().start();
        let span = self.span(&node);
        let mut value = None;
        for child in inner(node) {
            match child.as_rule() {
                Rule::no_close_interp => self.unclosed(&child, open),
                _ => value = Some(self.expr(child)),
            }
        }
        StrPart::Interp(value.unwrap_or_else(|| self.missing_behind(span)))
    }

    fn escape(&mut self, node: &Node<'t>, text: &mut String) {
        match unescape(node.as_str()) {
            Some(c) => text.push(c),
            None => {
                let span = self.span(node);
                let written = node.as_str().trim_end_matches(BLANK);
                self.report(
                    Problem::new(SYNTAX_ESCAPE, format!("`{written}` is no escape"), span, "not an escape")
                        .help(r#"the escapes are \n \t \r \" \\ \$ and \u{1F600}; a backslash is written \\"#),
                );
                text.push_str(node.as_str());
            }
        }
    }
}

/// What stands between the quotes; `None` for nothing.
pub(super) fn plain_text(quoted: &str) -> Option<&str> {
    quoted.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.is_empty())
}

fn unescape(escape: &str) -> Option<char> {
    match escape {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\r" => Some('\r'),
        "\\\"" => Some('"'),
        "\\\\" => Some('\\'),
        "\\$" => Some('$'),
        _ => {
            let digits = escape.strip_prefix("\\u{")?.strip_suffix('}')?;
            u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
        }
    }
}

/// Takes off the first newline, the last one before the closing quotes, and the common indentation of the lines that are
/// not blank and of the closing quotes.
fn dedent(mut raw: Vec<Raw<'_>>, closed: bool) -> Vec<StrPart> {
    if let Some(Raw::Text(first)) = raw.first_mut() {
        *first = first
            .split_once('\n')
            .map_or(*first, |(line, rest)| if line.trim().is_empty() { rest } else { first });
    }
    let margin = margin(&raw, closed);
    let last = raw.len().saturating_sub(1);
    let mut parts = Vec::with_capacity(raw.len());
    let mut at_line_start = true;
    for (index, piece) in raw.into_iter().enumerate() {
        match piece {
            Raw::Text(text) => {
                let mut text = without_margin(text, margin, at_line_start);
                if closed && index == last {
                    trim_last_line(&mut text);
                }
                if !text.is_empty() {
                    parts.push(StrPart::Text(text.into()));
                }
                at_line_start = false;
            }
            Raw::Part(part) => {
                parts.push(part);
                at_line_start = false;
            }
        }
    }
    parts
}

/// The smallest indentation of the lines that count.
fn margin(raw: &[Raw<'_>], closed: bool) -> usize {
    let mut margin: Option<usize> = None;
    let mut at_line_start = true;
    for (index, piece) in raw.iter().enumerate() {
        let Raw::Text(text) = piece else {
            if at_line_start {
                return 0;
            }
            continue;
        };
        let followed = index + 1 < raw.len();
        let lines = text.split('\n').count();
        for (number, line) in text.split('\n').enumerate() {
            let starts = number > 0 || at_line_start;
            let ends_piece = number + 1 == lines;
            let counts = !line.trim().is_empty() || (ends_piece && (followed || closed));
            if starts && counts {
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                margin = Some(margin.map_or(indent, |least| least.min(indent)));
            }
        }
        at_line_start = false;
    }
    margin.unwrap_or(0)
}

fn without_margin(text: &str, margin: usize, at_line_start: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            if out.ends_with('\r') {
                out.pop();
            }
            out.push('\n');
        }
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let cut = if number > 0 || at_line_start { indent.min(margin) } else { 0 };
        out.push_str(line.get(cut..).unwrap_or_default());
    }
    out
}

/// The closing quotes stand on a line of their own: that line and the newline in front are not text.
fn trim_last_line(text: &mut String) {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    if text.get(line..).is_some_and(|last| last.trim().is_empty()) {
        text.truncate(line.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        match dedent(vec![Raw::Text(raw)], true).pop() {
            Some(StrPart::Text(text)) => text.to_string(),
            _ => String::new(),
        }
    }

    #[test]
    fn the_common_indentation_goes_and_blank_lines_do_not_count() {
        assert_eq!(text("\n    a\n\n      b\n    "), "a\n\n  b");
        assert_eq!(text("\n    a\n      b\n  "), "  a\n    b");
        assert_eq!(text("\n  a\n\n  "), "a\n");
        assert_eq!(text("\n  a"), "a");
        assert_eq!(text("\r\n  a\r\n  b\r\n  "), "a\nb");
        assert_eq!(text("\n  "), "");
        assert_eq!(text("\n"), "");
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape("\\u{1F600}"), Some('😀'));
        assert_eq!(unescape("\\u{}"), None);
        assert_eq!(unescape("\\q"), None);
    }
}
