//! Labels and tags that patches write, in the form that Google Cloud and Kubernetes take: Terraform's plan passes with others, and the apply fails.

use super::patch::{PATCH_WORD, said};
use crate::labels::{is_label_key, is_label_value};
use slipform_model::{Diagnostic, Patch, Placed, Value};

/// How long a label, its key or a tag is at most.
const MOST: usize = 63;

/// Labels of Google's resources, which are no labels of Kubernetes.
const LABELS: &[(&str, &[&str])] = &[
    ("google_container_node_pool", &["node_config", "resource_labels"]),
    ("google_container_cluster", &["resource_labels"]),
    ("google_storage_bucket", &["labels"]),
    ("google_filestore_instance", &["labels"]),
    ("google_lustre_instance", &["labels"]),
    ("google_artifact_registry_repository", &["labels"]),
    ("google_compute_disk", &["labels"]),
    ("google_compute_instance_template", &["labels"]),
];

/// Labels that nodes have in Kubernetes.
const OF_NODES: &[(&str, &[&str])] = &[("google_container_node_pool", &["node_config", "labels"])];

/// Tags of machines, by which rules of firewalls name them.
const TAGS: &[(&str, &[&str])] = &[
    ("google_container_node_pool", &["node_config", "tags"]),
    ("google_compute_instance_template", &["tags"]),
];

/// Labels and tags of a patch that are not taken.
pub(super) fn forms(patch: &Patch, resource: &str) -> Vec<Diagnostic> {
    let of = |table: &'static [(&'static str, &'static [&'static str])]| {
        let rows = table.iter().filter(|(known, _)| *known == resource);
        rows.flat_map(|(_, path)| said(&patch.value, path)).collect::<Vec<_>>()
    };
    let labels = of(LABELS).into_iter().flat_map(wrong_labels);
    let labels = labels.chain(of(OF_NODES).into_iter().flat_map(wrong_on_nodes));
    labels.chain(of(TAGS).into_iter().flat_map(wrong_tags)).collect()
}

/// What Google Cloud does not take of labels.
fn wrong_labels(labels: &Placed) -> Vec<Diagnostic> {
    let is_key = |it: &str| it.starts_with(|c: char| c.is_lowercase()) && is_label(it);
    let help = format!(
        "take small letters, digits, `_` and `-`, {MOST} at most, and a letter at the head of a key"
    );
    wrong(labels, "Google Cloud", is_key, is_label, &help)
}

/// What Kubernetes does not take of labels of its nodes.
fn wrong_on_nodes(labels: &Placed) -> Vec<Diagnostic> {
    let is_key = |it: &str| is_label_key(it, MOST);
    let is_value = |it: &str| is_label_value(it, MOST);
    let help = format!(
        "take letters, digits, `-`, `_` and `.`, {MOST} at most, a letter or a digit at both ends"
    );
    wrong(labels, "a node", is_key, is_value, &help)
}

fn wrong(
    labels: &Placed,
    whose: &str,
    is_key: impl Fn(&str) -> bool,
    is_value: impl Fn(&str) -> bool,
    help: &str,
) -> Vec<Diagnostic> {
    let Value::Record(labels) = &labels.value else { return Vec::new() };
    let judge = |(key, value): (&std::sync::Arc<str>, &Placed)| {
        let what = match &value.value {
            _ if !is_key(key) => format!("`{key}` is no key of a label of {whose}"),
            Value::Str(text) if !is_value(text) => {
                format!("`{text}` is no value of a label of {whose}")
            }
            _ => return None,
        };
        Some(Diagnostic::error(PATCH_WORD, what, value.span).help(help))
    };
    labels.iter().filter_map(judge).collect()
}

fn is_label(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() && !c.is_uppercase() || "_-".contains(c);
    text.chars().count() <= MOST && text.chars().all(plain)
}

fn wrong_tags(tags: &Placed) -> Vec<Diagnostic> {
    let Value::List(tags) = &tags.value else { return Vec::new() };
    let judge = |tag: &Placed| {
        let Value::Str(text) = &tag.value else { return None };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_tag = text.len() <= MOST
            && text.chars().all(plain)
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && !text.ends_with('-');
        let help = format!("take small letters, digits and `-`, {MOST} at most, a letter first");
        let message = format!("`{text}` is no tag of a machine");
        (!is_tag).then(|| Diagnostic::error(PATCH_WORD, message, tag.span).help(help))
    };
    tags.iter().filter_map(judge).collect()
}
