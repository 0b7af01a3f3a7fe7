//! What queues count besides the devices of nodes and what every node has: devices that pods claim, and what a blueprint names.

use super::shortage::Shortage;
use crate::NounId;
use crate::nouns::{Amount, Countable, Flavor, GkeCluster, Kind, Kueue, Queue};
use crate::plan::{Gang, Plan, PoolPlan, QueuePlan, Run};
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
            let name = called(plan, own, class);
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
        all.extend(claims.map(|(class, _)| called(plan, own, class)));
    }
    all.extend(body.others());
    for worker in &body.workers {
        let (theirs, its) = (plan.queue(worker.value)?, plan.model.body(worker.value)?);
        all.extend(its.others().into_iter().map(|name| handed_on(plan, own, theirs, name)));
    }
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

/// What quotas of a queue call a class of devices: as its cluster says, or as it is called.
fn called<'p>(plan: &'p Plan, queue: &QueuePlan, class: &'p str) -> &'p str {
    kueue(plan, queue).and_then(|it| it.called(class)).unwrap_or(class)
}

/// What a queue calls what one that it hands on to counts under a name: a class of devices may be called otherwise in each cluster.
fn handed_on<'p>(plan: &'p Plan, own: &QueuePlan, worker: &QueuePlan, name: &'p str) -> &'p str {
    let classes = kueue(plan, worker).and_then(|it| it.devices().get(name));
    let here = kueue(plan, own);
    classes.into_iter().flatten().find_map(|class| here?.called(class)).unwrap_or(name)
}

fn kueue<'p>(plan: &'p Plan, queue: &QueuePlan) -> Option<&'p Kueue> {
    let cluster = GkeCluster::of(&plan.model.get(queue.cluster.id())?.body)?;
    cluster.kueue.as_ref().map(|it| &it.value)
}

/// What a queue is to lend of what it names besides, beyond what it says that it holds.
pub(crate) fn overlent_others(plan: &Plan, id: NounId) -> Option<Shortage> {
    let body = Queue::of(&plan.model.get(id)?.body)?;
    body.flavors.iter().find_map(|flavor| {
        let Flavor::Flavor { quota, lend, .. } = &flavor.value;
        let held = quota.as_ref().and_then(Amount::others)?;
        let lent = lend.as_ref().and_then(Amount::others)?;
        let beyond = |(name, lent): (&String, &Countable)| {
            let has = held.get(name)?;
            (lent.units() > has.units()).then(|| (format!("{lent} of `{name}`"), has.to_string()))
        };
        let (asked, has) = lent.iter().find_map(beyond)?;
        Some(Shortage { pool: flavor.value.pools().next()?, asked, has, rival: None })
    })
}

/// Devices that the pods of a workload claim, of which its queue says that it holds less, on the first pool that it could run on.
/// Nothing of a queue that may borrow: what others lend of them is not known.
pub(crate) fn unclaimed(plan: &Plan, workload: &Run) -> Option<Shortage> {
    let id = workload.queue()?.id();
    let (own, body) = (plan.queue(id)?, Queue::of(&plan.model.get(id)?.body)?);
    let counts = plan.cluster(own.cluster)?.kueue.counts_devices();
    if !counts || body.cohort.is_some() {
        return None;
    }
    let mut found = None;
    for place in workload.lead().selection.ids() {
        found = found.or(Some(short_of(plan, workload, own, body, place)?));
    }
    found
}

/// The devices that a queue says too little of for a workload that runs on this pool.
fn short_of(
    plan: &Plan,
    workload: &Run,
    own: &QueuePlan,
    body: &Queue,
    place: NounId,
) -> Option<Shortage> {
    own.flavors.iter().find_map(|flavor| {
        let id = flavor.pool.id();
        let here = |gang: &&Gang| gang.fabric && gang.program.place.value.id() == id;
        let lead = Some(workload.lead()).filter(|gang| gang.fabric && place == id);
        let gangs = workload.groups().iter().filter(here).chain(lead);
        let nodes = gangs.fold(0i64, |all, gang| all.saturating_add(gang.nodes));
        body.others().into_iter().find_map(|name| {
            let claims = plan.pool(id)?.claims();
            let its = claims.filter(|(class, _)| called(plan, own, class) == name);
            let each: i64 = its.map(|(_, count)| count).sum();
            let asked = nodes.saturating_mul(each);
            let said = body.flavor_of(id).and_then(|Flavor::Flavor { quota, .. }| quota.as_ref());
            let has = said.and_then(Amount::others).and_then(|others| others.get(name)).copied();
            let has = has.unwrap_or(Countable::Int(0));
            let short = i128::from(asked) > has.units();
            let (asked, has) = (format!("{asked} of `{name}`"), has.to_string());
            short.then_some(Shortage { pool: id, asked, has, rival: None })
        })
    })
}
