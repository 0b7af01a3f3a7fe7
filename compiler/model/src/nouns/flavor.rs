//! What queues deal, and in which order: flavors, and what is tried before the next of them.

use super::{Choice, Pool, Ref};
use crate::{NounId, Size};
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Whose place in other queues a workload takes that needs to borrow.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Displace {
    /// That of lower priorities, or nobody's.
    Bool(bool),
    /// That of lower priorities up to this one.
    String(String),
}

/// What is tried before a queue goes on to its next pool, or after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// To use what others lend.
    Borrow,
    /// To make others give way.
    Preempt,
}

/// How a queue stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// What runs comes to its end.
    Hold,
    /// What runs goes back to wait.
    Drain,
}

/// What pools are to Kueue.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavor {
    /// The one form.
    Flavor {
        /// Its pools, which are counted together.
        pools: Vec<Spanned<Ref<Pool>>>,
        /// The ResourceFlavor's name.
        name: Choice<Spanned<String>>,
        /// What the queue may hold of it.
        quota: Option<Amount>,
        /// What others may use of that.
        lend: Option<Amount>,
        /// What it may use of others'.
        borrow: Option<Amount>,
        /// Labels of its nodes.
        labels: IndexMap<String, String>,
        /// Kueue looks at none of them.
        unlabelled: bool,
        /// Taints of its nodes, key and value.
        taints: IndexMap<String, String>,
        /// Keys of taints that pods on it tolerate.
        tolerates: Vec<String>,
        /// The compute class by which GKE chooses which of its pools gets nodes.
        class: Option<String>,
    },
}

impl Flavor {
    /// Whether a pool is one of its.
    pub fn has(&self, pool: NounId) -> bool {
        let Self::Flavor { pools, .. } = self;
        pools.iter().any(|it| it.value == pool)
    }

    /// Its pools.
    pub fn pools(&self) -> impl Iterator<Item = NounId> {
        let Self::Flavor { pools, .. } = self;
        pools.iter().map(|it| it.value.id())
    }

    /// References to its pools.
    pub fn references(&self) -> impl Iterator<Item = Ref<Pool>> {
        let Self::Flavor { pools, .. } = self;
        pools.iter().map(|it| it.value)
    }

    /// What the queue may hold of it, where that is said.
    pub fn quota(&self) -> Option<&Amount> {
        let Self::Flavor { quota, .. } = self;
        quota.as_ref().filter(|it| it.is_of_nodes())
    }

    /// What others may use of that, where it is said.
    pub fn lend(&self) -> Option<&Amount> {
        let Self::Flavor { lend, .. } = self;
        lend.as_ref().filter(|it| it.is_of_nodes())
    }

    /// What it may use of others', where that is said.
    pub fn borrow(&self) -> Option<&Amount> {
        let Self::Flavor { borrow, .. } = self;
        borrow.as_ref().filter(|it| it.is_of_nodes())
    }

    /// What is said of something that nodes have besides: how much the queue may hold of it, lend, and borrow.
    pub fn said_of(&self, name: &str) -> (Option<Countable>, Option<Countable>, Option<Countable>) {
        let Self::Flavor { quota, lend, borrow, .. } = self;
        let of = |said: &Option<Amount>| said.as_ref()?.others()?.get(name).copied();
        (of(quota), of(lend), of(borrow))
    }

    /// What is said of its nodes: labels, `None` where Kueue looks at none, taints and keys of taints that pods tolerate.
    pub fn told(&self) -> Told {
        let Self::Flavor { labels, unlabelled, taints, tolerates, class, .. } = self;
        let pairs = |all: &IndexMap<String, String>| {
            all.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        Told {
            unlabelled: *unlabelled,
            labels: pairs(labels),
            taints: pairs(taints),
            tolerates: tolerates.iter().cloned().collect(),
            class: class.clone(),
        }
    }

    /// Its compute class, where it is one.
    pub fn class(&self) -> Option<&str> {
        let Self::Flavor { class, .. } = self;
        class.as_deref()
    }

    /// Its name, where that is said.
    pub fn name(&self) -> Option<&str> {
        let Self::Flavor { name, .. } = self;
        name.set().map(|it| it.value.as_str())
    }
}

/// What is said of the nodes of a flavor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// Kueue looks at no label of theirs.
    pub unlabelled: bool,
    /// Labels besides those that tell them from others.
    pub labels: BTreeMap<String, String>,
    /// Their taints, key and value.
    pub taints: BTreeMap<String, String>,
    /// Keys of taints that pods on them tolerate.
    pub tolerates: BTreeSet<String>,
    /// Their compute class.
    pub class: Option<String>,
}

/// So much of a flavor.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// GPUs or chips, with what belongs to them.
    Int(i64),
    /// So much of each.
    Of {
        /// GPUs or chips.
        devices: Option<i64>,
        /// Processors.
        cpus: Option<i64>,
        /// Memory.
        memory: Option<Size>,
        /// Local disk.
        disk: Option<Size>,
        /// What nodes have besides, as Kubernetes calls it.
        others: IndexMap<String, Countable>,
    },
}

impl Amount {
    /// What nodes have besides.
    pub fn others(&self) -> Option<&IndexMap<String, Countable>> {
        match self {
            Self::Int(_) => None,
            Self::Of { others, .. } => Some(others),
        }
    }

    /// Whether it says something of what every node has.
    fn is_of_nodes(&self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::Of { devices, cpus, memory, disk, others: _ } => {
                devices.is_some() || cpus.is_some() || memory.is_some() || disk.is_some()
            }
        }
    }
}

/// So much of something that the compiler knows no more of than its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Countable {
    /// So many.
    Int(i64),
    /// So many bytes.
    Size(Size),
}

impl Countable {
    /// How many, or how many bytes: Kubernetes compares the numbers.
    pub fn units(self) -> i128 {
        match self {
            Self::Int(count) => count.into(),
            Self::Size(size) => size.0.into(),
        }
    }
}

impl Countable {
    /// Both together: bytes where one of them is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let all = self.units().saturating_add(other.units());
        match (self, other) {
            (Self::Int(_), Self::Int(_)) => Self::Int(i64::try_from(all).unwrap_or(i64::MAX)),
            _ => Self::Size(Size(u64::try_from(all).unwrap_or(u64::MAX))),
        }
    }

    /// The smaller one.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        if other.units() < self.units() { other } else { self }
    }
}

impl fmt::Display for Countable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(count) => count.fmt(to),
            Self::Size(size) => size.fmt(to),
        }
    }
}
