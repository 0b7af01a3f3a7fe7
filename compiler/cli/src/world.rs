//! The disk as sources see it: bounded, UTF-8, ordinary files only.

use camino::Utf8Path;
use slipform_source::{MAX_FILE_BYTES, ReadError, World};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files below one folder.
#[derive(Clone, Debug)]
pub(crate) struct DiskWorld {
    root: PathBuf,
}

impl DiskWorld {
    /// The world whose relative paths start at `root`.
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl World for DiskWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        read(&self.root.join(path))
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(folder)).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
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
