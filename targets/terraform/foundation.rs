//! The root of what outlives clusters: networks, storage, registries, identities, dashboards, reservations, and the
//! APIs of the project.

use super::outputs;
use super::root::{File, Root, depends_on, description, resource, string_map};
use super::services::{self, AFTER_SERVICES, Services};
use super::{
    builds, federation, grants, identity, network, patch, registry, released, reservation, storage,
    teams,
};
use crate::Stage;
use crate::document::hcl::Block;
use slipform_model::nouns::{Dashboard, Network, PushTo};
use slipform_model::plan::{Any, Planned, Sound};

/// The root, with the APIs of the roots after it, unless a blueprint asks for nothing on Google Cloud.
pub(super) fn render<'p>(plan: Sound<'p>, of_later: &Services) -> Option<Root<'p>> {
    let mut root = Root::new(plan, &Stage::Foundation, main_region(plan), None);
    for network in plan.made() {
        network::render(&mut root, network);
    }
    for bucket in plan.made() {
        storage::bucket(&mut root, bucket);
    }
    for filesystem in plan.made() {
        storage::filesystem(&mut root, filesystem);
    }
    registry::render(&mut root);
    identity::render(&mut root);
    grants::render(&mut root);
    teams::render(&mut root);
    for identity in plan.made() {
        federation::render(&mut root, identity);
    }
    builds::render(&mut root);
    for planned in plan.made() {
        dashboard(&mut root, planned);
    }
    for planned in plan.made() {
        reservation::render(&mut root, planned);
    }
    let mut services = services::of_nouns(plan);
    services::add(&mut services, of_later);
    services::add(&mut services, root.services());
    if services.is_empty() && !outputs::any_in(plan, &Stage::Foundation) {
        return None;
    }
    services::render(&mut root, &services);
    released::render(&mut root, None);
    outputs::hand_on_existing(&mut root);
    outputs::statements(&mut root, &Stage::Foundation);
    Some(root)
}

fn dashboard(root: &mut Root<'_>, planned: Planned<'_, Dashboard>) {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let block = resource("google_vertex_ai_tensorboard", &label)
        .attr("display_name", planned.name())
        .attr_opt("description", description(noun))
        .attr("region", root.place(&body.region))
        .attr_opt("labels", string_map(&body.labels))
        .block_opt(
            body.encryption_key
                .as_ref()
                .map(|key| Block::of("encryption_spec").attr("kms_key_name", key.value.as_str())),
        );
    let block = patch::apply(root, noun, "tensorboard", block);
    root.push(File::Dashboards, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    outputs::hand_on(root, Any::Dashboard(planned));
}

/// The region that `var.region` stands for: of the first noun that is made in one.
fn main_region(plan: Sound<'_>) -> Option<String> {
    // a multi-region such as `us` has no dash
    let region = |location: &&String| location.contains('-');
    let of = |it: Any<'_>| match it {
        Any::Registry(it) => Some(&it.body.location.value).filter(region).cloned(),
        Any::Dashboard(it) => Some(it.body.region.value.clone()),
        Any::VertexCluster(it) => Some(it.body.region.value.clone()),
        Any::Bucket(it) => Some(&it.body.location.value).filter(region).cloned(),
        Any::Image(it) => match &it.body.push_to.as_ref()?.value {
            PushTo::Registry { location, .. } => Some(location).filter(region).cloned(),
            PushTo::Noun(_) => None,
        },
        Any::Network(_)
        | Any::Filesystem(_)
        | Any::Identity(_)
        | Any::Reservation(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => None,
    };
    let network = plan.made::<Network>().map(|it| it.body.region.value.clone()).next();
    network.or_else(|| plan.nouns().filter(|it| !it.noun().existing).find_map(of))
}
