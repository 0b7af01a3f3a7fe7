//! One JSON object a line. The keys are a promise to the programs that read them; new ones may be added.

use super::Places;
use serde::Serialize;
use serde_json::Value;
use slipform_model::Diagnostic;
use slipform_source::{Encoding, Span};

#[derive(Serialize)]
struct Report<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    /// The file of the primary place; null where there is none.
    file: Option<String>,
    range: Option<Range>,
    /// Every place, the primary one first.
    labels: Vec<Label<'a>>,
    help: &'a [String],
    fixes: Vec<Fix<'a>>,
}

#[derive(Serialize)]
struct Label<'a> {
    file: Option<String>,
    range: Option<Range>,
    message: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    file: Option<String>,
    range: Option<Range>,
    replacement: &'a str,
}

#[derive(Serialize)]
struct Range {
    start: Point,
    end: Point,
}

/// Lines and columns count from one, columns in characters; the offset counts bytes from zero.
#[derive(Serialize)]
struct Point {
    line: u32,
    column: u32,
    offset: usize,
}

pub(super) fn line(places: &Places<'_>, diagnostic: &Diagnostic) -> String {
    let mut line = object(places, diagnostic).to_string();
    line.push('\n');
    line
}

pub(super) fn object(places: &Places<'_>, diagnostic: &Diagnostic) -> Value {
    let labels: Vec<Label<'_>> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let (file, range) = place(places, label.span);
            Label { file, range, message: &label.text }
        })
        .collect();
    let (file, range) = diagnostic.span().map_or((None, None), |span| place(places, span));
    let fixes = diagnostic.fixes.iter().map(|fix| Fix {
        title: &fix.title,
        edits: fix.edits.iter().map(|(span, text)| edit(places, *span, text)).collect(),
    });
    let report = Report {
        code: &diagnostic.code,
        severity: diagnostic.severity.word(),
        message: &diagnostic.message,
        file,
        range,
        labels,
        help: &diagnostic.help,
        fixes: fixes.collect(),
    };
    serde_json::to_value(&report).unwrap_or_default()
}

fn edit<'a>(places: &Places<'_>, span: Span, replacement: &'a str) -> Edit<'a> {
    let (file, range) = place(places, span);
    Edit { file, range, replacement }
}

fn place(places: &Places<'_>, span: Span) -> (Option<String>, Option<Range>) {
    let Some(file) = places.file(span) else { return (None, None) };
    let point = |offset: u32| {
        let at = file.lines().position(&file.text, offset as usize, Encoding::Chars);
        Point { line: at.line + 1, column: at.column + 1, offset: offset as usize }
    };
    let range = Range { start: point(span.start), end: point(span.end) };
    (Some(places.shown(span.file, file)), Some(range))
}
