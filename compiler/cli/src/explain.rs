//! `slipform explain`: what a code means, or a line. Rules explain themselves; the compiler's own codes stand in a table.

mod codes;
mod facts;
mod gather;
mod logs;
pub(crate) mod place;
mod told;
mod trials;

use crate::Context;
use crate::args::{ExplainArgs, ResultFormat};
use crate::stop::{ExitStatus, Stop};
pub(crate) use codes::codes;
use logs::{KNOWN, Known};
use place::Place;
use serde::Serialize;
use slipform_analysis::{RuleDoc, explain_rules};
use slipform_model::{nearest, similar};
use slipform_source::Code;
use std::fmt::Write;

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_CODE = "usage/code":
        "there is no such code",
        "`slipform explain` lists all of them";
    USAGE_SYMPTOM = "usage/symptom":
        "no rule is known to prevent what a log says",
        "give the line of the log that says what is wrong, without times and names";
}

pub(crate) fn run(args: &ExplainArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let rules = explain_rules();
    if let Some(line) = &args.symptom {
        return prevented(line, &rules, context);
    }
    let Some(asked) = &args.code else {
        context.console.print(&list(&rules, context.results));
        return Ok(ExitStatus::Clean);
    };
    // as copied from a report: `warning[queue/empty]:`
    let code = asked.split_once('[').map_or(asked.as_str(), |(_, code)| code);
    let code = code.trim_end_matches([']', ':']).trim();
    if let Some(rule) = rules.iter().find(|rule| rule.code == code) {
        context.console.print(&about_rule(rule, context.results));
        return Ok(ExitStatus::Clean);
    }
    if let Some(known) = codes().find(|known| known.name == code) {
        context.console.print(&about_code(known, context.results));
        return Ok(ExitStatus::Clean);
    }
    if let Some(place) = Place::parse(asked) {
        return place.explain(args.env.as_deref(), context);
    }
    let known = rules.iter().map(|rule| rule.code.as_str()).chain(codes().map(|known| known.name));
    let stop = Stop::new(USAGE_CODE, format!("there is no code `{asked}`"));
    Err(match nearest(code, known) {
        Some(near) => stop.help(similar("a code", near)),
        None if let Some(path) = path_of(asked, context) => {
            stop.help(format!("it is a path: name a line of it, `{path}:1`"))
        }
        None => stop.help("`slipform explain` lists all of them"),
    })
}

/// The path that was named where a line has to stand behind it.
fn path_of<'a>(asked: &'a str, context: &Context<'_, '_>) -> Option<&'a str> {
    let without = asked.rsplit_once(':').map(|(path, _)| path);
    let paths = std::iter::once(asked).chain(without);
    paths.into_iter().find(|path| !path.is_empty() && context.folder.join(path).exists())
}

/// The rules that prevent what a line of a log tells of, and what is known of it besides.
fn prevented(
    line: &str,
    rules: &[RuleDoc],
    context: &mut Context<'_, '_>,
) -> Result<ExitStatus, Stop> {
    let line = Line::new(line);
    let mut found: Vec<(usize, &RuleDoc, &str)> = Vec::new();
    for rule in rules {
        let known = rule.symptoms.iter().filter_map(|it| Some((line.says(it)?, it)));
        if let Some((likeness, symptom)) = known.max() {
            found.push((likeness, rule, symptom));
        }
    }
    // what says most of the line first
    found.sort_by(|a, b| (b.0, &a.1.code).cmp(&(a.0, &b.1.code)));
    let known = KNOWN.iter().filter_map(|it| {
        let said = it.said.iter().copied().filter(|said| line.says(said).is_some());
        Some((it, said.max_by_key(|said| said.len())?))
    });
    let text: String = match context.results {
        ResultFormat::Json => {
            let rules = found.iter().map(|(_, rule, _)| Explanation::of_rule(rule).line());
            rules.chain(known.map(|(it, _)| Explanation::of_known(it).line())).collect()
        }
        ResultFormat::Text => {
            let rules = found.iter().map(|(_, rule, symptom)| because(rule, symptom));
            rules.chain(known.map(|(it, said)| despite(it, said))).collect()
        }
    };
    if text.is_empty() {
        let stop = Stop::new(USAGE_SYMPTOM, "no rule is known to prevent that");
        return Err(stop.help("give the line that says what is wrong, without times and names; `slipform check` finds what rules can see"));
    }
    context.console.print(&text);
    Ok(ExitStatus::Clean)
}

/// What stands in a symptom for a name, a path or a number of somebody's own.
const NAME: &str = "...";

/// How many words such a name may have.
const LONGEST: usize = 12;

/// A line of a log.
struct Line {
    text: String,
    words: Vec<String>,
}

impl Line {
    fn new(text: &str) -> Self {
        Self { text: text.to_lowercase(), words: words(text) }
    }

    /// How much of the line a symptom says, where it says it: its letters in a row, or its words. `None` where the line says something else.
    fn says(&self, symptom: &str) -> Option<usize> {
        let parts: Vec<Vec<String>> = symptom.split(NAME).map(words).collect();
        let said = parts.iter().flatten().map(String::len).sum::<usize>() * 2;
        if self.text.contains(&symptom.to_lowercase()) {
            return Some(said + 1);
        }
        let (first, rest) = parts.split_first()?;
        // one word without those around it says little
        let told = first.len() > 1 || !rest.is_empty();
        let from = |at: usize| follow(self.words.get(at..)?, first, rest);
        (told && (0..self.words.len()).any(|at| from(at).is_some())).then_some(said)
    }
}

/// Whether words begin with a part of a symptom, and the others come behind it.
fn follow(said: &[String], first: &[String], rest: &[Vec<String>]) -> Option<()> {
    let behind = said.strip_prefix(first)?;
    let Some((next, others)) = rest.split_first() else { return Some(()) };
    (0..=LONGEST).find_map(|skipped| follow(behind.get(skipped..)?, next, others))
}

/// The words of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    let apart = |c: char| !c.is_alphanumeric() && c != '_';
    text.to_lowercase().split(apart).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// A rule, what it prevents, and what it says.
fn because(rule: &RuleDoc, symptom: &str) -> String {
    let what = rule.doc.trim().lines().next().unwrap_or_default();
    format!("{}\n  {what}\n  seen in logs: {symptom}\n", rule.code)
}

/// What no rule prevents, or not alone: the page, and why.
fn despite(known: &Known, said: &str) -> String {
    format!("{}\n  {}\n  seen in logs: {said}\n", known.page, known.why)
}

/// Both kinds of codes as programs see them.
#[derive(Serialize)]
pub(crate) struct Explanation<'a> {
    /// `None`: no rule, and none of the compiler's codes.
    code: Option<&'a str>,
    severity: Option<&'static str>,
    on: Option<&'a str>,
    pub(crate) what: &'a str,
    message: Option<&'a str>,
    pub(crate) help: Vec<&'a str>,
    symptoms: Vec<&'a str>,
    source: Option<&'a str>,
    /// The page of the book that says more, where it is not that of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a str>,
}

impl<'a> Explanation<'a> {
    pub(crate) fn of_rule(rule: &'a RuleDoc) -> Self {
        Self {
            code: Some(&rule.code),
            severity: Some(rule.severity.word()),
            on: Some(&rule.on),
            what: rule.doc.trim(),
            message: Some(&rule.message),
            help: rule.help.iter().map(String::as_str).collect(),
            symptoms: rule.symptoms.iter().map(String::as_str).collect(),
            source: Some(&rule.source),
            page: None,
        }
    }

    pub(crate) fn of_code(code: &'a Code) -> Self {
        Self {
            code: Some(code.name),
            severity: None,
            on: None,
            what: code.what,
            message: None,
            help: vec![code.mend],
            symptoms: Vec::new(),
            source: None,
            page: None,
        }
    }

    fn of_known(known: &'a Known) -> Self {
        Self {
            code: None,
            severity: None,
            on: None,
            what: known.why,
            message: None,
            help: Vec::new(),
            symptoms: known.said.to_vec(),
            source: None,
            page: Some(known.page),
        }
    }

    fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// Every code, one a line.
fn list(rules: &[RuleDoc], format: ResultFormat) -> String {
    let mut all: Vec<Explanation<'_>> = rules.iter().map(Explanation::of_rule).collect();
    for code in codes() {
        all.push(Explanation::of_code(code));
    }
    all.sort_by(|a, b| a.code.cmp(&b.code));
    if format == ResultFormat::Json {
        return all.iter().map(Explanation::line).collect();
    }
    let width = all.iter().filter_map(|one| one.code).map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    for one in &all {
        let what = one.what.lines().next().unwrap_or_default();
        let _ = writeln!(out, "{:<width$}  {}", one.code.unwrap_or_default(), what.trim());
    }
    out
}

fn about_rule(rule: &RuleDoc, format: ResultFormat) -> String {
    match format {
        ResultFormat::Json => Explanation::of_rule(rule).line(),
        ResultFormat::Text => rule.explained(),
    }
}

fn about_code(code: &Code, format: ResultFormat) -> String {
    match format {
        ResultFormat::Json => Explanation::of_code(code).line(),
        ResultFormat::Text => code.explained(),
    }
}
