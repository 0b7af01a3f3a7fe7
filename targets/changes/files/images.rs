//! Images of machines that folders of their own build, and which of them are built anew.

use super::meant;
use crate::pages::FOLDERS;
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

/// Builds an image before a cluster is deployed that looks it up; one that comes is built as well, where there was something before.
pub(crate) fn build_first(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let comes = |it: &&mut Change| {
        it.root.starts_with(MACHINE_IMAGES)
            && it.effect == Effect::Adds
            && it.file.ends_with(".pkr.hcl")
            && !before.iter().any(|was| was.path == it.file)
    };
    for change in found.iter_mut().filter(comes).filter(|_| !before.is_empty()) {
        change.commands = vec![format!("{BUILDS}{}", change.root)];
    }
    let of_image = |it: &Change| it.root.starts_with(MACHINE_IMAGES);
    let family = |root: &str| {
        after.iter().filter(|it| root_of(it.path) == root).find_map(|it| family(it.text))
    };
    let images: Vec<(String, &str)> = found
        .iter()
        .filter(|it| of_image(it))
        .flat_map(|it| it.commands.iter().zip(std::iter::repeat(&it.root)))
        .filter(|(command, _)| command.starts_with(BUILDS))
        .filter_map(|(command, root)| Some((command.clone(), family(root)?)))
        .collect();
    for (command, family) in images {
        let clusters = after.iter().filter(|it| toolkit::deploys_newest(it.text, family));
        let roots: BTreeSet<&str> = clusters.map(|it| root_of(it.path)).collect();
        let mut is_given = false;
        for change in found.iter_mut().filter(|it| roots.contains(it.root.as_str())) {
            let create = format!("gcluster create {}/", change.root);
            let Some(at) = change.commands.iter().rposition(|it| it.starts_with(&create)) else {
                continue;
            };
            change.commands.insert(at, command.clone());
            is_given = true;
        }
        for change in found.iter_mut().filter(|it| is_given && of_image(it)) {
            change.commands.retain(|it| *it != command);
        }
    }
}

/// How one is built.
const BUILDS: &str = "packer build ";

/// Makes folders on a cluster that is deployed first behind that: what they are to lie in is mounted then.
pub(crate) fn make_folders_last(found: &mut [Change], after: &[File<'_>]) {
    let Some(at) = found.iter().position(|it| it.thing == FOLDERS && !it.commands.is_empty())
    else {
        return;
    };
    let Some(made) = found.get(at).map(|it| it.commands.clone()) else { return };
    let clusters = after.iter().filter(|it| {
        toolkit::named(it.text).is_some_and(|name| {
            made.iter().any(|it| it.contains(&format!("slurm_cluster_name={name} ")))
        })
    });
    let roots: BTreeSet<&str> = clusters.map(|it| root_of(it.path)).collect();
    let mut is_given = false;
    let deploys = |it: &String| it.starts_with("gcluster deploy ");
    for change in found.iter_mut().filter(|it| roots.contains(it.root.as_str())) {
        if change.commands.iter().any(deploys) {
            change.commands.extend(made.iter().cloned());
            is_given = true;
        }
    }
    if let Some(change) = found.get_mut(at).filter(|_| is_given) {
        change.commands.clear();
    }
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
