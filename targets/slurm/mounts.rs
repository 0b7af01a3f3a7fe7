//! Mounts as the container plugin takes them, and what has to be there on each node first.

use super::job::Site;
use serde::Serialize;
use slipform_model::nouns::{Access, Body, Mount, MountSource, Storage};
use slipform_model::{Diagnostic, NounId};
use slipform_source::Spanned;

/// Mounts of a job.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Mounts {
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

/// One mount with its parts borrowed.
struct Wanted<'a> {
    path: &'a Spanned<String>,
    folder: Option<&'a str>,
    read_only: bool,
}

/// The mounts of a workload; what cannot be mounted is said in `refused`.
pub(crate) fn lower(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> Mounts {
    let mut mounts = Mounts::default();
    for mount in &site.workload.mounts {
        let Mount::Mount { source, path, folder, read_only, .. } = &mount.value;
        let wanted = Wanted { path, folder: folder.as_deref(), read_only: *read_only };
        if let Some(why) =
            [path.value.as_str(), folder.as_deref().unwrap_or("")].into_iter().find_map(unspeakable)
        {
            let message = format!(
                "`{}` cannot be mounted by the container plugin of Slurm: {why}",
                path.value
            );
            refused.push(Diagnostic::error("slurm/mount-path", message, path.span));
            continue;
        }
        match &source.value {
            MountSource::Bucket(id) => mounts.bucket(site, *id, &wanted),
            MountSource::Filesystem(id) => mounts.filesystem(site, *id, &wanted),
            MountSource::Scratch { size } => {
                let source = format!("scratch{}", path.value);
                let note =
                    format!("Scratch space at {}: {size} on the node's own disks.", path.value);
                mounts.line(true, &source, &wanted);
                mounts.scratch.push(ScratchFolder { source: inside(&source, wanted.folder), note });
            }
        }
    }
    mounts
}

impl Mounts {
    fn line(&mut self, node_local: bool, source: &str, wanted: &Wanted<'_>) {
        let source = inside(source, wanted.folder);
        let flags = if wanted.read_only { ":ro" } else { "" };
        self.lines
            .push(MountLine { node_local, text: format!("{source}:{}{flags}", wanted.path.value) });
    }

    fn bucket(&mut self, site: Site<'_>, id: NounId, wanted: &Wanted<'_>) {
        let (Some(noun), Some(name)) = (site.plan.model.get(id), site.plan.name(id)) else {
            return;
        };
        let read_only = wanted.read_only
            || matches!(&noun.body, Body::Bucket(bucket) if bucket.access == Access::Read);
        let source = format!("buckets/{name}");
        let folder = (!read_only)
            .then_some(wanted.folder)
            .flatten()
            .map(|folder| inside(&source, Some(folder)));
        self.line(true, &source, wanted);
        if let Some(step) = self.buckets.iter_mut().find(|step| step.bucket == *name) {
            step.read_only &= read_only;
            step.folders.extend(folder);
            return;
        }
        self.buckets.push(BucketStep {
            step: format!("gcsfuse-{name}"),
            note: format!("Bucket {} for {}.", noun.path, wanted.path.value),
            bucket: name.clone(),
            source,
            read_only,
            folders: folder.into_iter().collect(),
        });
    }

    /// Where nodes have it: in the folder that the blueprint names, or, for what a server exports, where the workload
    /// wants it, since only an administrator can mount it there.
    fn filesystem(&mut self, site: Site<'_>, id: NounId, wanted: &Wanted<'_>) {
        let Some(Body::Filesystem(filesystem)) = site.plan.model.get(id).map(|noun| &noun.body)
        else {
            return;
        };
        match &filesystem.storage.value {
            Storage::Path { folder } => self.shared(folder, wanted),
            Storage::Filestore { .. } | Storage::Lustre { .. } | Storage::Nfs { .. } => {
                self.shared(&wanted.path.value, wanted);
            }
        }
    }

    fn shared(&mut self, source: &str, wanted: &Wanted<'_>) {
        self.line(false, source, wanted);
        let source = inside(source, wanted.folder);
        let help =
            format!("`{source}`, which is mounted at `{}`, is not on this node", wanted.path.value);
        self.folders.push(SharedFolder { source, read_only: wanted.read_only, help });
    }
}

fn inside(source: &str, folder: Option<&str>) -> String {
    match folder.map(|folder| folder.trim_matches('/')) {
        Some(folder) if !folder.is_empty() => format!("{}/{folder}", source.trim_end_matches('/')),
        _ => source.to_owned(),
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
