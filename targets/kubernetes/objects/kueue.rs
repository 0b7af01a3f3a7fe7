//! Kueue: queues, flavors, checks. The fields are those that v1beta2 has; `cohort` alone is v1beta1's word.

use super::{Amount, Pairs, Selector, Text, Toleration};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a queue hands out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClusterQueueSpec<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cohort_name: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cohort: Option<Text<'a>>,
    pub(crate) queueing_strategy: &'static str,
    /// None selects no namespace at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace_selector: Option<Selector<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) flavor_fungibility: Option<Fungibility>,
    pub(crate) preemption: Preemption,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fair_sharing: Option<Weight>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) admission_scope: Option<AdmissionScope>,
    pub(crate) resource_groups: Vec<ResourceGroup<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) admission_checks_strategy: Option<ChecksStrategy<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop_policy: Option<&'static str>,
}

/// What a queue does with one flavor before it looks at the next.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fungibility {
    pub(crate) when_can_borrow: &'static str,
    pub(crate) when_can_preempt: &'static str,
}

/// Which node pools get nodes for pods of a compute class (`ComputeClass` of GKE).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComputeClassSpec<'a> {
    pub(crate) priorities: Vec<ClassRule<'a>>,
    /// What GKE does where none can have nodes.
    pub(crate) when_unsatisfiable: &'static str,
    pub(crate) node_pool_auto_creation: AutoCreation,
}

/// Node pools that are as good as each other.
#[derive(Serialize)]
pub(crate) struct ClassRule<'a> {
    pub(crate) nodepools: Vec<Text<'a>>,
}

/// Whether GKE makes node pools of its own.
#[derive(Serialize)]
pub(crate) struct AutoCreation {
    pub(crate) enabled: bool,
}

/// A cohort that is part of another.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CohortSpec<'a> {
    pub(crate) parent_name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fair_sharing: Option<Weight>,
}

/// The part of what is lent that a queue may use, beside others'.
#[derive(Serialize)]
pub(crate) struct Weight {
    weight: i64,
}

impl Weight {
    pub(crate) fn of(weight: i64) -> Self {
        Self { weight }
    }
}

/// Who makes room for whom.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preemption {
    pub(crate) within_cluster_queue: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reclaim_within_cohort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) borrow_within_cohort: Option<Displacing>,
}

/// Whose place is taken for what is borrowed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Displacing {
    pub(crate) policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_priority_threshold: Option<i64>,
}

/// Resources that the same flavors provide.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceGroup<'a> {
    pub(crate) covered_resources: Vec<Text<'a>>,
    pub(crate) flavors: Vec<FlavorQuotas<'a>>,
}

/// Quotas of one flavor.
#[derive(Serialize)]
pub(crate) struct FlavorQuotas<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) resources: Vec<ResourceQuota<'a>>,
}

/// How much of one resource.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceQuota<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) nominal_quota: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) borrowing_limit: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lending_limit: Option<Amount>,
}

/// Checks that a workload passes before it is admitted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChecksStrategy<'a> {
    pub(crate) admission_checks: Vec<FlavorCheck<'a>>,
}

/// A check, and the flavors that it is for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlavorCheck<'a> {
    pub(crate) name: Text<'a>,
    /// None is all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) on_flavors: Vec<Text<'a>>,
}

/// The door of a namespace into a queue.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LocalQueueSpec<'a> {
    pub(crate) cluster_queue: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fair_sharing: Option<Weight>,
}

/// How a queue chooses between its doors.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionScope {
    pub(crate) admission_mode: &'static str,
}

/// A kind of nodes.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlavorSpec<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) node_labels: Pairs<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) node_taints: Vec<NodeTaint<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) topology_name: Option<Text<'a>>,
}

/// What keeps pods away that do not tolerate it.
#[derive(Serialize)]
pub(crate) struct NodeTaint<'a> {
    pub(crate) key: Text<'a>,
    pub(crate) value: Text<'a>,
    pub(crate) effect: &'static str,
}

/// How far apart nodes are.
#[derive(Serialize)]
pub(crate) struct TopologySpec<'a> {
    pub(crate) levels: Vec<TopologyLevel<'a>>,
}

/// One of its levels.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TopologyLevel<'a> {
    pub(crate) node_label: Text<'a>,
}

/// Who performs a check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionCheckSpec<'a> {
    pub(crate) controller_name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<ObjectRef<'a>>,
}

/// Another object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) api_group: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<&'static str>,
    pub(crate) kind: Text<'a>,
    pub(crate) name: Text<'a>,
}

/// How nodes are asked for through the Dynamic Workload Scheduler.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProvisioningSpec<'a> {
    pub(crate) provisioning_class_name: Text<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) managed_resources: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) parameters: Pairs<'a>,
    pub(crate) retry_strategy: RetryStrategy,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pod_set_updates: Option<PodSetUpdates>,
}

/// How often nodes are asked for again after a request failed, and how long after it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RetryStrategy {
    pub(crate) backoff_limit_count: u32,
    pub(crate) backoff_base_seconds: u32,
    pub(crate) backoff_max_seconds: u32,
}

/// What is added to the pods once their nodes are there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodSetUpdates {
    pub(crate) node_selector: Vec<SelectorUpdate>,
}

/// A label of the provisioned nodes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectorUpdate {
    pub(crate) key: &'static str,
    pub(crate) value_from_provisioning_class_detail: &'static str,
}

/// A cluster that workloads are handed on to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerClusterSpec {
    pub(crate) cluster_source: ClusterSource,
}

/// How it is reached.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClusterSource {
    pub(crate) kube_config: KubeConfig,
}

/// The secret beside Kueue that says it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KubeConfig {
    pub(crate) location: String,
    pub(crate) location_type: &'static str,
}

/// Clusters that workloads of a queue are handed on to.
#[derive(Serialize)]
pub(crate) struct WorkersSpec<'a> {
    pub(crate) clusters: Vec<&'a str>,
}
