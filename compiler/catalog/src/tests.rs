//! The built-in rows against what is known of them from elsewhere, and a project's own rows.

mod builtin;
mod local;

use crate::Slice;

/// Of the slices that share a name, the one that is meant unless more is said.
fn usual(slices: Vec<&Slice>) -> Option<&Slice> {
    slices.into_iter().find(|slice| slice.default)
}
