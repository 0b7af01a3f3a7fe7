//! Queues: a flavor for each pool, and how a quota is dealt to them.

use crate::nouns::{Body, Capacity, Choice, Queue};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{Flavor, Plan, PoolPlan, QueuePlan};
use crate::{Noun, NounId};
use std::collections::BTreeMap;

pub(crate) fn queues(plan: &Plan) -> BTreeMap<NounId, QueuePlan> {
    plan.model
        .queues()
        .filter_map(|(noun, queue)| Some((noun.id, queue_plan(plan, noun, queue)?)))
        .collect()
}

fn queue_plan(plan: &Plan, noun: &Noun, queue: &Queue) -> Option<QueuePlan> {
    let cluster = noun.parent?;
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.name]));
    let mut flavors: Vec<Flavor> =
        queue.pools.iter().filter_map(|pool| flavor(plan, pool.value)).collect();
    if let Choice::Set(quota) = &queue.quota {
        deal(plan, &mut flavors, quota.value);
    }
    Some(QueuePlan { cluster, local: name.clone(), name, flavors })
}

/// A flavor that holds its whole pool.
fn flavor(plan: &Plan, id: NounId) -> Option<Flavor> {
    let (noun, pool) = (plan.model.get(id)?, plan.pool(id)?);
    let Body::Pool(body) = &noun.body else { return None };
    let queued = match body.capacity.value {
        Capacity::Queued { max } => Some(max),
        _ => None,
    };
    Some(Flavor {
        name: derived(&plan.model.catalog, Limit::Kueue, &[&noun.name]),
        pool: id,
        quota: whole(pool),
        queued,
    })
}

/// What all nodes of a pool offer: accelerators, or CPUs where there are none.
fn whole(pool: &PoolPlan) -> i64 {
    let each =
        if pool.resource.is_some() { pool.resource_count } else { i64::from(pool.machine.vcpus) };
    pool.max_nodes().saturating_mul(each)
}

/// Deals a quota of accelerators to the flavors, first choice first; what is more than all pools hold stays with the
/// last, so that the sum is what the blueprint says. CPUs are no part of it.
fn deal(plan: &Plan, flavors: &mut [Flavor], quota: i64) {
    let accelerated =
        |flavor: &&mut Flavor| plan.pool(flavor.pool).is_some_and(|pool| pool.resource.is_some());
    let mut left = quota.max(0);
    let mut last = None;
    for flavor in flavors.iter_mut().filter(accelerated) {
        flavor.quota = flavor.quota.min(left);
        left -= flavor.quota;
        last = Some(flavor);
    }
    if let Some(flavor) = last {
        flavor.quota = flavor.quota.saturating_add(left);
    }
}
