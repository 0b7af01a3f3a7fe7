//! Facts of GPUs that attach to machines of a pool.

use super::pool::both;
use crate::NounId;
use crate::catalog::ZoneOffer;
use crate::nouns::Attached;
use crate::plan::Plan;

/// The GPUs that attach to the machines of a pool.
pub(super) fn attached_gpu(plan: &Plan, id: NounId) -> Option<Option<&'static str>> {
    let (body, _) = both(plan, id)?;
    Some(body.gpus.map(|it| {
        let Attached::Attached { gpu, .. } = it.value;
        gpu.as_str()
    }))
}

/// Where these are.
pub(super) fn gpus_offer(plan: &Plan, id: NounId) -> Option<Option<&ZoneOffer>> {
    let gpu = attached_gpu(plan, id)?;
    Some(gpu.and_then(|gpu| plan.model.catalog.offer_of(gpu)))
}

/// How many of the GPUs that a pool names Compute Engine attaches to its machine.
pub(super) fn attachable(plan: &Plan, id: NounId) -> Option<Vec<i64>> {
    let (body, pool) = both(plan, id)?;
    let Some(Attached::Attached { gpu, .. }) = body.gpus.map(|it| it.value) else {
        return Some(Vec::new());
    };
    let machine = &pool.machine;
    let row = plan.model.catalog.attachable(gpu.as_str());
    let rows = row.filter(|row| row.series == machine.series);
    let fits = rows.into_iter().flat_map(|row| &row.counts).filter(|it| {
        it.max_vcpus >= machine.vcpus && f64::from(it.max_memory_gib) >= machine.memory_gib
    });
    Some(fits.map(|it| i64::from(it.count)).collect())
}
