//! The room that values take, so that a few lines that double a list or a text again and again come to an end.
//!
//! What is counted is work and memory alike: every part of a value that is made, compared or given to a function. It is
//! far more than a real blueprint needs, and the same on every machine.

use super::{Evaluation, MAX_DEPTH, MAX_EXPANSION};
use slipform_model::{Diagnostic, Placed, Value};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) LIMITS_DEPTH = "limits/depth":
        "values or types need each other in a chain that is too long",
        "make the chain shorter";
    LIMITS_EXPANSION = "limits/expansion":
        "loops and components make more nouns than a blueprint may have, or rules go through more rounds than its nouns explain",
        "check the ranges of the loops";
    LIMITS_SIZE = "limits/size":
        "lists, records or texts are larger than a blueprint may have them, or lie too deep inside each other",
        "look for a list or a text that is doubled again and again";
}

/// How many parts all values of a blueprint may have together: elements, entries, and each 16 bytes of a text.
const MAX_PARTS: u64 = 32_000_000;
/// How deep lists and records may lie inside each other.
const MAX_NESTING: usize = 200;

/// How many rounds rules may go through for each noun besides those of any blueprint.
const ROUNDS_FOR_A_NOUN: u64 = 1_000;

/// What is left of the room for values, and of the rounds of loops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    left: u64,
    reported: bool,
    rounds: Rounds,
}

/// Rounds and nouns that were made, and how many there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    made: u64,
    most: u64,
}

impl Rounds {
    /// For the rules of so many nouns.
    pub(crate) fn of_rules(nouns: usize) -> Self {
        let most = MAX_EXPANSION.saturating_add(ROUNDS_FOR_A_NOUN.saturating_mul(nouns as u64));
        Self { made: 0, most }
    }
}

/// Why a value does not fit.
enum Misfit {
    TooLarge,
    TooDeep,
}

impl Room {
    pub(super) fn of_a_blueprint() -> Self {
        let rounds = Rounds { made: 0, most: MAX_EXPANSION };
        Self { left: MAX_PARTS, reported: false, rounds }
    }

    /// For rules, which go over a blueprint of known size.
    pub(super) fn of_rules(nouns: usize) -> Self {
        Self { left: u64::MAX, reported: false, rounds: Rounds::of_rules(nouns) }
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
    /// Counts rounds anew; gives what was counted so far.
    pub(crate) fn recount(&mut self, rounds: Rounds) -> Rounds {
        std::mem::replace(&mut self.room.rounds, rounds)
    }

    /// Whether there were too many rounds.
    pub(super) fn is_full(&self) -> bool {
        self.room.rounds.made > self.room.rounds.most
    }

    /// Counts one more round or noun; false once there are too many.
    pub(crate) fn expand_one(&mut self, at: Span) -> bool {
        let Rounds { made, most } = &mut self.room.rounds;
        *made += 1;
        if *made == *most + 1 {
            let message = format!("the blueprint expands to more than {most} nouns and rounds");
            self.reports.add(
                Diagnostic::error(LIMITS_EXPANSION, message, at).help(
                    "make the lists that it walks shorter, or split it into several blueprints",
                ),
            );
        }
        !self.is_full()
    }

    /// A value that was made, where there is room for it.
    pub(crate) fn kept(&mut self, value: Value, at: Span) -> Value {
        if self.takes(&value, at) { value } else { Value::Unknown }
    }

    /// Whether there is room for a value; says so once where there is not.
    pub(crate) fn takes(&mut self, value: &Value, at: Span) -> bool {
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
