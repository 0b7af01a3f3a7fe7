//! Facts of workloads as a whole.

use super::mounts::{same_folder, saves_with};
use super::nodes::{OF_NODES, capacity, shortage};
use super::records::Footprint;
use super::reducers::reducers;
use super::told::Admits;
use super::tuned::tuned;
use super::{MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, Table, fact};
use crate::catalog::region_of;
use crate::nouns::{Body, Capacity, Kind, Queue, Ref, VertexCluster, Workload};
use crate::plan::derive::{
    cramped, footprint, in_gib, model_parallel, raised_quota, stranger, unclaimed, uncounted,
    unserved,
};
use crate::plan::{Place, Plan, PoolPlan, QueuePlan, Resource, Run};
use crate::{Duration, NounId};
use std::collections::BTreeMap;

pub(super) const WORKLOAD: Table = Table {
    kind: "workload",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, OF_NODES, SHORT_OF_QUOTA],
    rows: &[
        &fact("group_count", |plan, id| Some(1 + plan.workload(id)?.groups().len() as i64)),
        &fact("contradicted", contradicted),
        &fact("unlabelled", unlabelled),
        &fact("data_parallel", |plan, id| Some(plan.workload(id)?.data_parallel)),
        &fact("model_parallel", |plan, id| Some(model_parallel(&both(plan, id)?.0.parallel.value))),
        &fact("footprint", needed),
        &fact("places", |plan, id| {
            let admits = |id: NounId| {
                let on_vertex = VertexCluster::of(&plan.model.get(id)?.body).is_some();
                Some(if on_vertex { Admits::Cluster(id) } else { Admits::Pool(id) })
            };
            Some(places(plan, id)?.into_iter().filter_map(admits).collect::<Vec<_>>())
        }),
        &fact("longest_run", longest_run),
        &fact("run_nodes", |plan, id| {
            let nodes = plan.workload(id)?.gangs().map(|gang| gang.nodes);
            Some(nodes.fold(0, i64::saturating_add))
        }),
        &fact("admitted_by", |plan, id| Some(plan.workload(id)?.queue())),
        &fact("other_queue", |plan, id| {
            Some(plan.workload(id)?.gke().and_then(|site| site.other_queue))
        }),
        &fact("in_namespace", |plan, id| {
            let site = plan.workload(id)?.gke();
            Some(site.map_or_else(String::new, |site| site.namespace.clone()))
        }),
        &fact("caught_by", |plan, id| {
            Some(caught_by(plan, plan.workload(id)?).map(Ref::<Queue>::to))
        }),
        &fact("same_folder", |plan, id| Some(same_folder(plan, id))),
        &fact("saves_with", saves_with),
        &fact("raised_quota", |plan, id| Some(raised_quota(plan, plan.workload(id)?))),
        &fact("gives_way_to", |plan, id| {
            plan.workload(id)?;
            let all = plan.yields_to(id).into_iter().map(|(other, _)| Ref::<Workload>::to(other));
            Some(all.collect::<Vec<_>>())
        }),
        &fact("rival", |plan, id| {
            let workload = plan.workload(id)?;
            let pools: Vec<NounId> = workload.lead().pod.selection.ids().collect();
            let queue = workload.queue();
            let rival = queue.and_then(|it| stranger(plan, it.id(), &pools, Resource::Devices));
            Some(rival.map(Ref::<Queue>::to))
        }),
        &fact("unserved", |plan, id| Some(shortage(plan, unserved(plan, plan.workload(id)?)))),
        &fact("unclaimed", |plan, id| Some(shortage(plan, unclaimed(plan, plan.workload(id)?)))),
        &fact("uncounted", |plan, id| Some(shortage(plan, uncounted(plan, plan.workload(id)?)))),
        &fact("cramped", |plan, id| Some(shortage(plan, cramped(plan, plan.workload(id)?)))),
        &fact("reducers", reducers),
        &fact("tuned", tuned),
        &fact("idle_reactions", |plan, id| {
            let said = &plan.workload(id)?.on_failure;
            let idle = said
                .iter()
                .enumerate()
                .filter(|(at, line)| said.iter().take(*at).any(|before| before.covers(line)));
            Some(idle.map(|(at, _)| at as i64).collect::<Vec<_>>())
        }),
        &fact("warned_before", |plan, id| Some(plan.workload(id)?.grace)),
        &fact("array_last", |plan, id| {
            let last = both(plan, id)?.0.batch.value.spans().map(|(first, last)| first.max(last));
            Some(last.max().map(|last| i64::try_from(last).unwrap_or(i64::MAX)))
        }),
        &fact("array_backwards", |plan, id| {
            Some(both(plan, id)?.0.batch.value.spans().any(|(first, last)| last < first))
        }),
        &fact("has_batch", |plan, id| Some(!both(plan, id)?.0.batch.value.is_usual())),
        &fact("depends_on_itself", |plan, id| Some(plan.queued_behind(id).contains(&id))),
        &fact("ended_before", |plan, id| {
            let before = plan.ended_before(id).into_iter().map(Ref::<Workload>::to);
            Some(before.collect::<Vec<_>>())
        }),
    ],
};

/// What its model needs of each device.
fn needed(plan: &Plan, id: NounId) -> Option<Option<Footprint>> {
    let (workload, run) = both(plan, id)?;
    Some(footprint(plan, workload, run).map(|it| Footprint {
        parameters: it.parameters_in_words(),
        devices: it.devices,
        device_memory: in_gib(it.memory),
        states_percent: it.least.states().percent(it.memory),
        least_percent: it.least.percent(it.memory),
        expected_percent: it.expected.percent(it.memory),
        states: it.least.states().in_words(),
        least: it.least.in_words(),
        expected: it.expected.in_words(),
        checkpoint: it.checkpoint,
        saved_in: it.saved_in,
    }))
}

fn both(plan: &Plan, id: NounId) -> Option<(&Workload, &Run)> {
    let Body::Workload(body) = &plan.model.get(id)?.body else { return None };
    Some((body, plan.workload(id)?))
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

/// The LocalQueue that Kueue gives what names none, in a namespace that has one.
const FOR_ALL: &str = "default";

/// The queue that Kueue puts a workload into that is in none.
fn caught_by(plan: &Plan, run: &Run) -> Option<NounId> {
    let site = run.gke().filter(|site| site.queue.is_none())?;
    let catches = |(_, queue): &(NounId, &QueuePlan)| {
        let mut here = queue.doors.iter().filter(|(namespace, _)| *namespace == site.namespace);
        queue.cluster == site.cluster
            && here.any(|(_, names)| names.iter().any(|name| name == FOR_ALL))
    };
    plan.queues().find(catches).map(|(id, _)| id)
}

/// Where a workload may be admitted, or its place.
fn places(plan: &Plan, id: NounId) -> Option<Vec<NounId>> {
    let workload = plan.workload(id)?;
    Some(match workload.site.place() {
        Place::Pool(_) => workload.lead().pod.selection.ids().collect(),
        Place::Vertex(cluster) => vec![cluster.id()],
        Place::Partition(_) => Vec::new(),
    })
}

/// How long nodes stay at most, wherever it is admitted.
fn longest_run(plan: &Plan, id: NounId) -> Option<Option<Duration>> {
    let places = places(plan, id)?.into_iter();
    Some(places.filter_map(|place| capacity(plan, place)?.lent_for()).min())
}

/// Labels that the workload asks for and nodes of its pool have otherwise.
fn contradicted(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let Body::Workload(workload) = &plan.model.get(id)?.body else { return None };
    let place = workload.place.value;
    let Some(pool) = plan.pool(place) else { return Some(Vec::new()) };
    let lent = capacity(plan, place.id());
    let other = workload.only_nodes.iter().filter_map(|(key, wanted)| {
        let has = match pool.selector.get(key) {
            Some(has) => Some(has.clone()),
            None => label_of_gke(pool, lent, key)?,
        };
        match has {
            Some(has) if has == *wanted => None,
            Some(has) => Some(format!("{key} is {has}")),
            None => Some(format!("{key} is on none of them")),
        }
    });
    Some(other.collect())
}

/// Labels that the workload asks for and no label of its pool is called like.
fn unlabelled(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let Body::Workload(workload) = &plan.model.get(id)?.body else { return None };
    let Place::Pool(pool) = workload.place.value else { return Some(Vec::new()) };
    let labels = &plan.model.body(pool)?.labels;
    let asked = workload.only_nodes.keys().filter(|key| !labels.contains_key(*key));
    Some(asked.cloned().collect())
}

/// What GKE says of nodes by a label, where that follows from the pool: a value, or that they do not have it.
fn label_of_gke(pool: &PoolPlan, lent: Option<&Capacity>, key: &str) -> Option<Option<String>> {
    let (zone, lent) = (pool.zone.as_ref(), lent?);
    let told = |is: bool| Some(is.then(|| "true".to_owned()));
    match key {
        "topology.kubernetes.io/zone" => Some(Some(zone?.clone())),
        "topology.kubernetes.io/region" => Some(Some(region_of(zone?)?.to_owned())),
        "cloud.google.com/gke-spot" => told(matches!(lent, Capacity::Spot)),
        "cloud.google.com/gke-flex-start" => told(matches!(lent, Capacity::FlexStart { .. })),
        _ => None,
    }
}
