//! The facts of the catalog as types: rows, the tables they stand in, how their files are read and
//! checked, and the binary form that they are baked into. The build script that bakes the built-in
//! catalog and the catalog that reads a project's own corrections both stand on this.
//!
//! No judgement: a row says what is, never what a blueprint should do. Nothing here reads a disk.

pub mod blob;
mod check;
mod compile;
mod facts;
pub mod lock;
pub mod rows;
mod tables;
mod version;

pub use check::{Fault, check};
pub use compile::{Assumed, Problem, compile, digest, sides};
pub use facts::Fact;
pub use tables::{
    Each, Form, Keys, Known, Make, Nothing, Origin, Row, Sheet, Stored, Tables, Typed,
};
pub use version::{GkeVersion, region_of};
