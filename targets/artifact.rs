//! What a target makes.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use slipform_model::{Diagnostic, NounId};
use std::cmp::Ordering;

/// One file, relative to the output folder.
#[derive(Clone, PartialEq, Debug)]
pub struct Artifact {
    /// Its path: relative, inside the output folder, with `/` between folders.
    pub path: Utf8PathBuf,
    /// Its text.
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
    /// The nouns that it came from, in order.
    pub nouns: Vec<NounId>,
    /// Where what it is applied to make is, if the path does not say so.
    pub applied: Option<Applied>,
}

/// Where the objects of a Kustomize folder are: with their names, what tells them from others.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Applied {
    /// The cluster's name.
    pub cluster: String,
    /// The namespace in it; empty where they are in several, or in none.
    pub namespace: String,
    /// Which cluster that is, in words: another may have its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The cluster is made here, and replaced by Terraform where it is in another place from now on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made: bool,
}

impl Applied {
    /// Whether it is another place.
    pub fn is_elsewhere(&self, other: &Self) -> bool {
        let places = self.place.as_ref().zip(other.place.as_ref());
        let places = places.filter(|_| !(self.made && other.made));
        (&self.cluster, &self.namespace) != (&other.cluster, &other.namespace)
            || places.is_some_and(|(one, other)| one != other)
    }
}

/// The order of two plain paths, folder by folder: as paths compare, but for the time that taking them apart needs.
pub fn by_folders(a: &Utf8Path, b: &Utf8Path) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    a.as_str().bytes().map(rank).cmp(b.as_str().bytes().map(rank))
}

/// What rendering gives: artifacts, and what could not be expressed.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Output {
    /// The files.
    pub artifacts: Vec<Artifact>,
    /// What a target refuses, at the place that asked for it.
    pub diagnostics: Vec<Diagnostic>,
    /// Nobody reads the files.
    unread: bool,
}

impl Output {
    /// For somebody who only asks what is refused: no file is kept.
    pub(crate) fn unread() -> Self {
        Self { unread: true, ..Self::default() }
    }

    /// Whether somebody reads the files: text that cannot be refused need not be printed otherwise.
    pub(crate) fn is_read(&self) -> bool {
        !self.unread
    }

    /// An empty one for the same reader.
    pub(crate) fn part(&self) -> Self {
        Self { unread: self.unread, ..Self::default() }
    }

    /// Adds a file.
    pub fn file(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        content: String,
        nouns: impl IntoIterator<Item = NounId>,
    ) {
        if self.unread {
            return;
        }
        let nouns = nouns.into_iter().collect();
        let path = path.into();
        self.artifacts.push(Artifact { path, content, executable: false, nouns, applied: None });
    }

    /// Adds a program.
    pub fn program(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        content: String,
        nouns: impl IntoIterator<Item = NounId>,
    ) {
        self.file(path, content, nouns);
        if let Some(last) = self.artifacts.last_mut() {
            last.executable = true;
        }
    }

    /// Says of the file that was added last where its objects are.
    pub fn applied(&mut self, applied: Applied) {
        if let Some(last) = self.artifacts.last_mut() {
            last.applied = Some(applied);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_order_plain_paths_as_their_parts_do() {
        let paths = ["a", "a/b", "a/b/c", "a-b", "a-b/c", "a.b", "a0/x", "b", "", "ü/x", "ü-x"];
        for a in paths.map(Utf8Path::new) {
            for b in paths.map(Utf8Path::new) {
                assert_eq!(by_folders(a, b), a.cmp(b), "{a} {b}");
            }
        }
    }
}
