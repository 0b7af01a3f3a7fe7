//! Where the cursor is: the nodes of the tree around it, and the nouns that they declare.

use crate::source_text::is_word;
use crate::{Analysis, Depth};
use slipform_model::plan::Plan;
use slipform_model::{Noun, Value};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Attr, Decl, Expr, ExprKind, Stmt, StmtKind, Tree};
use slipform_syntax::{NodeRef, path_at};
use std::cell::Cell;
use std::ops::Range;

/// A place in a blueprint.
pub(crate) struct Cursor<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) file: FileId,
    pub(crate) offset: usize,
    /// The text of the file.
    pub(crate) text: &'a str,
    /// The nodes around the place, the outermost first.
    pub(crate) path: Vec<NodeRef<'a>>,
    /// Somebody asked for values, and they are not known yet.
    pub(crate) waits: Cell<bool>,
    /// Somebody asked what rules say, and they were not tried yet.
    pub(crate) waits_for_rules: Cell<bool>,
}

impl<'a> Cursor<'a> {
    /// A place of a file that is a blueprint.
    pub(crate) fn new(analysis: &'a Analysis, file: FileId, offset: usize) -> Option<Self> {
        let tree = tree(analysis, file)?;
        let text = &analysis.sources.get(file)?.text;
        let (waits, waits_for_rules) = (Cell::new(false), Cell::new(false));
        Some(Self {
            analysis,
            file,
            offset,
            text,
            path: path_at(tree, offset),
            waits,
            waits_for_rules,
        })
    }

    /// What follows from the blueprint, where that is known.
    pub(crate) fn plan(&self) -> Option<&'a Plan> {
        self.asked_for_values();
        self.analysis.plan.as_ref()
    }

    /// The values of the parameter or the `let` whose name stands at a place.
    pub(crate) fn values(&self, declared: Span) -> &'a [Value] {
        if is_own(self.analysis, declared.file) {
            self.asked_for_values();
        }
        self.analysis.index.values(declared)
    }

    /// Takes note that an answer is another once values are known.
    pub(crate) fn asked_for_values(&self) {
        if self.analysis.depth < Depth::Values {
            self.waits.set(true);
        }
    }

    /// Takes note that an answer is another once rules were tried.
    pub(crate) fn asked_for_rules(&self) {
        if self.analysis.depth < Depth::Rules {
            self.waits_for_rules.set(true);
        }
    }

    /// The innermost node.
    pub(crate) fn node(&self) -> Option<NodeRef<'a>> {
        self.path.last().copied()
    }

    /// The node around the innermost one.
    pub(crate) fn parent(&self) -> Option<NodeRef<'a>> {
        self.path.iter().rev().nth(1).copied()
    }

    /// The innermost statement.
    pub(crate) fn stmt(&self) -> Option<&'a Stmt> {
        self.path.iter().rev().find_map(|node| match node {
            NodeRef::Stmt(stmt) => Some(*stmt),
            _ => None,
        })
    }

    /// The declarations around the place, the innermost first.
    pub(crate) fn decls(&self) -> impl Iterator<Item = &'a Decl> {
        self.path.iter().rev().filter_map(|node| match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => Some(&**decl),
            _ => None,
        })
    }

    /// The nouns that a declaration makes: one, or one a round of the loops around it.
    pub(crate) fn nouns(&self, decl: &Decl) -> Vec<&'a Noun> {
        let nouns = self.analysis.plan.iter().flat_map(|plan| &plan.model.nouns);
        nouns.filter(|noun| noun.span == decl.header).collect()
    }

    /// The word that the cursor touches.
    pub(crate) fn word(&self) -> Option<(Span, &'a str)> {
        let range = word_at(self.text, self.offset)?;
        Some((Span::new(self.file, range.start, range.end), self.text.get(range)?))
    }

    /// What is being typed: the word that the cursor is in or behind; nothing yet where there is none.
    pub(crate) fn typed(&self) -> Span {
        let word = self.word().map(|(span, _)| span);
        let word = word.filter(|word| (word.start as usize) < self.offset);
        word.unwrap_or_else(|| Span::new(self.file, self.offset, self.offset))
    }

    /// Whether the cursor is in a text, or in what is put into one.
    pub(crate) fn in_text(&self) -> bool {
        let is_text =
            |node: &NodeRef<'_>| matches!(node, NodeRef::Expr(Expr { kind: ExprKind::Str(_), .. }));
        self.path.iter().any(is_text)
    }

    /// The machine type of the innermost noun around that has one, wherever it came from.
    pub(crate) fn machine(&self) -> Option<String> {
        let mut nouns = self.decls().flat_map(|decl| self.nouns(decl));
        nouns.find_map(|noun| match &noun.fields.get("machine")?.value {
            Value::Str(machine) => Some(machine.to_string()),
            _ => None,
        })
    }
}

/// Where the word stands that an offset of a text touches.
pub fn word_at(text: &str, offset: usize) -> Option<Range<usize>> {
    let (head, tail) = text.split_at_checked(offset)?;
    let start = head.trim_end_matches(is_word).len();
    let end = text.len() - tail.trim_start_matches(is_word).len();
    (start < end).then_some(start..end)
}

/// The value that a line gives a field of a noun: none where another branch does, or a component of the same head.
pub(crate) fn given<'n>(noun: &'n Noun, attr: &Attr) -> Option<&'n Value> {
    let placed = noun.fields.get(attr.name.value.as_str())?;
    attr.value.span.covers(placed.span).then_some(&placed.value)
}

/// The tree of a file.
pub(crate) fn tree(analysis: &Analysis, file: FileId) -> Option<&Tree> {
    analysis.trees.iter().find(|tree| tree.file == file).map(|tree| &**tree)
}

/// Calls `on` with every statement of a block, those of loops and conditions included, but not with those of other
/// declarations.
pub(crate) fn each_stmt<'t>(stmts: &'t [Stmt], on: &mut dyn FnMut(&'t Stmt)) {
    for stmt in stmts {
        on(stmt);
        match &stmt.kind {
            StmtKind::For(rounds) => each_stmt(&rounds.body, on),
            StmtKind::If(choice) => {
                each_stmt(&choice.then, on);
                each_stmt(choice.otherwise.as_deref().unwrap_or_default(), on);
            }
            _ => {}
        }
    }
}

/// The trees of the blueprint itself: none of the standard library's.
pub(crate) fn own_trees(analysis: &Analysis) -> impl Iterator<Item = &Tree> {
    analysis.trees.iter().map(|tree| &**tree).filter(|tree| is_own(analysis, tree.file))
}

/// Whether a file is the blueprint's own, and none of the standard library's.
pub(crate) fn is_own(analysis: &Analysis, file: FileId) -> bool {
    let file = analysis.sources.get(file);
    file.is_some_and(|file| super::library_text(&file.path).is_none())
}

/// The word that a statement starts with which declares something; the kind of a noun.
pub(crate) fn word_of(stmt: &Stmt) -> Option<&str> {
    Some(match &stmt.kind {
        StmtKind::Decl(decl) => decl.kind.value.as_str(),
        StmtKind::Param(_) => "param",
        StmtKind::Let(_) => "let",
        StmtKind::Output(_) => "output",
        StmtKind::Type(_) => "type",
        StmtKind::Kind(_) => "kind",
        StmtKind::Rule(_) => "rule",
        StmtKind::Component(_) => "component",
        StmtKind::Field(_)
        | StmtKind::Use(_)
        | StmtKind::Assert(_)
        | StmtKind::Attr(_)
        | StmtKind::Patch(_)
        | StmtKind::Allow(_)
        | StmtKind::For(_)
        | StmtKind::If(_)
        | StmtKind::Error => return None,
    })
}
