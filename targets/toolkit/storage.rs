//! What all hosts of a cluster mount: filesystems and buckets, which are there before it.

use super::blueprint::Cluster;
use super::module::{Module, id, literal};
use crate::document::{Map, map};
use slipform_model::nouns::{Access, SlurmCluster};
use slipform_model::plan::{Later, Planned, Server, Sound, Source};
use std::collections::BTreeSet;

/// A bucket on every host, with a folder for each part of an object's name, that each user may read and write.
const BUCKET: &str = "implicit_dirs,allow_other,file_mode=777,dir_mode=777";

/// A module for each of them, of which nothing is made.
pub(super) fn modules(cluster: Cluster<'_>) -> Vec<Module> {
    let mounts = cluster.cloud.mounts.iter().zip(named(cluster));
    mounts.filter_map(|((path, source), id)| mount(cluster.plan, path, source, id?)).collect()
}

/// What the controller takes of them.
pub(super) fn ids(cluster: Cluster<'_>) -> impl Iterator<Item = String> {
    named(cluster).into_iter().flatten()
}

/// The id of the module of each mount, in order. What is mounted at several paths has a module for each, as a module has one path: all but the first of
/// them are numbered, since no two modules of a blueprint have one id.
fn named(cluster: Cluster<'_>) -> Vec<Option<String>> {
    let mounts = cluster.cloud.mounts.iter();
    let plain: Vec<Option<String>> =
        mounts.map(|(_, source)| Some(id("mount", shown(cluster.plan, source)?.0))).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let repeats: Vec<bool> =
        plain.iter().map(|id| id.as_ref().is_some_and(|id| !taken.insert(id.clone()))).collect();
    let mut numbered = |plain: &str| {
        let mut free = (2_u32..).map(|count| format!("{plain}-{count}"));
        free.find(|id| taken.insert(id.clone()))
    };
    let ids = plain.into_iter().zip(repeats);
    ids.map(|(id, again)| if again { numbered(&id?) } else { id }).collect()
}

/// Addresses that are known once a filesystem is made: the variables that hold them.
pub(crate) fn addresses<'p>(cluster: Planned<'p, SlurmCluster>) -> Vec<&'p Later> {
    let mounts = cluster.plan.cloud.iter().flat_map(|cloud| &cloud.mounts);
    let mut found: Vec<&Later> = Vec::new();
    for later in mounts.filter_map(|(_, source)| source.address()) {
        if !found.contains(&later) {
            found.push(later);
        }
    }
    found
}

fn mount(plan: Sound<'_>, path: &str, source: &Source, id: String) -> Option<Module> {
    let (_, origin) = shown(plan, source)?;
    let settings = settings(plan, source)?.with("local_mount", literal(path));
    let module = Module::new(id, "modules/file-system/pre-existing-network-storage");
    Some(module.comment(origin).settings(settings))
}

/// A name for what is mounted, and where the blueprint declares it.
fn shown<'p>(plan: Sound<'p>, source: &Source) -> Option<(&'p str, &'p str)> {
    let noun = match source {
        Source::Bucket { noun, .. } => plan.get(*noun).noun,
        Source::Share { noun, .. } => plan.get(*noun).noun,
        Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => return None,
    };
    Some((&noun.outside.name, &noun.origin))
}

fn settings(plan: Sound<'_>, source: &Source) -> Option<Map> {
    let variable = |later: &Later| format!("$(vars.{})", later.output);
    let share = |server: String, folder: &str| {
        map()
            .with("server_ip", server)
            .with("remote_mount", folder)
            .with("fs_type", "nfs")
            .with("mount_options", "defaults,hard,_netdev")
    };
    Some(match source {
        Source::Bucket { name, access, .. } => {
            let rights = match access {
                Access::Read => "ro",
                Access::Write => "rw",
            };
            map()
                .with("remote_mount", name)
                .with("fs_type", "gcsfuse")
                .with("mount_options", format!("defaults,{rights},_netdev,{BUCKET}"))
        }
        Source::Share { server: Server::Filestore { share: folder, address }, .. } => {
            share(variable(address), &format!("/{folder}"))
        }
        Source::Share { server: Server::Nfs { server, export }, .. } => {
            share(literal(server), &literal(export))
        }
        Source::Share { noun, server: Server::Lustre { address } } => map()
            .with("server_ip", format!("{}@tcp", variable(address)))
            .with("remote_mount", format!("/{}", plan.get(*noun).body.share))
            .with("fs_type", "lustre")
            .with("mount_options", "defaults,_netdev"),
        Source::Share { server: Server::Nodes { .. } | Server::Disk { .. }, .. }
        | Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => return None,
    })
}
