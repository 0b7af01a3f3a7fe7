//! Environments beside each other: what two of them would make under one name, only one of them can.

use crate::{Analysis, Setting};
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

slipform_source::codes! {
    pub(crate) CODES;
    PROJECT_ENVIRONMENTS = "project/environments":
        "two environments would make something under the same name in the same place; the second apply is refused half way",
        "give each environment a project of its own, or let names contain a parameter that differs between them";
}

/// How many names a report spells out.
const SPELLED: usize = 3;

/// What environments of one project would make that one before them in the list would make too, each pair once, with the place in the
/// list of the one that is told.
pub fn both_make(analyses: &[&Analysis]) -> Vec<(usize, Diagnostic)> {
    let met = meetings(analyses.iter().map(|it| it.plan.as_ref()));
    let pairs = met.iter().flat_map(|(at, others)| {
        others.iter().filter(move |other| *other < at).map(move |other| (*at, *other))
    });
    let told =
        |(at, other): (usize, usize)| Some((at, beside(analyses.get(at)?, analyses.get(other)?)?));
    pairs.filter_map(told).collect()
}

/// The places of plans that would make something under the same name as others, with the places of these.
fn meetings<'p>(plans: impl Iterator<Item = Option<&'p Plan>>) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut makers: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for (at, plan) in plans.enumerate() {
        for name in plan.into_iter().flat_map(Plan::lasting_names) {
            makers.entry(name).or_default().insert(at);
        }
    }
    let mut met: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for together in makers.values().filter(|it| it.len() > 1) {
        together.iter().for_each(|at| met.entry(*at).or_default().extend(together));
    }
    met
}

fn environment(analysis: &Analysis) -> Option<String> {
    analysis.project.as_ref().map(|project| project.environment.clone())
}

/// What two environments would both make, told at the first of them.
fn beside(one: &Analysis, other: &Analysis) -> Option<Diagnostic> {
    let (plan, others) = (one.plan.as_ref()?, other.plan.as_ref()?);
    let same = plan.same_names(others);
    let (first, theirs, _) = *same.first()?;
    let (here, there) = (environment(one)?, environment(other)?);
    let noun = plan.model.get(first)?;
    let what = listed(plan, &same);
    let message = format!("the environments `{there}` and `{here}` would both make {what}");
    let report = match (setting(one, plan), setting(other, others)) {
        (Some(mine), Some(its)) if plan.model.project == others.model.project => {
            let report = Diagnostic::error(PROJECT_ENVIRONMENTS, message, mine.value);
            if mine.value == its.value {
                report.labelled("the project of both")
            } else {
                report
                    .labelled(format!("the project of `{here}`"))
                    .also(its.value, format!("and of `{there}`"))
            }
        }
        _ => Diagnostic::error(PROJECT_ENVIRONMENTS, message, noun.span).labelled("in both"),
    };
    let report = match report.span() {
        Some(span) if span != noun.span => also(report, noun, others, theirs),
        _ => report,
    };
    let name = setting(one, plan).map_or("project", |setting| setting.name);
    Some(report.help(format!(
        "give each environment a project of its own: `{name} = \"...\"` under `[env.{here}.params]`; or let what is named explicitly contain a parameter that differs"
    )))
}

fn also(report: Diagnostic, noun: &Noun, others: &Plan, theirs: NounId) -> Diagnostic {
    let report = report.also(noun.span, "made here");
    match others.model.get(theirs) {
        Some(their) if their.span != noun.span => report.also(their.span, "and here"),
        _ => report,
    }
}

/// ``network `fabric`, bucket `my-data` and 4 more``
fn listed(plan: &Plan, same: &[(NounId, NounId, &str)]) -> String {
    let spelled: Vec<String> = same
        .iter()
        .take(SPELLED)
        .filter_map(|(id, _, name)| Some(format!("{} `{name}`", plan.model.get(*id)?.body.kind())))
        .collect();
    let more = same.len() - spelled.len();
    let mut text = spelled.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// A parameter of the project file that says the project.
struct Named<'a> {
    name: &'a str,
    value: slipform_source::Span,
}

fn setting<'a>(analysis: &'a Analysis, plan: &Plan) -> Option<Named<'a>> {
    let id = plan.model.project.as_deref()?;
    let params = &analysis.project.as_ref()?.params;
    let is_it = |(_, setting): &(&String, &Setting)| setting.text == id;
    let (name, setting) = params.iter().find(is_it)?;
    Some(Named { name, value: setting.value })
}
