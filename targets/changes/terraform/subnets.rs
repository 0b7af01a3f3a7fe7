//! Networks and subnets: what another range does to them, and what stands on them.

use super::groups::groups_of;
use super::names::reservation_of;
use super::protected::{lift, protection};
use super::root::{Instance, Root};
use super::values::TEMPLATE;
use crate::tree::Detail;
use crate::{Change, Effect, File};
use ipnet::IpNet;
use std::collections::BTreeMap;

const MOVED: &str = "a range of a subnet only grows";
const HELD: &str = "a range that a cluster has its pods or services in cannot change while the cluster is there: it goes before, with what runs on it, and is made again";

/// What joins a network to that of managed services.
const CONNECTION: &str = "google_service_networking_connection";

/// Of a range that managed services have their addresses in (VPC: "Configure private services access").
pub(super) const CONNECTED: &str =
    "its connection to managed services: Google Cloud does not let a range go that it has";

/// How there is more room without another range.
pub(super) const BESIDE: &str =
    "leaving its length as it was: `more_private_services` adds a range beside it";

/// Whether it is a range of managed services whose connection has it before and after, and does not end itself.
pub(super) fn is_connected(
    it: &Instance,
    (before, after): (&Root, &Root),
    ends: impl Fn(&str) -> bool,
) -> bool {
    let has = |connection: &Instance| connection.references.iter().any(|of| of.block == it.block());
    let mut connections = after.instances.iter();
    it.resource == "google_compute_global_address"
        && it.flat.get("purpose").is_some_and(|it| it == "VPC_PEERING")
        // another one takes the place of such a range before it goes
        && !it.is_made_before
        && connections.any(|(address, connection)| {
            connection.resource == CONNECTION
                && has(connection)
                && before.instances.get(address).is_some_and(has)
                && !ends(address)
        })
}

/// Compute Engine does not do it by itself (VPC: "Change the MTU setting of a VPC network").
const OTHER_SIZE: &str = "machines that run keep the size of before until they are started again, nodes of GKE until they are made anew, and large packets between those of both sizes are lost: what runs there ends before, and once it is applied each pool is made anew (`gcloud container clusters upgrade CLUSTER --node-pool=POOL --cluster-version=` with the version that it has)";

/// What another range of a subnet does, or another size of packets.
pub(super) fn changed(resource: &str, path: &[&str], detail: &Detail) -> Option<(Effect, String)> {
    match (resource, path) {
        ("google_compute_subnetwork", ["ip_cidr_range"]) if !is_grown(detail) => {
            Some((Effect::Replaces, MOVED.to_owned()))
        }
        ("google_compute_network", ["mtu"]) => Some((Effect::Restarts, OTHER_SIZE.to_owned())),
        // under another name it is another range: the one of before goes
        (
            "google_compute_subnetwork",
            ["secondary_ip_range", "ip_cidr_range" | "range_name", ..],
        ) => Some((Effect::ByHand, HELD.to_owned())),
        _ => None,
    }
}

/// Whether a change makes a subnet anew, which nothing may be in then.
pub(crate) fn moves_subnet(change: &Change) -> bool {
    change.why == MOVED
}

/// Whether a network or a subnet of it is made anew, or goes, which Google Cloud refuses while something is in it.
pub(crate) fn is_vacated(change: &Change) -> bool {
    let network = ["google_compute_network.", "google_compute_subnetwork."];
    let is_network = network.iter().any(|it| change.thing.starts_with(it));
    is_network && change.effect == Effect::Replaces
}

/// What a block of a root is called in the cloud, where its text says so.
pub(crate) fn written_name(address: &str, files: &[File<'_>]) -> Option<String> {
    Root::read(files).instances.get(address)?.flat.get("name").cloned()
}

/// The blocks of node pools whose nodes are in a subnet, by its address.
pub(crate) fn pools_in(subnet: &str, files: &[File<'_>]) -> BTreeMap<String, String> {
    let root = Root::read(files);
    let pools = root.instances.values().filter(|it| it.resource == "google_container_node_pool");
    let inside = pools.filter(|it| it.references.iter().any(|it| it.address == subnet));
    inside.map(|it| (it.block(), it.origin.clone())).collect()
}

/// The blocks of node pools, and of groups of machines, that are had from a reservation, by its name.
pub(crate) fn had_from(reservation: &str, files: &[File<'_>]) -> BTreeMap<String, String> {
    let root = Root::read(files);
    let of = |resource: &str, path: &str| {
        let all = root.instances.values().filter(|it| it.resource == resource);
        let has = |it: &&Instance| {
            let mut said = it.flat.iter().filter(|(at, _)| at.starts_with(path));
            said.any(|(_, name)| reservation_of(name) == reservation)
        };
        all.filter(has).collect::<Vec<_>>()
    };
    let pools = of("google_container_node_pool", "node_config[0].reservation_affinity[0].values[");
    let templates = of(TEMPLATE, "reservation_affinity[0].specific_reservation[0].values[");
    let groups = templates.iter().flat_map(|it| groups_of(it, &root));
    pools.into_iter().chain(groups).map(|it| (it.block(), it.origin.clone())).collect()
}

/// Whether a change is of a range that clusters hold.
pub(crate) fn is_held(change: &Change) -> bool {
    change.why == HELD
}

/// Adds to the change of a range a cluster of it, which is destroyed by its commands: whose it is, and what stops that.
pub(crate) fn take_along(change: &mut Change, root: &str, before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (Root::read(before), Root::read(after));
    let mut clusters = old.instances.iter();
    let found = clusters.find(|(_, it)| it.resource == "google_container_cluster");
    let Some((address, cluster)) = found else { return };
    change.takes_along.push(cluster.origin.clone());
    let Some(by) = protection(cluster, &new) else { return };
    let by = format!("{by} (`{root} {address}`)");
    let before = change.stopped_by.take().map(|it| format!("{it}; ")).unwrap_or_default();
    change.stopped_by = Some(format!("{before}{by}"));
    change.lifted_by = Some(lift(cluster, &new));
}

/// Whether a range still holds all that it held.
fn is_grown(detail: &Detail) -> bool {
    let range = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<IpNet>().ok());
    match (range(&detail.before), range(&detail.after)) {
        (Some(old), Some(new)) => new.contains(&old),
        _ => false,
    }
}
