//! Images of containers, and of whole machines.

use super::{Choice, Identity, Network, Ref, Registry};
use crate::Size;
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// A container image.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Image {
    /// The image that it starts from.
    pub from: Spanned<String>,
    /// Debian packages.
    pub system_packages: Vec<String>,
    /// Python packages with their versions.
    pub packages: Vec<String>,
    /// Commands of a shell.
    pub run: Vec<String>,
    /// Files of the build context, and where they go.
    pub copy: IndexMap<String, String>,
    /// Environment variables.
    pub env: IndexMap<String, String>,
    /// The folder that commands start in.
    pub workdir: Option<String>,
    /// Where it is pushed.
    pub push_to: Option<Spanned<PushTo>>,
    /// Its tag.
    pub tag: String,
    /// The CUDA in it.
    pub cuda: Option<String>,
    /// `amd64` or `arm64`.
    pub platform: String,
}

impl Image {
    /// Whether it is more than the one that it starts from.
    pub fn adds(&self) -> bool {
        let steps = [&self.system_packages, &self.packages, &self.run];
        steps.iter().any(|steps| !steps.is_empty())
            || !self.copy.is_empty()
            || !self.env.is_empty()
            || self.workdir.is_some()
    }
}

/// Where an image is pushed.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushTo {
    /// A registry of the blueprint.
    #[serde(rename = "$registry")]
    Noun(Ref<Registry>),
    /// A repository named on the spot, which the blueprint then makes.
    Registry {
        /// Its region.
        location: String,
        /// Its name.
        repository: String,
    },
}

/// An image of whole machines.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct MachineImage {
    /// What it starts from.
    pub from: Option<Spanned<BootImage>>,
    /// Where it is built.
    pub network: Option<Spanned<Ref<Network>>>,
    /// And in which zone.
    pub zone: Option<Spanned<String>>,
    /// `amd64` or `arm64`.
    pub platform: String,
    /// The machine that it is built on.
    pub machine: Choice<Spanned<String>>,
    /// Its size.
    pub disk: Spanned<Size>,
    /// Who that machine is.
    pub identity: Option<Spanned<Ref<Identity>>>,
    /// Packer comes in by rights in the project.
    pub os_login: bool,
    /// Debian packages.
    pub system_packages: Vec<String>,
    /// What root runs then, by the file.
    pub scripts: IndexMap<String, String>,
    /// The driver of NVIDIA's GPUs on it.
    pub driver: Option<Spanned<String>>,
    /// The CUDA on it.
    pub cuda: Option<Spanned<String>>,
    /// The release of Slurm on it.
    pub slurm: Option<Spanned<String>>,
    /// The enroot on it.
    pub enroot: Option<Spanned<String>>,
    /// The network of GPUs that it has the programs for.
    pub stack: Option<Spanned<String>>,
    /// Labels.
    pub labels: IndexMap<String, String>,
    /// Its family.
    pub name: Choice<Spanned<String>>,
}

/// What machines start from.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BootImage {
    /// The newest image of a family.
    ImageFamily {
        /// The family.
        name: Family,
        /// Whose it is, where it is not the blueprint's own project.
        project: Option<String>,
    },
    /// One image.
    ExactImage {
        /// Its name.
        name: String,
        /// Whose it is, where it is not the blueprint's own project.
        project: Option<String>,
    },
}

/// How a family is named.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// That of an image of the blueprint.
    MachineImage(Ref<MachineImage>),
    /// By its name.
    String(String),
}

impl BootImage {
    /// The image of the blueprint that this is.
    pub fn built(&self) -> Option<Ref<MachineImage>> {
        match self {
            Self::ImageFamily { name: Family::MachineImage(image), project: _ } => Some(*image),
            Self::ImageFamily { name: Family::String(_), project: _ } | Self::ExactImage { .. } => {
                None
            }
        }
    }

    /// The name of its family, or its own, where it is none of the blueprint.
    pub fn named(&self) -> Option<&str> {
        match self {
            Self::ImageFamily { name: Family::String(name), project: _ }
            | Self::ExactImage { name, project: _ } => Some(name),
            Self::ImageFamily { name: Family::MachineImage(_), project: _ } => None,
        }
    }

    /// Whose it is, where it is not the blueprint's own project.
    pub fn project(&self) -> Option<&str> {
        match self {
            Self::ImageFamily { name: _, project } | Self::ExactImage { name: _, project } => {
                project.as_deref()
            }
        }
    }
}
