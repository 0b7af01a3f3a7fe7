//! Where a workload finds no room: side by side on the nodes of a pool, or in what its queue may hold.

use super::deal::Trial;
use super::queue::queues;
use crate::NounId;
use crate::plan::{
    Amounts, Flavor, Gang, Misfit, Plan, PoolPlan, QueuePlan, Resource, Run, asked_on,
};
use std::collections::BTreeMap;

/// A pool, or a partition, that has less than is asked of it, in words.
pub(crate) struct Shortage {
    pub(crate) pool: NounId,
    pub(crate) asked: String,
    pub(crate) has: String,
    /// The queue that holds most of the rest.
    pub(crate) rival: Option<NounId>,
}

/// The most devices that a workload's queue, its cohort included, can give one of its gangs on one of the pools that fit;
/// nothing where no queue admits it.
pub(crate) fn grantable(plan: &Plan, workload: &Run, gang: &Gang) -> Option<i64> {
    granted(&plan.queues, workload, gang)
}

/// The same of queues as they might be.
fn granted(queues: &BTreeMap<NounId, QueuePlan>, workload: &Run, gang: &Gang) -> Option<i64> {
    let queue = queues.get(&workload.queue()?.id())?;
    let of_pools = gang.pod.selection.ids().filter_map(|pool| flavor(queue, pool));
    of_pools.map(|flavor| queue.lendable(flavor).devices).max()
}

/// The `quota` with which its queue could give a workload all devices that it asks for. Nothing where pools would be promised
/// twice then, or another workload would get less than it needs.
pub(crate) fn raised_quota(plan: &Plan, workload: &Run) -> Option<i64> {
    let asked = |workload: &Run| workload.lead().request.times(workload.lead().nodes).devices;
    let missing = asked(workload) - grantable(plan, workload, workload.lead())?;
    let quota = plan.model.body(workload.queue()?)?.quota.set()?.value;
    if missing <= 0 {
        return None;
    }
    let raised = quota.checked_add(missing)?;
    let then = queues(plan, Some(Trial { queue: workload.queue()?.id(), quota: raised }));
    let promised_once = plan
        .queues()
        .all(|(id, queue)| then.get(&id).is_some_and(|then| then.undealt <= queue.undealt));
    let served = granted(&then, workload, workload.lead()) >= Some(asked(workload));
    let others_served = plan.workloads().all(|(_, it)| {
        granted(&then, it, it.lead())
            >= grantable(plan, it, it.lead()).map(|now| now.min(asked(it)))
    });
    (promised_once && served && others_served).then_some(raised)
}

/// The other queue that holds most of what pools of this one have of a resource.
pub(crate) fn rival(plan: &Plan, id: NounId, pools: &[NounId], of: Resource) -> Option<NounId> {
    let held = |queue: &QueuePlan| {
        let flavors = queue.flavors.iter().filter(|flavor| pools.contains(&flavor.pool.id()));
        flavors.fold(Amounts::NONE, |all, flavor| all.plus(flavor.quota)).of(of)
    };
    let others = plan.queues().filter(|(other, _)| *other != id);
    let others = others.map(|(other, queue)| (held(queue), other)).filter(|(held, _)| *held > 0);
    others.max_by_key(|(held, other)| (*held, std::cmp::Reverse(*other))).map(|(_, other)| other)
}

/// The same of a queue that does not lend to this one.
pub(crate) fn stranger(plan: &Plan, id: NounId, pools: &[NounId], of: Resource) -> Option<NounId> {
    let other = rival(plan, id, pools, of)?;
    let cohort = |id| Some(plan.queue(id)?.cohort.as_ref());
    let (own, theirs) = (cohort(id)?, cohort(other)?);
    (own.is_none() || own != theirs).then_some(other)
}

fn flavor(queue: &QueuePlan, pool: NounId) -> Option<&Flavor> {
    queue.flavors.iter().find(|flavor| flavor.pool == pool)
}

/// What the queue of a workload can never give it besides devices, on the first pool that has those.
pub(crate) fn unserved(plan: &Plan, workload: &Run) -> Option<Shortage> {
    let queue = plan.queue(workload.queue()?)?;
    let mut found = None;
    for pool in workload.lead().pod.selection.ids() {
        match lacking(plan, workload, queue, pool) {
            None => return None,
            Some((Resource::Devices, _)) => {}
            Some((_, shortage)) => found = found.or(Some(shortage)),
        }
    }
    found
}

/// What a queue has too little of for a workload that runs on this pool.
fn lacking(
    plan: &Plan,
    workload: &Run,
    queue: &QueuePlan,
    place: NounId,
) -> Option<(Resource, Shortage)> {
    queue.flavors.iter().find_map(|flavor| {
        let asked = workload.asks(place, flavor.pool.id());
        let lendable = queue.lendable(flavor);
        let resource = asked.beyond(lendable)?;
        let shortage = Shortage {
            pool: flavor.pool.id(),
            asked: asked.in_words(resource),
            has: lendable.in_words(resource),
            rival: stranger(plan, workload.queue()?.id(), &[flavor.pool.id()], resource),
        };
        // What the pool itself does not have is told of by itself.
        let pool = plan.pool(flavor.pool)?;
        let everywhere = asked.within(pool.allocatable.times(pool.max_nodes()));
        Some((if everywhere { resource } else { Resource::Devices }, shortage))
    })
}

/// The pool on whose nodes the pods of a workload, those of its groups among them, find no room side by side.
pub(crate) fn cramped(plan: &Plan, workload: &Run) -> Option<Shortage> {
    workload.gke()?;
    let mut pools: Vec<NounId> =
        workload.groups().iter().map(|gang| gang.program.place.value.id()).collect();
    pools.sort();
    pools.dedup();
    let sets = workload.gangs.together();
    pools
        .into_iter()
        .find_map(|pool| sets.iter().find_map(|gangs| cramped_on(plan, workload, gangs, pool)))
}

/// The same of gangs that are on one pool at the same time.
fn cramped_on(plan: &Plan, workload: &Run, gangs: &[&Gang], id: NounId) -> Option<Shortage> {
    let pool = plan.pool(id)?;
    let own = workload.lead();
    let here = |gang: &&&Gang| gang.program.place.value.id() == id;
    let groups = gangs.iter().filter(|gang| gang.program.noun != own.program.noun).filter(here);
    // One that is too large for any node is told of by itself.
    let too_large = |misfit: &Misfit| matches!(misfit, Misfit::Node(_));
    if groups.clone().any(|gang| gang.pod.misfits.iter().any(too_large)) {
        return None;
    }
    let jobs: Vec<(Amounts, i64)> = groups.clone().map(|gang| (gang.request, gang.nodes)).collect();
    let leads = gangs.iter().filter(here).any(|gang| gang.program.noun == own.program.noun);
    let pods = if leads { own.nodes } else { 0 };
    if has_room(pool, &jobs, pods, own.request) {
        return None;
    }
    let all = asked_on(groups.copied(), id).plus(own.request.times(pods));
    let short = short(pool, &jobs, pods, own.request);
    let largest = jobs.iter().fold(Amounts::NONE, |most, (job, _)| most.most(*job));
    let largest = if pods > 0 { largest.most(own.request) } else { largest };
    Some(crowded(id, pool, all, largest, &short))
}

/// The resources of which nodes have too little; where no one is short by itself, all that is asked for.
fn short(pool: &PoolPlan, jobs: &[(Amounts, i64)], pods: i64, pod: Amounts) -> Vec<Resource> {
    let alone = |resource: &Resource| {
        let jobs: Vec<_> = jobs.iter().map(|(job, count)| (job.only(*resource), *count)).collect();
        !has_room(pool, &jobs, pods, pod.only(*resource))
    };
    let found: Vec<Resource> = Resource::ALL.into_iter().filter(alone).collect();
    if !found.is_empty() {
        return found;
    }
    let all = jobs.iter().fold(pod, |all, (job, _)| all.plus(*job));
    Resource::ALL.into_iter().filter(|it| *it != Resource::Devices && all.of(*it) > 0).collect()
}

/// What is asked in all and at most for one pod, and what nodes have.
fn crowded(
    id: NounId,
    pool: &PoolPlan,
    all: Amounts,
    largest: Amounts,
    short: &[Resource],
) -> Shortage {
    let of = |amounts: Amounts| {
        let words: Vec<String> = short.iter().map(|it| amounts.in_words(*it)).collect();
        words.join(" and ")
    };
    let (has, asked) = match pool.max_nodes() {
        1 => (format!("its 1 node has {}", of(pool.allocatable)), of(all)),
        nodes => (
            format!("its {nodes} nodes have {} each", of(pool.allocatable)),
            format!("{}, up to {} for one pod,", of(all), of(largest)),
        ),
    };
    Shortage { pool: id, asked, has, rival: None }
}

/// What pods of the groups of a workload ask of one pool: each pod, and how many there are.
pub(crate) fn requests(workload: &Run, on: NounId) -> Vec<(Amounts, i64)> {
    let groups = workload.groups().iter().filter(|gang| gang.program.place.value.id() == on);
    groups.map(|gang| (gang.request, gang.nodes)).collect()
}

/// What jobs are dealt to nodes by, the largest first.
type Order = dyn Fn(&Amounts) -> (i64, u64);

/// Whether jobs and equal pods fit onto the nodes of a pool: the jobs onto as few as they need, in one order or another, and
/// the pods onto what is left.
fn has_room(pool: &PoolPlan, jobs: &[(Amounts, i64)], pods: i64, pod: Amounts) -> bool {
    let by_cpus = |job: &Amounts| (job.millicpus, job.memory.0);
    let by_memory = |job: &Amounts| (i64::try_from(job.memory.0).unwrap_or(i64::MAX), job.disk.0);
    let by_disk = |job: &Amounts| (i64::try_from(job.disk.0).unwrap_or(i64::MAX), job.memory.0);
    let orders: [&Order; 3] = [&by_cpus, &by_memory, &by_disk];
    orders.into_iter().any(|order| {
        let mut jobs = jobs.to_vec();
        jobs.sort_by_key(|(job, _)| std::cmp::Reverse(order(job)));
        packed(pool, &jobs).is_some_and(|nodes| {
            let untouched = pool.max_nodes().saturating_sub(nodes.len() as i64);
            let of = |left: Amounts| left.holds(pod).unwrap_or(pods);
            let touched = nodes.iter().fold(0i64, |all, left| all.saturating_add(of(*left)));
            touched.saturating_add(of(pool.allocatable).saturating_mul(untouched)) >= pods
        })
    })
}

/// What is left of the nodes that take the jobs, each on the first that has room.
fn packed(pool: &PoolPlan, jobs: &[(Amounts, i64)]) -> Option<Vec<Amounts>> {
    let mut nodes: Vec<Amounts> = Vec::new();
    for (job, count) in jobs {
        let on_one = pool.allocatable.holds(*job).unwrap_or(*count).max(1);
        let mut left = *count;
        for node in &mut nodes {
            let here = node.holds(*job).unwrap_or(left).min(left);
            *node = node.less(job.times(here));
            left -= here;
        }
        if left > 0 && !job.within(pool.allocatable) {
            return None;
        }
        while left > 0 {
            if nodes.len() as i64 >= pool.max_nodes() {
                return None;
            }
            let here = on_one.min(left);
            nodes.push(pool.allocatable.less(job.times(here)));
            left -= here;
        }
    }
    Some(nodes)
}
