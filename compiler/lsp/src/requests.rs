//! Requests of the editor: from the protocol's words to questions for the analysis, and back.

mod actions;
pub(crate) mod commands;
mod editing;
mod hints;
mod page;
mod patches;
mod runs;
mod trial;
mod ways;

pub(crate) use actions::kinds as action_kinds;
pub(crate) use page::legend;

use crate::convert;
use crate::documents::path_of;
use crate::pages;
use crate::project::Known;
use crate::server::{Place, Server};
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Request};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use slipform_analysis::ide;
use slipform_targets::coverage::is_in_vain;

/// An answer, or why there is none.
pub(crate) type Answer = Result<Value, (ErrorCode, String)>;

/// A request: its method, how much has to be known for an answer, and who answers.
type Row = (&'static str, Known, fn(&Server, Request) -> Answer);

/// Every request that is understood. Hints show values, and fixes come from rules; what is read of the text alone needs less. Some
/// hovers and completions turn out to need values (`Server::waits`).
const REQUESTS: &[Row] = &[
    ("textDocument/hover", Known::Names, |s, r| with(s, r, hover)),
    ("textDocument/completion", Known::Names, |s, r| with(s, r, completion)),
    ("textDocument/signatureHelp", Known::Names, |s, r| with(s, r, hints::signature)),
    ("textDocument/definition", Known::Names, |s, r| with(s, r, ways::definition)),
    ("textDocument/declaration", Known::Names, |s, r| with(s, r, ways::definition)),
    ("textDocument/typeDefinition", Known::Names, |s, r| with(s, r, ways::type_definition)),
    ("textDocument/references", Known::Names, |s, r| with(s, r, ways::references)),
    ("textDocument/documentHighlight", Known::Names, |s, r| with(s, r, ways::highlights)),
    ("textDocument/prepareRename", Known::Names, |s, r| may_fail(s, r, ways::prepare_rename)),
    ("textDocument/rename", Known::Names, |s, r| may_fail(s, r, ways::rename)),
    ("workspace/willRenameFiles", Known::Names, |s, r| with(s, r, ways::repathed)),
    ("workspace/symbol", Known::Names, |s, r| with(s, r, ways::workspace_symbols)),
    ("textDocument/documentLink", Known::Names, |s, r| with(s, r, ways::links)),
    ("textDocument/prepareCallHierarchy", Known::Values, |s, r| with(s, r, ways::prepare_calls)),
    ("callHierarchy/incomingCalls", Known::Values, |s, r| with(s, r, ways::incoming)),
    ("callHierarchy/outgoingCalls", Known::Values, |s, r| with(s, r, ways::outgoing)),
    ("textDocument/documentSymbol", Known::Names, |s, r| with(s, r, page::symbols)),
    ("textDocument/semanticTokens/full", Known::Names, |s, r| with(s, r, page::colours)),
    ("textDocument/semanticTokens/range", Known::Names, |s, r| with(s, r, page::colours_of_part)),
    ("textDocument/foldingRange", Known::Names, |s, r| with(s, r, page::folds)),
    ("textDocument/selectionRange", Known::Names, |s, r| with(s, r, page::selections)),
    ("textDocument/formatting", Known::Names, |s, r| with(s, r, page::formatting)),
    ("textDocument/rangeFormatting", Known::Names, |s, r| with(s, r, page::formatting_of_part)),
    ("textDocument/onTypeFormatting", Known::Names, |s, r| with(s, r, page::formatting_on_type)),
    ("workspace/executeCommand", Known::Values, |s, r| may_fail(s, r, commands::execute)),
    ("experimental/onEnter", Known::Nothing, |s, r| with(s, r, editing::on_enter)),
    ("experimental/joinLines", Known::Names, |s, r| with(s, r, editing::join_lines)),
    ("experimental/moveItem", Known::Names, |s, r| with(s, r, editing::move_item)),
    ("experimental/runnables", Known::Names, |s, r| with(s, r, runs::runnables)),
    ("experimental/externalDocs", Known::Values, |s, r| with(s, r, runs::documentation)),
    ("textDocument/inlayHint", Known::Values, |s, r| with(s, r, hints::hints)),
    ("textDocument/codeLens", Known::Values, |s, r| with(s, r, hints::lenses)),
    ("textDocument/codeAction", Known::All, |s, r| with(s, r, actions::actions)),
    ("textDocument/diagnostic", Known::Names, |s, r| with(s, r, told)),
    ("workspace/diagnostic", Known::Names, |s, r| with(s, r, all_told)),
    ("slipform/artifact", Known::All, |s, r| with(s, r, hints::artifact)),
    ("workspace/textDocumentContent", Known::Nothing, |s, r| with(s, r, source)),
    ("slipform/source", Known::Nothing, |s, r| with(s, r, source)),
];

/// How much has to be known for an answer: nothing where there will be none.
pub(crate) fn needs(method: &str) -> Known {
    row(method).map_or(Known::Nothing, |(_, needed, _)| *needed)
}

/// Whether an editor asks by a method for what is wrong.
pub(crate) fn asks_what_is_wrong(method: &str) -> bool {
    matches!(method, "textDocument/diagnostic" | "workspace/diagnostic")
}

/// Answers one request.
pub(crate) fn answer(server: &Server, request: Request) -> Answer {
    match row(&request.method) {
        Some((_, _, answer)) => answer(server, request),
        None => {
            let message = format!("`{}` is not understood", request.method);
            Err((ErrorCode::MethodNotFound, message))
        }
    }
}

fn row(method: &str) -> Option<&'static Row> {
    REQUESTS.iter().find(|(known, ..)| *known == method)
}

/// What asks of a document all who use it: what is wrong there, and whether another name would do.
const OF_ALL: [&str; 2] = ["textDocument/diagnostic", "textDocument/rename"];

/// The document whose blueprint a request asks; `None` where it asks all of them.
pub(crate) fn document(request: &Request) -> Option<Utf8PathBuf> {
    if OF_ALL.contains(&request.method.as_str()) {
        return None;
    }
    let uri =
        ["/textDocument/uri", "/item/uri"].iter().find_map(|at| request.params.pointer(at))?;
    path_of(&lsp::Uri::parse(uri.as_str()?).ok()?)
}

/// Reads the parameters, and writes what there is to say: `null` where that is nothing.
fn with<P: DeserializeOwned, R: Serialize>(
    server: &Server,
    request: Request,
    answer: fn(&Server, &P) -> Option<R>,
) -> Answer {
    answered(request, |params| Ok(answer(server, params)))
}

/// The same of what may be refused: the reason is shown to the user.
fn may_fail<P: DeserializeOwned, R: Serialize>(
    server: &Server,
    request: Request,
    answer: fn(&Server, &P) -> Result<Option<R>, String>,
) -> Answer {
    answered(request, |params| answer(server, params))
}

fn answered<P: DeserializeOwned, R: Serialize>(
    request: Request,
    answer: impl FnOnce(&P) -> Result<Option<R>, String>,
) -> Answer {
    let failed = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
    let params = serde_json::from_value(request.params).map_err(failed)?;
    let answered = answer(&params).map_err(|why| (ErrorCode::RequestFailed, why))?;
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

/// A document in its analysis, and an offset in it.
struct Spot {
    place: Place,
    offset: usize,
}

fn spot(server: &Server, at: &At) -> Option<Spot> {
    let place = server.place(&at.text_document.uri)?;
    let offset = convert::offset(&place.source, at.position, server.settings.encoding);
    Some(Spot { place, offset })
}

fn hover(server: &Server, at: &At) -> Option<lsp::Hover> {
    let spot = spot(server, at)?;
    if let Some(found) = patches::hover(server, &spot) {
        return Some(found);
    }
    let (hover, waits) = ide::hover_so_far(&spot.place.analysis, spot.place.file, spot.offset);
    server.waits.set(waits.then_some(Known::Values));
    let hover = hover?;
    let range = convert::range(&spot.place.source, hover.span, server.settings.encoding);
    Some(convert::hover(hover.markdown, range))
}

fn completion(server: &Server, at: &At) -> Option<lsp::CompletionList> {
    let spot = spot(server, at)?;
    let offered = ide::complete(&spot.place.analysis, spot.place.file, spot.offset);
    server.waits.set(offered.waits.map(Known::from));
    let mut found = offered.patch.as_ref().map(patches::completions).unwrap_or_default();
    let whose = offered.fields_of.as_ref();
    let vain = |it: &ide::Completion| {
        it.kind == ide::CompletionKind::Field
            && whose.is_some_and(|of| is_in_vain(&of.kind, &of.platform, of.on_cloud, &it.label))
    };
    found.extend(offered.found.into_iter().filter(|it| !vain(it)));
    let unread = offered.unread.as_ref().map(|it| it.completions(&server.documents));
    let is_new = |it: &ide::Completion| !found.iter().any(|known| known.label == it.label);
    let unread: Vec<_> = unread.into_iter().flatten().filter(is_new).collect();
    found.extend(unread);
    let (source, settings) = (&spot.place.source, &server.settings);
    let item = |(at, it): (usize, ide::Completion)| {
        let retired = ide::is_retired(&spot.place.analysis, &it);
        let item = convert::completion(at, it, source, settings);
        lsp::CompletionItem {
            tags: retired.then(|| vec![lsp::CompletionItemTag::Deprecated]),
            ..item
        }
    };
    let items = found.into_iter().enumerate().map(item).collect();
    Some(lsp::CompletionList { is_incomplete: false, items, ..Default::default() })
}

/// What is wrong in a document, as far as it is known: of what is found later the editor is told to ask anew.
fn told(server: &Server, params: &lsp::DocumentDiagnosticParams) -> Option<Value> {
    let path = path_of(&params.text_document.uri)?;
    let previous = params.previous_result_id.as_deref();
    let Server { board, documents, settings, .. } = server;
    Some(board.report(&path, documents, previous, settings.related))
}

fn all_told(server: &Server, params: &lsp::WorkspaceDiagnosticParams) -> Option<Value> {
    Some(server.board.reports(&params.previous_result_ids))
}

#[derive(Deserialize)]
struct SourceParams {
    uri: lsp::Uri,
}

/// The text of a file of the standard library, or what a code means.
fn source(_: &Server, params: &SourceParams) -> Option<Value> {
    let path = path_of(&params.uri)?;
    let text = ide::library_text(Utf8Path::new(&path)).or_else(|| pages::text(&path))?;
    Some(json!({ "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// What the editor is told that there is, and the methods that it then asks by.
    const OFFERED: &[(&str, &[&str])] = &[
        ("hoverProvider", &["textDocument/hover"]),
        ("completionProvider", &["textDocument/completion"]),
        ("signatureHelpProvider", &["textDocument/signatureHelp"]),
        ("definitionProvider", &["textDocument/definition"]),
        ("declarationProvider", &["textDocument/declaration"]),
        ("typeDefinitionProvider", &["textDocument/typeDefinition"]),
        ("referencesProvider", &["textDocument/references"]),
        ("documentHighlightProvider", &["textDocument/documentHighlight"]),
        ("renameProvider", &["textDocument/prepareRename", "textDocument/rename"]),
        ("workspaceSymbolProvider", &["workspace/symbol"]),
        ("documentLinkProvider", &["textDocument/documentLink"]),
        (
            "callHierarchyProvider",
            &[
                "textDocument/prepareCallHierarchy",
                "callHierarchy/incomingCalls",
                "callHierarchy/outgoingCalls",
            ],
        ),
        ("documentSymbolProvider", &["textDocument/documentSymbol"]),
        (
            "semanticTokensProvider",
            &["textDocument/semanticTokens/full", "textDocument/semanticTokens/range"],
        ),
        ("foldingRangeProvider", &["textDocument/foldingRange"]),
        ("selectionRangeProvider", &["textDocument/selectionRange"]),
        ("documentFormattingProvider", &["textDocument/formatting"]),
        ("documentRangeFormattingProvider", &["textDocument/rangeFormatting"]),
        ("documentOnTypeFormattingProvider", &["textDocument/onTypeFormatting"]),
        ("inlayHintProvider", &["textDocument/inlayHint"]),
        ("codeLensProvider", &["textDocument/codeLens"]),
        ("codeActionProvider", &["textDocument/codeAction"]),
        ("diagnosticProvider", &["textDocument/diagnostic", "workspace/diagnostic"]),
        ("executeCommandProvider", &["workspace/executeCommand"]),
    ];

    /// What is offered elsewhere, and what nobody else has.
    const BESIDES: &[&str] = &[
        "workspace/textDocumentContent",
        "workspace/willRenameFiles",
        "slipform/source",
        "slipform/artifact",
        "experimental/onEnter",
        "experimental/joinLines",
        "experimental/moveItem",
        "experimental/runnables",
        "experimental/externalDocs",
    ];

    #[test]
    fn what_is_offered_is_answered_and_what_is_answered_is_offered() {
        let asks = json!({ "capabilities": {
            "textDocument": { "diagnostic": {} }, "workspace": { "diagnostics": { "refreshSupport": true } },
        } });
        let offered = serde_json::to_value(Settings::of(&asks).capabilities()).unwrap();
        let offered = offered.as_object().unwrap().keys();
        let mut offered: Vec<&str> =
            offered.map(String::as_str).filter(|key| key.ends_with("Provider")).collect();
        let mut known: Vec<&str> = OFFERED.iter().map(|(provider, _)| *provider).collect();
        offered.sort_unstable();
        known.sort_unstable();
        assert_eq!(offered, known);
        let asked = OFFERED.iter().flat_map(|(_, methods)| *methods);
        let mut asked: Vec<&str> = asked.chain(BESIDES).copied().collect();
        let mut answered: Vec<&str> = REQUESTS.iter().map(|(method, ..)| *method).collect();
        asked.sort_unstable();
        answered.sort_unstable();
        assert_eq!(asked, answered);
    }
}
