//! The rules as documentation: what `slipform explain` prints, and the reference is made of.

use crate::load;
use crate::program::Program;
use crate::report::Reports;
use crate::rules;
use crate::schema::Schema;
use slipform_model::Severity;
use slipform_syntax::tree::{ClauseKind, Expr, Tree};
use std::fmt::Write;

/// One rule of the standard library.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleDoc {
    /// `tpu/hosts`
    pub code: String,
    /// The kind that it speaks of: `pool`, `cluster.gke`.
    pub on: String,
    /// Whether breaking it stops a build.
    pub severity: Severity,
    /// Its documentation: what, why, and an example.
    pub doc: String,
    /// What it says, with `...` for what differs.
    pub message: String,
    /// What it advises.
    pub help: Vec<String>,
    /// What is found in logs where it is not kept.
    pub symptoms: Vec<String>,
    /// The rule itself, in the language.
    pub source: String,
}

impl RuleDoc {
    /// What it means, as `slipform explain` prints it.
    pub fn explained(&self) -> String {
        let mut out = format!("{}: {} on {}\n\n", self.code, self.severity.word(), self.on);
        for line in self.doc.trim().lines() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let _ = writeln!(out, "\nsays: {}", self.message);
        for help in &self.help {
            let _ = writeln!(out, "help: {help}");
        }
        for symptom in &self.symptoms {
            let _ = writeln!(out, "seen in logs: {symptom}");
        }
        let _ = writeln!(out, "\n{}", self.source.trim());
        out
    }
}

/// Every rule of the standard library, by code.
pub fn explain_rules() -> Vec<RuleDoc> {
    let standard = load::standard();
    let files: Vec<(&Tree, String)> =
        standard.files.iter().map(|(tree, module)| (&**tree, module.clone())).collect();
    let program =
        Program::new(&files, standard.schema.clone(), files.len(), &mut Reports::default());
    let mut docs: Vec<RuleDoc> = rules::Rules::new(&program)
        .all()
        .filter_map(|rule| {
            let (stmt, decl) = rule.declared()?;
            Some(RuleDoc {
                code: rule.code().to_owned(),
                on: rules::kinds_of(decl).map(spoken).collect::<Vec<_>>().join(" | "),
                severity: rule.severity(),
                doc: stmt.doc.as_deref().unwrap_or_default().to_owned(),
                message: rules::texts(decl, message).into_iter().next().unwrap_or_default(),
                help: rules::texts(decl, help),
                symptoms: rules::texts(decl, symptom),
                source: standard.sources.text(stmt.span).to_owned(),
            })
        })
        .collect();
    docs.sort_by(|a, b| a.code.cmp(&b.code));
    docs
}

/// A kind as rules name it.
fn spoken((kind, platform): (&str, Option<&str>)) -> String {
    platform.map_or_else(|| kind.to_owned(), |platform| format!("{kind}.{platform}"))
}

fn message(clause: &ClauseKind) -> Option<&Expr> {
    match clause {
        ClauseKind::Says(_, text) => Some(text),
        _ => None,
    }
}

fn help(clause: &ClauseKind) -> Option<&Expr> {
    match clause {
        ClauseKind::Help(text) => Some(text),
        _ => None,
    }
}

fn symptom(clause: &ClauseKind) -> Option<&Expr> {
    match clause {
        ClauseKind::Symptom(text) => Some(text),
        _ => None,
    }
}

/// What is wrong with the standard library itself: nothing, as a test makes sure.
pub fn check_library() -> Vec<slipform_model::Diagnostic> {
    let standard = load::standard();
    let files: Vec<(&Tree, String)> =
        standard.files.iter().map(|(tree, module)| (&**tree, module.clone())).collect();
    let mut reports = Reports::default();
    // Read anew, each of its regular expressions tried.
    let mut schema = Schema::default();
    schema.extend(files.iter().map(|(tree, _)| *tree), &mut reports);
    let program = Program::new(&files, schema, files.len(), &mut reports);
    crate::check::check(&program, &mut reports, &mut crate::Index::default(), true);
    reports.finish()
}
