//! Reservations: machines that were bought before, and who takes them.

use super::{Attached, Choice, Ref};
use serde::Deserialize;
use slipform_source::Spanned;

/// Machines of one zone that are kept for those who name them.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Reservation {
    /// The machine type.
    pub machine: Spanned<String>,
    /// GPUs that attach to each.
    pub gpus: Option<Spanned<Attached>>,
    /// Local disks that attach to each.
    pub local_ssds: Spanned<i64>,
    /// How many machines; of one that exists it may be unknown.
    pub count: Option<Spanned<i64>>,
    /// Where they are.
    pub zone: Spanned<String>,
    /// The block of it that is taken from, where a capacity names none.
    pub block: Option<Spanned<String>>,
    /// Its name.
    pub name: Choice<Spanned<String>>,
    /// The project that owns it, where that is another one.
    pub project: Option<Spanned<String>>,
    /// Other projects that may take of it.
    pub shared_with: Vec<Spanned<String>>,
    /// The day from which on it holds machines.
    pub starts: Option<Spanned<String>>,
    /// The day on which its machines are taken back.
    pub ends: Option<Spanned<String>>,
    /// Whether Terraform refuses to destroy it.
    pub deletion_protection: bool,
}

/// How a capacity says which reservation it takes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reserved {
    /// One of the blueprint.
    Reservation(Ref<Reservation>),
    /// Its name, or `projects/OWNER/reservations/NAME`.
    String(String),
}
