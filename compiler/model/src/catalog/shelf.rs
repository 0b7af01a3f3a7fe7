//! Rows behind their keys: encoded until asked for, then kept.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use super::blob::Section;

/// The rows of one section, in ascending order of their keys.
pub(crate) struct Shelf<T> {
    rows: Vec<(&'static str, &'static [u8])>,
    read: Vec<OnceLock<Option<T>>>,
}

impl<T: DeserializeOwned> Shelf<T> {
    pub(crate) fn new(section: Section<'static>) -> Self {
        let read = section.rows.iter().map(|_| OnceLock::new()).collect();
        Self { rows: section.rows, read }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        let at = self.rows.binary_search_by(|(found, _)| (*found).cmp(key)).ok()?;
        self.at(at)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rows.iter().map(|(key, _)| *key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.rows.len()).filter_map(|at| self.at(at))
    }

    fn at(&self, at: usize) -> Option<&T> {
        let (_, bytes) = self.rows.get(at)?;
        self.read.get(at)?.get_or_init(|| postcard::from_bytes(bytes).ok()).as_ref()
    }
}
