//! What queues count besides the devices of nodes and what every node has: devices that pods claim, and what a blueprint names.

use super::context::text;
use super::objects::{Amount, ResourceQuota};
use super::queue::Queues;
use super::text::quantity;
use slipform_model::nouns::{self, Countable, Queue};
use slipform_model::plan::{Amounts, Flavor, QueuePlan};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Queues<'_, 'a> {
    /// Classes of devices that pods claim, by what quotas call them; none where Kueue does not count them. It admits nothing that
    /// claims a class which is not among them.
    pub(crate) fn device_classes(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut classes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        if !self.kueue.counts_devices() {
            return classes;
        }
        for (name, of) in self.said.into_iter().flat_map(|it| it.devices()) {
            classes.entry(name).or_default().extend(of.iter().map(String::as_str));
        }
        let flavors = self.queues.iter().flat_map(|(.., plan)| &plan.flavors);
        for (class, _) in flavors.flat_map(|flavor| self.claims(flavor)) {
            classes.entry(self.called(class)).or_default().insert(class);
        }
        classes
    }

    /// What quotas call the devices that pods on the pools of a queue claim. What it says of them by name is not repeated.
    pub(crate) fn claimed(&self, queue: &Queue, plan: &'a QueuePlan) -> Vec<&'a str> {
        if !self.kueue.counts_devices() {
            return Vec::new();
        }
        let said = others(queue);
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

    /// Classes of the devices that a pod on a flavor claims, and how many it does of each.
    fn claims(&self, flavor: &Flavor) -> impl Iterator<Item = (&'a str, i64)> + use<'a> {
        let stack = self.cx.plan.get(flavor.pool).plan.stack.as_ref();
        let claims = stack.and_then(|stack| stack.gke.as_ref()).into_iter();
        claims.flat_map(|gke| &gke.claims).filter_map(|claim| {
            Some((claim.device_class.as_deref()?, i64::from(claim.count.unwrap_or(1))))
        })
    }

    /// What quotas call a class: as the cluster says, or as it is called.
    fn called(&self, class: &'a str) -> &'a str {
        let mut said = self.said.into_iter().flat_map(|it| it.devices());
        let own = said.find(|(_, classes)| classes.iter().any(|it| it == class));
        own.map_or(class, |(name, _)| name.as_str())
    }
}

/// What a queue says of its flavors besides what is known of nodes.
pub(crate) fn others(queue: &Queue) -> BTreeSet<&str> {
    let flavors = queue.flavors.iter().map(|it| &it.value);
    let said = flavors.flat_map(|nouns::Flavor::Flavor { quota, lend, borrow, .. }| {
        [quota, lend, borrow].into_iter().flatten().filter_map(nouns::Amount::others)
    });
    said.flat_map(|others| others.keys()).map(String::as_str).collect()
}

/// What a flavor has of one of them. What it does not speak of it does not have.
pub(crate) fn other<'a>(flavor: Option<&'a nouns::Flavor>, name: &'a str) -> ResourceQuota<'a> {
    let amount = |said: &Option<nouns::Amount>| {
        Some(match said.as_ref()?.others()?.get(name)? {
            Countable::Int(count) => Amount::Count(*count),
            Countable::Size(size) => Amount::Text(quantity(*size)),
        })
    };
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
