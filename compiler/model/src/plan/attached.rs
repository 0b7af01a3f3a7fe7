//! Filesystems that are disks of Compute Engine, which nodes have attached and nobody serves.

use crate::Size;
use crate::nouns::{Access, Storage};
use slipform_source::Spanned;

impl Storage {
    /// The disk that it is, where nodes have it attached and nothing serves it.
    pub fn disk(&self) -> Option<AttachedDisk<'_>> {
        let (capacity, from, kind) = match self {
            Self::HyperdiskMl { capacity, from, read_rate } => {
                (capacity, from, DiskKind::Ml { read_rate: said(read_rate) })
            }
            Self::HyperdiskBalanced { capacity, from, iops, rate } => {
                (capacity, from, DiskKind::Balanced { iops: said(iops), rate: said(rate) })
            }
            Self::HyperdiskThroughput { capacity, from, rate } => {
                (capacity, from, DiskKind::Throughput { rate: said(rate) })
            }
            Self::Filestore { .. } | Self::Lustre { .. } | Self::Nfs { .. } | Self::Path { .. } => {
                return None;
            }
        };
        Some(AttachedDisk { capacity: capacity.value, from: from.as_ref(), kind })
    }
}

/// What is provisioned, where somebody says it.
fn said(provisioned: &Option<Spanned<i64>>) -> Option<i64> {
    provisioned.as_ref().map(|it| it.value)
}

/// A filesystem that is a disk of Compute Engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttachedDisk<'a> {
    /// Its size.
    pub capacity: Size,
    /// The snapshot or image that it is made of.
    pub from: Option<&'a Spanned<String>>,
    /// Its type, and what is provisioned of it.
    pub kind: DiskKind,
}

/// A type of disks that hold filesystems, with the rates that somebody says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskKind {
    /// Hyperdisk ML.
    Ml {
        /// MiB/s of all who read it.
        read_rate: Option<i64>,
    },
    /// Hyperdisk Balanced.
    Balanced {
        /// Operations a second.
        iops: Option<i64>,
        /// MiB/s.
        rate: Option<i64>,
    },
    /// Hyperdisk Throughput.
    Throughput {
        /// MiB/s.
        rate: Option<i64>,
    },
}

impl DiskKind {
    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ml { .. } => "hyperdisk-ml",
            Self::Balanced { .. } => "hyperdisk-balanced",
            Self::Throughput { .. } => "hyperdisk-throughput",
        }
    }

    /// Whether one node writes to it; else many read it.
    pub fn access(self) -> Access {
        match self {
            Self::Ml { .. } => Access::Read,
            Self::Balanced { .. } | Self::Throughput { .. } => Access::Write,
        }
    }

    /// Operations a second that somebody says.
    pub fn iops(self) -> Option<i64> {
        match self {
            Self::Balanced { iops, .. } => iops,
            Self::Ml { .. } | Self::Throughput { .. } => None,
        }
    }

    /// MiB/s that somebody says.
    pub fn rate(self) -> Option<i64> {
        match self {
            Self::Ml { read_rate } => read_rate,
            Self::Balanced { rate, .. } | Self::Throughput { rate } => rate,
        }
    }
}
