//! In which order folders are applied, as people are told.

use super::groups::Groups;
use super::line::Line;
use slipform_changes::{Part, Turn, quoted};

/// Folders in whose order it is applied, and those that it leaves alone.
const MOST_FOLDERS: usize = 12;

/// What is taken away, and applied, in which order, and what is left alone.
pub(super) fn order(groups: &Groups) -> Vec<Line> {
    let turns = groups.in_order();
    let applied: Vec<String> = turns.iter().filter_map(applied).collect();
    let at = |end: Option<usize>| end.unwrap_or(turns.len());
    let first = at(turns.iter().position(|it| !is_away(it)));
    let last = at(turns.iter().rposition(|it| !is_away(it)).map(|at| at + 1)).max(first);
    let roots = |range: std::ops::Range<usize>| -> Vec<String> {
        let turns = turns.get(range).unwrap_or_default();
        turns.iter().map(|it| it.root().to_owned()).collect()
    };
    let before = groups.taken_away(&applied).into_iter().chain(roots(0..first)).collect();
    let between = turns.get(first..last).unwrap_or_default().iter().map(said).collect();
    let again = groups.again.iter().filter(|it| groups.is_in_order(it)).cloned().collect();
    let mut found = Vec::new();
    found.extend(listed("take away before anything is applied: ", before));
    found.extend(listed("apply in this order: ", between));
    found.extend(turns.iter().flat_map(part));
    found.extend(listed("then, since their cluster is a new one: ", again));
    found.extend(listed("take away at the end: ", roots(last..turns.len())));
    found.extend(listed("untouched: ", groups.untouched.clone()));
    found
}

fn listed(what: &str, folders: Vec<String>) -> Option<Line> {
    (!folders.is_empty()).then(|| Line::said(what).list(&folders, ", ", MOST_FOLDERS))
}

fn is_away(step: &Turn) -> bool {
    matches!(step, Turn::Away(_))
}

/// The folder that is applied in a step, in whole or in part.
fn applied(step: &Turn) -> Option<String> {
    (!is_away(step)).then(|| step.root().to_owned())
}

fn said(step: &Turn) -> String {
    match step {
        Turn::Apply(root) => root.clone(),
        Turn::Part(root, ..) => format!("{root} in part"),
        Turn::Away(root) => format!("{root} is taken away"),
    }
}

/// How a part of a folder is applied, and why.
fn part(step: &Turn) -> Vec<Line> {
    let Turn::Part(root, part) = step else { return Vec::new() };
    let target = |it: &String| match it.contains('"') {
        true => format!(" {}", quoted(&format!("-target={it}"))),
        false => format!(" -target={it}"),
    };
    let command = |does: &str, all: &[&String]| {
        let targets: String = all.iter().copied().map(target).collect();
        Line::command(format!("terraform -chdir={root} {does}{targets}"))
    };
    match part {
        Part::Makes(things, users) => {
            let users = users.join(" and ");
            let why = format!(
                "{root} is applied twice: {users} looks up what it makes, and has what it takes away until it is applied itself"
            );
            let things: Vec<&String> = things.iter().collect();
            vec![Line::said(why), command("apply", &things)]
        }
        Part::Carries(pools) => {
            let why = format!(
                "{root} is applied in two steps: the pool is made before what it takes over goes, so that the cluster has DNS and admission throughout"
            );
            vec![Line::said(why), command("apply", &pools.iter().collect::<Vec<_>>())]
        }
        Part::Frees(things, users) => {
            let why = match users.as_slice() {
                [] => format!(
                    "{root} is applied in two steps: some of its machines of a reservation go before others of it have them, or these find none"
                ),
                users => format!(
                    "{root} is applied twice: {} has machines of a reservation that it has until then, and the other way round",
                    users.join(" and ")
                ),
            };
            let of = |anew: bool| -> Vec<&String> {
                things.iter().filter(|(_, it)| *it == anew).map(|(thing, _)| thing).collect()
            };
            let both = [("destroy", of(true)), ("apply", of(false))];
            let commands = both.iter().filter(|(_, of)| !of.is_empty());
            std::iter::once(Line::said(why))
                .chain(commands.map(|(does, of)| command(does, of)))
                .collect()
        }
    }
}
