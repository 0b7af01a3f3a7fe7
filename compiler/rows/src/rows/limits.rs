//! Limits: the typed ones that the compiler reckons with, and all of them by path.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

/// One limit, found by its path: `vpc.mtu_max`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// The path.
    pub path: String,
    /// The value.
    pub value: LimitValue,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// The value of a limit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum LimitValue {
    /// A number.
    Int(i64),
    /// A fraction.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A name, a pattern, a version.
    Text(String),
    /// Names.
    List(Vec<String>),
}

impl LimitValue {
    /// The number, if it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The names, if it holds names.
    pub fn names(&self) -> &[String] {
        match self {
            Self::List(names) => names,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(value) => Some(value),
            _ => None,
        }
    }
}

/// The limits that the compiler reckons with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Names of resources.
    pub names: NameRules,
    /// VPC networks.
    pub vpc: VpcLimits,
    /// GKE clusters and pools.
    pub gke: GkeLimits,
    /// Flex-start.
    pub flex_start: FlexStartLimits,
    /// Reservations by calendar.
    pub calendar: CalendarLimits,
    /// Compact placement.
    pub placement: PlacementLimits,
    /// JobSet.
    pub jobset: JobsetLimits,
    /// Kueue.
    pub kueue: KueueLimits,
    /// Vertex AI.
    pub vertex: VertexLimits,
    /// Slurm.
    pub slurm: SlurmLimits,
    /// Filesystems.
    pub storage: StorageLimits,
    /// Cloud Build.
    pub cloud_build: CloudBuildLimits,
    /// Images of machines.
    pub machine_image: MachineImageLimits,
}

/// What a name must look like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameRule {
    /// A regular expression for the whole name; absent: any.
    #[serde(default)]
    pub regex: Option<String>,
    /// Fewest characters.
    pub min: u32,
    /// Most characters.
    pub max: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Names of resources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameRules {
    /// Networks, subnets, instances, templates, disks.
    pub gce_resource: NameRule,
    /// Service accounts, the part before `@`.
    pub service_account: NameRule,
    /// Project ids.
    pub project_id: NameRule,
    /// GKE clusters.
    pub gke_cluster: NameRule,
    /// GKE node pools.
    pub gke_node_pool: NameRule,
    /// Resource policies.
    pub resource_policy: NameRule,
    /// Buckets.
    pub bucket: NameRule,
    /// Kubernetes names that become DNS labels and start with a letter.
    pub dns1035_label: NameRule,
    /// Kubernetes names that become DNS labels.
    pub dns1123_label: NameRule,
    /// Kubernetes names that become DNS names.
    pub dns1123_subdomain: NameRule,
    /// Values of Kubernetes labels.
    pub label_value: NameRule,
    /// Values of labels on Google Cloud.
    pub google_label: NameRule,
    /// Managed groups of machines, whose machines have a dash and four characters behind it.
    pub instance_group: NameRule,
    /// Slurm clusters.
    pub slurm_cluster: NameRule,
    /// Slurm partitions.
    pub slurm_partition: NameRule,
    /// Slurm node sets.
    pub slurm_nodeset: NameRule,
    /// Display names of Vertex AI.
    pub vertex_display: NameRule,
    /// Rules of a JobSet's failure policy.
    pub failure_rule: NameRule,
}

/// VPC networks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VpcLimits {
    /// Smallest MTU.
    pub mtu_min: u32,
    /// Largest MTU.
    pub mtu_max: u32,
    /// MTU where none is asked for.
    pub mtu_default: u32,
    /// MTU of data networks of machines that say none.
    pub mtu_data: u32,
    /// MTU of TCPX and TCPXO networks.
    pub mtu_tcpx: u32,
    /// Secondary ranges of a subnet.
    pub secondary_ranges_per_subnet: u32,
    /// Alias ranges of a NIC.
    pub alias_ranges_per_nic: u32,
    /// Fewest CPUs for the Tier 1 option.
    pub tier1_min_vcpus: u32,
    /// NIC types.
    pub nic_types: Vec<String>,
    /// Where connections through Identity-Aware Proxy come from.
    pub iap_range: String,
    /// The longest prefix of a subnet.
    pub longest_prefix: u8,
    /// Addresses of each subnet that the network keeps for itself.
    pub addresses_kept: u32,
    /// Ranges that are nobody's on the internet and that a subnet may have.
    pub private_ranges: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// GKE clusters and pools.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GkeLimits {
    /// Nodes of a cluster without further conditions.
    pub max_nodes: u32,
    /// Nodes of a cluster at all.
    pub max_nodes_with_conditions: u32,
    /// Nodes above which a cluster should be regional.
    pub regional_above: u32,
    /// Nodes above which quota must be asked for.
    pub quota_above: u32,
    /// Pods of a cluster.
    pub max_pods: u32,
    /// Nodes of a pool in one zone.
    pub pool_max_nodes_per_zone: u32,
    /// Nodes of a pool with NVLink across machines.
    pub nvlink_pool_max_nodes: u32,
    /// Smallest boot disk in GB.
    pub disk_min_gb: u32,
    /// Smallest boot disk in GB from some version on.
    pub disk_min_gb_from: BTreeMap<String, u32>,
    /// Boot disk in GB where none is asked for.
    pub disk_default_gb: u32,
    /// Most pods of a node.
    pub pods_per_node_max: u32,
    /// Pods of a node where none is asked for.
    pub pods_per_node_default: u32,
    /// The same on Autopilot.
    pub pods_per_node_autopilot: u32,
    /// Seconds that a pod has on a spot node that is taken away.
    pub spot_grace_seconds: u64,
    /// Key of a reservation's affinity.
    pub reservation_key: String,
    /// Prefix length of a node's pod range by pods of a node.
    pub pod_mask: BTreeMap<String, u8>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Flex-start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlexStartLimits {
    /// Shortest run in seconds.
    pub min_run_seconds: u64,
    /// Longest run in seconds.
    pub max_run_seconds: u64,
    /// Oldest GKE with queued provisioning.
    pub queued_gke_min: String,
    /// Families that take compact placement with flex-start; `tpu` for every TPU.
    pub compact_families: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Reservations by calendar.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarLimits {
    /// Shortest in days.
    pub min_days: u32,
    /// Longest in days.
    pub max_days: u32,
    /// Most machines with GPUs.
    pub max_gpu_machines: u32,
    /// Days ahead that TPUs can be looked for.
    pub tpu_lookahead_days: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Compact placement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementLimits {
    /// Most machines of a compact policy.
    pub max_nodes: u32,
    /// Most machines at distance 1.
    pub distance_1_max: u32,
    /// Most machines at distance 2.
    pub distance_2_max: u32,
    /// The same for A3.
    pub distance_2_max_a3: u32,
    /// Series that take no policy.
    pub invalid_series: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// JobSet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsetLimits {
    /// Characters of the longest job and pod names.
    pub name_max: u32,
    /// Characters that are added to a pod's name, the dash included.
    pub pod_suffix: u32,
    /// Replicas where single jobs restart.
    pub replicas_with_job_restart: u32,
    /// Jobs that one replicated job may depend on.
    pub depends_on_max: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Kueue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KueueLimits {
    /// Resource groups of a queue.
    pub resource_groups: u32,
    /// Flavors of a group.
    pub flavors_per_group: u32,
    /// Resources of a group.
    pub covered_resources: u32,
    /// Quotas of a group: flavors times resources.
    pub combinations_per_group: u32,
    /// Pod sets of a workload.
    pub pod_sets: u32,
    /// Admission checks of a queue.
    pub admission_checks: u32,
    /// Levels of a topology.
    pub topology_levels: u32,
    /// Levels of groups of nodes within groups.
    pub topology_layers: u32,
    /// Node labels of a flavor.
    pub flavor_node_labels: u32,
    /// Taints of a flavor.
    pub flavor_taints: u32,
    /// Tolerations of a flavor.
    pub flavor_tolerations: u32,
    /// Characters of a name.
    pub name_max: u32,
    /// Names that devices are counted by.
    pub device_names: u32,
    /// Classes of devices of each.
    pub classes_per_device: u32,
    /// Clusters that a queue hands on to.
    pub workers: u32,
    /// Parameters of a request for nodes.
    pub provisioning_parameters: u32,
    /// Characters of each.
    pub provisioning_value: u32,
    /// The highest priority of a workload.
    pub priority: u32,
    /// The highest priority of pods that are not the cluster's own.
    pub pod_priority: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Vertex AI.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexLimits {
    /// Worker pools.
    pub worker_pools: u32,
    /// Replicas of the first pool.
    pub primary_replicas: u32,
    /// Characters of a label.
    pub label_max: u32,
    /// Environment variables.
    pub env_max: u32,
    /// Boot disk in GB.
    pub boot_disk: BootDiskLimits,
    /// Seconds that a job may run by default.
    pub default_timeout_seconds: u64,
    /// Seconds that a flex-start job may run.
    pub flex_start_timeout_seconds: u64,
    /// Seconds that a flex-start job waits by default.
    pub max_wait_seconds: u64,
    /// How often a replica that exits with an error is started again by itself.
    pub replica_restarts: u32,
    /// How often a job is started again after that.
    pub job_restarts: u32,
    /// Values of a parameter that is tuned.
    pub discrete_values_max: u32,
    /// Bytes of Horovod's fusion buffer that a Reduction Server is of use with.
    pub fusion_bytes: u64,
    /// Megabytes of a bucket of PyTorch's that it is of use with.
    pub bucket_mb: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Sizes of a boot disk in GB.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootDiskLimits {
    /// Smallest.
    pub min_gb: u32,
    /// Largest.
    pub max_gb: u32,
    /// Where none is asked for.
    pub default_gb: u32,
}

/// Slurm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmLimits {
    /// Characters of the cluster name that is made from a deployment's name.
    pub default_cluster_name: u32,
    /// Kinds of accelerator of a node.
    pub accelerator_models_per_node: u32,
    /// The longest time that a setting holds, in seconds.
    pub longest_seconds: u64,
    /// The longest warning that sbatch takes, in seconds.
    pub longest_warning_seconds: u64,
    /// The highest number in an array where `MaxArraySize` is what it is by itself.
    pub highest_array_index: u64,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Filesystems.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageLimits {
    /// Tiers of Filestore that refuse to be deleted where that is asked for.
    pub filestore_protected_tiers: Vec<String>,
    /// MiB/s of each GiB that a disk of Hyperdisk ML has where nobody says.
    pub hyperdisk_ml_usual_rate_per_gib: u32,
    /// MiB/s that it has at the least.
    pub hyperdisk_ml_usual_rate_min: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
    /// The most characters of the name of a Lustre filesystem, which clients mount it by.
    pub lustre_filesystem_name_max: u32,
}

/// Cloud Build: the images of its steps, in the versions that were looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloudBuildLimits {
    /// Builds images.
    pub docker_image: String,
    /// Runs programs of another architecture.
    pub emulator_image: String,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// Images of machines, and what is on them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineImageLimits {
    /// Projects whose images everybody may use.
    pub public_projects: Vec<String>,
    /// The oldest Packer that templates are for.
    pub packer: String,
    /// The oldest plugin of Compute Engine for it.
    pub packer_plugin: String,
    /// How long Packer waits for scripts and for the image, as it writes times.
    pub wait: String,
    /// The machines that images are built on, by the processor.
    pub machines: BTreeMap<String, String>,
    /// The oldest driver that runs programs of a CUDA, by its first number.
    pub drivers: BTreeMap<String, String>,
    /// The oldest enroot that runs containers of Slurm's jobs.
    pub enroot: String,
    /// What scripts and packages name that install it.
    pub enroot_by: Vec<String>,
    /// Those of the public projects whose images have it.
    pub enroot_in: Vec<String>,
    /// What scripts and packages name that install Lustre's client.
    pub lustre_by: Vec<String>,
    /// Those of the public projects whose images have it.
    pub lustre_in: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}
