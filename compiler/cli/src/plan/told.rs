//! Changes as people read them.

use super::comment::markdown;
use super::documents::{github, json};
use super::facts::Share;
use super::groups::{Group, Groups};
use super::line::Line;
use super::turn::order;
use super::words::arrow;
use crate::Context;
use crate::args::PlanFormat;
use crate::blueprint::Blueprint;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Detail, Effect};
use slipform_source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Details of one change, changes of one noun, and nouns of one sort, that are told one by one.
const MOST: usize = 4;

/// Values that are folded away below what follows from them.
const MOST_VALUES: usize = 10;

/// Characters of the path of a value.
const MOST_OF_PATH: usize = 40;

/// How a change ends that comes from the catalog.
const BY_FACTS: &str = ", by other facts";

/// Commands of nouns of which the same is told, and of runs that start again, that are told one by one.
const MOST_COMMANDS: usize = 8;

/// Nouns of one effect that are told one by one.
const MOST_NOUNS: usize = 20;

/// Where the rest of something long is.
const REST: &str = "`--message-format json` has all of them";

/// All environments, each with what its nouns have their places in.
pub(crate) fn tell(
    all: &[(Groups, &Analysis)],
    blueprint: &Blueprint,
    format: PlanFormat,
    context: &mut Context<'_, '_>,
) {
    let each = all.iter();
    let text = match format {
        PlanFormat::Markdown => markdown(&each.map(|(groups, _)| groups).collect::<Vec<_>>()),
        PlanFormat::Github => github(all, blueprint),
        _ => each.map(|(groups, _)| as_text(groups, format)).collect::<String>(),
    };
    context.result(&text);
}

/// As a text that needs no places: annotations are for those who [`tell`].
pub(crate) fn as_text(groups: &Groups, format: PlanFormat) -> String {
    match format {
        PlanFormat::Human | PlanFormat::Github => human(groups),
        PlanFormat::Markdown => markdown(&[groups]),
        PlanFormat::Json => json(groups),
    }
}

fn human(groups: &Groups) -> String {
    let mut text = format!("{}, against {}\n", groups.environment, groups.against);
    for cause in &groups.causes {
        let _ = writeln!(text, "note: {cause}");
    }
    let width = groups.groups.iter().map(|group| group.effect.said().len()).max().unwrap_or(0);
    for told in in_sorts(groups) {
        let effect = told.effect().said();
        let _ = writeln!(text, "{effect:width$}  {}", told.headline().plain());
        for line in told.lines() {
            let _ = writeln!(text, "{:width$}    {}", "", line.plain());
        }
    }
    for line in ending(groups).into_iter().chain(start_again(groups)).chain(starts(groups)) {
        let _ = writeln!(text, "{}", line.plain());
    }
    let _ = writeln!(text, "{}", counted(groups));
    text
}

/// What a report has a row for.
pub(super) enum Told<'a> {
    /// A noun, and others of which the same is told.
    Nouns(&'a Group, Vec<&'a Group>),
    /// So many nouns more of an effect.
    More(Effect, usize),
}

/// The nouns, those together of which the same would be told; of each effect a bounded number.
pub(super) fn in_sorts(groups: &Groups) -> Vec<Told<'_>> {
    let mut sorts: BTreeMap<(Effect, String), Vec<&Group>> = BTreeMap::new();
    for group in &groups.groups {
        sorts.entry((group.effect, sort(group))).or_default().push(group);
    }
    // few are told one by one: what their commands name differs
    let alike = |group: &&Group| {
        let sort = sorts.get(&(group.effect, sort(group)));
        sort.filter(|all| all.len() > MOST)
    };
    let mut found: Vec<Told<'_>> = Vec::new();
    let mut counts: BTreeMap<Effect, (usize, usize)> = BTreeMap::new();
    for group in &groups.groups {
        let all = alike(&group);
        if all.is_some_and(|all| all.first().is_some_and(|first| !std::ptr::eq(*first, group))) {
            continue;
        }
        let others: Vec<&Group> =
            all.map_or_else(Vec::new, |all| all.iter().skip(1).copied().collect());
        let (shown, left) = counts.entry(group.effect).or_default();
        if *shown == MOST_NOUNS {
            *left += 1 + others.len();
            continue;
        }
        *shown += 1;
        found.push(Told::Nouns(group, others));
    }
    for (effect, (_, left)) in counts.into_iter().rev() {
        if left > 0 {
            let behind =
                found.iter().rposition(|told| told.effect() <= effect).map_or(0, |at| at + 1);
            found.insert(behind, Told::More(effect, left));
        }
    }
    found
}

/// What two nouns have in common of which the same would be told.
fn sort(group: &Group) -> String {
    let kind = |text: &str| text.split([' ', '.']).next().unwrap_or_default().to_owned();
    let Group { noun, fields, because, help, .. } = group;
    let mut text = format!("{} {fields:?} {because:?} {help:?}", kind(noun));
    let _ = write!(text, "{} {}", group.allowed, group.is_by_facts());
    for change in &group.changes {
        let _ = write!(text, "\n{} {} {:?}", kind(&change.thing), change.why, change.details);
    }
    text
}

impl Told<'_> {
    pub(super) fn effect(&self) -> Effect {
        match self {
            Self::Nouns(group, _) => group.effect,
            Self::More(effect, _) => *effect,
        }
    }

    /// Whether it is said of it that it is meant.
    pub(super) fn allowed(&self) -> bool {
        matches!(self, Self::Nouns(group, _) if group.allowed)
    }

    /// Whether commands of it destroy what is stored, or a whole cluster, though no apply does.
    pub(super) fn is_left(&self) -> bool {
        matches!(self, Self::Nouns(group, _) if group.leaves_data() || group.leaves_cluster())
    }

    /// The head of the first noun, where it still stands in the blueprint.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Self::Nouns(group, _) => group.span,
            Self::More(..) => None,
        }
    }

    /// The noun, and what its words say now.
    pub(super) fn headline(&self) -> Line {
        let (group, others) = match self {
            Self::Nouns(group, others) => (group, others),
            Self::More(_, count) => {
                return Line::said(format!("and {count} more: {REST}"));
            }
        };
        if group.effect == Effect::Nothing && group.noun.is_empty() {
            let first = group.changes.first().map(|it| it.file.clone()).unwrap_or_default();
            let more = match group.changes.len().saturating_sub(1) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Line::quoted(first).and(more);
        }
        let name = |group: &&Group| {
            let path = group.noun.split_once(' ').map_or(&*group.noun, |(_, path)| path);
            path.to_owned()
        };
        let names: Vec<String> = others.iter().take(MOST - 1).map(name).collect();
        let mut line = match group.is_noun {
            true => Line::said(group.noun.clone()),
            false => Line::quoted(group.noun.clone()),
        };
        for name in &names {
            line = line.and(format!(", {name}"));
        }
        if others.len() > names.len() {
            line = line.and(format!(" and {} more", others.len() - names.len()));
        }
        let meant = if group.allowed { ", as is meant" } else { "" };
        let whence = if group.is_by_facts() { BY_FACTS } else { "" };
        line = line.and(format!("{meant}{whence}"));
        match group.fields.as_slice() {
            [] => because(group, line, ", "),
            fields => because(group, line.and(": ").list(fields, ", ", MOST), "; also "),
        }
    }

    /// What becomes of each thing that is made of it.
    pub(super) fn lines(&self) -> Vec<Line> {
        let whole = |part| match part {
            Part::Open(line) | Part::Change(line) | Part::Command(line) => line,
            Part::Short { full, .. } => full,
        };
        self.parts().into_iter().map(whole).collect()
    }

    /// The same, with what may be folded away.
    pub(super) fn parts(&self) -> Vec<Part> {
        let Self::Nouns(group, others) = self else { return Vec::new() };
        if group.effect == Effect::Nothing {
            // whoever took words out is told that nothing came of it
            let left = group.changes.iter().filter(|change| change.is_left());
            return left.map(|change| Part::Open(line(group, change, true))).collect();
        }
        let inner = |(noun, fields): &(String, Vec<String>)| {
            Part::Open(Line::said(format!("{noun}: ")).list(fields, ", ", MOST))
        };
        let mut found: Vec<Part> = group.inner.iter().take(MOST).map(inner).collect();
        let mut each: Vec<(&Change, &Share)> = group.changes.iter().zip(&group.shares).collect();
        // what holds data is never behind "and so many more", nor is what takes a right away behind what stays as it is
        each.sort_by_key(|(it, _)| (!it.leaves_data, it.effect, !it.revokes(), it.is_let_go()));
        let most = MOST.max(each.iter().filter(|(change, _)| change.leaves_data).count());
        for (at, (change, share)) in each.into_iter().take(most).enumerate() {
            let full = whence(line(group, change, true), share, group);
            found.push(
                match (
                    at > 0 && change.stopped_by.is_none() && !change.leaves_data,
                    group.fields.is_empty(),
                ) {
                    (true, _) => Part::Change(full),
                    // what follows from words that stand at the head
                    (false, false) if change.details.len() > 1 => {
                        let short = whence(line(group, change, false), share, group);
                        let values = Line::default().list(&values(change), "; ", MOST_VALUES);
                        Part::Short { short, full, values }
                    }
                    (false, _) => Part::Open(full),
                },
            );
            let stops = change.stopped_by.iter().map(|by| format!("  stopped by {by}"));
            let lifts = change.lifted_by.iter().map(|by| format!("  lifted by {by}"));
            found.extend(stops.chain(lifts).map(|it| Part::Open(Line::said(it))));
        }
        if group.changes.len() > most {
            let more = format!("and {} more", group.changes.len() - most);
            found.push(Part::Change(Line::said(more)));
        }
        found.extend(reached(group, others).into_iter().map(Part::Open));
        found.extend(group.help.iter().map(|help| Part::Open(Line::said(format!("help: {help}")))));
        found.extend(commands(group, others).into_iter().map(Part::Command));
        found
    }
}

/// A line, and behind it the words of other nouns that made what it is of.
fn because(group: &Group, line: Line, link: &str) -> Line {
    // what lies in it is told below
    let inner = |noun: &String| group.inner.iter().any(|(known, _)| known == noun);
    let others: Vec<_> = group.because.iter().filter(|(noun, _)| !inner(noun)).collect();
    let each = others.iter().take(MOST).enumerate();
    let told = each.fold(line, |line, (at, (noun, fields))| {
        let link = if at == 0 { format!("{link}because ") } else { "; ".to_owned() };
        line.and(format!("{link}{noun}: ")).list(fields, ", ", MOST)
    });
    match others.len().saturating_sub(MOST) {
        0 => told,
        more => told.and(format!("; and {more} more")),
    }
}

/// A line of a noun, by where a comment has it.
pub(super) enum Part {
    /// Where everybody sees it.
    Open(Line),
    /// Without the values that differ, which are folded away.
    Short {
        short: Line,
        full: Line,
        values: Line,
    },
    /// What becomes of one more thing of the noun.
    Change(Line),
    Command(Line),
}

/// The runs that end with a noun, and those that need it.
fn reached(group: &Group, others: &[&Group]) -> Vec<Line> {
    let of_all = |of: fn(&Group) -> &Vec<String>| -> Vec<String> {
        let all = std::iter::once(group).chain(others.iter().copied());
        let mut names: Vec<String> = all.flat_map(|it| of(it).clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let mut found = Vec::new();
    let along = of_all(|it| &it.along);
    if !along.is_empty() {
        found.push(Line::said(format!("goes with it: {}", listed(&along))));
    }
    let ends = of_all(|it| &it.ends);
    if !ends.is_empty() {
        let word = match group.effect {
            Effect::DestroysData | Effect::Replaces => "ends",
            Effect::MayReplace => "may end",
            Effect::ByHand => "ends with it",
            _ => "is interrupted",
        };
        found.push(Line::said(format!("what runs there {word}: {}", listed(&ends))));
    }
    let uses = of_all(|it| &it.users);
    if !uses.is_empty() {
        found.push(Line::said(format!("runs that need it: {}", listed(&uses))));
    }
    let making_way = std::iter::once(group).chain(others.iter().copied());
    for it in making_way.flat_map(|it| &it.makes_way) {
        let (run, place) = (&it.run, &it.place);
        found.push(Line::said(format!(
            "ends before it starts: {run}, which writes to {place} until then"
        )));
    }
    found
}

/// A line of a change, with what of it comes from other facts.
fn whence(line: Line, share: &Share, group: &Group) -> Line {
    match share {
        // the head says what is so of all of them
        Share::Whole if !group.is_by_facts() => line.and(BY_FACTS),
        Share::Part(paths) if paths.iter().all(String::is_empty) => {
            line.and(format!("{BY_FACTS} in part"))
        }
        Share::Part(paths) => line.and(format!("{BY_FACTS}: ")).list(paths, ", ", MOST),
        Share::Whole | Share::None => line,
    }
}

/// What has to be given besides an apply. Those of one noun stand on each other: they are followed from the first to the last.
fn commands(group: &Group, others: &[&Group]) -> Vec<Line> {
    let all = std::iter::once(group).chain(others.iter().copied());
    let changes = all.flat_map(|group| &group.changes);
    let commands = changes.flat_map(|it| &it.commands).cloned();
    match others {
        [] => commands.map(Line::command).collect(),
        _ => some(commands.collect()),
    }
}

/// Commands one by one; of many the first and the last, which makes again what those before it take away.
fn some(mut commands: Vec<String>) -> Vec<Line> {
    if commands.len() <= MOST_COMMANDS {
        return commands.into_iter().map(Line::command).collect();
    }
    let last = commands.pop();
    let more = commands.len().saturating_sub(MOST_COMMANDS - 1);
    let shown = commands.into_iter().take(MOST_COMMANDS - 1).map(Line::command);
    let what = if more == 1 { "command" } else { "commands" };
    let rest = Line::said(format!("and {more} more {what}: {REST}"));
    shown.chain([rest]).chain(last.map(Line::command)).collect()
}

fn line(group: &Group, change: &Change, with_values: bool) -> Line {
    let what = match change.effect {
        Effect::Adds if change.why.is_empty() => "is made".to_owned(),
        _ => change.why.clone(),
    };
    let details = if with_values { values(change) } else { Vec::new() };
    let thing = format!("{} {}", change.root, change.thing).trim_start().to_owned();
    let line = match (thing == group.noun, what.is_empty()) {
        // what it is stands at the head
        (true, true) => return Line::default().list(&details, "; ", MOST),
        (true, false) => Line::said(what),
        (false, true) => Line::quoted(thing),
        (false, false) => Line::quoted(thing).and(format!(": {what}")),
    };
    match details.is_empty() {
        true => line,
        false => line.and(" (").list(&details, "; ", MOST).and(")"),
    }
}

/// What differs in a thing.
fn values(change: &Change) -> Vec<String> {
    let value = |it: &Detail| arrow(&end_of(&it.path), it.before.as_deref(), it.after.as_deref());
    change.details.iter().map(value).collect()
}

/// The names at the end of a long path, which say what it is: `...containers[node].image`. A field of an item has the item with it,
/// whatever that is called: of four `nominalQuota` nobody knows which. Programs get the whole of it.
fn end_of(path: &str) -> String {
    if path.len() <= MOST_OF_PATH {
        return path.to_owned();
    }
    let starts = names_of(path);
    let end = |start: &usize| path.get(*start..).unwrap_or_default();
    let short = starts.iter().find(|start| end(start).len() <= MOST_OF_PATH);
    let item = starts.iter().rev().nth(1).filter(|start| end(start).contains("]."));
    let item = item.filter(|start| end(start).len() <= 2 * MOST_OF_PATH);
    match short.into_iter().chain(item).min().or(starts.last()) {
        Some(start) => format!("...{}", end(start)),
        None => path.to_owned(),
    }
}

/// Where the names in a path begin, but for the first: behind dots that are in no item and no quoted key.
fn names_of(path: &str) -> Vec<usize> {
    let (mut inside, mut starts) = (false, Vec::new());
    for (at, c) in path.char_indices() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            '"' => inside = !inside,
            '.' if !inside => starts.push(at + 1),
            _ => {}
        }
    }
    starts
}

fn listed(all: &[String]) -> String {
    let shown: Vec<&str> = all.iter().take(MOST).map(String::as_str).collect();
    let more = all.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// What is done in which order.
pub(super) fn ending(groups: &Groups) -> Vec<Line> {
    let mut found = Vec::new();
    if groups.groups.is_empty() {
        return found;
    }
    let drained = groups.drained_first();
    if !drained.is_empty() {
        found.push(Line::said(format!("drain first: {}", listed(&drained))));
    }
    found.extend(order(groups));
    found
}

/// Which of the drained runs are started again, behind all that is applied.
pub(super) fn start_again(groups: &Groups) -> Option<Line> {
    let runs: Vec<String> = groups.started_again().into_iter().map(|(run, _)| run).collect();
    (!runs.is_empty()).then(|| Line::said(format!("start again at the end: {}", listed(&runs))))
}

/// The commands that do so.
pub(super) fn starts(groups: &Groups) -> Vec<Line> {
    let commands = groups.started_again().into_iter().flat_map(|(_, commands)| commands);
    let commands: BTreeSet<String> = commands.collect();
    some(commands.into_iter().collect())
}

/// How much there is of each effect.
pub(super) fn counted(groups: &Groups) -> String {
    let mut counts: BTreeMap<Effect, usize> = BTreeMap::new();
    for group in &groups.groups {
        *counts.entry(group.effect).or_default() += 1;
    }
    let said = counts.into_iter().map(|(effect, count)| format!("{count} {}", effect.said()));
    match groups.groups.is_empty() {
        true => "nothing changes".to_owned(),
        false => said.collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn a_long_path_is_told_by_its_end_and_a_field_by_its_item() {
        for (path, told) in [
            ("node_config[0].machine_type", "node_config[0].machine_type"),
            (
                "spec.resourceGroups[0].flavors[h100].resources[ephemeral-storage].nominalQuota",
                "...resources[ephemeral-storage].nominalQuota",
            ),
            (
                "spec.resourceGroups[0].flavors[h100].resources[nvidia.com/gpu].nominalQuota",
                "...resources[nvidia.com/gpu].nominalQuota",
            ),
            (
                "spec.template.spec.containers[node].env[NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY].name",
                "...env[NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY].name",
            ),
            (
                "spec.template.metadata.annotations.\"devices.gke.io/container.tcpxo-daemon\"",
                "...\"devices.gke.io/container.tcpxo-daemon\"",
            ),
            ("spec.replicatedJobs[node].template.spec.completions", "...template.spec.completions"),
        ] {
            assert_eq!(end_of(path), told, "{path}");
        }
    }
}
