//! Finding one's way: where something is declared and used, what it is called, and what it is tied to.

use super::trial::{Trial, worse_renamed};
use super::{At, Whole, spot};
use crate::convert;
use crate::documents::path_of;
use crate::server::{Place, Server};
use crate::tested;
use camino::Utf8PathBuf;
use gen_lsp_types as lsp;
use serde::Deserialize;
use serde_json::{Value, json};
use slipform_analysis::{Analysis, ide};
use slipform_source::{SourceFile, Span, World};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn definition(server: &Server, at: &At) -> Option<lsp::Location> {
    let spot = spot(server, at)?;
    let span = ide::definition(&spot.place.analysis, spot.place.file, spot.offset)?;
    location(server, &spot.place, span)
}

pub(super) fn type_definition(server: &Server, at: &At) -> Option<lsp::Location> {
    let spot = spot(server, at)?;
    let span = ide::type_definition(&spot.place.analysis, spot.place.file, spot.offset)?;
    location(server, &spot.place, span)
}

fn location(server: &Server, place: &Place, span: Span) -> Option<lsp::Location> {
    convert::location(span, &place.analysis.sources, &server.documents, server.settings.encoding)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReferencesParams {
    #[serde(flatten)]
    at: At,
    context: Declared,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declared {
    include_declaration: bool,
}

pub(super) fn references(server: &Server, params: &ReferencesParams) -> Option<Vec<lsp::Location>> {
    let spot = spot(server, &params.at)?;
    let found = ide::references(&spot.place.analysis, spot.place.file, spot.offset)?;
    let declared = params.context.include_declaration.then_some(found.declared);
    let spans = declared.into_iter().chain(found.uses);
    let own = spans.filter_map(|span| location(server, &spot.place, span));
    let tested = in_others(server, &spot.place.analysis, found.declared);
    Some(own.chain(tested).collect())
}

/// Where other open blueprints, and tests that nobody has open, speak of what is declared at a place.
fn in_others(server: &Server, analysis: &Analysis, declared: Span) -> Vec<lsp::Location> {
    let Some(home) = analysis.sources.get(declared.file) else { return Vec::new() };
    if ide::library_text(&home.path).is_some() {
        return Vec::new();
    }
    let mut known: BTreeSet<Utf8PathBuf> =
        analysis.sources.iter().map(|(_, source)| source.path.clone()).collect();
    let mut found = Vec::new();
    for other in server.analyses().chain(tested::analyses(server)) {
        let Some(file) = other.sources.find(&home.path) else { continue };
        let uses = ide::references(&other, file, declared.start as usize).map(|it| it.uses);
        let path = |span: &Span| other.sources.get(span.file).map(|it| it.path.clone());
        let is_new = |span: &Span| path(span).is_some_and(|path| !known.contains(&path));
        let (documents, encoding) = (&server.documents, server.settings.encoding);
        let places: Vec<Span> = uses.into_iter().flatten().filter(is_new).collect();
        known.extend(places.iter().filter_map(path));
        let place = |it| convert::location(it, &other.sources, documents, encoding);
        found.extend(places.into_iter().filter_map(place));
    }
    found
}

pub(super) fn highlights(server: &Server, at: &At) -> Option<Vec<lsp::DocumentHighlight>> {
    let spot = spot(server, at)?;
    let found = ide::references(&spot.place.analysis, spot.place.file, spot.offset)?;
    let kind = |span: Span| {
        let declares = span == found.declared;
        if declares { lsp::DocumentHighlightKind::Write } else { lsp::DocumentHighlightKind::Read }
    };
    let spans = std::iter::once(found.declared).chain(found.uses.iter().copied());
    let here = spans.filter(|span| span.file == spot.place.file && span.start < span.end);
    let highlight = |span: Span| lsp::DocumentHighlight {
        range: convert::range(&spot.place.source, span, server.settings.encoding),
        kind: Some(kind(span)),
    };
    Some(here.map(highlight).collect())
}

/// What would be renamed, or why nothing can be.
pub(super) fn prepare_rename(server: &Server, at: &At) -> Result<Option<Value>, String> {
    let Some(spot) = spot(server, at) else { return Ok(None) };
    let found = ide::renamed(&spot.place.analysis, spot.place.file, spot.offset)?;
    let range = convert::range(&spot.place.source, found.span, server.settings.encoding);
    Ok(Some(json!({ "range": range, "placeholder": found.name })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RenameParams {
    #[serde(flatten)]
    at: At,
    new_name: String,
}

/// The edits of a rename: none that would break the blueprint, or let a word mean something else.
pub(super) fn rename(
    server: &Server,
    params: &RenameParams,
) -> Result<Option<lsp::WorkspaceEdit>, String> {
    let Some(spot) = spot(server, &params.at) else { return Ok(None) };
    let analysis = &spot.place.analysis;
    let found = ide::renamed(analysis, spot.place.file, spot.offset)?;
    let new = params.new_name.as_str();
    if !ide::is_name(&found.name, new) {
        return Err(format!("`{new}` cannot be a name"));
    }
    if new == found.name {
        return Ok(Some(lsp::WorkspaceEdit::default()));
    }
    let edits = renamings(analysis, &found.places, new);
    let carried = carried(server, analysis, &found, new);
    let uri = &params.at.text_document.uri;
    let names = (found.name.as_str(), new);
    let trial = Trial::of(server, uri, analysis, &edits).ok_or("it is not open")?;
    let trial = carried.iter().fold(trial, |trial, (other, edits)| trial.and(other, edits));
    for (before, then) in trial.in_every_environment(analysis) {
        if let Some(why) = worse_renamed(&before, &then, names) {
            return Err(format!("`{new}` would not do: {why}"));
        }
    }
    for (path, before, then) in trial.in_other_blueprints() {
        if let Some(why) = worse_renamed(&before, &then, names) {
            let file = path.file_name().unwrap_or(path.as_str());
            return Err(format!("`{new}` would not do in the blueprint `{file}`: {why}"));
        }
    }
    if uses(&trial.now(), &found, new) != found.places.len() {
        return Err(format!("`{new}` means something else where `{}` stands", found.name));
    }
    let all = std::iter::once((analysis, &edits)).chain(carried.iter().map(|(it, own)| (it, own)));
    let mut whole = lsp::WorkspaceEdit::default();
    for (analysis, edits) in all {
        let (sources, encoding) = (&analysis.sources, server.settings.encoding);
        let edit = convert::workspace_edit(edits, sources, &server.documents, encoding);
        let changes = edit.ok_or("a file is gone")?.changes.unwrap_or_default();
        whole.changes.get_or_insert_default().extend(changes);
    }
    Ok(Some(whole))
}

/// The new name in each place, in quotes where the old one stands in such.
fn renamings(analysis: &Analysis, places: &[Span], new: &str) -> Vec<(Span, String)> {
    let named = |span: &Span| {
        let quoted = analysis.sources.text(*span).starts_with('"');
        if quoted { format!("\"{new}\"") } else { new.to_owned() }
    };
    places.iter().map(|span| (*span, named(span))).collect()
}

/// Edits of a blueprint.
type EditsOf = (Arc<Analysis>, Vec<(Span, String)>);

/// The same in the files that only other open blueprints read, or tests, which use the file where the name is declared.
fn carried(
    server: &Server,
    analysis: &Arc<Analysis>,
    found: &ide::Renamed,
    new: &str,
) -> Vec<EditsOf> {
    let Some(declared) = analysis.sources.get(found.declared.file) else { return Vec::new() };
    let mut known: BTreeSet<Utf8PathBuf> =
        analysis.sources.iter().map(|(_, source)| source.path.clone()).collect();
    let mut carried = Vec::new();
    let others = server.analyses().filter(|other| !Arc::ptr_eq(other, analysis));
    for other in others.chain(tested::analyses(server)) {
        let Some(file) = other.sources.find(&declared.path) else { continue };
        let offset = found.declared.start as usize;
        let Ok(there) = ide::renamed(&other, file, offset) else { continue };
        let path = |span: &Span| other.sources.get(span.file).map(|it| it.path.clone());
        let is_new = |span: &Span| path(span).is_some_and(|path| !known.contains(&path));
        let places: Vec<Span> = there.places.into_iter().filter(is_new).collect();
        known.extend(places.iter().filter_map(path));
        let edits = renamings(&other, &places, new);
        carried.push((other.clone(), edits));
    }
    carried
}

/// How many places speak of what was renamed, once it is.
fn uses(after: &Analysis, found: &ide::Renamed, new: &str) -> usize {
    let same_file = found.places.iter().filter(|span| span.file == found.span.file);
    let before = same_file.filter(|span| span.start < found.span.start).count();
    let longer = new.len() as isize - found.name.len() as isize;
    let start = found.span.start as isize + before as isize * longer;
    let offset = usize::try_from(start).unwrap_or(0) + new.len() / 2;
    ide::renamed(after, found.span.file, offset).map_or(0, |renamed| renamed.places.len())
}

#[derive(Deserialize)]
pub(super) struct Query {
    query: String,
}

/// The declarations of all open blueprints whose names have the letters of a query in their order.
pub(super) fn workspace_symbols(
    server: &Server,
    params: &Query,
) -> Option<Vec<lsp::WorkspaceSymbol>> {
    let query = params.query.to_lowercase();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for analysis in server.analyses() {
        let own = |it: &SourceFile| ide::library_text(&it.path).is_none();
        for (file, source) in analysis.sources.iter().filter(|(_, it)| own(it)) {
            if !seen.insert(source.path.clone()) {
                continue;
            }
            let Some(uri) = server.documents.uri(&source.path) else { continue };
            let named = Named { server, uri: &uri, source, query: &query };
            named.add(ide::symbols(&analysis, file), None, &mut found);
        }
    }
    Some(found)
}

/// Symbols of one file that a query asks for.
struct Named<'a> {
    server: &'a Server,
    uri: &'a lsp::Uri,
    source: &'a SourceFile,
    query: &'a str,
}

impl Named<'_> {
    fn add(
        &self,
        symbols: Vec<ide::Symbol>,
        inside: Option<&str>,
        found: &mut Vec<lsp::WorkspaceSymbol>,
    ) {
        for symbol in symbols {
            if has_letters(&symbol.name, self.query) {
                let encoding = self.server.settings.encoding;
                let range = convert::range(self.source, symbol.name_span, encoding);
                found.push(lsp::WorkspaceSymbol {
                    location: lsp::Location { uri: self.uri.clone(), range }.into(),
                    data: None,
                    base_symbol_information: lsp::BaseSymbolInformation {
                        name: symbol.name.clone(),
                        kind: convert::symbol_kind(symbol.kind),
                        tags: None,
                        container_name: inside.map(str::to_owned),
                    },
                });
            }
            self.add(symbol.children, Some(&symbol.name), found);
        }
    }
}

/// Whether a name has the letters of a query, in their order.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

/// What becomes of the paths of `use`s before files and folders get other names.
pub(super) fn repathed(
    server: &Server,
    params: &lsp::RenameFilesParams,
) -> Option<lsp::WorkspaceEdit> {
    let mut all = lsp::WorkspaceEdit::default();
    for analysis in server.analyses().chain(tested::analyses(server)) {
        let renamed = params.files.iter().filter_map(|file| {
            let (old, new) = (path_of(&file.old_uri)?, path_of(&file.new_uri)?);
            Some(ide::repathed(&analysis, &old, &new))
        });
        let edits: Vec<(Span, String)> = renamed.flatten().collect();
        let encoding = server.settings.encoding;
        let edit = convert::workspace_edit(&edits, &analysis.sources, &server.documents, encoding)?;
        // blueprints that read the same file say the same of it
        all.changes.get_or_insert_default().extend(edit.changes.unwrap_or_default());
    }
    Some(all)
}

/// Where files that are spoken of lie: those that a `use` names, and what was rendered of the nouns.
pub(super) fn links(server: &Server, params: &Whole) -> Option<Vec<lsp::DocumentLink>> {
    let place = server.place(&params.text_document.uri)?;
    let links = ide::links(&place.analysis, place.file).into_iter().filter_map(|(span, to)| {
        let path = &place.analysis.sources.get(to)?.path;
        Some(lsp::DocumentLink {
            range: convert::range(&place.source, span, server.settings.encoding),
            target: Some(server.documents.uri(path)?),
            tooltip: Some(path.to_string()),
            data: None,
        })
    });
    Some(links.chain(artifacts(server, &params.text_document.uri, &place)).collect())
}

/// The first word of each head leads to what was last built of it: of several files to the one that the fewest nouns share.
fn artifacts(server: &Server, uri: &lsp::Uri, place: &Place) -> Vec<lsp::DocumentLink> {
    let analysis = &place.analysis;
    let Some(project) = &analysis.project else { return Vec::new() };
    let out = project.out.join(&project.environment);
    let files = server.files(uri, analysis);
    let nouns = || analysis.plan.iter().flat_map(|plan| &plan.model.nouns);
    let speaks = |text: &str, paths: &[String]| {
        let own = nouns().filter(|noun| paths.contains(&noun.path));
        let origins: BTreeSet<&str> = own.map(|noun| noun.origin.as_str()).collect();
        let mut remarks = text.lines().filter_map(|line| line.trim_start().strip_prefix("# "));
        remarks.any(|remark| origins.contains(remark))
    };
    let link = |lens: ide::Lens| {
        let own = files.of(lens.nouns.iter().map(String::as_str)).into_iter();
        let built = own.filter_map(|it| {
            let on_disk = out.join(&it.path);
            let text = server.documents.read(&on_disk).ok()?;
            // a file that says what it is made for, then one that is of few, and a page last
            let rank =
                (!speaks(&text, &lens.nouns), it.path.extension() == Some("md"), it.shared_by);
            Some((rank, &it.path, on_disk))
        });
        let (_, path, on_disk) = built.min_by_key(|(rank, ..)| *rank)?;
        let head = analysis.sources.text(lens.node.span);
        let word = head.split_whitespace().next()?.len();
        let start = lens.node.span.start as usize;
        let span = Span::new(place.file, start, start + word);
        Some(lsp::DocumentLink {
            range: convert::range(&place.source, span, server.settings.encoding),
            target: Some(server.documents.uri(&on_disk)?),
            tooltip: Some(format!("{path}, as it was built last")),
            data: None,
        })
    };
    ide::lenses(analysis, place.file).into_iter().filter_map(link).collect()
}

/// The noun at the cursor, for a view of what it needs and of what needs it.
pub(super) fn prepare_calls(server: &Server, at: &At) -> Option<Vec<lsp::CallHierarchyItem>> {
    let spot = spot(server, at)?;
    let node = ide::node_at(&spot.place.analysis, spot.place.file, spot.offset)?;
    Some(vec![item(server, &spot.place, node)?])
}

fn item(server: &Server, place: &Place, node: ide::Node) -> Option<lsp::CallHierarchyItem> {
    let at = location(server, place, node.span)?;
    let name = location(server, place, node.name)?;
    Some(lsp::CallHierarchyItem {
        name: node.path,
        kind: lsp::SymbolKind::Object,
        tags: None,
        detail: Some(node.kind),
        uri: at.uri,
        range: at.range,
        selection_range: name.range,
        data: None,
    })
}

#[derive(Deserialize)]
pub(super) struct Item {
    item: lsp::CallHierarchyItem,
}

/// What a noun needs.
pub(super) fn outgoing(server: &Server, params: &Item) -> Option<Vec<Value>> {
    let place = server.place(&params.item.uri)?;
    let ties = ide::needs(&place.analysis, &params.item.name);
    Some(ties.into_iter().filter_map(|tie| tied(server, &place, tie, "to")).collect())
}

/// What needs a noun.
pub(super) fn incoming(server: &Server, params: &Item) -> Option<Vec<Value>> {
    let place = server.place(&params.item.uri)?;
    let ties = ide::needed_by(&place.analysis, &params.item.name);
    Some(ties.into_iter().filter_map(|tie| tied(server, &place, tie, "from")).collect())
}

fn tied(server: &Server, place: &Place, tie: ide::Tie, end: &str) -> Option<Value> {
    let spans = tie.spans.iter().filter_map(|span| location(server, place, *span));
    let ranges: Vec<lsp::Range> = spans.map(|it| it.range).collect();
    Some(json!({ end: item(server, place, tie.node)?, "fromRanges": ranges }))
}
