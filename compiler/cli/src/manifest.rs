//! The manifest beside the artifacts: what was written, from what, by which compiler. It tells one's own files from
//! those of others, and an untouched file from an edited one.

use crate::folder::is_inside;
use camino::Utf8PathBuf;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use slipform_targets::Applied;
use slipform_targets::left_behind::FormerMachines;
use std::collections::{BTreeMap, HashSet};

/// Its name in the output folder.
pub const MANIFEST: &str = "slipform.manifest.json";

/// The paths of runs, with the role that each needs, by the folder of a right and what that is called there: the address of a grant, or an account of pods.
pub(crate) type Rights = BTreeMap<String, BTreeMap<String, String>>;

/// What one build wrote.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct Manifest {
    /// The version of the compiler.
    pub(crate) slipform: String,
    /// The version of the catalog.
    pub(crate) catalog: String,
    /// The name of the blueprint.
    pub(crate) blueprint: String,
    pub(crate) environment: String,
    /// The project of everything that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// Projects that it was before, where something may still be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_projects: Vec<String>,
    /// What commands made where no script looks for it any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_machines: Vec<FormerMachines>,
    /// What nouns are called outside of the blueprint, where that is another name than the blueprint's; by their paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) was: BTreeMap<String, String>,
    /// The paths of all nouns, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) nouns: BTreeMap<String, Vec<String>>,
    /// How the blueprint declares them, by their paths, where these do not tell it: nouns that came out of components.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) origins: BTreeMap<String, String>,
    /// The nouns that someone else owns, as they are called outside of the blueprint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) existing: Vec<String>,
    /// Which things nouns are that may be elsewhere: of clusters the place, of what exists in another project that; by their paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) places: BTreeMap<String, String>,
    /// The runs that stand on nouns or need them, by the paths of these: of what the next blueprint has no more nothing else tells it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) runs: BTreeMap<String, Vec<String>>,
    /// The runs that use each right that is given here, with the role that each needs, by its folder and what it is called there; nothing where an
    /// older compiler wrote it, which told fewer runs as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rights: Option<Rights>,
    /// By path.
    pub(crate) artifacts: Vec<Entry>,
}

/// One file.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct Entry {
    /// Relative to the manifest, with `/` between folders.
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    pub(crate) path: Utf8PathBuf,
    /// In hexadecimal digits.
    pub(crate) sha256: String,
    /// The nouns that it came from.
    pub(crate) nouns: Vec<String>,
    /// The lines that declare them.
    pub(crate) sources: Vec<String>,
    /// Where what is applied from it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) applied: Option<Applied>,
}

impl Manifest {
    /// The projects besides this one that builds into this folder were of.
    pub(crate) fn projects_before(&self, project: Option<&str>) -> Vec<String> {
        let mut known = self.former_projects.clone();
        known.extend(self.project.clone().filter(|last| !known.contains(last)));
        known.retain(|known| Some(known.as_str()) != project);
        known
    }

    /// Which thing a noun was, by what it is called outside of the blueprint.
    pub(crate) fn place_of(&self, outside: &str) -> Option<&String> {
        let called = |path: &str| self.was.get(path).map_or(path, String::as_str) == outside;
        self.places.iter().find(|(path, _)| called(path)).map(|(_, place)| place)
    }

    /// Reads a manifest; the reason where it is none.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut paths = HashSet::new();
        for entry in &manifest.artifacts {
            if !is_inside(&entry.path) {
                return Err(format!("it names `{}`, which leads out of its folder", entry.path));
            }
            if !paths.insert(entry.path.as_str()) {
                return Err(format!("it names `{}` twice", entry.path));
            }
        }
        Ok(manifest)
    }

    /// As it is written.
    pub(crate) fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn write_path<S: Serializer>(path: &Utf8PathBuf, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(path.as_str())
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Utf8PathBuf, D::Error> {
    String::deserialize(deserializer).map(Utf8PathBuf::from)
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
