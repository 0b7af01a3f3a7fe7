//! Mounts as the container plugin takes them, and what has to be there on each node first.

use super::job::Script;
use super::paths::in_job;
use crate::launch::{Piece, Word};
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::nouns::{Bucket, ImageUse, Ref};
use slipform_model::plan::{self, MountPlan, Source};
use slipform_source::Spanned;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_MOUNT_PATH = "slurm/mount-path":
        "this path cannot be mounted into a container of Slurm",
        "choose a path without the characters that the report names";
}

/// Mounts of a job.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Mounts {
    /// Whose they are, where the job has several gangs: some nodes are those of two.
    role: Option<String>,
    /// Its processes see paths of their nodes as they are: nothing is put elsewhere.
    bare: bool,
    pub(crate) lines: Vec<MountLine>,
    pub(crate) scratch: Vec<ScratchFolder>,
    pub(crate) buckets: Vec<BucketStep>,
    pub(crate) folders: Vec<SharedFolder>,
}

/// `SOURCE:TARGET[:FLAGS]`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct MountLine {
    /// The source is under the job's own folder on the node.
    pub(crate) node_local: bool,
    pub(crate) text: Word,
    /// How many folders its target is below the root.
    #[serde(skip)]
    pub(crate) depth: usize,
}

/// A folder on the node's own disks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ScratchFolder {
    pub(crate) source: Word,
    pub(crate) note: String,
}

/// A folder or file that nodes have: looked for where it is only read, a folder made otherwise where nothing is there.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SharedFolder {
    pub(crate) source: Word,
    pub(crate) read_only: bool,
    /// Each node has one of its own, for all that is known.
    pub(crate) each: bool,
    pub(crate) help: String,
}

/// A bucket that a step of its own serves on every node.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct BucketStep {
    pub(crate) step: String,
    pub(crate) note: String,
    pub(crate) bucket: String,
    pub(crate) source: String,
    pub(crate) read_only: bool,
    /// Folders that must exist before they can be mounted.
    pub(crate) folders: Vec<Word>,
}

/// The mounts of a workload; what cannot be mounted is said in `refused`.
pub(crate) fn lower(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Mounts {
    let role = (!script.alone()).then(|| script.gang.role.clone());
    let bare = script.gang.program.image == ImageUse::NoContainer;
    let mut mounts = Mounts { role, bare, ..Mounts::default() };
    for mount in &script.gang.program.mounts {
        // Nothing is cached, so `purpose` does not matter; `access` is among the flags of a line.
        let plan::MountPlan {
            source,
            folder,
            path,
            access: _,
            purpose: _,
            cache: _,
            cpus: _,
            memory: _,
            span: _,
        } = mount;
        if let Some(why) =
            [path.value.as_str(), folder.as_deref().unwrap_or("")].into_iter().find_map(unspeakable)
        {
            let message = format!(
                "`{}` cannot be mounted by the container plugin of Slurm: {why}",
                path.value
            );
            refused.push(Diagnostic::error(SLURM_MOUNT_PATH, message, path.span));
            continue;
        }
        if mounts.bare && !mounts.is_there(script, mount) {
            refused.push(elsewhere(path));
            continue;
        }
        match &source.value {
            Source::Bucket { noun, name, access: _ } => {
                mounts.bucket(script, *noun, name, mount);
            }
            Source::Share { noun: _, server } => {
                mounts.there(server.on_nodes(&path.value), mount, false);
            }
            // what begins where the job is submitted is where all nodes see it
            Source::HostPath { path } => mounts.there(path, mount, path.starts_with('/')),
            // A rule keeps what only Kubernetes has away from here.
            Source::Object { kind: _, name: _ }
            | Source::LocalCheckpoints { noun: _, name: _, memory: _ } => {}
            Source::Scratch { size } => {
                let source = match &mounts.role {
                    Some(role) => format!("scratch/{role}{}", path.value),
                    None => format!("scratch{}", path.value),
                };
                let note =
                    format!("Scratch space at {}: {size} on the node's own disks.", path.value);
                mounts.line(true, &source, mount);
                mounts.scratch.push(ScratchFolder { source: in_job(&mount.inside(&source)), note });
            }
        }
    }
    // a folder is mounted before those below it, which it would hide
    mounts.lines.sort_by_key(|line| line.depth);
    mounts
}

impl Mounts {
    /// Whether nodes have what is mounted where it is mounted.
    fn is_there(&self, script: Script<'_>, mount: &MountPlan) -> bool {
        let path = match &mount.source.value {
            Source::Share { noun: _, server } => server.on_nodes(&mount.path.value),
            Source::HostPath { path } => path,
            Source::Bucket { .. } => return of_cluster(script, mount).is_some(),
            Source::Object { .. } | Source::LocalCheckpoints { .. } | Source::Scratch { .. } => {
                return false;
            }
        };
        mount.inside(path).trim_end_matches('/') == mount.path.value.trim_end_matches('/')
    }

    fn line(&mut self, node_local: bool, source: &str, mount: &MountPlan) {
        if self.bare {
            return;
        }
        let flags = if mount.reads_alone() { ":ro" } else { "" };
        let target = &mount.path.value;
        let depth = target.split('/').filter(|part| !part.is_empty()).count();
        let mut text = in_job(&mount.inside(source));
        text.followed_by(":");
        for piece in in_job(target).0 {
            match piece {
                Piece::Text(part) => text.followed_by(&part),
                Piece::Deferred(_) | Piece::Shell(_) => text.0.push(piece),
            }
        }
        if !flags.is_empty() {
            text.followed_by(flags);
        }
        self.lines.push(MountLine { node_local, text, depth });
    }

    fn bucket(&mut self, script: Script<'_>, noun: Ref<Bucket>, name: &str, mount: &MountPlan) {
        if self.bare
            && let Some(there) = of_cluster(script, mount)
        {
            return self.there(there, mount, false);
        }
        let noun = &script.plan.get(noun).noun.outside.path;
        let read_only = mount.reads_alone();
        // a role has no dot
        let source = match &self.role {
            Some(role) => format!("buckets/{role}.{name}"),
            None => format!("buckets/{name}"),
        };
        let made = mount.folder.is_some() && !read_only;
        let folder = made.then(|| in_job(&mount.inside(&source)));
        self.line(true, &source, mount);
        if let Some(step) = self.buckets.iter_mut().find(|step| step.bucket == name) {
            step.read_only &= read_only;
            step.folders.extend(folder);
            return;
        }
        self.buckets.push(BucketStep {
            step: match &self.role {
                Some(role) => format!("_gcsfuse-{role}-{name}"),
                None => format!("_gcsfuse-{name}"),
            },
            note: format!("Bucket {noun} for {}.", mount.path.value),
            bucket: name.to_owned(),
            source,
            read_only,
            folders: folder.into_iter().collect(),
        });
    }

    fn there(&mut self, source: &str, mount: &MountPlan, each: bool) {
        self.line(false, source, mount);
        let source = mount.inside(source);
        let help =
            format!("`{source}`, which is mounted at `{}`, is not on this node", mount.path.value);
        let source = in_job(&source);
        self.folders.push(SharedFolder { source, read_only: mount.reads_alone(), each, help });
    }
}

/// Where all hosts of the cluster have a bucket already, which is where the job wants it.
fn of_cluster<'s>(script: Script<'s>, mount: &MountPlan) -> Option<&'s str> {
    let Source::Bucket { noun: wanted, .. } = &mount.source.value else { return None };
    let cloud = script.plan.get(script.site.cluster).plan.cloud.as_ref()?;
    let is_it = |source: &Source| matches!(source, Source::Bucket { noun, .. } if noun == wanted);
    let mut there = cloud.mounts.iter().filter(|(_, source)| is_it(source));
    let plain = |path: &str| path.trim_end_matches('/').to_owned();
    there
        .find(|(path, _)| plain(&mount.inside(path)) == plain(&mount.path.value))
        .map(|(path, _)| path.as_str())
}

/// Without a container a path is what the node has there.
fn elsewhere(path: &Spanned<String>) -> Diagnostic {
    let message = format!(
        "`{}` would be somewhere else without a container, which shows nodes as they are",
        path.value
    );
    Diagnostic::error(SLURM_MOUNT_PATH, message, path.span)
        .help("mount a folder of the nodes where they have it, or start from an image")
}

/// What separates the parts of a mount cannot stand in one.
fn unspeakable(path: &str) -> Option<&'static str> {
    if path.contains([':', ',']) {
        return Some("`:` and `,` separate the parts of a mount");
    }
    if path.split('/').any(|part| part == "..") {
        return Some("`..` would leave the source");
    }
    path.contains(char::is_control).then_some("it holds a control character")
}
