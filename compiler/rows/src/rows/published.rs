//! Models that are published by a name.

use serde::{Deserialize, Serialize};

use super::Confidence;

/// A model on a hub, as far as its shape decides where it can be trained and served.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedModel {
    /// Its name on the hub: `meta-llama/Llama-3.1-70B`.
    pub name: String,
    /// Decoder layers.
    pub layers: u32,
    /// The width of a layer.
    pub hidden: u32,
    /// Attention heads.
    pub heads: u32,
    /// Groups of heads that share keys and values; absent: not known, or keys and values are compressed.
    #[serde(default)]
    pub kv_heads: Option<u32>,
    /// Parameters, in billions.
    pub parameters: f64,
    /// Bytes that one of them takes as it is published: 2 in bfloat16.
    pub bytes: f64,
    /// Tokens that there are.
    #[serde(default)]
    pub vocabulary: Option<u32>,
    /// The longest sequence that its configuration has places for.
    #[serde(default)]
    pub positions: Option<u32>,
    /// Nobody downloads it who has not accepted its terms.
    #[serde(default)]
    pub gated: bool,
    /// The class of a decoder layer in Transformers: `LlamaDecoderLayer`.
    #[serde(default)]
    pub layer: Option<String>,
    /// The first release of Transformers that reads it.
    #[serde(default)]
    pub transformers: Option<String>,
    /// The first release of vLLM that serves it.
    #[serde(default)]
    pub vllm: Option<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}
