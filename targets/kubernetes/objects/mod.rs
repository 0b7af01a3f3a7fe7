//! The Kubernetes objects that are written, as types: one struct an API type, with the fields that a target fills.
//!
//! Field names come from here alone. What is not filled is not printed. Strings borrow from the plan where they can,
//! because thousands of workloads share them.

mod access;
mod batch;
mod kueue;
mod kustomize;
mod pod;
mod storage;

pub(crate) use access::*;
pub(crate) use batch::*;
pub(crate) use kueue::*;
pub(crate) use kustomize::*;
pub(crate) use pod::*;
pub(crate) use storage::*;

use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Text of an object.
pub(crate) type Text<'a> = Cow<'a, str>;

/// Labels, annotations, selectors and attributes, sorted by key.
pub(crate) type Pairs<'a> = BTreeMap<Text<'a>, Text<'a>>;

/// An object of the API.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Object<'a, S> {
    pub(crate) api_version: Text<'a>,
    pub(crate) kind: &'static str,
    pub(crate) metadata: Meta<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spec: Option<S>,
    /// Of priority classes, which have no spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<Text<'a>>,
}

impl<'a, S> Object<'a, S> {
    pub(crate) fn new(
        api: impl Into<Text<'a>>,
        kind: &'static str,
        metadata: Meta<'a>,
        spec: S,
    ) -> Self {
        let api_version = api.into();
        Self { api_version, kind, metadata, spec: Some(spec), value: None, description: None }
    }
}

/// Name and place of an object.
#[derive(Serialize, Default)]
pub(crate) struct Meta<'a> {
    pub(crate) name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<Text<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: Pairs<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Pairs<'a>,
}

impl<'a> Meta<'a> {
    /// Of a cluster-scoped object.
    pub(crate) fn named(name: impl Into<Text<'a>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Of a namespaced object.
    pub(crate) fn of(name: impl Into<Text<'a>>, namespace: impl Into<Text<'a>>) -> Self {
        Self { namespace: Some(namespace.into()), ..Self::named(name) }
    }

    pub(crate) fn label(mut self, key: impl Into<Text<'a>>, value: impl Into<Text<'a>>) -> Self {
        self.labels.insert(key.into(), value.into());
        self
    }

    pub(crate) fn annotation(
        mut self,
        key: impl Into<Text<'a>>,
        value: impl Into<Text<'a>>,
    ) -> Self {
        self.annotations.insert(key.into(), value.into());
        self
    }
}

/// Labels and annotations of a template.
#[derive(Serialize, Default)]
pub(crate) struct TemplateMeta<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: Pairs<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Pairs<'a>,
}

impl TemplateMeta<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.annotations.is_empty()
    }
}

/// An amount of a resource: whole units, or text with a unit.
#[derive(Serialize, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub(crate) enum Amount {
    Count(i64),
    Text(String),
}

/// One field of an object that asks for a name only.
#[derive(Serialize)]
pub(crate) struct Named<'a> {
    pub(crate) name: Text<'a>,
}

/// Labels that must match.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Selector<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) match_labels: Pairs<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) match_expressions: Vec<Requirement<'a>>,
}

/// One condition on a label.
#[derive(Serialize)]
pub(crate) struct Requirement<'a> {
    pub(crate) key: Text<'a>,
    pub(crate) operator: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<Text<'a>>,
}
