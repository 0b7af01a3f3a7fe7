//! What Slurm does with the fields of clusters and workloads.

use crate::coverage::Cover::{Honoured, Ignored, Making, NoEffect, Noted, Only, Refused, Ruled};
use crate::coverage::{Answer, Cover, MODEL, Mend, PACKAGES, PARALLEL, Row, Tables, VERTEX_ALONE};
use crate::coverage::{is_on_cloud, makes_tpus};
use slipform_model::plan::Any;

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_DASHBOARD = "slurm/dashboard":
        "a job of Slurm does not send its metrics to a dashboard by itself",
        "run an uploader beside it, on a host that sees the logs";
    SLURM_NAMESPACE = "slurm/namespace":
        "a namespace has no meaning on Slurm",
        "leave it out, or name an account: `batch = { account = \"...\" }`";
    SLURM_PRIORITY = "slurm/priority":
        "a priority is one of a queue's, and Slurm has no queues",
        "leave `priority` out, or name a quality of service: `batch = { qos = \"...\" }`";
    SLURM_SHARED_MEMORY = "slurm/shared-memory":
        "containers on Slurm share `/dev/shm` with their node, so a workload cannot size it",
        "leave `shared_memory` out; the administrator sizes `/dev/shm` of the nodes";
    SLURM_READINESS = "slurm/readiness":
        "processes of a job are not asked whether they are ready",
        "leave `ready_when` out";
    SLURM_FAILURE = "slurm/failure":
        "failures of a job are not told apart",
        "leave it out, and say how often it starts again with `restarts`";
    SLURM_DOMAIN = "slurm/domain":
        "nodes of a job have no domains that labels tell apart",
        "leave `domain` out";
    SLURM_TOPOLOGY = "slurm/topology-level":
        "levels of a data centre are what Kueue places by, and Slurm has no Kueue",
        "leave `topology` out: `switch_nodes` of a partition, and its NVLink domains, keep jobs together";
    SLURM_SIDECARS = "slurm/sidecars":
        "nodes of a job have one container each",
        "start it with the program, or make it a `group`";
    SLURM_GCSFUSE = "slurm/gcsfuse":
        "gcsfuse serves every bucket of a job alike, and keeps nothing on the nodes",
        "leave `cache`, `cpus` and `memory` out of the mount";
    SLURM_PRIVILEGES = "slurm/privileges":
        "containers on Slurm have the rights of who submits the job",
        "leave `privileged` and `capabilities` out";
    SLURM_ACCOUNT = "slurm/account":
        "a service account of Kubernetes has no meaning on Slurm",
        "leave it out, or name an account of Slurm: `batch = { account = \"...\" }`";
    SLURM_PULL = "slurm/pull-secrets":
        "Slurm has no secrets to pull images with",
        "put the credentials where enroot reads them";
    SLURM_DEADLINE = "slurm/deadline":
        "a job of Slurm has one limit of time for all its nodes",
        "write `max_run` instead";
    SLURM_CLOUD_ALONE = "slurm/cloud-alone":
        "a field says how machines on Google Cloud are made, and these hosts are one's own or someone else's, or made by another service there",
        "leave it out, or give the cluster a `network` and a `zone`";
    pub(crate) SLURM_OWN_HOSTS = "slurm/own-hosts":
        "a field is about hosts of one's own, and Cluster Toolkit makes those of this cluster and names them",
        "leave it out";
    SLURM_TTL = "slurm/ttl":
        "how long Slurm remembers jobs is its own setting",
        "leave `ttl` out";
}

/// By kind.
pub(crate) const COVERAGE: &Tables = &[
    ("workload", &[NODES, WORKLOAD, MODEL, VERTEX_ALONE]),
    ("group", &[NODES, GROUP]),
    ("cluster", &[CLUSTER]),
    ("partition", &[PARTITION]),
];

const READINESS: Cover = Ignored(&Answer {
    code: SLURM_READINESS,
    why: "nobody asks processes whether they are ready there: those that have started are",
    mend: Mend::Said("leave `ready_when` out, and let the one that waits try again"),
});
const FAILURE: Cover = Refused(&Answer {
    code: SLURM_FAILURE,
    why: "Slurm does not tell one failure from another",
    mend: Mend::LeftOut("leave it out: `restarts` says how often all of it starts again"),
});
const DOMAIN: Cover = Refused(&Answer {
    code: SLURM_DOMAIN,
    why: "domains are told apart by labels of Kubernetes",
    mend: Mend::LeftOut("leave `domain` out"),
});
const TOPOLOGY: Cover = Refused(&Answer {
    code: SLURM_TOPOLOGY,
    why: "Kueue places by levels, and there is none",
    mend: Mend::LeftOut(
        "leave `topology` out: `switch_nodes` of a partition, and its NVLink domains, keep jobs together",
    ),
});
const SIDECARS: Cover = Refused(&Answer {
    code: SLURM_SIDECARS,
    why: "each node of a job has one container on Slurm",
    mend: Mend::Said("start it with the program, or make it a `group`"),
});

/// Of a workload's own nodes and of a group's.
const NODES: &[Row] = &[
    ("packages", PACKAGES),
    ("place", Honoured),
    ("image", Honoured),
    ("image.path", Honoured),
    ("image.from", Honoured),
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
    ("mounts.source.path", Honoured),
    ("mounts.source.bucket", Ruled("storage/local-checkpoints-elsewhere")),
    ("mounts.source.memory", Ruled("storage/local-checkpoints-elsewhere")),
    ("mounts.path", Honoured),
    ("mounts.folder", Honoured),
    ("mounts.read_only", Honoured),
    ("mounts.use", NoEffect("a hint about caching: gcsfuse serves every bucket of a job alike")),
    (
        "mounts.cache",
        Ignored(&Answer {
            code: SLURM_GCSFUSE,
            why: "gcsfuse serves every bucket of a job alike, and keeps nothing on the nodes",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "mounts.cpus",
        Ignored(&Answer {
            code: SLURM_GCSFUSE,
            why: "gcsfuse serves every bucket of a job alike, and keeps nothing on the nodes",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    (
        "mounts.memory",
        Ignored(&Answer {
            code: SLURM_GCSFUSE,
            why: "gcsfuse serves every bucket of a job alike, and keeps nothing on the nodes",
            mend: Mend::LeftOut("leave it out"),
        }),
    ),
    ("env", Honoured),
    ("env.name", Honoured),
    ("env.key", Honoured),
    ("env.group", Honoured),
    (
        "identity",
        NoEffect(
            "jobs act as their nodes do, and the rights on buckets are those of the nodes' identity",
        ),
    ),
    (
        "shared_memory",
        Ignored(&Answer {
            code: SLURM_SHARED_MEMORY,
            why: "containers on Slurm share `/dev/shm` with their node, and its size is the administrator's",
            mend: Mend::LeftOut(
                "leave `shared_memory` out; `df -h /dev/shm` on a node tells what there is",
            ),
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
    ("accelerators", Honoured),
    ("port", Honoured),
    ("role", Honoured),
    ("after", Honoured),
    ("after.group", Honoured),
    (
        "privileged",
        Refused(&Answer {
            code: SLURM_PRIVILEGES,
            why: "containers on Slurm run as who submits the job, without privileges on the node",
            mend: Mend::Said("leave it out, or have the administrator set what the nodes need"),
        }),
    ),
    (
        "capabilities",
        Refused(&Answer {
            code: SLURM_PRIVILEGES,
            why: "containers on Slurm run as who submits the job, without privileges on the node",
            mend: Mend::Said("leave it out, or have the administrator set what the nodes need"),
        }),
    ),
    ("host_network", NoEffect("containers on Slurm are on the network of their node in any case")),
    (
        "ports",
        NoEffect(
            "containers on Slurm are on the network of their node, where each port is open without a name",
        ),
    ),
    (
        "account",
        Refused(&Answer {
            code: SLURM_ACCOUNT,
            why: "a service account of Kubernetes has no meaning on Slurm",
            mend: Mend::Said(
                "leave it out, or name an account of Slurm: `batch = { account = \"...\" }`",
            ),
        }),
    ),
    (
        "deadline",
        Ignored(&Answer {
            code: SLURM_DEADLINE,
            why: "a job of Slurm has one limit of time for all its nodes",
            mend: Mend::Said("write `max_run`, which each attempt has anew"),
        }),
    ),
    ("container", NoEffect("a name within a pod, and Slurm has none")),
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
];

const WORKLOAD: &[Row] = &[
    ("batch", Honoured),
    ("batch.account", Honoured),
    ("batch.qos", Honoured),
    ("batch.reservation", Honoured),
    ("batch.nice", Honoured),
    ("batch.attempt_logs", Honoured),
    ("batch.output", Honoured),
    ("batch.error", Honoured),
    ("batch.label", Honoured),
    ("batch.array", Honoured),
    ("batch.dependency", Honoured),
    ("batch.any_dependency", Honoured),
    ("batch.dependency.of", Honoured),
    ("batch.dependency.of.number", Honoured),
    ("batch.dependency.delay", Honoured),
    ("batch.signal", Honoured),
    ("batch.segment", Honoured),
    ("batch.switches", Honoured),
    ("batch.switches.count", Honoured),
    ("batch.switches.wait", Honoured),
    ("batch.ranks", Honoured),
    ("batch.cpu_bind", Honoured),
    ("batch.mem_bind", Honoured),
    ("batch.gpu_bind", Honoured),
    ("batch.mpi", Honoured),
    ("batch.import", Honoured),
    ("batch.stage", Honoured),
    ("batch.stage.from", Honoured),
    ("batch.stage.to", Honoured),
    ("batch.stage_images", Honoured),
    ("batch.save", Honoured),
    ("batch.login", Honoured),
    ("cpus", Honoured),
    ("memory", Honoured),
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
        Refused(&Answer {
            code: SLURM_NAMESPACE,
            why: "a namespace has no meaning on Slurm",
            mend: Mend::Said(
                "leave `namespace` out, or name an account: `batch = { account = \"...\" }`",
            ),
        }),
    ),
    (
        "priority",
        Refused(&Answer {
            code: SLURM_PRIORITY,
            why: "a priority is one of a queue's, and Slurm has no queues",
            mend: Mend::Said("name a quality of service instead: `batch = { qos = \"...\" }`"),
        }),
    ),
    (
        "dashboard",
        Ignored(&Answer {
            code: SLURM_DASHBOARD,
            why: "a job of Slurm does not send its metrics to a dashboard by itself",
            mend: Mend::Said("run `tb-gcp-uploader` beside it, on a host that sees the logs"),
        }),
    ),
    ("name", Honoured),
    ("labels", Honoured),
    ("success", Honoured),
    ("on_failure", FAILURE),
    ("on_failure.exit_codes", FAILURE),
    ("on_failure.disrupted", FAILURE),
    ("on_failure.of", FAILURE),
    ("coordinator", NoEffect("a label of JobSet's")),
    ("host_names", NoEffect("hosts have names there without it")),
    ("avoid_nodes", Honoured),
    (
        "only_nodes",
        Noted("the values are features that nodes must have; the keys have no meaning there"),
    ),
    (
        "prefer_nodes",
        Noted("the values are features that nodes should have; the keys have no meaning there"),
    ),
    (
        "ttl",
        Ignored(&Answer {
            code: SLURM_TTL,
            why: "Slurm forgets jobs by itself, when its administrator has said",
            mend: Mend::LeftOut("leave it out; `MinJobAge` of `slurm.conf` is the setting"),
        }),
    ),
    (
        "pull_secrets",
        Refused(&Answer {
            code: SLURM_PULL,
            why: "images are pulled with what enroot finds on the login node, not with secrets of Kubernetes",
            mend: Mend::Said(
                "leave it out, and put the credentials in `~/.config/enroot/.credentials`",
            ),
        }),
    ),
];

const GROUP: &[Row] = &[
    ("cpus", Honoured),
    ("memory", Honoured),
    ("decides", Honoured),
    ("priority", NoEffect("groups of a job on Slurm start together, on nodes of their own")),
    ("part", NoEffect("groups of a job on Slurm are alike, whatever they are to each other")),
];

const CLOUD: Cover = Only(
    is_on_cloud,
    &Answer {
        code: SLURM_CLOUD_ALONE,
        why: "this says how machines on Google Cloud are made, and the hosts of this cluster are made elsewhere",
        mend: Mend::Said("leave it out, or give the cluster a `network` and a `zone`"),
    },
);
/// Of nodes that are instances of Compute Engine.
const INSTANCES: Cover = Only(
    makes_instances,
    &Answer {
        code: SLURM_CLOUD_ALONE,
        why: "this says how instances of Compute Engine are made, and these nodes are hosts that are made elsewhere, or TPUs, which Cloud TPU makes as it likes",
        mend: Mend::Said("leave it out"),
    },
);
/// Of nodes with TPUs.
const TPUS: Cover = Only(
    makes_tpus,
    &Answer {
        code: SLURM_CLOUD_ALONE,
        why: "this is about nodes with TPUs that are made on Google Cloud, and these are none",
        mend: Mend::LeftOut("leave it out"),
    },
);

fn makes_instances(it: Any<'_>) -> bool {
    is_on_cloud(it) && !makes_tpus(it)
}

const HOSTS: &Answer = &Answer {
    code: SLURM_OWN_HOSTS,
    why: "this is about hosts of one's own, and Cluster Toolkit makes the hosts of this cluster",
    mend: Mend::LeftOut("leave it out"),
};
/// Of hosts of one's own, whoever has set them up.
const OWN_HOSTS: Cover = Only(is_elsewhere, HOSTS);
/// Of hosts of one's own that are set up here.
const OWN_MAKING: Cover = Only(
    is_made_elsewhere,
    &Answer {
        code: SLURM_OWN_HOSTS,
        why: "this is about hosts of one's own that are set up here, and those of this cluster are not",
        mend: Mend::LeftOut("leave it out"),
    },
);

/// Of nodes that Slurm may start anew.
const REBOOTING: Cover = Only(
    is_rebooted,
    &Answer {
        code: SLURM_OWN_HOSTS,
        why: "this is how long nodes of one's own take to start anew, and nothing here starts them",
        mend: Mend::Said("leave it out, or say what starts them: `reboot = \"/usr/sbin/reboot\"`"),
    },
);

fn is_rebooted(it: Any<'_>) -> bool {
    matches!(it, Any::SlurmCluster(cluster) if cluster.body.reboot.is_some())
        && is_made_elsewhere(it)
}

fn is_elsewhere(it: Any<'_>) -> bool {
    !is_on_cloud(it)
}

fn is_made_elsewhere(it: Any<'_>) -> bool {
    !is_on_cloud(it) && !it.noun().existing
}

const CLUSTER: &[Row] = &[
    ("name", Honoured),
    ("network", Making),
    ("zone", Making),
    ("controllers", OWN_MAKING),
    ("release", Honoured),
    ("mpi", Honoured),
    ("shared", Honoured),
    ("requeue", Honoured),
    ("user", OWN_MAKING),
    ("node_identity", Honoured),
    ("controller", CLOUD),
    ("controller.machine", CLOUD),
    ("controller.disk", CLOUD),
    ("controller.disk_type", CLOUD),
    ("controller.state", CLOUD),
    ("controller.public", CLOUD),
    ("controller.identity", CLOUD),
    ("controller.startup", CLOUD),
    ("controller.standby", CLOUD),
    ("controller.standby.zone", CLOUD),
    ("controller.standby.addresses", CLOUD),
    ("login", CLOUD),
    ("login.machine", CLOUD),
    ("login.count", CLOUD),
    ("login.disk", CLOUD),
    ("login.disk_type", CLOUD),
    ("login.public", CLOUD),
    ("login.startup", CLOUD),
    ("mounts", CLOUD),
    ("image", CLOUD),
    ("image.name", CLOUD),
    ("image.project", CLOUD),
    ("health_checks", CLOUD),
    ("prologs", Making),
    ("epilogs", Making),
    ("node_check", OWN_MAKING),
    ("node_check.script", OWN_MAKING),
    ("node_check.every", OWN_MAKING),
    ("reboot", OWN_MAKING),
    ("reboot_time", REBOOTING),
    ("accounting", Making),
    ("accounting.host", Making),
    ("accounting.database", Making),
    ("accounting.enforce", Making),
    ("accounting.keep", Making),
    ("accounting.qualities", Making),
    ("accounting.tier", Making),
    ("accounting.backups", Making),
    ("accounting.deletion_protection", Making),
    ("priority", OWN_MAKING),
    ("priority.age", OWN_MAKING),
    ("priority.fair_share", OWN_MAKING),
    ("priority.size", OWN_MAKING),
    ("priority.qos", OWN_MAKING),
    ("priority.half_life", OWN_MAKING),
    ("priority.max_age", OWN_MAKING),
    ("configless", OWN_MAKING),
    ("startup_time", CLOUD),
];

const PARTITION: &[Row] = &[
    ("machine", Honoured),
    ("nodes", Honoured),
    ("capacity", CLOUD),
    ("capacity.name", CLOUD),
    ("capacity.block", CLOUD),
    ("capacity.policy", Ruled("slurm/reservation-policy")),
    ("capacity.max", CLOUD),
    ("capacity.check", Ruled("slurm/capacity")),
    ("capacity.retry", Ruled("slurm/capacity")),
    ("capacity.retry.limit", Ruled("slurm/capacity")),
    ("capacity.retry.base", Ruled("slurm/capacity")),
    ("capacity.retry.max", Ruled("slurm/capacity")),
    ("host_maintenance", INSTANCES),
    ("zones", INSTANCES),
    ("threads_per_core", INSTANCES),
    ("tier_1", INSTANCES),
    ("topology", TPUS),
    ("tpus", TPUS),
    ("tpus.tensorflow", TPUS),
    ("tpus.container", TPUS),
    ("tpus.keep", TPUS),
    ("placement", INSTANCES),
    ("disk", INSTANCES),
    ("disk_type", INSTANCES),
    ("startup", INSTANCES),
    ("idle", CLOUD),
    ("public", CLOUD),
    ("hosts", OWN_HOSTS),
    ("first_address", Making),
    ("switch_nodes", OWN_HOSTS),
    ("block_nodes", OWN_HOSTS),
    ("detect", OWN_MAKING),
    ("default", Making),
    ("max_time", Honoured),
    ("tier", Honoured),
    ("exclusive", Honoured),
];
