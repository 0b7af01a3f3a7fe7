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
    /// The one thing in it that the role is on; none where it is on all of it.
    on: Option<String>,
    role: &'static str,
    why: &'static str,
}

/// What whoever runs the commands needs in projects of others: rights on what is there are given from here, and objects applied.
pub(super) fn abroad<'a>(plan: Sound<'a>, uses: &Uses<'_>) -> Vec<Abroad<'a>> {
    let given = |project, on, role, why| Abroad { project, on, role, why };
    let mut all = BTreeSet::new();
    if uses.terraform {
        for (project, repository) in terraform::repositories_abroad(plan) {
            let why = "rights to it are given to who is made here";
            let on = Some(repository.to_owned());
            all.insert(given(project, on, "roles/artifactregistry.admin", why));
        }
        let accounts = terraform::accounts_abroad(plan);
        let mut looked_up = terraform::looked_up(plan);
        looked_up.extend(lent(plan).iter().map(|it| it.identity));
        let bound = accounts.iter().map(|it| (*it, ADMINISTERS));
        let looked_up = looked_up.difference(&accounts).map(|it| (*it, LOOKS_UP));
        for (identity, (role, why)) in bound.chain(looked_up) {
            let Some(project) = plan.other_project(identity.id()) else { continue };
            all.insert(given(project, plan.email(identity), role, why));
        }
    }
    if uses.kubectl {
        for cluster in plan.all::<GkeCluster>() {
            let Some(project) = plan.other_project(cluster.noun.id) else { continue };
            // who works in a namespace is said by roles and bindings, which developers make none of
            let (role, why) = match cluster.body.teams.is_empty() {
                true => ("roles/container.developer", "objects are applied to its clusters"),
                false => {
                    ("roles/container.admin", "objects are applied, roles of teams among them")
                }
            };
            all.insert(given(project, None, role, why));
            all.insert(given(project, None, "roles/logging.viewer", "logs of runs are read there"));
        }
    }
    all.into_iter().collect()
}

/// What is done with accounts of others, by the role that it takes on each.
const ADMINISTERS: (&str, &str) =
    ("roles/iam.serviceAccountAdmin", "accounts of pods are let act as it");
const LOOKS_UP: (&str, &str) = ("roles/iam.serviceAccountViewer", "it is looked up");

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
