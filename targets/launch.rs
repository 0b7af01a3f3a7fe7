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

    /// Puts text behind what is there.
    pub(crate) fn followed_by(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
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

/// Looks at the GPUs of a node; its first argument is how many there have to be.
const GPU_CHECK: &str = include_str!("gpu-check.sh");

/// What each node of a program does before its processes start: it looks at its GPUs, and runs the commands of the blueprint.
pub(crate) fn before(program: &plan::Program) -> Vec<Vec<plan::Word>> {
    let check = program.gpu_check.map(|count| {
        let count = count.to_string();
        let words = ["sh", "-c", GPU_CHECK, "gpu-check", count.as_str()];
        words.map(plan::Word::from).to_vec()
    });
    check.into_iter().chain(program.setup.iter().cloned()).collect()
}

/// All words that [`around`] is given, in its order.
pub(crate) fn given(program: &plan::Program) -> Vec<plan::Word> {
    let commands = before(program).into_iter().chain(program.cleanup.iter().cloned());
    commands.flatten().chain(program.command.iter().cloned()).collect()
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

#[cfg(test)]
mod tests {
    use super::GPU_CHECK;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    /// How the check ends on a node whose `nvidia-smi` does this, and what it says.
    fn checked(case: &str, smi: &str) -> (Option<i32>, String) {
        let folder =
            std::env::temp_dir().join(format!("slipform-gpus-{}-{case}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join("nvidia-smi");
        std::fs::write(&program, format!("#!/bin/sh\n{smi}\n")).expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("rights");
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let words = ["-c", GPU_CHECK, "gpu-check", "2"];
        let done = Command::new("sh").args(words).env("PATH", path).output().expect("a shell");
        std::fs::remove_dir_all(&folder).expect("no folder");
        let said = String::from_utf8(done.stderr).expect("text");
        (
            done.status.code(),
            said.split_once(": ").map_or(String::new(), |it| it.1.trim().to_owned()),
        )
    }

    #[test]
    fn a_node_is_well_with_all_gpus_and_their_memory() {
        let well = |case, gpus: &str| checked(case, &format!("printf '{gpus}'"));
        assert_eq!(well("all", "0\\n0\\n"), (Some(0), String::new()));
        assert_eq!(well("no-ecc", "[N/A]\\n[N/A]\\n"), (Some(0), String::new()));
        let sick = |said: &str| (Some(75), said.to_owned());
        assert_eq!(well("one", "0\\n"), sick("1 GPUs answer, not 2"));
        let lost = "GPU 2 of 2 is not well: uncorrected errors of its memory: 3";
        assert_eq!(well("lost", "0\\n3\\n"), sick(lost));
        let reset =
            "GPU 1 of 2 is not well: uncorrected errors of its memory: [GPU requires reset]";
        assert_eq!(well("reset", "[GPU requires reset]\\n0\\n"), sick(reset));
        let mixed = "1 GPUs do not count errors of their memory";
        assert_eq!(well("mixed", "[N/A]\\n0\\n"), sick(mixed));
        let fails = checked("fails", "echo 'No devices were found'; exit 6");
        assert_eq!(fails, sick("nvidia-smi fails, or does not answer: No devices were found"));
    }
}
