//! What a repository answers. Git is asked as a program; where there is none, or no repository, nothing is known.

use slipform_source::MAX_FILE_BYTES;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Revisions of one file that are looked at.
const MOST: &str = "--max-count=32";

/// What git answers in a folder to what it is told; nothing where it refuses.
pub(crate) fn git(folder: &Path, args: &[&str], told: String) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    // it answers while it is told: who first said all would wait for ever
    let telling = std::thread::spawn(move || stdin.write_all(told.as_bytes()));
    let output = child.wait_with_output().ok()?;
    telling.join().ok()?.ok()?;
    output.status.success().then_some(output.stdout)
}

/// The commit that a revision names.
pub(crate) fn commit(folder: &Path, revision: &str) -> Option<String> {
    if revision.starts_with('-') {
        return None;
    }
    let asked = format!("{revision}^{{commit}}");
    let commit = git(folder, &["rev-parse", "--verify", "--quiet", &asked], String::new())?;
    Some(String::from_utf8(commit).ok()?.trim().to_owned())
}

/// The first of some files of a folder that is longer at a commit than one on the disk may be. Nothing where git refuses.
pub(crate) fn too_large(folder: &Path, commit: &str, names: &[&str]) -> Option<Option<String>> {
    let asked = names.iter().map(|name| format!("{commit}:./{name}\n")).collect();
    let sizes = git(folder, &["cat-file", "--batch-check=%(objectsize)"], asked)?;
    let sizes = String::from_utf8_lossy(&sizes).into_owned();
    let large = |size: &str| size.parse::<usize>().is_ok_and(|size| size > MAX_FILE_BYTES);
    let mut found = names.iter().zip(sizes.lines()).filter(|(_, size)| large(size));
    Some(found.next().map(|(name, _)| (*name).to_owned()))
}

/// The commits that a file of a folder was changed by, the newest first.
pub(crate) fn touching(folder: &Path, name: &str) -> Vec<String> {
    let commits = git(folder, &["log", MOST, "--format=%H", "--", name], String::new());
    String::from_utf8_lossy(&commits.unwrap_or_default()).lines().map(str::to_owned).collect()
}

/// The text of a file of a folder at a commit; nothing where it is longer than one on the disk may be.
pub(crate) fn file(folder: &Path, commit: &str, name: &str) -> Option<String> {
    if too_large(folder, commit, &[name]).is_none_or(|it| it.is_some()) {
        return None;
    }
    let text = git(folder, &["cat-file", "blob", &format!("{commit}:./{name}")], String::new())?;
    String::from_utf8(text).ok()
}
