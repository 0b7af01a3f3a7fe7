//! What identities may do with buckets and repositories: no more than the mounts, addresses
//! and images of their workloads ask.

use super::identity;
use super::registry::{self, Repository, Source};
use super::root::{File, Root, data, depends_on, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::Expr;
use indexmap::IndexMap;
use slipform_model::nouns::{
    Access, Bucket, GkeCluster, Granted, Identity, Image, ImageUse, Ref, Registry, SlurmCluster,
    Workload,
};
use slipform_model::plan::{self, Gang, Planned, Run, Site, Sound};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};

/// What an identity may do with a bucket; of two, the one that holds the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rights {
    Read,
    Write,
    /// Vertex AI asks this of the account of a job whose metrics it takes from the bucket to a TensorBoard.
    All,
}

impl From<Access> for Rights {
    fn from(access: Access) -> Self {
        match access {
            Access::Read => Self::Read,
            Access::Write => Self::Write,
        }
    }
}

impl Rights {
    fn role(self) -> &'static str {
        match self {
            Self::Read => "roles/storage.objectViewer",
            Self::Write => "roles/storage.objectUser",
            Self::All => "roles/storage.admin",
        }
    }

    fn role_of_images(self) -> &'static str {
        match self {
            Self::Read => "roles/artifactregistry.reader",
            Self::Write | Self::All => "roles/artifactregistry.writer",
        }
    }
}

/// Bindings of buckets and repositories. Where both sides belong to someone else, so does the binding.
pub(super) fn render(root: &mut Root<'_>) {
    let wanted = Wanted::of(root.plan);
    for ((bucket, identity), want) in &wanted.buckets {
        grant_bucket(root, *bucket, *identity, want.rights);
    }
    let repositories = registry::repositories(root.plan, |id| root.labels.of(id).to_owned());
    for ((key, identity), want) in &wanted.repositories {
        if let Some(source) = repositories.get(key) {
            grant_repository(root, key, source, *identity, want.rights);
        }
    }
    for identity in root.plan.made::<Identity>() {
        grant_secrets(root, identity);
    }
}

/// The addresses of what is not granted here, since both sides belong to someone else, with the identity of each.
pub(super) fn of_others<'p>(root: &Root<'p>) -> Vec<(String, &'p Noun)> {
    let plan = root.plan;
    let wanted = Wanted::of(plan);
    let others = |who: &Ref<Identity>| !plan.get(*who).is_made();
    let buckets = wanted.buckets.keys().filter(|(on, who)| !plan.get(*on).is_made() && others(who));
    let buckets = buckets.map(|(on, who)| (of_bucket(root, *on, *who), *who));
    let repositories = registry::repositories(plan, |id| root.labels.of(id).to_owned());
    let wanted = wanted.repositories.keys().filter(|(_, who)| others(who));
    let images = wanted.filter_map(|(key, who)| {
        let source = repositories.get(key).filter(|source| source.exists())?;
        Some((of_repository(root, source, *who), *who))
    });
    buckets.chain(images).map(|(address, who)| (address, plan.get(who).noun)).collect()
}

/// Which runs use what is granted, with the role that each needs, by the addresses of the grants.
pub(super) fn users<'p>(root: &Root<'p>) -> BTreeMap<String, BTreeMap<NounId, &'p str>> {
    let plan = root.plan;
    let wanted = Wanted::of(plan);
    let buckets = wanted.buckets.iter().map(|((on, who), want)| {
        (of_bucket(root, *on, *who), want.roles(plan, *who, Rights::role))
    });
    let repositories = registry::repositories(plan, |id| root.labels.of(id).to_owned());
    let images = wanted.repositories.iter().filter_map(|((key, who), want)| {
        let address = of_repository(root, repositories.get(key)?, *who);
        Some((address, want.roles(plan, *who, Rights::role_of_images)))
    });
    buckets.chain(images).collect()
}

const ON_BUCKET: &str = "google_storage_bucket_iam_member";
const ON_REPOSITORY: &str = "google_artifact_registry_repository_iam_member";

fn of_bucket(root: &Root<'_>, bucket: Ref<Bucket>, who: Ref<Identity>) -> String {
    format!("{ON_BUCKET}.{}_{}", root.label(bucket), root.label(who))
}

fn of_repository(root: &Root<'_>, source: &Source<'_>, who: Ref<Identity>) -> String {
    format!("{ON_REPOSITORY}.{}_{}", source.label, root.label(who))
}

/// What identities need of buckets where both belong to someone else, who gives it.
pub(super) fn between_others(plan: Sound<'_>) -> Vec<(Ref<Bucket>, Ref<Identity>, &'static str)> {
    let wanted = Wanted::of(plan).buckets.into_iter();
    let others = wanted.filter(|((bucket, identity), _)| {
        !plan.get(*bucket).is_made() && !plan.get(*identity).is_made()
    });
    others.map(|((bucket, identity), want)| (bucket, identity, want.rights.role())).collect()
}

/// The buckets of others, by their names, on which rights are given from here: in which project each is nobody says.
pub(super) fn buckets_of_others(plan: Sound<'_>) -> BTreeSet<&str> {
    let wanted = Wanted::of(plan).buckets.into_keys();
    let given =
        wanted.filter(|(bucket, who)| !plan.get(*bucket).is_made() && plan.get(*who).is_made());
    given.map(|(bucket, _)| plan.get(bucket).name()).collect()
}

/// The repositories of other projects on which rights are given from here, each behind its project.
pub(super) fn repositories_abroad(plan: Sound<'_>) -> BTreeSet<(&str, &str)> {
    let made = Wanted::of(plan).repositories;
    let made: Vec<Repository> = made
        .into_keys()
        .filter(|(_, who)| plan.get(*who).is_made())
        .map(|(repository, _)| repository)
        .collect();
    let pushed = plan.made::<Image>();
    let pushed = pushed.filter_map(|it| it.body.push_to.as_ref());
    let pushed: Vec<Repository> =
        pushed.map(|push_to| registry::of_push(plan, &push_to.value)).collect();
    let nodes = plan.made::<GkeCluster>().filter(|it| it.body.node_identity.is_none());
    let pulled = nodes.flat_map(|it| registry::pulled_abroad(plan, it));
    let pulled = pulled.map(|it| registry::of_registry(plan, it));
    let given: Vec<Repository> = made.into_iter().chain(pushed).chain(pulled).collect();
    let abroad = plan.all::<Registry>().filter_map(|it| {
        let is_given = given.contains(&registry::of_registry(plan, it));
        plan.other_project(it.noun.id).filter(|_| is_given).map(|owner| (owner, it.name()))
    });
    abroad.collect()
}

/// Who the processes of a gang are towards Google Cloud.
struct Actor {
    identity: Ref<Identity>,
    /// It pulls images itself; on GKE, nodes do.
    pulls: bool,
}

impl Actor {
    /// A job of Slurm is whoever its node is, whatever the workload says.
    fn of(plan: Sound<'_>, run: &Run, gang: &Gang) -> Option<Self> {
        let (identity, pulls) = match &run.site {
            Site::Gke(_) => (gang.identity, false),
            Site::Slurm(site) => {
                (plan.get(site.cluster).body.node_identity.map(|identity| identity.value), true)
            }
            Site::Vertex(_) => (gang.identity, true),
        };
        identity.map(|identity| Self { identity, pulls })
    }
}

/// What is needed, and by whom.
struct Want {
    rights: Rights,
    /// The runs that need it.
    runs: BTreeMap<NounId, Rights>,
    /// What those need that it is given to without a run that says what for: whoever acts as the identity may use it.
    anyone: Option<Rights>,
}

impl Want {
    fn nothing(rights: Rights) -> Self {
        Self { rights, runs: BTreeMap::new(), anyone: None }
    }

    fn add(&mut self, run: Option<NounId>, rights: Rights) {
        self.rights = self.rights.max(rights);
        match run {
            Some(run) => {
                let known = self.runs.entry(run).or_insert(rights);
                *known = rights.max(*known);
            }
            None => self.anyone = self.anyone.max(Some(rights)),
        }
    }

    /// The role that each run needs.
    fn roles<'p>(
        &self,
        plan: Sound<'p>,
        who: Ref<Identity>,
        role: fn(Rights) -> &'static str,
    ) -> BTreeMap<NounId, &'p str> {
        let anyone = self.anyone.into_iter().flat_map(|rights| {
            let runs = plan.all::<Workload>().filter(move |run| acts_as(plan, *run, who));
            runs.map(move |run| (run.noun.id, rights))
        });
        let mut found: BTreeMap<NounId, Rights> = anyone.collect();
        for (run, rights) in &self.runs {
            let known = found.entry(*run).or_insert(*rights);
            *known = (*known).max(*rights);
        }
        found.into_iter().map(|(run, rights)| (run, role(rights))).collect()
    }
}

/// Whether a run, or what it runs on, acts as an identity: nodes mount and pull for their runs.
fn acts_as(plan: Sound<'_>, run: Planned<'_, Workload>, who: Ref<Identity>) -> bool {
    let nodes = match &run.plan.site {
        Site::Gke(site) => plan.get(site.cluster).body.node_identity.map(|it| it.value),
        Site::Slurm(site) => {
            let cluster = plan.get(site.cluster).body;
            return cluster.node_identity.map(|it| it.value) == Some(who)
                || cluster.controller.value.identity() == Some(who);
        }
        Site::Vertex(_) => None,
    };
    nodes == Some(who) || run.plan.gangs().any(|gang| gang.identity == Some(who))
}

/// Who needs what.
#[derive(Default)]
struct Wanted {
    /// Bucket and identity.
    buckets: BTreeMap<(Ref<Bucket>, Ref<Identity>), Want>,
    /// Repository and identity.
    repositories: IndexMap<(Repository, Ref<Identity>), Want>,
    /// The run that is asked what it needs.
    run: Option<NounId>,
}

impl Wanted {
    fn of(plan: Sound<'_>) -> Self {
        let mut wanted = Self::default();
        let buckets = plan.all::<Bucket>().map(|bucket| (bucket.name(), bucket));
        let buckets: BTreeMap<&str, Planned<'_, Bucket>> = buckets.collect();
        for workload in plan.all::<Workload>() {
            wanted.run = Some(workload.noun.id);
            wanted.workload(plan, workload, &buckets);
        }
        wanted.run = None;
        for cluster in plan.made::<SlurmCluster>() {
            wanted.hosts(cluster);
        }
        // of their own project nodes read every repository
        for cluster in plan.all::<GkeCluster>() {
            let Some(nodes) = cluster.body.node_identity else { continue };
            let pulled = registry::pulled_abroad(plan, cluster).into_iter();
            let pulled = pulled.map(|registry| registry::of_registry(plan, registry));
            for repository in pulled.chain(registry::pushed_abroad(plan, cluster)) {
                wanted.repository(repository, nodes.value, Rights::Read);
            }
        }
        for identity in plan.all::<Identity>() {
            let Identity { reads, writes, .. } = identity.body;
            for granted in reads {
                wanted.said(plan, granted.value, identity.reference(), Rights::Read);
            }
            for granted in writes {
                wanted.said(plan, granted.value, identity.reference(), Rights::Write);
            }
        }
        wanted
    }

    fn workload(
        &mut self,
        plan: Sound<'_>,
        workload: Planned<'_, Workload>,
        buckets: &BTreeMap<&str, Planned<'_, Bucket>>,
    ) {
        for gang in workload.plan.gangs() {
            let Some(actor) = Actor::of(plan, workload.plan, gang) else { continue };
            if actor.pulls {
                self.image(plan, &gang.program.image, actor.identity);
            }
            for mount in &gang.program.mounts {
                self.mount(mount, actor.identity);
            }
            for name in gang.program.texts().flat_map(buckets_in) {
                let Some(bucket) = buckets.get(name) else { continue };
                let rights = match bucket.body.access {
                    Access::Read => Rights::Read,
                    Access::Write => Rights::Write,
                };
                self.bucket(bucket.reference(), actor.identity, rights);
            }
        }
        // Vertex AI writes what a job makes as the job's own account
        let (staging, named) = match &workload.plan.site {
            Site::Vertex(site) => (plan.get(site.cluster).body.staging, site.tensorboard.is_some()),
            Site::Gke(_) | Site::Slurm(_) => (None, false),
        };
        if let (Some(staging), Some(actor)) =
            (staging, Actor::of(plan, workload.plan, workload.plan.lead()))
        {
            let shown = named || workload.plan.dashboard.is_some();
            let rights = if shown { Rights::All } else { Rights::Write };
            self.bucket(staging.value, actor.identity, rights);
        }
    }

    /// All hosts of a Slurm cluster on Google Cloud mount the same.
    fn hosts(&mut self, cluster: Planned<'_, SlurmCluster>) {
        let nodes = cluster.body.node_identity.map(|identity| identity.value);
        let actors = nodes.into_iter().chain(cluster.body.controller.value.identity());
        for identity in actors {
            for (_, source) in cluster.plan.cloud.iter().flat_map(|cloud| &cloud.mounts) {
                if let Some((bucket, access)) = files(source) {
                    self.bucket(bucket, identity, Rights::from(access));
                }
            }
        }
    }

    fn mount(&mut self, mount: &plan::MountPlan, identity: Ref<Identity>) {
        if let Some((bucket, _)) = files(&mount.source.value) {
            let access = if mount.reads_alone() { Access::Read } else { Access::Write };
            self.bucket(bucket, identity, Rights::from(access));
        }
    }

    fn bucket(&mut self, bucket: Ref<Bucket>, identity: Ref<Identity>, rights: Rights) {
        let known = self.buckets.entry((bucket, identity));
        known.or_insert_with(|| Want::nothing(rights)).add(self.run, rights);
    }

    fn image(&mut self, plan: Sound<'_>, image: &ImageUse, identity: Ref<Identity>) {
        let push_to = image.noun().and_then(|image| plan.get(image).body.push_to.as_ref());
        let repository = push_to.map(|push_to| registry::of_push(plan, &push_to.value));
        if let Some(repository) = repository {
            self.repository(repository, identity, Rights::Read);
        }
    }

    fn repository(&mut self, key: Repository, identity: Ref<Identity>, rights: Rights) {
        let known = self.repositories.entry((key, identity));
        known.or_insert_with(|| Want::nothing(rights)).add(self.run, rights);
    }

    /// What a blueprint gives by name.
    fn said(&mut self, plan: Sound<'_>, on: Granted, identity: Ref<Identity>, rights: Rights) {
        match on {
            Granted::Bucket(bucket) => self.bucket(bucket, identity, rights),
            Granted::Registry(registry) => {
                let key = registry::of_registry(plan, plan.get(registry));
                self.repository(key, identity, rights);
            }
        }
    }
}

/// The buckets that a text names by their addresses, `gs://NAME/...`.
fn buckets_in(text: &str) -> impl Iterator<Item = &str> {
    let ends = |letter: char| {
        !(letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.".contains(letter))
    };
    let behind = text.split("gs://").skip(1);
    behind.map(move |rest| rest.split(ends).next().unwrap_or_default())
}

fn grant_bucket(root: &mut Root<'_>, bucket: Ref<Bucket>, who: Ref<Identity>, rights: Rights) {
    let planned = root.plan.get(bucket);
    let noun = planned.noun;
    let Some(member) = member(root, who, noun.existing) else { return };
    let label = root.label(bucket);
    let name = if noun.existing {
        if root.first_lookup(bucket.id()) {
            let block = data("google_storage_bucket", &label).attr("name", planned.name());
            root.push(File::Lookups, noun, block);
        }
        format!("data.google_storage_bucket.{label}.name")
    } else {
        // not the name, which a bucket that is replaced keeps: its grants are gone with it, and have to be made again
        format!("google_storage_bucket.{label}.id")
    };
    let block = resource(ON_BUCKET, &format!("{label}_{}", root.label(who)))
        .attr("bucket", Expr::reference(name))
        .attr("role", rights.role())
        .attr("member", member);
    root.push(File::Iam, root.plan.get(who).noun, block);
}

fn grant_repository(
    root: &mut Root<'_>,
    key: &Repository,
    source: &Source<'_>,
    who: Ref<Identity>,
    rights: Rights,
) {
    let Some(member) = member(root, who, source.exists()) else { return };
    let block = resource(ON_REPOSITORY, &format!("{}_{}", source.label, root.label(who)))
        .attr_opt("project", key.project.as_deref())
        .attr("location", root.place(&key.location))
        .attr("repository", source.reference(key))
        .attr("role", rights.role_of_images())
        .attr("member", member);
    root.push(File::Iam, root.plan.get(who).noun, block);
}

/// Secrets are someone else's, so that nobody but who reads them is made here.
fn grant_secrets(root: &mut Root<'_>, identity: Planned<'_, Identity>) {
    let secrets = &identity.body.secrets;
    if secrets.is_empty() {
        return;
    }
    let label = root.label(identity.reference());
    let secrets = secrets.iter().map(|secret| secret.value.as_str());
    let block = resource("google_secret_manager_secret_iam_member", &label)
        .attr("for_each", Expr::call("toset", [Expr::list(secrets)]))
        .gap()
        .attr("project", Expr::reference("var.project_id"))
        .attr("secret_id", Expr::reference("each.value"))
        .attr("role", "roles/secretmanager.secretAccessor")
        .attr("member", Expr::reference(format!("google_service_account.{label}.member")));
    let block = depends_on(block, [AFTER_SERVICES.to_owned()]);
    root.push(File::Iam, identity.noun, block);
}

/// The member for an identity; `None` where neither it nor the other side is made here.
fn member(root: &mut Root<'_>, who: Ref<Identity>, other_exists: bool) -> Option<Expr> {
    let noun = root.plan.get(who).noun;
    let address = match (noun.existing, other_exists) {
        (true, true) => return None,
        (true, false) => identity::look_up(root, who),
        (false, _) => format!("google_service_account.{}", root.label(who)),
    };
    Some(Expr::reference(format!("{address}.member")))
}

/// The bucket that a source has its files in, and what may be done with them there.
fn files(source: &plan::Source) -> Option<(Ref<Bucket>, Access)> {
    match source {
        plan::Source::Bucket { noun, access, .. } => Some((*noun, *access)),
        plan::Source::LocalCheckpoints { noun, .. } => Some((*noun, Access::Write)),
        plan::Source::Share { .. }
        | plan::Source::Scratch { .. }
        | plan::Source::Object { .. }
        | plan::Source::HostPath { .. } => None,
    }
}
