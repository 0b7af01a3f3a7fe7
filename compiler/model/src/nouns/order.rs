//! What the groups of a run are to each other: who waits for whom, when one is ready, and what ends and failures mean.

use super::{Group, Ref, Workload};
use crate::{Duration, NounId};
use serde::Deserialize;

/// What nodes of a workload wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// All processes of the group have started.
    Ready {
        /// Which.
        group: Awaited,
    },
    /// The group has ended without a failure.
    Complete {
        /// Which.
        group: Awaited,
    },
}

impl After {
    /// Whom it waits for.
    pub fn awaited(self) -> Awaited {
        match self {
            Self::Ready { group } | Self::Complete { group } => group,
        }
    }
}

/// How it is found out that something is ready.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// It listens on a port.
    Tcp {
        /// Which.
        port: i64,
        /// How long it may take from its start on.
        within: Duration,
    },
    /// It answers well.
    Http {
        /// On this port.
        port: i64,
        /// At this path.
        path: String,
        /// How long it may take from its start on.
        within: Duration,
    },
    /// A command ends well in its container.
    Exec {
        /// The command.
        argv: Vec<String>,
        /// How long it may take from its start on.
        within: Duration,
    },
}

impl Probe {
    /// How long it may take from its start on.
    pub fn within(&self) -> Duration {
        match self {
            Self::Tcp { within, .. } | Self::Http { within, .. } | Self::Exec { within, .. } => {
                *within
            }
        }
    }
}

/// When a workload has succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Success {
    /// Once all groups that decide have ended well.
    All,
    /// Once one of them has.
    Any,
    /// Once its own nodes have.
    Own,
}

/// What a failure means for the run.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// It is over.
    Fail {
        /// Exit codes of its processes.
        exit_codes: Vec<i64>,
        /// A node was taken away.
        disrupted: bool,
        /// The groups that failed.
        of: Vec<Awaited>,
    },
    /// All of it starts again, which is one of its restarts.
    Restart {
        /// Exit codes of its processes.
        exit_codes: Vec<i64>,
        /// A node was taken away.
        disrupted: bool,
        /// The groups that failed.
        of: Vec<Awaited>,
    },
    /// All of it starts again, and that does not count.
    Forgive {
        /// Exit codes of its processes.
        exit_codes: Vec<i64>,
        /// A node was taken away.
        disrupted: bool,
        /// The groups that failed.
        of: Vec<Awaited>,
    },
}

/// Nodes that others of the same workload wait for, or reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    /// The workload's own.
    Workload(Ref<Workload>),
    /// Those of a group.
    Group(Ref<Group>),
}

impl Awaited {
    /// The noun that says what they are.
    pub fn id(self) -> NounId {
        match self {
            Self::Workload(workload) => workload.id(),
            Self::Group(group) => group.id(),
        }
    }
}
