//! A JobSet held together once it is patched: what it speaks of is there, what it asks for can be had, and what controllers read of
//! it has names that they know. What was so before the patch is not told again: fields and rules answer for it.

mod elsewhere;
mod inside;
mod keys;
mod kubelets;
mod labels;
mod nodes;
mod places;
mod pods;
mod together;
mod valid;

pub(super) use nodes::{Ground, grounds, untolerated};

use super::words;
use crate::document::{Map, Node};
use keys::{ANNOTATIONS, Form, LABELS, OWNERS, TOPOLOGY_FREE, amount};
use slipform_model::catalog::Catalog;
use slipform_model::{Diagnostic, Noun, Patch, Placed, Value, nearest, similar};
use slipform_source::{Code, Span};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    PATCH_REFERENCE = "patch/reference":
        "after a patch the document speaks of something that is not in it",
        "name what is there, or add what is meant";
    PATCH_METADATA = "patch/metadata":
        "a patch writes a label or an annotation that its reader does not know, or in a form that it does not read",
        "take the name and the form of the reader";
    PATCH_AMOUNT = "patch/amount":
        "after a patch a container asks for more than it may have, or for what has no amount",
        "let what is asked for be at most the limit";
    PATCH_UNTOLERATED = "patch/untolerated":
        "a patch gives nodes a taint that the pods that run there do not tolerate",
        "give the pods the toleration, or leave the taint out";
    PATCH_NODES = "patch/nodes":
        "after a patch pods ask for nodes that the pool has none of",
        "leave it out, or say it with a field";
    PATCH_REFUSED = "patch/refused":
        "after a patch the cluster makes no pods of the document",
        "take what the report names";
    PATCH_NETWORK = "patch/network":
        "after a patch pods are on the network of their node, where they have no interfaces of their own",
        "leave it out, or take a field that does without the fabric";
}

// What someone else may have made is a doubt.
slipform_source::codes! {
    pub(crate) DOUBTS;
    PATCH_ELSEWHERE = "patch/elsewhere":
        "after a patch the document speaks of something that nothing here makes: without it nothing starts",
        "declare it, or allow this with a reason where someone else makes it";
    PATCH_HAMPERED = "patch/hampered":
        "after a patch a container cannot write where its programs write, or has no time to end",
        "leave it out, or allow this with a reason";
    PATCH_ENDLESS = "patch/endless":
        "after a patch something beside the run's own processes never ends, and the run with it, or a run starts again for ever",
        "let it end with the others, say what is to count, or allow this with a reason";
    PATCH_UNUSED = "patch/unused":
        "what a patch adds to a pod is used by nothing in it",
        "use it, or leave it out";
}

/// What is found in a document.
#[derive(PartialEq, Eq, Debug)]
struct Finding {
    code: Code,
    /// The keys on the way to it, without items of lists.
    names: Vec<String>,
    /// What stands there, where it is a text.
    value: String,
    message: String,
    help: String,
}

/// What a patched JobSet says that does not hold, and did not stand in it before.
pub(super) fn told(
    noun: &Noun,
    (catalog, grounds): (&Catalog, &[Ground<'_>]),
    before: &Node,
    after: &Node,
) -> Vec<Diagnostic> {
    let document = super::patch::Document::JobSet.name();
    let known = findings(catalog, grounds, before, before);
    let patches = || noun.patches.iter().filter(|patch| patch.target == document);
    let new = findings(catalog, grounds, before, after)
        .into_iter()
        .filter(|found| !known.contains(found));
    let told = new.map(|found| {
        let span = place(patches(), &found).unwrap_or(noun.span);
        let Finding { code, message, help, .. } = found;
        let told = if DOUBTS.contains(&code) { Diagnostic::warning } else { Diagnostic::error };
        told(code, message, span).help(help)
    });
    told.collect()
}

/// Where a patch says it: under its keys, with its value if there are several.
fn place<'a>(patches: impl Iterator<Item = &'a Patch>, found: &Finding) -> Option<Span> {
    let mut best: Option<(usize, Span)> = None;
    for patch in patches {
        let root = Placed { value: patch.value.clone(), span: patch.span };
        nearer(&root, &found.names, found, 0, &mut best);
    }
    best.map(|(_, span)| span)
}

fn nearer(
    at: &Placed,
    names: &[String],
    found: &Finding,
    depth: usize,
    best: &mut Option<(usize, Span)>,
) {
    let said = names.is_empty() && at.value.to_string() == found.value;
    let depth = depth + usize::from(said);
    if best.is_none_or(|(known, _)| known < depth) {
        *best = Some((depth, at.span));
    }
    match (&at.value, names.split_first()) {
        (Value::List(items), _) => {
            items.iter().for_each(|item| nearer(item, names, found, depth, best));
        }
        // an amount is told of all that is asked for
        (Value::Record(record), None) => {
            for value in record.values().filter(|it| it.value.to_string() == found.value) {
                nearer(value, names, found, depth, best);
            }
        }
        (Value::Record(record), Some((first, rest))) => {
            if let Some(next) = record.get(first.as_str()) {
                nearer(next, rest, found, depth + 1, best);
            }
        }
        _ => {}
    }
}

struct Look<'a> {
    catalog: &'a Catalog,
    /// As it was before the patch: what it speaks of is there.
    before: &'a Node,
    /// The nodes of each replicated job of the run.
    grounds: &'a [Ground<'a>],
    /// The replicated job that is looked at.
    role: String,
    /// Whether the run waits for its end.
    decides: bool,
    names: Vec<String>,
    found: Vec<Finding>,
}

fn findings(
    catalog: &Catalog,
    grounds: &[Ground<'_>],
    before: &Node,
    document: &Node,
) -> Vec<Finding> {
    let (role, names, found) = (String::new(), Vec::new(), Vec::new());
    let mut look = Look { catalog, before, grounds, role, decides: true, names, found };
    look.metadata(document);
    if let Some(spec) = document.get("spec") {
        look.within("spec", |look| look.spec(spec));
    }
    look.found
}

/// The items of a list of a record.
fn items<'a>(node: &'a Node, key: &str) -> impl Iterator<Item = &'a Node> {
    let items = match node.get(key) {
        Some(Node::Seq(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().map(|item| &item.value)
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_str)
}

fn int(node: &Node, key: &str) -> Option<i64> {
    match node.get(key) {
        Some(Node::Int(number)) => i64::try_from(*number).ok(),
        _ => None,
    }
}

fn record<'a>(node: &'a Node, key: &str) -> Option<&'a Map> {
    match node.get(key) {
        Some(Node::Map(map)) => Some(map),
        _ => None,
    }
}

impl Look<'_> {
    fn within(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        self.names.push(key.to_owned());
        look(self);
        self.names.pop();
    }

    fn tell(
        &mut self,
        code: Code,
        key: &str,
        value: &str,
        message: String,
        help: impl Into<String>,
    ) {
        let mut names = self.names.clone();
        match key.contains('/') {
            true => names.push(key.to_owned()),
            false => names.extend(key.split('.').map(str::to_owned)),
        }
        let (value, help) = (value.to_owned(), help.into());
        self.found.push(Finding { code, names, value, message, help });
    }

    /// A name that has to be among others.
    fn among(&mut self, key: &str, name: &str, all: &[&str], what: &str) {
        if all.contains(&name) {
            return;
        }
        let help = match nearest(name, all.iter().copied()) {
            Some(near) => similar("one", near),
            None if all.is_empty() => "there is none".to_owned(),
            None => format!("there are `{}`", all.join("`, `")),
        };
        self.tell(PATCH_REFERENCE, key, name, format!("`{name}` is no {what}"), help);
    }

    fn spec(&mut self, spec: &Node) {
        self.valid_run(spec);
        let jobs: Vec<&Node> = items(spec, "replicatedJobs").collect();
        let roles: Vec<&str> = jobs.iter().filter_map(|job| text(job, "name")).collect();
        let deciding = spec.get("successPolicy");
        let deciding: Vec<&str> = deciding
            .into_iter()
            .flat_map(|it| items(it, "targetReplicatedJobs"))
            .filter_map(Node::as_str)
            .collect();
        for (at, job) in jobs.iter().enumerate() {
            let role = text(job, "name").unwrap_or_default();
            self.role = role.to_owned();
            self.decides = deciding.is_empty() || deciding.contains(&role);
            self.within("replicatedJobs", |look| {
                let before = roles.get(..at.min(roles.len())).unwrap_or_default();
                for one in items(job, "dependsOn") {
                    let name = text(one, "name").unwrap_or_default();
                    look.among(
                        "dependsOn.name",
                        name,
                        before,
                        "replicated job that stands before this one",
                    );
                }
                look.job(job);
            });
        }
        if spec.get("suspend") == Some(&Node::Bool(true)) {
            let message = "the run waits until somebody lets it go".to_owned();
            let help = "leave it out; a queue lets a run go when it has room for it";
            self.tell(PATCH_ELSEWHERE, "suspend", "true", message, help);
        }
        let role = |it: &&Node, name: &str| text(it, "name") == Some(name);
        if let Some(leader) = spec.get("coordinator") {
            let name = text(leader, "replicatedJob").unwrap_or_default();
            self.among("coordinator.replicatedJob", name, &roles, "replicated job of this JobSet");
            if let Some(job) = jobs.iter().find(|it| role(it, name)) {
                self.coordinator(leader, job);
            }
        }
        if let Some(policy) = spec.get("successPolicy") {
            self.targets("successPolicy", policy, &roles);
        }
        for rule in spec.get("failurePolicy").into_iter().flat_map(|it| items(it, "rules")) {
            self.targets("failurePolicy.rules", rule, &roles);
            self.uncounted(rule);
        }
    }

    /// A rule by which whatever ends a run starts it again, and none of that counts.
    fn uncounted(&mut self, rule: &Node) {
        let action = "RestartJobSetAndIgnoreMaxRestarts";
        let asks = ["onJobFailureReasons", "onJobFailureMessagePatterns", "targetReplicatedJobs"];
        let is_open = asks.iter().all(|key| items(rule, key).next().is_none());
        if text(rule, "action") == Some(action) && is_open {
            let message =
                "a program that fails by itself starts again for ever: no failure of it is counted";
            let help = "say which failures do not count: `on_failure` of the workload does; `restarts` has a bound for the others";
            let key = "failurePolicy.rules.action";
            self.tell(PATCH_ENDLESS, key, action, message.to_owned(), help);
        }
    }

    fn targets(&mut self, around: &str, policy: &Node, roles: &[&str]) {
        for name in items(policy, "targetReplicatedJobs").filter_map(Node::as_str) {
            let key = format!("{around}.targetReplicatedJobs");
            self.among(&key, name, roles, "replicated job of this JobSet");
        }
    }

    fn coordinator(&mut self, leader: &Node, job: &Node) {
        let spec = job.get("template").and_then(|it| it.get("spec"));
        let pods = spec.and_then(|spec| int(spec, "completions").or(int(spec, "parallelism")));
        let counts = [
            ("jobIndex", int(job, "replicas").unwrap_or(1), "jobs"),
            ("podIndex", pods.unwrap_or(1), "pods"),
        ];
        for (key, count, what) in counts {
            let index = int(leader, key).unwrap_or(0);
            if index >= count {
                let message =
                    format!("the replicated job has {count} {what}, and none of number {index}");
                let key = format!("coordinator.{key}");
                self.tell(
                    PATCH_REFERENCE,
                    &key,
                    &index.to_string(),
                    message,
                    "numbers count from 0",
                );
            }
        }
    }

    fn job(&mut self, job: &Node) {
        let pods = job.get("template").and_then(|it| it.get("spec")?.get("template"));
        let Some(template) = pods else { return };
        self.names.extend(["template", "spec", "template"].map(str::to_owned));
        self.metadata(template);
        if let Some(pod) = template.get("spec") {
            self.within("spec", |look| look.pod(pod, template));
        }
        self.names.truncate(self.names.len() - 3);
    }

    fn pod(&mut self, pod: &Node, template: &Node) {
        let volumes: Vec<&str> = items(pod, "volumes").filter_map(|it| text(it, "name")).collect();
        let claimed: Vec<&str> =
            items(pod, "resourceClaims").filter_map(|it| text(it, "name")).collect();
        let mut mounted = BTreeSet::new();
        for list in ["initContainers", "containers"] {
            for container in items(pod, list) {
                for mount in items(container, "volumeMounts") {
                    let name = text(mount, "name").unwrap_or_default();
                    mounted.insert(name);
                    let key = format!("{list}.volumeMounts.name");
                    self.among(&key, name, &volumes, "volume of the pod");
                }
                let claims =
                    container.get("resources").into_iter().flat_map(|it| items(it, "claims"));
                for claim in claims {
                    let name = text(claim, "name").unwrap_or_default();
                    let key = format!("{list}.resources.claims.name");
                    self.among(&key, name, &claimed, "resource claim of the pod");
                }
                self.within(list, |look| look.amounts(container));
            }
        }
        // what is injected beside the pod's own containers mounts what it is for
        let injected = |name: &&&str| name.starts_with("gke-gcsfuse") || name.starts_with("kube-");
        for name in volumes.iter().filter(|it| !mounted.contains(*it) && !injected(it)) {
            let message = format!("no container of the pod mounts the volume `{name}`");
            let help = match nearest(name, mounted.iter().copied()) {
                Some(near) => similar("a volume", near),
                None => "add it to `volumeMounts` of a container".to_owned(),
            };
            self.tell(PATCH_UNUSED, "volumes.name", name, message, help);
        }
        self.elsewhere(pod);
        self.nodes(pod);
        self.affinity(pod);
        self.near_and_apart(pod, template);
        self.sums(pod);
        self.tolerations(pod);
        self.ends(pod);
        self.root(pod);
        self.alive(pod);
        self.inside(pod);
        self.valid(pod);
        self.selectors(pod);
        let networked = record(template, "metadata")
            .and_then(|it| it.get("annotations"))
            .is_some_and(|it| it.get(words::INTERFACES).is_some());
        if networked && pod.get("hostNetwork") == Some(&Node::Bool(true)) {
            let message =
                "the pod is on the network of its node, and asks for interfaces of its own"
                    .to_owned();
            let help = "leave it out; `fabric = \"off\"` does without interfaces";
            self.tell(PATCH_NETWORK, "hostNetwork", "true", message, help);
        }
    }

    fn amounts(&mut self, container: &Node) {
        let Some(resources) = container.get("resources") else { return };
        self.devices(resources);
        let limits = record(resources, "limits");
        for (side, said) in [("requests", record(resources, "requests")), ("limits", limits)] {
            for (name, entry) in said.into_iter().flat_map(Map::iter) {
                let key = format!("resources.{side}");
                let shown = shown(&entry.value);
                let Some(amount) = amount(&shown) else {
                    let message = format!("`{shown}` is no amount of `{name}`");
                    let help = "amounts are numbers with a unit: `500m`, `16`, `64Gi`";
                    self.tell(PATCH_AMOUNT, &key, &shown, message, help);
                    continue;
                };
                self.device(&key, name, &shown);
                self.bytes(&key, name, &shown, amount);
                let most = limits.and_then(|it| it.get(name)).map(self::shown);
                let most = most.filter(|_| side == "requests");
                if let Some(most) = most
                    && self::amount(&most).is_some_and(|most| most < amount)
                {
                    let message =
                        format!("the container asks for {shown} of `{name}`, and may have {most}");
                    self.tell(
                        PATCH_AMOUNT,
                        &key,
                        &shown,
                        message,
                        "raise the limit, or ask for less",
                    );
                }
            }
        }
    }

    /// Limits that no process fits into, since their unit is forgotten, or one of processors.
    fn bytes(&mut self, key: &str, name: &str, shown: &str, amount: f64) {
        let is_limit = key.ends_with("limits") && ["memory", "ephemeral-storage"].contains(&name);
        if !is_limit || amount <= 0.0 || amount >= 1024.0 * 1024.0 {
            return;
        }
        let message =
            format!("`{shown}` of `{name}` is less than one MiB: the container ends at once");
        let help =
            "without a unit it is bytes, and `m` is a thousandth of one: write `500Mi`, or `64Gi`";
        self.tell(PATCH_AMOUNT, key, shown, message, help);
    }

    /// Devices that nothing of the blueprint's own nodes has.
    fn device(&mut self, key: &str, name: &str, amount: &str) {
        const PLAIN: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
        if PLAIN.contains(&name) || name.starts_with("hugepages-") || has_key(self.before, name) {
            return;
        }
        let message = format!(
            "nodes of the pool are not known to have `{name}`: the pod stays Pending, and a queue does not admit it"
        );
        self.tell(
            PATCH_ELSEWHERE,
            key,
            amount,
            message,
            "leave it out, or allow this where something gives nodes the device",
        );
    }

    /// Labels and annotations that controllers read.
    fn metadata(&mut self, object: &Node) {
        let Some(metadata) = object.get("metadata") else { return };
        self.within("metadata", |look| {
            look.labels(metadata);
            for (list, rows) in [("annotations", ANNOTATIONS), ("labels", LABELS)] {
                for (key, entry) in record(metadata, list).into_iter().flat_map(Map::iter) {
                    look.within(list, |look| look.read_by(rows, key, &shown(&entry.value)));
                }
            }
        });
    }

    fn read_by(&mut self, rows: &[(&str, Form)], key: &str, value: &str) {
        let Some((owner, _)) = key.split_once('/') else { return };
        let known = || {
            rows.iter().map(|row| row.0).filter(|row| row.starts_with(owner) && row.contains('/'))
        };
        if !OWNERS.contains(&owner) || key.starts_with("cloud.google.com/gke-tpu-slice-") {
            return;
        }
        let Some((_, form)) = rows.iter().find(|row| row.0 == key) else {
            let help = match nearest(key, known()) {
                Some(near) => similar("one", near),
                None => format!("there are `{}`", known().collect::<Vec<_>>().join("`, `")),
            };
            let message = format!("`{key}` is nothing that `{owner}` reads here");
            return self.tell(PATCH_METADATA, key, value, message, help);
        };
        let is_level = |value: &str| {
            value == words::NODE_POOL
                || value == "kubernetes.io/hostname"
                || value.starts_with("cloud.google.com/g")
        };
        if key == words::QUEUE_NAME && !says(self.before, key, value) {
            let message = format!(
                "nothing here makes or declares a LocalQueue `{value}`, and the run waits without it"
            );
            let help =
                "`queue` of the workload names one; one that is there is declared `existing`";
            return self.tell(PATCH_ELSEWHERE, key, value, message, help);
        }
        if key.ends_with("-topology")
            && owner == "kueue.x-k8s.io"
            && key != TOPOLOGY_FREE
            && !is_level(value)
        {
            let message = format!("`{value}` is no level that nodes of GKE are told apart by");
            let help = "`topology` of the workload names levels: `required(\"block\")`";
            return self.tell(PATCH_METADATA, key, value, message, help);
        }
        if let Some(wanted) = form.misses(value) {
            let message = format!("`{key}` is {wanted}, and not `{value}`");
            self.tell(PATCH_METADATA, key, value, message, "write it as a text in that form");
        }
    }
}

/// Whether a document says a name under a key somewhere.
fn says(node: &Node, key: &str, name: &str) -> bool {
    match node {
        Node::Map(map) => map.iter().any(|(at, entry)| {
            at == key && entry.value.as_str() == Some(name) || says(&entry.value, key, name)
        }),
        Node::Seq(items) => items.iter().any(|item| says(&item.value, key, name)),
        _ => false,
    }
}

fn has_key(node: &Node, key: &str) -> bool {
    match node {
        Node::Map(map) => map.iter().any(|(at, entry)| at == key || has_key(&entry.value, key)),
        Node::Seq(items) => items.iter().any(|item| has_key(&item.value, key)),
        _ => false,
    }
}

fn shown(node: &Node) -> String {
    match node {
        Node::Str(text) => text.to_string(),
        Node::Int(number) => number.to_string(),
        Node::Float(number) => number.to_string(),
        Node::Bool(truth) => truth.to_string(),
        Node::Null | Node::Seq(_) | Node::Map(_) => String::new(),
    }
}
