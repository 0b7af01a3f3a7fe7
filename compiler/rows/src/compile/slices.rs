//! Slices, which files write more tersely than they are kept.

use std::collections::BTreeMap;

use crate::rows::{Confidence, Slice};

/// A group of slices as files write it: `rows = [["4x4x8", 128, 32, "v5p-256"], ...]`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SliceGroup {
    /// The generation.
    pub generation: String,
    #[serde(default)]
    machine: Option<String>,
    chips_per_host: u32,
    #[serde(default)]
    default: Vec<String>,
    #[serde(default)]
    twistable: Vec<String>,
    #[serde(default)]
    documented_max_chips: Option<u32>,
    /// Topology, chips, hosts and name of each.
    pub rows: Vec<(String, u32, u32, String)>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    confidence: Confidence,
}

impl SliceGroup {
    /// The slice of one row; nothing where the topology cannot be read.
    pub(super) fn slice(&self, row: &(String, u32, u32, String)) -> Option<Slice> {
        let (topology, chips, hosts, name) = row;
        let beyond = self.documented_max_chips.is_some_and(|most| *chips > most);
        Some(Slice {
            topology: topology.clone(),
            sides: sides(topology)?,
            chips: *chips,
            hosts: *hosts,
            name: name.clone(),
            machine: self.machine.clone(),
            chips_per_host: self.chips_per_host,
            default: self.default.contains(topology),
            twistable: self.twistable.contains(topology),
            beyond_documented: beyond,
            confidence: if beyond { Confidence::Low } else { self.confidence },
        })
    }
}

/// The sides of a topology; the third is 1 in a plane.
pub fn sides(topology: &str) -> Option<[u32; 3]> {
    let mut parts = topology.split('x');
    let mut side = || -> Option<Option<u32>> {
        match parts.next() {
            None => Some(None),
            Some(part) => part.parse().ok().filter(|side| *side > 0).map(Some),
        }
    };
    let (first, second, third) = (side()??, side()??, side()?);
    if parts.next().is_some() {
        return None;
    }
    Some([first, second, third.unwrap_or(1)])
}

/// Adds a slice, in place of one with the same shape on the same machine.
pub(super) fn insert_slice(slices: &mut Vec<Slice>, slice: Slice) {
    let same = slices
        .iter_mut()
        .find(|known| known.topology == slice.topology && known.machine == slice.machine);
    match same {
        Some(known) => *known = slice,
        None => slices.push(slice),
    }
}

/// A name that only one slice has means that slice.
pub(super) fn mark_lone_names(slices: &mut [Slice]) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for slice in slices.iter() {
        *counts.entry(slice.name.clone()).or_default() += 1;
    }
    for slice in slices {
        slice.default |= counts.get(&slice.name) == Some(&1);
    }
}
