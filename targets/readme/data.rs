//! What workloads only read, and who has to put it there: nothing of the output does.

use camino::Utf8Path;
use serde::Serialize;
use slipform_model::nouns::{Access, Workload};
use slipform_model::plan::{MountPlan, Server, Sound, Source};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// A folder that workloads read and none writes.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    workloads: Vec<&'a str>,
    /// Where they see it.
    path: &'a str,
    kind: &'static str,
    /// Its address.
    place: String,
    /// The folder of it, where that is no part of the address.
    inside: Option<&'a str>,
    /// What the blueprint says of it.
    doc: Option<&'a str>,
    /// It is reached with `gcloud storage`.
    pub(super) bucket: bool,
}

/// A source, the folder of it, and where processes see that.
type Seen<'a> = (NounId, &'a str, &'a str);

/// The folders that workloads of this page read, in the order of the blueprint.
pub(super) fn of<'a>(plan: Sound<'a>, is_started: impl Fn(NounId) -> bool) -> Vec<Data<'a>> {
    let mounts = plan.all::<Workload>().flat_map(|workload| {
        let gangs = workload.plan.gangs();
        gangs.flat_map(move |gang| gang.program.mounts.iter().map(move |it| (workload, it)))
    });
    let (mut written, mut read) = (BTreeSet::new(), Vec::new());
    for (workload, mount) in mounts {
        let Some(noun) = source(plan, mount) else { continue };
        if mount.access == Access::Write {
            written.insert((noun.id, folder(mount)));
        } else {
            read.push((workload, noun, mount));
        }
    }
    let mut found: BTreeMap<Seen<'a>, Data<'a>> = BTreeMap::new();
    for (workload, noun, mount) in read.into_iter().filter(|(it, ..)| is_started(it.noun.id)) {
        let run = workload.plan;
        let key = (noun.id, folder(mount), mount.path.value.as_str());
        let data = found.entry(key).or_insert_with(|| Data::new(noun, mount));
        if data.workloads.last() != Some(&run.name.as_str()) {
            data.workloads.push(&run.name);
        }
    }
    let is_written = |noun: NounId, read: &str| {
        let mut folders = written.range((noun, "")..).take_while(|(id, _)| *id == noun);
        folders.any(|(_, folder)| overlap(folder, read))
    };
    found.retain(|(noun, folder, _), _| !is_written(*noun, folder));
    found.into_values().collect()
}

impl<'a> Data<'a> {
    fn new(noun: &'a Noun, mount: &'a MountPlan) -> Self {
        let (kind, bucket, root) = place(noun, &mount.source.value);
        let (place, inside) = match (folder(mount), &mount.source.value) {
            ("", _) => (root, None),
            // a snapshot has no folders: the disk that is made of it has
            (folder, Source::Share { server: Server::Disk { .. }, .. }) => (root, Some(folder)),
            (folder, _) => (format!("{}/{folder}", root.trim_end_matches('/')), None),
        };
        let (path, doc) = (mount.path.value.as_str(), noun.doc.as_deref());
        Self { workloads: Vec::new(), path, kind, place, inside, doc, bucket }
    }
}

/// The folder of its source that a mount shows; empty for all of it.
fn folder(mount: &MountPlan) -> &str {
    mount.folder.as_deref().unwrap_or("")
}

/// Whether two folders have files in common: one is the other, or lies in it.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (Utf8Path::new(one), Utf8Path::new(other));
    one.starts_with(other) || other.starts_with(one)
}

/// The noun that a mount leads to; none for the node's own disks.
fn source<'a>(plan: Sound<'a>, mount: &MountPlan) -> Option<&'a Noun> {
    match mount.source.value {
        Source::Bucket { noun, .. } => Some(plan.get(noun).noun),
        Source::Share { noun, .. } => Some(plan.get(noun).noun),
        Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => None,
    }
}

/// What it is, whether it is a bucket, and its address.
fn place(noun: &Noun, source: &Source) -> (&'static str, bool, String) {
    match source {
        Source::Bucket { name, .. } => ("the bucket", true, format!("gs://{name}")),
        Source::Share { server: Server::Nodes { folder }, .. } => {
            ("the folder of all nodes", false, folder.clone())
        }
        Source::Share { server: Server::Disk { from: Some(from), .. }, .. } => {
            ("the disk that is made of", false, from.clone())
        }
        Source::Share { .. }
        | Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => ("the filesystem", false, noun.outside.path.clone()),
    }
}
