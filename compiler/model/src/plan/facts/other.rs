//! Facts of networks, storage, identities and images.

use super::{MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, Table, fact, own};
use crate::catalog::CapacityModel;
use crate::nouns::{Image, Kind, Network, Reservation};
use crate::plan::derive::{Taker, free_addresses, subnet_addresses};
use crate::{Deferred, NounId};

pub(super) const NETWORK: Table = Table {
    kind: "network",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA],
    rows: &[
        &fact("free", |plan, id| free_addresses(plan, id).map(Some)),
        &fact("subnet_room", |plan, id| {
            let network = Network::of(&plan.model.get(id)?.body)?;
            let vpc = &plan.model.catalog.limits().vpc;
            subnet_addresses(vpc, network.subnet.value).map(Some)
        }),
    ],
};

pub(super) const BUCKET: Table = Table {
    kind: "bucket",
    platform: None,
    shared: &[NAME_BUDGET, NAME_CLASH],
    rows: &[&own("url", |noun| noun.bucket_url())],
};

pub(super) const FILESYSTEM: Table = Table {
    kind: "filesystem",
    platform: None,
    shared: &[NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA],
    rows: &[&fact("address", |_, id| deferred(id, "address"))],
};

pub(super) const REGISTRY: Table = Table {
    kind: "registry",
    platform: None,
    shared: &[NAME_BUDGET, NAME_CLASH],
    rows: &[&own("url", |noun| noun.registry_url())],
};

pub(super) const IDENTITY: Table = Table {
    kind: "identity",
    platform: None,
    shared: &[NAME_BUDGET, NAME_CLASH],
    rows: &[&own("email", |noun| noun.email())],
};

pub(super) const DASHBOARD: Table = Table {
    kind: "dashboard",
    platform: None,
    shared: &[MADE, NAME_BUDGET],
    rows: &[&fact("resource", |_, id| deferred(id, "resource"))],
};

pub(super) const RESERVATION: Table = Table {
    kind: "reservation",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA],
    rows: &[
        &fact("support", |plan, id| {
            let body = Reservation::of(&plan.model.get(id)?.body)?;
            let machine = plan.model.catalog.machine(&body.machine)?;
            Some(machine.capacity.support(CapacityModel::Reservation))
        }),
        &fact("of_tpus", |plan, id| {
            let body = Reservation::of(&plan.model.get(id)?.body)?;
            Some(plan.model.catalog.machine(&body.machine)?.tpu.is_some())
        }),
        &fact("takers", |plan, id| {
            Some(plan.takers(id).iter().map(Taker::told).collect::<Vec<String>>())
        }),
        &fact("taken", |plan, id| {
            Some(plan.takers(id).iter().fold(0i64, |sum, it| sum.saturating_add(it.nodes.0)))
        }),
        &fact("taken_at_most", |plan, id| {
            Some(plan.takers(id).iter().fold(0i64, |sum, it| sum.saturating_add(it.nodes.1)))
        }),
    ],
};

pub(super) const IMAGE: Table = Table {
    kind: "image",
    platform: None,
    shared: &[MADE],
    rows: &[
        &fact("reference", |plan, id| plan.image(id).cloned()),
        &fact("texts", |plan, id| {
            let image = Image::of(&plan.model.get(id)?.body)?;
            let variables = image.env.iter().map(|(name, value)| format!("{name}={value}"));
            Some(image.run.iter().cloned().chain(variables).collect::<Vec<String>>())
        }),
    ],
};

/// An output of the noun that Terraform makes.
pub(super) fn deferred(noun: NounId, field: &str) -> Option<Deferred> {
    Some(Deferred { noun, field: field.into() })
}
