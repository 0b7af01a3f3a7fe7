//! The components of the standard library.

use crate::page::{Page, cell, cell_code};
use slipform_analysis::Analysis;
use slipform_syntax::tree::{ComponentDecl, Stmt, StmtKind};

pub(crate) fn page(library: &Analysis) -> Page {
    let mut page = Page::new("components.md", "Components");
    page.line(
        "Ready-made parts. What a component is, is in [the language](../language.md#components).",
    );
    for stmt in library.trees.iter().flat_map(|tree| &tree.stmts) {
        let StmtKind::Component(decl) = &stmt.kind else { continue };
        let Some(name) = &decl.name else { continue };
        page.heading(2, &name.value);
        page.prose(stmt.doc.as_deref().unwrap_or_default());
        page.code("bp fragment", &format!("use std.components.{{{}}}", name.value));
        page.table(&["field", "type", "default", "meaning"], fields(library, decl));
    }
    page
}

fn fields<'l>(
    library: &'l Analysis,
    decl: &'l ComponentDecl,
) -> impl Iterator<Item = Vec<String>> + 'l {
    decl.body.iter().filter_map(|stmt: &Stmt| {
        let StmtKind::Field(field) = &stmt.kind else { return None };
        let text =
            |span| library.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let ty = text(field.ty.span);
        let default = match &field.default {
            Some(default) => cell_code(&text(default.span)),
            None if ty.ends_with('?') => "absent".to_owned(),
            None => "required".to_owned(),
        };
        Some(vec![
            format!("`{}`", field.name.value),
            cell_code(&ty),
            default,
            cell(stmt.doc.as_deref()),
        ])
    })
}
