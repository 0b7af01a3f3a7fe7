//! What a blueprint needs of projects of others: roles of whoever applies it, accounts that they lend, and their registries.

use super::before::Uses;
use crate::terraform;
use serde::Serialize;
use slipform_model::nouns::{GkeCluster, Identity, Machines, Ref, SlurmCluster, Workload};
use slipform_model::plan::{Run, Site, Sound};
use slipform_source::Spanned;
use std::collections::{BTreeMap, BTreeSet};

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
        let accounts = terraform::accounts_abroad(plan);
        for project in &accounts {
            let why = "accounts of pods are let act as its identities";
            all.insert(given(project, "roles/iam.serviceAccountAdmin", why));
        }
        for project in lenders(plan).difference(&accounts) {
            let why = "its accounts are looked up";
            all.insert(given(project, "roles/iam.serviceAccountViewer", why));
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

/// An account of another project that machines act as here, and who is let use it there besides whoever runs the commands.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Lent {
    account: String,
    /// Who acts as it.
    acts: BTreeSet<String>,
    /// Who makes tokens of it.
    makes_tokens: BTreeSet<&'static str>,
}

/// Service agents of the project, with its number in place of `NUMBER`.
const OF_GKE: &str = "service-NUMBER@container-engine-robot.iam.gserviceaccount.com";
const OF_MACHINES: &str = "service-NUMBER@compute-system.iam.gserviceaccount.com";
const OF_VERTEX: &str = "service-NUMBER@gcp-sa-aiplatform.iam.gserviceaccount.com";

/// Who is let use an identity that is lent.
struct Use {
    identity: Ref<Identity>,
    acts: Option<String>,
    makes_tokens: &'static str,
}

/// The identities of other projects that machines act as here.
fn lent(plan: Sound<'_>) -> Vec<Use> {
    let mut all = Vec::new();
    let mut lend = |identity: Option<Ref<Identity>>, acts, makes_tokens| {
        let lent = identity.filter(|it| plan.other_project(it.id()).is_some());
        all.extend(lent.map(|identity| Use { identity, acts, makes_tokens }));
    };
    for cluster in plan.made::<GkeCluster>() {
        let nodes = cluster.body.node_identity.map(|it| it.value);
        lend(nodes, Some(OF_GKE.to_owned()), OF_MACHINES);
    }
    for cluster in plan.made::<SlurmCluster>().filter(|it| it.plan.cloud.is_some()) {
        let controller = cluster.body.controller.value.identity();
        let makes_nodes = controller.and_then(|it| plan.email(it));
        lend(cluster.body.node_identity.map(|it| it.value), makes_nodes, OF_MACHINES);
        lend(controller, None, OF_MACHINES);
    }
    for machines in plan.made::<Machines>() {
        lend(machines.body.identity.map(|it| it.value), None, OF_MACHINES);
    }
    for run in plan.all::<Workload>().map(|it| it.plan) {
        let Site::Vertex(_) = &run.site else { continue };
        run.gangs().for_each(|gang| lend(gang.identity, None, OF_VERTEX));
    }
    all
}

/// The accounts that machines act as and that are of another project than the machines.
pub(super) fn lent_accounts(plan: Sound<'_>) -> Vec<Lent> {
    let mut all: BTreeMap<String, Lent> = BTreeMap::new();
    for Use { identity, acts, makes_tokens } in lent(plan) {
        let Some(account) = plan.email(identity) else { continue };
        let none = Lent { account, acts: BTreeSet::new(), makes_tokens: BTreeSet::new() };
        let lent = all.entry(none.account.clone()).or_insert(none);
        lent.acts.extend(acts);
        lent.makes_tokens.insert(makes_tokens);
    }
    all.into_values().collect()
}

/// The projects of these accounts.
fn lenders(plan: Sound<'_>) -> BTreeSet<&str> {
    lent(plan).iter().filter_map(|it| plan.other_project(it.identity.id())).collect()
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
