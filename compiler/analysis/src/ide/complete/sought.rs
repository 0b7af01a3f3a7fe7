//! Values of which more is known than their type: what a condition, a loop or a member asks of them, and what stands beside them.

use super::place::Typed;
use super::values::FUNCTIONS;
use super::{Completer, Completion, CompletionKind, scope};
use crate::functions::Function;
use crate::infer::Outer;
use crate::types::Type;
use slipform_model::plan::is_own;
use slipform_model::{Noun, Value};
use slipform_syntax::tree::{Expr, ExprKind};
use std::collections::BTreeSet;

/// What is sought at a place where nobody says a type.
#[derive(Debug)]
pub(super) enum Sought {
    /// What holds or does not.
    Condition,
    /// What may be absent.
    Optional,
    /// What a loop walks.
    Walked,
    /// What can be put into a text.
    Printed,
    /// What has a member of this name.
    Holder(String),
    /// What has elements.
    Elements,
    /// One of these parts of a noun, which a report points at.
    Part(Vec<String>),
    /// What stands beside this value: another branch, another item.
    Beside(Box<Expr>),
    /// An argument of a function, by its place.
    Passed {
        /// The function.
        function: &'static Function,
        /// Which of its arguments.
        at: usize,
    },
}

/// Behind everything that suits.
const UNSUITED: u8 = 19;

impl Completer<'_, '_, '_> {
    pub(super) fn sought(&mut self, sought: &Sought) {
        match sought {
            Sought::Condition => {
                self.each_name(&|_, ty| Some(of_condition(ty)));
                self.value("true", UNSUITED);
                self.value("false", UNSUITED);
                self.functions(Some(&Type::Bool), 3);
                self.functions(None, FUNCTIONS);
            }
            Sought::Optional => {
                self.each_name(&|_, ty| Some(if ty.is_optional() { 0 } else { UNSUITED }));
            }
            Sought::Walked => {
                self.each_name(&|_, ty| Some(if is_walked(ty) { 0 } else { UNSUITED }));
                self.functions(Some(&Type::List(Type::Unknown.into())), FUNCTIONS);
            }
            Sought::Printed => {
                self.each_name(&|_, ty| Some(of_text(ty)));
                self.functions(None, FUNCTIONS);
                self.choice();
            }
            Sought::Holder(member) => {
                let member = member.as_str();
                self.each_name(&|this, ty| this.has(ty, member).then_some(0));
            }
            Sought::Part(parts) => {
                self.each_name(&|_, _| Some(UNSUITED));
                for it in &mut self.found {
                    it.rank = if parts.contains(&it.label) {
                        u8::from(it.label != "self")
                    } else {
                        it.rank
                    };
                }
            }
            Sought::Elements => self.each_name(&|_, ty| has_elements(ty).then_some(0)),
            Sought::Beside(other) => {
                let like = scope::type_of(self.checker, self.scope, other);
                let like = like.map(|ty| self.widened(&ty));
                self.values(like.as_ref());
                self.each_name(&|_, _| Some(UNSUITED));
            }
            Sought::Passed { function, at } => {
                self.each_name(&|_, ty| Some(if takes(function, *at, ty) { 0 } else { UNSUITED }));
                self.functions(None, FUNCTIONS);
                self.choice();
            }
        }
    }

    /// The names around, each with its rank; without those of which there is none.
    pub(super) fn each_name(&mut self, rank: &dyn Fn(&Self, &Type) -> Option<u8>) {
        let reached = matches!(
            self.place.wanted,
            super::Wanted::Sought(Sought::Holder(_) | Sought::Elements)
        );
        let names: BTreeSet<String> = self.scope.names().into_iter().collect();
        for name in names {
            let Some(seen) = self.scope.name(&name) else { continue };
            if !reached && self.place.own.contains(&name) {
                continue;
            }
            let Some(rank) = rank(self, &seen.ty) else { continue };
            let kind = match seen.ty.bare() {
                Type::Block(_) | Type::Noun(_) => CompletionKind::Noun,
                _ => CompletionKind::Name,
            };
            let (detail, doc, near) = (seen.ty.to_string(), seen.doc.clone(), self.near(seen.span));
            self.found.push(Completion { detail, doc, near, ..self.item(name, kind, rank) });
        }
    }

    /// Whether a value has a member that may be read here.
    fn has(&self, ty: &Type, member: &str) -> bool {
        let of_kind = |kind: &str| {
            let field = self.program.schema.field_of(kind, member);
            field.is_some_and(|it| it.may_be_read(self.place.facts) || is_own(kind, member))
        };
        match ty.set().bare() {
            Type::Block(block) => {
                block.children.contains_key(member) || block.kind.as_deref().is_some_and(of_kind)
            }
            Type::Noun(kind) => of_kind(kind),
            Type::Record(fields) => fields.0.contains_key(member),
            Type::Ctor(ctor) => ctor.fields.0.contains_key(member),
            Type::Map(..) => true,
            Type::Union(arms) => arms.iter().any(|arm| self.has(arm, member)),
            _ => false,
        }
    }

    /// What a value may be that stands beside one of this type.
    fn widened(&self, ty: &Type) -> Type {
        let schema = &self.program.schema;
        match ty {
            Type::Ctor(ctor) => match schema.types.get(&ctor.of) {
                Some(of) => Type::Named(of.clone()),
                None => ty.clone(),
            },
            Type::Block(block) => match &block.kind {
                Some(kind) => self.widened(&Type::Noun(kind.clone())),
                None => ty.clone(),
            },
            // A pool stands where a partition does.
            Type::Noun(kind) => {
                let parent = schema.variants(kind).find_map(|kind| kind.parent.clone());
                let beside =
                    schema.kinds.values().filter(|it| parent.is_some() && it.parent == parent);
                Type::union(
                    std::iter::once(ty.clone()).chain(beside.map(|it| Type::Noun(it.name.clone()))),
                )
            }
            Type::Word(_) => Type::Str,
            Type::Number(_) => Type::Int,
            Type::Union(arms) => Type::union(arms.iter().map(|arm| self.widened(arm))),
            _ => ty.clone(),
        }
    }

    /// The keys of the elements of a value.
    pub(super) fn elements(&mut self, base: &Expr, typed: Typed) {
        let ty = scope::type_of(self.checker, self.scope, base);
        for key in self.keys_of(base, ty.as_ref()) {
            match key.parse::<u32>() {
                Ok(_) => self.value(&key, 0),
                Err(_) => self.text(&key, String::new(), CompletionKind::Value, 0),
            }
        }
        if typed == Typed::Bare {
            let counted = matches!(ty.as_ref().map(Type::bare), Some(Type::List(_)));
            self.values(Some(if counted { &Type::Int } else { &Type::Str }));
        }
    }

    fn keys_of(&self, base: &Expr, ty: Option<&Type>) -> Vec<String> {
        let Some(ty) = ty else { return Vec::new() };
        if let Type::Record(fields) = ty.bare() {
            return fields.0.keys().map(|key| key.to_string()).collect();
        }
        let ExprKind::Name(name) = &base.kind else { return Vec::new() };
        let Some(seen) = self.scope.name(name) else { return Vec::new() };
        match ty.bare() {
            Type::Group(_) => {
                let nouns = self.cursor.plan().into_iter().flat_map(|plan| &plan.model.nouns);
                let declared = nouns.filter(|noun| noun.span.covers(seen.span));
                declared.filter_map(key_of_round).collect()
            }
            Type::Map(..) => {
                let keys = self.cursor.values(seen.span).iter().flat_map(|value| match value {
                    Value::Record(entries) => entries.keys().map(|key| key.to_string()).collect(),
                    _ => Vec::new(),
                });
                keys.collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `us-east4-a` of `c["us-east4-a"]`.
fn key_of_round(noun: &Noun) -> Option<String> {
    let (_, key) = noun.path.strip_suffix(']')?.rsplit_once('[')?;
    Some(key.trim_matches('"').to_owned())
}

/// What holds first, then what is asked whether it is there, and what is compared.
fn of_condition(ty: &Type) -> u8 {
    if ty.is_optional() {
        return 1;
    }
    match ty.bare() {
        Type::Bool => 0,
        Type::Union(_) | Type::Word(_) => 1,
        Type::Block(_) | Type::Group(_) => UNSUITED,
        _ => 2,
    }
}

/// What is written as it is goes first, then what has something like that.
fn of_text(ty: &Type) -> u8 {
    match ty.bare() {
        Type::Block(_) | Type::Noun(_) | Type::Record(_) => 3,
        Type::List(_) | Type::Map(..) | Type::Group(_) | Type::Ctor(_) => UNSUITED,
        _ => 0,
    }
}

fn is_walked(ty: &Type) -> bool {
    matches!(ty.set().bare(), Type::Range) || has_elements(ty)
}

fn has_elements(ty: &Type) -> bool {
    matches!(ty.set().bare(), Type::List(_) | Type::Map(..) | Type::Record(_) | Type::Group(_))
}

/// Whether a function takes a value of this type in this place, whatever the others are.
fn takes(function: &Function, at: usize, ty: &Type) -> bool {
    let mut arguments = vec![Type::Unknown; function.signature.matches(',').count() + 1];
    let Some(argument) = arguments.get_mut(at) else { return false };
    *argument = ty.set();
    (function.ty)(&arguments).is_ok()
}
