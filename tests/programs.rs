//! Programs that must pass or fail: `tests/check/**/*.bp`. What is expected stands on the line that it is about, as in the tests of
//! a project, which `slipform test` runs (`compiler/analysis/src/expected.rs`).
//! A program without such comments must be clean. Every rule has a program that breaks it, and beside one of them its mended
//! twin, `NAME.ok.bp` beside `NAME.bp`.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

#[path = "programs/mends.rs"]
mod mends;

use camino::Utf8PathBuf;
use slipform_analysis::{Expectation, Options, analyse, expectations, surprises};
use slipform_source::FileId;
use slipform_tests::{Checkout, checked, files, reported};
use std::collections::BTreeSet;

fn expected(file: FileId, path: &Utf8PathBuf) -> Vec<Expectation> {
    let text = std::fs::read_to_string(slipform_tests::root().join(path)).unwrap();
    expectations(file, &text)
}

#[test]
fn every_program_says_what_its_comments_expect() {
    let programs = files("tests/check", ".bp");
    assert!(programs.len() > 40, "only {} programs were found", programs.len());
    let mut failures = String::new();
    for path in &programs {
        let (analysis, _) =
            checked(&Checkout, &Options { path: path.clone(), ..Options::default() });
        let file = analysis.sources.find(path).unwrap();
        let expected = expected(file, path);
        for report in surprises(&analysis.diagnostics, &expected, &analysis.sources) {
            failures.push_str(&format!("{path}: {:?}\n", reported(&analysis, &report)));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// As though every rule were allowed to be broken: a plan that is called sound has all that targets ask of it, and who only asks
/// what they refuse is told as much as who has the files written.
#[test]
fn whatever_rules_say_a_plan_is_rendered_or_refused() {
    let mut sound = 0;
    for path in files("tests/check", ".bp") {
        let analysis = analyse(&Checkout, &Options { path: path.clone(), ..Options::default() });
        let Some(plan) = &analysis.plan else { continue };
        let output = std::panic::catch_unwind(|| slipform_targets::render(plan, &[]));
        let Ok(output) = output else { panic!("rendering {path} panics") };
        assert_eq!(slipform_targets::problems(plan), output.diagnostics, "{path}");
        sound += usize::from(plan.sound().is_ok());
    }
    assert!(sound > 40, "only {sound} plans are sound");
}

#[test]
fn every_rule_has_a_program_that_breaks_it_and_its_mended_twin() {
    let mut broken: BTreeSet<String> = BTreeSet::new();
    let mut mended: BTreeSet<String> = BTreeSet::new();
    for path in files("tests/check", ".bp") {
        let codes = |path: &Utf8PathBuf| -> BTreeSet<String> {
            expected(FileId(0), path).into_iter().map(|expected| expected.code).collect()
        };
        let found = codes(&path);
        let twin = path.with_extension("ok.bp");
        if slipform_tests::root().join(&twin).exists() {
            let still = codes(&twin);
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

/// What people read to see how rules are written is as the formatter writes it.
#[test]
fn the_standard_library_is_laid_out() {
    let texts = files("stdlib", ".bp");
    assert!(texts.len() > 40, "only {} texts were found", texts.len());
    let is_astray = |path: &&Utf8PathBuf| {
        let text = std::fs::read_to_string(slipform_tests::root().join(path)).unwrap();
        slipform_syntax::format(&slipform_syntax::parse(FileId(0), &text), &text) != text
    };
    let astray: Vec<_> = texts.iter().filter(is_astray).collect();
    assert!(astray.is_empty(), "`slipform fmt` lays these out otherwise: {astray:?}");
}
