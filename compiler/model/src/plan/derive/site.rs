//! Where a workload runs, and who it is there.

use crate::graph::Admission;
use crate::nouns::{Choice, GkeCluster, Place, Queue, Ref, Workload};
use crate::plan::{GkeSite, Plan, Site, SlurmSite, VertexSite};

pub(crate) fn site(plan: &Plan, workload: &Workload, queues: &Admission) -> Option<Site> {
    Some(match workload.place.value {
        Place::Pool(pool) => {
            let (cluster, queue) = (plan.pool(pool)?.cluster, queues.queue(workload));
            Site::Gke(GkeSite {
                pool,
                cluster,
                namespace: namespace(plan, workload, cluster, queue),
                queue,
                other_queue: queues.other(workload),
                priority: priority(plan, workload, queue),
            })
        }
        Place::Partition(partition) => {
            Site::Slurm(SlurmSite { partition, cluster: plan.partition(partition)?.cluster })
        }
        Place::Vertex(cluster) => Site::Vertex(VertexSite { cluster }),
    })
}

fn namespace(
    plan: &Plan,
    workload: &Workload,
    cluster: Ref<GkeCluster>,
    queue: Option<Ref<Queue>>,
) -> String {
    if let Choice::Set(namespace) = &workload.namespace {
        return namespace.value.clone();
    }
    let of_queue = queue_of(plan, queue)
        .and_then(|queue| queue.namespaces.first())
        .map(|namespace| namespace.value.clone());
    let of_cluster = || Some(plan.model.body(cluster)?.namespace.clone());
    of_queue.or_else(of_cluster).unwrap_or_else(|| "default".to_owned())
}

/// What a queue says.
pub(crate) fn queue_of(plan: &Plan, queue: Option<Ref<Queue>>) -> Option<&Queue> {
    plan.model.body(queue?)
}

/// The priority that a workload asks for, or else the one in the middle of its queue's: Kueue would sort a workload
/// without any behind the lowest.
fn priority(plan: &Plan, workload: &Workload, queue: Option<Ref<Queue>>) -> Option<String> {
    if let Some(priority) = &workload.priority {
        return Some(priority.value.clone());
    }
    let mut known: Vec<_> = queue_of(plan, queue)?.priorities.iter().collect();
    known.sort_by_key(|(_, weight)| **weight);
    let middle = known.len().checked_sub(1)? / 2;
    known.get(middle).map(|(name, _)| (*name).clone())
}
