//! What is known about machines, GPUs, TPUs, zones, software stacks and limits: facts with their
//! source and date, and look-ups. The built-in catalog is baked when the compiler is built and
//! read row by row when asked; a project may add and correct rows. No judgement is made here: what a
//! pool or a workload needs is derived elsewhere.

mod differences;
mod forms;
mod held;
mod local;
mod lookup;
mod shelf;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use differences::{Difference, Said, Word};
pub use forms::TableForm;
pub use held::{LockError, Locked};
pub use local::{CatalogError, CatalogProblem};
pub use lookup::{GkeFeature, GkeMinimum, Offer};
pub use slipform_rows::lock::sealed;
pub use slipform_rows::rows::*;
pub use slipform_rows::{GkeVersion, Row, Sheet, region_of, sides};

use slipform_rows::{Tables, Typed};

use self::held::Held;
use self::shelf::Shelved;

static BAKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"));

/// The facts. Cheap to clone.
#[derive(Clone)]
pub struct Catalog {
    baked: &'static Baked,
    /// What a lock holds a project to.
    held: Option<Arc<Held>>,
    /// A project's own.
    local: Option<Arc<Tables<Typed>>>,
    version: Arc<str>,
    as_of: Arc<str>,
    /// Rows that were asked for by name, where somebody wants to know.
    asked: Option<Arc<Mutex<Asked>>>,
}

/// Tables and keys.
type Asked = BTreeSet<(&'static str, String)>;

/// The built-in rows.
struct Baked {
    version: &'static str,
    tables: Tables<Shelved>,
}

impl Catalog {
    /// The catalog that the compiler was built with.
    pub fn builtin() -> &'static Self {
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        static ROWS: OnceLock<Baked> = OnceLock::new();
        CATALOG.get_or_init(|| {
            let baked = ROWS.get_or_init(|| {
                let (version, tables) = shelf::open(BAKED);
                Baked { version, tables }
            });
            let as_of = baked.tables.as_of.as_str().into();
            let version = baked.version.into();
            Self { baked, held: None, local: None, version, as_of, asked: None }
        })
    }

    /// Adds the rows of a `catalog.local.toml`, and corrects those that exist. `self` stays as it is.
    ///
    /// The text has the form of the built-in files: `[[machine]]`, `[[gpu]]` and so on; a row that exists needs
    /// only the keys that change, a new one may start with `like = "another row"`. Rows without
    /// `source` get the source `local`.
    ///
    /// # Errors
    /// Every problem of the text: syntax, unknown keys, wrong values, names that do not exist.
    pub fn with_local(&self, toml_text: &str) -> Result<Self, CatalogError> {
        local::with_local(self, toml_text)
    }

    /// Date and digest of the content; changes whenever a fact changes: `2026-11-20+1f00c9d2a8e4b713`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The same facts, which keep in mind what is asked for by name.
    pub fn keeping(&self) -> Self {
        Self { asked: Some(Arc::default()), ..self.clone() }
    }

    /// Tables and keys of the rows that were asked for, where they are kept in mind.
    pub fn asked(&self) -> BTreeSet<(&'static str, String)> {
        let asked =
            self.asked.as_deref().map(|it| it.lock().unwrap_or_else(PoisonError::into_inner));
        asked.map(|it| it.clone()).unwrap_or_default()
    }

    /// The newest date of the files, `YYYY-MM-DD`.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog").field("version", &self.version).finish_non_exhaustive()
    }
}
