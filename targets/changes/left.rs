//! What goes with a cluster that is left behind, and where another one takes its place.

use crate::{Change, Effect, File, by_root, toolkit};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster that is left behind while the output has it in another folder is made anew. What is in one that is left behind ends with it.
pub(crate) fn with_clusters(
    left: &mut [Change],
    found: &[Change],
    (before, after): (&[File<'_>], &[File<'_>]),
) {
    let (old, new) = (by_root(before), by_root(after));
    let made = found.iter().filter(|it| it.makes_cluster());
    let made: BTreeMap<&str, &str> =
        made.map(|it| (it.origin.as_str(), it.root.as_str())).collect();
    let ends: BTreeSet<String> =
        left.iter().filter(|it| it.is_left_cluster()).map(|it| it.origin.clone()).collect();
    // what a queue or a pool of it has goes with it
    let goes = |it: &&mut Change| {
        let (cluster, _) = it.origin.split_once(", ").unwrap_or((&it.origin, ""));
        ends.contains(cluster)
    };
    for change in left.iter_mut().filter(goes) {
        if !change.is_left_cluster() {
            change.commands.clear();
            change.why = "the blueprint has them no more: they end with their cluster".to_owned();
        } else if let Some(root) = made.get(change.origin.as_str()) {
            let stored = change.why.split_once("; then ").map_or("", |(_, stored)| stored);
            let stored = if stored.is_empty() { String::new() } else { format!("; then {stored}") };
            change.effect = Effect::Replaces;
            change.why = format!(
                "another one is made in {root}; this one, and what runs there, goes on until somebody takes it away{stored}"
            );
            let sides = old.get(change.root.as_str()).zip(new.get(root));
            let successor =
                sides.and_then(|(old, new)| toolkit::succeeded((&change.root, old), (root, new)));
            if let Some(commands) = successor {
                change.commands = commands;
                if !stored.is_empty() {
                    change.effect = Effect::DestroysData;
                }
                change.why =
                    format!("another one is made in {root}, once this one is taken away{stored}");
            }
        }
    }
}
