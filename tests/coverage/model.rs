//! Each field of a workload's `model`, changed.

use super::{Change, change};

/// Every field of it.
pub(super) const MODEL: &[Change] = &[
    change(
        "model",
        "",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
    ),
    change(
        "model.framework",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"megatron\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
    ),
    change(
        "model.layers",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 4, hidden = 128, heads = 8, sequence = 128 }",
    ),
    change(
        "model.hidden",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 256, heads = 8, sequence = 128 }",
    ),
    change(
        "model.heads",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 16, sequence = 128 }",
    ),
    change(
        "model.kv_heads",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, kv_heads = 8 }",
    ),
    change(
        "model.head_size",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, head_size = 32 }",
    ),
    change(
        "model.feed_forward",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, feed_forward = 256 }",
    ),
    change(
        "model.gated",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, gated = false }",
    ),
    change(
        "model.vocabulary",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, vocabulary = 1024 }",
    ),
    change(
        "model.tied",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, tied = true }",
    ),
    change(
        "model.experts",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
    ),
    change(
        "model.experts.count",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 16, active = 2, width = 64 } }",
    ),
    change(
        "model.experts.active",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 4, width = 64 } }",
    ),
    change(
        "model.experts.width",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 32 } }",
    ),
    change(
        "model.experts.shared",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64, shared = 2 } }",
    ),
    change(
        "model.experts.dense_layers",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64, dense_layers = 2 } }",
    ),
    change(
        "model.experts.every",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, experts = { count = 8, active = 2, width = 64, every = 2 } }",
    ),
    change(
        "model.latent",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
    ),
    change(
        "model.latent.query",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16, query = 32 } }",
    ),
    change(
        "model.latent.key_value",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 8, nope = 16, rope = 16, value = 16 } }",
    ),
    change(
        "model.latent.nope",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 8, rope = 16, value = 16 } }",
    ),
    change(
        "model.latent.rope",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 8, value = 16 } }",
    ),
    change(
        "model.latent.value",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 16 } }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, latent = { key_value = 64, nope = 16, rope = 16, value = 8 } }",
    ),
    change(
        "model.sequence",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 256 }",
    ),
    change(
        "model.precision",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, precision = \"fp8\" }",
    ),
    change(
        "model.sharding",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, sharding = \"none\" }",
    ),
    change(
        "model.shards",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, shards = 2 }",
    ),
    change(
        "model.weight_bytes",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, weight_bytes = 2 }",
    ),
    change(
        "model.gradient_bytes",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, gradient_bytes = 2 }",
    ),
    change(
        "model.optimizer_bytes",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, optimizer_bytes = 4 }",
    ),
    change(
        "model.recompute",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, recompute = \"full\" }",
    ),
    change(
        "model.recompute_modules",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, recompute_modules = [\"mlp\"] }",
    ),
    change(
        "model.recompute_layers",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, recompute_layers = 1 }",
    ),
    change(
        "model.kept",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, kept = [\"context\"] }",
    ),
    change(
        "model.vocabulary_tiles",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, vocabulary_tiles = 2 }",
    ),
    change(
        "model.offloaded",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, offloaded = true }",
    ),
    change(
        "model.lora",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, lora = true }",
    ),
    change(
        "model.virtual_pipeline",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, virtual_pipeline = 2 }",
    ),
    change(
        "model.expert_tensor",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, expert_tensor = 2 }",
    ),
    change(
        "model.sequence_parallel",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, sequence_parallel = true }",
    ),
    change(
        "model.uneven_stages",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, uneven_stages = true }",
    ),
    change(
        "model.save_on_notice",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128 }",
        "model = { framework = \"fsdp\", layers = 2, hidden = 128, heads = 8, sequence = 128, save_on_notice = false }",
    ),
];
