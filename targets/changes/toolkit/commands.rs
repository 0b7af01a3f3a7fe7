//! The commands that bring a deployment from one blueprint to another.

use super::blueprint::{Blueprint, Module};
use super::{
    APPS, CONTROLLER, DATABASE, FILES, IN_DEPLOYMENT, MOUNT, NEXT_NODES, NODES, PARTITION,
    PROLOGS_ANEW, TPUS, destroyed,
};
use crate::{Change, Effect, File, file_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// slurm-gcp calls its own so (`conf.py`: `install_slurmdbd_conf`), and has the words of the other in a secret.
const DATABASE_KEPT: &str = "sudo systemctl stop slurmdbd && sudo mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on the controller, before it is deployed";
const DATABASE_FILLED: &str = "sudo systemctl stop slurmdbd && mysql --host=\"$HOST\" --user=\"$DB_USER\" --password \"$LOC\" <slurm_acct_db.sql && sudo systemctl start slurmdbd  # once it is deployed, where /etc/slurm/slurmdbd.conf says StorageHost, StorageUser and StorageLoc";
/// What Terraform refuses to destroy a database with, and what it lets it go with.
const PROTECTED: &str = "deletion_protection: true";
const LIFTED: &str = "deletion_protection: false";

/// Slurm's administrator is root there, whose `PATH` has none of Slurm's programs.
const SCONTROL: &str = "sudo \"$(command -v scontrol)\" update";
/// Where it is given, and when.
const BEFORE: &str = "on a login node, before it is deployed";
const AFTER: &str = "on a login node, once it is deployed";
/// What a controller does when it is made, as it has it minutes after each deployment; nothing of slurm-gcp runs it again.
pub(super) const CONTROLLER_START: &str =
    "sudo bash /slurm/custom_scripts/controller.d/ghpc_startup.sh";

/// What comes before a change of one module is deployed.
pub(super) fn before(change: &Change, old: &Blueprint, new: &Blueprint) -> Vec<String> {
    let (was, is) = sides(change, old, new);
    let Some(was) = was else {
        let kept = is.filter(|it| it.source.ends_with(DATABASE)).map(|_| DATABASE_KEPT.to_owned());
        return kept.into_iter().collect();
    };
    let mut before = Vec::new();
    if is_other_network(change, was) {
        for set in old.sets_on(was) {
            let stay = set.least();
            before.extend(old.nodes(set, stay..set.most()).map(|nodes| {
                format!("{SCONTROL} NodeName={nodes} State=POWER_DOWN_FORCE  # {BEFORE}")
            }));
            // those that are always there would be made anew at once: they go when Slurm knows them no more
            before.extend(
                old.nodes(set, 0..stay)
                    .map(|nodes| drained(&format!("NodeName={nodes}"), " Reason=goes")),
            );
        }
    }
    if is.is_none()
        && was.source.ends_with(PARTITION)
        && let Some(name) = was.says.get("partition_name")
    {
        before.push(drained(&format!("PartitionName={name}"), ""));
    }
    let Some(is) = is.filter(|it| it.source.ends_with(NODES) || it.source.ends_with(TPUS)) else {
        return before;
    };
    if was.says.get("machine_type") != is.says.get("machine_type") {
        let all = old.nodes(was, 0..was.most());
        before.extend(all.map(|it| drained(&format!("NodeName={it}"), " Reason=machine")));
    } else if is.most() < was.most() {
        let last = old.nodes(was, is.most()..was.most());
        before.extend(last.map(|it| drained(&format!("NodeName={it}"), " Reason=fewer")));
    }
    before
}

/// What gives nodes no more jobs.
fn drained(which: &str, reason: &str) -> String {
    format!("{SCONTROL} {which} State=DRAIN{reason}  # {BEFORE}; jobs there end first")
}

/// What comes once a change of one module is deployed.
pub(super) fn after(
    change: &Change,
    old: &Blueprint,
    new: &Blueprint,
    deploy: &[String],
) -> Vec<String> {
    let (was, is) = sides(change, old, new);
    let mut after = Vec::new();
    if change.why.starts_with(PROLOGS_ANEW) {
        after
            .push(format!("{CONTROLLER_START}  # on the controller, minutes after it is deployed"));
    }
    if let Some((was, is)) = was.zip(is.filter(|it| it.source.ends_with(NODES))) {
        after.extend(nodes_anew(change, old, (was, is)));
    }
    let is_controller = was.zip(is).is_some_and(|(_, is)| is.source.ends_with(CONTROLLER));
    let is_anew = is_controller && change.effect <= Effect::Restarts && !new.mounts(APPS);
    let of_image = was.is_some_and(|it| old.builds_image_with(it)) && is.is_some();
    let of_mount = was.or(is).is_some_and(|it| it.source.ends_with(MOUNT) && !it.mounts_shared());
    if of_mount
        && is.is_none()
        && let Some(path) = was.and_then(|it| it.says.get("local_mount")).filter(|it| is_plain(it))
    {
        after.push(format!("sudo umount {path} && sudo sed -i '\\#[[:space:]]{path}/*[[:space:]]#d' /etc/fstab  # on the controller and on each machine to submit from, once it is deployed"));
    }
    if is_anew || of_image || of_mount {
        let sets = old.modules.values().filter(|it| it.source.ends_with(NODES));
        let always = sets.filter_map(|set| old.nodes(set, 0..set.least()));
        after.extend(always.map(|nodes| made_anew(&nodes)));
    }
    if was.is_none() && is.is_some_and(|it| it.source.ends_with(DATABASE)) {
        after.push(DATABASE_FILLED.to_owned());
    }
    if let Some(network) = was.filter(|it| is_other_network(change, it))
        && old.sets_on(network).any(|set| set.least() > 0)
    {
        after.extend(deploy.last().map(|deploy| {
            format!("{deploy}  # again, minutes later: it stops at the network as long as nodes are on it")
        }));
    }
    after
}

/// What gives nodes of a set what they are made from now.
fn nodes_anew(change: &Change, old: &Blueprint, (was, is): (&Module, &Module)) -> Vec<String> {
    if was.says.get("machine_type") != is.says.get("machine_type") {
        let all = old.nodes(was, 0..was.most().min(is.most())).into_iter();
        let commands = all.flat_map(|nodes| {
            let again = format!("{SCONTROL} NodeName={nodes} State=UNDRAIN  # minutes later");
            [made_anew(&nodes), again]
        });
        return commands.collect();
    }
    let always = old.nodes(was, 0..was.least().min(is.least()));
    let always = always.filter(|_| change.why.contains(NEXT_NODES));
    always.map(|nodes| made_anew(&nodes)).into_iter().collect()
}

/// What gives nodes that are always there what is made from now on.
fn made_anew(nodes: &str) -> String {
    format!(
        "{SCONTROL} NodeName={nodes} State=POWER_DOWN_ASAP  # {AFTER}: each is made anew as its job ends"
    )
}

/// What a shell and `sed` read as it stands.
fn is_plain(path: &str) -> bool {
    path.chars().all(|c| c.is_ascii_alphanumeric() || "/_-".contains(c))
}

/// A module as it was, and as it is.
fn sides<'b>(
    change: &Change,
    old: &'b Blueprint,
    new: &'b Blueprint,
) -> (Option<&'b Module>, Option<&'b Module>) {
    let id = change.thing.strip_prefix("module ").unwrap_or_default();
    (old.modules.get(id), new.modules.get(id))
}

/// A network that is made anew, or goes, with nodes on it.
fn is_other_network(change: &Change, was: &Module) -> bool {
    was.is_data_network() && change.effect == Effect::Replaces
}

/// What makes the deployment of a folder anew, and then changes what there is. Packer builds its image each time that it is let, and another
/// image has the controller made anew: only one of which something is another is built.
pub(crate) fn commands(
    root: &str,
    before: &BTreeMap<&str, &str>,
    all: &BTreeMap<&str, &str>,
) -> Vec<String> {
    let name = file_name(root);
    let name = name.strip_prefix("30-").unwrap_or(name);
    let of_it = all.iter().filter(|(path, _)| FILES.contains(&file_name(path)));
    let words = of_it.flat_map(|(_, text)| text.split("$(vars.").skip(1));
    let words = words.filter_map(|rest| Some(rest.split_once(')')?.0));
    let later: BTreeSet<&str> = words.filter(|word| !IN_DEPLOYMENT.contains(word)).collect();
    let later = later.into_iter().map(|word| {
        format!(" --vars={word}=\"$(terraform -chdir=10-foundation output -raw {word})\"")
    });
    let later: String = later.collect();
    let (old, new) = (whole(before), whole(all));
    let sides = old.as_ref().zip(new.as_ref());
    let gone = sides.map(|(old, new)| old.groups_beyond(new)).unwrap_or_default();
    let is_forced = !gone.is_empty() || sides.is_some_and(|(old, new)| old.release != new.release);
    let forced = if is_forced { " --force" } else { "" };
    let create = format!(
        "gcluster create {root}/cluster.yaml --deployment-file={root}/deployment.yaml --backend-config=\"bucket=$STATE\"{later} --overwrite-deployment{forced}"
    );
    let deploy = match sides.and_then(|(old, new)| kept_image((old, before), (new, all))) {
        Some(group) => format!("gcluster deploy {name} --skip={group}"),
        None => format!("gcluster deploy {name}"),
    };
    let gone = gone.into_iter().map(|group| format!("terraform -chdir={name}/{group} destroy"));
    gone.chain([create, deploy]).collect()
}

fn text<'t>(files: &BTreeMap<&str, &'t str>, name: &str) -> Option<&'t str> {
    files.iter().find(|(path, _)| file_name(path) == name).map(|(_, text)| *text)
}

/// The blueprint of a folder.
fn whole(files: &BTreeMap<&str, &str>) -> Option<Blueprint> {
    Blueprint::read(text(files, FILES[0])?)
}

/// What takes a deployment away that the output has no more, also where its folder is not there.
pub fn undeployed(root: &str, files: &[File<'_>]) -> Vec<String> {
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
        match whole(&texts).as_ref().and_then(Blueprint::image) {
            Some((group, _)) => format!("{name} --skip={group}"),
            None => name,
        }
    });
    lifted.into_iter().chain(create).chain(deployed).chain([destroyed(root)]).collect()
}

/// One side of a folder: its blueprint, and its files.
type Side<'s> = (&'s Blueprint, &'s BTreeMap<&'s str, &'s str>);

/// The group that would build the very image which is there.
fn kept_image((old, before): Side<'_>, (new, after): Side<'_>) -> Option<String> {
    let project = |files: &BTreeMap<&str, &str>| {
        let deployment: Value = serde_yaml::from_str(text(files, FILES[1])?).ok()?;
        Some(deployment.get("vars")?.get("project_id")?.as_str()?.to_owned())
    };
    let (group, parts) = new.image()?;
    let (_, former) = old.image()?;
    let is_same = parts.len() == former.len()
        && parts
            .iter()
            .zip(&former)
            .all(|(is, was)| (&is.id, &is.source, &is.says) == (&was.id, &was.source, &was.says));
    (is_same && project(before) == project(after)).then(|| group.to_owned())
}
