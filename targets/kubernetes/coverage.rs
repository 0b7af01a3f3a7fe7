//! What GKE does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, NoEffect, Noted};
use crate::coverage::{PARALLEL, Row, Tables};

/// By kind.
pub(crate) const COVERAGE: &Tables =
    &[("workload", &[NODES, WORKLOAD]), ("group", &[NODES, GROUP]), ("queue", &[QUEUE])];

/// Of a workload's own nodes and of a group's.
const NODES: &[Row] = &[
    ("place", Honoured),
    ("image", Honoured),
    ("nodes", Honoured),
    ("slices", Honoured),
    ("launch", Honoured),
    ("launch.script", Honoured),
    ("launch.args", Honoured),
    ("launch.module", Honoured),
    ("launch.argv", Honoured),
    ("mounts", Honoured),
    ("mounts.source", Honoured),
    ("mounts.source.size", Honoured),
    ("mounts.path", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Honoured),
    ("mounts.use", Honoured),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    ("identity", Honoured),
    ("shared_memory", Honoured),
    ("workdir", Honoured),
    ("fabric", Honoured),
    ("cpus", Honoured),
    ("memory", Honoured),
    ("port", Honoured),
    ("role", Honoured),
    ("after", Honoured),
    ("after.group", Honoured),
    ("ready_when", Honoured),
    ("ready_when.port", Honoured),
    ("ready_when.path", Honoured),
    ("ready_when.argv", Honoured),
    ("retries", Honoured),
    ("domain", Honoured),
    ("sidecars", Honoured),
    ("sidecars.name", Honoured),
    ("sidecars.image", Honoured),
    ("sidecars.argv", Honoured),
    ("sidecars.env", Honoured),
    ("sidecars.env.name", Honoured),
    ("sidecars.env.key", Honoured),
    ("sidecars.cpus", Honoured),
    ("sidecars.memory", Honoured),
    ("sidecars.port", Honoured),
];

const WORKLOAD: &[Row] = &[
    ("parallel", PARALLEL),
    ("parallel.tensor", PARALLEL),
    ("parallel.pipeline", PARALLEL),
    ("parallel.context", PARALLEL),
    ("parallel.expert", PARALLEL),
    ("parallel.data", PARALLEL),
    ("parallel.global_batch", PARALLEL),
    ("parallel.micro_batch", PARALLEL),
    ("restarts", Honoured),
    (
        "max_run",
        Noted(
            "in a queue it is counted over all attempts; without one each attempt has it anew, and one that takes longer ends the run",
        ),
    ),
    ("test", Honoured),
    ("grace", Honoured),
    ("queue", Honoured),
    ("namespace", Honoured),
    ("priority", Honoured),
    ("dashboard", Honoured),
    ("name", Honoured),
    ("labels", Honoured),
    ("success", Honoured),
    ("on_failure", Honoured),
    ("on_failure.exit_codes", Honoured),
    ("on_failure.disrupted", Honoured),
    ("on_failure.of", Honoured),
    ("coordinator", Honoured),
    ("host_names", Honoured),
];

const GROUP: &[Row] = &[
    ("", Honoured),
    ("decides", Honoured),
    ("part", NoEffect("jobs of Vertex AI have places for groups; here each is known by its role")),
];

const QUEUE: &[Row] = &[
    ("pools", Honoured),
    ("namespaces", Honoured),
    ("quota", Honoured),
    ("cohort", Honoured),
    ("preemption", Honoured),
    ("priorities", Honoured),
];
