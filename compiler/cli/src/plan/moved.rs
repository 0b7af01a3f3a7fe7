//! Runs that stand on another cluster than on the other side.

use super::before::Before;
use super::files;
use crate::manifest::Manifest;
use camino::Utf8Path;
use slipform_analysis::Analysis;
use slipform_changes::{Change, File, Moved, ends_cluster, move_runs, on};
use slipform_model::Model;
use slipform_targets::Artifact;
use std::collections::BTreeMap;

/// Tells of each what ends it where it was. Those whose former cluster goes end with it.
pub(super) fn tell(
    found: &mut Vec<Change>,
    (before, old): (&Before, &[File<'_>]),
    (now, new): (&Analysis, &[Artifact]),
) {
    let Some(plan) = &now.plan else { return };
    let ending: Vec<&String> =
        found.iter().filter(|it| ends_cluster(it)).map(|it| &it.origin).collect();
    let moved = grounds(&plan.model, new).into_iter().filter_map(|(root, to)| {
        let from = before.grounds.get(&root).filter(|from| **from != to)?.clone();
        let cluster = before.nouns.called(&from)?;
        (!ending.contains(&&cluster.origin)).then_some(Moved { root, from })
    });
    let moved: Vec<Moved> = moved.collect();
    move_runs(found, old, &files(new), &moved);
}

/// Says of each command for `kubectl` which cluster it is for, where there are several.
pub(super) fn name_clusters(
    found: &mut [Change],
    before: &Before,
    (now, new): (&Analysis, &[Artifact]),
) {
    let Some(plan) = &now.plan else { return };
    let there = before.owners.iter().filter_map(|(path, noun)| {
        let noun = before.nouns.at(noun).filter(|it| it.kind == "cluster")?;
        Some((of_objects(path)?.to_owned(), noun.outside.clone()))
    });
    let here = new.iter().filter_map(|it| {
        let noun = plan.model.get(*it.nouns.first()?).filter(|it| it.kind() == "cluster")?;
        Some((of_objects(it.path.as_str())?.to_owned(), noun.outside.path.clone()))
    });
    // what is there has commands of the side that it is on
    let clusters: BTreeMap<String, String> =
        here.chain(grounds(&plan.model, new)).chain(there).chain(before.grounds.clone()).collect();
    for change in found.iter_mut() {
        let Some(cluster) = clusters.get(&change.root) else { continue };
        let several = clusters.values().any(|it| it != cluster);
        for command in change.commands.iter_mut().filter(|_| several) {
            if command.starts_with("kubectl ") {
                *command = on(command, cluster);
            }
        }
    }
}

/// `40-a3m-queues` of the file that lists the objects of a cluster.
fn of_objects(path: &str) -> Option<&str> {
    path.strip_suffix("/kustomization.yaml").filter(|root| !root.contains('/'))
}

/// The cluster that each run of a model is on, as it is called outside, by the folder that the run is started from.
pub(super) fn grounds(model: &Model, artifacts: &[Artifact]) -> BTreeMap<String, String> {
    let of_run = artifacts.iter().filter_map(|artifact| {
        let mut nouns = artifact.nouns.iter().filter_map(|id| model.get(*id));
        nouns.next().filter(|noun| noun.kind() == "workload")?;
        let applied = artifact.applied.as_ref().map(|it| it.cluster.clone());
        let ground = || Some(cluster(&nouns.find(|noun| is_ground(noun.kind()))?.outside.path));
        let ground = applied.or_else(ground)?;
        Some((folder(&artifact.path)?, ground))
    });
    of_run.collect()
}

/// The same of what was built.
pub(super) fn grounds_of_manifest(manifest: &Manifest) -> BTreeMap<String, String> {
    let runs = manifest.nouns.get("workload").map(Vec::as_slice).unwrap_or_default();
    let of_run = manifest.artifacts.iter().filter_map(|entry| {
        entry.nouns.first().filter(|run| runs.contains(run))?;
        let is_ground = |path: &&String| {
            let mut kinds = manifest.nouns.iter().filter(|(kind, _)| is_ground(kind));
            kinds.any(|(_, paths)| paths.contains(path))
        };
        let applied = entry.applied.as_ref().map(|it| it.cluster.clone());
        let outside = |path: &String| cluster(manifest.was.get(path).unwrap_or(path));
        let ground = || Some(outside(entry.nouns.iter().find(is_ground)?));
        let ground = applied.or_else(ground)?;
        Some((folder(&entry.path)?, ground))
    });
    of_run.collect()
}

/// Whether files of a run name nouns of a kind because it is there.
fn is_ground(kind: &str) -> bool {
    matches!(kind, "partition" | "cluster")
}

/// `a3m` of `a3m.gpus`.
fn cluster(path: &str) -> String {
    path.split('.').next().unwrap_or(path).to_owned()
}

/// `50-workloads/train` of `50-workloads/train/overlays/prod/kustomization.yaml`.
fn folder(path: &Utf8Path) -> Option<String> {
    let mut parts = path.components().map(|part| part.as_str());
    Some(format!("{}/{}", parts.next()?, parts.next()?))
}
