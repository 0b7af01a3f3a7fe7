//! Objects of a namespace that workloads take for granted, and the command that looks for or makes each.

use serde::Serialize;
use slipform_model::nouns::Workload;
use slipform_model::plan::{Env, Gang, Held, Planned, Source};
use std::collections::BTreeSet;

/// An object that someone else makes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Object<'a> {
    namespace: &'a str,
    kind: Kind,
    name: &'a str,
    /// The variable of the shell that names its file or the folder of its files.
    folder: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Claim,
    ConfigMap,
    Secret,
    /// Credentials of a registry.
    PullSecret,
    Account,
}

/// What the workloads on one cluster take for granted, besides the secrets that variables read.
pub(super) fn in_cluster<'a>(
    workloads: impl Iterator<Item = Planned<'a, Workload>>,
) -> BTreeSet<Object<'a>> {
    let mut found = BTreeSet::new();
    for workload in workloads {
        let run = workload.plan;
        let Some(site) = run.gke() else { continue };
        let namespace = site.namespace.as_str();
        let object = |kind: Kind, name: &'a str, files: bool| {
            let folder = files.then(|| variable(name));
            Object { namespace, kind, name, folder }
        };
        let lent =
            run.gangs().filter(|gang| gang.pod.lent_account && gang.pod.account != "default");
        found.extend(lent.map(|gang| object(Kind::Account, &gang.pod.account, false)));
        let pulls = workload.body.pull_secrets.iter();
        found.extend(pulls.map(|secret| object(Kind::PullSecret, &secret.value, true)));
        let mounted = run.gangs().flat_map(mounted);
        found.extend(mounted.map(|(held, name)| {
            let kind = match held {
                Held::Claim => Kind::Claim,
                Held::ConfigMap => Kind::ConfigMap,
                Held::Secret => Kind::Secret,
            };
            object(kind, name, held != Held::Claim)
        }));
    }
    found
}

/// What a gang mounts and nobody here makes. A secret that one of its variables reads, too, is made for that.
fn mounted(gang: &Gang) -> impl Iterator<Item = (Held, &str)> {
    let program = &gang.program;
    let read = |secret: &str| {
        let of = |value: &Env| matches!(value, Env::Secret { name, .. } if name == secret);
        program.env.iter().any(|variable| of(&variable.value))
    };
    program.mounts.iter().filter_map(move |mount| match &mount.source.value {
        Source::Object { kind, name } if *kind == Held::Secret && read(name) => None,
        Source::Object { kind, name } => Some((*kind, name.as_str())),
        Source::Bucket { .. }
        | Source::Share { .. }
        | Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::HostPath { .. } => None,
    })
}

fn variable(name: &str) -> String {
    format!("FILES_{}", name.replace('-', "_").to_ascii_uppercase())
}
