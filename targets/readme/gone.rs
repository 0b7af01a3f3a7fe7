//! What must be known before what Terraform made is destroyed.

use super::makes;
use serde::Serialize;
use slipform_model::nouns::{
    Bucket, Dashboard, Filesystem, GkeCluster, Image, Registry, Reservation, SlurmCluster,
};
use slipform_model::plan::Sound;
use std::borrow::Cow;

/// What does not go by itself, and what goes with more than its name.
#[derive(Default, Serialize)]
pub(super) struct Gone<'a> {
    /// What Terraform refuses to destroy, as a clause.
    protected: Option<Cow<'static, str>>,
    /// Something could have been protected by an earlier build, and nothing of the roots is by this one.
    lifted: bool,
    /// A database of Cloud SQL is protected, which no root has.
    accounts: bool,
    /// The names of buckets that are destroyed once they are empty.
    buckets: Vec<&'a str>,
    with: Option<&'static str>,
}

impl<'a> Gone<'a> {
    pub(super) fn of(plan: Sound<'a>) -> Self {
        // a cluster that was handed over protects what is made here all the same
        let beneath_made = |it: &GkeCluster| {
            let identity = it.node_identity.is_some_and(|it| plan.get(it.value).is_made());
            identity || plan.get(it.network.value).is_made()
        };
        let clusters = plan
            .all::<GkeCluster>()
            .any(|it| it.body.deletion_protection && (it.is_made() || beneath_made(it.body)));
        let instances =
            || plan.made::<Filesystem>().filter(|it| it.body.storage.value.is_managed());
        let filesystems = instances().any(|it| it.body.deletion_protection);
        let reservations = plan.made::<Reservation>().any(|it| it.body.deletion_protection);
        let (guarded, unguarded): (Vec<_>, Vec<_>) =
            plan.made::<Bucket>().partition(|it| it.body.deletion_protection.value);
        let lifted = plan.made::<GkeCluster>().any(|it| !it.body.deletion_protection)
            || instances().any(|it| !it.body.deletion_protection)
            || plan.made::<Reservation>().any(|it| !it.body.deletion_protection);
        let registries = makes::<Registry>(plan)
            || plan.made::<Image>().any(|image| image.body.push_to.is_some());
        let dashboards = makes::<Dashboard>(plan);
        Self {
            protected: with_others(
                match (clusters, filesystems) {
                    (true, true) => Some(
                        "Filesystems and clusters are protected, the latter with the networks and accounts that they stand on",
                    ),
                    (true, false) => Some(
                        "Clusters are protected, with the networks and accounts that they stand on",
                    ),
                    (false, true) => Some("Filesystems are protected"),
                    (false, false) => None,
                },
                match (reservations, guarded.is_empty()) {
                    (true, true) => Some("reservations"),
                    (true, false) => Some("reservations and buckets"),
                    (false, false) => Some("buckets"),
                    (false, true) => None,
                },
            ),
            accounts: plan
                .made::<SlurmCluster>()
                .any(|it| it.body.protects_accounts() == Some(true)),
            lifted: lifted && !clusters && !filesystems && !reservations && guarded.is_empty(),
            buckets: unguarded.iter().map(|bucket| bucket.name()).collect(),
            with: match (registries, dashboards) {
                (true, true) => {
                    Some("Registries go with their images, and dashboards with what they show")
                }
                (true, false) => Some("Registries go with their images"),
                (false, true) => Some("Dashboards go with what they show"),
                (false, false) => None,
            },
        }
    }
}

/// What is protected, with what goes by its kind alone among it.
fn with_others(
    others: Option<&'static str>,
    kinds: Option<&'static str>,
) -> Option<Cow<'static, str>> {
    let Some(kinds) = kinds else { return others.map(Cow::Borrowed) };
    let Some(others) = others else {
        let (first, rest) = kinds.split_at(1);
        return Some(Cow::Owned(format!("{}{rest} are protected", first.to_uppercase())));
    };
    Some(Cow::Owned(format!("{others}, and so are {kinds}")))
}
