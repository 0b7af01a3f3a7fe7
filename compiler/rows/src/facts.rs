//! A row as facts by name, whatever its type: what files say of it, and what they leave out. Words of a struct are told
//! from keys of a map, so that it can be known which facts a row of another compiler could not have.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeStruct, Serializer};
use toml::{Table, Value};

/// What one word of a row says.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// Nothing: the row has none of it.
    Unset,
    /// A value; a list or a map is one, too.
    Plain(Value),
    /// Words of its own, in the order of the type.
    Words(Vec<(&'static str, Fact)>),
}

impl Fact {
    /// The facts of a row or a sheet.
    ///
    /// # Errors
    /// Where a value has no form in the files.
    pub fn of<T: Serialize + ?Sized>(it: &T) -> Result<Self, String> {
        match it.serialize(Words) {
            Ok(fact) => Ok(fact),
            Err(Other::Plain) => Value::try_from(it).map(Self::Plain).map_err(|it| it.to_string()),
            Err(Other::Failed(why)) => Err(why),
        }
    }

    /// The same as a file has it; nothing where it is unset.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Unset => None,
            Self::Plain(value) => Some(value.clone()),
            Self::Words(words) => {
                let said =
                    words.iter().filter_map(|(name, it)| Some(((*name).into(), it.value()?)));
                Some(Value::Table(said.collect::<Table>()))
            }
        }
    }

    /// Every fact inside that is no group of words, by its path: `network.gpu_nics`.
    pub fn leaves<'a>(&'a self, path: &str, found: &mut impl FnMut(&str, &'a Self)) {
        let Self::Words(words) = self else { return found(path, self) };
        for (name, fact) in words {
            fact.leaves(&below(path, name), found);
        }
    }
}

/// `network.gpu_nics`
pub(crate) fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Why something is no group of words.
#[derive(Debug)]
enum Other {
    /// It is a plain value.
    Plain,
    Failed(String),
}

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "a plain value",
            Self::Failed(why) => why,
        })
    }
}

impl std::error::Error for Other {}

impl serde::ser::Error for Other {
    fn custom<T: std::fmt::Display>(why: T) -> Self {
        Self::Failed(why.to_string())
    }
}

/// Takes structs apart, and leaves everything else as it is.
struct Words;

/// A struct on the way to its words.
struct Taken(Vec<(&'static str, Fact)>);

impl SerializeStruct for Taken {
    type Ok = Fact;
    type Error = Other;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Other> {
        self.0.push((name, Fact::of(value).map_err(Other::custom)?));
        Ok(())
    }

    fn end(self) -> Result<Fact, Other> {
        Ok(Fact::Words(self.0))
    }
}

macro_rules! plain {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<Fact, Other> {
            Err(Other::Plain)
        })*
    };
}

type Never = Impossible<Fact, Other>;

impl Serializer for Words {
    type Ok = Fact;
    type Error = Other;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Taken;
    type SerializeStructVariant = Never;

    plain! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_none(self) -> Result<Fact, Other> {
        Ok(Fact::Unset)
    }

    fn serialize_unit(self) -> Result<Fact, Other> {
        Ok(Fact::Unset)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Fact, Other> {
        Ok(Fact::Unset)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Fact, Other> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Fact, Other> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Fact, Other> {
        Err(Other::Plain)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Never, Other> {
        Err(Other::Plain)
    }

    fn serialize_tuple(self, _: usize) -> Result<Never, Other> {
        Err(Other::Plain)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Never, Other> {
        Err(Other::Plain)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, Other> {
        Err(Other::Plain)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Never, Other> {
        Err(Other::Plain)
    }

    fn serialize_struct(self, _: &'static str, words: usize) -> Result<Taken, Other> {
        Ok(Taken(Vec::with_capacity(words)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, Other> {
        Err(Other::Plain)
    }
}
