//! Facts of pools, partitions and queues.

use super::cluster::pods_range;
use super::workload::queue_value;
use super::{MADE, NAMES, Table, fact, int, maybe, strings};
use crate::catalog::{GkeFeature, GkeMinimum, Machine, Offer, Support, region_of};
use crate::nouns::{Body, Capacity, LocalSsd, Pool, Sharing};
use crate::plan::derive::{
    addresses, capacity_model, mig_parts, node_block, overbooked, rival, stranded,
};
use crate::plan::{PlacementPlan, Plan, PoolPlan, Resource};
use crate::{NounId, NounRef, Size, Value};
use std::collections::BTreeSet;

pub(super) const POOL: Table = Table {
    kind: "pool",
    platform: None,
    shared: &[MADE, NAMES],
    rows: &[
        fact("spec", Plan::machine_fact),
        fact("slice", Plan::slice_fact),
        fact("nics", Plan::nics_fact),
        fact("max_nodes", |plan, id| Some(Value::Int(plan.pool(id)?.max_nodes()))),
        fact("min_nodes", |plan, id| {
            let pool = plan.pool(id)?;
            Some(Value::Int(pool.nodes.0.saturating_mul(pool.node_pools.len() as i64)))
        }),
        fact("chips", |plan, id| Some(Value::Int(plan.pool(id)?.chips()))),
        fact("node_pools", |plan, id| Some(int(plan.pool(id)?.node_pools.len()))),
        fact("nodes_per_pool", |plan, id| Some(Value::Int(plan.pool(id)?.nodes.1))),
        fact("elastic", |plan, id| Some(plan.pool(id)?.elastic.into())),
        fact("location", |plan, id| maybe(plan.pool(id)?.zone.clone())),
        fact("region", |plan, id| region(plan, id).map(Value::from)),
        fact("arrangement", |plan, id| {
            Some(Value::from(match plan.pool(id)?.placement {
                PlacementPlan::Spread => "spread",
                PlacementPlan::Compact | PlacementPlan::Named { workload: false, .. } => "compact",
                PlacementPlan::WorkloadPolicy(_) | PlacementPlan::Named { workload: true, .. } => {
                    "workload_policy"
                }
            }))
        }),
        fact("compactable", |plan, id| Some(plan.pool(id)?.machine.placement.compact.into())),
        fact("compact_with_flex_start", |plan, id| {
            Some(plan.pool(id)?.machine.placement.flex_start_compact.into())
        }),
        fact("placement_limit", |plan, id| {
            maybe(plan.pool(id)?.machine.placement.gke_max_nodes.map(i64::from))
        }),
        fact("pool_limit", pool_limit),
        fact("pod_room", pod_room),
        fact("support", |plan, id| {
            let (body, pool) = both(plan, id)?;
            Some(support(&pool.machine, &body.capacity))
        }),
        fact("asked_together", |plan, id| maybe(plan.asked_together.get(&id).copied())),
        fact("offered", offered),
        fact("offer_zones", |plan, id| {
            let pool = plan.pool(id)?;
            let offer = plan.model.catalog.offer_of(&pool.machine.name)?;
            Some(strings(offer.zones.iter().map(String::as_str), plan.span(id)?))
        }),
        fact("offer_regions", |plan, id| {
            let pool = plan.pool(id)?;
            let offer = plan.model.catalog.offer_of(&pool.machine.name)?;
            Some(strings(offer.regions.iter().map(String::as_str), plan.span(id)?))
        }),
        fact("needed_version", needed_version),
        fact("autoscaling", |plan, id| {
            Some(plan.pool(id)?.machine.gke.autoscaling.to_string().into())
        }),
        fact("boot_disk", |plan, id| Some(plan.pool(id)?.disk.as_str().into())),
        fact("boot_disks", |plan, id| {
            Some(strings(
                plan.pool(id)?.machine.disk.boot.iter().map(String::as_str),
                plan.span(id)?,
            ))
        }),
        fact("local_disks", |plan, id| Some(Value::Int(plan.pool(id)?.local_ssd.1))),
        fact("scratch_room", |plan, id| Some(Value::Size(scratch_room(plan.pool(id)?)))),
        fact("allocatable", |plan, id| {
            let left = plan.pool(id)?.allocatable;
            let entries = [
                ("cpus", Value::Float(left.millicpus as f64 / 1000.0)),
                ("memory", Value::Size(left.memory)),
                ("disk", Value::Size(left.disk)),
            ];
            let known = left.millicpus > 0 && left.memory.0 > 0;
            Some(if known { Value::record(entries, plan.span(id)?) } else { Value::Absent })
        }),
        fact("overbooked", |plan, id| {
            let Some(found) = overbooked(plan, id) else { return Some(Value::Absent) };
            let entries = [
                ("held", Value::str(&found.held)),
                ("taken", Value::str(&found.taken)),
                ("has", Value::str(&found.has)),
                ("by", workload_value(found.by)),
            ];
            Some(Value::record(entries, plan.span(id)?))
        }),
        fact("stranded", |plan, id| {
            let Some(found) = stranded(plan, id) else { return Some(Value::Absent) };
            let entries =
                [("workload", workload_value(found.workload)), ("asked", Value::str(&found.asked))];
            Some(Value::record(entries, plan.span(id)?))
        }),
        fact("shares", |plan, id| Some(Value::Int(plan.pool(id)?.resource_count))),
        fact("mig_parts", |plan, id| {
            let (body, pool) = both(plan, id)?;
            let Some(Sharing::Mig { profile }) =
                body.sharing.as_ref().map(|sharing| &sharing.value)
            else {
                return Some(Value::Absent);
            };
            let gpus = pool.machine.accelerator.as_ref();
            maybe(gpus.and_then(|gpus| mig_parts(&plan.model.catalog, &gpus.gpu, profile)))
        }),
        fact("mig_profiles", mig_profiles),
        fact("max_shared_clients", |plan, _| {
            Some(Value::Int(i64::from(plan.model.catalog.kubernetes().max_shared_clients)))
        }),
        fact("topologies", topologies),
        fact("multislice", |plan, id| {
            let tpu = plan.model.catalog.tpu_of_machine(&plan.pool(id)?.machine.name);
            maybe(tpu.map(|tpu| tpu.multislice.to_string()))
        }),
        fact("stack", |plan, id| {
            maybe(plan.pool(id)?.stack.as_ref().map(|stack| stack.name.clone()))
        }),
    ],
};

pub(super) const PARTITION: Table = Table {
    kind: "partition",
    platform: None,
    shared: &[NAMES],
    rows: &[
        fact("spec", Plan::machine_fact),
        fact("nics", Plan::nics_fact),
        fact("chips", |plan, id| {
            let partition = plan.partition(id)?;
            let nodes = i64::try_from(partition.host_names.len()).unwrap_or(i64::MAX);
            Some(Value::Int(nodes.saturating_mul(partition.gpus)))
        }),
        fact("host_count", |plan, id| Some(int(plan.partition(id)?.host_names.len()))),
        fact("switches", |plan, id| Some(int(plan.partition(id)?.switches.len()))),
    ],
};

pub(super) const QUEUE: Table = Table {
    kind: "queue",
    platform: None,
    shared: &[NAMES],
    rows: &[
        fact("chips", |plan, id| {
            let each = |pool: &PoolPlan| pool.max_nodes().saturating_mul(pool.resource_count);
            let all = accelerated(plan, id)?;
            Some(Value::Int(all.iter().fold(0, |all, pool| each(pool).saturating_add(all))))
        }),
        fact("resources", |plan, id| {
            let pools = accelerated(plan, id)?;
            let named: BTreeSet<_> =
                pools.iter().filter_map(|pool| pool.resource.as_deref()).collect();
            Some(strings(named, plan.span(id)?))
        }),
        fact("rival", |plan, id| {
            let pools: Vec<NounId> =
                plan.queue(id)?.flavors.iter().map(|flavor| flavor.pool).collect();
            maybe(rival(plan, id, &pools, Resource::Devices).map(queue_value))
        }),
        fact("undealt", |plan, id| Some(Value::Int(plan.queue(id)?.undealt))),
    ],
};

fn workload_value(id: NounId) -> Value {
    Value::Ref(NounRef { id, kind: "workload".into() })
}

fn both(plan: &Plan, id: NounId) -> Option<(&Pool, &PoolPlan)> {
    let Body::Pool(body) = &plan.model.get(id)?.body else { return None };
    Some((body, plan.pool(id)?))
}

/// `yes`, `no`, `allowlist` or `unknown`. A reservation may be one that was made for a later time: how it was obtained
/// does not show in its name.
pub(super) fn support(machine: &Machine, capacity: &Capacity) -> Value {
    let support = machine.capacity.support(capacity_model(capacity));
    let later = machine.capacity.future_reservation;
    let reserved = matches!(capacity, Capacity::Reservation { .. });
    let support = if reserved && later == Support::Yes { later } else { support };
    support.to_string().into()
}

fn region(plan: &Plan, id: NounId) -> Option<String> {
    let pool = plan.pool(id)?;
    let of_zone = pool.zone.as_deref().and_then(region_of).map(str::to_owned);
    of_zone.or_else(|| super::cluster::region(plan, pool.cluster).map(str::to_owned))
}

/// The most nodes of one node pool: the machine's own limit, or GKE's for a zone.
fn pool_limit(plan: &Plan, id: NounId) -> Option<Value> {
    let own = plan.pool(id)?.machine.gke.max_nodes_per_pool;
    let general = plan.model.catalog.limits().gke.pool_max_nodes_per_zone;
    Some(Value::Int(i64::from(own.unwrap_or(general))))
}

fn pod_room(plan: &Plan, id: NounId) -> Option<Value> {
    let (body, pool) = both(plan, id)?;
    let block = node_block(&plan.model.catalog, body.max_pods.value)?.max(1);
    let room = pods_range(plan, pool.cluster)?.and_then(addresses);
    maybe(room.map(|room| room / block))
}

fn offered(plan: &Plan, id: NounId) -> Option<Value> {
    let pool = plan.pool(id)?;
    let place = pool.zone.clone().or_else(|| region(plan, id))?;
    Some(Value::from(match plan.model.catalog.offered(&pool.machine.name, &place) {
        Offer::InZone => "zone",
        Offer::InRegion => "region",
        Offer::Nowhere => "nowhere",
        Offer::Unknown => "unknown",
    }))
}

/// The oldest version that knows the machine and its network stack, where the cluster asks for an older one.
fn needed_version(plan: &Plan, id: NounId) -> Option<Value> {
    let pool = plan.pool(id)?;
    let Body::GkeCluster(cluster) = &plan.model.get(pool.cluster)?.body else { return None };
    let Some(version) = &cluster.version else { return Some(Value::Absent) };
    let needed = [GkeFeature::Standard, GkeFeature::GpuDirect].into_iter().find_map(|feature| {
        match plan.model.catalog.gke_feature(&pool.machine.name, feature, version) {
            GkeMinimum::TooOld { needed } => Some(needed),
            GkeMinimum::Met | GkeMinimum::Unknown => None,
        }
    });
    maybe(needed)
}

/// What a node's own disks hold for pods; nothing where they are raw devices.
pub(super) fn scratch_room(pool: &PoolPlan) -> Size {
    match pool.local_ssd {
        (LocalSsd::Raw, disks) if disks > 0 => Size(0),
        _ => pool.allocatable.disk,
    }
}

/// The pools of a queue that have GPUs or TPU chips.
fn accelerated(plan: &Plan, id: NounId) -> Option<Vec<&PoolPlan>> {
    let Body::Queue(queue) = &plan.model.get(id)?.body else { return None };
    let pools = queue.pools.iter().filter_map(|pool| plan.pool(pool.value));
    Some(pools.filter(|pool| pool.resource.is_some()).collect())
}

/// Profiles of the GPU that GKE accepts.
fn mig_profiles(plan: &Plan, id: NounId) -> Option<Value> {
    let machine = &plan.pool(id)?.machine;
    let gpu = machine.accelerator.as_ref().filter(|_| machine.sharing.mig);
    let gpu = gpu.and_then(|gpus| plan.model.catalog.gpu(&gpus.gpu));
    let profiles =
        gpu.into_iter().flat_map(|gpu| &gpu.mig).filter(|row| row.gke && row.blocked.is_none());
    Some(strings(profiles.map(|row| row.profile.as_str()), plan.span(id)?))
}

/// Topologies that the machine makes; none for machines without TPUs.
fn topologies(plan: &Plan, id: NounId) -> Option<Value> {
    let machine = &plan.pool(id)?.machine;
    let slices =
        machine.tpu.as_ref().map_or(&[][..], |tpu| plan.model.catalog.slices(&tpu.generation));
    let own = slices.iter().filter(|slice| slice.machine.as_deref() == Some(&machine.name));
    let topologies = own.filter_map(|slice| slice.topology.parse().ok()).map(Value::Topology);
    Some(Value::list(topologies, plan.span(id)?))
}
