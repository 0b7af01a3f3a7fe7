//! The noun that rules are tried on.

use super::compile::Premise;
use super::of_kind::{Lines, Looked, OfKind, Tried};
use super::term::Term;
use crate::eval::{Evaluation, FrameId, NounScopes, has_rounds, rounds_of};
use crate::program::UnitId;
use slipform_model::{NounId, Value};

/// A noun, what is known of it so far, and what the rule that is tried has named.
pub(super) struct Subject<'k, 't> {
    pub(super) id: NounId,
    /// The rules of its kind.
    pub(super) kind: &'k OfKind<'k, 't>,
    /// Its fields and facts as far as they were asked for, by their index in the kind.
    fields: Known,
    /// Which fields it writes, by their index in the kind; of none it is known that it does not, where it is not whole.
    written: Vec<bool>,
    /// What is known of the premises of its kind.
    premises: Vec<Truth>,
    /// Of those that were asked of this noun or the one before: not of those that all nouns answer alike which leave a field out, for
    /// which the field was not looked at.
    asked: Vec<Truth>,
    /// Which rules have nothing to say of it, as far as they were tried, by their places.
    silent: Vec<bool>,
    /// What is known of the noun before it.
    before: Option<Before>,
    /// Which parts are as they were there, by their places.
    same: Vec<Truth>,
    /// What there is to go through of those that hold.
    items: Known,
    /// What the rule has named so far, in the order of its lines.
    pub(super) named: Vec<Value>,
    scopes: NounScopes,
    /// The noun once more, of which nothing is known but what it was asked itself.
    alone: Option<Box<Self>>,
}

/// What is known of a noun once all rules were tried on it: what only depends on parts that the next one has, too, is so for that.
pub(super) struct Before {
    fields: Known,
    /// Every field that an answer came from is known.
    asked: Vec<Truth>,
    silent: Vec<bool>,
}

/// What is known of a premise, or of whether a part is the same.
#[derive(Clone, Copy)]
enum Truth {
    /// Nobody asked yet.
    Open,
    Holds,
    Fails,
}

/// Values by their index, of which most are never asked for.
struct Known {
    /// Where each of them is, counted from 1; 0 for what is not known.
    places: Vec<u16>,
    values: Vec<Value>,
}

impl Known {
    /// Of so many, none.
    fn of(count: usize) -> Self {
        Self { places: vec![0; count], values: Vec::new() }
    }

    fn get(&self, at: usize) -> Option<&Value> {
        let place = usize::from(*self.places.get(at)?);
        self.values.get(place.checked_sub(1)?)
    }

    fn set(&mut self, at: usize, value: Value) {
        if self.places.len() <= at {
            self.places.resize(at + 1, 0);
        }
        if let (Some(place), Ok(next)) =
            (self.places.get_mut(at), u16::try_from(self.values.len() + 1))
        {
            *place = next;
            self.values.push(value);
        }
    }
}

impl<'k, 't> Subject<'k, 't> {
    pub(super) fn new(
        id: NounId,
        kind: &'k OfKind<'k, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Self {
        let premises = kind.premises.borrow().all.len();
        Self {
            id,
            kind,
            fields: Known::of(kind.facts.len()),
            written: evaluation.written(id),
            premises: vec![Truth::Open; premises],
            asked: vec![Truth::Open; premises],
            silent: vec![false; kind.rules.len()],
            before: kind.before.take(),
            same: Vec::new(),
            items: Known::of(premises),
            named: Vec::new(),
            scopes: NounScopes::of(id, evaluation),
            alone: None,
        }
    }

    /// A field or a fact, by its index in the kind.
    pub(super) fn field(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> Value {
        self.learn(at, evaluation);
        self.known(at).map_or(Value::Unknown, Value::clone)
    }

    /// Asks for a field or a fact, by its index in the kind.
    pub(super) fn learn(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) {
        if self.fields.get(at).is_none() {
            let value = match self.kind.facts.get(at).copied().flatten() {
                Some(fact) => evaluation.fact(self.id, at, fact),
                None => evaluation.field_or_fact(self.id, at),
            };
            self.fields.set(at, value);
        }
    }

    /// A field or a fact that was asked for.
    pub(super) fn known(&self, at: usize) -> Option<&Value> {
        self.fields.get(at)
    }

    /// Whether a premise, by its place, is known not to hold.
    pub(super) fn is_out(&self, premise: u32) -> bool {
        matches!(self.premises.get(premise as usize), Some(Truth::Fails))
    }

    /// The rule at a place of its kind, where all of its premises hold.
    pub(super) fn speaks(
        &mut self,
        rule: usize,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Option<&'k Tried<'k, 't>> {
        let kind = self.kind;
        if !kind.opening.by(rule)?.all(|premise| self.holds(premise, evaluation)) {
            return None;
        }
        let tried = kind.rules.get(rule)?;
        let mut behind = tried.premises(kind, evaluation)?.iter();
        behind.all(|premise| self.holds(*premise, evaluation)).then_some(tried)
    }

    /// Whether a premise holds.
    fn holds(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        match self.premises.get(at) {
            Some(Truth::Holds) => true,
            // a rule that was read for this noun may have brought one
            Some(Truth::Open) | None => self.ask(at, evaluation),
            Some(Truth::Fails) => false,
        }
    }

    /// Finds out whether a premise holds.
    fn ask(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        let premises = self.kind.premises.borrow();
        let Some(known) = premises.all.get(at) else { return false };
        let is_shared = known.is_shared(&self.written);
        let shared = known.shared().filter(|_| is_shared);
        let answer = shared.or_else(|| self.as_before(at, known, &premises.all, evaluation));
        let holds = match (answer, &known.premise) {
            (Some(false), _) => false,
            (Some(true), Premise::Holds(_) | Premise::Round(_)) => true,
            // there is something to go through
            (Some(true), Premise::Any(_)) | (None, _) => {
                self.try_premise(at, &known.premise, evaluation)
            }
        };
        debug_assert!(
            answer.is_none_or(|it| it
                == self.alone(evaluation, |alone, evaluation| {
                    alone.try_premise(at, &known.premise, evaluation)
                })),
            "an answer that nouns share is that of each: {:?}",
            known.premise
        );
        if is_shared {
            known.share(holds);
        }
        let truth = if holds { Truth::Holds } else { Truth::Fails };
        keep(&mut self.premises, at, truth);
        if shared.is_none() {
            keep(&mut self.asked, at, truth);
        }
        holds
    }

    /// The answer of a premise for the noun before, where it depends on nothing that is otherwise here.
    fn as_before(
        &mut self,
        at: usize,
        known: &Looked<'t>,
        all: &[Looked<'t>],
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Option<bool> {
        let holds = match self.before.as_ref()?.asked.get(at)? {
            Truth::Open => return None,
            Truth::Holds => true,
            Truth::Fails => false,
        };
        let reads = known.reads(self.kind, all)?;
        self.is_as_before(reads, evaluation).then_some(holds)
    }

    /// Whether the rule at a place has nothing to say of it since it had nothing to say of the noun before.
    pub(super) fn is_silent_as_before(
        &mut self,
        rule: usize,
        lines: &Lines<'t>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> bool {
        let was = self.before.as_ref().and_then(|before| before.silent.get(rule));
        let is = was == Some(&true)
            && lines.reads(self.kind).is_some_and(|reads| self.is_as_before(reads, evaluation));
        if is {
            self.is_silent(rule);
        }
        is
    }

    /// Keeps that the rule at a place has nothing to say, nor to report.
    pub(super) fn is_silent(&mut self, rule: usize) {
        if let Some(silent) = self.silent.get_mut(rule) {
            *silent = true;
        }
    }

    /// Whether the noun before had the same in all of these parts.
    fn is_as_before(&mut self, parts: &[usize], evaluation: &mut Evaluation<'t, '_>) -> bool {
        parts.iter().all(|part| match self.same.get(*part) {
            Some(Truth::Holds) => true,
            Some(Truth::Fails) => false,
            Some(Truth::Open) | None => self.compare(*part, evaluation),
        })
    }

    /// Finds out whether the noun before had the same in a part.
    fn compare(&mut self, part: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        let paths = self.kind.paths.borrow();
        let (Some(path), Some(before)) = (paths.all.get(part), self.before.take()) else {
            return false;
        };
        // What nobody asked of it, no answer depends on.
        let is_same = before.fields.get(path.field).is_none_or(|was| {
            self.learn(path.field, evaluation);
            self.known(path.field).is_some_and(|is| path.is_same(was, is))
        });
        self.before = Some(before);
        keep(&mut self.same, part, if is_same { Truth::Holds } else { Truth::Fails });
        is_same
    }

    /// What is found out of the noun without what others share with it: debug builds hold shared answers against it.
    pub(super) fn alone<T>(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        find: impl FnOnce(&mut Self, &mut Evaluation<'t, '_>) -> T,
    ) -> T {
        let mut alone = self.alone.take().unwrap_or_else(|| {
            Self {
                id: self.id,
                kind: self.kind,
                fields: Known::of(self.kind.facts.len()),
                written: Vec::new(),
                premises: Vec::new(),
                asked: Vec::new(),
                silent: Vec::new(),
                before: None,
                same: Vec::new(),
                items: Known::of(self.premises.len()),
                named: Vec::new(),
                scopes: NounScopes::of(self.id, evaluation),
                alone: None,
            }
            .into()
        });
        let found = find(&mut alone, evaluation);
        self.alone = Some(alone);
        found
    }

    /// Tries a premise, and keeps what there is to go through.
    fn try_premise(
        &mut self,
        at: usize,
        premise: &Premise<'t, Term<'t>>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> bool {
        match premise {
            Premise::Holds(term) => term.holds(self, evaluation) == Some(true),
            Premise::Any(term) => {
                let items = term.value(self, evaluation);
                let holds = has_rounds(&items);
                if holds {
                    self.items.set(at, items);
                }
                holds
            }
            Premise::Round(round) => {
                let items = round.items.value(self, evaluation);
                rounds_of(&items).any(|named| {
                    self.name(named, round.names.len());
                    let mut all = round.conditions.iter();
                    let holds = all.all(|it| it.holds(self, evaluation) == Some(true));
                    self.named.clear();
                    holds
                })
            }
        }
    }

    /// What there is to go through by a premise that holds.
    pub(super) fn items(&self, premise: usize) -> Value {
        self.known_items(premise).cloned().unwrap_or(Value::Unknown)
    }

    pub(super) fn known_items(&self, premise: usize) -> Option<&Value> {
        self.items.get(premise)
    }

    /// Names the values of a round: the last ones, where fewer are named than there are.
    pub(super) fn name(&mut self, (key, value): (Value, Value), names: usize) {
        self.named.extend((names > 1).then_some(key));
        self.named.extend((names > 0).then_some(value));
    }

    /// A scope in a file, in which what the rule has named so far has these names, and those of the noun stand behind it.
    pub(super) fn scope(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        unit: UnitId,
        names: &[&'t str],
    ) -> Option<FrameId> {
        let outer = self.scopes.of_unit(evaluation, unit)?;
        Some(evaluation.scope(outer, names.iter().copied().zip(self.named.iter().cloned())))
    }

    /// Forgets what was only of use while rules were tried on it.
    pub(super) fn leave(self, evaluation: &mut Evaluation<'t, '_>) {
        self.scopes.leave(evaluation);
        evaluation.forget(self.id);
        let Self { kind, fields, asked, silent, .. } = self;
        kind.before.replace(Some(Before { fields, asked, silent }));
    }
}

/// Keeps what was found out at a place.
fn keep(known: &mut Vec<Truth>, at: usize, truth: Truth) {
    if known.len() <= at {
        known.resize(at + 1, Truth::Open);
    }
    if let Some(known) = known.get_mut(at) {
        *known = truth;
    }
}
