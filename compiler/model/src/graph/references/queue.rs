//! What queues refer to, and what is said of Kueue and of teams.

use super::{References, Refers};
use crate::graph::EdgeKind;
use crate::nouns::{Backoff, Check, Cohort, Flavor, Kueue, ObjectName, Queue, Requeue, Team};
use slipform_source::Spanned;

impl Refers for Queue {
    fn refer(&self, to: &mut References) {
        let Self {
            pools,
            namespaces: _,
            quota: _,
            name: _,
            local_name: _,
            local_names: _,
            open_to: _,
            flavors,
            cohort,
            next_before,
            preemption,
            by_use: _,
            strict: _,
            stop,
            checks,
            workers,
            priorities: _,
        } = self;
        to.all(EdgeKind::Uses, pools);
        flavors.iter().for_each(|flavor| flavor.refer(to));
        checks.iter().for_each(|check| check.refer(to));
        to.all(EdgeKind::Uses, workers);
        cohort.refer(to);
        next_before.iter().for_each(|step| step.refer(to));
        preemption.refer(to);
        stop.refer(to);
    }
}

impl Refers for Spanned<Check> {
    fn refer(&self, to: &mut References) {
        let pools = match &self.value {
            Check::String(_) => return,
            Check::Check { name: _, controller: _, parameters, pools } => {
                parameters.refer(to);
                pools
            }
            Check::Provisioning { name: _, class: _, parameters: _, retry, pools } => {
                retry.refer(to);
                pools
            }
        };
        pools.iter().for_each(|pool| to.to(EdgeKind::Uses, *pool, self.span));
    }
}

impl Refers for ObjectName {
    fn refer(&self, _to: &mut References) {
        let Self::Object { group: _, kind: _, name: _ } = self;
    }
}

impl Refers for Backoff {
    fn refer(&self, _to: &mut References) {
        let Self::Backoff { limit: _, base: _, max: _ } = self;
    }
}

impl Refers for Cohort {
    fn refer(&self, to: &mut References) {
        match self {
            Self::String(_) => {}
            Self::Cohort { name: _, lend: _, borrow: _, weight: _, reclaim, displace } => {
                reclaim.refer(to);
                displace.refer(to);
            }
        }
    }
}

impl Refers for Flavor {
    fn refer(&self, to: &mut References) {
        let Self::Flavor {
            pools,
            name: _,
            quota,
            lend,
            borrow,
            labels: _,
            unlabelled: _,
            taints: _,
            tolerates: _,
            class: _,
        } = self;
        to.all(EdgeKind::Uses, pools);
        quota.refer(to);
        lend.refer(to);
        borrow.refer(to);
    }
}

impl Refers for Kueue {
    fn refer(&self, to: &mut References) {
        let Self::Kueue {
            ready_within,
            recovered_within: _,
            one_at_a_time: _,
            requeue,
            fair_sharing: _,
            fair_by,
            unqueued_jobs,
            keep_finished: _,
            integrations: _,
            topology,
            version: _,
            devices: _,
            parts,
            counts_as,
        } = self;
        parts.values().for_each(|part| part.refer(to));
        counts_as.values().for_each(|counted| counted.refer(to));
        unqueued_jobs.refer(to);
        topology.refer(to);
        ready_within.refer(to);
        requeue.refer(to);
        fair_by.refer(to);
    }
}

impl Refers for Requeue {
    fn refer(&self, to: &mut References) {
        let Self::Requeue { limit: _, base: _, max: _, place } = self;
        place.refer(to);
    }
}

impl Refers for Team {
    fn refer(&self, _to: &mut References) {
        let Self::Team {
            members: _,
            made: _,
            isolated: _,
            runs: _,
            pods: _,
            services: _,
            claims: _,
        } = self;
    }
}
