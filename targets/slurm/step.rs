//! A gang as a step of a job: where its nodes are, what it waits for, and what each of its tasks starts.

use super::batch;
use super::job::{DeferredValue, Script, Secret, Variable};
use super::mounts::{self, BucketStep, MountLine, ScratchFolder, SharedFolder};
use super::network::{self, Network};
use super::paths::in_job;
use super::words::Words;
use crate::Stage;
use crate::launch;
use crate::launch::{Splice, Word};
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::nouns::{ImageUse, Mpi, Rendezvous};
use slipform_model::plan::{self, Awaits, Env, Gang, Later, Launcher, Until};
use std::collections::BTreeSet;

/// A step of a job of one gang, whose name says nothing more.
const ONLY: &str = "train";
/// A policy of ours: ports that jobs on the same node are dealt.
const PORTS: i64 = 1000;

/// What a job starts for a gang.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Step {
    /// What Slurm calls it: the gang's role, or `train` where there is one.
    pub(crate) name: String,
    /// Nodes and their partition, in words.
    pub(crate) title: String,
    /// The number of its component in a heterogeneous job.
    pub(crate) component: Option<usize>,
    /// The number of its first node among those of its component.
    pub(crate) first: i64,
    pub(crate) nodes: i64,
    /// Its nodes are those of other gangs too.
    pub(crate) shared: bool,
    /// The run is over only when it is.
    pub(crate) decides: bool,
    /// It leaves a mark for each process that has started: another one waits for them.
    pub(crate) marked: bool,
    pub(crate) after: Vec<Before>,
    /// GPUs of a node, where it does not have all that the job has there.
    pub(crate) gpus: Option<i64>,
    /// Processors of a task, where it does not take all of its nodes.
    pub(crate) cpus: Option<i64>,
    /// Memory of a node in MiB, likewise.
    pub(crate) memory: Option<u64>,
    pub(crate) port: i64,
    /// How many ports from that one on jobs are dealt, where they share nodes.
    pub(crate) ports: Option<i64>,
    /// Variables that not all gangs have alike.
    pub(crate) env: Vec<Variable>,
    /// Secrets that not all gangs have alike.
    pub(crate) secrets: Vec<Secret>,
    /// Tasks that Slurm starts on one node.
    pub(crate) tasks: i64,
    /// Processes of one node, the workers of a launcher included.
    pub(crate) processes: i64,
    /// What it starts from; nothing where its programs are those of the nodes.
    pub(crate) container: Option<Container>,
    pub(crate) workdir: Option<Word>,
    /// Variables that win against those of the image, as pyxis lists them.
    pub(crate) passed: String,
    pub(crate) scratch: Vec<ScratchFolder>,
    pub(crate) buckets: Vec<BucketStep>,
    pub(crate) mounts: Vec<MountLine>,
    pub(crate) network: Option<Network>,
    pub(crate) launcher: &'static str,
    pub(crate) mpi: Option<String>,
    pub(crate) binding: Option<String>,
    pub(crate) binding_program: Option<String>,
    /// Options of srun that its job asks for.
    pub(crate) options: Vec<String>,
    pub(crate) command: Vec<Word>,
    /// Commands of each node before its tasks.
    pub(crate) setup: Vec<Vec<Word>>,
    /// Commands of each node after its tasks.
    pub(crate) cleanup: Vec<Vec<Word>>,
    /// Words of the command that each node knows.
    pub(crate) node_words: Vec<Splice>,
    /// Variables that each task sets for itself.
    pub(crate) task_env: Vec<Variable>,
    /// What has to be there of shared filesystems.
    #[serde(skip)]
    pub(crate) folders: Vec<SharedFolder>,
    /// What it reads of Terraform.
    #[serde(skip)]
    pub(crate) deferred: Vec<DeferredValue>,
}

/// The image of a gang.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Container {
    /// The squashfs file, as a job finds it.
    pub(crate) squashfs: Word,
    /// The same as who submits sees it.
    pub(crate) file: String,
    /// What it is made of, as pyxis names it; nothing of a file that has to be there.
    pub(crate) image: Option<String>,
    /// Where nodes have a copy of it.
    pub(crate) copy: Option<ImageCopy>,
}

/// A squashfs file that is copied to the nodes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ImageCopy {
    /// A folder of each node.
    pub(crate) folder: String,
    /// Its name there, behind what tells jobs apart.
    pub(crate) file: String,
}

/// A gang that has to come first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Before {
    /// Its number among the gangs of the job.
    pub(crate) number: usize,
    /// Its processes, where all of them have to have started; otherwise it has to have ended well.
    pub(crate) processes: Option<i64>,
}

/// The step of the script's gang; what Slurm cannot do is said in `refused`.
pub(crate) fn step(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Step {
    let Script { plan, gang, berth, .. } = script;
    let plan::Gang {
        program,
        role,
        // Slurm has no replicas of a job, and tells its nodes and processes of each other.
        slices: _,
        nodes_per_slice: _,
        nodes,
        chips_per_node,
        world_size: _,
        rendezvous: _,
        processes_per_node,
        port,
        // Asked for where nodes are shared, by its berth.
        request: _,
        image,
        // Processes of a job see the memory of their node.
        shared_memory: _,
        // The network's.
        fabric: _,
        // Jobs act as their nodes do.
        identity: _,
        // Nothing here is a pod.
        pod: _,
        // The run's.
        grace: _,
        after,
        // Refused, or left out with a word.
        ready_when: _,
        retries: _,
        decides,
    } = gang;
    let plan::Program {
        noun: _,
        place: _,
        image: used,
        launcher,
        command,
        gpu_check: _,
        setup: _,
        cleanup,
        env: _,
        mounts: _,
        workdir,
        // Of Vertex AI's images.
        packages: _,
        sidecars: _,
    } = &**program;
    let launcher = launcher.value;
    let batch = &script.workload.batch.value;
    let mounts = mounts::lower(script, refused);
    let words = Words { plan, run: script.run, gang, batch };
    let (env, secrets) = environment(gang, words);
    words.unknown(refused);
    let ranked = matches!(launcher, Launcher::Srun | Launcher::Mpirun);
    let binding = (ranked && batch.cpu_bind.is_none())
        .then(|| plan.catalog().slurm_machine(&script.nodes.machine.name)?.cpu_bind.clone())
        .flatten();
    let gpus = if script.nodes.machine.tpu.is_some() { 0 } else { *chips_per_node };
    // Whose it is led to the script.
    let plan::Berth { gang: _, first, shared, cpus, memory } = berth;
    Step {
        name: if script.alone() { ONLY.to_owned() } else { role.clone() },
        title: format!("{} of {}", in_words(*nodes), script.partition_noun.outside.path),
        component: script.hetero().then_some(script.number),
        first,
        nodes: *nodes,
        shared,
        decides: *decides,
        marked: script.run.gangs().any(|other| other.after.iter().any(|it| marks(it, gang))),
        after: after.iter().map(|awaits| before(script, awaits)).collect(),
        gpus: Some(gpus).filter(|gpus| *gpus != script.gpus()),
        cpus: cpus.map(|cpus| (cpus / tasks(gang)).max(1)),
        memory: memory.map(|memory| memory.mib()),
        port: *port,
        ports: (!script.partition.exclusive).then(|| PORTS.min(65536 - *port)),
        passed: passed(&env, &secrets),
        env,
        secrets,
        tasks: tasks(gang),
        processes: (*processes_per_node).max(1),
        container: container(script, used, image),
        workdir: workdir.as_deref().map(in_job),
        scratch: mounts.scratch,
        buckets: mounts.buckets,
        mounts: mounts.lines,
        network: network::lower(script),
        launcher: match launcher {
            Launcher::Torchrun { rendezvous: Rendezvous::Static } => "torchrun",
            Launcher::Torchrun { rendezvous: Rendezvous::C10d } => "torchrun c10d",
            Launcher::Entrypoint => "entrypoint",
            Launcher::Srun
            | Launcher::Mpirun
            | Launcher::Python
            | Launcher::Command
            | Launcher::Submitter => "tasks",
        },
        mpi: mpi(script).map(str::to_owned),
        binding_program: binding.as_deref().and_then(|it| it.split(' ').next()).map(str::to_owned),
        binding,
        options: batch::of_steps(batch, gpus),
        command: command.iter().map(|word| words.in_batch(word)).collect(),
        setup: words.commands(&launch::before(program)),
        cleanup: words.commands(cleanup),
        node_words: words.of_nodes(command),
        task_env: words.env_of_tasks(),
        folders: mounts.folders,
        deferred: deferred_values(gang),
    }
}

/// What a gang starts from. An image of a registry has a file in the folder that all nodes see; another one is where the blueprint
/// says.
fn container(script: Script<'_>, used: &ImageUse, reference: &str) -> Option<Container> {
    let (registry, name) = named(reference);
    let (file, image) = match used {
        ImageUse::NoContainer => return None,
        ImageUse::Squashfs { path, from } => (path.clone(), from.is_some().then_some(registry)),
        ImageUse::Image(_) | ImageUse::String(_) => {
            (format!("{}/images/{name}.sqsh", script.shared()), Some(registry))
        }
    };
    let folder = script.workload.batch.value.stage_images.as_ref();
    let copy = folder.map(|folder| ImageCopy {
        folder: folder.value.trim_end_matches('/').to_owned(),
        file: file.rsplit('/').next().unwrap_or_default().to_owned(),
    });
    Some(Container { squashfs: in_job(&file), file, image, copy })
}

/// So many nodes.
pub(crate) fn in_words(nodes: i64) -> String {
    format!("{nodes} {}", if nodes == 1 { "node" } else { "nodes" })
}

/// Tasks that Slurm starts on one node.
pub(crate) fn tasks(gang: &Gang) -> i64 {
    match gang.program.launcher.value {
        Launcher::Srun | Launcher::Mpirun => gang.processes_per_node.max(1),
        Launcher::Torchrun { .. }
        | Launcher::Python
        | Launcher::Command
        | Launcher::Submitter
        | Launcher::Entrypoint => 1,
    }
}

/// Whether a gang that waits is to see what processes of this one have started.
fn marks(awaits: &Awaits, gang: &Gang) -> bool {
    awaits.role == gang.role && awaits.until == Until::Ready
}

fn before(script: Script<'_>, awaits: &Awaits) -> Before {
    // By its role the plan finds it.
    let plan::Awaits { role: _, until } = awaits;
    let (number, gang) = script.plan.awaited(script.run, awaits);
    let processes = match until {
        Until::Ready => Some(gang.nodes.saturating_mul(tasks(gang))),
        Until::Complete => None,
    };
    Before { number, processes }
}

/// The image as pyxis names it, and a file name for its squashfs.
///
/// A registry is set off from the path by `#`; what begins with `/` or `.` would be a file.
pub(crate) fn named(reference: &str) -> (String, String) {
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

fn environment(gang: &Gang, words: Words<'_>) -> (Vec<Variable>, Vec<Secret>) {
    let secrets = gang.program.env.iter().filter_map(|variable| match &variable.value {
        Env::Secret { name, key } => Some(Secret::new(&variable.name, name, key)),
        Env::Word(_) => None,
    });
    (words.env_of_batch(), secrets.collect())
}

fn passed(env: &[Variable], secrets: &[Secret]) -> String {
    let rendezvous = ["MASTER_ADDR", "MASTER_PORT"].into_iter();
    let own =
        env.iter().map(|it| it.name.as_str()).chain(secrets.iter().map(|it| it.variable.as_str()));
    let names: BTreeSet<&str> = rendezvous.chain(own).collect();
    names.into_iter().collect::<Vec<_>>().join(",")
}

/// The plugin that starts MPI programs; without one each process is a program of one.
fn mpi(script: Script<'_>) -> Option<&str> {
    if let Some(said) = script.workload.batch.value.mpi.set() {
        return Some(said.value.as_str()).filter(|plugin| *plugin != "none");
    }
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
    use super::named;

    #[test]
    fn images_are_named_as_the_container_plugin_reads_them() {
        for (reference, name) in [
            ("nvcr.io/nvidia/nemo:24.07", "nvcr.io#nvidia/nemo:24.07"),
            ("localhost:5000/a/b", "localhost:5000#a/b"),
            ("us-east4-docker.pkg.dev/p/r/i:v1", "us-east4-docker.pkg.dev#p/r/i:v1"),
            ("docker.io/pytorch/pytorch", "pytorch/pytorch"),
            ("pytorch/pytorch:2.5", "pytorch/pytorch:2.5"),
            ("ubuntu", "ubuntu"),
            ("/shared/nemo.sqsh", "/shared/nemo.sqsh"),
        ] {
            assert_eq!(named(reference).0, name);
        }
        assert_eq!(named("nvcr.io/nvidia/nemo:24.07").1, "nvcr.io+nvidia+nemo+24.07");
    }
}
