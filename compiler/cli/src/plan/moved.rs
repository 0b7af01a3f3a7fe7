//! Runs that stand on another cluster than on the other side.

use super::before::Before;
use super::files;
use super::former::place;
use crate::manifest::Manifest;
use camino::Utf8Path;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Detail, Effect, File, Moved, ends_cluster, move_runs, on};
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};
use slipform_targets::{Applied, Artifact};
use std::collections::{BTreeMap, BTreeSet};

/// Tells of each what ends it where it was, and that it is made where it is now. Those whose former cluster goes end with it.
pub(super) fn tell(
    found: &mut Vec<Change>,
    (before, old): (&Before, &[File<'_>]),
    (now, new): (&Analysis, &[Artifact]),
) {
    let Some(plan) = &now.plan else { return };
    let ending: BTreeSet<String> =
        found.iter().filter(|it| ends_cluster(it)).flat_map(former).cloned().collect();
    let moved = grounds(plan, new).into_iter().filter_map(|(root, to)| {
        let from = before.grounds.get(&root)?;
        let cluster = before.nouns.called(from)?;
        // a noun that is called otherwise, for what is where it was, and what is elsewhere under the name of before
        let mut nouns = plan.model.nouns.iter().filter(|it| it.kind() == "cluster");
        let is_same = match nouns.find(|it| it.outside.path == to) {
            Some(noun) => before.nouns.twin(plan, noun).is_some_and(|it| it.path == cluster.path),
            None => *from == to,
        };
        let goes = ending.contains(&cluster.origin);
        (!is_same).then(|| Moved { root, from: (!goes).then(|| shown(before, from)) })
    });
    let mut moved: Vec<Moved> = moved.collect();
    for it in others(before, plan, new) {
        moved.retain(|run| !it.roots.contains(&run.root));
        found.push(it.change());
        let from = it.stays.then(|| it.from.clone());
        // what runs there ends before what it stands on is taken away
        let roots = it.roots.into_iter().rev();
        moved.extend(roots.map(|root| Moved { root, from: from.clone() }));
    }
    move_runs(found, old, &files(new), &moved);
}

/// The cluster that ends with a change: what is made in its place may be another noun's.
fn former(change: &Change) -> Vec<&String> {
    let others: Vec<&String> = change.takes_along.iter().collect();
    match change.thing.starts_with("google_container_cluster.") && !others.is_empty() {
        true => others,
        false => vec![&change.origin],
    }
}

/// A cluster of the other side, as commands that are for it name it: by its place, which no noun of now has by its own name.
fn shown(before: &Before, outside: &str) -> String {
    let place = before.nouns.called(outside).and_then(|it| it.place.clone());
    place.unwrap_or_else(|| outside.to_owned())
}

/// The same of this side.
pub(super) fn shown_here(plan: &Plan, cluster: &Noun) -> String {
    place(plan, cluster).unwrap_or_else(|| cluster.outside.path.clone())
}

/// A cluster that was another one on the other side, where one of both is someone else's: what is made here and there alike Terraform makes anew.
struct Other<'a> {
    noun: &'a Noun,
    /// Which one it was, and which it is.
    from: String,
    to: String,
    /// Whether the former one was someone else's, too: nothing of this output ends with it.
    stays: bool,
    /// The folders of its objects and of its runs.
    roots: BTreeSet<String>,
}

impl Other<'_> {
    fn change(&self) -> Change {
        let Self { noun, from, to, .. } = self;
        let (before, after) = (Some(from.clone()), Some(to.clone()));
        Change {
            thing: "cluster".to_owned(),
            origin: noun.origin.clone(),
            details: vec![Detail { path: String::new(), before, after }],
            takes_along: vec![noun.origin.clone()],
            ..Change::of_file(Effect::Replaces, "", "", ANOTHER)
        }
    }
}

const ANOTHER: &str = "it is another one from now on: what stands and runs in the former stays there until it is ended there, and all of it is applied to this one";

fn others<'a>(before: &Before, plan: &'a Plan, new: &[Artifact]) -> Vec<Other<'a>> {
    let nouns = plan.model.nouns.iter().filter(|it| it.kind() == "cluster");
    let other = |noun: &'a Noun| {
        let then = before.nouns.twin(plan, noun)?;
        let then = Some(then).filter(|then| noun.existing || then.existing)?;
        let (from, to) = (then.place.clone()?, place(plan, noun)?);
        (from != to).then(|| {
            let former = before.owners.iter().filter(|(_, owner)| **owner == then.path);
            let former = former.filter_map(|(path, _)| of_objects(path).map(str::to_owned));
            let roots = new.iter().filter_map(|it| root_in(plan, noun.id, it));
            let (roots, stays) = (roots.chain(former).collect(), then.existing);
            Other { noun, from, to, stays, roots }
        })
    };
    nouns.filter_map(other).collect()
}

/// The folder of a file of a cluster's objects, or of a run in it.
fn root_in(plan: &Plan, cluster: NounId, file: &Artifact) -> Option<String> {
    let noun = *file.nouns.first()?;
    if noun == cluster {
        return of_objects(file.path.as_str()).map(str::to_owned);
    }
    let run =
        plan.workload(noun).filter(|_| file.path.file_name() == Some("kustomization.yaml"))?;
    run.gke().filter(|site| site.cluster.id() == cluster).and_then(|_| folder(&file.path))
}

/// The folders of what is in clusters of others that were other ones: these have none of it yet.
pub(super) fn displaced(
    before: &Before,
    plan: Option<&Plan>,
    new: &[Artifact],
) -> BTreeSet<String> {
    let others = plan.map(|plan| others(before, plan, new)).unwrap_or_default();
    let is_there = |root: &String| new.iter().any(|it| it.path.starts_with(root));
    others.into_iter().flat_map(|it| it.roots).filter(is_there).collect()
}

/// Clusters that were other ones, of which one is someone else's.
pub(super) fn other_clusters(before: &Before, plan: &Plan, new: &[Artifact]) -> Vec<NounId> {
    others(before, plan, new).into_iter().map(|it| it.noun.id).collect()
}

/// Says of each command for `kubectl` which cluster it is for, where there are several.
pub(super) fn name_clusters(
    found: &mut [Change],
    before: &Before,
    (now, new): (&Analysis, &[Artifact]),
) {
    let Some(plan) = &now.plan else { return };
    let here = new.iter().filter_map(|it| {
        let noun = plan.model.get(*it.nouns.first()?).filter(|it| it.kind() == "cluster")?;
        Some((of_objects(it.path.as_str())?.to_owned(), noun.outside.path.clone()))
    });
    let name = |(root, outside): (String, String)| {
        let noun = plan.model.nouns.iter().find(|it| it.outside.path == outside);
        let shown = noun.map_or_else(|| outside.clone(), |it| shown_here(plan, it));
        (root, (outside, shown))
    };
    let there = clusters_there(before).into_iter().map(|(root, outside)| {
        let shown = shown(before, &outside);
        (root, (outside, shown))
    });
    // what is there has commands of the side that it is on
    let clusters: BTreeMap<String, (String, String)> =
        here.chain(grounds(plan, new)).map(name).chain(there).collect();
    for change in found.iter_mut() {
        let Some((cluster, shown)) = clusters.get(&change.root) else { continue };
        let several = clusters.values().any(|(it, _)| it != cluster);
        for command in change.commands.iter_mut().filter(|_| several) {
            if command.starts_with("kubectl ") {
                *command = on(command, shown);
            }
        }
    }
}

/// Says of each command for `kubectl` where its cluster is, of an environment that is no more: who gives it may stand in another one.
pub(super) fn name_places(found: &mut [Change], before: &Before) {
    let clusters = clusters_there(before);
    for change in found.iter_mut() {
        let Some(cluster) = clusters.get(&change.root) else { continue };
        let is_for_it = |command: &&mut String| command.starts_with("kubectl ");
        for command in change.commands.iter_mut().filter(is_for_it) {
            *command = on(command, &shown(before, cluster));
        }
    }
}

/// The cluster of the other side whose objects each folder has, as it is called outside.
fn clusters_there(before: &Before) -> BTreeMap<String, String> {
    let of_queues = before.owners.iter().filter_map(|(path, noun)| {
        let noun = before.nouns.at(noun).filter(|it| it.kind == "cluster")?;
        Some((of_objects(path)?.to_owned(), noun.outside.clone()))
    });
    of_queues.chain(before.grounds.clone()).collect()
}

/// `40-a3m-queues` of the file that lists the objects of a cluster.
fn of_objects(path: &str) -> Option<&str> {
    path.strip_suffix("/kustomization.yaml").filter(|root| !root.contains('/'))
}

/// The cluster that each run of a model is on, as it is called outside, by the folder that the run is started from.
pub(super) fn grounds(plan: &Plan, artifacts: &[Artifact]) -> BTreeMap<String, String> {
    let model = &plan.model;
    let places = model.nouns.iter().filter(|it| it.kind() == "cluster");
    let places: BTreeMap<String, &String> =
        places.filter_map(|it| Some((place(plan, it)?, &it.outside.path))).collect();
    let of_run = artifacts.iter().filter_map(|artifact| {
        let mut nouns = artifact.nouns.iter().filter_map(|id| model.get(*id));
        nouns.next().filter(|noun| noun.kind() == "workload")?;
        let applied = artifact.applied.as_ref().map(|it| named(it, &places));
        let ground = || Some(cluster(&nouns.find(|noun| is_ground(noun.kind()))?.outside.path));
        let ground = applied.or_else(ground)?;
        Some((folder(&artifact.path)?, ground))
    });
    of_run.collect()
}

/// The same of what was built.
pub(super) fn grounds_of_manifest(manifest: &Manifest) -> BTreeMap<String, String> {
    let runs = manifest.nouns.get("workload").map(Vec::as_slice).unwrap_or_default();
    let outside = |path: &String| cluster(manifest.was.get(path).unwrap_or(path));
    let places = manifest.places.iter();
    let places: BTreeMap<String, &String> = places
        .map(|(path, place)| (place.clone(), manifest.was.get(path).unwrap_or(path)))
        .collect();
    let of_run = manifest.artifacts.iter().filter_map(|entry| {
        entry.nouns.first().filter(|run| runs.contains(run))?;
        let is_ground = |path: &&String| {
            let mut kinds = manifest.nouns.iter().filter(|(kind, _)| is_ground(kind));
            kinds.any(|(_, paths)| paths.contains(path))
        };
        let applied = entry.applied.as_ref().map(|it| named(it, &places));
        let ground = || Some(outside(entry.nouns.iter().find(is_ground)?));
        let ground = applied.or_else(ground)?;
        Some((folder(&entry.path)?, ground))
    });
    of_run.collect()
}

/// The cluster that objects are in, as it is called outside: its name in the cloud may be another one.
fn named(applied: &Applied, places: &BTreeMap<String, &String>) -> String {
    let known = applied.place.as_ref().and_then(|it| places.get(it));
    known.map_or_else(|| applied.cluster.clone(), |it| (*it).clone())
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
