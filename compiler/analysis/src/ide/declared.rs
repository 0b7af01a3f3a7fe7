//! What is known of a name where it is declared, and of a value by what it is given to.

use super::cursor::{Cursor, tree, word_of};
use super::definition::{module, used_files};
use super::hover::{Found, of_rule};
use super::show;
use crate::Analysis;
use crate::program::declared_name;
use slipform_model::Value;
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    ComponentDecl, Expr, ExprKind, FieldDecl, For, Let, Name, Stmt, StmtKind, TypeDecl, Use,
};

/// Names of a file that are told of one by one.
const MOST_NAMES: usize = 20;

/// A name that a statement at the cursor declares, where the index knows nothing of it: of a type, a component and its fields,
/// a rule, an output, the names of rounds.
pub(super) fn hover(cursor: &Cursor<'_>) -> Found {
    let stmt = cursor.stmt()?;
    let touched = |name: &Name| name.span.touches(cursor.offset);
    let doc = stmt.doc.as_deref().map(str::to_owned);
    match &stmt.kind {
        StmtKind::Type(TypeDecl { name: Some(name), definition }) if touched(name) => {
            let definition = cursor.analysis.sources.text(definition.span);
            let title = show::code(&format!("type {} = {definition}", name.value));
            Some((name.span, std::iter::once(title).chain(doc).collect()))
        }
        StmtKind::Component(decl) => {
            let name = decl.name.as_ref().filter(|name| touched(name))?;
            let title = show::code(&component(cursor.analysis, decl, name));
            Some((name.span, std::iter::once(title).chain(doc).collect()))
        }
        StmtKind::Field(field) if touched(&field.name) => {
            let title = show::code(&of_field(cursor.analysis, field));
            Some((field.name.span, std::iter::once(title).chain(doc).collect()))
        }
        StmtKind::Rule(rule) => {
            let code = rule.code.as_ref().filter(|code| touched(code))?;
            Some((code.span, of_rule(cursor.analysis, &code.value)?))
        }
        StmtKind::Output(Let { name: Some(name), .. }) if touched(name) => of_output(cursor, name),
        StmtKind::For(For { names, items, .. }) => {
            of_round(cursor, names.iter().find(|name| touched(name))?, items)
        }
        _ => None,
    }
}

/// The component whose name stands at a place, as it is used.
pub(super) fn of_component(cursor: &Cursor<'_>, declared: Span) -> Option<String> {
    let tree = tree(cursor.analysis, declared.file)?;
    tree.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Component(decl) => {
            let name = decl.name.as_ref().filter(|name| name.span == declared)?;
            Some(component(cursor.analysis, decl, name))
        }
        _ => None,
    })
}

/// A component as it is used: its fields with their types.
fn component(analysis: &Analysis, decl: &ComponentDecl, name: &Name) -> String {
    let fields = decl.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Field(field) => Some(format!("\n  {}", of_field(analysis, field))),
        _ => None,
    });
    let fields: String = fields.collect();
    match fields.is_empty() {
        true => format!("component {}", name.value),
        false => format!("component {} {{{fields}\n}}", name.value),
    }
}

fn of_field(analysis: &Analysis, field: &FieldDecl) -> String {
    let text = |span: Span| analysis.sources.text(span);
    let default = field.default.as_ref().map(|default| format!(" = {}", text(default.span)));
    format!("{}: {}{}", field.name.value, text(field.ty.span), default.unwrap_or_default())
}

/// What is given out, with its value.
fn of_output(cursor: &Cursor<'_>, name: &Name) -> Found {
    let mention = cursor.analysis.index.at(cursor.file, cursor.offset)?;
    let title = show::code(&mention.title());
    let doc = cursor.stmt().and_then(|stmt| stmt.doc.as_deref()).map(str::to_owned);
    let plan = cursor.plan();
    let value = plan.and_then(|plan| {
        let (_, placed) = plan.outputs().iter().find(|(known, _)| known == name.value.as_str())?;
        let known = !matches!(placed.value, Value::Unknown);
        known.then(|| show::code(&format!("{} = {}", name.value, show::value(&placed.value, plan))))
    });
    Some((name.span, std::iter::once(title).chain(doc).chain(value).collect()))
}

/// The name of a round: as those who speak of it see it, and what is walked.
pub(super) fn of_round(cursor: &Cursor<'_>, name: &Name, items: &Expr) -> Found {
    let analysis = cursor.analysis;
    let spoken = analysis.index.of(name.span).find(|span| *span != name.span);
    let spoken = spoken.and_then(|span| analysis.index.at(span.file, span.start as usize));
    let title = spoken.map_or_else(|| name.value.to_string(), crate::index::Mention::title);
    let walked = format!("for {title} in {}", analysis.sources.text(items.span));
    Some((name.span, vec![show::code(&walked)]))
}

/// A file that a word in the path of a `use` names: what it declares.
pub(super) fn of_module(analysis: &Analysis, used: &Use, word: &Name) -> Option<Vec<String>> {
    if !used.path.iter().any(|name| name.span == word.span) {
        return None;
    }
    let files = used_files(analysis, used);
    let mut names = Vec::new();
    for stmt in files.iter().flat_map(|tree| &tree.stmts) {
        let name = match &stmt.kind {
            StmtKind::Rule(rule) => rule.code.as_ref(),
            _ => declared_name(stmt),
        };
        if let (Some(word), Some(name)) = (word_of(stmt), name) {
            names.push(format!("{word} {}", name.value));
        }
    }
    let path = match files.as_slice() {
        [] => return None,
        [only] => module(analysis, only),
        _ => used.path.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("."),
    };
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("# and {more} more"));
    }
    let declares = (!names.is_empty()).then(|| show::code(&names.join("\n")));
    Some(std::iter::once(format!("`{path}` declares:")).chain(declares).collect())
}

/// A value of which nothing else is known: what the field or the argument means that it is given to.
pub(super) fn of_what_it_is_given_to(cursor: &Cursor<'_>) -> Found {
    let value = match cursor.node()? {
        NodeRef::Expr(expr) if matches!(expr.kind, ExprKind::Str(_) | ExprKind::Literal(..)) => {
            expr
        }
        _ => return None,
    };
    let name = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Arg(arg) => Some(arg.name.as_ref()),
        NodeRef::Entry(_) => Some(None),
        NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }) => Some(Some(&attr.name)),
        NodeRef::Stmt(_) => Some(None),
        _ => None,
    });
    let name = name.flatten()?;
    let mention = cursor.analysis.index.at(name.span.file, name.span.start as usize)?;
    let doc = mention.doc.as_ref().map(|doc| doc.to_string());
    let title = show::code(&mention.title());
    Some((value.span, std::iter::once(title).chain(doc).collect()))
}
