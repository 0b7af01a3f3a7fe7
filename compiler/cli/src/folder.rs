//! An output folder: what lies in it, whose it is, and what a build would change.
//!
//! [`Folder::changes`] only looks. What may not be touched is refused there, all of it at once; [`Changes::apply`] then
//! does everything or nothing.

pub(crate) mod commit;
mod left;
mod look;

pub(crate) use left::Left;
use look::{Look, advised};

use crate::manifest::{Entry, MANIFEST, Manifest, Rights, digest};
use crate::stop::Stop;
use crate::world::said;
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use slipform_targets::left_behind::FormerMachines;
use slipform_targets::{Applied, by_folders};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::PathBuf;

slipform_source::codes! {
    pub(crate) CODES;
    OUTPUT_EDITED = "output/edited":
        "a file that a build wrote was edited since",
        "move the change into the blueprint (a `patch` block reaches every field), or build with `--force`";
    OUTPUT_FILE = "output/file":
        "a file stands where the output needs a folder",
        "move it away";
    OUTPUT_FOLDER = "output/folder":
        "a folder stands where the output needs a file",
        "move it away";
    OUTPUT_FOREIGN = "output/foreign":
        "a file that no build wrote stands where the output needs one",
        "move it away, or build with `--force`";
    OUTPUT_FOREIGN_FOLDER = "output/foreign-folder":
        "the output folder holds files, and none was written by a build",
        "name another folder with `--out`, or build with `--force` to write beside them";
    OUTPUT_LINK = "output/link":
        "a symbolic link stands where the output needs a folder; what is written there could lie anywhere",
        "replace it by a folder";
    OUTPUT_MANIFEST = "output/manifest":
        "the manifest of the output folder cannot be understood, so nobody knows whose the files are",
        "build with `--force` to write it anew";
    OUTPUT_NOT_A_FOLDER = "output/not-a-folder":
        "the output folder is a file",
        "name another folder with `--out`";
    OUTPUT_OTHER_BUILD = "output/other-build":
        "the output folder belongs to another blueprint or environment",
        "name another folder with `--out`, or build with `--force` to replace what is there";
    OUTPUT_PATH = "output/path":
        "an artifact would lie outside of the output folder, or on top of another",
        "rename the nouns that it is named after";
    OUTPUT_UNREADABLE = "output/unreadable":
        "something in the output folder cannot be read",
        "check its permissions";
}

/// Where files are kept until all of them are there.
const STAGING: &str = ".slipform-staging";

/// Bytes of the largest file that is looked at: a manifest of a million artifacts has fewer.
const LARGEST: u64 = 512 << 20;

/// A file to be.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct File {
    pub(crate) path: Utf8PathBuf,
    pub(crate) content: String,
    pub(crate) executable: bool,
    pub(crate) nouns: Vec<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) applied: Option<Applied>,
}

/// The whole content of an output folder, as one build wants it.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) catalog: String,
    pub(crate) blueprint: String,
    pub(crate) environment: String,
    pub(crate) project: Option<String>,
    /// Projects that it was before, where something may still be there.
    pub(crate) former_projects: Vec<String>,
    /// What commands made where no script looks for it any more.
    pub(crate) former_machines: Vec<FormerMachines>,
    /// By path.
    pub(crate) files: Vec<File>,
    /// Files that this build does not make but another one of the same blueprint does: they stay.
    pub(crate) others: BTreeSet<Utf8PathBuf>,
    /// What nouns are called outside of the blueprint, where that is another name; by their paths.
    pub(crate) was: BTreeMap<String, String>,
    /// The paths of all nouns, by kind.
    pub(crate) nouns: BTreeMap<String, Vec<String>>,
    /// How the blueprint declares them, by their paths, where these do not tell it.
    pub(crate) origins: BTreeMap<String, String>,
    /// The nouns that someone else owns, as they are called outside.
    pub(crate) existing: Vec<String>,
    /// Which things nouns are that may be elsewhere, by their paths.
    pub(crate) places: BTreeMap<String, String>,
    /// The runs that stand on nouns or need them, by the paths of these.
    pub(crate) runs: BTreeMap<String, Vec<String>>,
    /// The runs that use each right that is given here.
    pub(crate) rights: Rights,
}

/// What a build may do to what it did not make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permission {
    /// Overwrite files that someone else wrote or edited.
    pub(crate) overwrite: bool,
    /// Remove folders that the blueprint asks for no more, though what was applied from them may still be there.
    pub(crate) prune: bool,
}

/// A folder for artifacts.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// As the user knows it.
    pub(crate) shown: Utf8PathBuf,
    /// For the system.
    pub(crate) at: PathBuf,
}

/// What happens to one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Create,
    Update,
    Remove,
}

/// What a build changes.
#[derive(Debug)]
pub(crate) struct Changes {
    folder: Folder,
    /// By path; the manifest is not among them.
    pub(crate) files: BTreeMap<Utf8PathBuf, Change>,
    /// Folders that move, whole.
    pub(crate) moved: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Folders that go, whole.
    pub(crate) dropped: BTreeSet<Utf8PathBuf>,
    pub(crate) unchanged: usize,
    /// The manifest's text, where it changes.
    pub(crate) manifest: Option<String>,
    /// The manifest that all of this was compared with.
    before: Option<Manifest>,
    written: HashMap<String, File>,
}

/// What is to happen in a folder, while it is found out.
struct Draft<'a> {
    look: Look<'a>,
    left: &'a [Left],
    prune: bool,
    files: Vec<(Utf8PathBuf, Change)>,
    /// What stays in the manifest though it is not made.
    kept: Vec<Entry>,
    dropped: BTreeSet<Utf8PathBuf>,
}

impl<'a> Draft<'a> {
    fn new(
        folder: &'a Folder,
        owned: &'a HashMap<&'a str, &'a Entry>,
        cut: &'a HashSet<(&'a str, &'a str)>,
        left: &'a [Left],
        permission: Permission,
    ) -> Self {
        let look = Look {
            folder,
            owned,
            cut,
            force: permission.overwrite,
            refused: Vec::new(),
            parents: HashMap::new(),
        };
        let (files, kept, dropped) = (Vec::new(), Vec::new(), BTreeSet::new());
        Self { look, left, prune: permission.prune, files, kept, dropped }
    }

    /// Whether what lies at a path leaves with a folder that is left behind.
    fn is_left(&self, path: &Utf8Path) -> bool {
        self.left.iter().any(|left| left.takes(path))
    }

    /// A file that is to lie there.
    fn made(&mut self, file: &File) -> Result<(), Stop> {
        let change = if self.is_left(&file.path) {
            self.look.parents(&file.path)?.then_some(Change::Create)
        } else {
            self.look.wanted(file)?
        };
        self.files.extend(change.map(|change| (file.path.clone(), change)));
        Ok(())
    }

    /// A file of the last build that is not made any more, or not there.
    fn gone(&mut self, entry: &Entry) -> Result<(), Stop> {
        match self.left.iter().find(|left| left.has(&entry.path)) {
            Some(left) if !self.prune => self.kept.extend(left.kept(entry)),
            Some(left) if left.is_root() => {
                if self.look.folder.is_inside(&entry.path)? {
                    self.files.push((entry.path.clone(), Change::Remove));
                }
            }
            Some(left) => {
                self.dropped.insert(left.from.clone());
            }
            None => match left::kept_folder(&entry.path) {
                Some(folder) if self.look.folder.is_inside(&folder)? => {
                    self.dropped.insert(folder);
                }
                Some(_) => {}
                None if self.look.unwanted(entry)? => {
                    self.files.push((entry.path.clone(), Change::Remove));
                }
                None => {}
            },
        }
        Ok(())
    }

    /// The folders that are left behind, from where to where.
    fn moved(&mut self) -> Result<BTreeMap<Utf8PathBuf, Utf8PathBuf>, Stop> {
        let mut moved = BTreeMap::new();
        for left in self.left.iter().filter(|left| left.moves() && !self.prune) {
            if self.look.parents(&left.told.folder)? {
                moved.insert(left.from.clone(), left.told.folder.clone());
            }
        }
        Ok(moved)
    }
}

/// What stands at a path.
#[derive(PartialEq, Debug)]
enum Found {
    Nothing,
    File { bytes: Vec<u8>, executable: bool },
    Link,
    Folder,
}

impl Folder {
    /// Compares what lies in the folder with what is to lie there, besides what is left behind.
    ///
    /// # Errors
    /// Everything that may not be touched: files of others, edited files (both may, with permission), and whatever stands
    /// where a file or folder must be or leads out of the folder.
    pub(crate) fn changes(
        &self,
        content: Content,
        left: &[Left],
        permission: Permission,
    ) -> Result<Changes, Stop> {
        check_paths(&content.files)?;
        let before = self.manifest(&content, permission.overwrite)?;
        let entries: &[Entry] = before.as_ref().map_or(&[], |before| &before.artifacts);
        let owned: HashMap<&str, &Entry> =
            entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let torn = self.cut_short();
        let half_done = || torn.iter().flat_map(|torn| &torn.artifacts);
        let cut = half_done().map(|entry| (entry.path.as_str(), entry.sha256.as_str())).collect();
        let mut draft = Draft::new(self, &owned, &cut, left, permission);
        for file in &content.files {
            draft.made(file)?;
        }
        let unchanged = content.files.len() - draft.files.len();
        let made: HashSet<&str> = content.files.iter().map(|file| file.path.as_str()).collect();
        let new = half_done().filter(|entry| !owned.contains_key(entry.path.as_str()));
        for entry in entries.iter().chain(new) {
            if made.contains(entry.path.as_str()) && !draft.is_left(&entry.path) {
                continue;
            }
            if content.others.contains(&entry.path) {
                draft.kept.push(entry.clone());
            } else {
                draft.gone(entry)?;
            }
        }
        let moved = draft.moved()?;
        let Draft { look, files, kept, dropped, .. } = draft;
        if !look.refused.is_empty() {
            return Err(advised(look.refused));
        }
        let manifest = manifest(&content, kept).text();
        let is_same = before.as_ref().is_some_and(|before| before.text() == manifest);
        let written = content.files.into_iter().map(|file| (file.path.to_string(), file));
        Ok(Changes {
            folder: self.clone(),
            files: files.into_iter().collect(),
            moved,
            dropped,
            unchanged,
            manifest: (!is_same).then_some(manifest),
            before,
            written: written.collect(),
        })
    }

    /// What builds meant to write that were cut short while they renamed files into place: each left its manifest behind.
    fn cut_short(&self) -> Vec<Manifest> {
        let staging = self.at.join(STAGING);
        let is_folder = std::fs::symlink_metadata(&staging).is_ok_and(|found| found.is_dir());
        let entries = is_folder.then(|| std::fs::read_dir(&staging).ok()).flatten();
        let names = entries.into_iter().flatten().flatten();
        let mut names: Vec<_> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| commit::is_manifest(name))
            .collect();
        names.sort();
        let text = |name: &String| match self.found(&Utf8Path::new(STAGING).join(name)) {
            Ok(Found::File { bytes, .. }) => String::from_utf8(bytes).ok(),
            _ => None,
        };
        names.iter().filter_map(|name| Manifest::read(&text(name)?).ok()).collect()
    }

    /// What the last build here wrote; `None` where there is no manifest that can be read.
    pub(crate) fn last(&self) -> Option<Manifest> {
        match self.found(Utf8Path::new(MANIFEST)) {
            Ok(Found::File { bytes, .. }) => Manifest::read(&String::from_utf8_lossy(&bytes)).ok(),
            _ => None,
        }
    }

    /// The folders in it that were built for an environment each of a blueprint that is called so, by the names of these.
    pub(crate) fn environments(&self, is_own: impl Fn(&str) -> bool) -> BTreeMap<String, Self> {
        let entries = std::fs::read_dir(&self.at).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let built = names.filter_map(|name| {
            let inner = Self { shown: self.shown.join(&name), at: self.at.join(&name) };
            let last = inner.last()?;
            (is_own(&last.blueprint) && last.environment == name).then_some((name, inner))
        });
        built.collect()
    }

    /// Whether something is there, below folders that lead nowhere else.
    fn is_inside(&self, path: &Utf8Path) -> Result<bool, Stop> {
        Ok(self.leads_to(path)? && !matches!(self.found(path)?, Found::Nothing | Found::Link))
    }

    /// Whether all above a path are folders, and no links.
    fn leads_to(&self, path: &Utf8Path) -> Result<bool, Stop> {
        for parent in path.ancestors().skip(1).filter(|it| !it.as_str().is_empty()) {
            if self.found(parent)? != Found::Folder {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The manifest of the last build here; `None` in an empty or new folder.
    fn manifest(&self, content: &Content, force: bool) -> Result<Option<Manifest>, Stop> {
        let shown = &self.shown;
        match std::fs::metadata(&self.at) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(Stop::new(
                    OUTPUT_NOT_A_FOLDER,
                    format!("the output folder `{shown}` is a file"),
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Stop::new(
                    OUTPUT_UNREADABLE,
                    format!("the output folder `{shown}` cannot be read: {}", said(&error)),
                ));
            }
        }
        let path = shown.join(MANIFEST);
        let text = match self.found(Utf8Path::new(MANIFEST))? {
            Found::File { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
            Found::Nothing if force || self.is_empty()? || !self.cut_short().is_empty() => {
                return Ok(None);
            }
            Found::Nothing => {
                let message =
                    format!("the output folder `{shown}` holds files that no build wrote");
                return Err(Stop::new(OUTPUT_FOREIGN_FOLDER, message)
                    .help("name another folder with `--out`, or build with `--force` to write beside them"));
            }
            Found::Link | Found::Folder => {
                return Err(Stop::new(OUTPUT_MANIFEST, format!("`{path}` is not a file")));
            }
        };
        let manifest = match Manifest::read(&text) {
            Ok(manifest) => manifest,
            Err(_) if force => return Ok(None),
            Err(why) => {
                return Err(Stop::new(
                    OUTPUT_MANIFEST,
                    format!("`{path}` is not a manifest: {why}"),
                )
                .help("build with `--force` to write it anew"));
            }
        };
        let same =
            manifest.blueprint == content.blueprint && manifest.environment == content.environment;
        if !same && !force {
            let message = format!(
                "the output folder `{shown}` holds the artifacts of `{}` for the environment `{}`, not of `{}` for `{}`",
                manifest.blueprint, manifest.environment, content.blueprint, content.environment
            );
            return Err(Stop::new(OUTPUT_OTHER_BUILD, message).help(
                "name another folder with `--out`, or build with `--force` to replace them",
            ));
        }
        Ok(Some(manifest))
    }

    /// Whether there is nothing in the folder but hidden files.
    fn is_empty(&self) -> Result<bool, Stop> {
        let entries = std::fs::read_dir(&self.at)
            .map_err(|error| self.unreadable(Utf8Path::new(""), &error))?;
        Ok(entries.flatten().all(|entry| entry.file_name().to_string_lossy().starts_with('.')))
    }

    fn found(&self, path: &Utf8Path) -> Result<Found, Stop> {
        let at = self.at.join(path);
        let metadata = match std::fs::symlink_metadata(&at) {
            Ok(metadata) => metadata,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(Found::Nothing);
            }
            Err(error) => return Err(self.unreadable(path, &error)),
        };
        if metadata.is_symlink() {
            return Ok(Found::Link);
        }
        if !metadata.is_file() {
            return Ok(Found::Folder);
        }
        if metadata.len() > LARGEST {
            let error = std::io::Error::new(
                ErrorKind::FileTooLarge,
                "larger than anything that a build writes",
            );
            return Err(self.unreadable(path, &error));
        }
        let bytes = std::fs::read(&at).map_err(|error| self.unreadable(path, &error))?;
        Ok(Found::File { bytes, executable: is_executable(&metadata) })
    }

    fn unreadable(&self, path: &Utf8Path, error: &std::io::Error) -> Stop {
        let path =
            if path.as_str().is_empty() { self.shown.clone() } else { self.shown.join(path) };
        Stop::new(OUTPUT_UNREADABLE, format!("`{path}` cannot be read: {}", said(error)))
    }
}

fn manifest(content: &Content, kept: Vec<Entry>) -> Manifest {
    let mut artifacts = kept;
    artifacts.extend(content.files.iter().map(|file| Entry {
        path: file.path.clone(),
        sha256: digest(file.content.as_bytes()),
        nouns: file.nouns.clone(),
        sources: file.sources.clone(),
        applied: file.applied.clone(),
    }));
    artifacts.sort_by(|a, b| by_folders(&a.path, &b.path));
    Manifest {
        slipform: env!("CARGO_PKG_VERSION").to_owned(),
        catalog: content.catalog.clone(),
        blueprint: content.blueprint.clone(),
        environment: content.environment.clone(),
        project: content.project.clone(),
        former_projects: content.former_projects.clone(),
        former_machines: content.former_machines.clone(),
        was: content.was.clone(),
        nouns: content.nouns.clone(),
        origins: content.origins.clone(),
        existing: content.existing.clone(),
        places: content.places.clone(),
        runs: content.runs.clone(),
        rights: Some(content.rights.clone()),
        artifacts,
    }
}

/// Whether a path stays inside the folder that it is relative to, and is written as artifacts are: in one way, so that
/// two of them are the same where their texts are.
pub(crate) fn is_inside(path: &Utf8Path) -> bool {
    let is_plain = |part: Utf8Component<'_>| matches!(part, Utf8Component::Normal(name) if !name.contains(['\\', '\0', '\n']));
    let is_spelled_out = path.as_str().split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_spelled_out && path.components().all(is_plain)
}

/// Every artifact has a path of its own inside the folder.
fn check_paths(files: &[File]) -> Result<(), Stop> {
    let mut paths: HashSet<&str> = HashSet::with_capacity(files.len());
    for file in files {
        let path = file.path.as_path();
        let first = path.components().next().map(|part| part.as_str());
        if !is_inside(path) || path == MANIFEST || first == Some(STAGING) {
            return Err(Stop::new(
                OUTPUT_PATH,
                format!("an artifact would lie at `{path}`, outside of its folder"),
            ));
        }
        if !paths.insert(path.as_str()) {
            return Err(Stop::new(OUTPUT_PATH, format!("two artifacts would lie at `{path}`")));
        }
    }
    for file in files {
        let mut parents = file.path.ancestors().skip(1);
        if let Some(both) = parents.find(|parent| paths.contains(parent.as_str())) {
            return Err(Stop::new(OUTPUT_PATH, format!("`{both}` would be a file and a folder")));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}
