//! Requests of the editor: from the protocol's words to questions for the analysis, and back.

use crate::convert;
use crate::documents::path_of;
use crate::project::Known;
use crate::server::{Place, Server};
use camino::Utf8Path;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use slipform_analysis::ide;
use slipform_source::{SourceFile, Span};
use slipform_syntax::{format, parse};
use std::sync::Arc;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Value, (ErrorCode, String)>;

/// How much has to be known for an answer: hovers show values, and fixes come from rules.
pub(crate) fn needs(method: &str) -> Known {
    match method {
        "textDocument/hover" | "textDocument/codeAction" => Known::All,
        "workspace/textDocumentContent" | "slipform/source" => Known::Nothing,
        _ => Known::Names,
    }
}

/// Answers one request.
pub(crate) fn answer(server: &Server, request: Request) -> Answer {
    match request.method.as_str() {
        "textDocument/hover" => with(request, |params| hover(server, &params)),
        "textDocument/completion" => with(request, |params| completion(server, &params)),
        "textDocument/definition" => with(request, |params| definition(server, &params)),
        "textDocument/formatting" => with(request, |params| formatting(server, &params)),
        "textDocument/documentSymbol" => with(request, |params| symbols(server, &params)),
        "textDocument/codeAction" => with(request, |params| actions(server, &params)),
        "workspace/textDocumentContent" | "slipform/source" => {
            with(request, |params| source(&params))
        }
        method => Err((ErrorCode::MethodNotFound, format!("`{method}` is not understood"))),
    }
}

/// Reads the parameters, and writes what there is to say: `null` where that is nothing.
fn with<P: DeserializeOwned, R: serde::Serialize>(
    request: Request,
    answer: impl FnOnce(P) -> Option<R>,
) -> Answer {
    let failed = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    let params = serde_json::from_value(request.params).map_err(failed)?;
    serde_json::to_value(answer(params)).map_err(failed)
}

/// A document, and a position in it: what most requests start with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct At {
    text_document: lsp::TextDocumentIdentifier,
    position: lsp::Position,
}

/// A document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    text_document: lsp::TextDocumentIdentifier,
}

/// A place of an analysis with its file and, for a position, its offset.
struct Spot {
    place: Place,
    file: Arc<SourceFile>,
    offset: usize,
}

fn spot(server: &Server, at: &At) -> Option<Spot> {
    let place = server.place(&at.text_document.uri)?;
    let file = place.analysis.sources.get(place.file)?.clone();
    let offset = convert::offset(&file, at.position, server.settings.encoding);
    Some(Spot { place, file, offset })
}

fn hover(server: &Server, at: &At) -> Option<lsp::Hover> {
    let spot = spot(server, at)?;
    let hover = ide::hover(&spot.place.analysis, spot.place.file, spot.offset)?;
    let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: hover.markdown };
    let range = convert::range(&spot.file, hover.span, server.settings.encoding);
    Some(lsp::Hover { contents: contents.into(), range: Some(range) })
}

fn definition(server: &Server, at: &At) -> Option<lsp::Location> {
    let spot = spot(server, at)?;
    let span = ide::definition(&spot.place.analysis, spot.place.file, spot.offset)?;
    convert::location(
        span,
        &spot.place.analysis.sources,
        &server.documents,
        server.settings.encoding,
    )
}

fn completion(server: &Server, at: &At) -> Option<lsp::CompletionList> {
    let spot = spot(server, at)?;
    let found = ide::complete(&spot.place.analysis, spot.place.file, spot.offset);
    let items = found.into_iter().enumerate();
    let items =
        items.map(|(at, it)| convert::completion(at, it, &spot.file, &server.settings)).collect();
    Some(lsp::CompletionList { is_incomplete: false, items, ..Default::default() })
}

fn formatting(server: &Server, params: &Whole) -> Option<Vec<lsp::TextEdit>> {
    let place = server.place(&params.text_document.uri)?;
    let file = place.analysis.sources.get(place.file)?;
    let formatted = format(&parse(place.file, &file.text), &file.text);
    Some(convert::text_edits(file, &formatted, server.settings.encoding))
}

fn symbols(server: &Server, params: &Whole) -> Option<Vec<lsp::DocumentSymbol>> {
    let place = server.place(&params.text_document.uri)?;
    let file = place.analysis.sources.get(place.file)?;
    let found = ide::symbols(&place.analysis, place.file);
    Some(
        found
            .into_iter()
            .map(|symbol| convert::symbol(symbol, file, server.settings.encoding))
            .collect(),
    )
}

fn actions(server: &Server, params: &lsp::CodeActionParams) -> Option<Vec<lsp::CodeAction>> {
    let place = server.place(&params.text_document.uri)?;
    let sources = &place.analysis.sources;
    let (file, encoding) = (sources.get(place.file)?, server.settings.encoding);
    let start = convert::offset(file, params.range.start, encoding);
    let end = convert::offset(file, params.range.end, encoding);
    let fixes = ide::fixes(&place.analysis, Span::new(place.file, start, end));
    let actions = fixes.into_iter().filter_map(|(diagnostic, fix)| {
        let shown = convert::diagnostic(diagnostic, sources, &server.documents, encoding);
        Some(lsp::CodeAction {
            title: fix.title.clone(),
            kind: Some(lsp::CodeActionKind::QuickFix),
            diagnostics: shown.map(|shown| vec![shown]),
            is_preferred: Some(diagnostic.fixes.len() == 1),
            edit: Some(convert::workspace_edit(fix, sources, &server.documents, encoding)?),
            ..Default::default()
        })
    });
    Some(actions.collect())
}

#[derive(Deserialize)]
struct SourceParams {
    uri: lsp::Uri,
}

/// The text of a file of the standard library.
fn source(params: &SourceParams) -> Option<Value> {
    let path = path_of(&params.uri)?;
    let text = ide::library_text(Utf8Path::new(&path))?;
    Some(json!({ "text": text }))
}
