//! What nothing speaks of: names that could go.

use super::cursor::{own_trees, tree};
use super::references::{target, uses};
use crate::Analysis;
use slipform_model::Diagnostic;
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, Param, Stmt, StmtKind, TypeExprKind};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    pub NAMES_UNUSED = "names/unused":
        "a `let`, a `param` or a `use` that nothing speaks of; editors show it paler, and it stops nothing",
        "remove it, or speak of it";
}

/// What nothing speaks of in the blueprint's own files, as editors are told of it.
pub fn idle(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for tree in own_trees(analysis) {
        found.extend(unused(analysis, tree.file).into_iter().map(|it| {
            let message = format!("nothing speaks of the {} `{}`", it.word, it.name);
            Diagnostic::advice(NAMES_UNUSED, message, it.span)
        }));
    }
    found
}

/// A name that nothing speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Where it is declared, or brought in.
    pub span: Span,
    /// What it is: `param`, `let`, `use`.
    pub word: &'static str,
    /// How it is called.
    pub name: String,
    /// The statement, where nothing else stands in it.
    pub stmt: Option<Span>,
}

/// The `let`, `param` and `use` of a file that nothing speaks of.
pub fn unused(analysis: &Analysis, file: FileId) -> Vec<Unused> {
    let stmts = tree(analysis, file).map(|tree| tree.stmts.as_slice()).unwrap_or_default();
    let named = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Let(it) => it.name.clone().map(|name| (name, "let", stmt.span)),
        // the project of a blueprint is asked for by its type
        StmtKind::Param(it) if is_project(it) => None,
        StmtKind::Param(it) => it.name.clone().map(|name| (name, "param", stmt.span)),
        _ => None,
    };
    let all: Vec<_> = stmts.iter().filter_map(named).collect();
    let idle = analysis.index.unmentioned(all.iter().map(|(name, ..)| name.span).collect());
    // what is reached through the name of a file is not in the index
    let members = if idle.is_empty() { BTreeSet::new() } else { members(analysis) };
    let idle = all.into_iter().filter(|(name, ..)| {
        idle.contains(&name.span)
            && (!members.contains(name.value.as_str()) || uses(analysis, name.span).is_empty())
    });
    let mut found: Vec<Unused> = idle
        .map(|(name, word, stmt)| Unused {
            span: name.span,
            word,
            name: name.value.to_string(),
            stmt: Some(stmt).filter(|_| !has_key(analysis, &name.value)),
        })
        .collect();
    found.extend(idle_uses(analysis, file, stmts));
    found
}

fn is_project(param: &Param) -> bool {
    let ty = param.ty.as_ref().map(|ty| &ty.kind);
    matches!(ty, Some(TypeExprKind::Name(name)) if name == "ProjectId")
}

/// Whether the project file gives a parameter a value: it cannot be taken away here alone.
fn has_key(analysis: &Analysis, name: &str) -> bool {
    analysis.project.iter().flat_map(|project| &project.keys).any(|(key, _)| key == name)
}

/// Every name that stands behind a dot.
fn members(analysis: &Analysis) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for tree in own_trees(analysis) {
        slipform_syntax::walk(tree, &mut |node| {
            if let NodeRef::Expr(Expr { kind: ExprKind::Member(_, Some(name)), .. }) = node {
                found.insert(name.value.to_string());
            }
        });
    }
    found
}

/// Names that a file brings in and never speaks of.
fn idle_uses(analysis: &Analysis, file: FileId, stmts: &[Stmt]) -> Vec<Unused> {
    let mut found = Vec::new();
    for stmt in stmts {
        let StmtKind::Use(used) = &stmt.kind else { continue };
        let names = used.names.iter().flatten();
        let several = names.clone().count() > 1;
        let names = names.map(|(name, alias)| (name.span, alias.as_ref().unwrap_or(name)));
        for (name, local) in names {
            let middle = (name.start as usize + name.end as usize) / 2;
            let Some(declared) = target(analysis, file, middle) else { continue };
            let speaks = |span: Span| {
                span.file == file
                    && span != name
                    && span != local.span
                    && analysis.sources.text(span) == local.value.as_str()
            };
            // types are not in the index
            let known = analysis.index.of(declared).any(speaks);
            if !known && !uses(analysis, declared).into_iter().any(speaks) {
                found.push(Unused {
                    span: local.span,
                    word: "use",
                    name: local.value.to_string(),
                    stmt: (!several).then_some(stmt.span),
                });
            }
        }
    }
    found
}
