//! What files hold together, and what existed before them.

use std::collections::BTreeMap;

use super::super::rows::{
    AttachableGpu, Component, Gpu, KubernetesFacts, Limit, Limits, Machine, Region, SliceTable,
    SlurmFacts, SlurmMachine, Source, Stack, Tpu, VertexFacts, VertexRegion, ZoneOffer,
};

/// Everything that files hold.
#[derive(Clone, Default)]
pub struct Tables {
    /// Newest `as_of`.
    pub as_of: String,
    /// Sources by key.
    pub sources: BTreeMap<String, Source>,
    /// Machines by name.
    pub machines: BTreeMap<String, Machine>,
    /// GPUs by name.
    pub gpus: BTreeMap<String, Gpu>,
    /// Attachable GPUs by GPU.
    pub attachables: BTreeMap<String, AttachableGpu>,
    /// TPU generations.
    pub tpus: BTreeMap<String, Tpu>,
    /// Slices by generation.
    pub slices: BTreeMap<String, SliceTable>,
    /// Places by what is offered.
    pub offers: BTreeMap<String, ZoneOffer>,
    /// Regions by name.
    pub regions: BTreeMap<String, Region>,
    /// Vertex AI by region.
    pub vertex_regions: BTreeMap<String, VertexRegion>,
    /// Stacks by name.
    pub stacks: BTreeMap<String, Stack>,
    /// Slurm's view by machine.
    pub slurm_machines: BTreeMap<String, SlurmMachine>,
    /// Installed components by name.
    pub components: BTreeMap<String, Component>,
    /// Limits by path.
    pub limit: BTreeMap<String, Limit>,
    /// The typed limits.
    pub limits: Option<Limits>,
    /// Kubernetes.
    pub kubernetes: Option<KubernetesFacts>,
    /// Slurm.
    pub slurm: Option<SlurmFacts>,
    /// Vertex AI.
    pub vertex: Option<VertexFacts>,
}

/// Rows that exist before the files are read.
pub trait Known {
    /// A source.
    fn source(&self, _key: &str) -> Option<Source> {
        None
    }
    /// A machine.
    fn machine(&self, _name: &str) -> Option<Machine> {
        None
    }
    /// A GPU.
    fn gpu(&self, _name: &str) -> Option<Gpu> {
        None
    }
    /// An attachable GPU.
    fn attachable(&self, _gpu: &str) -> Option<AttachableGpu> {
        None
    }
    /// A TPU generation.
    fn tpu(&self, _generation: &str) -> Option<Tpu> {
        None
    }
    /// Slices of a generation.
    fn slices(&self, _generation: &str) -> Option<SliceTable> {
        None
    }
    /// Where something is offered.
    fn offer(&self, _name: &str) -> Option<ZoneOffer> {
        None
    }
    /// A region.
    fn region(&self, _name: &str) -> Option<Region> {
        None
    }
    /// Vertex AI in a region.
    fn vertex_region(&self, _region: &str) -> Option<VertexRegion> {
        None
    }
    /// A stack.
    fn stack(&self, _name: &str) -> Option<Stack> {
        None
    }
    /// Slurm's view of a machine.
    fn slurm_machine(&self, _machine: &str) -> Option<SlurmMachine> {
        None
    }
    /// A component.
    fn component(&self, _name: &str) -> Option<Component> {
        None
    }
    /// Whether machines of the family exist.
    fn has_family(&self, _family: &str) -> bool {
        false
    }
    /// The typed limits.
    fn limits(&self) -> Option<Limits> {
        None
    }
    /// Kubernetes.
    fn kubernetes(&self) -> Option<KubernetesFacts> {
        None
    }
    /// Slurm.
    fn slurm(&self) -> Option<SlurmFacts> {
        None
    }
    /// Vertex AI.
    fn vertex(&self) -> Option<VertexFacts> {
        None
    }
}
