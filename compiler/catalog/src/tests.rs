//! The built-in rows against what is known of them from elsewhere, and a project's own rows.

mod builtin;
mod held;
mod local;

use crate::{Catalog, Slice};

/// Every slice of a name such as `v5litepod-256`.
fn slices_by_name<'a>(catalog: &'a Catalog, name: &str) -> Vec<&'a Slice> {
    let slices = catalog.tpus().flat_map(|tpu| catalog.slices(&tpu.generation));
    slices.filter(|slice| slice.name == name).collect()
}

/// Of the slices that share a name, the one that is meant unless more is said.
fn usual(slices: Vec<&Slice>) -> Option<&Slice> {
    slices.into_iter().find(|slice| slice.default)
}
