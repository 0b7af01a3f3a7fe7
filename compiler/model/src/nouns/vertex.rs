//! What machines of Vertex AI have besides their type.

use super::Choice;
use serde::Deserialize;
use slipform_source::Spanned;

/// GPUs that are added to a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attached {
    /// The one form.
    Attached {
        /// Which.
        gpu: AttachedGpu,
        /// How many.
        count: i64,
    },
}

/// A GPU that is added to machines, by its key in the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachedGpu {
    /// `t4`
    T4,
    /// `p4`
    P4,
    /// `p100`
    P100,
    /// `v100`
    V100,
}

impl AttachedGpu {
    /// Its key.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::T4 => "t4",
            Self::P4 => "p4",
            Self::P100 => "p100",
            Self::V100 => "v100",
        }
    }
}

/// Machines that add up gradients on their way.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReductionServer {
    /// The one form.
    Reducers {
        /// Their type.
        machine: String,
        /// How many there are.
        nodes: Choice<Spanned<i64>>,
        /// They have Tier_1 networking.
        tier_1: bool,
    },
}
