//! Scopes: what names are bound to, and values that wait until they are asked for.

use super::{Bound, Evaluation, Frame, FrameId, State, Thing};
use crate::eval::fields::NAMES_CYCLE;
use crate::program::UnitId;
use slipform_model::{Diagnostic, Map, NounId, Placed, Record, Value};
use slipform_source::{FileId, Span};
use std::sync::Arc;

/// The scopes in which the fields, the facts and the parent of one noun are names, one in each file that speaks of it. All
/// are left at once.
pub(crate) struct NounScopes {
    noun: NounId,
    /// The number of scopes that were there before.
    below: FrameId,
    made: Vec<(UnitId, FrameId)>,
}

impl NounScopes {
    /// No scopes yet.
    pub(crate) fn of(noun: NounId, evaluation: &Evaluation<'_, '_>) -> Self {
        Self { noun, below: FrameId(evaluation.frames.len()), made: Vec::new() }
    }

    /// The scope in a file, in which no name may be set; those made inside of it are left before another file's is asked
    /// for.
    pub(crate) fn of_unit(
        &mut self,
        evaluation: &mut Evaluation<'_, '_>,
        unit: UnitId,
    ) -> Option<FrameId> {
        if let Some((_, made)) = self.made.iter().find(|(known, _)| *known == unit) {
            return Some(*made);
        }
        let outer = evaluation.file_frame(unit)?;
        let frame =
            Frame { outer: Some(outer), unit, names: Map::default(), noun: Some(self.noun) };
        evaluation.frames.push(frame);
        let made = FrameId(evaluation.frames.len() - 1);
        self.made.push((unit, made));
        Some(made)
    }

    /// Forgets them.
    pub(crate) fn leave(self, evaluation: &mut Evaluation<'_, '_>) {
        evaluation.leave(self.below);
    }
}

impl<'t> Evaluation<'t, '_> {
    /// A scope inside another, with these values.
    pub(crate) fn scope(
        &mut self,
        outer: FrameId,
        values: impl IntoIterator<Item = (&'t str, Value)>,
    ) -> FrameId {
        let names = values.into_iter().map(|(name, value)| (name, Bound::Value(value))).collect();
        let unit = self.frames.get(outer.0).map_or(UnitId(0), |frame| frame.unit);
        self.frames.push(Frame { outer: Some(outer), unit, names, noun: None });
        FrameId(self.frames.len() - 1)
    }

    /// Forgets a scope and those made after it.
    pub(crate) fn leave(&mut self, frame: FrameId) {
        self.frames.truncate(frame.0);
    }

    /// Sets a name of a scope.
    pub(crate) fn set(&mut self, frame: FrameId, name: &'t str, value: Value) {
        if let Some(frame) = self.frames.get_mut(frame.0) {
            frame.names.insert(name, Bound::Value(value));
        }
    }

    pub(super) fn own_name(&self, frame: FrameId, name: &str) -> Option<Bound> {
        self.frames.get(frame.0)?.names.get(name).cloned()
    }

    pub(super) fn lookup(&self, name: &str, frame: FrameId) -> Option<Bound> {
        let mut at = Some(frame);
        while let Some(frame) = at {
            let frame = self.frames.get(frame.0)?;
            if let Some(bound) = frame.names.get(name) {
                return Some(bound.clone());
            }
            if let Some(bound) = frame.noun.and_then(|noun| self.name_of_noun(noun, name)) {
                return Some(bound);
            }
            at = frame.outer;
        }
        None
    }

    fn name_of_noun(&self, id: NounId, name: &str) -> Option<Bound> {
        let instance = self.nouns.get(id.0 as usize)?;
        if let Some(field) = instance.kind.fields.0.get_index_of(name) {
            return Some(Bound::Member(id, field));
        }
        if name == "self" {
            return Some(Bound::Noun(instance.noun_ref()));
        }
        let parent = self.nouns.get(instance.parent?.0 as usize)?;
        (*parent.kind.name == *name).then(|| Bound::Noun(parent.noun_ref()))
    }

    /// A word of a type, where a file means nothing else by it.
    pub(crate) fn word(&self, name: &str, unit: UnitId) -> Option<Value> {
        let known = self.file_frame(unit).is_some_and(|file| self.lookup(name, file).is_some());
        (!known).then(|| self.bare_ctor(name))
    }

    /// A noun as a value; unknown where there is none.
    pub(crate) fn noun(&self, id: Option<NounId>) -> Value {
        let noun = id.and_then(|id| self.nouns.get(id.0 as usize));
        noun.map_or(Value::Unknown, |noun| Value::Ref(noun.noun_ref()))
    }

    pub(super) fn bound(&mut self, bound: Bound) -> Thing {
        match bound {
            Bound::Member(noun, field) => Thing::Value(self.member_at(noun, field)),
            Bound::Value(value) => Thing::Value(value),
            Bound::Lazy(lazy) => Thing::Value(self.force(lazy)),
            Bound::Noun(noun) => Thing::Value(Value::Ref(noun)),
            Bound::Inside(frame) => Thing::Inside(frame),
            Bound::Alias(frame, name) => match self.own_name(frame, &name) {
                Some(bound) => self.bound(bound),
                None => Thing::Value(Value::Unknown),
            },
            Bound::Group(items) => {
                let mut record = Record::default();
                for (key, item) in items {
                    if let Thing::Value(value @ Value::Ref(_)) = self.bound(item) {
                        let span = self.span_of(&value);
                        record.insert(key.as_str().into(), Placed { value, span });
                    }
                }
                Thing::Value(Value::Record(Arc::new(record)))
            }
        }
    }

    fn span_of(&self, value: &Value) -> Span {
        let noun = match value {
            Value::Ref(noun) => self.nouns.get(noun.id.0 as usize),
            _ => None,
        };
        noun.map_or(Span::new(FileId(0), 0, 0), |noun| noun.header)
    }

    /// The value of a name in a scope.
    pub(crate) fn named(&mut self, name: &str, frame: FrameId) -> Value {
        match self.lookup(name, frame).map(|bound| self.bound(bound)) {
            Some(Thing::Value(value)) => value,
            Some(Thing::Inside(_)) | None => Value::Unknown,
        }
    }

    /// The values of parameters and `let`s, by where their names stand: in loops one a round.
    pub(crate) fn named_values(&self) -> Vec<(Span, Value)> {
        let lazies = (0..self.lazies.len()).filter_map(|at| self.lazies.get(at));
        let known = lazies.filter_map(|lazy| match &lazy.state {
            State::Done(value) => Some((lazy.span, value.clone())),
            _ => None,
        });
        known.collect()
    }

    /// Evaluates every name that nothing asked for, so that its mistakes are found too.
    pub(crate) fn force_all(&mut self) {
        let mut at = 0;
        while at < self.lazies.len() {
            self.force(at);
            at += 1;
        }
    }

    /// Evaluates what waited; a value that needs itself is reported as the path of names that leads back.
    pub(super) fn force(&mut self, at: usize) -> Value {
        let Some(lazy) = self.lazies.get_mut(at) else { return Value::Unknown };
        match &lazy.state {
            State::Done(value) => return value.clone(),
            State::Active => {
                self.report_cycle(at);
                return Value::Unknown;
            }
            State::Waiting => lazy.state = State::Active,
        }
        let (expr, frame, ty, span) = (lazy.expr, lazy.frame, lazy.ty.clone(), lazy.span);
        let mut value = expr.map_or(Value::Unknown, |expr| self.eval(expr, frame));
        if let Some(ty) = ty {
            value = self.conform(value, &ty, expr.map_or(span, |expr| expr.span));
        }
        if let Some(lazy) = self.lazies.get_mut(at) {
            lazy.state = State::Done(value.clone());
        }
        value
    }

    fn report_cycle(&mut self, at: usize) {
        let Some(lazy) = self.lazies.get(at) else { return };
        let active = self.lazies.iter().filter(|lazy| matches!(lazy.state, State::Active));
        let others: Vec<(&str, Span)> = active
            .filter(|other| other.span != lazy.span)
            .map(|other| (other.name, other.span))
            .collect();
        let mut report = Diagnostic::error(
            NAMES_CYCLE,
            format!("`{}` needs its own value", lazy.name),
            lazy.span,
        );
        for (name, span) in others {
            report = report.also(span, format!("through `{name}`"));
        }
        self.reports.add(report);
    }
}
