//! What can be said of a rule without trying it: its kind, the types of its expressions, the order of its lines.

use super::{OwnRule, kinds_of};
use crate::check::nouns::NAMES_UNKNOWN_KIND;
use crate::check::{Checker, Scope};
use crate::infer::{Infer, Seen, paths_set_when};
use crate::schema::Kind;
use crate::types::Type;
use slipform_source::Span;
use slipform_syntax::tree::{ClauseKind, Mend};
use std::sync::Arc;

/// Checks a rule without trying it: its kinds, and the types of its expressions for each of them.
pub(crate) fn check(checker: &mut Checker<'_, '_>, rule: &OwnRule<'_>, file: &Scope<'_>) {
    if rule.decl.on.is_empty() {
        check_on(checker, rule, file, ("", None), rule.stmt.span);
    }
    for (on, names) in kinds_of(rule.decl).zip(&rule.decl.on) {
        let span = names.first().map_or(rule.stmt.span, |name| name.span);
        check_on(checker, rule, file, on, span);
    }
    for report in rule.read.as_ref().err().into_iter().flatten() {
        checker.reports.add(report.clone());
    }
}

/// Checks what a rule says of one of its kinds.
fn check_on(
    checker: &mut Checker<'_, '_>,
    rule: &OwnRule<'_>,
    file: &Scope<'_>,
    (name, platform): (&str, Option<&str>),
    span: Span,
) {
    let program = checker.program;
    let kinds: Vec<&Arc<Kind>> = program
        .schema
        .variants(name)
        .filter(|kind| platform.is_none_or(|platform| kind.platform.as_deref() == Some(platform)))
        .collect();
    if kinds.is_empty() {
        checker.reports.error(
            NAMES_UNKNOWN_KIND,
            format!("there is no kind of noun called `{name}`"),
            span,
        );
        return;
    }
    let mut scope = file.assuming(Vec::new());
    for kind in &kinds {
        for field in kind.fields.0.keys() {
            if let Some(known) = program.schema.field_of(name, field) {
                scope.add(
                    field,
                    Seen { ty: known.read(), span: known.span, doc: known.doc.clone() },
                );
            }
        }
        if let Some(parent) = &kind.parent {
            scope.add(parent, Seen { ty: Type::Noun(parent.clone()), span: kind.span, doc: None });
        }
        scope.add(
            "self",
            Seen { ty: Type::Noun(kind.name.clone()), span: kind.span, doc: kind.doc.clone() },
        );
    }
    let mut infer = Infer::new(&program.schema, checker.reports, checker.index, &scope, true);
    for clause in rule.decl.clauses.iter() {
        check_clause(&mut infer, &clause.kind);
    }
}

fn check_clause(infer: &mut Infer<'_>, clause: &ClauseKind) {
    match clause {
        ClauseKind::When(condition) => {
            infer.check(condition, &Type::Bool);
            infer.assume(paths_set_when(condition, true));
        }
        ClauseKind::Require(condition) => {
            infer.check(condition, &Type::Bool);
        }
        ClauseKind::Let(name, value) => {
            let ty = infer.expr(value, None);
            if let Some(name) = name {
                infer.bind(&name.value, ty, name.span);
            }
        }
        ClauseKind::For(names, items) => {
            let ty = infer.expr(items, None);
            infer.bind_round(names, &ty, items.span);
        }
        ClauseKind::Label(place, text) => {
            infer.expr(place, None);
            infer.check(text, &Type::Str);
        }
        ClauseKind::Fix(Mend::Remove(place)) => {
            infer.expr(place, None);
        }
        ClauseKind::Fix(Mend::Set(place, value)) => {
            let wanted = infer.expr(place, None);
            infer.expr(value, Some(&wanted));
        }
        ClauseKind::Says(_, text) | ClauseKind::Help(text) | ClauseKind::Symptom(text) => {
            infer.check(text, &Type::Str);
        }
        ClauseKind::Since(edition) => {
            infer.expr(edition, None);
        }
    }
}
