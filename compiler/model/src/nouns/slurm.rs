//! Slurm clusters and their partitions.

use super::{Choice, Identity, Ref};
use crate::Duration;
use serde::Deserialize;
use slipform_source::Spanned;
use std::net::IpAddr;

/// A Slurm cluster.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SlurmCluster {
    /// `ClusterName`.
    pub name: Choice<Spanned<String>>,
    /// `SlurmctldHost`, the primary first.
    pub controllers: Vec<Spanned<String>>,
    /// The release, such as `23.11`.
    pub release: Spanned<String>,
    /// `MpiDefault`.
    pub mpi: Mpi,
    /// A folder that every node sees.
    pub shared: String,
    /// `JobRequeue`.
    pub requeue: bool,
    /// `SlurmUser`.
    pub user: String,
    /// Who its nodes are on Google Cloud.
    pub node_identity: Option<Spanned<Ref<Identity>>>,
}

/// How MPI programs find each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mpi {
    /// PMIx.
    Pmix,
    /// PMI-2.
    Pmi2,
    /// Not at all.
    None,
}

/// A partition: identical nodes under one name.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Partition {
    /// The machine type or node preset.
    pub machine: Spanned<String>,
    /// Nodes in all.
    pub nodes: Spanned<i64>,
    /// Their names as a host list.
    pub hosts: Choice<Spanned<String>>,
    /// The address of the first node.
    pub first_address: Option<Spanned<IpAddr>>,
    /// Nodes under one leaf switch.
    pub switch_nodes: Choice<Spanned<i64>>,
    /// Where jobs go that name no partition.
    pub default: bool,
    /// The longest that a job may run.
    pub max_time: Option<Spanned<Duration>>,
    /// `PriorityTier`.
    pub tier: i64,
    /// Whether jobs have nodes to themselves.
    pub exclusive: bool,
}
