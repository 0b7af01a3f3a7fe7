//! What each word of a file is, for colours: names by what they stand for, literals, words of the language, comments.

use super::cursor::{each_stmt, tree};
use super::definition::{declaring, member, used_stmt};
use super::words;
use crate::Analysis;
use crate::index::Mention;
use crate::source_text::is_word;
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::operators::BINARY;
use slipform_syntax::tree::{
    ClauseWord, Expr, ExprKind, Name, Stmt, StmtKind, StrPart, TypeExprKind,
};
use std::collections::BTreeMap;

/// A word of a file, or another piece that has one colour. It may go over several lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// It is the place where the name is declared.
    pub declares: bool,
}

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TokenKind {
    /// `# ...`
    Comment,
    /// `## ...`
    Documentation,
    /// A text, a word of an enumeration.
    Text,
    /// A number, a size, a duration, a shape, an address.
    Number,
    /// A word of the language.
    Keyword,
    /// `==`, `..`, `|`
    Operator,
    /// A type, or a kind of noun.
    Type,
    /// A noun.
    Noun,
    /// A component.
    Component,
    /// A field.
    Field,
    /// A parameter of the blueprint.
    Param,
    /// A `let`, an `output`, a name of a loop.
    Variable,
    /// A constructor, a word that stands for itself.
    Constructor,
    /// A function.
    Function,
    /// The code of a rule.
    Rule,
    /// A file, a folder.
    Module,
}

/// The pieces of a file, in the order of its text. No two overlap.
pub fn tokens(analysis: &Analysis, file: FileId) -> Vec<Token> {
    let (Some(tree), Some(source)) = (tree(analysis, file), analysis.sources.get(file)) else {
        return Vec::new();
    };
    let mut painter = Painter {
        analysis,
        declared: declarations(analysis),
        mentions: analysis.index.within(file).map(|it| (it.span, it)).collect(),
        found: BTreeMap::new(),
    };
    for comment in tree.comments.iter() {
        let kind = if comment.doc { TokenKind::Documentation } else { TokenKind::Comment };
        painter.add(comment.span, kind, false);
    }
    slipform_syntax::walk(tree, &mut |node| painter.node(node));
    between(file, &source.text, painter.found.into_values().collect())
}

/// What the statements of all files declare, by the place of the name.
fn declarations(analysis: &Analysis) -> BTreeMap<Span, TokenKind> {
    let mut found = BTreeMap::new();
    for tree in &analysis.trees {
        declared_in(&tree.stmts, &mut found);
    }
    found
}

fn declared_in(stmts: &[Stmt], found: &mut BTreeMap<Span, TokenKind>) {
    each_stmt(stmts, &mut |stmt| {
        if let Some((name, kind)) = declares(stmt) {
            found.insert(name.span, kind);
        }
        match &stmt.kind {
            StmtKind::Decl(it) => declared_in(&it.body, found),
            StmtKind::Component(it) => declared_in(&it.body, found),
            StmtKind::Kind(it) => declared_in(&it.body, found),
            _ => {}
        }
    });
}

/// The name that a statement declares, and what it is.
fn declares(stmt: &Stmt) -> Option<(&Name, TokenKind)> {
    Some(match &stmt.kind {
        StmtKind::Param(it) => (it.name.as_ref()?, TokenKind::Param),
        StmtKind::Let(it) | StmtKind::Output(it) => (it.name.as_ref()?, TokenKind::Variable),
        StmtKind::Type(it) => (it.name.as_ref()?, TokenKind::Type),
        StmtKind::Kind(it) => (it.name.as_ref()?, TokenKind::Type),
        StmtKind::Rule(it) => (it.code.as_ref()?, TokenKind::Rule),
        StmtKind::Component(it) => (it.name.as_ref()?, TokenKind::Component),
        StmtKind::Decl(it) => (it.name.as_ref()?, TokenKind::Noun),
        StmtKind::Field(it) => (&it.name, TokenKind::Field),
        StmtKind::Use(_)
        | StmtKind::Assert(_)
        | StmtKind::Attr(_)
        | StmtKind::Patch(_)
        | StmtKind::Allow(_)
        | StmtKind::For(_)
        | StmtKind::If(_)
        | StmtKind::Error => return None,
    })
}

/// Finds what the nodes of a tree are.
struct Painter<'a> {
    analysis: &'a Analysis,
    declared: BTreeMap<Span, TokenKind>,
    mentions: BTreeMap<Span, &'a Mention>,
    found: BTreeMap<(u32, u32), Token>,
}

impl Painter<'_> {
    fn add(&mut self, span: Span, kind: TokenKind, declares: bool) {
        if span.start < span.end {
            self.found.entry((span.start, span.end)).or_insert(Token { span, kind, declares });
        }
    }

    fn names<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>, kind: TokenKind) {
        names.into_iter().for_each(|name| self.add(name.span, kind, false));
    }

    /// What stands for something declared elsewhere: by what that is.
    fn mentioned(&self, span: Span) -> Option<TokenKind> {
        let mention = self.mentions.get(&span)?;
        Some(match mention.declared {
            None => TokenKind::Function,
            Some(declared) => {
                self.declared.get(&declared).copied().unwrap_or(TokenKind::Constructor)
            }
        })
    }

    fn node(&mut self, node: NodeRef<'_>) {
        match node {
            NodeRef::Stmt(stmt) => self.stmt(stmt),
            NodeRef::Clause(clause) => {
                self.add(clause.word, TokenKind::Keyword, false);
                let (names, _) = clause.kind.parts();
                names.iter().for_each(|it| self.add(it.span, TokenKind::Variable, true));
            }
            NodeRef::Expr(expr) => self.expr(expr),
            NodeRef::TypeExpr(ty) => match &ty.kind {
                TypeExprKind::Name(_) => {
                    let kind = self.mentioned(ty.span).unwrap_or(TokenKind::Type);
                    self.add(ty.span, kind, false);
                }
                TypeExprKind::Word(_) => self.add(ty.span, TokenKind::Text, false),
                TypeExprKind::Constructor(name, _) => {
                    self.add(name.span, TokenKind::Constructor, true);
                }
                _ => {}
            },
            NodeRef::RecordField(field) => self.add(field.name.span, TokenKind::Field, true),
            NodeRef::Arg(arg) => self.names(&arg.name, TokenKind::Field),
            NodeRef::Entry(entry) => {
                if let ExprKind::Name(_) = &entry.key.kind {
                    self.add(entry.key.span, TokenKind::Field, false);
                }
            }
            // what is left has a name of its own in the nodes around it
            NodeRef::Name(_) => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Some((name, kind)) = declares(stmt) {
            self.add(name.span, kind, true);
        }
        match &stmt.kind {
            StmtKind::Use(it) => {
                self.names(&it.path, TokenKind::Module);
                self.names(&it.alias, TokenKind::Module);
                for (name, alias) in it.names.iter().flatten() {
                    let used = || declares(used_stmt(self.analysis, it, name)?);
                    let kind = self.mentioned(name.span).or_else(|| Some(used()?.1));
                    let kind = kind.unwrap_or(TokenKind::Variable);
                    self.add(name.span, kind, false);
                    self.names(alias, kind);
                }
            }
            StmtKind::Kind(it) => self.names(it.parent.iter().chain(&it.platform), TokenKind::Type),
            StmtKind::Rule(it) => self.names(it.on.iter().flatten(), TokenKind::Type),
            StmtKind::Decl(it) => {
                it.existing.iter().for_each(|span| self.add(*span, TokenKind::Keyword, false));
                let kind = self.mentioned(it.kind.span).unwrap_or(TokenKind::Type);
                self.add(it.kind.span, kind, false);
            }
            StmtKind::Attr(it) => self.add(it.name.span, TokenKind::Field, false),
            StmtKind::Patch(it) => self.names(&it.target, TokenKind::Type),
            StmtKind::Allow(it) => self.names(&it.code, TokenKind::Rule),
            StmtKind::For(it) => {
                it.names.iter().for_each(|it| self.add(it.span, TokenKind::Variable, true));
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Auto => self.add(expr.span, TokenKind::Keyword, false),
            ExprKind::Literal(..) => self.add(expr.span, TokenKind::Number, false),
            ExprKind::Name(_) => {
                let kind = self.mentioned(expr.span).unwrap_or(TokenKind::Constructor);
                self.add(expr.span, kind, false);
            }
            ExprKind::Member(base, Some(name)) => {
                let of_what_is_inside = || self.inside(base, name);
                let kind = self.mentioned(name.span).unwrap_or_else(of_what_is_inside);
                self.add(name.span, kind, false);
            }
            ExprKind::ListFor(it) | ExprKind::RecordFor(it) => {
                it.names.iter().for_each(|it| self.add(it.span, TokenKind::Variable, true));
            }
            ExprKind::Str(parts) => self.text(expr, parts),
            _ => {}
        }
    }

    /// What is declared inside of something: a noun, or a value; a field of a record where nothing is.
    fn inside(&self, base: &Expr, name: &Name) -> TokenKind {
        let declared = member(self.analysis, base, name);
        let stmt = declared.and_then(|at| declaring(self.analysis, at));
        match stmt.map(|stmt| &stmt.kind) {
            Some(StmtKind::Decl(_)) => TokenKind::Noun,
            Some(StmtKind::Param(_)) => TokenKind::Param,
            Some(_) => TokenKind::Variable,
            None => TokenKind::Field,
        }
    }

    /// A text without the expressions in it.
    fn text(&mut self, expr: &Expr, parts: &[StrPart]) {
        let mut start = expr.span.start as usize;
        for part in parts {
            if let StrPart::Interp(inner) = part {
                let span = Span::new(expr.span.file, start, inner.span.start as usize);
                self.add(span, TokenKind::Text, false);
                start = inner.span.end as usize;
            }
        }
        let span = Span::new(expr.span.file, start, expr.span.end as usize);
        self.add(span, TokenKind::Text, false);
    }
}

/// The pieces of a tree with what lies between them: words of the language, operators, and texts that nobody could read.
fn between(file: FileId, text: &str, known: Vec<Token>) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let mut at = 0;
    for token in known {
        let range = token.span.range();
        if range.start >= at {
            gap(file, text, at..range.start, &mut all);
            at = range.end;
            all.push(token);
        }
    }
    gap(file, text, at..text.len(), &mut all);
    all
}

fn gap(file: FileId, text: &str, range: std::ops::Range<usize>, all: &mut Vec<Token>) {
    let mut rest = text.get(range.clone()).unwrap_or_default();
    while let Some(first) = rest.chars().next() {
        let start = range.end - rest.len();
        let (len, kind) = piece(rest, first);
        if let Some(kind) = kind {
            let span = Span::new(file, start, start + len);
            all.push(Token { span, kind, declares: false });
        }
        rest = rest.get(len..).unwrap_or_default();
    }
}

/// The length of what a text starts with, and what it is.
fn piece(rest: &str, first: char) -> (usize, Option<TokenKind>) {
    if is_word(first) {
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or_default();
        let known = words::find(word).is_some() || ClauseWord::of(word).is_some();
        let verb = word == "remove";
        return (len, (known || verb).then_some(TokenKind::Keyword));
    }
    if first == '"' {
        let inside = rest.get(1..).unwrap_or_default();
        let len = inside.find(['"', '\n']).map_or(rest.len(), |end| end + 2);
        return (len.min(rest.len()), Some(TokenKind::Text));
    }
    let spelled = BINARY.iter().map(|it| it.spelling).filter(|it| rest.starts_with(it));
    match spelled.map(str::len).max() {
        Some(len) => (len, Some(TokenKind::Operator)),
        None if "|?".contains(first) => (1, Some(TokenKind::Operator)),
        None => (first.len_utf8(), None),
    }
}
