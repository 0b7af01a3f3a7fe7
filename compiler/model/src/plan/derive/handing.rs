//! Queues that hand on what they admit: what they hold is what the queues of the other clusters hold together.

use super::deal::Dealt;
use super::levels::handed;
use crate::NounId;
use crate::nouns::{Cohort, Queue};
use crate::plan::names::{Limit, fitted, mark};
use crate::plan::{Amounts, Handing, Plan, PoolPlan};
use std::collections::BTreeMap;

/// What the objects are called by which a queue hands on, and what it holds. A flavor with levels cannot be changed, so that its name
/// holds a mark of them.
pub(super) fn handing(plan: &Plan, queue: &Queue, name: &str, dealt: &Dealt) -> Handing {
    let (_, most) = Limit::Queue.bounds(&plan.model.catalog);
    let levels = handed(plan, queue, dealt);
    let flavor = match &levels {
        Some(levels) => format!("workers-{}", mark(&levels.labels.join(","))),
        None => "workers".to_owned(),
    };
    let shares = shares(plan, queue, dealt);
    let quota = shares.iter().fold(Amounts::NONE, |all, (_, share)| all.plus(*share));
    let mut devices: BTreeMap<String, i64> = BTreeMap::new();
    for (pool, share) in &shares {
        if let Some(resource) = &pool.resource {
            let held = devices.entry(resource.clone()).or_default();
            *held = held.saturating_add(share.devices);
        }
    }
    let with_nodes = |devices: i64| {
        let of_pools = shares.iter().map(|(pool, _)| with_nodes(pool, devices));
        Amounts { devices, ..of_pools.fold(Amounts::NONE, Amounts::most) }
    };
    let cohort = queue.cohort.as_ref();
    Handing {
        check: fitted(format!("{name}-workers"), most),
        flavor,
        levels,
        lends: cohort.and_then(Cohort::lend).map(|most| with_nodes(most).least(quota)),
        borrows: cohort.and_then(Cohort::borrow).map(with_nodes),
        quota,
        devices,
    }
}

/// What each queue that one hands on to holds of each of its pools.
fn shares<'p>(plan: &'p Plan, queue: &Queue, dealt: &Dealt) -> Vec<(&'p PoolPlan, Amounts)> {
    let workers: Vec<NounId> = queue.workers.iter().map(|it| it.value.id()).collect();
    let pools =
        workers.into_iter().flat_map(|id| dealt.pools(id).iter().map(move |pool| (id, *pool)));
    pools.filter_map(|(id, pool)| Some((plan.pool(pool)?, dealt.share(id, pool)))).collect()
}

/// So many devices with as much of a pool's nodes as belongs to them; of nodes without devices nothing does.
fn with_nodes(pool: &PoolPlan, devices: i64) -> Amounts {
    let node = pool.allocatable;
    if node.devices > 0 { node.part(devices, node.devices) } else { Amounts::NONE }
}
