//! The names around a place, with their types.

use super::super::cursor::{Cursor, tree};
use super::super::definition::decl_named;
use crate::Analysis;
use crate::check::{Checker, Scope};
use crate::index::Index;
use crate::infer::{Infer, Outer, Seen};
use crate::load;
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::rules::kinds_of;
use crate::schema::{Kind, LateFields};
use crate::types::{Fields, Type};
use slipform_source::FileId;
use slipform_syntax::tree::{
    ClauseKind, Comprehension, Decl, Expr, ExprKind, RuleDecl, Stmt, StmtKind,
};
use std::sync::Arc;

/// Calls `then` with the scope of a place.
pub(super) fn with<R>(
    analysis: &Analysis,
    file: FileId,
    offset: usize,
    then: impl FnOnce(&mut Checker<'_, '_>, &Scope<'_>) -> R,
) -> Option<R> {
    let files = analysis.files();
    let mut reports = Reports::default();
    let known = (analysis.schema.clone(), analysis.signatures.clone());
    let std_files = load::standard().files.len();
    let program = Program::again(&files, std_files, known, &mut reports);
    let unit = UnitId(files.iter().position(|(tree, _)| tree.file == file)?);
    let tree = files.get(unit.0)?.0;
    let mut index = Index::new(false);
    let mut checker = Checker::new(&program, unit, &mut reports, &mut index);
    let scope = checker.file_scope(unit);
    let mut result = None;
    let mut then = Some(then);
    let place = Place { text: &analysis.sources.get(file)?.text, offset };
    inside(&mut checker, &tree.stmts, &scope, place, &mut |checker, scope| {
        result = then.take().map(|then| then(checker, scope));
    });
    result
}

/// What a use of a component takes, by what a file calls it.
pub(in crate::ide) fn component_fields(
    analysis: &Analysis,
    file: FileId,
    name: &str,
) -> Option<Arc<LateFields>> {
    let files = analysis.files();
    let mut reports = Reports::default();
    let known = (analysis.schema.clone(), analysis.signatures.clone());
    let program = Program::again(&files, load::standard().files.len(), known, &mut reports);
    let unit = UnitId(files.iter().position(|(tree, _)| tree.file == file)?);
    program.component(unit, name).map(|component| component.fields.clone())
}

/// Calls `then` with the names of the rounds around a place, the outermost first.
pub(super) fn in_rounds<'t, R>(
    checker: &mut Checker<'_, 't>,
    rounds: &[Comprehension],
    scope: &Scope<'_>,
    then: impl FnOnce(&mut Checker<'_, 't>, &Scope<'_>) -> R,
) -> R {
    let Some((first, rest)) = rounds.split_first() else { return then(checker, scope) };
    let inner = checker.round_scope((&first.names, &first.items), scope, false);
    in_rounds(checker, rest, &inner, then)
}

/// The type of an expression where it is set; `None` where nothing is known of it.
pub(super) fn type_of(
    checker: &mut Checker<'_, '_>,
    scope: &Scope<'_>,
    expr: &Expr,
) -> Option<Type> {
    read_type_of(checker, scope, expr).map(|ty| ty.set())
}

/// The same where it is read: what may be absent says so.
pub(super) fn read_type_of(
    checker: &mut Checker<'_, '_>,
    scope: &Scope<'_>,
    expr: &Expr,
) -> Option<Type> {
    let schema = &checker.program.schema;
    let ty = Infer::new(schema, checker.reports, checker.index, scope, true).expr(expr, None);
    Some(ty).filter(|ty| !matches!(ty, Type::Unknown))
}

/// The kind of what a name declares, where the declaration says its platform: of a cluster on GKE no more than that has.
pub(super) fn declared_kind(
    analysis: &Analysis,
    program: &Program<'_>,
    scope: &Scope<'_>,
    base: &Expr,
) -> Option<Arc<Kind>> {
    match &base.kind {
        ExprKind::Name(name) => kind_named(analysis, program, scope, name),
        _ => None,
    }
}

/// The same of a name.
pub(super) fn kind_named(
    analysis: &Analysis,
    program: &Program<'_>,
    scope: &Scope<'_>,
    name: &str,
) -> Option<Arc<Kind>> {
    let declared = scope.name(name)?.span;
    let decl = decl_named(&tree(analysis, declared.file)?.stmts, declared)?;
    program.schema.of_decl(decl).cloned()
}

/// The platform of the noun at the cursor: its own, that of the cluster which it stands in, or of the one that it runs on.
pub(super) fn platform(
    cursor: &Cursor<'_>,
    program: &Program<'_>,
    scope: &Scope<'_>,
) -> Option<Arc<str>> {
    let own = |decl: &Decl| program.schema.of_decl(decl)?.platform.clone();
    let runs_on = |decl: &Decl| {
        let mut on = &decl.on.as_ref()?.kind;
        while let ExprKind::Member(base, _) = on {
            on = &base.kind;
        }
        let ExprKind::Name(name) = on else { return None };
        kind_named(cursor.analysis, program, scope, name)?.platform.clone()
    };
    cursor.decls().find_map(|decl| own(decl).or_else(|| runs_on(decl)))
}

/// The fields that a rule speaks of, and what the lines in front of a place name.
fn rule_scope<'s>(
    checker: &mut Checker<'_, '_>,
    rule: &RuleDecl,
    outer: &'s Scope<'s>,
    offset: usize,
) -> Scope<'s> {
    let program = checker.program;
    // What it reads all of its kinds have, so the first will do.
    let (name, platform) = kinds_of(rule).next().unwrap_or_default();
    let known = program.schema.kind(name, platform);
    let kind = known.or_else(|| program.schema.variants(name).next());
    let fields = kind.map(|kind| Fields(kind.fields.0.clone())).unwrap_or_default();
    let mut scope = checker.component_scope(&fields, outer);
    if let Some(kind) = kind {
        let noun = |kind: &Arc<str>| Type::Noun(kind.clone());
        let seen = |ty| Seen { ty, span: kind.span, doc: None };
        scope.add("self", seen(noun(&kind.name)));
        if let Some(parent) = &kind.parent {
            scope.add(parent, seen(noun(parent)));
        }
    }
    let mut infer = Infer::new(&program.schema, checker.reports, checker.index, &scope, true);
    for clause in rule.clauses.iter().filter(|clause| (clause.span.end as usize) < offset) {
        match &clause.kind {
            ClauseKind::Let(Some(name), value) => {
                let ty = infer.expr(value, None);
                infer.bind(&name.value, ty, name.span);
            }
            ClauseKind::For(names, items) => {
                let walked = infer.expr(items, None);
                infer.bind_round(names, &walked, items.span);
            }
            _ => {}
        }
    }
    for (name, seen) in infer.into_locals() {
        scope.add(&name, seen);
    }
    scope
}

/// A place in a text.
#[derive(Clone, Copy)]
struct Place<'p> {
    text: &'p str,
    offset: usize,
}

impl Place<'_> {
    /// Whether it is in front of the block that follows the last expression of a head: what is declared there is not
    /// known yet.
    fn is_in_head(&self, last: &Expr) -> bool {
        let between = self.text.get(last.span.end as usize..self.offset);
        between.is_none_or(|between| !between.contains('{'))
    }
}

/// Goes into the block around a place.
fn inside<'t>(
    checker: &mut Checker<'_, 't>,
    stmts: &'t [Stmt],
    scope: &Scope<'_>,
    place: Place<'_>,
    then: &mut dyn FnMut(&mut Checker<'_, 't>, &Scope<'_>),
) {
    let offset = place.offset;
    let around =
        stmts.iter().rfind(|stmt| (stmt.span.start as usize) < offset && stmt.span.touches(offset));
    let Some(stmt) = around else { return then(checker, scope) };
    let program = checker.program;
    match &stmt.kind {
        StmtKind::Decl(decl) => {
            let inner = checker.block_scope(&decl.body, scope);
            inside(checker, &decl.body, &inner, place, then);
        }
        StmtKind::Component(decl) => {
            let known =
                decl.name.as_ref().and_then(|name| program.component(checker.unit, &name.value));
            let none = Fields::default();
            let fields = known.map_or(&none, |component| &component.fields);
            let outer = checker.component_scope(fields, scope);
            let inner = checker.block_scope(&decl.body, &outer);
            inside(checker, &decl.body, &inner, place, then);
        }
        StmtKind::Rule(decl) => {
            let inner = rule_scope(checker, decl, scope, offset);
            then(checker, &inner);
        }
        StmtKind::For(rounds) if rounds.key.is_none() && place.is_in_head(&rounds.items) => {
            then(checker, scope);
        }
        StmtKind::If(choice) if place.is_in_head(&choice.condition) => then(checker, scope),
        StmtKind::For(rounds) => {
            let outer = checker.round_scope((&rounds.names, &rounds.items), scope, false);
            if rounds.key.as_ref().is_some_and(|key| place.is_in_head(key)) {
                let walked = rounds.items.span.end as usize >= offset;
                return then(checker, if walked { scope } else { &outer });
            }
            let inner = checker.block_scope(&rounds.body, &outer);
            inside(checker, &rounds.body, &inner, place, then);
        }
        StmtKind::If(choice) => {
            let otherwise = choice.otherwise.as_deref().unwrap_or_default();
            let second =
                otherwise.first().is_some_and(|first| (first.span.start as usize) <= offset);
            let body = if second { otherwise } else { &choice.then };
            let inner = checker.block_scope(body, scope);
            inside(checker, body, &inner, place, then);
        }
        _ => then(checker, scope),
    }
}
