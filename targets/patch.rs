//! `patch` blocks merged into documents, held to the shape of the document: the part that targets with JSON or YAML
//! share. A patch with any mistake is not applied.

use crate::document::{Map, Node};
use crate::schema::{Path, Shape, ShapeError, Step};
use slipform_model::{Diagnostic, Duration, Patch, Placed, Record, Size, Value};
use slipform_source::Span;

/// How a document writes quantities.
#[derive(Clone, Copy)]
pub(crate) struct Spelling {
    /// Amounts of memory and disk.
    pub(crate) size: fn(Size) -> Node,
    /// Lengths of time.
    pub(crate) duration: fn(Duration) -> Node,
}

/// Merges a patch into a document; what is wrong with it is returned, and the document stays as it was.
pub(crate) fn merge(
    document: &mut Node,
    shape: &Shape,
    patch: &Patch,
    spelling: Spelling,
) -> Vec<Diagnostic> {
    let place = Placed { value: patch.value.clone(), span: patch.span };
    let node = match node(&place, spelling) {
        Ok(node) => node,
        Err((span, what)) => {
            let message = format!("{what} has no form in a {}", shape.title());
            return vec![
                Diagnostic::error("patch/value", message, span).also(patch.span, "patched here"),
            ];
        }
    };
    let errors = shape.check_patch(&node);
    if errors.is_empty() {
        shape.merge(document, node);
    }
    errors.iter().map(|error| diagnostic(&place, error)).collect()
}

fn diagnostic(patch: &Placed, error: &ShapeError) -> Diagnostic {
    let (span, found) = locate(patch, &error.path);
    let code =
        if found && error.nearest.is_none() { "patch/wrong-value" } else { "patch/unknown-field" };
    let diagnostic = Diagnostic::error(code, &*error.message, span);
    match &error.nearest {
        Some(nearest) => {
            diagnostic.help(format!("`{nearest}` is close; the path is `{}`", Path(&error.path)))
        }
        None => diagnostic,
    }
}

/// The innermost value of a patch on a path, and whether it is the path's end.
fn locate(patch: &Placed, path: &[Step]) -> (Span, bool) {
    let mut at = patch;
    for step in path {
        let next = match (&at.value, step) {
            (Value::Record(record), Step::Key(key)) => record.get(key.as_str()),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            _ => None,
        };
        let Some(next) = next else { return (at.span, false) };
        at = next;
    }
    (at.span, true)
}

/// A value as a document's; `Err` holds the place and the kind of what has no form there.
fn node(placed: &Placed, spelling: Spelling) -> Result<Node, (Span, &'static str)> {
    Ok(match &placed.value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::Size(it) => (spelling.size)(*it),
        Value::Duration(it) => (spelling.duration)(*it),
        Value::Absent => Node::Null,
        Value::Str(_) | Value::Cidr(_) | Value::Address(_) | Value::Topology(_) => {
            placed.value.to_string().into()
        }
        Value::List(items) => {
            let items = items.iter().map(|item| node(item, spelling).map(Into::into));
            Node::Seq(items.collect::<Result<_, _>>()?)
        }
        Value::Record(record) => map(record, spelling)?.into(),
        other => return Err((placed.span, other.described())),
    })
}

fn map(record: &Record, spelling: Spelling) -> Result<Map, (Span, &'static str)> {
    record.iter().try_fold(Map::default(), |map, (key, it)| {
        Ok(map.with(key.to_string(), node(it, spelling)?))
    })
}
