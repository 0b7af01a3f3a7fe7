//! Changes as other programs take them: annotations of a workflow, lines of JSON.

use super::facts::Share;
use super::groups::Groups;
use super::told::in_sorts;
use crate::blueprint::Blueprint;
use crate::report::forges::{message, property};
use serde::Serialize;
use slipform_analysis::Analysis;
use slipform_changes::Effect;
use std::fmt::Write;

/// One change as programs read it.
#[derive(Serialize)]
struct Change<'a> {
    environment: &'a str,
    against: &'a str,
    effect: &'static str,
    noun: &'a str,
    fields: &'a [String],
    /// Other nouns whose words made it, with what these say now.
    because: Vec<String>,
    root: &'a str,
    file: &'a str,
    thing: &'a str,
    why: &'a str,
    stopped_by: Option<&'a str>,
    lifted_by: Option<&'a str>,
    commands: &'a [String],
    /// Other nouns that its commands take away with it.
    along: &'a [String],
    ends: &'a [String],
    /// Its commands destroy what is stored, though no apply does.
    leaves_data: bool,
    /// Its commands destroy a whole cluster, though no apply does.
    leaves_cluster: bool,
    /// Runs that need what goes.
    users: &'a [String],
    /// Runs that write, until they end, where it does from then on.
    makes_way: Vec<&'a str>,
    /// What starts those again that end with it, or need it, once all is applied.
    start_again: Vec<&'a str>,
    allowed: bool,
    /// What to do where it is not meant.
    help: Option<&'a str>,
    /// How much of it comes from other facts than those of the other side.
    by_facts: Option<&'static str>,
    details: Vec<Value<'a>>,
}

#[derive(Serialize)]
struct Value<'a> {
    path: &'a str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    by_facts: bool,
}

pub(super) fn json(groups: &Groups) -> String {
    let mut text = String::new();
    let started = groups.started_again();
    for group in &groups.groups {
        for (change, share) in group.changes.iter().zip(&group.shares) {
            let share = if groups.by_facts { &Share::Whole } else { share };
            let details = change.details.iter().map(|it| Value {
                path: &it.path,
                before: it.before.as_deref(),
                after: it.after.as_deref(),
                by_facts: match share {
                    Share::None => false,
                    Share::Part(paths) => paths.contains(&it.path),
                    Share::Whole => true,
                },
            });
            let line = Change {
                environment: &groups.environment,
                against: &groups.against,
                effect: change.effect.name(),
                noun: &group.noun,
                fields: &group.fields,
                because: group
                    .because
                    .iter()
                    .map(|(noun, words)| format!("{noun}: {}", words.join(", ")))
                    .collect(),
                root: &change.root,
                file: &change.file,
                thing: &change.thing,
                why: &change.why,
                stopped_by: change.stopped_by.as_deref(),
                lifted_by: change.lifted_by.as_deref(),
                commands: &change.commands,
                along: &group.along,
                ends: &group.ends,
                leaves_data: change.leaves_data,
                leaves_cluster: change.is_left_cluster(),
                users: &group.users,
                makes_way: group.makes_way.iter().map(|it| it.run.as_str()).collect(),
                start_again: started
                    .iter()
                    .filter(|(run, _)| group.ends.contains(run) || group.users.contains(run))
                    .flat_map(|(_, commands)| commands)
                    .map(String::as_str)
                    .collect(),
                allowed: group.allowed,
                help: group.help.as_deref(),
                by_facts: share.name(),
                details: details.collect(),
            };
            let written = serde_json::to_string(&line).unwrap_or_default();
            let _ = writeln!(text, "{written}");
        }
    }
    text
}

/// Commands of a workflow's log: GitHub shows them beside the lines that they speak of. What is told of one line in several
/// environments alike is told once.
pub(super) fn github(all: &[(Groups, &Analysis)], blueprint: &Blueprint) -> String {
    let mut found: Vec<Annotation> = Vec::new();
    for (groups, analysis) in all {
        let places = blueprint.places(analysis);
        for told in in_sorts(groups).iter().filter(|told| told.effect() != Effect::Nothing) {
            let level = match told.effect() {
                _ if told.allowed() => "notice",
                Effect::DestroysData | Effect::Replaces => "error",
                _ if told.is_left() => "error",
                Effect::MayReplace | Effect::Restarts | Effect::ByHand => "warning",
                Effect::InPlace | Effect::NextStart | Effect::Adds | Effect::Nothing => "notice",
            };
            let at = told.span().and_then(|span| places.position(span));
            let at = at.map_or_else(String::new, |(file, line, column)| {
                format!("file={},line={line},col={column},", property(&file))
            });
            let lines = std::iter::once(told.headline()).chain(told.lines());
            let lines: Vec<String> = lines.map(|line| line.plain()).collect();
            let body = lines.join("\n");
            let key = format!("{level} {at}{}{}", told.effect().said(), groups.anywhere(&body));
            match found.iter_mut().find(|it| it.key == key) {
                Some(known) => known.environments.push(groups.environment.clone()),
                None => found.push(Annotation {
                    head: format!("::{level} {at}title={}", told.effect().said()),
                    environments: vec![groups.environment.clone()],
                    body,
                    key,
                }),
            }
        }
    }
    let line = |it: &Annotation| {
        let environments = property(&it.environments.join(", "));
        format!("{} ({environments})::{}\n", it.head, message(&it.body))
    };
    found.iter().map(line).collect()
}

/// An annotation, and the environments that it is of.
struct Annotation {
    head: String,
    environments: Vec<String>,
    body: String,
    key: String,
}
