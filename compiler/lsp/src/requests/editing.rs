//! What is typed: comments that go on, lines that are joined, what changes places with its neighbour.

use super::{At, spot};
use crate::convert;
use crate::server::{Place, Server};
use gen_lsp_types as lsp;
use serde::Deserialize;
use slipform_analysis::ide;
use slipform_source::Span;

/// What a new line begins with below one of a comment, where somebody has just put it there.
pub(super) fn gone_on(
    server: &Server,
    place: &Place,
    position: lsp::Position,
) -> Option<Vec<lsp::TextEdit>> {
    let start = lsp::Position { line: position.line, character: 0 };
    let start = convert::offset(&place.source, start, server.settings.encoding);
    let (at, mark) = ide::gone_on(&place.source.text, start)?;
    let edits = [(Span::new(place.file, at, at), mark.to_owned())];
    Some(text_edits(server, place, &edits))
}

/// The edits of a line that is ended at a position, the end of the line among them; nothing where the editor's own key does.
pub(super) fn on_enter(server: &Server, params: &At) -> Option<Vec<lsp::TextEdit>> {
    let spot = spot(server, params)?;
    let text = &spot.place.source.text;
    let (head, tail) = text.split_at_checked(spot.offset)?;
    let line = head.rfind('\n').map_or(0, |end| end + 1);
    let indent: String = head.get(line..)?.chars().take_while(|c| *c == ' ').collect();
    let cut = tail.len() - tail.trim_start_matches(' ').len();
    let tail = tail.get(cut..)?;
    let (_, mark) = ide::gone_on(&format!("{head}\n{tail}"), head.len() + 1)?;
    let over = Span::new(spot.place.file, spot.offset, spot.offset + cut);
    let cursor = if snippets(server) { "$0" } else { "" };
    let edits = [(over, format!("\n{indent}{mark}{cursor}"))];
    Some(text_edits(server, &spot.place, &edits))
}

/// Whether an editor puts the cursor where an edit says.
fn snippets(server: &Server) -> bool {
    server.settings.snippet_edits
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parts {
    text_document: lsp::TextDocumentIdentifier,
    ranges: Vec<lsp::Range>,
}

pub(super) fn join_lines(server: &Server, params: &Parts) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    let encoding = server.settings.encoding;
    let parts = params.ranges.iter().map(|range| convert::offsets(&place.source, *range, encoding));
    let edits = parts.flat_map(|part| ide::joined(&place.analysis, place.file, part));
    let mut edits: Vec<(Span, String)> = edits.collect();
    edits.sort_by_key(|(span, _)| *span);
    edits.dedup();
    Some(text_edits(server, &place, &edits))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moved {
    text_document: lsp::TextDocumentIdentifier,
    range: lsp::Range,
    direction: Direction,
}

#[derive(Deserialize, PartialEq)]
enum Direction {
    Up,
    Down,
}

pub(super) fn move_item(server: &Server, params: &Moved) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    let part = convert::offsets(&place.source, params.range, server.settings.encoding);
    let part = Span::new(place.file, part.start, part.end);
    let up = params.direction == Direction::Up;
    let edits = ide::swapped(&place.analysis, place.file, part, up);
    Some(text_edits(server, &place, &edits))
}

fn text_edits(server: &Server, place: &Place, edits: &[(Span, String)]) -> Vec<lsp::TextEdit> {
    let encoding = server.settings.encoding;
    let edit = |(span, text): &(Span, String)| lsp::TextEdit {
        range: convert::range(&place.source, *span, encoding),
        new_text: convert::with_ends_of(&place.source.text, text).into_owned(),
    };
    edits.iter().map(edit).collect()
}
