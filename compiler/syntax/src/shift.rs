//! Moving a tree to another place of its file: every span by the same number of bytes.

use crate::tree::*;
use slipform_source::{Span, Spanned};

/// Something with spans inside.
pub(crate) trait Shift {
    /// Adds `by` to every offset. The caller knows that none becomes negative.
    fn shift(&mut self, by: i64);
}

impl Shift for Span {
    fn shift(&mut self, by: i64) {
        let moved = |at: u32| u32::try_from(i64::from(at) + by).unwrap_or(0);
        (self.start, self.end) = (moved(self.start), moved(self.end));
    }
}

impl<T> Shift for Spanned<T> {
    fn shift(&mut self, by: i64) {
        self.span.shift(by);
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn shift(&mut self, by: i64) {
        self.as_mut_slice().shift(by);
    }
}

impl<T: Shift> Shift for [T] {
    fn shift(&mut self, by: i64) {
        self.iter_mut().for_each(|item| item.shift(by));
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: i64) {
        self.iter_mut().for_each(|item| item.shift(by));
    }
}

impl<T: Shift + ?Sized> Shift for Box<T> {
    fn shift(&mut self, by: i64) {
        (**self).shift(by);
    }
}

impl<T: Shift + Stored> Shift for Late<T> {
    fn shift(&mut self, by: i64) {
        self.edit(|part| part.shift(by));
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn shift(&mut self, by: i64) {
        self.0.shift(by);
        self.1.shift(by);
    }
}

impl Shift for String {
    fn shift(&mut self, _by: i64) {}
}

/// Shifts each of the named fields.
macro_rules! shift_fields {
    ($($of:ty { $($field:ident),* })*) => {$(
        impl Shift for $of {
            fn shift(&mut self, by: i64) {
                $(self.$field.shift(by);)*
            }
        }
    )*};
}

shift_fields! {
    Comment { span }
    Problem { at, also, fix }
    Use { path, alias, names }
    Param { name, ty, default, condition }
    Let { name, ty, value }
    Assert { condition, message }
    TypeDecl { name, definition }
    KindDecl { name, parent, platform, body }
    RuleDecl { code, on, clauses }
    Clause { span, word, kind }
    ComponentDecl { name, body }
    Decl { existing, kind, name, on, body, header }
    Attr { name, value }
    FieldDecl { name, ty, default }
    Patch { target, body }
    Allow { code, reason }
    For { names, items, key, body }
    If { condition, then, otherwise }
    Arg { name, value }
    Entry { key, value }
    Comprehension { names, items, condition, key, value }
    RecordField { name, ty, default }
    Stmt { span, kind }
    Expr { span, kind }
    TypeExpr { span, kind }
}

impl Shift for StmtKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Use(it) => it.shift(by),
            Self::Param(it) => it.shift(by),
            Self::Let(it) | Self::Output(it) => it.shift(by),
            Self::Assert(it) => it.shift(by),
            Self::Type(it) => it.shift(by),
            Self::Kind(it) => it.shift(by),
            Self::Rule(it) => it.shift(by),
            Self::Component(it) => it.shift(by),
            Self::Decl(it) => it.shift(by),
            Self::Attr(it) => it.shift(by),
            Self::Field(it) => it.shift(by),
            Self::Patch(it) => it.shift(by),
            Self::Allow(it) => it.shift(by),
            Self::For(it) => it.shift(by),
            Self::If(it) => it.shift(by),
            Self::Error => {}
        }
    }
}

impl Shift for ClauseKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::When(of) => of.shift(by),
            Self::Require(of)
            | Self::Says(_, of)
            | Self::Help(of)
            | Self::Symptom(of)
            | Self::Since(of) => of.shift(by),
            Self::Let(name, value) => {
                name.shift(by);
                value.shift(by);
            }
            Self::For(names, items) => {
                names.shift(by);
                items.shift(by);
            }
            Self::Label(place, text) => {
                place.shift(by);
                text.shift(by);
            }
            Self::Fix(mend) => mend.shift(by),
        }
    }
}

impl Shift for Mend {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Remove(place) => place.shift(by),
            Self::Set(place, value) => {
                place.shift(by);
                value.shift(by);
            }
        }
    }
}

impl Shift for ExprKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Bool(_) | Self::Auto | Self::Literal(..) | Self::Name(_) | Self::Missing => {}
            Self::Str(parts) => parts.shift(by),
            Self::Member(of, name) => {
                of.shift(by);
                name.shift(by);
            }
            Self::Index(of, at) => {
                of.shift(by);
                at.shift(by);
            }
            Self::Call(of, args) => {
                of.shift(by);
                args.shift(by);
            }
            Self::List(items) => items.shift(by),
            Self::Record(entries) => entries.shift(by),
            Self::ListFor(it) | Self::RecordFor(it) => it.shift(by),
            Self::Unary(_, of) | Self::IsSet(of, _) | Self::Paren(of) => of.shift(by),
            Self::Binary(_, op, left, right) => {
                op.shift(by);
                left.shift(by);
                right.shift(by);
            }
            Self::If(condition, then, otherwise) => {
                condition.shift(by);
                then.shift(by);
                otherwise.shift(by);
            }
        }
    }
}

impl Shift for StrPart {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Text(_) => {}
            Self::Interp(expr) => expr.shift(by),
        }
    }
}

impl Shift for TypeExprKind {
    fn shift(&mut self, by: i64) {
        match self {
            Self::Name(_) | Self::Word(_) | Self::Missing => {}
            Self::Optional(of) | Self::List(of) | Self::Deferred(of) => of.shift(by),
            Self::Map(key, value) => {
                key.shift(by);
                value.shift(by);
            }
            Self::Record(fields) => fields.shift(by),
            Self::Union(parts) => parts.shift(by),
            Self::Constructor(name, fields) => {
                name.shift(by);
                fields.shift(by);
            }
            Self::In(of, expr) | Self::Matching(of, expr) => {
                of.shift(by);
                expr.shift(by);
            }
        }
    }
}
