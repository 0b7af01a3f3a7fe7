//! Networks, the data networks of accelerators, and how ranges of addresses are cut.

use crate::catalog::{Catalog, Machine, VpcLimits};
use crate::nouns::{Body, Network};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{DataNetwork, NetworkPlan, Plan};
use crate::{Noun, NounId};
use ipnet::{IpNet, Ipv4Net};
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// A policy of ours: how many parts `accelerators` is cut into: the machines of one cluster have no more interfaces that differ.
const PLACES: u64 = 32;
/// The first place of the interfaces beside RDMA.
const GVNIC: u64 = 8;
/// The first place of RDMA.
const RDMA: u64 = 16;

pub(crate) fn networks(plan: &Plan) -> BTreeMap<NounId, NetworkPlan> {
    plan.model
        .networks()
        .map(|(noun, network)| (noun.id, network_plan(plan, noun, network)))
        .collect()
}

fn network_plan(plan: &Plan, noun: &Noun, network: &Network) -> NetworkPlan {
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.outside.name]));
    let said = |field: &Option<slipform_source::Spanned<String>>| {
        field.as_ref().map(|it| it.value.clone())
    };
    let subnet = || derived(&plan.model.catalog, Limit::Resource, &[&name, &network.region.value]);
    NetworkPlan {
        subnet: said(&network.subnet_name).unwrap_or_else(subnet),
        pods: said(&network.pods_name).unwrap_or_else(|| "pods".to_owned()),
        services: said(&network.services_name).unwrap_or_else(|| "services".to_owned()),
        name,
    }
}

/// What one data network of a node is, wherever its packets go.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Need {
    interface: Interface,
    mtu: i64,
    profile: Option<String>,
    /// What tells it from the same network of the cluster's own zone.
    apart: Option<String>,
}

/// The interface that a data network is for, with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interface {
    /// From 1 on.
    Vpc(u64),
    /// From 1 on, beside RDMA.
    Gvnic(u64),
    /// From 0 on.
    Rdma(u64),
}

impl Interface {
    fn object(self) -> String {
        match self {
            Self::Vpc(number) => format!("vpc{number}"),
            Self::Gvnic(number) => format!("gvnic-{number}"),
            Self::Rdma(number) => format!("rdma-{number}"),
        }
    }

    fn is_rdma(self) -> bool {
        matches!(self, Self::Rdma(_))
    }

    /// Where its addresses lie in `accelerators`, counted in [`PLACES`]: apart from those of all others, since machines
    /// with RDMA and without can be in one cluster.
    fn place(self) -> u64 {
        match self {
            Self::Vpc(number) => number.saturating_sub(1),
            Self::Gvnic(number) => number.saturating_sub(1).saturating_add(GVNIC),
            Self::Rdma(number) => number.saturating_add(RDMA),
        }
    }
}

/// The data networks that a machine has, in the order of its interfaces. Those of RDMA belong to a zone: outside of
/// `home`, the cluster's own, its letter stands in their names.
pub(crate) fn needs(
    catalog: &Catalog,
    machine: &Machine,
    zone: Option<&str>,
    home: Option<&str>,
) -> Vec<Need> {
    let network = &machine.network;
    let plain = |interface| plain(catalog, machine, interface);
    if network.rdma_subnets == 0 {
        let all = 1..=u64::from(network.additional_interfaces);
        return all.map(|number| plain(Interface::Vpc(number))).collect();
    }
    let rdma = |number| of_rdma(plain(Interface::Rdma(number)), machine, zone, home);
    let gvnic = (1..=u64::from(network.gvnic_vpcs)).map(|number| plain(Interface::Gvnic(number)));
    gvnic.chain((0..u64::from(network.rdma_subnets)).map(rdma)).collect()
}

/// The second network of machines that have none besides the first by themselves: one of RDMA where they can have that.
pub(crate) fn second(
    catalog: &Catalog,
    machine: &Machine,
    zone: Option<&str>,
    home: Option<&str>,
) -> Need {
    if machine.network.network_profile.is_none() {
        return plain(catalog, machine, Interface::Gvnic(1));
    }
    of_rdma(plain(catalog, machine, Interface::Rdma(0)), machine, zone, home)
}

fn plain(catalog: &Catalog, machine: &Machine, interface: Interface) -> Need {
    let usual = catalog.limits().vpc.mtu_default;
    let mtu = i64::from(machine.network.additional_vpc_mtu.unwrap_or(usual));
    Need { interface, mtu, profile: None, apart: None }
}

fn of_rdma(need: Need, machine: &Machine, zone: Option<&str>, home: Option<&str>) -> Need {
    let profile = machine.network.network_profile.as_ref().zip(zone);
    let away = zone.filter(|zone| home != Some(*zone));
    Need {
        profile: profile.map(|(profile, zone)| profile.replace("{zone}", zone)),
        apart: away.and_then(|zone| zone.rsplit('-').next()).map(str::to_owned),
        ..need
    }
}

/// The data networks of one cluster while its pools are gone through.
#[derive(Default)]
pub(crate) struct Fabric {
    networks: Vec<(Need, DataNetwork)>,
}

impl Fabric {
    /// Adds what a pool of so many nodes needs; pools with the same needs share. Gives the places of its networks.
    pub(crate) fn add(
        &mut self,
        catalog: &Catalog,
        cluster: &str,
        pool: &str,
        needs: Vec<Need>,
        nodes: i64,
    ) -> Vec<usize> {
        let mut places = Vec::with_capacity(needs.len());
        for (at, need) in needs.into_iter().enumerate() {
            let known = self.networks.iter().position(|(known, _)| *known == need);
            let place = known.unwrap_or(self.networks.len());
            if known.is_none() {
                let network = self.network(catalog, cluster, pool, &need, at);
                self.networks.push((need, network));
            }
            if let Some((_, network)) = self.networks.get_mut(place) {
                network.nodes = network.nodes.saturating_add(nodes);
            }
            places.push(place);
        }
        places
    }

    fn network(
        &self,
        catalog: &Catalog,
        cluster: &str,
        pool: &str,
        need: &Need,
        at: usize,
    ) -> DataNetwork {
        let of_zone = |base: &str| match &need.apart {
            Some(apart) => format!("{base}-{apart}"),
            None => base.to_owned(),
        };
        let object = of_zone(&need.interface.object());
        let taken = self.networks.iter().any(|(_, known)| known.object == object);
        let named = |base: String| if taken { valid(&[&base, pool]) } else { base };
        let object = derived(catalog, Limit::DnsLabel, &[&named(object)]);
        let subnet = derived(catalog, Limit::Resource, &[cluster, &object]);
        let rdma = need.interface.is_rdma();
        let vpc = if rdma {
            derived(catalog, Limit::Resource, &[cluster, &named(of_zone("rdma"))])
        } else {
            subnet.clone()
        };
        DataNetwork {
            object,
            vpc,
            subnet,
            range: None,
            nodes: 0,
            mtu: need.mtu,
            interface: interface(at),
            rdma,
            profile: need.profile.clone(),
        }
    }

    /// The networks with their ranges, each at its place in `accelerators`.
    pub(crate) fn networks(self, vpc: &VpcLimits, accelerators: Option<IpNet>) -> Vec<DataNetwork> {
        let with_range = |(need, network): (Need, DataNetwork)| {
            let range = accelerators.and_then(|whole| range_at(vpc, whole, need.interface.place()));
            DataNetwork { range, ..network }
        };
        self.networks.into_iter().map(with_range).collect()
    }
}

/// The networks of one pool among those of its cluster, by their places, on its own interfaces.
pub(crate) fn at_places(networks: &[DataNetwork], places: &[usize]) -> Vec<DataNetwork> {
    let found = places.iter().filter_map(|place| networks.get(*place)).enumerate();
    found.map(|(at, network)| DataNetwork { interface: interface(at), ..network.clone() }).collect()
}

/// `eth0` is the first network, so the data networks begin at `eth1`.
fn interface(at: usize) -> String {
    format!("eth{}", at + 1)
}

/// The range at a place. It is as large as the place whatever the nodes, so that nothing but `accelerators` moves it.
fn range_at(vpc: &VpcLimits, whole: IpNet, place: u64) -> Option<IpNet> {
    let IpNet::V4(whole) = whole else { return None };
    let prefix = place_prefix(vpc, whole)?;
    let start = u64::from(u32::from(whole.network())) + place.checked_mul(size_of(prefix))?;
    let inside = place < PLACES;
    let net = Ipv4Net::new(Ipv4Addr::from(u32::try_from(start).ok()?), prefix).ok()?;
    inside.then_some(IpNet::V4(net))
}

/// The prefix of a place; none where it is too long for a subnet.
fn place_prefix(vpc: &VpcLimits, whole: Ipv4Net) -> Option<u8> {
    let prefix = whole.prefix_len().checked_add(PLACES.ilog2() as u8)?;
    (prefix <= vpc.longest_prefix).then_some(prefix)
}

/// Nodes that each data network has addresses for: 0 where `accelerators` is too small to be cut.
pub(crate) fn data_room(vpc: &VpcLimits, accelerators: IpNet) -> Option<i64> {
    let IpNet::V4(_) = accelerators else { return None };
    range_at(vpc, accelerators, 0).map_or(Some(0), |range| subnet_addresses(vpc, range))
}

/// Addresses of an IPv4 range.
fn size_of(prefix: u8) -> u64 {
    1u64 << (32 - u32::from(prefix.min(32)))
}

/// Addresses of a network's `accelerators` that no data network takes.
pub(crate) fn free_addresses(plan: &Plan, id: NounId) -> Option<i64> {
    let Body::Network(network) = &plan.model.get(id)?.body else { return None };
    let IpNet::V4(whole) = network.accelerators.value else { return None };
    let on_it = plan.model.gke_clusters().filter(|(_, cluster)| cluster.network.value == id);
    let subnets = on_it
        .filter_map(|(noun, _)| plan.cluster(noun.id))
        .flat_map(|cluster| &cluster.data_networks);
    // networks of several clusters have the same places
    let ranges: BTreeSet<IpNet> = subnets.filter_map(|it| it.range).collect();
    let taken: u64 = ranges.iter().map(|range| size_of(range.prefix_len())).sum();
    i64::try_from(size_of(whole.prefix_len()).saturating_sub(taken)).ok()
}

/// Addresses that one node takes of the range of pods, as the catalog rounds them.
pub(crate) fn node_block(catalog: &Catalog, max_pods: i64) -> Option<i64> {
    let masks = &catalog.limits().gke.pod_mask;
    let rows = masks.iter().filter_map(|(pods, mask)| Some((pods.parse::<i64>().ok()?, *mask)));
    let (_, mask) = rows.filter(|(pods, _)| *pods >= max_pods).min()?;
    i64::try_from(size_of(mask)).ok()
}

/// Addresses of a range.
pub(crate) fn addresses(range: IpNet) -> Option<i64> {
    let IpNet::V4(range) = range else { return None };
    i64::try_from(size_of(range.prefix_len())).ok()
}

/// Addresses of a subnet, less those that the network keeps.
pub(crate) fn subnet_addresses(vpc: &VpcLimits, range: IpNet) -> Option<i64> {
    addresses(range).map(|all| all.saturating_sub(i64::from(vpc.addresses_kept)).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vpc() -> &'static VpcLimits {
        &Catalog::builtin().limits().vpc
    }

    fn range(whole: &str, interface: Interface) -> Option<String> {
        range_at(vpc(), whole.parse().unwrap(), interface.place()).map(|range| range.to_string())
    }

    #[test]
    fn each_data_network_has_its_place() {
        for (interface, expected) in [
            (Interface::Vpc(1), Some("192.168.0.0/21")),
            (Interface::Vpc(8), Some("192.168.56.0/21")),
            (Interface::Gvnic(1), Some("192.168.64.0/21")),
            (Interface::Rdma(0), Some("192.168.128.0/21")),
            (Interface::Rdma(7), Some("192.168.184.0/21")),
            (Interface::Rdma(16), None),
        ] {
            let found = range("192.168.0.0/16", interface);
            assert_eq!(found.as_deref(), expected, "{interface:?}");
        }
    }

    #[test]
    fn places_are_as_large_as_the_range_lets_them_be() {
        for (whole, first, room) in [
            ("10.0.0.0/8", Some("10.0.0.0/13"), Some(524_284)),
            ("192.168.64.0/24", Some("192.168.64.0/29"), Some(4)),
            ("192.168.0.0/25", None, Some(0)),
            ("192.168.0.0/30", None, Some(0)),
            ("fd00::/64", None, None),
        ] {
            assert_eq!(range(whole, Interface::Vpc(1)).as_deref(), first, "{whole}");
            assert_eq!(data_room(vpc(), whole.parse().unwrap()), room, "{whole}");
        }
    }

    /// No two data networks of a cluster have one range, whatever machines of the catalog are in it.
    #[test]
    fn the_networks_of_a_cluster_differ() {
        let catalog = Catalog::builtin();
        let mut objects = BTreeMap::new();
        for machine in catalog.machines() {
            for need in needs(catalog, machine, Some("us-east4-a"), None) {
                let (place, object) = (need.interface.place(), need.interface.object());
                assert!(place < PLACES, "{}", machine.name);
                let known = objects.entry(place).or_insert_with(|| object.clone());
                assert_eq!(*known, object, "{}", machine.name);
            }
        }
        assert_eq!(objects.len(), 17);
    }

    #[test]
    fn a_node_takes_a_block_of_pod_addresses() {
        let catalog = Catalog::builtin();
        for (max_pods, addresses) in [(8, 16), (9, 32), (64, 128), (110, 256), (256, 512)] {
            assert_eq!(node_block(catalog, max_pods), Some(addresses), "{max_pods}");
        }
        assert_eq!(node_block(catalog, 257), None);
    }
}
