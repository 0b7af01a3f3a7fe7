//! How far apart nodes are, and how close together they are wanted.

use crate::catalog::NodeLabels;
use indexmap::IndexMap;
use serde::Deserialize;

/// How far apart nodes are, widest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
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
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closeness {
    /// Wherever there is room.
    Anywhere,
    /// All of them in one domain.
    Required {
        /// Of this level.
        level: Level,
        /// All nodes of a slice in one of these.
        slices: Option<Level>,
        /// So many in one of each.
        each: IndexMap<Level, i64>,
    },
    /// In as few domains as possible.
    Preferred {
        /// Of this level.
        level: Level,
        /// All nodes of a slice in one of these.
        slices: Option<Level>,
        /// So many in one of each.
        each: IndexMap<Level, i64>,
    },
    /// Wherever groups of them have room.
    Grouped {
        /// So many in one of each.
        each: IndexMap<Level, i64>,
    },
}

impl Closeness {
    /// The level of all nodes, where one is named.
    pub fn level(&self) -> Option<Level> {
        match self {
            Self::Required { level, .. } | Self::Preferred { level, .. } => Some(*level),
            Self::Anywhere | Self::Grouped { .. } => None,
        }
    }

    /// The level that slices have one domain of each.
    pub fn slices(&self) -> Option<Level> {
        match self {
            Self::Required { slices, .. } | Self::Preferred { slices, .. } => *slices,
            Self::Anywhere | Self::Grouped { .. } => None,
        }
    }

    /// Levels of which each domain gets so many nodes, as they are written.
    pub fn each(&self) -> impl Iterator<Item = (Level, i64)> {
        let each = match self {
            Self::Required { each, .. } | Self::Preferred { each, .. } | Self::Grouped { each } => {
                Some(each)
            }
            Self::Anywhere => None,
        };
        each.into_iter().flatten().map(|(level, nodes)| (*level, *nodes))
    }

    /// All levels that it names.
    pub fn levels(&self) -> impl Iterator<Item = Level> {
        let each = self.each().map(|(level, _)| level);
        [self.level(), self.slices()].into_iter().flatten().chain(each)
    }
}
