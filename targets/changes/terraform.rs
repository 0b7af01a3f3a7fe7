//! Roots of Terraform: each resource, instance by instance, and whether the provider changes it or makes another.

mod grants;
mod kept;
mod left;
mod losses;
mod protected;
mod root;
mod subnets;

use crate::tree::{Detail, details, names};
use crate::{Change, Effect, File, Grammar};
pub use grants::holds;
pub(crate) use grants::revokes;
use grants::{REVOKED, is_grant};
pub(crate) use left::{forgotten, left_behind};
use protected::{BARED, LATE, LIFTED_TOO, is_unprotected, lift, protection};
pub(crate) use root::each_of;
use root::{Instance, Output, Reference, Root, references_in};
use slipform_schema::Shape;
use std::collections::{BTreeMap, BTreeSet};
pub(crate) use subnets::{is_held, is_vacated, moves_subnet, pools_in, take_along, written_name};

/// Of what is declared `existing` from now on: `removed` takes it out of the state.
pub(crate) const RELEASED: &str =
    "Terraform lets go of it: nothing is deleted, and it stays as it is";

/// Resources whose end is the end of what they hold.
const DATA: &[&str] = &[
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

/// Of the pool that a cluster has for what none of its own pools is for.
const CONTROLLERS_WAIT: &str =
    "what admits runs, and starts failed ones again, is on it, and does neither meanwhile";

const NODES_ANEW: &str = "its nodes are made anew, one after the other";

/// What is switched on in the project: one list for all nouns of a root.
const SERVICE: &str = "google_project_service";

/// What a group makes machines of, which is replaced beside them (Compute Engine: "Apply VM configuration updates in a MIG", opportunistic).
const TEMPLATE: &str = "google_compute_instance_template";

const MACHINES_STAY: &str = "another template is made before the former goes: machines that run stay as they are, and those that are made after it are of the new one";

/// What Terraform itself reads of a resource, and no API.
const OWN: &[&str] = &["timeouts", "provider", "count", "deletion_protection"];

/// How far a value is followed from resource to resource: text that speaks of itself in a ring has no end.
const DEPTH: u8 = 8;

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let is_root = |files: &[File<'_>]| files.iter().any(|file| file.path.ends_with(".tf"));
    if !is_root(before) && !is_root(after) {
        return Vec::new();
    }
    let (old, new) = (Root::read(before), Root::read(after));
    let old_torn = old.unreadable.clone();
    let mut comparison = Comparison { old: old.moved(&new), new, found: BTreeMap::new() };
    comparison.compare();
    while comparison.spread() {}
    let torn: Vec<Change> = old_torn
        .into_iter()
        .chain(comparison.new.unreadable.clone())
        .map(|path| {
            let why = "it cannot be read on one side, so nobody knows what differs";
            Change::of_file(Effect::MayReplace, root, &path, why)
        })
        .collect();
    let mut found: Vec<Change> =
        comparison.found.iter().map(|(address, it)| comparison.change(root, address, it)).collect();
    found.extend(torn);
    found.extend(comparison.outputs(root));
    found.extend(comparison.settings(root, after));
    if found.is_empty() && is_root(before) {
        found.extend(words(root, before, after));
    }
    found
}

/// What becomes of an instance.
struct Fate {
    effect: Effect,
    details: Vec<Detail>,
    why: String,
    /// Whether the resource stays, whatever becomes of what it holds.
    stays: bool,
    /// The block that it is made anew with.
    follows: Option<String>,
}

impl Fate {
    /// Of what is as good or as bad as its effect says.
    fn of(effect: Effect, details: Vec<Detail>, why: String) -> Self {
        Self { effect, details, why, stays: effect > Effect::Replaces, follows: None }
    }

    /// Whether the resource itself is destroyed.
    fn is_end(&self) -> bool {
        !self.stays
    }
}

struct Comparison {
    old: Root,
    new: Root,
    found: BTreeMap<String, Fate>,
}

impl Comparison {
    /// Each instance by itself.
    fn compare(&mut self) {
        let (old, new) = (&self.old.instances, &self.new.instances);
        let addresses: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for address in addresses {
            let fate = match (old.get(address), new.get(address)) {
                (Some(before), Some(after)) => changed(before, after, (&self.old, &self.new)),
                (None, Some(_)) => Some(Fate::of(Effect::Adds, Vec::new(), String::new())),
                (Some(old), None) => Some(self.ended(old)),
                (None, None) => None,
            };
            if let Some(fate) = fate {
                self.found.insert(address.clone(), fate);
            }
        }
    }

    fn ended(&self, old: &Instance) -> Fate {
        let released = self.new.released.contains(&old.block());
        let holds = DATA.contains(&old.resource.as_str());
        let stays_on = old.flat.get("disable_on_destroy").is_some_and(|it| it == "false");
        let (effect, why) = match (released, holds) {
            (false, _) if is_grant(&old.resource) => (Effect::InPlace, REVOKED),
            _ if stays_on => (Effect::InPlace, "Terraform lets go of it: the service stays on"),
            (true, _) => (Effect::InPlace, RELEASED),
            (false, true) => (Effect::DestroysData, "it is destroyed, with what it holds"),
            (false, false) => (Effect::Replaces, "it is destroyed"),
        };
        Fate::of(effect, Vec::new(), why.to_owned())
    }

    /// What takes a value from something that is made anew, or of which that value is another: one more round.
    fn spread(&mut self) -> bool {
        let looked_up = self.new.looked_up.iter();
        // what is looked up only from now on is told of by who takes it
        let known = |name: &String| self.old.looked_up.get(name);
        let other = looked_up.filter(|(name, it)| known(name).is_some_and(|was| was != *it));
        let mut anew = self.blocks(Fate::is_end);
        anew.extend(other.map(|(name, _)| name.clone()));
        let touched = self.blocks(|fate| fate.effect <= Effect::InPlace);
        let mut more = Vec::new();
        for (address, new) in &self.new.instances {
            let fate = self.found.get(address);
            if fate.is_some_and(|it| it.is_end() || it.effect == Effect::Adds) {
                continue;
            }
            let known = fate.map_or(Effect::Nothing, |it| it.effect.max(Effect::MayReplace));
            let caused = self.stands_on(new, &anew).or_else(|| {
                let trigger = new.triggers.iter().find(|block| touched.contains(*block))?;
                let why = format!("`{trigger}` is another, and it is made anew with that");
                Some((of_data(&new.resource, Effect::Replaces), why, trigger.clone()))
            });
            if let Some(cause) = caused.filter(|(effect, ..)| *effect < known) {
                more.push((address.clone(), cause));
            }
        }
        let is_last = more.is_empty();
        for (address, (effect, why, block)) in more {
            let details = self.found.remove(&address).map(|fate| fate.details).unwrap_or_default();
            let fate = Fate { follows: Some(block), ..Fate::of(effect, details, why) };
            self.found.insert(address, fate);
        }
        !is_last
    }

    /// The blocks of what stands in the output and fares so.
    fn blocks(&self, fares: impl Fn(&Fate) -> bool) -> BTreeSet<String> {
        let bad = self.found.iter().filter(|(_, fate)| fares(fate));
        bad.filter_map(|(address, _)| self.new.instances.get(address))
            .map(Instance::block)
            .collect()
    }

    /// The worst that comes of values that are others where they are taken from, with the block of the first that brings it.
    fn stands_on(
        &self,
        new: &Instance,
        anew: &BTreeSet<String>,
    ) -> Option<(Effect, String, String)> {
        let shape = Shape::of(&new.resource)?;
        let looked_at = new.references.iter().filter(|it| !new.ignores(&it.path));
        let others = looked_at.filter(|it| self.is_another(it, anew, DEPTH));
        let told = others.filter_map(|it| {
            let Reference { path, block, field, .. } = it;
            let detail = Detail { path: path.clone(), before: None, after: None };
            let (effect, _) = effect(&new.resource, Some(&shape), &detail);
            let told = [Effect::Replaces, Effect::Restarts].contains(&effect)
                || is_grant(&new.resource) && effect == Effect::InPlace;
            // whoever is looked up elsewhere from now on is somebody else
            let is_of_others = effect == Effect::InPlace && block.starts_with("data.");
            let why = match is_of_others {
                true => grants::LESS.to_owned(),
                false => format!("`{path}` is the `{field}` of `{block}`, which is another"),
            };
            told.then(|| (of_data(&new.resource, effect), why, block.clone()))
        });
        told.min_by_key(|(effect, ..)| *effect)
    }

    /// Whether a reference comes to another value. One that is written is known before anything is made; one that only the
    /// provider knows is another when its resource is made anew.
    fn is_another(&self, reference: &Reference, anew: &BTreeSet<String>, depth: u8) -> bool {
        let Reference { block, address, field, .. } = reference;
        let meant = |name: &str, it: &Instance| {
            name == address || (address == block && it.block() == *block)
        };
        let written = |it: &Instance| -> BTreeMap<String, String> {
            let of_field =
                it.flat.iter().filter(|(path, _)| names(path).first() == Some(&&**field));
            of_field.map(|(path, value)| (path.clone(), value.clone())).collect()
        };
        let replaced = anew.contains(block);
        let mut known_now = false;
        for (name, new) in self.new.instances.iter().filter(|(name, it)| meant(name, it)) {
            known_now |= new.flat.contains_key(field);
            let Some(old) = self.old.instances.get(name) else { continue };
            if new.ignores(field) && !replaced {
                continue;
            }
            let mut inner =
                new.references.iter().filter(|it| names(&it.path).first() == Some(&&**field));
            if written(old) != written(new)
                || depth > 0 && inner.any(|it| self.is_another(it, anew, depth - 1))
            {
                return true;
            }
        }
        replaced && !known_now
    }

    /// Outputs that go, and those that are known to be others, or to come from what is made anew.
    fn outputs(&self, root: &str) -> Vec<Change> {
        let anew = self.blocks(Fate::is_end);
        let told = |(name, old): (&String, &Output)| {
            let new = self.new.outputs.get(name);
            let told = Change {
                thing: format!("output {name}"),
                origin: old.origin.clone(),
                ..Change::of_file(Effect::InPlace, root, &old.file, "")
            };
            match new {
                None => Some(Change { why: GONE.to_owned(), ..told }),
                Some(new) if new.value != old.value => {
                    let (before, after) = (Some(old.value.clone()), Some(new.value.clone()));
                    let details = vec![Detail { path: String::new(), before, after }];
                    Some(Change { details, origin: new.origin.clone(), ..told })
                }
                Some(new) => {
                    let references = references_in(&new.value, "");
                    let other = references
                        .iter()
                        .any(|it| !is_of_words(it) && self.is_another(it, &anew, DEPTH));
                    other.then(|| Change { why: GIVEN_ANEW.to_owned(), ..told })
                }
            }
        };
        self.old.outputs.iter().filter_map(told).collect()
    }

    /// Another range of providers, and what a provider adds to all that it makes.
    fn settings(&self, root: &str, after: &[File<'_>]) -> Vec<Change> {
        let both = self.old.settings.iter();
        let both = both.filter_map(|(name, old)| Some((name, old, self.new.settings.get(name)?)));
        let told = both.filter_map(|(name, old, new)| {
            let details = details(old, new);
            let inner: BTreeSet<&str> =
                details.iter().filter_map(|it| names(&it.path).first().copied()).collect();
            let (effect, why) = match inner.iter().all(|first| SETTINGS.contains(first)) {
                _ if details.is_empty() => return None,
                true if name == "terraform" => (Effect::InPlace, OTHER_RANGE.to_owned()),
                true if inner.contains("default_labels") => {
                    (Effect::InPlace, ADDED_TO_ALL.to_owned())
                }
                true => (Effect::InPlace, SAID_FOR_ALL.to_owned()),
                false => (Effect::MayReplace, "it is not known what this does".to_owned()),
            };
            let file = after.iter().find(|file| file.path.ends_with("versions.tf"));
            let file = file.map(|file| file.path).unwrap_or_default();
            let told = Change::of_file(effect, root, file, &why);
            Some(Change { thing: name.clone(), details, ..told })
        });
        told.collect()
    }

    fn change(&self, root: &str, address: &str, fate: &Fate) -> Change {
        let instance = self.new.instances.get(address).or_else(|| self.old.instances.get(address));
        let before = self.old.instances.get(address);
        let old = before.filter(|it| fate.is_end() || self.is_taken_away(address, it));
        // what is made for another noun from now on ends what stood on the former
        let ends = fate.is_end() || fate.effect == Effect::Restarts;
        let former = before.filter(|_| ends).map(|it| &it.origin);
        let former = former.filter(|was| instance.is_some_and(|it| it.origin != **was));
        Change {
            effect: fate.effect,
            root: root.to_owned(),
            file: instance.map(|it| it.file.clone()).unwrap_or_default(),
            thing: address.to_owned(),
            origin: instance
                .filter(|it| it.resource != SERVICE)
                .map_or_else(String::new, |it| it.origin.clone()),
            details: fate.details.clone(),
            why: [
                Some(fate.why.as_str()),
                old.filter(|it| self.is_bared(it)).map(|_| BARED),
                before
                    .filter(|it| ends && fate.follows.is_none() && it.carries_controllers())
                    .map(|_| CONTROLLERS_WAIT),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
            commands: before
                .filter(|_| fate.effect == Effect::DestroysData)
                .and_then(losses::backed_up)
                .into_iter()
                .collect(),
            stopped_by: old.and_then(|it| self.stop(address, it)),
            lifted_by: old.and_then(|it| self.lift(address, it)),
            takes_along: former.into_iter().cloned().collect(),
            partitions: Vec::new(),
            follows: fate.follows.clone(),
            leaves_data: false,
        }
    }

    /// Whether a right, or the way to one, is destroyed: what runs goes on, while a protection stops it all the same.
    fn is_taken_away(&self, address: &str, old: &Instance) -> bool {
        let goes = !self.new.instances.contains_key(address);
        goes && is_grant(&old.resource) && !self.new.released.contains(&old.block())
    }

    /// Whether `prevent_destroy` goes with the change that it would stop.
    fn is_bared(&self, old: &Instance) -> bool {
        let guarded = |root: &Root| root.protected.contains(&old.block());
        guarded(&self.old) && !guarded(&self.new)
    }

    fn lift(&self, address: &str, old: &Instance) -> Option<String> {
        if self.is_connected(old) {
            return Some(subnets::BESIDE.to_owned());
        }
        protection(old, &self.new)?;
        Some(match self.new.instances.get(address).is_some_and(is_unprotected) {
            true => LIFTED_TOO.to_owned(),
            false => lift(old, &self.new),
        })
    }

    fn is_connected(&self, old: &Instance) -> bool {
        let ends = |address: &str| self.found.get(address).is_some_and(Fate::is_end);
        subnets::is_connected(old, (&self.old, &self.new), ends)
    }

    fn stop(&self, address: &str, old: &Instance) -> Option<String> {
        if self.is_connected(old) {
            return Some(subnets::CONNECTED.to_owned());
        }
        let by = protection(old, &self.new)?;
        let guard = |it: &&Instance| protection(it, &self.new) == Some(by);
        let is_kept = self.new.instances.get(address).as_ref().is_some_and(guard);
        let late = by.contains("provider") && (self.is_bared(old) || !is_kept);
        Some(if late { format!("{by}{LATE}") } else { by.to_owned() })
    }
}

/// What differs in an instance, and the worst that comes of it.
fn changed(old: &Instance, new: &Instance, roots: (&Root, &Root)) -> Option<Fate> {
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
        None if shrinks_anew(new, detail) => (Effect::Replaces, DISK_SHRINKS.to_owned()),
        None => effect(&new.resource, shape, detail),
    });
    let (effect, why) = told.min_by_key(|(effect, _)| *effect)?;
    if new.resource == TEMPLATE && effect == Effect::Replaces {
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
fn of_data(resource: &str, effect: Effect) -> Effect {
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
fn effect(resource: &str, shape: Option<&Shape>, detail: &Detail) -> (Effect, String) {
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
        Some(true) => (Effect::Replaces, format!("`{}` cannot be changed", path.join("."))),
        Some(false) => changed_in_place(resource, &path, detail),
        None => {
            (Effect::MayReplace, format!("it is not known what another `{}` does", path.join(".")))
        }
    }
}

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
    if let Some(told) = subnets::changed(resource, path, detail) {
        return told;
    }
    if resource == "google_storage_bucket"
        && path == ["retention_policy", "retention_period"]
        && number(&detail.after) > number(&detail.before)
    {
        return (Effect::InPlace, KEPT_ON.to_owned());
    }
    if grants::says_who(resource, path) {
        return (Effect::InPlace, grants::OTHERS.to_owned());
    }
    (Effect::InPlace, String::new())
}

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

/// Whether a change is none, since Terraform leaves what nothing says any more.
pub(crate) fn is_left(change: &Change) -> bool {
    change.effect == Effect::Nothing && kept::is_left(&change.why)
}

/// What is said of a root itself: which releases read it, and where a provider makes what does not say so, and with which labels.
/// Each resource says its project and its place.
const SETTINGS: &[&str] =
    &["required_version", "required_providers", "project", "region", "zone", "default_labels"];

const OTHER_RANGE: &str = "where what is locked is outside of it, `terraform init -upgrade`";
const ADDED_TO_ALL: &str = "what has labels gets them";
const SAID_FOR_ALL: &str = "it is for what says none of its own";

/// What a provider makes of names and places that are written: made anew, it is the same.
const OF_WORDS: &[&str] = &["id", "name", "url", "self_link", "email", "member"];

/// Whether a reference comes to the same when its resource is made anew. A name that nobody writes is one that the provider gives.
fn is_of_words(reference: &Reference) -> bool {
    let resource = reference.block.split('.').next().unwrap_or_default();
    let is_given = || Shape::of(resource).is_some_and(|shape| !shape.takes("name"));
    OF_WORDS.contains(&reference.field.as_str()) && !(reference.field == "name" && is_given())
}

const GIVEN_ANEW: &str = "what it is of is made anew, and it is another from then on";

/// The name of an output that is another, though its text is the same.
pub(crate) fn other_output(change: &Change) -> Option<&str> {
    change.thing.strip_prefix("output ").filter(|_| change.why == GIVEN_ANEW)
}

const GONE: &str = "it is gone, and who asks for it finds nothing";

/// The name of an output that goes.
pub(crate) fn gone_output(change: &Change) -> Option<&str> {
    change.thing.strip_prefix("output ").filter(|_| change.why == GONE)
}

/// Files that differ where no resource does.
fn words(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Option<Change> {
    let text = |files: &[File<'_>]| -> BTreeMap<String, String> {
        let own = files.iter().filter(|it| it.grammar() == Grammar::Terraform);
        own.map(|file| (file.path.to_owned(), file.text.to_owned())).collect()
    };
    let (old, new) = (text(before), text(after));
    let path = new.keys().chain(old.keys()).find(|path| old.get(*path) != new.get(*path))?;
    Some(Change::of_file(Effect::Nothing, root, path, "no resource is another"))
}
