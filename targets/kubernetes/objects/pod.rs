//! Pods: containers, environment, volumes, scheduling.

use super::{Amount, Pairs, Requirement, TemplateMeta, Text};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a Job or a DaemonSet makes.
#[derive(Serialize)]
pub(crate) struct PodTemplate<'a> {
    #[serde(skip_serializing_if = "TemplateMeta::is_empty")]
    pub(crate) metadata: TemplateMeta<'a>,
    pub(crate) spec: PodSpec<'a>,
}

/// A pod.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodSpec<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) restart_policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) service_account_name: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) automount_service_account_token: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) image_pull_secrets: Vec<super::Named<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) priority_class_name: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) termination_grace_period_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) active_deadline_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host_network: Option<bool>,
    #[serde(rename = "hostPID", skip_serializing_if = "Option::is_none")]
    pub(crate) host_pid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dns_policy: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) node_selector: Pairs<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) affinity: Option<Affinity<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tolerations: Vec<Toleration<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resource_claims: Vec<PodClaim<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) init_containers: Vec<Container<'a>>,
    pub(crate) containers: Vec<Container<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) volumes: Vec<Volume<'a>>,
}

/// A container.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Container<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) image: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image_pull_policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) restart_policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) command: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) working_dir: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env: Vec<EnvVar<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ports: Vec<Port<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) security_context: Option<SecurityContext<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) startup_probe: Option<Probe<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) readiness_probe: Option<Probe<'a>>,
    #[serde(skip_serializing_if = "Resources::is_empty")]
    pub(crate) resources: Resources<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) volume_mounts: Vec<VolumeMount<'a>>,
}

/// An environment variable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvVar<'a> {
    pub(crate) name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_from: Option<EnvSource<'a>>,
}

impl EnvVar<'_> {
    /// Puts the folders of another variable behind those of this one; what is not text takes its place.
    pub(crate) fn behind(&mut self, other: Self) {
        match (&mut self.value, other.value) {
            (Some(own), Some(more)) => *own = format!("{own}:{more}").into(),
            (own, more) => {
                *own = more;
                self.value_from = other.value_from;
            }
        }
    }
}

/// Where a variable's value comes from.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum EnvSource<'a> {
    #[serde(rename_all = "camelCase")]
    FieldRef {
        field_path: &'static str,
    },
    SecretKeyRef {
        name: Text<'a>,
        key: Text<'a>,
    },
}

/// A port that a container listens on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Port<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<Text<'a>>,
    pub(crate) container_port: i64,
}

/// What a container may do.
#[derive(Serialize, Default)]
pub(crate) struct SecurityContext<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) privileged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capabilities: Option<Capabilities<'a>>,
}

/// Linux capabilities.
#[derive(Serialize)]
pub(crate) struct Capabilities<'a> {
    pub(crate) add: Vec<Text<'a>>,
}

/// When a container counts as started, or as ready.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Probe<'a> {
    #[serde(flatten)]
    pub(crate) asks: Asks<'a>,
    pub(crate) period_seconds: u32,
    pub(crate) failure_threshold: u32,
}

/// What a probe asks.
#[derive(Serialize)]
pub(crate) enum Asks<'a> {
    #[serde(rename = "exec")]
    Exec(Exec<'a>),
    #[serde(rename = "tcpSocket")]
    Tcp(Socket),
    #[serde(rename = "httpGet")]
    Http(Page<'a>),
}

/// A port that something listens on.
#[derive(Serialize)]
pub(crate) struct Socket {
    pub(crate) port: i64,
}

/// A page that something answers with.
#[derive(Serialize)]
pub(crate) struct Page<'a> {
    pub(crate) path: Text<'a>,
    pub(crate) port: i64,
}

/// A command in a container.
#[derive(Serialize)]
pub(crate) struct Exec<'a> {
    pub(crate) command: Vec<Text<'a>>,
}

/// What a container asks of its node.
#[derive(Serialize, Default)]
pub(crate) struct Resources<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) limits: BTreeMap<Text<'a>, Amount>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) requests: BTreeMap<Text<'a>, Amount>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) claims: Vec<super::Named<'a>>,
}

impl Resources<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.limits.is_empty() && self.requests.is_empty() && self.claims.is_empty()
    }
}

/// Where a container sees a volume.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VolumeMount<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) mount_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sub_path: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_only: Option<bool>,
}

impl<'a> VolumeMount<'a> {
    pub(crate) fn new(name: impl Into<Text<'a>>, path: impl Into<Text<'a>>) -> Self {
        Self { name: name.into(), mount_path: path.into(), sub_path: None, read_only: None }
    }
}

/// A volume of a pod.
#[derive(Serialize)]
pub(crate) struct Volume<'a> {
    pub(crate) name: Text<'a>,
    #[serde(flatten)]
    pub(crate) source: VolumeSource<'a>,
}

/// Where a volume's bytes are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum VolumeSource<'a> {
    HostPath {
        path: Text<'a>,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        form: Option<&'static str>,
    },
    #[serde(rename_all = "camelCase")]
    EmptyDir {
        #[serde(skip_serializing_if = "Option::is_none")]
        medium: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        size_limit: Option<Text<'a>>,
    },
    #[serde(rename_all = "camelCase")]
    Csi {
        driver: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        read_only: Option<bool>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        volume_attributes: Pairs<'a>,
    },
    #[serde(rename_all = "camelCase")]
    PersistentVolumeClaim {
        claim_name: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        read_only: Option<bool>,
    },
    #[serde(rename_all = "camelCase")]
    Secret {
        secret_name: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        default_mode: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        optional: Option<bool>,
    },
    ConfigMap {
        name: Text<'a>,
    },
}

/// A taint that a pod puts up with.
#[derive(Serialize, Clone, PartialEq)]
pub(crate) struct Toleration<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Text<'a>>,
    pub(crate) operator: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<Text<'a>>,
}

/// A claim of a pod, from a template.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodClaim<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) resource_claim_template_name: Text<'a>,
}

/// Which nodes a pod may run on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Affinity<'a> {
    pub(crate) node_affinity: NodeAffinity<'a>,
}

/// Conditions on nodes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeAffinity<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) required_during_scheduling_ignored_during_execution: Option<NodeTerms<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) preferred_during_scheduling_ignored_during_execution: Vec<Preferred<'a>>,
}

/// What a node has that is preferred, and by how much.
#[derive(Serialize)]
pub(crate) struct Preferred<'a> {
    pub(crate) weight: u32,
    pub(crate) preference: NodeTerm<'a>,
}

/// Alternatives.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeTerms<'a> {
    pub(crate) node_selector_terms: Vec<NodeTerm<'a>>,
}

/// Conditions that hold together.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeTerm<'a> {
    pub(crate) match_expressions: Vec<Requirement<'a>>,
}
