//! Types as written.

use super::strings::plain_text;
use super::{Lower, Node, inner, nesting};
use crate::grammar::Rule;
use crate::parse::MAX_NESTING;
use crate::parse::lower::holes::SYNTAX_TYPE;
use crate::tree::{Doc, Lexeme, Problem, RecordField, TypeExpr, TypeExprKind};
use slipform_source::{Span, Spanned};

/// A part of a union as far as it has been read.
type Whole = Option<TypeExpr>;

impl<'t> Lower<'t> {
    /// The type of a `ty`; a hole for anything else.
    pub(super) fn ty(&mut self, node: Node<'t>) -> TypeExpr {
        let span = self.span(&node);
        if node.as_rule() != Rule::ty {
            self.hole(&node);
            let at = self.place(&node);
            return TypeExpr { span: self.span_at(at, at), kind: TypeExprKind::Missing };
        }
        let mut parts = Vec::new();
        for part in inner(node) {
            parts.push(match part.as_rule() {
                Rule::ty_part => self.ty_part(part),
                _ => self.ty(part),
            });
        }
        if parts.len() == 1 {
            return parts.pop().unwrap_or(TypeExpr { span, kind: TypeExprKind::Missing });
        }
        TypeExpr { span, kind: TypeExprKind::Union(parts) }
    }

    /// Where no type is written at all: a hole behind `span`, already reported.
    pub(super) fn no_ty(&self, span: Span) -> TypeExpr {
        TypeExpr { span: span.at_end(), kind: TypeExprKind::Missing }
    }

    /// `deferred T? in 1..8`: `deferred` binds tighter than `?`, `in` and `matching` are outermost.
    fn ty_part(&mut self, node: Node<'t>) -> TypeExpr {
        let span = self.span(&node);
        let parts = node.into_inner();
        let height = parts.len();
        self.depth += height;
        let ty = if self.depth > 2 * MAX_NESTING {
            self.report(nesting(span));
            TypeExpr { span, kind: TypeExprKind::Missing }
        } else {
            self.ty_suffixes(parts.filter(|part| part.as_rule() != Rule::comment), span)
        };
        self.depth -= height;
        ty
    }

    fn ty_suffixes(&mut self, parts: impl Iterator<Item = Node<'t>>, whole: Span) -> TypeExpr {
        let mut prefixes = Vec::new();
        let mut ty: Whole = None;
        for part in parts {
            let part_span = self.span(&part);
            let to = |ty: &TypeExpr| ty.span.to(part_span);
            ty = match (part.as_rule(), ty) {
                (Rule::ty_deferred, before) => {
                    prefixes.push(part_span);
                    before
                }
                (Rule::ty_optional, Some(of)) => {
                    Some(TypeExpr { span: to(&of), kind: TypeExprKind::Optional(Box::new(of)) })
                }
                (Rule::ty_in, Some(of)) => {
                    let range = Box::new(self.header(part));
                    Some(TypeExpr { span: to(&of), kind: TypeExprKind::In(Box::new(of), range) })
                }
                (Rule::ty_matching, Some(of)) => {
                    let regex = Box::new(self.header(part));
                    Some(TypeExpr {
                        span: to(&of),
                        kind: TypeExprKind::Matching(Box::new(of), regex),
                    })
                }
                _ => {
                    let mut primary = self.ty_primary(part);
                    while let Some(prefix) = prefixes.pop() {
                        primary = TypeExpr {
                            span: prefix.to(primary.span),
                            kind: TypeExprKind::Deferred(Box::new(primary)),
                        };
                    }
                    Some(primary)
                }
            };
        }
        ty.unwrap_or(TypeExpr { span: whole, kind: TypeExprKind::Missing })
    }

    fn ty_primary(&mut self, node: Node<'t>) -> TypeExpr {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::ty_name => self.ty_name(node),
            Rule::ty_word => self.ty_word(node),
            Rule::ty_list => TypeExprKind::List(Box::new(self.ty_bracketed(node))),
            Rule::ty_paren => return TypeExpr { span, ..self.ty_bracketed(node) },
            _ => self.ty_record(node),
        };
        TypeExpr { span, kind }
    }

    fn ty_name(&mut self, node: Node<'t>) -> TypeExprKind {
        let mut name = Spanned::new(Lexeme::default(), self.span(&node));
        let mut fields = None;
        for part in inner(node) {
            match part.as_rule() {
                Rule::word => name = self.name(&part),
                _ => fields = Some(self.ty_fields(part)),
            }
        }
        match fields {
            Some(fields) => TypeExprKind::Constructor(name, fields),
            None => TypeExprKind::Name(name.value),
        }
    }

    fn ty_word(&mut self, node: Node<'t>) -> TypeExprKind {
        let span = self.span(&node);
        let Some(part) = inner(node).next() else { return TypeExprKind::Missing };
        if part.as_rule() != Rule::plain {
            self.report(Problem::new(
                SYNTAX_TYPE,
                "a word of a type is a plain string",
                span,
                "no escapes and no `${...}` here",
            ));
            return TypeExprKind::Missing;
        }
        TypeExprKind::Word(plain_text(part.as_str()).unwrap_or_default().into())
    }

    fn ty_bracketed(&mut self, node: Node<'t>) -> TypeExpr {
        let open = node.as_span().start();
        let span = self.span(&node);
        let mut ty = None;
        for child in inner(node) {
            match child.as_rule() {
                Rule::ty | Rule::no_type => ty = Some(self.ty(child)),
                _ => self.closer(&child, open),
            }
        }
        ty.unwrap_or_else(|| self.no_ty(span))
    }

    /// `{string: T}` and `{ZoneName: T}` map: one name of a type, by custom in CamelCase, without a default.
    /// All else is a record.
    fn ty_record(&mut self, node: Node<'t>) -> TypeExprKind {
        let mut fields = self.ty_fields(node);
        let of_type =
            |name: &str| name == "string" || name.starts_with(|c: char| c.is_ascii_uppercase());
        let maps = fields.len() == 1
            && fields.iter().all(|f| of_type(&f.name.value) && f.default.is_none());
        match fields.pop() {
            Some(field) if maps => {
                let key =
                    TypeExpr { span: field.name.span, kind: TypeExprKind::Name(field.name.value) };
                TypeExprKind::Map(Box::new(key), Box::new(field.ty))
            }
            last => {
                fields.extend(last);
                TypeExprKind::Record(fields)
            }
        }
    }

    fn ty_fields(&mut self, node: Node<'t>) -> Vec<RecordField> {
        let open = node.as_span().start();
        let mut fields = Vec::new();
        let mut docs = self.docs(open + 1);
        for child in node.into_inner() {
            match child.as_rule() {
                Rule::comment => docs.comment(&child),
                Rule::ty_field => {
                    let doc = docs.above(&child);
                    fields.extend(self.ty_field(child, doc));
                }
                _ => self.closer(&child, open),
            }
        }
        fields
    }

    fn ty_field(&mut self, node: Node<'t>, doc: Option<Doc>) -> Option<RecordField> {
        let span = self.span(&node);
        let mut parts = inner(node);
        let name = self.name(&parts.next()?);
        let mut field = RecordField { doc, name, ty: self.no_ty(span), default: None };
        for part in parts {
            match part.as_rule() {
                Rule::ty | Rule::no_type => field.ty = self.ty(part),
                Rule::expr | Rule::no_expr => field.default = Some(self.expr(part)),
                _ => self.hole(&part),
            }
        }
        Some(field)
    }
}
