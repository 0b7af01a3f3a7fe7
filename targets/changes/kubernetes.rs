//! Objects of Kubernetes: what the API server, and the managers behind it, let be changed.

mod quotas;

use crate::tree::{Detail, details, flat, names};
use crate::{Change, Effect, File, Grammar, file_name, plural};
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
const HELD_FAST: &str = "the API server lets nobody change it: what mounts it ends first, then it is deleted with its claim, which deletes nothing of what is stored, and made again";

/// `labels[0].pairs."app.kubernetes.io/version"`
const VERSION: &[&str] = &["labels", "pairs", "app.kubernetes.io/version"];

/// `metadata.annotations."iam.gke.io/gcp-service-account"`
const ACTS_AS: &[&str] = &["metadata", "annotations", "iam.gke.io/gcp-service-account"];
const ACTS_OTHERWISE: &str = "pods that have it act as another account from their next token on";
const REFUSED: &str =
    "it stays until it is deleted, and pods that have it are refused from then on";

/// What stands for the kind where a text has none, or is no YAML.
const FILE: &str = "file";
const UNREADABLE: &str = "text";

/// By what the API documents as immutable, the rules `self == oldSelf` of the definitions, and what webhooks refuse.
/// A kind without a row may be refused or replaced: nobody knows.
const ROWS: &[Row] = &[
    // a run that has begun keeps its queue, and `kubectl apply -k` writes the list of its jobs anew, which the webhook refuses
    row("JobSet", &["metadata"], Effect::ByHand, RUN_ENDS),
    // the same object is had under each version that its definition serves
    row("*", &["apiVersion"], Effect::InPlace, "it is another version of the same API"),
    row("ServiceAccount", ACTS_AS, Effect::InPlace, ACTS_OTHERWISE),
    row("*", &["metadata", "labels"], Effect::InPlace, ""),
    row("*", &["metadata", "annotations"], Effect::InPlace, ""),
    // JobSet: its webhook refuses all of the specification but a few words of a suspended one's pods
    row("JobSet", &["spec", "suspend"], Effect::InPlace, ""),
    row("JobSet", &["spec"], Effect::ByHand, RUN_ENDS),
    row("Job", &["spec", "suspend"], Effect::InPlace, ""),
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
        "ComputeClass",
        &["spec"],
        Effect::InPlace,
        "nodes that are there stay; those that come are chosen so",
    ),
    // Kueue keeps what a worker holds that it has lost for `workerLostTimeout`, and then lets it wait again
    row("MultiKueueConfig", &["spec", "clusters"], Effect::Restarts, WORKER_GOES),
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
    row(
        "PriorityClass",
        &["globalDefault"],
        Effect::NextStart,
        "pods keep the priority that they came with",
    ),
    row("PersistentVolumeClaim", &["spec"], Effect::ByHand, HELD_FAST),
    row("PersistentVolume", &["spec", "capacity"], Effect::InPlace, ""),
    row(
        "PersistentVolume",
        &["spec", "mountOptions"],
        Effect::NextStart,
        "pods mount it so when they start",
    ),
    row("PersistentVolume", &["spec"], Effect::ByHand, HELD_FAST),
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
    // a digest of the rest, which says what an apply takes away
    row("Kustomization", VERSION, Effect::Nothing, "it follows from the rest"),
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
    row(FILE, &[], Effect::Restarts, "what is configured so is made anew"),
];

/// Words that end what runs, where others of the same field do not.
const ENDING: &[(&str, &[&str], &str, &str)] = &[
    ("JobSet", &["spec", "suspend"], "true", PODS_GONE),
    ("Job", &["spec", "suspend"], "true", PODS_GONE),
    ("ClusterQueue", &["spec", "stopPolicy"], "HoldAndDrain", EVICTED),
    ("LocalQueue", &["spec", "stopPolicy"], "HoldAndDrain", EVICTED),
];

const WORKER_GOES: &str = "runs that a worker holds which goes are stopped there, and wait again";
const MORE_WORKERS: &str = "runs are handed to these workers from then on, and none goes";
const PODS_GONE: &str =
    "all of its pods are deleted, until it goes on: it starts from its last checkpoint then";
const EVICTED: &str =
    "all runs that it let begin are stopped, and wait until it lets them in again";

/// An object, or a file of Kustomize.
pub(crate) struct Object {
    file: String,
    pub(crate) kind: String,
    name: String,
    namespace: String,
    origin: String,
    pub(crate) value: Value,
    /// The command that starts a workload anew, as its file says.
    again: Option<String>,
}

/// Kinds in the order in which they are deleted: what another one holds waits for that for ever, and runs leave a queue through its
/// door. All others come first.
const HELD: &[&str] = &[
    "ClusterQueue",
    "LocalQueue",
    "AdmissionCheck",
    "ResourceFlavor",
    "Topology",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "Network",
    "GKENetworkParamSet",
];

/// Kinds that queues share: what they deal out, ask before they let a run begin, and know runs by.
const OF_QUEUES: &[&str] = &[
    "AdmissionCheck",
    "MultiKueueConfig",
    "MultiKueueCluster",
    "ProvisioningRequestConfig",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
];

/// Whether it is a change of one object.
pub(crate) fn is_object(change: &Change) -> bool {
    change.file.ends_with(".yaml") && change.thing.contains(' ')
}

/// Whether it is a change of what several queues may share.
pub(crate) fn is_of_queues(change: &Change) -> bool {
    is_object(change) && OF_QUEUES.iter().any(|kind| change.thing.starts_with(&format!("{kind} ")))
}

/// The command that deletes an object, by what a change calls it: `LocalQueue vision/shared`.
pub(crate) fn deletion_of(thing: &str) -> Option<String> {
    let (kind, name) = thing.split_once(' ')?;
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    Some(deletion(kind, name, namespace))
}

/// Whether it takes from pods the account that they act as.
pub(crate) fn revokes(change: &Change) -> bool {
    is_object(change) && [ACTS_OTHERWISE, REFUSED].contains(&change.why.as_str())
        || accounts_deleted(&change.commands).next().is_some()
}

/// The accounts of pods that commands delete, as changes of one name them: `ServiceAccount research/trainer`.
pub(crate) fn accounts_deleted(commands: &[String]) -> impl Iterator<Item = String> {
    commands.iter().filter_map(|command| {
        let (name, rest) =
            command.strip_prefix("kubectl delete serviceaccount ")?.split_once(" --namespace=")?;
        let namespace = rest.split(' ').next()?;
        Some(format!("ServiceAccount {namespace}/{name}"))
    })
}

/// How late something is deleted.
pub(crate) fn turn(thing: &str) -> usize {
    let kind = thing.split(' ').next().unwrap_or_default();
    HELD.iter().position(|held| *held == kind).map_or(0, |at| at + 1)
}

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let (old, new) = (objects(before), objects(after));
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let change = |key: &String| match (old.get(key), new.get(key)) {
        (Some(old), Some(new)) => changed(root, old, new),
        (None, Some(new)) if new.is_applied() => Some(of(root, new, Effect::Adds, "")),
        (None, Some(new)) => Some(of(root, new, Effect::Nothing, "it says what is applied")),
        (Some(old), None) => Some(gone(root, old)),
        (None, None) => None,
    };
    let mut found: Vec<(&String, Change)> =
        keys.into_iter().filter_map(|key| Some((key, change(key)?))).collect();
    let by_hand = found.iter().filter(|(_, change)| change.effect == Effect::ByHand);
    let fixed: Vec<&Object> = by_hand.filter_map(|(key, _)| new.get(*key)).collect();
    let again = new.values().chain(old.values()).find_map(|object| object.again.as_deref());
    for (key, change) in &mut found {
        change.commands = match (change.effect, new.get(*key), old.get(*key)) {
            (Effect::ByHand, Some(new), _) => match again {
                Some(again) => vec![with_deletions(again, &fixed)],
                None => {
                    let holding = old.values().filter(|it| it.holds(new));
                    let first = holding.flat_map(Object::deletions);
                    let then = new.deletions().into_iter().chain([applied(root)]);
                    first.chain(then).collect()
                }
            },
            (Effect::ByHand, None, Some(gone)) => {
                // who holds it and stays lets go of it when it is applied
                let stays = old.iter().any(|(key, it)| it.holds(gone) && new.contains_key(key));
                let first = stays.then(|| applied(root));
                let all: Vec<&Object> =
                    old.iter().filter(|(key, _)| !new.contains_key(*key)).map(|it| it.1).collect();
                first.into_iter().chain(gone.taken_away(&all)).collect()
            }
            _ => Vec::new(),
        };
    }
    found.into_iter().map(|(_, change)| change).collect()
}

/// The commands that make volumes anew into which a folder puts a value that is another by then: `known` of the output of Terraform
/// that it asks for. None where it puts it elsewhere.
pub(crate) fn refilled(root: &str, files: &[File<'_>], known: &str) -> Vec<String> {
    let objects = objects(files);
    let list = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let path = format!("data.{}", known.to_uppercase());
    let is_it = |it: &Value| it.pointer("/source/fieldPath").and_then(Value::as_str) == Some(&path);
    let folders = objects.values().flat_map(|it| list(&it.value, "replacements"));
    let targets = folders.filter(is_it).flat_map(|it| list(&it, "targets"));
    let selected = targets.filter_map(|it| it.get("select").cloned());
    let volumes: Vec<Value> = selected.filter(|it| it["kind"] == VOLUME).collect();
    let is_filled = |object: &&Object| {
        object.kind == VOLUME && volumes.iter().any(|it| it["name"] == object.name.as_str())
    };
    let mut commands: Vec<String> =
        objects.values().filter(is_filled).flat_map(Object::deletions).collect();
    if !commands.is_empty() {
        commands.push(applied(root));
    }
    commands
}

const VOLUME: &str = "PersistentVolume";

/// A folder that is no longer in the output: what was applied of it stays.
pub(crate) fn left_behind(root: &str, old: &[File<'_>]) -> Option<Change> {
    let objects = objects(old);
    let mut applied: Vec<&Object> = objects.values().filter(|it| it.is_applied()).collect();
    applied.sort_by_key(|it| turn(&it.kind));
    let first = applied.first()?;
    Some(Change {
        thing: plural(applied.len(), "object"),
        file: format!("{root}/"),
        commands: applied.iter().flat_map(|it| it.deletions()).collect(),
        origin: common(applied.iter().map(|it| it.origin.as_str())),
        ..of(root, first, Effect::ByHand, LEFT)
    })
}

const LEFT: &str =
    "the blueprint has them no more: they stay until somebody deletes them, or their cluster";

/// Whether it is a whole run that the blueprint has no more, and nothing starts elsewhere in its place.
pub(crate) fn is_left_run(change: &Change) -> bool {
    change.why == LEFT && change.root.contains('/')
}

/// The noun that a folder is of: `cluster a3m` of `cluster a3m, pool gpus`, `cluster a3m, queue all` and `identity trainer`.
fn common<'a>(origins: impl Iterator<Item = &'a str> + Clone) -> String {
    let first = |origin: &'a str| origin.split(", ").next().unwrap_or_default();
    let is_cluster = |origin: &&str| origin.starts_with("cluster ");
    let of = origins.clone().find(is_cluster).or_else(|| origins.clone().next()).map(first);
    let mut inside = origins.filter(|it| Some(first(it)) == of).map(|it| it.split(", "));
    let mut shared: Vec<&str> = inside.next().into_iter().flatten().collect();
    for origin in inside {
        let same = shared.iter().zip(origin).take_while(|(one, other)| *one == other).count();
        shared.truncate(same);
    }
    shared.join(", ")
}

fn changed(root: &str, old: &Object, new: &Object) -> Option<Change> {
    let found = details(&flat(&old.value), &flat(&new.value));
    if found.is_empty() {
        let same = old.origin == new.origin && old.again == new.again;
        return (!same).then(|| of(root, new, Effect::Nothing, "only comments differ"));
    }
    let placed = |object: &Object| object.value.pointer("/spec/topologyName").is_some();
    let fixed = new.kind == "ResourceFlavor" && placed(old);
    let workers = |object: &Object| -> BTreeSet<String> {
        let all = object.value.pointer("/spec/clusters").and_then(Value::as_array);
        all.into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
    };
    let keeps_workers = new.kind == "MultiKueueConfig" && workers(old).is_subset(&workers(new));
    let (effect, why) = found
        .iter()
        .map(|detail| match fixed && detail.path.starts_with("spec") {
            true => (
                Effect::ByHand,
                "a flavor with a topology cannot be changed, and the queues that name it hold it",
            ),
            false if keeps_workers && detail.path.starts_with("spec.clusters") => {
                (Effect::InPlace, MORE_WORKERS)
            }
            false => told(&new.kind, detail),
        })
        .min_by_key(|(effect, _)| *effect)?;
    let lost = (effect == Effect::InPlace && why.is_empty()).then(|| quotas::lost(new, &found));
    let lost = lost.flatten();
    Some(Change { details: found, ..of(root, new, effect, lost.as_deref().unwrap_or(why)) })
}

/// The command that starts a workload anew, which deletes what else lies in its folder and cannot be changed.
fn with_deletions(again: &str, fixed: &[&Object]) -> String {
    let others = fixed.iter().filter(|it| it.kind != "JobSet").flat_map(|it| it.deletions());
    let others: String = others.map(|command| format!("{command} && ")).collect();
    match again.split_once(" && ") {
        Some((run, applied)) => format!("{run} && {others}{applied}"),
        None => again.to_owned(),
    }
}

/// What another value does.
fn told(kind: &str, detail: &Detail) -> (Effect, &'static str) {
    let path = names(&detail.path);
    let ending = ENDING.iter().find(|(of, names, word, _)| {
        *of == kind && path == *names && detail.after.as_deref() == Some(word)
    });
    if let Some((.., why)) = ending {
        return (Effect::Restarts, why);
    }
    let row =
        ROWS.iter().find(|row| (row.kind == kind || row.kind == "*") && path.starts_with(row.path));
    match row {
        Some(row) => (row.effect, row.why),
        None => (Effect::MayReplace, "it is not known whether this can be changed"),
    }
}

/// An object that is no longer in the output: nobody takes it away by itself.
fn gone(root: &str, old: &Object) -> Change {
    let (effect, why) = match old.kind.as_str() {
        _ if !old.is_applied() => (Effect::Nothing, "nothing reads it any more"),
        "Namespace" => {
            (Effect::ByHand, "it stays, with all that is in it: to delete it deletes that too")
        }
        "PersistentVolume" | "PersistentVolumeClaim" => (
            Effect::ByHand,
            "it stays until it is deleted, which deletes nothing of what is stored",
        ),
        "ServiceAccount" => (Effect::ByHand, REFUSED),
        _ => (Effect::ByHand, "it stays until it is deleted"),
    };
    of(root, old, effect, why)
}

impl Object {
    /// Whether the API server has it: Kustomize and charts read files of their own.
    fn is_applied(&self) -> bool {
        !["Kustomization", FILE, UNREADABLE].contains(&self.kind.as_str())
    }

    /// The commands that delete it, and first what holds it. To delete a namespace would delete what others have there.
    fn deletions(&self) -> Vec<String> {
        if !self.is_applied() || self.kind == "Namespace" {
            return Vec::new();
        }
        let word = |path: &str| self.value.pointer(path).and_then(Value::as_str);
        let first = match (self.kind.as_str(), word("/spec/claimRef/name")) {
            ("PersistentVolume", Some(claim)) => {
                let namespace = word("/spec/claimRef/namespace").unwrap_or_default();
                Some(deletion("PersistentVolumeClaim", claim, namespace))
            }
            // it ends when the runs that it let begin have: they go back to their doors
            ("ClusterQueue", _) => {
                Some(format!("kubectl patch clusterqueue {} {DRAINED}", self.name))
            }
            _ => None,
        };
        first.into_iter().chain([deletion(&self.kind, &self.name, &self.namespace)]).collect()
    }

    /// The commands that delete it, and then what it holds of all that goes.
    fn taken_away(&self, all: &[&Self]) -> Vec<String> {
        let held = all.iter().filter(|it| self.holds(it)).flat_map(|it| it.taken_away(all));
        self.deletions().into_iter().chain(held).collect()
    }

    /// Whether another object is deleted only once this one is gone, or names it no more: a queue holds the flavors that it deals out and
    /// what asks for their nodes, and a flavor its topology (Kueue's finalizer `resource-in-use`); a network of pods what it is set up by (GKE's
    /// controller of `GKENetworkParamSet` keeps one that a `Network` refers to).
    fn holds(&self, other: &Self) -> bool {
        match (self.kind.as_str(), other.kind.as_str()) {
            ("ClusterQueue", "ResourceFlavor") => self.flavors().any(|it| it == other.name),
            ("ClusterQueue", "AdmissionCheck") => self.checks().any(|it| it == other.name),
            ("ResourceFlavor", "Topology") => {
                self.value.pointer("/spec/topologyName").is_some_and(|it| *it == other.name)
            }
            ("Network", "GKENetworkParamSet") => {
                self.value.pointer("/spec/parametersRef/name").is_some_and(|it| *it == other.name)
            }
            _ => false,
        }
    }

    /// What a queue asks before it lets a run begin, of all flavors or of some.
    fn checks(&self) -> impl Iterator<Item = &str> {
        let list =
            |path: &str| self.value.pointer(path).and_then(Value::as_array).into_iter().flatten();
        let of_all = list("/spec/admissionChecks").filter_map(Value::as_str);
        let of_some = list("/spec/admissionChecksStrategy/admissionChecks");
        of_all.chain(of_some.filter_map(|it| it.get("name")?.as_str()))
    }

    /// The flavors that a queue deals out.
    fn flavors(&self) -> impl Iterator<Item = &str> {
        fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
            value.get(name).and_then(Value::as_array).into_iter().flatten()
        }
        let groups = self.value.get("spec").into_iter().flat_map(|it| list(it, "resourceGroups"));
        groups.flat_map(|it| list(it, "flavors")).filter_map(|it| it.get("name")?.as_str())
    }

    /// What the API server knows it by; a file that it does not have, by its path.
    fn key(&self) -> String {
        match self.is_applied() {
            true => format!("{} {} {}", self.kind, self.namespace, self.name),
            false => self.file.clone(),
        }
    }
}

/// The script that applies a folder of objects of a cluster.
pub(crate) const APPLIED: &str = "/install.sh";

fn applied(root: &str) -> String {
    format!("{root}{APPLIED}")
}

/// Kueue lets nothing in, and has what it let in go back.
const DRAINED: &str = "--type=merge --patch='{\"spec\":{\"stopPolicy\":\"HoldAndDrain\"}}'";

fn deletion(kind: &str, name: &str, namespace: &str) -> String {
    let kind = kind.to_lowercase();
    match namespace {
        "" => format!("kubectl delete {kind} {name} --ignore-not-found"),
        _ => format!("kubectl delete {kind} {name} --namespace={namespace} --ignore-not-found"),
    }
}

fn of(root: &str, object: &Object, effect: Effect, why: &str) -> Change {
    let name = match (object.kind.as_str(), object.namespace.as_str()) {
        _ if !object.is_applied() => file_name(&object.file).to_owned(),
        (kind, "") => format!("{kind} {}", object.name),
        (kind, namespace) => format!("{kind} {namespace}/{}", object.name),
    };
    Change {
        thing: name,
        origin: object.origin.clone(),
        ..Change::of_file(effect, root, &object.file, why)
    }
}

/// Every object of some files, by what the API server knows it by.
pub(crate) fn objects(files: &[File<'_>]) -> BTreeMap<String, Object> {
    let yaml = files.iter().filter(|file| file.grammar() == Grammar::Kubernetes);
    let mut found = BTreeMap::new();
    for file in yaml {
        for text in documents(file.text) {
            let value = serde_yaml::from_str::<Value>(&text);
            // what is no YAML differs from all that is
            let value =
                value.unwrap_or_else(|_| serde_json::json!({ "kind": UNREADABLE, "text": text }));
            let word = |path: &str| {
                value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let kind = word("/kind");
            let (name, namespace) = (word("/metadata/name"), word("/metadata/namespace"));
            let again = started(file.path, &text);
            let origin = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
            let object = Object {
                file: file.path.to_owned(),
                kind: if kind.is_empty() { FILE.to_owned() } else { kind },
                name,
                namespace,
                origin: origin.trim().to_owned(),
                value,
                again,
            };
            found.insert(object.key(), object);
        }
    }
    found
}

/// The command that starts anew the run that a file is of.
pub(crate) fn again(file: &File<'_>) -> Option<String> {
    started(file.path, file.text)
}

/// The commands of a page are given in its folder, those of a plan from the output.
fn started(path: &str, text: &str) -> Option<String> {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    comment(text, "# again: ").map(|it| it.replace("-k .", &format!("-k {folder}")))
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
