//! Where a run is, and who it is there: what only one platform has stands in its arm alone.

use crate::NounId;
use crate::nouns::{
    GkeCluster, GroupPart, Partition, Place, Pool, Queue, Ref, SlurmCluster, VertexCluster,
};
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
}

/// Machines of Vertex AI.
#[derive(Clone, PartialEq, Debug)]
pub struct VertexSite {
    /// The cluster that it names.
    pub cluster: Ref<VertexCluster>,
    /// What its groups are to the job, by their nouns. One whose place another has is not among them.
    pub parts: BTreeMap<NounId, GroupPart>,
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
