//! What the identities of workloads may do with buckets and repositories: no more than their mounts and images ask.

use super::identity;
use super::registry::{self, Repository, Source};
use super::root::{File, Root, data, resource};
use crate::document::hcl::Expr;
use indexmap::IndexSet;
use slipform_model::nouns::{Access, Body, ImageUse, Mount, MountSource, Workload};
use slipform_model::plan::Plan;
use slipform_model::{Model, Noun, NounId};
use std::collections::BTreeMap;

const READER: &str = "roles/storage.objectViewer";
const WRITER: &str = "roles/storage.objectUser";

/// Bindings of buckets and repositories. Where both sides belong to someone else, so does the binding.
pub(super) fn render(root: &mut Root<'_>) {
    let wanted = Wanted::of(root.plan);
    for ((bucket, identity), writes) in &wanted.buckets {
        grant_bucket(root, *bucket, *identity, *writes);
    }
    let repositories = registry::repositories(root.plan, |id| root.labels.of(id).to_owned());
    for (key, identity) in &wanted.repositories {
        if let Some(source) = repositories.get(key) {
            grant_repository(root, key, source, *identity);
        }
    }
}

/// Who needs what.
#[derive(Default)]
struct Wanted {
    /// Bucket and identity, and whether it writes.
    buckets: BTreeMap<(NounId, NounId), bool>,
    /// Repository and identity.
    repositories: IndexSet<(Repository, NounId)>,
}

impl Wanted {
    fn of(plan: &Plan) -> Self {
        let mut wanted = Self::default();
        for (noun, workload) in plan.model.workloads() {
            let Some(identity) = workload.identity.as_ref().map(|identity| identity.value) else {
                continue;
            };
            wanted.workload(plan, noun, workload, identity);
        }
        wanted
    }

    fn workload(&mut self, plan: &Plan, noun: &Noun, workload: &Workload, identity: NounId) {
        let model = &plan.model;
        self.image(plan, &workload.image.value, identity);
        for mount in &workload.mounts {
            self.mount(model, &mount.value, identity);
        }
        // a side job acts as its workload
        for child in model.children(noun.id) {
            if let Body::SideJob(job) = &child.body {
                self.image(plan, &job.image.value, identity);
                for mount in &job.mounts {
                    self.mount(model, &mount.value, identity);
                }
            }
        }
        // Vertex AI writes what a job makes as the job's own account
        if let Some(Body::VertexCluster(vertex)) =
            model.get(workload.place.value).map(|noun| &noun.body)
            && let Some(staging) = &vertex.staging
        {
            self.buckets.insert((staging.value, identity), true);
        }
    }

    fn mount(&mut self, model: &Model, mount: &Mount, identity: NounId) {
        let Mount::Mount { source, read_only, .. } = mount;
        let MountSource::Bucket(bucket) = source.value else { return };
        let access = match model.get(bucket).map(|noun| &noun.body) {
            Some(Body::Bucket(body)) => body.access,
            _ => return,
        };
        let writes = access == Access::Write && !read_only;
        *self.buckets.entry((bucket, identity)).or_default() |= writes;
    }

    fn image(&mut self, plan: &Plan, image: &ImageUse, identity: NounId) {
        let ImageUse::Image(id) = image else { return };
        let Some(Body::Image(body)) = plan.model.get(*id).map(|noun| &noun.body) else { return };
        let repository =
            body.push_to.as_ref().and_then(|push_to| registry::of_push(plan, &push_to.value));
        self.repositories.extend(repository.map(|repository| (repository, identity)));
    }
}

fn grant_bucket(root: &mut Root<'_>, bucket: NounId, who: NounId, writes: bool) {
    let model = root.model();
    let Some(noun) = model.get(bucket) else { return };
    let Some(member) = member(root, who, noun.existing) else { return };
    let label = root.label(bucket);
    let name = if noun.existing {
        if root.first_lookup(bucket) {
            let block = data("google_storage_bucket", &label).attr("name", root.name(bucket));
            root.push(File::Lookups, noun, block);
        }
        format!("data.google_storage_bucket.{label}.name")
    } else {
        format!("google_storage_bucket.{label}.name")
    };
    let block =
        resource("google_storage_bucket_iam_member", &format!("{label}_{}", root.label(who)))
            .attr("bucket", Expr::reference(name))
            .attr("role", if writes { WRITER } else { READER })
            .attr("member", member);
    let by = model.get(who).unwrap_or(noun);
    root.push(File::Iam, by, block);
}

fn grant_repository(root: &mut Root<'_>, key: &Repository, source: &Source<'_>, who: NounId) {
    let existing = source.registry.is_some() && source.noun.existing;
    let Some(member) = member(root, who, existing) else { return };
    let repository = if existing {
        Expr::from(&key.name)
    } else {
        Expr::reference(format!("google_artifact_registry_repository.{}.name", source.label))
    };
    let block = resource(
        "google_artifact_registry_repository_iam_member",
        &format!("{}_{}", source.label, root.label(who)),
    )
    .attr("location", root.place(&key.location))
    .attr("repository", repository)
    .attr("role", "roles/artifactregistry.reader")
    .attr("member", member);
    let by = root.model().get(who).unwrap_or(source.noun);
    root.push(File::Iam, by, block);
}

/// The member for an identity; `None` where neither it nor the other side is made here.
fn member(root: &mut Root<'_>, who: NounId, other_exists: bool) -> Option<Expr> {
    let noun = root.model().get(who)?;
    let address = match (noun.existing, other_exists) {
        (true, true) => return None,
        (true, false) => identity::look_up(root, who)?,
        (false, _) => format!("google_service_account.{}", root.label(who)),
    };
    Some(Expr::reference(format!("{address}.member")))
}
