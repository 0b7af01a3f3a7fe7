//! `slipform check`: everything that is wrong, and nothing written. What a target cannot express is found by rendering
//! in memory.

use crate::Context;
use crate::args::CheckArgs;
use crate::blueprint::Blueprint;
use crate::report::{self, Found};
use crate::stop::{ExitStatus, Stop};
use crate::watch::{leave, watch};
use slipform_analysis::Analysis;
use slipform_model::Diagnostic;
use slipform_model::plan::Plan;
use slipform_source::Span;
use slipform_targets::{Artifact, Output};
use std::collections::BTreeSet;

pub(crate) fn run(args: &CheckArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    match args.watch {
        true => watch(context, |context| once(args, context)),
        false => once(args, context),
    }
}

fn once(args: &CheckArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = blueprint.analyses(&args.env, false);
    for analysis in &mut analyses {
        with_targets(analysis, |plan| ((), slipform_targets::problems(plan)));
    }
    compare_environments(&blueprint, &mut analyses);
    let told = tell(&blueprint, &analyses, context);
    let what = format!("checked {}", blueprint.shown);
    report::summary(context.console, context.format, &what, &told.diagnostics);
    leave(analyses, args.watch);
    Ok(told.status)
}

/// What was reported, and what it amounts to.
pub(crate) struct Told {
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) status: ExitStatus,
}

/// The artifacts of an analysis without errors; what the targets have to say is added to it.
pub(crate) fn render(analysis: &mut Analysis, targets: &[&str]) -> Vec<Artifact> {
    with_targets(analysis, |plan| {
        let Output { artifacts, diagnostics, .. } = slipform_targets::render(plan, targets);
        (artifacts, diagnostics)
    })
}

/// Asks the targets about an analysis without errors, and adds what they have to say to it.
fn with_targets<T: Default>(
    analysis: &mut Analysis,
    ask: impl FnOnce(&Plan) -> (T, Vec<Diagnostic>),
) -> T {
    // The trees of a large fleet weigh more than what is rendered from it, and nothing asks for them any more.
    analysis.trees = Vec::new();
    let (made, mut found) = match &analysis.plan {
        Some(plan) if analysis.can_be_rendered() => ask(plan),
        _ => return T::default(),
    };
    slipform_analysis::cut(&analysis.sources, &analysis.trees, &mut found);
    analysis.diagnostics.extend(found);
    analysis.diagnostics.sort_by_key(Diagnostic::span);
    made
}

/// Reports what environments that were asked for would make that others of the project make too. What is set on the command line
/// belongs to one run and to no environment; then nothing is compared.
pub(crate) fn compare_environments(blueprint: &Blueprint, analyses: &mut [Analysis]) {
    if blueprint.has_settings() {
        return;
    }
    let project = analyses.iter().find_map(|analysis| analysis.project.as_ref());
    let known: Vec<String> = project.map_or_else(Vec::new, |project| project.environments.clone());
    let asked = |name: &&String| {
        let mut asked = analyses.iter().filter_map(|analysis| analysis.project.as_ref());
        asked.any(|project| project.environment == **name)
    };
    let others = known.iter().filter(|name| known.len() > 1 && !asked(name));
    let others: Vec<Analysis> = others.map(|name| blueprint.analyse(Some(name), false)).collect();
    // each pair is told once, at the later one: at one that was asked for
    let all: Vec<&Analysis> = others.iter().chain(analyses.iter()).collect();
    let told = slipform_analysis::both_make(&all);
    let own = told.into_iter().filter_map(|(at, it)| Some((at.checked_sub(others.len())?, it)));
    for (at, report) in own.collect::<Vec<_>>() {
        analyses.get_mut(at).into_iter().for_each(|it| it.diagnostics.push(report.clone()));
    }
}

/// Reports each problem once: what is wrong in every environment is not told for each of them.
pub(crate) fn tell(
    blueprint: &Blueprint,
    analyses: &[Analysis],
    context: &mut Context<'_, '_>,
) -> Told {
    let problems: Vec<BTreeSet<Key<'_>>> =
        analyses.iter().map(|analysis| analysis.diagnostics.iter().map(key).collect()).collect();
    let mut told: BTreeSet<Key<'_>> = BTreeSet::new();
    let mut found = Vec::new();
    let mut status = ExitStatus::Clean;
    for analysis in analyses {
        let fresh = analysis.diagnostics.iter().filter(|diagnostic| told.insert(key(diagnostic)));
        let fresh: Vec<Diagnostic> = fresh
            .map(|diagnostic| {
                let everywhere = problems.iter().all(|known| known.contains(&key(diagnostic)));
                if everywhere { diagnostic.clone() } else { in_environment(diagnostic, analysis) }
            })
            .collect();
        status = status.max(blueprint.status(analysis));
        found.push(Found { places: blueprint.places(analysis), diagnostics: fresh });
    }
    report::located(context.console, context.format, &found);
    Told { diagnostics: found.into_iter().flat_map(|it| it.diagnostics).collect(), status }
}

/// What makes a problem the same in two environments.
type Key<'a> = (Option<Span>, &'a str, &'a str);

fn key(diagnostic: &Diagnostic) -> Key<'_> {
    (diagnostic.span(), &diagnostic.code, &diagnostic.message)
}

fn in_environment(diagnostic: &Diagnostic, analysis: &Analysis) -> Diagnostic {
    let environment = analysis.project.as_ref().map_or("default", |project| &project.environment);
    diagnostic.clone().help(format!("so it is in the environment `{environment}`"))
}
