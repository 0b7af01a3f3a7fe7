//! Where something is used, and what becomes of the text when it gets another name.

use super::cursor::{Cursor, each_stmt, is_own, own_trees, tree};
use super::definition::{definition, of_node};
use super::{project_file, words};
use crate::Analysis;
use crate::program::declared_name;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{ExprKind, Stmt, StmtKind, Tree, TypeExprKind};
use slipform_syntax::{NodeRef, parse, walk};
use std::collections::BTreeSet;

/// Something that is declared, and where the blueprint speaks of it.
#[derive(Clone, PartialEq, Debug)]
pub struct References {
    /// Its name where it is declared; the start of a file that is used as a whole.
    pub declared: Span,
    /// Where it is used, in the order of the files and of their text; without the declaration.
    pub uses: Vec<Span>,
}

/// What the word at an offset stands for, and everywhere in the blueprint's own files that it is used.
pub fn references(analysis: &Analysis, file: FileId, offset: usize) -> Option<References> {
    if let Some(declared) = project_file::param_at(analysis, file, offset) {
        return Some(References { declared, uses: everywhere(analysis, declared) });
    }
    let declared = target(analysis, file, offset)?;
    // the platform of a cluster leads to its kind, and is no name for it
    let (_, word) = Cursor::new(analysis, file, offset)?.word()?;
    let is_named = analysis.sources.text(declared).contains(word);
    let is_alias = analysis.index.at(file, offset).is_some_and(|it| it.declared == Some(declared));
    if !is_named && !is_alias && declared.start < declared.end {
        return None;
    }
    Some(References { declared, uses: everywhere(analysis, declared) })
}

/// Where it is used, in the project file as well.
fn everywhere(analysis: &Analysis, declared: Span) -> Vec<Span> {
    let name = analysis.sources.text(declared);
    uses(analysis, declared).into_iter().chain(keys(analysis, declared, name)).collect()
}

/// The declaration that the word at an offset stands for, the word itself where it declares something.
pub(crate) fn target(analysis: &Analysis, file: FileId, offset: usize) -> Option<Span> {
    let cursor = Cursor::new(analysis, file, offset)?;
    let own = cursor.stmt().and_then(declares).filter(|name| name.touches(offset));
    // a name of a loop, a word of a type, a key of a record
    let own = own.or_else(|| {
        let span = word(cursor.node()?)?;
        analysis.index.of(span).next().map(|_| span)
    });
    own.or_else(|| definition(analysis, file, offset))
}

/// The name that a statement declares, a field or a rule among them.
fn declares(stmt: &Stmt) -> Option<Span> {
    match &stmt.kind {
        StmtKind::Field(field) => Some(field.name.span),
        StmtKind::Rule(rule) => rule.code.as_ref().map(|code| code.span),
        _ => declared_name(stmt).map(|name| name.span),
    }
}

/// Where the blueprint's own files use what is declared at a place.
pub(crate) fn uses(analysis: &Analysis, declared: Span) -> Vec<Span> {
    let known = analysis.index.of(declared).filter(|span| is_own(analysis, span.file));
    let mut found: BTreeSet<Span> = known.filter(|span| *span != declared).collect();
    let name = analysis.sources.text(declared);
    for tree in own_trees(analysis) {
        if name.contains('/') {
            found.extend(expected_by(analysis, tree, name));
        }
        walk(tree, &mut |node| {
            // codes stand in quotes in tests
            let is_name = |span: &Span| analysis.sources.text(*span).trim_matches('"') == name;
            let Some(span) = word(node).or_else(|| quoted(node)).filter(is_name) else { return };
            if span != declared && !found.contains(&span) && speaks_of(analysis, span, declared) {
                found.insert(span);
            }
        });
    }
    found.into_iter().collect()
}

/// Where comments of a program expect reports of a rule: `# error: [area/name]`.
fn expected_by(analysis: &Analysis, tree: &Tree, code: &str) -> Vec<Span> {
    let bracketed = format!("[{code}]");
    let comments = tree.comments.iter().filter(|comment| !comment.doc);
    let codes = comments.flat_map(|comment| {
        let text = analysis.sources.text(comment.span);
        let found =
            text.match_indices(&bracketed).map(|(at, _)| comment.span.start as usize + at + 1);
        let spans = found.map(|at| Span::new(comment.span.file, at, at + code.len()));
        spans.collect::<Vec<_>>()
    });
    codes.collect()
}

/// The word that a node is, if it is one.
pub(super) fn word(node: NodeRef<'_>) -> Option<Span> {
    let is_word = match node {
        NodeRef::Name(_) => true,
        NodeRef::Expr(expr) => matches!(expr.kind, ExprKind::Name(_)),
        NodeRef::TypeExpr(ty) => matches!(ty.kind, TypeExprKind::Name(_)),
        _ => false,
    };
    is_word.then(|| node.span())
}

/// The text that a node is, if it is one.
fn quoted(node: NodeRef<'_>) -> Option<Span> {
    match node {
        NodeRef::Expr(expr) => crate::test_file::text(expr).map(|_| expr.span),
        _ => None,
    }
}

/// Whether a word stands for what is declared at a place.
pub(super) fn speaks_of(analysis: &Analysis, word: Span, declared: Span) -> bool {
    let middle = (word.start as usize + word.end as usize) / 2;
    let known = analysis.index.at(word.file, middle).and_then(|it| it.declared);
    let found = known.or_else(|| {
        let cursor = Cursor::new(analysis, word.file, middle)?;
        of_node(&cursor, cursor.node()?)
    });
    found == Some(declared)
}

/// What is to be renamed: where its name stands at the cursor, and how it is called.
#[derive(Clone, PartialEq, Debug)]
pub struct Renamed {
    /// The word at the cursor.
    pub span: Span,
    /// Where it is declared.
    pub declared: Span,
    /// What it is called now.
    pub name: String,
    /// Every place of the name, the declaration and the keys of the project file among them.
    pub places: Vec<Span>,
}

/// What a rename at an offset would change, or why there is nothing that could be renamed.
pub fn renamed(analysis: &Analysis, file: FileId, offset: usize) -> Result<Renamed, String> {
    if let Some(found) = renamed_alias(analysis, file, offset) {
        return Ok(found);
    }
    let nothing = || "there is no name of this blueprint here".to_owned();
    let found = references(analysis, file, offset).ok_or_else(nothing)?;
    let name = analysis.sources.text(found.declared).to_owned();
    if !is_own(analysis, found.declared.file) {
        let word = if name.is_empty() { "this".to_owned() } else { format!("`{name}`") };
        return Err(format!("{word} belongs to the standard library, or is a file"));
    }
    if name.is_empty() {
        return Err("a file is renamed where it lies".to_owned());
    }
    let mut places: Vec<Span> = std::iter::once(found.declared).chain(found.uses).collect();
    for twin in twins(analysis, found.declared) {
        places.extend(uses(analysis, twin));
        places.push(twin);
    }
    places.sort_unstable();
    places.dedup();
    // an alias of a `use` keeps its own name
    places.retain(|span| analysis.sources.text(*span).trim_matches('"') == name);
    let touching = places.iter().copied().find(|it| it.file == file && it.touches(offset));
    let span = touching.ok_or_else(|| {
        format!("this is another name for `{name}`, which is renamed where it is declared")
    })?;
    Ok(Renamed { span, declared: found.declared, name, places })
}

/// The name behind `as` in the `use` of a file, at its place or where the file speaks of what it stands for.
fn renamed_alias(analysis: &Analysis, file: FileId, offset: usize) -> Option<Renamed> {
    let cursor = Cursor::new(analysis, file, offset)?;
    let (_, word) = cursor.word()?;
    let tree = tree(analysis, file).filter(|_| is_own(analysis, file))?;
    let uses = tree.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Use(used) => Some(used),
        _ => None,
    });
    let aliases = uses.flat_map(|used| {
        let inner = used.names.iter().flatten().filter_map(|(_, alias)| alias.as_ref());
        inner.chain(&used.alias)
    });
    let alias = aliases.into_iter().find(|alias| alias.value == word)?;
    let declared = of_alias(analysis, alias.span)?;
    let mut places = vec![alias.span];
    walk(tree, &mut |node| {
        let named = self::word(node).filter(|span| analysis.sources.text(*span) == word);
        places.extend(named.filter(|span| speaks_of(analysis, *span, declared)));
    });
    places.sort_unstable();
    places.dedup();
    let span = places.iter().copied().find(|it| it.touches(offset))?;
    Some(Renamed { span, declared: alias.span, name: word.to_owned(), places })
}

/// What a name behind `as` stands for.
fn of_alias(analysis: &Analysis, alias: Span) -> Option<Span> {
    definition(analysis, alias.file, (alias.start as usize + alias.end as usize) / 2)
}

/// The same name in the other branches of a condition: of two declarations one counts, whichever it is.
fn twins(analysis: &Analysis, declared: Span) -> Vec<Span> {
    let Some(tree) = tree(analysis, declared.file) else { return Vec::new() };
    let name = analysis.sources.text(declared);
    let mut found = Vec::new();
    let mut of_block = |stmts: &[Stmt]| {
        let mut same: Vec<Span> = Vec::new();
        each_stmt(stmts, &mut |stmt| {
            same.extend(declared_name(stmt).filter(|it| it.value == name).map(|it| it.span));
        });
        if same.contains(&declared) {
            found.extend(same.into_iter().filter(|span| *span != declared));
        }
    };
    of_block(&tree.stmts);
    walk(tree, &mut |node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Decl(it), .. }) => of_block(&it.body),
        NodeRef::Stmt(Stmt { kind: StmtKind::Component(it), .. }) => of_block(&it.body),
        _ => {}
    });
    found
}

/// The keys of the project file, where a parameter is declared at a place.
fn keys(analysis: &Analysis, declared: Span, name: &str) -> Vec<Span> {
    let stmts = tree(analysis, declared.file).map(|tree| tree.stmts.as_slice());
    let is_param = stmts.unwrap_or_default().iter().any(|stmt| match &stmt.kind {
        StmtKind::Param(param) => param.name.as_ref().is_some_and(|name| name.span == declared),
        _ => false,
    });
    let keys = analysis.project.iter().flat_map(|project| &project.keys);
    keys.filter(|(key, _)| is_param && key == name).map(|(_, span)| *span).collect()
}

/// Whether a text may stand where `old` stands as a name: a rule has a slash in its own, nothing else has.
pub fn is_name(old: &str, new: &str) -> bool {
    if words::find(new).is_some() {
        return false;
    }
    let file = FileId(0);
    let text = match old.contains('/') {
        true => format!("rule {new} on pool {{\n  require true\n  error \"e\"\n}}\n"),
        false => format!("let {new} = 1\n"),
    };
    let tree = parse(file, &text);
    let [stmt] = tree.stmts.as_slice() else { return false };
    let written = declares(stmt).and_then(|span| text.get(span.range()));
    tree.problems.is_empty() && written == Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, analyse};
    use slipform_source::MemoryWorld;

    #[test]
    fn a_name_of_any_letters_is_renamed_from_its_first_letter() {
        let text = "let öl = 1\noutput o = öl\n";
        let world = MemoryWorld::new([("main.bp", text)]);
        let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
        let analysis = analyse(&world, &options);
        let file = analysis.trees.last().expect("a tree").file;
        for offset in [text.find('ö'), text.rfind('ö')] {
            let found = renamed(&analysis, file, offset.expect("a name")).expect("a name");
            assert_eq!((found.name.as_str(), found.places.len()), ("öl", 2));
        }
    }
}
