//! GKE clusters with their pools.

use super::{
    Attached, Bucket, Choice, Filesystem, HostMaintenance, Identity, Kueue, Maintenance, Network,
    Ref, Release, Reserved, Team, UpgradeBy, Upgrades,
};
use crate::catalog::TaintEffect;
use crate::{Duration, Range, Size, Topology};
use indexmap::IndexMap;
use ipnet::IpNet;
use serde::Deserialize;
use slipform_source::Spanned;
use std::collections::BTreeSet;

/// A GKE cluster.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct GkeCluster {
    /// The network of its nodes.
    pub network: Spanned<Ref<Network>>,
    /// Where the control plane runs: a region or a zone.
    pub location: Choice<Spanned<String>>,
    /// The zone of pools that do not say their own.
    pub zone: Option<Spanned<String>>,
    /// The project that it is of, where that is another one.
    pub project: Option<Spanned<String>>,
    /// Its name in the cloud.
    pub name: Choice<Spanned<String>>,
    /// The range of the control plane, where it has one of its own.
    pub control_plane: Option<Spanned<IpNet>>,
    /// Who may reach the addresses of the control plane.
    pub authorized: IndexMap<String, IpNet>,
    /// Whether machines of Google Cloud's may reach its public address; `None`: as it is.
    pub google_ranges: Option<bool>,
    /// Whether machines of other regions reach its private address; `None`: as it is.
    pub global_access: Option<bool>,
    /// Whether the control plane has no public address.
    pub private_endpoint: bool,
    /// Whether the control plane is reached by a DNS name.
    pub dns_endpoint: Choice<bool>,
    /// How fast versions arrive.
    pub release: Spanned<Release>,
    /// The lowest version of the control plane.
    pub version: Option<Spanned<String>>,
    /// When GKE may upgrade it by itself.
    pub maintenance: Option<Spanned<Maintenance>>,
    /// Whether Terraform refuses to destroy it.
    pub deletion_protection: bool,
    /// The machine of the system pool, where no pool of CPUs is declared.
    pub system_machine: Spanned<String>,
    /// The boot disk of its nodes; `None`: as GKE has it.
    pub system_disk: Option<Size>,
    /// The most pods of a node whose pool does not say its own; `None`: as GKE has it.
    pub max_pods: Option<i64>,
    /// The service account of its nodes.
    pub node_identity: Option<Spanned<Ref<Identity>>>,
    /// The namespace of workloads outside of queues.
    pub namespace: String,
    /// What has a volume and a claim in each namespace.
    pub volumes: Vec<Spanned<Volume>>,
    /// Accounts of Kubernetes, `namespace/name`, and whom they act as.
    pub accounts: IndexMap<String, Spanned<Ref<Identity>>>,
    /// Who works in which namespace.
    pub teams: IndexMap<String, Team>,
    /// The priority of what names none.
    pub default_priority: Option<Spanned<String>>,
    /// What its Kueue does otherwise than its release.
    pub kueue: Option<Spanned<Kueue>>,
    /// Cohorts that are part of others.
    pub cohorts: IndexMap<String, Within>,
    /// Add-ons that it has besides those that something needs.
    pub addons: Vec<Addon>,
    /// The domain whose groups may be given rights.
    pub groups: Option<Spanned<String>>,
    /// Whose logs it keeps.
    pub logs: Spanned<Vec<Logged>>,
    /// What it measures besides.
    pub metrics: Vec<Measured>,
    /// Whether it measures GPUs.
    pub dcgm: Choice<Spanned<bool>>,
    /// Whether Google keeps what Prometheus would measure.
    pub prometheus: Spanned<bool>,
    /// What secrets are encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// What boot disks of nodes are encrypted with.
    pub disk_key: Option<Spanned<String>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

impl GkeCluster {
    /// Domains of the groups that work in it.
    pub fn group_domains(&self) -> BTreeSet<&str> {
        let members = self.teams.values().flat_map(|team| team.members());
        let of_teams =
            members.filter_map(|member| member.strip_prefix("group:")?.split('@').next_back());
        of_teams.chain(self.groups.iter().map(|domain| domain.value.as_str())).collect()
    }

    /// The cohorts that one is part of, itself first and the outermost last; each once, also where they go in a circle.
    pub fn cohorts_around<'a>(&'a self, cohort: &'a str) -> Vec<&'a str> {
        let mut around = vec![cohort];
        while let Some(Within::Within { cohort, .. }) =
            around.last().and_then(|inner| self.cohorts.get(*inner))
        {
            if around.contains(&cohort.as_str()) {
                break;
            }
            around.push(cohort);
        }
        around
    }
}

/// An add-on of GKE.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Addon {
    /// Backup for GKE.
    Backup,
    /// Config Connector.
    ConfigConnector,
    /// The driver of Filestore.
    Filestore,
    /// The driver of buckets.
    Gcsfuse,
    /// The driver of Managed Lustre.
    Lustre,
    /// The driver of Parallelstore.
    Parallelstore,
    /// The operator of Ray.
    Ray,
    /// What moves pods with disks at once.
    StatefulHa,
}

/// A part of a cluster that tells of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Logged {
    /// What GKE itself runs.
    System,
    /// Pods of people.
    Workloads,
    /// The API server.
    ApiServer,
    /// The scheduler.
    Scheduler,
    /// The controllers.
    ControllerManager,
}

impl Logged {
    /// As GKE calls it.
    pub fn component(self) -> &'static str {
        match self {
            Self::System => "SYSTEM_COMPONENTS",
            Self::Workloads => "WORKLOADS",
            Self::ApiServer => "APISERVER",
            Self::Scheduler => "SCHEDULER",
            Self::ControllerManager => "CONTROLLER_MANAGER",
        }
    }
}

/// A part of a control plane that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// The API server.
    ApiServer,
    /// The scheduler.
    Scheduler,
    /// The controllers.
    ControllerManager,
}

impl Measured {
    /// As GKE calls it.
    pub fn component(self) -> &'static str {
        match self {
            Self::ApiServer => Logged::ApiServer.component(),
            Self::Scheduler => Logged::Scheduler.component(),
            Self::ControllerManager => Logged::ControllerManager.component(),
        }
    }
}

/// The cohort that a cohort is part of.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// The one form.
    Within {
        /// Its name.
        cohort: String,
        /// The part of what is lent there that the inner one may use, beside others.
        weight: Option<i64>,
    },
}

/// What a volume may show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    /// A bucket, through Cloud Storage FUSE.
    Bucket(Ref<Bucket>),
    /// A filesystem.
    Filesystem(Ref<Filesystem>),
}

/// A node pool, or one node pool a slice.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Pool {
    /// The machine type.
    pub machine: Spanned<String>,
    /// GPUs that attach to it.
    pub gpus: Option<Spanned<Attached>>,
    /// Nodes in all.
    pub nodes: Spanned<Nodes>,
    /// The shape of one TPU slice.
    pub topology: Option<Spanned<Topology>>,
    /// Slices; each is a node pool of its own.
    pub slices: Spanned<i64>,
    /// Whether slices are joined and cut as workloads are admitted.
    pub slicing: Spanned<Slicing>,
    /// How the nodes are obtained.
    pub capacity: Spanned<Capacity>,
    /// Nodes close together.
    pub placement: Choice<Spanned<Placement>>,
    /// The zone.
    pub zone: Choice<Spanned<String>>,
    /// How GPUs are shared.
    pub sharing: Option<Spanned<Sharing>>,
    /// The GPU driver that GKE installs.
    pub driver: Driver,
    /// The size of the boot disk.
    pub disk: Size,
    /// The type of the boot disk.
    pub disk_type: Choice<Spanned<Disk>>,
    /// What the boot disk is encrypted with, where it is not the cluster's key.
    pub disk_key: Option<Spanned<String>>,
    /// What the local disks are for.
    pub local_ssd: Choice<Spanned<LocalSsd>>,
    /// How many there are, where that is chosen.
    pub local_ssds: Choice<Spanned<i64>>,
    /// Nodes come and go with the workloads.
    pub autoscale: Spanned<bool>,
    /// The most pods of one node.
    pub max_pods: Choice<Spanned<i64>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
    /// Interfaces of its pods besides the first, and the network of each, where someone else has named them.
    pub interfaces: Spanned<IndexMap<String, String>>,
    /// How its pods have them.
    pub rdma: Choice<Spanned<Rdma>>,
    /// Whether its nodes are on a second network.
    pub second_network: Spanned<bool>,
    /// Its name in the cloud.
    pub name: Choice<Spanned<String>>,
    /// Taints of its nodes besides those of their machines.
    pub taints: Vec<Spanned<NodeTaint>>,
    /// Whether containers start while their images are still read; left as it is where nothing says it.
    pub image_streaming: Option<Spanned<bool>>,
    /// Images of disks with container images on them.
    pub image_disks: Spanned<Vec<String>>,
    /// Who begins upgrades.
    pub upgrades: Choice<Spanned<Upgrades>>,
    /// How they are done.
    pub upgrade_by: Choice<Spanned<UpgradeBy>>,
    /// The version of its nodes.
    pub version: Option<Spanned<String>>,
    /// Whether nodes that are not well are made anew.
    pub repair: Choice<Spanned<bool>>,
    /// How often the machines under them are maintained.
    pub host_maintenance: Option<Spanned<HostMaintenance>>,
}

impl Pool {
    /// How its nodes are upgraded. Spare accelerators cannot be had for that, nor machines beside those of a reservation that the pool fills, so those
    /// go one by one; others are replaced in advance. Nodes that come for one run are never upgraded under it.
    pub fn upgraded_by(&self, of_cpus: bool) -> Option<UpgradeBy> {
        let capacity = &self.capacity.value;
        match self.upgrade_by.set().map(|it| it.value) {
            Some(said) => Some(said),
            None if capacity.is_lent() => None,
            None if of_cpus && capacity.reserved().is_none() => {
                Some(UpgradeBy::Surge { extra: 1, missing: 0 })
            }
            None => Some(UpgradeBy::Surge { extra: 0, missing: 1 }),
        }
    }
}

/// A taint that a blueprint puts on nodes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeTaint {
    /// The one form.
    Taint {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
        /// What it does.
        effect: NodeEffect,
    },
}

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeEffect {
    /// They are not put on the node.
    NoSchedule,
    /// They are put there where no other node has room.
    PreferNoSchedule,
    /// They leave.
    NoExecute,
}

impl NodeEffect {
    /// As the catalog has it.
    pub fn known(self) -> TaintEffect {
        match self {
            Self::NoSchedule => TaintEffect::NoSchedule,
            Self::PreferNoSchedule => TaintEffect::PreferNoSchedule,
            Self::NoExecute => TaintEffect::NoExecute,
        }
    }
}

/// How pods have the interfaces of a fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rdma {
    /// As devices that they claim.
    Claims,
}

/// What decides which slices a pool has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slicing {
    /// Its topology.
    Fixed,
    /// Workloads, as they are admitted.
    Dynamic,
}

/// How many nodes a pool has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nodes {
    /// What the topology asks for.
    Auto,
    /// So many.
    Int(i64),
    /// From so many to so many.
    Range(Range),
}

/// How nodes are obtained.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// Paid by use.
    OnDemand,
    /// Cheap, and taken away at any time.
    Spot,
    /// Bought before.
    Reservation {
        /// Which.
        name: Reserved,
        /// One block of it.
        block: Option<String>,
        /// The placement policy that it was made with.
        policy: Option<String>,
    },
    /// Bought before, whichever matches, and by use where none does.
    AnyReservation,
    /// As soon as there is stock, for `max` at most.
    FlexStart {
        /// The longest that nodes stay.
        max: Duration,
    },
    /// All nodes of a workload at once, through Kueue.
    Queued {
        /// The longest that nodes stay.
        max: Duration,
        /// What the check is called that asks for them.
        check: Option<String>,
        /// How often they are asked for again.
        retry: Option<Backoff>,
    },
    /// A reservation with a start and an end.
    Calendar {
        /// Which.
        name: Reserved,
    },
}

impl Capacity {
    /// The reservation that nodes are taken from, and the block of it.
    pub fn reserved(&self) -> Option<(&Reserved, Option<&str>)> {
        match self {
            Self::Reservation { name, block, policy: _ } => Some((name, block.as_deref())),
            Self::Calendar { name } => Some((name, None)),
            Self::OnDemand
            | Self::Spot
            | Self::AnyReservation
            | Self::FlexStart { .. }
            | Self::Queued { .. } => None,
        }
    }

    /// How long nodes stay that come for one run and go.
    pub fn lent_for(&self) -> Option<Duration> {
        match self {
            Self::FlexStart { max } | Self::Queued { max, .. } => Some(*max),
            Self::OnDemand
            | Self::Spot
            | Self::Reservation { .. }
            | Self::AnyReservation
            | Self::Calendar { .. } => None,
        }
    }

    /// Whether nodes come for one run and go: GKE must not repair them, since it cannot get them again.
    pub fn is_lent(&self) -> bool {
        self.lent_for().is_some()
    }
}

/// How often something that failed is tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// The one form.
    Backoff {
        /// How many times.
        limit: i64,
        /// How long after the first failure; twice as long each time.
        base: Duration,
        /// The longest of these.
        max: Duration,
    },
}

/// How nodes lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Close together.
    Compact,
    /// Anywhere.
    Spread,
}

/// How the GPUs of a node are shared out.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Cut in partitions.
    Mig {
        /// The partition, `1g.10gb`.
        profile: String,
    },
    /// Containers take turns.
    TimeShared {
        /// How many.
        clients: i64,
    },
}

/// The GPU driver that GKE installs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// GKE's default.
    Default,
    /// The newest that GKE has.
    Latest,
    /// None: one's own installer does it.
    None,
}

/// The type of a boot disk, by its API name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disk {
    /// `pd-standard`
    PdStandard,
    /// `pd-balanced`
    PdBalanced,
    /// `pd-ssd`
    PdSsd,
    /// `hyperdisk-balanced`
    HyperdiskBalanced,
}

impl Disk {
    /// All of them, what is usual first.
    pub const ALL: [Self; 4] =
        [Self::PdBalanced, Self::PdSsd, Self::PdStandard, Self::HyperdiskBalanced];

    /// The type that the API names so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|disk| disk.as_str() == name)
    }

    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PdStandard => "pd-standard",
            Self::PdBalanced => "pd-balanced",
            Self::PdSsd => "pd-ssd",
            Self::HyperdiskBalanced => "hyperdisk-balanced",
        }
    }
}

/// What local disks are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalSsd {
    /// Ephemeral storage of pods.
    Scratch,
    /// Block devices.
    Raw,
    /// Nothing.
    None,
}
