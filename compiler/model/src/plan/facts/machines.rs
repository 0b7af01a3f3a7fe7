//! Facts of plain machines of Compute Engine.

use super::machine_image::{built_image, too_old_for};
use super::pool::{slice_topologies, support};
use super::scripts::SCRIPTS;
use super::{MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA, Table, fact, int};
use crate::NounId;
use crate::catalog::GpuDirect;
use crate::nouns::{GkeCluster, Kind, Machines, Network, SlurmCluster};
use crate::plan::derive::fullest;
use crate::plan::{Plan, TpuType};

pub(super) const MACHINES: Table = Table {
    kind: "machines",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA, SCRIPTS],
    rows: &[
        &fact("spec", Plan::machine_fact),
        &fact("nics", Plan::nics_fact),
        &fact("slice", Plan::slice_fact),
        &fact("topologies", |plan, id| {
            Some(slice_topologies(&plan.model.catalog, &plan.machines_plan(id)?.machine))
        }),
        &fact("slices", |plan, id| {
            Some(plan.machines_plan(id)?.slices.as_ref().map(|slices| slices.count))
        }),
        &fact("maker", |plan, id| Some(plan.machines_plan(id)?.maker.as_str().to_owned())),
        &fact("tpu_type", |plan, id| {
            let asked = plan.machines_plan(id)?.slices.as_ref().and_then(|it| it.asked.as_ref());
            Some(asked.map(TpuType::to_string))
        }),
        &fact("tpu_runtime", |plan, id| {
            let slices = plan.machines_plan(id)?.slices.as_ref();
            Some(slices.and_then(|slices| slices.runtime.clone()))
        }),
        &fact("folder_clash", folder_clash),
        &fact("built_image", built_image),
        &fact("too_old", |plan, id| too_old_for(plan, id, &plan.machines_plan(id)?.machine)),
        &fact("chips", |plan, id| {
            let gpus =
                plan.machines_plan(id)?.machine.accelerator.as_ref().map_or(0, |it| it.count);
            Some(body(plan, id)?.nodes.value.saturating_mul(i64::from(gpus)))
        }),
        &fact("location", |plan, id| Some(Some(body(plan, id)?.zone.value.clone()))),
        &fact("region", |plan, id| Some(Some(plan.machines_plan(id)?.region.clone()))),
        &fact("arrangement", |plan, id| Some(plan.machines_plan(id)?.placement.clone())),
        &fact("compactable", |plan, id| Some(plan.machines_plan(id)?.machine.placement.compact)),
        &fact("support", |plan, id| {
            Some(support(&plan.machines_plan(id)?.machine, &body(plan, id)?.capacity))
        }),
        &fact("offered", |plan, id| {
            Some(plan.model.catalog.offered(&body(plan, id)?.machine, &body(plan, id)?.zone))
        }),
        &fact("offer_zones", |plan, id| {
            Some(plan.model.catalog.offer_of(&body(plan, id)?.machine)?.zones.clone())
        }),
        &fact("offer_regions", |plan, id| {
            Some(plan.model.catalog.offer_of(&body(plan, id)?.machine)?.regions.clone())
        }),
        &fact("boot_disk", |plan, id| Some(plan.machines_plan(id)?.disk.as_str().to_owned())),
        &fact("boot_disks", |plan, id| Some(plan.machines_plan(id)?.machine.disk.boot.clone())),
        &fact("threads", |plan, id| Some(i64::from(plan.machines_plan(id)?.machine.threads()))),
        &fact("fabric_known", |plan, id| {
            let network = &plan.machines_plan(id)?.machine.network;
            let known = network.gpudirect != GpuDirect::Rdma || network.rdma_subnets > 0;
            Some(known && network.fabric.is_none())
        }),
        &fact("stack", |plan, id| Some(plan.machines_plan(id)?.machine.stack.clone())),
        &fact("data_networks", |plan, id| Some(int(plan.machines_plan(id)?.data_networks.len()))),
        &fact("data_nodes", |plan, id| Some(fullest_of(plan, id)?.0)),
        &fact("data_room", |plan, id| Some(fullest_of(plan, id)?.1)),
        &fact("bound", |plan, id| Some(plan.machines_plan(id)?.machine.is_bound())),
        &fact("maintained", |plan, id| {
            let migrates = plan.machines_plan(id)?.migrates;
            Some(if migrates { "migrate" } else { "terminate" }.to_owned())
        }),
    ],
};

fn body(plan: &Plan, id: NounId) -> Option<&Machines> {
    Machines::of(&plan.model.get(id)?.body)
}

/// A cluster, or machines before these in another zone, that is called the same: the folder of its files is.
fn folder_clash(plan: &Plan, id: NounId) -> Option<Option<String>> {
    let name = plan.name(id)?;
    let own = body(plan, id)?;
    let found = plan.model.nouns.iter().find(|noun| {
        let is_cluster =
            GkeCluster::of(&noun.body).is_some() || SlurmCluster::of(&noun.body).is_some();
        // those of one zone are told of otherwise
        let elsewhere = |it: &Machines| noun.id < id && it.zone.value != own.zone.value;
        let beside = is_cluster || Machines::of(&noun.body).is_some_and(elsewhere);
        beside && plan.name(noun.id) == Some(name)
    });
    Some(found.map(|noun| noun.path.to_string()))
}

/// Of the data network that has the least addresses left: its nodes, and those that it has addresses for.
fn fullest_of(plan: &Plan, id: NounId) -> Option<(i64, Option<i64>)> {
    let networks = &plan.machines_plan(id)?.data_networks;
    let network = Network::of(&plan.model.get(body(plan, id)?.network.value)?.body)?;
    Some(fullest(&plan.model.catalog.limits().vpc, network.accelerators.value, networks))
}
