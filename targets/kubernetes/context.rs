//! What rendering looks at: the plan, the facts of the catalog, and what is found once for all workloads.

use super::fabric;
use super::objects::{Amount, Pairs, Text, Toleration};
use super::text::quantity;
use slipform_model::catalog::{Component, KubernetesFacts};
use slipform_model::plan::{Amounts, Plan, PoolPlan, QueuePlan, Taint};
use slipform_model::{Model, Noun, NounId, Size};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A plan that can be rendered for Kubernetes.
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a Model,
    pub(crate) facts: &'a KubernetesFacts,
    pub(crate) jobset: &'a Component,
    pub(crate) kueue: &'a Component,
    /// Weights of a priority over the queues of a cluster.
    priorities: BTreeMap<(NounId, &'a str), BTreeSet<i64>>,
    /// Annotations that the fabric of a pool asks for.
    fabrics: BTreeMap<NounId, Vec<(Text<'a>, String)>>,
}

/// The pool that something runs on, and its cluster.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) pool: &'a PoolPlan,
    pub(crate) pool_noun: &'a Noun,
    pub(crate) cluster_id: NounId,
}

/// The queue that admits a workload.
#[derive(Clone, Copy)]
pub(crate) struct Admission<'a> {
    pub(crate) plan: &'a QueuePlan,
    pub(crate) noun: &'a Noun,
}

impl<'a> Context<'a> {
    /// `None` where the catalog cannot be read.
    pub(crate) fn new(plan: &'a Plan) -> Option<Self> {
        let model = &plan.model;
        let catalog = &model.catalog;
        let mut priorities: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
        for (noun, queue) in model.queues() {
            for (name, weight) in &queue.priorities {
                priorities.entry((noun.parent?, name.as_str())).or_default().insert(*weight);
            }
        }
        let fabrics = plan.pools().map(|(id, pool)| (id, fabric::annotations(pool))).collect();
        Some(Self {
            plan,
            model,
            facts: catalog.kubernetes(),
            jobset: catalog.component("jobset")?,
            kueue: catalog.component("kueue")?,
            priorities,
            fabrics,
        })
    }

    /// Whether queues of a cluster give a queue's priority different weights. In a cluster that is there already, nobody
    /// here knows those of the others.
    pub(crate) fn is_disputed(&self, queue: &Noun, priority: &str) -> bool {
        let Some(cluster) = queue.parent else { return false };
        let weights = self.priorities.get(&(cluster, priority));
        let among_strangers =
            !queue.existing && self.model.get(cluster).is_some_and(|it| it.existing);
        among_strangers || weights.is_some_and(|weights| weights.len() > 1)
    }

    /// What the fabric of a pool asks of its pods' annotations.
    pub(crate) fn fabric_annotations(
        &self,
        pool: NounId,
    ) -> impl Iterator<Item = (Text<'_>, Text<'_>)> {
        let found = self.fabrics.get(&pool).into_iter().flatten();
        found.map(|(key, value)| (Text::Borrowed(&**key), Text::Borrowed(value.as_str())))
    }

    /// The name of a noun, for volumes that are called after it.
    pub(crate) fn noun_name(&self, noun: NounId) -> &'a str {
        self.model.get(noun).map_or("", |noun| &noun.name)
    }

    /// Where a pool is.
    pub(crate) fn site(&self, pool: NounId) -> Option<Site<'a>> {
        let (plan, noun) = (self.plan.pool(pool)?, self.model.get(pool)?);
        Some(Site { pool: plan, pool_noun: noun, cluster_id: plan.cluster.id() })
    }

    /// What a queue is.
    pub(crate) fn admission(&self, queue: NounId) -> Option<Admission<'a>> {
        let noun = self.model.get(queue)?;
        Some(Admission { plan: self.plan.queue(queue)?, noun })
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
        effect: Some(text(&taint.effect)),
    })
}

/// Text that the plan keeps.
pub(crate) fn text(text: &str) -> Text<'_> {
    Cow::Borrowed(text)
}
