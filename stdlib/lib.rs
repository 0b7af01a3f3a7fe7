//! The standard library of blueprints: kinds, rules and components, in the language itself. (The catalog beside
//! them is baked into `slipform-catalog`, which gives it its types.)

/// Every file of the library: its virtual path, `std/kinds/network.bp`, and its text. Sorted by folder and name:
/// kinds, rules, components.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
