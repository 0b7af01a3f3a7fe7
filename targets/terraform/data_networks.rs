//! The networks of the accelerators: a VPC with a subnet for each TCP interface, and one RDMA VPC with a subnet for
//! each RDMA interface.
//!
//! A custom VPC lets nothing through, so each TCP network gets a rule for the range of its own subnet; a VPC with an
//! RDMA profile takes no rules. Connections are not logged here: there are few, they carry all of the traffic, and logs
//! of them cost more than they tell.

use super::names::with_suffix;
use super::network::allow_all;
use super::root::{File, Root, resource};
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::Noun;
use slipform_model::plan::{DataNetwork, Limit};
use std::collections::BTreeMap;

/// Where a pool's interface finds its network and its subnet.
pub(super) struct Interface {
    pub(super) network: Expr,
    pub(super) subnet: Expr,
}

/// The networks of a root; `asking` tells whom those of TCP, or of RDMA, are for, whose line is named.
pub(super) fn render<'p>(
    root: &mut Root<'_>,
    networks: &[DataNetwork],
    asking: impl Fn(bool) -> &'p Noun,
) {
    let (rdma, tcp): (Vec<_>, Vec<_>) = networks.iter().partition(|network| network.rdma);
    if !tcp.is_empty() {
        tcp_networks(root, asking(false), &tcp);
    }
    if !rdma.is_empty() {
        rdma_networks(root, asking(true), &rdma);
    }
}

/// The networks of a pool's interfaces, in the order of the interfaces.
pub(super) fn interfaces(networks: &[DataNetwork]) -> impl Iterator<Item = Interface> + '_ {
    networks.iter().map(|network| {
        let kind = if network.rdma { "rdma" } else { "data" };
        let vpc = if network.rdma { &network.vpc } else { &network.object };
        let at = |what: &str, key: &str| {
            Expr::reference(format!("google_compute_{what}.{kind}")).index(key).attr("name")
        };
        Interface { network: at("network", vpc), subnet: at("subnetwork", &network.object) }
    })
}

fn tcp_networks(root: &mut Root<'_>, noun: &Noun, networks: &[&DataNetwork]) {
    let catalog = root.plan.catalog();
    let entry = |network: &&DataNetwork| {
        let fields = [
            ("vpc", Expr::from(&network.vpc)),
            ("subnet", Expr::from(&network.subnet)),
            ("cidr", range(network)),
            ("mtu", Expr::from(network.mtu)),
            ("firewall", with_suffix(catalog, &network.vpc, "internal", Limit::Resource).into()),
        ];
        (network.object.clone(), Expr::inline_object(fields))
    };
    let map = Expr::object(networks.iter().map(entry));
    root.push(File::Network, noun, Block::of("locals").attr("data_networks", map));
    let each = |field: &str| Expr::reference(format!("each.value.{field}"));
    let vpc = for_each(resource("google_compute_network", "data"), "data_networks")
        .attr("name", each("vpc"))
        .attr("auto_create_subnetworks", false)
        .attr("routing_mode", "REGIONAL")
        .attr("mtu", each("mtu"));
    root.push(File::Network, noun, vpc);
    let network = |field: &str| {
        Expr::reference("google_compute_network.data")
            .index(Expr::reference("each.key"))
            .attr(field.to_owned())
    };
    let subnet = for_each(resource("google_compute_subnetwork", "data"), "data_networks")
        .attr("name", each("subnet"))
        .attr("network", network("id"))
        .attr("region", Expr::reference("var.region"))
        .attr("ip_cidr_range", each("cidr"))
        .attr("private_ip_google_access", true);
    root.push(File::Network, noun, subnet);
    // of the subnet itself, so that a range that cannot change changes in no rule either
    let range = Expr::reference("google_compute_subnetwork.data")
        .index(Expr::reference("each.key"))
        .attr("ip_cidr_range");
    let firewall = for_each(resource("google_compute_firewall", "data"), "data_networks")
        .attr("name", each("firewall"))
        .attr("network", network("name"))
        .attr("source_ranges", Expr::list([range]))
        .blocks(allow_all());
    root.push(File::Network, noun, firewall);
}

fn rdma_networks(root: &mut Root<'_>, noun: &Noun, networks: &[&DataNetwork]) {
    let mut vpcs: BTreeMap<&str, Expr> = BTreeMap::new();
    for network in networks {
        let profile = network.profile.as_deref().map_or(Expr::Null, |name| profile(root, name));
        let fields = [("mtu", Expr::from(network.mtu)), ("profile", profile)];
        vpcs.entry(&network.vpc).or_insert_with(|| Expr::inline_object(fields));
    }
    let vpcs = Expr::object(vpcs);
    let subnet = |network: &&DataNetwork| {
        let fields = [
            ("vpc", Expr::from(&network.vpc)),
            ("name", Expr::from(&network.subnet)),
            ("cidr", range(network)),
        ];
        (network.object.clone(), Expr::inline_object(fields))
    };
    let subnets = Expr::object(networks.iter().map(subnet));
    let locals = Block::of("locals").attr("rdma_networks", vpcs).attr("rdma_subnets", subnets);
    root.push(File::Network, noun, locals);
    let each = |field: &str| Expr::reference(format!("each.value.{field}"));
    let vpc = for_each(resource("google_compute_network", "rdma"), "rdma_networks")
        .attr("name", Expr::reference("each.key"))
        .attr("auto_create_subnetworks", false)
        .attr("mtu", each("mtu"))
        .attr("network_profile", each("profile"));
    root.push(File::Network, noun, vpc);
    let network = Expr::reference("google_compute_network.rdma").index(each("vpc")).attr("id");
    let subnet = for_each(resource("google_compute_subnetwork", "rdma"), "rdma_subnets")
        .attr("name", each("name"))
        .attr("network", network)
        .attr("region", Expr::reference("var.region"))
        .attr("ip_cidr_range", each("cidr"));
    root.push(File::Network, noun, subnet);
}

/// The full path of a network profile of the project; its name starts with a zone.
fn profile(root: &Root<'_>, name: &str) -> Expr {
    let mut parts = vec![
        Part::from("projects/"),
        Part::from(Expr::reference("var.project_id")),
        Part::from("/global/networkProfiles/"),
    ];
    match root.zone().and_then(|zone| name.strip_prefix(zone)) {
        Some(rest) => parts.extend([Part::from(Expr::reference("var.zone")), Part::from(rest)]),
        None => parts.push(Part::from(name)),
    }
    Expr::Template(parts)
}

fn range(network: &DataNetwork) -> Expr {
    network.range.map_or(Expr::Null, |range| range.to_string().into())
}

fn for_each(block: Block, local: &str) -> Block {
    block.attr("for_each", Expr::reference(format!("local.{local}"))).gap()
}
