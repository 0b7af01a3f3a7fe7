//! Who works in namespaces of clusters: whoever does has to find the cluster first; what they may do in it, its own roles say.
//!
//! A role of GKE can be granted on a project alone, so each grant has a condition that names its cluster: it is another grant than that of
//! the same people for another cluster, of this output or of any other, and goes without it. What a cluster is not is let through, since
//! looking for clusters is asked of the project.

use super::root::{File, Root, depends_on, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr};
use slipform_model::nouns::{GkeCluster, Identity, Team};
use slipform_model::plan::Planned;
use std::collections::BTreeSet;

/// Lets the members of all teams find their clusters.
pub(super) fn render(root: &mut Root<'_>) {
    for cluster in root.plan.made::<GkeCluster>() {
        let teams = cluster.body.teams.values();
        let all: BTreeSet<&str> = teams.flat_map(Team::members).map(String::as_str).collect();
        if all.is_empty() {
            continue;
        }
        let block = resource("google_project_iam_member", &label(root, cluster))
            .attr("for_each", Expr::call("toset", [Expr::list(all)]))
            .gap()
            .attr("project", Expr::reference("var.project_id"))
            .attr("role", "roles/container.clusterViewer")
            .attr("member", Expr::reference("each.value"))
            .block(condition(cluster));
        root.push(File::Iam, cluster.noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    }
}

/// A label that no identity has.
fn label(root: &Root<'_>, cluster: Planned<'_, GkeCluster>) -> String {
    let label = format!("{}_members", root.label(cluster.noun.id));
    let mut identities = root.plan.all::<Identity>();
    let taken = identities.any(|identity| root.labels.of(identity.noun.id) == label);
    if taken { format!("slipform_{label}") } else { label }
}

/// That of clusters it is this one: <https://cloud.google.com/iam/docs/conditions-resource-attributes>. Two clusters of one name are told
/// apart by the title, which is a part of the grant.
fn condition(cluster: Planned<'_, GkeCluster>) -> Block {
    let name = cluster.name();
    let expression = format!(
        "resource.type != \"container.googleapis.com/Cluster\" || resource.name.endsWith(\"/clusters/{name}\")"
    );
    Block::of("condition")
        .attr("title", format!("cluster-{name}-{}", cluster.plan.location))
        .attr("expression", expression)
}
