//! Machines that scripts make, or ask Cloud TPU for: no apply knows of them. Who they are, and where, is in the script that takes them
//! away, which lies beside the one that makes them.

use crate::{Change, Effect, File, file_name};
use std::collections::{BTreeMap, BTreeSet};

/// What takes away what commands made, in the folder of its noun.
pub const MADE_AWAY: &str = "delete.sh";

/// What makes them, beside it.
pub(crate) const MADE_BY: &str = "create.sh";
/// Where that script counts them.
const COUNTED: (&str, &str) = ("for number in $(seq 1 ", "); do");

/// What lists the machines in such a script.
const LISTED: (&str, &str) = ("there=\"$(", ")\"");
/// Where it names them.
const NAMED: &str = "\"${machines[@]}\"";
/// What gives slices of TPUs back.
const GIVEN_BACK: &str = "gcloud compute tpus queued-resources delete ";

const SURPLUS: &str = "machines beyond the number run on, and are paid for, until the script takes them away, with what is on their disks";
const ASKED_ANEW: &str = "slices that are there stay as they are, and are paid for, until the script gives them back with what is on their disks: before that the other one ends with ALREADY_EXISTS";
const RUN_ON: &str = "the blueprint has them no more: what commands made runs on, and is paid for, until the script takes it away, with what is on its disks";
const GIVEN: &str = "what commands made before is where the scripts of this output do not look: what stood on the network is taken away with that";
const ELSEWHERE: &str = "what commands made before is where the scripts of this output do not look: it runs on, and is paid for, until this takes it away, with what is on its disks";

/// The script of a folder that takes away what was made by commands.
pub fn script_of(root: &str, files: &[File<'_>]) -> Option<String> {
    let path = format!("{root}/{MADE_AWAY}");
    let mut found = files.iter().filter(|it| it.path == path);
    found.next().filter(|it| taking_away(it.text).is_some()).map(|_| path)
}

/// What takes away what commands made, where the folder of another output may look elsewhere: by its script, or without.
pub(crate) fn away(root: &str, old: &[File<'_>], new: Option<&[File<'_>]>) -> Option<String> {
    let path = script_of(root, old)?;
    let does = |files: &[File<'_>]| {
        files.iter().find(|it| it.path == path).and_then(|it| taking_away(it.text))
    };
    let former = does(old);
    match new.is_none_or(|new| does(new) == former) {
        true => Some(path),
        false => former,
    }
}

/// What asks for machines that a group does not make by itself.
const ASKED_BY: &str = "request.sh";

/// The script of a folder that asks for such machines.
pub(crate) fn asked(root: &str, files: &[File<'_>]) -> Option<String> {
    let path = format!("{root}/{ASKED_BY}");
    files.iter().any(|it| it.path == path).then_some(path)
}

/// How many there are to be, as such a script says it.
const WANTED: &str = "wanted=";

/// A group takes its new number from who asks for them.
const ASKS_FOR_MORE: &str = "the group has no more machines until they are asked for";

/// Asks for those that a group has more of from now on.
pub(crate) fn ask_for_more(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let wanted = |files: &[File<'_>], path: &str| {
        let text = files.iter().find(|it| it.path == path)?.text;
        text.lines().find_map(|line| line.strip_prefix(WANTED)?.parse::<u64>().ok())
    };
    for change in found.iter_mut().filter(|it| file_name(&it.file) == ASKED_BY) {
        let path = change.file.clone();
        let (Some(old), Some(new)) = (wanted(before, &path), wanted(after, &path)) else {
            continue;
        };
        if old < new && change.effect == Effect::NextStart {
            let root = &change.root;
            change.commands = vec![format!("terraform -chdir={root} apply"), path];
            change.why = ASKS_FOR_MORE.to_owned();
        }
    }
}

/// Asks again where the group is made anew that has them.
pub(crate) fn ask_again(found: &mut [Change], after: &[File<'_>]) {
    let anew = |it: &&Change| {
        it.thing.starts_with("google_compute_instance_group_manager.")
            && it.effect <= Effect::Replaces
            && !it.details.is_empty()
    };
    let roots: BTreeSet<String> = found.iter().filter(anew).map(|it| it.root.clone()).collect();
    for root in roots {
        let Some(script) = asked(&root, after) else { continue };
        if found.iter().any(|it| it.commands.contains(&script)) {
            continue;
        }
        let of_it = |it: &&mut Change| anew(&&**it) && it.root == root;
        for change in found.iter_mut().filter(of_it) {
            let apply = format!("terraform -chdir={root} apply");
            if !change.commands.iter().any(|it| it.starts_with(&apply)) {
                change.commands.push(apply);
            }
            change.commands.push(script.clone());
        }
    }
}

/// IAM: "Delete and undelete service accounts".
const ACTS_AS_GONE: &str = "the account that machines act as goes, and those that run are refused from then on: they are made anew, without what is on their disks";

/// Makes machines anew that commands made to act as an account which goes.
pub(crate) fn leave_accounts(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let gone = found.iter().filter(|it| it.ends_account());
    let gone: Vec<String> = gone.filter_map(|it| account(&it.thing, before)).collect();
    for name in gone {
        let acts = format!("--service-account={name}@");
        let is_it = |change: &Change, files: &[File<'_>]| {
            let path = format!("{}/{MADE_BY}", change.root);
            files.iter().any(|it| it.path == path && it.text.contains(&acts))
        };
        let of_scripts = found.iter_mut().filter(|it| file_name(&it.file) == MADE_BY);
        let stand = of_scripts.filter(|it| is_it(it, before) && !is_it(it, after));
        for change in stand.filter(|it| it.effect == Effect::NextStart) {
            let root = &change.root;
            change.commands = [MADE_AWAY, MADE_BY].map(|it| format!("{root}/{it}")).into();
            (change.effect, change.why) = (Effect::ByHand, ACTS_AS_GONE.to_owned());
            change.leaves_data = true;
        }
    }
}

/// What an account of a root of Terraform is called.
fn account(thing: &str, files: &[File<'_>]) -> Option<String> {
    let (kind, label) = thing.split_once('.')?;
    let head = format!("resource \"{kind}\" \"{label}\" {{");
    let block = files.iter().find_map(|it| it.text.split_once(&head))?.1;
    let (_, said) = block.split("\n}").next()?.split_once("account_id")?;
    Some(said.split('"').nth(1)?.to_owned())
}

/// Leaves that with what it is given for already: behind that it finds nothing.
pub(crate) fn give_once(found: &mut [Change]) {
    let of_others: BTreeSet<String> = found
        .iter()
        .filter(|it| it.why != ELSEWHERE)
        .flat_map(|it| &it.commands)
        .filter(|it| it.contains("gcloud "))
        .cloned()
        .collect();
    for change in found.iter_mut().filter(|it| it.why == ELSEWHERE) {
        if change.commands.iter().any(|it| of_others.contains(it)) {
            change.commands.retain(|it| !of_others.contains(it));
            change.why = GIVEN.to_owned();
        }
    }
}

/// What such a script does, as a command that needs it no more.
pub fn taking_away(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    if let Some(line) = lines.clone().find(|line| line.starts_with(GIVEN_BACK)) {
        return Some(line.to_owned());
    }
    let (start, end) = LISTED;
    let list = lines.clone().find_map(|line| line.strip_prefix(start)?.strip_suffix(end))?;
    let deletes = lines.find(|line| line.starts_with("gcloud ") && line.contains(NAMED))?;
    // where none is there it would end with an error
    let deletes = deletes.replace(NAMED, "$(echo \"$there\")");
    Some(format!("there=\"$({list})\"; [ -z \"$there\" ] || {deletes}"))
}

/// Of a script that makes fewer from now on: it ends none.
pub(crate) fn fewer(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let counted = |text: &str| {
        let (start, end) = COUNTED;
        let mut lines = text.lines().map(str::trim);
        let count = lines.find_map(|line| line.strip_prefix(start)?.strip_suffix(end))?;
        count.parse::<u64>().ok()
    };
    let is_fewer = file_name(path) == MADE_BY && counted(new)? < counted(old)?;
    let change = Change::of_file(Effect::ByHand, root, path, SURPLUS);
    let commands = vec![format!("{root}/{MADE_AWAY} surplus")];
    is_fewer.then_some(Change { commands, leaves_data: true, ..change })
}

/// Of a script that asks Cloud TPU for other slices: as long as its request is there, it asks for none.
pub(crate) fn asked_anew(
    root: &str,
    path: &str,
    (old, new): (&BTreeMap<&str, &str>, &BTreeMap<&str, &str>),
) -> Option<Change> {
    let away = format!("{root}/{MADE_AWAY}");
    let given_back = |files: &BTreeMap<&str, &str>| {
        let gives = |text: &&str| text.lines().any(|line| line.trim().starts_with(GIVEN_BACK));
        files.get(away.as_str()).copied().filter(gives).and_then(taking_away)
    };
    let said = |files: &BTreeMap<&str, &str>| -> Option<Vec<String>> {
        let lines = files.get(path)?.lines().filter(|line| !line.trim_start().starts_with('#'));
        Some(lines.map(str::to_owned).collect())
    };
    let is_same_request = given_back(old).is_some() && given_back(old) == given_back(new);
    let is_other = said(old)? != said(new)?;
    let change = Change::of_file(Effect::ByHand, root, path, ASKED_ANEW);
    let commands = vec![away.clone(), format!("{root}/{MADE_BY}")];
    let is_it = file_name(path) == MADE_BY && is_same_request && is_other;
    is_it.then_some(Change { commands, leaves_data: true, ..change })
}

/// Of a folder that is no longer in the output, where no root of Terraform tells it.
pub(crate) fn left_behind(root: &str, old: &[File<'_>]) -> Option<Change> {
    let command = script_of(root, old)?;
    let change = Change::of_file(Effect::ByHand, root, &command, RUN_ON);
    Some(Change { commands: vec![command], leaves_data: true, ..change })
}

/// Of a script that takes away something else from now on, or is there no more: a build leaves nothing that knows the former.
/// What takes their place is made once that is done.
pub(crate) fn lost(
    root: &str,
    path: &str,
    old: &str,
    files: &BTreeMap<&str, &str>,
) -> Option<Change> {
    let command = taking_away(old).filter(|_| file_name(path) == MADE_AWAY)?;
    let new = files.get(path).copied();
    if new.and_then(taking_away).as_ref() == Some(&command) {
        return None;
    }
    let made = format!("{root}/{MADE_BY}");
    let made = files.contains_key(made.as_str()).then_some(made);
    let change = Change::of_file(Effect::ByHand, root, path, ELSEWHERE);
    let commands = std::iter::once(command).chain(made).collect();
    Some(Change { commands, leaves_data: true, ..change })
}
