//! Where sums deceive: queues count a pool in all, and pods need room on one node.

use super::deal::uncounted;
use super::shortage::requests;
use crate::NounId;
use crate::plan::{Amounts, Plan, PoolPlan, Resource, asked_on};

/// More than a pool has: what queues hold of it, and what others take that no queue counts.
pub(crate) struct Overbooking {
    pub(crate) held: String,
    pub(crate) taken: String,
    pub(crate) has: String,
    /// One of the workloads in no queue.
    pub(crate) by: NounId,
}

/// What queues hold of a pool, and workloads in no queue take all the same.
pub(crate) fn overbooked(plan: &Plan, id: NounId) -> Option<Overbooking> {
    let pool = plan.pool(id)?;
    let held = held(plan, id);
    let taken = uncounted(plan, id);
    let all = pool.allocatable.times(pool.max_nodes());
    let resource = Resource::ALL.into_iter().find(|it| {
        held.of(*it) > 0
            && taken.of(*it) > 0
            && held.of(*it) > all.of(*it).saturating_sub(taken.of(*it))
    })?;
    let mut others = plan.runs_on(id).filter(|(_, workload)| workload.queue().is_none());
    let (by, _) = others.find(|(_, workload)| {
        let own =
            if workload.site.place().id() == id { workload.lead().request } else { Amounts::NONE };
        own.plus(asked_on(workload.groups(), id)).of(resource) > 0
    })?;
    Some(Overbooking {
        held: held.in_words(resource),
        taken: taken.in_words(resource),
        has: all.in_words(resource),
        by,
    })
}

/// What all queues hold of a pool.
fn held(plan: &Plan, id: NounId) -> Amounts {
    let flavors = plan.queues().flat_map(|(_, queue)| &queue.flavors);
    let flavors = flavors.filter(|flavor| flavor.pool == id);
    flavors.fold(Amounts::NONE, |all, flavor| all.plus(flavor.quota))
}

/// A pod that may find no node, though its queue has admitted its workload.
pub(crate) struct Stranded {
    pub(crate) workload: NounId,
    /// What it asks of one node.
    pub(crate) asked: String,
}

/// Equal pods of one workload.
#[derive(Clone, Copy)]
struct Pods {
    workload: NounId,
    queued: bool,
    size: Amounts,
    count: i64,
}

/// The largest pod that others can keep from every node of a pool, each of them having a part of one, while all of them together
/// are within what queues hold of it.
pub(crate) fn stranded(plan: &Plan, id: NounId) -> Option<Stranded> {
    let pool = plan.pool(id)?;
    let held = held(plan, id);
    let pods = pods(plan, id);
    let first = pods.first()?.size;
    let alike = pods.iter().all(|it| it.size == first && it.queued);
    // What is promised beyond the whole pool is told of by itself.
    if held == Amounts::NONE || alike || overbooked(plan, id).is_some() {
        return None;
    }
    let mut queued: Vec<&Pods> = pods.iter().filter(|it| it.queued).collect();
    queued.sort_by_key(|it| std::cmp::Reverse((it.size.millicpus, it.size.memory, it.size.disk)));
    let found = queued.into_iter().find(|one| {
        one.size.within(pool.allocatable) && kept_out(pool, held, one, &pods) >= pool.max_nodes()
    })?;
    let scarce = scarcest(pool, found.size, &pods)?;
    Some(Stranded { workload: found.workload, asked: found.size.in_words(scarce) })
}

/// All that may run on a pool at one time.
fn pods(plan: &Plan, id: NounId) -> Vec<Pods> {
    let mut all = Vec::new();
    for (workload, it) in plan.runs_on(id) {
        let queued = it.queue().is_some();
        if it.lead().pod.selection.has(id) {
            all.push(Pods { workload, queued, size: it.lead().request, count: it.lead().nodes });
        }
        let groups = requests(it, id).into_iter();
        all.extend(groups.map(|(size, count)| Pods { workload, queued, size, count }));
    }
    all
}

/// On how many nodes others leave no room for a pod, at most. Its own workload's pods all run, and those of workloads in no
/// queue; those of others in queues only as far as the queues hold anything for them.
fn kept_out(pool: &PoolPlan, held: Amounts, one: &Pods, all: &[Pods]) -> i64 {
    let room = pool.allocatable.less(one.size);
    let mut bar = Barrier::new(room);
    let mut own = Amounts::NONE;
    let mut same = Some(1);
    let mut others = Vec::new();
    for pods in all {
        if pods.workload == one.workload {
            own = own.plus(pods.size.times(pods.count));
            let itself = if pods.size == one.size { same.take().unwrap_or(0) } else { 0 };
            bar.add(pods.size, pods.count - itself);
        } else if pods.queued {
            others.push(*pods);
        } else {
            bar.add(pods.size, pods.count);
        }
    }
    let mut left = held.less(own);
    others.sort_by_key(|pods| std::cmp::Reverse(weight(room, pods.size)));
    for pods in others {
        let count = left.holds(pods.size).map_or(pods.count, |held| held.min(pods.count));
        left = left.less(pods.size.times(count));
        bar.add(pods.size, count);
    }
    bar.nodes()
}

/// A part of what keeps a pod from a node, in so many parts.
const WHOLE: u64 = 1 << 20;

/// How much of what a pod leaves free on a node another one takes: of the resource that it takes most of.
fn weight(room: Amounts, size: Amounts) -> u64 {
    let part = |it: Resource| {
        let part = u128::from(size.of(it)) * u128::from(WHOLE) / (u128::from(room.of(it)) + 1);
        u64::try_from(part).unwrap_or(WHOLE).min(WHOLE)
    };
    Resource::ALL.into_iter().map(part).max().unwrap_or(0)
}

/// What stands between a pod and the nodes: pods that fill one by themselves, and those that do together.
struct Barrier {
    /// What the pod leaves free on a node.
    room: Amounts,
    large: i64,
    small: Vec<(Amounts, i64)>,
}

impl Barrier {
    fn new(room: Amounts) -> Self {
        Self { room, large: 0, small: Vec::new() }
    }

    fn add(&mut self, size: Amounts, count: i64) {
        if size.within(self.room) {
            self.small.push((size, count));
        } else {
            self.large = self.large.saturating_add(count);
        }
    }

    /// Nodes that are full, at most: as far as the sizes of small ones go, and as far as their number does.
    fn nodes(&self) -> i64 {
        let weights = self
            .small
            .iter()
            .map(|(size, count)| weight(self.room, *size).saturating_mul(count.unsigned_abs()));
        let by_size = weights.fold(0, u64::saturating_add) / WHOLE;
        let by_size = i64::try_from(by_size).unwrap_or(i64::MAX);
        let count = self.small.iter().fold(0i64, |all, (_, count)| all.saturating_add(*count));
        let fewest = Resource::ALL.into_iter().filter_map(|it| self.fewest(it)).min();
        let by_count = fewest.map_or(0, |fewest| count / fewest.max(1));
        self.large.saturating_add(by_size.min(by_count))
    }

    /// The fewest small ones that leave too little of a resource; nothing where all of them do not.
    fn fewest(&self, of: Resource) -> Option<i64> {
        let sizes = self.small.iter().map(|(size, count)| (size.of(of), *count));
        let mut sizes: Vec<(u64, i64)> = sizes.filter(|(size, _)| *size > 0).collect();
        sizes.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
        let mut left = self.room.of(of);
        let mut taken = 0i64;
        for (size, count) in sizes {
            let fit = i64::try_from(left / size).unwrap_or(i64::MAX);
            if fit < count {
                return Some(taken.saturating_add(fit).saturating_add(1));
            }
            taken = taken.saturating_add(count);
            left = left.saturating_sub(size.saturating_mul(count.unsigned_abs()));
        }
        None
    }
}

/// The resource that others take most of what a pod leaves free of, besides devices.
fn scarcest(pool: &PoolPlan, size: Amounts, all: &[Pods]) -> Option<Resource> {
    let room = pool.allocatable.less(size);
    // Those that take the devices of a node are not what divides it.
    let others = all.iter().filter(|it| it.size != size && it.size.devices <= room.devices);
    let used = others.fold(Amounts::NONE, |sum, it| sum.plus(it.size.times(it.count)));
    let kinds = Resource::ALL.into_iter().filter(|it| *it != Resource::Devices && size.of(*it) > 0);
    kinds.max_by_key(|it| {
        u128::from(used.of(*it)) * u128::from(WHOLE) / (u128::from(room.of(*it)) + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn size(devices: i64, millicpus: i64) -> Amounts {
        Amounts { devices, millicpus, memory: Size(0), disk: Size(0) }
    }

    /// Nodes of 12 processors and four shares that these keep from a pod of such a size.
    fn kept(one: Amounts, others: &[(Amounts, i64)]) -> i64 {
        let mut bar = Barrier::new(size(4, 12_000).less(one));
        for (size, count) in others {
            bar.add(*size, *count);
        }
        bar.nodes()
    }

    #[test]
    fn a_node_is_kept_by_one_large_pod_or_by_many_small_ones() {
        let share = size(1, 2500);
        assert_eq!(kept(size(0, 6000), &[(size(4, 10_000), 3)]), 3);
        // Three of them leave 4.5 of 12 processors.
        assert_eq!(kept(size(0, 6000), &[(share, 5)]), 1);
        assert_eq!(kept(size(0, 6000), &[(share, 6)]), 2);
        // Four shares are on each node.
        assert_eq!(kept(share, &[(share, 7)]), 1);
        assert_eq!(kept(share, &[(share, 8)]), 2);
        assert_eq!(kept(share, &[(size(0, 2000), 2)]), 0);
        assert_eq!(kept(share, &[]), 0);
    }
}
