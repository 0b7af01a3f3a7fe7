//! Cluster Toolkit: for each Slurm cluster that is made on Google Cloud a blueprint and a deployment file, which `gcluster` turns into
//! Terraform of its own.
//!
//! What surrounds the cluster is made by other roots and handed over: networks and buckets by name, addresses of filesystems when the
//! deployment is made. What the modules take is held by their own description (tests give each blueprint to it).

mod accounts;
mod blueprint;
pub(crate) mod image;
mod module;
mod networks;
mod nodes;
pub(crate) mod patch;
mod scripts;
mod servers;
mod storage;
mod tpus;

pub(crate) use scripts::runs_around_jobs;
pub(crate) use storage::addresses;

use crate::{Output, Target};
use slipform_model::nouns::SlurmCluster;
use slipform_model::plan::Sound;

/// The target.
pub(crate) struct Toolkit;

impl Target for Toolkit {
    fn name(&self) -> &'static str {
        "toolkit"
    }

    fn about(&self) -> &'static str {
        "blueprints of Cluster Toolkit for Slurm clusters on Google Cloud"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        patch::DOCUMENTS
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        patch::refuse_rest(plan, out);
        for cluster in plan.made::<SlurmCluster>() {
            if let Some(cloud) = &cluster.plan.cloud {
                blueprint::render(plan, cluster, cloud, out);
            }
        }
    }
}
