//! A tree from the tree of a text that was a little different.
//!
//! Chunks in front of the edit stay, chunks behind it are moved along; nothing is copied. What comes out is what
//! [`super::parse`] gives.

use super::{collect, in_order};
use crate::chunks::chunks;
use crate::shift::Shift;
use crate::tree::{Problem, Tree};
use std::ops::Range;

/// The tree of `text`, made from the tree `old` of `old_text`: only what lies around the differences is parsed.
pub fn reparse(old: Tree, old_text: &str, text: &str) -> Tree {
    let same = Same::new(&old, old_text, text);
    let middle = in_order(old.file, text, &same.middle);
    let Tree { file, stmts, comments, problems } = old;
    let mut stmts = stmts.into_inner();
    let mut comments = comments.into_inner();
    let parsed = collect(file, middle);
    let (head, tail) = (same.head, same.tail);
    let by = text.len() as i64 - old_text.len() as i64;
    let cut = |start: u32| start as usize >= head;
    let behind = |start: u32| start as usize >= tail;

    let mut stmts_behind = stmts.split_off(stmts.partition_point(|it| !behind(it.span.start)));
    stmts.truncate(stmts.partition_point(|it| !cut(it.span.start)));
    let from = comments.partition_point(|it| !behind(it.span.start));
    let mut comments_behind = comments.split_off(from);
    comments.truncate(comments.partition_point(|it| !cut(it.span.start)));
    let (mut problems_behind, problems): (Vec<Problem>, Vec<Problem>) =
        problems.into_iter().partition(|it| behind(it.at.0.start));
    let mut problems: Vec<Problem> =
        problems.into_iter().filter(|it| !cut(it.at.0.start)).collect();
    if by != 0 {
        stmts_behind.shift(by);
        comments_behind.shift(by);
        problems_behind.shift(by);
    }

    stmts.extend(parsed.stmts.into_inner());
    stmts.append(&mut stmts_behind);
    comments.extend(parsed.comments.into_inner());
    comments.append(&mut comments_behind);
    problems.extend(parsed.problems);
    problems.append(&mut problems_behind);
    Tree { file, stmts: stmts.into(), comments: comments.into(), problems }
}

/// What two texts have in common, in whole chunks.
struct Same {
    /// Where the chunks in front of the edit end, in both texts.
    head: usize,
    /// Where the chunks behind the edit start, in the old text.
    tail: usize,
    /// The chunks of the new text between them.
    middle: Vec<Range<usize>>,
}

impl Same {
    fn new(old: &Tree, old_text: &str, text: &str) -> Self {
        let (a, b) = (old_text.as_bytes(), text.as_bytes());
        let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let rest = a.len().min(b.len()) - start;
        let back = a.iter().rev().zip(b.iter().rev()).take(rest);
        let end = a.len() - back.take_while(|(a, b)| a == b).count();
        let (old_chunks, new_chunks) = (chunks(old_text), chunks(text));
        // A problem that stands where a chunk ends and the next one starts may belong to either.
        let is_unclear = |at: usize| old.problems.iter().any(|it| it.at.0.start as usize == at);

        let pairs = old_chunks.iter().zip(&new_chunks);
        let mut before = pairs.take_while(|(old, new)| old == new && new.end <= start).count();
        let end_of = |count: usize| Some(new_chunks.get(count.checked_sub(1)?)?.end);
        while end_of(before).is_some_and(is_unclear) {
            before -= 1;
        }

        let most = old_chunks.len().min(new_chunks.len()) - before;
        let moved = |old: &Range<usize>, new: &Range<usize>| {
            a.len() - old.start == b.len() - new.start && a.len() - old.end == b.len() - new.end
        };
        let pairs = old_chunks.iter().rev().zip(new_chunks.iter().rev()).take(most);
        let mut behind = pairs.take_while(|(old, new)| old.start >= end && moved(old, new)).count();
        let start_of = |count: usize| old_chunks.get(old_chunks.len() - count).map(|it| it.start);
        while behind > 0 && start_of(behind).is_some_and(is_unclear) {
            behind -= 1;
        }

        let between = before..new_chunks.len() - behind;
        Self {
            head: end_of(before).unwrap_or(0),
            tail: start_of(behind).unwrap_or(usize::MAX),
            middle: new_chunks.get(between).unwrap_or_default().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use slipform_source::FileId;

    const FILE: FileId = FileId(7);

    const TEXT: &str = "\u{feff}# first\n\n## Doc.\nlet a = 1\nnetwork n {\n  subnet = 10.0.0.0/20\n  x =\n}\nnonsense here\n# between\nlet s = \"\"\"\n  text\n  \"\"\"\ncluster c on gke {\n  pool p { nodes = [1, 2] }\n\nassert a == 1, \"no\"\n";

    #[track_caller]
    fn check(old: &str, new: &str) {
        let tree = reparse(parse(FILE, old), old, new);
        assert_eq!(tree, parse(FILE, new), "from {old:?}\nto {new:?}");
    }

    #[test]
    fn every_small_edit_gives_the_tree_of_the_new_text() {
        let pieces = [
            "",
            "x",
            "}",
            "{",
            "\n",
            "\"",
            "\"\"\"",
            "#",
            "let b = 2\n",
            "\nlet b = 2",
            " = ",
            "é",
        ];
        let places: Vec<usize> =
            TEXT.char_indices().map(|(at, _)| at).chain([TEXT.len()]).collect();
        for from in places.iter().step_by(7) {
            for len in [0, 1, 9] {
                let Some(to) = places.iter().find(|to| **to >= from + len) else { continue };
                for piece in pieces {
                    let (head, tail) =
                        (TEXT.get(..*from).unwrap_or(""), TEXT.get(*to..).unwrap_or(""));
                    let new = format!("{head}{piece}{tail}");
                    check(TEXT, &new);
                    check(&new, TEXT);
                }
            }
        }
    }

    #[test]
    fn texts_that_have_nothing_in_common_are_parsed_anew() {
        check(TEXT, "");
        check("", TEXT);
        check("let a = 1\n", "network n {\n}\n");
        check(TEXT, &TEXT.repeat(2));
    }
}
