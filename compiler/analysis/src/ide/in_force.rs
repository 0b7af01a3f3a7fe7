//! Whether a value is another one in another environment, and in which it is as it is shown.

use super::cursor::{Cursor, own_trees};
use crate::Analysis;
use crate::program::declared_name;
use slipform_source::Span;
use slipform_syntax::tree::{Expr, ExprKind, Let, Param, Stmt, StmtKind};
use slipform_syntax::{NodeRef, walk};
use std::collections::BTreeSet;

/// The environment that a shown value is of, where it depends on a parameter and the project has several.
pub(super) fn of_value(cursor: &Cursor<'_>, span: Span, declared: Option<Span>) -> Option<String> {
    let project = cursor.analysis.project.as_ref().filter(|it| it.environments.len() > 1)?;
    let param = match cursor.stmt().map(|stmt| &stmt.kind) {
        Some(StmtKind::Attr(attr)) if attr.name.span == span || attr.value.span == span => {
            param_of(cursor.analysis, NodeRef::Expr(&attr.value))
        }
        _ => of_declared(cursor.analysis, declared?, &mut BTreeSet::new()),
    }?;
    let name = cursor.analysis.sources.text(param);
    let from = match project.params.contains_key(name) {
        true => format!("`slipform.toml` gives `{name}` there"),
        false => format!("`{name}` has its default there"),
    };
    Some(format!("In the environment `{}`: {from}.", project.environment))
}

/// The first parameter that what is written depends on.
fn param_of(analysis: &Analysis, node: NodeRef<'_>) -> Option<Span> {
    in_node(analysis, node, &mut BTreeSet::new())
}

fn in_node(analysis: &Analysis, node: NodeRef<'_>, seen: &mut BTreeSet<Span>) -> Option<Span> {
    let mut names: Vec<Span> = Vec::new();
    node.walk(&mut |node| {
        if let NodeRef::Expr(Expr { kind: ExprKind::Name(_), span }) = node {
            names.push(*span);
        }
    });
    names.into_iter().find_map(|name| {
        let declared = analysis.index.at(name.file, name.start as usize)?.declared?;
        of_declared(analysis, declared, seen)
    })
}

fn of_declared(analysis: &Analysis, declared: Span, seen: &mut BTreeSet<Span>) -> Option<Span> {
    if !seen.insert(declared) {
        return None;
    }
    match &stmt_of(analysis, declared)?.kind {
        StmtKind::Param(Param { name: Some(name), .. }) => Some(name.span),
        StmtKind::Let(Let { value, .. }) => in_node(analysis, NodeRef::Expr(value), seen),
        _ => None,
    }
}

/// The statement that declares a name.
fn stmt_of(analysis: &Analysis, declared: Span) -> Option<&Stmt> {
    let tree = own_trees(analysis).find(|tree| tree.file == declared.file)?;
    let mut found = None;
    walk(tree, &mut |node| match node {
        NodeRef::Stmt(stmt) if declared_name(stmt).is_some_and(|it| it.span == declared) => {
            found = Some(stmt);
        }
        _ => {}
    });
    found
}
