//! What a target makes.

use camino::Utf8PathBuf;
use slipform_model::{Diagnostic, NounId};

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
}

/// What rendering gives: artifacts, and what could not be expressed.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Output {
    /// The files.
    pub artifacts: Vec<Artifact>,
    /// What a target refuses, at the place that asked for it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Output {
    /// Adds a file.
    pub fn file(
        &mut self,
        path: impl Into<Utf8PathBuf>,
        content: String,
        nouns: impl IntoIterator<Item = NounId>,
    ) {
        let nouns = nouns.into_iter().collect();
        self.artifacts.push(Artifact { path: path.into(), content, executable: false, nouns });
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
}
