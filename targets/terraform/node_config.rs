//! What each node of a pool is: machine, accelerators, disks, network card, labels, taints.

use super::cluster::Cluster;
use super::root::{Root, string_map};
use super::{capacity, upgrades};
use crate::document::hcl::{Block, Expr};
use slipform_model::catalog::{Accelerator, Catalog, Machine, MachineKind, Support, TaintEffect};
use slipform_model::nouns::{Disk, Driver, LocalSsd, Pool, Sharing};
use slipform_model::plan::{PoolPlan, Taint};
use slipform_model::{Diagnostic, Noun, Size};

slipform_source::codes! {
    pub(crate) CODES;
    TERRAFORM_ACCELERATOR = "terraform/accelerator":
        "the catalog does not know what GKE calls this GPU",
        "add it to `catalog.local.toml`";
}

/// The scope that leaves all limits to roles.
pub(super) const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";

/// The nodes of a pool.
pub(super) fn node_config(
    root: &mut Root<'_>,
    cluster: &Cluster<'_>,
    noun: &Noun,
    pool: &Pool,
    plan: &PoolPlan,
) -> Block {
    let gke = &plan.machine.gke;
    let image = gke.image.as_ref().unwrap_or(&root.plan.catalog().kubernetes().node_image);
    let accelerated = plan.machine.kind != MachineKind::Cpu;
    let key = pool.disk_key.as_ref().map(|key| key.value.as_str()).or(cluster.disk_key());
    let mut config = Block::of("node_config")
        .attr("machine_type", &plan.machine.name)
        .attr("image_type", image)
        .attr("disk_type", plan.disk.as_str())
        .attr("disk_size_gb", pool.disk.gib())
        .attr_opt("boot_disk_kms_key", key)
        .attr("service_account", cluster.node_account())
        .attr("oauth_scopes", [CLOUD_PLATFORM])
        .attr("labels", labels(plan));
    config = capacity::in_node_config(config, root.plan.catalog(), pool, plan);
    if let Some(accelerator) = &plan.machine.accelerator {
        config = config.block_opt(gpus(root, noun, pool, accelerator));
    }
    config
        .block_opt(local_ssd(plan))
        .block_opt(accelerated.then(|| Block::of("gvnic").attr("enabled", true)))
        .block_opt(
            pool.image_streaming
                .as_ref()
                .map(|on| Block::of("gcfs_config").attr("enabled", on.value)),
        )
        .blocks(pool.image_disks.value.iter().map(|disk| image_disk(disk)))
        .block_opt(gke.hugepages_2m.map(hugepages))
        .block_opt(pool.host_maintenance.as_ref().map(|it| upgrades::host_maintenance(it.value)))
        .blocks(plan.taints.iter().filter(|taint| !taint.by_gke).map(taint))
        .block_opt((gke.shielded_nodes != Support::No).then(shielded))
        .block(workload_metadata())
}

/// Nodes of a machine without accelerators, for what a cluster itself runs.
pub(super) fn plain(catalog: &Catalog, cluster: &Cluster<'_>, machine: &Machine) -> Block {
    let boots = &machine.disk.boot;
    // GKE takes `pd-balanced` by itself
    let other = boots.first().filter(|_| !boots.iter().any(|it| it == Disk::PdBalanced.as_str()));
    Block::of("node_config")
        .attr("machine_type", &machine.name)
        .attr("image_type", &catalog.kubernetes().node_image)
        .attr_opt("disk_type", other)
        .attr_opt("disk_size_gb", cluster.body.system_disk.map(Size::gib))
        .attr_opt("boot_disk_kms_key", cluster.disk_key())
        .attr("service_account", cluster.node_account())
        .attr("oauth_scopes", [CLOUD_PLATFORM])
        .block_opt((machine.gke.shielded_nodes != Support::No).then(shielded))
        .block(workload_metadata())
}

/// Secure boot and integrity monitoring.
pub(super) fn shielded() -> Block {
    Block::of("shielded_instance_config")
        .attr("enable_secure_boot", true)
        .attr("enable_integrity_monitoring", true)
}

/// Pods see their own identity, not the node's.
pub(super) fn workload_metadata() -> Block {
    Block::of("workload_metadata_config").attr("mode", "GKE_METADATA")
}

/// Written even where there are none: what is not written stays as it was.
fn labels(plan: &PoolPlan) -> Expr {
    string_map(&plan.node_labels).unwrap_or_else(|| Expr::object::<String, Expr>([]))
}

fn gpus(root: &mut Root<'_>, noun: &Noun, pool: &Pool, accelerator: &Accelerator) -> Option<Block> {
    let Some(kind) = &accelerator.gke_label else {
        root.diagnostics.push(
            Diagnostic::error(
                TERRAFORM_ACCELERATOR,
                format!(
                    "nothing is known of how GKE calls the GPU {} of {}",
                    accelerator.gpu, pool.machine.value
                ),
                pool.machine.span,
            )
            .also(noun.span, "this pool asks for it"),
        );
        return None;
    };
    let version = match pool.driver {
        Driver::Default => "DEFAULT",
        Driver::Latest => "LATEST",
        Driver::None => "INSTALLATION_DISABLED",
    };
    let partition = match pool.sharing.as_ref().map(|sharing| &sharing.value) {
        Some(Sharing::Mig { profile }) => Some(profile),
        _ => None,
    };
    let shared = match pool.sharing.as_ref().map(|sharing| &sharing.value) {
        Some(Sharing::TimeShared { clients }) => Some(
            Block::of("gpu_sharing_config")
                .attr("gpu_sharing_strategy", "TIME_SHARING")
                .attr("max_shared_clients_per_gpu", *clients),
        ),
        _ => None,
    };
    Some(
        Block::of("guest_accelerator")
            .attr("type", kind)
            .attr("count", accelerator.count)
            .attr_opt("gpu_partition_size", partition)
            .block(Block::of("gpu_driver_installation_config").attr("gpu_driver_version", version))
            .block_opt(shared),
    )
}

fn local_ssd(plan: &PoolPlan) -> Option<Block> {
    let (use_of, count) = plan.local_ssd;
    let kind = match use_of {
        LocalSsd::Scratch => "ephemeral_storage_local_ssd_config",
        LocalSsd::Raw => "local_nvme_ssd_block_config",
        LocalSsd::None => return None,
    };
    (count > 0).then(|| Block::of(kind).attr("local_ssd_count", count))
}

/// A disk with container images on it, which are there when a node starts.
fn image_disk(image: &str) -> Block {
    Block::of("secondary_boot_disks")
        .attr("disk_image", image)
        .attr("mode", "CONTAINER_IMAGE_CACHE")
}

fn hugepages(pages: u32) -> Block {
    let config = Block::of("hugepages_config").attr("hugepage_size_2m", pages);
    Block::of("linux_node_config").block(config)
}

fn taint(taint: &Taint) -> Block {
    let effect = match taint.effect {
        TaintEffect::NoSchedule => "NO_SCHEDULE",
        TaintEffect::PreferNoSchedule => "PREFER_NO_SCHEDULE",
        TaintEffect::NoExecute => "NO_EXECUTE",
    };
    Block::of("taint").attr("key", &taint.key).attr("value", &taint.value).attr("effect", effect)
}
