//! The settings of `slurm.conf` that are of the whole cluster.

use super::cluster::{CONFIGURATION, Member};
use super::options::time_text;
use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::catalog::Catalog;
use slipform_model::nouns::{
    Enforced, Mpi, NodeCheck, SlurmAccounting, SlurmCluster, SlurmPriority,
};
use slipform_model::plan::SlurmTopology;

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

/// A policy of ours: how long a step may take to end after it was killed, in seconds. The 60 of Slurm drain nodes of GPUs that write back
/// their memory, or wait for a filesystem.
const UNKILLABLE_SECONDS: u64 = 300;
/// The words of the controllers that have no setting of their own.
const CONTROLLER: &str = "SlurmctldParameters";
/// What nodes run by themselves, in the folder of Slurm's configuration.
pub(super) const NODE_CHECK: &str = "health-check.sh";

/// A line of `slurm.conf`.
#[derive(Serialize)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: String,
}

/// The fixed settings, those that follow from the cluster, and those that the stacks of its machines need.
pub(super) fn settings(
    catalog: &Catalog,
    cluster: &SlurmCluster,
    members: &[Member<'_>],
    state: &str,
    grace: u64,
    topology: SlurmTopology,
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
    set(&mut settings, "SchedulerParameters", &scheduler(catalog, members));
    set(&mut settings, "StateSaveLocation", state);
    set(&mut settings, "MpiDefault", mpi);
    set(&mut settings, "JobRequeue", if cluster.requeue { "1" } else { "0" });
    set(&mut settings, "KillWait", &grace.to_string());
    of_machines(&mut settings, catalog, cluster, members);
    for (name, folder, _) in scripts(cluster) {
        set(&mut settings, name, &format!("{CONFIGURATION}/{folder}/*"));
    }
    match topology {
        SlurmTopology::Tree => {}
        SlurmTopology::Blocks(_) => set(&mut settings, "TopologyPlugin", "topology/block"),
        // topology.yaml names the plugin of each
        SlurmTopology::ByPartition => settings.retain(|it| it.name != "TopologyPlugin"),
    }
    upkeep(&mut settings, cluster);
    order(&mut settings, &cluster.priority);
    if let Some(accounting) = &cluster.accounting {
        let gpus = members.iter().any(|member| member.plan.gpus > 0);
        account(&mut settings, cluster, &accounting.value, gpus);
    }
    if cluster.configless {
        set(&mut settings, CONTROLLER, "enable_configless");
    }
    timeouts(&mut settings, catalog, cluster.controllers.len() > 1);
    let tier = |member: &Member<'_>| member.body.tier;
    if members.iter().map(tier).min() != members.iter().map(tier).max() {
        set(&mut settings, "PreemptType", "preempt/partition_prio");
        set(&mut settings, "PreemptMode", if cluster.requeue { "REQUEUE" } else { "CANCEL" });
        // the warning of a job's `--signal` comes when its grace begins, to its script
        if catalog.slurm().has(&cluster.release.value, "preempt_parameters") {
            set(&mut settings, "PreemptParameters", "send_user_signal");
        } else {
            add(&mut settings, CONTROLLER, "preempt_send_user_signal");
        }
    }
    settings
}

/// What the networks of machines ask for.
fn of_machines(
    settings: &mut Vec<Setting>,
    catalog: &Catalog,
    cluster: &SlurmCluster,
    members: &[Member<'_>],
) {
    for stack in members.iter().filter_map(|member| member.plan.stack.as_ref()?.slurm.as_ref()) {
        for (name, value) in &stack.cluster_settings {
            set(settings, name, value);
        }
    }
    if joined(catalog, cluster, members) {
        set(settings, "SwitchType", &catalog.slurm().imex_switch);
    }
}

/// How jobs are planned: how far backfill looks ahead, and how closely. Jobs that are longer than its window it never waits for.
fn scheduler(catalog: &Catalog, members: &[Member<'_>]) -> String {
    let facts = catalog.slurm();
    let (wait, window) = (facts.switch_wait_seconds, facts.backfill_minutes);
    let usual = format!("bf_continue,max_switch_wait={wait}");
    let longest = members.iter().filter_map(|member| member.body.max_time.as_ref());
    let longest = longest.map(|time| time.value.0.div_ceil(60)).max().unwrap_or_default();
    match longest > window {
        // as many steps as there are by itself
        true => {
            format!("{usual},bf_window={longest},bf_resolution={}", longest * 60 / window)
        }
        false => usual,
    }
}

/// Whether NVLink joins the memory of several nodes of some partition: each job has a channel of its own in it.
pub(super) fn joined(catalog: &Catalog, cluster: &SlurmCluster, members: &[Member<'_>]) -> bool {
    let several = |member: &Member<'_>| {
        member.plan.machine.network.multi_node_nvlink && member.plan.host_names.len() > 1
    };
    catalog.slurm().has(&cluster.release.value, "imex") && members.iter().any(several)
}

/// What nodes run by themselves, and what starts them anew.
fn upkeep(settings: &mut Vec<Setting>, cluster: &SlurmCluster) {
    if let Some(NodeCheck::NodeCheck { script: _, every }) = &cluster.node_check {
        set(settings, "HealthCheckProgram", &format!("{CONFIGURATION}/{NODE_CHECK}"));
        set(settings, "HealthCheckInterval", &every.0.to_string());
    }
    if let Some(program) = &cluster.reboot {
        set(settings, "RebootProgram", program);
        set(settings, "ResumeTimeout", &cluster.reboot_time.0.to_string());
    }
}

/// Which of the jobs that wait goes first. Releases differ in what they do where nothing is said.
fn order(settings: &mut Vec<Setting>, priority: &SlurmPriority) {
    let SlurmPriority::Multifactor { age, fair_share, size, qos, half_life, max_age } = priority
    else {
        set(settings, "PriorityType", "priority/basic");
        return;
    };
    set(settings, "PriorityType", "priority/multifactor");
    for (name, weight) in [
        ("PriorityWeightAge", age),
        ("PriorityWeightFairshare", fair_share),
        ("PriorityWeightJobSize", size),
        ("PriorityWeightQOS", qos),
    ] {
        // some are refused where nothing is kept of jobs, whatever they are
        if *weight > 0 {
            set(settings, name, &weight.to_string());
        }
    }
    set(settings, "PriorityDecayHalfLife", &time_text(*half_life));
    set(settings, "PriorityMaxAge", &time_text(*max_age));
}

/// Where what jobs used is kept, and what they are held to.
fn account(
    settings: &mut Vec<Setting>,
    cluster: &SlurmCluster,
    accounting: &SlurmAccounting,
    gpus: bool,
) {
    let SlurmAccounting::Slurmdbd { enforce, .. } = accounting else { return };
    set(settings, "AccountingStorageType", "accounting_storage/slurmdbd");
    set(settings, "AccountingStorageHost", &at(accounting_host(cluster, accounting)));
    if gpus {
        set(settings, "AccountingStorageTRES", "gres/gpu");
    }
    let words = enforce.iter().map(|it| match it {
        Enforced::Associations => "associations",
        Enforced::Limits => "limits",
        Enforced::Qos => "qos",
        Enforced::Safe => "safe",
    });
    let words: Vec<&str> = words.collect();
    if !words.is_empty() {
        set(settings, "AccountingStorageEnforce", &words.join(","));
    }
    set(settings, "JobAcctGatherType", "jobacct_gather/cgroup");
}

/// The host of Slurm's server for what jobs used, as the blueprint writes hosts: `head1(10.0.0.10)`.
pub(super) fn accounting_host<'a>(
    cluster: &'a SlurmCluster,
    accounting: &'a SlurmAccounting,
) -> &'a str {
    let said = match accounting {
        SlurmAccounting::Slurmdbd { host, .. } => host.as_deref(),
        SlurmAccounting::CloudSql { .. } => None,
    };
    let first = cluster.controllers.first().map(|host| host.value.as_str());
    said.or(first).unwrap_or_default()
}

/// How others reach a host: by its address, where the blueprint says it.
pub(super) fn at(host: &str) -> String {
    match host.split_once('(') {
        Some((_, address)) => address.trim_end_matches(')').to_owned(),
        None => host.to_owned(),
    }
}

/// The name of a host without its address.
pub(super) fn named(host: &str) -> &str {
    host.split('(').next().unwrap_or(host)
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

/// One more word of a setting that is a list.
fn add(settings: &mut Vec<Setting>, name: &str, word: &str) {
    match settings.iter_mut().find(|setting| setting.name == name) {
        Some(known) => known.value = format!("{},{word}", known.value),
        None => set(settings, name, word),
    }
}

/// What runs on nodes before and after jobs: its setting, the folder of its scripts, and these.
pub(super) fn scripts(
    cluster: &SlurmCluster,
) -> impl Iterator<Item = (&'static str, &'static str, &IndexMap<String, String>)> {
    let all = [("Prolog", "prolog.d", &cluster.prologs), ("Epilog", "epilog.d", &cluster.epilogs)];
    all.into_iter().filter(|(_, _, files)| !files.is_empty())
}
