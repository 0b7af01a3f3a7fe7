//! What structs and enums ask for by name: the other side of what kinds and types declare.

use super::LowerError;
use serde::Deserialize;
use serde::de::{
    self, DeserializeSeed, EnumAccess, VariantAccess, Visitor, value::StrDeserializer,
};

type Names = &'static [&'static str];

/// The fields that a struct asks for, in its order.
pub fn field_names<'de, T: Deserialize<'de>>() -> Names {
    let mut asked = Asked::default();
    // The struct is never built: asking for its fields is all that happens before the error.
    let _ = T::deserialize(&mut asked);
    asked.fields
}

/// The constructors among the arms of an enum, with the fields that each asks for.
pub fn constructors<'de, T: Deserialize<'de>>() -> Vec<(&'static str, Names)> {
    let mut asked = Asked::default();
    let _ = T::deserialize(&mut asked);
    let arms = asked.arms.iter().map(|arm| {
        let mut asked = Asked { arm, ..Asked::default() };
        let _ = T::deserialize(&mut asked);
        (*arm, asked.fields)
    });
    arms.filter(|(_, fields)| !fields.is_empty()).collect()
}

/// Takes the names of the first struct or enum that is asked for, and gives nothing.
#[derive(Default)]
struct Asked {
    /// The arm whose fields are wanted; none yet.
    arm: &'static str,
    arms: Names,
    fields: Names,
}

impl<'de> de::Deserializer<'de> for &mut Asked {
    type Error = LowerError;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, LowerError> {
        Err(de::Error::custom("only names are asked for"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        self.fields = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        arms: Names,
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        self.arms = arms;
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for &mut Asked {
    type Error = LowerError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), LowerError> {
        let arm: StrDeserializer<'_, LowerError> =
            de::IntoDeserializer::into_deserializer(self.arm);
        Ok((seed.deserialize(arm)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Asked {
    type Error = LowerError;

    fn unit_variant(self) -> Result<(), LowerError> {
        Err(de::Error::custom("only names are asked for"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        _seed: S,
    ) -> Result<S::Value, LowerError> {
        Err(de::Error::custom("only names are asked for"))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        _visitor: V,
    ) -> Result<V::Value, LowerError> {
        Err(de::Error::custom("only names are asked for"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: Names,
        _visitor: V,
    ) -> Result<V::Value, LowerError> {
        self.fields = fields;
        Err(de::Error::custom("only names are asked for"))
    }
}
