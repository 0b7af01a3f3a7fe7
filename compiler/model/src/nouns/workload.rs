//! Training runs and the groups of nodes that they are made of.

use super::{
    After, Awaited, Choice, Closeness, Dashboard, Identity, Image, ModelShape, ModelUpload, Mount,
    OfBatch, Place, Probe, Queue, Rare, Reaction, ReductionServer, Ref, Success, Tuning,
};
use crate::{Deferred, Duration, Size, Topology};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// Writes a struct of the language's with the fields that equal nodes have, whether a workload's own or a group's.
macro_rules! of_nodes {
    (
        $(#[$about:meta])*
        pub struct $Name:ident { $($(#[$doc:meta])* pub $field:ident: $Type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Deserialize)]
        pub struct $Name {
            /// Where it runs: a pool, a partition, or a cluster on Vertex AI.
            pub place: Spanned<Place>,
            /// What its containers are made from.
            pub image: Spanned<ImageUse>,
            /// Nodes.
            pub nodes: Choice<Spanned<i64>>,
            /// TPU slices.
            pub slices: Spanned<i64>,
            /// How its processes start.
            pub launch: Spanned<Launch>,
            /// What its processes see of storage.
            pub mounts: Vec<Spanned<Mount>>,
            /// Environment variables.
            pub env: IndexMap<String, Spanned<EnvValue>>,
            /// Who its processes are.
            pub identity: Option<Spanned<Ref<Identity>>>,
            /// Commands of each node before its processes.
            pub setup: Rare<Vec<Spanned<Vec<Argument>>>>,
            /// Whether each node looks at its GPUs first.
            pub gpu_check: Spanned<bool>,
            /// Commands of each node after its processes.
            pub cleanup: Rare<Vec<Spanned<Vec<Argument>>>>,
            /// Processes of each node.
            pub processes: Choice<Spanned<i64>>,
            /// GPUs that it has of each node.
            pub accelerators: Choice<Spanned<i64>>,
            /// Processors that it asks of each node.
            pub cpus: Choice<Spanned<i64>>,
            /// Memory that it asks of each node.
            pub memory: Choice<Spanned<Size>>,
            /// Where the first process listens for the others.
            pub port: i64,
            /// Memory shared between the processes of a node.
            pub shared_memory: Choice<Spanned<Size>>,
            /// The folder that its processes start in.
            pub workdir: Option<String>,
            /// Whether the machine's fabric is used.
            pub fabric: Choice<FabricUse>,
            /// What it is called among the groups.
            pub role: Choice<Spanned<String>>,
            /// Python packages that the image installs and starts a module of.
            pub packages: Rare<Vec<Spanned<String>>>,
            /// Whether its containers may do on their nodes whatever root may.
            pub privileged: bool,
            /// Linux capabilities of its containers besides the usual ones.
            pub capabilities: Rare<Vec<String>>,
            /// Whether its pods are on the network of their nodes.
            pub host_network: Choice<bool>,
            /// Ports that its containers listen on, by name.
            pub ports: Rare<IndexMap<String, i64>>,
            /// A Kubernetes service account that is there.
            pub account: Option<Spanned<String>>,
            /// The longest that one of its pods may run.
            pub deadline: Option<Box<Spanned<Duration>>>,
            /// What its container is called.
            pub container: Choice<Spanned<String>>,
            /// What it waits for.
            pub after: Rare<Vec<Spanned<After>>>,
            /// When it is ready for those that wait for it.
            pub ready_when: Option<Box<Spanned<Probe>>>,
            /// How often one of its nodes starts again by itself.
            pub retries: i64,
            /// The label of nodes that tells domains apart.
            pub domain: Option<Box<Spanned<String>>>,
            /// How close together its nodes are.
            pub topology: Option<Box<Spanned<Closeness>>>,
            /// The shape of each of its slices.
            pub shape: Option<Box<Spanned<Topology>>>,
            /// Containers beside its own on each node.
            pub sidecars: Rare<Vec<Spanned<Sidecar>>>,
            $($(#[$doc])* pub $field: $Type,)*
        }

        impl $Name {
            /// What it says of its nodes.
            pub fn own(&self) -> OfNodes<'_> {
                OfNodes {
                    place: &self.place,
                    image: &self.image,
                    nodes: self.nodes.set().map(|nodes| nodes.value),
                    slices: self.slices.value,
                    launch: &self.launch,
                    mounts: &self.mounts,
                    env: &self.env,
                    identity: self.identity.map(|identity| identity.value),
                    setup: &self.setup,
                    gpu_check: self.gpu_check.value,
                    cleanup: &self.cleanup,
                    processes: self.processes.set().map(|processes| processes.value),
                    accelerators: self.accelerators.set().map(|gpus| gpus.value),
                    cpus: self.cpus.set().map(|cpus| cpus.value),
                    memory: self.memory.set().map(|memory| memory.value),
                    port: self.port,
                    shared_memory: self.shared_memory.set().map(|size| size.value),
                    workdir: self.workdir.as_deref(),
                    fabric: self.fabric,
                    role: self.role.set().map(|role| role.value.as_str()),
                    packages: &self.packages,
                    privileged: self.privileged,
                    capabilities: &self.capabilities,
                    host_network: self.host_network.set().copied(),
                    ports: &self.ports,
                    account: self.account.as_ref(),
                    deadline: self.deadline.as_ref().map(|deadline| deadline.value),
                    container: self.container.set().map(|name| name.value.as_str()),
                    after: &self.after,
                    ready_when: self.ready_when.as_deref(),
                    retries: self.retries,
                    domain: self.domain.as_deref(),
                    topology: self.topology.as_ref().map(|topology| &topology.value),
                    shape: self.shape.as_ref().map(|shape| &shape.value),
                    sidecars: &self.sidecars,
                }
            }
        }
    };
}

/// What equal nodes are said to be and to do: the fields that a workload and a group have in common.
#[derive(Clone, Copy, Debug)]
pub struct OfNodes<'a> {
    /// Where they are.
    pub place: &'a Spanned<Place>,
    /// What their containers are made from.
    pub image: &'a Spanned<ImageUse>,
    /// How many there are, where that is said.
    pub nodes: Option<i64>,
    /// TPU slices.
    pub slices: i64,
    /// How their processes start.
    pub launch: &'a Spanned<Launch>,
    /// What their processes see of storage.
    pub mounts: &'a [Spanned<Mount>],
    /// Environment variables.
    pub env: &'a IndexMap<String, Spanned<EnvValue>>,
    /// Who their processes are.
    pub identity: Option<Ref<Identity>>,
    /// Commands of each node before its processes.
    pub setup: &'a [Spanned<Vec<Argument>>],
    /// Whether each node looks at its GPUs first.
    pub gpu_check: bool,
    /// Commands of each node after its processes.
    pub cleanup: &'a [Spanned<Vec<Argument>>],
    /// Processes of each node, where that is said.
    pub processes: Option<i64>,
    /// GPUs that each node is asked for, where that is said.
    pub accelerators: Option<i64>,
    /// Processors that each node is asked for.
    pub cpus: Option<i64>,
    /// Memory that each node is asked for.
    pub memory: Option<Size>,
    /// Where the first process listens for the others.
    pub port: i64,
    /// Memory shared between the processes of a node.
    pub shared_memory: Option<Size>,
    /// The folder that their processes start in.
    pub workdir: Option<&'a str>,
    /// Whether the machine's fabric is used.
    pub fabric: Choice<FabricUse>,
    /// What they are called among the groups.
    pub role: Option<&'a str>,
    /// Python packages that the image installs and starts a module of.
    pub packages: &'a [Spanned<String>],
    /// Whether its containers may do on their nodes whatever root may.
    pub privileged: bool,
    /// Linux capabilities of its containers besides the usual ones.
    pub capabilities: &'a [String],
    /// Whether its pods are on the network of their nodes.
    pub host_network: Option<bool>,
    /// Ports that its containers listen on, by name.
    pub ports: &'a IndexMap<String, i64>,
    /// A Kubernetes service account that is there.
    pub account: Option<&'a Spanned<String>>,
    /// The longest that one of its pods may run.
    pub deadline: Option<Duration>,
    /// What its container is called.
    pub container: Option<&'a str>,
    /// What they wait for.
    pub after: &'a [Spanned<After>],
    /// When they are ready for those that wait for them.
    pub ready_when: Option<&'a Spanned<Probe>>,
    /// How often one of them starts again by itself.
    pub retries: i64,
    /// The label of nodes that tells domains apart.
    pub domain: Option<&'a Spanned<String>>,
    /// How close together they are.
    pub topology: Option<&'a Closeness>,
    /// The shape of each of their slices, where that is said.
    pub shape: Option<&'a Topology>,
    /// Containers beside their own.
    pub sidecars: &'a [Spanned<Sidecar>],
}

of_nodes! {
    /// A training run, and what it says of its own nodes.
    pub struct Workload {
        /// How the model is cut up.
        pub parallel: Spanned<Parallel>,
        /// The model that it trains.
        pub model: Option<Box<Spanned<ModelShape>>>,
        /// How often the gang starts again.
        pub restarts: Spanned<i64>,
        /// The longest that it may run.
        pub max_run: Option<Spanned<Duration>>,
        /// Whether it tries its place before others rest on it.
        pub test: bool,
        /// How long before its end it is warned.
        pub grace: Choice<Spanned<Duration>>,
        /// The queue that admits it.
        pub queue: Choice<Spanned<Ref<Queue>>>,
        /// The team's namespace.
        pub namespace: Choice<Spanned<String>>,
        /// One of the priorities of its queue.
        pub priority: Option<Spanned<String>>,
        /// Where its metrics are shown.
        pub dashboard: Option<Spanned<Ref<Dashboard>>>,
        /// Its name where it runs.
        pub name: Choice<Spanned<String>>,
        /// Secrets that its images are pulled with.
        pub pull_secrets: Rare<Vec<Spanned<String>>>,
        /// How long it stays after its end.
        pub ttl: Option<Spanned<Duration>>,
        /// Nodes that it keeps away from.
        pub avoid_nodes: Rare<Vec<Spanned<String>>>,
        /// Labels that its own nodes have.
        pub only_nodes: Rare<IndexMap<String, String>>,
        /// Labels that its own nodes have if they can.
        pub prefer_nodes: Rare<IndexMap<String, String>>,
        /// Labels.
        pub labels: Rare<IndexMap<String, String>>,
        /// When it has succeeded.
        pub success: Success,
        /// What a failure means.
        pub on_failure: Rare<Vec<Spanned<Reaction>>>,
        /// The nodes whose first one the others are told of.
        pub coordinator: Option<Spanned<Awaited>>,
        /// Whether its nodes find each other by name.
        pub host_names: bool,
        /// What people see it called on Vertex AI.
        pub title: Choice<Spanned<String>>,
        /// How the parameters of its program are found.
        pub tuning: Option<Box<Spanned<Tuning>>>,
        /// Machines that add up gradients on their way.
        pub reduction_server: Option<Box<Spanned<ReductionServer>>>,
        /// The model that Vertex AI keeps of it.
        pub upload: Option<Box<Spanned<ModelUpload>>>,
        /// What it says as a batch job of Slurm.
        pub batch: Spanned<OfBatch>,
    }
}

of_nodes! {
    /// Equal nodes of a workload besides its own.
    pub struct Group {
        /// Whether the run is over only when it is, and fails when it does.
        pub decides: bool,
        /// Which of the pods that share nodes go first.
        pub priority: Option<Spanned<String>>,
        /// What it is to a job of Vertex AI.
        pub part: Choice<Spanned<GroupPart>>,
    }
}

/// What a group is to a job of Vertex AI besides its primary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupPart {
    /// The primary's own kind.
    Workers,
    /// Of parameters, or of reductions.
    Servers,
    /// They judge what the others make.
    Evaluators,
}

impl GroupPart {
    /// All of them, in the order of a job's worker pools.
    pub const ALL: [Self; 3] = [Self::Workers, Self::Servers, Self::Evaluators];
}

/// A container beside those of a group.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sidecar {
    /// The one form.
    Sidecar {
        /// What it is called.
        name: String,
        /// What it is made from.
        image: Spanned<Pulled>,
        /// Its command; the image's own entry point where there is none.
        argv: Vec<Argument>,
        /// Arguments behind it.
        args: Vec<Argument>,
        /// Environment variables.
        env: IndexMap<String, Spanned<EnvValue>>,
        /// Processors that it asks for.
        cpus: i64,
        /// Memory that it asks for.
        memory: Size,
        /// Where it listens.
        port: Option<i64>,
    },
}

/// A choice against the machine's fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FabricUse {
    /// Plain TCP.
    Off,
}

/// An image of the blueprint, or any other by its reference.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageUse {
    /// An image of the blueprint.
    Image(Ref<Image>),
    /// `nvcr.io/nvidia/nemo:24.07`
    String(String),
    /// A file that containers start from as it is.
    Squashfs {
        /// Where it is.
        path: String,
        /// What it is made of where it is not there.
        from: Option<Spanned<Pulled>>,
    },
    /// None: programs are those of the nodes.
    NoContainer,
}

impl From<Pulled> for ImageUse {
    fn from(image: Pulled) -> Self {
        match image {
            Pulled::Image(image) => Self::Image(image),
            Pulled::String(reference) => Self::String(reference),
        }
    }
}

impl ImageUse {
    /// The image of the blueprint that is behind it.
    pub fn noun(&self) -> Option<Ref<Image>> {
        match self {
            Self::Image(image) => Some(*image),
            Self::Squashfs { path: _, from } => match from.as_ref()?.value {
                Pulled::Image(image) => Some(image),
                Pulled::String(_) => None,
            },
            Self::String(_) | Self::NoContainer => None,
        }
    }

    /// What it is called: a reference, or the path of a file; nothing of an image of the blueprint, whose reference follows, and where
    /// there is no container.
    pub fn said(&self) -> Option<&str> {
        match self {
            Self::String(reference) => Some(reference),
            Self::Squashfs { path, from } => match from.as_ref().map(|from| &from.value) {
                None => Some(path),
                Some(Pulled::String(reference)) => Some(reference),
                Some(Pulled::Image(_)) => None,
            },
            Self::Image(_) | Self::NoContainer => None,
        }
    }
}

/// An image that is pulled from a registry.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pulled {
    /// An image of the blueprint.
    Image(Ref<Image>),
    /// `nvcr.io/nvidia/nemo:24.07`
    String(String),
}

/// How processes start.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Launch {
    /// One launcher a node, one process a GPU.
    Torchrun {
        /// The script, or the module.
        script: String,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// Whether `script` names a module.
        module: bool,
        /// Words between the script and its options.
        argv: Vec<Argument>,
        /// How its options are spelled.
        options: Options,
        /// How launchers find their ranks.
        rendezvous: Rendezvous,
    },
    /// One process a GPU; ranks from the scheduler.
    Srun {
        /// The command.
        argv: Vec<Argument>,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// How they are spelled.
        options: Options,
    },
    /// One process a GPU, started over SSH from the first node.
    Mpirun {
        /// The command.
        argv: Vec<Argument>,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// How they are spelled.
        options: Options,
    },
    /// One process a node.
    Python {
        /// The script, or the module.
        script: String,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// Whether `script` names a module.
        module: bool,
        /// Words between the script and its options.
        argv: Vec<Argument>,
        /// How its options are spelled.
        options: Options,
    },
    /// One process a node, word for word.
    Command {
        /// The command.
        argv: Vec<Argument>,
    },
    /// Where jobs are submitted: a program that submits its own.
    Submitter {
        /// The command.
        argv: Vec<Argument>,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// How they are spelled.
        options: Options,
    },
    /// One process a node: what the image starts by itself.
    Entrypoint {
        /// What it is given instead of the image's own arguments, if anything.
        args: Vec<Argument>,
    },
}

/// How the launchers of a gang find their ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rendezvous {
    /// Each is told its own.
    Static,
    /// They agree on them in a store of the first node's.
    C10d,
}

/// How options of a command line are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Options {
    /// `--steps=10`, `--flag`.
    Dashed,
    /// `steps=10`, `flag=true`.
    Plain,
}

/// One word of a command line.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// Text.
    String(String),
    /// A number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A flag.
    Bool(bool),
    /// Known once it is made.
    Deferred(Deferred),
    /// Tells the run from every other.
    RunId,
    /// How often the run has started again.
    Attempt,
    /// The number of the node in its group.
    NodeRank,
    /// The number of its slice.
    SliceIndex,
    /// The nodes of its group.
    NodeCount,
    /// The name of the first node of a group.
    Host {
        /// Which.
        group: Awaited,
    },
    /// The number of the job in its array.
    ArrayIndex,
}

/// The value of an environment variable.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvValue {
    /// Text.
    String(String),
    /// A number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// Known once it is made.
    Deferred(Deferred),
    /// Tells the run from every other.
    RunId,
    /// How often the run has started again.
    Attempt,
    /// The number of the node in its group.
    NodeRank,
    /// The number of its slice.
    SliceIndex,
    /// The nodes of its group.
    NodeCount,
    /// The name of the first node of a group.
    Host {
        /// Which.
        group: Awaited,
    },
    /// The number of the job in its array.
    ArrayIndex,
    /// From a secret that exists where the workload runs.
    Secret {
        /// The secret's name.
        name: String,
        /// The key in it.
        key: String,
    },
}

/// How the model is cut up.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Parallel {
    /// GPUs that share one layer.
    pub tensor: Spanned<i64>,
    /// Stages.
    pub pipeline: Spanned<i64>,
    /// GPUs that share one sequence.
    pub context: Spanned<i64>,
    /// Groups that experts are dealt to.
    pub expert: Spanned<i64>,
    /// Data parallelism, where it is to be checked.
    pub data: Option<Spanned<i64>>,
    /// Sequences in one step over all replicas.
    pub global_batch: Option<Spanned<i64>>,
    /// Sequences that one replica holds at a time.
    pub micro_batch: Option<Spanned<i64>>,
}
