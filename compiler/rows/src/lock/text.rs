//! How facts are written: one a line, in the order of their types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use toml::Value;

use super::{FORM, HEAD, Writer};
use crate::facts::{Fact, below};

/// A list that is longer has a line for each of its items.
const WIDTH: usize = 110;

/// What stands above the rows. Its digest is still to be put in.
pub(super) fn head(writer: &Writer, unset: &BTreeMap<&'static str, BTreeSet<String>>) -> String {
    let mut text = format!("{HEAD}version = {FORM}\n");
    let words = [
        ("slipform", &writer.slipform),
        ("edition", &writer.edition),
        ("catalog", &writer.catalog),
    ];
    for (name, word) in words {
        let _ = writeln!(text, "{name} = {}", quoted(word));
    }
    text.push_str("digest = \"\"\n\n# Facts that rows of a table may be without: what is not named here, and not said, was not known.\n[unset]\n");
    for (table, paths) in unset.iter().filter(|(_, paths)| !paths.is_empty()) {
        let paths = Value::Array(paths.iter().cloned().map(Value::String).collect());
        line(&mut text, table, &paths);
    }
    text
}

/// A row or a sheet below its header.
pub(super) fn entry(header: &str, fact: &Fact) -> String {
    let mut text = format!("{header}\n");
    facts(&mut text, "", fact);
    text.truncate(text.trim_end().len());
    text
}

fn facts(text: &mut String, path: &str, fact: &Fact) {
    match fact {
        Fact::Unset => {}
        Fact::Plain(value) => line(text, path, value),
        Fact::Words(words) if path.is_empty() || words.iter().any(|(_, it)| *it != Fact::Unset) => {
            for (name, fact) in words {
                facts(text, &below(path, name), fact);
            }
        }
        Fact::Words(_) => line(text, path, &Value::Table(toml::Table::new())),
    }
}

/// Paths of what a row has none of.
pub(super) fn unset(path: &str, fact: &Fact, found: &mut BTreeSet<String>) {
    fact.leaves(path, &mut |path, fact| {
        if *fact == Fact::Unset {
            found.insert(path.to_owned());
        }
    });
}

fn line(text: &mut String, path: &str, value: &Value) {
    let whole = inline(value);
    match value {
        Value::Array(items)
            if path.len() + whole.len() > WIDTH || items.iter().any(Value::is_table) =>
        {
            let _ = writeln!(text, "{path} = [");
            for item in items {
                let _ = writeln!(text, "  {},", inline(item));
            }
            text.push_str("]\n");
        }
        _ => {
            let _ = writeln!(text, "{path} = {whole}");
        }
    }
}

/// A value in one line.
pub fn inline(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", list(items.iter().map(inline).collect())),
        Value::Table(table) if table.is_empty() => "{}".to_owned(),
        Value::Table(table) => {
            let pair =
                |(name, value): (&String, &Value)| format!("{} = {}", key(name), inline(value));
            format!("{{ {} }}", list(table.iter().map(pair).collect()))
        }
        Value::Float(number) => format!("{number:?}"),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A text in one line, whatever is in it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
