//! The operators: how each is written, how tightly it binds, and what other languages call it.
//!
//! The grammar spells them too, since it must; a test compares. A line that ends in an operator between two operands
//! goes on in the next one.

use crate::tree::{BinaryOp, UnaryOp};

/// How tightly an operator binds, weakest first; a right operand must bind tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Power {
    /// Weaker than any operator.
    None,
    /// `or`
    Or,
    /// `and`
    And,
    /// `not`
    Not,
    /// `==`, `<`, `in`, `is set`: one of them in a row.
    Compare,
    /// `at`
    At,
    /// `..`
    Range,
    /// `+`, `-`
    Sum,
    /// `*`, `/`, `%`
    Product,
    /// `-a`
    Sign,
}

/// An operator between two operands.
#[derive(Debug)]
pub struct Operator {
    /// What it is in the tree.
    pub op: BinaryOp,
    /// How it is written.
    pub spelling: &'static str,
    /// How tightly it binds.
    pub power: Power,
    /// What people write for it who come from other languages.
    pub foreign: &'static [Foreign],
}

/// What another language calls an operator.
#[derive(Debug)]
pub struct Foreign {
    /// How it is written there.
    pub spelling: &'static str,
    /// Whether it means the same, so that the spelling alone is wrong.
    pub same: bool,
    /// What to write, where that is no operator.
    pub help: Option<&'static str>,
}

/// An operator in front of its operand.
#[derive(Debug)]
pub struct Prefix {
    /// What it is in the tree.
    pub op: UnaryOp,
    /// How it is written.
    pub spelling: &'static str,
    /// How tightly it binds.
    pub power: Power,
    /// It is of other languages: how it is written here.
    pub meant: Option<&'static str>,
}

const fn operator(op: BinaryOp, spelling: &'static str, power: Power) -> Operator {
    Operator { op, spelling, power, foreign: &[] }
}

const fn same(spelling: &'static str) -> Foreign {
    Foreign { spelling, same: true, help: None }
}

/// Every operator between two operands, weakest first.
pub const BINARY: [Operator; 16] = [
    Operator {
        foreign: &[
            same("||"),
            Foreign {
                spelling: "??",
                same: false,
                help: Some("write `if a is set { a } else { b }`"),
            },
        ],
        ..operator(BinaryOp::Or, "or", Power::Or)
    },
    Operator { foreign: &[same("&&")], ..operator(BinaryOp::And, "and", Power::And) },
    Operator { foreign: &[same("===")], ..operator(BinaryOp::Eq, "==", Power::Compare) },
    Operator { foreign: &[same("<>")], ..operator(BinaryOp::Ne, "!=", Power::Compare) },
    operator(BinaryOp::Lt, "<", Power::Compare),
    operator(BinaryOp::Le, "<=", Power::Compare),
    operator(BinaryOp::Gt, ">", Power::Compare),
    operator(BinaryOp::Ge, ">=", Power::Compare),
    operator(BinaryOp::In, "in", Power::Compare),
    operator(BinaryOp::At, "at", Power::At),
    operator(BinaryOp::Range, "..", Power::Range),
    operator(BinaryOp::Add, "+", Power::Sum),
    operator(BinaryOp::Sub, "-", Power::Sum),
    Operator {
        foreign: &[Foreign { spelling: "**", same: false, help: None }],
        ..operator(BinaryOp::Mul, "*", Power::Product)
    },
    operator(BinaryOp::Div, "/", Power::Product),
    operator(BinaryOp::Rem, "%", Power::Product),
];

/// Every operator in front of its operand.
pub const PREFIX: [Prefix; 3] = [
    Prefix { op: UnaryOp::Neg, spelling: "-", power: Power::Sign, meant: None },
    Prefix { op: UnaryOp::Not, spelling: "not", power: Power::Not, meant: None },
    Prefix { op: UnaryOp::Not, spelling: "!", power: Power::Sign, meant: Some("not") },
];

/// The word of `a is set`, which stands behind its operand and compares.
pub const TEST: &str = "is";

/// The operator that is written so, here or in another language.
pub fn binary(spelling: &str) -> Option<(&'static Operator, Option<&'static Foreign>)> {
    BINARY.iter().find_map(|operator| {
        if operator.spelling == spelling {
            return Some((operator, None));
        }
        let foreign = operator.foreign.iter().find(|foreign| foreign.spelling == spelling)?;
        Some((operator, Some(foreign)))
    })
}

/// The operator in front of its operand that is written so.
pub fn prefix(spelling: &str) -> Option<&'static Prefix> {
    PREFIX.iter().find(|prefix| prefix.spelling == spelling)
}

/// Whether a word stands behind an operand: `and`, `in`, the `is` of `is set`.
pub fn follows_operand(word: &str) -> bool {
    word == TEST || (is_word(word) && binary(word).is_some())
}

/// Whether a word stands behind an operand or in front of one.
pub fn is_operator_word(word: &str) -> bool {
    follows_operand(word) || (is_word(word) && prefix(word).is_some())
}

/// The longest operator of signs, of this language or another, that a text starts with.
pub fn sign_at(text: &str) -> Option<&'static str> {
    let foreign = |operator: &'static Operator| operator.foreign.iter().map(|it| it.spelling);
    let signs = BINARY.iter().flat_map(|it| std::iter::once(it.spelling).chain(foreign(it)));
    let found = signs.filter(|sign| !is_word(sign) && text.starts_with(sign));
    found.max_by_key(|sign| sign.len())
}

fn is_word(spelling: &str) -> bool {
    spelling.starts_with(|c: char| c.is_ascii_alphabetic())
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        // Each has a row; a test makes sure.
        BINARY.iter().find(|row| row.op == self).map_or("", |row| row.spelling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ExprKind, StmtKind};
    use slipform_source::FileId;
    use std::collections::BTreeSet;

    /// The words and signs in quotes of one rule of the grammar.
    fn spelled(rule: &str) -> BTreeSet<&'static str> {
        let grammar = include_str!("grammar.pest");
        let of = |line: &str| line.split_once('=').is_some_and(|(name, _)| name.trim() == rule);
        let line = grammar.lines().find(|line| of(line)).unwrap();
        let choice = line.split_once('{').unwrap().1;
        choice.split('"').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_grammar_spells_the_same_operators() {
        let foreign = BINARY.iter().flat_map(|it| it.foreign).map(|it| it.spelling);
        let known: BTreeSet<_> = BINARY.iter().map(|it| it.spelling).chain(foreign).collect();
        // `/` is none in front of `/` and `*`, which are spelled there.
        assert_eq!(spelled("op"), known);
        // `!` is none in front of `=`.
        let known = PREFIX.iter().map(|it| it.spelling).chain(["="]).collect();
        assert_eq!(spelled("prefix"), known);
    }

    #[test]
    fn no_statement_starts_with_the_word_of_an_operator() {
        let known = BINARY.iter().map(|it| it.spelling).filter(|it| is_word(it));
        let known: BTreeSet<_> = known.chain([TEST, "not", "else", "where"]).collect();
        let mut spelled = spelled("decl_start");
        spelled.retain(|it| is_word(it));
        assert_eq!(spelled, known);
    }

    #[test]
    fn each_operator_is_read_with_its_power_and_joins_lines() {
        for (at, row) in BINARY.iter().enumerate() {
            assert_eq!(row.op.text(), row.spelling);
            assert!(at == 0 || BINARY[at - 1].power <= row.power, "{row:?}");
            let text = format!("let x = a {}\n  b\n", row.spelling);
            let tree = crate::parse(FileId(0), &text);
            assert_eq!(tree.problems, [], "{text}");
            let StmtKind::Let(it) = &tree.stmts[0].kind else { panic!("{text}") };
            assert!(matches!(it.value.kind, ExprKind::Binary(op, ..) if op == row.op), "{text}");
        }
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(sign_at("<= 3"), Some("<="));
        assert_eq!(sign_at("=== 3"), Some("==="));
        assert_eq!(sign_at("= 3"), None);
        assert_eq!(sign_at("in x"), None);
    }
}
