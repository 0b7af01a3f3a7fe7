//! Which files a blueprint renders to, by the nouns that they are of.

use camino::Utf8PathBuf;
use slipform_analysis::Analysis;
use slipform_targets::Artifact;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a blueprint. Nouns go by their paths, so that a list outlives the analysis that it is of.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Files {
    /// In the order of folders.
    all: Vec<File>,
    /// The places in it of those of each noun.
    of: BTreeMap<String, Vec<usize>>,
}

/// A file that is rendered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct File {
    /// Where it is in the output.
    pub(crate) path: Utf8PathBuf,
    /// How many nouns it is of.
    pub(crate) shared_by: usize,
}

impl Files {
    /// Those of a blueprint.
    pub(crate) fn new(analysis: &Analysis, artifacts: &[Artifact]) -> Self {
        let mut files = Self::default();
        let Some(plan) = &analysis.plan else { return files };
        for (place, artifact) in artifacts.iter().enumerate() {
            for noun in artifact.nouns.iter().filter_map(|noun| plan.model.get(*noun)) {
                files.of.entry(noun.path.clone()).or_default().push(place);
            }
            let (path, shared_by) = (artifact.path.clone(), artifact.nouns.len());
            files.all.push(File { path, shared_by });
        }
        files
    }

    /// Those of any of some nouns, in the order of folders.
    pub(crate) fn of<'n>(&self, nouns: impl Iterator<Item = &'n str>) -> Vec<&File> {
        let places = nouns.filter_map(|noun| self.of.get(noun)).flatten();
        let places: BTreeSet<usize> = places.copied().collect();
        places.into_iter().filter_map(|place| self.all.get(place)).collect()
    }
}
