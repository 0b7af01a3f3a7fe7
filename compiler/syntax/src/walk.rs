//! Finding one's way in a tree: what lies inside a node, and what lies at an offset.

use crate::tree::*;
use slipform_source::Span;

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub enum NodeRef<'t> {
    /// A statement.
    Stmt(&'t Stmt),
    /// A line of a rule.
    Clause(&'t Clause),
    /// An expression.
    Expr(&'t Expr),
    /// A type.
    TypeExpr(&'t TypeExpr),
    /// A field of a record type or of a constructor.
    RecordField(&'t RecordField),
    /// An argument of a call.
    Arg(&'t Arg),
    /// An entry of a record.
    Entry(&'t Entry),
    /// A name that is declared, or that stands for something declared elsewhere.
    Name(&'t Name),
}

impl<'t> NodeRef<'t> {
    /// From its first token to its last.
    pub fn span(self) -> Span {
        match self {
            Self::Stmt(it) => it.span,
            Self::Clause(it) => it.span,
            Self::Expr(it) => it.span,
            Self::TypeExpr(it) => it.span,
            Self::RecordField(it) => {
                let end = it.default.as_ref().map_or(it.ty.span, |default| default.span);
                it.name.span.to(it.ty.span).to(end)
            }
            Self::Arg(it) => {
                it.name.as_ref().map_or(it.value.span, |name| name.span.to(it.value.span))
            }
            Self::Entry(it) => it.key.span.to(it.value.span),
            Self::Name(it) => it.span,
        }
    }

    /// Calls `on` with each node directly inside, in the order of the text.
    pub fn each_child(self, on: &mut dyn FnMut(NodeRef<'t>)) {
        match self {
            Self::Stmt(it) => in_stmt(&it.kind, on),
            Self::Clause(it) => {
                let (declared, inside) = it.kind.parts();
                names(declared, on);
                exprs(inside, on);
            }
            Self::Expr(it) => in_expr(&it.kind, on),
            Self::TypeExpr(it) => in_type(&it.kind, on),
            Self::RecordField(it) => {
                on(Self::Name(&it.name));
                on(Self::TypeExpr(&it.ty));
                it.default.iter().for_each(|expr| on(Self::Expr(expr)));
            }
            Self::Arg(it) => {
                it.name.iter().for_each(|name| on(Self::Name(name)));
                on(Self::Expr(&it.value));
            }
            Self::Entry(it) => {
                on(Self::Expr(&it.key));
                on(Self::Expr(&it.value));
            }
            Self::Name(_) => {}
        }
    }

    /// Calls `on` with this node and with every node inside, outer ones first, in the order of the text.
    pub fn walk(self, on: &mut dyn FnMut(NodeRef<'t>)) {
        on(self);
        self.each_child(&mut |child| child.walk(on));
    }
}

/// Calls `on` with every node of a tree, outer ones first, in the order of the text.
pub fn walk<'t>(tree: &'t Tree, on: &mut dyn FnMut(NodeRef<'t>)) {
    tree.stmts.iter().for_each(|stmt| NodeRef::Stmt(stmt).walk(on));
}

/// The nodes around `offset`, the outermost first: a statement, and in the end the name or the expression at the
/// cursor. Between two nodes that touch, the one that starts at the offset wins. Empty between statements.
pub fn path_at(tree: &Tree, offset: usize) -> Vec<NodeRef<'_>> {
    let touching = tree.stmts.partition_point(|stmt| (stmt.span.end as usize) < offset);
    let stmts = tree.stmts.iter().skip(touching).take(2).map(NodeRef::Stmt);
    let mut path = Vec::new();
    let mut next = stmts.fold(None, |best, stmt| nearer(best, stmt, offset));
    while let Some(node) = next {
        path.push(node);
        next = None;
        node.each_child(&mut |child| next = nearer(next, child, offset));
    }
    path
}

/// Of the best node so far and a later one, the one that the offset belongs to.
fn nearer<'t>(best: Option<NodeRef<'t>>, node: NodeRef<'t>, offset: usize) -> Option<NodeRef<'t>> {
    let span = node.span();
    if !span.touches(offset) {
        return best;
    }
    let inside = |span: Span| (span.start as usize..span.end as usize).contains(&offset);
    match best {
        Some(best) if inside(best.span()) || !inside(span) => Some(best),
        _ => Some(node),
    }
}

fn in_stmt<'t>(kind: &'t StmtKind, on: &mut dyn FnMut(NodeRef<'t>)) {
    match kind {
        StmtKind::Use(it) => in_use(it, on),
        StmtKind::Param(it) => {
            names(&it.name, on);
            types(it.ty.as_deref(), on);
            exprs(&it.default, on);
            it.condition.iter().for_each(|condition| on(NodeRef::Expr(condition)));
        }
        StmtKind::Let(it) | StmtKind::Output(it) => {
            names(&it.name, on);
            types(it.ty.as_deref(), on);
            on(NodeRef::Expr(&it.value));
        }
        StmtKind::Assert(it) => {
            on(NodeRef::Expr(&it.condition));
            exprs(&it.message, on);
        }
        StmtKind::Type(it) => {
            names(&it.name, on);
            on(NodeRef::TypeExpr(&it.definition));
        }
        StmtKind::Kind(it) => in_kind(it, on),
        StmtKind::Rule(it) => {
            names(&it.code, on);
            names(it.on.iter().flatten(), on);
            it.clauses.iter().for_each(|clause| on(NodeRef::Clause(clause)));
        }
        StmtKind::Component(it) => {
            names(&it.name, on);
            stmts(&it.body, on);
        }
        StmtKind::Decl(it) => in_decl(it, on),
        StmtKind::Attr(it) => {
            on(NodeRef::Name(&it.name));
            on(NodeRef::Expr(&it.value));
        }
        StmtKind::Field(it) => {
            on(NodeRef::Name(&it.name));
            on(NodeRef::TypeExpr(&it.ty));
            exprs(&it.default, on);
        }
        StmtKind::Patch(it) => {
            names(&it.target, on);
            stmts(&it.body, on);
        }
        StmtKind::Allow(it) => {
            names(&it.code, on);
            exprs(&it.reason, on);
        }
        StmtKind::For(it) => in_for(it, on),
        StmtKind::If(it) => in_if(it, on),
        StmtKind::Error => {}
    }
}

fn in_use<'t>(it: &'t Use, on: &mut dyn FnMut(NodeRef<'t>)) {
    names(&it.path, on);
    for (name, alias) in it.names.iter().flatten() {
        on(NodeRef::Name(name));
        names(alias, on);
    }
    names(&it.alias, on);
}

fn in_kind<'t>(it: &'t KindDecl, on: &mut dyn FnMut(NodeRef<'t>)) {
    names(&it.name, on);
    names(&it.parent, on);
    names(&it.platform, on);
    stmts(&it.body, on);
}

fn in_decl<'t>(it: &'t Decl, on: &mut dyn FnMut(NodeRef<'t>)) {
    on(NodeRef::Name(&it.kind));
    names(&it.name, on);
    exprs(&it.on, on);
    stmts(&it.body, on);
}

fn in_for<'t>(it: &'t For, on: &mut dyn FnMut(NodeRef<'t>)) {
    names(&it.names, on);
    on(NodeRef::Expr(&it.items));
    exprs(it.key.as_deref(), on);
    stmts(&it.body, on);
}

fn in_if<'t>(it: &'t If, on: &mut dyn FnMut(NodeRef<'t>)) {
    on(NodeRef::Expr(&it.condition));
    stmts(&it.then, on);
    it.otherwise.iter().for_each(|otherwise| stmts(otherwise, on));
}

fn in_expr<'t>(kind: &'t ExprKind, on: &mut dyn FnMut(NodeRef<'t>)) {
    match kind {
        ExprKind::Bool(_)
        | ExprKind::Auto
        | ExprKind::Literal(..)
        | ExprKind::Name(_)
        | ExprKind::Missing => {}
        ExprKind::Str(parts) => {
            for part in parts {
                if let StrPart::Interp(expr) = part {
                    on(NodeRef::Expr(expr));
                }
            }
        }
        ExprKind::Member(of, name) => {
            on(NodeRef::Expr(of));
            names(name.as_deref(), on);
        }
        ExprKind::Index(left, right) | ExprKind::Binary(_, _, left, right) => {
            on(NodeRef::Expr(left));
            on(NodeRef::Expr(right));
        }
        ExprKind::Call(of, args) => {
            on(NodeRef::Expr(of));
            args.iter().for_each(|arg| on(NodeRef::Arg(arg)));
        }
        ExprKind::List(items) => exprs(items, on),
        ExprKind::Record(entries) => entries.iter().for_each(|entry| on(NodeRef::Entry(entry))),
        ExprKind::ListFor(it) | ExprKind::RecordFor(it) => {
            names(&it.names, on);
            on(NodeRef::Expr(&it.items));
            exprs(&it.condition, on);
            exprs(&it.key, on);
            on(NodeRef::Expr(&it.value));
        }
        ExprKind::Unary(_, of) | ExprKind::IsSet(of, _) | ExprKind::Paren(of) => {
            on(NodeRef::Expr(of))
        }
        ExprKind::If(condition, then, otherwise) => {
            on(NodeRef::Expr(condition));
            on(NodeRef::Expr(then));
            on(NodeRef::Expr(otherwise));
        }
    }
}

fn in_type<'t>(kind: &'t TypeExprKind, on: &mut dyn FnMut(NodeRef<'t>)) {
    match kind {
        TypeExprKind::Name(_) | TypeExprKind::Word(_) | TypeExprKind::Missing => {}
        TypeExprKind::Optional(of) | TypeExprKind::List(of) | TypeExprKind::Deferred(of) => {
            on(NodeRef::TypeExpr(of))
        }
        TypeExprKind::Map(key, value) => {
            on(NodeRef::TypeExpr(key));
            on(NodeRef::TypeExpr(value));
        }
        TypeExprKind::Record(fields) => {
            fields.iter().for_each(|field| on(NodeRef::RecordField(field)))
        }
        TypeExprKind::Union(parts) => types(parts, on),
        TypeExprKind::Constructor(name, fields) => {
            on(NodeRef::Name(name));
            fields.iter().for_each(|field| on(NodeRef::RecordField(field)));
        }
        TypeExprKind::In(of, expr) | TypeExprKind::Matching(of, expr) => {
            on(NodeRef::TypeExpr(of));
            on(NodeRef::Expr(expr));
        }
    }
}

fn names<'t>(names: impl IntoIterator<Item = &'t Name>, on: &mut dyn FnMut(NodeRef<'t>)) {
    names.into_iter().for_each(|name| on(NodeRef::Name(name)));
}

fn exprs<'t>(exprs: impl IntoIterator<Item = &'t Expr>, on: &mut dyn FnMut(NodeRef<'t>)) {
    exprs.into_iter().for_each(|expr| on(NodeRef::Expr(expr)));
}

fn types<'t>(types: impl IntoIterator<Item = &'t TypeExpr>, on: &mut dyn FnMut(NodeRef<'t>)) {
    types.into_iter().for_each(|ty| on(NodeRef::TypeExpr(ty)));
}

fn stmts<'t>(stmts: &'t [Stmt], on: &mut dyn FnMut(NodeRef<'t>)) {
    stmts.iter().for_each(|stmt| on(NodeRef::Stmt(stmt)));
}
