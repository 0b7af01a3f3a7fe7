//! Types. Parentheses are written where the tree needs them, and nowhere else.

use super::exprs::{CALL, Element, LINES, Value};
use super::rows::{column_behind, width};
use super::{INDENT, Printer, WIDTH};
use crate::tree::*;

impl<'t> Printer<'t> {
    /// A type that starts in `column` of a line that is indented by `indent`; `tail` columns stand behind it.
    pub(super) fn ty(
        &mut self,
        it: &TypeExpr,
        indent: usize,
        column: usize,
        tail: usize,
    ) -> String {
        if let Some(flat) = self.flat_ty(it)
            && (column + width(&flat) + tail <= WIDTH || !can_break(it))
        {
            return flat;
        }
        self.broken_ty(it, indent, column, tail)
    }

    /// `type = default`; the default is broken rather than the type.
    pub(super) fn ty_and_default(
        &mut self,
        ty: &TypeExpr,
        default: Option<&Expr>,
        indent: usize,
        column: usize,
        tail: usize,
    ) -> String {
        let Some(default) = default else { return self.ty(ty, indent, column, tail) };
        let opener = 1;
        let least = match self.flat(default) {
            Some(flat) if !super::exprs::can_break(default) => width(&flat) + tail,
            _ => opener,
        };
        let mut out = self.ty(ty, indent, column, least + 3);
        out += " = ";
        let column = column_behind(&out, column);
        out + &self.expr(default, indent, column, tail)
    }

    /// On one line; `None` where the author, a comment or a long string forbids it.
    fn flat_ty(&self, it: &TypeExpr) -> Option<String> {
        if self.slice(it.span).contains('\n') && self.has_comment(it.span) {
            return None;
        }
        Some(match &it.kind {
            TypeExprKind::Name(name) => name.to_string(),
            TypeExprKind::Word(_) => return self.word(it),
            TypeExprKind::Optional(of) => format!("{}?", self.flat_part(of, Around::Optional)?),
            TypeExprKind::Deferred(of) => {
                format!("deferred {}", self.flat_part(of, Around::Deferred)?)
            }
            TypeExprKind::List(of) => format!("[{}]", self.flat_ty(of)?),
            TypeExprKind::Map(key, value) => {
                format!("{{{}: {}}}", self.flat_ty(key)?, self.flat_ty(value)?)
            }
            TypeExprKind::Record(fields) if fields.is_empty() => "{}".into(),
            TypeExprKind::Record(fields) => {
                self.not_opened(it.span.start, true)?;
                format!("{{ {} }}", self.flat_fields(fields)?)
            }
            TypeExprKind::Constructor(name, fields) => {
                self.not_opened(name.span.end, !fields.is_empty())?;
                format!("{}({})", name.value, self.flat_fields(fields)?)
            }
            TypeExprKind::Union(parts) => {
                let parts: Option<Vec<_>> =
                    parts.iter().map(|part| self.flat_part(part, Around::Union)).collect();
                parts?.join(" | ")
            }
            TypeExprKind::In(of, range) => {
                format!("{} in {}", self.flat_part(of, Around::Limit)?, self.flat(range)?)
            }
            TypeExprKind::Matching(of, regex) => {
                format!("{} matching {}", self.flat_part(of, Around::Limit)?, self.flat(regex)?)
            }
            TypeExprKind::Missing => return None,
        })
    }

    /// A word, quotes included, also where the type stood in parentheses.
    fn word(&self, it: &TypeExpr) -> Option<String> {
        let source = self.slice(it.span);
        let start = source.find('"')?;
        let end = source.rfind('"')?;
        source.get(start..=end).map(str::to_owned)
    }

    fn flat_part(&self, it: &TypeExpr, around: Around) -> Option<String> {
        let flat = self.flat_ty(it)?;
        Some(if needs_parens(it, around) { format!("({flat})") } else { flat })
    }

    fn flat_fields(&self, fields: &[RecordField]) -> Option<String> {
        let mut out = Vec::new();
        for field in fields {
            let mut text = format!("{}: {}", field.name.value, self.flat_ty(&field.ty)?);
            if let Some(default) = &field.default {
                text = text + " = " + &self.flat(default)?;
            }
            out.push(text);
        }
        Some(out.join(", "))
    }

    fn is_broken_union(&self, parts: &[TypeExpr]) -> bool {
        let links = parts.iter().zip(parts.iter().skip(1));
        links.into_iter().any(|(left, right)| {
            self.is_broken_between(left.span.end as usize, right.span.start as usize)
        })
    }

    /// Behind `type Name =`: the parts of a union a line each, if it is broken or does not fit.
    pub(super) fn union_lines(
        &mut self,
        parts: &[TypeExpr],
        whole: &TypeExpr,
        indent: usize,
        head: usize,
    ) -> Option<String> {
        let fits = self.flat_ty(whole).is_some_and(|flat| indent + head + width(&flat) <= WIDTH);
        if fits && !self.is_broken_union(parts) {
            return None;
        }
        let inner = indent + INDENT;
        let mut out = String::new();
        for part in parts {
            out += &format!("\n{:inner$}| ", "");
            out += &self.ty_part(part, inner, inner + 2, 0, Around::Union);
        }
        Some(out)
    }

    fn ty_part(
        &mut self,
        it: &TypeExpr,
        indent: usize,
        column: usize,
        tail: usize,
        around: Around,
    ) -> String {
        if needs_parens(it, around) {
            return format!("({})", self.ty(it, indent, column + 1, tail + 1));
        }
        self.ty(it, indent, column, tail)
    }

    fn broken_ty(&mut self, it: &TypeExpr, indent: usize, column: usize, tail: usize) -> String {
        match &it.kind {
            TypeExprKind::Record(fields) => {
                let elements = fields.iter().map(field_element).collect();
                self.bracket(LINES, it.span.start as usize, it.span.end as usize, elements, indent)
            }
            TypeExprKind::Constructor(name, fields) => {
                let elements = fields.iter().map(field_element).collect();
                let open = name.span.end as usize;
                name.to_string() + &self.bracket(CALL, open, it.span.end as usize, elements, indent)
            }
            TypeExprKind::Union(parts) => self.filled_union(parts, indent, column, tail),
            TypeExprKind::Optional(of) => {
                self.ty_part(of, indent, column, tail + 1, Around::Optional) + "?"
            }
            TypeExprKind::Deferred(of) => {
                format!("deferred {}", self.ty_part(of, indent, column + 9, tail, Around::Deferred))
            }
            TypeExprKind::List(of) => format!("[{}]", self.ty(of, indent, column + 1, tail + 1)),
            TypeExprKind::Map(key, value) => {
                let key = self.ty(key, indent, column + 1, 0);
                let value = self.ty(value, indent, column + width(&key) + 3, tail + 1);
                format!("{{{key}: {value}}}")
            }
            TypeExprKind::In(of, expr) | TypeExprKind::Matching(of, expr) => {
                let word =
                    if matches!(it.kind, TypeExprKind::In(..)) { " in " } else { " matching " };
                let of = self.ty_part(of, indent, column, 0, Around::Limit) + word;
                let at = column_behind(&of, column);
                of + &self.expr(expr, indent, at, tail)
            }
            _ => self.slice(it.span).to_owned(),
        }
    }

    /// As many parts on each line as fit.
    fn filled_union(
        &mut self,
        parts: &[TypeExpr],
        indent: usize,
        column: usize,
        tail: usize,
    ) -> String {
        let inner = indent + INDENT;
        let mut out = String::new();
        for (index, part) in parts.iter().enumerate() {
            let behind = if index + 1 == parts.len() { tail } else { 2 };
            if index > 0 {
                let at = column_behind(&out, column);
                let fits = self
                    .flat_part(part, Around::Union)
                    .is_some_and(|flat| at + 3 + width(&flat) + behind <= WIDTH);
                if fits {
                    out += " | ";
                } else {
                    out += &format!(" |\n{:inner$}", "");
                }
            }
            let at = column_behind(&out, column);
            out += &self.ty_part(part, inner, at, behind, Around::Union);
        }
        out
    }
}

fn field_element(field: &RecordField) -> Element<'_> {
    let end = field.default.as_ref().map_or(field.ty.span, |default| default.span);
    let span = field.name.span.to(field.ty.span).to(end);
    let head = format!("{}: ", field.name.value);
    Element { span, cell: None, head, value: Value::Field(&field.ty, field.default.as_ref()) }
}

/// What stands around a type.
#[derive(Clone, Copy)]
enum Around {
    Union,
    Optional,
    Deferred,
    /// `in` or `matching` behind it.
    Limit,
}

fn needs_parens(it: &TypeExpr, around: Around) -> bool {
    use TypeExprKind as Kind;
    match around {
        Around::Union => matches!(it.kind, Kind::Union(_)),
        Around::Optional => matches!(it.kind, Kind::Union(_) | Kind::Optional(_)),
        Around::Limit => matches!(it.kind, Kind::Union(_) | Kind::In(..) | Kind::Matching(..)),
        Around::Deferred => matches!(
            it.kind,
            Kind::Union(_)
                | Kind::Optional(_)
                | Kind::In(..)
                | Kind::Matching(..)
                | Kind::Deferred(_)
        ),
    }
}

fn can_break(it: &TypeExpr) -> bool {
    match &it.kind {
        TypeExprKind::Union(_) => true,
        TypeExprKind::Record(fields) | TypeExprKind::Constructor(_, fields) => !fields.is_empty(),
        TypeExprKind::Optional(of) | TypeExprKind::Deferred(of) | TypeExprKind::List(of) => {
            can_break(of)
        }
        TypeExprKind::Map(_, of) => can_break(of),
        TypeExprKind::In(..) | TypeExprKind::Matching(..) => true,
        TypeExprKind::Name(_) | TypeExprKind::Word(_) | TypeExprKind::Missing => false,
    }
}
