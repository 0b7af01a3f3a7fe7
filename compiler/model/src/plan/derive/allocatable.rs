//! What GKE leaves of a machine for pods: the system and what must stay free are taken off.

use crate::Size;
use crate::catalog::{Catalog, Machine, Reserved, Share, Step};
use crate::nouns::LocalSsd;
use crate::plan::Amounts;

/// Ten thousandths in a whole.
const WHOLE: u64 = 10_000;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The disks of a node that hold what pods write.
#[derive(Clone, Copy)]
pub(crate) struct Disks {
    /// The boot disk.
    pub(crate) boot: Size,
    /// What the local disks are for, and how many there are.
    pub(crate) local: (LocalSsd, i64),
}

/// What pods may ask of one node, besides its `devices`; nothing of what the catalog does not know.
pub(crate) fn allocatable(
    catalog: &Catalog,
    machine: &Machine,
    disks: Disks,
    devices: i64,
) -> Amounts {
    let reserved = &catalog.kubernetes().reserved;
    Amounts {
        devices,
        millicpus: millicpus(reserved, machine),
        memory: memory(reserved, machine),
        disk: disk(reserved, machine, disks),
    }
}

fn millicpus(reserved: &Reserved, machine: &Machine) -> i64 {
    let all = i64::from(machine.vcpus) * 1000;
    let kept = match machine.shared_core {
        true => i64::from(reserved.shared_core_millicpus),
        false => {
            stepped(&reserved.cpus, u64::from(machine.vcpus), 1000).try_into().unwrap_or(i64::MAX)
        }
    };
    all.saturating_sub(kept).max(0)
}

fn memory(reserved: &Reserved, machine: &Machine) -> Size {
    // A positive number of GiB, or 0 where it is not known.
    let mib = (machine.memory_gib * 1024.0) as u64;
    let kept = stepped_of(&reserved.memory, mib, 1024).saturating_add(reserved.eviction_mib.into());
    let pages = u64::from(machine.gke.hugepages_2m.unwrap_or(0)) * 2;
    Size(mib.saturating_sub(kept).saturating_sub(pages) * MIB)
}

/// What is kept of `all`, where one of them is `unit` small ones, in small ones.
fn stepped(steps: &[Step], all: u64, unit: u64) -> u64 {
    stepped_of(steps, all.saturating_mul(unit), unit)
}

/// What is kept of `all` small ones, of which `unit` are one of the steps'.
fn stepped_of(steps: &[Step], all: u64, unit: u64) -> u64 {
    let mut from = 0;
    let mut kept = 0;
    for step in steps {
        let to = step.to.map_or(u64::MAX, |to| u64::from(to).saturating_mul(unit));
        kept += all.min(to).saturating_sub(from) * u64::from(step.part);
        from = to;
    }
    kept.div_ceil(WHOLE)
}

fn disk(reserved: &Reserved, machine: &Machine, disks: Disks) -> Size {
    match disks.local {
        (LocalSsd::Scratch, count) if count > 0 => local_disk(reserved, machine, count),
        _ => {
            let all = disks.boot.0;
            let kept = reserved.boot_disk.iter().map(|share| of(share, all)).min().unwrap_or(0);
            whole(free(reserved, all).saturating_sub(kept))
        }
    }
}

/// What so many local disks of a machine hold for pods.
pub(crate) fn local_disk(reserved: &Reserved, machine: &Machine, count: i64) -> Size {
    let all = u64::from(machine.local_ssd.disk_gib) * count.unsigned_abs() * GIB;
    let at = usize::try_from(count - 1).unwrap_or(0).min(reserved.local_ssd_gib.len().max(1) - 1);
    let kept = reserved.local_ssd_gib.get(at).map_or(0, |gib| u64::from(*gib) * GIB);
    whole(free(reserved, all).saturating_sub(kept))
}

/// In GiB, rounded down.
fn whole(bytes: u64) -> Size {
    Size(bytes / GIB * GIB)
}

fn free(reserved: &Reserved, all: u64) -> u64 {
    all - all / WHOLE * u64::from(reserved.disk_eviction)
}

fn of(share: &Share, all: u64) -> u64 {
    u64::from(share.gib) * GIB + all / WHOLE * u64::from(share.part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(machine: &str, local: (LocalSsd, i64), boot_gib: u64) -> Amounts {
        let catalog = Catalog::builtin();
        let machine = catalog.machine(machine).unwrap();
        allocatable(catalog, machine, Disks { boot: Size(boot_gib * GIB), local }, 0)
    }

    #[test]
    fn gke_keeps_parts_that_fall_with_size() {
        // Processors: 60 of the first, 10 of the second, 5 of each of the next two, 2.5 of each further one.
        for (machine, millicpus, mib) in [
            ("e2-standard-2", 1930, 6248),
            ("e2-standard-4", 3920, 13620),
            ("n2-standard-8", 7910, 29022),
            ("n2-standard-16", 15890, 59824),
            ("a3-megagpu-8g", 207_410, 1_871_567),
        ] {
            let found = node(machine, (LocalSsd::None, 0), 100);
            assert_eq!(found.millicpus, millicpus, "{machine}");
            let near = found.memory.0 / MIB;
            assert!(near.abs_diff(mib) * 100 < mib * 2, "{machine}: {near} MiB");
        }
    }

    #[test]
    fn a_machine_that_shares_its_cores_has_a_sum_of_its_own() {
        assert_eq!(node("e2-medium", (LocalSsd::None, 0), 100).millicpus, 940);
    }

    #[test]
    fn disks_are_not_handed_out_whole() {
        let none = (LocalSsd::None, 0);
        for (local, boot, gib) in [
            (none, 100, 49),
            (none, 200, 104),
            (none, 1000, 800),
            ((LocalSsd::Scratch, 1), 200, 287),
            ((LocalSsd::Scratch, 2), 200, 600),
            ((LocalSsd::Scratch, 16), 200, 5300),
            ((LocalSsd::Raw, 16), 200, 104),
        ] {
            assert_eq!(node("a3-megagpu-8g", local, boot).disk.0 / GIB, gib, "{local:?} {boot}");
        }
    }
}
