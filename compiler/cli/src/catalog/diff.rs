//! `slipform catalog diff`: what other facts say, and what they mean for a project.

use super::sides::{Side, both};
use crate::Context;
use crate::args::{DiffArgs, Inputs, PlanFormat};
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::plan::{Before, Groups, arrow, as_text, files, markup};
use crate::report::clean;
use crate::report::words::in_a_line;
use crate::stop::{ExitStatus, Stop};
use serde_json::{Value, json};
use slipform_analysis::{Analysis, PROJECT_EMPTY};
use slipform_changes::changes;
use slipform_model::Diagnostic;
use slipform_model::catalog::{Difference, Said};
use slipform_targets::Artifact;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Rows that a project does not use, and words of one row, of which people are told one by one.
const MOST: usize = 12;

/// Sources of one row that people are told.
const MOST_SOURCES: usize = 2;

pub(super) fn run(args: &DiffArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let inputs = Inputs { path: args.project.clone(), set: args.set.clone() };
    let blueprint = Blueprint::open(&inputs, context)?;
    let (old, new) = both(args, &blueprint, context)?;
    let rows = old.whole()?.differences(&new.whole()?);
    let (before, after) = (old.facts.keeping(), new.facts.keeping());
    let was = Under::of(&blueprint.with_own(old.own.clone()), before.clone(), args)?;
    let will = Under::of(&blueprint.with_own(new.own.clone()), after.clone(), args)?;
    let used: BTreeSet<(&str, String)> = before.asked().into_iter().chain(after.asked()).collect();
    let is_used = |row: &Difference| {
        // there is one sheet, which everything reads
        row.key.is_empty() || used.contains(&(row.table, row.key.clone()))
    };
    let (used, others) = rows.into_iter().partition(is_used);
    let environments = was.into_iter().zip(will);
    let environments = environments.map(|(was, will)| Meaning::of(&old, was, will)).collect();
    let told = Told { old, new, used, others, environments };
    let text = match context.format.of_changes() {
        Some(PlanFormat::Markdown) => told.markdown(),
        Some(PlanFormat::Json) => told.json(),
        Some(PlanFormat::Human | PlanFormat::Github) | None => told.human(),
    };
    context.result(&text);
    Ok(if told.differs() { ExitStatus::Different } else { ExitStatus::Clean })
}

/// One environment under one side's facts.
struct Under {
    blueprint: Blueprint,
    analysis: Analysis,
    artifacts: Vec<Artifact>,
}

impl Under {
    /// Every environment; none where there is no blueprint, and rows are all that can be told.
    fn of(
        blueprint: &Blueprint,
        facts: slipform_model::catalog::Catalog,
        args: &DiffArgs,
    ) -> Result<Vec<Self>, Stop> {
        let blueprint = blueprint.under(facts);
        let analyses = blueprint.analyses(&args.env, true);
        let is_empty = |it: &Diagnostic| it.code == PROJECT_EMPTY.name;
        if analyses.iter().any(|it| it.diagnostics.iter().any(is_empty)) {
            return Ok(Vec::new());
        }
        let is_wrong = |it: &&Analysis| blueprint.status(it) == ExitStatus::Unusable;
        if let Some(wrong) = analyses.iter().find(is_wrong) {
            let mut problems = wrong.diagnostics.clone();
            problems.iter_mut().for_each(|it| it.labels.clear());
            return Err(Stop(problems));
        }
        let under = |mut analysis: Analysis| {
            let artifacts = render(&mut analysis, &[]);
            Self { blueprint: blueprint.clone(), analysis, artifacts }
        };
        Ok(analyses.into_iter().map(under).collect())
    }

    fn environment(&self) -> &str {
        self.analysis.project.as_ref().map_or("default", |project| &project.environment)
    }

    /// What is reported, each with its place.
    fn reports(&self) -> Vec<(String, &Diagnostic)> {
        let places = self.blueprint.places(&self.analysis);
        let at = |it: &Diagnostic| match it.span().and_then(|span| places.position(span)) {
            Some((file, line, column)) => format!("{file}:{line}:{column}"),
            None => String::new(),
        };
        self.analysis.diagnostics.iter().map(|it| (at(it), it)).collect()
    }
}

/// What other facts mean for one environment.
struct Meaning {
    environment: String,
    /// Reports, one a line.
    appears: Vec<Reported>,
    goes: Vec<Reported>,
    /// Why nothing can be told of what is built.
    stopped: Option<String>,
    groups: Option<Groups>,
}

/// A report with its place.
struct Reported {
    at: String,
    severity: &'static str,
    code: String,
    message: String,
}

impl Reported {
    fn line(&self) -> String {
        let at = if self.at.is_empty() { String::new() } else { format!("{}: ", self.at) };
        format!("{at}{}[{}]: {}", self.severity, self.code, in_a_line(&self.message))
    }
}

impl Meaning {
    fn of(old: &Side, was: Under, will: Under) -> Self {
        let (before, after) = (was.reports(), will.reports());
        let told = |from: &[(String, &Diagnostic)], known: &[(String, &Diagnostic)]| {
            let is_known = |it: &(String, &Diagnostic)| {
                known.iter().any(|other| {
                    (&other.0, &other.1.code, &other.1.message)
                        == (&it.0, &it.1.code, &it.1.message)
                })
            };
            let fresh = from.iter().filter(|it| !is_known(it));
            fresh
                .map(|(at, it)| Reported {
                    at: at.clone(),
                    severity: it.severity.word(),
                    code: it.code.to_string(),
                    message: it.message.clone(),
                })
                .collect::<Vec<Reported>>()
        };
        let (appears, goes) = (told(&after, &before), told(&before, &after));
        let environment = will.environment().to_owned();
        let stopped = match (was.analysis.has_errors(), will.analysis.has_errors()) {
            (true, true) => Some("it has errors under both, which `slipform check` tells"),
            (true, false) => {
                Some("under the former facts it has errors, and under the new ones none")
            }
            (false, true) => Some("under the new facts it has errors"),
            (false, false) => None,
        };
        let groups = stopped.is_none().then(|| {
            let found = changes(&files(&was.artifacts), &files(&will.artifacts));
            let shown = format!("the facts of {}", old.shown);
            let before = Before::of(shown, was.analysis, was.artifacts);
            let groups = Groups::of(&before, &will.analysis, found, &will.artifacts, None);
            Groups { by_facts: true, ..groups }
        });
        Self { environment, appears, goes, stopped: stopped.map(str::to_owned), groups }
    }

    fn differs(&self) -> bool {
        !self.appears.is_empty()
            || !self.goes.is_empty()
            || self.groups.as_ref().is_some_and(|groups| !groups.groups.is_empty())
    }

    /// Reports that come and go, then what becomes of what is built.
    fn text(&self, format: PlanFormat) -> String {
        let mut text = String::new();
        let lines = [("goes", &self.goes), ("appears", &self.appears)];
        for (word, reports) in lines {
            for report in reports {
                let line = report.line();
                let _ = match format {
                    PlanFormat::Markdown => writeln!(text, "- {word}: {}", markup(&line)),
                    _ => writeln!(text, "{word}: {line}"),
                };
            }
        }
        if let (false, Some(_)) = (text.is_empty(), &self.groups) {
            text.push('\n');
        }
        match (&self.groups, &self.stopped) {
            (Some(groups), _) => text.push_str(&as_text(groups, format)),
            (None, why) => {
                let why = why.as_deref().unwrap_or_default();
                let _ = writeln!(
                    text,
                    "{}: {why}, so that nothing can be told of what is built",
                    self.environment
                );
            }
        }
        text
    }
}

/// All that is told.
struct Told {
    old: Side,
    new: Side,
    used: Vec<Difference>,
    others: Vec<Difference>,
    environments: Vec<Meaning>,
}

impl Told {
    fn differs(&self) -> bool {
        let rows = self.used.iter().chain(&self.others).next();
        rows.is_some() || self.environments.iter().any(Meaning::differs)
    }

    fn head(&self) -> String {
        let side = |side: &Side| {
            let whole = side.whole().unwrap_or_else(|_| side.facts.clone());
            match whole.version().starts_with(&side.shown) {
                true => side.shown.clone(),
                false => format!("{} ({})", side.shown, whole.version()),
            }
        };
        format!("{} -> {}", side(&self.old), side(&self.new))
    }

    fn human(&self) -> String {
        let mut text = format!("facts: {}\n", self.head());
        for (what, rows, most) in self.lists() {
            let _ = writeln!(text, "\n{what}");
            for row in rows.iter().take(most) {
                let _ = writeln!(text, "  {}", headline(row));
                for line in lines(row) {
                    let _ = writeln!(text, "    {line}");
                }
            }
            if rows.len() > most {
                let _ = writeln!(
                    text,
                    "  and {} more: `--message-format json` has all of them",
                    rows.len() - most
                );
            }
        }
        if self.used.is_empty() && self.others.is_empty() {
            text.push_str("no fact differs\n");
        }
        for meaning in &self.environments {
            let _ = write!(text, "\n{}", meaning.text(PlanFormat::Human));
        }
        clean(&text)
    }

    fn markdown(&self) -> String {
        let mut text = format!("**facts**: {}\n", mark(&self.head()));
        for (what, rows, most) in self.lists() {
            let _ = writeln!(text, "\n{what}\n");
            for row in rows.iter().take(most) {
                let _ = writeln!(text, "- {}", mark(&headline(row)));
                for line in lines(row) {
                    let _ = writeln!(text, "  - {}", mark(&line));
                }
            }
            if rows.len() > most {
                let _ = writeln!(text, "- and {} more", rows.len() - most);
            }
        }
        if self.used.is_empty() && self.others.is_empty() {
            text.push_str("\nNo fact differs.\n");
        }
        for meaning in &self.environments {
            let _ = write!(text, "\n{}", meaning.text(PlanFormat::Markdown));
        }
        clean(&text)
    }

    /// Those that the project uses in full, and the beginning of the others.
    fn lists(&self) -> impl Iterator<Item = (&'static str, &[Difference], usize)> {
        let other =
            if self.environments.is_empty() { "what differs:" } else { "what differs besides:" };
        let lists = [
            ("what differs of what the project uses:", self.used.as_slice(), usize::MAX),
            (other, self.others.as_slice(), MOST),
        ];
        lists.into_iter().filter(|(_, rows, _)| !rows.is_empty())
    }

    fn json(&self) -> String {
        let mut text = String::new();
        let used = self.used.iter().map(|row| (row, true));
        for (row, used) in used.chain(self.others.iter().map(|row| (row, false))) {
            let _ = writeln!(text, "{}", row_json(row, used));
        }
        for meaning in &self.environments {
            let reports = [("goes", &meaning.goes), ("appears", &meaning.appears)];
            for (change, report) in
                reports.into_iter().flat_map(|(word, all)| all.iter().map(move |it| (word, it)))
            {
                let line = json!({
                    "environment": meaning.environment, "change": change, "severity": report.severity,
                    "code": report.code, "message": report.message, "at": report.at,
                });
                let _ = writeln!(text, "{line}");
            }
            if let Some(why) = &meaning.stopped {
                let line = json!({ "environment": meaning.environment, "stopped": why });
                let _ = writeln!(text, "{line}");
            }
            if let Some(groups) = &meaning.groups {
                text.push_str(&as_text(groups, PlanFormat::Json));
            }
        }
        text
    }
}

fn name(row: &Difference) -> String {
    format!("{} {}", row.table, row.key).trim_end().to_owned()
}

/// `machine a3-megagpu-8g, 2026-09-01 -> 2026-11-20`
fn headline(row: &Difference) -> String {
    let what = match (&row.before, &row.after) {
        (None, Some(_)) => " is new",
        (Some(_), None) => " is gone",
        _ => "",
    };
    let dates = match (&row.before, &row.after) {
        (Some(old), Some(new)) if old.date != new.date => format!(", {} -> {}", old.date, new.date),
        (Some(said), _) | (None, Some(said)) => format!(", {}", said.date),
        (None, None) => String::new(),
    };
    format!("{}{what}{dates}", name(row))
}

/// Each word with both values, and who says so.
fn lines(row: &Difference) -> Vec<String> {
    let word = |it: &slipform_model::catalog::Word| {
        arrow(&it.path, it.before.as_deref(), it.after.as_deref())
    };
    let mut lines: Vec<String> = row.words.iter().take(MOST).map(word).collect();
    if row.words.len() > MOST {
        lines.push(format!("and {} more", row.words.len() - MOST));
    }
    let sources =
        |said: &Option<Said>| said.as_ref().map(|said| listed(&said.sources)).unwrap_or_default();
    let (old, new) = (sources(&row.before), sources(&row.after));
    match (old == new, new.is_empty()) {
        (true, true) => {}
        (true, false) | (false, false) if old.is_empty() || old == new => {
            lines.push(format!("source: {new}"))
        }
        (false, true) => lines.push(format!("source: {old}")),
        _ => lines.extend([format!("source before: {old}"), format!("source after: {new}")]),
    }
    lines
}

fn listed(sources: &[String]) -> String {
    let more = sources.len().saturating_sub(MOST_SOURCES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown: Vec<&str> = sources.iter().take(MOST_SOURCES).map(String::as_str).collect();
    format!("{}{rest}", shown.join("; "))
}

fn row_json(row: &Difference, used: bool) -> Value {
    let change = match (&row.before, &row.after) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        _ => "changed",
    };
    let said = |said: &Option<Said>| {
        said.as_ref().map(|it| json!({ "date": it.date, "sources": it.sources }))
    };
    let words: Vec<Value> = row
        .words
        .iter()
        .map(|it| json!({ "path": it.path, "before": it.before, "after": it.after }))
        .collect();
    json!({
        "table": row.table, "row": row.key, "used": used, "change": change,
        "before": said(&row.before), "after": said(&row.after), "words": words,
    })
}

/// A text that Markdown leaves as it is, and that names nobody; addresses of sources are links.
fn mark(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>#|".contains(c) {
            out.push('\\');
        }
        out.push(c);
        if c == '@' {
            out.push_str("<!-- -->");
        }
    }
    out
}
