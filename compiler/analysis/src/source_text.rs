//! Text for edits: values as a blueprint writes them, and where a new line goes.

use slipform_model::Value;
use slipform_source::{Sources, Span};
use slipform_syntax::tree::{Decl, Stmt};
use std::borrow::Cow;

/// A value as source text; `None` for what has none, such as a reference.
pub(crate) fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Str(text) => quoted(text),
        Value::List(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| literal(&item.value)).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Record(record) => {
            let entries: Option<Vec<String>> = record
                .iter()
                .map(|(name, item)| Some(format!("{} = {}", key(name), literal(&item.value)?)))
                .collect();
            format!("{{ {} }}", entries?.join(", "))
        }
        Value::Variant(name, record) if record.is_empty() => name.to_string(),
        Value::Variant(name, record) => {
            let fields: Option<Vec<String>> = record
                .iter()
                .map(|(key, item)| Some(format!("{key} = {}", literal(&item.value)?)))
                .collect();
            format!("{name}({})", fields?.join(", "))
        }
        Value::Ref(_) | Value::Deferred(_) | Value::Absent | Value::Unknown => return None,
        plain => plain.to_string(),
    })
}

/// A key of a record: a text where it is no word.
pub(crate) fn key(name: &str) -> Cow<'_, str> {
    let starts = name.starts_with(|c: char| is_word(c) && !c.is_numeric());
    if starts && name.chars().all(is_word) { name.into() } else { quoted(name).into() }
}

/// Whether a letter belongs to words: to names and to those of the language.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => result.extend(['\\', c]),
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            '\r' => result.push_str("\\r"),
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

/// A statement with the line break behind it, when nothing else is on its lines.
pub(crate) fn whole_line(sources: &Sources, stmt: &Stmt) -> Span {
    let Some(file) = sources.get(stmt.span.file) else { return stmt.span };
    let first = file.lines().range(file.lines().line(stmt.span.start as usize));
    let last = file.lines().range(file.lines().line(stmt.span.end as usize));
    let before = file.text.get(first.start..stmt.span.start as usize).unwrap_or("x");
    let after = file.text.get(stmt.span.end as usize..last.end).unwrap_or("x");
    if before.trim().is_empty() && after.trim().is_empty() {
        return Span::new(stmt.span.file, first.start, last.end);
    }
    stmt.span
}

/// Where a new attribute of a noun goes, and the text that puts it there.
pub(crate) fn insertion(
    sources: &Sources,
    stmt: &Stmt,
    decl: &Decl,
    attr: &str,
) -> Option<(Span, String)> {
    let file = sources.get(stmt.span.file)?;
    if let Some(last) = decl.body.last() {
        let line = file.lines().range(file.lines().line(last.span.start as usize));
        let indent = file.text.get(line.start..last.span.start as usize)?;
        if indent.trim().is_empty() {
            return Some((last.span.at_end(), format!("\n{indent}{attr}")));
        }
        return Some((last.span.at_end(), format!("\n{attr}")));
    }
    let rest = file.text.get(decl.header.end as usize..stmt.span.end as usize)?;
    let brace = decl.header.end as usize + rest.find('{')? + 1;
    Some((Span::new(stmt.span.file, brace, brace), format!(" {attr} ")))
}
