//! Kustomizations.

use super::{Pairs, Text};
use serde::Serialize;
use std::collections::BTreeMap;

/// The file that `kubectl kustomize` reads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kustomization<'a> {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) resources: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<LabelPairs<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<Image<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) patches: Vec<Patch<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) config_map_generator: Vec<ConfigMapArgs<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replacements: Vec<Replacement<'a>>,
}

impl Default for Kustomization<'_> {
    fn default() -> Self {
        Self {
            api_version: "kustomize.config.k8s.io/v1beta1",
            kind: "Kustomization",
            resources: Vec::new(),
            labels: Vec::new(),
            images: Vec::new(),
            patches: Vec::new(),
            config_map_generator: Vec::new(),
            replacements: Vec::new(),
        }
    }
}

/// Labels that every resource gets on its own metadata.
#[derive(Serialize)]
pub(crate) struct LabelPairs<'a> {
    pub(crate) pairs: Pairs<'a>,
}

/// Another tag or digest for an image.
#[derive(Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Image<'a> {
    pub(crate) name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new_tag: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<Text<'a>>,
}

/// A change of what the resources say.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Patch<'a> {
    /// JSON 6902, as text.
    Inline { target: PatchTarget<'a>, patch: Text<'a> },
    /// Objects that say what is to be otherwise in those of the same name.
    File { path: Text<'a> },
}

/// The object that is patched.
#[derive(Serialize)]
pub(crate) struct PatchTarget<'a> {
    pub(crate) group: Text<'a>,
    pub(crate) version: Text<'a>,
    pub(crate) kind: &'static str,
    pub(crate) name: Text<'a>,
}

/// One operation of a JSON 6902 patch.
#[derive(Serialize)]
pub(crate) struct Operation<'a> {
    pub(crate) op: &'static str,
    pub(crate) path: Text<'a>,
    pub(crate) value: Text<'a>,
}

/// A ConfigMap to make.
#[derive(Serialize)]
pub(crate) struct ConfigMapArgs<'a> {
    pub(crate) name: &'static str,
    pub(crate) envs: Vec<&'static str>,
    pub(crate) options: GeneratorOptions<'a>,
}

/// How a generated object is named and marked.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratorOptions<'a> {
    pub(crate) disable_name_suffix_hash: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Pairs<'a>,
}

/// A value that is copied into other objects.
#[derive(Serialize)]
pub(crate) struct Replacement<'a> {
    pub(crate) source: ReplacementSource,
    pub(crate) targets: Vec<ReplacementTarget<'a>>,
}

/// Where the value stands.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReplacementSource {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) field_path: String,
}

/// Where the value goes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReplacementTarget<'a> {
    pub(crate) select: ReplacementSelect<'a>,
    pub(crate) field_paths: Vec<String>,
}

/// The object that the value goes to.
#[derive(Serialize)]
pub(crate) struct ReplacementSelect<'a> {
    pub(crate) kind: &'static str,
    pub(crate) name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<Text<'a>>,
}
