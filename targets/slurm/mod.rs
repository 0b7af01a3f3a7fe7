//! Slurm: a batch script for each workload on a partition, and the configuration of clusters that are declared.
//!
//! Scripts are text, so every value in them is spelled by a filter (see [`crate::template`]). What Slurm cannot do is
//! a diagnostic; nothing of a workload is left out in silence.

pub(crate) mod batch;
mod beyond;
pub(crate) mod cluster;
pub(crate) mod coverage;
pub(crate) mod job;
pub(crate) mod mounts;
pub(crate) mod network;
pub(crate) mod nodes;
pub(crate) mod options;
pub(crate) mod patch;
mod paths;
mod releases;
mod settings;
mod step;
#[cfg(test)]
mod tests;
mod topology;
pub(crate) mod words;

pub(crate) use coverage::COVERAGE;

use crate::launch::Word;
use crate::template::Templates;
use crate::{Output, Stage, Target};
use job::{Job, Script, Secret, Variable};
use serde::Serialize;
use slipform_model::nouns::{SlurmCluster, Workload};
use slipform_model::plan::{Launcher, Site, Sound};
use slipform_model::{Noun, NounId};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use step::Step;

/// The target.
pub(crate) struct Slurm;

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("job.sbatch", include_str!("templates/job.sbatch")),
        ("submit.sh", include_str!("templates/submit.sh")),
        ("submitter.sh", include_str!("templates/submitter.sh")),
        ("before-sbatch.sh", include_str!("templates/before-sbatch.sh")),
        ("chain.sh", include_str!("templates/chain.sh")),
        ("slurm.conf", include_str!("templates/slurm.conf")),
        ("gres.conf", include_str!("templates/gres.conf")),
        ("topology.conf", include_str!("templates/topology.conf")),
        ("slurmd.service.d/jobs.conf", include_str!("templates/slurmd.service.d/jobs.conf")),
        ("sackd.service.d/submit.conf", include_str!("templates/sackd.service.d/submit.conf")),
        ("user.conf", include_str!("templates/user.conf")),
        ("slurmdbd/slurmdbd.conf", include_str!("templates/slurmdbd/slurmdbd.conf")),
        ("cgroup.conf", include_str!("templates/cgroup.conf")),
        ("plugstack.conf", include_str!("templates/plugstack.conf")),
        ("README.md", include_str!("templates/README.md")),
    ])
});

impl Target for Slurm {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn about(&self) -> &'static str {
        "batch scripts for Slurm, and the configuration of clusters of one's own"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("sbatch", "workload"),
            (patch::SLURM, "cluster"),
            (patch::CGROUP, "cluster"),
            (patch::PARTITION, "partition"),
            (patch::NODES, "partition"),
        ]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        patch::refuse_rest(plan, out);
        // those on Google Cloud are Cluster Toolkit's to make
        let own = plan.made::<SlurmCluster>().filter(|cluster| cluster.plan.cloud.is_none());
        for cluster in own {
            cluster::render(plan, cluster, out);
        }
        for workload in plan.all::<Workload>() {
            match &workload.plan.site {
                Site::Slurm(site) => {
                    render(&Script::all(plan, workload, site), out);
                }
                Site::Gke(_) | Site::Vertex(_) => {}
            }
        }
    }
}

/// The script that submits a job.
#[derive(Serialize)]
struct Submission<'a> {
    script: &'a str,
    /// What its nodes start from, each once.
    images: Vec<Import<'a>>,
    deferred: &'a [job::DeferredValue],
    /// Commands that come before anything else.
    login: Vec<Vec<Word>>,
    /// Squashfs files that have to be there.
    files: Vec<&'a str>,
    /// What it waits for in the queue.
    awaited: Vec<batch::Awaited>,
    /// What stands between those.
    joint: &'static str,
    /// Folders of logs that the header names.
    folders: Vec<Word>,
    /// The folder of logs, where the header does not say its own.
    logs: Option<String>,
    /// Its logs are those of an array.
    array: bool,
}

/// An image that is imported before a job starts.
#[derive(Serialize)]
struct Import<'a> {
    /// A partition whose nodes can do it.
    partition: &'a str,
    /// Whose use of them it is.
    options: Vec<String>,
    /// The file that nodes start from, and what it is made of.
    squashfs: &'a str,
    import: String,
    /// What to do where the registry wants to know who asks.
    credentials: String,
}

/// What submits jobs of its own, and what they are told of this cluster.
#[derive(Serialize)]
struct Submitter<'a> {
    submission: Submission<'a>,
    partition: &'a str,
    /// Variables that `sbatch` takes for options of whatever it submits.
    said: Vec<Variable>,
    env: &'a [Variable],
    secrets: &'a [Secret],
    command: &'a [Word],
}

/// A program takes the place of a job: it submits its own.
fn submitter(script: Script<'_>, job: &Job, submission: Submission<'_>, out: &mut Output) {
    let Some(step) = job.steps.first() else { return };
    let options = || job.components.iter().flat_map(|component| &component.options);
    let said = options::HANDED_ON.iter().filter_map(|(option, variable)| {
        let option = options().find(|it| it.name == *option)?;
        Some(Variable { name: (*variable).to_owned(), value: option.value.as_deref()?.into() })
    });
    let submitter = Submitter {
        submission,
        partition: script.partition_name,
        said: said.collect(),
        env: &job.env,
        secrets: &job.secrets,
        command: &step.command,
    };
    let text = TEMPLATES.fill(out, script.noun, "submitter.sh", &submitter);
    if let Some(text) = text {
        let folder = Stage::Workload(script.run.name.clone()).folder();
        out.program(folder.join("submit.sh"), text, nouns(script));
    }
}

fn render(scripts: &[Script<'_>], out: &mut Output) {
    let Some(script) = scripts.first().copied() else { return };
    let mut refused = Vec::new();
    let job = job::job(script, scripts, &mut refused);
    let submits = script.gang.program.launcher.value == Launcher::Submitter;
    if submits {
        options::not_handed_on(script.noun, &mut refused);
    }
    let stops = crate::owned::stops(&refused);
    out.diagnostics.append(&mut refused);
    if stops {
        return;
    }
    let folder = Stage::Workload(script.run.name.clone()).folder();
    let name = format!("{}.sbatch", script.run.name);
    let nouns = nouns(script);
    let submission = submission(script, scripts, &job, &name);
    if submits {
        submitter(script, &job, submission, out);
        return;
    }
    let Some(text) = TEMPLATES.fill(out, script.noun, "job.sbatch", &job) else { return };
    let Some(submit) = TEMPLATES.fill(out, script.noun, "submit.sh", &submission) else { return };
    let chain = script.plan.all().find(|it| it.noun.id == script.noun.id);
    let chain = chain.and_then(|workload| batch::chain(script.plan, workload));
    let chain = chain.map(|chain| TEMPLATES.fill(out, script.noun, "chain.sh", &chain));
    out.file(folder.join(&name), text, nouns);
    out.program(folder.join("submit.sh"), submit, nouns);
    if let Some(text) = chain.flatten() {
        out.program(folder.join("chain.sh"), text, nouns);
    }
}

fn submission<'a>(
    script: Script<'a>,
    scripts: &[Script<'a>],
    job: &'a Job,
    name: &'a str,
) -> Submission<'a> {
    let batch = &script.workload.batch.value;
    let words = |command: &Vec<String>| command.iter().map(|it| it.as_str().into()).collect();
    let containers = || job.steps.iter().filter_map(|step| step.container.as_ref());
    // what a job that has ended before saves need not be there when this one is submitted
    let saved = |file: &str| {
        let before = script.plan.ended_before(script.noun.id);
        let mut saves = before.filter_map(|it| it.body.batch.value.save.as_ref());
        saves.any(|saved| saved.value == file)
    };
    let submits = script.gang.program.launcher.value == Launcher::Submitter;
    let named = containers().filter(|it| it.image.is_none() && (submits || !saved(&it.file)));
    let named = named.map(|it| it.file.as_str());
    let said = |name: &str| {
        let mut options = job.components.first()?.options.iter();
        options.find(|option| option.name == name)?.value.as_deref()
    };
    let folder = |name: &str| paths::log_folder(said(name)?, &script.run.name);
    let mut folders: Vec<Word> = ["output", "error"].into_iter().filter_map(folder).collect();
    folders.dedup();
    // what the header says is said again, since the command line would take its place
    let known = said("dependency")
        .map(|all| batch::Awaited { before: all.to_owned(), ..batch::Awaited::default() });
    let awaited = known.into_iter().chain(batch::awaited(script.plan, batch)).collect();
    Submission {
        script: name,
        images: if job.imports { Vec::new() } else { images(scripts, &job.steps) },
        deferred: &job.deferred,
        login: batch.login.iter().map(|it| words(&it.value)).collect(),
        files: named.collect::<BTreeSet<_>>().into_iter().collect(),
        awaited,
        joint: batch::joint(batch),
        folders,
        logs: logs(script, said("output")),
        array: job.array,
    }
}

/// The images of a job, each with the first of its partitions.
fn images<'a>(scripts: &[Script<'a>], steps: &'a [Step]) -> Vec<Import<'a>> {
    let mut images: Vec<Import<'a>> = Vec::new();
    for (script, step) in scripts.iter().zip(steps) {
        let Some(container) = &step.container else { continue };
        let Some(image) = &container.image else { continue };
        if images.iter().all(|it| it.squashfs != container.file) {
            images.push(Import {
                partition: script.partition_name,
                options: batch::accounting(&script.workload.batch.value)
                    .map(|option| format!("--{}={}", option.name, option.value.unwrap_or_default()))
                    .chain(packers(script))
                    .collect(),
                squashfs: &container.file,
                import: format!("docker://{image}"),
                credentials: credentials(image),
            });
        }
    }
    images
}

/// A policy of ours: processors that pack an image; one alone takes an hour for the large ones.
const PACKERS: i64 = 16;

/// What an import asks for of a node that it shares with jobs: of others it has all.
fn packers(script: &Script<'_>) -> Option<String> {
    let shared = script.nodes.node.filter(|_| !script.partition.exclusive)?;
    let cpus = (shared.millicpus / 1000).min(PACKERS);
    (cpus > 1).then(|| format!("--cpus-per-task={cpus}"))
}

/// How enroot is told who asks a registry for an image: a line of its own file, which may hold a command.
fn credentials(image: &str) -> String {
    let host = image.split_once('#').map_or("registry-1.docker.io", |(host, _)| host);
    let account = if host.ends_with(".pkg.dev") {
        "oauth2accesstoken password $(gcloud auth print-access-token)"
    } else if host == "nvcr.io" {
        "$oauthtoken password KEY"
    } else {
        "USER password TOKEN"
    };
    format!(
        "the image was not imported; a registry that asks who one is finds it in ~/.config/enroot/.credentials: machine {host} login {account}"
    )
}

/// Where logs go, unless the blueprint or a patch has said it.
fn logs(script: Script<'_>, output: Option<&str>) -> Option<String> {
    let batch = &script.workload.batch.value;
    let usual = batch::said_log(batch).is_none() && output == Some(batch::log_name(batch));
    usual.then(|| format!("{}/logs", script.shared()))
}

fn nouns(script: Script<'_>) -> [NounId; 2] {
    let id = |noun: &Noun| noun.id;
    [id(script.noun), id(script.partition_noun)]
}
