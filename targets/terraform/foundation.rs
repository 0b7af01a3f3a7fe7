//! The root of what outlives clusters: networks, storage, registries, identities, dashboards, and the APIs of the
//! project.

use super::outputs;
use super::root::{File, Root, depends_on, description, resource, string_map};
use super::services::{self, AFTER_SERVICES, Services};
use super::{builds, grants, identity, network, patch, registry, released, storage};
use crate::{Output, Stage};
use slipform_model::nouns::PushTo;
use slipform_model::nouns::{Body, Choice, Dashboard};
use slipform_model::plan::Plan;
use slipform_model::{Model, Noun};

/// The root, with the APIs of the roots after it, unless a blueprint asks for nothing on Google Cloud.
pub(super) fn render<'p>(
    plan: &'p Plan,
    of_later: &Services,
    out: &mut Output,
) -> Option<Root<'p>> {
    let model = &plan.model;
    let mut root = Root::new(plan, &Stage::Foundation, main_region(model), None);
    for (noun, body) in model.networks().filter(|(noun, _)| !noun.existing) {
        network::render(&mut root, noun, body);
    }
    for (noun, body) in model.buckets().filter(|(noun, _)| !noun.existing) {
        storage::bucket(&mut root, noun, body);
    }
    for (noun, body) in model.filesystems().filter(|(noun, _)| !noun.existing) {
        storage::filesystem(&mut root, noun, body);
    }
    registry::render(&mut root);
    identity::render(&mut root);
    grants::render(&mut root);
    builds::render(&mut root);
    for (noun, body) in model.dashboards().filter(|(noun, _)| !noun.existing) {
        dashboard(&mut root, noun, body);
    }
    let mut services = services::of_nouns(model);
    services::add(&mut services, of_later);
    services::add(&mut services, root.services());
    if services.is_empty() && !outputs::any_in(plan, &Stage::Foundation) {
        outputs::homeless(plan, out);
        return None;
    }
    services::render(&mut root, &services);
    released::render(&mut root, None);
    outputs::hand_on_existing(&mut root);
    outputs::statements(&mut root, &Stage::Foundation);
    Some(root)
}

fn dashboard(root: &mut Root<'_>, noun: &Noun, body: &Dashboard) {
    let label = root.label(noun.id);
    let title = match &body.title {
        Choice::Set(title) => title.clone(),
        Choice::Auto => noun.name.clone(),
    };
    let block = resource("google_vertex_ai_tensorboard", &label)
        .attr("display_name", title)
        .attr_opt("description", description(noun))
        .attr("region", root.place(&body.region))
        .attr_opt("labels", string_map(&body.labels));
    let block = patch::apply(root, noun, "tensorboard", block);
    root.push(File::Dashboards, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    outputs::hand_on(root, noun);
}

/// The region that `var.region` stands for: of the first noun that is made in one.
fn main_region(model: &Model) -> Option<String> {
    let made = || model.nouns.iter().filter(|noun| !noun.existing);
    let network = made().find_map(|noun| match &noun.body {
        Body::Network(body) => Some(&body.region.value),
        _ => None,
    });
    let other = || {
        made().find_map(|noun| match &noun.body {
            Body::Registry(body) => Some(&body.location.value),
            Body::Dashboard(body) => Some(&body.region.value),
            Body::VertexCluster(body) => Some(&body.region.value),
            // a multi-region such as `us` has no dash
            Body::Bucket(body) if body.location.contains('-') => Some(&body.location.value),
            Body::Image(body) => match body.push_to.as_ref().map(|push_to| &push_to.value) {
                Some(PushTo::Registry { location, .. }) if location.contains('-') => Some(location),
                _ => None,
            },
            _ => None,
        })
    };
    network.or_else(other).cloned()
}
