//! Facts of workloads and side jobs.

use super::pool::scratch_room;
use super::{Fact, fact, maybe, name_budget, name_clash, strings};
use crate::nouns::{Body, Capacity, ImageUse, Mount, MountSource, Workload};
use crate::plan::derive::model_parallel;
use crate::plan::{Place, Plan, WorkloadPlan};
use crate::{NounId, NounRef, Size, Value};

pub(super) const WORKLOAD: &[Fact] = &[
    fact("workload", None, "chips", |plan, id| Some(Value::Int(plan.workload(id)?.chips))),
    fact("workload", None, "world_size", |plan, id| {
        Some(Value::Int(plan.workload(id)?.world_size))
    }),
    fact("workload", None, "processes_per_node", |plan, id| {
        Some(Value::Int(plan.workload(id)?.processes_per_node))
    }),
    fact("workload", None, "data_parallel", |plan, id| maybe(plan.workload(id)?.data_parallel)),
    fact("workload", None, "rendezvous", |plan, id| maybe(plan.workload(id)?.rendezvous.clone())),
    fact("workload", None, "spec", |plan, id| plan.machine_fact(plan.workload(id)?.place.id())),
    fact("workload", None, "nics", |plan, id| plan.nics_fact(plan.workload(id)?.place.id())),
    fact("workload", None, "slice", |plan, id| plan.slice_fact(plan.workload(id)?.place.id())),
    fact("workload", None, "platform", |plan, id| {
        Some(Value::from(match plan.workload(id)?.place {
            Place::Pool(_) => "gke",
            Place::Partition(_) => "slurm",
            Place::Vertex(_) => "vertex",
        }))
    }),
    fact("workload", None, "total_nodes", |plan, id| Some(Value::Int(plan.workload(id)?.nodes))),
    fact("workload", None, "nodes_per_slice", |plan, id| {
        Some(Value::Int(plan.workload(id)?.nodes_per_slice))
    }),
    fact("workload", None, "chips_per_node", |plan, id| {
        Some(Value::Int(plan.workload(id)?.chips_per_node))
    }),
    fact("workload", None, "model_parallel", |plan, id| {
        maybe(model_parallel(&both(plan, id)?.0.parallel.value))
    }),
    fact("workload", None, "room", |plan, id| maybe(room(plan, plan.workload(id)?.place))),
    fact("workload", None, "slice_room", |plan, id| {
        maybe(match plan.workload(id)?.place {
            Place::Pool(pool) => plan.pool(pool).map(|pool| pool.node_pools.len() as i64),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    fact("workload", None, "capacity", |plan, id| {
        let place = plan.model.get(plan.workload(id)?.place.id())?;
        Some(place.fields.get("capacity").map_or(Value::Absent, |capacity| capacity.value.clone()))
    }),
    fact("workload", None, "longest_run", longest_run),
    fact("workload", None, "admitted_by", |plan, id| {
        maybe(plan.workload(id)?.queue.map(|id| Value::Ref(NounRef { id, kind: "queue".into() })))
    }),
    fact("workload", None, "in_namespace", |plan, id| {
        Some(Value::str(&plan.workload(id)?.namespace))
    }),
    fact("workload", None, "uses_fabric", |plan, id| Some(plan.workload(id)?.fabric.into())),
    fact("workload", None, "owned_env", owned_env),
    fact("workload", None, "shared_memory_size", |plan, id| {
        Some(Value::Size(plan.workload(id)?.shared_memory))
    }),
    fact("workload", None, "scratch_size", |plan, id| {
        Some(Value::Size(scratch_size(both(plan, id)?.0)))
    }),
    fact("workload", None, "scratch_room", |plan, id| {
        maybe(match plan.workload(id)?.place {
            Place::Pool(pool) => plan.pool(pool).map(|pool| Value::Size(scratch_room(pool))),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    fact("workload", None, "image_platform", |plan, id| {
        let ImageUse::Image(image) = both(plan, id)?.0.image.value else {
            return Some(Value::Absent);
        };
        let Body::Image(image) = &plan.model.get(image)?.body else { return None };
        Some(Value::str(&image.platform))
    }),
    fact("workload", None, "reference", |plan, id| Some(Value::str(&plan.workload(id)?.image))),
    fact("workload", None, "name_budget", name_budget),
    fact("workload", None, "name_clash", name_clash),
];

pub(super) const SIDE_JOB: &[Fact] = &[
    fact("side_job", None, "spec", |plan, id| match &plan.model.get(id)?.body {
        Body::SideJob(job) => plan.machine_fact(job.pool.value),
        _ => None,
    }),
    fact("side_job", None, "reference", |plan, id| Some(Value::str(&plan.side_job(id)?.image))),
    fact("side_job", None, "same_cluster", same_cluster),
    fact("side_job", None, "name_budget", name_budget),
    fact("side_job", None, "name_clash", name_clash),
];

fn both(plan: &Plan, id: NounId) -> Option<(&Workload, &WorkloadPlan)> {
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

/// How long nodes stay at most, where their capacity says so.
fn longest_run(plan: &Plan, id: NounId) -> Option<Value> {
    let capacity = match &plan.model.get(plan.workload(id)?.place.id())?.body {
        Body::Pool(pool) => &pool.capacity.value,
        Body::VertexCluster(cluster) => &cluster.capacity.value,
        _ => return Some(Value::Absent),
    };
    maybe(match capacity {
        Capacity::FlexStart { max } | Capacity::Queued { max } => Some(Value::Duration(*max)),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => None,
    })
}

/// Variables of the workload that belong to the machine's network stack.
fn owned_env(plan: &Plan, id: NounId) -> Option<Value> {
    let (body, workload) = both(plan, id)?;
    let stack = match workload.place {
        Place::Pool(id) => plan.pool(id)?.stack.as_ref(),
        Place::Partition(id) => plan.partition(id)?.stack.as_ref(),
        Place::Vertex(id) => plan.vertex(id)?.stack.as_ref(),
    };
    let stack = stack.filter(|_| workload.fabric);
    let owned = body.env.keys().filter(|key| stack.is_some_and(|stack| stack.owns(key)));
    Some(strings(owned.map(String::as_str), plan.span(id)?))
}

fn scratch_size(workload: &Workload) -> Size {
    let sizes = workload.mounts.iter().map(|mount| {
        let Mount::Mount { source, .. } = &mount.value;
        match source.value {
            MountSource::Scratch { size } => size.0,
            MountSource::Bucket(_) | MountSource::Filesystem(_) => 0,
        }
    });
    Size(sizes.fold(0, u64::saturating_add))
}

/// Whether a side job runs in the cluster of its workload; a JobSet cannot span two.
fn same_cluster(plan: &Plan, id: NounId) -> Option<Value> {
    let noun = plan.model.get(id)?;
    let Body::SideJob(job) = &noun.body else { return None };
    let Place::Pool(main) = plan.workload(noun.parent?)?.place else { return Some(false.into()) };
    Some((plan.pool(main)?.cluster == plan.pool(job.pool.value)?.cluster).into())
}
