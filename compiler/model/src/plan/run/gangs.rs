//! The gangs of a run among themselves: who comes before whom, who is there at the same time.

use super::{Gang, MountPlan, Source, Until};
use crate::nouns::{Bucket, Ref};
use std::collections::BTreeSet;

/// Of more gangs than this nobody works out which of them meet: all of them might.
const MOST_ORDERED: usize = 24;

/// The gangs of a run: its own nodes, and those of its groups.
#[derive(Clone, PartialEq, Debug)]
pub struct Gangs {
    lead: Gang,
    groups: Vec<Gang>,
}

impl Gangs {
    pub(crate) fn new(lead: Gang, groups: Vec<Gang>) -> Self {
        Self { lead, groups }
    }

    /// The run's own.
    pub fn lead(&self) -> &Gang {
        &self.lead
    }

    /// Those of its groups, in the order of the blueprint.
    pub fn groups(&self) -> &[Gang] {
        &self.groups
    }

    /// All of them, the run's own first.
    pub fn iter(&self) -> impl Iterator<Item = &Gang> {
        std::iter::once(&self.lead).chain(&self.groups)
    }

    /// Those that decide, but for those whose end is the beginning of others.
    pub fn lasting(&self) -> impl Iterator<Item = &Gang> {
        let first = |gang: &Gang| {
            let mut awaited = self.iter().flat_map(|it| &it.after);
            awaited.any(|after| after.role == gang.role && after.until == Until::Complete)
        };
        self.iter().filter(move |gang| gang.decides && !first(gang))
    }

    /// All of them, each behind those that it waits for. Those that wait for each other come last.
    pub fn in_order(&self) -> Vec<&Gang> {
        let mut left: Vec<&Gang> = self.iter().collect();
        let mut order: Vec<&Gang> = Vec::with_capacity(left.len());
        let ready = |gang: &Gang, order: &[&Gang]| {
            gang.after.iter().all(|after| order.iter().any(|it| it.role == after.role))
        };
        while let Some(next) = left.iter().position(|gang| ready(gang, &order)) {
            order.push(left.remove(next));
        }
        order.extend(left);
        order
    }

    /// Whether a gang can never start, since what it waits for waits for it.
    pub fn waits_for_itself(&self, gang: &Gang) -> bool {
        let mut reached: Vec<&str> = Vec::new();
        let mut next: Vec<&Gang> = vec![gang];
        while let Some(at) = next.pop() {
            for after in &at.after {
                if !reached.contains(&after.role.as_str()) {
                    reached.push(&after.role);
                    next.extend(self.iter().find(|it| it.role == after.role));
                }
            }
        }
        reached.contains(&gang.role.as_str())
    }

    /// Gangs that may be there at the same time, as many as may; none of them waits for the end of another one.
    pub(crate) fn together(&self) -> Vec<Vec<&Gang>> {
        let all: Vec<&Gang> = self.iter().collect();
        if all.len() > MOST_ORDERED { vec![all] } else { self.meeting(all) }
    }

    /// Whether a bucket is written to while a gang is there, and not through its own mount of it: by another gang, or by its address.
    pub fn written_beside(&self, gang: &Gang, bucket: Ref<Bucket>, name: &str) -> bool {
        let address = format!("gs://{name}");
        let named = |it: &Gang| it.program.texts().any(|text| text.contains(&address));
        let writes = |mount: &MountPlan| {
            let of = matches!(mount.source.value, Source::Bucket { noun, .. } if noun == bucket);
            of && !mount.reads_alone()
        };
        let meets = |other: &&Gang| other.role != gang.role && self.meet(gang, other);
        let mounts = |other: &Gang| other.program.mounts.iter().any(writes);
        named(gang) || self.iter().filter(meets).any(|other| named(other) || mounts(other))
    }

    /// Of one that never meets some of the others either these are left out, or itself.
    fn meeting<'a>(&'a self, gangs: Vec<&'a Gang>) -> Vec<Vec<&'a Gang>> {
        let apart = |one: &Gang| gangs.iter().any(|other| !self.meet(one, other));
        let Some(one) = gangs.iter().copied().find(|it| apart(it)) else { return vec![gangs] };
        let of = |wanted: &dyn Fn(&Gang) -> bool| {
            self.meeting(gangs.iter().copied().filter(|it| wanted(it)).collect())
        };
        let mut sets = of(&|it| self.meet(one, it));
        sets.extend(of(&|it| it.role != one.role));
        sets
    }

    /// Whether two gangs may be there at the same time; each meets itself.
    fn meet(&self, one: &Gang, other: &Gang) -> bool {
        !self.ended_before(one).contains(other.role.as_str())
            && !self.ended_before(other).contains(one.role.as_str())
    }

    /// The roles of those that have ended when a gang starts.
    fn ended_before<'a>(&'a self, gang: &'a Gang) -> BTreeSet<&'a str> {
        let mut ended = BTreeSet::new();
        let (mut seen, mut next) = (BTreeSet::new(), vec![gang]);
        while let Some(at) = next.pop() {
            for after in &at.after {
                if after.until == Until::Complete {
                    ended.insert(after.role.as_str());
                }
                if seen.insert(after.role.as_str()) {
                    next.extend(self.iter().find(|it| it.role == after.role));
                }
            }
        }
        ended.remove(gang.role.as_str());
        ended
    }
}
