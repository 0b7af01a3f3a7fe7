//! What is made anew under its own name: other folders say the same of it as before, and what they put into it is gone.

use super::grants::is_grant;
use super::root::{Instance, Root};
use crate::{Change, Effect, File, by_root, files};
use std::collections::BTreeMap;

const BUCKET: &str = "google_storage_bucket";
const REGISTRY: &str = "google_artifact_registry_repository";

/// A policy is of the bucket that it was set for (Cloud Storage: "Overview of IAM").
const RIGHT_GONE: &str = "the bucket is made anew, and nobody has a right to the new one by this until it is given again";
const IMAGE_GONE: &str = "the registry is made anew, and is empty: the image is built and pushed again before anybody starts from it";

/// Tells of what other folders have put into what is made anew, where nothing else becomes of it.
pub(crate) fn put_again(found: &mut Vec<Change>, before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (by_root(before), by_root(after));
    let mut told = Vec::new();
    let is_anew =
        |it: &&Change| it.effect <= Effect::Replaces && !it.details.is_empty() && !it.stays;
    for change in found.iter().filter(is_anew) {
        let side = |roots: &BTreeMap<&str, Vec<File<'_>>>| {
            let root = Root::read(roots.get(change.root.as_str())?);
            root.instances.get(&change.thing).cloned()
        };
        let (Some(was), Some(is)) = (side(&old), side(&new)) else { continue };
        for (root, own) in new.iter().filter(|(root, _)| **root != change.root) {
            let Some(former) = old.get(root) else { continue };
            match same_name(&was, &is) {
                Some(bucket) if is.resource == BUCKET => {
                    told.extend(
                        rights(root, bucket, (former, own))
                            .map(|it| Change { follows: Some(is.block()), ..it }),
                    );
                }
                Some(registry) if is.resource == REGISTRY => {
                    told.extend(images(root, registry, (former, own), after));
                }
                _ => {}
            }
        }
    }
    told.retain(|it| !found.iter().any(|other| other.root == it.root && other.thing == it.thing));
    found.extend(told);
}

/// The name of a bucket, or of a registry, where it is the same on both sides.
fn same_name<'a>(was: &Instance, is: &'a Instance) -> Option<&'a str> {
    let field = if is.resource == REGISTRY { "repository_id" } else { "name" };
    let name = is.flat.get(field)?;
    (was.flat.get(field) == Some(name)).then_some(name)
}

/// Rights to a bucket that a folder gives by its name, before as after.
fn rights(
    root: &str,
    bucket: &str,
    (before, after): (&[File<'_>], &[File<'_>]),
) -> impl Iterator<Item = Change> {
    let (old, new) = (Root::read(before), Root::read(after));
    let is_to = |it: &Instance| {
        is_grant(&it.resource) && it.flat.get("bucket").is_some_and(|it| it == bucket)
    };
    let given: Vec<Change> = new
        .instances
        .iter()
        .filter(|(address, it)| is_to(it) && old.instances.get(*address).is_some_and(is_to))
        .map(|(address, it)| Change {
            thing: address.clone(),
            origin: it.origin.clone(),
            ..Change::of_file(Effect::InPlace, root, &it.file, RIGHT_GONE)
        })
        .collect();
    given.into_iter()
}

/// Images that a folder builds for a registry, before as after.
fn images(
    root: &str,
    registry: &str,
    (before, after): (&[File<'_>], &[File<'_>]),
    all: &[File<'_>],
) -> Option<Change> {
    let inside = format!("/{registry}/");
    let pushes = |it: &&File<'_>| {
        let mut words = it.text.split_whitespace();
        it.path.ends_with("/cloudbuild.yaml")
            && words.any(|it| it.contains("-docker.pkg.dev/") && it.contains(&inside))
    };
    before.iter().find(pushes)?;
    let file = after.iter().find(pushes)?;
    // where an image is built from is said on the page of the output
    let page = all.iter().find(|it| it.path == "README.md")?;
    let is_of_it = |line: &&str| line.contains(&format!("--config={}", file.path));
    let line = page.text.lines().find(is_of_it)?;
    let command = line.split(" # ").next().unwrap_or_default().trim().to_owned();
    let told = Change::of_file(Effect::ByHand, root, file.path, IMAGE_GONE);
    Some(Change { commands: vec![command], origin: files::origin(file.text), ..told })
}
