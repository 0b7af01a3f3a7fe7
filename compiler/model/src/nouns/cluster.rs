//! GKE clusters with their pools and queues, and Vertex AI.

use super::flavor::{Displace, Flavor, Step, Stop};
use super::{Attached, Bucket, Choice, Filesystem, Identity, Network, Ref, Team};
use crate::{Duration, NounId, Range, Size, Topology};
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
    /// Its name in the cloud.
    pub name: Choice<Spanned<String>>,
    /// The range of the control plane, where it has one of its own.
    pub control_plane: Option<Spanned<IpNet>>,
    /// Who may reach the addresses of the control plane.
    pub authorized: IndexMap<String, IpNet>,
    /// Whether the control plane has no public address.
    pub private_endpoint: bool,
    /// Whether the control plane is reached by a DNS name.
    pub dns_endpoint: Choice<bool>,
    /// How fast versions arrive.
    pub release: Release,
    /// The lowest version of the control plane.
    pub version: Option<Spanned<String>>,
    /// Whether Terraform refuses to destroy it.
    pub deletion_protection: bool,
    /// The machine of the system pool, where no pool of CPUs is declared.
    pub system_machine: Spanned<String>,
    /// The service account of its nodes.
    pub node_identity: Option<Spanned<Ref<Identity>>>,
    /// The namespace of workloads outside of queues.
    pub namespace: String,
    /// What has a volume and a claim in each namespace.
    pub volumes: Vec<Spanned<Volume>>,
    /// Who works in which namespace.
    pub teams: IndexMap<String, Team>,
    /// The priority of what names none.
    pub default_priority: Option<Spanned<String>>,
    /// What its Kueue does otherwise than its release.
    pub kueue: Option<Spanned<Kueue>>,
    /// Cohorts that are part of others.
    pub cohorts: IndexMap<String, Within>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

impl GkeCluster {
    /// Domains of the groups that work in it.
    pub fn group_domains(&self) -> BTreeSet<&str> {
        let members = self.teams.values().flat_map(|team| team.members());
        members.filter_map(|member| member.strip_prefix("group:")?.split('@').next_back()).collect()
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

/// What Kueue does in a cluster.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kueue {
    /// The one form.
    Kueue {
        /// When the pods of an admitted run have to be ready.
        ready_within: Option<Duration>,
        /// What is lent is shared by weights.
        fair_sharing: bool,
        /// What becomes of jobs that name no queue.
        unqueued_jobs: Unqueued,
        /// How long a finished run is known.
        keep_finished: Option<Duration>,
        /// The kinds of jobs that it looks at.
        integrations: Option<Vec<String>>,
        /// When it places pods by how far apart their nodes are.
        topology: Choice<Topologies>,
    },
}

/// When Kueue places pods by how far apart their nodes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topologies {
    /// Where a workload asks for it.
    Asked,
}

/// What becomes of jobs that name no queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unqueued {
    /// They run at once.
    Run,
    /// They wait for a queue.
    Wait,
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

/// GKE's release channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Newest first.
    Rapid,
    /// The middle way.
    Regular,
    /// Oldest first.
    Stable,
    /// Long support.
    Extended,
}

/// A node pool, or one node pool a slice.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Pool {
    /// The machine type.
    pub machine: Spanned<String>,
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
    /// What the local disks are for.
    pub local_ssd: Choice<Spanned<LocalSsd>>,
    /// Nodes come and go with the workloads.
    pub autoscale: Spanned<bool>,
    /// The most pods of one node.
    pub max_pods: Spanned<i64>,
    /// Labels.
    pub labels: IndexMap<String, String>,
    /// Interfaces of its pods besides the first, and the network of each, where someone else has named them.
    pub interfaces: Spanned<IndexMap<String, String>>,
    /// How its pods have them.
    pub rdma: Choice<Spanned<Rdma>>,
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
        /// Its name, or `projects/OWNER/reservations/NAME`.
        name: String,
        /// One block of it.
        block: Option<String>,
        /// The placement policy that it was made with.
        policy: Option<String>,
    },
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
        /// Its name.
        name: String,
    },
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

/// Whose place a workload takes in its own queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preemption {
    /// That of lower priorities, or nobody's.
    Bool(bool),
    /// That of lower priorities, and of the same one where those were submitted later.
    LowerOrNewer,
}

impl Preemption {
    /// Whether anybody has to give way.
    pub fn happens(self) -> bool {
        self != Self::Bool(false)
    }
}

/// Queues that lend each other what is idle.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cohort {
    /// All that is idle.
    String(String),
    /// So much of it.
    Cohort {
        /// Its name.
        name: String,
        /// GPUs or chips of its own that others may use.
        lend: Option<i64>,
        /// GPUs or chips of others that it may use.
        borrow: Option<i64>,
        /// Its part of what is lent, beside the others'.
        weight: Option<i64>,
        /// From whom it takes back what it lent.
        reclaim: Choice<Reclaim>,
        /// From whom it takes what it needs to borrow.
        displace: Displace,
    },
}

impl Cohort {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::String(name) | Self::Cohort { name, .. } => name,
        }
    }

    /// GPUs or chips of the queue's own that others may use, where that is said.
    pub fn lend(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { lend, .. } => *lend,
        }
    }

    /// GPUs or chips of others that the queue may use, where that is said.
    pub fn borrow(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { borrow, .. } => *borrow,
        }
    }

    /// The queue's part of what is lent, beside the others', where that is said.
    pub fn weight(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { weight, .. } => *weight,
        }
    }

    /// From whom the queue takes back what it lent, where that is said.
    pub fn reclaim(&self) -> Option<Reclaim> {
        match self {
            Self::String(_) => None,
            Self::Cohort { reclaim, .. } => reclaim.set().copied(),
        }
    }

    /// From whom the queue takes what it needs to borrow.
    pub fn displace(&self) -> &Displace {
        match self {
            Self::String(_) => &Displace::Bool(false),
            Self::Cohort { displace, .. } => displace,
        }
    }
}

/// From whom of its cohort a queue takes back what it lent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reclaim {
    /// Nobody.
    Never,
    /// Lower priorities.
    Lower,
    /// Any workload.
    Any,
}

/// A queue over pools.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Queue {
    /// Where its workloads may run, first choice first.
    pub pools: Vec<Spanned<Ref<Pool>>>,
    /// One for each team.
    pub namespaces: Vec<Spanned<String>>,
    /// GPUs or chips that it may hold at once.
    pub quota: Choice<Spanned<i64>>,
    /// The ClusterQueue's name.
    pub name: Choice<Spanned<String>>,
    /// The LocalQueues' name.
    pub local_name: Choice<Spanned<String>>,
    /// Those of single namespaces that are called otherwise.
    pub local_names: IndexMap<String, Vec<Spanned<String>>>,
    /// Labels of namespaces that it is open to.
    pub open_to: Option<IndexMap<String, String>>,
    /// What its pools are to Kueue.
    pub flavors: Vec<Spanned<Flavor>>,
    /// The cohort that it shares idle quota with.
    pub cohort: Option<Cohort>,
    /// Before what the next of its pools is tried.
    pub next_before: Vec<Step>,
    /// Whose place a workload takes in its own queue.
    pub preemption: Preemption,
    /// Weights of namespaces, or of single LocalQueues of them, by what they used of late.
    pub by_use: IndexMap<String, i64>,
    /// Nobody passes the first in line.
    pub strict: bool,
    /// It admits nothing more.
    pub stop: Option<Stop>,
    /// What a workload has to pass besides quota.
    pub checks: Vec<Spanned<Check>>,
    /// Queues of other clusters that run what it admits.
    pub workers: Vec<Spanned<Ref<Queue>>>,
    /// Priorities and their weights.
    pub priorities: IndexMap<String, i64>,
}

/// What a workload has to pass besides quota.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// One that is there.
    String(String),
    /// One that a controller performs.
    Check {
        /// Its name.
        name: String,
        /// Who performs it; without, it is there.
        controller: Option<String>,
        /// What tells how.
        parameters: Option<ObjectName>,
        /// The pools that it is for; none is all.
        pools: Vec<Ref<Pool>>,
    },
    /// A request for nodes.
    Provisioning {
        /// Its name.
        name: String,
        /// Who serves the request.
        class: String,
        /// What it is told.
        parameters: IndexMap<String, String>,
        /// How often it is made again.
        retry: Option<Backoff>,
        /// The pools that it is for; none is all.
        pools: Vec<Ref<Pool>>,
    },
}

impl Check {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::String(name) | Self::Check { name, .. } | Self::Provisioning { name, .. } => name,
        }
    }

    /// The pools that it is for; none is all.
    pub fn pools(&self) -> &[Ref<Pool>] {
        match self {
            Self::String(_) => &[],
            Self::Check { pools, .. } | Self::Provisioning { pools, .. } => pools,
        }
    }

    /// Whether it is made here.
    pub fn is_made(&self) -> bool {
        match self {
            Self::String(_) => false,
            Self::Check { controller, .. } => controller.is_some(),
            Self::Provisioning { .. } => true,
        }
    }

    /// Whether both are one check, whichever pools they are for.
    pub fn is_same(&self, other: &Self) -> bool {
        let everywhere = |it: &Self| match it.clone() {
            Self::Check { name, controller, parameters, pools: _ } => {
                Self::Check { name, controller, parameters, pools: Vec::new() }
            }
            Self::Provisioning { name, class, parameters, retry, pools: _ } => {
                Self::Provisioning { name, class, parameters, retry, pools: Vec::new() }
            }
            name => name,
        };
        everywhere(self) == everywhere(other)
    }
}

/// An object that nobody here makes.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectName {
    /// The one form.
    Object {
        /// The group of its API.
        group: String,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
}

impl Queue {
    /// Whether it is there for what it lends alone: no namespace has a door to it.
    pub fn is_lender(&self) -> bool {
        self.namespaces.is_empty() && self.open_to.is_none()
    }

    /// The weight of a LocalQueue by what it used of late.
    pub fn weight_of(&self, namespace: &str, local: &str) -> Option<i64> {
        let own = self.by_use.get(&format!("{namespace}/{local}"));
        own.or_else(|| self.by_use.get(namespace)).copied()
    }

    /// What is said of the flavor that a pool is of.
    pub fn flavor_of(&self, pool: NounId) -> Option<&Flavor> {
        self.flavors.iter().map(|it| &it.value).find(|flavor| flavor.has(pool))
    }
}

/// Vertex AI custom training.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct VertexCluster {
    /// Its region.
    pub region: Spanned<String>,
    /// The machine type of the workers.
    pub machine: Spanned<String>,
    /// GPUs that attach to it.
    pub gpus: Option<Spanned<Attached>>,
    /// How the machines are obtained.
    pub capacity: Spanned<Capacity>,
    /// The zone of a reservation.
    pub zone: Option<Spanned<String>>,
    /// Where jobs put what they make.
    pub staging: Option<Spanned<Ref<Bucket>>>,
    /// The folder of it below which each job has its own.
    pub staging_folder: Option<Spanned<String>>,
    /// A network that jobs are peered with.
    pub network: Option<String>,
    /// Ranges of it that machines take their addresses from.
    pub reserved_ranges: Vec<Spanned<String>>,
    /// A network attachment that jobs have an interface on.
    pub network_attachment: Option<Spanned<String>>,
    /// How long a job waits for machines that are lent.
    pub max_wait: Option<Spanned<Duration>>,
    /// Machines that are kept running for jobs.
    pub persistent_resource: Option<Spanned<String>>,
    /// A key that what jobs keep is encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// A TensorBoard that exists already.
    pub tensorboard: Option<Spanned<String>>,
    /// Whether a shell may be opened in their containers.
    pub web_access: bool,
    /// The size of the boot disk.
    pub disk: Size,
    /// The type of the boot disk.
    pub disk_type: Choice<Spanned<VertexDisk>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// The type of a boot disk on Vertex AI, by its API name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VertexDisk {
    /// `pd-ssd`
    PdSsd,
    /// `pd-standard`
    PdStandard,
    /// `hyperdisk-balanced`
    HyperdiskBalanced,
}

impl VertexDisk {
    /// All of them, what is usual first.
    pub const ALL: [Self; 3] = [Self::PdSsd, Self::PdStandard, Self::HyperdiskBalanced];

    /// The type that the API names so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|disk| disk.as_str() == name)
    }

    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PdSsd => "pd-ssd",
            Self::PdStandard => "pd-standard",
            Self::HyperdiskBalanced => "hyperdisk-balanced",
        }
    }
}
