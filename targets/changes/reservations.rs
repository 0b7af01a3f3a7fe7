//! Reservations that go, are made anew, or hold less: Compute Engine takes no machine back that somebody has.

use crate::{Change, Effect, File, by_root, terraform};
use std::collections::BTreeSet;

/// Compute Engine: "Delete reservations", "Troubleshoot reservation updates".
const HAD: &str = "nodes that are had from it go before, and are made again: Compute Engine deletes no reservation of which somebody has machines";

/// Takes pools away whose nodes are had from a reservation, before that is made anew.
pub(crate) fn free(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (by_root(before), by_root(after));
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    // where something is made, too, nodes cannot leave it before the folder is applied
    let making = found.iter().filter(|it| it.effect == Effect::Adds);
    let making: BTreeSet<String> = making.map(|it| it.root.clone()).collect();
    let is_first = |it: &Change| goes(it) && (!it.details.is_empty() || making.contains(&it.root));
    for change in found.iter_mut().filter(|it| is_first(it)) {
        let own = old.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let Some(name) = terraform::written_name(&change.thing, own) else { continue };
        let mut applied = Vec::new();
        for (root, files) in old.iter().filter(|(root, _)| new.contains_key(*root)) {
            let pools = terraform::pools_of(&name, files).into_iter();
            let pools = pools.filter(|(it, _)| told.insert(((*root).to_owned(), it.clone())));
            let (pools, origins): (Vec<String>, Vec<String>) = pools.unzip();
            if pools.is_empty() {
                continue;
            }
            let targets: String = pools.iter().map(|it| format!(" -target={it}")).collect();
            change.takes_along.extend(origins);
            change.commands.push(format!("terraform -chdir={root} destroy{targets}"));
            applied.push(format!("terraform -chdir={root} apply"));
        }
        if !applied.is_empty() {
            change.why = format!("{}: {HAD}", change.why);
            change.commands.push(format!("terraform -chdir={} apply", change.root));
            change.commands.extend(applied);
        }
    }
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
    let count = |text: &Option<String>| text.as_ref().and_then(|it| it.parse::<u64>().ok());
    let is_fewer = change.details.iter().any(|it| {
        it.path.ends_with(".count")
            && count(&it.before).zip(count(&it.after)).is_some_and(|(was, is)| is < was)
    });
    let is_whole = goes(change) && change.details.is_empty();
    is_whole || is_of(change) && change.effect == Effect::InPlace && is_fewer
}
