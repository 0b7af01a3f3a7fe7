//! What is typed: lines that are joined, statements and values that change places with their neighbours, comments that go on.

use super::actions::line_end;
use super::cursor::{Cursor, tree};
use crate::Analysis;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Expr, ExprKind, Tree};
use slipform_syntax::{NodeRef, parse, path_at};
use std::ops::Range;

/// Edits of one file.
type Edits = Vec<(Span, String)>;

/// The lines of a part as one, or a line and the next: what stands in brackets has commas then, and comments go on. Lines that cannot
/// stand in one stay as they are.
pub fn joined(analysis: &Analysis, file: FileId, part: Range<usize>) -> Edits {
    let (Some(tree), Some(source)) = (tree(analysis, file), analysis.sources.get(file)) else {
        return Vec::new();
    };
    let text = &source.text;
    let mut at = line_end(text, part.start);
    let mut edits = Vec::new();
    while at < text.len() && (edits.is_empty() || at <= part.end) {
        let Some((gap, between)) = seam(tree, text, at) else { break };
        edits.push((Span::new(file, gap.start, gap.end), between));
        at = line_end(text, gap.end);
    }
    // two statements in a row without a block around them are none in one line
    if is_read(tree, text, &edits) { edits } else { Vec::new() }
}

/// What stands between the words around the end of a line, and what does where they are in one; `at` is where the next line starts.
fn seam(tree: &Tree, text: &str, at: usize) -> Option<(Range<usize>, String)> {
    let (head, tail) = text.split_at_checked(at)?;
    let before = head.trim_end();
    let behind = tail.trim_start();
    let gap = before.len()..text.len() - behind.len();
    if let Some(said) = tree.comments.iter().find(|it| it.span.end as usize == before.len()) {
        let mark = if said.doc { "##" } else { "#" };
        let rest = behind.strip_prefix(mark).filter(|rest| !rest.starts_with('#'))?;
        let end = text.len() - rest.trim_start_matches(' ').len();
        return Some((gap.start..end, " ".to_owned()));
    }
    if behind.starts_with("##") || behind.is_empty() {
        return None;
    }
    if behind.starts_with('#') {
        return Some((gap, "  ".to_owned()));
    }
    let path = path_at(tree, before.len());
    let around = path.iter().rev().find(|it| it.span().range().end > gap.end)?;
    let opens = before.ends_with(['(', '[', '{']);
    let closes = behind.starts_with([')', ']', '}']);
    let braces = before.ends_with('{') || behind.starts_with('}');
    let blank = |yes: bool| if yes { " ".to_owned() } else { String::new() };
    if closes && before.ends_with(',') {
        return Some((gap.start - 1..gap.end, blank(braces)));
    }
    let is_text =
        |it: &NodeRef<'_>| matches!(it, NodeRef::Expr(Expr { kind: ExprKind::Str(_), .. }));
    match around {
        it if is_text(it) => None,
        _ if opens || closes => Some((gap, blank(braces))),
        NodeRef::Stmt(_)
        | NodeRef::Expr(Expr {
            kind: ExprKind::List(_) | ExprKind::Record(_) | ExprKind::Call(..),
            ..
        }) if !before.ends_with(',') => Some((gap, ", ".to_owned())),
        _ => Some((gap, " ".to_owned())),
    }
}

/// Whether a text reads as well with edits as without.
fn is_read(tree: &Tree, text: &str, edits: &Edits) -> bool {
    let mut then = text.to_owned();
    for (span, new) in edits.iter().rev() {
        then.replace_range(span.range(), new);
    }
    parse(tree.file, &then).problems.len() <= tree.problems.len()
}

/// What stands at a part and its neighbour in each other's place: a statement with its remarks, an entry, an argument, an item. It is
/// the neighbour that is written anew, so that the cursor goes with what it is in.
pub fn swapped(analysis: &Analysis, file: FileId, part: Span, up: bool) -> Edits {
    let Some(cursor) = Cursor::new(analysis, file, part.start as usize) else { return Vec::new() };
    let Some(tree) = tree(analysis, file) else { return Vec::new() };
    let moved = |at: usize| {
        let own = *cursor.path.get(at)?;
        let siblings = siblings(tree, at.checked_sub(1).and_then(|it| cursor.path.get(it)), own);
        let here = siblings.iter().position(|it| *it == own.span())?;
        let next = if up { here.checked_sub(1)? } else { here + 1 };
        let (own, next) = (*siblings.get(here)?, *siblings.get(next)?);
        own.covers(part).then(|| edits(cursor.text, own, next)).flatten()
    };
    let found = (0..cursor.path.len()).rev().find_map(moved);
    found.filter(|edits| is_read(tree, cursor.text, edits)).unwrap_or_default()
}

/// What stands in a row with a node and may stand in another's place.
fn siblings(tree: &Tree, parent: Option<&NodeRef<'_>>, own: NodeRef<'_>) -> Vec<Span> {
    let Some(parent) = parent else { return tree.stmts.iter().map(|it| it.span).collect() };
    let is_list = matches!(parent, NodeRef::Expr(Expr { kind: ExprKind::List(_), .. }));
    let mut found = Vec::new();
    parent.each_child(&mut |child| {
        let alike = match (child, own) {
            (NodeRef::Stmt(_), NodeRef::Stmt(_))
            | (NodeRef::Entry(_), NodeRef::Entry(_))
            | (NodeRef::Arg(_), NodeRef::Arg(_)) => true,
            (NodeRef::Expr(_), NodeRef::Expr(_)) => is_list,
            _ => false,
        };
        found.extend(alike.then_some(child.span()));
    });
    found
}

/// The edits that put a neighbour on the other side, with what stands between the two.
fn edits(text: &str, own: Span, next: Span) -> Option<Edits> {
    let (first, second) = if own.start < next.start { (own, next) } else { (next, own) };
    let (first, second) = (with_remarks(text, first), with_remarks(text, second));
    let between = text.get(first.range().end..second.range().start)?;
    let bare = between.lines().map(|line| line.split('#').next().unwrap_or_default());
    if !bare.flat_map(str::chars).all(|c| c.is_whitespace() || c == ',') {
        return None;
    }
    let file = own.file;
    let (start, end) = (first.range().start, second.range().end);
    Some(if own.start < next.start {
        let put = format!("{}{between}", text.get(second.range())?);
        vec![
            (Span::new(file, start, start), put),
            (Span::new(file, first.range().end, end), String::new()),
        ]
    } else {
        let put = format!("{between}{}", text.get(first.range())?);
        vec![
            (Span::new(file, start, second.range().start), String::new()),
            (Span::new(file, end, end), put),
        ]
    })
}

/// What stands alone on its lines, with the comments above it and the one behind it.
fn with_remarks(text: &str, own: Span) -> Span {
    let Range { mut start, mut end } = own.range();
    let line = |at: usize| text.get(..at).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
    let last = text.get(end..line_end(text, end)).unwrap_or_default();
    let behind = last.trim_start_matches(',').trim();
    if !text.get(line(start)..start).is_some_and(|it| it.trim().is_empty()) {
        return own;
    }
    if behind.starts_with('#') && !last.starts_with(',') {
        end += last.trim_end().len();
    }
    while let Some(above) = line(start).checked_sub(1) {
        let said = text.get(line(above)..above).unwrap_or_default();
        if !said.trim_start().starts_with('#') {
            break;
        }
        start = line(above) + said.len() - said.trim_start().len();
    }
    Span::new(own.file, start, end)
}

/// What a line begins with that was cut off one of comments, or put below it: `## ` goes on, and so does `# ` in the middle of what it
/// says, or below a second line of it. `at` is where the new line starts.
pub fn gone_on(text: &str, at: usize) -> Option<(usize, &'static str)> {
    let (head, tail) = text.split_at_checked(at)?;
    let mut above = head.strip_suffix('\n')?.lines().rev().map(str::trim);
    let line = tail.lines().next().unwrap_or_default();
    let said = above.next()?;
    let mark = said.get(..said.len() - said.trim_start_matches('#').len())?;
    let rest = line.trim();
    let is_comment = |line: &str| line.strip_prefix(mark).is_some_and(|it| !it.starts_with('#'));
    if said.len() == mark.len() || rest.starts_with('#') {
        return None;
    }
    let put = match mark {
        "##" => "## ",
        "#" if !rest.is_empty() || above.next().is_some_and(is_comment) => "# ",
        _ => return None,
    };
    Some((at + line.len() - line.trim_start().len(), put))
}
