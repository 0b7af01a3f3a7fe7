//! SARIF 2.1.0, as GitHub's code scanning and editors read it.

use super::findings::{Finding, Place, level};
use super::words::address;
use crate::explain::{Explanation, codes};
use serde_json::{Value, json};
use slipform_analysis::{RuleDoc, explain_rules};
use std::collections::BTreeMap;

pub(super) fn document(findings: &[Finding<'_>]) -> String {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        rules.entry(&finding.diagnostic.code).or_default();
    }
    for (at, index) in rules.values_mut().enumerate() {
        *index = at;
    }
    let known = explain_rules();
    let described: Vec<Value> = rules.keys().map(|code| described(code, &known)).collect();
    let results: Vec<Value> = findings.iter().map(|it| result(it, &rules)).collect();
    let driver = json!({
        "name": "slipform",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": described,
    });
    let run = json!({
        "tool": { "driver": driver },
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    let document = json!({ "$schema": schema, "version": "2.1.0", "runs": [run] });
    format!("{document:#}\n")
}

/// A rule as a page of findings shows it: what it says in a line, and all that `explain` does.
fn described(code: &str, known: &[RuleDoc]) -> Value {
    let rule = known.iter().find(|rule| rule.code == code).map(Explanation::of_rule);
    let own = || codes().find(|known| known.name == code).map(Explanation::of_code);
    let Some(it) = rule.or_else(own) else { return json!({ "id": code }) };
    let first = it.what.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let mut help = it.help.join("\n");
    if !help.is_empty() {
        help.push_str("\n\n");
    }
    help.push_str(&format!("`slipform explain {code}` has all of it."));
    json!({
        "id": code,
        "shortDescription": { "text": first },
        "fullDescription": { "text": it.what },
        "help": { "text": help },
    })
}

fn result(finding: &Finding<'_>, rules: &BTreeMap<&str, usize>) -> Value {
    let diagnostic = finding.diagnostic;
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rules.get(&*diagnostic.code),
        "level": level(diagnostic.severity, ["error", "warning", "note"]),
        "message": { "text": finding.text },
        "locations": finding.place.iter().map(location).collect::<Vec<_>>(),
    });
    let Some(fields) = result.as_object_mut() else { return result };
    if !finding.others.is_empty() {
        let related = finding.others.iter().map(|(place, text)| {
            let mut location = location(place);
            if let (Some(fields), false) = (location.as_object_mut(), text.is_empty()) {
                fields.insert("message".to_owned(), json!({ "text": text }));
            }
            location
        });
        fields.insert("relatedLocations".to_owned(), related.collect());
    }
    if !finding.edits.is_empty() {
        let title = diagnostic.fixes.first().map(|fix| fix.title.as_str()).unwrap_or_default();
        let changes = finding.edits.iter().map(|(place, text)| {
            let replacement =
                json!({ "deletedRegion": region(place), "insertedContent": { "text": text } });
            json!({ "artifactLocation": { "uri": address(&place.file) }, "replacements": [replacement] })
        });
        let changes: Vec<Value> = changes.collect();
        let fix = json!({ "description": { "text": title }, "artifactChanges": changes });
        fields.insert("fixes".to_owned(), json!([fix]));
    }
    result
}

fn location(place: &Place) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": address(&place.file) }, "region": region(place) } })
}

fn region(place: &Place) -> Value {
    json!({
        "startLine": place.start.0, "startColumn": place.start.1,
        "endLine": place.end.0, "endColumn": place.end.1,
    })
}
