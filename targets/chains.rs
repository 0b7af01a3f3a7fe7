//! Jobs that are submitted one behind the other, since each waits in the queue for those before it.

use slipform_model::NounId;
use slipform_model::nouns::{Ref, Workload};
use slipform_model::plan::{Planned, Sound};
use std::collections::BTreeSet;

/// The workloads whose jobs a job waits for.
pub(crate) fn waits(workload: Planned<'_, Workload>) -> impl Iterator<Item = Ref<Workload>> {
    workload.body.batch.value.dependency.iter().filter_map(|it| it.value.workload())
}

/// What one script submits that ends with a workload: all that wait for each other, directly or over others, each behind what it waits
/// for itself. Nothing where another one is the last of them, or there is one alone.
pub(crate) fn before<'a>(
    plan: Sound<'a>,
    last: Planned<'a, Workload>,
) -> Option<Vec<Planned<'a, Workload>>> {
    let ends = ends(plan, &joined(plan, last));
    if ends.last()?.noun.id != last.noun.id {
        return None;
    }
    // each is met once, also in a circle that is allowed
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    for end in ends {
        if seen.insert(end.noun.id) {
            submitted(plan, end, &mut seen, &mut order);
        }
    }
    (order.len() > 1).then_some(order)
}

/// A workload, those that it waits for, those that wait for it, and so on.
fn joined(plan: Sound<'_>, one: Planned<'_, Workload>) -> BTreeSet<NounId> {
    let mut found = BTreeSet::from([one.noun.id]);
    let mut seen = 0;
    while seen < found.len() {
        seen = found.len();
        for workload in plan.all::<Workload>() {
            let before: Vec<NounId> = waits(workload).map(Ref::id).collect();
            let of_them = found.contains(&workload.noun.id);
            if of_them || before.iter().any(|it| found.contains(it)) {
                found.insert(workload.noun.id);
                found.extend(before);
            }
        }
    }
    found
}

/// Those of some workloads that no other one waits for; tests come first, since others rest on what they say.
fn ends<'a>(plan: Sound<'a>, of: &BTreeSet<NounId>) -> Vec<Planned<'a, Workload>> {
    let awaited: BTreeSet<NounId> = plan.all().flat_map(waits).map(Ref::id).collect();
    let ends = plan.all::<Workload>();
    let ends = ends.filter(|it| of.contains(&it.noun.id) && !awaited.contains(&it.noun.id));
    let mut ends: Vec<_> = ends.collect();
    ends.sort_by_key(|it| !it.body.test);
    ends
}

/// Adds what a workload waits for, each behind what it waits for itself, and the workload.
fn submitted<'a>(
    plan: Sound<'a>,
    last: Planned<'a, Workload>,
    seen: &mut BTreeSet<NounId>,
    order: &mut Vec<Planned<'a, Workload>>,
) {
    let mut open = vec![(last, waits(last).collect::<Vec<_>>())];
    while let Some((workload, mut before)) = open.pop() {
        let Some(next) = before.pop() else {
            order.push(workload);
            continue;
        };
        open.push((workload, before));
        if seen.insert(next.id()) {
            let next = plan.get(next);
            open.push((next, waits(next).collect()));
        }
    }
}
