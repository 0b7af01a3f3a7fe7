//! Plain machines of Compute Engine: where they are, how they lie, what they start from, and their data networks.

use super::network::{Fabric, at_places, needs};
use super::place::{boot_disk, placement};
use super::pool::Extent;
use crate::catalog::{Machine, region_of};
use crate::nouns::{Capacity, Machines, OnHostMaintenance};
use crate::plan::{DataNetwork, MachinesPlan, Plan};
use crate::{Noun, NounId};
use std::collections::BTreeMap;

pub(crate) fn machines(plan: &Plan) -> BTreeMap<NounId, MachinesPlan> {
    let all = plan.model.machines();
    all.filter_map(|(noun, body)| Some((noun.id, machines_plan(plan, noun, body)?))).collect()
}

fn machines_plan(plan: &Plan, noun: &Noun, body: &Machines) -> Option<MachinesPlan> {
    let catalog = &*plan.model.catalog;
    let machine = catalog.machine(&body.machine)?;
    let zone = body.zone.value.as_str();
    let nodes = (body.nodes.value, body.nodes.value);
    let extent = Extent { slice: None, node_pools: 1, nodes, elastic: false };
    let chosen = body.placement.set().map(|it| it.value);
    let disk = body.disk_type.set().map(|disk| disk.value);
    Some(MachinesPlan {
        region: region_of(zone)?.to_owned(),
        placement: placement(catalog, (chosen, &body.capacity), machine, &extent, Some(zone)),
        disk: boot_disk(disk, &machine.disk.boot),
        reservation: plan.taken(&body.capacity).map(|taken| taken.path()),
        migrates: migrates(body, machine),
        data_networks: data_networks(plan, noun, body, machine)?,
        machine: machine.clone(),
    })
}

/// Whether a machine goes to another host as it runs. Accelerators do not go with it
/// (<https://cloud.google.com/compute/docs/instances/live-migration-process#limitations>), and what may be taken away at any time is not moved.
fn migrates(body: &Machines, machine: &Machine) -> bool {
    if let Some(chosen) = body.on_host_maintenance.set() {
        return chosen.value == OnHostMaintenance::Migrate;
    }
    let stays = match body.capacity.value {
        Capacity::OnDemand | Capacity::Reservation { .. } | Capacity::AnyReservation => true,
        Capacity::Spot
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. }
        | Capacity::Calendar { .. } => false,
    };
    stays && machine.accelerator.is_none() && machine.tpu.is_none()
}

fn data_networks(
    plan: &Plan,
    noun: &Noun,
    body: &Machines,
    machine: &Machine,
) -> Option<Vec<DataNetwork>> {
    let catalog = &*plan.model.catalog;
    let zone = Some(body.zone.value.as_str());
    let needs = needs(catalog, machine, zone, zone);
    let mut fabric = Fabric::default();
    let name = plan.name(noun.id)?;
    let places = fabric.add(catalog, name, &noun.outside.name, needs, body.nodes.value);
    let accelerators =
        plan.model.body(body.network.value).map(|network| network.accelerators.value);
    let networks = fabric.networks(&catalog.limits().vpc, accelerators);
    Some(at_places(&networks, &places))
}
