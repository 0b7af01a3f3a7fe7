//! What targets cannot express, as diagnostics. Only a sound blueprint is rendered; a large one beside the loop.

use camino::Utf8PathBuf;
use crossbeam_channel::{Receiver, Sender, unbounded};
use slipform_analysis::Analysis;
use slipform_model::Diagnostic;
use slipform_targets::Artifact;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Up to so many nouns rendering takes less than the eye sees, so diagnostics wait for it and come all at once.
pub(crate) const AT_ONCE: usize = 100;

/// A blueprint to render.
pub(crate) struct Job {
    pub(crate) root: Utf8PathBuf,
    pub(crate) revision: u64,
    pub(crate) analysis: Arc<Analysis>,
}

/// What rendering a blueprint reported.
pub(crate) struct Rendered {
    pub(crate) root: Utf8PathBuf,
    pub(crate) revision: u64,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Renders on a thread of its own. Of several waiting jobs of one root the newest counts.
pub(crate) struct Renderer {
    jobs: Sender<Job>,
    pub(crate) done: Receiver<Rendered>,
}

impl Renderer {
    /// Starts the thread; it ends with the renderer.
    pub(crate) fn start() -> Self {
        let (jobs, waiting) = unbounded::<Job>();
        let (results, done) = unbounded();
        // Without a thread nothing is rendered, and no diagnostic of a target is shown for large blueprints.
        let _ = std::thread::Builder::new()
            .name("renderer".to_owned())
            .spawn(move || work(&waiting, &results));
        Self { jobs, done }
    }

    /// Renders a blueprint; what that reports comes through `done`.
    pub(crate) fn render(&self, job: Job) {
        let _ = self.jobs.send(job);
    }
}

/// What rendering a small blueprint reports; `None` for a large one.
pub(crate) fn at_once(analysis: &Analysis) -> Option<Vec<Diagnostic>> {
    let nouns = analysis.plan.as_ref().map_or(0, |plan| plan.model.nouns.len());
    (nouns <= AT_ONCE).then(|| rendered(analysis))
}

/// What a small blueprint renders to; nothing where it is large, or not sound.
pub(crate) fn artifacts(analysis: &Analysis) -> Vec<Artifact> {
    let plan = analysis.plan.as_ref().filter(|_| analysis.can_be_rendered());
    let Some(plan) = plan.filter(|plan| plan.model.nouns.len() <= AT_ONCE) else {
        return Vec::new();
    };
    let render = || slipform_targets::render(plan, &[]).artifacts;
    catch_unwind(AssertUnwindSafe(render)).unwrap_or_default()
}

fn work(waiting: &Receiver<Job>, results: &Sender<Rendered>) {
    while let Ok(first) = waiting.recv() {
        let mut newest: BTreeMap<Utf8PathBuf, Job> = BTreeMap::new();
        for job in std::iter::once(first).chain(waiting.try_iter()) {
            newest.insert(job.root.clone(), job);
        }
        for (root, job) in newest {
            let diagnostics = rendered(&job.analysis);
            if results.send(Rendered { root, revision: job.revision, diagnostics }).is_err() {
                return;
            }
        }
    }
}

fn rendered(analysis: &Analysis) -> Vec<Diagnostic> {
    let Some(plan) = analysis.plan.as_ref().filter(|_| analysis.can_be_rendered()) else {
        return Vec::new();
    };
    let render = || slipform_targets::render(plan, &[]).diagnostics;
    catch_unwind(AssertUnwindSafe(render)).unwrap_or_default()
}
