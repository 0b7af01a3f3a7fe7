//! The names of nouns that have one name each.

use crate::catalog::Catalog;
use crate::nouns::{Body, Choice};
use crate::plan::Plan;
use crate::plan::names::{Limit, derived, valid};
use crate::{Model, Noun, NounId};
use slipform_source::Spanned;
use std::collections::BTreeMap;

/// Every noun with a name of its own; workloads and side jobs follow later, since their names depend on their size.
pub(crate) fn names(plan: &Plan) -> BTreeMap<NounId, String> {
    let model = &plan.model;
    model.nouns.iter().filter_map(|noun| name(model, noun).map(|name| (noun.id, name))).collect()
}

fn name(model: &Model, noun: &Noun) -> Option<String> {
    let own = |limit| derived(&model.catalog, limit, &[&noun.name]);
    let chosen = |choice: &Choice<Spanned<String>>, limit| choice.set().map_or_else(|| own(limit), |it| it.value.clone());
    match &noun.body {
        Body::Network(network) => {
            Some(network.name.as_ref().map_or_else(|| own(Limit::Resource), |name| name.value.clone()))
        }
        Body::Bucket(bucket) => Some(match &bucket.name {
            Choice::Set(name) => name.value.clone(),
            Choice::Auto => bucket_name(model, noun),
        }),
        Body::Filesystem(_) => Some(own(Limit::Resource)),
        Body::Registry(registry) => Some(chosen(&registry.name, Limit::Resource)),
        Body::Identity(identity) => Some(match &identity.account {
            Choice::Set(account) => account.value.clone(),
            Choice::Auto => account(&model.catalog, &noun.name),
        }),
        Body::Dashboard(dashboard) => {
            Some(dashboard.title.set().cloned().unwrap_or_else(|| noun.name.clone()))
        }
        Body::GkeCluster(cluster) => Some(chosen(&cluster.name, Limit::GkeCluster)),
        Body::SlurmCluster(cluster) => Some(chosen(&cluster.name, Limit::SlurmCluster)),
        Body::Partition(_) => Some(own(Limit::SlurmPartition)),
        Body::Queue(_) => Some(own(Limit::Namespace)),
        Body::Image(_) => Some(valid(&[&noun.name])),
        Body::VertexCluster(_) => Some(own(Limit::Resource)),
        Body::Pool(_) | Body::Workload(_) | Body::SideJob(_) | Body::Broken { .. } => None,
    }
}

/// Names of buckets are shared by the whole world, so the project stands first.
fn bucket_name(model: &Model, noun: &Noun) -> String {
    match &model.project {
        Some(project) => derived(&model.catalog, Limit::Bucket, &[project, &noun.name]),
        None => derived(&model.catalog, Limit::Bucket, &[&model.name, &noun.name]),
    }
}

/// Accounts have a least length, which short names of nouns do not reach.
fn account(catalog: &Catalog, name: &str) -> String {
    let (least, _) = Limit::ServiceAccount.bounds(catalog);
    match derived(catalog, Limit::ServiceAccount, &[name]) {
        short if short.len() < least => derived(catalog, Limit::ServiceAccount, &[name, "identity"]),
        name => name,
    }
}
