//! The statement that is being typed, read by the parser as if a name stood at the cursor.

use super::super::cursor::{Cursor, tree};
use crate::source_text::is_word;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Attr, Decl, Expr, ExprKind, Name, Stmt, StmtKind, StrPart, Tree};
use slipform_syntax::{NodeRef, parse, path_at, walk};
use std::ops::Range;

/// What stands at the cursor: a name, or the rest of the word there.
const NAME: &str = "it";

/// The file of what is read with a name at the cursor, which is none.
pub(super) const STAND_IN: FileId = FileId(u32::MAX);

/// A statement with a name at the cursor. Spans are those of its own text.
pub(crate) struct StandIn {
    tree: Tree,
    text: String,
    /// Where the statement starts in its file.
    base: usize,
    /// What was put into the text.
    put: Range<usize>,
    /// Where the name starts, or the rest of the word.
    at: usize,
}

impl StandIn {
    /// The statement around the cursor, up to the next one; `None` in a comment.
    pub(crate) fn new(cursor: &Cursor<'_>) -> Option<Self> {
        let tree = tree(cursor.analysis, cursor.file)?;
        let next = tree.stmts.partition_point(|stmt| (stmt.span.start as usize) < cursor.offset);
        let start_of = |at: usize| tree.stmts.get(at).map(|stmt| stmt.span.start as usize);
        let base = next.checked_sub(1).and_then(start_of).unwrap_or(0);
        let end = start_of(next).unwrap_or(cursor.text.len()).max(cursor.offset);
        let head = cursor.text.get(base..cursor.offset)?;
        let tail = cursor.text.get(cursor.offset..end)?;
        // A name at column 0 would end what is open above it, and what is behind the cursor is not what is being typed.
        let before = if head.ends_with('\n') { " " } else { "" };
        let apart = !head.ends_with(is_word)
            && tail.starts_with(|c| is_word(c) || matches!(c, '"' | '[' | '(' | '{'));
        let after = if apart { " " } else { "" };
        let text = format!("{head}{before}{NAME}{after}{tail}");
        let stand_in = Self {
            tree: parse(STAND_IN, &text),
            base,
            put: head.len()..text.len() - tail.len(),
            at: head.len() + before.len(),
            text,
        };
        let commented = stand_in.tree.comments.iter().any(|comment| stand_in.is_in(comment.span));
        (!commented).then_some(stand_in)
    }

    /// The nodes around the name, the outermost first.
    pub(crate) fn path(&self) -> Vec<NodeRef<'_>> {
        // Within the name no other node touches.
        path_at(&self.tree, self.at + 1)
    }

    /// Whether the name, or the word that it is the rest of, lies inside.
    pub(crate) fn is_in(&self, span: Span) -> bool {
        span.touches(self.at) && span.touches(self.at + NAME.len())
    }

    /// Whether a statement starts with the word at the cursor.
    pub(crate) fn starts(&self) -> bool {
        let line = self.line_in_front().trim_end();
        line.is_empty() || line.ends_with('{')
    }

    /// Whether a name or a value ends right in front, so that an `=`, a comma or an operator has to come first.
    pub(crate) fn follows_value(&self) -> bool {
        let line = self.line_in_front();
        let end = self.word_start() - (line.len() - line.trim_end().len());
        let mut follows = false;
        walk(&self.tree, &mut |node| {
            let is_value = matches!(node, NodeRef::Expr(_) | NodeRef::Name(_));
            let span = node.span();
            follows |= is_value && span.start < span.end && span.end as usize == end;
        });
        follows && !line.trim().is_empty()
    }

    /// Words of the language one of which has to come next: behind `is`, behind the name of a round, behind `fix`.
    pub(crate) fn words_next(&self) -> Option<&'static [&'static str]> {
        let line = self.line_in_front();
        let head = line.trim_end();
        if head.len() == line.len() {
            return None;
        }
        let words: Vec<&str> = head.split_whitespace().collect();
        match words.as_slice() {
            ["fix"] => return Some(&["set", "remove"]),
            ["rule", _] => return Some(&["on"]),
            // the path is whole, or a name of it is
            ["use", path] if !path.ends_with(['.', '{', ',']) => return Some(&["as"]),
            ["use", _, .., "as"] => return Some(&[]),
            ["use", .., last] if !last.ends_with(['{', ',', '}']) && words.len() > 2 => {
                let behind_as = words.iter().rev().nth(1) == Some(&"as");
                return Some(if behind_as { &[] } else { &["as"] });
            }
            [.., "is"] if words.len() > 1 => return Some(&["set", "not set"]),
            [.., "is", "not"] => return Some(&["set"]),
            [.., "}", "else"] => return Some(&["if"]),
            _ => {}
        }
        let names = words.iter().rposition(|word| word.trim_start_matches(['[', '{']) == "for")?;
        let names = words.get(names + 1..)?;
        let named = |word: &&str| word.trim_end_matches(',').chars().all(is_word);
        let over = names.last().is_some_and(|last| !last.ends_with(','));
        (over && names.iter().all(named) && !names.contains(&"in")).then_some(&["in"])
    }

    /// Where what stands in front on the same line ends; `None` where nothing does, or where it touches the cursor.
    pub(crate) fn end_in_front(&self) -> Option<usize> {
        let line = self.line_in_front();
        let head = line.trim_end();
        let apart = head.len() < line.len();
        (apart && !head.is_empty()).then(|| self.word_start() - (line.len() - head.len()))
    }

    /// Whether a block ends in front on the same line.
    pub(crate) fn follows_block(&self) -> bool {
        let end = self.end_in_front();
        end.and_then(|end| self.text.get(..end)).is_some_and(|head| head.ends_with('}'))
    }

    /// The nodes around what ends in front of the cursor, the outermost first.
    pub(crate) fn path_in_front(&self) -> Vec<NodeRef<'_>> {
        let end = self.end_in_front().and_then(|end| end.checked_sub(1));
        end.map(|end| path_at(&self.tree, end)).unwrap_or_default()
    }

    fn word_start(&self) -> usize {
        let head = self.text.get(..self.at).unwrap_or_default();
        head.trim_end_matches(is_word).len()
    }

    /// What stands in front of the word at the cursor on its line.
    pub(crate) fn line_in_front(&self) -> &str {
        let head = self.text.get(..self.word_start()).unwrap_or_default();
        head.rsplit('\n').next().unwrap_or_default()
    }

    /// Whether what follows belongs to the word at the cursor already: `=`, or what opens arguments or a type.
    pub(crate) fn continues(&self) -> bool {
        let tail = self.text.get(self.at..).unwrap_or_default();
        let rest = tail.trim_start_matches(is_word);
        let rest = rest.trim_start_matches([' ', '\t']);
        rest.starts_with(['(', ':']) || (rest.starts_with('=') && !rest.starts_with("=="))
    }

    /// Where something of the text lies in the file, which has no name at the cursor.
    pub(crate) fn in_file(&self, file: FileId, span: Span) -> Span {
        let place = |at: u32| match at as usize {
            at if at <= self.put.start => self.base + at,
            at => self.base + at.saturating_sub(self.put.len()).max(self.put.start),
        };
        Span::new(file, place(span.start), place(span.end))
    }

    /// What stands between the quotes of a string.
    pub(crate) fn inside_quotes(&self, string: Span) -> Span {
        let text = self.text.get(string.range()).unwrap_or_default();
        let body = text.trim_start_matches(['%', '@', '$']);
        let quotes = if body.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
        let start = string.start as usize + (text.len() - body.len()) + quotes.len();
        let open = body.strip_prefix(quotes).unwrap_or_default();
        let closed = open.strip_suffix(quotes).unwrap_or(open);
        Span::new(string.file, start, start + closed.len())
    }

    /// The machine type of the innermost declaration around that names one, on whichever line.
    pub(crate) fn machine(&self) -> Option<String> {
        self.path().iter().rev().find_map(|node| match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => self.machine_of(decl),
            _ => None,
        })
    }

    fn machine_of(&self, decl: &Decl) -> Option<String> {
        let values = decl.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Attr(Attr { name, value }) if name.value == "machine" => Some(value),
            _ => None,
        });
        values.filter(|value| !self.is_in(value.span)).find_map(text_of)
    }

    /// The fields that the blocks around set, but for the one that is being typed.
    pub(crate) fn set_around(&self) -> Vec<String> {
        let mut found = Vec::new();
        for node in self.path() {
            let NodeRef::Stmt(stmt) = node else { continue };
            match &stmt.kind {
                StmtKind::Decl(decl) if !self.is_in(decl.kind.span) => {
                    found = self.set_in(&decl.body);
                }
                StmtKind::If(choice) => {
                    let branches =
                        [Some(&choice.then), choice.otherwise.as_ref()].into_iter().flatten();
                    let around =
                        branches.filter(|branch| branch.iter().any(|stmt| self.is_in(stmt.span)));
                    found.extend(around.flat_map(|branch| self.set_in(branch)));
                }
                _ => {}
            }
        }
        found
    }

    /// The fields that a block sets itself, but for the one that is being typed.
    pub(crate) fn set_in(&self, block: &[Stmt]) -> Vec<String> {
        let names = block.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Attr(attr) => Some(&attr.name),
            _ => None,
        });
        names.filter(|name| !self.is_in(name.span)).map(|name| name.value.to_string()).collect()
    }

    /// Whether a name is the one at the cursor.
    pub(crate) fn is_at(&self, name: &Option<Name>) -> bool {
        name.as_ref().is_some_and(|name| self.is_in(name.span))
    }
}

/// A string that interpolates nothing.
pub(crate) fn text_of(value: &Expr) -> Option<String> {
    let ExprKind::Str(parts) = &value.kind else { return None };
    match parts.as_slice() {
        [] => Some(String::new()),
        [StrPart::Text(text)] => Some(text.to_string()),
        _ => None,
    }
}
