//! Scripts that hosts of a cluster run: at their start, before jobs and after them.

use super::blueprint::Cluster;
use super::module::{Module, literal};
use super::nodes::{self, Member};
use crate::Output;
use crate::document::{Map, map, seq};
use crate::template::Templates;
use serde::Serialize;
use slipform_model::Noun;
use slipform_model::catalog::{Arch, Machine, SlurmPlugin, SlurmPrologue};
use slipform_model::nouns::SlurmLogin;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What hosts do when they start.
pub(super) const STARTUP: &str = "modules/scripts/startup-script";
/// The module of what the controller does then.
const CONTROLLER: &str = "controller-startup";
/// And of what machines to submit from do.
const LOGIN: &str = "login-startup";

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("prologs.sh", include_str!("templates/prologs.sh")),
        ("devices.sh", include_str!("templates/devices.sh")),
        ("plugin.sh", include_str!("templates/plugin.sh")),
        ("containers.sh", include_str!("templates/containers.sh")),
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
    before: bool,
    after: bool,
}

/// What a node unpacks for NCCL.
#[derive(Serialize)]
struct Unpacked<'a> {
    image: String,
    plugin: &'a SlurmPlugin,
}

/// Where containers of a host lie.
#[derive(Serialize)]
struct Containers<'a> {
    /// The folder.
    place: &'a str,
    /// Its own disks are there already, and each user may write to them.
    disks: bool,
    /// Its image may say nothing of the plugin that starts containers.
    plugin: bool,
}

/// Where they lie on the boot disk.
const ON_BOOT_DISK: &str = "/var/tmp/containers";

#[derive(Serialize)]
struct Devices<'a> {
    devices: &'a str,
}

/// What the network of a partition's GPUs wants to be done before jobs.
pub(super) fn prologue(member: Member<'_>) -> Option<&SlurmPrologue> {
    member.partition.plan.stack.as_ref()?.slurm.as_ref()?.prologue.as_ref()
}

/// A script that nodes of some partitions run around jobs: where it is, and when it is run.
type Around<'p> = (&'p str, bool, bool);

/// Scripts around jobs, each with the partitions that it is for.
fn of_partitions<'p>(
    cluster: Cluster<'p>,
    members: &[Member<'p>],
) -> BTreeMap<Around<'p>, Vec<&'p str>> {
    let mut found: BTreeMap<Around<'_>, Vec<&str>> = BTreeMap::new();
    for member in members {
        let Member { partition, .. } = *member;
        let stack = partition.plan.stack.as_ref().and_then(|stack| stack.slurm.as_ref());
        let Some(stack) = stack else { continue };
        let network = stack.prologue.as_ref().and_then(|it| it.script.as_deref());
        let all = [
            (network, true, true),
            (stack.before.as_deref(), true, false),
            (stack.after.as_deref(), false, true),
        ];
        for (script, before, after) in all {
            if let Some(script) = script {
                found.entry((script, before, after)).or_default().push(partition.name());
            }
        }
    }
    let with_card = members.iter().filter(|member| member.has_rdma_card());
    for member in with_card {
        let check = cluster.catalog().slurm().rdma_card.check.as_str();
        found.entry((check, true, false)).or_default().push(member.partition.name());
    }
    found
}

/// What the controller and the machines to submit from do when they start, where they do anything; `None` where that has no spelling.
pub(super) fn of_servers(
    cluster: Cluster<'_>,
    members: &[Member<'_>],
    out: &mut Output,
) -> Option<Vec<Module>> {
    let body = cluster.planned.body;
    let mut controller = Vec::new();
    if !of_partitions(cluster, members).is_empty() {
        controller.push(prologs(cluster, members, out)?);
    }
    controller.extend(body.controller.value.startup().map(own_start));
    let login = of_login(cluster, out)?;
    let all = [(CONTROLLER, controller), (LOGIN, login)];
    let some = all.into_iter().filter(|(_, runners)| !runners.is_empty());
    let module = |(id, runners)| {
        Module::new(id, STARTUP)
            .comment(&cluster.planned.noun.origin)
            .settings(map().with("runners", seq(runners)))
    };
    Some(some.map(module).collect())
}

/// What machines to submit from do; `None` where that has no spelling.
fn of_login(cluster: Cluster<'_>, out: &mut Output) -> Option<Vec<Map>> {
    let mut runners = Vec::new();
    if let Some(machine) = login_with_image_of_others(cluster) {
        runners.push(containers(cluster.planned.noun, machine, None, out)?);
    }
    runners.extend(cluster.planned.body.login.startup().map(own_start));
    Some(runners)
}

/// What puts the prologs of partitions where slurmd looks for them; the controller shares them out.
fn prologs<'p>(cluster: Cluster<'p>, members: &[Member<'p>], out: &mut Output) -> Option<Map> {
    let prolog = |((script, before, after), partitions): (Around<'p>, Vec<&'p str>)| Prolog {
        name: script.rsplit('/').next().unwrap_or(script),
        script,
        partitions,
        before,
        after,
    };
    let prologs = of_partitions(cluster, members).into_iter().map(prolog).collect();
    let values = Prologs { folder: &cluster.catalog().slurm().prologues, prologs };
    let text = TEMPLATES.fill(out, cluster.planned.noun, "prologs.sh", &values)?;
    Some(shell("prologs.sh", text))
}

/// What the controller is told of scripts: what runs when hosts start, and before and after jobs.
pub(super) fn of_controller(cluster: Cluster<'_>, members: &[Member<'_>], settings: Map) -> Map {
    let body = cluster.planned.body;
    let of_networks = !of_partitions(cluster, members).is_empty();
    let long = members.iter().any(|it| prologue(*it).is_some_and(|it| it.script.is_some()));
    let own = body.controller.value.startup().is_some();
    let starts = starts_login(cluster);
    let startup = |id: &str| format!("$({id}.startup_script)");
    let limit = body.startup_time.map(|time| nodes::said(cluster, time.0));
    let mut prologs: Vec<Map> = body.prologs.iter().map(file).collect();
    if of_networks {
        prologs.insert(0, hostname());
    }
    let epilogs: Vec<Map> = body.epilogs.iter().map(file).collect();
    let all = |scripts: Vec<Map>| (!scripts.is_empty()).then(|| seq(scripts));
    settings
        .with_opt("enable_external_prolog_epilog", of_networks.then_some(true))
        .with_opt(
            "slurm_conf_tpl",
            long.then_some(&cluster.catalog().slurm().long_prologue_template),
        )
        .with_opt("controller_startup_script", (of_networks || own).then(|| startup(CONTROLLER)))
        .with_opt("login_startup_script", starts.then(|| startup(LOGIN)))
        .with_opt("controller_startup_scripts_timeout", limit)
        .with_opt("login_startup_scripts_timeout", limit)
        .with_opt("compute_startup_scripts_timeout", nodes::scripts_may_take(cluster, members))
        .with_opt("prolog_scripts", all(prologs))
        .with_opt("epilog_scripts", all(epilogs))
}

/// Whether machines to submit from do anything when they start.
fn starts_login(cluster: Cluster<'_>) -> bool {
    let own = cluster.planned.body.login.startup().is_some();
    own || login_with_image_of_others(cluster).is_some()
}

/// The machine that people submit from, where there is one, which has what others wrote on its image.
fn login_with_image_of_others(cluster: Cluster<'_>) -> Option<&Machine> {
    let SlurmLogin::Login { machine, count, .. } = &cluster.planned.body.login;
    let machine = cluster.catalog().machine(machine)?;
    (*count > 0 && cluster.is_of_others()).then_some(machine)
}

fn hostname() -> Map {
    map().with("filename", "hostname.sh").with(
        "content",
        "#!/bin/bash\n# enroot reads the name of the node there\nhostname >/etc/hostname\n",
    )
}

fn file((name, script): (&String, &String)) -> Map {
    map().with("filename", name).with("content", literal(script))
}

/// What the blueprint has a host do when it starts.
pub(super) fn own_start(script: &str) -> Map {
    shell("startup.sh", literal(script))
}

/// What keeps slurmd from starting before the devices of its network are there.
pub(super) fn devices(member: Member<'_>, devices: &str, out: &mut Output) -> Option<Map> {
    let text = TEMPLATES.fill(out, member.partition.noun, "devices.sh", &Devices { devices })?;
    Some(shell("devices.sh", text))
}

/// The plugin that NCCL speaks to the network by, where nodes unpack it.
pub(super) fn unpacked(member: Member<'_>) -> Option<&SlurmPlugin> {
    member.partition.plan.stack.as_ref()?.slurm.as_ref()?.unpacked.as_ref()
}

/// What unpacks the plugin that NCCL speaks to the network by, where the image of the nodes has none; `None` where that has no spelling.
pub(super) fn plugin(member: Member<'_>, out: &mut Output) -> Option<Vec<Map>> {
    let stack = member.partition.plan.stack.as_ref();
    let Some((stack, plugin)) = stack.zip(unpacked(member)) else { return Some(Vec::new()) };
    let values = Unpacked { image: stack.plugin.to_string(), plugin };
    let text = TEMPLATES.fill(out, member.partition.noun, "plugin.sh", &values)?;
    Some(vec![shell("plugin.sh", text)])
}

/// What tells enroot to keep containers where users may: on the disks of a host, or else on the one that it starts from.
pub(super) fn containers(
    noun: &Noun,
    machine: &Machine,
    disks: Option<&str>,
    out: &mut Output,
) -> Option<Map> {
    let values = Containers {
        place: disks.unwrap_or(ON_BOOT_DISK),
        disks: disks.is_some(),
        plugin: machine.arch == Arch::Arm64,
    };
    let text = TEMPLATES.fill(out, noun, "containers.sh", &values)?;
    Some(shell("containers.sh", text))
}

fn shell(name: &str, content: String) -> Map {
    map().with("type", "shell").with("destination", name).with("content", content)
}
