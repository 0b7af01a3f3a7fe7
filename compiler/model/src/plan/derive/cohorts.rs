//! Cohorts: what queues lend each other of the pools that they share.

use super::deal::Dealt;
use crate::nouns::{Cohort, Queue};
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
        parts.into_iter().map(amounts).collect()
    }

    /// What a queue may use of others' on each of its pools, where it says how many devices that is: its first choice first,
    /// which has what nobody here lends, too, since there may be others in the cluster.
    pub(super) fn borrowed(&self, noun: &Noun, queue: &Queue) -> BTreeMap<NounId, Amounts> {
        let Some(most) = queue.cohort.as_ref().and_then(Cohort::borrow) else {
            return BTreeMap::new();
        };
        let pools = self.dealt.pools(noun.id);
        let others = |pool: &NounId| (*pool, self.offered(noun, queue, *pool).devices);
        let (mut parts, rest) = self.parted(pools.iter().map(others), most);
        if let Some(first) = pools.iter().find(|pool| parts.contains_key(pool)) {
            *parts.entry(*first).or_default() += rest;
        }
        let amounts = |(pool, devices): (NounId, i64)| {
            let node = self.plan.pool(pool).map_or(Amounts::NONE, |it| it.allocatable);
            (pool, Amounts { devices, ..node.part(devices, node.devices) })
        };
        parts.into_iter().map(amounts).collect()
    }

    /// What the others of a queue's cohort lend of a pool together.
    pub(super) fn offered(&self, noun: &Noun, queue: &Queue, pool: NounId) -> Amounts {
        let of_cohort = |(other, its): &(&Noun, &Queue)| {
            let name = |queue: &Queue| queue.cohort.as_ref().map(|it| it.name().to_owned());
            let same = its.cohort.is_some() && name(its) == name(queue);
            other.id != noun.id && other.parent == noun.parent && same
        };
        let others = self.plan.model.queues().filter(of_cohort);
        others.fold(Amounts::NONE, |all, (other, its)| {
            let own = self.dealt.share(other.id, pool);
            let lent = self.lent(other.id, its).get(&pool).copied();
            all.plus(lent.map_or(own, |most| most.least(own)))
        })
    }

    /// So many devices out of what there is of each pool, from the first on, and how many are left. A pool without devices has
    /// a part where no device is meant at all.
    fn parted(
        &self,
        pools: impl Iterator<Item = (NounId, i64)>,
        devices: i64,
    ) -> (BTreeMap<NounId, i64>, i64) {
        let has_devices =
            |pool: NounId| self.plan.pool(pool).is_some_and(|it| it.resource.is_some());
        let counted = pools.filter(|(pool, _)| devices == 0 || has_devices(*pool));
        let mut left = devices;
        let parts = counted.map(|(pool, there)| {
            let taken = there.min(left);
            left -= taken;
            (pool, taken)
        });
        (parts.collect(), left)
    }
}
