//! The shape of a file: what can be put away, and what a selection grows to.

use super::cursor::{Cursor, tree};
use crate::Analysis;
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{ExprKind, StmtKind};

/// The lines that can be put away: blocks, lists and records over several lines, runs of comments and of `use`.
pub fn folds(analysis: &Analysis, file: FileId) -> Vec<Fold> {
    let (Some(tree), Some(source)) = (tree(analysis, file), analysis.sources.get(file)) else {
        return Vec::new();
    };
    let line = |offset: u32| source.lines().line(offset as usize);
    let mut found = Vec::new();
    slipform_syntax::walk(tree, &mut |node| {
        let kind = match node {
            NodeRef::Stmt(stmt) => !matches!(stmt.kind, StmtKind::Error),
            NodeRef::Expr(expr) => matches!(
                expr.kind,
                ExprKind::List(_)
                    | ExprKind::Record(_)
                    | ExprKind::ListFor(_)
                    | ExprKind::RecordFor(_)
                    | ExprKind::Call(..)
                    | ExprKind::Str(_)
            ),
            _ => false,
        };
        let (start, end) = (line(node.span().start), line(node.span().end));
        if kind && start < end {
            found.push(Fold { start, end, kind: FoldKind::Region });
        }
    });
    // what is remarked behind code is put away with the code
    let alone = |at: u32| {
        let start = source.lines().range(line(at)).start;
        source.text.get(start..at as usize).is_some_and(|before| before.trim().is_empty())
    };
    let comments = tree.comments.iter().map(|it| it.span).filter(|span| alone(span.start));
    let comments = comments.map(|span| (line(span.start), line(span.end)));
    found.extend(runs(comments, FoldKind::Comment));
    let uses = tree.stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Use(_)));
    found.extend(runs(uses.map(|it| (line(it.span.start), line(it.span.end))), FoldKind::Imports));
    found.sort_unstable_by_key(|fold| (fold.start, std::cmp::Reverse(fold.end)));
    found.dedup_by_key(|fold| fold.start);
    found
}

/// Lines of a file that can be put away behind their first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The line that stays, counted from 0.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// What they are.
    pub kind: FoldKind,
}

/// What lines are that can be put away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    /// A block, a list, a text.
    Region,
    /// Comments.
    Comment,
    /// What is brought in.
    Imports,
}

/// Runs of lines that follow each other.
fn runs(lines: impl Iterator<Item = (u32, u32)>, kind: FoldKind) -> Vec<Fold> {
    let mut found: Vec<Fold> = Vec::new();
    for (start, end) in lines {
        match found.last_mut() {
            Some(last) if start <= last.end + 1 => last.end = end,
            _ => found.push(Fold { start, end, kind }),
        }
    }
    found.retain(|fold| fold.start < fold.end);
    found
}

/// The spans around an offset, the innermost first: what an editor selects as the selection grows.
pub fn around(analysis: &Analysis, file: FileId, offset: usize) -> Vec<Span> {
    let Some(cursor) = Cursor::new(analysis, file, offset) else {
        return Vec::new();
    };
    let whole = Span::new(file, 0, cursor.text.len());
    let mut spans = vec![whole];
    spans.extend(cursor.path.iter().map(|node| node.span()));
    spans.extend(cursor.word().map(|(span, _)| span));
    let mut grown: Vec<Span> = Vec::new();
    for span in spans {
        let fits = grown.last().is_none_or(|outer| outer.covers(span) && *outer != span);
        if fits {
            grown.push(span);
        }
    }
    grown.reverse();
    grown
}
