//! Facts of the catalog that a blueprint asked for by their names.

use crate::catalog::{TABLES, source_of};
use serde::Serialize;
use serde_json::Value;
use slipform_model::catalog::Catalog;

/// A row of the catalog.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(super) struct Fact {
    /// `machines`
    pub(super) table: &'static str,
    /// `a3-megagpu-8g`
    pub(super) row: String,
    /// What of it stands in the line: `accelerator.gke_label = nvidia-h100-mega-80gb`.
    pub(super) said: Vec<String>,
    /// When it was stated.
    pub(super) date: String,
    /// By whom.
    pub(super) sources: Vec<String>,
}

/// The rows that have one of some names, and those that they lead to whose words stand in the line.
pub(super) fn facts(catalog: &Catalog, names: &[String], line: &str) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for name in names {
        for (fact, row) in rows(catalog, name, line) {
            let mut led = Vec::new();
            leaves("", &row, &mut |_, text| led.extend(rows(catalog, text, line)));
            let led = led.into_iter().map(|(fact, _)| fact).filter(|fact| !fact.said.is_empty());
            for fact in std::iter::once(fact).chain(led) {
                if !found.iter().any(|known| (known.table, &known.row) == (fact.table, &fact.row)) {
                    found.push(fact);
                }
            }
        }
    }
    found
}

fn rows(catalog: &Catalog, name: &str, line: &str) -> Vec<(Fact, Value)> {
    let row = |table: &'static crate::catalog::Table| {
        let row = (table.row)(catalog, name)?;
        let mut said = Vec::new();
        leaves("", &row, &mut |path, text| {
            if is_about_itself(path) || text == name || !has_word(line, text) {
                return;
            }
            said.push(format!("{path} = {text}"));
        });
        let (date, sources) = source_of(&row, catalog);
        Some((Fact { table: table.name, row: name.to_owned(), said, date, sources }, row))
    };
    TABLES.iter().filter_map(row).collect()
}

fn is_about_itself(path: &str) -> bool {
    ["source", "date", "confidence", "notes"].iter().any(|it| path.split('.').next() == Some(it))
}

/// Calls `on` with every text in a row: numbers and truths are no sign that a line came of them.
fn leaves(path: &str, value: &Value, on: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(&path, value, on);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(path, item, on)),
        Value::String(text) => on(path, text),
        _ => {}
    }
}

/// Whether a text stands in a line as a word of its own.
fn has_word(line: &str, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.len() > 3
        && line.match_indices(text).any(|(at, found)| {
            let before = line.get(..at).and_then(|head| head.chars().next_back());
            let behind = line.get(at + found.len()..).and_then(|tail| tail.chars().next());
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
}
