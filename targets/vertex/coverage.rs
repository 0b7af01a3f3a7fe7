//! What Vertex AI does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, Ignored, NoEffect, Noted, Refused, Ruled};
use crate::coverage::{Answer, Cover, MODEL, Mend, PARALLEL, Row, SLURM_ALONE, Tables};

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
    VERTEX_TOPOLOGY = "vertex/topology-level":
        "levels of a data centre are what Kueue places by, and Vertex AI has no Kueue",
        "leave `topology` out; machines of a reservation stand close together";
    VERTEX_SIDECARS = "vertex/sidecars":
        "nodes of a job have one container each",
        "start it with the program, or make it a `group`";
    VERTEX_GCSFUSE = "vertex/gcsfuse":
        "Vertex AI mounts buckets by itself, and takes no settings for it",
        "leave `cache`, `cpus` and `memory` out of the mount";
    VERTEX_PRIVILEGES = "vertex/privileges":
        "containers on Vertex AI have no privileges on their machines",
        "leave `privileged` and `capabilities` out";
    VERTEX_NETWORK = "vertex/host-network":
        "replicas on Vertex AI have the network that the platform gives them",
        "leave `host_network` out";
    VERTEX_ACCOUNT = "vertex/account":
        "a service account of Kubernetes has no meaning on Vertex AI",
        "name an `identity`";
    VERTEX_PULL = "vertex/pull-secrets":
        "Vertex AI has no secrets to pull images with",
        "push the image to Artifact Registry: `push_to`";
    VERTEX_DEADLINE = "vertex/deadline":
        "a job on Vertex AI has one limit of time for all its replicas",
        "write `max_run` instead";
    VERTEX_TTL = "vertex/ttl":
        "Vertex AI keeps jobs until somebody deletes them",
        "leave `ttl` out";
    VERTEX_NODES = "vertex/nodes":
        "machines of Vertex AI have no names and no labels",
        "leave `avoid_nodes` and `only_nodes` out";
    VERTEX_PART = "vertex/part-of-node":
        "nodes of a job are not divided",
        "leave `cpus`, `memory` and `accelerators` out";
}

/// By kind.
pub(crate) const COVERAGE: &Tables = &[
    ("workload", &[NODES, WORKLOAD, MODEL, SLURM_ALONE]),
    ("group", &[NODES, GROUP]),
    ("cluster", &[CLUSTER]),
];

const READINESS: Cover = Ignored(&Answer {
    code: VERTEX_READINESS,
    why: "nobody asks processes whether they are ready there: those that have started are",
    mend: Mend::Said("leave `ready_when` out, and let the one that waits try again"),
});
const FAILURE: Cover = Refused(&Answer {
    code: VERTEX_FAILURE,
    why: "Vertex AI does not tell one failure from another",
    mend: Mend::LeftOut("leave it out: `restarts` says how often all of it starts again"),
});
const DOMAIN: Cover = Refused(&Answer {
    code: VERTEX_DOMAIN,
    why: "domains are told apart by labels of Kubernetes",
    mend: Mend::LeftOut("leave `domain` out"),
});
const TOPOLOGY: Cover = Refused(&Answer {
    code: VERTEX_TOPOLOGY,
    why: "Kueue places by levels, and there is none",
    mend: Mend::LeftOut("leave `topology` out; machines of a reservation stand close together"),
});
const SIDECARS: Cover = Refused(&Answer {
    code: VERTEX_SIDECARS,
    why: "each node of a job has one container on Vertex AI",
    mend: Mend::Said("start it with the program, or make it a `group`"),
});

/// Of a workload's own nodes and of a group's.
const NODES: &[Row] = &[
    ("packages", Honoured),
    ("place", Honoured),
    ("image", Honoured),
    ("image.path", Ruled("image/slurm-only")),
    ("image.from", Ruled("image/slurm-only")),
    ("nodes", Honoured),
    ("slices", Ruled("workload/slices-elsewhere")),
    ("launch", Honoured),
    ("launch.script", Honoured),
    ("launch.args", Honoured),
    ("launch.args.group", Honoured),
    ("launch.module", Honoured),
    ("launch.argv", Honoured),
    ("launch.argv.group", Honoured),
    ("launch.options", Honoured),
    ("launch.rendezvous", Honoured),
    ("mounts", Honoured),
    ("mounts.source", Honoured),
    ("mounts.source.size", Honoured),
    ("mounts.source.name", Ruled("storage/object-elsewhere")),
    ("mounts.source.path", Ruled("storage/host-path-elsewhere")),
    ("mounts.source.bucket", Ruled("storage/local-checkpoints-elsewhere")),
    ("mounts.source.memory", Ruled("storage/local-checkpoints-elsewhere")),
    ("mounts.path", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Ruled("vertex/read-only")),
    ("mounts.use", NoEffect("a hint about caching: Vertex AI mounts buckets by itself")),
    (
        "mounts.cache",
        Ignored(&Answer {
            code: VERTEX_GCSFUSE,
            why: "Vertex AI mounts buckets by itself, and takes no settings for it",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "mounts.cpus",
        Ignored(&Answer {
            code: VERTEX_GCSFUSE,
            why: "Vertex AI mounts buckets by itself, and takes no settings for it",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "mounts.memory",
        Ignored(&Answer {
            code: VERTEX_GCSFUSE,
            why: "Vertex AI mounts buckets by itself, and takes no settings for it",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    ("env.group", Honoured),
    (
        "shared_memory",
        Ignored(&Answer {
            code: VERTEX_SHARED_MEMORY,
            why: "Vertex AI sizes shared memory by itself",
            mend: Mend::LeftOut("leave `shared_memory` out"),
        }),
    ),
    ("workdir", Honoured),
    ("fabric", Honoured),
    ("setup", Honoured),
    ("setup.group", Honoured),
    ("gpu_check", Honoured),
    ("cleanup", Honoured),
    ("cleanup.group", Honoured),
    ("processes", Honoured),
    (
        "accelerators",
        Refused(&Answer {
            code: VERTEX_PART,
            why: "a replica has its machine to itself, with as many GPUs as that comes with",
            mend: Mend::Said("leave it out, or choose a machine type with fewer GPUs"),
        }),
    ),
    (
        "cpus",
        Ignored(&Answer {
            code: VERTEX_PART,
            why: "a replica has its machine to itself",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "memory",
        Ignored(&Answer {
            code: VERTEX_PART,
            why: "a replica has its machine to itself",
            mend: Mend::LeftOut("leave it out"),
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
    ("ready_when.within", READINESS),
    ("retries", FAILURE),
    ("domain", DOMAIN),
    ("topology", TOPOLOGY),
    ("topology.level", TOPOLOGY),
    ("topology.slices", TOPOLOGY),
    ("topology.each", TOPOLOGY),
    ("shape", Ruled("tpu/shape-fixed")),
    ("sidecars", SIDECARS),
    ("sidecars.name", SIDECARS),
    ("sidecars.image", SIDECARS),
    ("sidecars.argv", SIDECARS),
    ("sidecars.argv.group", SIDECARS),
    ("sidecars.args", SIDECARS),
    ("sidecars.args.group", SIDECARS),
    ("sidecars.env", SIDECARS),
    ("sidecars.env.group", SIDECARS),
    ("sidecars.env.name", SIDECARS),
    ("sidecars.env.key", SIDECARS),
    ("sidecars.cpus", SIDECARS),
    ("sidecars.memory", SIDECARS),
    ("sidecars.port", SIDECARS),
    (
        "privileged",
        Refused(&Answer {
            code: VERTEX_PRIVILEGES,
            why: "replicas on Vertex AI run without privileges on their machine",
            mend: Mend::Said("leave it out, or run it on GKE"),
        }),
    ),
    (
        "capabilities",
        Refused(&Answer {
            code: VERTEX_PRIVILEGES,
            why: "replicas on Vertex AI run without privileges on their machine",
            mend: Mend::Said("leave it out, or run it on GKE"),
        }),
    ),
    (
        "host_network",
        Ignored(&Answer {
            code: VERTEX_NETWORK,
            why: "replicas on Vertex AI have the network that the platform gives them",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    ("ports", NoEffect("replicas on Vertex AI reach each other at each port, and none has a name")),
    (
        "account",
        Refused(&Answer {
            code: VERTEX_ACCOUNT,
            why: "a service account of Kubernetes has no meaning on Vertex AI",
            mend: Mend::Said("name an `identity`: the job acts as its service account"),
        }),
    ),
    (
        "deadline",
        Ignored(&Answer {
            code: VERTEX_DEADLINE,
            why: "a job on Vertex AI has one limit of time for all its replicas",
            mend: Mend::Said("write `max_run`"),
        }),
    ),
    ("container", NoEffect("a name within a pod, and Vertex AI has none")),
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
        Refused(&Answer {
            code: VERTEX_NAMESPACE,
            why: "a namespace has no meaning on Vertex AI",
            mend: Mend::LeftOut("leave `namespace` out"),
        }),
    ),
    (
        "priority",
        Refused(&Answer {
            code: VERTEX_PRIORITY,
            why: "a priority is one of a queue's, and Vertex AI has no queues of one's own",
            mend: Mend::LeftOut("leave `priority` out"),
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
    ("title", Honoured),
    ("upload", Honoured),
    ("upload.title", Honoured),
    ("upload.image", Honoured),
    ("upload.predict", Honoured),
    ("upload.health", Honoured),
    ("upload.port", Honoured),
    ("upload.id", Honoured),
    ("upload.parent", Honoured),
    ("upload.aliases", Honoured),
    ("reduction_server", Honoured),
    ("reduction_server.machine", Honoured),
    ("reduction_server.nodes", Honoured),
    ("reduction_server.tier_1", Honoured),
    ("tuning", Honoured),
    ("tuning.metrics", Honoured),
    ("tuning.parameters", Honoured),
    ("tuning.parameters.min", Honoured),
    ("tuning.parameters.max", Honoured),
    ("tuning.parameters.scale", Honoured),
    ("tuning.parameters.under", Honoured),
    ("tuning.parameters.under.parameter", Honoured),
    ("tuning.parameters.under.values", Honoured),
    ("tuning.parameters.values", Honoured),
    ("tuning.trials", Honoured),
    ("tuning.parallel", Honoured),
    ("tuning.failures", Honoured),
    ("tuning.algorithm", Honoured),
    ("tuning.measurement", Honoured),
    ("tuning.early_stopping", Honoured),
    ("tuning.early_stopping.elapsed", Honoured),
    ("tuning.early_stopping.max_steps", Honoured),
    ("tuning.early_stopping.min_steps", Honoured),
    ("tuning.early_stopping.min_measurements", Honoured),
    ("tuning.early_stopping.learning_rate", Honoured),
    ("tuning.early_stopping.update_all", Honoured),
    ("coordinator", NoEffect("a label of JobSet's")),
    ("host_names", NoEffect("hosts have names there without it")),
    (
        "only_nodes",
        Refused(&Answer {
            code: VERTEX_NODES,
            why: "machines of Vertex AI come for one job, without names or labels to choose by",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "prefer_nodes",
        Refused(&Answer {
            code: VERTEX_NODES,
            why: "machines of Vertex AI come for one job, without names or labels to choose by",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "avoid_nodes",
        Refused(&Answer {
            code: VERTEX_NODES,
            why: "machines of Vertex AI come for one job, without names or labels to choose by",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "ttl",
        Ignored(&Answer {
            code: VERTEX_TTL,
            why: "Vertex AI keeps jobs until somebody deletes them",
            mend: Mend::Said("leave it out, and delete the job when its log has been read"),
        }),
    ),
    (
        "pull_secrets",
        Refused(&Answer {
            code: VERTEX_PULL,
            why: "images are pulled by the account of the job, not with secrets of Kubernetes",
            mend: Mend::Said("leave it out, and declare an `image` with `push_to`"),
        }),
    ),
];

const GROUP: &[Row] = &[
    ("", Honoured),
    ("identity", Ruled("vertex/group-identity")),
    ("decides", Ruled("vertex/helper")),
    ("priority", NoEffect("worker pools of a job start together, on machines of their own")),
    ("part", Honoured),
];

const CLUSTER: &[Row] = &[
    ("region", Honoured),
    ("machine", Honoured),
    ("gpus", Honoured),
    ("gpus.gpu", Honoured),
    ("gpus.count", Honoured),
    ("capacity", Honoured),
    ("capacity.name", Honoured),
    ("capacity.block", Honoured),
    ("capacity.policy", Ruled("vertex/reservation-policy")),
    ("capacity.max", Honoured),
    ("capacity.check", Ruled("vertex/capacity")),
    ("capacity.retry", Ruled("vertex/capacity")),
    ("capacity.retry.limit", Ruled("vertex/capacity")),
    ("capacity.retry.base", Ruled("vertex/capacity")),
    ("capacity.retry.max", Ruled("vertex/capacity")),
    ("zone", Honoured),
    ("staging", Honoured),
    ("staging_folder", Honoured),
    ("network", Honoured),
    ("reserved_ranges", Honoured),
    ("network_attachment", Honoured),
    ("max_wait", Honoured),
    ("persistent_resource", Honoured),
    ("encryption_key", Honoured),
    ("tensorboard", Honoured),
    ("web_access", Honoured),
    ("dashboard_access", Honoured),
    ("experiment", Honoured),
    ("experiment_run", Honoured),
    ("disk", Honoured),
    ("disk_type", Honoured),
    ("labels", Honoured),
];
