//! What GKE does with the fields of workloads.

use crate::coverage::Cover::{Honoured, NoEffect, Noted};
use crate::coverage::Row;

/// By kind.
pub(crate) const COVERAGE: &[(&str, &[Row])] = &[("workload", WORKLOAD), ("side_job", SIDE_JOB)];

const WORKLOAD: &[Row] = &[
    ("place", Honoured),
    ("image", Honoured),
    ("nodes", Honoured),
    ("slices", Honoured),
    ("launch", Honoured),
    ("parallel", NoEffect("rules check it, and the command line says it")),
    ("mounts", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Honoured),
    ("mounts.use", Honoured),
    ("env", Honoured),
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
    ("env", Honoured),
    ("mounts", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Honoured),
    ("mounts.use", Honoured),
    ("cpus", Honoured),
    ("memory", Honoured),
];
