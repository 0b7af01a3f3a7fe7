//! How far apart the nodes of a pool are, as far as their labels tell, and who asks for it.

use super::deal::Dealt;
use super::gang::Extent;
use super::pool::class;
use super::program::nodes;
use super::slicing;
use crate::catalog::GpuDirect;
use crate::nouns::{
    Body, Capacity, Closeness, GkeCluster, Kind, Kueue, Level, OfNodes, Pool, Queue, Ref,
    Topologies,
};
use crate::plan::names::mark;
use crate::plan::{Amounts, Levels, Nearness, PlacementPlan, Plan, PoolPlan, Selection, Together};
use crate::{Noun, NounId};
use slipform_source::Spanned;
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
        let wide = |level: Level| match level {
            Level::Block | Level::Subblock | Level::Host => true,
            Level::NodePool | Level::Node => false,
        };
        *placed.entry(pool.cluster.id()).or_default() |= topology.levels().any(wide);
    }
    // slices that are joined and cut are chosen by Kueue
    let pools = plan.model.queues().flat_map(|(_, queue)| &queue.pools);
    for pool in pools.filter_map(|pool| plan.pool(pool.value)).filter(|it| it.slicing.is_some()) {
        placed.entry(pool.cluster.id()).or_default();
    }
    for (noun, cluster) in plan.model.gke_clusters() {
        if !noun.existing && !placed.contains_key(&noun.id) && by_itself(plan, noun, cluster) {
            placed.insert(noun.id, true);
        }
    }
    placed
}

/// Whether Kueue places the pods of a cluster though nobody asks for it: one of its queues has GPUs whose nodes tell where they stand, and
/// nothing of the cluster would be lost by it. Nodes that come for pods that wait are not there to be chosen, whole slices of TPUs have a
/// node pool each, domains and checkpoints in memory are JobSet's, and nodes that may not tell where they stand would get no pod.
fn by_itself(plan: &Plan, noun: &Noun, cluster: &GkeCluster) -> bool {
    let asked = |it: &Spanned<Kueue>| {
        let Kueue::Kueue { topology, .. } = &it.value;
        topology.set() == Some(&Topologies::Asked)
    };
    let here = |id: NounId| plan.pool(id).filter(|pool| pool.cluster.id() == noun.id);
    let queues = plan.model.queues().filter(|(it, _)| it.parent == Some(noun.id) && !it.existing);
    let queued: Vec<NounId> =
        queues.flat_map(|(_, it)| &it.pools).map(|it| it.value.id()).collect();
    let comes_and_goes = |id: NounId| {
        let queued = |pool: &Pool| matches!(pool.capacity.value, Capacity::Queued { .. });
        let body = plan.model.get(id).and_then(|it| Pool::of(&it.body));
        here(id).is_some_and(|pool| pool.elastic) && !body.is_some_and(queued)
    };
    let sliced = |id: NounId| here(id).is_some_and(|pool| pool.slice.is_some());
    let unlike = |id: NounId| comes_and_goes(id) || sliced(id);
    let mut ran_on = nodes(plan).filter(|(_, own)| here(own.place.value.id()).is_some());
    let kept = |id: NounId| plan.program(id).is_some_and(|it| it.keeps_checkpoints());
    let free = ran_on
        .all(|(noun, own)| own.domain.is_none() && !kept(noun.id) && !unlike(own.place.value.id()));
    free && !cluster.kueue.as_ref().is_some_and(asked)
        && !queued.iter().any(|id| unlike(*id) || may_not_tell(plan, *id))
        && queued.iter().any(|id| stands_close(plan, *id))
}

/// GPUs of a reservation that may be dense or not: without labels of their block Kueue gives their nodes nothing. They are so whatever their
/// neighbours are, whose flavors are not theirs to change.
fn may_not_tell(plan: &Plan, id: NounId) -> bool {
    let Some(pool) = plan.pool(id) else { return false };
    pool.reservation.is_some() && pool.machine.accelerator.is_some() && !stands_close(plan, id)
}

/// GPUs whose nodes have labels of their block for certain: of a placement policy, or of a family that is reserved densely and in no other
/// way.
fn stands_close(plan: &Plan, id: NounId) -> bool {
    let Some(pool) = plan.pool(id) else { return false };
    let placed = pool.placement != PlacementPlan::Spread;
    let dense = pool.reservation.is_some() && pool.machine.network.gpudirect == GpuDirect::Rdma;
    let made = plan.model.get(id).is_some_and(|noun| !noun.existing);
    made && pool.machine.accelerator.is_some() && (placed || dense)
}

/// What a gang of several nodes has by itself where Kueue places it: as close as there is room. Of machines with NVLink between nodes, one
/// domain of that where all of them, or those of a slice, have room in one.
pub(crate) fn usual(plan: &Plan, selection: &Selection, extent: Extent) -> Option<Nearness> {
    let known = &plan.model.catalog.kubernetes().labels;
    let mut pools = selection.pools.iter().map(|pool| plan.pool(*pool));
    let tells = |pool: &Ref<Pool>, level: Level| {
        let levels = levels(plan, pool.id());
        levels.is_some_and(|it| it.labels.iter().any(|label| label == level.label(known)))
    };
    let all = |level: Level| selection.pools.iter().all(|pool| tells(pool, level));
    let nodes = extent.nodes;
    if nodes < 2 || !all(Level::Host) {
        return None;
    }
    let domain = pools.try_fold(i64::MAX, |least, pool| {
        Some(least.min(i64::from(pool?.machine.placement.nvlink_domain_nodes?)))
    });
    let layer = (Level::Subblock, extent.nodes_per_slice);
    let (all, layers) = match domain {
        Some(room) if nodes <= room => (Together::Required(Level::Subblock), Vec::new()),
        Some(room) if extent.slices > 1 && extent.nodes_per_slice <= room => {
            (Together::Preferred(Level::Block), vec![layer])
        }
        _ => (Together::Preferred(Level::Host), Vec::new()),
    };
    Some(Nearness { all, layers })
}

/// The levels that nodes of a pool have labels for.
pub(crate) fn levels(plan: &Plan, pool: NounId) -> Option<Levels> {
    if let Some(levels) = slicing::levels(plan, pool) {
        return Some(levels);
    }
    let known = &plan.model.catalog.kubernetes().topology_levels;
    let (name, labels) = match kind(plan, pool)? {
        Known::Pools => ("gke-nodes", &known.nodes),
        Known::Blocks => ("gke-default", &known.default),
        Known::Domains => ("gke-nvl72", &known.nvl72),
    };
    Some(Levels { name: name.to_owned(), labels: labels.clone() })
}

/// The levels of all queues that one hands on to, where each of them places pods; nothing where one does not. Kueue lets no workload in that asks for
/// a level which the flavor does not have where it is submitted; which nodes it gets is decided where it runs.
pub(crate) fn handed(plan: &Plan, queue: &Queue, dealt: &Dealt) -> Option<Levels> {
    let mut found: Vec<Levels> = Vec::new();
    for worker in &queue.workers {
        let cluster = plan.model.get(worker.value.id())?.parent?;
        plan.placed.get(&cluster)?;
        for pool in dealt.pools(worker.value.id()) {
            let levels = levels(plan, *pool)?;
            if !found.contains(&levels) {
                found.push(levels);
            }
        }
    }
    let all = found.iter().fold(Vec::new(), |all, it| merged(all, &it.labels));
    let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
    let name = match names.as_slice() {
        [] => return None,
        [one] => (*one).to_owned(),
        _ => format!("gke-handed-{}", mark(&all.join(","))),
    };
    Some(Levels { name, labels: all })
}

/// Levels of both, each before the next one that they have in common.
fn merged(mut all: Vec<String>, more: &[String]) -> Vec<String> {
    for (at, label) in more.iter().enumerate() {
        if all.contains(label) {
            continue;
        }
        let mut behind = more.iter().skip(at);
        let before = behind.find_map(|next| all.iter().position(|it| it == next));
        all.insert(before.unwrap_or(all.len()), label.clone());
    }
    all
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
    let noun = plan.model.get(id)?;
    let Body::Pool(body) = &noun.body else { return None };
    let pool = plan.pools.get(&id)?;
    let reserved = match body.capacity.value {
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => true,
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. } => false,
    };
    let close = reserved || pool.placement != PlacementPlan::Spread;
    let asked = plan.placed.get(&pool.cluster.id()).copied().unwrap_or(true);
    // GKE chooses among pools of a class by what is to be had, and not by where it stands
    let chosen = class(plan, noun).is_some();
    Some(match () {
        () if chosen => Known::Pools,
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
pub(crate) fn nearness(
    own: &OfNodes<'_>,
    extent: Extent,
    whole_slices: bool,
    placed: bool,
) -> Option<Nearness> {
    let pool = Level::NodePool;
    let Some(said) = own.topology else {
        let layers = vec![(pool, extent.nodes_per_slice)];
        return (whole_slices && placed)
            .then_some(Nearness { all: Together::Preferred(pool), layers });
    };
    let mut layers: Vec<(Level, i64)> = said.each().collect();
    let slices = said.slices().or(whole_slices.then_some(pool));
    let named = |level: &Level| layers.iter().any(|(other, _)| other == level);
    layers.extend(slices.filter(|it| !named(it)).map(|level| (level, extent.nodes_per_slice)));
    layers.sort();
    let all = match said {
        Closeness::Required { level, .. } => Together::Required(*level),
        Closeness::Preferred { level, .. } => Together::Preferred(*level),
        // Kueue looks for room on single nodes then, and for none that is wider
        Closeness::Anywhere if layers.is_empty() => Together::Anywhere,
        Closeness::Anywhere | Closeness::Grouped { .. } => Together::Apart,
    };
    Some(Nearness { all, layers })
}
