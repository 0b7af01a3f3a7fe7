//! What tests keep of artifacts, below `tests/snapshots`. Nothing else is ever written or removed.

use super::cases::{Cases, Run};
use super::{SNAPSHOTS, TEST_SNAPSHOT};
use crate::atomic;
use crate::blueprint::Blueprint;
use crate::folder::is_inside;
use crate::manifest::digest;
use crate::report::clean;
use crate::report::words::in_a_line;
use crate::stop::Stop;
use crate::world::{read, said};
use ::similar::TextDiff;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Said, TESTS};
use slipform_model::Diagnostic;
use slipform_source::ReadError;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// Letters of a value in the name of a folder.
const MOST_LETTERS: usize = 60;

/// Larger texts are not compared line by line.
const MOST_BYTES: usize = 1 << 20;

/// Files that are named of each sort.
const MOST_NAMED: usize = 4;

/// Lines of a difference that are shown.
const MOST_LINES: usize = 60;

/// The snapshots of a project, while its tests run.
pub(super) struct Snapshots<'b> {
    blueprint: &'b Blueprint,
    update: bool,
    /// Folders of runs whose files were all kept.
    known: BTreeSet<Utf8PathBuf>,
    /// Folders of runs that keep what they have.
    unknown: BTreeSet<Utf8PathBuf>,
    wanted: BTreeSet<Utf8PathBuf>,
    /// What was written, by paths as the user knows them.
    pub(super) written: Vec<Utf8PathBuf>,
    /// What nobody writes any more.
    pub(super) idle: Vec<Utf8PathBuf>,
    /// Whether that was removed.
    pub(super) removed: bool,
}

/// Where a file of tests keeps what its runs render.
pub(super) fn kept_of(file: &Utf8Path) -> Utf8PathBuf {
    file.with_extension("")
}

/// Where a run keeps what it renders: `policy.test/shapes/prod,nodes=2`.
pub(super) fn kept_at(file: &Utf8Path, run: &Run) -> Utf8PathBuf {
    let environment = run.environment.as_deref().unwrap_or("default");
    let values = run.set.iter().map(|(name, value)| format!("{name}={}", plain(value, "")));
    let with: Vec<String> = std::iter::once(plain(environment, "")).chain(values).collect();
    let test = if run.test.is_empty() { "all" } else { &run.test };
    kept_of(file).join(test).join(plain(&with.join(","), "=,"))
}

/// A text as a part of a path: what has a meaning in one, or is no letter everywhere, is left out, and a few letters tell what is
/// shortened apart. `between` stands between values, so that none may have it.
fn plain(text: &str, between: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') || between.contains(c);
    let spelled: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    if spelled == text && text.len() <= MOST_LETTERS && !text.starts_with('.') && !text.is_empty() {
        return spelled;
    }
    let kept = spelled.trim_start_matches('.').chars().take(MOST_LETTERS);
    let mark: String = digest(text.as_bytes()).chars().take(8).collect();
    format!("{}-{mark}", kept.collect::<String>())
}

/// What is kept of an artifact.
enum Kept {
    Nothing,
    Text(String),
    /// A file that is no text.
    Bytes,
}

/// What some noun renders to: a file of the output, or the parts of it that come from the noun.
pub(super) struct Rendered<'a> {
    pub(super) path: &'a Utf8Path,
    pub(super) text: String,
    /// As a test names the noun.
    pub(super) noun: &'a Said,
}

/// A file that is not what is kept of it: as whose, in which way, and where it lies in the output.
type Differing<'a> = (&'a Said, &'static str, String);

/// Why a run fails.
#[derive(Default)]
pub(super) struct Failure {
    pub(super) problems: Vec<Diagnostic>,
    /// Files that differ, line by line.
    pub(super) differences: Vec<String>,
}

impl Failure {
    /// Adds what is in the way of a snapshot, once.
    fn add(&mut self, why: String, noun: &Said) {
        let problem = Diagnostic::error(TEST_SNAPSHOT, why, noun.span);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

impl<'b> Snapshots<'b> {
    pub(super) fn new(blueprint: &'b Blueprint, update: bool) -> Self {
        Self {
            blueprint,
            update,
            known: BTreeSet::new(),
            unknown: BTreeSet::new(),
            wanted: BTreeSet::new(),
            written: Vec::new(),
            idle: Vec::new(),
            removed: false,
        }
    }

    /// A run keeps files in a folder; which ones is not known yet.
    pub(super) fn expect_below(&mut self, folder: &Utf8Path) {
        self.unknown.insert(folder.to_owned());
    }

    /// Compares what the nouns of a run render to with what is kept of it, or keeps it where nothing else is wrong.
    pub(super) fn compare(
        &mut self,
        folder: &Utf8Path,
        files: &[Rendered<'_>],
        nouns: &[Said],
        failure: &mut Failure,
    ) {
        let is_sound = failure.problems.is_empty();
        let mut others = Vec::new();
        for file in files {
            let at = folder.join(file.path);
            match self.kept(&at) {
                Ok(Kept::Text(kept)) if kept == file.text => {}
                Ok(kept) => others.push((at.clone(), file, kept)),
                Err(why) => failure.add(why, file.noun),
            }
            self.wanted.insert(at);
        }
        if self.update && failure.problems.is_empty() {
            others.iter().for_each(|(at, file, _)| self.keep(at, file, failure));
            self.unknown.remove(folder);
            self.known.insert(folder.to_owned());
            return;
        }
        let mut differing: Vec<Differing<'_>> = Vec::new();
        for (at, file, kept) in &others {
            if let Kept::Text(kept) = kept {
                let difference = difference(&self.shown(at), file.path, kept, &file.text);
                failure.differences.push(difference);
            }
            let what = if matches!(kept, Kept::Nothing) { "new" } else { "changed" };
            differing.push((file.noun, what, file.path.to_string()));
        }
        if let Some(first) = nouns.first().filter(|_| is_sound) {
            let gone = self.below(folder).into_iter().filter(|path| !self.wanted.contains(path));
            let path = |at: Utf8PathBuf| at.strip_prefix(folder).unwrap_or(&at).to_string();
            differing.extend(gone.map(|at| (first, "gone", path(at))));
        }
        let told = nouns.iter().filter_map(|noun| told(noun, &differing));
        failure.problems.extend(told);
    }

    fn keep(&mut self, at: &Utf8Path, file: &Rendered<'_>, failure: &mut Failure) {
        match self.write(at, &file.text) {
            Ok(()) => self.written.push(self.shown(at)),
            Err(why) => failure.add(why, file.noun),
        }
    }

    fn shown(&self, at: &Utf8Path) -> Utf8PathBuf {
        self.blueprint.base.join(TESTS).join(SNAPSHOTS).join(at)
    }

    fn root(&self) -> PathBuf {
        self.blueprint.folder.join(TESTS).join(SNAPSHOTS)
    }

    /// What is kept at a path, below folders that lead nowhere else.
    fn kept(&self, at: &Utf8Path) -> Result<Kept, String> {
        if !is_inside(at) {
            return Err(format!("`{at}` leads out of the folder of snapshots"));
        }
        for folder in self.folders(at) {
            match std::fs::symlink_metadata(self.blueprint.folder.join(&folder)) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) => {
                    let what = match metadata.is_symlink() {
                        true => "is a symbolic link: what is written there could lie elsewhere",
                        false => "is a file where a folder must be",
                    };
                    return Err(format!("`{}` {what}", self.blueprint.base.join(folder)));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::Nothing),
                Err(error) => return Err(unusable(&self.blueprint.base.join(folder), &error)),
            }
        }
        let path = self.root().join(at);
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok(match read(&path) {
                Ok(text) => Kept::Text(text.to_string()),
                Err(ReadError::NotUtf8(_)) => Kept::Bytes,
                Err(why) => return Err(format!("`{}` cannot be read: {why}", self.shown(at))),
            }),
            Ok(metadata) if metadata.is_symlink() => {
                Err(format!("`{}` is a symbolic link, and no snapshot", self.shown(at)))
            }
            Ok(_) => Err(format!("`{}` is no file, as a snapshot is", self.shown(at))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::Nothing),
            Err(error) => Err(unusable(&self.shown(at), &error)),
        }
    }

    /// The folders that a snapshot lies in, of the project, the outermost first.
    fn folders(&self, at: &Utf8Path) -> Vec<Utf8PathBuf> {
        let path = Utf8Path::new(TESTS).join(SNAPSHOTS).join(at);
        let above = path.ancestors().skip(1).filter(|it| !it.as_str().is_empty());
        let mut above: Vec<Utf8PathBuf> = above.map(Utf8Path::to_owned).collect();
        above.reverse();
        above
    }

    fn write(&self, at: &Utf8Path, text: &str) -> Result<(), String> {
        let path = self.root().join(at);
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder)
            .and_then(|()| atomic::write(&path, text))
            .map_err(|error| unusable(&self.shown(at), &error))
    }

    /// Finds what nobody writes any more, and removes it where snapshots are kept anew. Of tests that did not run nothing is
    /// known.
    pub(super) fn tidy(&mut self, cases: &Cases) -> Result<(), Stop> {
        let mut found = self.below(Utf8Path::new(""));
        let is_below = |path: &Utf8Path, folders: &BTreeSet<Utf8PathBuf>| {
            path.ancestors().any(|it| folders.contains(it))
        };
        found.retain(|path| {
            // A run that keeps nothing anew tells by itself of what is gone.
            let is_judged =
                is_below(path, &self.known) || cases.is_whole() && !is_below(path, &self.unknown);
            is_judged && !self.wanted.contains(path)
        });
        self.idle = found.iter().map(|path| self.shown(path)).collect();
        if self.update {
            self.remove(&found)?;
            self.removed = true;
        }
        Ok(())
    }

    /// Every file below a folder of snapshots, by path.
    fn below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for (name, is_folder) in self.inside(&folder) {
                let path = folder.join(name);
                match is_folder {
                    true => folders.push(path),
                    false => found.push(path),
                }
            }
        }
        found.sort();
        found
    }

    /// What lies in a folder of snapshots; hidden names are nobody's here.
    fn inside(&self, folder: &Utf8Path) -> Vec<(String, bool)> {
        let leads_here = self.folders(&folder.join("x")).into_iter().all(|it| {
            let at = std::fs::symlink_metadata(self.blueprint.folder.join(it));
            at.is_ok_and(|metadata| metadata.is_dir())
        });
        let entries = leads_here.then(|| std::fs::read_dir(self.root().join(folder)).ok());
        let entries = entries.flatten().into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.file_type().ok()?.is_dir();
            (!name.starts_with('.')).then_some((name, is_folder))
        });
        named.collect()
    }

    fn remove(&self, files: &[Utf8PathBuf]) -> Result<(), Stop> {
        for path in files {
            std::fs::remove_file(self.root().join(path))
                .map_err(|error| Stop::new(TEST_SNAPSHOT, unusable(&self.shown(path), &error)))?;
            let folders = path.ancestors().skip(1).filter(|it| !it.as_str().is_empty());
            for folder in folders {
                if std::fs::remove_dir(self.root().join(folder)).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The report about the files of one noun.
fn told(noun: &Said, differing: &[Differing<'_>]) -> Option<Diagnostic> {
    let own: Vec<&Differing<'_>> =
        differing.iter().filter(|(of, ..)| of.span == noun.span).collect();
    if own.is_empty() {
        return None;
    }
    let of_word = |word: &str| {
        let paths: Vec<&str> = own
            .iter()
            .filter_map(|(_, what, path)| (*what == word).then_some(path.as_str()))
            .collect();
        let named = paths.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
        match paths.len() {
            0 => None,
            count if count > MOST_NAMED => {
                Some(format!("{word}: {named} and {} more", count - MOST_NAMED))
            }
            _ => Some(format!("{word}: {named}")),
        }
    };
    let all: Vec<String> = ["changed", "new", "gone"].into_iter().filter_map(of_word).collect();
    let report = |message: String| {
        Diagnostic::error(TEST_SNAPSHOT, message, noun.span).labelled(all.join("; "))
    };
    Some(match own.iter().all(|(_, what, _)| *what == "new") {
        true => report(format!("nothing is kept of what `{}` renders to here", noun.value))
            .help("`slipform test --update` keeps it"),
        false => report(format!("what `{}` renders to is not what is kept of it", noun.value))
            .help("where it is meant, `slipform test --update` keeps it"),
    })
}

fn unusable(path: &Utf8Path, error: &io::Error) -> String {
    format!("`{path}` cannot be used: {}", said(error))
}

/// Two texts, line by line where they differ.
fn difference(shown: &Utf8Path, path: &Utf8Path, kept: &str, text: &str) -> String {
    if kept.len().max(text.len()) > MOST_BYTES {
        return format!("{shown} and {path} are too large to be compared line by line\n");
    }
    let diff = TextDiff::from_lines(kept, text);
    let mut unified = diff.unified_diff();
    let (kept, made) = (in_a_line(shown.as_str()), in_a_line(path.as_str()));
    let whole = unified.context_radius(2).header(&kept, &made).to_string();
    let lines = whole.lines().count();
    let mut shown: String = whole.split_inclusive('\n').take(MOST_LINES).collect();
    if lines > MOST_LINES {
        shown.push_str(&format!("... and {} more lines\n", lines - MOST_LINES));
    }
    clean(&shown)
}
