//! `patch` blocks: what a blueprint adds to a block, or says instead of it.
//!
//! Field names are those of the provider. What the provider does not know is refused at the patch, before Terraform
//! would; a patch with any mistake is not applied.

use super::root::Root;
use crate::Output;
use crate::document::Node;
use crate::document::hcl::Block;
use crate::patch::{PATCH_IDENTITY, PATCH_UNKNOWN_DOCUMENT, Spelling, checked};
use crate::schema::{Shape, tree};
use slipform_model::nouns::Storage;
use slipform_model::plan::{Any, Sound};
use slipform_model::{Diagnostic, Noun, Patch, Value};

slipform_source::codes! {
    pub(crate) CODES;
    TERRAFORM_PATCH_OF_NOTHING = "terraform/patch-of-nothing":
        "a patch changes a resource that is not made",
        "remove the patch, or declare what makes the resource";
}

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    ("network", "network"),
    ("subnetwork", "network"),
    ("bucket", "bucket"),
    ("filesystem", "filesystem"),
    ("registry", "registry"),
    ("tensorboard", "dashboard"),
    ("cluster", "cluster"),
    ("node_pool", "pool"),
];

/// What each document is in the provider's words.
const RESOURCES: &[(&str, &str)] = &[
    ("network", "google_compute_network"),
    ("subnetwork", "google_compute_subnetwork"),
    ("bucket", "google_storage_bucket"),
    ("filesystem", "google_filestore_instance"),
    ("filesystem", "google_lustre_instance"),
    ("registry", "google_artifact_registry_repository"),
    ("tensorboard", "google_vertex_ai_tensorboard"),
    ("cluster", "google_container_cluster"),
    ("node_pool", "google_container_node_pool"),
];

/// The shapes that a document may have: one, or one for each kind of storage.
pub(crate) fn shapes(document: &str) -> impl Iterator<Item = Shape> {
    let resources = RESOURCES.iter().filter(move |(known, _)| *known == document);
    resources.filter_map(|(_, resource)| Shape::of(resource))
}

/// Sizes have no common unit (`disk_size_gb`, `capacity_gib`); lengths of time are seconds with their letter.
const SPELLING: Spelling = Spelling {
    consumer: "Terraform",
    size: |_| None,
    duration: |duration| format!("{}s", duration.0).into(),
};

/// A resource block with everything that the noun's patches of a document say.
pub(super) fn apply(root: &mut Root<'_>, noun: &Noun, document: &str, mut block: Block) -> Block {
    for patch in noun.patches.iter().filter(|patch| patch.target == document) {
        let resource = block.labels.first();
        debug_assert!(
            RESOURCES
                .iter()
                .any(|row| row.0 == document && Some(row.1) == resource.map(|it| &**it)),
            "{document} is not known as {resource:?}"
        );
        let shape = resource.and_then(|resource| Shape::of(resource));
        let Some(shape) = shape else {
            let message = format!("nothing is known here of the fields of `{document}`");
            root.diagnostics.push(Diagnostic::error(PATCH_UNKNOWN_DOCUMENT, message, patch.span));
            continue;
        };
        let base = tree(&block.body);
        if let Some(refused) = identity(patch, &base) {
            root.diagnostics.push(refused);
            continue;
        }
        match checked(noun, patch, &shape, SPELLING, &base, &mut root.diagnostics) {
            Ok(node) => shape.merge_body(&mut block.body, node),
            Err(diagnostics) => root.diagnostics.extend(diagnostics),
        }
    }
    block
}

/// What other files, roots and scripts go by: under another name, or elsewhere, they would look for it in vain.
const IDENTITY: [&str; 5] = ["name", "cluster", "project", "repository_id", "instance_id"];

/// A patch that makes another thing of a resource than what is spoken of elsewhere.
fn identity(patch: &Patch, base: &Node) -> Option<Diagnostic> {
    let Value::Record(record) = &patch.value else { return None };
    let rendered = IDENTITY.into_iter().filter(|key| base.get(key).is_some());
    let (key, placed) = rendered.filter_map(|key| Some((key, record.get(key)?))).next()?;
    let message =
        format!("`{key}` says which resource this is for other files, and cannot be patched");
    let help = "where the noun has a `name`, that is what it is called everywhere";
    Some(Diagnostic::error(PATCH_IDENTITY, message, placed.span).help(help))
}

/// Refuses the patches of what Terraform does not make, which would be lost otherwise.
pub(super) fn refuse_rest(plan: Sound<'_>, out: &mut Output) {
    for it in plan.nouns() {
        let noun = it.noun();
        let Some(why) = not_made(plan, it) else { continue };
        for patch in noun.patches.iter().filter(|patch| is_ours(noun, patch)) {
            let message =
                format!("`{}` patches what is not made here: {} {why}", patch.target, noun.path);
            out.diagnostics.push(Diagnostic::error(
                TERRAFORM_PATCH_OF_NOTHING,
                message,
                patch.span,
            ));
        }
    }
}

/// Why a noun has no block in Terraform.
fn not_made(plan: Sound<'_>, it: Any<'_>) -> Option<&'static str> {
    let noun = it.noun();
    if noun.existing {
        return Some("is existing");
    }
    if noun.parent.is_some_and(|parent| plan.noun(parent).existing) {
        return Some("is part of what is existing");
    }
    match it {
        Any::Filesystem(filesystem) => match filesystem.body.storage.value {
            Storage::Nfs { .. } | Storage::Path { .. } => Some("is kept by someone else"),
            Storage::Filestore { .. } | Storage::Lustre { .. } => None,
        },
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Image(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => None,
    }
}

fn is_ours(noun: &Noun, patch: &Patch) -> bool {
    DOCUMENTS.iter().any(|(document, kind)| *document == patch.target && *kind == noun.kind())
}
