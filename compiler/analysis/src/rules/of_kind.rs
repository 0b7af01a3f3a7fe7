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
use std::collections::BTreeMap;
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
    pub(super) premises: Vec<Premise<Term<'t>>>,
    /// What each of them asks for first.
    pub(super) asked: Asked,
    /// The facts among the fields of the kind that are known before anything is made, by the index of the field.
    pub(super) facts: Vec<Option<&'static dyn Fact>>,
}

/// The premises of each rule, by their places. They are looked at for every noun, and lie behind each other.
#[derive(Default)]
pub(super) struct Asked {
    premises: Vec<u32>,
    /// Where those of each rule are among them.
    of_rules: Vec<(u32, u32)>,
}

impl Asked {
    /// The premises of the next rule.
    fn push(&mut self, premises: impl Iterator<Item = usize>) {
        let start = self.premises.len() as u32;
        self.premises.extend(premises.map(|at| at as u32));
        self.of_rules.push((start, self.premises.len() as u32));
    }

    /// The premises of the rule at a place, where there is one.
    pub(super) fn by(&self, rule: usize) -> Option<impl Iterator<Item = usize>> {
        let (start, end) = *self.of_rules.get(rule)?;
        let premises = self.premises.get(start as usize..end as usize)?;
        Some(premises.iter().map(|at| *at as usize))
    }
}

/// A rule to be tried.
pub(super) struct Tried<'a, 't> {
    pub(super) rule: &'a Rule<'t>,
    pub(super) body: &'a Body<'t>,
    /// Its place among those of the kind.
    at: usize,
    /// What follows its premises, once they held for a noun.
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
        let (mut tried, mut asked) = (Vec::new(), Asked::default());
        let mut premises = Premises::default();
        for rule in rules.iter().filter(|rule| rule.speaks_of(&kind)) {
            let Ok(body) = rule.body() else { continue };
            let mut reader = Reader::new(evaluation, &kind, rule.unit);
            let mut premise = |it: &Premise<&'t Expr>| match it {
                Premise::Holds(expr) => Premise::Holds(reader.term(expr)),
                Premise::Any(expr) => Premise::Any(reader.term(expr)),
            };
            asked.push(body.premises.iter().map(|it| premises.place_of(premise(it))));
            tried.push(Tried { rule, body, at: tried.len(), lines: OnceCell::new() });
        }
        Self { kind, rules: tried, premises: premises.all, asked, facts }
    }
}

/// Premises, each once.
#[derive(Default)]
struct Premises<'t> {
    all: Vec<Premise<Term<'t>>>,
    /// Their places by the field that they begin with: equal ones begin with the same.
    by_field: BTreeMap<Option<usize>, Vec<usize>>,
}

impl<'t> Premises<'t> {
    /// The place of a premise of a rule, which another one may have brought.
    fn place_of(&mut self, premise: Premise<Term<'t>>) -> usize {
        let (Premise::Holds(term) | Premise::Any(term)) = &premise;
        let alike = self.by_field.entry(term.first_field()).or_default();
        let known = alike.iter().copied().find(|at| self.all.get(*at) == Some(&premise));
        known.unwrap_or_else(|| {
            alike.push(self.all.len());
            self.all.push(premise);
            self.all.len() - 1
        })
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
                    let is_it = |at: &usize| of_kind.premises.get(*at) == Some(&items);
                    let asked = of_kind.asked.by(self.at).and_then(|mut it| it.find(is_it));
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
