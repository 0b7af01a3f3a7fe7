//! Typed structs into the tree: a serde serializer whose result is a [`Node`].

use std::borrow::Cow;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::comment::{COMMENTED, Sink, capture};
use super::node::{Entry, Item, Map, Node};
use super::refuse::{Error, KeyText};

/// Turns a typed value into a tree, comments included.
///
/// # Errors
///
/// Bytes, numbers beyond 127 bits, maps whose keys are not scalars, and whatever the value's own `Serialize` refuses.
pub fn to_node<T: Serialize + ?Sized>(value: &T) -> Result<Node, Error> {
    value.serialize(Build).map(|(_, node)| node)
}

/// A node and the comment that stands in front of it.
type Built = (String, Node);

struct Build;

impl Sink for Build {
    type Ok = Built;

    fn accept<T: Serialize + ?Sized>(self, comment: &str, value: &T) -> Result<Built, Error> {
        let (inner, node) = value.serialize(self)?;
        let comment =
            if inner.is_empty() { comment.to_owned() } else { format!("{comment}\n{inner}") };
        Ok((comment, node))
    }
}

fn bare(node: impl Into<Node>) -> Result<Built, Error> {
    Ok((String::new(), node.into()))
}

impl Serializer for Build {
    type Ok = Built;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Record;
    type SerializeStruct = Record;
    type SerializeStructVariant = Record;

    fn serialize_bool(self, value: bool) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_i8(self, value: i8) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_i16(self, value: i16) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_i32(self, value: i32) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_i64(self, value: i64) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_i128(self, value: i128) -> Result<Built, Error> {
        bare(Node::Int(value))
    }

    fn serialize_u8(self, value: u8) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_u16(self, value: u16) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_u32(self, value: u32) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_u64(self, value: u64) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_f32(self, value: f32) -> Result<Built, Error> {
        // by way of its shortest text: 0.1f32 means 0.1, not 0.10000000149011612
        bare(value.to_string().parse::<f64>().unwrap_or_else(|_| value.into()))
    }

    fn serialize_f64(self, value: f64) -> Result<Built, Error> {
        bare(value)
    }

    fn serialize_char(self, c: char) -> Result<Built, Error> {
        bare(c.to_string())
    }

    fn serialize_str(self, text: &str) -> Result<Built, Error> {
        bare(text)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Built, Error> {
        Err(Error::refused("a document has no place for bytes"))
    }

    fn serialize_none(self) -> Result<Built, Error> {
        bare(Node::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Built, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Built, Error> {
        bare(Node::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Built, Error> {
        bare(Node::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Built, Error> {
        bare(Cow::Borrowed(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Built, Error> {
        if name == COMMENTED { capture(self, value) } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Built, Error> {
        let mut record = Record::new(None);
        record.add(Cow::Borrowed(variant), value)?;
        bare(record.map)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<List, Error> {
        // a hint only: a lying length must not decide how much memory is taken
        Ok(List { variant: None, items: Vec::with_capacity(len.unwrap_or_default().min(64)) })
    }

    fn serialize_tuple(self, len: usize) -> Result<List, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<List, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List, Error> {
        Ok(List { variant: Some(variant), items: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Record, Error> {
        Ok(Record::new(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Record, Error> {
        Ok(Record::new(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Record, Error> {
        Ok(Record::new(Some(variant)))
    }
}

/// A list in the making; of an enum's variant, it becomes the value of a one-entry mapping.
struct List {
    variant: Option<&'static str>,
    items: Vec<Item>,
}

impl List {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let (comment, value) = value.serialize(Build)?;
        self.items.push(Item { comment, value });
        Ok(())
    }

    fn finish(self) -> Result<Built, Error> {
        under(self.variant, Node::Seq(self.items))
    }
}

/// A mapping in the making.
struct Record {
    variant: Option<&'static str>,
    key: Option<Cow<'static, str>>,
    map: Map,
}

impl Record {
    fn new(variant: Option<&'static str>) -> Self {
        Self { variant, key: None, map: Map::default() }
    }

    fn add<T: Serialize + ?Sized>(
        &mut self,
        key: Cow<'static, str>,
        value: &T,
    ) -> Result<(), Error> {
        let (comment, value) = value.serialize(Build)?;
        *self.map.insert(key, Node::Null) = Entry { comment, value };
        Ok(())
    }

    fn finish(self) -> Result<Built, Error> {
        under(self.variant, Node::Map(self.map))
    }
}

fn under(variant: Option<&'static str>, node: Node) -> Result<Built, Error> {
    match variant {
        Some(variant) => bare(super::node::map().with(variant, node)),
        None => bare(node),
    }
}

macro_rules! list {
    ($($trait:ident $method:ident)*) => { $(
        impl $trait for List {
            type Ok = Built;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.add(value)
            }

            fn end(self) -> Result<Built, Error> {
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
        impl $trait for Record {
            type Ok = Built;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.add(Cow::Borrowed(key), value)
            }

            fn end(self) -> Result<Built, Error> {
                self.finish()
            }
        }
    )* };
}

record! { SerializeStruct SerializeStructVariant }

impl SerializeMap for Record {
    type Ok = Built;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = Some(key.serialize(KeyText(|text: &str| Cow::Owned(text.to_owned())))?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key =
            self.key.take().ok_or_else(|| Error::refused("a map's value came before its key"))?;
        self.add(key, value)
    }

    fn end(self) -> Result<Built, Error> {
        self.finish()
    }
}
