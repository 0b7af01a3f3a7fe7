//! What pages of an output ask of whoever follows them, which no file holds: secrets, and who may use what of Slurm.

use crate::files::beyond;
use crate::{Change, Effect};
use std::collections::{BTreeMap, BTreeSet};

/// How the page of an output begins the lines that make what runs read and no file holds.
const MAKES_SECRETS: [&str; 6] = [
    "kubectl create secret ",
    "gcloud secrets create ",
    "gcloud secrets add-iam-policy-binding ",
    "(umask 077 && mkdir -p ",
    "(umask 077 && printf ",
    "install -m 600 <(printf ",
];

/// Secrets that are read and were not read before, and who may read them: nothing makes them but who follows the pages of the output.
pub(crate) fn secrets(
    root: &str,
    old: &BTreeMap<&str, &str>,
    new: &BTreeMap<&str, &str>,
) -> Option<Change> {
    let (page, commands) = asked_by_page(root, &MAKES_SECRETS, old, new)?;
    let why = match commands.iter().any(|it| it.contains("add-iam-policy-binding")) {
        true => {
            "what reads them does not start before they are there; an account that may read one is made before it may"
        }
        false => "what reads them does not start before they are there",
    };
    Some(Change {
        commands,
        thing: "secrets".to_owned(),
        ..Change::of_file(Effect::ByHand, root, &page, why)
    })
}

/// Secrets that a cluster does not have: it is made anew, or runs come to it from another one.
pub fn without_secrets(page: &str, commands: Vec<String>) -> Change {
    let why = "their cluster is a new one, or no run in it read them: what does so does not start before they are there, which is once their namespace is";
    Change {
        commands,
        thing: "secrets".to_owned(),
        ..Change::of_file(Effect::ByHand, "", page, why)
    }
}

/// How the page of a cluster begins the lines that tell Slurm who may use what.
const TELLS_ACCOUNTS: [&str; 1] = ["sudo sacctmgr "];
const KNOWN_ONCE_TOLD: &str = "no file has them: Slurm knows accounts and qualities of service once they are told to it, and refuses jobs that name others";

/// Accounts and qualities of service that were not there before, or are others.
pub(crate) fn accounts(
    root: &str,
    old: &BTreeMap<&str, &str>,
    new: &BTreeMap<&str, &str>,
) -> Option<Change> {
    let (page, commands) = asked_by_page(root, &TELLS_ACCOUNTS, old, new)?;
    Some(Change {
        commands,
        thing: "accounts".to_owned(),
        ..Change::of_file(Effect::ByHand, root, &page, KNOWN_ONCE_TOLD)
    })
}

/// What is told of them.
pub(crate) const FOLDERS: &str = "folders";

/// How a page makes the folders that users write to; what stands before it says on which cluster.
const MAKES_FOLDERS: &str = "sudo install -d -m 1777 ";

/// Folders of a cluster that was there before, which lie elsewhere from then on.
pub(crate) fn folders(
    root: &str,
    old: &BTreeMap<&str, &str>,
    new: &BTreeMap<&str, &str>,
) -> Option<Change> {
    let page = if root.is_empty() { "README.md".to_owned() } else { format!("{root}/README.md") };
    let lines = |files: &BTreeMap<&str, &str>| -> Vec<String> {
        files.get(page.as_str()).copied().unwrap_or_default().lines().map(str::to_owned).collect()
    };
    let made = |line: &str| -> Option<(String, String)> {
        let (head, folders) = line.split_once(MAKES_FOLDERS)?;
        let host = head.rsplit('=').next().unwrap_or_default();
        Some((host.to_owned(), folders.to_owned()))
    };
    let (old, new) = (lines(old), lines(new));
    let known: BTreeSet<(String, String)> = old.iter().filter_map(|it| made(it)).collect();
    let moves = |line: &String| {
        let Some(made) = made(line) else { return false };
        !known.contains(&made) && known.iter().any(|(host, _)| *host == made.0)
    };
    let commands: Vec<String> = new
        .iter()
        .enumerate()
        .filter(|(_, line)| moves(line))
        .flat_map(|(at, line)| {
            let found = new.iter().take(at).rfind(|it| it.starts_with(FINDS_HOST));
            let found = found.filter(|_| line.contains("\"$LOGIN\""));
            let waits = at.checked_sub(1).and_then(|at| new.get(at));
            let waits = waits.filter(|it| it.contains("until mountpoint "));
            found.into_iter().chain(waits).chain([line]).cloned().collect::<Vec<String>>()
        })
        .collect();
    let why = "jobs write there what they say, and images lie there: nothing makes the folders but who follows the page, before the next job is submitted";
    (!commands.is_empty()).then(|| Change {
        commands,
        thing: FOLDERS.to_owned(),
        ..Change::of_file(Effect::ByHand, root, &page, why)
    })
}

/// What finds the host that such a line is for.
const FINDS_HOST: &str = "LOGIN=";

/// The page of a folder that was there before, and those of its lines with such beginnings that it did not have.
fn asked_by_page(
    root: &str,
    starts: &[&str],
    old: &BTreeMap<&str, &str>,
    new: &BTreeMap<&str, &str>,
) -> Option<(String, Vec<String>)> {
    let page = if root.is_empty() { "README.md".to_owned() } else { format!("{root}/README.md") };
    let lines = |files: &BTreeMap<&str, &str>| -> Vec<String> {
        let lines = files.get(page.as_str()).copied().unwrap_or_default().lines();
        let made = lines.filter(|line| starts.iter().any(|start| line.starts_with(start)));
        made.map(str::to_owned).collect()
    };
    let commands = beyond(&lines(new), &lines(old));
    let is_asked = old.contains_key(page.as_str()) && !commands.is_empty();
    is_asked.then_some((page, commands))
}
