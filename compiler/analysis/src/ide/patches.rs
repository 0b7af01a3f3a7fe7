//! Where the cursor is in a `patch` block. What may stand there is the consumers' to say.

use super::complete::expected;
use super::complete::standin::StandIn;
use super::cursor::Cursor;
use crate::Analysis;
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Entry, Expr, ExprKind, Stmt, StmtKind};
use std::sync::Arc;

/// A place in a `patch` block that is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatchPlace {
    /// The kind of the noun around it.
    pub kind: String,
    /// Its platform, where it is known.
    pub platform: Option<Arc<str>>,
    /// The document that is patched; nothing where that is what is being typed.
    pub document: Option<String>,
    /// The keys that lead to the place.
    pub path: Vec<String>,
    /// The keys that stand beside it.
    pub written: Vec<String>,
    /// A value is being typed, the one that `path` leads to; otherwise a key is.
    pub value: bool,
    /// It stands between quotes.
    pub quoted: bool,
    /// What is being typed.
    pub replace: Span,
}

/// Where something that is written stands in a `patch` block, if it does.
pub fn patch_place(analysis: &Analysis, file: FileId, offset: usize) -> Option<PatchPlace> {
    let cursor = Cursor::new(analysis, file, offset)?;
    if !cursor.path.iter().any(|node| is_patch(*node)) {
        return None;
    }
    place(&cursor, &StandIn::new(&cursor)?)
}

fn is_patch(node: NodeRef<'_>) -> bool {
    matches!(node, NodeRef::Stmt(Stmt { kind: StmtKind::Patch(_), .. }))
}

/// Where a cursor is in a `patch` block that is being typed, if it is in one.
pub(super) fn place(cursor: &Cursor<'_>, stand_in: &StandIn) -> Option<PatchPlace> {
    let path = stand_in.path();
    let at = path.iter().position(|node| is_patch(*node))?;
    let (around, inside) = path.split_at_checked(at)?;
    let (NodeRef::Stmt(Stmt { kind: StmtKind::Patch(patch), .. }), inside) =
        inside.split_first()?
    else {
        return None;
    };
    let kind = around.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => Some(decl.kind.value.to_string()),
        _ => None,
    })?;
    let mut place = PatchPlace {
        kind,
        platform: None,
        document: None,
        path: Vec::new(),
        written: Vec::new(),
        value: false,
        quoted: false,
        replace: cursor.typed(),
    };
    if stand_in.is_at(&patch.target) {
        return Some(place);
    }
    place.document = Some(patch.target.as_ref()?.value.to_string());
    place.written = stand_in.set_in(&patch.body);
    for node in inside {
        step(&mut place, *node, stand_in);
    }
    if let Some(NodeRef::Expr(Expr { kind: ExprKind::Str(_), span })) = inside.last() {
        place.quoted = true;
        place.replace = stand_in.in_file(cursor.file, stand_in.inside_quotes(*span));
    }
    Some(place)
}

/// One node nearer to the cursor.
fn step(place: &mut PatchPlace, node: NodeRef<'_>, stand_in: &StandIn) {
    match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. })
            if !stand_in.is_in(attr.name.span) =>
        {
            place.path.push(attr.name.value.to_string());
            place.value = true;
        }
        NodeRef::Entry(Entry { key, .. }) if !stand_in.is_in(key.span) => {
            place.path.extend(expected::key(key));
            place.value = true;
        }
        NodeRef::Expr(Expr { kind: ExprKind::Record(entries), .. }) => {
            let keys = entries.iter().filter(|it| !stand_in.is_in(it.key.span));
            place.written = keys.filter_map(|it| expected::key(&it.key)).collect();
            place.value = false;
        }
        _ => {}
    }
}
