//! What must be known before what Terraform made is destroyed.

use serde::Serialize;
use slipform_model::NounId;
use slipform_model::nouns::{Body, Storage};
use slipform_model::plan::Plan;

/// What does not go by itself, and what goes with more than its name.
#[derive(Default, Serialize)]
pub(super) struct Gone<'a> {
    /// What Terraform refuses to destroy, as a clause.
    protected: Option<&'static str>,
    /// Something could have been protected by an earlier build, and nothing is by this one.
    lifted: bool,
    /// The names of buckets.
    buckets: Vec<&'a str>,
    with: Option<&'static str>,
}

impl<'a> Gone<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        let made = || plan.model.nouns.iter().filter(|noun| !noun.existing);
        let any = |is: fn(&Body) -> bool| made().any(|noun| is(&noun.body));
        // a cluster that was handed over protects what is made here all the same
        let made_here = |id: NounId| plan.model.get(id).is_some_and(|noun| !noun.existing);
        let clusters = plan.model.gke_clusters().any(|(noun, it)| {
            let identity = it.node_identity.as_ref().map(|it| it.value.id());
            let mut beneath = std::iter::once(it.network.value.id()).chain(identity);
            it.deletion_protection && (!noun.existing || beneath.any(made_here))
        });
        let filesystems = any(|body| is_instance(body) && is_protected(body));
        let lifted = any(|body| {
            (matches!(body, Body::GkeCluster(_)) || is_instance(body)) && !is_protected(body)
        });
        let registries = any(|body| match body {
            Body::Registry(_) => true,
            Body::Image(image) => image.push_to.is_some(),
            _ => false,
        });
        let dashboards = any(|body| matches!(body, Body::Dashboard(_)));
        let buckets = plan.model.buckets().filter(|(noun, _)| !noun.existing);
        let buckets = buckets.filter_map(|(noun, _)| plan.name(noun.id).map(String::as_str));
        Self {
            protected: match (clusters, filesystems) {
                (true, true) => Some(
                    "Filesystems and clusters are protected, the latter with the networks and accounts that they stand on",
                ),
                (true, false) => Some(
                    "Clusters are protected, with the networks and accounts that they stand on",
                ),
                (false, true) => Some("Filesystems are protected"),
                (false, false) => None,
            },
            lifted: lifted && !clusters && !filesystems,
            buckets: buckets.collect(),
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

/// Whether it is a filesystem that Terraform makes.
pub(super) fn is_instance(body: &Body) -> bool {
    let Body::Filesystem(it) = body else { return false };
    matches!(it.storage.value, Storage::Filestore { .. } | Storage::Lustre { .. })
}

fn is_protected(body: &Body) -> bool {
    match body {
        Body::GkeCluster(it) => it.deletion_protection,
        Body::Filesystem(it) => it.deletion_protection,
        _ => false,
    }
}
