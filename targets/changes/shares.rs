//! A share that gives way to another: what is in it is copied while both are there, by hosts that mount the former until then.

use crate::{Change, Effect, File, by_root, file_name, root_of, terraform, toolkit};
use std::collections::BTreeSet;

/// Has the other share made, and the cluster taken away behind the copy, before the folder is applied that destroys the former.
pub(crate) fn hand_over(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let losing: Vec<String> =
        found.iter().filter(|it| loses_share(it)).map(|it| it.root.clone()).collect();
    let (old, new) = (by_root(before), by_root(after));
    let made = |root: &str, output: &str| {
        let head = format!("output \"{output}\" ");
        let text = |files: &[File<'_>]| {
            files.iter().find_map(|it| Some(it.text.split_once(&head)?.1.to_owned()))
        };
        let is_new = old.get(root).is_some_and(|files| text(files).is_none());
        let block = text(new.get(root)?).filter(|_| is_new)?;
        let words = block
            .split_once("value")?
            .1
            .split(|c: char| !c.is_alphanumeric() && !"_.-".contains(c));
        let mut server = words.filter(|it| it.starts_with(SHARE));
        let mut names = server.next()?.split('.');
        Some(format!("{}.{}", names.next()?, names.next()?))
    };
    for change in found.iter_mut() {
        // the copy comes before anything is applied
        let mut from: BTreeSet<String> = BTreeSet::new();
        let copied = |it: &String| {
            let (root, output) = filled_from(it)?;
            let server = made(root, output)?;
            from.insert(root.to_owned());
            Some(format!(
                "terraform -chdir={root} apply -target={server}  # beside the former, which is copied there first"
            ))
        };
        let beside: Vec<String> = change.commands.iter().filter_map(copied).collect();
        let is_first = change.commands.iter().any(|it| toolkit::is_first_of_all(it));
        let at = change.commands.iter().position(|it| filled_from(it).is_some());
        if let Some(at) = at.filter(|_| !beside.is_empty()) {
            change.commands.splice(at..at, beside);
            if is_first || losing.iter().any(|it| from.contains(it)) {
                toolkit::put_first(&mut change.commands, &change.root);
            }
        }
    }
}

/// Makes what else comes before hosts let go of what goes: a folder that takes something away from them is applied behind them, and they may need what it makes.
pub(crate) fn make_first(found: &mut [Change]) {
    let goes = |it: &Change| {
        let is_mounted =
            [SHARE, "google_storage_bucket."].iter().any(|of| it.thing.starts_with(of));
        // who mounts a bucket needs the right to it until then
        let is_right = it.thing.starts_with("google_storage_bucket_iam_") && it.revokes();
        is_mounted && it.effect == Effect::DestroysData && it.details.is_empty() || is_right
    };
    let losing: BTreeSet<String> =
        found.iter().filter(|it| goes(it)).map(|it| it.root.clone()).collect();
    for root in losing {
        let is_made = |it: &&Change| {
            let resource = it.thing.split('.').next().unwrap_or_default();
            it.root == root && it.effect == Effect::Adds && resource.starts_with("google_")
        };
        let made = found.iter().filter(is_made);
        let made: BTreeSet<&str> = made.filter_map(|it| it.thing.split('[').next()).collect();
        let targets: String = made.iter().map(|it| format!(" -target={it}")).collect();
        if targets.is_empty() {
            continue;
        }
        let command = format!("terraform -chdir={root} apply{targets}  # {MADE_FIRST}");
        let lets_go = |it: &&mut Change| it.root != root && it.unmounts();
        let roots: BTreeSet<String> =
            found.iter_mut().filter(lets_go).map(|it| it.root.clone()).collect();
        for change in found.iter_mut().filter(|it| roots.contains(&it.root)) {
            let create = format!("gcluster create {}/", change.root);
            if let Some(at) = change.commands.iter().position(|it| it.starts_with(&create)) {
                change.commands.insert(at, command.clone());
            }
        }
    }
}

/// Why some of a folder is applied before the rest.
pub(crate) const MADE_FIRST: &str = "what comes, before hosts let go of what goes";

/// Keeps what is in a share that goes behind the last of those who write to it.
pub(crate) fn keep_last(found: &mut [Change], before: &[File<'_>]) {
    let goes = |it: &&mut Change| loses_share(it) && it.details.is_empty();
    let mut kept: Vec<(String, String)> = Vec::new();
    for change in found.iter_mut().filter(goes) {
        let outputs = outputs_of(&change.thing, before);
        let is_mounted = |output: &String| before.iter().any(|it| mounts(it, output));
        if let Some(output) = outputs.into_iter().find(is_mounted) {
            let is_kept = |it: &mut String| it.starts_with(terraform::KEPT);
            let commands = change.commands.extract_if(.., is_kept);
            kept.extend(commands.map(|it| (output.clone(), it)));
        }
    }
    for (output, command) in kept {
        let on: Vec<&str> =
            before.iter().filter(|it| mounts(it, &output)).map(|it| root_of(it.path)).collect();
        let changes = |it: &&mut Change| {
            on.contains(&it.root.as_str())
                && !it.commands.is_empty()
                && it.effect != Effect::Nothing
        };
        let goes_first = |it: &Change| it.commands.iter().any(|it| toolkit::is_first_of_all(it));
        let first: BTreeSet<String> =
            found.iter().filter(|it| goes_first(it)).map(|it| it.root.clone()).collect();
        let mut given = false;
        for change in found.iter_mut().filter(changes) {
            if first.contains(&change.root) && !goes_first(change) {
                continue;
            }
            let last = change.commands.iter().rposition(|it| toolkit::is_first_of_all(it));
            match last {
                Some(at) => change.commands.insert(at + 1, toolkit::first_of_all(&command)),
                None => change.commands.push(command.clone()),
            }
            given = true;
        }
        // nobody lets go of it
        let lost = found.iter_mut().find(|it| !given && loses_share(it) && it.details.is_empty());
        if let Some(change) = lost {
            change.commands.insert(0, command);
        }
    }
}

/// The outputs that say where a share is.
fn outputs_of(thing: &str, files: &[File<'_>]) -> Vec<String> {
    let texts = files.iter().flat_map(|it| it.text.split("output \"").skip(1));
    let of_it = texts.filter_map(|block| {
        let (name, rest) = block.split_once('"')?;
        let value = rest.split("\n}").next()?;
        value.contains(&format!("{thing}.")).then(|| name.to_owned())
    });
    of_it.collect()
}

/// Whether a cluster takes an output.
fn mounts(file: &File<'_>, output: &str) -> bool {
    file_name(file.path) == toolkit::FILES[0] && file.text.contains(&format!("$(vars.{output})"))
}

const SHARE: &str = "google_filestore_instance.";

fn loses_share(change: &Change) -> bool {
    change.thing.starts_with(SHARE) && change.effect == Effect::DestroysData
}

/// The folder, and the output of it, that says where the share is which a command fills before its cluster goes.
fn filled_from(command: &str) -> Option<(&str, &str)> {
    let copied = [toolkit::COPIED_FIRST, toolkit::COPIED_BESIDE];
    let (_, said) = copied.iter().find_map(|it| command.split_once(it))?;
    let (root, rest) = said.split_once("terraform -chdir=")?.1.split_once(" output -raw ")?;
    Some((root, rest.split('`').next()?))
}
