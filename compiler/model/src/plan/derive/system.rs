//! Where a cluster runs what is its own: JobSet, Kueue, DNS.

use crate::catalog::MachineKind;
use crate::nouns::{Body, Capacity, GkeCluster};
use crate::plan::{Plan, PoolPlan, SystemPool};
use crate::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// How few and how many nodes a cluster has for itself.
const NODES: (i64, i64) = (1, 6);

/// The pools that clusters get for what they run themselves: those that are made here, none of whose own pools has nodes for
/// that.
pub(super) fn pools(plan: &Plan) -> Vec<(NounId, SystemPool)> {
    let taken = Taken::of(plan);
    let made = plan.model.gke_clusters().filter(|(noun, _)| !noun.existing);
    let without = made.filter(|(noun, _)| {
        !plan.children(noun.id).iter().any(|pool| taken.leaves_room(plan, *pool))
    });
    let pool = |(noun, cluster): (&Noun, &GkeCluster)| {
        let machine = plan.model.catalog.machine(&cluster.system_machine.value)?.clone();
        Some((noun.id, SystemPool { machine, nodes: NODES }))
    };
    without.filter_map(pool).collect()
}

/// What workloads may take of pools.
struct Taken {
    /// The most pods that are on a pool at once.
    pods: BTreeMap<NounId, i64>,
    /// Pools of queues: who is let in is not known, and may take all.
    queued: BTreeSet<NounId>,
}

impl Taken {
    fn of(plan: &Plan) -> Self {
        let queues = plan.model.queues();
        let queued =
            queues.flat_map(|(_, queue)| queue.pools.iter().map(|it| it.value.id())).collect();
        Self { pods: pods(plan), queued }
    }

    /// Whether a pool has nodes for what a cluster runs itself, whatever else runs there: machines that anything may run
    /// on, one of which is always there, and room on those that are left when every pod has a node to itself.
    fn leaves_room(&self, plan: &Plan, id: NounId) -> bool {
        let Some(pool) = plan.pool(id) else { return false };
        let facts = plan.model.catalog.kubernetes();
        let pods = self.pods.get(&id).copied().unwrap_or(0);
        let left = pool.max_nodes().saturating_sub(pods).max(0);
        let daemons = i64::from(facts.daemon_millicpus);
        let of_node = pool.allocatable.millicpus.saturating_sub(daemons).max(0);
        is_plain(pool)
            && stays(plan, id, pool)
            && !self.queued.contains(&id)
            && left.saturating_mul(of_node) >= i64::from(facts.system_millicpus)
    }
}

/// Nodes that take any pod, and were made for any: those with a card for RDMA are one program's on all of their processors.
fn is_plain(pool: &PoolPlan) -> bool {
    let machine = &pool.machine;
    machine.kind == MachineKind::Cpu && !machine.network.has_rdma_card() && pool.taints.is_empty()
}

/// One node at least is always there, and nobody takes it away.
fn stays(plan: &Plan, id: NounId, pool: &PoolPlan) -> bool {
    let Some(Body::Pool(body)) = plan.model.get(id).map(|noun| &noun.body) else { return false };
    let kept = matches!(
        body.capacity.value,
        Capacity::OnDemand | Capacity::Reservation { .. } | Capacity::AnyReservation
    );
    kept && pool.nodes.0 > 0
}

/// The most pods of workloads and groups that are on each pool at once.
fn pods(plan: &Plan) -> BTreeMap<NounId, i64> {
    let mut pods: BTreeMap<NounId, i64> = BTreeMap::new();
    let mut add = |pool: NounId, count: i64| {
        let all = pods.entry(pool).or_default();
        *all = all.saturating_add(count);
    };
    for (_, run) in plan.workloads() {
        for gang in run.gangs() {
            gang.pod.selection.ids().for_each(|pool| add(pool, gang.nodes));
        }
    }
    pods
}
