//! Changes as people and programs read them.

use super::facts::Share;
use super::groups::{Group, Groups, arrow};
use crate::Context;
use crate::args::PlanFormat;
use crate::blueprint::Blueprint;
use crate::report::forges::{message, property};
use serde::Serialize;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Details of one change, and changes of one noun, that are told one by one.
const MOST: usize = 4;

/// Characters of the path of a value.
const MOST_OF_PATH: usize = 40;

/// How a change ends that comes from the catalog.
const BY_FACTS: &str = ", by other facts";

/// Commands of one noun that are told one by one.
const MOST_COMMANDS: usize = 8;

pub(crate) fn tell(
    groups: &Groups,
    blueprint: &Blueprint,
    analysis: &Analysis,
    format: PlanFormat,
    context: &mut Context<'_, '_>,
) {
    let text = match format {
        PlanFormat::Github => github(groups, blueprint, analysis),
        _ => as_text(groups, format),
    };
    context.result(&text);
}

/// As a text that needs no places: annotations are for those who [`tell`].
pub(crate) fn as_text(groups: &Groups, format: PlanFormat) -> String {
    match format {
        PlanFormat::Human | PlanFormat::Github => human(groups),
        PlanFormat::Markdown => markdown(groups),
        PlanFormat::Json => json(groups),
    }
}

fn human(groups: &Groups) -> String {
    let mut text = format!("{}, against {}\n", groups.environment, groups.against);
    for cause in &groups.causes {
        let _ = writeln!(text, "note: {cause}");
    }
    let width = groups.groups.iter().map(|group| group.effect.said().len()).max().unwrap_or(0);
    for group in &groups.groups {
        let _ = writeln!(text, "{:width$}  {}", group.effect.said(), headline(group));
        for line in lines(group) {
            let _ = writeln!(text, "{:width$}    {line}", "");
        }
    }
    let _ = write!(text, "{}", ending(groups));
    text
}

/// The noun, and what its words say now.
fn headline(group: &Group) -> String {
    if group.effect == Effect::Nothing && group.noun.is_empty() {
        let count = group.changes.len();
        let first = group.changes.first().map(|it| it.file.clone()).unwrap_or_default();
        return match count {
            1 => first,
            count => format!("{first} and {} more", count - 1),
        };
    }
    let meant = if group.allowed { ", as is meant" } else { "" };
    let whence = if group.is_by_facts() { BY_FACTS } else { "" };
    match group.fields.as_slice() {
        [] => format!("{}{meant}{whence}", group.noun),
        fields => format!("{}{meant}{whence}: {}", group.noun, listed(fields, ", ")),
    }
}

/// What becomes of each thing that is made of it.
fn lines(group: &Group) -> Vec<String> {
    if group.effect == Effect::Nothing {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (change, share) in group.changes.iter().zip(&group.shares).take(MOST) {
        // the head says what is so of all of them
        let whence = match share {
            Share::Whole if !group.is_by_facts() => BY_FACTS.to_owned(),
            Share::Part(paths) if paths.iter().all(String::is_empty) => {
                format!("{BY_FACTS} in part")
            }
            Share::Part(paths) => format!("{BY_FACTS}: {}", listed(paths, ", ")),
            Share::Whole | Share::None => String::new(),
        };
        found.push(format!("{}{whence}", line(group, change)));
        found.extend(change.stopped_by.iter().map(|by| format!("  stopped by {by}")));
    }
    if group.changes.len() > MOST {
        found.push(format!("and {} more", group.changes.len() - MOST));
    }
    if !group.ends.is_empty() {
        let word = match group.effect {
            Effect::DestroysData | Effect::Replaces => "ends",
            Effect::ByHand => "ends with it",
            _ => "is interrupted",
        };
        found.push(format!("what runs there {word}: {}", listed(&group.ends, ", ")));
    }
    found.extend(group.help.iter().map(|help| format!("help: {help}")));
    let commands: Vec<&String> = group.changes.iter().flat_map(|it| &it.commands).collect();
    let more = commands.len().saturating_sub(MOST_COMMANDS);
    found.extend(commands.into_iter().take(MOST_COMMANDS).map(|command| format!("$ {command}")));
    if more > 0 {
        found.push(format!("and {more} more commands: `--message-format json` has all of them"));
    }
    found
}

fn line(group: &Group, change: &Change) -> String {
    let what = match change.effect {
        Effect::Adds if change.why.is_empty() => "is made".to_owned(),
        _ => change.why.clone(),
    };
    let details: Vec<String> = change
        .details
        .iter()
        .map(|it| arrow(&end_of(&it.path), it.before.as_deref(), it.after.as_deref()))
        .collect();
    let mut text = format!("{} {}", change.root, change.thing).trim_start().to_owned();
    match (text == group.noun, what.is_empty()) {
        (true, false) => text = what,
        (true, true) => text = String::from("it"),
        (false, false) => {
            let _ = write!(text, ": {what}");
        }
        (false, true) => {}
    }
    if !details.is_empty() {
        let _ = write!(text, " ({})", listed(&details, "; "));
    }
    text
}

/// The names at the end of a long path, which say what it is: `...containers[node].image`. Programs get the whole of it.
fn end_of(path: &str) -> String {
    let mut starts: Vec<usize> = path.match_indices('.').map(|(at, _)| at + 1).collect();
    starts.retain(|start| path.len() - start <= MOST_OF_PATH);
    match starts.first().and_then(|start| path.get(*start..)) {
        Some(end) if path.len() > MOST_OF_PATH => format!("...{end}"),
        _ => path.to_owned(),
    }
}

fn listed(all: &[String], between: &str) -> String {
    let shown: Vec<&str> = all.iter().take(MOST).map(String::as_str).collect();
    let more = all.len().saturating_sub(MOST);
    let rest = if more > 0 { format!("{between}and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(between))
}

/// In which order to apply, and how much there is of each.
fn ending(groups: &Groups) -> String {
    if groups.groups.is_empty() {
        return "nothing changes\n".to_owned();
    }
    let mut text = String::new();
    if !groups.touched.is_empty() {
        let _ = writeln!(text, "apply in this order: {}", groups.touched.join(", "));
    }
    if !groups.again.is_empty() {
        let folders = groups.again.join(", ");
        let _ = writeln!(text, "then again, since their cluster is a new one: {folders}");
    }
    if !groups.untouched.is_empty() {
        let _ = writeln!(text, "untouched: {}", groups.untouched.join(", "));
    }
    let _ = writeln!(text, "{}", counted(groups));
    text
}

fn counted(groups: &Groups) -> String {
    let mut counts: BTreeMap<Effect, usize> = BTreeMap::new();
    for group in &groups.groups {
        *counts.entry(group.effect).or_default() += 1;
    }
    let said = counts.into_iter().map(|(effect, count)| format!("{count} {}", effect.said()));
    said.collect::<Vec<_>>().join(", ")
}

fn markdown(groups: &Groups) -> String {
    let mut text = format!("**{}**, against {}\n\n", groups.environment, groups.against);
    for cause in &groups.causes {
        let _ = writeln!(text, "> {cause}\n");
    }
    if groups.groups.is_empty() {
        text.push_str("Nothing changes.\n");
        return text;
    }
    text.push_str("| effect | what | how |\n|---|---|---|\n");
    for group in &groups.groups {
        let how: Vec<String> = lines(group).iter().map(|line| cell(line)).collect();
        let effect = match group.effect <= Effect::Replaces {
            true => format!("**{}**", group.effect.said()),
            false => group.effect.said().to_owned(),
        };
        let _ = writeln!(text, "| {effect} | {} | {} |", cell(&headline(group)), how.join("<br>"));
    }
    let ending: Vec<String> = ending(groups).lines().map(str::to_owned).collect();
    let _ = writeln!(text, "\n{}\n", ending.join("  \n"));
    text
}

/// A text that stays in its cell, and is no HTML.
pub(crate) fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// One change as programs read it.
#[derive(Serialize)]
struct Line<'a> {
    environment: &'a str,
    against: &'a str,
    effect: &'static str,
    noun: &'a str,
    fields: &'a [String],
    root: &'a str,
    file: &'a str,
    thing: &'a str,
    why: &'a str,
    stopped_by: Option<&'a str>,
    commands: &'a [String],
    ends: &'a [String],
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

fn json(groups: &Groups) -> String {
    let mut text = String::new();
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
            let line = Line {
                environment: &groups.environment,
                against: &groups.against,
                effect: change.effect.name(),
                noun: &group.noun,
                fields: &group.fields,
                root: &change.root,
                file: &change.file,
                thing: &change.thing,
                why: &change.why,
                stopped_by: change.stopped_by.as_deref(),
                commands: &change.commands,
                ends: &group.ends,
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

/// Commands of a workflow's log: GitHub shows them beside the lines that they speak of.
fn github(groups: &Groups, blueprint: &Blueprint, analysis: &Analysis) -> String {
    let places = blueprint.places(analysis);
    let mut text = String::new();
    for group in groups.groups.iter().filter(|group| group.effect != Effect::Nothing) {
        let level = match group.effect {
            _ if group.allowed => "notice",
            Effect::DestroysData | Effect::Replaces => "error",
            Effect::MayReplace | Effect::Restarts | Effect::ByHand => "warning",
            Effect::InPlace | Effect::NextStart | Effect::Adds | Effect::Nothing => "notice",
        };
        let at = group.span.and_then(|span| places.position(span));
        let at = at.map_or_else(String::new, |(file, line, column)| {
            format!("file={},line={line},col={column},", property(&file))
        });
        let title = format!("{} ({})", group.effect.said(), groups.environment);
        let body =
            std::iter::once(headline(group)).chain(lines(group)).collect::<Vec<_>>().join("\n");
        let _ = writeln!(text, "::{level} {at}title={}::{}", property(&title), message(&body));
    }
    text
}
