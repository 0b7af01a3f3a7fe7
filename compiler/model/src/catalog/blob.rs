//! The binary form of the built-in catalog: a list of sections, each a list of keys in ascending
//! order with the encoded row beside it. The index is read at start, a row when it is asked for.

use serde::{Deserialize, Serialize};

/// The whole catalog.
#[derive(Serialize, Deserialize)]
pub struct Blob<'a> {
    /// Date and digest of the content.
    pub version: &'a str,
    /// Newest date of the files.
    pub as_of: &'a str,
    /// The sections, in the order of [`SECTIONS`].
    #[serde(borrow)]
    pub sections: Vec<Section<'a>>,
}

/// Keys, ascending, and encoded rows.
#[derive(Serialize, Deserialize)]
pub struct Section<'a> {
    /// The rows.
    #[serde(borrow)]
    pub rows: Vec<(&'a str, &'a [u8])>,
}

/// The sections by name. Writer and reader go through this list.
pub const SECTIONS: [&str; 17] = [
    "sources",
    "machine",
    "gpu",
    "attachable",
    "tpu",
    "slices",
    "offer",
    "region",
    "vertex_region",
    "stack",
    "slurm_machine",
    "component",
    "limit",
    "limits",
    "kubernetes",
    "slurm",
    "vertex",
];
