//! What GKE does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, Noted};
use crate::coverage::{PARALLEL, Row, Tables};

/// By kind.
pub(crate) const COVERAGE: &Tables =
    &[("workload", WORKLOAD), ("side_job", SIDE_JOB), ("queue", QUEUE)];

const WORKLOAD: &[Row] = &[
    ("place", Honoured),
    ("image", Honoured),
    ("nodes", Honoured),
    ("slices", Honoured),
    ("launch", Honoured),
    ("launch.script", Honoured),
    ("launch.args", Honoured),
    ("launch.module", Honoured),
    ("launch.argv", Honoured),
    ("parallel", PARALLEL),
    ("parallel.tensor", PARALLEL),
    ("parallel.pipeline", PARALLEL),
    ("parallel.context", PARALLEL),
    ("parallel.expert", PARALLEL),
    ("parallel.data", PARALLEL),
    ("parallel.global_batch", PARALLEL),
    ("parallel.micro_batch", PARALLEL),
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
    ("identity", Honoured),
    ("dashboard", Honoured),
    ("shared_memory", Honoured),
    ("workdir", Honoured),
    ("name", Honoured),
    ("fabric", Honoured),
    ("labels", Honoured),
];

const SIDE_JOB: &[Row] = &[
    ("", Honoured),
    ("pool", Honoured),
    ("image", Honoured),
    ("launch", Honoured),
    ("launch.script", Honoured),
    ("launch.args", Honoured),
    ("launch.module", Honoured),
    ("launch.argv", Honoured),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    ("mounts", Honoured),
    ("mounts.source", Honoured),
    ("mounts.source.size", Honoured),
    ("mounts.path", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Honoured),
    ("mounts.use", Honoured),
    ("cpus", Honoured),
    ("memory", Honoured),
];

const QUEUE: &[Row] = &[
    ("pools", Honoured),
    ("namespaces", Honoured),
    ("quota", Honoured),
    ("cohort", Honoured),
    ("preemption", Honoured),
    ("priorities", Honoured),
];
