//! What a word of an enumeration means, and what else could stand in its place.

use super::cursor::{Cursor, tree};
use super::{complete, show};
use crate::index::Mention;
use crate::types::Type;
use slipform_source::Span;
use slipform_syntax::tree::{Arg, Attr, Entry, ExprKind, FieldDecl, Name, Param, RecordField};
use slipform_syntax::tree::{Expr, Stmt, StmtKind};
use slipform_syntax::{NodeRef, path_at};

/// Of a text at the cursor that is a word of an enumeration: all of them, with the default, and what this one means.
pub(super) fn of_word(cursor: &Cursor<'_>, text: &Expr, word: &str) -> Option<Vec<String>> {
    // within its quotes
    let inside = Cursor::new(cursor.analysis, cursor.file, text.span.end as usize - 1)?;
    let ty = complete::wanted_of_text(&inside)?;
    let arms = ty.arms();
    let is_one = arms.iter().any(|arm| matches!(arm, Type::Word(known) if **known == *word));
    if !is_one {
        return None;
    }
    let named = name_around(cursor).and_then(|name| mention(cursor, name.span));
    let words: Vec<String> = arms.iter().map(Type::to_string).collect();
    let words = words.join(" | ");
    let title = match named {
        Some(named) => format!("{}: {words}{}", named_as(named), default(cursor, named)),
        None => words,
    };
    let of_field = named.and_then(|named| named.doc.as_deref());
    let of_call = callee(cursor).and_then(|callee| callee.doc.as_deref());
    let docs = documented(&ty).into_iter().chain(of_field).chain(of_call);
    let docs: Vec<&str> = docs.collect();
    let argument = named.and_then(|named| meaning(of_call?, &named_as(named)));
    let said = docs.iter().find_map(|doc| meaning(doc, word)).or(argument);
    let said = said.or_else(|| docs.iter().find_map(|doc| paragraph(doc, word)));
    let said = said.or_else(|| of_field.map(str::to_owned));
    Some(std::iter::once(show::code(&title)).chain(said).collect())
}

fn mention<'a>(cursor: &Cursor<'a>, span: Span) -> Option<&'a Mention> {
    cursor.analysis.index.at(cursor.file, span.start as usize)
}

/// The constructor that the value is an argument of.
fn callee<'a>(cursor: &Cursor<'a>) -> Option<&'a Mention> {
    cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Expr(Expr { kind: ExprKind::Call(callee, _), .. }) => mention(cursor, callee.span),
        _ => None,
    })
}

/// The name that a value is given to: a field, an argument, a key, a parameter.
fn name_around<'a>(cursor: &Cursor<'a>) -> Option<&'a Name> {
    cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(stmt) => Some(match &stmt.kind {
            StmtKind::Attr(Attr { name, .. }) | StmtKind::Field(FieldDecl { name, .. }) => {
                Some(name)
            }
            StmtKind::Param(Param { name, .. }) => name.as_ref(),
            _ => None,
        }),
        NodeRef::Arg(Arg { name, .. }) => Some(name.as_ref()),
        NodeRef::Entry(Entry { .. }) => Some(None),
        // of what is compared the other side says what it is
        NodeRef::Expr(Expr { kind: ExprKind::Binary(..), .. }) => Some(None),
        _ => None,
    })?
}

/// `placement` of `placement: "compact" | "spread"`.
fn named_as(mention: &Mention) -> String {
    mention.title().split(": ").next().unwrap_or_default().to_owned()
}

/// ` = auto`, where the declaration says what holds if nothing is written.
fn default(cursor: &Cursor<'_>, mention: &Mention) -> String {
    let value = mention.declared.and_then(|declared| default_at(cursor, declared));
    let text = value.map(|value| cursor.analysis.sources.text(value.span));
    text.filter(|text| !text.contains('\n')).map(|text| format!(" = {text}")).unwrap_or_default()
}

fn default_at<'a>(cursor: &Cursor<'a>, declared: Span) -> Option<&'a Expr> {
    let tree = tree(cursor.analysis, declared.file)?;
    let path = path_at(tree, declared.start as usize);
    path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Field(field), .. }) => Some(field.default.as_ref()),
        NodeRef::RecordField(RecordField { default, .. }) => Some(default.as_ref()),
        _ => None,
    })?
}

/// What is said of the types that a type is made of.
pub(super) fn documented(ty: &Type) -> Vec<&str> {
    match ty {
        Type::Named(named) => {
            named.doc.as_deref().into_iter().chain(documented(&named.definition)).collect()
        }
        Type::Optional(inner) => documented(inner),
        Type::Union(arms) => arms.iter().flat_map(documented).collect(),
        _ => Vec::new(),
    }
}

/// What a line of a list says of a word: that behind "- `word`:".
pub(super) fn meaning(doc: &str, word: &str) -> Option<String> {
    let mut lines = doc.lines().skip_while(|line| !speaks_of(line, word));
    let first = lines.next()?.trim_start_matches("- ");
    let rest = lines.take_while(|line| line.starts_with("  "));
    Some(std::iter::once(first).chain(rest.map(str::trim)).collect::<Vec<_>>().join("\n"))
}

fn speaks_of(line: &str, word: &str) -> bool {
    let Some(code) = line.strip_prefix("- `") else { return false };
    let (code, _) = code.split_once('`').unwrap_or_default();
    code.trim_matches('"') == word || code.split('(').next() == Some(word)
}

/// The paragraph that speaks of a word in quotes.
fn paragraph(doc: &str, word: &str) -> Option<String> {
    let quoted = format!("\"{word}\"");
    doc.split("\n\n").find(|text| text.contains(&quoted)).map(str::to_owned)
}
