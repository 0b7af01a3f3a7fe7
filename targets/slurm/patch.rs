//! `patch slurm_conf`: settings of a cluster of hosts of one's own in Slurm's own words, beside what its fields say.

use super::batch::not_of;
use super::options::{release, time_text};
use super::settings::Setting;
use crate::Output;
use crate::document::{Map, Node};
use crate::patch::{PATCH_IDENTITY, Spelling, checked};
use crate::relied::PATCH_RELIED;
use crate::schema::{Shape, slurm_conf};
use slipform_model::nouns::SlurmCluster;
use slipform_model::plan::{Planned, Sound};
use slipform_model::{Diagnostic, Patch, Record, Value};

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_PATCH_OF_NOTHING = "slurm/patch-of-nothing":
        "a patch changes `slurm.conf`, which is written of no such cluster",
        "remove the patch; a cluster on Google Cloud has `patch controller`";
}

/// The document, and the kind of noun that it belongs to.
pub(super) const DOCUMENT: (&str, &str) = ("slurm_conf", "cluster");

/// What lines are made of that are no settings, with the words of the blueprint for them.
const IDENTITY: [(&str, &str); 8] = [
    ("ClusterName", "`name`"),
    ("SlurmctldHost", "`controllers`"),
    ("SlurmctldAddr", "`controllers`"),
    ("SlurmUser", "`user`"),
    ("NodeName", "the partitions"),
    ("NodeSet", "the partitions"),
    ("DownNodes", "the partitions"),
    ("PartitionName", "the partitions"),
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

/// The shape of the document.
pub(crate) fn shape(document: &str) -> Option<Shape> {
    Some(document).filter(|it| *it == DOCUMENT.0).and_then(Shape::of)
}

/// Settings with everything that the patches of a cluster say.
pub(super) fn apply(
    cluster: Planned<'_, SlurmCluster>,
    settings: Vec<Setting>,
    out: &mut Output,
) -> Vec<Setting> {
    let ours = |patch: &&Patch| patch.target == DOCUMENT.0;
    if !cluster.noun.patches.iter().any(|patch| ours(&patch)) {
        return settings;
    }
    let base = settings.into_iter().fold(Map::default(), |map, it| match it.value.parse::<i64>() {
        Ok(number) => map.with(it.name, number),
        Err(_) => map.with(it.name, it.value),
    });
    let mut base = Node::Map(base);
    for patch in cluster.noun.patches.iter().filter(ours) {
        let told = refused(cluster, patch);
        if !told.is_empty() {
            out.diagnostics.extend(told);
            continue;
        }
        let Some(shape) = shape(&patch.target) else { continue };
        match checked(cluster.noun, patch, &shape, SPELLING, &base, &mut out.diagnostics) {
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

/// A value as `slurm.conf` has it.
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
fn refused(cluster: Planned<'_, SlurmCluster>, patch: &Patch) -> Vec<Diagnostic> {
    let Value::Record(record) = &patch.value else { return Vec::new() };
    let identity = IDENTITY.iter().filter_map(|(key, field)| {
        let placed = record.get(*key)?;
        let message = format!("`{key}` of slurm.conf follows from {field}, and cannot be patched");
        let told = Diagnostic::error(PATCH_IDENTITY, message, placed.span);
        Some(told.help(format!("say it by {field} of the cluster")))
    });
    let known = release(&cluster.body.release.value);
    let unknown = record.iter().filter_map(|(key, placed)| {
        let setting = slurm_conf::setting(key)?;
        let has = known?;
        let message = match (setting.since, setting.until) {
            (Some(since), _) if has < since => {
                format!("`{key}` of slurm.conf came with Slurm {since} at the earliest, and the cluster has {has}")
            }
            (_, Some(until)) if has > until => {
                format!("`{key}` of slurm.conf is gone after Slurm {until}, and the cluster has {has}")
            }
            _ => return None,
        };
        let help = "leave it out of the patch, or say which `release` the cluster has";
        Some(not_of(cluster.body, message, help, placed.span))
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

/// Refuses patches of clusters of which no `slurm.conf` is written, which would be lost otherwise.
pub(super) fn refuse_rest(plan: Sound<'_>, out: &mut Output) {
    let own = plan.made::<SlurmCluster>().filter(|it| it.plan.cloud.is_none());
    let own: Vec<_> = own.map(|it| it.noun.id).collect();
    let others = plan.nouns().map(|it| it.noun()).filter(|noun| !own.contains(&noun.id));
    for noun in others.filter(|noun| noun.kind() == DOCUMENT.1) {
        for patch in noun.patches.iter().filter(|patch| patch.target == DOCUMENT.0) {
            let message = format!("no `slurm.conf` is written of {}", noun.path);
            let told = Diagnostic::error(SLURM_PATCH_OF_NOTHING, message, patch.span);
            out.diagnostics.push(told.help("remove the patch"));
        }
    }
}
