//! Queues: a flavor for each pool, and how what the pools have is dealt to the queues.

use super::cohorts::{Cohorts, outermost};
use super::counted::counts;
use super::deal::{Trial, deal};
use super::handing::handing;
use super::levels::levels;
use super::said::limit;
use super::shortage::{Shortage, rival};
use crate::nouns::{Body, Capacity, Flavor as Flavored, Kind, Pool, Queue, Ref};
use crate::plan::names::{Limit, derived, mark, valid};
use crate::plan::{Amounts, Flavor, Levels, Overdraft, Plan, PoolPlan, QueuePlan, Queued};
use crate::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// What follows for each queue, one of them tried with another `quota`.
pub(crate) fn queues(plan: &Plan, trial: Option<Trial>) -> BTreeMap<NounId, QueuePlan> {
    let cohorts = Cohorts { plan, dealt: deal(plan, trial) };
    let queues = plan.model.queues();
    queues.filter_map(|(noun, queue)| Some((noun.id, queue_plan(&cohorts, noun, queue)?))).collect()
}

fn queue_plan(cohorts: &Cohorts<'_>, noun: &Noun, queue: &Queue) -> Option<QueuePlan> {
    let Cohorts { plan, dealt } = cohorts;
    let cluster = noun.parent?;
    let name = plan.name(noun.id).cloned().unwrap_or_else(|| valid(&[&noun.outside.name]));
    let placed = plan.placed.contains_key(&cluster);
    let borrowed = cohorts.borrowed(noun, queue);
    let lent = cohorts.lent(noun.id, queue);
    let flavor = |pool: &NounId| {
        let quota = dealt.share(noun.id, *pool);
        let others = cohorts.offered(noun, *pool);
        let borrows = borrowed.get(pool).copied();
        let levels = placed.then(|| levels(plan, *pool)).flatten();
        let name = flavor_name(plan, queue, *pool, levels.as_ref())?;
        Some(Flavor {
            queued: queued(plan, *pool, &name)?,
            name,
            pool: Ref::to(*pool),
            levels,
            quota,
            lendable: quota.plus(borrows.map_or(others, |most| most.least(others))),
            lends: lent.get(pool).copied(),
            borrows,
        })
    };
    let local = queue.local_name.set().map_or_else(|| name.clone(), |it| it.value.clone());
    let flavors: Vec<Flavor> = dealt.pools(noun.id).iter().filter_map(flavor).collect();
    let handing = (!queue.workers.is_empty()).then(|| handing(plan, queue, &name, dealt));
    Some(QueuePlan {
        cluster: Ref::to(cluster),
        doors: doors(queue, &local),
        local,
        name,
        counts: counts(plan, cluster, queue, &flavors),
        handing,
        flavors,
        undealt: dealt.undealt(noun.id),
        overdrawn: dealt.overdrawn(noun.id),
        cohort: outermost(plan, noun),
    })
}

/// The LocalQueues of each namespace.
fn doors(queue: &Queue, local: &str) -> Vec<(String, Vec<String>)> {
    let names = |namespace: &String| match queue.local_names.get(namespace) {
        Some(names) => names.iter().map(|it| it.value.clone()).collect(),
        None => vec![local.to_owned()],
    };
    let all = queue.namespaces.iter().map(|it| &it.value);
    all.map(|namespace| (namespace.clone(), names(namespace))).collect()
}

/// What the queue calls it, or else as the pool is called. A flavor with levels cannot be changed, so that such a name holds a
/// mark of what it says.
fn flavor_name(
    plan: &Plan,
    queue: &Queue,
    pool: NounId,
    levels: Option<&Levels>,
) -> Option<String> {
    let flavor = queue.flavor_of(pool);
    if let Some(name) = flavor.and_then(Flavored::name) {
        return Some(name.to_owned());
    }
    // pools of one flavor are called as the first of them
    let pool = flavor.and_then(|it| it.pools().next()).unwrap_or(pool);
    let name = &plan.model.get(pool)?.outside.name;
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

fn queued(plan: &Plan, pool: NounId, flavor: &str) -> Option<Option<Queued>> {
    let Body::Pool(body) = &plan.model.get(pool)?.body else { return None };
    Some(match &body.capacity.value {
        Capacity::Queued { max, check, retry } => Some(Queued {
            max: *max,
            check: check.clone().unwrap_or_else(|| flavor.to_owned()),
            retry: *retry,
        }),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => None,
    })
}

/// What a queue says of a flavor, and its pools do not have.
pub(crate) fn overdrawn(plan: &Plan, id: NounId) -> Option<Shortage> {
    let Overdraft { pool, asked, has } = plan.queue(id)?.overdrawn?;
    let resource = asked.beyond(has)?;
    Some(Shortage {
        pool,
        asked: asked.in_words(resource),
        has: has.in_words(resource),
        rival: rival(plan, id, &[pool], resource),
    })
}

/// What a queue is to lend of a flavor beyond what it holds.
pub(crate) fn overlent(plan: &Plan, id: NounId) -> Option<Shortage> {
    let own = plan.queue(id)?;
    let body = Queue::of(&plan.model.get(id)?.body)?;
    body.flavors.iter().find_map(|flavor| {
        let lend = flavor.value.lend()?;
        let its = own.flavors.iter().filter(|it| flavor.value.has(it.pool.id()));
        let has = its.fold(Amounts::NONE, |all, it| all.plus(it.quota));
        let asked = limit(lend, has);
        let resource = asked.beyond(has)?;
        Some(Shortage {
            pool: flavor.value.pools().next()?,
            asked: asked.in_words(resource),
            has: has.in_words(resource),
            rival: None,
        })
    })
}

/// The first pool of a flavor of several, and another pool whose nodes the labels of the flavor do not tell from theirs.
pub(crate) fn blurred(plan: &Plan, id: NounId) -> Option<(NounId, NounId)> {
    let body = Queue::of(&plan.model.get(id)?.body)?;
    let cluster = plan.queue(id)?.cluster;
    body.flavors.iter().map(|it| &it.value).find_map(|flavor| {
        let told = flavor.told();
        let pools: Vec<&PoolPlan> = flavor.pools().filter_map(|it| plan.pool(it)).collect();
        if pools.len() < 2 || told.unlabelled {
            return None;
        }
        let mut labels = BTreeMap::clone(&pools.first()?.selector);
        labels.retain(|key, value| pools.iter().all(|it| it.selector.get(key) == Some(value)));
        labels.extend(told.labels);
        let mut others = plan.pools().filter(|(it, pool)| {
            let alike = |(key, value): (&String, &String)| pool.selector.get(key) == Some(value);
            pool.cluster == cluster && !flavor.has(*it) && labels.iter().all(alike)
        });
        Some((flavor.pools().next()?, others.next()?.0))
    })
}

/// Labels, taints or tolerations of the flavor that has most of them.
pub(crate) fn most_told(plan: &Plan, id: NounId) -> Option<i64> {
    let body = Queue::of(&plan.model.get(id)?.body)?;
    let told = body.flavors.iter().map(|it| &it.value).filter_map(|flavor| {
        let pool = plan.pool(flavor.pools().next()?)?;
        let told = flavor.told();
        let own = if told.unlabelled { 0 } else { pool.selector.len() };
        let tolerated = pool.taints.len() + told.tolerates.len();
        Some((own + told.labels.len()).max(told.taints.len()).max(tolerated))
    });
    Some(told.max().unwrap_or(0) as i64)
}

/// What makes a ResourceFlavor what it is, by its name.
type Looks<'a> = BTreeMap<&'a str, Vec<(NounId, Option<&'a Flavored>)>>;

/// Another queue of the cluster, before this one, that calls something else as this one calls a flavor, or this one itself, and
/// those names.
pub(crate) fn disputed(plan: &Plan, id: NounId) -> Option<(NounId, Vec<String>)> {
    let looks = |id: NounId| -> Option<Looks<'_>> {
        let body = Queue::of(&plan.model.get(id)?.body)?;
        let mut looks = Looks::new();
        for flavor in &plan.queue(id)?.flavors {
            let pool = flavor.pool.id();
            looks.entry(&flavor.name).or_default().push((pool, body.flavor_of(pool)));
        }
        Some(looks)
    };
    let own = looks(id)?;
    let one = |pools: &Vec<(NounId, Option<&Flavored>)>| {
        let mut said = pools.iter().map(|(_, flavor)| flavor.map(std::ptr::from_ref));
        let first = said.next();
        pools.len() < 2 || first.flatten().is_some() && said.all(|it| Some(it) == first)
    };
    let twice = own.iter().filter(|(_, pools)| !one(pools)).map(|(name, _)| (*name).to_owned());
    let twice: Vec<String> = twice.collect();
    if !twice.is_empty() {
        return Some((id, twice));
    }
    let cluster = plan.queue(id)?.cluster;
    let made = |id: NounId| plan.model.get(id).is_some_and(|noun| !noun.existing);
    let before = plan.queues().filter(|(other, queue)| *other < id && queue.cluster == cluster);
    let before = before.filter(|(other, _)| made(id) && made(*other));
    before.map(|(other, _)| other).find_map(|other| {
        let theirs = looks(other)?;
        let differs = |(name, it): &(&&str, &Vec<(NounId, Option<&Flavored>)>)| {
            theirs.get(**name).is_some_and(|their| !alike(it, their))
        };
        let names: Vec<String> =
            own.iter().filter(differs).map(|(name, _)| (*name).to_owned()).collect();
        (!names.is_empty()).then_some((other, names))
    })
}

/// A queue of the cluster, before this one or itself, that says otherwise of a compute class of its flavors, and those classes: the same one has other pools
/// there, or in another order, or a pool of it is of another class.
pub(crate) fn disputed_classes(plan: &Plan, id: NounId) -> Option<(NounId, Vec<String>)> {
    let own = plan.model.get(id)?;
    let queues = plan.model.queues();
    let queues = queues.filter(|(it, _)| it.parent == own.parent && it.id <= id && !it.existing);
    let all = queues.flat_map(|(queue, body)| {
        let flavors = body.flavors.iter().map(|it| &it.value);
        flavors.filter_map(move |it| Some((queue.id, it.class()?, it.pools().collect::<Vec<_>>())))
    });
    let all: Vec<_> = all.collect();
    let mut found: Option<(NounId, Vec<String>)> = None;
    for (at, (queue, class, pools)) in all.iter().enumerate().filter(|(_, it)| it.0 == id) {
        let otherwise = |(theirs, name, of): &&(NounId, &str, Vec<NounId>)| match name == class {
            true => of != pools || theirs == queue,
            false => pools.iter().any(|pool| of.contains(pool)),
        };
        let Some((other, ..)) = all.iter().take(at).find(otherwise) else { continue };
        found.get_or_insert((*other, Vec::new())).1.push((*class).to_owned());
    }
    found
}

/// Whether two queues mean the same by a flavor: the same pools, with the same labels, taints and tolerations.
fn alike(one: &[(NounId, Option<&Flavored>)], other: &[(NounId, Option<&Flavored>)]) -> bool {
    let pools = |all: &[(NounId, Option<&Flavored>)]| {
        all.iter().map(|(pool, _)| *pool).collect::<BTreeSet<_>>()
    };
    let told = |all: &[(NounId, Option<&Flavored>)]| {
        let said = all.iter().find_map(|(_, flavor)| *flavor).map(Flavored::told);
        said.unwrap_or_default()
    };
    pools(one) == pools(other) && told(one) == told(other)
}
