//! Queues: flavors, cluster queues with their doors in the namespaces, and priorities.

use super::context::{Context, host_amounts, text};
use super::kustomize::Stream;
use super::objects::{
    AdmissionScope, Amount, AutoCreation, ChecksStrategy, ClassRule, ClusterQueueSpec, CohortSpec,
    ComputeClassSpec, Displacing, FlavorQuotas, Fungibility, LocalQueueSpec, Meta, Object, Pairs,
    Preemption, PriorityClass, Requirement, ResourceGroup, ResourceQuota, Selector, Text,
    TopologyLevel, TopologySpec, Weight,
};
use super::{counted, flavor, patch, words};
use slipform_model::catalog::Component;
use slipform_model::nouns::{
    Cohort, Displace, GkeCluster, Group, Kueue, Preemption as Preempts, Queue, Reclaim, Step, Stop,
    Within, Workload,
};
use slipform_model::plan::{Amounts, Flavor, Limit, Planned, PoolPlan, QueuePlan, Run, fitted};
use slipform_model::{Diagnostic, Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// The queues of a cluster.
pub(crate) struct Queues<'c, 'a> {
    pub(crate) cx: &'c Context<'a>,
    /// The release that they are written for.
    pub(crate) kueue: &'a Component,
    /// What their cluster says of it.
    pub(crate) said: Option<&'a Kueue>,
    /// Classes of devices that it counts, by what quotas call them.
    pub(crate) classes: &'a BTreeMap<String, BTreeSet<String>>,
    pub(crate) queues: Vec<(&'a Noun, &'a Queue, &'a QueuePlan)>,
}

impl<'c, 'a> Queues<'c, 'a> {
    pub(crate) fn of(cx: &'c Context<'a>, cluster: Planned<'a, GkeCluster>) -> Self {
        let own = cx.plan.inside::<Queue>(cluster.noun.id).filter(Planned::is_made);
        let queues = own.map(|queue| (queue.noun, queue.body, queue.plan)).collect();
        let said = cluster.body.kueue.as_ref().map(|it| &it.value);
        let classes = &cluster.plan.device_classes;
        Self { cx, kueue: &cluster.plan.kueue, said, classes, queues }
    }

    /// Whether the cluster gets Kueue from here: it is made here, and has a queue that is.
    pub(crate) fn installs_kueue(&self, cluster: &Noun) -> bool {
        !cluster.existing && !self.queues.is_empty()
    }

    /// Whether Kueue does otherwise here than its release does by itself.
    pub(crate) fn is_configured(&self) -> bool {
        self.said.is_some() || !self.classes.is_empty() || self.opens_layers()
    }

    /// Whether some run of theirs has groups of nodes within groups, for which their Kueue has a gate that is shut by itself.
    pub(crate) fn opens_layers(&self) -> bool {
        // what its queues hand on is submitted here all the same
        let handed_on =
            |queue: &Queue, id: NounId| queue.workers.iter().any(|it| it.value.id() == id);
        let own = |id: NounId| {
            self.queues.iter().any(|(noun, queue, _)| noun.id == id || handed_on(queue, id))
        };
        let mut runs = self.cx.plan.all::<Workload>().map(|it| it.plan);
        let layered = |run: &Run| {
            let mut near = run.gangs().filter_map(|gang| gang.pod.nearness.as_ref());
            near.any(|it| it.layers.len() > 1)
        };
        self.kueue.places_layers()
            && !self.kueue.layers_by_itself()
            && runs.any(|run| run.queue().is_some_and(|it| own(it.id())) && layered(run))
    }

    /// Namespaces that have a queue of the cluster, made here or there before.
    pub(crate) fn served(&self, cluster: NounId) -> BTreeSet<&'a str> {
        let all = self.cx.plan.inside::<Queue>(cluster);
        all.flat_map(|it| it.body.namespaces.iter().map(|it| it.value.as_str())).collect()
    }

    /// Of the queues that choose by what their namespaces used of late, whether one has devices; nothing where there are none.
    pub(crate) fn count_use(&self) -> Option<bool> {
        let mut counting =
            self.queues.iter().filter(|(_, queue, _)| !queue.by_use.is_empty()).peekable();
        counting.peek()?;
        Some(counting.any(|(_, _, plan)| plan.flavors.iter().any(|it| it.quota.devices > 0)))
    }

    /// Namespaces that get a queue.
    pub(crate) fn namespaces(&self) -> BTreeSet<&'a str> {
        self.queues
            .iter()
            .flat_map(|(_, queue, _)| queue.namespaces.iter().map(|it| it.value.as_str()))
            .collect()
    }

    /// Labels by which queues know a namespace of theirs.
    pub(crate) fn labels_of(&self, namespace: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let queues = self
            .queues
            .iter()
            .filter(move |(_, queue, _)| queue.namespaces.iter().any(|it| it.value == namespace));
        let labels = queues.filter_map(|(_, queue, _)| queue.open_to.as_ref());
        labels.flat_map(|labels| labels.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    }

    /// Every object of Kueue.
    pub(crate) fn render(&self, diagnostics: &mut Vec<Diagnostic>) -> Stream {
        let mut stream = Stream::default();
        self.topologies(&mut stream);
        self.cohorts(&mut stream);
        self.flavors(&mut stream, diagnostics);
        self.classes(&mut stream);
        self.slices(&mut stream);
        for (noun, queue, plan) in &self.queues {
            self.performed(noun, queue, &mut stream);
            self.handing_on(noun, queue, plan, &mut stream);
            self.cluster_queue(noun, queue, plan, &mut stream, diagnostics);
            for (namespace, names) in &plan.doors {
                for name in names {
                    let fair_sharing = queue.weight_of(namespace, name).map(Weight::of);
                    let spec = LocalQueueSpec { cluster_queue: text(&plan.name), fair_sharing };
                    let meta = Meta::of(text(name), text(namespace));
                    stream.object(&noun.origin, &self.object("LocalQueue", meta, spec));
                }
            }
        }
        self.priorities(&mut stream);
        self.on_nodes(&mut stream);
        stream
    }

    pub(crate) fn object<S>(&self, kind: &'static str, meta: Meta<'a>, spec: S) -> Object<'a, S> {
        Object::new(text(&self.kueue.api), kind, meta, spec)
    }

    /// How far apart the nodes of flavors are, each kind of nodes once.
    fn topologies(&self, stream: &mut Stream) {
        let mut seen = BTreeSet::new();
        let pools = self.queues.iter().flat_map(|(.., plan)| &plan.flavors);
        let of_pools = pools.map(|it| (self.cx.plan.get(it.pool).noun, it.levels.as_ref()));
        let handed = self.queues.iter().filter_map(|(noun, _, plan)| {
            plan.handing.as_ref().map(|handing| (*noun, handing.levels.as_ref()))
        });
        for (noun, levels) in of_pools.chain(handed) {
            let Some(levels) = levels.filter(|it| seen.insert(it.name.as_str())) else { continue };
            let of = |label: &'a String| TopologyLevel { node_label: text(label) };
            let spec = TopologySpec { levels: levels.labels.iter().map(of).collect() };
            let object = self.object("Topology", Meta::named(text(&levels.name)), spec);
            stream.object(&noun.origin, &object);
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

    /// Flavors, with the checks of those whose nodes are asked for.
    fn flavors(&self, stream: &mut Stream, diagnostics: &mut Vec<Diagnostic>) {
        let mut seen = BTreeSet::new();
        let all = self.queues.iter().flat_map(|(_, queue, plan)| {
            flavor::shared(plan).into_iter().map(move |pools| (*queue, pools))
        });
        for (queue, pools) in all {
            let Some(flavor) = pools.first().copied() else { continue };
            let Planned { noun, .. } = self.cx.plan.get(flavor.pool);
            if !seen.insert(flavor.name.as_str()) {
                continue;
            }
            let spec = flavor::spec(self.cx, queue, &pools);
            let object = self.object("ResourceFlavor", Meta::named(text(&flavor.name)), spec);
            if patch::has(noun, patch::Document::Flavor) {
                stream.add(
                    &noun.origin,
                    &patch::applied(noun, patch::Document::Flavor, &object, diagnostics),
                );
            } else {
                stream.object(&noun.origin, &object);
            }
            self.asking(noun, flavor, stream);
        }
    }

    /// Compute classes: which pool of a flavor GKE makes nodes of, first choice first, and of no other.
    fn classes(&self, stream: &mut Stream) {
        let mut seen = BTreeSet::new();
        for (noun, queue, _) in &self.queues {
            for flavor in queue.flavors.iter().map(|it| &it.value) {
                let Some(class) = flavor.class().filter(|class| seen.insert(*class)) else {
                    continue;
                };
                let pools = flavor.references().map(|pool| self.cx.plan.get(pool).plan);
                let rule = |pool: &'a PoolPlan| ClassRule {
                    nodepools: pool.node_pools.iter().map(|made| text(&made.name)).collect(),
                };
                let spec = ComputeClassSpec {
                    priorities: pools.map(rule).collect(),
                    when_unsatisfiable: "DoNotScaleUp",
                    node_pool_auto_creation: AutoCreation { enabled: false },
                };
                let api = text(&self.cx.facts.apis.compute_class);
                let object = Object::new(api, "ComputeClass", Meta::named(text(class)), spec);
                stream.object(&noun.origin, &object);
            }
        }
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
        let renamed = self.kueue.has("cohort_name");
        let checks = self.checks_of(queue, plan);
        let spec = ClusterQueueSpec {
            cohort_name: cohort.clone().filter(|_| renamed),
            cohort: cohort.filter(|_| !renamed),
            queueing_strategy: if queue.strict { "StrictFIFO" } else { "BestEffortFIFO" },
            namespace_selector: reach(queue),
            flavor_fungibility: fungibility(queue, renamed),
            preemption: Preemption {
                within_cluster_queue: match queue.preemption {
                    Preempts::Bool(false) => "Never",
                    Preempts::Bool(true) => "LowerPriority",
                    Preempts::LowerOrNewer => "LowerOrNewerEqualPriority",
                },
                reclaim_within_cohort: queue.cohort.as_ref().map(|cohort| reclaims(queue, cohort)),
                borrow_within_cohort: queue.cohort.as_ref().and_then(|it| displaces(queue, it)),
            },
            fair_sharing: queue.cohort.as_ref().and_then(Cohort::weight).map(Weight::of),
            admission_scope: (!queue.by_use.is_empty())
                .then_some(AdmissionScope { admission_mode: "UsageBasedAdmissionFairSharing" }),
            resource_groups: vec![match &plan.handing {
                None => self.group(plan),
                Some(handing) => self.held_by_workers(noun, handing),
            }],
            admission_checks_strategy: (!checks.is_empty())
                .then_some(ChecksStrategy { admission_checks: checks }),
            stop_policy: queue.stop.map(|stop| match stop {
                Stop::Hold => "Hold",
                Stop::Drain => "HoldAndDrain",
            }),
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
        let (claimed, others) = (counted::names(plan, true), counted::names(plan, false));
        let flavors = flavor::shared(plan).into_iter().filter_map(|pools| {
            let flavor = *pools.first()?;
            let own = self.device(flavor);
            let amounts = |all: Amounts| -> Vec<(Text<'a>, Amount)> {
                let count = |name: &str| if own == Some(name) { all.devices } else { 0 };
                let of_devices = devices.iter();
                let of_devices = of_devices.map(|name| (text(name), Amount::Count(count(name))));
                let of_hosts = host_amounts(all).into_iter().map(|(name, it)| (name.into(), it));
                of_devices.chain(of_hosts).collect()
            };
            let mut resources = quotas(&pools, amounts);
            let counts = plan.counts.get(&flavor.name)?;
            let of = |name: &&'a str| Some(counted::quota(name, counts.get(*name)?));
            resources.splice(devices.len()..devices.len(), claimed.iter().filter_map(of));
            resources.extend(others.iter().filter_map(of));
            Some(FlavorQuotas { name: text(&flavor.name), resources })
        });
        let hosts = host_amounts(Amounts::NONE).map(|(name, _)| name.into());
        let named = devices.iter().chain(&claimed).map(|name| text(name));
        let others = others.iter().map(|name| text(name));
        ResourceGroup {
            covered_resources: named.chain(hosts).chain(others).collect(),
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
                    api_version: text(&self.kueue.api),
                    kind: "WorkloadPriorityClass",
                    metadata: Meta::named(class),
                    spec: None,
                    value: Some(*value),
                    description: Some(self.whose(noun, plan, name).into()),
                };
                stream.object(&noun.origin, &object);
            }
        }
    }

    /// Classes of pods: of those that name none, and so of what Kueue admits without a priority of its own, and of groups that say
    /// which of them go first. None of them takes another's place on nodes: that is Kueue's to decide.
    fn on_nodes(&self, stream: &mut Stream) {
        let mut seen: BTreeSet<Text<'a>> = BTreeSet::new();
        if let Some((noun, name, value)) = self.default_priority() {
            seen.insert(text(name));
            let about = "of pods and runs that name no priority";
            stream.add(&noun.origin, &pod_class(text(name), value, about, true));
        }
        for group in self.cx.plan.all::<Group>() {
            let queue = self.cx.plan.run_of(group).plan.gke().and_then(|site| site.queue);
            let own =
                self.queues.iter().find(|(noun, ..)| queue.is_some_and(|it| it.id() == noun.id));
            let Some(((noun, queue, plan), name)) = own.zip(group.body.priority.as_ref()) else {
                continue;
            };
            let Some(value) = queue.priorities.get(&name.value) else { continue };
            let class = priority_class(self.cx, noun, plan, &name.value);
            if seen.insert(class.clone()) {
                let about = "of groups whose pods go before others onto nodes";
                stream.add(&noun.origin, &pod_class(class, *value, about, false));
            }
        }
    }

    /// The priority of what names none, with its weight.
    fn default_priority(&self) -> Option<(&'a Noun, &'a str, i64)> {
        let (_, _, plan) = self.queues.first()?;
        let Planned { noun, body, .. } = self.cx.plan.get(plan.cluster);
        let priority = body.default_priority.as_ref().filter(|_| !noun.existing)?;
        let mut queues = self.queues.iter();
        let value = queues.find_map(|(_, queue, _)| queue.priorities.get(&priority.value))?;
        Some((noun, priority.value.as_str(), *value))
    }

    /// What a class is for: queues that give a priority the same weight share it, however many they are.
    fn whose(&self, noun: &Noun, plan: &QueuePlan, priority: &str) -> String {
        match self.cx.is_disputed(noun, plan, priority) {
            false => format!("priority {priority} of all queues that have it"),
            true => format!("priority {priority} of queue {}", plan.name),
        }
    }
}

/// A class of pods.
fn pod_class<'a>(
    name: Text<'a>,
    value: i64,
    about: &'static str,
    global_default: bool,
) -> PriorityClass<'a> {
    let object = Object {
        api_version: "scheduling.k8s.io/v1".into(),
        kind: "PriorityClass",
        metadata: Meta::named(name),
        spec: None,
        value: Some(value),
        description: Some(about.into()),
    };
    PriorityClass { object, global_default, preemption_policy: "Never" }
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

/// Whose LocalQueues a queue takes: of the namespaces that it serves, unless it is open to others; none where it only lends.
fn reach(queue: &Queue) -> Option<Selector<'_>> {
    match &queue.open_to {
        Some(labels) => {
            let match_labels = labels.iter().map(|(key, value)| (text(key), text(value)));
            Some(Selector { match_labels: match_labels.collect(), match_expressions: Vec::new() })
        }
        None if queue.is_lender() => None,
        None => Some(of_namespaces(queue.namespaces.iter().map(|it| it.value.as_str()))),
    }
}

/// What a queue tries of one flavor before the next, where that is not Kueue's own way.
fn fungibility(queue: &Queue, renamed: bool) -> Option<Fungibility> {
    let next = |step| queue.next_before.contains(&step);
    let usual = !next(Step::Borrow) && next(Step::Preempt);
    let (borrows, preempts) =
        if renamed { ("MayStopSearch", "MayStopSearch") } else { ("Borrow", "Preempt") };
    let which = |step, stays| if next(step) { "TryNextFlavor" } else { stays };
    (!usual).then(|| Fungibility {
        when_can_borrow: which(Step::Borrow, borrows),
        when_can_preempt: which(Step::Preempt, preempts),
    })
}

/// Whose place the workloads of a queue take for what they borrow.
fn displaces(queue: &Queue, cohort: &Cohort) -> Option<Displacing> {
    let max_priority_threshold = match cohort.displace() {
        Displace::Bool(false) => return None,
        Displace::Bool(true) => None,
        Displace::String(priority) => queue.priorities.get(priority).copied(),
    };
    Some(Displacing { policy: "LowerPriority", max_priority_threshold })
}

/// What a queue holds of each resource of a flavor over all its pools, and what may be lent and borrowed of it.
fn quotas<'a>(
    pools: &[&Flavor],
    amounts: impl Fn(Amounts) -> Vec<(Text<'a>, Amount)>,
) -> Vec<ResourceQuota<'a>> {
    let sum = |of: &dyn Fn(&Flavor) -> Option<Amounts>| {
        let some = pools.iter().filter_map(|pool| of(pool));
        some.reduce(Amounts::plus)
    };
    let limits = |all: Option<Amounts>| {
        let all = all.map(&amounts).into_iter().flatten().map(|(_, limit)| Some(limit));
        all.chain(std::iter::repeat(None))
    };
    let own = sum(&|it| Some(it.quota)).map(&amounts).into_iter().flatten();
    own.zip(limits(sum(&|it| it.borrows)))
        .zip(limits(sum(&|it| it.lends)))
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
    if cx.is_disputed(noun, plan, name) {
        // JobSets name theirs in a label
        let (_, most) = Limit::LabelValue.bounds(cx.plan.catalog());
        fitted(format!("{}-{name}", plan.name), most).into()
    } else {
        name.to_owned().into()
    }
}
