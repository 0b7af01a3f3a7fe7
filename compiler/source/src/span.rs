//! Positions: a file and a half-open range of bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Deref, Range};

/// A file of [`crate::Sources`], by its index there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// Bytes `start..end` of one file. Both ends lie on character boundaries and inside the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file that both offsets belong to.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`; offsets beyond 4 GiB cannot occur (files are bounded).
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest span that covers both; `other` must be in the same file, or `self` comes back.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the start of this one.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span at the end of this one.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// Whether `offset` of the same file lies inside, both ends included (as a cursor does).
    pub fn touches(self, offset: usize) -> bool {
        (self.start as usize..=self.end as usize).contains(&offset)
    }

    /// Whether `other` lies wholly inside.
    pub fn covers(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Whether both lie in the same file and have a place in common, ends included (as two selections do).
    pub fn meets(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.end && other.start <= self.end
    }

    /// The byte range, to slice the file's text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A value and where it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Applies `f` to the value and keeps the place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: f(self.value), span: self.span }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// The struct name by which a deserializer knows that a [`Spanned`] is asked for. Its fields are `file`, `start`,
/// `end` and `value`.
pub const SPANNED: &str = "$spanned";

#[derive(Serialize, Deserialize)]
#[serde(rename = "$spanned")]
struct SpannedFields<T> {
    file: u32,
    start: u32,
    end: u32,
    value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SpannedFields { file, start, end, value } = Deserialize::deserialize(deserializer)?;
        Ok(Self { value, span: Span { file: FileId(file), start, end } })
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Span { file: FileId(file), start, end } = self.span;
        SpannedFields { file, start, end, value: &self.value }.serialize(serializer)
    }
}
