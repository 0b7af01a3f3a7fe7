//! What a mount leads to, and who may write there.

use super::Later;
use crate::Size;
use crate::nouns::{Access, Bucket, Filesystem, MountUse, Ref};
use slipform_source::{Span, Spanned};

/// Something mounted into the processes of a gang.
#[derive(Clone, PartialEq, Debug)]
pub struct MountPlan {
    /// What is mounted.
    pub source: Spanned<Source>,
    /// Only this folder of it, without `/` at either end.
    pub folder: Option<String>,
    /// Where processes see it.
    pub path: Spanned<String>,
    /// Whether they may write: where the mount asks for it and the source allows it.
    pub access: Access,
    /// What it is used for; decides caching.
    pub purpose: MountUse,
    /// What each node keeps of a bucket on its disks (GKE).
    pub cache: Option<Size>,
    /// Processors that gcsfuse asks of each node for it (GKE).
    pub cpus: Option<i64>,
    /// Memory that gcsfuse asks of each node for it (GKE).
    pub memory: Option<Size>,
    /// Where the blueprint says it.
    pub span: Span,
}

/// What is mounted.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// A bucket.
    Bucket {
        /// Which.
        noun: Ref<Bucket>,
        /// Its name in the cloud.
        name: String,
        /// What its own `access` allows.
        access: Access,
    },
    /// A filesystem that many nodes mount.
    Share {
        /// Which.
        noun: Ref<Filesystem>,
        /// Who serves it.
        server: Server,
    },
    /// The node's own disks.
    Scratch {
        /// How much of them.
        size: Size,
    },
    /// Memory of each node for checkpoints, which GKE copies to others and to a bucket.
    LocalCheckpoints {
        /// Which bucket.
        noun: Ref<Bucket>,
        /// Its name in the cloud.
        name: String,
        /// How much memory.
        memory: Size,
    },
    /// An object of the namespace that someone else makes.
    Object {
        /// What it is.
        kind: Held,
        /// Its name.
        name: String,
    },
    /// What each node has at a path.
    HostPath {
        /// Where.
        path: String,
    },
}

/// Objects of a namespace that hold files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Held {
    /// A claim of a volume.
    Claim,
    /// A config map.
    ConfigMap,
    /// A secret.
    Secret,
}

/// Who serves a filesystem.
#[derive(Clone, PartialEq, Debug)]
pub enum Server {
    /// Filestore.
    Filestore {
        /// Its share.
        share: String,
        /// Its address.
        address: Later,
    },
    /// Managed Lustre.
    Lustre {
        /// Its address.
        address: Later,
    },
    /// Nobody: nodes have the disk themselves.
    Disk {
        /// The snapshot or image that it has its files from, where it is made here.
        from: Option<String>,
        /// Whether one node writes to it; else many read it.
        access: Access,
    },
    /// An NFS server that someone else keeps.
    Nfs {
        /// Its address or name.
        server: String,
        /// The folder that it exports.
        export: String,
    },
    /// Nobody: every node has it in this folder.
    Nodes {
        /// Where.
        folder: String,
    },
}

impl MountPlan {
    /// A path of the source with the folder that is mounted of it.
    pub fn inside(&self, source: &str) -> String {
        match &self.folder {
            Some(folder) => format!("{}/{folder}", source.trim_end_matches('/')),
            None => source.to_owned(),
        }
    }

    /// Whether processes may only read.
    pub fn reads_alone(&self) -> bool {
        self.access == Access::Read
    }
}

impl Source {
    /// The address of its server, where Terraform knows it.
    pub fn address(&self) -> Option<&Later> {
        match self {
            Self::Share {
                server: Server::Filestore { address, .. } | Server::Lustre { address },
                ..
            } => Some(address),
            Self::Share {
                server: Server::Nfs { .. } | Server::Nodes { .. } | Server::Disk { .. },
                ..
            }
            | Self::Bucket { .. }
            | Self::LocalCheckpoints { .. }
            | Self::Scratch { .. }
            | Self::Object { .. }
            | Self::HostPath { .. } => None,
        }
    }
}

impl Server {
    /// Where nodes of one's own have it: in the folder that the blueprint names, or, for what a server exports, where
    /// processes want it, since only an administrator can mount it there.
    pub fn on_nodes<'a>(&'a self, path: &'a str) -> &'a str {
        match self {
            Self::Nodes { folder } => folder,
            Self::Filestore { .. } | Self::Lustre { .. } | Self::Disk { .. } | Self::Nfs { .. } => {
                path
            }
        }
    }
}
