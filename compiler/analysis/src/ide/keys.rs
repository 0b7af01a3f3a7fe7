//! What is known of a key inside of a value: what it comes to, and what it is a part of.

use super::cursor::{Cursor, given};
use super::hover::Found;
use super::show;
use crate::infer::key_text;
use crate::source_text::key;
use slipform_model::{Placed, Value};
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Let, StmtKind};

/// The key of a record at the cursor, where nothing declares it.
pub(super) fn hover(cursor: &Cursor<'_>) -> Found {
    let entry = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Entry(entry) => Some(*entry),
        _ => None,
    });
    let entry = entry.filter(|entry| entry.key.span.touches(cursor.offset))?;
    let name = key_text(&entry.key)?;
    let (owner, values): (Span, Vec<&Value>) = match &cursor.stmt()?.kind {
        StmtKind::Attr(attr) => {
            let nouns = cursor.decls().next().map(|decl| cursor.nouns(decl)).unwrap_or_default();
            cursor.asked_for_values();
            (attr.name.span, nouns.into_iter().filter_map(|noun| given(noun, attr)).collect())
        }
        StmtKind::Let(Let { name: Some(name), .. }) => {
            (name.span, cursor.values(name.span).iter().collect())
        }
        _ => return None,
    };
    let value = values.into_iter().find_map(|value| at(value, entry.value.span));
    let written = value.filter(|value| !matches!(value, Value::Unknown)).zip(cursor.plan());
    let written = match written {
        Some((value, plan)) => show::value(value, plan),
        None => cursor.analysis.sources.text(entry.value.span).to_owned(),
    };
    let mut parts = vec![show::code(&format!("{} = {written}", key(&name)))];
    if let Some(mention) = cursor.analysis.index.at(owner.file, owner.start as usize) {
        parts.push(format!("A part of\n{}", show::code(&mention.title())));
        parts.extend(mention.doc.as_ref().map(|doc| doc.to_string()));
    }
    Some((entry.key.span, parts))
}

/// The value that is written at a place, somewhere in another one.
fn at(value: &Value, span: Span) -> Option<&Value> {
    let items: Vec<&Placed> = match value {
        Value::Record(record) | Value::Variant(_, record) => record.values().collect(),
        Value::List(items) => items.iter().collect(),
        _ => return None,
    };
    let here = items.iter().find(|placed| placed.span == span).map(|placed| &placed.value);
    here.or_else(|| items.iter().find_map(|placed| at(&placed.value, span)))
}
