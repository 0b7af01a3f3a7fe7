//! What takes a deployment away that the output has no more, and makes the one that has another name in its place.

use super::blueprint::Blueprint;
use super::commands::{ALL_DRAINED, ALL_ENDED, commands, placed, put_first, whole};
use super::database::{Taken, loses_apps, loses_homes};
use super::rows::DATABASE;
use super::{APPS, FILES, destroyed};
use crate::{File, file_name};
use std::collections::BTreeMap;

/// What Terraform refuses to destroy a database with, and what it lets it go with.
const PROTECTED: &str = "deletion_protection: true";
const LIFTED: &str = "deletion_protection: false";

/// When it is not asked for what is in a file that it is saved in.
pub(crate) const OPTIONAL: &str = "; where it is to be kept";

/// What takes a deployment away that the output has no more, also where its folder is not there.
pub fn undeployed(root: &str, files: &[File<'_>]) -> Vec<String> {
    let texts = files.iter().map(|it| (it.path, it.text)).collect();
    let old = whole(&texts);
    let kept = old.as_ref().map(|old| kept_of(old, &texts)).unwrap_or_default();
    let drained = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into_iter();
    let first = drained.chain(kept).map(|it| placed(it, old.as_ref(), None));
    first.chain(taken_down(root, files, old.as_ref())).collect()
}

/// What makes a deployment that another one takes the place of that one, which has another name: behind the last of its jobs, with what it holds.
pub(crate) fn succeeded<'a>(
    (root, old_files): (&str, &[File<'a>]),
    (to, new_files): (&str, &[File<'a>]),
) -> Option<Vec<String>> {
    let texts = |files: &[File<'a>]| -> BTreeMap<&'a str, &'a str> {
        files.iter().map(|it| (it.path, it.text)).collect()
    };
    let (before, after) = (texts(old_files), texts(new_files));
    let (old, new) = (whole(&before)?, whole(&after)?);
    let (homes, apps) = (loses_homes(&old, &new), loses_apps(&old, &new));
    let taken = Taken { homes, apps, accounts: true };
    let drained = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into_iter();
    let mut away: Vec<String> = drained.chain(taken.kept(&old, &before)).collect();
    away.extend(taken_down(root, old_files, Some(&old)));
    put_first(&mut away, root);
    let made = commands(to, &BTreeMap::new(), &after);
    let back = taken.back(old.cluster(), &new, &after);
    let all = away.into_iter().chain(made).chain(back);
    Some(all.map(|it| placed(it, Some(&old), Some(&new))).collect())
}

/// What takes a deployment down that is made by files which are in the output no more.
fn taken_down(root: &str, files: &[File<'_>], old: Option<&Blueprint>) -> Vec<String> {
    let texts = files.iter().map(|it| (it.path, it.text)).collect();
    let made = commands(root, &BTreeMap::new(), &texts);
    let create = made.first().cloned();
    let protected = files.iter().find(|it| {
        file_name(it.path) == FILES[0] && it.text.contains(DATABASE) && it.text.contains(PROTECTED)
    });
    let lifted = protected.map(|file| format!("sed -i 's/{PROTECTED}/{LIFTED}/' {}", file.path));
    // Terraform would stop at the database, with all else gone
    let deployed = protected.map(|_| {
        let name = destroyed(root).replacen("destroy", "deploy", 1);
        match old.and_then(Blueprint::image) {
            Some((group, _)) => format!("{name} --skip={group}"),
            None => name,
        }
    });
    lifted.into_iter().chain(create).chain(deployed).chain([destroyed(root)]).collect()
}

/// What keeps what a cluster holds that nothing takes the place of.
fn kept_of(old: &Blueprint, files: &BTreeMap<&str, &str>) -> Vec<String> {
    let taken = Taken { homes: !old.mounts_home(), apps: !old.mounts(APPS), accounts: true };
    let mut kept = taken.kept(old, files);
    kept.iter_mut().skip(1).for_each(|it| it.push_str(OPTIONAL));
    kept
}
