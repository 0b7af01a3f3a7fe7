//! The configuration files of a Slurm cluster that a blueprint declares.

use super::TEMPLATES;
use super::options::time_text;
use crate::{Output, Stage};
use serde::Serialize;
use slipform_model::catalog::Catalog;
use slipform_model::nouns::{Body, Mpi, Partition, SlurmCluster};
use slipform_model::plan::{PartitionPlan, Plan};
use slipform_model::{Diagnostic, Noun};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What does not depend on the blueprint, in the order in which it is written.
const SETTINGS: &[(&str, &str)] = &[
    ("AuthType", "auth/munge"),
    ("CredType", "cred/munge"),
    ("StateSaveLocation", "/var/spool/slurmctld"),
    ("SlurmdSpoolDir", "/var/spool/slurmd"),
    ("SlurmctldLogFile", "/var/log/slurm/slurmctld.log"),
    ("SlurmdLogFile", "/var/log/slurm/slurmd.log"),
    ("ReturnToService", "1"),
    ("ProctrackType", "proctrack/cgroup"),
    ("TaskPlugin", "task/affinity,task/cgroup"),
    ("PrologFlags", "Alloc,Contain"),
    ("SelectType", "select/cons_tres"),
    ("SelectTypeParameters", "CR_Core_Memory"),
    ("SchedulerType", "sched/backfill"),
    // a job may ask for up to this many seconds to wait for nodes under few switches
    ("SchedulerParameters", "bf_continue,max_switch_wait=3600"),
    ("EnforcePartLimits", "ALL"),
    ("TopologyPlugin", "topology/tree"),
    ("GresTypes", "gpu"),
];

#[derive(Serialize)]
struct Configuration<'a> {
    title: String,
    origin: String,
    name: &'a str,
    controllers: Vec<&'a str>,
    user: &'a str,
    settings: Vec<Setting>,
    nodes: Vec<Nodes>,
    partitions: Vec<PartitionLine<'a>>,
    leaves: Vec<Leaf>,
    /// The container plugin's.
    version: Option<&'a str>,
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
    gpus: i64,
    gpu_type: Option<String>,
    gres: String,
    devices: String,
    feature: String,
}

#[derive(Serialize)]
struct PartitionLine<'a> {
    origin: String,
    name: &'a str,
    hosts: &'a str,
    default: bool,
    max_time: String,
    exclusive: bool,
    tier: i64,
}

#[derive(Serialize)]
struct Leaf {
    name: String,
    hosts: String,
}

/// A partition with everything known of it.
#[derive(Clone, Copy)]
struct Member<'a> {
    noun: &'a Noun,
    partition: &'a Partition,
    plan: &'a PartitionPlan,
}

/// Writes the files of a cluster.
pub(crate) fn render(plan: &Plan, noun: &Noun, cluster: &SlurmCluster, out: &mut Output) {
    let members: Vec<Member<'_>> = plan
        .children(noun.id)
        .iter()
        .filter_map(|child| member(plan, plan.model.get(*child)?))
        .collect();
    if members.is_empty() {
        let message = format!(
            "cluster `{}` has no partition, and Slurm does not start without one",
            noun.path
        );
        out.diagnostics.push(
            Diagnostic::error("slurm/partitions", message, noun.span)
                .help("declare a `partition` in it, or make it `existing`"),
        );
        return;
    }
    let Some(name) = plan.name(noun.id) else { return };
    let catalog = &*plan.model.catalog;
    let groups = groups(&members, out);
    let nodes: Vec<Nodes> =
        groups.iter().filter_map(|member| nodes(catalog, *member, out)).collect();
    if nodes.len() != groups.len() {
        return;
    }
    let configuration = Configuration {
        title: format!("Slurm {} cluster {name}", cluster.release.value),
        origin: format!("from {}", noun.origin),
        name,
        controllers: cluster.controllers.iter().map(|host| host.value.as_str()).collect(),
        user: &cluster.user,
        settings: settings(cluster, &members),
        nodes,
        partitions: members
            .iter()
            .map(|member| partition(plan, *member, members.len() == 1))
            .collect(),
        leaves: groups.iter().flat_map(|member| leaves(*member)).collect(),
        version: catalog
            .slurm()
            .and_then(|facts| facts.containers.get("pyxis"))
            .map(String::as_str),
    };
    let folder = Stage::Cluster(name.clone()).folder();
    let ids: Vec<_> =
        std::iter::once(noun.id).chain(members.iter().map(|member| member.noun.id)).collect();
    for file in ["slurm.conf", "gres.conf", "topology.conf", "cgroup.conf", "plugstack.conf"] {
        if let Some(text) = TEMPLATES.fill(out, noun, file, &configuration) {
            out.file(folder.join(file), text, ids.iter().copied());
        }
    }
}

fn member<'a>(plan: &'a Plan, noun: &'a Noun) -> Option<Member<'a>> {
    match &noun.body {
        Body::Partition(partition) => {
            Some(Member { noun, partition, plan: plan.partition(noun.id)? })
        }
        _ => None,
    }
}

/// One member for each group of nodes: several partitions may lie over the same nodes, but each node is declared once.
fn groups<'a>(members: &[Member<'a>], out: &mut Output) -> Vec<Member<'a>> {
    let mut groups: Vec<Member<'a>> = Vec::new();
    let mut owners: BTreeMap<&str, Member<'a>> = BTreeMap::new();
    for member in members {
        let owner =
            member.plan.host_names.iter().find_map(|host| owners.get(host.as_str()).copied());
        match owner {
            None => groups.push(*member),
            Some(owner)
                if owner.plan.hosts == member.plan.hosts
                    && owner.plan.machine.name == member.plan.machine.name => {}
            Some(owner) => out.diagnostics.push(shared_hosts(owner, *member)),
        }
        for host in &member.plan.host_names {
            owners.entry(host).or_insert(*member);
        }
    }
    groups
}

fn shared_hosts(owner: Member<'_>, member: Member<'_>) -> Diagnostic {
    let message = format!(
        "partitions `{}` ({} of {}) and `{}` ({} of {}) share some nodes but not all",
        owner.noun.name,
        owner.plan.hosts,
        owner.plan.machine.name,
        member.noun.name,
        member.plan.hosts,
        member.plan.machine.name
    );
    Diagnostic::error("slurm/hosts", message, member.noun.span)
        .also(owner.noun.span, "the other partition")
        .help("partitions over the same nodes have the same `hosts` and `machine`")
}

fn nodes(catalog: &Catalog, member: Member<'_>, out: &mut Output) -> Option<Nodes> {
    let Member { noun, partition, plan } = member;
    let machine = &plan.machine;
    let memory_mib = catalog.slurm().map_or(0, |facts| facts.real_memory_mib(machine.memory_gib));
    let processors = match catalog.slurm_machine(&machine.name) {
        Some(facts) => vec![
            ("Sockets", facts.sockets),
            ("CoresPerSocket", facts.cores_per_socket),
            ("ThreadsPerCore", facts.threads_per_core),
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
        out.diagnostics.push(
            Diagnostic::error("slurm/node-facts", message, partition.machine.span).help(help),
        );
        return None;
    }
    let hosts = plan.host_names.len();
    let addresses = partition.first_address.as_ref().map(|first| addresses(first.value, hosts));
    if addresses == Some(None) {
        let message =
            format!("{hosts} nodes from the first address on go beyond the last address there is");
        let at = partition.first_address.as_ref().map_or(noun.span, |first| first.span);
        out.diagnostics.push(Diagnostic::error("slurm/addresses", message, at));
        return None;
    }
    let typed = plan.gpu_type.as_ref().map(|gpu| format!("{gpu}:")).unwrap_or_default();
    Some(Nodes {
        note: format!("{hosts} of {}, {}", machine.name, noun.origin),
        hosts: plan.hosts.clone(),
        addresses: addresses.flatten(),
        processors,
        memory_mib,
        gpus: plan.gpus,
        gpu_type: plan.gpu_type.clone(),
        gres: format!("gpu:{typed}{}", plan.gpus),
        devices: if plan.gpus > 1 {
            format!("/dev/nvidia[0-{}]", plan.gpus - 1)
        } else {
            "/dev/nvidia0".to_owned()
        },
        feature: machine.name.clone(),
    })
}

fn partition<'a>(plan: &'a Plan, member: Member<'a>, only: bool) -> PartitionLine<'a> {
    let Member { noun, partition, plan: nodes } = member;
    PartitionLine {
        origin: format!("from {}", noun.origin),
        name: plan.name(noun.id).map_or(&noun.name, |name| name),
        hosts: &nodes.hosts,
        default: partition.default || only,
        max_time: partition
            .max_time
            .map_or_else(|| "INFINITE".to_owned(), |time| time_text(time.value)),
        exclusive: partition.exclusive,
        tier: partition.tier,
    }
}

fn leaves(member: Member<'_>) -> impl Iterator<Item = Leaf> + '_ {
    member
        .plan
        .switches
        .iter()
        .map(|(name, hosts)| Leaf { name: name.clone(), hosts: hosts.clone() })
}

/// The fixed settings, those that follow from the cluster, and those that the stacks of its machines need.
fn settings(cluster: &SlurmCluster, members: &[Member<'_>]) -> Vec<Setting> {
    let mut settings: Vec<Setting> = SETTINGS
        .iter()
        .map(|(name, value)| Setting { name: (*name).to_owned(), value: (*value).to_owned() })
        .collect();
    let mpi = match cluster.mpi {
        Mpi::Pmix => "pmix",
        Mpi::Pmi2 => "pmi2",
        Mpi::None => "none",
    };
    set(&mut settings, "MpiDefault", mpi);
    set(&mut settings, "JobRequeue", if cluster.requeue { "1" } else { "0" });
    set(&mut settings, "PreemptType", "preempt/partition_prio");
    set(&mut settings, "PreemptMode", if cluster.requeue { "REQUEUE" } else { "CANCEL" });
    for stack in members.iter().filter_map(|member| member.plan.stack.as_ref()?.slurm.as_ref()) {
        for (name, value) in &stack.cluster_settings {
            set(&mut settings, name, value);
        }
    }
    settings
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
