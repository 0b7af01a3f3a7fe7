//! Where a workload runs, and who it is there.

use super::gang::{Part, Sized, shares};
use super::vertex::reducers;
use crate::NounId;
use crate::graph::Admission;
use crate::nouns::{Choice, GkeCluster, Group, GroupPart, Kind, Place, Queue, Ref, Workload};
use crate::plan::{Berth, Component, GkeSite, Plan, Site, SlurmSite, VertexSite};
use std::collections::BTreeMap;

pub(crate) fn site(
    plan: &Plan,
    workload: &Workload,
    gangs: &[Sized<'_>],
    queues: &Admission,
) -> Option<Site> {
    Some(match workload.place.value {
        Place::Pool(pool) => {
            let cluster = plan.pool(pool)?.cluster;
            let queue = queues.queue(workload).or_else(|| queues.unread(cluster));
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
            let cluster = plan.partition(partition)?.cluster;
            Site::Slurm(SlurmSite { partition, cluster, components: components(gangs) })
        }
        Place::Vertex(cluster) => {
            let parts = parts(workload, gangs);
            let reducers = reducers(plan, workload, gangs, &parts).map(Box::new);
            let named = plan.model.body(cluster).and_then(|it| it.tensorboard.as_ref());
            let named = named.filter(|_| workload.dashboard.is_none());
            let tensorboard = named.map(|it| it.value.clone());
            Site::Vertex(VertexSite { cluster, parts, tensorboard, reducers })
        }
    })
}

/// What groups are to a job: first those that say it, then the others as they come. The nodes of the workload besides its first
/// are the workers themselves, and machines that reduce are the servers.
fn parts(workload: &Workload, gangs: &[Sized<'_>]) -> BTreeMap<NounId, GroupPart> {
    let Some((lead, groups)) = gangs.split_first() else { return BTreeMap::new() };
    let mut free = GroupPart::ALL.to_vec();
    free.retain(|part| match part {
        GroupPart::Workers => lead.extent.nodes == 1,
        GroupPart::Servers => workload.reduction_server.is_none(),
        GroupPart::Evaluators => true,
    });
    let said = |group: &Sized<'_>| Group::of(&group.noun.body)?.part.set().map(|part| part.value);
    let mut parts = BTreeMap::new();
    let (sure, others): (Vec<_>, Vec<_>) = groups.iter().partition(|it| said(it).is_some());
    for group in sure.into_iter().chain(others) {
        let said = said(group);
        if let Some(at) = free.iter().position(|part| said.is_none_or(|said| said == *part)) {
            parts.insert(group.noun.id, free.remove(at));
        }
    }
    parts
}

/// The gangs of each partition on nodes of its own, one behind the other. Helpers that ask for a part of a node are on the first
/// of these, beside the others.
fn components(gangs: &[Sized<'_>]) -> Vec<Component> {
    let mut components: Vec<Component> = Vec::new();
    for gang in gangs {
        let partition = match gang.ground.place {
            Place::Partition(partition) => partition,
            Place::Pool(_) | Place::Vertex(_) => continue,
        };
        let at = components.iter().position(|it| it.partition == partition).unwrap_or_else(|| {
            components.push(Component { partition, nodes: 0, berths: Vec::new() });
            components.len() - 1
        });
        let Some(component) = components.get_mut(at) else { continue };
        let shared = gang.part == Part::Helps && shares(&gang.own);
        let first = if shared { 0 } else { own_nodes(component, gangs) };
        component.berths.push(Berth {
            gang: gang.noun.id,
            first,
            shared,
            cpus: gang.own.cpus,
            memory: gang.own.memory,
        });
        let end = first.saturating_add(gang.extent.nodes);
        component.nodes = component.nodes.max(end);
    }
    components
}

/// Nodes of a component that gangs have for themselves so far.
fn own_nodes(component: &Component, gangs: &[Sized<'_>]) -> i64 {
    let own = component.berths.iter().filter(|berth| !berth.shared);
    let nodes = own.filter_map(|berth| gangs.iter().find(|it| it.noun.id == berth.gang));
    nodes.fold(0, |all, gang| all.saturating_add(gang.extent.nodes))
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
/// without any behind the lowest. What priorities a queue of someone else has is theirs to say.
fn priority(plan: &Plan, workload: &Workload, queue: Option<Ref<Queue>>) -> Option<String> {
    if let Some(priority) = &workload.priority {
        return Some(priority.value.clone());
    }
    if plan.model.get(queue?.id())?.existing {
        return None;
    }
    let mut known: Vec<_> = queue_of(plan, queue)?.priorities.iter().collect();
    known.sort_by_key(|(_, weight)| **weight);
    let middle = known.len().checked_sub(1)? / 2;
    known.get(middle).map(|(name, _)| (*name).clone())
}
