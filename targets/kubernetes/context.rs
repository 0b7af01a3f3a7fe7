//! What rendering looks at: the plan, the facts of the catalog, and what is found once for all workloads.

use super::fabric;
use super::objects::{Amount, Pairs, Text, Toleration};
use super::text::quantity;
use slipform_model::catalog::{Component, KubernetesFacts, Prerequisite};
use slipform_model::nouns::{GkeCluster, Pool, Queue, Ref};
use slipform_model::plan::{Amounts, Planned, PoolPlan, QueuePlan, Sound, Taint};
use slipform_model::{Noun, NounId, Size};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A plan that can be rendered for Kubernetes.
pub(crate) struct Context<'a> {
    pub(crate) plan: Sound<'a>,
    pub(crate) facts: &'a KubernetesFacts,
    pub(crate) jobset: &'a Component,
    pub(crate) kueue: &'a Component,
    /// Weights of a priority over the queues of a cluster.
    priorities: BTreeMap<(NounId, &'a str), BTreeSet<i64>>,
    /// Annotations that the fabric of a pool asks for.
    fabrics: BTreeMap<Ref<Pool>, Vec<(Text<'a>, String)>>,
}

/// The pool that something runs on, and its cluster.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<'a> {
    pub(crate) pool: &'a PoolPlan,
    pub(crate) pool_id: Ref<Pool>,
    pub(crate) cluster: Planned<'a, GkeCluster>,
}

/// The queue that admits a workload.
#[derive(Clone, Copy)]
pub(crate) struct Admission<'a> {
    pub(crate) plan: &'a QueuePlan,
    pub(crate) noun: &'a Noun,
    pub(crate) body: &'a Queue,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: Sound<'a>) -> Self {
        let catalog = plan.catalog();
        let mut priorities: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
        for queue in plan.all::<Queue>() {
            for (name, weight) in &queue.body.priorities {
                let of = (queue.plan.cluster.id(), name.as_str());
                priorities.entry(of).or_default().insert(*weight);
            }
        }
        let pools = plan.all::<Pool>();
        let fabrics =
            pools.map(|pool| (pool.reference(), fabric::annotations(pool.plan))).collect();
        Self {
            plan,
            facts: catalog.kubernetes(),
            jobset: catalog.prerequisite(Prerequisite::Jobset),
            kueue: catalog.prerequisite(Prerequisite::Kueue),
            priorities,
            fabrics,
        }
    }

    /// A name of letters, digits and single dashes in lower case, as long as a part of a host name may be.
    pub(crate) fn dns(&self, text: &str) -> String {
        super::text::dns(text, self.plan.catalog().limits().names.dns1123_label.max as usize)
    }

    /// Whether queues of a cluster give a queue's priority different weights. In a cluster that is there already, nobody
    /// here knows those of the others.
    pub(crate) fn is_disputed(&self, queue: &Noun, plan: &QueuePlan, priority: &str) -> bool {
        let cluster = plan.cluster;
        let weights = self.priorities.get(&(cluster.id(), priority));
        let among_strangers = !queue.existing && !self.plan.get(cluster).is_made();
        among_strangers || weights.is_some_and(|weights| weights.len() > 1)
    }

    /// What the fabric of a pool asks of its pods' annotations.
    pub(crate) fn fabric_annotations(
        &self,
        pool: Ref<Pool>,
    ) -> impl Iterator<Item = (Text<'_>, Text<'_>)> {
        let found = self.fabrics.get(&pool).into_iter().flatten();
        found.map(|(key, value)| (Text::Borrowed(&**key), Text::Borrowed(value.as_str())))
    }

    /// Where something on a pool is.
    pub(crate) fn nodes(&self, pool: Planned<'a, Pool>) -> Nodes<'a> {
        let cluster = self.plan.get(pool.plan.cluster);
        Nodes { pool: pool.plan, pool_id: pool.reference(), cluster }
    }

    /// What a queue is.
    pub(crate) fn admission(&self, queue: Ref<Queue>) -> Admission<'a> {
        let Planned { noun, plan, body, .. } = self.plan.get(queue);
        Admission { plan, noun, body }
    }
}

/// The labels of a pool's nodes.
pub(crate) fn pool_selector(pool: &PoolPlan) -> Pairs<'_> {
    pairs(&pool.selector)
}

/// Labels that the plan keeps.
pub(crate) fn pairs(labels: &BTreeMap<String, String>) -> Pairs<'_> {
    labels.iter().map(|(key, value)| (text(key), text(value))).collect()
}

/// What every node has besides devices, as Kubernetes counts it.
pub(crate) fn host_amounts(amounts: Amounts) -> [(&'static str, Amount); 3] {
    let cpu = match (amounts.millicpus / 1000, amounts.millicpus % 1000) {
        (whole, 0) => Amount::Count(whole),
        _ => Amount::Text(format!("{}m", amounts.millicpus)),
    };
    let size = |size: Size| match size.0 {
        0 => Amount::Count(0),
        _ => Amount::Text(quantity(size)),
    };
    [("cpu", cpu), ("memory", size(amounts.memory)), ("ephemeral-storage", size(amounts.disk))]
}

/// What a pool's taints ask of pods.
pub(crate) fn pool_tolerations(pool: &PoolPlan) -> impl Iterator<Item = Toleration<'_>> {
    tolerations(&pool.taints)
}

/// What taints ask of pods.
pub(crate) fn tolerations(taints: &[Taint]) -> impl Iterator<Item = Toleration<'_>> {
    taints.iter().map(|taint| Toleration {
        key: Some(text(&taint.key)),
        operator: "Equal",
        value: Some(text(&taint.value)),
        effect: Some(text(taint.effect.name())),
    })
}

/// Text that the plan keeps.
pub(crate) fn text(text: &str) -> Text<'_> {
    Cow::Borrowed(text)
}
