//! How Slurm is told the distances between nodes: `topology.conf`, or `topology.yaml` where partitions differ.

use super::cluster::Member;
use crate::document::{Document, Map, Node, map, seq, to_yaml};
use serde::Serialize;
use slipform_model::plan::{SlurmTopology, host_list};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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

/// Hosts that lie together, under a name.
type Part = (String, Vec<String>);

impl Topology {
    /// Of a cluster's partitions.
    pub(super) fn of(topology: SlurmTopology, members: &[Member<'_>]) -> Self {
        let size = match topology {
            SlurmTopology::Blocks(size) => Some(size),
            SlurmTopology::Tree | SlurmTopology::ByPartition => None,
        };
        let lists = |parts: Vec<Part>| {
            parts.into_iter().map(|(name, hosts)| List { name, hosts: host_list(&hosts) }).collect()
        };
        Self { leaves: lists(leaves(members)), blocks: lists(blocks(members)), size }
    }
}

/// The leaf switches of a cluster.
fn leaves(members: &[Member<'_>]) -> Vec<Part> {
    each_once(members, |it| it.body.switch_nodes.set().is_some(), |it| &it.plan.switches)
}

/// Its blocks, where each node is in one.
fn blocks(members: &[Member<'_>]) -> Vec<Part> {
    each_once(members, |it| it.body.block_nodes.set().is_some(), |it| &it.plan.blocks)
}

/// Where each node is, told once: several partitions may lie over it. Those come first that say it, and of these the one with the most nodes, whose parts
/// hold those of the others; what is left lies as the partition with the most nodes has it.
fn each_once<'a>(
    members: &[Member<'a>],
    says: impl Fn(&Member<'a>) -> bool,
    parts: impl Fn(&Member<'a>) -> &'a Vec<Part>,
) -> Vec<Part> {
    let mut ranked: Vec<&Member<'a>> = members.iter().collect();
    ranked.sort_by_key(|it| (!says(it), Reverse(it.plan.host_names.len())));
    let mut placed: BTreeSet<&String> = BTreeSet::new();
    let mut found: Vec<Part> = Vec::new();
    for (name, hosts) in ranked.into_iter().flat_map(parts) {
        let rest: Vec<String> = hosts.iter().filter(|it| placed.insert(it)).cloned().collect();
        if !rest.is_empty() {
            found.push((name.clone(), rest));
        }
    }
    // in the order in which the blueprint names them
    let named = members.iter().flat_map(|it| &it.plan.host_names).enumerate();
    let mut order: BTreeMap<&String, usize> = BTreeMap::new();
    for (at, host) in named {
        order.entry(host).or_insert(at);
    }
    found.sort_by_key(|(_, hosts)| hosts.iter().filter_map(|it| order.get(it)).min().copied());
    found
}

/// `topology.yaml`: switches for all nodes, and for partitions in blocks a topology of their own.
pub(super) fn by_partition(members: &[Member<'_>]) -> String {
    let leaves = leaves(members);
    let tree = map()
        .with("topology", "switches")
        .with("cluster_default", true)
        .with("tree", map().with("switches", switches(&leaves)));
    let blocked = members.iter().filter_map(|member| {
        let is_own = blocked_by(member, members)?.noun.id == member.noun.id;
        let blocks = in_blocks(&member.plan.blocks, block_size(member)?);
        is_own.then(|| map().with("topology", own_name(member)).with("block", blocks))
    });
    let document = Document::new(seq(std::iter::once(tree).chain(blocked)))
        .comment("Distances between nodes: blocks in some partitions, switches in others.");
    to_yaml(&[document])
}

/// The topology of a partition that is in blocks.
pub(super) fn of_blocks(member: &Member<'_>, members: &[Member<'_>]) -> Option<String> {
    blocked_by(member, members).map(own_name)
}

/// The partition whose blocks are those of another: the one with the most nodes that has the same, or any where it has none itself.
fn blocked_by<'m, 'a>(member: &Member<'a>, members: &'m [Member<'a>]) -> Option<&'m Member<'a>> {
    let own: BTreeSet<&String> = member.plan.host_names.iter().collect();
    let parts = |of: &Member<'a>| -> BTreeSet<BTreeSet<&'a String>> {
        let parts =
            of.plan.blocks.iter().map(|(_, hosts)| {
                hosts.iter().filter(|it| own.contains(it)).collect::<BTreeSet<_>>()
            });
        parts.filter(|it| !it.is_empty()).collect()
    };
    let is_alike = |other: &&Member<'a>| match (block_size(member), block_size(other)) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(size), Some(of)) => size == of && parts(member) == parts(other),
    };
    let around = members.iter().filter(|other| {
        let others: BTreeSet<&String> = other.plan.host_names.iter().collect();
        own.is_subset(&others)
    });
    around.filter(is_alike).max_by_key(|it| (it.plan.host_names.len(), Reverse(it.noun.id)))
}

fn own_name(member: &Member<'_>) -> String {
    format!("blocks-{}", member.name())
}

fn block_size(member: &Member<'_>) -> Option<i64> {
    member.plan.segments.filter(|_| !member.plan.blocks.is_empty())
}

fn in_blocks(blocks: &[Part], size: i64) -> Map {
    let items = blocks
        .iter()
        .map(|(name, hosts)| map().with("block", name.as_str()).with("nodes", host_list(hosts)));
    map().with("block_sizes", seq([Node::from(size)])).with("blocks", seq(items))
}

fn switches(leaves: &[Part]) -> Node {
    let items = leaves
        .iter()
        .map(|(name, hosts)| map().with("switch", name.as_str()).with("nodes", host_list(hosts)));
    let spine = (leaves.len() > 1).then(|| {
        let names: Vec<&str> = leaves.iter().map(|(name, _)| name.as_str()).collect();
        map().with("switch", "spine").with("children", names.join(","))
    });
    seq(items.chain(spine))
}
