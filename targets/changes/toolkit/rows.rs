//! What another value of a setting of a module does.

use super::{
    CONTROLLER_ANEW, DATABASE_ANEW, DATABASE_RESTARTS, LOGIN_ANEW, NETWORK_HELD, NEXT_MOUNT,
    NEXT_NODES, NEXT_START, NEXT_TPUS, OTHER_CLUSTER, OTHER_MACHINE, OTHER_NAME, OTHER_NETWORK,
    OTHER_SLICE, PARTITION_GOES, RECONFIGURED,
};
use crate::Effect;

/// What another value of a setting does.
pub(super) struct Row {
    /// How the source of its module ends, or begins before the module's name.
    pub(super) of: &'static str,
    pub(super) settings: &'static [&'static str],
    pub(super) effect: Effect,
    pub(super) why: &'static str,
}

const fn row(
    of: &'static str,
    settings: &'static [&'static str],
    effect: Effect,
    why: &'static str,
) -> Row {
    Row { of, settings, effect, why }
}

pub(super) const NODES: &str = "schedmd-slurm-gcp-v6-nodeset";
pub(super) const TPUS: &str = "schedmd-slurm-gcp-v6-nodeset-tpu";
pub(super) const PARTITION: &str = "schedmd-slurm-gcp-v6-partition";
pub(super) const CONTROLLER: &str = "schedmd-slurm-gcp-v6-controller";
pub(super) const LOGIN: &str = "schedmd-slurm-gcp-v6-login";
pub(super) const OWN_NETWORK: &str = "pre-existing-vpc";
pub(super) const BUILT_IMAGE: &str = "packer/custom-image";
pub(super) const MOUNT: &str = "pre-existing-network-storage";
pub(super) const SCRIPT: &str = "startup-script";
pub(super) const DATABASE: &str = "slurm-cloudsql-federation";

/// Whatever it is called.
const ANY: &[&str] = &[];

/// What the modules that are rendered take, and what their templates of machines are made of. The first that fits counts.
pub(super) const ROWS: &[Row] = &[
    row(NODES, &["name"], Effect::Replaces, OTHER_NAME),
    row(NODES, &["machine_type"], Effect::MayReplace, OTHER_MACHINE),
    row(NODES, &["node_conf"], Effect::InPlace, RECONFIGURED),
    row(
        NODES,
        &[
            "disk_type",
            "disk_size_gb",
            "disk_labels",
            "additional_disks",
            "enable_placement",
            "accelerator_topology",
            "enable_spot_vm",
            "reservation_name",
            "future_reservation",
            "dws_flex",
            "advanced_machine_features",
            "bandwidth_tier",
            "on_host_maintenance",
            "service_account_email",
            "enable_public_ips",
            "allow_automatic_updates",
            "additional_networks",
            "zones",
            "maintenance_interval",
            "instance_image",
            "instance_image_custom",
            "labels",
            "metadata",
            "use",
        ],
        Effect::NextStart,
        NEXT_NODES,
    ),
    row(TPUS, &["name"], Effect::Replaces, OTHER_NAME),
    row(TPUS, &["node_type", "accelerator_config"], Effect::Replaces, OTHER_SLICE),
    row(
        TPUS,
        &[
            "tf_version",
            "docker_image",
            "preemptible",
            "reserved",
            "preserve_tpu",
            "service_account_email",
            "enable_public_ips",
            "data_disks",
            "use",
        ],
        Effect::NextStart,
        NEXT_TPUS,
    ),
    row(PARTITION, &["partition_name"], Effect::Replaces, PARTITION_GOES),
    row(
        PARTITION,
        &[
            "exclusive",
            "is_default",
            "suspend_time",
            "resume_timeout",
            "suspend_timeout",
            "partition_conf",
            "use",
        ],
        Effect::InPlace,
        RECONFIGURED,
    ),
    row(CONTROLLER, &["slurm_cluster_name"], Effect::Replaces, OTHER_CLUSTER),
    row(
        CONTROLLER,
        &[
            "cloud_parameters",
            "enable_chs_gpu_health_check_prolog",
            "enable_chs_gpu_health_check_epilog",
            "enable_external_prolog_epilog",
            "prolog_scripts",
            "epilog_scripts",
            "slurm_conf_tpl",
            // what comes and goes of it is told by itself
            "use",
        ],
        Effect::InPlace,
        RECONFIGURED,
    ),
    row(
        CONTROLLER,
        &[
            "controller_startup_script",
            "login_startup_script",
            "controller_startup_scripts_timeout",
            "login_startup_scripts_timeout",
            "compute_startup_scripts_timeout",
        ],
        Effect::NextStart,
        NEXT_START,
    ),
    row(
        CONTROLLER,
        &[
            "machine_type",
            "disk_type",
            "disk_size_gb",
            "enable_controller_public_ips",
            "service_account_email",
            "allow_automatic_updates",
            "instance_image",
            "instance_image_custom",
            "bandwidth_tier",
            "metadata",
            "labels",
        ],
        Effect::Restarts,
        CONTROLLER_ANEW,
    ),
    row(
        LOGIN,
        &[
            "name_prefix",
            "machine_type",
            "disk_type",
            "disk_size_gb",
            "enable_login_public_ips",
            "service_account_email",
            "allow_automatic_updates",
            "instance_image",
            "instance_image_custom",
            "metadata",
            "labels",
        ],
        Effect::Restarts,
        LOGIN_ANEW,
    ),
    row(DATABASE, &["sql_instance_name"], Effect::DestroysData, DATABASE_ANEW),
    row(DATABASE, &["tier"], Effect::InPlace, DATABASE_RESTARTS),
    row(DATABASE, &["enable_backups", "deletion_protection", "labels"], Effect::InPlace, ""),
    row(OWN_NETWORK, ANY, Effect::Replaces, OTHER_NETWORK),
    row("multivpc", ANY, Effect::Replaces, NETWORK_HELD),
    row("gpu-rdma-vpc", ANY, Effect::Replaces, NETWORK_HELD),
    row("network/vpc", ANY, Effect::Replaces, NETWORK_HELD),
    row(MOUNT, ANY, Effect::NextStart, NEXT_MOUNT),
    row(SCRIPT, ANY, Effect::NextStart, NEXT_START),
];
