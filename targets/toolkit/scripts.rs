//! Scripts that hosts of a cluster run: at their start, before jobs and after them.

use super::blueprint::Cluster;
use super::module::Module;
use super::nodes::Member;
use crate::Output;
use crate::document::{Map, map, seq};
use crate::template::Templates;
use serde::Serialize;
use slipform_model::catalog::SlurmPrologue;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What hosts do when they start.
pub(super) const STARTUP: &str = "modules/scripts/startup-script";
/// The module of the controller's own scripts.
const PROLOGS: &str = "prologs";

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("prologs.sh", include_str!("templates/prologs.sh")),
        ("devices.sh", include_str!("templates/devices.sh")),
    ])
});

#[derive(Serialize)]
struct Prologs<'a> {
    folder: &'a str,
    prologs: Vec<Prolog<'a>>,
}

/// A script, and the partitions that it is for.
#[derive(Serialize)]
struct Prolog<'a> {
    name: &'a str,
    script: &'a str,
    partitions: Vec<&'a str>,
}

#[derive(Serialize)]
struct Devices<'a> {
    devices: &'a str,
}

/// What the network of a partition's GPUs wants to be done before jobs.
pub(super) fn prologue(member: Member<'_>) -> Option<&SlurmPrologue> {
    member.partition.plan.stack.as_ref()?.slurm.as_ref()?.prologue.as_ref()
}

/// Scripts of prologs, each with the partitions that it is for.
fn of_partitions<'p>(members: &[Member<'p>]) -> BTreeMap<&'p str, Vec<&'p str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for member in members {
        let Member { partition, .. } = *member;
        let stack = partition.plan.stack.as_ref().and_then(|stack| stack.slurm.as_ref());
        let prologue = stack.and_then(|stack| stack.prologue.as_ref());
        if let Some(script) = prologue.and_then(|it| it.script.as_deref()) {
            found.entry(script).or_default().push(partition.name());
        }
    }
    found
}

/// What puts the prologs of partitions where slurmd looks for them, where there are any; `None` where that has no spelling.
pub(super) fn prologs(
    cluster: Cluster<'_>,
    members: &[Member<'_>],
    out: &mut Output,
) -> Option<Vec<Module>> {
    let scripts = of_partitions(members);
    if scripts.is_empty() {
        return Some(Vec::new());
    }
    let prologs = scripts.into_iter().map(|(script, partitions)| Prolog {
        name: script.rsplit('/').next().unwrap_or(script),
        script,
        partitions,
    });
    let values =
        Prologs { folder: &cluster.catalog().slurm().prologues, prologs: prologs.collect() };
    let text = TEMPLATES.fill(out, cluster.planned.noun, "prologs.sh", &values)?;
    let settings = map().with("runners", seq([shell("prologs.sh", text)]));
    let comment = "what runs on nodes before jobs and after them, shared out by the controller";
    Some(vec![Module::new(PROLOGS, STARTUP).comment(comment).settings(settings)])
}

/// What the controller is told of its prologs.
pub(super) fn of_controller(cluster: Cluster<'_>, members: &[Member<'_>], settings: Map) -> Map {
    if of_partitions(members).is_empty() {
        return settings;
    }
    let hostname = map().with("filename", "hostname.sh").with(
        "content",
        "#!/bin/bash\n# enroot reads the name of the node there\nhostname >/etc/hostname\n",
    );
    settings
        .with("enable_external_prolog_epilog", true)
        .with("slurm_conf_tpl", &cluster.catalog().slurm().long_prologue_template)
        .with("controller_startup_script", format!("$({PROLOGS}.startup_script)"))
        .with("prolog_scripts", seq([hostname]))
}

/// What keeps slurmd from starting before the devices of its network are there.
pub(super) fn devices(member: Member<'_>, devices: &str, out: &mut Output) -> Option<Map> {
    let text = TEMPLATES.fill(out, member.partition.noun, "devices.sh", &Devices { devices })?;
    Some(shell("devices.sh", text))
}

fn shell(name: &str, content: String) -> Map {
    map().with("type", "shell").with("destination", name).with("content", content)
}
