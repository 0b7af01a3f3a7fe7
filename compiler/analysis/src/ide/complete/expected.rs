//! What is wanted within a value: the type that is expected of the whole, followed down to the cursor.

use super::place::{Typed, Wanted};
use super::sought::Sought;
use super::standin::{StandIn, text_of};
use crate::functions;
use crate::schema::Schema;
use crate::types::{Ctor, Field, Fields, Type};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Arg, BinaryOp, Comprehension, Entry, Expr, ExprKind, UnaryOp};
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
            ExprKind::Member(base, member) => match inside.first()? {
                NodeRef::Name(_) => Some(Wanted::Member(base.clone(), ty)),
                _ => {
                    self.sought(inside, || Some(Sought::Holder(member.as_ref()?.value.to_string())))
                }
            },
            ExprKind::Call(callee, args) => self.in_call(callee, args, inside, ty),
            ExprKind::List(items) => match ty.and_then(item) {
                None => self.beside(items.iter().find(|it| !self.is_within(it)), inside),
                item => self.wanted(inside, item),
            },
            ExprKind::Record(entries) => self.in_record(entries, inside, ty),
            ExprKind::ListFor(rounds) => self.in_rounds(rounds, inside, ty.and_then(item)),
            ExprKind::RecordFor(rounds) => self.in_rounds(rounds, inside, ty.and_then(entry)),
            ExprKind::Paren(_) => self.wanted(inside, ty),
            ExprKind::If(condition, ..) if self.is_within(condition) => self.condition(inside),
            ExprKind::If(_, then, otherwise) if ty.is_none() => self.beside(
                [then, otherwise].into_iter().map(|it| &**it).find(|it| !self.is_within(it)),
                inside,
            ),
            ExprKind::If(..) => self.wanted(inside, ty),
            ExprKind::Binary(op, _, left, right) => {
                self.operand(*op, (&**left, &**right), inside, ty)
            }
            ExprKind::Unary(UnaryOp::Not, _) => self.condition(inside),
            ExprKind::Index(base, at) if self.is_within(at) => match self.wanted(inside, None)? {
                Wanted::Value(None) => Some(Wanted::Element(base.clone(), Typed::Bare)),
                Wanted::Text(None) => Some(Wanted::Element(base.clone(), Typed::Quoted)),
                other => Some(other),
            },
            ExprKind::Index(..) => self.sought(inside, || Some(Sought::Elements)),
            ExprKind::IsSet(..) => self.sought(inside, || Some(Sought::Optional)),
            // An operand may be of another type than the result.
            ExprKind::Unary(UnaryOp::Neg, _) => self.wanted(inside, None),
            ExprKind::Str(_) => self.sought(inside, || Some(Sought::Printed)),
            ExprKind::Bool(_) | ExprKind::Auto | ExprKind::Missing => None,
        }
    }

    /// What is wanted of a side of an operator.
    fn operand(
        &self,
        op: BinaryOp,
        (left, right): (&Expr, &Expr),
        inside: &[NodeRef<'_>],
        ty: Option<Type>,
    ) -> Option<Wanted> {
        use BinaryOp::{Add, And, At, Div, Eq, Ge, Gt, In, Le, Lt, Mul, Ne, Or, Range, Rem, Sub};
        let on_the_right = self.is_within(right);
        match op {
            At if on_the_right => self.wanted(inside, Some(self.mounted_at())),
            At => self.wanted(inside, ty),
            And | Or => self.condition(inside),
            // Both sides are of one type as a rule.
            Eq | Ne | Lt | Le | Gt | Ge | Add | Sub | Mul | Div | Rem => {
                self.compared(if on_the_right { left } else { right }, inside)
            }
            In if on_the_right => match inside.split_first()? {
                (NodeRef::Expr(Expr { kind: ExprKind::List(_), .. }), item) => {
                    self.compared(left, item)
                }
                _ => self.walked(inside),
            },
            In => match &right.kind {
                ExprKind::List(items) if !items.is_empty() => self.compared(items.first()?, inside),
                _ => self.wanted(inside, None),
            },
            Range => self.wanted(inside, Some(Type::Int)),
        }
    }

    /// Where something is mounted.
    fn mounted_at(&self) -> Type {
        let mount = self.schema.ctors.get("mount");
        let path = mount.and_then(|mount| mount.fields.0.get("path"));
        path.map_or(Type::Str, Field::written)
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

    /// What is sought of a value that is nothing but a name yet.
    fn sought(
        &self,
        inside: &[NodeRef<'_>],
        what: impl FnOnce() -> Option<Sought>,
    ) -> Option<Wanted> {
        match self.wanted(inside, None)? {
            Wanted::Value(None) if inside.len() == 1 => {
                Some(what().map_or(Wanted::Value(None), Wanted::Sought))
            }
            other => Some(other),
        }
    }

    /// What holds or does not.
    pub(super) fn condition(&self, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        self.sought(inside, || Some(Sought::Condition))
    }

    /// What a loop walks.
    pub(super) fn walked(&self, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        self.sought(inside, || Some(Sought::Walked))
    }

    /// What stands beside another value, and is of its type as a rule.
    fn beside(&self, other: Option<&Expr>, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        self.sought(inside, || Some(Sought::Beside(Box::new(other?.clone()))))
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
        let at = args.iter().position(|known| std::ptr::eq(known, *arg))?;
        match (self.wanted(inside, None)?, inside, functions::find(called)) {
            (Wanted::Text(_), [_], Some(function)) => {
                Some(Wanted::TextOf(function.name.to_owned()))
            }
            (Wanted::Value(None), [_], Some(function)) => {
                Some(Wanted::Sought(Sought::Passed { function, at }))
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

    fn in_record(
        &self,
        entries: &[Entry],
        inside: &[NodeRef<'_>],
        ty: Option<Type>,
    ) -> Option<Wanted> {
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
                (ExprKind::Name(_), Some(fields)) => Some(Wanted::Key(fields.clone())),
                (ExprKind::Name(_), None) => ty.and_then(entry).map(|_| Wanted::NewKey),
                _ => self.wanted(inside, None),
            };
        }
        let ty = match fields {
            Some(fields) => {
                let written = fields.0.get(key(name)?.as_str()).map(Field::written);
                written.filter(|ty| !matches!(ty, Type::Unknown))
            }
            None if ty.is_none() => {
                let beside = entries.iter().map(|entry| &entry.value);
                beside.filter(|value| !self.is_within(value)).find_map(record_like)
            }
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
        if self.is_within(&rounds.items) {
            return self.walked(inside);
        }
        if rounds.condition.as_ref().is_some_and(|condition| self.is_within(condition)) {
            return self.condition(inside);
        }
        self.wanted(inside, ty.filter(|_| self.is_within(&rounds.value)))
    }

    fn is_within(&self, expr: &Expr) -> bool {
        self.stand_in.is_in(expr.span)
    }
}

/// A record with the keys of one that stands beside it.
fn record_like(other: &Expr) -> Option<Type> {
    let ExprKind::Record(entries) = &other.kind else { return None };
    let field = |entry: &Entry| {
        let (ty, span) = (Type::Unknown, entry.key.span);
        let field = Field { ty, default: None, derived: false, doc: None, span };
        Some((Arc::from(key(&entry.key)?), field))
    };
    Some(Type::Record(Arc::new(Fields(entries.iter().filter_map(field).collect()))))
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
