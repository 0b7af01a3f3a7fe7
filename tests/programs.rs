//! Programs that must pass or fail: `tests/check/**/*.bp`. What is expected stands on the line that it is about:
//!
//! ```bp
//! nodes = 16 # error: [tpu/hosts] 32 hosts
//! ```
//!
//! A program without such comments must be clean. Every rule has a program that breaks it.

use slipform_analysis::Options;
use slipform_tests::{Checkout, Report, checked, files, reports};
use std::collections::BTreeSet;

/// A comment that expects a report on its line.
#[derive(Debug)]
struct Expectation {
    line: u32,
    severity: String,
    code: String,
    text: String,
}

fn expectations(text: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for severity in ["error", "warning"] {
            for part in line.split(&format!("# {severity}: [")).skip(1) {
                let (code, rest) =
                    part.split_once(']').expect("an expectation names its code in brackets");
                let text = rest.split(" # ").next().unwrap_or_default().trim().to_owned();
                found.push(Expectation {
                    line: at as u32 + 1,
                    severity: severity.into(),
                    code: code.into(),
                    text,
                });
            }
        }
    }
    found
}

fn met(expected: &Expectation, report: &Report) -> bool {
    expected.line == report.line
        && expected.severity == report.severity
        && expected.code == report.code
        && report.message.contains(&expected.text)
}

#[test]
fn every_program_says_what_its_comments_expect() {
    let programs = files("tests/check", ".bp");
    assert!(programs.len() > 40, "only {} programs were found", programs.len());
    let mut failures = String::new();
    for path in &programs {
        let (analysis, _) =
            checked(&Checkout, &Options { path: path.clone(), ..Options::default() });
        let text = std::fs::read_to_string(slipform_tests::root().join(path)).unwrap();
        let mut found = reports(&analysis);
        for expected in expectations(&text) {
            match found.iter().position(|report| met(&expected, report)) {
                Some(at) => {
                    found.remove(at);
                }
                None => failures.push_str(&format!(
                    "{path}:{}: expected {} [{}] {}\n",
                    expected.line, expected.severity, expected.code, expected.text
                )),
            }
        }
        for report in found {
            failures.push_str(&format!(
                "{path}:{}: {} [{}] {}\n",
                report.line, report.severity, report.code, report.message
            ));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn every_rule_has_a_program_that_breaks_it() {
    let mut broken: BTreeSet<String> = BTreeSet::new();
    for path in files("tests/check", ".bp") {
        let text = std::fs::read_to_string(slipform_tests::root().join(path)).unwrap();
        broken.extend(expectations(&text).into_iter().map(|expected| expected.code));
    }
    let untested: Vec<String> = slipform_analysis::explain_rules()
        .into_iter()
        .map(|rule| rule.code)
        .filter(|code| !broken.contains(code))
        .collect();
    assert!(untested.is_empty(), "no program breaks {untested:?}");
}
