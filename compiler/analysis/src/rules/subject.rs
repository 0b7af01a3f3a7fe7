//! The noun that rules are tried on.

use super::compile::Premise;
use super::of_kind::{Asked, OfKind, Tried};
use crate::eval::{Evaluation, FrameId, NounScopes, has_rounds};
use crate::program::UnitId;
use slipform_model::{NounId, Value};

/// A noun, what is known of it so far, and what the rule that is tried has named.
pub(super) struct Subject<'k, 't> {
    pub(super) id: NounId,
    /// The rules of its kind.
    pub(super) kind: &'k OfKind<'k, 't>,
    /// Its fields and facts as far as they were asked for, by their index in the kind.
    fields: Vec<Option<Value>>,
    /// What the premises of its kind came to, as far as they were asked for and hold.
    premises: Vec<Option<Value>>,
    /// Which rules are silent, by their places: one of their premises failed.
    silent: Vec<bool>,
    /// What the rule has named so far, in the order of its lines.
    pub(super) named: Vec<Value>,
    scopes: NounScopes,
}

impl<'k, 't> Subject<'k, 't> {
    pub(super) fn new(
        id: NounId,
        kind: &'k OfKind<'k, 't>,
        evaluation: &Evaluation<'t, '_>,
    ) -> Self {
        Self {
            id,
            kind,
            fields: kind.facts.iter().map(|_| None).collect(),
            premises: kind.premises.iter().map(|_| None).collect(),
            silent: vec![false; kind.rules.len()],
            named: Vec::new(),
            scopes: NounScopes::of(id, evaluation),
        }
    }

    /// A field or a fact, by its index in the kind.
    pub(super) fn field(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> Value {
        let Some(known) = self.fields.get_mut(at) else { return Value::Unknown };
        let fact = self.kind.facts.get(at).copied().flatten();
        let value = || match fact {
            Some(fact) => evaluation.fact(self.id, at, fact),
            None => evaluation.field_or_fact(self.id, at),
        };
        known.get_or_insert_with(value).clone()
    }

    /// The rule at a place of its kind, where none of its premises fails.
    pub(super) fn speaks(
        &mut self,
        rule: usize,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Option<&'k Tried<'k, 't>> {
        if self.silent.get(rule).is_none_or(|silent| *silent) {
            return None;
        }
        let tried = self.kind.rules.get(rule)?;
        tried.when.iter().all(|premise| self.holds(*premise, evaluation)).then_some(tried)
    }

    /// Whether a premise holds.
    fn holds(&mut self, at: usize, evaluation: &mut Evaluation<'t, '_>) -> bool {
        if let Some(Some(_)) = self.premises.get(at) {
            return true;
        }
        let Some(Asked { premise, by }) = self.kind.premises.get(at) else { return false };
        let (Premise::Holds(term) | Premise::Any(term)) = premise;
        let value = term.value(self, evaluation);
        let holds = match premise {
            Premise::Holds(_) => matches!(value, Value::Bool(true)),
            Premise::Any(_) => has_rounds(&value),
        };
        if !holds {
            for rule in by {
                if let Some(silent) = self.silent.get_mut(*rule) {
                    *silent = true;
                }
            }
        } else if let Some(known) = self.premises.get_mut(at) {
            *known = Some(value);
        }
        holds
    }

    /// What a premise came to that holds.
    pub(super) fn premise(&self, at: usize) -> Value {
        self.premises.get(at).cloned().flatten().unwrap_or(Value::Unknown)
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
