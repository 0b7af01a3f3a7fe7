//! Container images.

use super::{Ref, Registry};
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
