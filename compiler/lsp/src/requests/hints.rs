//! What stands beside the text: hints between its words, lines above its nouns, what a call takes.

use super::page::Part;
use super::{At, Whole, spot};
use crate::convert;
use crate::render::rendered;
use crate::server::{Place, Server};
use gen_lsp_types as lsp;
use serde::Deserialize;
use serde_json::{Value, json};
use slipform_analysis::ide;
use slipform_source::Span;
use std::collections::BTreeMap;

pub(super) fn hints(server: &Server, params: &Part) -> Option<Vec<lsp::InlayHint>> {
    let place = server.place(&params.text_document.uri)?;
    let encoding = server.settings.encoding;
    let part = convert::offsets(&place.source, params.range, encoding);
    let hints = ide::hints(&place.analysis, place.file, part).into_iter();
    let hint = |hint: ide::Hint| {
        let at = Span::new(place.file, hint.offset, hint.offset);
        lsp::InlayHint {
            position: convert::range(&place.source, at, encoding).start,
            label: hint.text.into(),
            kind: None,
            text_edits: None,
            tooltip: Some(lsp::Tooltip::String(hint.more)),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        }
    };
    Some(hints.map(hint).collect())
}

pub(super) fn signature(server: &Server, at: &At) -> Option<lsp::SignatureHelp> {
    let spot = spot(server, at)?;
    let found = ide::signature(&spot.place.analysis, spot.place.file, spot.offset)?;
    let width = |end: usize| {
        let head = found.label.get(..end).unwrap_or_default();
        head.encode_utf16().count() as u32
    };
    let doc = |value| lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value };
    let said = found.said.iter().chain(std::iter::repeat(&None));
    let parameters = found.parameters.iter().zip(said);
    let parameters = parameters.map(|(range, said)| lsp::ParameterInformation {
        label: lsp::ParameterInformationLabel::Tuple((width(range.start), width(range.end))),
        documentation: said.as_ref().map(|it| doc(it.to_string()).into()),
    });
    let parameters = parameters.collect();
    let active = found.active.map(|at| lsp::ActiveParameter::Int(at as u32));
    Some(lsp::SignatureHelp {
        signatures: vec![lsp::SignatureInformation {
            documentation: found.doc.as_deref().map(|text| doc(text.to_owned()).into()),
            parameters: Some(parameters),
            active_parameter: None,
            label: found.label,
        }],
        active_signature: Some(0),
        active_parameter: active,
    })
}

/// What stands above the nouns: who uses them, and what is rendered of them; above the first line the environment.
pub(super) fn lenses(server: &Server, params: &Whole) -> Option<Vec<lsp::CodeLens>> {
    let place = server.place(&params.text_document.uri)?;
    let mut found: Vec<lsp::CodeLens> = environment(&place).into_iter().collect();
    let files = server.files(&params.text_document.uri, &place.analysis);
    for lens in ide::lenses(&place.analysis, place.file) {
        let range = convert::range(&place.source, lens.node.span, server.settings.encoding);
        if !lens.users.is_empty() {
            found.push(used(server, &place, &params.text_document.uri, range, &lens));
        }
        let of = files.of(lens.nouns.iter().map(String::as_str));
        let paths: Vec<&str> = of.into_iter().map(|it| it.path.as_str()).collect();
        if let Some(first) = paths.first() {
            let title = match paths.len() {
                1 => format!("renders to {first}"),
                count => format!("renders to {count} files"),
            };
            let arguments =
                vec![json!(params.text_document.uri), json!(lens.node.path), json!(paths)];
            found.push(command(range, title, "slipform.showArtifacts", arguments));
        }
    }
    Some(found)
}

fn used(
    server: &Server,
    place: &Place,
    uri: &lsp::Uri,
    range: lsp::Range,
    lens: &ide::Lens,
) -> lsp::CodeLens {
    let count = |(kind, count): &(String, usize)| {
        if *count == 1 { format!("1 {kind}") } else { format!("{count} {kind}s") }
    };
    let users: Vec<String> = lens.users.iter().map(count).collect();
    let encoding = server.settings.encoding;
    let places = lens.uses.iter().filter_map(|span| {
        convert::location(*span, &place.analysis.sources, &server.documents, encoding)
    });
    let places: Vec<lsp::Location> = places.collect();
    let arguments = vec![json!(uri), json!(range.start), json!(places)];
    let title = format!("used by {}", users.join(", "));
    command(range, title, "slipform.showReferences", arguments)
}

/// The environment that all values are of, and the way to another.
fn environment(place: &Place) -> Option<lsp::CodeLens> {
    let project = place.analysis.project.as_ref()?;
    if project.environments.is_empty() {
        return None;
    }
    let top = lsp::Position { line: 0, character: 0 };
    let arguments = vec![json!(project.environments), json!(project.environment)];
    let title = format!("environment: {}", project.environment);
    let range = lsp::Range { start: top, end: top };
    Some(command(range, title, "slipform.chooseEnvironment", arguments))
}

fn command(
    range: lsp::Range,
    title: String,
    command: &str,
    arguments: Vec<Value>,
) -> lsp::CodeLens {
    let command = lsp::Command {
        title,
        tooltip: None,
        command: command.to_owned(),
        arguments: Some(arguments),
    };
    lsp::CodeLens { range, command: Some(command), data: None }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactParams {
    text_document: lsp::TextDocumentIdentifier,
    path: String,
}

/// A file as it would be rendered, for a view beside the blueprint, and which of its lines are of which places of the blueprint,
/// so that both scroll together.
pub(super) fn artifact(server: &Server, params: &ArtifactParams) -> Option<Value> {
    let place = server.place(&params.text_document.uri)?;
    let all = rendered(&place.analysis).artifacts;
    let found = all.into_iter().find(|it| it.path.as_str() == params.path)?;
    let parts: Vec<Value> = parts(server, &place, &found.content);
    Some(json!({ "text": &*found.content, "parts": parts }))
}

/// The same for a file of its own.
pub(super) fn artifact_text(server: &Server, blueprint: &lsp::Uri, path: &str) -> Option<String> {
    let all = rendered(&server.place(blueprint)?.analysis).artifacts;
    let found = all.into_iter().find(|it| it.path.as_str() == path)?;
    Some(found.content.to_string())
}

/// The lines of a file that say what follows them is made for, with the heads of those nouns.
fn parts(server: &Server, place: &Place, text: &str) -> Vec<Value> {
    let Some(plan) = &place.analysis.plan else { return Vec::new() };
    let origins = plan.model.nouns.iter().map(|noun| (noun.origin.as_str(), noun.span));
    let origins: BTreeMap<&str, Span> = origins.collect();
    let said = |line: &str| origins.get(line.trim_start().strip_prefix("# ")?).copied();
    let lines = text.lines().enumerate();
    let said = lines.filter_map(|(line, text)| Some((line, said(text)?)));
    let encoding = server.settings.encoding;
    let part = |(line, span): (usize, Span)| {
        let at = convert::location(span, &place.analysis.sources, &server.documents, encoding)?;
        Some(json!({ "line": line, "uri": at.uri, "range": at.range }))
    };
    said.filter_map(part).collect()
}
