//! Help in `catalog.local.toml`: the tables and words that facts have, and what they say without the project's own.

use super::complete::{Completion, CompletionKind};
use super::project_file::{item, key, text};
use super::toml_place::{TomlPlace, What};
use super::{Hover, cards, show};
use crate::Analysis;
use crate::project::LOCAL_CATALOG;
use slipform_model::catalog::{Catalog, TableForm};
use slipform_source::FileId;

/// How many values of other rows are offered.
const MOST_VALUES: usize = 40;

/// What is known of a word of the file: of a row, and of what the compiler's catalog says there.
pub(super) fn hover(analysis: &Analysis, file: FileId, offset: usize) -> Option<Hover> {
    let place = TomlPlace::of(analysis, file, offset, LOCAL_CATALOG)?;
    let parts = match &place.what {
        What::Table => vec![of_table(&form(place.written)?)],
        What::Key { .. } => of_word(&place, &format!("{}{}", place.before, place.written))?,
        What::Value { key, .. } => {
            let form = form(place.table.first()?)?;
            match form.key == Some(*key) || *key == "like" {
                true => vec![cards::named(&analysis.catalog, place.written)?],
                false => of_word(&place, key)?,
            }
        }
    };
    Some(Hover { span: place.span(), markdown: parts.join("\n\n") })
}

fn of_table(form: &TableForm) -> String {
    let table = form.table;
    match form.key {
        Some(key) => format!(
            "`[[{table}]]` adds a row, or corrects the one of the same `{key}`; {} are known.",
            form.rows.len()
        ),
        None => format!("`[{table}]` corrects facts that the catalog has once."),
    }
}

/// What the compiler's catalog says where the project says something of its own.
fn of_word(place: &TomlPlace<'_>, word: &str) -> Option<Vec<String>> {
    let form = form(place.table.first()?)?;
    let name = form.key.and_then(|key| place.given(key)).unwrap_or_default();
    let like = place.given("like").unwrap_or(name);
    let said = Catalog::builtin()
        .said_of(form.table, if form.rows.iter().any(|it| it == name) { name } else { like });
    let inside = format!("{word}.");
    let under: Vec<String> = said
        .into_iter()
        .filter(|(path, value)| (path == word || path.starts_with(&inside)) && !value.is_empty())
        .map(|(path, value)| format!("{path} = {value}"))
        .collect();
    if under.is_empty() {
        let known = form.words.iter().any(|it| it == word || it.starts_with(&inside));
        return known.then(|| vec![show::code(&format!("{}.{word}", form.table))]);
    }
    Some(vec![format!("The compiler's catalog says:\n```toml\n{}\n```", under.join("\n"))])
}

/// What may stand at a place of the file.
pub(super) fn complete(analysis: &Analysis, file: FileId, offset: usize) -> Vec<Completion> {
    let Some(place) = TomlPlace::of(analysis, file, offset, LOCAL_CATALOG) else {
        return Vec::new();
    };
    let here = |table: &[&str]| table.first().and_then(|table| form(table));
    match (&place.what, place.table.as_slice()) {
        (What::Table, []) => Catalog::builtin()
            .forms()
            .iter()
            .map(|form| Completion {
                doc: Some(of_table(form).into()),
                ..item(&place, form.table, CompletionKind::Kind)
            })
            .collect(),
        // above all tables the first of them begins
        (What::Key { follows: false }, []) => Catalog::builtin()
            .forms()
            .iter()
            .map(|form| {
                let header = match form.key {
                    Some(key) => format!("[[{}]]\n{key} = \"$1\"\n", form.table),
                    None => format!("[{}]\n", form.table),
                };
                let doc = Some(of_table(form).into());
                Completion { doc, insert: header, ..item(&place, form.table, CompletionKind::Kind) }
            })
            .collect(),
        (What::Key { follows }, table) => {
            here(table).map(|form| words(&place, &form, *follows)).unwrap_or_default()
        }
        (What::Value { key, quoted }, table) => {
            let Some(form) = here(table) else { return Vec::new() };
            if form.key != Some(*key) && *key != "like" {
                return values(&place, &form, key, *quoted);
            }
            form.rows.iter().map(|name| text(&place, name, *quoted)).collect()
        }
        (What::Table, _) => Vec::new(),
    }
}

/// The words that a row may have: its name first, then what it starts from.
fn words(place: &TomlPlace<'_>, form: &TableForm, follows: bool) -> Vec<Completion> {
    let name = form.key.and_then(|key| place.given(key)).unwrap_or_default();
    let said = Catalog::builtin().said_of(form.table, name);
    let like = form.key.is_some().then_some("like");
    let all = like.into_iter().chain(form.words.iter().map(String::as_str));
    let free = all.filter(|word| !place.has(word));
    let words = free.filter_map(|word| {
        let rest = word.strip_prefix(place.before)?;
        let value = said.iter().find(|(path, _)| path == word).map(|(_, value)| value.as_str());
        let is_name = form.key == Some(word) || word == "like";
        let insert = if is_name { "\"$0\"" } else { "$0" };
        let rank = if form.key == Some(word) { 0 } else { 1 + u8::from(word != "like") };
        let detail = value.unwrap_or_default().to_owned();
        Some(Completion { detail, rank, ..key(place, rest, insert, follows) })
    });
    words.collect()
}

/// What other rows say there.
fn values(place: &TomlPlace<'_>, form: &TableForm, key: &str, quoted: bool) -> Vec<Completion> {
    let known = Catalog::builtin().values_of(form.table, key);
    let said = known.iter().take(MOST_VALUES).enumerate().filter_map(|(at, value)| {
        let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let item = match inner {
            Some(inner) => text(place, inner, quoted),
            None if quoted => return None,
            None => item(place, value, CompletionKind::Value),
        };
        Some(Completion { rank: u8::try_from(at).unwrap_or(u8::MAX), ..item })
    });
    said.collect()
}

/// The table of a name, where files have such.
fn form(table: &str) -> Option<TableForm> {
    Catalog::builtin().forms().into_iter().find(|form| form.table == table)
}
