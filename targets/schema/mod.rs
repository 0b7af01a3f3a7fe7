//! What the consumers accept.
