//! A VPC with its subnet, its firewall, its way to the internet, and its peering with managed filesystems.

use super::names::with_suffix;
use super::outputs::OutputBlock;
use super::patch;
use super::root::{File, Root, data, depends_on, moved, never_destroyed, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::Noun;
use slipform_model::nouns::{GkeCluster, Ingress, Network, Ref};
use slipform_model::plan::{Limit, NetworkPlan, Planned, Sound};

/// A policy of ours: the fewest connections of one node to one address outside: few while it trains. The most are the blueprint's, for when all nodes
/// load the same image.
const LEAST_NAT_PORTS: i64 = 64;

/// Everything of one network.
pub(super) fn render(root: &mut Root<'_>, network: Planned<'_, Network>) {
    let Planned { noun, body, plan, .. } = network;
    let label = root.label(noun.id);
    let guarded = carries_protected(root.plan, network.reference());
    let policy = root.deletion_policy(guarded);
    let kept = |block: Block| block.attr("deletion_policy", policy.clone());
    let protected = |block: Block| block.block_opt(guarded.then(never_destroyed));
    let vpc = protected(vpc(&label, body, plan, &policy));
    let vpc = patch::apply(root, noun, "network", vpc);
    root.push(File::Network, noun, vpc);
    let subnet = protected(kept(subnet(root, &label, body, plan)));
    let subnet = patch::apply(root, noun, "subnetwork", subnet);
    root.push(File::Network, noun, subnet);
    let internal = kept(internal_firewall(root, &label, body, plan));
    let ways = ways(body, &label).into_iter().filter(|_| guarded);
    root.push(File::Network, noun, depends_on(internal, ways));
    // what people reach nodes by, and nodes the world, can be shut at any time: with the network as a whole alone it stays
    let free = |block: Block| block.attr("deletion_policy", "DELETE");
    if body.ssh {
        let shell = shell_firewall(root, &label, plan);
        root.push(File::Network, noun, free(shell));
    }
    if !body.firewall.is_empty() {
        let rules = ingress_firewalls(root, &label, body, plan);
        root.push(File::Network, noun, rules);
    }
    for name in body.firewall.keys() {
        let from = format!("google_compute_firewall.{label}_ingress_{}", name.replace('-', "_"));
        let to = Expr::reference(format!("google_compute_firewall.{label}_ingress"));
        root.push(File::Network, noun, moved(from, to.index(name.as_str())));
    }
    if body.nat {
        if body.nat_addresses.value > 0 {
            let addresses = nat_addresses(root, &label, body, plan);
            root.push(File::Network, noun, addresses);
        }
        let router = router(root, &label, body, plan);
        root.push(File::Network, noun, free(router));
        let nat = nat(root, &label, body, plan);
        root.push(File::Network, noun, free(nat));
    }
    outputs(root, noun, &label);
}

/// The blocks by which people reach nodes, and nodes the world.
fn ways(body: &Network, label: &str) -> Vec<String> {
    let shell = body.ssh.then(|| format!("google_compute_firewall.{label}_iap_ssh"));
    let nat = body.nat.then(|| format!("google_compute_router_nat.{label}"));
    shell.into_iter().chain(nat).collect()
}

/// Whether a cluster that must not be destroyed stands on a network: without its rules and its way out, nothing runs. One
/// that was handed over stands there as before.
fn carries_protected(plan: Sound<'_>, network: Ref<Network>) -> bool {
    let mut clusters = plan.all::<GkeCluster>().map(|cluster| cluster.body);
    clusters.any(|cluster| cluster.deletion_protection && cluster.network.value == network)
}

/// Reads a network that this root does not make, once.
pub(super) fn look_up(root: &mut Root<'_>, id: Ref<Network>) {
    let Planned { noun, body, plan, .. } = root.plan.get(id);
    if !root.first_lookup(id.id()) {
        return;
    }
    let label = root.label(id);
    let host = body.project.as_ref().map(|project| project.value.as_str());
    let vpc =
        data("google_compute_network", &label).attr_opt("project", host).attr("name", &plan.name);
    root.push(File::Lookups, noun, vpc);
    let region = root.place(&body.region);
    let subnet = data("google_compute_subnetwork", &label)
        .attr_opt("project", host)
        .attr("name", &plan.subnet)
        .attr("region", region);
    root.push(File::Lookups, noun, subnet);
}

/// Lets managed services (Lustre) have addresses in a network that is made here.
pub(super) fn private_services(root: &mut Root<'_>, noun: &Noun, network: Planned<'_, Network>) {
    let plan = network.plan;
    let label = root.label(network.noun.id);
    let mut ranges = vec![format!("google_compute_global_address.{label}_services")];
    let first = resource("google_compute_global_address", &format!("{label}_services"));
    let name = helper(root, network.plan, "services").into();
    let first = services_range(first, &label, name, network.body.private_services.into());
    root.push(File::Network, noun, depends_on(first, [AFTER_SERVICES.to_owned()]));
    ranges.extend(more_services(root, noun, &label, network));
    let names = ranges.iter().map(|range| Expr::reference(format!("{range}.name")));
    let peering = resource("google_service_networking_connection", &label)
        .attr("network", Expr::reference(format!("google_compute_network.{label}.id")))
        .attr("service", "servicenetworking.googleapis.com")
        .attr("reserved_peering_ranges", Expr::list(names));
    root.push(File::Network, noun, peering);
    let source = |range: &String| {
        Expr::template([
            Part::from(Expr::reference(format!("{range}.address"))),
            Part::from("/"),
            Part::from(Expr::reference(format!("{range}.prefix_length"))),
        ])
    };
    let driver = &root.plan.catalog().kubernetes().storage.lustre;
    let ports: Vec<String> = driver.ports.iter().map(u16::to_string).collect();
    let firewall = resource("google_compute_firewall", &format!("{label}_lustre"))
        .attr("name", helper(root, plan, "lustre"))
        .attr("network", Expr::reference(format!("google_compute_network.{label}.name")))
        .attr("source_ranges", Expr::list(ranges.iter().map(source)))
        .block(allow("tcp", &ports));
    root.push(File::Network, noun, firewall);
}

/// Further ranges of managed services, and how each is referred to: one block for all, so that whoever lets go of them need not know how many
/// there are. Where one gets another length, the new one is made beside the old one, so that its length stands in its name.
fn more_services(
    root: &mut Root<'_>,
    noun: &Noun,
    label: &str,
    network: Planned<'_, Network>,
) -> Vec<String> {
    let more = &network.body.more_private_services;
    if more.is_empty() {
        return Vec::new();
    }
    let block = format!("google_compute_global_address.{label}_services_more");
    let range = |(at, length): (usize, &i64)| {
        let number = (at + 2).to_string();
        let name = helper(root, network.plan, &format!("services-{number}-{length}"));
        (number, Expr::object([("name", Expr::from(name)), ("prefix_length", (*length).into())]))
    };
    let ranges: Vec<(String, Expr)> = more.iter().enumerate().map(range).collect();
    let numbers: Vec<String> = ranges.iter().map(|(number, _)| number.clone()).collect();
    // the connection lets go of a range before it goes
    let stays = Block::of("lifecycle").attr("create_before_destroy", true);
    let (name, length) =
        (Expr::reference("each.value.name"), Expr::reference("each.value.prefix_length"));
    let made = resource("google_compute_global_address", &format!("{label}_services_more"))
        .attr("for_each", Expr::object(ranges))
        .gap();
    let made = services_range(made, label, name, length).block(stays);
    root.push(File::Network, noun, depends_on(made, [AFTER_SERVICES.to_owned()]));
    let old = |number: &String| format!("google_compute_global_address.{label}_services_{number}");
    for number in &numbers {
        let to = Expr::reference(block.clone()).index(number.as_str());
        root.push(File::Network, noun, moved(old(number), to));
    }
    numbers.into_iter().map(|number| format!("{block}[\"{number}\"]")).collect()
}

/// Addresses that managed services may have.
fn services_range(block: Block, label: &str, name: Expr, length: Expr) -> Block {
    block
        .attr("name", name)
        .attr("address_type", "INTERNAL")
        .attr("purpose", "VPC_PEERING")
        .attr("prefix_length", length)
        .attr("network", Expr::reference(format!("google_compute_network.{label}.id")))
}

/// The name of what stands beside a network.
fn helper(root: &Root<'_>, plan: &NetworkPlan, what: &str) -> String {
    with_suffix(root.plan.catalog(), &plan.name, what, Limit::Resource)
}

fn vpc(label: &str, body: &Network, plan: &NetworkPlan, policy: &Expr) -> Block {
    let block = resource("google_compute_network", label)
        .attr("name", &plan.name)
        .attr("auto_create_subnetworks", false)
        .attr("routing_mode", "REGIONAL")
        .attr("mtu", body.mtu.value)
        .attr("deletion_policy", policy.clone());
    depends_on(block, [AFTER_SERVICES.to_owned()])
}

fn subnet(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    let ranges = [(&plan.pods, &body.pods), (&plan.services, &body.services)];
    let ranges = ranges.into_iter().filter_map(|(name, range)| Some((name, range.as_ref()?)));
    let ranges = ranges.map(|(name, range)| {
        Block::of("secondary_ip_range")
            .attr("range_name", name)
            .attr("ip_cidr_range", range.value.to_string())
    });
    resource("google_compute_subnetwork", label)
        .attr("name", &plan.subnet)
        .attr("network", Expr::reference(format!("google_compute_network.{label}.id")))
        .attr("region", root.place(&body.region))
        .attr("ip_cidr_range", body.subnet.value.to_string())
        .attr("private_ip_google_access", true)
        // ranges that the blueprint no longer has are taken away too
        .attr("send_secondary_ip_range_if_empty", true)
        .blocks(ranges)
        .block_opt(body.flow_logs.share().map(flow_log))
}

/// A sample of the connections; small, since training moves a lot of bytes over few connections.
fn flow_log(share: f64) -> Block {
    Block::of("log_config")
        .attr("aggregation_interval", "INTERVAL_10_MIN")
        .attr("flow_sampling", share)
        .attr("metadata", "INCLUDE_ALL_METADATA")
}

/// A VPC of one's own has no rule that lets its machines talk to each other. The range of nodes is the subnet's own: where
/// the subnet cannot change, the rule stays as well. Under a protected cluster it stands on the ways in and out: where a network leaves the
/// blueprint, its refusal to go comes before they would.
fn internal_firewall(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    let nodes = Expr::reference(format!("google_compute_subnetwork.{label}.ip_cidr_range"));
    let pods = body.pods.as_ref().map(|range| Expr::from(range.value.to_string()));
    let sources = std::iter::once(nodes).chain(pods);
    let block = resource("google_compute_firewall", &format!("{label}_internal"))
        .attr("name", helper(root, plan, "internal"))
        .attr("network", Expr::reference(format!("google_compute_network.{label}.name")))
        .attr("source_ranges", Expr::list(sources));
    block.blocks(allow_all())
}

/// Lets `gcloud compute ssh --tunnel-through-iap` reach nodes, which have no public addresses; IAM says whom.
fn shell_firewall(root: &Root<'_>, label: &str, plan: &NetworkPlan) -> Block {
    let range = &root.plan.catalog().limits().vpc.iap_range;
    let block = resource("google_compute_firewall", &format!("{label}_iap_ssh"))
        .attr("name", helper(root, plan, "iap-ssh"))
        .attr("network", Expr::reference(format!("google_compute_network.{label}.name")))
        .attr("source_ranges", Expr::list([range.as_str()]));
    block.block(allow("tcp", &["22"]))
}

/// What is let in besides: one block for all, so that whoever lets go of them needs none of their names.
fn ingress_firewalls(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    let rules = body.firewall.iter().map(|(name, Ingress::Ingress { from, tcp, udp, icmp })| {
        let ports = [("tcp", tcp), ("udp", udp)].into_iter().filter(|(_, it)| !it.is_empty());
        let ports = ports.map(|(protocol, ports)| (protocol, Expr::list(ports)));
        let allowed = ports.chain(icmp.then(|| ("icmp", Expr::List(Vec::new()))));
        let rule = [
            ("name", Expr::from(helper(root, plan, name))),
            ("from", Expr::list(from.iter().map(ToString::to_string))),
            ("allow", Expr::object(allowed)),
        ];
        (name.as_str(), Expr::object(rule))
    });
    let content = Block::of("content")
        .attr("protocol", Expr::reference("allow.key"))
        .attr("ports", Expr::reference("allow.value"));
    let allow = Block::new("dynamic", ["allow"])
        .attr("for_each", Expr::reference("each.value.allow"))
        .block(content);
    resource("google_compute_firewall", &format!("{label}_ingress"))
        .attr("for_each", Expr::object(rules))
        .gap()
        .attr("name", Expr::reference("each.value.name"))
        .attr("network", Expr::reference(format!("google_compute_network.{label}.name")))
        .attr("source_ranges", Expr::reference("each.value.from"))
        .block(allow)
}

/// Addresses that others can let in.
fn nat_addresses(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    let name = Expr::template([
        Part::from(helper(root, plan, "nat")),
        Part::from("-"),
        Part::from(Expr::reference("count.index")),
    ]);
    let block = resource("google_compute_address", &format!("{label}_nat"))
        .attr("count", body.nat_addresses.value)
        .gap()
        .attr("name", name)
        .attr("region", root.place(&body.region))
        // the NAT lets go of an address before it goes
        .block(Block::of("lifecycle").attr("create_before_destroy", true));
    depends_on(block, [AFTER_SERVICES.to_owned()])
}

/// Every port of TCP and UDP, and ICMP.
pub(super) fn allow_all() -> [Block; 3] {
    [allow("tcp", &["0-65535"]), allow("udp", &["0-65535"]), allow::<&str>("icmp", &[])]
}

fn allow<S: AsRef<str>>(protocol: &str, ports: &[S]) -> Block {
    let ports = (!ports.is_empty()).then(|| Expr::list(ports.iter().map(S::as_ref)));
    Block::of("allow").attr("protocol", protocol).attr_opt("ports", ports)
}

fn router(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    resource("google_compute_router", label)
        .attr("name", helper(root, plan, "router"))
        .attr("network", Expr::reference(format!("google_compute_network.{label}.id")))
        .attr("region", root.place(&body.region))
}

fn nat(root: &Root<'_>, label: &str, body: &Network, plan: &NetworkPlan) -> Block {
    let log = Block::of("log_config").attr("enable", true).attr("filter", "ERRORS_ONLY");
    let own = body.nat_addresses.value > 0;
    let addresses = format!("google_compute_address.{label}_nat[*].self_link");
    resource("google_compute_router_nat", label)
        .attr("name", helper(root, plan, "nat"))
        .attr("router", Expr::reference(format!("google_compute_router.{label}.name")))
        .attr("region", root.place(&body.region))
        .attr("nat_ip_allocate_option", if own { "MANUAL_ONLY" } else { "AUTO_ONLY" })
        // without it the provider sends those of before along, which Compute Engine refuses where it takes its own
        .attr("nat_ips", if own { Expr::reference(addresses) } else { Expr::list([""; 0]) })
        .attr("source_subnetwork_ip_ranges_to_nat", "ALL_SUBNETWORKS_ALL_IP_RANGES")
        .gap()
        .attr("enable_dynamic_port_allocation", true)
        .attr("enable_endpoint_independent_mapping", false)
        .attr("min_ports_per_vm", LEAST_NAT_PORTS)
        .attr("max_ports_per_vm", body.nat_ports.value)
        .block(log)
}

fn outputs(root: &mut Root<'_>, noun: &Noun, label: &str) {
    for (field, of, address) in [
        ("name", "VPC", format!("google_compute_network.{label}.name")),
        ("subnet", "subnet", format!("google_compute_subnetwork.{label}.name")),
    ] {
        let text = format!("Name of the {of} of {}.", noun.outside.path);
        root.output(OutputBlock::of(root.plan, noun, field, text, Expr::reference(address)));
    }
}
