//! Node pools: how many nodes they have, how they are told apart, and what pods must say to get there.

use super::allocatable::{Disks, allocatable, local_disk};
use super::place::{boot_disk, placement};
use super::vertex::attached;
use super::{parts, slicing};
use crate::catalog::{
    CapacityModel, Catalog, Claim, GpuDirect, Machine, MachineKind, Slicing, SsdMode, Stack,
    TaintEffect,
};
use crate::nouns::{
    Body, Capacity, Choice, Flavor, GkeCluster, LocalSsd, NodeTaint, Nodes, Pool, Ref, Release,
    Sharing, Upgrades,
};
use crate::plan::names::{Limit, derived};
use crate::plan::{
    Amounts, DataNetwork, NodePool, Plan, PoolPlan, Program, SlicePlan, Taint, Taken,
};
use crate::{Noun, NounId, Size, Topology};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The node label that holds the name of a pool where several node pools share it.
const POOL_LABEL: &str = "slipform-pool";
/// The label of nodes of a flavor of several pools.
const FLAVOR_LABEL: &str = "slipform-flavor";

/// The label's value where containers take turns on a GPU.
const TIME_SHARING: &str = "time-sharing";

/// What the catalog's table of GKE calls a column of capacity.
pub(crate) fn capacity_model(capacity: &Capacity) -> CapacityModel {
    match capacity {
        Capacity::OnDemand => CapacityModel::OnDemand,
        Capacity::Spot => CapacityModel::Spot,
        Capacity::Reservation { .. } | Capacity::AnyReservation => CapacityModel::Reservation,
        Capacity::FlexStart { .. } | Capacity::Queued { .. } => CapacityModel::FlexStart,
        Capacity::Calendar { .. } => CapacityModel::Calendar,
    }
}

pub(crate) fn pools(
    plan: &Plan,
    mut networks: BTreeMap<NounId, Vec<DataNetwork>>,
) -> BTreeMap<NounId, PoolPlan> {
    let scratch = most(plan, Program::scratch);
    let checkpoints = most(plan, Program::checkpoints);
    let mut pools = BTreeMap::new();
    for (noun, pool) in plan.model.pools() {
        let machine = plan.model.catalog.machine(&pool.machine);
        let gpus = pool.gpus.map(|it| it.value);
        let with_gpus = |machine| match gpus {
            Some(_) => Cow::Owned(attached(&plan.model.catalog, machine, gpus)),
            None => Cow::Borrowed(machine),
        };
        let Some(machine) = machine.map(with_gpus) else { continue };
        let Some(draft) = Draft::new(plan, noun, pool, &machine) else { continue };
        let networks = networks.remove(&noun.id).unwrap_or_default();
        let scratch = scratch.get(&noun.id).copied();
        let mut pool = draft.finish(networks, scratch);
        // what is kept for checkpoints is kept on every node, whoever runs there
        let kept = checkpoints.get(&noun.id).copied().unwrap_or(Size(0));
        pool.allocatable = pool.allocatable.less(Amounts { memory: kept, ..Amounts::NONE });
        pools.insert(noun.id, pool);
    }
    pools
}

/// What the most demanding program on each pool wants of each node.
fn most(plan: &Plan, of: fn(&Program) -> Size) -> BTreeMap<NounId, Size> {
    let gangs = plan.programs().map(|(_, it)| (it.place.value.id(), of(it)));
    let mut wanted: BTreeMap<NounId, Size> = BTreeMap::new();
    for (pool, size) in gangs.filter(|(_, size)| size.0 > 0) {
        let most = wanted.entry(pool).or_insert(size);
        *most = size.max(*most);
    }
    wanted
}

/// How large a pool is.
pub(crate) struct Extent {
    pub(crate) slice: Option<SlicePlan>,
    pub(crate) node_pools: i64,
    /// Of each node pool.
    pub(crate) nodes: (i64, i64),
    pub(crate) elastic: bool,
}

/// The size of a pool on a machine.
pub(crate) fn extent(catalog: &Catalog, pool: &Pool, machine: &Machine) -> Extent {
    let slice = slice(catalog, pool.topology.as_ref().map(|it| &it.value), machine);
    let node_pools = pool.slices.value.clamp(1, 100_000);
    let hosts = slice.as_ref().map_or(1, |slice| slice.hosts);
    let each = |nodes: i64| parts(nodes, node_pools);
    let (least, most) = match pool.nodes.value {
        Nodes::Auto => (hosts, hosts),
        Nodes::Int(nodes) => (each(nodes), each(nodes)),
        Nodes::Range(range) => (each(range.0), each(range.1)),
    };
    let grows = matches!(pool.nodes.value, Nodes::Range(_)) || pool.autoscale.value;
    let starts_empty = pool.capacity.value.is_lent();
    let elastic = grows || starts_empty;
    let multi_host = hosts > 1;
    let most = if multi_host { hosts } else { most };
    let least = match () {
        // A slice is there as a whole or not at all.
        () if multi_host => {
            if elastic {
                0
            } else {
                hosts
            }
        }
        () if starts_empty
            || pool.autoscale.value && !matches!(pool.nodes.value, Nodes::Range(_)) =>
        {
            0
        }
        () => least,
    };
    Extent { slice, node_pools, nodes: (least.min(most), most), elastic }
}

/// The slice of machines with TPUs: as their topology says, or the one that a single machine makes.
pub(super) fn slice(
    catalog: &Catalog,
    topology: Option<&Topology>,
    machine: &Machine,
) -> Option<SlicePlan> {
    let tpu = machine.tpu.as_ref()?;
    let single = || {
        let mut slices = catalog.slices(&tpu.generation).iter();
        let own = slices
            .find(|slice| slice.single_host() && slice.machine.as_deref() == Some(&machine.name))?;
        own.topology.parse::<Topology>().ok()
    };
    let topology = topology.cloned().or_else(single)?;
    slice_of(catalog, machine, topology)
}

/// The slice of this shape of a machine with TPUs.
pub(super) fn slice_of(
    catalog: &Catalog,
    machine: &Machine,
    topology: Topology,
) -> Option<SlicePlan> {
    let tpu = machine.tpu.as_ref()?;
    let shape = topology.to_string();
    let row = catalog.slice_on(&machine.name, &shape);
    let chips = i64::try_from(topology.chips()).unwrap_or(i64::MAX);
    let per_host = row.map_or(i64::from(tpu.chips), |row| i64::from(row.chips_per_host)).max(1);
    let hosts = row.map_or(parts(chips, per_host), |row| i64::from(row.hosts)).max(1);
    let name = row.or_else(|| catalog.slice(&tpu.generation, &shape)).map(|row| row.name.clone());
    Some(SlicePlan {
        topology,
        hosts,
        chips,
        chips_per_host: per_host.min(chips.max(1)),
        name,
        single_host: hosts == 1,
    })
}

/// Whether a pool says that its pods claim interfaces which its machine has on networks by itself.
pub(crate) fn claims_interfaces(pool: &Pool, machine: &Machine) -> bool {
    pool.rdma.set().is_some() && machine.gke.dranet_min.is_some() && !alone(machine)
}

/// Whether interfaces of a machine are had by claims alone.
fn alone(machine: &Machine) -> bool {
    machine.network.gpudirect == GpuDirect::Rdma && machine.network.additional_interfaces == 0
}

/// The most pods of a node whose pool does not say its own.
pub(crate) fn usual_pods(catalog: &Catalog, cluster: &GkeCluster) -> i64 {
    cluster.max_pods.unwrap_or_else(|| i64::from(catalog.limits().gke.pods_per_node_default))
}

/// The zone of a pool's nodes.
pub(crate) fn zone<'a>(pool: &'a Pool, cluster: &'a GkeCluster) -> Option<&'a str> {
    pool.zone.set().map(|zone| zone.value.as_str()).or_else(|| home_zone(cluster))
}

/// The zone of pools that do not say their own.
fn home_zone(cluster: &GkeCluster) -> Option<&str> {
    if let Some(zone) = &cluster.zone {
        return Some(&zone.value);
    }
    let location = cluster.location.set()?;
    crate::catalog::region_of(location).map(|_| location.value.as_str())
}

/// A pool with all that is needed to plan it.
struct Draft<'a> {
    catalog: &'a Catalog,
    noun: &'a Noun,
    pool: &'a Pool,
    cluster: NounId,
    machine: &'a Machine,
    zone: Option<&'a str>,
    extent: Extent,
    /// The most pods of a node whose pool does not say.
    usual_pods: i64,
    /// Its cluster gets the versions of a channel.
    in_channel: bool,
    /// Its nodes are there already.
    there: bool,
    /// What its nodes are taken from.
    reservation: Option<Taken>,
    /// The flavor that it shares with other pools.
    flavor: Option<String>,
    /// The compute class that its nodes are of.
    class: Option<&'a str>,
}

impl<'a> Draft<'a> {
    fn new(plan: &'a Plan, noun: &'a Noun, pool: &'a Pool, machine: &'a Machine) -> Option<Self> {
        let cluster = noun.parent?;
        let Body::GkeCluster(body) = &plan.model.get(cluster)?.body else { return None };
        let catalog = &*plan.model.catalog;
        let extent = extent(catalog, pool, machine);
        let (zone, there) = (zone(pool, body), plan.is_there(noun));
        let flavor = shared_flavor(plan, noun);
        let class = class(plan, noun);
        let reservation = plan.taken(&pool.capacity.value);
        let in_channel = body.release.value != Release::None;
        let usual_pods = usual_pods(catalog, body);
        Some(Self {
            catalog,
            noun,
            pool,
            cluster,
            machine,
            zone,
            extent,
            usual_pods,
            in_channel,
            there,
            reservation,
            flavor,
            class,
        })
    }

    fn finish(self, data_networks: Vec<DataNetwork>, scratch: Option<Size>) -> PoolPlan {
        let node_pools = self.node_pools();
        let stack = self.stack();
        let chips_per_node = self.chips_per_node();
        let (resource, resource_count) = self.resource(chips_per_node);
        let local_ssd = local_ssd(self.catalog, self.pool, self.machine, scratch);
        let disks = Disks { boot: self.pool.disk, local: local_ssd };
        let max_pods = self.pool.max_pods.set().map_or(self.usual_pods, |pods| pods.value);
        let daemons = self.catalog.kubernetes().daemons.len() as i64;
        // nodes that are there may take as many as nodes can
        let known = self.pool.max_pods.set().is_some() || !self.there;
        let most = i64::from(self.catalog.limits().gke.pods_per_node_max);
        let at_most = if known { max_pods } else { most };
        PoolPlan {
            max_pods,
            own_pods: at_most.saturating_sub(daemons).max(0),
            cluster: Ref::to(self.cluster),
            zone: self.zone.map(str::to_owned),
            nodes: self.extent.nodes,
            elastic: self.extent.elastic,
            placement: placement(
                self.catalog,
                (self.pool.placement.set().map(|it| it.value), &self.pool.capacity),
                self.machine,
                &self.extent,
                self.zone,
            ),
            local_ssd,
            allocatable: allocatable(self.catalog, self.machine, disks, resource_count),
            sharing: self.pool.sharing.as_ref().map(|sharing| sharing.value.clone()),
            disk: boot_disk(
                self.pool.disk_type.set().map(|disk| disk.value),
                &self.machine.disk.boot,
            ),
            data_networks,
            claims_interfaces: claims_interfaces(self.pool, self.machine) || alone(self.machine),
            resource,
            resource_count,
            chips_per_node,
            selector: self.selector(&node_pools).into(),
            node_labels: self.node_labels(&node_pools, stack.as_ref()),
            taints: self.taints(),
            reservation: self.reservation.as_ref().map(|it| (it.name.clone(), it.path())),
            upgrades: self.upgrades(),
            node_pools,
            stack,
            machine: self.machine.clone(),
            slicing: self.slicing().cloned(),
            slice: self.extent.slice,
        }
    }

    /// The stack of its machine, with a claim of its interfaces where it has them so.
    fn stack(&self) -> Option<Stack> {
        let name = self.machine.stack.as_deref()?;
        let mut stack = self.catalog.stack(name)?.clone();
        if claims_interfaces(self.pool, self.machine)
            && let Some(gke) = &mut stack.gke
        {
            let facts = self.catalog.kubernetes();
            let count = Some(self.machine.network.gpu_nics);
            gke.claims.push(Claim { count, ..facts.dranet.clone() });
            gke.node_labels.insert(facts.labels.dranet.clone(), "true".to_owned());
        }
        Some(stack)
    }

    /// An upgrade of accelerators restarts what runs on them: not before someone asks for it, or the version has no support
    /// any more.
    fn upgrades(&self) -> Upgrades {
        let lent = self.pool.capacity.value.is_lent();
        match &self.pool.upgrades {
            Choice::Set(said) => said.value,
            Choice::Auto if self.machine.kind == MachineKind::Cpu || lent => Upgrades::Automatic,
            Choice::Auto if self.in_channel => Upgrades::EndOfSupport,
            Choice::Auto => Upgrades::ByHand,
        }
    }

    fn slicing(&self) -> Option<&'a Slicing> {
        slicing::of_pool(self.catalog, self.pool, self.machine)
    }

    fn node_pools(&self) -> Vec<NodePool> {
        let named = |parts: &[&str], key: String| NodePool {
            name: derived(self.catalog, Limit::NodePool, parts),
            key,
        };
        // A second one must not rename what is there: slices of TPUs are numbered from the first on, of others the
        // first has no number.
        let of_tpus = self.extent.slice.is_some();
        let own = &self.noun.outside.name;
        let said = self.pool.name.set().map(|name| name.value.as_str());
        let one = |at: i64| {
            if at == 0 && !of_tpus {
                // what a blueprint says is never cut
                let key = own.clone();
                let said = said.map(|name| NodePool { name: name.to_owned(), key: key.clone() });
                return said.unwrap_or_else(|| named(&[own], key));
            }
            let number = at.to_string();
            let key = format!("{own}-{number}");
            match said {
                Some(name) => NodePool { name: format!("{name}-{number}"), key },
                None => named(&[own, &number], key),
            }
        };
        (0..self.extent.node_pools).map(one).collect()
    }

    fn chips_per_node(&self) -> i64 {
        match (&self.extent.slice, &self.machine.accelerator, &self.machine.tpu) {
            (Some(slice), ..) => slice.chips_per_host,
            (None, Some(gpus), _) => i64::from(gpus.count),
            (None, None, Some(tpu)) => i64::from(tpu.chips),
            (None, None, None) => 0,
        }
    }

    fn resource(&self, chips: i64) -> (Option<String>, i64) {
        let names = &self.catalog.kubernetes().resources;
        let Some(gpus) = &self.machine.accelerator else {
            return (self.machine.tpu.as_ref().map(|_| names.tpu.clone()), chips);
        };
        let each = match self.pool.sharing.as_ref().map(|sharing| &sharing.value) {
            None => 1,
            Some(Sharing::TimeShared { clients }) => (*clients).max(1),
            Some(Sharing::Mig { profile }) => {
                mig_parts(self.catalog, &gpus.gpu, profile).unwrap_or(1)
            }
        };
        (Some(names.gpu.clone()), chips.saturating_mul(each))
    }

    /// Labels that GKE puts on every node of the pool, as far as they tell it from others.
    fn selector(&self, node_pools: &[NodePool]) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::new();
        let mut put = |key: &str, value: &str| {
            labels.insert(key.to_owned(), value.to_owned());
        };
        let keys = &self.catalog.kubernetes().labels;
        if let ([only], None) = (node_pools, &self.extent.slice) {
            put(&keys.node_pool, &only.name);
        }
        if let Some(label) =
            self.machine.accelerator.as_ref().and_then(|gpus| gpus.gke_label.as_deref())
        {
            put(&keys.accelerator, label);
        }
        put(&keys.machine, &self.machine.name);
        match self.pool.sharing.as_ref().map(|sharing| &sharing.value) {
            None => {}
            Some(Sharing::Mig { profile }) => put(&keys.gpu_partition, profile),
            Some(Sharing::TimeShared { clients }) => {
                put(&keys.gpu_sharing, TIME_SHARING);
                put(&keys.gpu_clients, &clients.to_string());
            }
        }
        if let Some(tpu) = &self.machine.tpu {
            put(&keys.tpu_accelerator, &tpu.gke_label);
        }
        // which slices nodes are of that are joined is nothing that their labels tell beforehand
        let joined = self.slicing().is_some_and(|it| it.whole.is_some());
        if let Some(slice) = self.extent.slice.as_ref().filter(|_| !joined) {
            put(&keys.tpu_topology, &slice.topology.to_string());
        }
        // GKE refuses pods that ask for a class and for how nodes of it are had
        let had = match self.pool.capacity.value {
            Capacity::Spot => Some(&keys.spot),
            Capacity::FlexStart { .. } | Capacity::Queued { .. } => Some(&keys.flex_start),
            Capacity::OnDemand
            | Capacity::Reservation { .. }
            | Capacity::AnyReservation
            | Capacity::Calendar { .. } => None,
        };
        if let Some(key) = had.filter(|_| self.class.is_none()) {
            put(key, "true");
        }
        labels.extend(self.pool_label(node_pools));
        labels.extend(self.flavor_label());
        labels.extend(self.class_label());
        if self.there {
            labels.extend(self.own_labels());
        }
        labels
    }

    fn own_labels(&self) -> impl Iterator<Item = (String, String)> {
        self.pool.labels.iter().map(|(key, value)| (key.clone(), value.clone()))
    }

    /// What tells the pool from others where it may come to have several node pools. Nodes that are there do not have it.
    fn pool_label(&self, node_pools: &[NodePool]) -> Option<(String, String)> {
        let several = node_pools.len() > 1 || self.extent.slice.is_some();
        (several && !self.there).then(|| {
            (
                POOL_LABEL.to_owned(),
                derived(self.catalog, Limit::LabelValue, &[&self.noun.outside.name]),
            )
        })
    }

    /// What tells nodes of a flavor of several pools from all others. Nodes that are there do not have it.
    fn flavor_label(&self) -> Option<(String, String)> {
        let flavor = self.flavor.as_deref().filter(|_| !self.there)?;
        Some((FLAVOR_LABEL.to_owned(), derived(self.catalog, Limit::LabelValue, &[flavor])))
    }

    /// What makes nodes those of a compute class. Nodes that are there say so themselves.
    fn class_label(&self) -> Option<(String, String)> {
        let class = self.class.filter(|_| !self.there)?;
        Some((self.catalog.kubernetes().labels.compute_class.clone(), class.to_owned()))
    }

    fn node_labels(
        &self,
        node_pools: &[NodePool],
        stack: Option<&crate::catalog::Stack>,
    ) -> BTreeMap<String, String> {
        let mut labels = self.machine.gke.node_labels.clone();
        if let Some(gke) = stack.and_then(|stack| stack.gke.as_ref()) {
            labels.extend(gke.node_labels.clone());
        }
        labels.extend(self.pool_label(node_pools));
        labels.extend(self.flavor_label());
        labels.extend(self.class_label());
        labels.extend(self.own_labels());
        labels
    }

    fn taints(&self) -> Vec<Taint> {
        let known = &self.catalog.kubernetes().taints;
        let queued = matches!(self.pool.capacity.value, Capacity::Queued { .. });
        let arm = self.machine.arch == crate::catalog::Arch::Arm64;
        // GKE taints accelerators only where another pool exists already, so they are written out.
        let marks = [
            (self.machine.accelerator.is_some(), &known.gpu, false),
            (self.machine.tpu.is_some(), &known.tpu, false),
            (queued, &known.queued, true),
            (arm, &known.arm, true),
        ];
        let named = marks.iter().filter(|(holds, ..)| *holds);
        let of_machine = named.map(|(_, taint, by_gke)| Taint {
            key: taint.key.clone(),
            value: taint.value.clone(),
            effect: taint.effect,
            by_gke: *by_gke,
        });
        let said = self.pool.taints.iter().map(|taint| {
            let NodeTaint::Taint { key, value, effect } = &taint.value;
            let (key, value, effect) = (key.clone(), value.clone(), effect.known());
            Taint { key, value, effect, by_gke: false }
        });
        // without it pods of no class would take the nodes
        let of_class = self.class_label().map(|(key, value)| Taint {
            key,
            value,
            effect: TaintEffect::NoSchedule,
            by_gke: false,
        });
        of_machine.chain(of_class).chain(said).collect()
    }
}

/// The compute class that the nodes of a pool are of.
pub(crate) fn class<'a>(plan: &'a Plan, pool: &Noun) -> Option<&'a str> {
    // a queue that someone else keeps has its classes from them
    let mut made = flavors(plan, pool).filter(|(queue, _)| !queue.existing);
    made.find_map(|(_, flavor)| flavor.class())
}

/// The flavors that a pool is of, each with its queue.
fn flavors<'a>(
    plan: &'a Plan,
    pool: &Noun,
) -> impl Iterator<Item = (&'a Noun, &'a Flavor)> + use<'a> {
    let (id, cluster) = (pool.id, pool.parent);
    let queues = plan.model.queues().filter(move |(queue, _)| queue.parent == cluster);
    let all =
        queues.flat_map(|(noun, queue)| queue.flavors.iter().map(move |it| (noun, &it.value)));
    all.filter(move |(_, flavor)| flavor.has(id))
}

/// The first flavor of several pools that a pool is of, by what the queue calls it, or else by its first pool.
fn shared_flavor(plan: &Plan, noun: &Noun) -> Option<String> {
    let (_, flavor) = flavors(plan, noun).find(|(_, it)| it.pools().count() > 1)?;
    let first = || Some(plan.model.get(flavor.pools().next()?)?.outside.name.clone());
    flavor.name().map(str::to_owned).or_else(first)
}

/// Partitions of one GPU under a MIG profile; `None` where the profile is not one of the GPU's.
pub(crate) fn mig_parts(catalog: &Catalog, gpu: &str, profile: &str) -> Option<i64> {
    let row = catalog.gpu(gpu)?.mig.iter().find(|row| row.profile == profile)?;
    Some(i64::from(row.max))
}

/// Bundled disks are scratch space unless the blueprint says otherwise. Optional ones are asked for where the blueprint
/// or a workload's mount wants them: the fewest that hold the largest mount, or all that fit.
fn local_ssd(
    catalog: &Catalog,
    pool: &Pool,
    machine: &Machine,
    scratch: Option<Size>,
) -> (LocalSsd, i64) {
    let counts = &machine.local_ssd.counts;
    let most = counts.iter().max().copied().unwrap_or(0);
    let chosen = pool.local_ssd.set().map(|choice| choice.value);
    let holds = |count: u32, size: Size| {
        local_disk(&catalog.kubernetes().reserved, machine, i64::from(count)) >= size
    };
    let counted = pool.local_ssds.set().map(|count| count.value);
    match (machine.local_ssd.mode, chosen, scratch) {
        (SsdMode::None, ..) | (_, Some(LocalSsd::None), _) => (LocalSsd::None, 0),
        (SsdMode::Optional, chosen, _) if counted.is_some() => {
            (chosen.unwrap_or(LocalSsd::Scratch), counted.unwrap_or_default())
        }
        (SsdMode::Optional, None, None) => (LocalSsd::None, 0),
        (SsdMode::Bundled, chosen, _) => (chosen.unwrap_or(LocalSsd::Scratch), i64::from(most)),
        (SsdMode::Optional, chosen, Some(size)) => {
            let fewest = counts.iter().copied().filter(|count| holds(*count, size)).min();
            (chosen.unwrap_or(LocalSsd::Scratch), i64::from(fewest.unwrap_or(most)))
        }
        (SsdMode::Optional, Some(chosen), None) => (chosen, i64::from(most)),
    }
}
