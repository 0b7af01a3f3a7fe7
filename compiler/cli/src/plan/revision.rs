//! A revision of the repository as the other side: where a blueprint stood in it, and the files that it is read from.

use super::PLAN_AGAINST;
use crate::git;
use crate::stop::Stop;
use crate::world::read;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{LOCAL_CATALOG, LOCK_FILE, PROJECT_FILE, project_name};
use slipform_source::{MemoryWorld, ReadError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Blueprints of a revision that are named one by one.
const MOST: usize = 4;

/// What a project is called that says no name and has no file to be called after.
const NAMELESS: &str = "blueprint";

/// A revision of the repository that a folder lies in.
pub(super) struct Revision {
    /// As the command line calls it.
    shown: String,
    commit: String,
    /// A folder of the repository, and its root.
    folder: PathBuf,
    root: PathBuf,
    /// Every file in it.
    files: BTreeSet<Utf8PathBuf>,
}

/// A project's folder, or a single blueprint, by its path from the root of the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    folder: Utf8PathBuf,
    /// The file in it; nothing where all of them are one project.
    pub(super) file: Utf8PathBuf,
}

/// Where a revision has a blueprint.
pub(super) enum Found {
    /// Where it stands now.
    Here(Place),
    /// Elsewhere, and what it is known by.
    Elsewhere(Place, String),
    /// Nowhere: it is new. There may be something to be said of it.
    New(Option<String>),
    /// Nobody can say which of several it was, or whether it was the one: the sentence that says so, and one of them.
    Unclear(String, Place),
}

/// A place that may be where a blueprint stood before.
struct Candidate {
    place: Place,
    /// What its project's file calls it.
    declared: Option<String>,
    /// What Terraform keeps its states below.
    name: String,
    /// Whether nothing of it is there any more.
    gone: bool,
}

impl Revision {
    /// The revision that a word of the command line names, and the place in it where it names one, as git does: `main:infra`, from
    /// the root of the repository, or `main:./infra`. Places are found from `folder`, places beside it from `current`.
    pub(super) fn open(folder: &Path, word: &str, current: &Path) -> Option<(Self, Option<Place>)> {
        if let Some(commit) = git::commit(folder, word) {
            return Some((Self::at(folder, word, commit)?, None));
        }
        let (revision, path) = word.split_once(':')?;
        let found = Self::at(folder, revision, git::commit(folder, revision)?)?;
        let is_near =
            [".", ".."].contains(&path) || path.starts_with("./") || path.starts_with("../");
        let around = if is_near { git::prefix(current)? } else { String::new() };
        Some((found, Some(Place::of(&normal(&Utf8Path::new(&around).join(path))?))))
    }

    fn at(folder: &Path, shown: &str, commit: String) -> Option<Self> {
        // what has a break in its name cannot be asked for, and no blueprint can name it
        let files = git::listed(folder, &commit)?.into_iter().filter(|name| !name.contains('\n'));
        Some(Self {
            shown: shown.to_owned(),
            root: git::root(folder)?,
            folder: folder.to_owned(),
            files: files.map(Utf8PathBuf::from).collect(),
            commit,
        })
    }

    /// How people call a place in it.
    pub(super) fn shown(&self, place: &Place) -> String {
        format!("{}:{}", self.shown, place.path())
    }

    /// What is wrong with a place that somebody named.
    pub(super) fn refuse(&self, place: &Place) -> Option<Stop> {
        if self.has(place) {
            return None;
        }
        let message = format!("`{}` has no blueprint at `{}`", self.shown, place.path());
        let stop = Stop::new(PLAN_AGAINST, message);
        let others: Vec<Place> = self.places(!place.file.as_str().is_empty());
        Some(match others.is_empty() {
            true => stop,
            false => stop.help(format!("it has {}", listed(&others))),
        })
    }

    /// Where the blueprint of a folder, or one file in it, stood in the revision.
    pub(super) fn find(&self, file: &Utf8Path, name: &str) -> Result<Found, Stop> {
        let prefix = git::prefix(&self.folder).unwrap_or_default();
        let folder = Utf8PathBuf::from(prefix.trim_end_matches('/'));
        let place = Place { folder, file: file.to_owned() };
        if self.has(&place) {
            return Ok(Found::Here(place));
        }
        let declared = read(&self.folder.join(PROJECT_FILE)).ok();
        let declared = declared.and_then(|text| project_name(&text));
        let all = self.candidates(&place)?;
        if let Some(name) = &declared {
            let same: Vec<&Candidate> =
                all.iter().filter(|it| it.declared.as_ref() == Some(name)).collect();
            let narrowed = self.narrowed(same, &place, name);
            if let [one] = narrowed.as_slice() {
                let why = format!("`{}` has the same name, `{name}`", one.place.path());
                return Ok(Found::Elsewhere(one.place.clone(), self.told(&place, &why)));
            }
            if let [first, ..] = narrowed.as_slice() {
                let why = format!("{} have the same name, `{name}`", named(&narrowed));
                return Ok(Found::Unclear(self.told(&place, &why), first.place.clone()));
            }
        }
        let gone: Vec<&Candidate> = all.iter().filter(|it| it.gone).collect();
        let narrowed = self.narrowed(gone, &place, name);
        Ok(match narrowed.as_slice() {
            [] => Found::New(all.iter().find(|it| it.name == name).map(shared)),
            [one] if one.declared.is_none() || declared.is_none() => {
                let why = format!("`{}`, which is gone, is taken for it", one.place.path());
                Found::Elsewhere(one.place.clone(), self.told(&place, &why))
            }
            [first, ..] => {
                let which = named(&narrowed);
                let why = match narrowed.len() {
                    1 => format!("{which}, of another name, is gone, and may be what it was"),
                    _ => format!("{which} are gone, and any of them may be what it was"),
                };
                Found::Unclear(self.told(&place, &why), first.place.clone())
            }
        })
    }

    fn told(&self, place: &Place, why: &str) -> String {
        format!("{} has no `{}`: {why}", self.shown, place.path())
    }

    /// The files of a project, as its compiler asks for them.
    pub(super) fn world(&self, place: &Place) -> Result<MemoryWorld, Stop> {
        let inside = self.files.iter().filter_map(|path| {
            let name = path.strip_prefix(&place.folder).ok()?;
            let beside = [PROJECT_FILE, LOCAL_CATALOG, LOCK_FILE].contains(&name.as_str());
            (beside || name.extension() == Some("bp")).then_some((path, name))
        });
        let (paths, names): (Vec<&Utf8PathBuf>, Vec<&Utf8Path>) = inside.unzip();
        let mut world = MemoryWorld::new(Vec::<(&str, &str)>::new());
        for (name, text) in names.into_iter().zip(self.texts(&paths)?) {
            world.write(name.as_str(), text);
        }
        Ok(world)
    }

    fn texts(&self, paths: &[&Utf8PathBuf]) -> Result<Vec<String>, Stop> {
        let asked: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
        let refused = || {
            let message = format!("git refuses to read the files of `{}`", self.shown);
            Stop::new(PLAN_AGAINST, message)
        };
        let (folder, commit) = (&self.folder, &self.commit);
        if let Some(name) = git::too_large(folder, commit, &asked).ok_or_else(refused)? {
            let why = ReadError::TooLarge;
            let message = format!("`{name}` at {} cannot be read: {why}", self.shown);
            return Err(Stop::new(PLAN_AGAINST, message));
        }
        git::texts(folder, commit, &asked).ok_or_else(refused)
    }

    /// Whether a blueprint stands there.
    fn has(&self, place: &Place) -> bool {
        match place.file.as_str() {
            "" => {
                self.files.contains(&place.folder.join(PROJECT_FILE))
                    || !self.beside(&place.folder).is_empty()
            }
            file => self.files.contains(&place.folder.join(file)),
        }
    }

    /// The names of the blueprints that lie in a folder itself.
    fn beside(&self, folder: &Utf8Path) -> BTreeSet<&str> {
        let inside = self.files.iter().filter(|path| path.parent() == Some(folder));
        inside.filter(|path| is_blueprint(path)).filter_map(|path| path.file_name()).collect()
    }

    /// Every single blueprint, or every folder that is a project of its own.
    fn places(&self, single: bool) -> Vec<Place> {
        let blueprints = self.files.iter().filter(|path| is_blueprint(path));
        if single {
            return blueprints.map(|path| Place::of(path)).collect();
        }
        let declared = |folder: &Utf8Path| self.files.contains(&folder.join(PROJECT_FILE));
        let folders = blueprints.filter_map(|path| {
            let folder = path.parent()?;
            // what lies below a project belongs to it
            Some(folder.ancestors().find(|it| declared(it)).unwrap_or(folder))
        });
        let folders: BTreeSet<&Utf8Path> = folders.collect();
        folders.into_iter().map(Place::of).collect()
    }

    /// What else there is of the sort of a place.
    fn candidates(&self, place: &Place) -> Result<Vec<Candidate>, Stop> {
        let projects: Vec<&Utf8PathBuf> =
            self.files.iter().filter(|path| path.file_name() == Some(PROJECT_FILE)).collect();
        let texts = self.texts(&projects)?;
        let folders = projects.iter().filter_map(|path| path.parent());
        let names: BTreeMap<&Utf8Path, String> = folders
            .zip(&texts)
            .filter_map(|(folder, text)| Some((folder, project_name(text)?)))
            .collect();
        let places = self.places(!place.file.as_str().is_empty()).into_iter();
        Ok(places
            .map(|place| {
                let declared = names.get(place.folder.as_path()).cloned();
                let own = place.file.file_stem().unwrap_or(NAMELESS).to_owned();
                let name = declared.clone().unwrap_or(own);
                Candidate { gone: self.is_gone(&place), declared, name, place }
            })
            .collect())
    }

    /// Whether nothing of a project is on the disk any more.
    fn is_gone(&self, place: &Place) -> bool {
        let is_there = |name: &str| self.root.join(&place.folder).join(name).exists();
        match place.file.as_str() {
            "" => !is_there(PROJECT_FILE) && !self.beside(&place.folder).into_iter().any(is_there),
            file => !is_there(file),
        }
    }

    /// Those that are most like what is looked for: each sign counts where it leaves one at all.
    fn narrowed<'c>(
        &self,
        mut left: Vec<&'c Candidate>,
        place: &Place,
        name: &str,
    ) -> Vec<&'c Candidate> {
        let files = on_disk(&self.folder);
        let has_files = |it: &Candidate| match place.file.as_str() {
            "" => self.beside(&it.place.folder).into_iter().eq(files.iter().map(String::as_str)),
            file => it.place.file == file,
        };
        let signs: [&dyn Fn(&Candidate) -> bool; 4] =
            [&|it| it.gone, &|it| it.name == name, &has_files, &|it| {
                it.place.folder == place.folder
            }];
        for sign in signs {
            if left.iter().any(|it| sign(it)) {
                left.retain(|it| sign(it));
            }
        }
        left
    }
}

impl Place {
    fn of(path: &Utf8Path) -> Self {
        match (path.extension(), path.parent(), path.file_name()) {
            (Some("bp"), Some(folder), Some(file)) => {
                Self { folder: folder.to_owned(), file: Utf8PathBuf::from(file) }
            }
            _ => Self { folder: path.to_owned(), file: Utf8PathBuf::new() },
        }
    }

    /// From the root of the repository; `.` for that itself.
    pub(super) fn path(&self) -> String {
        match (self.folder.as_str(), self.file.as_str()) {
            ("", "") => ".".to_owned(),
            (folder, "") => folder.to_owned(),
            _ => self.folder.join(&self.file).to_string(),
        }
    }
}

/// What is to be said of a blueprint that is new beside one of its name.
fn shared(other: &Candidate) -> String {
    format!(
        "`{}` has the same name, `{}`: where one bucket keeps the states of both, each apply takes the other's things for its own, and `name` in `{PROJECT_FILE}` tells them apart",
        other.place.path(),
        other.name
    )
}

fn is_blueprint(path: &Utf8Path) -> bool {
    path.extension() == Some("bp") && !path.file_name().is_some_and(|name| name.starts_with('.'))
}

/// The names of the blueprints in a folder.
fn on_disk(folder: &Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|it| it.file_name().into_string().ok());
    names.filter(|name| is_blueprint(Utf8Path::new(name))).collect()
}

/// A path without `.` and `..`; nothing where it leads out.
fn normal(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut found = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            camino::Utf8Component::Normal(name) => found.push(name),
            camino::Utf8Component::CurDir => {}
            camino::Utf8Component::ParentDir if found.pop() => {}
            _ => return None,
        }
    }
    Some(found)
}

fn named(all: &[&Candidate]) -> String {
    listed(&all.iter().map(|it| it.place.clone()).collect::<Vec<Place>>())
}

fn listed(places: &[Place]) -> String {
    let shown: Vec<String> =
        places.iter().take(MOST).map(|it| format!("`{}`", it.path())).collect();
    match places.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
