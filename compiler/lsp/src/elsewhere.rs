//! What is wrong in the environments that are not chosen: whoever types is told before somebody builds them.

use crate::documents::Documents;
use crate::project::{Shown, options, show};
use crate::render::problems;
use crate::settings::Settings;
use camino::Utf8Path;
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::Diagnostic;
use std::collections::BTreeSet;

/// What is reported of a blueprint in its other environments, and not where it is looked at (`here`).
pub(crate) fn elsewhere(
    root: &Utf8Path,
    here: &Analysis,
    documents: &Documents,
    settings: &Settings,
) -> Shown {
    let mut shown = Shown::new();
    let usual = options(root, settings, documents);
    // what is tested is told by its tests
    let Some(project) = here.project.as_ref().filter(|_| usual.test.is_none()) else {
        return shown;
    };
    let mut told: BTreeSet<String> = here.diagnostics.iter().map(|it| identity(here, it)).collect();
    for name in project.environments.iter().filter(|it| **it != project.environment) {
        let environment = Some(name.clone());
        let there = analyse(documents, &Options { environment, ..usual.clone() });
        let reported = there.diagnostics.iter().cloned().chain(problems(&there));
        let new = reported.filter(|it| told.insert(identity(&there, it)));
        let new: Vec<Diagnostic> = new
            .map(|mut it| {
                it.message = format!("in the environment `{name}`: {}", it.message);
                it
            })
            .collect();
        let project = there.project.as_ref();
        for (path, found) in show(new.iter(), &there.sources, project, documents, settings) {
            shown.entry(path).or_default().extend(found);
        }
    }
    shown
}

/// The same for what is reported twice.
fn identity(analysis: &Analysis, it: &Diagnostic) -> String {
    let place = it.span().map(|span| analysis.sources.line_ref(span)).unwrap_or_default();
    format!("{} {place} {}", it.code, it.message)
}
