//! Words of command lines as templates and documents take them.

use crate::shell;
use serde::{Deserialize, Serialize};
use slipform_model::plan::{self, RunValue};

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
            Piece::Deferred(_) | Piece::Shell(_) => true,
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
    /// What a shell knows where the word stands, spelled already: `"$SLURM_JOB_ID"`.
    Shell(String),
}

/// A word that only a node knows, put between the others that it is given.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Splice {
    /// How many words stand before it.
    pub(crate) before: usize,
    pub(crate) word: Word,
    /// The first word behind it, counted from 1.
    pub(crate) after: usize,
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }
}

impl Word {
    /// A word with what a shell knows of a run spelled for it.
    pub(crate) fn of(word: &plan::Word, known: impl Fn(RunValue) -> String) -> Self {
        let piece = |piece: &plan::Piece| match piece {
            plan::Piece::Text(text) => Piece::Text(text.clone()),
            plan::Piece::Later(later) => Piece::Deferred(later.output.clone()),
            plan::Piece::Run(value) => Piece::Shell(known(*value)),
        };
        Self(word.0.iter().map(piece).collect())
    }

    /// Whether a word of a plan can be given to a program at all.
    pub(crate) fn fits(word: &plan::Word) -> bool {
        Self::of(word, |_| String::new()).has_spelling()
    }
}

/// The words of a command that only a node knows (`local`); in the command stands an empty one for each.
pub(crate) fn splices<'a>(
    command: impl IntoIterator<Item = &'a plan::Word>,
    local: impl Fn(RunValue) -> bool,
    known: impl Fn(RunValue) -> String,
) -> Vec<Splice> {
    let words = command.into_iter().enumerate().filter(|(_, word)| word.of_run().any(&local));
    words
        .map(|(at, word)| Splice { before: at, word: Word::of(word, &known), after: at + 2 })
        .collect()
}

/// A script around a command that each node runs once. It is given the words of what comes before, as many for each as `setup`
/// counts, then of what comes after (`cleanup`), then the command.
pub(crate) fn around(setup: &[usize], cleanup: &[usize]) -> String {
    let mut script = "set -e\n".to_owned();
    for words in setup {
        script += &format!("\"${{@:1:{words}}}\"\nshift {words}\n");
    }
    if cleanup.is_empty() {
        return script + "exec \"$@\"\n";
    }
    let all: usize = cleanup.iter().sum();
    script += &format!("last=(\"${{@:1:{all}}}\")\nshift {all}\n");
    script += include_str!("until-ended.sh");
    let mut before = 0;
    for words in cleanup {
        script += &format!(
            "\"${{last[@]:{before}:{words}}}\" || echo \"clean-up ended with status $?\" >&2\n"
        );
        before += words;
    }
    script + "exit \"$status\"\n"
}
