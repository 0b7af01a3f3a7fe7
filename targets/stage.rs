//! The folders of the output: one a stage, numbered in the order in which they are applied.

use camino::{Utf8Path, Utf8PathBuf};
use slipform_model::plan::{Later, Root};

/// A step of making what a blueprint asks for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Networks, buckets, filesystems, registries, identities and dashboards: one Terraform root.
    Foundation,
    /// One image, by its name.
    Image(String),
    /// One cluster, by its name: a Terraform root, or Slurm's configuration.
    Cluster(String),
    /// Which Kubernetes service accounts act as which identities, in every cluster of the project: one Terraform root.
    WorkloadIdentity,
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
            Self::WorkloadIdentity => "35-workload-identity".into(),
            Self::Queues(name) => format!("40-{name}-queues").into(),
            Self::Workload(name) => format!("50-workloads/{name}").into(),
        }
    }

    /// The root that knows a value, seen from a workload's folder.
    pub(crate) fn above(later: &Later) -> String {
        format!("../../{}", Self::from(&later.root).folder())
    }

    /// The folder of the stage that a file of the output belongs to; `None` for what speaks of the whole output.
    pub fn folder_of(path: &Utf8Path) -> Option<&Utf8Path> {
        let gathers = ["20-images", "50-workloads"].iter().any(|folder| path.starts_with(folder));
        let depth = path.components().count().checked_sub(if gathers { 2 } else { 1 })?;
        path.ancestors().nth(depth).filter(|_| depth > 0)
    }
}

impl From<&Root> for Stage {
    fn from(root: &Root) -> Self {
        match root {
            Root::Foundation => Self::Foundation,
            Root::Cluster(name) => Self::Cluster(name.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_one_stage() {
        for (path, folder) in [
            ("10-foundation/iam.tf", Some("10-foundation")),
            ("50-workloads/pretrain/base/jobset.yaml", Some("50-workloads/pretrain")),
            ("20-images/nemo/Dockerfile", Some("20-images/nemo")),
            ("README.md", None),
            ("50-workloads/README.md", None),
        ] {
            assert_eq!(Stage::folder_of(path.into()), folder.map(Utf8Path::new), "{path}");
        }
    }
}
