//! A noun, or a component, in a file of its own.

use super::actions::{behind_uses, lines_of};
use super::cursor::{each_stmt, tree};
use super::definition::{links, module};
use super::references::{is_name, uses};
use crate::Analysis;
use crate::load::{as_used, module_of};
use crate::program::declared_name;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Stmt, StmtKind, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// What has to be done for a noun to stand in a file of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Move {
    /// What it does, for a menu.
    pub title: String,
    /// The new file.
    pub path: Utf8PathBuf,
    /// Its text.
    pub text: String,
    /// What becomes of the file that it stands in.
    pub edits: Vec<(Span, String)>,
}

/// The noun or the component whose head is at an offset, moved to a file beside this one that is called as it is. Nothing where it is
/// all that the file has, where other files bring it in from here, and outside of projects, whose files know each other.
pub fn moved(analysis: &Analysis, file: FileId, offset: usize) -> Option<Move> {
    let project = analysis.project.as_ref()?;
    let source = analysis.sources.get(file)?;
    let tree = tree(analysis, file)?;
    let at = |stmt: &&Stmt| is_movable(stmt) && stmt.span.touches(offset);
    let stmt = tree.stmts.iter().find(at)?;
    let name = declared_name(stmt).filter(|name| offset <= name.span.end as usize)?;
    let path = source.path.with_file_name(format!("{}.bp", name.value));
    let others = tree.stmts.iter().filter(|it| !matches!(it.kind, StmtKind::Use(_)));
    let spoken = uses(analysis, name.span);
    let known = analysis.sources.find(&path).is_some();
    if known || others.count() < 2 || spoken.iter().any(|span| span.file != file) {
        return None;
    }
    let mut taken = lines_of(&source.text, stmt.span);
    let own = source.text.get(taken.range())?;
    let text = format!("{}{own}", uses_of(analysis, tree, stmt));
    if source.text.get(taken.end as usize..)?.starts_with('\n') {
        taken.end += 1;
    }
    let mut edits = vec![(taken, String::new())];
    if spoken.iter().any(|span| !stmt.span.covers(*span)) {
        let at = behind_uses(tree, &source.text);
        let line = format!("use {}.{{{}}}\n", module_of(&project.source, &path), name.value);
        edits.insert(0, (Span::new(file, at, at), line));
    }
    let title = format!("move `{}` to `{}`", name.value, path.file_name().unwrap_or_default());
    Some(Move { title, path, text, edits })
}

/// What becomes of the `use`s of a file that gets another path, or of those in a folder that does. Nothing where a new path is none that a
/// `use` can write.
pub fn repathed(analysis: &Analysis, old: &Utf8Path, new: &Utf8Path) -> Vec<(Span, String)> {
    let Some(project) = &analysis.project else { return Vec::new() };
    let module = |path: &Utf8Path| {
        let is_inside = path.strip_prefix(&project.source).is_ok();
        is_inside.then(|| module_of(&project.source, path))
    };
    let (Some(old), Some(new)) = (module(old), module(new)) else { return Vec::new() };
    if !new.split('.').all(|part| is_name("", part)) {
        return Vec::new();
    }
    let paths = analysis.trees.iter().flat_map(|tree| links(analysis, tree.file));
    let renamed = paths.filter_map(|(span, _)| {
        let rest = analysis.sources.text(span).strip_prefix(old.as_str())?;
        (rest.is_empty() || rest.starts_with('.')).then(|| (span, format!("{new}{rest}")))
    });
    renamed.collect()
}

fn is_movable(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::Component(_))
}

/// The lines that bring in what a statement speaks of.
fn uses_of(analysis: &Analysis, home: &Tree, stmt: &Stmt) -> String {
    let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let inside = analysis.index.within(home.file).filter(|it| stmt.span.covers(it.span));
    for mention in inside {
        let Some(declared) = mention.declared.filter(|it| !stmt.span.covers(*it)) else { continue };
        let Some(tree) = tree(analysis, declared.file) else { continue };
        if !is_value(tree, declared) {
            continue;
        }
        let text = |span| analysis.sources.text(span);
        let (name, local) = (text(declared), text(mention.span));
        let brought = if name == local { name.to_owned() } else { format!("{name} as {local}") };
        needed.entry(as_used(&module(analysis, tree)).to_owned()).or_default().insert(brought);
    }
    let line = |(module, names): (String, BTreeSet<String>)| {
        format!("use {module}.{{{}}}\n", names.into_iter().collect::<Vec<_>>().join(", "))
    };
    let lines: String = needed.into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("{lines}\n") }
}

/// Whether a file declares something at a place that others bring in: types and kinds are known everywhere.
fn is_value(tree: &Tree, declared: Span) -> bool {
    let mut found = false;
    each_stmt(&tree.stmts, &mut |stmt| {
        let is_here = declared_name(stmt).is_some_and(|name| name.span == declared);
        let is_brought = !matches!(stmt.kind, StmtKind::Type(_) | StmtKind::Kind(_));
        found |= is_here && is_brought;
    });
    found
}
