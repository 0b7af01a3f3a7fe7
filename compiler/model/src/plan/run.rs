//! Runs, resolved: what a workload and its groups start, mount, read and wait for.
//!
//! A run is gangs of equal nodes. The first is the workload's own, each of its groups is another.
//! Targets spell gangs and look nothing up: what a mount leads to, who may write there, which root knows a value that
//! comes later, is decided here.

mod configured;
mod failure;
mod faults;
mod functions;
mod gangs;
mod later;
mod lost;
mod mount;
mod options;
mod overlooked;
mod questions;
mod reckoned;
mod removals;
mod said;
mod settled;
mod shell;
mod site;
mod started;
mod starters;
mod traps;
mod words;

pub use failure::{Reaction, Then};
pub(super) use faults::{Beside, answers, faults, faults_of, packages_of, slip};
pub use faults::{Door, Fault, Hosted, Moment};
pub use gangs::Gangs;
pub use later::{Later, Root};
pub use lost::Lost;
pub use mount::{Held, MountPlan, Server, Source};
pub(super) use options::Options;
pub use questions::Question;
pub(super) use removals::removals;
pub use removals::{Fate, Removal};
pub use said::Said;
pub(super) use shell::{ATTEMPT, is_made_up};
pub use site::{Berth, Component, GkeSite, Reducers, Site, SlurmSite, VertexSite};
pub(super) use started::Around;
pub use started::{CommandLine, Started};
pub use words::{Env, Launcher, Piece, RunValue, Variable, Word};

use super::{Amounts, Misfit, Place, PoolPlan, Selection};
use crate::catalog::Stack;
use crate::nouns::{Identity, ImageUse, Level, Probe, Queue, Ref, Success};
use crate::{Deferred, Duration, NounId, Size, Topology};
use slipform_source::{Span, Spanned};
use std::sync::Arc;

/// A workload as it will run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Where it runs, and who it is there.
    pub site: Site,
    /// Its name where it runs, within the limit; for GKE the JobSet's.
    pub name: String,
    /// How long before its end it is warned.
    pub grace: Duration,
    /// GPUs or chips in all.
    pub chips: i64,
    /// What tensor, pipeline and context parallelism leave of all chips; `None` where it does not divide.
    pub data_parallel: Option<i64>,
    /// What it is made of.
    pub gangs: Gangs,
    /// When it has succeeded.
    pub success: Success,
    /// What failures mean, in order; then what its restarts mean.
    pub on_failure: Vec<Reaction>,
    /// The role of the gang whose first node the others are told of.
    pub coordinator: Option<String>,
    /// Whether its nodes find each other by name.
    pub host_names: bool,
    /// The resource name of the dashboard that shows its metrics: those that decide its end are told of it.
    pub dashboard: Option<Later>,
}

impl Run {
    /// Its own nodes: the run is over when they are.
    pub fn lead(&self) -> &Gang {
        self.gangs.lead()
    }

    /// Those of its groups.
    pub fn groups(&self) -> &[Gang] {
        self.gangs.groups()
    }

    /// Where it runs on Slurm; `None` of one elsewhere.
    pub fn slurm(&self) -> Option<&SlurmSite> {
        match &self.site {
            Site::Slurm(site) => Some(site),
            Site::Gke(_) | Site::Vertex(_) => None,
        }
    }

    /// Where it runs on GKE; `None` of one elsewhere.
    pub fn gke(&self) -> Option<&GkeSite> {
        match &self.site {
            Site::Gke(site) => Some(site),
            Site::Slurm(_) | Site::Vertex(_) => None,
        }
    }

    /// The queue that admits it.
    pub fn queue(&self) -> Option<Ref<Queue>> {
        self.gke()?.queue
    }

    /// All its gangs, its own first.
    pub fn gangs(&self) -> impl Iterator<Item = &Gang> {
        self.gangs.iter()
    }

    /// What its gangs ask of a pool together, where the leading one runs at this place.
    pub(crate) fn asks(&self, place: NounId, pool: NounId) -> Amounts {
        let lead = self.lead();
        let own = lead.request.times(if place == pool { lead.nodes } else { 0 });
        own.plus(asked_on(self.groups(), pool))
    }
}

/// What the gangs on a pool ask of it together.
pub(crate) fn asked_on<'a>(gangs: impl IntoIterator<Item = &'a Gang>, pool: NounId) -> Amounts {
    let here = gangs.into_iter().filter(|gang| gang.program.place.value.id() == pool);
    here.fold(Amounts::NONE, |all, gang| all.plus(gang.request.times(gang.nodes)))
}

/// Equal nodes that start together.
#[derive(Clone, PartialEq, Debug)]
pub struct Gang {
    /// What each of them starts.
    pub program: Arc<Program>,
    /// What it is called among the gangs of its run: `slice` for TPUs, `node` for GPUs, a group's own name. Its replicated job
    /// and its container on GKE, its step on Slurm.
    pub role: String,
    /// Replicas of it: TPU slices, or 1.
    pub slices: i64,
    /// Nodes of one replica.
    pub nodes_per_slice: i64,
    /// Nodes in all.
    pub nodes: i64,
    /// GPUs or chips of one node.
    pub chips_per_node: i64,
    /// Processes that the launch starts on one node, workers of a launcher included.
    pub processes_per_node: i64,
    /// Processes in all.
    pub world_size: i64,
    /// The host that the others find the first process under, where it is known before it runs
    /// (`pretrain-node-0-0.pretrain` on GKE); `None` where the scheduler tells (Slurm, Vertex AI), and of one process.
    pub rendezvous: Option<String>,
    /// The port of the rendezvous.
    pub port: i64,
    /// What it asks of each of its nodes, where nodes are divided.
    pub request: Amounts,
    /// The reference of what its containers are made from.
    pub image: String,
    /// Memory shared between the processes of a node.
    pub shared_memory: Size,
    /// The machine's fabric is used: more than one node, GPUDirect, not turned off.
    pub fabric: bool,
    /// Whom its processes are: the workload's, where its group names no other.
    pub identity: Option<Ref<Identity>>,
    /// What its pods are besides their program, which says something on GKE alone.
    pub pod: PodPlan,
    /// How long before its end it is warned.
    pub grace: Duration,
    /// What it waits for.
    pub after: Vec<Awaits>,
    /// When it is ready for those that wait for it; once its processes have started, where nothing says so.
    pub ready_when: Option<Probe>,
    /// How often one of its nodes starts again by itself, before that counts as a failure of the run.
    pub retries: i64,
    /// The run is over only when it is, and fails when it does. One that does not decide is a helper, which comes and goes with
    /// the run.
    pub decides: bool,
}

/// How close together the nodes of a gang are placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearness {
    /// All of them.
    pub all: Together,
    /// So many in one domain of each of these levels, widest first; each is a part of the one before.
    pub layers: Vec<(Level, i64)>,
}

/// Where all nodes of a gang are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Together {
    /// In one domain of a level.
    Required(Level),
    /// In as few domains of a level as possible.
    Preferred(Level),
    /// Wherever there is room.
    Anywhere,
    /// Wherever their layers have room.
    Apart,
}

impl Gang {
    /// Whether each of its pods takes a node of a pool for itself: no second one fits beside it.
    pub(crate) fn takes_nodes(&self, pool: &PoolPlan) -> bool {
        self.decides && pool.allocatable.holds(self.request).is_some_and(|pods| pods < 2)
    }
}

/// Slices that are joined or cut as their run is admitted: what Kueue is told of how their nodes lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The shape of each.
    pub shape: Topology,
    /// The label of nodes that all of them have one value of.
    pub required: Option<String>,
    /// The label of nodes that they have few values of.
    pub preferred: Option<String>,
    /// The label of nodes that so many pods have one value of.
    pub each: Option<(String, i64)>,
    /// The label of nodes that tells how their parts are, with what it may say.
    pub healthy: Option<(String, Vec<String>)>,
}

/// A policy of ours: port of the secure shell daemons between the nodes of one MPI run; 22 may be the node's own.
pub const SSH_PORT: i64 = 222;

/// What a pod is besides its program, and where it may be.
#[derive(Clone, PartialEq, Debug)]
pub struct PodPlan {
    /// What its container is called.
    pub container: String,
    /// Its container may do on its node whatever root may.
    pub privileged: bool,
    /// Capabilities of its container besides the usual ones and the fabric's.
    pub capabilities: Vec<String>,
    /// The longest that it may run.
    pub deadline: Option<Duration>,
    /// The service account: the identity's, one that is there, or `default`.
    pub account: String,
    /// Its service account is someone else's.
    pub lent_account: bool,
    /// It is on the network of its node.
    pub host_network: bool,
    /// Ports that its container listens on besides those of its launch, by name.
    pub ports: Vec<(String, i64)>,
    /// The most memory that its container may have: what its node has for pods, where nothing says how much it asks for. What takes more
    /// fails by itself; otherwise its node would put it out, which is nobody's fault.
    pub memory_limit: Option<Size>,
    /// The nodes that it may run on.
    pub selection: Selection,
    /// Why it does not fit the pool that it names.
    pub misfits: Vec<Misfit>,
    /// The label of nodes that tells domains apart, one of which each slice of its gang has to itself.
    pub domain: Option<String>,
    /// How close together its queue places the nodes of its gang.
    pub nearness: Option<Nearness>,
    /// What the slices of its gang are joined of or cut from as it is admitted.
    pub cut: Option<Box<Cut>>,
}

/// A gang of the same run that has to come first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Awaits {
    /// Its role.
    pub role: String,
    /// How far it has to be.
    pub until: Until,
}

/// How far a gang has to be before another one starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// All its processes have started.
    Ready,
    /// It has ended without a failure.
    Complete,
}

/// What each node of a gang starts, and what it sees.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The workload, or the group.
    pub noun: NounId,
    /// The pool, partition or Vertex AI cluster that it names.
    pub place: Spanned<Place>,
    /// The image as the blueprint says it.
    pub image: ImageUse,
    /// Python packages that the image installs before it starts a module of them (Vertex AI).
    pub packages: Vec<String>,
    /// How its processes start.
    pub launcher: Spanned<Launcher>,
    /// The command: for `torchrun` what comes behind the launcher's own options, for `python` the interpreter and its
    /// script, for `entrypoint` what the image's own is given, otherwise the command itself.
    pub command: Vec<Word>,
    /// GPUs that have to be well on each node before anything else, where they are looked at.
    pub gpu_check: Option<i64>,
    /// Commands of each node before its processes start.
    pub setup: Vec<Vec<Word>>,
    /// Commands of each node after its processes have ended.
    pub cleanup: Vec<Vec<Word>>,
    /// Its variables, in order.
    pub env: Vec<Variable>,
    /// What its processes see of storage.
    pub mounts: Vec<MountPlan>,
    /// The folder that its processes start in.
    pub workdir: Option<String>,
    /// Containers beside its own.
    pub sidecars: Vec<SidecarPlan>,
}

/// A container beside those of a gang, on each of its nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct SidecarPlan {
    /// What it is called.
    pub name: String,
    /// The image as the blueprint says it.
    pub image: ImageUse,
    /// Its command; the image's own entry point where there is none.
    pub command: Vec<Word>,
    /// Arguments behind it.
    pub args: Vec<Word>,
    /// Its variables, in order.
    pub env: Vec<Variable>,
    /// What it asks for.
    pub request: Amounts,
    /// Where it listens.
    pub port: Option<i64>,
}

/// Whether a path is a folder, or lies in it.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Program {
    /// The mount that a path lies in, with its place: the deepest, which hides the others.
    pub(crate) fn holder(&self, path: &str) -> Option<(usize, &MountPlan)> {
        let mounts = self.mounts.iter().enumerate();
        let holders = mounts.filter(|(_, mount)| is_below(path, &mount.path.value));
        holders.max_by_key(|(_, mount)| mount.path.value.trim_end_matches('/').len())
    }

    /// Space on the node's own disks that its mounts ask for: scratch, and what is kept of buckets.
    pub fn scratch(&self) -> Size {
        let sizes = self.mounts.iter().map(|mount| match mount.source.value {
            Source::Scratch { size } => size.0,
            Source::Bucket { .. } => mount.cache.map_or(0, |cache| cache.0),
            Source::Share { .. }
            | Source::LocalCheckpoints { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => 0,
        });
        Size(sizes.fold(0, u64::saturating_add))
    }

    /// What containers beside its own ask of a node.
    pub fn beside(&self) -> Amounts {
        self.sidecars.iter().fold(Amounts::NONE, |all, sidecar| all.plus(sidecar.request))
    }

    /// Every text of its command and its variables.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let variables = self.env.iter().filter_map(|variable| match &variable.value {
            Env::Word(word) => Some(word),
            Env::Secret { .. } => None,
        });
        let pieces = self.words().chain(variables).flat_map(|word| &word.0);
        pieces.filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Later(_) | Piece::Run(_) => None,
        })
    }

    /// Whether its nodes keep checkpoints in memory.
    pub fn keeps_checkpoints(&self) -> bool {
        let kept =
            |mount: &MountPlan| matches!(mount.source.value, Source::LocalCheckpoints { .. });
        self.mounts.iter().any(kept)
    }

    /// Memory of each node that is kept for its checkpoints, besides its pods.
    pub(crate) fn checkpoints(&self) -> Size {
        let kept = self.mounts.iter().map(|mount| match mount.source.value {
            Source::LocalCheckpoints { memory, .. } => memory.0,
            Source::Bucket { .. }
            | Source::Share { .. }
            | Source::Scratch { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => 0,
        });
        Size(kept.fold(0, u64::max))
    }

    /// What serves its buckets asks of a node, as far as its mounts say so.
    pub(crate) fn served(&self) -> Amounts {
        let of = |mount: &MountPlan| Amounts {
            millicpus: mount.cpus.unwrap_or(0).saturating_mul(1000),
            memory: mount.memory.unwrap_or(Size(0)),
            ..Amounts::NONE
        };
        self.mounts.iter().map(of).fold(Amounts::NONE, Amounts::plus)
    }

    /// The values that its command and its variables take from Terraform, in order, once each.
    pub fn reads(&self) -> Vec<&Later> {
        let beside = self.sidecars.iter();
        let env = self.env.iter().chain(beside.clone().flat_map(|sidecar| &sidecar.env));
        let variables = env.filter_map(|variable| match &variable.value {
            Env::Word(word) => Some(word),
            Env::Secret { .. } => None,
        });
        let commands = self
            .words()
            .chain(beside.flat_map(|sidecar| sidecar.command.iter().chain(&sidecar.args)));
        let mut reads: Vec<&Later> = Vec::new();
        for later in commands.chain(variables).flat_map(Word::laters) {
            if !reads.contains(&later) {
                reads.push(later);
            }
        }
        reads
    }

    /// The words of all its commands, in the order in which they run; what is cleaned up last stands before the processes'.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        self.setup.iter().chain(&self.cleanup).flatten().chain(&self.command)
    }

    /// The names of its variables that a network stack sets as well.
    pub fn owned<'a>(&'a self, stack: &'a Stack) -> impl Iterator<Item = &'a str> {
        self.env.iter().map(|it| it.name.as_str()).filter(|name| stack.owns(name))
    }

    /// What only the run knows of its command and its variables, and where the blueprint asks for it.
    pub fn known_to_run(&self) -> impl Iterator<Item = (RunValue, Span)> {
        let command = self.words().map(|word| (word, self.launcher.span));
        let variables = self.env.iter().filter_map(|variable| match &variable.value {
            Env::Word(word) => Some((word, variable.span)),
            Env::Secret { .. } => None,
        });
        command.chain(variables).flat_map(|(word, span)| word.of_run().map(move |it| (it, span)))
    }

    /// The workloads and groups whose first node it is told, as often as it asks for each.
    pub fn hosts(&self) -> impl Iterator<Item = NounId> {
        self.known_to_run().filter_map(|(value, _)| match value {
            RunValue::Host(noun) => Some(noun),
            RunValue::Id
            | RunValue::Attempt
            | RunValue::NodeRank
            | RunValue::SliceIndex
            | RunValue::NodeCount
            | RunValue::ArrayIndex => None,
        })
    }

    /// The values that its mounts take from Terraform.
    pub(crate) fn mounted(&self) -> impl Iterator<Item = (&Later, Span)> {
        self.mounts.iter().filter_map(|mount| Some((mount.source.value.address()?, mount.span)))
    }
}

impl super::Plan {
    /// The gangs of a workload, its own first; none where the workload could not be understood.
    pub fn gangs(&self, workload: NounId) -> impl Iterator<Item = &Gang> {
        self.workload(workload).into_iter().flat_map(Run::gangs)
    }

    /// The gang of a group.
    pub fn group(&self, id: NounId) -> Option<&Gang> {
        let run = self.workload(self.model.get(id)?.parent?)?;
        run.groups().iter().find(|gang| gang.program.noun == id)
    }

    /// The gang of a workload's own nodes, or of a group.
    pub fn gang(&self, id: NounId) -> Option<&Gang> {
        self.workload(id).map(Run::lead).or_else(|| self.group(id))
    }

    /// The ports that the launch of a gang on GKE listens on.
    pub fn launch_ports(&self, gang: &Gang) -> Vec<i64> {
        let Some(pool) = self.pool(gang.program.place.value) else { return Vec::new() };
        if pool.slice.is_some() && gang.request.devices > 0 {
            let facts = &self.model.catalog.kubernetes().tpu_pods.ports;
            let used = facts.iter().filter(|(use_, _)| gang.slices > 1 || *use_ != "megascale");
            return used.map(|(_, port)| i64::from(*port)).collect();
        }
        if gang.nodes < 2 {
            return Vec::new();
        }
        let ssh = gang.program.launcher.value == Launcher::Mpirun;
        vec![if ssh { SSH_PORT } else { gang.port }]
    }

    /// What a deferred value is called, and who knows it.
    pub fn later(&self, value: &Deferred) -> Later {
        Later::of(self, value)
    }

    /// Every value that a root hands on: each that a noun which is made comes to, and of what exists already those that
    /// something reads, with the place of the first reader.
    pub fn handed_on(&self) -> &[(Later, Span)] {
        &self.handed_on
    }

    /// What a noun that is made hands on, of the same list.
    pub fn known_later(&self, noun: NounId) -> Option<&Later> {
        self.handed_on.iter().map(|(later, _)| later).find(|later| later.noun == noun)
    }
}
