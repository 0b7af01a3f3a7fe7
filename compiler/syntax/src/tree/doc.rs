//! Documentation of what is declared.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The lines of the `##` comments above something, without their `##`, joined by newlines. Those of a stored tree stay where they
/// are in the program: most are never read in a process.
#[derive(Clone)]
pub struct Doc(Kept);

#[derive(Clone)]
enum Kept {
    /// Of a stored tree: text that was encoded.
    Stored(&'static [u8]),
    /// Of a text that was parsed.
    Parsed(Arc<str>),
}

impl Deref for Doc {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Kept::Stored(bytes) => str::from_utf8(bytes).unwrap_or_default(),
            Kept::Parsed(text) => text,
        }
    }
}

impl From<&str> for Doc {
    fn from(text: &str) -> Self {
        Self(Kept::Parsed(text.into()))
    }
}

impl From<String> for Doc {
    fn from(text: String) -> Self {
        Self(Kept::Parsed(text.into()))
    }
}

impl PartialEq for Doc {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Doc {}

impl fmt::Debug for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for Doc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_bytes())
    }
}

impl<'de: 'static> Deserialize<'de> for Doc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl<'de: 'static> Visitor<'de> for Bytes {
    type Value = Doc;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("documentation")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Doc, E> {
        Ok(Doc(Kept::Stored(bytes)))
    }
}
