//! Operators and choices.

use super::{Infer, paths_set_when};
use crate::infer::{ANYTHING, NAMES_UNKNOWN, TYPES_DEFERRED, TYPES_MISMATCH};
use crate::types::{Fields, Type};
use slipform_model::Diagnostic;
use slipform_source::Span;
use slipform_syntax::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

impl Infer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, inner: &Expr, wanted: Option<&Type>) -> Type {
        match op {
            UnaryOp::Not => {
                self.check(inner, &Type::Bool);
                Type::Bool
            }
            UnaryOp::Neg => {
                let found = self.expr(inner, wanted.filter(|wanted| is_whole(wanted)));
                match found.bare() {
                    Type::Int | Type::Number(_) => Type::Int,
                    Type::Float => Type::Float,
                    Type::Unknown => Type::Unknown,
                    _ => self.refuse("-", &found, inner.span),
                }
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        left: &Expr,
        right: &Expr,
        wanted: Option<&Type>,
    ) -> Type {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.check(left, &Type::Bool);
                let assumed = self.set.len();
                self.set.extend(paths_set_when(left, op == BinaryOp::And));
                self.check(right, &Type::Bool);
                self.set.truncate(assumed);
                Type::Bool
            }
            BinaryOp::At => self.mount(left, right),
            BinaryOp::Range => {
                self.check(left, &Type::Int);
                self.check(right, &Type::Int);
                Type::Range
            }
            BinaryOp::Eq | BinaryOp::Ne => self.equality(left, right, at),
            BinaryOp::In => {
                let found = self.expr(left, None);
                let among = self.expr(right, None);
                self.within(&found, &among, at);
                Type::Bool
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let (found, other) = self.operands(left, right, None);
                if !is_ordered(&found) || !is_ordered(&other) {
                    return self.refuse_pair("ordered", &found, &other, at);
                }
                self.comparable(&found, &other, at, "compared");
                Type::Bool
            }
            BinaryOp::Sub if self.unquoted(left, right) => Type::Unknown,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let wanted = wanted.filter(|wanted| is_whole(wanted));
                let (found, other) = self.operands(left, right, wanted);
                let ty = self.arithmetic(op, &found, &other, at);
                let of_integers = found.fits(&Type::Int) && other.fits(&Type::Int);
                match ty {
                    // Where an integer is wanted the quotient of two has to come out whole: evaluation looks.
                    Type::Float if op == BinaryOp::Div && wanted.is_some() && of_integers => {
                        Type::Int
                    }
                    ty => ty,
                }
            }
        }
    }

    fn equality(&mut self, left: &Expr, right: &Expr, at: Span) -> Type {
        let found = self.expr(left, None);
        let other = self.expr(right, Some(&found));
        for (side, ty) in [(left, &found), (right, &other)] {
            if matches!(ty.set().bare(), Type::Deferred(_)) {
                return self.refuse_deferred(side);
            }
        }
        self.comparable(&found, &other, at, "compared");
        Type::Bool
    }

    /// `us-east4-a` without quotes: names of the cloud read as subtractions of names that nothing has.
    fn unquoted(&mut self, left: &Expr, right: &Expr) -> bool {
        let Some(head) = dashed(left) else { return false };
        let Some(tail) = dashed(right) else { return false };
        let adjacent = left.span.end + 1 == right.span.start;
        let first = head.split('-').next().unwrap_or_default();
        let known = first.starts_with(|c: char| c.is_ascii_digit()) || self.knows(first);
        if !adjacent || known {
            return false;
        }
        let text = format!("{head}-{tail}");
        let span = left.span.to(right.span);
        let word = text.replace('-', "_");
        if self.schema.ctors.contains_key(word.as_str()) {
            let message = format!("`{text}` is written `{word}`");
            let report = Diagnostic::error(NAMES_UNKNOWN, message, span);
            let help = format!("words have `_` between their parts: `{word}`");
            self.reports.add(report.help(help).fix(format!("write `{word}`"), span, word));
            return true;
        }
        self.reports.add(
            Diagnostic::error(
                NAMES_UNKNOWN,
                format!("text needs quotes: nothing here is called `{first}`"),
                span,
            )
            .help(format!("text is written in quotes: \"{text}\""))
            .fix("put it in quotes", span, format!("\"{text}\"")),
        );
        true
    }

    /// Both sides of an operator that needs its values; in rules, an absent one skips the rule.
    fn operands(&mut self, left: &Expr, right: &Expr, wanted: Option<&Type>) -> (Type, Type) {
        let found = self.expr(left, wanted);
        let found = self.needed(found, left);
        let other = self.expr(right, wanted);
        let other = self.needed(other, right);
        (found, other)
    }

    fn needed(&mut self, found: Type, expr: &Expr) -> Type {
        if !found.is_optional() {
            return found;
        }
        if !self.facts && !self.reports.has_error_in(expr.span) {
            self.may_be_absent(expr);
        }
        found.set()
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Type, right: &Type, at: Span) -> Type {
        use BinaryOp::{Add, Div, Mul, Rem, Sub};
        let plain = |ty: &Type| match ty.bare() {
            Type::Number(_) => Type::Int,
            Type::Word(_) | Type::Fact(_) => Type::Str,
            other => other.clone(),
        };
        let (a, b) = (plain(left), plain(right));
        match (op, &a, &b) {
            (_, Type::Unknown, _) | (_, _, Type::Unknown) => Type::Unknown,
            (Div, Type::Int, Type::Int) => Type::Float,
            (_, Type::Int, Type::Int) => Type::Int,
            (Add | Sub | Mul | Div, Type::Int | Type::Float, Type::Int | Type::Float) => {
                Type::Float
            }
            (Add | Sub, Type::Size, Type::Size) => Type::Size,
            (Add | Sub, Type::Duration, Type::Duration) => Type::Duration,
            (Mul, Type::Size, Type::Int)
            | (Mul, Type::Int, Type::Size)
            | (Div | Rem, Type::Size, Type::Int) => Type::Size,
            (Mul, Type::Duration, Type::Int)
            | (Mul, Type::Int, Type::Duration)
            | (Div | Rem, Type::Duration, Type::Int) => Type::Duration,
            (Div, Type::Size, Type::Size) | (Div, Type::Duration, Type::Duration) => Type::Float,
            (Add, Type::List(x), Type::List(y)) => {
                Type::List(Type::union([(**x).clone(), (**y).clone()]).into())
            }
            (Add, Type::Str, Type::Str) => {
                self.reports.add(
                    Diagnostic::error(TYPES_MISMATCH, "texts are not added", at)
                        .help("put both into one: \"${first}${second}\""),
                );
                Type::Str
            }
            _ => {
                let verb = match op {
                    Add => "added",
                    Sub => "subtracted",
                    Mul => "multiplied",
                    _ => "divided",
                };
                self.refuse_pair(verb, left, right, at)
            }
        }
    }

    fn comparable(&mut self, found: &Type, other: &Type, at: Span, verb: &str) {
        let loose = |a: &Type, b: &Type| {
            let (a, b) = (a.set(), b.set());
            a.fits(&b)
                || b.fits(&a)
                || a.arms().iter().any(|x| b.arms().iter().any(|y| x.fits(y) || y.fits(x)))
        };
        let auto = matches!(found, Type::Auto) || matches!(other, Type::Auto);
        if !auto && !loose(found, other) {
            self.refuse_pair(verb, found, other, at);
        }
    }

    fn within(&mut self, found: &Type, among: &Type, at: Span) {
        let fine = match among.set().bare() {
            Type::List(item) => found.set().fits(item) || item.fits(&found.set()),
            Type::Range => found.set().fits(&Type::Float),
            Type::Map(..) | Type::Record(_) | Type::Group(_) => found.set().fits(&Type::Str),
            Type::Cidr => matches!(found.set().bare(), Type::Cidr | Type::Address),
            Type::Str | Type::Word(_) => found.set().fits(&Type::Str),
            Type::Unknown => true,
            _ => false,
        };
        if !fine && !matches!(found, Type::Unknown) {
            let message = format!("`in` cannot look for `{found}` in `{among}`");
            self.reports.error(TYPES_MISMATCH, message, at);
        }
    }

    fn mount(&mut self, source: &Expr, path: &Expr) -> Type {
        let Some(ctor) = self.schema.ctors.get("mount").cloned() else { return Type::Unknown };
        for (name, expr) in [("source", source), ("path", path)] {
            match ctor.fields.0.get(name) {
                Some(field) => self.check(expr, &field.ty),
                None => self.expr(expr, None),
            };
        }
        Type::Ctor(ctor)
    }

    pub(super) fn choice(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        wanted: Option<&Type>,
    ) -> Type {
        self.check(condition, &Type::Bool);
        let assumed = self.set.len();
        // A condition that was not understood may have asked for anything.
        let doubtful = self.reports.has_error_in(condition.span);
        self.set.extend(doubtful.then(|| ANYTHING.to_owned()));
        let assumed_by_all = self.set.len();
        self.set.extend(paths_set_when(condition, true));
        let first = self.expr(then, wanted);
        self.set.truncate(assumed_by_all);
        self.set.extend(paths_set_when(condition, false));
        let second = self.expr(otherwise, wanted);
        self.set.truncate(assumed_by_all);
        if let Some(wanted) = wanted {
            self.expect(&first, wanted, then);
            self.expect(&second, wanted, otherwise);
        }
        self.set.truncate(assumed);
        merged(first, second)
    }

    fn refuse(&mut self, op: &str, found: &Type, at: Span) -> Type {
        self.reports.error(TYPES_MISMATCH, format!("`{op}` needs a number, found `{found}`"), at);
        Type::Unknown
    }

    /// What exists only later cannot be compared now.
    fn refuse_deferred(&mut self, side: &Expr) -> Type {
        self.reports.add(
            Diagnostic::error(
                TYPES_DEFERRED,
                "this value exists only once Terraform has made it, but the compiler needs it now",
                side.span,
            )
            .help("deferred values may go into `env`, `args` and `output`"),
        );
        Type::Unknown
    }

    fn refuse_pair(&mut self, verb: &str, found: &Type, other: &Type, at: Span) -> Type {
        let message = format!("`{found}` and `{other}` cannot be {verb}");
        let report = Diagnostic::error(TYPES_MISMATCH, message, at);
        let named = |ty: &Type| ty.arms().iter().any(|arm| matches!(arm, Type::Word(_)));
        match named(found) && named(other) {
            // A word that an enumeration lacks is one mistake, however often it is asked for.
            true => self.reports.add_once(report),
            false => self.reports.add(report),
        }
        Type::Unknown
    }
}

/// Whether values of a type are smaller and larger than others.
fn is_ordered(ty: &Type) -> bool {
    matches!(
        ty.bare(),
        Type::Int
            | Type::Number(_)
            | Type::Float
            | Type::Size
            | Type::Duration
            | Type::Str
            | Type::Word(_)
            | Type::Unknown
    )
}

/// Whether an integer is wanted and a fraction would not do.
fn is_whole(wanted: &Type) -> bool {
    Type::Int.fits(wanted) && !Type::Float.fits(wanted)
}

/// `a-b-c` as it was typed, where names and numbers are joined by dashes without any space.
fn dashed(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Literal(_, text) => Some(text.to_string()),
        ExprKind::Binary(BinaryOp::Sub, _, left, right)
            if left.span.end + 1 == right.span.start =>
        {
            Some(format!("{}-{}", dashed(left)?, dashed(right)?))
        }
        _ => None,
    }
}

/// The type of one of two branches. Two records of different fields stay as they are, arm by arm.
fn merged(first: Type, second: Type) -> Type {
    match (&first, &second) {
        (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
        (Type::Record(a), Type::Record(b)) if same_fields(a, b) => first,
        // An empty list says nothing of its items.
        (Type::List(a), Type::List(_)) if matches!(**a, Type::Unknown) => second,
        (Type::List(_), Type::List(b)) if matches!(**b, Type::Unknown) => first,
        _ => Type::union([first, second]),
    }
}

fn same_fields(a: &Fields, b: &Fields) -> bool {
    a.fits(b) && b.fits(a)
}
