//! What nodes of a pool get by patches, and the pods that have to live with it.

use super::{PATCH_UNTOLERATED, items, text};
use crate::document::Node;
use crate::kubernetes::words;
use slipform_model::plan::NodePool;
use slipform_model::{Diagnostic, Noun, Placed, Value};
use slipform_source::Span;
use std::collections::BTreeSet;

/// Taints that a pool gets by patches, and where: key, value, effect.
pub(in crate::kubernetes) fn taints(pool: &Noun) -> Vec<(String, String, Span)> {
    fn text(record: &slipform_model::Record, key: &str) -> Option<String> {
        record.get(key).map(|it| it.value.to_string())
    }
    fn all(at: &Placed, found: &mut Vec<(String, String, Span)>) {
        match &at.value {
            Value::List(items) => items.iter().for_each(|item| all(item, found)),
            Value::Record(record) => {
                let effect = text(record, "effect").unwrap_or_default();
                if let Some(key) = text(record, "key").filter(|_| effect != "PREFER_NO_SCHEDULE") {
                    found.push((key, text(record, "value").unwrap_or_default(), at.span));
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for patch in pool.patches.iter().filter(|patch| patch.target == "node_pool") {
        let Value::Record(record) = &patch.value else { continue };
        let Some(Value::Record(config)) = record.get("node_config").map(|it| &it.value) else {
            continue;
        };
        config.get("taint").into_iter().for_each(|taint| all(taint, &mut found));
    }
    found
}

/// Labels that a pool's nodes have by its field and by patches.
pub(in crate::kubernetes) fn labels(
    pool: &Noun,
    own: impl Iterator<Item = String>,
) -> BTreeSet<String> {
    let mut labels: BTreeSet<String> = own.collect();
    for patch in pool.patches.iter().filter(|patch| patch.target == "node_pool") {
        let Value::Record(record) = &patch.value else { continue };
        let Some(Value::Record(config)) = record.get("node_config").map(|it| &it.value) else {
            continue;
        };
        if let Some(Value::Record(said)) = config.get("labels").map(|it| &it.value) {
            labels.extend(said.keys().map(ToString::to_string));
        }
    }
    labels
}

/// Taints that pods of a JobSet do not tolerate.
pub(in crate::kubernetes) fn untolerated(
    noun: &Noun,
    pools: &[NodePool],
    taints: &[(String, String, Span)],
    jobset: &Node,
) -> Vec<Diagnostic> {
    let pods = jobset.get("spec").into_iter().flat_map(|spec| items(spec, "replicatedJobs"));
    let here = |pod: &&Node| {
        pod.get("nodeSelector")
            .and_then(|it| text(it, words::NODE_POOL))
            .is_none_or(|it| pools.iter().any(|pool| pool.name == it))
    };
    let pods: Vec<&Node> = pods
        .filter_map(|job| job.get("template")?.get("spec")?.get("template")?.get("spec"))
        .filter(here)
        .collect();
    let tolerates = |pod: &Node, key: &str, value: &str| {
        items(pod, "tolerations").any(|it| match (text(it, "key"), text(it, "operator")) {
            (None, Some("Exists")) => true,
            (Some(known), Some("Exists")) => known == key,
            (Some(known), _) => known == key && text(it, "value").unwrap_or_default() == value,
            (None, _) => false,
        })
    };
    let refused =
        taints.iter().filter(|(key, value, _)| !pods.iter().all(|pod| tolerates(pod, key, value)));
    let told = refused.map(|(key, _, span)| {
        let message = format!("pods of `{}` do not tolerate the taint `{key}`, and stay Pending", noun.path);
        Diagnostic::error(PATCH_UNTOLERATED, message, *span)
            .also(noun.span, "runs on this pool")
            .help("give its pods the toleration, `tolerations` in `patch jobset`, or leave the taint out")
    });
    told.collect()
}
