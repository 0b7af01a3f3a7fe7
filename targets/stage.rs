//! The folders of the output: one a stage, numbered in the order in which they are applied.

use camino::Utf8PathBuf;

/// A step of making what a blueprint asks for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Networks, buckets, filesystems, registries, identities and dashboards: one Terraform root.
    Foundation,
    /// One image, by its name.
    Image(String),
    /// One cluster, by its name: a Terraform root, or Slurm's configuration.
    Cluster(String),
    /// What a GKE cluster holds before any workload, by the cluster's name.
    Queues(String),
    /// One workload, by its name.
    Workload(String),
}

impl Stage {
    /// Its folder in the output.
    pub fn folder(&self) -> Utf8PathBuf {
        match self {
            Self::Foundation => "10-foundation".into(),
            Self::Image(name) => format!("20-images/{name}").into(),
            Self::Cluster(name) => format!("30-{name}").into(),
            Self::Queues(name) => format!("40-{name}-queues").into(),
            Self::Workload(name) => format!("50-workloads/{name}").into(),
        }
    }
}
