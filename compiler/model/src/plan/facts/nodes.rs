//! Facts of equal nodes: a workload's own and those of its groups.

use super::mounts::taken_paths;
use super::pool::scratch_room;
use super::told;
use super::{Fact, MADE, NAME_BUDGET, NAME_CLASH, Table, fact};
use crate::NounId;
use crate::nouns::{Body, Capacity, ImageUse, OfNodes, Ref, Workload};
use crate::plan::derive::{Shortage, grantable};
use crate::plan::{Misfit, Place, Plan, PoolPlan, Resource, Site};

pub(super) const GROUP: Table = Table {
    kind: "group",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, OF_NODES],
    rows: &[
        &fact("takes_role", |plan, id| {
            let lead = plan.workload(plan.model.get(id)?.parent?)?.lead();
            Some(lead.role == plan.group(id)?.role)
        }),
        &fact("has_part", |plan, id| {
            Some(match &plan.workload(plan.model.get(id)?.parent?)?.site {
                Site::Vertex(site) => site.parts.contains_key(&id),
                Site::Gke(_) | Site::Slurm(_) => true,
            })
        }),
    ],
};

/// What equal nodes have, whoever says what they are.
pub(super) const OF_NODES: &[&dyn Fact] = &[
    &fact("run", |plan, id| {
        let own = plan.model.get(id)?;
        let group = matches!(own.body, Body::Group(_));
        Some(Ref::<Workload>::to(if group { own.parent? } else { id }))
    }),
    &fact("called", |plan, id| Some(plan.gang(id)?.role.clone())),
    &fact("chips", |plan, id| {
        let gang = plan.gang(id)?;
        Some(gang.nodes.saturating_mul(gang.chips_per_node))
    }),
    &fact("world_size", |plan, id| Some(plan.gang(id)?.world_size)),
    &fact("processes_per_node", |plan, id| Some(plan.gang(id)?.processes_per_node)),
    &fact("rendezvous", |plan, id| Some(plan.gang(id)?.rendezvous.clone())),
    &fact("spec", |plan, id| plan.machine_fact(place(plan, id)?.id())),
    &fact("nics", |plan, id| plan.nics_fact(place(plan, id)?.id())),
    &fact("slice", |plan, id| plan.slice_fact(place(plan, id)?.id())),
    &fact("shared_memory_size", |plan, id| Some(plan.gang(id)?.shared_memory)),
    &fact("scratch_room", |plan, id| {
        Some(match place(plan, id)? {
            Place::Pool(pool) => plan.pool(pool).map(scratch_room),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    &fact("acts_as", |plan, id| Some(plan.gang(id)?.identity)),
    &fact("too_large", |plan, id| Some(shortage(plan, too_large(plan, id)))),
    &fact("platform", place),
    &fact("total_nodes", |plan, id| Some(plan.gang(id)?.nodes)),
    &fact("nodes_per_slice", |plan, id| Some(plan.gang(id)?.nodes_per_slice)),
    &fact("chips_per_node", |plan, id| Some(plan.gang(id)?.chips_per_node)),
    &fact("room", |plan, id| Some(room(plan, place(plan, id)?))),
    &fact("slice_room", |plan, id| {
        Some(match place(plan, id)? {
            Place::Pool(pool) => plan.pool(pool).map(|pool| pool.node_pools.len() as i64),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    &fact("capacity", |plan, id| Some(capacity(plan, place(plan, id)?.id()).cloned())),
    &fact("misfits", |plan, id| Some(plan.gang(id)?.misfits.clone())),
    &fact("uses_fabric", |plan, id| Some(plan.gang(id)?.fabric)),
    &fact("owned_env", owned_env),
    &fact("scratch_size", |plan, id| Some(plan.program(id)?.scratch())),
    &fact("taken_paths", taken_paths),
    &fact("asked", |plan, id| {
        let place = place(plan, id)?.id();
        let run = plan.workload(id).or_else(|| plan.workload(plan.model.get(id)?.parent?))?;
        Some(run.asks(run.site.place().id(), place).devices)
    }),
    &fact("grantable", |plan, id| {
        let run = plan.workload(id).or_else(|| plan.workload(plan.model.get(id)?.parent?))?;
        Some(grantable(plan, run, plan.gang(id)?))
    }),
    &fact("image_platform", |plan, id| {
        let ImageUse::Image(image) = own(plan, id)?.image.value else {
            return Some(None);
        };
        Some(Some(plan.model.body(image)?.platform.clone()))
    }),
    &fact("reference", |plan, id| Some(plan.gang(id)?.image.clone())),
    &fact("awaits_itself", |plan, id| {
        let run = plan.workload(id).or_else(|| plan.workload(plan.model.get(id)?.parent?))?;
        Some(run.gangs.waits_for_itself(plan.gang(id)?))
    }),
];

/// What a workload or a group says of its nodes.
fn own(plan: &Plan, id: NounId) -> Option<OfNodes<'_>> {
    match &plan.model.get(id)?.body {
        Body::Workload(workload) => Some(workload.own()),
        Body::Group(group) => Some(group.own()),
        _ => None,
    }
}

fn place(plan: &Plan, id: NounId) -> Option<Place> {
    plan.gang(id).map(|gang| gang.program.place.value)
}

/// Nodes that a place has at most; nothing for Vertex AI, which has as many as its quota.
fn room(plan: &Plan, place: Place) -> Option<i64> {
    match place {
        Place::Pool(pool) => plan.pool(pool).map(PoolPlan::max_nodes),
        Place::Partition(partition) => {
            plan.partition(partition).map(|it| it.host_names.len() as i64)
        }
        Place::Vertex(_) => None,
    }
}

/// How the nodes of a place are obtained; nothing for hardware of one's own.
pub(super) fn capacity(plan: &Plan, place: NounId) -> Option<&Capacity> {
    match &plan.model.get(place)?.body {
        Body::Pool(pool) => Some(&pool.capacity.value),
        Body::VertexCluster(cluster) => Some(&cluster.capacity.value),
        _ => None,
    }
}

/// Variables of the blueprint that belong to the machine's network stack.
fn owned_env(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let (own, gang) = (own(plan, id)?, plan.gang(id)?);
    let stack = match gang.program.place.value {
        Place::Pool(id) => plan.pool(id)?.stack.as_ref(),
        Place::Partition(id) => plan.partition(id)?.stack.as_ref(),
        Place::Vertex(id) => plan.vertex(id)?.stack.as_ref(),
    };
    let stack = stack.filter(|_| gang.fabric);
    let owned = own.env.keys().filter(|key| stack.is_some_and(|stack| stack.owns(key)));
    Some(owned.cloned().collect())
}

/// What a group asks of a node of its pool that has less.
fn too_large(plan: &Plan, id: NounId) -> Option<Shortage> {
    let job = plan.gang(id)?;
    let place = job.program.place.value;
    let node = plan.pool(place)?.allocatable;
    let known = node.millicpus > 0 && node.memory.0 > 0;
    let mut short = job.misfits.iter().filter_map(|misfit| match misfit {
        // local disk is told of with what mounts it
        Misfit::Node(resource) if *resource != Resource::Disk => Some(*resource),
        _ => None,
    });
    let resource = short.next().filter(|_| known)?;
    let (asked, has) = (job.request.in_words(resource), node.in_words(resource));
    Some(Shortage { pool: place.id(), asked, has, rival: None })
}

pub(super) fn shortage(plan: &Plan, found: Option<Shortage>) -> Option<told::Shortage> {
    let Shortage { pool, asked, has, rival } = found?;
    let pool = plan.model.get(pool)?.path.clone();
    Some(told::Shortage { pool, asked, has, rival: rival.map(Ref::to) })
}
