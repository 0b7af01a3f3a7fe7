//! The noun that rules are tried on.

use super::before::{Answer, Answers, Before, Silence};
use super::compile::Premise;
use super::of_kind::{Looked, OfKind, Tried};
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
    pub(super) written: Vec<bool>,
    /// What came of the premises and rules of its kind so far.
    pub(super) answers: Answers,
    /// What there is to go through of those that hold.
    items: Known,
    /// What the rule has named so far, in the order of its lines.
    pub(super) named: Vec<Value>,
    scopes: NounScopes,
    /// The noun once more, of which nothing is known but what it was asked itself.
    alone: Option<Box<Self>>,
}

/// Values by their index, of which most are never asked for.
pub(super) struct Known {
    /// Where each of them is, counted from 1; 0 for what is not known.
    places: Vec<u16>,
    values: Vec<Value>,
}

impl Known {
    /// Of so many, none.
    fn of(count: usize) -> Self {
        Self { places: vec![0; count], values: Vec::new() }
    }

    pub(super) fn get(&self, at: usize) -> Option<&Value> {
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
    /// A noun, with what came of the rules for the one before it where the two are alike.
    pub(super) fn new(
        id: NounId,
        kind: &'k OfKind<'k, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Self {
        let written = evaluation.written(id);
        let mut subject = Self { written, ..Self::unknown(id, kind, evaluation) };
        if let Some(before) = kind.before.take() {
            subject.answers = before.carried(&mut subject, evaluation);
        }
        subject
    }

    /// A noun of which nothing is known.
    fn unknown(id: NounId, kind: &'k OfKind<'k, 't>, evaluation: &Evaluation<'t, '_>) -> Self {
        Self {
            id,
            kind,
            fields: Known::of(kind.facts.len()),
            written: Vec::new(),
            answers: Answers::default(),
            items: Known::of(0),
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

    /// The rule at a place of its kind, where all of its premises hold.
    pub(super) fn speaks(
        &mut self,
        rule: usize,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Option<&'k Tried<'k, 't>> {
        let (kind, mut place) = (self.kind, 0);
        let mut holds =
            |subject: &mut Self, premise: usize, evaluation: &mut Evaluation<'t, '_>| {
                let holds = subject.holds(premise, evaluation);
                if !holds {
                    subject.answers.keep_silent(rule, Silence::Out(place));
                }
                place += 1;
                holds
            };
        let tried = kind.rules.get(rule)?;
        let mut turn = 0;
        while let Some(premise) = tried.first(turn, kind, evaluation) {
            if premise.is_some_and(|premise| !holds(self, premise, evaluation)) {
                return None;
            }
            turn += 1;
        }
        let mut behind = tried.premises(kind, evaluation)?.iter();
        behind.all(|premise| holds(self, *premise, evaluation)).then_some(tried)
    }

    /// Whether a premise holds.
    fn holds(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        match self.answers.of_premise(at) {
            Answer::Asked(holds) | Answer::Shared(holds) => {
                if holds {
                    self.find_items(at, evaluation);
                }
                holds
            }
            Answer::Open => self.ask(at, evaluation),
        }
    }

    /// Finds out what there is to go through by a premise that holds as it did for the noun before.
    fn find_items(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) {
        let premises = self.kind.premises.borrow();
        if let Some(Looked { premise: premise @ Premise::Any(_), .. }) = premises.all.get(at)
            && self.items.get(at).is_none()
        {
            self.try_premise(at, premise, evaluation);
        }
    }

    /// Finds out whether a premise holds.
    fn ask(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        let premises = self.kind.premises.borrow();
        let Some(known) = premises.all.get(at) else { return false };
        let is_shared = known.is_shared(&self.written);
        let shared = known.shared().filter(|_| is_shared);
        let holds = match (shared, &known.premise) {
            (Some(false), _) => false,
            (Some(true), Premise::Holds(_) | Premise::Fails(_) | Premise::Round(_)) => true,
            // there is something to go through
            (Some(true), Premise::Any(_)) | (None, _) => {
                self.try_premise(at, &known.premise, evaluation)
            }
        };
        debug_assert!(
            shared.is_none_or(|it| it
                == self.alone(evaluation, |alone, evaluation| {
                    alone.try_premise(at, &known.premise, evaluation)
                })),
            "an answer that nouns share is that of each: {:?}",
            known.premise
        );
        if is_shared {
            known.share(holds);
        }
        let answer = if shared.is_some() { Answer::Shared(holds) } else { Answer::Asked(holds) };
        self.answers.answer(at, answer);
        holds
    }

    /// What is found out of the noun without what others share with it: debug builds hold shared answers against it.
    pub(super) fn alone<T>(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        find: impl FnOnce(&mut Self, &mut Evaluation<'t, '_>) -> T,
    ) -> T {
        let alone = self.alone.take();
        let mut alone =
            alone.unwrap_or_else(|| Self::unknown(self.id, self.kind, evaluation).into());
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
            Premise::Fails(term) => term.holds(self, evaluation) == Some(false),
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
        let Self { kind, fields, written, answers, .. } = self;
        kind.before.replace(Some(Before { fields, written, answers }));
    }
}
