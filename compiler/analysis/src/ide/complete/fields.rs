//! Fields: of nouns, records and constructors, and members behind a dot.

use super::{Completer, Completion, CompletionKind, scope, snippet};
use crate::infer::Infer;
use crate::schema::{Kind, WAS};
use crate::source_text::is_word;
use crate::types::{Field, Fields, Type};
use slipform_model::plan::is_own;
use slipform_syntax::tree::Expr;
use std::sync::Arc;

impl Completer<'_, '_, '_> {
    /// The fields of a noun, keys or arguments that are not written yet, with a value to fill in.
    ///
    /// Those that may be left out have the rank `later`.
    pub(super) fn fields(&mut self, fields: &Fields, later: u8) {
        let mut examples = snippet::Examples::new(self.analysis);
        for (name, field) in &fields.0 {
            if field.derived || (&**name == "place" && self.is_noun_field(field)) {
                continue;
            }
            let rank = if field.may_be_left_out() { later } else { 0 };
            self.settable(name, field, rank, &mut examples);
        }
    }

    /// Fields that may be written, by their names alone.
    pub(super) fn names_of(&mut self, fields: &Fields) {
        for (name, field) in fields.0.iter().filter(|(_, field)| !field.derived) {
            let field = self.field(name, field, 0);
            self.found.push(field);
        }
    }

    /// Keys of a map that is anybody's own: those that it has elsewhere in the blueprint.
    pub(super) fn new_keys(&mut self) {
        let Some(slot) = self.place.slot.as_deref() else { return };
        for key in self.said_in(slot) {
            if self.place.written.contains(&key) {
                continue;
            }
            let written = if key.chars().all(is_word) { key } else { format!("\"{key}\"") };
            let insert = match self.place.continues {
                true => snippet::escaped(&written),
                false => format!("{} = $1", snippet::escaped(&written)),
            };
            self.found.push(Completion { insert, ..self.item(written, CompletionKind::Field, 0) });
        }
    }

    /// What every noun and every use of a component may say, behind its own fields.
    pub(super) fn words_of_all(&mut self) {
        let Some(field) = self.program.schema.word_of_all(WAS) else { return };
        self.settable(WAS, &field, 3, &mut snippet::Examples::new(self.analysis));
    }

    fn settable(
        &mut self,
        name: &str,
        field: &Field,
        rank: u8,
        examples: &mut snippet::Examples<'_>,
    ) {
        if self.place.written.iter().any(|known| known == name) {
            return;
        }
        let insert = match self.place.continues {
            true => snippet::escaped(name),
            false => {
                let narrowed = self.narrowed(name, field);
                format!("{name} = {}", snippet::value(name, &narrowed, 1, examples))
            }
        };
        self.found.push(Completion { insert, ..self.field(name, field, rank) });
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
        if let Some(kind) = scope::declared_kind(self.analysis, self.program, self.scope, base) {
            self.members_of_block(&ty, wanted);
            return self.members_of_variant(&kind, wanted);
        }
        self.members_of(&ty, wanted);
    }

    /// What is declared inside of a noun.
    fn members_of_block(&mut self, ty: &Type, wanted: Option<&Type>) {
        let Type::Block(block) = ty.bare() else { return };
        for (name, child) in &block.children {
            let one = match child {
                Type::Group(item) => item,
                child => child,
            };
            let fits = wanted.is_none_or(|wanted| one.fits(wanted));
            if fits || !wanted.is_some_and(is_noun) {
                self.found.push(Completion {
                    detail: child.to_string(),
                    ..self.item(&**name, CompletionKind::Noun, u8::from(!fits))
                });
            }
        }
    }

    /// The fields of a noun whose platform is known.
    fn members_of_variant(&mut self, kind: &Kind, wanted: Option<&Type>) {
        for (name, field) in &kind.fields.0 {
            self.member(&kind.name, name, field, wanted);
        }
    }

    /// A field that may be read: where a type is wanted, those of it go first.
    fn member(&mut self, kind: &str, name: &str, field: &Field, wanted: Option<&Type>) {
        let fits = wanted.is_none_or(|wanted| field.ty.set().fits(wanted));
        let readable = field.may_be_read(self.place.facts) || is_own(kind, name);
        if readable && (fits || !wanted.is_some_and(is_noun)) {
            let field = self.field(name, field, if fits { 2 } else { 3 });
            self.found.push(field);
        }
    }

    fn members_of(&mut self, ty: &Type, wanted: Option<&Type>) {
        match ty.bare().clone() {
            Type::Optional(inner) => self.members_of(&inner, wanted),
            Type::Noun(kind) => self.members_of_kind(&kind, wanted),
            Type::Block(block) => {
                self.members_of_block(ty, wanted);
                if let Some(kind) = &block.kind {
                    self.members_of_kind(kind, wanted);
                }
            }
            Type::Record(fields) => self.read(&fields, wanted),
            Type::Ctor(ctor) => self.read(&ctor.fields, wanted),
            Type::Union(arms) => arms.iter().for_each(|arm| self.members_of(arm, wanted)),
            _ => {}
        }
    }

    fn members_of_kind(&mut self, kind: &str, wanted: Option<&Type>) {
        let schema = &self.program.schema;
        let names: Vec<Arc<str>> =
            schema.variants(kind).flat_map(|variant| variant.fields.0.keys().cloned()).collect();
        for name in names {
            let Some(field) = schema.field_of(kind, &name) else { continue };
            self.member(kind, &name, &field, wanted);
        }
    }

    fn read(&mut self, fields: &Fields, wanted: Option<&Type>) {
        for (name, field) in &fields.0 {
            let fits = wanted.is_none_or(|wanted| field.ty.set().fits(wanted));
            let field = self.field(name, field, if fits { 1 } else { 2 });
            self.found.push(field);
        }
    }
}

/// Whether nothing but nouns is wanted.
pub(super) fn is_noun(wanted: &Type) -> bool {
    wanted.arms().iter().all(|arm| matches!(arm, Type::Noun(_) | Type::Auto))
}
