//! The same of what only the manifest of a build knows: which runs stood on each noun then, or needed it, and who used which right.

use super::super::former::Former;
use super::super::renamed::Sides;
use super::{
    by_users, carries_runs, ending, ends_all, freed_claims, frees_nodes, goes, is_needed, stops,
    touches_nodes,
};
use slipform_changes::Change;
use std::collections::BTreeSet;

/// The runs that stood on a noun, and end with it, and those that needed it, by the names that they have now.
pub(in crate::plan) fn of_former(
    former: &Former,
    changes: &[Change],
    sides: Sides<'_>,
) -> (Vec<String>, Vec<String>) {
    let called = |runs: BTreeSet<&String>| -> Vec<String> {
        let now: BTreeSet<String> = runs.into_iter().map(|run| called(run, sides)).collect();
        now.into_iter().collect()
    };
    let ends = grounds(former, changes, sides).into_iter().flat_map(|it| ran_on(it, sides));
    (called(ends.collect()), called(needing(former, changes, sides)))
}

/// A run as it is called now, where it is still there.
fn called(run: &str, sides: Sides<'_>) -> String {
    if sides.then.is_some() {
        return run.to_owned();
    }
    let outside = sides.nouns.at(run).map(|it| &it.outside);
    let now = sides.now.zip(outside).and_then(|(plan, outside)| {
        plan.model.nouns.iter().find(|it| it.kind() == "workload" && it.outside.path == *outside)
    });
    now.map_or_else(|| run.to_owned(), |it| it.path.clone())
}

/// What ends or starts anew, with what runs on it.
fn grounds<'a>(former: &'a Former, changes: &[Change], sides: Sides<'a>) -> Vec<&'a Former> {
    let mut found: Vec<&Former> = Vec::new();
    let changes = || ending(changes);
    if changes().any(ends_all) {
        found.extend(sides.nouns.within(former));
    } else if changes().any(|it| touches_nodes(it) && it.partitions.is_empty()) {
        found.push(former);
    }
    let losing: BTreeSet<&String> = changes().flat_map(|it| &it.partitions).collect();
    let is_losing =
        |it: &&Former| it.kind == "partition" && losing.iter().any(|name| it.name() == *name);
    found.extend(sides.nouns.within(former).filter(is_losing));
    let taken: BTreeSet<&String> = changes().flat_map(|it| &it.takes_along).collect();
    let taken = taken.into_iter().filter_map(|origin| sides.former_of(origin));
    found.extend(taken.flat_map(|it| sides.nouns.within(it)));
    found.retain(|it| carries_runs(&it.kind));
    if former.kind == "queue" && changes().any(stops) {
        found.push(former);
    }
    found
}

/// The runs that stood on a noun. Where an older manifest says of none, they are those whose files ask for it by its name.
fn ran_on<'a>(former: &'a Former, sides: Sides<'a>) -> Vec<&'a String> {
    match former.runs.is_empty() && !sides.nouns.tell_runs() {
        true => asking(former, sides),
        false => former.runs.iter().collect(),
    }
}

fn asking<'a>(former: &Former, sides: Sides<'a>) -> Vec<&'a String> {
    let name = former.name();
    let asks = |line: &str| match former.kind.as_str() {
        "partition" => line
            .strip_prefix("#SBATCH --partition=")
            .is_some_and(|asked| asked.trim().split(',').any(|it| it == name)),
        "pool" => line.trim().strip_prefix(ON_POOL).is_some_and(|it| it.trim_matches('\'') == name),
        _ => false,
    };
    let files = sides.files.iter().filter(|(_, text)| text.lines().any(asks));
    files.filter_map(|(path, _)| sides.former_run(path)).map(|it| &it.path).collect()
}

/// How a pod asks for nodes of one pool.
const ON_POOL: &str = "cloud.google.com/gke-nodepool: ";

/// The runs that needed what goes of a noun.
fn needing<'a>(former: &'a Former, changes: &[Change], sides: Sides<'a>) -> BTreeSet<&'a String> {
    let gone: Vec<&Change> = changes.iter().filter(|it| goes(it)).collect();
    let mut found: BTreeSet<&String> = mounting(&gone, sides);
    if former.kind == "pool" && changes.iter().any(frees_nodes) {
        found.extend(&former.runs);
    }
    let (known, untold) = by_users(&gone, sides);
    found.extend(known);
    if untold.into_iter().any(|it| is_needed(&former.kind, it)) {
        match carries_runs(&former.kind) {
            // the account of its nodes
            true => found.extend(sides.nouns.within(former).flat_map(|it| &it.runs)),
            false => found.extend(&former.runs),
        }
    }
    found
}

/// The runs whose pods mounted a claim that is deleted, in the cluster that it is deleted in.
fn mounting<'a>(gone: &[&Change], sides: Sides<'a>) -> BTreeSet<&'a String> {
    let claims: Vec<_> = freed_claims(gone, sides).collect();
    let mounts = |run: &Former, text: &str| {
        let has = |line: String| text.lines().any(|it| it.trim() == line);
        claims.iter().any(|(cluster, namespace, name)| {
            let mut grounds = cluster.iter().flat_map(|it| sides.nouns.within(it));
            (cluster.is_none() || grounds.any(|it| it.runs.contains(&run.path)))
                && has(format!("namespace: {namespace}"))
                && has(format!("claimName: {name}"))
        })
    };
    let files = sides.files.iter().filter(|(path, _)| path.ends_with(".yaml"));
    let runs = files.filter_map(|(path, text)| Some((sides.former_run(path)?, text)));
    runs.filter(|(run, text)| mounts(run, text)).map(|(run, _)| &run.path).collect()
}

/// The runs that have rights which go with what is of no noun, such as a whole folder.
pub(in crate::plan) fn using(changes: &[Change], sides: Sides<'_>) -> Vec<String> {
    let gone: Vec<&Change> = changes.iter().filter(|it| goes(it)).collect();
    let (known, _) = by_users(&gone, sides);
    let names: BTreeSet<String> = known.into_iter().map(|run| called(run, sides)).collect();
    names.into_iter().collect()
}
