//! The commands that bring a deployment from one blueprint to another.

use super::blueprint::{Blueprint, number};
use super::{DATABASE, FILES, IN_DEPLOYMENT, PARTITION, destroyed};
use crate::{Change, Effect, File, file_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// slurm-gcp calls its own so (`conf.py`: `install_slurmdbd_conf`), and has the words of the other in a secret.
const DATABASE_KEPT: &str = "sudo systemctl stop slurmdbd && sudo mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on the controller, before it is deployed";
const DATABASE_FILLED: &str = "sudo systemctl stop slurmdbd && mysql --host=\"$HOST\" --user=\"$DB_USER\" --password \"$LOC\" <slurm_acct_db.sql && sudo systemctl start slurmdbd  # once it is deployed, where /etc/slurm/slurmdbd.conf says StorageHost, StorageUser and StorageLoc";
/// What Terraform refuses to destroy a database with, and what it lets it go with.
const PROTECTED: &str = "deletion_protection: true";
const LIFTED: &str = "deletion_protection: false";

/// The commands of a change of one module: what comes before it is deployed, and after.
pub(super) fn around(
    change: &Change,
    old: &Blueprint,
    new: &Blueprint,
    deploy: &[String],
) -> Vec<String> {
    let id = change.thing.strip_prefix("module ").unwrap_or_default();
    let (was, is) = (old.modules.get(id), new.modules.get(id));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    if let Some(network) =
        was.filter(|it| it.is_data_network() && change.effect == Effect::Replaces)
    {
        for set in old.sets_on(network) {
            let stay = number(set.says.get("node_count_static")).unwrap_or_default();
            before.extend(old.nodes(set, stay..set.most()).map(|nodes| {
                format!("scontrol update NodeName={nodes} State=POWER_DOWN_FORCE  # on a login node, before it is deployed")
            }));
            // those that are always there would be made anew at once: they go when Slurm knows them no more
            let always = old.nodes(set, 0..stay);
            after.extend(always.as_ref().and_then(|_| deploy.last()).map(|deploy| {
                format!("{deploy}  # again, minutes later: it stops at the network as long as nodes are on it")
            }));
            before.extend(always.map(|nodes| {
                format!("scontrol update NodeName={nodes} State=DRAIN Reason=goes  # on a login node, before it is deployed")
            }));
        }
        after.dedup();
    }
    if let Some(partition) = was.filter(|it| is.is_none() && it.source.ends_with(PARTITION))
        && let Some(name) = partition.says.get("partition_name")
    {
        before.push(format!(
            "scontrol update PartitionName={name} State=DRAIN  # on a login node, before it is deployed; jobs there end first"
        ));
    }
    if was.is_none() && is.is_some_and(|it| it.source.ends_with(DATABASE)) {
        before.push(DATABASE_KEPT.to_owned());
        after.push(DATABASE_FILLED.to_owned());
    }
    before.into_iter().chain(deploy.iter().cloned()).chain(after).collect()
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
