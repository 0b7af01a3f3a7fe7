//! GKE clusters: where they are, their data networks, and what their workloads make them need.

use super::network::{Fabric, Need, Zoned, at_places, needs, second};
use super::pool::{claims_interfaces, extent, zone};
use super::{counted, program, system};
use crate::catalog::{Catalog, Machine, Prerequisite, region_of};
use crate::nouns::{Body, Choice, GkeCluster, Identity, Kind, Network, Pool, Ref};
use crate::plan::{Checkpoints, ClusterPlan, DataNetwork, MountPlan, Place, Plan, Server, Source};
use crate::{Noun, NounId};
use ipnet::IpNet;
use std::collections::{BTreeMap, BTreeSet};

/// Every cluster, and the data networks of every pool.
pub(crate) fn clusters(
    plan: &Plan,
) -> (BTreeMap<NounId, ClusterPlan>, BTreeMap<NounId, Vec<DataNetwork>>) {
    let mut of_pools = BTreeMap::new();
    let mut plans = BTreeMap::new();
    for (noun, cluster) in plan.model.gke_clusters() {
        let name = plan.name(noun.id).cloned().unwrap_or_default();
        let (fabric, places) = fabric(plan, noun, cluster, &name);
        let data_networks = fabric
            .networks(&plan.model.catalog.limits().vpc, accelerators(plan, cluster.network.value));
        let networks = places.into_iter().map(|(pool, places)| {
            let usual = at_places(&data_networks, &places);
            (pool, said(plan, pool, usual))
        });
        of_pools.extend(networks);
        plans.insert(noun.id, cluster_plan(plan, noun, cluster, name, data_networks));
    }
    (plans, of_pools)
}

/// The networks of a pool as the blueprint says them, where it does.
fn said(plan: &Plan, pool: NounId, usual: Vec<DataNetwork>) -> Vec<DataNetwork> {
    let body = plan.model.get(pool).and_then(|noun| Pool::of(&noun.body));
    let interfaces = body.map(|pool| &pool.interfaces.value).filter(|said| !said.is_empty());
    let Some(interfaces) = interfaces else { return usual };
    let all = interfaces.iter().zip(usual.iter().cycle());
    let named = |((interface, object), like): ((&String, &String), &DataNetwork)| DataNetwork {
        interface: interface.clone(),
        object: object.clone(),
        ..like.clone()
    };
    all.map(named).collect()
}

/// What a network has for data networks.
fn accelerators(plan: &Plan, network: Ref<Network>) -> Option<IpNet> {
    Some(plan.model.body(network)?.accelerators.value)
}

fn fabric(
    plan: &Plan,
    noun: &Noun,
    cluster: &GkeCluster,
    name: &str,
) -> (Fabric, Vec<(NounId, Vec<usize>)>) {
    let catalog = &*plan.model.catalog;
    let mut fabric = Fabric::default();
    let mut places = Vec::new();
    for id in plan.children(noun.id) {
        let Some(Noun { outside, body: Body::Pool(pool), .. }) = plan.model.get(*id) else {
            continue;
        };
        let Some(machine) = catalog.machine(&pool.machine) else { continue };
        let extent = extent(catalog, pool, machine);
        let nodes = extent.nodes.1.saturating_mul(extent.node_pools);
        let zone = zone(pool, cluster);
        // what someone else made goes by its plain names
        let follows = noun.existing || pool.zone.set().is_none();
        let zoned = if follows { Zoned::Plain } else { Zoned::Letter };
        let claimed = claims_interfaces(pool, machine);
        let needs =
            if claimed { Vec::new() } else { own_needs(catalog, pool, machine, zone, zoned) };
        places.push((*id, fabric.add(catalog, name, &outside.name, needs, nodes)));
    }
    (fabric, places)
}

/// The data networks of a pool: those of its machine, or a second one that it asks for.
fn own_needs(
    catalog: &Catalog,
    pool: &Pool,
    machine: &Machine,
    zone: Option<&str>,
    zoned: Zoned,
) -> Vec<Need> {
    let mut needs = needs(catalog, machine, zone, zoned);
    if pool.second_network.value && needs.is_empty() {
        needs.push(second(catalog, machine, zone, zoned));
    }
    needs
}

fn cluster_plan(
    plan: &Plan,
    noun: &Noun,
    cluster: &GkeCluster,
    name: String,
    data_networks: Vec<DataNetwork>,
) -> ClusterPlan {
    let network = plan.model.body(cluster.network.value);
    let network_region = network.map(|network| network.region.value.as_str());
    let zone_region = cluster.zone.as_ref().and_then(|zone| region_of(zone));
    let location = match &cluster.location {
        Choice::Set(location) => location.value.as_str(),
        Choice::Auto => network_region.or(zone_region).unwrap_or_default(),
    };
    let kueue = plan.model.catalog.prerequisite(Prerequisite::Kueue);
    let said = cluster.kueue.as_ref().and_then(|it| it.value.version());
    ClusterPlan {
        kueue: said.map_or_else(|| kueue.clone(), |version| kueue.at(version)),
        device_classes: BTreeMap::new(),
        name,
        location: location.to_owned(),
        region: region_of(location).unwrap_or(location).to_owned(),
        dns_endpoint: cluster.dns_endpoint.set().copied().unwrap_or(!noun.existing),
        system: None,
        data_networks,
        gcsfuse: false,
        filestore: false,
        lustre: false,
        checkpoints: Vec::new(),
        volumes: Vec::new(),
        namespaces: Vec::new(),
        accounts: Vec::new(),
    }
}

/// What workloads and queues ask of a cluster.
#[derive(Default)]
struct Use {
    gcsfuse: bool,
    filestore: bool,
    lustre: bool,
    namespaces: BTreeSet<String>,
    accounts: BTreeSet<(String, String, Ref<Identity>)>,
    checkpoints: Vec<Checkpoints>,
    volumes: Vec<Source>,
}

/// Adds storage drivers, namespaces, accounts, classes of devices and a pool for the system to the clusters, once queues and workloads are
/// known.
pub(crate) fn add_use(plan: &mut Plan) {
    for (id, pool) in system::pools(plan) {
        if let Some(cluster) = plan.clusters.get_mut(&id) {
            cluster.system = Some(pool);
        }
    }
    for (id, classes) in counted::device_classes(plan) {
        if let Some(cluster) = plan.clusters.get_mut(&id) {
            cluster.device_classes = classes;
        }
    }
    let uses = uses(plan);
    for (id, found) in uses {
        let Some(cluster) = plan.clusters.get_mut(&id) else { continue };
        cluster.gcsfuse = found.gcsfuse;
        cluster.filestore = found.filestore;
        cluster.lustre = found.lustre;
        cluster.checkpoints = found.checkpoints;
        cluster.volumes = found.volumes;
        cluster.namespaces =
            found.namespaces.into_iter().filter(|name| name != "default").collect();
        cluster.accounts = found.accounts.into_iter().collect();
    }
}

fn uses(plan: &Plan) -> BTreeMap<NounId, Use> {
    let mut uses: BTreeMap<NounId, Use> = BTreeMap::new();
    for (noun, queue) in plan.model.queues() {
        let Some(cluster) = noun.parent else { continue };
        let namespaces = queue.namespaces.iter().map(|it| it.value.clone());
        uses.entry(cluster).or_default().namespaces.extend(namespaces);
    }
    for (noun, cluster) in plan.model.gke_clusters() {
        let found = uses.entry(noun.id).or_default();
        for volume in cluster.volumes.iter().filter_map(|it| program::volume(plan, it.value)) {
            found.namespaces.insert(cluster.namespace.clone());
            found.source(&volume);
            found.volumes.push(volume);
        }
        for (account, identity) in &cluster.accounts {
            let Some((namespace, name)) = account.split_once('/') else { continue };
            found.namespaces.insert(namespace.to_owned());
            found.accounts.insert((namespace.to_owned(), name.to_owned(), identity.value));
        }
    }
    for (_, run) in plan.workloads() {
        let Some(site) = run.gke() else { continue };
        let found = uses.entry(site.cluster.id()).or_default();
        found.namespaces.insert(site.namespace.clone());
        for gang in run.gangs() {
            let account =
                gang.identity.map(|it| (site.namespace.clone(), gang.pod.account.clone(), it));
            found.accounts.extend(account);
            gang.program.mounts.iter().for_each(|it| found.source(&it.source.value));
            let pool = gang.program.place.value;
            gang.program.mounts.iter().for_each(|it| found.checkpoints(pool, it));
        }
    }
    uses
}

impl Use {
    /// Of two configurations for one pool the first counts; that they differ is told of.
    fn checkpoints(&mut self, place: Place, mount: &MountPlan) {
        let (Place::Pool(pool), Source::LocalCheckpoints { noun, name, memory }) =
            (place, &mount.source.value)
        else {
            return;
        };
        if self.checkpoints.iter().all(|known| known.pool != pool) {
            let kept = Checkpoints { pool, bucket: *noun, name: name.clone(), memory: *memory };
            self.checkpoints.push(kept);
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Bucket { .. } | Source::LocalCheckpoints { .. } => self.gcsfuse = true,
            Source::Share { server: Server::Filestore { .. }, .. } => self.filestore = true,
            Source::Share { server: Server::Lustre { .. }, .. } => self.lustre = true,
            Source::Share {
                server: Server::Nfs { .. } | Server::Nodes { .. } | Server::Disk { .. },
                ..
            }
            | Source::Scratch { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => {}
        }
    }
}
