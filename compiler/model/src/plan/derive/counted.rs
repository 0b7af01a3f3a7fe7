//! What queues count besides the devices of nodes and what every node has: devices that pods claim, and what a blueprint names.

use super::shortage::Shortage;
use crate::NounId;
use crate::nouns::{Countable, GkeCluster, Kind, Kueue, Queue};
use crate::plan::{Amounts, Counts, Flavor as Dealt, Plan, PoolPlan, QueuePlan};
use std::collections::{BTreeMap, BTreeSet};

/// What every node has for pods, as Kubernetes calls it.
const OF_HOSTS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Classes of devices that pods claim, by what the quotas of each cluster call them.
pub(super) fn device_classes(plan: &Plan) -> BTreeMap<NounId, BTreeMap<String, BTreeSet<String>>> {
    let mut clusters: BTreeMap<NounId, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let counts = |id: &NounId| plan.clusters.get(id).is_some_and(|it| it.kueue.counts_devices());
    for (noun, cluster) in plan.model.gke_clusters().filter(|(noun, _)| counts(&noun.id)) {
        let said = cluster.kueue.iter().flat_map(|it| it.value.devices());
        let classes = clusters.entry(noun.id).or_default();
        for (name, of) in said {
            classes.entry(name.clone()).or_default().extend(of.iter().cloned());
        }
    }
    let made = plan.model.queues().filter(|(noun, _)| !noun.existing);
    for (noun, body) in made {
        let Some(own) = plan.queue(noun.id) else { continue };
        let Some(classes) = clusters.get_mut(&own.cluster.id()) else { continue };
        for class in served(plan, own, body).flat_map(PoolPlan::claims).map(|(class, _)| class) {
            let name = called(plan, own.cluster.id(), class);
            classes.entry(name.to_owned()).or_default().insert(class.to_owned());
        }
    }
    clusters
}

/// All that a queue counts, as Kubernetes calls it.
pub(crate) fn covers(plan: &Plan, id: NounId) -> Option<BTreeSet<&str>> {
    let own = plan.queue(id)?;
    let body = Queue::of(&plan.model.get(id)?.body)?;
    let mut all = BTreeSet::from(OF_HOSTS);
    all.extend(served(plan, own, body).filter_map(|pool| pool.resource.as_deref()));
    if plan.cluster(own.cluster)?.kueue.counts_devices() {
        let claims = served(plan, own, body).flat_map(PoolPlan::claims);
        all.extend(claims.map(|(class, _)| called(plan, own.cluster.id(), class)));
    }
    all.extend(body.others());
    all.extend(counted_by_workers(plan, id)?.into_keys());
    Some(all)
}

/// The pools whose nodes a queue deals: its own, or those of the queues that it hands on to.
fn served<'p>(
    plan: &'p Plan,
    own: &'p QueuePlan,
    body: &'p Queue,
) -> impl Iterator<Item = &'p PoolPlan> {
    let workers = body.workers.iter().filter_map(|it| plan.queue(it.value));
    let flavors = std::iter::once(own).chain(workers).flat_map(|queue| &queue.flavors);
    flavors.filter_map(|flavor| plan.pool(flavor.pool))
}

/// What quotas of a cluster call a class of devices: as it says, or as it is called.
fn called<'p>(plan: &'p Plan, cluster: NounId, class: &'p str) -> &'p str {
    kueue(plan, cluster).and_then(|it| it.called(class)).unwrap_or(class)
}

/// What a queue calls what one that it hands on to counts under a name: a class of devices may be called otherwise in each cluster.
fn handed_on<'p>(plan: &'p Plan, own: &QueuePlan, worker: &'p QueuePlan, name: &'p str) -> &'p str {
    let there = worker.cluster.id();
    let pools = worker.flavors.iter().filter_map(|flavor| plan.pool(flavor.pool));
    let mut claimed = pools.flat_map(PoolPlan::claims).map(|(class, _)| class);
    if let Some(class) = claimed.find(|class| called(plan, there, class) == name) {
        return called(plan, own.cluster.id(), class);
    }
    let said = kueue(plan, there).and_then(|it| it.devices().get(name));
    let here = kueue(plan, own.cluster.id());
    said.into_iter().flatten().find_map(|class| here?.called(class)).unwrap_or(name)
}

/// What queues that one hands on to hold together of each name besides what nodes have, as it calls them itself.
pub(crate) fn counted_by_workers(plan: &Plan, id: NounId) -> Option<BTreeMap<&str, Countable>> {
    let own = plan.queue(id)?;
    let body = Queue::of(&plan.model.get(id)?.body)?;
    let counts_devices = plan.cluster(own.cluster)?.kueue.counts_devices();
    let mut held: BTreeMap<&str, Countable> = BTreeMap::new();
    for worker in body.workers.iter().filter_map(|it| plan.queue(it.value)) {
        for (name, counts) in worker.counts.values().flatten() {
            // a Kueue that knows nothing of devices hands on what claims them uncounted
            if counts.claimed && !counts_devices {
                continue;
            }
            let all = held.entry(handed_on(plan, own, worker, name)).or_insert(Countable::Int(0));
            *all = all.plus(counts.held);
        }
    }
    Some(held)
}

pub(super) fn kueue(plan: &Plan, cluster: NounId) -> Option<&Kueue> {
    let cluster = GkeCluster::of(&plan.model.get(cluster)?.body)?;
    cluster.kueue.as_ref().map(|it| &it.value)
}

/// What a queue counts of its flavors besides the devices of nodes and what every node has, by the name of each flavor: what it says of it,
/// and of devices that pods claim, where it says nothing, as many as belong to the nodes.
pub(super) fn counts(
    plan: &Plan,
    cluster: NounId,
    queue: &Queue,
    flavors: &[Dealt],
) -> BTreeMap<String, BTreeMap<String, Counts>> {
    let claims: Vec<BTreeMap<&str, i64>> =
        flavors.iter().map(|it| claims(plan, cluster, it.pool.id())).collect();
    let claimed: BTreeSet<&str> = claims.iter().flat_map(BTreeMap::keys).copied().collect();
    let mut found = BTreeMap::new();
    for (flavor, claims) in flavors.iter().zip(&claims) {
        let same = || flavors.iter().filter(|it| it.name == flavor.name);
        let all = |of: fn(&Dealt) -> Option<Amounts>| same().filter_map(of).reduce(Amounts::plus);
        let quota = all(|it| Some(it.quota)).unwrap_or(Amounts::NONE);
        let (lends, borrows) = (all(|it| it.lends), all(|it| it.borrows));
        let on_node = plan.pool(flavor.pool).map_or(1, |it| it.allocatable.devices.max(1));
        let said = queue.flavor_of(flavor.pool.id());
        let of = |name: &str| {
            let each = claims.get(name).copied().unwrap_or(0);
            // each node has its own, and so has a part of one
            let its = |all: Amounts| {
                let nodes = all.devices.saturating_add(on_node - 1) / on_node;
                Countable::Int(nodes.saturating_mul(each))
            };
            let is_claimed = claimed.contains(name);
            let derived = |all: Option<Amounts>| all.filter(|_| is_claimed).map(its);
            let (held, lent, borrowed) = said.map_or((None, None, None), |it| it.said_of(name));
            let held = held.or_else(|| derived(Some(quota))).unwrap_or(Countable::Int(0));
            Counts {
                held,
                lends: lent.or_else(|| derived(lends).map(|it| it.least(held))),
                borrows: borrowed.or_else(|| derived(borrows)),
                claimed: is_claimed,
            }
        };
        let names: BTreeSet<&str> = claimed.iter().copied().chain(queue.others()).collect();
        let counts = || names.iter().map(|name| ((*name).to_owned(), of(name))).collect();
        found.entry(flavor.name.clone()).or_insert_with(counts);
    }
    found
}

/// Devices that a pod on a pool claims, by what the quotas of a cluster call them; none where its Kueue does not count them.
pub(super) fn claims(plan: &Plan, cluster: NounId, pool: NounId) -> BTreeMap<&str, i64> {
    let mut found: BTreeMap<&str, i64> = BTreeMap::new();
    let counts = plan.clusters.get(&cluster).is_some_and(|it| it.kueue.counts_devices());
    let pool = plan.pools.get(&pool).filter(|_| counts);
    for (class, count) in pool.into_iter().flat_map(PoolPlan::claims) {
        let all = found.entry(called(plan, cluster, class)).or_default();
        *all = all.saturating_add(count);
    }
    found
}

/// What a queue is to lend of what it names besides, beyond what it holds of it.
pub(crate) fn overlent_others(plan: &Plan, id: NounId) -> Option<Shortage> {
    let own = plan.queue(id)?;
    let body = Queue::of(&plan.model.get(id)?.body)?;
    body.flavors.iter().find_map(|flavor| {
        let pool = flavor.value.pools().next()?;
        let counts = own.counts_of(pool)?;
        let beyond = |(name, counts): (&String, &Counts)| {
            let (held, lent, _) = flavor.value.said_of(name);
            let (lent, has) = (lent?, counts.held);
            let known = held.is_some() || counts.claimed;
            let beyond = known && lent.units() > has.units();
            beyond.then(|| (format!("{lent} of `{name}`"), has.to_string()))
        };
        let (asked, has) = counts.iter().find_map(beyond)?;
        Some(Shortage { pool, asked, has, rival: None })
    })
}
