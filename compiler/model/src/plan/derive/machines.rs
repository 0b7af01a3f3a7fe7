//! Plain machines of Compute Engine: where they are, how they lie, what they start from, and their data networks.

use super::network::{Fabric, Zoned, all_of, at_places};
use super::place::{boot_disk, placement};
use super::pool::{Extent, slice};
use crate::catalog::{Catalog, Machine, region_of};
use crate::nouns::{Capacity, Machines, MadeBy, OnHostMaintenance};
use crate::plan::{
    DataNetwork, MachinesPlan, Maker, PlacementPlan, Plan, SlicePlan, Slices, TpuType,
};
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
    let lies = || placement(catalog, (chosen, &body.capacity), machine, &extent, Some(zone));
    let disk = body.disk_type.set().map(|disk| disk.value);
    Some(MachinesPlan {
        region: region_of(zone)?.to_owned(),
        // Cloud TPU puts the hosts of a slice where they belong
        placement: if machine.tpu.is_none() { lies() } else { PlacementPlan::Spread },
        disk: boot_disk(disk, &machine.disk.boot),
        reservation: plan.taken(&body.capacity).map(|taken| taken.path()),
        migrates: migrates(body, machine),
        data_networks: data_networks(plan, noun, body, machine)?,
        maker: maker(body, machine),
        slices: slices(catalog, body, machine),
        machine: machine.clone(),
    })
}

/// Whether a machine goes to another host as it runs. What may be taken away at any time is not moved.
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
    stays && !machine.is_bound()
}

fn maker(body: &Machines, machine: &Machine) -> Maker {
    let commands = body.made_by.set().is_some_and(|it| it.value == MadeBy::Commands);
    match machine.tpu {
        Some(_) => Maker::QueuedResources,
        None if commands => Maker::Commands,
        None if body.capacity.is_lent() => Maker::Requests,
        None => Maker::Group,
    }
}

fn slices(catalog: &Catalog, body: &Machines, machine: &Machine) -> Option<Slices> {
    let topology = body.topology.as_ref().map(|topology| &topology.value);
    let one = slice(catalog, topology, machine)?;
    let service = catalog.tpu_of_machine(&machine.name)?.cloud_tpu.as_ref();
    let chosen = body.runtime.set().map(|runtime| runtime.value.clone());
    Some(Slices {
        count: (body.nodes.value / one.hosts).max(1),
        asked: asked(catalog, machine, &one),
        runtime: service.map(|service| chosen.unwrap_or_else(|| service.runtime.clone())),
        one,
    })
}

/// What Cloud TPU is asked for, so that it makes this slice of these machines: by a name it makes the shape that the name means by itself, on
/// the hosts that it takes for that.
pub(super) fn asked(catalog: &Catalog, machine: &Machine, slice: &SlicePlan) -> Option<TpuType> {
    let tpu = catalog.tpu_of_machine(&machine.name)?;
    let service = tpu.cloud_tpu.as_ref()?;
    let row = catalog.slice_on(&machine.name, &slice.topology.to_string())?;
    let mut named = catalog.slices(&tpu.generation).iter().filter(|other| other.name == row.name);
    let alone = named.clone().count() == 1;
    if alone || named.any(|other| other.default && other == row) {
        return Some(TpuType::Name(row.name.clone()));
    }
    let shape =
        || TpuType::Shape { generation: tpu.name_prefix.clone(), topology: row.topology.clone() };
    service.by_topology.then(shape)
}

fn data_networks(
    plan: &Plan,
    noun: &Noun,
    body: &Machines,
    machine: &Machine,
) -> Option<Vec<DataNetwork>> {
    if machine.tpu.is_some() {
        return Some(Vec::new());
    }
    let catalog = &*plan.model.catalog;
    let zone = Some(body.zone.value.as_str());
    // they have no home: in another zone their networks are made before those of this one are gone, so each has its zone in its name
    let needs = all_of(catalog, machine, zone, Zoned::Alone);
    let mut fabric = Fabric::default();
    let name = plan.name(noun.id)?;
    let places = fabric.add(catalog, name, &noun.outside.name, needs, body.nodes.value);
    let accelerators =
        plan.model.body(body.network.value).map(|network| network.accelerators.value);
    let networks = fabric.networks(&catalog.limits().vpc, accelerators);
    Some(at_places(&networks, &places))
}
