//! What Kubernetes refuses of pods in the namespace of a team: whoever may make pods that have the node is root on it, with the pods of
//! every other team there.

use super::context::Context;
use super::words;
use slipform_model::NounId;
use slipform_model::catalog::{GkeStack, VolumeKind};
use slipform_model::nouns::{GkeCluster, Pool, Queue, Workload};
use slipform_model::plan::{Gang, Planned, PoolPlan, Source};

/// The label by which a namespace of a team is held to the baseline of Pod Security: enforced where nothing that runs there by the blueprint, or
/// on its queues' pools by what these need, asks for more; a warning to whoever applies it elsewhere.
pub(super) fn label(
    cx: &Context<'_>,
    cluster: Planned<'_, GkeCluster>,
    namespace: &str,
) -> (&'static str, &'static str) {
    let asks = pools(cx, cluster.noun.id, namespace).into_iter().any(needs_node)
        || cx.plan.all::<Workload>().any(|run| asks_for_node(cluster, run, namespace));
    (if asks { words::SECURITY_WARNS } else { words::SECURITY_ENFORCED }, words::BASELINE)
}

/// The pools of the queues of a namespace; all of the cluster where it has none.
fn pools<'a>(cx: &Context<'a>, cluster: NounId, namespace: &str) -> Vec<&'a PoolPlan> {
    let serves = |queue: &Queue| queue.namespaces.iter().any(|it| it.value == namespace);
    let queues = cx.plan.inside::<Queue>(cluster).filter(|queue| serves(queue.body));
    let own: Vec<&PoolPlan> = queues
        .flat_map(|queue| queue.body.pools.iter().map(|pool| cx.plan.get(pool.value).plan))
        .collect();
    if own.is_empty() {
        cx.plan.inside::<Pool>(cluster).map(|pool| pool.plan).collect()
    } else {
        own
    }
}

/// Whether pods on a pool ask for folders or capabilities of the node: those of a fabric, and of TPUs, which are on the node's network.
fn needs_node(pool: &PoolPlan) -> bool {
    let stack = pool.stack.as_ref().and_then(|stack| stack.gke.as_ref());
    pool.machine.tpu.is_some() || stack.is_some_and(has_node)
}

fn has_node(stack: &GkeStack) -> bool {
    let daemon = stack.daemon.iter().any(|daemon| !daemon.capabilities.is_empty());
    let folders = stack.volumes.iter().any(|volume| volume.kind == VolumeKind::HostPath);
    daemon || folders || !stack.capabilities.is_empty()
}

/// Whether a run in the namespace says so itself. What a patch adds is not looked into.
fn asks_for_node(
    cluster: Planned<'_, GkeCluster>,
    run: Planned<'_, Workload>,
    namespace: &str,
) -> bool {
    let is_there = run
        .plan
        .gke()
        .is_some_and(|site| site.cluster.id() == cluster.noun.id && site.namespace == namespace);
    is_there && (!run.noun.patches.is_empty() || run.plan.gangs().any(has))
}

fn has(gang: &Gang) -> bool {
    let pod = &gang.pod;
    let mut mounts = gang.program.mounts.iter();
    pod.privileged
        || pod.host_network
        || !pod.capabilities.is_empty()
        || mounts.any(|mount| matches!(mount.source.value, Source::HostPath { .. }))
}
