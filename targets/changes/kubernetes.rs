//! Objects of Kubernetes: what the API server, and the managers behind it, let be changed.

use crate::tree::{Detail, details, flat, names};
use crate::{Change, Effect, File, Grammar, file_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What another value does to objects of a kind.
struct Row {
    kind: &'static str,
    /// The names that lead to the value; the first row whose path is a part counts.
    path: &'static [&'static str],
    effect: Effect,
    why: &'static str,
}

const fn row(
    kind: &'static str,
    path: &'static [&'static str],
    effect: Effect,
    why: &'static str,
) -> Row {
    Row { kind, path, effect, why }
}

const RUN_ENDS: &str = "a JobSet cannot be changed: its run ends, and starts anew";
const FIXED: &str = "the API server lets nobody change it";

/// By what the API documents as immutable, the rules `self == oldSelf` of the definitions, and what webhooks refuse.
/// A kind without a row may be refused or replaced: nobody knows.
const ROWS: &[Row] = &[
    // a run that has begun keeps its queue, and `kubectl apply -k` writes the list of its jobs anew, which the webhook refuses
    row("JobSet", &["metadata"], Effect::ByHand, RUN_ENDS),
    row("*", &["metadata", "labels"], Effect::InPlace, ""),
    row("*", &["metadata", "annotations"], Effect::InPlace, ""),
    // JobSet: its webhook refuses all of the specification but a few words of a suspended one's pods
    row("JobSet", &["spec", "suspend"], Effect::InPlace, ""),
    row("JobSet", &["spec"], Effect::ByHand, RUN_ENDS),
    row("Job", &["spec", "parallelism"], Effect::InPlace, ""),
    row("Job", &["spec", "activeDeadlineSeconds"], Effect::InPlace, ""),
    row("Job", &["spec", "backoffLimit"], Effect::InPlace, ""),
    row("Job", &["spec", "ttlSecondsAfterFinished"], Effect::InPlace, ""),
    row(
        "Job",
        &["spec"],
        Effect::ByHand,
        "the pods of a Job cannot be changed: its run ends, and starts anew",
    ),
    row("LocalQueue", &["spec", "clusterQueue"], Effect::ByHand, FIXED),
    row("LocalQueue", &["spec"], Effect::InPlace, ""),
    row("Topology", &["spec"], Effect::ByHand, FIXED),
    row("AdmissionCheck", &["spec", "controllerName"], Effect::ByHand, FIXED),
    row("AdmissionCheck", &["spec"], Effect::InPlace, ""),
    row("ProvisioningRequestConfig", &["spec"], Effect::InPlace, ""),
    row("ResourceFlavor", &["spec"], Effect::InPlace, ""),
    row("ClusterQueue", &["spec"], Effect::InPlace, ""),
    row("Cohort", &["spec"], Effect::InPlace, ""),
    row(
        "WorkloadPriorityClass",
        &["value"],
        Effect::NextStart,
        "runs that wait or run keep what they came with",
    ),
    row("WorkloadPriorityClass", &["description"], Effect::InPlace, ""),
    row("PriorityClass", &["value"], Effect::ByHand, FIXED),
    row("PriorityClass", &["preemptionPolicy"], Effect::ByHand, FIXED),
    row("PriorityClass", &["description"], Effect::InPlace, ""),
    row("PersistentVolumeClaim", &["spec"], Effect::ByHand, FIXED),
    row("PersistentVolume", &["spec", "capacity"], Effect::InPlace, ""),
    row(
        "PersistentVolume",
        &["spec", "mountOptions"],
        Effect::NextStart,
        "pods mount it so when they start",
    ),
    row("PersistentVolume", &["spec"], Effect::ByHand, FIXED),
    row("StorageClass", &["allowVolumeExpansion"], Effect::InPlace, ""),
    row("StorageClass", &["provisioner"], Effect::ByHand, FIXED),
    row("StorageClass", &["parameters"], Effect::ByHand, FIXED),
    row("StorageClass", &["reclaimPolicy"], Effect::ByHand, FIXED),
    row("StorageClass", &["volumeBindingMode"], Effect::ByHand, FIXED),
    row("DaemonSet", &["spec", "selector"], Effect::ByHand, FIXED),
    row(
        "DaemonSet",
        &["spec", "template"],
        Effect::Restarts,
        "its pods are made anew, node by node",
    ),
    row("DaemonSet", &["spec"], Effect::InPlace, ""),
    row("Deployment", &["spec", "selector"], Effect::ByHand, FIXED),
    row(
        "Deployment",
        &["spec", "template"],
        Effect::Restarts,
        "its pods are made anew, one after the other",
    ),
    row("Deployment", &["spec"], Effect::InPlace, ""),
    row("Service", &["spec", "clusterIP"], Effect::ByHand, FIXED),
    row("Service", &["spec"], Effect::InPlace, ""),
    row(
        "ConfigMap",
        &["data"],
        Effect::NextStart,
        "pods that read it at their start do so at the next one",
    ),
    row(
        "Secret",
        &["data"],
        Effect::NextStart,
        "pods that read it at their start do so at the next one",
    ),
    row("RoleBinding", &["roleRef"], Effect::ByHand, FIXED),
    row("ClusterRoleBinding", &["roleRef"], Effect::ByHand, FIXED),
    row("RoleBinding", &["subjects"], Effect::InPlace, ""),
    row("ClusterRoleBinding", &["subjects"], Effect::InPlace, ""),
    row("Role", &["rules"], Effect::InPlace, ""),
    row("ClusterRole", &["rules"], Effect::InPlace, ""),
    row("ResourceQuota", &["spec"], Effect::InPlace, ""),
    row("NetworkPolicy", &["spec"], Effect::InPlace, ""),
    row("ServiceAccount", &["imagePullSecrets"], Effect::NextStart, ""),
    row("ComputeDomain", &["spec"], Effect::ByHand, FIXED),
    row("ResourceClaimTemplate", &["spec"], Effect::ByHand, FIXED),
    // networks of GKE's pods: what is attached to pods cannot be another
    row("GKENetworkParamSet", &["spec"], Effect::ByHand, FIXED),
    row("Network", &["spec"], Effect::ByHand, FIXED),
    row(
        "CheckpointConfiguration",
        &["spec"],
        Effect::ByHand,
        "what holds checkpoints in memory is set up once",
    ),
    row("Kustomization", &["replacements"], Effect::InPlace, ""),
    row("Kustomization", &["labels"], Effect::InPlace, ""),
    row("Kustomization", &["resources"], Effect::InPlace, "what it lists is applied"),
    row(
        "Kustomization",
        &["configMapGenerator"],
        Effect::NextStart,
        "pods read it when they start",
    ),
    row(
        "Kustomization",
        &["patches"],
        Effect::ByHand,
        "what it changes in a workload cannot be changed while that runs",
    ),
    row(
        "Kustomization",
        &["images"],
        Effect::ByHand,
        "a workload that runs keeps its image: its run ends, and starts anew",
    ),
    row(
        "Kustomization",
        &["namespace"],
        Effect::MayReplace,
        "objects in another namespace are others",
    ),
    // values of charts, and whatever else has no kind
    row("file", &[], Effect::Restarts, "what is configured so is made anew"),
];

/// An object, or a file of Kustomize.
struct Object {
    file: String,
    kind: String,
    name: String,
    namespace: String,
    origin: String,
    value: Value,
    /// The command that starts a workload anew, as its file says.
    again: Option<String>,
}

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let (old, new) = (objects(before), objects(after));
    let again = new.values().chain(old.values()).find_map(|object| object.again.clone());
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let change = |key: &String| match (old.get(key), new.get(key)) {
        (Some(old), Some(new)) => changed(root, old, new, again.as_ref()),
        (None, Some(new)) => Some(of(root, new, Effect::Adds, "", Vec::new())),
        (Some(old), None) => Some(gone(root, old)),
        (None, None) => None,
    };
    keys.into_iter().filter_map(change).collect()
}

/// A folder that is no longer in the output: what was applied of it stays.
pub(crate) fn left_behind(root: &str, old: &[File<'_>]) -> Option<Change> {
    let objects = objects(old);
    let count = objects
        .values()
        .filter(|it| !["Kustomization", "file"].contains(&it.kind.as_str()))
        .count();
    let first = objects.values().next().filter(|_| count > 0)?;
    Some(Change {
        thing: format!("{count} objects"),
        file: format!("{root}/"),
        ..of(
            root,
            first,
            Effect::ByHand,
            "the blueprint has them no more: they stay until somebody deletes them, or their cluster; LEFT-BEHIND.md of the build has the commands",
            Vec::new(),
        )
    })
}

fn changed(root: &str, old: &Object, new: &Object, again: Option<&String>) -> Option<Change> {
    let found = details(&flat(&old.value), &flat(&new.value));
    if found.is_empty() {
        let same = old.origin == new.origin && old.again == new.again;
        let words = || of(root, new, Effect::Nothing, "only comments differ", Vec::new());
        return (!same).then(words);
    }
    let placed = |object: &Object| object.value.pointer("/spec/topologyName").is_some();
    let fixed = new.kind == "ResourceFlavor" && placed(old);
    let (effect, why) = found
        .iter()
        .map(|detail| match fixed && detail.path.starts_with("spec") {
            true => (Effect::ByHand, "a flavor with a topology cannot be changed"),
            false => told(&new.kind, detail),
        })
        .min_by_key(|(effect, _)| *effect)?;
    let commands = match (effect, again) {
        (Effect::ByHand, Some(again)) => vec![again.clone()],
        (Effect::ByHand, None) => vec![deleted(new), format!("{root}/install.sh")],
        _ => Vec::new(),
    };
    Some(Change { details: found, ..of(root, new, effect, why, commands) })
}

/// What another value does.
fn told(kind: &str, detail: &Detail) -> (Effect, &'static str) {
    let path = names(&detail.path);
    let row =
        ROWS.iter().find(|row| (row.kind == kind || row.kind == "*") && path.starts_with(row.path));
    match row {
        Some(row) => (row.effect, row.why),
        None => (Effect::MayReplace, "it is not known whether this can be changed"),
    }
}

/// An object that is no longer in the output: nobody takes it away by itself.
fn gone(root: &str, old: &Object) -> Change {
    if old.kind == "Kustomization" {
        return of(root, old, Effect::Nothing, "nothing reads it any more", Vec::new());
    }
    let holds = ["PersistentVolume", "PersistentVolumeClaim"].contains(&old.kind.as_str());
    if old.kind == "Namespace" {
        let why = "it stays, with all that is in it: to delete it deletes that too";
        return of(root, old, Effect::ByHand, why, Vec::new());
    }
    let why = match holds {
        true => "it stays until it is deleted; the storage behind it keeps what it holds",
        false => "it stays until it is deleted",
    };
    of(root, old, Effect::ByHand, why, vec![deleted(old)])
}

fn deleted(object: &Object) -> String {
    let kind = object.kind.to_lowercase();
    match object.namespace.as_str() {
        "" => format!("kubectl delete {kind} {}", object.name),
        namespace => format!("kubectl delete {kind} {} --namespace={namespace}", object.name),
    }
}

fn of(root: &str, object: &Object, effect: Effect, why: &str, commands: Vec<String>) -> Change {
    let name = match (object.kind.as_str(), object.namespace.as_str()) {
        ("Kustomization", _) => file_name(&object.file).to_owned(),
        (kind, "") => format!("{kind} {}", object.name),
        (kind, namespace) => format!("{kind} {namespace}/{}", object.name),
    };
    Change {
        thing: name,
        origin: object.origin.clone(),
        commands,
        ..Change::of_file(effect, root, &object.file, why)
    }
}

/// Every object of some files, by what the API server knows it by.
fn objects(files: &[File<'_>]) -> BTreeMap<String, Object> {
    let yaml = files.iter().filter(|file| file.grammar() == Grammar::Kubernetes);
    let mut found = BTreeMap::new();
    for file in yaml {
        for text in documents(file.text) {
            let value = serde_yaml::from_str::<Value>(&text);
            // what is no YAML differs from all that is
            let value =
                value.unwrap_or_else(|_| serde_json::json!({ "kind": "text", "unreadable": text }));
            let word = |path: &str| {
                value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let kind = word("/kind");
            let (name, namespace) = (word("/metadata/name"), word("/metadata/namespace"));
            let by_file = kind.is_empty() || kind == "Kustomization";
            let key =
                if by_file { file.path.to_owned() } else { format!("{kind} {namespace} {name}") };
            // the commands of a page are given in its folder, those of a plan from the output
            let folder = file.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let again =
                comment(&text, "# again: ").map(|it| it.replace("-k .", &format!("-k {folder}")));
            let origin = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
            let object = Object {
                file: file.path.to_owned(),
                kind: if kind.is_empty() { "file".to_owned() } else { kind },
                name,
                namespace,
                origin: origin.trim().to_owned(),
                value,
                again,
            };
            found.insert(key, object);
        }
    }
    found
}

/// What a comment says behind a word.
fn comment(text: &str, word: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(word)).map(|said| said.trim().to_owned())
}

/// The documents of a stream, each with the comments above it.
fn documents(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        if line.trim_end() == "---" {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    let is_empty =
        |text: &String| text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
    found.retain(|text| !is_empty(text));
    found
}
