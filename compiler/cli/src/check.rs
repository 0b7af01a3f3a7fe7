//! `slipform check`: everything that is wrong, and nothing written. What a target cannot express is found by rendering
//! in memory.

use crate::args::CheckArgs;
use crate::blueprint::Blueprint;
use crate::report;
use crate::stop::{ExitStatus, Stop};
use crate::Context;
use slipform_analysis::Analysis;
use slipform_model::Diagnostic;

pub(crate) fn run(args: &CheckArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = Vec::new();
    if args.env.is_empty() {
        let first = blueprint.analyse(None, false);
        let environments = first.project.iter().flat_map(|project| project.environments.clone());
        let environments: Vec<String> = environments.collect();
        match environments.as_slice() {
            [] | [_] => analyses.push(first),
            several => analyses.extend(several.iter().map(|env| blueprint.analyse(Some(env), false))),
        }
    } else {
        analyses.extend(args.env.iter().map(|env| blueprint.analyse(Some(env), false)));
    }
    for analysis in &mut analyses {
        render(analysis);
    }
    Ok(tell(&blueprint, &analyses, context))
}

/// Adds what the targets have to say, if there is something that they could render.
fn render(analysis: &mut Analysis) {
    if analysis.has_errors() {
        return;
    }
    if let Some(plan) = &analysis.plan {
        analysis.diagnostics.extend(slipform_targets::render(plan, &[]).diagnostics);
        analysis.diagnostics.sort_by_key(Diagnostic::span);
    }
}

/// Reports each problem once: what is wrong in every environment is not told for each of them.
fn tell(blueprint: &Blueprint, analyses: &[Analysis], context: &mut Context<'_, '_>) -> ExitStatus {
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut status = ExitStatus::Clean;
    for (at, analysis) in analyses.iter().enumerate() {
        let environment = analysis.project.as_ref().map(|project| project.environment.as_str());
        let mut fresh = Vec::new();
        for diagnostic in &analysis.diagnostics {
            if told.contains(diagnostic) {
                continue;
            }
            told.push(diagnostic.clone());
            let everywhere = analyses.iter().all(|other| other.diagnostics.contains(diagnostic));
            let mut diagnostic = diagnostic.clone();
            if let (false, Some(environment)) = (everywhere, environment) {
                diagnostic.help.push(format!("so it is in the environment `{environment}`"));
            }
            fresh.push(diagnostic);
        }
        report::located(context.console, context.format, &blueprint.places(analysis), &fresh);
        status = status.max(blueprint.status(analysis));
        if at + 1 == analyses.len() {
            report::summary(context.console, context.format, &format!("checked {}", blueprint.shown), &told);
        }
    }
    status
}
