//! Plain machines of Compute Engine.

use super::{BootImage, Capacity, Choice, Disk, Identity, Network, Placement, Ref};
use crate::{Duration, Size, Topology};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// Machines that are all alike, without a cluster over them.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Machines {
    /// The machine type.
    pub machine: Spanned<String>,
    /// How many.
    pub nodes: Spanned<i64>,
    /// The shape of a slice of TPUs.
    pub topology: Option<Spanned<Topology>>,
    /// What Cloud TPU installs.
    pub runtime: Choice<Spanned<String>>,
    /// Their network.
    pub network: Spanned<Ref<Network>>,
    /// Their zone.
    pub zone: Spanned<String>,
    /// What they start from.
    pub image: Option<Spanned<BootImage>>,
    /// How they are obtained.
    pub capacity: Spanned<Capacity>,
    /// Who makes them.
    pub made_by: Choice<Spanned<MadeBy>>,
    /// How long a request for TPUs waits.
    pub wait: Option<Duration>,
    /// How they lie to each other.
    pub placement: Choice<Spanned<Placement>>,
    /// The boot disk.
    pub disk: Size,
    /// Its type.
    pub disk_type: Choice<Spanned<Disk>>,
    /// Who they are.
    pub identity: Option<Spanned<Ref<Identity>>>,
    /// What they run when they start.
    pub startup: Option<String>,
    /// Whether each has a public address.
    pub public: bool,
    /// Whether people come in by their rights in the project.
    pub os_login: bool,
    /// What becomes of one whose host is maintained.
    pub on_host_maintenance: Choice<Spanned<OnHostMaintenance>>,
    /// Threads of a core.
    pub threads_per_core: Choice<Spanned<i64>>,
    /// Whether they have Tier_1 networking.
    pub tier_1: bool,
    /// Labels.
    pub labels: IndexMap<String, String>,
    /// Their name in the cloud.
    pub name: Choice<Spanned<String>>,
}

/// Who makes machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MadeBy {
    /// A managed group, which Terraform keeps.
    Group,
    /// Commands of gcloud.
    Commands,
}

/// What becomes of a machine whose host is maintained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnHostMaintenance {
    /// It goes to another host as it runs.
    Migrate,
    /// It ends, and starts again.
    Terminate,
}
