//! What the artifacts of a blueprint say beyond their texts: whose files they are, and which of them a cluster takes along.

use camino::Utf8Path;
use slipform_changes::{Change, Effect};
use slipform_model::graph::EdgeKind;
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};
use slipform_targets::Artifact;
use std::collections::BTreeSet;

/// The noun that a script or a file of settings is of. What Terraform and Kubernetes read says so of each thing in it.
pub(super) fn owner<'p>(
    change: &Change,
    plan: Option<&'p Plan>,
    artifacts: &[Artifact],
) -> Option<&'p Noun> {
    let artifact = artifacts.iter().find(|it| it.path == change.file)?;
    plan?.model.get(*artifact.nouns.first()?).filter(|_| is_of_one(&change.file))
}

/// Whether a file is of its noun as a whole.
pub(super) fn is_of_one(file: &str) -> bool {
    !["tf", "tfvars", "yaml"].iter().any(|it| Utf8Path::new(file).extension() == Some(it))
}

/// Folders whose objects are in a cluster that is made, or made anew: it has none of them yet.
pub(super) fn emptied(
    changes: &[Change],
    plan: Option<&Plan>,
    artifacts: &[Artifact],
) -> BTreeSet<String> {
    let Some(plan) = plan else { return BTreeSet::new() };
    let inside = inside_of_new(changes, plan, artifacts);
    let folders = artifacts.iter().filter(|it| {
        // what prepares a cluster may be a script alone
        let is_applied =
            ["kustomization.yaml", "install.sh"].map(Some).contains(&it.path.file_name());
        (is_applied || it.path.extension() == Some("sbatch"))
            && it.nouns.iter().any(|noun| inside.contains(noun))
    });
    let folders = folders.filter_map(|it| Some(applied_as(it.path.parent()?.as_str()).to_owned()));
    folders.chain(made_again(changes, artifacts).map(str::to_owned)).collect()
}

/// Folders that the commands of a change destroy, and that are there all the same.
fn made_again<'c>(
    changes: &'c [Change],
    artifacts: &'c [Artifact],
) -> impl Iterator<Item = &'c str> {
    let destroyed = changes.iter().flat_map(Change::destroyed_by_hand);
    destroyed.filter(|root| artifacts.iter().any(|it| it.path.starts_with(root)))
}

/// What a new cluster is given is made there, whatever a former one has of it, and in the order of the folders.
pub(super) fn made_there(changes: &mut [Change], emptied: &BTreeSet<String>) {
    let is_object = |it: &&mut Change| {
        emptied.contains(&it.root)
            && (it.file.ends_with(".yaml") || is_filling(it))
            && !matches!(it.effect, Effect::Adds | Effect::Nothing)
    };
    for change in changes.iter_mut().filter(is_object) {
        let goes = change.details.is_empty() && !is_filling(change);
        (change.effect, change.why) = match goes {
            true => (Effect::Nothing, "the new cluster never has it".to_owned()),
            false => (Effect::Adds, "it is made in the new cluster".to_owned()),
        };
        change.commands.clear();
        change.details.clear();
    }
    let folder = |it: &Change| (it.effect == Effect::Adds).then(|| it.root.clone());
    changes.sort_by_key(|it| (it.effect, folder(it)));
}

/// Whether it puts into objects what only Terraform knows.
fn is_filling(change: &Change) -> bool {
    change.file.ends_with("/fill-deferred.sh")
}

/// Clusters that are made, what is declared in them, and what runs there.
fn inside_of_new(changes: &[Change], plan: &Plan, artifacts: &[Artifact]) -> BTreeSet<NounId> {
    let mut inside = BTreeSet::new();
    for cluster in new_clusters(changes, plan, artifacts) {
        inside.insert(cluster);
        inside.extend(plan.children(cluster).iter().copied());
    }
    let edges = plan.graph.edges().filter(|(_, _, edge)| edge.kind == EdgeKind::RunsOn);
    let runs: Vec<NounId> = edges.filter(|(_, to, _)| inside.contains(to)).map(|it| it.0).collect();
    inside.extend(runs);
    inside
}

/// Clusters that are made, or made anew: nothing is in them.
pub(super) fn new_clusters(
    changes: &[Change],
    plan: &Plan,
    artifacts: &[Artifact],
) -> BTreeSet<NounId> {
    let is_anew = |change: &&Change| {
        let is_gke = change.thing.starts_with("google_container_cluster.");
        change.makes_cluster() || is_gke && change.effect == Effect::Replaces
    };
    let anew = changes.iter().filter(is_anew).filter_map(|change| {
        Some(plan.model.nouns.iter().find(|noun| noun.origin == change.origin)?.id)
    });
    let again = made_again(changes, artifacts).flat_map(|root| {
        let files = artifacts.iter().filter(move |it| it.path.starts_with(root));
        files.flat_map(|it| it.nouns.iter().copied())
    });
    let is_cluster = |id: &NounId| plan.model.get(*id).is_some_and(|it| it.kind() == "cluster");
    anew.chain(again.filter(is_cluster)).collect()
}

/// `50-workloads/train` of `50-workloads/train/overlays/prod`.
fn applied_as(folder: &str) -> &str {
    let folder = folder.split_once("/overlays/").map_or(folder, |(folder, _)| folder);
    folder.strip_suffix("/base").unwrap_or(folder)
}
