//! What can be done about a place: mends of what is reported there, refactorings, and all mends of the file at once.

use super::trial::{Trial, alike, better, same, worse};
use crate::convert;
use crate::render::is_large;
use crate::server::{Place, Server};
use gen_lsp_types as lsp;
use serde_json::{Value, json};
use slipform_analysis::ide::{self, ActionKind};
use slipform_model::Fix;
use slipform_source::{Span, World};

/// Every mend of a file at once.
const FIX_ALL: &str = "source.fixAll.slipform";

/// What puts something elsewhere.
const MOVE: &str = "refactor.move";

/// The kinds of actions that there are.
pub(crate) fn kinds() -> Vec<lsp::CodeActionKind> {
    vec![
        lsp::CodeActionKind::QuickFix,
        lsp::CodeActionKind::RefactorExtract,
        lsp::CodeActionKind::RefactorInline,
        lsp::CodeActionKind::from(MOVE.to_owned()),
        lsp::CodeActionKind::RefactorRewrite,
        lsp::CodeActionKind::from(FIX_ALL.to_owned()),
    ]
}

pub(super) fn actions(
    server: &Server,
    params: &lsp::CodeActionParams,
) -> Option<Vec<lsp::CodeAction>> {
    let place = server.place(&params.text_document.uri)?;
    let at = convert::offsets(&place.source, params.range, server.settings.encoding);
    let at = Span::new(place.file, at.start, at.end);
    let mut found = mends(server, &place, at);
    let asked = params.context.only.is_some();
    let refactors = place.analysis.can_be_rendered() && (asked || !is_large(&place.analysis));
    for action in ide::actions(&place.analysis, at) {
        let tried = refactors || matches!(action.kind, ActionKind::Mend | ActionKind::Fill);
        // of several ways to do the same the first that does it
        let known = found.iter().any(|it| it.title == action.fix.title);
        if !tried || known || !holds(server, params, &place, &action) {
            continue;
        }
        let kind = match action.kind {
            ActionKind::Mend | ActionKind::Fill => lsp::CodeActionKind::QuickFix,
            ActionKind::Extract | ActionKind::Component => lsp::CodeActionKind::RefactorExtract,
            ActionKind::Inline => lsp::CodeActionKind::RefactorInline,
            ActionKind::Rewrite => lsp::CodeActionKind::RefactorRewrite,
        };
        found.extend(action_of(server, &place, &action.fix, kind));
    }
    if refactors && server.settings.creates {
        found.extend(moved(server, &params.text_document.uri, &place, at));
    }
    if let Some(all) = ide::fix_all(&place.analysis, place.file) {
        let kind = lsp::CodeActionKind::from(FIX_ALL.to_owned());
        found.extend(action_of(server, &place, &all, kind));
    }
    let only = params.context.only.as_ref();
    found.retain(|action| is_wanted(action, only));
    Some(found)
}

/// Whether an action does what it says: what is filled in is for people to complete, a mend leaves nothing worse behind, an allowance silences what it is for, and a
/// refactoring changes nothing of what is rendered. Of a large blueprint refactorings are tried where somebody asks for them.
fn holds(
    server: &Server,
    params: &lsp::CodeActionParams,
    place: &Place,
    action: &ide::Action,
) -> bool {
    if action.kind == ActionKind::Fill {
        return true;
    }
    let before = &place.analysis;
    let uri = &params.text_document.uri;
    let Some(trial) = Trial::of(server, uri, before, &action.fix.edits) else { return false };
    let after = trial.now();
    match action.kind {
        ActionKind::Mend if action.allows => better(before, &after),
        ActionKind::Mend | ActionKind::Fill => worse(before, &after).is_none(),
        ActionKind::Component => alike(before, &after),
        ActionKind::Extract | ActionKind::Inline | ActionKind::Rewrite => same(before, &after),
    }
}

/// The noun at a place in a file of its own, where all is rendered then as it is.
fn moved(server: &Server, uri: &lsp::Uri, place: &Place, at: Span) -> Option<lsp::CodeAction> {
    let before = &place.analysis;
    let found = ide::moved(before, place.file, at.start as usize)?;
    let trial = Trial::of(server, uri, before, &found.edits)?.with(&found.path, &found.text);
    let is_free = server.documents.read(&found.path).is_err();
    if !is_free || !same(before, &trial.now()) {
        return None;
    }
    let (sources, encoding) = (&before.sources, server.settings.encoding);
    let edits = convert::workspace_edit(&found.edits, sources, &server.documents, encoding)?;
    let new = server.documents.uri(&found.path)?;
    let start = lsp::Position { line: 0, character: 0 };
    let whole = json!([{ "range": { "start": start, "end": start }, "newText": found.text }]);
    let changed = |uri: &lsp::Uri, edits: Value| json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits });
    let mut changes = vec![json!({ "kind": "create", "uri": new }), changed(&new, whole)];
    let old = edits.changes.unwrap_or_default();
    changes.extend(old.into_iter().map(|(uri, edits)| changed(&uri, json!(edits))));
    Some(lsp::CodeAction {
        title: found.title,
        kind: Some(lsp::CodeActionKind::from(MOVE.to_owned())),
        edit: serde_json::from_value(json!({ "documentChanges": changes })).ok(),
        ..Default::default()
    })
}

/// The fixes of what is reported at a place.
fn mends(server: &Server, place: &Place, at: Span) -> Vec<lsp::CodeAction> {
    let sources = &place.analysis.sources;
    let fixes = ide::fixes(&place.analysis, at).into_iter();
    let mend = |(diagnostic, fix): (&slipform_model::Diagnostic, &Fix)| {
        let shown = convert::diagnostic(diagnostic, sources, &server.documents, &server.settings);
        let action = action_of(server, place, fix, lsp::CodeActionKind::QuickFix)?;
        Some(lsp::CodeAction {
            diagnostics: shown.map(|shown| vec![shown]),
            is_preferred: Some(diagnostic.fixes.len() == 1),
            ..action
        })
    };
    fixes.filter_map(mend).collect()
}

fn action_of(
    server: &Server,
    place: &Place,
    fix: &Fix,
    kind: lsp::CodeActionKind,
) -> Option<lsp::CodeAction> {
    let (sources, encoding) = (&place.analysis.sources, server.settings.encoding);
    Some(lsp::CodeAction {
        title: fix.title.clone(),
        kind: Some(kind),
        edit: Some(convert::workspace_edit(&fix.edits, sources, &server.documents, encoding)?),
        ..Default::default()
    })
}

/// Whether an action is of a kind that is asked for: `refactor` asks for `refactor.extract` too, and the empty kind for all. What
/// mends all of a file is offered to those alone who ask for it.
fn is_wanted(action: &lsp::CodeAction, only: Option<&Vec<lsp::CodeActionKind>>) -> bool {
    let word = |kind: &lsp::CodeActionKind| {
        serde_json::to_value(kind).ok().and_then(|it| it.as_str().map(str::to_owned))
    };
    let Some(kind) = action.kind.as_ref().and_then(word) else { return only.is_none() };
    match only {
        None => kind != FIX_ALL,
        Some(only) => only.iter().filter_map(word).any(|asked| {
            let rest = kind.strip_prefix(&asked);
            asked.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }),
    }
}
