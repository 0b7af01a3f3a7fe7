//! Text for edits: values as a blueprint writes them, and where a new line goes.

use slipform_model::Value;
use slipform_source::{Sources, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Decl, Expr, ExprKind, Stmt};
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
    lines_alone(sources, stmt.span, false).unwrap_or(stmt.span)
}

/// The lines of a span, when nothing else is on them but a remark, and, of one of several, a comma.
fn lines_alone(sources: &Sources, span: Span, of_several: bool) -> Option<Span> {
    let file = sources.get(span.file)?;
    let first = file.lines().range(file.lines().line(span.start as usize));
    let last = file.lines().range(file.lines().line(span.end as usize));
    let before = file.text.get(first.start..span.start as usize)?;
    let mut after = file.text.get(span.end as usize..last.end)?.trim();
    if of_several {
        after = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
    let alone = before.trim().is_empty() && (after.is_empty() || after.starts_with('#'));
    alone.then(|| Span::new(span.file, first.start, last.end))
}

/// What has to go for an entry of a record, an item of a list or an argument of a call to go that has its value at a
/// place in an expression: its comma and its line as well.
pub(crate) fn part_of(sources: &Sources, whole: &Expr, value: Span) -> Option<Part> {
    let mut found = None;
    NodeRef::Expr(whole).walk(&mut |node| {
        let NodeRef::Expr(expr) = node else { return };
        let parts: Vec<(Option<Span>, Span)> = match &expr.kind {
            ExprKind::Record(entries) => {
                entries.iter().map(|it| (Some(it.key.span), it.value.span)).collect()
            }
            ExprKind::List(items) => items.iter().map(|it| (None, it.span)).collect(),
            ExprKind::Call(_, args) => {
                args.iter().map(|it| (it.name.as_ref().map(|it| it.span), it.value.span)).collect()
            }
            _ => return,
        };
        let Some(at) = parts.iter().position(|(_, of)| *of == value) else { return };
        let name = parts.get(at).and_then(|(name, _)| *name);
        let whole_of = |(name, value): (Option<Span>, Span)| name.map_or(value, |it| it.to(value));
        let parts: Vec<Span> = parts.into_iter().map(whole_of).collect();
        let is_all =
            parts.len() == 1 && !matches!(expr.kind, ExprKind::Call(..)) && expr.span == whole.span;
        found = taken(sources, &parts, at).map(|span| Part { span, name, is_all });
    });
    found
}

/// A part of a value.
pub(crate) struct Part {
    /// From where to where it goes.
    pub(crate) span: Span,
    /// What it is called, where it is.
    pub(crate) name: Option<Span>,
    /// The value has no other.
    pub(crate) is_all: bool,
}

/// From where to where one of several parts goes.
pub(crate) fn taken(sources: &Sources, parts: &[Span], at: usize) -> Option<Span> {
    let part = *parts.get(at)?;
    if let Some(lines) = lines_alone(sources, part, true) {
        return Some(lines);
    }
    let before = at.checked_sub(1).and_then(|before| parts.get(before));
    Some(match (before, parts.get(at + 1)) {
        (_, Some(behind)) => Span { end: behind.start, ..part },
        (Some(before), None) => Span { start: before.end, ..part },
        (None, None) => {
            let rest = sources.get(part.file)?.text.get(part.end as usize..)?;
            let comma = rest.trim_start().strip_prefix(',');
            let end = comma.map_or(0, |behind| rest.len() - behind.len());
            Span::new(part.file, part.start as usize, part.end as usize + end)
        }
    })
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
