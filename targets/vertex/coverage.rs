//! What Vertex AI does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, Ignored, NoEffect, Noted, Refused, Ruled};
use crate::coverage::{Answer, Cover, PARALLEL, Row, Tables};

slipform_source::codes! {
    pub(crate) CODES;
    VERTEX_NAMESPACE = "vertex/namespace":
        "a namespace has no meaning on Vertex AI",
        "leave it out";
    VERTEX_PRIORITY = "vertex/priority":
        "a priority is one of a queue's, and Vertex AI has none of one's own",
        "leave `priority` out";
    VERTEX_SHARED_MEMORY = "vertex/shared-memory":
        "Vertex AI sizes shared memory by itself",
        "leave `shared_memory` out";
    VERTEX_READINESS = "vertex/readiness":
        "processes of a job are not asked whether they are ready",
        "leave `ready_when` out";
    VERTEX_FAILURE = "vertex/failure":
        "failures of a job are not told apart",
        "leave it out, and say how often it starts again with `restarts`";
    VERTEX_DOMAIN = "vertex/domain":
        "nodes of a job have no domains that labels tell apart",
        "leave `domain` out";
    VERTEX_SIDECARS = "vertex/sidecars":
        "nodes of a job have one container each",
        "start it with the program, or make it a `group`";
    VERTEX_PART = "vertex/part-of-node":
        "nodes of a job are not divided",
        "leave `cpus` and `memory` out";
}

/// By kind.
pub(crate) const COVERAGE: &Tables =
    &[("workload", &[NODES, WORKLOAD]), ("group", &[NODES, GROUP]), ("cluster", &[CLUSTER])];

const READINESS: Cover = Ignored(Answer {
    code: VERTEX_READINESS,
    why: "nobody asks processes whether they are ready there: those that have started are",
    help: "leave `ready_when` out, and let the one that waits try again",
});
const FAILURE: Cover = Refused(Answer {
    code: VERTEX_FAILURE,
    why: "Vertex AI does not tell one failure from another",
    help: "leave it out: `restarts` says how often all of it starts again",
});
const DOMAIN: Cover = Refused(Answer {
    code: VERTEX_DOMAIN,
    why: "domains are told apart by labels of Kubernetes",
    help: "leave `domain` out",
});
const SIDECARS: Cover = Refused(Answer {
    code: VERTEX_SIDECARS,
    why: "each node of a job has one container on Vertex AI",
    help: "start it with the program, or make it a `group`",
});

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
    ("mounts.read_only", Ruled("vertex/read-only")),
    ("mounts.use", NoEffect("a hint about caching: Vertex AI mounts buckets by itself")),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    (
        "shared_memory",
        Ignored(Answer {
            code: VERTEX_SHARED_MEMORY,
            why: "Vertex AI sizes shared memory by itself",
            help: "leave `shared_memory` out",
        }),
    ),
    ("workdir", Honoured),
    ("fabric", Honoured),
    (
        "cpus",
        Ignored(Answer {
            code: VERTEX_PART,
            why: "a replica has its machine to itself",
            help: "leave it out",
        }),
    ),
    (
        "memory",
        Ignored(Answer {
            code: VERTEX_PART,
            why: "a replica has its machine to itself",
            help: "leave it out",
        }),
    ),
    ("port", Honoured),
    ("role", NoEffect("a name among groups, and Vertex AI knows worker pools by their place")),
    ("after", Ruled("vertex/after")),
    ("after.group", Ruled("vertex/after")),
    ("ready_when", READINESS),
    ("ready_when.port", READINESS),
    ("ready_when.path", READINESS),
    ("ready_when.argv", READINESS),
    ("retries", FAILURE),
    ("domain", DOMAIN),
    ("sidecars", SIDECARS),
    ("sidecars.name", SIDECARS),
    ("sidecars.image", SIDECARS),
    ("sidecars.argv", SIDECARS),
    ("sidecars.env", SIDECARS),
    ("sidecars.env.name", SIDECARS),
    ("sidecars.env.key", SIDECARS),
    ("sidecars.cpus", SIDECARS),
    ("sidecars.memory", SIDECARS),
    ("sidecars.port", SIDECARS),
];

const WORKLOAD: &[Row] = &[
    ("identity", Honoured),
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
        Noted("it is the longest running time of the job, 7 days where nothing is written"),
    ),
    ("test", Honoured),
    ("grace", Ruled("vertex/grace")),
    ("queue", Ruled("queue/not-on-gke")),
    (
        "namespace",
        Refused(Answer {
            code: VERTEX_NAMESPACE,
            why: "a namespace has no meaning on Vertex AI",
            help: "leave `namespace` out",
        }),
    ),
    (
        "priority",
        Refused(Answer {
            code: VERTEX_PRIORITY,
            why: "a priority is one of a queue's, and Vertex AI has no queues of one's own",
            help: "leave `priority` out",
        }),
    ),
    ("dashboard", Honoured),
    ("name", Honoured),
    ("labels", Honoured),
    (
        "success",
        NoEffect("a job succeeds with the first of its own nodes, and a rule asks for that word"),
    ),
    ("on_failure", FAILURE),
    ("on_failure.exit_codes", FAILURE),
    ("on_failure.disrupted", FAILURE),
    ("on_failure.of", FAILURE),
    ("coordinator", NoEffect("a label of JobSet's")),
    ("host_names", NoEffect("hosts have names there without it")),
];

const GROUP: &[Row] = &[
    ("", Honoured),
    ("identity", Ruled("vertex/group-identity")),
    ("decides", Ruled("vertex/helper")),
    ("part", Honoured),
];

const CLUSTER: &[Row] = &[
    ("region", Honoured),
    ("machine", Honoured),
    ("capacity", Honoured),
    ("capacity.name", Honoured),
    ("capacity.block", Honoured),
    ("capacity.policy", Ruled("vertex/reservation-policy")),
    ("capacity.max", Honoured),
    ("zone", Honoured),
    ("staging", Honoured),
    ("network", Honoured),
    ("disk", Honoured),
    ("disk_type", Honoured),
    ("labels", Honoured),
];
