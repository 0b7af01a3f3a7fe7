//! In which order a cluster takes commands that several changes of it ask for.

use super::commands::{BEFORE_ALL, ENDED, put_first};
use super::database::TARGETED;
use super::{FILES, destroyed};
use crate::{Change, Effect, file_name};
use std::collections::BTreeSet;

/// What tells when a command is given: by how it begins, or by what it says; the first that fits. Those that say none of it come once all is deployed.
const TURNS: [&[&str]; 6] = [
    &["State=DRAIN"],
    &[ENDED, "squeue "],
    &["# here, before ", "# here: the controller, before ", "# here, behind the last of these"],
    &["before what they know of jobs is read", "once slurmctld is stopped", BEFORE_ALL],
    &["before it is deployed", "says that it is mounted there"],
    &["gcluster create ", "gcluster deploy ", " destroy"],
];
const BROUGHT_BACK: &str = "# here";

/// Gives all changes of a cluster the commands of each of them, where one comes from a folder that it stands on: what is stopped, let go of and kept comes
/// before what deploys it, and what is told to hosts behind that.
pub(crate) fn as_one(found: &mut [Change], root: &str) {
    let of_it = |it: &Change| {
        it.root == root
            && FILES.contains(&file_name(&it.file))
            && it.effect != Effect::Nothing
            && !it.commands.is_empty()
    };
    let lists: BTreeSet<&Vec<String>> =
        found.iter().filter(|it| of_it(it)).map(|it| &it.commands).collect();
    if lists.len() < 2 {
        return;
    }
    let mut seen = BTreeSet::new();
    let all = found.iter().filter(|it| of_it(it)).flat_map(|it| it.commands.iter().cloned());
    let mut all: Vec<String> = all.filter(|it| seen.insert(it.clone())).collect();
    // of two that wait for the same, the one that says until when
    all.retain(|it| !seen.contains(&format!("{it}; {BEFORE_ALL}")));
    all.sort_by_key(|it| turn(it));
    for change in found.iter_mut().filter(|it| of_it(it)) {
        change.commands.clone_from(&all);
    }
}

fn turn(command: &str) -> usize {
    let says = |words: &&&[&str]| match command.starts_with(ENDED) {
        true => words.contains(&ENDED),
        false => words.iter().any(|it| command.contains(it)),
    };
    let known = TURNS.iter().position(|it| says(&it));
    known.unwrap_or(TURNS.len() + usize::from(!command.contains(BROUGHT_BACK)))
}

/// Takes a cluster that is deployed anew away before what it stands on is made anew; whether it is one.
pub(crate) fn is_put_first(found: &mut [Change], root: &str) -> bool {
    let away = destroyed(root);
    let is_gone = |it: &String| {
        let (does, _) = it.split_once("  # ").unwrap_or((it, ""));
        does == away || does.contains(TARGETED)
    };
    let mut is_anew = false;
    for change in found.iter_mut().filter(|it| it.root == root) {
        if change.commands.iter().any(is_gone) {
            is_anew = true;
            put_first(&mut change.commands, root);
        }
    }
    is_anew
}
