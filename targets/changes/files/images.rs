//! Images of machines that folders of their own build, and which of them are built anew.

use super::meant;
use crate::{Change, Effect, File, root_of, toolkit};
use std::collections::{BTreeMap, BTreeSet};

/// The folders of images that Packer makes, each with its scripts.
pub(super) const MACHINE_IMAGES: &str = "25-machine-images/";

/// What is built with another output.
#[derive(Default)]
pub(crate) struct Built {
    /// Whether folders come that build images of machines.
    pub(crate) comes: bool,
    /// The families that get another image.
    pub(crate) families: BTreeSet<String>,
}

impl Built {
    pub(crate) fn of(before: &[File<'_>], after: &[File<'_>]) -> Self {
        let [old, new] = [before, after].map(sources);
        let differs = |path: &&str| match (old.get(path), new.get(path)) {
            (Some(was), Some(is)) => meant(path, was) != meant(path, is),
            _ => !path.ends_with(".md"),
        };
        let others = old.keys().chain(new.keys()).copied().filter(differs);
        let roots: BTreeSet<&str> = others.map(root_of).collect();
        let built = new.iter().filter(|(path, _)| roots.contains(root_of(path)));
        Self {
            comes: new.keys().any(|path| !old.contains_key(path)),
            families: built.filter_map(|(_, text)| family(text)).map(str::to_owned).collect(),
        }
    }
}

/// What images are built from.
fn sources<'a>(files: &[File<'a>]) -> BTreeMap<&'a str, &'a str> {
    let of_images = files.iter().filter(|it| it.path.starts_with(MACHINE_IMAGES));
    of_images.map(|it| (it.path, it.text)).collect()
}

/// The family of what a template of Packer builds.
fn family(text: &str) -> Option<&str> {
    let mut said = text.lines().filter_map(|line| line.trim().strip_prefix("image_family "));
    let value = said.find_map(|rest| rest.trim_start().strip_prefix('='))?;
    Some(value.trim().trim_matches('"'))
}

/// Tells of each image that is built anew which clusters take their controllers from its family: one that is not deployed now is so some day.
pub(crate) fn tell_clusters(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let deployed: BTreeSet<String> = found
        .iter()
        .filter(|it| super::is_of_cluster(&it.file) && it.effect != Effect::Nothing)
        .map(|it| it.root.clone())
        .collect();
    let of_image =
        |it: &&mut Change| it.root.starts_with(MACHINE_IMAGES) && it.effect == Effect::NextStart;
    for change in found.iter_mut().filter(of_image) {
        let template = after.iter().filter(|it| root_of(it.path) == change.root);
        let Some(family) = template.filter_map(|it| family(it.text)).next() else { continue };
        let is_there = |it: &&File<'_>| before.iter().any(|was| was.path == it.path);
        let clusters = after.iter().filter(is_there).filter(|it| super::is_of_cluster(it.path));
        let waiting = clusters.filter(|it| !deployed.contains(root_of(it.path)));
        for cluster in waiting {
            let told = toolkit::with_next_deployment(root_of(cluster.path), cluster.text, family);
            change.why.push_str(&told.unwrap_or_default());
        }
    }
}
