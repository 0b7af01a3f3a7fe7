//! Ranges of addresses that a blueprint writes: what takes part of one, and which are free.

use super::complete::snippet::{Examples, usual_prefix};
use super::cursor::{Cursor, own_trees};
use crate::Analysis;
use ipnet::IpNet;
use slipform_model::Fix;
use slipform_source::Span;
use slipform_syntax::tree::{Expr, ExprKind, LiteralKind, Stmt, StmtKind};
use slipform_syntax::{NodeRef, path_at, walk};

/// Ranges that one hover tells of.
const MOST_RANGES: usize = 8;

/// What else the blueprint writes of a range: what lies in it, and what it lies in.
pub(super) fn beside(analysis: &Analysis, at: Span, range: &str) -> Option<String> {
    let net: IpNet = range.parse().ok()?;
    let mut lines = Vec::new();
    for tree in own_trees(analysis) {
        walk(tree, &mut |node| {
            let Some((span, other)) = written(node).filter(|(span, _)| *span != at) else { return };
            let meets = net.contains(&other) || other.contains(&net);
            if meets {
                let inside = if net.contains(&other) { "takes part of it" } else { "is around it" };
                let of = called(&path_at(tree, span.start as usize));
                lines.push(format!("- `{other}`, {of}, {inside}"));
            }
        });
    }
    let more = lines.len().saturating_sub(MOST_RANGES);
    lines.truncate(MOST_RANGES);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A range that a node is.
fn written(node: NodeRef<'_>) -> Option<(Span, IpNet)> {
    let NodeRef::Expr(Expr { kind: ExprKind::Literal(LiteralKind::Address, text), span }) = node
    else {
        return None;
    };
    Some((*span, text.parse().ok().filter(|_| text.contains('/'))?))
}

/// `services` of `network fabric`
fn called(path: &[NodeRef<'_>]) -> String {
    let field = path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }) => Some(attr.name.value.as_str()),
        _ => None,
    });
    let noun = path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => Some(format!(
            "`{} {}`",
            decl.kind.value,
            decl.name.as_ref().map_or("", |name| name.value.as_str())
        )),
        _ => None,
    });
    match (field, noun) {
        (Some(field), Some(noun)) => format!("`{field}` of {noun}"),
        (Some(field), None) => format!("`{field}`"),
        (None, _) => "elsewhere".to_owned(),
    }
}

/// Free ranges for fields of a network, of the size that each has as a rule.
pub(super) fn usual<'n>(
    analysis: &Analysis,
    fields: impl Iterator<Item = &'n str>,
) -> Vec<(String, String)> {
    let mut examples = Examples::new(analysis);
    let mut free = |name: &'n str| {
        Some((name.to_owned(), examples.free_range(usual_prefix(name))?.to_string()))
    };
    fields.filter_map(&mut free).collect()
}

/// Another range of the same size in the place of one that is reported, which nothing that is written meets.
pub(super) fn free(cursor: &Cursor<'_>) -> Option<Fix> {
    let (span, net) = cursor.node().and_then(written)?;
    let reported = cursor.analysis.diagnostics.iter().any(|it| {
        let here = it.labels.iter().any(|label| label.span == span);
        here && it.code.contains("overlap")
    });
    let free = Examples::new(cursor.analysis).free_range(net.prefix_len()).filter(|_| reported)?;
    let title = format!("write `{free}`, which nothing takes part of");
    Some(Fix { title, edits: vec![(span, free.to_string())] })
}
