//! From what the grammar matched to the owned tree, and to the problems in the user's words.
//!
//! Every hole that the grammar marks becomes a hole of the tree and a problem. Nothing here can fail.

pub(crate) mod exprs;
pub(crate) mod holes;
pub(crate) mod literals;
pub(crate) mod rules;
mod stmts;
pub(crate) mod strings;
mod types;

use crate::blank::BLANK;
use crate::grammar::Rule;
use crate::operators;
use crate::tree::{Comment, Name, Problem};
use pest::iterators::{Pair, Pairs};
use slipform_source::{FileId, Span, Spanned};
use std::ops::Range;

use crate::parse::lower::holes::SYNTAX_NAME;
pub(crate) use holes::nesting;

type Node<'t> = Pair<'t, Rule>;

/// Where the text of a chunk stands in its file.
pub(crate) struct Place {
    file: FileId,
    /// Where the chunk starts.
    base: usize,
    mistaken: Option<Mistaken>,
}

/// What stands in the text where the line is gone that opens a block.
pub(crate) const HEAD: &str = "_ _ { ";

/// A mistake of the file in whose place the text has what is meant.
struct Mistaken {
    /// Where what is meant begins, where it is the head of a block.
    head: Option<usize>,
    /// Where that ends, in the text and in the chunk as it is written.
    end: (usize, usize),
    /// What is told of it.
    problem: Problem,
}

impl Place {
    pub(crate) fn new(file: FileId, base: usize) -> Self {
        Self { file, base, mistaken: None }
    }

    /// The same place, of a text in which what is meant stands in the place of what is written at `at`, as a problem says.
    pub(crate) fn mistaken(&self, at: Range<usize>, meant: &str, problem: Problem) -> Self {
        let head = (meant == HEAD).then_some(at.start);
        let mistaken = Mistaken { head, end: (at.start + meant.len(), at.end), problem };
        Self { file: self.file, base: self.base, mistaken: Some(mistaken) }
    }

    /// Whether a declaration that begins here is written nowhere: what stands in its block is.
    fn is_lost(&self, at: usize) -> bool {
        self.mistaken.as_ref().is_some_and(|mistaken| mistaken.head == Some(at))
    }

    /// Where in the file a piece of the text stands.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let told = |at: usize| match &self.mistaken {
            Some(Mistaken { end: (end, written), .. }) if at >= *end => {
                self.base + at - end + written
            }
            Some(Mistaken { end: (_, written), .. }) => self.base + at.min(*written),
            None => self.base + at,
        };
        Span::new(self.file, told(start), told(end))
    }

    /// Where in what is written an offset of the file is.
    pub(crate) fn told(&self, told: u32) -> usize {
        (told as usize).saturating_sub(self.base)
    }

    /// Where in the text an offset of the file is.
    pub(crate) fn offset(&self, told: u32) -> usize {
        let at = self.told(told);
        match &self.mistaken {
            Some(Mistaken { end: (end, written), .. }) if at >= *written => at - written + end,
            _ => at,
        }
    }
}

/// Whether a word stands for something else wherever a value is read.
fn is_reserved(word: &str) -> bool {
    operators::is_operator_word(word)
        || matches!(word, "if" | "else" | "for" | "where" | "as" | "true" | "false" | "auto")
}

/// The state of lowering one chunk.
pub(crate) struct Lower<'t> {
    /// The chunk.
    text: &'t str,
    place: &'t Place,
    /// The mistake that the text has mended is told, in the statement that it stands in.
    told: bool,
    /// The comments of the chunk, in order.
    comments: &'t [Comment],
    problems: Vec<Problem>,
    /// Problems inside the statement at hand, but not inside the statements inside it.
    holes: usize,
    /// Expressions, types and statements that are open, and the operators of the open expressions.
    depth: usize,
}

impl<'t> Lower<'t> {
    pub(crate) fn new(text: &'t str, comments: &'t [Comment], place: &'t Place) -> Self {
        Self { text, place, told: false, comments, problems: Vec::new(), holes: 0, depth: 0 }
    }

    /// All that was found, unsorted.
    pub(crate) fn found(mut self) -> Vec<Problem> {
        // what no statement has said of the mistake that is mended
        if let Some(mistaken) = self.place.mistaken.as_ref().filter(|_| !self.told) {
            self.problems.push(mistaken.problem.clone());
        }
        self.problems
    }

    fn span_at(&self, start: usize, end: usize) -> Span {
        self.place.span(start, end)
    }

    /// The span of a node without the spaces behind it: a node that ends with a hole has some.
    fn span(&self, node: &Node<'_>) -> Span {
        let start = node.as_span().start();
        self.span_at(start, start + node.as_str().trim_end_matches(BLANK).len())
    }

    /// The text between two offsets of the chunk.
    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn report(&mut self, problem: Problem) {
        self.holes += 1;
        self.problems.push(problem);
    }

    fn name(&mut self, node: &Node<'t>) -> Name {
        let span = self.span(node);
        let text = node.as_str();
        if !text.is_ascii() {
            self.report(holes::foreign_letter(text, span));
        }
        Spanned::new(text.into(), span)
    }

    /// A child that holds a new name or the mark of a missing one.
    fn declared(&mut self, node: &Node<'t>) -> Option<Name> {
        let name = self.name_or_hole(node)?;
        self.readable(&name);
        Some(name)
    }

    /// Words that mean something in an expression are no names: they could not be read back.
    fn readable(&mut self, name: &Name) {
        if is_reserved(&name.value) {
            let message = format!("`{}` is a word of the language, not a name", name.value);
            let problem = Problem::new(SYNTAX_NAME, message, name.span, "not a name");
            self.report(problem.help("choose another name: this one could not be read back"));
        }
    }

    /// A child that holds a name or the mark of a missing one.
    fn name_or_hole(&mut self, node: &Node<'t>) -> Option<Name> {
        match node.as_rule() {
            Rule::word | Rule::code => Some(self.name(node)),
            _ => {
                self.hole(node);
                None
            }
        }
    }
}

/// The children of a node, without the comments among them.
fn inner(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.into_inner().filter(|child| child.as_rule() != Rule::comment)
}

/// A list with room for what comes of some children, and for no more: a tree is made of many short ones.
fn room<T>(children: &impl Iterator) -> Vec<T> {
    Vec::with_capacity(children.size_hint().1.unwrap_or_default())
}

/// Every comment below a node, in order.
pub(crate) fn comments(root: Node<'_>, place: &Place) -> Vec<Comment> {
    let nodes: Pairs<'_, Rule> = root.into_inner();
    let comments = nodes.flatten().filter(|node| node.as_rule() == Rule::comment);
    comments
        .map(|node| {
            let text = node.as_str().trim_end_matches(BLANK);
            let start = node.as_span().start();
            Comment { span: place.span(start, start + text.len()), doc: is_doc(text) }
        })
        .collect()
}

/// Whether a comment starts with exactly two `#`.
fn is_doc(text: &str) -> bool {
    text.starts_with("##") && !text.starts_with("###")
}
