//! Reservations that go, are made anew, or hold less: Compute Engine takes no machine back that somebody has.

use crate::{Change, Effect, File, by_root, terraform};
use std::collections::{BTreeMap, BTreeSet};

/// Compute Engine: "Delete reservations", "Troubleshoot reservation updates".
const HAD: &str = "nodes that are had from it go before, and are made again: Compute Engine deletes no reservation of which somebody has machines";
const IN_USE: &str = "nodes that are had from it go before: Compute Engine reserves no fewer machines than somebody has of them";

/// The files of each folder.
type Roots<'a> = BTreeMap<&'a str, Vec<File<'a>>>;

/// Takes nodes away that are had from a reservation, before that is made anew, or smaller.
pub(crate) fn free(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (by_root(before), by_root(after));
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    let making = making(found, &new);
    let ended: BTreeMap<(String, String), Effect> =
        found.iter().filter(|it| it.ends_nodes()).map(|it| (block(it), it.effect)).collect();
    let is_first = |it: &Change| {
        let is_made = making.contains(&it.root);
        goes(it) && (!it.details.is_empty() || is_made) || is_less(it) && is_made
    };
    for change in found.iter_mut().filter(|it| is_first(it)) {
        let own = old.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let Some(name) = terraform::written_name(&change.thing, own) else { continue };
        let goes = goes(change);
        let mut applied = Vec::new();
        for (root, files) in old.iter().filter(|(root, _)| new.contains_key(*root)) {
            let mut targets: BTreeMap<&str, String> = BTreeMap::new();
            for (pool, origin) in terraform::pools_of(&name, files) {
                let at = ((*root).to_owned(), pool);
                let fate = ended.get(&at);
                // of one that holds less, only who leaves it has to go
                if !goes && fate.is_none() || !told.insert(at.clone()) {
                    continue;
                }
                let shrinks = !goes && fate == Some(&Effect::Restarts);
                let targets = targets.entry(if shrinks { "apply" } else { "destroy" });
                *targets.or_default() += &format!(" -target={}", at.1);
                change.takes_along.extend(goes.then_some(origin));
            }
            if targets.is_empty() {
                continue;
            }
            let first =
                targets.iter().map(|(does, of)| format!("terraform -chdir={root} {does}{of}"));
            change.commands.extend(first);
            applied.push(format!("terraform -chdir={root} apply"));
        }
        if !applied.is_empty() {
            let why = if goes { HAD } else { IN_USE };
            let before = Some(&change.why).filter(|it| !it.is_empty());
            change.why = before.map_or_else(|| why.to_owned(), |it| format!("{it}: {why}"));
            change.commands.push(format!("terraform -chdir={} apply", change.root));
            change.commands.extend(applied);
        }
    }
}

/// The folders of which nodes may have something only once they are applied: of what is made there, and of a reservation that grows with its pool.
fn making(found: &[Change], new: &Roots<'_>) -> BTreeSet<String> {
    let grows_with_pool = |it: &Change| {
        let own = new.get(it.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let name = terraform::written_name(&it.thing, own).filter(|_| is_more(it));
        name.is_some_and(|name| {
            let mut pools = new.iter().flat_map(|(root, files)| {
                let pools = terraform::pools_of(&name, files).into_keys();
                pools.map(|pool| ((*root).to_owned(), pool))
            });
            pools.any(|pool| found.iter().any(|it| block(it) == pool))
        })
    };
    let making = found.iter().filter(|it| it.effect == Effect::Adds || grows_with_pool(it));
    making.map(|it| it.root.clone()).collect()
}

/// The folder and the block that a change is of.
fn block(change: &Change) -> (String, String) {
    let block = change.thing.split('[').next().unwrap_or_default();
    (change.root.clone(), block.to_owned())
}

fn is_of(change: &Change) -> bool {
    change.thing.starts_with("google_compute_reservation.")
}

/// Whether one goes, whatever comes in its place.
fn goes(change: &Change) -> bool {
    is_of(change) && change.effect == Effect::Replaces
}

/// Whether less is reserved from then on, or nothing.
pub(crate) fn is_less(change: &Change) -> bool {
    let is_whole = goes(change) && change.details.is_empty();
    is_whole || is_counted(change, |was, is| is < was)
}

/// Whether more is reserved from then on.
fn is_more(change: &Change) -> bool {
    is_counted(change, |was, is| is > was)
}

/// Whether one stays, and its count is another.
fn is_counted(change: &Change, holds: fn(u64, u64) -> bool) -> bool {
    let count = |text: &Option<String>| text.as_ref().and_then(|it| it.parse::<u64>().ok());
    let is_other = change.details.iter().any(|it| {
        it.path.ends_with(".count")
            && count(&it.before).zip(count(&it.after)).is_some_and(|(was, is)| holds(was, is))
    });
    is_of(change) && change.effect == Effect::InPlace && is_other
}
