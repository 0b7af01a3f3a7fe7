//! What follows from a blueprint and the catalog, derived once: rules check it, editors show it, targets spell it.
//!
//! [`Plan::new`] is total: a noun that could not be understood has no entry, and what the catalog does not know
//! stays `None`. Whether a plan makes sense is for rules to say; nothing here judges.

use crate::catalog::{Machine, Stack};
use crate::graph::Graph;
use crate::nouns::{
    Backoff, Body, Bucket, Countable, Disk, GkeCluster, Identity, Network, Pool, Ref, SlurmCluster,
    VertexDisk,
};
use crate::{Duration, Model, Noun, NounId, Placed, Size};
use ipnet::IpNet;
use of_nouns::OfNouns;
use slipform_source::Span;
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

mod amounts;
mod attached;
mod complete;
mod derive;
mod facts;
mod fit;
mod machines;
mod names;
mod of_nouns;
mod own;
mod pool;
mod queued;
mod quotas;
mod run;
mod sound;
mod yields;

pub use crate::nouns::Place;
pub use amounts::{Amounts, Resource};
pub use attached::{AttachedDisk, DiskKind};
pub use complete::Lack;
pub use derive::{Guest, Shared, Taken, WORKLOAD_IDENTITY_ROLE, host_list};
pub use facts::{Fact, Table, fact_of, facts, follows, is_own, read_as};
pub use fit::Misfit;
pub use machines::{ImageBuilder, MachineImagePlan, MachinesPlan, Maker, Slices, TpuType};
pub use names::{Limit, NameBudget, fitted, mark};
pub use own::Alone;
pub use pool::{NodePool, PlacementPlan, PoolPlan, SlicePlan, Taint};
pub use quotas::{Amount, EVERYWHERE, Quota, Quotas, Short, counted as counted_quotas};
pub(crate) use run::asked_on;
pub use run::{
    Awaits, Berth, CommandLine, Component, Cut, Door, Env, Fate, Fault, Gang, Gangs, GkeSite, Held,
    Hosted, Later, Launcher, Lost, Moment, MountPlan, Nearness, Piece, PodPlan, Program, Question,
    Reaction, Reducers, Removal, Root, Run, RunValue, SSH_PORT, Said, Server, SidecarPlan, Site,
    SlurmSite, Source, Started, Then, Together, Until, Variable, VertexSite, Word,
};
use run::{is_below, slip};
pub use sound::{Any, Boot, Derived, Gap, Named, Planned, Sound};
pub use yields::Because;

/// A blueprint with everything that follows from it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the blueprint says.
    pub model: Model,
    /// Who refers to whom, and the order of making them.
    pub graph: Graph,
    networks: BTreeMap<NounId, NetworkPlan>,
    clusters: BTreeMap<NounId, ClusterPlan>,
    pools: BTreeMap<NounId, PoolPlan>,
    slurm_clusters: BTreeMap<NounId, SlurmPlan>,
    partitions: BTreeMap<NounId, PartitionPlan>,
    machines: BTreeMap<NounId, MachinesPlan>,
    queues: BTreeMap<NounId, QueuePlan>,
    vertex_clusters: BTreeMap<NounId, VertexPlan>,
    short_of_quota: BTreeMap<NounId, Vec<Short>>,
    workloads: OfNouns<Box<Run>>,
    /// The workloads of which nodes may stand on each pool.
    on_pools: BTreeMap<NounId, Vec<NounId>>,
    programs: OfNouns<Arc<Program>>,
    command_lines: OfNouns<Box<CommandLine>>,
    handed_on: Vec<(Later, Span)>,
    images: BTreeMap<NounId, String>,
    machine_images: BTreeMap<NounId, MachineImagePlan>,
    names: BTreeMap<NounId, String>,
    clashes: BTreeMap<NounId, NounId>,
    shared_folders: facts::SharedFolders,
    asked_together: BTreeMap<NounId, i64>,
    /// The clusters whose pods Kueue places, and whether by more than node pools tell.
    placed: BTreeMap<NounId, bool>,
    specs: BTreeMap<NounId, facts::Spec>,
    children: BTreeMap<NounId, Vec<NounId>>,
    outputs: Vec<(String, Placed)>,
}

macro_rules! lookups {
    ($($(#[$doc:meta])* $name:ident: $field:ident -> $plan:ty;)*) => {
        impl Plan {
            $(
                $(#[$doc])*
                pub fn $name(&self, id: impl Into<NounId>) -> Option<&$plan> {
                    self.$field.get(&id.into()).map(Borrow::<$plan>::borrow)
                }

                #[doc = concat!("What [`Plan::", stringify!($name), "`] says of one, with its noun, of all in the order of the blueprint.")]
                pub fn $field(&self) -> impl Iterator<Item = (NounId, &$plan)> {
                    self.$field
                        .iter()
                        .map(|(id, plan)| (*Borrow::<NounId>::borrow(&id), Borrow::<$plan>::borrow(plan)))
                }
            )*
        }
    };
}

impl Plan {
    /// Whether someone else made a noun: it says so itself, or it is a part of something that does.
    pub(crate) fn is_there(&self, noun: &Noun) -> bool {
        let part = matches!(noun.body, Body::Pool(_) | Body::Partition(_));
        let above = noun.parent.filter(|_| part).and_then(|parent| self.model.get(parent));
        noun.existing || above.is_some_and(|above| above.existing)
    }

    /// The workloads of which nodes may stand on a pool, those of their groups included, in the order of the blueprint.
    pub fn runs_on(&self, pool: NounId) -> impl Iterator<Item = (NounId, &Run)> {
        let runs = self.on_pools.get(&pool).into_iter().flatten();
        runs.filter_map(|id| Some((*id, self.workload(*id)?)))
    }

    /// The first noun that is made under the same name in the same place as this later one: one of the two would
    /// take the other's place.
    pub fn name_clash(&self, id: NounId) -> Option<NounId> {
        self.clashes.get(&id).copied()
    }

    /// The address of an identity's service account; none without a project.
    pub fn email(&self, identity: impl Into<NounId>) -> Option<String> {
        Alone::of(self, identity.into())?.email()
    }

    /// The project that a noun is of: what exists may be of another one than all that is made.
    pub fn owner(&self, noun: impl Into<NounId>) -> Option<&str> {
        Alone::of(self, noun.into())?.owner()
    }

    /// Which GKE cluster a noun is, in words: `a3m in us-east4 of my-project`.
    pub fn whereabouts(&self, cluster: impl Into<NounId>) -> Option<String> {
        let id = cluster.into();
        let ClusterPlan { name, location, .. } = self.cluster(id)?;
        let of = self.owner(id).map_or_else(String::new, |owner| format!(" of {owner}"));
        Some(format!("{name} in {location}{of}"))
    }

    /// The address of a service account of the project.
    pub fn email_of(&self, account: &str) -> Option<String> {
        derive::account_address(self.model.project.as_deref(), account)
    }

    /// With what the blueprint gives out: `output name = value`, in order. Outputs read what the rest of the plan says.
    pub fn giving(self, outputs: Vec<(String, Placed)>) -> Self {
        Self { outputs, ..self }
    }

    /// What the blueprint gives out: `output name = value`, in order.
    pub fn outputs(&self) -> &[(String, Placed)] {
        &self.outputs
    }

    /// The nouns declared inside another, in the order of the blueprint.
    pub fn children(&self, id: impl Into<NounId>) -> &[NounId] {
        self.children.get(&id.into()).map_or(&[], Vec::as_slice)
    }
}

lookups! {
    /// What follows for a network.
    network: networks -> NetworkPlan;
    /// What follows for a GKE cluster.
    cluster: clusters -> ClusterPlan;
    /// What follows for a pool.
    pool: pools -> PoolPlan;
    /// What follows for a Slurm cluster.
    slurm: slurm_clusters -> SlurmPlan;
    /// What follows for a partition.
    partition: partitions -> PartitionPlan;
    /// What follows for plain machines.
    machines_plan: machines -> MachinesPlan;
    /// What follows for a queue.
    queue: queues -> QueuePlan;
    /// What follows for Vertex AI.
    vertex: vertex_clusters -> VertexPlan;
    /// What follows for a workload.
    workload: workloads -> Run;
    /// What a workload, or a group of one, starts.
    program: programs -> Arc<Program>;
    /// What the launcher and the command of a workload, or of a group of one, start and set.
    command_line: command_lines -> Box<CommandLine>;
    /// What containers name to get an image: `REGION-docker.pkg.dev/PROJECT/REPOSITORY/NAME:TAG`, or `from` itself
    /// where nothing is built.
    image: images -> String;
    /// What follows for an image of machines.
    machine_image: machine_images -> MachineImagePlan;
    /// What a noun is called where it is made: a network, bucket, repository, service account, cluster, partition,
    /// queue, filesystem, dashboard, workload or group. A pool has several names, see [`PoolPlan::node_pools`].
    name: names -> String;
}

/// A network's names in the cloud.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkPlan {
    /// The VPC.
    pub name: String,
    /// Its subnet.
    pub subnet: String,
    /// The secondary range of pods.
    pub pods: String,
    /// The secondary range of services.
    pub services: String,
}

/// The nodes that a cluster gets for what it runs itself.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemPool {
    /// Their machine type.
    pub machine: Machine,
    /// How few and how many the autoscaler keeps.
    pub nodes: (i64, i64),
}

/// A GKE cluster as it will be.
#[derive(Clone, PartialEq, Debug)]
pub struct ClusterPlan {
    /// Its name in the cloud.
    pub name: String,
    /// Region or zone of the control plane.
    pub location: String,
    /// Its region.
    pub region: String,
    /// kubectl reaches the control plane by its DNS name.
    pub dns_endpoint: bool,
    /// The release of Kueue that its queues are written for.
    pub kueue: crate::catalog::Component,
    /// Classes of devices that pods claim, by what quotas call them; none where its Kueue does not count them. It admits nothing that
    /// claims a class which is not among them.
    pub device_classes: BTreeMap<String, BTreeSet<String>>,
    /// The pool that is made for what the cluster runs itself, where none that is declared has nodes for it.
    pub system: Option<SystemPool>,
    /// The networks of the accelerators, in the order of the interfaces; shared by all pools that need them.
    pub data_networks: Vec<DataNetwork>,
    /// Storage drivers that mounts need.
    pub gcsfuse: bool,
    /// Filestore's driver.
    pub filestore: bool,
    /// Lustre's driver.
    pub lustre: bool,
    /// What has a volume and a claim in each of its namespaces.
    pub volumes: Vec<Source>,
    /// Memory of nodes for checkpoints, by pool.
    pub checkpoints: Vec<Checkpoints>,
    /// Namespaces that workloads and queues use, sorted; without `default`.
    pub namespaces: Vec<String>,
    /// Kubernetes service accounts bound to identities: (namespace, service account, identity), sorted.
    pub accounts: Vec<(String, String, Ref<Identity>)>,
}

/// Memory of the nodes of a pool for checkpoints.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoints {
    /// The pool.
    pub pool: Ref<Pool>,
    /// The bucket that they are kept in.
    pub bucket: Ref<Bucket>,
    /// Its name in the cloud.
    pub name: String,
    /// How much of each node.
    pub memory: Size,
}

/// One network of the accelerators: a VPC with a subnet, or a subnet of a shared RDMA VPC.
#[derive(Clone, PartialEq, Debug)]
pub struct DataNetwork {
    /// The name of the Kubernetes `Network` object: `vpc1`, `gvnic-1`, `rdma-0`.
    pub object: String,
    /// The VPC's name.
    pub vpc: String,
    /// The subnet's name.
    pub subnet: String,
    /// The subnet's range; none where the network has no room for its nodes.
    pub range: Option<IpNet>,
    /// Nodes that are on it, at most.
    pub nodes: i64,
    /// The largest packet, in bytes.
    pub mtu: i64,
    /// The interface in a pod: `eth1`.
    pub interface: String,
    /// RDMA instead of TCP: several of them share one VPC, which has a network profile and no firewall rules.
    pub rdma: bool,
    /// The network profile of the VPC, `ZONE-vpc-roce`.
    pub profile: Option<String>,
}

/// A Slurm cluster as it will be.
#[derive(Clone, PartialEq, Debug)]
pub struct SlurmPlan {
    /// Where it is made on Google Cloud.
    pub cloud: Option<SlurmCloud>,
    /// How Slurm sees the distances between its hosts, where these are one's own.
    pub topology: SlurmTopology,
}

/// How Slurm sees the distances between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlurmTopology {
    /// Switches, under which nodes are.
    Tree,
    /// Blocks of nodes, the smallest of so many.
    Blocks(i64),
    /// Switches in some partitions, blocks in others.
    ByPartition,
}

/// A Slurm cluster on Google Cloud, as Cluster Toolkit makes it.
#[derive(Clone, PartialEq, Debug)]
pub struct SlurmCloud {
    /// The network of its nodes.
    pub network: Ref<Network>,
    /// Where its nodes are.
    pub zone: String,
    /// The region of that zone.
    pub region: String,
    /// The networks of the accelerators; shared by all partitions that need them.
    pub data_networks: Vec<DataNetwork>,
    /// What all hosts mount, by the folder.
    pub mounts: Vec<(String, Source)>,
    /// The disks of its servers.
    pub disks: ServerDisks,
}

/// The types of disks of a cluster's servers, which their machines can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerDisks {
    /// What the controller boots from.
    pub controller: Disk,
    /// Where it keeps what it knows of jobs.
    pub state: Disk,
    /// What the machines boot from that people submit from.
    pub login: Disk,
}

/// The nodes of a partition on Google Cloud.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSet {
    /// What Cluster Toolkit calls it, a part of the names of its nodes.
    pub name: String,
    /// Nodes that are always there, and those that there may be.
    pub nodes: (i64, i64),
    /// They are put close together.
    pub close: bool,
    /// The type of the boot disk.
    pub disk: Disk,
    /// What they are taken from: a reservation with its block, or one with a start and an end.
    pub reservation: Option<String>,
    /// How Cloud TPU is asked for a slice of them; none of machines without TPUs, and where Cluster Toolkit has no word for the slice.
    pub tpu: Option<TpuType>,
    /// Their data networks, in the order of the interfaces.
    pub networks: Vec<DataNetwork>,
}

/// A partition as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct PartitionPlan {
    /// Its cluster.
    pub cluster: Ref<SlurmCluster>,
    /// The facts of its machine.
    pub machine: Machine,
    /// Driver, plugin and daemon for its fabric.
    pub stack: Option<Stack>,
    /// Its nodes as a host list.
    pub hosts: String,
    /// Its nodes one by one, in order.
    pub host_names: Vec<String>,
    /// Leaf switches: a name and the hosts under it.
    pub switches: Vec<(String, Vec<String>)>,
    /// Blocks, where its cluster sees them: a name and the hosts in it.
    pub blocks: Vec<(String, Vec<String>)>,
    /// Nodes of a block that jobs may ask for parts of.
    pub segments: Option<i64>,
    /// Nodes of the largest part that a job may ask for, where the release refuses larger ones: those of the smallest block of its cluster.
    pub longest_segment: Option<i64>,
    /// GPUs of one node.
    pub gpus: i64,
    /// One slice of its TPUs.
    pub slice: Option<SlicePlan>,
    /// What one node has for jobs, as far as it is known; nothing where its processors or its memory are not.
    pub node: Option<Amounts>,
    /// The GPU as Slurm types it (`h100`), lower case letters and digits.
    pub gpu_type: Option<String>,
    /// Its nodes, where they are made on Google Cloud.
    pub set: Option<NodeSet>,
}

impl PartitionPlan {
    /// GPUs of one node, or chips of TPUs.
    pub fn devices(&self) -> i64 {
        self.machine.tpu.as_ref().map_or(self.gpus, |tpu| i64::from(tpu.chips))
    }
}

/// A queue as it will be.
#[derive(Clone, PartialEq, Debug)]
pub struct QueuePlan {
    /// Its cluster.
    pub cluster: Ref<GkeCluster>,
    /// The ClusterQueue's name.
    pub name: String,
    /// The LocalQueue's name in every namespace that does not call it otherwise.
    pub local: String,
    /// The LocalQueues of each of its namespaces, first the one that workloads name.
    pub doors: Vec<(String, Vec<String>)>,
    /// One flavor a pool, first choice first; behind them the pools that only groups of its workloads run on.
    pub flavors: Vec<Flavor>,
    /// GPUs or chips of its `quota` that no pool has left for it.
    pub undealt: i64,
    /// What its pools do not have of what it says of a flavor.
    pub overdrawn: Option<Overdraft>,
    /// The cohort around it that is in no other: its queues lend each other what is idle.
    pub cohort: Option<String>,
    /// What it counts of each flavor besides the devices of nodes and what every node has, by the flavor's name.
    pub counts: BTreeMap<String, BTreeMap<String, Counts>>,
    /// Where it hands on, what the objects are called by which it does.
    pub handing: Option<Handing>,
}

/// By what a queue hands on to others, and how much it holds of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handing {
    /// The check that hands on, and what tells it where to.
    pub check: String,
    /// The flavor of what the others hold: that of all queues of the cluster with the same levels.
    pub flavor: String,
    /// The levels of all the others, where each of them places pods.
    pub levels: Option<Levels>,
    /// What all the others hold together.
    pub quota: Amounts,
    /// Of that the devices of each sort, as Kubernetes calls them.
    pub devices: BTreeMap<String, i64>,
    /// What others of its cohort may use of it, where it is not all.
    pub lends: Option<Amounts>,
    /// What the queue may use of theirs, where it is not all that they lend.
    pub borrows: Option<Amounts>,
}

/// What a queue counts of a flavor under one name, besides the devices of nodes and what every node has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// What it may hold of it.
    pub held: Countable,
    /// What others may use of that, where it is not all.
    pub lends: Option<Countable>,
    /// What it may use of others', where it is not all that they lend.
    pub borrows: Option<Countable>,
    /// These are devices that pods on the queue's pools claim.
    pub claimed: bool,
}

impl QueuePlan {
    /// What workloads of a namespace name.
    pub fn local_in(&self, namespace: &str) -> &str {
        let own = self.doors.iter().find(|(name, _)| name == namespace);
        own.and_then(|(_, names)| names.first()).unwrap_or(&self.local)
    }

    /// What it counts of the flavor of a pool besides the devices of nodes and what every node has.
    pub fn counts_of(&self, pool: NounId) -> Option<&BTreeMap<String, Counts>> {
        let flavor = self.flavors.iter().find(|it| it.pool == pool)?;
        self.counts.get(&flavor.name)
    }

    /// What the queue may hold of a flavor in all, over all its pools, with what others of its cohort lend.
    pub fn lendable(&self, flavor: &Flavor) -> Amounts {
        let same = self.flavors.iter().filter(|it| it.name == flavor.name);
        same.fold(Amounts::NONE, |all, it| all.plus(it.lendable))
    }
}

/// More than there is of what is said of a flavor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdraft {
    /// A pool of it.
    pub pool: NounId,
    /// What is said.
    pub asked: Amounts,
    /// What there is of that.
    pub has: Amounts,
}

/// What tells how far apart nodes are, for Kueue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels {
    /// The name of its `Topology`, the same for all pools alike.
    pub name: String,
    /// Labels of nodes, widest first.
    pub labels: Vec<String>,
}

/// A flavor of a queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Flavor {
    /// Its name.
    pub name: String,
    /// The pool that it stands for.
    pub pool: Ref<Pool>,
    /// The levels at which Kueue places pods on its nodes, where a workload of the cluster asks for that.
    pub levels: Option<Levels>,
    /// What the queue may hold of it.
    pub quota: Amounts,
    /// What the queue may hold of it in all, with what others of its cohort lend.
    pub lendable: Amounts,
    /// What others may use of the queue's own, where it is not all.
    pub lends: Option<Amounts>,
    /// What the queue may use of others', where it is not all that they lend.
    pub borrows: Option<Amounts>,
    /// Nodes are asked for through the Dynamic Workload Scheduler.
    pub queued: Option<Queued>,
}

/// How nodes are asked for through the Dynamic Workload Scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// For so long at most.
    pub max: Duration,
    /// The AdmissionCheck that asks.
    pub check: String,
    /// How often it asks again, where the blueprint says so.
    pub retry: Option<Backoff>,
}

/// Vertex AI machines as they will be.
#[derive(Clone, PartialEq, Debug)]
pub struct VertexPlan {
    /// The facts of the machine.
    pub machine: Machine,
    /// Driver and plugin for its fabric.
    pub stack: Option<Stack>,
    /// The type of the boot disk.
    pub disk: VertexDisk,
    /// GPUs of one machine.
    pub gpus: i64,
    /// Slices that Vertex AI makes of it; none of machines without TPUs.
    pub slices: Vec<SlicePlan>,
    /// How many of the GPUs that attach to it Vertex AI takes.
    pub attachable: Vec<i64>,
}

impl VertexPlan {
    /// The slice with so many nodes.
    pub fn slice(&self, nodes: i64) -> Option<&SlicePlan> {
        self.slices.iter().find(|slice| slice.hosts == nodes)
    }
}

/// Which nodes pods may run on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// Pools that fit, first choice first.
    pub pools: Vec<Ref<Pool>>,
    /// Labels that all of their nodes have: most gangs of a pool share those of the pool.
    pub labels: Arc<BTreeMap<String, String>>,
    /// Labels of other pools of the queue that the labels alone do not keep out: keys with the values to stay away from.
    pub barred: BTreeMap<String, BTreeSet<String>>,
    /// Labels that nodes have if such nodes are free.
    pub preferred: BTreeMap<String, String>,
    /// Taints that all of their nodes have; those of one pool alone come with the flavor that leads there.
    pub tolerated: Vec<Taint>,
}

impl Selection {
    /// Whether pods may run on this pool.
    pub(crate) fn has(&self, pool: NounId) -> bool {
        self.ids().any(|id| id == pool)
    }

    /// The pools that fit, first choice first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NounId> {
        self.pools.iter().map(|pool| pool.id())
    }
}
