//! Expressions, and the words to build them.

use std::borrow::Cow;

use crate::Node;

/// A value, or what Terraform computes one from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Expr {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// Any other number; one that is not finite is written `null`, since the language has no word for it.
    Float(f64),
    /// Text without interpolation. As a whole attribute, text that ends in a newline is a heredoc.
    Str(Cow<'static, str>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{ key = value }`
    Object(Object),
    /// Written as it stands: `var.project_id`, `google_compute_network.fabric["a"].id`, `string`.
    Raw(Cow<'static, str>),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `base.name`
    Attr(Box<Expr>, Cow<'static, str>),
    /// `name(arguments)`
    Call(Cow<'static, str>, Vec<Expr>),
    /// Text with interpolations.
    Template(Vec<Part>),
    /// `condition ? then : otherwise`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `left operator right`; operands that are operations themselves get parentheses.
    Binary(Box<Expr>, &'static str, Box<Expr>),
    /// `!value`
    Not(Box<Expr>),
    /// `[for ... ]` or `{for ... }`
    For(Box<For>),
}

/// The entries of an object in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// Key and value.
    pub entries: Vec<(Key, Expr)>,
    /// Whether it stays on one line where it fits, as `{ corp = "10.0.0.0/8" }`; as a whole attribute it is spread otherwise.
    pub inline: bool,
}

/// The key of an object's entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// A name; quoted unless it is an identifier.
    Name(Cow<'static, str>),
    /// A computed key, in parentheses.
    Expr(Expr),
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text; everything special in it is escaped.
    Text(Cow<'static, str>),
    /// `${...}`
    Interp(Expr),
}

/// `for key, value in collection : ...`
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The name for keys or indices.
    pub key: Option<Cow<'static, str>>,
    /// The name for values.
    pub value: Cow<'static, str>,
    /// What is gone through.
    pub collection: Expr,
    /// The key of each result: an object comes out, otherwise a list.
    pub result_key: Option<Expr>,
    /// Each result.
    pub result: Expr,
    /// Only where this holds.
    pub condition: Option<Expr>,
    /// Whether results with equal keys are gathered into lists (`...`).
    pub group: bool,
}

impl Expr {
    /// A reference or a type, written as it stands: for names that a target makes, never for a user's text.
    pub fn reference(path: impl Into<Cow<'static, str>>) -> Self {
        Self::Raw(path.into())
    }

    /// `name(arguments)`
    pub fn call<E: Into<Self>>(
        name: impl Into<Cow<'static, str>>,
        arguments: impl IntoIterator<Item = E>,
    ) -> Self {
        Self::Call(name.into(), arguments.into_iter().map(Into::into).collect())
    }

    /// Text with interpolations: `Expr::template([Part::from("gs://"), Part::from(bucket)])`.
    pub fn template<P: Into<Part>>(parts: impl IntoIterator<Item = P>) -> Self {
        Self::Template(parts.into_iter().map(Into::into).collect())
    }

    /// `[a, b]`
    pub fn list<E: Into<Self>>(items: impl IntoIterator<Item = E>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// `{ key = value }`, one entry a line where it is a whole attribute.
    pub fn object<K: Into<Key>, E: Into<Self>>(entries: impl IntoIterator<Item = (K, E)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Self::Object(Object { entries, inline: false })
    }

    /// `{ key = value }` on one line where it fits.
    pub fn inline_object<K: Into<Key>, E: Into<Self>>(
        entries: impl IntoIterator<Item = (K, E)>,
    ) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Self::Object(Object { entries, inline: true })
    }

    /// `self[index]`
    #[must_use]
    pub fn index(self, index: impl Into<Self>) -> Self {
        Self::Index(Box::new(self), Box::new(index.into()))
    }

    /// `self.name`
    #[must_use]
    pub fn attr(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self::Attr(Box::new(self), name.into())
    }

    /// `self ? then : otherwise`
    #[must_use]
    pub fn then_else(self, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self {
        Self::If(Box::new(self), Box::new(then.into()), Box::new(otherwise.into()))
    }

    /// `self operator right`
    #[must_use]
    pub fn binary(self, operator: &'static str, right: impl Into<Self>) -> Self {
        Self::Binary(Box::new(self), operator, Box::new(right.into()))
    }

    /// What the value is, in a user's words, if it is written out; `None` if Terraform computes it.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Null => Some("null"),
            Self::Bool(_) => Some("a boolean"),
            Self::Int(_) | Self::Float(_) => Some("a number"),
            Self::Str(_) | Self::Template(_) => Some("a string"),
            Self::List(_) => Some("a list"),
            Self::Object(_) => Some("an object"),
            Self::For(each) if each.result_key.is_some() => Some("an object"),
            Self::For(_) => Some("a list"),
            _ => None,
        }
    }
}

/// Data as it stands: strings stay text.
impl From<Node> for Expr {
    fn from(node: Node) -> Self {
        match node {
            Node::Null => Self::Null,
            Node::Bool(value) => Self::Bool(value),
            Node::Int(value) => Self::Int(value),
            Node::Float(value) => Self::Float(value),
            Node::Str(text) => Self::Str(text),
            Node::Seq(items) => {
                Self::List(items.into_iter().map(|item| item.value.into()).collect())
            }
            Node::Map(map) => Self::object(map.into_iter().map(|(key, entry)| (key, entry.value))),
        }
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Expr {
    fn from(text: &str) -> Self {
        Self::Str(Cow::Owned(text.to_owned()))
    }
}

impl From<&String> for Expr {
    fn from(text: &String) -> Self {
        Self::Str(Cow::Owned(text.clone()))
    }
}

impl From<String> for Expr {
    fn from(text: String) -> Self {
        Self::Str(Cow::Owned(text))
    }
}

impl From<Cow<'static, str>> for Expr {
    fn from(text: Cow<'static, str>) -> Self {
        Self::Str(text)
    }
}

impl<E: Into<Expr>> From<Vec<E>> for Expr {
    fn from(items: Vec<E>) -> Self {
        Self::list(items)
    }
}

impl<E: Into<Expr>, const N: usize> From<[E; N]> for Expr {
    fn from(items: [E; N]) -> Self {
        Self::list(items)
    }
}

impl From<Object> for Expr {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<For> for Expr {
    fn from(each: For) -> Self {
        Self::For(Box::new(each))
    }
}

impl From<usize> for Expr {
    fn from(value: usize) -> Self {
        // no supported machine has a `usize` wider than 64 bits
        Self::Int(i128::try_from(value).unwrap_or(i128::MAX))
    }
}

macro_rules! from_int {
    ($($type:ty)*) => { $(
        impl From<$type> for Expr {
            fn from(value: $type) -> Self {
                Self::Int(value.into())
            }
        }
    )* };
}

from_int! { i8 i16 i32 i64 u8 u16 u32 u64 }

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(Cow::Owned(text.to_owned()))
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<Expr> for Part {
    fn from(expr: Expr) -> Self {
        Self::Interp(expr)
    }
}

impl From<&str> for Key {
    fn from(name: &str) -> Self {
        Self::Name(Cow::Owned(name.to_owned()))
    }
}

impl From<String> for Key {
    fn from(name: String) -> Self {
        Self::Name(Cow::Owned(name))
    }
}

impl From<Cow<'static, str>> for Key {
    fn from(name: Cow<'static, str>) -> Self {
        Self::Name(name)
    }
}

impl From<Expr> for Key {
    fn from(expr: Expr) -> Self {
        Self::Expr(expr)
    }
}
