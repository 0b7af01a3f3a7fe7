//! A project's own facts on top of the built-in ones.

use std::fmt;
use std::sync::Arc;

use super::Catalog;
use super::check::{Fault, check};
use super::compile::{Assumed, Known, Problem, Tables, compile};
use super::rows::{
    AttachableGpu, Component, Confidence, Gpu, KubernetesFacts, Limits, Machine, Region,
    SliceTable, SlurmFacts, SlurmMachine, Source, Stack, Tpu, VertexFacts, VertexRegion, ZoneOffer,
};

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
    let own =
        Source { name: "this project".to_owned(), date: Some(date), confidence: Confidence::High };
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
    let version = format!("{}+local.{:016x}", catalog.version(), fnv(text.as_bytes()));
    let local = match catalog.local.as_deref() {
        Some(earlier) => join(earlier.clone(), tables),
        None => tables,
    };
    Ok(Catalog {
        baked: catalog.baked,
        local: Some(Arc::new(local)),
        version: version.into(),
        as_of,
    })
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

/// Later rows in place of earlier ones.
fn join(mut earlier: Tables, later: Tables) -> Tables {
    earlier.as_of = earlier.as_of.max(later.as_of);
    earlier.sources.extend(later.sources);
    earlier.machines.extend(later.machines);
    earlier.gpus.extend(later.gpus);
    earlier.attachables.extend(later.attachables);
    earlier.tpus.extend(later.tpus);
    earlier.slices.extend(later.slices);
    earlier.offers.extend(later.offers);
    earlier.regions.extend(later.regions);
    earlier.vertex_regions.extend(later.vertex_regions);
    earlier.stacks.extend(later.stacks);
    earlier.slurm_machines.extend(later.slurm_machines);
    earlier.components.extend(later.components);
    earlier.limit.extend(later.limit);
    earlier.limits = later.limits.or(earlier.limits);
    earlier.kubernetes = later.kubernetes.or(earlier.kubernetes);
    earlier.slurm = later.slurm.or(earlier.slurm);
    earlier.vertex = later.vertex.or(earlier.vertex);
    earlier
}

/// FNV-1a, 64 bits: tells texts apart, protects nothing.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Known for Catalog {
    fn source(&self, key: &str) -> Option<Source> {
        Self::source(self, key).cloned()
    }
    fn machine(&self, name: &str) -> Option<Machine> {
        Self::machine(self, name).cloned()
    }
    fn gpu(&self, name: &str) -> Option<Gpu> {
        Self::gpu(self, name).cloned()
    }
    fn attachable(&self, gpu: &str) -> Option<AttachableGpu> {
        Self::attachable(self, gpu).cloned()
    }
    fn tpu(&self, generation: &str) -> Option<Tpu> {
        Self::tpu(self, generation).cloned()
    }
    fn slices(&self, generation: &str) -> Option<SliceTable> {
        let local = self.local.as_deref().and_then(|local| local.slices.get(generation));
        local.or_else(|| self.baked.slices.get(generation)).cloned()
    }
    fn offer(&self, name: &str) -> Option<ZoneOffer> {
        self.zone_offer(name).cloned()
    }
    fn region(&self, name: &str) -> Option<Region> {
        Self::region(self, name).cloned()
    }
    fn vertex_region(&self, region: &str) -> Option<VertexRegion> {
        Self::vertex_region(self, region).cloned()
    }
    fn stack(&self, name: &str) -> Option<Stack> {
        Self::stack(self, name).cloned()
    }
    fn slurm_machine(&self, machine: &str) -> Option<SlurmMachine> {
        Self::slurm_machine(self, machine).cloned()
    }
    fn component(&self, name: &str) -> Option<Component> {
        Self::component(self, name).cloned()
    }
    fn has_family(&self, family: &str) -> bool {
        self.machines().any(|machine| machine.family == family)
    }
    fn limits(&self) -> Option<Limits> {
        Self::limits(self).cloned()
    }
    fn kubernetes(&self) -> Option<KubernetesFacts> {
        Self::kubernetes(self).cloned()
    }
    fn slurm(&self) -> Option<SlurmFacts> {
        Self::slurm(self).cloned()
    }
    fn vertex(&self) -> Option<VertexFacts> {
        Self::vertex(self).cloned()
    }
}
