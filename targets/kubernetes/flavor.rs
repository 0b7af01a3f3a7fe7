//! Flavors: what the pools of a queue are to Kueue.

use super::context::{Context, pool_selector, pool_tolerations, text};
use super::objects::{FlavorSpec, NodeTaint, Pairs, Toleration};
use super::pod::Crew;
use slipform_model::nouns::{Flavor as Said, Queue};
use slipform_model::plan::{Flavor, PoolPlan, QueuePlan};

const KEEPS_AWAY: &str = "NoSchedule";

/// The flavors of a queue with all pools of each, first choice first.
pub(crate) fn shared(plan: &QueuePlan) -> Vec<Vec<&Flavor>> {
    let mut all: Vec<Vec<&Flavor>> = Vec::new();
    for flavor in &plan.flavors {
        let same = |pools: &&mut Vec<&Flavor>| pools.iter().any(|it| it.name == flavor.name);
        match all.iter_mut().find(same) {
            Some(pools) => pools.push(flavor),
            None => all.push(vec![flavor]),
        }
    }
    all
}

/// A flavor: the labels that the nodes of all its pools have, what it says of them, and what pods on any of them tolerate.
pub(crate) fn spec<'a>(cx: &Context<'a>, queue: &'a Queue, pools: &[&'a Flavor]) -> FlavorSpec<'a> {
    let said = pools.first().and_then(|flavor| queue.flavor_of(flavor.pool.id()));
    let plans: Vec<&'a PoolPlan> = pools.iter().map(|it| cx.plan.get(it.pool).plan).collect();
    let mut tolerations: Vec<Toleration<'a>> = Vec::new();
    for toleration in plans.iter().flat_map(|pool| pool_tolerations(pool)) {
        if !tolerations.contains(&toleration) {
            tolerations.push(toleration);
        }
    }
    let mut spec = FlavorSpec {
        node_labels: common(&plans),
        node_taints: Vec::new(),
        tolerations,
        topology_name: pools.iter().find_map(|it| it.levels.as_ref()).map(|it| text(&it.name)),
    };
    let Some(Said::Flavor { labels, unlabelled, taints, tolerates, .. }) = said else {
        return spec;
    };
    if *unlabelled {
        spec.node_labels.clear();
    }
    spec.node_labels.extend(labels.iter().map(|(key, value)| (text(key), text(value))));
    let taint = |(key, value): (&'a String, &'a String)| NodeTaint {
        key: text(key),
        value: text(value),
        effect: KEEPS_AWAY,
    };
    spec.node_taints = taints.iter().map(taint).collect();
    spec.tolerations.extend(tolerates.iter().map(|key| Toleration {
        key: Some(text(key)),
        operator: "Exists",
        value: None,
        effect: None,
    }));
    spec
}

/// Labels that the nodes of all pools have.
fn common<'a>(pools: &[&'a PoolPlan]) -> Pairs<'a> {
    let mut labels = pools.first().map_or_else(Pairs::new, |pool| pool_selector(pool));
    labels.retain(|key, value| {
        pools.iter().all(|pool| pool.selector.get(&**key).is_some_and(|it| **it == **value))
    });
    labels
}

/// What pods that name a pool tolerate of what their queue says of its nodes.
pub(crate) fn guarded<'a>(crew: Crew<'a>) -> impl Iterator<Item = Toleration<'a>> {
    let queue = crew.run.admission.map(|it| it.body);
    let flavor = queue.and_then(|queue| queue.flavor_of(crew.nodes.pool_id.id()));
    let taints = flavor.into_iter().flat_map(|Said::Flavor { taints, .. }| taints);
    taints.map(|(key, value)| Toleration {
        key: Some(text(key)),
        operator: "Equal",
        value: Some(text(value)),
        effect: Some(KEEPS_AWAY.into()),
    })
}
