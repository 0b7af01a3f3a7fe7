//! Workloads: the gangs that they are made of, what they are called, and how long they are warned before their end.

use super::fit::{flavored, shared_by, shared_requests};
use super::gang::{Around, Ground, Part, Sized, extent, gang, ground};
use super::program::resource;
use super::site::{queue_of, site};
use crate::graph::Admission;
use crate::nouns::{self, Awaited, Body, Choice, OfNodes, Parallel, Queue, Ref, Workload};
use crate::plan::fit::Offer;
use crate::plan::names::{Limit, derived, of_workload, valid};
use crate::plan::of_nouns::OfNouns;
use crate::plan::{Amounts, Gangs, Place, Plan, Reaction, Run, Then};
use crate::{Noun, NounId};
use slipform_source::Spanned;
use std::collections::{BTreeMap, BTreeSet};

const TPU_JOB: &str = "slice";
const NODE_JOB: &str = "node";

pub(crate) fn workloads(plan: &Plan, queues: &Admission) -> OfNouns<Box<Run>> {
    let shop = Shop { queues, flavors: flavors(plan, queues), jobs: shared_requests(plan) };
    let all: Vec<(&Noun, &Workload)> = plan.model.workloads().collect();
    OfNouns::of_each(&all, |(noun, workload)| {
        Some((noun.id, Box::new(workload_plan(plan, noun, workload, &shop)?)))
    })
}

/// The workloads of which nodes may stand on each pool.
pub(crate) fn on_pools(plan: &Plan) -> BTreeMap<NounId, Vec<NounId>> {
    let mut on_pools: BTreeMap<NounId, Vec<NounId>> = BTreeMap::new();
    for (id, run) in plan.workloads() {
        let named = run.gangs().map(|gang| gang.program.place.value.id());
        let selected = run.gangs().flat_map(|gang| gang.pod.selection.ids());
        for pool in named.chain(selected).collect::<BTreeSet<NounId>>() {
            on_pools.entry(pool).or_default().push(id);
        }
    }
    on_pools
}

/// What is found once for all workloads.
struct Shop<'a> {
    queues: &'a Admission,
    /// The pools that each queue has flavors for.
    flavors: BTreeMap<NounId, Vec<NounId>>,
    /// What groups of all workloads that share nodes ask of each pool.
    jobs: BTreeMap<NounId, Amounts>,
}

fn flavors(plan: &Plan, queues: &Admission) -> BTreeMap<NounId, Vec<NounId>> {
    let mut members: BTreeMap<NounId, Vec<NounId>> = BTreeMap::new();
    for (noun, workload) in plan.model.workloads() {
        if let Some(queue) = queues.queue(workload) {
            members.entry(queue.id()).or_default().push(noun.id);
        }
    }
    let of = |noun: &Noun| members.get(&noun.id).into_iter().flatten().copied();
    let all = plan.model.queues();
    all.map(|(noun, queue)| (noun.id, flavored(plan, noun, queue, of(noun)))).collect()
}

fn workload_plan(plan: &Plan, noun: &Noun, workload: &Workload, shop: &Shop<'_>) -> Option<Run> {
    let gangs = sized(plan, noun, workload)?;
    let (lead, groups) = gangs.split_first()?;
    let queue = shop.queues.queue(workload);
    let name = name(plan, noun, workload, &gangs);
    let beside = |pool: NounId| shared(plan, groups, pool);
    let jobs = |pool: NounId| shop.jobs.get(&pool).copied().unwrap_or(Amounts::NONE);
    let cluster = plan.pool(workload.place.value).map(|pool| pool.cluster);
    let around = Around {
        name: &name,
        cluster,
        identity: workload.identity.map(|identity| identity.value),
        grace: workload.grace.set().map(|grace| grace.value),
        account: workload.account.as_ref().map(|account| account.value.as_str()),
        placed: queue.is_some() && cluster.is_some_and(|it| plan.placed.contains_key(&it.id())),
        avoided: &workload.avoid_nodes,
        only: &workload.only_nodes,
        preferred: &workload.prefer_nodes,
        admitted: queue.and_then(|queue| admitted(plan, queue)),
        offers: offers(plan, queue, shop),
        beside: &beside,
        jobs: &jobs,
        gangs: &gangs,
    };
    let beside = groups.iter().filter_map(|group| gang(plan, group, &around)).collect();
    let lead = gang(plan, lead, &around)?;
    let chips = lead.nodes.saturating_mul(lead.chips_per_node);
    let devices = if chips > 0 { chips } else { lead.world_size };
    Some(Run {
        site: site(plan, workload, &gangs, shop.queues)?,
        grace: lead.grace,
        chips,
        data_parallel: data_parallel(&workload.parallel.value, devices),
        success: workload.success,
        on_failure: workload.on_failure.iter().map(|it| reaction(it, &gangs)).collect(),
        coordinator: workload.coordinator.and_then(|it| Some(role(it.value, &gangs)?.to_owned())),
        host_names: workload.host_names,
        dashboard: workload.dashboard.as_ref().map(|it| resource(plan, it.value)),
        gangs: Gangs::new(lead, beside),
        name,
    })
}

/// The workload's own nodes and those of its groups, as far as they are known before the run has a name. A group at a place
/// that could not be understood is left out.
fn sized<'a>(plan: &'a Plan, noun: &'a Noun, workload: &'a Workload) -> Option<Vec<Sized<'a>>> {
    let sized =
        |noun: &'a Noun, own: OfNodes<'a>, part: Part, role: &dyn Fn(&Ground<'_>) -> String| {
            let ground = ground(plan, own.place.value)?;
            let extent = extent(&own, part, &ground);
            let role = own.role.map_or_else(|| role(&ground), str::to_owned);
            Some(Sized { noun, own, part, ground, extent, role })
        };
    let usual = |ground: &Ground<'_>| {
        (if ground.machine.tpu.is_some() { TPU_JOB } else { NODE_JOB }).to_owned()
    };
    let lead = sized(noun, workload.own(), Part::Lead, &usual)?;
    let lead_role = lead.role.clone();
    let mut all = vec![lead];
    for id in plan.children(noun.id) {
        let Some(noun) = plan.model.get(*id) else { continue };
        let Body::Group(group) = &noun.body else { continue };
        let name = |_: &Ground<'_>| {
            let name = derived(&plan.model.catalog, Limit::DnsLabel, &[&noun.outside.name]);
            if name == lead_role { valid(&["group", &name]) } else { name }
        };
        all.extend(sized(noun, group.own(), Part::of(group.decides), &name));
    }
    Some(all)
}

/// What nodes of this run are called; nothing for those of another one, which is reported where they are named.
fn role<'a>(of: Awaited, gangs: &'a [Sized<'_>]) -> Option<&'a str> {
    gangs.iter().find(|it| it.noun.id == of.id()).map(|it| it.role.as_str())
}

fn reaction(said: &Spanned<nouns::Reaction>, gangs: &[Sized<'_>]) -> Reaction {
    let (then, exit_codes, disrupted, of) = match &said.value {
        nouns::Reaction::Fail { exit_codes, disrupted, of } => {
            (Then::Fail, exit_codes, disrupted, of)
        }
        nouns::Reaction::Restart { exit_codes, disrupted, of } => {
            (Then::Restart, exit_codes, disrupted, of)
        }
        nouns::Reaction::Forgive { exit_codes, disrupted, of } => {
            (Then::Forgive, exit_codes, disrupted, of)
        }
    };
    let codes: BTreeSet<i64> = exit_codes.iter().copied().collect();
    Reaction {
        then,
        exit_codes: codes.into_iter().collect(),
        disrupted: *disrupted,
        roles: of.iter().filter_map(|it| role(*it, gangs)).map(str::to_owned).collect(),
        span: said.span,
    }
}

/// What groups that share nodes of a pool ask of it together.
fn shared(plan: &Plan, groups: &[Sized<'_>], pool: NounId) -> Amounts {
    let here = groups.iter().filter(|group| group.own.place.value.id() == pool);
    let asked = here.filter_map(|group| {
        Some(
            shared_by(group.own, group.part, plan.program(group.noun.id)?)?
                .times(group.extent.nodes),
        )
    });
    asked.fold(Amounts::NONE, Amounts::plus)
}

fn name(plan: &Plan, noun: &Noun, workload: &Workload, gangs: &[Sized<'_>]) -> String {
    if let Choice::Set(name) = &workload.name {
        return name.value.clone();
    }
    match workload.place.value {
        Place::Vertex(_) => {
            derived(&plan.model.catalog, Limit::VertexDisplay, &[&noun.outside.name])
        }
        Place::Pool(_) | Place::Partition(_) => {
            let jobs = gangs
                .iter()
                .map(|it| (it.role.as_str(), it.extent.slices, it.extent.nodes_per_slice));
            let coordinator = workload.coordinator.and_then(|it| role(it.value, gangs));
            of_workload(&plan.model, noun, jobs, coordinator)
        }
    }
}

fn data_parallel(parallel: &Parallel, world: i64) -> Option<i64> {
    let model = model_parallel(parallel)?;
    (world % model == 0).then(|| world / model).filter(|replicas| *replicas > 0)
}

/// Devices that one replica of the model takes.
pub(crate) fn model_parallel(parallel: &Parallel) -> Option<i64> {
    let degrees = [parallel.tensor.value, parallel.pipeline.value, parallel.context.value];
    degrees
        .into_iter()
        .try_fold(1i64, |product, degree| product.checked_mul(degree))
        .filter(|product| *product > 0)
}

/// The pools that a queue may admit to; nothing is known of a queue that could not be understood.
fn admitted(plan: &Plan, queue: Ref<Queue>) -> Option<Vec<NounId>> {
    let pools = &queue_of(plan, Some(queue))?.pools;
    Some(pools.iter().map(|pool| pool.value.id()).collect())
}

/// What the pools have that a queue has flavors for. Pools of one flavor are one to it: a workload may be on nodes of several.
fn offers<'a>(plan: &'a Plan, queue: Option<Ref<Queue>>, shop: &Shop<'_>) -> Vec<Offer<'a>> {
    let pools = queue.and_then(|queue| shop.flavors.get(&queue.id())).into_iter().flatten();
    let body = queue_of(plan, queue);
    let offer = |id: &NounId| {
        let own = Offer::of(*id, plan.pool(*id)?);
        let flavor = body.and_then(|queue| queue.flavor_of(*id));
        let others = flavor.into_iter().flat_map(nouns::Flavor::pools).filter(|other| other != id);
        let others = others.filter_map(|id| Some(Offer::of(id, plan.pool(id)?)));
        Some(others.fold(own, |all, other| Offer {
            nodes: all.nodes.saturating_add(other.nodes),
            node_pools: all.node_pools.saturating_add(other.node_pools),
            ..all
        }))
    };
    pools.filter_map(offer).collect()
}
