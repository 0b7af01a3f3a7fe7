//! What is wrong in the environments that are not chosen: whoever types is told before somebody builds them.

use crate::documents::Documents;
use crate::project::{Shown, options, reachable, show};
use crate::render::problems;
use crate::settings::Settings;
use camino::Utf8Path;
use slipform_analysis::{Analysis, Options, analyse, both_make};
use slipform_model::Diagnostic;
use slipform_source::{Sources, Span};
use std::collections::BTreeSet;

/// What is reported of a blueprint in its other environments, and not where it is looked at.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Elsewhere {
    /// As it is shown.
    pub(crate) shown: Shown,
    /// What of it has edits, in places of the analysis that is looked at.
    pub(crate) mends: Vec<Diagnostic>,
}

/// What is reported of a blueprint in its other environments, and not where it is looked at (`here`); and what two environments
/// would both make. Nothing where somebody `waits` for something else.
pub(crate) fn elsewhere(
    root: &Utf8Path,
    here: &Analysis,
    documents: &Documents,
    settings: &Settings,
    waits: &dyn Fn() -> bool,
) -> Option<Elsewhere> {
    let mut found = Elsewhere::default();
    let usual = options(root, settings, documents);
    // what is tested is told by its tests
    let Some(project) = here.project.as_ref().filter(|_| usual.test.is_none()) else {
        return Some(found);
    };
    let mut told: BTreeSet<String> = here.diagnostics.iter().map(|it| identity(here, it)).collect();
    let others = project.environments.iter().filter(|it| **it != project.environment);
    let there = |name: &String| {
        analyse(documents, &Options { environment: Some(name.clone()), ..usual.clone() })
    };
    let others = others.map(|name| (!waits()).then(|| (name, there(name))));
    let others: Vec<(&String, Analysis)> = others.collect::<Option<_>>()?;
    for (name, there) in &others {
        if waits() {
            return None;
        }
        let reported = there.diagnostics.iter().cloned().chain(problems(there));
        let new = reported.filter(|it| told.insert(identity(there, it)));
        let new: Vec<Diagnostic> = new
            .map(|mut it| {
                it.message = format!("in the environment `{name}`: {}", it.message);
                it
            })
            .collect();
        found.add(&new, there, here, documents, settings);
    }
    // a setting of the editor's is of no environment: what it makes alike is not compared
    if settings.set.is_empty() {
        let all: Vec<&Analysis> =
            std::iter::once(here).chain(others.iter().map(|(_, there)| there)).collect();
        for (at, both) in both_make(&all) {
            let Some(there) = all.get(at) else { continue };
            found.add(&[both], there, here, documents, settings);
        }
    }
    Some(found)
}

impl Elsewhere {
    fn add(
        &mut self,
        new: &[Diagnostic],
        there: &Analysis,
        here: &Analysis,
        documents: &Documents,
        settings: &Settings,
    ) {
        let project = there.project.as_ref();
        for (path, told) in show(new.iter(), &there.sources, project, documents, settings) {
            self.shown.entry(path).or_default().extend(told);
        }
        let new = new.iter().map(|it| reachable(it, &there.sources, project, documents));
        let with_edits = new.filter(|it| !it.fixes.is_empty());
        let placed =
            with_edits.filter_map(|it| placed(it.into_owned(), &there.sources, &here.sources));
        self.mends.extend(placed);
    }
}

/// A report in the places of another analysis; nothing where that reads another text.
fn placed(mut it: Diagnostic, from: &Sources, to: &Sources) -> Option<Diagnostic> {
    let place = |span: &mut Span| {
        let old = from.get(span.file)?;
        let file = to.find(&old.path)?;
        let is_same = *to.get(file)?.text == *old.text;
        *span = Span { file, ..*span };
        is_same.then_some(())
    };
    it.labels.iter_mut().try_for_each(|label| place(&mut label.span))?;
    let mut edits = it.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
    edits.try_for_each(|(span, _)| place(span))?;
    Some(it)
}

/// The same for what is reported twice.
fn identity(analysis: &Analysis, it: &Diagnostic) -> String {
    let place = it.span().map(|span| analysis.sources.line_ref(span)).unwrap_or_default();
    format!("{} {place} {}", it.code, it.message)
}
