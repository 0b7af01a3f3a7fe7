//! The names of nouns that have one name each.

use crate::nouns::{Body, Choice};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{Alone, Plan, Site};
use crate::{Noun, NounId};
use slipform_source::Spanned;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Every noun with a name of its own; workloads and groups follow later, since their names depend on their size.
pub(crate) fn names(plan: &Plan) -> BTreeMap<NounId, String> {
    let model = &plan.model;
    let named = |noun| name(&Alone::new(model, noun)).map(|name| (noun.id, name));
    model.nouns.iter().filter_map(named).collect()
}

/// The address of a service account; none without a project.
pub(crate) fn account_address(project: Option<&str>, account: &str) -> Option<String> {
    project.map(|project| format!("{account}@{project}.iam.gserviceaccount.com"))
}

/// What a noun is called where it is made, as far as that follows from itself.
pub(crate) fn name(noun: &Alone<'_>) -> Option<String> {
    let own = |limit| derived(noun.catalog, limit, &[noun.name]);
    // of what others in the project may call so, too
    let apart = |limit| derived(noun.catalog, limit, &prefixed(noun));
    let chosen = |choice: &Choice<Spanned<String>>, limit| {
        choice.set().map_or_else(|| apart(limit), |it| it.value.clone())
    };
    match noun.body {
        Body::Network(network) => Some(
            network.name.as_ref().map_or_else(|| apart(Limit::Resource), |name| name.value.clone()),
        ),
        Body::Bucket(bucket) => Some(match &bucket.name {
            Choice::Set(name) => name.value.clone(),
            Choice::Auto => bucket_name(noun),
        }),
        Body::Filesystem(filesystem) => Some(chosen(&filesystem.name, Limit::Resource)),
        Body::Registry(registry) => Some(chosen(&registry.name, Limit::Resource)),
        Body::Identity(identity) => Some(match &identity.account {
            Choice::Set(account) => account.value.clone(),
            Choice::Auto => account(noun),
        }),
        Body::Dashboard(dashboard) => {
            Some(dashboard.title.set().cloned().unwrap_or_else(|| prefixed(noun).join("-")))
        }
        Body::Reservation(reservation) => Some(chosen(&reservation.name, Limit::Resource)),
        Body::MachineImage(image) => Some(chosen(&image.name, Limit::Resource)),
        Body::GkeCluster(cluster) => Some(chosen(&cluster.name, Limit::GkeCluster)),
        Body::SlurmCluster(cluster) => Some(chosen(&cluster.name, Limit::SlurmCluster)),
        Body::Partition(_) => Some(own(Limit::SlurmPartition)),
        Body::Machines(machines) => Some(chosen(&machines.name, Limit::InstanceGroup)),
        Body::Queue(queue) => {
            Some(queue.name.set().map_or_else(|| own(Limit::Queue), |it| it.value.clone()))
        }
        Body::Image(_) => Some(valid(&[noun.name])),
        Body::VertexCluster(_) => Some(own(Limit::Resource)),
        Body::Pool(_) | Body::Workload(_) | Body::Group(_) | Body::Broken { .. } => None,
    }
}

/// Names of buckets are shared by the whole world, so the project stands first.
fn bucket_name(noun: &Alone<'_>) -> String {
    let first = noun.project.unwrap_or(noun.blueprint);
    let parts: Vec<&str> = std::iter::once(first).chain(prefixed(noun)).collect();
    derived(noun.catalog, Limit::Bucket, &parts)
}

/// Accounts have a least length, which short names of nouns do not reach.
fn account(noun: &Alone<'_>) -> String {
    let (least, _) = Limit::ServiceAccount.bounds(noun.catalog);
    let mut parts = prefixed(noun);
    match derived(noun.catalog, Limit::ServiceAccount, &parts) {
        short if short.len() < least => {
            parts.push("identity");
            derived(noun.catalog, Limit::ServiceAccount, &parts)
        }
        name => name,
    }
}

/// The name of a noun behind the prefix of its environment, where that has one.
fn prefixed<'a>(noun: &Alone<'a>) -> Vec<&'a str> {
    noun.prefix.into_iter().chain([noun.name]).collect()
}

/// Where names must differ: what is made there, and in what.
type Scope<'a> = (&'static str, Option<NounId>, &'a str);

/// Nouns whose name an earlier one has already, and that one.
pub(crate) fn clashes(plan: &Plan) -> BTreeMap<NounId, NounId> {
    let mut taken: BTreeMap<(Scope<'_>, &str), NounId> = BTreeMap::new();
    let mut clashes = BTreeMap::new();
    let made = plan.model.nouns.iter().filter(|noun| !noun.existing);
    for (noun, scope, name) in made.flat_map(|noun| made_names(plan, noun)) {
        match taken.entry((scope, name)) {
            Entry::Vacant(slot) => {
                slot.insert(noun);
            }
            Entry::Occupied(first) if *first.get() != noun => {
                clashes.entry(noun).or_insert(*first.get());
            }
            Entry::Occupied(_) => {}
        }
    }
    clashes
}

/// The names under which a noun is made, and where each must be the only one.
fn made_names<'a>(plan: &'a Plan, noun: &'a Noun) -> Vec<(NounId, Scope<'a>, &'a str)> {
    let one = |scope: Scope<'a>| {
        plan.name(noun.id).map(|name| (noun.id, scope, name.as_str())).into_iter().collect()
    };
    match &noun.body {
        Body::Network(_) => one(("network", None, "")),
        Body::Bucket(_) => one(("bucket", None, "")),
        Body::Registry(registry) => one(("registry", None, &registry.location)),
        Body::Reservation(reservation) => one(("reservation", None, &reservation.zone)),
        Body::Identity(_) => one(("identity", None, "")),
        Body::MachineImage(_) => one(("machine_image", None, "")),
        Body::Filesystem(_) => one(("filesystem", None, "")),
        Body::GkeCluster(_) => one((
            "gke",
            None,
            plan.cluster(noun.id).map_or("", |cluster| cluster.location.as_str()),
        )),
        Body::SlurmCluster(_) => one(("slurm", None, "")),
        Body::Partition(_) => one(("partition", noun.parent, "")),
        Body::Machines(machines) => one(("machines", None, &machines.zone)),
        Body::Queue(_) => one(("queue", noun.parent, "")),
        Body::Pool(_) => plan
            .pool(noun.id)
            .into_iter()
            .flat_map(|pool| &pool.node_pools)
            .map(|pool| (noun.id, ("pool", noun.parent, ""), pool.name.as_str()))
            .collect(),
        Body::Workload(_) => match plan.workload(noun.id) {
            Some(run) => match &run.site {
                Site::Gke(site) => {
                    one(("workload", Some(site.cluster.id()), site.namespace.as_str()))
                }
                // Slurm and Vertex AI number their jobs, so names may repeat.
                Site::Slurm(_) | Site::Vertex(_) => Vec::new(),
            },
            None => Vec::new(),
        },
        Body::Group(_) => one(("group", noun.parent, "")),
        Body::Image(_) | Body::Dashboard(_) | Body::VertexCluster(_) | Body::Broken { .. } => {
            Vec::new()
        }
    }
}
