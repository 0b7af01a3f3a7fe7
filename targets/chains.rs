//! Jobs that are submitted one behind the other, since each waits in the queue for those before it.

use slipform_model::nouns::{Ref, Workload};
use slipform_model::plan::{Planned, Sound};
use std::collections::BTreeSet;

/// The workloads whose jobs a job waits for.
pub(crate) fn waits(workload: Planned<'_, Workload>) -> impl Iterator<Item = Ref<Workload>> {
    workload.body.batch.value.dependency.iter().filter_map(|it| it.value.workload())
}

/// What is submitted before a workload that no other one waits for, each behind what it waits for itself, and the workload last.
/// Nothing where it waits for no other.
pub(crate) fn before<'a>(
    plan: Sound<'a>,
    last: Planned<'a, Workload>,
) -> Option<Vec<Planned<'a, Workload>>> {
    let awaited = || plan.all::<Workload>().any(|it| waits(it).any(|it| it == last.noun.id));
    if waits(last).next().is_none() || awaited() {
        return None;
    }
    // each is met once, also in a circle that is allowed
    let mut seen = BTreeSet::from([last.noun.id]);
    let mut open = vec![(last, waits(last).collect::<Vec<_>>())];
    let mut order = Vec::new();
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
    Some(order)
}
