//! Blocks of nodes on hosts of one's own: what NVLink joins, or what a partition says.

use crate::catalog::Catalog;
use crate::nouns::{Kind, Partition, SlurmCluster};
use crate::plan::{Plan, SlurmTopology};
use crate::{Noun, NounId};
use std::collections::BTreeSet;

/// The nodes of a partition in blocks.
#[derive(Default)]
pub(crate) struct Blocked {
    /// A name and the hosts of each.
    pub(crate) lists: Vec<(String, Vec<String>)>,
    /// Nodes of each, where jobs may ask for parts of it.
    pub(crate) segments: Option<i64>,
    /// Nodes of the largest part that a job may ask for, where the release refuses larger ones.
    pub(crate) longest_segment: Option<i64>,
}

/// How a cluster of hosts of one's own sees distances.
///
/// Before there was a file for several topologies, all nodes are in blocks or none is.
pub(crate) fn topology(plan: &Plan, noun: &Noun, cluster: &SlurmCluster) -> SlurmTopology {
    let catalog = &*plan.model.catalog;
    let children = plan.children(noun.id).iter().filter_map(|id| plan.model.get(*id));
    let partitions = children.filter_map(|noun| Partition::of(&noun.body));
    let sizes: Vec<Option<i64>> =
        partitions.map(|partition| size(catalog, cluster, partition)).collect();
    let known: BTreeSet<i64> = sizes.iter().flatten().copied().collect();
    let Some(least) = known.first() else { return SlurmTopology::Tree };
    let all = sizes.iter().all(Option::is_some);
    if all && known.len() == 1 {
        SlurmTopology::Blocks(*least)
    } else if has(catalog, cluster, "topology_yaml") {
        SlurmTopology::ByPartition
    } else if all {
        SlurmTopology::Blocks(*least)
    } else {
        SlurmTopology::Tree
    }
}

/// The blocks of a partition, as its cluster sees them.
pub(crate) fn of(
    plan: &Plan,
    noun: &Noun,
    partition: &Partition,
    topology: Option<SlurmTopology>,
    hosts: &[String],
) -> Blocked {
    let catalog = &*plan.model.catalog;
    let cluster = noun.parent.and_then(|id| plan.model.get(id));
    let Some((above, cluster)) =
        cluster.and_then(|noun| Some((noun, SlurmCluster::of(&noun.body)?)))
    else {
        return Blocked::default();
    };
    if above.existing {
        // somebody else has told Slurm: jobs go by what the blueprint says of it
        let segments = partition.block_nodes.set().map(|said| said.value);
        return Blocked { segments, ..Blocked::default() };
    }
    let seen = topology.filter(|topology| *topology != SlurmTopology::Tree);
    let found = seen.and_then(|_| size(catalog, cluster, partition));
    let (Some(size), Some(name)) = (found, plan.name(noun.id)) else {
        return Blocked::default();
    };
    let smallest = seen.and_then(|topology| match topology {
        SlurmTopology::Blocks(smallest) => Some(smallest),
        SlurmTopology::Tree | SlurmTopology::ByPartition => None,
    });
    let each = usize::try_from(size).unwrap_or(1).max(1);
    let lists = hosts.chunks(each).enumerate();
    Blocked {
        lists: lists
            .map(|(at, hosts)| (format!("{name}-block{}", at + 1), hosts.to_vec()))
            .collect(),
        segments: Some(size).filter(|_| has(catalog, cluster, "segment")),
        longest_segment: smallest.filter(|_| !has(catalog, cluster, "long_segments")),
    }
}

/// The first partition of a cluster whose nodes are in no blocks, beside one that says its own, where the release puts all nodes into blocks or
/// none.
pub(crate) fn without_blocks(plan: &Plan, id: NounId) -> Option<NounId> {
    let catalog = &*plan.model.catalog;
    let noun = plan.model.get(id)?;
    let said = Partition::of(&noun.body)?.block_nodes.set().is_some();
    let above = noun.parent?;
    let planned = plan.slurm(above)?;
    let around = plan.model.get(above)?;
    let cluster = SlurmCluster::of(&around.body)?;
    // somebody else, or Cluster Toolkit, has told Slurm of those that are not set up here
    let is_here = !around.existing && planned.cloud.is_none();
    let is_tree = is_here && planned.topology == SlurmTopology::Tree;
    if !said || !is_tree || !has(catalog, cluster, "topology_block") {
        return None;
    }
    let is_without = |id: &NounId| {
        let other = plan.model.get(*id).and_then(|noun| Partition::of(&noun.body));
        other.is_some_and(|other| size(catalog, cluster, other).is_none())
    };
    plan.children(above).iter().copied().find(is_without)
}

/// Nodes of a block: as the partition says it, or of an NVLink domain, where its nodes make up whole ones.
fn size(catalog: &Catalog, cluster: &SlurmCluster, partition: &Partition) -> Option<i64> {
    if let Some(said) = partition.block_nodes.set() {
        return Some(said.value).filter(|_| has(catalog, cluster, "topology_block"));
    }
    let machine = catalog.machine(&partition.machine)?;
    let domain = i64::from(machine.placement.nvlink_domain_nodes?);
    let (_, nodes) = partition.nodes.value.bounds();
    let whole = machine.network.multi_node_nvlink && domain > 0 && nodes % domain == 0;
    Some(domain).filter(|_| whole && has(catalog, cluster, "segment"))
}

/// Whether the release of a cluster has what came with a later one than the first.
fn has(catalog: &Catalog, cluster: &SlurmCluster, what: &str) -> bool {
    catalog.slurm().has(&cluster.release.value, what)
}
