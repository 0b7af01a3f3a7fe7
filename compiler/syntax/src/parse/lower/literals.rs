//! Literals that start with a digit: one token, classified by its shape.

use super::{Lower, Node};
use crate::tree::{Expr, ExprKind, LiteralKind, Problem};

slipform_source::codes! {
    pub(crate) CODES;
    SYNTAX_NUMBER = "syntax/number":
        "this is no number, quantity, topology or address",
        "write `16`, `0.5`, `80GiB`, `2h30m`, `4x4x8` or `10.0.0.0/16`";
}

impl<'t> Lower<'t> {
    pub(super) fn number(&mut self, node: &Node<'t>) -> ExprKind {
        let text = node.as_str();
        let kind = classify(text).unwrap_or_else(|| {
            let span = self.span(node);
            let problem =
                Problem::new(SYNTAX_NUMBER, format!("`{text}` is no number"), span, "not a number");
            self.report(match text.matches('.').count() {
                1 => problem.help("digits stand on both sides of the point"),
                _ => problem.help(
                    "an address has four numbers, such as `10.0.0.0/16`; a version is a string",
                ),
            });
            LiteralKind::Quantity
        });
        ExprKind::Literal(kind, text.into())
    }

    /// A number and a unit with a space between them, read as if there were none.
    pub(super) fn joined(&mut self, number: &Node<'t>, unit: &Node<'t>) -> Expr {
        let word = unit.as_str().trim_start();
        // a word for a time begins with the letter of its unit
        let is_spelt_out = word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
        let word = if is_spelt_out { word.get(..1).unwrap_or_default() } else { word };
        let text = format!("{}{word}", number.as_str());
        let span = self.span(number).to(self.span(unit));
        let problem = Problem::new(
            SYNTAX_NUMBER,
            "a number and its unit are written together",
            span,
            format!("write `{text}`"),
        );
        self.report(problem.fix(span, text.clone()));
        Expr { span, kind: ExprKind::Literal(LiteralKind::Quantity, text.into()) }
    }

    /// `1,000` where a statement ends behind `1`: `tail` is what starts with the comma.
    pub(super) fn thousands(&self, tail: &str, start: usize) -> Option<Problem> {
        let before = self.slice(0, start);
        let digits = |c: char| c.is_ascii_digit();
        let head = before.trim_end_matches(digits);
        let lead = self.slice(head.len(), start);
        let apart = !head.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let grouped = tail.trim_end_matches(|c: char| c != ',' && !c.is_ascii_digit());
        let groups: Vec<&str> = grouped.split(',').skip(1).collect();
        let whole = groups.iter().all(|group| group.len() == 3 && group.chars().all(digits));
        if !apart || !(1..=3).contains(&lead.len()) || groups.is_empty() || !whole {
            return None;
        }
        let span = self.span_at(head.len(), start + grouped.len());
        let text = format!("{lead}_{}", groups.join("_"));
        let problem = Problem::new(
            SYNTAX_NUMBER,
            "thousands are set apart with `_`, not with a comma",
            span,
            format!("write `{text}`"),
        );
        Some(problem.fix(span, text))
    }
}

/// `None` where the text has no meaning, such as `1.` or `1.2.3`.
fn classify(text: &str) -> Option<LiteralKind> {
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
        return Some(LiteralKind::Int);
    }
    if text.ends_with('.') || !text.is_ascii() {
        return None;
    }
    let is_number =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if text.split('x').count() >= 2 && text.split('x').all(is_number) {
        return Some(LiteralKind::Topology);
    }
    let letters = text.bytes().any(|b| b.is_ascii_alphabetic());
    let points = text.bytes().filter(|b| *b == b'.').count();
    match (letters, points) {
        (true, _) => Some(LiteralKind::Quantity),
        (false, 1) => text.split('.').all(is_number).then_some(LiteralKind::Float),
        (false, 3) => text.split(['.', '/']).all(is_number).then_some(LiteralKind::Address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_decides() {
        for (text, kind) in [
            ("16", Some(LiteralKind::Int)),
            ("1_000", Some(LiteralKind::Int)),
            ("0.5", Some(LiteralKind::Float)),
            ("80GiB", Some(LiteralKind::Quantity)),
            ("1.5TiB", Some(LiteralKind::Quantity)),
            ("2h30m", Some(LiteralKind::Quantity)),
            ("1e9", Some(LiteralKind::Quantity)),
            ("4x4x8", Some(LiteralKind::Topology)),
            ("4x", Some(LiteralKind::Quantity)),
            ("10.0.0.0/16", Some(LiteralKind::Address)),
            ("10.0.0.1", Some(LiteralKind::Address)),
            ("1.", None),
            ("1.2.3", None),
            ("1..2", None),
        ] {
            assert_eq!(classify(text), kind, "{text}");
        }
    }
}
