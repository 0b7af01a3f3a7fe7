//! Slurm clusters and their partitions.

use super::{
    BootImage, Capacity, Choice, Disk, HostMaintenance, Identity, Network, Placement, Ref, Volume,
};
use crate::{Duration, Range, Size, Topology};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;
use std::net::IpAddr;

/// A Slurm cluster.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SlurmCluster {
    /// `ClusterName`.
    pub name: Choice<Spanned<String>>,
    /// The network of its nodes on Google Cloud.
    pub network: Option<Spanned<Ref<Network>>>,
    /// The zone of its nodes there.
    pub zone: Option<Spanned<String>>,
    /// `SlurmctldHost`, the primary first.
    pub controllers: Vec<Spanned<String>>,
    /// The release, such as `23.11`.
    pub release: Spanned<String>,
    /// `MpiDefault`.
    pub mpi: Mpi,
    /// A folder that every node sees.
    pub shared: String,
    /// `JobRequeue`.
    pub requeue: bool,
    /// `SlurmUser`.
    pub user: String,
    /// Who its nodes are on Google Cloud.
    pub node_identity: Option<Spanned<Ref<Identity>>>,
    /// The machine of its controller on Google Cloud.
    pub controller: Spanned<SlurmController>,
    /// The machines that people submit from there.
    pub login: SlurmLogin,
    /// What its hosts mount there, by the folder.
    pub mounts: IndexMap<String, Spanned<Volume>>,
    /// What its hosts start from there.
    pub image: Option<Spanned<BootImage>>,
    /// When the GPUs of nodes are looked at there.
    pub health_checks: Vec<HealthCheck>,
    /// What root runs on nodes before a job, by the file.
    pub prologs: IndexMap<String, String>,
    /// And after it.
    pub epilogs: IndexMap<String, String>,
    /// What nodes run by themselves.
    pub node_check: Option<NodeCheck>,
    /// `RebootProgram`.
    pub reboot: Option<String>,
    /// `ResumeTimeout`, which holds for nodes that are started anew.
    pub reboot_time: Duration,
    /// Where it keeps what jobs used.
    pub accounting: Option<Spanned<SlurmAccounting>>,
    /// Which job goes first.
    pub priority: SlurmPriority,
    /// Nodes fetch their configuration from the controllers.
    pub configless: bool,
    /// How long a script of a start may take there.
    pub startup_time: Option<Duration>,
}

impl SlurmCluster {
    /// Where it is made on Google Cloud.
    pub fn on_cloud(&self) -> Option<(Ref<Network>, &str)> {
        Some((self.network?.value, &self.zone.as_ref()?.value))
    }

    /// What jobs used is kept in a database of Cloud SQL.
    pub fn in_cloud_sql(&self) -> bool {
        self.protects_accounts().is_some()
    }

    /// Whether Terraform refuses to destroy the database of Cloud SQL, where there is one.
    pub fn protects_accounts(&self) -> Option<bool> {
        match self.accounting.as_ref()?.value {
            SlurmAccounting::CloudSql { deletion_protection, .. } => Some(deletion_protection),
            SlurmAccounting::Slurmdbd { .. } => None,
        }
    }
}

/// The machine of a controller on Google Cloud.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlurmController {
    /// The one form.
    Controller {
        /// The machine type.
        machine: String,
        /// The boot disk.
        disk: Size,
        /// Its type.
        disk_type: Choice<Disk>,
        /// The disk of what Slurm knows of jobs.
        state: Size,
        /// It has a public address.
        public: bool,
        /// Who it is.
        identity: Option<Ref<Identity>>,
        /// What it runs when it starts.
        startup: Option<String>,
        /// A second one.
        standby: Option<SlurmStandby>,
    },
}

/// A controller that goes on where the first is lost.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlurmStandby {
    /// The one form.
    Standby {
        /// Where it is.
        zone: String,
        /// Those of both, the first controller's first.
        addresses: Vec<IpAddr>,
    },
}

impl SlurmController {
    /// Who it is, where the blueprint says so.
    pub fn identity(&self) -> Option<Ref<Identity>> {
        let Self::Controller { identity, .. } = self;
        *identity
    }

    /// What it runs when it starts.
    pub fn startup(&self) -> Option<&str> {
        let Self::Controller { startup, .. } = self;
        startup.as_deref()
    }

    /// The one that goes on where it is lost.
    pub fn standby(&self) -> Option<&SlurmStandby> {
        let Self::Controller { standby, .. } = self;
        standby.as_ref()
    }
}

/// The machines that people submit from on Google Cloud.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlurmLogin {
    /// The one form.
    Login {
        /// The machine type.
        machine: String,
        /// How many.
        count: i64,
        /// The boot disk of each.
        disk: Size,
        /// Its type.
        disk_type: Choice<Disk>,
        /// They have public addresses.
        public: bool,
        /// What each runs when it starts.
        startup: Option<String>,
    },
}

impl SlurmLogin {
    /// What each runs when it starts; nothing, where there is none.
    pub fn startup(&self) -> Option<&str> {
        let Self::Login { count, startup, .. } = self;
        startup.as_deref().filter(|_| *count > 0)
    }
}

/// When GPUs of a node are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthCheck {
    /// Before a job.
    Prolog,
    /// After it.
    Epilog,
}

/// What nodes run by themselves.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeCheck {
    /// The one form.
    NodeCheck {
        /// `HealthCheckProgram`.
        script: String,
        /// `HealthCheckInterval`.
        every: Duration,
    },
}

/// Where a cluster keeps what jobs used.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlurmAccounting {
    /// A database behind Slurm's own server, on hosts of one's own.
    Slurmdbd {
        /// `DbdHost`; the first controller where it is not said.
        host: Option<String>,
        /// `StorageHost`.
        database: String,
        /// `AccountingStorageEnforce`.
        enforce: Vec<Enforced>,
        /// After which jobs are forgotten.
        keep: Option<Duration>,
        /// Qualities of service, with the priority of each.
        qualities: IndexMap<String, i64>,
    },
    /// A database of Cloud SQL, on Google Cloud.
    CloudSql {
        /// Its machine.
        tier: String,
        /// It is saved each day.
        backups: bool,
        /// Terraform refuses to destroy it.
        deletion_protection: bool,
    },
}

/// What jobs are held to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforced {
    /// Who submits has an account.
    Associations,
    /// What accounts may use at once.
    Limits,
    /// What qualities of service say.
    Qos,
    /// A job starts only if it may run to its end.
    Safe,
}

/// Which of the jobs that wait goes first.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlurmPriority {
    /// The one that was there first.
    FirstCome,
    /// The one with the largest sum of weights.
    Multifactor {
        /// Of how long it waits.
        age: i64,
        /// Of how little its account used.
        fair_share: i64,
        /// Of how much it asks for.
        size: i64,
        /// Of its quality of service.
        qos: i64,
        /// After which use counts half.
        half_life: Duration,
        /// After which waiting longer counts no more.
        max_age: Duration,
    },
}

/// How a node finds out which GPUs it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detection {
    /// NVIDIA's library.
    Nvml,
    /// The driver alone.
    Nvidia,
}

/// How MPI programs find each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mpi {
    /// PMIx.
    Pmix,
    /// PMI-2.
    Pmi2,
    /// Not at all.
    None,
}

/// How many nodes a partition has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartitionNodes {
    /// So many, always there.
    Int(i64),
    /// From so many to so many.
    Range(Range),
}

impl PartitionNodes {
    /// Those that are always there, and those that there may be.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Self::Int(nodes) => (nodes, nodes),
            Self::Range(range) => (range.0.min(range.1), range.1),
        }
    }
}

/// Nodes with TPUs on Google Cloud.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TpuNodes {
    /// The one form.
    TpuNodes {
        /// The release of TensorFlow, which names what Cloud TPU installs.
        tensorflow: String,
        /// The container that Slurm's daemon and jobs run in.
        container: Option<String>,
        /// One that nobody needs is stopped.
        keep: bool,
    },
}

/// A partition: identical nodes under one name.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Partition {
    /// The machine type or node preset.
    pub machine: Spanned<String>,
    /// Nodes in all.
    pub nodes: Spanned<PartitionNodes>,
    /// The shape of one slice of TPUs, on Google Cloud.
    pub topology: Option<Spanned<Topology>>,
    /// What nodes with TPUs have on them there.
    pub tpus: Spanned<TpuNodes>,
    /// How the nodes are obtained, on Google Cloud.
    pub capacity: Spanned<Capacity>,
    /// How often their hosts are maintained there.
    pub host_maintenance: Option<Spanned<HostMaintenance>>,
    /// Further zones that they are made in there.
    pub zones: Vec<String>,
    /// Threads of a core there.
    pub threads_per_core: Choice<Spanned<i64>>,
    /// Whether they have Tier_1 networking there.
    pub tier_1: bool,
    /// How they lie to each other there.
    pub placement: Choice<Spanned<Placement>>,
    /// The boot disk there.
    pub disk: Size,
    /// Its type.
    pub disk_type: Choice<Spanned<Disk>>,
    /// What a node runs there when it starts.
    pub startup: Option<String>,
    /// How long a node stays there without a job.
    pub idle: Spanned<Duration>,
    /// Whether its nodes on Google Cloud have public addresses.
    pub public: bool,
    /// Their names as a host list.
    pub hosts: Choice<Spanned<String>>,
    /// The address of the first node.
    pub first_address: Option<Spanned<IpAddr>>,
    /// Nodes under one leaf switch.
    pub switch_nodes: Choice<Spanned<i64>>,
    /// Nodes of a block.
    pub block_nodes: Choice<Spanned<i64>>,
    /// `AutoDetect`.
    pub detect: Option<Spanned<Detection>>,
    /// Where jobs go that name no partition.
    pub default: bool,
    /// The longest that a job may run.
    pub max_time: Option<Spanned<Duration>>,
    /// `PriorityTier`.
    pub tier: i64,
    /// Whether jobs have nodes to themselves.
    pub exclusive: bool,
}
