//! `patch` blocks: what a blueprint adds to an object, or says instead of it.
//!
//! Field names are those of the API. What it does not have is refused at the patch; a patch with any mistake is not
//! applied. An object without patches never becomes a tree.

use super::text::quantity;
use crate::document::{Map, Node, to_node};
use crate::schema::{Path, Shape, ShapeError, Step};
use serde::Serialize;
use slipform_model::{Diagnostic, Noun, Placed, Record, Value};
use slipform_source::Span;

/// The documents that may be patched, with the kind of noun that each belongs to, and the shape of each.
const DOCUMENTS: [(&str, &str, &str); 3] =
    [("jobset", "workload", "jobset"), ("cluster_queue", "queue", "clusterqueue"), ("flavor", "pool", "resourceflavor")];

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(crate) const PATCHES: &[(&str, &str)] =
    &[("jobset", "workload"), ("cluster_queue", "queue"), ("flavor", "pool")];

/// Whether a noun patches a document at all.
pub(crate) fn has(noun: &Noun, document: &str) -> bool {
    noun.patches.iter().any(|patch| patch.target == document)
}

/// An object with everything that the noun's patches of a document say.
pub(crate) fn applied<T: Serialize>(
    noun: &Noun,
    document: &str,
    object: &T,
    diagnostics: &mut Vec<Diagnostic>,
) -> Node {
    // Objects have text for keys and no bytes: nothing in them can be refused.
    let mut tree = to_node(object).unwrap_or_default();
    let shape = DOCUMENTS.iter().find(|(name, ..)| *name == document).and_then(|(.., shape)| Shape::of(shape));
    let Some(shape) = shape else { return tree };
    for patch in noun.patches.iter().filter(|patch| patch.target == document) {
        let place = Placed { value: patch.value.clone(), span: patch.span };
        match checked(noun, &place, &shape) {
            Ok(node) => shape.merge(&mut tree, node),
            Err(found) => diagnostics.extend(found),
        }
    }
    tree
}

fn checked(noun: &Noun, patch: &Placed, shape: &Shape) -> Result<Node, Vec<Diagnostic>> {
    let node = node(patch).map_err(|(span, what)| {
        let message = format!("{what} has no form in a Kubernetes object");
        vec![Diagnostic::error("patch/value", message, span).also(noun.span, "patched here")]
    })?;
    let identity = identity(patch);
    let errors = shape.check_patch(&node);
    if errors.is_empty() && identity.is_empty() {
        return Ok(node);
    }
    Err(errors.iter().map(|error| diagnostic(patch, error)).chain(identity).collect())
}

/// A patch must not turn an object into another one: what refers to it would lead nowhere.
fn identity(patch: &Placed) -> Vec<Diagnostic> {
    const FIXED: [&[&str]; 4] = [&["apiVersion"], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];
    let wrong = |path: &&[&str]| {
        let steps: Vec<Step> = path.iter().map(|key| Step::Key((*key).to_owned())).collect();
        let (span, found) = locate(patch, &steps);
        found.then(|| {
            let message = format!("`{}` says which object this is, and cannot be patched", Path(&steps));
            Diagnostic::error("patch/identity", message, span)
                .help("`name` and `namespace` are fields of the noun itself")
        })
    };
    FIXED.iter().filter_map(wrong).collect()
}

fn diagnostic(patch: &Placed, error: &ShapeError) -> Diagnostic {
    let (span, found) = locate(patch, &error.path);
    let code = if found && error.nearest.is_none() { "patch/wrong-value" } else { "patch/unknown-field" };
    let diagnostic = Diagnostic::error(code, &*error.message, span);
    match &error.nearest {
        Some(nearest) => diagnostic.help(format!("`{nearest}` is close; the path is `{}`", Path(&error.path))),
        None => diagnostic,
    }
}

/// Where in a patch a path leads: the innermost value on it that is there, and whether that is its end. Items of lists
/// and entries of records are followed by what they are, so the last one that exists is pointed at.
fn locate(patch: &Placed, path: &[Step]) -> (Span, bool) {
    let mut at = patch;
    for step in path {
        let next = match (&at.value, step) {
            (Value::Record(record), Step::Key(key)) => record.get(key.as_str()),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return (at.span, false),
        }
    }
    (at.span, true)
}

/// A value as the data of an object; `Err` holds the place and the kind of what has no form there.
fn node(placed: &Placed) -> Result<Node, (Span, &'static str)> {
    Ok(match &placed.value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::Size(it) => quantity(*it).into(),
        Value::Duration(it) => it.0.into(),
        Value::Absent => Node::Null,
        Value::Str(_) | Value::Cidr(_) | Value::Address(_) | Value::Topology(_) => placed.value.to_string().into(),
        Value::List(items) => {
            let items = items.iter().map(|item| node(item).map(Into::into));
            Node::Seq(items.collect::<Result<_, _>>()?)
        }
        Value::Record(record) => map(record)?.into(),
        other => return Err((placed.span, other.described())),
    })
}

fn map(record: &Record) -> Result<Map, (Span, &'static str)> {
    record.iter().try_fold(Map::default(), |map, (key, it)| Ok(map.with(key.to_string(), node(it)?)))
}
