//! Text to tree and back. Knows no domain: which words are nouns is nobody's business here.
//!
//! [`parse`] gives any text a [`tree::Tree`]; what is wrong with the text is in its `problems`, and the
//! sound parts of the text are in its statements. [`format`] lays a tree's text out in the one layout.

mod blank;
mod brackets;
mod chunks;
mod codes;
mod format;
mod grammar;
pub mod operators;
mod parse;
mod problems;
mod shift;
pub mod tree;
mod walk;

pub use codes::codes;
pub use format::format;
pub use parse::{MAX_NESTING, parse, parse_at, reparse};
pub use walk::{NodeRef, path_at, walk};
