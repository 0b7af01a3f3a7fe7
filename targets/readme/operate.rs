//! What runs are called where they run, for the commands that watch them, read their logs, cancel them and start them again.

use super::before::on_vertex;
use super::jobset::JobSet;
use super::versions::made;
use crate::labels;
use serde::Serialize;
use slipform_model::Value;
use slipform_model::nouns::{GkeCluster, GroupPart, Workload};
use slipform_model::plan::{Gang, Launcher, Planned, Run, Site, Sound};

/// The JobSets of a cluster.
#[derive(Default, Serialize)]
pub(super) struct OnGke<'a> {
    /// The project that keeps what they wrote.
    project: Option<&'a str>,
    /// The names that commands take, a line for each run.
    lines: Vec<Line<'a>>,
    /// There are more, too many to be listed.
    others: bool,
    /// All groups of the listed runs, where some run has several or has containers beside its own.
    groups: Vec<Group<'a>>,
    /// Some of these only help.
    helped: bool,
    /// Containers run beside those of groups.
    beside: bool,
    /// Some group is of several slices.
    sliced: bool,
    /// The pods of the largest run.
    pods: i64,
    /// Kueue admits some of them.
    admitted: bool,
    /// Kueue ends some of them after their longest run.
    limited: bool,
    /// Nodes of some of them come through a request of theirs.
    queued: bool,
    /// The cluster is someone else's, who says where logs go.
    lent: bool,
    /// Some of them have values that Terraform knows.
    fill: bool,
    /// All of them have.
    fill_all: bool,
}

/// A run by its names.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    namespace: &'a str,
    /// Its own group.
    role: &'a str,
    /// How large that is.
    size: String,
    grace: String,
}

/// Equal nodes of a run.
#[derive(Serialize)]
struct Group<'a> {
    run: &'a str,
    role: &'a str,
    size: String,
    helper: bool,
    /// Containers beside its own.
    beside: Vec<&'a str>,
}

impl<'a> OnGke<'a> {
    /// The runs that are started on a cluster, tests first; where there are `many`, one of them is shown.
    pub(super) fn of(
        plan: Sound<'a>,
        cluster: Planned<'a, GkeCluster>,
        jobs: &[(Planned<'a, Workload>, JobSet<'a>)],
        many: bool,
    ) -> Option<Self> {
        let mut jobs: Vec<_> = jobs.iter().collect();
        jobs.sort_by_key(|(workload, _)| !workload.body.test);
        let runs = || jobs.iter().map(|(workload, _)| workload.plan);
        let gangs = || runs().flat_map(Run::gangs);
        let listed = if many { 1 } else { jobs.len() };
        let beside = gangs().any(|gang| !gang.program.sidecars.is_empty());
        let grouped = beside || runs().any(|run| !run.groups().is_empty());
        let groups = runs().take(listed).filter(|_| grouped);
        let pods = runs().map(|run| run.gangs().map(|gang| gang.nodes).sum());
        let limited = |(it, job): &&(Planned<'a, Workload>, JobSet<'a>)| {
            job.admitted && it.body.max_run.is_some()
        };
        (!jobs.is_empty()).then(|| Self {
            project: plan.other_project(cluster.noun.id).or(plan.project()),
            lines: jobs.iter().take(listed).map(|(it, job)| Line::of(it.plan, job)).collect(),
            others: many,
            groups: groups.flat_map(|run| run.gangs().map(|gang| Group::of(run, gang))).collect(),
            helped: gangs().any(|gang| !gang.decides),
            beside,
            sliced: gangs().any(|gang| gang.slices > 1),
            pods: pods.max().unwrap_or_default(),
            admitted: jobs.iter().any(|(_, job)| job.admitted),
            limited: jobs.iter().any(limited),
            queued: jobs.iter().any(|(_, job)| job.queued),
            lent: !cluster.is_made(),
            fill: jobs.iter().any(|(_, job)| job.fill),
            fill_all: jobs.iter().all(|(_, job)| job.fill),
        })
    }
}

impl<'a> Line<'a> {
    fn of(run: &'a Run, job: &JobSet<'a>) -> Self {
        let lead = run.lead();
        Self {
            name: &run.name,
            namespace: job.namespace,
            role: &lead.role,
            size: size(lead),
            grace: run.grace.to_string(),
        }
    }
}

impl<'a> Group<'a> {
    fn of(run: &'a Run, gang: &'a Gang) -> Self {
        Self {
            run: &run.name,
            role: &gang.role,
            size: size(gang),
            helper: !gang.decides,
            beside: gang.program.sidecars.iter().map(|it| it.name.as_str()).collect(),
        }
    }
}

/// The step of a job that has one.
const ONLY_STEP: &str = "train";

/// A job of Slurm.
#[derive(Serialize)]
pub(super) struct OnSlurm<'a> {
    name: &'a str,
    partition: &'a str,
    cluster: &'a str,
    /// It may go back to the queue.
    requeues: bool,
    /// The step that trains.
    step: &'a str,
    /// It is several jobs that differ by a number.
    array: bool,
    /// The folder of its log, unless a patch has said another place.
    logs: Option<String>,
    size: String,
}

impl<'a> OnSlurm<'a> {
    pub(super) fn of(plan: Sound<'a>, job: Planned<'a, Workload>) -> Option<Self> {
        let site = match &job.plan.site {
            Site::Slurm(site) => site,
            Site::Gke(_) | Site::Vertex(_) => return None,
        };
        // its jobs are called as it likes
        if job.plan.lead().program.launcher.value == Launcher::Submitter {
            return None;
        }
        let cluster = plan.get(site.cluster);
        let mut patches = job.noun.patches.iter().filter(|patch| patch.target == "sbatch");
        let elsewhere = patches.any(|patch| {
            let Value::Record(record) = &patch.value else { return false };
            record.iter().any(|(option, _)| option.as_ref() == "output")
        });
        let run = job.plan;
        let batch = &job.body.batch.value;
        let said = batch.output.set();
        let shared = cluster.body.shared.trim_end_matches('/');
        Some(Self {
            name: &run.name,
            step: if run.groups().is_empty() { ONLY_STEP } else { &run.lead().role },
            partition: plan.get(site.partition).name(),
            cluster: cluster.name(),
            requeues: job.body.restarts.value > 0 || cluster.body.requeue,
            array: batch.array.is_some(),
            logs: (!elsewhere && said.is_none() && batch.array.is_none())
                .then(|| format!("{shared}/logs")),
            size: size(run.lead()),
        })
    }
}

/// A custom job.
#[derive(Serialize)]
pub(super) struct OnVertex<'a> {
    name: &'a str,
    /// What people see it called.
    title: &'a str,
    /// That is not its name.
    titled: bool,
    /// What tells it from jobs of the same name.
    labels: String,
    /// The commands of gcloud about it: `custom-jobs`.
    command: &'static str,
    region: &'a str,
    /// The id of the model that it makes, which only one run can.
    model: Option<&'a str>,
    /// Its own group first.
    groups: Vec<Replicas<'a>>,
}

/// A group of a custom job, by the name that the blueprint gives it.
#[derive(Serialize)]
struct Replicas<'a> {
    name: &'a str,
    size: String,
    /// What its replicas are called.
    tasks: String,
}

impl<'a> OnVertex<'a> {
    pub(super) fn of(plan: Sound<'a>, job: Planned<'a, Workload>) -> Option<Self> {
        let run = job.plan;
        let site = match &run.site {
            Site::Vertex(site) => site,
            Site::Gke(_) | Site::Slurm(_) => return None,
        };
        let groups = on_vertex(plan, run).map(|(gang, cluster)| {
            let tpu = cluster.plan.machine.tpu.is_some();
            let replicas = if tpu { 1 } else { gang.nodes.max(1) };
            let tasks = match site.parts.get(&gang.program.noun) {
                None if replicas > 1 => format!("{}, {}", tasks(0, 1), tasks(1, replicas - 1)),
                None => tasks(0, 1),
                Some(GroupPart::Workers) => tasks(1, replicas),
                Some(GroupPart::Servers) => tasks(2, replicas),
                Some(GroupPart::Evaluators) => tasks(3, replicas),
            };
            let name = plan.noun(gang.program.noun).outside.name.as_str();
            Replicas { name, size: size(gang), tasks }
        });
        let reducers = site.reducers.as_ref().map(|it| Replicas {
            name: REDUCTION_SERVER,
            size: counted(it.nodes, "node"),
            tasks: tasks(2, it.nodes),
        });
        let groups = groups.chain(reducers);
        let region = &plan.get(site.cluster).body.region.value;
        let title = title(job.body, run);
        let command = command(job.body);
        let titled = title != run.name;
        let model = made(job.body);
        let groups = groups.collect();
        let labels = labels(plan, job);
        Some(Self { name: &run.name, title, titled, labels, command, region, model, groups })
    }
}

/// What people see a job of Vertex AI called.
pub(super) fn title<'a>(workload: &'a Workload, run: &'a Run) -> &'a str {
    workload.title.set().map_or(&run.name, |title| &title.value)
}

/// What tells a job of Vertex AI from those of other blueprints and environments that are called alike, as filters read it.
pub(super) fn labels(plan: Sound<'_>, job: Planned<'_, Workload>) -> String {
    labels::as_filter(&labels::of_vertex_job(plan, job.body, job.plan))
}

/// The commands of gcloud about a job of Vertex AI, or `training-pipelines`.
pub(super) fn command(workload: &Workload) -> &'static str {
    if workload.tuning.is_some() {
        "hp-tuning-jobs"
    } else if workload.upload.is_some() {
        PIPELINES
    } else {
        "custom-jobs"
    }
}

/// What gcloud has no commands for: the page asks the API.
const PIPELINES: &str = "training-pipelines";

/// What the page calls those that reduce.
const REDUCTION_SERVER: &str = "reduction server";

/// The names of a worker pool's replicas.
fn tasks(pool: u8, replicas: i64) -> String {
    match replicas {
        ..=1 => format!("workerpool{pool}-0"),
        _ => format!("workerpool{pool}-0 to workerpool{pool}-{}", replicas - 1),
    }
}

fn counted(count: i64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `2 slices of 4 nodes with 4 ranks each`.
fn size(gang: &Gang) -> String {
    let nodes = match gang.slices {
        ..=1 => counted(gang.nodes, "node"),
        slices => format!("{slices} slices of {}", counted(gang.nodes_per_slice, "node")),
    };
    let each = if gang.nodes > 1 { " each" } else { "" };
    match gang.processes_per_node {
        ..=1 => nodes,
        ranks => format!("{nodes} with {ranks} ranks{each}"),
    }
}
