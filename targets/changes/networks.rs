//! Networks, subnets and ranges that are made anew, or go: what stands on them goes before, since Google Cloud takes none away that
//! something is in, and an apply would stop half way.

use crate::{Change, Effect, File, by_root, files, terraform, toolkit};
use std::collections::{BTreeMap, BTreeSet};

/// Tells of each of them which clusters and pools go before, and are made again.
pub(crate) fn free(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let grounds = Grounds { old: by_root(before), new: by_root(after) };
    let mut told: BTreeSet<Vec<&str>> = BTreeSet::new();
    for change in found.iter_mut() {
        let is_range = terraform::is_held(change);
        if !is_range && !terraform::is_vacated(change) {
            continue;
        }
        let clusters = grounds.clusters(change, is_range);
        if is_range && clusters.is_empty() {
            // it is changed by the apply
            change.effect = Effect::InPlace;
            change.why.clear();
        } else if !clusters.is_empty() && (is_range || told.insert(clusters.clone())) {
            grounds.vacate(change, &clusters);
        }
    }
    free_subnets(found, before);
}

/// Leaves the commands that take a cluster away with the network that it is on, where that gives them too.
pub(crate) fn give_once(left: &mut [Change], found: &[Change]) {
    let given: BTreeSet<&String> = found.iter().flat_map(|it| &it.commands).collect();
    for change in left.iter_mut().filter(|it| it.is_left_cluster()) {
        let count = change.commands.len();
        change.commands.retain(|command| !given.contains(command));
        if change.commands.len() < count {
            change.why =
                "the blueprint has it no more: the commands of its network take it away".to_owned();
        }
    }
}

/// The folders of both sides, in which clusters are.
struct Grounds<'a> {
    old: BTreeMap<&'a str, Vec<File<'a>>>,
    new: BTreeMap<&'a str, Vec<File<'a>>>,
}

impl<'a> Grounds<'a> {
    /// The folders whose cluster is on what a change is of.
    fn clusters(&self, change: &Change, is_range: bool) -> Vec<&'a str> {
        let block = change.thing.replacen('.', "\" \"", 1);
        let looked_up = format!("data \"{block}\"");
        let own = self.old.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let name = terraform::written_name(&change.thing, own);
        let deployed = name.map(|name| {
            let field = change.thing.trim_start_matches("google_compute_");
            let field = field.split('.').next().unwrap_or_default();
            format!(" {field}_name: {name}\n")
        });
        let says = |files: &[File<'_>], text: &str| files.iter().any(|it| it.text.contains(text));
        let is_on = |(root, files): &(&&str, &Vec<File<'_>>)| {
            let is_gke = says(files, "resource \"google_container_cluster\"");
            let is_toolkit = || files.iter().any(|it| files::is_of_cluster(it.path));
            is_gke && (is_range && **root == change.root || says(files, &looked_up))
                || is_toolkit() && deployed.as_ref().is_some_and(|it| says(files, it))
        };
        self.old.iter().filter(is_on).map(|(root, _)| *root).collect()
    }

    /// Adds the commands that take clusters away, apply the change, and make those again that the output has.
    fn vacate(&self, change: &mut Change, clusters: &[&str]) {
        let mut again = Vec::new();
        let mut away = Vec::new();
        for root in clusters {
            let old = self.old.get(root).map(Vec::as_slice).unwrap_or_default();
            let new = self.new.get(root).map(Vec::as_slice);
            match old.iter().find(|it| files::is_of_cluster(it.path)) {
                Some(file) => {
                    change.takes_along.push(files::origin(file.text));
                    let texts =
                        |files: &[File<'a>]| files.iter().map(|it| (it.path, it.text)).collect();
                    let renewed =
                        toolkit::renewed(root, &texts(old), &texts(new.unwrap_or_default()));
                    away.push(renewed.away);
                    if new.is_some() {
                        again.extend(renewed.again);
                    }
                }
                None => {
                    terraform::take_along(change, root, old, new.unwrap_or_default());
                    // what the folder looks up from now on is not there yet
                    let blind = new.is_some() && !terraform::is_held(change);
                    let blind = if blind { " -refresh=false" } else { "" };
                    away.push(vec![format!("terraform -chdir={root} destroy{blind}")]);
                    again.extend(new.map(|_| format!("terraform -chdir={root} apply")));
                }
            }
        }
        change.effect = Effect::Replaces;
        if !terraform::is_held(change) {
            change.why = format!("{}: what stands on it goes before", change.why);
        }
        change.commands.extend(away.into_iter().rev().flatten());
        change.commands.push(format!("terraform -chdir={} apply", change.root));
        change.commands.extend(again);
    }
}

/// Takes the pools away whose nodes are in a subnet, before it is made anew: Compute Engine destroys none that something is in.
fn free_subnets(found: &mut [Change], before: &[File<'_>]) {
    let roots = by_root(before);
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    for change in found.iter_mut().filter(|it| terraform::moves_subnet(it)) {
        let files = roots.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let pools = terraform::pools_in(&change.thing, files);
        if pools.is_empty() {
            continue;
        }
        change.why = format!("{}: the nodes in it go before, and are made again", change.why);
        let root = change.root.clone();
        let fresh = pools.into_iter().filter(|(it, _)| told.insert((root.clone(), it.clone())));
        let (fresh, origins): (Vec<String>, Vec<String>) = fresh.unzip();
        change.takes_along.extend(origins);
        let targets: String = fresh.iter().map(|it| format!(" -target={it}")).collect();
        if !targets.is_empty() {
            let terraform = format!("terraform -chdir={}", change.root);
            change.commands.push(format!("{terraform} destroy{targets}"));
            change.commands.push(format!("{terraform} apply"));
        }
    }
}
