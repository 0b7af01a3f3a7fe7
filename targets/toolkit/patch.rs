//! `patch` blocks: what a blueprint says of a module, in the module's own words, beside what fields say or instead of it.

use crate::Output;
use crate::coverage::{is_on_cloud, makes_tpus};
use crate::document::{Map, Node};
use crate::patch::{PATCH_IDENTITY, Spelling, checked};
use crate::schema::Shape;
use slipform_model::plan::{Any, Sound};
use slipform_model::{Diagnostic, Noun, Patch, Value};

slipform_source::codes! {
    pub(crate) CODES;
    TOOLKIT_PATCH_OF_NOTHING = "toolkit/patch-of-nothing":
        "a patch changes a module of Cluster Toolkit, which makes nothing of this noun",
        "remove the patch, or give the Slurm cluster a `network` and a `zone`; nodes with TPUs are a `tpu_node_set`, and others a `node_set`";
}

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    (NODE_SET, "partition"),
    (TPU_NODE_SET, "partition"),
    (PARTITION, "partition"),
    (CONTROLLER, "cluster"),
    (LOGIN, "cluster"),
];

/// The nodes of a partition.
pub(super) const NODE_SET: &str = "node_set";
/// The nodes of a partition with TPUs.
pub(super) const TPU_NODE_SET: &str = "tpu_node_set";
/// The partition.
pub(super) const PARTITION: &str = "slurm_partition";
/// The controller of a cluster.
pub(super) const CONTROLLER: &str = "controller";
/// The machines that people submit from.
pub(super) const LOGIN: &str = "login";

/// What other modules and scripts go by.
const IDENTITY: [&str; 4] = ["name", "partition_name", "slurm_cluster_name", "name_prefix"];

/// The modules count in units that their names say (`disk_size_gb`), and time in seconds.
const SPELLING: Spelling = Spelling {
    consumer: "Cluster Toolkit",
    size: |_| None,
    duration: |duration| duration.0.into(),
};

/// The shape of a document.
pub(crate) fn shape(document: &str) -> Option<Shape> {
    let known = DOCUMENTS.iter().any(|(known, _)| *known == document);
    known.then(|| Shape::of(document)).flatten()
}

/// Settings of a module with everything that the noun's patches of it say. Of those that it takes from what it uses, one that is written takes the place.
pub(super) fn apply(
    noun: &Noun,
    document: &str,
    settings: Map,
    used: &[&str],
    out: &mut Output,
) -> Map {
    let mut settings = Node::Map(settings);
    for patch in noun.patches.iter().filter(|patch| patch.target == document) {
        if let Some(refused) = identity(patch, &settings) {
            out.diagnostics.push(refused);
            continue;
        }
        let Some(shape) = shape(document) else { continue };
        let base = with_used(&settings, used);
        match checked(noun, patch, &shape, SPELLING, &base, &mut out.diagnostics) {
            Ok(node) => shape.merge(&mut settings, node),
            Err(diagnostics) => out.diagnostics.extend(diagnostics),
        }
    }
    match settings {
        Node::Map(settings) => settings,
        _ => Map::default(),
    }
}

/// What a module says, and what others say of it.
fn with_used(settings: &Node, used: &[&str]) -> Node {
    let mut base = settings.clone();
    if let Node::Map(said) = &mut base {
        let handed_on = Node::Str("what it uses".into());
        for name in used.iter().filter(|it| settings.get(it).is_none()) {
            said.insert((*name).to_owned(), handed_on.clone());
        }
    }
    base
}

/// A patch of what others go by.
fn identity(patch: &Patch, base: &Node) -> Option<Diagnostic> {
    let Value::Record(record) = &patch.value else { return None };
    let rendered = IDENTITY.into_iter().filter(|key| base.get(key).is_some());
    let (key, placed) = rendered.filter_map(|key| Some((key, record.get(key)?))).next()?;
    let message = format!("`{key}` says which module this is for others, and cannot be patched");
    Some(Diagnostic::error(PATCH_IDENTITY, message, placed.span).help("give the noun another name"))
}

/// Whether a module that is patched is written of a noun.
fn makes(it: Any<'_>, document: &str) -> bool {
    let other = if makes_tpus(it) { NODE_SET } else { TPU_NODE_SET };
    is_on_cloud(it) && document != other
}

/// Refuses the patches of modules that are not written, which would be lost otherwise.
pub(super) fn refuse_rest(plan: Sound<'_>, out: &mut Output) {
    for it in plan.nouns() {
        let noun = it.noun();
        let ours = |patch: &&Patch| {
            let mut known = DOCUMENTS.iter().filter(|(_, kind)| *kind == noun.kind());
            known.any(|(known, _)| *known == patch.target) && !makes(it, &patch.target)
        };
        for patch in noun.patches.iter().filter(ours) {
            let message = format!(
                "`{}` patches what Cluster Toolkit makes, and it makes none of {}",
                patch.target, noun.path
            );
            let help = match (is_on_cloud(it), makes_tpus(it)) {
                (false, _) => "remove the patch",
                (true, true) => "nodes with TPUs are a `tpu_node_set`",
                (true, false) => "nodes without TPUs are a `node_set`",
            };
            let told = Diagnostic::error(TOOLKIT_PATCH_OF_NOTHING, message, patch.span);
            out.diagnostics.push(told.help(help));
        }
    }
}
