//! What a model is made of: parameters of its layers, and the bytes that a layer keeps of a token.

use crate::nouns::{Choice, Framework, KeptTensor, ModelShape, Precision, RecomputeModule};

/// Whole numbers of a blueprint, which sums of memory are made of.
#[expect(
    clippy::cast_precision_loss,
    reason = "no model has 2^53 of anything that is counted here"
)]
pub(super) fn number(count: i64) -> f64 {
    count as f64
}

fn chosen(choice: Choice<i64>, usual: f64) -> f64 {
    choice.set().map_or(usual, |count| number(*count))
}

/// Parameters by part, of one layer where that is not said.
pub(super) struct Counts {
    pub(super) attention: f64,
    pub(super) dense: f64,
    /// All experts.
    pub(super) experts: f64,
    pub(super) shared: f64,
    pub(super) router: f64,
    pub(super) norms: f64,
    /// One embedding of the whole model.
    pub(super) embedding: f64,
    pub(super) layers: f64,
    /// Layers that have experts.
    pub(super) with_experts: f64,
    pub(super) total: f64,
}

impl Counts {
    /// The part of all layers that has experts.
    pub(super) fn share(&self) -> f64 {
        self.with_experts / self.layers
    }

    /// The largest layer, of whose experts so many groups hold a part each.
    pub(super) fn largest(&self, groups: f64) -> f64 {
        let dense = if self.with_experts < self.layers { self.dense } else { 0.0 };
        let experts =
            if self.with_experts > 0.0 { self.experts / groups + self.shared } else { 0.0 };
        self.attention + self.norms + dense.max(experts)
    }
}

/// Widths that several parts are computed from.
struct Widths {
    hidden: f64,
    heads: f64,
    /// Of all heads together.
    queries: f64,
    keys: f64,
    feed_forward: f64,
    /// Matrices of a feed-forward part.
    matrices: f64,
}

fn widths(model: &ModelShape) -> Widths {
    let (hidden, heads) = (number(model.hidden), number(model.heads));
    let size = chosen(model.head_size, hidden / heads);
    Widths {
        hidden,
        heads,
        queries: heads * size,
        keys: chosen(model.kv_heads, heads) * size,
        feed_forward: chosen(model.feed_forward, 4.0 * hidden),
        matrices: if model.gated { 3.0 } else { 2.0 },
    }
}

pub(super) fn counts(model: &ModelShape) -> Counts {
    let it = widths(model);
    let attention = match &model.latent {
        Some(latent) => {
            let key = number(latent.nope) + number(latent.rope);
            let (value, rank) = (number(latent.value), number(latent.key_value));
            let queries = latent.query.map_or(it.hidden * it.heads * key, |rank| {
                number(rank) * (it.hidden + it.heads * key + 1.0)
            });
            queries
                + rank * (it.hidden + it.heads * (number(latent.nope) + value) + 1.0)
                + it.hidden * number(latent.rope)
                + it.heads * value * it.hidden
        }
        None => it.hidden * (2.0 * it.queries + 2.0 * it.keys),
    };
    let layers = number(model.layers);
    let (with_experts, count, width, shared) = match &model.experts {
        Some(experts) => {
            let behind = (model.layers - experts.dense_layers).max(0) / experts.every;
            let width = number(experts.width);
            (number(behind), number(experts.count), width, number(experts.shared))
        }
        None => (0.0, 0.0, 0.0, 0.0),
    };
    let dense = it.matrices * it.hidden * it.feed_forward;
    let experts = count * it.matrices * it.hidden * width;
    let shared = it.matrices * it.hidden * shared;
    let router = it.hidden * count;
    let norms = 2.0 * it.hidden;
    let embedding = number(model.vocabulary.unwrap_or(0)) * it.hidden;
    let total = layers * (attention + norms)
        + (layers - with_experts) * dense
        + with_experts * (experts + shared + router)
        + it.hidden
        + if model.tied { embedding } else { 2.0 * embedding };
    Counts {
        attention,
        dense,
        experts,
        shared,
        router,
        norms,
        embedding,
        layers,
        with_experts,
        total,
    }
}

/// How much of a layer is kept for its backward pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    /// What it begins with.
    Input,
    /// All but what some modules give.
    Selected,
    All,
}

/// Eight bits or fewer.
pub(super) fn is_low(precision: Precision) -> bool {
    match precision {
        Precision::Bf16 | Precision::Fp16 => false,
        Precision::Fp8 | Precision::Mxfp8 | Precision::Nvfp4 => true,
    }
}

/// Bytes of a token that a layer keeps on one device: on average, where some layers have experts and others do not.
pub(super) fn kept_bytes(model: &ModelShape, keeps: Keeps, tensor: f64, norms: f64) -> f64 {
    let it = widths(model);
    if keeps == Keeps::Input {
        return 2.0 * it.hidden / norms;
    }
    let without = |module: RecomputeModule| {
        keeps == Keeps::Selected && model.recompute_modules.contains(&module)
    };
    let low = is_low(model.precision) && model.framework == Framework::Megatron;
    // what a matrix is multiplied with
    let input = if low { 1.0 } else { 2.0 };
    let given = if without(RecomputeModule::Layernorm) { 0.0 } else { 2.0 * input * it.hidden };
    let attention = match &model.latent {
        Some(latent) => {
            let ranks = number(latent.query.unwrap_or(0)) + number(latent.key_value);
            let (nope, rope) = (number(latent.nope), number(latent.rope));
            let value = number(latent.value);
            let up = 4.0 * it.heads * (nope + rope) + 2.0 * it.heads * (nope + value);
            let up = if without(RecomputeModule::MlaUpProj) { 0.0 } else { up };
            4.0 * ranks + 2.0 * rope + up + 2.0 * it.heads * value
        }
        None => 4.0 * it.queries + 4.0 * it.keys + if low { it.queries } else { 0.0 },
    };
    let inner = if model.gated { 4.0 } else { 2.0 };
    let all = (4.0 * it.hidden + given) / norms + attention / tensor;
    let mlp = if without(RecomputeModule::Mlp) { 0.0 } else { (inner + input) * it.feed_forward };
    let dense = all + mlp / tensor;
    let Some(experts) = &model.experts else { return dense };
    let width = number(experts.width);
    let moe = without(RecomputeModule::Moe);
    let act = if without(RecomputeModule::MoeAct) { 0.0 } else { input * width };
    let slot = input * it.hidden + inner * width + act + 2.0 * it.hidden;
    let routed = if moe { 0.0 } else { number(experts.active) * slot };
    let shared = if moe || without(RecomputeModule::SharedExperts) {
        0.0
    } else {
        (4.0 + input) * number(experts.shared)
    };
    let share = counts(model).share();
    share * (all + routed / norms + shared / tensor) + (1.0 - share) * dense
}

/// Bytes of a token that MaxText keeps of a layer where it is told which tensors stay.
pub(super) fn tensors(model: &ModelShape, kept: &[KeptTensor]) -> f64 {
    let it = widths(model);
    let of = |tensor: &KeptTensor| match tensor {
        KeptTensor::DecoderLayerInput | KeptTensor::OutProj | KeptTensor::Mlpwo => 2.0 * it.hidden,
        KeptTensor::QueryProj | KeptTensor::Context => 2.0 * it.queries,
        KeptTensor::KeyProj | KeptTensor::ValueProj => 2.0 * it.keys,
        KeptTensor::Mlpwi => (if model.gated { 4.0 } else { 2.0 }) * it.feed_forward,
    };
    kept.iter().map(of).sum()
}

/// All that MaxText may keep.
pub(super) const TENSORS: &[KeptTensor] = &[
    KeptTensor::DecoderLayerInput,
    KeptTensor::QueryProj,
    KeptTensor::KeyProj,
    KeptTensor::ValueProj,
    KeptTensor::Context,
    KeptTensor::OutProj,
    KeptTensor::Mlpwi,
    KeptTensor::Mlpwo,
];
