//! Names that stand for a value of a type.

use super::place::mount_of;
use super::{Completer, Completion, CompletionKind, scope};
use crate::infer::Outer;
use crate::types::Type;
use slipform_syntax::tree::Doc;
use std::collections::BTreeSet;

/// How deep nouns are looked for inside of others.
const DEEPEST: usize = 3;

impl Completer<'_, '_, '_> {
    /// The names around the place that fit, and those with something inside that may.
    pub(super) fn names(&mut self, wanted: Option<&Type>) {
        let names: BTreeSet<String> = self.scope.names().into_iter().collect();
        for name in names {
            let Some(seen) = self.scope.name(&name) else { continue };
            if self.place.own.contains(&name) {
                continue;
            }
            self.name(&name, &seen.ty, seen.doc.clone(), wanted, 0);
        }
        self.mounts(wanted);
        let keyword = self.item("if", CompletionKind::Keyword, 27);
        let insert = "if ${1:condition} { $2 \\} else { $3 \\}".to_owned();
        self.found.push(Completion { insert, ..keyword });
    }

    /// Where a mount is wanted, what can be mounted with `at`.
    fn mounts(&mut self, wanted: Option<&Type>) {
        let Some(mount) = wanted.and_then(mount_of) else { return };
        let Some(source) = mount.fields.0.get("source").map(|field| &field.ty) else { return };
        let names: BTreeSet<String> = self.scope.names().into_iter().collect();
        for name in names {
            let fits = self.scope.name(&name).filter(|seen| seen.ty.set().fits(source));
            if let Some(ty) = fits.map(|seen| seen.ty.to_string()) {
                let insert = format!("{name} at \"/${{1:{name}}}\"");
                let item = self.item(&*name, CompletionKind::Noun, 0);
                self.found.push(Completion { insert, detail: ty, ..item });
            }
        }
    }

    fn name(
        &mut self,
        path: &str,
        ty: &Type,
        doc: Option<Doc>,
        wanted: Option<&Type>,
        depth: usize,
    ) {
        let block = match ty {
            Type::Block(block) => Some(block.clone()),
            _ => None,
        };
        let is_noun =
            block.as_ref().is_some_and(|block| block.kind.is_some()) || matches!(ty, Type::Noun(_));
        let fits = wanted.is_none_or(|wanted| suits(&ty.set(), wanted))
            && !matches!(ty, Type::Unknown)
            && !(depth == 0 && self.runs_nothing(path, wanted));
        let arms = wanted.map(Type::arms).unwrap_or_default();
        let listed = arms.iter().any(is_listed);
        let inside = depth == 0 && !(listed && arms.iter().all(is_found));
        let holds = inside && wanted.is_some_and(|wanted| self.holds(ty, wanted, depth));
        if fits || holds {
            let kind = if is_noun { CompletionKind::Noun } else { CompletionKind::Name };
            let rank = match (fits, wanted) {
                (true, Some(_)) => u8::from(listed && !is_noun),
                (true, None) => 1,
                (false, _) => 25,
            };
            self.found.push(Completion {
                detail: ty.to_string(),
                doc,
                ..self.item(path, kind, rank)
            });
        }
        let Some(block) = block.filter(|_| depth < DEEPEST && wanted.is_some()) else { return };
        for (child, ty) in &block.children {
            self.name(&format!("{path}.{child}"), ty, None, wanted, depth + 1);
        }
    }

    /// Whether a place of runs is wanted, and this is a cluster whose pools or partitions run them.
    fn runs_nothing(&self, name: &str, wanted: Option<&Type>) -> bool {
        let is = |arm: &Type, kind: &str| matches!(arm, Type::Noun(of) if **of == *kind);
        let arms = wanted.map(Type::arms).unwrap_or_default();
        let place = ["cluster", "pool"].iter().all(|kind| arms.iter().any(|arm| is(arm, kind)));
        let kind = || scope::kind_named(self.analysis, self.program, self.scope, name);
        place && kind().is_some_and(|kind| !kind.fields.0.contains_key("machine"))
    }

    /// Whether something inside of a value fits.
    fn holds(&self, ty: &Type, wanted: &Type, depth: usize) -> bool {
        let inner =
            |ty: &Type| suits_inside(&ty.set(), wanted) || self.holds(ty, wanted, depth + 1);
        if depth == DEEPEST {
            return false;
        }
        match ty.set().bare() {
            Type::Record(fields) => fields.0.values().any(|field| inner(&field.ty)),
            Type::Map(_, value) => inner(value),
            Type::Group(item) => inner(item),
            Type::Noun(kind) => self.kind_holds(kind, wanted),
            Type::Block(block) => {
                let own = block.kind.as_ref().is_some_and(|kind| self.kind_holds(kind, wanted));
                own || block.children.values().any(inner)
            }
            _ => false,
        }
    }

    fn kind_holds(&self, kind: &str, wanted: &Type) -> bool {
        let fields =
            self.program.schema.variants(kind).flat_map(|variant| variant.fields.0.values());
        let mut readable = fields.filter(|field| field.may_be_read(self.place.facts));
        readable.any(|field| suits_inside(&field.ty.set(), wanted))
    }
}

/// A word, a form or a noun: what fits is on the list by itself.
fn is_listed(arm: &Type) -> bool {
    matches!(arm, Type::Noun(_) | Type::Word(_) | Type::Ctor(_) | Type::Number(_))
}

/// Beside such, nobody looks for one of these inside of a noun.
fn is_found(arm: &Type) -> bool {
    is_listed(arm) || matches!(arm, Type::Auto | Type::Bool | Type::Limited(_))
}

/// Whether a value fits; one kind of fact is no other, though both are strings.
fn suits(found: &Type, wanted: &Type) -> bool {
    if !found.fits(wanted) {
        return false;
    }
    let arms = wanted.arms();
    let mut facts = arms.iter().filter(|arm| matches!(arm, Type::Fact(_))).peekable();
    match found.bare() {
        Type::Fact(found) if facts.peek().is_some() => {
            facts.any(|arm| matches!(arm, Type::Fact(kind) if kind == found))
        }
        _ => true,
    }
}

/// Whether the value of a field or a function fits so well that it is worth naming: not any text for a fact.
pub(super) fn suits_inside(found: &Type, wanted: &Type) -> bool {
    let is_fact = wanted.arms().iter().any(|arm| matches!(arm, Type::Fact(_)));
    suits(found, wanted)
        && !matches!(found.bare(), Type::Unknown)
        && (!is_fact || matches!(found.bare(), Type::Fact(_)))
}
