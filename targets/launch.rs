//! Words of command lines as templates and documents take them.

use crate::shell;
use serde::{Deserialize, Serialize};
use slipform_model::plan;

/// How long torchrun lets its workers end after a signal, in seconds; 30 without it. From PyTorch 2.12 on; older releases
/// do not read it.
pub(crate) const TORCHRUN_GRACE: &str = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT";

/// One word of a command line.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Word(pub(crate) Vec<Piece>);

impl Word {
    /// Whether a program can be given it at all.
    pub(crate) fn has_spelling(&self) -> bool {
        self.0.iter().all(|piece| match piece {
            Piece::Text(text) => shell::has_spelling(text),
            Piece::Deferred(_) => true,
        })
    }
}

/// A part of a word.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Piece {
    /// Text as it is.
    Text(String),
    /// The Terraform output that holds it.
    Deferred(String),
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }
}

impl From<&plan::Word> for Word {
    fn from(word: &plan::Word) -> Self {
        let piece = |piece: &plan::Piece| match piece {
            plan::Piece::Text(text) => Piece::Text(text.clone()),
            plan::Piece::Later(later) => Piece::Deferred(later.output.clone()),
        };
        Self(word.0.iter().map(piece).collect())
    }
}
