//! What follows from a blueprint, as values of the language: every `derived` field of `stdlib/kinds`, one row each.
//!
//! Rules, asserts, outputs and editors read these. What does not follow (the machine is unknown, the noun could not be
//! understood) is `None`; what follows to be nothing is [`Value::Absent`].

use super::{Plan, SlicePlan};
use crate::catalog::{Arch, Catalog, GpuDirect, Machine, MachineKind};
use crate::nouns::Body;
use crate::plan::names::NameBudget;
use crate::{NounId, NounRef, Size, Value};
use slipform_source::Span;
use std::collections::BTreeMap;

mod cluster;
mod mounts;
mod other;
mod pool;
mod workload;

pub(super) use mounts::same_folders;
pub(super) use workload::asked_together;

/// The `derived` fields of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The kind that has the fields.
    pub kind: &'static str,
    /// The platform, for clusters.
    pub platform: Option<&'static str>,
    /// Rows that other kinds have too.
    shared: &'static [&'static [Fact]],
    rows: &'static [Fact],
}

/// One `derived` field.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The field.
    pub name: &'static str,
    /// It follows from the noun and the project alone, so that other fields may depend on it.
    pub own: bool,
    /// Its value for a noun of that kind.
    pub value: fn(&Plan, NounId) -> Option<Value>,
}

impl Table {
    /// Every table.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TABLES.iter().copied()
    }

    /// Its fields.
    pub fn facts(&self) -> impl Iterator<Item = &'static Fact> {
        self.rows.iter().chain(self.shared.iter().copied().flatten())
    }
}

impl Fact {
    /// Whether a derived field of a kind follows from the noun and the project alone.
    pub fn is_own(kind: &str, name: &str) -> bool {
        let tables = Table::all().filter(|table| table.kind == kind);
        tables.flat_map(Table::facts).any(|fact| fact.own && fact.name == name)
    }
}

/// What is made here or was there before.
const MADE: &[Fact] = &[fact("made", made)];

/// What a noun's names leave, and who has one already.
const NAMES: &[Fact] = &[fact("name_budget", name_budget), fact("name_clash", name_clash)];

/// The tables, one a kind.
const TABLES: [&Table; 15] = [
    &other::NETWORK,
    &other::BUCKET,
    &other::FILESYSTEM,
    &other::REGISTRY,
    &other::IDENTITY,
    &other::DASHBOARD,
    &other::IMAGE,
    &cluster::GKE,
    &cluster::SLURM,
    &cluster::VERTEX,
    &pool::POOL,
    &pool::PARTITION,
    &pool::QUEUE,
    &workload::WORKLOAD,
    &workload::SIDE_JOB,
];

/// The value of a `derived` field; `None` where it does not follow, or where the noun's kind has no such fact.
pub fn facts(plan: &Plan, id: NounId, name: &str) -> Option<Value> {
    let table = table(&plan.model.get(id)?.body)?;
    let fact = table.facts().find(|fact| fact.name == name)?;
    (fact.value)(plan, id)
}

fn table(body: &Body) -> Option<&'static Table> {
    match body {
        Body::Network(_) => Some(&other::NETWORK),
        Body::Bucket(_) => Some(&other::BUCKET),
        Body::Filesystem(_) => Some(&other::FILESYSTEM),
        Body::Registry(_) => Some(&other::REGISTRY),
        Body::Identity(_) => Some(&other::IDENTITY),
        Body::Dashboard(_) => Some(&other::DASHBOARD),
        Body::Image(_) => Some(&other::IMAGE),
        Body::GkeCluster(_) => Some(&cluster::GKE),
        Body::SlurmCluster(_) => Some(&cluster::SLURM),
        Body::VertexCluster(_) => Some(&cluster::VERTEX),
        Body::Pool(_) => Some(&pool::POOL),
        Body::Partition(_) => Some(&pool::PARTITION),
        Body::Queue(_) => Some(&pool::QUEUE),
        Body::Workload(_) => Some(&workload::WORKLOAD),
        Body::SideJob(_) => Some(&workload::SIDE_JOB),
        Body::Broken { .. } => None,
    }
}

const fn fact(name: &'static str, value: fn(&Plan, NounId) -> Option<Value>) -> Fact {
    Fact { name, own: false, value }
}

/// A fact of the noun and the project alone.
const fn own(name: &'static str, value: fn(&Plan, NounId) -> Option<Value>) -> Fact {
    Fact { name, own: true, value }
}

/// Records that many nouns share, built once a place.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    machine: Value,
    nics: Value,
    slice: Value,
}

/// The records of every pool, partition and cluster on Vertex AI.
pub(super) fn specs(plan: &Plan) -> BTreeMap<NounId, Spec> {
    let catalog = &*plan.model.catalog;
    let span = |id| {
        plan.model
            .get(id)
            .map(|noun| noun.fields.get("machine").map_or(noun.span, |field| field.span))
    };
    let mut specs = BTreeMap::new();
    let mut put =
        |id: NounId, machine: &Machine, slice: Option<&SlicePlan>, networks: Option<Networks>| {
            let Some(span) = span(id) else { return };
            let networks = networks.unwrap_or_else(|| Networks::of_machine(machine));
            let spec = Spec {
                machine: machine_value(catalog, machine, span),
                nics: networks.value(machine, span),
                slice: slice.map_or(Value::Absent, |slice| slice_value(slice, span)),
            };
            specs.insert(id, spec);
        };
    for (id, pool) in plan.pools() {
        let vpcs: std::collections::BTreeSet<_> =
            pool.data_networks.iter().map(|it| it.vpc.as_str()).collect();
        let networks = Networks { interfaces: pool.data_networks.len(), vpcs: vpcs.len() };
        put(id, &pool.machine, pool.slice.as_ref(), Some(networks));
    }
    for (id, partition) in plan.partitions() {
        put(id, &partition.machine, None, None);
    }
    for (id, vertex) in plan.vertex_clusters() {
        put(id, &vertex.machine, None, None);
    }
    specs
}

impl Plan {
    fn machine_fact(&self, place: NounId) -> Option<Value> {
        self.specs.get(&place).map(|spec| spec.machine.clone())
    }

    fn nics_fact(&self, place: NounId) -> Option<Value> {
        self.specs.get(&place).map(|spec| spec.nics.clone())
    }

    fn slice_fact(&self, place: NounId) -> Option<Value> {
        self.specs.get(&place).map(|spec| spec.slice.clone())
    }

    fn span(&self, id: NounId) -> Option<Span> {
        self.model.get(id).map(|noun| noun.span)
    }
}

/// Interfaces and networks besides the first.
struct Networks {
    interfaces: usize,
    vpcs: usize,
}

impl Networks {
    /// Hardware of one's own has no networks of a cloud, but cards next to its GPUs.
    fn of_machine(machine: &Machine) -> Self {
        let network = &machine.network;
        let interfaces = if machine.kind == MachineKind::Node {
            network.gpu_nics
        } else {
            network.additional_interfaces
        };
        Self { interfaces: interfaces as usize, vpcs: network.additional_vpcs as usize }
    }

    fn value(&self, machine: &Machine, span: Span) -> Value {
        let gpudirect = match machine.network.gpudirect {
            GpuDirect::None => "none",
            GpuDirect::Tcpx => "tcpx",
            GpuDirect::Tcpxo => "tcpxo",
            GpuDirect::Rdma => "rdma",
        };
        let mtu = machine.network.additional_vpc_mtu.map(|mtu| ("mtu", Value::Int(i64::from(mtu))));
        let rest = [
            ("data_nics", int(self.interfaces)),
            ("networks", int(self.vpcs)),
            ("gpudirect", gpudirect.into()),
        ];
        Value::record(rest.into_iter().chain(mtu), span)
    }
}

fn machine_value(catalog: &Catalog, machine: &Machine, span: Span) -> Value {
    let gpus = machine.accelerator.as_ref();
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
    let bf16 = gpus.and_then(|gpus| catalog.gpu(&gpus.gpu)).is_none_or(|gpu| gpu.bf16);
    let platform = if machine.arch == Arch::Arm64 { "arm64" } else { "amd64" };
    let always = [
        ("name", Value::str(&machine.name)),
        ("family", Value::str(&machine.family)),
        ("series", Value::str(&machine.series)),
        ("chips", Value::Int(i64::from(chips))),
        ("is_gpu", gpus.is_some().into()),
        ("is_tpu", tpu.is_some().into()),
        ("platform", platform.into()),
        ("nvlink_chips", Value::Int(gpus.map_or(1, |gpus| i64::from(gpus.nvlink_domain_gpus)))),
        ("bf16", bf16.into()),
        ("date", Value::str(&machine.date)),
    ];
    let sometimes = [
        (machine.vcpus > 0).then(|| ("vcpus", Value::Int(i64::from(machine.vcpus)))),
        (machine.memory_gib > 0.0).then(|| ("memory", Value::Size(gib(machine.memory_gib)))),
        accelerator.map(|name| ("accelerator", name.into())),
        chip_memory.map(|size| ("chip_memory", Value::Size(size))),
    ];
    Value::record(always.into_iter().chain(sometimes.into_iter().flatten()), span)
}

/// Memory is printed in GiB with halves at the smallest machines.
fn gib(amount: f64) -> Size {
    Size(((amount * 1024.0).round() as u64) << 20)
}

fn slice_value(slice: &SlicePlan, span: Span) -> Value {
    let always = [
        ("hosts", Value::Int(slice.hosts)),
        ("chips", Value::Int(slice.chips)),
        ("chips_per_host", Value::Int(slice.chips_per_host)),
        ("topology", Value::Topology(slice.topology.clone())),
        ("single_host", slice.single_host.into()),
    ];
    let name = slice.name.as_ref().map(|name| ("name", Value::str(name)));
    Value::record(always.into_iter().chain(name), span)
}

/// The tightest of a noun's names.
fn name_budget(plan: &Plan, id: NounId) -> Option<Value> {
    let NameBudget { limit, name, used, least, most } = plan.name_budgets(id).into_iter().next()?;
    let entries = [
        ("what", Value::str(limit.what())),
        ("name", Value::str(name)),
        ("used", Value::Int(used)),
        ("least", Value::Int(least)),
        ("most", Value::Int(most)),
    ];
    Some(Value::record(entries, plan.span(id)?))
}

/// Whether the blueprint makes a noun, instead of naming what exists.
fn made(plan: &Plan, id: NounId) -> Option<Value> {
    plan.model.get(id).map(|noun| (!noun.existing).into())
}

/// The noun that has the same name already.
fn name_clash(plan: &Plan, id: NounId) -> Option<Value> {
    let kind = plan.model.get(id)?.body.kind();
    maybe(plan.name_clash(id).map(|id| Value::Ref(NounRef { id, kind: kind.into() })))
}

/// A value where there is one, nothing otherwise: for optional fields that are known to be absent.
fn maybe<T: Into<Value>>(value: Option<T>) -> Option<Value> {
    Some(value.map_or(Value::Absent, Into::into))
}

fn strings<'a>(items: impl IntoIterator<Item = &'a str>, span: Span) -> Value {
    Value::list(items.into_iter().map(Value::from), span)
}

fn int(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
