//! A cluster of Cluster Toolkit: what `gcluster deploy` does with another blueprint, module by module and setting by setting.
//!
//! By its documents ("Reconfigure a running cluster") and the README and sources of its modules: templates of machines cannot be
//! changed, so that the controller and the machines to submit from are made anew where theirs is another. Nodes are made by Slurm,
//! and keep the template that they were made from. What Slurm itself reads is in a bucket, and `slurmsync.py` starts the daemons
//! anew with it within minutes.

mod acts;
mod blueprint;
mod commands;
mod controller;
mod database;
mod gone;
mod mounted;
mod newer;
mod order;
mod rows;
mod served;

use crate::files::{Built, origin};
use crate::slurm::limits::{self, SHORTENED};
use crate::tree::{Detail, details, flat, names};
use crate::{Change, Effect, file_name};
pub(crate) use acts::end_first;
use blueprint::{Blueprint, Module, number};
use commands::Deployment;
pub(crate) use commands::{
    ENDED, Renewed, commands, first_of_all, is_taken_first, put_first, renewed,
};
pub use commands::{is_first_of_all, turn_of_first};
pub(crate) use controller::{PERHAPS, SAVED};
pub use gone::undeployed;
pub(crate) use gone::{OPTIONAL, succeeded};
pub(crate) use mounted::{COPIED_BESIDE, COPIED_FIRST};
use newer::Newer;
pub(crate) use order::{as_one, is_put_first};
use rows::{
    BUILT_IMAGE, CONTROLLER, DATABASE, LOGIN, MOUNT, NODES, PARTITION, ROWS, Row, SCRIPT, TPUS,
};
use serde_json::Value;
pub(crate) use served::{Again, deployed_again, served_elsewhere};
use std::collections::{BTreeMap, BTreeSet};

const BY_TOOLKIT: &str = "Cluster Toolkit makes Terraform of it, whose plan says what changes: read the plan that `gcluster deploy` shows before it is confirmed";
const OTHER_TOOLKIT: &str = "another release of Cluster Toolkit, which promises no graceful change of what another one deployed, and writes over it with `--force` alone: read the plan that `gcluster deploy` shows";
const IMAGE_STAYS: &str = "no image is built here any more: what was built stays, and what starts from its family goes on; `gcluster` lets a group go with `--force` alone";
const IMAGE_ELSEWHERE: &str = "Packer's own folder builds the family from now on, and `gcluster deploy` looks up what it has built before";
const RECONFIGURED: &str =
    "slurmctld and slurmd are started anew with it by themselves, within minutes; jobs go on";
const NEXT_NODES: &str =
    "it is in the template of nodes: those that stand keep theirs until they are powered down";
const NEXT_TPUS: &str = "the controller asks Cloud TPU for nodes with it from then on: those that stand keep what they were made with";
const OTHER_SLICE: &str = "slices of another shape have other hosts: those that stand are deleted before, with the jobs on them";
const OTHER_STATE: &str = "the state of its deployment is looked for under another name in the bucket: where it is not moved before, all of the cluster is made a second time";
const OTHER_MACHINE: &str = "of nodes that are there another machine type may not work, says Cluster Toolkit: make a partition beside it, and take this one away once its jobs are over";
const OTHER_NAME: &str =
    "nodes of that name are made, and those of the former are deleted, with the jobs on them";
const FEWER_NODES: &str = "the last of its nodes are deleted, with the jobs on them: drained before, they end first, and `State=RESUME` takes that back";
const NODES_GO: &str = "its nodes are deleted, with the jobs on them";
const PARTITION_GOES: &str = "Slurm knows it no more: its jobs are lost";
const CONTROLLER_ANEW: &str = "the controller is made anew, and the machines to submit from with it: jobs that run go on, none begins meanwhile, and sessions end";
const HOME_GOES: &str = "; `/home` is on its disk, and is gone";
/// Of a controller without a database of Cloud SQL.
const ACCOUNTS_THERE: &str = "; what jobs used, accounts and their limits are in a database on the controller's disk, and are taken along or gone";
const HOME_WITH_CLUSTER: &str = "`/home` is on the disk of its controller, and is gone with that";
const WITH_CLUSTER: &str = "all of the cluster is made anew, and this with it";
const IMAGE_WITH_CLUSTER: &str = "`gcluster deploy` has another image of the family built before the cluster that is made anew, all of whose hosts start from it";
const APPS_STALE: &str = "; nodes that stand mount `/opt/apps` of the former, which answers no more: those with a network of GPUs take no jobs until they are made anew";
/// What hosts mount of the controller where nothing else is mounted there.
const APPS: &str = "/opt/apps";
const STATE_GOES: &str = "another disk is made for what Slurm knows of jobs: they are lost";
const LOGIN_ANEW: &str = "machines to submit from are made anew: sessions end, jobs go on";
const LOGIN_GOES: &str = "machines to submit from are taken away: sessions end, jobs go on";
const OTHER_CLUSTER: &str = "all of the cluster is made anew, and what runs there ends";
const OTHER_PLACE: &str = "all of the cluster is made anew there, and what runs there ends";
const OTHER_ZONE: &str = "all of the cluster is made anew there, and what runs there ends; the database stays, with what jobs used, accounts and their limits";
const OTHER_DEPLOYMENT: &str =
    "another deployment is made beside the former, which stays until it is destroyed";
const OTHER_NETWORK: &str =
    "the controller and its nodes are on another network: they are made anew";
const GROUND_ANEW: &str =
    "what it stands on is made anew: it is taken away before, and deployed again";
const NETWORK_HELD: &str = "a network is made anew, which stops where nodes are still on it: power them down before, and nothing runs meanwhile";
const NETWORK_GOES: &str =
    "the network goes, which stops where nodes are still on it: they are powered down before";
const NEXT_MOUNT: &str =
    "machines that are made from now on have it so; those that stand keep what they mounted";
const OTHER_SHARE: &str = "hosts mount another share there, which has nothing of what lies in the former, output of jobs that wait among it: jobs end first, what is to be kept is copied, and hosts mount it anew";
const MOUNT_COMES: &str =
    "machines that are made from now on mount it; those that stand do not have it";
pub(crate) const MOUNT_GOES: &str = "machines that are made from now on do not mount it; on those that stand, what uses it hangs once it is gone";
/// A controller says once, when it is set up, what it shares (setup_network_storage.py of slurm-gcp).
pub(crate) const SHARED_BY_CONTROLLER: &str = "hosts mount there what the controller shares where nothing else does, and it says so once, when it is made: one that stands goes on as it was, and nodes that are made meanwhile find nothing. The cluster is taken away and deployed anew; what lies in the former folder is copied before";
/// Of one that hides what the controller shares.
pub(crate) const MOUNTED_FIRST: &str = "; nothing else was mounted there until now";
const DATABASE_ANEW: &str = "another database is made, and the former is deleted with its backups: what jobs used, accounts and their limits are lost";
const OTHER_DATABASE: &str = "all of the cluster is made anew there, and what runs there ends; so is the database, whose former is deleted with its backups: what jobs used, accounts and their limits are lost";
const DATABASE_GOES: &str =
    "the database is deleted with its backups: what jobs used, accounts and their limits are lost";
const DATABASE_HELD: &str = "; Terraform stops at the instance, with the tables gone, until `deletion_protection = false` was deployed";
const DATABASE_STAYS: &str = "the database stays, with what jobs used, accounts and their limits";
const DATABASE_COMES: &str = "slurmdbd writes to it from then on, and it is empty: what jobs used, accounts, their users and qualities of service stay in the database on the controller's disk, which goes with that. Who submits with `--account` is refused until they are there";
const DATABASE_RESTARTS: &str =
    "the database is started anew: slurmctld keeps what there is to tell until it answers";
const NEXT_IMAGE: &str = "`gcluster deploy` has another image of the family built, which the cluster then looks up: nodes that are made from then on start from it, and those that stand keep theirs";
/// Terraform looks an image up by its family whenever it is run.
const BUILT_FIRST: &str =
    "`packer build` makes another image of its family first, which `gcluster deploy` looks up";
const NEXT_START: &str =
    "machines run it once, when they are made: those that stand ran the former, and go on with it";
const STARTED_THERE: &str = "a controller runs it once, when it is made: one that stands ran the former, and goes on with it";
const RESERVED_STILL: &str =
    "is made: its nodes come as the reservation is given back, with the end of those";
const START_GOES: &str = "machines that are made from now on do not run it";
const PROLOGS_ANEW: &str = "a controller runs it once, when it is made: one that stands fetches none of the scripts that are new in it, and the nodes that need one take no jobs";

/// The files that it reads.
pub(crate) const FILES: [&str; 2] = ["cluster.yaml", "deployment.yaml"];

/// What becomes of a cluster of which one of its two files is another. All of the new ones say with what it is deployed.
pub(crate) fn changes(
    root: &str,
    path: &str,
    (old, new): (&str, &str),
    (before, all): (&BTreeMap<&str, &str>, &BTreeMap<&str, &str>),
    built: &Built,
) -> Vec<Change> {
    let commands = commands(root, before, all);
    let mut found = match file_name(path) {
        "cluster.yaml" => match (Blueprint::read(old), Blueprint::read(new)) {
            (Some(old), Some(mut new)) => {
                new.is_built_elsewhere = built.comes;
                let mut found = of_blueprints(root, path, &old, &new);
                let is_moved = commands::is_moved(before, all);
                let is_built = !is_moved && built_first(&mut found, (&old, &new), &built.families);
                let is_anew = is_built || is_moved || found.iter().any(makes_controller);
                let newer = Newer::of((&old, before), &new).filter(|_| !is_anew);
                let mut real = found.iter_mut().filter(|it| it.effect != Effect::Nothing);
                if let Some((first, newer)) = real.next().zip(newer.as_ref()) {
                    let why = format!("{}{}", first.why, newer.why);
                    first.why = why.trim_start_matches("; ").to_owned();
                    first.leaves_data |= newer.homes;
                }
                let kept = newer.map(|it| it.kept).unwrap_or_default();
                let (old, new) = (&old, &new);
                let deploy: &[String] = &[kept, commands].concat();
                Deployment { root, old, new, deploy, files: (before, all) }.give(&mut found);
                return found;
            }
            _ => vec![unknown(root, path, old, new)],
        },
        _ => {
            let (then, now) = (commands::whole(before), commands::whole(all));
            let database = then.as_ref().filter(|it| it.database().is_some());
            let stays = database.map(|it| now.as_ref().is_some_and(|new| database::stays(it, new)));
            let homes = then.zip(now).is_some_and(|(old, new)| database::loses_homes(&old, &new));
            vec![of_deployment(root, path, (old, new), (stays, homes))]
        }
    };
    let renewed = commands::is_moved(before, all).then(|| renewed(root, before, all));
    let given = renewed.map_or(commands, |it| it.away.into_iter().chain(it.again).collect());
    for change in found.iter_mut().filter(|it| it.effect != Effect::Nothing) {
        change.commands.extend(given.iter().cloned());
    }
    found
}

/// Has the controller made anew where an image of the family that it is looked up by is built in the same plan; whether it is.
fn built_first(
    found: &mut [Change],
    (old, new): (&Blueprint, &Blueprint),
    families: &BTreeSet<String>,
) -> bool {
    let is_built = is_built_first(new, families);
    if !is_built || found.iter().any(makes_controller) {
        return false;
    }
    let at = found.iter().position(|it| it.thing == "module controller");
    let at = at.or_else(|| found.iter().position(|it| it.effect != Effect::Nothing));
    let Some(change) = at.and_then(|at| found.get_mut(at)) else { return false };
    let (effect, why) = controller_anew(old);
    change.effect = change.effect.min(effect);
    let said = format!("{}; {BUILT_FIRST}: {why}", change.why);
    change.why = said.trim_start_matches("; ").to_owned();
    true
}

/// Whether the controller is made anew with a change.
fn makes_controller(change: &Change) -> bool {
    change.why.contains(CONTROLLER_ANEW) || REMADE_FOR.iter().any(|why| change.why.starts_with(why))
}

/// Whether the image is built in the same plan that the controller is looked up by.
fn is_built_first(new: &Blueprint, families: &BTreeSet<String>) -> bool {
    families.iter().any(|it| new.starts_from(it)) && new.looks_up_image()
}

/// What the next deployment of a cluster does whose family of images has a newer one from then on.
pub(crate) fn with_next_deployment(root: &str, text: &str, family: &str) -> Option<String> {
    let blueprint = Blueprint::read(text)?;
    let deployed = destroyed(root).replacen("destroy", "deploy", 1);
    let home = if blueprint.mounts_home() { "" } else { HOME_GOES };
    (blueprint.looks_up_image() && blueprint.starts_from(family)).then(|| {
        format!("; the next `{deployed}`, for whatever reason, makes its controller and machines to submit from anew with it{home}")
    })
}

/// Whether a deployment looks up the newest image of a family.
pub(crate) fn deploys_newest(text: &str, family: &str) -> bool {
    let blueprint = Blueprint::read(text);
    blueprint.is_some_and(|it| it.looks_up_image() && it.starts_from(family))
}

/// What the cluster of a blueprint is called.
pub(crate) fn named(text: &str) -> Option<String> {
    Blueprint::read(text).map(|it| it.cluster().to_owned()).filter(|it| !it.is_empty())
}

/// The command that takes the deployment of a folder away.
pub fn destroyed(root: &str) -> String {
    let name = file_name(root);
    format!("gcluster destroy {}", name.strip_prefix("30-").unwrap_or(name))
}

/// What a deployment that the blueprint has no more holds besides machines; nothing where that is nothing.
pub(crate) fn stored(text: &str) -> Option<String> {
    let blueprint = Blueprint::read(text)?;
    let database = blueprint.database().map(|it| format!("{DATABASE_GOES}{}", held(it)));
    let homes = (!blueprint.mounts_home()).then(|| HOME_WITH_CLUSTER.to_owned());
    let all: Vec<String> = database.into_iter().chain(homes).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The variables of the deployment file that say where it is.
const PLACE: [&str; 3] = ["project_id", "region", "zone"];
/// Variables that the deployment file has.
const IN_DEPLOYMENT: [&str; 5] = ["project_id", "region", "zone", "deployment_name", "labels"];

fn of_blueprints(root: &str, path: &str, old: &Blueprint, new: &Blueprint) -> Vec<Change> {
    let of_file = |effect, why: &str, details| Change {
        origin: new.origin.clone(),
        details,
        ..Change::of_file(effect, root, path, why)
    };
    let mut found = Vec::new();
    if old.release != new.release {
        let (before, after) = (Some(old.release.clone()), Some(new.release.clone()));
        let release = Detail { path: "Cluster Toolkit".to_owned(), before, after };
        found.push(of_file(Effect::MayReplace, OTHER_TOOLKIT, vec![release]));
    }
    let (named, rest): (Vec<Detail>, Vec<Detail>) =
        details(&old.rest, &new.rest).into_iter().partition(|it| it.path == "blueprint_name");
    if let [Detail { before: Some(before), after: Some(after), .. }] = named.as_slice() {
        let moved = format!("gcloud storage mv gs://$STATE/{before} gs://$STATE/{after}");
        let change = of_file(Effect::ByHand, OTHER_STATE, named.clone());
        found.push(Change { commands: vec![moved], ..change });
    }
    if !rest.is_empty() {
        let labels = rest.iter().all(|it| names(&it.path).starts_with(&["vars", "labels"]));
        let (effect, why) = match labels {
            true => controller_anew(old),
            false => (Effect::MayReplace, BY_TOOLKIT.to_owned()),
        };
        found.push(of_file(effect, &why, rest));
    }
    let ids: BTreeSet<&String> = old.modules.keys().chain(new.modules.keys()).collect();
    found.extend(ids.into_iter().filter_map(|id| of_module(root, path, (old, new), id)));
    let is_anew =
        found.iter().any(|it| it.thing == "module controller" && it.effect <= Effect::Restarts);
    for change in found.iter_mut().filter(|it| is_anew && it.why.starts_with(PROLOGS_ANEW)) {
        (change.effect, change.why) = (Effect::NextStart, NEXT_START.to_owned());
    }
    if found.is_empty() {
        found.push(of_file(Effect::Nothing, "only comments differ", Vec::new()));
    }
    found
}

/// What becomes of a module, where something does.
fn of_module(
    root: &str,
    path: &str,
    (old, new): (&Blueprint, &Blueprint),
    id: &String,
) -> Option<Change> {
    let (was, is) = (old.modules.get(id), new.modules.get(id));
    let module = is.or(was)?;
    let (effect, why, details) = match (was, is) {
        (Some(was), Some(is)) => changed(old, was, is)?,
        (None, Some(is)) => added((old, new), is),
        (Some(was), None) => gone((old, new), was),
        (None, None) => return None,
    };
    // what the cluster stands on, and goes with it, may be someone else's
    let is_anew = REMADE_FOR.iter().any(|it| why.starts_with(it));
    let is_own = module.origin.is_empty() || is_anew;
    let origin = if is_own { &new.origin } else { &module.origin };
    let (effect, why) = remade((old, new), (effect, why));
    let partitions = match module.is_data_network() {
        true => old.partitions_on(module),
        false => Vec::new(),
    };
    Some(Change {
        thing: format!("module {id}"),
        origin: origin.clone(),
        details,
        partitions,
        ..Change::of_file(effect, root, path, &why)
    })
}

/// What is lost besides where all of a cluster is made anew.
fn remade(
    (old, new): (&Blueprint, &Blueprint),
    (effect, why): (Effect, String),
) -> (Effect, String) {
    let is_anew = REMADE_FOR.iter().any(|it| why.starts_with(it));
    let (effect, why) = database::told((old, new), (effect, why));
    match is_anew && database::loses_homes(old, new) {
        true => (Effect::DestroysData, format!("{why}; {HOME_WITH_CLUSTER}")),
        false => (effect, why),
    }
}

/// What becomes of a cluster of whose words none says that what it stands on is made anew.
pub(crate) fn ground_anew(
    root: &str,
    (before, after): (&BTreeMap<&str, &str>, &BTreeMap<&str, &str>),
) -> Option<Change> {
    let (old, new) = (commands::whole(before)?, commands::whole(after)?);
    let (effect, why) = remade((&old, &new), (Effect::Replaces, GROUND_ANEW.to_owned()));
    let Renewed { away, again } = renewed(root, before, after);
    let path = format!("{root}/{}", FILES[0]);
    let change = Change::of_file(effect, root, &path, &why);
    let commands = away.into_iter().chain(again).collect();
    Some(Change { origin: new.origin, commands, ..change })
}

/// Nothing of such a cluster goes on as it was.
pub(crate) fn goes_with(change: &mut Change, whole: &Change) {
    if change.effect > Effect::Replaces && change.effect != Effect::Adds {
        (change.effect, change.why) = (Effect::Replaces, WITH_CLUSTER.to_owned());
    }
    change.commands.clone_from(&whole.commands);
}

/// Whether a change is of what jobs used alone, and none of them ends with it.
pub(crate) fn is_of_accounts(change: &Change) -> bool {
    [DATABASE_GOES, DATABASE_ANEW].iter().any(|it| change.why.starts_with(it))
}

/// Whether nodes that are there have machines of a reservation no more.
pub(crate) fn leaves_reservation(change: &Change) -> bool {
    change.commands.iter().any(|it| it.contains(commands::NONE_RESERVED))
}

/// What all of a cluster is taken away and deployed anew for.
const REMADE_FOR: [&str; 3] = [SHARED_BY_CONTROLLER, OTHER_NETWORK, GROUND_ANEW];

type Told = (Effect, String, Vec<Detail>);

/// What becomes of what a module made that is no more.
const GONE: &[(&str, Effect, &str)] = &[
    (NODES, Effect::Replaces, NODES_GO),
    (TPUS, Effect::Replaces, NODES_GO),
    (PARTITION, Effect::Replaces, PARTITION_GOES),
    (LOGIN, Effect::Restarts, LOGIN_GOES),
    (MOUNT, Effect::NextStart, MOUNT_GOES),
    (DATABASE, Effect::DestroysData, DATABASE_GOES),
    (SCRIPT, Effect::NextStart, START_GOES),
    ("multivpc", Effect::Replaces, NETWORK_GOES),
    ("gpu-rdma-vpc", Effect::Replaces, NETWORK_GOES),
    ("network/vpc", Effect::Replaces, NETWORK_GOES),
];

/// What comes of a module that was not there.
fn added((old, new): (&Blueprint, &Blueprint), is: &Module) -> Told {
    if is.source.ends_with(DATABASE) {
        return (Effect::ByHand, DATABASE_COMES.to_owned(), Vec::new());
    }
    if is.source.ends_with(BUILT_IMAGE) {
        let (effect, why) = image_anew(old);
        return (effect, why, Vec::new());
    }
    if is.prologs().is_some() {
        return (Effect::ByHand, PROLOGS_ANEW.to_owned(), Vec::new());
    }
    if is.mounts_shared() {
        return (Effect::Replaces, format!("{SHARED_BY_CONTROLLER}{MOUNTED_FIRST}"), Vec::new());
    }
    if mounted::in_place_of(is, (old, new)).is_some_and(|was| mounted::is_of_another(was, is)) {
        return (Effect::ByHand, OTHER_SHARE.to_owned(), Vec::new());
    }
    if is.source.ends_with(MOUNT) {
        return (Effect::NextStart, MOUNT_COMES.to_owned(), Vec::new());
    }
    let reserved = |it: &Module| it.says.get("reservation_name").cloned();
    let goes = |it: &&Module| !new.modules.contains_key(&it.id) && reserved(it) == reserved(is);
    let former = old.modules.values().filter(|_| reserved(is).is_some()).find(goes);
    let why = former.map(|it| format!("{RESERVED_STILL} of {}", it.id)).unwrap_or_default();
    (Effect::Adds, why, Vec::new())
}

fn gone((old, new): (&Blueprint, &Blueprint), was: &Module) -> Told {
    if was.mounts_shared() {
        return (Effect::Replaces, SHARED_BY_CONTROLLER.to_owned(), Vec::new());
    }
    if mounted::in_place_of(was, (new, old)).is_some_and(|is| mounted::is_of_another(was, is)) {
        return (Effect::ByHand, OTHER_SHARE.to_owned(), Vec::new());
    }
    if old.builds_image_with(was) && new.is_built_elsewhere {
        let (effect, why) = controller_anew(old);
        return (effect, format!("{IMAGE_ELSEWHERE}; {why}"), Vec::new());
    }
    if old.builds_image_with(was) {
        return (Effect::NextStart, IMAGE_STAYS.to_owned(), Vec::new());
    }
    let known = GONE.iter().find(|(of, ..)| was.source.ends_with(of));
    let (effect, why) =
        known.map_or((Effect::MayReplace, BY_TOOLKIT), |(_, effect, why)| (*effect, *why));
    (effect, format!("{why}{}", held(was)), Vec::new())
}

/// That Terraform refuses to destroy what a module made, where it does.
fn held(was: &Module) -> &'static str {
    if was.is_protected() && was.source.ends_with(DATABASE) { DATABASE_HELD } else { "" }
}

fn changed(old: &Blueprint, was: &Module, is: &Module) -> Option<Told> {
    let mut found = details(&was.says, &is.says);
    let is_elsewhere = found.iter().any(|it| it.path == "local_mount");
    if is_elsewhere && (was.mounts_shared() || is.mounts_shared()) {
        return Some((Effect::Replaces, SHARED_BY_CONTROLLER.to_owned(), found));
    }
    if was.source != is.source {
        let (before, after) = (Some(was.source.clone()), Some(is.source.clone()));
        found.push(Detail { path: "source".to_owned(), before, after });
    }
    if mounted::is_of_another(was, is) {
        return Some((Effect::ByHand, OTHER_SHARE.to_owned(), found));
    }
    let mut told: Vec<(Effect, String)> =
        found.iter().map(|detail| told(old, was, is, detail)).collect();
    told.sort_by_key(|(effect, _)| *effect);
    let effect = told.first()?.0;
    // what is milder is told besides
    let mut each: Vec<String> = told.into_iter().map(|(_, why)| why).collect();
    each.retain(|why| !why.is_empty());
    each.dedup();
    each.truncate(2);
    Some((effect, each.join("; "), found))
}

fn told(old: &Blueprint, was: &Module, is: &Module, detail: &Detail) -> (Effect, String) {
    let name = names(&detail.path).first().copied().unwrap_or_default();
    let ends = |end: &str| is.source.ends_with(end);
    match name {
        "source" => (Effect::MayReplace, BY_TOOLKIT.to_owned()),
        _ if old.builds_image_with(was) => image_anew(old),
        "node_count_static" | "node_count_dynamic_max" if ends(NODES) || ends(TPUS) => {
            counted(was, is)
        }
        "num_instances" if ends(LOGIN) => {
            match number(detail.before.as_ref()) <= number(detail.after.as_ref()) {
                true => (Effect::InPlace, String::new()),
                false => (Effect::Restarts, LOGIN_GOES.to_owned()),
            }
        }
        "partition_conf" if ends(PARTITION) && is_shorter(detail) => {
            (Effect::InPlace, format!("{RECONFIGURED}; {SHORTENED}"))
        }
        "controller_state_disk" if ends(CONTROLLER) => {
            let grows = detail.path.ends_with(".size")
                && number(detail.before.as_ref()) <= number(detail.after.as_ref());
            match grows {
                true => (Effect::InPlace, "the disk grows".to_owned()),
                false => (Effect::Replaces, STATE_GOES.to_owned()),
            }
        }
        _ => {
            let fits = |row: &&Row| {
                ends(row.of) && (row.settings.is_empty() || row.settings.contains(&name))
            };
            match ROWS.iter().find(fits) {
                Some(row) if row.why == CONTROLLER_ANEW => controller_anew(old),
                Some(row) if row.why == NEXT_START => started(was, is),
                Some(row) if row.why == DATABASE_ANEW => {
                    (row.effect, format!("{DATABASE_ANEW}{}", held(was)))
                }
                Some(row) => (row.effect, row.why.to_owned()),
                None => (Effect::MayReplace, BY_TOOLKIT.to_owned()),
            }
        }
    }
}

/// Whether jobs of a partition may run for less time than before.
fn is_shorter(detail: &Detail) -> bool {
    let [then, now] =
        [&detail.before, &detail.after].map(|it| it.as_deref().and_then(limits::seconds));
    detail.path.ends_with("MaxTime") && limits::is_shorter(then, now)
}

/// Its disk has what people keep, where nothing else is mounted there.
fn controller_anew(old: &Blueprint) -> (Effect, String) {
    let apps = if old.mounts(APPS) { "" } else { APPS_STALE };
    let accounts = if old.database().is_some() { "" } else { ACCOUNTS_THERE };
    match old.mounts_home() {
        true => (Effect::Restarts, format!("{CONTROLLER_ANEW}{accounts}{apps}")),
        false => (Effect::DestroysData, format!("{CONTROLLER_ANEW}{HOME_GOES}{accounts}{apps}")),
    }
}

/// Another image of the family: what is looked up by that is another one for the controller, too.
fn image_anew(old: &Blueprint) -> (Effect, String) {
    let (effect, why) = controller_anew(old);
    (effect, format!("{NEXT_IMAGE}; {why}"))
}

/// What another script of machines that are made does to those that stand. Of a controller it may be run there again.
fn started(was: &Module, is: &Module) -> (Effect, String) {
    let fetched = |of: &Module| -> BTreeSet<String> {
        let lines = of.prologs().map(String::as_str).unwrap_or_default().lines();
        lines.filter(|it| it.starts_with("fetch ")).map(str::to_owned).collect()
    };
    let lines = |of: &Module| -> BTreeSet<String> {
        of.says.values().flat_map(|it| it.lines()).map(str::to_owned).collect()
    };
    let has_more = || !lines(is).is_subset(&lines(was));
    match is.id == "controller-startup" {
        _ if !fetched(is).is_subset(&fetched(was)) => (Effect::ByHand, PROLOGS_ANEW.to_owned()),
        true if has_more() => (Effect::NextStart, STARTED_THERE.to_owned()),
        _ => (Effect::NextStart, NEXT_START.to_owned()),
    }
}

/// More or fewer nodes: the last of them come and go.
fn counted(was: &Module, is: &Module) -> (Effect, String) {
    match is.most() < was.most() {
        true => (Effect::Restarts, FEWER_NODES.to_owned()),
        false => (Effect::InPlace, RECONFIGURED.to_owned()),
    }
}

/// Where the deployment is; whether its database of Cloud SQL is the same on both sides, where it had one, and whether homes go with its controller.
fn of_deployment(
    root: &str,
    path: &str,
    (old, new): (&str, &str),
    (database_stays, loses_homes): (Option<bool>, bool),
) -> Change {
    let read = |text: &str| serde_yaml::from_str::<Value>(text).ok().filter(Value::is_object);
    let (Some(was), Some(is)) = (read(old), read(new)) else {
        return unknown(root, path, old, new);
    };
    let found = details(&flat(&was), &flat(&is));
    let told = found.iter().map(|it| match names(&it.path).as_slice() {
        ["vars", "deployment_name"] => (Effect::ByHand, OTHER_DEPLOYMENT),
        ["vars", "project_id" | "region"] if database_stays.is_some() => {
            (Effect::DestroysData, OTHER_DATABASE)
        }
        ["vars", name] if PLACE.contains(name) && database_stays == Some(true) => {
            (Effect::Replaces, OTHER_ZONE)
        }
        ["vars", name] if PLACE.contains(name) => (Effect::Replaces, OTHER_PLACE),
        _ => (Effect::MayReplace, BY_TOOLKIT),
    });
    let (effect, why) =
        told.min_by_key(|(effect, _)| *effect).unwrap_or((Effect::Nothing, "only comments differ"));
    let is_there = database_stays.is_none() && why == OTHER_PLACE;
    let accounts = if is_there { ACCOUNTS_THERE } else { "" };
    let (effect, why) = match loses_homes && effect <= Effect::Replaces {
        true => (Effect::DestroysData, format!("{why}; {HOME_WITH_CLUSTER}{accounts}")),
        false => (effect, format!("{why}{accounts}")),
    };
    Change { origin: origin(new), details: found, ..Change::of_file(effect, root, path, &why) }
}

/// What is no blueprint, or no deployment, on one side.
fn unknown(root: &str, path: &str, old: &str, new: &str) -> Change {
    let said = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<String>();
    match said(old) == said(new) {
        true => Change::of_file(Effect::Nothing, root, path, "only comments differ"),
        false => Change {
            origin: origin(new),
            ..Change::of_file(Effect::MayReplace, root, path, BY_TOOLKIT)
        },
    }
}
