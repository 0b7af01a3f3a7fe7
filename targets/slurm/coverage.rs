//! What Slurm does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, Ignored, Making, NoEffect, Noted, Refused, Ruled};
use crate::coverage::{Answer, PARALLEL, Row, Tables};

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_DASHBOARD = "slurm/dashboard":
        "a job of Slurm does not send its metrics to a dashboard by itself",
        "run an uploader beside it, on a host that sees the logs";
    SLURM_NAMESPACE = "slurm/namespace":
        "a namespace has no meaning on Slurm",
        "leave it out, or name an account: `patch sbatch { account = \"...\" }`";
    SLURM_PRIORITY = "slurm/priority":
        "a priority is one of a queue's, and Slurm has no queues",
        "leave `priority` out, or patch the job's QOS";
    SLURM_SHARED_MEMORY = "slurm/shared-memory":
        "containers on Slurm share `/dev/shm` with their node, so a workload cannot size it",
        "leave `shared_memory` out; the administrator sizes `/dev/shm` of the nodes";
    SLURM_PART = "slurm/part-of-node":
        "nodes that train are not divided",
        "leave `cpus` and `memory` out";
}

/// By kind.
pub(crate) const COVERAGE: &Tables = &[
    ("workload", &[NODES, WORKLOAD]),
    ("group", &[NODES, GROUP]),
    ("cluster", &[CLUSTER]),
    ("partition", &[PARTITION]),
];

/// Of a workload's own nodes and of a group's.
const NODES: &[Row] = &[
    ("place", Honoured),
    ("image", Honoured),
    ("nodes", Honoured),
    ("slices", Ruled("workload/slices-elsewhere")),
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
    ("mounts.use", NoEffect("a hint about caching: gcsfuse serves every bucket of a job alike")),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    (
        "identity",
        NoEffect("jobs act as their nodes do; its rights on buckets are granted all the same"),
    ),
    (
        "shared_memory",
        Ignored(Answer {
            code: SLURM_SHARED_MEMORY,
            why: "containers on Slurm share `/dev/shm` with their node, and its size is the administrator's",
            help: "leave `shared_memory` out; `df -h /dev/shm` on a node tells what there is",
        }),
    ),
    ("workdir", Honoured),
    ("fabric", Honoured),
    ("port", Honoured),
    ("role", Honoured),
    ("after", Honoured),
    ("after.group", Honoured),
];

const WORKLOAD: &[Row] = &[
    (
        "cpus",
        Ignored(Answer {
            code: SLURM_PART,
            why: "a job has its nodes to itself, or as much of them as its tasks need",
            help: "leave it out, or ask Slurm: `patch sbatch { cpus_per_task = ..., mem = \"...\" }`",
        }),
    ),
    (
        "memory",
        Ignored(Answer {
            code: SLURM_PART,
            why: "a job has its nodes to itself, or as much of them as its tasks need",
            help: "leave it out, or ask Slurm: `patch sbatch { cpus_per_task = ..., mem = \"...\" }`",
        }),
    ),
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
            "each attempt has it anew, after a failure and after a preemption; the attempt that takes as long is the last",
        ),
    ),
    ("test", Honoured),
    ("grace", Honoured),
    ("queue", Ruled("queue/not-on-gke")),
    (
        "namespace",
        Refused(Answer {
            code: SLURM_NAMESPACE,
            why: "a namespace has no meaning on Slurm",
            help: "leave `namespace` out, or name an account: `patch sbatch { account = \"...\" }`",
        }),
    ),
    (
        "priority",
        Refused(Answer {
            code: SLURM_PRIORITY,
            why: "a priority is one of a queue's, and Slurm has no queues",
            help: "name a quality of service instead: `patch sbatch { qos = \"...\" }`",
        }),
    ),
    (
        "dashboard",
        Ignored(Answer {
            code: SLURM_DASHBOARD,
            why: "a job of Slurm does not send its metrics to a dashboard by itself",
            help: "run `tb-gcp-uploader` beside it, on a host that sees the logs",
        }),
    ),
    ("name", Honoured),
    ("labels", Honoured),
];

const GROUP: &[Row] = &[("cpus", Honoured), ("memory", Honoured), ("decides", Honoured)];

const CLUSTER: &[Row] = &[
    ("name", Honoured),
    ("controllers", Making),
    ("release", Honoured),
    ("mpi", Honoured),
    ("shared", Honoured),
    ("requeue", Honoured),
    ("user", Making),
    ("node_identity", Honoured),
];

const PARTITION: &[Row] = &[
    ("machine", Honoured),
    ("nodes", Honoured),
    ("hosts", Honoured),
    ("first_address", Making),
    ("switch_nodes", Honoured),
    ("default", Making),
    ("max_time", Honoured),
    ("tier", Honoured),
    ("exclusive", Honoured),
];
