//! What a patched bucket says of classes of storage and of its log, and how long Terraform is told to wait for a resource.

use super::patch::{PATCH_TOGETHER, PATCH_WORD, said};
use crate::document::Node;
use slipform_model::{Diagnostic, Patch, Placed, Value};

/// What a patch of a bucket has that Cloud Storage refuses, by what the bucket is after it.
pub(super) fn bucket(patch: &Patch, resource: &str, after: &Node) -> Vec<Diagnostic> {
    if resource != "google_storage_bucket" {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = classes(patch, after).into_iter().collect();
    found.extend(without_class(patch));
    found.extend(log(patch));
    found
}

/// Autoclass decides about classes alone: a rule of the lifecycle, or the bucket's own class, says another one.
fn classes(patch: &Patch, after: &Node) -> Option<Diagnostic> {
    if after.get("autoclass")?.get("enabled") != Some(&Node::Bool(true)) {
        return None;
    }
    let span = |paths: [&[&str]; 2]| {
        let all = paths.into_iter().find_map(|path| said(&patch.value, path).first().copied());
        all.map_or(patch.span, |placed| placed.span)
    };
    let rules = listed(after.get("lifecycle_rule"));
    let (what, at) = if rules.into_iter().any(of_classes) {
        let paths: [&[&str]; 2] = [&["lifecycle_rule", "action", "type"], &["autoclass"]];
        ("a rule of the lifecycle says so, too", span(paths))
    } else {
        let class = after.get("storage_class").and_then(Node::as_str);
        class.filter(|it| *it != "STANDARD")?;
        let paths: [&[&str]; 2] = [&["storage_class"], &["autoclass"]];
        ("the bucket has a class other than STANDARD", span(paths))
    };
    let message = format!(
        "`autoclass` decides which class objects are in, and {what}: Cloud Storage refuses that"
    );
    Some(Diagnostic::error(PATCH_TOGETHER, message, at).help("say one of them"))
}

fn of_classes(rule: &Node) -> bool {
    let sets = listed(rule.get("action"))
        .into_iter()
        .any(|it| it.get("type").and_then(Node::as_str) == Some("SetStorageClass"));
    let asks = listed(rule.get("condition"))
        .into_iter()
        .any(|it| it.get("matches_storage_class").is_some());
    sets || asks
}

/// One block, or several.
fn listed(at: Option<&Node>) -> Vec<&Node> {
    match at {
        Some(Node::Seq(items)) => items.iter().map(|item| &item.value).collect(),
        other => other.into_iter().collect(),
    }
}

/// A rule that puts objects into a class, and does not say which.
fn without_class(patch: &Patch) -> Option<Diagnostic> {
    let actions = said(&patch.value, &["lifecycle_rule", "action"]);
    let type_of = |action: &&Placed| match said(&action.value, &["type"]).first() {
        Some(Placed { value: Value::Str(text), .. }) => **text == *"SetStorageClass",
        _ => false,
    };
    let open = |action: &&Placed| said(&action.value, &["storage_class"]).is_empty();
    let action = actions.into_iter().filter(type_of).find(open)?;
    let message = "a rule puts objects into another class, and does not say into which".to_owned();
    let told = Diagnostic::error(PATCH_WORD, message, action.span);
    Some(told.help("add `storage_class`, such as `NEARLINE`"))
}

/// A log in something that can be no bucket.
fn log(patch: &Patch) -> Option<Diagnostic> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_name = |text: &str| {
        (3..=222).contains(&text.len())
            && text.chars().all(plain)
            && edge(text.chars().next())
            && edge(text.chars().next_back())
    };
    let named = said(&patch.value, &["logging", "log_bucket"]);
    let (text, span) = named.into_iter().find_map(|placed| match &placed.value {
        Value::Str(text) if !is_name(text) => Some((text, placed.span)),
        _ => None,
    })?;
    let message = format!("`{text}` is no name of a bucket");
    let help = "write the name alone, in small letters, without `gs://` and without folders";
    Some(Diagnostic::error(PATCH_WORD, message, span).help(help))
}

/// How long Terraform waits for a resource, where it cannot read it: its plan fails.
pub(super) fn waits(patch: &Patch) -> Vec<Diagnostic> {
    const STEPS: [&str; 4] = ["create", "read", "update", "delete"];
    let all = STEPS.into_iter().flat_map(|step| said(&patch.value, &["timeouts", step]));
    let told = all.filter_map(|placed| match &placed.value {
        Value::Str(text) if !is_duration(text) => {
            let message = format!("`{text}` is no length of time that Terraform reads");
            let told = Diagnostic::error(PATCH_WORD, message, placed.span);
            Some(told.help("write a number with its unit: `90m`, `1h30m`"))
        }
        _ => None,
    });
    told.collect()
}

/// Numbers with a unit each.
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 7] = ["ns", "us", "µs", "ms", "s", "m", "h"];
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = rest.strip_suffix(unit).unwrap_or_default();
        let next = unit.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(unit.len());
        let (name, behind) = unit.split_at(next);
        if number.parse::<f64>().is_err() || !UNITS.contains(&name) {
            return false;
        }
        rest = behind;
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_duration;

    #[test]
    fn lengths_of_time_are_those_of_terraform() {
        for right in ["30m", "1h30m", "1.5h", "90s"] {
            assert!(is_duration(right), "{right}");
        }
        for wrong in ["", "30", "1 hour", "forever", "1d", "m", "1h30"] {
            assert!(!is_duration(wrong), "{wrong}");
        }
    }
}
