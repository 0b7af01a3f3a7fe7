//! The configuration files of a Slurm cluster that a blueprint declares.

use super::TEMPLATES;
use super::nodes::{Nodes, nodes};
use super::options::time_text;
use super::patch;
use super::releases;
use super::settings::{NODE_CHECK, Setting, accounting_host, at, joined, named, scripts, settings};
use super::topology::{self, Topology};
use crate::on_nodes::OnNodes;
use crate::{Output, Stage};
use serde::Serialize;
use slipform_model::nouns::{
    Batch, Mpi, NodeCheck, Partition, SlurmAccounting, SlurmCluster, Workload,
};
use slipform_model::plan::{Amounts, Planned, Site, SlurmTopology, Sound};
use slipform_model::{Noun, NounId};
use slipform_source::Spanned;
use std::collections::BTreeSet;

/// What is written of a cluster.
const FILES: [&str; 6] =
    ["slurm.conf", "gres.conf", "cgroup.conf", "plugstack.conf", SERVICE, "README.md"];
/// What the service of nodes has beside what Slurm's package says.
const SERVICE: &str = "slurmd.service.d/jobs.conf";
/// What the service of hosts that only submit has beside what Slurm's package says.
const SUBMITTING: &str = "sackd.service.d/submit.conf";
/// What a service that does not run as the usual user has beside it.
const USER: &str = "user.conf";
/// The user that units of SchedMD's name.
const USUAL_USER: &str = "slurm";
/// The configuration of Slurm's server for what jobs used, which nobody else reads.
const ACCOUNTING: &str = "slurmdbd/slurmdbd.conf";
/// Where every host has them.
pub(super) const CONFIGURATION: &str = "/etc/slurm";
/// The port of controllers, where nothing else is said.
const CONTROLLER_PORT: u16 = 6817;
/// Where a controller keeps what must outlive it, while there is no other.
const STATE: &str = "/var/spool/slurmctld";
/// A policy of ours: how long jobs have to write a checkpoint when they are cancelled or preempted, in seconds: what workloads have that say
/// nothing of it.
const GRACE_SECONDS: u64 = 300;

#[derive(Serialize)]
struct Configuration<'a> {
    title: String,
    origin: String,
    name: &'a str,
    release: &'a str,
    controllers: Vec<&'a str>,
    /// Their names, without addresses.
    hosts: Vec<&'a str>,
    user: &'a str,
    /// It is another one than units of Slurm's packages name.
    own_user: bool,
    shared: &'a str,
    state: String,
    settings: Vec<Setting>,
    /// What control groups hold jobs to.
    held: Vec<Setting>,
    /// NVLink joins the memory of several nodes.
    joined: bool,
    nodes: Vec<Nodes>,
    partitions: Vec<PartitionLine<'a>>,
    topology: Topology,
    /// Distances are in `topology.yaml`.
    by_partition: bool,
    /// The release reads it.
    reads_yaml: bool,
    /// Some node has one.
    gpus: bool,
    /// Nodes that find their GPUs by themselves, by what.
    detected: Vec<&'static str>,
    /// What jobs used is kept.
    accounting: Option<Accounting<'a>>,
    /// Nodes fetch their configuration: from these, a list of `HOST:PORT`.
    configless: Option<String>,
    /// The release has a daemon for hosts that only submit, which fetches it too.
    kiosk: bool,
    /// Daemons of nodes, and of those hosts, ask until a controller answers.
    waits: bool,
    kiosk_waits: bool,
    /// Nodes may be started anew.
    reboot: Option<&'a str>,
    /// The container plugin's and the container runtime's.
    version: Option<&'a str>,
    runtime: Option<&'a str>,
    /// Where the plugin is.
    plugin: &'a str,
    /// MPI programs find each other through PMIx.
    pmix: bool,
    /// Folders of scripts that run before and after jobs.
    scripts: Vec<&'a str>,
    /// What nodes run by themselves.
    node_check: Option<&'static str>,
    /// What the blueprint says nothing of.
    left: Vec<&'static str>,
    needs: OnNodes,
}

/// Slurm's server for what jobs used.
#[derive(Serialize)]
struct Accounting<'a> {
    /// Its host, and how others reach it.
    host: &'a str,
    address: String,
    /// The host of the database, and whether it is the same.
    database: &'a str,
    local: bool,
    /// Days after which jobs are forgotten.
    keep: Option<u64>,
    /// Who submits has to have an account.
    enforced: bool,
    /// What jobs of the blueprint name.
    accounts: Vec<&'a str>,
    /// Those, and what the cluster lists, with the priority that it says.
    qualities: Vec<Quality<'a>>,
}

/// A quality of service.
#[derive(Serialize)]
struct Quality<'a> {
    name: &'a str,
    priority: Option<i64>,
}

#[derive(Serialize)]
struct PartitionLine<'a> {
    origin: String,
    name: &'a str,
    hosts: &'a str,
    /// How many nodes, and the GPUs of each.
    nodes: usize,
    gpus: i64,
    default: bool,
    max_time: String,
    exclusive: bool,
    tier: i64,
    /// Seconds that its jobs have before those of a higher tier take their nodes.
    grace: Option<u64>,
    /// The topology of its nodes, where some are in blocks and some are not.
    topology: Option<String>,
    /// What a job gets that does not say what it wants, where jobs share nodes and it is known what these have.
    share: Option<Share>,
    /// What its patches say besides.
    more: Vec<Setting>,
}

impl PartitionLine<'_> {
    /// Says what patches do, also in the place of what a job gets by itself.
    fn say(&mut self, more: Vec<Setting>) {
        let says = |start: &str| more.iter().any(|it| it.name.starts_with(start));
        if let Some(share) = &mut self.share {
            share.memory = share.memory.filter(|_| !says("DefMem"));
            share.processors = share.processors.filter(|_| !says("DefCpu"));
        }
        self.more = more;
    }
}

/// A job's part of a node.
#[derive(Serialize)]
struct Share {
    /// MiB of memory beside each processor.
    memory: Option<u64>,
    /// Processors beside each GPU.
    processors: Option<i64>,
}

impl Share {
    fn of(node: Amounts) -> Option<Self> {
        let cpus = node.millicpus / 1000;
        let memory = node.memory.mib() / u64::try_from(cpus).ok()?.max(1);
        let processors = (node.devices > 0).then(|| (cpus / node.devices).max(1));
        (memory > 0).then_some(Self { memory: Some(memory), processors })
    }
}

/// A partition with everything known of it.
pub(super) type Member<'a> = Planned<'a, Partition>;

/// Writes the files of a cluster.
pub(crate) fn render(plan: Sound<'_>, planned: Planned<'_, SlurmCluster>, out: &mut Output) {
    let noun = planned.noun;
    let members: Vec<Member<'_>> = plan.inside(noun.id).collect();
    let (name, catalog) = (planned.name(), plan.catalog());
    let groups = groups(&members);
    let nodes: Vec<Nodes> =
        groups.iter().filter_map(|member| nodes(catalog, *member, out)).collect();
    if nodes.len() != groups.len() {
        return;
    }
    if releases::refuse(plan, planned, &members, out) {
        return;
    }
    let mut configuration = configuration(plan, planned, &members, nodes);
    patch_all(planned, &members, &groups, &mut configuration, out);
    let folder = Stage::Cluster(name.to_owned()).folder();
    let ids: Vec<_> =
        std::iter::once(noun.id).chain(members.iter().map(|member| member.noun.id)).collect();
    let accounting = configuration.accounting.as_ref().map(|_| ACCOUNTING);
    let by_partition = planned.plan.topology == SlurmTopology::ByPartition;
    let distances = (!by_partition).then_some("topology.conf");
    let submitting = configuration.configless.as_ref().filter(|_| configuration.kiosk);
    let submitting = submitting.map(|_| SUBMITTING);
    let plain = FILES.into_iter().chain(accounting).chain(distances).chain(submitting);
    let services = ["slurmctld"].into_iter().chain(accounting.map(|_| "slurmdbd"));
    let services = services.filter(|_| configuration.own_user);
    let of_users = services.map(|service| (format!("{service}.service.d/{USER}"), USER));
    for (file, template) in plain.map(|file| (file.to_owned(), file)).chain(of_users) {
        if let Some(text) = TEMPLATES.fill(out, noun, template, &configuration) {
            out.file(folder.join(file), text, ids.iter().copied());
        }
    }
    if by_partition {
        out.file(folder.join("topology.yaml"), topology::by_partition(&members), ids);
    }
    around_jobs(planned, out);
}

/// Whom nodes ask for their configuration.
fn asked_for_files(controllers: &[&str]) -> String {
    let hosts = controllers.iter().map(|host| format!("{}:{CONTROLLER_PORT}", at(host)));
    hosts.collect::<Vec<_>>().join(",")
}

/// A job reaches what it was given, and nothing else.
fn held() -> Vec<Setting> {
    let names = ["ConstrainCores", "ConstrainDevices", "ConstrainRAMSpace"];
    names.map(|name| Setting { name: name.to_owned(), value: "yes".to_owned() }).into()
}

/// Says what patches do, of the cluster and of its partitions.
fn patch_all<'a>(
    planned: Planned<'a, SlurmCluster>,
    members: &[Member<'a>],
    groups: &[Member<'a>],
    configuration: &mut Configuration<'a>,
    out: &mut Output,
) {
    let noun = planned.noun;
    let patched = |noun: &Noun, document: &str, settings: Vec<Setting>, out: &mut Output| {
        patch::apply(noun, planned.body, document, settings, out)
    };
    configuration.settings =
        patched(noun, patch::SLURM, std::mem::take(&mut configuration.settings), out);
    configuration.held = patched(noun, patch::CGROUP, std::mem::take(&mut configuration.held), out);
    for (line, member) in configuration.partitions.iter_mut().zip(members) {
        line.say(patched(member.noun, patch::PARTITION, Vec::new(), out));
    }
    for (line, member) in configuration.nodes.iter_mut().zip(groups) {
        line.more = patched(member.noun, patch::NODES, Vec::new(), out);
    }
    // nodes are another partition's
    let written: BTreeSet<_> = groups.iter().map(|it| it.noun.id).collect();
    for noun in members.iter().map(|it| it.noun).filter(|noun| !written.contains(&noun.id)) {
        let lost = noun.patches.iter().filter(|patch| patch.target == patch::NODES);
        out.diagnostics.extend(lost.map(|lost| patch::of_nothing(noun, lost)));
    }
}

/// What the files of a cluster say.
fn configuration<'a>(
    plan: Sound<'a>,
    planned: Planned<'a, SlurmCluster>,
    members: &[Member<'a>],
    nodes: Vec<Nodes>,
) -> Configuration<'a> {
    let Planned { noun, body: cluster, .. } = planned;
    let (name, catalog) = (planned.name(), plan.catalog());
    let facts = catalog.slurm();
    let has = |what: &str| facts.has(&cluster.release.value, what);
    let shared = cluster.shared.trim_end_matches('/');
    let state = match cluster.controllers.len() {
        0 | 1 => STATE.to_owned(),
        _ => format!("{shared}/slurmctld/{name}"), // one goes on from what the other has left
    };
    let controllers: Vec<&str> =
        cluster.controllers.iter().map(|host| host.value.as_str()).collect();
    let seen = planned.plan.topology;
    let configless = cluster.configless.then(|| asked_for_files(&controllers));
    let grace = grace(plan, members);
    let detected: BTreeSet<_> = nodes.iter().filter_map(|node| node.detect).collect();
    Configuration {
        title: format!("Slurm {} cluster {name}", cluster.release.value),
        origin: noun.origin.clone(),
        name,
        release: &cluster.release.value,
        hosts: controllers.iter().map(|host| named(host)).collect(),
        controllers,
        user: &cluster.user,
        own_user: cluster.user != USUAL_USER,
        shared,
        settings: settings(catalog, cluster, members, &state, grace, seen),
        held: held(),
        joined: joined(catalog, cluster, members),
        state,
        gpus: nodes.iter().any(|node| node.gres.is_some()),
        detected: detected.into_iter().collect(),
        nodes,
        partitions: lines(plan, members, seen),
        topology: Topology::of(seen, members),
        by_partition: seen == SlurmTopology::ByPartition,
        reads_yaml: has("topology_yaml"),
        accounting: cluster.accounting.as_ref().and_then(|it| accounting(plan, planned, &it.value)),
        configless,
        kiosk: has("sackd"),
        waits: has("slurmd_waits"),
        kiosk_waits: has("sackd_waits"),
        reboot: cluster.reboot.as_deref(),
        version: Some(&facts.containers.pyxis),
        runtime: Some(&facts.containers.enroot),
        plugin: &facts.container_plugin,
        pmix: cluster.mpi == Mpi::Pmix,
        scripts: scripts(cluster).map(|(_, folder, _)| folder).collect(),
        node_check: cluster.node_check.as_ref().map(|_| NODE_CHECK),
        left: left(cluster),
        needs: OnNodes::of_cluster(plan, planned.reference()),
    }
}

/// What a blueprint may say and this one does not.
fn left(cluster: &SlurmCluster) -> Vec<&'static str> {
    let parts = [
        (cluster.accounting.is_none(), "accounting (`accounting = slurmdbd()`)"),
        (
            scripts(cluster).next().is_none(),
            "what runs before and after jobs (`prologs`, `epilogs`)",
        ),
        (cluster.node_check.is_none(), "checks of the nodes' health (`node_check`)"),
        (cluster.reboot.is_none(), "what starts nodes anew (`reboot`)"),
    ];
    parts.into_iter().filter(|(left, _)| *left).map(|(_, what)| what).collect()
}

/// The lines of partitions.
fn lines<'a>(
    plan: Sound<'_>,
    members: &[Member<'a>],
    seen: SlurmTopology,
) -> Vec<PartitionLine<'a>> {
    let highest = members.iter().map(|member| member.body.tier).max().unwrap_or_default();
    let line = |member: &Member<'a>| PartitionLine {
        default: member.body.default || members.len() == 1,
        // what is on the highest tier is taken from nobody's
        grace: (member.body.tier < highest).then(|| grace(plan, std::slice::from_ref(member))),
        topology: topology::of_blocks(member, members)
            .filter(|_| seen == SlurmTopology::ByPartition),
        ..partition(*member)
    };
    members.iter().map(line).collect()
}

/// Slurm's server for what jobs used, and what the jobs of the blueprint name of it.
fn accounting<'a>(
    plan: Sound<'a>,
    planned: Planned<'a, SlurmCluster>,
    accounting: &'a SlurmAccounting,
) -> Option<Accounting<'a>> {
    let SlurmAccounting::Slurmdbd { host: _, database, enforce, keep, qualities } = accounting
    else {
        return None;
    };
    let host = accounting_host(planned.body, accounting);
    let jobs = || plan.all::<Workload>().filter(|job| is_on(plan, &job.plan.site, planned.noun.id));
    let told = |word: fn(&Batch) -> Option<&Spanned<String>>| {
        let words = jobs().filter_map(move |job| word(&job.body.batch.value));
        words.map(|it| it.value.as_str()).collect::<BTreeSet<_>>()
    };
    let listed = qualities.keys().map(String::as_str);
    let all: BTreeSet<&str> = told(|batch| batch.qos.as_ref()).into_iter().chain(listed).collect();
    let quality = |name: &'a str| Quality { name, priority: qualities.get(name).copied() };
    Some(Accounting {
        host: named(host),
        address: at(host),
        local: database == "localhost",
        database,
        keep: keep.map(|keep| keep.0.div_ceil(24 * 60 * 60)),
        enforced: !enforce.is_empty(),
        accounts: told(|batch| batch.account.as_ref()).into_iter().collect(),
        qualities: all.into_iter().map(quality).collect(),
    })
}

/// Whether a run is on a cluster.
fn is_on(plan: Sound<'_>, site: &Site, cluster: NounId) -> bool {
    match site {
        Site::Slurm(site) => {
            plan.inside::<Partition>(cluster).any(|it| it.noun.id == site.partition)
        }
        Site::Gke(_) | Site::Vertex(_) => false,
    }
}

/// Writes what runs on nodes before and after jobs, and what they run by themselves.
fn around_jobs(planned: Planned<'_, SlurmCluster>, out: &mut Output) {
    let folder = Stage::Cluster(planned.name().to_owned()).folder();
    if let Some(NodeCheck::NodeCheck { script, every: _ }) = &planned.body.node_check {
        out.program(folder.join(NODE_CHECK), script.clone(), [planned.noun.id]);
    }
    for (_, own, files) in scripts(planned.body) {
        for (file, text) in files {
            out.file(folder.join(own).join(file), text.clone(), [planned.noun.id]);
        }
    }
}

/// One member for each group of nodes: several partitions may lie over the same nodes, or over some of them, but each node is declared once. Of those over
/// the same, it is the one that says how they lie, if any does.
fn groups<'a>(members: &[Member<'a>]) -> Vec<Member<'a>> {
    let sets: Vec<_> = members.iter().map(host_set).collect();
    let within = |set: &BTreeSet<&String>| {
        sets.iter().any(|other| other.len() > set.len() && set.is_subset(other))
    };
    let mut seen = BTreeSet::new();
    let all = members.iter().zip(&sets).filter(|(_, set)| !within(set));
    let says = |it: &Partition| it.switch_nodes.set().is_some() || it.block_nodes.set().is_some();
    let told = |(first, set): (&Member<'a>, &BTreeSet<&String>)| {
        let mut alike = members.iter().zip(&sets).filter(|(_, other)| *other == set);
        alike.find(|(it, _)| says(it.body)).map_or(*first, |(it, _)| *it)
    };
    all.filter(|(_, set)| seen.insert((*set).clone())).map(told).collect()
}

fn host_set<'a>(member: &Member<'a>) -> BTreeSet<&'a String> {
    member.plan.host_names.iter().collect()
}

fn partition(member: Member<'_>) -> PartitionLine<'_> {
    let Planned { noun, body: partition, plan: nodes, .. } = member;
    PartitionLine {
        origin: noun.origin.clone(),
        name: member.name(),
        hosts: &nodes.hosts,
        nodes: nodes.host_names.len(),
        gpus: nodes.gpus,
        default: partition.default,
        max_time: partition
            .max_time
            .map_or_else(|| "INFINITE".to_owned(), |time| time_text(time.value)),
        exclusive: partition.exclusive,
        tier: partition.tier,
        grace: None,
        topology: None,
        share: nodes.node.filter(|_| !partition.exclusive).and_then(Share::of),
        more: Vec::new(),
    }
}

/// Seconds that the workloads of some partitions have before they are killed: the longest of what they ask for.
fn grace(plan: Sound<'_>, members: &[Member<'_>]) -> u64 {
    let here = |site: &Site| match site {
        Site::Slurm(site) => members.iter().any(|it| it.noun.id == site.partition),
        Site::Gke(_) | Site::Vertex(_) => false,
    };
    let runs = plan.all::<Workload>().map(|workload| workload.plan);
    let asked = runs.filter(|run| here(&run.site)).map(|run| run.grace.0);
    let longest = plan.catalog().limits().slurm.longest_seconds;
    asked.max().unwrap_or_default().max(GRACE_SECONDS).min(longest)
}
