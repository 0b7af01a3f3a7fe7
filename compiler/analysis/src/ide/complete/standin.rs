//! The statement that is being typed, read by the parser as if a name stood at the cursor.

use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Attr, Decl, Expr, ExprKind, Stmt, StmtKind, StrPart, Tree};
use slipform_syntax::{NodeRef, parse, path_at};

/// What stands at the cursor: a name, and the rest of one.
const NAME: &str = "it";

/// A statement with a name at the cursor.
pub(super) struct StandIn {
    tree: Tree,
    offset: usize,
}

impl StandIn {
    /// The statement around an offset of its text.
    pub(super) fn new(text: &str, offset: usize) -> Option<Self> {
        let (head, tail) = text.split_at_checked(offset)?;
        let tree = parse(FileId(u32::MAX), &format!("{head}{NAME}{tail}"));
        Some(Self { tree, offset })
    }

    /// The machine type of the innermost declaration around that names one, on whichever line.
    pub(super) fn machine(&self) -> Option<String> {
        let path = path_at(&self.tree, self.offset);
        path.iter().rev().find_map(|node| match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => self.machine_of(decl),
            _ => None,
        })
    }

    fn machine_of(&self, decl: &Decl) -> Option<String> {
        decl.body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Attr(Attr { name, value })
                if name.value == "machine" && !self.is_typed(value.span) =>
            {
                text_of(value)
            }
            _ => None,
        })
    }

    fn is_typed(&self, span: Span) -> bool {
        span.touches(self.offset)
    }
}

fn text_of(value: &Expr) -> Option<String> {
    let ExprKind::Str(parts) = &value.kind else { return None };
    match parts.as_slice() {
        [StrPart::Text(text)] => Some(text.clone()),
        _ => None,
    }
}
