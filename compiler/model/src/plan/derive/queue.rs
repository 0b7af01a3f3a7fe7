//! Queues: a flavor for each pool, and how what the pools have is dealt to the queues.

use super::cohorts::{Cohorts, outermost};
use super::deal::{Trial, deal};
use super::levels::levels;
use crate::nouns::{Body, Capacity, Pool, Queue, Ref};
use crate::plan::names::{Limit, derived, mark, valid};
use crate::plan::{Flavor, Levels, Plan, QueuePlan};
use crate::{Duration, Noun, NounId};
use std::collections::BTreeMap;

/// What follows for each queue, one of them tried with another `quota`.
pub(crate) fn queues(plan: &Plan, trial: Option<Trial>) -> BTreeMap<NounId, QueuePlan> {
    let cohorts = Cohorts { plan, dealt: deal(plan, trial) };
    let queues = plan.model.queues();
    queues.filter_map(|(noun, queue)| Some((noun.id, queue_plan(&cohorts, noun, queue)?))).collect()
}

fn queue_plan(cohorts: &Cohorts<'_>, noun: &Noun, queue: &Queue) -> Option<QueuePlan> {
    let Cohorts { plan, dealt } = cohorts;
    let cluster = noun.parent?;
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.name]));
    let placed = plan.placed.contains_key(&cluster);
    let borrowed = cohorts.borrowed(noun, queue);
    let lent = cohorts.lent(noun.id, queue);
    let flavor = |pool: &NounId| {
        let quota = dealt.share(noun.id, *pool);
        let others = cohorts.offered(noun, *pool);
        let borrows = borrowed.get(pool).copied();
        let levels = placed.then(|| levels(plan, *pool)).flatten();
        Some(Flavor {
            name: flavor_name(plan, *pool, levels.as_ref())?,
            pool: Ref::to(*pool),
            levels,
            quota,
            lendable: quota.plus(borrows.map_or(others, |most| most.least(others))),
            lends: lent.get(pool).copied(),
            borrows,
            queued: queued(plan, *pool)?,
        })
    };
    Some(QueuePlan {
        cluster: Ref::to(cluster),
        local: queue.local_name.set().map_or_else(|| name.clone(), |it| it.value.clone()),
        name,
        flavors: dealt.pools(noun.id).iter().filter_map(flavor).collect(),
        undealt: dealt.undealt(noun.id),
        cohort: outermost(plan, noun),
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
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::FlexStart { .. }
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => None,
    })
}
