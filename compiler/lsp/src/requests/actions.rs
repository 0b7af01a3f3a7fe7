//! What can be done about a place: mends of what is reported there, refactorings, and all mends of the file at once.

use super::trial::{Trial, alike, better, edited, is_needed, is_refused, mends, same, worse};
use crate::convert;
use crate::render::{is_large, problems};
use crate::server::{Place, Server};
use gen_lsp_types as lsp;
use serde_json::{Value, json};
use slipform_analysis::Analysis;
use slipform_analysis::ide::{self, ActionKind};
use slipform_model::{Diagnostic, Fix};
use slipform_source::{FileId, Span, World};
use slipform_syntax::{format, parse};
use std::collections::BTreeSet;

/// Every mend of a file at once.
const FIX_ALL: &str = "source.fixAll.slipform";

/// Every name of a file that nothing speaks of, taken away.
const REMOVE_UNUSED: &str = "source.removeUnused.slipform";

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
        lsp::CodeActionKind::from(REMOVE_UNUSED.to_owned()),
    ]
}

pub(super) fn actions(
    server: &Server,
    params: &lsp::CodeActionParams,
) -> Option<Vec<lsp::CodeAction>> {
    let place = server.place(&params.text_document.uri)?;
    let at = convert::offsets(&place.source, params.range, server.settings.encoding);
    let at = Span::new(place.file, at.start, at.end);
    let reports = reports(server, &params.text_document.uri, &place);
    let mut found = mends_at(server, params, &place, &reports, at);
    found.extend(told(server, params, &place, &reports, at, &found));
    let mut allowed: BTreeSet<String> = BTreeSet::new();
    let asked = params.context.only.is_some();
    for fix in ide::imports(&place.analysis, &server.documents, &reports, at) {
        if !found.iter().any(|it| it.title == fix.title) {
            found.extend(action_of(server, &place, &fix, lsp::CodeActionKind::QuickFix));
        }
    }
    let refactors = place.analysis.can_be_rendered() && (asked || !is_large(&place.analysis));
    for action in ide::actions(&place.analysis, &reports, at) {
        let tried = refactors || matches!(action.kind, ActionKind::Mend | ActionKind::Fill);
        // of several ways to do the same the first that does it
        let known = found.iter().any(|it| it.title == action.fix.title)
            || action.allows.as_ref().is_some_and(|code| allowed.contains(code));
        if !tried || known || !holds(server, params, &place, &action) {
            continue;
        }
        allowed.extend(action.allows.clone());
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
    let wanted = |kind: &str| is_wanted_by_name(kind, params.context.only.as_ref());
    let all_mended = || all_that_mend(server, params, &place, &reports);
    let of_file = [
        (FIX_ALL, wanted(FIX_ALL).then(all_mended).flatten()),
        (REMOVE_UNUSED, ide::without_all_unused(&place.analysis, place.file)),
    ];
    for (kind, all) in of_file {
        let kind = lsp::CodeActionKind::from(kind.to_owned());
        found.extend(all.and_then(|all| action_of(server, &place, &all, kind)));
    }
    let only = params.context.only.as_ref();
    found.retain(|action| is_wanted(action, only));
    Some(settled(found))
}

/// Of a name that stands for nothing it is not certain that it is a text where a noun is there which nothing speaks of: that one goes
/// first then.
fn settled(mut found: Vec<lsp::CodeAction>) -> Vec<lsp::CodeAction> {
    let is_noun = |it: &lsp::CodeAction| it.title.contains(ide::UNSPOKEN);
    if found.iter().any(is_noun) {
        for action in found.iter_mut().filter(|it| it.is_preferred == Some(true)) {
            action.is_preferred = Some(false);
        }
        found.sort_by_key(|it| !is_noun(it));
    }
    found
}

/// What is reported of a blueprint, by its targets as well.
fn reports(server: &Server, uri: &lsp::Uri, place: &Place) -> Vec<Diagnostic> {
    let analysis = &place.analysis;
    let of_targets = match is_large(analysis) {
        true => server.told_by_targets(uri),
        false => problems(analysis),
    };
    analysis.diagnostics.iter().cloned().chain(of_targets).collect()
}

/// Whether an action does what it says: what is filled in is for people to complete, a mend leaves nothing worse behind, an allowance
/// silences what it is for and leaves something that can be written, and a refactoring changes nothing of what is rendered. Of a large blueprint refactorings are tried where somebody asks for them.
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
        ActionKind::Mend | ActionKind::Fill => match &action.allows {
            Some(code) => better(before, &after) && !is_needed(&after, code),
            None => {
                let edits = &action.fix.edits;
                worse(before, &after).is_none() && !is_refused(before, &after, edits)
            }
        },
        ActionKind::Component => alike(before, &after),
        ActionKind::Extract | ActionKind::Inline | ActionKind::Rewrite => same(before, &after),
    }
}

/// Whether the edits of reports mend them, and leave nothing as bad behind that is not there now.
fn is_sound(
    server: &Server,
    uri: &lsp::Uri,
    before: &Analysis,
    mended: &[&Diagnostic],
    edits: &[(Span, String)],
) -> bool {
    let trial = Trial::of(server, uri, before, edits);
    trial.is_some_and(|trial| mends(before, &trial.now(), edits, mended))
}

/// The edits of all problems of a file that can be mended in one way: where these together leave something behind that is not there
/// now, those that leave nothing new behind by themselves.
fn all_that_mend(
    server: &Server,
    params: &lsp::CodeActionParams,
    place: &Place,
    reports: &[Diagnostic],
) -> Option<Fix> {
    let before = &place.analysis;
    let uri = &params.text_document.uri;
    let is_sound =
        |mended: &[&Diagnostic], fix: &Fix| is_sound(server, uri, before, mended, &fix.edits);
    let (mended, all) = ide::fix_all(reports, place.file)?;
    if is_sound(&mended, &all) {
        return Some(all);
    }
    let alone = |it: &&Diagnostic| it.fixes.first().is_some_and(|fix| is_sound(&[*it], fix));
    let sound = mended.into_iter().filter(alone);
    let (mended, all) = ide::fix_all(sound, place.file)?;
    is_sound(&mended, &all).then_some(all)
}

/// Nouns at a place in a file of their own, where all is rendered then as it is but for remarks.
fn moved(server: &Server, uri: &lsp::Uri, place: &Place, at: Span) -> Vec<lsp::CodeAction> {
    let found = ide::moved(&place.analysis, at).into_iter();
    found.filter_map(|it| moved_so(server, uri, place, it)).collect()
}

fn moved_so(
    server: &Server,
    uri: &lsp::Uri,
    place: &Place,
    found: ide::Move,
) -> Option<lsp::CodeAction> {
    let before = &place.analysis;
    let trial = Trial::of(server, uri, before, &found.edits)?;
    let trial = found.files.iter().fold(trial, |trial, (path, text)| trial.with(path, text));
    let is_free = found.files.iter().all(|(path, _)| server.documents.read(path).is_err());
    // some files say in a remark what they were first needed for
    if !is_free || !alike(before, &trial.now()) {
        return None;
    }
    let edits = laid_out(server, place, &found.edits)?;
    let start = lsp::Position { line: 0, character: 0 };
    let whole =
        |text: &str| json!([{ "range": { "start": start, "end": start }, "newText": text }]);
    let changed = |uri: &lsp::Uri, edits: Value| json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits });
    let mut changes = Vec::new();
    for (path, text) in &found.files {
        let new = server.documents.uri(path)?;
        let text = format(&parse(place.file, text), text);
        changes.extend([json!({ "kind": "create", "uri": new }), changed(&new, whole(&text))]);
    }
    let old = edits.changes.unwrap_or_default();
    changes.extend(old.into_iter().map(|(uri, edits)| changed(&uri, json!(edits))));
    Some(lsp::CodeAction {
        title: found.title,
        kind: Some(lsp::CodeActionKind::from(MOVE.to_owned())),
        edit: serde_json::from_value(json!({ "documentChanges": changes })).ok(),
        ..Default::default()
    })
}

/// The fixes of what is reported at a place, in the environment that is chosen and in the others.
fn mends_at(
    server: &Server,
    params: &lsp::CodeActionParams,
    place: &Place,
    reports: &[Diagnostic],
    at: Span,
) -> Vec<lsp::CodeAction> {
    let (before, sources) = (&place.analysis, &place.analysis.sources);
    let uri = &params.text_document.uri;
    // of a large blueprint what is reported is taken at its word
    let is_preferred = |report: &Diagnostic| match report.fixes.as_slice() {
        [fix] => is_large(before) || is_sound(server, uri, before, &[report], &fix.edits),
        _ => false,
    };
    let mend = |diagnostic: &Diagnostic, fix: &Fix, is_preferred: bool| {
        let shown = convert::diagnostic(diagnostic, sources, &server.documents, &server.settings);
        let action = action_of(server, place, fix, lsp::CodeActionKind::QuickFix)?;
        Some(lsp::CodeAction {
            diagnostics: shown.map(|shown| vec![shown]),
            is_preferred: Some(is_preferred),
            ..action
        })
    };
    let elsewhere = server.mends_elsewhere(uri);
    let here = ide::fixes(reports, at).into_iter();
    let here = here.filter_map(|(report, fix)| mend(report, fix, is_preferred(report)));
    let there = ide::fixes(&elsewhere, at).into_iter();
    here.chain(there.filter_map(|(report, fix)| mend(report, fix, false))).collect()
}

/// Reports whose mends are looked for, mends of each that are tried, and those that are offered.
const MOST_TOLD: (usize, usize, usize) = (2, 6, 2);

/// The same where the cursor only went by: an editor that shows a sign wants to know whether there is anything.
const TOLD_IN_PASSING: (usize, usize, usize) = (1, 2, 1);

/// What reports without edits tell of how they are mended, where it does mend them. Of a large blueprint it is tried where somebody
/// asks for it.
fn told(
    server: &Server,
    params: &lsp::CodeActionParams,
    place: &Place,
    reports: &[Diagnostic],
    at: Span,
    known: &[lsp::CodeAction],
) -> Vec<lsp::CodeAction> {
    let before = &place.analysis;
    let uri = &params.text_document.uri;
    if is_large(before) && params.context.only.is_none() {
        return Vec::new();
    }
    let in_passing = params.context.trigger_kind == Some(lsp::CodeActionTriggerKind::Automatic);
    let (most_reports, most_tried, most_offered) =
        if in_passing { TOLD_IN_PASSING } else { MOST_TOLD };
    let is_bare = |it: &&Diagnostic| {
        it.fixes.is_empty() && it.labels.iter().take(2).any(|label| label.span.meets(at))
    };
    let mut found = Vec::new();
    for report in reports.iter().filter(is_bare).take(most_reports) {
        let tried = ide::told(before, report).into_iter().take(most_tried);
        let sound = tried.filter(|fix| is_sound(server, uri, before, &[report], &fix.edits));
        for fix in sound.take(most_offered) {
            let (sources, documents) = (&before.sources, &server.documents);
            let encoding = server.settings.encoding;
            let edit = convert::workspace_edit(&fix.edits, sources, documents, encoding);
            let shown = convert::diagnostic(report, sources, documents, &server.settings);
            let is_new = |it: &lsp::CodeAction| it.title != fix.title && it.edit != edit;
            if !known.iter().chain(&found).all(is_new) {
                continue;
            }
            let action = action_of(server, place, &fix, lsp::CodeActionKind::QuickFix);
            found.extend(action.map(|action| lsp::CodeAction {
                diagnostics: shown.map(|shown| vec![shown]),
                ..action
            }));
        }
    }
    found
}

fn action_of(
    server: &Server,
    place: &Place,
    fix: &Fix,
    kind: lsp::CodeActionKind,
) -> Option<lsp::CodeAction> {
    Some(lsp::CodeAction {
        title: fix.title.clone(),
        kind: Some(kind),
        edit: Some(laid_out(server, place, &fix.edits)?),
        ..Default::default()
    })
}

/// Edits after which a text is laid out that was laid out before.
fn laid_out(
    server: &Server,
    place: &Place,
    edits: &[(Span, String)],
) -> Option<lsp::WorkspaceEdit> {
    let (sources, encoding) = (&place.analysis.sources, server.settings.encoding);
    let mut edit = convert::workspace_edit(edits, sources, &server.documents, encoding)?;
    if is_large(&place.analysis) {
        return Some(edit);
    }
    let files: BTreeSet<FileId> = edits.iter().map(|(span, _)| span.file).collect();
    for file in files {
        let source = sources.get(file)?;
        let own = edits.iter().filter(|(span, _)| span.file == file);
        if source.path.extension() != Some("bp") || !is_laid_out(file, &source.text) {
            continue;
        }
        let then = edited(&source.text, own)?;
        let tree = parse(file, &then);
        if tree.problems.is_empty() && !is_laid_out(file, &then) {
            let edits = convert::text_edits(source, &format(&tree, &then), encoding);
            let uri = server.documents.uri(&source.path)?;
            edit.changes.get_or_insert_default().insert(uri, edits);
        }
    }
    Some(edit)
}

fn is_laid_out(file: FileId, text: &str) -> bool {
    format(&parse(file, text), text) == text
}

/// Whether an action is of a kind that is asked for: `refactor` asks for `refactor.extract` too, and the empty kind for all. What
/// mends all of a file is offered to those alone who ask for it.
fn is_wanted(action: &lsp::CodeAction, only: Option<&Vec<lsp::CodeActionKind>>) -> bool {
    let Some(kind) = action.kind.as_ref().and_then(kind_name) else { return only.is_none() };
    is_wanted_by_name(&kind, only)
}

fn is_wanted_by_name(kind: &str, only: Option<&Vec<lsp::CodeActionKind>>) -> bool {
    match only {
        None => ![FIX_ALL, REMOVE_UNUSED].contains(&kind),
        Some(only) => only.iter().filter_map(kind_name).any(|asked| {
            let rest = kind.strip_prefix(&asked);
            asked.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }),
    }
}

fn kind_name(kind: &lsp::CodeActionKind) -> Option<String> {
    serde_json::to_value(kind).ok().and_then(|it| it.as_str().map(str::to_owned))
}
