//! Nodes that a pool may give back from now on, and that its runs fill: the autoscaler takes none of them.

use super::before::Before;
use super::reach::on_any;
use super::renamed::Sides;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect};
use slipform_model::NounId;
use slipform_model::plan::Plan;

/// What the autoscaler measures nodes by that have some; nodes with TPUs it measures by processors and memory.
const GPU: &str = "nvidia.com/gpu";

/// What is told of them.
const FILLED: &str = "; the runs here ask for half of a node or more, which keeps theirs";

/// Takes no run for interrupted that asks for half of its node's GPUs or more: that is what the autoscaler goes by.
pub(super) fn tell(found: &mut [Change], before: &Before, now: &Analysis) {
    let sides = Sides::of(before, now);
    for change in found.iter_mut().filter(|it| it.frees_idle_nodes()) {
        let (is, was) = sides.of_origin(&change.origin);
        let side = sides.then.zip(was).or_else(|| sides.now.zip(is));
        if side.is_some_and(|(plan, pool)| is_filled(plan, pool.id)) {
            change.effect = Effect::InPlace;
            change.why.push_str(FILLED);
        }
    }
}

/// Whether runs are on a pool, and each node of them is taken by half at least.
fn is_filled(plan: &Plan, pool: NounId) -> bool {
    let Some(count) = plan.pool(pool).filter(|it| it.resource.as_deref() == Some(GPU)) else {
        return false;
    };
    let runs = on_any(plan, |id| id == pool);
    let fills = |run: &NounId| {
        plan.gang(*run).is_some_and(|gang| gang.chips_per_node * 2 >= count.resource_count)
    };
    !runs.is_empty() && runs.iter().all(fills)
}
