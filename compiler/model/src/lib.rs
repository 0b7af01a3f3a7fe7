//! The words of the domain: quantities, facts, nouns, what follows from them, and what can be wrong.
//!
//! Knows no text: positions are opaque spans that came from somewhere and are handed on. Everything a
//! target needs is here; a target never looks at a tree.

mod diagnostic;
pub mod graph;
pub mod lower;
mod model;
pub mod nouns;
pub mod plan;
mod shape;
mod units;
mod value;

pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use model::{Model, Noun, NounId, Nouns, Outside, Patch};
pub use shape::{Entries, Shape};
pub use slipform_catalog as catalog;
pub use slipform_source::{nearest, similar};
pub use units::{Duration, Quantity, Range, Size, Topology, UnitError};
pub use value::{Deferred, Map, NounRef, Placed, Record, Value, float_text};
