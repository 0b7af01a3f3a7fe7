//! The values of the language, as evaluation leaves them: what fields hold, what rules compare.

use crate::NounId;
use crate::units::{Duration, Range, Size, Topology};
use indexmap::IndexMap;
use ipnet::IpNet;
use slipform_source::Span;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// A value. Cloning one is cheap.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `true`, `false`
    Bool(bool),
    /// `16`
    Int(i64),
    /// `0.5`
    Float(f64),
    /// `"text"`, and words of enumerations.
    Str(Arc<str>),
    /// `80GiB`
    Size(Size),
    /// `2h30m`
    Duration(Duration),
    /// `10.0.0.0/16`
    Cidr(IpNet),
    /// `10.0.0.1`
    Address(IpAddr),
    /// `4x4x8`
    Topology(Topology),
    /// `3..10`
    Range(Range),
    /// `[a, b]`
    List(Arc<[Placed]>),
    /// `{ a = b }`
    Record(Arc<Record>),
    /// `reservation("r")`: a constructor and its fields.
    Variant(Arc<str>, Arc<Record>),
    /// A noun.
    Ref(NounRef),
    /// What exists only once it is made.
    Deferred(Deferred),
    /// `auto`: the compiler chooses.
    Auto,
    /// An optional that is not set. No record holds one.
    Absent,
    /// What could not be understood; the reason is reported already, so nothing more is said of it.
    Unknown,
}

/// A value and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The value.
    pub value: Value,
    /// The expression that gave it.
    pub span: Span,
}

/// A map that keeps the order of insertion. Its hash is fast and the same in every run; nothing depends on it.
pub type Map<K, V> = IndexMap<K, V, foldhash::fast::FixedState>;

/// The entries of a record, in the order written.
pub type Record = Map<Arc<str>, Placed>;

/// A reference to a noun, and the noun's kind without its platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NounRef {
    /// The noun.
    pub id: NounId,
    /// `bucket`, `pool`, `cluster` ...
    pub kind: Arc<str>,
}

/// A value that Terraform knows after `apply`: an output of the noun that makes it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename = "$deferred")]
pub struct Deferred {
    /// The noun that makes it.
    pub noun: NounId,
    /// Its derived field, such as `address`.
    pub field: Arc<str>,
}

impl Value {
    /// A string.
    pub fn str(text: impl AsRef<str>) -> Self {
        Self::Str(Arc::from(text.as_ref()))
    }

    /// A list whose elements all stand at `span`.
    pub fn list(items: impl IntoIterator<Item = Value>, span: Span) -> Self {
        Self::List(items.into_iter().map(|value| Placed { value, span }).collect())
    }

    /// A record whose entries all stand at `span`.
    pub fn record<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>, span: Span) -> Self {
        let placed =
            entries.into_iter().map(|(name, value)| (Arc::from(name), Placed { value, span }));
        Self::Record(Arc::new(placed.collect()))
    }

    /// A variant without fields.
    pub fn word(name: &str) -> Self {
        Self::Variant(Arc::from(name), Arc::default())
    }

    /// What kind of value it is, in the user's words: `a size`, `a list`.
    pub fn described(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "a string",
            Self::Size(_) => "a size",
            Self::Duration(_) => "a duration",
            Self::Cidr(_) => "an address range",
            Self::Address(_) => "an address",
            Self::Topology(_) => "a topology",
            Self::Range(_) => "a range",
            Self::List(_) => "a list",
            Self::Record(_) => "a record",
            Self::Variant(..) => "a constructor",
            Self::Ref(_) => "a reference",
            Self::Deferred(_) => "a deferred value",
            Self::Auto => "`auto`",
            Self::Absent => "nothing",
            Self::Unknown => "an unknown value",
        }
    }

    /// Whether it, or anything in it, is [`Value::Unknown`].
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::List(items) => items.iter().any(|item| item.value.has_unknown()),
            Self::Record(record) | Self::Variant(_, record) => {
                record.values().any(|item| item.value.has_unknown())
            }
            _ => false,
        }
    }
}

impl Value {
    /// Whether it, or an element of it, exists only once it is made.
    pub fn has_deferred(&self) -> bool {
        match self {
            Self::Deferred(_) => true,
            Self::List(items) => items.iter().any(|item| item.value.has_deferred()),
            Self::Record(record) => record.values().any(|item| item.value.has_deferred()),
            _ => false,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::str(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

/// A float as a program reads one: `1.0` is none where its point is lost.
pub fn float_text(number: f64) -> String {
    let text = number.to_string();
    if text.contains('.') || !number.is_finite() { text } else { text + ".0" }
}

/// As `"${value}"` writes it into a string, and a diagnostic shows it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(it) => it.fmt(f),
            Self::Int(it) => it.fmt(f),
            Self::Float(it) => f.write_str(&float_text(*it)),
            Self::Str(it) => it.fmt(f),
            Self::Size(it) => it.fmt(f),
            Self::Duration(it) => it.fmt(f),
            Self::Cidr(it) => it.fmt(f),
            Self::Address(it) => it.fmt(f),
            Self::Topology(it) => it.fmt(f),
            Self::Range(it) => it.fmt(f),
            Self::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if at == 0 { "" } else { ", " }, item.value)?;
                }
                f.write_str("]")
            }
            Self::Record(record) => fields(f, "{ ", record, " }"),
            Self::Variant(name, record) if record.is_empty() => f.write_str(name),
            Self::Variant(name, record) => {
                f.write_str(name)?;
                fields(f, "(", record, ")")
            }
            Self::Ref(noun) => write!(f, "a {}", noun.kind),
            Self::Deferred(deferred) => write!(f, "deferred {}", deferred.field),
            Self::Auto => f.write_str("auto"),
            Self::Absent => f.write_str("nothing"),
            Self::Unknown => f.write_str("?"),
        }
    }
}

fn fields(f: &mut fmt::Formatter<'_>, open: &str, record: &Record, close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (at, (name, item)) in record.iter().enumerate() {
        write!(f, "{}{name} = {}", if at == 0 { "" } else { ", " }, item.value)?;
    }
    f.write_str(close)
}
