//! Words that go on behind a value, a type or a branch: those that the grammar has there, and that suit what stands in front.

use super::place::mount_of;
use super::standin::StandIn;
use super::{Completer, scope};
use crate::report::Reports;
use crate::schema::Schema;
use crate::types::Type;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{ClauseKind, Expr, ExprKind, StmtKind, TypeExpr};

/// What stands in front of the cursor, and may go on.
#[derive(Debug)]
pub(super) struct Behind {
    /// The values that end there, the outermost first.
    values: Vec<Expr>,
    /// Words that stand there whatever they are.
    words: Vec<&'static str>,
    /// It may become a condition.
    tested: bool,
    /// It may be mounted.
    mounted: bool,
}

/// What ends right in front of the cursor; `wanted` is the type that the field around takes.
pub(super) fn find(stand_in: &StandIn, schema: &Schema, wanted: Option<&Type>) -> Option<Behind> {
    let end = stand_in.end_in_front()?;
    let path = stand_in.path_in_front();
    let ends = |node: &NodeRef<'_>| {
        let span = node.span();
        span.start < span.end && span.end as usize == end
    };
    // What lacks its body seems to end there, too.
    let is_value = |node: &NodeRef<'_>| match node {
        NodeRef::Expr(Expr { kind: ExprKind::If(_, then, _), .. }) => !is_missing(then),
        NodeRef::Expr(Expr { kind: ExprKind::ListFor(it) | ExprKind::RecordFor(it), .. }) => {
            !is_missing(&it.value)
        }
        NodeRef::Expr(_) | NodeRef::TypeExpr(_) => true,
        _ => false,
    };
    let first = path.iter().position(|node| is_value(node) && ends(node));
    let around = first.and_then(|at| path.get(at.checked_sub(1)?)).copied();
    let from = first.unwrap_or(0);
    let ending = path.iter().skip(from).filter(|node| ends(node));
    let ending: Vec<NodeRef<'_>> = ending.copied().collect();
    let values: Vec<&Expr> = ending
        .iter()
        .filter_map(|node| match node {
            NodeRef::Expr(expr) => Some(*expr),
            _ => None,
        })
        .collect();
    let mut words: Vec<&'static str> = ending.iter().filter_map(|node| goes_on(*node)).collect();
    // A statement with something behind it goes on to the end of that.
    let innermost = path.iter().rev().find(|node| matches!(node, NodeRef::Stmt(_)));
    let cut = innermost.filter(|node| is_broken(**node) && stand_in.follows_block());
    words.extend(cut.and_then(|node| goes_on(*node)));
    words.extend(ending.iter().filter_map(|node| limits(*node, schema)));
    words.extend(around.and_then(|around| follows(around, *ending.first()?)));
    let outermost = values.first();
    let behind = Behind {
        tested: outermost
            .is_some_and(|it| around.is_some_and(|around| is_tested(around, it, wanted))),
        mounted: matches!(around, Some(NodeRef::Expr(Expr { kind: ExprKind::List(_), .. })))
            && wanted.is_none_or(|wanted| mount_of(wanted).is_some()),
        values: values.into_iter().cloned().collect(),
        words,
    };
    (!behind.values.is_empty() || !behind.words.is_empty()).then_some(behind)
}

fn is_broken(node: NodeRef<'_>) -> bool {
    matches!(node, NodeRef::Stmt(stmt) if stmt.broken)
}

/// A choice without its other side.
fn goes_on(node: NodeRef<'_>) -> Option<&'static str> {
    let open = match node {
        NodeRef::Expr(Expr { kind: ExprKind::If(_, then, otherwise), .. }) => {
            is_missing(otherwise) && !is_missing(then)
        }
        NodeRef::Stmt(stmt) => match &stmt.kind {
            StmtKind::If(choice) => choice.otherwise.is_none(),
            _ => false,
        },
        _ => false,
    };
    open.then_some("else")
}

fn is_missing(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Missing)
}

/// What limits a type.
fn limits(node: NodeRef<'_>, schema: &Schema) -> Option<&'static str> {
    let NodeRef::TypeExpr(ty) = node else { return None };
    match read(ty, schema).bare() {
        Type::Int => Some("in"),
        Type::Str => Some("matching"),
        _ => None,
    }
}

fn read(ty: &TypeExpr, schema: &Schema) -> Type {
    schema.clone().read_type(ty, &mut Reports::default())
}

/// What the statement, or the rounds, around a value have behind it.
fn follows(around: NodeRef<'_>, inside: NodeRef<'_>) -> Option<&'static str> {
    match around {
        NodeRef::Stmt(stmt) => match &stmt.kind {
            StmtKind::Param(param) if param.condition.is_none() => Some("where"),
            StmtKind::For(rounds) if rounds.key.is_none() => Some("by"),
            _ => None,
        },
        NodeRef::Expr(Expr {
            kind: ExprKind::ListFor(rounds) | ExprKind::RecordFor(rounds),
            ..
        }) => {
            let walked = rounds.items.span == inside.span();
            (walked && rounds.condition.is_none()).then_some("if")
        }
        _ => None,
    }
}

/// Whether a value holds or not, as far as the place says: a condition, or what may be anything.
fn is_tested(around: NodeRef<'_>, value: &Expr, wanted: Option<&Type>) -> bool {
    let may_hold =
        || wanted.is_some_and(|wanted| wanted.arms().iter().any(|arm| matches!(arm, Type::Bool)));
    match around {
        NodeRef::Stmt(stmt) => match &stmt.kind {
            StmtKind::Let(binding) | StmtKind::Output(binding) => {
                wanted.is_some().then(may_hold).unwrap_or(binding.ty.is_none())
            }
            StmtKind::If(choice) => choice.condition.span == value.span,
            StmtKind::Assert(assert) => assert.condition.span == value.span,
            StmtKind::Param(param) => {
                param.condition.as_ref().is_some_and(|condition| condition.span == value.span)
            }
            _ => may_hold(),
        },
        NodeRef::Clause(clause) => {
            matches!(
                clause.kind,
                ClauseKind::When(_) | ClauseKind::Require(_) | ClauseKind::Let(..)
            )
        }
        NodeRef::Expr(Expr { kind, .. }) => match kind {
            ExprKind::If(condition, ..) => condition.span == value.span,
            ExprKind::ListFor(rounds) | ExprKind::RecordFor(rounds) => {
                let condition = rounds.condition.as_ref();
                condition.is_some_and(|condition| condition.span == value.span)
            }
            ExprKind::Paren(_) => true,
            _ => false,
        },
        _ => false,
    }
}

impl Completer<'_, '_, '_> {
    /// The words that suit what stands in front.
    pub(super) fn words_behind(&mut self, behind: &Behind) {
        let types: Vec<Type> = behind
            .values
            .iter()
            .filter_map(|value| scope::read_type_of(self.checker, self.scope, value))
            .collect();
        let mut words = behind.words.clone();
        if behind.mounted && types.iter().any(|ty| self.can_be_mounted(ty)) {
            words.push("at");
        }
        if behind.tested {
            let holds = |ty: &Type| matches!(ty.bare(), Type::Bool);
            if types.iter().any(holds) {
                words.extend(["and", "or"]);
            }
            if types.iter().any(Type::is_optional) {
                words.extend(["is set", "is not set"]);
            }
            if types.iter().any(|ty| !holds(ty)) {
                words.push("in");
            }
        }
        self.words_alone(&words);
    }

    fn can_be_mounted(&self, ty: &Type) -> bool {
        let mount = self.program.schema.ctors.get("mount");
        let source = mount.and_then(|mount| mount.fields.0.get("source"));
        source.is_some_and(|source| !matches!(ty, Type::Unknown) && ty.set().fits(&source.ty))
    }
}
