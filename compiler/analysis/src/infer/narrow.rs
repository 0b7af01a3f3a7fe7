//! What a condition says about optional values: `if x is set { ... }` makes `x` plain inside.

use super::path_of;
use slipform_syntax::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The paths that are certainly set where `condition` is `truth`.
pub(crate) fn paths_set_when(condition: &Expr, truth: bool) -> Vec<String> {
    match &condition.kind {
        ExprKind::IsSet(inner, positive) if *positive == truth => {
            path_of(inner).into_iter().collect()
        }
        ExprKind::Unary(UnaryOp::Not, inner) => paths_set_when(inner, !truth),
        ExprKind::Paren(inner) => paths_set_when(inner, truth),
        ExprKind::Binary(BinaryOp::And, _, left, right) if truth => both(left, right, truth),
        ExprKind::Binary(BinaryOp::Or, _, left, right) if !truth => both(left, right, truth),
        _ => Vec::new(),
    }
}

fn both(left: &Expr, right: &Expr, truth: bool) -> Vec<String> {
    let mut paths = paths_set_when(left, truth);
    paths.extend(paths_set_when(right, truth));
    paths
}
