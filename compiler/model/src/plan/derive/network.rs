//! Networks, the data networks of accelerators, and how ranges of addresses are cut.

use crate::catalog::{Catalog, Machine};
use crate::nouns::{Body, Network};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{DataNetwork, NetworkPlan, Plan};
use crate::{Noun, NounId};
use ipnet::{IpNet, Ipv4Net};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// The largest data subnet prefix: room for 252 nodes; larger pools get larger subnets.
const USUAL_PREFIX: u8 = 24;
/// The longest prefix of a subnet.
const LONGEST_PREFIX: u8 = 29;
/// Addresses of each subnet that Google Cloud keeps.
const KEPT: u64 = 4;

pub(crate) fn networks(plan: &Plan) -> BTreeMap<NounId, NetworkPlan> {
    plan.model
        .networks()
        .map(|(noun, network)| (noun.id, network_plan(plan, noun, network)))
        .collect()
}

fn network_plan(plan: &Plan, noun: &Noun, network: &Network) -> NetworkPlan {
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.name]));
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
    /// `vpc1`, `gvnic-1`, `rdma-0`
    pub(crate) object: String,
    mtu: i64,
    rdma: bool,
    profile: Option<String>,
}

/// The data networks that a machine has, in the order of its interfaces.
pub(crate) fn needs(catalog: &Catalog, machine: &Machine, zone: Option<&str>) -> Vec<Need> {
    let network = &machine.network;
    let usual_mtu = || catalog.limits().map_or(0, |limits| limits.vpc.mtu_default);
    let mtu = i64::from(network.additional_vpc_mtu.unwrap_or_else(usual_mtu));
    let plain = |object: String| Need { object, mtu, rdma: false, profile: None };
    if network.rdma_subnets == 0 {
        return (1..=network.additional_interfaces).map(|at| plain(format!("vpc{at}"))).collect();
    }
    let profile = network
        .network_profile
        .as_ref()
        .zip(zone)
        .map(|(profile, zone)| profile.replace("{zone}", zone));
    let rdma =
        |at| Need { object: format!("rdma-{at}"), mtu, rdma: true, profile: profile.clone() };
    let gvnic = (1..=network.gvnic_vpcs).map(|at| plain(format!("gvnic-{at}")));
    gvnic.chain((0..network.rdma_subnets).map(rdma)).collect()
}

/// The data networks of one cluster while its pools are gone through.
#[derive(Default)]
pub(crate) struct Fabric {
    networks: Vec<(Need, DataNetwork)>,
    nodes: i64,
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
        if !needs.is_empty() {
            self.nodes = self.nodes.saturating_add(nodes);
        }
        let mut places = Vec::with_capacity(needs.len());
        for (at, need) in needs.into_iter().enumerate() {
            let known = self.networks.iter().position(|(known, _)| *known == need);
            places.push(known.unwrap_or(self.networks.len()));
            if known.is_none() {
                let network = self.network(catalog, cluster, pool, &need, at);
                self.networks.push((need, network));
            }
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
        let taken = self.networks.iter().any(|(known, _)| known.object == need.object);
        let named = |base: &str| if taken { valid(&[base, pool]) } else { base.to_owned() };
        let object = derived(catalog, Limit::DnsLabel, &[&named(&need.object)]);
        let subnet = derived(catalog, Limit::Resource, &[cluster, &object]);
        let vpc = if need.rdma {
            derived(catalog, Limit::Resource, &[cluster, &named("rdma")])
        } else {
            subnet.clone()
        };
        DataNetwork {
            object,
            vpc,
            subnet,
            range: None,
            mtu: need.mtu,
            interface: interface(at),
            rdma: need.rdma,
            profile: need.profile.clone(),
        }
    }

    /// The networks with their ranges, cut from `ranges`.
    pub(crate) fn cut(self, ranges: &mut Ranges) -> Vec<DataNetwork> {
        let mut networks: Vec<DataNetwork> =
            self.networks.into_iter().map(|(_, network)| network).collect();
        let cut = ranges.take(networks.len(), self.nodes);
        for (network, range) in networks.iter_mut().zip(cut) {
            network.range = Some(range);
        }
        networks
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

/// What is left of a range that subnets are cut from, one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges {
    whole: Option<Ipv4Net>,
    next: u64,
}

impl Ranges {
    /// Nothing to cut.
    pub(crate) fn none() -> Self {
        Self { whole: None, next: 0 }
    }

    pub(crate) fn new(whole: IpNet) -> Self {
        let whole = match whole {
            IpNet::V4(net) => Some(net.trunc()),
            IpNet::V6(_) => None,
        };
        Self { whole, next: 0 }
    }

    /// `count` subnets for so many nodes each: as large as they need to be, as small as it takes to fit; none where
    /// not even the smallest fit.
    fn take(&mut self, count: usize, nodes: i64) -> Vec<IpNet> {
        let Some(whole) = self.whole else { return Vec::new() };
        let size = size_of(whole.prefix_len());
        let wanted = prefix_for(nodes).min(USUAL_PREFIX).max(whole.prefix_len());
        for prefix in wanted..=LONGEST_PREFIX {
            let step = size_of(prefix);
            let first = self.next.next_multiple_of(step);
            let end = first.saturating_add(step.saturating_mul(count as u64));
            if end > size {
                continue;
            }
            self.next = end;
            let start = |at: u64| u64::from(u32::from(whole.network())) + first + at * step;
            let net = |at| {
                Ipv4Net::new(Ipv4Addr::from(u32::try_from(start(at)).ok()?), prefix)
                    .ok()
                    .map(IpNet::V4)
            };
            return (0..count as u64).filter_map(net).collect();
        }
        Vec::new()
    }
}

/// Addresses of an IPv4 range.
fn size_of(prefix: u8) -> u64 {
    1u64 << (32 - u32::from(prefix.min(32)))
}

/// The prefix of the smallest subnet with an address for each node.
fn prefix_for(nodes: i64) -> u8 {
    let wanted = u64::try_from(nodes).unwrap_or(0).saturating_add(KEPT);
    (0..=32).rev().find(|prefix| size_of(*prefix) >= wanted).unwrap_or(0)
}

/// Addresses of a network's `accelerators` that no data network takes.
pub(crate) fn free_addresses(plan: &Plan, id: NounId) -> Option<i64> {
    let Body::Network(network) = &plan.model.get(id)?.body else { return None };
    let IpNet::V4(whole) = network.accelerators.value else { return None };
    let on_it = plan.model.gke_clusters().filter(|(_, cluster)| cluster.network.value == id);
    let subnets = on_it
        .filter_map(|(noun, _)| plan.cluster(noun.id))
        .flat_map(|cluster| &cluster.data_networks);
    let taken: u64 =
        subnets.filter_map(|it| it.range).map(|range| size_of(range.prefix_len())).sum();
    i64::try_from(size_of(whole.prefix_len()).saturating_sub(taken)).ok()
}

/// Addresses that one node takes of the range of pods, as the catalog rounds them.
pub(crate) fn node_block(catalog: &Catalog, max_pods: i64) -> Option<i64> {
    let masks = &catalog.limits()?.gke.pod_mask;
    let rows = masks.iter().filter_map(|(pods, mask)| Some((pods.parse::<i64>().ok()?, *mask)));
    let (_, mask) = rows.filter(|(pods, _)| *pods >= max_pods).min()?;
    i64::try_from(size_of(mask)).ok()
}

/// Addresses of a range; those of a subnet less what Google Cloud keeps.
pub(crate) fn usable_addresses(range: IpNet, subnet: bool) -> Option<i64> {
    let IpNet::V4(range) = range else { return None };
    let kept = if subnet { KEPT } else { 0 };
    i64::try_from(size_of(range.prefix_len()).saturating_sub(kept)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(whole: &str, takes: &[(usize, i64)]) -> Vec<Vec<String>> {
        let mut ranges = Ranges::new(whole.parse().unwrap());
        takes
            .iter()
            .map(|(count, nodes)| {
                ranges.take(*count, *nodes).iter().map(ToString::to_string).collect()
            })
            .collect()
    }

    #[test]
    fn subnets_are_cut_in_order() {
        assert_eq!(
            cut("192.168.0.0/16", &[(2, 16), (1, 8)]),
            [vec!["192.168.0.0/24", "192.168.1.0/24"], vec!["192.168.2.0/24"]]
        );
    }

    #[test]
    fn subnets_grow_with_the_nodes_and_shrink_to_fit() {
        assert_eq!(cut("192.168.0.0/16", &[(2, 253)]), [["192.168.0.0/23", "192.168.2.0/23"]]);
        assert_eq!(cut("192.168.0.0/24", &[(2, 16)]), [["192.168.0.0/25", "192.168.0.128/25"]]);
        assert_eq!(cut("192.168.0.0/30", &[(2, 16)]), [Vec::<String>::new()]);
        assert_eq!(cut("fd00::/64", &[(2, 16)]), [Vec::<String>::new()]);
    }

    #[test]
    fn a_larger_subnet_behind_a_smaller_one_starts_where_it_may() {
        assert_eq!(cut("10.0.0.0/16", &[(1, 16), (1, 300)]), [["10.0.0.0/24"], ["10.0.2.0/23"]]);
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
