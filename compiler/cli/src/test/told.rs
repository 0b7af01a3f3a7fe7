//! What is said of tests: as `cargo test` would, and for programs.

use super::cases::{Case, Cases, What};
use super::document;
use super::runs::Outcome;
use super::snapshots::{Failure, Snapshots};
use crate::Context;
use crate::args::MessageFormat;
use crate::blueprint::Blueprint;
use crate::report::words::{counted, in_a_line};
use crate::report::{self, Found, Places, clean};
use crate::stop::ExitStatus;
use serde_json::{Map, Value, json};
use slipform_model::Diagnostic;
use slipform_source::Sources;
use std::collections::BTreeMap;

/// The tests that ran.
pub(super) struct Told<'a> {
    blueprint: &'a Blueprint,
    left_out: usize,
    verdicts: Vec<Verdict<'a>>,
}

/// A test, and what came of it.
pub(super) struct Verdict<'a> {
    pub(super) case: &'a Case,
    pub(super) outcome: Outcome,
}

impl Verdict<'_> {
    pub(super) fn passed(&self) -> bool {
        self.outcome.failure.problems.is_empty()
    }
}

/// The tests there are, one a line.
pub(super) fn list(cases: &[Case], context: &mut Context<'_, '_>) {
    for case in cases {
        let told = match context.format {
            MessageFormat::Json => Value::Object(case.told()).to_string(),
            _ => line(&case.name),
        };
        context.console.print(&format!("{told}\n"));
    }
    report::progress(context.console, context.format, &counted(cases.len(), "test"));
}

impl Case {
    fn told(&self) -> Map<String, Value> {
        let (environment, params) = match &self.what {
            What::Project(run) => (run.environment.clone(), run.set.as_slice()),
            What::Program | What::Broken { .. } => (None, &[][..]),
        };
        let params = params.iter().map(|(name, value)| (name.clone(), json!(value)));
        let params: Map<String, Value> = params.collect();
        let mut told = Map::new();
        told.insert("test".to_owned(), json!(self.name));
        told.insert("file".to_owned(), json!(self.file.as_str()));
        told.insert("environment".to_owned(), json!(environment));
        told.insert("params".to_owned(), Value::Object(params));
        told
    }
}

impl<'a> Told<'a> {
    pub(super) fn new(
        blueprint: &'a Blueprint,
        cases: &Cases,
        context: &mut Context<'_, '_>,
    ) -> Self {
        let told = Self { blueprint, left_out: cases.left_out, verdicts: Vec::new() };
        told.line(&format!("running {}", counted(cases.chosen.len(), "test")), context);
        told
    }

    /// Tells of a test that ran.
    pub(super) fn add(&mut self, case: &'a Case, outcome: Outcome, context: &mut Context<'_, '_>) {
        let verdict = Verdict { case, outcome };
        let (word, colour) = if verdict.passed() { ("ok", "32") } else { ("FAILED", "31") };
        let word = styled(word, colour, context);
        self.line(&format!("test {} ... {word}", line(&case.name)), context);
        if context.format == MessageFormat::Json {
            context.console.print(&format!("{}\n", self.json(&verdict)));
        }
        self.verdicts.push(verdict);
    }

    /// The failures, the count, and what became of snapshots.
    pub(super) fn finish(
        self,
        snapshots: &Snapshots<'_>,
        context: &mut Context<'_, '_>,
    ) -> ExitStatus {
        let failed: Vec<&Verdict<'_>> = self.verdicts.iter().filter(|it| !it.passed()).collect();
        match context.format {
            MessageFormat::Human => self.failures(&failed, context),
            MessageFormat::Junit => {
                let text = document::junit(&self.verdicts, |verdict| self.text(verdict, false));
                context.console.print(&text);
            }
            MessageFormat::Json => {}
            format => report::located(context.console, format, &self.found(&failed)),
        }
        self.snapshots(snapshots, context);
        let (passed, left_out) = (self.verdicts.len() - failed.len(), self.left_out);
        let (word, colour) = if failed.is_empty() { ("ok", "32") } else { ("FAILED", "31") };
        let word = styled(word, colour, context);
        let failed = failed.len();
        let counts = format!("{passed} passed; {failed} failed; {left_out} filtered out");
        self.line(&format!("\ntest result: {word}. {counts}"), context);
        if context.format == MessageFormat::Json {
            let counts = json!({ "passed": passed, "failed": failed, "filtered": left_out });
            context.console.print(&format!("{counts}\n"));
        }
        if failed == 0 { ExitStatus::Clean } else { ExitStatus::Errors }
    }

    fn failures(&self, failed: &[&Verdict<'_>], context: &mut Context<'_, '_>) {
        if failed.is_empty() {
            return;
        }
        let mut text = String::from("\nfailures:\n");
        for verdict in failed {
            let told = self.text(verdict, context.console.colour_out);
            text.push_str(&format!("\n---- {} ----\n{told}", line(&verdict.case.name)));
        }
        text.push_str("\nfailures:\n");
        for verdict in failed {
            text.push_str(&format!("    {}\n", line(&verdict.case.name)));
        }
        context.console.print(&text);
    }

    fn snapshots(&self, snapshots: &Snapshots<'_>, context: &mut Context<'_, '_>) {
        let kept = snapshots.written.iter().map(|path| format!("kept {path}"));
        let idle = snapshots.idle.iter().map(|path| match snapshots.removed {
            true => format!("removed {path}"),
            false => format!("nobody writes {path} any more: `slipform test --update` removes it"),
        });
        for told in kept.chain(idle) {
            report::progress(context.console, context.format, &line(&told));
        }
    }

    /// Why a test failed, for people.
    fn text(&self, verdict: &Verdict<'_>, colour: bool) -> String {
        let Outcome { failure: Failure { problems, differences }, sources } = &verdict.outcome;
        let mut text = report::drawn(&self.places(sources), problems, colour);
        for difference in differences {
            text.push_str(difference);
        }
        text
    }

    fn places<'s>(&'s self, sources: &'s Sources) -> Places<'s> {
        self.blueprint.places_in(sources)
    }

    /// What failed tests report, each problem once, with the tests that it fails.
    fn found<'s>(&'s self, failed: &[&'s Verdict<'_>]) -> Vec<Found<'s>> {
        let mut tests: BTreeMap<Key<'s>, Vec<&str>> = BTreeMap::new();
        for verdict in failed {
            for problem in &verdict.outcome.failure.problems {
                tests.entry(self.key(verdict, problem)).or_default().push(&verdict.case.name);
            }
        }
        let found = failed.iter().map(|verdict| {
            let problems = verdict.outcome.failure.problems.iter();
            let fresh = problems.filter_map(|problem| {
                let names = tests.remove(&self.key(verdict, problem))?;
                Some(problem.clone().help(failed_by(&names)))
            });
            Found { diagnostics: fresh.collect(), places: self.places(&verdict.outcome.sources) }
        });
        found.collect()
    }

    fn key<'s>(&'s self, verdict: &'s Verdict<'_>, problem: &'s Diagnostic) -> Key<'s> {
        let places = self.places(&verdict.outcome.sources);
        let at = problem.span().and_then(|span| places.position(span));
        (at, &problem.code, &problem.message)
    }

    fn json(&self, verdict: &Verdict<'_>) -> Value {
        let Outcome { failure: Failure { problems, differences }, sources } = &verdict.outcome;
        let places = self.places(sources);
        let mut told = verdict.case.told();
        let status = if verdict.passed() { "passed" } else { "failed" };
        told.insert("status".to_owned(), json!(status));
        let problems = problems.iter().map(|it| report::object(&places, it)).collect();
        told.insert("diagnostics".to_owned(), Value::Array(problems));
        told.insert("differences".to_owned(), json!(differences));
        Value::Object(told)
    }

    /// A line for people: of programs only where their document is not the only thing that is printed.
    fn line(&self, line: &str, context: &mut Context<'_, '_>) {
        if context.format != MessageFormat::Json {
            context.result(&format!("{line}\n"));
        }
    }
}

/// A name as one line: what one that has several begins could be a command to who reads a log.
fn line(name: &str) -> String {
    clean(&in_a_line(name))
}

/// What makes a problem of two tests the same.
type Key<'s> = (Option<(String, u32, u32)>, &'s str, &'s str);

fn failed_by(names: &[&str]) -> String {
    let first = line(names.first().copied().unwrap_or_default());
    match names.len().saturating_sub(1) {
        0 => format!("it fails the test `{first}`"),
        more => format!("it fails the test `{first}` and {more} more"),
    }
}

fn styled(word: &str, style: &str, context: &Context<'_, '_>) -> String {
    let colour = context.console.colour_out && !context.format.is_parsed_whole();
    if colour { format!("\u{1b}[{style}m{word}\u{1b}[0m") } else { word.to_owned() }
}
