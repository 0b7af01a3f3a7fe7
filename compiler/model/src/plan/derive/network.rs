//! Networks, the data networks of accelerators, and how ranges of addresses are cut.

use crate::catalog::{Catalog, Machine, VpcLimits};
use crate::nouns::{Body, Network};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{DataNetwork, NetworkPlan, Plan};
use crate::{Noun, NounId};
use ipnet::{IpNet, Ipv4Net};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// A policy of ours: how many parts `accelerators` is cut into: the machines of one cluster have no more interfaces that differ.
const PLACES: u64 = 32;
/// The first place of the interfaces beside RDMA.
const GVNIC: u64 = 8;
/// The first place of networks of a profile that a pool asks for as its second one.
const SECOND: u64 = 9;
/// How many there are of those, one for each letter of a zone.
const SECONDS: u64 = 7;
/// The first place of RDMA.
const RDMA: u64 = 16;
/// The first place of RDMA in further zones, which has less room for each network.
const AWAY: u64 = 24;
/// How many parts a place is cut into, where a network has no place for itself.
const CUTS: u64 = 4;
/// Further zones that have RDMA side by side.
const ZONES: u64 = 4;

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
    /// The letter of the zone of a network of RDMA.
    letter: Option<String>,
    zoned: Zoned,
}

/// What a network of RDMA, which belongs to a zone, has its name and its range by. Neither depends on which other zones have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zoned {
    /// By being that of its cluster, for whoever says no zone: a plain name, and a place to itself.
    Plain,
    /// By the letter of its zone: whoever says one does not follow what the cluster says.
    Letter,
    /// A name by the letter, and a place to itself: there is no other zone beside it.
    Alone,
}

/// The interface that a data network is for, with its number. Networks of another purpose have another name, so that none takes the name
/// of one that is there before it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Interface {
    /// From 1 on.
    Vpc(u64),
    /// From 1 on, beside RDMA.
    Gvnic(u64),
    /// From 0 on.
    Rdma(u64),
    /// RDMA of machines that have it on one card, where a pool asks for that: the kind of its profile, as in `falcon`.
    Second(String),
}

impl Interface {
    fn object(&self) -> String {
        match self {
            Self::Vpc(number) => format!("vpc{number}"),
            Self::Gvnic(number) => format!("gvnic-{number}"),
            Self::Rdma(number) => format!("rdma-{number}"),
            Self::Second(kind) => format!("{kind}-0"),
        }
    }

    /// What the VPC of all interfaces of RDMA is called; others have one each.
    fn rdma(&self) -> Option<&str> {
        match self {
            Self::Vpc(_) | Self::Gvnic(_) => None,
            Self::Rdma(_) => Some("rdma"),
            Self::Second(kind) => Some(kind),
        }
    }
}

/// Addresses of `accelerators`, counted in [`CUTS`] of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    start: u64,
    length: u64,
}

impl Part {
    fn place(place: u64) -> Self {
        Self { start: place.saturating_mul(CUTS), length: CUTS }
    }

    fn overlaps(self, other: Self) -> bool {
        self.start < other.start.saturating_add(other.length)
            && other.start < self.start.saturating_add(self.length)
    }
}

impl Need {
    /// Where its addresses lie, whatever else its cluster has: apart from those of all others, since machines with RDMA and without can
    /// be in one cluster.
    fn own(&self) -> Part {
        Part::place(match &self.interface {
            Interface::Vpc(number) => number.saturating_sub(1),
            Interface::Gvnic(number) => number.saturating_sub(1).saturating_add(GVNIC),
            Interface::Rdma(number) if self.zoned == Zoned::Letter => return self.away(*number),
            Interface::Rdma(number) => number.saturating_add(RDMA),
            Interface::Second(_) => SECOND.saturating_add(self.zone() % SECONDS),
        })
    }

    /// Where those of RDMA of a zone lie, by its letter.
    fn away(&self, number: u64) -> Part {
        let of_zone = (PLACES - AWAY) * CUTS / ZONES;
        let start = AWAY * CUTS + self.zone() % ZONES * of_zone + number % of_zone;
        Part { start, length: 1 }
    }

    /// The number of the zone's letter in the alphabet.
    fn zone(&self) -> u64 {
        let letter = self.letter.as_ref().and_then(|letter| letter.bytes().next());
        letter.map_or(0, |letter| u64::from(letter.saturating_sub(b'a')))
    }
}

/// The parts of the networks of one cluster, none of which overlap: GKE takes no others. Where two have the same place, as zones do whose
/// letters are far apart, the later one has what is left.
fn parts(needs: &[&Need]) -> Vec<Option<Part>> {
    let mut parts: Vec<Option<Part>> = vec![None; needs.len()];
    for (at, need) in needs.iter().enumerate() {
        let left = (0..PLACES * CUTS).rev().map(|start| Part { start, length: 1 });
        let mut wanted = std::iter::once(need.own()).chain(left);
        let free = |part: &Part| !parts.iter().flatten().any(|taken| taken.overlaps(*part));
        let found = wanted.find(free);
        if let Some(part) = parts.get_mut(at) {
            *part = found;
        }
    }
    parts
}

/// The data networks that a machine has, in the order of its interfaces. Those of RDMA belong to a zone.
pub(crate) fn needs(
    catalog: &Catalog,
    machine: &Machine,
    zone: Option<&str>,
    zoned: Zoned,
) -> Vec<Need> {
    let network = &machine.network;
    let plain = |interface| plain(catalog, machine, interface);
    if network.rdma_subnets == 0 {
        let all = 1..=u64::from(network.additional_interfaces);
        return all.map(|number| plain(Interface::Vpc(number))).collect();
    }
    let rdma = |number| of_rdma(plain(Interface::Rdma(number)), machine, zone, zoned);
    let gvnic = (1..=u64::from(network.gvnic_vpcs)).map(|number| plain(Interface::Gvnic(number)));
    gvnic.chain((0..u64::from(network.rdma_subnets)).map(rdma)).collect()
}

/// The second network of machines that have none besides the first by themselves: one of RDMA where they can have that.
pub(crate) fn second(
    catalog: &Catalog,
    machine: &Machine,
    zone: Option<&str>,
    zoned: Zoned,
) -> Need {
    let Some(profile) = &machine.network.network_profile else {
        return plain(catalog, machine, Interface::Gvnic(1));
    };
    let kind = profile.rsplit('-').next().unwrap_or(profile).to_owned();
    of_rdma(plain(catalog, machine, Interface::Second(kind)), machine, zone, zoned)
}

/// All that a machine can have, where nobody says whether it has a second one: a card of RDMA is paid for with it.
pub(crate) fn all_of(
    catalog: &Catalog,
    machine: &Machine,
    zone: Option<&str>,
    zoned: Zoned,
) -> Vec<Need> {
    if machine.network.has_rdma_card() {
        return vec![second(catalog, machine, zone, zoned)];
    }
    needs(catalog, machine, zone, zoned)
}

fn plain(catalog: &Catalog, machine: &Machine, interface: Interface) -> Need {
    let usual = catalog.limits().vpc.mtu_data;
    let mtu = i64::from(machine.network.additional_vpc_mtu.unwrap_or(usual));
    Need { interface, mtu, profile: None, letter: None, zoned: Zoned::Plain }
}

fn of_rdma(need: Need, machine: &Machine, zone: Option<&str>, zoned: Zoned) -> Need {
    let profile = machine.network.network_profile.as_ref().zip(zone);
    Need {
        profile: profile.map(|(profile, zone)| profile.replace("{zone}", zone)),
        letter: zone.and_then(|zone| zone.rsplit('-').next()).map(str::to_owned),
        zoned,
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
        let of_zone = |base: &str| match need.letter.as_ref().filter(|_| need.zoned != Zoned::Plain)
        {
            Some(letter) => format!("{base}-{letter}"),
            None => base.to_owned(),
        };
        let object = of_zone(&need.interface.object());
        // of an existing cluster, whose networks go by their plain names, and of machines whose MTU a project's own facts say
        let taken = self.networks.iter().any(|(_, known)| known.object == object);
        let named = |base: String| if taken { valid(&[&base, pool]) } else { base };
        let object = derived(catalog, Limit::DnsLabel, &[&named(object)]);
        let subnet = derived(catalog, Limit::Resource, &[cluster, &object]);
        let rdma = need.interface.rdma();
        let vpc = rdma.map_or_else(
            || subnet.clone(),
            |name| derived(catalog, Limit::Resource, &[cluster, &named(of_zone(name))]),
        );
        DataNetwork {
            object,
            vpc,
            subnet,
            range: None,
            nodes: 0,
            mtu: need.mtu,
            interface: interface(at),
            rdma: rdma.is_some(),
            profile: need.profile.clone(),
        }
    }

    /// The networks with their ranges, each at its place in `accelerators`.
    pub(crate) fn networks(self, vpc: &VpcLimits, accelerators: Option<IpNet>) -> Vec<DataNetwork> {
        let parts = parts(&self.networks.iter().map(|(need, _)| need).collect::<Vec<_>>());
        let with_range = |((_, network), part): ((Need, DataNetwork), Option<Part>)| {
            let range = accelerators.zip(part).and_then(|(whole, part)| range_at(vpc, whole, part));
            DataNetwork { range, ..network }
        };
        self.networks.into_iter().zip(parts).map(with_range).collect()
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

/// The range of a part. It is as large as the part whatever the nodes, so that nothing but `accelerators` moves it.
fn range_at(vpc: &VpcLimits, whole: IpNet, part: Part) -> Option<IpNet> {
    let IpNet::V4(whole) = whole else { return None };
    let cuts = PLACES.checked_mul(CUTS)?;
    let prefix = u64::from(whole.prefix_len()) + u64::from((cuts / part.length).ilog2());
    let prefix = u8::try_from(prefix).ok().filter(|prefix| *prefix <= vpc.longest_prefix)?;
    let offset = part.start.checked_mul(size_of(whole.prefix_len()))? / cuts;
    let start = u64::from(u32::from(whole.network())).checked_add(offset)?;
    let net = Ipv4Net::new(Ipv4Addr::from(u32::try_from(start).ok()?), prefix).ok()?;
    (part.start < cuts).then_some(IpNet::V4(net))
}

/// The data network that has the least addresses left: its nodes, and those that it has addresses for, which are none where
/// `accelerators` is too small to be cut. Nobody knows the latter of other ranges than IPv4.
pub(crate) fn fullest(
    vpc: &VpcLimits,
    accelerators: IpNet,
    networks: &[DataNetwork],
) -> (i64, Option<i64>) {
    let room = |network: &DataNetwork| match accelerators {
        IpNet::V4(_) => network.range.map_or(Some(0), |range| subnet_addresses(vpc, range)),
        IpNet::V6(_) => None,
    };
    let told = networks.iter().map(|network| (network.nodes, room(network)));
    told.min_by_key(|(nodes, room)| room.unwrap_or(0).saturating_sub(*nodes)).unwrap_or_default()
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
    let ranges = subnets.filter_map(|it| match it.range {
        Some(IpNet::V4(range)) => Some(range),
        _ => None,
    });
    let ranges = Ipv4Net::aggregate(&ranges.collect());
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

    fn need(interface: Interface, zone: &str, home: &str) -> Need {
        let letter = Some(zone.to_owned());
        let zoned = if zone == home { Zoned::Plain } else { Zoned::Letter };
        Need { interface, mtu: 8896, profile: None, letter, zoned }
    }

    fn ranges(whole: &str, needs: &[Need]) -> Vec<Option<String>> {
        let parts = parts(&needs.iter().collect::<Vec<_>>());
        let range = |part| range_at(vpc(), whole.parse().unwrap(), part);
        parts.into_iter().map(|part| Some(range(part?)?.to_string())).collect()
    }

    #[test]
    fn each_data_network_has_its_place() {
        let falcon = || Interface::Second("falcon".to_owned());
        for (interface, expected) in [
            (Interface::Vpc(1), "192.168.0.0/21"),
            (Interface::Vpc(8), "192.168.56.0/21"),
            (Interface::Gvnic(1), "192.168.64.0/21"),
            (falcon(), "192.168.72.0/21"),
            (Interface::Rdma(0), "192.168.128.0/21"),
            (Interface::Rdma(7), "192.168.184.0/21"),
        ] {
            let found = ranges("192.168.0.0/16", &[need(interface.clone(), "a", "a")]);
            assert_eq!(found, [Some(expected.to_owned())], "{interface:?}");
        }
        let found = ranges("192.168.0.0/16", &[need(falcon(), "c", "a")]);
        assert_eq!(found, [Some("192.168.88.0/21".to_owned())]);
    }

    /// The cluster's own zone has the usual places, each other one its own by its letter, whichever there are.
    #[test]
    fn zones_have_ranges_of_their_own() {
        let zones = |order: &str, home: &str| -> Vec<String> {
            let zones = order.split("").filter(|zone| !zone.is_empty());
            let needs: Vec<Need> = zones.map(|zone| need(Interface::Rdma(1), zone, home)).collect();
            ranges("192.168.0.0/16", &needs).into_iter().flatten().collect()
        };
        let (usual, a, c) = ("192.168.136.0/21", "192.168.194.0/23", "192.168.226.0/23");
        assert_eq!(zones("b", "b"), [usual]);
        assert_eq!(zones("c", "b"), [c]);
        assert_eq!(zones("cb", "b"), [c, usual]);
        assert_eq!(zones("bca", "b"), [usual, c, a]);
        assert_eq!(zones("acb", "b"), [a, c, usual]);
        assert_eq!(zones("ac", ""), [a, c]);
        let alone = Need { zoned: Zoned::Alone, ..need(Interface::Rdma(1), "c", "") };
        assert_eq!(ranges("192.168.0.0/16", &[alone]), [Some(usual.to_owned())]);
    }

    #[test]
    fn networks_of_a_cluster_never_overlap() {
        let mut needs = Vec::new();
        for zone in ["a", "b", "c", "f"] {
            needs.extend((0..8).map(|number| need(Interface::Rdma(number), zone, "b")));
            for kind in ["falcon", "metal"] {
                needs.push(need(Interface::Second(kind.to_owned()), zone, "b"));
            }
        }
        for _ in 0..2 {
            needs.extend((1..9).map(|number| need(Interface::Vpc(number), "b", "b")));
            needs.push(need(Interface::Gvnic(1), "b", "b"));
        }
        let found: Vec<IpNet> = ranges("10.0.0.0/8", &needs)
            .into_iter()
            .map(|range| range.unwrap().parse().unwrap())
            .collect();
        for (at, one) in found.iter().enumerate() {
            for other in &found[at + 1..] {
                assert!(!one.contains(other) && !other.contains(one), "{one} {other}");
            }
        }
        assert_eq!(found.len(), 58);
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
            let mut fabric = Fabric::default();
            let catalog = Catalog::builtin();
            let one = need(Interface::Vpc(1), "a", "a");
            fabric.add(catalog, "main", "pool", vec![one], 3);
            let whole: IpNet = whole.parse().unwrap();
            let networks = fabric.networks(vpc(), Some(whole));
            let range = networks[0].range.map(|range| range.to_string());
            assert_eq!(range.as_deref(), first, "{whole}");
            assert_eq!(fullest(vpc(), whole, &networks), (3, room), "{whole}");
        }
    }

    /// Where two machines of the catalog have a network of one name, it is the same: no order of pools decides whose it is.
    #[test]
    fn networks_of_one_name_are_one() {
        let catalog = Catalog::builtin();
        let mut objects: BTreeMap<String, Need> = BTreeMap::new();
        for machine in catalog.machines() {
            let zone = Some("us-east4-a");
            let mut all = needs(catalog, machine, zone, Zoned::Plain);
            if all.is_empty() {
                all.push(second(catalog, machine, zone, Zoned::Plain));
            }
            for need in all {
                let known = objects.entry(need.interface.object()).or_insert_with(|| need.clone());
                assert_eq!(*known, need, "{}", machine.name);
            }
        }
        assert_eq!(objects.len(), 19);
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
