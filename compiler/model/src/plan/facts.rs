//! What follows from a blueprint, as values of the language: every `derived` field of `stdlib/kinds`, one row each.
//!
//! Rules, asserts, outputs and editors read these. What does not follow (the machine is unknown, the noun could not be
//! understood) is `None`; what follows to be nothing is [`Value::Absent`].

use super::{Alone, Plan, SlicePlan};
use crate::catalog::{self, Arch, Catalog, GpuDirect, MachineKind};
use crate::nouns::Body;
use crate::shape::Shape;
use crate::{Map, NounId, Size, Value};
use records::{Budget, Machine, NicPlan, QuotaShortage, Slice};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use told::{Alike, Kept, Told};

mod addresses;
mod at_odds;
mod attached;
mod cluster;
mod costly;
mod hosts;
mod machine_image;
mod machines;
mod mounts;
mod nodes;
mod other;
mod pool;
mod published;
mod records;
mod reducers;
mod removed;
mod said;
mod scripts;
mod served;
mod settings;
mod software;
mod told;
mod told_to;
mod tuned;
mod workload;

pub(super) use mounts::{SharedFolders, shared_folders};
pub use settings::taken as read_as;
pub(super) use workload::asked_together;

/// The `derived` fields of a kind.
#[derive(Clone, Copy)]
pub struct Table {
    /// The kind that has the fields.
    pub kind: &'static str,
    /// The platform, for clusters.
    pub platform: Option<&'static str>,
    /// Rows that other kinds have too.
    shared: &'static [&'static [&'static dyn Fact]],
    rows: &'static [&'static dyn Fact],
}

/// One `derived` field.
pub trait Fact: Sync {
    /// The field.
    fn name(&self) -> &'static str;
    /// Its type.
    fn shape(&self) -> Shape;
    /// Its value for a noun of its kind.
    fn value(&self, plan: &Plan, id: NounId) -> Option<Value>;
    /// Its value where it follows from the noun and the project alone.
    fn alone(&self, _: &Alone<'_>) -> Option<Value> {
        None
    }
    /// It follows from the noun and the project alone, so that other fields may depend on it.
    fn is_own(&self) -> bool {
        false
    }
}

/// A fact of the type `T`.
struct Row<T> {
    name: &'static str,
    value: fn(&Plan, NounId) -> Option<T>,
}

impl<T: Told> Fact for Row<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn shape(&self) -> Shape {
        T::shape()
    }

    fn value(&self, plan: &Plan, id: NounId) -> Option<Value> {
        Some((self.value)(plan, id)?.value(plan.model.get(id)?.span))
    }
}

/// A text that follows from the noun and the project alone.
struct Own {
    name: &'static str,
    value: fn(&Alone<'_>) -> Option<String>,
}

impl Fact for Own {
    fn name(&self) -> &'static str {
        self.name
    }

    fn shape(&self) -> Shape {
        String::shape()
    }

    fn value(&self, plan: &Plan, id: NounId) -> Option<Value> {
        self.alone(&Alone::of(plan, id)?)
    }

    fn alone(&self, noun: &Alone<'_>) -> Option<Value> {
        (self.value)(noun).map(Value::str)
    }

    fn is_own(&self) -> bool {
        true
    }
}

const fn fact<T: Told>(name: &'static str, value: fn(&Plan, NounId) -> Option<T>) -> Row<T> {
    Row { name, value }
}

/// The lines of scripts.
fn lines<'a>(scripts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    scripts.into_iter().flat_map(str::lines).map(|line| line.trim().to_owned()).collect()
}

const fn own(name: &'static str, value: fn(&Alone<'_>) -> Option<String>) -> Own {
    Own { name, value }
}

impl Table {
    /// Every table.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TABLES.iter().copied()
    }

    fn is_of(&self, body: &Body) -> bool {
        self.kind == body.kind() && self.platform == body.platform()
    }

    /// Its fields.
    pub fn facts(&self) -> impl Iterator<Item = &'static dyn Fact> {
        self.rows.iter().chain(self.shared.iter().copied().flatten()).copied()
    }
}

/// Whether a derived field of a kind follows from the noun and the project alone.
pub fn is_own(kind: &str, name: &str) -> bool {
    let tables = Table::all().filter(|table| table.kind == kind);
    tables.flat_map(Table::facts).any(|fact| fact.is_own() && fact.name() == name)
}

/// What is made here or was there before.
const MADE: &[&dyn Fact] =
    &[&fact("made", |plan, id| plan.model.get(id).map(|noun| !plan.is_there(noun)))];

/// It is of another project than the blueprint's.
const ABROAD: &[&dyn Fact] = &[&fact("abroad", |plan, id| {
    let own = plan.model.project.as_deref();
    Some(plan.owner(id).is_some_and(|owner| own != Some(owner)))
})];

/// The tightest of a noun's names.
const NAME_BUDGET: &[&dyn Fact] =
    &[&fact("name_budget", |plan, id| plan.name_budgets(id).into_iter().next().map(Budget::from))];

/// The reservation of the blueprint that nodes are taken from.
const RESERVED: &[&dyn Fact] = &[&fact("reserved", |plan, id| Some(plan.reserved_of(id)))];

/// The quotas of the project that are too little for it and those before it.
const SHORT_OF_QUOTA: &[&dyn Fact] = &[&fact("short_of_quota", |plan, id| {
    Some(plan.short_of_quota(id).iter().map(QuotaShortage::from).collect::<Vec<_>>())
})];

/// The noun that has the same name already.
const NAME_CLASH: &[&dyn Fact] = &[&fact("name_clash", |plan, id| {
    let kind = plan.model.get(id)?.body.kind();
    Some(plan.name_clash(id).map(|id| Alike(id, kind)))
})];

/// The tables, one a kind.
const TABLES: [&Table; 18] = [
    &other::NETWORK,
    &other::BUCKET,
    &other::FILESYSTEM,
    &other::REGISTRY,
    &other::IDENTITY,
    &other::DASHBOARD,
    &other::RESERVATION,
    &other::IMAGE,
    &machine_image::MACHINE_IMAGE,
    &cluster::GKE,
    &cluster::SLURM,
    &cluster::VERTEX,
    &pool::POOL,
    &pool::PARTITION,
    &machines::MACHINES,
    &pool::QUEUE,
    &workload::WORKLOAD,
    &nodes::GROUP,
];

/// The facts of each name, with the tables that have them: rules ask each noun for many.
static FACTS: LazyLock<Map<&'static str, Vec<Owned>>> = LazyLock::new(|| {
    let mut facts: Map<&str, Vec<Owned>> = Map::default();
    for table in Table::all() {
        for fact in table.facts() {
            facts.entry(fact.name()).or_default().push((table, fact));
        }
    }
    facts
});

type Owned = (&'static Table, &'static dyn Fact);

/// The fact that a `derived` field of a kind holds; none where the kind has no such field.
pub fn fact_of(kind: &str, platform: Option<&str>, name: &str) -> Option<&'static dyn Fact> {
    let mut named = FACTS.get(name)?.iter();
    let owned = named.find(|(table, _)| table.kind == kind && table.platform == platform);
    owned.map(|(_, fact)| *fact)
}

/// The value of a fact of a noun's kind; `None` where it does not follow.
pub fn follows(plan: &Plan, id: NounId, fact: &dyn Fact) -> Option<Value> {
    let known = !matches!(plan.model.get(id)?.body, Body::Broken { .. });
    known.then(|| fact.value(plan, id))?
}

/// The value of a `derived` field; `None` where it does not follow, or where the noun's kind has no such fact.
pub fn facts(plan: &Plan, id: NounId, name: &str) -> Option<Value> {
    let body = &plan.model.get(id)?.body;
    follows(plan, id, fact_of(body.kind(), body.platform(), name)?)
}

/// The facts of a noun's kind; none where it could not be understood.
pub(super) fn of_kind(body: &Body) -> Option<&'static Table> {
    let known = !matches!(body, Body::Broken { .. });
    Table::all().find(|table| known && table.is_of(body))
}

/// Records that many nouns share, built once a place.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    machine: Kept<Machine>,
    nics: Kept<NicPlan>,
    slice: Kept<Option<Slice>>,
}

/// The records of every pool, partition, plain machines and cluster on Vertex AI.
pub(super) fn specs(plan: &Plan) -> BTreeMap<NounId, Spec> {
    let catalog = &*plan.model.catalog;
    let span = |id| {
        plan.model
            .get(id)
            .map(|noun| noun.fields.get("machine").map_or(noun.span, |field| field.span))
    };
    let mut specs = BTreeMap::new();
    let mut put = |id: NounId,
                   machine: &catalog::Machine,
                   slice: Option<&SlicePlan>,
                   networks: (usize, usize)| {
        let Some(at) = span(id) else { return };
        let spec = Spec {
            machine: Kept::new(machine_of(catalog, machine), at),
            nics: Kept::new(nics_of(machine, networks), at),
            slice: Kept::new(slice.map(Slice::from), at),
        };
        specs.insert(id, spec);
    };
    for (id, pool) in plan.pools() {
        let vpcs: BTreeSet<_> = pool.data_networks.iter().map(|it| it.vpc.as_str()).collect();
        put(id, &pool.machine, pool.slice.as_ref(), (pool.data_networks.len(), vpcs.len()));
    }
    for (id, partition) in plan.partitions() {
        put(id, &partition.machine, partition.slice.as_ref(), networks_of(&partition.machine));
    }
    for (id, machines) in plan.machines() {
        let slice = machines.slices.as_ref().map(|slices| &slices.one);
        put(id, &machines.machine, slice, networks_of(&machines.machine));
    }
    for (id, vertex) in plan.vertex_clusters() {
        put(id, &vertex.machine, None, networks_of(&vertex.machine));
    }
    specs
}

impl Plan {
    fn machine_fact(&self, place: NounId) -> Option<Kept<Machine>> {
        self.specs.get(&place).map(|spec| spec.machine.clone())
    }

    fn nics_fact(&self, place: NounId) -> Option<Kept<NicPlan>> {
        self.specs.get(&place).map(|spec| spec.nics.clone())
    }

    fn slice_fact(&self, place: NounId) -> Option<Kept<Option<Slice>>> {
        self.specs.get(&place).map(|spec| spec.slice.clone())
    }
}

/// What the processors of a machine run, as images say it.
fn platform(machine: &catalog::Machine) -> &'static str {
    if machine.arch == Arch::Arm64 { "arm64" } else { "amd64" }
}

/// Interfaces and networks besides the first. Hardware of one's own has no networks of a cloud, but cards next to its
/// GPUs.
fn networks_of(machine: &catalog::Machine) -> (usize, usize) {
    let network = &machine.network;
    let interfaces = if machine.kind == MachineKind::Node {
        network.gpu_nics
    } else {
        network.additional_interfaces
    };
    (interfaces as usize, network.additional_vpcs as usize)
}

fn nics_of(machine: &catalog::Machine, (interfaces, vpcs): (usize, usize)) -> NicPlan {
    let gpudirect = match machine.network.gpudirect {
        GpuDirect::None => "none",
        GpuDirect::Tcpx => "tcpx",
        GpuDirect::Tcpxo => "tcpxo",
        GpuDirect::Rdma => "rdma",
    };
    NicPlan {
        data_nics: int(interfaces),
        networks: int(vpcs),
        gpudirect: gpudirect.to_owned(),
        mtu: machine.network.additional_vpc_mtu.map(i64::from),
    }
}

fn machine_of(catalog: &Catalog, machine: &catalog::Machine) -> Machine {
    let gpus = machine.accelerator.as_ref();
    let gpu = gpus.and_then(|gpus| catalog.gpu(&gpus.gpu));
    let tpu = machine.tpu.as_ref();
    let chips = gpus.map(|gpus| gpus.count).or(tpu.map(|tpu| tpu.chips)).unwrap_or(0);
    let accelerator = gpus.map(|gpus| gpus.gpu.as_str()).or(tpu.map(|tpu| tpu.generation.as_str()));
    let chip_memory = match (gpus, tpu) {
        (Some(gpus), _) => Some(Size(u64::from(gpus.memory_gb_each) * 1_000_000_000)),
        (None, Some(tpu)) => {
            catalog.tpu(&tpu.generation).map(|tpu| Size(u64::from(tpu.hbm_gib_per_chip) << 30))
        }
        (None, None) => None,
    };
    Machine {
        name: machine.name.clone(),
        family: machine.family.clone(),
        series: machine.series.clone(),
        chips: i64::from(chips),
        is_gpu: gpus.is_some(),
        is_tpu: tpu.is_some(),
        platform: platform(machine).to_owned(),
        egress_tier_1: machine.network.tier1_gbps.map(i64::from),
        nvlink_chips: gpus.map_or(1, |gpus| i64::from(gpus.nvlink_domain_gpus)),
        jax_devices: tpu
            .and_then(|tpu| catalog.tpu(&tpu.generation))
            .map_or(1, |tpu| i64::from(tpu.jax_devices_per_chip).max(1)),
        bf16: gpu.is_none_or(|gpu| gpu.bf16),
        gone: gpu.and_then(|gpu| gpu.gone.clone()),
        date: machine.date.clone(),
        vcpus: (machine.vcpus > 0).then(|| i64::from(machine.vcpus)),
        memory: (machine.memory_gib > 0.0).then(|| gib(machine.memory_gib)),
        accelerator: accelerator.map(str::to_owned),
        chip_memory,
    }
}

/// Memory is printed in GiB with halves at the smallest machines.
fn gib(amount: f64) -> Size {
    Size(((amount * 1024.0).round() as u64) << 20)
}

impl From<&SlicePlan> for Slice {
    fn from(slice: &SlicePlan) -> Self {
        Self {
            hosts: slice.hosts,
            chips: slice.chips,
            chips_per_host: slice.chips_per_host,
            topology: slice.topology.clone(),
            single_host: slice.single_host,
            name: slice.name.clone(),
        }
    }
}

fn strings<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    items.into_iter().map(str::to_owned).collect()
}

fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
