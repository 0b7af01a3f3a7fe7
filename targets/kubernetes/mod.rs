//! Kubernetes on GKE: for each cluster a Kustomize folder with what it holds before any workload, and for each workload
//! a JobSet with an overlay for the environment.
//!
//! Every folder builds alone with `kubectl kustomize`. Objects are typed structs; a tree is made only where a `patch`
//! changes one. Versions, images and limits are the catalog's. What cannot be expressed is a diagnostic at the place
//! that asked for it, and is never left out silently.

mod cluster;
mod context;
mod deferred;
mod fabric;
mod installer;
mod jobset;
mod kustomize;
mod launch;
mod network;
mod objects;
mod patch;
mod pod;
mod queue;
mod storage;
#[cfg(test)]
mod tests;
mod text;
mod volumes;
mod words;
mod workload;

use crate::{Output, Target};
use context::Context;
use slipform_model::plan::Plan;

/// JobSet, Kueue and Kustomize on GKE.
pub struct Kubernetes;

impl Target for Kubernetes {
    fn name(&self) -> &'static str {
        "kubernetes"
    }

    fn about(&self) -> &'static str {
        "Kustomize folders with JobSets, Kueue queues, networks and volumes for GKE"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        patch::PATCHES
    }

    fn render(&self, plan: &Plan, out: &mut Output) {
        let Some(cx) = Context::new(plan) else { return };
        for (noun, body) in plan.model.gke_clusters() {
            if let Some(cluster) = plan.cluster(noun.id) {
                cluster::render(&cx, noun, body, cluster, out);
            }
        }
        for (noun, body) in plan.model.workloads() {
            workload::render(&cx, noun, body, out);
        }
    }
}
