//! The edits of reports that are mended by leaving something out: of what stands at their place, with its comma and its lines.

use crate::source_text::{part_of, whole_line};
use slipform_model::{Diagnostic, Fix};
use slipform_source::{FileId, Sources, Span};
use slipform_syntax::tree::{Expr, StmtKind, Tree};
use slipform_syntax::{NodeRef, parse, walk};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Adds to each report that is mended by leaving out what stands at its place the edit that does so. Nothing is added where it
/// stands elsewhere, as what a `let` says for several. A text whose tree is not at hand is parsed.
pub fn cut(sources: &Sources, trees: &[Arc<Tree>], reports: &mut [Diagnostic]) {
    let mut parsed: BTreeMap<FileId, Arc<Tree>> = BTreeMap::new();
    for report in reports.iter_mut().filter(|it| it.left_out && it.fixes.is_empty()) {
        let Some(at) = report.span() else { continue };
        let Some(source) = sources.get(at.file) else { continue };
        let tree = parsed.entry(at.file).or_insert_with(|| {
            let known = trees.iter().find(|tree| tree.file == at.file).cloned();
            known.unwrap_or_else(|| Arc::new(parse(at.file, &source.text)))
        });
        let Some((what, span)) = what_stands(sources, tree, at) else { continue };
        let title = match what {
            What::Allowance => format!("remove the allowance of `{}`", sources.text(at)),
            What::Field(name) => format!("remove `{name}`"),
        };
        report.fixes.push(Fix { title, edits: vec![(span, String::new())] });
    }
}

enum What {
    Allowance,
    Field(String),
}

/// What is to be left out, and from where to where it goes.
fn what_stands(sources: &Sources, tree: &Tree, at: Span) -> Option<(What, Span)> {
    let mut found = None;
    walk(tree, &mut |node| {
        let NodeRef::Stmt(stmt) = node else { return };
        match &stmt.kind {
            StmtKind::Allow(allow) if allow.code.as_ref().is_some_and(|it| it.span == at) => {
                found = Some((What::Allowance, whole_line(sources, stmt)));
            }
            StmtKind::Attr(attr) if attr.name.span == at || attr.value.span == at => {
                let name = attr.name.value.to_string();
                found = Some((What::Field(name), whole_line(sources, stmt)));
            }
            StmtKind::Attr(attr) if attr.value.span.covers(at) => {
                found = part(sources, &attr.value, at);
            }
            _ => {}
        }
    });
    found
}

/// A part of a value, which is told of by its key or by what it is.
fn part(sources: &Sources, whole: &Expr, at: Span) -> Option<(What, Span)> {
    let mut value = at;
    NodeRef::Expr(whole).walk(&mut |node| match node {
        NodeRef::Entry(entry) if entry.key.span == at => value = entry.value.span,
        NodeRef::Arg(arg) if arg.name.as_ref().is_some_and(|it| it.span == at) => {
            value = arg.value.span;
        }
        _ => {}
    });
    let part = part_of(sources, whole, value)?;
    let name = part.name.map_or_else(|| "this".to_owned(), |name| sources.text(name).to_owned());
    Some((What::Field(name.trim_matches('"').to_owned()), part.span))
}
