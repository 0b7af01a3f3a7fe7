//! Programs that must pass or fail: `tests/check/**/*.bp`. What is expected stands on the line that it is about:
//!
//! ```bp
//! nodes = 16 # error: [tpu/hosts] 32 hosts
//! ```
//!
//! `# help: text` behind that asks for a help, `# at: text` for the text that is pointed at.
//! A program without such comments must be clean. Every rule has a program that breaks it, and beside one of them its mended
//! twin, `NAME.ok.bp` beside `NAME.bp`.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

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
    /// What has to be in its help.
    help: String,
    /// The text that it has to point at; any where it is empty.
    at: String,
}

fn expectations(text: &str) -> Vec<Expectation> {
    let mut found: Vec<Expectation> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let before = found.len();
        for part in line.split("# ").skip(1).map(str::trim) {
            let (word, rest) = part.split_once(": ").unwrap_or_default();
            let of_line = found.len() > before;
            match (word, found.last_mut().filter(|_| of_line)) {
                ("error" | "warning", _) if rest.starts_with('[') => {
                    let (code, text) = rest
                        .trim_start_matches('[')
                        .split_once(']')
                        .expect("an expectation names its code in brackets");
                    found.push(Expectation {
                        line: at as u32 + 1,
                        severity: word.into(),
                        code: code.into(),
                        text: text.trim().into(),
                        help: String::new(),
                        at: String::new(),
                    });
                }
                ("help", Some(last)) => last.help = rest.into(),
                ("at", Some(last)) => last.at = rest.into(),
                _ => {}
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
        && report.help.contains(&expected.help)
        && (expected.at.is_empty() || expected.at == report.at)
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
                None => failures.push_str(&format!("{path}: expected {expected:?}\n")),
            }
        }
        for report in found {
            failures.push_str(&format!("{path}: {report:?}\n"));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn every_rule_has_a_program_that_breaks_it_and_its_mended_twin() {
    let mut broken: BTreeSet<String> = BTreeSet::new();
    let mut mended: BTreeSet<String> = BTreeSet::new();
    for path in files("tests/check", ".bp") {
        let read = |path| std::fs::read_to_string(slipform_tests::root().join(path));
        let codes = |text: String| -> BTreeSet<String> {
            expectations(&text).into_iter().map(|expected| expected.code).collect()
        };
        let found = codes(read(path.clone()).unwrap());
        if let Ok(twin) = read(path.with_extension("ok.bp")) {
            let still = codes(twin);
            mended.extend(found.difference(&still).cloned());
        }
        broken.extend(found);
    }
    let rules = slipform_analysis::explain_rules();
    let without = |found: &BTreeSet<String>| -> Vec<&str> {
        let codes = rules.iter().map(|rule| rule.code.as_str());
        codes.filter(|code| !found.contains(*code)).collect()
    };
    assert_eq!(without(&broken), [""; 0], "no program breaks these rules");
    assert_eq!(without(&mended), [""; 0], "no mended twin stands beside what breaks these rules");
}
