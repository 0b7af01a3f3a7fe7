//! Training runs and the jobs beside them.

use super::{Choice, Dashboard, Identity, Image, Mount, Place, Pool, Queue, Ref};
use crate::{Deferred, Duration, Size};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// A training run.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Workload {
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
    /// How the model is cut up.
    pub parallel: Spanned<Parallel>,
    /// What its processes see of storage.
    pub mounts: Vec<Spanned<Mount>>,
    /// Environment variables.
    pub env: IndexMap<String, Spanned<EnvValue>>,
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
    /// Who its processes are.
    pub identity: Option<Spanned<Ref<Identity>>>,
    /// Where its metrics are shown.
    pub dashboard: Option<Spanned<Ref<Dashboard>>>,
    /// Memory shared between the processes of a node.
    pub shared_memory: Choice<Spanned<Size>>,
    /// The folder that its processes start in.
    pub workdir: Option<String>,
    /// Its name where it runs.
    pub name: Choice<Spanned<String>>,
    /// Whether the machine's fabric is used.
    pub fabric: Choice<FabricUse>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// A choice against the machine's fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FabricUse {
    /// Plain TCP.
    Off,
}

/// A job beside a workload, on another pool, that does not hold it open.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SideJob {
    /// Where it runs.
    pub pool: Spanned<Ref<Pool>>,
    /// What its container is made from.
    pub image: Spanned<ImageUse>,
    /// How its process starts.
    pub launch: Spanned<Launch>,
    /// Environment variables.
    pub env: IndexMap<String, Spanned<EnvValue>>,
    /// What its process sees of storage.
    pub mounts: Vec<Spanned<Mount>>,
    /// Processors that it asks for.
    pub cpus: i64,
    /// Memory that it asks for.
    pub memory: Size,
}

/// An image of the blueprint, or any other by its reference.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageUse {
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
    },
    /// One process a GPU; ranks from the scheduler.
    Srun {
        /// The command.
        argv: Vec<Argument>,
        /// Its options.
        args: IndexMap<String, Argument>,
    },
    /// One process a GPU, started over SSH from the first node.
    Mpirun {
        /// The command.
        argv: Vec<Argument>,
        /// Its options.
        args: IndexMap<String, Argument>,
    },
    /// One process a node.
    Python {
        /// The script, or the module.
        script: String,
        /// Its options.
        args: IndexMap<String, Argument>,
        /// Whether `script` names a module.
        module: bool,
    },
    /// One process a node, word for word.
    Command {
        /// The command.
        argv: Vec<Argument>,
    },
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
