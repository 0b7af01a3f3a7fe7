//! What nothing speaks of: names that could go.

use super::actions::lines_of;
use super::cursor::{is_own, own_trees, tree, word_at};
use super::definition::used_files;
use super::references::{speaks_of, target, word};
use crate::Analysis;
use crate::infer::NAMES_UNKNOWN;
use crate::load::NAMES_USE_CYCLE;
use crate::source_text::taken;
use slipform_model::{Diagnostic, nearest};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Expr, ExprKind, Name, Stmt, StmtKind, Tree, Use};
use slipform_syntax::{NodeRef, walk};
use std::collections::{BTreeMap, BTreeSet};

slipform_source::codes! {
    pub(crate) CODES;
    pub NAMES_UNUSED = "names/unused":
        "a `let`, a `param` or a `use` that nothing speaks of; editors show it paler, and it stops nothing",
        "remove it, or speak of it";
}

/// What nothing speaks of in the blueprint's own files, as editors are told of it.
pub fn idle(analysis: &Analysis) -> Vec<Diagnostic> {
    let found = own_trees(analysis).flat_map(|tree| unused(analysis, tree.file));
    let found: Vec<Unused> = found.collect();
    let unknown = unknown(analysis);
    let is_value = |it: &&Unused| it.word != "use";
    let one = found.iter().filter(is_value).count() == 1 && unknown.len() == 1;
    // a name that nothing stands for may be that of what nothing speaks of: one was changed and the other not
    let is_meant = |it: &Unused| {
        let mut unknown = unknown.iter();
        let near = |name: &str| nearest(name, [it.name.as_str()]).is_some();
        unknown.any(|(name, file)| one && *file == it.span.file || near(name))
    };
    let told = found.iter().filter(|it| !is_value(it) || !is_meant(it));
    let told = told.map(|it| {
        let message = format!("nothing speaks of the {} `{}`", it.word, it.name);
        Diagnostic::advice(NAMES_UNUSED, message, it.span)
    });
    told.collect()
}

/// The names of the blueprint that stand for nothing.
fn unknown(analysis: &Analysis) -> BTreeSet<(&str, FileId)> {
    let reports = analysis.diagnostics.iter().filter(|it| it.code == NAMES_UNKNOWN.name);
    let spans = reports.filter_map(Diagnostic::span);
    spans.map(|span| (analysis.sources.text(span), span.file)).collect()
}

/// A name that nothing speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Where it is declared, or brought in.
    pub span: Span,
    /// What it is: `param`, `let`, `use`.
    pub word: &'static str,
    /// How it is called.
    pub name: String,
    /// From where to where it goes, where it can.
    pub gone: Option<Span>,
    /// The statement that brings it in.
    stmt: Span,
}

/// The `let`, `param` and `use` of a file that nothing speaks of.
pub fn unused(analysis: &Analysis, file: FileId) -> Vec<Unused> {
    let Some(tree) = tree(analysis, file) else { return Vec::new() };
    // of files in a circle one does not see what the other says
    if analysis.diagnostics.iter().any(|it| it.code == NAMES_USE_CYCLE.name) {
        return Vec::new();
    }
    let all = declared(analysis, tree);
    let idle = analysis.index.unmentioned(all.iter().map(|(name, ..)| name.span).collect());
    // what is reached through the name of a file is not in the index
    let members = if idle.is_empty() { Words::new() } else { members(analysis) };
    let spoken = |name: &Name| {
        let words = members.get(name.value.as_str()).into_iter().flatten();
        words.into_iter().any(|word| speaks_of(analysis, *word, name.span))
    };
    let idle = all.into_iter().filter(|(name, ..)| idle.contains(&name.span) && !spoken(name));
    let mut found: Vec<Unused> = idle
        .map(|(name, word, stmt)| Unused {
            span: name.span,
            word,
            name: name.value.to_string(),
            gone: Some(lines(analysis, stmt)).filter(|_| !has_key(analysis, &name.value)),
            stmt,
        })
        .collect();
    found.extend(idle_uses(analysis, tree));
    found.retain(|it| !may_be_spoken_of(analysis, it));
    found
}

/// Whether the statement that declares a name is not whole, or a text that could not be read has the name once more: what is not
/// understood may speak of it.
fn may_be_spoken_of(analysis: &Analysis, unused: &Unused) -> bool {
    own_trees(analysis).filter(|tree| !tree.problems.is_empty()).any(|tree| {
        let is_declared_here = tree.file == unused.span.file;
        let is_broken = tree.problems.iter().any(|problem| unused.stmt.meets(problem.at.0));
        let text = analysis.sources.get(tree.file).map(|source| &*source.text);
        let text = text.unwrap_or_default();
        let mut places = text.match_indices(unused.name.as_str()).map(|(at, _)| at);
        is_declared_here && is_broken
            || places.any(|at| {
                let is_declaration = is_declared_here && unused.span.start as usize == at;
                !is_declaration && word_at(text, at) == Some(at..at + unused.name.len())
            })
    })
}

/// Words of a text, each with the places where it stands.
type Words<'t> = BTreeMap<&'t str, Vec<Span>>;

/// Every `let` and `param` of a file, inside of nouns, components and loops as well.
fn declared<'t>(analysis: &Analysis, tree: &'t Tree) -> Vec<(&'t Name, &'static str, Span)> {
    let mut found = Vec::new();
    walk(tree, &mut |node| {
        let NodeRef::Stmt(stmt) = node else { return };
        let name = match &stmt.kind {
            StmtKind::Let(it) => it.name.as_ref().map(|name| (name, "let")),
            // the project of a blueprint is asked for by its type
            StmtKind::Param(it) if analysis.signatures.is_project(it) => None,
            StmtKind::Param(it) => it.name.as_ref().map(|name| (name, "param")),
            _ => None,
        };
        found.extend(name.map(|(name, word)| (name, word, stmt.span)));
    });
    found
}

/// Whether the project file gives a parameter a value: it cannot be taken away here alone.
fn has_key(analysis: &Analysis, name: &str) -> bool {
    analysis.project.iter().flat_map(|project| &project.keys).any(|(key, _)| key == name)
}

/// Every name that stands behind a dot.
fn members(analysis: &Analysis) -> Words<'_> {
    let mut found = Words::new();
    for tree in own_trees(analysis) {
        walk(tree, &mut |node| {
            if let NodeRef::Expr(Expr { kind: ExprKind::Member(_, Some(name)), .. }) = node {
                found.entry(name.value.as_str()).or_default().push(name.span);
            }
        });
    }
    found
}

/// What a file brings in and never speaks of.
fn idle_uses(analysis: &Analysis, tree: &Tree) -> Vec<Unused> {
    let uses = || {
        tree.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Use(used) => Some((stmt, used)),
            _ => None,
        })
    };
    if uses().next().is_none() {
        return Vec::new();
    }
    let words = words_behind(analysis, tree, uses().map(|(stmt, _)| stmt));
    let spoken = |local: &Name, declared: Span| {
        let words = words.get(local.value.as_str()).into_iter().flatten();
        words.into_iter().any(|word| speaks_of(analysis, *word, declared))
    };
    let mut found = Vec::new();
    for (stmt, used) in uses() {
        let files = used_files(analysis, used);
        let makes = files.iter().any(|file| makes_something(analysis, file));
        let module = match files.as_slice() {
            // that alone is what a `use` of a file may be there for; that one of a folder is a mistake is said elsewhere
            [file] if !makes => Some(Span::new(file.file, 0, 0)),
            _ => None,
        };
        let names = brought(used);
        let parts: Vec<Span> = names.iter().map(|(name, local)| name.span.to(local.span)).collect();
        for (at, (name, local)) in names.into_iter().enumerate() {
            let middle = (name.span.start as usize + name.span.end as usize) / 2;
            let declared = match used.names {
                Some(_) => target(analysis, tree.file, middle),
                None => module,
            };
            if declared.is_some_and(|declared| !spoken(local, declared)) {
                let gone = match parts.as_slice() {
                    // what the file makes is made for its being used
                    [_] => (!makes).then(|| lines(analysis, stmt.span)),
                    parts => taken(&analysis.sources, parts, at),
                };
                let name = local.value.to_string();
                found.push(Unused { span: local.span, word: "use", name, gone, stmt: stmt.span });
            }
        }
    }
    found
}

/// The edits that take away all of a file that can go, and how many names that are.
pub(super) fn all_gone(
    analysis: &Analysis,
    file: FileId,
    found: &[Unused],
) -> (usize, Vec<(Span, String)>) {
    let going: Vec<&Unused> = found.iter().filter(|it| it.gone.is_some()).collect();
    let mut count = 0;
    let mut edits: Vec<(Span, String)> = Vec::new();
    let mut uses: BTreeSet<Span> = BTreeSet::new();
    for stmt in tree(analysis, file).into_iter().flat_map(|tree| &tree.stmts) {
        let StmtKind::Use(used) = &stmt.kind else { continue };
        let idle: BTreeSet<Span> =
            going.iter().filter(|it| it.stmt == stmt.span).map(|it| it.span).collect();
        if idle.len() > 1 {
            uses.insert(stmt.span);
            if let Some(edit) = without(analysis, stmt, used, &idle) {
                count += idle.len();
                edits.push(edit);
            }
        }
    }
    let alone = going.iter().filter(|it| !uses.contains(&it.stmt));
    let alone: Vec<Span> = alone.filter_map(|it| it.gone).collect();
    count += alone.len();
    edits.extend(alone.into_iter().map(|span| (span, String::new())));
    (count, edits)
}

/// A `use` without some of its names; as a whole, where it brings in no others. Nothing where it is needed for what its file makes.
fn without(
    analysis: &Analysis,
    stmt: &Stmt,
    used: &Use,
    idle: &BTreeSet<Span>,
) -> Option<(Span, String)> {
    let names = brought(used);
    let (first, last) = (names.first()?.0.span, names.last()?.1.span);
    let kept = names.iter().filter(|(_, local)| !idle.contains(&local.span));
    let kept: Vec<&str> =
        kept.map(|(name, local)| analysis.sources.text(name.span.to(local.span))).collect();
    if !kept.is_empty() {
        return Some((first.to(last), kept.join(", ")));
    }
    let makes = used_files(analysis, used).iter().any(|it| makes_something(analysis, it));
    (!makes).then(|| (lines(analysis, stmt.span), String::new()))
}

/// The lines of a statement.
fn lines(analysis: &Analysis, stmt: Span) -> Span {
    analysis.sources.get(stmt.file).map_or(stmt, |file| lines_of(&file.text, stmt))
}

/// What a `use` brings in, each with the name that it has here: names of a file, or the file.
fn brought(used: &Use) -> Vec<(&Name, &Name)> {
    match &used.names {
        Some(names) => {
            names.iter().map(|(name, alias)| (name, alias.as_ref().unwrap_or(name))).collect()
        }
        None => used
            .path
            .last()
            .map(|name| (name, used.alias.as_ref().unwrap_or(name)))
            .into_iter()
            .collect(),
    }
}

/// The words of a file outside of some of its statements.
fn words_behind<'t>(
    analysis: &'t Analysis,
    tree: &'t Tree,
    stmts: impl Iterator<Item = &'t Stmt>,
) -> Words<'t> {
    let outside: BTreeSet<Span> = stmts.map(|stmt| stmt.span).collect();
    let mut found = Words::new();
    for stmt in tree.stmts.iter().filter(|stmt| !outside.contains(&stmt.span)) {
        NodeRef::Stmt(stmt).walk(&mut |node| {
            if let Some(span) = word(node) {
                found.entry(analysis.sources.text(span)).or_default().push(span);
            }
        });
    }
    found
}

/// Whether a file does more than to give names to those who use it, and does it for being used alone: its nouns are
/// made, its rules hold, its types are known everywhere. The files of the project's own folder are there in any case.
fn makes_something(analysis: &Analysis, tree: &Tree) -> bool {
    if !is_own(analysis, tree.file) {
        return false;
    }
    let is_entry = analysis.sources.get(tree.file).is_some_and(|file| {
        analysis.project.as_ref().is_some_and(|project| project.entries.contains(&file.path))
    });
    let only_names = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Let(_) | StmtKind::Component(_));
    !is_entry && !tree.stmts.iter().all(only_names)
}
