//! GKE clusters that are there already: what their workloads take for granted.

use crate::{Stage, terraform};
use serde::Serialize;
use slipform_model::catalog::{Catalog, Component, Prerequisite};
use slipform_model::nouns::{GkeCluster, ImageUse, Pool, Queue, Workload};
use slipform_model::plan::{ClusterPlan, GkeSite, Planned, PoolPlan, Run, Sound};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster that someone else keeps, and that workloads run on.
#[derive(Serialize)]
pub(super) struct Existing<'a> {
    /// What it is told by among all clusters.
    title: String,
    /// The project that it is of.
    project: Option<&'a str>,
    /// What its owner installed: a name, the API that is written for, and the version that this was.
    components: Vec<Installed<'a>>,
    /// Drivers of storage by the names that `gcloud container clusters update --update-addons` knows.
    addons: Vec<&'static str>,
    namespaces: &'a [String],
    /// Queues in namespaces that someone else keeps.
    queues: BTreeSet<(&'a str, &'a str)>,
    /// Their priorities that workloads have.
    priorities: BTreeSet<&'a str>,
    /// Pods act as identities.
    identities: bool,
    /// What nodes pull images from, and nothing here lets them read.
    images: BTreeSet<&'a str>,
    /// What prepares nodes for their fabric, by the names that it has in clusters that are made here.
    installers: BTreeSet<&'a str>,
    /// Labels of nodes by the pool that workloads ask for.
    pools: BTreeMap<&'a str, &'a BTreeMap<String, String>>,
    /// Classes of devices that pods claim, by the API of their claims, with the oldest GKE that has them where that is known.
    claims: BTreeSet<(&'a str, &'a str, Option<&'a str>)>,
    /// Objects of data networks, in the order of the interfaces.
    networks: Vec<&'a str>,
    /// Files on nodes that the plugins of their fabric are there with.
    plugins: BTreeSet<String>,
    /// Who pods act as, where that identity is someone else's too.
    acting: Vec<Acting>,
}

#[derive(Serialize)]
struct Installed<'a> {
    name: &'a str,
    api: &'a str,
    version: &'a str,
}

/// A Kubernetes account that acts as an identity.
#[derive(Serialize)]
struct Acting {
    identity: String,
    /// The project that the identity is of.
    project: Option<String>,
    member: String,
}

/// The existing clusters that some workload runs on.
pub(super) fn existing(plan: Sound<'_>) -> Vec<Existing<'_>> {
    let clusters = plan.all::<GkeCluster>().filter(|cluster| !cluster.is_made());
    clusters.filter_map(|cluster| Existing::of(plan, cluster)).collect()
}

impl<'a> Existing<'a> {
    fn of(plan: Sound<'a>, planned: Planned<'a, GkeCluster>) -> Option<Self> {
        let cluster = planned.plan;
        let here = |run: &'a Run| {
            let own = run.gke().filter(|own| own.cluster == planned.reference());
            own.map(|own| (run, own))
        };
        let runs = plan.all::<Workload>().filter_map(|workload| here(workload.plan));
        let runs: Vec<(&Run, &GkeSite)> = runs.collect();
        if runs.is_empty() {
            return None;
        }
        let project = plan.other_project(planned.noun.id).or(plan.project());
        let mut site = Self {
            title: Stage::title(plan, planned),
            components: Vec::new(),
            addons: addons(cluster),
            namespaces: &cluster.namespaces,
            queues: BTreeSet::new(),
            priorities: BTreeSet::new(),
            identities: !cluster.accounts.is_empty(),
            images: unread(plan, planned, &runs),
            installers: BTreeSet::new(),
            pools: BTreeMap::new(),
            claims: BTreeSet::new(),
            networks: Vec::new(),
            plugins: BTreeSet::new(),
            acting: acting(plan, cluster, project),
            project,
        };
        let catalog = plan.catalog();
        let mut needed = vec![catalog.prerequisite(Prerequisite::Jobset)];
        for (run, own) in runs {
            if let Some(queue) = own.queue.map(|queue| plan.get(queue)) {
                site.queues.extend(local(queue, own));
                site.priorities.extend(own.priority.as_deref().filter(|_| !queue.is_made()));
                needed.push(catalog.prerequisite(Prerequisite::Kueue));
            }
            for gang in run.gangs() {
                let pool = plan.pool_of(gang);
                site.pool(pool);
                if gang.fabric {
                    needed.extend(site.fabric(catalog, pool.plan));
                }
            }
        }
        let declared = plan.inside::<Queue>(planned.noun.id).filter(Planned::is_made);
        needed.extend(declared.map(|_| catalog.prerequisite(Prerequisite::Kueue)));
        let mut seen = BTreeSet::new();
        needed.retain(|component| seen.insert(&component.name));
        site.components = needed.into_iter().map(Installed::of).collect();
        Some(site)
    }

    fn pool(&mut self, pool: Planned<'a, Pool>) {
        self.pools.insert(&pool.noun.outside.name, &pool.plan.selector);
    }

    /// Adds what the fabric of a pool needs, and gives the components that it is made of.
    fn fabric(
        &mut self,
        catalog: &'a Catalog,
        pool: &'a PoolPlan,
    ) -> impl Iterator<Item = &'a Component> {
        for network in &pool.data_networks {
            if !self.networks.contains(&network.object.as_str()) {
                self.networks.push(&network.object);
            }
        }
        let gke = pool.stack.as_ref().and_then(|stack| stack.gke.as_ref());
        let least = pool.machine.gke.dranet_min.as_deref();
        let claims = gke.into_iter().flat_map(|gke| &gke.claims);
        let classes = claims.filter_map(|it| Some((it.device_class.as_deref()?, &*it.api, least)));
        self.claims.extend(classes);
        let plugin = gke.and_then(|gke| gke.on_node(gke.installed.as_deref()?));
        self.plugins.extend(plugin);
        let installers = gke.into_iter().flat_map(|gke| &gke.installers);
        self.installers.extend(installers.map(|it| it.name.as_str()));
        gke.into_iter().flat_map(|gke| catalog.components(gke))
    }
}

/// The repositories of Google that a cluster's runs have images of which are built here, or lie in another project than its own, and
/// that nothing here lets its nodes read.
fn unread<'a>(
    plan: Sound<'a>,
    cluster: Planned<'a, GkeCluster>,
    runs: &[(&'a Run, &'a GkeSite)],
) -> BTreeSet<&'a str> {
    let own = plan.other_project(cluster.noun.id).or(plan.project());
    let images = runs.iter().flat_map(|(run, _)| run.gangs()).flat_map(|gang| {
        let beside = gang.program.sidecars.iter().map(|sidecar| &sidecar.image);
        std::iter::once(&gang.program.image).chain(beside)
    });
    let asked = images.filter_map(|image| {
        let repository = repository(plan.reference(image))?;
        let is_others = || repository.split('/').nth(1) != own;
        let is_asked = matches!(image, ImageUse::Image(_)) || is_others();
        (is_asked && !terraform::is_read(plan, cluster, image)).then_some(repository)
    });
    asked.collect()
}

/// `us-docker.pkg.dev/acme-images/base` of `us-docker.pkg.dev/acme-images/base/nemo:v1`.
fn repository(image: &str) -> Option<&str> {
    let of_google = image.split('/').next()?.ends_with("-docker.pkg.dev");
    let end = image.match_indices('/').nth(2).filter(|_| of_google)?.0;
    image.get(..end)
}

impl<'a> Installed<'a> {
    fn of(component: &'a Component) -> Self {
        Self { name: &component.name, api: &component.api, version: &component.version }
    }
}

/// The queue that a workload waits in, where someone else keeps it.
fn local<'a>(queue: Planned<'a, Queue>, site: &'a GkeSite) -> Option<(&'a str, &'a str)> {
    (!queue.is_made()).then_some((site.namespace.as_str(), queue.plan.local_in(&site.namespace)))
}

fn addons(cluster: &ClusterPlan) -> Vec<&'static str> {
    let wanted = [
        (cluster.gcsfuse, "GcsFuseCsiDriver"),
        (cluster.filestore, "GcpFilestoreCsiDriver"),
        (cluster.lustre, "LustreCsiDriver"),
        (!cluster.checkpoints.is_empty(), "HighScaleCheckpointing"),
    ];
    wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| name).collect()
}

/// The bindings that nobody makes here: those of identities that someone else keeps too.
fn acting(plan: Sound<'_>, cluster: &ClusterPlan, project: Option<&str>) -> Vec<Acting> {
    let Some(project) = project else { return Vec::new() };
    let existing = |identity| !plan.get(identity).is_made();
    let accounts = cluster.accounts.iter().filter(|(.., identity)| existing(*identity));
    let acting = accounts.filter_map(|(namespace, account, identity)| {
        Some(Acting {
            identity: plan.email(*identity)?,
            project: plan.other_project(*identity).or(plan.project()).map(str::to_owned),
            member: format!("serviceAccount:{project}.svc.id.goog[{namespace}/{account}]"),
        })
    });
    acting.collect()
}

/// A namespace that someone else makes in a cluster that is made here.
#[derive(Serialize)]
pub(super) struct Given<'a> {
    name: &'a str,
    /// Labels by which queues know it: `team=vision`.
    labels: BTreeSet<String>,
}

/// Those of a cluster.
pub(super) fn given<'a>(plan: Sound<'a>, cluster: Planned<'a, GkeCluster>) -> Vec<Given<'a>> {
    let teams = cluster.body.teams.iter();
    let others = teams.filter(|(_, team)| cluster.is_made() && !team.is_made());
    let labels = |name: &str| {
        let queues = plan.inside::<Queue>(cluster.noun.id).filter(Planned::is_made);
        let serving = queues.filter(|it| it.body.namespaces.iter().any(|own| own.value == name));
        let labels = serving.filter_map(|it| it.body.open_to.as_ref()).flatten();
        labels.map(|(key, value)| format!("{key}={value}")).collect()
    };
    others.map(|(name, _)| Given { name, labels: labels(name) }).collect()
}
