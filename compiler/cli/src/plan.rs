//! `slipform plan`: what applying another output does, told in nouns before anybody applies it.

mod before;
mod groups;
mod told;

use crate::Context;
use crate::args::{MessageFormat, PlanArgs, PlanFormat};
use crate::blueprint::Blueprint;
use crate::check::{render, tell};
use crate::report;
use crate::stop::{ExitStatus, Stop};
use before::Before;
use groups::Groups;
use slipform_changes::{File, changes};
use slipform_targets::Artifact;

slipform_source::codes! {
    pub(crate) CODES;
    PLAN_AGAINST = "plan/against":
        "there is nothing to compare with",
        "name a folder that was built, the folder of a blueprint, or a revision of the repository; without `--against` build first";
}

pub(crate) fn run(args: &PlanArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = blueprint.analyses(&args.env, true);
    let rendered: Vec<Vec<Artifact>> =
        analyses.iter_mut().map(|analysis| render(analysis, &[])).collect();
    let told = tell(&blueprint, &analyses, context);
    if told.status != ExitStatus::Clean {
        let what = format!("nothing planned for {}", blueprint.shown);
        report::summary(context.console, context.format, &what, &told.diagnostics);
        return Ok(told.status);
    }
    let several = analyses.len() > 1;
    let mut status = ExitStatus::Clean;
    for (analysis, artifacts) in analyses.iter().zip(&rendered) {
        let before = Before::find(args, &blueprint, analysis, several, context)?;
        let old: Vec<File<'_>> =
            before.files.iter().map(|(path, text)| File { path, text }).collect();
        let new: Vec<File<'_>> = artifacts
            .iter()
            .map(|it| File { path: it.path.as_str(), text: it.content.as_str() })
            .collect();
        let found = changes(&old, &new);
        let groups = Groups::of(&before, analysis, found, &new);
        told::tell(&groups, &blueprint, analysis, format(args, context), context);
        if groups.reaches(args.fail_on) {
            status = ExitStatus::Different;
        }
    }
    Ok(status)
}

/// As it is asked for; programs that read diagnostics as JSON, and workflows, get the changes in the same way.
fn format(args: &PlanArgs, context: &Context<'_, '_>) -> PlanFormat {
    args.format.unwrap_or(match context.format {
        MessageFormat::Json => PlanFormat::Json,
        MessageFormat::Github => PlanFormat::Github,
        _ => PlanFormat::Human,
    })
}
