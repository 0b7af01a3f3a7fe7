//! Where things can be had.

use serde::{Deserialize, Serialize};

use super::Confidence;

/// Regions and zones of one family of machines, one GPU or one TPU generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneOffer {
    /// A machine family (`a3-megagpu`, `n2`), a GPU (`t4`) or a TPU generation (`v5p`).
    pub name: String,
    /// Regions, from the provider's own interface: complete on the day of the fact.
    pub regions: Vec<String>,
    /// Zones that are known: a hint, never complete.
    #[serde(default)]
    pub zones: Vec<String>,
    /// Zones where flex-start was seen.
    #[serde(default)]
    pub flex_start_zones: Vec<String>,
    /// Zones where calendar reservations were seen.
    #[serde(default)]
    pub calendar_zones: Vec<String>,
    /// What does not fit elsewhere, for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// A region and its zones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// `us-east4`.
    pub name: String,
    /// What follows the region in a zone's name: `a`, `ai1a`.
    pub zones: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// What Vertex AI has in a region.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexRegion {
    /// `us-east4`.
    pub region: String,
    /// Accelerator types; TPUs as `TPU v5e`.
    pub accelerators: Vec<String>,
    /// Of those, the ones without training.
    #[serde(default)]
    pub no_training: Vec<String>,
    /// Of those, the ones without serving.
    #[serde(default)]
    pub no_serving: Vec<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}
