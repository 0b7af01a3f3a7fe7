//! What Slurm on Google Cloud needs to be told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

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

/// A node with TPUs, as Cluster Toolkit tells Slurm of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmTpuNode {
    /// CPUs.
    pub cpus: u32,
    /// `RealMemory`.
    pub memory_mib: u64,
}

/// What Cluster Toolkit tells Slurm of nodes with a card for RDMA.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmCard {
    /// Seconds that such a node may take to come.
    pub resume_seconds: u32,
    /// Seconds that it may take to go.
    pub suspend_seconds: u32,
    /// Seconds that its processes may take to end once they are killed.
    pub unkillable_seconds: u32,
    /// The script that looks at the card before each job.
    pub check: String,
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
    /// The newest public image of Slurm that the release knows: its family.
    pub image_family: String,
    /// The project of those images.
    pub image_project: String,
    /// The release's template of `slurm.conf` for long prologs, as seen from a deployment group.
    pub long_prologue_template: String,
    /// Files of scripts that its controller runs itself before and after jobs, or that are rendered for it.
    pub taken_scripts: Vec<String>,
    /// Where controllers keep the prologs and epilogs that hosts mount.
    pub prologues: String,
    /// Folders that a controller shares with all hosts where nothing else is mounted.
    pub controller_shares: Vec<String>,
    /// What a controller did when it was made, as it has it after each deployment: nothing runs it again.
    pub controller_start: String,
    /// What a controller must be allowed to do on the project.
    pub controller_roles: Vec<String>,
    /// What nodes and those who submit must be allowed to do there.
    pub node_roles: Vec<String>,
    /// What the machine that it builds an image on must be allowed to do there: it fetches its scripts, and says when they are done.
    pub image_roles: Vec<String>,
    /// Oldest Terraform for it.
    pub terraform_min: String,
    /// Oldest Packer for it, which builds images.
    pub packer_min: String,
    /// Oldest Slurm by option or feature: `segment`, `topology_block`, `detect_nvidia`; on images of Google Cloud `block_topology`, `typed_gres`.
    pub minimums: BTreeMap<String, String>,
    /// Defaults of `slurm.conf` on those images.
    pub defaults: BTreeMap<String, String>,
    /// Settings for partitions with a long prolog.
    pub long_prologue: BTreeMap<String, String>,
    /// Machines of an NVLink domain in block topology.
    pub nvlink_block_nodes: u32,
    /// Size that such a block is rounded to in the topology.
    pub nvlink_block_size: u32,
    /// A node of the older TPU node sets, by the generation.
    pub tpu_nodes: BTreeMap<String, SlurmTpuNode>,
    /// Seconds that such a node may take to come.
    pub tpu_resume_seconds: u32,
    /// Roles of a controller that makes such nodes, beside its others.
    pub tpu_roles: Vec<String>,
    /// TPU machine types of the newer ones.
    pub tpu_machines: Vec<String>,
    /// Nodes with a card for RDMA.
    pub rdma_card: SlurmCard,
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
    /// How far backfill looks ahead where nothing says so, in minutes.
    pub backfill_minutes: u64,
    /// The plugin that gives each job a channel in the memory that NVLink joins.
    pub imex_switch: String,
    /// Seconds that a node may take to come where nothing says so.
    pub resume_seconds: u64,
    /// Seconds that a node may take to install what it has itself by a blueprint of Cluster Toolkit: containers, and disks as one filesystem.
    pub install_seconds: u64,
    /// The most that can be said of that, in seconds.
    pub longest_resume_seconds: u64,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl SlurmFacts {
    /// Whether a release (`23.11`) has an option or a feature of `minimums`.
    pub fn has(&self, release: &str, what: &str) -> bool {
        let since = self.minimums.get(what).and_then(|since| year_and_month(since));
        since.is_some_and(|since| year_and_month(release).is_some_and(|release| release >= since))
    }

    /// `RealMemory` in MiB of a machine with this much memory.
    pub fn real_memory_mib(&self, memory_gib: f64) -> u64 {
        let held = f64::from(self.memory_reserve_mib)
            + f64::from(self.memory_reserve_mib_per_gib) * memory_gib.floor();
        let left = (memory_gib * 1024.0).floor() - held;
        if left > 0.0 { left as u64 } else { 0 }
    }
}

/// `23.11` as numbers.
fn year_and_month(release: &str) -> Option<(u8, u8)> {
    let (year, month) = release.split_once('.')?;
    Some((year.parse().ok()?, month.parse().ok()?))
}
