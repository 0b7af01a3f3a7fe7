//! The rules of a kind, and the premises that they begin with: these are few, so that for most of a noun's rules nothing
//! has to be evaluated to know that they are silent.

use super::Rule;
use super::compile::{Body, Guard, Premise};
use super::term::{Reader, Term};
use crate::eval::Evaluation;
use crate::schema::Kind;
use crate::types::{Field, Type};
use slipform_model::plan::{Fact, fact_of};
use slipform_source::Span;
use slipform_syntax::tree::Expr;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// The rules of each kind that was met: there are few kinds and many nouns.
pub(super) struct Kinds<'a, 't> {
    rules: &'a [Rule<'t>],
    known: Vec<Rc<OfKind<'a, 't>>>,
}

/// The rules that speak of one kind.
pub(super) struct OfKind<'a, 't> {
    pub(super) kind: Arc<Kind>,
    pub(super) rules: Vec<Tried<'a, 't>>,
    /// What some of them ask for first.
    pub(super) premises: Vec<Asked<'t>>,
    /// The facts among the fields of the kind that are known before anything is made, by the index of the field.
    pub(super) facts: Vec<Option<&'static dyn Fact>>,
}

/// What rules ask for first.
pub(super) struct Asked<'t> {
    pub(super) premise: Premise<Term<'t>>,
    /// The rules that are silent where it fails, by their places.
    pub(super) by: Vec<usize>,
}

/// A rule to be tried.
pub(super) struct Tried<'a, 't> {
    pub(super) rule: &'a Rule<'t>,
    pub(super) body: &'a Body<'t>,
    /// Its premises, by their places among those of the kind.
    pub(super) when: Vec<usize>,
    /// What follows them, once they held for a noun.
    lines: OnceCell<Lines<'t>>,
}

/// The lines of a rule behind its premises, for the nouns of one kind.
pub(super) struct Lines<'t> {
    /// In the order written.
    pub(super) steps: Vec<Step<'t>>,
    /// What must hold.
    pub(super) require: Term<'t>,
    /// All that the steps name.
    pub(super) names: Vec<&'t str>,
}

/// What stands above `require`.
pub(super) enum Step<'t> {
    /// The rule is silent where this does not hold.
    When(Term<'t>),
    /// A name for what follows.
    Let(Term<'t>),
    /// What follows is tried once a round, which names so many values; where the items stand.
    For(usize, Term<'t>, Span),
}

impl<'a, 't> Kinds<'a, 't> {
    pub(super) fn new(rules: &'a [Rule<'t>]) -> Self {
        Self { rules, known: Vec::new() }
    }

    pub(super) fn rules_on(
        &mut self,
        evaluation: &Evaluation<'t, '_>,
        at: usize,
    ) -> Option<Rc<OfKind<'a, 't>>> {
        let kind = &evaluation.nouns.get(at)?.kind;
        let known = self.known.iter().find(|known| Arc::ptr_eq(&known.kind, kind));
        Some(known.cloned().unwrap_or_else(|| {
            let of_kind = Rc::new(OfKind::new(self.rules, kind.clone(), evaluation));
            self.known.push(of_kind.clone());
            of_kind
        }))
    }
}

impl<'a, 't> OfKind<'a, 't> {
    fn new(rules: &'a [Rule<'t>], kind: Arc<Kind>, evaluation: &Evaluation<'t, '_>) -> Self {
        let fact = |(name, field): (&Arc<str>, &Field)| {
            let now = field.derived && !matches!(field.ty.bare(), Type::Deferred(_));
            fact_of(&kind.name, kind.platform.as_deref(), name).filter(|_| now)
        };
        let facts = kind.fields.0.iter().map(fact).collect();
        let mut of_kind =
            Self { kind: kind.clone(), rules: Vec::new(), premises: Vec::new(), facts };
        for rule in rules.iter().filter(|rule| rule.speaks_of(&kind)) {
            let Ok(body) = rule.body() else { continue };
            let mut reader = Reader::new(evaluation, &kind, rule.unit);
            let premise = |it: &Premise<&'t Expr>| match it {
                Premise::Holds(expr) => Premise::Holds(reader.term(expr)),
                Premise::Any(expr) => Premise::Any(reader.term(expr)),
            };
            let premises: Vec<_> = body.premises.iter().map(premise).collect();
            let at = of_kind.rules.len();
            let when = premises.into_iter().map(|it| of_kind.premise(it, at)).collect();
            of_kind.rules.push(Tried { rule, body, when, lines: OnceCell::new() });
        }
        of_kind
    }

    /// The place of a premise of a rule, which another one may have brought.
    fn premise(&mut self, premise: Premise<Term<'t>>, rule: usize) -> usize {
        let known = self.premises.iter().position(|known| known.premise == premise);
        let at = known.unwrap_or(self.premises.len());
        match self.premises.get_mut(at) {
            Some(known) => known.by.push(rule),
            None => self.premises.push(Asked { premise, by: vec![rule] }),
        }
        at
    }
}

impl<'t> Tried<'_, 't> {
    /// Its lines behind the premises.
    pub(super) fn lines(
        &self,
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> &Lines<'t> {
        self.lines.get_or_init(|| {
            let mut reader = Reader::new(evaluation, &of_kind.kind, self.rule.unit);
            let step = |guard: &Guard<'t>| match guard {
                Guard::When(condition) => Step::When(reader.term(condition)),
                Guard::Let(name, value) => {
                    let value = reader.term(value);
                    reader.name(std::slice::from_ref(*name));
                    Step::Let(value)
                }
                Guard::For(names, items) => {
                    let at = items.span;
                    let items = Premise::Any(reader.term(items));
                    // what there is to go through was looked at already, where that is a premise
                    let is_it = |at: &usize| {
                        of_kind.premises.get(*at).is_some_and(|it| it.premise == items)
                    };
                    let asked = self.when.iter().copied().find(is_it);
                    let (Premise::Any(items) | Premise::Holds(items)) = items;
                    let names = reader.name(names);
                    Step::For(names, asked.map_or(items, Term::Premise), at)
                }
            };
            let steps = self.body.guards.iter().map(step).collect();
            let require = reader.term(self.body.require);
            Lines { steps, require, names: reader.names }
        })
    }
}
