//! Where a workload finds no room: side by side on the nodes of a pool, or in what its queue may hold.

use super::fit::beside;
use crate::NounId;
use crate::nouns::Body;
use crate::plan::{Amounts, Flavor, Place, Plan, PoolPlan, QueuePlan, Resource, WorkloadPlan};

/// A pool that has less than is asked of it, in words.
pub(crate) struct Shortage {
    pub(crate) pool: NounId,
    pub(crate) asked: String,
    pub(crate) has: String,
}

/// The most devices that a workload's queue, its cohort included, can give it on one of the pools that fit; nothing where
/// no queue admits it.
pub(crate) fn grantable(plan: &Plan, workload: &WorkloadPlan) -> Option<i64> {
    let queue = plan.queue(workload.queue?)?;
    let of_pools = workload.selection.pools.iter().filter_map(|pool| flavor(queue, *pool));
    of_pools.map(|flavor| flavor.lendable.devices).max()
}

fn flavor(queue: &QueuePlan, pool: NounId) -> Option<&Flavor> {
    queue.flavors.iter().find(|flavor| flavor.pool == pool)
}

/// What the queue of a workload can never give it besides devices, on the first pool that has those.
pub(crate) fn unserved(plan: &Plan, id: NounId, workload: &WorkloadPlan) -> Option<Shortage> {
    let queue = plan.queue(workload.queue?)?;
    let mut found = None;
    for pool in &workload.selection.pools {
        match lacking(plan, id, workload, queue, *pool) {
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
    id: NounId,
    workload: &WorkloadPlan,
    queue: &QueuePlan,
    place: NounId,
) -> Option<(Resource, Shortage)> {
    let asked = |pool: NounId| {
        let own = workload.request.times(if pool == place { workload.nodes } else { 0 });
        own.plus(beside(plan, id, pool))
    };
    queue.flavors.iter().find_map(|flavor| {
        let asked = asked(flavor.pool);
        let resource = asked.beyond(flavor.lendable)?;
        let (asked, has) = (asked.in_words(resource), flavor.lendable.in_words(resource));
        Some((resource, Shortage { pool: flavor.pool, asked, has }))
    })
}

/// The pool on whose nodes the pods of a workload, those of its side jobs among them, find no room side by side.
pub(crate) fn cramped(plan: &Plan, id: NounId, workload: &WorkloadPlan) -> Option<Shortage> {
    let Place::Pool(place) = workload.place else { return None };
    let mut pools: Vec<NounId> =
        plan.children(id).iter().filter_map(|job| pool(plan, *job)).collect();
    pools.sort();
    pools.dedup();
    pools.into_iter().find_map(|id_of_pool| {
        let pool = plan.pool(id_of_pool)?;
        let jobs = requests(plan, id, id_of_pool);
        // One that is too large for any node is told of by itself.
        if jobs.iter().any(|job| !job.within(pool.allocatable)) {
            return None;
        }
        let pods = if place == id_of_pool { workload.nodes } else { 0 };
        if has_room(pool, &jobs, pods, workload.request) {
            return None;
        }
        let all = beside(plan, id, id_of_pool).plus(workload.request.times(pods));
        let node = pool.allocatable;
        let (nodes, s) = match pool.max_nodes() {
            1 => ("1 node".to_owned(), "has"),
            nodes => (format!("{nodes} nodes"), "have"),
        };
        Some(Shortage {
            pool: id_of_pool,
            asked: both(all),
            has: format!("its {nodes} {s} {} each", both(node)),
        })
    })
}

fn both(amounts: Amounts) -> String {
    format!("{} and {}", amounts.in_words(Resource::Cpus), amounts.in_words(Resource::Memory))
}

fn pool(plan: &Plan, job: NounId) -> Option<NounId> {
    match &plan.model.get(job)?.body {
        Body::SideJob(job) => Some(job.pool.value),
        _ => None,
    }
}

fn requests(plan: &Plan, workload: NounId, on: NounId) -> Vec<Amounts> {
    let jobs = plan.children(workload).iter().filter(|job| pool(plan, **job) == Some(on));
    jobs.filter_map(|job| plan.side_job(*job)).map(|job| job.request).collect()
}

/// What jobs are dealt to nodes by, the largest first.
type Order = dyn Fn(&Amounts) -> (i64, u64);

/// Whether jobs and equal pods fit onto the nodes of a pool: the jobs onto as few as they need, in one order or another, and
/// the pods onto what is left.
fn has_room(pool: &PoolPlan, jobs: &[Amounts], pods: i64, pod: Amounts) -> bool {
    let by_cpus = |job: &Amounts| (job.millicpus, job.memory.0);
    let by_memory = |job: &Amounts| (i64::try_from(job.memory.0).unwrap_or(i64::MAX), job.disk.0);
    let by_disk = |job: &Amounts| (i64::try_from(job.disk.0).unwrap_or(i64::MAX), job.memory.0);
    let orders: [&Order; 3] = [&by_cpus, &by_memory, &by_disk];
    orders.into_iter().any(|order| {
        let mut jobs = jobs.to_vec();
        jobs.sort_by_key(|job| std::cmp::Reverse(order(job)));
        packed(pool, &jobs).is_some_and(|nodes| {
            let untouched = pool.max_nodes().saturating_sub(nodes.len() as i64);
            let of = |left: Amounts| left.holds(pod).unwrap_or(pods);
            let touched = nodes.iter().fold(0i64, |all, left| all.saturating_add(of(*left)));
            touched.saturating_add(of(pool.allocatable).saturating_mul(untouched)) >= pods
        })
    })
}

/// What is left of the nodes that take the jobs, each on the first that has room.
fn packed(pool: &PoolPlan, jobs: &[Amounts]) -> Option<Vec<Amounts>> {
    let mut nodes: Vec<Amounts> = Vec::new();
    for job in jobs {
        if let Some(left) = nodes.iter_mut().find(|left| job.within(**left)) {
            *left = left.less(*job);
            continue;
        }
        if nodes.len() as i64 >= pool.max_nodes() || !job.within(pool.allocatable) {
            return None;
        }
        nodes.push(pool.allocatable.less(*job));
    }
    Some(nodes)
}
