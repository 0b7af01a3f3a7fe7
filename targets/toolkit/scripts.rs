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
use slipform_model::nouns::{SlurmCluster, SlurmLogin};
use slipform_model::plan::{Planned, Sound};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What hosts do when they start.
pub(super) const STARTUP: &str = "modules/scripts/startup-script";
/// The module of what the controller does then.
const CONTROLLER: &str = "controller-startup";
/// And of what machines to submit from do.
const LOGIN: &str = "login-startup";
/// The script that nodes run for their network, before what else runs before a job: Slurm takes them in the backward order of their names.
const NETWORK: &str = "z_network.sh";

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("prologs.sh", include_str!("templates/prologs.sh")),
        ("network.sh", include_str!("templates/network.sh")),
        ("devices.sh", include_str!("templates/devices.sh")),
        ("plugin.sh", include_str!("templates/plugin.sh")),
        ("containers.sh", include_str!("templates/containers.sh")),
    ])
});

#[derive(Serialize)]
struct Prologs<'a> {
    folder: &'a str,
    scripts: Vec<Fetched<'a>>,
}

/// A script, and where it is.
#[derive(Serialize)]
struct Fetched<'a> {
    name: &'a str,
    from: &'a str,
}

/// What nodes do around a job for the network of their GPUs.
#[derive(Serialize)]
struct Network<'a> {
    /// As Slurm calls the time: `prolog_slurmd`.
    context: &'a str,
    folder: &'a str,
    /// What has the controller fetch the scripts.
    fetch: &'a str,
    machines: Vec<Runs<'a>>,
}

/// A type of machines, and the names of what it runs.
#[derive(Serialize)]
struct Runs<'a> {
    name: &'a str,
    scripts: Vec<&'a str>,
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

/// When a script runs: before a job, or after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Before,
    After,
}

/// The scripts that nodes of a partition run then for their network, by where they are.
fn around<'p>(cluster: Cluster<'p>, member: Member<'p>, when: Around) -> Vec<&'p str> {
    let stack = member.partition.plan.stack.as_ref().and_then(|stack| stack.slurm.as_ref());
    let both = stack.and_then(|it| it.prologue.as_ref()?.script.as_deref());
    let one = stack.and_then(|it| match when {
        Around::Before => it.before.as_deref(),
        Around::After => it.after.as_deref(),
    });
    let checks = member.has_rdma_card() && when == Around::Before;
    let check = checks.then(|| cluster.catalog().slurm().rdma_card.check.as_str());
    [both, one, check].into_iter().flatten().collect()
}

/// What a script is called in the folder that the controller shares.
fn name_of(script: &str) -> &str {
    script.rsplit('/').next().unwrap_or(script)
}

/// All scripts that nodes run around jobs for their network.
fn of_networks<'p>(cluster: Cluster<'p>, members: &[Member<'p>]) -> BTreeSet<&'p str> {
    let both = [Around::Before, Around::After];
    let pairs = members.iter().flat_map(|member| both.map(|when| (*member, when)));
    pairs.flat_map(|(member, when)| around(cluster, member, when)).collect()
}

/// Whether nodes of a cluster run any.
pub(crate) fn runs_around_jobs(plan: Sound<'_>, planned: Planned<'_, SlurmCluster>) -> bool {
    let Some(cloud) = &planned.plan.cloud else { return false };
    let cluster = Cluster { plan, planned, cloud };
    !of_networks(cluster, &cluster.members()).is_empty()
}

/// What has each node run those that its machine needs, where any does. A partition has no part in it, so that one which is renamed, or comes, needs
/// nothing of the controller; and it is handed out at each deployment.
fn network<'p>(
    cluster: Cluster<'p>,
    members: &[Member<'p>],
    when: Around,
    out: &mut Output,
) -> Option<Map> {
    let of = |member: &Member<'p>| {
        let scripts = around(cluster, *member, when).into_iter().map(name_of).collect();
        (member.partition.plan.machine.name.as_str(), scripts)
    };
    let machines: BTreeMap<&str, Vec<&str>> = members.iter().map(of).collect();
    let machines = machines.into_iter().map(|(name, scripts)| Runs { name, scripts });
    let machines: Vec<_> = machines.filter(|it| !it.scripts.is_empty()).collect();
    if machines.is_empty() {
        return None;
    }
    let facts = cluster.catalog().slurm();
    let context = match when {
        Around::Before => "prolog_slurmd",
        Around::After => "epilog_slurmd",
    };
    let values =
        Network { context, folder: &facts.prologues, fetch: &facts.controller_start, machines };
    let text = TEMPLATES.fill(out, cluster.planned.noun, "network.sh", &values)?;
    Some(map().with("filename", NETWORK).with("content", literal(&text)))
}

/// What the controller and the machines to submit from do when they start, where they do anything; `None` where that has no spelling.
pub(super) fn of_servers(
    cluster: Cluster<'_>,
    members: &[Member<'_>],
    out: &mut Output,
) -> Option<Vec<Module>> {
    let body = cluster.planned.body;
    let mut controller = Vec::new();
    if !of_networks(cluster, members).is_empty() {
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
    if let Some(machine) = login_with_containers(cluster) {
        runners.push(containers(cluster.planned.noun, machine, None, out)?);
    }
    runners.extend(cluster.planned.body.login.startup().map(own_start));
    Some(runners)
}

/// What fetches the scripts that nodes run around jobs; the controller shares them out.
fn prologs<'p>(cluster: Cluster<'p>, members: &[Member<'p>], out: &mut Output) -> Option<Map> {
    let scripts = of_networks(cluster, members).into_iter();
    let scripts = scripts.map(|from| Fetched { name: name_of(from), from }).collect();
    let values = Prologs { folder: &cluster.catalog().slurm().prologues, scripts };
    let text = TEMPLATES.fill(out, cluster.planned.noun, "prologs.sh", &values)?;
    Some(shell("prologs.sh", text))
}

/// What the controller is told of scripts: what runs when hosts start, and before and after jobs.
pub(super) fn of_controller(
    cluster: Cluster<'_>,
    members: &[Member<'_>],
    settings: Map,
    out: &mut Output,
) -> Map {
    let body = cluster.planned.body;
    let of_networks = !of_networks(cluster, members).is_empty();
    let long = members.iter().any(|it| prologue(*it).is_some_and(|it| it.script.is_some()));
    let own = body.controller.value.startup().is_some();
    let starts = starts_login(cluster);
    let startup = |id: &str| format!("$({id}.startup_script)");
    let limit = body.startup_time.map(|time| nodes::said(cluster, time.0));
    let prologs = of_networks.then(hostname).into_iter();
    let prologs = prologs.chain(network(cluster, members, Around::Before, out));
    let prologs: Vec<Map> = prologs.chain(body.prologs.iter().map(file)).collect();
    let epilogs = network(cluster, members, Around::After, out).into_iter();
    let epilogs: Vec<Map> = epilogs.chain(body.epilogs.iter().map(file)).collect();
    let all = |scripts: Vec<Map>| (!scripts.is_empty()).then(|| seq(scripts));
    settings
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
    own || login_with_containers(cluster).is_some()
}

/// The machine that people submit from, where there is one, which is told where containers lie.
fn login_with_containers(cluster: Cluster<'_>) -> Option<&Machine> {
    let SlurmLogin::Login { machine, count, .. } = &cluster.planned.body.login;
    let machine = cluster.catalog().machine(machine)?;
    (*count > 0 && cluster.leaves_containers()).then_some(machine)
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
