//! What Terraform does with the fields of what it makes.

use crate::coverage::Cover::{Honoured, Making, Managed, Only};
use crate::coverage::{Answer, Cover, Mend, Row, Tables};
use slipform_model::plan::Any;

slipform_source::codes! {
    pub(crate) CODES;
    GPU_DRIVER = "gpu/driver":
        "a pool says which driver its GPUs have, and its machine has no GPUs",
        "leave `driver` out";
    MACHINES_UNUSED = "machines/unused":
        "a field of plain machines says something that what makes these machines has no word for",
        "leave it out, or choose machines that have it";
}

/// Of kinds that belong to no platform.
pub(crate) const SHARED: &Tables = &[
    ("network", &[NETWORK]),
    ("bucket", &[BUCKET]),
    ("filesystem", &[FILESYSTEM]),
    ("registry", &[REGISTRY]),
    ("identity", &[IDENTITY]),
    ("dashboard", &[DASHBOARD]),
    ("reservation", &[RESERVATION]),
    ("machines", &[MACHINES]),
];

/// Of clusters on GKE.
pub(crate) const GKE: &Tables = &[("cluster", &[CLUSTER]), ("pool", &[POOL])];

const NETWORK: &[Row] = &[
    ("region", Honoured),
    ("subnet", Honoured),
    ("pods", Honoured),
    ("services", Honoured),
    ("accelerators", Honoured),
    ("mtu", Honoured),
    ("nat", Making),
    ("nat_addresses", Making),
    ("nat_ports", Making),
    ("ssh", Making),
    ("firewall", Making),
    ("firewall.from", Making),
    ("firewall.tcp", Making),
    ("firewall.udp", Making),
    ("firewall.icmp", Making),
    ("private_services", Making),
    ("more_private_services", Making),
    ("own_ranges", Honoured),
    ("flow_logs", Making),
    ("name", Honoured),
    ("project", Honoured),
    ("subnet_name", Honoured),
    ("pods_name", Honoured),
    ("services_name", Honoured),
];

const BUCKET: &[Row] = &[
    ("location", Honoured),
    ("name", Honoured),
    ("hierarchical", Making),
    ("versioning", Making),
    ("soft_delete", Making),
    ("delete_after", Making),
    ("access", Honoured),
    ("class", Making),
    ("rapid", Making),
    ("caches", Making),
    ("cached_for", Making),
    ("retention", Making),
    ("encryption_key", Making),
    ("deletion_protection", Making),
    ("force_destroy", Making),
    ("labels", Making),
];

const FILESYSTEM: &[Row] = &[
    ("storage", Honoured),
    ("storage.capacity", Honoured),
    ("storage.tier", Honoured),
    ("storage.reserved", Honoured),
    ("storage.throughput", Honoured),
    ("storage.from", Making),
    ("storage.read_rate", Making),
    ("storage.iops", Making),
    ("storage.rate", Making),
    ("storage.server", Honoured),
    ("storage.export", Honoured),
    ("storage.folder", Honoured),
    ("network", Managed),
    ("location", Managed),
    ("name", Managed),
    ("share", Managed),
    ("encryption_key", Making),
    ("deletion_protection", Making),
    ("labels", Making),
];

const REGISTRY: &[Row] = &[
    ("location", Honoured),
    ("name", Honoured),
    ("project", Honoured),
    ("keep", Making),
    ("encryption_key", Making),
    ("labels", Making),
];

const IDENTITY: &[Row] = &[
    ("account", Honoured),
    ("project", Honoured),
    ("roles", Making),
    ("reads", Honoured),
    ("writes", Honoured),
    ("secrets", Making),
    ("federated", Making),
    ("federated.repository", Making),
    ("federated.ref", Making),
    ("federated.environment", Making),
    ("federated.issuer", Making),
    ("federated.subject", Making),
    ("federated.audience", Making),
    ("federated.keys", Making),
];

const DASHBOARD: &[Row] =
    &[("region", Honoured), ("title", Making), ("encryption_key", Making), ("labels", Making)];

const RESERVATION: &[Row] = &[
    ("machine", Honoured),
    ("gpus", Honoured),
    ("gpus.gpu", Honoured),
    ("gpus.count", Honoured),
    ("local_ssds", Making),
    ("count", Honoured),
    ("zone", Honoured),
    ("block", Honoured),
    ("name", Honoured),
    ("project", Honoured),
    ("shared_with", Making),
    ("starts", Honoured),
    ("ends", Honoured),
    ("deletion_protection", Making),
];

const MACHINES: &[Row] = &[
    ("machine", Making),
    ("nodes", Making),
    ("network", Making),
    ("zone", Making),
    ("topology", Making),
    ("runtime", OF_TPUS),
    ("image", OF_INSTANCES),
    ("image.name", OF_INSTANCES),
    ("image.project", OF_INSTANCES),
    ("capacity", Making),
    ("capacity.name", Making),
    ("capacity.block", OF_INSTANCES),
    ("capacity.policy", OF_INSTANCES),
    ("capacity.max", Making),
    ("capacity.check", OF_QUEUES),
    ("capacity.retry", OF_QUEUES),
    ("capacity.retry.limit", OF_QUEUES),
    ("capacity.retry.base", OF_QUEUES),
    ("capacity.retry.max", OF_QUEUES),
    ("made_by", Making),
    ("wait", OF_TPUS),
    ("placement", OF_INSTANCES),
    ("disk", OF_INSTANCES),
    ("disk_type", OF_INSTANCES),
    ("identity", Making),
    ("startup", Making),
    ("public", Making),
    ("os_login", OF_INSTANCES),
    ("on_host_maintenance", OF_INSTANCES),
    ("threads_per_core", OF_INSTANCES),
    ("tier_1", OF_INSTANCES),
    ("labels", Making),
    ("name", Making),
];

/// What instances of Compute Engine have, and slices of Cloud TPU have not.
const OF_INSTANCES: Cover = Only(
    is_instance,
    &Answer {
        code: MACHINES_UNUSED,
        why: "these machines have TPUs: Cloud TPU decides this, and has no word for it",
        mend: Mend::LeftOut("leave it out"),
    },
);

const OF_TPUS: Cover = Only(
    has_tpus,
    &Answer {
        code: MACHINES_UNUSED,
        why: "these machines have no TPUs, and nothing else of theirs reads this",
        mend: Mend::LeftOut("leave it out"),
    },
);

/// What a queue of GKE does with capacity that it asks for.
const OF_QUEUES: Cover = Cover::Ignored(&Answer {
    code: MACHINES_UNUSED,
    why: "no queue of GKE asks for these machines: people do, with a script, and it waits by itself",
    mend: Mend::LeftOut("leave it out"),
});

const CLUSTER: &[Row] = &[
    ("network", Honoured),
    ("location", Honoured),
    ("zone", Honoured),
    ("project", Honoured),
    ("name", Honoured),
    ("control_plane", Making),
    ("authorized", Making),
    ("google_ranges", Making),
    ("global_access", Making),
    ("private_endpoint", Honoured),
    ("dns_endpoint", Honoured),
    ("release", Honoured),
    ("version", Honoured),
    ("maintenance", Making),
    ("maintenance.start", Making),
    ("maintenance.length", Making),
    ("maintenance.days", Making),
    ("maintenance.except", Making),
    ("maintenance.except.from", Making),
    ("maintenance.except.until", Making),
    ("deletion_protection", Making),
    ("system_machine", Making),
    ("system_disk", Making),
    ("max_pods", Honoured),
    ("node_identity", Honoured),
    ("namespace", Honoured),
    ("volumes", Honoured),
    ("accounts", Honoured),
    ("teams", Making),
    ("teams.members", Making),
    ("teams.made", Making),
    ("teams.isolated", Making),
    ("teams.runs", Making),
    ("teams.pods", Making),
    ("teams.services", Making),
    ("teams.claims", Making),
    ("default_priority", Making),
    ("kueue", Making),
    ("kueue.ready_within", Making),
    ("kueue.recovered_within", Making),
    ("kueue.one_at_a_time", Making),
    ("kueue.requeue", Making),
    ("kueue.requeue.limit", Making),
    ("kueue.requeue.base", Making),
    ("kueue.requeue.max", Making),
    ("kueue.requeue.place", Making),
    ("kueue.fair_sharing", Making),
    ("kueue.fair_by", Making),
    ("kueue.unqueued_jobs", Making),
    ("kueue.keep_finished", Making),
    ("kueue.integrations", Making),
    ("kueue.topology", Making),
    ("kueue.version", Making),
    ("kueue.devices", Making),
    ("kueue.parts", Making),
    ("kueue.parts.name", Making),
    ("kueue.parts.classes", Making),
    ("kueue.parts.driver", Making),
    ("kueue.parts.of", Making),
    ("kueue.counts_as", Making),
    ("kueue.counts_as.amounts", Making),
    ("kueue.counts_as.times", Making),
    ("kueue.counts_as.kept", Making),
    ("cohorts", Honoured),
    ("cohorts.cohort", Honoured),
    ("cohorts.weight", Honoured),
    ("addons", Making),
    ("groups", Making),
    ("logs", Making),
    ("metrics", Making),
    ("dcgm", Making),
    ("prometheus", Making),
    ("encryption_key", Making),
    ("disk_key", Making),
    ("labels", Making),
];

const POOL: &[Row] = &[
    ("machine", Honoured),
    ("gpus", Honoured),
    ("gpus.gpu", Honoured),
    ("gpus.count", Honoured),
    ("nodes", Honoured),
    ("topology", Honoured),
    ("slices", Honoured),
    ("slicing", Honoured),
    ("capacity", Honoured),
    ("capacity.name", Honoured),
    ("capacity.block", Honoured),
    ("capacity.policy", Honoured),
    ("capacity.max", Honoured),
    ("capacity.check", Honoured),
    ("capacity.retry", Honoured),
    ("capacity.retry.limit", Honoured),
    ("capacity.retry.base", Honoured),
    ("capacity.retry.max", Honoured),
    ("placement", Honoured),
    ("zone", Honoured),
    ("sharing", Honoured),
    ("sharing.profile", Honoured),
    ("sharing.clients", Honoured),
    (
        "driver",
        Only(
            has_gpus,
            &Answer {
                code: GPU_DRIVER,
                why: "`driver` is the version of a driver for GPUs, and this machine has none",
                mend: Mend::LeftOut("leave `driver` out"),
            },
        ),
    ),
    ("disk", Honoured),
    ("disk_type", Honoured),
    ("disk_key", Making),
    ("local_ssd", Honoured),
    ("local_ssds", Honoured),
    ("autoscale", Honoured),
    ("max_pods", Honoured),
    ("labels", Honoured),
    ("interfaces", Honoured),
    ("rdma", Honoured),
    ("second_network", Honoured),
    ("name", Honoured),
    ("taints", Honoured),
    ("taints.key", Honoured),
    ("taints.value", Honoured),
    ("taints.effect", Honoured),
    ("image_streaming", Making),
    ("image_disks", Making),
    ("upgrades", Making),
    ("upgrade_by", Making),
    ("upgrade_by.extra", Making),
    ("upgrade_by.missing", Making),
    ("upgrade_by.batch", Making),
    ("upgrade_by.batch_soak", Making),
    ("upgrade_by.soak", Making),
    ("version", Making),
    ("repair", Making),
    ("host_maintenance", Making),
];

fn has_gpus(it: Any<'_>) -> bool {
    matches!(it, Any::Pool(pool) if pool.plan.machine.accelerator.is_some())
}

fn has_tpus(it: Any<'_>) -> bool {
    matches!(it, Any::Machines(machines) if machines.plan.machine.tpu.is_some())
}

fn is_instance(it: Any<'_>) -> bool {
    matches!(it, Any::Machines(machines) if machines.plan.machine.tpu.is_none())
}
