//! Vertex AI, and what its machines have besides their type.

use super::{Bucket, Capacity, Choice, Ref};
use crate::{Duration, Size};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// Vertex AI custom training.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct VertexCluster {
    /// Its region.
    pub region: Spanned<String>,
    /// The machine type of the workers.
    pub machine: Spanned<String>,
    /// GPUs that attach to it.
    pub gpus: Option<Spanned<Attached>>,
    /// How the machines are obtained.
    pub capacity: Spanned<Capacity>,
    /// The zone of a reservation.
    pub zone: Option<Spanned<String>>,
    /// Where jobs put what they make.
    pub staging: Option<Spanned<Ref<Bucket>>>,
    /// The folder of it below which each job has its own.
    pub staging_folder: Option<Spanned<String>>,
    /// A network that jobs are peered with.
    pub network: Option<String>,
    /// Ranges of it that machines take their addresses from.
    pub reserved_ranges: Vec<Spanned<String>>,
    /// A network attachment that jobs have an interface on.
    pub network_attachment: Option<Spanned<String>>,
    /// How long a job waits for machines that are lent.
    pub max_wait: Option<Spanned<Duration>>,
    /// Machines that are kept running for jobs.
    pub persistent_resource: Option<Spanned<String>>,
    /// A key that what jobs keep is encrypted with.
    pub encryption_key: Option<Spanned<String>>,
    /// A TensorBoard that exists already.
    pub tensorboard: Option<Spanned<String>>,
    /// Whether a shell may be opened in their containers.
    pub web_access: bool,
    /// Whether people may open what a program serves as its dashboard.
    pub dashboard_access: bool,
    /// The experiment that jobs are filed under, by its whole name.
    pub experiment: Option<Spanned<String>>,
    /// The run of that experiment, by its whole name.
    pub experiment_run: Option<Spanned<String>>,
    /// The size of the boot disk.
    pub disk: Size,
    /// The type of the boot disk.
    pub disk_type: Choice<Spanned<VertexDisk>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
}

/// The type of a boot disk on Vertex AI, by its API name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VertexDisk {
    /// `pd-ssd`
    PdSsd,
    /// `pd-standard`
    PdStandard,
    /// `hyperdisk-balanced`
    HyperdiskBalanced,
}

impl VertexDisk {
    /// All of them, what is usual first.
    pub const ALL: [Self; 3] = [Self::PdSsd, Self::PdStandard, Self::HyperdiskBalanced];

    /// The type that the API names so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|disk| disk.as_str() == name)
    }

    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PdSsd => "pd-ssd",
            Self::PdStandard => "pd-standard",
            Self::HyperdiskBalanced => "hyperdisk-balanced",
        }
    }
}

/// GPUs that are added to a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attached {
    /// The one form.
    Attached {
        /// Which.
        gpu: AttachedGpu,
        /// How many.
        count: i64,
    },
}

/// A GPU that is added to machines, by its key in the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachedGpu {
    /// `t4`
    T4,
    /// `p4`
    P4,
    /// `p100`
    P100,
    /// `v100`
    V100,
}

impl AttachedGpu {
    /// Its key.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::T4 => "t4",
            Self::P4 => "p4",
            Self::P100 => "p100",
            Self::V100 => "v100",
        }
    }
}

/// Machines that add up gradients on their way.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReductionServer {
    /// The one form.
    Reducers {
        /// Their type.
        machine: String,
        /// How many there are.
        nodes: Choice<Spanned<i64>>,
        /// They have Tier_1 networking.
        tier_1: bool,
    },
}

/// What Vertex AI keeps of a run.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelUpload {
    /// The one form.
    Upload {
        /// What people see it called.
        title: String,
        /// The image that serves it.
        image: String,
        /// Where that predicts.
        predict: Option<String>,
        /// Where it says that it is well.
        health: Option<String>,
        /// The port of both.
        port: Option<i64>,
        /// Its id.
        id: Option<String>,
        /// The model that it is a version of.
        parent: Option<String>,
        /// Names of the version.
        aliases: Vec<String>,
    },
}
