//! `patch` blocks: what a blueprint adds to a block, or says instead of it.
//!
//! Field names are those of the provider. What the provider does not know is refused at the patch, before Terraform
//! would; a patch with any mistake is not applied.

use super::bounds::bounds;
use super::buckets::{bucket, waits};
use super::forms::forms;
use super::root::Root;
use crate::Output;
use crate::document::Node;
use crate::document::hcl::Block;
use crate::patch::{PATCH_IDENTITY, PATCH_UNKNOWN_DOCUMENT, Spelling, checked};
use crate::schema::{Shape, tree};
use slipform_model::nouns::Storage;
use slipform_model::plan::{Any, Maker, Sound};
use slipform_model::{Diagnostic, Noun, Patch, Placed, Value, nearest};

slipform_source::codes! {
    pub(crate) CODES;
    TERRAFORM_PATCH_OF_NOTHING = "terraform/patch-of-nothing":
        "a patch changes a resource that is not made",
        "remove the patch, or declare what makes the resource";
}

slipform_source::codes! {
    pub(crate) TOGETHER;
    pub(super) PATCH_TOGETHER = "patch/together":
        "after a patch a resource says what excludes each other: the provider refuses it, or undoes one at each apply",
        "say one of them";
    pub(super) PATCH_WORD = "patch/word":
        "a patch writes a word, a label or a tag that Google Cloud does not take there: the plan passes, and the apply fails",
        "take one of the words, or the form, that the report names";
}

/// The pool for what a cluster runs itself.
pub(super) const SYSTEM: &str = "system_pool";

/// What keeps plain machines.
const GROUP: &str = "instance_group";

/// The documents that may be patched, with the kind of noun that each belongs to.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    ("network", "network"),
    ("subnetwork", "network"),
    ("bucket", "bucket"),
    ("filesystem", "filesystem"),
    ("registry", "registry"),
    ("tensorboard", "dashboard"),
    ("reservation", "reservation"),
    ("cluster", "cluster"),
    (SYSTEM, "cluster"),
    ("node_pool", "pool"),
    ("instance_template", "machines"),
    (GROUP, "machines"),
];

/// What each document is in the provider's words.
const RESOURCES: &[(&str, &str)] = &[
    ("network", "google_compute_network"),
    ("subnetwork", "google_compute_subnetwork"),
    ("bucket", "google_storage_bucket"),
    ("filesystem", "google_filestore_instance"),
    ("filesystem", "google_lustre_instance"),
    ("filesystem", "google_compute_disk"),
    ("registry", "google_artifact_registry_repository"),
    ("tensorboard", "google_vertex_ai_tensorboard"),
    ("reservation", "google_compute_reservation"),
    ("cluster", "google_container_cluster"),
    (SYSTEM, "google_container_node_pool"),
    ("node_pool", "google_container_node_pool"),
    ("instance_template", "google_compute_instance_template"),
    ("instance_group", "google_compute_instance_group_manager"),
];

/// The shapes that a document may have: one, or one for each kind of storage.
pub(crate) fn shapes(document: &str) -> impl Iterator<Item = Shape> {
    let resources = RESOURCES.iter().filter(move |(known, _)| *known == document);
    resources.filter_map(|(_, resource)| Shape::of(resource))
}

/// Sizes have no common unit (`disk_size_gb`, `capacity_gib`); lengths of time are seconds with their letter.
const SPELLING: Spelling = Spelling {
    consumer: "Terraform",
    size: |_| None,
    duration: |duration| format!("{}s", duration.0).into(),
};

/// A resource block with everything that the noun's patches of a document say.
pub(super) fn apply(root: &mut Root<'_>, noun: &Noun, document: &str, mut block: Block) -> Block {
    for patch in noun.patches.iter().filter(|patch| patch.target == document) {
        let resource = block.labels.first();
        debug_assert!(
            RESOURCES
                .iter()
                .any(|row| row.0 == document && Some(row.1) == resource.map(|it| &**it)),
            "{document} is not known as {resource:?}"
        );
        let shape = resource.and_then(|resource| Shape::of(resource));
        let Some(shape) = shape else {
            let message = format!("nothing is known here of the fields of `{document}`");
            root.diagnostics.push(Diagnostic::error(PATCH_UNKNOWN_DOCUMENT, message, patch.span));
            continue;
        };
        let base = tree(&block.body);
        if let Some(refused) = identity(patch, &base) {
            root.diagnostics.push(refused);
            continue;
        }
        match checked(noun, patch, &shape, SPELLING, &base, &mut root.diagnostics) {
            Ok(node) => shape.merge_body(&mut block.body, node),
            Err(diagnostics) => root.diagnostics.extend(diagnostics),
        }
        if let Some(resource) = block.labels.first() {
            let after = tree(&block.body);
            root.diagnostics.extend(together(patch, resource, &base, &after));
            root.diagnostics.extend(dual_stack(patch, &after));
            root.diagnostics.extend(words(patch, resource).chain(hours(patch)));
            root.diagnostics.extend(forms(patch, resource));
            root.diagnostics
                .extend(waits(patch).into_iter().chain(bucket(patch, resource, &after)));
            root.diagnostics.extend(bounds(patch, resource, &base, root.plan.catalog()));
        }
    }
    block
}

/// Fields that exclude each other, by resource, from the provider's and GKE's own pages.
const APART: &[(&str, &[&str], &[&str])] = &[
    (POOL, &["node_count"], &["autoscaling"]),
    (POOL, &["autoscaling", "total_min_node_count"], &["autoscaling", "min_node_count"]),
    (POOL, &["autoscaling", "total_min_node_count"], &["autoscaling", "max_node_count"]),
    (POOL, &["autoscaling", "total_max_node_count"], &["autoscaling", "min_node_count"]),
    (POOL, &["autoscaling", "total_max_node_count"], &["autoscaling", "max_node_count"]),
    (POOL, &["node_config", "spot"], &["node_config", "preemptible"]),
    (POOL, &["node_config", "spot"], &["node_config", "reservation_affinity"]),
    (POOL, &["name"], &["name_prefix"]),
    (POOL, &["upgrade_settings", "blue_green_settings"], &["upgrade_settings", "max_surge"]),
    (
        CLUSTER,
        &["maintenance_policy", "daily_maintenance_window"],
        &["maintenance_policy", "recurring_window"],
    ),
    (
        CLUSTER,
        &["ip_allocation_policy", "cluster_secondary_range_name"],
        &["ip_allocation_policy", "cluster_ipv4_cidr_block"],
    ),
    (
        CLUSTER,
        &["ip_allocation_policy", "services_secondary_range_name"],
        &["ip_allocation_policy", "services_ipv4_cidr_block"],
    ),
    (CLUSTER, &["enable_autopilot"], &["remove_default_node_pool"]),
];

const POOL: &str = "google_container_node_pool";
const CLUSTER: &str = "google_container_cluster";

/// Classes of storage that objects can be in.
const CLASSES: [&str; 7] = [
    "STANDARD",
    "MULTI_REGIONAL",
    "REGIONAL",
    "NEARLINE",
    "COLDLINE",
    "ARCHIVE",
    "DURABLE_REDUCED_AVAILABILITY",
];

/// Words that fields take, and forms of others, where the provider takes any text and the cloud does not.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    (POOL, &["placement_policy", "type"], &["COMPACT"]),
    (POOL, &["upgrade_settings", "strategy"], &["SURGE", "BLUE_GREEN", "SHORT_LIVED"]),
    (
        POOL,
        &["node_config", "taint", "effect"],
        &["NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"],
    ),
    (POOL, &["node_config", "workload_metadata_config", "mode"], &["GKE_METADATA", "GCE_METADATA"]),
    (
        POOL,
        &["node_config", "disk_type"],
        &["pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced"],
    ),
    (
        POOL,
        &["node_config", "image_type"],
        &["COS_CONTAINERD", "UBUNTU_CONTAINERD", "cos_containerd", "ubuntu_containerd"],
    ),
    (
        POOL,
        &["node_config", "reservation_affinity", "consume_reservation_type"],
        &["NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION", "UNSPECIFIED"],
    ),
    (
        POOL,
        &["node_config", "guest_accelerator", "gpu_sharing_config", "gpu_sharing_strategy"],
        &["TIME_SHARING", "MPS"],
    ),
    (POOL, &["autoscaling", "location_policy"], &["ANY", "BALANCED"]),
    (
        CLUSTER,
        &["release_channel", "channel"],
        &["UNSPECIFIED", "RAPID", "REGULAR", "STABLE", "EXTENDED"],
    ),
    (
        CLUSTER,
        &["datapath_provider"],
        &["DATAPATH_PROVIDER_UNSPECIFIED", "LEGACY_DATAPATH", "ADVANCED_DATAPATH"],
    ),
    (CLUSTER, &["networking_mode"], &["VPC_NATIVE", "ROUTES"]),
    (
        CLUSTER,
        &["private_ipv6_google_access"],
        &[
            "PRIVATE_IPV6_GOOGLE_ACCESS_DISABLED",
            "PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE",
            "PRIVATE_IPV6_GOOGLE_ACCESS_BIDIRECTIONAL",
        ],
    ),
    ("google_storage_bucket", &["storage_class"], &CLASSES),
    ("google_storage_bucket", &["public_access_prevention"], &["inherited", "enforced"]),
    ("google_storage_bucket", &["rpo"], &["DEFAULT", "ASYNC_TURBO"]),
    ("google_storage_bucket", &["autoclass", "terminal_storage_class"], &["NEARLINE", "ARCHIVE"]),
    ("google_storage_bucket", &["lifecycle_rule", "action", "storage_class"], &CLASSES),
    ("google_filestore_instance", &["protocol"], &["NFS_V3", "NFS_V4_1"]),
    ("google_compute_network", &["routing_mode"], &["REGIONAL", "GLOBAL"]),
    ("google_compute_subnetwork", &["stack_type"], &["IPV4_ONLY", "IPV4_IPV6", "IPV6_ONLY"]),
];

fn together<'a>(
    patch: &'a Patch,
    resource: &'a str,
    before: &'a Node,
    after: &'a Node,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let apart = APART.iter().filter(move |row| row.0 == resource);
    let both = |node: &Node, one: &[&str], other: &[&str]| {
        [one, other].iter().all(|path| path.iter().try_fold(node, |at, key| at.get(key)).is_some())
    };
    let new =
        apart.filter(move |(_, one, other)| both(after, one, other) && !both(before, one, other));
    new.map(|(_, one, other)| {
        let said = [other, one].into_iter().find_map(|path| said(&patch.value, path).pop());
        let span = said.map_or(patch.span, |placed| placed.span);
        let message = format!("`{}` and `{}` exclude each other", one.join("."), other.join("."));
        Diagnostic::error(PATCH_TOGETHER, message, span).help("say one of them")
    })
}

/// GKE has no data networks in clusters that have addresses of IPv6 beside those of IPv4 (Google Cloud: "Set up multi-network support for Pods").
fn dual_stack(patch: &Patch, after: &Node) -> Option<Diagnostic> {
    after.get("enable_multi_networking")?;
    let stacks = said(&patch.value, &["ip_allocation_policy", "stack_type"]);
    let both =
        |placed: &&&Placed| matches!(&placed.value, Value::Str(text) if **text == *"IPV4_IPV6");
    let span = stacks.iter().find(both)?.span;
    let message = "a pool of this cluster has data networks, which GKE does not give to clusters of `IPV4_IPV6`";
    let told = Diagnostic::error(PATCH_TOGETHER, message, span);
    Some(told.help(
        "leave `stack_type` out, or put the pools that have data networks into another cluster",
    ))
}

/// Times of the day in the form of the cloud, `03:00`.
const HOURS: &[&str] = &["maintenance_policy", "daily_maintenance_window", "start_time"];

fn hours(patch: &Patch) -> impl Iterator<Item = Diagnostic> + '_ {
    let is_hour = |text: &str| {
        let digits =
            |part: &str, most: u8| part.len() == 2 && part.parse::<u8>().is_ok_and(|it| it < most);
        text.split_once(':').is_some_and(|(hour, minute)| digits(hour, 24) && digits(minute, 60))
    };
    let wrong =
        said(&patch.value, HOURS).into_iter().filter_map(move |placed| match &placed.value {
            Value::Str(text) if !is_hour(text) => Some((text.to_string(), placed.span)),
            _ => None,
        });
    wrong.map(|(text, span)| {
        let message = format!("`{text}` is no time of the day");
        Diagnostic::error(PATCH_WORD, message, span).help("write hours and minutes: `03:00`")
    })
}

fn words<'a>(patch: &'a Patch, resource: &'a str) -> impl Iterator<Item = Diagnostic> + 'a {
    let rows = WORDS.iter().filter(move |row| row.0 == resource);
    rows.flat_map(|(_, path, words)| {
        let wrong =
            said(&patch.value, path).into_iter().filter_map(move |placed| match &placed.value {
                Value::Str(text) if !words.contains(&&**text) => {
                    Some((text.to_string(), placed.span))
                }
                _ => None,
            });
        wrong.map(move |(text, span)| {
            let message = format!("`{text}` is no word for `{}`", path.join("."));
            let told = Diagnostic::error(PATCH_WORD, message, span);
            match nearest(&text, words.iter().copied()) {
                Some(near) => told.meant_text("one", near, span),
                None => told.help(format!("there are `{}`", words.join("`, `"))),
            }
        })
    })
}

/// What a patch says at a path, in all blocks on the way.
pub(super) fn said<'v>(value: &'v Value, path: &[&str]) -> Vec<&'v Placed> {
    let Some((first, rest)) = path.split_first() else { return Vec::new() };
    match value {
        Value::List(items) => items.iter().flat_map(|item| said(&item.value, path)).collect(),
        Value::Record(record) => match record.get(*first) {
            Some(placed) if rest.is_empty() => vec![placed],
            Some(placed) => said(&placed.value, rest),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What other files, roots and scripts go by: under another name, or elsewhere, they would look for it in vain.
const IDENTITY: [&str; 5] = ["name", "cluster", "project", "repository_id", "instance_id"];

/// A patch that makes another thing of a resource than what is spoken of elsewhere.
fn identity(patch: &Patch, base: &Node) -> Option<Diagnostic> {
    let Value::Record(record) = &patch.value else { return None };
    let rendered = IDENTITY.into_iter().filter(|key| base.get(key).is_some());
    let (key, placed) = rendered.filter_map(|key| Some((key, record.get(key)?))).next()?;
    let message =
        format!("`{key}` says which resource this is for other files, and cannot be patched");
    let help = "where the noun has a `name`, that is what it is called everywhere";
    Some(Diagnostic::error(PATCH_IDENTITY, message, placed.span).help(help))
}

/// Refuses the patches of what Terraform does not make, which would be lost otherwise.
pub(super) fn refuse_rest(plan: Sound<'_>, out: &mut Output) {
    for it in plan.nouns() {
        let noun = it.noun();
        for patch in noun.patches.iter().filter(|patch| is_ours(noun, patch)) {
            let Some(why) = not_made(plan, it, &patch.target) else { continue };
            let message =
                format!("`{}` patches what is not made here: {} {why}", patch.target, noun.path);
            out.diagnostics.push(Diagnostic::error(
                TERRAFORM_PATCH_OF_NOTHING,
                message,
                patch.span,
            ));
        }
    }
}

/// Why a noun has no such document in Terraform.
fn not_made(plan: Sound<'_>, it: Any<'_>, document: &str) -> Option<&'static str> {
    let noun = it.noun();
    if noun.existing {
        return Some("is existing");
    }
    if noun.parent.is_some_and(|parent| plan.noun(parent).existing) {
        return Some("is part of what is existing");
    }
    match it {
        Any::Filesystem(filesystem) => match filesystem.body.storage.value {
            Storage::Nfs { .. } | Storage::Path { .. } => Some("is kept by someone else"),
            Storage::Filestore { .. }
            | Storage::Lustre { .. }
            | Storage::HyperdiskMl { .. }
            | Storage::HyperdiskBalanced { .. }
            | Storage::HyperdiskThroughput { .. } => None,
        },
        Any::Machines(machines) => match machines.plan.maker {
            Maker::QueuedResources => Some("has TPUs, which commands of gcloud ask for"),
            Maker::Commands if document == GROUP => Some("is made by commands of gcloud"),
            Maker::Commands | Maker::Group | Maker::Requests => None,
        },
        Any::GkeCluster(cluster) if document == SYSTEM && cluster.plan.system.is_none() => {
            Some("has a pool of its own for what it runs itself")
        }
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Image(_)
        | Any::MachineImage(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => None,
    }
}

fn is_ours(noun: &Noun, patch: &Patch) -> bool {
    DOCUMENTS.iter().any(|(document, kind)| *document == patch.target && *kind == noun.kind())
}
