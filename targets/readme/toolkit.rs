//! Slurm clusters that Cluster Toolkit makes: what their deployments are told, and how they are reached.

use crate::Stage;
use crate::toolkit::{addresses, image};
use serde::Serialize;
use slipform_model::nouns::{SlurmCluster, SlurmLogin};
use slipform_model::plan::{Planned, Sound};

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
    /// Something is mounted where people have their folders.
    home: bool,
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
            tunnel: !*public || (network.is_made() && network.body.ssh),
            accounts: cluster.body.protects_accounts(),
            image: cluster.body.image.is_some() && built.is_none(),
            built,
            group: image::GROUP,
            home: cloud.mounts.iter().any(|(path, _)| path == "/home"),
        })
    }

    /// An image is built with it.
    pub(super) fn builds(&self) -> bool {
        self.built.is_some()
    }
}
