//! Loops: what they go through, and the lists and records that they come to.

use super::{Evaluation, FrameId, MAX_EXPANSION};
use slipform_model::{Range, Record, Value};
use slipform_syntax::tree::{Comprehension, Name};
use std::sync::Arc;

/// The rounds of a loop: the value of the first name, and of the second where there are two.
pub(crate) fn rounds_of(items: &Value) -> impl Iterator<Item = (Value, Value)> {
    let round = |at: usize| match items {
        Value::List(items) => Some((Value::Int(at as i64), items.get(at)?.value.clone())),
        Value::Record(record) => {
            let (key, item) = record.get_index(at)?;
            Some((Value::Str(key.clone()), item.value.clone()))
        }
        Value::Range(Range(from, to)) => {
            let at = i64::try_from(at).ok().filter(|at| *at <= MAX_EXPANSION as i64)?;
            let item = from.checked_add(at).filter(|item| item <= to)?;
            Some((Value::Int(at), Value::Int(item)))
        }
        _ => None,
    };
    (0..).map_while(round)
}

/// Whether a loop goes through anything.
pub(crate) fn has_rounds(items: &Value) -> bool {
    match items {
        Value::List(items) => !items.is_empty(),
        Value::Record(record) => !record.is_empty(),
        Value::Range(Range(from, to)) => from <= to,
        _ => false,
    }
}

impl<'t> Evaluation<'t, '_> {
    /// Does something in each round that counts; nothing is known of what comes of a loop over what is not known.
    fn walk(
        &mut self,
        rounds: &'t Comprehension,
        frame: FrameId,
        mut each: impl FnMut(&mut Self, FrameId),
    ) -> Option<()> {
        let items = self.eval(&rounds.items, frame);
        if matches!(items, Value::Unknown) {
            return None;
        }
        for (key, value) in rounds_of(&items) {
            if !self.expand_one(rounds.items.span) {
                break;
            }
            let inner = self.round_frame(&rounds.names, key, value, frame);
            let counts = rounds
                .condition
                .as_ref()
                .is_none_or(|condition| matches!(self.eval(condition, inner), Value::Bool(true)));
            if counts {
                each(self, inner);
            }
            self.frames.truncate(inner.0);
        }
        Some(())
    }

    pub(super) fn round_frame(
        &mut self,
        names: &'t [Name],
        key: Value,
        value: Value,
        frame: FrameId,
    ) -> FrameId {
        match names {
            [one] => self.scope(frame, [(one.value.as_str(), value)]),
            [first, second, ..] => {
                self.scope(frame, [(first.value.as_str(), key), (second.value.as_str(), value)])
            }
            [] => self.scope(frame, []),
        }
    }

    pub(super) fn list_for(&mut self, rounds: &'t Comprehension, frame: FrameId) -> Value {
        let mut items = Vec::new();
        let known = self.walk(rounds, frame, |this, inner| {
            let placed = this.placed(&rounds.value, inner);
            items.push(placed);
        });
        known.map_or(Value::Unknown, |()| Value::List(items.into()))
    }

    pub(super) fn record_for(&mut self, rounds: &'t Comprehension, frame: FrameId) -> Value {
        let mut record = Record::default();
        let known = self.walk(rounds, frame, |this, inner| {
            let Some(key) = &rounds.key else { return };
            if let Value::Str(key) = this.eval(key, inner) {
                let placed = this.placed(&rounds.value, inner);
                record.insert(key, placed);
            }
        });
        known.map_or(Value::Unknown, |()| Value::Record(Arc::new(record)))
    }
}
