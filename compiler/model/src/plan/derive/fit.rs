//! What pods ask of nodes, and how they find exactly the pools that fit.

use super::gang::{Part, asked};
use crate::catalog::{Catalog, NodeLabels};
use crate::nouns::{OfNodes, Queue, Ref, Sharing};
use crate::plan::fit::{Need, Offer, misfits};
use crate::plan::{Amounts, Plan, PoolPlan, Program, Resource, Selection};
use crate::{Noun, NounId, Size};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// What one pod of a workload asks of its node: all devices of it or as many as it says (`devices`), or one share where
/// containers take turns, and its part of the rest, less what serves its buckets, its own groups (`beside`) and all `jobs`
/// may take there.
pub(crate) fn request(
    program: &Program,
    pool: &PoolPlan,
    devices: Option<i64>,
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
    }
    .less(program.served());
    let roomy = node.less(jobs);
    let whole_node =
        [Resource::Cpus, Resource::Memory].into_iter().all(|it| roomy.of(it) > all.of(it) / 2);
    let left = if whole_node { roomy.least(node.less(beside)) } else { node.less(beside) };
    let left = Amounts { devices: all.devices, ..left };
    let one = match (&pool.sharing, devices.filter(|some| (1..all.devices).contains(some))) {
        (Some(Sharing::TimeShared { .. }), _) => left.part(1, all.devices),
        (Some(Sharing::Mig { .. }) | None, Some(some)) => left.part(some, all.devices),
        (Some(Sharing::Mig { .. }) | None, None) => left,
    };
    Amounts { memory: whole(one.memory), disk: program.scratch(), ..one }
}

/// What groups of all workloads that share nodes ask of each pool. Pods leave that much of their node wherever they are more
/// than half of it even so: then such a group finds room on any node, whatever else runs there.
pub(crate) fn shared_requests(plan: &Plan) -> BTreeMap<NounId, Amounts> {
    let mut all: BTreeMap<NounId, Amounts> = BTreeMap::new();
    for (noun, group) in plan.model.groups() {
        let own = group.own();
        let Some(program) = plan.program(noun.id) else { continue };
        let Some(request) = shared_by(own, Part::of(group.decides), program) else { continue };
        let of_pool = all.entry(own.place.value.id()).or_insert(Amounts::NONE);
        *of_pool = of_pool.plus(request.times(own.nodes.unwrap_or(1)));
    }
    all
}

/// What a pod of a group asks of its node where it leaves the rest to others; nothing where it does not say so.
pub(crate) fn shared_by(own: OfNodes<'_>, part: Part, program: &Program) -> Option<Amounts> {
    let whole = Amounts { disk: program.scratch(), ..Amounts::NONE };
    (own.cpus.is_some() && own.memory.is_some()).then(|| asked(&own, part, program, whole))
}

/// In whole GiB, or in whole MiB where that is little.
fn whole(size: Size) -> Size {
    let unit: u64 = if size.0 >= 4 << 30 { 1 << 30 } else { 1 << 20 };
    Size(size.0 / unit * unit)
}

/// The pools that a queue has flavors for: its own, first choice first, and behind them those that only groups of its
/// workloads (`members`) run on. Those of other clusters are none of its.
pub(crate) fn flavored(
    plan: &Plan,
    noun: &Noun,
    queue: &Queue,
    members: impl Iterator<Item = NounId>,
) -> Vec<NounId> {
    let jobs = members.flat_map(|id| plan.children(id)).filter_map(|id| plan.program(*id));
    let all = queue.pools.iter().map(|pool| pool.value.id());
    let mut pools: Vec<NounId> = Vec::new();
    for id in all.chain(jobs.map(|program| program.place.value.id())) {
        let here = plan.pool(id).is_some_and(|pool| Some(pool.cluster.id()) == noun.parent);
        if here && !pools.contains(&id) {
            pools.push(id);
        }
    }
    pools
}

/// How the pods of a gang find the nodes of every pool that fits, and of no other for which its queue has a flavor
/// (`offers`). Those of the pool that it names (`own`) are among them in any case: rules say what is wrong with that one.
pub(crate) fn selection(
    catalog: &Catalog,
    need: &Need<'_>,
    own: Offer<'_>,
    offers: &[Offer<'_>],
) -> Selection {
    let fits = |offer: &Offer<'_>| offer.pool == own.pool || misfits(need, offer).is_empty();
    let (mut fit, unfit): (Vec<Offer<'_>>, Vec<Offer<'_>>) =
        offers.iter().copied().partition(|offer| fits(offer));
    if !fit.iter().any(|offer| offer.pool == own.pool) {
        fit.insert(0, own);
    }
    let all_have = |(key, value): &(&String, &String)| {
        fit.iter().all(|offer| offer.labels.get(*key) == Some(*value))
    };
    let labels = if own.labels.iter().all(|label| all_have(&label)) {
        own.labels.clone()
    } else {
        let shared = own.labels.iter().filter(all_have);
        Arc::new(shared.map(|(key, value)| (key.clone(), value.clone())).collect())
    };
    let differs = |offer: &Offer<'_>| {
        labels.iter().any(|(key, value)| offer.labels.get(key).is_some_and(|it| it != value))
    };
    let mut barred: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for offer in unfit.iter().filter(|offer| !differs(offer)) {
        if let Some((key, value)) = telling(catalog, offer, &fit) {
            barred.entry(key).or_default().insert(value);
        }
    }
    let tainted = |key: &str| fit.iter().all(|offer| offer.taints.iter().any(|it| it.key == key));
    Selection {
        preferred: BTreeMap::new(),
        pools: fit.iter().map(|offer| Ref::to(offer.pool)).collect(),
        labels,
        barred,
        tolerated: own.taints.iter().filter(|taint| tainted(&taint.key)).cloned().collect(),
    }
}

/// A label of a pool that none of the others has.
fn telling(catalog: &Catalog, offer: &Offer<'_>, others: &[Offer<'_>]) -> Option<(String, String)> {
    let known = keys_that_tell(&catalog.kubernetes().labels);
    let mut keys = known.into_iter().chain(offer.labels.keys());
    let key = keys.find(|key| {
        let own = offer.labels.get(*key);
        own.is_some() && others.iter().all(|other| other.labels.get(*key) != own)
    })?;
    Some((key.clone(), offer.labels.get(key)?.clone()))
}
