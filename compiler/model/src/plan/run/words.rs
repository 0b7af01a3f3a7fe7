//! Command lines and variables, word by word, with places for values that are known only later.

use super::Later;
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
            Piece::Text(_) => None,
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
