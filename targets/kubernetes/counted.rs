//! What queues count besides the devices of nodes and what every node has: devices that pods claim, and what a blueprint names.

use super::context::text;
use super::objects::{Amount, ResourceQuota};
use super::text::quantity;
use slipform_model::nouns::Countable;
use slipform_model::plan::{Counts, QueuePlan};
use std::collections::BTreeSet;

/// Names that a queue counts: those of devices that pods claim, or those that the blueprint names besides.
pub(crate) fn names(plan: &QueuePlan, claimed: bool) -> Vec<&str> {
    let counts = plan.counts.values().flatten().filter(|(_, it)| it.claimed == claimed);
    let names: BTreeSet<&str> = counts.map(|(name, _)| name.as_str()).collect();
    names.into_iter().collect()
}

/// What a flavor has of one of them.
pub(crate) fn quota<'a>(name: &'a str, counts: &Counts) -> ResourceQuota<'a> {
    ResourceQuota {
        name: text(name),
        nominal_quota: in_words(counts.held),
        borrowing_limit: counts.borrows.map(in_words),
        lending_limit: counts.lends.map(in_words),
    }
}

/// So much, as quotas say it.
pub(crate) fn in_words(amount: Countable) -> Amount {
    match amount {
        Countable::Int(count) => Amount::Count(count),
        Countable::Size(size) => Amount::Text(quantity(size)),
    }
}
