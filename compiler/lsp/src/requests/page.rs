//! A document as a whole: its outline, its colours, its folds and its layout.

use super::{Whole, editing};
use crate::convert;
use crate::server::{Place, Server};
use gen_lsp_types as lsp;
use serde::Deserialize;
use slipform_analysis::ide::{self, FoldKind, Token, TokenKind};
use slipform_source::{Encoding, SourceFile, Span};
use slipform_syntax::{format, parse};
use std::ops::Range;

pub(super) fn symbols(server: &Server, params: &Whole) -> Option<Vec<lsp::DocumentSymbol>> {
    let place = server.place(&params.text_document.uri)?;
    let found = ide::symbols(&place.analysis, place.file).into_iter();
    Some(found.map(|it| convert::symbol(it, &place.source, server.settings.encoding)).collect())
}

/// The word for the colour of each kind of token, in the order of their numbers.
const COLOURS: [(TokenKind, &str); 16] = [
    (TokenKind::Comment, "comment"),
    (TokenKind::Documentation, "comment"),
    (TokenKind::Text, "string"),
    (TokenKind::Number, "number"),
    (TokenKind::Keyword, "keyword"),
    (TokenKind::Operator, "operator"),
    (TokenKind::Type, "type"),
    (TokenKind::Noun, "class"),
    (TokenKind::Component, "macro"),
    (TokenKind::Field, "property"),
    (TokenKind::Param, "parameter"),
    (TokenKind::Variable, "variable"),
    (TokenKind::Constructor, "enumMember"),
    (TokenKind::Function, "function"),
    (TokenKind::Rule, "decorator"),
    (TokenKind::Module, "namespace"),
];

/// What a colour may be besides, in the order of the bits.
const SHADES: [&str; 2] = ["declaration", "documentation"];

/// The words for colours and for what they may be besides.
pub(crate) fn legend() -> lsp::SemanticTokensLegend {
    lsp::SemanticTokensLegend {
        token_types: COLOURS.map(|(_, word)| word.to_owned()).to_vec(),
        token_modifiers: SHADES.map(str::to_owned).to_vec(),
    }
}

/// The number of a colour.
fn colour(kind: TokenKind) -> u32 {
    COLOURS.iter().position(|(known, _)| *known == kind).unwrap_or(0) as u32
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) text_document: lsp::TextDocumentIdentifier,
    pub(super) range: lsp::Range,
}

pub(super) fn colours(server: &Server, params: &Whole) -> Option<lsp::SemanticTokens> {
    let place = server.place(&params.text_document.uri)?;
    let tokens = ide::tokens(&place.analysis, place.file);
    Some(painted(&place.source, &tokens, server.settings.encoding))
}

pub(super) fn colours_of_part(server: &Server, params: &Part) -> Option<lsp::SemanticTokens> {
    let place = server.place(&params.text_document.uri)?;
    let encoding = server.settings.encoding;
    let part = convert::offsets(&place.source, params.range, encoding);
    let mut tokens = ide::tokens(&place.analysis, place.file);
    tokens.retain(|token| {
        let range = token.span.range();
        range.end >= part.start && range.start <= part.end
    });
    Some(painted(&place.source, &tokens, encoding))
}

/// Colours as the protocol has them: each from the one before, none over the end of a line.
fn painted(file: &SourceFile, tokens: &[Token], encoding: Encoding) -> lsp::SemanticTokens {
    let mut data = Vec::new();
    let (mut last_line, mut last) = (0, 0);
    let width = |part: Range<usize>| encoding.width(file.text.get(part).unwrap_or_default());
    for token in tokens {
        let documentation = token.kind == TokenKind::Documentation;
        let shades = u32::from(token.declares) | u32::from(documentation) << 1;
        for part in lines_of(file, token.span).into_iter().map(Span::range) {
            let line = file.lines().line(part.start);
            let from = if line == last_line { last } else { file.lines().range(line).start };
            data.push(lsp::SemanticToken {
                delta_line: line - last_line,
                delta_start: width(from..part.start),
                length: width(part.clone()),
                token_type: colour(token.kind),
                token_modifiers_bitset: shades,
            });
            (last_line, last) = (line, part.start);
        }
    }
    lsp::SemanticTokens { result_id: None, data }
}

/// The part of a span in each of its lines, without the ends of the lines.
fn lines_of(file: &SourceFile, span: Span) -> Vec<Span> {
    let lines = file.lines();
    let (first, last) = (lines.line(span.start as usize), lines.line(span.end as usize));
    let part = |line: u32| {
        let range = lines.range(line);
        let text = file.text.get(range.clone()).unwrap_or_default();
        let end = range.start + text.trim_end_matches(['\n', '\r']).len();
        let start = range.start.max(span.start as usize);
        let end = end.min(span.end as usize);
        (start < end).then(|| Span::new(span.file, start, end))
    };
    (first..=last).filter_map(part).collect()
}

pub(super) fn folds(server: &Server, params: &Whole) -> Option<Vec<lsp::FoldingRange>> {
    let place = server.place(&params.text_document.uri)?;
    let fold = |fold: ide::Fold| lsp::FoldingRange {
        start_line: fold.start,
        end_line: fold.end,
        kind: Some(match fold.kind {
            FoldKind::Region => lsp::FoldingRangeKind::Region,
            FoldKind::Comment => lsp::FoldingRangeKind::Comment,
            FoldKind::Imports => lsp::FoldingRangeKind::Imports,
        }),
        start_character: None,
        end_character: None,
        collapsed_text: None,
    };
    Some(ide::folds(&place.analysis, place.file).into_iter().map(fold).collect())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Positions {
    text_document: lsp::TextDocumentIdentifier,
    positions: Vec<lsp::Position>,
}

/// What a selection grows to, from each position.
pub(super) fn selections(server: &Server, params: &Positions) -> Option<Vec<lsp::SelectionRange>> {
    let place = server.place(&params.text_document.uri)?;
    let (file, encoding) = (&place.source, server.settings.encoding);
    let grown = params.positions.iter().map(|position| {
        let offset = convert::offset(file, *position, encoding);
        let spans = ide::around(&place.analysis, place.file, offset);
        let outer = spans.into_iter().rev().fold(None, |parent, span| {
            let range = convert::range(file, span, encoding);
            Some(lsp::SelectionRange { range, parent: parent.map(Box::new) })
        });
        let empty = lsp::Range { start: *position, end: *position };
        outer.unwrap_or(lsp::SelectionRange { range: empty, parent: None })
    });
    Some(grown.collect())
}

pub(super) fn formatting(server: &Server, params: &Whole) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    let file = blueprint(&place)?;
    let formatted = format(&parse(place.file, &file.text), &file.text);
    Some(convert::text_edits(file, &formatted, server.settings.encoding))
}

/// The file of a place, where it is a blueprint: a project file is laid out by others.
fn blueprint(place: &Place) -> Option<&SourceFile> {
    (place.source.path.extension() == Some("bp")).then_some(&place.source)
}

/// The edits of the whole document that lie in a part of it, where the rest can stay as it is: some of the edits alone could cut a
/// block in two.
pub(super) fn formatting_of_part(server: &Server, params: &Part) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    let (file, encoding) = (blueprint(&place)?, server.settings.encoding);
    let formatted = format(&parse(place.file, &file.text), &file.text);
    let mut edits = convert::line_edits(file, &formatted, encoding);
    let lines = params.range.start.line..=params.range.end.line;
    edits.retain(|edit| {
        lines.contains(&edit.range.start.line)
            && edit.range.end.line <= lines.end().saturating_add(1)
    });
    let mut text = file.text.to_string();
    for edit in edits.iter().rev() {
        text.replace_range(convert::offsets(file, edit.range, encoding), &edit.new_text);
    }
    let whole = format(&parse(place.file, &text), &text);
    let same = whole.replace("\r\n", "\n") == formatted.replace("\r\n", "\n");
    Some(if same { edits } else { Vec::new() })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Typed {
    text_document: lsp::TextDocumentIdentifier,
    position: lsp::Position,
    ch: String,
}

/// Once a block is closed, its lines are laid out; a comment goes on in the line below.
pub(super) fn formatting_on_type(server: &Server, params: &Typed) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    if params.ch == "\n" {
        return editing::gone_on(server, &place, params.position);
    }
    let (file, encoding) = (&place.source, server.settings.encoding);
    let offset = convert::offset(file, params.position, encoding);
    let spans = ide::around(&place.analysis, place.file, offset.checked_sub(1)?);
    let block = spans.into_iter().find(|span| span.end as usize == offset)?;
    let range = convert::range(file, block, encoding);
    let part = Part { text_document: params.text_document.clone(), range };
    formatting_of_part(server, &part)
}
