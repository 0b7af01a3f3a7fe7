//! What identities may do with buckets and repositories: no more than the mounts and images of their workloads ask.

use super::identity;
use super::registry::{self, Repository, Source};
use super::root::{File, Root, data, resource};
use crate::document::hcl::Expr;
use indexmap::IndexSet;
use slipform_model::nouns::{Body, ImageUse, Workload};
use slipform_model::plan::{self, Place, Plan};
use slipform_model::{Noun, NounId};
use std::collections::BTreeMap;

/// What an identity may do with a bucket; of two, the one that holds the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rights {
    Read,
    Write,
    /// Vertex AI asks this of the account of a job whose metrics it takes from the bucket to a TensorBoard.
    All,
}

impl Rights {
    fn role(self) -> &'static str {
        match self {
            Self::Read => "roles/storage.objectViewer",
            Self::Write => "roles/storage.objectUser",
            Self::All => "roles/storage.admin",
        }
    }
}

/// Bindings of buckets and repositories. Where both sides belong to someone else, so does the binding.
pub(super) fn render(root: &mut Root<'_>) {
    let wanted = Wanted::of(root.plan);
    for ((bucket, identity), rights) in &wanted.buckets {
        grant_bucket(root, *bucket, *identity, *rights);
    }
    let repositories = registry::repositories(root.plan, |id| root.labels.of(id).to_owned());
    for (key, identity) in &wanted.repositories {
        if let Some(source) = repositories.get(key) {
            grant_repository(root, key, source, *identity);
        }
    }
}

/// Who a workload is towards Google Cloud.
struct Actor {
    identity: NounId,
    /// It pulls images itself; on GKE, nodes do.
    pulls: bool,
}

impl Actor {
    /// A job of Slurm is whoever its node is, whatever the workload says.
    fn of(plan: &Plan, id: NounId, workload: &Workload) -> Option<Self> {
        let place = plan.workload(id).map(|run| run.place);
        let identity = match place {
            Some(Place::Partition(partition)) => {
                let cluster = plan.model.get(plan.partition(partition)?.cluster)?;
                match &cluster.body {
                    Body::SlurmCluster(cluster) => cluster.node_identity.as_ref(),
                    _ => None,
                }
            }
            _ => workload.identity.as_ref(),
        };
        let pulls = !matches!(place, Some(Place::Pool(_)));
        identity.map(|identity| Self { identity: identity.value.id(), pulls })
    }
}

/// Who needs what.
#[derive(Default)]
struct Wanted {
    /// Bucket and identity.
    buckets: BTreeMap<(NounId, NounId), Rights>,
    /// Repository and identity.
    repositories: IndexSet<(Repository, NounId)>,
}

impl Wanted {
    fn of(plan: &Plan) -> Self {
        let mut wanted = Self::default();
        for (noun, workload) in plan.model.workloads() {
            if let Some(actor) = Actor::of(plan, noun.id, workload) {
                wanted.workload(plan, noun, workload, actor);
            }
        }
        wanted
    }

    fn workload(&mut self, plan: &Plan, noun: &Noun, workload: &Workload, actor: Actor) {
        let model = &plan.model;
        // a side job acts as its workload
        for gang in plan.gangs(noun.id) {
            if actor.pulls {
                self.image(plan, &gang.program.image, actor.identity);
            }
            for mount in &gang.program.mounts {
                self.mount(mount, actor.identity);
            }
        }
        // Vertex AI writes what a job makes as the job's own account
        if let Some(Body::VertexCluster(vertex)) =
            model.get(workload.place.value).map(|noun| &noun.body)
            && let Some(staging) = &vertex.staging
        {
            let rights = if workload.dashboard.is_some() { Rights::All } else { Rights::Write };
            self.bucket(staging.value.id(), actor.identity, rights);
        }
    }

    fn mount(&mut self, mount: &plan::MountPlan, identity: NounId) {
        let plan::Source::Bucket { noun, .. } = mount.source.value else { return };
        self.bucket(
            noun.id(),
            identity,
            if mount.reads_alone() { Rights::Read } else { Rights::Write },
        );
    }

    fn bucket(&mut self, bucket: NounId, identity: NounId, rights: Rights) {
        let known = self.buckets.entry((bucket, identity)).or_insert(rights);
        *known = rights.max(*known);
    }

    fn image(&mut self, plan: &Plan, image: &ImageUse, identity: NounId) {
        let ImageUse::Image(id) = image else { return };
        let Some(Body::Image(body)) = plan.model.get(*id).map(|noun| &noun.body) else { return };
        let repository =
            body.push_to.as_ref().and_then(|push_to| registry::of_push(plan, &push_to.value));
        self.repositories.extend(repository.map(|repository| (repository, identity)));
    }
}

fn grant_bucket(root: &mut Root<'_>, bucket: NounId, who: NounId, rights: Rights) {
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
        // not the name, which a bucket that is replaced keeps: its grants are gone with it, and have to be made again
        format!("google_storage_bucket.{label}.id")
    };
    let block =
        resource("google_storage_bucket_iam_member", &format!("{label}_{}", root.label(who)))
            .attr("bucket", Expr::reference(name))
            .attr("role", rights.role())
            .attr("member", member);
    let by = model.get(who).unwrap_or(noun);
    root.push(File::Iam, by, block);
}

fn grant_repository(root: &mut Root<'_>, key: &Repository, source: &Source<'_>, who: NounId) {
    let Some(member) = member(root, who, source.exists()) else { return };
    let block = resource(
        "google_artifact_registry_repository_iam_member",
        &format!("{}_{}", source.label, root.label(who)),
    )
    .attr("location", root.place(&key.location))
    .attr("repository", source.reference(key))
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
