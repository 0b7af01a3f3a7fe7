//! What pods ask of nodes and nodes have for pods, counted alike on both sides.

use crate::Size;

/// So much of a node, of several nodes, or of a quota.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amounts {
    /// GPUs, parts or shares of GPUs, or TPU chips.
    pub devices: i64,
    /// Thousandths of a processor.
    pub millicpus: i64,
    /// Memory.
    pub memory: Size,
    /// Space on the node's own disks.
    pub disk: Size,
}

/// One of the [`Amounts`], as people call it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource {
    /// GPUs, their parts or shares, or chips.
    Devices,
    /// Processors.
    Cpus,
    /// Memory.
    Memory,
    /// Local disk.
    Disk,
}

impl Resource {
    /// All of them, those that people look at first before the others.
    pub const ALL: [Self; 4] = [Self::Devices, Self::Cpus, Self::Memory, Self::Disk];
}

impl Amounts {
    /// Nothing.
    pub const NONE: Self = Self { devices: 0, millicpus: 0, memory: Size(0), disk: Size(0) };

    fn zip(self, other: Self, int: fn(i64, i64) -> i64, size: fn(u64, u64) -> u64) -> Self {
        Self {
            devices: int(self.devices, other.devices),
            millicpus: int(self.millicpus, other.millicpus),
            memory: Size(size(self.memory.0, other.memory.0)),
            disk: Size(size(self.disk.0, other.disk.0)),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, i64::saturating_add, u64::saturating_add)
    }

    /// What is left; never less than nothing.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        self.zip(other, |a, b| a.saturating_sub(b).max(0), u64::saturating_sub)
    }

    /// The greater of each.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        self.zip(other, i64::max, u64::max)
    }

    /// The smaller of each.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.zip(other, i64::min, u64::min)
    }

    /// So many times as much.
    #[must_use]
    pub fn times(self, count: i64) -> Self {
        self.part(count, 1)
    }

    /// `numerator` out of `denominator` parts, rounded down.
    #[must_use]
    pub fn part(self, numerator: i64, denominator: i64) -> Self {
        let (numerator, denominator) = (numerator.max(0), denominator.max(1));
        let int = |it: i64| {
            let all = i128::from(it) * i128::from(numerator) / i128::from(denominator);
            i64::try_from(all).unwrap_or(i64::MAX)
        };
        let size = |it: Size| {
            let all = u128::from(it.0) * u128::from(numerator.unsigned_abs())
                / u128::from(denominator.unsigned_abs());
            Size(u64::try_from(all).unwrap_or(u64::MAX))
        };
        Self {
            devices: int(self.devices),
            millicpus: int(self.millicpus),
            memory: size(self.memory),
            disk: size(self.disk),
        }
    }

    /// How often this holds `one`; `None` where `one` is nothing.
    pub fn holds(self, one: Self) -> Option<i64> {
        let ints = [(self.devices, one.devices), (self.millicpus, one.millicpus)];
        let sizes = [(self.memory, one.memory), (self.disk, one.disk)];
        let ints = ints.into_iter().filter(|(_, one)| *one > 0).map(|(all, one)| all / one);
        let sizes = sizes
            .into_iter()
            .filter(|(_, one)| one.0 > 0)
            .map(|(all, one)| i64::try_from(all.0 / one.0).unwrap_or(i64::MAX));
        ints.chain(sizes).min()
    }

    /// The first of which `other` has less than this asks for.
    pub fn beyond(self, other: Self) -> Option<Resource> {
        let found = [
            (Resource::Devices, self.devices > other.devices),
            (Resource::Cpus, self.millicpus > other.millicpus),
            (Resource::Memory, self.memory > other.memory),
            (Resource::Disk, self.disk > other.disk),
        ];
        found.into_iter().find(|(_, beyond)| *beyond).map(|(resource, _)| resource)
    }

    /// So much of one resource: devices, thousandths of processors, or bytes.
    pub fn of(self, resource: Resource) -> u64 {
        let count = |it: i64| u64::try_from(it).unwrap_or(0);
        match resource {
            Resource::Devices => count(self.devices),
            Resource::Cpus => count(self.millicpus),
            Resource::Memory => self.memory.0,
            Resource::Disk => self.disk.0,
        }
    }

    /// This resource alone.
    #[must_use]
    pub fn only(self, resource: Resource) -> Self {
        match resource {
            Resource::Devices => Self { devices: self.devices, ..Self::NONE },
            Resource::Cpus => Self { millicpus: self.millicpus, ..Self::NONE },
            Resource::Memory => Self { memory: self.memory, ..Self::NONE },
            Resource::Disk => Self { disk: self.disk, ..Self::NONE },
        }
    }

    /// Whether `other` has all of it.
    pub fn within(self, other: Self) -> bool {
        self.beyond(other).is_none()
    }

    /// One of them in words, such as `7.91 processors` or `24GiB of memory`.
    pub fn in_words(self, resource: Resource) -> String {
        match resource {
            Resource::Devices => format!("{} GPUs or chips", self.devices),
            Resource::Cpus => format!("{} processors", self.millicpus as f64 / 1000.0),
            Resource::Memory => format!("{} of memory", rough(self.memory)),
            Resource::Disk => format!("{} of local disk", rough(self.disk)),
        }
    }
}

/// Rounded down to what people read.
fn rough(size: Size) -> Size {
    const UNITS: [u64; 2] = [1 << 30, 1 << 20];
    let unit = UNITS.into_iter().find(|unit| size.0 >= 10 * unit || size.0.is_multiple_of(*unit));
    unit.map_or(size, |unit| Size(size.0 / unit * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(devices: i64, millicpus: i64, gib: u64) -> Amounts {
        Amounts { devices, millicpus, memory: Size(gib << 30), disk: Size(0) }
    }

    #[test]
    fn a_whole_holds_its_scarcest_resource() {
        let node = amounts(8, 7910, 28);
        assert_eq!(node.holds(amounts(2, 1000, 1)), Some(4));
        assert_eq!(node.holds(amounts(0, 1000, 10)), Some(2));
        assert_eq!(node.holds(amounts(9, 0, 0)), Some(0));
        assert_eq!(node.holds(Amounts::NONE), None);
        assert_eq!(amounts(1, 8000, 30).beyond(node), Some(Resource::Cpus));
        assert!(node.within(node));
    }

    #[test]
    fn amounts_never_overflow_nor_fall_below_nothing() {
        let much = amounts(i64::MAX, i64::MAX, 1 << 30);
        assert_eq!(much.times(1 << 40).devices, i64::MAX);
        assert_eq!(amounts(1, 1, 1).less(much), Amounts::NONE);
        assert_eq!(amounts(8, 7910, 28).part(1, 4), amounts(2, 1977, 7));
    }

    #[test]
    fn amounts_are_said_as_people_read_them() {
        let node = Amounts { memory: Size((28 << 30) + 5), ..amounts(8, 7910, 0) };
        assert_eq!(node.in_words(Resource::Cpus), "7.91 processors");
        assert_eq!(node.in_words(Resource::Memory), "28GiB of memory");
        assert_eq!(node.in_words(Resource::Devices), "8 GPUs or chips");
    }
}
