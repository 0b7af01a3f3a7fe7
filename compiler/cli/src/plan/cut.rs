//! Runs that go on when a change is applied, and do not start again as they are.

use super::groups::{Group, reached};
use super::renamed::Sides;
use slipform_changes::{Change, Effect};
use std::collections::BTreeSet;

/// Tells with a pool which of its runs a taint cuts off: those that no change starts anew, with what they tolerate then.
pub(super) fn off(groups: &mut [Group], sides: Sides<'_>) {
    let is_anew = |it: &&Group| it.changes.iter().any(|it| !it.commands.is_empty());
    let anew = groups.iter().filter(is_anew).filter_map(|it| it.noun.strip_prefix("workload "));
    let anew: BTreeSet<String> = anew.map(str::to_owned).collect();
    for group in groups.iter_mut().filter(|it| it.changes.iter().any(Change::taints)) {
        let tainted = group.changes.iter().filter(|it| it.taints());
        let tainted: Vec<Change> =
            tainted.map(|it| Change { effect: Effect::Restarts, ..it.clone() }).collect();
        let nouns = sides.of_origin(&group.origin);
        let (mut cut, _) = reached(&group.origin, &tainted, nouns, sides);
        cut.retain(|it| !anew.contains(it) && !group.ends.contains(it));
        if cut.is_empty() {
            continue;
        }
        group.ends.append(&mut cut);
        group.ends.sort();
        group.effect = group.effect.min(Effect::Restarts);
        for change in group.changes.iter_mut().filter(|it| it.taints()) {
            change.effect = change.effect.min(Effect::Restarts);
        }
    }
}
