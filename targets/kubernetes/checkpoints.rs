//! Memory of nodes for checkpoints: what tells GKE which nodes keep how much of it, and in which bucket.

use super::context::{Context, pool_selector, pool_tolerations, text};
use super::kustomize::Stream;
use super::objects::{CheckpointsSpec, Meta, Object};
use super::text::quantity;
use super::volumes::FILE_CACHE;
use slipform_model::plan::{Checkpoints, ClusterPlan};

/// What a change of the object takes.
const ONCE: &str = "GKE reads this once: after a change, and with no run on its nodes, `kubectl delete checkpointconfiguration`, then apply again.\nWhat the nodes keep in memory is gone then; the bucket has it.";

/// One object a pool whose nodes keep checkpoints.
pub(crate) fn render(cx: &Context<'_>, cluster: &ClusterPlan) -> Stream {
    let mut stream = Stream::default();
    let facts = &cx.facts.checkpointing;
    for Checkpoints { pool, bucket: _, name, memory } in &cluster.checkpoints {
        let pool = cx.plan.get(*pool);
        // on the disk that a node starts from files are not kept
        let disks = pool.plan.has_scratch_disks();
        let options = facts.mount_options.iter();
        let options = options.filter(|it| disks || !it.starts_with(FILE_CACHE));
        let spec = CheckpointsSpec {
            cloud_storage_bucket_name: text(name),
            in_memory_volume_size: quantity(*memory).into(),
            node_selector: pool_selector(pool.plan),
            tolerations: pool_tolerations(pool.plan).collect(),
            gcs_fuse_mount_options: options.map(|it| text(it)).collect(),
        };
        let meta = Meta::named(cx.dns(&pool.noun.outside.path));
        let object = Object::new(text(&facts.api), "CheckpointConfiguration", meta, spec);
        let origin = &pool.noun.origin;
        let note = format!("{origin}\n{ONCE}");
        stream.object(&note, &object);
    }
    stream
}
