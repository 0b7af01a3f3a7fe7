//! Slurm clusters that are there already: what scripts take for granted of them.

use serde::Serialize;
use slipform_model::nouns::Body;
use slipform_model::plan::{Place, Plan, Source};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster that nothing is rendered for but the scripts of its jobs.
#[derive(Serialize)]
pub(super) struct Site<'a> {
    name: &'a str,
    shared: &'a str,
    /// Who its nodes are on Google Cloud.
    account: Option<String>,
    /// Jobs mount buckets.
    buckets: bool,
    /// Filesystems that jobs mount, where nodes have them.
    folders: BTreeSet<&'a str>,
}

/// The existing clusters that some job is for.
pub(super) fn existing<'a>(plan: &'a Plan, jobs: &[&'a Noun]) -> Vec<Site<'a>> {
    let mut sites: BTreeMap<NounId, Site<'a>> = BTreeMap::new();
    for job in jobs {
        let Some((id, cluster)) = cluster(plan, job) else { continue };
        let (Body::SlurmCluster(body), Some(name)) = (&cluster.body, plan.name(id)) else {
            continue;
        };
        if !cluster.existing {
            continue;
        }
        let site = sites.entry(id).or_insert_with(|| Site {
            name,
            shared: body.shared.trim_end_matches('/'),
            account: body.node_identity.as_ref().and_then(|it| address(plan, it.value)),
            buckets: false,
            folders: BTreeSet::new(),
        });
        for mount in plan.gangs(job.id).flat_map(|gang| &gang.program.mounts) {
            match &mount.source.value {
                Source::Bucket { .. } => site.buckets = true,
                Source::Share { server, .. } => {
                    site.folders.insert(server.on_nodes(&mount.path.value));
                }
                Source::Scratch { .. } => {}
            }
        }
    }
    sites.into_values().collect()
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
    Some((id, plan.model.get(id)?))
}

fn address(plan: &Plan, identity: NounId) -> Option<String> {
    let (account, project) = (plan.name(identity)?, plan.model.project.as_deref()?);
    Some(format!("{account}@{project}.iam.gserviceaccount.com"))
}
