//! What a folder makes and takes away, and what another one has of it, by the names that it is known by outside of its folder.

use crate::terraform::{Named, Names};
use crate::toolkit::is_taken_first;
use crate::{Change, Effect, of_terraform};
use std::collections::{BTreeMap, BTreeSet};

/// Something that other folders may know.
pub(super) struct Thing {
    /// `google_storage_bucket.results`
    pub(super) address: String,
    named: Named,
}

/// A folder on both sides, and what becomes of it.
pub(super) struct Folder<'f> {
    changes: Vec<&'f Change>,
    old: Names<'f>,
    new: Names<'f>,
    /// How many machines it has of each reservation, before and after.
    had_of: BTreeMap<String, u64>,
    will_have: BTreeMap<String, u64>,
    /// The same of each of its pools.
    pools_had: BTreeMap<(String, String), u64>,
    pools_will_have: BTreeMap<(String, String), u64>,
    /// What is there once it is applied.
    pub(super) makes: Vec<Thing>,
    /// What is there no more, and nothing in its place.
    pub(super) takes: Vec<Thing>,
    /// The same, and what is made anew: nobody may be in it meanwhile.
    pub(super) ends: Vec<Thing>,
    /// What its clusters are called.
    pub(super) clusters: Vec<Thing>,
}

impl<'f> Folder<'f> {
    pub(super) fn of(
        root: &str,
        found: &'f [Change],
        before: BTreeMap<&'f str, &'f str>,
        after: BTreeMap<&'f str, &'f str>,
    ) -> Self {
        let changes: Vec<&Change> = found.iter().filter(|it| it.root == root).collect();
        let (old, new) = (Names::of(&before), Names::of(&after));
        let things = |names: &Names<'_>, which: fn(&Change) -> bool| -> Vec<Thing> {
            let those = changes.iter().filter(|it| which(it));
            let named = those.filter_map(|it| {
                let named = names.named(&it.thing)?;
                Some(Thing { address: it.thing.clone(), named })
            });
            named.collect()
        };
        let clusters = old.clusters();
        let clusters = clusters.map(|(address, named)| Thing { address, named }).collect();
        Self {
            makes: things(&new, makes),
            takes: things(&old, takes),
            ends: things(&old, ends),
            clusters,
            had_of: old.reserved(),
            will_have: new.reserved(),
            pools_had: old.reserved_by_block(),
            pools_will_have: new.reserved_by_block(),
            changes,
            old,
            new,
        }
    }

    /// Whether it needs something, once that is made.
    pub(super) fn looks_up(&self, thing: &Thing) -> bool {
        match thing.named.resource() {
            // nobody needs more of what is reserved but who has more of it
            "google_compute_reservation" if !self.gives_or_takes(thing) => false,
            // whatever is made may ask for what is switched on
            "google_project_service" => self.changes.iter().any(|it| it.effect == Effect::Adds),
            _ => self.new.know(&thing.named),
        }
    }

    /// Whether its machines have something, until it is applied.
    pub(super) fn leaves(&self, thing: &Thing) -> bool {
        let lets_go = || self.changes.iter().any(|it| lets_go(it, thing.named.resource()));
        let goes_first = |it: &Change| it.commands.iter().any(|it| is_taken_first(it));
        self.old.have_machines()
            && self.had(thing)
            && (self.loses(thing) || lets_go())
            && !self.changes.iter().any(|it| goes_first(it))
    }

    /// Whether it has something on the other side.
    pub(super) fn had(&self, thing: &Thing) -> bool {
        self.old.know(&thing.named)
    }

    /// Whether it names something no more.
    pub(super) fn drops(&self, thing: &Thing) -> bool {
        self.had(thing) && !self.new.know(&thing.named)
    }

    fn loses(&self, thing: &Thing) -> bool {
        self.drops(thing) || thing.named.on().any(|it| self.old.say(it) && !self.new.say(it))
    }

    /// The reservations of which it has fewer machines from then on.
    pub(super) fn gives(&self) -> impl Iterator<Item = &str> {
        let now = |it: &String| self.will_have.get(it).copied().unwrap_or_default();
        self.had_of.iter().filter(move |(it, was)| **was > now(it)).map(|(it, _)| it.as_str())
    }

    /// The reservations of which it has more machines from then on.
    pub(super) fn takes_more(&self) -> impl Iterator<Item = &str> {
        let was = |it: &String| self.had_of.get(it).copied().unwrap_or_default();
        self.will_have.iter().filter(move |(it, now)| **now > was(it)).map(|(it, _)| it.as_str())
    }

    /// What takes away those of its machines first that are had from a reservation.
    pub(super) fn freed(&self, reservation: &str) -> Vec<(String, bool)> {
        let changes = |block: &String| {
            let of_it =
                self.changes.iter().filter(move |it| it.thing.split('[').next() == Some(block));
            of_it.map(|it| it.effect <= Effect::Replaces).max()
        };
        let blocks = self.old.had_from(reservation).into_iter();
        blocks.filter_map(|it| Some((changes(&it)?, it))).map(|(anew, it)| (it, anew)).collect()
    }

    /// The reservations of which some of its pools have machines until others of them do, so that for a while more are asked for than before and after.
    pub(super) fn exchanges(&self) -> BTreeSet<&str> {
        let (had, will_have) = (&self.pools_had, &self.pools_will_have);
        let taken = will_have.iter().filter(|(it, now)| **now > count(had, it));
        let taken: BTreeSet<&str> = taken.map(|((name, _), _)| name.as_str()).collect();
        let given = had.iter().filter(|(it, was)| **was > count(will_have, it));
        given.map(|((name, _), _)| name.as_str()).filter(|it| taken.contains(it)).collect()
    }

    /// The most that its pools may ask for of a reservation in one apply.
    pub(super) fn at_most(&self, reservation: &str) -> u64 {
        let blocks: BTreeSet<_> =
            self.pools_had.keys().chain(self.pools_will_have.keys()).collect();
        let blocks = blocks.into_iter().filter(|(name, _)| name == reservation);
        blocks.map(|it| count(&self.pools_had, it).max(count(&self.pools_will_have, it))).sum()
    }

    /// How many machines a reservation has that this folder makes.
    pub(super) fn count_of(&self, reservation: &str) -> Option<u64> {
        self.new.count_of(reservation)
    }

    /// What takes those of its machines away first that others of it are given, of a reservation: who gives some, and no command takes it away already.
    pub(super) fn made_way(&self, reservation: &str) -> Vec<(String, bool)> {
        let mut given = self.freed(reservation);
        given.retain(|(block, _)| {
            let key = (reservation.to_owned(), block.clone());
            count(&self.pools_had, &key) > count(&self.pools_will_have, &key)
        });
        given
    }

    /// The pools that are made, and carry what their cluster itself runs, where the one that does until then is taken away while the cluster stays.
    pub(super) fn carriers(&self) -> Vec<String> {
        let ends_cluster =
            self.ends.iter().any(|it| it.named.resource() == "google_container_cluster");
        let leaves = self.changes.iter().any(|it| it.carries_controllers());
        if ends_cluster || !leaves {
            return Vec::new();
        }
        let added = self.changes.iter().filter(|it| it.effect == Effect::Adds);
        let carriers = added.filter(|it| self.new.carries_controllers(&it.thing, &self.old));
        carriers.map(|it| it.thing.clone()).collect()
    }

    fn gives_or_takes(&self, thing: &Thing) -> bool {
        let mut all = self.gives().chain(self.takes_more());
        all.any(|it| thing.named.is(it))
    }

    /// Whether another one cannot have its machines, or its names, while this one is there.
    pub(super) fn is_in_the_way_of(&self, other: &Self) -> bool {
        let added = other.changes.iter().filter(|it| it.effect == Effect::Adds);
        let added: BTreeSet<&str> = added.map(|it| it.thing.as_str()).collect();
        let mut wanted = other.takes_more();
        wanted.any(|it| self.had_of.contains_key(it)) || self.old.names_again(&other.new, &added)
    }
}

fn count(of: &BTreeMap<(String, String), u64>, key: &(String, String)) -> u64 {
    of.get(key).copied().unwrap_or_default()
}

/// Whether something is there afterwards that others may look up: what is added, what takes the place of another, and more of what is reserved.
fn makes(change: &Change) -> bool {
    let is_another = !change.details.is_empty() || change.follows.is_some();
    let is_made = change.effect == Effect::Adds || change.effect <= Effect::Replaces && is_another;
    is_made || change.reserves_more()
}

/// Whether something goes, or a right, or a part of what is reserved, and nothing comes instead. What commands free has nobody any more.
fn takes(change: &Change) -> bool {
    let is_whole = change.details.is_empty() && change.follows.is_none();
    let goes = is_whole && change.effect <= Effect::Replaces;
    let is_freed = || {
        let of_others = |it: &String| of_terraform(it).is_some_and(|(root, _)| root != change.root);
        change.commands.iter().any(of_others)
    };
    let is_less = goes || change.revokes() && change.follows.is_none() || change.reserves_less();
    is_less && !is_freed()
}

/// Whether nobody may be in something meanwhile.
fn ends(change: &Change) -> bool {
    takes(change) || makes(change) && change.effect <= Effect::Replaces
}

/// Whether a change ends what machines have of such a resource, though its folder names it still.
fn lets_go(change: &Change, resource: &str) -> bool {
    let is_module = change.thing.starts_with("module ") && change.effect <= Effect::Restarts;
    match resource {
        "google_compute_reservation" => change.ends_nodes(),
        "google_service_account" => change.acts_otherwise() || is_module,
        _ if resource.contains("_iam_") => {
            change.acts_otherwise() || change.unmounts() || is_module
        }
        _ => change.unmounts(),
    }
}
