//! The outline of a file.

use super::cursor::tree;
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
    let symbol = |name: &Name, detail: &str, kind: SymbolKind, children: Vec<Symbol>| Symbol {
        name: name.value.to_string(),
        detail: detail.to_owned(),
        kind,
        span: stmt.span.to(name.span),
        name_span: name.span,
        children,
    };
    let leaf = |name: &Option<Name>, detail: &str, kind| {
        name.as_ref().map(|name| symbol(name, detail, kind, Vec::new()))
    };
    match &stmt.kind {
        StmtKind::Decl(decl) => {
            let name = decl.name.as_ref().unwrap_or(&decl.kind);
            Some(symbol(name, &decl.kind.value, SymbolKind::Noun, of_block(&decl.body)))
        }
        StmtKind::Param(it) => leaf(&it.name, "param", SymbolKind::Param),
        StmtKind::Let(it) => leaf(&it.name, "let", SymbolKind::Let),
        StmtKind::Output(it) => leaf(&it.name, "output", SymbolKind::Output),
        StmtKind::Type(it) => leaf(&it.name, "type", SymbolKind::Type),
        StmtKind::Rule(it) => leaf(&it.code, "rule", SymbolKind::Rule),
        StmtKind::Kind(it) => {
            it.name.as_ref().map(|name| symbol(name, "kind", SymbolKind::Kind, of_block(&it.body)))
        }
        StmtKind::Component(it) => it
            .name
            .as_ref()
            .map(|name| symbol(name, "component", SymbolKind::Component, of_block(&it.body))),
        StmtKind::Field(it) => Some(symbol(&it.name, "", SymbolKind::Field, Vec::new())),
        _ => None,
    }
}
