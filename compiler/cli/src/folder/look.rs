//! What lies in an output folder already, and what of it a build may not touch.

use super::{
    Change, File, Folder, Found, OUTPUT_EDITED, OUTPUT_FILE, OUTPUT_FOLDER, OUTPUT_FOREIGN,
    OUTPUT_LINK,
};
use crate::manifest::{Entry, digest};
use crate::stop::Stop;
use camino::Utf8Path;
use slipform_model::Diagnostic;
use slipform_source::Code;
use std::collections::{HashMap, HashSet};

/// Looks at the files of a folder, one after the other, and collects what may not be touched.
pub(super) struct Look<'a> {
    pub(super) folder: &'a Folder,
    pub(super) owned: &'a HashMap<&'a str, &'a Entry>,
    /// Paths and digests of what builds that were cut short may have put there.
    pub(super) cut: &'a HashSet<(&'a str, &'a str)>,
    pub(super) force: bool,
    pub(super) refused: Vec<Diagnostic>,
    /// Folders that were looked at, and whether files may be put into them.
    pub(super) parents: HashMap<String, bool>,
}

impl Look<'_> {
    /// What must happen so that a file lies there.
    pub(super) fn wanted(&mut self, file: &File) -> Result<Option<Change>, Stop> {
        if !self.parents(&file.path)? {
            return Ok(None);
        }
        let (bytes, executable) = match self.folder.found(&file.path)? {
            Found::Nothing => return Ok(Some(Change::Create)),
            Found::Folder => {
                return Ok(self.refuse(
                    OUTPUT_FOLDER,
                    &file.path,
                    "is a folder where a file must be",
                ));
            }
            Found::Link if self.force => return Ok(Some(Change::Update)),
            Found::Link => {
                return Ok(self.refuse(
                    OUTPUT_FOREIGN,
                    &file.path,
                    "is a symbolic link that no build wrote",
                ));
            }
            Found::File { bytes, executable } => (bytes, executable),
        };
        if bytes == file.content.as_bytes() {
            return Ok((executable != file.executable && cfg!(unix)).then_some(Change::Update));
        }
        if self.force {
            return Ok(Some(Change::Update));
        }
        let found = digest(&bytes);
        if self.cut.contains(&(file.path.as_str(), found.as_str())) {
            return Ok(Some(Change::Update));
        }
        match self.owned.get(file.path.as_str()) {
            Some(entry) if entry.sha256 == found => Ok(Some(Change::Update)),
            Some(_) => {
                Ok(self.refuse(OUTPUT_EDITED, &file.path, "was edited since it was written"))
            }
            None => Ok(self.refuse(OUTPUT_FOREIGN, &file.path, "exists, and no build wrote it")),
        }
    }

    /// Whether a file that is no longer made is to be removed.
    pub(super) fn unwanted(&mut self, entry: &Entry) -> Result<bool, Stop> {
        if !self.folder.leads_to(&entry.path)? {
            return Ok(false);
        }
        match self.folder.found(&entry.path)? {
            Found::Nothing | Found::Folder => Ok(false),
            Found::File { bytes, .. } if self.is_ours(entry, &digest(&bytes)) => Ok(true),
            Found::File { .. } | Found::Link if self.force => Ok(true),
            Found::File { .. } | Found::Link => {
                self.refuse(
                    OUTPUT_EDITED,
                    &entry.path,
                    "is no longer made, but was edited since it was written",
                );
                Ok(false)
            }
        }
    }

    /// Whether what is found is what a build wrote, or one that was cut short.
    fn is_ours(&self, entry: &Entry, found: &str) -> bool {
        entry.sha256 == found || self.cut.contains(&(entry.path.as_str(), found))
    }

    /// Whether something may be put at a path, as far as the folders above it are concerned.
    pub(super) fn parents(&mut self, path: &Utf8Path) -> Result<bool, Stop> {
        let parents: Vec<&Utf8Path> =
            path.ancestors().skip(1).filter(|it| !it.as_str().is_empty()).collect();
        for parent in parents.into_iter().rev() {
            if !self.parent(parent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether files may be put into a folder. A link could lead anywhere.
    fn parent(&mut self, path: &Utf8Path) -> Result<bool, Stop> {
        if let Some(known) = self.parents.get(path.as_str()) {
            return Ok(*known);
        }
        let fine = match self.folder.found(path)? {
            Found::Nothing | Found::Folder => true,
            Found::Link => {
                self.refuse(
                    OUTPUT_LINK,
                    path,
                    "is a symbolic link: what is written there could lie elsewhere",
                );
                false
            }
            Found::File { .. } => {
                self.refuse(OUTPUT_FILE, path, "is a file where a folder must be");
                false
            }
        };
        self.parents.insert(path.to_string(), fine);
        Ok(fine)
    }

    fn refuse(&mut self, code: Code, path: &Utf8Path, why: &str) -> Option<Change> {
        self.refused
            .push(Diagnostic::nowhere(code, format!("`{}` {why}", self.folder.shown.join(path))));
        None
    }
}

/// Says once a code what can be done.
pub(super) fn advised(mut refused: Vec<Diagnostic>) -> Stop {
    for code in [OUTPUT_EDITED, OUTPUT_FOREIGN] {
        if let Some(last) = refused.iter_mut().rev().find(|it| it.code == code.name) {
            last.help.push(
                "move what is to stay elsewhere, or build with `--force` to overwrite it"
                    .to_owned(),
            );
        }
    }
    Stop(refused)
}
