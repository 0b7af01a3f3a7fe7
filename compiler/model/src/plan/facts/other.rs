//! Facts of networks, storage, identities and images.

use super::addresses::hosts_on;
use super::records::Misspelt;
use super::scripts::faults as script_faults;
use super::settings::no_base;
use super::told::Placed;
use super::{ABROAD, MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, Table, fact, own};
use crate::catalog::CapacityModel;
use crate::nouns::{Filesystem, Identity, Image, Kind, Network, Reservation, number_of_day};
use crate::plan::Plan;
use crate::plan::derive::{Taker, free_addresses, subnet_addresses};
use crate::{Deferred, NounId};
use ipnet::IpNet;
use slipform_source::{Spanned, nearest};

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
        &fact("hosts", hosts_on),
        &fact("free_subnet", |plan, id| is_free(plan, id, |it| Some(it.subnet.value))),
        &fact("free_pods", |plan, id| is_free(plan, id, |it| Some(it.pods.as_ref()?.value))),
        &fact("free_services", |plan, id| {
            is_free(plan, id, |it| Some(it.services.as_ref()?.value))
        }),
        &fact("free_accelerators", |plan, id| is_free(plan, id, |it| Some(it.accelerators.value))),
    ],
};

/// Whether a range of a network is nobody's on the internet, or taken for its own.
fn is_free(plan: &Plan, id: NounId, range: fn(&Network) -> Option<IpNet>) -> Option<bool> {
    let network = Network::of(&plan.model.get(id)?.body)?;
    let Some(range) = range(network) else { return Some(true) };
    let private = plan.model.catalog.limits().vpc.private_ranges.iter();
    let private = private.filter_map(|range| range.parse::<IpNet>().ok());
    let mut free = private.chain(network.own_ranges.iter().copied());
    Some(free.any(|free| free.contains(&range)))
}

pub(super) const BUCKET: Table = Table {
    kind: "bucket",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH],
    rows: &[&own("url", |noun| noun.bucket_url())],
};

pub(super) const FILESYSTEM: Table = Table {
    kind: "filesystem",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA],
    rows: &[
        &fact("address", |_, id| deferred(id, "address")),
        &fact("disk_type", |plan, id| {
            let disk = Filesystem::of(&plan.model.get(id)?.body)?.storage.value.disk();
            Some(disk.map(|disk| disk.kind.as_str().to_owned()))
        }),
    ],
};

pub(super) const REGISTRY: Table = Table {
    kind: "registry",
    platform: None,
    shared: &[MADE, ABROAD, NAME_BUDGET, NAME_CLASH],
    rows: &[&own("url", |noun| noun.registry_url())],
};

pub(super) const IDENTITY: Table = Table {
    kind: "identity",
    platform: None,
    shared: &[MADE, ABROAD, NAME_BUDGET, NAME_CLASH],
    rows: &[&own("email", |noun| noun.email()), &fact("misspelt_roles", misspelt_roles)],
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
        &fact("days", |plan, id| {
            let body = Reservation::of(&plan.model.get(id)?.body)?;
            let day = |day: &Option<Spanned<String>>| number_of_day(&day.as_ref()?.value);
            Some(day(&body.starts).zip(day(&body.ends)).map(|(from, until)| until - from))
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
        &fact("no_images", no_base),
        &fact("script_faults", script_faults),
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

/// Its roles that are none of those that are known, and almost one of the same service.
fn misspelt_roles(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misspelt>>>> {
    let known = plan.model.catalog.names("roles.known");
    let roles = Identity::of(&plan.model.get(id)?.body)?.roles.iter();
    let misspelt = |role: &Spanned<String>| {
        let (service, name) = role.value.split_once('.')?;
        let of_service =
            known.iter().filter_map(|it| it.split_once('.').filter(|it| it.0 == service));
        let meant = nearest(name, of_service.map(|it| it.1)).filter(|it| *it != name)?;
        let known = format!("{service}.{meant}");
        Some(Spanned::new(Misspelt { written: role.value.clone(), known }, role.span))
    };
    Some(Placed(roles.filter_map(misspelt).collect()))
}
