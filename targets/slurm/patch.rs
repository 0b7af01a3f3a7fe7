//! `patch slurm_conf`, `cgroup_conf`, `partition_line` and `node_line`: settings of a cluster of hosts of one's own and of its partitions in Slurm's own words, beside what
//! fields say.

use super::batch::not_of;
use super::options::{release, time_text};
use super::settings::Setting;
use crate::Output;
use crate::document::{Map, Node};
use crate::patch::{PATCH_IDENTITY, Spelling, checked};
use crate::relied::PATCH_RELIED;
use crate::schema::{Shape, slurm_conf};
use slipform_model::nouns::SlurmCluster;
use slipform_model::plan::Sound;
use slipform_model::{Diagnostic, Noun, Patch, Record, Value};

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_PATCH_OF_NOTHING = "slurm/patch-of-nothing":
        "a patch changes a file of Slurm's, which is written of no such cluster",
        "remove the patch; on Google Cloud clusters have `patch controller`, and partitions `patch slurm_partition`";
}

/// The settings of a whole cluster.
pub(super) const SLURM: &str = "slurm_conf";
/// What control groups hold jobs to.
pub(super) const CGROUP: &str = "cgroup_conf";
/// What is of a partition besides its nodes.
pub(super) const PARTITION: &str = "partition_line";
/// What is of the nodes of a partition besides what they are.
pub(super) const NODES: &str = "node_line";

/// All of them, with the kind of noun that each belongs to.
pub(super) const DOCUMENTS: [(&str, &str); 4] =
    [(SLURM, "cluster"), (CGROUP, "cluster"), (PARTITION, "partition"), (NODES, "partition")];

/// What lines are made of that no patch says, with the words of the blueprint for them.
const IDENTITY: [(&str, &str, &str); 28] = [
    (SLURM, "ClusterName", "`name` of the cluster"),
    (SLURM, "SlurmctldHost", "`controllers` of the cluster"),
    (SLURM, "SlurmctldAddr", "`controllers` of the cluster"),
    (SLURM, "SlurmUser", "`user` of the cluster"),
    (SLURM, "NodeName", "the partitions"),
    (SLURM, "NodeSet", "the partitions"),
    (SLURM, "DownNodes", "the partitions"),
    (SLURM, "PartitionName", "the partitions"),
    (PARTITION, "PartitionName", "the partition's name"),
    (PARTITION, "Nodes", "`nodes` and `hosts` of the partition"),
    (PARTITION, "Default", "`default` of the partition"),
    (PARTITION, "MaxTime", "`max_time` of the partition"),
    (PARTITION, "OverSubscribe", "`exclusive` of the partition"),
    (PARTITION, "PriorityTier", "`tier` of the partition"),
    (PARTITION, "GraceTime", "the grace of its workloads"),
    (PARTITION, "Topology", "`block_nodes` and `switch_nodes` of the partition"),
    (NODES, "NodeName", "`hosts` of the partition"),
    (NODES, "NodeAddr", "`first_address` of the partition"),
    (NODES, "CPUs", "`machine` of the partition"),
    (NODES, "Boards", "`machine` of the partition"),
    (NODES, "Sockets", "`machine` of the partition"),
    (NODES, "CoresPerSocket", "`machine` of the partition"),
    (NODES, "ThreadsPerCore", "`machine` of the partition"),
    (NODES, "RealMemory", "`machine` of the partition"),
    (NODES, "Gres", "`machine` of the partition"),
    (NODES, "Feature", "`machine` of the partition"),
    (NODES, "Features", "`machine` of the partition"),
    (NODES, "State", "the state that nodes register with"),
];

/// Settings that are lists of words, with what goes by those that are there.
const KEPT: [(&str, &str); 5] = [
    ("GresTypes", "jobs ask for GPUs by it"),
    ("PrologFlags", "prologs, and what jobs leave behind, go by it"),
    ("PropagateResourceLimitsExcept", "RDMA registers memory beyond the limit of who submits"),
    ("SchedulerParameters", "jobs that ask for few switches wait as long as it says"),
    ("TaskPlugin", "steps are bound to their processors, and held to their memory"),
];

/// Times that are no number of seconds are written in full.
const SPELLING: Spelling =
    Spelling { consumer: "Slurm", size: |_| None, duration: |duration| time_text(duration).into() };

/// The shape of a document.
pub(crate) fn shape(document: &str) -> Option<Shape> {
    slurm_conf::file(document).and_then(|file| Shape::of(file.document))
}

/// Settings of a document with everything that the patches of a noun say.
pub(super) fn apply(
    noun: &Noun,
    cluster: &SlurmCluster,
    document: &str,
    settings: Vec<Setting>,
    out: &mut Output,
) -> Vec<Setting> {
    let ours = |patch: &&Patch| patch.target == document;
    if !noun.patches.iter().any(|patch| ours(&patch)) {
        return settings;
    }
    let base = settings.into_iter().fold(Map::default(), |map, it| match it.value.parse::<i64>() {
        _ if it.value == "yes" => map.with(it.name, true),
        Ok(number) => map.with(it.name, number),
        Err(_) => map.with(it.name, it.value),
    });
    let mut base = Node::Map(base);
    for patch in noun.patches.iter().filter(ours) {
        let told = refused(cluster, patch);
        if !told.is_empty() {
            out.diagnostics.extend(told);
            continue;
        }
        let Some(shape) = shape(&patch.target) else { continue };
        match checked(noun, patch, &shape, SPELLING, &base, &mut out.diagnostics) {
            Ok(node) => {
                out.diagnostics.extend(left_out(patch, &base));
                shape.merge(&mut base, node);
            }
            Err(diagnostics) => out.diagnostics.extend(diagnostics),
        }
    }
    let Node::Map(map) = base else { return Vec::new() };
    map.iter()
        .filter_map(|(name, value)| {
            Some(Setting { name: name.to_owned(), value: text(&value.value)? })
        })
        .collect()
}

/// A value as Slurm's files have it.
fn text(value: &Node) -> Option<String> {
    match value {
        Node::Bool(it) => Some(if *it { "YES" } else { "NO" }.to_owned()),
        Node::Int(it) => Some(it.to_string()),
        Node::Float(it) => Some(it.to_string()),
        Node::Str(it) => Some(it.to_string()),
        Node::Null | Node::Seq(_) | Node::Map(_) => None,
    }
}

/// What no patch may say: what is no setting, and what the release does not have.
fn refused(cluster: &SlurmCluster, patch: &Patch) -> Vec<Diagnostic> {
    let Value::Record(record) = &patch.value else { return Vec::new() };
    let Some(file) = slurm_conf::file(&patch.target) else { return Vec::new() };
    let of = file.name;
    let lines = IDENTITY.iter().filter(|(document, ..)| *document == patch.target);
    let identity = lines.filter_map(|(_, key, field)| {
        let placed = record.get(*key)?;
        let message = format!("`{key}` of {of} follows from {field}, and cannot be patched");
        let told = Diagnostic::error(PATCH_IDENTITY, message, placed.span);
        Some(told.help(format!("say it by {field}")))
    });
    let known = release(&cluster.release.value);
    let unknown = record.iter().filter_map(|(key, placed)| {
        let setting = file.setting(key)?;
        let has = known?;
        let message = match (setting.since, setting.until) {
            (Some(since), _) if has < since => {
                format!("`{key}` of {of} came with Slurm {since} at the earliest, and the cluster has {has}")
            }
            (_, Some(until)) if has > until => {
                format!("`{key}` of {of} is gone after Slurm {until}, and the cluster has {has}")
            }
            _ => return None,
        };
        let help = "leave it out of the patch, or say which `release` the cluster has";
        Some(not_of(cluster, message, help, placed.span))
    });
    identity.chain(unknown).collect()
}

/// Words of a list that a patch says anew without them.
fn left_out(patch: &Patch, base: &Node) -> Vec<Diagnostic> {
    let Value::Record(record) = &patch.value else { return Vec::new() };
    let row = |(key, why): &(&str, &str)| lost(record, key, why, base);
    KEPT.iter().filter_map(row).collect()
}

fn lost(record: &Record, key: &str, why: &str, base: &Node) -> Option<Diagnostic> {
    let placed = record.get(key)?;
    let said = placed.value.to_string();
    let kept: Vec<&str> = said.split(',').collect();
    // of `max_switch_wait=600` the word counts
    let word = |text: &str| text.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let has = |text: &str| kept.iter().any(|it| word(it) == word(text));
    let all = base.get(key)?.as_str()?;
    let gone: Vec<String> =
        all.split(',').filter(|it| !has(it)).map(|it| format!("`{it}`")).collect();
    if gone.is_empty() {
        return None;
    }
    let message = format!("a patch takes {} of `{key}` away: {why}", gone.join(" and "));
    let help = "write all of them, or allow this with a reason: `allow patch/relied-on \"...\"`";
    Some(Diagnostic::error(PATCH_RELIED, message, placed.span).help(help))
}

/// Refuses patches of clusters and partitions of which no such line is written, which would be lost otherwise.
pub(super) fn refuse_rest(plan: Sound<'_>, out: &mut Output) {
    let clusters = plan.made::<SlurmCluster>().filter(|it| it.plan.cloud.is_none());
    let clusters: Vec<_> = clusters.map(|it| it.noun.id).collect();
    let own = |noun: &Noun| {
        clusters.contains(&noun.id) || noun.parent.is_some_and(|parent| clusters.contains(&parent))
    };
    for noun in plan.nouns().map(|it| it.noun()).filter(|noun| !own(noun)) {
        let ours = |document: &str| DOCUMENTS.contains(&(document, noun.kind()));
        for patch in noun.patches.iter().filter(|patch| ours(&patch.target)) {
            out.diagnostics.push(of_nothing(noun, patch));
        }
    }
}

/// Says that a patch would be lost.
pub(super) fn of_nothing(noun: &Noun, patch: &Patch) -> Diagnostic {
    let name = slurm_conf::file(&patch.target).map_or(patch.target.as_str(), |file| file.name);
    let message = format!("no `{name}` is written of {}", noun.path);
    Diagnostic::error(SLURM_PATCH_OF_NOTHING, message, patch.span).help("remove the patch")
}
