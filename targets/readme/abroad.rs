//! What a blueprint needs of projects of others: roles of whoever applies it, accounts that they lend, and their registries.

use super::before::Uses;
use crate::terraform;
use serde::Serialize;
use slipform_model::nouns::{GkeCluster, Identity, Ref, Workload};
use slipform_model::plan::{Run, Sound};
use slipform_source::Spanned;
use std::collections::BTreeSet;

/// A role in another project.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Abroad<'a> {
    project: &'a str,
    role: &'static str,
    why: &'static str,
}

/// What whoever runs the commands needs in projects of others: rights on what is there are given from here, and objects applied.
pub(super) fn abroad<'a>(plan: Sound<'a>, uses: &Uses<'_>) -> Vec<Abroad<'a>> {
    let given = |project, role, why| Abroad { project, role, why };
    let mut all = BTreeSet::new();
    if uses.terraform {
        for project in terraform::repositories_abroad(plan) {
            let why = "rights to its repositories are given to who is made here";
            all.insert(given(project, "roles/artifactregistry.admin", why));
        }
        for project in terraform::accounts_abroad(plan) {
            let why = "accounts of pods are let act as its identities";
            all.insert(given(project, "roles/iam.serviceAccountAdmin", why));
        }
    }
    if uses.kubectl {
        let clusters = plan.all::<GkeCluster>();
        for project in clusters.filter_map(|it| plan.other_project(it.noun.id)) {
            let why = "objects are applied to its clusters";
            all.insert(given(project, "roles/container.admin", why));
            all.insert(given(project, "roles/logging.viewer", "logs of runs are read there"));
        }
    }
    all.into_iter().collect()
}

/// The accounts of nodes that are of another project than the nodes.
pub(super) fn lent_accounts(plan: Sound<'_>) -> BTreeSet<String> {
    let named = plan.made::<GkeCluster>().filter_map(|cluster| cluster.body.node_identity);
    let lent = named.filter(|it| plan.other_project(it.value.id()).is_some());
    lent.filter_map(|it| plan.email(it.value)).collect()
}

/// The projects, this one aside, whose registries nodes that are made here pull images of runs from.
pub(super) fn image_owners(plan: Sound<'_>) -> BTreeSet<&str> {
    let here = |run: &'_ Run| {
        let cluster = plan.get(run.gke()?.cluster);
        cluster.is_made().then_some(cluster.body.node_identity)
    };
    let runs = plan.all::<Workload>().map(|it| it.plan).filter_map(|run| Some((here(run)?, run)));
    let images = runs.flat_map(|(nodes, run)| run.gangs().map(move |gang| (nodes, gang)));
    let images = images.map(|(nodes, gang)| (nodes, plan.reference(&gang.program.image)));
    // where the blueprint knows the registry, the right of nodes whose account is made here is given from here
    let given = |nodes: Option<Spanned<Ref<Identity>>>, image: &str| {
        nodes.is_none_or(|it| plan.get(it.value).is_made())
            && terraform::is_known_abroad(plan, image)
    };
    let others = images.filter(|(nodes, image)| !given(*nodes, image));
    let owners = others.filter_map(|(_, image)| owner_of_image(image));
    owners.filter(|owner| plan.project() != Some(*owner)).collect()
}

/// `acme-images` of `us-docker.pkg.dev/acme-images/base/nemo:v1`.
fn owner_of_image(reference: &str) -> Option<&str> {
    let (host, rest) = reference.split_once('/')?;
    let of_google =
        host.ends_with("-docker.pkg.dev") || host == "gcr.io" || host.ends_with(".gcr.io");
    rest.split('/').next().filter(|_| of_google)
}
