//! The comment of a review: one table for all environments, in which what is the same in several of them stands once.
//!
//! What is read first is open: what happens, to whom, and what stops it. Values that follow from words of the blueprint, and commands,
//! are folded away.

use super::groups::Groups;
use super::line::{Line, markup};
use super::told::{Part, Told, counted, ending, in_sorts, start_again, starts};
use slipform_changes::Effect;
use std::fmt::Write;

/// A row of the table, and the environments that it is of.
struct Row {
    environments: Vec<String>,
    effect: Effect,
    what: String,
    /// What is open, and what is folded away.
    open: Vec<Sayings>,
    folded: Folded,
    /// What two environments have in common of which the same is told.
    key: String,
}

/// One line, as each environment has it where they differ.
type Sayings = Vec<String>;

/// What stands behind a fold.
#[derive(Default)]
struct Folded {
    values: Vec<Sayings>,
    changes: Vec<Sayings>,
    commands: Vec<Sayings>,
}

/// All environments, below what counts most.
pub(super) fn markdown(all: &[&Groups]) -> String {
    let mut text = heads(all);
    let causes = all.iter().flat_map(|groups| &groups.causes).map(|cause| markup(cause));
    for cause in once(causes) {
        let _ = writeln!(text, "> {cause}\n");
    }
    if all.iter().all(|groups| groups.groups.is_empty()) {
        text.push_str("Nothing changes.\n");
        return text;
    }
    text.push_str("| effect | what | how |\n|---|---|---|\n");
    for row in rows(all) {
        let effect = match row.effect <= Effect::Replaces {
            true => format!("**{}**", row.effect.said()),
            false => row.effect.said().to_owned(),
        };
        let whose = whose(&row.environments, all);
        let _ = writeln!(text, "| {effect} | {whose}{} | {} |", row.what, row.how());
    }
    let _ = writeln!(text, "\n{}\n", endings(all).join("  \n"));
    text
}

/// What each environment is compared with, and how much there is of each effect: those together of which the same is said.
fn heads(all: &[&Groups]) -> String {
    let mut heads: Vec<(String, Vec<String>)> = Vec::new();
    let none = all.iter().all(|groups| groups.groups.is_empty());
    for groups in all {
        let told = match none {
            true => String::new(),
            false => format!(": {}", counted(groups)),
        };
        let said = format!(", against {}{told}", markup(&groups.against));
        let name = format!("**{}**", markup(&groups.environment));
        match heads.iter_mut().find(|(known, _)| *known == said) {
            Some((_, names)) => names.push(name),
            None => heads.push((said, vec![name])),
        }
    }
    let heads: Vec<String> =
        heads.into_iter().map(|(said, names)| format!("{}{said}", names.join(", "))).collect();
    format!("{}\n\n", heads.join("  \n"))
}

/// The rows of all environments, the worst first.
fn rows(all: &[&Groups]) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    for groups in all {
        for told in in_sorts(groups) {
            let row = Row::of(&told, groups);
            match found.iter_mut().find(|known| known.key == row.key) {
                Some(known) => known.join(row),
                None => found.push(row),
            }
        }
    }
    found.sort_by_key(|row| row.effect);
    found
}

impl Row {
    fn of(told: &Told<'_>, groups: &Groups) -> Self {
        let what = told.headline().markdown();
        let (mut open, mut folded) = (Vec::new(), Folded::default());
        for part in told.parts() {
            match part {
                Part::Open(line) => open.push(vec![line.markdown()]),
                Part::Short { short, values, .. } => {
                    open.push(vec![short.markdown()]);
                    folded.values.push(vec![values.markdown()]);
                }
                Part::Change(line) => folded.changes.push(vec![line.markdown()]),
                Part::Command(line) => folded.commands.push(vec![line.markdown()]),
            }
        }
        let effect = told.effect();
        let parts = [&open, &folded.values, &folded.changes, &folded.commands];
        let key = groups.anywhere(&format!("{effect:?}\n{parts:?}"));
        let environments = vec![groups.environment.clone()];
        Self { environments, effect, key: format!("{what}\n{key}"), what, open, folded }
    }

    /// The same of another environment: what differs in its name alone, or in that of its project, is there for each.
    fn join(&mut self, other: Self) {
        self.environments.extend(other.environments);
        let pairs = [
            (&mut self.open, other.open),
            (&mut self.folded.values, other.folded.values),
            (&mut self.folded.changes, other.folded.changes),
            (&mut self.folded.commands, other.folded.commands),
        ];
        for (own, line) in pairs.into_iter().flat_map(|(own, others)| own.iter_mut().zip(others)) {
            own.extend(line.into_iter().filter(|it| !own.contains(it)).collect::<Vec<_>>());
        }
    }

    fn how(&self) -> String {
        let mut lines = self.open.concat();
        let Folded { values, changes, commands } = &self.folded;
        let count = |all: &[Sayings], one: &str| match all.concat().len() {
            0 => None,
            1 => Some(format!("1 {one}")),
            more => Some(format!("{more} {one}s")),
        };
        let values_too = (!values.is_empty()).then(|| "values".to_owned());
        let summary = [count(commands, "command"), count(changes, "more change"), values_too];
        let summary: Vec<String> = summary.into_iter().flatten().collect();
        let folded = [commands.concat(), changes.concat(), values.concat()].concat();
        if !folded.is_empty() {
            lines.push(format!(
                "<details><summary>{}</summary>{}</details>",
                summary.join(", "),
                folded.join("<br>")
            ));
        }
        lines.join("<br>")
    }
}

/// In which order each environment is applied.
fn endings(all: &[&Groups]) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for groups in all {
        for line in ending(groups).iter().map(Line::markdown) {
            match found.iter_mut().find(|(known, _)| *known == line) {
                Some((_, environments)) => environments.push(groups.environment.clone()),
                None => found.push((line, vec![groups.environment.clone()])),
            }
        }
    }
    let all_told: Vec<&Groups> =
        all.iter().filter(|groups| !groups.groups.is_empty()).copied().collect();
    let line = |(line, environments): (String, Vec<String>)| {
        format!("{}{line}", whose(&environments, &all_told))
    };
    found.into_iter().map(line).chain(started(&all_told)).collect()
}

/// Which runs are started again, those environments together that start the same, and the commands of each, which are folded away.
fn started(all: &[&Groups]) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
    for groups in all {
        let Some(line) = start_again(groups).map(|line| line.markdown()) else { continue };
        let commands = starts(groups).iter().map(Line::markdown).collect::<Vec<String>>();
        match found.iter_mut().find(|(known, ..)| *known == line) {
            Some((_, environments, known)) => {
                environments.push(groups.environment.clone());
                let new: Vec<String> =
                    commands.into_iter().filter(|it| !known.contains(it)).collect();
                known.extend(new);
            }
            None => found.push((line, vec![groups.environment.clone()], commands)),
        }
    }
    let line = |(line, environments, commands): (String, Vec<String>, Vec<String>)| {
        let count = match commands.len() {
            1 => "1 command".to_owned(),
            more => format!("{more} commands"),
        };
        format!(
            "{}{line} <details><summary>{count}</summary>{}</details>",
            whose(&environments, all),
            commands.join("<br>")
        )
    };
    found.into_iter().map(line).collect()
}

/// Of which environments something is, where that is not all of them.
fn whose(environments: &[String], all: &[&Groups]) -> String {
    if environments.len() == all.len() {
        return String::new();
    }
    let names: Vec<String> = environments.iter().map(|it| format!("**{}**", markup(it))).collect();
    format!("{}: ", names.join(", "))
}

fn once(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for it in all {
        if !found.contains(&it) {
            found.push(it);
        }
    }
    found
}
