//! What platforms need to be told: Kubernetes on GKE, Slurm images, Vertex AI.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AcceleratorQuota, Confidence};

/// A component that output is written for, whatever a blueprint holds: no catalog is without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prerequisite {
    /// The cloud's command line.
    Gcloud,
    /// What installs charts.
    Helm,
    /// The API of runs.
    Jobset,
    /// The command line of clusters.
    Kubectl,
    /// The API of queues.
    Kueue,
    /// What applies roots.
    Terraform,
    /// The provider that roots are written for.
    TerraformGoogle,
}

impl Prerequisite {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Gcloud,
        Self::Helm,
        Self::Jobset,
        Self::Kubectl,
        Self::Kueue,
        Self::Terraform,
        Self::TerraformGoogle,
    ];

    /// The key of its row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gcloud => "gcloud",
            Self::Helm => "helm",
            Self::Jobset => "jobset",
            Self::Kubectl => "kubectl",
            Self::Kueue => "kueue",
            Self::Terraform => "terraform",
            Self::TerraformGoogle => "terraform-google",
        }
    }
}

/// Something that is installed into a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// `jobset`, `kueue`.
    pub name: String,
    /// The version that is installed unless a blueprint says otherwise, without `v`.
    pub version: String,
    /// API version of its objects at that version.
    pub api: String,
    /// Oldest version that the output fits.
    #[serde(default)]
    pub min: Option<String>,
    /// Newest version that was looked at.
    #[serde(default)]
    pub max: Option<String>,
    /// The first version that the output is not for: the next that may break what is written.
    #[serde(default)]
    pub below: Option<String>,
    /// Features that some output needs, with the first version that has each.
    #[serde(default)]
    pub since: BTreeMap<String, String>,
    /// API version below some version, `"0.15" = "kueue.x-k8s.io/v1beta1"`.
    #[serde(default)]
    pub api_below: BTreeMap<String, String>,
    /// Where its manifest is published; `{version}` stands for the version.
    #[serde(default)]
    pub manifest: Option<String>,
    /// Its Helm chart, where it is installed by one.
    #[serde(default)]
    pub chart: Option<Chart>,
    /// Namespace of its controller.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The DaemonSet that it is, where it is no controller.
    #[serde(default)]
    pub daemon_set: Option<String>,
    /// Kinds of objects that workloads need of it, as the API server names their definitions.
    #[serde(default)]
    pub definitions: Vec<String>,
    /// Pods of system priority in its namespace, which GKE admits by quota alone.
    #[serde(default)]
    pub system_pods: Option<SystemPods>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl Component {
    /// The first version that has all of these features and fits the output at all.
    pub fn first_with<'a>(&'a self, features: impl IntoIterator<Item = &'a str>) -> &'a str {
        let needed = features.into_iter().filter_map(|name| self.since.get(name));
        let versions = self.min.iter().chain(needed).map(String::as_str);
        versions.max_by_key(|version| numbers(version)).unwrap_or(&self.version)
    }

    /// Whether the version that is installed has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.since.get(feature).is_none_or(|first| numbers(&self.version) >= numbers(first))
    }
}

/// The parts of a version, to compare by.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// A Helm chart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Where charts are published.
    pub repository: String,
    /// Its name there.
    pub name: String,
}

/// How many pods of system priority there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemPods {
    /// For each of its nodes.
    pub each_node: u32,
    /// Besides those.
    pub besides: u32,
}

/// A taint, which is also the toleration for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taint {
    /// Key.
    pub key: String,
    /// Value.
    pub value: String,
    /// What happens to pods that do not tolerate it.
    pub effect: TaintEffect,
}

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TaintEffect {
    /// They are not put on the node.
    NoSchedule,
    /// They are put there where no other node has room.
    PreferNoSchedule,
    /// They are not put there, and leave where they are there already.
    NoExecute,
}

impl TaintEffect {
    /// As Kubernetes spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }
}

/// Names and numbers of Kubernetes on GKE.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KubernetesFacts {
    /// Keys of node labels.
    pub labels: NodeLabels,
    /// Names of annotations by what they do.
    pub annotations: BTreeMap<String, String>,
    /// Taints.
    pub taints: Taints,
    /// Quotas of a project that are taken besides those of accelerators.
    pub quotas: Quotas,
    /// Quotas of processors by series of machines: `e2`, `n2`.
    pub cpu_quotas: BTreeMap<String, AcceleratorQuota>,
    /// The size of a boot disk that nobody says.
    pub boot_disk_gib: u32,
    /// Thousandths of a processor that the pods of a cluster itself ask for, in all.
    pub system_millicpus: u32,
    /// Thousandths of a processor that the daemons of each node ask for.
    pub daemon_millicpus: u32,
    /// Names of extended resources.
    pub resources: Devices,
    /// What GKE measures by itself; a list of one's own replaces all of it.
    pub measured: Vec<String>,
    /// API versions of other objects: `network`, `resource_claim`.
    pub apis: BTreeMap<String, String>,
    /// Oldest GKE version by feature: `multislice`, `dranet`, `native_sidecar`.
    pub minimums: BTreeMap<String, String>,
    /// Values that GKE accepts, by setting.
    pub enums: BTreeMap<String, Vec<String>>,
    /// The image of nodes that nothing says otherwise of: drivers and GPUDirect are made for it.
    pub node_image: String,
    /// Node images that GPUDirect works on.
    pub gpudirect_images: Vec<String>,
    /// The image of a container that does nothing.
    pub idle_image: String,
    /// Whether multi-networking needs Dataplane V2.
    pub multi_networking_needs_dataplane_v2: bool,
    /// Containers that may share a GPU.
    pub max_shared_clients: u32,
    /// Size of `/dev/shm` for training.
    pub shm_size: String,
    /// The folder of the node with the driver, and where containers see it.
    pub driver_host_path: String,
    /// Where containers see the driver.
    pub driver_mount_path: String,
    /// Levels of a Kueue topology, widest first, by kind of node: `default`, `nvl72`.
    pub topology_levels: BTreeMap<String, Vec<String>>,
    /// Pods with TPUs.
    pub tpu_pods: TpuPods,
    /// Cloud Storage as a folder.
    pub gcsfuse: GcsFuse,
    /// Other storage by kind.
    pub storage: StorageDrivers,
    /// What GKE keeps of each node for itself.
    pub reserved: Reserved,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// What GKE keeps of each node of its own, so that pods cannot ask for it. Parts are in ten thousandths.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    /// Of processors, in steps by their number.
    pub cpus: Vec<Step>,
    /// Thousandths of a processor of a machine that shares its cores.
    pub shared_core_millicpus: u32,
    /// Of memory, in steps by GiB.
    pub memory: Vec<Step>,
    /// MiB of memory that stay free: below, pods are put out.
    pub eviction_mib: u32,
    /// Of local disks, and of the boot disk, that stays free.
    pub disk_eviction: u32,
    /// Of the boot disk for the system: the least of these.
    pub boot_disk: Vec<Share>,
    /// GiB of local disks for the system by their number; the last for all greater numbers.
    pub local_ssd_gib: Vec<u32>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Trust.
    pub confidence: Confidence,
}

/// A part of what lies between the step before and this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Where it ends; absent for the last.
    #[serde(default)]
    pub to: Option<u32>,
    /// Ten thousandths.
    pub part: u32,
}

/// So many GiB and such a part of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// GiB.
    #[serde(default)]
    pub gib: u32,
    /// Ten thousandths.
    #[serde(default)]
    pub part: u32,
}

/// Pods with TPUs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TpuPods {
    /// Ports by use: `slice_builder`, `megascale`, `metrics`.
    pub ports: BTreeMap<String, u16>,
    /// Environment that GKE sets in a slice of several hosts.
    pub injected: Vec<String>,
    /// Environment that GKE sets across slices.
    pub injected_multislice: Vec<String>,
    /// Termination grace in seconds.
    pub termination_grace_seconds: u32,
}

/// Cloud Storage as a folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GcsFuse {
    /// Name of the CSI driver.
    pub driver: String,
    /// Annotation of the pod that asks for the sidecar.
    pub annotation: String,
    /// Legal annotations after `gke-gcsfuse/`.
    pub annotations: Vec<String>,
    /// Annotations that lift the sidecar's default bounds, under which a training starves; what it asks for stays.
    pub unbounded: BTreeMap<String, String>,
    /// Legal volume attributes.
    pub attributes: Vec<String>,
    /// Mount options by use: `data`, `checkpoints`, `serving`.
    pub mount_options: BTreeMap<String, Vec<String>>,
    /// Storage classes with settings for a use.
    pub storage_classes: BTreeMap<String, String>,
}

/// Keys of node labels by what they tell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeLabels {
    /// The kind of GPU.
    pub accelerator: String,
    /// The machine type.
    pub machine: String,
    /// The MIG profile.
    pub gpu_partition: String,
    /// How GPUs are shared.
    pub gpu_sharing: String,
    /// Containers that share a GPU.
    pub gpu_clients: String,
    /// The GPU driver.
    pub gpu_driver: String,
    /// The kind of TPU.
    pub tpu_accelerator: String,
    /// The shape of the slice.
    pub tpu_topology: String,
    /// The node pool.
    pub node_pool: String,
    /// Spot nodes.
    pub spot: String,
    /// Nodes that are lent.
    pub flex_start: String,
    /// Nodes that are asked for by queued provisioning.
    pub queued: String,
    /// The compute class.
    pub compute_class: String,
    /// The reservation.
    pub reservation: String,
    /// The block of the data centre.
    pub topology_block: String,
    /// The part of the block.
    pub topology_subblock: String,
    /// The physical host.
    pub topology_host: String,
    /// The placement group.
    pub placement_group: String,
    /// Managed DRANET.
    pub dranet: String,
    /// Local disks as scratch space.
    pub local_ssd: String,
    /// NCCL Fast Socket.
    pub fast_socket: String,
    /// The node.
    pub hostname: String,
    /// The instruction set.
    pub arch: String,
}

/// Taints by what they mark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taints {
    /// Nodes with GPUs.
    pub gpu: Taint,
    /// Nodes with TPUs.
    pub tpu: Taint,
    /// Nodes that are asked for by queued provisioning.
    pub queued: Taint,
    /// Spot nodes.
    pub spot: Taint,
    /// Nodes of Arm processors.
    pub arm: Taint,
}

/// Quotas of a project, by what is counted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quotas {
    /// GPUs of all regions.
    pub all_gpus: String,
    /// Processors of all regions.
    pub all_cpus: String,
    /// Networks.
    pub networks: String,
    /// Local disks, by family of machines.
    pub local_ssd: String,
    /// Local disks of machines that can be taken away.
    pub preemptible_local_ssd: String,
    /// Filestore on disks that turn.
    pub filestore_basic_hdd: String,
    /// Filestore on others.
    pub filestore_basic_ssd: String,
    /// Disks, by type.
    pub disks: DiskQuotas,
}

/// Quotas of disks, by type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DiskQuotas {
    /// `pd-standard`
    pub pd_standard: String,
    /// `pd-balanced`
    pub pd_balanced: String,
    /// `pd-ssd`
    pub pd_ssd: String,
    /// `hyperdisk-balanced`
    pub hyperdisk_balanced: String,
}

impl DiskQuotas {
    /// The quota of a type of disks; none where nodes cannot boot from it.
    pub fn of(&self, disk: &str) -> Option<&str> {
        Some(match disk {
            "pd-standard" => &self.pd_standard,
            "pd-balanced" => &self.pd_balanced,
            "pd-ssd" => &self.pd_ssd,
            "hyperdisk-balanced" => &self.hyperdisk_balanced,
            _ => return None,
        })
    }
}

/// Names of extended resources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Devices {
    /// GPUs.
    pub gpu: String,
    /// TPU chips.
    pub tpu: String,
}

/// Storage drivers by kind of storage.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageDrivers {
    /// Filestore.
    pub filestore: StorageDriver,
    /// Managed Lustre.
    pub lustre: StorageDriver,
    /// Parallelstore.
    pub parallelstore: StorageDriver,
    /// Disks.
    pub persistent_disk: StorageDriver,
}

/// A storage driver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageDriver {
    /// Name of the CSI driver.
    pub driver: String,
    /// Form of the volume handle; braces stand for parts.
    pub handle: String,
    /// Volume attributes.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// Mount options.
    #[serde(default)]
    pub mount_options: Vec<String>,
    /// TCP ports of its clients, which its servers open connections to.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// Annotation of the pod, where one is needed.
    #[serde(default)]
    pub annotation: Option<String>,
}

/// A machine as Slurm sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmMachine {
    /// A key of the machines.
    pub machine: String,
    /// Partition that Cluster Toolkit's blueprints name.
    pub partition: String,
    /// Sockets.
    pub sockets: u32,
    /// Cores of a socket.
    pub cores_per_socket: u32,
    /// Threads of a core.
    pub threads_per_core: u32,
    /// Whether a socket is written as `SocketsPerBoard`.
    #[serde(default)]
    pub sockets_written: bool,
    /// Seconds to boot; absent: the cluster's default.
    #[serde(default)]
    pub resume_timeout: Option<u32>,
    /// Seconds to stop; absent: the cluster's default.
    #[serde(default)]
    pub suspend_timeout: Option<u32>,
    /// `OverSubscribe` of the partition; absent: not written.
    #[serde(default)]
    pub oversubscribe: Option<String>,
    /// Kind of MPI for `srun --mpi`.
    pub mpi: String,
    /// Interfaces for bootstrap traffic, in order.
    #[serde(default)]
    pub socket_interfaces: Vec<String>,
    /// Interfaces for bulk traffic, in order.
    #[serde(default)]
    pub data_interfaces: Vec<String>,
    /// Environment of this machine only.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Command that binds a rank to the CPUs near its GPU; `$SLURM_LOCALID` is the rank on the node.
    #[serde(default)]
    pub cpu_bind: Option<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl SlurmMachine {
    /// CPUs as Slurm counts them.
    pub fn cpus(&self) -> u32 {
        self.sockets * self.cores_per_socket * self.threads_per_core
    }
}

/// Versions of what runs containers on Slurm nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Containers {
    /// The plugin of Slurm.
    pub pyxis: String,
    /// The runtime.
    pub enroot: String,
}

/// Names and numbers of Slurm on Google Cloud.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmFacts {
    /// Memory that is held back from jobs, in MiB.
    pub memory_reserve_mib: u32,
    /// Memory that is held back from jobs for each GiB of the machine, in MiB.
    pub memory_reserve_mib_per_gib: u32,
    /// Slurm of the images that the pinned release builds.
    pub image_slurm: String,
    /// Newest Slurm of the images.
    pub newest_slurm: String,
    /// The pinned release of slurm-gcp.
    pub slurm_gcp: String,
    /// The release of Cluster Toolkit whose modules are referred to.
    pub cluster_toolkit: String,
    /// Oldest Terraform for it.
    pub terraform_min: String,
    /// Oldest Slurm by option or feature: `segment`, `block_topology`, `typed_gres`.
    pub minimums: BTreeMap<String, String>,
    /// Defaults of `slurm.conf` on those images.
    pub defaults: BTreeMap<String, String>,
    /// Settings for partitions with a long prolog.
    pub long_prologue: BTreeMap<String, String>,
    /// Machines of an NVLink domain in block topology.
    pub nvlink_block_nodes: u32,
    /// Size that such a block is rounded to in the topology.
    pub nvlink_block_size: u32,
    /// TPU generations of the older TPU node sets.
    pub tpu_generations: Vec<String>,
    /// TPU machine types of the newer ones.
    pub tpu_machines: Vec<String>,
    /// Versions of the container plugin and runtime.
    pub containers: Containers,
    /// Where the container plugin is installed. A bare name would be looked for in the folder of Slurm's own plugins.
    pub container_plugin: String,
    /// Seconds that a requeued job waits.
    pub requeue_delay_seconds: u32,
    /// The longest `MessageTimeout` with which a second controller takes over in time, in seconds.
    pub failover_message_seconds: u32,
    /// `UnkillableStepTimeout` is at least this many times `MessageTimeout`.
    pub unkillable_messages: u32,
    /// The longest that a job waits for nodes under few switches, in seconds: what it asks for, and what the cluster lets it have.
    pub switch_wait_seconds: u64,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl SlurmFacts {
    /// `RealMemory` in MiB of a machine with this much memory.
    pub fn real_memory_mib(&self, memory_gib: f64) -> u64 {
        let held = f64::from(self.memory_reserve_mib)
            + f64::from(self.memory_reserve_mib_per_gib) * memory_gib.floor();
        let left = (memory_gib * 1024.0).floor() - held;
        if left > 0.0 { left as u64 } else { 0 }
    }
}

/// Folders that mounts appear under on Vertex AI.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MountRoots {
    /// Shares of NFS.
    pub nfs: String,
    /// Lustre.
    pub lustre: String,
    /// Buckets.
    pub gcs: String,
}

impl MountRoots {
    /// All of them.
    pub fn all(&self) -> [&str; 3] {
        [&self.nfs, &self.lustre, &self.gcs]
    }
}

/// Names and numbers of Vertex AI custom training.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexFacts {
    /// Values of `acceleratorType`.
    pub accelerator_types: Vec<String>,
    /// Boot disk types, the default first.
    pub boot_disk_types: Vec<String>,
    /// Machines that boot from `hyperdisk-balanced` by default.
    pub hyperdisk_boot: Vec<String>,
    /// Values of `scheduling.strategy`.
    pub strategies: Vec<String>,
    /// Worker pools in their fixed order.
    pub worker_pools: Vec<String>,
    /// GPUs that flex-start takes.
    pub flex_start_gpus: Vec<String>,
    /// Reduction Server images by multi-region: `us`, `europe`, `asia`.
    pub reduction_server_images: BTreeMap<String, String>,
    /// Oldest software for the Reduction Server.
    pub reduction_server_min: BTreeMap<String, String>,
    /// Accelerator types that the Reduction Server is of no use to.
    pub reduction_server_pointless: Vec<String>,
    /// Machine types and families that are not offered.
    pub not_offered: Vec<String>,
    /// Environment that is set for a training program.
    pub injected: Vec<String>,
    /// Port of the first worker in the cluster description.
    pub cluster_port: u16,
    /// Key of a reservation's affinity.
    pub reservation_key: String,
    /// Folders that mounts appear under.
    pub mount_roots: MountRoots,
    /// Restarts of a spot job.
    pub spot_restarts: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}
