//! How nodes are obtained, and how many: what each model of capacity asks of a node pool.

use super::cluster::Cluster;
use crate::document::hcl::{Block, Expr};
use slipform_model::catalog::Catalog;
use slipform_model::nouns::{Capacity, Pool};
use slipform_model::plan::PoolPlan;

/// What `node_config` says of the capacity.
pub(super) fn in_node_config(
    config: Block,
    catalog: &Catalog,
    pool: &Pool,
    plan: &PoolPlan,
) -> Block {
    match &pool.capacity.value {
        Capacity::OnDemand => config,
        Capacity::Spot => config.attr("spot", true).block(no_reservation()),
        Capacity::FlexStart { max } => config
            .attr("flex_start", true)
            .attr("max_run_duration", format!("{}s", max.0))
            .block(no_reservation()),
        Capacity::AnyReservation => config.block(affinity("ANY_RESERVATION")),
        // for how long is said by each request
        Capacity::Queued { .. } => config.attr("flex_start", true).block(no_reservation()),
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => {
            let key = &catalog.limits().gke.reservation_key;
            config.block_opt(plan.reservation.as_ref().map(|(_, path)| specific(key, path)))
        }
    }
}

/// What the node pool itself says of the capacity.
pub(super) fn in_node_pool(pool: &Pool) -> Option<Block> {
    match pool.capacity.value {
        Capacity::Queued { .. } => Some(Block::of("queued_provisioning").attr("enabled", true)),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => None,
    }
}

/// The number of nodes of one node pool.
pub(super) enum Size {
    /// `node_count`: exact, since the pool is in one zone.
    Fixed(i64),
    /// `autoscaling`.
    Scaled(Block),
}

impl Size {
    /// How a pool is sized.
    pub(super) fn of(cluster: &Cluster<'_>, plan: &PoolPlan) -> Self {
        let (least, most) = plan.nodes;
        let one_zone = plan.zone.is_some() || cluster.is_zonal();
        let slice_of_hosts = plan.slice.as_ref().is_some_and(|slice| !slice.single_host);
        match (plan.elastic, slice_of_hosts) {
            (false, _) if one_zone => Self::Fixed(most),
            // the autoscaler holds the number over all zones; a count would be of each zone
            (false, _) => Self::Scaled(total(most, most, "BALANCED")),
            // the size of a slice is checked against the limit of a zone, and it comes whole or not at all
            (true, true) => Self::Scaled(
                Block::of("autoscaling")
                    .attr("min_node_count", least)
                    .attr("max_node_count", most)
                    .attr("location_policy", "ANY"),
            ),
            (true, false) => Self::Scaled(total(
                least,
                most,
                if plan.chips_per_node > 0 { "ANY" } else { "BALANCED" },
            )),
        }
    }
}

/// Nodes over all zones.
pub(super) fn total(least: i64, most: i64, policy: &str) -> Block {
    Block::of("autoscaling")
        .attr("total_min_node_count", least)
        .attr("total_max_node_count", most)
        .attr("location_policy", policy)
}

fn no_reservation() -> Block {
    affinity("NO_RESERVATION")
}

fn affinity(kind: &str) -> Block {
    Block::of("reservation_affinity").attr("consume_reservation_type", kind)
}

fn specific(key: &str, path: &str) -> Block {
    affinity("SPECIFIC_RESERVATION").attr("key", key).attr("values", Expr::list([path]))
}
