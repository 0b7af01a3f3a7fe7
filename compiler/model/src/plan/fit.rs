//! Whether a gang fits a pool: what it needs of nodes, held against what the pool's nodes offer.
//!
//! [`misfits`] is the one judgement. Which pools of its queue pods may go to, which labels and taints lead them there, what
//! queues deal, and what rules say of gangs all ask it.

use super::{Amounts, DataNetwork, PoolPlan, Resource, SlicePlan, Taint};
use crate::NounId;
use crate::catalog::Arch;
use crate::nouns::{LocalSsd, Sharing};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a pool has for gangs.
#[derive(Clone, Copy)]
pub(crate) struct Offer<'a> {
    pub(crate) pool: NounId,
    pub(crate) cluster: NounId,
    /// Labels by which its nodes are found.
    pub(crate) labels: &'a Arc<BTreeMap<String, String>>,
    /// What keeps pods away that do not tolerate it.
    pub(crate) taints: &'a [Taint],
    pub(crate) node: Hardware<'a>,
    /// What one node has left for pods.
    pub(crate) left: Amounts,
    /// Pods that one node takes, whatever they ask for.
    pub(crate) pods_of_node: i64,
    /// Its local disks are raw devices, which hold no files of pods.
    pub(crate) raw_disks: bool,
    /// Nodes in all, at most.
    pub(crate) nodes: i64,
    /// Node pools in all: slices, where it has those.
    pub(crate) node_pools: i64,
}

/// What one node is.
#[derive(Clone, Copy)]
pub(crate) struct Hardware<'a> {
    pub(crate) machine: &'a str,
    pub(crate) arch: Arch,
    /// The extended resource of its devices.
    pub(crate) resource: Option<&'a str>,
    pub(crate) gpu: Option<&'a str>,
    /// How containers share its GPUs.
    pub(crate) sharing: Option<&'a Sharing>,
    pub(crate) slice: Option<&'a SlicePlan>,
    /// Its slices are joined and cut as workloads are admitted.
    pub(crate) dynamic: bool,
    /// Its interfaces, and the networks that they are on.
    pub(crate) interfaces: &'a [DataNetwork],
}

/// What a gang asks of a pool: the same, from the other side.
#[derive(Clone, Copy)]
pub(crate) struct Need<'a> {
    /// The cluster that it runs in.
    pub(crate) cluster: NounId,
    /// The pools that it may be let onto.
    pub(crate) admitted: &'a [NounId],
    /// A node like this, such as those of the pool that it names; any, where it uses nothing that tells nodes apart.
    pub(crate) node: Option<Hardware<'a>>,
    /// Its traffic is carried by the interfaces of its nodes.
    pub(crate) fabric: bool,
    /// What each of its pods asks for.
    pub(crate) request: Amounts,
    pub(crate) pods: i64,
    pub(crate) slices: i64,
}

/// Why a gang does not fit a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It is a pool of another cluster.
    Cluster,
    /// Nothing admits the gang to it.
    Admission,
    /// Devices, or processors, of another kind.
    Devices,
    /// Devices that containers share in another way.
    Sharing,
    /// Slices of another shape.
    Topology,
    /// Other machines, where they must be the same: pods without GPUs take whole nodes of one type, and daemons, claims and
    /// interfaces of a fabric are those of one type too.
    Machine,
    /// Interfaces on other networks.
    Interfaces,
    /// Its local disks are handed out as raw devices, and pods want space on them for files.
    RawDisks,
    /// One node has less of something than one pod asks for.
    Node(Resource),
    /// Pods leave devices of a node to one that has no room there. Quotas are sums over nodes: they hold only where that
    /// cannot be.
    Parts,
    /// Its nodes have room for all pods, and take fewer of them.
    Pods,
    /// There are too few nodes, or slices, in all.
    Nodes,
}

/// What keeps a gang from a pool; nothing where it fits. How the nodes of a pool are obtained does not matter.
pub(crate) fn misfits(need: &Need<'_>, offer: &Offer<'_>) -> Vec<Misfit> {
    let mut found = Vec::new();
    let mut unless = |holds: bool, misfit: Misfit| {
        if !holds {
            found.push(misfit);
        }
    };
    unless(need.cluster == offer.cluster, Misfit::Cluster);
    unless(need.admitted.contains(&offer.pool), Misfit::Admission);
    if let Some(node) = need.node {
        unless(node.same_devices(&offer.node), Misfit::Devices);
        unless(node.sharing == offer.node.sharing, Misfit::Sharing);
        let same = node.topology() == offer.node.topology() && node.dynamic == offer.node.dynamic;
        unless(same, Misfit::Topology);
        let any_machine = node.gpu.is_some() && !need.fabric;
        unless(any_machine || node.machine == offer.node.machine, Misfit::Machine);
        unless(!need.fabric || node.same_networks(&offer.node), Misfit::Interfaces);
    }
    found.extend(need.lacking(offer));
    found
}

impl Need<'_> {
    /// What there is too little of.
    fn lacking(&self, offer: &Offer<'_>) -> Vec<Misfit> {
        let mut found = Vec::new();
        if self.request.disk.0 > 0 && offer.raw_disks {
            found.push(Misfit::RawDisks);
        }
        let short = |it: &Resource| self.request.of(*it) > offer.left.of(*it);
        found.extend(Resource::ALL.into_iter().filter(short).map(Misfit::Node));
        let on_one = offer.left.holds(self.request).unwrap_or(1).max(1);
        let devices = self.request.times(on_one).devices;
        if devices > 0 && devices < offer.left.devices {
            found.push(Misfit::Parts);
        }
        let whole = offer.node.slice.is_some_and(|slice| !slice.single_host);
        let all = |of_node: i64| self.pods <= of_node.saturating_mul(offer.nodes);
        let (enough, taken) = match whole && !offer.node.dynamic {
            true => (self.slices <= offer.node_pools, true),
            false => (all(on_one), all(on_one.min(offer.pods_of_node))),
        };
        if !enough {
            found.push(Misfit::Nodes);
        } else if !taken {
            found.push(Misfit::Pods);
        }
        found
    }
}

impl<'a> Offer<'a> {
    pub(crate) fn of(id: NounId, pool: &'a PoolPlan) -> Self {
        Self {
            pool: id,
            cluster: pool.cluster.id(),
            labels: &pool.selector,
            taints: &pool.taints,
            node: Hardware {
                machine: &pool.machine.name,
                arch: pool.machine.arch,
                resource: pool.resource.as_deref(),
                gpu: pool.machine.accelerator.as_ref().map(|it| it.gpu.as_str()),
                sharing: pool.sharing.as_ref(),
                slice: pool.slice.as_ref(),
                dynamic: pool.slicing.is_some(),
                interfaces: &pool.data_networks,
            },
            left: pool.allocatable,
            pods_of_node: pool.own_pods,
            raw_disks: matches!(pool.local_ssd, (LocalSsd::Raw, 1..)),
            nodes: pool.max_nodes(),
            node_pools: pool.node_pools.len() as i64,
        }
    }
}

impl Hardware<'_> {
    fn same_devices(&self, other: &Self) -> bool {
        self.resource == other.resource && self.gpu == other.gpu && self.arch == other.arch
    }

    fn topology(&self) -> Option<&crate::Topology> {
        self.slice.map(|slice| &slice.topology)
    }

    fn same_networks(&self, other: &Self) -> bool {
        let networks = |node: &Self| {
            let networks = node.interfaces.iter();
            networks.map(|it| (it.object.clone(), it.interface.clone())).collect::<Vec<_>>()
        };
        networks(self) == networks(other)
    }
}
