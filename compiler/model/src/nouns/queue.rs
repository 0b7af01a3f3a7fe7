//! The queues of a GKE cluster: who gives way to whom, what is asked before admission, and what is lent.

use super::flavor::{Amount, Displace, Flavor, Step, Stop};
use super::{Backoff, Choice, Pool, Ref};
use crate::NounId;
use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;
use std::collections::BTreeSet;

/// Whose place a workload takes in its own queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preemption {
    /// That of lower priorities, or nobody's.
    Bool(bool),
    /// That of lower priorities, and of the same one where those were submitted later.
    LowerOrNewer,
}

impl Preemption {
    /// Whether anybody has to give way.
    pub fn happens(self) -> bool {
        self != Self::Bool(false)
    }
}

/// Queues that lend each other what is idle.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cohort {
    /// All that is idle.
    String(String),
    /// So much of it.
    Cohort {
        /// Its name.
        name: String,
        /// GPUs or chips of its own that others may use.
        lend: Option<i64>,
        /// GPUs or chips of others that it may use.
        borrow: Option<i64>,
        /// Its part of what is lent, beside the others'.
        weight: Option<i64>,
        /// From whom it takes back what it lent.
        reclaim: Choice<Reclaim>,
        /// From whom it takes what it needs to borrow.
        displace: Displace,
    },
}

impl Cohort {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::String(name) | Self::Cohort { name, .. } => name,
        }
    }

    /// GPUs or chips of the queue's own that others may use, where that is said.
    pub fn lend(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { lend, .. } => *lend,
        }
    }

    /// GPUs or chips of others that the queue may use, where that is said.
    pub fn borrow(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { borrow, .. } => *borrow,
        }
    }

    /// The queue's part of what is lent, beside the others', where that is said.
    pub fn weight(&self) -> Option<i64> {
        match self {
            Self::String(_) => None,
            Self::Cohort { weight, .. } => *weight,
        }
    }

    /// From whom the queue takes back what it lent, where that is said.
    pub fn reclaim(&self) -> Option<Reclaim> {
        match self {
            Self::String(_) => None,
            Self::Cohort { reclaim, .. } => reclaim.set().copied(),
        }
    }

    /// From whom the queue takes what it needs to borrow.
    pub fn displace(&self) -> &Displace {
        match self {
            Self::String(_) => &Displace::Bool(false),
            Self::Cohort { displace, .. } => displace,
        }
    }
}

/// From whom of its cohort a queue takes back what it lent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reclaim {
    /// Nobody.
    Never,
    /// Lower priorities.
    Lower,
    /// Any workload.
    Any,
}

/// A queue over pools.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Queue {
    /// Where its workloads may run, first choice first.
    pub pools: Vec<Spanned<Ref<Pool>>>,
    /// One for each team.
    pub namespaces: Vec<Spanned<String>>,
    /// GPUs or chips that it may hold at once.
    pub quota: Choice<Spanned<i64>>,
    /// The ClusterQueue's name.
    pub name: Choice<Spanned<String>>,
    /// The LocalQueues' name.
    pub local_name: Choice<Spanned<String>>,
    /// Those of single namespaces that are called otherwise.
    pub local_names: IndexMap<String, Vec<Spanned<String>>>,
    /// Labels of namespaces that it is open to.
    pub open_to: Option<IndexMap<String, String>>,
    /// What its pools are to Kueue.
    pub flavors: Vec<Spanned<Flavor>>,
    /// The cohort that it shares idle quota with.
    pub cohort: Option<Cohort>,
    /// Before what the next of its pools is tried.
    pub next_before: Vec<Step>,
    /// Whose place a workload takes in its own queue.
    pub preemption: Preemption,
    /// Weights of namespaces, or of single LocalQueues of them, by what they used of late.
    pub by_use: IndexMap<String, i64>,
    /// Nobody passes the first in line.
    pub strict: bool,
    /// It admits nothing more.
    pub stop: Option<Stop>,
    /// What a workload has to pass besides quota.
    pub checks: Vec<Spanned<Check>>,
    /// Queues of other clusters that run what it admits.
    pub workers: Vec<Spanned<Ref<Queue>>>,
    /// Priorities and their weights.
    pub priorities: IndexMap<String, i64>,
}

/// What a workload has to pass besides quota.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// One that is there.
    String(String),
    /// One that a controller performs.
    Check {
        /// Its name.
        name: String,
        /// Who performs it; without, it is there.
        controller: Option<String>,
        /// What tells how.
        parameters: Option<ObjectName>,
        /// The pools that it is for; none is all.
        pools: Vec<Ref<Pool>>,
    },
    /// A request for nodes.
    Provisioning {
        /// Its name.
        name: String,
        /// Who serves the request.
        class: String,
        /// What it is told.
        parameters: IndexMap<String, String>,
        /// How often it is made again.
        retry: Option<Backoff>,
        /// The pools that it is for; none is all.
        pools: Vec<Ref<Pool>>,
    },
}

impl Check {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::String(name) | Self::Check { name, .. } | Self::Provisioning { name, .. } => name,
        }
    }

    /// The pools that it is for; none is all.
    pub fn pools(&self) -> &[Ref<Pool>] {
        match self {
            Self::String(_) => &[],
            Self::Check { pools, .. } | Self::Provisioning { pools, .. } => pools,
        }
    }

    /// Whether it is made here.
    pub fn is_made(&self) -> bool {
        match self {
            Self::String(_) => false,
            Self::Check { controller, .. } => controller.is_some(),
            Self::Provisioning { .. } => true,
        }
    }

    /// Whether both are one check, whichever pools they are for.
    pub fn is_same(&self, other: &Self) -> bool {
        let everywhere = |it: &Self| match it.clone() {
            Self::Check { name, controller, parameters, pools: _ } => {
                Self::Check { name, controller, parameters, pools: Vec::new() }
            }
            Self::Provisioning { name, class, parameters, retry, pools: _ } => {
                Self::Provisioning { name, class, parameters, retry, pools: Vec::new() }
            }
            name => name,
        };
        everywhere(self) == everywhere(other)
    }
}

/// An object that nobody here makes.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectName {
    /// The one form.
    Object {
        /// The group of its API.
        group: String,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
}

impl Queue {
    /// Whether it is there for what it lends alone: no namespace has a door to it.
    pub fn is_lender(&self) -> bool {
        self.namespaces.is_empty() && self.open_to.is_none()
    }

    /// The weight of a LocalQueue by what it used of late.
    pub fn weight_of(&self, namespace: &str, local: &str) -> Option<i64> {
        let own = self.by_use.get(&format!("{namespace}/{local}"));
        own.or_else(|| self.by_use.get(namespace)).copied()
    }

    /// What it says of its flavors besides what is known of nodes.
    pub fn others(&self) -> BTreeSet<&str> {
        let flavors = self.flavors.iter().map(|it| &it.value);
        let said = flavors.flat_map(|Flavor::Flavor { quota, lend, borrow, .. }| {
            [quota, lend, borrow].into_iter().flatten().filter_map(Amount::others)
        });
        said.flat_map(|others| others.keys()).map(String::as_str).collect()
    }

    /// What is said of the flavor that a pool is of.
    pub fn flavor_of(&self, pool: NounId) -> Option<&Flavor> {
        self.flavors.iter().map(|it| &it.value).find(|flavor| flavor.has(pool))
    }
}
