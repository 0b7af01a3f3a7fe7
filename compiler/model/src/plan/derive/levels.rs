//! How far apart the nodes of a pool are, as far as their labels tell, and who asks for it.

use super::program::nodes;
use crate::NounId;
use crate::nouns::{Body, Capacity, Closeness, Level, OfNodes};
use crate::plan::{Amounts, Levels, PlacementPlan, Plan, PoolPlan};
use std::collections::BTreeMap;

/// All levels, widest first.
const ALL: [Level; 5] = [Level::Block, Level::Subblock, Level::NodePool, Level::Host, Level::Node];

/// The clusters whose pods Kueue places, since one of their workloads asks for that, and whether one asks for more than node pools tell.
/// A flavor with levels takes no pod without them, so that all flavors of a cluster have some, or none has.
pub(crate) fn placed(plan: &Plan) -> BTreeMap<NounId, bool> {
    let mut placed = BTreeMap::new();
    for (_, own) in nodes(plan) {
        let (Some(topology), Some(pool)) = (own.topology, plan.pool(own.place.value)) else {
            continue;
        };
        let (Closeness::Required { level, slices } | Closeness::Preferred { level, slices }) =
            topology;
        let wide = |level: Level| match level {
            Level::Block | Level::Subblock | Level::Host => true,
            Level::NodePool | Level::Node => false,
        };
        *placed.entry(pool.cluster.id()).or_default() |= wide(level) || slices.is_some_and(wide);
    }
    placed
}

/// The levels that nodes of a pool have labels for.
pub(crate) fn levels(plan: &Plan, pool: NounId) -> Option<Levels> {
    let known = &plan.model.catalog.kubernetes().topology_levels;
    let (name, labels) = match kind(plan, pool)? {
        Known::Pools => ("gke-nodes", &known.nodes),
        Known::Blocks => ("gke-default", &known.default),
        Known::Domains => ("gke-nvl72", &known.nvl72),
    };
    Some(Levels { name: name.to_owned(), labels: labels.clone() })
}

/// Those that one can place by, as the language has them: a slice of several hosts is a node pool, and is not split.
pub(crate) fn level_words(plan: &Plan, pool: NounId) -> Option<Vec<Level>> {
    let labels = levels(plan, pool)?.labels;
    let known = &plan.model.catalog.kubernetes().labels;
    let slice = plan.pools.get(&pool).and_then(|pool| pool.slice.as_ref());
    let whole = slice.is_some_and(|slice| !slice.single_host);
    Some(
        ALL.into_iter()
            .filter(|level| !whole || *level <= Level::NodePool)
            .filter(|level| labels.iter().any(|label| label == level.label(known)))
            .collect(),
    )
}

/// What is known of where nodes stand.
enum Known {
    /// Their node pool.
    Pools,
    /// Their block and what is below it.
    Blocks,
    /// That, and the domain of NVLink between them.
    Domains,
}

/// Nodes tell where they stand if they stand close together, or in a reservation; those with NVLink between them, also the domain
/// of that. A node without a label of each level is none for Kueue, so nodes are asked for them only where someone places by them.
fn kind(plan: &Plan, id: NounId) -> Option<Known> {
    let Body::Pool(body) = &plan.model.get(id)?.body else { return None };
    let pool = plan.pools.get(&id)?;
    let reserved = match body.capacity.value {
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => true,
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. } => false,
    };
    let close = reserved || pool.placement != PlacementPlan::Spread;
    let asked = plan.placed.get(&pool.cluster.id()).copied().unwrap_or(true);
    Some(match () {
        () if !close || !asked || pool.machine.accelerator.is_none() => Known::Pools,
        () if pool.machine.network.multi_node_nvlink => Known::Domains,
        () => Known::Blocks,
    })
}

/// Pods like this that one domain of a level has room for, where that is known.
pub(crate) fn room(pool: &PoolPlan, level: Level, request: Amounts) -> Option<i64> {
    let on_one = pool.allocatable.holds(request).unwrap_or(i64::MAX);
    let nodes = match level {
        Level::Block => return None,
        Level::Subblock => i64::from(pool.machine.placement.nvlink_domain_nodes?),
        Level::NodePool => pool.max_nodes() / (pool.node_pools.len() as i64).max(1),
        Level::Host | Level::Node => 1,
    };
    Some(on_one.saturating_mul(nodes))
}

/// What is said, or what a gang of whole slices needs where Kueue places it: JobSet's own way of giving each slice a node pool would
/// send pods elsewhere than Kueue does. The nodes of a slice are in one pool in any case.
pub(crate) fn closeness(own: &OfNodes<'_>, whole_slices: bool, placed: bool) -> Option<Closeness> {
    let level = Level::NodePool;
    let by_itself = Closeness::Preferred { level, slices: None };
    let wanted = own.topology.or((whole_slices && placed).then_some(by_itself))?;
    Some(if whole_slices { wanted.with_slices(level) } else { wanted })
}
