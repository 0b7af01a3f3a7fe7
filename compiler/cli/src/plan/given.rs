//! Which change gives a command that several need.

use super::groups::Group;
use slipform_changes::{
    Change, Effect, Given, Turn, as_applied, destroyed_whole, in_steps, is_first_of_all,
    of_terraform, turn_of_first,
};
use std::collections::BTreeSet;

/// Gives each command once, where all that need it can have it, and in its order; folders come in that order as well.
pub(super) fn give(groups: &mut [Group], turns: Vec<Turn>) -> Vec<Turn> {
    give_first(groups);
    give_together(groups);
    give_once(groups);
    give_in_steps(groups, turns)
}

/// Gives what comes before any folder is applied in front of all other commands.
fn give_first(groups: &mut [Group]) {
    let mut first: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for change in groups.iter_mut().flat_map(|group| &mut group.changes) {
        let last = change.commands.iter().rposition(|it| is_first_of_all(it));
        let block = change.commands.drain(..last.map_or(0, |at| at + 1));
        first.extend(block.filter(|it| seen.insert(it.clone())));
    }
    // what is copied out of a cluster is so before it goes
    first.sort_by_key(|it| turn_of_first(it));
    let mut changes: Vec<_> = groups.iter_mut().flat_map(|group| &mut group.changes).collect();
    let at = changes.iter().position(|it| !it.commands.is_empty()).unwrap_or_default();
    if let Some(change) = changes.get_mut(at) {
        change.commands.splice(0..0, first);
    }
}

/// Gives what several changes of a folder need before it is applied, the apply, and what each needs behind it as one list, with the first of them:
/// nothing is made again before all is away.
fn give_together(groups: &mut [Group]) {
    let changes = groups.iter().flat_map(|group| &group.changes);
    let roots: BTreeSet<String> =
        changes.filter(|it| applied(it).is_some()).map(|it| it.root.clone()).collect();
    for root in roots {
        let holds = |it: &Change| it.root == root && applied(it).is_some();
        // volumes of what is made anew are made again behind that
        let refills = |it: &Group| {
            let is_anew = |it: &Change| it.root == root && it.effect == Effect::DestroysData;
            it.changes.iter().any(is_anew) && it.changes.iter().any(Change::frees_volumes)
        };
        let held = groups.iter().flat_map(|it| &it.changes).filter(|it| holds(it)).count();
        if held > 1 || held > 0 && groups.iter().any(refills) {
            gather(groups, &root, holds, refills);
        }
    }
}

/// Where the commands of a change apply its own folder, between some that are of others.
fn applied(change: &Change) -> Option<usize> {
    let own = format!("terraform -chdir={} apply", change.root);
    let is_plain = |rest: &str| rest.split_whitespace().all(|it| it.starts_with("-replace="));
    let is_own = |it: &String| it.strip_prefix(&own).is_some_and(is_plain);
    change.commands.iter().position(is_own)
}

fn gather(
    groups: &mut [Group],
    root: &str,
    holds: impl Fn(&Change) -> bool,
    refills: impl Fn(&Group) -> bool,
) {
    let (mut first, mut anew, mut then) = (Vec::new(), BTreeSet::new(), Vec::new());
    let of_others = |it: &Change| {
        let mut commands = it.commands.iter().filter_map(|it| of_terraform(it));
        commands.any(|(of, _)| of != root)
    };
    if !groups.iter().flat_map(|it| &it.changes).any(|it| holds(it) && of_others(it)) {
        return;
    }
    let holder = groups.iter().flat_map(|it| &it.changes).find(|it| holds(it));
    let holder = holder.map(|it| it.thing.clone());
    let is_part = |it: &Group| it.changes.iter().any(&holds) || refills(it);
    for group in groups.iter_mut().filter(|it| is_part(it)) {
        for change in group.changes.iter_mut().filter(|it| holds(it) || it.frees_volumes()) {
            let Some(at) = applied(change).or_else(|| change.commands.len().checked_sub(1)) else {
                continue;
            };
            let is_holder = holds(change);
            let mut behind = change.commands.split_off(at);
            if is_holder {
                let own = behind.remove(0);
                anew.extend(own.split_whitespace().skip(3).map(str::to_owned));
            }
            first.append(&mut change.commands);
            then.extend(behind);
        }
    }
    then.sort_by_key(|it: &String| it.ends_with("/install.sh"));
    let whole: BTreeSet<String> =
        first.iter().filter_map(|it| destroyed_whole(it)).map(str::to_owned).collect();
    let is_in_whole = |it: &str| {
        of_terraform(it).is_some_and(|(of, does)| does.contains(" -target=") && whole.contains(of))
    };
    first.retain(|it| !is_in_whole(it));
    let anew: String = anew.into_iter().map(|it| format!(" {it}")).collect();
    let own = format!("terraform -chdir={root} apply{anew}");
    let mut seen = BTreeSet::new();
    let mut all: Vec<String> = first.into_iter().chain([own]).chain(then).collect();
    all.retain(|it| seen.insert(it.clone()));
    let mut changes = groups.iter_mut().flat_map(|it| &mut it.changes);
    if let Some(change) = changes.find(|it| it.root == root && Some(&it.thing) == holder.as_ref()) {
        change.commands = all;
    }
}

/// Leaves each command with the last change that needs it: what makes things anew is given when all of them are deleted. What has a queue
/// let go of others comes before the first of these.
fn give_once(groups: &mut [Group]) {
    let mut given: BTreeSet<String> = BTreeSet::new();
    for change in groups.iter_mut().rev().flat_map(|group| group.changes.iter_mut().rev()) {
        let leads = change.lets_go().map(str::to_owned);
        change.commands.reverse();
        change.commands.retain(|it| leads.as_ref() == Some(it) || given.insert(it.clone()));
        change.commands.reverse();
    }
    let mut applied: BTreeSet<String> = BTreeSet::new();
    for change in groups.iter_mut().flat_map(|group| &mut group.changes) {
        let leads = change.lets_go().map(str::to_owned);
        change.commands.retain(|it| leads.as_ref() != Some(it) || !applied.contains(it));
        applied.extend(change.commands.iter().cloned());
    }
}

/// Gives commands of several changes in one order, where they are of clusters that go and come with what they stand on. Folders come in that order as
/// well.
fn give_in_steps(groups: &mut [Group], turns: Vec<Turn>) -> Vec<Turn> {
    let mut changes: Vec<_> = groups.iter_mut().flat_map(|group| &mut group.changes).collect();
    let all = changes.iter_mut().enumerate().flat_map(|(at, change)| {
        std::mem::take(&mut change.commands).into_iter().map(move |it| (at, it))
    });
    let all: Vec<Given> = all.collect();
    let all = in_steps(all, &turns);
    for (at, command) in &all {
        if let Some(change) = changes.get_mut(*at) {
            change.commands.push(command.clone());
        }
    }
    let commands: Vec<String> = all.into_iter().map(|(_, it)| it).collect();
    as_applied(turns, &commands)
}
