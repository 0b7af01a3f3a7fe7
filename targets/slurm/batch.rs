//! What a workload says as a batch job: options of its header and of its steps, what it waits for in the queue, and what its nodes
//! get before it starts.

use super::job::Script;
use super::options::{release, time_text, with};
use super::paths;
use crate::chains;
use crate::launch::Word;
use crate::template::HeaderOption;
use serde::Serialize;
use slipform_model::nouns::{
    AwaitedJob, Batch, Dependency, SlurmCluster, Staged, Switches, Workload,
};
use slipform_model::plan::{Planned, Sound};
use slipform_model::{Diagnostic, Duration};
use slipform_source::Span;
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_RELEASE = "slurm/release":
        "an option came with a later release of Slurm than the cluster has, or is gone since",
        "leave it out, or raise `release` of the cluster where that is what it has";
}

/// The name of a log: the job's name and number, and the number in its array.
pub(super) fn log_name(batch: &Batch) -> &'static str {
    if batch.array.is_some() { "%x-%A_%a.out" } else { "%x-%j.out" }
}

/// The log, where the blueprint says it.
pub(super) fn said_log(batch: &Batch) -> Option<&str> {
    batch.output.set().map(|output| output.value.as_str())
}

/// Whose use it is, which each component says for itself.
pub(super) fn accounting(batch: &Batch) -> impl Iterator<Item = HeaderOption> {
    let said =
        [("account", &batch.account), ("qos", &batch.qos), ("reservation", &batch.reservation)];
    said.into_iter().filter_map(|(name, value)| Some(with(name, &value.as_ref()?.value)))
}

/// What it is in the queue.
pub(super) fn queued(batch: &Batch) -> Vec<HeaderOption> {
    let mut options: Vec<HeaderOption> = Vec::new();
    options.extend(batch.array.as_ref().map(|array| with("array", &array.value)));
    let all = batch.dependency.iter().map(|it| it.value);
    if all.clone().all(|it| it.workload().is_none()) {
        let words: Vec<String> = all.clone().map(|it| spelled(it, "")).collect();
        options.extend((!words.is_empty()).then(|| with("dependency", words.join(joint(batch)))));
    }
    // what can never start any more would stand in the queue for ever
    let may_never = |it: Dependency| {
        matches!(
            it,
            Dependency::Afterok { .. }
                | Dependency::Afternotok { .. }
                | Dependency::Aftercorr { .. }
        )
    };
    options.extend(all.clone().any(may_never).then(|| with("kill-on-invalid-dep", "yes")));
    options.extend((batch.nice.value > 0).then(|| with("nice", batch.nice.value)));
    options
}

/// Nodes close together as the blueprint says it.
pub(super) fn closeness(batch: &Batch) -> Vec<HeaderOption> {
    let segment = batch.segment.set().map(|segment| with("segment", segment.value));
    let switches = batch.switches.set().map(|switches| {
        let Switches::Switches { count, wait } = switches.value;
        let wait = wait.set().map_or(String::new(), |wait| format!("@{}", switch_wait(*wait)));
        with("switches", format!("{count}{wait}"))
    });
    segment.into_iter().chain(switches).collect()
}

/// How long a job waits for switches; one that is shorter than a day has none.
pub(super) fn switch_wait(wait: Duration) -> String {
    time_text(wait).trim_start_matches("0-").to_owned()
}

/// What a cluster's release does not have.
pub(super) fn not_of(cluster: &SlurmCluster, why: String, help: &str, at: Span) -> Diagnostic {
    let told = Diagnostic::error(SLURM_RELEASE, why, at).help(help);
    told.also(cluster.release.span, "the release")
}

/// Says which words the cluster's release has no option for.
pub(super) fn unknown(script: Script<'_>, refused: &mut Vec<Diagnostic>) {
    let batch = &script.workload.batch.value;
    let Some(release) = release(&script.cluster.release.value) else { return };
    let said = [("segment", batch.segment.set().map(|it| it.span))];
    for (name, span) in said {
        let Some(span) = span else { continue };
        if let Some(why) = super::options::missing(name, release) {
            let help = "leave it out, or raise `release` of the cluster where that is what it has";
            refused.push(not_of(script.cluster, why, help, span));
        }
    }
}

/// Options that each step has, whatever it starts; GPUs are bound where it has some.
pub(super) fn of_steps(batch: &Batch, gpus: i64) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    options.extend(batch.label.then(|| "--label".to_owned()));
    let binds = [
        ("cpu-bind", &batch.cpu_bind),
        ("mem-bind", &batch.mem_bind),
        ("gpu-bind", &batch.gpu_bind),
    ];
    let bound = binds.into_iter().filter(|(name, _)| *name != "gpu-bind" || gpus > 0);
    let bound = bound.filter_map(|(name, bind)| Some((name, bind.as_ref()?)));
    options.extend(bound.map(|(name, bind)| format!("--{name}={}", bind.value)));
    options
}

/// A file that each node gets.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct StagedFile {
    pub(crate) from: Word,
    pub(crate) to: Word,
    /// Its folder on the nodes.
    pub(crate) folder: Word,
}

/// The files that each node gets.
pub(super) fn staged(batch: &Batch) -> Vec<StagedFile> {
    let file = |staged: &Staged| {
        let Staged::Staged { from, to } = staged;
        let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
        StagedFile {
            from: paths::in_job(from),
            to: paths::in_job(to),
            folder: paths::in_job(&format!("{folder}/")),
        }
    };
    batch.stage.iter().map(|it| file(&it.value)).collect()
}

/// A job that another one waits for, as the script that submits it says it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Awaited {
    /// The variable that has its number, and its name; none of a job that is known by its number.
    pub(crate) variable: Option<String>,
    pub(crate) name: Option<String>,
    /// What stands in front of the number, and all of it where the number is known.
    pub(crate) before: String,
    pub(crate) behind: String,
}

/// What stands between dependencies: that all of them count, or that one is enough.
pub(super) fn joint(batch: &Batch) -> &'static str {
    if batch.any_dependency { "?" } else { "," }
}

/// What a job waits for, where some number is known only when it is submitted.
pub(super) fn awaited(plan: Sound<'_>, batch: &Batch) -> Vec<Awaited> {
    let all = || batch.dependency.iter().map(|it| it.value);
    if all().all(|it| it.workload().is_none()) {
        return Vec::new();
    }
    let one = |it: Dependency| {
        let Some(workload) = it.workload() else {
            let (before, behind) = (spelled(it, ""), String::new());
            return Awaited { variable: None, name: None, before, behind };
        };
        let name = plan.get(workload).plan.name.clone();
        let text = spelled(it, "\0");
        let (before, behind) = text.split_once('\0').unwrap_or((&text, ""));
        Awaited {
            variable: Some(variable(&name)),
            name: Some(name),
            before: before.to_owned(),
            behind: behind.to_owned(),
        }
    };
    all().map(one).collect()
}

/// The variable that holds the number of a job.
pub(super) fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("JOB_{}", name.chars().map(letter).collect::<String>())
}

/// A dependency as sbatch reads it, with `number` where only the submission knows the job's.
fn spelled(dependency: Dependency, number: &str) -> String {
    let number = |job: AwaitedJob| match job {
        AwaitedJob::Job { number } => number.to_string(),
        AwaitedJob::Workload(_) => number.to_owned(),
    };
    match dependency {
        Dependency::Afterok { of } => format!("afterok:{}", number(of)),
        Dependency::Afterany { of } => format!("afterany:{}", number(of)),
        Dependency::Afternotok { of } => format!("afternotok:{}", number(of)),
        Dependency::Aftercorr { of } => format!("aftercorr:{}", number(of)),
        Dependency::After { of, delay: Duration(0) } => format!("after:{}", number(of)),
        // minutes, and no part of one is left out
        Dependency::After { of, delay } => {
            format!("after:{}+{}", number(of), delay.0.div_ceil(60))
        }
        Dependency::Singleton => "singleton".to_owned(),
    }
}

/// Jobs that are submitted one behind the other, as some wait for others.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Chain {
    pub(crate) links: Vec<Link>,
}

/// A job of a chain.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) variable: String,
    /// The jobs of the chain that it waits for, by their variables.
    pub(crate) after: Vec<String>,
    /// It is a test that no other job of the chain waits for, so that who submits does.
    pub(crate) waits: bool,
}

/// The chain that a workload is the last of.
pub(super) fn chain(plan: Sound<'_>, last: Planned<'_, Workload>) -> Option<Chain> {
    let jobs = chains::before(plan, last)?;
    let awaited: BTreeSet<_> = jobs.iter().flat_map(|it| chains::waits(*it)).collect();
    let links = jobs.into_iter().map(|workload| {
        let name = workload.plan.name.clone();
        let waits = workload.body.test && !awaited.iter().any(|it| *it == workload.noun.id);
        let after = chains::waits(workload).map(|it| variable(&plan.get(it).plan.name));
        let after = after.collect::<BTreeSet<_>>().into_iter().collect();
        Link { variable: variable(&name), name, after, waits }
    });
    Some(Chain { links: links.collect() })
}
