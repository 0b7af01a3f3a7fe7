//! Command lines and variables, word by word, with places for values that are known only later.

use super::Later;
use crate::NounId;
use crate::nouns::Rendezvous;
use slipform_source::Span;

/// How processes start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// One launcher a node, one process a GPU.
    Torchrun {
        /// How launchers find their ranks.
        rendezvous: Rendezvous,
    },
    /// One process a GPU; ranks from the scheduler.
    Srun,
    /// One process a GPU, started over SSH from the first node.
    Mpirun,
    /// One process a node: an interpreter.
    Python,
    /// One process a node, word for word.
    Command,
    /// Where jobs are submitted: a program that submits its own.
    Submitter,
    /// One process a node: what the image starts by itself.
    Entrypoint,
}

impl Launcher {
    /// Whether a launcher starts the processes of its node, and ends them.
    pub fn is_torchrun(self) -> bool {
        matches!(self, Self::Torchrun { .. })
    }
}

/// One word of a command line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Word(pub Vec<Piece>);

/// A part of a word.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// What Terraform knows.
    Later(Later),
    /// What only the run knows.
    Run(RunValue),
}

/// What a run knows of itself once it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunValue {
    /// Tells it from every other run.
    Id,
    /// How often it has started again.
    Attempt,
    /// The number of the node in its gang.
    NodeRank,
    /// The number of the node's slice.
    SliceIndex,
    /// The nodes of its gang.
    NodeCount,
    /// The name of the first node of a gang: of the workload's own, or of a group's.
    Host(NounId),
    /// The number of the job in its array.
    ArrayIndex,
}

impl RunValue {
    /// Whether a text is one of them, as it is shown.
    pub(crate) fn is_shown(text: &str) -> bool {
        let name = text.split('(').next().unwrap_or_default();
        let plain = [Self::Id, Self::Attempt, Self::NodeRank, Self::SliceIndex, Self::NodeCount];
        let plain = plain.into_iter().chain([Self::ArrayIndex]);
        plain.map(Self::name).any(|it| it == text) || name == "host" && name != text
    }

    /// As the language writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "run_id",
            Self::Attempt => "attempt",
            Self::NodeRank => "node_rank",
            Self::SliceIndex => "slice_index",
            Self::NodeCount => "node_count",
            Self::Host(_) => "host",
            Self::ArrayIndex => "array_index",
        }
    }
}

/// An environment variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Env,
    /// Where the blueprint says it.
    pub span: Span,
}

/// The value of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Env {
    /// A word.
    Word(Word),
    /// From a secret that exists where the gang runs.
    Secret {
        /// The secret's name.
        name: String,
        /// The key in it.
        key: String,
    },
}

impl Word {
    /// The values in it that are known later.
    pub fn laters(&self) -> impl Iterator<Item = &Later> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Later(later) => Some(later),
            Piece::Text(_) | Piece::Run(_) => None,
        })
    }

    /// The values in it that only the run knows.
    pub fn of_run(&self) -> impl Iterator<Item = RunValue> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Run(value) => Some(*value),
            Piece::Text(_) | Piece::Later(_) => None,
        })
    }
}

impl From<Piece> for Word {
    fn from(piece: Piece) -> Self {
        Self(vec![piece])
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }
}
