//! The uses of components: what they are given, and what they still need.

use super::nouns::{allowing_absent, misplaced_on};
use super::{Checker, Scope};
use crate::check::NAMES_PLACE;
use crate::check::nouns::NAMES_PLATFORM;
use crate::infer::{paths_set_when, unknown_field};
use crate::types::{Fields, Type};
use slipform_source::Span;
use slipform_syntax::tree::{Decl, Stmt, StmtKind};
use std::collections::BTreeMap;

impl<'t> Checker<'_, 't> {
    pub(super) fn component_attrs(
        &mut self,
        body: &'t [Stmt],
        decl: &Decl,
        fields: &Fields,
        scope: &Scope<'_>,
    ) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Attr(attr) => match fields.0.get(attr.name.value.as_str()) {
                    Some(field) => {
                        self.index.field(attr.name.span, &attr.name.value, field);
                        self.infer(scope, false).check(&attr.value, &allowing_absent(field));
                    }
                    None if self.word_of_all(attr, scope) => {}
                    None => {
                        self.infer(scope, false).expr(&attr.value, None);
                        let report = misplaced_on(attr, fields, decl).unwrap_or_else(|| {
                            let known = fields.0.keys().map(|name| &**name);
                            let of = format!("the component `{}`", decl.kind.value);
                            unknown_field(&attr.name.value, &of, attr.name.span, known)
                        });
                        self.reports.add(report);
                    }
                },
                StmtKind::If(choice) => {
                    self.infer(scope, false).check(&choice.condition, &Type::Bool);
                    let then = scope.assuming(paths_set_when(&choice.condition, true));
                    self.component_attrs(&choice.then, decl, fields, &then);
                    let otherwise = choice.otherwise.as_deref().unwrap_or_default();
                    let scope = scope.assuming(paths_set_when(&choice.condition, false));
                    self.component_attrs(otherwise, decl, fields, &scope);
                }
                StmtKind::Error => {}
                _ => {
                    self.reports.error(NAMES_PLACE, "a component takes attributes only", stmt.span)
                }
            }
        }
    }

    pub(super) fn component_use(&mut self, decl: &'t Decl, fields: &Fields, scope: &Scope<'_>) {
        let mut written: BTreeMap<&str, Span> = BTreeMap::new();
        let sure = self.written(&decl.body, &mut written);
        self.component_attrs(&decl.body, decl, fields, scope);
        if let Some(on) = &decl.on {
            match fields.0.get("place") {
                Some(field) => {
                    written.insert("place", on.span);
                    self.infer(scope, false).check(on, &field.ty);
                }
                None => {
                    let message =
                        format!("the component `{}` is not `on` anything", decl.kind.value);
                    self.reports.error(NAMES_PLATFORM, message, on.span);
                }
            }
        }
        if sure {
            self.missing(decl, &format!("the component `{}`", decl.kind.value), fields, &written);
        }
    }
}
