//! `patch` blocks: what a blueprint adds to a block, or says instead of it.
//!
//! Field names are those of the provider. What the provider does not know is refused at the patch, before Terraform
//! would; a patch with any mistake is not applied.

use super::root::Root;
use crate::document::hcl::Block;
use crate::document::{Map, Node};
use crate::schema::{Path, Shape, ShapeError, Step};
use slipform_model::{Diagnostic, Noun, Patch, Placed, Record, Value};
use slipform_source::Span;

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    ("network", "network"),
    ("subnetwork", "network"),
    ("bucket", "bucket"),
    ("filestore", "filesystem"),
    ("lustre", "filesystem"),
    ("registry", "registry"),
    ("tensorboard", "dashboard"),
    ("cluster", "cluster"),
    ("node_pool", "pool"),
];

/// A resource block with everything that the noun's patches of a document say.
pub(super) fn apply(root: &mut Root<'_>, noun: &Noun, document: &str, mut block: Block) -> Block {
    for patch in noun.patches.iter().filter(|patch| patch.target == document) {
        let shape = block.labels.first().and_then(|resource| Shape::of(resource));
        let Some(shape) = shape else { continue };
        match checked(noun, patch, &shape) {
            Ok(node) => shape.merge_body(&mut block.body, node),
            Err(diagnostics) => root.diagnostics.extend(diagnostics),
        }
    }
    block
}

/// What someone else owns cannot be patched.
pub(super) fn refuse_existing(root: &mut Root<'_>, noun: &Noun) {
    for patch in noun.patches.iter().filter(|patch| is_ours(noun, patch)) {
        let message =
            format!("`{}` patches what is not made here: {} is existing", patch.target, noun.path);
        root.diagnostics.push(Diagnostic::error("terraform/patch-existing", message, patch.span));
    }
}

fn is_ours(noun: &Noun, patch: &Patch) -> bool {
    DOCUMENTS.iter().any(|(document, kind)| *document == patch.target && *kind == noun.body.kind())
}

/// The patch as data that fits the resource, or all that is wrong with it.
fn checked(noun: &Noun, patch: &Patch, shape: &Shape) -> Result<Node, Vec<Diagnostic>> {
    let place = Placed { value: patch.value.clone(), span: patch.span };
    let node = node(&place).map_err(|(span, what)| {
        let message = format!("{what} has no form in Terraform");
        vec![Diagnostic::error("patch/value", message, span).also(noun.span, "patched here")]
    })?;
    let errors = shape.check_patch(&node);
    if errors.is_empty() {
        return Ok(node);
    }
    Err(errors.iter().map(|error| diagnostic(&place, error)).collect())
}

fn diagnostic(patch: &Placed, error: &ShapeError) -> Diagnostic {
    let (span, found) = locate(patch, &error.path);
    let code =
        if found && error.nearest.is_none() { "patch/wrong-value" } else { "patch/unknown-field" };
    let found = Diagnostic::error(code, &*error.message, span);
    match &error.nearest {
        Some(nearest) => {
            found.help(format!("`{nearest}` is close; the path is `{}`", Path(&error.path)))
        }
        None => found,
    }
}

/// Where in a patch a path leads: the innermost value on it that is there, and whether that is its end.
fn locate(patch: &Placed, path: &[Step]) -> (Span, bool) {
    let mut at = patch;
    for step in path {
        let next = match (&at.value, step) {
            (Value::Record(record) | Value::Variant(_, record), Step::Key(key)) => {
                record.get(key.as_str())
            }
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

/// A value as the data of a document; `Err` holds the place and the kind of what has no form there.
fn node(placed: &Placed) -> Result<Node, (Span, &'static str)> {
    Ok(match &placed.value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        // seconds with their letter are how Google Cloud writes a length of time
        Value::Duration(it) => format!("{}s", it.0).into(),
        Value::Str(_) | Value::Cidr(_) | Value::Address(_) | Value::Topology(_) => {
            placed.value.to_string().into()
        }
        Value::List(items) => Node::Seq(
            items.iter().map(node).map(|item| item.map(Into::into)).collect::<Result<_, _>>()?,
        ),
        Value::Record(record) => map(record)?.into(),
        other => return Err((placed.span, other.described())),
    })
}

fn map(record: &Record) -> Result<Map, (Span, &'static str)> {
    record
        .iter()
        .try_fold(Map::default(), |map, (key, value)| Ok(map.with(key.to_string(), node(value)?)))
}
