//! Machines of Vertex AI: GPUs that attach to them, and those that reduce for others.

use super::gang::Sized;
use crate::NounId;
use crate::catalog::{Accelerator, Catalog, Machine, MachineKind};
use crate::nouns::{
    Attached, GroupPart, Place, ReductionServer, VertexCluster, VertexDisk, Workload,
};
use crate::plan::{Plan, Reducers};
use std::collections::BTreeMap;

/// The machine with the GPUs that attach to it, as the catalog would have it. What Vertex AI does not attach, a rule says.
pub(crate) fn attached(catalog: &Catalog, machine: &Machine, gpus: Option<Attached>) -> Machine {
    let mut machine = machine.clone();
    let Some(Attached::Attached { gpu, count }) = gpus else { return machine };
    let Some(row) = catalog.attachable(gpu.as_str()) else { return machine };
    let count = u32::try_from(count).unwrap_or_default();
    let joined = catalog.gpu(&row.gpu).is_some_and(|gpu| gpu.nvlink_gbytes_per_s > 0);
    let egress = row.egress.iter().filter(|it| it.count <= count && it.min_vcpus <= machine.vcpus);
    if let Some(gbps) = egress.map(|it| it.gbps).max() {
        machine.network.max_egress_gbps = machine.network.max_egress_gbps.max(gbps);
    }
    machine.kind = MachineKind::Gpu;
    machine.accelerator = Some(Accelerator {
        gpu: row.gpu.clone(),
        count,
        memory_gb_each: row.memory_gb_each,
        fraction: None,
        nvlink_domain_gpus: if joined { count } else { 1 },
        gke_label: Some(row.gke_label.clone()),
    });
    machine.vertex.accelerator_type = Some(row.vertex_type.clone());
    machine.capacity = row.capacity.clone();
    machine
}

/// How many of the GPUs Vertex AI attaches to the machine of a cluster.
pub(crate) fn attachable(catalog: &Catalog, cluster: &VertexCluster) -> Vec<i64> {
    let Some(Attached::Attached { gpu, .. }) = cluster.gpus.map(|it| it.value) else {
        return Vec::new();
    };
    let rows = catalog.attachable(gpu.as_str()).into_iter().flat_map(|row| &row.vertex_counts);
    let rows = rows.filter(|row| row.machines.contains(&cluster.machine.value));
    rows.flat_map(|row| row.counts.iter().map(|count| i64::from(*count))).collect()
}

/// The boot disk of a machine, where nothing says otherwise.
pub(crate) fn usual_disk(catalog: &Catalog, machine: &Machine) -> VertexDisk {
    let facts = catalog.vertex();
    if facts.hyperdisk_boot.contains(&machine.name) {
        return VertexDisk::HyperdiskBalanced;
    }
    // what is not recorded boots from whatever is usual
    let boots = &machine.disk.boot;
    let mut usual =
        facts.boot_disk_types.iter().filter(|it| boots.is_empty() || boots.contains(it));
    usual.find_map(|name| VertexDisk::named(name)).unwrap_or(VertexDisk::PdSsd)
}

/// The machines that reduce for a workload on Vertex AI: as many as send together what the nodes with GPUs send.
pub(crate) fn reducers(
    plan: &Plan,
    workload: &Workload,
    gangs: &[Sized<'_>],
    parts: &BTreeMap<NounId, GroupPart>,
) -> Option<Reducers> {
    let ReductionServer::Reducers { machine, nodes, tier_1 } =
        &workload.reduction_server.as_ref()?.value;
    let catalog = &*plan.model.catalog;
    let machine = catalog.machine(machine)?.clone();
    let region = match workload.place.value {
        Place::Vertex(cluster) => &plan.model.body(cluster)?.region.value,
        Place::Pool(_) | Place::Partition(_) => return None,
    };
    let faster = machine.network.tier1_gbps.filter(|_| *tier_1);
    let egress = i64::from(faster.unwrap_or(machine.network.max_egress_gbps));
    let trainers = trainers(gangs, parts);
    let needed = trainers.filter(|_| egress > 0).map(|gbps| ceil(gbps, egress).max(1));
    Some(Reducers {
        nodes: nodes.set().map_or(needed.unwrap_or(1), |nodes| nodes.value),
        needed,
        egress: (egress > 0).then_some(egress),
        trainers,
        image: catalog.reduction_server_image(region)?.to_owned(),
        disk: usual_disk(catalog, &machine),
        disk_gb: catalog.limits().vertex.boot_disk.default_gb.into(),
        machine,
    })
}

/// Gbps that the primary and the workers send together; nothing where one of them is not known.
fn trainers(gangs: &[Sized<'_>], parts: &BTreeMap<NounId, GroupPart>) -> Option<i64> {
    let (lead, groups) = gangs.split_first()?;
    let workers = groups.iter().filter(|it| parts.get(&it.noun.id) == Some(&GroupPart::Workers));
    let sent = |gang: &Sized<'_>| {
        let gbps = i64::from(gang.ground.machine.network.max_egress_gbps);
        (gbps > 0).then(|| gbps.saturating_mul(gang.extent.nodes))
    };
    std::iter::once(lead)
        .chain(workers)
        .map(sent)
        .try_fold(0i64, |all, gbps| gbps.map(|gbps| all.saturating_add(gbps)))
}

fn ceil(number: i64, divisor: i64) -> i64 {
    number.saturating_add(divisor - 1) / divisor
}
