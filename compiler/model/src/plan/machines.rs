//! Plain machines, as they will be: instances of Compute Engine, and slices of Cloud TPU.

use super::{DataNetwork, PlacementPlan, SlicePlan};
use crate::catalog::Machine;
use crate::nouns::{Disk, Ref, SlurmCluster};
use std::fmt;

/// Plain machines of Compute Engine as they will be.
#[derive(Clone, PartialEq, Debug)]
pub struct MachinesPlan {
    /// The facts of the machine.
    pub machine: Machine,
    /// The region of their zone.
    pub region: String,
    /// How they are put close together.
    pub placement: PlacementPlan,
    /// The type of the boot disk.
    pub disk: Disk,
    /// What they are taken from: a reservation with its block.
    pub reservation: Option<String>,
    /// They go to another host as they run where their own is maintained.
    pub migrates: bool,
    /// Their data networks, in the order of the interfaces.
    pub data_networks: Vec<DataNetwork>,
    /// Who makes them.
    pub maker: Maker,
    /// Their slices, of machines with TPUs.
    pub slices: Option<Slices>,
}

impl MachinesPlan {
    /// Their derived field that only their root knows: the template that commands make them of.
    pub fn known_later(&self) -> Option<&'static str> {
        (self.maker == Maker::Commands).then_some("template")
    }
}

/// Who makes plain machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// A managed group keeps as many as there are to be.
    Group,
    /// A managed group makes those that it is asked for, all at once, for a time.
    Requests,
    /// Commands of gcloud make instances of a template.
    Commands,
    /// Commands of gcloud ask Cloud TPU for slices.
    QueuedResources,
}

impl Maker {
    /// As facts call it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Requests => "requests",
            Self::Commands => "commands",
            Self::QueuedResources => "queued_resources",
        }
    }

    /// Whether Terraform makes a template of the machines.
    pub fn has_template(self) -> bool {
        self != Self::QueuedResources
    }

    /// Whether Terraform makes a managed group of them.
    pub fn has_group(self) -> bool {
        matches!(self, Self::Group | Self::Requests)
    }
}

/// Slices of TPUs as Cloud TPU makes them.
#[derive(Clone, PartialEq, Debug)]
pub struct Slices {
    /// One of them.
    pub one: SlicePlan,
    /// How many whole ones the machines are.
    pub count: i64,
    /// How one is asked for; `None` where Cloud TPU makes no such slice of this machine.
    pub asked: Option<TpuType>,
    /// What it installs; `None` where it does not have these TPUs.
    pub runtime: Option<String>,
}

/// How a slice is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TpuType {
    /// By its name: `v5litepod-16`.
    Name(String),
    /// By its shape, where the name means another one.
    Shape {
        /// `v4`
        generation: String,
        /// `2x4x4`
        topology: String,
    },
}

impl fmt::Display for TpuType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Shape { generation, topology } => write!(f, "{generation} {topology}"),
        }
    }
}

/// An image of machines as it will be.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineImagePlan {
    /// The facts of the machine that it is built on.
    pub machine: Machine,
    /// The type of that machine's disk.
    pub disk: Disk,
    /// The region of its zone; none where nobody says where it is built.
    pub region: Option<String>,
    /// Who has Packer build it.
    pub builder: ImageBuilder,
}

/// Who has Packer build an image of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageBuilder {
    /// Whoever runs it, with a template of its own.
    Packer,
    /// Cluster Toolkit, before the one cluster that starts from the image.
    Toolkit(Ref<SlurmCluster>),
}
