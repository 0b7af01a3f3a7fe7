//! Roots of Terraform: each resource, instance by instance, and whether the provider changes it or makes another.

mod root;

use crate::tree::{Detail, details, names};
use crate::{Change, Effect, File, Grammar, plural};
use ipnet::IpNet;
use root::{Instance, Reference, Root};
use slipform_schema::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// Resources whose end is the end of what they hold.
const DATA: &[&str] = &[
    "google_storage_bucket",
    "google_filestore_instance",
    "google_lustre_instance",
    "google_parallelstore_instance",
    "google_artifact_registry_repository",
    "google_vertex_ai_tensorboard",
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
];

const NODES_ANEW: &str = "its nodes are made anew, one after the other";

/// What Terraform itself reads of a resource, and no API.
const OWN: &[&str] = &["timeouts", "provider", "count", "deletion_protection"];

/// What the API of GKE grows and shrinks: fewer nodes are fewer pods.
const COUNTS: &[&str] = &["node_count", "max_node_count", "total_max_node_count"];

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let is_root = |files: &[File<'_>]| files.iter().any(|file| file.path.ends_with(".tf"));
    if !is_root(before) && !is_root(after) {
        return Vec::new();
    }
    let (old, new) = (Root::read(before), Root::read(after));
    if !is_root(after) {
        return left_behind(root, &old);
    }
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
                (Some(old), Some(new)) => changed(old, new),
                (None, Some(_)) => {
                    Some(Fate { effect: Effect::Adds, details: Vec::new(), why: String::new() })
                }
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
            _ if stays_on => (Effect::InPlace, "Terraform lets go of it: the service stays on"),
            (true, _) => (Effect::Nothing, "Terraform lets go of it: it stays as it is"),
            (false, true) => (Effect::DestroysData, "it is destroyed, with what it holds"),
            (false, false) => (Effect::Replaces, "it is destroyed"),
        };
        Fate { effect, details: Vec::new(), why: why.to_owned() }
    }

    /// What stands on something that is made anew: one more round. Names that are written do not change with it; what only the
    /// provider knows does.
    fn spread(&mut self) -> bool {
        let looked_up = self.new.looked_up.iter();
        let other = looked_up.filter(|(name, it)| self.old.looked_up.get(*name) != Some(it));
        let mut anew = self.blocks(Effect::Replaces);
        anew.extend(other.map(|(name, _)| name.clone()));
        let touched = self.blocks(Effect::InPlace);
        let mut more = Vec::new();
        for (address, new) in &self.new.instances {
            let known = self.found.get(address).map(|fate| fate.effect);
            if known.is_some_and(|effect| effect <= Effect::Replaces || effect == Effect::Adds) {
                continue;
            }
            let cause = self.stands_on(new, &anew).or_else(|| {
                let trigger = new.triggers.iter().find(|block| touched.contains(*block))?;
                Some(format!("`{trigger}` is another, and it is made anew with that"))
            });
            if let Some(why) = cause {
                more.push((address.clone(), why, new.resource.clone()));
            }
        }
        for (address, why, resource) in &more {
            let details = self.found.remove(address).map(|fate| fate.details).unwrap_or_default();
            let holds = DATA.contains(&resource.as_str());
            let effect = if holds { Effect::DestroysData } else { Effect::Replaces };
            self.found.insert(address.clone(), Fate { effect, details, why: why.clone() });
        }
        !more.is_empty()
    }

    /// The blocks of what stands in the output and is told to fare as badly as that, or worse.
    fn blocks(&self, effect: Effect) -> BTreeSet<String> {
        let bad = self.found.iter().filter(|(_, fate)| fate.effect <= effect);
        bad.filter_map(|(address, _)| self.new.instances.get(address))
            .map(Instance::block)
            .collect()
    }

    fn stands_on(&self, new: &Instance, anew: &BTreeSet<String>) -> Option<String> {
        let shape = Shape::of(&new.resource)?;
        let mut looked_at = new.references.iter().filter(|it| !new.ignores(&it.path));
        looked_at.find_map(|Reference { path, block, field }| {
            let known_now = self
                .new
                .instances
                .values()
                .any(|it| it.block() == *block && it.flat.contains_key(field));
            let replaced = anew.contains(block) && !known_now;
            let replaces = shape.replaces(&names(path)).unwrap_or(false);
            (replaced && replaces)
                .then(|| format!("`{path}` is the `{field}` of `{block}`, which is another"))
        })
    }

    fn change(&self, root: &str, address: &str, fate: &Fate) -> Change {
        let instance = self.new.instances.get(address).or_else(|| self.old.instances.get(address));
        let old = self.old.instances.get(address).filter(|_| fate.effect <= Effect::Replaces);
        Change {
            effect: fate.effect,
            root: root.to_owned(),
            file: instance.map(|it| it.file.clone()).unwrap_or_default(),
            thing: address.to_owned(),
            origin: instance.map(|it| it.origin.clone()).unwrap_or_default(),
            details: fate.details.clone(),
            why: fate.why.clone(),
            commands: Vec::new(),
            stopped_by: old.and_then(protection).map(str::to_owned),
        }
    }
}

/// What stops the end of something that is there.
fn protection(old: &Instance) -> Option<&'static str> {
    let says = |field: &str, word: &str| old.flat.get(field).is_some_and(|it| it == word);
    if old.protected {
        Some("`prevent_destroy`: Terraform stops before it does anything")
    } else if says("deletion_policy", "PREVENT") {
        Some("`deletion_policy`: the provider does not destroy it")
    } else if says("deletion_protection", "true") {
        Some("`deletion_protection`: the provider does not destroy it")
    } else if old.resource == "google_storage_bucket" {
        Some("the bucket itself, as long as something is in it")
    } else {
        None
    }
}

/// What differs in an instance, and the worst that comes of it.
fn changed(old: &Instance, new: &Instance) -> Option<Fate> {
    let mut found = details(&old.flat, &new.flat);
    found.retain(|detail| !new.ignores(&detail.path));
    let shape = Shape::of(&new.resource);
    let told = found.iter().map(|detail| match counted(shape.as_ref(), detail, old, new) {
        Some(block) => {
            (Effect::Replaces, format!("`{block}` comes or goes, which cannot be changed"))
        }
        None => effect(&new.resource, shape.as_ref(), detail),
    });
    let (effect, why) = told.min_by_key(|(effect, _)| *effect)?;
    let holds = DATA.contains(&new.resource.as_str()) && effect == Effect::Replaces;
    let effect = if holds { Effect::DestroysData } else { effect };
    Some(Fate { effect, details: found, why })
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
    match shape.and_then(|shape| shape.replaces(&path)) {
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
    if (resource, path) == ("google_compute_subnetwork", ["ip_cidr_range"].as_slice())
        && !is_grown(detail)
    {
        return (Effect::Replaces, "a range of a subnet only grows".to_owned());
    }
    if resource == "google_compute_subnetwork"
        && path.starts_with(&["secondary_ip_range", "ip_cidr_range"])
    {
        return (
            Effect::ByHand,
            "a range that a cluster has its pods or services in cannot change".to_owned(),
        );
    }
    let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<i64>().ok());
    let fewer = number(&detail.after) < number(&detail.before) && detail.after.is_some();
    let counts = resource == "google_container_node_pool"
        && path.last().is_some_and(|last| COUNTS.contains(last));
    if counts && fewer {
        return (Effect::Restarts, "nodes are taken away, with the pods on them".to_owned());
    }
    (Effect::InPlace, String::new())
}

/// Whether a range still holds all that it held.
fn is_grown(detail: &Detail) -> bool {
    let range = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<IpNet>().ok());
    match (range(&detail.before), range(&detail.after)) {
        (Some(old), Some(new)) => new.contains(&old),
        _ => false,
    }
}

/// A root that is no longer in the output: what it made runs on until somebody destroys it.
fn left_behind(root: &str, old: &Root) -> Vec<Change> {
    if old.instances.is_empty() {
        return Vec::new();
    }
    let holding = old.instances.values().filter(|it| DATA.contains(&it.resource.as_str())).count();
    let data = if holding > 0 { format!(", {holding} of them with data") } else { String::new() };
    let why =
        format!("the blueprint has them no more{data}: they run on until somebody destroys them");
    let stopped = old.instances.iter().find_map(|(address, it)| Some((address, protection(it)?)));
    vec![Change {
        thing: plural(old.instances.len(), "resource"),
        commands: vec![format!("terraform -chdir={root} destroy")],
        stopped_by: stopped.map(|(address, by)| format!("{by} (`{address}`)")),
        ..Change::of_file(Effect::ByHand, root, &format!("{root}/"), &why)
    }]
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
