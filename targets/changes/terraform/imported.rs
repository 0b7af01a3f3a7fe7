//! What `terraform import` is told of what is there: the ID of each resource, as the page of the provider has it.

use super::root::{Instance, Root, references_in};
use crate::File;

/// Resources, and their IDs by the fields that these are made of.
const IDS: &[(&str, &str)] = &[
    (
        "google_artifact_registry_repository",
        "projects/{project}/locations/{location}/repositories/{repository_id}",
    ),
    ("google_compute_disk", "projects/{project}/zones/{zone}/disks/{name}"),
    ("google_compute_firewall", "projects/{project}/global/firewalls/{name}"),
    ("google_compute_global_address", "projects/{project}/global/addresses/{name}"),
    ("google_compute_network", "projects/{project}/global/networks/{name}"),
    ("google_compute_reservation", "projects/{project}/zones/{zone}/reservations/{name}"),
    ("google_compute_router", "projects/{project}/regions/{region}/routers/{name}"),
    ("google_compute_router_nat", "projects/{project}/regions/{region}/routers/{router}/{name}"),
    ("google_compute_subnetwork", "projects/{project}/regions/{region}/subnetworks/{name}"),
    ("google_container_cluster", "projects/{project}/locations/{location}/clusters/{name}"),
    ("google_container_node_pool", "{project}/{location}/{cluster}/{name}"),
    ("google_filestore_instance", "projects/{project}/locations/{location}/instances/{name}"),
    ("google_lustre_instance", "projects/{project}/locations/{location}/instances/{instance_id}"),
    ("google_project_service", "{project}/{service}"),
    (
        "google_service_account",
        "projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com",
    ),
    ("google_storage_bucket", "{name}"),
];

/// The ID of something that a root makes, where its texts say all of it.
pub(crate) fn known_as(address: &str, files: &[File<'_>]) -> Option<String> {
    let root = Root::read(files);
    let it = root.instances.get(address)?;
    let (_, form) = IDS.iter().find(|(resource, _)| *resource == it.resource)?;
    let mut parts = form.split('{');
    let mut id = parts.next()?.to_owned();
    for part in parts {
        let (field, rest) = part.split_once('}')?;
        id += &value(it, field, &root)?;
        id += rest;
    }
    Some(id)
}

/// What a field says, or the name of what it refers to.
fn value(it: &Instance, field: &str, root: &Root) -> Option<String> {
    let said = it.flat.get(field)?;
    if !said.contains("google_") {
        return Some(said.clone());
    }
    let of = references_in(said, "").into_iter().next()?;
    let made = root.instances.get(&of.address)?;
    let said = made.flat.get(if of.field == "id" { "name" } else { &of.field })?;
    (!said.contains("google_")).then(|| said.clone())
}
