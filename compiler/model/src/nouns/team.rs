//! Teams: who works in a namespace, and what it may hold.

use serde::Deserialize;

/// A team and its namespace.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    /// The one form.
    Team {
        /// Who works there: `user:`, `group:` or `serviceAccount:` and an address.
        members: Vec<String>,
        /// The namespace is made here.
        made: bool,
        /// Pods of other namespaces do not reach its pods.
        isolated: bool,
        /// JobSets at most.
        runs: Option<i64>,
        /// Pods that have not ended, at most.
        pods: Option<i64>,
        /// Services at most.
        services: Option<i64>,
        /// Claims of volumes at most.
        claims: Option<i64>,
    },
}

impl Team {
    /// Who works there.
    pub fn members(&self) -> &[String] {
        let Self::Team { members, .. } = self;
        members
    }

    /// Whether its namespace is made here.
    pub fn is_made(&self) -> bool {
        let Self::Team { made, .. } = self;
        *made
    }

    /// Whether its JobSets are counted.
    pub fn counts_runs(&self) -> bool {
        let Self::Team { runs, .. } = self;
        runs.is_some()
    }
}
