//! A workload on a partition as a batch job: what its script says, before any of it is text.

use super::mounts::{self, BucketStep, MountLine, ScratchFolder, SharedFolder};
use super::network::{self, Network};
use super::options;
use crate::Stage;
use crate::launch::{Splice, Word, splices};
use crate::template::HeaderOption;
use serde::Serialize;
use slipform_model::nouns::{Mpi, Partition, Rendezvous, SlurmCluster, Workload};
use slipform_model::plan::{
    self, Env, Gang, Later, Launcher, PartitionPlan, Planned, Run, RunValue, Sound,
};
use slipform_model::{Diagnostic, Noun};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_RUN_VALUE = "slurm/run-value":
        "Slurm does not know this value of a run",
        "leave it out";
}

/// The script of a workload.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Job {
    pub(crate) title: String,
    pub(crate) origin: String,
    pub(crate) options: Vec<HeaderOption>,
    pub(crate) port: i64,
    pub(crate) deferred: Vec<DeferredValue>,
    pub(crate) env: Vec<Variable>,
    pub(crate) secrets: Vec<Secret>,
    /// Tasks that Slurm starts on one node.
    pub(crate) tasks: i64,
    /// Processes of one node, the workers of a launcher included.
    pub(crate) processes: i64,
    pub(crate) squashfs: String,
    /// The folder of logs that all nodes see.
    pub(crate) logs: String,
    pub(crate) image: String,
    /// Seconds that it has to end once it is warned.
    pub(crate) grace: u64,
    pub(crate) workdir: Option<String>,
    /// Variables that win against those of the image, as pyxis lists them.
    pub(crate) passed: String,
    pub(crate) scratch: Vec<ScratchFolder>,
    pub(crate) buckets: Vec<BucketStep>,
    pub(crate) mounts: Vec<MountLine>,
    pub(crate) network: Option<Network>,
    pub(crate) launcher: &'static str,
    pub(crate) mpi: Option<&'static str>,
    pub(crate) binding: Option<String>,
    pub(crate) binding_program: Option<String>,
    pub(crate) command: Vec<Word>,
    /// Commands of each node before its tasks.
    pub(crate) setup: Vec<Vec<Word>>,
    /// Commands of each node after its tasks.
    pub(crate) cleanup: Vec<Vec<Word>>,
    /// Words of the command that each node knows.
    pub(crate) node_words: Vec<Splice>,
    /// Variables that each node knows.
    pub(crate) node_env: Vec<Variable>,
    /// The address of the account that its nodes must act as.
    pub(crate) account: Option<String>,
    pub(crate) folders: Vec<SharedFolder>,
    pub(crate) restarts: i64,
    /// It goes back to the queue when its nodes are taken.
    pub(crate) requeue: bool,
    /// The blueprint says how long it may run, not the partition.
    pub(crate) max_run: bool,
}

/// A variable and its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// A value that the one who submits knows: a Terraform output, and the root that has it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct DeferredValue {
    pub(crate) name: String,
    /// Its folder, seen from the script's.
    pub(crate) root: String,
}

/// A secret that exists where the job runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Secret {
    pub(crate) variable: String,
    pub(crate) note: String,
    /// Under the home folder.
    pub(crate) file: String,
    pub(crate) help: String,
}

/// What the script of a workload is rendered from.
#[derive(Clone, Copy)]
pub(crate) struct Script<'a> {
    pub(crate) plan: Sound<'a>,
    pub(crate) noun: &'a Noun,
    pub(crate) workload: &'a Workload,
    pub(crate) run: &'a Run,
    pub(crate) gang: &'a Gang,
    pub(crate) partition_noun: &'a Noun,
    /// The partition's name in Slurm.
    pub(crate) partition_name: &'a str,
    pub(crate) partition: &'a Partition,
    pub(crate) nodes: &'a PartitionPlan,
    pub(crate) cluster_noun: &'a Noun,
    pub(crate) cluster: &'a SlurmCluster,
}

impl<'a> Script<'a> {
    pub(crate) fn new(
        plan: Sound<'a>,
        workload: Planned<'a, Workload>,
        partition: Planned<'a, Partition>,
    ) -> Self {
        let cluster = plan.get(partition.plan.cluster);
        Self {
            plan,
            noun: workload.noun,
            workload: workload.body,
            run: workload.plan,
            gang: workload.plan.lead(),
            partition_noun: partition.noun,
            partition_name: partition.name(),
            partition: partition.body,
            nodes: partition.plan,
            cluster_noun: cluster.noun,
            cluster: cluster.body,
        }
    }

    /// Tasks that Slurm starts on one node.
    pub(crate) fn tasks(&self) -> i64 {
        match self.gang.program.launcher.value {
            Launcher::Srun | Launcher::Mpirun => self.gang.processes_per_node.max(1),
            Launcher::Torchrun { .. }
            | Launcher::Python
            | Launcher::Command
            | Launcher::Entrypoint => 1,
        }
    }
}

/// What Slurm cannot do is said in `refused`; the job is the rest.
pub(crate) fn job(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Job {
    let Script { plan, noun, workload, run, gang, .. } = script;
    // Its name is the header's; chips and replicas of the model are nothing that Slurm asks.
    let plan::Run {
        site: _,
        name: _,
        grace,
        chips: _,
        data_parallel: _,
        gangs: _,
        // Of several groups.
        success: _,
        on_failure: _,
        coordinator: _,
        // Hosts have names of their own.
        host_names: _,
    } = run;
    let plan::Gang {
        program,
        // Slurm has no replicas of a job, and tells its nodes and processes of each other.
        role: _,
        slices: _,
        nodes_per_slice: _,
        nodes: _,
        // The header's.
        chips_per_node: _,
        world_size: _,
        rendezvous: _,
        processes_per_node,
        port,
        // Of pods.
        request: _,
        selection: _,
        misfits: _,
        image,
        // Processes of a job see the memory of their node.
        shared_memory: _,
        // The network's.
        fabric: _,
        // Jobs act as their nodes do; groups are refused.
        identity: _,
        account: _,
        pod: _,
        after: _,
        ready_when: _,
        retries: _,
        domain: _,
        decides: _,
    } = gang;
    let plan::Program {
        noun: _,
        place: _,
        image: _,
        launcher,
        command,
        setup,
        cleanup,
        env: _,
        mounts: _,
        workdir,
        sidecars: _,
    } = &**program;
    let launcher = launcher.value;
    let (registry, file) = container(image);
    let mounts = mounts::lower(script, refused);
    let (env, secrets) = environment(gang);
    unknown(gang, refused);
    let binding = matches!(launcher, Launcher::Srun | Launcher::Mpirun)
        .then(|| plan.catalog().slurm_machine(&script.nodes.machine.name)?.cpu_bind.clone())
        .flatten();
    Job {
        title: title(script),
        origin: noun.origin.clone(),
        options: options::header(script, refused),
        port: *port,
        deferred: deferred_values(gang),
        passed: passed(&env, &secrets),
        env,
        secrets,
        tasks: script.tasks(),
        processes: (*processes_per_node).max(1),
        squashfs: format!("{}/images/{file}.sqsh", script.cluster.shared.trim_end_matches('/')),
        logs: format!("{}/logs", script.cluster.shared.trim_end_matches('/')),
        image: registry,
        grace: grace.0,
        workdir: workdir.clone(),
        scratch: mounts.scratch,
        buckets: mounts.buckets,
        mounts: mounts.lines,
        network: network::lower(script),
        launcher: match launcher {
            Launcher::Torchrun { rendezvous: Rendezvous::Static } => "torchrun",
            Launcher::Torchrun { rendezvous: Rendezvous::C10d } => "torchrun c10d",
            Launcher::Entrypoint => "entrypoint",
            Launcher::Srun | Launcher::Mpirun | Launcher::Python | Launcher::Command => "tasks",
        },
        mpi: mpi(script),
        binding_program: binding.as_deref().and_then(|it| it.split(' ').next()).map(str::to_owned),
        binding,
        command: command.iter().map(batch_word).collect(),
        setup: spelled(setup),
        cleanup: spelled(cleanup),
        node_words: splices(command, of_node, known),
        node_env: variables(gang)
            .filter(|(_, it)| it.of_run().any(of_node))
            .map(variable)
            .collect(),
        account: account(script),
        folders: mounts.folders,
        restarts: workload.restarts.value,
        requeue: script.cluster.requeue,
        max_run: workload.max_run.is_some(),
    }
}

/// Who the cluster's nodes are on Google Cloud.
fn account(script: Script<'_>) -> Option<String> {
    script.plan.email(script.cluster.node_identity.as_ref()?.value)
}

fn title(script: Script<'_>) -> String {
    let nodes = script.gang.nodes;
    let plural = if nodes == 1 { "node" } else { "nodes" };
    format!("{}: {nodes} {plural} of {}", script.run.name, script.partition_noun.path)
}

/// The image as pyxis names it, and a file name for its squashfs.
///
/// A registry is set off from the path by `#`; what begins with `/` or `.` would be a file.
pub(crate) fn container(reference: &str) -> (String, String) {
    let file = reference.replace(['/', '@'], "+").replace(':', "+");
    let Some((first, rest)) = reference.split_once('/') else {
        return (reference.to_owned(), file);
    };
    let is_registry = first.contains(['.', ':']) || first == "localhost";
    match first {
        "" | "." | ".." => (reference.to_owned(), file),
        "docker.io" => (rest.to_owned(), file),
        _ if is_registry => (format!("{first}#{rest}"), file),
        _ => (reference.to_owned(), file),
    }
}

fn environment(gang: &Gang) -> (Vec<Variable>, Vec<Secret>) {
    let env = variables(gang).filter(|(_, word)| !word.of_run().any(of_node)).map(variable);
    let secrets = gang.program.env.iter().filter_map(|variable| match &variable.value {
        Env::Secret { name, key } => Some(secret(&variable.name, name, key)),
        Env::Word(_) => None,
    });
    (env.collect(), secrets.collect())
}

fn variables(gang: &Gang) -> impl Iterator<Item = (&String, &plan::Word)> {
    gang.program.env.iter().filter_map(|variable| match &variable.value {
        Env::Word(word) => Some((&variable.name, word)),
        Env::Secret { .. } => None,
    })
}

fn variable((name, word): (&String, &plan::Word)) -> Variable {
    Variable { name: name.clone(), value: Word::of(word, known) }
}

/// Commands as a task runs them.
fn spelled(commands: &[Vec<plan::Word>]) -> Vec<Vec<Word>> {
    let words = |command: &Vec<plan::Word>| command.iter().map(|it| Word::of(it, known)).collect();
    commands.iter().map(words).collect()
}

/// A word where the batch script gives it; what only a node knows is put in there.
fn batch_word(word: &plan::Word) -> Word {
    if word.of_run().any(of_node) { Word::from("") } else { Word::of(word, known) }
}

/// Whether a value differs from node to node.
pub(crate) fn of_node(value: RunValue) -> bool {
    matches!(value, RunValue::NodeRank)
}

/// What Slurm calls a value of a run. A job has the nodes of one gang, the workload's own.
fn known(value: RunValue) -> String {
    let variable = match value {
        RunValue::Id => "$SLURM_JOB_ID",
        RunValue::Attempt => "${SLURM_RESTART_COUNT:-0}",
        RunValue::NodeRank => "$SLURM_NODEID",
        RunValue::NodeCount => "$SLURM_NNODES",
        RunValue::Host(_) => "$MASTER_ADDR",
        // refused
        RunValue::SliceIndex => "",
    };
    format!("\"{variable}\"")
}

fn unknown(gang: &Gang, refused: &mut Vec<Diagnostic>) {
    let slices = gang.program.known_to_run().filter(|(it, _)| *it == RunValue::SliceIndex);
    refused.extend(slices.map(|(_, span)| {
        let message = "Slurm has no slices, so nothing has a `slice_index` there";
        Diagnostic::error(SLURM_RUN_VALUE, message, span).help("leave it out, or use `node_rank`")
    }));
}

fn secret(variable: &str, name: &str, key: &str) -> Secret {
    let file = format!(".secrets/{name}/{key}");
    Secret {
        variable: variable.to_owned(),
        note: format!(
            "Secret {name}: from the environment of the submission, or from a file that only its owner can read."
        ),
        help: format!(
            "secret `{name}` is not here: export {variable} before submitting, or write it to ~/{file} (mode 600)"
        ),
        file,
    }
}

fn passed(env: &[Variable], secrets: &[Secret]) -> String {
    let rendezvous = ["MASTER_ADDR", "MASTER_PORT"].into_iter();
    let own =
        env.iter().map(|it| it.name.as_str()).chain(secrets.iter().map(|it| it.variable.as_str()));
    let names: BTreeSet<&str> = rendezvous.chain(own).collect();
    names.into_iter().collect::<Vec<_>>().join(",")
}

/// The plugin that starts MPI programs; without one each process is a program of one.
fn mpi(script: Script<'_>) -> Option<&'static str> {
    if script.gang.program.launcher.value != Launcher::Mpirun {
        return None;
    }
    match script.cluster.mpi {
        Mpi::Pmix => Some("pmix"),
        Mpi::Pmi2 => Some("pmi2"),
        Mpi::None => None,
    }
}

/// Every value of the command and the environment that Terraform knows.
fn deferred_values(gang: &Gang) -> Vec<DeferredValue> {
    let value =
        |later: &Later| DeferredValue { name: later.output.clone(), root: Stage::above(later) };
    gang.program.reads().into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::container;

    #[test]
    fn images_are_named_as_the_container_plugin_reads_them() {
        for (reference, named) in [
            ("nvcr.io/nvidia/nemo:24.07", "nvcr.io#nvidia/nemo:24.07"),
            ("localhost:5000/a/b", "localhost:5000#a/b"),
            ("us-east4-docker.pkg.dev/p/r/i:v1", "us-east4-docker.pkg.dev#p/r/i:v1"),
            ("docker.io/pytorch/pytorch", "pytorch/pytorch"),
            ("pytorch/pytorch:2.5", "pytorch/pytorch:2.5"),
            ("ubuntu", "ubuntu"),
            ("/shared/nemo.sqsh", "/shared/nemo.sqsh"),
        ] {
            assert_eq!(container(reference).0, named);
        }
        assert_eq!(container("nvcr.io/nvidia/nemo:24.07").1, "nvcr.io+nvidia+nemo+24.07");
    }
}
