//! A project's own facts on top of the built-in ones.

use std::fmt;
use std::sync::Arc;

use slipform_rows::rows::{Confidence, Source};
use slipform_rows::{Assumed, Fault, Known, Problem, Row, Sheet, check, compile, digest};

use super::Catalog;

/// What rows of a project's own have as their source.
const LOCAL: &str = "local";

/// Why a `catalog.local.toml` was not taken. Printed, it is one line for each problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogError {
    /// Every problem, in the order of the text; never empty.
    pub problems: Vec<CatalogProblem>,
}

/// One problem of a `catalog.local.toml`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogProblem {
    /// The row: "machine `a5-highgpu-8g`"; empty for the text as a whole.
    pub row: String,
    /// The key inside the row.
    pub key: Option<String>,
    /// Line, from 1, where it is known.
    pub line: Option<u32>,
    /// What is wrong: lower case, no final period.
    pub message: String,
}

impl fmt::Display for CatalogProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        match (self.row.as_str(), &self.key) {
            ("", None) => {}
            ("", Some(key)) => write!(f, "`{key}`: ")?,
            (row, None) => write!(f, "{row}: ")?,
            (row, Some(key)) => write!(f, "{row}, `{key}`: ")?,
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for CatalogError {}

pub(super) fn with_local(catalog: &Catalog, text: &str) -> Result<Catalog, CatalogError> {
    let assumed = Assumed {
        source: Some(LOCAL.to_owned()),
        date: Some(catalog.as_of().to_owned()),
        confidence: Some(Confidence::High),
    };
    let mut tables = compile(&[(LOCAL, text)], catalog, &assumed).map_err(|problems| {
        CatalogError { problems: problems.into_iter().map(CatalogProblem::from).collect() }
    })?;
    let date =
        if tables.as_of.is_empty() { catalog.as_of().to_owned() } else { tables.as_of.clone() };
    let own = Source {
        key: LOCAL.to_owned(),
        name: "this project".to_owned(),
        date: Some(date),
        confidence: Confidence::High,
    };
    tables.sources.entry(LOCAL.to_owned()).or_insert(own);
    let faults = check(&tables, catalog);
    if !faults.is_empty() {
        let problems = faults.into_iter().map(|fault| locate(text, fault)).collect();
        return Err(CatalogError { problems });
    }
    let as_of = if tables.as_of.as_str() > catalog.as_of() {
        Arc::from(tables.as_of.as_str())
    } else {
        Arc::clone(&catalog.as_of)
    };
    let version = format!("{}+local.{}", catalog.version(), digest([text.as_bytes()]));
    let local = match catalog.local.as_deref() {
        Some(earlier) => {
            let mut all = earlier.clone();
            all.extend(tables);
            all
        }
        None => tables,
    };
    Ok(Catalog { local: Some(Arc::new(local)), version: version.into(), as_of, ..catalog.clone() })
}

impl From<Problem> for CatalogProblem {
    fn from(problem: Problem) -> Self {
        Self { row: problem.row, key: problem.key, line: problem.line, message: problem.message }
    }
}

/// A fault knows its row but not its line: the line where the row's name stands.
fn locate(text: &str, fault: Fault) -> CatalogProblem {
    let name = fault.row.split('`').nth(1).unwrap_or_default();
    let quoted = format!("\"{name}\"");
    let line = text.lines().position(|line| line.contains(&quoted));
    CatalogProblem {
        line: line.and_then(|at| u32::try_from(at + 1).ok()),
        row: fault.row,
        key: Some(fault.key),
        message: fault.message,
    }
}

impl Known for Catalog {
    fn row<T: Row>(&self, key: &str) -> Option<&T> {
        Self::row(self, key)
    }
    fn all<T: Row>(&self) -> Box<dyn Iterator<Item = &T> + '_> {
        Box::new(self.rows())
    }
    fn sheet<T: Sheet>(&self) -> Option<&T> {
        Some(Self::sheet(self))
    }
}
