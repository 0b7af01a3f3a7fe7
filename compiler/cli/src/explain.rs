//! `slipform explain`: what a code means. Rules explain themselves; the compiler's own codes stand in a table.

mod codes;

use crate::Context;
use crate::args::{ExplainArgs, ResultFormat};
use crate::report::word;
use crate::stop::{ExitStatus, Stop};
use codes::codes;
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
}

pub(crate) fn run(args: &ExplainArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let rules = explain_rules();
    let Some(asked) = &args.code else {
        context.console.print(&list(&rules, context.results));
        return Ok(ExitStatus::Clean);
    };
    // As copied from a report, brackets included.
    let code = asked
        .trim_start_matches("error")
        .trim_start_matches("warning")
        .trim_matches(['[', ']', ':']);
    if let Some(rule) = rules.iter().find(|rule| rule.code == code) {
        context.console.print(&about_rule(rule, context.results));
        return Ok(ExitStatus::Clean);
    }
    if let Some(known) = codes().find(|known| known.name == code) {
        context.console.print(&about_code(known, context.results));
        return Ok(ExitStatus::Clean);
    }
    let known = rules.iter().map(|rule| rule.code.as_str()).chain(codes().map(|known| known.name));
    let stop = Stop::new(USAGE_CODE, format!("there is no code `{asked}`"));
    Err(match nearest(code, known) {
        Some(near) => stop.help(similar("a code", near)),
        None => stop.help("`slipform explain` lists all of them"),
    })
}

/// Both kinds of codes as programs see them.
#[derive(Serialize)]
struct Explanation<'a> {
    code: &'a str,
    severity: Option<&'static str>,
    on: Option<&'a str>,
    what: &'a str,
    message: Option<&'a str>,
    help: Vec<&'a str>,
    symptoms: &'a [String],
    source: Option<&'a str>,
}

impl<'a> Explanation<'a> {
    fn of_rule(rule: &'a RuleDoc) -> Self {
        Self {
            code: &rule.code,
            severity: Some(word(rule.severity)),
            on: Some(&rule.on),
            what: rule.doc.trim(),
            message: Some(&rule.message),
            help: rule.help.iter().map(String::as_str).collect(),
            symptoms: &rule.symptoms,
            source: Some(&rule.source),
        }
    }

    fn of_code(code: &'a Code) -> Self {
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
    if format == ResultFormat::Json {
        return Explanation::of_rule(rule).line();
    }
    let mut out = format!("{}: {} on {}\n\n", rule.code, word(rule.severity), rule.on);
    for line in rule.doc.trim().lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(out, "\nsays: {}", rule.message);
    for help in &rule.help {
        let _ = writeln!(out, "help: {help}");
    }
    for symptom in &rule.symptoms {
        let _ = writeln!(out, "seen in logs: {symptom}");
    }
    let _ = writeln!(out, "\n{}", rule.source.trim());
    out
}

fn about_code(code: &Code, format: ResultFormat) -> String {
    match format {
        ResultFormat::Json => Explanation::of_code(code).line(),
        ResultFormat::Text => {
            format!("{}\n\n{}\nhelp: {}\n", code.name, code.what, code.mend)
        }
    }
}
