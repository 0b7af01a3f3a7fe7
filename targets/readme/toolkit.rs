//! Slurm clusters that Cluster Toolkit makes: what their deployments are told, and how they are reached.

use crate::toolkit::{self, addresses, image};
use crate::{Stage, shell};
use serde::Serialize;
use slipform_model::nouns::{BootImage, Partition, SlurmCluster, SlurmController, SlurmLogin};
use slipform_model::plan::{Boot, Planned, Server, Sound, Source};

/// A deployment.
#[derive(Serialize)]
pub(super) struct Deployment<'a> {
    name: &'a str,
    folder: String,
    zone: &'a str,
    shared: &'a str,
    /// Values that only another root knows.
    values: Vec<Value<'a>>,
    /// People submit from machines of its own.
    login: bool,
    /// Those are reached through Identity-Aware Proxy.
    tunnel: bool,
    /// It has a database of Cloud SQL, which Terraform refuses to destroy, or not.
    accounts: Option<bool>,
    /// Its machines start from an image that is there before.
    image: bool,
    /// The family of images that is built with it.
    built: Option<&'a str>,
    /// The group that builds them.
    group: &'static str,
    /// Who nobody has named acts as Compute Engine's default account: what that may do then.
    unnamed: Vec<&'a str>,
    /// Where its hosts mount Lustre, whose client is in their image.
    lustre: Vec<&'a str>,
    /// The family whose newest image each deployment looks up, where it is built elsewhere.
    family: Option<&'a str>,
    /// Something is mounted where people have their folders.
    home: bool,
    /// What the host that people come to has mounted before anything is written there.
    awaited: Vec<&'a str>,
    /// How a shell there waits for that; nothing where nothing is awaited.
    waits: String,
    /// What that host is in the cluster.
    role: &'static str,
    /// Its controller is reached through Identity-Aware Proxy.
    to_controller: bool,
    /// It has a second one.
    standby: bool,
    /// Something is mounted where the controller would share its own programs.
    apps: bool,
    /// What has its controller fetch the scripts for the network of its nodes, where these need any.
    network: Option<&'a str>,
}

/// A variable, and the output of a root that it is.
#[derive(Serialize)]
struct Value<'a> {
    name: &'a str,
    root: String,
}

impl<'a> Deployment<'a> {
    pub(super) fn of(
        plan: Sound<'a>,
        cluster: Planned<'a, SlurmCluster>,
        folder: String,
    ) -> Option<Self> {
        let built = image::of_cluster(plan, cluster).map(|image| image.name());
        let cloud = cluster.plan.cloud.as_ref()?;
        let network = plan.get(cloud.network);
        let SlurmLogin::Login { count, public, .. } = &cluster.body.login;
        let SlurmController::Controller { public: of_controller, standby, .. } =
            &cluster.body.controller.value;
        let is_public = if *count > 0 { *public } else { *of_controller };
        let awaited = awaited(cluster, &cloud.mounts, *count > 0);
        let values = addresses(cluster).into_iter().map(|later| Value {
            name: &later.output,
            root: Stage::from(&later.root).folder().into_string(),
        });
        Some(Self {
            name: cluster.name(),
            folder,
            zone: &cloud.zone,
            shared: cluster.body.shared.trim_end_matches('/'),
            values: values.collect(),
            login: *count > 0,
            tunnel: !is_public || (network.is_made() && network.body.ssh),
            accounts: cluster.body.protects_accounts(),
            image: cluster.body.image.is_some() && built.is_none(),
            built,
            group: image::GROUP,
            unnamed: unnamed(plan, cluster),
            lustre: cloud
                .mounts
                .iter()
                .filter(|(_, source)| {
                    matches!(source, Source::Share { server: Server::Lustre { .. }, .. })
                })
                .map(|(path, _)| path.as_str())
                .collect(),
            family: family(plan, cluster).filter(|_| built.is_none()),
            home: cloud.mounts.iter().any(|(path, _)| path == HOME),
            waits: waits(&awaited),
            awaited,
            role: if *count > 0 { "login" } else { "controller" },
            to_controller: !*of_controller || (network.is_made() && network.body.ssh),
            standby: standby.is_some(),
            apps: cloud.mounts.iter().any(|(path, _)| path == APPS),
            network: toolkit::runs_around_jobs(plan, cluster)
                .then(|| plan.catalog().slurm().controller_start.as_str()),
        })
    }

    /// An image is built with it.
    pub(super) fn builds(&self) -> bool {
        self.built.is_some()
    }
}

/// Where the controller shares programs, if nothing else is mounted there.
const APPS: &str = "/opt/apps";
/// Where people have their folders.
const HOME: &str = "/home";

/// What hosts without an identity of the blueprint have to be allowed, where some have none.
fn unnamed<'a>(plan: Sound<'a>, cluster: Planned<'a, SlurmCluster>) -> Vec<&'a str> {
    let facts = plan.catalog().slurm();
    let SlurmController::Controller { identity, .. } = &cluster.body.controller.value;
    let mut partitions = plan.inside::<Partition>(cluster.noun.id);
    let tpus = partitions.any(|it| it.plan.machine.tpu.is_some());
    let of_tpus = facts.tpu_roles.iter().filter(|_| tpus);
    match (identity, &cluster.body.node_identity) {
        (None, _) => facts.controller_roles.iter().chain(of_tpus).map(String::as_str).collect(),
        (Some(_), None) => facts.node_roles.iter().map(String::as_str).collect(),
        (Some(_), Some(_)) => Vec::new(),
    }
}

/// The family that images are looked up by; none of one image by its name.
fn family<'a>(plan: Sound<'a>, cluster: Planned<'a, SlurmCluster>) -> Option<&'a str> {
    let Some(image) = &cluster.body.image else {
        return Some(&plan.catalog().slurm().image_family);
    };
    match &image.value {
        BootImage::ExactImage { .. } => None,
        family @ BootImage::ImageFamily { .. } => match plan.boot(family) {
            Boot::Family(name) | Boot::Image(name) => Some(name),
        },
    }
}

/// Folders that a host mounts minutes after it is there: homes, of whatever shares them, and what the cluster's `shared` lies in.
fn awaited<'a>(
    cluster: Planned<'a, SlurmCluster>,
    mounts: &'a [(String, Source)],
    is_login: bool,
) -> Vec<&'a str> {
    let paths = mounts.iter().map(|(path, _)| path.as_str());
    let shared = std::path::Path::new(&cluster.body.shared);
    let homes = is_login || paths.clone().any(|path| path == HOME);
    let of_shared = paths.filter(|path| *path != HOME && shared.starts_with(path));
    homes.then_some(HOME).into_iter().chain(of_shared).collect()
}

/// A shell's words that end once something is mounted at each of some folders.
fn waits(folders: &[&str]) -> String {
    let wait = |folder: &&str| {
        format!("until mountpoint --quiet {}; do sleep 10; done", shell::quote(folder))
    };
    folders.iter().map(wait).collect::<Vec<_>>().join("; ")
}
