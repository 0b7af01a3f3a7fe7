//! Slices that are joined and cut as workloads are admitted: which shapes they can have, and what Kueue is told of them.

use super::gang::Extent;
use super::program::nodes;
use crate::catalog::{Catalog, GkeVersion, Machine, Slicing};
use crate::nouns::{GkeCluster, Kind, Pool, Slicing as Said};
use crate::plan::{Cut, Levels, Plan, PoolPlan};
use crate::{NounId, Topology};

/// What the catalog knows of a generation.
pub(crate) fn of_machine<'a>(catalog: &'a Catalog, machine: &Machine) -> Option<&'a Slicing> {
    let tpu = machine.tpu.as_ref()?;
    catalog.kubernetes().slicing.iter().find(|it| it.generation == tpu.generation)
}

/// The same of a pool that says that its slices are joined and cut.
pub(crate) fn of_pool<'a>(
    catalog: &'a Catalog,
    pool: &Pool,
    machine: &Machine,
) -> Option<&'a Slicing> {
    match pool.slicing.value {
        Said::Fixed => None,
        Said::Dynamic => of_machine(catalog, machine),
    }
}

/// Shapes that a slice of a pool can have, the smallest first; none where its topology says what it is.
pub(crate) fn shapes(plan: &Plan, id: NounId) -> Option<Vec<Topology>> {
    let pool = plan.pool(id)?;
    let (Some(row), Some(slice)) = (&pool.slicing, &pool.slice) else { return Some(Vec::new()) };
    let on_machine =
        |it: &&crate::catalog::Slice| it.machine.as_deref() == Some(&pool.machine.name);
    let known = plan.model.catalog.slices(&row.generation).iter().filter(on_machine);
    let known = known.filter_map(|it| it.topology.parse::<Topology>().ok());
    let most = u64::try_from(pool.chips()).unwrap_or(0);
    let mut found: Vec<Topology> = known
        .filter(|shape| match row.whole.as_deref().and_then(|it| it.parse::<Topology>().ok()) {
            Some(whole) => {
                shape.chips() <= most && (is_joined(shape, &whole) || is_part(row, pool, shape))
            }
            None => lies_within(shape, &slice.topology) && is_part(row, pool, shape),
        })
        .collect();
    found.sort_by_key(Topology::chips);
    Some(found)
}

/// It is made of whole parts along each side.
fn is_joined(shape: &Topology, whole: &Topology) -> bool {
    let sides = shape.0.iter().zip(&whole.0);
    shape.0.len() == whole.0.len() && sides.into_iter().all(|(side, of)| side % of.max(&1) == 0)
}

/// Nodes have a label for it, or it is one of them.
fn is_part(row: &Slicing, pool: &PoolPlan, shape: &Topology) -> bool {
    is_node(pool, shape) || row.parts.contains(&shape.to_string())
}

fn is_node(pool: &PoolPlan, shape: &Topology) -> bool {
    i64::try_from(shape.chips()).is_ok_and(|chips| chips == pool.chips_per_node)
}

fn lies_within(shape: &Topology, around: &Topology) -> bool {
    let mut sides = shape.0.iter().zip(&around.0);
    shape.0.len() == around.0.len() && sides.all(|(side, most)| side <= most)
}

/// The levels that a queue chooses nodes of such a pool by. Those of parts that nobody asks for are left out, since a node without a
/// label of each level is none for Kueue, and releases of GKE that only join have no labels of parts.
pub(crate) fn levels(plan: &Plan, id: NounId) -> Option<Levels> {
    let pool = plan.pool(id)?;
    let (row, slice) = (pool.slicing.as_ref()?, pool.slice.as_ref()?);
    let keys = &plan.model.catalog.kubernetes().labels;
    let within = |part: &&String| {
        let shape = part.parse::<Topology>();
        shape.is_ok_and(|shape| lies_within(&shape, &slice.topology))
    };
    let parts = row.parts.iter().filter(within).map(|part| row.label_of(part));
    let (name, labels): (String, Vec<String>) = match &row.whole {
        Some(whole) => {
            let cut = is_cut(plan, pool, whole);
            let wide = [keys.topology_block.clone(), row.label_of(whole)];
            let kind = if cut { "parts" } else { "joined" };
            let name = format!("gke-slices-{}-{kind}", row.generation);
            (name, wide.into_iter().chain(parts.filter(|_| cut)).collect())
        }
        None => (format!("gke-slices-{}-{}", row.generation, slice.topology), parts.collect()),
    };
    let labels = labels.into_iter().chain([keys.hostname.clone()]).collect();
    Some(Levels { name, labels })
}

/// Whether somebody in the cluster asks for less than a whole part of several hosts.
fn is_cut(plan: &Plan, pool: &PoolPlan, whole: &str) -> bool {
    let whole = whole.parse::<Topology>().map_or(0, |whole| whole.chips());
    nodes(plan).any(|(_, own)| {
        let there = plan
            .pool(own.place.value)
            .is_some_and(|it| it.cluster == pool.cluster && it.slicing.is_some());
        there && own.shape.is_some_and(|shape| shape.chips() < whole && !is_node(pool, shape))
    })
}

/// What Kueue is told of the slices of a gang on such a pool.
pub(crate) fn cut(
    plan: &Plan,
    pool: &PoolPlan,
    said: Option<&Topology>,
    extent: Extent,
) -> Option<Cut> {
    let (row, slice) = (pool.slicing.as_ref()?, pool.slice.as_ref()?);
    let keys = &plan.model.catalog.kubernetes().labels;
    let shape = said.unwrap_or(&slice.topology).clone();
    let whole = row.whole.as_ref().filter(|_| shape.chips() >= slice.topology.chips());
    let healthy = |part: &str| Some((row.state_of(part)?, row.healthy.clone()));
    if let Some(whole) = whole {
        return Some(Cut {
            shape,
            required: Some(keys.topology_block.clone()),
            preferred: None,
            each: Some((row.label_of(whole), slice.hosts)),
            healthy: healthy(whole),
        });
    }
    let name = shape.to_string();
    let label = if is_node(pool, &shape) { keys.hostname.clone() } else { row.label_of(&name) };
    let widest = match row.whole {
        Some(_) => keys.topology_block.clone(),
        None => row.label_of(&slice.topology.to_string()),
    };
    let one = extent.slices == 1;
    Some(Cut {
        healthy: healthy(&name),
        shape,
        required: one.then(|| label.clone()),
        preferred: (!one).then_some(widest),
        each: (!one).then_some((label, extent.nodes_per_slice)),
    })
}

/// The oldest version of GKE that makes what workloads ask of a pool, where its cluster's is older.
pub(crate) fn slicing_version(plan: &Plan, id: NounId) -> Option<Option<String>> {
    let pool = plan.pool(id)?;
    let cluster = GkeCluster::of(&plan.model.get(pool.cluster)?.body)?;
    let (Some(row), Some(version)) = (&pool.slicing, &cluster.version) else { return Some(None) };
    let cut = row.whole.as_deref().is_some_and(|whole| is_cut(plan, pool, whole));
    let least = if cut { &row.cut_min } else { &row.joined_min };
    let older = |least: &&String| {
        let (own, least) = (GkeVersion::parse(version), GkeVersion::parse(least));
        matches!((own, least), (Some(own), Some(least)) if own < least)
    };
    Some(least.as_ref().filter(older).cloned())
}
