//! Nouns and components in a file of their own.

use super::actions::{behind_uses, lines_of};
use super::cursor::{each_stmt, own_trees, tree};
use super::definition::{declared_by, module};
use super::references::{is_name, uses};
use crate::Analysis;
use crate::load::{as_used, module_of};
use crate::program::declared_name;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_source::Span;
use slipform_syntax::tree::{Name, Stmt, StmtKind, Tree, Use};
use std::collections::{BTreeMap, BTreeSet};

/// What has to be done for nouns to stand in a file of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct Move {
    /// What it does, for a menu.
    pub title: String,
    /// The new files, each with its text.
    pub files: Vec<(Utf8PathBuf, String)>,
    /// What becomes of the file that they stand in.
    pub edits: Vec<(Span, String)>,
}

/// What a file is called for what two others need.
const SHARED: [&str; 2] = ["params.bp", "shared.bp"];

/// The noun or the component whose head is at a place, or all that are selected, moved to a file beside this one that is called as the
/// first is; and the same with what stands on them, where that is more. Two files cannot use each other: where what goes needs parameters
/// of this file, and is spoken of here, these go to a third one. Nothing where it is all that the file has, where other files bring it in
/// from here, and outside of projects, whose files know each other.
pub fn moved(analysis: &Analysis, at: Span) -> Vec<Move> {
    let Some(tree) = tree(analysis, at.file) else { return Vec::new() };
    let alone = selected(tree, at);
    if alone.is_empty() {
        return Vec::new();
    }
    let with_users = with_users(analysis, tree, &alone);
    let is_more = with_users.len() > alone.len();
    let more = is_more.then(|| moved_whole(analysis, tree, &with_users, alone.len())).flatten();
    moved_whole(analysis, tree, &alone, alone.len()).into_iter().chain(more).collect()
}

/// The noun or the component whose head is at a place; of a selection over several all of them.
fn selected(tree: &Tree, at: Span) -> Vec<&Stmt> {
    let meets = |stmt: &&Stmt| is_movable(stmt) && stmt.span.meets(at);
    let found: Vec<&Stmt> = tree.stmts.iter().filter(meets).collect();
    match found.as_slice() {
        [only] => {
            let name = declared_name(only);
            let is_head = name.is_some_and(|name| at.start <= name.span.end);
            found.into_iter().filter(|_| is_head).collect()
        }
        _ => found,
    }
}

/// Some nouns with those of their file that speak of them, and of these again, in the order of the file.
fn with_users<'t>(analysis: &Analysis, tree: &'t Tree, stmts: &[&'t Stmt]) -> Vec<&'t Stmt> {
    let mut found: BTreeMap<Span, &Stmt> = stmts.iter().map(|stmt| (stmt.span, *stmt)).collect();
    let mut next: Vec<&Stmt> = stmts.to_vec();
    while let Some(name) = next.pop().and_then(declared_name) {
        let spoken = uses(analysis, name.span);
        for user in tree.stmts.iter().filter(|it| is_movable(it)) {
            let speaks = spoken.iter().any(|span| user.span.covers(*span));
            if speaks && found.insert(user.span, user).is_none() {
                next.push(user);
            }
        }
    }
    found.into_values().collect()
}

/// What has to be done for some nouns to stand in a file of their own; `asked` of them were asked for.
fn moved_whole(analysis: &Analysis, tree: &Tree, stmts: &[&Stmt], asked: usize) -> Option<Move> {
    let file = tree.file;
    let project = analysis.project.as_ref()?;
    let source = analysis.sources.get(file)?;
    let names: Vec<&Name> = stmts.iter().copied().filter_map(declared_name).collect();
    let first = names.first().filter(|_| names.len() == stmts.len())?;
    let path = source.path.with_file_name(format!("{}.bp", first.value));
    let others = tree.stmts.iter().filter(|it| !matches!(it.kind, StmtKind::Use(_)));
    let goes = |span: &Span| stmts.iter().any(|stmt| stmt.span.covers(*span));
    let spoken = |name: &&&Name| uses(analysis, name.span).iter().any(|span| !goes(span));
    let spoken: Vec<&str> = names.iter().filter(spoken).map(|it| it.value.as_str()).collect();
    let is_elsewhere =
        |name: &&Name| uses(analysis, name.span).iter().any(|span| span.file != file);
    let known = analysis.sources.find(&path).is_some();
    if known || others.count() <= stmts.len() || names.iter().any(is_elsewhere) {
        return None;
    }
    let shared = if spoken.is_empty() { Vec::new() } else { needed(analysis, tree, stmts)? };
    let home = Home { analysis, tree, text: &source.text, nouns: stmts, shared };
    let module = |path: &Utf8Path| module_of(&project.source, path);
    let third = SHARED.iter().map(|name| source.path.with_file_name(name));
    let third = third.filter(|path| *path != source.path && analysis.sources.find(path).is_none());
    let third = third.into_iter().next()?;
    let text = home.uses_of(stmts, &module(&third)) + &home.own()?;
    let mut files = vec![(path.clone(), text)];
    let mut title = titled(&names, asked, path.file_name().unwrap_or_default());
    if !home.shared.is_empty() {
        files.push((third.clone(), home.of_both()?));
        let third = third.file_name().unwrap_or_default();
        title = format!("{title}, and the parameters that both need to `{third}`");
    }
    let mut edits = home.gone()?;
    let mut lines = String::new();
    if !spoken.is_empty() {
        lines = format!("use {}.{{{}}}\n", module(&path), spoken.join(", "));
        lines += &home.brought_back(&module(&third));
    }
    if !lines.is_empty() {
        let at = behind_uses(tree, &source.text);
        match edits.iter_mut().find(|(span, _)| span.start as usize == at) {
            // one edit of a place is read in one way
            Some((_, new)) => *new = lines,
            None => edits.insert(0, (Span::new(file, at, at), lines)),
        }
    }
    Some(Move { title, files, edits })
}

/// `move `a3m` and what stands on it to `a3m.bp``
fn titled(names: &[&Name], asked: usize, file: &str) -> String {
    let first = names.first().map(|name| name.value.as_str()).unwrap_or_default();
    match (names.len(), asked) {
        (1, _) => format!("move `{first}` to `{file}`"),
        (all, asked) if all == asked => format!("move these {all} to `{file}`"),
        (_, 1) => format!("move `{first}` and what stands on it to `{file}`"),
        (all, _) => format!("move these and what stands on them, {all} in all, to `{file}`"),
    }
}

/// What statements need of their file, and what that needs again; nothing where that is more than parameters and names for values, or
/// where other files bring it in from here.
fn needed<'t>(analysis: &Analysis, tree: &'t Tree, nouns: &[&'t Stmt]) -> Option<Vec<&'t Stmt>> {
    let mut found: BTreeMap<Span, &'t Stmt> = BTreeMap::new();
    let mut next = nouns.to_vec();
    let goes = |stmt: &Stmt| nouns.iter().any(|noun| noun.span == stmt.span);
    while let Some(stmt) = next.pop() {
        let mentioned = analysis.index.within(tree.file).filter(|it| stmt.span.covers(it.span));
        let declared: BTreeSet<Span> = mentioned.filter_map(|it| it.declared).collect();
        for needed in &tree.stmts {
            let named = declared_name(needed).filter(|name| declared.contains(&name.span));
            let Some(name) = named.filter(|_| !goes(needed)) else { continue };
            let is_value = matches!(needed.kind, StmtKind::Let(_) | StmtKind::Param(_));
            let is_known = matches!(needed.kind, StmtKind::Type(_) | StmtKind::Kind(_));
            let elsewhere = || uses(analysis, name.span).iter().any(|it| it.file != tree.file);
            if !is_known && (!is_value || elsewhere()) {
                return None;
            }
            if is_value && found.insert(needed.span, needed).is_none() {
                next.push(needed);
            }
        }
    }
    Some(found.into_values().collect())
}

/// The file that nouns leave, with what goes to a third one.
struct Home<'t> {
    analysis: &'t Analysis,
    tree: &'t Tree,
    text: &'t str,
    nouns: &'t [&'t Stmt],
    shared: Vec<&'t Stmt>,
}

impl Home<'_> {
    /// The nouns as they stand, an empty line between each two.
    fn own(&self) -> Option<String> {
        let text = |stmt: &&Stmt| self.text.get(lines_of(self.text, stmt.span).range());
        let texts: Option<Vec<&str>> = self.nouns.iter().map(text).collect();
        Some(texts?.join("\n"))
    }

    /// The text of the third file.
    fn of_both(&self) -> Option<String> {
        let mut text = self.uses_of(&self.shared, "");
        for stmt in &self.shared {
            text += self.text.get(lines_of(self.text, stmt.span).range())?;
        }
        Some(text)
    }

    /// What goes, with the empty line behind it.
    fn gone(&self) -> Option<Vec<(Span, String)>> {
        let goes = |stmt: &&Stmt| {
            let mut taken = lines_of(self.text, stmt.span);
            if self.text.get(taken.end as usize..)?.starts_with('\n') {
                taken.end += 1;
            }
            Some((taken, String::new()))
        };
        self.shared.iter().chain(self.nouns).map(goes).collect()
    }

    /// The line that brings back what stays here speaks of.
    fn brought_back(&self, third: &str) -> String {
        let goes =
            |span: &Span| self.nouns.iter().chain(&self.shared).any(|it| it.span.covers(*span));
        let names = self.shared.iter().filter_map(|stmt| declared_name(stmt));
        let spoken = |span: Span| uses(self.analysis, span).iter().any(|it| !goes(it));
        let names: Vec<&str> =
            names.filter(|name| spoken(name.span)).map(|name| name.value.as_str()).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("use {third}.{{{}}}\n", names.join(", "))
        }
    }

    /// The lines that bring in what some statements speak of: what both need from the third file.
    fn uses_of(&self, stmts: &[&Stmt], third: &str) -> String {
        let analysis = self.analysis;
        let here = |span: Span| stmts.iter().any(|stmt| stmt.span.covers(span));
        let is_shared = |span: Span| self.shared.iter().any(|stmt| stmt.span.covers(span));
        let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for mention in analysis.index.within(self.tree.file).filter(|it| here(it.span)) {
            let Some(declared) = mention.declared.filter(|it| !here(*it)) else { continue };
            let Some(tree) = tree(analysis, declared.file) else { continue };
            if !is_value(tree, declared) {
                continue;
            }
            let text = |span| analysis.sources.text(span);
            let (name, local) = (text(declared), text(mention.span));
            let brought =
                if name == local { name.to_owned() } else { format!("{name} as {local}") };
            let home = module(analysis, tree);
            let home = if is_shared(declared) { third } else { as_used(&home) };
            needed.entry(home.to_owned()).or_default().insert(brought);
        }
        let line = |(module, names): (String, BTreeSet<String>)| {
            format!("use {module}.{{{}}}\n", names.into_iter().collect::<Vec<_>>().join(", "))
        };
        let lines: String = needed.into_iter().map(line).collect();
        if lines.is_empty() { lines } else { format!("{lines}\n") }
    }
}

/// What becomes of the `use`s of a file that gets another path, or of those in a folder that does. Nothing where a new path is none that a
/// `use` can write. What is spoken of by the name of its file keeps that name.
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
    let stmts = own_trees(analysis).flat_map(|tree| &tree.stmts);
    let uses = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Use(used) => Some((stmt, used)),
        _ => None,
    });
    uses.filter_map(|(stmt, used)| of_use(analysis, stmt, used, (&old, &new))).collect()
}

/// What becomes of a `use` where the module `old` is called `new` then.
fn of_use(
    analysis: &Analysis,
    stmt: &Stmt,
    used: &Use,
    (old, new): (&str, &str),
) -> Option<(Span, String)> {
    let (first, last) = used.path.first().zip(used.path.last())?;
    let whole = first.span.to(last.span);
    let path = analysis.sources.text(whole);
    if let Some(rest) = path.strip_prefix(old)
        && (rest.is_empty() || rest.starts_with('.'))
    {
        let renamed = format!("{new}{rest}");
        let is_named = used.alias.is_some() || used.names.is_some();
        let other = renamed.rsplit('.').next() != Some(&last.value);
        let kept = if is_named || !other { String::new() } else { format!(" as {}", last.value) };
        return Some((whole, renamed + &kept));
    }
    // a name of a folder comes from the file that declares it
    let inside = old.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    let names = used
        .names
        .as_ref()
        .filter(|_| inside && new.rsplit_once('.').map(|it| it.0) != Some(path))?;
    let text = |(name, alias): &(Name, Option<Name>)| match alias {
        Some(alias) => format!("{} as {}", name.value, alias.value),
        None => name.value.to_string(),
    };
    let goes = |(name, _): &&(Name, Option<Name>)| {
        let declared = declared_by(analysis, used, name);
        declared.and_then(|file| tree(analysis, file)).is_some_and(|it| module(analysis, it) == old)
    };
    let (gone, left): (Vec<_>, Vec<_>) = names.iter().partition(goes);
    let line = |path: &str, names: &[&(Name, Option<Name>)]| {
        let names: Vec<String> = names.iter().map(|it| text(it)).collect();
        (!names.is_empty()).then(|| format!("use {path}.{{{}}}", names.join(", ")))
    };
    let lines: Vec<String> = line(path, &left).into_iter().chain(line(new, &gone)).collect();
    (!gone.is_empty()).then(|| (stmt.span, lines.join("\n")))
}

fn is_movable(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::Component(_))
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
