//! The blueprint of a cluster, as it is written: its modules, and what they take from each other.

use super::rows::{BUILT_IMAGE, CONTROLLER, DATABASE, LOGIN, MOUNT, NODES, PARTITION};
use crate::files::origin;
use crate::tree::{Flat, flat};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Modules of networks that only nodes are on.
const DATA_NETWORKS: [&str; 3] = ["multivpc", "gpu-rdma-vpc", "network/vpc"];

/// A module of a blueprint.
pub(super) struct Module {
    pub(super) id: String,
    /// The group that it is deployed with.
    pub(super) group: String,
    pub(super) source: String,
    /// What its settings are, and what it uses.
    pub(super) says: Flat,
    /// What it was made for, as the comment above it says.
    pub(super) origin: String,
}

/// One side.
pub(super) struct Blueprint {
    pub(super) modules: BTreeMap<String, Module>,
    /// What stands beside the modules.
    pub(super) rest: Flat,
    /// What its first line calls the release that it is for.
    pub(super) release: String,
    pub(super) origin: String,
    /// Images of machines come to be built by folders of their own with it.
    pub(super) is_built_elsewhere: bool,
}

impl Blueprint {
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut whole: Value = serde_yaml::from_str(text).ok()?;
        let mut modules = BTreeMap::new();
        let groups = whole.get_mut("deployment_groups")?.as_array_mut()?;
        for group in groups.iter_mut() {
            let group = group.as_object_mut()?;
            let of = group.remove("group");
            let of = of.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            let mut all = group.remove("modules")?;
            let all = all.as_array_mut()?;
            for module in std::mem::take(all) {
                let id = module.get("id")?.as_str()?.to_owned();
                let source = module.get("source")?.as_str()?.to_owned();
                let mut says = module.get("settings").map(flat).unwrap_or_default();
                says.extend(module.get("use").map(|used| ("use".to_owned(), used.to_string())));
                let origin = above(text, &format!("- id: {id}"));
                let group = of.clone();
                modules.insert(id.clone(), Module { id, group, source, says, origin });
            }
        }
        // whose name its modules have
        groups.retain(|group| group.as_object().is_some_and(|fields| !fields.is_empty()));
        let first = text.lines().next().unwrap_or_default();
        let release = first.rsplit_once(" Toolkit ").map_or("", |(_, release)| release);
        Some(Self {
            modules,
            rest: flat(&whole),
            release: release.to_owned(),
            origin: origin(text),
            is_built_elsewhere: false,
        })
    }

    /// The groups of Terraform's that another blueprint has no more.
    pub(super) fn groups_beyond(&self, other: &Self) -> Vec<String> {
        let of = |it: &Self, all: bool| -> BTreeSet<String> {
            let modules = it.modules.values();
            let modules = modules.filter(|it| all || !it.source.ends_with(BUILT_IMAGE));
            modules.map(|it| it.group.clone()).collect()
        };
        of(self, false).difference(&of(other, true)).cloned().collect()
    }

    /// The group that builds the image of the cluster's hosts, and the modules that make it what it is.
    pub(super) fn image(&self) -> Option<(&str, Vec<&Module>)> {
        let built = self.modules.values().find(|it| it.source.ends_with(BUILT_IMAGE))?;
        let parts = self.modules.values().filter(|it| it.id == built.id || built.uses(it));
        Some((&built.group, parts.collect()))
    }

    /// Whether a module is what an image of the cluster's hosts is built with.
    pub(super) fn builds_image_with(&self, module: &Module) -> bool {
        self.image().is_some_and(|(_, parts)| parts.iter().any(|it| it.id == module.id))
    }

    /// The instance of Cloud SQL that has what jobs used, where it is one.
    pub(super) fn database(&self) -> Option<&Module> {
        self.modules.values().find(|it| it.source.ends_with(DATABASE))
    }

    /// Whether each deployment looks up the newest image of a family that others build.
    pub(super) fn looks_up_image(&self) -> bool {
        let exact = |it: &Module| it.says.contains_key("instance_image.name");
        self.image().is_none() && !self.modules.values().any(exact)
    }

    /// Whether the controller is made from the newest image of a family.
    pub(super) fn starts_from(&self, family: &str) -> bool {
        let controllers = self.modules.values().filter(|it| it.source.ends_with(CONTROLLER));
        let mut said = controllers.filter_map(|it| it.says.get("instance_image.family"));
        said.any(|it| it == family)
    }

    /// The sets whose nodes are on a network.
    pub(super) fn sets_on<'b>(&'b self, network: &'b Module) -> impl Iterator<Item = &'b Module> {
        let sets = self.modules.values().filter(|it| it.source.ends_with(NODES));
        sets.filter(|it| it.uses(network) || it.names(&network.id))
    }

    /// The partitions whose nodes are on a network, as Slurm names them.
    pub(super) fn partitions_on(&self, network: &Module) -> Vec<String> {
        let sets: Vec<&Module> = self.sets_on(network).collect();
        let partitions = self.modules.values().filter(|it| it.source.ends_with(PARTITION));
        let partitions = partitions.filter(|it| sets.iter().any(|set| it.uses(set)));
        partitions.filter_map(|it| it.says.get("partition_name").cloned()).collect()
    }

    /// What the cluster is called.
    pub(super) fn cluster(&self) -> &str {
        let of_controller = |it: &&Module| it.source.ends_with(CONTROLLER);
        let controller = self.modules.values().find(of_controller);
        let said = controller.and_then(|it| it.says.get("slurm_cluster_name"));
        said.map_or("", String::as_str)
    }

    /// Whether people submit from machines of its own.
    pub(super) fn has_login(&self) -> bool {
        self.modules.values().any(|it| it.source.ends_with(LOGIN))
    }

    /// Some nodes of a set, as Slurm names them.
    pub(super) fn nodes(&self, set: &Module, which: Range<u64>) -> Option<String> {
        let cluster = self.cluster();
        let name = set.says.get("name")?;
        let (first, last) = (which.start, which.end.checked_sub(1)?);
        if which.is_empty() {
            return None;
        }
        let which = match first == last {
            true => first.to_string(),
            false => format!("[{first}-{last}]"),
        };
        Some(format!("{cluster}-{name}-{which}"))
    }

    /// Whether some filesystem is mounted where people have their folders.
    pub(super) fn mounts_home(&self) -> bool {
        self.modules.values().any(Module::mounts_home)
    }

    /// Whether some filesystem is mounted there.
    pub(super) fn mounts(&self, path: &str) -> bool {
        self.modules.values().any(|it| it.mounts(path))
    }
}

impl Module {
    /// Whether it takes something from another.
    pub(super) fn uses(&self, other: &Self) -> bool {
        self.says.get("use").is_some_and(|used| used.contains(&format!("\"{}\"", other.id)))
    }

    /// Whether an expression of its settings takes a value of another: `$(gvnic-1.subnetwork_self_link)`.
    pub(super) fn names(&self, id: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let said = self.says.values().filter(|value| value.starts_with("$("));
        let mut found = said.flat_map(|value| value.match_indices(id).map(move |at| (value, at.0)));
        found.any(|(value, at)| {
            let (before, rest) = value.split_at(at);
            !before.ends_with(is_word) && rest.get(id.len()..).is_some_and(|it| it.starts_with('.'))
        })
    }

    /// Whether it is a network that only nodes are on.
    pub(super) fn is_data_network(&self) -> bool {
        DATA_NETWORKS.iter().any(|end| self.source.ends_with(end))
    }

    /// Whether Terraform refuses to destroy it.
    pub(super) fn is_protected(&self) -> bool {
        self.says.get("deletion_protection").is_some_and(|it| it == "true")
    }

    /// How many nodes of a set there may be.
    pub(super) fn most(&self) -> u64 {
        let count = |name: &str| number(self.says.get(name)).unwrap_or_default();
        count("node_count_static") + count("node_count_dynamic_max")
    }

    /// How many there always are.
    pub(super) fn least(&self) -> u64 {
        number(self.says.get("node_count_static")).unwrap_or_default()
    }

    /// Whether it mounts something where people have their folders.
    pub(super) fn mounts_home(&self) -> bool {
        self.mounts("/home")
    }

    /// Whether it mounts something where else the controller shares a folder of its own.
    pub(super) fn mounts_shared(&self) -> bool {
        self.mounts_home() || self.mounts(super::APPS)
    }

    /// Whether it mounts something there.
    pub(super) fn mounts(&self, place: &str) -> bool {
        let said = self.says.get("local_mount").filter(|_| self.source.ends_with(MOUNT));
        said.is_some_and(|path| path == place)
    }

    /// What has a controller fetch the scripts that nodes run around jobs.
    pub(super) fn prologs(&self) -> Option<&String> {
        let name = self.says.iter().find(|(_, value)| *value == "prologs.sh")?.0;
        self.says.get(&format!("{}.content", name.strip_suffix(".destination")?))
    }
}

/// What a module was made for: the comment above it, where that is of nouns.
fn above(text: &str, head: &str) -> String {
    let mut last = "";
    for line in text.lines().map(str::trim) {
        if line == head {
            return last
                .strip_prefix("# ")
                .map_or_else(String::new, |said| origin(&format!("# {said}")));
        }
        last = line;
    }
    String::new()
}

pub(super) fn number(text: Option<&String>) -> Option<u64> {
    text?.parse().ok()
}
