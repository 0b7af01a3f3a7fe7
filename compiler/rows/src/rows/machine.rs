//! Machine types: Google Cloud's, and presets of nodes that stand on a site's own floor.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Arch, Confidence, Support};

/// One machine type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The provider's name: `a3-megagpu-8g`; for a preset a name of the catalog's own: `hgx-h100`.
    pub name: String,
    /// What the machine is for.
    pub kind: MachineKind,
    /// `a3`, `n2`, `ct5p`, or `node` for a preset.
    pub series: String,
    /// The group that zones are listed by: `a3-megagpu`, `n2`, `ct5p-hightpu`.
    pub family: String,
    /// Instruction set.
    #[serde(default)]
    pub arch: Arch,
    /// Virtual CPUs; 0 where the catalog does not know (presets).
    #[serde(default)]
    pub vcpus: u32,
    /// Sockets; 0 where the catalog does not know.
    #[serde(default)]
    pub sockets: u32,
    /// Threads of a core; 0 where the catalog does not know.
    #[serde(default)]
    pub threads_per_core: u32,
    /// Memory in GiB; 0 where the catalog does not know (presets).
    #[serde(default)]
    pub memory_gib: f64,
    /// Whether its CPUs are shared with other machines.
    #[serde(default)]
    pub shared_core: bool,
    /// Whether there is no hypervisor.
    #[serde(default)]
    pub bare_metal: bool,
    /// Its GPUs; machines that a GPU can be attached to have none here.
    #[serde(default)]
    pub accelerator: Option<Accelerator>,
    /// Its TPU chips.
    #[serde(default)]
    pub tpu: Option<TpuMachine>,
    /// Disks inside the machine.
    #[serde(default)]
    pub local_ssd: LocalSsd,
    /// Its network.
    #[serde(default)]
    pub network: Network,
    /// How machines of this type can be placed close to each other.
    #[serde(default)]
    pub placement: Placement,
    /// How one GPU can serve several containers.
    #[serde(default)]
    pub sharing: GpuSharing,
    /// How capacity can be had.
    #[serde(default)]
    pub capacity: Capacity,
    /// What GKE asks for.
    #[serde(default)]
    pub gke: GkeSupport,
    /// What Vertex AI calls it.
    #[serde(default)]
    pub vertex: VertexSupport,
    /// Boot disks.
    #[serde(default)]
    pub disk: Disk,
    /// Oldest CUDA and driver.
    #[serde(default)]
    pub software: Software,
    /// The GPU network stack by name, a key of the stacks.
    #[serde(default)]
    pub stack: Option<String>,
    /// What does not fit elsewhere, for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust in name, CPUs, memory and accelerators.
    pub confidence: Confidence,
}

/// Threads of a core of Compute Engine's, where the catalog does not say otherwise: each is a virtual CPU.
const USUAL_THREADS: u32 = 2;

impl Machine {
    /// Threads that a core of Compute Engine's has.
    pub fn threads(&self) -> u32 {
        if self.threads_per_core > 0 { self.threads_per_core } else { USUAL_THREADS }
    }

    /// Whether devices of it, which do not go with it, hold it on its host: accelerators, and cards with RDMA
    /// (<https://docs.cloud.google.com/compute/docs/instances/setting-vm-host-options>).
    pub fn is_bound(&self) -> bool {
        self.accelerator.is_some() || self.tpu.is_some() || self.network.has_rdma_card()
    }

    /// Cores of a socket; `None` where the catalog does not know the sockets.
    pub fn cores_per_socket(&self) -> Option<u32> {
        let threads = self.sockets * self.threads_per_core;
        (threads > 0 && self.vcpus.is_multiple_of(threads)).then(|| self.vcpus / threads)
    }
}

/// What a machine is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MachineKind {
    /// Has GPUs.
    Gpu,
    /// Has TPU chips.
    Tpu,
    /// Neither.
    Cpu,
    /// A preset of a node on a site's own floor.
    Node,
}

/// The GPUs of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accelerator {
    /// A key of the GPUs: `h100-mega-80gb`.
    pub gpu: String,
    /// GPUs in one machine; 1 for a fraction of a GPU.
    pub count: u32,
    /// Memory of each as the vendor prints it, in GB; of the fraction where it is one.
    pub memory_gb_each: u32,
    /// The part of one GPU that the machine has, `1/8`; absent: whole GPUs.
    #[serde(default)]
    pub fraction: Option<String>,
    /// GPUs that reach each other over NVLink; 1: none. More than `count`: across machines.
    pub nvlink_domain_gpus: u32,
    /// Value of the node label `cloud.google.com/gke-accelerator` and of Terraform's accelerator type.
    #[serde(default)]
    pub gke_label: Option<String>,
}

/// The TPU chips of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TpuMachine {
    /// A key of the TPU generations: `v5p`.
    pub generation: String,
    /// Chips in one machine.
    pub chips: u32,
    /// NUMA nodes, where known.
    #[serde(default)]
    pub numa_nodes: Option<u32>,
    /// The part of a network card that the machine has.
    #[serde(default)]
    pub nic_fraction: Option<String>,
    /// Whether it only makes slices of one host.
    #[serde(default)]
    pub single_host_only: bool,
    /// Value of the node label `cloud.google.com/gke-tpu-accelerator`.
    pub gke_label: String,
}

/// Local SSD.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalSsd {
    /// Whether disks come with the machine.
    #[serde(default)]
    pub mode: SsdMode,
    /// Legal numbers of disks; for bundled disks the one number.
    #[serde(default)]
    pub counts: Vec<u32>,
    /// Size of one disk in GiB: 375 or 3000.
    #[serde(default)]
    pub disk_gib: u32,
}

impl LocalSsd {
    /// The most that fits, in GiB.
    pub fn max_gib(&self) -> u32 {
        self.counts.iter().max().copied().unwrap_or(0).saturating_mul(self.disk_gib)
    }

    /// The same, without an end.
    pub(crate) fn most_gib(&self) -> f64 {
        f64::from(self.counts.iter().max().copied().unwrap_or(0)) * f64::from(self.disk_gib)
    }
}

/// Whether Local SSD comes with a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SsdMode {
    /// The machine takes none.
    #[default]
    None,
    /// It may be asked for, in the legal numbers.
    Optional,
    /// It is always there.
    Bundled,
}

/// The network of a machine. Bandwidth in Gbps, one direction.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Network cards in all; 0: not known.
    #[serde(default)]
    pub physical_nics: u32,
    /// Cards next to the GPUs.
    #[serde(default)]
    pub gpu_nics: u32,
    /// All cards together; 0: not known.
    #[serde(default)]
    pub max_egress_gbps: u32,
    /// With the per-machine Tier 1 option.
    #[serde(default)]
    pub tier1_gbps: Option<u32>,
    /// The cards next to the GPUs together: what NCCL can use.
    #[serde(default)]
    pub gpu_fabric_gbps: u32,
    /// How the GPUs reach the network.
    #[serde(default)]
    pub gpudirect: GpuDirect,
    /// Networks of a site's own floor; absent on Google Cloud.
    #[serde(default)]
    pub fabric: Option<Fabric>,
    /// Entries of GKE's additional node networks and of Slurm's additional networks.
    #[serde(default)]
    pub additional_interfaces: u32,
    /// VPC networks beside the default one.
    #[serde(default)]
    pub additional_vpcs: u32,
    /// MTU of those networks.
    #[serde(default)]
    pub additional_vpc_mtu: Option<u32>,
    /// Of the additional networks, those that carry plain gVNIC traffic.
    #[serde(default)]
    pub gvnic_vpcs: u32,
    /// Of the additional networks, those that carry RDMA.
    #[serde(default)]
    pub rdma_vpcs: u32,
    /// Subnets of the RDMA network.
    #[serde(default)]
    pub rdma_subnets: u32,
    /// The profile of the RDMA network, `{zone}` stands for the zone.
    #[serde(default)]
    pub network_profile: Option<String>,
    /// NIC type of the GPU cards: `GVNIC`, `MRDMA`, `IDPF`.
    #[serde(default)]
    pub nic_type: Option<String>,
    /// Whether NVLink joins several machines (an NVL72 domain).
    #[serde(default)]
    pub multi_node_nvlink: bool,
    /// Trust, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// The kind of a network card that has RDMA besides, on one card, as machines without accelerators have it.
const RDMA_CARD: &str = "IRDMA";

impl Network {
    /// Whether one card of the machine does RDMA, on a network of its own.
    pub fn has_rdma_card(&self) -> bool {
        let one = self.rdma_subnets == 0 && self.network_profile.is_some();
        one && self.nic_type.as_deref() == Some(RDMA_CARD)
    }
}

/// How GPUs reach the network without the CPU copying.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GpuDirect {
    /// They do not.
    #[default]
    None,
    /// GPUDirect-TCPX.
    Tcpx,
    /// GPUDirect-TCPXO (FasTrak).
    Tcpxo,
    /// GPUDirect RDMA.
    Rdma,
}

/// The network between nodes of a site's own floor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fabric {
    /// InfiniBand.
    Infiniband,
    /// Ethernet.
    Ethernet,
}

/// Placing machines close to each other.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Whether a compact placement policy takes the type.
    #[serde(default)]
    pub compact: bool,
    /// Most nodes of a compact GKE pool.
    #[serde(default)]
    pub gke_max_nodes: Option<u32>,
    /// Whether flex-start and compact placement go together.
    #[serde(default)]
    pub flex_start_compact: bool,
    /// Whether the policy's `max_distance` is open to everyone.
    #[serde(default)]
    pub max_distance: bool,
    /// The topology of a workload policy: `1x72`.
    #[serde(default)]
    pub topology: Option<String>,
    /// The type of that policy: `HIGH_THROUGHPUT`.
    #[serde(default)]
    pub policy: Option<String>,
    /// Machines of one NVLink domain.
    #[serde(default)]
    pub nvlink_domain_nodes: Option<u32>,
    /// Trust, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// Serving several containers from one GPU.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuSharing {
    /// Whether MIG can be switched on.
    #[serde(default)]
    pub mig: bool,
    /// The GPU whose profiles apply.
    #[serde(default)]
    pub mig_profiles_of: Option<String>,
    /// `TIME_SHARING`, `MPS`.
    #[serde(default)]
    pub strategies: Vec<String>,
}

/// How capacity can be had.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// On demand.
    #[serde(default)]
    pub on_demand: Support,
    /// Spot.
    #[serde(default)]
    pub spot: Support,
    /// A reservation of capacity that exists now.
    #[serde(default)]
    pub reservation: Support,
    /// A reservation for a later time.
    #[serde(default)]
    pub future_reservation: Support,
    /// Flex-start (Dynamic Workload Scheduler), queued provisioning included.
    #[serde(default)]
    pub flex_start: Support,
    /// A reservation by calendar.
    #[serde(default)]
    pub calendar: Support,
    /// What to know about it, for people.
    #[serde(default)]
    pub note: Option<String>,
    /// Trust, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// A column of [`Capacity`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CapacityModel {
    /// On demand.
    OnDemand,
    /// Spot.
    Spot,
    /// A reservation that exists now.
    Reservation,
    /// A reservation for a later time.
    FutureReservation,
    /// Flex-start or queued.
    FlexStart,
    /// A reservation by calendar.
    Calendar,
}

impl Capacity {
    /// What the row says about one model.
    pub fn support(&self, model: CapacityModel) -> Support {
        match model {
            CapacityModel::OnDemand => self.on_demand,
            CapacityModel::Spot => self.spot,
            CapacityModel::Reservation => self.reservation,
            CapacityModel::FutureReservation => self.future_reservation,
            CapacityModel::FlexStart => self.flex_start,
            CapacityModel::Calendar => self.calendar,
        }
    }
}

/// What GKE asks for. Versions by minor branch: `"1.33" = "1.33.4-gke.1036000"`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GkeSupport {
    /// Oldest version of each branch that knows the machine; empty: every version still offered.
    #[serde(default)]
    pub standard_min: BTreeMap<String, String>,
    /// The same of nodes that are in no reservation, where that is another.
    #[serde(default)]
    pub unreserved_min: BTreeMap<String, String>,
    /// Oldest version of each branch whose GPU network stack works.
    #[serde(default)]
    pub gpudirect_min: BTreeMap<String, String>,
    /// Oldest version of Autopilot.
    #[serde(default)]
    pub autopilot_min: Option<String>,
    /// Oldest version with managed DRANET for the machine.
    #[serde(default)]
    pub dranet_min: Option<String>,
    /// From here on GKE installs the default driver by itself.
    #[serde(default)]
    pub driver_default_from: Option<String>,
    /// `no` where Autopilot or the cluster autoscaler cannot be used, Shielded Nodes must be off.
    #[serde(default)]
    pub autopilot: Support,
    /// Whether the cluster autoscaler can be used.
    #[serde(default)]
    pub autoscaling: Support,
    /// Whether Shielded Nodes can be used.
    #[serde(default)]
    pub shielded_nodes: Support,
    /// Whether the cluster must be created with Dataplane V2.
    #[serde(default)]
    pub dataplane_v2_required: bool,
    /// The only node image.
    #[serde(default)]
    pub image: Option<String>,
    /// Most nodes of a pool.
    #[serde(default)]
    pub max_nodes_per_pool: Option<u32>,
    /// Huge pages of 2 MiB to set aside.
    #[serde(default)]
    pub hugepages_2m: Option<u32>,
    /// Labels that the node pool must carry.
    #[serde(default)]
    pub node_labels: BTreeMap<String, String>,
    /// Trust in the versions, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// What Vertex AI calls the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexSupport {
    /// Whether custom training takes it.
    #[serde(default)]
    pub training: bool,
    /// Value of `acceleratorType`; absent for CPUs and for TPUs that are named by machine and topology.
    #[serde(default)]
    pub accelerator_type: Option<String>,
    /// What to know about it, for people.
    #[serde(default)]
    pub note: Option<String>,
}

/// Boot disks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// Types that boot, the usual one first; empty: not recorded.
    #[serde(default)]
    pub boot: Vec<String>,
    /// Trust, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}

/// Oldest software.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// Oldest CUDA.
    #[serde(default)]
    pub min_cuda: Option<String>,
    /// Oldest driver.
    #[serde(default)]
    pub min_driver: Option<String>,
    /// Trust, where it is less than the row's.
    #[serde(default)]
    pub confidence: Option<Confidence>,
}
