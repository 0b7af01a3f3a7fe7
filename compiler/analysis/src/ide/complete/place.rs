//! What is wanted at a place: told by the statement around it and by the block that this stands in.

mod rules;

use super::super::cursor::{Cursor, own_trees};
use super::behind::{self, Behind};
use super::expected::Expected;
use super::said;
use super::sought::Sought;
use super::standin::{StandIn, text_of};
use crate::check::Checker;
use crate::program::{Program, UnitId, declared_name};
use crate::report::Reports;
use crate::schema::{Kind, LateFields, Schema};
use crate::types::{Ctor, Field, Fields, Type};
use slipform_model::Value;
use slipform_model::plan::facts;
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    Comprehension, Decl, Expr, ExprKind, Name, Param, Stmt, StmtKind, TypeExpr, TypeExprKind, Use,
};
use std::sync::Arc;

/// A place in a text that is being typed.
#[derive(Debug)]
pub(super) struct Place {
    /// What may stand there.
    pub(super) wanted: Wanted,
    /// The word or the text that is being typed.
    pub(super) replace: Span,
    /// The fields or arguments that are given already, in front of the place or behind it.
    pub(super) written: Vec<String>,
    /// What follows belongs to the name already: `=`, or a bracket.
    pub(super) continues: bool,
    /// Facts that follow from the whole blueprint may be read.
    pub(super) facts: bool,
    /// The field that is being set, or what is being declared.
    pub(super) field: Option<String>,
    /// The field, the argument or the entry that is given a value.
    pub(super) slot: Option<String>,
    /// What is declared around: nothing of it is a value of its own.
    pub(super) own: Vec<String>,
    /// The kind of the noun around.
    pub(super) kind: Option<Arc<Kind>>,
    /// The machine type of the noun around.
    pub(super) machine: Option<String>,
    /// The region of the cluster around.
    pub(super) region: Option<String>,
    /// The zone of the pool or the cluster around.
    pub(super) zone: Option<String>,
    /// Whose nodes are around.
    pub(super) site: Site,
    /// The rounds of lists and records around, the outermost first.
    pub(super) rounds: Vec<Comprehension>,
}

/// Whose nodes are declared at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// Anybody's: of one's own floor, or of a cloud.
    Any,
    /// Those of a pool, of plain machines, and of a Slurm cluster that is made on a network.
    Cloud,
    /// Those of a Slurm cluster of one's own.
    Own,
    /// The machines of Vertex AI.
    Vertex,
}

/// What may stand at a place.
#[derive(Debug)]
pub(super) enum Wanted {
    /// A statement.
    Statement(Block),
    /// A field of a record.
    Key(Arc<Fields>),
    /// The name of a field, and nothing behind it.
    Named(Arc<Fields>),
    /// A value, of this type where it is known.
    Value(Option<Type>),
    /// A value of which more is known than its type.
    Sought(Sought),
    /// A word that goes on behind what stands in front.
    Behind(Behind),
    /// The key of an element.
    Element(Box<Expr>, Typed),
    /// The key of a map, which is anybody's own.
    NewKey,
    /// An argument of a constructor: its name, or its value.
    Argument(Arc<Ctor>, Option<Type>),
    /// The inside of a string of this type.
    Text(Option<Type>),
    /// What is compared with an expression: a value, or the inside of a string.
    Compared(Box<Expr>, Typed),
    /// The inside of a string that a function takes.
    TextOf(String),
    /// Something of the expression in front of the dot.
    Member(Box<Expr>, Option<Type>),
    /// A type.
    Type,
    /// A platform of a kind.
    Platform(String),
    /// A kind; only those that others are declared in, where that is asked.
    Kind(bool),
    /// A kind of which something exists: those that are declared in another, or at the top.
    Existing(Option<Arc<str>>),
    /// A rule, of those that speak of a kind.
    Rule(Option<Arc<str>>),
    /// A line of a rule.
    Clause,
    /// Words of the language, and nothing else.
    Words(&'static [&'static str]),
    /// A file to use.
    Module,
    /// A name of a file that is used.
    Import(Vec<String>),
}

impl Place {
    /// Whether a name is that of a statement around.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|own| own == name)
    }
}

impl Wanted {
    /// Whether it stands in quotes already.
    pub(super) fn is_quoted(&self) -> bool {
        matches!(
            self,
            Self::Text(_)
                | Self::TextOf(_)
                | Self::Compared(_, Typed::Quoted)
                | Self::Element(_, Typed::Quoted)
        )
    }
}

/// How a value is being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Typed {
    Bare,
    Quoted,
}

/// What a statement stands in; a loop and a condition stand in that themselves.
#[derive(Clone, Debug)]
pub(super) enum Block {
    File,
    Noun(Arc<Kind>),
    /// The use of a component.
    Use(Arc<LateFields>),
    /// The declaration of a component.
    Component,
    /// The declaration of a kind.
    Kind,
    /// A patch, or a noun of a kind that nobody knows.
    Unknown,
}

/// What is wanted at the cursor; `None` where nothing can be offered.
pub(super) fn find(
    cursor: &Cursor<'_>,
    stand_in: &StandIn,
    checker: &Checker<'_, '_>,
) -> Option<Place> {
    let path = stand_in.path();
    let reader = Reader {
        program: checker.program,
        unit: checker.unit,
        schema: &checker.program.schema,
        stand_in,
    };
    let in_text = matches!(path.last(), Some(NodeRef::Expr(Expr { kind: ExprKind::Str(_), .. })));
    let words = stand_in.words_next().filter(|_| !in_text).map(Wanted::Words);
    let behind = || (!in_text).then(|| reader.behind()).flatten().map(Wanted::Behind);
    let wanted = words.or_else(behind).or_else(|| reader.wanted(&path))?;
    Some(Place {
        replace: replaced(cursor, stand_in, &path, &wanted),
        written: written(stand_in, &path, &wanted),
        continues: stand_in.continues(),
        facts: path.iter().any(|node| reads_facts(*node)),
        field: path.iter().rev().find_map(|node| match node {
            NodeRef::Stmt(stmt) => named(stmt).map(|name| name.value.to_string()),
            _ => None,
        }),
        slot: said::slot(&path, stand_in, reader.schema),
        own: path.iter().filter_map(|node| declared(*node, stand_in)).collect(),
        kind: path.iter().rev().find_map(|node| match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) => {
                reader.schema.of_decl(decl).cloned()
            }
            _ => None,
        }),
        machine: stand_in.machine().or_else(|| cursor.machine()),
        region: told_of(cursor, "region").or_else(|| of_network(cursor)),
        zone: told_of(cursor, "zone"),
        site: path.iter().find_map(|node| site(*node)).unwrap_or(Site::Any),
        rounds: path.iter().filter_map(|node| rounds(*node, stand_in)).cloned().collect(),
        wanted,
    })
}

fn reads_facts(node: NodeRef<'_>) -> bool {
    let NodeRef::Stmt(stmt) = node else { return false };
    matches!(stmt.kind, StmtKind::Rule(_) | StmtKind::Assert(_) | StmtKind::Output(_))
}

/// The rounds whose names the name at the cursor may be: what they walk does not know them.
fn rounds<'t>(node: NodeRef<'t>, stand_in: &StandIn) -> Option<&'t Comprehension> {
    let NodeRef::Expr(Expr { kind, .. }) = node else { return None };
    let (ExprKind::ListFor(rounds) | ExprKind::RecordFor(rounds)) = kind else { return None };
    (!stand_in.is_in(rounds.items.span)).then_some(rounds)
}

/// The field that a statement gives a value or a type; the parameter or `let` that it declares.
fn named(stmt: &Stmt) -> Option<&Name> {
    match &stmt.kind {
        StmtKind::Attr(attr) => Some(&attr.name),
        StmtKind::Field(field) => Some(&field.name),
        StmtKind::Param(_) | StmtKind::Let(_) => declared_name(stmt),
        StmtKind::Output(binding) => binding.name.as_ref(),
        _ => None,
    }
}

/// What a statement declares; the condition of a parameter may speak of it.
fn declared(node: NodeRef<'_>, stand_in: &StandIn) -> Option<String> {
    let NodeRef::Stmt(stmt) = node else { return None };
    if let StmtKind::Param(Param { condition: Some(condition), .. }) = &stmt.kind
        && stand_in.is_in(condition.span)
    {
        return None;
    }
    declared_name(stmt).map(|name| name.value.to_string())
}

/// What is written of the nouns around, or follows for them.
fn told_of(cursor: &Cursor<'_>, field: &str) -> Option<String> {
    let plan = cursor.analysis.plan.as_ref()?;
    let mut nouns = cursor.decls().flat_map(|decl| cursor.nouns(decl));
    nouns.find_map(|noun| {
        let written = noun.fields.get(field).map(|placed| placed.value.clone());
        match written.or_else(|| facts(plan, noun.id, field))? {
            Value::Str(text) => Some(text.to_string()),
            _ => None,
        }
    })
}

/// The region of the network that a noun around names, as it is written: what follows is not known while a line is missing.
fn of_network(cursor: &Cursor<'_>) -> Option<String> {
    let value = |decl: &'_ Decl, field: &str| {
        let mut attrs = decl.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Attr(attr) if attr.name.value == field => Some(attr.value.clone()),
            _ => None,
        });
        attrs.next()
    };
    let named = cursor.decls().find_map(|decl| match value(decl, "network")?.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    })?;
    let mut stmts = own_trees(cursor.analysis).flat_map(|tree| &tree.stmts);
    let network = stmts.find_map(|stmt| match &stmt.kind {
        StmtKind::Decl(decl) if decl.name.as_ref().is_some_and(|it| it.value == named) => {
            Some(decl)
        }
        _ => None,
    })?;
    text_of(&value(network, "region")?)
}

/// A pool or machines, or a cluster that has nodes itself.
fn site(node: NodeRef<'_>) -> Option<Site> {
    let NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) = node else { return None };
    match decl.on.as_ref().map(|on| &on.kind) {
        _ if ["pool", "machines", "machine_image"].contains(&decl.kind.value.as_str()) => {
            Some(Site::Cloud)
        }
        Some(ExprKind::Name(name)) if name == "vertex" => Some(Site::Vertex),
        Some(ExprKind::Name(name)) if name == "slurm" => {
            let made = decl.body.iter().any(
                |stmt| matches!(&stmt.kind, StmtKind::Attr(attr) if attr.name.value == "network"),
            );
            Some(if made { Site::Cloud } else { Site::Own })
        }
        _ => None,
    }
}

/// A rule's code, a file's path and a text are replaced as a whole, anything else by the word.
fn replaced(
    cursor: &Cursor<'_>,
    stand_in: &StandIn,
    path: &[NodeRef<'_>],
    wanted: &Wanted,
) -> Span {
    let word = cursor.typed();
    let Some(last) = path.last() else { return word };
    let whole = stand_in.in_file(cursor.file, last.span());
    match (wanted, path.iter().rev().nth(1)) {
        (wanted, _) if wanted.is_quoted() => {
            stand_in.in_file(cursor.file, stand_in.inside_quotes(last.span()))
        }
        (Wanted::Rule(_), _) => whole,
        (Wanted::Module, Some(NodeRef::Stmt(Stmt { kind: StmtKind::Use(used), .. }))) => {
            let first = used.path.first().map(|name| stand_in.in_file(cursor.file, name.span));
            first.map_or(word, |first| first.to(whole))
        }
        _ => word,
    }
}

/// What is given already beside what is being typed.
fn written(stand_in: &StandIn, path: &[NodeRef<'_>], wanted: &Wanted) -> Vec<String> {
    let exprs = path.iter().rev().filter_map(|node| match node {
        NodeRef::Expr(expr) => Some(&expr.kind),
        _ => None,
    });
    match wanted {
        Wanted::Statement(_) => stand_in.set_around(),
        Wanted::Import(_) => {
            let used = path.iter().rev().find_map(|node| match node {
                NodeRef::Stmt(Stmt { kind: StmtKind::Use(used), .. }) => used.names.as_ref(),
                _ => None,
            });
            let names = used.into_iter().flatten().map(|(name, _)| name);
            names.filter(|name| !stand_in.is_in(name.span)).map(|it| it.value.to_string()).collect()
        }
        Wanted::Key(_) | Wanted::NewKey => {
            let entries = exprs.filter_map(|expr| match expr {
                ExprKind::Record(entries) => Some(entries),
                _ => None,
            });
            let keys = entries.take(1).flatten().map(|entry| &entry.key);
            keys.filter(|key| !stand_in.is_in(key.span)).filter_map(super::expected::key).collect()
        }
        Wanted::Argument(ctor, _) => {
            let args = exprs.filter_map(|expr| match expr {
                ExprKind::Call(_, args) => Some(args),
                _ => None,
            });
            let args = args.take(1).flatten().enumerate();
            let given = args.filter(|(_, arg)| !stand_in.is_in(NodeRef::Arg(arg).span()));
            given
                .filter_map(|(at, arg)| match &arg.name {
                    Some(name) => Some(name.value.to_string()),
                    None => ctor.fields.0.get_index(at).map(|(name, _)| name.to_string()),
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Reads what is wanted off the nodes around a name.
struct Reader<'r> {
    program: &'r Program<'r>,
    unit: UnitId,
    schema: &'r Schema,
    stand_in: &'r StandIn,
}

impl Reader<'_> {
    fn wanted(&self, path: &[NodeRef<'_>]) -> Option<Wanted> {
        let innermost = path.iter().rposition(|node| matches!(node, NodeRef::Stmt(_)))?;
        let (around, inside) = path.split_at_checked(innermost)?;
        let (NodeRef::Stmt(stmt), inside) = inside.split_first()? else { return None };
        if let Some(words) = around.iter().rev().find_map(|node| self.behind_head(*node)) {
            return Some(words);
        }
        let block = around.iter().rev().find_map(|node| self.opened(*node)).unwrap_or(Block::File);
        self.in_stmt(stmt, block, inside)
    }

    /// What goes on behind the name of the innermost noun around, where nothing but that stands in front on the line: it is read as the first line
    /// of a block whose brace is missing.
    fn behind_head(&self, node: NodeRef<'_>) -> Option<Wanted> {
        let NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. }) = node else { return None };
        let head = [decl.kind.value.as_str(), decl.name.as_ref()?.value.as_str()];
        let words = self.stand_in.line_in_front().split_whitespace();
        let is_head = words.eq(head) && decl.on.is_none() && self.is_placed(&decl.kind.value);
        is_head.then_some(Wanted::Words(&["on"]))
    }

    /// Whether a noun of a kind is `on` something.
    fn is_placed(&self, kind: &str) -> bool {
        let field = match self.program.component(self.unit, kind) {
            Some(component) => component.fields.0.get("place").cloned(),
            None => self.schema.field_of(kind, "place"),
        };
        field.is_some() || self.schema.variants(kind).any(|it| it.platform.is_some())
    }

    /// The block that a statement opens.
    fn opened(&self, node: NodeRef<'_>) -> Option<Block> {
        let NodeRef::Stmt(stmt) = node else { return None };
        match &stmt.kind {
            StmtKind::Decl(decl) => Some(self.declared(decl)),
            StmtKind::Component(_) => Some(Block::Component),
            StmtKind::Kind(_) => Some(Block::Kind),
            StmtKind::Patch(_) => Some(Block::Unknown),
            _ => None,
        }
    }

    fn declared(&self, decl: &Decl) -> Block {
        let kind = decl.kind.value.as_str();
        let known = self.schema.of_decl(decl);
        if let Some(known) = known.or_else(|| self.schema.variants(kind).next()) {
            return Block::Noun(known.clone());
        }
        let component = self.program.component(self.unit, kind);
        component.map_or(Block::Unknown, |component| Block::Use(component.fields.clone()))
    }

    /// What is wanted in a statement; `inside` are the nodes within it that lead to the cursor.
    fn in_stmt(&self, stmt: &Stmt, block: Block, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        match &stmt.kind {
            StmtKind::Error => self.stand_in.starts().then_some(Wanted::Statement(block)),
            StmtKind::Decl(decl) => self.in_decl(decl, block, inside),
            StmtKind::Attr(attr) if self.is_at(&attr.name) => Some(Wanted::Statement(block)),
            StmtKind::Attr(attr) => {
                let word = || Some(self.schema.word_of_all(&attr.name.value)?.written());
                self.value(inside, field_of(&block, &attr.name.value).or_else(word))
            }
            StmtKind::Field(field) if self.is_at(&field.name) => {
                (!field.derived).then_some(Wanted::Statement(block))
            }
            StmtKind::Field(field) => self.typed(Some(&field.ty), inside),
            StmtKind::Param(param) if self.is_within(&param.condition) => self.condition(inside),
            StmtKind::Param(param) => self.typed(param.ty.as_deref(), inside),
            StmtKind::Let(binding) | StmtKind::Output(binding) => {
                self.typed(binding.ty.as_deref(), inside)
            }
            StmtKind::Type(_) => self.typed(None, inside),
            StmtKind::Use(used) => self.in_use(used),
            StmtKind::Kind(kind) => self.stand_in.is_at(&kind.parent).then_some(Wanted::Kind(true)),
            StmtKind::Rule(rule) => self.in_rule(rule, inside),
            StmtKind::Allow(allow) => {
                let kind = match &block {
                    Block::Noun(kind) => Some(kind.name.clone()),
                    // an allowance stands inside of the noun that may break the rule
                    Block::File => return Some(Wanted::Words(&[])),
                    _ => None,
                };
                self.stand_in.is_at(&allow.code).then_some(Wanted::Rule(kind))
            }
            StmtKind::Assert(assert) if !self.stand_in.is_in(assert.condition.span) => {
                self.value(inside, Some(Type::Str))
            }
            StmtKind::Assert(_) | StmtKind::If(_) => self.condition(inside),
            StmtKind::For(rounds) if self.stand_in.is_in(rounds.items.span) => {
                self.expected().walked(inside)
            }
            StmtKind::For(_) => self.value(inside, None),
            StmtKind::Component(_) | StmtKind::Patch(_) => None,
        }
    }

    fn in_decl(&self, decl: &Decl, block: Block, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        let kind = decl.kind.value.as_str();
        if self.is_at(&decl.kind) {
            return Some(match decl.existing {
                Some(_) => Wanted::Existing(match block {
                    Block::Noun(kind) => Some(kind.name.clone()),
                    _ => None,
                }),
                None => Wanted::Statement(block),
            });
        }
        let named = decl.name.as_ref().is_some_and(|name| !self.is_at(name));
        let place = match self.program.component(self.unit, kind) {
            Some(component) => component.fields.0.get("place").cloned(),
            None => self.schema.field_of(kind, "place"),
        };
        if inside.is_empty() && named && decl.on.is_none() {
            return self.is_placed(kind).then_some(Wanted::Words(&["on"]));
        }
        if self.schema.has_kind(kind) && self.schema.kind(kind, None).is_none() {
            let bare = matches!(inside, [NodeRef::Expr(Expr { kind: ExprKind::Name(_), .. })]);
            return bare.then(|| Wanted::Platform(kind.to_owned()));
        }
        self.value(inside, place.map(|field| field.ty))
    }

    fn in_use(&self, used: &Use) -> Option<Wanted> {
        if used.path.iter().any(|name| self.is_at(name)) {
            return Some(Wanted::Module);
        }
        let mut names = used.names.iter().flatten();
        let module = || used.path.iter().map(|name| name.value.to_string()).collect();
        names.any(|(name, _)| self.is_at(name)).then(|| Wanted::Import(module()))
    }

    /// A type, or a value of the type that is written in front of it.
    fn typed(&self, ty: Option<&TypeExpr>, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        match inside {
            [NodeRef::Expr(_), ..] => {
                let read = |ty| self.schema.clone().read_type(ty, &mut Reports::default());
                self.value(inside, ty.map(read))
            }
            _ if self.stand_in.follows_value() => None,
            [.., NodeRef::TypeExpr(ty)] => {
                matches!(ty.kind, TypeExprKind::Name(_)).then_some(Wanted::Type)
            }
            [.., NodeRef::TypeExpr(_), NodeRef::Name(_)] => Some(Wanted::Type),
            _ => {
                let limit = inside.iter().position(|node| matches!(node, NodeRef::Expr(_)))?;
                self.value(inside.get(limit..)?, None)
            }
        }
    }

    fn value(&self, inside: &[NodeRef<'_>], ty: Option<Type>) -> Option<Wanted> {
        if self.stand_in.follows_value() {
            return None;
        }
        self.expected().wanted(inside, ty)
    }

    fn condition(&self, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        if self.stand_in.follows_value() {
            return None;
        }
        self.expected().condition(inside)
    }

    fn expected(&self) -> Expected<'_> {
        Expected { schema: self.schema, stand_in: self.stand_in }
    }

    /// What stands in front, where words go on behind it.
    fn behind(&self) -> Option<Behind> {
        let path = self.stand_in.path_in_front();
        let at = path.iter().rposition(|node| matches!(node, NodeRef::Stmt(_)))?;
        let NodeRef::Stmt(stmt) = path.get(at)? else { return None };
        let wanted =
            named(stmt).filter(|_| matches!(stmt.kind, StmtKind::Attr(_))).and_then(|name| {
                let block = path.get(..at)?.iter().rev().find_map(|node| self.opened(*node))?;
                field_of(&block, &name.value)
            });
        behind::find(self.stand_in, self.schema, wanted.as_ref())
    }

    fn is_at(&self, name: &Name) -> bool {
        self.stand_in.is_in(name.span)
    }

    fn is_within(&self, expr: &Option<Box<Expr>>) -> bool {
        expr.as_ref().is_some_and(|expr| self.stand_in.is_in(expr.span))
    }
}

/// The type of a field that a block sets.
fn field_of(block: &Block, name: &str) -> Option<Type> {
    let fields = match block {
        Block::Noun(kind) => &*kind.fields,
        Block::Use(fields) => &**fields,
        Block::File | Block::Component | Block::Kind | Block::Unknown => return None,
    };
    fields.0.get(name).map(Field::written)
}

/// The constructor `mount`, of which a list of mounts is made.
pub(super) fn mount_of(ty: &Type) -> Option<Arc<Ctor>> {
    ty.arms().iter().find_map(|arm| match arm {
        Type::List(item) => mount_of(item),
        Type::Ctor(ctor) if &*ctor.name == "mount" => Some(ctor.clone()),
        _ => None,
    })
}
