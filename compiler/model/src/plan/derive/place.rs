//! How nodes are put close together, what they boot from, and machines on Vertex AI.

use super::pool::{Extent, slice_of};
use super::vertex::{attachable, attached, usual_disk};
use crate::NounId;
use crate::catalog::{Catalog, Machine};
use crate::nouns::{Capacity, Disk, Placement};
use crate::plan::{PlacementPlan, Plan, SlicePlan, VertexPlan};
use std::collections::BTreeMap;

/// How nodes lie, as it is chosen for a capacity. By itself, close together only where nodes talk to each other over a fabric: several nodes
/// in one zone, of a family and with a capacity that allow it. A reservation's machines lie as they were reserved: with
/// the policy that it was made with, or with none.
pub(crate) fn placement(
    catalog: &Catalog,
    (chosen, capacity): (Option<Placement>, &Capacity),
    machine: &Machine,
    extent: &Extent,
    zone: Option<&str>,
) -> PlacementPlan {
    // the hosts of a slice lie as its topology says, whatever is written
    let is_free = extent.slice.as_ref().is_none_or(|slice| slice.single_host);
    match (chosen.filter(|_| is_free), reserved_policy(capacity)) {
        (Some(Placement::Spread), _) => PlacementPlan::Spread,
        (_, Some(policy)) => PlacementPlan::Named {
            policy: policy.to_owned(),
            workload: matches!(close(catalog, machine, extent), PlacementPlan::WorkloadPolicy(_)),
        },
        (Some(Placement::Compact), None) => close(catalog, machine, extent),
        (None, None) if wants(capacity, machine, extent, zone) => close(catalog, machine, extent),
        (None, None) => PlacementPlan::Spread,
    }
}

/// The placement policy that a reservation was made with.
fn reserved_policy(capacity: &Capacity) -> Option<&str> {
    match capacity {
        Capacity::Reservation { policy, .. } => policy.as_deref(),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. }
        | Capacity::Calendar { .. } => None,
    }
}

/// The policy that the family takes.
fn close(catalog: &Catalog, machine: &Machine, extent: &Extent) -> PlacementPlan {
    if let (Some(_), Some(topology)) = (&machine.placement.policy, &machine.placement.topology) {
        return PlacementPlan::WorkloadPolicy(topology.clone());
    }
    let needs_policy = machine.tpu.as_ref().and_then(|tpu| catalog.tpu(&tpu.generation));
    let needs_policy = needs_policy.is_some_and(|tpu| tpu.multi_host_needs_workload_policy);
    match &extent.slice {
        Some(slice) if needs_policy && !slice.single_host => {
            PlacementPlan::WorkloadPolicy(slice.topology.to_string())
        }
        _ => PlacementPlan::Compact,
    }
}

fn wants(capacity: &Capacity, machine: &Machine, extent: &Extent, zone: Option<&str>) -> bool {
    if let Some(slice) = &extent.slice {
        return !slice.single_host;
    }
    if machine.placement.policy.is_some() {
        return true;
    }
    let talks = machine.accelerator.as_ref().is_some_and(|gpus| gpus.nvlink_domain_gpus > 1);
    let most = extent.nodes.1;
    let few_enough = machine.placement.gke_max_nodes.is_none_or(|limit| most <= i64::from(limit));
    let capacity = match capacity {
        // reserved machines were placed when they were reserved, and match no other policy
        Capacity::Queued { .. }
        | Capacity::Reservation { .. }
        | Capacity::AnyReservation
        | Capacity::Calendar { .. } => false,
        Capacity::FlexStart { .. } => machine.placement.flex_start_compact,
        Capacity::OnDemand | Capacity::Spot => true,
    };
    talks && machine.placement.compact && capacity && zone.is_some() && most > 1 && few_enough
}

/// The blueprint's choice, or the first type that the machine boots from, or the usual one.
pub(crate) fn boot_disk(chosen: Option<Disk>, boots: &[String]) -> Disk {
    chosen.or_else(|| boots.iter().find_map(|name| Disk::named(name))).unwrap_or(Disk::PdBalanced)
}

pub(crate) fn vertex(plan: &Plan) -> BTreeMap<NounId, VertexPlan> {
    let catalog = &*plan.model.catalog;
    let mut found = BTreeMap::new();
    for (noun, cluster) in plan.model.vertex_clusters() {
        let Some(machine) = catalog.machine(&cluster.machine) else { continue };
        let machine = attached(catalog, machine, cluster.gpus.map(|gpus| gpus.value));
        let usual = usual_disk(catalog, &machine);
        found.insert(
            noun.id,
            VertexPlan {
                stack: machine.stack.as_deref().and_then(|name| catalog.stack(name)).cloned(),
                disk: cluster.disk_type.set().map_or(usual, |disk| disk.value),
                gpus: machine.accelerator.as_ref().map_or(0, |gpus| i64::from(gpus.count)),
                slices: vertex_slices(catalog, &machine),
                attachable: attachable(catalog, cluster),
                machine,
            },
        );
    }
    found
}

/// The shapes that Vertex AI lists of the machine's TPUs, the smallest first.
fn vertex_slices(catalog: &Catalog, machine: &Machine) -> Vec<SlicePlan> {
    let listed = catalog.tpu_of_machine(&machine.name).map(|tpu| &tpu.vertex_topologies);
    let own =
        listed.into_iter().flatten().filter(|it| catalog.slice_on(&machine.name, it).is_some());
    let shapes = own.filter_map(|topology| slice_of(catalog, machine, topology.parse().ok()?));
    shapes.collect()
}
