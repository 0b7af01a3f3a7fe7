//! What programs are told by their options.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

/// The options of a launcher, or those by which programs of one framework are told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionTable {
    /// `torchrun`, `megatron`.
    pub of: String,
    /// It starts what follows its own options.
    #[serde(default)]
    pub launcher: bool,
    /// A short option may have its value behind it, whatever that is: `-Jname`.
    #[serde(default)]
    pub letters: bool,
    /// Programs that have these options: where none is named, any that a command starts.
    #[serde(default)]
    pub programs: Vec<String>,
    /// What names end by behind an underscore is meant as well: `save` is `async_save`.
    #[serde(default)]
    pub endings: bool,
    /// By meaning. A launcher's as they are written, with dashes for underscores; of other programs what the names end by, with
    /// underscores for dashes: `save` is `--save` and `trainer.save`.
    pub told: BTreeMap<Meaning, Vec<String>>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// What an option means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Processes of a node.
    PerNode,
    /// Processes in all.
    All,
    /// Nodes: `2`, or `2:4`.
    Nodes,
    /// The number of the node.
    Rank,
    /// How nodes that have no numbers meet.
    Backend,
    /// Where nodes meet: a host, or a host and its port.
    Address,
    /// There is one node.
    Alone,
    /// The nodes by name.
    Hosts,
    /// A file that says the rest.
    Elsewhere,
    /// Nothing that matters here, and it has no value.
    Flag,
    /// Nothing that matters here, and it has a value.
    Value,
    /// Nothing that matters here, and it has two values.
    Two,
    /// A variable of the processes, and its value: in one word, `A=B`, or in two.
    Variable,
    /// No value: what is started stands in a file, which is the word behind all options.
    Listed,
    /// Where checkpoints or results are saved.
    Saves,
    /// Where a checkpoint is looked for to go on from.
    Loads,
    /// Where something else is written: logs, traces.
    Writes,
    /// What is read: data, tokenizers.
    Reads,
    /// How many devices share each layer.
    Tensor,
    /// How many stages layers are dealt to.
    Pipeline,
    /// How many devices share each sequence.
    Context,
    /// How many devices experts are dealt to.
    Expert,
    /// Sequences of a step.
    GlobalBatch,
    /// Sequences of a device at once.
    MicroBatch,
    /// Heads of attention.
    Heads,
}

impl Meaning {
    /// Whether it says how a model is cut up, or what has to fit that.
    pub fn is_of_degrees(self) -> bool {
        matches!(
            self,
            Self::Tensor
                | Self::Pipeline
                | Self::Context
                | Self::Expert
                | Self::GlobalBatch
                | Self::MicroBatch
                | Self::Heads
        )
    }

    /// As rules ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerNode => "per-node",
            Self::All => "all",
            Self::Nodes => "nodes",
            Self::Rank => "rank",
            Self::Backend => "backend",
            Self::Address => "address",
            Self::Alone => "alone",
            Self::Hosts => "hosts",
            Self::Elsewhere => "elsewhere",
            Self::Flag => "flag",
            Self::Value => "value",
            Self::Two => "two",
            Self::Variable => "variable",
            Self::Listed => "listed",
            Self::Saves => "saves",
            Self::Loads => "loads",
            Self::Writes => "writes",
            Self::Reads => "reads",
            Self::Tensor => "tensor",
            Self::Pipeline => "pipeline",
            Self::Context => "context",
            Self::Expert => "expert",
            Self::GlobalBatch => "global-batch",
            Self::MicroBatch => "micro-batch",
            Self::Heads => "heads",
        }
    }
}
