//! `slipform plan`: what applying another output does, told in nouns before anybody applies it.

mod again;
mod away;
mod because;
mod before;
mod comment;
mod cut;
mod documents;
mod elsewhere;
mod facts;
mod filled;
mod former;
mod given;
mod groups;
mod handed;
mod images;
mod line;
mod makes_way;
mod moved;
mod perhaps;
mod reach;
mod renamed;
mod revision;
mod secrets;
mod told;
mod turn;
mod words;

use crate::Context;
use crate::args::{MessageFormat, PlanArgs, PlanFormat};
use crate::blueprint::Blueprint;
use crate::check::{render, tell};
use crate::report;
use crate::stop::{ExitStatus, Stop};
use facts::Without;
use slipform_analysis::Analysis;
use slipform_changes::{File, changes};
use slipform_targets::Artifact;

pub(crate) use before::Before;
pub(crate) use former::{origins, paths_by_kind, place, places};
pub(crate) use groups::Groups;
pub(crate) use line::markup;
pub(crate) use reach::{rights, runs_by_noun};
pub(crate) use told::as_text;
pub(crate) use words::arrow;

slipform_source::codes! {
    pub(crate) CODES;
    PLAN_AGAINST = "plan/against":
        "there is nothing to compare with",
        "name a folder that was built, the folder of a blueprint, a revision of the repository, or a place in one (`origin/main:infra`); without `--against` build first";
    CHANGE_DESTROY = "change/destroy":
        "`plan` finds that applying a change destroys what is stored",
        "where it is meant, say so in the noun, with the reason: `allow change/destroy \"...\"`; a gate of `plan` lets the change pass that brings this word, and no later one";
    CHANGE_REPLACE = "change/replace":
        "`plan` finds that applying a change makes something anew, and that what runs there ends",
        "where it is meant, say so in the noun, with the reason: `allow change/replace \"...\"`; a gate of `plan` lets the change pass that brings this word, and no later one";
    CHANGE_MAY_REPLACE = "change/may-replace":
        "`plan` finds a change of which nobody knows what applying it does",
        "where `terraform plan` says that it is harmless, say so in the noun: `allow change/may-replace \"...\"`; a gate of `plan` lets the change pass that brings this word, and no later one";
    CHANGE_RESTART = "change/restart":
        "`plan` finds that applying a change starts nodes or pods anew",
        "where it is meant, say so in the noun, with the reason: `allow change/restart \"...\"`; a gate of `plan` lets the change pass that brings this word, and no later one";
    CHANGE_BY_HAND = "change/by-hand":
        "`plan` finds that a change needs commands besides an apply",
        "where somebody will give them, say so in the noun: `allow change/by-hand \"...\"`; a gate of `plan` lets the change pass that brings this word, and no later one";
}

pub(crate) fn run(args: &PlanArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = blueprint.analyses(&args.env, true);
    let rendered: Vec<Vec<Artifact>> =
        analyses.iter_mut().map(|analysis| render(analysis, &[])).collect();
    let format = context.format.of_changes().unwrap_or(PlanFormat::Human);
    if format == PlanFormat::Github && !analyses.iter().any(Analysis::has_errors) {
        // `check` annotates warnings: what is annotated here are changes
        context.format = MessageFormat::Human;
    }
    let checked = tell(&blueprint, &analyses, context);
    if checked.status != ExitStatus::Clean {
        let what = format!("nothing planned for {}", blueprint.shown);
        report::summary(context.console, context.format, &what, &checked.diagnostics);
        return Ok(checked.status);
    }
    let several = analyses.len() > 1;
    let mut told: Vec<(Groups, &Analysis)> = Vec::new();
    let mut others: Vec<Before> = Vec::new();
    for (analysis, artifacts) in analyses.iter().zip(&rendered) {
        let before = Before::find(args, &blueprint, analysis, several, context)?;
        let away = away::away(&before, artifacts);
        let old = away::known(&before, &away);
        let new = files(artifacts);
        let mut found = changes(&old, &new);
        let kept = handed::tell(&mut found, (&before, &old), (analysis, &new));
        moved::tell(&mut found, (&before, &old), (analysis, artifacts));
        secrets::tell(&mut found, &before, (analysis, artifacts));
        moved::name_clusters(&mut found, &before, (analysis, artifacts));
        filled::tell(&mut found, &before, analysis);
        let without = Without::find(&before, &blueprint, analysis, &old);
        let mut advice = perhaps::renamed(&before, &blueprint, analysis, &old, &found);
        advice.extend(kept);
        advice.extend(analysis.plan.iter().flat_map(|plan| images::advice(plan, &old, &found)));
        let mut groups = Groups::of(&before, analysis, found, artifacts, without.as_ref());
        groups.tell_apart(&before, analysis, artifacts, &away);
        groups.advise(advice);
        makes_way::tell(&mut groups, &before, analysis, (&old, &new));
        because::tell(&mut groups, &before, (&blueprint, analysis), &old);
        told.push((groups, analysis));
        others.push(before);
    }
    let gone = elsewhere::gone_environments(args, &blueprint, &analyses, &others, context)?;
    told.extend(gone.into_iter().zip(analyses.iter().cycle()));
    told::tell(&told, &blueprint, format, context);
    let reached = told.iter().any(|(groups, _)| groups.reaches(args.fail_on));
    Ok(if reached { ExitStatus::Different } else { ExitStatus::Clean })
}

/// Artifacts as those who compare two outputs read them.
pub(crate) fn files(artifacts: &[Artifact]) -> Vec<File<'_>> {
    let files = artifacts.iter();
    files.map(|it| File { path: it.path.as_str(), text: it.content.as_str() }).collect()
}

/// What is explained of changes that a noun may allow.
#[cfg(test)]
const ALLOWED: [slipform_source::Code; 5] =
    [CHANGE_DESTROY, CHANGE_REPLACE, CHANGE_MAY_REPLACE, CHANGE_RESTART, CHANGE_BY_HAND];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_allowed_is_explained() {
        let explained: Vec<&str> = ALLOWED.iter().map(|code| code.name).collect();
        assert_eq!(explained, slipform_changes::allowances().collect::<Vec<_>>());
    }
}
