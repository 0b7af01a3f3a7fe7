//! The targets.

use crate::page::Page;
use slipform_targets::TARGETS;

pub(crate) fn page() -> Page {
    let mut page = Page::new("targets.md", "Targets");
    page.line("What `slipform build` writes, all of it unless `--target` names some. A `patch` block names one of the documents.");
    page.table(
        &["target", "writes"],
        TARGETS
            .iter()
            .map(|target| vec![format!("`{}`", target.name()), target.about().to_owned()]),
    );
    page.heading(2, "Documents that may be patched");
    let rows = TARGETS.iter().flat_map(|target| {
        target.patches().iter().map(|(document, kind)| {
            vec![format!("`{document}`"), format!("`{kind}`"), format!("`{}`", target.name())]
        })
    });
    page.table(&["document", "in a", "target"], rows);
    page.line("How they are used is in [patch](../how-to/patch.md).");
    page
}
