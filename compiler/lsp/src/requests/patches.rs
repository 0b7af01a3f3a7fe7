//! What may be written in a `patch` block: the consumers' own fields.

use super::Spot;
use crate::convert;
use crate::server::Server;
use gen_lsp_types as lsp;
use slipform_analysis::ide::{self, Completion, CompletionKind, PatchPlace};
use slipform_source::Span;
use slipform_targets::coverage::has_document;
use slipform_targets::patchable;
use slipform_targets::schema::InsideField;

/// What a word of a `patch` block is to the consumer: the document, a key, or the key that a value is given to.
pub(super) fn hover(server: &Server, spot: &Spot) -> Option<lsp::Hover> {
    let (analysis, file) = (&spot.place.analysis, spot.place.file);
    let place = ide::patch_place(analysis, file, spot.offset)?;
    let word = if place.quoted {
        place.replace.range()
    } else {
        ide::word_at(&spot.place.source.text, spot.offset)?
    };
    let written = spot.place.source.text.get(word.clone())?;
    let lines = match &place.document {
        None => of_document(&place.kind, written)?,
        Some(document) => {
            let mut path = place.path.clone();
            if !place.value {
                path.push(written.to_owned());
            }
            of_key(document, &path)?
        }
    };
    let span = Span::new(file, word.start, word.end);
    let range = convert::range(&spot.place.source, span, server.settings.encoding);
    Some(convert::hover(lines.join("\n\n"), range))
}

/// The consumer's page of the document or the key at a place of a `patch` block.
pub(super) fn page(spot: &Spot) -> Option<String> {
    let place = ide::patch_place(&spot.place.analysis, spot.place.file, spot.offset)?;
    let mut path = place.path.clone();
    let Some(document) = &place.document else {
        let word = ide::word_at(&spot.place.source.text, spot.offset)?;
        let document = spot.place.source.text.get(word)?;
        patchable::documents(&place.kind).find(|known| *known == document)?;
        return patchable::page(document, &[]);
    };
    if !place.value && !place.quoted {
        let word = ide::word_at(&spot.place.source.text, spot.offset)?;
        path.push(spot.place.source.text.get(word)?.to_owned());
    }
    patchable::page(document, &path)
}

fn of_document(kind: &str, document: &str) -> Option<Vec<String>> {
    patchable::documents(kind).find(|known| *known == document)?;
    let needed = patchable::at(document, &[]).fields.into_iter().filter(|field| field.required);
    let needed: Vec<String> = needed.map(|field| format!("`{}`", field.name)).collect();
    let mut lines = vec![
        format!("```bp\npatch {document}\n```"),
        format!("a document that a {kind} is rendered to; its fields are the consumer's own"),
    ];
    if !needed.is_empty() {
        lines.push(format!("refused without {}", needed.join(", ")));
    }
    lines.extend(described(document, &[]));
    Some(lines)
}

/// The way to the consumer's own words.
fn described(document: &str, path: &[String]) -> Option<String> {
    let page = patchable::page(document, path)?;
    Some(format!("[described by the consumer]({page})"))
}

fn of_key(document: &str, path: &[String]) -> Option<Vec<String>> {
    let (key, around) = path.split_last()?;
    let inside = patchable::at(document, around);
    let title = |kind| vec![format!("```bp\n{key}\n```"), format!("{}: {kind}", path.join("."))];
    if let Some(kind) = inside.under_each_key {
        let mut lines = title(kind);
        lines.push("a key of one's own".to_owned());
        lines.extend(described(document, path));
        return Some(lines);
    }
    let field = inside.fields.iter().find(|field| field.name == key.as_str())?;
    let mut lines = title(field.kind);
    lines.extend(of_field(document, path, field));
    Some(lines)
}

/// What is told of a field besides its type.
fn of_field(document: &str, path: &[String], field: &InsideField) -> Vec<String> {
    let mut lines = Vec::new();
    let around = path.iter().rev().nth(1);
    if field.required {
        let whole = around.map_or(document, String::as_str);
        lines.push(format!("`{whole}` is refused without it"));
    }
    match patchable::option(document, &field.name) {
        Some(option) => lines.push(option),
        None => {
            let words = patchable::at(document, path).words.into_iter();
            let words = words.filter(|word| !word.is_empty()).map(|word| format!("`{word}`"));
            let words: Vec<String> = words.collect();
            if !words.is_empty() {
                lines.push(format!("one of {}", words.join(", ")));
            }
        }
    }
    lines.extend(field.default.map(|default| format!("where it is left out: `{default}`")));
    lines.extend(described(document, path));
    lines
}

/// What no patch says of a document: what it is, which follows, and how many there are of it.
const NEVER_PATCHED: [&str; 6] = ["apiVersion", "kind", "id", "for_each", "count", "provider"];

/// What few patches are about.
const LAST_PATCHED: [&str; 2] = ["metadata", "status"];

/// What may stand at a place of a `patch` block.
pub(super) fn completions(place: &PatchPlace) -> Vec<Completion> {
    let Some(document) = &place.document else {
        let platform = place.platform.as_deref();
        let has = |name: &&str| platform.is_none_or(|it| has_document(&place.kind, it, name));
        return patchable::documents(&place.kind)
            .filter(has)
            .map(|name| item(place, name, CompletionKind::Kind, format!("{name} {{\n  $0\n\\}}")))
            .collect();
    };
    let inside = patchable::at(document, &place.path);
    if place.value {
        let words = inside.words.into_iter();
        return words
            .map(|word| {
                let text = if place.quoted { word.to_owned() } else { format!("\"{word}\"") };
                item(place, &text, CompletionKind::Value, text.clone())
            })
            .collect();
    }
    // of the document itself everything is there that it is refused without, and nothing that only whoever makes it says
    let whole = place.path.is_empty();
    let set = |field: &InsideField| whole && NEVER_PATCHED.contains(&&*field.name);
    let new = |field: &InsideField| {
        !set(field) && !place.written.iter().any(|known| *known == field.name)
    };
    let field = |field: InsideField| {
        let value = if field.holds_fields { "{ $0 \\}" } else { "$0" };
        let insert = format!("{} = {value}", field.name);
        let required = if field.required && !whole { ", required" } else { "" };
        let path: Vec<String> =
            place.path.iter().cloned().chain([field.name.clone().into_owned()]).collect();
        Completion {
            detail: format!("{}{required}", field.kind),
            doc: Some(of_field(document, &path, &field).join("\n\n").into()),
            rank: u8::from(if whole {
                LAST_PATCHED.contains(&&*field.name)
            } else {
                !field.required
            }),
            ..item(place, &field.name, CompletionKind::Field, insert)
        }
    };
    let mut found: Vec<Completion> = inside.fields.into_iter().filter(new).map(field).collect();
    found.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    found
}

fn item(place: &PatchPlace, label: &str, kind: CompletionKind, insert: String) -> Completion {
    Completion {
        label: label.to_owned(),
        kind,
        detail: String::new(),
        doc: None,
        insert,
        replace: place.replace,
        filter: label.to_owned(),
        rank: 0,
        near: 0,
    }
}
