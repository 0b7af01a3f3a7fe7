//! What another value does to a resource: the provider changes it, or makes another, or Google Cloud refuses it.

use super::grants::{self, is_grant};
use super::root::{Instance, Root};
use super::{Fate, kept, losses, subnets};
use crate::Effect;
use crate::tree::{Detail, details, names};
use slipform_schema::Shape;

/// Resources whose end is the end of what they hold.
pub(super) const DATA: &[&str] = &[
    "google_storage_bucket",
    "google_filestore_instance",
    "google_lustre_instance",
    "google_parallelstore_instance",
    "google_compute_disk",
    "google_artifact_registry_repository",
    "google_vertex_ai_tensorboard",
    // of what is on the disks of its machines
    "google_compute_instance_group_manager",
];

/// What the provider changes, and the API makes nodes anew for (GKE: "Node pool upgrade strategies", which also hold for changed
/// configurations); the names that lead to it.
const RESTARTS: &[(&str, &[&str], &str)] = &[
    ("google_container_node_pool", &["version"], "its nodes are upgraded, one after the other"),
    (
        "google_container_node_pool",
        &["node_locations"],
        "nodes are made in the new zones, and those of the old ones end",
    ),
    ("google_container_node_pool", &["node_config", "machine_type"], NODES_ANEW),
    ("google_container_node_pool", &["placement_policy"], PLACED_ANEW),
    ("google_container_node_pool", &["node_config", "disk_size_gb"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "disk_type"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "image_type"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "logging_variant"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "linux_node_config"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "kubelet_config"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "gcfs_config"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "workload_metadata_config"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "containerd_config"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "confidential_nodes"], NODES_ANEW),
    ("google_container_node_pool", &["node_config", "fast_socket"], NODES_ANEW),
    ("google_container_node_pool", &["network_config", "enable_private_nodes"], NODES_ANEW),
    ("google_container_cluster", &["addons_config", "dns_cache_config"], ALL_NODES_ANEW),
    ("google_container_cluster", &["enable_shielded_nodes"], ALL_NODES_ANEW),
    ("google_container_cluster", &["enable_intranode_visibility"], ALL_NODES_ANEW),
    ("google_container_cluster", &["node_version"], "its nodes are upgraded, one after the other"),
    ("google_compute_router_nat", &["nat_ip_allocate_option"], losses::CUT_OFF),
];

/// Of a cluster: what all of its nodes are made anew for, after its API was changed.
const ALL_NODES_ANEW: &str = "all nodes of the cluster are made anew, one after the other";

const PLACED_ANEW: &str = "its nodes are made anew where GKE takes it; where it refuses, take the pool away and make it again";

const NODES_ANEW: &str = "its nodes are made anew, one after the other";

/// What a group makes machines of, which is replaced beside them (Compute Engine: "Apply VM configuration updates in a MIG", opportunistic).
pub(super) const TEMPLATE: &str = "google_compute_instance_template";

const MACHINES_STAY: &str = "another template is made before the former goes: machines that run stay as they are, and those that are made after it are of the new one";

/// What Terraform itself reads of a resource, and no API.
const OWN: &[&str] = &["timeouts", "provider", "count", "deletion_protection"];

/// What differs in an instance, and the worst that comes of it.
pub(super) fn changed(old: &Instance, new: &Instance, roots: (&Root, &Root)) -> Option<Fate> {
    let mut found = details(&old.flat, &new.flat);
    let same = |detail: &Detail| {
        grants::is_same(&new.resource, detail, roots)
            || grants::is_same_repository(&new.resource, detail, roots)
            || kept::is_handed_over(detail, roots)
            || kept::is_taken_back(detail, roots)
    };
    found.retain(|detail| !new.ignores(&detail.path) && !same(detail));
    let shape = Shape::of(&new.resource);
    let (found, kept, stays) = kept::apart(shape.as_ref(), new, found);
    let fate = changed_of(old, new, shape.as_ref(), found);
    let stays = (!stays.is_empty()).then(|| stays.join("; "));
    match (fate, stays) {
        (fate, None) => fate,
        (None, Some(stays)) => Some(Fate::of(Effect::Nothing, kept, stays)),
        (Some(fate), Some(stays)) if fate.why.is_empty() => Some(Fate { why: stays, ..fate }),
        (Some(fate), Some(stays)) => Some(Fate { why: format!("{}; {stays}", fate.why), ..fate }),
    }
}

/// The worst that comes of what differs, and does not stay as it is.
fn changed_of(
    old: &Instance,
    new: &Instance,
    shape: Option<&Shape>,
    found: Vec<Detail>,
) -> Option<Fate> {
    let told = found.iter().map(|detail| match counted(shape, detail, old, new) {
        Some(block) => {
            (Effect::Replaces, format!("`{block}` comes or goes, which cannot be changed"))
        }
        None if is_refused(new, detail) => (Effect::ByHand, ONLY_GROWS.to_owned()),
        None if leaves_band(new, detail) => (Effect::ByHand, OTHER_BAND.to_owned()),
        None if is_renamed(new, detail) => (Effect::Replaces, RENAMED.to_owned()),
        None if shrinks_anew(new, detail) => (Effect::Replaces, DISK_SHRINKS.to_owned()),
        None => effect(&new.resource, shape, detail),
    });
    let (effect, why) = told.min_by_key(|(effect, _)| *effect)?;
    // labels as well (`effective_labels`)
    if new.resource == TEMPLATE && [Effect::Replaces, Effect::InPlace].contains(&effect) {
        return Some(Fate::of(Effect::NextStart, found, MACHINES_STAY.to_owned()));
    }
    let within = losses::told(old, new, &found).filter(|_| effect > Effect::Replaces);
    if let Some((loss, why)) = within.filter(|(loss, _)| *loss < effect) {
        return Some(Fate { stays: true, ..Fate::of(loss, found, why) });
    }
    Some(Fate::of(of_data(&new.resource, effect), found, why))
}

/// Tiers of Filestore whose capacity is never less (Google Cloud: "Edit instances, Scale capacity").
const BASIC: &[&str] = &["BASIC_HDD", "BASIC_SSD", "STANDARD", "PREMIUM"];

const ONLY_GROWS: &str = "such a filesystem only grows: Google Cloud refuses the apply. For a smaller one, make another, and copy what this one holds";

/// Whether the API refuses a value that the provider takes: less room in Filestore's basic tiers, and in any Lustre (Google Cloud: "Managed
/// Lustre, Increase capacity").
fn is_refused(new: &Instance, detail: &Detail) -> bool {
    let tier = new.flat.get("tier").map(String::as_str);
    let only_grows = match (new.resource.as_str(), names(&detail.path).as_slice()) {
        ("google_filestore_instance", ["file_shares", "capacity_gb"]) => {
            tier.is_some_and(|tier| BASIC.contains(&tier))
        }
        ("google_lustre_instance", ["capacity_gib"]) => true,
        _ => false,
    };
    only_grows && shrinks(detail)
}

const OTHER_BAND: &str = "such a filesystem stays below 10 TiB, or from there on, as it was made: Google Cloud refuses the apply. For the other, make another, and copy what this one holds";

/// Capacity in GiB with which the larger of two ranges begins, of which an instance never leaves its own (Google Cloud: "Filestore service tiers").
const HIGH_BAND: u64 = 10_240;

fn leaves_band(new: &Instance, detail: &Detail) -> bool {
    let banded = new.resource == "google_filestore_instance"
        && names(&detail.path) == ["file_shares", "capacity_gb"]
        && ["ZONAL", "REGIONAL"]
            .iter()
            .any(|tier| new.flat.get("tier").is_some_and(|it| it == tier));
    let high = |text: &Option<String>| number(text).map(|gib| gib >= HIGH_BAND);
    banded && high(&detail.before) != high(&detail.after)
}

/// The provider changes a name that the API has no change for (`url_param_only` of Filestore's `Instance.yaml`, and not `immutable`).
pub(super) const RENAMED: &str = "`name` cannot be changed: an apply asks for an instance of the new one, which is not there, and ends with 404. `-replace` makes another one, and destroys this one with what it holds";

fn is_renamed(new: &Instance, detail: &Detail) -> bool {
    new.resource == "google_filestore_instance" && names(&detail.path) == ["name"]
}

const DISK_SHRINKS: &str = "a disk only grows: a smaller one is made anew of what it is made of";

/// Whether the provider makes another one where a value gets smaller, which its schema does not say (`CustomizeDiff` of `google_compute_disk`).
fn shrinks_anew(new: &Instance, detail: &Detail) -> bool {
    new.resource == "google_compute_disk" && names(&detail.path) == ["size"] && shrinks(detail)
}

fn shrinks(detail: &Detail) -> bool {
    number(&detail.after) < number(&detail.before) && number(&detail.after).is_some()
}

fn number(text: &Option<String>) -> Option<u64> {
    text.as_ref()?.parse().ok()
}

/// What is made anew is empty.
pub(super) fn of_data(resource: &str, effect: Effect) -> Effect {
    let holds = DATA.contains(&resource) && effect == Effect::Replaces;
    if holds { Effect::DestroysData } else { effect }
}

/// The block around a value that is on one side alone, where one more or one less makes another resource.
fn counted(
    shape: Option<&Shape>,
    detail: &Detail,
    old: &Instance,
    new: &Instance,
) -> Option<String> {
    let (there, absent) = match (&detail.before, &detail.after) {
        (Some(_), None) => (true, new),
        (None, Some(_)) => (true, old),
        _ => (false, new),
    };
    let ends = detail.path.match_indices(']').map(|(at, _)| at + 1).filter(|_| there);
    let blocks = ends.filter_map(|end| detail.path.get(..end));
    let gone = |block: &&str| absent.flat.keys().all(|path| !path.starts_with(block));
    let mut found = blocks.filter(gone);
    let outermost = found.next()?;
    let replaces = shape?.replaces(&names(outermost)).unwrap_or(false);
    replaces.then(|| names(outermost).join("."))
}

/// What another value does to a resource.
pub(super) fn effect(resource: &str, shape: Option<&Shape>, detail: &Detail) -> (Effect, String) {
    let path = names(&detail.path);
    if path.first().is_some_and(|first| OWN.contains(first)) || resource == "terraform_data" {
        return (Effect::InPlace, String::new());
    }
    let is_gone = detail.before.is_some() && detail.after.is_none();
    if is_gone && shape.is_some_and(|shape| shape.keeps(&path)) {
        return (Effect::Nothing, STAYS.to_owned());
    }
    match shape.and_then(|shape| shape.replaces(&path)) {
        Some(true) if is_grant(resource) => {
            (Effect::InPlace, grants::other(&path, detail).to_owned())
        }
        Some(true) if resource == TEMPLATE => (Effect::NextStart, MACHINES_STAY.to_owned()),
        Some(true) if (resource, path.as_slice()) == ACCOUNT => {
            (Effect::Replaces, OTHER_ACCOUNT.to_owned())
        }
        Some(true) => (Effect::Replaces, format!("`{}` cannot be changed", path.join("."))),
        Some(false) if (resource, path.as_slice()) == CALLED => {
            (Effect::Replaces, "`name` cannot be changed".to_owned())
        }
        Some(false) => changed_in_place(resource, &path, detail),
        None => {
            (Effect::MayReplace, format!("it is not known what another `{}` does", path.join(".")))
        }
    }
}

/// What its provider takes another value of as if it could be changed, and asks for what is not there (`resource_filestore_instance.go`: the name is part of each
/// address).
const CALLED: (&str, &[&str]) = ("google_filestore_instance", &["name"]);

/// The name of an account.
const ACCOUNT: (&str, &[&str]) = ("google_service_account", &["account_id"]);

const OTHER_ACCOUNT: &str = "`account_id` cannot be changed: the former goes before another is made, and who acts as it has no rights meanwhile; an `identity` more beside it, which is taken for it from then on, cuts nobody off";

fn changed_in_place(resource: &str, path: &[&str], detail: &Detail) -> (Effect, String) {
    let restart = RESTARTS.iter().find(|(of, names, _)| *of == resource && path.starts_with(names));
    if let Some((.., why)) = restart {
        return (Effect::Restarts, (*why).to_owned());
    }
    if (resource, path) == ("google_container_cluster", ["min_master_version"].as_slice())
        && is_lower(detail)
    {
        return (Effect::InPlace, NEVER_LOWERED.to_owned());
    }
    if let Some(why) = way_in(resource, path, detail) {
        return (Effect::InPlace, why);
    }
    if let Some(told) = subnets::changed(resource, path, detail) {
        return told;
    }
    if resource == "google_storage_bucket"
        && path == ["retention_policy", "retention_period"]
        && number(&detail.after) > number(&detail.before)
    {
        return (Effect::InPlace, KEPT_ON.to_owned());
    }
    let of_new = OF_NEW_OBJECTS.iter().find(|(of, _)| resource == BUCKET && path == *of);
    if let Some((_, why)) = of_new.filter(|_| detail.before.is_some()) {
        return (Effect::InPlace, (*why).to_owned());
    }
    if resource == "google_container_node_pool"
        && path.starts_with(&["node_config", "taint"])
        && detail.after.is_some()
    {
        return (Effect::InPlace, TAINTED.to_owned());
    }
    if grants::says_who(resource, path) {
        return (Effect::InPlace, grants::OTHERS.to_owned());
    }
    (Effect::InPlace, String::new())
}

const BUCKET: &str = "google_storage_bucket";

/// What a bucket says of objects that come, and what becomes of those that are there (Cloud Storage: "Storage classes", "Customer-managed encryption keys").
const OF_NEW_OBJECTS: &[(&[&str], &str)] = &[
    (&["storage_class"], "objects that are there stay in the class that they have"),
    (
        &["encryption", "default_kms_key_name"],
        "objects that are there stay encrypted with the former key, and are lost with it: rewrite them before anybody destroys that",
    ),
];

/// GKE gives a taint to the nodes that there are. Kueue puts what a flavor tolerates into a run when it lets that begin, and JobSet starts one again as it was.
pub(crate) const TAINTED: &str = "pods that are there stay, while none starts on it that does not tolerate the taint: a run that its queue let begin before waits for ever where it starts again, until it is started anew";

/// What another way to a control plane does to whoever uses the one of before, and another version.
fn way_in(resource: &str, path: &[&str], detail: &Detail) -> Option<String> {
    let goes = detail.before.is_some();
    let is = |word: &str| detail.after.as_deref() == Some(word);
    match (resource, path) {
        ("google_container_cluster", ["min_master_version"]) if detail.after.is_some() => {
            let raised = "the control plane is upgraded at the apply, where it is older";
            Some(format!("{raised}{}", minors_between(detail).unwrap_or_default()))
        }
        ("google_container_cluster", ["master_authorized_networks_config", .., "cidr_block"])
            if goes =>
        {
            Some(SHUT.to_owned())
        }
        ("google_container_cluster", ["control_plane_endpoints_config", ..]) if is("false") => {
            Some(SHUT.to_owned())
        }
        ("google_container_cluster", ["private_cluster_config", "enable_private_endpoint"])
            if is("true") =>
        {
            Some(SHUT.to_owned())
        }
        _ => None,
    }
}

/// What stands between two versions of a control plane (GKE: "Upgrading clusters", "You can't skip minor versions").
fn minors_between(detail: &Detail) -> Option<String> {
    let minor = |text: &Option<String>| -> Option<u64> {
        text.as_deref()?.strip_prefix("1.")?.split('.').next()?.parse().ok()
    };
    let (was, is) = minor(&detail.before).zip(minor(&detail.after))?;
    (is > was + 1).then(|| {
        let next = was + 1;
        format!("; GKE raises it by one minor at a time: where it still has 1.{was}, an apply with 1.{next} comes first, or this one is refused")
    })
}

const SHUT: &str = "who comes to the control plane that way is refused from then on: people, pipelines, Argo CD, Flux";

/// The provider looks whether the control plane is older, and GKE refuses to lower a minor version.
const NEVER_LOWERED: &str =
    "a control plane is raised and never lowered: it stays at the version that it has";

/// Whether a version is an older one than before.
fn is_lower(detail: &Detail) -> bool {
    let parts = |text: &Option<String>| -> Vec<u64> {
        let text = text.as_deref().unwrap_or_default();
        text.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
    };
    let (before, after) = (parts(&detail.before), parts(&detail.after));
    !after.is_empty() && after < before
}

/// Cloud Storage: "Bucket Lock".
const KEPT_ON: &str =
    "what is younger is neither deleted nor written over: runs that do so there fail";

/// Of what the provider reads back from Google Cloud where nothing says it.
const STAYS: &str = "nothing says it any more, and what there is stays";
