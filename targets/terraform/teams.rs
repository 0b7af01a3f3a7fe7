//! Who works in namespaces of clusters: whoever does has to find the cluster first; what they may do in it, its own roles say.
//!
//! The grant is on the project, so the teams of all clusters have it together: of two that are each made by the root of a cluster, the one
//! that goes with its cluster takes the right of both away.

use super::root::{File, Root, depends_on, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::Expr;
use slipform_model::nouns::{GkeCluster, Team};
use std::collections::BTreeSet;

/// Lets the members of all teams find clusters of the project.
pub(super) fn render(root: &mut Root<'_>) {
    let clusters = root.plan.made::<GkeCluster>().filter(|it| !it.body.teams.is_empty());
    let clusters: Vec<_> = clusters.collect();
    let Some(first) = clusters.first() else { return };
    let teams = clusters.iter().flat_map(|it| it.body.teams.values());
    let all: BTreeSet<&str> = teams.flat_map(Team::members).map(String::as_str).collect();
    if all.is_empty() {
        return;
    }
    let block = resource("google_project_iam_member", "members")
        .attr("for_each", Expr::call("toset", [Expr::list(all)]))
        .gap()
        .attr("project", Expr::reference("var.project_id"))
        .attr("role", "roles/container.clusterViewer")
        .attr("member", Expr::reference("each.value"));
    root.push(File::Iam, first.noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
}
