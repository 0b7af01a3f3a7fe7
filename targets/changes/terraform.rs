//! Roots of Terraform: each resource, instance by instance, and whether the provider changes it or makes another.

mod anew;
mod backups;
mod grants;
mod groups;
mod imported;
mod kept;
mod left;
mod losses;
mod names;
mod protected;
mod root;
mod settings;
mod subnets;
mod values;

use crate::tree::{Detail, names};
use crate::{Change, Effect, File, Grammar};
pub(crate) use anew::put_again;
pub(crate) use backups::{KEPT, restore_behind};
pub use grants::holds;
pub(crate) use grants::revokes;
use grants::{REVOKED, is_grant};
pub(crate) use groups::{leave_accounts, only_shrinks};
pub(crate) use imported::known_as;
pub(crate) use left::{forgotten, left_behind};
pub(crate) use losses::IDLE;
pub(crate) use names::{Named, Names};
pub(crate) use protected::HALF_WAY;
use protected::{BARED, LATE, LIFTED_TOO, guarded_otherwise, is_unprotected, lift, protection};
use root::{Instance, Reference, Root};
pub(crate) use root::{blocks_of, each_of, was_another};
pub(crate) use settings::{gone_output, other_output};
use slipform_schema::Shape;
use std::collections::{BTreeMap, BTreeSet};
pub(crate) use subnets::{
    had_from, is_held, is_vacated, moves_subnet, pools_in, take_along, written_name,
};
use values::{DATA, changed, effect, of_data};

/// Of what is declared `existing` from now on: `removed` takes it out of the state.
pub(crate) const RELEASED: &str =
    "Terraform lets go of it: nothing is deleted, and it stays as it is";

/// Of the pool that a cluster has for what none of its own pools is for.
pub(crate) const CONTROLLERS_WAIT: &str = "what admits runs, starts failed ones again, and finds names (DNS) is on it, and does none of that until another pool has it";

/// What is switched on in the project: one list for all nouns of a root.
const SERVICE: &str = "google_project_service";

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
                (Some(before), Some(after)) => {
                    let roots = (&self.old, &self.new);
                    guarded_otherwise(before, changed(before, after, roots), roots)
                }
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
            let told = [Effect::Replaces, Effect::Restarts, Effect::NextStart].contains(&effect)
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
                .map_or_else(String::new, |it| self.asked_by(address, it).to_owned()),
            details: fate.details.clone(),
            why: [
                Some(fate.why.as_str()),
                old.filter(|it| self.is_bared(it)).map(|_| BARED),
                before
                    .filter(|it| ends && fate.follows.is_none() && self.old.puts_controllers_on(it))
                    .map(|_| CONTROLLERS_WAIT),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
            commands: before
                .filter(|_| fate.effect == Effect::DestroysData)
                .map(|it| backups::backed_up(it, self.new.instances.get(address)))
                .unwrap_or_default()
                .into_iter()
                .chain((fate.why == values::RENAMED).then(|| backups::replaced(root, address)))
                .collect(),
            stopped_by: old.and_then(|it| self.stop(address, it)),
            lifted_by: old.and_then(|it| self.lift(address, it)),
            refused: old.is_some_and(|it| self.is_connected(it)),
            takes_along: former.into_iter().cloned().collect(),
            partitions: Vec::new(),
            follows: fate.follows.clone(),
            stays: fate.stays,
            leaves_data: false,
        }
    }

    /// The noun that asked for something: of the networks of several pools, which one block makes, the pool whose nodes are in it.
    fn asked_by<'i>(&'i self, address: &str, it: &'i Instance) -> &'i str {
        let root = if self.new.instances.contains_key(address) { &self.new } else { &self.old };
        root.pool_in(address).unwrap_or(&it.origin)
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

/// Whether nodes get a taint, and those of their runs that stand are not what tolerates it.
pub(crate) fn taints(change: &Change) -> bool {
    change.why.contains(values::TAINTED)
}

/// Whether a change is none, since Terraform leaves what nothing says any more.
pub(crate) fn is_left(change: &Change) -> bool {
    change.effect == Effect::Nothing && kept::is_left(&change.why)
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
