//! Plain machines of Compute Engine: a template, the managed group that makes machines of it, and the policy that puts them close
//! together, in a root of their own. Where commands make the machines there is no group, and where they are lent its size is what scripts ask
//! for: a request is an act and no state, since it is used up, and would be made again once Compute Engine has forgotten it.
//!
//! A template cannot change: where it would, another one takes its place, and the group makes machines of that from then on. Those that
//! run stay as they are (`OPPORTUNISTIC`): whoever works on them says when they are made anew, which the page of the output tells how.

use super::data_networks;
use super::labels::Labels;
use super::names::with_suffix;
use super::node_config::CLOUD_PLATFORM;
use super::outputs::{self, OutputBlock};
use super::root::{Feature, File, Root, description, resource, string_map};
use super::{identity, network, patch};
use crate::Stage;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::Noun;
use slipform_model::catalog::GpuDirect;
use slipform_model::nouns::{BootImage, Capacity, Machines};
use slipform_model::plan::{
    Any, Boot, Limit, MachinesPlan, Maker, PlacementPlan, Planned, Sound, fitted,
};

/// The most characters of a template's prefix that the provider puts a mark of full length behind.
const PREFIX: usize = 37;

/// The root of the machines.
pub(super) fn render<'p>(plan: Sound<'p>, planned: Planned<'p, Machines>) -> Root<'p> {
    let Planned { noun, body, plan: made, .. } = planned;
    let stage = Stage::Machines(planned.name().to_owned());
    let mut root =
        Root::new(plan, &stage, Some(made.region.clone()), Some(body.zone.value.clone()));
    network::look_up(&mut root, body.network.value);
    let account = body.identity.map(|identity| identity::look_up(&mut root, identity.value));
    data_networks::render(&mut root, &made.data_networks, |_| noun);
    if let Some(policy) = policy(&root, planned) {
        root.push(File::Machines, noun, policy);
    }
    let template = template(&mut root, planned, account);
    let template = patch::apply(&mut root, noun, "instance_template", template);
    root.push(File::Machines, noun, template);
    if made.maker.has_group() {
        let group = group(&mut root, planned);
        let group = patch::apply(&mut root, noun, "instance_group", group);
        root.push(File::Machines, noun, group);
        let name = Expr::reference(format!("{}.name", group_address(&root.labels, noun)));
        let told = format!("Name of the group of the machines {}.", noun.outside.path);
        root.output(OutputBlock::of(plan, noun, "name", told, name));
    }
    outputs::hand_on(&mut root, Any::Machines(planned));
    outputs::statements(&mut root, &stage);
    root
}

fn group_address(labels: &Labels<'_>, noun: &Noun) -> String {
    format!("google_compute_instance_group_manager.{}", labels.of(noun.id))
}

/// The policy that is made for the machines.
fn policy(root: &Root<'_>, planned: Planned<'_, Machines>) -> Option<Block> {
    let catalog = root.plan.catalog();
    let how = match &planned.plan.placement {
        PlacementPlan::Spread | PlacementPlan::Named { .. } => return None,
        // what is lent lies as its group says: no such request takes the other policy
        PlacementPlan::Compact if planned.plan.maker == Maker::Requests => {
            Block::of("workload_policy").attr("type", &catalog.kubernetes().slice_policy)
        }
        PlacementPlan::Compact => {
            Block::of("group_placement_policy").attr("collocation", "COLLOCATED")
        }
        PlacementPlan::WorkloadPolicy(topology) => {
            let usual = &catalog.kubernetes().slice_policy;
            let kind = planned.plan.machine.placement.policy.as_ref().unwrap_or(usual);
            Block::of("workload_policy").attr("type", kind).attr("accelerator_topology", topology)
        }
    };
    let name = with_suffix(catalog, planned.name(), "placement", Limit::ResourcePolicy);
    let block = resource("google_compute_resource_policy", &root.label(planned.noun.id))
        .attr("name", name)
        .attr("region", Expr::reference("var.region"));
    Some(block.block(how))
}

/// Where a policy is named: what it is, and whether that is in the group, as workload policies are, or in the template.
fn named_policy(root: &Root<'_>, planned: Planned<'_, Machines>) -> Option<(Expr, bool)> {
    let label = root.label(planned.noun.id);
    let own = || Expr::reference(format!("google_compute_resource_policy.{label}.id"));
    match &planned.plan.placement {
        PlacementPlan::Spread => None,
        PlacementPlan::Compact => Some((own(), planned.plan.maker == Maker::Requests)),
        PlacementPlan::WorkloadPolicy(_) => Some((own(), true)),
        PlacementPlan::Named { policy, workload } => {
            let path = Expr::template([
                Part::from("projects/"),
                Part::from(Expr::reference("var.project_id")),
                Part::from("/regions/"),
                Part::from(Expr::reference("var.region")),
                Part::from(format!("/resourcePolicies/{policy}").as_str()),
            ]);
            Some((path, *workload))
        }
    }
}

fn template(root: &mut Root<'_>, planned: Planned<'_, Machines>, account: Option<String>) -> Block {
    let Planned { noun, body, plan, .. } = planned;
    let in_template = named_policy(root, planned).filter(|(_, in_group)| !in_group);
    let account = account.map(|account| {
        Block::of("service_account")
            .attr("email", Expr::reference(format!("{account}.email")))
            .attr("scopes", [CLOUD_PLATFORM])
    });
    resource("google_compute_instance_template", &root.label(noun.id))
        .attr("name_prefix", fitted(planned.name().to_owned(), PREFIX - 1) + "-")
        .attr_opt("description", description(noun))
        .attr("machine_type", &plan.machine.name)
        .attr_opt("labels", string_map(&body.labels))
        .attr("metadata", metadata(body))
        .attr_opt("resource_policies", in_template.map(|(policy, _)| Expr::list([policy])))
        .block_opt(body.threads_per_core.set().map(|threads| {
            Block::of("advanced_machine_features").attr("threads_per_core", threads.value)
        }))
        .block_opt(body.tier_1.then(|| {
            Block::of("network_performance_config").attr("total_egress_bandwidth_tier", "TIER_1")
        }))
        .block_opt(body.image.as_ref().map(|image| boot_disk(root, image, body, plan)))
        .blocks(interfaces(root, body, plan))
        .block(scheduling(root, body, plan))
        .block_opt(reservation(root, body, plan))
        .block_opt(account)
        .block(Block::of("lifecycle").attr("create_before_destroy", true))
}

fn metadata(body: &Machines) -> Expr {
    let login = if body.os_login { "TRUE" } else { "FALSE" };
    let startup = body.startup.as_ref().map(|script| ("startup-script", Expr::from(script)));
    Expr::object([("enable-oslogin", Expr::from(login))].into_iter().chain(startup))
}

fn boot_disk(root: &Root<'_>, image: &BootImage, body: &Machines, plan: &MachinesPlan) -> Block {
    let project =
        image.project().map_or_else(|| Part::from(Expr::reference("var.project_id")), Part::from);
    let path = match root.plan.boot(image) {
        Boot::Family(name) => format!("/global/images/family/{name}"),
        Boot::Image(name) => format!("/global/images/{name}"),
    };
    let image = Expr::template([Part::from("projects/"), project, Part::from(path.as_str())]);
    Block::of("disk")
        .attr("boot", true)
        .attr("auto_delete", true)
        .attr("source_image", image)
        .attr("disk_type", plan.disk.as_str())
        .attr("disk_size_gb", body.disk.gib())
}

/// The first interface, which alone may have a public address, and one on each data network.
fn interfaces(root: &Root<'_>, body: &Machines, plan: &MachinesPlan) -> Vec<Block> {
    let label = root.label(body.network.value);
    let looked_up = |what: &str| Expr::reference(format!("data.google_compute_{what}.{label}.id"));
    let interface = |network: Expr, subnet: Expr, kind: Option<&str>| {
        Block::of("network_interface")
            .attr("network", network)
            .attr("subnetwork", subnet)
            .attr_opt("nic_type", kind)
    };
    // cards of accelerators are Google's own, or NVIDIA's; Tier_1 networking is had over the first of these alone
    let card = (body.tier_1 || plan.machine.accelerator.is_some()).then_some("GVNIC");
    let network = &plan.machine.network;
    let of_card = network.nic_type.as_deref().filter(|_| network.has_rdma_card());
    let rdma = of_card.unwrap_or("MRDMA");
    let first = interface(looked_up("network"), looked_up("subnetwork"), card)
        .block_opt(body.public.then(|| Block::of("access_config")));
    let others = data_networks::interfaces(&plan.data_networks).zip(&plan.data_networks);
    let others = others.map(|(at, network)| {
        let kind = if network.rdma { Some(rdma) } else { card };
        interface(at.network, at.subnet, kind)
    });
    std::iter::once(first).chain(others).collect()
}

/// What becomes of a machine that cannot stay where it is.
fn scheduling(root: &mut Root<'_>, body: &Machines, plan: &MachinesPlan) -> Block {
    let maintained = if plan.migrates { "MIGRATE" } else { "TERMINATE" };
    let block = |model: &str| {
        Block::of("scheduling")
            .attr("provisioning_model", model)
            .attr("on_host_maintenance", maintained)
    };
    // machines with RDMA are reserved densely, and bound to what is reserved
    let dense =
        plan.machine.accelerator.is_some() && plan.machine.network.gpudirect == GpuDirect::Rdma;
    match body.capacity.value {
        Capacity::Reservation { .. } if dense => bound(root, &block),
        Capacity::OnDemand | Capacity::Reservation { .. } | Capacity::AnyReservation => {
            block("STANDARD").attr("automatic_restart", true)
        }
        // stopped, a machine keeps its boot disk
        Capacity::Spot => block("SPOT")
            .attr("preemptible", true)
            .attr("automatic_restart", false)
            .attr("instance_termination_action", "STOP"),
        Capacity::Calendar { .. } => bound(root, &block),
        Capacity::FlexStart { max } | Capacity::Queued { max, .. } => {
            root.needs(Feature::ProvisioningModels);
            block("FLEX_START")
                .attr("automatic_restart", false)
                .attr("instance_termination_action", "DELETE")
                .block(Block::of("max_run_duration").attr("seconds", max.0))
        }
    }
}

/// Of machines that are there as long as what they are reserved by.
fn bound(root: &mut Root<'_>, block: &dyn Fn(&str) -> Block) -> Block {
    root.needs(Feature::ProvisioningModels);
    block("RESERVATION_BOUND")
        .attr("automatic_restart", true)
        .attr("instance_termination_action", "STOP")
}

fn reservation(root: &Root<'_>, body: &Machines, plan: &MachinesPlan) -> Option<Block> {
    match &body.capacity.value {
        Capacity::OnDemand => None,
        Capacity::AnyReservation => {
            Some(Block::of("reservation_affinity").attr("type", "ANY_RESERVATION"))
        }
        Capacity::Spot | Capacity::FlexStart { .. } | Capacity::Queued { .. } => {
            Some(Block::of("reservation_affinity").attr("type", "NO_RESERVATION"))
        }
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => {
            let key = &root.plan.catalog().limits().gke.reservation_key;
            let path = plan.reservation.as_ref()?;
            let one = Block::of("specific_reservation")
                .attr("key", key)
                .attr("values", Expr::list([path.as_str()]));
            let affinity =
                Block::of("reservation_affinity").attr("type", "SPECIFIC_RESERVATION").block(one);
            Some(affinity)
        }
    }
}

fn group(root: &mut Root<'_>, planned: Planned<'_, Machines>) -> Block {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let template = Expr::reference(format!("google_compute_instance_template.{label}.id"));
    let in_group = named_policy(root, planned).filter(|(_, in_group)| *in_group);
    let policy =
        in_group.map(|(policy, _)| Block::of("resource_policies").attr("workload_policy", policy));
    let requested = planned.plan.maker == Maker::Requests;
    // what is lent ends, and is not there again
    let failing = requested.then(|| {
        Block::of("instance_lifecycle_policy").attr("default_action_on_failure", "DO_NOTHING")
    });
    let update = Block::of("update_policy")
        .attr("type", "OPPORTUNISTIC")
        .attr("minimal_action", "REPLACE")
        .attr("replacement_method", "RECREATE")
        .attr("max_surge_fixed", 0)
        .attr("max_unavailable_fixed", body.nodes.value);
    resource("google_compute_instance_group_manager", &label)
        .attr("name", planned.name())
        .attr_opt("description", description(noun))
        .attr("zone", Expr::reference("var.zone"))
        .attr("base_instance_name", planned.name())
        .attr_opt("target_size", (!requested).then_some(body.nodes.value))
        .block_opt(failing)
        .block(Block::of("version").attr("instance_template", template))
        .block(update)
        .block_opt(policy)
}
