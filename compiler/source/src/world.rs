//! The door: a [`World`] reads text; [`Sources`] keeps what was read.

use crate::{FileId, LineIndex, Span};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The largest file that is read, in bytes: spans count in 32 bits, and a blueprint is written by people.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// Why a file could not be read, in words for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// Nothing is there.
    NotFound,
    /// A folder stands where a file was expected.
    IsFolder,
    /// The bytes are not UTF-8; the offset of the first bad one.
    NotUtf8(usize),
    /// More than [`MAX_FILE_BYTES`].
    TooLarge,
    /// Anything else, as the system says it.
    Other(String),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFound => f.write_str("there is no such file"),
            Self::IsFolder => f.write_str("it is a folder, not a file"),
            Self::NotUtf8(at) => write!(f, "it is not UTF-8 text (byte {at})"),
            Self::TooLarge => write!(f, "it is larger than {} MiB", MAX_FILE_BYTES >> 20),
            Self::Other(why) => f.write_str(why),
        }
    }
}

/// Where sources come from: the disk for the command line, open buffers over the disk for an editor, a map for tests.
pub trait World {
    /// The text of a file, by a path relative to the project's root (or absolute).
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError>;
    /// The names in a folder, sorted; empty where there is none.
    fn list(&self, folder: &Utf8Path) -> Vec<String>;
}

/// A world of files in memory.
#[derive(Clone, Default, Debug)]
pub struct MemoryWorld {
    files: BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl MemoryWorld {
    /// A world that holds these files.
    pub fn new<P: Into<Utf8PathBuf>, T: Into<Arc<str>>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }

    /// Adds or replaces one file.
    pub fn write(&mut self, path: impl Into<Utf8PathBuf>, text: impl Into<Arc<str>>) {
        self.files.insert(path.into(), text.into());
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        if let Some(text) = self.files.get(path) {
            return Ok(text.clone());
        }
        let is_folder = self.files.keys().any(|file| file != path && file.starts_with(path));
        Err(if is_folder { ReadError::IsFolder } else { ReadError::NotFound })
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let inside = self.files.keys().filter_map(|file| file.strip_prefix(folder).ok());
        let mut names: Vec<_> = inside
            .filter_map(|rest| rest.components().next())
            .map(|name| name.to_string())
            .collect();
        names.dedup();
        names
    }
}

/// One text that was read, and the index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as shown to the user; `std/...` for the standard library.
    pub path: Utf8PathBuf,
    /// The whole text.
    pub text: Text,
    lines: OnceLock<LineIndex>,
}

/// A text, shared by all who read it.
#[derive(Clone, Debug)]
pub enum Text {
    /// A part of the program, such as the standard library.
    Baked(&'static str),
    /// It was read.
    Read(Arc<str>),
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Baked(text) => text,
            Self::Read(text) => text,
        }
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::Baked(text)
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self::Read(text)
    }
}

impl SourceFile {
    /// Where its lines start. Found when they are asked for first: most texts are never shown.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }
}

/// Every text of one compilation, in the order in which they were read.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
}

impl Sources {
    /// Keeps a text and names it.
    pub fn add(&mut self, path: impl Into<Utf8PathBuf>, text: impl Into<Text>) -> FileId {
        let (path, text, lines) = (path.into(), text.into(), OnceLock::new());
        self.files.push(Arc::new(SourceFile { path, text, lines }));
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of an id that [`Sources::add`] gave; `None` for any other.
    pub fn get(&self, file: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(file.0 as usize)
    }

    /// The id of a path that was read.
    pub fn find(&self, path: &Utf8Path) -> Option<FileId> {
        self.files.iter().position(|file| file.path == path).map(|at| FileId(at as u32))
    }

    /// The text under a span; empty where the span belongs to no file here.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|file| file.text.get(span.range())).unwrap_or_default()
    }

    /// `path:line` of a span, lines counted from one.
    pub fn line_ref(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => format!("{}:{}", file.path, file.lines().line(span.start as usize) + 1),
            None => String::new(),
        }
    }

    /// Every file with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Arc<SourceFile>)> {
        self.files.iter().enumerate().map(|(at, file)| (FileId(at as u32), file))
    }
}
