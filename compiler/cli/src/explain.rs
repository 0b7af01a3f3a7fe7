//! `slipform explain`: what a code means, or a line. Rules explain themselves; the compiler's own codes stand in a table.

mod codes;
mod facts;
mod gather;
pub(crate) mod place;
mod told;
mod trials;

use crate::Context;
use crate::args::{ExplainArgs, ResultFormat};
use crate::stop::{ExitStatus, Stop};
pub(crate) use codes::codes;
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
        None if context.folder.join(asked).exists() => {
            stop.help(format!("it is a path: name a line of it, `{asked}:1`"))
        }
        None => stop.help("`slipform explain` lists all of them"),
    })
}

/// The rules that prevent what a line of a log tells of.
fn prevented(
    line: &str,
    rules: &[RuleDoc],
    context: &mut Context<'_, '_>,
) -> Result<ExitStatus, Stop> {
    let mut found: Vec<(usize, &RuleDoc, &str)> = Vec::new();
    for rule in rules {
        let known = rule.symptoms.iter().filter_map(|it| Some((likeness(line, it)?, it)));
        if let Some((likeness, symptom)) = known.max() {
            found.push((likeness, rule, symptom));
        }
    }
    let best = found.iter().map(|(likeness, ..)| *likeness).max();
    let Some(best) = best else {
        let stop = Stop::new(USAGE_SYMPTOM, "no rule is known to prevent that");
        return Err(stop.help("give the line that says what is wrong, without times and names; `slipform check` finds what rules can see"));
    };
    // what fits half as well is another matter
    found.retain(|(likeness, ..)| likeness * 2 > best);
    found.sort_by(|a, b| (b.0, &a.1.code).cmp(&(a.0, &b.1.code)));
    let text: String = match context.results {
        ResultFormat::Json => {
            found.iter().map(|(_, rule, _)| Explanation::of_rule(rule).line()).collect()
        }
        ResultFormat::Text => {
            found.iter().map(|(_, rule, symptom)| because(rule, symptom)).collect()
        }
    };
    context.console.print(&text);
    Ok(ExitStatus::Clean)
}

/// How much of a symptom a line says: all of it in a row, or most of its words in their order. `None` where it is another.
fn likeness(line: &str, symptom: &str) -> Option<usize> {
    let (line, symptom) = (line.to_lowercase(), symptom.to_lowercase());
    if line.contains(&symptom) {
        return Some(symptom.len() * 2);
    }
    let words = |text: &str| -> Vec<String> {
        let apart = |c: char| !c.is_alphanumeric() && c != '_';
        text.split(apart).filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let (said, wanted) = (words(&line), words(&symptom));
    let (mut known, mut from) = (0, 0);
    for word in &wanted {
        let at = said.get(from..).and_then(|rest| rest.iter().position(|it| it == word));
        if let Some(at) = at {
            known += word.len();
            from += at + 1;
        }
    }
    let all: usize = wanted.iter().map(String::len).sum();
    (wanted.len() > 1 && known * 4 >= all * 3).then_some(known)
}

/// A rule, what it prevents, and what it says.
fn because(rule: &RuleDoc, symptom: &str) -> String {
    let what = rule.doc.trim().lines().next().unwrap_or_default();
    format!("{}\n  {what}\n  seen in logs: {symptom}\n", rule.code)
}

/// Both kinds of codes as programs see them.
#[derive(Serialize)]
pub(crate) struct Explanation<'a> {
    code: &'a str,
    severity: Option<&'static str>,
    on: Option<&'a str>,
    pub(crate) what: &'a str,
    message: Option<&'a str>,
    pub(crate) help: Vec<&'a str>,
    symptoms: &'a [String],
    source: Option<&'a str>,
}

impl<'a> Explanation<'a> {
    pub(crate) fn of_rule(rule: &'a RuleDoc) -> Self {
        Self {
            code: &rule.code,
            severity: Some(rule.severity.word()),
            on: Some(&rule.on),
            what: rule.doc.trim(),
            message: Some(&rule.message),
            help: rule.help.iter().map(String::as_str).collect(),
            symptoms: &rule.symptoms,
            source: Some(&rule.source),
        }
    }

    pub(crate) fn of_code(code: &'a Code) -> Self {
        Self {
            code: code.name,
            severity: None,
            on: None,
            what: code.what,
            message: None,
            help: vec![code.mend],
            symptoms: &[],
            source: None,
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
    all.sort_by(|a, b| a.code.cmp(b.code));
    if format == ResultFormat::Json {
        return all.iter().map(Explanation::line).collect();
    }
    let width = all.iter().map(|one| one.code.len()).max().unwrap_or(0);
    let mut out = String::new();
    for one in &all {
        let what = one.what.lines().next().unwrap_or_default();
        let _ = writeln!(out, "{:<width$}  {}", one.code, what.trim());
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
