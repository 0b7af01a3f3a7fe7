//! The one layout. Comments stay, meaning stays, laying out twice changes nothing.
//!
//! What the author decides: blank lines (at most one is kept), and whether a bracket is broken (a newline
//! right behind the opener keeps it so). All else follows from the tree. Statements with a hole, and
//! statements whose comments have no place in the layout, are copied as they are.

mod exprs;
mod rows;
mod stmts;
mod types;

use crate::blank::BLANK;
use crate::tree::{Comment, Tree};
use rows::{Row, render};
use slipform_source::Span;

/// Columns that a line should not exceed; a string or a name alone may.
const WIDTH: usize = 100;

/// Spaces a level.
const INDENT: usize = 2;

/// The text of `tree` in the one layout. `text` must be the text that was parsed. An empty file stays empty;
/// any other ends in one newline.
pub fn format(tree: &Tree, text: &str) -> String {
    let mut printer = Printer { text, comments: &tree.comments, next: 0 };
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rows = printer.block(&tree.stmts, 0, start, text.len());
    render(rows)
}

/// The text that is laid out, and the comments that are not printed yet.
struct Printer<'t> {
    text: &'t str,
    comments: &'t [Comment],
    /// The first comment that is not printed.
    next: usize,
}

impl<'t> Printer<'t> {
    fn slice(&self, span: Span) -> &'t str {
        self.between(span.start as usize, span.end as usize)
    }

    fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn is_broken_between(&self, start: usize, end: usize) -> bool {
        self.between(start, end).contains('\n')
    }

    /// Whether the author left a line empty between two offsets.
    fn is_blank_between(&self, start: usize, end: usize) -> bool {
        self.between(start, end).bytes().filter(|b| *b == b'\n').count() > 1
    }

    /// The next comment, if it starts in front of `end`.
    fn comment_before(&self, end: usize) -> Option<&'t Comment> {
        self.comments.get(self.next).filter(|comment| (comment.span.start as usize) < end)
    }

    /// The number of comments that start in front of an offset.
    fn comments_before(&self, end: usize) -> usize {
        self.comments.partition_point(|comment| (comment.span.start as usize) < end)
    }

    fn has_comment(&self, span: Span) -> bool {
        self.comments_before(span.start as usize) < self.comments_before(span.end as usize)
    }

    /// The comment behind `end` on the same line.
    fn trailing_comment(&mut self, end: usize) -> Option<String> {
        let comment = self.comments.get(self.next)?;
        let start = comment.span.start as usize;
        let between = self.text.get(end..start)?;
        if !between.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b',')) {
            return None;
        }
        self.next += 1;
        Some(self.slice(comment.span).trim_end_matches(BLANK).to_owned())
    }

    /// The comments between `from` and `to`, each a row; gives where the last of them ends.
    fn own_line_comments(
        &mut self,
        rows: &mut Vec<Row>,
        indent: usize,
        from: usize,
        to: usize,
    ) -> usize {
        let mut end = from;
        while let Some(comment) = self.comment_before(to) {
            self.next += 1;
            let blank = !rows.is_empty() && self.is_blank_between(end, comment.span.start as usize);
            rows.push(
                Row::new(indent, self.slice(comment.span).trim_end_matches(BLANK)).blank(blank),
            );
            end = comment.span.end as usize;
        }
        end
    }
}
