//! Workloads: where and how large they run, what they are called, and how their processes find each other.

use super::fit::{flavored, request, selection, side_request, side_requests};
use super::image::of_use;
use super::parts;
use super::site::{queue_of, site};
use crate::catalog::{Catalog, GpuDirect, Machine};
use crate::graph::Admission;
use crate::nouns::{Body, Capacity, Choice, GkeCluster, Launch, Parallel, Queue, Ref, Workload};
use crate::plan::fit::{Need, Offer, misfits};
use crate::plan::names::{Limit, derived, of_workload, valid};
use crate::plan::{Amounts, Gang, Gangs, Place, Plan, Run, asked_on};
use crate::{Duration, Noun, NounId, Size};
use std::collections::BTreeMap;

/// The port that torchrun listens on unless told otherwise, and that training scripts expect.
const RENDEZVOUS_PORT: u16 = 29_500;

/// A policy of ours: how long before its end a workload is warned, where it does not say so.
const GRACE: Duration = Duration(300);

/// A workload's shared memory is at most one part in so many of the machine's memory.
const SHARED_MEMORY_PART: u64 = 2;

const TPU_JOB: &str = "slice";
const NODE_JOB: &str = "node";

pub(crate) fn workloads(plan: &Plan, queues: &Admission) -> BTreeMap<NounId, Run> {
    let shop = Shop { queues, flavors: flavors(plan, queues), jobs: side_requests(plan) };
    let all = plan.model.workloads();
    all.filter_map(|(noun, workload)| Some((noun.id, workload_plan(plan, noun, workload, &shop)?)))
        .collect()
}

/// What is found once for all workloads.
struct Shop<'a> {
    queues: &'a Admission,
    /// The pools that each queue has flavors for.
    flavors: BTreeMap<NounId, Vec<NounId>>,
    /// What the side jobs of all workloads ask of each pool.
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

/// The place that a workload names, as far as it is known.
struct Ground<'a> {
    place: Place,
    machine: &'a Machine,
    chips_per_node: i64,
    /// Nodes of one slice, where slices have several.
    slice_hosts: Option<i64>,
    /// Nodes that the place has in all.
    nodes: i64,
}

fn ground(plan: &Plan, place: Place) -> Option<Ground<'_>> {
    match place {
        Place::Pool(pool) => plan.pool(pool).map(|pool| Ground {
            place,
            machine: &pool.machine,
            chips_per_node: pool.chips_per_node,
            slice_hosts: pool
                .slice
                .as_ref()
                .filter(|slice| !slice.single_host)
                .map(|slice| slice.hosts),
            nodes: pool.max_nodes(),
        }),
        Place::Partition(partition) => plan.partition(partition).map(|partition| Ground {
            place,
            machine: &partition.machine,
            chips_per_node: partition.gpus,
            slice_hosts: None,
            nodes: i64::try_from(partition.host_names.len()).unwrap_or(i64::MAX),
        }),
        Place::Vertex(cluster) => plan.vertex(cluster).map(|vertex| Ground {
            place,
            machine: &vertex.machine,
            chips_per_node: match &vertex.machine.tpu {
                Some(tpu) => i64::from(tpu.chips),
                None => vertex.gpus,
            },
            slice_hosts: None,
            nodes: 1,
        }),
    }
}

/// Replicas, nodes of each, and nodes in all.
fn size(workload: &Workload, ground: &Ground<'_>) -> (i64, i64, i64) {
    let slices = workload.slices.value.max(1);
    let said = workload.nodes.set().map(|nodes| nodes.value.max(1));
    let each = match (ground.slice_hosts, said) {
        (Some(hosts), _) => hosts,
        (None, Some(nodes)) => parts(nodes, slices),
        (None, None) if ground.machine.tpu.is_some() => 1,
        (None, None) => parts(ground.nodes.max(1), slices),
    };
    (slices, each, slices.saturating_mul(each))
}

fn workload_plan(plan: &Plan, noun: &Noun, workload: &Workload, shop: &Shop<'_>) -> Option<Run> {
    let ground = ground(plan, workload.place.value)?;
    let (slices, nodes_per_slice, nodes) = size(workload, &ground);
    let replicated_job = if ground.machine.tpu.is_some() { TPU_JOB } else { NODE_JOB };
    let processes_per_node = processes(&workload.launch.value, ground.chips_per_node);
    let world_size = nodes.saturating_mul(processes_per_node);
    let chips = nodes.saturating_mul(ground.chips_per_node);
    let pool = plan.pool(workload.place.value);
    let cluster = pool.map(|pool| pool.cluster);
    let beside: Vec<Gang> =
        plan.children(noun.id).iter().filter_map(|id| side_job(plan, *id, cluster)).collect();
    let name = name(
        plan,
        noun,
        workload,
        &beside,
        (replicated_job, slices, nodes_per_slice),
        ground.place,
    );
    let queue = shop.queues.queue(workload);
    let on_gke = matches!(ground.place, Place::Pool(_));
    let place = workload.place.value.id();
    let pool = plan.pool(place);
    let fabric = fabric(workload, nodes, ground.machine);
    let program = plan.program(noun.id)?.clone();
    let offers = offers(plan, queue, shop);
    let request = pool.map_or(Amounts::NONE, |pool| {
        let places = admitted(plan, queue).into_iter().chain([place]);
        let jobs =
            places.filter_map(|id| shop.jobs.get(&id)).fold(Amounts::NONE, |all, of| all.most(*of));
        request(&program, pool, asked_on(&beside, place), jobs)
    });
    let found = pool.map(|pool| {
        let own = Offer::of(place, pool);
        let mut admitted = admitted(plan, queue);
        if queue.is_none() {
            admitted.push(own.pool);
        }
        let need = Need {
            cluster: own.cluster,
            admitted: &admitted,
            node: Some(own.node),
            fabric,
            request,
            pods: nodes,
            slices,
        };
        (selection(&plan.model.catalog, &need, own, &offers), misfits(&need, &own))
    });
    let (selection, misfits) = found.unwrap_or_default();
    let lead = Gang {
        program,
        replicated_job: replicated_job.to_owned(),
        slices,
        nodes_per_slice,
        nodes,
        chips_per_node: ground.chips_per_node,
        processes_per_node,
        world_size,
        rendezvous: on_gke.then(|| format!("{name}-{replicated_job}-0-0.{name}")),
        port: RENDEZVOUS_PORT,
        request,
        selection,
        misfits,
        image: of_use(plan, &workload.image.value),
        shared_memory: shared_memory(&plan.model.catalog, workload, ground.machine),
        fabric,
        holds_open: true,
    };
    let devices = if chips > 0 { chips } else { world_size };
    Some(Run {
        site: site(plan, workload, shop.queues)?,
        grace: grace(plan, workload),
        chips,
        data_parallel: data_parallel(&workload.parallel.value, devices),
        name,
        gangs: Gangs::new(lead, beside),
    })
}

/// One pod on another pool of the workload's cluster.
fn side_job(plan: &Plan, id: NounId, cluster: Option<Ref<GkeCluster>>) -> Option<Gang> {
    let noun = plan.model.get(id)?;
    let Body::SideJob(job) = &noun.body else { return None };
    let name = derived(&plan.model.catalog, Limit::DnsLabel, &[&noun.name]);
    // The workload's own replicated job has one of these names.
    let name =
        if [TPU_JOB, NODE_JOB].contains(&name.as_str()) { valid(&["side", &name]) } else { name };
    let program = plan.program(id)?;
    let request = side_request(job, program);
    let found = plan.pool(job.pool.value).map(|pool| {
        let own = Offer::of(job.pool.value.id(), pool);
        let need = Need {
            cluster: cluster.map_or(own.cluster, Ref::id),
            admitted: &[own.pool],
            node: None,
            fabric: false,
            request,
            pods: 1,
            slices: 1,
        };
        (selection(&plan.model.catalog, &need, own, &[]), misfits(&need, &own))
    });
    let (selection, misfits) = found.unwrap_or_default();
    Some(Gang {
        program: program.clone(),
        replicated_job: name,
        slices: 1,
        nodes_per_slice: 1,
        nodes: 1,
        chips_per_node: 0,
        processes_per_node: 1,
        world_size: 1,
        rendezvous: None,
        port: RENDEZVOUS_PORT,
        request,
        selection,
        misfits,
        image: of_use(plan, &job.image.value),
        shared_memory: Size(0),
        fabric: false,
        holds_open: false,
    })
}

fn name(
    plan: &Plan,
    noun: &Noun,
    workload: &Workload,
    beside: &[Gang],
    own: (&str, i64, i64),
    place: Place,
) -> String {
    if let Choice::Set(name) = &workload.name {
        return name.value.clone();
    }
    match place {
        Place::Vertex(_) => derived(&plan.model.catalog, Limit::VertexDisplay, &[&noun.name]),
        Place::Pool(_) | Place::Partition(_) => {
            let jobs = beside.iter().map(|job| (job.replicated_job.as_str(), 1, 1)).chain([own]);
            of_workload(&plan.model, noun, jobs)
        }
    }
}

/// Processes that a launch starts on a node, workers of a launcher included.
fn processes(launch: &Launch, chips: i64) -> i64 {
    match launch {
        Launch::Torchrun { .. } | Launch::Srun { .. } | Launch::Mpirun { .. } => chips.max(1),
        Launch::Python { .. } | Launch::Command { .. } => 1,
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

/// The pools that a queue may admit to.
fn admitted(plan: &Plan, queue: Option<Ref<Queue>>) -> Vec<NounId> {
    let pools = queue_of(plan, queue).into_iter().flat_map(|queue| &queue.pools);
    pools.map(|pool| pool.value.id()).collect()
}

/// What the pools have that a queue has flavors for.
fn offers<'a>(plan: &'a Plan, queue: Option<Ref<Queue>>, shop: &Shop<'_>) -> Vec<Offer<'a>> {
    let pools = queue.and_then(|queue| shop.flavors.get(&queue.id())).into_iter().flatten();
    pools.filter_map(|id| Some(Offer::of(*id, plan.pool(*id)?))).collect()
}

/// What a checkpoint usually takes; on spot nodes of GKE no more than they leave.
fn grace(plan: &Plan, workload: &Workload) -> Duration {
    if let Choice::Set(grace) = &workload.grace {
        return grace.value;
    }
    let spot = match workload.place.value {
        Place::Pool(pool) => {
            plan.model.body(pool).is_some_and(|pool| pool.capacity.value == Capacity::Spot)
        }
        Place::Partition(_) | Place::Vertex(_) => false,
    };
    let least = Duration(plan.model.catalog.limits().gke.spot_grace_seconds);
    if spot { least.min(GRACE) } else { GRACE }
}

/// What the catalog holds for training, but no more than half of the machine's memory, as Linux gives by itself.
fn shared_memory(catalog: &Catalog, workload: &Workload, machine: &Machine) -> Size {
    if let Choice::Set(size) = &workload.shared_memory {
        return size.value;
    }
    let usual = match format!("{}B", catalog.kubernetes().shm_size).parse() {
        Ok(crate::Quantity::Size(size)) => size.0,
        _ => u64::MAX,
    };
    // Memory of a machine is a positive number of GiB, or 0 where it is not known.
    let half = match machine.memory_gib as u64 {
        0 => u64::MAX,
        gib => (gib / SHARED_MEMORY_PART).max(1) << 30,
    };
    match usual.min(half) {
        u64::MAX => Size(1 << 30),
        size => Size(size),
    }
}

fn fabric(workload: &Workload, nodes: i64, machine: &Machine) -> bool {
    let direct = machine.network.gpudirect != GpuDirect::None;
    nodes > 1 && direct && workload.fabric == Choice::Auto
}
