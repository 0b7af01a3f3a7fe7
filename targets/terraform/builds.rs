//! Who builds images: a service account that reads what they start from and writes to the repositories that they are
//! pushed to, and nothing else. The account that Cloud Build takes by itself may do far too much, or is forbidden.

use super::identity::project_roles;
use super::labels::snake;
use super::registry::{self, Repository};
use super::root::{File, Root, depends_on, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr, Part};
use indexmap::IndexMap;
use slipform_model::Noun;
use slipform_model::nouns::{Identity, Image};
use slipform_model::plan::{Planned, Sound};

/// Builds write their logs themselves: <https://cloud.google.com/build/docs/securing-builds/configure-user-specified-service-accounts>.
const ROLES: [&str; 1] = ["roles/logging.logWriter"];

/// The account and its rights, where images are pushed.
pub(super) fn render(root: &mut Root<'_>) {
    let pushed = root.plan.made::<Image>().find(|image| image.body.push_to.is_some());
    let (Some(Planned { noun, .. }), Some(account)) = (pushed, root.plan.builder()) else { return };
    let label = label(root);
    let address = format!("google_service_account.{label}");
    let block = resource("google_service_account", label)
        .attr("account_id", account)
        .attr("display_name", format!("Builds of images of {}", root.plan.blueprint()));
    root.push(File::Iam, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    root.push(File::Iam, noun, project_roles(label, &address, ROLES));
    root.push(File::Iam, noun, source(label, &address));
    repositories(root, label, &address);
}

/// A label that no identity has.
fn label(root: &Root<'_>) -> &'static str {
    let taken = |label: &str| {
        let mut identities = root.plan.all::<Identity>();
        identities.any(|identity| root.labels.of(identity.noun.id).starts_with(label))
    };
    if taken("image_builds") { "slipform_image_builds" } else { "image_builds" }
}

/// What is built is sent through a bucket that `gcloud` makes at the first build, so there is nothing to grant on yet
/// but the project.
fn source(label: &str, address: &str) -> Block {
    let expression = Expr::template([
        Part::from("resource.name.startsWith(\"projects/_/buckets/"),
        Part::from(Expr::reference("var.project_id")),
        Part::from("_cloudbuild/\")"),
    ]);
    let condition =
        Block::of("condition").attr("title", "sources-of-builds").attr("expression", expression);
    resource("google_project_iam_member", &format!("{label}_source"))
        .attr("project", Expr::reference("var.project_id"))
        .attr("role", "roles/storage.objectViewer")
        .attr("member", Expr::reference(format!("{address}.member")))
        .block(condition)
}

/// Writes where images are pushed, and reads where they start from: in the same project, and in registries of others that the blueprint knows.
fn repositories(root: &mut Root<'_>, label: &str, address: &str) {
    let plan = root.plan;
    let all = registry::repositories(plan, |id| root.labels.of(id).to_owned());
    let mut roles: IndexMap<Repository, (&str, &Noun)> = IndexMap::new();
    for Planned { noun, body: image, .. } in plan.made::<Image>() {
        let Some(target) = &image.push_to else { continue };
        let base = of_base(plan, &image.from.value);
        let known = |base: &Repository| base.project.is_none() || all.contains_key(base);
        if let Some(base) = base.filter(known) {
            roles.entry(base).or_insert(("roles/artifactregistry.reader", noun));
        }
        let pushed = registry::of_push(plan, &target.value);
        roles.insert(pushed, ("roles/artifactregistry.writer", noun));
    }
    for (key, (role, noun)) in roles {
        let known = all.get(&key);
        let name = known.map_or_else(
            || format!("{}_{}", snake(&key.name), snake(&key.location)),
            |source| source.label.clone(),
        );
        let repository =
            known.map_or_else(|| Expr::from(&key.name), |source| source.reference(&key));
        let kind = "google_artifact_registry_repository_iam_member";
        let block = resource(kind, &format!("{name}_{label}"))
            .attr_opt("project", key.project.as_deref())
            .attr("location", root.place(&key.location))
            .attr("repository", repository)
            .attr("role", role)
            .attr("member", Expr::reference(format!("{address}.member")));
        root.push(File::Iam, noun, block);
    }
}

/// The repository that an image lies in: `LOCATION-docker.pkg.dev/PROJECT/NAME/...`.
fn of_base(plan: Sound<'_>, image: &str) -> Option<Repository> {
    let (host, path) = image.split_once('/')?;
    let location = host.strip_suffix("-docker.pkg.dev")?;
    let (project, rest) = path.split_once('/')?;
    let (name, _) = rest.split_once('/')?;
    let other = plan.project() != Some(project);
    let project = other.then(|| project.to_owned());
    Some(Repository { project, ..registry::own(location, name) })
}
