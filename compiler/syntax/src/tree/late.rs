//! What is read from a stored tree only when somebody looks at it.

use postcard::{from_bytes, to_stdvec};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;

/// A part of a tree, such as the text that a rule says where it does not hold: most are never looked at in a process that
/// has its tree from a store. A text that is parsed has them from the start.
///
/// It is read from bytes that are part of the program alone, so what contains one says `'de: 'static`.
pub struct Late<T> {
    /// As they were stored; none for a part that was parsed.
    bytes: &'static [u8],
    /// Apart, since most are never read.
    read: OnceLock<Box<T>>,
}

/// What can be read from bytes that are part of the program.
pub trait Stored: Deserialize<'static> {}

impl<T: Deserialize<'static>> Stored for T {}

impl<T> From<T> for Late<T> {
    fn from(part: T) -> Self {
        Self { bytes: &[], read: OnceLock::from(Box::new(part)) }
    }
}

impl<T: Stored> Deref for Late<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.read.get_or_init(|| decode(self.bytes))
    }
}

impl<'t, T> IntoIterator for &'t Late<Vec<T>>
where
    Vec<T>: Stored,
{
    type Item = &'t T;
    type IntoIter = std::slice::Iter<'t, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Late<T> {
    /// Whether somebody has looked at it, or it was parsed.
    pub fn is_read(&self) -> bool {
        self.read.get().is_some()
    }
}

impl<T: Stored> Late<T> {
    /// A part by its bytes, as [`Late::to_stored`] gave them.
    pub fn stored(bytes: &'static [u8]) -> Self {
        Self { bytes, read: OnceLock::new() }
    }

    /// The part itself.
    pub fn into_inner(self) -> T {
        *self.read.into_inner().unwrap_or_else(|| decode(self.bytes))
    }

    /// Changes the part.
    pub(crate) fn edit(&mut self, with: impl FnOnce(&mut T)) {
        let mut part = self.read.take().unwrap_or_else(|| decode(self.bytes));
        with(&mut part);
        *self = Self { bytes: &[], read: OnceLock::from(part) };
    }
}

#[expect(clippy::expect_used, reason = "`serialize` encoded this very type")]
fn decode<T: Stored>(bytes: &'static [u8]) -> Box<T> {
    Box::new(from_bytes(bytes).expect("bytes that `serialize` wrote"))
}

impl<T: Stored + Clone> Clone for Late<T> {
    fn clone(&self) -> Self {
        Self::from(T::clone(self))
    }
}

impl<T: Stored + PartialEq> PartialEq for Late<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Stored + fmt::Debug> fmt::Debug for Late<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

impl<T: Stored + Serialize> Late<T> {
    /// The bytes by which it is read again.
    ///
    /// # Errors
    ///
    /// None, of what trees are made of.
    pub fn to_stored(&self) -> Result<Vec<u8>, postcard::Error> {
        to_stdvec(&**self)
    }
}

impl<T: Stored + Serialize> Serialize for Late<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_stored().map_err(ser::Error::custom)?)
    }
}

impl<'de: 'static, T> Deserialize<'de> for Late<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes(PhantomData))
    }
}

struct Bytes<T>(PhantomData<T>);

impl<'de: 'static, T> Visitor<'de> for Bytes<T> {
    type Value = Late<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part of a tree")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Late<T>, E> {
        Ok(Late { bytes, read: OnceLock::new() })
    }
}
