//! The types that every blueprint has.

use crate::page::Page;
use slipform_analysis::{Analysis, BUILT_IN};
use slipform_syntax::tree::StmtKind;

pub(crate) fn page(library: &Analysis) -> Page {
    let mut page = Page::new("types.md", "Types");
    page.line("How types are written is in [the language](../language.md#types).");
    page.heading(2, "Built in");
    page.table(
        &["type", "is"],
        BUILT_IN.iter().map(|(name, _, doc)| vec![format!("`{name}`"), (*doc).to_owned()]),
    );
    page.heading(2, "Declared by the standard library");
    for stmt in library.trees.iter().flat_map(|tree| &tree.stmts) {
        let StmtKind::Type(decl) = &stmt.kind else { continue };
        let Some(name) = &decl.name else { continue };
        page.heading(3, &name.value);
        page.prose(stmt.doc.as_deref().unwrap_or_default());
        page.code("bp fragment", library.sources.text(stmt.span));
    }
    page
}
