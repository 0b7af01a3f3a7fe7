//! What a rule asks before all else: stored in the library, where many rules ask the same, or written in a blueprint.

use super::compile::{Premise, is_plain};
use crate::load;
use slipform_syntax::tree::{Expr, Opening, Round, Then};

/// The opening of a rule of the library, by places among what all of these ask.
pub(super) type StoredOpening = Opening<u32, u32>;

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
        let Opening { conditions, then } = opening;
        if let Some(at) = conditions.get(turn) {
            return Some(Self::Holds(*at));
        }
        match (then, turn - conditions.len()) {
            (Then::Require(at), 0) => Some(Self::Fails(*at)),
            (Then::Loop(items, _), 0) => Some(Self::Any(*items)),
            (Then::Loop(_, round), 1) => round.map(Self::Round),
            _ => None,
        }
    }

    /// It, as the library has it; nothing where that is no question that can be asked first.
    pub(super) fn read<'t>(self) -> Option<Premise<'t, &'t Expr>> {
        let heads = &load::standard().heads;
        let of = |at: u32| heads.asked.get(at as usize).map(|it| &**it);
        match self {
            Self::Holds(at) => of(at).map(Premise::Holds),
            Self::Fails(at) => of(at).map(Premise::Fails),
            Self::Any(at) => of(at).filter(|items| is_plain(items)).map(Premise::Any),
            Self::Round(at) => {
                let Round { names, items, conditions } = &**heads.rounds.get(at as usize)?;
                let conditions = conditions.iter().collect();
                is_plain(items)
                    .then(|| Premise::Round(Round { names: &**names, items, conditions }.into()))
            }
        }
    }
}

/// Where the premises of one kind are that the library stores, as far as they were read.
pub(super) struct Places(Vec<u32>);

impl Places {
    /// Of none.
    pub(super) fn new() -> Self {
        let heads = &load::standard().heads;
        Self(vec![UNREAD; FORMS * heads.asked.len() + heads.rounds.len()])
    }

    /// Where one is, once that is known; none where it is nothing to be asked first.
    pub(super) fn get(&self, stored: Stored) -> Option<Option<usize>> {
        let known = *self.0.get(index(stored))?;
        (known != UNREAD).then(|| (known as usize).checked_sub(FIRST))
    }

    pub(super) fn set(&mut self, stored: Stored, place: Option<usize>) {
        if let Some(known) = self.0.get_mut(index(stored)) {
            *known = place.map_or(NONE, |place| (place + FIRST) as u32);
        }
    }
}

/// Nobody asked for it.
const UNREAD: u32 = 0;
/// It is nothing to be asked first.
const NONE: u32 = 1;
/// Places are counted from here.
const FIRST: usize = 2;
/// In how many ways one thing is asked.
const FORMS: usize = 3;

fn index(stored: Stored) -> usize {
    let (form, at) = match stored {
        Stored::Holds(at) => (0, at),
        Stored::Fails(at) => (1, at),
        Stored::Any(at) => (2, at),
        Stored::Round(at) => return FORMS * load::standard().heads.asked.len() + at as usize,
    };
    FORMS * at as usize + form
}
