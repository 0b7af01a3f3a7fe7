//! Between spans and the protocol's ranges.

use crate::documents::Documents;
use gen_lsp_types as lsp;
use slipform_analysis::ide::{Symbol, SymbolKind};
use slipform_model::{Diagnostic, Fix, Severity};
use slipform_source::{Encoding, Position, SourceFile, Sources, Span};

/// The range of a span in its file.
pub(crate) fn range(file: &SourceFile, span: Span, encoding: Encoding) -> lsp::Range {
    let at = |offset: u32| position(file.lines.position(&file.text, offset as usize, encoding));
    lsp::Range { start: at(span.start), end: at(span.end) }
}

fn position(position: Position) -> lsp::Position {
    lsp::Position { line: position.line, character: position.column }
}

/// The offset of a position in a file.
pub(crate) fn offset(file: &SourceFile, position: lsp::Position, encoding: Encoding) -> usize {
    let position = Position { line: position.line, column: position.character };
    file.lines.offset(&file.text, position, encoding)
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
    encoding: Encoding,
) -> Option<lsp::Diagnostic> {
    let (primary, others) = diagnostic.labels.split_first()?;
    let file = sources.get(primary.span.file)?;
    let severity = match diagnostic.severity {
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
            let message = if label.text.is_empty() { "see here".to_owned() } else { label.text.clone() };
            Some(lsp::DiagnosticRelatedInformation { location, message })
        })
        .collect();
    Some(lsp::Diagnostic {
        range: range(file, primary.span, encoding),
        severity: Some(severity),
        code: Some(lsp::Code::String(diagnostic.code.to_string())),
        source: Some("slipform".to_owned()),
        message: message.into(),
        related_information: (!related.is_empty()).then_some(related),
        ..Default::default()
    })
}

/// The edits of a fix, by document.
pub(crate) fn workspace_edit(
    fix: &Fix,
    sources: &Sources,
    documents: &Documents,
    encoding: Encoding,
) -> Option<lsp::WorkspaceEdit> {
    let mut edit = lsp::WorkspaceEdit::default();
    let changes = edit.changes.get_or_insert_default();
    for (span, new_text) in &fix.edits {
        let lsp::Location { uri, range } = location(*span, sources, documents, encoding)?;
        changes.entry(uri).or_default().push(lsp::TextEdit { range, new_text: new_text.clone() });
    }
    Some(edit)
}

/// An entry of the outline.
pub(crate) fn symbol(symbol: Symbol, file: &SourceFile, encoding: Encoding) -> lsp::DocumentSymbol {
    let kind = match symbol.kind {
        SymbolKind::Noun => lsp::SymbolKind::Object,
        SymbolKind::Param => lsp::SymbolKind::TypeParameter,
        SymbolKind::Let => lsp::SymbolKind::Variable,
        SymbolKind::Output => lsp::SymbolKind::Constant,
        SymbolKind::Type => lsp::SymbolKind::Class,
        SymbolKind::Kind => lsp::SymbolKind::Struct,
        SymbolKind::Field => lsp::SymbolKind::Field,
        SymbolKind::Rule => lsp::SymbolKind::Event,
        SymbolKind::Component => lsp::SymbolKind::Module,
    };
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

/// The edits that turn one text into another: the lines between what both start with and what both end with.
pub(crate) fn text_edits(file: &SourceFile, formatted: &str, encoding: Encoding) -> Vec<lsp::TextEdit> {
    let old: &str = &file.text;
    if old == formatted {
        return Vec::new();
    }
    let same: usize = old
        .split_inclusive('\n')
        .zip(formatted.split_inclusive('\n'))
        .take_while(|(a, b)| a == b)
        .map(|(line, _)| line.len())
        .sum();
    let (old_rest, new_rest) = (old.get(same..).unwrap_or_default(), formatted.get(same..).unwrap_or_default());
    let tail: usize = old_rest
        .split_inclusive('\n')
        .rev()
        .zip(new_rest.split_inclusive('\n').rev())
        .take_while(|(a, b)| a == b)
        .map(|(line, _)| line.len())
        .sum();
    let new_text = new_rest.get(..new_rest.len() - tail).unwrap_or_default().to_owned();
    let at = |offset: usize| position(file.lines.position(old, offset, encoding));
    vec![lsp::TextEdit { range: lsp::Range { start: at(same), end: at(old.len() - tail) }, new_text }]
}
