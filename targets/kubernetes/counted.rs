//! What queues count besides the devices of nodes and what every node has: devices that pods claim, and what a blueprint names.

use super::context::text;
use super::objects::{Amount, ResourceQuota, Text};
use super::queue::Queues;
use super::text::quantity;
use slipform_model::Size;
use slipform_model::nouns::{self, Countable, Queue};
use slipform_model::plan::{Amounts, Flavor, QueuePlan};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Queues<'_, 'a> {
    /// What quotas call the devices that pods on the pools of a queue claim. What it says of them by name is not repeated.
    pub(crate) fn claimed(&self, queue: &Queue, plan: &'a QueuePlan) -> Vec<&'a str> {
        if !self.kueue.counts_devices() {
            return Vec::new();
        }
        let said = queue.others();
        let claims = plan.flavors.iter().flat_map(|flavor| self.claims(flavor));
        let names: BTreeSet<&str> = claims.map(|(class, _)| self.called(class)).collect();
        names.into_iter().filter(|name| !said.contains(name)).collect()
    }

    /// How many of them belong to so much of a flavor: each node has its own, and so has a part of one.
    pub(crate) fn claims_of(&self, flavor: &Flavor, name: &str, amounts: Amounts) -> i64 {
        let own = self.cx.plan.get(flavor.pool).plan.allocatable.devices.max(1);
        let nodes = amounts.devices.saturating_add(own - 1) / own;
        let its = self.claims(flavor).filter(|(class, _)| self.called(class) == name);
        let each: i64 = its.map(|(_, count)| count).sum();
        nodes.saturating_mul(each)
    }

    fn claims(&self, flavor: &Flavor) -> impl Iterator<Item = (&'a str, i64)> + use<'a> {
        self.cx.plan.get(flavor.pool).plan.claims()
    }

    /// What workers of a queue hold of what they name besides, added up over all of them, and of what pods on their pools claim.
    pub(crate) fn counted_by_workers(&self, queue: &'a Queue) -> Vec<(Text<'a>, Amount)> {
        let mut claims: BTreeMap<&str, i64> = BTreeMap::new();
        let mut others: BTreeMap<&str, Vec<Countable>> = BTreeMap::new();
        for worker in queue.workers.iter().map(|it| self.cx.plan.get(it.value)) {
            let there = self.cx.plan.get(worker.plan.cluster).body.kueue.as_ref();
            let there = there.map(|it| &it.value);
            let flavors = worker.body.flavors.iter().map(|it| &it.value);
            let said = flavors.filter_map(|nouns::Flavor::Flavor { quota, .. }| quota.as_ref());
            for (name, amount) in said.filter_map(nouns::Amount::others).flatten() {
                let classes = there.and_then(|it| it.devices().get(name));
                let here = |class: &String| self.said?.called(class);
                let name = classes.into_iter().flatten().find_map(here).unwrap_or(name);
                others.entry(name).or_default().push(*amount);
            }
            if !self.kueue.counts_devices() {
                continue;
            }
            for flavor in &worker.plan.flavors {
                let names: BTreeSet<&str> =
                    self.claims(flavor).map(|(class, _)| self.called(class)).collect();
                for name in names {
                    let held = claims.entry(name).or_default();
                    *held = held.saturating_add(self.claims_of(flavor, name, flavor.quota));
                }
            }
        }
        let named = others.iter().map(|(name, amounts)| (text(name), together(amounts)));
        let named: Vec<_> = named.collect();
        let claims = claims.into_iter().filter(|(name, _)| !others.contains_key(name));
        claims.map(|(name, held)| (text(name), Amount::Count(held))).chain(named).collect()
    }

    /// What quotas call a class: as the cluster says, or as it is called.
    fn called(&self, class: &'a str) -> &'a str {
        self.said.and_then(|it| it.called(class)).unwrap_or(class)
    }
}

/// So much, as quotas say it.
pub(crate) fn in_words(amount: Countable) -> Amount {
    match amount {
        Countable::Int(count) => Amount::Count(count),
        Countable::Size(size) => Amount::Text(quantity(size)),
    }
}

/// Several amounts of one thing: bytes where one of them is.
fn together(amounts: &[Countable]) -> Amount {
    let all = amounts.iter().fold(0i128, |all, it| all.saturating_add(it.units()));
    let sizes = amounts.iter().any(|it| matches!(it, Countable::Size(_)));
    in_words(if sizes {
        Countable::Size(Size(u64::try_from(all).unwrap_or(u64::MAX)))
    } else {
        Countable::Int(i64::try_from(all).unwrap_or(i64::MAX))
    })
}

/// What a flavor has of one of them. What it does not speak of it does not have.
pub(crate) fn other<'a>(flavor: Option<&'a nouns::Flavor>, name: &'a str) -> ResourceQuota<'a> {
    let amount =
        |said: &Option<nouns::Amount>| said.as_ref()?.others()?.get(name).copied().map(in_words);
    let (quota, lend, borrow) = match flavor {
        Some(nouns::Flavor::Flavor { quota, lend, borrow, .. }) => {
            (amount(quota), amount(lend), amount(borrow))
        }
        None => (None, None, None),
    };
    ResourceQuota {
        name: text(name),
        nominal_quota: quota.unwrap_or(Amount::Count(0)),
        borrowing_limit: borrow,
        lending_limit: lend,
    }
}
