//! Repositories of images: the registries of a blueprint, and those that images name on the spot.

use super::labels::snake;
use super::outputs::OutputBlock;
use super::patch;
use super::root::{File, Root, depends_on, description, resource, string_map};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr, Part};
use indexmap::IndexMap;
use slipform_model::nouns::{GkeCluster, Image, ImageUse, PushTo, Registry, Workload};
use slipform_model::plan::{Planned, Run, Sound};
use slipform_model::{Noun, NounId};

/// A repository: its region and its name, and the project, where that is another one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Repository {
    pub(super) project: Option<String>,
    pub(super) location: String,
    pub(super) name: String,
}

/// Who makes a repository.
#[derive(Clone, Debug)]
pub(super) struct Source<'m> {
    /// The label of its block.
    pub(super) label: String,
    /// The noun that asked for it first.
    pub(super) noun: &'m Noun,
    /// The registry that says more of it; none for a repository named on the spot.
    pub(super) registry: Option<&'m Registry>,
}

impl Source<'_> {
    /// Whether someone else made it.
    pub(super) fn exists(&self) -> bool {
        self.registry.is_some() && self.noun.existing
    }

    /// How others refer to it.
    pub(super) fn reference(&self, repository: &Repository) -> Expr {
        if self.exists() {
            return Expr::from(&repository.name);
        }
        Expr::reference(format!("google_artifact_registry_repository.{}.name", self.label))
    }
}

/// Every repository that a blueprint knows, each once: registries first.
pub(super) fn repositories<'m>(
    plan: Sound<'m>,
    label: impl Fn(NounId) -> String,
) -> IndexMap<Repository, Source<'m>> {
    let mut all: IndexMap<Repository, Source<'m>> = IndexMap::new();
    for registry in plan.all::<Registry>() {
        let Planned { noun, body, .. } = registry;
        let source = Source { label: label(noun.id), noun, registry: Some(body) };
        all.entry(of_registry(plan, registry)).or_insert(source);
    }
    for Planned { noun, body: image, .. } in plan.all::<Image>() {
        if let Some(PushTo::Registry { location, repository }) =
            image.push_to.as_ref().map(|it| &it.value)
        {
            let key = own(location, repository);
            if all.contains_key(&key) {
                continue;
            }
            let short = snake(repository);
            let taken = all.values().any(|source| source.label == short);
            let label = if taken { format!("{short}_{}", snake(location)) } else { short };
            all.insert(key, Source { label, noun, registry: None });
        }
    }
    all
}

/// The repository that an image is pushed to.
pub(super) fn of_push(plan: Sound<'_>, push_to: &PushTo) -> Repository {
    match push_to {
        PushTo::Noun(registry) => of_registry(plan, plan.get(*registry)),
        PushTo::Registry { location, repository } => own(location, repository),
    }
}

/// One of the blueprint's own project.
pub(super) fn own(location: &str, name: &str) -> Repository {
    Repository { project: None, location: location.to_owned(), name: name.to_owned() }
}

pub(super) fn of_registry(plan: Sound<'_>, registry: Planned<'_, Registry>) -> Repository {
    let project = plan.other_project(registry.noun.id).map(str::to_owned);
    Repository { project, ..own(&registry.body.location.value, registry.name()) }
}

/// The registries of other projects than a cluster's that its nodes pull images of runs from: those of its own they read by themselves.
pub(super) fn pulled_abroad<'p>(
    plan: Sound<'p>,
    cluster: Planned<'p, GkeCluster>,
) -> Vec<Planned<'p, Registry>> {
    let images: Vec<&str> = images(plan, cluster).map(|image| plan.reference(image)).collect();
    let registries = plan.all::<Registry>().filter(|it| is_abroad(plan, *it, cluster));
    registries.filter(|it| images.iter().any(|image| holds(plan, *it, image))).collect()
}

/// The repositories that images name on the spot, which are made here, and nodes of a cluster of another project pull from.
pub(super) fn pushed_abroad(plan: Sound<'_>, cluster: Planned<'_, GkeCluster>) -> Vec<Repository> {
    if plan.other_project(cluster.noun.id).is_none() {
        return Vec::new();
    }
    let built = images(plan, cluster).filter_map(ImageUse::noun);
    let pushed = built.filter_map(|image| plan.get(image).body.push_to.as_ref());
    let named = pushed.filter_map(|push_to| match &push_to.value {
        PushTo::Registry { location, repository } => Some(own(location, repository)),
        PushTo::Noun(_) => None,
    });
    named.collect()
}

/// The images of all that runs in a cluster.
fn images<'p>(
    plan: Sound<'p>,
    cluster: Planned<'p, GkeCluster>,
) -> impl Iterator<Item = &'p ImageUse> {
    let here = move |run: &&Run| run.gke().is_some_and(|it| it.cluster == cluster.reference());
    let runs = plan.all::<Workload>().map(|it| it.plan).filter(here);
    runs.flat_map(Run::gangs).flat_map(|gang| {
        let beside = gang.program.sidecars.iter().map(|sidecar| &sidecar.image);
        std::iter::once(&gang.program.image).chain(beside)
    })
}

/// Whether nodes of an existing cluster may read an image by what is given here.
pub(super) fn is_read(plan: Sound<'_>, cluster: Planned<'_, GkeCluster>, image: &ImageUse) -> bool {
    let Some(nodes) = cluster.body.node_identity else { return false };
    let made = plan.get(nodes.value).is_made();
    let reference = plan.reference(image);
    let mut known = plan.all::<Registry>().filter(|it| holds(plan, *it, reference));
    let is_given = |it: Planned<'_, Registry>| match is_abroad(plan, it, cluster) {
        true => made || it.is_made(),
        // of its own project by the role on that
        false => made && plan.other_project(cluster.noun.id).is_none(),
    };
    let on_the_spot = || {
        let push_to = image.noun().and_then(|it| plan.get(it).body.push_to.as_ref());
        let push_to = push_to.filter(|it| matches!(it.value, PushTo::Registry { .. }));
        push_to.is_some() && (made || plan.other_project(cluster.noun.id).is_some())
    };
    known.any(is_given) || on_the_spot()
}

/// Whether a registry is of another project than a cluster.
fn is_abroad(
    plan: Sound<'_>,
    registry: Planned<'_, Registry>,
    cluster: Planned<'_, GkeCluster>,
) -> bool {
    plan.other_project(registry.noun.id) != plan.other_project(cluster.noun.id)
}

/// Whether an image lies in a registry.
fn holds(plan: Sound<'_>, registry: Planned<'_, Registry>, image: &str) -> bool {
    let owner = plan.other_project(registry.noun.id).or(plan.project());
    let Some(project) = owner else { return false };
    let (location, name) = (&registry.body.location.value, registry.name());
    image.starts_with(&format!("{location}-docker.pkg.dev/{project}/{name}/"))
}

/// Whether an image lies in a registry of another project that the blueprint knows.
pub(super) fn is_known_abroad(plan: Sound<'_>, image: &str) -> bool {
    let mut abroad = plan.all::<Registry>().filter(|it| plan.other_project(it.noun.id).is_some());
    abroad.any(|it| holds(plan, it, image))
}

/// The repositories that are made here.
pub(super) fn render(root: &mut Root<'_>) {
    let all = repositories(root.plan, |id| root.labels.of(id).to_owned());
    for (repository, source) in &all {
        if source.exists() {
            continue;
        }
        let block = block(root, repository, source);
        let block = match source.registry {
            Some(_) => patch::apply(root, source.noun, "registry", block),
            None => block,
        };
        root.push(File::Registry, source.noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
        output(root, source, repository);
    }
}

fn block(root: &Root<'_>, repository: &Repository, source: &Source<'_>) -> Block {
    let about = source.registry.and_then(|_| description(source.noun));
    let labels = source.registry.and_then(|registry| string_map(&registry.labels));
    let key = source.registry.and_then(|registry| registry.encryption_key.as_ref());
    let key = key.map(|key| key.value.as_str());
    let cleanup = source.registry.map(|registry| cleanup(registry.keep));
    resource("google_artifact_registry_repository", &source.label)
        .attr("repository_id", &repository.name)
        .attr_opt("description", about)
        .attr("location", root.place(&repository.location))
        .attr("format", "DOCKER")
        .attr_opt("kms_key_name", key)
        .attr_opt("labels", labels)
        .blocks(cleanup.into_iter().flatten())
}

/// A policy of ours, a month: a run may pull the image that it began with again that late.
const KEPT_WITHOUT_TAG: &str = "2592000s";

/// What is kept takes precedence over what is deleted; alone, a policy that keeps does nothing. Whoever runs an image
/// names its tag, so what has one stays.
fn cleanup(keep: i64) -> [Block; 2] {
    let old =
        Block::of("condition").attr("tag_state", "UNTAGGED").attr("older_than", KEPT_WITHOUT_TAG);
    [
        Block::of("cleanup_policies")
            .attr("id", "delete-old-untagged-versions")
            .attr("action", "DELETE")
            .block(old),
        Block::of("cleanup_policies")
            .attr("id", "keep-recent-versions")
            .attr("action", "KEEP")
            .block(Block::of("most_recent_versions").attr("keep_count", keep)),
    ]
}

fn output(root: &mut Root<'_>, source: &Source<'_>, repository: &Repository) {
    let id = Expr::reference(format!(
        "google_artifact_registry_repository.{}.repository_id",
        source.label
    ));
    let url = Expr::template([
        Part::from(root.place(&repository.location)),
        Part::from("-docker.pkg.dev/"),
        Part::from(Expr::reference("var.project_id")),
        Part::from("/"),
        Part::from(id),
    ]);
    let text = format!("What the names of images in {} start with.", repository.name);
    let output = match source.registry {
        Some(_) => OutputBlock::of(root.plan, source.noun, "url", text, url),
        None => {
            OutputBlock::named(source.noun, format!("registry_{}_url", source.label), text, url)
        }
    };
    root.output(output);
}
