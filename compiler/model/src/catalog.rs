//! What is known about machines, GPUs, TPUs, zones, software stacks and limits: facts with their
//! source and date, and look-ups. The built-in catalog is baked when the compiler is built and
//! read row by row when asked; a project may add and correct rows. No judgement is made here: what a
//! pool or a workload needs is derived elsewhere.

// The build script shares these four files.
#[allow(unreachable_pub)]
mod blob;
#[allow(unreachable_pub)]
mod check;
#[allow(unreachable_pub)]
mod compile;
#[allow(unreachable_pub)]
mod version;

mod local;
mod lookup;
pub mod rows;
mod shelf;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

pub use compile::sides;
pub use local::CatalogError;
pub use lookup::{GkeFeature, GkeMinimum, Offer};
pub use rows::*;
pub use version::{GkeVersion, region_of};

use self::compile::Tables;
use self::shelf::Shelf;

static BAKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"));

/// The facts. Cheap to clone.
#[derive(Clone)]
pub struct Catalog {
    baked: &'static Baked,
    local: Option<Arc<Tables>>,
    version: Arc<str>,
    as_of: Arc<str>,
}

/// The built-in rows.
struct Baked {
    version: &'static str,
    as_of: &'static str,
    sources: Shelf<Source>,
    machines: Shelf<Machine>,
    gpus: Shelf<Gpu>,
    attachables: Shelf<AttachableGpu>,
    tpus: Shelf<Tpu>,
    slices: Shelf<SliceTable>,
    offers: Shelf<ZoneOffer>,
    regions: Shelf<Region>,
    vertex_regions: Shelf<VertexRegion>,
    stacks: Shelf<Stack>,
    slurm_machines: Shelf<SlurmMachine>,
    components: Shelf<Component>,
    limit: Shelf<Limit>,
    limits: Shelf<Limits>,
    kubernetes: Shelf<KubernetesFacts>,
    slurm: Shelf<SlurmFacts>,
    vertex: Shelf<VertexFacts>,
}

impl Baked {
    fn read() -> Self {
        let blob = postcard::from_bytes::<blob::Blob<'static>>(BAKED).unwrap_or(blob::Blob {
            version: "",
            as_of: "",
            sections: Vec::new(),
        });
        let (version, as_of) = (blob.version, blob.as_of);
        let mut sections: BTreeMap<&str, blob::Section<'static>> =
            blob::SECTIONS.into_iter().zip(blob.sections).collect();
        let mut take = |name| sections.remove(name).unwrap_or(blob::Section { rows: Vec::new() });
        Self {
            version,
            as_of,
            sources: Shelf::new(take("sources")),
            machines: Shelf::new(take("machine")),
            gpus: Shelf::new(take("gpu")),
            attachables: Shelf::new(take("attachable")),
            tpus: Shelf::new(take("tpu")),
            slices: Shelf::new(take("slices")),
            offers: Shelf::new(take("offer")),
            regions: Shelf::new(take("region")),
            vertex_regions: Shelf::new(take("vertex_region")),
            stacks: Shelf::new(take("stack")),
            slurm_machines: Shelf::new(take("slurm_machine")),
            components: Shelf::new(take("component")),
            limit: Shelf::new(take("limit")),
            limits: Shelf::new(take("limits")),
            kubernetes: Shelf::new(take("kubernetes")),
            slurm: Shelf::new(take("slurm")),
            vertex: Shelf::new(take("vertex")),
        }
    }
}

impl Catalog {
    /// The catalog that the compiler was built with.
    pub fn builtin() -> &'static Self {
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        static ROWS: OnceLock<Baked> = OnceLock::new();
        CATALOG.get_or_init(|| {
            let baked = ROWS.get_or_init(Baked::read);
            Self { baked, local: None, version: baked.version.into(), as_of: baked.as_of.into() }
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
