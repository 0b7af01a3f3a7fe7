//! The rows of the catalog as types: what one fact sheet of a machine, GPU, TPU, zone or software
//! stack holds.
//!
//! Every row carries `source` (keys of the sources table), `date` (of the fact, `YYYY-MM-DD`) and
//! `confidence`. The binary form is not self-describing: no `flatten`, `untagged` or skipped fields.

mod beside;
mod component;
mod gpu;
mod kubernetes;
mod limits;
mod machine;
mod options;
mod place;
mod published;
mod settings;
mod slurm;
mod stack;
mod tpu;
mod vertex;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use beside::{Alike, Differ, Excludes, Fit, Listens, Needs, Numbers, OptionRules, Refuses};
pub use component::{Chart, Component, KueueRelease, Prerequisite, SystemPods};
pub use gpu::{
    AcceleratorQuota, AttachLimit, AttachableGpu, AttachedEgress, Gpu, GpuSoftware, MigProfile,
    VertexCount,
};
pub use kubernetes::{
    Devices, DiskQuotas, GcsFuse, KubernetesFacts, NodeLabels, Quotas, Reserved, Share, Slicing,
    Step, StorageDriver, StorageDrivers, Taint, TaintEffect, Taints, TpuPods,
};
pub use limits::{
    BootDiskLimits, CalendarLimits, CloudBuildLimits, FlexStartLimits, GkeLimits, JobsetLimits,
    KueueLimits, Limit, LimitValue, Limits, NameRule, NameRules, PlacementLimits, SlurmLimits,
    StorageLimits, VertexLimits, VpcLimits,
};
pub use machine::{
    Accelerator, Capacity, CapacityModel, Disk, Fabric, GkeSupport, GpuDirect, GpuSharing,
    LocalSsd, Machine, MachineKind, Network, Placement, Software, SsdMode, TpuMachine,
    VertexSupport,
};
pub use options::{Meaning, OptionTable};
pub use place::{Region, VertexRegion, ZoneOffer};
pub use published::PublishedModel;
pub use settings::{
    CostlyOption, CostlyVariable, Costs, ImageForm, Misplaced, OtherPackage, Reads, VariableForm,
};
pub use slurm::{Containers, SlurmFacts, SlurmMachine, SlurmTpuNode};
pub use stack::{
    Claim, ClaimKind, Daemon, GkeStack, ImageRef, Installer, Mount, NcclTest, PodInterface,
    Preparation, Recipe, SlurmPlugin, SlurmPrologue, SlurmStack, Stack, VersionPair, VertexStack,
    Volume, VolumeKind,
};
pub use tpu::{CloudTpu, NameCounts, Slice, SliceTable, Tpu, Wraparound};
pub use vertex::{DebianPackage, MountRoots, VertexFacts};

/// How far a fact can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Unconfirmed, or the sources disagree.
    Low,
    /// One good source.
    Medium,
    /// The provider's own interface, or two sources that agree.
    High,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// Whether something is offered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Support {
    /// Offered to everyone.
    Yes,
    /// Not offered.
    No,
    /// Offered to projects that the provider let in.
    Allowlist,
    /// The catalog does not know.
    #[default]
    Unknown,
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Allowlist => "allowlist",
            Self::Unknown => "unknown",
        })
    }
}

/// The instruction set of a machine and of the images that run on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arch {
    /// `x86_64`: `amd64` for Kubernetes and container images.
    #[default]
    #[serde(rename = "x86_64")]
    X86,
    /// `arm64`.
    Arm64,
}

impl Arch {
    /// The name that Kubernetes labels and container platforms use: `amd64` or `arm64`.
    pub fn platform(self) -> &'static str {
        match self {
            Self::X86 => "amd64",
            Self::Arm64 => "arm64",
        }
    }
}

/// Where facts come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What rows call it.
    pub key: String,
    /// What was read.
    pub name: String,
    /// The day or month that it states itself, `YYYY-MM-DD` or `YYYY-MM`; absent where it states none.
    #[serde(default)]
    pub date: Option<String>,
    /// How far to trust it.
    pub confidence: Confidence,
}
