//! Terraform: one root for what outlives clusters (`10-foundation`), one for each GKE cluster and for each kind of
//! plain machines (`30-<name>`), and one for who pods are (`35-workload-identity`).
//!
//! A root stands alone: what another one makes is read by its name, so each can be planned, applied and destroyed by
//! itself, in the order of its number. Every block names the noun that asked for it. Bindings of
//! roles are additive only, repeated resources have keys that survive a change of their number, and nothing is
//! written that belongs into a cluster (see `crate::kubernetes`) or into a lock file.
//!
//! What it does not do: judge the blueprint, which rules do before; make, or destroy, anything that is `existing`.

mod bounds;
mod buckets;
mod builds;
mod capacity;
mod cluster;
pub(crate) mod coverage;
pub(crate) mod data_networks;
mod federation;
mod forms;
mod foundation;
mod grants;
mod identity;
mod labels;
pub(crate) mod machines;
mod names;
mod network;
pub(crate) mod node_config;
mod node_pool;
pub(crate) mod outputs;
pub(crate) mod patch;
mod registry;
mod released;
mod reservation;
mod roles;
mod root;
mod services;
pub(crate) mod storage;
mod teams;
#[cfg(test)]
mod tests;
mod upgrades;
mod users;
mod variables;
mod workload_identity;

pub use cluster::CLUSTER;
pub(crate) use coverage::{GKE, SHARED};
pub(crate) use identity::NODE_ROLES;
pub use released::{addresses, between_others};
pub(crate) use roles::VIEWER;
pub(crate) use users::users_of_grants;

use crate::{Output, Target};
use root::Root;
use services::Services;
use slipform_model::nouns::{Bucket, GkeCluster, Identity, ImageUse, Machines, Ref};
use slipform_model::plan::{Planned, Sound};
use std::collections::{BTreeMap, BTreeSet};

/// Everything on Google Cloud that Terraform keeps.
pub struct Terraform;

impl Target for Terraform {
    fn name(&self) -> &'static str {
        "terraform"
    }

    fn about(&self) -> &'static str {
        "Terraform roots for networks, storage, registries, identities, GKE clusters and plain machines"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        patch::DOCUMENTS
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        patch::refuse_rest(plan, out);
        for root in roots(plan) {
            root.finish(out);
        }
    }
}

/// The roots, in the order in which they are applied.
fn roots(plan: Sound<'_>) -> Vec<Root<'_>> {
    let clusters = plan.made::<GkeCluster>().map(|cluster| cluster::render(plan, cluster));
    let machines = plan.made::<Machines>().filter(|machines| machines.plan.maker.has_template());
    let machines = machines.map(|machines| machines::render(plan, machines));
    let later: Vec<Root<'_>> =
        clusters.chain(machines).chain(workload_identity::render(plan)).collect();
    let mut services = Services::new();
    for root in &later {
        services::add(&mut services, root.services());
    }
    foundation::render(plan, &services).into_iter().chain(later).collect()
}

/// Whether there is any root: there is none without a foundation, which is asked for first where that is cheap.
pub(crate) fn has_roots(plan: Sound<'_>) -> bool {
    !services::of_nouns(plan).is_empty() || !roots(plan).is_empty()
}

/// What identities need of buckets where both belong to someone else, with the role of each.
pub(crate) fn buckets_between_others(
    plan: Sound<'_>,
) -> Vec<(Ref<Bucket>, Ref<Identity>, &'static str)> {
    grants::between_others(plan)
}

/// What hosts of Slurm need of accounts that someone else keeps: roles on the project, by the account.
pub(crate) fn roles_of_others(plan: Sound<'_>) -> BTreeMap<Ref<Identity>, BTreeSet<&str>> {
    identity::of_others(plan)
}

/// The buckets of others on which rights are given from here.
pub(crate) fn buckets_of_others(plan: Sound<'_>) -> BTreeSet<&str> {
    grants::buckets_of_others(plan)
}

/// The repositories of other projects on which rights are given from here, each behind its project.
pub(crate) fn repositories_abroad(plan: Sound<'_>) -> BTreeSet<(&str, &str)> {
    grants::repositories_abroad(plan)
}

/// Whether an image lies in a registry of another project that the blueprint knows, so that rights to it are given from here.
pub(crate) fn is_known_abroad(plan: Sound<'_>, image: &str) -> bool {
    registry::is_known_abroad(plan, image)
}

/// Whether nodes of an existing cluster may read an image by what is given here.
pub(crate) fn is_read(plan: Sound<'_>, cluster: Planned<'_, GkeCluster>, image: &ImageUse) -> bool {
    registry::is_read(plan, cluster, image)
}

/// The identities of other projects that accounts of pods are let act as from here.
pub(crate) fn accounts_abroad(plan: Sound<'_>) -> BTreeSet<Ref<Identity>> {
    workload_identity::accounts_abroad(plan)
}

/// The identities of other projects that some root looks up.
pub(crate) fn looked_up(plan: Sound<'_>) -> BTreeSet<Ref<Identity>> {
    let abroad = plan.all::<Identity>().filter(|it| plan.other_project(it.noun.id).is_some());
    let abroad: Vec<Ref<Identity>> = abroad.map(|it| it.reference()).collect();
    if abroad.is_empty() {
        return BTreeSet::new();
    }
    let roots = roots(plan);
    let is_read = |id: &Ref<Identity>| {
        roots.iter().any(|root| {
            let label = root.label(*id);
            let named = ["google_service_account", label.as_str()];
            let is_it = |labels: &[std::borrow::Cow<'static, str>]| labels == named;
            root.blocks().any(|block| block.kind == "data" && is_it(&block.labels))
        })
    };
    abroad.into_iter().filter(is_read).collect()
}

/// The roles that applying all roots takes.
pub(crate) fn roles(plan: Sound<'_>) -> BTreeSet<&'static str> {
    let roots = roots(plan);
    roots.iter().flat_map(Root::blocks).flat_map(roles::of_block).collect()
}
