//! The nouns as types: one struct a kind, one field a field of the kind in `stdlib/kinds`.
//!
//! A struct holds what the blueprint says, with defaults filled in and nothing derived; `auto` is kept as
//! [`Choice::Auto`]. The table at the end of this file ties each kind to its struct.

mod batch;
mod cluster;
mod flavor;
mod image;
mod kueue;
mod level;
mod machines;
mod model;
mod network;
mod order;
mod queue;
mod rare;
mod reference;
mod reservation;
mod slurm;
mod storage;
mod team;
mod tuning;
mod upgrades;
mod vertex;
mod workload;

pub use batch::{AwaitedJob, Batch, Dependency, Import, OfBatch, Ranks, Signal, Staged, Switches};
pub use cluster::{
    Addon, Backoff, Capacity, Disk, Driver, GkeCluster, LocalSsd, Logged, Measured, NodeEffect,
    NodeTaint, Nodes, Placement, Pool, Rdma, Sharing, Slicing, Volume, Within,
};
pub use flavor::{Amount, Countable, Displace, Flavor, Step, Stop, Told};
pub use image::{BootImage, Family, Image, MachineImage, PushTo};
pub use kueue::{
    Counted, DevicePart, FairBy, InLine, Kueue, ReadyWithin, Requeue, Topologies, Unqueued,
};
pub use level::{Closeness, Level};
pub use machines::{Machines, MadeBy, OnHostMaintenance};
pub use model::{
    Experts, Framework, KeptTensor, LatentAttention, ModelShape, Precision, Recompute,
    RecomputeModule, Sharded,
};
pub use network::{FlowLogs, Ingress, Network};
pub use order::{After, Awaited, Probe, Reaction, Success};
pub use queue::{Check, Cohort, ObjectName, Preemption, Queue, Reclaim};
pub use rare::{Emptiness, Rare};
pub use reference::{Kind, Place, Ref};
pub use reservation::{Reservation, Reserved};
pub use slurm::{
    Detection, Enforced, HealthCheck, Mpi, NodeCheck, Partition, PartitionNodes, SlurmAccounting,
    SlurmCluster, SlurmController, SlurmLogin, SlurmPriority, SlurmStandby, TpuNodes,
};
pub use storage::{
    Access, Bucket, Dashboard, Federation, FilestoreTier, Filesystem, Granted, Identity, Mount,
    MountSource, MountUse, Registry, Storage, StorageClass,
};
pub use team::Team;
pub use tuning::{
    Algorithm, EarlyStopping, Goal, Measurement, Parent, ParentValue, Scale, Tuned, Tuning,
};
pub use upgrades::{
    Exclusion, HostMaintenance, Maintenance, Release, UpgradeBy, Upgrades, Weekday, number_of_day,
};
pub use vertex::{Attached, AttachedGpu, ModelUpload, ReductionServer, VertexCluster, VertexDisk};
pub use workload::{
    Argument, EnvValue, FabricUse, Group, GroupPart, ImageUse, Launch, OfNodes, Options, Parallel,
    Pulled, Rendezvous, Sidecar, Workload,
};

use crate::Placed;
use crate::lower::{self, LowerError};
use serde::{Deserialize, Deserializer};
use slipform_source::Span;
use std::sync::Arc;

/// A field that may be left to the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename = "$choice")]
pub enum Choice<T> {
    /// `auto`
    #[serde(rename = "auto")]
    Auto,
    /// What the blueprint says.
    #[serde(rename = "set")]
    Set(T),
}

impl<T> Choice<T> {
    /// What the blueprint says, if it says anything.
    pub fn set(&self) -> Option<&T> {
        match self {
            Self::Auto => None,
            Self::Set(value) => Some(value),
        }
    }
}

macro_rules! nouns {
    ($($(#[$doc:meta])* $kind:literal $(on $platform:literal)? => $Body:ident, $all:ident;)*) => {
        /// What a noun says, by its kind.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Body {
            $($(#[$doc])* $Body(Box<$Body>),)*
            /// Could not be understood; why is reported, and that stops a build before any target sees it.
            Broken {
                /// The kind that it was meant to be.
                kind: &'static str,
                /// The platform, for a cluster.
                platform: Option<&'static str>,
            },
        }

        impl Body {
            /// Every kind and, where it has variants, the platform: as `stdlib/kinds` declares them.
            pub const KINDS: &'static [(&'static str, Option<&'static str>)] =
                &[$(($kind, nouns!(@platform $($platform)?)),)*];

            /// The typed form of checked fields, of a noun that stands at `at`.
            pub fn lower(
                kind: &str,
                platform: Option<&str>,
                fields: &[(Arc<str>, Placed)],
                at: Span,
            ) -> Result<Self, LowerError> {
                Self::read(kind, platform, lower::reader(fields))
                    .unwrap_or_else(|| Err(LowerError::unknown_kind(kind, at)))
            }

            /// The typed form of whatever holds the fields of a kind; `None` for an unknown kind.
            pub fn read<'de, D: Deserializer<'de>>(
                kind: &str,
                platform: Option<&str>,
                fields: D,
            ) -> Option<Result<Self, D::Error>> {
                match (kind, platform) {
                    $(($kind, nouns!(@pattern $($platform)?)) => {
                        Some($Body::deserialize(fields).map(|body| Self::$Body(Box::new(body))))
                    })*
                    _ => None,
                }
            }

            /// The kind, without its platform.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$Body(_) => $kind,)* Self::Broken { kind, .. } => kind }
            }

            /// The platform of a cluster.
            pub fn platform(&self) -> Option<&'static str> {
                match self { $(Self::$Body(_) => nouns!(@platform $($platform)?),)* Self::Broken { platform, .. } => *platform }
            }
        }

        $(
            impl Kind for $Body {
                const KIND: (&'static str, Option<&'static str>) =
                    ($kind, nouns!(@platform $($platform)?));

                fn of(body: &Body) -> Option<&Self> {
                    match body {
                        Body::$Body(body) => Some(body),
                        _ => None,
                    }
                }
            }
        )*

        impl crate::Model {
            $(
                /// Every noun of this kind with its typed body, in the order of the blueprint.
                pub fn $all(&self) -> impl Iterator<Item = (&crate::Noun, &$Body)> {
                    self.nouns.of_kind()
                }
            )*
        }
    };
    (@platform $platform:literal) => { Some($platform) };
    (@platform) => { None };
    (@pattern $platform:literal) => { Some($platform) };
    (@pattern) => { None };
}

nouns! {
    /// A VPC network.
    "network" => Network, networks;
    /// A Cloud Storage bucket.
    "bucket" => Bucket, buckets;
    /// A shared filesystem.
    "filesystem" => Filesystem, filesystems;
    /// A repository of images.
    "registry" => Registry, registries;
    /// A service account.
    "identity" => Identity, identities;
    /// A Vertex AI TensorBoard.
    "dashboard" => Dashboard, dashboards;
    /// Machines that were bought before.
    "reservation" => Reservation, reservations;
    /// A container image.
    "image" => Image, images;
    /// An image of whole machines.
    "machine_image" => MachineImage, machine_images;
    /// A GKE cluster.
    "cluster" on "gke" => GkeCluster, gke_clusters;
    /// A Slurm cluster.
    "cluster" on "slurm" => SlurmCluster, slurm_clusters;
    /// Vertex AI custom training.
    "cluster" on "vertex" => VertexCluster, vertex_clusters;
    /// A node pool of a GKE cluster.
    "pool" => Pool, pools;
    /// A partition of a Slurm cluster.
    "partition" => Partition, partitions;
    /// Plain machines of Compute Engine.
    "machines" => Machines, machines;
    /// A queue of a GKE cluster.
    "queue" => Queue, queues;
    /// A training run.
    "workload" => Workload, workloads;
    /// Nodes of a workload besides its own.
    "group" => Group, groups;
}
