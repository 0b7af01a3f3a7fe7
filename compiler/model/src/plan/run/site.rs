//! Where a run is, and who it is there: what only one platform has stands in its arm alone.

use crate::catalog::Machine;
use crate::nouns::{
    GkeCluster, GroupPart, Partition, Place, Pool, Queue, Ref, SlurmCluster, VertexCluster,
    VertexDisk,
};
use crate::{NounId, Size};
use std::collections::BTreeMap;

/// Where a workload runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Site {
    /// On a pool of a GKE cluster.
    Gke(GkeSite),
    /// On a partition of a Slurm cluster.
    Slurm(SlurmSite),
    /// On Vertex AI.
    Vertex(VertexSite),
}

/// A pool of a GKE cluster, and who a workload is there.
#[derive(Clone, PartialEq, Debug)]
pub struct GkeSite {
    /// The pool that it names.
    pub pool: Ref<Pool>,
    /// The pool's cluster.
    pub cluster: Ref<GkeCluster>,
    /// The namespace.
    pub namespace: String,
    /// The queue that admits it.
    pub queue: Option<Ref<Queue>>,
    /// Another queue that would admit it just as well, where the blueprint names none.
    pub other_queue: Option<Ref<Queue>>,
    /// The priority that its queue sorts it by.
    pub priority: Option<String>,
}

/// A partition of a Slurm cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct SlurmSite {
    /// The partition that it names.
    pub partition: Ref<Partition>,
    /// The partition's cluster.
    pub cluster: Ref<SlurmCluster>,
    /// What its job asks for together: the nodes of its own partition first, then those of each other one.
    pub components: Vec<Component>,
}

/// Nodes of one partition that a job of Slurm asks for: all of it, or a component of a heterogeneous one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The partition.
    pub partition: Ref<Partition>,
    /// Nodes in all.
    pub nodes: i64,
    /// The gangs that run there, in the order of the run.
    pub berths: Vec<Berth>,
}

/// Where in a component a gang is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Berth {
    /// The workload or the group whose gang it is.
    pub gang: NounId,
    /// The number of its first node among those of the component.
    pub first: i64,
    /// It is beside others of its run, on nodes of theirs.
    pub shared: bool,
    /// Processors that it asks of each node.
    pub cpus: Option<i64>,
    /// Memory that it asks of each node.
    pub memory: Option<Size>,
}

/// Machines of Vertex AI.
#[derive(Clone, PartialEq, Debug)]
pub struct VertexSite {
    /// The cluster that it names.
    pub cluster: Ref<VertexCluster>,
    /// What its groups are to the job, by their nouns. One whose place another has is not among them.
    pub parts: BTreeMap<NounId, GroupPart>,
    /// The TensorBoard that exists already where it shows its metrics.
    pub tensorboard: Option<String>,
    /// The machines that reduce for those that train, which have the place of servers.
    pub reducers: Option<Box<Reducers>>,
}

/// A Reduction Server of Vertex AI.
#[derive(Clone, PartialEq, Debug)]
pub struct Reducers {
    /// Their machine.
    pub machine: Machine,
    /// How many there are.
    pub nodes: i64,
    /// How many it takes, where the catalog knows what machines send.
    pub needed: Option<i64>,
    /// Gbps that each of them sends.
    pub egress: Option<i64>,
    /// Gbps that those send together that train.
    pub trainers: Option<i64>,
    /// The image of the nearest registry.
    pub image: String,
    /// The type of their boot disk.
    pub disk: VertexDisk,
    /// Its size in GB.
    pub disk_gb: u64,
}

impl Site {
    /// What the workload names.
    pub fn place(&self) -> Place {
        match self {
            Self::Gke(site) => Place::Pool(site.pool),
            Self::Slurm(site) => Place::Partition(site.partition),
            Self::Vertex(site) => Place::Vertex(site.cluster),
        }
    }
}
