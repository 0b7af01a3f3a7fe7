//! The parser that is generated from `grammar.pest`.
#![allow(missing_docs)]

/// See `grammar.pest` for what it guarantees.
#[derive(pest_derive::Parser)]
#[grammar = "grammar.pest"]
pub(crate) struct Grammar;
