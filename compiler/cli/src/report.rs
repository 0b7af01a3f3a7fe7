//! Diagnostics on their way out: for people, for editors and logs, for programs. How they read is decided in the
//! submodules; which streams they go to, here.

mod findings;
pub(crate) mod forges;
mod human;
mod json;
mod sarif;
mod short;
pub(crate) mod words;

use crate::Console;
use crate::args::MessageFormat;
use camino::Utf8Path;
use slipform_model::{Diagnostic, Severity};
use slipform_source::{Encoding, FileId, SourceFile, Sources, Span};
use std::sync::Arc;

/// The texts that diagnostics point into, and how their files are called.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) sources: &'a Sources,
    /// What stands before the path of every file that is the user's.
    pub(crate) base: &'a Utf8Path,
    /// The files of the standard library come first; so many are not the user's.
    pub(crate) library: usize,
}

impl<'a> Places<'a> {
    fn file(&self, span: Span) -> Option<&'a Arc<SourceFile>> {
        self.sources.get(span.file)
    }

    /// Whether a text is a value of the command line.
    fn is_setting(file: &SourceFile) -> bool {
        file.path.as_str().starts_with("--set ")
    }

    /// A file as the user knows it.
    fn shown(&self, id: FileId, file: &SourceFile) -> String {
        let is_virtual = (id.0 as usize) < self.library || Self::is_setting(file);
        let path = match is_virtual || self.base.as_str().is_empty() {
            true => file.path.clone(),
            false if file.path.as_str().is_empty() => self.base.to_owned(),
            false => self.base.join(&file.path),
        };
        match path.as_str() {
            "" => ".".to_owned(),
            // a line of a log that a name begins could be a command to who reads it
            path => clean(path).replace('\n', "\\u{a}"),
        }
    }

    /// `path:line:column` of an offset, both counted from one, columns in characters.
    pub(crate) fn position(&self, span: Span) -> Option<(String, u32, u32)> {
        let file = self.file(span)?;
        let at = file.lines().position(&file.text, span.start as usize, Encoding::Chars);
        Some((self.shown(span.file, file), at.line + 1, at.column + 1))
    }
}

/// What was found in one set of texts.
pub(crate) struct Found<'a> {
    /// The texts.
    pub(crate) places: Places<'a>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reports diagnostics that point into sources: all that was found, in every environment, at once, since a format may be
/// one document.
pub(crate) fn located(console: &mut Console<'_>, format: MessageFormat, found: &[Found<'_>]) {
    let found: Vec<&Found<'_>> = found.iter().filter(|it| !it.diagnostics.is_empty()).collect();
    if format.is_document() {
        let text = text(format, &found, false);
        return console.print(&text);
    }
    if found.is_empty() {
        return;
    }
    let text = text(format, &found, console.colour_err);
    console.note(&text);
}

fn text(format: MessageFormat, found: &[&Found<'_>], colour: bool) -> String {
    let each = found.iter().copied();
    let lines = |line: fn(&Places<'_>, &Diagnostic) -> String| {
        let lines = each.clone().flat_map(|it| it.diagnostics.iter().map(|one| (&it.places, one)));
        lines.map(|(places, one)| line(places, one)).collect()
    };
    match format {
        // a comment is of changes, and problems are beside it
        MessageFormat::Human | MessageFormat::Markdown => {
            each.clone().map(|it| human::render(&it.places, &it.diagnostics, colour)).collect()
        }
        MessageFormat::Short => lines(short::line),
        MessageFormat::Json => lines(json::line),
        MessageFormat::Sarif => sarif::document(&findings::findings(found)),
        MessageFormat::Github => forges::github(&findings::findings(found)),
        MessageFormat::Gitlab => forges::gitlab(&findings::findings(found)),
        MessageFormat::Junit => forges::junit(&findings::findings(found)),
        MessageFormat::Rdjson => forges::rdjson(&findings::findings(found)),
    }
}

/// Diagnostics with the lines that they speak of.
pub(crate) fn drawn(places: &Places<'_>, diagnostics: &[Diagnostic], colour: bool) -> String {
    human::render(places, diagnostics, colour)
}

/// A diagnostic for programs.
pub(crate) fn object(places: &Places<'_>, diagnostic: &Diagnostic) -> serde_json::Value {
    json::object(places, diagnostic)
}

/// Reports diagnostics that belong to no source: beside a document, which is of sources.
pub(crate) fn plain(console: &mut Console<'_>, format: MessageFormat, diagnostics: &[Diagnostic]) {
    let format = if format.is_document() { MessageFormat::Short } else { format };
    let places = Places { sources: &Sources::default(), base: Utf8Path::new(""), library: 0 };
    located(console, format, &[Found { places, diagnostics: diagnostics.to_vec() }]);
}

/// The closing line: `checked train.bp: 2 errors, 1 warning`. Programs count for themselves.
pub(crate) fn summary(
    console: &mut Console<'_>,
    format: MessageFormat,
    what: &str,
    diagnostics: &[Diagnostic],
) {
    progress(console, format, &format!("{what}: {}", counted(diagnostics)));
}

/// A line for people about what was done.
pub(crate) fn progress(console: &mut Console<'_>, format: MessageFormat, line: &str) {
    if format != MessageFormat::Json {
        console.note(&format!("{line}\n"));
    }
}

fn counted(diagnostics: &[Diagnostic]) -> String {
    let words = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Advice, "piece of advice"),
    ];
    let mut parts = Vec::new();
    for (severity, word) in words {
        match diagnostics.iter().filter(|it| it.severity == severity).count() {
            0 => {}
            1 => parts.push(format!("1 {word}")),
            count if severity == Severity::Advice => {
                parts.push(format!("{count} pieces of advice"))
            }
            count => parts.push(format!("{count} {word}s")),
        }
    }
    if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") }
}

/// A text without characters that a terminal would obey or that reorder what is read; they are shown as escapes.
pub(crate) fn clean(text: &str) -> String {
    if !text.contains(is_unsafe) {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) }
    }
    safe
}

fn is_unsafe(c: char) -> bool {
    let reorders =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    reorders || (c.is_control() && c != '\n' && c != '\t')
}
