//! What follows from a noun and its project alone: other fields of the blueprint may rest on it before the whole is known.

use super::Plan;
use super::derive::{account_address, own_name, repository_url};
use super::facts;
use crate::catalog::Catalog;
use crate::nouns::Body;
use crate::{Model, Noun, NounId, Value};

/// A noun by itself.
#[derive(Clone, Copy, Debug)]
pub struct Alone<'a> {
    /// Its own name.
    pub name: &'a str,
    /// What it says.
    pub body: &'a Body,
    /// The project of everything that is made.
    pub project: Option<&'a str>,
    /// The name of the blueprint.
    pub blueprint: &'a str,
    /// What stands before its name in the cloud, where it is made there and the blueprint says none.
    pub prefix: Option<&'a str>,
    /// The facts of the world.
    pub catalog: &'a Catalog,
}

impl<'a> Alone<'a> {
    pub(crate) fn new(model: &'a Model, noun: &'a Noun) -> Self {
        Self {
            name: &noun.outside.name,
            body: &noun.body,
            project: model.project.as_deref(),
            blueprint: &model.name,
            prefix: model.prefix.as_deref().filter(|_| !noun.existing),
            catalog: &model.catalog,
        }
    }

    pub(super) fn of(plan: &'a Plan, id: NounId) -> Option<Self> {
        Some(Self::new(&plan.model, plan.model.get(id)?))
    }

    /// The value of one of its derived fields; `None` where it does not follow, or not from the noun alone.
    pub fn fact(&self, name: &str) -> Option<Value> {
        facts::of_kind(self.body)?.facts().find(|fact| fact.name() == name)?.alone(self)
    }

    /// `gs://NAME` of a bucket.
    pub(super) fn bucket_url(&self) -> Option<String> {
        Some(format!("gs://{}", own_name(self)?))
    }

    /// `LOCATION-docker.pkg.dev/PROJECT/NAME` of a registry.
    pub(super) fn registry_url(&self) -> Option<String> {
        let Body::Registry(registry) = self.body else { return None };
        Some(repository_url(self.owner(), &registry.location, &own_name(self)?))
    }

    /// The address of an identity's service account; none without a project.
    pub(super) fn email(&self) -> Option<String> {
        let Body::Identity(_) = self.body else { return None };
        account_address(self.owner(), &own_name(self)?)
    }

    /// The project that it is of: what exists may be of another one than all that is made.
    pub(super) fn owner(&self) -> Option<&'a str> {
        let said = match self.body {
            Body::Network(it) => &it.project,
            Body::Registry(it) => &it.project,
            Body::Identity(it) => &it.project,
            Body::Reservation(it) => &it.project,
            Body::GkeCluster(it) => &it.project,
            Body::Bucket(_)
            | Body::Filesystem(_)
            | Body::Dashboard(_)
            | Body::Image(_)
            | Body::MachineImage(_)
            | Body::SlurmCluster(_)
            | Body::VertexCluster(_)
            | Body::Pool(_)
            | Body::Partition(_)
            | Body::Machines(_)
            | Body::Queue(_)
            | Body::Workload(_)
            | Body::Group(_)
            | Body::Broken { .. } => &None,
        };
        said.as_ref().map(|it| it.value.as_str()).or(self.project)
    }
}
