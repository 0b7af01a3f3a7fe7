//! What Vertex AI needs to be told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

/// Folders that mounts appear under on Vertex AI.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MountRoots {
    /// Shares of NFS.
    pub nfs: String,
    /// Lustre.
    pub lustre: String,
    /// Buckets.
    pub gcs: String,
}

impl MountRoots {
    /// All of them.
    pub fn all(&self) -> [&str; 3] {
        [&self.nfs, &self.lustre, &self.gcs]
    }
}

/// A Debian package of an archive of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebianPackage {
    /// Its name.
    pub name: String,
    /// The archive.
    pub archive: String,
    /// The release in it.
    pub suite: String,
    /// The key that the archive is signed with.
    pub key: String,
}

/// Names and numbers of Vertex AI custom training.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexFacts {
    /// Values of `acceleratorType`.
    pub accelerator_types: Vec<String>,
    /// Boot disk types, the default first.
    pub boot_disk_types: Vec<String>,
    /// Machines that boot from `hyperdisk-balanced` by default.
    pub hyperdisk_boot: Vec<String>,
    /// Values of `scheduling.strategy`.
    pub strategies: Vec<String>,
    /// Worker pools in their fixed order.
    pub worker_pools: Vec<String>,
    /// GPUs that flex-start takes.
    pub flex_start_gpus: Vec<String>,
    /// Reduction Server images by multi-region: `us`, `europe`, `asia`.
    pub reduction_server_images: BTreeMap<String, String>,
    /// Which of these is near, by the first part of a region's name.
    pub reduction_server_near: BTreeMap<String, String>,
    /// Where Debian packages of what speaks to it come from.
    pub reduction_server_package: DebianPackage,
    /// What a training pipeline runs a custom job by.
    pub custom_task: String,
    /// Where Google keeps prebuilt images for training, without the multi-region.
    pub prebuilt_images: String,
    /// Oldest software for the Reduction Server.
    pub reduction_server_min: BTreeMap<String, String>,
    /// Accelerator types that the Reduction Server is of no use to.
    pub reduction_server_pointless: Vec<String>,
    /// Machine types and families that are not offered.
    pub not_offered: Vec<String>,
    /// Environment that is set for a training program.
    pub injected: Vec<String>,
    /// Port of the first worker in the cluster description.
    pub cluster_port: u16,
    /// Key of a reservation's affinity.
    pub reservation_key: String,
    /// Folders that mounts appear under.
    pub mount_roots: MountRoots,
    /// Restarts of a spot job.
    pub spot_restarts: u32,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}
