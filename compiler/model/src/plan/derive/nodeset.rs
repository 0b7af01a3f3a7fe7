//! Slurm clusters that are made on Google Cloud: their data networks, what their hosts mount, and the nodes of their partitions.

use super::blocks;
use super::machines::asked;
use super::network::{Fabric, Zoned, all_of, at_places};
use super::place::boot_disk;
use super::pool::slice;
use super::program;
use crate::catalog::{Catalog, Machine, region_of};
use crate::nouns::{
    Capacity, Choice, Disk, Kind, Partition, Placement, SlurmCluster, SlurmController, SlurmLogin,
};
use crate::plan::{
    DataNetwork, NodeSet, Plan, ServerDisks, SlurmCloud, SlurmPlan, SlurmTopology, TpuType,
};
use crate::{Noun, NounId};
use std::collections::BTreeMap;

/// The longest part of a node's name that tells its set: Cluster Toolkit cuts what is longer.
const LONGEST: usize = 14;

/// Every cluster, and the data networks of every partition of one that is made on Google Cloud.
pub(crate) fn clusters(
    plan: &Plan,
) -> (BTreeMap<NounId, SlurmPlan>, BTreeMap<NounId, Vec<DataNetwork>>) {
    let mut of_partitions = BTreeMap::new();
    let mut plans = BTreeMap::new();
    for (noun, cluster) in plan.model.slurm_clusters() {
        let cloud = made_on_cloud(plan, noun, cluster, &mut of_partitions);
        let topology = match cloud {
            Some(_) => SlurmTopology::Tree,
            None => blocks::topology(plan, noun, cluster),
        };
        plans.insert(noun.id, SlurmPlan { cloud, topology });
    }
    (plans, of_partitions)
}

fn made_on_cloud(
    plan: &Plan,
    noun: &Noun,
    cluster: &SlurmCluster,
    of_partitions: &mut BTreeMap<NounId, Vec<DataNetwork>>,
) -> Option<SlurmCloud> {
    let (network, zone) = cluster.on_cloud().filter(|_| !noun.existing)?;
    let catalog = &*plan.model.catalog;
    let name = plan.name(noun.id)?;
    let mut fabric = Fabric::default();
    let mut places = Vec::new();
    for id in plan.children(noun.id) {
        let Some(noun) = plan.model.get(*id) else { continue };
        let Some(partition) = Partition::of(&noun.body) else { continue };
        let Some(machine) = catalog.machine(&partition.machine) else { continue };
        let (_, nodes) = partition.nodes.value.bounds();
        let needs = all_of(catalog, machine, Some(zone), Zoned::Plain);
        places.push((*id, fabric.add(catalog, name, &noun.outside.name, needs, nodes)));
    }
    let accelerators = plan.model.body(network).map(|network| network.accelerators.value);
    let data_networks = fabric.networks(&catalog.limits().vpc, accelerators);
    for (id, places) in places {
        of_partitions.insert(id, at_places(&data_networks, &places));
    }
    let mounts = cluster.mounts.iter();
    let mounts =
        mounts.filter_map(|(path, it)| Some((path.clone(), program::volume(plan, it.value)?)));
    Some(SlurmCloud {
        network,
        zone: zone.to_owned(),
        region: region_of(zone).unwrap_or_default().to_owned(),
        data_networks,
        mounts: mounts.collect(),
        disks: server_disks(catalog, cluster),
    })
}

/// The types of disks of a cluster's servers: as they are said, or usual ones, where the machine can have them.
fn server_disks(catalog: &Catalog, cluster: &SlurmCluster) -> ServerDisks {
    let SlurmController::Controller { machine: controller, disk_type, .. } =
        &cluster.controller.value;
    let SlurmLogin::Login { machine: login, disk_type: of_login, .. } = &cluster.login;
    let usual = |machine: &str, usual: Disk| {
        let boots = catalog.machine(machine).map_or(&[][..], |machine| &machine.disk.boot);
        let takes = boots.is_empty() || boots.iter().any(|name| name == usual.as_str());
        if takes { usual } else { boot_disk(None, boots) }
    };
    let state = usual(controller, Disk::PdSsd);
    ServerDisks {
        controller: disk_type.set().copied().unwrap_or(state),
        state,
        login: of_login.set().copied().unwrap_or_else(|| usual(login, Disk::PdBalanced)),
    }
}

/// The nodes of a partition on Google Cloud; none of one elsewhere.
pub(crate) fn node_set(
    plan: &Plan,
    partition: &Partition,
    name: &str,
    machine: &Machine,
    networks: Vec<DataNetwork>,
) -> NodeSet {
    NodeSet {
        name: set_name(name),
        nodes: partition.nodes.value.bounds(),
        close: is_close(partition, machine),
        disk: boot_disk(partition.disk_type.set().map(|disk| disk.value), &machine.disk.boot),
        reservation: plan.taken(&partition.capacity.value).map(|taken| taken.path()),
        tpu: tpu_type(&plan.model.catalog, partition, machine),
        networks,
    }
}

/// What Cluster Toolkit asks Cloud TPU for: of the generations that it knows, by their names, or by shapes whose sides have one digit.
fn tpu_type(catalog: &Catalog, partition: &Partition, machine: &Machine) -> Option<TpuType> {
    let known = &catalog.slurm().tpu_nodes;
    machine.tpu.as_ref().filter(|tpu| known.contains_key(&tpu.generation))?;
    let slice = slice(catalog, partition.topology.as_ref().map(|it| &it.value), machine)?;
    let said = asked(catalog, machine, &slice)?;
    let spelt = match &said {
        TpuType::Name(_) => true,
        TpuType::Shape { topology, .. } => topology.split('x').all(|side| side.len() == 1),
    };
    spelt.then_some(said)
}

/// What Cluster Toolkit calls the nodes of a partition.
pub(crate) fn set_name(partition: &str) -> String {
    partition.chars().filter(char::is_ascii_alphanumeric).take(LONGEST).collect()
}

/// The hosts of a partition there: cluster, node set and a number.
pub(crate) fn hosts(cluster: &str, set: &str, most: i64) -> String {
    format!("{cluster}-{set}-[0-{}]", most.saturating_sub(1).max(0))
}

/// Whether nodes are put close together. By itself, where they talk to each other over a fabric and the capacity allows it;
/// reserved machines lie as they were reserved.
fn is_close(partition: &Partition, machine: &Machine) -> bool {
    if let Choice::Set(chosen) = &partition.placement {
        return chosen.value == Placement::Compact;
    }
    let most = partition.nodes.value.bounds().1;
    let talks = machine.accelerator.as_ref().is_some_and(|gpus| gpus.nvlink_domain_gpus > 1);
    let fits = machine.placement.compact && talks && most > 1;
    match partition.capacity.value {
        Capacity::OnDemand | Capacity::Spot => fits,
        Capacity::FlexStart { .. } => fits && machine.placement.flex_start_compact,
        Capacity::Reservation { .. } => machine.placement.policy.is_some(),
        Capacity::AnyReservation | Capacity::Calendar { .. } | Capacity::Queued { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_set_is_called_as_cluster_toolkit_calls_it() {
        for (partition, set) in [
            ("a3mega", "a3mega"),
            ("a3-mega", "a3mega"),
            ("a-very-long-partition", "averylongparti"),
        ] {
            assert_eq!(set_name(partition), set);
        }
        assert_eq!(hosts("hpc", "a3mega", 8), "hpc-a3mega-[0-7]");
    }
}
