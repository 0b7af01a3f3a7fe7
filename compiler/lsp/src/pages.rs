//! What each code means, as pages that editors open from a report: `slipform://explain/names/unknown`.

use crate::settings::SCHEME;
use camino::Utf8Path;
use gen_lsp_types::Uri;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The folder of the pages.
const FOLDER: &str = "explain";

/// The text of a page by its path, `explain/names/unknown`, as `slipform explain` prints it.
pub(crate) fn text(path: &Utf8Path) -> Option<&'static str> {
    pages().get(path.strip_prefix(FOLDER).ok()?.as_str()).map(String::as_str)
}

/// The address of the page of a code. A rule of the project's own has none: it stands in a file of the project.
pub(crate) fn address(code: &str) -> Option<Uri> {
    pages().get(code)?;
    Uri::parse(&format!("{SCHEME}://{FOLDER}/{code}")).ok()
}

/// All that can be reported while a blueprint is written, by code.
fn pages() -> &'static BTreeMap<String, String> {
    static PAGES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let codes = slipform_syntax::codes()
            .chain(slipform_analysis::codes())
            .chain(slipform_targets::codes())
            .map(|code| (code.name.to_owned(), code.explained()));
        let rules = slipform_analysis::explain_rules();
        codes.chain(rules.iter().map(|rule| (rule.code.clone(), rule.explained()))).collect()
    })
}
