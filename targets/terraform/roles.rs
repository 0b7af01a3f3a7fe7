//! What whoever applies a root must be allowed to do. Which roles follows from the blocks that it holds, as its APIs do.
//! What each role holds: <https://cloud.google.com/iam/docs/roles-permissions>.

use crate::document::hcl::Block;

/// The roles that hold the rights to make, change and destroy resources, by how their type starts.
const OF_RESOURCES: [(&str, &[&str]); 23] = [
    ("google_artifact_registry_", &["roles/artifactregistry.admin"]),
    ("google_compute_disk", &["roles/compute.storageAdmin"]),
    ("google_compute_firewall", &["roles/compute.securityAdmin"]),
    ("google_compute_global_address", &["roles/compute.networkAdmin"]),
    ("google_compute_address", &["roles/compute.networkAdmin"]),
    ("google_compute_instance_", &["roles/compute.instanceAdmin.v1"]),
    ("google_compute_network", &["roles/compute.networkAdmin"]),
    ("google_compute_reservation", &["roles/compute.admin"]),
    ("google_compute_resource_policy", &["roles/compute.instanceAdmin.v1"]),
    ("google_compute_router", &["roles/compute.networkAdmin"]),
    ("google_compute_subnetwork", &["roles/compute.networkAdmin"]),
    ("google_container_", &["roles/container.admin", "roles/iam.serviceAccountUser"]),
    ("google_filestore_", &["roles/file.editor"]),
    ("google_iam_workload_", &["roles/iam.workloadIdentityPoolAdmin"]),
    ("google_lustre_", &["roles/lustre.admin"]),
    ("google_parallelstore_", &["roles/parallelstore.admin"]),
    ("google_project_iam_", &["roles/resourcemanager.projectIamAdmin"]),
    ("google_project_service", &["roles/serviceusage.serviceUsageAdmin"]),
    ("google_secret_manager_", &["roles/secretmanager.admin"]),
    ("google_service_account", &["roles/iam.serviceAccountAdmin"]),
    ("google_service_networking_", &["roles/compute.networkAdmin"]),
    ("google_storage_", &["roles/storage.admin"]),
    ("google_vertex_ai_", &["roles/aiplatform.user"]),
];

/// The roles that hold the rights to read what someone else made.
const OF_LOOKUPS: [(&str, &[&str]); 4] = [
    ("google_compute_", &[VIEWER]),
    ("google_filestore_", &["roles/file.viewer"]),
    ("google_lustre_", &["roles/lustre.viewer"]),
    ("google_service_account", &["roles/iam.serviceAccountUser"]),
];

/// Reads networks and reservations, and changes nothing.
pub(crate) const VIEWER: &str = "roles/compute.viewer";

/// The roles that a block of a root takes.
pub(super) fn of_block(block: &Block) -> impl Iterator<Item = &'static str> {
    let table: &[(&str, &[&str])] = match block.kind.as_ref() {
        "resource" => &OF_RESOURCES,
        "data" => &OF_LOOKUPS,
        _ => &[],
    };
    let kind = block.labels.first().map(|kind| kind.to_string()).unwrap_or_default();
    let of_kind = table.iter().filter(move |(start, _)| kind.starts_with(start));
    of_kind.flat_map(|(_, roles)| roles.iter().copied())
}
