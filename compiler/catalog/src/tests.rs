//! The built-in rows against what is known of them from elsewhere, and a project's own rows.

mod builtin;
mod local;
