//! Workload Identity: which Kubernetes service accounts act as which service accounts.

use super::cluster::Cluster;
use super::identity;
use super::root::{File, Root, depends_on, resource};
use crate::document::hcl::{Expr, Part};
use slipform_model::NounId;
use std::collections::BTreeMap;

/// One binding for each Kubernetes service account. The pool of identities exists only once the cluster does.
pub(super) fn render(root: &mut Root<'_>, cluster: &Cluster<'_>) {
    let mut members: BTreeMap<NounId, Vec<String>> = BTreeMap::new();
    for (namespace, account, identity) in &cluster.plan.accounts {
        members.entry(*identity).or_default().push(format!("{namespace}/{account}"));
    }
    for (id, accounts) in members {
        let Some(noun) = root.model().get(id) else { continue };
        let Some(address) = identity::look_up(root, id) else { continue };
        let member = Expr::template([
            Part::from("serviceAccount:"),
            Part::from(Expr::reference("var.project_id")),
            Part::from(".svc.id.goog["),
            Part::from(Expr::reference("each.value")),
            Part::from("]"),
        ]);
        let block = resource("google_service_account_iam_member", &root.label(id))
            .attr("for_each", Expr::call("toset", [Expr::list(accounts)]))
            .gap()
            .attr("service_account_id", Expr::reference(format!("{address}.name")))
            .attr("role", "roles/iam.workloadIdentityUser")
            .attr("member", member);
        let block = depends_on(block, ["google_container_cluster.this".to_owned()]);
        root.push(File::Iam, noun, block);
    }
}
