//! What is `existing`, and may have been made by a build before: Terraform forgets it instead of destroying it.
//!
//! Whether it was made here before is in no blueprint, and the same blueprint gives the same files. So each root says of
//! whatever is someone else's that it may be forgotten; where its state knows nothing of it, that means nothing.

use super::labels::Labels;
use super::root::{File, Root};
use crate::Stage;
use crate::document::hcl::{Block, Expr};
use indexmap::IndexMap;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};

/// Where Terraform keeps a noun that is made here: the root, and the addresses of its resources. What it grants to others
/// is not among them.
pub fn addresses(plan: &Plan, id: NounId) -> Option<(Stage, Vec<String>)> {
    let noun = plan.model.get(id)?;
    let found = of(noun, &Labels::new(&plan.model));
    let cluster = noun.parent.and_then(|parent| plan.cluster(parent));
    let stage = cluster.map_or(Stage::Foundation, |cluster| Stage::Cluster(cluster.name.clone()));
    (!found.is_empty()).then_some((stage, found))
}

/// Lets go of what is someone else's and would lie in this root otherwise: of what stands at the top of the blueprint,
/// or in a noun.
pub(super) fn render(root: &mut Root<'_>, parent: Option<NounId>) {
    let nouns = root.model().nouns.iter();
    let mut released: IndexMap<String, &Noun> = IndexMap::new();
    for noun in nouns.filter(|noun| noun.existing && noun.parent == parent) {
        for address in of(noun, &root.labels) {
            if !root.has(&address) {
                released.entry(address).or_insert(noun);
            }
        }
    }
    for (address, noun) in released {
        let forget = Block::of("lifecycle").attr("destroy", false);
        let block = Block::of("removed").attr("from", Expr::reference(address)).block(forget);
        root.push(File::Released, noun, block);
    }
}

/// The addresses of everything that a noun consists of: their types, with what stands behind the noun's label.
fn of(noun: &Noun, labels: &Labels) -> Vec<String> {
    let own: &[(&str, &str)] = match &noun.body {
        Body::Network(_) => &[
            ("google_compute_network", ""),
            ("google_compute_subnetwork", ""),
            ("google_compute_firewall", "_internal"),
            ("google_compute_firewall", "_iap_ssh"),
            ("google_compute_router", ""),
            ("google_compute_router_nat", ""),
        ],
        Body::Bucket(_) => &[("google_storage_bucket", "")],
        // What someone else keeps may be written as a server's address, whatever it was made as.
        Body::Filesystem(_) => &[("google_filestore_instance", ""), ("google_lustre_instance", "")],
        Body::Registry(_) => &[("google_artifact_registry_repository", "")],
        Body::Identity(_) => &[("google_service_account", ""), ("google_project_iam_member", "")],
        Body::Dashboard(_) => &[("google_vertex_ai_tensorboard", "")],
        Body::Pool(_) => {
            &[("google_container_node_pool", ""), ("google_compute_resource_policy", "")]
        }
        _ => &[],
    };
    let peered = match &noun.body {
        Body::Network(_) => Some(noun.id),
        Body::Filesystem(filesystem) => {
            filesystem.network.as_ref().map(|network| network.value.id())
        }
        _ => None,
    };
    let peering: &[(&str, &str)] = &[
        ("google_compute_global_address", "_services"),
        ("google_service_networking_connection", ""),
        ("google_compute_firewall", "_lustre"),
    ];
    let address = |id| move |(kind, part): &(&str, &str)| format!("{kind}.{}{part}", labels.of(id));
    let own = own.iter().map(address(noun.id));
    own.chain(peered.into_iter().flat_map(|id| peering.iter().map(address(id)))).collect()
}
