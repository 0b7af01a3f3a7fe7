//! The outline of a file.

use super::cursor::{tree, word_of};
use crate::Analysis;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Name, Stmt, StmtKind};

/// A declaration, and those inside of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its kind or type, as written.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole declaration.
    pub span: Span,
    /// Its name; inside of `span`.
    pub name_span: Span,
    /// What is declared inside.
    pub children: Vec<Symbol>,
}

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A noun.
    Noun,
    /// A `param`.
    Param,
    /// A `let`.
    Let,
    /// An `output`.
    Output,
    /// A `type`.
    Type,
    /// A `kind`.
    Kind,
    /// A field of a kind or a component.
    Field,
    /// A `rule`.
    Rule,
    /// A `component`.
    Component,
}

/// The declarations of a file, in order.
pub fn symbols(analysis: &Analysis, file: FileId) -> Vec<Symbol> {
    tree(analysis, file).map(|tree| of_block(&tree.stmts)).unwrap_or_default()
}

fn of_block(stmts: &[Stmt]) -> Vec<Symbol> {
    let mut found = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::For(rounds) => found.extend(of_block(&rounds.body)),
            StmtKind::If(choice) => {
                found.extend(of_block(&choice.then));
                found.extend(of_block(choice.otherwise.as_deref().unwrap_or_default()));
            }
            _ => found.extend(of_stmt(stmt)),
        }
    }
    found
}

fn of_stmt(stmt: &Stmt) -> Option<Symbol> {
    let symbol = |name: &Name, kind: SymbolKind, inside: &[Stmt]| Symbol {
        name: name.value.to_string(),
        detail: word_of(stmt).unwrap_or_default().to_owned(),
        kind,
        span: stmt.span.to(name.span),
        name_span: name.span,
        children: of_block(inside),
    };
    let named = |name: &Option<Name>, kind, inside: &[Stmt]| {
        name.as_ref().map(|name| symbol(name, kind, inside))
    };
    match &stmt.kind {
        StmtKind::Decl(it) => {
            Some(symbol(it.name.as_ref().unwrap_or(&it.kind), SymbolKind::Noun, &it.body))
        }
        StmtKind::Param(it) => named(&it.name, SymbolKind::Param, &[]),
        StmtKind::Let(it) => named(&it.name, SymbolKind::Let, &[]),
        StmtKind::Output(it) => named(&it.name, SymbolKind::Output, &[]),
        StmtKind::Type(it) => named(&it.name, SymbolKind::Type, &[]),
        StmtKind::Rule(it) => named(&it.code, SymbolKind::Rule, &[]),
        StmtKind::Kind(it) => named(&it.name, SymbolKind::Kind, &it.body),
        StmtKind::Component(it) => named(&it.name, SymbolKind::Component, &it.body),
        StmtKind::Field(it) => Some(symbol(&it.name, SymbolKind::Field, &[])),
        _ => None,
    }
}
