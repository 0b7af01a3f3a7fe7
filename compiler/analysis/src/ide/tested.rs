//! Names in a `test`: parameters that it gives values to, codes that it wants reported, and nouns whose artifacts it keeps. A test is a
//! table, so that no types are inferred in it.

use super::cursor::{Cursor, own_trees};
use super::definition::rule;
use crate::Analysis;
use crate::program::declared_name;
use crate::test_file::{name, test, text};
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Attr, Entry, Expr, ExprKind, Stmt, StmtKind};

/// Where that is declared which an expression in a test names.
pub(super) fn declared(cursor: &Cursor<'_>, expr: &Expr) -> Option<Span> {
    let attr = attr_of_test(cursor)?;
    let analysis = cursor.analysis;
    match attr.name.value.as_str() {
        "params" => {
            let ExprKind::Record(entries) = &attr.value.kind else { return None };
            let is_key = |Entry { key, .. }: &&Entry| key.span == expr.span;
            let key = entries.iter().find(is_key)?;
            top(analysis, &name(&key.key)?.value, |kind| matches!(kind, StmtKind::Param(_)))
        }
        "refused" => match &rule(analysis, &text(expr)?)?.kind {
            StmtKind::Rule(rule) => rule.code.as_ref().map(|code| code.span),
            _ => None,
        },
        "renders" => noun(analysis, expr),
        _ => None,
    }
}

/// Where a noun of the blueprint is declared that a test names.
fn noun(analysis: &Analysis, expr: &Expr) -> Option<Span> {
    let ExprKind::Name(name) = &expr.kind else { return None };
    top(analysis, name, |kind| matches!(kind, StmtKind::Decl(_)))
}

/// The same of a noun that a path begins with, in the files of tests.
pub(super) fn base(analysis: &Analysis, expr: &Expr) -> Option<Span> {
    let file = analysis.sources.get(expr.span.file)?;
    let cursor = Cursor::new(analysis, expr.span.file, expr.span.start as usize)?;
    let is_kept = || attr_of_test(&cursor).is_some_and(|attr| attr.name.value == "renders");
    (crate::is_test_file(&file.path) && is_kept()).then(|| noun(analysis, expr)).flatten()
}

/// The line of a `test` that the cursor is in.
fn attr_of_test<'a>(cursor: &Cursor<'a>) -> Option<&'a Attr> {
    match cursor.path.as_slice() {
        [NodeRef::Stmt(outer), NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }), ..] => {
            test(outer).map(|_| attr)
        }
        _ => None,
    }
}

/// The name of a statement of the blueprint's own files.
fn top(analysis: &Analysis, name: &str, wanted: fn(&StmtKind) -> bool) -> Option<Span> {
    let stmts = own_trees(analysis).flat_map(|tree| &tree.stmts);
    let mut named = stmts.filter(|stmt| wanted(&stmt.kind) && test(stmt).is_none());
    named.find_map(|stmt| declared_name(stmt).filter(|it| it.value == name)).map(|it| it.span)
}
