//! What Kubernetes on GKE needs to be told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AcceleratorQuota, Claim, Confidence};

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
    /// Daemon sets of GKE's own that have a pod on each node, at the least.
    pub daemons: Vec<String>,
    /// Names of extended resources.
    pub resources: Devices,
    /// What GKE measures by itself; a list of one's own replaces all of it.
    pub measured: Vec<String>,
    /// API versions of objects whose release nobody says.
    pub apis: Apis,
    /// Oldest GKE version by feature: `multislice`, `dranet`, `native_sidecar`.
    pub minimums: BTreeMap<String, String>,
    /// The claim of interfaces of RDMA, without their number.
    pub dranet: Claim,
    /// Values that GKE accepts, by setting.
    pub enums: BTreeMap<String, Vec<String>>,
    /// The image of nodes that nothing says otherwise of: drivers and GPUDirect are made for it.
    pub node_image: String,
    /// Node images that GPUDirect works on.
    pub gpudirect_images: Vec<String>,
    /// The type of a policy that places the hosts of a slice: `HIGH_THROUGHPUT`.
    pub slice_policy: String,
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
    /// Levels of a Kueue topology.
    pub topology_levels: TopologyLevels,
    /// Slices that are joined or cut as workloads are admitted, by generation of TPUs.
    pub slicing: Vec<Slicing>,
    /// Pods with TPUs.
    pub tpu_pods: TpuPods,
    /// Checkpoints in memory of nodes.
    pub checkpointing: Checkpointing,
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
    /// Mount options of a volume whose use nobody knows.
    pub shown: Vec<String>,
    /// What mount options begin with that remember for ever what a bucket holds: where another one writes to it, they are left out.
    pub remembered: Vec<String>,
    /// Storage classes with settings for a use.
    pub storage_classes: BTreeMap<String, String>,
}

/// Levels of a Kueue topology: labels of nodes, widest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyLevels {
    /// Of nodes that stand close together.
    pub default: Vec<String>,
    /// Of those with NVLink between them.
    pub nvl72: Vec<String>,
    /// Of all others.
    pub nodes: Vec<String>,
}

/// GKE's dynamic slicing of a generation of TPUs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slicing {
    /// The generation.
    pub generation: String,
    /// The shape of every node pool, where larger slices are joined of such.
    #[serde(default)]
    pub whole: Option<String>,
    /// Shapes of several hosts that a slice is cut into, the largest first.
    pub parts: Vec<String>,
    /// The label of nodes that tells parts of a shape apart.
    pub label: String,
    /// The label of nodes that tells how a part is, where there is one.
    #[serde(default)]
    pub state: Option<String>,
    /// Values of that label with which it can be used.
    pub healthy: Vec<String>,
    /// Who makes slices of the parts that Kueue has chosen, as checks name it.
    #[serde(default)]
    pub controller: Option<String>,
    /// What is installed for that.
    #[serde(default)]
    pub component: Option<String>,
    /// The oldest GKE that joins.
    #[serde(default)]
    pub joined_min: Option<String>,
    /// The oldest GKE that cuts.
    #[serde(default)]
    pub cut_min: Option<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
}

impl Slicing {
    /// The label that tells parts of a shape apart.
    pub fn label_of(&self, shape: &str) -> String {
        self.label.replace("{shape}", shape)
    }

    /// The label that tells how a part of a shape is.
    pub fn state_of(&self, shape: &str) -> Option<String> {
        self.state.as_ref().map(|label| label.replace("{shape}", shape))
    }
}

/// GKE's multi-tier checkpointing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpointing {
    /// The driver of the volume.
    pub driver: String,
    /// The API of what says which nodes keep how much.
    pub api: String,
    /// The name of these objects in full.
    pub resource: String,
    /// Where GKE runs what copies them.
    pub namespace: String,
    /// The Kubernetes account that this acts as.
    pub account: String,
    /// What it has to have on the bucket.
    pub role: String,
    /// How the bucket is mounted for it.
    pub mount_options: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
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
    /// The compute class, of nodes and of pods that ask for it.
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
    /// Disks of Hyperdisk ML, in GB.
    pub hyperdisk_ml: String,
    /// What they give, in MiB/s.
    pub hyperdisk_ml_rate: String,
}

/// Quotas of disks that machines boot from, by type.
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

/// API versions of objects that come with a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Apis {
    /// Networks of pods besides the cluster's own.
    pub network: String,
    /// Which node pools get nodes for pods of a class.
    pub compute_class: String,
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
