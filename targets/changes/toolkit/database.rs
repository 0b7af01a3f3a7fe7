//! The database of Cloud SQL that has what jobs used: where its cluster is made anew it stays, or what is in it is taken along.

use super::blueprint::Blueprint;
use super::commands::{variable, whole};
use super::controller::{Controller, FORMER, NEXT};
use super::rows::{CONTROLLER, DATABASE};
use super::{ACCOUNTS_THERE, APPS, DATABASE_GOES, DATABASE_STAYS, REMADE_FOR, destroyed, held};
use crate::{Effect, file_name};
use std::collections::BTreeMap;

/// Both sides of the files of a cluster.
type Sides<'s> = (&'s BTreeMap<&'s str, &'s str>, &'s BTreeMap<&'s str, &'s str>);

/// What takes a cluster away that is deployed anew, behind the last of its jobs, and what comes once it is there again.
pub(super) struct Renewal {
    pub(super) away: Vec<String>,
    pub(super) back: Vec<String>,
}

impl Renewal {
    /// When it is taken away is a comment behind what does that.
    pub(super) fn of(root: &str, (before, after): Sides<'_>, when: &str) -> Self {
        let all = format!("{}{when}", destroyed(root));
        let (old, new) = (whole(before), whole(after));
        let Some(old) = old else { return Self { away: vec![all], back: Vec::new() } };
        let stays =
            is_placed_alike(before, after) && new.as_ref().is_some_and(|new| stays(&old, new));
        let destroyed = if stays { format!("{}{when}", without(root, &old)) } else { all };
        // shares go and come with what is applied between both
        let moves = |path: &str, both: fn(&Blueprint, &Blueprint) -> bool| {
            new.as_ref().is_none_or(|new| match when.is_empty() {
                true => both(&old, new),
                false => !new.mounts(path),
            })
        };
        let taken = Taken {
            homes: moves("/home", loses_homes),
            apps: moves(APPS, loses_apps),
            accounts: !stays,
        };
        let away = taken.away(root, &old, before).into_iter().chain([destroyed]);
        let back = new.map(|new| taken.back(old.cluster(), &new, after)).unwrap_or_default();
        Self { away: away.collect(), back }
    }
}

/// What of a cluster is taken along where it, or a part of it, is made anew.
pub(super) struct Taken {
    pub(super) homes: bool,
    pub(super) apps: bool,
    pub(super) accounts: bool,
}

impl Taken {
    /// Before it goes.
    pub(super) fn away(
        &self,
        root: &str,
        old: &Blueprint,
        before: &BTreeMap<&str, &str>,
    ) -> Vec<String> {
        let freed = unprotected(root, old).filter(|_| self.accounts);
        self.kept(old, before).into_iter().chain(freed).collect()
    }

    /// What it holds, in files.
    pub(super) fn kept(&self, old: &Blueprint, before: &BTreeMap<&str, &str>) -> Vec<String> {
        let controller = Controller::of(old, before);
        let homes = self.homes.then(|| controller.homes_kept());
        let apps = self.apps.then(|| controller.apps_kept());
        let accounts = self.accounts.then(|| controller.dumped(old.database().is_some()));
        self.with(controller.found(FORMER), [homes, apps, accounts])
    }

    /// Once it is there again, or another one in its place.
    pub(super) fn back(
        &self,
        from: &str,
        new: &Blueprint,
        after: &BTreeMap<&str, &str>,
    ) -> Vec<String> {
        let controller = Controller::of(new, after);
        let homes = self.homes.then(|| controller.homes_back(from));
        let apps = self.apps.then(|| controller.apps_back(from));
        let accounts = self.accounts.then(|| controller.filled(new.database().is_some(), from));
        self.with(controller.found(NEXT), [homes, apps, accounts])
    }

    fn with(&self, found: String, each: [Option<String>; 3]) -> Vec<String> {
        let found = (self.homes || self.apps || self.accounts).then_some(found);
        found.into_iter().chain(each.into_iter().flatten()).collect()
    }
}

/// Whether folders of people lie on the controller's disk, and on the next one's again: where a share comes, they are copied there.
pub(super) fn loses_homes(old: &Blueprint, new: &Blueprint) -> bool {
    !old.mounts_home() && !new.mounts_home()
}

/// The same of what it shares besides.
pub(super) fn loses_apps(old: &Blueprint, new: &Blueprint) -> bool {
    !old.mounts(APPS) && !new.mounts(APPS)
}

/// What becomes of it, where a whole deployment goes and comes again.
pub(super) fn told(
    (old, new): (&Blueprint, &Blueprint),
    (effect, why): (Effect, String),
) -> (Effect, String) {
    if !REMADE_FOR.iter().any(|it| why.starts_with(it)) {
        return (effect, why);
    }
    match old.database() {
        Some(_) if stays(old, new) => (effect, format!("{why}; {DATABASE_STAYS}")),
        Some(it) => (Effect::DestroysData, format!("{why}; {DATABASE_GOES}{}", held(it))),
        None => (effect, format!("{why}{ACCOUNTS_THERE}")),
    }
}

/// What an instance is in; a zone is not among it.
const PLACED_IN: [&str; 2] = ["project_id", "region"];

/// Whether an instance is where it was.
pub(super) fn is_placed_alike(before: &BTreeMap<&str, &str>, after: &BTreeMap<&str, &str>) -> bool {
    PLACED_IN.iter().all(|it| variable(before, it) == variable(after, it))
}

/// Whether the same instance is on both sides.
pub(super) fn stays(old: &Blueprint, new: &Blueprint) -> bool {
    let name = |it: &Blueprint| it.database()?.says.get("sql_instance_name").cloned();
    name(old).is_some() && name(old) == name(new)
}

/// What destroys all of a cluster that its jobs stand on, and leaves the instance: of what belongs to that, the address in the network alone goes.
fn without(root: &str, old: &Blueprint) -> String {
    let of = |end: &str| old.modules.values().find(|it| it.source.ends_with(end));
    let controller = of(CONTROLLER).map_or("controller", |it| &it.id);
    let reached =
        of(DATABASE).filter(|it| it.says.get("use_psc_connection").is_some_and(|it| it == "true"));
    let address = reached
        .map(|it| format!(" -target=module.{}.google_compute_address.psc", it.id))
        .unwrap_or_default();
    let folder = folder(root, old);
    format!("terraform -chdir={folder}{TARGETED}{controller}{address}")
}

/// How Terraform destroys some of a deployment.
pub(super) const TARGETED: &str = " destroy -target=module.";

/// What has Terraform let it go: it would stop at the instance, with the tables gone.
fn unprotected(root: &str, old: &Blueprint) -> Option<String> {
    let database = old.database().filter(|it| it.is_protected())?;
    let folder = folder(root, old);
    Some(format!(
        "sed -i 's/deletion_protection *= true/deletion_protection = false/' {folder}/main.tf && terraform -chdir={folder} apply -target=module.{}",
        database.id
    ))
}

/// Where `gcluster` has the Terraform that a cluster is deployed by.
fn folder(root: &str, old: &Blueprint) -> String {
    let name = file_name(root);
    let name = name.strip_prefix("30-").unwrap_or(name);
    format!("{name}/{}", old.database().map_or("cluster", |it| &it.group))
}
