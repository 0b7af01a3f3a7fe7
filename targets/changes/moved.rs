//! Runs that stand on another cluster from now on: what was started on the former one goes on there.

use crate::{Change, Effect, File, files, kubernetes, root_of};

/// A run, or what else is in a cluster, and the one that it was on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The folder that it is started from, on both sides.
    pub root: String,
    /// What the former cluster is called; none where it ends with that.
    pub from: Option<String>,
}

/// Tells of each run, in place of what differs in its files, what ends it where it was, and that it is started where it is now.
pub fn move_runs(
    found: &mut Vec<Change>,
    before: &[File<'_>],
    after: &[File<'_>],
    moved: &[Moved],
) {
    for run in moved {
        let (old, new) = (of_root(&run.root, before), of_root(&run.root, after));
        let left = kubernetes::left_behind(&run.root, &old)
            .or_else(|| files::left_behind(&run.root, &old, &[]));
        found.retain(|it| it.root != run.root);
        found.extend(left.zip(run.from.as_ref()).map(|(it, from)| goes_on(it, from)));
        found.extend(kubernetes::changes(&run.root, &[], &new));
        found.extend(files::changes(&run.root, &[], &new, &files::Built::default()));
    }
    found.sort_by_key(|it| it.effect);
}

/// A command that is for one cluster of several, which it says as a comment.
pub fn on(command: &str, cluster: &str) -> String {
    match command.contains(ON) {
        true => command.to_owned(),
        false => format!("{command}{ON}{cluster}"),
    }
}

/// A command without what it says of its cluster.
pub fn bare(command: &str) -> &str {
    command.split_once(ON).map_or(command, |(command, _)| command)
}

const ON: &str = "  # on ";

fn goes_on(left: Change, from: &str) -> Change {
    let there = |command: &String| on(command, from);
    Change {
        commands: left.commands.iter().map(there).collect(),
        why: format!(
            "on `{from}`, where it was, it goes on until this is given there, before the other one starts"
        ),
        ..left
    }
}

fn of_root<'a>(root: &str, files: &[File<'a>]) -> Vec<File<'a>> {
    files.iter().filter(|it| root_of(it.path) == root).copied().collect()
}

/// Whether a cluster ends with a change, or is to be taken away.
pub fn ends_cluster(change: &Change) -> bool {
    change.is_left_cluster() || change.is_of_cluster() && change.effect <= Effect::Replaces
}
