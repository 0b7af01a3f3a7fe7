//! The parser that is generated from `grammar.pest`.
#![allow(missing_docs)]

include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
