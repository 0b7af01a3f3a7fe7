//! Rows behind their keys: encoded until asked for, then kept.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use slipform_rows::blob::{Blob, Names, Section};
use slipform_rows::lock::Mark;
use slipform_rows::{Form, Make, Row, Sheet, Tables};

/// Tables whose rows are encoded until they are asked for.
pub(crate) struct Shelved;

impl Form for Shelved {
    type Rows<T: Row> = Shelf<T>;
    type Sheet<T: Sheet> = Page<T>;
}

/// The rows of one section, in ascending order of their keys: read when somebody asks for one.
pub(crate) struct Shelf<T> {
    bytes: &'static [u8],
    index: OnceLock<Index<T>>,
}

/// Where the rows of a section are.
struct Index<T> {
    section: Section<'static>,
    /// The words that rows are found by besides.
    found_by: OnceLock<Names<'static>>,
    /// Each apart, since most are never read.
    read: Vec<OnceLock<Box<T>>>,
}

/// What the catalog has once.
pub(crate) struct Page<T> {
    bytes: &'static [u8],
    read: OnceLock<T>,
}

/// Version and tables of a binary; reads no table.
pub(crate) fn open(bytes: &'static [u8]) -> (&'static str, Tables<Shelved>) {
    let blob: Blob<'static> = decode(bytes);
    let mut sections = Sections(blob.sections.into_iter());
    (blob.version, Tables::make(blob.as_of.to_owned(), &mut sections))
}

struct Sections(std::vec::IntoIter<&'static [u8]>);

impl Make<Shelved> for Sections {
    fn rows<T: Row>(&mut self) -> Shelf<T> {
        Shelf { bytes: self.0.next().unwrap_or_default(), index: OnceLock::new() }
    }

    fn sheet<T: Sheet>(&mut self) -> Page<T> {
        Page { bytes: self.0.next().unwrap_or_default(), read: OnceLock::new() }
    }
}

impl<T: DeserializeOwned> Shelf<T> {
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        let rows = &self.index().section.rows;
        let at = rows.binary_search_by(|(found, _)| (*found).cmp(key)).ok()?;
        self.at(at)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.index().section.rows.iter().map(|(key, _)| *key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.index().section.rows.len()).filter_map(|at| self.at(at))
    }

    /// The rows of which one of the words that they are found by is meant, in the order of the rows. Reads no other.
    pub(crate) fn named(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&T> {
        let Index { section, found_by, .. } = self.index();
        let names = found_by.get_or_init(|| decode(section.names));
        let meant = names.iter().filter(|(_, name)| is_meant(name));
        let mut rows: Vec<u32> = meant.map(|(row, _)| *row).collect();
        rows.dedup();
        rows.into_iter().filter_map(|row| self.at(row as usize)).collect()
    }

    /// Each key with what tells how a lock writes its row. Reads no row.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (&'static str, Mark)> + '_ {
        self.keys().zip(Mark::all(self.index().section.marks))
    }

    fn index(&self) -> &Index<T> {
        self.index.get_or_init(|| {
            let section: Section<'static> = decode(self.bytes);
            let read = section.rows.iter().map(|_| OnceLock::new()).collect();
            Index { section, found_by: OnceLock::new(), read }
        })
    }

    fn at(&self, at: usize) -> Option<&T> {
        let Index { section, read, .. } = self.index();
        let (_, bytes) = section.rows.get(at)?;
        Some(read.get(at)?.get_or_init(|| Box::new(decode(bytes))))
    }
}

impl<T: DeserializeOwned> Page<T> {
    pub(crate) fn get(&self) -> &T {
        self.read.get_or_init(|| {
            let section: Section<'static> = decode(self.bytes);
            decode(section.rows.first().map_or(&[], |(_, bytes)| bytes))
        })
    }

    /// What tells how a lock writes it.
    pub(crate) fn mark(&self) -> Option<Mark> {
        let section: Section<'static> = decode(self.bytes);
        Mark::all(section.marks).next()
    }
}

#[expect(
    clippy::expect_used,
    reason = "the build script encoded these very types, and refuses a catalog without a sheet"
)]
fn decode<T: serde::Deserialize<'static>>(bytes: &'static [u8]) -> T {
    postcard::from_bytes(bytes).expect("bytes that the build script wrote")
}
