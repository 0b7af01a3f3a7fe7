//! Buckets, filesystems, registries, identities, dashboards, and how the first two are mounted.

use super::{Choice, Network, Ref};
use crate::{Duration, Size};
use indexmap::IndexMap;
use ipnet::IpNet;
use serde::Deserialize;
use slipform_source::Spanned;

/// A Cloud Storage bucket.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Bucket {
    /// A region or a multi-region.
    pub location: Spanned<String>,
    /// Its globally unique name.
    pub name: Choice<Spanned<String>>,
    /// Hierarchical namespace.
    pub hierarchical: Spanned<bool>,
    /// Keeps what is overwritten.
    pub versioning: Spanned<bool>,
    /// How long deleted objects can be brought back.
    pub soft_delete: Duration,
    /// Objects older than this are deleted.
    pub delete_after: Option<Duration>,
    /// What those who mount it may do.
    pub access: Access,
    /// What its objects cost to keep and to read.
    pub class: Choice<Spanned<StorageClass>>,
    /// The zone of its objects, of a bucket of the Rapid class.
    pub rapid: Option<Spanned<String>>,
    /// Zones that keep copies of what is read there.
    pub caches: Vec<Spanned<String>>,
    /// How long a copy stays that nobody reads.
    pub cached_for: Duration,
    /// How old objects have to be before they can be deleted.
    pub retention: Option<Spanned<Duration>>,
    /// What its objects are encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// Whether Terraform refuses to destroy it.
    pub deletion_protection: Spanned<bool>,
    /// Whether Terraform may destroy it with objects inside.
    pub force_destroy: bool,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// What objects cost to keep and to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageClass {
    /// Read often.
    Standard,
    /// Read once a month.
    Nearline,
    /// Read once in three months.
    Coldline,
    /// Read once a year.
    Archive,
}

/// What those who mount a bucket may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read objects.
    Read,
    /// Read, write and delete objects.
    Write,
}

/// A filesystem that many nodes mount at once.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Filesystem {
    /// What holds the files.
    pub storage: Spanned<Storage>,
    /// The network that reaches it.
    pub network: Option<Spanned<Ref<Network>>>,
    /// Zone or region.
    pub location: Option<Spanned<String>>,
    /// Its name.
    pub name: Choice<Spanned<String>>,
    /// The share that is mounted.
    pub share: String,
    /// What its files are encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// Whether Terraform refuses to destroy it.
    pub deletion_protection: bool,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// The hardware behind a filesystem.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// A managed NFS server.
    Filestore {
        /// Its size.
        capacity: Spanned<Size>,
        /// Its service tier.
        tier: FilestoreTier,
        /// Its addresses.
        reserved: Option<Spanned<IpNet>>,
    },
    /// A managed parallel filesystem.
    Lustre {
        /// Its size.
        capacity: Spanned<Size>,
        /// MB/s for each TiB.
        throughput: i64,
    },
    /// A disk that many nodes read.
    HyperdiskMl {
        /// Its size.
        capacity: Spanned<Size>,
        /// The snapshot or image that it is made of.
        from: Option<Spanned<String>>,
        /// MiB/s of all who read it; `None`: as Google Cloud gives.
        read_rate: Option<Spanned<i64>>,
    },
    /// A disk of solid state that one node has at a time.
    HyperdiskBalanced {
        /// Its size.
        capacity: Spanned<Size>,
        /// The snapshot or image that it is made of.
        from: Option<Spanned<String>>,
        /// Operations a second; `None`: as Google Cloud gives.
        iops: Option<Spanned<i64>>,
        /// MiB/s; `None`: as Google Cloud gives.
        rate: Option<Spanned<i64>>,
    },
    /// A large and slow disk that one node has at a time.
    HyperdiskThroughput {
        /// Its size.
        capacity: Spanned<Size>,
        /// The snapshot or image that it is made of.
        from: Option<Spanned<String>>,
        /// MiB/s; `None`: as Google Cloud gives.
        rate: Option<Spanned<i64>>,
    },
    /// An NFS server that someone else keeps.
    Nfs {
        /// Its address or name.
        server: String,
        /// The folder that it exports.
        export: String,
    },
    /// Already mounted on every node.
    Path {
        /// Where.
        folder: String,
    },
}

impl Storage {
    /// Whether Google Cloud holds it: the others are there already.
    pub fn is_managed(&self) -> bool {
        match self {
            Self::Filestore { .. }
            | Self::Lustre { .. }
            | Self::HyperdiskMl { .. }
            | Self::HyperdiskBalanced { .. }
            | Self::HyperdiskThroughput { .. } => true,
            Self::Nfs { .. } | Self::Path { .. } => false,
        }
    }
}

/// The service tiers of Filestore.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilestoreTier {
    /// Hard disks, zonal.
    BasicHdd,
    /// Solid state, zonal.
    BasicSsd,
    /// Zonal with high performance.
    Zonal,
    /// Regional.
    Regional,
}

/// An Artifact Registry repository of container images.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Registry {
    /// Its region, or several at once.
    pub location: Spanned<String>,
    /// Its name.
    pub name: Choice<Spanned<String>>,
    /// The project that it is of, where that is another one.
    pub project: Option<Spanned<String>>,
    /// Versions of each image that clean-up keeps.
    pub keep: i64,
    /// What its images are encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// A service account.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Identity {
    /// The account part of its address.
    pub account: Choice<Spanned<String>>,
    /// The project that it is of, where that is another one.
    pub project: Option<Spanned<String>>,
    /// Roles on the project.
    pub roles: Vec<Spanned<String>>,
    /// What it may read, besides what its runs do.
    pub reads: Vec<Spanned<Granted>>,
    /// What it may read and write.
    pub writes: Vec<Spanned<Granted>>,
    /// Secrets that it may read.
    pub secrets: Vec<Spanned<String>>,
    /// Who else may act as it.
    pub federated: IndexMap<String, Spanned<Federation>>,
}

/// What rights are given on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granted {
    /// A bucket.
    Bucket(Ref<Bucket>),
    /// A repository of images.
    Registry(Ref<Registry>),
}

/// Who may act as an identity without a key.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Federation {
    /// Jobs of GitHub Actions.
    Github {
        /// Of this repository, `OWNER/NAME`.
        repository: String,
        /// On this branch or tag alone.
        #[serde(rename = "ref")]
        at: Option<String>,
        /// In this environment alone.
        environment: Option<String>,
    },
    /// Whoever has a token of an issuer.
    Oidc {
        /// Its address.
        issuer: String,
        /// For whom the token is.
        subject: String,
        /// Whom the tokens are made for.
        audience: Option<String>,
        /// The keys of the issuer, where Google cannot fetch them.
        keys: Option<String>,
    },
}

/// A Vertex AI TensorBoard.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Dashboard {
    /// Its region.
    pub region: Spanned<String>,
    /// The name that people see.
    pub title: Choice<String>,
    /// What is logged to it is encrypted with it.
    pub encryption_key: Option<Spanned<String>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// Something mounted into a process's file system.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mount {
    /// The only form: `source at "/path"`.
    Mount {
        /// What is mounted.
        source: Spanned<MountSource>,
        /// Where.
        path: Spanned<String>,
        /// Only this folder of the source.
        folder: Option<String>,
        /// Whether writing is refused; `auto`: where the source lets nobody write.
        read_only: Choice<bool>,
        /// What it is used for; decides caching.
        #[serde(rename = "use")]
        purpose: MountUse,
        /// What each node keeps of a bucket on its disks.
        cache: Option<Size>,
        /// Processors that gcsfuse asks of each node for it.
        cpus: Choice<i64>,
        /// Memory that gcsfuse asks of each node for it.
        memory: Choice<Size>,
    },
}

/// What can be mounted.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MountSource {
    /// A bucket, through Cloud Storage FUSE.
    Bucket(Ref<Bucket>),
    /// A filesystem.
    Filesystem(Ref<Filesystem>),
    /// The node's own disks.
    Scratch {
        /// How much of them.
        size: Size,
    },
    /// A claim that exists where the pods are.
    Claim {
        /// Its name.
        name: String,
    },
    /// A config map that exists where the pods are.
    ConfigMap {
        /// Its name.
        name: String,
    },
    /// A secret that exists where the pods are, each key of it a file.
    SecretFiles {
        /// Its name.
        name: String,
    },
    /// What each node has at a path.
    HostPath {
        /// Where.
        path: String,
    },
    /// Memory of each node, which is copied to others and to a bucket.
    LocalCheckpoints {
        /// Which bucket.
        bucket: Ref<Bucket>,
        /// How much memory.
        memory: Size,
    },
}

/// What a mount is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MountUse {
    /// Read many times.
    Data,
    /// Written in large pieces.
    Checkpoints,
    /// Weights, read once and fast.
    Serving,
}
