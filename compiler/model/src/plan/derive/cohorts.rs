//! Cohorts: what queues lend each other of the pools that they share.

use super::deal::Dealt;
use super::said::limit;
use crate::nouns::{Cohort, Flavor, GkeCluster, Kind, Queue, Within};
use crate::plan::{Amounts, Plan};
use crate::{Noun, NounId};
use std::collections::BTreeMap;

/// Queues with what was dealt to them.
pub(super) struct Cohorts<'a> {
    pub(super) plan: &'a Plan,
    pub(super) dealt: Dealt,
}

impl Cohorts<'_> {
    /// What others may use of each pool of a queue that says how many devices that is; nothing where it does not. It keeps
    /// its first choice longest.
    pub(super) fn lent(&self, id: NounId, queue: &Queue) -> BTreeMap<NounId, Amounts> {
        let mut lent = self.lent_in_all(id, queue);
        for flavor in queue.flavors.iter().map(|it| &it.value) {
            let Some(lend) = flavor.lend() else { continue };
            let pools: Vec<NounId> = flavor.pools().collect();
            let shares = pools.iter().map(|pool| (*pool, self.dealt.share(id, *pool)));
            let all = shares.clone().fold(Amounts::NONE, |all, (_, own)| all.plus(own));
            let mut left = limit(lend, all).least(all);
            for (pool, own) in shares {
                lent.insert(pool, own.least(left));
                left = left.less(own);
            }
        }
        lent
    }

    /// All nodes of a flavor.
    fn nodes(&self, flavor: &Flavor) -> Amounts {
        let pools = flavor.pools().filter_map(|id| self.plan.pool(id));
        pools.fold(Amounts::NONE, |all, it| all.plus(it.allocatable.times(it.max_nodes())))
    }

    fn lent_in_all(&self, id: NounId, queue: &Queue) -> BTreeMap<NounId, Amounts> {
        let Some(most) = queue.cohort.as_ref().and_then(Cohort::lend) else {
            return BTreeMap::new();
        };
        let pools = self.dealt.pools(id).iter().rev();
        let own = |pool: &NounId| self.dealt.share(id, *pool);
        let (parts, _) = self.parted(pools.map(|pool| (*pool, own(pool).devices)), most);
        let amounts = |(pool, devices): (NounId, i64)| {
            let all = own(&pool);
            (pool, Amounts { devices, ..all.part(devices, all.devices) })
        };
        parts.into_iter().map(amounts).chain(self.nothing(id, most)).collect()
    }

    /// What a queue may use of others' on each of its pools, where it says how many devices that is: first what its workloads
    /// lack on the pools that they name, then its first choice, which has what nobody here lends, too, since there may be
    /// others in the cluster.
    pub(super) fn borrowed(&self, noun: &Noun, queue: &Queue) -> BTreeMap<NounId, Amounts> {
        let mut borrowed = self.borrowed_in_all(noun, queue);
        for flavor in queue.flavors.iter().map(|it| &it.value) {
            let Some(borrow) = flavor.borrow() else { continue };
            let mut left = limit(borrow, self.nodes(flavor));
            let mut first = None;
            for pool in flavor.pools() {
                let most = left.least(self.offered(noun, pool));
                first = first.or(Some(pool));
                borrowed.insert(pool, most);
                left = left.less(most);
            }
            // there may be others in the cluster that lend
            if let Some(most) = first.and_then(|pool| borrowed.get_mut(&pool)) {
                *most = most.plus(left);
            }
        }
        borrowed
    }

    fn borrowed_in_all(&self, noun: &Noun, queue: &Queue) -> BTreeMap<NounId, Amounts> {
        let Some(most) = queue.cohort.as_ref().and_then(Cohort::borrow) else {
            return BTreeMap::new();
        };
        let pools = self.dealt.pools(noun.id);
        let others = |pool: &NounId| self.offered(noun, *pool).devices;
        let lacking = |pool: &NounId| (*pool, self.lacking(noun.id, *pool).min(others(pool)));
        let (needed, left) = self.parted(pools.iter().map(lacking), most);
        let more = |pool: &NounId| (*pool, others(pool) - needed.get(pool).copied().unwrap_or(0));
        let (mut parts, rest) = self.parted(pools.iter().map(more), left);
        for (pool, devices) in needed {
            *parts.entry(pool).or_default() += devices;
        }
        if let Some(first) = pools.iter().find(|pool| parts.contains_key(pool)) {
            *parts.entry(*first).or_default() += rest;
        }
        let amounts = |(pool, devices): (NounId, i64)| {
            let node = self.plan.pool(pool).map_or(Amounts::NONE, |it| it.allocatable);
            (pool, Amounts { devices, ..node.part(devices, node.devices) })
        };
        parts.into_iter().map(amounts).chain(self.nothing(noun.id, most)).collect()
    }

    /// Devices that the largest workload of a queue asks of a pool beyond what the queue holds there, as the workloads name their
    /// pools.
    fn lacking(&self, id: NounId, pool: NounId) -> i64 {
        let own = self.plan.workloads().filter(|(_, run)| run.queue().is_some_and(|it| it == id));
        let asked = own.map(|(_, run)| run.asks(run.site.place().id(), pool).devices);
        (asked.max().unwrap_or(0) - self.dealt.share(id, pool).devices).max(0)
    }

    /// What the others of a queue's cohort lend of a pool together.
    pub(super) fn offered(&self, noun: &Noun, pool: NounId) -> Amounts {
        let own = outermost(self.plan, noun);
        let of_cohort = |(other, _): &(&Noun, &Queue)| {
            let same = own.is_some() && outermost(self.plan, other) == own;
            other.id != noun.id && other.parent == noun.parent && same
        };
        let called = |queue: Option<&Queue>| {
            queue.and_then(|it| it.flavor_of(pool)).and_then(Flavor::name).map(str::to_owned)
        };
        let ours = called(Queue::of(&noun.body));
        let others = self.plan.model.queues().filter(of_cohort);
        // of a flavor that is called otherwise nothing is lent
        let others = others.filter(|(_, its)| called(Some(its)) == ours);
        others.fold(Amounts::NONE, |all, (other, its)| {
            let own = self.dealt.share(other.id, pool);
            let lent = self.lent(other.id, its).get(&pool).copied();
            all.plus(lent.map_or(own, |most| most.least(own)))
        })
    }

    /// So many devices out of what there is of each pool, from the first on, and how many are left.
    fn parted(
        &self,
        pools: impl Iterator<Item = (NounId, i64)>,
        devices: i64,
    ) -> (BTreeMap<NounId, i64>, i64) {
        let mut left = devices;
        let parts = pools.filter(|(pool, _)| self.has_devices(*pool)).map(|(pool, there)| {
            let taken = there.min(left);
            left -= taken;
            (pool, taken)
        });
        (parts.collect(), left)
    }

    fn has_devices(&self, pool: NounId) -> bool {
        self.plan.pool(pool).is_some_and(|it| it.resource.is_some())
    }

    /// Pools without devices, of which nothing is lent or borrowed either where that is said of devices.
    fn nothing(&self, id: NounId, devices: i64) -> impl Iterator<Item = (NounId, Amounts)> {
        let bare = self.dealt.pools(id).iter().filter(|pool| !self.has_devices(**pool));
        bare.filter(move |_| devices == 0).map(|pool| (*pool, Amounts::NONE))
    }
}

/// The cohort around a queue that is in no other: queues with the same one lend each other what is idle. Where cohorts go in a
/// circle, one of that circle.
pub(crate) fn outermost(plan: &Plan, noun: &Noun) -> Option<String> {
    let cohort = Queue::of(&noun.body)?.cohort.as_ref()?.name();
    let Some(cluster) = noun.parent.and_then(|id| GkeCluster::of(&plan.model.get(id)?.body)) else {
        return Some(cohort.to_owned());
    };
    let around = cluster.cohorts_around(cohort);
    let last = around.last().copied().unwrap_or(cohort);
    let goes_on = cluster.cohorts.get(last).map(|Within::Within { cohort, .. }| cohort.as_str());
    let circle = around.iter().skip_while(|name| Some(**name) != goes_on);
    Some((*circle.min().unwrap_or(&last)).to_owned())
}
