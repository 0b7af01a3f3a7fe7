//! Lines that let something be as it is, with a reason to fill in: in the noun that is told of, or in another one that has to bear them.

use super::actions::{Action, ActionKind, first_line};
use super::cursor::{Cursor, is_own};
use crate::Analysis;
use slipform_model::{Diagnostic, Fix, Noun};
use slipform_source::Span;
use std::collections::BTreeSet;

/// How many other nouns are tried: each costs an analysis.
const MOST_TRIED: usize = 12;

/// Allowances of what is reported at a place. Those of one code are tried one after another: a report may point at a noun that the rule
/// was not tried on, and only that one can bear the line.
pub(super) fn offered(analysis: &Analysis, reports: &[Diagnostic], at: Span) -> Vec<Action> {
    let here = reports.iter().filter(|it| it.labels.iter().any(|label| label.span.meets(at)));
    let mut done: BTreeSet<(String, Span)> = BTreeSet::new();
    let mut found = Vec::new();
    for report in here.filter(|it| is_allowable(analysis, it)) {
        let bearers = bearers(analysis, report);
        for (header, inside) in bearers.into_iter().take(MOST_TRIED) {
            if done.insert((report.code.to_string(), header)) {
                let line = line(analysis, inside, at, &report.code);
                found.extend(line.map(|fix| Action {
                    kind: ActionKind::Mend,
                    allows: Some(report.code.to_string()),
                    fix,
                }));
            }
        }
    }
    found
}

/// Whether a line may let it be: what a rule says, and what targets only warn of. What they refuse anyway is found out by trying.
fn is_allowable(analysis: &Analysis, report: &Diagnostic) -> bool {
    let is_of_rule = super::definition::rule(analysis, &report.code).is_some();
    is_of_rule || !analysis.diagnostics.contains(report)
}

/// The heads of the nouns that may have to bear an allowance, the likeliest first, each with a place inside of it: those around the
/// places that are pointed at, and then all others that know one of these.
fn bearers(analysis: &Analysis, report: &Diagnostic) -> Vec<(Span, Span)> {
    let mut found: Vec<(Span, Span)> = Vec::new();
    let places = report.labels.iter().map(|label| label.span);
    for place in places {
        let Some(cursor) = Cursor::new(analysis, place.file, place.start as usize) else {
            continue;
        };
        found.extend(cursor.decls().map(|decl| (decl.header, place)));
    }
    let pointed: BTreeSet<Span> = found.iter().map(|(header, _)| *header).collect();
    let Some(plan) = &analysis.plan else { return found };
    let nouns = &plan.model.nouns;
    let is_pointed = |noun: &&Noun| pointed.iter().any(|it| it.covers(noun.span));
    let ids: BTreeSet<_> = nouns.iter().filter(is_pointed).map(|noun| noun.id).collect();
    let users = plan.graph.edges().filter(|(_, to, _)| ids.contains(to));
    let users = users.filter_map(|(from, ..)| nouns.get(from.0 as usize));
    found.extend(users.filter(|it| is_own(analysis, it.span.file)).map(|it| (it.span, it.span)));
    found
}

fn line(analysis: &Analysis, inside: Span, at: Span, code: &str) -> Option<Fix> {
    let cursor = Cursor::new(analysis, inside.file, inside.start as usize)?;
    let decl = cursor.decls().next()?;
    let edit = first_line(&cursor, decl, &format!("allow {code} \"why it may be so here\""))?;
    let here = Cursor::new(analysis, at.file, at.start as usize);
    let is_here = here.is_some_and(|it| it.decls().any(|around| around.header == decl.header));
    let title = match (&decl.name, is_here) {
        (Some(name), false) => format!("allow `{code}` in `{}`", name.value),
        _ => format!("allow `{code}` here"),
    };
    Some(Fix { title, edits: vec![edit] })
}
