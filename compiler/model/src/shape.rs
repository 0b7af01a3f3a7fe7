//! The types of the language, as types of Rust stand for them: what a test holds against `stdlib/kinds`.

use std::fmt;

/// A type of the language.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`
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
    /// `deferred string`
    Deferred,
    /// A word of an enumeration, or a constructor without fields.
    Word(&'static str),
    /// A constructor and its fields.
    Ctor(&'static str, Entries),
    /// A noun of a kind.
    Noun(&'static str),
    /// A noun of any kind.
    AnyNoun,
    /// A noun of the kind that is asked.
    Alike,
    /// `[T]`
    List(Box<Shape>),
    /// `{string: T}`
    Map(Box<Shape>),
    /// `{ field: T }`
    Record(Entries),
    /// `T?`
    Optional(Box<Shape>),
    /// `A | B`: two or more.
    Union(Vec<Shape>),
}

/// Fields with their types, in order.
pub type Entries = Vec<(&'static str, Shape)>;

impl Shape {
    /// The arms of a union, those of unions in it among them; itself for anything else.
    pub fn arms(&self) -> Vec<&Shape> {
        match self {
            Self::Union(arms) => arms.iter().flat_map(Self::arms).collect(),
            other => vec![other],
        }
    }
}

/// As the language writes it.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = |fields: &Entries| {
            joined(fields.iter().map(|(name, ty)| format!("{name}: {ty}")), ", ")
        };
        let text = match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Str => "string",
            Self::Size => "Size",
            Self::Duration => "Duration",
            Self::Cidr => "Cidr",
            Self::Address => "Address",
            Self::Topology => "Topology",
            Self::Range => "Range",
            Self::Auto => "auto",
            Self::Deferred => "deferred string",
            Self::Noun(kind) => kind,
            Self::AnyNoun => "a noun",
            Self::Alike => "a noun of the same kind",
            Self::Word(word) => &format!("\"{word}\""),
            Self::List(item) => &format!("[{item}]"),
            Self::Map(item) => &format!("{{string: {item}}}"),
            Self::Optional(inner) => &format!("{inner}?"),
            Self::Ctor(name, entries) => &format!("{name}({})", fields(entries)),
            Self::Record(entries) => &format!("{{ {} }}", fields(entries)),
            Self::Union(arms) => &joined(arms.iter().map(ToString::to_string), " | "),
        };
        f.write_str(text)
    }
}

fn joined(parts: impl Iterator<Item = String>, by: &str) -> String {
    parts.collect::<Vec<_>>().join(by)
}
