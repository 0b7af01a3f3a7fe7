//! The APIs that a project needs. They stay on when a root is destroyed: others in the project may use them.

use super::root::{File, Root, resource};
use crate::document::hcl::Expr;
use slipform_model::nouns::{Body, Storage};
use slipform_model::{Model, Noun};
use std::collections::BTreeMap;

/// What resources of the foundation depend on, so that no API is asked before it is on.
pub(super) const AFTER_SERVICES: &str = "google_project_service.apis";

/// The APIs that a model needs, each with the first noun that asks for it; empty where nothing is on Google Cloud.
pub(super) fn needed(model: &Model) -> BTreeMap<&'static str, &Noun> {
    let mut services = BTreeMap::new();
    for noun in &model.nouns {
        for service in of(noun) {
            services.entry(*service).or_insert(noun);
        }
    }
    services
}

/// Turns the APIs on.
pub(super) fn render(root: &mut Root<'_>, services: &BTreeMap<&'static str, &Noun>) {
    let Some(noun) = services.values().min_by_key(|noun| noun.id).copied() else { return };
    let names = Expr::list(services.keys().map(|name| format!("{name}.googleapis.com")));
    let block = resource("google_project_service", "apis")
        .attr("for_each", Expr::call("toset", [names]))
        .gap()
        .attr("service", Expr::reference("each.value"))
        .attr("disable_on_destroy", false);
    root.push(File::Services, noun, block);
}

fn of(noun: &Noun) -> &'static [&'static str] {
    match &noun.body {
        Body::Network(_) if !noun.existing => &["compute"],
        Body::Bucket(_) if !noun.existing => &["storage"],
        Body::Registry(_) if !noun.existing => &["artifactregistry"],
        Body::Identity(_) if !noun.existing => &["iam"],
        Body::Dashboard(_) if !noun.existing => &["aiplatform"],
        Body::Filesystem(filesystem) if !noun.existing => match filesystem.storage.value {
            Storage::Filestore { .. } => &["file"],
            Storage::Lustre { .. } => &["compute", "lustre", "servicenetworking"],
            Storage::Nfs { .. } | Storage::Path { .. } => &[],
        },
        Body::Image(image) if image.push_to.is_some() => &["artifactregistry", "cloudbuild"],
        Body::GkeCluster(_) if !noun.existing => {
            &["cloudresourcemanager", "compute", "container", "iam", "logging", "monitoring"]
        }
        Body::VertexCluster(_) => &["aiplatform"],
        _ => &[],
    }
}
