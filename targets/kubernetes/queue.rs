//! Queues: flavors, cluster queues with their doors in the namespaces, priorities, and the checks through which nodes
//! are asked for.

use super::context::{Context, host_amounts, pool_selector, pool_tolerations, text};
use super::kustomize::Stream;
use super::objects::{
    AdmissionCheckSpec, Amount, ChecksStrategy, ClusterQueueSpec, CohortSpec, FlavorCheck,
    FlavorQuotas, FlavorSpec, LocalQueueSpec, Meta, Object, ObjectRef, Pairs, PodSetUpdates,
    Preemption, ProvisioningSpec, Requirement, ResourceGroup, ResourceQuota, RetryStrategy,
    Selector, SelectorUpdate, Text, TopologyLevel, TopologySpec, Weight,
};
use super::{patch, words};
use slipform_model::nouns::{Cohort, Preemption as Preempts, Queue, Reclaim, Within};
use slipform_model::plan::{Amounts, Flavor, Planned, PoolPlan, QueuePlan};
use slipform_model::{Diagnostic, Noun, NounId};
use std::collections::BTreeSet;

/// Kueue's own is three requests in seven minutes, after which a workload is deactivated for good: a shortage of minutes, or nodes
/// of the workload before it that are still there, would end a run before it began. This asks again after 1, 2, 4, 8 and 16
/// minutes, and then every half an hour for about a day.
const PATIENCE: RetryStrategy =
    RetryStrategy { backoff_limit_count: 50, backoff_base_seconds: 60, backoff_max_seconds: 1800 };

/// The queues of a cluster.
pub(crate) struct Queues<'c, 'a> {
    pub(crate) cx: &'c Context<'a>,
    pub(crate) queues: Vec<(&'a Noun, &'a Queue, &'a QueuePlan)>,
}

impl<'c, 'a> Queues<'c, 'a> {
    pub(crate) fn of(cx: &'c Context<'a>, cluster: NounId) -> Self {
        let own = cx.plan.inside::<Queue>(cluster).filter(Planned::is_made);
        let queues = own.map(|queue| (queue.noun, queue.body, queue.plan)).collect();
        Self { cx, queues }
    }

    /// Whether the cluster gets Kueue from here: it is made here, and has a queue that is.
    pub(crate) fn installs_kueue(&self, cluster: &Noun) -> bool {
        !cluster.existing && !self.queues.is_empty()
    }

    /// Namespaces that have a queue of the cluster, made here or there before.
    pub(crate) fn served(&self, cluster: NounId) -> BTreeSet<&'a str> {
        let all = self.cx.plan.inside::<Queue>(cluster);
        all.flat_map(|it| it.body.namespaces.iter().map(|it| it.value.as_str())).collect()
    }

    /// Namespaces that get a queue.
    pub(crate) fn namespaces(&self) -> BTreeSet<&'a str> {
        self.queues
            .iter()
            .flat_map(|(_, queue, _)| queue.namespaces.iter().map(|it| it.value.as_str()))
            .collect()
    }

    /// Every object of Kueue.
    pub(crate) fn render(&self, diagnostics: &mut Vec<Diagnostic>) -> Stream {
        let mut stream = Stream::default();
        self.topologies(&mut stream);
        self.cohorts(&mut stream);
        self.flavors(&mut stream, diagnostics);
        for (noun, queue, plan) in &self.queues {
            self.cluster_queue(noun, queue, plan, &mut stream, diagnostics);
            for namespace in &queue.namespaces {
                let spec = LocalQueueSpec { cluster_queue: text(&plan.name) };
                let meta = Meta::of(text(&plan.local), text(&namespace.value));
                stream.object(&noun.origin, &self.object("LocalQueue", meta, spec));
            }
        }
        self.priorities(&mut stream);
        stream
    }

    fn object<S>(&self, kind: &'static str, meta: Meta<'a>, spec: S) -> Object<'a, S> {
        Object::new(text(&self.cx.kueue.api), kind, meta, spec)
    }

    /// How far apart the nodes of flavors are, each kind of nodes once.
    fn topologies(&self, stream: &mut Stream) {
        let mut seen = BTreeSet::new();
        for flavor in self.queues.iter().flat_map(|(.., plan)| &plan.flavors) {
            let Some(levels) = &flavor.levels else { continue };
            if !seen.insert(levels.name.as_str()) {
                continue;
            }
            let of = |label: &'a String| TopologyLevel { node_label: text(label) };
            let spec = TopologySpec { levels: levels.labels.iter().map(of).collect() };
            let object = self.object("Topology", Meta::named(text(&levels.name)), spec);
            stream.object(&self.cx.plan.get(flavor.pool).noun.origin, &object);
        }
    }

    /// Cohorts that are part of others. One that is part of none is there by being named.
    fn cohorts(&self, stream: &mut Stream) {
        let Some((_, _, plan)) = self.queues.first() else { return };
        let Planned { noun, body, .. } = self.cx.plan.get(plan.cluster);
        for (name, Within::Within { cohort, weight }) in &body.cohorts {
            let fair_sharing = weight.map(Weight::of);
            let spec = CohortSpec { parent_name: text(cohort), fair_sharing };
            stream.object(&noun.origin, &self.object("Cohort", Meta::named(text(name)), spec));
        }
    }

    /// One flavor a pool, with the checks of those whose nodes are asked for.
    fn flavors(&self, stream: &mut Stream, diagnostics: &mut Vec<Diagnostic>) {
        let mut seen = BTreeSet::new();
        for flavor in self.queues.iter().flat_map(|(.., plan)| &plan.flavors) {
            let Planned { noun, plan: pool, .. } = self.cx.plan.get(flavor.pool);
            if !seen.insert(flavor.name.as_str()) {
                continue;
            }
            let spec = FlavorSpec {
                node_labels: pool_selector(pool),
                tolerations: pool_tolerations(pool).collect(),
                topology_name: flavor.levels.as_ref().map(|levels| text(&levels.name)),
            };
            let object = self.object("ResourceFlavor", Meta::named(text(&flavor.name)), spec);
            if patch::has(noun, patch::Document::Flavor) {
                stream.add(
                    &noun.origin,
                    &patch::applied(noun, patch::Document::Flavor, &object, diagnostics),
                );
            } else {
                stream.object(&noun.origin, &object);
            }
            if flavor.queued.is_some() {
                self.check(noun, flavor, pool, stream);
            }
        }
    }

    fn check(&self, noun: &Noun, flavor: &'a Flavor, pool: &'a PoolPlan, stream: &mut Stream) {
        let mut parameters = Pairs::new();
        if let Some(slice) = pool.slice.as_ref().filter(|slice| !slice.single_host) {
            parameters.insert("tpu-topology".into(), slice.topology.to_string().into());
        }
        let spec = ProvisioningSpec {
            retry_strategy: PATIENCE,
            provisioning_class_name: words::PROVISIONING_CLASS,
            managed_resources: pool.resource.as_deref().map(text).into_iter().collect(),
            parameters,
            pod_set_updates: PodSetUpdates {
                node_selector: vec![SelectorUpdate {
                    key: words::PROVISIONED_NODES,
                    value_from_provisioning_class_detail: "ResizeRequestName",
                }],
            },
        };
        let meta = Meta::named(text(&flavor.name));
        stream.object(&noun.origin, &self.object("ProvisioningRequestConfig", meta, spec));
        let group = self.cx.kueue.api.split('/').next().map(text);
        let spec = AdmissionCheckSpec {
            controller_name: words::PROVISIONING_CONTROLLER,
            parameters: ObjectRef {
                api_group: group,
                group: None,
                kind: "ProvisioningRequestConfig",
                name: text(&flavor.name),
            },
        };
        let meta = Meta::named(text(&flavor.name));
        stream.object(&noun.origin, &self.object("AdmissionCheck", meta, spec));
    }

    fn cluster_queue(
        &self,
        noun: &'a Noun,
        queue: &'a Queue,
        plan: &'a QueuePlan,
        stream: &mut Stream,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let cohort = queue.cohort.as_ref().map(|cohort| text(cohort.name()));
        let renamed = self.cx.kueue.has("cohort_name");
        let checks: Vec<FlavorCheck<'a>> = plan
            .flavors
            .iter()
            .filter(|flavor| flavor.queued.is_some())
            .map(|flavor| FlavorCheck {
                name: text(&flavor.name),
                on_flavors: vec![text(&flavor.name)],
            })
            .collect();
        let spec = ClusterQueueSpec {
            cohort_name: cohort.clone().filter(|_| renamed),
            cohort: cohort.filter(|_| !renamed),
            queueing_strategy: if queue.strict { "StrictFIFO" } else { "BestEffortFIFO" },
            namespace_selector: (!queue.is_lender())
                .then(|| of_namespaces(queue.namespaces.iter().map(|it| it.value.as_str()))),
            preemption: Preemption {
                within_cluster_queue: match queue.preemption {
                    Preempts::Bool(false) => "Never",
                    Preempts::Bool(true) => "LowerPriority",
                    Preempts::LowerOrNewer => "LowerOrNewerEqualPriority",
                },
                reclaim_within_cohort: queue.cohort.as_ref().map(|cohort| reclaims(queue, cohort)),
            },
            fair_sharing: queue.cohort.as_ref().and_then(Cohort::weight).map(Weight::of),
            resource_groups: vec![self.group(plan)],
            admission_checks_strategy: (!checks.is_empty())
                .then_some(ChecksStrategy { admission_checks: checks }),
        };
        let object = self.object("ClusterQueue", Meta::named(text(&plan.name)), spec);
        if patch::has(noun, patch::Document::ClusterQueue) {
            stream.add(
                &noun.origin,
                &patch::applied(noun, patch::Document::ClusterQueue, &object, diagnostics),
            );
        } else {
            stream.object(&noun.origin, &object);
        }
    }

    /// One group: a pod gets all that it asks for from one pool. It covers everything that pods ask for, since Kueue admits
    /// none that asks for more, and each flavor says how much it has of each, since the API wants it to.
    fn group(&self, plan: &'a QueuePlan) -> ResourceGroup<'a> {
        let mut devices: Vec<&'a str> = Vec::new();
        for flavor in &plan.flavors {
            if let Some(name) = self.device(flavor).filter(|name| !devices.contains(name)) {
                devices.push(name);
            }
        }
        let flavors = plan.flavors.iter().map(|flavor| {
            let own = self.device(flavor);
            let amounts = |all: Amounts| -> Vec<(Text<'a>, Amount)> {
                let count = |name: &str| if own == Some(name) { all.devices } else { 0 };
                let of_devices = devices.iter();
                let of_devices = of_devices.map(|name| (text(name), Amount::Count(count(name))));
                let of_hosts = host_amounts(all).into_iter().map(|(name, it)| (name.into(), it));
                of_devices.chain(of_hosts).collect()
            };
            FlavorQuotas { name: text(&flavor.name), resources: quotas(flavor, amounts) }
        });
        let hosts = host_amounts(Amounts::NONE).map(|(name, _)| name.into());
        ResourceGroup {
            covered_resources: devices.iter().map(|name| text(name)).chain(hosts).collect(),
            flavors: flavors.collect(),
        }
    }

    fn device(&self, flavor: &Flavor) -> Option<&'a str> {
        self.cx.plan.get(flavor.pool).plan.resource.as_deref()
    }

    fn priorities(&self, stream: &mut Stream) {
        let mut seen = BTreeSet::new();
        for (noun, queue, plan) in &self.queues {
            for (name, value) in &queue.priorities {
                let class = priority_class(self.cx, noun, plan, name);
                if !seen.insert(class.clone()) {
                    continue;
                }
                let object: Object<'_, ()> = Object {
                    api_version: text(&self.cx.kueue.api),
                    kind: "WorkloadPriorityClass",
                    metadata: Meta::named(class),
                    spec: None,
                    value: Some(*value),
                    description: Some(self.whose(noun, name).into()),
                };
                stream.object(&noun.origin, &object);
            }
        }
    }

    /// What a class is for: queues that give a priority the same weight share it.
    fn whose(&self, noun: &Noun, priority: &str) -> String {
        let disputed = self.cx.is_disputed(noun, priority);
        let having =
            self.queues.iter().filter(|(_, queue, _)| queue.priorities.contains_key(priority));
        match having.count() {
            2.. if !disputed => format!("priority {priority} of all queues that have it"),
            _ => format!("priority {priority} of queue {}", noun.name),
        }
    }
}

/// Namespaces by their names.
pub(crate) fn of_namespaces<'a>(names: impl Iterator<Item = &'a str>) -> Selector<'a> {
    let named = Requirement {
        key: words::NAMESPACE_NAME.into(),
        operator: "In",
        values: names.map(text).collect(),
    };
    Selector { match_labels: Pairs::new(), match_expressions: vec![named] }
}

/// From whom a queue of a cohort takes back what it lent.
fn reclaims(queue: &Queue, cohort: &Cohort) -> &'static str {
    let usual = if queue.preemption.happens() { Reclaim::Any } else { Reclaim::Never };
    match cohort.reclaim().unwrap_or(usual) {
        Reclaim::Never => "Never",
        Reclaim::Lower => "LowerPriority",
        Reclaim::Any => "Any",
    }
}

/// What a queue holds of each resource of a flavor, and what may be lent and borrowed of it.
fn quotas<'a>(
    flavor: &Flavor,
    amounts: impl Fn(Amounts) -> Vec<(Text<'a>, Amount)>,
) -> Vec<ResourceQuota<'a>> {
    let limits = |all: Option<Amounts>| {
        let all = all.map(&amounts).into_iter().flatten().map(|(_, limit)| Some(limit));
        all.chain(std::iter::repeat(None))
    };
    let own = amounts(flavor.quota).into_iter();
    own.zip(limits(flavor.borrows))
        .zip(limits(flavor.lends))
        .map(|(((name, nominal_quota), borrowing_limit), lending_limit)| ResourceQuota {
            name,
            nominal_quota,
            borrowing_limit,
            lending_limit,
        })
        .collect()
}

/// The name of a priority in the cluster: its own, unless another queue gives, or may give, the same name another weight.
pub(crate) fn priority_class<'a>(
    cx: &Context<'a>,
    noun: &Noun,
    plan: &QueuePlan,
    name: &str,
) -> Text<'a> {
    if cx.is_disputed(noun, name) {
        format!("{}-{name}", plan.name).into()
    } else {
        name.to_owned().into()
    }
}
