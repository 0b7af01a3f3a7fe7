//! The rules of the library as the build leaves them: tables of numbers, in which nothing is read before somebody asks for it. Most rules are of no
//! noun of a blueprint, or are silent for the first thing that they ask.

use super::{Read, declared};
use crate::load;
use crate::rules::compile::Body;
use crate::schema::{Kind, StmtAt};
use slipform_syntax::tree::{Expr, Late, Name, Round, RuleDecl, Stmt, Then};
use std::ops::Range;
use std::sync::OnceLock;

// `RULES`, `OF_KINDS`, `PLACES`, `ASKED` and `ROUNDS`
include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// What rules are called, one behind the other.
const CODES: &str = include_str!(concat!(env!("OUT_DIR"), "/codes.txt"));

/// Where a rule of the library stands, and what it asks first. It is read when there is a noun for which that holds, and once a process.
#[derive(Debug)]
pub(crate) struct StoredRule {
    code: Range<usize>,
    pub(crate) at: StmtAt,
    pub(super) opening: StoredOpening,
    read: OnceLock<Box<Read<'static>>>,
}

/// What a rule of the library asks first, by places among what all of them ask.
#[derive(Debug)]
pub(super) struct StoredOpening {
    conditions: Range<usize>,
    pub(super) then: Then<u32, u32>,
}

/// The rules of one kind, or of it on one platform, by places in [`PLACES`].
struct OfKind {
    kind: &'static str,
    platform: Option<&'static str>,
    rules: Range<usize>,
}

/// How many things the rules ask.
pub(super) const ASKED_COUNT: usize = ASKED.len();

/// Of how many loops they ask something for each round.
pub(super) const ROUND_COUNT: usize = ROUNDS.len();

/// A round of the library, as it is stored.
type StoredRound = Round<Vec<Name>, Expr>;

static READ_ASKED: [OnceLock<Box<Expr>>; ASKED_COUNT] = [const { OnceLock::new() }; ASKED_COUNT];
static READ_ROUNDS: [OnceLock<Box<StoredRound>>; ROUND_COUNT] =
    [const { OnceLock::new() }; ROUND_COUNT];

/// All of them, in the order of the files.
pub(super) fn all() -> &'static [StoredRule] {
    &RULES
}

/// Those that speak of a kind, in that order.
pub(super) fn speaking_of(kind: &Kind) -> Vec<&'static StoredRule> {
    let of_kind = OF_KINDS.iter().filter(|it| {
        *it.kind == *kind.name
            && it.platform.is_none_or(|platform| kind.platform.as_deref() == Some(platform))
    });
    let places = of_kind.filter_map(|it| PLACES.get(it.rules.clone())).flatten();
    let mut places: Vec<u32> = places.copied().collect();
    places.sort_unstable();
    // one may name a kind and the same on a platform
    places.dedup();
    places.into_iter().filter_map(|at| RULES.get(at as usize)).collect()
}

/// What is asked first, by its place.
pub(super) fn asked(at: u32) -> Option<&'static Expr> {
    read(&READ_ASKED, ASKED, at)
}

/// What is asked of the rounds of a loop, by its place.
pub(super) fn round(at: u32) -> Option<&'static StoredRound> {
    read(&READ_ROUNDS, ROUNDS, at)
}

/// What is stored at a place, which is read once.
fn read<T>(
    cells: &'static [OnceLock<Box<T>>],
    stored: &[Range<usize>],
    at: u32,
) -> Option<&'static T>
where
    T: serde::Deserialize<'static>,
{
    let (cell, bytes) = (cells.get(at as usize)?, stored.get(at as usize)?);
    let stored = || Late::<T>::stored(load::body(bytes.clone()));
    Some(cell.get_or_init(|| Box::new(stored().into_inner())))
}

impl StoredRule {
    pub(crate) fn code(&self) -> &'static str {
        CODES.get(self.code.clone()).unwrap_or_default()
    }

    /// The statement that declares it, and what that says. It stands there and has a code, as tests make sure.
    pub(super) fn declared(&self) -> Option<(&'static Stmt, &'static RuleDecl)> {
        let stmt = load::standard().stmt(self.at)?;
        Some((stmt, declared(stmt)?))
    }

    /// What its lines come to.
    pub(super) fn read(&'static self) -> &'static Read<'static> {
        let read = || match self.declared() {
            Some((stmt, decl)) => Body::new(decl, stmt.span),
            None => Err(Vec::new()),
        };
        self.read.get_or_init(|| Box::new(read()))
    }
}

impl StoredOpening {
    /// Conditions in front of its first loop, and of what it requires.
    pub(super) fn conditions(&self) -> &'static [u32] {
        PLACES.get(self.conditions.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipform_syntax::tree::{Opening, StmtKind};

    /// What an opening asks, as it stands in the library.
    fn texts<'o>(
        Opening { conditions, then }: Opening<&'o Expr, Round<&'o [Name], &'o Expr>>,
    ) -> Vec<&'o str> {
        let text_of = |expr: &Expr| {
            let (_, text) = slipform_stdlib::FILES[expr.span.file.0 as usize];
            text.get(expr.span.range()).unwrap()
        };
        let mut all: Vec<&str> = conditions.into_iter().map(text_of).collect();
        match then {
            Then::Require(require) => all.extend(["require", text_of(require)]),
            Then::Loop(items, round) => {
                all.extend(["for", text_of(items)]);
                if let Some(round) = round {
                    all.extend(round.names.iter().map(|it| it.value.as_str()));
                    all.push(text_of(round.items));
                    all.extend(round.conditions.into_iter().map(text_of));
                }
            }
            Then::Nothing => {}
        }
        all
    }

    #[test]
    fn what_rules_ask_first_is_what_stands_there() {
        let mut stored = all().iter();
        let files = load::standard().files.iter().enumerate();
        let stmts = files.flat_map(|(file, (tree, _))| {
            tree.stmts.iter().enumerate().map(move |(stmt, it)| (StmtAt { file, stmt }, it))
        });
        for (at, stmt) in stmts {
            let StmtKind::Rule(rule) = &stmt.kind else { continue };
            let stored = stored.next().unwrap();
            let code = rule.code.as_ref().map(|it| it.value.as_str());
            assert_eq!((code, at), (Some(stored.code()), stored.at));
            let opening = Opening {
                conditions: stored.opening.conditions().to_vec(),
                then: stored.opening.then.clone(),
            };
            let known = opening.map(
                |at| asked(at).unwrap(),
                |at| {
                    let Round { names, items, conditions } = round(at).unwrap();
                    Round { names: &**names, items, conditions: conditions.iter().collect() }
                },
            );
            assert_eq!(texts(known), texts(rule.opening()), "{:?}", rule.code);
        }
        assert!(stored.next().is_none());
    }
}
