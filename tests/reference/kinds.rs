//! A page for each kind, and their contents.

use crate::page::{Page, anchor, cell, cell_code};
use slipform_analysis::{Analysis, Field, Kind, Type};

pub(crate) fn pages(library: &Analysis) -> Vec<Page> {
    let kinds = || library.schema.kinds.values();
    let mut contents = Page::new("kinds/README.md", "Kinds");
    contents.line("The nouns of a blueprint: what may be declared, and with which fields.");
    contents.table(
        &["kind", "declared in", "is"],
        kinds().map(|kind| {
            let inside =
                kind.parent.as_deref().map_or(String::new(), |parent| format!("`{parent}`"));
            vec![format!("[`{}`]({})", kind.title(), file(kind)), inside, cell(kind.doc.as_deref())]
        }),
    );
    std::iter::once(contents).chain(kinds().map(|kind| page(library, kind))).collect()
}

fn file(kind: &Kind) -> String {
    format!("{}.md", kind.title().replace(' ', "-"))
}

fn page(library: &Analysis, kind: &Kind) -> Page {
    let mut page = Page::new(&format!("kinds/{}", file(kind)), &format!("`{}`", kind.title()));
    page.prose(kind.doc.as_deref().unwrap_or_default());
    if let Some(parent) = &kind.parent {
        page.line(&format!("Declared inside a `{parent}`."));
    }
    let fields =
        |derived: bool| kind.fields.0.iter().filter(move |(_, field)| field.derived == derived);
    page.heading(2, "Fields");
    page.table(
        &["field", "type", "default", "meaning"],
        fields(false).map(|(name, field)| {
            vec![
                format!("`{name}`"),
                linked(library, &field.ty),
                default(library, field),
                cell(field.doc.as_deref()),
            ]
        }),
    );
    if fields(true).next().is_some() {
        page.heading(2, "Derived fields");
        page.line("What the compiler works out. Rules, asserts and outputs may read them; a `deferred` one may go where deferred values go.");
        page.table(
            &["field", "type", "meaning"],
            fields(true).map(|(name, field)| {
                vec![format!("`{name}`"), linked(library, &field.ty), cell(field.doc.as_deref())]
            }),
        );
    }
    page
}

/// A default as it is written; `required` where something has to be.
fn default(library: &Analysis, field: &Field) -> String {
    match &field.default {
        Some(default) => {
            let text =
                library.sources.text(default.span).split_whitespace().collect::<Vec<_>>().join(" ");
            cell_code(&text)
        }
        None if field.ty.is_optional() => "absent".to_owned(),
        None => "required".to_owned(),
    }
}

/// A type, and where the declared ones in it are described.
fn linked(library: &Analysis, ty: &Type) -> String {
    let text = ty.to_string();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let declared = |word: &&str| !text.contains('"') && library.schema.types.contains_key(*word);
    let mut names: Vec<&str> = words.filter(declared).collect();
    names.dedup();
    let link = |shown: &str, name: &str| format!("[{shown}](../types.md#{})", anchor(name));
    match names.as_slice() {
        [] => cell_code(&text),
        [one] if text.trim_matches(['[', ']', '?']) == *one => link(&cell_code(&text), one),
        names => {
            let links: Vec<String> = names.iter().map(|name| link(name, name)).collect();
            format!("{} ({})", cell_code(&text), links.join(", "))
        }
    }
}
