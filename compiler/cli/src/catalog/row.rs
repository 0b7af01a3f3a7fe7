//! One row in full: a line a fact, then where it comes from.

use serde_json::Value;
use slipform_model::catalog::Catalog;
use std::fmt::Write;

/// Facts that are not recorded are left out.
pub(super) fn text(row: &Value, catalog: &Catalog) -> String {
    let mut facts = Vec::new();
    flatten("", row, &mut facts);
    let is_about_itself = |name: &str| matches!(name, "source" | "date" | "confidence" | "notes");
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, value) in facts.iter().filter(|(name, _)| !is_about_itself(name)) {
        let _ = writeln!(out, "{name:<width$}  {value}");
    }
    for note in strings(row, "notes") {
        let _ = writeln!(out, "\nnote: {note}");
    }
    let (date, sources) = source_of(row, catalog);
    let _ = writeln!(out, "\nstated {date}, confidence {}", word(row, "confidence"));
    for source in sources {
        let _ = writeln!(out, "source: {source}");
    }
    out
}

/// When a row was stated, and its sources, each with its own date.
pub(crate) fn source_of(row: &Value, catalog: &Catalog) -> (String, Vec<String>) {
    let sources = strings(row, "source").filter_map(|key| {
        let source = catalog.source(key)?;
        let date = source.date.as_ref().map_or(String::new(), |date| format!(", {date}"));
        Some(format!("{}{date}", source.name))
    });
    (word(row, "date"), sources.collect())
}

fn word(row: &Value, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or("unknown").to_owned()
}

fn strings<'a>(row: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    row.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// `network.gpu_nics  8`
fn flatten(name: &str, value: &Value, facts: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, value, facts);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) if items.iter().all(|item| item.is_object()) => {
            for item in items {
                facts.push((name.to_owned(), item_text(item)));
            }
        }
        Value::Array(items) => {
            facts.push((name.to_owned(), items.iter().map(plain).collect::<Vec<_>>().join(", ")))
        }
        other => facts.push((name.to_owned(), plain(other))),
    }
}

fn item_text(item: &Value) -> String {
    let mut facts = Vec::new();
    flatten("", item, &mut facts);
    facts.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}
