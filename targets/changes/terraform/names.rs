//! The names by which folders know each other's things: what is called so is made in one, and looked up, or asked for, in another.

use super::grants::is_grant;
use super::groups::groups_of;
use super::root::{Instance, Root, references_in};
use super::values::TEMPLATE;
use crate::{File, files};
use std::collections::{BTreeMap, BTreeSet};

/// What a resource is known by outside of its root.
pub(crate) struct Named {
    resource: String,
    /// Its own names and outputs; of a right those of who has it.
    names: Vec<String>,
    /// What a right is on.
    on: Vec<String>,
}

impl Named {
    pub(crate) fn resource(&self) -> &str {
        &self.resource
    }

    /// Whether it is called so.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }

    pub(crate) fn on(&self) -> impl Iterator<Item = &str> {
        self.on.iter().map(String::as_str)
    }
}

/// A folder, and the words in it that may be names of what others make.
pub(crate) struct Names<'f> {
    root: Root,
    /// What its resources are told, and what they look up, but for their own names.
    words: Vec<String>,
    /// Texts of other grammars.
    texts: Vec<&'f str>,
    is_of_cluster: bool,
}

impl<'f> Names<'f> {
    pub(crate) fn of(texts: &BTreeMap<&'f str, &'f str>) -> Self {
        let all: Vec<File<'f>> = texts.iter().map(|(path, text)| File { path, text }).collect();
        let (own, others): (Vec<File<'f>>, Vec<File<'f>>) = all
            .into_iter()
            .partition(|it| it.path.ends_with(".tf") || it.path.ends_with(".tfvars"));
        let root = Root::read(&own);
        let told = root.instances.values().flat_map(|it| &it.flat);
        let told = told.filter(|(path, _)| !OWN.contains(&path.as_str()));
        let looked_up = root.looked_up.values().flatten();
        let words = told.chain(looked_up).map(|(_, value)| value);
        // what stands for a value has the labels of blocks in it
        let words = words.filter(|it| !it.contains("google_")).cloned().collect();
        let is_of_cluster = others.iter().any(|it| files::is_of_cluster(it.path));
        Self { root, words, texts: others.iter().map(|it| it.text).collect(), is_of_cluster }
    }

    /// What something in the root is known by.
    pub(crate) fn named(&self, address: &str) -> Option<Named> {
        let it = self.root.instances.get(address)?;
        let resource = it.resource.clone();
        if is_grant(&it.resource) {
            let of = |is: fn(&str) -> bool| -> Vec<String> {
                let referred = it.references.iter().filter(|it| is(&it.path));
                let referred = referred.filter_map(|it| {
                    let (made, block) = match it.block.strip_prefix("data.") {
                        Some(block) => (false, block),
                        None => (true, it.block.as_str()),
                    };
                    self.root.name_of(made, block)
                });
                let said =
                    it.flat.iter().filter(|(path, value)| is(path) && !value.contains("google_"));
                let said = said.map(|(_, value)| value.split([':', '@']).nth(1).unwrap_or(value));
                referred.chain(said).map(str::to_owned).collect()
            };
            let on = of(|path| {
                ["bucket", "repository", "secret_id", "service_account_id"].contains(&path)
            });
            return Some(Named { resource, names: of(|path| path == "member"), on });
        }
        let own = OWN.iter().filter_map(|field| it.flat.get(*field)).cloned();
        let names = own.chain(self.outputs(it)).collect();
        Some(Named { resource, names, on: Vec::new() })
    }

    /// The outputs that say something of a resource.
    fn outputs<'s>(&'s self, it: &Instance) -> impl Iterator<Item = String> + 's {
        let block = it.block();
        let of_it = self.root.outputs.iter().filter(move |(_, output)| {
            references_in(&output.value, "").iter().any(|it| it.block == block)
        });
        of_it.map(|(name, _)| name.clone())
    }

    /// Whether a text of the folder has one of the names.
    pub(crate) fn know(&self, named: &Named) -> bool {
        named.names.iter().any(|it| self.say(it))
    }

    /// Whether a text of the folder has a name.
    pub(crate) fn say(&self, name: &str) -> bool {
        let lines = self.texts.iter().flat_map(|it| it.lines());
        let mut lines = lines.filter(|it| !it.trim_start().starts_with('#'));
        self.words.iter().any(|it| has(it, name)) || lines.any(|it| has(it, name))
    }

    /// Whether machines are made of it.
    pub(crate) fn have_machines(&self) -> bool {
        let machines = ["google_container_", "google_compute_instance"];
        let mut all = self.root.instances.values();
        self.is_of_cluster
            || all.any(|it| machines.iter().any(|start| it.resource.starts_with(start)))
    }

    /// Whether what the cluster itself runs may be on one of its pools, which may be made while those of before are there: none is called as it is.
    pub(crate) fn carries_controllers(&self, address: &str, before: &Self) -> bool {
        let name = |it: &Instance| it.flat.get("name").cloned();
        let mut former = before.root.instances.values().filter(|it| it.resource == NODES);
        let pool = self.root.instances.get(address);
        pool.filter(|it| self.root.may_have_controllers(it))
            .is_some_and(|it| !former.any(|was| name(was) == name(it)))
    }

    /// Its clusters of GKE.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (String, Named)> {
        let all = self.root.instances.iter();
        let clusters = all.filter(|(_, it)| it.resource == "google_container_cluster");
        clusters.filter_map(|(address, _)| Some((address.clone(), self.named(address)?)))
    }

    /// How many machines are had from each reservation, at most, by its name.
    pub(crate) fn reserved(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for ((name, _), count) in self.reserved_by_block() {
            *found.entry(name).or_default() += count;
        }
        found
    }

    /// How many machines each pool, or group of machines, has at most of each reservation, by the name of that and its own block.
    pub(crate) fn reserved_by_block(&self) -> BTreeMap<(String, String), u64> {
        let mut found = BTreeMap::new();
        for it in self.root.instances.values() {
            let groups = groups_of(it, &self.root);
            let sizes: Vec<&Instance> =
                groups.into_iter().chain((it.resource == NODES).then_some(it)).collect();
            for name in reservations(it) {
                for sized in &sizes {
                    let key = (name.clone(), sized.block());
                    *found.entry(key).or_default() += size(sized).unwrap_or_default();
                }
            }
        }
        found
    }

    /// How many machines a reservation of this root has, where one is made there.
    pub(crate) fn count_of(&self, reservation: &str) -> Option<u64> {
        let mut all = self.root.instances.values();
        let is_it = |it: &&Instance| {
            it.resource == "google_compute_reservation"
                && it.flat.get("name").is_some_and(|name| name == reservation)
        };
        all.find(is_it)?.flat.get("specific_reservation[0].count")?.parse().ok()
    }

    /// The blocks of the pools, and of the groups of machines, that are had from a reservation.
    pub(crate) fn had_from(&self, reservation: &str) -> BTreeSet<String> {
        let all = self.root.instances.values();
        let those = all.filter(|it| reservations(it).any(|it| it == reservation));
        let blocks = those.flat_map(|it| match it.resource == NODES {
            true => vec![it.block()],
            false => groups_of(it, &self.root).into_iter().map(Instance::block).collect(),
        });
        blocks.collect()
    }

    /// Whether something of it has the name, in the same place, of something that is added in another root. Pools are each of their own cluster.
    pub(crate) fn names_again(&self, other: &Self, added: &BTreeSet<&str>) -> bool {
        let called = |it: &Instance| {
            let field = |name: &str| it.flat.get(name).cloned();
            let place = ["location", "region", "zone", "project"].map(field);
            field("name").map(|name| (it.resource.clone(), name, place))
        };
        let is_own = |it: &Instance| it.resource != NODES;
        let here: BTreeSet<_> =
            self.root.instances.values().filter(|it| is_own(it)).filter_map(called).collect();
        let mut there = other.root.instances.iter().filter(|(it, _)| added.contains(it.as_str()));
        there.any(|(_, it)| called(it).is_some_and(|it| here.contains(&it)))
    }
}

const NODES: &str = "google_container_node_pool";

/// How many machines there are of a pool or a group, at most. Of one that says it nowhere it is not known.
fn size(it: &Instance) -> Option<u64> {
    let fields = [
        "autoscaling[0].total_max_node_count",
        "autoscaling[0].max_node_count",
        "node_count",
        "target_size",
    ];
    fields.iter().find_map(|field| it.flat.get(*field)?.parse().ok())
}

/// The names of the reservations that machines of a pool, or of a template, are had from.
fn reservations(it: &Instance) -> impl Iterator<Item = String> {
    let has = [NODES, TEMPLATE].contains(&it.resource.as_str());
    let said = it.flat.iter().filter(move |(path, _)| {
        has && path.contains("reservation_affinity[0].") && path.contains("values[")
    });
    said.map(|(_, name)| reservation_of(name).to_owned())
}

/// The name of a reservation by how machines ask for it, or for a block of it.
pub(super) fn reservation_of(asked: &str) -> &str {
    let own = asked.rsplit_once("reservations/").map_or(asked, |(_, own)| own);
    own.split('/').next().unwrap_or_default()
}

/// The fields by which a resource is called.
const OWN: [&str; 4] = ["name", "account_id", "repository_id", "secret_id"];

/// Whether a text has a name as a word.
fn has(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(name);
    !name.is_empty()
        && found.any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.get(name.len()..).unwrap_or_default();
            !before.ends_with(inside) && !after.starts_with(inside)
        })
}
