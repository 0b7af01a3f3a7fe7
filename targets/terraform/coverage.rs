//! What Terraform does with the fields of what it makes.

use crate::coverage::Cover::Honoured;
use crate::coverage::{Row, Tables};

/// Of kinds that belong to no platform.
pub(crate) const SHARED: &Tables = &[
    ("network", NETWORK),
    ("bucket", BUCKET),
    ("filesystem", FILESYSTEM),
    ("registry", REGISTRY),
    ("identity", IDENTITY),
    ("dashboard", DASHBOARD),
];

/// Of clusters on GKE.
pub(crate) const GKE: &Tables = &[("cluster", CLUSTER), ("pool", POOL)];

const NETWORK: &[Row] = &[
    ("region", Honoured),
    ("subnet", Honoured),
    ("pods", Honoured),
    ("services", Honoured),
    ("accelerators", Honoured),
    ("mtu", Honoured),
    ("nat", Honoured),
    ("flow_logs", Honoured),
    ("name", Honoured),
    ("subnet_name", Honoured),
    ("pods_name", Honoured),
    ("services_name", Honoured),
];

const BUCKET: &[Row] = &[
    ("location", Honoured),
    ("name", Honoured),
    ("hierarchical", Honoured),
    ("versioning", Honoured),
    ("soft_delete", Honoured),
    ("delete_after", Honoured),
    ("access", Honoured),
    ("force_destroy", Honoured),
    ("labels", Honoured),
];

const FILESYSTEM: &[Row] = &[
    ("storage", Honoured),
    ("storage.capacity", Honoured),
    ("storage.tier", Honoured),
    ("storage.throughput", Honoured),
    ("storage.server", Honoured),
    ("storage.export", Honoured),
    ("storage.folder", Honoured),
    ("network", Honoured),
    ("location", Honoured),
    ("share", Honoured),
    ("deletion_protection", Honoured),
    ("labels", Honoured),
];

const REGISTRY: &[Row] =
    &[("location", Honoured), ("name", Honoured), ("keep", Honoured), ("labels", Honoured)];

const IDENTITY: &[Row] = &[("account", Honoured), ("roles", Honoured)];

const DASHBOARD: &[Row] = &[("region", Honoured), ("title", Honoured), ("labels", Honoured)];

const CLUSTER: &[Row] = &[
    ("network", Honoured),
    ("location", Honoured),
    ("zone", Honoured),
    ("name", Honoured),
    ("control_plane", Honoured),
    ("authorized", Honoured),
    ("private_endpoint", Honoured),
    ("dns_endpoint", Honoured),
    ("release", Honoured),
    ("version", Honoured),
    ("deletion_protection", Honoured),
    ("system_machine", Honoured),
    ("node_identity", Honoured),
    ("namespace", Honoured),
    ("labels", Honoured),
];

const POOL: &[Row] = &[
    ("machine", Honoured),
    ("nodes", Honoured),
    ("topology", Honoured),
    ("slices", Honoured),
    ("capacity", Honoured),
    ("capacity.name", Honoured),
    ("capacity.block", Honoured),
    ("capacity.policy", Honoured),
    ("capacity.max", Honoured),
    ("placement", Honoured),
    ("zone", Honoured),
    ("sharing", Honoured),
    ("sharing.profile", Honoured),
    ("sharing.clients", Honoured),
    ("driver", Honoured),
    ("disk", Honoured),
    ("disk_type", Honoured),
    ("local_ssd", Honoured),
    ("autoscale", Honoured),
    ("max_pods", Honoured),
    ("labels", Honoured),
];
