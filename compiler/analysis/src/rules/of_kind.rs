//! The rules of a kind, and the premises that they begin with: these are few, so that for most of a noun's rules nothing
//! has to be evaluated to know that they are silent.

use super::Rule;
use super::attempt::holds;
use super::compile::{Body, Premise, is_total};
use crate::eval::{Evaluation, NounScopes, has_rounds};
use crate::program::UnitId;
use crate::schema::Kind;
use slipform_syntax::tree::{BinaryOp, Expr, ExprKind, StrPart, UnaryOp};
use std::rc::Rc;
use std::sync::Arc;

/// The rules of each kind that was met: there are few kinds and many nouns.
pub(super) struct Kinds<'a, 't> {
    rules: &'a [Rule<'t>],
    known: Vec<(Arc<Kind>, Rc<OfKind<'a, 't>>)>,
}

/// The rules that speak of one kind.
#[derive(Default)]
pub(super) struct OfKind<'a, 't> {
    pub(super) rules: Vec<Tried<'a, 't>>,
    /// What some of them ask for first.
    premises: Vec<Asked<'t>>,
}

/// What rules ask for first.
struct Asked<'t> {
    /// A file that asks for it.
    unit: UnitId,
    premise: Premise<'t>,
    /// The same for all premises that say the same, and rarely for others.
    outline: usize,
}

/// A rule to be tried.
pub(super) struct Tried<'a, 't> {
    pub(super) rule: &'a Rule<'t>,
    pub(super) body: &'a Body<'t>,
    /// Its premises, by their places among those of the kind.
    pub(super) when: Vec<usize>,
}

impl<'a, 't> Kinds<'a, 't> {
    pub(super) fn new(rules: &'a [Rule<'t>]) -> Self {
        Self { rules, known: Vec::new() }
    }

    pub(super) fn rules_on(
        &mut self,
        evaluation: &Evaluation<'_, '_>,
        at: usize,
    ) -> Rc<OfKind<'a, 't>> {
        let Some(noun) = evaluation.nouns.get(at) else { return Rc::default() };
        if let Some((_, known)) = self.known.iter().find(|(kind, _)| Arc::ptr_eq(kind, &noun.kind))
        {
            return known.clone();
        }
        let of_kind = Rc::new(OfKind::new(self.rules, &noun.kind));
        self.known.push((noun.kind.clone(), of_kind.clone()));
        of_kind
    }
}

impl<'a, 't> OfKind<'a, 't> {
    fn new(rules: &'a [Rule<'t>], kind: &Kind) -> Self {
        let mut of_kind = Self::default();
        for rule in rules.iter().filter(|rule| rule.speaks_of(kind)) {
            let Ok(body) = rule.body() else { continue };
            let when = body.premises.iter().map(|it| of_kind.premise(rule.unit, *it, kind));
            let when = when.collect();
            of_kind.rules.push(Tried { rule, body, when });
        }
        of_kind
    }

    /// The place of a premise, which another rule may have brought.
    fn premise(&mut self, unit: UnitId, premise: Premise<'t>, kind: &Kind) -> usize {
        let (Premise::Holds(expr) | Premise::Any(expr)) = premise;
        let outline = outline(expr);
        let same = |known: &Asked<'_>| match (known.premise, premise) {
            (Premise::Holds(a), Premise::Holds(b)) | (Premise::Any(a), Premise::Any(b)) => {
                says_the_same(a, b, kind)
            }
            (Premise::Holds(_), Premise::Any(_)) | (Premise::Any(_), Premise::Holds(_)) => false,
        };
        let known = self.premises.iter().position(|it| it.outline == outline && same(it));
        known.unwrap_or_else(|| {
            self.premises.push(Asked { unit, premise, outline });
            self.premises.len() - 1
        })
    }

    /// The premises for one noun, of which nothing is known yet.
    pub(super) fn premises_of(&self) -> Premises<'_, 't> {
        Premises { all: &self.premises, known: vec![None; self.premises.len()] }
    }
}

/// What rules ask for first, as far as it was looked at for one noun.
pub(super) struct Premises<'p, 't> {
    all: &'p [Asked<'t>],
    known: Vec<Option<bool>>,
}

impl<'t> Premises<'_, 't> {
    /// Whether some premises hold, all of them.
    pub(super) fn hold(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        scopes: &mut NounScopes,
        when: &[usize],
    ) -> bool {
        when.iter().all(|at| self.holds(evaluation, scopes, *at))
    }

    fn holds(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        scopes: &mut NounScopes,
        at: usize,
    ) -> bool {
        let (Some(known), Some(Asked { unit, premise, .. })) =
            (self.known.get_mut(at), self.all.get(at))
        else {
            return false;
        };
        *known.get_or_insert_with(|| {
            let Some(frame) = scopes.of_unit(evaluation, *unit) else { return false };
            match premise {
                Premise::Holds(condition) => holds(evaluation, condition, frame) == Some(true),
                Premise::Any(items) => {
                    let items = evaluation.eval(items, frame);
                    has_rounds(&items)
                }
            }
        })
    }
}

/// A number that conditions have in common which say the same, found faster than [`says_the_same`] compares.
fn outline(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Name(name) => name.len(),
        ExprKind::Member(of, Some(name)) => {
            outline(of).wrapping_mul(31).wrapping_add(name.value.len())
        }
        ExprKind::Unary(_, of) | ExprKind::IsSet(of, _) | ExprKind::Paren(of) => {
            outline(of).wrapping_mul(37)
        }
        ExprKind::Binary(op, _, left, right) => {
            let of = outline(left).wrapping_mul(41).wrapping_add(outline(right));
            of.wrapping_mul(43).wrapping_add(*op as usize)
        }
        ExprKind::Call(of, args) => {
            let args = args.iter().map(|arg| outline(&arg.value));
            args.fold(outline(of), |all, arg| all.wrapping_mul(47).wrapping_add(arg))
        }
        _ => 0,
    }
}

/// Whether two conditions have the same value for each noun of a kind, whatever file they stand in, and neither has
/// anything to report.
fn says_the_same(a: &Expr, b: &Expr, kind: &Kind) -> bool {
    let same = |a: &Expr, b: &Expr| says_the_same(a, b, kind);
    match (&a.kind, &b.kind) {
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Literal(a, of), ExprKind::Literal(b, other)) => (a, of) == (b, other),
        (ExprKind::Str(a), ExprKind::Str(b)) => match (a.as_slice(), b.as_slice()) {
            ([StrPart::Text(a)], [StrPart::Text(b)]) => a == b,
            _ => false,
        },
        // The fields of the noun hide the names of the file.
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b && kind.fields.0.contains_key(a.as_str()),
        (ExprKind::Member(of, Some(a)), ExprKind::Member(other, Some(b))) => {
            a.value == b.value && same(of, other)
        }
        (ExprKind::Call(of, args), ExprKind::Call(other, last)) => {
            let mut pairs = args.iter().zip(last);
            let named = args.iter().chain(last).any(|arg| arg.name.is_some());
            is_total(of)
                && same_name(of, other)
                && args.len() == last.len()
                && !named
                && pairs.all(|(a, b)| same(&a.value, &b.value))
        }
        (ExprKind::Unary(UnaryOp::Not, a), ExprKind::Unary(UnaryOp::Not, b)) => same(a, b),
        (ExprKind::IsSet(of, a), ExprKind::IsSet(other, b)) => a == b && same(of, other),
        (ExprKind::Paren(a), ExprKind::Paren(b)) => same(a, b),
        (ExprKind::Binary(a, _, left, right), ExprKind::Binary(b, _, other, last)) => {
            a == b && !may_fail(*a) && same(left, other) && same(right, last)
        }
        _ => false,
    }
}

fn same_name(a: &Expr, b: &Expr) -> bool {
    matches!((&a.kind, &b.kind), (ExprKind::Name(a), ExprKind::Name(b)) if a == b)
}

/// Whether an operator may have something to report.
fn may_fail(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Range
        | BinaryOp::At => true,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::In
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => false,
    }
}
