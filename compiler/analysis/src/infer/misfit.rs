//! What to do about a value of the wrong type, where that can be read off the two types and the text.

use super::{Infer, key_text};
use crate::types::{Ctor, Type};
use ipnet::IpNet;
use slipform_model::{Diagnostic, Fix, Quantity, Topology};
use slipform_syntax::tree::{Expr, ExprKind};
use std::net::IpAddr;

impl Infer<'_> {
    /// Adds what mends a mismatch.
    pub(super) fn mended(
        &self,
        report: Diagnostic,
        found: &Type,
        wanted: &Type,
        expr: &Expr,
    ) -> Diagnostic {
        let text = key_text(expr).filter(|_| matches!(expr.kind, ExprKind::Str(_)));
        let unquoted = text.and_then(|text| self.unquoted_text(&report, &text, wanted, expr));
        if let Some(report) = unquoted {
            return report;
        }
        if let Some(text) = literal_text(expr).filter(|_| takes_any_text(wanted)) {
            let quoted = format!("\"{text}\"");
            return report.help(format!("text is written in quotes: {quoted}")).fix(
                "put it in quotes",
                expr.span,
                quoted,
            );
        }
        let listed = wanted.arms().into_iter().any(|arm| match arm {
            Type::List(item) => found.fits(&item),
            _ => false,
        });
        if listed {
            let edits = vec![(expr.span.at_start(), "[".into()), (expr.span.at_end(), "]".into())];
            let mut report =
                report.help("a list stands in brackets, even where it has one element");
            report.fixes.push(Fix { title: "put it in brackets".into(), edits });
            return report;
        }
        if matches!(found.bare(), Type::Float) && Type::Int.fits(wanted) {
            return report.help(
                "`floor(...)` and `ceil(...)` make it whole; a quotient that comes out whole may be declared as such: `let name: int = a / b`",
            );
        }
        if let Some(help) = unit(found, wanted) {
            return report.help(help);
        }
        match forms(wanted) {
            Some(forms) => report.help(forms),
            None => report,
        }
    }

    /// Quotes around what is written without: a constructor, a number, a noun.
    fn unquoted_text(
        &self,
        report: &Diagnostic,
        text: &str,
        wanted: &Type,
        expr: &Expr,
    ) -> Option<Diagnostic> {
        let arms = wanted.arms();
        let bare = |what: &str| {
            let help = format!("{what} is written without quotes: `{text}`");
            report.clone().help(help).fix("remove the quotes", expr.span, text)
        };
        let ctor = arms.iter().find_map(|arm| match arm {
            Type::Ctor(ctor) if *ctor.name == *text => Some(ctor),
            _ => None,
        });
        match ctor {
            Some(ctor) if ctor.fields.0.values().all(|field| field.may_be_left_out()) => {
                return Some(bare("a constructor"));
            }
            Some(ctor) => {
                return Some(report.clone().help(format!("it is written `{}`", form(ctor))));
            }
            None => {}
        }
        if literal(text).is_some_and(|ty| ty.fits(wanted)) {
            return Some(bare("this"));
        }
        let named = self.outer.name(text).filter(|seen| {
            matches!(seen.ty.bare(), Type::Noun(_) | Type::Block(_)) && seen.ty.fits(wanted)
        });
        named.map(|_| bare("a noun"))
    }
}

/// A number where a quantity belongs.
fn unit(found: &Type, wanted: &Type) -> Option<&'static str> {
    if !matches!(found.bare(), Type::Int | Type::Float | Type::Number(_)) {
        return None;
    }
    wanted.arms().iter().find_map(|arm| match arm.bare() {
        Type::Duration => Some("a time is written with its unit: `3d`, `6h` or `30m`"),
        Type::Size => Some("a size is written with its unit: `80GiB` or `1TiB`"),
        _ => None,
    })
}

/// The constructors that could stand there, in words.
pub(super) fn forms(wanted: &Type) -> Option<String> {
    let forms: Vec<String> = wanted
        .arms()
        .iter()
        .filter_map(|arm| match arm {
            Type::Ctor(ctor) => Some(format!("`{}`", form(ctor))),
            _ => None,
        })
        .collect();
    match forms.as_slice() {
        [] => None,
        [only] => Some(format!("it is written {only}")),
        several => Some(format!("its forms are {}", several.join(", "))),
    }
}

/// `torchrun(script: string, ...)`: what has to be given.
fn form(ctor: &Ctor) -> String {
    if ctor.fields.0.is_empty() {
        return ctor.name.to_string();
    }
    let needed = ctor.fields.0.iter().filter(|(_, field)| !field.may_be_left_out());
    let mut fields: Vec<String> =
        needed.map(|(name, field)| format!("{name}: {}", field.ty)).collect();
    if fields.len() < ctor.fields.0.len() {
        fields.push("...".to_owned());
    }
    format!("{}({})", ctor.name, fields.join(", "))
}

/// Whether any text may stand there, not only one that is a fact or a word.
pub(super) fn takes_any_text(wanted: &Type) -> bool {
    wanted.arms().iter().any(|arm| matches!(arm.bare(), Type::Str))
}

/// A literal as it is written.
fn literal_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(_, text) => Some(text),
        _ => None,
    }
}

/// The type of a text if it stood without quotes.
fn literal(text: &str) -> Option<Type> {
    let number = |text: &str| text.replace('_', "").parse::<i64>().is_ok();
    if matches!(text, "true" | "false") {
        return Some(Type::Bool);
    }
    if text == "auto" {
        return Some(Type::Auto);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if number(text) {
        return Some(Type::Int);
    }
    if text.split_once("..").is_some_and(|(from, to)| number(from) && number(to)) {
        return Some(Type::Range);
    }
    if text.parse::<IpAddr>().is_ok() {
        return Some(Type::Address);
    }
    if text.parse::<IpNet>().is_ok() {
        return Some(Type::Cidr);
    }
    if text.parse::<Topology>().is_ok() {
        return Some(Type::Topology);
    }
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return text.parse::<f64>().is_ok().then_some(Type::Float);
    }
    text.parse().ok().map(|quantity| match quantity {
        Quantity::Size(_) => Type::Size,
        Quantity::Duration(_) => Type::Duration,
    })
}
