//! Workload Identity: which Kubernetes service accounts act as which service accounts.

use super::cluster::Cluster;
use super::identity;
use super::root::{File, Root, depends_on, resource};
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::NounId;
use slipform_model::plan::ClusterPlan;
use std::collections::BTreeMap;

/// One binding for each Kubernetes service account of a cluster that is made here. The pool of identities exists only
/// once the cluster does.
pub(super) fn render(root: &mut Root<'_>, cluster: &Cluster<'_>) {
    for (id, accounts) in members(cluster.plan) {
        let Some(noun) = root.model().get(id) else { continue };
        let Some(address) = identity::look_up(root, id) else { continue };
        let block = binding(&root.label(id), &address, accounts);
        let block = depends_on(block, ["google_container_cluster.this".to_owned()]);
        root.push(File::Iam, noun, block);
    }
}

/// The same for clusters of someone else, as far as the identities are made here.
pub(super) fn of_existing_clusters(root: &mut Root<'_>) {
    let clusters = root.model().gke_clusters().filter(|(noun, _)| noun.existing);
    for (cluster, _) in clusters {
        let Some(plan) = root.plan.cluster(cluster.id) else { continue };
        for (id, accounts) in members(plan) {
            let Some(noun) = root.model().get(id).filter(|noun| !noun.existing) else { continue };
            let label = root.label(id);
            let address = format!("google_service_account.{label}");
            let block = binding(&format!("{label}_{}", root.label(cluster.id)), &address, accounts);
            root.push(File::Iam, noun, block);
        }
    }
}

/// Kubernetes service accounts, `namespace/name`, by the identity that they act as.
fn members(plan: &ClusterPlan) -> BTreeMap<NounId, Vec<String>> {
    let mut members: BTreeMap<NounId, Vec<String>> = BTreeMap::new();
    for (namespace, account, identity) in &plan.accounts {
        members.entry(*identity).or_default().push(format!("{namespace}/{account}"));
    }
    members
}

fn binding(label: &str, address: &str, accounts: Vec<String>) -> Block {
    let member = Expr::template([
        Part::from("serviceAccount:"),
        Part::from(Expr::reference("var.project_id")),
        Part::from(".svc.id.goog["),
        Part::from(Expr::reference("each.value")),
        Part::from("]"),
    ]);
    resource("google_service_account_iam_member", label)
        .attr("for_each", Expr::call("toset", [Expr::list(accounts)]))
        .gap()
        .attr("service_account_id", Expr::reference(format!("{address}.name")))
        .attr("role", "roles/iam.workloadIdentityUser")
        .attr("member", member)
}
