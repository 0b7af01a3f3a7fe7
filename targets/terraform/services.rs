//! The APIs that a project needs. They stay on when a root is destroyed: others in the project may use them.
//!
//! Which ones follows from the blocks that all roots hold. The foundation turns them on for the roots after it too:
//! whoever applies those needs no right to change what a project may use.

use super::root::{File, Root, depends_on, resource};
use crate::coverage::makes_tpus;
use crate::document::hcl::{Block, Expr, Member};
use slipform_model::NounId;
use slipform_model::plan::{Any, Env, Run, Site, Sound};
use std::collections::{BTreeMap, BTreeSet};

/// What resources of the foundation depend on, so that no API is asked before it is on.
pub(super) const AFTER_SERVICES: &str = "google_project_service.apis";

/// Through it Terraform reads whether an API is on, and grants roles on the project: so it is the first.
const RESOURCE_MANAGER: &str = "cloudresourcemanager";

/// APIs, each with the first noun that asks for it.
pub(super) type Services = BTreeMap<&'static str, NounId>;

/// The APIs behind resources and what is read, by how their type starts.
const OF_TYPES: [(&str, &[&str]); 13] = [
    ("google_artifact_registry_", &["artifactregistry"]),
    ("google_compute_", &["compute"]),
    ("google_container_", &["compute", "container", "logging", "monitoring"]),
    ("google_filestore_", &["file"]),
    // of whoever acts as an account with a token of elsewhere
    ("google_iam_workload_", &["iam", "iamcredentials", "sts"]),
    ("google_lustre_", &["lustre"]),
    ("google_parallelstore_", &["parallelstore"]),
    ("google_project_", &[RESOURCE_MANAGER]),
    ("google_secret_manager_", &["secretmanager"]),
    ("google_service_account", &["iam"]),
    ("google_service_networking_", &["servicenetworking"]),
    ("google_storage_", &["storage"]),
    ("google_vertex_ai_", &["aiplatform"]),
];

/// The APIs behind blocks inside of a resource, at any depth.
const OF_PARTS: [(&str, &str); 2] =
    [("binary_authorization", "binaryauthorization"), ("gcfs_config", "containerfilesystem")];

/// The APIs that a block of a root needs.
pub(super) fn of_block(block: &Block) -> impl Iterator<Item = &'static str> {
    let kind = block.labels.first().map(|kind| kind.to_string()).unwrap_or_default();
    let of_part = OF_PARTS.into_iter().filter(|(name, _)| has_part(block, name));
    let of_type = OF_TYPES.into_iter().filter(move |(start, _)| kind.starts_with(start));
    let of_type = of_type.flat_map(|(_, services)| services.iter().copied());
    of_type.chain(of_part.map(|(_, service)| service).collect::<Vec<_>>())
}

fn has_part(block: &Block, name: &str) -> bool {
    block.body.members.iter().any(|member| match member {
        Member::Block(inner) => (inner.kind == name && !is_off(inner)) || has_part(inner, name),
        _ => false,
    })
}

/// Whether a part says that it is switched off.
fn is_off(block: &Block) -> bool {
    block.body.members.iter().any(|member| match member {
        Member::Attribute(it) => it.name == "enabled" && it.expr == Expr::Bool(false),
        _ => false,
    })
}

/// The APIs of what Cluster Toolkit makes of a Slurm cluster.
const OF_TOOLKIT: &[&str] = &["compute", "iam", "storage"];

/// The same where it keeps what jobs used in Cloud SQL.
const WITH_CLOUD_SQL: &[&str] = &[
    "bigqueryconnection",
    "compute",
    "iam",
    "secretmanager",
    "servicenetworking",
    "sqladmin",
    "storage",
];

/// The APIs of slices that Cloud TPU makes.
const OF_CLOUD_TPU: &[&str] = &["compute", "tpu"];

/// The APIs behind what the roots do not make: builds of images, jobs of Vertex AI, the secrets that these read, Slurm clusters, and slices of
/// Cloud TPU.
pub(super) fn of_nouns(plan: Sound<'_>) -> Services {
    let on_vertex = |run: &Run| match run.site {
        Site::Vertex(_) => true,
        Site::Gke(_) | Site::Slurm(_) => false,
    };
    let of = |it: Any<'_>| -> &'static [&'static str] {
        match it {
            Any::Image(image) if image.body.push_to.is_some() => &["cloudbuild"],
            Any::VertexCluster(_) => &["aiplatform"],
            Any::Workload(workload) if on_vertex(workload.plan) && has_secrets(workload.plan) => {
                &["secretmanager"]
            }
            Any::SlurmCluster(cluster) if cluster.plan.cloud.is_some() => {
                if cluster.body.in_cloud_sql() { WITH_CLOUD_SQL } else { OF_TOOLKIT }
            }
            Any::Partition(_) if makes_tpus(it) => OF_CLOUD_TPU,
            // one that Cluster Toolkit builds has its cluster
            Any::MachineImage(_) => &["compute"],
            Any::Machines(machines) if !machines.plan.maker.has_template() => OF_CLOUD_TPU,
            Any::Network(_)
            | Any::Bucket(_)
            | Any::Filesystem(_)
            | Any::Registry(_)
            | Any::Identity(_)
            | Any::Dashboard(_)
            | Any::Reservation(_)
            | Any::GkeCluster(_)
            | Any::SlurmCluster(_)
            | Any::Pool(_)
            | Any::Partition(_)
            | Any::Machines(_)
            | Any::Queue(_)
            | Any::Image(_)
            | Any::Workload(_)
            | Any::Group(_) => &[],
        }
    };
    let made = plan.nouns().filter(|it| !it.noun().existing);
    let mut services = Services::new();
    for it in made {
        for service in of(it) {
            services.entry(service).or_insert(it.noun().id);
        }
    }
    services
}

fn has_secrets(run: &Run) -> bool {
    let mut values = run.gangs().flat_map(|gang| &gang.program.env);
    values.any(|it| matches!(it.value, Env::Secret { .. }))
}

/// Adds the APIs of one part of a blueprint to those of the others.
pub(super) fn add(all: &mut Services, more: &Services) {
    for (service, noun) in more {
        let first = all.entry(service).or_insert(*noun);
        *first = (*first).min(*noun);
    }
}

/// Turns the APIs on, Resource Manager before all others.
pub(super) fn render(root: &mut Root<'_>, services: &Services) {
    let Some(first) = services.values().min() else { return };
    let noun = root.plan.noun(*first);
    let manager = resource("google_project_service", "resource_manager")
        .attr("service", name(RESOURCE_MANAGER))
        .attr("disable_on_destroy", false);
    root.push(File::Services, noun, manager);
    let others = services.keys().filter(|service| **service != RESOURCE_MANAGER);
    let others = others.map(|service| name(service)).chain(root.plan.apis().iter().cloned());
    let others: BTreeSet<String> = others.filter(|it| *it != name(RESOURCE_MANAGER)).collect();
    let block = resource("google_project_service", "apis")
        .attr("for_each", Expr::call("toset", [Expr::list(others)]))
        .gap()
        .attr("service", Expr::reference("each.value"))
        .attr("disable_on_destroy", false);
    let after = "google_project_service.resource_manager".to_owned();
    root.push(File::Services, noun, depends_on(block, [after]));
}

fn name(service: &str) -> String {
    format!("{service}.googleapis.com")
}
