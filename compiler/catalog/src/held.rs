//! The facts that a lock holds a project to, over those of the compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use slipform_rows::lock::{
    Damage, Entry, Lock, Mark, Reading, Unfit, Words, Writer, section, write,
};
use slipform_rows::rows::{KueueRelease, Prerequisite, Source};
use slipform_rows::{
    Assumed, Each, Fault, Keys, Nothing, Problem, Row, Sheet, Tables, Typed, check, compile, digest,
};

use super::{Catalog, CatalogProblem};

/// Facts that do not fit of which each is told: what does not fit in one row mostly does not in any.
const MOST_TOLD: usize = 8;

/// What a project is held to.
pub(super) struct Held {
    /// Date and digest of all of it.
    version: Arc<str>,
    /// Rows that differ from the compiler's.
    pub(super) tables: Tables<Typed>,
    /// Rows that the compiler has besides.
    pub(super) gone: Tables<Keys>,
}

/// What came of a lock.
pub struct Locked {
    /// The facts that it holds a project to.
    pub catalog: Catalog,
    /// Whether any of them is not the compiler's own. The day that it is stated on is none.
    pub differs: bool,
    /// What it does not say, since its compiler did not know it: taken from this one. `machine network.gpu_nics`
    pub filled: Vec<String>,
    /// What it says and this compiler does not know.
    pub aside: Vec<String>,
}

/// Why a lock holds a project to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockError {
    /// Every problem with its line, from 1; never empty.
    pub problems: Vec<(u32, String)>,
    /// What mends it.
    pub help: String,
}

impl From<Damage> for LockError {
    fn from(damage: Damage) -> Self {
        Self { problems: vec![(damage.line, damage.message)], help: damage.help }
    }
}

impl Catalog {
    /// The text of a lock that holds a project to these facts, without its own.
    ///
    /// # Errors
    /// Where a row has no form in a file, which tests refuse of the built-in ones.
    pub fn lock(&self, edition: &str) -> Result<String, String> {
        let base = self.base();
        let writer = Writer {
            slipform: env!("CARGO_PKG_VERSION").to_owned(),
            edition: edition.to_owned(),
            catalog: base.version().to_owned(),
        };
        write(&writer, &base)
    }

    /// The facts that the text of a lock holds a project to.
    ///
    /// # Errors
    /// What is wrong with it, at its line.
    pub fn locked(text: &str) -> Result<Locked, LockError> {
        let lock = Lock::read(text, env!("CARGO_PKG_VERSION"))?;
        let own = Self::builtin();
        let mut over = Over::new(&lock, own);
        Tables::<Typed>::each(&mut over);
        over.needed();
        let Over { mut tables, gone, reading, mut problems, read, known, differs, .. } = over;
        let version = lock.writer.catalog.as_str();
        let (as_of, _) = version.split_once('+').unwrap_or((version, ""));
        tables.as_of = as_of.to_owned();
        let aside = lock.tables().filter(|table| !known.contains(table)).map(str::to_owned);
        let (filled, aside) = (reading.filled, reading.aside.into_iter().chain(aside).collect());
        let catalog = own.holding(Held { version: version.into(), tables, gone });
        if problems.is_empty() {
            // what could not be read would be missed by others
            let line = |fault: &Fault| read.get(&fault.row).map_or(1, |entry| lock.line(entry));
            problems.extend(catalog.faults().iter().map(|fault| (line(fault), said(fault))));
        }
        if !problems.is_empty() {
            let more = problems.len().saturating_sub(MOST_TOLD);
            if let Some((line, _)) = problems.get(MOST_TOLD).filter(|_| more > 1).cloned() {
                problems.truncate(MOST_TOLD);
                problems.push((line, format!("{more} more facts do not fit, this one first")));
            }
            let help = "take the facts of this compiler with `slipform lock --update`, or use the compiler that wrote it".to_owned();
            return Err(LockError { problems, help });
        }
        Ok(Locked { catalog, differs, filled: filled.into_iter().collect(), aside })
    }

    /// The facts of files that are a whole catalog, by their names.
    ///
    /// # Errors
    /// Every problem of the files: `machines/gpu.toml:12: ...`
    pub fn of_files(files: &[(&str, &str)]) -> Result<Self, Vec<String>> {
        let tables = compile(files, &Nothing, &Assumed::default()).map_err(|all| {
            let told = |it: Problem| {
                let place = format!("{}:{}", it.file, it.line.unwrap_or(1));
                format!("{place}: {}", CatalogProblem { line: None, ..it.into() })
            };
            all.into_iter().map(told).collect::<Vec<String>>()
        })?;
        let parts = files.iter().flat_map(|(name, text)| [name.as_bytes(), &[0], text.as_bytes()]);
        let version = format!("{}+{}", tables.as_of, digest(parts)).into();
        let mut gone = Tables::<Keys>::default();
        Tables::<Typed>::each(&mut Missing { tables: &tables, gone: &mut gone });
        let catalog = Self::builtin().holding(Held { version, tables, gone });
        let faults: Vec<String> = catalog.faults().iter().map(said).collect();
        if faults.is_empty() { Ok(catalog) } else { Err(faults) }
    }

    /// These facts without a project's own.
    pub fn base(&self) -> Self {
        match &self.held {
            Some(held) => {
                let as_of = held.tables.as_of.as_str().into();
                Self { local: None, version: held.version.clone(), as_of, ..self.clone() }
            }
            None => Self { asked: self.asked.clone(), ..Self::builtin().clone() },
        }
    }

    fn holding(&self, held: Held) -> Self {
        Self { held: Some(Arc::new(held)), ..self.clone() }.base()
    }

    fn faults(&self) -> Vec<Fault> {
        self.held.as_deref().map_or_else(Vec::new, |held| check(&held.tables, self))
    }
}

fn said(fault: &Fault) -> String {
    format!("{}, `{}`: {}", fault.row, fault.key, fault.message)
}

/// What is built in and in no file.
struct Missing<'a> {
    tables: &'a Tables<Typed>,
    gone: &'a mut Tables<Keys>,
}

impl Each for Missing<'_> {
    fn rows<T: Row>(&mut self) {
        let known =
            Catalog::builtin().keys::<T>().filter(|key| !T::of(self.tables).contains_key(*key));
        *T::of_mut(self.gone) = known.map(str::to_owned).collect();
    }
    fn sheet<T: Sheet>(&mut self) {}
}

/// A lock on its way over the compiler's own facts.
struct Over<'a> {
    lock: &'a Lock<'a>,
    own: &'a Catalog,
    tables: Tables<Typed>,
    gone: Tables<Keys>,
    reading: Reading,
    problems: Vec<(u32, String)>,
    /// Entries that were read, as the check of rows calls them.
    read: BTreeMap<String, Entry<'a>>,
    /// Tables that the compiler knows.
    known: BTreeSet<&'static str>,
    differs: bool,
}

impl<'a> Over<'a> {
    fn new(lock: &'a Lock<'a>, own: &'a Catalog) -> Self {
        Self {
            lock,
            own,
            tables: Tables::default(),
            gone: Tables::default(),
            reading: Reading::default(),
            problems: Vec::new(),
            read: BTreeMap::new(),
            known: BTreeSet::new(),
            differs: false,
        }
    }

    /// What no compiler can do without is its own, where the lock has none.
    fn needed(&mut self) {
        for name in Prerequisite::ALL.map(Prerequisite::name) {
            if self.gone.components.remove(name) {
                self.reading.filled.insert(format!("component {name}"));
            }
        }
        let kueue = Prerequisite::Kueue.name();
        let kueue = self.tables.components.get(kueue).or_else(|| self.own.component(kueue));
        if let Some(oldest) = kueue.and_then(|kueue| kueue.min.as_ref())
            && self.gone.kueue_releases.remove(oldest)
        {
            self.reading.filled.insert(format!("{} {oldest}", KueueRelease::TABLE));
        }
    }

    fn unfit(&mut self, unfit: Unfit) {
        self.problems.push((unfit.line, unfit.message));
    }

    /// The compiler's own row, stated on another day.
    fn dated<T: Row>(&mut self, key: &str, entry: &Entry<'a>) -> Result<String, Unfit> {
        let (Some(own), Some(day)) = (self.own.row::<T>(key), entry.date()) else {
            return self.row::<T>(entry);
        };
        let mut row = own.clone();
        row.date(day);
        self.read.insert(format!("{} `{key}`", T::TABLE), *entry);
        T::of_mut(&mut self.tables).insert(key.to_owned(), row);
        Ok(key.to_owned())
    }

    /// A row that says something else than the compiler's own.
    fn row<T: Row>(&mut self, entry: &Entry<'a>) -> Result<String, Unfit> {
        let table = section::<T>();
        self.differs = true;
        let words = Words::of(self.lock, (table, entry))?;
        let Some(key) = words.text(T::KEY).map(str::to_owned) else {
            let message = format!("a row of `{table}` without `{}`", T::KEY);
            return Err(Unfit { line: self.lock.line(entry), message });
        };
        let label = format!("{} `{key}`", T::TABLE);
        let row = self.reading.row(self.lock, (table, entry), words, self.own.row::<T>(&key));
        let row = row.map_err(|it| Unfit { message: format!("{label}: {}", it.message), ..it })?;
        self.read.insert(label, *entry);
        T::of_mut(&mut self.tables).insert(key.clone(), row);
        Ok(key)
    }
}

impl Each for Over<'_> {
    fn rows<T: Row>(&mut self) {
        let table = section::<T>();
        self.known.insert(table);
        let entries = self.lock.entries(table);
        let shelf = T::of(&self.own.baked.tables);
        let own: BTreeMap<u64, (&str, Mark)> =
            shelf.marks().map(|(key, mark)| (mark.facts, (key, mark))).collect();
        let mut gone: BTreeSet<&str> = shelf.keys().collect();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for entry in entries {
            let key = match own.get(&entry.mark.facts) {
                Some((key, mark)) if *mark == entry.mark => Ok((*key).to_owned()),
                Some((key, _)) => self.dated::<T>(key, entry),
                None => self.row::<T>(entry),
            };
            match key {
                Ok(key) => {
                    gone.remove(key.as_str());
                    if let Some(twice) = seen.replace(key) {
                        let message = format!("{} `{twice}` stands there twice", T::TABLE);
                        self.unfit(Unfit { line: self.lock.line(entry), message });
                    }
                }
                Err(unfit) => self.unfit(unfit),
            }
        }
        if entries.is_empty() {
            self.reading.filled.extend((!gone.is_empty()).then(|| table.to_owned()));
        } else if table == Source::TABLE {
            // rows of the compiler name them
        } else if table == "limit" {
            self.reading.filled.extend(gone.iter().map(|path| format!("{table} {path}")));
        } else {
            self.differs |= !gone.is_empty();
            *T::of_mut(&mut self.gone) = gone.into_iter().map(str::to_owned).collect();
        }
    }

    fn sheet<T: Sheet>(&mut self) {
        self.known.insert(T::TABLE);
        let own = T::of(&self.own.baked.tables);
        let entries = self.lock.entries(T::TABLE);
        if entries.is_empty() {
            self.reading.filled.insert(T::TABLE.to_owned());
        }
        for entry in entries.iter().filter(|entry| own.mark() != Some(entry.mark)) {
            self.differs |= own.mark().map(|it| it.facts) != Some(entry.mark.facts);
            let of = (T::TABLE, entry);
            let label = format!("table `{}`", T::TABLE);
            let sheet = Words::of(self.lock, of)
                .and_then(|words| self.reading.row(self.lock, of, words, Some(own.get())));
            match sheet {
                Ok(sheet) => {
                    self.read.insert(label, *entry);
                    *T::of_mut(&mut self.tables) = Some(sheet);
                }
                Err(it) => self.unfit(Unfit { message: format!("{label}: {}", it.message), ..it }),
            }
        }
    }
}
