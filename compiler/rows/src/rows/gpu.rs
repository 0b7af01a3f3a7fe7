//! GPUs, the parts they can be cut into, and the ones that attach to N1 machines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Capacity, Confidence};

/// One GPU.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The catalog's name: `h100-80gb`.
    pub name: String,
    /// The vendor's architecture: `Hopper`.
    pub architecture: String,
    /// CUDA compute capability: `9.0`.
    pub compute_capability: String,
    /// Memory as the vendor prints it, in GB.
    pub memory_gb: u32,
    /// Memory as `nvidia-smi` reports it, in MiB: what a model must fit into.
    #[serde(default)]
    pub memory_mib: Option<u32>,
    /// Kind of memory: `HBM3`.
    pub memory_type: String,
    /// Memory bandwidth in GB/s.
    pub memory_gbytes_per_s: u32,
    /// Dense bfloat16 TFLOP/s; 0 where the GPU has no bfloat16.
    pub bf16_dense_tflops: u32,
    /// Dense float16 TFLOP/s on tensor cores; 0: none.
    pub fp16_dense_tflops: u32,
    /// Whether it computes in bfloat16.
    pub bf16: bool,
    /// NVLink, both directions together, in GB/s; 0: none.
    pub nvlink_gbytes_per_s: u32,
    /// Value of the node label `cloud.google.com/gke-accelerator`; absent: not on Google Cloud.
    #[serde(default)]
    pub gke_label: Option<String>,
    /// The quotas that it takes of a project.
    #[serde(default)]
    pub quota: Option<AcceleratorQuota>,
    /// The software that computes on it.
    #[serde(default)]
    pub software: GpuSoftware,
    /// The day since which Google Cloud gives it to nobody; absent: it does.
    #[serde(default)]
    pub gone: Option<String>,
    /// The parts it can be cut into.
    #[serde(default)]
    pub mig: Vec<MigProfile>,
    /// What does not fit elsewhere, for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// The oldest and the newest software that computes on a GPU: what is built for its generation, or for one whose programs it runs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuSoftware {
    /// The first CUDA: `11.8`.
    #[serde(default)]
    pub cuda: Option<String>,
    /// The last CUDA, by its first number: `12`.
    #[serde(default)]
    pub last_cuda: Option<String>,
    /// The first release of PyTorch: `2.0`.
    #[serde(default)]
    pub torch: Option<String>,
    /// The first images of frameworks that NVIDIA publishes, by month: `25.01`.
    #[serde(default)]
    pub ngc: Option<String>,
    /// The first release of vLLM's images: `0.9.0`.
    #[serde(default)]
    pub vllm: Option<String>,
}

/// The quotas that an accelerator takes of a project, as the console names them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceleratorQuota {
    /// Of what is paid by use.
    pub on_demand: String,
    /// The dimension of that quota that must be named, `gpu_family=NVIDIA_H100`.
    #[serde(default)]
    pub dimension: Option<String>,
    /// Of what can be taken away or is lent: spot, flex-start, queued.
    #[serde(default)]
    pub preemptible: Option<String>,
    /// Of Vertex AI.
    #[serde(default)]
    pub vertex: Option<String>,
    /// Of Vertex AI, for spot and flex-start.
    #[serde(default)]
    pub vertex_preemptible: Option<String>,
}

/// A part of a GPU. The same name means other numbers on another GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MigProfile {
    /// `1g.10gb`.
    pub profile: String,
    /// Instances of this one profile that a GPU holds.
    pub max: u32,
    /// Compute slices that it takes.
    pub compute: u32,
    /// Compute slices of the whole GPU.
    pub of: u32,
    /// Nominal memory in GB.
    pub memory_gb: u32,
    /// Whether GKE accepts it.
    pub gke: bool,
    /// Why it cannot be used where the GPU is offered.
    #[serde(default)]
    pub blocked: Option<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
}

/// A GPU that can be added to machines of one series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachableGpu {
    /// A key of the GPUs.
    pub gpu: String,
    /// The series that takes it: `n1`.
    pub series: String,
    /// Accelerator type on Compute Engine and GKE.
    pub gke_label: String,
    /// Accelerator type on Vertex AI.
    pub vertex_type: String,
    /// Memory of each in GB.
    pub memory_gb_each: u32,
    /// Legal counts and the largest machine for each.
    pub counts: Vec<AttachLimit>,
    /// Egress with this many GPUs, where it is proven.
    #[serde(default)]
    pub egress: Vec<AttachedEgress>,
    /// The most egress that any combination has, in Gbps.
    pub egress_max_gbps: u32,
    /// Legal numbers of Local SSD disks beside the GPUs.
    pub local_ssd_counts: Vec<u32>,
    /// What Vertex AI takes, by machine type: stricter than Compute Engine.
    #[serde(default)]
    pub vertex_counts: Vec<VertexCount>,
    /// Ways to get capacity.
    pub capacity: Capacity,
    /// The last day of support, `YYYY-MM-DD`.
    #[serde(default)]
    pub end_of_support: Option<String>,
    /// Limits that hold in some zones only, by zone: largest machine with four GPUs.
    #[serde(default)]
    pub zone_limits: BTreeMap<String, AttachLimit>,
    /// What does not fit elsewhere, for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// A legal count and the largest machine that takes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachLimit {
    /// GPUs.
    pub count: u32,
    /// Most virtual CPUs.
    pub max_vcpus: u32,
    /// Most memory in GiB.
    pub max_memory_gib: u32,
}

/// Egress of a machine with attached GPUs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachedEgress {
    /// GPUs.
    pub count: u32,
    /// Fewest virtual CPUs.
    pub min_vcpus: u32,
    /// Gbps.
    pub gbps: u32,
}

/// Counts that Vertex AI takes on some machine types.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexCount {
    /// Machine types.
    pub machines: Vec<String>,
    /// Legal counts.
    pub counts: Vec<u32>,
}
