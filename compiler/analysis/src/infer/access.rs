//! Members and elements.

use super::{Infer, path_of, unknown_field};
use crate::check::nouns::TYPES_DERIVED;
use crate::infer::TYPES_MISMATCH;
use crate::infer::fields::NAMES_UNKNOWN_FIELD;
use crate::report::one;
use crate::types::{Block, Field, Type};
use slipform_model::plan::is_own;
use slipform_model::{Diagnostic, nearest};
use slipform_syntax::tree::{Expr, ExprKind, Name, StrPart};
use std::sync::Arc;

impl Infer<'_> {
    pub(super) fn member(&mut self, whole: &Expr, base: &Expr, member: &Name) -> Type {
        let found = self.expr(base, None);
        let path = path_of(whole);
        let is_set = path.as_ref().is_some_and(|path| self.set.contains(path));
        let ty = self.member_of(&found, base, member);
        if is_set { ty.set() } else { ty }
    }

    fn member_of(&mut self, found: &Type, base: &Expr, member: &Name) -> Type {
        match found.bare() {
            Type::Unknown => Type::Unknown,
            Type::Optional(inner) if self.facts => {
                let inner = (**inner).clone();
                self.member_of(&inner, base, member).optional()
            }
            Type::Optional(_) => {
                self.may_be_absent(base);
                Type::Unknown
            }
            // what is meant may be declared where nothing could be read
            Type::Noun(_) if self.reports.has_lost_names() => Type::Unknown,
            Type::Noun(kind) => self.field_or_child(kind, member, Vec::new()),
            Type::Block(block) => self.member_of_block(block, member),
            Type::Record(fields) => match fields.0.get(member.value.as_str()) {
                Some(field) => {
                    self.index.field(member.span, &member.value, field);
                    field.read()
                }
                None => self.no_member("this record", member, fields.0.keys()),
            },
            Type::Map(_, value) => (**value).clone(),
            Type::Ctor(_) | Type::Union(_) => self.ctor_field(found, member),
            Type::Group(_) => {
                self.reports.add(
                    Diagnostic::error(
                        TYPES_MISMATCH,
                        "a loop declared several of these",
                        base.span,
                    )
                    .help("pick one by its key: `name[\"key\"]`"),
                );
                Type::Unknown
            }
            other => {
                self.reports.error(
                    NAMES_UNKNOWN_FIELD,
                    format!("`{other}` has no fields"),
                    member.span,
                );
                Type::Unknown
            }
        }
    }

    /// What is declared inside comes before the fields of the noun itself.
    fn member_of_block(&mut self, block: &Block, member: &Name) -> Type {
        if let Some(child) = block.children.get(member.value.as_str()) {
            return child.clone();
        }
        if self.reports.has_lost_names() {
            return Type::Unknown;
        }
        let children = block.children.keys();
        match &block.kind {
            Some(kind) => {
                self.field_or_child(kind, member, children.map(|name| name.to_string()).collect())
            }
            None => self.no_member("this component", member, children),
        }
    }

    fn no_member<'n>(
        &mut self,
        of: &str,
        member: &Name,
        known: impl Iterator<Item = &'n Arc<str>>,
    ) -> Type {
        let known = known.map(|name| &**name);
        self.reports.add_once(unknown_field(&member.value, of, member.span, known));
        Type::Unknown
    }

    fn field_or_child(&mut self, kind: &str, member: &Name, children: Vec<String>) -> Type {
        let Some(field) = self.schema.field_of(kind, &member.value) else {
            let mut known = children;
            for variant in self.schema.variants(kind) {
                known.extend(variant.fields.0.keys().map(|name| name.to_string()));
            }
            let report = match nearest(&member.value, known.iter().map(String::as_str)) {
                Some(_) => unknown_field(
                    &member.value,
                    &one(kind),
                    member.span,
                    known.iter().map(String::as_str),
                ),
                None => Diagnostic::error(
                    NAMES_UNKNOWN_FIELD,
                    format!(
                        "a {kind} has no field `{}`, and nothing inside is called so",
                        member.value
                    ),
                    member.span,
                ),
            };
            self.reports.add_once(report);
            return Type::Unknown;
        };
        self.index.field(member.span, &member.value, &field);
        self.derived(kind, &field, member);
        field.read()
    }

    /// Facts that follow from the whole blueprint cannot be part of it.
    fn derived(&mut self, kind: &str, field: &Field, member: &Name) {
        if !field.may_be_read(self.facts) && !is_own(kind, &member.value) {
            self.reports.add(
                Diagnostic::error(
                    TYPES_DERIVED,
                    format!(
                        "`{}` follows from the whole blueprint, so a field cannot depend on it",
                        member.value
                    ),
                    member.span,
                )
                .help("rules, asserts and outputs may use it"),
            );
        }
    }

    /// A field that some constructors of a sum type have: absent in the others.
    fn ctor_field(&mut self, found: &Type, member: &Name) -> Type {
        let arms = found.arms();
        let having: Vec<Type> = arms
            .iter()
            .filter_map(|arm| match arm {
                Type::Ctor(ctor) => ctor.fields.0.get(member.value.as_str()).map(Field::read),
                Type::Noun(kind) => {
                    self.schema.field_of(kind, &member.value).map(|field| field.read())
                }
                Type::Block(block) => block
                    .kind
                    .as_ref()
                    .and_then(|kind| self.schema.field_of(kind, &member.value))
                    .map(|field| field.read()),
                Type::Record(fields) => fields.0.get(member.value.as_str()).map(Field::read),
                _ => None,
            })
            .collect();
        if having.is_empty() {
            self.reports.error(
                NAMES_UNKNOWN_FIELD,
                format!("no form of `{found}` has a field `{}`", member.value),
                member.span,
            );
            return Type::Unknown;
        }
        let everywhere = having.len() == arms.len();
        let ty = Type::union(having);
        if everywhere { ty } else { ty.optional() }
    }

    pub(super) fn index(&mut self, base: &Expr, at: &Expr) -> Type {
        let found = self.expr(base, None);
        match found.bare() {
            Type::List(item) => {
                let item = (**item).clone();
                self.check(at, &Type::Int);
                item
            }
            Type::Map(_, value) => {
                let value = (**value).clone();
                self.check(at, &Type::Str);
                value
            }
            Type::Group(item) => {
                let item = (**item).clone();
                self.check(at, &Type::union([Type::Str, Type::Int]));
                item
            }
            Type::Record(fields) => {
                let key = match &at.kind {
                    ExprKind::Str(parts) => match parts.as_slice() {
                        [StrPart::Text(text)] => fields.0.get(&**text).map(Field::read),
                        _ => None,
                    },
                    _ => None,
                };
                let all = Type::union(fields.0.values().map(Field::read).collect::<Vec<_>>());
                self.check(at, &Type::Str);
                key.unwrap_or(all)
            }
            Type::Unknown => {
                self.expr(at, None);
                Type::Unknown
            }
            other => {
                let message = format!("`{other}` has no elements");
                self.expr(at, None);
                self.reports.error(TYPES_MISMATCH, message, base.span);
                Type::Unknown
            }
        }
    }
}
