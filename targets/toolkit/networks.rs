//! The networks of a cluster: its own, which is there, and those of its accelerators, which are made with it.

use super::blueprint::Cluster;
use super::module::Module;
use crate::document::{Map, Node, map, seq};
use ipnet::IpNet;
use slipform_model::plan::{DataNetwork, NodeSet};
use std::collections::BTreeSet;

/// The network of nodes.
pub(super) const NETWORK: &str = "network";
/// What modules take from that.
pub(super) const SUBNET: &str = "subnetwork_self_link";
/// Networks of accelerators that are equal but for their addresses.
const DATA: &str = "data-networks";
/// The network of RDMA.
const RDMA: &str = "rdma-network";

/// The modules of all networks.
pub(super) fn modules(cluster: Cluster<'_>) -> Vec<Module> {
    let network = cluster.plan.get(cluster.cloud.network);
    let settings = map()
        .with_opt("project_id", network.body.project.as_ref().map(|it| it.value.as_str()))
        .with("network_name", &network.plan.name)
        .with("subnetwork_name", &network.plan.subnet);
    let own = Module::new(NETWORK, "modules/network/pre-existing-vpc")
        .comment(&network.noun.origin)
        .settings(settings);
    let mut modules = vec![own];
    let data = Data::of(cluster);
    modules.extend(alike(cluster, &data.alike));
    modules.extend(data.beside.iter().map(|network| beside_rdma(network)));
    modules.extend(shared(&data.rdma));
    modules.extend(data.on_card.iter().filter_map(|network| on_card(cluster, network)));
    modules
}

/// The data networks of a cluster, by what makes them.
struct Data<'p> {
    alike: Vec<&'p DataNetwork>,
    /// Of machines that have networks of RDMA, too.
    beside: Vec<&'p DataNetwork>,
    rdma: Vec<&'p DataNetwork>,
    /// Of machines that do RDMA over one card.
    on_card: Vec<&'p DataNetwork>,
}

impl<'p> Data<'p> {
    fn of(cluster: Cluster<'p>) -> Self {
        let members = cluster.members();
        let with_rdma = |set: &&NodeSet| set.networks.iter().any(|network| network.rdma);
        let sets = members.iter().map(|member| member.set).filter(with_rdma);
        let beside: BTreeSet<&str> =
            sets.flat_map(|set| &set.networks).map(|network| network.object.as_str()).collect();
        let (rdma, plain): (Vec<_>, Vec<_>) =
            cluster.cloud.data_networks.iter().partition(|network| network.rdma);
        let (beside, alike) =
            plain.into_iter().partition(|network| beside.contains(network.object.as_str()));
        let with_card = members.iter().filter(|member| member.has_rdma_card());
        let cards: BTreeSet<&str> = with_card
            .flat_map(|member| &member.set.networks)
            .map(|network| network.object.as_str())
            .collect();
        let (on_card, rdma) =
            rdma.into_iter().partition(|network| cards.contains(network.object.as_str()));
        Self { alike, beside, rdma, on_card }
    }
}

/// Networks that one module makes: it cuts their ranges out of one, in order.
fn alike(cluster: Cluster<'_>, networks: &[&DataNetwork]) -> Option<Module> {
    let first = networks.first()?;
    let prefix = first.range?.prefix_len();
    let whole = cluster.plan.get(cluster.cloud.network).body.accelerators.value;
    let settings = map()
        .with("network_name_prefix", format!("{}-data", cluster.planned.name()))
        .with("global_ip_address_range", whole.to_string())
        .with("network_count", networks.len())
        .with("subnetwork_cidr_suffix", prefix)
        .with("mtu", first.mtu)
        .with("enable_cloud_nat", false)
        .with("enable_cloud_router", false)
        .with("enable_iap_ssh_ingress", false);
    let comment = "a network for each network card of the GPUs";
    Some(Module::new(DATA, "modules/network/multivpc").comment(comment).settings(settings))
}

/// A network beside those of RDMA, on a network card of its own.
fn beside_rdma(network: &DataNetwork) -> Module {
    let range = network.range.map(|range| range.to_string()).unwrap_or_default();
    let subnet = map()
        .with("subnet_name", &network.subnet)
        .with("subnet_region", "$(vars.region)")
        .with("subnet_ip", &range);
    let protocols = ["tcp", "udp", "icmp"].map(|it| map().with("protocol", it));
    let rule = map()
        .with("name", format!("{}-internal", network.vpc))
        .with("ranges", seq([range.as_str()]))
        .with("allow", seq(protocols));
    let settings = map()
        .with("network_name", &network.vpc)
        .with("mtu", network.mtu)
        .with("enable_cloud_nat", false)
        .with("enable_cloud_router", false)
        .with("enable_internal_traffic", false)
        .with("subnetworks", seq([subnet]))
        .with("firewall_rules", seq([rule]));
    Module::new(&network.object, "modules/network/vpc")
        .comment("the second network card of a machine with RDMA")
        .settings(settings)
}

/// The network of machines that do RDMA over one card.
fn on_card(cluster: Cluster<'_>, network: &DataNetwork) -> Option<Module> {
    let members = cluster.members();
    let asks = |set: &NodeSet| set.networks.iter().any(|it| it.object == network.object);
    let member = members.iter().find(|member| asks(member.set))?;
    let range = network.range.map(|range| range.to_string()).unwrap_or_default();
    let subnet = map()
        .with("subnet_name", &network.subnet)
        .with("subnet_region", "$(vars.region)")
        .with("subnet_ip", range);
    let settings = map()
        .with("network_name", &network.vpc)
        .with("network_profile", profile_url(network.profile.as_deref()?))
        .with("network_routing_mode", "REGIONAL")
        .with("mtu", network.mtu)
        .with_opt("nic_type", member.partition.plan.machine.network.nic_type.as_deref())
        .with("enable_cloud_nat", false)
        .with("enable_cloud_router", false)
        .with("enable_internal_traffic", false)
        .with("subnetworks", seq([subnet]));
    let comment = "the network of RDMA of the second network card";
    Some(Module::new(&network.object, "modules/network/vpc").comment(comment).settings(settings))
}

/// A network profile, as Compute Engine names it.
fn profile_url(profile: &str) -> String {
    format!(
        "https://www.googleapis.com/compute/beta/projects/$(vars.project_id)/global/networkProfiles/{profile}"
    )
}

/// The network of RDMA, with a subnet for each network card of the GPUs.
fn shared(networks: &[&DataNetwork]) -> Option<Module> {
    let (first, last) = (networks.first()?, networks.last()?);
    let range = around(first.range?, last.range?)?;
    let profile = first.profile.as_deref()?;
    let template = map()
        .with("name_prefix", format!("{}-subnet", first.vpc))
        .with("count", networks.len())
        .with("ip_range", range.to_string())
        .with("region", "$(vars.region)");
    let settings = map()
        .with("network_name", &first.vpc)
        .with("network_profile", profile_url(profile))
        .with("network_routing_mode", "REGIONAL")
        .with("mtu", first.mtu)
        .with("subnetworks_template", template);
    let comment = "the network of RDMA, with a subnet for each network card of the GPUs";
    Some(Module::new(RDMA, "modules/network/gpu-rdma-vpc").comment(comment).settings(settings))
}

/// The smallest range that has both.
fn around(first: IpNet, last: IpNet) -> Option<IpNet> {
    let mut range = first;
    while !range.contains(&last) {
        range = range.supernet()?;
    }
    Some(range)
}

/// The networks that nodes of a set take, first those whose outputs they use; then what they are told of the others.
pub(super) fn of_set(cluster: Cluster<'_>, set: &NodeSet, settings: Map) -> (Vec<String>, Map) {
    let own = vec![NETWORK.to_owned()];
    let (rdma, beside): (Vec<_>, Vec<_>) = set.networks.iter().partition(|it| it.rdma);
    let data = Data::of(cluster);
    let on_card =
        |network: &&DataNetwork| data.on_card.iter().any(|it| it.object == network.object);
    if let Some(network) = rdma.iter().copied().find(on_card) {
        let networks = format!("$({}.instance_additional_networks)", network.object);
        return (own, settings.with("additional_networks", networks));
    }
    if !rdma.is_empty() {
        let all = data.rdma.len();
        let settings = settings.with("additional_networks", with_rdma(&beside, rdma.len(), all));
        return (own, settings);
    }
    match beside.len() {
        0 => (own, settings),
        count if count == data.alike.len() => (vec![NETWORK.to_owned(), DATA.to_owned()], settings),
        count => {
            let some = format!("$(slice({DATA}.additional_networks, 0, {count}))");
            (own, settings.with("additional_networks", some))
        }
    }
}

/// The interfaces beside those of RDMA, then as many of these as a machine has.
fn with_rdma(beside: &[&DataNetwork], count: usize, all: usize) -> Node {
    let interface = |network: &&DataNetwork| {
        format!(
            "{{network=null, subnetwork={}.subnetwork_self_link, subnetwork_project=vars.project_id, nic_type=\"GVNIC\", queue_count=null, network_ip=\"\", stack_type=null, access_config=[], ipv6_access_config=[], alias_ip_range=[]}}",
            network.object
        )
    };
    let beside: Vec<String> = beside.iter().map(interface).collect();
    let rdma = format!("{RDMA}.subnetwork_interfaces");
    let rdma = if count == all { rdma } else { format!("slice({rdma}, 0, {count})") };
    format!("$(concat([{}], {rdma}))", beside.join(", ")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subnets_of_rdma_are_cut_out_of_one_range() {
        let range = |text: &str| text.parse::<IpNet>().unwrap();
        let whole = around(range("192.168.128.0/21"), range("192.168.184.0/21"));
        assert_eq!(whole, Some(range("192.168.128.0/18")));
        let four = around(range("192.168.128.0/21"), range("192.168.152.0/21"));
        assert_eq!(four, Some(range("192.168.128.0/19")));
    }
}
