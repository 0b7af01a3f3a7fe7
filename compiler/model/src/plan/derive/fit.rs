//! What a workload needs of nodes against what a pool offers, and how its pods find exactly the pools that fit.

use crate::catalog::{Catalog, NodeLabels};
use crate::nouns::{Sharing, SideJob};
use crate::plan::{Amounts, Plan, PoolPlan, Program, Resource, Selection};
use crate::{NounId, Size};
use std::collections::{BTreeMap, BTreeSet};

/// A workload is given a node less one part in so many, one processor at least: that is for the daemons of the system
/// and the sidecars that are put into pods.
const KEPT_PART: i64 = 8;

/// What labels tell pools apart by, what they mean before what they are called.
fn keys_that_tell(labels: &NodeLabels) -> [&String; 8] {
    [
        &labels.gpu_partition,
        &labels.gpu_sharing,
        &labels.gpu_clients,
        &labels.tpu_topology,
        &labels.accelerator,
        &labels.tpu_accelerator,
        &labels.machine,
        &labels.node_pool,
    ]
}

/// What the pods of a workload need, all of which must be in one pool.
pub(crate) struct Need<'a> {
    /// The pool that the workload names.
    pub(crate) pool: &'a PoolPlan,
    /// Its fabric carries the workload's traffic.
    pub(crate) fabric: bool,
    /// What each pod asks for.
    pub(crate) request: Amounts,
    pub(crate) pods: i64,
    pub(crate) slices: i64,
}

impl Need<'_> {
    /// Whether a pool can run the pods: the same kind of device, shared out alike; the same fabric where it is used; room
    /// on each node and in all. How its nodes are obtained does not matter. Pods without GPUs take whole nodes of one type.
    pub(crate) fn fits(&self, offer: &PoolPlan) -> bool {
        self.same_devices(offer)
            && (!self.fabric || self.same_fabric(offer))
            && self.has_room(offer)
    }

    fn same_devices(&self, offer: &PoolPlan) -> bool {
        let (own, other) = (&self.pool.machine, &offer.machine);
        let gpu = |pool: &PoolPlan| pool.machine.accelerator.as_ref().map(|it| it.gpu.clone());
        let topology = |pool: &PoolPlan| pool.slice.as_ref().map(|slice| slice.topology.clone());
        self.pool.resource == offer.resource
            && own.arch == other.arch
            && gpu(self.pool) == gpu(offer)
            && self.pool.sharing == offer.sharing
            && topology(self.pool) == topology(offer)
            && (own.accelerator.is_some() || own.name == other.name)
    }

    /// Daemons, claims and interfaces of the pods are those of one type of machine and its networks.
    fn same_fabric(&self, offer: &PoolPlan) -> bool {
        let networks = |pool: &PoolPlan| {
            let networks = pool.data_networks.iter();
            networks.map(|it| (it.object.clone(), it.interface.clone())).collect::<Vec<_>>()
        };
        self.pool.machine.name == offer.machine.name && networks(self.pool) == networks(offer)
    }

    fn has_room(&self, offer: &PoolPlan) -> bool {
        if offer.slice.as_ref().is_some_and(|slice| !slice.single_host) {
            return self.slices <= offer.node_pools.len() as i64;
        }
        // Quotas are sums over nodes: they hold only where pods leave no device of a node to one that has no room there.
        let Some(pods) = offer.allocatable.holds(self.request) else { return true };
        self.request.times(pods).devices == offer.allocatable.devices
            && pods.saturating_mul(offer.max_nodes()) >= self.pods
    }
}

/// What one pod of a workload asks of its node: all devices of it, or one share where containers take turns, and its part
/// of the rest, less what its own side jobs (`beside`) and all `jobs` may take there.
pub(crate) fn request(
    program: &Program,
    pool: &PoolPlan,
    beside: Amounts,
    jobs: Amounts,
) -> Amounts {
    let all = pool.allocatable;
    let vcpus = i64::from(pool.machine.vcpus);
    let kept = (vcpus + KEPT_PART - 1) / KEPT_PART;
    let node = Amounts {
        devices: all.devices,
        millicpus: (vcpus - kept).max(1).saturating_mul(1000).min(all.millicpus),
        memory: all.part(KEPT_PART - 1, KEPT_PART).memory,
        disk: Size(0),
    };
    let roomy = node.less(jobs);
    let whole_node =
        [Resource::Cpus, Resource::Memory].into_iter().all(|it| roomy.of(it) > all.of(it) / 2);
    let left = if whole_node { roomy.least(node.less(beside)) } else { node.less(beside) };
    let left = Amounts { devices: all.devices, ..left };
    let one = match &pool.sharing {
        Some(Sharing::TimeShared { .. }) => left.part(1, all.devices),
        Some(Sharing::Mig { .. }) | None => left,
    };
    Amounts { memory: whole(one.memory), disk: program.scratch(), ..one }
}

/// What the side jobs of all workloads ask of each pool. Pods leave that much of their node wherever they are more than half
/// of it even so: then a side job finds room on any node, whatever else runs there.
pub(crate) fn side_requests(plan: &Plan) -> BTreeMap<NounId, Amounts> {
    let mut all: BTreeMap<NounId, Amounts> = BTreeMap::new();
    for (noun, job) in plan.model.side_jobs() {
        let Some(program) = plan.program(noun.id) else { continue };
        let of_pool = all.entry(job.pool.value).or_insert(Amounts::NONE);
        *of_pool = of_pool.plus(side_request(job, program));
    }
    all
}

/// What the pod of a side job asks of its node.
pub(crate) fn side_request(job: &SideJob, program: &Program) -> Amounts {
    Amounts {
        devices: 0,
        millicpus: job.cpus.saturating_mul(1000),
        memory: job.memory,
        disk: program.scratch(),
    }
}

/// In whole GiB, or in whole MiB where that is little.
fn whole(size: Size) -> Size {
    let unit: u64 = if size.0 >= 4 << 30 { 1 << 30 } else { 1 << 20 };
    Size(size.0 / unit * unit)
}

/// How the pods of a workload find the nodes of every pool of its queue that fits, and of no other.
pub(crate) fn selection(
    catalog: &Catalog,
    need: &Need<'_>,
    own: NounId,
    pools: &[(NounId, &PoolPlan)],
) -> Selection {
    let offers = pools.iter().filter(|(id, _)| *id != own);
    let (fit, unfit): (Vec<_>, Vec<_>) = offers.partition(|(_, pool)| need.fits(pool));
    let mut labels = need.pool.selector.clone();
    for (_, pool) in &fit {
        labels.retain(|key, value| pool.selector.get(key) == Some(value));
    }
    let differs = |pool: &PoolPlan| {
        labels.iter().any(|(key, value)| pool.selector.get(key).is_some_and(|it| it != value))
    };
    let fitting: Vec<&PoolPlan> =
        std::iter::once(need.pool).chain(fit.iter().map(|(_, pool)| *pool)).collect();
    let mut barred: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, pool) in unfit.iter().filter(|(_, pool)| !differs(pool)) {
        if let Some((key, value)) = telling(catalog, pool, &fitting) {
            barred.entry(key).or_default().insert(value);
        }
    }
    let among = |id: &NounId| *id == own || fit.iter().any(|(other, _)| other == id);
    let mut chosen: Vec<NounId> = pools.iter().map(|(id, _)| *id).filter(among).collect();
    if !chosen.contains(&own) {
        chosen.insert(0, own);
    }
    Selection { pools: chosen, labels, barred }
}

/// A label of a pool that none of the others has.
fn telling(catalog: &Catalog, pool: &PoolPlan, others: &[&PoolPlan]) -> Option<(String, String)> {
    let known = keys_that_tell(&catalog.kubernetes().labels);
    let mut keys = known.into_iter().chain(pool.selector.keys());
    let key = keys.find(|key| {
        let own = pool.selector.get(*key);
        own.is_some() && others.iter().all(|other| other.selector.get(*key) != own)
    })?;
    Some((key.clone(), pool.selector.get(key)?.clone()))
}
