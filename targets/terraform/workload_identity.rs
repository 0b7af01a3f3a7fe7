//! The root of Workload Identity: which Kubernetes service accounts act as which service accounts.
//!
//! The pool of these identities belongs to the project, so a binding holds in all of its clusters: it is made once,
//! after the first cluster, with which the pool comes to be, and outlives each of them.

use super::identity;
use super::root::{File, Root, data, resource};
use crate::Stage;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::nouns::{Bucket, GkeCluster, Identity, Ref};
use slipform_model::plan::{Sound, WORKLOAD_IDENTITY_ROLE};
use std::collections::{BTreeMap, BTreeSet};

/// The root, unless nobody acts as anyone. Where both cluster and identity are someone else's, so is the binding.
pub(super) fn render(plan: Sound<'_>) -> Option<Root<'_>> {
    let members = members(plan);
    let kept = kept(plan);
    if members.is_empty() && kept.is_empty() {
        return None;
    }
    let mut root = Root::new(plan, &Stage::WorkloadIdentity, None, None);
    for (id, accounts) in members {
        let address = identity::look_up(&mut root, id);
        let block = binding(&root.label(id), &address, accounts);
        root.push(File::Iam, plan.get(id).noun, block);
    }
    if let Some(first) = kept.first() {
        root.push(File::Lookups, plan.get(*first).noun, data("google_project", "own"));
    }
    for bucket in kept {
        let block = keeper(&mut root, bucket);
        root.push(File::Iam, plan.get(bucket).noun, block);
    }
    Some(root)
}

/// The buckets that nodes keep their checkpoints in.
fn kept(plan: Sound<'_>) -> BTreeSet<Ref<Bucket>> {
    let clusters = plan.all::<GkeCluster>();
    clusters.flat_map(|it| it.plan.checkpoints.iter().map(|kept| kept.bucket)).collect()
}

/// What GKE's own account, which copies checkpoints, may do with a bucket.
fn keeper(root: &mut Root<'_>, bucket: Ref<Bucket>) -> Block {
    let facts = &root.plan.catalog().kubernetes().checkpointing;
    let member = Expr::template([
        Part::from("principal://iam.googleapis.com/projects/"),
        Part::from(Expr::reference("data.google_project.own.number")),
        Part::from("/locations/global/workloadIdentityPools/"),
        Part::from(Expr::reference("var.project_id")),
        Part::from(format!(".svc.id.goog/subject/ns/{}/sa/{}", facts.namespace, facts.account)),
    ]);
    resource("google_storage_bucket_iam_member", &format!("{}_checkpoints", root.label(bucket)))
        .attr("bucket", root.plan.get(bucket).name())
        .attr("role", &facts.role)
        .attr("member", member)
}

/// Kubernetes service accounts, `namespace/name`, by the identity that they act as.
fn members(plan: Sound<'_>) -> BTreeMap<Ref<Identity>, BTreeSet<String>> {
    let mut members: BTreeMap<Ref<Identity>, BTreeSet<String>> = BTreeMap::new();
    for cluster in plan.all::<GkeCluster>() {
        for (namespace, account, identity) in &cluster.plan.accounts {
            if cluster.is_made() || plan.get(*identity).is_made() {
                members.entry(*identity).or_default().insert(format!("{namespace}/{account}"));
            }
        }
    }
    members
}

fn binding(label: &str, address: &str, accounts: BTreeSet<String>) -> Block {
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
        .attr("role", WORKLOAD_IDENTITY_ROLE)
        .attr("member", member)
}
