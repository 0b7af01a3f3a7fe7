//! From checked values to typed nouns, through serde: a field of a kind becomes a field of a struct by name.
//!
//! A union of the language is an enum here. Its arm is chosen by the value: a constructor by its name, a
//! word by itself, a reference by the kind of its noun, anything else by the name of its type (`int`,
//! `range`, `string` ...). The values were checked against the kinds before, so an error here means that
//! `stdlib/kinds` and the structs disagree; a test holds them together.

use crate::{Placed, Record, Value};
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer as _, EnumAccess, IntoDeserializer, VariantAccess, Visitor,
};
use slipform_source::{FileId, Span};
use std::fmt;
use std::sync::Arc;

/// A value that does not fit its struct.
#[derive(Clone, PartialEq, Debug)]
pub struct LowerError {
    /// What is wrong.
    pub message: String,
    /// The innermost value that it is about, where known.
    pub span: Option<Span>,
}

impl LowerError {
    pub(crate) fn unknown_kind(kind: &str, span: Span) -> Self {
        Self { message: format!("nothing is known of the kind `{kind}`"), span: Some(span) }
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LowerError {}

impl de::Error for LowerError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

/// The fields of a noun as serde reads them.
pub(crate) fn reader(
    fields: &[(Arc<str>, Placed)],
) -> impl de::Deserializer<'_, Error = LowerError> {
    Fields(fields)
}

/// Reads the fields of a noun, which are looked up by nobody else, as serde's data model.
struct Fields<'de>(&'de [(Arc<str>, Placed)]);

impl<'de> de::Deserializer<'de> for Fields<'de> {
    type Error = LowerError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LowerError> {
        let entries = self.0.iter().map(|(name, placed)| (&**name, Lower(placed)));
        visitor.visit_map(MapDeserializer::new(entries))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        known(self.0.iter().map(|(name, placed)| (&**name, placed)), fields)?;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Reads a value as serde's data model.
#[derive(Clone, Copy)]
struct Lower<'de>(&'de Placed);

impl<'de> Lower<'de> {
    fn list(self) -> Result<&'de [Placed], LowerError> {
        match &self.0.value {
            Value::List(items) => Ok(items),
            _ => Err(self.unexpected("a list")),
        }
    }

    fn record(self) -> Result<&'de Record, LowerError> {
        match &self.0.value {
            Value::Record(record) => Ok(record),
            _ => Err(self.unexpected("a record")),
        }
    }

    fn unexpected(self, wanted: &str) -> LowerError {
        let message = format!("expected {wanted}, found {}", self.0.value.described());
        LowerError { message, span: Some(self.0.span) }
    }

    fn placed<T>(self, result: Result<T, LowerError>) -> Result<T, LowerError> {
        result.map_err(|error| LowerError { span: error.span.or(Some(self.0.span)), ..error })
    }

    /// The arm of a union that this value belongs to, among those that an enum has.
    fn arm(self, arms: &'static [&'static str]) -> &'de str {
        match &self.0.value {
            Value::Variant(name, _) => name,
            // a union of any text has no words of its own
            Value::Str(_) if arms.contains(&"string") => "string",
            Value::Str(word) if arms.contains(&&**word) => word,
            Value::Ref(noun) => arms
                .iter()
                .find(|arm| arm.strip_prefix('$') == Some(&*noun.kind))
                .copied()
                .unwrap_or(&noun.kind),
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "string",
            Value::Size(_) => "size",
            Value::Duration(_) => "duration",
            Value::Cidr(_) => "cidr",
            Value::Address(_) => "address",
            Value::Topology(_) => "topology",
            Value::Range(_) => "range",
            Value::List(_) => "list",
            Value::Record(_) => "record",
            Value::Deferred(_) => "deferred",
            Value::Auto => "auto",
            Value::Absent | Value::Unknown => "unknown",
        }
    }
}

fn entries<'de>(record: &'de Record) -> impl Iterator<Item = (&'de str, Lower<'de>)> {
    named(record).map(|(name, placed)| (name, Lower(placed)))
}

fn named(record: &Record) -> impl Iterator<Item = (&str, &Placed)> {
    record.iter().map(|(name, placed)| (&**name, placed))
}

/// A field that nothing reads would be lost without a word.
fn known<'de>(
    entries: impl Iterator<Item = (&'de str, &'de Placed)>,
    fields: &[&str],
) -> Result<(), LowerError> {
    // Both are in one order, as a rule: each is looked for behind the one before it first.
    let mut ahead = fields.iter();
    for (name, placed) in entries {
        if !ahead.any(|field| *field == name) {
            if !fields.contains(&name) {
                return Err(LowerError {
                    message: format!("nothing reads the field `{name}`"),
                    span: Some(placed.span),
                });
            }
            ahead = fields.iter();
        }
    }
    Ok(())
}

impl<'de> IntoDeserializer<'de, LowerError> for Lower<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> de::Deserializer<'de> for Lower<'de> {
    type Error = LowerError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LowerError> {
        let result = match &self.0.value {
            Value::Bool(it) => visitor.visit_bool(*it),
            Value::Int(it) => visitor.visit_i64(*it),
            Value::Float(it) => visitor.visit_f64(*it),
            Value::Str(it) => visitor.visit_borrowed_str(it),
            Value::Size(it) => visitor.visit_u64(it.0),
            Value::Duration(it) => visitor.visit_u64(it.0),
            Value::Cidr(it) => visitor.visit_string(it.to_string()),
            Value::Address(it) => visitor.visit_string(it.to_string()),
            Value::Topology(it) => visitor.visit_seq(SeqDeserializer::new(it.0.iter().copied())),
            Value::Range(it) => visitor.visit_seq(SeqDeserializer::new([it.0, it.1].into_iter())),
            Value::List(it) => visitor.visit_seq(SeqDeserializer::new(it.iter().map(Lower))),
            Value::Record(it) => visitor.visit_map(MapDeserializer::new(entries(it))),
            Value::Ref(it) => visitor.visit_u32(it.id.0),
            Value::Deferred(it) => {
                let noun = FieldValue::Number(it.noun.0);
                let field = FieldValue::Text(&it.field);
                visitor
                    .visit_map(MapDeserializer::new([("noun", noun), ("field", field)].into_iter()))
            }
            Value::Variant(..) | Value::Auto | Value::Absent | Value::Unknown => {
                Err(self.unexpected("a plain value"))
            }
        };
        self.placed(result)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LowerError> {
        visitor.visit_some(self)
    }

    /// A reference is a newtype with the name of the kind that it leads to.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        match &self.0.value {
            Value::Ref(noun) if *noun.kind != *name => {
                let message =
                    format!("expected a reference to `{name}`, found one to `{}`", noun.kind);
                Err(LowerError { message, span: Some(self.0.span) })
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        if name != slipform_source::SPANNED {
            if let Value::Record(record) = &self.0.value {
                known(named(record), fields)?;
            }
            return self.deserialize_any(visitor);
        }
        let Span { file: FileId(file), start, end } = self.0.span;
        let fields = [
            ("file", FieldValue::Number(file)),
            ("start", FieldValue::Number(start)),
            ("end", FieldValue::Number(end)),
            ("value", FieldValue::Placed(self)),
        ];
        visitor.visit_map(MapDeserializer::new(fields.into_iter()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        arms: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        let arm = match (name, &self.0.value) {
            ("$choice", Value::Auto) => "auto",
            ("$choice", _) => "set",
            _ => self.arm(arms),
        };
        self.placed(visitor.visit_enum(Arm { arm, value: self }))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LowerError> {
        match &self.0.value {
            Value::Topology(_) | Value::Range(_) => self.deserialize_any(visitor),
            _ => visitor.visit_seq(SeqDeserializer::new(self.list()?.iter().map(Lower))),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LowerError> {
        visitor.visit_map(MapDeserializer::new(entries(self.record()?)))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// A field of the structs that stand for a position or a deferred value.
enum FieldValue<'de> {
    Number(u32),
    Text(&'de str),
    Placed(Lower<'de>),
}

impl<'de> IntoDeserializer<'de, LowerError> for FieldValue<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! forward {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($arg: $ty,)* visitor: V) -> Result<V::Value, LowerError> {
            match self {
                Self::Number(number) => visitor.visit_u32(number),
                Self::Text(text) => visitor.visit_borrowed_str(text),
                Self::Placed(placed) => placed.$method($($arg,)* visitor),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for FieldValue<'de> {
    type Error = LowerError;
    forward! {
        deserialize_any();
        deserialize_option();
        deserialize_seq();
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, arms: &'static [&'static str]);
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        match self {
            Self::Placed(placed) => placed.deserialize_newtype_struct(name, visitor),
            plain => visitor.visit_newtype_struct(plain),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The arm of a union and what it holds.
struct Arm<'de> {
    arm: &'de str,
    value: Lower<'de>,
}

impl<'de> EnumAccess<'de> for Arm<'de> {
    type Error = LowerError;
    type Variant = Lower<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Lower<'de>), LowerError> {
        let arm: StrDeserializer<'_, LowerError> = self.arm.into_deserializer();
        Ok((seed.deserialize(arm)?, self.value))
    }
}

impl<'de> VariantAccess<'de> for Lower<'de> {
    type Error = LowerError;

    fn unit_variant(self) -> Result<(), LowerError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, LowerError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LowerError> {
        match &self.0.value {
            Value::Variant(_, record) => {
                known(named(record), fields)?;
                self.placed(visitor.visit_map(MapDeserializer::new(entries(record))))
            }
            _ => Err(self.unexpected("a constructor")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nouns::{Bucket, Choice, Filesystem, Mount, MountSource, Nodes, Parallel, Ref};
    use crate::{Duration, NounId, NounRef, Range, Size};
    use serde::Deserialize;
    use slipform_source::Spanned;

    fn at(start: usize) -> Span {
        Span::new(FileId(0), start, start + 1)
    }

    fn placed(value: Value) -> Placed {
        Placed { value, span: at(7) }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sample {
        size: Spanned<Size>,
        nodes: Nodes,
        max: Choice<Spanned<Duration>>,
        absent: Option<Spanned<String>>,
    }

    #[test]
    fn a_record_becomes_a_struct_and_keeps_its_places() {
        let span = at(0);
        let record = placed(Value::record(
            [
                ("size", Value::Size(Size(5))),
                ("nodes", Value::Range(Range(0, 8))),
                ("max", Value::Auto),
            ],
            span,
        ));
        let sample = Sample::deserialize(Lower(&record)).unwrap();
        assert_eq!(sample.size, Spanned::new(Size(5), span));
        assert_eq!(sample.nodes, Nodes::Range(Range(0, 8)));
        assert_eq!((sample.max, sample.absent), (Choice::Auto, None));
    }

    #[test]
    fn a_union_takes_the_arm_of_its_value() {
        let span = at(3);
        let bucket = Value::Ref(NounRef { id: NounId(4), kind: "bucket".into() });
        let fields = [
            ("source", bucket),
            ("path", "/data".into()),
            ("read_only", true.into()),
            ("use", "checkpoints".into()),
            ("cpus", Value::Auto),
            ("memory", Value::Auto),
        ];
        let Value::Record(fields) = Value::record(fields, span) else { panic!("a record") };
        let mount = placed(Value::Variant("mount".into(), fields));
        let mount = Mount::deserialize(Lower(&mount)).unwrap();
        let Mount::Mount { source, path, .. } = mount;
        assert_eq!(source, Spanned::new(MountSource::Bucket(Ref::to(NounId(4))), span));
        assert_eq!(path.value, "/data");
    }

    #[test]
    fn a_reference_leads_to_a_noun_of_its_kind() {
        let bucket = placed(Value::Ref(NounRef { id: NounId(4), kind: "bucket".into() }));
        assert_eq!(<Ref<Bucket>>::deserialize(Lower(&bucket)).unwrap(), NounId(4));
        let error = <Ref<Filesystem>>::deserialize(Lower(&bucket)).unwrap_err();
        assert_eq!(error.message, "expected a reference to `filesystem`, found one to `bucket`");
        assert_eq!(error.span, Some(at(7)));
    }

    #[test]
    fn a_misfit_names_its_place() {
        let error = <Vec<String>>::deserialize(Lower(&placed(Value::Int(1)))).unwrap_err();
        assert_eq!(
            (error.message.as_str(), error.span),
            ("expected a list, found an integer", Some(at(7)))
        );
    }

    #[test]
    fn a_field_that_no_struct_asks_for_is_refused() {
        let record = Value::record([("tensor", Value::Int(1)), ("depth", Value::Int(2))], at(3));
        let error = <Parallel>::deserialize(Lower(&placed(record))).unwrap_err();
        let expected = ("nothing reads the field `depth`", Some(at(3)));
        assert_eq!((error.message.as_str(), error.span), expected);
    }
}
