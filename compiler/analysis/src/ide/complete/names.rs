//! Names that stand for a value of a type.

use super::place::{Wanted, mount_of};
use super::standin::STAND_IN;
use super::{Completer, Completion, CompletionKind, scope, snippet};
use crate::infer::Outer;
use crate::types::{Named, Type};
use slipform_source::Span;
use slipform_syntax::tree::Doc;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How deep nouns are looked for inside of others.
const DEEPEST: usize = 3;

/// What is wanted of names, as far as it is the same for all of them.
struct Wish<'w> {
    ty: &'w Type,
    /// Something of what fits is on the list by itself.
    listed: bool,
    /// All of it is, so that nobody looks for it inside of a name.
    found: bool,
    /// Whether nouns of a kind have something that fits, once it was asked: a blueprint has a thousand of one kind.
    holders: RefCell<BTreeMap<Arc<str>, bool>>,
}

impl<'w> Wish<'w> {
    fn new(ty: &'w Type) -> Self {
        let arms = ty.arms();
        let listed = arms.iter().any(is_listed);
        let found = listed && arms.iter().all(is_found);
        Self { ty, listed, found, holders: RefCell::default() }
    }
}

impl Completer<'_, '_, '_> {
    /// The names around the place that fit, and those with something inside that may.
    pub(super) fn names(&mut self, wanted: Option<&Type>) {
        let wish = wanted.map(Wish::new);
        let names: BTreeSet<String> = self.scope.names().into_iter().collect();
        for name in names {
            let Some(seen) = self.scope.name(&name) else { continue };
            // A value cannot be made of itself; a noun may speak of itself, and seldom does.
            let own = self.place.own.contains(&name);
            if own && !(wanted.is_some() && matches!(seen.ty, Type::Block(_))) {
                continue;
            }
            let near = if own { u32::MAX - 1 } else { self.near(seen.span) };
            let from = self.found.len();
            self.name(&name, &seen.ty, seen.doc.clone(), wish.as_ref(), 0);
            self.found.iter_mut().skip(from).for_each(|it| it.near = near);
        }
        self.mounts(wanted);
        self.choice();
    }

    /// A choice between two values: where nothing is known of the value, that is what most are.
    pub(super) fn choice(&mut self) {
        let anything = matches!(self.place.wanted, Wanted::Value(None));
        let rank = if anything { 0 } else { 20 };
        let keyword = self.item("if", CompletionKind::Keyword, rank);
        let insert = "if ${1:condition} { $2 \\} else { $3 \\}".to_owned();
        self.found.push(Completion { insert, ..keyword });
    }

    /// How far a declaration is above the place: what was written last is meant most often.
    pub(super) fn near(&self, declared: Span) -> u32 {
        if declared.file == STAND_IN {
            return 0;
        }
        let at = u32::try_from(self.cursor.offset).unwrap_or(u32::MAX);
        match at.checked_sub(declared.start) {
            Some(above) if declared.file == self.cursor.file => above,
            _ => u32::MAX - 1,
        }
    }

    /// Where a mount is wanted, what can be mounted with `at`.
    fn mounts(&mut self, wanted: Option<&Type>) {
        let Some(mount) = wanted.and_then(mount_of) else { return };
        let Some(source) = mount.fields.0.get("source").map(|field| &field.ty) else { return };
        let names: BTreeSet<String> = self.scope.names().into_iter().collect();
        for name in names {
            let fits = self.scope.name(&name).filter(|seen| seen.ty.set().fits(source));
            if let Some(seen) = fits {
                let (detail, near) = (seen.ty.to_string(), self.near(seen.span));
                let insert = format!("{name} at \"/${{1:{name}}}\"");
                let item = self.item(&*name, CompletionKind::Noun, 0);
                self.found.push(Completion { insert, detail, near, ..item });
            }
        }
        for arm in source.arms() {
            let Type::Ctor(ctor) = arm else { continue };
            let form = self.form(&ctor, &mut snippet::Examples::new(self.analysis));
            let insert = match self.place.continues {
                true => form.insert,
                false => format!("{} at \"/$0\"", form.insert),
            };
            self.found.push(Completion { insert, rank: 1, ..form });
        }
    }

    fn name(
        &mut self,
        path: &str,
        ty: &Type,
        doc: Option<Doc>,
        wish: Option<&Wish<'_>>,
        depth: usize,
    ) {
        let block = match ty {
            Type::Block(block) => Some(block),
            _ => None,
        };
        let is_noun =
            block.is_some_and(|block| block.kind.is_some()) || matches!(ty, Type::Noun(_));
        let fits = wish.is_none_or(|wish| suits(&ty.set(), wish.ty))
            && !(matches!(ty, Type::Unknown) && wish.is_some())
            && !(depth == 0 && self.runs_nothing(path, wish));
        if fits || wish.is_some_and(|wish| self.leads_to(path, ty, wish, depth)) {
            let kind = if is_noun { CompletionKind::Noun } else { CompletionKind::Name };
            let rank = match (fits, wish) {
                (true, Some(wish)) if !is_meant(ty, wish.ty) => 24,
                (true, Some(wish)) => u8::from(wish.listed && matches!(ty.set().bare(), Type::Str)),
                (true, None) => 1,
                (false, _) => 25,
            };
            self.found.push(Completion {
                detail: ty.to_string(),
                doc,
                ..self.item(path, kind, rank)
            });
        }
        let Some(block) = block.filter(|_| depth < DEEPEST && wish.is_some()) else { return };
        for (child, ty) in &block.children {
            self.name(&format!("{path}.{child}"), ty, None, wish, depth + 1);
        }
    }

    /// Whether something inside of a name fits that is worth writing.
    fn leads_to(&self, path: &str, ty: &Type, wish: &Wish<'_>, depth: usize) -> bool {
        if depth > 0 || wish.found {
            return false;
        }
        match ty {
            // what it has itself may be of use to it, but for the field that is being written
            Type::Block(block) if self.place.is_own(path) => {
                block.kind.as_ref().is_some_and(|kind| self.kind_has(kind, wish, true))
            }
            _ => self.holds(ty, wish, depth),
        }
    }

    /// Whether a place of runs is wanted, and this is a cluster whose pools or partitions run them.
    fn runs_nothing(&self, name: &str, wish: Option<&Wish<'_>>) -> bool {
        let is = |arm: &Type, kind: &str| matches!(arm, Type::Noun(of) if **of == *kind);
        let arms = wish.map(|wish| wish.ty.arms()).unwrap_or_default();
        let place = ["cluster", "pool"].iter().all(|kind| arms.iter().any(|arm| is(arm, kind)));
        let kind = || scope::kind_named(self.analysis, self.program, self.scope, name);
        place && kind().is_some_and(|kind| !kind.fields.0.contains_key("machine"))
    }

    /// Whether something inside of a value fits.
    fn holds(&self, ty: &Type, wish: &Wish<'_>, depth: usize) -> bool {
        let inner = |ty: &Type| suits_inside(&ty.set(), wish.ty) || self.holds(ty, wish, depth + 1);
        if depth == DEEPEST {
            return false;
        }
        match ty.set().bare() {
            Type::Record(fields) => fields.0.values().any(|field| inner(&field.ty)),
            Type::Map(_, value) => inner(value),
            Type::Group(item) => inner(item),
            Type::Noun(kind) => self.kind_holds(kind, wish),
            Type::Block(block) => {
                let own = block.kind.as_ref().is_some_and(|kind| self.kind_holds(kind, wish));
                own || block.children.values().any(inner)
            }
            _ => false,
        }
    }

    /// Whether nouns of a kind have something that fits.
    fn kind_holds(&self, kind: &Arc<str>, wish: &Wish<'_>) -> bool {
        let known = wish.holders.borrow().get(kind).copied();
        known.unwrap_or_else(|| {
            let holds = self.kind_has(kind, wish, false);
            wish.holders.borrow_mut().insert(kind.clone(), holds);
            holds
        })
    }

    /// The same; of the noun around the field that is being written is no value of itself.
    fn kind_has(&self, kind: &str, wish: &Wish<'_>, own: bool) -> bool {
        let written = self.place.field.as_deref().filter(|_| own);
        let variants = self.program.schema.variants(kind);
        let fields = variants.flat_map(|variant| &variant.fields.0);
        let mut readable = fields.filter(|(name, field)| {
            written != Some(&***name) && field.may_be_read(self.place.facts)
        });
        readable.any(|(_, field)| suits_inside(&field.ty.set(), wish.ty))
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

/// The declared types of texts among what is wanted: `ResourceName`, not the plain `string`.
pub(in crate::ide) fn named_texts(ty: &Type) -> Vec<&Arc<Named>> {
    match ty {
        Type::Named(named) if matches!(named.definition.bare(), Type::Str) => vec![named],
        Type::Named(named) => named_texts(&named.definition),
        Type::Optional(inner) => named_texts(inner),
        Type::Union(arms) => arms.iter().flat_map(named_texts).collect(),
        _ => Vec::new(),
    }
}

/// Whether a text that fits is of the sort that is wanted: a project's name is no path, and no text is a fact by itself.
fn is_meant(found: &Type, wanted: &Type) -> bool {
    let found = found.set();
    if !is_text(&found) {
        return true;
    }
    let arms = wanted.arms();
    if arms.iter().any(|arm| matches!(arm, Type::Fact(_))) {
        return matches!(found.bare(), Type::Fact(_));
    }
    let has = |of: fn(&Type) -> bool| arms.iter().any(of);
    let chosen = has(|arm| matches!(arm, Type::Word(_))) && !has(|arm| matches!(arm, Type::Str));
    if chosen {
        // Of texts with a form of their own none is one of a few words.
        return named_texts(&found).is_empty() && !matches!(found.bare(), Type::Fact(_));
    }
    let limited = named_texts(wanted);
    if limited.is_empty() || arms.iter().any(|arm| matches!(arm, Type::Str | Type::Word(_))) {
        return true;
    }
    let own = named_texts(&found);
    let plain = own.is_empty() && matches!(found.bare(), Type::Str);
    plain || own.iter().any(|own| limited.iter().any(|it| Arc::ptr_eq(own, it)))
}

fn is_text(ty: &Type) -> bool {
    ty.arms().iter().all(|arm| matches!(arm.bare(), Type::Str | Type::Word(_) | Type::Fact(_)))
}

/// Whether the value of a field or a function fits so well that it is worth naming: not any text for a fact.
pub(super) fn suits_inside(found: &Type, wanted: &Type) -> bool {
    let is_fact = wanted.arms().iter().any(|arm| matches!(arm, Type::Fact(_)));
    let named = is_text(found) && !named_texts(wanted).is_empty();
    suits(found, wanted)
        && !matches!(found.bare(), Type::Unknown)
        && (!named || !named_texts(found).is_empty() && is_meant(found, wanted))
        && (!is_fact || matches!(found.bare(), Type::Fact(_)))
}
