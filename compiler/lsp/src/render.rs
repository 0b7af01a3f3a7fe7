//! What targets cannot express, as diagnostics. Only a sound blueprint is rendered; a large one beside the loop.

use crate::documents::Documents;
use crate::elsewhere::{Elsewhere, elsewhere};
use crate::files::Files;
use crate::settings::Settings;
use camino::Utf8PathBuf;
use crossbeam_channel::{Receiver, Sender, unbounded};
use slipform_analysis::Analysis;
use slipform_model::Diagnostic;
use slipform_model::plan::Plan;
use slipform_targets::Output;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Up to so many nouns rendering takes less than the eye sees, so diagnostics wait for it and come all at once.
const AT_ONCE: usize = 100;

/// A blueprint to render, with the texts that it is made of.
pub(crate) struct Job {
    pub(crate) root: Utf8PathBuf,
    pub(crate) revision: u64,
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) documents: Documents,
    pub(crate) settings: Settings,
}

/// What rendering a blueprint reported.
pub(crate) struct Rendered {
    pub(crate) root: Utf8PathBuf,
    pub(crate) revision: u64,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The files; nothing of a blueprint that is not sound.
    pub(crate) files: Option<Files>,
    /// What is wrong in its other environments.
    pub(crate) elsewhere: Elsewhere,
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

/// Whether a blueprint has so many nouns that rendering it takes a while.
pub(crate) fn is_large(analysis: &Analysis) -> bool {
    analysis.plan.as_ref().is_some_and(|plan| plan.model.nouns.len() > AT_ONCE)
}

/// What a blueprint renders to, and what the targets report; nothing where it is not sound.
pub(crate) fn rendered(analysis: &Analysis) -> Output {
    of_targets(analysis, |plan| slipform_targets::render(plan, &[]))
}

/// What the targets report of a blueprint.
pub(crate) fn problems(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut found = of_targets(analysis, slipform_targets::problems);
    slipform_analysis::cut(&analysis.sources, &analysis.trees, &mut found);
    found
}

fn of_targets<T: Default>(analysis: &Analysis, ask: impl FnOnce(&Plan) -> T) -> T {
    match analysis.plan.as_ref().filter(|_| analysis.can_be_rendered()) {
        Some(plan) => catch_unwind(AssertUnwindSafe(|| ask(plan))).unwrap_or_default(),
        None => T::default(),
    }
}

fn work(waiting: &Receiver<Job>, results: &Sender<Rendered>) {
    while let Ok(first) = waiting.recv() {
        let mut newest: BTreeMap<Utf8PathBuf, Job> = BTreeMap::new();
        for job in std::iter::once(first).chain(waiting.try_iter()) {
            newest.insert(job.root.clone(), job);
        }
        for (root, job) in newest {
            let Job { revision, analysis, documents, settings, .. } = job;
            let output = rendered(&analysis);
            let files =
                analysis.can_be_rendered().then(|| Files::new(&analysis, &output.artifacts));
            let mut diagnostics = output.diagnostics;
            slipform_analysis::cut(&analysis.sources, &analysis.trees, &mut diagnostics);
            let elsewhere = elsewhere(&root, &analysis, &documents, &settings, &|| false);
            let elsewhere = elsewhere.unwrap_or_default();
            let rendered = Rendered { root, revision, diagnostics, files, elsewhere };
            if results.send(rendered).is_err() {
                return;
            }
        }
    }
}
