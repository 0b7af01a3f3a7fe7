//! Checks that workloads pass before they are admitted: which of them mean two things under one name.

use crate::NounId;
use crate::nouns::{Backoff, Body, Capacity, Check, Kind, ObjectName, Pool, Queue, Ref};
use crate::plan::Plan;

/// The pool before one that asks for nodes by a check of the same name, and in another way.
pub(crate) fn check_clash(plan: &Plan, id: NounId) -> Option<Option<Ref<Pool>>> {
    let (name, own) = asked(plan, id)?;
    let cluster = plan.model.get(id)?.parent?;
    let before = plan.children(cluster).iter().take_while(|it| **it != id);
    let clashes = |other: &&NounId| {
        let other = asked(plan, **other).filter(|(its, _)| name.is_some() && *its == name);
        other.is_some_and(|(_, other)| other != own)
    };
    Some(before.copied().find(|other| clashes(&other)).map(Ref::to))
}

/// Checks of a queue that another one of its cluster, or a pool that asks for nodes, says otherwise.
pub(crate) fn clashing_checks(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let noun = plan.model.get(id)?;
    let own = &Queue::of(&noun.body)?.checks;
    let around = plan.children(noun.parent?);
    let of_pools = around.iter().filter_map(|it| asked(plan, *it)?.0);
    let of_pools: Vec<&str> = of_pools.collect();
    let others = around.iter().filter_map(|it| Queue::of(&plan.model.get(*it)?.body));
    let others: Vec<&Check> = others.flat_map(|queue| &queue.checks).map(|it| &it.value).collect();
    let clashes = |check: &Check| {
        let otherwise =
            |it: &&Check| it.is_made() && it.name() == check.name() && !it.is_same(check);
        check.is_made() && (of_pools.contains(&check.name()) || others.iter().any(otherwise))
    };
    let mut found = Vec::new();
    for check in own.iter().filter(|it| clashes(&it.value)) {
        let name = check.value.name().to_owned();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    Some(found)
}

/// What a check says at greater length than the API takes.
pub(crate) struct Long {
    pub(crate) check: String,
    /// What there is of it, in words.
    pub(crate) what: String,
    pub(crate) used: i64,
    pub(crate) most: i64,
}

/// What the checks of a queue say at greater length than the API takes.
pub(crate) fn long_checks(plan: &Plan, id: NounId) -> Option<Vec<Long>> {
    let limits = &plan.model.catalog.limits().kueue;
    let mut found = Vec::new();
    for check in Queue::of(&plan.model.get(id)?.body)?.checks.iter().map(|it| &it.value) {
        let mut at_most = |what: String, used: usize, most: u32| {
            let (used, most) = (i64::try_from(used).unwrap_or(i64::MAX), i64::from(most));
            let check = check.name().to_owned();
            found.extend((used > most).then_some(Long { check, what, used, most }));
        };
        let mut name = |what: &str, name: &str| {
            at_most(format!("characters of its {what}"), name.chars().count(), limits.name_max)
        };
        match check {
            Check::String(_) => {}
            Check::Check { name: _, controller, parameters, pools: _ } => {
                controller.iter().for_each(|it| name("controller", it));
                let group = parameters.iter().map(|ObjectName::Object { group, .. }| group);
                group.for_each(|it| name("group of parameters", it));
            }
            Check::Provisioning { name: _, class, parameters, retry: _, pools: _ } => {
                name("class", class);
                at_most("parameters".to_owned(), parameters.len(), limits.provisioning_parameters);
                for (key, value) in parameters {
                    let what = format!("characters of its parameter `{key}`");
                    at_most(what, value.chars().count(), limits.provisioning_value);
                }
            }
        }
    }
    Some(found)
}

/// What the check of a pool is called and asks for.
type Asked<'a> = (Option<&'a str>, (Option<Backoff>, Option<String>));

fn asked(plan: &Plan, pool: NounId) -> Option<Asked<'_>> {
    let Body::Pool(body) = &plan.model.get(pool)?.body else { return None };
    let slice = plan.pool(pool)?.slice.as_ref().filter(|slice| !slice.single_host);
    let topology = slice.map(|slice| slice.topology.to_string());
    Some(match &body.capacity.value {
        Capacity::Queued { max: _, check, retry } => (check.as_deref(), (*retry, topology)),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Reservation { .. }
        | Capacity::Calendar { .. } => (None, (None, None)),
    })
}
