//! The open documents, and the world that they make with the disk below them.

use crate::copies;
use crate::settings::SCHEME;
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::{TextDocumentContentChangeEvent, Uri};
use slipform_source::{Encoding, LineIndex, MAX_FILE_BYTES, Position, ReadError, World};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::SystemTime;

/// A document that is open in the editor.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
}

/// The open documents by path, over the files of the disk. A copy shares all texts.
#[derive(Clone, Default, Debug)]
pub(crate) struct Documents {
    open: BTreeMap<Utf8PathBuf, Document>,
    disk: RefCell<BTreeMap<Utf8PathBuf, OnDisk>>,
    /// The folder with copies of the library's files, for an editor that opens files alone.
    copies: Option<Utf8PathBuf>,
}

/// A file as it was last read. It is read again when its time or its length is another.
#[derive(Clone, Debug)]
struct OnDisk {
    modified: Option<SystemTime>,
    len: u64,
    text: Arc<str>,
}

impl Documents {
    /// Opens a document, or replaces its text.
    pub(crate) fn open(&mut self, path: Utf8PathBuf, document: Document) {
        self.open.insert(path, document);
    }

    /// Closes a document: from now on the disk counts.
    pub(crate) fn close(&mut self, path: &Utf8Path) {
        self.open.remove(path);
    }

    /// Forgets what was read of the disk.
    pub(crate) fn forget_disk(&mut self) {
        self.disk.borrow_mut().clear();
    }

    /// Applies edits in order. Edits of a document that is not open are lost, as the protocol has it.
    pub(crate) fn change(
        &mut self,
        path: &Utf8Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(path) else { return };
        document.version = version;
        let mut text = document.text.to_string();
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                    text = change.text;
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(change) => {
                    let lines = LineIndex::new(&text);
                    let at = |position: gen_lsp_types::Position| {
                        let position = Position { line: position.line, column: position.character };
                        lines.offset(&text, position, encoding)
                    };
                    let (start, end) = (at(change.range.start), at(change.range.end));
                    text.replace_range(start..end.max(start), &change.text);
                }
            }
        }
        document.text = text.into();
    }

    /// None yet, with the library's files as copies in a folder, or as the server alone has them.
    pub(crate) fn with_copies(folder: Option<Utf8PathBuf>) -> Self {
        Self { copies: folder, ..Self::default() }
    }

    /// An open document.
    pub(crate) fn get(&self, path: &Utf8Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// Every open document with its path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Utf8PathBuf, &Document)> {
        self.open.iter()
    }

    /// The URI of a path: as the editor wrote it where it is open.
    pub(crate) fn uri(&self, path: &Utf8Path) -> Option<Uri> {
        if let Some(document) = self.open.get(path) {
            return Some(document.uri.clone());
        }
        let copy = || copies::copy(self.copies.as_deref()?, path);
        if let Some(copy) = copy() {
            return Uri::from_file_path(copy.as_std_path()).ok();
        }
        if path.starts_with("std") {
            return Uri::parse(&format!("{SCHEME}://{path}")).ok();
        }
        Uri::from_file_path(path.as_std_path()).ok()
    }

    /// The address of a file with what is rendered to a path, for an editor that opens files alone.
    pub(crate) fn rendered(&self, path: &str, text: &str) -> Option<Uri> {
        let copy = copies::rendered(self.copies.as_deref()?, path, text)?;
        Uri::from_file_path(copy.as_std_path()).ok()
    }

    fn read_disk(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
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
        let (modified, len) = (metadata.modified().ok(), metadata.len());
        if let Some(known) = self.disk.borrow().get(path)
            && known.modified == modified
            && known.len == len
        {
            return Ok(known.text.clone());
        }
        let bytes = std::fs::read(path).map_err(|error| failure(&error))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| ReadError::NotUtf8(error.utf8_error().valid_up_to()))?;
        let text: Arc<str> = text.into();
        self.disk
            .borrow_mut()
            .insert(path.to_owned(), OnDisk { modified, len, text: text.clone() });
        Ok(text)
    }
}

impl World for Documents {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        match self.open.get(path) {
            Some(document) => Ok(document.text.clone()),
            None => self.read_disk(path),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        let open = self.open.keys().filter(|path| path.parent() == Some(folder));
        names.extend(open.filter_map(|path| path.file_name().map(str::to_owned)));
        names.sort();
        names.dedup();
        names
    }
}

/// The documents as they would be if some of them had other texts.
pub(crate) struct Renamed<'d> {
    pub(crate) documents: &'d Documents,
    pub(crate) texts: &'d BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl World for Renamed<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        match self.texts.get(path) {
            Some(text) => Ok(text.clone()),
            None => self.documents.read(path),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let mut names = self.documents.list(folder);
        let here = self.texts.keys().filter(|path| path.parent() == Some(folder));
        names.extend(here.filter_map(|path| path.file_name().map(str::to_owned)));
        names.sort();
        names.dedup();
        names
    }
}

fn failure(error: &std::io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => ReadError::NotFound,
        ErrorKind::PermissionDenied => ReadError::Other("permission denied".to_owned()),
        _ => ReadError::Other(error.to_string().to_lowercase()),
    }
}

/// The path of a document. One that is no file (not saved yet) has a path that no file has.
pub(crate) fn path_of(uri: &Uri) -> Option<Utf8PathBuf> {
    match uri.scheme() {
        "file" => {
            let file = Utf8PathBuf::from_path_buf(uri.to_file_path().ok()?).ok()?;
            let original = copies::original(&file).map(Utf8Path::to_owned);
            Some(original.unwrap_or(file))
        }
        // `slipform://std/kinds/cluster.bp`, and with one slash, as some editors write it
        SCHEME => {
            let (_, path) = uri.as_str().split_once(':')?;
            Some(Utf8PathBuf::from(path.trim_start_matches('/')))
        }
        scheme => {
            let name = uri.path().trim_matches('/').replace('/', "-");
            let ending = if name.ends_with(".bp") { "" } else { ".bp" };
            Some(Utf8PathBuf::from(format!("{scheme}:")).join(format!("{name}{ending}")))
        }
    }
}
