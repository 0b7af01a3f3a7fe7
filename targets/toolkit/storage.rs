//! What all hosts of a cluster mount: filesystems and buckets, which are there before it.

use super::blueprint::Cluster;
use super::module::{Module, id, literal};
use crate::document::{Map, map};
use slipform_model::nouns::{Access, SlurmCluster};
use slipform_model::plan::{Later, Planned, Server, Sound, Source};

/// A bucket on every host, with a folder for each part of an object's name, that each user may read and write.
const BUCKET: &str = "implicit_dirs,allow_other,file_mode=777,dir_mode=777";

/// A module for each of them, of which nothing is made.
pub(super) fn modules(cluster: Cluster<'_>) -> Vec<Module> {
    let mounts = cluster.cloud.mounts.iter();
    mounts.filter_map(|(path, source)| mount(cluster.plan, path, source)).collect()
}

/// What the controller takes of them.
pub(super) fn ids(cluster: Cluster<'_>) -> impl Iterator<Item = String> {
    let mounts = cluster.cloud.mounts.iter();
    mounts.filter_map(move |(_, source)| Some(id("mount", shown(cluster.plan, source)?.0)))
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

fn mount(plan: Sound<'_>, path: &str, source: &Source) -> Option<Module> {
    let (name, origin) = shown(plan, source)?;
    let settings = settings(plan, source)?.with("local_mount", literal(path));
    let module = Module::new(id("mount", name), "modules/file-system/pre-existing-network-storage");
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
