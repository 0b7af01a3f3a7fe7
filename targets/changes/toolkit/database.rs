//! The database of Cloud SQL that has what jobs used: where its cluster is made anew it stays, or what is in it is taken along.

use super::blueprint::Blueprint;
use super::commands::{variable, whole};
use super::{CONTROLLER, DATABASE, DATABASE_GOES, DATABASE_STAYS, REMADE_FOR, destroyed, held};
use crate::{Effect, file_name};
use std::collections::BTreeMap;

/// slurm-gcp writes down where it is, and with which words it opens (`slurmdbd.conf.tpl`), each as a shell reads it.
macro_rules! by_slurmdbd {
    ($does:literal) => {
        concat!(
            "gcloud compute ssh \"${CONTROLLER:?}\" --zone=\"${ZONE:?}\" --command='sudo systemctl stop slurmdbd; eval \"$(sudo grep ^Storage /etc/slurm/slurmdbd.conf)\"; ",
            $does,
            " --host=\"$StorageHost\" --port=\"$StoragePort\" --user=\"$StorageUser\" --password=\"$StoragePass\" \"$StorageLoc\""
        )
    };
}

/// What is in it, by way of the host that deploys it: the controller's disk goes as well.
pub(super) const DUMPED: &str = concat!(
    by_slurmdbd!("mysqldump --single-transaction --no-tablespaces"),
    "' >slurm_acct.sql  # here, before it is destroyed; README has both, as the way onto the controller"
);
const FILLED: &str = concat!(
    by_slurmdbd!("mysql"),
    " && sudo systemctl start slurmdbd' <slurm_acct.sql  # here, minutes after it is deployed"
);

/// Both sides of the files of a cluster.
type Sides<'s> = (&'s BTreeMap<&'s str, &'s str>, &'s BTreeMap<&'s str, &'s str>);

/// What takes a cluster away that is deployed anew, behind the last of its jobs, and what comes once it is there again.
pub(super) struct Renewal {
    pub(super) away: Vec<String>,
    pub(super) back: Option<String>,
}

impl Renewal {
    /// When it is taken away is a comment behind what does that.
    pub(super) fn of(root: &str, (before, after): Sides<'_>, when: &str) -> Self {
        let all = format!("{}{when}", destroyed(root));
        let (old, new) = (whole(before), whole(after));
        let Some(old) = old.filter(|it| it.database().is_some()) else {
            return Self { away: vec![all], back: None };
        };
        let is_there = PLACED_IN.iter().all(|it| variable(before, it) == variable(after, it));
        if is_there && new.as_ref().is_some_and(|new| stays(&old, new)) {
            return Self { away: vec![format!("{}{when}", without(root, &old))], back: None };
        }
        let away = [DUMPED.to_owned()].into_iter().chain(unprotected(root, &old)).chain([all]);
        let back = new.is_some_and(|new| new.database().is_some()).then(|| FILLED.to_owned());
        Self { away: away.collect(), back }
    }
}

/// What becomes of it, where a whole deployment goes and comes again.
pub(super) fn told(
    (old, new): (&Blueprint, &Blueprint),
    (effect, why): (Effect, String),
) -> (Effect, String) {
    let is_anew = REMADE_FOR.iter().any(|it| why.starts_with(it));
    match old.database().filter(|_| is_anew) {
        Some(_) if stays(old, new) => (effect, format!("{why}; {DATABASE_STAYS}")),
        Some(it) => (Effect::DestroysData, format!("{why}; {DATABASE_GOES}{}", held(it))),
        None => (effect, why),
    }
}

/// What an instance is in; a zone is not among it.
const PLACED_IN: [&str; 2] = ["project_id", "region"];

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
