//! Node pools: one for the cluster itself, one for each pool, one for each slice of a pool of TPU slices.
//!
//! A pool that slices make is always repeated over a map, so that a second slice does not replace the first.

use super::capacity::{self, Size};
use super::cluster::{CLUSTER, Cluster};
use super::data_networks::interfaces;
use super::labels::Labels;
use super::names::with_suffix;
use super::node_config;
use super::root::{Feature, File, Root, depends_on, resource};
use super::{patch, upgrades};
use crate::document::hcl::{Block, Expr};
use slipform_model::catalog::MachineKind;
use slipform_model::nouns::Pool;
use slipform_model::plan::{Limit, PlacementPlan, PoolPlan, SystemPool};
use slipform_model::{Noun, NounId};
use std::collections::BTreeMap;

/// A policy of ours: large machines take their time, and capacity longer.
const PATIENCE: &str = "2h";

/// The labels of the resources of node pools.
pub(super) struct PoolNames {
    pools: BTreeMap<NounId, String>,
    system: &'static str,
}

impl PoolNames {
    /// Labels for the pools of a cluster, and one for the pool that none of them is.
    pub(super) fn new(labels: &Labels<'_>, cluster: &Cluster<'_>) -> Self {
        let pools: BTreeMap<_, _> = cluster
            .pools
            .iter()
            .map(|(noun, _, _)| (noun.id, labels.of(noun.id).to_owned()))
            .collect();
        let taken = |name: &str| {
            pools.values().any(|label| label == name)
                || cluster
                    .pools
                    .iter()
                    .any(|(_, _, pool)| pool.node_pools.iter().any(|made| made.name == name))
        };
        let system = ["system", "cluster-system"].into_iter().find(|name| !taken(name));
        Self { pools, system: system.unwrap_or("slipform-system") }
    }

    fn of(&self, id: NounId) -> &str {
        self.pools.get(&id).map_or("pool", String::as_str)
    }

    fn system_label(&self) -> String {
        self.system.replace('-', "_")
    }

    /// What pools with accelerators are made after: GKE taints them by itself only if others are there already.
    fn first(&self, cluster: &Cluster<'_>) -> Vec<String> {
        let address = |label: &str| format!("google_container_node_pool.{label}");
        if cluster.plan.system.is_some() {
            return vec![address(&self.system_label())];
        }
        let plain =
            cluster.pools.iter().filter(|(_, _, pool)| pool.machine.kind == MachineKind::Cpu);
        plain.map(|(noun, _, _)| address(self.of(noun.id))).collect()
    }
}

/// The node pools of a cluster.
pub(super) fn render(root: &mut Root<'_>, cluster: &Cluster<'_>, names: &PoolNames) {
    if let Some(pool) = &cluster.plan.system {
        let system = system_pool(root, cluster, pool, names);
        let system = patch::apply(root, cluster.noun, patch::SYSTEM, system);
        root.push(File::NodePools, cluster.noun, system);
    }
    let first = names.first(cluster);
    for (noun, pool, plan) in &cluster.pools {
        let label = names.of(noun.id);
        if is_repeated(plan) {
            root.push(File::NodePools, noun, slices(label, plan));
        }
        if let Some(moved) = moved(label, plan) {
            root.push(File::NodePools, noun, moved);
        }
        if let PlacementPlan::WorkloadPolicy(topology) = &plan.placement {
            let policy = workload_policy(root, cluster, noun, label, plan, topology);
            root.push(File::NodePools, noun, policy);
        }
        for (label, input) in fixed(root, label, plan) {
            let block = resource("terraform_data", &label).attr("input", input);
            root.push(File::NodePools, noun, block);
        }
        let block = node_pool(root, cluster, noun, pool, plan, label);
        let block = patch::apply(root, noun, "node_pool", block);
        let after = if plan.machine.kind == MachineKind::Cpu { Vec::new() } else { first.clone() };
        root.push(File::NodePools, noun, depends_on(block, after));
    }
}

fn system_pool(
    root: &Root<'_>,
    cluster: &Cluster<'_>,
    pool: &SystemPool,
    names: &PoolNames,
) -> Block {
    resource("google_container_node_pool", &names.system_label())
        .attr("name", names.system)
        .attr("cluster", Expr::reference(format!("{CLUSTER}.id")))
        .attr("location", root.place(&cluster.plan.location))
        .block(capacity::total(pool.nodes.0, pool.nodes.1, "BALANCED"))
        .block(upgrades::management_of_system())
        .block(node_config::plain(root.plan.catalog(), cluster, &pool.machine))
        .block(ignore_initial_count())
}

fn node_pool(
    root: &mut Root<'_>,
    cluster: &Cluster<'_>,
    noun: &Noun,
    pool: &Pool,
    plan: &PoolPlan,
    label: &str,
) -> Block {
    let name = match plan.node_pools.first() {
        _ if is_repeated(plan) => Expr::reference("each.value"),
        Some(made) => Expr::from(&made.name),
        None => Expr::from(&noun.outside.name),
    };
    let mut block = resource("google_container_node_pool", label);
    if is_repeated(plan) {
        block = block.attr("for_each", Expr::reference(format!("local.{label}_slices"))).gap();
    }
    block = block
        .attr("name", name)
        .attr("cluster", Expr::reference(format!("{CLUSTER}.id")))
        .attr("location", root.place(&cluster.plan.location))
        .attr_opt(
            "node_locations",
            plan.zone.as_deref().map(|zone| Expr::list([root.place(zone)])),
        );
    let mut scaled = None;
    match Size::of(cluster, plan) {
        Size::Fixed(nodes) => block = block.attr("node_count", nodes),
        Size::Scaled(autoscaling) => scaled = Some(autoscaling),
    }
    let fixed = fixed(root, label, plan).into_iter().map(|(label, _)| label);
    let lifecycle = lifecycle(scaled.is_some(), fixed.collect());
    let network = network_config(root, plan);
    let config = node_config::node_config(root, cluster, noun, pool, plan);
    let held = upgrades::held_version(root, plan);
    block
        .attr_opt("version", pool.version.as_ref().map(|version| version.value.as_str()))
        .attr("max_pods_per_node", plan.max_pods)
        .block_opt(scaled)
        .block_opt(capacity::in_node_pool(pool))
        .block(upgrades::management(pool, plan))
        .block_opt(upgrades::settings(pool, plan))
        .block_opt(held)
        .block_opt(placement(plan, label))
        .block(network)
        .block(config)
        .block(
            Block::of("timeouts")
                .attr("create", PATIENCE)
                .attr("update", PATIENCE)
                .attr("delete", PATIENCE),
        )
        .block_opt(lifecycle)
}

/// The slices of a pool: the key in Terraform and the name in the cloud.
fn slices(label: &str, plan: &PoolPlan) -> Block {
    let names = plan.node_pools.iter().map(|made| (made.key.clone(), Expr::from(&made.name)));
    Block::of("locals").attr(format!("{label}_slices"), Expr::object(names))
}

/// Whether one resource makes several node pools, now or once there are more slices.
fn is_repeated(plan: &PoolPlan) -> bool {
    let of_slices = matches!(plan.placement, PlacementPlan::WorkloadPolicy(_));
    plan.slice.is_some() || of_slices || plan.node_pools.len() > 1
}

/// The node pool that was there before there were several keeps its nodes.
fn moved(label: &str, plan: &PoolPlan) -> Option<Block> {
    let was_one = plan.slice.is_none() && plan.node_pools.len() > 1;
    let first = plan.node_pools.first().filter(|_| was_one)?;
    let pool = || Expr::reference(format!("google_container_node_pool.{label}"));
    Some(Block::of("moved").attr("from", pool()).attr("to", pool().index(first.key.as_str())))
}

/// What GKE cannot change under nodes, though the provider would try: another shape replaces the pool.
fn shape(root: &Root<'_>, plan: &PoolPlan) -> Option<Expr> {
    let slice = plan.slice.as_ref().filter(|slice| !slice.single_host);
    let topology = match (&plan.placement, slice) {
        (_, Some(slice)) => Some(slice.topology.to_string()),
        (PlacementPlan::WorkloadPolicy(topology), None) => Some(topology.clone()),
        _ => None,
    };
    let of_a_zone = topology.is_some() || plan.data_networks.iter().any(|network| network.rdma);
    let zone = plan.zone.as_deref().filter(|_| of_a_zone).map(|zone| root.place(zone));
    let machine = topology.is_some().then(|| Expr::from(&plan.machine.name));
    let fields = [("machine", machine), ("topology", topology.map(Expr::from)), ("zone", zone)];
    let fields: Vec<_> =
        fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    (!fields.is_empty()).then(|| Expr::object(fields))
}

/// What replaces a pool where it is another, with the labels of the blocks that hold it.
fn fixed(root: &Root<'_>, label: &str, plan: &PoolPlan) -> Vec<(String, Expr)> {
    let shape = shape(root, plan).map(|shape| (format!("{label}_shape"), shape));
    let networks = networks(plan).map(|networks| (format!("{label}_networks"), networks));
    shape.into_iter().chain(networks).collect()
}

/// The networks that a pool has beside the first, also where it has none: what the provider reads of a pool that says none any more is what it
/// was, so that the pool would stay on networks that are destroyed under it. Processors alone are on no other network, but for those with RDMA.
/// A block of its own: the pool that stands is replaced when it changes, not when it is new.
fn networks(plan: &PoolPlan) -> Option<Expr> {
    let machine = &plan.machine;
    let never = machine.kind == MachineKind::Cpu && machine.network.network_profile.is_none();
    let names = plan.data_networks.iter().map(|network| Expr::from(&network.subnet));
    (!never || !plan.data_networks.is_empty()).then(|| Expr::list(names))
}

/// GKE writes the number that a pool began with back into it.
fn ignore_initial_count() -> Block {
    Block::of("lifecycle").attr("ignore_changes", [Expr::reference("initial_node_count")])
}

fn lifecycle(scaled: bool, fixed: Vec<String>) -> Option<Block> {
    let block = if scaled { ignore_initial_count() } else { Block::of("lifecycle") };
    let triggers = fixed.iter().map(|label| Expr::reference(format!("terraform_data.{label}")));
    let triggers = (!fixed.is_empty()).then(|| Expr::list(triggers));
    (scaled || triggers.is_some()).then(|| block.attr_opt("replace_triggered_by", triggers))
}

fn placement(plan: &PoolPlan, label: &str) -> Option<Block> {
    // what nodes are joined to is not known when they are made
    let fixed = plan.slicing.as_ref().is_none_or(|it| it.whole.is_none());
    let slice = plan.slice.as_ref().filter(|slice| fixed && !slice.single_host);
    let topology = slice.map(|slice| slice.topology.to_string());
    let block = Block::of("placement_policy");
    match (&plan.placement, topology) {
        (PlacementPlan::WorkloadPolicy(_), topology) => {
            let policy = Expr::reference(format!("google_compute_resource_policy.{label}.name"));
            // with a workload policy the API keeps no type, and a type here would replace the pool at every apply
            Some(
                block
                    .attr("type", "")
                    .attr("policy_name", policy)
                    .attr_opt("tpu_topology", topology),
            )
        }
        (PlacementPlan::Named { policy, workload }, topology) => Some(
            block
                .attr("type", if *workload { "" } else { "COMPACT" })
                .attr("policy_name", policy)
                .attr_opt("tpu_topology", topology),
        ),
        (_, Some(topology)) => Some(block.attr("type", "COMPACT").attr("tpu_topology", topology)),
        (PlacementPlan::Compact, None) => Some(block.attr("type", "COMPACT")),
        (PlacementPlan::Spread, None) => None,
    }
}

fn workload_policy(
    root: &Root<'_>,
    cluster: &Cluster<'_>,
    noun: &Noun,
    label: &str,
    plan: &PoolPlan,
    topology: &str,
) -> Block {
    // not the name of a node pool, which changes with the number of slices
    let base = format!(
        "{}-{}",
        cluster.plan.name,
        noun.outside.name.replace('_', "-").to_ascii_lowercase()
    );
    let name = with_suffix(root.plan.catalog(), &base, "policy", Limit::ResourcePolicy);
    let usual = &root.plan.catalog().kubernetes().slice_policy;
    let kind = plan.machine.placement.policy.as_ref().unwrap_or(usual);
    resource("google_compute_resource_policy", label)
        .attr("name", name)
        .attr("region", Expr::reference("var.region"))
        .block(
            Block::of("workload_policy").attr("type", kind).attr("accelerator_topology", topology),
        )
}

fn network_config(root: &mut Root<'_>, plan: &PoolPlan) -> Block {
    let mut block = Block::of("network_config").attr("enable_private_nodes", true);
    // networks that GKE itself makes
    if plan.claims_interfaces {
        root.needs(Feature::AcceleratorProfile);
        block = block.attr("accelerator_network_profile", "auto");
    }
    block.blocks(interfaces(&plan.data_networks).map(|interface| {
        Block::of("additional_node_network_configs")
            .attr("network", interface.network)
            .attr("subnetwork", interface.subnet)
    }))
}
