//! The noun that rules are tried on.

use super::compile::Premise;
use super::of_kind::{OfKind, Tried};
use super::term::Term;
use crate::eval::{Evaluation, FrameId, NounScopes, has_rounds};
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
    /// What there is to go through of those that hold.
    items: Known,
    /// What the rule has named so far, in the order of its lines.
    pub(super) named: Vec<Value>,
    scopes: NounScopes,
}

/// What is known of a premise.
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
            items: Known::of(premises),
            named: Vec::new(),
            scopes: NounScopes::of(id, evaluation),
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
        let holds = match known.shared().filter(|_| is_shared) {
            Some(false) => false,
            _ => self.try_premise(at, &known.premise, evaluation),
        };
        if is_shared {
            known.share(holds);
        }
        if self.premises.len() <= at {
            self.premises.resize(at + 1, Truth::Open);
        }
        if let Some(known) = self.premises.get_mut(at) {
            *known = if holds { Truth::Holds } else { Truth::Fails };
        }
        holds
    }

    /// Tries a premise, and keeps what there is to go through.
    fn try_premise(
        &mut self,
        at: usize,
        premise: &Premise<Term<'t>>,
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
    }
}
