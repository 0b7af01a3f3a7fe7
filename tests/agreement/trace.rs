//! The type that a struct of the model asks for, found by letting serde ask: every field of every struct is given a
//! value, and each arm of each enum once.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use slipform_model::nouns::Body;
use slipform_model::{Entries, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

type Error = de::value::Error;

/// The fields of a kind's struct with their types.
pub(crate) fn fields_of(kind: &str, platform: Option<&str>) -> Entries {
    let trace = Trace::default();
    loop {
        trace.more.set(false);
        let mut shape = Shape::Auto;
        let probe = Probe { trace: &trace, shape: &mut shape };
        Body::read(kind, platform, probe)
            .unwrap_or_else(|| panic!("no struct stands for {kind}"))
            .unwrap_or_else(|error| panic!("the struct of {kind} refuses every value: {error}"));
        let Shape::Record(entries) = shape else { panic!("{kind} is no struct: {shape}") };
        if !trace.more.get() {
            return entries;
        }
    }
}

/// The arms of enums that are known so far, and whether some are not.
#[derive(Default)]
struct Trace {
    enums: RefCell<BTreeMap<&'static str, Entries>>,
    more: Cell<bool>,
}

/// Gives a value of whatever is asked for, and keeps what that was.
struct Probe<'t> {
    trace: &'t Trace,
    shape: &'t mut Shape,
}

impl Probe<'_> {
    fn again<'s>(&'s self, shape: &'s mut Shape) -> Probe<'s> {
        Probe { trace: self.trace, shape }
    }
}

macro_rules! plain {
    ($($method:ident => $Shape:ident, $visit:ident($value:expr);)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            *self.shape = Shape::$Shape;
            visitor.$visit($value)
        }
    )*};
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    plain! {
        deserialize_bool => Bool, visit_bool(true);
        deserialize_i64 => Int, visit_i64(1);
        deserialize_u64 => Int, visit_u64(1);
        deserialize_u32 => Int, visit_u32(1);
        deserialize_f64 => Float, visit_f64(1.0);
        deserialize_string => Str, visit_borrowed_str("text");
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let expected: &dyn de::Expected = &visitor;
        Err(Error::custom(format!("nothing is known of {expected}")))
    }

    /// What is written as text and read as something else says so itself.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let expected: &dyn de::Expected = &visitor;
        let (shape, text) = match expected.to_string().as_str() {
            "IPv4 or IPv6 network address" => (Shape::Cidr, "10.0.0.0/8"),
            "IP address" => (Shape::Address, "10.0.0.1"),
            _ => (Shape::Str, "text"),
        };
        *self.shape = shape;
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut inner = Shape::Auto;
        let value = visitor.visit_some(self.again(&mut inner))?;
        *self.shape = Shape::Optional(Box::new(inner));
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut item = Shape::Auto;
        let value = visitor.visit_seq(Items { probe: self.again(&mut item), left: 1 })?;
        *self.shape = Shape::List(Box::new(item));
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut fields = Given::new(self.trace, &["key"]);
        let value = visitor.visit_map(&mut fields)?;
        let (_, shape) = fields.found.pop().unwrap();
        *self.shape = Shape::Map(Box::new(shape));
        Ok(value)
    }

    /// Units and nouns are named; anything else that wraps a type is that type.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut inner = Shape::Auto;
        let value = visitor.visit_newtype_struct(self.again(&mut inner))?;
        *self.shape = match name {
            "$size" => Shape::Size,
            "$duration" => Shape::Duration,
            "$topology" => Shape::Topology,
            "$noun" => Shape::AnyNoun,
            name if Body::KINDS.iter().any(|(kind, _)| *kind == name) => Shape::Noun(name),
            _ => inner,
        };
        Ok(value)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        assert_eq!((name, len), ("$range", 2), "nothing is known of tuples");
        let mut item = Shape::Auto;
        let value = visitor.visit_seq(Items { probe: self.again(&mut item), left: len })?;
        *self.shape = Shape::Range;
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut given = Given::new(self.trace, fields);
        let value = visitor.visit_map(&mut given)?;
        *self.shape = match name {
            slipform_source::SPANNED => given.found.pop().unwrap().1,
            "$deferred" => Shape::Deferred,
            _ => Shape::Record(given.found),
        };
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        arms: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut found = Shape::Auto;
        if name == "$choice" {
            let value = visitor.visit_enum(Arm { arm: "set", probe: self.again(&mut found) })?;
            *self.shape = Shape::Union(vec![Shape::Auto, found]);
            return Ok(value);
        }
        let known = |arm: &&&str| {
            let enums = self.trace.enums.borrow();
            enums.get(name).is_some_and(|known| known.iter().any(|(known, _)| known == *arm))
        };
        let arm = arms.iter().find(|arm| !known(arm)).or(arms.first()).unwrap();
        let more = self.trace.more.replace(false);
        let value = visitor.visit_enum(Arm { arm, probe: self.again(&mut found) })?;
        // what an arm holds is known once every arm of the enums in it is
        let whole = !self.trace.more.get();
        let mut enums = self.trace.enums.borrow_mut();
        let of_enum = enums.entry(name).or_default();
        if whole && !of_enum.iter().any(|(known, _)| known == arm) {
            of_enum.push((arm, found));
        }
        self.trace.more.set(more || of_enum.len() < arms.len());
        *self.shape = Shape::Union(of_enum.iter().map(|(_, shape)| shape.clone()).collect());
        Ok(value)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple identifier ignored_any
    }
}

/// The elements of a list.
struct Items<'t> {
    probe: Probe<'t>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let Probe { trace, shape } = &mut self.probe;
        seed.deserialize(Probe { trace, shape }).map(Some)
    }
}

/// The fields of a struct, and their types as far as they were asked for.
struct Given<'t> {
    trace: &'t Trace,
    left: std::slice::Iter<'static, &'static str>,
    name: &'static str,
    found: Entries,
}

impl<'t> Given<'t> {
    fn new(trace: &'t Trace, names: &'static [&'static str]) -> Self {
        Self { trace, left: names.iter(), name: "", found: Vec::new() }
    }
}

impl<'de> MapAccess<'de> for &mut Given<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.left.next() else { return Ok(None) };
        self.name = name;
        seed.deserialize(Key(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let mut shape = Shape::Auto;
        let value = seed.deserialize(Probe { trace: self.trace, shape: &mut shape })?;
        self.found.push((self.name, shape));
        Ok(value)
    }
}

/// The name of a field, or a key: a word, where keys are some of these.
struct Key(&'static str);

impl<'de> Deserializer<'de> for Key {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let word: StrDeserializer<'_, Error> = words[0].into_deserializer();
        visitor.visit_enum(word)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// One arm of an enum.
struct Arm<'t> {
    arm: &'static str,
    probe: Probe<'t>,
}

impl<'de> EnumAccess<'de> for Arm<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        let arm: StrDeserializer<'_, Error> = self.arm.into_deserializer();
        Ok((seed.deserialize(arm)?, self))
    }
}

impl<'de> VariantAccess<'de> for Arm<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        *self.probe.shape = match self.arm {
            "auto" => Shape::Auto,
            word => Shape::Word(word),
        };
        Ok(())
    }

    /// An arm that holds a type is named after the type: that is how lowering chooses it.
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        let mut inner = Shape::Auto;
        let value = seed.deserialize(self.probe.again(&mut inner))?;
        *self.probe.shape = match (self.arm, inner) {
            ("set", inner) => inner,
            (arm, Shape::AnyNoun) => Shape::Noun(arm.trim_start_matches('$')),
            (arm, Shape::Noun(kind)) => {
                assert_eq!(arm.trim_start_matches('$'), kind, "an arm of another kind");
                Shape::Noun(kind)
            }
            ("deferred", Shape::Deferred) => Shape::Deferred,
            (arm, inner) => {
                assert_eq!(arm, inner.to_string().to_lowercase(), "an arm with a name of its own");
                inner
            }
        };
        Ok(value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.probe.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut given = Given::new(self.probe.trace, fields);
        let value = visitor.visit_map(&mut given)?;
        *self.probe.shape = Shape::Ctor(self.arm, given.found);
        Ok(value)
    }
}
