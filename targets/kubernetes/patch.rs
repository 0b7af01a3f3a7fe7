//! `patch` blocks: what a blueprint adds to an object, or says instead of it.
//!
//! Field names are those of the API. What it does not have is refused at the patch, and so is what would make another
//! object of it. An object without patches never becomes a tree.

use super::text::quantity;
use crate::document::{Node, to_node};
use crate::patch::{PATCH_IDENTITY, Spelling, checked};
use crate::schema::{self, Shape};
use crate::template::TEXT_SPELLING;
use serde::Serialize;
use slipform_model::{Diagnostic, Noun, Patch, Value};
use slipform_source::Span;

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(crate) const PATCHES: &[(&str, &str)] = &[
    (Document::JobSet.name(), "workload"),
    (Document::ClusterQueue.name(), "queue"),
    (Document::Flavor.name(), "pool"),
];

/// What is patched, as a blueprint names it.
#[derive(Clone, Copy)]
pub(crate) enum Document {
    JobSet,
    ClusterQueue,
    Flavor,
}

impl Document {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::JobSet => "jobset",
            Self::ClusterQueue => "cluster_queue",
            Self::Flavor => "resource_flavor",
        }
    }

    fn shape(self) -> schema::Document {
        match self {
            Self::JobSet => schema::Document::JobSet,
            Self::ClusterQueue => schema::Document::ClusterQueue,
            Self::Flavor => schema::Document::ResourceFlavor,
        }
    }
}

/// The shape of a document.
pub(crate) fn shape(document: &str) -> Option<Shape> {
    let all = [Document::JobSet, Document::ClusterQueue, Document::Flavor];
    let known = all.into_iter().find(|known| known.name() == document)?;
    Some(Shape::document(known.shape()))
}

/// What says which object it is: references to it would lead nowhere.
const IDENTITY: [&[&str]; 4] =
    [&["apiVersion"], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];

const SPELLING: Spelling = Spelling {
    consumer: "Kubernetes",
    size: |size| Some(quantity(size).into()),
    duration: |duration| duration.0.into(),
};

/// Whether a noun patches a document at all.
pub(crate) fn has(noun: &Noun, document: Document) -> bool {
    noun.patches.iter().any(|patch| patch.target == document.name())
}

/// An object with everything that the noun's patches of a document say.
pub(crate) fn applied<T: Serialize>(
    noun: &Noun,
    document: Document,
    object: &T,
    diagnostics: &mut Vec<Diagnostic>,
) -> Node {
    let mut tree = match to_node(object) {
        Ok(tree) => tree,
        Err(error) => {
            let message =
                format!("the {} of `{}` cannot be written: {error}", document.name(), noun.path);
            diagnostics.push(Diagnostic::error(TEXT_SPELLING, message, noun.span));
            return Node::Null;
        }
    };
    let shape = Shape::document(document.shape());
    for patch in noun.patches.iter().filter(|patch| patch.target == document.name()) {
        let identity: Vec<Diagnostic> = identity(patch).collect();
        let mut told = Vec::new();
        match checked(noun, patch, &shape, SPELLING, &tree, &mut told) {
            Ok(node) if identity.is_empty() => shape.merge(&mut tree, node),
            Ok(_) => told.clear(),
            Err(found) => diagnostics.extend(found),
        }
        diagnostics.extend(told);
        diagnostics.extend(identity);
    }
    tree
}

fn identity(patch: &Patch) -> impl Iterator<Item = Diagnostic> {
    IDENTITY.iter().filter_map(|path| {
        let span = found(&patch.value, path)?;
        let path = path.join(".");
        let message = format!("`{path}` says which object this is, and cannot be patched");
        let help = "`name` and `namespace` are fields of the noun itself";
        Some(Diagnostic::error(PATCH_IDENTITY, message, span).help(help))
    })
}

/// Where a path leads in a value.
fn found(value: &Value, path: &[&str]) -> Option<Span> {
    let (first, rest) = path.split_first()?;
    let Value::Record(record) = value else { return None };
    let next = record.get(*first)?;
    if rest.is_empty() { Some(next.span) } else { found(&next.value, rest) }
}
