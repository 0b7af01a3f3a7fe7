//! What jobs of Slurm take for granted of the hosts of their cluster: folders, programs, tools.

use serde::Serialize;
use slipform_model::nouns::{Ref, SlurmCluster, Workload};
use slipform_model::plan::{self, Env, Launcher, MountPlan, Piece, Run, Site, Sound, Source, Word};
use std::collections::{BTreeMap, BTreeSet};

/// What the hosts of a cluster must have for its jobs.
#[derive(Debug, Default, Serialize)]
pub(crate) struct OnNodes {
    /// Filesystems that jobs mount, where nodes have them.
    pub(crate) folders: Vec<Folder>,
    /// Programs that lie in them.
    pub(crate) programs: Vec<Program>,
    /// Jobs mount buckets.
    pub(crate) buckets: bool,
    /// Jobs read secrets from the home folder of who submits them.
    pub(crate) secrets: bool,
    /// Where processes of one job meet.
    pub(crate) ports: BTreeSet<i64>,
}

/// A folder that all nodes see.
#[derive(Debug, Serialize)]
pub(crate) struct Folder {
    pub(crate) path: String,
    /// Who mounts it.
    pub(crate) workloads: String,
    pub(crate) written: bool,
    /// A folder of the nodes, which may be one of their own disks.
    pub(crate) each: bool,
}

/// A program that is in no image.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Program {
    /// As nodes see it.
    pub(crate) path: String,
    pub(crate) workload: String,
}

impl OnNodes {
    /// What these workloads take for granted.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a Run>) -> Self {
        let mut found = Self::default();
        let mut folders: BTreeMap<String, (BTreeSet<&str>, bool, bool)> = BTreeMap::new();
        let mut programs: BTreeSet<Program> = BTreeSet::new();
        for (run, gang) in runs.flat_map(|run| run.gangs().map(move |gang| (run, gang))) {
            let program = &gang.program;
            found.ports.insert(gang.port);
            found.secrets |= program.env.iter().any(|it| matches!(it.value, Env::Secret { .. }));
            for mount in &program.mounts {
                match &mount.source.value {
                    Source::Bucket { .. } => found.buckets = true,
                    Source::Share { .. } | Source::HostPath { .. } => {
                        let Some(path) = on_nodes_at(mount) else { continue };
                        let of_nodes = matches!(mount.source.value, Source::HostPath { .. });
                        let (users, written, each) = folders.entry(path.to_owned()).or_insert((
                            BTreeSet::new(),
                            false,
                            of_nodes,
                        ));
                        users.insert(&run.name);
                        *written |= !mount.reads_alone();
                        *each &= of_nodes;
                    }
                    Source::Scratch { .. }
                    | Source::LocalCheckpoints { .. }
                    | Source::Object { .. } => {}
                }
            }
            let path = file(program).and_then(|path| on_nodes(program, path));
            programs.extend(path.map(|path| Program { path, workload: run.name.clone() }));
        }
        found.programs = programs.into_iter().collect();
        found.folders = folders
            .into_iter()
            .map(|(path, (users, written, each))| {
                let workloads = users.into_iter().collect::<Vec<_>>().join(", ");
                Folder { path, workloads, written, each }
            })
            .collect();
        found
    }

    /// What the workloads on the partitions of a cluster take for granted.
    pub(crate) fn of_cluster(plan: Sound<'_>, cluster: Ref<SlurmCluster>) -> Self {
        let here = |run: &&Run| match &run.site {
            Site::Slurm(site) => site.cluster == cluster,
            Site::Gke(_) | Site::Vertex(_) => false,
        };
        Self::of(plan.all::<Workload>().map(|workload| workload.plan).filter(here))
    }
}

/// Where nodes have what is mounted, if they have it before the job comes.
fn on_nodes_at(mount: &MountPlan) -> Option<&str> {
    match &mount.source.value {
        Source::Share { server, .. } => Some(server.on_nodes(&mount.path.value)),
        Source::HostPath { path } => known_before(path),
        Source::Bucket { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Scratch { .. }
        | Source::Object { .. } => None,
    }
}

/// What of a path is the same for every job: nothing of one from the folder of a submission on, and no part that says whose job it
/// is, or which.
fn known_before(path: &str) -> Option<&str> {
    let known = match path.match_indices('%').find(|(at, _)| {
        path.get(at + 1..).is_some_and(|rest| rest.starts_with(['u', 'j', 'x', 'A', 'a']))
    }) {
        Some((at, _)) => path.get(..path.get(..at)?.rfind('/')?)?,
        None => path,
    };
    (path.starts_with('/') && !known.is_empty()).then_some(known)
}

/// The file that a program is, where it says a path.
fn file(program: &plan::Program) -> Option<&str> {
    let word = |at: usize| text(program.command.get(at)?);
    let first = word(0)?;
    match program.launcher.value {
        Launcher::Torchrun { .. } => Some(first),
        Launcher::Python => word(1),
        Launcher::Srun | Launcher::Mpirun | Launcher::Command => {
            let name = first.rsplit('/').next().unwrap_or(first);
            let interprets = name.starts_with("python") || matches!(name, "bash" | "sh");
            if interprets { word(1) } else { Some(first) }
        }
        // the image's own, and one of the host that submits
        Launcher::Entrypoint | Launcher::Submitter => None,
    }
}

fn text(word: &Word) -> Option<&str> {
    match word.0.as_slice() {
        [Piece::Text(text)] => Some(text),
        _ => None,
    }
}

/// A path of the container as nodes have it, where it lies in a filesystem that is mounted.
fn on_nodes(program: &plan::Program, path: &str) -> Option<String> {
    let below = |folder: &str| path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/');
    let mounts = program.mounts.iter().filter_map(|mount| Some((mount, below(&mount.path.value)?)));
    let (mount, rest) = mounts.max_by_key(|(mount, _)| mount.path.value.len())?;
    Some(format!("{}/{rest}", mount.inside(on_nodes_at(mount)?).trim_end_matches('/')))
}
