//! Text to tree and back. Knows no domain: which words are nouns is nobody's business here.

pub mod tree;
