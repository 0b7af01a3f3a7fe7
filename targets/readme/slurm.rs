//! Slurm clusters that are there already: what scripts take for granted of them.

use crate::on_nodes::{OnNodes, Program};
use serde::Serialize;
use slipform_model::nouns::Body;
use slipform_model::plan::{Place, Plan};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster that nothing is rendered for but the scripts of its jobs.
#[derive(Serialize)]
pub(super) struct Site<'a> {
    name: &'a str,
    shared: &'a str,
    /// Who its nodes are on Google Cloud.
    account: Option<String>,
    /// What its jobs take for granted of its hosts.
    needs: OnNodes,
}

/// The existing clusters that some job is for.
pub(super) fn existing<'a>(plan: &'a Plan, jobs: &[&'a Noun]) -> Vec<Site<'a>> {
    let mut jobs_of: BTreeMap<NounId, Vec<&Noun>> = BTreeMap::new();
    for job in jobs {
        if let Some((id, _)) = cluster(plan, job) {
            jobs_of.entry(id).or_default().push(job);
        }
    }
    let site = |(id, jobs): (NounId, Vec<&Noun>)| {
        let cluster = plan.model.get(id).filter(|cluster| cluster.existing)?;
        let (Body::SlurmCluster(body), Some(name)) = (&cluster.body, plan.name(id)) else {
            return None;
        };
        Some(Site {
            name,
            shared: body.shared.trim_end_matches('/'),
            account: body.node_identity.as_ref().and_then(|it| plan.email(it.value)),
            needs: OnNodes::of(plan, jobs.into_iter()),
        })
    };
    jobs_of.into_iter().filter_map(site).collect()
}

/// Programs of jobs that are in no image.
pub(super) fn programs(plan: &Plan, jobs: &[&Noun]) -> Vec<Program> {
    OnNodes::of(plan, jobs.iter().copied()).programs
}

/// Google's registries of the images of jobs; whoever imports from them is asked who they are.
pub(super) fn registries<'a>(plan: &'a Plan, jobs: &[&'a Noun]) -> BTreeSet<&'a str> {
    let images = jobs.iter().filter_map(|job| Some(plan.workload(job.id)?.lead.image.as_str()));
    let hosts = images.filter_map(|image| Some(image.split_once('/')?.0));
    hosts.filter(|host| host.ends_with("-docker.pkg.dev")).collect()
}

fn cluster<'a>(plan: &'a Plan, job: &Noun) -> Option<(NounId, &'a Noun)> {
    let Place::Partition(partition) = plan.workload(job.id)?.place else { return None };
    let id = plan.partition(partition)?.cluster;
    Some((id.id(), plan.model.get(id)?))
}
