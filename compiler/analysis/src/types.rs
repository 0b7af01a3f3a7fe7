//! The types of the language, and which fits where.

use crate::pattern::Pattern;
use crate::schema::LateType;
use slipform_model::{Map, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Doc, Expr, Name, Stmt};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A type. Cloning one is cheap.
#[derive(Clone, Debug)]
pub enum Type {
    /// What could not be understood; fits everywhere, so that one mistake is reported once.
    Unknown,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`; an integer fits.
    Float,
    /// `string`
    Str,
    /// `Size`
    Size,
    /// `Duration`
    Duration,
    /// `Cidr`
    Cidr,
    /// `Address`
    Address,
    /// `Topology`
    Topology,
    /// `Range`
    Range,
    /// `auto`
    Auto,
    /// `"word"`: one word of an enumeration.
    Word(Arc<str>),
    /// `250`: one number of an enumeration.
    Number(i64),
    /// `MachineType`, `Zone`, `Region`: strings that the catalog knows.
    Fact(FactKind),
    /// `[T]`
    List(Arc<Type>),
    /// `{string: T}`: the type of the keys, then of the values.
    Map(Arc<Type>, Arc<Type>),
    /// `{ field: T }`
    Record(Arc<Fields>),
    /// A constructor with its fields.
    Ctor(Arc<Ctor>),
    /// A noun of this kind.
    Noun(Arc<str>),
    /// One declaration: a noun together with what is declared inside, or a component.
    Block(Arc<Block>),
    /// What a loop declared, by its keys.
    Group(Arc<Type>),
    /// `deferred T`
    Deferred(Arc<Type>),
    /// `T?`, and `T` with `auto` as its default, as readers see it.
    Optional(Arc<Type>),
    /// `A | B`
    Union(Arc<[Type]>),
    /// A declared type: its name stays in messages.
    Named(Arc<Named>),
    /// `T in 1..256`, `T matching "..."`
    Limited(Arc<Limited>),
}

/// The strings that are looked up in the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// `MachineType`
    Machine,
    /// `Zone`
    Zone,
    /// `Region`
    Region,
}

/// A type with a name of its own.
#[derive(Debug)]
pub struct Named {
    /// The name.
    pub name: Arc<str>,
    /// What it stands for.
    pub definition: LateType,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// Where it is declared.
    pub span: Span,
}

impl Named {
    /// The type that a statement declares.
    pub(crate) fn new(name: &Name, stmt: &Stmt, definition: LateType) -> Self {
        let doc = stmt.doc.clone();
        Self { name: name.value.as_str().into(), definition, doc, span: name.span }
    }
}

/// A type whose values are limited.
#[derive(Debug)]
pub struct Limited {
    /// The type without the limit.
    pub base: Type,
    /// The limit.
    pub limit: Limit,
}

/// What limits the values of a type.
#[derive(Debug)]
pub enum Limit {
    /// `in 1..256`: both ends included.
    Between(i64, i64),
    /// `matching "..."`
    Matching(Pattern),
}

/// A declaration as a type: what a reference to it can reach.
#[derive(Debug)]
pub struct Block {
    /// The noun's kind; `None` for a component, which is no noun itself.
    pub kind: Option<Arc<str>>,
    /// What is declared inside, by name.
    pub children: Map<Arc<str>, Type>,
}

/// A constructor of a sum type.
#[derive(Debug)]
pub struct Ctor {
    /// Its name.
    pub name: Arc<str>,
    /// The declared type that it belongs to.
    pub of: Arc<str>,
    /// Its fields.
    pub fields: Fields,
    /// Where it is declared.
    pub span: Span,
}

/// Fields by name, in order.
#[derive(Default, Debug)]
pub struct Fields(pub Map<Arc<str>, Field>);

/// A field of a record, a constructor, a kind or a component.
#[derive(Clone, Debug)]
pub struct Field {
    /// What may be written.
    pub ty: Type,
    /// What it is where nothing is written.
    pub default: Option<Arc<Expr>>,
    /// The compiler computes it.
    pub derived: bool,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// Where it is declared.
    pub span: Span,
}

impl Field {
    /// Nothing has to be written.
    pub fn may_be_left_out(&self) -> bool {
        self.derived || self.default.is_some() || self.ty.is_optional()
    }

    /// It may be read: a fact only where the whole blueprint is known, or where it is a value that comes later.
    pub(crate) fn may_be_read(&self, facts: bool) -> bool {
        !self.derived || facts || matches!(self.ty.bare(), Type::Deferred(_))
    }

    /// Its default is `auto`.
    pub fn is_auto(&self) -> bool {
        use slipform_syntax::tree::ExprKind;
        self.default.as_ref().is_some_and(|default| matches!(default.kind, ExprKind::Auto))
    }

    /// What a writer may give: the type itself, or `auto` where that is the default.
    pub fn written(&self) -> Type {
        if self.is_auto() { Type::union([self.ty.clone(), Type::Auto]) } else { self.ty.clone() }
    }

    /// What a reader gets: `auto` counts as not set.
    pub fn read(&self) -> Type {
        if self.is_auto() { self.ty.clone().optional() } else { self.ty.clone() }
    }
}

/// Types, each once.
#[derive(Default)]
pub(crate) struct Distinct {
    /// In the order in which they came.
    pub(crate) types: Vec<Type>,
    /// As they are written, once there are many.
    written: BTreeSet<String>,
}

impl Distinct {
    /// Up to so many are compared one by one.
    const FEW: usize = 16;

    /// Adds a type that is not among them.
    pub(crate) fn add(&mut self, ty: Type) {
        if self.types.len() < Self::FEW {
            if !self.types.iter().any(|known| known.same(&ty)) {
                self.types.push(ty);
            }
            return;
        }
        if self.written.is_empty() {
            self.written.extend(self.types.iter().map(Type::to_string));
        }
        if self.written.insert(ty.to_string()) {
            self.types.push(ty);
        }
    }
}

impl Type {
    /// The union of several types; flat, without what occurs twice.
    pub fn union(types: impl IntoIterator<Item = Type>) -> Type {
        let mut arms: Vec<Type> = Vec::new();
        let mut optional = false;
        for ty in types {
            match ty {
                Type::Union(inner) => arms.extend(inner.iter().cloned()),
                Type::Optional(inner) => {
                    optional = true;
                    arms.push((*inner).clone());
                }
                other => arms.push(other),
            }
        }
        let mut distinct = Distinct::default();
        arms.into_iter().for_each(|arm| distinct.add(arm));
        let mut kept = distinct.types;
        let ty = match kept.len() {
            0 => Type::Unknown,
            1 => kept.swap_remove(0),
            _ => Type::Union(kept.into()),
        };
        if optional { ty.optional() } else { ty }
    }

    /// `T?`
    pub fn optional(self) -> Type {
        match self {
            Type::Optional(_) | Type::Unknown => self,
            other => Type::Optional(Arc::new(other)),
        }
    }

    /// Without the `?`.
    pub fn set(&self) -> Type {
        match self {
            Type::Optional(inner) => (**inner).clone(),
            Type::Named(named) if named.definition.is_optional() => named.definition.set(),
            other => other.clone(),
        }
    }

    /// Whether it may be absent.
    pub fn is_optional(&self) -> bool {
        match self {
            Type::Optional(_) => true,
            Type::Named(named) => named.definition.is_optional(),
            _ => false,
        }
    }

    /// Without names and limits at the top.
    pub fn bare(&self) -> &Type {
        match self {
            Type::Named(named) => named.definition.bare(),
            Type::Limited(limited) => limited.base.bare(),
            other => other,
        }
    }

    /// The arms of a union, names and limits looked through; one arm for anything else.
    pub fn arms(&self) -> Vec<Type> {
        match self {
            Type::Named(named) => named.definition.arms(),
            Type::Union(arms) => arms.iter().flat_map(Type::arms).collect(),
            Type::Optional(inner) => inner.arms(),
            other => vec![other.clone()],
        }
    }

    /// A constructor that it is, or that one of its arms is.
    pub(crate) fn ctor(&self, name: &str) -> Option<&Arc<Ctor>> {
        match self {
            Type::Ctor(ctor) => (*ctor.name == *name).then_some(ctor),
            Type::Union(arms) => arms.iter().find_map(|arm| arm.ctor(name)),
            Type::Optional(inner) => inner.ctor(name),
            _ => None,
        }
    }

    /// Whether a word or a number is listed by itself: an arm that is nothing but it.
    pub(crate) fn lists(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Named(named), _) => named.definition.lists(value),
            (Type::Union(arms), _) => arms.iter().any(|arm| arm.lists(value)),
            (Type::Optional(inner), _) => inner.lists(value),
            (Type::Word(word), Value::Str(text)) => text == word,
            (Type::Number(known), Value::Int(number)) => number == known,
            _ => false,
        }
    }

    /// Whether a value of this type, or an element of it, may exist only once Terraform has made it.
    pub fn holds_deferred(&self) -> bool {
        match self.bare() {
            Type::Deferred(_) => true,
            Type::List(item) | Type::Map(_, item) | Type::Group(item) | Type::Optional(item) => {
                item.holds_deferred()
            }
            Type::Union(arms) => arms.iter().any(Type::holds_deferred),
            Type::Record(fields) => fields.0.values().any(|field| field.ty.holds_deferred()),
            _ => false,
        }
    }

    /// Whether two types are written the same.
    pub fn same(&self, other: &Type) -> bool {
        match (self, other) {
            // Of these there are many in one union, and nothing else is written like them.
            (Type::Word(a), Type::Word(b)) => a == b,
            (Type::Number(a), Type::Number(b)) => a == b,
            (Type::Word(_) | Type::Number(_), _) | (_, Type::Word(_) | Type::Number(_)) => false,
            (Type::Ctor(a), Type::Ctor(b)) if a.name != b.name => false,
            _ => self.to_string() == other.to_string(),
        }
    }

    /// Whether a value of this type may stand where `wanted` is asked for, limits aside.
    pub fn fits(&self, wanted: &Type) -> bool {
        if matches!((self, wanted), (Type::Named(a), Type::Named(b)) if Arc::ptr_eq(a, b)) {
            return true;
        }
        match (self, wanted) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Named(named), _) => named.definition.fits(wanted),
            (_, Type::Named(named)) => self.fits(&named.definition),
            (Type::Limited(limited), _) => limited.base.fits(wanted),
            (_, Type::Limited(limited)) => self.fits(&limited.base),
            (Type::Optional(found), Type::Optional(wanted)) => found.fits(wanted),
            (_, Type::Optional(wanted)) => self.fits(wanted),
            (Type::Optional(_), _) => false,
            (Type::Union(found), _) => found.iter().all(|arm| arm.fits(wanted)),
            (_, Type::Union(wanted)) => wanted.iter().any(|arm| self.fits(arm)),
            (Type::List(found), Type::List(wanted)) => found.fits(wanted),
            (Type::Map(_, found), Type::Map(_, wanted)) => found.fits(wanted),
            (Type::Record(found), Type::Map(_, wanted)) => {
                found.0.values().all(|field| field.ty.fits(wanted))
            }
            (Type::Map(..), Type::Record(_)) => false,
            (Type::Record(found), Type::Record(wanted)) => found.fits(wanted),
            (Type::Ctor(found), Type::Ctor(wanted)) => {
                found.name == wanted.name && found.of == wanted.of
            }
            (Type::Block(found), Type::Block(wanted)) => found.kind == wanted.kind,
            (Type::Block(found), Type::Noun(wanted)) => found.kind.as_ref() == Some(wanted),
            (Type::Noun(found), Type::Block(wanted)) => wanted.kind.as_ref() == Some(found),
            (Type::Noun(found), Type::Noun(wanted)) => found == wanted,
            (Type::Group(found), Type::Group(wanted)) => found.fits(wanted),
            (Type::Deferred(found), Type::Deferred(wanted)) => found.fits(wanted),
            (_, Type::Deferred(wanted)) => self.fits(wanted),
            (Type::Word(found), Type::Word(wanted)) => found == wanted,
            (Type::Number(found), Type::Number(wanted)) => found == wanted,
            _ => self.plain_fits(wanted),
        }
    }

    fn plain_fits(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (Type::Bool, Type::Bool)
            | (Type::Int | Type::Number(_), Type::Int)
            | (Type::Float | Type::Int | Type::Number(_), Type::Float)
            | (Type::Str | Type::Word(_) | Type::Fact(_), Type::Str)
            | (Type::Str | Type::Word(_) | Type::Fact(_), Type::Fact(_))
            | (Type::Size, Type::Size)
            | (Type::Duration, Type::Duration)
            | (Type::Cidr, Type::Cidr)
            | (Type::Address, Type::Address)
            | (Type::Topology, Type::Topology)
            | (Type::Range, Type::Range)
            | (Type::Auto, Type::Auto) => true,
            // A string or a number that is only known when it is evaluated may be one of the words.
            (Type::Str | Type::Fact(_), Type::Word(_)) | (Type::Int, Type::Number(_)) => true,
            _ => false,
        }
    }
}

impl Fields {
    /// Whether a record of these fields may stand where one of `wanted` is asked for.
    pub fn fits(&self, wanted: &Fields) -> bool {
        let known = self.0.iter().all(|(name, field)| {
            wanted.0.get(name).is_some_and(|wanted| field.ty.fits(&wanted.written()))
        });
        let whole = wanted
            .0
            .iter()
            .all(|(name, field)| field.may_be_left_out() || self.0.contains_key(name));
        known && whole
    }
}

impl fmt::Display for FactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "MachineType",
            Self::Zone => "Zone",
            Self::Region => "Region",
        })
    }
}

/// As a blueprint would write it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unknown => f.write_str("?"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Str => f.write_str("string"),
            Type::Size => f.write_str("Size"),
            Type::Duration => f.write_str("Duration"),
            Type::Cidr => f.write_str("Cidr"),
            Type::Address => f.write_str("Address"),
            Type::Topology => f.write_str("Topology"),
            Type::Range => f.write_str("Range"),
            Type::Auto => f.write_str("auto"),
            Type::Word(word) => write!(f, "\"{word}\""),
            Type::Number(number) => number.fmt(f),
            Type::Fact(kind) => kind.fmt(f),
            Type::List(item) => write!(f, "[{item}]"),
            Type::Map(key, value) => write!(f, "{{{key}: {value}}}"),
            Type::Record(fields) => {
                f.write_str("{ ")?;
                comma_separated(f, fields)?;
                f.write_str(" }")
            }
            Type::Ctor(ctor) if ctor.fields.0.is_empty() => f.write_str(&ctor.name),
            Type::Ctor(ctor) => {
                write!(f, "{}(", ctor.name)?;
                comma_separated(f, &ctor.fields)?;
                f.write_str(")")
            }
            Type::Noun(kind) => f.write_str(kind),
            Type::Block(block) => f.write_str(block.kind.as_deref().unwrap_or("component")),
            Type::Group(item) => write!(f, "{{string: {item}}}"),
            Type::Deferred(ty) => write!(f, "deferred {ty}"),
            Type::Optional(ty) => write!(f, "{ty}?"),
            Type::Union(arms) => {
                for (at, arm) in arms.iter().enumerate() {
                    write!(f, "{}{arm}", if at == 0 { "" } else { " | " })?;
                }
                Ok(())
            }
            Type::Named(named) => f.write_str(&named.name),
            Type::Limited(limited) => match &limited.limit {
                Limit::Between(from, to) => write!(f, "{} in {from}..{to}", limited.base),
                Limit::Matching(pattern) => {
                    write!(f, "{} matching \"{}\"", limited.base, pattern.text())
                }
            },
        }
    }
}

fn comma_separated(f: &mut fmt::Formatter<'_>, fields: &Fields) -> fmt::Result {
    for (at, (name, field)) in fields.0.iter().enumerate() {
        write!(f, "{}{name}: {}", if at == 0 { "" } else { ", " }, field.ty)?;
    }
    Ok(())
}
