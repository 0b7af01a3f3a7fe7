//! Fields: of nouns, records and constructors, and members behind a dot.

use super::{Completer, Completion, CompletionKind, snippet};
use crate::infer::Infer;
use crate::types::{Field, Fields, Type};
use slipform_syntax::tree::Expr;
use std::sync::Arc;

impl Completer<'_, '_, '_> {
    /// The fields of a noun, keys or arguments that are not written yet, with a value to fill in.
    pub(super) fn fields(&mut self, fields: &Fields) {
        let mut examples = snippet::Examples::new(self.analysis);
        for (name, field) in &fields.0 {
            let written = self.place.written.iter().any(|known| **known == **name);
            if field.derived || written || (&**name == "place" && self.is_noun_field(field)) {
                continue;
            }
            let insert = match self.place.continues {
                true => snippet::escaped(name),
                false => format!("{name} = {}", snippet::value(name, field, 1, &mut examples)),
            };
            let rank = if field.may_be_left_out() { 1 } else { 0 };
            self.found.push(Completion { insert, ..self.field(name, field, rank) });
        }
    }

    /// The place of a noun is written behind `on`.
    fn is_noun_field(&self, field: &Field) -> bool {
        field.ty.arms().iter().any(|arm| matches!(arm, Type::Noun(_)))
    }

    fn field(&self, name: &str, field: &Field, rank: u8) -> Completion {
        let default =
            field.default.as_ref().map(|default| self.analysis.sources.text(default.span));
        let default = default.filter(|text| !text.contains('\n')).map(|text| format!(" = {text}"));
        Completion {
            detail: format!("{}{}", field.ty, default.unwrap_or_default()),
            doc: field.doc.clone(),
            ..self.item(name, CompletionKind::Field, rank)
        }
    }

    /// What an expression has behind its dot.
    pub(super) fn members(&mut self, base: &Expr, wanted: Option<&Type>) {
        let schema = &self.program.schema;
        let reports = &mut *self.checker.reports;
        let mut infer = Infer::new(schema, reports, self.checker.index, self.scope, true);
        let ty = infer.expr(base, None);
        self.members_of(&ty, wanted);
    }

    fn members_of(&mut self, ty: &Type, wanted: Option<&Type>) {
        match ty.bare().clone() {
            Type::Optional(inner) => self.members_of(&inner, wanted),
            Type::Noun(kind) => self.members_of_kind(&kind),
            Type::Block(block) => {
                for (name, child) in &block.children {
                    let rank = u8::from(wanted.is_some_and(|wanted| !child.fits(wanted)));
                    let kind = CompletionKind::Noun;
                    self.found.push(Completion {
                        detail: child.to_string(),
                        ..self.item(&**name, kind, rank)
                    });
                }
                if let Some(kind) = &block.kind {
                    self.members_of_kind(kind);
                }
            }
            Type::Record(fields) => self.read(&fields),
            Type::Ctor(ctor) => self.read(&ctor.fields),
            Type::Union(arms) => arms.iter().for_each(|arm| self.members_of(arm, wanted)),
            _ => {}
        }
    }

    fn members_of_kind(&mut self, kind: &str) {
        let schema = &self.program.schema;
        let names: Vec<Arc<str>> =
            schema.variants(kind).flat_map(|variant| variant.fields.0.keys().cloned()).collect();
        for name in names {
            let Some(field) = schema.field_of(kind, &name) else { continue };
            if field.may_be_read(self.place.facts) {
                let field = self.field(&name, &field, 2);
                self.found.push(field);
            }
        }
    }

    fn read(&mut self, fields: &Fields) {
        for (name, field) in &fields.0 {
            let field = self.field(name, field, 1);
            self.found.push(field);
        }
    }
}
