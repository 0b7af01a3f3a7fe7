//! Reservations: machines that are paid for from the apply on, whether nodes take them or not.

use super::patch;
use super::root::{File, Root, depends_on, description, never_destroyed, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::Block;
use slipform_model::NounId;
use slipform_model::nouns::{Attached, Reservation, Reserved, VertexCluster};
use slipform_model::plan::Planned;

/// A reservation that only those take who name it: whatever else runs in the project would take of it otherwise.
pub(super) fn render(root: &mut Root<'_>, planned: Planned<'_, Reservation>) {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let policy = root.deletion_policy(body.deletion_protection);
    let block = resource("google_compute_reservation", &label)
        .attr("name", planned.name())
        .attr_opt("description", description(noun))
        .attr("zone", root.place(&body.zone))
        .attr("specific_reservation_required", true)
        .attr("deletion_policy", policy)
        .block(machines(root, body))
        .block(sharing(body))
        .block_opt(with_services(root, noun.id))
        .block_opt(body.deletion_protection.then(never_destroyed));
    let block = patch::apply(root, noun, "reservation", block);
    root.push(File::Reservations, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
}

fn machines(root: &Root<'_>, body: &Reservation) -> Block {
    let gpus = body.gpus.map(|it| {
        let Attached::Attached { gpu, count } = it.value;
        let known = root.plan.catalog().gpu(gpu.as_str());
        let kind = known.and_then(|gpu| gpu.gke_label.as_deref());
        Block::of("guest_accelerators")
            .attr_opt("accelerator_type", kind)
            .attr("accelerator_count", count)
    });
    let machine = root.plan.catalog().machine(&body.machine);
    let size = machine.map(|machine| machine.local_ssd.disk_gib);
    let disk = || Block::of("local_ssds").attr("interface", "NVME").attr_opt("disk_size_gb", size);
    let disks = (0..body.local_ssds.value).map(|_| disk());
    let properties = Block::of("instance_properties")
        .attr("machine_type", body.machine.value.as_str())
        .block_opt(gpus);
    let properties = disks.fold(properties, Block::block);
    Block::of("specific_reservation")
        .attr_opt("count", body.count.as_ref().map(|count| count.value))
        .block(properties)
}

/// Vertex AI, as each managed service, takes of one that is shared with them alone. Without a word it is shared with none.
fn with_services(root: &Root<'_>, reservation: NounId) -> Option<Block> {
    let takes = |it: Planned<'_, VertexCluster>| match it.body.capacity.value.reserved() {
        Some((Reserved::Reservation(it), _)) => it.id() == reservation,
        Some((Reserved::String(_), _)) | None => false,
    };
    let block = || Block::of("reservation_sharing_policy").attr("service_share_type", "ALLOW_ALL");
    root.plan.all::<VertexCluster>().any(takes).then(block)
}

/// Said also where nobody else takes of it: left out, it would stay shared as it was.
fn sharing(body: &Reservation) -> Block {
    let kind = if body.shared_with.is_empty() { "LOCAL" } else { "SPECIFIC_PROJECTS" };
    let project =
        |project: &str| Block::of("project_map").attr("id", project).attr("project_id", project);
    let projects = body.shared_with.iter().map(|it| project(&it.value));
    projects.fold(Block::of("share_settings").attr("share_type", kind), Block::block)
}
