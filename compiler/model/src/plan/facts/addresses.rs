//! Addresses of hosts: how many ask for one of a subnet, of one cluster and of all that stands on a network; and which two have the same.

use super::records::{AddressTwice, HostsOnNetwork};
use crate::nouns::{
    GkeCluster, Kind, Machines, Partition, SlurmCluster, SlurmController, SlurmLogin,
};
use crate::plan::Plan;
use crate::{Noun, NounId};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Hosts that are always there, and at most.
#[derive(Clone, Copy)]
pub(super) struct Hosts {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Hosts {
    fn with(self, (least, most): (i64, i64)) -> Self {
        Self { least: self.least.saturating_add(least), most: self.most.saturating_add(most) }
    }
}

/// Hosts of a Slurm cluster: nodes, controllers, and those that people submit from.
pub(super) fn hosts_of_slurm(plan: &Plan, id: NounId) -> Option<Hosts> {
    let cluster = SlurmCluster::of(&plan.model.get(id)?.body)?;
    let SlurmController::Controller { standby, .. } = &cluster.controller.value;
    let SlurmLogin::Login { count, .. } = &cluster.login;
    let servers = 1 + i64::from(standby.is_some()) + *count;
    let partitions = plan.children(id).iter().filter_map(|it| plan.model.get(*it));
    let nodes = partitions.filter_map(|it| Some(Partition::of(&it.body)?.nodes.value.bounds()));
    Some(nodes.fold(Hosts { least: servers, most: servers }, Hosts::with))
}

/// Nodes of a GKE cluster, those of its system pool among them.
fn hosts_of_gke(plan: &Plan, id: NounId) -> Option<Hosts> {
    let system = plan.cluster(id)?.system.as_ref().map_or((0, 0), |system| system.nodes);
    let pools = plan.children(id).iter().filter_map(|pool| plan.pool(*pool));
    let nodes = pools.map(|pool| {
        let pools = i64::try_from(pool.node_pools.len()).unwrap_or(i64::MAX);
        (pool.nodes.0.saturating_mul(pools), pool.max_nodes())
    });
    Some(nodes.fold(Hosts { least: system.0, most: system.1 }, Hosts::with))
}

/// Hosts of all that this blueprint makes on a network.
pub(super) fn hosts_on(plan: &Plan, network: NounId) -> Option<HostsOnNetwork> {
    let of = |noun: &Noun| {
        let gke = GkeCluster::of(&noun.body).filter(|it| it.network.value.id() == network);
        let is_on = |it: &&SlurmCluster| it.on_cloud().is_some_and(|(its, _)| its.id() == network);
        let slurm = SlurmCluster::of(&noun.body).filter(is_on);
        let machines = Machines::of(&noun.body).filter(|it| it.network.value.id() == network);
        let machines = machines.map(|it| Hosts { least: it.nodes.value, most: it.nodes.value });
        let slurm = slurm.and_then(|_| hosts_of_slurm(plan, noun.id));
        gke.and_then(|_| hosts_of_gke(plan, noun.id)).or(slurm).or(machines)
    };
    let made = plan.model.nouns.iter().filter(|noun| !plan.is_there(noun));
    let hosts: Vec<Hosts> = made.filter_map(of).collect();
    let all =
        hosts.iter().fold(Hosts { least: 0, most: 0 }, |all, it| all.with((it.least, it.most)));
    Some(HostsOnNetwork {
        users: i64::try_from(hosts.len()).unwrap_or(i64::MAX),
        least: all.least,
        most: all.most,
        least_of_one: hosts.iter().map(|it| it.least).max().unwrap_or(0),
        most_of_one: hosts.iter().map(|it| it.most).max().unwrap_or(0),
    })
}

/// The first node of a partition whose address a controller has, or another node of a partition in front of it.
pub(super) fn address_twice(plan: &Plan, id: NounId) -> Option<Option<AddressTwice>> {
    let cluster = plan.model.get(id)?.parent?;
    let mut known: BTreeMap<IpAddr, String> = BTreeMap::new();
    for controller in &SlurmCluster::of(&plan.model.get(cluster)?.body)?.controllers {
        let told = controller.value.strip_suffix(')').and_then(|it| it.split_once('('));
        if let Some((name, address)) = told.and_then(|(name, at)| Some((name, at.parse().ok()?))) {
            known.insert(address, name.to_owned());
        }
    }
    let partitions = plan.children(cluster);
    for (host, address) in
        partitions.iter().take_while(|it| **it != id).flat_map(|it| nodes(plan, *it))
    {
        known.entry(address).or_insert(host);
    }
    let same = nodes(plan, id).find_map(|(host, address)| {
        let other = known.get(&address).filter(|other| **other != host)?;
        Some(AddressTwice { host, address: address.to_string(), other: other.clone() })
    });
    Some(same)
}

/// The nodes of a partition, each with its address, where these are counted from the first.
fn nodes(plan: &Plan, id: NounId) -> impl Iterator<Item = (String, IpAddr)> {
    let first = plan.model.get(id).and_then(|it| Partition::of(&it.body)?.first_address.as_ref());
    let hosts = plan.partition(id).map(|it| it.host_names.as_slice()).unwrap_or_default();
    let hosts = if first.is_some() { hosts } else { &[] };
    hosts.iter().enumerate().filter_map(move |(at, host)| {
        Some((host.clone(), behind(first?.value, u32::try_from(at).ok()?)?))
    })
}

/// The address so many behind another.
fn behind(first: IpAddr, count: u32) -> Option<IpAddr> {
    match first {
        IpAddr::V4(first) => Some(IpAddr::V4(first.to_bits().checked_add(count)?.into())),
        IpAddr::V6(first) => {
            Some(IpAddr::V6(first.to_bits().checked_add(u128::from(count))?.into()))
        }
    }
}
