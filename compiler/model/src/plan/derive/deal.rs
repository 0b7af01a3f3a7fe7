//! Dealing what pools have to the queues over them, so that nothing is promised twice.
//!
//! A `quota` comes before what follows by itself, what a workload needs before what is left, and the first choice of a queue
//! before its others. Whoever has no `quota` shares the rest evenly, in whole nodes.

use super::fit::flavored;
use super::said::{limit, said};
use crate::nouns::{Amount, Choice, Flavor, Kind, Queue, Sharing};
use crate::plan::{Amounts, Gang, Overdraft, Plan, PoolPlan, Run, asked_on};
use crate::{Noun, NounId, Size};
use std::collections::BTreeMap;

/// What each queue holds of each pool.
pub(crate) struct Dealt {
    hands: BTreeMap<NounId, Hand>,
}

/// One queue's.
struct Hand {
    /// Its pools, first choice first; behind them those that only groups use.
    pools: Vec<NounId>,
    /// How many of them are the queue's own.
    own: usize,
    shares: BTreeMap<NounId, Amounts>,
    /// What its workloads ask of each pool at most.
    needs: BTreeMap<NounId, Amounts>,
    /// What may still be dealt of its `quota`; `None` where it has none.
    budget: Option<i64>,
    /// Pools of flavors of which it says how much it holds, and what there was not.
    fixed: Vec<NounId>,
    overdrawn: Option<Overdraft>,
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

    /// What pools do not have of what a queue says of a flavor.
    pub(crate) fn overdrawn(&self, queue: NounId) -> Option<Overdraft> {
        self.hands.get(&queue).and_then(|hand| hand.overdrawn)
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

    /// Takes what a queue says of a flavor from its pools, as far as there is of it.
    fn hold(
        &mut self,
        quota: &Amount,
        pools: impl Iterator<Item = NounId>,
        plan: &Plan,
        free: &mut BTreeMap<NounId, Amounts>,
    ) {
        let pools: Vec<NounId> = pools.filter(|id| self.pools.contains(id)).collect();
        let nodes = pools.iter().filter_map(|id| plan.pool(*id));
        let nodes =
            nodes.fold(Amounts::NONE, |all, it| all.plus(it.allocatable.times(it.max_nodes())));
        let has = pools.iter().filter_map(|id| free.get(id));
        let has = has.fold(Amounts::NONE, |all, it| all.plus(*it));
        let asked = said(quota, nodes);
        let mut wanted = asked;
        for pool in &pools {
            let Some(left) = free.get_mut(pool) else { continue };
            let given = wanted.least(*left);
            (*left, wanted) = (left.less(given), wanted.less(given));
            self.shares.insert(*pool, given);
        }
        if let (Some(pool), true) = (pools.first(), asked.beyond(has).is_some()) {
            let overdraft = Overdraft { pool: *pool, asked, has };
            self.overdrawn = self.overdrawn.or(Some(overdraft));
        }
    }

    fn need(&self, pool: NounId) -> Amounts {
        self.needs.get(&pool).copied().unwrap_or(Amounts::NONE)
    }

    fn owns(&self, id: NounId) -> bool {
        self.pools.iter().take(self.own).any(|own| *own == id)
    }

    /// Whether its `quota` says how much it may hold of a pool.
    fn counts(&self, id: NounId, pool: &PoolPlan) -> bool {
        self.budget.is_some()
            && pool.resource.is_some()
            && self.owns(id)
            && !self.fixed.contains(&id)
    }

    /// Whether it shares in what is left of a pool: of one of its own, or of one without devices that its groups use.
    fn shares_rest(&self, id: NounId, pool: &PoolPlan) -> bool {
        let used = self.owns(id) || pool.resource.is_none() && self.pools.contains(&id);
        used && !self.counts(id, pool) && !self.fixed.contains(&id)
    }
}

/// A `quota` that is tried in the place of what a queue says.
#[derive(Clone, Copy)]
pub(crate) struct Trial {
    pub(crate) queue: NounId,
    pub(crate) quota: i64,
}

/// Deals all pools of all clusters: by what queues say, one of them tried with another `quota`.
pub(crate) fn deal(plan: &Plan, trial: Option<Trial>) -> Dealt {
    let all: BTreeMap<_, _> = plan.pools().map(|(id, pool)| (id, whole(plan, id, pool))).collect();
    let mut table = Table {
        plan,
        left: all.clone(),
        all,
        hands: plan
            .model
            .queues()
            .map(|(noun, queue)| (noun.id, hand(plan, noun, queue, trial)))
            .collect(),
    };
    table.fixed();
    table.quotas();
    table.needs();
    table.rest();
    Dealt { hands: table.hands }
}

/// Who asks for something of one pool.
#[derive(Default)]
struct Claims {
    /// What the largest workload of each queue asks for.
    of_queues: BTreeMap<NounId, Amounts>,
    /// Groups of workloads in queues that share nodes.
    jobs: Vec<Amounts>,
    /// Workloads in no queue, with their groups.
    of_others: Vec<Amounts>,
}

impl Claims {
    fn new(plan: &Plan, pool: NounId) -> Self {
        let mut claims = Self::default();
        for (_, workload) in plan.runs_on(pool) {
            let named = workload.site.place().id();
            let Some(queue) = workload.queue() else {
                claims.of_others.push(workload.asks(named, pool));
                continue;
            };
            let small = |gang: &&Gang| !plan.pool(pool).is_some_and(|pool| gang.takes_nodes(pool));
            claims.jobs.push(asked_on(workload.groups().iter().filter(small), pool));
            let place = if workload.lead().pod.selection.has(pool) { pool } else { named };
            let most = claims.of_queues.entry(queue.id()).or_insert(Amounts::NONE);
            *most = most.most(workload.asks(place, pool));
        }
        claims
    }
}

fn sum<'a>(amounts: impl IntoIterator<Item = &'a Amounts>) -> Amounts {
    amounts.into_iter().fold(Amounts::NONE, |all, one| all.plus(*one))
}

/// What workloads in no queue, and their groups, ask of a pool.
pub(crate) fn uncounted(plan: &Plan, pool: NounId) -> Amounts {
    sum(&Claims::new(plan, pool).of_others)
}

/// What all nodes of a pool have, less what workloads in no queue take of it.
fn free(plan: &Plan, id: NounId) -> Amounts {
    let all = plan.pool(id).map_or(Amounts::NONE, |it| it.allocatable.times(it.max_nodes()));
    all.less(uncounted(plan, id))
}

/// What all nodes of a pool have to deal: beside the pods on them, the groups of their workloads that share them. What workloads in no queue
/// ask for is not dealt, unless those in queues could never start then: the others end, too.
fn whole(plan: &Plan, id: NounId, pool: &PoolPlan) -> Amounts {
    let claims = Claims::new(plan, id);
    let all = pool.allocatable.times(pool.max_nodes());
    let needed = sum(claims.of_queues.values()).least(all);
    let counted = all.less(sum(&claims.of_others)).most(needed);
    node(plan, id, pool).times(pool.max_nodes()).plus(sum(&claims.jobs)).least(counted)
}

/// What the pods on one node have to deal. Where workloads take whole nodes without devices, it is what the largest pod asks
/// for: from what they leave of many nodes together Kueue would admit one more, which no node has room for. So it is with local
/// disk where several pods share a node.
fn node(plan: &Plan, id: NounId, pool: &PoolPlan) -> Amounts {
    let all = pool.allocatable;
    let queued = plan.runs_on(id).filter(|(_, workload)| workload.queue().is_some());
    let gangs = queued.flat_map(|(_, run)| {
        let large = run.groups().iter().filter(|gang| gang.takes_nodes(pool));
        std::iter::once(run.lead()).chain(large)
    });
    let pods = gangs.filter(|gang| gang.pod.selection.has(id)).map(|gang| gang.request);
    if pool.resource.is_none() {
        let largest = pods.reduce(Amounts::most);
        return largest.map_or(all, |pod| Amounts { disk: all.disk, ..pod.least(all) });
    }
    let mut sizes: Vec<u64> = pods.map(|pod| pod.disk.0).filter(|size| *size > 0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    match (&pool.sharing, sizes.as_slice()) {
        (Some(Sharing::TimeShared { .. }), [size]) if *size <= all.disk.0 => {
            Amounts { disk: Size(all.disk.0 / size * size), ..all }
        }
        _ => all,
    }
}

fn runs(plan: &Plan, queue: NounId) -> impl Iterator<Item = &Run> {
    plan.workloads()
        .map(|(_, run)| run)
        .filter(move |run| run.queue().is_some_and(|own| own == queue))
}

fn hand(plan: &Plan, noun: &Noun, queue: &Queue, trial: Option<Trial>) -> Hand {
    let members = plan.workloads().filter(|(_, run)| run.queue().is_some_and(|own| own == noun.id));
    let pools = flavored(plan, noun, queue, members.map(|(id, _)| id));
    let mut needs: BTreeMap<NounId, Amounts> = BTreeMap::new();
    for workload in runs(plan, noun.id) {
        for pool in &pools {
            let asked = workload.asks(workload.site.place().id(), *pool);
            let most = needs.entry(*pool).or_insert(Amounts::NONE);
            *most = most.most(asked);
        }
    }
    let said = match &queue.quota {
        Choice::Set(quota) => Some(quota.value),
        Choice::Auto => None,
    };
    let tried = trial.filter(|trial| trial.queue == noun.id).map(|trial| trial.quota);
    let budget = tried.or(said).map(|quota| quota.max(0));
    let own = pools.iter().take_while(|pool| queue.pools.iter().any(|it| it.value == **pool));
    let fixed = queue.flavors.iter().filter(|it| it.value.quota().is_some());
    let fixed = fixed.flat_map(|it| it.value.pools().collect::<Vec<_>>()).collect();
    let shares = BTreeMap::new();
    Hand { own: own.count(), pools, shares, needs, budget, fixed, overdrawn: None }
}

/// Where a workload may run, the pool that it names before the others.
fn places(workload: &Run) -> impl Iterator<Item = NounId> {
    let named = workload.site.place().id();
    let others = workload.lead().pod.selection.ids().filter(move |pool| *pool != named);
    std::iter::once(named).chain(others)
}

/// Devices of a pool that a queue may use of others' at most.
fn borrowable(plan: &Plan, queue: NounId, pool: NounId) -> i64 {
    let queue = plan.model.get(queue).and_then(|noun| Queue::of(&noun.body));
    let Some((queue, cohort)) = queue.and_then(|it| Some((it, it.cohort.as_ref()?))) else {
        return 0;
    };
    let all = || plan.pool(pool).map_or(Amounts::NONE, |it| it.allocatable.times(it.max_nodes()));
    let of_flavor = queue.flavor_of(pool).and_then(Flavor::borrow);
    let of_flavor = of_flavor.map(|borrow| limit(borrow, all()).devices);
    of_flavor.or_else(|| cohort.borrow()).unwrap_or(i64::MAX)
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
    /// What each pool has to deal.
    all: BTreeMap<NounId, Amounts>,
    left: BTreeMap<NounId, Amounts>,
    hands: BTreeMap<NounId, Hand>,
}

impl<'a> Table<'a> {
    fn left(&self, pool: NounId) -> Amounts {
        self.left.get(&pool).copied().unwrap_or(Amounts::NONE)
    }

    /// Devices of a pool with as much of its nodes as belongs to them.
    fn with_nodes(&self, pool: NounId, devices: i64) -> Amounts {
        let all = self.all.get(&pool).copied().unwrap_or(Amounts::NONE);
        Amounts { devices, ..all.part(devices, all.devices) }
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
    fn spend(&mut self, queue: NounId, id: NounId, devices: i64) {
        let budget = self.hands.get(&queue).and_then(|hand| hand.budget).unwrap_or(0);
        let devices = devices.min(budget).min(self.left(id).devices);
        self.give(queue, id, self.with_nodes(id, devices));
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

    /// What queues say of single flavors, from the first pool of each on. It may be all that nodes have, where more than a pod of
    /// the blueprint fits on one.
    fn fixed(&mut self) {
        let mut free: BTreeMap<NounId, Amounts> =
            self.all.iter().map(|(id, all)| (*id, free(self.plan, *id).most(*all))).collect();
        for (noun, queue) in self.plan.model.queues() {
            let Some(hand) = self.hands.get_mut(&noun.id) else { continue };
            for flavor in &queue.flavors {
                let Some(quota) = flavor.value.quota() else { continue };
                hand.hold(quota, flavor.value.pools(), self.plan, &mut free);
            }
        }
        for (id, left) in &mut self.left {
            *left = left.least(free.get(id).copied().unwrap_or(Amounts::NONE));
        }
    }

    /// Every `quota`: first so that each workload of the queue fits into one pool, by itself or with what is borrowed, then
    /// from the first choice on, and from what no other queue's workloads need before the rest. Where nothing is left for
    /// one, others make way for it.
    fn quotas(&mut self) {
        for queue in self.queues() {
            self.quota_for_workloads(queue);
        }
        for queue in self.queues() {
            self.quota_beside_borrowed(queue);
        }
        for spare_others in [true, false] {
            for queue in self.queues() {
                for (id, _) in self.counted(queue) {
                    let kept = if spare_others { self.needed_by_rest(id) } else { 0 };
                    let devices = self.left(id).devices.saturating_sub(kept).max(0);
                    self.spend(queue, id, devices);
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
        self.pools(queue).into_iter().filter(|(id, pool)| hand.counts(*id, pool)).collect()
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
                steps.push((mover, before.to.0, way.to.0));
                Some(before)
            });
        }
        let Some((first, _)) = first else { return false };
        let held = |(mover, from, _): &(NounId, NounId, _)| {
            self.hands.get(mover).map_or(0, |hand| hand.share(*from).devices)
        };
        let room = ways.get(end).map_or(0, |way| self.left(way.to.0).devices);
        let budget = self.hands.get(&queue).and_then(|hand| hand.budget).unwrap_or(0);
        let devices = steps.iter().map(held).fold(room.min(budget), i64::min);
        for (mover, from, to) in steps {
            self.take_back(mover, from, devices);
            self.spend(mover, to, devices);
        }
        self.spend(queue, first, devices);
        devices > 0
    }

    fn take_back(&mut self, queue: NounId, id: NounId, devices: i64) {
        let share = self.hands.get(&queue).map_or(Amounts::NONE, |hand| hand.share(id));
        let kept = self.with_nodes(id, share.devices - devices).least(share);
        let Some(hand) = self.hands.get_mut(&queue) else { return };
        hand.shares.insert(id, kept);
        hand.budget = hand.budget.map(|budget| budget + devices);
        if let Some(left) = self.left.get_mut(&id) {
            *left = left.plus(share.less(kept));
        }
    }

    fn quota_for_workloads(&mut self, queue: NounId) {
        let plan = self.plan;
        for workload in runs(plan, queue) {
            let Some(hand) = self.hands.get(&queue) else { return };
            let more = |pool: NounId| workload.asks(pool, pool).devices - hand.share(pool).devices;
            if workload.lead().pod.selection.ids().any(|pool| more(pool) <= 0) {
                self.quota_for_groups(queue, workload);
                continue;
            }
            let can = |pool: &NounId, kept: i64| more(*pool) <= self.spendable(queue, *pool, kept);
            let place = places(workload)
                .find(|pool| can(pool, self.needed_by_rest(*pool)))
                .or_else(|| places(workload).find(|pool| can(pool, 0)));
            let Some(place) = place else { continue };
            let more = more(place);
            self.spend(queue, place, more);
            self.quota_for_groups(queue, workload);
        }
    }

    /// Devices for workloads that are larger than what their queue may have by itself, where it borrows the rest.
    fn quota_beside_borrowed(&mut self, queue: NounId) {
        let plan = self.plan;
        for workload in runs(plan, queue) {
            let Some(hand) = self.hands.get(&queue) else { return };
            let more = |pool: NounId| workload.asks(pool, pool).devices - hand.share(pool).devices;
            if workload.lead().pod.selection.ids().any(|pool| more(pool) <= 0) {
                continue;
            }
            let own = |pool: NounId, kept: i64| more(pool).min(self.spendable(queue, pool, kept));
            let rest = |pool: NounId, kept: i64| more(pool) - own(pool, kept);
            let can =
                |pool: &NounId, kept: i64| rest(*pool, kept) <= borrowable(plan, queue, *pool);
            let kept = |pool: NounId| self.needed_by_rest(pool);
            let sparing = places(workload).find(|pool| can(pool, kept(*pool)));
            let place = sparing.map(|pool| (pool, own(pool, kept(pool))));
            let taking = || places(workload).find(|pool| can(pool, 0));
            // where nothing is enough, the pool that it names comes closest
            let named = || places(workload).find(|pool| borrowable(plan, queue, *pool) > 0);
            let place = place.or_else(|| taking().or_else(named).map(|pool| (pool, own(pool, 0))));
            let Some((place, own)) = place else { continue };
            self.spend(queue, place, own);
        }
    }

    /// Devices for groups on pools where the workload's own nodes are not.
    fn quota_for_groups(&mut self, queue: NounId, workload: &Run) {
        let lead = &workload.lead().pod.selection;
        for gang in workload.groups() {
            let id = gang.program.place.value.id();
            let Some(hand) = self.hands.get(&queue) else { return };
            let counted = self.plan.pool(id).is_some_and(|pool| hand.counts(id, pool));
            if counted && !lead.has(id) {
                let asked = asked_on(workload.groups(), id).devices;
                self.spend(queue, id, asked - hand.share(id).devices);
            }
        }
    }

    /// Devices of a pool that a queue's `quota` can still buy, beside those kept for others: none where a flavor says how many it holds.
    fn spendable(&self, queue: NounId, id: NounId, kept: i64) -> i64 {
        let counted = self.hands.get(&queue).zip(self.plan.pool(id));
        let counted = counted.filter(|(hand, pool)| hand.counts(id, pool));
        let budget = counted.and_then(|(hand, _)| hand.budget).unwrap_or(0);
        budget.min(self.left(id).devices.saturating_sub(kept)).max(0)
    }

    /// Devices of a pool that workloads of queues without a `quota` need at once.
    fn needed_by_rest(&self, pool: NounId) -> i64 {
        let rest = self.hands.values().filter(|hand| hand.budget.is_none());
        rest.map(|hand| hand.need(pool).devices).max().unwrap_or(0)
    }

    /// What workloads need beyond that, queue by queue.
    fn needs(&mut self) {
        for queue in self.queues() {
            for workload in runs(self.plan, queue) {
                let place = self.place(queue, workload);
                for (pool, offer) in self.pools(queue) {
                    let asked = workload.asks(place, pool);
                    self.need(queue, pool, offer, asked);
                }
            }
        }
    }

    /// Where there is enough for a workload, or the pool that it names.
    fn place(&self, queue: NounId, workload: &Run) -> NounId {
        let Some(hand) = self.hands.get(&queue) else { return workload.site.place().id() };
        let enough = |place: &NounId| {
            self.pools(queue).into_iter().all(|(pool, offer)| {
                let left = self.left(pool);
                let left = Amounts {
                    devices: if hand.counts(pool, offer) { 0 } else { left.devices },
                    ..left
                };
                let left = if hand.fixed.contains(&pool) { Amounts::NONE } else { left };
                workload.asks(*place, pool).within(hand.share(pool).plus(left))
            })
        };
        places(workload).find(enough).unwrap_or(workload.site.place().id())
    }

    fn need(&mut self, queue: NounId, id: NounId, pool: &PoolPlan, asked: Amounts) {
        let Some(hand) = self.hands.get(&queue) else { return };
        let share = hand.share(id);
        let mut missing = asked.less(share);
        if hand.fixed.contains(&id) {
            return;
        }
        if hand.counts(id, pool) {
            // what it has to borrow brings its part of the nodes with it
            let held = match asked.devices {
                0 => asked,
                all => asked.part(share.devices.min(all), all),
            };
            missing = Amounts { devices: 0, ..held.less(share) };
        } else if pool.resource.is_some() {
            missing = missing.most(self.with_nodes(id, missing.devices));
        }
        self.give(queue, id, missing);
    }

    /// What the pods on one node have of what is dealt.
    fn node(&self, id: NounId, pool: &PoolPlan) -> Amounts {
        match pool.resource {
            Some(_) => self.with_nodes(id, pool.allocatable.devices),
            None => node(self.plan, id, pool),
        }
    }

    /// The rest of each pool to the queues that no `quota` holds back, in whole nodes or slices; what is less goes to the
    /// first.
    fn rest(&mut self) {
        let pools: Vec<NounId> = self.left.keys().copied().collect();
        for id in pools {
            let Some(pool) = self.plan.pool(id) else { continue };
            let takers = self.hands.iter().filter(|(_, hand)| hand.shares_rest(id, pool));
            let takers: Vec<NounId> = takers.map(|(queue, _)| *queue).collect();
            let whole = self.node(id, pool).times(indivisible(pool));
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
