//! Facts of networks, storage, identities and images.

use super::{MADE, NAMES, Table, fact, name_budget, own};
use crate::nouns::Body;
use crate::plan::derive::{free_addresses, registry_url, subnet_addresses};
use crate::{Deferred, NounId, Value};

pub(super) const NETWORK: Table = Table {
    kind: "network",
    platform: None,
    shared: &[MADE, NAMES],
    rows: &[
        fact("free", |plan, id| free_addresses(plan, id).map(Value::Int)),
        fact("subnet_room", |plan, id| match &plan.model.get(id)?.body {
            Body::Network(network) => {
                let vpc = &plan.model.catalog.limits().vpc;
                subnet_addresses(vpc, network.subnet.value).map(Value::Int)
            }
            _ => None,
        }),
    ],
};

pub(super) const BUCKET: Table = Table {
    kind: "bucket",
    platform: None,
    shared: &[NAMES],
    rows: &[own("url", |plan, id| Some(format!("gs://{}", plan.name(id)?).into()))],
};

pub(super) const FILESYSTEM: Table = Table {
    kind: "filesystem",
    platform: None,
    shared: &[NAMES],
    rows: &[fact("address", |_, id| deferred(id, "address"))],
};

pub(super) const REGISTRY: Table = Table {
    kind: "registry",
    platform: None,
    shared: &[NAMES],
    rows: &[own("url", |plan, id| registry_url(plan, id).map(Value::from))],
};

pub(super) const IDENTITY: Table = Table {
    kind: "identity",
    platform: None,
    shared: &[NAMES],
    rows: &[own("email", |plan, id| plan.email(id).map(Value::from))],
};

pub(super) const DASHBOARD: Table = Table {
    kind: "dashboard",
    platform: None,
    shared: &[],
    rows: &[fact("resource", |_, id| deferred(id, "resource")), fact("name_budget", name_budget)],
};

pub(super) const IMAGE: Table = Table {
    kind: "image",
    platform: None,
    shared: &[MADE],
    rows: &[fact("reference", |plan, id| plan.image(id).map(Value::str))],
};

/// An output of the noun that Terraform makes.
pub(super) fn deferred(noun: NounId, field: &str) -> Option<Value> {
    Some(Value::Deferred(Deferred { noun, field: field.into() }))
}
