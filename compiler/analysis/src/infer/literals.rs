//! Literals and texts.

use super::Infer;
use crate::infer::{TYPES_DEFERRED, TYPES_MISMATCH};
use crate::types::Type;
use ipnet::IpNet;
use slipform_model::{Diagnostic, Quantity, Topology};
use slipform_source::Span;
use slipform_syntax::tree::{Expr, LiteralKind, StrPart};
use std::net::IpAddr;

slipform_source::codes! {
    pub(crate) CODES;
    TYPES_ADDRESS = "types/address":
        "this is no address or range of addresses",
        "write `10.0.0.0/16`: four numbers, a length, and nothing behind the length's bits";
    TYPES_NUMBER = "types/number":
        "a number is too large",
        "write a smaller one";
    TYPES_TOPOLOGY = "types/topology":
        "this is no topology",
        "write two or three sides: `4x4`, `2x2x4`";
    TYPES_UNIT = "types/unit":
        "this unit does not exist",
        "write sizes as `80GiB` or `80GB`, durations as `2h30m` or `7d`";
}

impl Infer<'_> {
    pub(super) fn literal(&mut self, kind: LiteralKind, text: &str, span: Span) -> Type {
        match kind {
            LiteralKind::Int if text.replace('_', "").parse::<i64>().is_err() => {
                self.reports.error(
                    TYPES_NUMBER,
                    format!("`{text}` is too large for an integer"),
                    span,
                );
                Type::Unknown
            }
            LiteralKind::Int => Type::Int,
            LiteralKind::Float => Type::Float,
            LiteralKind::Quantity => match text.parse() {
                Ok(Quantity::Size(_)) => Type::Size,
                Ok(Quantity::Duration(_)) => Type::Duration,
                Err(_) if sides(text) => {
                    let message = format!("`{text}` is no topology");
                    self.reports.add(
                        Diagnostic::error(TYPES_TOPOLOGY, message, span)
                            .help("a topology has a number on both sides of each `x`: 4x4, 4x4x8"),
                    );
                    Type::Unknown
                }
                Err(error) => {
                    let mut report = Diagnostic::error(TYPES_UNIT, error.0, span);
                    let meant = Quantity::respelt(text);
                    if let Some(meant) = &meant {
                        let write = format!("write `{meant}`");
                        report = report.help(write.clone()).fix(write, span, meant.clone());
                    }
                    self.reports.add(report);
                    Type::Unknown
                }
            },
            LiteralKind::Topology => match text.parse::<Topology>() {
                Ok(_) => Type::Topology,
                Err(error) => {
                    self.reports.error(TYPES_TOPOLOGY, error.0, span);
                    Type::Unknown
                }
            },
            LiteralKind::Address => self.address(text, span),
        }
    }

    fn address(&mut self, text: &str, span: Span) -> Type {
        if !text.contains('/') {
            if text.parse::<IpAddr>().is_ok() {
                return Type::Address;
            }
            self.reports.error(TYPES_ADDRESS, format!("`{text}` is no address"), span);
            return Type::Unknown;
        }
        match text.parse::<IpNet>() {
            Ok(net) if net.trunc() != net => {
                let net = net.trunc();
                self.reports.add(
                    Diagnostic::error(
                        TYPES_ADDRESS,
                        format!("`{text}` does not start at the beginning of its range"),
                        span,
                    )
                    .help(format!("the range that it lies in is `{net}`"))
                    .fix(format!("write `{net}`"), span, net.to_string()),
                );
            }
            Ok(_) => {}
            Err(_) => self.reports.error(
                TYPES_ADDRESS,
                format!("`{text}` is no range of addresses"),
                span,
            ),
        }
        Type::Cidr
    }

    pub(super) fn string(&mut self, parts: &[StrPart]) -> Type {
        if let [StrPart::Text(text)] = parts {
            return Type::Word(text.clone());
        }
        if parts.is_empty() {
            return Type::Word("".into());
        }
        for part in parts {
            let StrPart::Interp(inner) = part else { continue };
            let found = self.expr(inner, None);
            self.in_text(&found, inner);
        }
        Type::Str
    }

    /// Whether a value of this type can be written into a text.
    fn in_text(&mut self, found: &Type, expr: &Expr) {
        if self.reports.has_error_in(expr.span) {
            return;
        }
        if found.is_optional() {
            if !self.facts {
                self.may_be_absent(expr);
            }
            return;
        }
        let refused = found
            .arms()
            .into_iter()
            .find(|arm| matches!(arm, Type::Noun(_) | Type::Block(_) | Type::Group(_)));
        match refused {
            _ if found.holds_deferred() => self.reports.add(
                Diagnostic::error(
                    TYPES_DEFERRED,
                    "a value that Terraform makes cannot be put into a text here",
                    expr.span,
                )
                .help("give it to an environment variable and let the program put it together"),
            ),
            _ if !self.facts && found.arms().into_iter().any(|arm| is_of_run(&arm)) => self.reports.add(
                Diagnostic::error(
                    TYPES_DEFERRED,
                    "a value that only the run knows cannot be put into a text: it would stand there as its name",
                    expr.span,
                )
                .help("make it a variable, `env = { ATTEMPT = attempt }`, and let a shell put it in: `--name run-$ATTEMPT`"),
            ),
            Some(noun) if !self.facts => self.reports.add(
                Diagnostic::error(
                    TYPES_MISMATCH,
                    format!("a {noun} cannot be put into a text"),
                    expr.span,
                )
                .help("name one of its fields: `${noun.field}`"),
            ),
            _ => {}
        }
    }
}

/// Whether a value is what a run knows of itself once it runs.
fn is_of_run(arm: &Type) -> bool {
    matches!(arm, Type::Ctor(ctor) if &*ctor.of == "RunValue")
}

/// `4x4x`: numbers and `x`, but not in turn.
fn sides(text: &str) -> bool {
    text.contains('x') && text.chars().all(|c| c == 'x' || c == '_' || c.is_ascii_digit())
}
