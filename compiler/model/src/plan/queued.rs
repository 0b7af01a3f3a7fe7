//! Which jobs of Slurm wait in the queue for which others.

use super::Plan;
use crate::NounId;
use crate::nouns::{Dependency, Kind, Workload};
use std::collections::BTreeSet;

impl Plan {
    /// The workloads whose jobs the job of a workload waits for, and those that these wait for; it is among them where they wait
    /// in a circle.
    pub fn queued_behind(&self, id: NounId) -> BTreeSet<NounId> {
        self.before(id, |_| true)
    }

    /// Those of them whose jobs have ended when that of the workload starts.
    pub fn ended_before(&self, id: NounId) -> BTreeSet<NounId> {
        self.before(id, Dependency::awaits_end)
    }

    /// What is reached from a workload by dependencies that count.
    fn before(&self, id: NounId, counts: impl Fn(Dependency) -> bool) -> BTreeSet<NounId> {
        let next = |id: NounId| {
            let body = self.model.get(id).and_then(|noun| Workload::of(&noun.body));
            let batch = body.map(|body| &body.batch.value);
            // of several of which one is enough, none is sure to have ended
            let batch = batch.filter(|it| !it.any_dependency || it.dependency.len() == 1);
            let all = batch.into_iter().flat_map(|batch| &batch.dependency);
            let all = all.map(|it| it.value).filter(|it| counts(*it));
            all.filter_map(|it| Some(it.workload()?.id())).collect::<Vec<_>>()
        };
        let mut open = next(id);
        let mut seen = BTreeSet::new();
        while let Some(one) = open.pop() {
            if seen.insert(one) {
                open.extend(next(one));
            }
        }
        seen
    }
}
