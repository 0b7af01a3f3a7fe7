//! The header of a batch script: options of sbatch in a fixed order, those of a patch instead or behind.

use super::batch;
use super::beyond::beyond;
use super::job::Script;
use crate::document::Node;
use crate::owned;
use crate::schema::sbatch::{self, Argument, Release, SbatchOption};
use crate::schema::{Met, Overruled, Step};
use crate::template::HeaderOption;
use slipform_model::{Diagnostic, Duration, Noun, Patch, Placed, Value, similar};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

slipform_source::codes! {
    pub(crate) CODES;
    pub(super) SLURM_PATCH = "slurm/patch":
        "this is no option of sbatch, or not one that a patch may set",
        "use the option's long name without the dashes, with `_` for `-`";
}

/// The header of a workload's script.
pub(crate) fn header(script: Script<'_>, refused: &mut Vec<Diagnostic>) -> Vec<HeaderOption> {
    let mut options = own(script);
    batch::unknown(script, refused);
    let release = release(&script.cluster.release.value);
    if let Some(release) = release {
        options.retain(|option| known_in(&option.name, release));
    }
    let mut told = Vec::new();
    for patch in script.noun.patches.iter().filter(|patch| patch.target == "sbatch") {
        told.extend(overruled(script.noun, patch, &options, release));
        merge(&mut options, patch, release, refused);
    }
    match unpatchable(script, &options) {
        Some(never) => refused.push(never),
        None => {
            refused.extend(told);
            refused.extend(beyond(script, &options));
        }
    }
    options
}

/// Options that what submits jobs of its own hands on: sbatch takes each from a variable.
pub(super) const HANDED_ON: [(&str, &str); 5] = [
    ("partition", "SBATCH_PARTITION"),
    ("account", "SBATCH_ACCOUNT"),
    ("qos", "SBATCH_QOS"),
    ("reservation", "SBATCH_RESERVATION"),
    ("time", "SBATCH_TIMELIMIT"),
];

/// Says which options of a patch reach no job that `submitter` starts.
pub(super) fn not_handed_on(noun: &Noun, refused: &mut Vec<Diagnostic>) {
    for patch in noun.patches.iter().filter(|patch| patch.target == "sbatch") {
        let Value::Record(record) = &patch.value else { continue };
        for (field, placed) in record.iter() {
            let name = field.replace('_', "-");
            if HANDED_ON.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let message =
                format!("`{name}` is in no script here: `submitter` starts what writes its own");
            let help = "leave it out of the patch, and say it to the program";
            refused.push(Diagnostic::error(SLURM_PATCH, message, placed.span).help(help));
        }
    }
}

/// What no patch can say of a job of several groups, whose nodes are dealt to them by number. What fields say of it is for
/// rules.
fn unpatchable(script: Script<'_>, options: &[HeaderOption]) -> Option<Diagnostic> {
    let patches = || script.noun.patches.iter().filter(|patch| patch.target == "sbatch");
    let said = |name: &str| {
        let mut all = patches().filter_map(|patch| match &patch.value {
            Value::Record(record) => record.get(name).map(|placed| placed.span),
            _ => None,
        });
        let option = options.iter().find(|option| option.name == name)?;
        all.next().zip(option.value.as_ref())
    };
    let own = script.component.nodes;
    let nodes = said("nodes").filter(|(_, nodes)| **nodes != own.to_string() && !script.alone());
    let array = said("array").filter(|_| script.hetero());
    let (span, message) = match (nodes, array) {
        (Some((span, nodes)), _) => {
            let message = format!(
                "the groups of this job have {own} nodes on their partition, and not {nodes}"
            );
            (span, message)
        }
        (None, Some((span, _))) => {
            (span, "Slurm has no arrays of jobs that are on several partitions".to_owned())
        }
        (None, None) => return None,
    };
    Some(Diagnostic::error(SLURM_PATCH, message, span).help("leave it out of the patch"))
}

/// The header of a further component of a job: what is said of the job as a whole stands in the first.
pub(crate) fn further(script: Script<'_>) -> Vec<HeaderOption> {
    let mut options = nodes(script);
    options.extend(batch::accounting(&script.workload.batch.value));
    let time = script.workload.max_run;
    options.extend(time.map(|time| with("time", time_text(time.value))));
    options.extend(close(script));
    options.extend(avoided(script));
    if let Some(release) = release(&script.cluster.release.value) {
        options.retain(|option| known_in(&option.name, release));
    }
    options
}

fn own(script: Script<'_>) -> Vec<HeaderOption> {
    let (run, workload) = (script.run, script.workload);
    let batch = &workload.batch.value;
    let mut options = vec![with("job-name", &run.name)];
    options.extend(nodes(script));
    options.extend(batch::accounting(batch));
    options.extend(workload.max_run.map(|time| with("time", time_text(time.value))));
    options.push(with("output", batch::said_log(batch).unwrap_or(batch::log_name(batch))));
    options.extend(batch.error.as_ref().map(|error| with("error", &error.value)));
    options.push(with("open-mode", "append"));
    // said either way: left out, it would be what the site has as its default
    let requeue = workload.restarts.value > 0 || script.cluster.requeue;
    let requeue = if requeue { "requeue" } else { "no-requeue" };
    options.push(HeaderOption { name: requeue.into(), value: None });
    options.push(with("signal", format!("B:USR1@{}", warning(script))));
    options.extend(batch::queued(batch));
    options.extend(close(script));
    if !workload.only_nodes.is_empty() {
        let features: Vec<&str> = workload.only_nodes.values().map(String::as_str).collect();
        options.push(with("constraint", features.join("&")));
    }
    if !workload.prefer_nodes.is_empty() {
        let features: Vec<&str> = workload.prefer_nodes.values().map(String::as_str).collect();
        options.push(with("prefer", features.join("&")));
    }
    options.extend(avoided(script));
    if !workload.labels.is_empty() {
        let labels: Vec<String> =
            workload.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        options.push(with("comment", labels.join(",")));
    }
    options
}

/// What a component asks of its partition.
fn nodes(script: Script<'_>) -> Vec<HeaderOption> {
    let mut options = vec![
        with("partition", script.partition_name),
        with("nodes", counted(script)),
        with("ntasks-per-node", script.tasks()),
    ];
    if script.gpus() > 0 {
        options.push(with("gpus-per-node", script.gpus()));
    }
    if script.partition.exclusive {
        options.push(HeaderOption { name: "exclusive".into(), value: None });
    }
    // what steps ask for as well
    let asked = script.asked();
    let usual = || cpus_per_task(script).filter(|_| !script.partition.exclusive);
    let cpus = asked.cpus.map(|cpus| (cpus / script.tasks()).max(1)).or_else(usual);
    options.extend(cpus.map(|cpus| with("cpus-per-task", cpus)));
    // an exclusive job has all processors and GPUs of its nodes, but memory only if it asks
    let memory = asked.memory.map(|memory| memory.mib()).or_else(|| memory(script));
    options.push(memory.map_or(with("mem", 0), |memory| with("mem", format!("{memory}M"))));
    options
}

/// What is asked for by `--nodes`: of slices of several hosts the slices, since Cluster Toolkit's plugin multiplies them.
fn counted(script: Script<'_>) -> i64 {
    let slice = script.nodes.slice.as_ref().filter(|_| script.nodes.set.is_some());
    let hosts = slice.map_or(1, |slice| slice.hosts.max(1));
    script.component.nodes / hosts
}

/// The nodes that no group runs on.
fn avoided(script: Script<'_>) -> Option<HeaderOption> {
    let avoided = &script.workload.avoid_nodes;
    let names: Vec<&str> = avoided.iter().map(|name| name.value.as_str()).collect();
    (!names.is_empty()).then(|| with("exclude", names.join(",")))
}

pub(super) fn with(name: &str, value: impl ToString) -> HeaderOption {
    HeaderOption { name: name.to_owned(), value: Some(value.to_string()) }
}

/// `D-HH:MM:SS`, the one form that cannot be mistaken for minutes and seconds.
pub(crate) fn time_text(time: Duration) -> String {
    let (minutes, seconds) = (time.0 / 60, time.0 % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("{}-{:02}:{minutes:02}:{seconds:02}", hours / 24, hours % 24)
}

/// How long before its end the job is warned, in seconds.
fn warning(script: Script<'_>) -> u64 {
    script.run.grace.0
}

/// The processors of one task, where the job does not have the node to itself: with a part of the GPUs that part of them.
fn cpus_per_task(script: Script<'_>) -> Option<i64> {
    let facts = script.plan.catalog().slurm_machine(&script.nodes.machine.name);
    let cpus = i64::from(facts.map_or(script.nodes.machine.vcpus, |facts| facts.cpus()));
    let part = part(script).map_or(cpus, |(some, all)| cpus * some / all);
    let each = part / script.tasks();
    (each > 0).then_some(each)
}

/// MiB of memory of a node, where the job has a part of its GPUs beside others: that part of it.
fn memory(script: Script<'_>) -> Option<u64> {
    let (some, all) = part(script).filter(|_| !script.partition.exclusive)?;
    let whole = script.plan.catalog().slurm().real_memory_mib(script.nodes.machine.memory_gib);
    let share = whole * u64::try_from(some).ok()? / u64::try_from(all).ok()?;
    (share > 0).then_some(share)
}

/// How many of how many GPUs of a node the job has, where that is a part of them.
fn part(script: Script<'_>) -> Option<(i64, i64)> {
    let (some, all) = (script.gpus(), script.nodes.gpus);
    (1..all).contains(&some).then_some((some, all))
}

/// Nodes close together, as the blueprint says it or as it follows. sbatch takes neither a segment nor switches of one component for the next.
fn close(script: Script<'_>) -> Vec<HeaderOption> {
    let mut said = batch::closeness(&script.workload.batch.value);
    if script.number > 0 {
        // one node is close to itself, and blocks are of machines with GPUs
        let several = script.component.nodes > 1;
        let dealt = several && script.nodes.gpus > 0;
        said.retain(|option| if option.name == "segment" { dealt } else { several });
    }
    if said.is_empty() { closeness(script).into_iter().collect() } else { said }
}

/// Nodes close together: whole NVLink domains, or as few leaf switches as the job fits under.
///
/// Where several gangs have nodes, none of them begins in the middle of a domain.
fn closeness(script: Script<'_>) -> Option<HeaderOption> {
    let nodes = script.component.nodes;
    if nodes < 2 {
        return None;
    }
    if let Some(domain) = domain(script) {
        let firsts = || script.component.berths.iter().map(|berth| berth.first);
        let (_, all) = script.partition.nodes.value.bounds();
        // each domain holds whole segments alone
        let room = |size: i64| all / domain * (domain / size) + all % domain / size;
        let even = |size: &i64| nodes % size == 0 && firsts().all(|first| first % size == 0);
        let fits = |size: &i64| even(size) && nodes / size <= room(*size);
        let segment = (1..=nodes.min(domain)).rev().find(fits)?;
        return (segment > 1).then(|| with("segment", segment));
    }
    let leaves = script.nodes.switches.len();
    let under_one = script.partition.switch_nodes.set()?.value.max(1);
    let least = (nodes + under_one - 1) / under_one;
    let helps = leaves > 1 && usize::try_from(least).is_ok_and(|least| least < leaves);
    let wait = Duration(script.plan.catalog().slurm().switch_wait_seconds);
    helps.then(|| with("switches", format!("{least}@{}", batch::switch_wait(wait))))
}

/// Nodes of an NVLink domain, or of what else the cluster deals in parts.
fn domain(script: Script<'_>) -> Option<i64> {
    let machine = &script.nodes.machine;
    let joined =
        machine.placement.nvlink_domain_nodes.filter(|_| machine.network.multi_node_nvlink);
    // hosts of one's own say it by their blocks; slurm-gcp makes blocks of domains, from a release on
    let facts = script.plan.catalog().slurm();
    let of_toolkit =
        script.nodes.set.is_some() && facts.has(&script.cluster.release.value, "block_topology");
    let known = joined.filter(|_| script.cluster_noun.existing || of_toolkit).map(i64::from);
    script.nodes.segments.or(known)
}

/// `23.11` as a release.
pub(crate) fn release(text: &str) -> Option<Release> {
    let (year, month) = text.split_once('.')?;
    Some(Release(year.parse().ok()?, month.parse().ok()?))
}

fn known_in(name: &str, release: Release) -> bool {
    known(name).is_some_and(|option| fits(&option, release).is_none())
}

/// The option with this long name. The table is read once: every script asks for a dozen.
fn known(name: &str) -> Option<SbatchOption> {
    static TABLE: LazyLock<BTreeMap<&str, SbatchOption>> =
        LazyLock::new(|| sbatch::options().map(|option| (option.name, option)).collect());
    TABLE.get(name).copied()
}

/// Why an option that a blueprint asks for cannot be used in a release.
pub(super) fn missing(name: &str, release: Release) -> Option<String> {
    fits(&known(name)?, release)
}

/// Why an option cannot be used in a release.
fn fits(option: &SbatchOption, release: Release) -> Option<String> {
    if release < option.since {
        return Some(format!(
            "`{}` of sbatch came with Slurm {}, and the cluster has {release}",
            option.name, option.since
        ));
    }
    match option.until {
        Some(until) if release > until => Some(format!(
            "`{}` of sbatch is gone after Slurm {until}, and the cluster has {release}",
            option.name
        )),
        _ => None,
    }
}

/// Options of a patch by their long names, with `_` for `-`: those that are there already are replaced.
fn merge(
    options: &mut Vec<HeaderOption>,
    patch: &Patch,
    release: Option<Release>,
    refused: &mut Vec<Diagnostic>,
) {
    let Value::Record(record) = &patch.value else {
        let message =
            format!("`patch sbatch` takes a record of options, not {}", patch.value.described());
        refused.push(Diagnostic::error(SLURM_PATCH, message, patch.span));
        return;
    };
    for (field, placed) in record.iter() {
        let name = field.replace('_', "-");
        match patched(&name, &placed.value, release) {
            Ok(Some(option)) => match options.iter_mut().find(|known| known.name == option.name) {
                Some(known) => *known = option,
                None => options.push(option),
            },
            Ok(None) => options.retain(|known| known.name != name),
            Err((message, help)) => {
                let diagnostic = Diagnostic::error(SLURM_PATCH, message, placed.span);
                refused.push(match help {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
            }
        }
    }
}

/// What a patch says otherwise than fields of the workload.
fn overruled(
    noun: &Noun,
    patch: &Patch,
    options: &[HeaderOption],
    release: Option<Release>,
) -> Vec<Diagnostic> {
    let Value::Record(record) = &patch.value else { return Vec::new() };
    let text = |option: &HeaderOption| option.value.clone().map_or(Node::Bool(true), Node::from);
    let one = |(field, placed): (&Arc<str>, &Placed)| {
        let name = field.replace('_', "-");
        let known = options.iter().find(|known| known.name == name);
        let then = patched(&name, &placed.value, release).ok()?;
        let (is, then) = (known.map_or(Node::Null, text), then.as_ref().map_or(Node::Null, text));
        let (path, names) = (vec![Step::Key(field.to_string())], vec![field.replace('-', "_")]);
        (is != then).then_some(Overruled { path, names, is, then })
    };
    let found = record.iter().filter_map(one);
    let (added, overruled) = found.partition(|it| it.is == Node::Null);
    owned::told(noun, patch, &Met { overruled, added, ..Met::default() })
}

/// Options that steps have as well, and the fields that both follow.
const OF_STEPS: [(&str, &str); 5] = [
    ("ntasks", "processes"),
    ("ntasks-per-node", "processes"),
    ("tasks-per-node", "processes"),
    ("cpus-per-task", "cpus"),
    ("gpus-per-node", "accelerators"),
];

/// One option of a patch; nothing where it takes an option away.
fn patched(
    name: &str,
    value: &Value,
    release: Option<Release>,
) -> Result<Option<HeaderOption>, (String, Option<String>)> {
    let Some(option) = known(name) else {
        let help =
            sbatch::suggestion(name).map(|near| similar("an option", &near.replace('-', "_")));
        return Err((format!("sbatch has no option `--{name}`"), help));
    };
    if let Some(why) = release.and_then(|release| fits(&option, release)) {
        return Err((why, None));
    }
    if let Some((_, field)) = OF_STEPS.into_iter().find(|(known, _)| *known == name) {
        let why = format!(
            "`{name}` in the header alone would not be what the steps of the script ask for"
        );
        return Err((why, Some(format!("say it with `{field}`, which both follow"))));
    }
    let text = match value {
        Value::Bool(false) | Value::Absent => return Ok(None),
        Value::Bool(true) => None,
        Value::Duration(time) if matches!(name, "time" | "time-min") => Some(time_text(*time)),
        Value::Size(size) => Some(format!("{}M", size.mib())),
        Value::Str(_) | Value::Int(_) | Value::Float(_) => Some(value.to_string()),
        other => return Err((format!("`{name}` of sbatch cannot be {}", other.described()), None)),
    };
    if let Some(wanted) = text.as_deref().and_then(|text| sbatch::misses(name, text)) {
        let text = text.unwrap_or_default();
        return Err((format!("`{name}` of sbatch is {wanted}, and not `{text}`"), None));
    }
    match (option.argument, &text) {
        (Argument::Required, None) => Err((format!("`{name}` of sbatch takes a value"), None)),
        (Argument::None, Some(_)) => {
            Err((format!("`{name}` of sbatch takes no value"), Some("write `true`".to_owned())))
        }
        _ => Ok(Some(HeaderOption { name: name.to_owned(), value: text })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_full() {
        for (seconds, text) in
            [(0, "0-00:00:00"), (90, "0-00:01:30"), (259_200, "3-00:00:00"), (93_784, "1-02:03:04")]
        {
            assert_eq!(time_text(Duration(seconds)), text);
        }
    }

    #[test]
    fn an_option_of_a_patch_is_held_to_the_release() {
        let ok =
            |name: &str, value: Value, release: &str| patched(name, &value, self::release(release));
        let option = |name: &str, value: Option<&str>| {
            Ok(Some(HeaderOption { name: name.into(), value: value.map(Into::into) }))
        };
        assert_eq!(ok("qos", "high".into(), "23.11"), option("qos", Some("high")));
        assert_eq!(
            ok("time", Value::Duration(Duration(7200)), "23.11"),
            option("time", Some("0-02:00:00"))
        );
        assert_eq!(ok("hold", true.into(), "23.11"), option("hold", None));
        assert_eq!(ok("exclusive", false.into(), "23.11"), Ok(None));
        for (name, value, release, why) in [
            (
                "segment",
                Value::Int(4),
                "23.11",
                "`segment` of sbatch came with Slurm 24.05, and the cluster has 23.11",
            ),
            (
                "power",
                "x".into(),
                "24.05",
                "`power` of sbatch is gone after Slurm 23.11, and the cluster has 24.05",
            ),
            ("mpi", "pmix".into(), "23.11", "sbatch has no option `--mpi`"),
            ("qos", true.into(), "23.11", "`qos` of sbatch takes a value"),
            ("hold", "x".into(), "23.11", "`hold` of sbatch takes no value"),
        ] {
            assert_eq!(ok(name, value, release).unwrap_err().0, why);
        }
    }
}
