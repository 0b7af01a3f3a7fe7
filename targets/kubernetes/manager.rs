//! Kueue's manager, where a blueprint configures it: its release with one ConfigMap and one annotation of its own.
//!
//! The release comes with a configuration in a ConfigMap, one text that nobody can change in part. So the whole of it is
//! written, what the release says and what the blueprint says. The manager reads it when it starts: the annotation holds
//! its digest, so that another configuration is rolled out and the same one is not.

use super::context::text;
use super::kustomize::{Folder, Stream, short};
use super::objects::{Kustomization, Meta, Object, Pairs, Patch, Selector, TemplateMeta};
use super::queue::of_namespaces;
use super::resources::{DeviceClasses, Resources};
use super::setup::Installed;
use super::words;
use crate::Output;
use crate::document::yaml_string;
use serde::Serialize;
use sha2::{Digest, Sha256};
use slipform_model::catalog::KueueRelease;
use slipform_model::nouns::{
    Choice, DevicePart, FairBy, InLine, Kueue, ReadyWithin, Requeue, Unqueued,
};
use slipform_model::{Duration, Noun};
use std::collections::{BTreeMap, BTreeSet};

/// The folder below that of the cluster.
pub(crate) const FOLDER: &str = "kueue";
/// Of the release's own objects, each in a file: kustomize before 5 reads one patch from a file.
const CONFIGURATION: &str = "configuration.yaml";
const MANAGER: &str = "manager.yaml";

/// The file that the manager reads. Kueue's `apis/config/v1beta2/configuration_types.go`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Configuration<'a> {
    api_version: &'a str,
    kind: &'static str,
    health: Health<'a>,
    metrics: Metrics<'a>,
    webhook: Webhook,
    leader_election: LeaderElection<'a>,
    controller: Controller<'a>,
    client_connection: ClientConnection,
    #[serde(skip_serializing_if = "Option::is_none")]
    manage_jobs_without_queue_name: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    managed_jobs_namespace_selector: Option<Selector<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_for_pods_ready: Option<WaitForPodsReady>,
    integrations: Integrations<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fair_sharing: Option<FairSharing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_retention_policies: Option<RetentionPolicies>,
    #[serde(skip_serializing_if = "Option::is_none")]
    admission_fair_sharing: Option<UseCounted>,
    #[serde(skip_serializing_if = "Resources::is_empty")]
    resources: Resources<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    feature_gates: BTreeMap<&'static str, bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Health<'a> {
    health_probe_bind_address: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metrics<'a> {
    bind_address: &'a str,
}

#[derive(Serialize)]
struct Webhook {
    port: u16,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LeaderElection<'a> {
    leader_elect: bool,
    resource_name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Controller<'a> {
    group_kind_concurrency: &'a BTreeMap<String, u32>,
}

#[derive(Serialize)]
struct ClientConnection {
    qps: u32,
    burst: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WaitForPodsReady {
    timeout: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_timeout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_admission: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requeuing_strategy: Option<RequeuingStrategy>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequeuingStrategy {
    timestamp: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff_limit_count: Option<i64>,
    backoff_base_seconds: u64,
    backoff_max_seconds: u64,
}

#[derive(Serialize)]
struct Integrations<'a> {
    frameworks: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FairSharing {
    preemption_strategies: Vec<&'static str>,
}

/// How what a namespace used is counted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UseCounted {
    usage_half_life_time: &'static str,
    usage_sampling_interval: &'static str,
    resource_weights: BTreeMap<&'static str, u8>,
}

impl UseCounted {
    /// What was used a week ago counts half; Kueue looks every five minutes, as it does by itself. It adds up all that runs ask for, bytes
    /// too (`pkg/workload`), so that only devices count, or processors where there are none.
    fn of(devices: bool) -> Self {
        let uncounted = ["memory", "ephemeral-storage"].into_iter().chain(devices.then_some("cpu"));
        Self {
            usage_half_life_time: "168h",
            usage_sampling_interval: "5m",
            resource_weights: uncounted.map(|name| (name, 0)).collect(),
        }
    }
}

#[derive(Serialize)]
struct RetentionPolicies {
    workloads: WorkloadRetention,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkloadRetention {
    after_finished: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigMap<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Meta<'a>,
    data: Pairs<'a>,
}

/// A Deployment of which only the annotations of its pods are said.
#[derive(Serialize)]
struct Pods<'a> {
    template: Template<'a>,
}

#[derive(Serialize)]
struct Template<'a> {
    metadata: TemplateMeta<'a>,
}

impl<'a> Configuration<'a> {
    /// What a cluster says on top of what a release says.
    pub(crate) fn of(
        release: &'a KueueRelease,
        said: Option<&'a Kueue>,
        served: &BTreeSet<&'a str>,
    ) -> Self {
        let plain = Self {
            api_version: &release.api,
            kind: "Configuration",
            health: Health { health_probe_bind_address: &release.health },
            metrics: Metrics { bind_address: &release.metrics },
            webhook: Webhook { port: release.webhook_port },
            leader_election: LeaderElection { leader_elect: true, resource_name: &release.leader },
            controller: Controller { group_kind_concurrency: &release.concurrency },
            client_connection: ClientConnection { qps: release.qps, burst: release.burst },
            manage_jobs_without_queue_name: None,
            managed_jobs_namespace_selector: None,
            wait_for_pods_ready: None,
            integrations: Integrations { frameworks: &release.integrations },
            fair_sharing: None,
            object_retention_policies: None,
            admission_fair_sharing: None,
            resources: Resources::default(),
            feature_gates: BTreeMap::new(),
        };
        match said {
            Some(kueue) => plain.changed(release, kueue, served),
            None => plain,
        }
    }

    fn changed(
        self,
        release: &'a KueueRelease,
        kueue: &'a Kueue,
        served: &BTreeSet<&'a str>,
    ) -> Self {
        let Kueue::Kueue {
            ready_within,
            // of what waits for pods, with the word before
            recovered_within: _,
            one_at_a_time: _,
            requeue: _,
            fair_sharing,
            fair_by,
            unqueued_jobs,
            keep_finished,
            integrations,
            // of flavors
            topology: _,
            // which release that is
            version: _,
            // of queues, which count them
            devices: _,
            parts,
            counts_as,
        } = kueue;
        let shared = parts.values().any(DevicePart::is_shared);
        // Pods are jobs too: those of the cluster's own would wait for ever. Kueue then serves no other namespace at all.
        let selector = || of_namespaces(served.iter().copied());
        let waits = *unqueued_jobs == Unqueued::Wait;
        // releases before have nothing to keep from it, and no such gate
        let waits_for_none =
            *ready_within == Some(ReadyWithin::Never) && release.ready_minutes.is_some();
        let frameworks = integrations.as_deref().unwrap_or(self.integrations.frameworks);
        Self {
            manage_jobs_without_queue_name: waits.then_some(true),
            managed_jobs_namespace_selector: waits.then(selector),
            wait_for_pods_ready: waiting(release, kueue),
            integrations: Integrations { frameworks },
            fair_sharing: fair_sharing
                .then(|| FairSharing { preemption_strategies: shares(*fair_by) }),
            object_retention_policies: keep_finished.map(|it| RetentionPolicies {
                workloads: WorkloadRetention { after_finished: of_go(it) },
            }),
            resources: Resources::of(counts_as, parts),
            feature_gates: [
                shared.then_some(words::COUNTS_SHARED),
                waits_for_none.then_some(words::WAITS_FOR_NONE),
            ]
            .into_iter()
            .flatten()
            .map(|gate| (gate, true))
            .collect(),
            ..self
        }
    }

    /// The same, where it counts devices of these classes, by what quotas call them.
    pub(crate) fn counting_devices(
        mut self,
        classes: &'a BTreeMap<String, BTreeSet<String>>,
    ) -> Self {
        let named = classes.iter().map(|(name, classes)| DeviceClasses::whole(name, classes));
        self.resources.device_class_mappings.splice(0..0, named);
        self
    }

    /// The same, where it places groups of nodes within groups.
    pub(crate) fn placing_layers(mut self, opens: bool) -> Self {
        self.feature_gates.extend(opens.then_some((words::PLACES_LAYERS, true)));
        self
    }

    /// The same, where queues choose by what their namespaces used of late, of devices or of processors.
    pub(crate) fn counting_use(self, devices: Option<bool>) -> Self {
        Self { admission_fair_sharing: devices.map(UseCounted::of), ..self }
    }
}

/// How it waits for the pods of runs, where that is not what its release does by itself.
fn waiting(release: &KueueRelease, kueue: &Kueue) -> Option<WaitForPodsReady> {
    let Kueue::Kueue { ready_within, recovered_within, one_at_a_time, requeue, .. } = kueue;
    let within = kueue.pods_ready(release.ready_minutes)?;
    let said = ready_within.is_some() || recovered_within.is_some() || requeue.is_some();
    (said || *one_at_a_time).then(|| WaitForPodsReady {
        timeout: of_go(within),
        recovery_timeout: recovered_within.map(of_go),
        block_admission: one_at_a_time.then_some(true),
        requeuing_strategy: requeue.as_ref().map(|it| {
            let Requeue::Requeue { limit, base, max, place } = it;
            RequeuingStrategy {
                timestamp: match place {
                    InLine::Kept => "Creation",
                    InLine::Last => "Eviction",
                },
                backoff_limit_count: *limit,
                backoff_base_seconds: base.0,
                backoff_max_seconds: max.0,
            }
        }),
    })
}

/// By which shares queues are compared that share fairly: both, in the order of Kueue's own default, unless one is said.
fn shares(by: Choice<FairBy>) -> Vec<&'static str> {
    let word = |by| match by {
        FairBy::FinalShare => "LessThanOrEqualToFinalShare",
        FairBy::InitialShare => "LessThanInitialShare",
    };
    match by {
        Choice::Set(by) => vec![word(by)],
        Choice::Auto => [FairBy::FinalShare, FairBy::InitialShare].map(word).to_vec(),
    }
}

impl Configuration<'_> {
    /// Writes the folder that installs Kueue with it.
    pub(crate) fn write(
        &self,
        installed: &Installed<'_>,
        noun: &Noun,
        cluster: &Folder,
        out: &mut Output,
    ) {
        let mut stream = Stream::default();
        let file = self.text();
        let digest = short(&Sha256::digest(&file));
        let map = ConfigMap {
            api_version: "v1",
            kind: "ConfigMap",
            metadata: Meta::of(words::KUEUE_CONFIGURATION, text(installed.namespace)),
            data: Pairs::from([(words::KUEUE_FILE.into(), file.into())]),
        };
        stream.add(&noun.origin, &map);
        let folder = Folder { path: cluster.path.join(FOLDER), nouns: cluster.nouns.clone() };
        out.file(folder.path.join(CONFIGURATION), stream.take(), folder.nouns());
        let annotations = Pairs::from([(words::CONFIGURATION.into(), digest.into())]);
        let metadata = TemplateMeta { annotations, ..TemplateMeta::default() };
        let pods = Pods { template: Template { metadata } };
        let meta = Meta::of(words::KUEUE_MANAGER, text(installed.namespace));
        stream.object(&noun.origin, &Object::new("apps/v1", "Deployment", meta, pods));
        out.file(folder.path.join(MANAGER), stream.take(), folder.nouns());
        let kustomization = Kustomization {
            resources: vec![text(&installed.manifest)],
            patches: [CONFIGURATION, MANAGER].map(|path| Patch::File { path: path.into() }).into(),
            ..Kustomization::default()
        };
        folder.kustomization(&noun.origin, &kustomization, &mut stream, out);
    }

    #[expect(clippy::expect_used, reason = "it is made of texts, numbers and lists of them")]
    fn text(&self) -> String {
        yaml_string(self).expect("what every printer of YAML can write")
    }
}

/// A duration as Go reads it, in the largest unit that it is a whole number of.
fn of_go(duration: Duration) -> String {
    match duration.0 {
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}
