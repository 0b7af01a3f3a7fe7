//! The functions of the language.

use crate::page::{Page, cell, cell_code};
use slipform_analysis::FUNCTIONS;

pub(crate) fn page() -> Page {
    let mut page = Page::new("functions.md", "Functions");
    page.line("Functions are called in any expression. They read nothing but their arguments, the catalog, and, for `all`, the blueprint.");
    page.table(
        &["call", "gives"],
        FUNCTIONS
            .iter()
            .map(|function| vec![cell_code(function.signature), cell(Some(function.doc))]),
    );
    page
}
