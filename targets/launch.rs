//! Command lines: what a launch starts, word by word, with places for values that are known only later.

use crate::deferred::output_name;
use crate::shell;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use slipform_model::Deferred;
use slipform_model::nouns::{Argument, EnvValue, Launch, Workload};
use slipform_model::plan::Plan;

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

/// The command of a launch: for `torchrun` what comes behind the launcher's own options, for `python` the interpreter
/// and its script, otherwise the command itself.
pub(crate) fn command(plan: &Plan, launch: &Launch) -> Vec<Word> {
    let (mut words, args) = match launch {
        Launch::Torchrun { script, args, module } => (script_words(*module, script), Some(args)),
        Launch::Python { script, args, module } => {
            let mut words = vec!["python3".into()];
            words.extend(script_words(*module, script));
            (words, Some(args))
        }
        Launch::Srun { argv, args } | Launch::Mpirun { argv, args } => {
            (argument_words(plan, argv), Some(args))
        }
        Launch::Command { argv } => (argument_words(plan, argv), None),
    };
    words.extend(args.into_iter().flat_map(|args| options(plan, args)));
    words
}

fn script_words(module: bool, script: &str) -> Vec<Word> {
    let mut words: Vec<Word> = module.then(|| "-m".into()).into_iter().collect();
    words.push(script.into());
    words
}

fn argument_words(plan: &Plan, argv: &[Argument]) -> Vec<Word> {
    argv.iter().map(|argument| Word(vec![piece(plan, argument)])).collect()
}

/// `{ max_steps = 10 }` becomes `--max_steps=10`; `true` a bare flag; `false` nothing.
fn options<'a>(
    plan: &'a Plan,
    args: &'a IndexMap<String, Argument>,
) -> impl Iterator<Item = Word> + 'a {
    args.iter().filter_map(move |(name, argument)| match argument {
        Argument::Bool(false) => None,
        Argument::Bool(true) => Some(format!("--{name}").as_str().into()),
        other => Some(match piece(plan, other) {
            Piece::Text(text) => Word(vec![Piece::Text(format!("--{name}={text}"))]),
            deferred => Word(vec![Piece::Text(format!("--{name}=")), deferred]),
        }),
    })
}

fn piece(plan: &Plan, argument: &Argument) -> Piece {
    match argument {
        Argument::String(text) => Piece::Text(text.clone()),
        Argument::Int(number) => Piece::Text(number.to_string()),
        Argument::Float(number) => Piece::Text(number.to_string()),
        Argument::Bool(truth) => Piece::Text(truth.to_string()),
        Argument::Deferred(deferred) => Piece::Deferred(output_name(plan, deferred)),
    }
}

/// The value of a variable; `None` for a secret.
pub(crate) fn env_value(plan: &Plan, value: &EnvValue) -> Option<Word> {
    Some(Word(vec![match value {
        EnvValue::String(text) => Piece::Text(text.clone()),
        EnvValue::Int(number) => Piece::Text(number.to_string()),
        EnvValue::Float(number) => Piece::Text(number.to_string()),
        EnvValue::Bool(truth) => Piece::Text(truth.to_string()),
        EnvValue::Deferred(deferred) => Piece::Deferred(output_name(plan, deferred)),
        EnvValue::Secret { .. } => return None,
    }]))
}

/// Every deferred value of a workload's command and environment, in order.
pub(crate) fn deferred(workload: &Workload) -> impl Iterator<Item = &Deferred> {
    let (words, args): (&[Argument], Option<&IndexMap<String, Argument>>) =
        match &workload.launch.value {
            Launch::Torchrun { args, .. } | Launch::Python { args, .. } => (&[], Some(args)),
            Launch::Srun { argv, args } | Launch::Mpirun { argv, args } => (argv, Some(args)),
            Launch::Command { argv } => (argv, None),
        };
    let arguments = words.iter().chain(args.into_iter().flat_map(IndexMap::values));
    let arguments = arguments.filter_map(|argument| match argument {
        Argument::Deferred(deferred) => Some(deferred),
        _ => None,
    });
    arguments.chain(workload.env.values().filter_map(|value| match &value.value {
        EnvValue::Deferred(deferred) => Some(deferred),
        _ => None,
    }))
}
