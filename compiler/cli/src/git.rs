//! What a repository answers. Git is asked as a program; where there is none, or no repository, nothing is known.

use slipform_source::MAX_FILE_BYTES;
use std::io::Write;
use std::path::{Path, PathBuf};
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

/// Where a folder lies below the root of its repository: `infra/`, and nothing for the root itself.
pub(crate) fn prefix(folder: &Path) -> Option<String> {
    let prefix = git(folder, &["rev-parse", "--show-prefix"], String::new())?;
    Some(String::from_utf8(prefix).ok()?.trim_end_matches('\n').to_owned())
}

/// The root of the repository of a folder.
pub(crate) fn root(folder: &Path) -> Option<PathBuf> {
    let root = git(folder, &["rev-parse", "--show-toplevel"], String::new())?;
    Some(PathBuf::from(String::from_utf8(root).ok()?.trim_end_matches('\n')))
}

/// Every file of a commit, by its path from the root of the repository.
pub(crate) fn listed(folder: &Path, commit: &str) -> Option<Vec<String>> {
    let listed = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
    let names = git(folder, &listed, String::new())?;
    Some(String::from_utf8_lossy(&names).split('\0').map(str::to_owned).collect())
}

/// The texts of files at a commit, in their order. Git takes a path from the root of the repository, or from the folder where it
/// begins with `./`, and in one line.
pub(crate) fn texts(folder: &Path, commit: &str, paths: &[&str]) -> Option<Vec<String>> {
    let asked = paths.iter().map(|path| format!("{commit}:{path}\n")).collect();
    let answer = git(folder, &["cat-file", "--batch"], asked)?;
    Some(batch(&answer).into_iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect())
}

/// The contents in the answer of `git cat-file --batch`: each behind a line that ends with its size.
fn batch(mut answer: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some(end) = answer.iter().position(|byte| *byte == b'\n') {
        let (head, rest) = answer.split_at(end);
        let size = String::from_utf8_lossy(head).rsplit(' ').next().and_then(|it| it.parse().ok());
        let text = size.and_then(|size: usize| rest.get(1..1 + size)).unwrap_or_default();
        found.push(text);
        answer = rest.get(text.len() + 2..).unwrap_or_default();
    }
    found
}

/// The first of some files that is longer at a commit than one on the disk may be, of paths as [`texts`] takes them. Nothing where
/// git refuses.
pub(crate) fn too_large(folder: &Path, commit: &str, paths: &[&str]) -> Option<Option<String>> {
    let asked = paths.iter().map(|path| format!("{commit}:{path}\n")).collect();
    let sizes = git(folder, &["cat-file", "--batch-check=%(objectsize)"], asked)?;
    let sizes = String::from_utf8_lossy(&sizes).into_owned();
    let large = |size: &str| size.parse::<usize>().is_ok_and(|size| size > MAX_FILE_BYTES);
    let mut found = paths.iter().zip(sizes.lines()).filter(|(_, size)| large(size));
    Some(found.next().map(|(path, _)| (*path).to_owned()))
}

/// The commits that a file of a folder was changed by, the newest first.
pub(crate) fn touching(folder: &Path, name: &str) -> Vec<String> {
    let commits = git(folder, &["log", MOST, "--format=%H", "--", name], String::new());
    String::from_utf8_lossy(&commits.unwrap_or_default()).lines().map(str::to_owned).collect()
}

/// The text of a file of a folder at a commit; nothing where it is longer than one on the disk may be.
pub(crate) fn file(folder: &Path, commit: &str, name: &str) -> Option<String> {
    let path = format!("./{name}");
    if too_large(folder, commit, &[&path]).is_none_or(|it| it.is_some()) {
        return None;
    }
    let text = git(folder, &["cat-file", "blob", &format!("{commit}:{path}")], String::new())?;
    String::from_utf8(text).ok()
}
