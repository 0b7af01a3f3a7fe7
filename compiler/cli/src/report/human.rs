//! Diagnostics with the lines that they speak of. The only file that knows miette, which draws the snippets.
//!
//! A report costs the same wherever in a file it points: lines are found through the index of the file, and lines of any
//! length are cut around the place that is meant.

use super::{Places, clean, is_unsafe};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};
use slipform_model::{Diagnostic, Label, Severity};
use slipform_source::{Encoding, FileId, SourceFile, Span};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Reports a file; what is beyond is counted.
const MAX_A_FILE: usize = 50;

/// Lines of a place that are drawn; of a longer one, the first.
const MAX_LINES: u32 = 6;

/// Bytes of a line that are drawn whole, and bytes on either side of a place in a longer one.
const MAX_LINE: usize = 240;
const AROUND: usize = 60;

/// Every report, an empty line behind each.
pub(super) fn render(places: &Places<'_>, diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut pen = Pen { places, colour, drawing: drawing(colour), texts: BTreeMap::new() };
    let mut seen: BTreeMap<Option<FileId>, usize> = BTreeMap::new();
    let mut out = String::new();
    for diagnostic in diagnostics {
        let count = seen.entry(diagnostic.span().map(|span| span.file)).or_default();
        *count += 1;
        if *count <= MAX_A_FILE {
            pen.report(&mut out, diagnostic);
        }
    }
    for (file, count) in seen {
        let path = file.and_then(|id| Some(places.shown(id, places.sources.get(id)?)));
        if let (true, Some(path)) = (count > MAX_A_FILE, path) {
            let _ = writeln!(out, "... and {} more in {path}\n", count - MAX_A_FILE);
        }
    }
    out
}

fn drawing(colour: bool) -> GraphicalReportHandler {
    let styles = if colour { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let theme = GraphicalTheme { characters: ThemeCharacters::unicode(), styles };
    GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(0)
}

struct Pen<'a> {
    places: &'a Places<'a>,
    colour: bool,
    drawing: GraphicalReportHandler,
    /// Texts that are safe to show, by file.
    texts: BTreeMap<FileId, Cow<'a, str>>,
}

impl Pen<'_> {
    fn report(&mut self, out: &mut String, diagnostic: &Diagnostic) {
        self.head(out, diagnostic);
        let mut files: Vec<FileId> = Vec::new();
        for label in &diagnostic.labels {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        for id in files {
            let labels = diagnostic.labels.iter().filter(|label| label.span.file == id);
            self.snippet(out, id, &labels.collect::<Vec<_>>(), diagnostic.severity);
        }
        for help in &diagnostic.help {
            let word = self.styled("help:", "36");
            let _ = writeln!(out, "  {word} {}", in_lines(help));
        }
        out.push('\n');
    }

    fn head(&self, out: &mut String, diagnostic: &Diagnostic) {
        let colour = match diagnostic.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Advice => "1;36",
        };
        let head =
            self.styled(&format!("{}[{}]", diagnostic.severity.word(), diagnostic.code), colour);
        let message = self.styled(&in_lines(&diagnostic.message), "1");
        let _ = writeln!(out, "{head}: {message}");
    }

    fn styled(&self, text: &str, style: &str) -> String {
        if self.colour { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// The places in one file.
    fn snippet(&mut self, out: &mut String, id: FileId, labels: &[&Label], severity: Severity) {
        let Some(file) = self.places.sources.get(id) else { return };
        if file.text.is_empty() {
            let _ = writeln!(out, "   ╭─[{}]\n   ╰────", self.places.shown(id, file));
            return;
        }
        let text = self.texts.entry(id).or_insert_with(|| harmless(&file.text));
        let source = Text { name: self.places.shown(id, file), text, file };
        let mut drawn: Vec<LabeledSpan> = Vec::new();
        let mut far: Vec<&Label> = Vec::new();
        for label in labels {
            let span = source.short(label.span);
            match drawn.iter().any(|other| source.is_far(other, &span)) {
                true => far.push(label),
                false => drawn.push(source.label(&span, &label.text, drawn.is_empty())),
            }
        }
        let report = Snippet { labels: drawn, source: &source, severity };
        let mut text = String::new();
        if self.drawing.render_report(&mut text, &report).is_ok() {
            // The first line is where miette would put the message, which stands in the head already.
            out.push_str(text.split_once('\n').map_or("", |(_, rest)| rest));
        }
        for label in far {
            if let Some((path, line, column)) = self.places.position(label.span) {
                let _ = writeln!(out, "   {path}:{line}:{column}: {}", in_lines(&label.text));
            }
        }
    }
}

/// A text of which no line but the first begins one: workflows obey lines that begin with two colons, whatever blanks are before.
fn in_lines(text: &str) -> String {
    clean(text).replace('\n', "\n  | ")
}

/// The text with one `?` for each byte that a terminal would obey: offsets stay.
fn harmless(text: &str) -> Cow<'_, str> {
    let bare_return = |at: usize| text.as_bytes().get(at + 1).is_none_or(|next| *next != b'\n');
    let is_bad = |at: usize, c: char| is_unsafe(c) && (c != '\r' || bare_return(at));
    if !text.char_indices().any(|(at, c)| is_bad(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match is_bad(at, c) {
            true => safe.extend(std::iter::repeat_n('?', c.len_utf8())),
            false => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// A text that finds its lines by index.
struct Text<'a> {
    name: String,
    text: &'a str,
    file: &'a SourceFile,
}

impl Text<'_> {
    /// The part of a place that is drawn.
    fn short(&self, span: Span) -> Span {
        let lines = self.file.lines();
        let first = lines.line(span.start as usize);
        let whole = lines.range(first);
        let mut end = (span.end as usize).min(self.text.len());
        if lines.line(end) >= first + MAX_LINES {
            end = whole.end.saturating_sub(1).max(span.start as usize);
        }
        let long = end.saturating_sub(span.start as usize) > MAX_LINE && lines.line(end) == first;
        if long {
            end = self.boundary(span.start as usize + AROUND);
        }
        Span::new(span.file, span.start as usize, end)
    }

    /// Whether a place is on the long line of another but not near it: one cut cannot show both.
    fn is_far(&self, other: &LabeledSpan, span: &Span) -> bool {
        let lines = self.file.lines();
        let line = lines.line(span.start as usize);
        let same = line == lines.line(other.offset());
        same && lines.range(line).len() > MAX_LINE
            && other.offset().abs_diff(span.start as usize) > AROUND
    }

    fn label(&self, span: &Span, text: &str, primary: bool) -> LabeledSpan {
        let text = (!text.is_empty()).then(|| clean(text));
        let place = SourceSpan::new((span.start as usize).into(), span.range().len());
        match primary {
            true => LabeledSpan::new_primary_with_span(text, place),
            false => LabeledSpan::new_with_span(text, place),
        }
    }

    /// The last character boundary at or before an offset.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl SourceCode for Text<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let lines = self.file.lines();
        let (first, last) = (lines.line(start), lines.line(end));
        let mut from = lines.range(first).start;
        let mut to = lines.range(last).end;
        if start - from > MAX_LINE {
            from = self.boundary(start - AROUND);
        }
        if to.saturating_sub(end) > MAX_LINE {
            to = self.boundary(end + AROUND);
        }
        let data = self.text.get(from..to).ok_or(MietteError::OutOfBounds)?;
        let column = lines.position(self.text, start, Encoding::Chars).column as usize;
        let place = SourceSpan::new(from.into(), to - from);
        let count = (last - first) as usize + 1;
        let contents = MietteSpanContents::new_named(
            self.name.clone(),
            data.as_bytes(),
            place,
            first as usize,
            column,
            count,
        );
        Ok(Box::new(contents))
    }
}

/// What miette is asked to draw: places, without a message.
#[derive(Debug)]
struct Snippet<'a> {
    labels: Vec<LabeledSpan>,
    source: &'a Text<'a>,
    severity: Severity,
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl std::fmt::Display for Snippet<'_> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet<'_> {}

impl miette::Diagnostic for Snippet<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Advice => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
