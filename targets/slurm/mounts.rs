//! Mounts as the container plugin takes them, and what has to be there on each node first.

use super::job::Script;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::plan::{self, MountPlan, Source};

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
    pub(crate) text: String,
    /// How many folders its target is below the root.
    #[serde(skip)]
    pub(crate) depth: usize,
}

/// A folder on the node's own disks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ScratchFolder {
    pub(crate) source: String,
    pub(crate) note: String,
}

/// A folder of a filesystem that nodes have: made where it may be written to, looked for where not.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SharedFolder {
    pub(crate) source: String,
    pub(crate) read_only: bool,
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
    pub(crate) folders: Vec<String>,
}

/// The mounts of a workload; what cannot be mounted is said in `refused`.
pub(crate) fn lower(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Mounts {
    let role = (!script.alone()).then(|| script.gang.role.clone());
    let mut mounts = Mounts { role, ..Mounts::default() };
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
        match &source.value {
            Source::Bucket { noun, name, access: _ } => {
                mounts.bucket(&script.plan.get(*noun).noun.path, name, mount);
            }
            Source::Share { noun: _, server } => mounts.shared(server.on_nodes(&path.value), mount),
            Source::HostPath { path } => mounts.shared(path, mount),
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
                mounts.scratch.push(ScratchFolder { source: mount.inside(&source), note });
            }
        }
    }
    // a folder is mounted before those below it, which it would hide
    mounts.lines.sort_by_key(|line| line.depth);
    mounts
}

impl Mounts {
    fn line(&mut self, node_local: bool, source: &str, mount: &MountPlan) {
        let source = mount.inside(source);
        let flags = if mount.reads_alone() { ":ro" } else { "" };
        let target = &mount.path.value;
        let depth = target.split('/').filter(|part| !part.is_empty()).count();
        self.lines.push(MountLine { node_local, text: format!("{source}:{target}{flags}"), depth });
    }

    fn bucket(&mut self, noun: &str, name: &str, mount: &MountPlan) {
        let read_only = mount.reads_alone();
        // a role has no dot
        let source = match &self.role {
            Some(role) => format!("buckets/{role}.{name}"),
            None => format!("buckets/{name}"),
        };
        let made = mount.folder.is_some() && !read_only;
        let folder = made.then(|| mount.inside(&source));
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

    fn shared(&mut self, source: &str, mount: &MountPlan) {
        self.line(false, source, mount);
        let source = mount.inside(source);
        let help =
            format!("`{source}`, which is mounted at `{}`, is not on this node", mount.path.value);
        self.folders.push(SharedFolder { source, read_only: mount.reads_alone(), help });
    }
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
