//! The folders of the output: one a stage, numbered in the order in which they are applied.

use camino::{Utf8Path, Utf8PathBuf};
use slipform_model::nouns::GkeCluster;
use slipform_model::plan::{Any, Later, Planned, Root, Site, Sound};

/// What gathers the folders of the images.
const IMAGES: &str = "20-images";

/// What gathers the folders of the images of machines.
const MACHINE_IMAGES: &str = "25-machine-images";

/// What gathers the folders of the workloads.
const WORKLOADS: &str = "50-workloads";

/// A step of making what a blueprint asks for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Networks, buckets, filesystems, registries, identities and dashboards: one Terraform root.
    Foundation,
    /// One image, by its name.
    Image(String),
    /// One image of machines, by its name: a template of Packer.
    MachineImage(String),
    /// One cluster, by its name: a Terraform root, a blueprint of Cluster Toolkit, or Slurm's configuration.
    Cluster(String),
    /// Plain machines of Compute Engine, by their name: one Terraform root.
    Machines(String),
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
            Self::Image(name) => format!("{IMAGES}/{name}").into(),
            Self::MachineImage(name) => format!("{MACHINE_IMAGES}/{name}").into(),
            Self::Cluster(name) | Self::Machines(name) => format!("30-{name}").into(),
            Self::WorkloadIdentity => "35-workload-identity".into(),
            Self::Queues(name) => format!("40-{name}-queues").into(),
            Self::Workload(name) => format!("{WORKLOADS}/{name}").into(),
        }
    }

    /// What a GKE cluster holds before any workload.
    pub(crate) fn queues(plan: Sound<'_>, cluster: Planned<'_, GkeCluster>) -> Self {
        Self::Queues(Self::title(plan, cluster))
    }

    /// What a GKE cluster is told by: one of another project also by that, and of those that are called alike in one project by the place. Whoever made
    /// them gave them their names.
    pub(crate) fn title(plan: Sound<'_>, cluster: Planned<'_, GkeCluster>) -> String {
        let (name, owner) = (cluster.name(), plan.other_project(cluster.noun.id));
        let is_alike = |it: Planned<'_, GkeCluster>| {
            let is_neighbour = plan.other_project(it.noun.id) == owner;
            is_neighbour && it.name() == name && it.reference() != cluster.reference()
        };
        let of_owner = owner.map_or_else(String::new, |owner| format!("-{owner}"));
        match !cluster.is_made() && plan.all::<GkeCluster>().any(is_alike) {
            true => format!("{name}{of_owner}-{}", cluster.plan.location),
            false => format!("{name}{of_owner}"),
        }
    }

    /// The stages that a plan may have, each with what its folder holds.
    pub(crate) fn described(plan: Sound<'_>) -> Vec<(Self, &'static str)> {
        let shared = [
            (Self::Foundation, "Terraform"),
            (
                Self::WorkloadIdentity,
                "Terraform: which Kubernetes service accounts act as which identities",
            ),
        ];
        shared.into_iter().chain(plan.nouns().flat_map(|noun| Self::of(plan, noun))).collect()
    }

    /// The stages that a noun has of its own, each with what its folder holds.
    fn of(plan: Sound<'_>, noun: Any<'_>) -> Vec<(Self, &'static str)> {
        match noun {
            Any::Image(image) => vec![(
                Self::Image(image.name().to_owned()),
                "a container image: Dockerfile and Cloud Build",
            )],
            Any::MachineImage(image) if !image.noun.existing => {
                vec![(Self::MachineImage(image.name().to_owned()), "an image of machines: Packer")]
            }
            Any::SlurmCluster(cluster) => {
                let what = match cluster.plan.cloud {
                    Some(_) => "Cluster Toolkit: a Slurm cluster and its partitions",
                    None => "the configuration of a Slurm cluster",
                };
                vec![(Self::Cluster(cluster.name().to_owned()), what)]
            }
            Any::GkeCluster(cluster) => {
                let name = cluster.name().to_owned();
                let queues = "Kubernetes objects that are there before any workload";
                vec![
                    (Self::queues(plan, cluster), queues),
                    (Self::Cluster(name), "Terraform: a cluster and its node pools"),
                ]
            }
            Any::Machines(machines) if !machines.noun.existing => vec![(
                Self::Machines(machines.name().to_owned()),
                "Terraform: machines of Compute Engine",
            )],
            Any::Workload(workload) => {
                let what = match workload.plan.site {
                    Site::Gke(_) => "a JobSet, with an overlay for the environment",
                    Site::Slurm(_) => "a batch job of Slurm",
                    Site::Vertex(_) if workload.body.upload.is_some() => {
                        "a training pipeline of Vertex AI"
                    }
                    Site::Vertex(_) => "a custom job of Vertex AI",
                };
                vec![(Self::Workload(workload.plan.name.clone()), what)]
            }
            Any::MachineImage(_)
            | Any::Machines(_)
            | Any::Network(_)
            | Any::Bucket(_)
            | Any::Filesystem(_)
            | Any::Registry(_)
            | Any::Identity(_)
            | Any::Reservation(_)
            | Any::Dashboard(_)
            | Any::VertexCluster(_)
            | Any::Pool(_)
            | Any::Partition(_)
            | Any::Queue(_)
            | Any::Group(_) => Vec::new(),
        }
    }

    /// Whether its folder lies in one that gathers those of the workloads, and that folder.
    pub(crate) fn gathered(&self) -> Option<&'static str> {
        matches!(self, Self::Workload(_)).then_some(WORKLOADS)
    }

    /// The root that knows a value, seen from a workload's folder.
    pub(crate) fn above(later: &Later) -> String {
        format!("../../{}", Self::from(&later.root).folder())
    }

    /// The folder of the stage that a file of the output belongs to; `None` for what speaks of the whole output.
    pub fn folder_of(path: &Utf8Path) -> Option<&Utf8Path> {
        let gathers =
            [IMAGES, MACHINE_IMAGES, WORKLOADS].iter().any(|folder| path.starts_with(folder));
        let depth = path.components().count().checked_sub(if gathers { 2 } else { 1 })?;
        path.ancestors().nth(depth).filter(|_| depth > 0)
    }
}

impl From<&Root> for Stage {
    fn from(root: &Root) -> Self {
        match root {
            Root::Foundation => Self::Foundation,
            Root::Cluster(name) => Self::Cluster(name.clone()),
            Root::Machines(name) => Self::Machines(name.clone()),
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
            ("25-machine-images/cuda/image.pkr.hcl", Some("25-machine-images/cuda")),
            ("README.md", None),
            ("50-workloads/README.md", None),
        ] {
            assert_eq!(Stage::folder_of(path.into()), folder.map(Utf8Path::new), "{path}");
        }
    }
}
