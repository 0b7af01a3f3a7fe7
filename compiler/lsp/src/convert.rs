//! Between spans and the protocol's ranges.

use crate::documents::Documents;
use crate::pages;
use crate::settings::Settings;
use gen_lsp_types as lsp;
use slipform_analysis::ide::{self, Completion, CompletionKind, Symbol, SymbolKind};
use slipform_model::{Diagnostic, Severity};
use slipform_source::{Encoding, Position, SourceFile, Sources, Span};
use std::borrow::Cow;
use std::ops::Range;

/// The range of a span in its file.
pub(crate) fn range(file: &SourceFile, span: Span, encoding: Encoding) -> lsp::Range {
    let at = |offset: u32| position(file.lines().position(&file.text, offset as usize, encoding));
    lsp::Range { start: at(span.start), end: at(span.end) }
}

fn position(position: Position) -> lsp::Position {
    lsp::Position { line: position.line, character: position.column }
}

/// The offset of a position in a file.
pub(crate) fn offset(file: &SourceFile, position: lsp::Position, encoding: Encoding) -> usize {
    let position = Position { line: position.line, column: position.character };
    file.lines().offset(&file.text, position, encoding)
}

/// The offsets of a range in a file: empty where it ends in front of its start.
pub(crate) fn offsets(file: &SourceFile, range: lsp::Range, encoding: Encoding) -> Range<usize> {
    let start = offset(file, range.start, encoding);
    start..offset(file, range.end, encoding).max(start)
}

/// The place of a span: in an open document, on the disk, or in the standard library.
pub(crate) fn location(
    span: Span,
    sources: &Sources,
    documents: &Documents,
    encoding: Encoding,
) -> Option<lsp::Location> {
    let file = sources.get(span.file)?;
    Some(lsp::Location { uri: documents.uri(&file.path)?, range: range(file, span, encoding) })
}

/// A diagnostic of the protocol; `None` where its primary place lies in no file.
pub(crate) fn diagnostic(
    diagnostic: &Diagnostic,
    sources: &Sources,
    documents: &Documents,
    settings: &Settings,
) -> Option<lsp::Diagnostic> {
    let encoding = settings.encoding;
    let (primary, others) = diagnostic.labels.split_first()?;
    let file = sources.get(primary.span.file)?;
    let is_idle = diagnostic.code == ide::NAMES_UNUSED.name;
    let severity = match diagnostic.severity {
        Severity::Advice if is_idle => lsp::DiagnosticSeverity::Hint,
        Severity::Error => lsp::DiagnosticSeverity::Error,
        Severity::Warning => lsp::DiagnosticSeverity::Warning,
        Severity::Advice => lsp::DiagnosticSeverity::Information,
    };
    let mut message = diagnostic.message.clone();
    if !primary.text.is_empty() {
        message.push_str(&format!("\n{}", primary.text));
    }
    for help in &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let related: Vec<lsp::DiagnosticRelatedInformation> = others
        .iter()
        .filter_map(|label| {
            let location = location(label.span, sources, documents, encoding)?;
            let message =
                if label.text.is_empty() { "see here".to_owned() } else { label.text.clone() };
            Some(lsp::DiagnosticRelatedInformation { location, message })
        })
        .collect();
    let page = if settings.opens { pages::address(&diagnostic.code) } else { None };
    Some(lsp::Diagnostic {
        range: range(file, primary.span, encoding),
        severity: Some(severity),
        code: Some(lsp::Code::String(diagnostic.code.to_string())),
        code_description: page.map(|href| lsp::CodeDescription { href }),
        source: Some("slipform".to_owned()),
        message: message.into(),
        related_information: (!related.is_empty()).then_some(related),
        tags: tag(diagnostic).map(|tag| vec![tag]),
        ..Default::default()
    })
}

/// What a report is shown as besides: nobody needs what it points at, or nobody can have it any more.
fn tag(diagnostic: &Diagnostic) -> Option<lsp::DiagnosticTag> {
    if diagnostic.code == ide::NAMES_UNUSED.name {
        return Some(lsp::DiagnosticTag::Unnecessary);
    }
    let is_retired = ide::RETIRED.contains(&&*diagnostic.code);
    is_retired.then_some(lsp::DiagnosticTag::Deprecated)
}

/// What is told of the word at the cursor.
pub(crate) fn hover(markdown: String, range: lsp::Range) -> lsp::Hover {
    let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: markdown };
    lsp::Hover { contents: contents.into(), range: Some(range) }
}

/// Edits by document; `None` where a file has no address.
pub(crate) fn workspace_edit(
    edits: &[(Span, String)],
    sources: &Sources,
    documents: &Documents,
    encoding: Encoding,
) -> Option<lsp::WorkspaceEdit> {
    let mut edit = lsp::WorkspaceEdit::default();
    let changes = edit.changes.get_or_insert_default();
    for (span, new_text) in edits {
        let lsp::Location { uri, range } = location(*span, sources, documents, encoding)?;
        let new_text = with_ends_of(&sources.get(span.file)?.text, new_text).into_owned();
        changes.entry(uri).or_default().push(lsp::TextEdit { range, new_text });
    }
    Some(edit)
}

/// An entry of the list of completions; `at` keeps its place in the list.
pub(crate) fn completion(
    at: usize,
    it: Completion,
    file: &SourceFile,
    settings: &Settings,
) -> lsp::CompletionItem {
    let kind = match it.kind {
        CompletionKind::Keyword => lsp::CompletionItemKind::Keyword,
        CompletionKind::Kind => lsp::CompletionItemKind::Struct,
        CompletionKind::Field => lsp::CompletionItemKind::Field,
        CompletionKind::Value => lsp::CompletionItemKind::EnumMember,
        CompletionKind::Constructor => lsp::CompletionItemKind::Constructor,
        CompletionKind::Function => lsp::CompletionItemKind::Function,
        CompletionKind::Name => lsp::CompletionItemKind::Variable,
        CompletionKind::Noun => lsp::CompletionItemKind::Reference,
        CompletionKind::Type => lsp::CompletionItemKind::Class,
        CompletionKind::Module => lsp::CompletionItemKind::Module,
        CompletionKind::Rule => lsp::CompletionItemKind::Event,
        CompletionKind::Fact => lsp::CompletionItemKind::Constant,
    };
    let format = if settings.snippets {
        lsp::InsertTextFormat::Snippet
    } else {
        lsp::InsertTextFormat::PlainText
    };
    let new_text = if settings.snippets { it.insert } else { ide::plain(&it.insert) };
    let edit = lsp::TextEdit { range: range(file, it.replace, settings.encoding), new_text };
    let doc = it
        .doc
        .map(|doc| lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: doc.to_string() });
    lsp::CompletionItem {
        sort_text: Some(format!("{at:05}")),
        filter_text: Some(it.filter).filter(|filter| *filter != it.label),
        label: it.label,
        kind: Some(kind),
        detail: Some(it.detail).filter(|detail| !detail.is_empty()),
        documentation: doc.map(Into::into),
        insert_text_format: Some(format),
        text_edit: Some(edit.into()),
        ..Default::default()
    }
}

/// An entry of the outline.
pub(crate) fn symbol(symbol: Symbol, file: &SourceFile, encoding: Encoding) -> lsp::DocumentSymbol {
    let kind = symbol_kind(symbol.kind);
    let children: Vec<lsp::DocumentSymbol> =
        symbol.children.into_iter().map(|child| self::symbol(child, file, encoding)).collect();
    lsp::DocumentSymbol::new(
        symbol.name,
        (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind,
        None,
        None,
        range(file, symbol.span, encoding),
        range(file, symbol.name_span, encoding),
        (!children.is_empty()).then_some(children),
    )
}

/// What a symbol is, in the protocol's words.
pub(crate) fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Noun => lsp::SymbolKind::Object,
        SymbolKind::Param => lsp::SymbolKind::TypeParameter,
        SymbolKind::Let => lsp::SymbolKind::Variable,
        SymbolKind::Output => lsp::SymbolKind::Constant,
        SymbolKind::Type => lsp::SymbolKind::Class,
        SymbolKind::Kind => lsp::SymbolKind::Struct,
        SymbolKind::Field => lsp::SymbolKind::Field,
        SymbolKind::Rule => lsp::SymbolKind::Event,
        SymbolKind::Component => lsp::SymbolKind::Module,
    }
}

/// A new text with the ends of lines of the one that it goes into.
pub(crate) fn with_ends_of<'n>(old: &str, new: &'n str) -> Cow<'n, str> {
    match old.contains("\r\n") {
        true => Cow::Owned(new.replace("\r\n", "\n").replace('\n', "\r\n")),
        false => Cow::Borrowed(new),
    }
}

/// The edits that turn one text into another, none beside another. Ends of lines stay as the text has them.
pub(crate) fn text_edits(
    file: &SourceFile,
    formatted: &str,
    encoding: Encoding,
) -> Vec<lsp::TextEdit> {
    edits(file, formatted, encoding, Apart::Stretches)
}

/// The same, each line by itself that is laid out otherwise: who wants a part of them can have it.
pub(crate) fn line_edits(
    file: &SourceFile,
    formatted: &str,
    encoding: Encoding,
) -> Vec<lsp::TextEdit> {
    edits(file, formatted, encoding, Apart::Lines)
}

/// What is one edit of a layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// Lines that differ, as many as follow each other.
    Stretches,
    /// A line, where it differs in blanks alone.
    Lines,
}

fn edits(
    file: &SourceFile,
    formatted: &str,
    encoding: Encoding,
    apart: Apart,
) -> Vec<lsp::TextEdit> {
    let old: &str = &file.text;
    let formatted = with_ends_of(old, formatted);
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), formatted.split_inclusive('\n').collect());
    let starts = |lines: &[&str]| -> Vec<usize> {
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old_starts, new_starts) = (starts(&before), starts(&after));
    let at = |offset: usize| position(file.lines().position(old, offset, encoding));
    let offset = |starts: &[usize], line: usize| starts.get(line).copied().unwrap_or(0);
    let edit = |(old_lines, new_lines): (Range<usize>, Range<usize>)| {
        let start = offset(&old_starts, old_lines.start);
        let end = offset(&old_starts, old_lines.end);
        let new = offset(&new_starts, new_lines.start)..offset(&new_starts, new_lines.end);
        let new_text = formatted.get(new).unwrap_or_default().to_owned();
        lsp::TextEdit { range: lsp::Range { start: at(start), end: at(end) }, new_text }
    };
    hunks(&before, &after, apart).into_iter().map(edit).collect()
}

/// The lines that differ, of the one text and of the other: what lies between the lines that are the same. Lines that differ in blanks
/// alone are compared with each other: a layout changes all lines of a text, and looking for their like would take as long as there
/// are pairs of them.
fn hunks(before: &[&str], after: &[&str], apart: Apart) -> Vec<(Range<usize>, Range<usize>)> {
    let bare = |lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| line.split_whitespace().collect()).collect()
    };
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &bare(before), &bare(after));
    let pairs = ops.into_iter().filter(|op| op.tag() == similar::DiffTag::Equal);
    let pairs = pairs.flat_map(|op| op.old_range().zip(op.new_range()));
    let is_same = |old: usize, new: usize| before.get(old) == after.get(new);
    let same = pairs.filter(|(old, new)| apart == Apart::Lines || is_same(*old, *new));
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old, new) in same.chain([(before.len(), after.len())]) {
        if old < old_at || new < new_at {
            continue;
        }
        if old > old_at || new > new_at {
            found.push((old_at..old, new_at..new));
        }
        (old_at, new_at) = (old + 1, new + 1);
        if is_same(old, new) {
            continue;
        }
        match found.last_mut() {
            // what is only inserted goes with the line behind it
            Some((lines, put)) if lines.start == old && lines.end == old => {
                (lines.end, put.end) = (old_at, new_at);
            }
            _ => found.push((old..old_at, new..new_at)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Apart, hunks};

    #[test]
    fn a_line_that_is_moved_to_the_side_stays_the_same_line() {
        let before = ["pool a {\n", "    }\n", "  }\n", "\n", "}\n"];
        let after = ["pool a {\n", "  }\n", "}\n", "}\n"];
        assert_eq!(hunks(&before, &after, Apart::Stretches), [(1..4, 1..3)]);
    }
}
