//! The script that prepares a cluster for its workloads, and the page beside it.

use super::chart::DriverValues;
use super::cluster::Made;
use super::context::Context;
use super::deferred::Deferrals;
use super::installer::{Installers, Needed};
use super::kustomize::{Folder, Stream};
use super::queue::Queues;
use super::workers::Worker;
use super::{access, manager, words};
use crate::Output;
use crate::template::Templates;
use serde::Serialize;
use slipform_model::Noun;
use slipform_model::catalog::{Chart, Component};
use slipform_model::nouns::{GkeCluster, Queue};
use slipform_model::plan::Planned;
use std::sync::LazyLock;

const INSTALL: &str = include_str!("templates/install.sh.j2");
const README: &str = include_str!("templates/README.md.j2");

/// Kinds of objects that a later build may no longer ask for, in full, as a cluster that knows them lists them.
const CORE_KINDS: [&str; 2] = ["persistentvolumes", "persistentvolumeclaims"];
/// Those of them that belong to whoever owns the cluster: where it was handed over, its nodes still need them.
const OWNER_KINDS: [&str; 3] =
    ["daemonsets.apps", "networks.networking.gke.io", "gkenetworkparamsets.networking.gke.io"];
/// Those of queues, which whoever owns the queues may still need.
const KUEUE_KINDS: [&str; 10] = [
    "clusterqueues",
    "cohorts",
    "localqueues",
    "resourceflavors",
    "admissionchecks",
    "provisioningrequestconfigs",
    "multikueueconfigs",
    "multikueueclusters",
    "topologies",
    "workloadpriorityclasses",
];

/// What chooses among the pools of a queue's flavor, as GKE lists it.
const COMPUTE_CLASSES: &str = "computeclasses";

/// What the script and the page say.
#[derive(Serialize)]
pub(crate) struct Setup<'s> {
    cluster: &'s str,
    location: &'s str,
    project: Option<&'s str>,
    /// Its control plane is reached by a name that Google resolves.
    dns_endpoint: bool,
    origin: &'s str,
    components: Vec<Installed<'s>>,
    charts: Vec<InstalledChart<'s>>,
    applies: bool,
    deferred: bool,
    /// Namespaces that someone else makes.
    given: Vec<&'s str>,
    /// Namespaces whose JobSets are counted.
    counted: Vec<&'s str>,
    /// Clusters that its queues hand on to, with the secrets that Kueue reaches them by.
    workers: Vec<Worker<'s>>,
    /// What an add-on defines that objects are of, a while after it was turned on.
    awaited: Option<&'s str>,
    /// Kinds of objects that builds ask for.
    kinds: Vec<String>,
    /// Kinds that are named where a build no longer asks for them, and never deleted by kind.
    kept: String,
    /// Objects of other builds of the same blueprint.
    stale: String,
}

/// A component that is installed from the manifest of its release.
#[derive(Serialize)]
pub(crate) struct Installed<'s> {
    name: &'s str,
    version: &'s str,
    pub(crate) manifest: String,
    pub(crate) namespace: &'s str,
    daemon_set: Option<&'s str>,
    configured: Option<Configured>,
}

/// How a component is installed that the blueprint configures.
#[derive(Clone, Copy, Serialize)]
struct Configured {
    /// The folder with its release and what is configured of it.
    folder: &'static str,
    /// The Deployment that is rolled out where that changes.
    manager: &'static str,
}

/// A component that is installed by its Helm chart.
#[derive(Serialize)]
struct InstalledChart<'s> {
    name: &'s str,
    version: &'s str,
    chart: &'s str,
    repository: &'s str,
    namespace: &'s str,
    values: String,
    definitions: &'s [String],
}

impl<'s> Installed<'s> {
    fn of(component: &'s Component, configured: Option<Configured>) -> Option<Self> {
        let manifest = component.manifest.as_deref()?;
        Some(Self {
            name: &component.name,
            version: &component.version,
            manifest: manifest.replace("{version}", &component.version),
            namespace: component.namespace.as_deref().unwrap_or("default"),
            daemon_set: component.daemon_set.as_deref(),
            configured,
        })
    }
}

impl<'s> InstalledChart<'s> {
    fn of(component: &'s Component) -> Option<Self> {
        let Chart { repository, name } = component.chart.as_ref()?;
        Some(Self {
            name: &component.name,
            version: &component.version,
            chart: name,
            repository,
            namespace: component.namespace.as_deref().unwrap_or("default"),
            values: values_file(component),
            definitions: &component.definitions,
        })
    }
}

/// The file with the values of a component's chart.
fn values_file(component: &Component) -> String {
    format!("{}.values.yaml", component.name)
}

/// The kinds of objects that are this blueprint's alone: not those that were handed over with the cluster or its queues.
fn kinds(cx: &Context<'_>, cluster: &Noun) -> Vec<String> {
    let of_owner = OWNER_KINDS.iter().filter(|_| !cluster.existing);
    let core = of_owner.chain(&CORE_KINDS).map(|kind| (*kind).to_owned());
    let of_queues = (!is_handed_over(cx, cluster)).then(|| queue_kinds(cx));
    let checkpoints = cx.facts.checkpointing.resource.clone();
    let of_teams = access::KINDS.iter().filter(|_| !cluster.existing).map(|it| (*it).to_owned());
    let all = core.chain([checkpoints]).chain(of_queues.into_iter().flatten());
    all.chain(of_teams).collect()
}

/// The kinds of objects that are named where they are no longer asked for, but with no command that takes them away.
fn kept(cx: &Context<'_>, cluster: &Noun) -> String {
    let accounts = ["serviceaccounts".to_owned()];
    let namespaces = (!cluster.existing).then(|| "namespaces".to_owned());
    let queues = is_handed_over(cx, cluster).then(|| queue_kinds(cx));
    let queues = queues.into_iter().flatten();
    namespaces.into_iter().chain(accounts).chain(queues).collect::<Vec<_>>().join(",")
}

/// Namespaces that someone else makes in a cluster that is made here.
fn given<'s>(cluster: &Noun, body: &'s GkeCluster) -> Vec<&'s str> {
    let teams = body.teams.iter().filter(|(_, team)| !cluster.existing && !team.is_made());
    teams.map(|(namespace, _)| namespace.as_str()).collect()
}

/// Namespaces that may hold so many JobSets at most.
fn counted<'s>(cluster: &Noun, body: &'s GkeCluster) -> Vec<&'s str> {
    let teams = body.teams.iter().filter(|(_, team)| !cluster.existing && team.counts_runs());
    teams.map(|(namespace, _)| namespace.as_str()).collect()
}

/// Whether a queue of the cluster is someone else's, as those of an earlier build may have become.
fn is_handed_over(cx: &Context<'_>, cluster: &Noun) -> bool {
    cx.plan.inside::<Queue>(cluster.id).any(|queue| !queue.is_made())
}

fn queue_kinds(cx: &Context<'_>) -> impl Iterator<Item = String> {
    let group = |api: &str| api.split('/').next().unwrap_or_default().to_owned();
    let (kueue, gke) = (group(&cx.kueue.api), group(&cx.facts.apis.compute_class));
    let classes = format!("{COMPUTE_CLASSES}.{gke}");
    KUEUE_KINDS.iter().map(move |kind| format!("{kind}.{kueue}")).chain([classes])
}

impl<'s> Setup<'s> {
    pub(crate) fn of(
        cx: &Context<'s>,
        cluster: Planned<'s, GkeCluster>,
        queues: &Queues<'_, 's>,
        installers: &Installers<'s>,
        made: &Made,
        applies: bool,
        deferrals: &Deferrals,
    ) -> Self {
        let Planned { noun, body, plan, .. } = cluster;
        let jobset = (!noun.existing).then_some((cx.jobset, None));
        let configured = Configured { folder: manager::FOLDER, manager: words::KUEUE_MANAGER };
        let configured = queues.is_configured().then_some(configured);
        let kueue = queues.installs_kueue(noun).then_some((queues.kueue, configured));
        let needed = || installers.components.iter().map(|needed| needed.component);
        let components = jobset.into_iter().chain(kueue).chain(needed().map(|it| (it, None)));
        let components = components.filter_map(|(it, configured)| Installed::of(it, configured));
        Self {
            cluster: &plan.name,
            location: &plan.location,
            project: cx.plan.other_project(noun.id).or(cx.plan.project()),
            dns_endpoint: plan.dns_endpoint,
            origin: &noun.origin,
            components: components.collect(),
            charts: needed().filter_map(InstalledChart::of).collect(),
            applies,
            deferred: !deferrals.is_empty(),
            given: given(noun, body),
            counted: counted(noun, body),
            workers: queues.workers(),
            awaited: (!plan.checkpoints.is_empty())
                .then_some(cx.facts.checkpointing.resource.as_str()),
            kinds: kinds(cx, noun),
            kept: kept(cx, noun),
            stale: format!(
                "{}={},{}!={}",
                words::PART_OF,
                made.part_of,
                words::REVISION,
                made.revision
            ),
        }
    }

    /// What is installed with a configuration of the blueprint's own.
    pub(crate) fn configured(&self) -> Option<&Installed<'s>> {
        self.components.iter().find(|it| it.configured.is_some())
    }

    /// Writes the script, the page and the values of charts.
    pub(crate) fn write(
        &self,
        cx: &Context<'_>,
        installers: &Installers<'_>,
        noun: &Noun,
        folder: &Folder,
        out: &mut Output,
    ) {
        static TEMPLATES: LazyLock<Templates> =
            LazyLock::new(|| Templates::new(&[("install.sh", INSTALL), ("README.md", README)]));
        for needed in installers.components.iter().filter(|it| it.component.chart.is_some()) {
            let Needed { component, .. } = needed;
            let mut stream = Stream::default();
            stream.add(&noun.origin, &DriverValues::of(cx.facts, needed));
            out.file(folder.path.join(values_file(component)), stream.take(), folder.nouns());
        }
        if let Some(text) = TEMPLATES.fill(out, noun, "install.sh", self) {
            out.program(folder.path.join("install.sh"), text, folder.nouns());
        }
        if let Some(text) = TEMPLATES.fill(out, noun, "README.md", self) {
            out.file(folder.path.join("README.md"), text, folder.nouns());
        }
    }
}
