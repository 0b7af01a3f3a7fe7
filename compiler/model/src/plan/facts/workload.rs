//! Facts of workloads and side jobs.

use super::mounts::{same_folder, taken_paths};
use super::pool::scratch_room;
use super::told::{self, Admits};
use super::{MADE, NAME_BUDGET, NAME_CLASH, Table, fact};
use crate::nouns::{Body, Capacity, ImageUse, Queue, Ref, Workload};
use crate::plan::derive::{
    Shortage, cramped, grantable, model_parallel, raised_quota, stranger, unserved,
};
use crate::plan::{Misfit, Place, Plan, Resource, Run};
use crate::{Duration, NounId};
use std::collections::BTreeMap;

pub(super) const WORKLOAD: Table = Table {
    kind: "workload",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH],
    rows: &[
        &fact("chips", |plan, id| Some(plan.workload(id)?.chips)),
        &fact("world_size", |plan, id| Some(plan.workload(id)?.lead().world_size)),
        &fact("processes_per_node", |plan, id| Some(plan.workload(id)?.lead().processes_per_node)),
        &fact("data_parallel", |plan, id| Some(plan.workload(id)?.data_parallel)),
        &fact("rendezvous", |plan, id| Some(plan.workload(id)?.lead().rendezvous.clone())),
        &fact("spec", |plan, id| plan.machine_fact(plan.workload(id)?.site.place().id())),
        &fact("nics", |plan, id| plan.nics_fact(plan.workload(id)?.site.place().id())),
        &fact("slice", |plan, id| plan.slice_fact(plan.workload(id)?.site.place().id())),
        &fact("platform", |plan, id| Some(plan.workload(id)?.site.place())),
        &fact("total_nodes", |plan, id| Some(plan.workload(id)?.lead().nodes)),
        &fact("nodes_per_slice", |plan, id| Some(plan.workload(id)?.lead().nodes_per_slice)),
        &fact("chips_per_node", |plan, id| Some(plan.workload(id)?.lead().chips_per_node)),
        &fact("model_parallel", |plan, id| Some(model_parallel(&both(plan, id)?.0.parallel.value))),
        &fact("room", |plan, id| Some(room(plan, plan.workload(id)?.site.place()))),
        &fact("slice_room", |plan, id| {
            Some(match plan.workload(id)?.site.place() {
                Place::Pool(pool) => plan.pool(pool).map(|pool| pool.node_pools.len() as i64),
                Place::Partition(_) | Place::Vertex(_) => None,
            })
        }),
        &fact("capacity", |plan, id| {
            Some(capacity(plan, plan.workload(id)?.site.place().id()).cloned())
        }),
        &fact("places", |plan, id| {
            let admits = |id: NounId| match plan.model.get(id)?.body {
                Body::VertexCluster(_) => Some(Admits::Cluster(id)),
                _ => Some(Admits::Pool(id)),
            };
            Some(places(plan, id)?.into_iter().filter_map(admits).collect::<Vec<_>>())
        }),
        &fact("misfits", |plan, id| Some(plan.workload(id)?.lead().misfits.clone())),
        &fact("longest_run", longest_run),
        &fact("admitted_by", |plan, id| Some(plan.workload(id)?.queue())),
        &fact("other_queue", |plan, id| {
            Some(plan.workload(id)?.gke().and_then(|site| site.other_queue))
        }),
        &fact("in_namespace", |plan, id| {
            let site = plan.workload(id)?.gke();
            Some(site.map_or_else(String::new, |site| site.namespace.clone()))
        }),
        &fact("uses_fabric", |plan, id| Some(plan.workload(id)?.lead().fabric)),
        &fact("owned_env", owned_env),
        &fact("shared_memory_size", |plan, id| Some(plan.workload(id)?.lead().shared_memory)),
        &fact("scratch_size", |plan, id| Some(plan.program(id)?.scratch())),
        &fact("taken_paths", taken_paths),
        &fact("same_folder", |plan, id| Some(same_folder(plan, id))),
        &fact("scratch_room", |plan, id| {
            Some(match plan.workload(id)?.site.place() {
                Place::Pool(pool) => plan.pool(pool).map(scratch_room),
                Place::Partition(_) | Place::Vertex(_) => None,
            })
        }),
        &fact("asked", |plan, id| {
            let workload = plan.workload(id)?;
            Some(workload.lead().request.times(workload.lead().nodes).devices)
        }),
        &fact("grantable", |plan, id| Some(grantable(plan, plan.workload(id)?))),
        &fact("raised_quota", |plan, id| Some(raised_quota(plan, plan.workload(id)?))),
        &fact("rival", |plan, id| {
            let workload = plan.workload(id)?;
            let rival = workload.queue().and_then(|queue| {
                stranger(plan, queue.id(), &workload.lead().selection.pools, Resource::Devices)
            });
            Some(rival.map(Ref::<Queue>::to))
        }),
        &fact("unserved", |plan, id| Some(shortage(plan, unserved(plan, plan.workload(id)?)))),
        &fact("cramped", |plan, id| Some(shortage(plan, cramped(plan, plan.workload(id)?)))),
        &fact("image_platform", |plan, id| {
            let ImageUse::Image(image) = both(plan, id)?.0.image.value else {
                return Some(None);
            };
            Some(Some(plan.model.body(image)?.platform.clone()))
        }),
        &fact("reference", |plan, id| Some(plan.workload(id)?.lead().image.clone())),
        &fact("warned_before", |plan, id| Some(plan.workload(id)?.grace)),
    ],
};

pub(super) const SIDE_JOB: Table = Table {
    kind: "side_job",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH],
    rows: &[
        &fact("spec", |plan, id| match &plan.model.get(id)?.body {
            Body::SideJob(job) => plan.machine_fact(job.pool.value.id()),
            _ => None,
        }),
        &fact("reference", |plan, id| Some(plan.side_job(id)?.image.clone())),
        &fact("scratch_size", |plan, id| Some(plan.side_job(id)?.request.disk)),
        &fact("misfits", |plan, id| Some(plan.side_job(id)?.misfits.clone())),
        &fact("too_large", |plan, id| Some(shortage(plan, too_large(plan, id)))),
    ],
};

fn shortage(plan: &Plan, found: Option<Shortage>) -> Option<told::Shortage> {
    let Shortage { pool, asked, has, rival } = found?;
    let pool = plan.model.get(pool)?.path.clone();
    Some(told::Shortage { pool, asked, has, rival: rival.map(Ref::to) })
}

fn both(plan: &Plan, id: NounId) -> Option<(&Workload, &Run)> {
    let Body::Workload(body) = &plan.model.get(id)?.body else { return None };
    Some((body, plan.workload(id)?))
}

/// Nodes that a place has at most; nothing for Vertex AI, which has as many as its quota.
fn room(plan: &Plan, place: Place) -> Option<i64> {
    match place {
        Place::Pool(pool) => plan.pool(pool).map(super::super::PoolPlan::max_nodes),
        Place::Partition(partition) => {
            plan.partition(partition).map(|it| it.host_names.len() as i64)
        }
        Place::Vertex(_) => None,
    }
}

/// Nodes that the gangs of each pool ask for together where no queue admits them and one of them starts again. Tests, and
/// what runs on one node and so never waits with a part of what it needs, do not count.
pub(in crate::plan) fn asked_together(plan: &Plan) -> BTreeMap<NounId, i64> {
    let mut asked: BTreeMap<NounId, (i64, i64, i64)> = BTreeMap::new();
    for (noun, body) in plan.model.workloads().filter(|(_, body)| !body.test) {
        let Some(run) = plan.workload(noun.id) else { continue };
        let Some(site) = run.gke() else { continue };
        if site.queue.is_none() && run.lead().nodes > 1 {
            let (gangs, nodes, restarts) = asked.entry(site.pool.id()).or_default();
            *gangs += 1;
            *nodes = nodes.saturating_add(run.lead().nodes);
            *restarts = body.restarts.value.max(*restarts);
        }
    }
    let rivals = asked.into_iter().filter(|(_, (gangs, _, restarts))| *gangs > 1 && *restarts > 0);
    rivals.map(|(pool, (_, nodes, _))| (pool, nodes)).collect()
}

/// Where a workload may be admitted, or its place.
fn places(plan: &Plan, id: NounId) -> Option<Vec<NounId>> {
    let workload = plan.workload(id)?;
    Some(match workload.site.place() {
        Place::Pool(_) => workload.lead().selection.pools.clone(),
        Place::Vertex(cluster) => vec![cluster.id()],
        Place::Partition(_) => Vec::new(),
    })
}

/// How long nodes stay at most, wherever it is admitted.
fn longest_run(plan: &Plan, id: NounId) -> Option<Option<Duration>> {
    let lent = places(plan, id)?.into_iter().filter_map(|place| lent_for(plan, place));
    Some(lent.min())
}

/// How the nodes of a place are obtained; nothing for hardware of one's own.
fn capacity(plan: &Plan, place: NounId) -> Option<&Capacity> {
    match &plan.model.get(place)?.body {
        Body::Pool(pool) => Some(&pool.capacity.value),
        Body::VertexCluster(cluster) => Some(&cluster.capacity.value),
        _ => None,
    }
}

fn lent_for(plan: &Plan, place: NounId) -> Option<Duration> {
    match capacity(plan, place)? {
        Capacity::FlexStart { max } | Capacity::Queued { max } => Some(*max),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => None,
    }
}

/// Variables of the workload that belong to the machine's network stack.
fn owned_env(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let (body, workload) = both(plan, id)?;
    let stack = match workload.site.place() {
        Place::Pool(id) => plan.pool(id)?.stack.as_ref(),
        Place::Partition(id) => plan.partition(id)?.stack.as_ref(),
        Place::Vertex(id) => plan.vertex(id)?.stack.as_ref(),
    };
    let stack = stack.filter(|_| workload.lead().fabric);
    let owned = body.env.keys().filter(|key| stack.is_some_and(|stack| stack.owns(key)));
    Some(owned.cloned().collect())
}

/// What a side job asks of a node of its pool that has less.
fn too_large(plan: &Plan, id: NounId) -> Option<Shortage> {
    let job = plan.side_job(id)?;
    let place = job.program.place.value;
    let node = plan.pool(place)?.allocatable;
    let known = node.millicpus > 0 && node.memory.0 > 0;
    let mut short = job.misfits.iter().filter_map(|misfit| match misfit {
        Misfit::Node(resource) => Some(*resource),
        _ => None,
    });
    let resource = short.next().filter(|_| known)?;
    let (asked, has) = (job.request.in_words(resource), node.in_words(resource));
    Some(Shortage { pool: place.id(), asked, has, rival: None })
}
