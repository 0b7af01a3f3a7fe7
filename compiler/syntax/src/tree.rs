//! The tree of one file: what was written, with its spans and comments. Any text has one.
//!
//! A hole where something is missing is `None` or [`ExprKind::Missing`]; text that is no statement is
//! [`StmtKind::Error`]. Each hole has a [`Problem`]. The tree knows no domain: `network` and `workload`
//! are names like any other.

mod doc;
mod late;
mod rule;

pub use doc::Doc;
pub use late::{Late, Stored};
pub use rule::{Clause, ClauseKind, ClauseWord, Level, Mend, Opening, Round, RuleDecl, Then};

use crate::NodeRef;
use serde::{Deserialize, Serialize};
use slipform_source::{Code, FileId, Span, Spanned};
use std::sync::Arc;

/// A file as a tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// The file that all spans point into.
    pub file: FileId,
    /// The statements at column 0, in order.
    pub stmts: Late<Vec<Stmt>>,
    /// Every comment, doc comments included, in order.
    pub comments: Late<Vec<Comment>>,
    /// What is wrong with the text, in order; at most one a line.
    pub problems: Vec<Problem>,
}

/// A `#` or `##` comment: it runs to the end of its line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comment {
    /// From the `#` to the last character before the newline.
    pub span: Span,
    /// Whether it starts with exactly two `#`: documentation of the statement below it.
    pub doc: bool,
}

/// Something wrong with the text, in the user's words.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// What kind of problem it is.
    pub code: Code,
    /// One sentence, lower case, no final period.
    pub message: String,
    /// Where, and what the label there says.
    pub at: (Span, String),
    /// A second place that explains the first, such as the brace that is never closed.
    pub also: Option<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
    /// The edit that mends it: replace the span by the text.
    pub fix: Option<(Span, String)>,
}

/// A word of the source: a name, or a literal as it is written. Kept in place up to 24 bytes, which nearly all are.
pub type Lexeme = compact_str::CompactString;

/// A name as written.
pub type Name = Spanned<Lexeme>;

/// A statement of a file or of a block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Stmt {
    /// From its first token to its last; not its documentation.
    pub span: Span,
    /// The lines of the `##` comments directly above, without their `##`, joined by newlines.
    pub doc: Option<Doc>,
    /// What it is.
    pub kind: StmtKind,
    /// The tree has a hole inside this statement, not counting the statements inside it: a formatter leaves its text alone.
    pub broken: bool,
}

/// The statements. Which of them may stand where is the analysis's business. Most are attributes: what takes more
/// room than these stands apart.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum StmtKind {
    /// `use std.components.{nccl_test, megatron as m}`
    Use(Use),
    /// `param nodes: int = 16 where nodes >= 1`
    Param(Param),
    /// `let hosts = slices * 4`, `let zones: [Zone] = [...]`
    Let(Let),
    /// `output endpoint = a3m.endpoint`
    Output(Let),
    /// `assert nodes % 2 == 0, "..."`
    Assert(Assert),
    /// `type Slices = int in 1..256`
    Type(TypeDecl),
    /// `kind pool in cluster { ... }`, `kind cluster on gke { ... }`
    Kind(Box<KindDecl>),
    /// `rule tpu/hosts on pool { ... }`
    Rule(Late<RuleDecl>),
    /// `component nccl_test { ... }`
    Component(ComponentDecl),
    /// `network fabric { ... }`, `workload w on a3m.gpus { ... }`, `existing network n { ... }`
    Decl(Box<Decl>),
    /// `name = value`
    Attr(Attr),
    /// `name: Type = default`, a field of a kind or a component; `derived name: Type`
    Field(FieldDecl),
    /// `patch jobset { ... }`
    Patch(Patch),
    /// `allow tpu/hosts "reason"`
    Allow(Allow),
    /// `for x in xs { ... }`
    For(For),
    /// `if c { ... } else if d { ... } else { ... }`
    If(If),
    /// Text that is no statement.
    Error,
}

/// `use a.b.c`, `use a.b as c`, `use a.b.{x, y as z}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Use {
    /// The dotted path, at least one segment unless broken.
    pub path: Vec<Name>,
    /// `as name` on the path itself.
    pub alias: Option<Name>,
    /// The names in braces, each with its `as`.
    pub names: Option<Vec<(Name, Option<Name>)>>,
}

/// A parameter of the blueprint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Param {
    /// Its name.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Option<Box<TypeExpr>>,
    /// `= default`
    pub default: Option<Expr>,
    /// `where condition`
    pub condition: Option<Box<Expr>>,
}

/// A named value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Let {
    /// Its name.
    pub name: Option<Name>,
    /// `: Type`
    pub ty: Option<Box<TypeExpr>>,
    /// The value.
    pub value: Expr,
}

/// `assert condition, message`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Assert {
    /// What must hold.
    pub condition: Expr,
    /// What to say where it does not.
    pub message: Option<Expr>,
}

/// `type Name = definition`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct TypeDecl {
    /// Its name, by custom in CamelCase.
    pub name: Option<Name>,
    /// What it stands for.
    pub definition: Late<TypeExpr>,
}

/// A noun: `kind name [in parent | on platform] { fields }`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct KindDecl {
    /// Its name.
    pub name: Option<Name>,
    /// `in cluster`: it is declared inside another noun.
    pub parent: Option<Name>,
    /// `on gke`: the platform that this variant of the kind is for.
    pub platform: Option<Name>,
    /// [`StmtKind::Field`]s.
    pub body: Late<Vec<Stmt>>,
}

/// `component name { fields, then other nouns }`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct ComponentDecl {
    /// Its name.
    pub name: Option<Name>,
    /// Fields first, then declarations.
    pub body: Late<Vec<Stmt>>,
}

/// A noun of the blueprint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Decl {
    /// `existing` stood in front: someone else owns it.
    pub existing: Option<Span>,
    /// `network`, `pool`, or the name of a component.
    pub kind: Name,
    /// Its own name.
    pub name: Option<Name>,
    /// `on expr`: the platform of a cluster, the place of a workload.
    pub on: Option<Expr>,
    /// The attributes and what is declared inside.
    pub body: Vec<Stmt>,
    /// `kind name on place`: what an outline shows and a rule falls back to.
    pub header: Span,
}

impl Decl {
    /// Whether the line that opens the block is missing: what stands in it is known, and that is told.
    pub fn is_lost(&self) -> bool {
        self.kind.span.start == self.kind.span.end
    }
}

/// `name = value`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Attr {
    /// The field.
    pub name: Name,
    /// Its value.
    pub value: Expr,
}

/// A field of a kind or a component.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct FieldDecl {
    /// `derived` stood in front: the compiler computes it.
    pub derived: bool,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Box<TypeExpr>,
    /// What it is where nothing is written.
    pub default: Option<Expr>,
}

/// `patch target { ... }`: attributes, as one record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Patch {
    /// The document that is patched.
    pub target: Option<Name>,
    /// [`StmtKind::Attr`]s.
    pub body: Vec<Stmt>,
}

/// `allow area/name "reason"`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Allow {
    /// The rule.
    pub code: Option<Name>,
    /// Why it may be broken here.
    pub reason: Option<Expr>,
}

/// `for x in xs by x.name { ... }`, `for key, value in record { ... }`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct For {
    /// One name, or two over a record.
    pub names: Vec<Name>,
    /// What is walked.
    pub items: Expr,
    /// `by expr`: the stable key of one round.
    pub key: Option<Box<Expr>>,
    /// What is declared each round.
    pub body: Vec<Stmt>,
}

/// `if c { ... } else ...`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct If {
    /// The condition.
    pub condition: Expr,
    /// What stands where it holds.
    pub then: Vec<Stmt>,
    /// `else { ... }`; for `else if`, a single [`StmtKind::If`].
    pub otherwise: Option<Vec<Stmt>>,
}

/// An expression.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Expr {
    /// From its first token to its last; empty where something is missing.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

impl Expr {
    /// What all has to hold for it to hold, in the order written.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Binary(BinaryOp::And, _, left, right) => {
                [left.conjuncts(), right.conjuncts()].concat()
            }
            _ => vec![self],
        }
    }

    /// Whether one of these names may stand in it, for what that is bound to around it.
    pub fn mentions(&self, names: &[&str]) -> bool {
        if names.is_empty() {
            return false;
        }
        let mut found = false;
        NodeRef::Expr(self).walk(&mut |node| {
            if let NodeRef::Expr(Expr { kind: ExprKind::Name(name), .. }) = node {
                found |= names.contains(&name.as_str());
            }
        });
        found
    }
}

/// The expressions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// `auto`: the compiler chooses.
    Auto,
    /// `16`, `0.5`, `80GiB`, `2h30m`, `4x4x8`, `10.0.0.0/16`: classified here, understood by the analysis.
    Literal(LiteralKind, Lexeme),
    /// `"a ${b}"`, and multi-line strings with their indentation taken off.
    Str(Vec<StrPart>),
    /// `name`
    Name(Lexeme),
    /// `a.b`
    Member(Box<Expr>, Option<Box<Name>>),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(a, b = c)`
    Call(Box<Expr>, Box<[Arg]>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `[for x in xs if c { e }]`
    ListFor(Box<Comprehension>),
    /// `{ a = b, "c" = d }`
    Record(Vec<Entry>),
    /// `{ for k, v in xs if c { "${k}" = v } }`
    RecordFor(Box<Comprehension>),
    /// `-a`, `not a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, `a and b`, `data at "/data"`, `3..10`
    Binary(BinaryOp, Spanned<()>, Box<Expr>, Box<Expr>),
    /// `if c { a } else { b }`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a is set`, `a is not set`
    IsSet(Box<Expr>, bool),
    /// `(a)`
    Paren(Box<Expr>),
    /// A hole: something was expected here, or what stands here is no expression.
    Missing,
}

/// How a literal that starts with a digit is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LiteralKind {
    /// `16`, `1_000`
    Int,
    /// `0.5`
    Float,
    /// `80GiB`, `2h30m`, `7d`: digits and letters as one token; an unknown unit is the analysis's to report.
    Quantity,
    /// `4x4x8`
    Topology,
    /// `10.0.0.0/16`, `10.0.0.1`
    Address,
}

/// A piece of a string.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum StrPart {
    /// Text, with its escapes undone.
    Text(Arc<str>),
    /// `${expr}`
    Interp(Expr),
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Arg {
    /// `name =`
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// An entry of a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Entry {
    /// A name or a string; a string may interpolate.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// The rounds of a list or a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Comprehension {
    /// One name, or two over a record.
    pub names: Vec<Name>,
    /// What is walked.
    pub items: Expr,
    /// `if c`: the rounds that count.
    pub condition: Option<Expr>,
    /// The key of one round's entry (records only).
    pub key: Option<Expr>,
    /// One round's element or value.
    pub value: Expr,
}

/// `-a`, `not a`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `not`
    Not,
}

/// The operators between two expressions, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `at`: a mount and its path.
    At,
    /// `..`: both ends included.
    Range,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: exact between integers where it divides, else a float.
    Div,
    /// `%`
    Rem,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct TypeExpr {
    /// From its first token to its last.
    pub span: Span,
    /// What it is.
    pub kind: TypeExprKind,
}

/// The types.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum TypeExprKind {
    /// `int`, `Cidr`, `network`: a built-in type, a declared type or a kind.
    Name(Lexeme),
    /// `T?`
    Optional(Box<TypeExpr>),
    /// `[T]`
    List(Box<TypeExpr>),
    /// `{string: T}`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// `{ name: T = default, ... }`, in declarations.
    Record(Vec<RecordField>),
    /// `A | B | "word" | spot | reservation(name: string)`
    Union(Vec<TypeExpr>),
    /// `"word"`: one word of an enumeration.
    Word(Lexeme),
    /// `name(field: T, ...)`: a constructor with fields; without them it is a `Name` that no type has.
    Constructor(Name, Vec<RecordField>),
    /// `deferred T`
    Deferred(Box<TypeExpr>),
    /// `int in 1..256`
    In(Box<TypeExpr>, Box<Expr>),
    /// `string matching "regex"`
    Matching(Box<TypeExpr>, Box<Expr>),
    /// A hole.
    Missing,
}

/// A field of a record type or of a constructor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct RecordField {
    /// The `##` lines above it.
    pub doc: Option<Doc>,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
    /// What it is where nothing is written.
    pub default: Option<Expr>,
}
