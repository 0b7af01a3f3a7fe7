//! Slurm: a batch script for each workload on a partition, and the configuration of clusters that are declared.
//!
//! Scripts are text, so every value in them is spelled by a filter (see [`crate::template`]). What Slurm cannot do is
//! a diagnostic; nothing of a workload is left out in silence.

pub(crate) mod cluster;
pub(crate) mod coverage;
pub(crate) mod job;
pub(crate) mod mounts;
pub(crate) mod network;
pub(crate) mod options;
mod step;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub(crate) use coverage::COVERAGE;

use crate::template::Templates;
use crate::{Output, Stage, Target};
use job::{Job, Script};
use serde::Serialize;
use slipform_model::nouns::{SlurmCluster, Workload};
use slipform_model::plan::{Site, Sound};
use slipform_model::{Noun, NounId, Severity};
use std::sync::LazyLock;
use step::Step;

/// The target.
pub(crate) struct Slurm;

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("job.sbatch", include_str!("templates/job.sbatch")),
        ("submit.sh", include_str!("templates/submit.sh")),
        ("slurm.conf", include_str!("templates/slurm.conf")),
        ("gres.conf", include_str!("templates/gres.conf")),
        ("topology.conf", include_str!("templates/topology.conf")),
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
        &[("sbatch", "workload")]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for cluster in plan.made::<SlurmCluster>() {
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
    /// The folder of logs, where the header does not say its own.
    logs: Option<String>,
}

/// An image that is imported before a job starts.
#[derive(Serialize)]
struct Import<'a> {
    /// A partition whose nodes can do it.
    partition: &'a str,
    /// The file that nodes start from, and what it is made of.
    squashfs: &'a str,
    import: String,
    /// What to do where the registry wants to know who asks.
    credentials: String,
}

fn render(scripts: &[Script<'_>], out: &mut Output) {
    let Some(script) = scripts.first().copied() else { return };
    let mut refused = Vec::new();
    let job = job::job(script, scripts, &mut refused);
    let stops = refused.iter().any(|it| it.severity == Severity::Error);
    out.diagnostics.append(&mut refused);
    if stops {
        return;
    }
    let folder = Stage::Workload(script.run.name.clone()).folder();
    let name = format!("{}.sbatch", script.run.name);
    let nouns = nouns(script);
    let submission = Submission {
        script: &name,
        images: images(scripts, &job.steps),
        deferred: &job.deferred,
        logs: logs(script, &job),
    };
    let Some(text) = TEMPLATES.fill(out, script.noun, "job.sbatch", &job) else { return };
    let Some(submit) = TEMPLATES.fill(out, script.noun, "submit.sh", &submission) else { return };
    out.file(folder.join(&name), text, nouns);
    out.program(folder.join("submit.sh"), submit, nouns);
}

/// The images of a job, each with the first of its partitions.
fn images<'a>(scripts: &[Script<'a>], steps: &'a [Step]) -> Vec<Import<'a>> {
    let mut images: Vec<Import<'a>> = Vec::new();
    for (script, step) in scripts.iter().zip(steps) {
        if images.iter().all(|it| it.squashfs != step.squashfs) {
            images.push(Import {
                partition: script.partition_name,
                squashfs: &step.squashfs,
                import: format!("docker://{}", step.image),
                credentials: credentials(&step.image),
            });
        }
    }
    images
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

/// Where logs go, unless a patch has said it.
fn logs(script: Script<'_>, job: &Job) -> Option<String> {
    let output = job.components.first()?.options.iter().find(|option| option.name == "output")?;
    (output.value.as_deref() == Some(options::LOG)).then(|| format!("{}/logs", script.shared()))
}

fn nouns(script: Script<'_>) -> [NounId; 2] {
    let id = |noun: &Noun| noun.id;
    [id(script.noun), id(script.partition_noun)]
}
