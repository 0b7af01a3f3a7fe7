//! Queues that hand on what they admit to queues of other clusters: MultiKueue.

use super::context::{host_amounts, text};
use super::counted::in_words;
use super::kustomize::Stream;
use super::objects::{
    AdmissionCheckSpec, Amount, ClusterSource, FlavorQuotas, FlavorSpec, KubeConfig, Meta,
    ObjectRef, ResourceGroup, ResourceQuota, Text, WorkerClusterSpec, WorkersSpec,
};
use super::queue::Queues;
use super::words;
use serde::Serialize;
use slipform_model::Noun;
use slipform_model::nouns::{Queue, Ref};
use slipform_model::plan::{Amounts, Handing, QueuePlan};
use std::collections::BTreeMap;

/// A cluster that Kueue reaches from another one.
#[derive(Serialize, PartialEq, Eq)]
pub(crate) struct Worker<'a> {
    cluster: &'a str,
    location: &'a str,
    secret: String,
}

impl<'a> Queues<'_, 'a> {
    /// The clusters that queues hand on to, each once.
    pub(crate) fn workers(&self) -> Vec<Worker<'a>> {
        let mut found: Vec<Worker<'a>> = Vec::new();
        for worker in self.queues.iter().flat_map(|(_, queue, _)| &queue.workers) {
            let cluster = self.cx.plan.get(self.cx.plan.get(worker.value).plan.cluster).plan;
            let secret = format!("{}{}", words::KUBECONFIG, cluster.name);
            let worker = Worker { cluster: &cluster.name, location: &cluster.location, secret };
            if !found.contains(&worker) {
                found.push(worker);
            }
        }
        found
    }

    fn cluster_of(&self, queue: Ref<Queue>) -> &'a str {
        &self.cx.plan.get(self.cx.plan.get(queue).plan.cluster).plan.name
    }

    /// Where a queue hands on to: what Kueue knows of the clusters, the check that hands on, and a flavor for what all of them hold.
    pub(crate) fn handing_on(
        &self,
        noun: &Noun,
        queue: &'a Queue,
        plan: &'a QueuePlan,
        stream: &mut Stream,
    ) {
        let Some(handing) = &plan.handing else { return };
        let names: Vec<&'a str> =
            queue.workers.iter().map(|it| self.cluster_of(it.value)).collect();
        for worker in self.workers().into_iter().filter(|it| names.contains(&it.cluster)) {
            let before = self.queues.iter().take_while(|(other, ..)| other.id != noun.id);
            let mut before = before.flat_map(|(_, queue, _)| &queue.workers);
            if before.any(|it| self.cluster_of(it.value) == worker.cluster) {
                continue;
            }
            let kube_config = KubeConfig { location: worker.secret, location_type: "Secret" };
            let spec = WorkerClusterSpec { cluster_source: ClusterSource { kube_config } };
            let meta = Meta::named(text(worker.cluster));
            stream.object(&noun.origin, &self.object("MultiKueueCluster", meta, spec));
        }
        let name = text(&handing.check);
        let meta = || Meta::named(name.clone());
        let spec = WorkersSpec { clusters: names };
        stream.object(&noun.origin, &self.object("MultiKueueConfig", meta(), spec));
        let spec = AdmissionCheckSpec {
            controller_name: words::MULTIKUEUE.into(),
            parameters: Some(ObjectRef {
                api_group: self.cx.kueue.api.split('/').next().map(text),
                group: None,
                kind: "MultiKueueConfig".into(),
                name: name.clone(),
            }),
        };
        stream.object(&noun.origin, &self.object("AdmissionCheck", meta(), spec));
        let before = self.queues.iter().take_while(|(other, ..)| other.id != noun.id);
        let mut before = before.filter_map(|(.., plan)| plan.handing.as_ref());
        if before.all(|it| it.flavor != handing.flavor) {
            let meta = Meta::named(text(&handing.flavor));
            stream.object(&noun.origin, &self.object("ResourceFlavor", meta, flavor(handing)));
        }
    }

    /// What all workers of a queue hold together, of one flavor that every pod fits.
    pub(crate) fn held_by_workers(
        &self,
        noun: &Noun,
        queue: &'a Queue,
        handing: &'a Handing,
    ) -> ResourceGroup<'a> {
        let mut devices: BTreeMap<&'a str, i64> = BTreeMap::new();
        let mut hosts = Amounts::NONE;
        let workers = queue.workers.iter().map(|it| self.cx.plan.get(it.value).plan);
        for flavor in workers.flat_map(|worker| &worker.flavors) {
            hosts = hosts.plus(flavor.quota);
            let resource = self.cx.plan.get(flavor.pool).plan.resource.as_deref();
            if let Some(held) = resource.map(|name| devices.entry(name).or_default()) {
                *held = held.saturating_add(flavor.quota.devices);
            }
        }
        let devices = devices.into_iter().map(|(name, it)| (text(name), Amount::Count(it)));
        let hosts = host_amounts(hosts).into_iter().map(|(name, it)| (name.into(), it));
        let named = self.cx.plan.counted_by_workers(noun.id).into_iter();
        let named = named.map(|(name, held)| (text(name), in_words(held)));
        let all: Vec<(Text<'a>, Amount)> = devices.chain(hosts).chain(named).collect();
        ResourceGroup {
            covered_resources: all.iter().map(|(name, _)| name.clone()).collect(),
            flavors: vec![FlavorQuotas {
                name: text(&handing.flavor),
                resources: all.into_iter().map(whole).collect(),
            }],
        }
    }
}

/// What all that is handed on is to Kueue. Nodes are chosen where it runs, so that its label is on none; one with levels has to have some.
fn flavor(handing: &Handing) -> FlavorSpec<'_> {
    let levels = handing.levels.as_ref();
    let label = levels.map(|_| (words::HANDED_ON.into(), text(&handing.flavor)));
    FlavorSpec {
        node_labels: label.into_iter().collect(),
        topology_name: levels.map(|it| text(&it.name)),
        ..FlavorSpec::default()
    }
}

fn whole((name, nominal_quota): (Text<'_>, Amount)) -> ResourceQuota<'_> {
    ResourceQuota { name, nominal_quota, borrowing_limit: None, lending_limit: None }
}
