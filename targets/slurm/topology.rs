//! How Slurm is told the distances between nodes: `topology.conf`, or `topology.yaml` where partitions differ.

use super::cluster::Member;
use crate::document::{Document, Map, Node, map, seq, to_yaml};
use serde::Serialize;
use slipform_model::plan::SlurmTopology;

/// What `topology.conf` says.
#[derive(Serialize)]
pub(super) struct Topology {
    leaves: Vec<List>,
    blocks: Vec<List>,
    /// Nodes of the smallest block, where there are blocks.
    size: Option<i64>,
}

/// Nodes under a switch, or in a block.
#[derive(Serialize)]
struct List {
    name: String,
    hosts: String,
}

fn lists(of: &[(String, String)]) -> impl Iterator<Item = List> + '_ {
    of.iter().map(|(name, hosts)| List { name: name.clone(), hosts: hosts.clone() })
}

impl Topology {
    /// Of groups of nodes, each declared once.
    pub(super) fn of(topology: SlurmTopology, groups: &[Member<'_>]) -> Self {
        let size = match topology {
            SlurmTopology::Blocks(size) => Some(size),
            SlurmTopology::Tree | SlurmTopology::ByPartition => None,
        };
        Self {
            leaves: groups.iter().flat_map(|member| lists(&member.plan.switches)).collect(),
            blocks: groups.iter().flat_map(|member| lists(&member.plan.blocks)).collect(),
            size,
        }
    }
}

/// `topology.yaml`: switches for all nodes, and for each group that is in blocks a topology of its own.
pub(super) fn by_partition(groups: &[Member<'_>]) -> String {
    let leaves = groups.iter().flat_map(|group| &group.plan.switches);
    let tree = map()
        .with("topology", "switches")
        .with("cluster_default", true)
        .with("tree", map().with("switches", switches(&leaves.collect::<Vec<_>>())));
    let blocked = groups.iter().filter_map(|group| {
        let blocks = in_blocks(&group.plan.blocks, block_size(group)?);
        Some(map().with("topology", own_name(group)).with("block", blocks))
    });
    let document = Document::new(seq(std::iter::once(tree).chain(blocked)))
        .comment("Distances between nodes: blocks in some partitions, switches in others.");
    to_yaml(&[document])
}

/// The topology of a group of nodes that is in blocks.
pub(super) fn of_blocks(group: &Member<'_>) -> Option<String> {
    block_size(group).map(|_| own_name(group))
}

fn own_name(group: &Member<'_>) -> String {
    format!("blocks-{}", group.name())
}

fn block_size(group: &Member<'_>) -> Option<i64> {
    group.plan.segments.filter(|_| !group.plan.blocks.is_empty())
}

fn in_blocks(blocks: &[(String, String)], size: i64) -> Map {
    let items = blocks
        .iter()
        .map(|(name, hosts)| map().with("block", name.as_str()).with("nodes", hosts.as_str()));
    map().with("block_sizes", seq([Node::from(size)])).with("blocks", seq(items))
}

fn switches(leaves: &[&(String, String)]) -> Node {
    let items = leaves
        .iter()
        .map(|(name, hosts)| map().with("switch", name.as_str()).with("nodes", hosts.as_str()));
    let spine = (leaves.len() > 1).then(|| {
        let names: Vec<&str> = leaves.iter().map(|(name, _)| name.as_str()).collect();
        map().with("switch", "spine").with("children", names.join(","))
    });
    seq(items.chain(spine))
}
