//! Text to rows: reads catalog files, lets groups share facts and rows start from other rows, and
//! types the result. The same code bakes the built-in catalog and reads a project's own corrections.
//!
//! A file holds `as_of`, `[sources.KEY]`, and tables of rows: `[[machine]]`, `[[gpu]]` and so on. An entry
//! with `rows = [...]` is a group: its other keys are what the rows share. `like = "name"` starts
//! from another row. A row that exists already is corrected key by key.

mod slices;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use self::slices::{SliceGroup, insert_slice, mark_lone_names};
use crate::rows::{Confidence, Limit, LimitValue, Limits, SliceTable, Source};
use crate::tables::{Each, Known, Row, Sheet, Tables, Typed};

pub use self::slices::sides;
pub(crate) use self::words::{key_of, line_at, plain};

/// Something wrong with a file, in words for the person who wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file as it was named by the caller.
    pub file: String,
    /// The row: "machine `a5-highgpu-8g`"; empty for the file as a whole.
    pub row: String,
    /// The key inside the row: `network.gpu_nics`.
    pub key: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}

/// What a row has that does not say so itself.
#[derive(Clone, Default)]
pub struct Assumed {
    /// Its source.
    pub source: Option<String>,
    /// Its date, where the file has no `as_of` either.
    pub date: Option<String>,
    /// Its confidence.
    pub confidence: Option<Confidence>,
}

/// Reads `files` (name and text) on top of what is `known`. Either all tables or all problems.
pub fn compile(
    files: &[(&str, &str)],
    known: &impl Known,
    assumed: &Assumed,
) -> Result<Tables<Typed>, Vec<Problem>> {
    let mut tables = Tables::default();
    let mut problems = Vec::new();
    for (name, text) in files {
        let mut file = File { name, text, as_of: None, assumed, problems: &mut problems };
        file.read(&mut tables, known);
    }
    if problems.is_empty() { Ok(tables) } else { Err(problems) }
}

struct File<'a> {
    name: &'a str,
    text: &'a str,
    as_of: Option<String>,
    assumed: &'a Assumed,
    problems: &'a mut Vec<Problem>,
}

/// The way from the root of a file to a value.
#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

impl File<'_> {
    fn read(&mut self, tables: &mut Tables<Typed>, known: &impl Known) {
        let mut root = match self.text.parse::<Table>() {
            Ok(root) => root,
            Err(error) => {
                let line = error.span().map(|span| line_at(self.text, span.start));
                self.problem(String::new(), None, line, plain(error.message()));
                return;
            }
        };
        self.as_of = self.take_date(&mut root);
        if let Some(as_of) = &self.as_of
            && *as_of > tables.as_of
        {
            tables.as_of.clone_from(as_of);
        }
        for (key, value) in root {
            self.table(&key, value, tables, known);
        }
    }

    fn take_date(&mut self, root: &mut Table) -> Option<String> {
        match root.remove("as_of")? {
            Value::String(date) => Some(date),
            Value::Datetime(date) => Some(date.to_string()),
            _ => {
                let line = self.line(&[Step::Key("as_of".into())]);
                let message = "`as_of` must be a date such as \"2026-11-20\"".to_owned();
                self.problem(String::new(), Some("as_of".into()), line, message);
                None
            }
        }
    }

    fn table(&mut self, key: &str, value: Value, tables: &mut Tables<Typed>, known: &impl Known) {
        match key {
            // These three are written otherwise than they are kept.
            Source::TABLE => self.sources(value, &mut tables.sources),
            SliceTable::TABLE => self.slices(value, &mut tables.slices, known),
            Limits::TABLE => self.limits(value, tables, known),
            _ => {
                let mut named = Named { key, value: Some(value), file: self, tables, known };
                Tables::<Typed>::each(&mut named);
                if named.value.is_some() {
                    let line = self.line(&[Step::Key(key.to_owned())]);
                    let message = format!("a catalog has no table `{key}`");
                    self.problem(String::new(), Some(key.to_owned()), line, message);
                }
            }
        }
    }

    fn sources(&mut self, value: Value, out: &mut BTreeMap<String, Source>) {
        let Value::Table(table) = value else {
            self.problem("sources".into(), None, None, "must be a table".into());
            return;
        };
        for (key, mut value) in table {
            let path = [Step::Key("sources".into()), Step::Key(key.clone())];
            if let Value::Table(source) = &mut value {
                source.insert(Source::KEY.into(), Value::String(key.clone()));
            }
            if let Some(source) = self.typed(&format!("source `{key}`"), value, &path) {
                out.insert(key, source);
            }
        }
    }

    fn rows<T: Row>(&mut self, value: Value, out: &mut BTreeMap<String, T>, known: &impl Known) {
        let table = T::TABLE;
        let Value::Array(entries) = value else {
            let line = self.line(&[Step::Key(table.into())]);
            let message = format!("write rows as `[[{table}]]`");
            self.problem(table.into(), None, line, message);
            return;
        };
        for (at, entry) in entries.into_iter().enumerate() {
            let path = vec![Step::Key(table.into()), Step::Index(at)];
            let Value::Table(mut entry) = entry else {
                self.problem(table.into(), None, self.line(&path), "must be a table".into());
                continue;
            };
            let Some(rows) = entry.remove("rows") else {
                self.row(entry, &path, out, known);
                continue;
            };
            let Value::Array(rows) = rows else {
                self.problem(table.into(), Some("rows".into()), self.line(&path), list("rows"));
                continue;
            };
            for (row_at, row) in rows.into_iter().enumerate() {
                let mut path = path.clone();
                path.extend([Step::Key("rows".into()), Step::Index(row_at)]);
                let Value::Table(row) = row else {
                    self.problem(table.into(), None, self.line(&path), "must be a table".into());
                    continue;
                };
                let mut merged = entry.clone();
                overlay(&mut merged, row);
                self.row(merged, &path, out, known);
            }
        }
    }

    fn row<T: Row>(
        &mut self,
        mut patch: Table,
        path: &[Step],
        out: &mut BTreeMap<String, T>,
        known: &impl Known,
    ) {
        let Some(name) = patch.get(T::KEY).and_then(Value::as_str).map(str::to_owned) else {
            let message = format!("a row without `{}`", T::KEY);
            self.problem(T::TABLE.into(), Some(T::KEY.into()), self.line(path), message);
            return;
        };
        let label = format!("{} `{name}`", T::TABLE);
        if out.contains_key(&name) {
            let line = self.line(path);
            self.problem(label, None, line, "stands twice in the catalog".into());
            return;
        }
        let base = match patch.remove("like") {
            None => known.row(&name),
            Some(Value::String(like)) => {
                let base = out.get(&like).or_else(|| known.row(&like));
                if base.is_none() {
                    let message = format!("there is no {} `{like}` to start from", T::TABLE);
                    self.problem(label, Some("like".into()), self.line(path), message);
                    return;
                }
                base
            }
            Some(_) => {
                let message = "`like` must name a row".to_owned();
                self.problem(label, Some("like".into()), self.line(path), message);
                return;
            }
        };
        let merged = self.on_top_of(base, patch);
        if let Some(row) = self.typed::<T>(&label, Value::Table(merged), path) {
            out.insert(name, row);
        }
    }

    /// The row that results: what was known, then the patch, then what every row must say.
    fn on_top_of<T: Serialize>(&self, base: Option<&T>, patch: Table) -> Table {
        let says_source = patch.contains_key("source");
        let mut merged = match base.map(Value::try_from) {
            Some(Ok(Value::Table(table))) => table,
            _ => Table::new(),
        };
        let corrected = !merged.is_empty();
        overlay(&mut merged, patch);
        if let (Some(own), false) = (&self.assumed.source, says_source) {
            let mut source = match merged.remove("source") {
                Some(Value::Array(list)) if corrected => list,
                _ => Vec::new(),
            };
            source.push(Value::String(own.clone()));
            merged.insert("source".into(), Value::Array(source));
        }
        if !merged.contains_key("date")
            && let Some(date) = self.date()
        {
            merged.insert("date".into(), Value::String(date));
        }
        if !merged.contains_key("confidence")
            && let Some(confidence) = self.assumed.confidence
        {
            merged.insert("confidence".into(), Value::String(confidence.to_string()));
        }
        merged
    }

    fn date(&self) -> Option<String> {
        self.as_of.clone().or_else(|| self.assumed.date.clone())
    }

    fn sheet<T: Sheet>(&mut self, value: Value, out: &mut Option<T>, known: &impl Known) {
        let key = T::TABLE;
        let Value::Table(patch) = value else {
            self.problem(key.into(), None, None, format!("write it as `[{key}]`"));
            return;
        };
        let merged = self.on_top_of(known.sheet::<T>(), patch);
        let path = [Step::Key(key.into())];
        if let Some(row) = self.typed(&format!("table `{key}`"), Value::Table(merged), &path) {
            *out = Some(row);
        }
    }

    fn slices(&mut self, value: Value, out: &mut BTreeMap<String, SliceTable>, known: &impl Known) {
        let Value::Array(entries) = value else {
            self.problem("slices".into(), None, None, "write rows as `[[slices]]`".into());
            return;
        };
        for (at, entry) in entries.into_iter().enumerate() {
            let path = [Step::Key("slices".into()), Step::Index(at)];
            let Value::Table(entry) = entry else { continue };
            let merged = self.on_top_of(None::<&SliceTable>, entry);
            let Some(group) = self.typed::<SliceGroup>("slices", Value::Table(merged), &path)
            else {
                continue;
            };
            let table = out.entry(group.generation.clone()).or_insert_with(|| {
                known.row(&group.generation).cloned().unwrap_or_else(|| SliceTable {
                    generation: group.generation.clone(),
                    slices: Vec::new(),
                    source: group.source.clone(),
                    date: group.date.clone(),
                })
            });
            for row in &group.rows {
                match group.slice(row) {
                    Some(slice) => insert_slice(&mut table.slices, slice),
                    None => {
                        let label = format!("slice `{}` of {}", row.0, group.generation);
                        let line = self.line(&path);
                        let message = "a topology is two or three sides, as in 4x4x8".to_owned();
                        self.problem(label, None, line, message);
                    }
                }
            }
        }
        for table in out.values_mut() {
            mark_lone_names(&mut table.slices);
        }
    }

    fn limits(&mut self, value: Value, tables: &mut Tables<Typed>, known: &impl Known) {
        let Value::Table(mut patch) = value else {
            self.problem("limits".into(), None, None, "write it as `[limits]`".into());
            return;
        };
        let root = Inherited {
            source: self.assumed.source.iter().cloned().collect(),
            confidence: self.assumed.confidence,
        };
        self.flatten(&patch, "", &root, &mut tables.limit);
        patch.remove("other");
        let mut merged = match known.sheet::<Limits>().map(Value::try_from) {
            Some(Ok(Value::Table(table))) => table,
            _ => Table::new(),
        };
        overlay(&mut merged, patch);
        let path = [Step::Key("limits".into())];
        if let Some(limits) = self.typed("table `limits`", Value::Table(merged), &path) {
            tables.limits = Some(limits);
        }
    }

    fn flatten(
        &mut self,
        table: &Table,
        prefix: &str,
        inherited: &Inherited,
        out: &mut BTreeMap<String, Limit>,
    ) {
        let own = inherited.within(table);
        for (key, value) in table {
            if matches!(key.as_str(), "source" | "confidence" | "date") {
                continue;
            }
            let path = match (prefix, key.as_str()) {
                ("", "other") => String::new(),
                ("", key) => key.to_owned(),
                (prefix, key) => format!("{prefix}.{key}"),
            };
            let value = match value {
                Value::Table(inner) => {
                    self.flatten(inner, &path, &own, out);
                    continue;
                }
                value => limit_value(value),
            };
            let (Some(value), Some(confidence), Some(date)) = (value, own.confidence, self.date())
            else {
                let message = "needs a plain value, a date and a confidence".to_owned();
                self.problem(format!("limit `{path}`"), None, None, message);
                continue;
            };
            let limit =
                Limit { path: path.clone(), value, source: own.source.clone(), date, confidence };
            out.insert(path, limit);
        }
    }

    fn typed<T: DeserializeOwned>(&mut self, row: &str, value: Value, path: &[Step]) -> Option<T> {
        let error = match value.try_into::<T>() {
            Ok(typed) => return Some(typed),
            Err(error) => error,
        };
        let key = key_of(&error);
        let line = key
            .as_ref()
            .and_then(|key| {
                let mut path = path.to_vec();
                path.extend(key.split('.').map(|part| Step::Key(part.to_owned())));
                self.line_exact(&path)
            })
            .or_else(|| self.line(path));
        self.problem(row.to_owned(), key, line, plain(error.message()));
        None
    }

    fn problem(&mut self, row: String, key: Option<String>, line: Option<u32>, message: String) {
        self.problems.push(Problem { file: self.name.to_owned(), row, key, line, message });
    }

    /// The line of a value, or of the nearest value around it.
    fn line(&self, path: &[Step]) -> Option<u32> {
        (1..=path.len()).rev().find_map(|len| self.line_exact(path.get(..len)?))
    }

    fn line_exact(&self, path: &[Step]) -> Option<u32> {
        let root = DeTable::parse(self.text).ok()?;
        let (first, rest) = path.split_first()?;
        let Step::Key(key) = first else { return None };
        let (key, mut value) =
            root.get_ref().iter().find(|(found, _)| found.get_ref().as_ref() == key)?;
        let mut start = key.span().start;
        for step in rest {
            (start, value) = match (step, value.get_ref()) {
                (Step::Key(key), DeValue::Table(table)) => {
                    let (key, value) =
                        table.iter().find(|(found, _)| found.get_ref().as_ref() == key)?;
                    (key.span().start, value)
                }
                (Step::Index(at), DeValue::Array(list)) => {
                    let value = list.get(*at)?;
                    (value.span().start, value)
                }
                _ => return None,
            };
        }
        Some(line_at(self.text, start))
    }
}

/// A table of a file on the way to the rows or the sheet of that name.
struct Named<'f, 'a, K> {
    key: &'f str,
    /// Nothing once it was read.
    value: Option<Value>,
    file: &'f mut File<'a>,
    tables: &'f mut Tables<Typed>,
    known: &'f K,
}

impl<K: Known> Each for Named<'_, '_, K> {
    fn rows<T: Row>(&mut self) {
        if let Some(value) = self.value.take_if(|_| self.key == T::TABLE) {
            self.file.rows(value, T::of_mut(self.tables), self.known);
        }
    }

    fn sheet<T: Sheet>(&mut self) {
        if let Some(value) = self.value.take_if(|_| self.key == T::TABLE) {
            self.file.sheet(value, T::of_mut(self.tables), self.known);
        }
    }
}

/// Source and confidence of the table around a limit.
struct Inherited {
    source: Vec<String>,
    confidence: Option<Confidence>,
}

impl Inherited {
    fn within(&self, table: &Table) -> Self {
        let source = match table.get("source") {
            Some(Value::Array(list)) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => self.source.clone(),
        };
        let confidence = match table.get("confidence").and_then(Value::as_str) {
            Some("high") => Some(Confidence::High),
            Some("medium") => Some(Confidence::Medium),
            Some("low") => Some(Confidence::Low),
            _ => self.confidence,
        };
        Self { source, confidence }
    }
}

fn limit_value(value: &Value) -> Option<LimitValue> {
    match value {
        Value::String(text) => Some(LimitValue::Text(text.clone())),
        Value::Integer(number) => Some(LimitValue::Int(*number)),
        Value::Float(number) => Some(LimitValue::Float(*number)),
        Value::Boolean(yes) => Some(LimitValue::Bool(*yes)),
        Value::Array(list) => list
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .map(LimitValue::List),
        Value::Datetime(_) | Value::Table(_) => None,
    }
}

/// Tells contents apart, protects nothing: FNV-1a of the parts as if they were one.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let bytes = parts.into_iter().flatten();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Puts `patch` on top of `base`: tables key by key, everything else whole.
fn overlay(base: &mut Table, patch: Table) {
    for (key, value) in patch {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(patch)) => overlay(base, patch),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn list(key: &str) -> String {
    format!("`{key}` must be a list of tables")
}
