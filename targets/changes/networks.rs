//! Networks, subnets and ranges that are made anew, or go: what stands on them goes before, since Google Cloud takes none away that
//! something is in, and an apply would stop half way.

use crate::{Change, Effect, File, by_root, file_name, files, machines, terraform, toolkit};
use std::collections::{BTreeMap, BTreeSet};

/// Tells of each of them which clusters and pools go before, and are made again.
pub(crate) fn free(found: &mut Vec<Change>, before: &[File<'_>], after: &[File<'_>]) {
    let grounds = Grounds { old: by_root(before), new: by_root(after) };
    let mut told: BTreeSet<Vec<&str>> = BTreeSet::new();
    let mut vacated: BTreeSet<&str> = BTreeSet::new();
    for change in found.iter_mut() {
        let is_range = terraform::is_held(change);
        let is_policy = change.thing.starts_with(POLICY) && change.effect == Effect::Replaces;
        if !is_range && !is_policy && !terraform::is_vacated(change) {
            continue;
        }
        let clusters = match is_policy {
            true => grounds.machines_in(&change.root),
            false => grounds.clusters(change, is_range),
        };
        if is_range && clusters.is_empty() {
            // it is changed by the apply
            change.effect = Effect::InPlace;
            change.why.clear();
        } else if !clusters.is_empty() && (is_range || told.insert(clusters.clone())) {
            grounds.vacate(change, &clusters);
            vacated.extend(clusters);
        }
    }
    vacated.into_iter().for_each(|root| grounds.tell(found, root));
    free_subnets(found, before);
    machines::give_once(found);
}

/// Leaves the commands that take a cluster away with the network that it is on, where that gives them too.
pub(crate) fn give_once(left: &mut [Change], found: &[Change]) {
    let given: BTreeSet<&String> = found.iter().flat_map(|it| &it.commands).collect();
    for change in left.iter_mut().filter(|it| it.is_left_cluster()) {
        if change.commands.iter().any(|command| given.contains(command)) {
            change.commands.clear();
            change.why =
                "the blueprint has it no more: the commands of its network take it away".to_owned();
        }
    }
}

/// Leaves the commands of a cluster that another platform has from then on with the network that takes it along.
pub(crate) fn take_once(found: &mut [Change]) {
    let taken: BTreeSet<String> = found.iter().flat_map(|it| it.takes_along.clone()).collect();
    let of_others = |it: &&mut Change| files::is_elsewhere(it) && taken.contains(&it.origin);
    found.iter_mut().filter(of_others).for_each(|it| it.commands.clear());
}

/// The folders of both sides, in which clusters are.
struct Grounds<'a> {
    old: BTreeMap<&'a str, Vec<File<'a>>>,
    new: BTreeMap<&'a str, Vec<File<'a>>>,
}

/// How machines lie: one that some machine has is not destroyed either.
const POLICY: &str = "google_compute_resource_policy.";

impl<'a> Grounds<'a> {
    /// A folder, where it makes plain machines.
    fn machines_in(&self, root: &str) -> Vec<&'a str> {
        let found = self.old.iter().find(|(it, _)| **it == root);
        let found = found.filter(|(_, files)| files.iter().any(|it| it.text.contains(TEMPLATE)));
        found.map(|(root, _)| *root).into_iter().collect()
    }

    /// The folders whose cluster is on what a change is of.
    fn clusters(&self, change: &Change, is_range: bool) -> Vec<&'a str> {
        let block = change.thing.replacen('.', "\" \"", 1);
        let looked_up = format!("data \"{block}\"");
        let own = self.old.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let name = terraform::written_name(&change.thing, own);
        let deployed = name.as_ref().map(|name| {
            let field = change.thing.trim_start_matches("google_compute_");
            let field = field.split('.').next().unwrap_or_default();
            format!(" {field}_name: {name}\n")
        });
        let says = |files: &[File<'_>], text: &str| files.iter().any(|it| it.text.contains(text));
        let is_on = |(root, files): &(&&str, &Vec<File<'_>>)| {
            let is_gke = says(files, "resource \"google_container_cluster\"");
            let is_toolkit = || files.iter().any(|it| files::is_of_cluster(it.path));
            let on_subnet =
                || name.as_ref().is_some_and(|it| says(files, &format!("{}{it} ", flag(change))));
            // its own networks are those of its accelerators
            let has_machines = || {
                says(files, TEMPLATE) && (**root == change.root || says(files, &looked_up))
                    || machines::script_of(root, files).is_some() && on_subnet()
            };
            is_gke && (is_range && **root == change.root || says(files, &looked_up))
                // its hosts have none of the ranges
                || !is_range && is_toolkit() && deployed.as_ref().is_some_and(|it| says(files, it))
                || !is_range && has_machines()
        };
        self.old.iter().filter(is_on).map(|(root, _)| *root).collect()
    }

    /// Tells of a cluster of Cluster Toolkit that it goes and comes, where its own words do not say so.
    fn tell(&self, found: &mut Vec<Change>, root: &str) {
        let of_it = |it: &Change| it.root == root && toolkit::FILES.contains(&file_name(&it.file));
        let is_told = |it: &Change| it.commands.iter().any(|it| toolkit::is_taken_first(it));
        let sides = self.old.get(root).zip(self.new.get(root).filter(|it| is_deployed(it)));
        let texts = |files: &[File<'a>]| files.iter().map(|it| (it.path, it.text)).collect();
        let whole = sides.filter(|_| !found.iter().any(|it| of_it(it) && is_told(it)));
        let whole =
            whole.and_then(|(old, new)| toolkit::ground_anew(root, (&texts(old), &texts(new))));
        let Some(whole) = whole else { return };
        let differs = |it: &&mut Change| of_it(it) && it.effect != Effect::Nothing;
        found.iter_mut().filter(differs).for_each(|it| toolkit::goes_with(it, &whole));
        found.push(whole);
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
                    if new.is_some_and(is_deployed) {
                        again.extend(renewed.again);
                    }
                }
                None if is_of_machines(root, old) => {
                    let (gone, back) = machines(root, old, new, change);
                    away.push(gone);
                    again.extend(back);
                    change.effect = Effect::DestroysData;
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
        if change.effect != Effect::DestroysData {
            change.effect = Effect::Replaces;
        }
        if !terraform::is_held(change) {
            change.why = format!("{}: what stands on it goes before", change.why);
        }
        change.commands.extend(away.into_iter().rev().flatten());
        change.commands.push(format!("terraform -chdir={} apply", change.root));
        change.commands.extend(again);
    }
}

/// Whether Cluster Toolkit makes a cluster of a folder.
fn is_deployed(files: &[File<'_>]) -> bool {
    files.iter().any(|it| toolkit::FILES.contains(&file_name(it.path)))
}

/// What plain machines are made of.
const TEMPLATE: &str = "resource \"google_compute_instance_template\"";

/// The group that keeps them.
const GROUP: &str = "google_compute_instance_group_manager";

/// How a script says the network, or its subnet, of what it asks for.
fn flag(change: &Change) -> &'static str {
    match change.thing.starts_with("google_compute_subnetwork.") {
        true => "--subnetwork=",
        false => "--network=",
    }
}

/// Whether plain machines are made by a folder.
fn is_of_machines(root: &str, files: &[File<'_>]) -> bool {
    files.iter().any(|it| it.text.contains(TEMPLATE)) || machines::script_of(root, files).is_some()
}

/// What takes plain machines of a folder away, and makes them again where the output has them. Who they are goes along.
fn machines(
    root: &str,
    old: &[File<'_>],
    new: Option<&[File<'_>]>,
    change: &mut Change,
) -> (Vec<String>, Vec<String>) {
    let has_root = |files: &[File<'_>]| files.iter().any(|it| it.path.ends_with(".tf"));
    let (script, groups) = (machines::away(root, old, new), terraform::blocks_of(GROUP, old));
    let origin = old.iter().map(|it| files::origin(it.text)).find(|it| it.starts_with("machines "));
    change.takes_along.extend(origin);
    let terraform = format!("terraform -chdir={root}");
    // of a network of its own the rest stays: what is looked up is there
    let destroyed = match root == change.root {
        true => {
            let targets: String = groups.iter().map(|it| format!(" -target={it}")).collect();
            (!targets.is_empty()).then(|| format!("{terraform} destroy{targets}"))
        }
        false => {
            let blind = if new.is_some() { " -refresh=false" } else { "" };
            has_root(old).then(|| format!("{terraform} destroy{blind}"))
        }
    };
    let mut again = Vec::new();
    if let Some(new) = new {
        again.extend((root != change.root && has_root(new)).then(|| format!("{terraform} apply")));
        let makes = MADE_BY.iter().map(|it| format!("{root}/{it}"));
        again.extend(makes.filter(|path| new.iter().any(|it| it.path == *path)));
    }
    (script.into_iter().chain(destroyed).collect(), again)
}

/// What makes machines, or asks for them, besides Terraform.
const MADE_BY: [&str; 2] = ["create.sh", "request.sh"];

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
