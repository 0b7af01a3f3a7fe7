//! What forges and their tools show beside the lines of a change: GitHub's annotations, GitLab's code quality, reviewdog's
//! format, and JUnit's for all the rest.

use super::findings::{Finding, Place, level};
use crate::manifest::digest;
use serde_json::{Value, json};
use slipform_model::Severity;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Commands of a workflow's log.
pub(super) fn github(findings: &[Finding<'_>]) -> String {
    let mut text = String::new();
    for finding in findings {
        let level = level(finding.diagnostic.severity, ["error", "warning", "notice"]);
        let at = finding.place.as_ref().map_or_else(String::new, |place| {
            // an annotation over several lines has no columns
            let columns = match place.start.0 == place.end.0 {
                true => format!(",col={},endColumn={}", place.start.1, place.end.1),
                false => String::new(),
            };
            format!(
                "file={},line={},endLine={}{columns},",
                property(&place.file),
                place.start.0,
                place.end.0
            )
        });
        let title = property(&finding.diagnostic.code);
        let _ = writeln!(text, "::{level} {at}title={title}::{}", message(&finding.text));
    }
    text
}

/// As the runner wants a message: `%`, carriage returns and ends of lines spelled out.
pub(crate) fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same of a property, which ends at a comma.
pub(crate) fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// GitLab's report of code quality.
pub(super) fn gitlab(findings: &[Finding<'_>]) -> String {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let issue = |finding: &Finding<'_>| {
        let (path, line) = at(finding);
        // the same mistake moves with its lines, and two of them are two
        let told = format!("{} {path} {}", finding.diagnostic.code, finding.diagnostic.message);
        let before = times.entry(told.clone()).or_default();
        let told = format!("{told} {before}");
        *before += 1;
        json!({
            "description": finding.text,
            "check_name": finding.diagnostic.code,
            "fingerprint": digest(told.as_bytes()),
            "severity": level(finding.diagnostic.severity, ["critical", "minor", "info"]),
            "location": { "path": path, "lines": { "begin": line } },
        })
    };
    let issues: Vec<Value> = findings.iter().map(issue).collect();
    format!("{:#}\n", Value::Array(issues))
}

fn at(finding: &Finding<'_>) -> (String, u32) {
    match &finding.place {
        Some(place) => (place.file.clone(), place.start.0),
        None => (".".to_owned(), 1),
    }
}

/// Reviewdog's diagnostic format. Its columns count bytes.
pub(super) fn rdjson(findings: &[Finding<'_>]) -> String {
    let range = |place: &Place| {
        json!({
            "start": { "line": place.start.0, "column": place.bytes.0 },
            "end": { "line": place.end.0, "column": place.bytes.1 },
        })
    };
    let one = |finding: &Finding<'_>| {
        let (path, _) = at(finding);
        let mut location = json!({ "path": path });
        if let (Some(place), Some(fields)) = (&finding.place, location.as_object_mut()) {
            fields.insert("range".to_owned(), range(place));
        }
        let suggestions = finding.edits.iter().filter(|(place, _)| place.file == path);
        let suggestions: Vec<Value> = suggestions
            .map(|(place, text)| json!({ "range": range(place), "text": text }))
            .collect();
        json!({
            "message": finding.text,
            "location": location,
            "severity": level(finding.diagnostic.severity, ["ERROR", "WARNING", "INFO"]),
            "code": { "value": finding.diagnostic.code },
            "suggestions": suggestions,
        })
    };
    let diagnostics: Vec<Value> = findings.iter().map(one).collect();
    let document = json!({ "source": { "name": "slipform" }, "diagnostics": diagnostics });
    format!("{document:#}\n")
}

/// JUnit: a case for each problem, and one that passes where there is none. Warnings are cases that pass, and say so.
pub(super) fn junit(findings: &[Finding<'_>]) -> String {
    let failed = findings.iter().filter(|it| it.diagnostic.severity == Severity::Error).count();
    let count = findings.len().max(1);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"slipform\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\">"
    );
    let _ = writeln!(
        text,
        "  <testsuite name=\"slipform\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\">"
    );
    if findings.is_empty() {
        text.push_str("    <testcase classname=\"slipform\" name=\"nothing is wrong\"/>\n");
    }
    for finding in findings {
        let (path, line) = at(finding);
        let code = &finding.diagnostic.code;
        let name = escaped(&format!("{code} at line {line}"));
        let _ = writeln!(text, "    <testcase classname=\"{}\" name=\"{name}\">", escaped(&path));
        let said = escaped(&format!("{path}:{line}: {}", finding.text));
        let _ = match finding.diagnostic.severity {
            Severity::Error => writeln!(
                text,
                "      <failure type=\"{}\" message=\"{}\">{said}</failure>",
                escaped(code),
                escaped(&finding.diagnostic.message)
            ),
            Severity::Warning | Severity::Advice => {
                writeln!(text, "      <system-out>{said}</system-out>")
            }
        };
        text.push_str("    </testcase>\n");
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// A text inside of XML: what no XML may hold is left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}
