//! Gangs: where equal nodes are, how many of them, what each asks for, and how their processes find each other.

use super::fit::{request, selection};
use super::image::of_use;
use super::levels::{nearness, usual};
use super::{parts, slicing};
use crate::catalog::{Catalog, GpuDirect, Machine};
use crate::nouns::{After, Capacity, Choice, GkeCluster, Identity, Launch, OfNodes, Ref};
use crate::plan::fit::{Need, Offer, misfits};
use crate::plan::{
    Amounts, Awaits, Gang, Misfit, Place, Plan, PodPlan, PoolPlan, Program, Selection, Until,
};
use crate::{Duration, Noun, NounId, Size};
use indexmap::IndexMap;
use slipform_source::Spanned;
use std::sync::Arc;

/// A policy of ours: how long before its end a gang is warned, where its workload does not say so.
const GRACE: Duration = Duration(300);

/// A workload's shared memory is at most one part in so many of the machine's memory.
const SHARED_MEMORY_PART: u64 = 2;

/// The place that nodes are at, as far as it is known.
pub(crate) struct Ground<'a> {
    pub(crate) place: Place,
    pub(crate) machine: &'a Machine,
    chips_per_node: i64,
    /// Nodes of one slice, where slices have several.
    slice_hosts: Option<i64>,
    /// Slices are joined and cut as workloads are admitted.
    dynamic: bool,
    /// Nodes that the place has in all.
    nodes: i64,
}

/// Replicas, nodes of each, and nodes in all.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) slices: i64,
    pub(crate) nodes_per_slice: i64,
    pub(crate) nodes: i64,
}

/// What a gang has to do with its run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The workload's own nodes.
    Lead,
    /// A group without which the run is not over.
    Decides,
    /// A group that comes and goes with the run.
    Helps,
}

impl Part {
    pub(crate) fn of(decides: bool) -> Self {
        if decides { Self::Decides } else { Self::Helps }
    }
}

/// Equal nodes whose size and name among the groups are known.
pub(crate) struct Sized<'a> {
    pub(crate) noun: &'a Noun,
    pub(crate) own: OfNodes<'a>,
    pub(crate) part: Part,
    pub(crate) ground: Ground<'a>,
    pub(crate) extent: Extent,
    pub(crate) role: String,
}

/// The run that a gang is part of, as far as it is known before its gangs are.
pub(crate) struct Around<'a> {
    /// What it is called where it runs.
    pub(crate) name: &'a str,
    /// The cluster, on GKE.
    pub(crate) cluster: Option<Ref<GkeCluster>>,
    /// How long before their end its gangs are warned, where that is said.
    pub(crate) grace: Option<Duration>,
    /// Whom the workload acts as.
    pub(crate) identity: Option<Ref<Identity>>,
    /// The Kubernetes service account that it takes as it is.
    pub(crate) account: Option<&'a str>,
    /// The pools that its queue may admit it to; none where it has no queue.
    pub(crate) admitted: Option<Vec<NounId>>,
    /// Its queue places its pods.
    pub(crate) placed: bool,
    /// Nodes that it keeps away from.
    pub(crate) avoided: &'a [Spanned<String>],
    /// Labels that its own nodes have.
    pub(crate) only: &'a IndexMap<String, String>,
    /// Labels that its own nodes have if they can.
    pub(crate) preferred: &'a IndexMap<String, String>,
    /// What the pools have that its queue has flavors for.
    pub(crate) offers: Vec<Offer<'a>>,
    /// What those of its groups that share nodes ask of a pool.
    pub(crate) beside: &'a dyn Fn(NounId) -> Amounts,
    /// What groups of all workloads that share nodes ask of a pool.
    pub(crate) jobs: &'a dyn Fn(NounId) -> Amounts,
    /// All its gangs.
    pub(crate) gangs: &'a [Sized<'a>],
}

pub(crate) fn ground(plan: &Plan, place: Place) -> Option<Ground<'_>> {
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
            dynamic: pool.slicing.is_some(),
            nodes: pool.max_nodes(),
        }),
        Place::Partition(partition) => plan.partition(partition).map(|partition| Ground {
            place,
            machine: &partition.machine,
            chips_per_node: partition.devices(),
            slice_hosts: partition
                .slice
                .as_ref()
                .filter(|slice| !slice.single_host)
                .map(|slice| slice.hosts),
            dynamic: false,
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
            dynamic: false,
            nodes: 1,
        }),
    }
}

/// How many nodes there are. By themselves a workload's own are all of their place, and a group's are one.
pub(crate) fn extent(own: &OfNodes<'_>, part: Part, ground: &Ground<'_>) -> Extent {
    let slices = own.slices.max(1);
    let said = own.nodes.map(|nodes| nodes.max(1));
    let usual = if part == Part::Lead { ground.nodes.max(1) } else { 1 };
    let cut = own.shape.filter(|_| ground.dynamic).map(|shape| {
        let chips = i64::try_from(shape.chips()).unwrap_or(i64::MAX);
        parts(chips, ground.chips_per_node)
    });
    let nodes_per_slice = match (cut.or(ground.slice_hosts), said) {
        (Some(hosts), _) => hosts,
        (None, Some(nodes)) => parts(nodes, slices),
        (None, None) if ground.machine.tpu.is_some() => 1,
        (None, None) => parts(usual, slices),
    };
    Extent { slices, nodes_per_slice, nodes: slices.saturating_mul(nodes_per_slice) }
}

/// What each node of a gang gives it of a pool, containers beside its own included. Devices by themselves are all that a node
/// has, and none for a helper.
pub(crate) fn asked(own: &OfNodes<'_>, part: Part, program: &Program, whole: Amounts) -> Amounts {
    let beside = program.beside();
    let cpus = |cpus: i64| cpus.saturating_mul(1000).saturating_add(beside.millicpus);
    let memory = |memory: Size| Size(memory.0.saturating_add(beside.memory.0));
    Amounts {
        devices: devices(own, part, whole.devices),
        millicpus: own.cpus.map_or(whole.millicpus, cpus),
        memory: own.memory.map_or(whole.memory, memory),
        disk: whole.disk,
    }
}

/// Devices that each node of a gang gives it: by themselves all that a node has, and none for a helper.
fn devices(own: &OfNodes<'_>, part: Part, whole: i64) -> i64 {
    own.accelerators.unwrap_or(if part == Part::Helps { 0 } else { whole })
}

/// Whether nodes of a gang are shared with others: it says what it asks for.
pub(crate) fn shares(own: &OfNodes<'_>) -> bool {
    own.cpus.is_some() && own.memory.is_some()
}

/// The gang; nothing where its program could not be understood.
pub(crate) fn gang(plan: &Plan, it: &Sized<'_>, around: &Around<'_>) -> Option<Gang> {
    let Sized { noun, own, part, ground, extent, role } = it;
    let Extent { slices, nodes_per_slice, nodes } = *extent;
    let program = plan.program(noun.id)?.clone();
    let chips_per_node = devices(own, *part, ground.chips_per_node);
    let processes_per_node =
        own.processes.unwrap_or_else(|| processes(&own.launch.value, chips_per_node));
    let whole = chips_per_node == ground.chips_per_node && *part != Part::Helps;
    let (identity, lent) = actor(own, around);
    let many = nodes > 1 && whole && own.fabric == Choice::Auto;
    let fabric = many && (is_direct(ground.machine) || on_second(plan, it, identity, lent));
    let node = whole_node(plan, it, around, &program);
    let request = node.map_or(Amounts::NONE, |node| asked(own, *part, &program, node));
    let single = nodes == 1 && processes_per_node == 1 && *part != Part::Lead;
    let pods = matches!(ground.place, Place::Pool(_));
    Some(Gang {
        role: role.clone(),
        slices,
        nodes_per_slice,
        nodes,
        chips_per_node,
        processes_per_node,
        world_size: nodes.saturating_mul(processes_per_node),
        rendezvous: (pods && !single).then(|| format!("{0}-{role}-0-0.{0}", around.name)),
        port: own.port,
        request,
        image: of_use(plan, &own.image.value),
        shared_memory: shared_memory(&plan.model.catalog, own, *part, ground.machine),
        fabric,
        identity,
        pod: pod_plan(plan, it, around, fabric, request),
        grace: around.grace.unwrap_or_else(|| grace(plan, ground.place)),
        after: awaits(own, around),
        ready_when: own.ready_when.map(|probe| probe.value.clone()),
        retries: own.retries,
        decides: *part != Part::Helps,
        program,
    })
}

/// What each node of a gang has for it, where it is one of a pool or a partition.
fn whole_node(
    plan: &Plan,
    it: &Sized<'_>,
    around: &Around<'_>,
    program: &Program,
) -> Option<Amounts> {
    match it.ground.place {
        Place::Pool(id) => {
            let (id, pool) = (id.id(), plan.pool(id)?);
            let places = around.admitted.iter().flatten().copied().chain([id]);
            let jobs = places.map(around.jobs).fold(Amounts::NONE, Amounts::most);
            Some(request(program, pool, it.own.accelerators, (around.beside)(id), jobs))
        }
        Place::Partition(partition) => plan.partition(partition)?.node,
        Place::Vertex(_) => None,
    }
}

/// What a node has for pods, in whole GiB; of one that gives a part of its GPUs, that part of it.
fn memory_limit(pool: &PoolPlan, request: Amounts) -> Size {
    let whole = pool.allocatable;
    let part = match (u64::try_from(request.devices), u64::try_from(whole.devices)) {
        (Ok(some @ 1..), Ok(all)) if some < all => whole.memory.0 / all * some,
        _ => whole.memory.0,
    };
    Size(part >> 30 << 30)
}

/// Whom a gang acts as: by itself, or as the workload does.
fn actor<'a>(own: &OfNodes<'a>, around: &Around<'a>) -> (Option<Ref<Identity>>, Option<&'a str>) {
    let account = own.account.map(|account| account.value.as_str());
    if own.identity.is_some() || account.is_some() {
        return (own.identity, account);
    }
    (around.identity, around.account)
}

/// Whether pods use the network of their nodes, which is faster, and which slices of several hosts do by themselves. Workload Identity does
/// not reach such pods: with an identity or an account they keep their own network.
fn on_host(own: &OfNodes<'_>, of_slices: bool, acts_as_one: bool) -> bool {
    own.host_network.unwrap_or(of_slices && !acts_as_one)
}

/// What the pods of a gang are, and where they may be.
fn pod_plan(
    plan: &Plan,
    it: &Sized<'_>,
    around: &Around<'_>,
    fabric: bool,
    request: Amounts,
) -> PodPlan {
    let Sized { own, ground, extent, role, .. } = it;
    let pool = match ground.place {
        Place::Pool(id) => plan.pool(id).map(|pool| (id.id(), pool)),
        Place::Partition(_) | Place::Vertex(_) => None,
    };
    let found = pool.map(|(id, pool)| led(plan, it, around, (id, pool), fabric, request));
    let (selection, misfits) = found.unwrap_or_default();
    let of_slices = ground.slice_hosts.is_some() && request.devices > 0;
    let whole = of_slices && !ground.dynamic;
    let nearness = nearness(own, *extent, whole, around.placed).or_else(|| {
        let chosen = around.placed && !of_slices && request.devices > 0;
        chosen.then(|| usual(plan, &selection, *extent)).flatten()
    });
    let (identity, lent) = actor(own, around);
    let account = lent.or_else(|| plan.name(identity?).map(String::as_str));
    let pool = pool.map(|(_, pool)| pool);
    PodPlan {
        container: own.container.unwrap_or(role).to_owned(),
        privileged: own.privileged,
        capabilities: own.capabilities.to_vec(),
        ports: own.ports.iter().map(|(name, port)| (name.clone(), *port)).collect(),
        deadline: own.deadline,
        account: account.unwrap_or("default").to_owned(),
        lent_account: lent.is_some(),
        host_network: on_host(own, of_slices, identity.is_some() || lent.is_some()),
        memory_limit: pool.filter(|_| own.memory.is_none()).map(|pool| memory_limit(pool, request)),
        selection,
        misfits,
        domain: own.domain.map(|domain| domain.value.clone()),
        nearness,
        cut: pool.and_then(|pool| slicing::cut(plan, pool, own.shape, *extent)).map(Box::new),
    }
}

/// What a checkpoint usually takes; on spot nodes of GKE no more than they leave.
fn grace(plan: &Plan, place: Place) -> Duration {
    let spot = match place {
        Place::Pool(pool) => {
            plan.model.body(pool).is_some_and(|pool| pool.capacity.value == Capacity::Spot)
        }
        Place::Partition(_) | Place::Vertex(_) => false,
    };
    let least = Duration(plan.model.catalog.limits().gke.spot_grace_seconds);
    if spot { least.min(GRACE) } else { GRACE }
}

/// Whom the gang waits for. What is not of this run is left out: that is reported where it stands.
fn awaits(own: &OfNodes<'_>, around: &Around<'_>) -> Vec<Awaits> {
    let of = |after: After| {
        let awaited = around.gangs.iter().find(|it| it.noun.id == after.awaited().id())?;
        let until = match after {
            After::Ready { group: _ } => Until::Ready,
            After::Complete { group: _ } => Until::Complete,
        };
        Some(Awaits { role: awaited.role.clone(), until })
    };
    own.after.iter().filter_map(|after| of(after.value)).collect()
}

/// How the pods of a gang find their nodes, and why they do not fit the pool that it names. A workload's own may be admitted
/// to any pool of its queue that fits; a group's run where it says.
fn led(
    plan: &Plan,
    it: &Sized<'_>,
    around: &Around<'_>,
    (id, pool): (NounId, &PoolPlan),
    fabric: bool,
    request: Amounts,
) -> (Selection, Vec<Misfit>) {
    // nodes of other pools keep no checkpoints of it
    let kept = plan.program(it.noun.id).is_some_and(|program| program.keeps_checkpoints());
    let lead = it.part == Part::Lead && !kept;
    let alone = [id];
    let offered = around.offers.iter().find(|offer| lead && offer.pool == id);
    let own = offered.copied().unwrap_or_else(|| Offer::of(id, pool));
    let need = Need {
        cluster: around.cluster.map_or(own.cluster, Ref::id),
        admitted: around.admitted.as_deref().filter(|_| lead).unwrap_or(&alone),
        node: (it.part != Part::Helps || request.devices > 0).then_some(own.node),
        fabric,
        request,
        pods: it.extent.nodes,
        slices: it.extent.slices,
    };
    let offers = if lead { around.offers.as_slice() } else { &[] };
    let mut selection = selection(&plan.model.catalog, &need, own, offers);
    if !around.avoided.is_empty() {
        let names = around.avoided.iter().map(|name| name.value.clone());
        let key = plan.model.catalog.kubernetes().labels.hostname.clone();
        selection.barred.entry(key).or_default().extend(names);
    }
    for (key, value) in around.only.iter().filter(|_| it.part == Part::Lead) {
        let labels = Arc::make_mut(&mut selection.labels);
        labels.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let preferred = around.preferred.iter().filter(|_| it.part == Part::Lead);
    selection.preferred = preferred.map(|(key, it)| (key.clone(), it.clone())).collect();
    (selection, misfits(&need, &own))
}

/// Processes that a launch starts on a node, workers of a launcher included.
fn processes(launch: &Launch, chips: i64) -> i64 {
    match launch {
        Launch::Torchrun { .. } | Launch::Srun { .. } | Launch::Mpirun { .. } => chips.max(1),
        Launch::Python { .. }
        | Launch::Command { .. }
        | Launch::Submitter { .. }
        | Launch::Entrypoint { .. } => 1,
    }
}

/// What the catalog holds for training, but no more than half of the machine's memory, as Linux gives by itself. What asks
/// for a part of a node has none unless it says so.
fn shared_memory(catalog: &Catalog, own: &OfNodes<'_>, part: Part, machine: &Machine) -> Size {
    if let Some(size) = own.shared_memory {
        return size;
    }
    if part == Part::Helps || part == Part::Decides && shares(own) {
        return Size(0);
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

/// Whether GPUs reach the network by themselves.
fn is_direct(machine: &Machine) -> bool {
    machine.network.gpudirect != GpuDirect::None
}

/// Whether pods have an interface on the second network of their pool; those on the network of their node have it anyway.
fn on_second(
    plan: &Plan,
    it: &Sized<'_>,
    identity: Option<Ref<Identity>>,
    lent: Option<&str>,
) -> bool {
    let Place::Pool(pool) = it.ground.place else { return false };
    let asked = plan.model.body(pool).is_some_and(|pool| pool.second_network.value);
    let whole_slices = it.ground.slice_hosts.is_some();
    asked && !on_host(&it.own, whole_slices, identity.is_some() || lent.is_some())
}
