//! What is wanted within a value: the type that is expected of the whole, followed down to the cursor.

use super::place::{Typed, Wanted};
use super::standin::{StandIn, text_of};
use crate::functions;
use crate::schema::Schema;
use crate::types::{Ctor, Field, Type};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Arg, BinaryOp, Comprehension, Entry, Expr, ExprKind};
use std::sync::Arc;

/// A value with a name at the cursor.
pub(super) struct Expected<'v> {
    pub(super) schema: &'v Schema,
    pub(super) stand_in: &'v StandIn,
}

impl Expected<'_> {
    /// What is wanted of the value that `path` starts with, of which `ty` is expected.
    pub(super) fn wanted(&self, path: &[NodeRef<'_>], ty: Option<Type>) -> Option<Wanted> {
        let (NodeRef::Expr(expr), inside) = path.split_first()? else { return None };
        match &expr.kind {
            ExprKind::Name(_) => Some(Wanted::Value(ty)),
            // Digits can only become a topology.
            ExprKind::Literal(..) => {
                let topology = ty?.arms().into_iter().find(|arm| matches!(arm, Type::Topology));
                topology.map(|ty| Wanted::Value(Some(ty)))
            }
            ExprKind::Str(_) if inside.is_empty() => text_of(expr).map(|_| Wanted::Text(ty)),
            ExprKind::Member(base, _) => match inside.first()? {
                NodeRef::Name(_) => Some(Wanted::Member(base.clone(), ty)),
                _ => self.wanted(inside, ty),
            },
            ExprKind::Call(callee, args) => self.in_call(callee, args, inside, ty),
            ExprKind::List(_) => self.wanted(inside, ty.and_then(item)),
            ExprKind::Record(_) => self.in_record(inside, ty),
            ExprKind::ListFor(rounds) => self.in_rounds(rounds, inside, ty.and_then(item)),
            ExprKind::RecordFor(rounds) => self.in_rounds(rounds, inside, ty.and_then(entry)),
            ExprKind::Paren(_) => self.wanted(inside, ty),
            ExprKind::If(condition, _, _) => {
                self.wanted(inside, ty.filter(|_| !self.is_within(condition)))
            }
            ExprKind::Binary(BinaryOp::At, _, _, path) if self.is_within(path) => {
                self.wanted(inside, Some(Type::Str))
            }
            ExprKind::Binary(BinaryOp::At, ..) => self.wanted(inside, ty),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right)
                if self.is_within(right) =>
            {
                self.compared(left, inside)
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right)
                if self.is_within(left) =>
            {
                self.compared(right, inside)
            }
            ExprKind::Binary(BinaryOp::In, _, left, right) if self.is_within(right) => {
                let (NodeRef::Expr(Expr { kind: ExprKind::List(_), .. }), item) =
                    inside.split_first()?
                else {
                    return self.wanted(inside, None);
                };
                self.compared(left, item)
            }
            // An operand may be of another type than the result.
            ExprKind::Binary(..)
            | ExprKind::Index(..)
            | ExprKind::Unary(..)
            | ExprKind::IsSet(..)
            | ExprKind::Str(_) => self.wanted(inside, None),
            ExprKind::Bool(_) | ExprKind::Auto | ExprKind::Missing => None,
        }
    }

    /// What is wanted of a value that is compared with another.
    fn compared(&self, with: &Expr, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        let with = || Box::new(with.clone());
        Some(match self.wanted(inside, None)? {
            Wanted::Value(None) => Wanted::Compared(with(), Typed::Bare),
            Wanted::Text(None) => Wanted::Compared(with(), Typed::Quoted),
            other => other,
        })
    }

    fn in_call(
        &self,
        callee: &Expr,
        args: &[Arg],
        inside: &[NodeRef<'_>],
        ty: Option<Type>,
    ) -> Option<Wanted> {
        let Some((NodeRef::Arg(arg), inside)) = inside.split_first() else {
            return self.wanted(inside, ty);
        };
        let called = match &callee.kind {
            ExprKind::Name(name) => name.as_str(),
            _ => "",
        };
        if let Some(ctor) = self.schema.ctors.get(called) {
            return self.in_argument(ctor, args, arg, inside);
        }
        match (self.wanted(inside, None)?, inside, functions::find(called)) {
            (Wanted::Text(_), [_], Some(function)) => {
                Some(Wanted::TextOf(function.name.to_owned()))
            }
            (wanted, ..) => Some(wanted),
        }
    }

    fn in_argument(
        &self,
        ctor: &Arc<Ctor>,
        args: &[Arg],
        arg: &Arg,
        inside: &[NodeRef<'_>],
    ) -> Option<Wanted> {
        let fields = &ctor.fields.0;
        let named = arg.name.as_ref().filter(|name| !self.stand_in.is_in(name.span));
        let field = match named {
            Some(name) => fields.get(name.value.as_str()),
            None => {
                let at = args.iter().position(|known| std::ptr::eq(known, arg))?;
                fields.get_index(at).map(|(_, field)| field)
            }
        };
        if let [NodeRef::Name(_)] = inside {
            return Some(Wanted::Argument(ctor.clone(), field.map(Field::written)));
        }
        match (self.wanted(inside, field.map(Field::written))?, inside) {
            (Wanted::Value(ty), [NodeRef::Expr(only)])
                if arg.name.is_none() && matches!(only.kind, ExprKind::Name(_)) =>
            {
                Some(Wanted::Argument(ctor.clone(), ty))
            }
            (wanted, _) => Some(wanted),
        }
    }

    fn in_record(&self, inside: &[NodeRef<'_>], ty: Option<Type>) -> Option<Wanted> {
        let (NodeRef::Entry(Entry { key: name, .. }), inside) = inside.split_first()? else {
            return None;
        };
        let arms = ty.as_ref().map(Type::arms).unwrap_or_default();
        let fields = arms.iter().find_map(|arm| match arm {
            Type::Record(fields) => Some(fields),
            _ => None,
        });
        if self.is_within(name) {
            return match (&name.kind, fields) {
                (ExprKind::Name(_), fields) => fields.map(|fields| Wanted::Key(fields.clone())),
                _ => self.wanted(inside, None),
            };
        }
        let ty = match fields {
            Some(fields) => fields.0.get(key(name)?.as_str()).map(Field::written),
            None => ty.and_then(entry),
        };
        self.wanted(inside, ty)
    }

    /// Only what each round gives has the type that is expected; not what is walked, nor which rounds count.
    fn in_rounds(
        &self,
        rounds: &Comprehension,
        inside: &[NodeRef<'_>],
        ty: Option<Type>,
    ) -> Option<Wanted> {
        self.wanted(inside, ty.filter(|_| self.is_within(&rounds.value)))
    }

    fn is_within(&self, expr: &Expr) -> bool {
        self.stand_in.is_in(expr.span)
    }
}

/// The key of an entry as text.
pub(crate) fn key(key: &Expr) -> Option<String> {
    match &key.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        _ => text_of(key),
    }
}

/// What a list of this type holds.
fn item(ty: Type) -> Option<Type> {
    ty.arms().into_iter().find_map(|arm| match arm {
        Type::List(item) => Some((*item).clone()),
        _ => None,
    })
}

/// What a map of this type holds.
fn entry(ty: Type) -> Option<Type> {
    ty.arms().into_iter().find_map(|arm| match arm {
        Type::Map(_, value) => Some((*value).clone()),
        _ => None,
    })
}
