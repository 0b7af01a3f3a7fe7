//! Where runs write, so that one which comes to the place of another waits for its end: both would write there until then.

use crate::kubernetes::objects;
use crate::{File, by_root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A place where one run writes until it ends, and another one from its next start on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inherited {
    /// The folder of the run that leaves it.
    pub former: String,
    /// That of the run that comes to it.
    pub next: String,
    /// What it is called: folder `train` of bucket my-project-results.
    pub place: String,
}

/// All of them.
pub fn inherited(before: &[File<'_>], after: &[File<'_>]) -> Vec<Inherited> {
    let (old, new) = (by_run(before), by_run(after));
    let none = BTreeSet::new();
    let at = |side: &BTreeMap<String, BTreeSet<String>>, root: &str, place: &String| {
        side.get(root).unwrap_or(&none).contains(place)
    };
    let mut found = Vec::new();
    for (next, places) in &new {
        for place in places.iter().filter(|it| !at(&old, next, it)) {
            let left = old.iter().filter(|(it, of)| *it != next && of.contains(place));
            let left = left.filter(|(former, _)| !at(&new, former, place));
            found.extend(left.map(|(former, _)| Inherited {
                former: former.clone(),
                next: next.clone(),
                place: place.clone(),
            }));
        }
    }
    found
}

/// The places where the pods of each run write.
fn by_run(files: &[File<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let is_run = |root: &str| root.starts_with("50-");
    let roots = by_root(files).into_iter().filter(|(root, _)| is_run(root));
    roots.map(|(root, files)| (root.to_owned(), places(&files))).collect()
}

fn places(files: &[File<'_>]) -> BTreeSet<String> {
    let objects = objects(files);
    let jobs = objects.values().filter(|it| it.kind == "JobSet");
    let jobs = jobs.flat_map(|it| items(&it.value, "/spec/replicatedJobs"));
    let pods = jobs.filter_map(|it| it.pointer("/template/spec/template/spec"));
    pods.flat_map(|pod| items(pod, "/volumes").flat_map(move |it| of_volume(pod, it))).collect()
}

/// A bucket, or a folder of it; of a claim the folders alone: all of it is shared by whoever mounts it.
fn of_volume(pod: &Value, volume: &Value) -> Vec<String> {
    let word = |path: &str| volume.pointer(path).and_then(Value::as_str);
    let is_read = volume.pointer("/csi/readOnly").and_then(Value::as_bool) == Some(true);
    if let Some(bucket) = word("/csi/volumeAttributes/bucketName").filter(|_| !is_read) {
        let options = word("/csi/volumeAttributes/mountOptions").unwrap_or_default();
        let only = options.split(',').find_map(|it| it.strip_prefix("only-dir:"));
        let folder = only.map(|it| format!("folder `{it}` of ")).unwrap_or_default();
        return vec![format!("{folder}bucket {bucket}")];
    }
    let Some(claim) = word("/persistentVolumeClaim/claimName") else { return Vec::new() };
    let mounts = ["/initContainers", "/containers"].into_iter().flat_map(|it| items(pod, it));
    let mounts = mounts.flat_map(|it| items(it, "/volumeMounts"));
    let mounts = mounts.filter(|it| {
        it.get("name") == volume.get("name")
            && it.get("readOnly").and_then(Value::as_bool) != Some(true)
    });
    let folders = mounts.filter_map(|it| it.get("subPath")?.as_str());
    folders.map(|it| format!("folder `{it}` of claim {claim}")).collect()
}

fn items<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(path).and_then(Value::as_array).into_iter().flatten()
}
