//! TPU generations and the slices that each can be cut into.

use serde::{Deserialize, Serialize};

use super::{AcceleratorQuota, Confidence, Support};

/// A TPU generation. Its machine types are rows of the machines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tpu {
    /// `v2`, `v3`, `v4`, `v5e`, `v5p`, `v6e`, `7x`.
    pub generation: String,
    /// What slice names start with: `v5litepod` for `v5e`.
    pub name_prefix: String,
    /// What the number in a slice name counts.
    pub name_counts: NameCounts,
    /// TensorCores of a chip.
    pub cores_per_chip: u32,
    /// Devices that JAX sees of a chip.
    pub jax_devices_per_chip: u32,
    /// Memory of a chip in GiB.
    pub hbm_gib_per_chip: u32,
    /// bfloat16 TFLOP/s of a chip.
    pub bf16_tflops_per_chip: u32,
    /// Memory bandwidth of a chip in GB/s.
    pub hbm_gbytes_per_s: u32,
    /// Inter-chip interconnect of a chip in GB/s.
    #[serde(default)]
    pub ici_gbytes_per_s: Option<u32>,
    /// Data centre network of a chip in Gbps.
    #[serde(default)]
    pub dcn_gbps_per_chip: Option<u32>,
    /// Sides of a topology: 2 or 3.
    pub dimensions: u8,
    /// SparseCores of a chip.
    #[serde(default)]
    pub sparse_cores: u32,
    /// Chips of a whole pod.
    pub pod_chips: u32,
    /// Chips of the largest single slice.
    pub max_slice_chips: u32,
    /// Most cubes of 4x4x4 chips in a slice.
    #[serde(default)]
    pub max_cubes: Option<u32>,
    /// Whether the sides may stand in any order; otherwise they ascend.
    #[serde(default)]
    pub any_order: bool,
    /// Chips of the usual machine.
    pub chips_per_host: u32,
    /// Values of the node label `cloud.google.com/gke-tpu-accelerator`.
    #[serde(default)]
    pub gke_labels: Vec<String>,
    /// Whether GKE has node pools of it.
    pub gke: bool,
    /// The quotas that its chips take of a project.
    #[serde(default)]
    pub quota: Option<AcceleratorQuota>,
    /// Topologies that Vertex AI custom training takes.
    #[serde(default)]
    pub vertex_topologies: Vec<String>,
    /// Whether Vertex AI takes it as machine type `cloud-tpu` with a count of cores.
    #[serde(default)]
    pub vertex_cloud_tpu: bool,
    /// What Cloud TPU, the service without GKE, has of it, if it has it.
    #[serde(default)]
    pub cloud_tpu: Option<CloudTpu>,
    /// Whether a slice of several hosts needs a HIGH_THROUGHPUT workload policy.
    #[serde(default)]
    pub multi_host_needs_workload_policy: bool,
    /// Whether several slices can train together.
    pub multislice: Support,
    /// Which sides wrap around.
    pub wraparound: Wraparound,
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

/// A generation in Cloud TPU, the service without GKE.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloudTpu {
    /// The runtime for JAX and PyTorch.
    pub runtime: String,
    /// Whether a slice can be asked for by its topology, and not by its name alone.
    #[serde(default)]
    pub by_topology: bool,
    /// The quota of a zone, where it is known; it counts what the number in a slice's name counts.
    #[serde(default)]
    pub quota: Option<String>,
    /// That of what can be taken away or is lent: spot, flex-start, queued.
    #[serde(default)]
    pub preemptible_quota: Option<String>,
}

/// What the number in a slice name counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameCounts {
    /// TensorCores: `v4-8` is 4 chips.
    Tensorcores,
    /// Chips: `v6e-8` is 8 chips.
    Chips,
}

/// Which sides of a slice are rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wraparound {
    /// Every side, in a whole pod only.
    WholePod,
    /// Each side of 16 chips.
    SidesOfSixteen,
    /// Every side, where all are multiples of 4.
    MultiplesOfFour,
}

/// One legal slice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// `4x4x8`.
    pub topology: String,
    /// The sides; the third is 1 in a plane.
    pub sides: [u32; 3],
    /// Chips in all.
    pub chips: u32,
    /// Hosts: virtual machines, which are Kubernetes nodes.
    pub hosts: u32,
    /// The accelerator type: `v5p-256`.
    pub name: String,
    /// The machine type of each host; absent where hosts are not Compute Engine machines.
    pub machine: Option<String>,
    /// Chips of each host.
    pub chips_per_host: u32,
    /// Whether the bare name, or the bare topology, means this slice.
    pub default: bool,
    /// Whether a twisted torus of the shape exists.
    pub twistable: bool,
    /// Larger than the provider's documentation states, though its tools accept it.
    pub beyond_documented: bool,
    /// Trust.
    pub confidence: Confidence,
}

impl Slice {
    /// Whether all chips belong to one host.
    pub fn single_host(&self) -> bool {
        self.hosts == 1
    }
}

/// All slices of one generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceTable {
    /// A key of the TPU generations.
    pub generation: String,
    /// In the order of the files: smallest first.
    pub slices: Vec<Slice>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
}
