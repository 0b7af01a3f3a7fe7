//! The form of a file of facts: the tables that it may have, and the words of their rows, for who writes one.

use slipform_rows::lock::inline;
use slipform_rows::rows::{Limit, Limits, SliceTable, Source};
use slipform_rows::{Each, Fact, Row, Sheet, Tables, Typed};
use std::collections::{BTreeMap, BTreeSet};

use super::Catalog;

/// A table as a file of facts writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableForm {
    /// `machine`
    pub table: &'static str,
    /// The word that names a row; nothing of a table that stands once.
    pub key: Option<&'static str>,
    /// The names of the rows that there are.
    pub rows: Vec<String>,
    /// The words of a row, by their paths: `network.gpu_nics`.
    pub words: Vec<String>,
}

impl Catalog {
    /// Every table whose rows a project may add or correct.
    pub fn forms(&self) -> Vec<TableForm> {
        let mut forms = Forms { catalog: self, found: Vec::new() };
        Tables::<Typed>::each(&mut forms);
        forms.found
    }

    /// What a row says, each word by its path with its value as a file has it; of a table that stands once, whatever the key is.
    pub fn said_of(&self, table: &str, key: &str) -> Vec<(String, String)> {
        let mut said = SaidOf { catalog: self, table, key, found: Vec::new() };
        Tables::<Typed>::each(&mut said);
        said.found
    }
}

impl Catalog {
    /// What the rows of a table say under a word, each value as a file has it, what most of them say first.
    pub fn values_of(&self, table: &str, word: &str) -> Vec<String> {
        let mut values = ValuesOf { catalog: self, table, word, found: BTreeMap::new() };
        Tables::<Typed>::each(&mut values);
        let mut found: Vec<(String, usize)> = values.found.into_iter().collect();
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        found.into_iter().map(|(value, _)| value).collect()
    }
}

/// Tables that files write otherwise than they are kept.
fn is_plain<T: Row>() -> bool {
    ![Source::TABLE, SliceTable::TABLE, <Limit as Row>::TABLE].contains(&T::TABLE)
}

struct Forms<'c> {
    catalog: &'c Catalog,
    found: Vec<TableForm>,
}

impl Each for Forms<'_> {
    fn rows<T: Row>(&mut self) {
        if !is_plain::<T>() {
            return;
        }
        let rows: Vec<String> = self.catalog.keys::<T>().map(str::to_owned).collect();
        let mut words = BTreeSet::new();
        for row in self.catalog.rows::<T>() {
            let Ok(fact) = Fact::of(row) else { continue };
            fact.leaves("", &mut |path, _| {
                words.insert(path.to_owned());
            });
        }
        let words = words.into_iter().collect();
        self.found.push(TableForm { table: T::TABLE, key: Some(T::KEY), rows, words });
    }

    fn sheet<T: Sheet>(&mut self) {
        if T::TABLE == <Limits as Sheet>::TABLE {
            return;
        }
        let words = told(self.catalog.sheet::<T>()).into_iter().map(|(path, _)| path).collect();
        self.found.push(TableForm { table: T::TABLE, key: None, rows: Vec::new(), words });
    }
}

struct SaidOf<'c> {
    catalog: &'c Catalog,
    table: &'c str,
    key: &'c str,
    found: Vec<(String, String)>,
}

impl Each for SaidOf<'_> {
    fn rows<T: Row>(&mut self) {
        if is_plain::<T>() && T::TABLE == self.table {
            self.found = self.catalog.found::<T>(self.key).map(told).unwrap_or_default();
        }
    }

    fn sheet<T: Sheet>(&mut self) {
        if T::TABLE == self.table && T::TABLE != <Limits as Sheet>::TABLE {
            self.found = told(self.catalog.sheet::<T>());
        }
    }
}

struct ValuesOf<'c> {
    catalog: &'c Catalog,
    table: &'c str,
    word: &'c str,
    found: BTreeMap<String, usize>,
}

impl Each for ValuesOf<'_> {
    fn rows<T: Row>(&mut self) {
        if !is_plain::<T>() || T::TABLE != self.table {
            return;
        }
        let said = self.catalog.rows::<T>().flat_map(told);
        for (_, value) in said.filter(|(path, value)| path == self.word && !value.is_empty()) {
            *self.found.entry(value).or_default() += 1;
        }
    }

    fn sheet<T: Sheet>(&mut self) {}
}

/// The words of a row or a sheet; of what is unset an empty value.
fn told<T: serde::Serialize>(it: &T) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Ok(fact) = Fact::of(it) else { return found };
    fact.leaves("", &mut |path, fact| {
        let value = fact.value().map(|value| inline(&value)).unwrap_or_default();
        found.push((path.to_owned(), value));
    });
    found
}
