//! Secrets that workloads read: where each has to be before a workload starts.

use serde::Serialize;
use slipform_model::nouns::Workload;
use slipform_model::plan::{Env, Planned, Run};
use std::collections::BTreeMap;

/// The key of a secret that stands for the whole of it on Vertex AI.
const WHOLE: &str = "value";

/// A Secret of Kubernetes.
#[derive(Serialize)]
pub(super) struct Secret<'a> {
    namespace: &'a str,
    name: &'a str,
    keys: Vec<Key<'a>>,
}

/// One value of it, with a variable of the workload that reads it.
#[derive(Serialize)]
struct Key<'a> {
    key: &'a str,
    variable: &'a str,
}

/// A file in the home folder of who submits a job.
#[derive(Serialize)]
pub(super) struct File<'a> {
    folder: String,
    key: &'a str,
    variable: &'a str,
}

/// A secret of Secret Manager.
#[derive(Serialize)]
pub(super) struct Stored<'a> {
    name: &'a str,
    variable: &'a str,
    /// It is an object of JSON with these keys.
    keys: Vec<&'a str>,
    /// Service accounts that read it.
    readers: Vec<String>,
    /// The account of the platform reads it, too.
    platform: bool,
}

/// The account that a job acts as.
pub(super) enum Account {
    /// One of the blueprint.
    Own(String),
    /// The one of Vertex AI.
    Platform,
}

/// The secrets of workloads on one cluster and of the jobs beside them.
pub(super) fn in_cluster<'a>(
    workloads: impl Iterator<Item = Planned<'a, Workload>>,
) -> Vec<Secret<'a>> {
    let mut found: BTreeMap<(&str, &str), BTreeMap<&str, &str>> = BTreeMap::new();
    for workload in workloads {
        let Some(site) = workload.plan.gke() else { continue };
        for (variable, name, key) in read(workload.plan) {
            found.entry((&site.namespace, name)).or_default().entry(key).or_insert(variable);
        }
    }
    let secret = |((namespace, name), keys): ((&'a str, &'a str), BTreeMap<&'a str, &'a str>)| {
        let keys = keys.into_iter().map(|(key, variable)| Key { key, variable }).collect();
        Secret { namespace, name, keys }
    };
    found.into_iter().map(secret).collect()
}

/// The files that jobs of Slurm read.
pub(super) fn files<'a>(workloads: impl Iterator<Item = Planned<'a, Workload>>) -> Vec<File<'a>> {
    let mut found: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (variable, name, key) in workloads.flat_map(|workload| read(workload.plan)) {
        found.entry((name, key)).or_insert(variable);
    }
    let file = |((name, key), variable)| File { folder: format!(".secrets/{name}"), key, variable };
    found.into_iter().map(file).collect()
}

/// The secrets of Secret Manager that jobs of Vertex AI read.
pub(super) fn stored<'a>(
    workloads: impl Iterator<Item = Planned<'a, Workload>>,
    account: impl Fn(Planned<'a, Workload>) -> Account,
) -> Vec<Stored<'a>> {
    let mut found: BTreeMap<&str, Stored<'a>> = BTreeMap::new();
    for workload in workloads {
        for (variable, name, key) in read(workload.plan) {
            let stored = found.entry(name).or_insert_with(|| Stored {
                name,
                variable,
                keys: Vec::new(),
                readers: Vec::new(),
                platform: false,
            });
            if key != WHOLE && !stored.keys.contains(&key) {
                stored.keys.push(key);
            }
            match account(workload) {
                Account::Own(reader) if !stored.readers.contains(&reader) => {
                    stored.readers.push(reader);
                }
                Account::Own(_) => {}
                Account::Platform => stored.platform = true,
            }
        }
    }
    found.into_values().collect()
}

/// What a workload, its groups and the containers beside theirs read: the variable, the secret and its key.
fn read(run: &Run) -> impl Iterator<Item = (&str, &str, &str)> {
    let variables = run.gangs().flat_map(|gang| {
        let beside = gang.program.sidecars.iter().flat_map(|sidecar| &sidecar.env);
        gang.program.env.iter().chain(beside)
    });
    variables.filter_map(|variable| match &variable.value {
        Env::Secret { name, key } => Some((variable.name.as_str(), name.as_str(), key.as_str())),
        Env::Word(_) => None,
    })
}
