//! Facts of networks, storage, identities and images.

use super::{Fact, fact, made, name_budget, name_clash, own};
use crate::nouns::Body;
use crate::plan::Plan;
use crate::plan::derive::{free_addresses, registry_url, usable_addresses};
use crate::{Deferred, NounId, Value};

pub(super) const NETWORK: &[Fact] = &[
    fact("network", None, "free", |plan, id| free_addresses(plan, id).map(Value::Int)),
    fact("network", None, "subnet_room", |plan, id| match &plan.model.get(id)?.body {
        Body::Network(network) => usable_addresses(network.subnet.value, true).map(Value::Int),
        _ => None,
    }),
    fact("network", None, "made", made),
    fact("network", None, "name_budget", name_budget),
    fact("network", None, "name_clash", name_clash),
];

pub(super) const BUCKET: &[Fact] = &[
    own("bucket", "url", |plan, id| Some(format!("gs://{}", plan.name(id)?).into())),
    fact("bucket", None, "name_budget", name_budget),
    fact("bucket", None, "name_clash", name_clash),
];

pub(super) const FILESYSTEM: &[Fact] = &[
    fact("filesystem", None, "address", |_, id| deferred(id, "address")),
    fact("filesystem", None, "name_budget", name_budget),
    fact("filesystem", None, "name_clash", name_clash),
];

pub(super) const REGISTRY: &[Fact] = &[
    own("registry", "url", |plan, id| registry_url(plan, id).map(Value::from)),
    fact("registry", None, "name_budget", name_budget),
    fact("registry", None, "name_clash", name_clash),
];

pub(super) const IDENTITY: &[Fact] = &[
    own("identity", "email", email),
    fact("identity", None, "name_budget", name_budget),
    fact("identity", None, "name_clash", name_clash),
];

pub(super) const DASHBOARD: &[Fact] = &[
    fact("dashboard", None, "resource", |_, id| deferred(id, "resource")),
    fact("dashboard", None, "name_budget", name_budget),
];

pub(super) const IMAGE: &[Fact] = &[
    fact("image", None, "made", made),
    fact("image", None, "reference", |plan, id| plan.image(id).map(Value::str)),
];

/// An output of the noun that Terraform makes.
pub(super) fn deferred(noun: NounId, field: &str) -> Option<Value> {
    Some(Value::Deferred(Deferred { noun, field: field.into() }))
}

/// Without a project, an account has no address.
fn email(plan: &Plan, id: NounId) -> Option<Value> {
    let (account, project) = (plan.name(id)?, plan.model.project.as_ref()?);
    Some(format!("{account}@{project}.iam.gserviceaccount.com").into())
}
