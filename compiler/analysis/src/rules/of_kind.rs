//! The rules of a kind, and the premises that they begin with: these are few, so that for most of a noun's rules nothing
//! has to be evaluated to know that they are silent.

use super::asked::{First, Places, Stored};
use super::before::{Before, Watches};
use super::compile::{Body, Guard, Premise};
use super::library::StoredOpening;
use super::reads::{Paths, Reading, Reads};
use super::term::{Reader, Term};
use super::{Rule, Rules};
use crate::eval::Evaluation;
use crate::schema::Kind;
use crate::types::{Field, Type};
use slipform_model::plan::{Fact, fact_of};
use slipform_source::Span;
use slipform_syntax::tree::{Expr, Round};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The rules of each kind that was met: there are few kinds and many nouns.
pub(super) struct Kinds<'a, 't> {
    rules: &'a Rules<'t>,
    known: Vec<Rc<OfKind<'a, 't>>>,
}

/// The rules that speak of one kind.
pub(super) struct OfKind<'a, 't> {
    pub(super) kind: Arc<Kind>,
    pub(super) rules: Vec<Tried<'a, 't>>,
    /// What some of them ask for first, as far as they were read.
    pub(super) premises: RefCell<Premises<'t>>,
    /// Where those are that the library stores, as far as they were read.
    stored: RefCell<Places>,
    /// The facts among the fields of the kind that are known before anything is made, by the index of the field.
    pub(super) facts: Vec<Option<&'static dyn Fact>>,
    /// The parts of its nouns that answers depend on.
    pub(super) paths: RefCell<Paths>,
    /// What is known of the noun that the rules were tried on last.
    pub(super) before: RefCell<Option<Before>>,
    /// What is asked again where the next noun is not as that one.
    pub(super) watches: RefCell<Watches>,
}

/// A rule to be tried.
pub(super) struct Tried<'a, 't> {
    pub(super) rule: Rule<'a, 't>,
    opening: Asked,
    /// What follows its opening, once that held for a noun; none where its lines come to nothing. Apart, since most are never read.
    opened: OnceCell<Option<Box<Opened<'t>>>>,
}

/// What a rule asks first of all: many ask the same, and most of what they ask behind that is never asked.
enum Asked {
    Stored(&'static StoredOpening),
    /// The places of the premises.
    Written(Box<[usize]>),
}

/// What follows the opening of a rule.
struct Opened<'t> {
    /// The premises behind it.
    premises: Box<[usize]>,
    /// What follows these, once they held for a noun.
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
    /// What it depends on that the rule is silent, once that was asked.
    reads: OnceCell<Reads>,
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
    pub(super) fn new(rules: &'a Rules<'t>) -> Self {
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
    fn new(rules: &'a Rules<'t>, kind: Arc<Kind>, evaluation: &Evaluation<'t, '_>) -> Self {
        let fact = |(name, field): (&Arc<str>, &Field)| {
            let now = field.derived && !matches!(field.ty.bare(), Type::Deferred(_));
            now.then(|| fact_of(&kind.name, kind.platform.as_deref(), name))?
        };
        let facts = kind.fields.0.iter().map(fact).collect();
        let mut premises = Premises::default();
        let mut tried = |rule: Rule<'a, 't>| {
            let opening = match rule.opening() {
                First::Stored(stored) => Asked::Stored(stored),
                First::Written(written) => {
                    let mut reader = Reader::new(evaluation, &kind, rule.unit());
                    let read =
                        |it: Premise<'t, _>| premises.place_of_quiet(it.read(&mut reader), &kind);
                    Asked::Written(written.into_iter().filter_map(read).collect())
                }
            };
            Tried { rule, opening, opened: OnceCell::new() }
        };
        let tried = rules.speaking_of(&kind).map(&mut tried).collect();
        Self {
            kind,
            rules: tried,
            premises: premises.into(),
            stored: Places::new().into(),
            facts,
            paths: RefCell::default(),
            before: RefCell::default(),
            watches: RefCell::default(),
        }
    }
}

impl<'t> OfKind<'_, 't> {
    /// The place of a premise that the library stores; none where it is nothing to be asked first.
    fn place_of(
        &self,
        stored: Stored,
        rule: Rule<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Option<usize> {
        let known = self.stored.borrow().get(stored);
        known.unwrap_or_else(|| {
            let premise = stored.read().and_then(|premise| {
                let mut reader = Reader::new(evaluation, &self.kind, rule.unit());
                let premise = premise.read(&mut reader);
                self.premises.borrow_mut().place_of_quiet(premise, &self.kind)
            });
            self.stored.borrow_mut().set(stored, premise);
            premise
        })
    }
}

impl<'t> Premise<'t, &'t Expr> {
    /// It for the nouns of one kind.
    fn read(&self, reader: &mut Reader<'_, 't, '_>) -> Premise<'t, Term<'t>> {
        match self {
            Self::Holds(expr) => Premise::Holds(reader.term(expr)),
            Self::Fails(expr) => Premise::Fails(reader.term(expr)),
            Self::Any(expr) => Premise::Any(reader.term(expr)),
            Self::Round(round) => {
                let Round { names, items, conditions } = &**round;
                let items = reader.term(items);
                let named = reader.name(names);
                // What has something to report is asked where the rule is tried, once.
                let conditions = conditions.iter().map(|it| reader.term(it));
                let conditions: Vec<_> = conditions.take_while(Term::is_quiet).collect();
                reader.forget(named);
                if conditions.is_empty() {
                    return Premise::Any(items);
                }
                Premise::Round(Round { names: *names, items, conditions }.into())
            }
        }
    }
}

impl<'t> Premise<'t, Term<'t>> {
    /// What is asked first.
    fn first(&self) -> &Term<'t> {
        match self {
            Self::Holds(term) | Self::Fails(term) | Self::Any(term) => term,
            Self::Round(round) => &round.items,
        }
    }

    fn into_first(self) -> Term<'t> {
        match self {
            Self::Holds(term) | Self::Fails(term) | Self::Any(term) => term,
            Self::Round(round) => round.items,
        }
    }
}

/// Premises, each once.
#[derive(Default)]
pub(super) struct Premises<'t> {
    pub(super) all: Vec<Looked<'t>>,
    /// Their places by the field that they begin with: equal ones begin with the same.
    by_field: BTreeMap<Option<usize>, Vec<usize>>,
}

/// A premise, and what is known of it for every noun that writes none of the fields that it asks for.
pub(super) struct Looked<'t> {
    pub(super) premise: Premise<'t, Term<'t>>,
    /// These fields, by their index in the kind; `None` where it asks for more of a noun.
    fields: Option<Box<[usize]>>,
    /// Whether it holds then, once that was seen.
    unwritten: Cell<Option<bool>>,
    /// What its answer depends on, once that was asked.
    reads: OnceCell<Reads>,
}

impl<'t> Looked<'t> {
    fn new(premise: Premise<'t, Term<'t>>, kind: &Kind) -> Self {
        let mut fields = Vec::new();
        let declared = |at: &usize| kind.fields.0.get_index(*at).is_some_and(|it| !it.1.derived);
        let of_fields = match &premise {
            Premise::Holds(term) | Premise::Fails(term) | Premise::Any(term) => {
                term.depends(&mut fields)
            }
            Premise::Round(_) => false,
        };
        let fields = (of_fields && fields.iter().all(declared)).then(|| fields.into());
        Self { premise, fields, unwritten: Cell::new(None), reads: OnceCell::new() }
    }

    /// What its answer depends on.
    pub(super) fn reads(&self, kind: &OfKind<'_, 't>, all: &[Self]) -> Option<&[usize]> {
        let is_quiet = || match &self.premise {
            Premise::Holds(term) | Premise::Fails(term) | Premise::Any(term) => term.is_quiet(),
            Premise::Round(round) => round.items.is_quiet(),
        };
        let read = || {
            let mut paths = kind.paths.borrow_mut();
            is_quiet().then(|| Reading::new(&mut paths, all).of_premise(&self.premise))?
        };
        self.reads.get_or_init(read).as_deref()
    }

    /// Whether it has one answer for all nouns like this one, which writes these fields.
    pub(super) fn is_shared(&self, written: &[bool]) -> bool {
        let is_written = |at: &usize| written.get(*at).copied().unwrap_or(true);
        self.fields.as_ref().is_some_and(|fields| !fields.iter().any(is_written))
    }

    /// The answer that all nouns share which write none of its fields.
    pub(super) fn shared(&self) -> Option<bool> {
        self.unwritten.get()
    }

    /// Keeps that answer.
    pub(super) fn share(&self, holds: bool) {
        self.unwritten.set(Some(holds));
    }
}

impl<'t> Premises<'t> {
    /// The place of a premise of an opening. What a rule requires is asked first only where asking has nothing to report: else it is reported where the
    /// rule is tried, once.
    fn place_of_quiet(&mut self, premise: Premise<'t, Term<'t>>, kind: &Kind) -> Option<usize> {
        let reports = matches!(&premise, Premise::Fails(term) if !term.is_quiet());
        (!reports).then(|| self.place_of(premise, kind))
    }

    /// The place of a premise of a rule, which another one may have brought.
    fn place_of(&mut self, premise: Premise<'t, Term<'t>>, kind: &Kind) -> usize {
        let alike = self.by_field.entry(premise.first().first_field()).or_default();
        let is = |at: &usize| self.all.get(*at).is_some_and(|it| it.premise == premise);
        let known = alike.iter().copied().find(is);
        known.unwrap_or_else(|| {
            alike.push(self.all.len());
            self.all.push(Looked::new(premise, kind));
            self.all.len() - 1
        })
    }
}

impl<'t> Tried<'_, 't> {
    /// What follows its opening.
    fn opened(
        &self,
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Option<&Opened<'t>> {
        let open = || {
            let body = self.rule.body().ok()?;
            let mut reader = Reader::new(evaluation, &of_kind.kind, self.rule.unit());
            let mut known = of_kind.premises.borrow_mut();
            let place = |it: &Premise<'t, _>| known.place_of(it.read(&mut reader), &of_kind.kind);
            let premises = body.premises.iter().map(place);
            Some(Box::new(Opened { premises: premises.collect(), lines: OnceCell::new() }))
        };
        self.opened.get_or_init(open).as_deref()
    }

    /// Which premise it asks in its turn before all else: none behind the last one, and no place where that is nothing to be asked first.
    pub(super) fn first(
        &self,
        turn: usize,
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Option<Option<usize>> {
        match &self.opening {
            Asked::Stored(opening) => {
                let stored = Stored::of(opening, turn)?;
                Some(of_kind.place_of(stored, self.rule, evaluation))
            }
            Asked::Written(places) => places.get(turn).copied().map(Some),
        }
    }

    /// All of its premises that are known so far, in the order in which they are asked.
    pub(super) fn asked(&self, of_kind: &OfKind<'_, 't>) -> impl Iterator<Item = usize> {
        let opened = self.opened.get().and_then(Option::as_ref);
        let behind = opened.into_iter().flat_map(|it| it.premises.iter().copied());
        self.opening.known(of_kind).chain(behind)
    }

    /// What it depends on that it is silent where its premises hold, once that was so.
    pub(super) fn reads(&self, of_kind: &OfKind<'_, 't>) -> Option<&[usize]> {
        self.opened.get()?.as_ref()?.lines.get()?.reads(of_kind)
    }

    /// The premises behind its opening.
    pub(super) fn premises(
        &self,
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Option<&[usize]> {
        Some(&self.opened(of_kind, evaluation)?.premises)
    }

    /// What its lines come to, and those behind the premises.
    pub(super) fn lines(
        &self,
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Option<(&Body<'t>, &Lines<'t>)> {
        let (body, opened) = (self.rule.body().ok()?, self.opened(of_kind, evaluation)?);
        let read = || self.read(body, &opened.premises, of_kind, evaluation);
        Some((body, opened.lines.get_or_init(read)))
    }

    fn read(
        &self,
        body: &Body<'t>,
        premises: &[usize],
        of_kind: &OfKind<'_, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Lines<'t> {
        let mut reader = Reader::new(evaluation, &of_kind.kind, self.rule.unit());
        let known = of_kind.premises.borrow();
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
                let mut asked = self.opening.known(of_kind).chain(premises.iter().copied());
                let asked =
                    asked.find(|at| known.all.get(*at).is_some_and(|it| it.premise == items));
                let items = asked.map_or_else(|| items.into_first(), Term::Premise);
                let names = reader.name(names);
                Step::For(names, items, at)
            }
        };
        let steps = body.guards.iter().map(step).collect();
        let require = reader.term(body.require);
        Lines { steps, require, names: reader.names, reads: OnceCell::new() }
    }
}

impl Asked {
    /// The places of all that is known of it so far.
    fn known(&self, of_kind: &OfKind<'_, '_>) -> impl Iterator<Item = usize> {
        let (stored, written) = match self {
            Self::Stored(opening) => (Some(opening), None),
            Self::Written(places) => (None, Some(places)),
        };
        let stored = stored.into_iter().flat_map(|opening| {
            (0..)
                .map_while(|turn| Stored::of(opening, turn))
                .filter_map(|stored| of_kind.stored.borrow().get(stored).flatten())
        });
        stored.chain(written.into_iter().flat_map(|places| places.iter().copied()))
    }
}

impl<'t> Lines<'t> {
    /// What it depends on that the rule is silent.
    fn reads(&self, kind: &OfKind<'_, 't>) -> Option<&[usize]> {
        let read = || {
            let (mut paths, premises) = (kind.paths.borrow_mut(), kind.premises.borrow());
            Reading::new(&mut paths, &premises.all).of_lines(&self.steps, &self.require)
        };
        self.reads.get_or_init(read).as_deref()
    }
}
