//! What one catalog says otherwise than another, row by row and word by word.

use std::collections::{BTreeMap, BTreeSet};

use slipform_rows::lock::{Value, inline, section};
use slipform_rows::{Each, Fact, Row, Sheet, Tables, Typed};

use super::Catalog;

/// A row, or a sheet, that two catalogs do not both have in the same words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its table: `machine`.
    pub table: &'static str,
    /// Its key; empty for a sheet.
    pub key: String,
    /// Where the first has it from; nothing where it has none.
    pub before: Option<Said>,
    /// Where the second has it from.
    pub after: Option<Said>,
    /// What differs, where both have it.
    pub words: Vec<Word>,
}

/// When a row was stated, and by whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// `YYYY-MM-DD`
    pub date: String,
    /// Names of its sources.
    pub sources: Vec<String>,
}

/// One fact that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// `network.gpu_nics`
    pub path: String,
    /// What the first says, as a file would.
    pub before: Option<String>,
    /// What the second says.
    pub after: Option<String>,
}

impl Catalog {
    /// What `later` says otherwise, in the order of the tables. Where facts come from is none itself: a row that only has
    /// another source or date is the same.
    pub fn differences(&self, later: &Self) -> Vec<Difference> {
        let mut compare = Compare { before: self, after: later, found: Vec::new() };
        Tables::<Typed>::each(&mut compare);
        compare.found
    }
}

struct Compare<'a> {
    before: &'a Catalog,
    after: &'a Catalog,
    found: Vec<Difference>,
}

impl Each for Compare<'_> {
    fn rows<T: Row>(&mut self) {
        let keys: BTreeSet<&str> = self.before.keys::<T>().chain(self.after.keys::<T>()).collect();
        for key in keys {
            let (old, new) = (self.before.found::<T>(key), self.after.found::<T>(key));
            let words = match (old, new) {
                (Some(old), Some(new)) if std::ptr::from_ref(old) == std::ptr::from_ref(new) => {
                    continue;
                }
                (Some(old), Some(new)) => words(Fact::of(old), Fact::of(new)),
                _ => Vec::new(),
            };
            // sources are named by rows, and are no facts
            let is_same = old.is_some() == new.is_some() && words.is_empty();
            if is_same || old.or(new).is_some_and(|row| row.origin().is_none()) {
                continue;
            }
            self.found.push(Difference {
                table: section::<T>(),
                key: key.to_owned(),
                before: old.and_then(|row| said(self.before, row)),
                after: new.and_then(|row| said(self.after, row)),
                words,
            });
        }
    }

    fn sheet<T: Sheet>(&mut self) {
        let (old, new) = (self.before.sheet::<T>(), self.after.sheet::<T>());
        if std::ptr::eq(old, new) {
            return;
        }
        let words = words(Fact::of(old), Fact::of(new));
        if !words.is_empty() {
            let key = String::new();
            self.found.push(Difference { table: T::TABLE, key, before: None, after: None, words });
        }
    }
}

fn said<T: Row>(catalog: &Catalog, row: &T) -> Option<Said> {
    let origin = row.origin()?;
    let name = |key: &String| catalog.found(key).map(|it: &super::Source| it.name.clone());
    let sources = origin.source.iter().map(|key| name(key).unwrap_or_else(|| key.clone()));
    Some(Said { date: origin.date.to_owned(), sources: sources.collect() })
}

fn words(old: Result<Fact, String>, new: Result<Fact, String>) -> Vec<Word> {
    let (Ok(old), Ok(new)) = (old, new) else { return Vec::new() };
    let (old, new) = (told(&old), told(&new));
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    paths.into_iter().flat_map(|path| word(path, old.get(path), new.get(path))).collect()
}

/// How one fact differs: a list by the items that come and go.
fn word(path: &str, old: Option<&Value>, new: Option<&Value>) -> Vec<Word> {
    if old == new {
        return Vec::new();
    }
    let word = |before: Option<&Value>, after: Option<&Value>| Word {
        path: path.to_owned(),
        before: before.map(inline),
        after: after.map(inline),
    };
    if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old, new) {
        let of = |list: &[Value]| list.iter().map(inline).collect::<BTreeSet<String>>();
        let (before, after) = (of(old), of(new));
        let is_in = |list: &BTreeSet<String>, it: &Value| list.contains(&inline(it));
        let gone = old.iter().filter(|it| !is_in(&after, it)).map(|it| word(Some(it), None));
        let fresh = new.iter().filter(|it| !is_in(&before, it)).map(|it| word(None, Some(it)));
        let items: Vec<Word> = gone.chain(fresh).collect();
        if !items.is_empty() {
            return items;
        }
    }
    vec![word(old, new)]
}

fn told(fact: &Fact) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    fact.leaves("", &mut |path, fact| {
        let about_itself = matches!(path, "source" | "date" | "confidence" | "notes");
        if let Some(value) = fact.value().filter(|_| !about_itself) {
            found.insert(path.to_owned(), value);
        }
    });
    found
}
