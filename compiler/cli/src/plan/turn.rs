//! In which order folders are applied.

use slipform_changes::{Change, Effect};
use std::collections::BTreeSet;

/// Folders in the order of their names, but that what uses something is applied before the folder that takes it away. One which makes something, too, also
/// in the place of what was there, may have what is used from then on.
pub(super) fn in_turn(folders: BTreeSet<String>, found: &[Change]) -> Vec<String> {
    let mut all: Vec<String> = folders.into_iter().collect();
    for (leaves, goes) in TAKEN_LAST {
        let users: BTreeSet<&String> =
            found.iter().filter(|it| leaves(it)).map(|it| &it.root).collect();
        let goes_from = |root: &String| {
            let of_it = || found.iter().filter(|it| it.root == *root);
            !users.is_empty()
                && !users.contains(root)
                && of_it().any(goes)
                && !of_it().any(|it| makes(it) && !goes(it))
        };
        let (mut late, rest): (Vec<String>, Vec<String>) = all.into_iter().partition(goes_from);
        let behind = rest.iter().rposition(|it| users.contains(it)).map_or(0, |at| at + 1);
        all = rest;
        all.splice(behind..behind, late.drain(..));
    }
    all
}

/// What is asked of a change.
type Asked = fn(&Change) -> bool;

/// What is used no more after one change, and goes with another.
const TAKEN_LAST: [(Asked, Asked); 5] = [
    (Change::unmounts, |it| it.effect == Effect::DestroysData || takes_away(it)),
    (Change::acts_otherwise, Change::ends_account),
    (Change::acts_otherwise, takes_away),
    // nodes are removed by who may do so
    (|it| it.thing.starts_with("module ") && it.effect <= Effect::Restarts, takes_away),
    (Change::ends_nodes, Change::reserves_less),
];

/// Whether something is there afterwards that others may look up: what is added, and what takes the place of another.
fn makes(change: &Change) -> bool {
    let is_another = !change.details.is_empty() || change.follows.is_some();
    change.effect == Effect::Adds || change.effect <= Effect::Replaces && is_another
}

/// Whether a right goes and none comes: where another account gets it, that one has to be there before anybody acts as it.
fn takes_away(change: &Change) -> bool {
    change.revokes() && change.follows.is_none()
}
