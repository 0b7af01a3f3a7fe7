//! Comments in front of a value, wherever serde carries it.
//!
//! serde has no notion of a comment. [`Commented`] passes one through a newtype with a reserved name, which the
//! serializers of this module recognize. Any other human-readable serializer (`serde_json`, say) sees the bare value.

use std::borrow::Cow;

use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

use super::refuse::{Error, refuse};

/// A value with comment lines in front of it, for fields of typed structs.
///
/// In YAML the lines stand above the line on which the value's key (or list dash) is written; in JSON they vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commented<T> {
    /// Lines separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// The value.
    pub value: T,
}

impl<T> Commented<T> {
    /// Puts `comment` (lines separated by `\n`, without `#`) in front of `value`.
    pub fn new(comment: impl Into<String>, value: T) -> Self {
        Self { comment: comment.into(), value }
    }
}

impl<T> From<T> for Commented<T> {
    fn from(value: T) -> Self {
        Self { comment: String::new(), value }
    }
}

impl<T: Serialize> Serialize for Commented<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        CommentedRef { comment: &self.comment, value: &self.value }.serialize(serializer)
    }
}

/// The borrowed form of [`Commented`].
pub(crate) struct CommentedRef<'a, T: ?Sized> {
    pub(crate) comment: &'a str,
    pub(crate) value: &'a T,
}

impl<T: Serialize + ?Sized> Serialize for CommentedRef<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.comment.is_empty() {
            return self.value.serialize(serializer);
        }
        serializer.serialize_newtype_struct(COMMENTED, &Carrier(self))
    }
}

/// The reserved newtype name.
pub(crate) const COMMENTED: &str = "$slipform::commented";

/// Shows the pair only to [`Capture`], which alone calls itself not human-readable; everyone else sees the value.
struct Carrier<'a, T: ?Sized>(&'a CommentedRef<'a, T>);

impl<T: Serialize + ?Sized> Serialize for Carrier<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.value.serialize(serializer);
        }
        let mut pair = serializer.serialize_tuple(2)?;
        pair.serialize_element(self.0.comment)?;
        pair.serialize_element(self.0.value)?;
        pair.end()
    }
}

/// Where a commented value goes once both of its halves are known.
pub(crate) trait Sink {
    /// What printing the value yields.
    type Ok;

    /// Takes the comment and the value.
    fn accept<T: Serialize + ?Sized>(self, comment: &str, value: &T) -> Result<Self::Ok, Error>;
}

/// Hands the payload of a newtype named [`COMMENTED`] to `sink`.
pub(crate) fn capture<S: Sink, T: Serialize + ?Sized>(
    sink: S,
    carrier: &T,
) -> Result<S::Ok, Error> {
    carrier.serialize(Capture(sink))
}

struct Capture<S>(S);

impl<S: Sink> Serializer for Capture<S> {
    type Ok = S::Ok;
    type Error = Error;
    type SerializeSeq = Impossible<S::Ok, Error>;
    type SerializeTuple = Pair<S>;
    type SerializeTupleStruct = Impossible<S::Ok, Error>;
    type SerializeTupleVariant = Impossible<S::Ok, Error>;
    type SerializeMap = Impossible<S::Ok, Error>;
    type SerializeStruct = Impossible<S::Ok, Error>;
    type SerializeStructVariant = Impossible<S::Ok, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_tuple(self, _len: usize) -> Result<Pair<S>, Error> {
        Ok(Pair { sink: Some(self.0), comment: None, done: None })
    }

    refuse! { "a commented value is a pair";
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes none some unit unit_struct unit_variant
        newtype_struct newtype_variant seq tuple_struct tuple_variant map struct struct_variant
    }
}

struct Pair<S: Sink> {
    sink: Option<S>,
    comment: Option<String>,
    done: Option<S::Ok>,
}

impl<S: Sink> SerializeTuple for Pair<S> {
    type Ok = S::Ok;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Some(comment) = self.comment.take() else {
            self.comment = Some(value.serialize(Text)?);
            return Ok(());
        };
        if let Some(sink) = self.sink.take() {
            self.done = Some(sink.accept(&comment, value)?);
        }
        Ok(())
    }

    fn end(self) -> Result<S::Ok, Error> {
        self.done.ok_or_else(|| Error::refused("a commented value without a value"))
    }
}

/// Takes a string and nothing else.
struct Text;

impl Serializer for Text {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Impossible<String, Error>;
    type SerializeTuple = Impossible<String, Error>;
    type SerializeTupleStruct = Impossible<String, Error>;
    type SerializeTupleVariant = Impossible<String, Error>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Impossible<String, Error>;
    type SerializeStructVariant = Impossible<String, Error>;

    fn serialize_str(self, text: &str) -> Result<String, Error> {
        Ok(text.to_owned())
    }

    refuse! { "a comment is text";
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes none some unit unit_struct unit_variant
        newtype_struct newtype_variant seq tuple tuple_struct tuple_variant map struct struct_variant
    }
}

/// The comment's lines as they may be printed after a `#`: control characters and Unicode line breaks, which would end
/// the comment and start something else, become spaces; trailing space goes.
pub(crate) fn lines(comment: &str) -> impl Iterator<Item = Cow<'_, str>> {
    comment.split('\n').map(|line| {
        if line.contains(breaks_out) {
            Cow::Owned(line.replace(breaks_out, " ").trim_end().to_owned())
        } else {
            Cow::Borrowed(line.trim_end())
        }
    })
}

fn breaks_out(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Prints `comment` as `#` lines indented by `indent` spaces.
pub(crate) fn push_lines(out: &mut String, comment: &str, indent: usize) {
    if comment.is_empty() {
        return;
    }
    for line in lines(comment) {
        pad(out, indent);
        out.push('#');
        if !line.is_empty() {
            out.push(' ');
            out.push_str(&line);
        }
        out.push('\n');
    }
}

/// Pushes `count` spaces.
pub(crate) fn pad(out: &mut String, mut count: usize) {
    const SPACES: &str = "                                                                ";
    while count > SPACES.len() {
        out.push_str(SPACES);
        count -= SPACES.len();
    }
    out.push_str(SPACES.get(..count).unwrap_or_default());
}
