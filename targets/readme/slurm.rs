//! Slurm clusters that are there already: what scripts take for granted of them.

use crate::on_nodes::{OnNodes, Program};
use serde::Serialize;
use slipform_model::nouns::{Ref, SlurmCluster, Workload};
use slipform_model::plan::{Gang, Planned, Run, Site, Sound};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster that nothing is rendered for but the scripts of its jobs.
#[derive(Serialize)]
pub(super) struct Existing<'a> {
    name: &'a str,
    shared: &'a str,
    /// Who its nodes are on Google Cloud.
    account: Option<String>,
    /// What its jobs take for granted of its hosts.
    needs: OnNodes,
}

/// The existing clusters that some job is for.
pub(super) fn existing<'a>(plan: Sound<'a>, jobs: &[Planned<'a, Workload>]) -> Vec<Existing<'a>> {
    let mut jobs_of: BTreeMap<Ref<SlurmCluster>, Vec<&'a Run>> = BTreeMap::new();
    for job in jobs {
        match &job.plan.site {
            Site::Slurm(site) => jobs_of.entry(site.cluster).or_default().push(job.plan),
            Site::Gke(_) | Site::Vertex(_) => {}
        }
    }
    let site = |(cluster, jobs): (Ref<SlurmCluster>, Vec<&'a Run>)| {
        let cluster = plan.get(cluster);
        (!cluster.is_made()).then(|| Existing {
            name: cluster.name(),
            shared: cluster.body.shared.trim_end_matches('/'),
            account: cluster.body.node_identity.and_then(|it| plan.email(it.value)),
            needs: OnNodes::of(jobs.into_iter()),
        })
    };
    jobs_of.into_iter().filter_map(site).collect()
}

/// A job of several groups: what each starts from, and where it writes what it says.
#[derive(Serialize)]
pub(super) struct Grouped<'a> {
    name: &'a str,
    logs: String,
    groups: Vec<Group<'a>>,
}

/// One of its groups.
#[derive(Serialize)]
struct Group<'a> {
    role: &'a str,
    image: &'a str,
    /// It starts again when it fails.
    helps: bool,
}

/// The jobs that have several groups.
pub(super) fn grouped<'a>(plan: Sound<'a>, jobs: &[Planned<'a, Workload>]) -> Vec<Grouped<'a>> {
    let group =
        |gang: &'a Gang| Group { role: &gang.role, image: &gang.image, helps: !gang.decides };
    let runs = jobs.iter().map(|job| job.plan);
    let of = |run: &'a Run| {
        let cluster = plan.get(run.slurm()?.cluster);
        Some(Grouped {
            name: &run.name,
            logs: format!("{}/logs", cluster.body.shared.trim_end_matches('/')),
            groups: run.gangs().map(group).collect(),
        })
    };
    runs.filter(|run| !run.groups().is_empty()).filter_map(of).collect()
}

/// Programs of jobs that are in no image.
pub(super) fn programs(jobs: &[Planned<'_, Workload>]) -> Vec<Program> {
    OnNodes::of(jobs.iter().map(|job| job.plan)).programs
}

/// Google's registries of the images of jobs; whoever imports from them is asked who they are.
pub(super) fn registries<'a>(jobs: &[Planned<'a, Workload>]) -> BTreeSet<&'a str> {
    let gangs = jobs.iter().flat_map(|job| job.plan.gangs());
    let images = gangs.map(|gang| gang.image.as_str());
    let hosts = images.filter_map(|image| Some(image.split_once('/')?.0));
    hosts.filter(|host| host.ends_with("-docker.pkg.dev")).collect()
}
