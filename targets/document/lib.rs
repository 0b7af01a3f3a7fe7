//! Structured documents as data, and one printer for each format.
//!
//! A target builds a tree (or declares a typed struct) and prints it; no target ever pastes text into YAML, JSON or
//! HCL, so no value can break out of its place. Printing is a pure function: the same tree gives the same bytes.
//!
//! - [`Node`] is the tree of YAML and JSON. [`to_node`] turns any `Serialize` type into it, so that a user's `patch`
//!   can be merged in before it is printed.
//! - [`to_yaml`] prints nodes; [`yaml_to_string`] prints a `Serialize` type straight into a string, without a tree
//!   between, which is the path for thousands of workloads.
//! - [`to_json`] prints JSON, which has no comments: they are left out.
//! - [`hcl`] is the tree and the printer of Terraform's language.
//!
//! What this crate does not do: know any field of any consumer (see `slipform-schema`), or read documents.

mod comment;
mod convert;
pub mod hcl;
mod json;
mod node;
mod refuse;
mod yaml;

pub use comment::Commented;
pub use convert::to_node;
pub use json::to_json;
pub use node::{Document, Entry, Item, Map, Node, map, seq};
pub use refuse::Error;
pub use yaml::{to_yaml, yaml_string, yaml_to_string};
