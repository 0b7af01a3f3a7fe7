//! What is `existing`, and may have been made by a build before: Terraform forgets it instead of destroying it.
//!
//! Whether it was made here before is in no blueprint, and the same blueprint gives the same files. So each root says of
//! whatever is someone else's that it may be forgotten; where its state knows nothing of it, that means nothing.

use super::labels::Labels;
use super::root::{File, Root};
use super::{grants, identity, workload_identity};
use crate::Stage;
use crate::document::hcl::{Block, Expr};
use indexmap::IndexMap;
use slipform_model::plan::{Any, Plan};
use slipform_model::{Noun, NounId};

/// Where Terraform keeps a noun that is made here, or would be: the root, and the addresses of its resources. What it grants to others
/// is not among them, and nothing that is of another project has any.
pub fn addresses(plan: &Plan, id: NounId) -> Option<(Stage, Vec<String>)> {
    let plan = plan.sound().ok()?;
    let it = plan.any(id);
    let around = if let Any::Pool(pool) = it { pool.plan.cluster.id() } else { id };
    if plan.other_project(around).is_some() {
        return None;
    }
    let found = of(it, &Labels::new(plan));
    let stage = match it {
        Any::Pool(pool) => Stage::Cluster(plan.get(pool.plan.cluster).name().to_owned()),
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Filesystem(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Image(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Partition(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => Stage::Foundation,
    };
    (!found.is_empty()).then_some((stage, found))
}

/// Every address that is not among those of a noun, and was made while one of two nouns was made here that are both someone else's by now:
/// what lets accounts of pods act as identities, and what one was granted on the other. With its root and the nouns, as far as both are told.
pub fn between_others(plan: &Plan) -> Vec<(Stage, String, [NounId; 2])> {
    let Ok(plan) = plan.sound() else { return Vec::new() };
    let bound = workload_identity::of_others(plan, &Labels::new(plan)).into_iter();
    let stage = || Stage::WorkloadIdentity;
    let bound = bound.map(|(address, who, cluster)| (stage(), address, [who.id, cluster.id]));
    let root = Root::new(plan, &Stage::Foundation, None, None);
    let granted = grants::of_others(&root).into_iter().chain(identity::acted_of_others(&root));
    let granted = granted.map(|(address, who)| (Stage::Foundation, address, [who.id; 2]));
    bound.chain(granted).collect()
}

/// Lets go of what is someone else's and would lie in this root otherwise: of what stands at the top of the blueprint,
/// or in a noun; at the top also of what one noun of others was granted on another.
pub(super) fn render(root: &mut Root<'_>, parent: Option<NounId>) {
    let mut released: IndexMap<String, &Noun> = IndexMap::new();
    for it in root.plan.existing().filter(|it| it.noun().parent == parent) {
        let noun = it.noun();
        // what is of another project is not what was made here, whatever it is called
        if root.plan.other_project(noun.id).is_some() {
            continue;
        }
        for address in of(it, &root.labels) {
            if !root.has(&address) {
                released.entry(address).or_insert(noun);
            }
        }
    }
    if parent.is_none() {
        let acted = identity::acted_of_others(root);
        let granted = grants::of_others(root).into_iter().chain(acted);
        released.extend(granted.filter(|(address, _)| !root.has(address)));
    }
    forget(root, released);
}

/// Lets go of grants between two nouns of others, unless this root makes them.
pub(super) fn let_go(root: &mut Root<'_>, granted: Vec<(String, &Noun, &Noun)>) {
    let granted = granted.into_iter().map(|(address, noun, _)| (address, noun));
    let released = granted.filter(|(address, _)| !root.has(address)).collect();
    forget(root, released);
}

fn forget(root: &mut Root<'_>, released: IndexMap<String, &Noun>) {
    for (address, noun) in released {
        let forget = Block::of("lifecycle").attr("destroy", false);
        let block = Block::of("removed").attr("from", Expr::reference(address)).block(forget);
        root.push(File::Released, noun, block);
    }
}

/// The addresses of everything that a noun consists of, whatever words it has: their types, with what stands behind the noun's label. A word may
/// be gone with the noun, so that no address holds one: of what words name, one block makes all.
fn of(it: Any<'_>, labels: &Labels<'_>) -> Vec<String> {
    let own: &[(&str, &str)] = match it {
        Any::Network(_) => &[
            ("google_compute_network", ""),
            ("google_compute_subnetwork", ""),
            ("google_compute_firewall", "_internal"),
            ("google_compute_firewall", "_iap_ssh"),
            ("google_compute_firewall", "_ingress"),
            ("google_compute_router", ""),
            ("google_compute_router_nat", ""),
            ("google_compute_address", "_nat"),
        ],
        Any::Bucket(_) => &[("google_storage_bucket", ""), ("google_storage_anywhere_cache", "")],
        // What someone else keeps may be written as a server's address, whatever it was made as.
        Any::Filesystem(_) => &[
            ("google_filestore_instance", ""),
            ("terraform_data", "_name"),
            ("google_lustre_instance", ""),
            ("google_compute_disk", ""),
        ],
        Any::Registry(_) => &[("google_artifact_registry_repository", "")],
        Any::Identity(_) => &[
            ("google_service_account", ""),
            ("google_project_iam_member", ""),
            ("google_secret_manager_secret_iam_member", ""),
            ("google_iam_workload_identity_pool", ""),
            ("google_iam_workload_identity_pool_provider", ""),
            ("google_service_account_iam_member", "_federated"),
        ],
        Any::Dashboard(_) => &[("google_vertex_ai_tensorboard", "")],
        Any::Reservation(_) => &[("google_compute_reservation", "")],
        Any::Pool(_) => &[
            ("google_container_node_pool", ""),
            ("google_compute_resource_policy", ""),
            ("terraform_data", "_shape"),
            ("terraform_data", "_networks"),
        ],
        // what lets its teams find it; the rest of a cluster is a root of its own
        Any::GkeCluster(_) => &[("google_project_iam_member", "_members")],
        Any::Image(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Partition(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => &[],
    };
    let peered = peered(it);
    let peering: &[(&str, &str)] = &[
        ("google_compute_global_address", "_services"),
        ("google_compute_global_address", "_services_more"),
        ("google_service_networking_connection", ""),
        ("google_compute_firewall", "_lustre"),
    ];
    let address = |id| move |(kind, part): &(&str, &str)| format!("{kind}.{}{part}", labels.of(id));
    let own = own.iter().map(address(it.noun().id));
    own.chain(peered.into_iter().flat_map(|id| peering.iter().map(address(id)))).collect()
}

/// The network whose peering a noun has a part in.
fn peered(it: Any<'_>) -> Option<NounId> {
    match it {
        Any::Network(network) => Some(network.noun.id),
        Any::Filesystem(filesystem) => filesystem.body.network.map(|network| network.value.id()),
        Any::Bucket(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Image(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => None,
    }
}
