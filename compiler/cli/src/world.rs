//! The disk as sources see it: bounded, UTF-8, ordinary files only.

use camino::{Utf8Path, Utf8PathBuf};
use slipform_source::{MAX_FILE_BYTES, ReadError, World};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files below one folder.
#[derive(Clone, Debug)]
pub(crate) struct DiskWorld {
    root: PathBuf,
    asked: Asked,
}

impl DiskWorld {
    /// The world whose relative paths start at `root`.
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), asked: Asked::default() }
    }

    /// The same world, which keeps in mind what it is asked for.
    pub(crate) fn keeping(self, asked: &Asked) -> Self {
        Self { asked: asked.clone(), ..self }
    }
}

/// The disk with other texts in the place of some files.
pub(crate) struct Edited {
    pub(crate) disk: DiskWorld,
    pub(crate) texts: BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl World for Edited {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        self.texts.get(path).map_or_else(|| self.disk.read(path), |text| Ok(text.clone()))
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        self.disk.list(folder)
    }
}

impl World for DiskWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        let path = self.root.join(path);
        let text = read(&path);
        self.asked.keep(path, Answer::Text(text.clone()));
        text
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let folder = self.root.join(folder);
        let names = list(&folder);
        self.asked.keep(folder, Answer::Blueprints(blueprints(&names)));
        names
    }
}

/// What was asked of the disk, and what it answered first: for those who want to know when it answers otherwise.
#[derive(Clone, Default, Debug)]
pub(crate) struct Asked(Arc<Mutex<Answers>>);

/// By path, and by what was asked of it.
type Answers = BTreeMap<(PathBuf, Question), Answer>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Question {
    Text,
    Blueprints,
}

#[derive(PartialEq, Debug)]
enum Answer {
    Text(Result<Arc<str>, ReadError>),
    /// The names of blueprints in a folder: nobody asks for others.
    Blueprints(Vec<String>),
}

impl Asked {
    fn keep(&self, path: PathBuf, answer: Answer) {
        let question = match &answer {
            Answer::Text(_) => Question::Text,
            Answer::Blueprints(_) => Question::Blueprints,
        };
        self.answers().entry((path, question)).or_insert(answer);
    }

    /// Forgets everything, and gives what the same questions are answered by now.
    pub(crate) fn anew(&self) -> Self {
        let anew = Self::default();
        for (path, question) in std::mem::take(&mut *self.answers()).into_keys() {
            let answer = match question {
                Question::Text => Answer::Text(read(&path)),
                Question::Blueprints => Answer::Blueprints(blueprints(&list(&path))),
            };
            anew.keep(path, answer);
        }
        anew
    }

    /// Takes over other questions with their answers, where there are none.
    pub(crate) fn or(&self, others: Self) {
        let mut answers = self.answers();
        if answers.is_empty() {
            *answers = std::mem::take(&mut *others.answers());
        }
    }

    /// Every path that was asked for.
    pub(crate) fn paths(&self) -> BTreeSet<PathBuf> {
        self.answers().keys().map(|(path, _)| path.clone()).collect()
    }

    /// What is answered otherwise by now: the path, and what became of it.
    pub(crate) fn changes(&self) -> Vec<(PathBuf, &'static str)> {
        let mut found = BTreeMap::new();
        for ((path, _), answer) in self.answers().iter() {
            match answer {
                Answer::Text(before) => {
                    let word = match (before, read(path)) {
                        (before, now) if *before == now => continue,
                        (_, Err(ReadError::NotFound)) => "is gone",
                        (Err(ReadError::NotFound), _) => "is new",
                        _ => "changed",
                    };
                    found.insert(path.clone(), word);
                }
                Answer::Blueprints(before) => {
                    let now = blueprints(&list(path));
                    let gone = before.iter().filter(|name| !now.contains(name));
                    let new = now.iter().filter(|name| !before.contains(name));
                    let gone = gone.map(|name| (path.join(name), "is gone"));
                    found.extend(gone.chain(new.map(|name| (path.join(name), "is new"))));
                }
            }
        }
        found.into_iter().collect()
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names in a folder, sorted.
fn list(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn blueprints(names: &[String]) -> Vec<String> {
    let own = |name: &&String| name.ends_with(".bp") && !name.starts_with('.');
    names.iter().filter(own).cloned().collect()
}

/// The text of an ordinary file of at most [`MAX_FILE_BYTES`].
pub(crate) fn read(path: &Path) -> Result<Arc<str>, ReadError> {
    let metadata = std::fs::metadata(path).map_err(|error| failure(&error))?;
    if metadata.is_dir() {
        return Err(ReadError::IsFolder);
    }
    // A pipe or a device could block or never end.
    if !metadata.is_file() {
        return Err(ReadError::Other("it is not an ordinary file".to_owned()));
    }
    if metadata.len() > MAX_FILE_BYTES as u64 {
        return Err(ReadError::TooLarge);
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    let file = File::open(path).map_err(|error| failure(&error))?;
    // The file may have grown since it was measured.
    file.take(MAX_FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failure(&error))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ReadError::TooLarge);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => Err(ReadError::NotUtf8(error.utf8_error().valid_up_to())),
    }
}

fn failure(error: &std::io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => ReadError::NotFound,
        _ => ReadError::Other(said(error)),
    }
}

/// A failure of the system in the words of diagnostics.
pub(crate) fn said(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is no folder".to_owned(),
        ErrorKind::InvalidFilename => "the name is too long or not allowed".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}
