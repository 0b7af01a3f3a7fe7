//! A share that gives way to another: what is in it is copied while both are there, by hosts that mount the former until then.

use crate::{Change, Effect, File, by_root, toolkit};

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
        let copied = |it: &String| {
            let (root, output) = filled_from(it)?;
            let server = made(root, output).filter(|_| losing.iter().any(|it| it == root))?;
            Some(format!(
                "terraform -chdir={root} apply -target={server}  # beside the former, which is copied there first"
            ))
        };
        let beside: Vec<String> = change.commands.iter().filter_map(copied).collect();
        if let Some(at) = change
            .commands
            .iter()
            .position(|it| filled_from(it).is_some())
            .filter(|_| !beside.is_empty())
        {
            change.commands.splice(at..at, beside);
            toolkit::put_first(&mut change.commands, &change.root);
        }
    }
}

const SHARE: &str = "google_filestore_instance.";

fn loses_share(change: &Change) -> bool {
    change.thing.starts_with(SHARE) && change.effect == Effect::DestroysData
}

/// The folder, and the output of it, that says where the share is which a command fills before its cluster goes.
fn filled_from(command: &str) -> Option<(&str, &str)> {
    let (_, said) = command.split_once(toolkit::COPIED_FIRST)?;
    let (root, rest) = said.split_once("terraform -chdir=")?.1.split_once(" output -raw ")?;
    Some((root, rest.split('`').next()?))
}
