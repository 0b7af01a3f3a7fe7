//! Kubernetes on GKE: for each cluster a Kustomize folder with what it holds before any workload, and for each workload
//! a JobSet with an overlay for the environment.
//!
//! Every folder builds alone with `kubectl kustomize`. Objects are typed structs; a tree is made only where a `patch`
//! changes one. Versions, images and limits are the catalog's. What cannot be expressed is a diagnostic at the place
//! that asked for it, and is never left out silently.

mod access;
mod chart;
mod checkpoints;
mod checks;
pub(crate) mod cluster;
mod context;
mod counted;
mod coverage;
pub(crate) mod deferred;
mod fabric;
mod failure;
mod flavor;
mod guarded;
pub(crate) mod held;
mod installer;
mod jobset;
mod kustomize;
pub(crate) mod launch;
mod manager;
mod network;
mod objects;
pub(crate) mod patch;
pub(crate) mod pod;
mod queue;
mod resources;
mod setup;
mod slicing;
pub(crate) mod storage;
mod text;
mod topology;
pub(crate) mod volumes;
mod words;
mod workers;
mod workload;

pub(crate) use coverage::COVERAGE;

use crate::{Output, Target};
use context::Context;
use kustomize::Stream;
use slipform_model::nouns::{GkeCluster, Workload};
use slipform_model::plan::Sound;

/// JobSet, Kueue and Kustomize on GKE.
pub struct Kubernetes;

impl Target for Kubernetes {
    fn name(&self) -> &'static str {
        "kubernetes"
    }

    fn about(&self) -> &'static str {
        "Kustomize folders with JobSets, Kueue queues, networks and volumes for GKE"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        patch::PATCHES
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        let cx = Context::new(plan);
        for cluster in plan.all::<GkeCluster>() {
            cluster::render(&cx, cluster, out);
        }
        let workloads: Vec<_> = plan.all::<Workload>().collect();
        for part in in_parts(&workloads, out, |part, out| {
            let mut stream = Stream::to(out);
            for workload in part {
                workload::render(&cx, *workload, &mut stream, out);
            }
        }) {
            out.artifacts.extend(part.artifacts);
            out.diagnostics.extend(part.diagnostics);
        }
    }
}

/// Renders a list in parts of even size, one a processor, and gives what came of each in their order: the same as one
/// part would give, whatever the number of processors.
fn in_parts<T: Sync>(
    items: &[T],
    whole: &Output,
    render: impl Fn(&[T], &mut Output) + Sync,
) -> Vec<Output> {
    /// Fewer are rendered faster than a thread starts.
    const LEAST: usize = 64;
    let rendered = |part: &[T]| {
        let mut out = whole.part();
        render(part, &mut out);
        out
    };
    // The question takes longer than a small blueprint: the answer lies in several files.
    if items.len() <= LEAST {
        return vec![rendered(items)];
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let size = items.len().div_ceil(processors).max(LEAST);
    let mut parts = items.chunks(size);
    let own = parts.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.map(|part| scope.spawn(|| rendered(part))).collect();
        // here, where memory is free that the analysis had
        let first = rendered(own);
        let joined = threads.into_iter().map(|thread| thread.join());
        let others =
            joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}
