//! Workloads of GKE clusters, as commands name them.

use super::Files;
use crate::{Stage, shell};
use serde::Serialize;
use slipform_model::nouns::{Capacity, Cohort, Displace, Pool, Preemption, Queue, Ref, Workload};
use slipform_model::plan::{Planned, Run, Sound};
use std::collections::BTreeMap;

/// A workload on a GKE cluster.
#[derive(Serialize)]
pub(super) struct JobSet<'a> {
    name: &'a str,
    pub(super) namespace: &'a str,
    folder: String,
    overlay: String,
    pub(super) fill: bool,
    /// The replicated job whose first pod tells the result.
    main: &'a str,
    /// What the blueprint says of it.
    doc: Option<&'a str>,
    /// Kueue admits it.
    pub(super) admitted: bool,
    /// Its nodes may come through a request of its own.
    pub(super) queued: bool,
    /// The command that takes it away.
    away: String,
}

impl<'a> Files<'a> {
    /// A workload with its overlay: there is one for the environment that is built.
    pub(super) fn job_set<'p>(
        &self,
        plan: Sound<'p>,
        workload: Planned<'p, Workload>,
    ) -> Option<JobSet<'p>> {
        let (noun, run) = (workload.noun, workload.plan);
        let site = run.gke()?;
        let folder = Stage::Workload(run.name.clone()).folder().into_string();
        let overlay = self.within(&folder).find_map(|path| path.strip_prefix("overlays/"))?;
        let overlay = format!("{folder}/overlays/{}", overlay.split('/').next()?);
        let fill = self.has(&folder, "base/fill-deferred.sh");
        Some(JobSet {
            name: &run.name,
            namespace: &site.namespace,
            away: away(&run.name, &site.namespace, &overlay, fill),
            folder,
            overlay,
            fill,
            main: &run.lead().role,
            doc: noun.doc.as_deref(),
            admitted: site.queue.is_some(),
            queued: site.queue.is_some() && plan.selected(&run.lead().pod.selection).any(asks),
        })
    }
}

/// A kustomization with deferred values cannot be built where they were never filled in, such as in another clone.
fn away(name: &str, namespace: &str, overlay: &str, fill: bool) -> String {
    if !fill {
        return format!("kubectl delete -k {} --ignore-not-found", shell::quote(overlay));
    }
    let (name, namespace) = (shell::quote(name), shell::quote(namespace));
    format!("kubectl delete jobset {name} --namespace={namespace} --ignore-not-found")
}

/// Whether nodes of a pool are asked for, workload by workload.
fn asks(pool: Planned<'_, Pool>) -> bool {
    matches!(pool.body.capacity.value, Capacity::Queued { .. })
}

/// What else takes nodes from these workloads than a priority: runs that come later, and queues that take back what they lent.
pub(super) fn giving_way<'a>(plan: Sound<'_>, runs: impl Iterator<Item = &'a Run>) -> Vec<String> {
    let mut queues: BTreeMap<Ref<Queue>, Vec<&str>> = BTreeMap::new();
    for run in runs {
        if let Some(queue) = run.queue() {
            queues.entry(queue).or_default().push(&run.name);
        }
    }
    let mut found = Vec::new();
    for (queue, runs) in queues {
        let Planned { body, plan: queue, .. } = plan.get(queue);
        let runs = format!("`{}`", runs.join("`, `"));
        if body.preemption == Preemption::LowerOrNewer {
            found.push(format!(
                "In `{}` a run also stops those of its own priority that were submitted after it: {runs}.",
                queue.name
            ));
        }
        if body.stop.is_some() {
            found.push(format!("`{}` is stopped, and admits none of these: {runs}.", queue.name));
        }
        let displaces = |it: &Cohort| *it.displace() != Displace::Bool(false);
        if body.cohort.as_ref().is_some_and(displaces) {
            found.push(format!(
                "What `{}` has to borrow it takes from runs of lower priority in other queues that borrow, too, which are stopped for: {runs}.",
                queue.name
            ));
        }
        let borrows = body.cohort.as_ref().is_some_and(|cohort| cohort.borrow() != Some(0));
        if let Some(cohort) = queue.cohort.as_ref().filter(|_| borrows) {
            found.push(format!(
                "Beyond what `{}` holds, its runs are on what other queues of `{}` lend, and are stopped when these take it back: {runs}.",
                queue.name,
                cohort
            ));
        }
    }
    found
}

/// The runs of a queue by the weight of their priority, the heaviest first, with its name.
type Ranks<'a> = BTreeMap<i64, (&'a str, Vec<&'a str>)>;

/// Which of these workloads take the place of which others: those of one queue with unlike priorities.
pub(super) fn precedence<'a>(
    plan: Sound<'_>,
    runs: impl Iterator<Item = &'a Run>,
) -> Option<String> {
    let mut queues: BTreeMap<Ref<Queue>, Ranks<'_>> = BTreeMap::new();
    for run in runs {
        let Some(site) = run.gke() else { continue };
        let Some(id) = site.queue else { continue };
        let queue = plan.get(id).body;
        let Some(priority) = site.priority.as_deref().filter(|_| queue.preemption.happens()) else {
            continue;
        };
        let Some(weight) = queue.priorities.get(priority) else { continue };
        let ranks = queues.entry(id).or_default();
        ranks.entry(-weight).or_insert((priority, Vec::new())).1.push(&run.name);
    }
    let unlike = queues.values().filter(|ranks| ranks.len() > 1);
    let lines = unlike.map(|ranks| {
        let rank = |(name, runs): &(&str, Vec<&str>)| format!("`{}` ({name})", runs.join("`, `"));
        ranks.values().map(rank).collect::<Vec<_>>().join(" before ")
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}
