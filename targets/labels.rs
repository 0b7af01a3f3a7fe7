//! The labels that everything on Google Cloud has, so that a bill tells what a blueprint costs, and the form of those of Kubernetes.

use slipform_model::nouns::Workload;
use slipform_model::plan::{Run, Sound};
use std::collections::BTreeMap;

/// The tool, the blueprint and its environment, but where the project says them itself, and what else it says.
pub(crate) fn of_blueprint(plan: Sound<'_>) -> impl Iterator<Item = (String, String)> {
    let most = plan.catalog().limits().names.google_label.max as usize;
    let own = [
        ("managed-by", "slipform".to_owned()),
        ("blueprint", label_value(plan.blueprint(), most)),
        ("environment", label_value(plan.environment(), most)),
    ];
    let said = plan.labels();
    let own = own.into_iter().filter(|(key, value)| !value.is_empty() && !said.contains_key(*key));
    own.map(|(key, value)| (key.to_owned(), value)).chain(said.clone())
}

/// Those of a job of Vertex AI; where they differ, what is nearer to the workload goes first.
pub(crate) fn of_vertex_job(
    plan: Sound<'_>,
    workload: &Workload,
    run: &Run,
) -> BTreeMap<String, String> {
    // the workload's own machines are its first gang's, and what comes later wins
    let mut clusters: Vec<_> = run.gangs().map(|it| plan.machines_of(it)).collect();
    clusters.rotate_left(1);
    let given = clusters.into_iter().flat_map(|it| &it.body.labels).chain(&workload.labels);
    of_blueprint(plan).chain(given.map(|(key, value)| (key.clone(), value.clone()))).collect()
}

/// What tells the jobs of this blueprint and environment from others of the same name in a project, as a filter of Google's reads it.
pub(crate) fn as_filter(labels: &BTreeMap<String, String>) -> String {
    let said = |key: &str| Some(format!("labels.{key}=\"{}\"", labels.get(key)?));
    let told: Vec<String> = ["blueprint", "environment"].into_iter().filter_map(said).collect();
    // names without a letter that labels have leave the tool's own
    if told.is_empty() { said("managed-by").unwrap_or_default() } else { told.join(" AND ") }
}

/// A text as the value of a label on Google Cloud: lower case letters, digits, `_` and `-`.
fn label_value(text: &str, most: usize) -> String {
    let clean = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
        _ => '-',
    };
    text.chars().take(most).map(clean).collect::<String>().trim_matches('-').to_owned()
}

/// Whether Kubernetes accepts the value of a label, which has so many characters at most.
pub(crate) fn is_label_value(value: &str, most: usize) -> bool {
    value.is_empty() || is_qualified(value, most)
}

/// Whether Kubernetes accepts the key of a label: a name, as long as a value, with a domain in front or without.
pub(crate) fn is_label_key(key: &str, most: usize) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let domain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    is_qualified(name, most)
        && prefix.is_none_or(|prefix| !prefix.is_empty() && prefix.chars().all(domain))
}

fn is_qualified(text: &str, most: usize) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= most
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_judged_as_the_api_server_does() {
        let (value, key) = (|it: &str| is_label_value(it, 63), |it: &str| is_label_key(it, 63));
        assert!(value("v1.0_a") && value("") && key("team.example/cost-center"));
        for wrong in ["-a", "a b", "ü", &"a".repeat(64)] {
            assert!(!value(wrong), "{wrong}");
        }
        assert!(!key("") && !key("Team/x") && !key("a/b/c"));
    }
}
