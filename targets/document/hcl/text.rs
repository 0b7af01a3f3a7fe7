//! Escapes: how text stands in quotes, in a heredoc, as a name.

use std::fmt::Write as _;

use super::expr::{Expr, Part};

/// Pushes `text` in quotes; nothing in it is a template.
pub(super) fn quoted(out: &mut String, text: &str) {
    out.push('"');
    escaped(out, text, Next::End);
    out.push('"');
}

/// Pushes `text` in quotes as an object's key. `terraform fmt` aligns by what a reader takes for one character, so
/// whatever might merge with its neighbours is escaped, and the characters can be counted.
pub(super) fn quoted_key(out: &mut String, text: &str) {
    out.push('"');
    escaped_where(out, text, Next::End, |c| must_be_escaped(c) || !stands_alone(c));
    out.push('"');
}

/// Letters of which each is one character on its own.
fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{20}'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// What follows a piece of text inside the quotes: `$` in front of `${` would make one escape of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    End,
    Interpolation,
}

/// Pushes a piece of a quoted template.
pub(super) fn escaped(out: &mut String, text: &str, next: Next) {
    escaped_where(out, text, next, must_be_escaped);
}

fn escaped_where(out: &mut String, text: &str, next: Next, escape: impl Fn(char) -> bool) {
    each(out, text, next, |out, c| match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if escape(c) => unicode(out, u32::from(c)),
        c => out.push(c),
    });
}

/// Pushes a piece of a heredoc's template, in which a backslash is a backslash.
pub(super) fn unquoted(out: &mut String, text: &str, next: Next) {
    each(out, text, next, String::push);
}

/// Goes through `text` and breaks up the openings of interpolations and directives.
fn each(out: &mut String, text: &str, next: Next, mut push: impl FnMut(&mut String, char)) {
    let (text, dollars) = match next {
        Next::End => (text, 0),
        Next::Interpolation => {
            let head = text.trim_end_matches('$');
            (head, text.len() - head.len())
        }
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if matches!(c, '$' | '%') && chars.peek() == Some(&'{') {
            out.push(c);
        }
        push(out, c);
    }
    if dollars > 0 {
        out.push_str("${\"");
        out.extend(std::iter::repeat_n('$', dollars));
        out.push_str("\"}");
    }
}

fn unicode(out: &mut String, code: u32) {
    // writing to a string cannot fail
    let _ = if code > 0xffff { write!(out, "\\U{code:08x}") } else { write!(out, "\\u{code:04x}") };
}

/// Control characters, and what is invisible or reorders the text around it.
fn must_be_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `name` may stand as an object's key without quotes.
pub(super) fn is_bare_key(name: &str) -> bool {
    const RESERVED: [&str; 4] = ["for", "null", "true", "false"];
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !RESERVED.contains(&name)
}

/// Joins neighbouring pieces of text: what is special to the language may lie across their border.
pub(super) fn joined(parts: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        // text needs no interpolation
        let (Part::Text(text) | Part::Interp(Expr::Str(text))) = part else {
            out.push(part.clone());
            continue;
        };
        match out.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(before)) => before.to_mut().push_str(text),
            _ => out.push(Part::Text(text.clone())),
        }
    }
    out
}

/// A word that ends a heredoc of `parts` (joined, see [`joined`]), if they can stand in one.
///
/// One line is better read in quotes. A heredoc ends in a newline, and `<<-` takes away as much leading space as all its lines share. So the text must
/// end in a newline, have a line that begins with something else, and no line of space alone (whose space Terraform
/// keeps and others do not).
pub(super) fn heredoc_end(parts: &[Part]) -> Option<&'static str> {
    const ENDS: [&str; 4] = ["EOT", "EOF", "END", "HEREDOC"];
    let Some(Part::Text(last)) = parts.last() else { return None };
    if !last.ends_with('\n') {
        return None;
    }
    let mut shape = String::new();
    for part in parts {
        match part {
            Part::Text(text) => shape.push_str(text),
            // stands for one word of something
            Part::Interp(_) => shape.push('x'),
        }
    }
    let lines = || shape.split_terminator('\n');
    if lines().count() < 2 {
        return None;
    }
    let blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    let flush = |line: &str| line.starts_with(|c: char| c.is_ascii() && !c.is_whitespace());
    let odd = |line: &str| line.starts_with(|c: char| !c.is_ascii() && !c.is_alphanumeric());
    if shape.chars().any(|c| must_be_escaped(c) && !matches!(c, '\n' | '\t'))
        || lines().any(|line| blank(line) || odd(line))
        || !lines().any(flush)
    {
        return None;
    }
    ENDS.into_iter().find(|end| lines().all(|line| line.trim() != *end))
}
