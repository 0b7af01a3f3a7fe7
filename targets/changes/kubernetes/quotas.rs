//! What a queue holds less of: a flavor, as whoever waits in it knows it.

use super::Object;
use crate::tree::Detail;
use serde_json::Value;

/// Kueue: `reclaimWithinCohort` of a queue lets it have back what it holds, from whichever of its cohort has borrowed that.
const GIVES_WAY: &str = "; what runs of it there beyond that is borrowed from then on, and ends where another queue of its cohort asks for what it holds";

/// What a queue holds less of than before, in accelerators, or in CPUs of a flavor that has none.
pub(super) fn lost(queue: &Object, found: &[Detail]) -> Option<String> {
    if queue.kind != "ClusterQueue" {
        return None;
    }
    let less = |detail: &Detail| {
        let (flavor, resource) = quota(&detail.path)?;
        let was = amount(detail.before.as_deref()?)?;
        let is = amount(detail.after.as_deref().unwrap_or("0"))?;
        let told = detail.after.as_deref().unwrap_or("none");
        let said =
            format!("`{flavor}` {told} of {resource} instead of {}", detail.before.as_deref()?);
        (is < was).then(|| (flavor.to_owned(), resource.contains('/'), said, resource == "cpu"))
    };
    let all: Vec<_> = found.iter().filter_map(less).collect();
    let counts = |flavor: &str| all.iter().any(|(of, counted, ..)| of == flavor && *counted);
    let told = all.iter().filter(|(flavor, counted, _, cpu)| *counted || *cpu && !counts(flavor));
    let told: Vec<&str> = told.map(|(_, _, said, _)| said.as_str()).collect();
    let way = if is_reclaimed(&queue.value) { GIVES_WAY } else { "" };
    (!told.is_empty()).then(|| format!("it holds of {}{way}", told.join(", of ")))
}

/// The flavor and the resource of a quota.
fn quota(path: &str) -> Option<(&str, &str)> {
    let (_, rest) = path.split_once(".flavors[")?;
    let (flavor, rest) = rest.split_once("].resources[")?;
    let (resource, rest) = rest.split_once(']')?;
    (rest == ".nominalQuota").then_some((flavor, resource))
}

/// A number of accelerators, or of CPUs in thousandths.
fn amount(text: &str) -> Option<u64> {
    match text.strip_suffix('m') {
        Some(thousandths) => thousandths.parse().ok(),
        None => text.parse::<u64>().ok()?.checked_mul(1000),
    }
}

/// Whether others of its cohort have theirs back by ending what runs.
fn is_reclaimed(queue: &Value) -> bool {
    let word = |path: &str| queue.pointer(path).and_then(Value::as_str);
    let cohort = word("/spec/cohortName").or_else(|| word("/spec/cohort"));
    cohort.is_some_and(|it| !it.is_empty())
}
