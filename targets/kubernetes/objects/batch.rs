//! JobSets, and the DaemonSets that prepare nodes.

use super::{PodTemplate, Selector, TemplateMeta, Text};
use crate::document::Commented;
use serde::Serialize;

/// A set of Jobs that run, fail and end together. The fields are those of JobSet v0.10.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobSetSpec<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_seconds_after_finished: Option<u64>,
    pub(crate) network: JobSetNetwork,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coordinator: Option<Coordinator<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) success_policy: Option<SuccessPolicy<'a>>,
    pub(crate) failure_policy: FailurePolicy<'a>,
    pub(crate) replicated_jobs: Vec<Commented<ReplicatedJob<'a>>>,
}

/// How pods find each other.
#[derive(Serialize)]
pub(crate) struct JobSetNetwork {
    #[serde(rename = "enableDNSHostnames")]
    pub(crate) enable_dns_hostnames: bool,
    #[serde(rename = "publishNotReadyAddresses")]
    pub(crate) publish_not_ready_addresses: bool,
}

/// The pod that all are told of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Coordinator<'a> {
    pub(crate) replicated_job: Text<'a>,
    pub(crate) job_index: i64,
    pub(crate) pod_index: i64,
}

/// When the whole has succeeded.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SuccessPolicy<'a> {
    pub(crate) operator: &'static str,
    pub(crate) target_replicated_jobs: Vec<Text<'a>>,
}

/// What a failed Job means for the whole.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailurePolicy<'a> {
    pub(crate) max_restarts: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<FailureRule<'a>>,
}

/// One rule; the first that fits decides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailureRule<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) action: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) on_job_failure_reasons: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) on_job_failure_message_patterns: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) target_replicated_jobs: Vec<Text<'a>>,
}

/// Jobs from one template.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReplicatedJob<'a> {
    pub(crate) name: Text<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<DependsOn<'a>>,
    pub(crate) replicas: i64,
    pub(crate) template: JobTemplate<'a>,
}

/// A replicated job that has to come first.
#[derive(Serialize)]
pub(crate) struct DependsOn<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) status: &'static str,
}

/// A Job to be.
#[derive(Serialize)]
pub(crate) struct JobTemplate<'a> {
    #[serde(skip_serializing_if = "TemplateMeta::is_empty")]
    pub(crate) metadata: TemplateMeta<'a>,
    pub(crate) spec: JobSpec<'a>,
}

/// A Job.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobSpec<'a> {
    pub(crate) completion_mode: &'static str,
    pub(crate) parallelism: i64,
    pub(crate) completions: i64,
    pub(crate) backoff_limit: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) active_deadline_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pod_failure_policy: Option<PodFailurePolicy<'a>>,
    pub(crate) template: PodTemplate<'a>,
}

/// What a failed pod means for its Job.
#[derive(Serialize)]
pub(crate) struct PodFailurePolicy<'a> {
    pub(crate) rules: Vec<PodFailureRule<'a>>,
}

/// One rule; the first that fits decides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodFailureRule<'a> {
    pub(crate) action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_exit_codes: Option<ExitCodes<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) on_pod_conditions: Vec<PodCondition>,
}

/// Exit codes of a container.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExitCodes<'a> {
    pub(crate) container_name: Text<'a>,
    pub(crate) operator: &'static str,
    pub(crate) values: Vec<i32>,
}

/// A condition of a pod.
#[derive(Serialize)]
pub(crate) struct PodCondition {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
}

/// A pod on every node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DaemonSetSpec<'a> {
    pub(crate) selector: Selector<'a>,
    pub(crate) update_strategy: UpdateStrategy,
    pub(crate) template: PodTemplate<'a>,
}

/// How pods of a DaemonSet are replaced.
#[derive(Serialize)]
pub(crate) struct UpdateStrategy {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
}

/// The most of what a namespace may hold.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuotaSpec<'a> {
    pub(crate) hard: Pods,
    pub(crate) scope_selector: ScopeSelector<'a>,
}

/// A number of pods.
#[derive(Serialize)]
pub(crate) struct Pods {
    pub(crate) pods: i64,
}

/// What a quota counts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeSelector<'a> {
    pub(crate) match_expressions: Vec<ScopeRequirement<'a>>,
}

/// One condition on what is counted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeRequirement<'a> {
    pub(crate) scope_name: &'static str,
    pub(crate) operator: &'static str,
    pub(crate) values: Vec<Text<'a>>,
}
