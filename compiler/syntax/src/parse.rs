//! From text to tree: chunk by chunk, on two threads where there is much; behind an edit, from the tree before it.
//!
//! A chunk is a statement at column 0 with the comments above it; its tree depends on its own text and on
//! nothing else. Hence the order of work does not show, and an edit costs one chunk.

mod again;
pub(crate) mod lower;

pub use again::reparse;

use crate::blank::BLANK;
use crate::brackets::{Stray, needless, stray, too_deep};
use crate::chunks::chunks;
use crate::grammar::{Grammar, Rule};
use crate::parse::lower::HEAD;
use crate::parse::lower::holes::{self, SYNTAX_UNCLOSED, SYNTAX_UNOPENED, early, headless};
use crate::problems::one_a_line;
use crate::tree::{Comment, Problem, Stmt, StmtKind, Tree};
use lower::{Lower, Place};
use pest::Parser;
use slipform_source::{FileId, Span};
use std::ops::Range;

/// How many brackets, blocks and prefix operators may stand inside each other; what is deeper is a problem, not a tree.
/// Together with the operators of one expression the height of a tree stays below twice this.
pub const MAX_NESTING: usize = 128;

/// Bytes from which the chunks are shared between two threads; below, starting one costs more than it saves.
const PARALLEL_BYTES: usize = 64 << 10;

/// The tree of a text. Any text has one; it depends on the text alone.
pub fn parse(file: FileId, text: &str) -> Tree {
    let chunks = chunks(text);
    let parsed = if text.len() < PARALLEL_BYTES {
        in_order(file, text, &chunks)
    } else {
        in_parallel(file, text, &chunks)
    };
    collect(file, parsed)
}

/// The tree of a text that stands at an offset of its file: of the same text behind so many blanks.
pub fn parse_at(file: FileId, offset: usize, text: &str) -> Tree {
    let chunk = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let chunks = chunks(text);
    let parsed = chunks.iter().map(|it| parse_chunk(file, chunk(it), offset + it.start));
    collect(file, parsed.collect())
}

/// The tree of one chunk.
struct Parsed {
    stmts: Vec<Stmt>,
    comments: Vec<Comment>,
    /// One a line.
    problems: Vec<Problem>,
    /// How many brackets are left open, those of one line all counted.
    left_open: usize,
    /// How many problems there are, those of one line all counted.
    found: usize,
}

fn in_order(file: FileId, text: &str, chunks: &[Range<usize>]) -> Vec<Parsed> {
    let chunk = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    chunks.iter().map(|range| parse_chunk(file, chunk(range), range.start)).collect()
}

fn in_parallel(file: FileId, text: &str, chunks: &[Range<usize>]) -> Vec<Parsed> {
    let middle = chunks.partition_point(|chunk| chunk.start < text.len() / 2);
    let (first, second) = chunks.split_at_checked(middle).unwrap_or((chunks, &[]));
    std::thread::scope(|scope| {
        let other =
            std::thread::Builder::new().spawn_scoped(scope, || in_order(file, text, second));
        let mut parsed = in_order(file, text, first);
        match other.map(|thread| thread.join()) {
            Ok(Ok(rest)) => parsed.extend(rest),
            _ => parsed.extend(in_order(file, text, second)),
        }
        parsed
    })
}

fn collect(file: FileId, parsed: Vec<Parsed>) -> Tree {
    let total = |count: fn(&Parsed) -> usize| parsed.iter().map(count).sum();
    let mut stmts = Vec::with_capacity(total(|p| p.stmts.len()));
    let mut comments = Vec::with_capacity(total(|p| p.comments.len()));
    let mut problems = Vec::new();
    for chunk in parsed {
        stmts.extend(chunk.stmts);
        comments.extend(chunk.comments);
        problems.extend(chunk.problems);
    }
    Tree { file, stmts: stmts.into(), comments: comments.into(), problems }
}

fn parse_chunk(file: FileId, chunk: &str, base: usize) -> Parsed {
    if let Some(at) = too_deep(chunk, MAX_NESTING) {
        return too_nested(file, chunk, base, at);
    }
    let place = Place::new(file, base);
    let Some(parsed) = parse_text(chunk, &place) else {
        return too_nested(file, chunk, base, 0);
    };
    let mut parsed = understood(chunk, &place, &parsed).unwrap_or(parsed);
    if parsed.problems.iter().any(|problem| problem.code == SYNTAX_UNOPENED) {
        parsed.mark_echo(chunk, base);
    }
    parsed
}

impl Parsed {
    /// Marks what stands outside of any block and further in than statements do: it belongs to the block whose end is told of.
    fn mark_echo(&mut self, chunk: &str, base: usize) {
        let stands_in = |stmt: &Stmt| {
            let front = chunk.get(..(stmt.span.start as usize).saturating_sub(base));
            front.is_some_and(|front| front.ends_with([' ', '\t']))
        };
        self.stmts.iter_mut().filter(|it| stands_in(it)).for_each(|stmt| stmt.broken = true);
    }
}

/// The tree of a chunk with one mistake mended, where it is certain what is meant: what stands behind it is then known, and the mistake told once.
/// `None` where there is none, or nothing is clearer without it.
fn understood(chunk: &str, place: &Place, parsed: &Parsed) -> Option<Parsed> {
    let certain = parsed.problems.iter().find(|problem| problem.is_certain());
    let mended = certain.and_then(|problem| {
        let (at, meant) = problem.fix.as_ref()?;
        let other = meant_as(chunk, place, *at, meant, problem.clone())?;
        let clearer = other.problems.len() <= parsed.problems.len();
        (clearer && other.left_open <= parsed.left_open).then_some(other)
    });
    let left = mended.as_ref().map(|it| it.found);
    if left == Some(1) {
        return mended;
    }
    if let Some(other) = needless_brace(chunk, place, parsed) {
        return Some(other);
    }
    // one report takes the place of another
    let most = left.map_or(parsed.found, |left| left - 1);
    stray_brace(chunk, place, parsed).filter(|it| it.found <= most).or(mended)
}

/// The tree of a chunk without a `{` that nothing closes, where nothing else is wrong then.
fn needless_brace(chunk: &str, place: &Place, parsed: &Parsed) -> Option<Parsed> {
    let mut opened = parsed.problems.iter().filter(|it| it.code == SYNTAX_UNCLOSED);
    let is_brace = |at: &usize| chunk.get(*at..).is_some_and(|behind| behind.starts_with('{'));
    let told = opened.clone().map(|it| place.told(it.at.0.start)).find(is_brace);
    opened.next()?;
    let without = |at: usize| {
        let at = place.span(at, at + 1);
        meant_as(chunk, place, at, "", holes::needless(at)).filter(|it| it.found == 1)
    };
    needless(chunk).and_then(without).or_else(|| told.and_then(without))
}

/// The tree of a chunk without a `}` that is one too many, or with a line that opens a block which has none.
fn stray_brace(chunk: &str, place: &Place, parsed: &Parsed) -> Option<Parsed> {
    parsed.problems.iter().find(|problem| problem.code == SYNTAX_UNOPENED)?;
    match stray(chunk)? {
        Stray::Early(brace) => {
            let at = place.span(brace, brace + 1);
            meant_as(chunk, place, at, "", early(at))
        }
        Stray::Headless(first, brace) => {
            let rest = chunk.get(first..).unwrap_or_default();
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (word, end) = (place.span(first, first + word), place.span(brace, brace + 1));
            meant_as(chunk, place, word.at_start(), HEAD, headless(word, end))
        }
    }
}

/// The tree of a chunk with what is meant in the place of what is written, as a problem says.
fn meant_as(chunk: &str, place: &Place, at: Span, meant: &str, problem: Problem) -> Option<Parsed> {
    let written = place.told(at.start)..place.told(at.end);
    let mut text = chunk.to_owned();
    text.replace_range(written.clone(), meant);
    let mut other = parse_text(&text, &place.mistaken(written, meant, problem))?;
    // what is meant may have lines that are not written
    one_a_line(&mut other.problems, |at| place.told(at), chunk);
    Some(other)
}

/// The tree of a text; `None` where the grammar gives up.
fn parse_text(text: &str, place: &Place) -> Option<Parsed> {
    let root = Grammar::parse(Rule::file, text).ok()?.next()?;
    let comments =
        if text.contains('#') { lower::comments(root.clone(), place) } else { Vec::new() };
    let mut lower = Lower::new(text, &comments, place);
    let stmts = lower.file(root);
    let mut problems = lower.found();
    let found = problems.len();
    let left_open = problems.iter().filter(|it| it.code == SYNTAX_UNCLOSED).count();
    one_a_line(&mut problems, |at| place.offset(at), text);
    Some(Parsed { stmts, comments, problems, left_open, found })
}

/// A chunk that is nested too deep for a tree: one statement that is none.
fn too_nested(file: FileId, chunk: &str, base: usize, at: usize) -> Parsed {
    let span = Span::new(
        file,
        base + chunk.len() - chunk.trim_start_matches(BLANK).len(),
        base + chunk.trim_end_matches(BLANK).len(),
    );
    let width = chunk.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let problem = lower::nesting(Span::new(file, base + at, base + at + width));
    let stmt = Stmt { span, doc: None, kind: StmtKind::Error, broken: true };
    Parsed {
        stmts: vec![stmt],
        comments: Vec::new(),
        problems: vec![problem],
        left_open: 0,
        found: 1,
    }
}
