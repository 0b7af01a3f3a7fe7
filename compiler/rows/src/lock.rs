//! Facts as the text of a lock, which holds a project to them: every row in full, a line a fact, so that a change of a fact
//! is a changed line. A row that is written as one of another catalog is that row, which is told by its mark without
//! reading it.
//!
//! A lock is not trusted: its digest finds what was cut off or edited, and rows are read like those of any file.

mod read;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use toml::Table;

use crate::compile::{digest, line_at, plain};
use crate::facts::Fact;
use crate::rows::{Limit, Limits};
use crate::tables::{Each, Known, Row, Sheet, Tables, Typed};
use crate::version::GkeVersion;

pub use read::{Reading, Unfit, Words};
pub use text::inline;
pub use toml::Value;

/// The form of the file: another number is another form.
const FORM: i64 = 1;

/// Bytes of a version.
const LONGEST: usize = 80;

const HEAD: &str = "\
# The facts that this project is held to. `slipform lock --update` writes them anew, `slipform catalog diff` tells what
# that changes. Not to be edited: a project's own facts go into `catalog.local.toml`.
";

/// What a lock says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Writer {
    /// The version of the compiler that wrote it.
    pub slipform: String,
    /// The edition of the language that this compiler reads.
    pub edition: String,
    /// Date and digest of the catalog: `2026-11-20+1f00c9d2a8e4b713`.
    pub catalog: String,
}

/// A lock in its parts. Nothing of its rows is read yet.
pub struct Lock<'a> {
    /// Who wrote it.
    pub writer: Writer,
    text: &'a str,
    /// By table, what its rows leave out because they have none of it: what is neither said nor here was not known.
    unset: BTreeMap<String, BTreeSet<String>>,
    entries: BTreeMap<&'a str, Vec<Entry<'a>>>,
}

/// One row or sheet as text.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its text.
    pub text: &'a str,
    /// Tells it from every other.
    pub mark: Mark,
    at: usize,
}

impl<'a> Entry<'a> {
    /// The day that it is stated on, where it is written as a compiler writes it.
    pub fn date(&self) -> Option<&'a str> {
        let [_, line, _] = around(self.text, DATE);
        line.strip_prefix("date = \"")?.strip_suffix('"').filter(|day| !day.contains(['"', '\\']))
    }
}

/// The line that dates a row.
const DATE: &str = "\ndate = ";

/// Tells how rows are written, without reading them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// Of all that is said but the date: a file is dated as a whole, so that most rows say what they said before.
    pub facts: u64,
    /// Of the date, too.
    pub whole: u64,
}

impl Mark {
    fn of(text: &str) -> Self {
        let [before, date, after] = around(text, DATE);
        let facts = mixed(mixed(SEED, before.trim_end()), after.trim_end());
        Self { facts, whole: mixed(facts, date) }
    }

    /// As it is baked.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (facts, whole) = bytes.split_at_mut(8);
        facts.copy_from_slice(&self.facts.to_le_bytes());
        whole.copy_from_slice(&self.whole.to_le_bytes());
        bytes
    }

    /// The marks that were baked.
    pub fn all(bytes: &'static [u8]) -> impl Iterator<Item = Self> {
        let of = |pair: &[[u8; 8]; 2]| {
            let [facts, whole] = pair.map(u64::from_le_bytes);
            Self { facts, whole }
        };
        bytes.as_chunks().0.as_chunks().0.iter().map(of)
    }
}

/// What FNV-1a starts from.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of a text. Line ends may be those of another system.
fn mixed(seed: u64, text: &str) -> u64 {
    let bytes = text.bytes().filter(|byte| *byte != b'\r');
    bytes.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A text around the first line that starts so, and that line.
fn around<'t>(text: &'t str, start: &str) -> [&'t str; 3] {
    let Some(at) = text.find(start).map(|at| at + 1) else { return [text, "", ""] };
    let (before, rest) = text.split_at(at);
    let (line, after) = rest.split_at(rest.find('\n').map_or(rest.len(), |at| at + 1));
    [before, line.trim_end(), after]
}

/// What is wrong with a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
}

/// The table of a lock that the rows of a type stand in: limits by path beside the sheet of limits.
pub fn section<T: Row>() -> &'static str {
    if T::TABLE == <Limits as Sheet>::TABLE && T::KEY == <Limit as Row>::KEY {
        "limit"
    } else {
        T::TABLE
    }
}

/// The text of a lock that has every row of a catalog.
///
/// # Errors
/// Where a row has no form in a file.
pub fn write(writer: &Writer, known: &impl Known) -> Result<String, String> {
    struct All<'k, K> {
        known: &'k K,
        unset: BTreeMap<&'static str, BTreeSet<String>>,
        rows: Result<Vec<String>, String>,
    }
    impl<K> All<'_, K> {
        fn add(&mut self, section: &'static str, entry: Result<(String, Fact), String>) {
            let Ok(rows) = &mut self.rows else { return };
            match entry {
                Ok((text, fact)) => {
                    rows.push(text);
                    let unset = self.unset.entry(section).or_default();
                    text::unset("", &fact, unset);
                }
                Err(why) => self.rows = Err(why),
            }
        }
    }
    impl<K: Known> Each for All<'_, K> {
        fn rows<T: Row>(&mut self) {
            for row in self.known.all::<T>() {
                self.add(section::<T>(), row_of(row));
            }
        }
        fn sheet<T: Sheet>(&mut self) {
            if let Some(sheet) = self.known.sheet::<T>() {
                self.add(T::TABLE, sheet_of(sheet));
            }
        }
    }
    let mut all = All { known, unset: BTreeMap::new(), rows: Ok(Vec::new()) };
    Tables::<Typed>::each(&mut all);
    let rows = all.rows?;
    let head = text::head(writer, &all.unset);
    Ok(sealed(&format!("{head}\n{}\n", rows.join("\n\n"))))
}

/// What tells a row from every other that is written otherwise.
///
/// # Errors
/// Where it has no form in a file.
pub fn mark_of_row<T: Row>(row: &T) -> Result<Mark, String> {
    row_of(row).map(|(text, _)| Mark::of(&text))
}

/// What tells a sheet from every other that is written otherwise.
///
/// # Errors
/// Where it has no form in a file.
pub fn mark_of_sheet<T: Sheet>(sheet: &T) -> Result<Mark, String> {
    sheet_of(sheet).map(|(text, _)| Mark::of(&text))
}

fn row_of<T: Row>(row: &T) -> Result<(String, Fact), String> {
    let fact = Fact::of(row).map_err(|why| format!("{} `{}`: {why}", T::TABLE, row.key()))?;
    Ok((text::entry(&format!("[[{}]]", section::<T>()), &fact), fact))
}

fn sheet_of<T: Sheet>(sheet: &T) -> Result<(String, Fact), String> {
    let fact = Fact::of(sheet).map_err(|why| format!("table `{}`: {why}", T::TABLE))?;
    Ok((text::entry(&format!("[{}]", T::TABLE), &fact), fact))
}

/// The digest of a head, around its own line, and of the rows behind it.
fn seal(head: &str, rows: impl Iterator<Item = Mark>) -> String {
    let [before, _, after] = around(head, "\ndigest = ");
    let head = mixed(mixed(SEED, before), after.trim_end());
    let marks: Vec<[u8; 8]> =
        std::iter::once(head).chain(rows.map(|it| it.whole)).map(u64::to_le_bytes).collect();
    digest(marks.iter().map(<[u8; 8]>::as_slice))
}

/// The same text with the digest that belongs to it: as a compiler that has other facts would have written it.
pub fn sealed(text: &str) -> String {
    let (head, entries) = cut(text);
    let [before, _, after] = around(head, "\ndigest = ");
    let digest = seal(head, entries.iter().map(|(_, entry)| entry.mark));
    let rows = text.get(head.len()..).unwrap_or_default();
    format!("{before}digest = \"{digest}\"\n{after}{rows}")
}

impl<'a> Lock<'a> {
    /// Takes a text apart.
    ///
    /// # Errors
    /// What is wrong with it, at its line: it was cut off, edited, merged by halves, or written by a newer compiler.
    pub fn read(text: &'a str, compiler: &str) -> Result<Self, Damage> {
        let (head, entries) = cut(text);
        let said = head.parse::<Table>().map_err(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            damage(text, line, format!("it cannot be read: {}", plain(error.message())))
        })?;
        let word = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
        let version = |name: &str| word(name).filter(|it| is_version(it));
        let (Some(slipform), Some(catalog)) = (version("slipform"), version("catalog")) else {
            return Err(damage(
                text,
                1,
                "it does not say which compiler and catalog it is of".into(),
            ));
        };
        let form = said.get("version").and_then(Value::as_integer);
        let newer = release(&slipform).zip(release(compiler)).is_some_and(|(its, own)| its > own);
        if newer || form.is_some_and(|form| form > FORM) {
            let message = match newer {
                true => format!(
                    "it was written by slipform {slipform}, and this is slipform {compiler}, which is older"
                ),
                false => format!("it has a form of locks that slipform {compiler} does not read"),
            };
            let line = line_of(text, if newer { "slipform = " } else { "version = " });
            let help = "use that compiler or a newer one; `slipform lock --update` holds the project to the facts of this one".to_owned();
            return Err(Damage { line, message, help });
        }
        if form != Some(FORM) || release(&slipform).is_none() {
            return Err(damage(text, 1, "it has not the form of a lock".to_owned()));
        }
        let digest = word("digest").unwrap_or_default();
        let marks = entries.iter().map(|(_, entry)| entry.mark);
        if seal(head, marks) != digest {
            let line = line_of(text, "digest = ");
            return Err(damage(
                text,
                line,
                "its digest is not that of its facts: it was edited, or is not whole".to_owned(),
            ));
        }
        let mut by_table: BTreeMap<&str, Vec<Entry<'_>>> = BTreeMap::new();
        for (table, entry) in entries {
            by_table.entry(table).or_default().push(entry);
        }
        let edition = word("edition").unwrap_or_default();
        let writer = Writer { slipform, edition, catalog };
        Ok(Self { writer, text, unset: unset(&said), entries: by_table })
    }

    /// The rows of a table; none where the table was not known.
    pub fn entries(&self, table: &str) -> &[Entry<'a>] {
        self.entries.get(table).map_or(&[], Vec::as_slice)
    }

    /// The tables that it has.
    pub fn tables(&self) -> impl Iterator<Item = &'a str> {
        self.entries.keys().copied()
    }

    /// The line, from 1, at which an entry starts.
    pub fn line(&self, entry: &Entry<'_>) -> u32 {
        line_at(self.text, entry.at)
    }
}

/// The head, and each row with its table behind it. Rows start at the start of a line, and nothing else does that with a bracket.
fn cut(text: &str) -> (&str, Vec<(&str, Entry<'_>)>) {
    let starts = text.match_indices("\n[").map(|(at, _)| at + 1);
    let starts: Vec<usize> =
        starts.filter(|at| !text.get(*at..).is_some_and(|it| it.starts_with("[unset]"))).collect();
    let head = text.get(..starts.first().copied().unwrap_or(text.len())).unwrap_or_default();
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let entries = starts.iter().copied().zip(ends).map(|(at, end)| {
        let entry = text.get(at..end).unwrap_or_default();
        let table = entry.lines().next().unwrap_or_default().trim_matches(['[', ']']);
        (table, Entry { text: entry, mark: Mark::of(entry), at })
    });
    (head, entries.collect())
}

fn unset(head: &Table) -> BTreeMap<String, BTreeSet<String>> {
    let tables = head.get("unset").and_then(Value::as_table).into_iter().flatten();
    let paths = |list: &Value| -> BTreeSet<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    tables.map(|(table, list)| (table.clone(), paths(list))).collect()
}

/// What is wrong, or why: the marks that git leaves, and where the text stops to be a file of facts at all.
fn damage(text: &str, line: u32, message: String) -> Damage {
    let merged = text
        .lines()
        .position(|line| ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|it| line.starts_with(it)));
    if let Some(at) = merged {
        return Damage {
            line: u32::try_from(at + 1).unwrap_or(u32::MAX),
            message: "git left both sides of a merge in it".to_owned(),
            help: "take one side whole, with `git checkout --ours` or `--theirs` and its path; or take the facts of this compiler with `slipform lock --update`".to_owned(),
        };
    }
    let help = "bring it back from version control, or take the facts of this compiler with `slipform lock --update`; a project's own facts go into `catalog.local.toml`".to_owned();
    match text.parse::<Table>() {
        Ok(_) => Damage { line, message, help },
        Err(error) => {
            let line = error.span().map_or(line, |span| line_at(text, span.start));
            Damage { line, message: format!("it cannot be read: {}", plain(error.message())), help }
        }
    }
}

fn line_of(text: &str, start: &str) -> u32 {
    let at = text.lines().position(|line| line.starts_with(start)).unwrap_or(0);
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

/// Whether a text is no more than a version: it goes into messages and manifests.
fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    (1..=LONGEST).contains(&text.len()) && text.chars().all(plain)
}

/// A version in numbers. What leads up to a release counts as the release.
fn release(version: &str) -> Option<GkeVersion> {
    GkeVersion::parse(version.split(['-', '+']).next().unwrap_or_default())
}
