//! Where a cluster runs what is its own: JobSet, Kueue, DNS.

use crate::NounId;
use crate::catalog::MachineKind;
use crate::nouns::{Body, Capacity};
use crate::plan::{Plan, PoolPlan};
use std::collections::{BTreeMap, BTreeSet};

/// The clusters that get a pool for what they run themselves: those that are made here, none of whose own pools has nodes
/// for that.
pub(super) fn clusters(plan: &Plan) -> BTreeSet<NounId> {
    let taken = Taken::of(plan);
    let made = plan.model.gke_clusters().filter(|(noun, _)| !noun.existing);
    let without = made.filter(|(noun, _)| {
        !plan.children(noun.id).iter().any(|pool| taken.leaves_room(plan, *pool))
    });
    without.map(|(noun, _)| noun.id).collect()
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

/// Nodes that take any pod.
fn is_plain(pool: &PoolPlan) -> bool {
    pool.machine.kind == MachineKind::Cpu && pool.taints.is_empty()
}

/// One node at least is always there, and nobody takes it away.
fn stays(plan: &Plan, id: NounId, pool: &PoolPlan) -> bool {
    let Some(Body::Pool(body)) = plan.model.get(id).map(|noun| &noun.body) else { return false };
    let kept = matches!(body.capacity.value, Capacity::OnDemand | Capacity::Reservation { .. });
    kept && pool.nodes.0 > 0
}

/// The most pods of workloads and side jobs that are on each pool at once.
fn pods(plan: &Plan) -> BTreeMap<NounId, i64> {
    let mut pods: BTreeMap<NounId, i64> = BTreeMap::new();
    let mut add = |pool: NounId, count: i64| {
        let all = pods.entry(pool).or_default();
        *all = all.saturating_add(count);
    };
    for (_, run) in plan.workloads() {
        for gang in run.gangs() {
            gang.selection.pools.iter().for_each(|pool| add(*pool, gang.nodes));
        }
    }
    pods
}

#[cfg(test)]
mod tests {
    use crate::Value;
    use crate::plan::fixture::{Blueprint, Made, lit, range, variant};

    /// Whether a cluster with one pool besides that of GPUs gets one for itself, once something was done with it.
    fn needed(
        machine: &str,
        fields: &[(&str, Value)],
        used: impl Fn(&mut Blueprint, Made, Made, Made),
    ) -> bool {
        let mut blueprint = Blueprint::new();
        let network = blueprint.network("fabric", &[]);
        let cluster = blueprint.gke("a3m", network, &[]);
        let gpus = blueprint.pool("a3m.g", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
        let cpus = blueprint.pool("a3m.cpus", cluster, machine, fields);
        used(&mut blueprint, cluster, gpus, cpus);
        blueprint.plan().cluster(cluster.id).unwrap().system_pool
    }

    fn unused(_: &mut Blueprint, _: Made, _: Made, _: Made) {}

    fn nodes(nodes: Value) -> [(&'static str, Value); 1] {
        [("nodes", nodes)]
    }

    #[test]
    fn a_pool_of_cpus_whose_nodes_stay_takes_its_place() {
        assert!(!needed("n2-standard-8", &nodes(1.into()), unused));
        assert!(!needed("n2-standard-8", &nodes(range(1, 4)), unused));
        let reserved =
            [("nodes", 1.into()), ("capacity", variant("reservation", &[("name", "r".into())]))];
        assert!(!needed("n2-standard-8", &reserved, unused));
    }

    #[test]
    fn nodes_that_go_do_not() {
        assert!(needed("n2-standard-8", &nodes(range(0, 4)), unused));
        let week = [("max", lit("7d"))];
        for capacity in
            [variant("spot", &[]), variant("flex_start", &week), variant("queued", &week)]
        {
            assert!(needed(
                "n2-standard-8",
                &[("nodes", 2.into()), ("capacity", capacity)],
                unused
            ));
        }
        assert!(needed(
            "n2-standard-8",
            &[("nodes", 2.into()), ("autoscale", true.into())],
            unused
        ));
    }

    #[test]
    fn nodes_that_are_too_small_do_not() {
        assert!(needed("e2-medium", &nodes(2.into()), unused));
        assert!(!needed("e2-medium", &nodes(3.into()), unused));
    }

    #[test]
    fn a_node_is_left_for_it() {
        let workload = |count: i64| {
            move |blueprint: &mut Blueprint, _: Made, _: Made, cpus: Made| {
                blueprint.workload("w", cpus, &[("nodes", count.into())]);
            }
        };
        assert!(needed("n2-standard-8", &nodes(2.into()), workload(2)));
        assert!(!needed("n2-standard-8", &nodes(3.into()), workload(2)));
        let beside = |blueprint: &mut Blueprint, _: Made, gpus: Made, cpus: Made| {
            let workload = blueprint.workload("w", gpus, &[]);
            blueprint.side_job("w.board", workload, cpus, &[]);
        };
        assert!(needed("n2-standard-8", &nodes(1.into()), beside));
        assert!(!needed("n2-standard-8", &nodes(2.into()), beside));
    }

    #[test]
    fn a_queue_may_fill_all_nodes() {
        let queue = |blueprint: &mut Blueprint, cluster: Made, gpus: Made, cpus: Made| {
            blueprint.queue("a3m.q", cluster, &[gpus, cpus], &[]);
        };
        assert!(needed("n2-standard-8", &nodes(9.into()), queue));
    }

    #[test]
    fn a_cluster_that_exists_has_its_own() {
        let mut blueprint = Blueprint::new();
        let network = blueprint.network("fabric", &[]);
        let cluster = blueprint.gke("a3m", network, &[]);
        blueprint.existing(cluster);
        assert!(!blueprint.plan().cluster(cluster.id).unwrap().system_pool);
    }
}
