//! What the nodes are like that each replicated job of a run may be on, by fields and by patches of their pools, and the pods
//! that have to live with it.

use super::{PATCH_UNTOLERATED, items, record, shown, text};
use crate::document::{Map, Node};
use crate::kubernetes::context::Context;
use crate::kubernetes::patch::Document;
use crate::kubernetes::pod::Run;
use crate::kubernetes::words;
use slipform_model::nouns::{Flavor, Pool, Queue, Workload};
use slipform_model::plan::{Amounts, Gang, Planned, Sound};
use slipform_model::{Diagnostic, Noun, Placed, Value};
use slipform_source::Span;
use std::collections::{BTreeMap, BTreeSet};

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";

/// The nodes that a replicated job may be on: those of the pool that its gang names, and of all others that it may be let onto.
pub(in crate::kubernetes) struct Ground<'a> {
    /// The workload or the group.
    noun: &'a Noun,
    pub(super) role: &'a str,
    /// Pods of it in all.
    pub(super) pods: i64,
    /// Nodes that there are for them at most.
    pub(super) nodes: i64,
    plan: Sound<'a>,
    /// The pool that it names first.
    pools: Vec<Planned<'a, Pool>>,
    /// The queue that admits it.
    queue: Option<(&'a Noun, &'a Queue)>,
    /// The values that labels have, of those that are known of every node.
    pub(super) labels: BTreeMap<String, BTreeSet<String>>,
    /// Labels that some of the pools get by their field and by patches.
    pub(super) said: BTreeSet<String>,
    /// What one node has for pods at most, by the names of resources.
    pub(super) room: Vec<(String, f64)>,
    /// A pool keeps huge pages by a patch.
    pub(super) pages: bool,
    /// Whoever made the cluster may have put anything on it and on its nodes.
    pub(super) of_others: bool,
    /// A pool has GKE Sandbox by a patch, or may have it from whoever made it.
    pub(super) sandbox: bool,
    /// The kubelets of a pool let pods set more of their kernel by a patch, or may from whoever made it.
    pub(super) sysctls: bool,
}

/// A taint that a pool gets by a patch.
struct Taint {
    key: String,
    value: String,
    span: Span,
}

/// The nodes of each replicated job of a run.
pub(in crate::kubernetes) fn grounds<'a>(cx: &Context<'a>, run: Run<'a>) -> Vec<Ground<'a>> {
    run.plan.gangs().map(|gang| Ground::of(cx, run, gang)).collect()
}

impl<'a> Ground<'a> {
    fn of(cx: &Context<'a>, run: Run<'a>, gang: &'a Gang) -> Self {
        let own = cx.plan.pool_of(gang);
        let others =
            cx.plan.selected(&gang.pod.selection).filter(|pool| pool.noun.id != own.noun.id);
        let pools: Vec<Planned<'a, Pool>> = std::iter::once(own).chain(others).collect();
        let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        labels.insert(REGION.to_owned(), [run.nodes.cluster.plan.region.clone()].into());
        let zones: Option<BTreeSet<String>> =
            pools.iter().map(|pool| pool.plan.zone.clone()).collect();
        labels.extend(zones.map(|zones| (ZONE.to_owned(), zones)));
        for (key, value) in pools.iter().flat_map(|pool| pool.plan.selector.iter()) {
            labels.entry(key.clone()).or_default().insert(value.clone());
        }
        let most = pools.iter().fold(Amounts::NONE, |most, pool| most.most(pool.plan.allocatable));
        let mut room = vec![
            ("cpu".to_owned(), most.millicpus as f64 / 1000.0),
            ("memory".to_owned(), most.memory.0 as f64),
            ("ephemeral-storage".to_owned(), most.disk.0 as f64),
        ];
        let device = pools.iter().find_map(|pool| pool.plan.resource.clone());
        room.extend(device.map(|device| (device, most.devices as f64)));
        // whoever made the nodes may have given them both
        let others_made = !run.nodes.cluster.is_made();
        let has = |path| pools.iter().any(|pool| says_of_nodes(pool.noun, path));
        Self {
            noun: cx.plan.noun(gang.program.noun),
            role: &gang.role,
            pods: gang.nodes,
            nodes: pools.iter().map(|pool| pool.plan.max_nodes()).fold(0, i64::saturating_add),
            plan: cx.plan,
            queue: run.admission.map(|it| (it.noun, it.body)),
            said: pools.iter().copied().flat_map(said).collect(),
            labels,
            room,
            of_others: others_made,
            pages: has(&["node_config", "linux_node_config", "hugepages_config"]),
            sandbox: others_made || has(&["node_config", "sandbox_config"]),
            sysctls: others_made
                || has(&["node_config", "kubelet_config", "allowed_unsafe_sysctls"]),
            pools,
        }
    }

    /// Whether some workload of the blueprint gives its pods a label.
    pub(super) fn is_of_another(&self, key: &str, value: &str) -> bool {
        self.plan
            .all::<Workload>()
            .any(|run| run.body.labels.get(key).is_some_and(|it| it == value))
    }

    /// Its pools that get taints by patches, if such pods may be on their nodes. What a queue that is there already gives
    /// pods that it lets onto others than their own is not known.
    fn tainted(&self, pod: &Node) -> impl Iterator<Item = (&'a Noun, Taint)> {
        let is_known = self.queue.is_none_or(|(noun, _)| !noun.existing);
        let pools = self.pools.iter().take(if is_known { self.pools.len() } else { 1 });
        let reached = pools.filter(|pool| is_reached(**pool, pod));
        reached.flat_map(|pool| taints(pool.noun).into_iter().map(|taint| (pool.noun, taint)))
    }

    /// Whether its queue gives pods that it lets onto a pool what they need to live with a taint.
    fn is_given(&self, pool: &Noun, taint: &Taint) -> bool {
        let Some((_, queue)) = self.queue else { return false };
        let said = queue.flavor_of(pool.id).into_iter();
        let mut tolerated = said.flat_map(|Flavor::Flavor { tolerates, .. }| tolerates);
        tolerated.any(|key| *key == taint.key)
            || patched(pool, Document::Flavor.name(), &["spec", "tolerations"])
                .flat_map(listed)
                .any(|it| taint.is_met(word(it, "key"), word(it, "operator"), word(it, "value")))
    }
}

impl Taint {
    /// Whether a toleration is of it.
    fn is_met(&self, key: Option<&str>, operator: Option<&str>, value: Option<&str>) -> bool {
        match (key, operator) {
            (None, operator) => operator == Some("Exists"),
            (Some(key), Some("Exists")) => key == self.key,
            (Some(key), _) => key == self.key && value.unwrap_or_default() == self.value,
        }
    }
}

/// Whether pods that select nodes like this may be on those of a pool.
fn is_reached(pool: Planned<'_, Pool>, pod: &Node) -> bool {
    let mut selected = record(pod, "nodeSelector").into_iter().flat_map(Map::iter);
    selected.all(|(key, entry)| {
        let wanted = shown(&entry.value);
        if key == words::NODE_POOL {
            return pool.plan.node_pools.iter().any(|it| it.name == wanted);
        }
        let has = pool.plan.selector.get(key).or_else(|| pool.body.labels.get(key));
        has.is_none_or(|has| *has == wanted)
    })
}

/// Labels that nodes of a pool have by its field and by patches.
fn said<'a>(pool: Planned<'a, Pool>) -> impl Iterator<Item = String> + use<'a> {
    let patched = patched(pool.noun, "node_pool", &["node_config", "labels"]);
    let patched = patched.filter_map(|it| match &it.value {
        Value::Record(labels) => Some(labels.keys().map(ToString::to_string)),
        _ => None,
    });
    pool.body.labels.keys().cloned().chain(patched.flatten())
}

/// Whether a patch of a pool says this of its nodes.
fn says_of_nodes(pool: &Noun, path: &'static [&'static str]) -> bool {
    patched(pool, "node_pool", path).next().is_some()
}

/// Taints that a pool gets by patches.
fn taints(pool: &Noun) -> Vec<Taint> {
    let all = patched(pool, "node_pool", &["node_config", "taint"]).flat_map(listed);
    let told = all.filter(|it| word(it, "effect") != Some("PREFER_NO_SCHEDULE"));
    let taint = |it: &Placed| {
        let value = word(it, "value").unwrap_or_default().to_owned();
        Some(Taint { key: word(it, "key")?.to_owned(), value, span: it.span })
    };
    told.filter_map(taint).collect()
}

/// What patches of a document of a noun say at a place.
fn patched<'a>(
    noun: &'a Noun,
    document: &'static str,
    path: &'static [&'static str],
) -> impl Iterator<Item = &'a Placed> {
    fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Placed> {
        let (first, rest) = path.split_first()?;
        let Value::Record(record) = value else { return None };
        let next = record.get(*first)?;
        if rest.is_empty() { Some(next) } else { at(&next.value, rest) }
    }
    let patches = noun.patches.iter().filter(move |patch| patch.target == document);
    patches.filter_map(move |patch| at(&patch.value, path))
}

/// What a list has, or one thing by itself.
fn listed(at: &Placed) -> Vec<&Placed> {
    match &at.value {
        Value::List(items) => items.iter().flat_map(listed).collect(),
        _ => vec![at],
    }
}

fn word<'a>(at: &'a Placed, key: &str) -> Option<&'a str> {
    let Value::Record(record) = &at.value else { return None };
    match &record.get(key)?.value {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

/// Taints by patches that pods of a JobSet do not tolerate. A replicated job that a patch adds is held to the nodes of the
/// run's own.
pub(in crate::kubernetes) fn untolerated(grounds: &[Ground<'_>], jobset: &Node) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut told = Vec::new();
    for job in jobset.get("spec").into_iter().flat_map(|spec| items(spec, "replicatedJobs")) {
        let role = text(job, "name").unwrap_or_default();
        let known = grounds.iter().find(|ground| ground.role == role);
        let pod = job.get("template").and_then(|it| it.get("spec")?.get("template")?.get("spec"));
        let Some((ground, pod)) = known.or_else(|| grounds.first()).zip(pod) else { continue };
        for (pool, taint) in ground.tainted(pod) {
            let tolerated = items(pod, "tolerations")
                .any(|it| taint.is_met(text(it, "key"), text(it, "operator"), text(it, "value")));
            if tolerated || ground.is_given(pool, &taint) || !seen.insert((ground.role, taint.span))
            {
                continue;
            }
            let path = &ground.noun.path;
            let message = format!(
                "pods of `{path}` do not tolerate the taint `{}`, and stay Pending",
                taint.key
            );
            told.push(
                Diagnostic::error(PATCH_UNTOLERATED, message, taint.span)
                    .also(ground.noun.span, format!("may run on `{}`", pool.path))
                    .help("give its pods the toleration, `tolerations` in `patch jobset`, or leave the taint out"),
            );
        }
    }
    told
}
