//! What a run's model is like, as far as it decides whether the run fits its devices.

use super::Choice;
use serde::Deserialize;
use slipform_source::Spanned;

/// A decoder that a run trains.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct ModelShape {
    /// What computes its steps.
    pub framework: Framework,
    /// Transformer layers.
    pub layers: i64,
    /// The width of a layer.
    pub hidden: i64,
    /// Attention heads.
    pub heads: i64,
    /// Groups of heads that share keys and values.
    pub kv_heads: Choice<i64>,
    /// The size of a head.
    pub head_size: Choice<i64>,
    /// The width of the feed-forward part.
    pub feed_forward: Choice<i64>,
    /// Whether the feed-forward part has three matrices.
    pub gated: bool,
    /// Tokens that there are.
    pub vocabulary: Option<i64>,
    /// Whether one embedding serves its input and its output.
    pub tied: bool,
    /// Experts of its layers.
    pub experts: Option<Experts>,
    /// Attention with compressed keys and values.
    pub latent: Option<LatentAttention>,
    /// Tokens of one sequence.
    pub sequence: i64,
    /// What its matrices are multiplied in.
    pub precision: Precision,
    /// What is dealt to the replicas.
    pub sharding: Choice<Sharded>,
    /// Devices that one copy of it is dealt to.
    pub shards: Choice<i64>,
    /// Bytes of one weight between steps.
    pub weight_bytes: Choice<i64>,
    /// Bytes of one gradient.
    pub gradient_bytes: Choice<i64>,
    /// Bytes of one parameter's states.
    pub optimizer_bytes: Choice<i64>,
    /// What is computed again instead of being kept.
    pub recompute: Option<Recompute>,
    /// What Megatron computes again of each layer.
    pub recompute_modules: Vec<RecomputeModule>,
    /// Layers of each stage that are computed again as a whole.
    pub recompute_layers: Option<i64>,
    /// What MaxText keeps of each layer.
    pub kept: Vec<KeptTensor>,
    /// Parts that the vocabulary's side of the loss is computed in.
    pub vocabulary_tiles: i64,
    /// Whether some of it lies in the memory of hosts.
    pub offloaded: bool,
    /// Whether adapters alone are trained.
    pub lora: bool,
    /// Chunks of layers that each pipeline stage has.
    pub virtual_pipeline: Spanned<i64>,
    /// Tensor parallelism of experts.
    pub expert_tensor: Choice<i64>,
    /// Whether norms are shared out, too.
    pub sequence_parallel: Choice<bool>,
    /// Whether stages have different numbers of layers.
    pub uneven_stages: bool,
    /// Whether it writes a checkpoint when it is warned.
    pub save_on_notice: Option<bool>,
}

/// Layers whose tokens are each dealt to a few of many experts.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Experts {
    /// Experts of a layer.
    pub count: i64,
    /// Those that a token is dealt to.
    pub active: i64,
    /// The width of one.
    pub width: i64,
    /// The width of what all tokens go through besides.
    pub shared: i64,
    /// Layers at the head without experts.
    pub dense_layers: i64,
    /// One of so many other layers has experts.
    pub every: i64,
}

/// Attention whose keys and values are kept compressed.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct LatentAttention {
    /// The rank of queries.
    pub query: Option<i64>,
    /// The rank of keys and values.
    pub key_value: i64,
    /// The size of a head's keys without positions.
    pub nope: i64,
    /// The size of a head's keys with positions.
    pub rope: i64,
    /// The size of a head's values.
    pub value: i64,
}

/// What computes a model's steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framework {
    /// Megatron-LM, and what is built on its core.
    Megatron,
    /// PyTorch's FSDP and DDP, DeepSpeed's ZeRO.
    Fsdp,
    /// MaxText.
    Maxtext,
}

/// What matrices are multiplied in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// bfloat16.
    Bf16,
    /// IEEE's half.
    Fp16,
    /// Eight bits, scaled by tensor or block.
    Fp8,
    /// Eight bits with a scale for each 32.
    Mxfp8,
    /// Four bits with a scale for each 16.
    Nvfp4,
}

/// What of a model is dealt to its replicas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharded {
    /// Each has all of it.
    #[serde(rename = "none")]
    Nothing,
    /// States of the optimizer.
    Optimizer,
    /// And gradients.
    Gradients,
    /// And weights.
    Full,
}

/// What is computed again in the backward pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recompute {
    /// All is kept.
    #[serde(rename = "none")]
    Nothing,
    /// Some of it.
    Selective,
    /// Whole layers.
    Full,
}

/// A part of a layer that Megatron computes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecomputeModule {
    /// Scores of attention.
    CoreAttn,
    /// What norms give.
    Layernorm,
    /// What compressed keys and values become.
    MlaUpProj,
    /// The feed-forward part.
    Mlp,
    /// The part with experts.
    Moe,
    /// What experts put between their matrices.
    MoeAct,
    /// What all tokens go through besides experts.
    SharedExperts,
}

/// A tensor that MaxText keeps of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptTensor {
    /// What the layer begins with.
    DecoderLayerInput,
    /// Queries.
    QueryProj,
    /// Keys.
    KeyProj,
    /// Values.
    ValueProj,
    /// What attention gives.
    Context,
    /// What its last matrix makes of that.
    OutProj,
    /// What the feed-forward part begins with.
    Mlpwi,
    /// What it ends with.
    Mlpwo,
}
