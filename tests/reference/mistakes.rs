//! The page of known mistakes: each row says what meets it, in words that can be looked up.

use slipform::Console;
use slipform_tests::{files, root};
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = "docs/explanation/mistakes.md";

/// The tables of the page, and how many mistakes each has: one that is left out is missed.
const TABLES: &[(&str, usize)] = &[
    ("On every platform", 65),
    ("What Terraform's provider asks for", 44),
    ("What Cluster Toolkit checks of node pools", 28),
    ("What JobSet's webhook refuses", 16),
    ("On Kubernetes", 38),
    ("On Slurm", 21),
    ("What sbatch takes without a word", 21),
    ("On Vertex AI", 15),
    ("Facts that are easily taken for others", 23),
    ("What commands say", 48),
];

struct Row {
    table: String,
    number: usize,
    met: String,
}

fn rows(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut table = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut table);
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", number, _mistake, met, ""] = cells.as_slice()
            && let Ok(number) = number.parse()
        {
            rows.push(Row { table: table.clone(), number, met: (*met).to_owned() });
        }
    }
    rows
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_code(word: &str) -> bool {
    let small = |part: &str| {
        part.bytes().all(|it| it.is_ascii_lowercase() || it == b'-' || it.is_ascii_digit())
    };
    word.split_once('/').is_some_and(|(area, name)| small(area) && small(name))
}

/// Every code that the compiler reports.
fn codes() -> BTreeSet<String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["slipform", "explain"].map(Into::into);
    slipform::run(args, &mut Console::new(&mut out, &mut err), root().as_std_path());
    let listed = String::from_utf8(out).unwrap_or_default();
    listed.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Every word of the language's library.
fn library() -> BTreeSet<String> {
    let texts = files("stdlib/kinds", ".bp")
        .into_iter()
        .map(|path| fs::read_to_string(root().join(path)).unwrap_or_default());
    texts
        .flat_map(|text| {
            let word = |it: char| !it.is_ascii_alphanumeric() && it != '_';
            text.split(word).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// What is wrong with how a row says that its mistake is met.
fn wrong(row: &Row, codes: &BTreeSet<String>, library: &BTreeSet<String>) -> Option<String> {
    let unknown = quoted(&row.met).find(|word| is_code(word) && !codes.contains(*word));
    if let Some(unknown) = unknown {
        return Some(format!("nobody reports `{unknown}`"));
    }
    if row.met.starts_with("cannot be written") {
        let word = quoted(&row.met).find(|word| !is_code(word));
        let known = word.is_some_and(|word| library.contains(word.trim_matches('"')));
        return (!known).then(|| "it needs the word that leaves no room for it".to_owned());
    }
    let reasoned = row.met.starts_with("not met") && row.met.len() > 24;
    let met = row.met.starts_with("never rendered") || quoted(&row.met).any(is_code);
    (!met && !reasoned).then(|| "it needs a code, or a reason why there is none".to_owned())
}

#[test]
fn every_known_mistake_is_met_or_has_a_reason() {
    let rows = rows(&fs::read_to_string(root().join(PAGE)).unwrap());
    let (codes, library) = (codes(), library());
    assert!(codes.len() > 500, "{} codes", codes.len());
    let mut mistakes = Vec::new();
    for (table, count) in TABLES {
        let numbers: Vec<usize> =
            rows.iter().filter(|row| row.table == *table).map(|row| row.number).collect();
        if numbers != (1..=*count).collect::<Vec<_>>() {
            mistakes.push(format!("{table}: its rows are {numbers:?}, not 1 to {count}"));
        }
    }
    for row in &rows {
        let known = TABLES.iter().any(|(table, _)| row.table == *table);
        let found = if known { wrong(row, &codes, &library) } else { Some("no such table".into()) };
        if let Some(found) = found {
            mistakes.push(format!("{}, {}: {found}: {}", row.table, row.number, row.met));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
