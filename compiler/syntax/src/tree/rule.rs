//! Rules: what each of their lines says.

use super::{Expr, Late, Name};
use serde::{Deserialize, Serialize};
use slipform_source::Span;

/// `rule area/name on kind { clauses }`, or `on kind | kind`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct RuleDecl {
    /// `area/name`.
    pub code: Option<Name>,
    /// `on pool`, `on cluster.gke`, `on workload | group`: the kinds that it speaks of, dotted names.
    pub on: Vec<Vec<Name>>,
    /// Its lines, in the order written.
    pub clauses: Late<Vec<Clause>>,
}

/// What a rule asks before all else. For most nouns that does not hold, and no other line is read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Opening<E, R> {
    /// Conditions in front of its first loop, and of what it requires: all that has to hold, in the order written.
    pub conditions: Vec<E>,
    /// What stands behind them.
    pub then: Then<E, R>,
}

/// What stands behind the first conditions of a rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Then<E, R> {
    /// What it requires.
    Require(E),
    /// A loop: what that goes through, and the rounds with what is asked of them first, where something is.
    Loop(E, Option<R>),
    /// What depends on a name of its own.
    Nothing,
}

impl<E, R> Opening<E, R> {
    /// It, of other things.
    pub fn map<F, S>(
        self,
        mut of: impl FnMut(E) -> F,
        round_of: impl FnOnce(R) -> S,
    ) -> Opening<F, S> {
        Opening {
            conditions: self.conditions.into_iter().map(&mut of).collect(),
            then: match self.then {
                Then::Require(require) => Then::Require(of(require)),
                Then::Loop(items, round) => Then::Loop(of(items), round.map(round_of)),
                Then::Nothing => Then::Nothing,
            },
        }
    }
}

/// The rounds of a loop, and what is asked of each before anything else.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round<N, E> {
    /// What a round is called.
    pub names: N,
    /// What it goes through.
    pub items: E,
    /// What is asked.
    pub conditions: Vec<E>,
}

/// How names are spelt is nothing that it asks.
impl<N, E: PartialEq> PartialEq for Round<N, E> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items && self.conditions == other.conditions
    }
}

impl RuleDecl {
    /// What it asks first. A name that it gives to something is passed over, as long as nothing asks for it.
    pub fn opening(&self) -> Opening<&Expr, Round<&[Name], &Expr>> {
        let (mut conditions, mut named) = (Vec::new(), Vec::new());
        let mut lines = self.clauses.iter();
        while let Some(line) = lines.next() {
            match &line.kind {
                ClauseKind::When(condition) => {
                    for part in condition.conjuncts() {
                        if part.mentions(&named) {
                            return Opening { conditions, then: Then::Nothing };
                        }
                        conditions.push(part);
                    }
                }
                ClauseKind::Let(name, _) => named.extend(name.iter().map(|it| it.value.as_str())),
                ClauseKind::Require(require) if !require.mentions(&named) => {
                    return Opening { conditions, then: Then::Require(require) };
                }
                ClauseKind::For(names, items) if !items.mentions(&named) => {
                    let asked = lines.map_while(|line| match &line.kind {
                        ClauseKind::When(condition) => Some(condition.conjuncts()),
                        _ => None,
                    });
                    let asked: Vec<&Expr> =
                        asked.flatten().take_while(|it| !it.mentions(&named)).collect();
                    let round = (!asked.is_empty()).then_some(Round {
                        names: names.as_slice(),
                        items,
                        conditions: asked,
                    });
                    return Opening { conditions, then: Then::Loop(items, round) };
                }
                _ => break,
            }
        }
        Opening { conditions, then: Then::Nothing }
    }
}

/// One line of a rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Clause {
    /// The whole line.
    pub span: Span,
    /// Its first word.
    pub word: Span,
    /// What it says.
    pub kind: ClauseKind,
}

/// The lines of a rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum ClauseKind {
    /// `when condition`
    When(Expr),
    /// `let name = value`
    Let(Option<Name>, Late<Expr>),
    /// `for name in values`, `for key, value in record`
    For(Vec<Name>, Expr),
    /// `require condition`
    Require(Late<Expr>),
    /// `error "text"`, `warning "text"`
    Says(Level, Late<Expr>),
    /// `label place "text"`
    Label(Late<Expr>, Late<Expr>),
    /// `help "text"`
    Help(Late<Expr>),
    /// `fix remove place`, `fix set place = value`
    Fix(Mend),
    /// `symptom "text"`
    Symptom(Late<Expr>),
    /// `since 2026`
    Since(Late<Expr>),
}

/// How bad what a rule says is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Level {
    /// It stops a build.
    Error,
    /// It does not.
    Warning,
}

/// The edit that a `fix` makes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub enum Mend {
    /// `remove place`
    Remove(Late<Expr>),
    /// `set place = value`
    Set(Late<Expr>, Late<Expr>),
}

/// The words that the lines of a rule begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseWord {
    /// `when`
    When,
    /// `let`
    Let,
    /// `for`
    For,
    /// `require`
    Require,
    /// `error`
    Error,
    /// `warning`
    Warning,
    /// `label`
    Label,
    /// `help`
    Help,
    /// `fix`
    Fix,
    /// `symptom`
    Symptom,
    /// `since`
    Since,
}

impl ClauseWord {
    /// Every word, in the order in which a rule has its lines.
    pub const ALL: [Self; 11] = [
        Self::When,
        Self::Let,
        Self::For,
        Self::Require,
        Self::Error,
        Self::Warning,
        Self::Label,
        Self::Help,
        Self::Fix,
        Self::Symptom,
        Self::Since,
    ];

    /// As it is written.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::When => "when",
            Self::Let => "let",
            Self::For => "for",
            Self::Require => "require",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Label => "label",
            Self::Help => "help",
            Self::Fix => "fix",
            Self::Symptom => "symptom",
            Self::Since => "since",
        }
    }

    /// The word that is written so.
    pub fn of(spelling: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.spelling() == spelling)
    }
}

impl ClauseKind {
    /// The word that it begins with.
    pub fn word(&self) -> ClauseWord {
        match self {
            Self::When(_) => ClauseWord::When,
            Self::Let(..) => ClauseWord::Let,
            Self::For(..) => ClauseWord::For,
            Self::Require(_) => ClauseWord::Require,
            Self::Says(Level::Error, _) => ClauseWord::Error,
            Self::Says(Level::Warning, _) => ClauseWord::Warning,
            Self::Label(..) => ClauseWord::Label,
            Self::Help(_) => ClauseWord::Help,
            Self::Fix(_) => ClauseWord::Fix,
            Self::Symptom(_) => ClauseWord::Symptom,
            Self::Since(_) => ClauseWord::Since,
        }
    }

    /// The names that it declares, and its expressions, in the order of the text.
    pub fn parts(&self) -> (&[Name], Vec<&Expr>) {
        match self {
            Self::Let(name, value) => (name.as_slice(), vec![value]),
            Self::For(names, items) => (names, vec![items]),
            Self::Label(place, text) => (&[], vec![place, text]),
            Self::Fix(Mend::Remove(place)) => (&[], vec![place]),
            Self::Fix(Mend::Set(place, value)) => (&[], vec![place, value]),
            Self::When(of) => (&[], vec![of]),
            Self::Require(of)
            | Self::Says(_, of)
            | Self::Help(of)
            | Self::Symptom(of)
            | Self::Since(of) => (&[], vec![of]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::ExprKind;
    use slipform_source::FileId;

    /// The grammar spells the words too: each is read as a line of its own, and no other word is.
    #[test]
    fn the_grammar_knows_the_same_words() {
        let file = FileId(0);
        for word in ClauseWord::ALL {
            let rest = match word {
                ClauseWord::Let => "x = 1",
                ClauseWord::For => "x in xs",
                ClauseWord::Label => "x \"t\"",
                ClauseWord::Fix => "set x = 1",
                _ => "x",
            };
            let tree = crate::parse(
                file,
                &format!("rule a/b on c {{\n  {} {rest}\n}}\n", word.spelling()),
            );
            assert_eq!(tree.problems, [], "{}", word.spelling());
            let crate::tree::StmtKind::Rule(rule) = &tree.stmts[0].kind else { panic!() };
            let clause = rule.clauses.first().unwrap();
            assert_eq!(clause.kind.word(), word);
            let (_, exprs) = clause.kind.parts();
            assert!(exprs.iter().all(|expr| !matches!(expr.kind, ExprKind::Missing)));
        }
        assert!(!crate::parse(file, "rule a/b on c {\n  unless x\n}\n").problems.is_empty());
    }
}
