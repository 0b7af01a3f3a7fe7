//! YAML: a serde serializer that writes block style straight into a string.
//!
//! What it guarantees:
//! - two spaces of indent, the dashes of a list under the key that holds it, one entry a line;
//! - every scalar reads back as itself with every reader, YAML 1.1 ones included (see [`scalar`]); keys are always strings;
//! - text of several lines is a `|` block wherever a block can carry it;
//! - comments ([`super::Commented`]) stand above the line of their key or dash, at its indent.
//!
//! It does not fold long lines, and writes no anchors, tags or flow style (but `{}` and `[]`).

mod scalar;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::comment::{COMMENTED, Sink, capture, pad, push_lines};
use super::node::Document;
use super::refuse::{Error, KeyText};

/// Prints a stream of documents, `---` between them.
#[must_use]
pub fn to_yaml(documents: &[Document]) -> String {
    let mut out = String::new();
    for (index, document) in documents.iter().enumerate() {
        if index > 0 {
            out.push_str("---\n");
        }
        push_lines(&mut out, &document.comment, 0);
        // a tree has string keys and no bytes: nothing in it can be refused
        let printed = yaml_to_string(&mut out, &document.root);
        debug_assert!(printed.is_ok(), "{printed:?}");
    }
    out
}

/// Prints one document to the end of `out`, from the beginning of a line, without `---`.
///
/// # Errors
///
/// Bytes, maps whose keys are not scalars, and whatever the value's own `Serialize` refuses; `out` then holds an
/// incomplete document.
pub fn yaml_to_string<T: Serialize + ?Sized>(out: &mut String, value: &T) -> Result<(), Error> {
    let place = Place { slot: Slot::Root, indent: 0, line: out.len(), margin: 0 };
    value.serialize(Value { out, place })
}

/// Prints one document.
///
/// # Errors
///
/// As [`yaml_to_string`].
pub fn yaml_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut out = String::new();
    yaml_to_string(&mut out, value)?;
    Ok(out)
}

/// An implicit key may have 1,024 characters with its quotes; longer ones are written after a `?`.
const LONGEST_KEY: usize = 1000;

/// What has been written on the line on which a value comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    /// Nothing: the value is the document.
    Root,
    /// `key:`
    Key,
    /// `-`
    Dash,
}

/// Where a value comes.
#[derive(Clone, Copy)]
struct Place {
    slot: Slot,
    /// The column of the key or dash.
    indent: usize,
    /// The offset at which the line begins.
    line: usize,
    /// The line's own indent; less than `indent` behind dashes on the same line.
    margin: usize,
}

impl Place {
    fn map_column(self) -> usize {
        match self.slot {
            Slot::Root => 0,
            Slot::Key | Slot::Dash => self.indent + 2,
        }
    }

    fn list_column(self) -> usize {
        match self.slot {
            Slot::Root => 0,
            Slot::Key => self.indent,
            Slot::Dash => self.indent + 2,
        }
    }
}

/// Prints one value; ends with a newline.
struct Value<'o> {
    out: &'o mut String,
    place: Place,
}

impl<'o> Value<'o> {
    fn gap(&mut self) {
        if self.place.slot != Slot::Root {
            self.out.push(' ');
        }
    }

    fn plain(mut self, text: &str) -> Result<(), Error> {
        self.gap();
        self.out.push_str(text);
        self.out.push('\n');
        Ok(())
    }

    fn display(mut self, value: impl std::fmt::Display) -> Result<(), Error> {
        self.gap();
        writeln!(self.out, "{value}").map_err(|_| Error::refused("a value that cannot be shown"))
    }

    fn text(mut self, text: &str) {
        self.gap();
        match self.place.slot {
            Slot::Root => scalar::push_line(self.out, text),
            Slot::Key | Slot::Dash => scalar::push(self.out, text, self.place.indent + 2),
        }
        self.out.push('\n');
    }

    fn list(self) -> Compound<'o> {
        let column = self.place.list_column();
        Compound { out: self.out, place: self.place, column, first: true, empty: "[]" }
    }

    fn map(self) -> Compound<'o> {
        let column = self.place.map_column();
        Compound { out: self.out, place: self.place, column, first: true, empty: "{}" }
    }

    /// Opens `variant:` as the only key of a mapping.
    fn under(self, variant: &'static str) -> Value<'o> {
        let mut map = self.map();
        let place = map.key(variant);
        Value { out: map.out, place }
    }
}

impl Sink for Value<'_> {
    type Ok = ();

    fn accept<T: Serialize + ?Sized>(mut self, comment: &str, value: &T) -> Result<(), Error> {
        // the key or dash is there already, and little else: moving it down a line costs nothing
        let line = self.out.split_off(self.place.line);
        push_lines(self.out, comment, self.place.margin);
        self.place.line = self.out.len();
        self.out.push_str(&line);
        value.serialize(self)
    }
}

/// Prints the entries of a mapping or the items of a list.
struct Compound<'o> {
    out: &'o mut String,
    place: Place,
    column: usize,
    first: bool,
    empty: &'static str,
}

impl Compound<'_> {
    /// Begins an entry: on the dash's own line, or on a new one. Gives the place of its key or dash.
    fn begin(&mut self, slot: Slot) -> Place {
        let indent = self.column;
        let first = std::mem::replace(&mut self.first, false);
        match self.place.slot {
            Slot::Dash if first => {
                self.out.push(' ');
                return Place { slot, indent, line: self.place.line, margin: self.place.margin };
            }
            Slot::Key if first => self.out.push('\n'),
            _ => {}
        }
        let line = self.out.len();
        pad(self.out, indent);
        Place { slot, indent, line, margin: indent }
    }

    fn key(&mut self, key: &str) -> Place {
        let place = self.begin(Slot::Key);
        let start = self.out.len();
        scalar::push_line(self.out, key);
        if self.out.len() - start > LONGEST_KEY {
            self.out.insert_str(start, "? ");
            self.out.push('\n');
            pad(self.out, self.column);
        }
        self.out.push(':');
        place
    }

    fn value<T: Serialize + ?Sized>(&mut self, place: Place, value: &T) -> Result<(), Error> {
        value.serialize(Value { out: self.out, place })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let place = self.begin(Slot::Dash);
        self.out.push('-');
        self.value(place, value)
    }

    fn finish(self) -> Result<(), Error> {
        if self.first {
            return Value { out: self.out, place: self.place }.plain(self.empty);
        }
        Ok(())
    }
}

impl<'o> Serializer for Value<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'o>;
    type SerializeTuple = Compound<'o>;
    type SerializeTupleStruct = Compound<'o>;
    type SerializeTupleVariant = Compound<'o>;
    type SerializeMap = Entries<'o>;
    type SerializeStruct = Compound<'o>;
    type SerializeStructVariant = Compound<'o>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.plain(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        self.display(value)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.plain(&scalar::float(&format!("{value:?}")))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.plain(&scalar::float(&format!("{value:?}")))
    }

    fn serialize_char(self, c: char) -> Result<(), Error> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.text(text);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        Err(Error::refused("a document has no place for bytes"))
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.plain("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.plain("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.plain("null")
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if name == COMMENTED { capture(self, value) } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self.under(variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'o>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'o>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'o>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'o>, Error> {
        Ok(self.under(variant).list())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'o>, Error> {
        Ok(Entries { map: self.map(), place: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'o>, Error> {
        Ok(self.map())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'o>, Error> {
        Ok(self.under(variant).map())
    }
}

macro_rules! list {
    ($($trait:ident $method:ident)*) => { $(
        impl $trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        }
    )* };
}

list! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! record {
    ($($trait:ident)*) => { $(
        impl $trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                let place = self.key(key);
                self.value(place, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        }
    )* };
}

record! { SerializeStruct SerializeStructVariant }

/// A mapping whose keys come as values of their own.
struct Entries<'o> {
    map: Compound<'o>,
    /// The place behind a key that waits for its value.
    place: Option<Place>,
}

impl SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.place = Some(key.serialize(KeyText(|text: &str| self.map.key(text)))?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let place =
            self.place.take().ok_or_else(|| Error::refused("a map's value came before its key"))?;
        self.map.value(place, value)
    }

    fn end(self) -> Result<(), Error> {
        self.map.finish()
    }
}
