//! Service accounts with their roles on the project, and how other roots find them.

use super::outputs::OutputBlock;
use super::root::{File, Root, data, depends_on, description, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr};
use slipform_model::nouns::Identity;
use slipform_model::{Model, Noun, NounId};
use std::collections::BTreeSet;

/// The role that writes to a TensorBoard; it exists on projects only.
const DASHBOARD_ROLE: &str = "roles/aiplatform.user";

/// A service account and its roles.
pub(super) fn render(root: &mut Root<'_>, noun: &Noun, body: &Identity, dashboard: bool) {
    let label = root.label(noun.id);
    let block = resource("google_service_account", &label)
        .attr("account_id", root.name(noun.id))
        .attr("display_name", noun.path.as_str())
        .attr_opt("description", description(noun));
    root.push(File::Iam, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    let mut roles: BTreeSet<&str> = body.roles.iter().map(|role| role.value.as_str()).collect();
    if dashboard {
        roles.insert(DASHBOARD_ROLE);
    }
    if !roles.is_empty() {
        root.push(
            File::Iam,
            noun,
            project_roles(&label, &format!("google_service_account.{label}"), roles),
        );
    }
    root.output(OutputBlock::of(
        root.plan,
        noun,
        "email",
        format!("Address of the service account {}.", noun.path),
        Expr::reference(format!("google_service_account.{label}.email")),
    ));
}

/// Roles on the project, none of which is taken from anyone else.
pub(super) fn project_roles<'a>(
    label: &str,
    account: &str,
    roles: impl IntoIterator<Item = &'a str>,
) -> Block {
    let member = Expr::reference(format!("{account}.member"));
    resource("google_project_iam_member", label)
        .attr("for_each", Expr::call("toset", [Expr::list(roles)]))
        .gap()
        .attr("project", Expr::reference("var.project_id"))
        .attr("role", Expr::reference("each.value"))
        .attr("member", member)
}

/// Reads an account that this root does not make, once, and refers to it.
pub(super) fn look_up(root: &mut Root<'_>, id: NounId) -> Option<String> {
    let noun = root.model().get(id)?;
    let label = root.label(id);
    if root.first_lookup(id) {
        let block = data("google_service_account", &label).attr("account_id", root.name(noun.id));
        root.push(File::Lookups, noun, block);
    }
    Some(format!("data.google_service_account.{label}"))
}

/// The identities whose workloads show their metrics on a dashboard.
pub(super) fn with_dashboards(model: &Model) -> BTreeSet<NounId> {
    let shown = model.workloads().filter(|(_, workload)| workload.dashboard.is_some());
    shown
        .filter_map(|(_, workload)| workload.identity.as_ref().map(|identity| identity.value))
        .collect()
}
