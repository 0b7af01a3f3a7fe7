//! Who may do what in a namespace, and what it may hold.

use super::{Object, Pairs, Selector, Text};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a role lets one do. It has no spec.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Role<'a> {
    #[serde(flatten)]
    pub(crate) object: Object<'a, ()>,
    pub(crate) rules: Vec<PolicyRule>,
}

/// Verbs on resources of one API group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyRule {
    pub(crate) api_groups: [&'static str; 1],
    pub(crate) resources: &'static [&'static str],
    pub(crate) verbs: &'static [&'static str],
}

/// Who has a role.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleBinding<'a> {
    #[serde(flatten)]
    pub(crate) object: Object<'a, ()>,
    pub(crate) role_ref: Party<'a>,
    pub(crate) subjects: Vec<Party<'a>>,
}

/// A role, a person or a group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Party<'a> {
    pub(crate) api_group: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) name: Text<'a>,
}

/// How many objects of each kind there may be.
#[derive(Serialize)]
pub(crate) struct ObjectQuota {
    pub(crate) hard: BTreeMap<&'static str, i64>,
}

/// Who reaches the pods of a namespace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NetworkPolicySpec<'a> {
    /// Empty, it is about all of them.
    pub(crate) pod_selector: Pairs<'a>,
    pub(crate) policy_types: [&'static str; 1],
    pub(crate) ingress: Vec<Ingress<'a>>,
}

/// Those who are let in.
#[derive(Serialize)]
pub(crate) struct Ingress<'a> {
    pub(crate) from: Vec<Peer<'a>>,
}

/// Pods of the same namespace, or of others.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Peer<'a> {
    /// Pods of the same namespace that have these labels.
    PodSelector(Pairs<'a>),
    /// All pods of these namespaces.
    NamespaceSelector(Selector<'a>),
}

/// A priority of pods.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriorityClass<'a> {
    #[serde(flatten)]
    pub(crate) object: Object<'a, ()>,
    pub(crate) global_default: bool,
    pub(crate) preemption_policy: &'static str,
}
