//! Dealing what pools have to the queues over them, so that nothing is promised twice.
//!
//! A `quota` comes before what follows by itself, what a workload needs before what is left, and the first choice of a queue
//! before its others. Whoever has no `quota` shares the rest evenly, in whole nodes.

use super::fit::beside;
use crate::nouns::{Choice, Queue};
use crate::plan::{Amounts, Plan, PoolPlan, WorkloadPlan};
use crate::{Noun, NounId};
use std::collections::BTreeMap;

/// What each queue holds of each pool.
pub(crate) struct Dealt {
    hands: BTreeMap<NounId, Hand>,
}

/// One queue's.
struct Hand {
    /// Its pools, first choice first; behind them those that only side jobs use.
    pools: Vec<NounId>,
    /// How many of them are the queue's own.
    own: usize,
    shares: BTreeMap<NounId, Amounts>,
    /// What its workloads ask of each pool at most.
    needs: BTreeMap<NounId, Amounts>,
    /// What may still be dealt of its `quota`; `None` where it has none.
    budget: Option<i64>,
}

impl Dealt {
    /// The pools of a queue.
    pub(crate) fn pools(&self, queue: NounId) -> &[NounId] {
        self.hands.get(&queue).map_or(&[], |hand| &hand.pools)
    }

    /// What a queue holds of a pool.
    pub(crate) fn share(&self, queue: NounId, pool: NounId) -> Amounts {
        self.hands.get(&queue).map_or(Amounts::NONE, |hand| hand.share(pool))
    }

    /// What no pool has left of a queue's `quota`.
    pub(crate) fn undealt(&self, queue: NounId) -> i64 {
        self.hands.get(&queue).and_then(|hand| hand.budget).unwrap_or(0)
    }
}

impl Hand {
    fn share(&self, pool: NounId) -> Amounts {
        self.shares.get(&pool).copied().unwrap_or(Amounts::NONE)
    }

    fn need(&self, pool: NounId) -> Amounts {
        self.needs.get(&pool).copied().unwrap_or(Amounts::NONE)
    }

    /// Whether its `quota` says how much it may hold of a pool.
    fn counts(&self, pool: &PoolPlan) -> bool {
        self.budget.is_some() && pool.resource.is_some()
    }

    /// Whether it shares in what is left of a pool: of one of its own, or of one without devices that its side jobs use.
    fn shares_rest(&self, id: NounId, pool: &PoolPlan) -> bool {
        let at = self.pools.iter().position(|own| *own == id);
        at.is_some_and(|at| at < self.own || pool.resource.is_none()) && !self.counts(pool)
    }
}

/// Deals all pools of all clusters.
pub(crate) fn deal(plan: &Plan) -> Dealt {
    let mut table = Table {
        plan,
        left: plan.pools().map(|(id, pool)| (id, whole(plan, id, pool))).collect(),
        hands: plan
            .model
            .queues()
            .map(|(noun, queue)| (noun.id, hand(plan, noun, queue)))
            .collect(),
    };
    table.quotas();
    table.needs();
    table.rest();
    Dealt { hands: table.hands }
}

/// What all nodes of a pool have to deal: beside the pods on them, the side jobs of their workloads.
fn whole(plan: &Plan, id: NounId, pool: &PoolPlan) -> Amounts {
    let all = pool.allocatable.times(pool.max_nodes());
    let queued = plan.workloads().filter(|(_, workload)| workload.queue.is_some());
    let jobs =
        queued.fold(Amounts::NONE, |jobs, (workload, _)| jobs.plus(beside(plan, workload, id)));
    node(plan, id, pool).times(pool.max_nodes()).plus(jobs).least(all)
}

/// What the pods on one node have to deal. Where workloads take whole nodes without devices, it is what the largest pod asks
/// for: from what they leave of many nodes together Kueue would admit one more, which no node has room for.
fn node(plan: &Plan, id: NounId, pool: &PoolPlan) -> Amounts {
    let all = pool.allocatable;
    let queued = plan.workloads().filter(|(_, workload)| workload.queue.is_some());
    let pods = queued.filter(|(_, it)| it.selection.pools.contains(&id)).map(|(_, it)| it.request);
    match pods.reduce(Amounts::most).filter(|_| pool.resource.is_none()) {
        Some(pod) => Amounts { disk: all.disk, ..pod.least(all) },
        None => all,
    }
}

fn workloads(plan: &Plan, queue: NounId) -> impl Iterator<Item = (NounId, &WorkloadPlan)> {
    plan.workloads().filter(move |(_, workload)| workload.queue == Some(queue))
}

fn hand(plan: &Plan, noun: &Noun, queue: &Queue) -> Hand {
    let mut pools: Vec<NounId> = Vec::new();
    let mut needs: BTreeMap<NounId, Amounts> = BTreeMap::new();
    let of_jobs = workloads(plan, noun.id).flat_map(|(id, _)| side_pools(plan, id));
    for pool in queue.pools.iter().map(|pool| pool.value).chain(of_jobs) {
        if plan.pool(pool).is_some() && !pools.contains(&pool) {
            pools.push(pool);
        }
    }
    for (id, workload) in workloads(plan, noun.id) {
        for pool in &pools {
            let asked = asked(plan, id, workload, workload.place.id(), *pool);
            let most = needs.entry(*pool).or_insert(Amounts::NONE);
            *most = most.most(asked);
        }
    }
    let budget = match &queue.quota {
        Choice::Set(quota) => Some(quota.value.max(0)),
        Choice::Auto => None,
    };
    let own = pools.iter().take_while(|pool| queue.pools.iter().any(|it| it.value == **pool));
    Hand { own: own.count(), pools, shares: BTreeMap::new(), needs, budget }
}

fn side_pools(plan: &Plan, workload: NounId) -> impl Iterator<Item = NounId> {
    let jobs = plan.children(workload).iter().filter_map(|id| plan.model.get(*id));
    jobs.filter_map(|noun| match &noun.body {
        crate::nouns::Body::SideJob(job) => Some(job.pool.value),
        _ => None,
    })
}

/// What all pods of a workload ask of a pool together, where the workload runs at this place.
fn asked(plan: &Plan, id: NounId, workload: &WorkloadPlan, place: NounId, pool: NounId) -> Amounts {
    let own = workload.request.times(if place == pool { workload.nodes } else { 0 });
    own.plus(beside(plan, id, pool))
}

/// Where a workload may run, the pool that it names before the others.
fn places(workload: &WorkloadPlan) -> impl Iterator<Item = NounId> {
    let named = workload.place.id();
    let others = workload.selection.pools.iter().copied().filter(move |pool| *pool != named);
    std::iter::once(named).chain(others)
}

/// Devices of a pool with as much of its nodes as belongs to them.
fn with_nodes(pool: &PoolPlan, devices: i64) -> Amounts {
    let node = pool.allocatable;
    Amounts { devices, ..node.part(devices, node.devices) }
}

/// Nodes of a pool that work as one.
fn indivisible(pool: &PoolPlan) -> i64 {
    pool.slice.as_ref().map_or(1, |slice| slice.hosts)
}

/// A pool that something may be moved to, and who would move there from which of the pools before.
struct Way<'a> {
    to: (NounId, &'a PoolPlan),
    from: Option<(usize, NounId)>,
}

struct Table<'a> {
    plan: &'a Plan,
    left: BTreeMap<NounId, Amounts>,
    hands: BTreeMap<NounId, Hand>,
}

impl<'a> Table<'a> {
    fn left(&self, pool: NounId) -> Amounts {
        self.left.get(&pool).copied().unwrap_or(Amounts::NONE)
    }

    /// Gives a queue as much of `wanted` as is left.
    fn give(&mut self, queue: NounId, pool: NounId, wanted: Amounts) {
        let given = wanted.least(self.left(pool));
        if let Some(left) = self.left.get_mut(&pool) {
            *left = left.less(given);
        }
        if let Some(hand) = self.hands.get_mut(&queue) {
            let share = hand.shares.entry(pool).or_insert(Amounts::NONE);
            *share = share.plus(given);
        }
    }

    /// Gives devices out of a queue's `quota`.
    fn spend(&mut self, queue: NounId, id: NounId, pool: &PoolPlan, devices: i64) {
        let budget = self.hands.get(&queue).and_then(|hand| hand.budget).unwrap_or(0);
        let devices = devices.min(budget).min(self.left(id).devices);
        self.give(queue, id, with_nodes(pool, devices));
        if let Some(hand) = self.hands.get_mut(&queue) {
            hand.budget = hand.budget.map(|budget| budget - devices);
        }
    }

    /// Those with the least choice first.
    fn queues(&self) -> Vec<NounId> {
        let mut queues: Vec<NounId> = self.hands.keys().copied().collect();
        queues.sort_by_key(|queue| (self.hands.get(queue).map(|hand| hand.own), *queue));
        queues
    }

    /// The pools of a queue.
    fn pools(&self, queue: NounId) -> Vec<(NounId, &'a PoolPlan)> {
        let pools = self.hands.get(&queue).map_or(&[][..], |hand| &hand.pools);
        pools.iter().filter_map(|id| Some((*id, self.plan.pool(*id)?))).collect()
    }

    /// Every `quota`: first so that each workload of the queue fits into one pool, then from the first choice on, and from
    /// what no other queue's workloads need before the rest. Where nothing is left for one, others make way for it.
    fn quotas(&mut self) {
        for queue in self.queues() {
            self.quota_for_workloads(queue);
        }
        for spare_others in [true, false] {
            for queue in self.queues() {
                for (id, pool) in self.counted(queue) {
                    let kept = if spare_others { self.needed_by_rest(id) } else { 0 };
                    let devices = self.left(id).devices.saturating_sub(kept).max(0);
                    self.spend(queue, id, pool, devices);
                }
            }
        }
        for queue in self.queues() {
            while self.make_way(queue) {}
        }
    }

    /// The pools of a queue that its `quota` counts.
    fn counted(&self, queue: NounId) -> Vec<(NounId, &'a PoolPlan)> {
        let Some(hand) = self.hands.get(&queue) else { return Vec::new() };
        self.pools(queue).into_iter().filter(|(_, pool)| hand.counts(pool)).collect()
    }

    /// Gives a queue of a full pool what another queue can have of a pool that is not, or yet another after that one moved.
    fn make_way(&mut self, queue: NounId) -> bool {
        let mut ways: Vec<Way<'a>> =
            self.counted(queue).into_iter().map(|to| Way { to, from: None }).collect();
        let mut at = 0;
        while let Some((id, _)) = ways.get(at).map(|way| way.to) {
            if self.left(id).devices > 0 {
                return self.walk(queue, &ways, at);
            }
            for other in self.queues().into_iter().filter(|other| *other != queue) {
                let held = self.hands.get(&other).map_or(0, |hand| hand.share(id).devices);
                for to in if held > 0 { self.counted(other) } else { Vec::new() } {
                    if ways.iter().all(|way| way.to.0 != to.0) {
                        ways.push(Way { to, from: Some((at, other)) });
                    }
                }
            }
            at += 1;
        }
        false
    }

    /// Moves what the whole way can take, from its end on.
    fn walk(&mut self, queue: NounId, ways: &[Way<'a>], end: usize) -> bool {
        let mut steps = Vec::new();
        let mut next = ways.get(end);
        let mut first = None;
        while let Some(way) = next {
            first = Some(way.to);
            next = way.from.and_then(|(before, mover)| {
                let before = ways.get(before)?;
                steps.push((mover, before.to, way.to));
                Some(before)
            });
        }
        let Some((first, pool)) = first else { return false };
        let held = |(mover, (from, _), _): &(NounId, (NounId, _), _)| {
            self.hands.get(mover).map_or(0, |hand| hand.share(*from).devices)
        };
        let room = ways.get(end).map_or(0, |way| self.left(way.to.0).devices);
        let budget = self.hands.get(&queue).and_then(|hand| hand.budget).unwrap_or(0);
        let devices = steps.iter().map(held).fold(room.min(budget), i64::min);
        for (mover, (from, old), (to, new)) in steps {
            self.take_back(mover, from, old, devices);
            self.spend(mover, to, new, devices);
        }
        self.spend(queue, first, pool, devices);
        devices > 0
    }

    fn take_back(&mut self, queue: NounId, id: NounId, pool: &PoolPlan, devices: i64) {
        let Some(hand) = self.hands.get_mut(&queue) else { return };
        let share = hand.share(id);
        let kept = with_nodes(pool, share.devices - devices).least(share);
        hand.shares.insert(id, kept);
        hand.budget = hand.budget.map(|budget| budget + devices);
        if let Some(left) = self.left.get_mut(&id) {
            *left = left.plus(share.less(kept));
        }
    }

    fn quota_for_workloads(&mut self, queue: NounId) {
        let plan = self.plan;
        for (_, workload) in workloads(plan, queue) {
            let Some(hand) = self.hands.get(&queue) else { return };
            let Some(budget) = hand.budget else { return };
            let devices = workload.request.times(workload.nodes).devices;
            let more = |pool: NounId| devices - hand.share(pool).devices;
            if workload.selection.pools.iter().any(|pool| more(*pool) <= 0) {
                continue;
            }
            let left = |pool: NounId, kept: i64| self.left(pool).devices.saturating_sub(kept);
            let can = |pool: &NounId, kept: i64| more(*pool) <= budget.min(left(*pool, kept));
            let place = places(workload)
                .find(|pool| can(pool, self.needed_by_rest(*pool)))
                .or_else(|| places(workload).find(|pool| can(pool, 0)));
            let Some((place, pool)) = place.and_then(|id| Some((id, plan.pool(id)?))) else {
                continue;
            };
            let more = more(place);
            self.spend(queue, place, pool, more);
        }
    }

    /// Devices of a pool that workloads of queues without a `quota` need at once.
    fn needed_by_rest(&self, pool: NounId) -> i64 {
        let rest = self.hands.values().filter(|hand| hand.budget.is_none());
        rest.map(|hand| hand.need(pool).devices).max().unwrap_or(0)
    }

    /// What workloads need beyond that, queue by queue.
    fn needs(&mut self) {
        for queue in self.queues() {
            for (id, workload) in workloads(self.plan, queue) {
                let place = self.place(queue, id, workload);
                for (pool, offer) in self.pools(queue) {
                    let asked = asked(self.plan, id, workload, place, pool);
                    self.need(queue, pool, offer, asked);
                }
            }
        }
    }

    /// Where there is enough for a workload, or the pool that it names.
    fn place(&self, queue: NounId, id: NounId, workload: &WorkloadPlan) -> NounId {
        let Some(hand) = self.hands.get(&queue) else { return workload.place.id() };
        let enough = |place: &NounId| {
            self.pools(queue).into_iter().all(|(pool, offer)| {
                let left = self.left(pool);
                let left =
                    Amounts { devices: if hand.counts(offer) { 0 } else { left.devices }, ..left };
                asked(self.plan, id, workload, *place, pool).within(hand.share(pool).plus(left))
            })
        };
        places(workload).find(enough).unwrap_or(workload.place.id())
    }

    fn need(&mut self, queue: NounId, id: NounId, pool: &PoolPlan, asked: Amounts) {
        let Some(hand) = self.hands.get(&queue) else { return };
        let mut missing = asked.less(hand.share(id));
        if hand.counts(pool) {
            missing.devices = 0;
        } else if pool.resource.is_some() {
            missing = missing.most(with_nodes(pool, missing.devices));
        }
        self.give(queue, id, missing);
    }

    /// The rest of each pool to the queues that no `quota` holds back, in whole nodes or slices; what is less goes to the
    /// first.
    fn rest(&mut self) {
        let pools: Vec<NounId> = self.left.keys().copied().collect();
        for id in pools {
            let Some(pool) = self.plan.pool(id) else { continue };
            let takers = self.hands.iter().filter(|(_, hand)| hand.shares_rest(id, pool));
            let takers: Vec<NounId> = takers.map(|(queue, _)| *queue).collect();
            let whole = node(self.plan, id, pool).times(indivisible(pool));
            let wholes = self.left(id).holds(whole).unwrap_or(0);
            let count = takers.len() as i64;
            for (at, queue) in (0..).zip(&takers) {
                let own = wholes / count + i64::from(at < wholes % count);
                self.give(*queue, id, whole.times(own));
            }
            if let Some(first) = takers.first() {
                let left = self.left(id);
                self.give(*first, id, left);
            }
        }
    }
}
