//! How far apart nodes are, and how close together they are wanted.

use crate::catalog::NodeLabels;
use serde::Deserialize;

/// How far apart nodes are, widest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// In one block of the data centre.
    Block,
    /// In one part of a block.
    Subblock,
    /// In one node pool.
    NodePool,
    /// On one machine.
    Host,
    /// On one node.
    Node,
}

impl Level {
    /// The label of nodes that tells its domains apart.
    pub fn label(self, labels: &NodeLabels) -> &str {
        match self {
            Self::Block => &labels.topology_block,
            Self::Subblock => &labels.topology_subblock,
            Self::NodePool => &labels.node_pool,
            Self::Host => &labels.topology_host,
            Self::Node => &labels.hostname,
        }
    }
}

/// How close together nodes are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closeness {
    /// All of them in one domain.
    Required {
        /// Of this level.
        level: Level,
        /// All nodes of a slice in one of these.
        slices: Option<Level>,
    },
    /// In as few domains as possible.
    Preferred {
        /// Of this level.
        level: Level,
        /// All nodes of a slice in one of these.
        slices: Option<Level>,
    },
}

impl Closeness {
    /// The same with slices in one of a level each, where nothing is said of them.
    #[must_use]
    pub(crate) fn with_slices(self, usual: Level) -> Self {
        match self {
            Self::Required { level, slices } => {
                Self::Required { level, slices: slices.or(Some(usual)) }
            }
            Self::Preferred { level, slices } => {
                Self::Preferred { level, slices: slices.or(Some(usual)) }
            }
        }
    }

    /// The level that slices have one domain of each.
    pub fn slices(self) -> Option<Level> {
        match self {
            Self::Required { slices, .. } | Self::Preferred { slices, .. } => slices,
        }
    }
}
