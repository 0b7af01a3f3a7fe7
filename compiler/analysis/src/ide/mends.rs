//! Mends of rules that take more than a place and a value: they write what is free, or another noun.

use super::actions::{into_block, top_at};
use super::components::free;
use super::cursor::{Cursor, each_stmt, is_own, tree};
use super::ranges;
use super::references::uses;
use super::unused::unused;
use crate::Analysis;
use crate::infer::{NAMES_UNKNOWN, key_text};
use crate::program::declared_name;
use slipform_model::nouns::{Kind, Place, Registry};
use slipform_model::{Diagnostic, Fix, Noun};
use slipform_source::Span;
use slipform_syntax::tree::{Entry, Expr, ExprKind, Name, Stmt, StmtKind, StrPart};
use slipform_syntax::{NodeRef, walk};
use std::collections::BTreeSet;

/// What mends a report, where everything that it takes is known.
type Mend = fn(&Analysis, &Diagnostic) -> Option<Fix>;

/// By the code of the rule that reports.
const MENDS: &[(&str, Mend)] = &[
    ("cluster/literal-secret", from_secret),
    ("network/gke-ranges", with_ranges),
    ("vertex/registry", pushed_nearby),
];

/// What is said of a name that may be meant.
pub const UNSPOKEN: &str = "which nothing speaks of";

/// So many names are tried that a name which stands for nothing may mean.
const MOST_MEANT: usize = 4;

/// The mends of what is reported at a place.
pub(super) fn mends(analysis: &Analysis, reports: &[Diagnostic], at: Span) -> Vec<Fix> {
    let here = reports.iter().filter(|it| it.labels.iter().any(|label| label.span.meets(at)));
    let mends = here.flat_map(|report| {
        let known = MENDS.iter().filter(|(code, _)| report.code == **code);
        known.filter_map(|(_, mend)| mend(analysis, report))
    });
    mends.chain(renamed(analysis, reports, at)).collect()
}

/// A name that stands for nothing, written as one that nothing speaks of, wherever it stands: one that was renamed by hand. Of several
/// the editor offers those that fit.
fn renamed(analysis: &Analysis, reports: &[Diagnostic], at: Span) -> Vec<Fix> {
    let is_unknown = |it: &&Diagnostic| {
        it.code == NAMES_UNKNOWN.name && it.span().is_some_and(|span| span.meets(at))
    };
    let Some(here) = reports.iter().find(is_unknown).and_then(Diagnostic::span) else {
        return Vec::new();
    };
    let places = unknown_like(analysis, here);
    // what was misspelt once has its edit; that it be a text is another thing that it may mean
    let writes_name = |(_, text): &(Span, String)| !text.starts_with('"');
    let names_one = |fix: &Fix| fix.edits.iter().any(writes_name);
    let is_mended =
        reports.iter().any(|it| it.span() == Some(here) && it.fixes.iter().any(names_one));
    if places.is_empty() || is_mended && places.len() < 2 {
        return Vec::new();
    }
    let idle = unspoken(analysis, here).into_iter().take(MOST_MEANT);
    let fix = |name: String| {
        let title = match places.len() {
            1 => format!("write `{name}`, {UNSPOKEN}"),
            count => format!("write `{name}`, {UNSPOKEN}, in all {count} places"),
        };
        Fix { title, edits: places.iter().map(|span| (*span, name.clone())).collect() }
    };
    idle.map(fix).collect()
}

/// Where a file of the blueprint writes a name as one at a place, and it stands for nothing.
fn unknown_like(analysis: &Analysis, here: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let own = tree(analysis, here.file).filter(|_| is_own(analysis, here.file));
    let Some(own) = own else { return found };
    let written = analysis.sources.text(here);
    walk(own, &mut |node| {
        let NodeRef::Expr(Expr { kind: ExprKind::Name(name), span }) = node else { return };
        let known = || analysis.index.at(here.file, span.start as usize);
        if **name == *written && known().is_none_or(|it| it.declared.is_none()) {
            found.push(*span);
        }
    });
    found
}

/// What may be named at a place, is declared in its file and nothing speaks of: nouns and values, in their order.
fn unspoken(analysis: &Analysis, here: Span) -> Vec<String> {
    let Some(tree) = tree(analysis, here.file) else { return Vec::new() };
    let mut nouns: Vec<&Name> = Vec::new();
    in_scope(&tree.stmts, here, &mut nouns);
    let idle = nouns.into_iter().filter(|it| uses(analysis, it.span).is_empty());
    let mut found: Vec<(Span, String)> = idle.map(|it| (it.span, it.value.to_string())).collect();
    let values = unused(analysis, here.file).into_iter().filter(|it| it.word != "use");
    found.extend(values.map(|it| (it.span, it.name)));
    found.sort_by_key(|(span, _)| *span);
    found.into_iter().map(|(_, name)| name).collect()
}

/// The names of nouns that stand beside a place, or beside what it stands in: those inside of another noun have no name outside of it.
fn in_scope<'t>(stmts: &'t [Stmt], here: Span, found: &mut Vec<&'t Name>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Decl(decl) => {
                found.extend(declared_name(stmt));
                if stmt.span.covers(here) {
                    in_scope(&decl.body, here, found);
                }
            }
            StmtKind::If(choice) => {
                in_scope(&choice.then, here, found);
                in_scope(choice.otherwise.as_deref().unwrap_or_default(), here, found);
            }
            StmtKind::For(round) if stmt.span.covers(here) => in_scope(&round.body, here, found),
            _ => {}
        }
    }
}

/// The place of a label, in a file of the blueprint.
pub(super) fn pointed<'a>(
    analysis: &'a Analysis,
    report: &Diagnostic,
    label: usize,
) -> Option<Cursor<'a>> {
    let span = report.labels.get(label)?.span;
    let cursor = Cursor::new(analysis, span.file, span.start as usize);
    cursor.filter(|_| is_own(analysis, span.file))
}

/// The ranges that the network of a cluster lacks, of the usual size, where nothing else is.
fn with_ranges(analysis: &Analysis, report: &Diagnostic) -> Option<Fix> {
    let cursor = pointed(analysis, report, 1)?;
    let network = cursor.decls().next()?;
    let mut written: BTreeSet<&str> = BTreeSet::new();
    each_stmt(&network.body, &mut |stmt| {
        if let StmtKind::Attr(attr) = &stmt.kind {
            written.insert(&attr.name.value);
        }
    });
    let lacking = ["pods", "services"].into_iter().filter(|it| !written.contains(it));
    let lines = ranges::usual(analysis, lacking);
    let named: Vec<String> = lines.iter().map(|(name, net)| format!("`{name} = {net}`")).collect();
    let name = network.name.as_ref()?;
    let title = format!("add {} to `{}`", named.join(" and "), name.value);
    let edit = into_block(&cursor, network, &lines)?;
    Some(Fix { title, edits: vec![edit] })
}

/// A variable that reads what was written out from a secret, which is called like the variable.
fn from_secret(analysis: &Analysis, report: &Diagnostic) -> Option<Fix> {
    let cursor = pointed(analysis, report, 0)?;
    let at = report.labels.first()?.span;
    let entry = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Entry(entry @ Entry { value, .. }) if value.span == at => Some(entry),
        _ => None,
    })?;
    let variable = key_text(&entry.key)?;
    let secret = variable.to_lowercase().replace('_', "-");
    let title = format!("read `{variable}` from a secret `{secret}`");
    Some(Fix { title, edits: vec![(at, format!("secret(\"{}\")", secret.trim_matches('-')))] })
}

/// A copy of an image in a registry of the region where it runs.
fn pushed_nearby(analysis: &Analysis, report: &Diagnostic) -> Option<Fix> {
    let cursor = pointed(analysis, report, 0)?;
    let at = report.labels.first()?.span;
    let reference = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Expr(Expr { kind: ExprKind::Str(parts), span }) if *span == at => {
            match parts.as_slice() {
                [StrPart::Text(text)] => Some(&**text),
                _ => None,
            }
        }
        _ => None,
    })?;
    let region =
        cursor.decls().flat_map(|decl| cursor.nouns(decl)).find_map(|it| region(analysis, it))?;
    let name = free(&cursor, &called(reference)?);
    let (registry, more) = match registry_in(analysis, region) {
        Some(registry) => (registry.to_owned(), String::new()),
        None => {
            let new = free(&cursor, "images");
            let text = format!("registry {new} {{\n  location = \"{region}\"\n}}\n\n");
            (new, text)
        }
    };
    let top = cursor.path.iter().find_map(|node| match node {
        NodeRef::Stmt(stmt) => Some(top_at(cursor.text, stmt.span.start as usize)),
        _ => None,
    })?;
    let image =
        format!("image {name} {{\n  from    = \"{reference}\"\n  push_to = {registry}\n}}\n\n");
    let before = Span::new(cursor.file, top, top);
    let title = format!("copy it to `{registry}` in {region} as `image {name}`");
    Some(Fix { title, edits: vec![(before, more + &image), (at, name)] })
}

/// The region of the machines of Vertex AI that a workload or a group runs on.
fn region<'a>(analysis: &'a Analysis, noun: &Noun) -> Option<&'a str> {
    let plan = analysis.plan.as_ref()?;
    let place = plan.gang(noun.id)?.program.place.value;
    let Place::Vertex(cluster) = place else { return None };
    Some(&plan.model.body(cluster)?.region.value)
}

/// A registry of a region that every file of the blueprint's own may name.
fn registry_in<'a>(analysis: &'a Analysis, region: &str) -> Option<&'a str> {
    let is_there = |noun: &&Noun| {
        let there = Registry::of(&noun.body).is_some_and(|it| it.location.value == region);
        there && noun.parent.is_none()
    };
    let is_plain = |noun: &&Noun| noun.path.chars().all(crate::source_text::is_word);
    let nouns = analysis.plan.as_ref()?.model.nouns.iter();
    nouns.filter(is_there).find(is_plain).map(|noun| noun.path.as_str())
}

/// What an image is called at the end of its reference, as a name of a blueprint: `pytorch` of `nvcr.io/nvidia/pytorch:25.01-py3`.
fn called(reference: &str) -> Option<String> {
    let last = reference.rsplit('/').next()?;
    let name = last.split(['@', ':']).next()?;
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.to_ascii_lowercase())
}
