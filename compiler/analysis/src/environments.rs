//! Environments beside each other: what two of them would make under one name, only one of them can; and a grant that two of them own goes
//! with the first of them. Nor is an account of pods two.

use crate::{Analysis, Setting};
use slipform_model::plan::{Guest, Plan, Shared};
use slipform_model::{Diagnostic, Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

slipform_source::codes! {
    pub(crate) CODES;
    PROJECT_ENVIRONMENTS = "project/environments":
        "two environments would make something under the same name in the same place; the second apply is refused half way",
        "give each environment a project of its own, or let names contain a parameter that differs between them";
    PROJECT_GRANTS = "project/grants":
        "two environments would own the same grant on what neither of them makes; whichever is destroyed first, or says it no more, takes it from the other, which is told by nobody",
        "let the namespace or the Kubernetes account contain a parameter that differs, or give each environment an identity, or a project, of its own";
    PROJECT_ACCOUNTS = "project/accounts":
        "two environments would have one account of pods, in a cluster that somebody else keeps, act as two identities; pods of both act as whom the last one that is applied says",
        "let the namespace of what runs there contain a parameter that differs between them";
}

/// How many names a report spells out.
const SPELLED: usize = 3;

/// What environments of one project would make, or own, that one before them in the list would make or own too, each pair once, with the
/// place in the list of the one that is told.
pub fn both_make(analyses: &[&Analysis]) -> Vec<(usize, Diagnostic)> {
    let plans = || analyses.iter().map(|it| it.plan.as_ref());
    let named = plans().map(|plan| plan.into_iter().flat_map(Plan::lasting_names).collect());
    let named = told(analyses, meetings(named), beside);
    let granted: Vec<Vec<Shared>> =
        plans().map(|plan| plan.map(Plan::shared_grants).unwrap_or_default()).collect();
    let keys = granted.iter().map(|all| all.iter().map(Shared::key).collect());
    let owned = told(analyses, meetings(keys), both_own);
    let guests: Vec<Vec<Guest>> =
        plans().map(|plan| plan.map(Plan::guests).unwrap_or_default()).collect();
    let keys = guests.iter().map(|all| all.iter().map(Guest::key).collect());
    let doubled = told(analyses, meetings(keys), act_otherwise);
    named.into_iter().chain(owned).chain(doubled).collect()
}

/// What is said of each pair that met, at the later one.
fn told(
    analyses: &[&Analysis],
    met: BTreeMap<usize, BTreeSet<usize>>,
    say: fn(&Analysis, &Analysis) -> Option<Diagnostic>,
) -> Vec<(usize, Diagnostic)> {
    let pairs = met.iter().flat_map(|(at, others)| {
        others.iter().filter(move |other| *other < at).map(move |other| (*at, *other))
    });
    let one =
        |(at, other): (usize, usize)| Some((at, say(analyses.get(at)?, analyses.get(other)?)?));
    pairs.filter_map(one).collect()
}

/// The places of those that have a key which others have too, with the places of these.
fn meetings<K: Ord>(all: impl Iterator<Item = Vec<K>>) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut makers: BTreeMap<K, BTreeSet<usize>> = BTreeMap::new();
    for (at, keys) in all.enumerate() {
        keys.into_iter().for_each(|key| {
            makers.entry(key).or_default().insert(at);
        });
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

/// What two environments would both own, told at what the first such grant is on.
fn both_own(one: &Analysis, other: &Analysis) -> Option<Diagnostic> {
    let (plan, others) = (one.plan.as_ref()?, other.plan.as_ref()?);
    let theirs = others.shared_grants();
    let theirs: BTreeSet<[&str; 3]> = theirs.iter().map(Shared::key).collect();
    let mine = plan.shared_grants();
    let both: Vec<&Shared> = mine.iter().filter(|it| theirs.contains(&it.key())).collect();
    let (here, there) = (environment(one)?, environment(other)?);
    let first = both.first()?;
    let noun = plan.model.get(first.on)?;
    let more = match both.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more like it"),
    };
    let Shared { of, role, member, .. } = first;
    let message = format!(
        "the environments `{there}` and `{here}` would both own the grant of `{role}` on {of} to `{member}`{more}: whichever is destroyed first, or \
         says it no more, takes it from the other, whose pods lose what they may do"
    );
    let report = Diagnostic::error(PROJECT_GRANTS, message, noun.span).labelled("in both");
    Some(report.help(format!(
        "let the namespace or the Kubernetes account contain a parameter that differs between `{there}` and `{here}`, or give each a {} or a project of its own",
        noun.body.kind()
    )))
}

/// An account of pods, in a cluster of others, that two environments would have act as two identities.
fn act_otherwise(one: &Analysis, other: &Analysis) -> Option<Diagnostic> {
    let (plan, others) = (one.plan.as_ref()?, other.plan.as_ref()?);
    let (mine, theirs) = (plan.guests(), others.guests());
    let (here, there) = (environment(one)?, environment(other)?);
    let mut pairs = mine.iter().filter_map(|it| {
        let their = theirs.iter().find(|their| their.key() == it.key())?;
        (it.acts_as != their.acts_as).then_some((it, their))
    });
    let (mine, their) = pairs.next()?;
    let noun = plan.model.get(mine.identity)?;
    let Guest { acts_as, cluster, account, .. } = mine;
    let message = format!(
        "the environments `{there}` and `{here}` would have the account `{account}` of the cluster {cluster} act as `{}` and as `{acts_as}`: pods of both \
         act as whom the last one that is applied says",
        their.acts_as
    );
    let report = Diagnostic::error(PROJECT_ACCOUNTS, message, noun.span).labelled("in both");
    Some(report.help(format!(
        "let `namespace` of what acts as `{}` contain a parameter that differs between `{there}` and `{here}`",
        noun.path
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
