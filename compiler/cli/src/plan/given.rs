//! Which change gives a command that several need.

use super::groups::Group;
use slipform_changes::{Given, as_applied, in_steps, is_first_of_all, turn_of_first};
use std::collections::BTreeSet;

/// Gives what comes before any folder is applied in front of all other commands.
pub(super) fn give_first(groups: &mut [Group]) {
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

/// Leaves each command with the last change that needs it: what makes things anew is given when all of them are deleted. What has a queue
/// let go of others comes before the first of these.
pub(super) fn give_once(groups: &mut [Group]) {
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
pub(super) fn give_in_steps(groups: &mut [Group], folders: Vec<String>) -> Vec<String> {
    let mut changes: Vec<_> = groups.iter_mut().flat_map(|group| &mut group.changes).collect();
    let all = changes.iter_mut().enumerate().flat_map(|(at, change)| {
        std::mem::take(&mut change.commands).into_iter().map(move |it| (at, it))
    });
    let all: Vec<Given> = all.collect();
    let all = in_steps(all);
    for (at, command) in &all {
        if let Some(change) = changes.get_mut(*at) {
            change.commands.push(command.clone());
        }
    }
    let commands: Vec<String> = all.into_iter().map(|(_, it)| it).collect();
    as_applied(folders, &commands)
}
