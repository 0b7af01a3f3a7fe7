//! Rows of a lock, read by a compiler that may know more of them than the one that wrote it, or less.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{Entry, Lock};
use crate::compile::{key_of, plain};
use crate::facts::{Fact, below};

/// Words of one row that are left aside before it is given up.
const MOST_ASIDE: usize = 64;

/// Reads entries, and keeps in mind what the lock and the compiler do not both know.
#[derive(Clone, Default, Debug)]
pub struct Reading {
    /// What the lock does not say and the compiler does: `machine network.gpu_nics`.
    pub filled: BTreeSet<String>,
    /// What the lock says and the compiler does not know.
    pub aside: BTreeSet<String>,
}

/// An entry that is no row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// What an entry says, as it stands there.
pub struct Words(Table);

impl Words {
    /// A word that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// Where it is no table of words.
    pub fn of(lock: &Lock<'_>, (table, entry): (&str, &Entry<'_>)) -> Result<Self, Unfit> {
        let unfit = |message: String| Unfit { line: lock.line(entry), message };
        let mut root = entry.text.parse::<Table>().map_err(|it| unfit(plain(it.message())))?;
        match root.remove(table) {
            Some(Value::Table(words)) => Ok(Self(words)),
            Some(Value::Array(mut rows)) if rows.len() == 1 => match rows.pop() {
                Some(Value::Table(words)) => Ok(Self(words)),
                _ => Err(unfit(format!("a row of `{table}` must be a table"))),
            },
            _ => Err(unfit(format!("a row of `{table}` cannot be told from the next"))),
        }
    }
}

impl Reading {
    /// A row or sheet of those words. What they could not say is taken from the compiler's own row of that name.
    ///
    /// # Errors
    /// Where it does not fit its type.
    pub fn row<T: serde::Serialize + DeserializeOwned>(
        &mut self,
        lock: &Lock<'_>,
        (table, entry): (&str, &Entry<'_>),
        Words(mut words): Words,
        own: Option<&T>,
    ) -> Result<T, Unfit> {
        if let Some(Ok(own)) = own.map(Fact::of) {
            let nothing = BTreeSet::new();
            self.fill(table, &mut words, "", &own, lock.unset.get(table).unwrap_or(&nothing));
        }
        let mut left = 0;
        loop {
            let error = match Value::Table(words.clone()).try_into::<T>() {
                Ok(row) => return Ok(row),
                Err(error) => error,
            };
            let key = key_of(&error).unwrap_or_default();
            let unknown = error.message().starts_with("unknown field");
            left += 1;
            if !unknown || left > MOST_ASIDE || !remove(&mut words, &key) {
                let at = if key.is_empty() { String::new() } else { format!("`{key}`: ") };
                let message = format!("{at}{}", plain(error.message()));
                return Err(Unfit { line: lock.line(entry), message });
            }
            self.aside.insert(format!("{table} {key}"));
        }
    }

    fn fill(
        &mut self,
        table: &str,
        words: &mut Table,
        path: &str,
        own: &Fact,
        unset: &BTreeSet<String>,
    ) {
        let Fact::Words(facts) = own else { return };
        for (name, fact) in facts {
            let path = below(path, name);
            match words.get_mut(*name) {
                Some(Value::Table(inner)) => self.fill(table, inner, &path, fact, unset),
                Some(_) => {}
                None if unset.contains(&path) => {}
                None if matches!(fact, Fact::Words(_)) => {
                    let mut inner = Table::new();
                    self.fill(table, &mut inner, &path, fact, unset);
                    if !inner.is_empty() {
                        words.insert((*name).to_owned(), Value::Table(inner));
                    }
                }
                None => {
                    if let Some(value) = fact.value() {
                        words.insert((*name).to_owned(), value);
                        self.filled.insert(format!("{table} {path}"));
                    }
                }
            }
        }
    }
}

/// Takes a word out, wherever it stands in tables of tables.
fn remove(words: &mut Table, path: &str) -> bool {
    match path.split_once('.') {
        None => words.remove(path).is_some(),
        Some((first, rest)) => match words.get_mut(first) {
            Some(Value::Table(inner)) => remove(inner, rest),
            _ => false,
        },
    }
}
