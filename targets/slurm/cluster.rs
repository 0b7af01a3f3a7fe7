//! The configuration files of a Slurm cluster that a blueprint declares.

use super::TEMPLATES;
use super::options::{release, time_text};
use crate::on_nodes::OnNodes;
use crate::{Output, Stage};
use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::catalog::{Catalog, Machine};
use slipform_model::nouns::{Mpi, NodeCheck, Partition, SlurmCluster, Workload};
use slipform_model::plan::{Planned, Site, Sound};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_ADDRESSES = "slurm/addresses":
        "the addresses of a partition's nodes cannot be counted up",
        "choose a `first_address` with room behind it";
    SLURM_NODE_FACTS = "slurm/node-facts":
        "the catalog does not know how many sockets, cores or how much memory the machine has",
        "add the machine to `catalog.local.toml`";
}

/// What does not depend on the blueprint, in the order in which it is written.
const SETTINGS: &[(&str, &str)] = &[
    ("AuthType", "auth/munge"),
    ("CredType", "cred/munge"),
    ("SlurmdSpoolDir", "/var/spool/slurmd"),
    ("SlurmctldLogFile", "/var/log/slurm/slurmctld.log"),
    ("SlurmdLogFile", "/var/log/slurm/slurmd.log"),
    ("ReturnToService", "1"),
    ("ProctrackType", "proctrack/cgroup"),
    ("TaskPlugin", "task/affinity,task/cgroup"),
    ("PrologFlags", "Alloc,Contain"),
    // a limit of the one who submits would keep RDMA from registering memory
    ("PropagateResourceLimitsExcept", "MEMLOCK"),
    ("SelectType", "select/cons_tres"),
    ("SelectTypeParameters", "CR_Core_Memory"),
    ("SchedulerType", "sched/backfill"),
    ("SchedulerParameters", "bf_continue"),
    ("EnforcePartLimits", "ALL"),
    ("TopologyPlugin", "topology/tree"),
    ("GresTypes", "gpu"),
];

/// What is written of a cluster.
const FILES: [&str; 6] =
    ["slurm.conf", "gres.conf", "topology.conf", "cgroup.conf", "plugstack.conf", "README.md"];
/// Where every host has them.
const CONFIGURATION: &str = "/etc/slurm";
/// Where a controller keeps what must outlive it, while there is no other.
const STATE: &str = "/var/spool/slurmctld";
/// A policy of ours: how long a step may take to end after it was killed, in seconds. The 60 of Slurm drain nodes of GPUs that write back
/// their memory, or wait for a filesystem.
const UNKILLABLE_SECONDS: u64 = 300;
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
    shared: &'a str,
    state: String,
    settings: Vec<Setting>,
    nodes: Vec<Nodes>,
    partitions: Vec<PartitionLine<'a>>,
    leaves: Vec<Leaf>,
    /// Some node has one.
    gpus: bool,
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
    needs: OnNodes,
}

#[derive(Serialize)]
struct Setting {
    name: String,
    value: String,
}

/// Identical nodes.
#[derive(Serialize)]
struct Nodes {
    note: String,
    hosts: String,
    addresses: Option<String>,
    processors: Vec<(&'static str, u32)>,
    memory_mib: u64,
    gpu_type: Option<String>,
    /// In all.
    gres: Option<String>,
    devices: Vec<Devices>,
    feature: String,
}

/// GPUs of a node that are next to the same processors.
#[derive(Debug, PartialEq, Serialize)]
struct Devices {
    files: String,
    /// By Slurm's own numbers; `None` where the catalog does not know the sockets.
    cores: Option<String>,
}

/// The processors of a node.
#[derive(Clone, Copy)]
struct Sockets {
    count: u32,
    cores: u32,
    threads: u32,
}

impl Sockets {
    fn of(catalog: &Catalog, machine: &Machine) -> Option<Self> {
        if let Some(facts) = catalog.slurm_machine(&machine.name) {
            let (count, cores) = (facts.sockets, facts.cores_per_socket);
            return Some(Self { count, cores, threads: facts.threads_per_core });
        }
        let cores = machine.cores_per_socket()?;
        Some(Self { count: machine.sockets, cores, threads: machine.threads_per_core })
    }
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
}

#[derive(Serialize)]
struct Leaf {
    name: String,
    hosts: String,
}

/// A partition with everything known of it.
type Member<'a> = Planned<'a, Partition>;

/// Writes the files of a cluster.
pub(crate) fn render(plan: Sound<'_>, planned: Planned<'_, SlurmCluster>, out: &mut Output) {
    let Planned { noun, body: cluster, .. } = planned;
    let members: Vec<Member<'_>> = plan.inside(noun.id).collect();
    let (name, catalog) = (planned.name(), plan.catalog());
    let groups = groups(&members);
    let nodes: Vec<Nodes> =
        groups.iter().filter_map(|member| nodes(catalog, *member, out)).collect();
    if nodes.len() != groups.len() {
        return;
    }
    let shared = cluster.shared.trim_end_matches('/');
    let state = match cluster.controllers.len() {
        0 | 1 => STATE.to_owned(),
        _ => format!("{shared}/slurmctld/{name}"), // one goes on from what the other has left
    };
    let controllers: Vec<&str> =
        cluster.controllers.iter().map(|host| host.value.as_str()).collect();
    let grace = grace(plan, &members);
    let containers = &catalog.slurm().containers;
    let highest = members.iter().map(|member| member.body.tier).max().unwrap_or_default();
    let configuration = Configuration {
        title: format!("Slurm {} cluster {name}", cluster.release.value),
        origin: noun.origin.clone(),
        name,
        release: &cluster.release.value,
        hosts: controllers.iter().map(|host| host.split('(').next().unwrap_or(host)).collect(),
        controllers,
        user: &cluster.user,
        shared,
        settings: settings(catalog, cluster, &members, &state, grace),
        state,
        gpus: nodes.iter().any(|node| node.gres.is_some()),
        nodes,
        partitions: members
            .iter()
            .map(|member| PartitionLine {
                default: member.body.default || members.len() == 1,
                grace: (member.body.tier < highest).then_some(grace),
                ..partition(*member)
            })
            .collect(),
        leaves: groups.iter().flat_map(|member| leaves(*member)).collect(),
        version: Some(&containers.pyxis),
        runtime: Some(&containers.enroot),
        plugin: &catalog.slurm().container_plugin,
        pmix: cluster.mpi == Mpi::Pmix,
        scripts: scripts(cluster).map(|(_, folder, _)| folder).collect(),
        node_check: cluster.node_check.as_ref().map(|_| NODE_CHECK),
        needs: OnNodes::of_cluster(plan, planned.reference()),
    };
    let folder = Stage::Cluster(name.to_owned()).folder();
    let ids: Vec<_> =
        std::iter::once(noun.id).chain(members.iter().map(|member| member.noun.id)).collect();
    for file in FILES {
        if let Some(text) = TEMPLATES.fill(out, noun, file, &configuration) {
            out.file(folder.join(file), text, ids.iter().copied());
        }
    }
    around_jobs(planned, out);
}

/// What nodes run by themselves, in the folder of Slurm's configuration.
const NODE_CHECK: &str = "health-check.sh";

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

/// What runs on nodes before and after jobs: its setting, the folder of its scripts, and these.
fn scripts(
    cluster: &SlurmCluster,
) -> impl Iterator<Item = (&'static str, &'static str, &IndexMap<String, String>)> {
    let all = [("Prolog", "prolog.d", &cluster.prologs), ("Epilog", "epilog.d", &cluster.epilogs)];
    all.into_iter().filter(|(_, _, files)| !files.is_empty())
}

/// One member for each group of nodes: several partitions may lie over the same nodes, but each node is declared once.
fn groups<'a>(members: &[Member<'a>]) -> Vec<Member<'a>> {
    let mut seen = BTreeSet::new();
    let hosts = |member: &Member<'a>| member.plan.host_names.iter().collect::<BTreeSet<_>>();
    members.iter().filter(|member| seen.insert(hosts(member))).copied().collect()
}

fn nodes(catalog: &Catalog, member: Member<'_>, out: &mut Output) -> Option<Nodes> {
    let Planned { noun, body: partition, plan, .. } = member;
    let machine = &plan.machine;
    let memory_mib = catalog.slurm().real_memory_mib(machine.memory_gib);
    let sockets = Sockets::of(catalog, machine);
    let processors = match sockets {
        Some(sockets) => vec![
            ("Sockets", sockets.count),
            ("CoresPerSocket", sockets.cores),
            ("ThreadsPerCore", sockets.threads),
        ],
        None => vec![("CPUs", machine.vcpus)],
    };
    if memory_mib == 0 || processors.iter().any(|(_, count)| *count == 0) {
        let message = format!(
            "the catalog does not know how many processors and how much memory `{}` has",
            machine.name
        );
        let help = format!(
            "say it in `catalog.local.toml`: a machine with `like = \"{}\"`, `vcpus` and `memory_gib`",
            machine.name
        );
        out.diagnostics
            .push(Diagnostic::error(SLURM_NODE_FACTS, message, partition.machine.span).help(help));
        return None;
    }
    let hosts = plan.host_names.len();
    let addresses = partition.first_address.as_ref().map(|first| addresses(first.value, hosts));
    if addresses == Some(None) {
        let message =
            format!("{hosts} nodes from the first address on go beyond the last address there is");
        let at = partition.first_address.as_ref().map_or(noun.span, |first| first.span);
        out.diagnostics.push(Diagnostic::error(SLURM_ADDRESSES, message, at));
        return None;
    }
    let typed = plan.gpu_type.as_ref().map(|gpu| format!("{gpu}:")).unwrap_or_default();
    Some(Nodes {
        note: format!("{}: {hosts} of {}", noun.origin, machine.name),
        hosts: plan.hosts.clone(),
        addresses: addresses.flatten(),
        processors,
        memory_mib,
        gpu_type: plan.gpu_type.clone(),
        gres: (plan.gpus > 0).then(|| format!("gpu:{typed}{}", plan.gpus)),
        devices: devices(plan.gpus, sockets),
        feature: machine.name.clone(),
    })
}

/// The GPUs of a node, dealt to its sockets in order, as boards are wired.
fn devices(gpus: i64, sockets: Option<Sockets>) -> Vec<Devices> {
    let count = sockets.map_or(1, |sockets| i64::from(sockets.count));
    let each = if gpus % count == 0 { gpus / count } else { gpus };
    if each == 0 {
        return Vec::new();
    }
    let whole = each == gpus && count > 1;
    (0..gpus / each)
        .map(|socket| Devices {
            files: format!("/dev/nvidia{}", numbers(socket * each, each)),
            cores: sockets.filter(|_| !whole).map(|sockets| {
                let cores = i64::from(sockets.cores);
                format!("{}-{}", socket * cores, (socket + 1) * cores - 1)
            }),
        })
        .collect()
}

/// So many numbers from a first one on, as a host list has them.
fn numbers(first: i64, count: i64) -> String {
    if count == 1 { first.to_string() } else { format!("[{first}-{}]", first + count - 1) }
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
    }
}

/// Seconds that the workloads of a cluster have before they are killed: the longest of what they ask for.
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

fn leaves(member: Member<'_>) -> impl Iterator<Item = Leaf> + '_ {
    member
        .plan
        .switches
        .iter()
        .map(|(name, hosts)| Leaf { name: name.clone(), hosts: hosts.clone() })
}

/// The fixed settings, those that follow from the cluster, and those that the stacks of its machines need.
fn settings(
    catalog: &Catalog,
    cluster: &SlurmCluster,
    members: &[Member<'_>],
    state: &str,
    grace: u64,
) -> Vec<Setting> {
    let mut settings: Vec<Setting> = SETTINGS
        .iter()
        .map(|(name, value)| Setting { name: (*name).to_owned(), value: (*value).to_owned() })
        .collect();
    let mpi = match cluster.mpi {
        Mpi::Pmix => "pmix",
        Mpi::Pmi2 => "pmi2",
        Mpi::None => "none",
    };
    let wait = catalog.slurm().switch_wait_seconds;
    set(&mut settings, "SchedulerParameters", &format!("bf_continue,max_switch_wait={wait}"));
    set(&mut settings, "StateSaveLocation", state);
    set(&mut settings, "MpiDefault", mpi);
    set(&mut settings, "JobRequeue", if cluster.requeue { "1" } else { "0" });
    set(&mut settings, "KillWait", &grace.to_string());
    for stack in members.iter().filter_map(|member| member.plan.stack.as_ref()?.slurm.as_ref()) {
        for (name, value) in &stack.cluster_settings {
            set(&mut settings, name, value);
        }
    }
    for (name, folder, _) in scripts(cluster) {
        set(&mut settings, name, &format!("{CONFIGURATION}/{folder}/*"));
    }
    upkeep(&mut settings, cluster);
    timeouts(&mut settings, catalog, cluster.controllers.len() > 1);
    let tier = |member: &Member<'_>| member.body.tier;
    if members.iter().map(tier).min() != members.iter().map(tier).max() {
        set(&mut settings, "PreemptType", "preempt/partition_prio");
        set(&mut settings, "PreemptMode", if cluster.requeue { "REQUEUE" } else { "CANCEL" });
        // the warning of a job's `--signal` comes when its grace begins, to its script
        let (name, value) = if has_preempt_parameters(catalog, cluster) {
            ("PreemptParameters", "send_user_signal")
        } else {
            ("SlurmctldParameters", "preempt_send_user_signal")
        };
        set(&mut settings, name, value);
    }
    settings
}

/// What nodes run by themselves, and what starts them anew.
fn upkeep(settings: &mut Vec<Setting>, cluster: &SlurmCluster) {
    if let Some(NodeCheck::NodeCheck { script: _, every }) = &cluster.node_check {
        set(settings, "HealthCheckProgram", &format!("{CONFIGURATION}/{NODE_CHECK}"));
        set(settings, "HealthCheckInterval", &every.0.to_string());
    }
    if let Some(program) = &cluster.reboot {
        set(settings, "RebootProgram", program);
    }
}

/// Whether the release has a setting of its own for what preemption does.
fn has_preempt_parameters(catalog: &Catalog, cluster: &SlurmCluster) -> bool {
    let since = catalog.slurm().minimums.get("preempt_parameters");
    since.is_some_and(|since| release(&cluster.release.value) >= release(since))
}

/// Timeouts that hang together: messages that a second controller need not wait for too long, and kills that outlast them.
fn timeouts(settings: &mut Vec<Setting>, catalog: &Catalog, failover: bool) {
    let facts = catalog.slurm();
    let asked = settings.iter().find(|setting| setting.name == "MessageTimeout");
    let mut unkillable = UNKILLABLE_SECONDS;
    if let Some(asked) = asked.and_then(|setting| setting.value.parse::<u64>().ok()) {
        let most = if failover { u64::from(facts.failover_message_seconds) } else { asked };
        let message = asked.min(most);
        unkillable = unkillable.max(message * u64::from(facts.unkillable_messages));
        set(settings, "MessageTimeout", &message.to_string());
    }
    set(settings, "UnkillableStepTimeout", &unkillable.to_string());
}

fn set(settings: &mut Vec<Setting>, name: &str, value: &str) {
    match settings.iter_mut().find(|setting| setting.name == name) {
        Some(known) => value.clone_into(&mut known.value),
        None => settings.push(Setting { name: name.to_owned(), value: value.to_owned() }),
    }
}

/// Addresses that follow each other as a host list, as many as there are nodes; `None` beyond the last address.
fn addresses(first: IpAddr, count: usize) -> Option<String> {
    match first {
        IpAddr::V4(first) => v4(first, u32::try_from(count).ok()?),
        IpAddr::V6(first) => v6(first, count),
    }
}

fn v4(first: Ipv4Addr, count: u32) -> Option<String> {
    let from = u32::from(first);
    let last = from.checked_add(count.checked_sub(1)?)?;
    let mut groups = Vec::new();
    let mut at = from;
    loop {
        let end = last.min(at | 0xff);
        let [a, b, c, low] = Ipv4Addr::from(at).octets();
        let high = end & 0xff;
        groups.push(if at == end {
            format!("{a}.{b}.{c}.{low}")
        } else {
            format!("{a}.{b}.{c}.[{low}-{high}]")
        });
        if end == last {
            return Some(groups.join(","));
        }
        at = end + 1;
    }
}

fn v6(first: Ipv6Addr, count: usize) -> Option<String> {
    let from = u128::from(first);
    let addresses =
        (0..count).map(|step| Some(Ipv6Addr::from(from.checked_add(step as u128)?).to_string()));
    addresses.collect::<Option<Vec<_>>>().map(|addresses| addresses.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_dealt_to_the_sockets() {
        let sockets = |count| Some(Sockets { count, cores: 56, threads: 2 });
        let shown = |gpus, sockets| -> Vec<(String, Option<String>)> {
            devices(gpus, sockets).into_iter().map(|it| (it.files, it.cores)).collect()
        };
        let line = |files: &str, cores: Option<&str>| (files.to_owned(), cores.map(str::to_owned));
        assert_eq!(
            shown(8, sockets(2)),
            [line("/dev/nvidia[0-3]", Some("0-55")), line("/dev/nvidia[4-7]", Some("56-111"))]
        );
        assert_eq!(shown(1, sockets(1)), [line("/dev/nvidia0", Some("0-55"))]);
        // three GPUs of two sockets hang where nobody has said
        assert_eq!(shown(3, sockets(2)), [line("/dev/nvidia[0-2]", None)]);
        assert_eq!(shown(8, None), [line("/dev/nvidia[0-7]", None)]);
        assert_eq!(shown(0, sockets(2)), []);
    }

    #[test]
    fn addresses_follow_each_other_over_the_ends_of_ranges() {
        let listed = |first: &str, count| addresses(first.parse().unwrap(), count);
        assert_eq!(listed("10.0.1.1", 8).as_deref(), Some("10.0.1.[1-8]"));
        assert_eq!(listed("10.0.1.1", 1).as_deref(), Some("10.0.1.1"));
        assert_eq!(listed("10.0.1.254", 4).as_deref(), Some("10.0.1.[254-255],10.0.2.[0-1]"));
        assert_eq!(listed("10.0.1.255", 2).as_deref(), Some("10.0.1.255,10.0.2.0"));
        assert_eq!(listed("fd00::ff", 2).as_deref(), Some("fd00::ff,fd00::100"));
        assert_eq!(listed("255.255.255.255", 2), None);
    }
}
