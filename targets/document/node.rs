//! The tree of YAML and JSON documents, and the words to build one.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::comment::CommentedRef;

/// One YAML document of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Lines above the document, separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// What the document says.
    pub root: Node,
}

impl Document {
    /// A document without a comment.
    pub fn new(root: impl Into<Node>) -> Self {
        Self { comment: String::new(), root: root.into() }
    }

    /// Adds lines above the document.
    #[must_use]
    pub fn comment(mut self, comment: impl AsRef<str>) -> Self {
        join(&mut self.comment, comment.as_ref());
        self
    }
}

/// A value of a YAML or JSON document. Two nodes are equal if they print the same, up to the order of entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Node {
    /// Nothing.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, wide enough for every Rust integer up to 64 bits.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// Text; of several lines, it is printed as a block.
    Str(Cow<'static, str>),
    /// A list.
    Seq(Vec<Item>),
    /// A mapping with its entries in the order in which they were added.
    Map(Map),
}

/// A value of a list, with the lines above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Lines separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// The value.
    pub value: Node,
}

/// A value of a mapping, with the lines above its key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Lines separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// The value.
    pub value: Node,
}

/// A mapping that keeps the order of its entries; each key occurs once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    entries: IndexMap<Cow<'static, str>, Entry>,
}

/// An empty mapping, to be filled with [`Map::with`].
#[must_use]
pub fn map() -> Map {
    Map::default()
}

/// A list of values.
pub fn seq<T: Into<Item>>(items: impl IntoIterator<Item = T>) -> Node {
    Node::Seq(items.into_iter().map(Into::into).collect())
}

impl Map {
    /// Adds an entry; a key that is there already gets the new value in its old place.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Node>) -> Self {
        self.insert(key, value);
        self
    }

    /// Adds an entry if there is a value.
    #[must_use]
    pub fn with_opt(
        self,
        key: impl Into<Cow<'static, str>>,
        value: Option<impl Into<Node>>,
    ) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds an entry with lines above it.
    #[must_use]
    pub fn with_comment(
        mut self,
        comment: impl AsRef<str>,
        key: impl Into<Cow<'static, str>>,
        value: impl Into<Node>,
    ) -> Self {
        let entry = self.insert(key, value);
        join(&mut entry.comment, comment.as_ref());
        self
    }

    /// Sets an entry in place and returns it.
    pub fn insert(
        &mut self,
        key: impl Into<Cow<'static, str>>,
        value: impl Into<Node>,
    ) -> &mut Entry {
        let entry = self.entry(key);
        entry.value = value.into();
        entry
    }

    /// The entry of `key`, made at the end if there is none.
    pub fn entry(&mut self, key: impl Into<Cow<'static, str>>) -> &mut Entry {
        self.entries.entry(key.into()).or_default()
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// The value of `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    /// Takes an entry out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        self.entries.shift_remove(key)
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(key, entry)| (key.as_ref(), entry))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl IntoIterator for Map {
    type Item = (Cow<'static, str>, Entry);
    type IntoIter = indexmap::map::IntoIter<Cow<'static, str>, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Into<Cow<'static, str>>, V: Into<Node>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        entries.into_iter().fold(Self::default(), |map, (key, value)| map.with(key, value))
    }
}

impl Item {
    /// Puts lines above a list item.
    pub fn commented(comment: impl Into<String>, value: impl Into<Node>) -> Self {
        Self { comment: comment.into(), value: value.into() }
    }
}

impl Node {
    /// Whether this is a list or a mapping without content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Seq(items) => items.is_empty(),
            Self::Map(map) => map.is_empty(),
            _ => false,
        }
    }

    /// The value of `key`, if this is a mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(key),
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// What the value is, in a user's words: `a string`, `a list` and so on.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Str(_) => "a string",
            Self::Seq(_) => "a list",
            Self::Map(_) => "a record",
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => int(*value, serializer),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Str(text) => serializer.serialize_str(text),
            Self::Seq(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for Item { comment, value } in items {
                    list.serialize_element(&CommentedRef { comment, value })?;
                }
                list.end()
            }
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, Entry { comment, value }) in &self.entries {
            map.serialize_entry(key.as_ref(), &CommentedRef { comment, value })?;
        }
        map.end()
    }
}

/// Prefers the 64-bit forms, which every serializer knows.
fn int<S: Serializer>(value: i128, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(value) = i64::try_from(value) {
        return serializer.serialize_i64(value);
    }
    if let Ok(value) = u64::try_from(value) {
        return serializer.serialize_u64(value);
    }
    serializer.serialize_i128(value)
}

/// Appends lines to a comment.
fn join(comment: &mut String, more: &str) {
    if !comment.is_empty() && !more.is_empty() {
        comment.push('\n');
    }
    comment.push_str(more);
}

impl<T: Into<Node>> From<T> for Item {
    fn from(value: T) -> Self {
        Self { comment: String::new(), value: value.into() }
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Node {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Str(Cow::Owned(text.to_owned()))
    }
}

impl From<&String> for Node {
    fn from(text: &String) -> Self {
        Self::Str(Cow::Owned(text.clone()))
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Str(Cow::Owned(text))
    }
}

impl From<Cow<'static, str>> for Node {
    fn from(text: Cow<'static, str>) -> Self {
        Self::Str(text)
    }
}

impl<T: Into<Item>> From<Vec<T>> for Node {
    fn from(items: Vec<T>) -> Self {
        seq(items)
    }
}

impl<T: Into<Item>, const N: usize> From<[T; N]> for Node {
    fn from(items: [T; N]) -> Self {
        seq(items)
    }
}

/// Data that was read; a number beyond 64 bits becomes a float, as `serde_json` reads it.
impl From<serde_json::Value> for Node {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => value.into(),
            Value::Number(number) => number
                .as_i128()
                .map(Self::Int)
                .or_else(|| number.as_f64().map(Self::Float))
                .unwrap_or_default(),
            Value::String(text) => text.into(),
            Value::Array(items) => seq(items.into_iter().map(Self::from)),
            Value::Object(entries) => Self::Map(entries.into_iter().collect()),
        }
    }
}

impl From<usize> for Node {
    fn from(value: usize) -> Self {
        // no supported machine has a `usize` wider than 64 bits
        Self::Int(i128::try_from(value).unwrap_or(i128::MAX))
    }
}

macro_rules! from_int {
    ($($type:ty)*) => { $(
        impl From<$type> for Node {
            fn from(value: $type) -> Self {
                Self::Int(value.into())
            }
        }
    )* };
}

from_int! { i8 i16 i32 i64 u8 u16 u32 u64 }
