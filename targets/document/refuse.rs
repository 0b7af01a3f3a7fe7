//! What a document cannot hold, and the macro that lists it.

use std::fmt;

use serde::Serialize;

/// A value that the format has no place for: bytes, or a map whose keys are not scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn refused(why: &str) -> Self {
        Self(why.to_owned())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Implements the named `Serializer` methods by refusing with one reason.
macro_rules! refuse {
    ($why:literal; $($what:tt)*) => { $( refuse!(@ $what $why); )* };
    (@ none $why:literal) => {
        fn serialize_none(self) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ unit $why:literal) => {
        fn serialize_unit(self) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ some $why:literal) => {
        fn serialize_some<V: Serialize + ?Sized>(self, _: &V) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ str $why:literal) => {
        fn serialize_str(self, _: &str) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ bytes $why:literal) => {
        fn serialize_bytes(self, _: &[u8]) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ unit_struct $why:literal) => {
        fn serialize_unit_struct(self, _: &'static str) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ unit_variant $why:literal) => {
        fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<Self::Ok, Error> {
            Err(Error::refused($why))
        }
    };
    (@ newtype_struct $why:literal) => {
        fn serialize_newtype_struct<V: Serialize + ?Sized>(self, _: &'static str, _: &V) -> Result<Self::Ok, Error> {
            Err(Error::refused($why))
        }
    };
    (@ newtype_variant $why:literal) => {
        fn serialize_newtype_variant<V: Serialize + ?Sized>(
            self, _: &'static str, _: u32, _: &'static str, _: &V,
        ) -> Result<Self::Ok, Error> {
            Err(Error::refused($why))
        }
    };
    (@ seq $why:literal) => {
        fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> { Err(Error::refused($why)) }
    };
    (@ tuple $why:literal) => {
        fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> { Err(Error::refused($why)) }
    };
    (@ tuple_struct $why:literal) => {
        fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
            Err(Error::refused($why))
        }
    };
    (@ tuple_variant $why:literal) => {
        fn serialize_tuple_variant(
            self, _: &'static str, _: u32, _: &'static str, _: usize,
        ) -> Result<Self::SerializeTupleVariant, Error> {
            Err(Error::refused($why))
        }
    };
    (@ map $why:literal) => {
        fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> { Err(Error::refused($why)) }
    };
    (@ struct $why:literal) => {
        fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
            Err(Error::refused($why))
        }
    };
    (@ struct_variant $why:literal) => {
        fn serialize_struct_variant(
            self, _: &'static str, _: u32, _: &'static str, _: usize,
        ) -> Result<Self::SerializeStructVariant, Error> {
            Err(Error::refused($why))
        }
    };
    (@ bool $why:literal) => {
        fn serialize_bool(self, _: bool) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ char $why:literal) => {
        fn serialize_char(self, _: char) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
    (@ i8 $why:literal) => { refuse!(@ number serialize_i8 i8 $why); };
    (@ i16 $why:literal) => { refuse!(@ number serialize_i16 i16 $why); };
    (@ i32 $why:literal) => { refuse!(@ number serialize_i32 i32 $why); };
    (@ i64 $why:literal) => { refuse!(@ number serialize_i64 i64 $why); };
    (@ i128 $why:literal) => { refuse!(@ number serialize_i128 i128 $why); };
    (@ u8 $why:literal) => { refuse!(@ number serialize_u8 u8 $why); };
    (@ u16 $why:literal) => { refuse!(@ number serialize_u16 u16 $why); };
    (@ u32 $why:literal) => { refuse!(@ number serialize_u32 u32 $why); };
    (@ u64 $why:literal) => { refuse!(@ number serialize_u64 u64 $why); };
    (@ u128 $why:literal) => { refuse!(@ number serialize_u128 u128 $why); };
    (@ f32 $why:literal) => { refuse!(@ number serialize_f32 f32 $why); };
    (@ f64 $why:literal) => { refuse!(@ number serialize_f64 f64 $why); };
    (@ number $method:ident $type:ident $why:literal) => {
        fn $method(self, _: $type) -> Result<Self::Ok, Error> { Err(Error::refused($why)) }
    };
}

pub(crate) use refuse;

/// Hands the text of a scalar map key on; the YAML and JSON documents of every consumer have string keys only.
pub(crate) struct KeyText<F>(pub(crate) F);

impl<R, F: FnOnce(&str) -> R> serde::Serializer for KeyText<F> {
    type Ok = R;
    type Error = Error;
    type SerializeSeq = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeTuple = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeTupleStruct = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeTupleVariant = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeMap = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeStruct = serde::ser::Impossible<Self::Ok, Error>;
    type SerializeStructVariant = serde::ser::Impossible<Self::Ok, Error>;

    fn serialize_str(self, text: &str) -> Result<Self::Ok, Error> {
        Ok((self.0)(text))
    }

    fn serialize_char(self, c: char) -> Result<Self::Ok, Error> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bool(self, value: bool) -> Result<Self::Ok, Error> {
        self.serialize_str(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_i128(self, value: i128) -> Result<Self::Ok, Error> {
        self.serialize_str(&value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<Self::Ok, Error> {
        self.serialize_i128(value.into())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Self::Ok, Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<V: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &V,
    ) -> Result<Self::Ok, Error> {
        value.serialize(self)
    }

    refuse! { "the keys of a map must be strings";
        u128 f32 f64 bytes none some unit unit_struct newtype_variant seq tuple tuple_struct tuple_variant map struct
        struct_variant
    }
}
