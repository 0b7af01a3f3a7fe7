//! Facts of clusters on each platform.

use super::addresses::hosts_of_slurm;
use super::machine_image::{built_image, platform_of};
use super::other::deferred;
use super::pool::{support, too_old};
use super::records::{Shut, Slice};
use super::scripts::SCRIPTS;
use super::told::OnVertex;
use super::{
    ABROAD, MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA, Table, fact, int, platform,
    strings,
};
use crate::catalog::{GkeFeature, KueueRelease, Machine, Support, region_of};
use crate::nouns::{
    Body, Capacity, DevicePart, Exclusion, GkeCluster, Kind, Maintenance, Network, Partition,
    Queue, SlurmCluster, SlurmController, SlurmLogin, VertexCluster, Within, number_of_day,
};
use crate::plan::Plan;
use crate::plan::derive::{addresses, covers, fullest, is_expression, node_block, usual_pods};
use crate::{Duration, Noun, NounId};
use std::collections::BTreeSet;

const ON_GKE: Option<&str> = Some("gke");
const ON_SLURM: Option<&str> = Some("slurm");
const ON_VERTEX: Option<&str> = Some("vertex");

pub(super) const GKE: Table = Table {
    kind: "cluster",
    platform: ON_GKE,
    shared: &[MADE, ABROAD, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA],
    rows: &[
        &fact("endpoint", |_, id| deferred(id, "endpoint")),
        &fact("system_platform", |plan, id| {
            let system = plan.cluster(id)?.system.as_ref();
            Some(system.map(|system| platform(&system.machine).to_owned()))
        }),
        &fact("system_version", |plan, id| {
            let system = plan.cluster(id)?.system.as_ref();
            let features = [GkeFeature::Standard, GkeFeature::Unreserved];
            Some(system.and_then(|it| too_old(plan, id, &it.machine, &features)))
        }),
        &fact("system_elsewhere", system_elsewhere),
        &fact("queues", |plan, id| {
            let queues = queues(plan, id)?;
            Some(int(queues.filter(|(noun, _)| !noun.existing).count()))
        }),
        &fact("in_cohorts", |plan, id| {
            let made = queues(plan, id)?.filter(|(noun, _)| !noun.existing);
            Some(int(made.filter(|(_, queue)| queue.cohort.is_some()).count()))
        }),
        &fact("split_accounts", |plan, id| {
            // sorted, each identity once
            let accounts = plan
                .cluster(id)?
                .accounts
                .chunk_by(|(namespace, name, _), other| (namespace, name) == (&other.0, &other.1));
            let called = |identity: NounId| {
                let noun = plan.model.get(identity);
                noun.map_or_else(String::new, |noun| format!("`{}`", noun.path))
            };
            let split = accounts.filter_map(|of_one| match of_one {
                [(namespace, name, _), _, ..] => {
                    let acts: Vec<String> = of_one.iter().map(|it| called(it.2.id())).collect();
                    Some(format!("{namespace}/{name} as {}", acts.join(" and ")))
                }
                _ => None,
            });
            Some(split.collect::<Vec<_>>())
        }),
        &fact("circling", |plan, id| {
            let cluster = gke(plan, id)?;
            let circles = |name: &&String| {
                let around = cluster.cohorts_around(name);
                let last = around.last().and_then(|it| cluster.cohorts.get(*it));
                last.is_some_and(|Within::Within { cohort, .. }| cohort == *name)
            };
            Some(cluster.cohorts.keys().filter(circles).cloned().collect::<Vec<_>>())
        }),
        &fact("deserted", |plan, id| {
            let cluster = gke(plan, id)?;
            let made = queues(plan, id)?.filter(|(noun, _)| !noun.existing);
            let named = made.filter_map(|(_, queue)| Some(queue.cohort.as_ref()?.name()));
            let inside: BTreeSet<&str> =
                named.flat_map(|cohort| cluster.cohorts_around(cohort)).collect();
            let empty = cluster.cohorts.keys().filter(|name| !inside.contains(name.as_str()));
            Some(empty.cloned().collect::<Vec<_>>())
        }),
        &fact("weighed", |plan, id| {
            let weighed = gke(plan, id)?.cohorts.iter();
            let weighed = weighed.filter(|(_, Within::Within { weight, .. })| weight.is_some());
            Some(weighed.map(|(name, _)| name.clone()).collect::<Vec<_>>())
        }),
        &fact("group_domains", |plan, id| Some(strings(gke(plan, id)?.group_domains()))),
        &fact("default_weights", |plan, id| {
            let Some(priority) = &gke(plan, id)?.default_priority else {
                return Some(Vec::new());
            };
            let made = queues(plan, id)?.filter(|(noun, _)| !noun.existing);
            let weights = made.filter_map(|(_, queue)| queue.priorities.get(&priority.value));
            let weights: BTreeSet<i64> = weights.copied().collect();
            Some(weights.into_iter().collect::<Vec<i64>>())
        }),
        &fact("served", |plan, id| {
            let names = queues(plan, id)?.flat_map(|(_, queue)| &queue.namespaces);
            Some(names.map(|it| it.value.clone()).collect::<Vec<_>>())
        }),
        &fact("older_than", |plan, id| {
            Some(plan.cluster(id)?.kueue.oldest_of_older().map(str::to_owned))
        }),
        &fact("newer_than", |plan, id| {
            Some(plan.cluster(id)?.kueue.newest_of_newer().map(str::to_owned))
        }),
        &fact("pods_ready", |plan, id| {
            let version = &plan.cluster(id)?.kueue.version;
            let minutes = plan.model.catalog.kueue_release(version).ready_minutes;
            let by_itself = minutes.map(|minutes| Duration(u64::from(minutes) * 60));
            let said = gke(plan, id)?.kueue.as_ref();
            Some(said.map_or(by_itself, |it| it.value.pods_ready(minutes)))
        }),
        &fact("waits_from", |plan, id| {
            let version = &plan.cluster(id)?.kueue.version;
            let waits = plan.model.catalog.rows::<KueueRelease>();
            let waits = waits.filter(|it| it.ready_minutes.is_some()).min_by_key(|it| it.order());
            Some(waits.filter(|it| !it.reaches(version)).map(|it| it.since.clone()))
        }),
        &fact("kueue_version", |plan, id| Some(plan.cluster(id)?.kueue.version.clone())),
        &fact("counts_devices", |plan, id| Some(plan.cluster(id)?.kueue.counts_devices())),
        &fact("counts_parts", |plan, id| Some(plan.cluster(id)?.kueue.counts_parts())),
        &fact("places_layers", |plan, id| Some(plan.cluster(id)?.kueue.places_layers())),
        &fact("layers_by_itself", |plan, id| Some(plan.cluster(id)?.kueue.layers_by_itself())),
        &fact("device_names", |plan, id| {
            let devices = plan.cluster(id)?.device_classes.keys();
            let parts = gke(plan, id)?.kueue.iter().flat_map(|it| it.value.parts().keys());
            let all: BTreeSet<&str> = devices.chain(parts).map(String::as_str).collect();
            Some(strings(all))
        }),
        &fact("most_classes", |plan, id| {
            let classes = plan.cluster(id)?.device_classes.values().map(BTreeSet::len);
            let parts = gke(plan, id)?.kueue.iter().flat_map(|it| it.value.parts().values());
            let parts = parts.map(|part| part.classes().len());
            Some(int(classes.chain(parts).max().unwrap_or(0)))
        }),
        &fact("whole_classes", |plan, id| {
            let whole = plan.cluster(id)?.device_classes.values().flatten();
            Some(strings(whole.map(String::as_str).collect::<BTreeSet<_>>()))
        }),
        &fact("known_classes", |plan, id| {
            let whole = plan.cluster(id)?.device_classes.values().flatten();
            let parts = gke(plan, id)?.kueue.iter().flat_map(|it| it.value.parts().values());
            let parts = parts.flat_map(DevicePart::classes);
            let all: BTreeSet<&str> = whole.chain(parts).map(String::as_str).collect();
            Some(strings(all))
        }),
        &fact("unread_parts", |plan, id| {
            let parts = gke(plan, id)?.kueue.iter().flat_map(|it| it.value.parts());
            let unread = parts.filter(|(_, part)| part.of().is_some_and(|it| !is_expression(it)));
            Some(unread.map(|(name, _)| name.clone()).collect::<Vec<_>>())
        }),
        &fact("without_quota", |plan, id| {
            let made = queues(plan, id)?.filter(|(noun, _)| !noun.existing);
            let held = made.filter_map(|(noun, _)| covers(plan, noun.id)).flatten();
            let held: BTreeSet<&str> = held.collect();
            let told = gke(plan, id)?.kueue.iter().flat_map(|it| it.value.counted());
            let told: BTreeSet<&str> = told.filter(|name| !held.contains(name)).collect();
            Some(strings(told))
        }),
        &fact("known_integrations", |plan, id| {
            let version = &plan.cluster(id)?.kueue.version;
            let release = plan.model.catalog.kueue_release(version);
            Some(release.integrations.iter().chain(&release.others).cloned().collect::<Vec<_>>())
        }),
        &fact("region", |plan, id| region(plan, id).map(str::to_owned)),
        &fact("shut", |plan, id| {
            let window = gke(plan, id)?.maintenance.iter().map(|it| &it.value);
            let told = |(name, exclusion): (&String, &Exclusion)| {
                let (from, until) = exclusion.days();
                Shut {
                    name: name.clone(),
                    scope: exclusion.scope().to_owned(),
                    days: exclusion.length(),
                    real: [Some(from), until]
                        .into_iter()
                        .flatten()
                        .all(|day| number_of_day(day).is_some()),
                }
            };
            Some(window.flat_map(Maintenance::except).map(told).collect::<Vec<_>>())
        }),
        &fact("max_nodes", |plan, id| {
            let pools = plan.children(id).iter().filter_map(|pool| plan.pool(*pool));
            Some(pools.fold(0i64, |all, pool| pool.max_nodes().saturating_add(all)))
        }),
        &fact("system_nodes", system_nodes),
        &fact("pod_addresses", |plan, id| pod_addresses(plan, id).map(Some)),
        &fact("pod_room", pod_room),
        &fact("data_networks", |plan, id| Some(int(plan.cluster(id)?.data_networks.len()))),
        &fact("data_nodes", |plan, id| Some(fullest_of(plan, id)?.0)),
        &fact("data_room", |plan, id| Some(fullest_of(plan, id)?.1)),
    ],
};

pub(super) const SLURM: Table = Table {
    kind: "cluster",
    platform: ON_SLURM,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, SCRIPTS],
    rows: &[
        &fact("nodes", |plan, id| {
            let partitions = plan.children(id).iter().filter_map(|it| plan.partition(*it));
            Some(int(partitions.map(|partition| partition.host_names.len()).sum()))
        }),
        &fact("partitions", |plan, id| Some(int(plan.children(id).len()))),
        &fact("min_hosts", |plan, id| Some(hosts_of_slurm(plan, id)?.least)),
        &fact("max_hosts", |plan, id| Some(hosts_of_slurm(plan, id)?.most)),
        &fact("cloud", |plan, id| Some(plan.slurm(id)?.cloud.is_some())),
        &fact("built_image", built_image),
        &fact("needs_nat", needs_nat),
        &fact("controller_platform", |plan, id| {
            let SlurmController::Controller { machine, .. } =
                &SlurmCluster::of(&plan.model.get(id)?.body)?.controller.value;
            Some(platform_of(plan, machine))
        }),
        &fact("login_platform", |plan, id| {
            let SlurmLogin::Login { machine, count, .. } =
                &SlurmCluster::of(&plan.model.get(id)?.body)?.login;
            Some(Some(machine).filter(|_| *count > 0).and_then(|it| platform_of(plan, it)))
        }),
        &fact("controller_disks", |plan, id| {
            let SlurmController::Controller { machine, .. } =
                &SlurmCluster::of(&plan.model.get(id)?.body)?.controller.value;
            Some(disks_of(plan, machine))
        }),
        &fact("login_disks", |plan, id| {
            let SlurmLogin::Login { machine, .. } =
                &SlurmCluster::of(&plan.model.get(id)?.body)?.login;
            Some(disks_of(plan, machine))
        }),
        &fact("region", |plan, id| {
            let zone = SlurmCluster::of(&plan.model.get(id)?.body)?.zone.as_ref();
            Some(zone.and_then(|zone| region_of(zone)).map(str::to_owned))
        }),
        &fact("data_networks", |plan, id| {
            let cloud = plan.slurm(id)?.cloud.as_ref();
            Some(int(cloud.map_or(0, |cloud| cloud.data_networks.len())))
        }),
        &fact("data_nodes", |plan, id| Some(fullest_of_slurm(plan, id)?.0)),
        &fact("data_room", |plan, id| Some(fullest_of_slurm(plan, id)?.1)),
        &fact("shares", |plan, id| {
            let cluster = SlurmCluster::of(&plan.model.get(id)?.body)?;
            let mut mounted =
                cluster.mounts.keys().chain(&plan.model.catalog.slurm().controller_shares);
            let shared = std::path::Path::new(&cluster.shared);
            Some(mounted.any(|folder| shared.starts_with(folder)))
        }),
        &fact("controller_shares", |plan, _| {
            Some(plan.model.catalog.slurm().controller_shares.clone())
        }),
        &fact("taken_scripts", |plan, _| Some(plan.model.catalog.slurm().taken_scripts.clone())),
        &fact("image_release", |plan, _| {
            let release = &plan.model.catalog.slurm().image_slurm;
            let minor = release.rsplit_once('.').map_or(release.as_str(), |(minor, _)| minor);
            Some(minor.to_owned())
        }),
    ],
};

pub(super) const VERTEX: Table = Table {
    kind: "cluster",
    platform: ON_VERTEX,
    shared: &[RESERVED],
    rows: &[
        &fact("spec", Plan::machine_fact),
        &fact("nics", Plan::nics_fact),
        &fact("support", |plan, id| {
            let body = VertexCluster::of(&plan.model.get(id)?.body)?;
            Some(support_on_vertex(plan, &plan.vertex(id)?.machine, &body.capacity))
        }),
        &fact("trainable", |plan, id| {
            let machine = &plan.vertex(id)?.machine;
            Some(machine.vertex.training && !not_offered(plan, machine))
        }),
        &fact("shapes", |plan, id| {
            Some(plan.vertex(id)?.slices.iter().map(Slice::from).collect::<Vec<_>>())
        }),
        &fact("attachable", |plan, id| Some(plan.vertex(id)?.attachable.clone())),
        &fact("accelerator_type", |plan, id| {
            Some(plan.vertex(id)?.machine.vertex.accelerator_type.clone())
        }),
        &fact("offered", vertex_offered),
        &fact("carries_fabric", |plan, id| {
            let stack = plan.vertex(id)?.stack.as_ref();
            Some(stack.is_none_or(|stack| stack.vertex.is_some()))
        }),
        &fact("boot_disk", |plan, id| Some(plan.vertex(id)?.disk.as_str().to_owned())),
        &fact("chips", |plan, id| {
            let vertex = plan.vertex(id)?;
            Some(vertex.machine.tpu.as_ref().map_or(vertex.gpus, |tpu| i64::from(tpu.chips)))
        }),
    ],
};

/// The types of disks that a machine boots from.
fn disks_of(plan: &Plan, machine: &str) -> Vec<String> {
    plan.model.catalog.machine(machine).map_or_else(Vec::new, |it| it.disk.boot.clone())
}

/// Whether some host of a Slurm cluster on Google Cloud has no public address.
fn needs_nat(plan: &Plan, id: NounId) -> Option<bool> {
    let cluster = SlurmCluster::of(&plan.model.get(id)?.body)?;
    let SlurmController::Controller { public: controller, .. } = &cluster.controller.value;
    let SlurmLogin::Login { public, count, .. } = &cluster.login;
    let inside = plan.children(id).iter().filter_map(|it| plan.model.get(*it));
    let mut partitions = inside.filter_map(|noun| Partition::of(&noun.body));
    let made = plan.slurm(id)?.cloud.is_some();
    let login = *public || *count == 0;
    Some(made && !(*controller && login && partitions.all(|it| it.public)))
}

/// The region of a cluster; `None` where nothing tells it, as when its network could not be understood.
pub(super) fn region(plan: &Plan, cluster: NounId) -> Option<&str> {
    let region = plan.cluster(cluster)?.region.as_str();
    (!region.is_empty()).then_some(region)
}

fn gke(plan: &Plan, id: NounId) -> Option<&GkeCluster> {
    GkeCluster::of(&plan.model.get(id)?.body)
}

/// The queues of a cluster; nothing where something in it could not be understood.
fn queues(plan: &Plan, id: NounId) -> Option<impl Iterator<Item = (&Noun, &Queue)>> {
    let inside = || plan.children(id).iter().filter_map(|it| plan.model.get(*it));
    let whole = inside().all(|noun| !matches!(noun.body, Body::Broken { .. }));
    whole.then(|| inside().filter_map(|noun| Some((noun, Queue::of(&noun.body)?))))
}

fn system_nodes(plan: &Plan, id: NounId) -> Option<i64> {
    Some(plan.cluster(id)?.system.as_ref().map_or(0, |system| system.nodes.1))
}

/// Addresses that all nodes take of the range of pods.
fn pod_addresses(plan: &Plan, id: NounId) -> Option<i64> {
    let catalog = &plan.model.catalog;
    let mut all = system_nodes(plan, id)?
        .saturating_mul(node_block(catalog, usual_pods(catalog, gke(plan, id)?))?);
    for pool in plan.children(id).iter().filter_map(|child| plan.pool(*child)) {
        let block = node_block(catalog, pool.max_pods)?;
        all = all.saturating_add(pool.max_nodes().saturating_mul(block));
    }
    Some(all)
}

/// Addresses of the range of pods; nothing for networks that do not say theirs.
fn pod_room(plan: &Plan, id: NounId) -> Option<Option<i64>> {
    Some(pods_range(plan, id)?.and_then(addresses))
}

/// The range of pods of a cluster's network: `None` where the network is not known, nothing where it has no range.
pub(super) fn pods_range(plan: &Plan, cluster: NounId) -> Option<Option<ipnet::IpNet>> {
    Some(network(plan, cluster)?.pods.as_ref().map(|range| range.value))
}

fn network(plan: &Plan, cluster: NounId) -> Option<&Network> {
    let Body::GkeCluster(cluster) = &plan.model.get(cluster)?.body else { return None };
    let Body::Network(network) = &plan.model.get(cluster.network.value)?.body else { return None };
    Some(network)
}

/// Zones that GKE makes nodes of a regional cluster in, which it chooses itself.
const REGIONAL_ZONES: usize = 3;

/// The zones that are known to have the machine of a system pool, where they are too few: in a region, or none of them is the cluster's.
fn system_elsewhere(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let cluster = plan.cluster(id)?;
    let offer = |name: &str| plan.model.catalog.offer_of(name);
    let zones = cluster.system.as_ref().and_then(|it| offer(&it.machine.name));
    let zones = zones.into_iter().flat_map(|offer| &offer.zones);
    let known: Vec<String> =
        zones.filter(|zone| region_of(zone) == Some(&*cluster.region)).cloned().collect();
    let is_enough = match region_of(&cluster.location) {
        Some(_) => known.contains(&cluster.location),
        None => known.len() >= REGIONAL_ZONES,
    };
    Some(if is_enough { Vec::new() } else { known })
}

/// Whether Vertex AI does without a machine, by its own name or its family's.
pub(super) fn not_offered(plan: &Plan, machine: &Machine) -> bool {
    let names = &plan.model.catalog.vertex().not_offered;
    let is = |name: &String| [&machine.name, &machine.family, &machine.series].contains(&name);
    names.iter().any(is)
}

/// Vertex AI lends few GPUs, and has no TPUs as spot.
fn support_on_vertex(plan: &Plan, machine: &Machine, capacity: &Capacity) -> Support {
    let lent = || {
        let gpu = machine.accelerator.as_ref().map(|it| &it.gpu);
        gpu.is_some_and(|gpu| plan.model.catalog.vertex().flex_start_gpus.contains(gpu))
    };
    match capacity {
        Capacity::Spot if machine.tpu.is_some() => Support::No,
        Capacity::FlexStart { .. } if !lent() => Support::No,
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. }
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => support(machine, capacity),
    }
}

/// Whether Vertex AI trains on the accelerator in the region; `unknown` where the catalog has no list, or for CPUs.
fn vertex_offered(plan: &Plan, id: NounId) -> Option<OnVertex> {
    let Body::VertexCluster(body) = &plan.model.get(id)?.body else { return None };
    let machine = &plan.vertex(id)?.machine;
    let tpu = machine.tpu.as_ref().map(|tpu| format!("TPU {}", tpu.generation));
    let Some(accelerator) = tpu.or_else(|| machine.vertex.accelerator_type.clone()) else {
        return Some(OnVertex::Unknown);
    };
    Some(match plan.model.catalog.vertex_region(&body.region) {
        None => OnVertex::Unknown,
        Some(row)
            if row.accelerators.contains(&accelerator)
                && !row.no_training.contains(&accelerator) =>
        {
            OnVertex::Offered
        }
        Some(_) => OnVertex::Missing,
    })
}

/// Of the data network of a cluster that has the least addresses left: its nodes, and those that it has addresses for.
fn fullest_of(plan: &Plan, id: NounId) -> Option<(i64, Option<i64>)> {
    let networks = &plan.cluster(id)?.data_networks;
    let accelerators = network(plan, id)?.accelerators.value;
    Some(fullest(&plan.model.catalog.limits().vpc, accelerators, networks))
}

/// The same of a Slurm cluster.
fn fullest_of_slurm(plan: &Plan, id: NounId) -> Option<(i64, Option<i64>)> {
    let Some(cloud) = &plan.slurm(id)?.cloud else { return Some((0, None)) };
    let accelerators = Network::of(&plan.model.get(cloud.network)?.body)?.accelerators.value;
    Some(fullest(&plan.model.catalog.limits().vpc, accelerators, &cloud.data_networks))
}
