//! Queues: a flavor for each pool, and how what the pools have is dealt to the queues.

use super::deal::{Dealt, Trial, deal};
use super::levels::levels;
use crate::nouns::{Body, Capacity, Pool, Queue, Ref};
use crate::plan::names::{Limit, derived, mark, valid};
use crate::plan::{Amounts, Flavor, Levels, Plan, QueuePlan};
use crate::{Duration, Noun, NounId};
use std::collections::BTreeMap;

/// What follows for each queue, one of them tried with another `quota`.
pub(crate) fn queues(plan: &Plan, trial: Option<Trial>) -> BTreeMap<NounId, QueuePlan> {
    let dealt = deal(plan, trial);
    let queues = plan.model.queues();
    queues
        .filter_map(|(noun, queue)| Some((noun.id, queue_plan(plan, noun, queue, &dealt)?)))
        .collect()
}

fn queue_plan(plan: &Plan, noun: &Noun, queue: &Queue, dealt: &Dealt) -> Option<QueuePlan> {
    let cluster = noun.parent?;
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.name]));
    let placed = plan.placed.contains_key(&cluster);
    let flavor = |pool: &NounId| {
        let levels = placed.then(|| levels(plan, *pool)).flatten();
        Some(Flavor {
            name: flavor_name(plan, *pool, levels.as_ref())?,
            pool: Ref::to(*pool),
            levels,
            quota: dealt.share(noun.id, *pool),
            lendable: lendable(plan, cluster, noun.id, queue, *pool, dealt),
            queued: queued(plan, *pool)?,
        })
    };
    Some(QueuePlan {
        cluster: Ref::to(cluster),
        local: queue.local_name.set().map_or_else(|| name.clone(), |it| it.value.clone()),
        name,
        flavors: dealt.pools(noun.id).iter().filter_map(flavor).collect(),
        undealt: dealt.undealt(noun.id),
    })
}

/// A flavor with levels cannot be changed, so its name holds a mark of what it says.
fn flavor_name(plan: &Plan, pool: NounId, levels: Option<&Levels>) -> Option<String> {
    let name = &plan.model.get(pool)?.name;
    let own = plan.pool(Ref::<Pool>::to(pool))?;
    let says = |levels: &Levels| {
        let labels = own.selector.iter().map(|(key, value)| format!("{key}={value}"));
        let taints = own.taints.iter().map(|it| format!("{}={}", it.key, it.value));
        let all = levels.labels.iter().cloned().chain(labels).chain(taints);
        mark(&all.collect::<Vec<_>>().join(","))
    };
    let mark = levels.map(says);
    let parts = [Some(name.clone()), mark];
    let parts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
    Some(derived(&plan.model.catalog, Limit::Kueue, &parts))
}

fn queued(plan: &Plan, pool: NounId) -> Option<Option<Duration>> {
    let Body::Pool(body) = &plan.model.get(pool)?.body else { return None };
    Some(match body.capacity.value {
        Capacity::Queued { max } => Some(max),
        _ => None,
    })
}

/// What a queue and those that lend to it hold of a pool together.
fn lendable(
    plan: &Plan,
    cluster: NounId,
    id: NounId,
    queue: &Queue,
    pool: NounId,
    dealt: &Dealt,
) -> Amounts {
    let of_cohort = |noun: &Noun, other: &Queue| {
        noun.parent == Some(cluster) && other.cohort.is_some() && other.cohort == queue.cohort
    };
    let all = plan.model.queues().filter(|(noun, other)| noun.id == id || of_cohort(noun, other));
    all.fold(Amounts::NONE, |all, (noun, _)| all.plus(dealt.share(noun.id, pool)))
}
