//! Memory of nodes for checkpoints: what tells GKE which nodes keep how much of it, and in which bucket.

use super::context::{Context, pool_selector, pool_tolerations, text};
use super::kustomize::Stream;
use super::objects::{CheckpointsSpec, Meta, Object};
use super::text::quantity;
use slipform_model::plan::{Checkpoints, ClusterPlan};

/// One object a pool whose nodes keep checkpoints.
pub(crate) fn render(cx: &Context<'_>, cluster: &ClusterPlan) -> Stream {
    let mut stream = Stream::default();
    let facts = &cx.facts.checkpointing;
    for Checkpoints { pool, bucket: _, name, memory } in &cluster.checkpoints {
        let pool = cx.plan.get(*pool);
        let spec = CheckpointsSpec {
            cloud_storage_bucket_name: text(name),
            in_memory_volume_size: quantity(*memory).into(),
            node_selector: pool_selector(pool.plan),
            tolerations: pool_tolerations(pool.plan).collect(),
            gcs_fuse_mount_options: facts.mount_options.iter().map(|it| text(it)).collect(),
        };
        let meta = Meta::named(cx.dns(&pool.noun.path));
        let object = Object::new(text(&facts.api), "CheckpointConfiguration", meta, spec);
        stream.object(&pool.noun.origin, &object);
    }
    stream
}
