//! The room that values take, so that a few lines that double a list or a text again and again come to an end.
//!
//! What is counted is work and memory alike: every part of a value that is made, compared or given to a function. It is
//! far more than a real blueprint needs, and the same on every machine.

use super::{Evaluation, MAX_DEPTH};
use slipform_model::{Diagnostic, Placed, Value};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) LIMITS_DEPTH = "limits/depth":
        "values or types need each other in a chain that is too long",
        "make the chain shorter";
    LIMITS_SIZE = "limits/size":
        "lists, records or texts are larger than a blueprint may have them, or lie too deep inside each other",
        "look for a list or a text that is doubled again and again";
}

/// How many parts all values of a blueprint may have together: elements, entries, and each 16 bytes of a text.
const MAX_PARTS: u64 = 32_000_000;
/// How deep lists and records may lie inside each other.
const MAX_NESTING: usize = 200;

/// What is left of the room for values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    left: u64,
    reported: bool,
}

/// Why a value does not fit.
enum Misfit {
    TooLarge,
    TooDeep,
}

impl Room {
    pub(super) fn of_a_blueprint() -> Self {
        Self { left: MAX_PARTS, reported: false }
    }

    /// For rules, which go over a blueprint of known size.
    pub(super) fn endless() -> Self {
        Self { left: u64::MAX, reported: false }
    }

    fn take(&mut self, value: &Value, nesting: usize) -> Result<(), Misfit> {
        let parts = match value {
            Value::Str(text) => 1 + text.len() as u64 / 16,
            _ => 1,
        };
        self.left = self.left.checked_sub(parts).ok_or(Misfit::TooLarge)?;
        match value {
            Value::List(list) => self.take_items(list.iter(), nesting),
            Value::Record(record) | Value::Variant(_, record) => {
                self.take_items(record.values(), nesting)
            }
            _ => Ok(()),
        }
    }

    fn take_items<'v>(
        &mut self,
        mut items: impl Iterator<Item = &'v Placed>,
        nesting: usize,
    ) -> Result<(), Misfit> {
        if nesting >= MAX_NESTING {
            return Err(Misfit::TooDeep);
        }
        items.try_for_each(|item| self.take(&item.value, nesting + 1))
    }
}

impl Evaluation<'_, '_> {
    /// A value that was made, where there is room for it.
    pub(super) fn kept(&mut self, value: Value, at: Span) -> Value {
        if self.takes(&value, at) { value } else { Value::Unknown }
    }

    /// Whether there is room for a value; says so once where there is not.
    pub(super) fn takes(&mut self, value: &Value, at: Span) -> bool {
        if self.room.left == u64::MAX {
            return true;
        }
        let (message, help) = match self.room.take(value, 0) {
            Ok(()) => return true,
            Err(Misfit::TooLarge) => {
                self.room.left = 0;
                (
                    format!("the values of the blueprint have more than {MAX_PARTS} parts"),
                    "make the lists and texts shorter, or split it into several blueprints",
                )
            }
            Err(Misfit::TooDeep) => (
                format!("lists and records lie more than {MAX_NESTING} deep inside each other"),
                "put them beside each other",
            ),
        };
        if !std::mem::replace(&mut self.room.reported, true) {
            self.reports.add(Diagnostic::error(LIMITS_SIZE, message, at).help(help));
        }
        false
    }

    /// Says once that a chain of values that need each other is too long.
    pub(super) fn too_deep(&mut self, at: Span) {
        if std::mem::replace(&mut self.room.reported, true) {
            return;
        }
        let message = format!("this value is needed by a chain of more than {MAX_DEPTH} others");
        self.reports.add(
            Diagnostic::error(LIMITS_DEPTH, message, at)
                .help("make the chain of values that need each other shorter"),
        );
    }
}
