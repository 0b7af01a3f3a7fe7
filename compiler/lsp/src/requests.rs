//! Requests of the editor: from the protocol's words to questions for the analysis, and back.

mod actions;
mod hints;
mod page;
mod patches;
mod trial;
mod ways;

pub(crate) use actions::kinds as action_kinds;
pub(crate) use page::{COLOURS, SHADES};

use crate::convert;
use crate::documents::path_of;
use crate::project::Known;
use crate::server::{Place, Server};
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use slipform_analysis::ide::{self, Offered};
use slipform_source::SourceFile;
use std::sync::Arc;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Value, (ErrorCode, String)>;

/// How much has to be known for an answer: hovers show values, and fixes come from rules.
pub(crate) fn needs(method: &str) -> Known {
    match method {
        "textDocument/hover"
        | "textDocument/codeAction"
        | "textDocument/inlayHint"
        | "textDocument/codeLens"
        | "textDocument/prepareCallHierarchy"
        | "callHierarchy/incomingCalls"
        | "callHierarchy/outgoingCalls"
        | "slipform/artifact" => Known::All,
        "workspace/textDocumentContent" | "slipform/source" => Known::Nothing,
        _ => Known::Names,
    }
}

/// The document that a request asks of; `None` where it asks of all.
pub(crate) fn document(request: &Request) -> Option<Utf8PathBuf> {
    let uri =
        ["/textDocument/uri", "/item/uri"].iter().find_map(|at| request.params.pointer(at))?;
    path_of(&lsp::Uri::parse(uri.as_str()?).ok()?)
}

/// Answers one request.
pub(crate) fn answer(server: &Server, request: Request) -> Answer {
    match request.method.as_str() {
        "textDocument/hover" => with(request, |it| hover(server, &it)),
        "textDocument/completion" => with(request, |it| completion(server, &it)),
        "textDocument/signatureHelp" => with(request, |it| hints::signature(server, &it)),
        "textDocument/definition" | "textDocument/declaration" => {
            with(request, |it| ways::definition(server, &it))
        }
        "textDocument/typeDefinition" => with(request, |it| ways::type_definition(server, &it)),
        "textDocument/references" => with(request, |it| ways::references(server, &it)),
        "textDocument/documentHighlight" => with(request, |it| ways::highlights(server, &it)),
        "textDocument/prepareRename" => may_fail(request, |it| ways::prepare_rename(server, &it)),
        "textDocument/rename" => may_fail(request, |it| ways::rename(server, &it)),
        "workspace/symbol" => with(request, |it| Some(ways::workspace_symbols(server, &it))),
        "textDocument/documentLink" => with(request, |it| ways::links(server, &it)),
        "textDocument/prepareCallHierarchy" => with(request, |it| ways::prepare_calls(server, &it)),
        "callHierarchy/incomingCalls" => with(request, |it| ways::incoming(server, &it)),
        "callHierarchy/outgoingCalls" => with(request, |it| ways::outgoing(server, &it)),
        "textDocument/documentSymbol" => with(request, |it| page::symbols(server, &it)),
        "textDocument/semanticTokens/full" => with(request, |it| page::colours(server, &it)),
        "textDocument/semanticTokens/range" => {
            with(request, |it| page::colours_of_part(server, &it))
        }
        "textDocument/foldingRange" => with(request, |it| page::folds(server, &it)),
        "textDocument/selectionRange" => with(request, |it| page::selections(server, &it)),
        "textDocument/formatting" => with(request, |it| page::formatting(server, &it)),
        "textDocument/rangeFormatting" => with(request, |it| page::formatting_of_part(server, &it)),
        "textDocument/onTypeFormatting" => {
            with(request, |it| page::formatting_on_type(server, &it))
        }
        "textDocument/inlayHint" => with(request, |it| hints::hints(server, &it)),
        "textDocument/codeLens" => with(request, |it| hints::lenses(server, &it)),
        "textDocument/codeAction" => with(request, |it| actions::actions(server, &it)),
        "slipform/artifact" => with(request, |it| hints::artifact(server, &it)),
        "workspace/textDocumentContent" | "slipform/source" => with(request, |it| source(&it)),
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

/// The same of what may be refused: the reason is shown to the user.
fn may_fail<P: DeserializeOwned, R: serde::Serialize>(
    request: Request,
    answer: impl FnOnce(P) -> Result<Option<R>, String>,
) -> Answer {
    let failed = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    let params = serde_json::from_value(request.params).map_err(failed)?;
    let answered = answer(params).map_err(|why| (ErrorCode::RequestFailed, why))?;
    serde_json::to_value(answered).map_err(failed)
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
    if let Some(found) = patches::hover(server, &spot) {
        return Some(found);
    }
    let hover = ide::hover(&spot.place.analysis, spot.place.file, spot.offset)?;
    let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: hover.markdown };
    let range = convert::range(&spot.file, hover.span, server.settings.encoding);
    Some(lsp::Hover { contents: contents.into(), range: Some(range) })
}

fn completion(server: &Server, at: &At) -> Option<lsp::CompletionList> {
    let spot = spot(server, at)?;
    let found = match ide::complete(&spot.place.analysis, spot.place.file, spot.offset) {
        Offered::Patch(place) => patches::completions(&place),
        Offered::Found(found) => found,
    };
    let items = found.into_iter().enumerate();
    let items =
        items.map(|(at, it)| convert::completion(at, it, &spot.file, &server.settings)).collect();
    Some(lsp::CompletionList { is_incomplete: false, items, ..Default::default() })
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
