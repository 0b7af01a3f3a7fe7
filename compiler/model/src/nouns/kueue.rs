//! What Kueue itself does in a cluster.

use super::{Choice, Countable};
use crate::Duration;
use indexmap::IndexMap;
use serde::Deserialize;

/// What Kueue does in a cluster.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kueue {
    /// The one form.
    Kueue {
        /// When the pods of an admitted run have to be ready.
        ready_within: Option<ReadyWithin>,
        /// When pods that a run lost have to be there again.
        recovered_within: Option<Duration>,
        /// The next run is admitted when the pods of the one before are ready.
        one_at_a_time: bool,
        /// How a run that was not ready goes back to its queue.
        requeue: Option<Requeue>,
        /// What is lent is shared by weights.
        fair_sharing: bool,
        /// By which share of the queues of a cohort.
        fair_by: Choice<FairBy>,
        /// What becomes of jobs that name no queue.
        unqueued_jobs: Unqueued,
        /// How long a finished run is known.
        keep_finished: Option<Duration>,
        /// The kinds of jobs that it looks at.
        integrations: Option<Vec<String>>,
        /// When it places pods by how far apart their nodes are.
        topology: Choice<Topologies>,
        /// The release that is installed.
        version: Option<String>,
        /// What quotas call devices of these classes.
        devices: IndexMap<String, Vec<String>>,
        /// What quotas call parts of devices.
        parts: IndexMap<String, DevicePart>,
        /// What it counts for each that pods ask for of a resource.
        counts_as: IndexMap<String, Counted>,
    },
}

/// When the pods of an admitted run have to be ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyWithin {
    /// After so long.
    Duration(Duration),
    /// At any time.
    Never,
}

/// How a run that was not ready goes back to its queue.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requeue {
    /// The one form.
    Requeue {
        /// How often at most; then it stays out.
        limit: Option<i64>,
        /// How long it waits first.
        base: Duration,
        /// How long it waits at most.
        max: Duration,
        /// Where it stands in line.
        place: InLine,
    },
}

/// Where a run stands in line that goes back to its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InLine {
    /// By when it was submitted.
    Kept,
    /// By when it was sent back.
    Last,
}

/// By which share of what is lent queues are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FairBy {
    /// What the queues have afterwards.
    FinalShare,
    /// What they had before.
    InitialShare,
}

impl Kueue {
    /// How long the pods of a run have to be ready, in a release that waits so many minutes by itself.
    pub fn pods_ready(&self, minutes: Option<u32>) -> Option<Duration> {
        let Self::Kueue { ready_within, .. } = self;
        match ready_within {
            Some(ReadyWithin::Duration(within)) => Some(*within),
            Some(ReadyWithin::Never) => None,
            None => minutes.map(|minutes| Duration(u64::from(minutes) * 60)),
        }
    }

    /// Whether what is lent goes to whose queue has the smallest share of it.
    pub fn is_fair(&self) -> bool {
        let Self::Kueue { fair_sharing, .. } = self;
        *fair_sharing
    }

    /// The release that is installed, where it is not the catalog's.
    pub fn version(&self) -> Option<&str> {
        let Self::Kueue { version, .. } = self;
        version.as_deref()
    }

    /// What quotas call devices of these classes.
    pub fn devices(&self) -> &IndexMap<String, Vec<String>> {
        let Self::Kueue { devices, .. } = self;
        devices
    }

    /// What quotas call parts of devices.
    pub fn parts(&self) -> &IndexMap<String, DevicePart> {
        let Self::Kueue { parts, .. } = self;
        parts
    }

    /// What it counts for each that pods ask for of a resource.
    pub fn counts_as(&self) -> &IndexMap<String, Counted> {
        let Self::Kueue { counts_as, .. } = self;
        counts_as
    }

    /// All that it is told to count, by the names that quotas speak of.
    pub fn counted(&self) -> impl Iterator<Item = &str> {
        let as_others =
            self.counts_as().values().flat_map(|Counted::Each { amounts, .. }| amounts.keys());
        let devices = self.devices().keys().chain(self.parts().keys());
        devices.chain(as_others).map(String::as_str)
    }

    /// What quotas call a class of devices, where that is not its own name.
    pub fn called(&self, class: &str) -> Option<&str> {
        let own = |(_, classes): &(&String, &Vec<String>)| classes.iter().any(|it| it == class);
        self.devices().iter().find(own).map(|(name, _)| name.as_str())
    }
}

/// Parts of devices that pods claim.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DevicePart {
    /// Of devices that are cut into others.
    Counter {
        /// The counter that these take from.
        name: String,
        /// Classes that pods claim.
        classes: Vec<String>,
        /// Who publishes the devices.
        driver: String,
        /// Which devices count, in CEL.
        of: Option<String>,
    },
    /// Of devices that several claims share.
    Capacity {
        /// The capacity that they share.
        name: String,
        /// Classes that pods claim.
        classes: Vec<String>,
        /// Who publishes the devices.
        driver: String,
        /// Which devices count, in CEL.
        of: Option<String>,
    },
}

impl DevicePart {
    /// Classes that pods claim.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Counter { classes, .. } | Self::Capacity { classes, .. } => classes,
        }
    }

    /// The expression in CEL of the devices that count, where it is said.
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::Counter { of, .. } | Self::Capacity { of, .. } => of.as_deref(),
        }
    }

    /// Whether it is what claims share of one device.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Capacity { .. })
    }
}

/// What Kueue counts for each that pods ask for of a resource.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// The one form.
    Each {
        /// So much of other resources.
        amounts: IndexMap<String, Countable>,
        /// As often as pods ask for this.
        times: Option<String>,
        /// It is counted itself, besides.
        kept: bool,
    },
}

impl Counted {
    /// Whether what pods ask for is counted itself, besides.
    pub fn is_kept(&self) -> bool {
        let Self::Each { kept, .. } = self;
        *kept
    }
}

/// When Kueue places pods by how far apart their nodes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topologies {
    /// Where a workload asks for it.
    Asked,
}

/// What becomes of jobs that name no queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unqueued {
    /// They run at once.
    Run,
    /// They wait for a queue.
    Wait,
}
