//! What a rule asks before all else: stored in the library, where many rules ask the same, or written in a blueprint.

use super::compile::{Premise, is_plain};
use super::library::{self, ASKED_COUNT, ROUND_COUNT, StoredOpening};
use slipform_syntax::tree::{Expr, Round, Then};

/// What a rule asks first.
pub(super) enum First<'t> {
    /// As the library has it.
    Stored(&'static StoredOpening),
    /// As a blueprint writes it.
    Written(Vec<Premise<'t, &'t Expr>>),
}

/// What the library stores, and what is asked of it.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// That it holds.
    Holds(u32),
    /// That it does not.
    Fails(u32),
    /// That there is something to go through.
    Any(u32),
    /// That there is a round to go on with.
    Round(u32),
}

impl Stored {
    /// What an opening asks in its turn.
    pub(super) fn of(opening: &StoredOpening, turn: usize) -> Option<Self> {
        let conditions = opening.conditions();
        if let Some(at) = conditions.get(turn) {
            return Some(Self::Holds(*at));
        }
        match (&opening.then, turn - conditions.len()) {
            (Then::Require(at), 0) => Some(Self::Fails(*at)),
            (Then::Loop(items, _), 0) => Some(Self::Any(*items)),
            (Then::Loop(_, round), 1) => round.map(Self::Round),
            _ => None,
        }
    }

    /// It, as the library has it; nothing where that is no question that can be asked first.
    pub(super) fn read<'t>(self) -> Option<Premise<'t, &'t Expr>> {
        match self {
            Self::Holds(at) => library::asked(at).map(Premise::Holds),
            Self::Fails(at) => library::asked(at).map(Premise::Fails),
            Self::Any(at) => library::asked(at).filter(|items| is_plain(items)).map(Premise::Any),
            Self::Round(at) => {
                let Round { names, items, conditions } = library::round(at)?;
                let conditions = conditions.iter().collect();
                is_plain(items)
                    .then(|| Premise::Round(Round { names: &**names, items, conditions }.into()))
            }
        }
    }
}

/// Where the premises of one kind are that the library stores, as far as they were read.
pub(super) struct Places(Vec<u16>);

impl Places {
    /// Of none.
    pub(super) fn new() -> Self {
        Self(vec![UNREAD; FORMS * ASKED_COUNT + ROUND_COUNT])
    }

    /// Where one is, once that is known; none where it is nothing to be asked first.
    pub(super) fn get(&self, stored: Stored) -> Option<Option<usize>> {
        let known = *self.0.get(index(stored))?;
        (known != UNREAD).then(|| (known as usize).checked_sub(FIRST))
    }

    pub(super) fn set(&mut self, stored: Stored, place: Option<usize>) {
        if let Some(known) = self.0.get_mut(index(stored)) {
            *known = place.map_or(NONE, |place| u16::try_from(place + FIRST).unwrap_or(UNREAD));
        }
    }
}

/// Nobody asked for it.
const UNREAD: u16 = 0;
/// It is nothing to be asked first.
const NONE: u16 = 1;
/// Places are counted from here.
const FIRST: usize = 2;
/// In how many ways one thing is asked.
const FORMS: usize = 3;

fn index(stored: Stored) -> usize {
    let (form, at) = match stored {
        Stored::Holds(at) => (0, at),
        Stored::Fails(at) => (1, at),
        Stored::Any(at) => (2, at),
        Stored::Round(at) => return FORMS * ASKED_COUNT + at as usize,
    };
    FORMS * at as usize + form
}
