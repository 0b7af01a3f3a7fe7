//! Buckets and filesystems.

use super::outputs::{self, OutputBlock};
use super::root::{File, Root, depends_on, description, never_destroyed, resource, string_map};
use super::services::AFTER_SERVICES;
use super::variables::Variable;
use super::{network, patch};
use crate::document::hcl::{Block, Expr};
use ipnet::IpNet;
use slipform_model::nouns::{
    Access, Bucket, FilestoreTier, Filesystem, Network, Ref, Storage, StorageClass,
};
use slipform_model::plan::{Any, AttachedDisk, Planned};
use slipform_model::{Diagnostic, Noun};

slipform_source::codes! {
    pub(crate) CODES;
    TERRAFORM_BUCKET_AGE = "terraform/bucket-age":
        "Cloud Storage counts the age of objects in whole days",
        "write a number of days: `30d`";
    TERRAFORM_LUSTRE_SHARE = "terraform/lustre-share":
        "this cannot name a Lustre filesystem",
        "choose a `share` as the report says";
}

const DAY: u64 = 86_400;

/// A bucket, closed to the public, with uniform access.
pub(super) fn bucket(root: &mut Root<'_>, bucket: Planned<'_, Bucket>) {
    let Planned { noun, body, .. } = bucket;
    let label = root.label(noun.id);
    let age = body.delete_after.map(|age| whole_days(root, noun, age.0));
    let block = resource("google_storage_bucket", &label)
        .attr("name", bucket.name())
        .attr("location", bucket_location(root, &body.location))
        .attr("uniform_bucket_level_access", true)
        .attr("public_access_prevention", "enforced")
        .attr("force_destroy", body.force_destroy)
        .attr_opt("storage_class", class_of(body))
        .attr_opt("labels", string_map(&body.labels))
        .block_opt(body.rapid.as_ref().map(|zone| in_zone(root, &zone.value)))
        .block_opt(body.hierarchical.value.then(|| switch("hierarchical_namespace", true)))
        // left out, it would stay as it was
        .block(switch("versioning", body.versioning.value))
        .block(
            Block::of("soft_delete_policy").attr("retention_duration_seconds", body.soft_delete.0),
        )
        .block_opt(body.retention.as_ref().map(|age| retention(age.value.0)))
        .block_opt(body.encryption_key.as_ref().map(|key| encryption(&key.value)))
        .block_opt(age.map(delete_after))
        .block_opt(body.deletion_protection.value.then(never_destroyed));
    let block = patch::apply(root, noun, "bucket", block);
    root.push(File::Storage, noun, depends_on(block, [AFTER_SERVICES.to_owned()]));
    if !body.caches.is_empty() {
        let caches = caches(root, body, &label);
        root.push(File::Storage, noun, caches);
    }
    root.output(OutputBlock::of(
        root.plan,
        noun,
        "url",
        format!("Address of the bucket {}.", noun.outside.path),
        Expr::reference(format!("google_storage_bucket.{label}.url")),
    ));
}

/// Buckets spell regions and multi-regions in capitals; the provider takes either, and plans no change for it.
fn bucket_location(root: &Root<'_>, location: &str) -> Expr {
    if location.contains('-') { root.place(location) } else { location.to_ascii_uppercase().into() }
}

fn storage_class(class: StorageClass) -> &'static str {
    match class {
        StorageClass::Standard => "STANDARD",
        StorageClass::Nearline => "NEARLINE",
        StorageClass::Coldline => "COLDLINE",
        StorageClass::Archive => "ARCHIVE",
    }
}

/// What a bucket says of its class; one whose objects lie in a zone has no other.
fn class_of(body: &Bucket) -> Option<&'static str> {
    let rapid = body.rapid.as_ref().map(|_| "RAPID");
    rapid.or_else(|| body.class.set().map(|class| storage_class(class.value)))
}

fn in_zone(root: &Root<'_>, zone: &str) -> Block {
    Block::of("custom_placement_config").attr("data_locations", Expr::list([root.place(zone)]))
}

/// Disks beside the machines of a zone that hold what these have read.
fn caches(root: &Root<'_>, body: &Bucket, label: &str) -> Block {
    let zones = body.caches.iter().map(|zone| root.place(&zone.value));
    resource("google_storage_anywhere_cache", label)
        .attr("for_each", Expr::call("toset", [Expr::list(zones)]))
        .gap()
        .attr("bucket", Expr::reference(format!("google_storage_bucket.{label}.name")))
        .attr("zone", Expr::reference("each.value"))
        .attr("ttl", format!("{}s", body.cached_for.0))
}

fn retention(seconds: u64) -> Block {
    Block::of("retention_policy").attr("retention_period", seconds.to_string())
}

fn encryption(key: &str) -> Block {
    Block::of("encryption").attr("default_kms_key_name", key)
}

fn switch(kind: &'static str, on: bool) -> Block {
    Block::of(kind).attr("enabled", on)
}

fn delete_after(days: u64) -> Block {
    Block::of("lifecycle_rule")
        .block(Block::of("action").attr("type", "Delete"))
        .block(Block::of("condition").attr("age", days))
}

/// Cloud Storage counts the age of objects in days.
fn whole_days(root: &mut Root<'_>, noun: &Noun, seconds: u64) -> u64 {
    if !seconds.is_multiple_of(DAY) || seconds == 0 {
        let span = noun.fields.get("delete_after").map_or(noun.span, |field| field.span);
        root.diagnostics.push(
            Diagnostic::error(
                TERRAFORM_BUCKET_AGE,
                format!("`delete_after` of {} is no whole number of days", noun.path),
                span,
            )
            .help("Cloud Storage deletes by days: write `1d`, `2d` ..."),
        );
    }
    seconds.div_ceil(DAY).max(1)
}

/// A filesystem that Google Cloud manages; the others exist already.
pub(super) fn filesystem(root: &mut Root<'_>, planned: Planned<'_, Filesystem>) {
    let Planned { noun, body, .. } = planned;
    let block = match &body.storage.value {
        Storage::Filestore { capacity, tier, reserved } => {
            let reserved = reserved.as_ref().map(|range| range.value);
            filestore(root, planned, capacity.gib(), *tier, reserved)
        }
        Storage::Lustre { capacity, throughput } => {
            lustre(root, planned, capacity.gib(), *throughput)
        }
        it @ (Storage::HyperdiskMl { .. }
        | Storage::HyperdiskBalanced { .. }
        | Storage::HyperdiskThroughput { .. }) => {
            let Some(it) = it.disk() else { return };
            disk(root, planned, it)
        }
        Storage::Nfs { .. } | Storage::Path { .. } => return,
    };
    let guard = body.deletion_protection.then(never_destroyed);
    let is_filestore = matches!(body.storage.value, Storage::Filestore { .. });
    let guard = if is_filestore { Some(made_under(root, planned, guard)) } else { guard };
    let block = patch::apply(root, noun, "filesystem", block.block_opt(guard));
    root.push(File::Storage, noun, block);
    outputs::hand_on(root, Any::Filesystem(planned));
}

/// An instance of Filestore under another name is another one, which its provider does not know: it asks for the other one, and keeps none in its state. A
/// block of its own: the instance that stands is replaced when it changes, not when it is new.
fn made_under(
    root: &mut Root<'_>,
    planned: Planned<'_, Filesystem>,
    guard: Option<Block>,
) -> Block {
    let label = format!("{}_name", root.label(planned.noun.id));
    let trigger = Expr::list([Expr::reference(format!("terraform_data.{label}"))]);
    let name = resource("terraform_data", &label).attr("input", planned.name());
    root.push(File::Storage, planned.noun, name);
    guard.unwrap_or_else(|| Block::of("lifecycle")).attr("replace_triggered_by", trigger)
}

/// Whether Filestore itself refuses to delete an instance of this tier.
fn protects_itself(root: &Root<'_>, tier: &str) -> bool {
    let tiers = &root.plan.catalog().limits().storage.filestore_protected_tiers;
    tiers.iter().any(|known| known == tier)
}

fn filestore(
    root: &mut Root<'_>,
    planned: Planned<'_, Filesystem>,
    gib: u64,
    tier: FilestoreTier,
    reserved: Option<IpNet>,
) -> Block {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let (location, network) = root.plan.ground_of(planned);
    // an instance in a network of another project has its addresses from the services of that network
    let shared = root.plan.get(network).body.project.is_some();
    let network = network_reference(root, network, if shared { "id" } else { "name" });
    let connect = if shared { "PRIVATE_SERVICE_ACCESS" } else { "DIRECT_PEERING" };
    let tier = match tier {
        FilestoreTier::BasicHdd => "BASIC_HDD",
        FilestoreTier::BasicSsd => "BASIC_SSD",
        FilestoreTier::Zonal => "ZONAL",
        FilestoreTier::Regional => "REGIONAL",
    };
    let share = Block::of("file_shares").attr("name", &body.share).attr("capacity_gb", gib);
    let networks = Block::of("networks")
        .attr("network", network)
        .attr("modes", ["MODE_IPV4"])
        .attr("connect_mode", connect)
        .attr_opt("reserved_ip_range", reserved.map(|range| range.to_string()));
    let policy = root.deletion_policy(body.deletion_protection);
    let protected = match body.deletion_protection {
        true => Expr::reference(Variable::DELETION_PROTECTION),
        false => false.into(),
    };
    let protected = protects_itself(root, tier).then_some(protected);
    let block = resource("google_filestore_instance", &label)
        .attr("name", planned.name())
        .attr_opt("description", description(noun))
        .attr("location", root.place(location))
        .attr("tier", tier)
        .attr_opt("kms_key_name", body.encryption_key.as_ref().map(|key| key.value.as_str()))
        .attr_opt("deletion_protection_enabled", protected)
        .attr("deletion_policy", policy)
        .attr_opt("labels", string_map(&body.labels))
        .block(share)
        .block(networks);
    depends_on(block, [AFTER_SERVICES.to_owned()])
}

fn lustre(
    root: &mut Root<'_>,
    planned: Planned<'_, Filesystem>,
    gib: u64,
    throughput: i64,
) -> Block {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let (location, network) = root.plan.ground_of(planned);
    let reference = network_reference(root, network, "id");
    check_lustre_name(root, noun, &body.share);
    let mut after = vec![AFTER_SERVICES.to_owned()];
    after.extend(peering(root, noun, network));
    let policy = root.deletion_policy(body.deletion_protection);
    let block = resource("google_lustre_instance", &label)
        .attr("instance_id", planned.name())
        .attr_opt("description", description(noun))
        .attr("location", root.place(location))
        .attr("filesystem", &body.share)
        .attr("capacity_gib", gib.to_string())
        .attr("per_unit_storage_throughput", throughput.to_string())
        .attr("network", reference)
        .attr_opt("kms_key", body.encryption_key.as_ref().map(|key| key.value.as_str()))
        .attr("deletion_policy", policy)
        .attr_opt("labels", string_map(&body.labels))
        .block(Block::of("timeouts").attr("create", "3h").attr("delete", "1h"));
    depends_on(block, after)
}

/// A disk of Compute Engine, with the files of what it is made of.
fn disk(root: &mut Root<'_>, planned: Planned<'_, Filesystem>, it: AttachedDisk<'_>) -> Block {
    let Planned { noun, body, .. } = planned;
    let label = root.label(noun.id);
    let zone = body.location.as_ref().map(|it| root.place(&it.value));
    let policy = root.deletion_policy(body.deletion_protection);
    let (snapshots, images): (Option<&str>, Option<&str>) = match it.from {
        Some(from) if from.value.contains("/snapshots/") => (Some(from.value.as_str()), None),
        other => (None, other.map(|from| from.value.as_str())),
    };
    let access: Option<&str> = match it.kind.access() {
        Access::Read => Some("READ_ONLY_MANY"),
        // one machine has it, which is what Compute Engine means by itself
        Access::Write => None,
    };
    let key = body
        .encryption_key
        .as_ref()
        .map(|key| Block::of("disk_encryption_key").attr("kms_key_self_link", key.value.as_str()));
    let block = resource("google_compute_disk", &label)
        .attr("name", planned.name())
        .attr_opt("description", description(noun))
        .attr_opt("zone", zone)
        .attr("type", it.kind.as_str())
        .attr("size", it.capacity.gib())
        .attr_opt("provisioned_iops", it.kind.iops())
        .attr_opt("provisioned_throughput", it.kind.rate())
        .attr_opt("access_mode", access)
        .attr_opt("snapshot", snapshots)
        .attr_opt("image", images)
        .attr("deletion_policy", policy)
        .attr_opt("labels", string_map(&body.labels))
        .block_opt(key);
    depends_on(block, [AFTER_SERVICES.to_owned()])
}

/// The peering that Lustre's addresses need, and the rule that lets nodes reach them, made once for a network; an
/// existing network has its own.
fn peering(root: &mut Root<'_>, noun: &Noun, id: Ref<Network>) -> Vec<String> {
    let plan = root.plan;
    let network = plan.get(id);
    if !network.is_made() {
        return Vec::new();
    }
    let first = plan.made::<Filesystem>().find(|other| {
        matches!(other.body.storage.value, Storage::Lustre { .. })
            && other.body.network.is_some_and(|network| network.value == id)
    });
    if first.is_some_and(|first| first.noun.id == noun.id) {
        network::private_services(root, noun, network);
    }
    let label = root.label(id);
    vec![
        format!("google_service_networking_connection.{label}"),
        format!("google_compute_firewall.{label}_lustre"),
    ]
}

fn check_lustre_name(root: &mut Root<'_>, noun: &Noun, share: &str) {
    let most = root.plan.catalog().limits().storage.lustre_filesystem_name_max;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if share.len() <= most && share.chars().all(|c| c.is_ascii_alphanumeric()) {
        return;
    }
    let span = noun.fields.get("share").map_or(noun.span, |field| field.span);
    root.diagnostics.push(
        Diagnostic::error(
            TERRAFORM_LUSTRE_SHARE,
            format!("`{share}` cannot name a Lustre filesystem"),
            span,
        )
        .help(format!("use letters and digits, {most} at most")),
    );
}

fn network_reference(root: &mut Root<'_>, id: Ref<Network>, field: &str) -> Expr {
    let existing = !root.plan.get(id).is_made();
    if existing {
        network::look_up(root, id);
    }
    let mode = if existing { "data." } else { "" };
    Expr::reference(format!("{mode}google_compute_network.{}.{field}", root.label(id)))
}
