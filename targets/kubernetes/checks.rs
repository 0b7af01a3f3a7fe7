//! What workloads pass besides quota: requests for nodes, and checks that other controllers perform.

use super::context::text;
use super::kustomize::Stream;
use super::objects::{
    AdmissionCheckSpec, FlavorCheck, Meta, ObjectRef, Pairs, PodSetUpdates, ProvisioningSpec,
    RetryStrategy, SelectorUpdate, Text,
};
use super::queue::Queues;
use super::words;
use slipform_model::Noun;
use slipform_model::nouns::{Backoff, Check, ObjectName, Queue};
use slipform_model::plan::{Flavor, QueuePlan};

/// Kueue's own is three requests in seven minutes, after which a workload is deactivated for good: a shortage of minutes, or nodes
/// of the workload before it that are still there, would end a run before it began. This asks again after 1, 2, 4, 8 and 16
/// minutes, and then every half an hour for about a day.
const PATIENCE: RetryStrategy =
    RetryStrategy { backoff_limit_count: 50, backoff_base_seconds: 60, backoff_max_seconds: 1800 };

impl<'a> Queues<'_, 'a> {
    /// The check that asks for the nodes of a flavor, if they are asked for. Flavors that share one are in the first.
    pub(crate) fn asking(&self, noun: &Noun, flavor: &'a Flavor, stream: &mut Stream) {
        let Some(queued) = &flavor.queued else { return };
        let all = self.queues.iter().flat_map(|(.., plan)| &plan.flavors);
        let sharing: Vec<&Flavor> = all
            .filter(|it| it.queued.as_ref().is_some_and(|it| it.check == queued.check))
            .collect();
        if sharing.first().is_some_and(|first| first.pool != flavor.pool) {
            return;
        }
        let mut resources: Vec<Text<'a>> = Vec::new();
        for flavor in sharing {
            let resource = self.cx.plan.get(flavor.pool).plan.resource.as_deref().map(text);
            resources.extend(resource.filter(|it| !resources.contains(it)));
        }
        let mut parameters = Pairs::new();
        let slice = self.cx.plan.get(flavor.pool).plan.slice.as_ref();
        if let Some(slice) = slice.filter(|slice| !slice.single_host) {
            parameters.insert("tpu-topology".into(), slice.topology.to_string().into());
        }
        let spec = ProvisioningSpec {
            retry_strategy: retries(queued.retry),
            provisioning_class_name: words::PROVISIONING_CLASS.into(),
            managed_resources: resources,
            parameters,
            pod_set_updates: Some(PodSetUpdates {
                node_selector: vec![SelectorUpdate {
                    key: words::PROVISIONED_NODES,
                    value_from_provisioning_class_detail: "ResizeRequestName",
                }],
            }),
        };
        self.provisioning(noun, &queued.check, spec, stream);
    }

    /// The checks that a queue makes besides, each once in the cluster.
    pub(crate) fn performed(&self, noun: &Noun, queue: &'a Queue, stream: &mut Stream) {
        let before = self.queues.iter().take_while(|(other, ..)| other.id != noun.id);
        let mut seen: Vec<&str> =
            before.flat_map(|(_, queue, _)| &queue.checks).map(|it| it.value.name()).collect();
        for check in &queue.checks {
            if seen.contains(&check.value.name()) {
                continue;
            }
            seen.push(check.value.name());
            match &check.value {
                Check::String(_) => {}
                Check::Check { name, controller, parameters, pools: _ } => {
                    let Some(controller) = controller else { continue };
                    let parameters = parameters.as_ref().map(its_object);
                    let spec = AdmissionCheckSpec { controller_name: text(controller), parameters };
                    let meta = Meta::named(text(name));
                    stream.object(&noun.origin, &self.object("AdmissionCheck", meta, spec));
                }
                Check::Provisioning { name, class, parameters, retry, pools: _ } => {
                    let said = parameters.iter().map(|(key, it)| (text(key), text(it)));
                    let spec = ProvisioningSpec {
                        retry_strategy: retries(*retry),
                        provisioning_class_name: text(class),
                        managed_resources: self.managed(name),
                        parameters: said.collect(),
                        pod_set_updates: None,
                    };
                    self.provisioning(noun, name, spec, stream);
                }
            }
        }
    }

    /// The checks of a queue, with the flavors that each is for.
    pub(crate) fn checks_of(&self, queue: &'a Queue, plan: &'a QueuePlan) -> Vec<FlavorCheck<'a>> {
        let mut found: Vec<FlavorCheck<'a>> = Vec::new();
        let mut add = |name: Text<'a>, flavors: Vec<Text<'a>>| match found
            .iter_mut()
            .find(|it| it.name == name)
        {
            Some(same) if same.on_flavors.is_empty() || flavors.is_empty() => {
                same.on_flavors.clear();
            }
            Some(same) => once(&mut same.on_flavors, flavors),
            None => {
                let mut check = FlavorCheck { name, on_flavors: Vec::new() };
                once(&mut check.on_flavors, flavors);
                found.push(check);
            }
        };
        for flavor in &plan.flavors {
            if let Some(queued) = &flavor.queued {
                add(text(&queued.check), vec![text(&flavor.name)]);
            }
            if self.slicer(flavor).is_some() {
                add(words::SLICES.into(), vec![text(&flavor.name)]);
            }
        }
        if let Some(handing) = &plan.handing {
            add(text(&handing.check), Vec::new());
        }
        for check in &queue.checks {
            let pools = check.value.pools();
            let chosen = plan.flavors.iter().filter(|flavor| pools.contains(&flavor.pool));
            add(text(check.value.name()), chosen.map(|flavor| text(&flavor.name)).collect());
        }
        found
    }

    /// What pods ask for whose nodes a check asks for: the GPUs or chips of the pools that it is for, in all queues that have it. Pods that
    /// ask for none run elsewhere, and are left out of the request. Nothing, which is all pods, where one of the pools has no GPUs or chips.
    fn managed(&self, check: &str) -> Vec<Text<'a>> {
        let mut resources: Vec<Text<'a>> = Vec::new();
        for (_, queue, plan) in &self.queues {
            let same = queue.checks.iter().map(|it| &it.value).filter(|it| it.name() == check);
            for pools in same.map(Check::pools) {
                let own = plan.flavors.iter().map(|flavor| flavor.pool);
                for pool in own.filter(|pool| pools.is_empty() || pools.contains(pool)) {
                    let Some(resource) = self.cx.plan.get(pool).plan.resource.as_deref() else {
                        return Vec::new();
                    };
                    if !resources.iter().any(|it| it == resource) {
                        resources.push(text(resource));
                    }
                }
            }
        }
        resources
    }

    /// A check that makes requests, and how it makes them, under one name.
    fn provisioning(
        &self,
        noun: &Noun,
        name: &'a str,
        spec: ProvisioningSpec<'a>,
        stream: &mut Stream,
    ) {
        let meta = Meta::named(text(name));
        stream.object(&noun.origin, &self.object("ProvisioningRequestConfig", meta, spec));
        let spec = AdmissionCheckSpec {
            controller_name: words::PROVISIONING_CONTROLLER.into(),
            parameters: Some(ObjectRef {
                api_group: self.cx.kueue.api.split('/').next().map(text),
                group: None,
                kind: "ProvisioningRequestConfig".into(),
                name: text(name),
            }),
        };
        let meta = Meta::named(text(name));
        stream.object(&noun.origin, &self.object("AdmissionCheck", meta, spec));
    }
}

fn its_object(object: &ObjectName) -> ObjectRef<'_> {
    let ObjectName::Object { group, kind, name } = object;
    ObjectRef { api_group: Some(text(group)), group: None, kind: text(kind), name: text(name) }
}

fn retries(said: Option<Backoff>) -> RetryStrategy {
    let Some(Backoff::Backoff { limit, base, max }) = said else { return PATIENCE };
    let seconds = |seconds: u64| u32::try_from(seconds).unwrap_or(u32::MAX);
    RetryStrategy {
        backoff_limit_count: u32::try_from(limit).unwrap_or(u32::MAX),
        backoff_base_seconds: seconds(base.0),
        backoff_max_seconds: seconds(max.0),
    }
}

/// Adds names that are not there yet: pools that share a flavor have one name, which the API takes once.
fn once<'a>(names: &mut Vec<Text<'a>>, more: Vec<Text<'a>>) {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}
