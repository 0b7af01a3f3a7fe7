//! Places in rules.

use super::{Reader, Sought, Wanted};
use crate::rules::kinds_of;
use crate::types::{Field, Fields, Type};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{ClauseKind, Expr, ExprKind, Mend, RuleDecl};
use std::sync::Arc;

impl Reader<'_> {
    pub(super) fn in_rule(&self, rule: &RuleDecl, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        match inside.first() {
            None => return self.stand_in.starts().then_some(Wanted::Clause),
            Some(NodeRef::Clause(clause)) => {
                let is_text = told(&clause.kind).is_some_and(|it| self.stand_in.is_in(it.span));
                if let ClauseKind::Fix(mend) = &clause.kind {
                    return self.in_fix(rule, mend, inside.get(1..)?);
                }
                let inside = inside.get(1..)?;
                return match &clause.kind {
                    ClauseKind::When(_) | ClauseKind::Require(_) => self.condition(inside),
                    ClauseKind::For(..) => self.expected().walked(inside),
                    // a version that nobody can know
                    ClauseKind::Since(_) => None,
                    ClauseKind::Label(place, _) if self.stand_in.is_in(place.span) => {
                        let bare =
                            matches!(inside, [NodeRef::Expr(Expr { kind: ExprKind::Name(_), .. })]);
                        match bare {
                            true => Some(Wanted::Sought(Sought::Part(self.parts(rule)))),
                            false => self.value(inside, None),
                        }
                    }
                    _ => self.value(inside, is_text.then_some(Type::Str)),
                };
            }
            Some(_) => {}
        }
        rule.on.iter().find_map(|kind| match kind.as_slice() {
            [kind, ..] if self.is_at(kind) => Some(Wanted::Kind(false)),
            [kind, platform] if self.is_at(platform) => {
                Some(Wanted::Platform(kind.value.to_string()))
            }
            _ => None,
        })
    }

    /// What a report of a rule can point at: the noun, its fields, and what it is declared in.
    fn parts(&self, rule: &RuleDecl) -> Vec<String> {
        let kinds = kinds_of(rule).flat_map(|(name, platform)| {
            let known = self.schema.kind(name, platform);
            known.into_iter().chain(self.schema.variants(name).filter(move |_| known.is_none()))
        });
        let parts = kinds.flat_map(|kind| {
            let settable = kind.fields.0.iter().filter(|(_, field)| !field.derived);
            settable
                .map(|(name, _)| name.to_string())
                .chain(kind.parent.as_deref().map(str::to_owned))
        });
        std::iter::once("self".to_owned()).chain(parts).collect()
    }

    /// A field of the noun that a rule speaks of, or what it is set to.
    fn in_fix(&self, rule: &RuleDecl, mend: &Mend, inside: &[NodeRef<'_>]) -> Option<Wanted> {
        let (name, platform) = kinds_of(rule).next()?;
        let known = self.schema.kind(name, platform);
        let kind = known.or_else(|| self.schema.variants(name).next())?;
        let place = match mend {
            Mend::Remove(place) | Mend::Set(place, _) => place,
        };
        let bare = matches!(inside, [NodeRef::Expr(Expr { kind: ExprKind::Name(_), .. })]);
        if self.stand_in.is_in(place.span) {
            return match bare {
                true => Some(Wanted::Named(Arc::new(Fields(kind.fields.0.clone())))),
                false => self.value(inside, None),
            };
        }
        let ty = match &place.kind {
            ExprKind::Name(name) => kind.fields.0.get(name.as_str()).map(Field::written),
            _ => None,
        };
        self.value(inside, ty)
    }
}

/// What a line of a rule says to whoever breaks it.
fn told(clause: &ClauseKind) -> Option<&Expr> {
    match clause {
        ClauseKind::Says(_, text)
        | ClauseKind::Label(_, text)
        | ClauseKind::Help(text)
        | ClauseKind::Symptom(text) => Some(text),
        ClauseKind::When(_)
        | ClauseKind::Let(..)
        | ClauseKind::For(..)
        | ClauseKind::Require(_)
        | ClauseKind::Fix(_)
        | ClauseKind::Since(_) => None,
    }
}
