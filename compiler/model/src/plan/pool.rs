//! Pools as they will be: their nodes, slices and placement, and what pods find on them.

use super::{Amounts, DataNetwork};
use crate::Topology;
use crate::catalog::{Machine, Slicing, Stack, TaintEffect};
use crate::nouns::{Disk, GkeCluster, LocalSsd, Ref, Sharing, Upgrades};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One node pool to make: a pool without slices is one, a pool of slices is one a slice.
#[derive(Clone, PartialEq, Debug)]
pub struct NodePool {
    /// Its name in the cloud, within the limit.
    pub name: String,
    /// The stable key in Terraform, which does not depend on how many slices there are.
    pub key: String,
}

/// One slice of TPU chips.
#[derive(Clone, PartialEq, Debug)]
pub struct SlicePlan {
    /// Its shape.
    pub topology: Topology,
    /// Nodes.
    pub hosts: i64,
    /// Chips.
    pub chips: i64,
    /// Chips of one node.
    pub chips_per_host: i64,
    /// `v5litepod-16`
    pub name: Option<String>,
    /// The whole slice is one node.
    pub single_host: bool,
}

/// How nodes are put close together.
#[derive(Clone, PartialEq, Debug)]
pub enum PlacementPlan {
    /// Not at all.
    Spread,
    /// A `COMPACT` placement policy of the node pool, which GKE makes.
    Compact,
    /// A workload policy with high throughput, and the accelerator topology that it asks for, such as `1x72`.
    WorkloadPolicy(String),
    /// The policy that a reservation was made with, by its name; a workload policy for families that take those.
    Named {
        /// Its name.
        policy: String,
        /// It is a workload policy.
        workload: bool,
    },
}

/// A taint that keeps other pods away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taint {
    /// `nvidia.com/gpu`
    pub key: String,
    /// `present`
    pub value: String,
    /// What it does to pods that do not tolerate it.
    pub effect: TaintEffect,
    /// GKE sets it by itself, so Terraform must not; pods tolerate it all the same.
    pub by_gke: bool,
}

/// A pool as it will be.
#[derive(Clone, PartialEq, Debug)]
pub struct PoolPlan {
    /// Its cluster.
    pub cluster: Ref<GkeCluster>,
    /// The facts of its machine.
    pub machine: Machine,
    /// Driver, plugin and daemon for its fabric.
    pub stack: Option<Stack>,
    /// Where its nodes are.
    pub zone: Option<String>,
    /// What is made.
    pub node_pools: Vec<NodePool>,
    /// The most pods of one node.
    pub max_pods: i64,
    /// How many of them GKE leaves to others, at most.
    pub own_pods: i64,
    /// Nodes of each node pool: the least and the most. Equal where the number is fixed.
    pub nodes: (i64, i64),
    /// Whether nodes come and go: a range, `autoscale`, or a capacity that starts from none.
    pub elastic: bool,
    /// For TPUs.
    pub slice: Option<SlicePlan>,
    /// How its slices are joined and cut as workloads are admitted, where they are.
    pub slicing: Option<Slicing>,
    /// How nodes are put close together.
    pub placement: PlacementPlan,
    /// What pods may ask of one node, once GKE has kept its own.
    pub allocatable: Amounts,
    /// How GPUs are shared out between containers.
    pub sharing: Option<Sharing>,
    /// Local disks: what for, and how many.
    pub local_ssd: (LocalSsd, i64),
    /// The type of the boot disk.
    pub disk: Disk,
    /// The data networks that its nodes are on, in the order of the interfaces (names as in [`ClusterPlan`](super::ClusterPlan)).
    pub data_networks: Vec<DataNetwork>,
    /// Its pods claim the interfaces of its fabric, on networks that GKE makes.
    pub claims_interfaces: bool,
    /// The extended resource, `nvidia.com/gpu` or `google.com/tpu`; `None` for CPUs.
    pub resource: Option<String>,
    /// How many of it one node offers: GPUs, partitions or shares of GPUs, or chips.
    pub resource_count: i64,
    /// GPUs or chips of one node; 0 for CPUs.
    pub chips_per_node: i64,
    /// Labels by which its nodes are selected; the accelerator and its topology among them. Sorted.
    pub selector: Arc<BTreeMap<String, String>>,
    /// Labels that Terraform puts on its nodes, besides those that GKE sets.
    pub node_labels: BTreeMap<String, String>,
    /// Taints of its nodes.
    pub taints: Vec<Taint>,
    /// The reservation: its name and the value of the affinity (with its block).
    pub reservation: Option<(String, String)>,
    /// Who begins upgrades of its nodes.
    pub upgrades: Upgrades,
}

impl PoolPlan {
    /// Whether its nodes have local disks for files, besides the one that they start from.
    pub fn has_scratch_disks(&self) -> bool {
        matches!(self.local_ssd, (LocalSsd::Scratch, 1..))
    }

    /// Classes of the devices that a pod on it claims, and how many it does of each.
    pub fn claims(&self) -> impl Iterator<Item = (&str, i64)> {
        let claims = self.stack.as_ref().and_then(|stack| stack.gke.as_ref()).into_iter();
        claims.flat_map(|gke| &gke.claims).filter_map(|claim| {
            Some((claim.device_class.as_deref()?, i64::from(claim.count.unwrap_or(1))))
        })
    }

    /// GPUs or chips in all, at most.
    pub fn chips(&self) -> i64 {
        self.max_nodes().saturating_mul(self.chips_per_node)
    }

    /// Nodes in all, at most.
    pub fn max_nodes(&self) -> i64 {
        self.nodes.1.saturating_mul(self.node_pools.len() as i64)
    }
}
