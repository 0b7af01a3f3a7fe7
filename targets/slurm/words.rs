//! What a run knows of itself, as a batch script and the tasks of its steps spell it.

use super::job::Variable;
use super::step::tasks;
use crate::launch::{Splice, Word, splices};
use slipform_model::Diagnostic;
use slipform_model::nouns::{Batch, Ranks};
use slipform_model::plan::{self, Env, Gang, Run, RunValue, Sound};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_RUN_VALUE = "slurm/run-value":
        "Slurm does not tell this value of a run",
        "leave it out, or use another one";
}

/// The words of a gang.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) plan: Sound<'a>,
    pub(crate) run: &'a Run,
    pub(crate) gang: &'a Gang,
    pub(crate) batch: &'a Batch,
}

impl Words<'_> {
    /// A word where the batch script gives it; what only a node knows is put in there.
    pub(crate) fn in_batch(self, word: &plan::Word) -> Word {
        if word.of_run().any(of_node) { Word::from("") } else { self.spelled(word) }
    }

    /// Commands as a task runs them.
    pub(crate) fn commands(self, commands: &[Vec<plan::Word>]) -> Vec<Vec<Word>> {
        let words = |command: &Vec<plan::Word>| command.iter().map(|it| self.spelled(it)).collect();
        commands.iter().map(words).collect()
    }

    /// The words of a command that only a node knows.
    pub(crate) fn of_nodes(self, command: &[plan::Word]) -> Vec<Splice> {
        splices(command, of_node, |value| self.known(value))
    }

    /// The variables that the batch script hands to a step.
    pub(crate) fn env_of_batch(self) -> Vec<Variable> {
        self.env(|variable| !of_task(variable))
    }

    /// The variables that each task sets for itself.
    pub(crate) fn env_of_tasks(self) -> Vec<Variable> {
        self.env(of_task)
    }

    fn env(self, wanted: impl Fn(&plan::Variable) -> bool) -> Vec<Variable> {
        let wanted = self.gang.program.env.iter().filter(|variable| wanted(variable));
        let variables = wanted.filter_map(|variable| match &variable.value {
            Env::Word(word) => Some((&variable.name, word)),
            Env::Secret { .. } => None,
        });
        variables
            .map(|(name, word)| Variable { name: name.clone(), value: self.spelled(word) })
            .collect()
    }

    fn spelled(self, word: &plan::Word) -> Word {
        Word::of(word, |value| self.known(value))
    }

    /// What Slurm calls a value of a run. The nodes of a step are not those of its job, where this has several.
    fn known(self, value: RunValue) -> String {
        let alone = self.run.groups().is_empty();
        let variable = match value {
            RunValue::Id => "$SLURM_JOB_ID".to_owned(),
            RunValue::Attempt => "${SLURM_RESTART_COUNT:-0}".to_owned(),
            // nodes have their numbers in Slurm's own order, and ranks theirs in another
            RunValue::NodeRank if self.batch.ranks == Ranks::PhysicalHost => {
                format!("$((SLURM_PROCID / {}))", tasks(self.gang))
            }
            RunValue::NodeRank => "$SLURM_NODEID".to_owned(),
            RunValue::ArrayIndex => "$SLURM_ARRAY_TASK_ID".to_owned(),
            RunValue::NodeCount if alone => "$SLURM_NNODES".to_owned(),
            RunValue::NodeCount => self.gang.nodes.to_string(),
            RunValue::Host(_) if alone => "$MASTER_ADDR".to_owned(),
            RunValue::Host(gang) => format!("$host_{}", self.plan.number_of(self.run, gang)),
            // refused
            RunValue::SliceIndex => String::new(),
        };
        format!("\"{variable}\"")
    }

    /// Says which values of a run Slurm does not tell.
    pub(crate) fn unknown(self, refused: &mut Vec<Diagnostic>) {
        let values = self.gang.program.known_to_run();
        let alone = self.batch.array.is_none();
        refused.extend(values.filter_map(|(it, span)| {
            let (message, help) = match it {
                RunValue::SliceIndex => (
                    "Slurm has no slices, so nothing has a `slice_index` there",
                    "leave it out, or use `node_rank`",
                ),
                RunValue::ArrayIndex if alone => (
                    "the job is no array, so nothing in it has an `array_index`",
                    "make it one, `batch = { array = \"0-31\" }`, or leave `array_index` out",
                ),
                RunValue::Id
                | RunValue::Attempt
                | RunValue::NodeRank
                | RunValue::NodeCount
                | RunValue::Host(_)
                | RunValue::ArrayIndex => return None,
            };
            Some(Diagnostic::error(SLURM_RUN_VALUE, message, span).help(help))
        }));
    }
}

/// The numbers of the gangs whose first node this one is told, where the run has several.
pub(crate) fn hosts<'a>(
    plan: Sound<'a>,
    run: &'a Run,
    gang: &'a Gang,
) -> impl Iterator<Item = usize> + 'a {
    let numbers = gang.program.hosts().map(move |gang| plan.number_of(run, gang));
    let several = !run.groups().is_empty();
    numbers.filter(move |_| several).collect::<BTreeSet<_>>().into_iter()
}

/// Where programs and their libraries are found. Outside of the container srun itself would be looked for there.
const SEARCHED: [&str; 3] = ["LD_LIBRARY_PATH", "LD_PRELOAD", "PATH"];

/// What srun's own variables begin with: outside of the container they would be options of it.
const SLURMS_OWN: &str = "SLURM_";

/// Whether a variable is set inside of the container: only a node knows its value, or it is none of the host's.
pub(crate) fn of_task(variable: &plan::Variable) -> bool {
    let name = variable.name.as_str();
    match &variable.value {
        Env::Word(word) => {
            SEARCHED.contains(&name) || name.starts_with(SLURMS_OWN) || word.of_run().any(of_node)
        }
        Env::Secret { .. } => false,
    }
}

/// Whether a value differs from node to node.
fn of_node(value: RunValue) -> bool {
    matches!(value, RunValue::NodeRank)
}
