//! What becomes of a test when it is run.

use super::cases::{Case, Run, What, below};
use super::snapshots::{Failure, Rendered, Snapshots, kept_at, kept_of};
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::explain::codes;
use camino::Utf8Path;
use slipform_analysis::{
    Analysis, Said, TEST_EXPECTED, TEST_RENDERS, Test, expectations, explain_rules, no_noun,
    nouns_named, surprises,
};
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, NounId, Severity, nearest};
use slipform_source::{Sources, Span};
use slipform_targets::Artifact;
use std::collections::BTreeSet;

/// What came of a run.
pub(super) struct Outcome {
    /// Why it failed; without problems where it passed.
    pub(super) failure: Failure,
    /// The texts that the problems point into.
    pub(super) sources: Sources,
}

impl Case {
    /// Runs it.
    pub(super) fn run(&self, blueprint: &Blueprint, snapshots: &mut Snapshots<'_>) -> Outcome {
        match &self.what {
            What::Broken { diagnostics, sources, .. } => {
                snapshots.expect_below(&kept_of(below(&self.file)));
                Outcome::new(diagnostics.clone(), sources.clone())
            }
            What::Program => program(&self.file, blueprint),
            What::Project(run) => run.outcome(&self.file, blueprint, snapshots),
        }
    }
}

impl Outcome {
    fn new(problems: Vec<Diagnostic>, sources: Sources) -> Self {
        Self { failure: Failure { problems, differences: Vec::new() }, sources }
    }
}

/// A program is checked as `slipform check` does, and what its comments expect is taken off.
fn program(file: &Utf8Path, blueprint: &Blueprint) -> Outcome {
    let mut analysis = blueprint.analyse_test(file, None, &[], false);
    render(&mut analysis, &[]);
    let text = analysis.sources.find(file);
    let text = text.and_then(|id| Some((id, analysis.sources.get(id)?.text.clone())));
    let expected = text.map_or_else(Vec::new, |(id, text)| expectations(id, &text));
    let problems = surprises(&analysis.diagnostics, &expected, &analysis.sources);
    Outcome::new(problems, analysis.sources)
}

impl Run {
    fn outcome(
        &self,
        file: &Utf8Path,
        blueprint: &Blueprint,
        snapshots: &mut Snapshots<'_>,
    ) -> Outcome {
        let mut analysis =
            blueprint.analyse_test(file, self.environment.as_deref(), &self.set, true);
        let artifacts = render(&mut analysis, &[]);
        let test = analysis.tests.tests.iter().find(|test| test.name.value == self.test).cloned();
        let Some(test) = test else {
            // The file is another one by now, and what is wrong with it was found.
            return Outcome::new(analysis.diagnostics, analysis.sources);
        };
        let mut failure = Failure { problems: judged(&test, &analysis), ..Failure::default() };
        if !test.renders.is_empty() {
            let folder = kept_at(below(file), self);
            snapshots.expect_below(&folder);
            match &analysis.plan {
                Some(plan) if analysis.can_be_rendered() => {
                    let shown = Shown { plan, artifacts: &artifacts };
                    let mut nouns = Vec::new();
                    for said in &test.renders {
                        match shown.nouns(said, self) {
                            Ok(found) => nouns.extend(found),
                            Err(why) => failure.problems.push(*why),
                        }
                    }
                    let files = shown.files(&nouns);
                    snapshots.compare(&folder, &files, &test.renders, &mut failure);
                }
                _ => failure.problems.extend(unrendered(&test, &failure.problems)),
            }
        }
        for problem in &mut failure.problems {
            self.place(problem, &test, &analysis.sources);
        }
        failure.problems.sort_by_key(Diagnostic::span);
        Outcome { failure, sources: analysis.sources }
    }
}

impl Run {
    /// Puts what is wrong with a value where the test gives it.
    fn place(&self, problem: &mut Diagnostic, test: &Test, sources: &Sources) {
        let given = |span: Span| {
            let name = sources.get(span.file)?.path.as_str().strip_prefix("--set ")?;
            let (_, value) = self.set.iter().find(|(own, _)| own == name)?;
            let (_, values) = test.params.iter().find(|(own, _)| own.value == name)?;
            Some(values.iter().find(|said| said.value == *value)?.span)
        };
        problem.fixes.retain(|fix| fix.edits.iter().all(|(span, _)| given(*span).is_none()));
        for label in &mut problem.labels {
            label.span = given(label.span).unwrap_or(label.span);
        }
    }
}

/// What a run reports otherwise than its test says.
fn judged(test: &Test, analysis: &Analysis) -> Vec<Diagnostic> {
    let is_expected = |it: &Diagnostic| test.refused.iter().any(|code| code.value == it.code);
    let fails = |it: &&Diagnostic| {
        let own = analysis.tests.rules.contains(it.code.as_ref());
        (own || it.severity == Severity::Error) && !is_expected(it)
    };
    let mut problems: Vec<Diagnostic> =
        analysis.diagnostics.iter().filter(fails).cloned().collect();
    let found: BTreeSet<&str> = analysis.diagnostics.iter().map(|it| it.code.as_ref()).collect();
    let missing = test.refused.iter().filter(|code| !found.contains(code.value.as_str()));
    problems.extend(missing.map(|code| not_refused(code, &analysis.tests.known)));
    problems
}

fn not_refused(code: &Said, own: &BTreeSet<String>) -> Diagnostic {
    let rules = explain_rules();
    let known = codes().map(|it| it.name).chain(rules.iter().map(|it| it.code.as_str()));
    let known: Vec<&str> = known.chain(own.iter().map(String::as_str)).collect();
    let message = format!("nothing is refused by `{}`", code.value);
    let report = Diagnostic::error(TEST_EXPECTED, message, code.span).labelled("expected here");
    match nearest(&code.value, known.iter().copied()) {
        Some(near) if !known.contains(&code.value.as_str()) => {
            report.meant_text("a code", near, code.span)
        }
        _ => report,
    }
}

/// Where nothing is rendered though no error says why.
fn unrendered(test: &Test, problems: &[Diagnostic]) -> Option<Diagnostic> {
    let first = test.renders.first().filter(|_| problems.is_empty())?;
    let message = "nothing is rendered here: something is refused, or a parameter has no value";
    let report = Diagnostic::error(TEST_RENDERS, message, first.span);
    Some(report.help("write what is refused and what is rendered as two tests"))
}

/// A noun, as a test names it.
type Named<'s> = (NounId, &'s Said);

/// What nouns render to.
struct Shown<'a> {
    plan: &'a Plan,
    artifacts: &'a [Artifact],
}

impl Shown<'_> {
    /// The noun that a test names; all that a loop makes under one name.
    fn nouns<'s>(&self, said: &'s Said, run: &Run) -> Result<Vec<Named<'s>>, Box<Diagnostic>> {
        let found = nouns_named(self.plan, &said.value).map(|noun| (noun.id, said));
        let found: Vec<Named<'s>> = found.collect();
        if !found.is_empty() {
            let is_made = |(noun, _): &Named<'_>| {
                self.artifacts.iter().any(|artifact| artifact.nouns.contains(noun))
            };
            if found.iter().any(is_made) {
                return Ok(found);
            }
            let message = format!("`{}` renders to nothing of its own", said.value);
            return Err(Box::new(Diagnostic::error(TEST_RENDERS, message, said.span)));
        }
        Err(Box::new(no_noun(self.plan, said, run.environment.as_deref())))
    }

    /// The files that come from some nouns, of each the parts that do.
    fn files<'s>(&'s self, nouns: &[Named<'s>]) -> Vec<Rendered<'s>> {
        let mut found = Vec::new();
        for artifact in self.artifacts {
            let own = nouns.iter().filter(|(noun, _)| artifact.nouns.contains(noun));
            let own: Vec<&Named<'_>> = own.collect();
            let Some((_, noun)) = own.first() else { continue };
            let ids: BTreeSet<NounId> = own.iter().map(|(noun, _)| *noun).collect();
            let text = match own.iter().all(|(noun, _)| self.has_parts(*noun)) {
                true => self.parts(artifact, &ids),
                false => artifact.content.clone(),
            };
            if !text.is_empty() {
                found.push(Rendered { path: &artifact.path, text, noun });
            }
        }
        found
    }

    /// Whether the comments of any file say which of its parts a noun is rendered to.
    fn has_parts(&self, noun: NounId) -> bool {
        let of = BTreeSet::from([noun]);
        let mut own = self.artifacts.iter().filter(|artifact| artifact.nouns.contains(&noun));
        own.any(|artifact| !self.parts(artifact, &of).is_empty())
    }

    /// The parts of a file whose comments say that they come from some nouns: each reaches to the next one.
    fn parts(&self, artifact: &Artifact, nouns: &BTreeSet<NounId>) -> String {
        let origin = |id: &NounId| self.plan.model.get(*id).map(|noun| noun.origin.as_str());
        let all: BTreeSet<&str> = artifact.nouns.iter().filter_map(origin).collect();
        let own: BTreeSet<&str> = nouns.iter().filter_map(origin).collect();
        let mut is_own = false;
        let mut text = String::new();
        for line in artifact.content.split_inclusive('\n') {
            if let Some(comment) = line.trim_end().strip_prefix("# ").filter(|it| all.contains(it))
            {
                is_own = own.contains(comment);
            }
            if is_own {
                text.push_str(line);
            }
        }
        text
    }
}
