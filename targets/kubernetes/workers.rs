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
    pub(crate) fn held_by_workers(&self, noun: &Noun, handing: &'a Handing) -> ResourceGroup<'a> {
        let devices = of_devices(handing);
        let hosts = |all: Option<Amounts>| all.map(host_amounts).into_iter().flatten();
        let limits = |all| hosts(all).map(|(_, it)| Some(it)).chain(std::iter::repeat(None));
        let hosts = hosts(Some(handing.quota))
            .zip(limits(handing.borrows))
            .zip(limits(handing.lends))
            .map(|(((name, nominal_quota), borrowing_limit), lending_limit)| {
                let name = name.into();
                ResourceQuota { name, nominal_quota, borrowing_limit, lending_limit }
            });
        let named = self.cx.plan.counted_by_workers(noun.id).into_iter();
        let named = named.map(|(name, held)| whole((text(name), in_words(held))));
        let resources: Vec<ResourceQuota<'a>> = devices.chain(hosts).chain(named).collect();
        ResourceGroup {
            covered_resources: resources.iter().map(|it| it.name.clone()).collect(),
            flavors: vec![FlavorQuotas { name: text(&handing.flavor), resources }],
        }
    }
}

/// Devices of each sort. What is lent and borrowed is of one sort, or nothing of any.
fn of_devices(handing: &Handing) -> impl Iterator<Item = ResourceQuota<'_>> {
    let limit = |most: Option<Amounts>| most.map(|most| most.devices);
    handing.devices.iter().map(move |(name, held)| ResourceQuota {
        name: text(name),
        nominal_quota: Amount::Count(*held),
        borrowing_limit: limit(handing.borrows).map(Amount::Count),
        lending_limit: limit(handing.lends).map(|most| Amount::Count(most.min(*held))),
    })
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
