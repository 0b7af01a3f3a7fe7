//! The root of what outlives clusters.

use super::samples::{self, base, workload};
use super::{accept, at, expect, render};
use crate::testing::{Blueprint, gib, list, mount, seconds, variant};
use slipform_model::Value;

const ROOT: &str = "10-foundation";

#[test]
fn a_network_has_named_ranges_and_lets_its_own_machines_talk() {
    let rendered = accept(samples::mega());
    expect(
        &rendered.block(ROOT, "resource google_compute_network fabric"),
        &[("auto_create_subnetworks", "false"), ("mtu", "8896"), ("name", "\"fabric\"")],
    );
    expect(
        &rendered.block(ROOT, "resource google_compute_subnetwork fabric"),
        &[
            ("region", "var.region"),
            ("private_ip_google_access", "true"),
            ("secondary_ip_range.range_name", "\"pods\""),
            ("secondary_ip_range.ip_cidr_range", "\"10.64.0.0/14\""),
            ("log_config.flow_sampling", "0.1"),
        ],
    );
    let sources = at(
        &rendered.block(ROOT, "resource google_compute_firewall fabric_internal"),
        "source_ranges",
    );
    assert!(sources.contains("10.0.0.0/20") && sources.contains("10.64.0.0/14"), "{sources}");
    assert_eq!(rendered.resources(ROOT, "google_compute_router_nat"), ["fabric"]);
}

#[test]
fn what_a_network_does_not_ask_for_is_not_there() {
    let mut blueprint = Blueprint::new();
    let fields =
        [("region", "us-central1".into()), ("nat", false.into()), ("flow_logs", false.into())];
    blueprint.noun("network", "plain", &fields);
    let rendered = accept(blueprint);
    assert!(rendered.resources(ROOT, "google_compute_router").is_empty());
    expect(
        &rendered.block(ROOT, "resource google_compute_subnetwork plain"),
        &[("log_config", "-"), ("secondary_ip_range", "-")],
    );
}

#[test]
fn what_exists_is_read_and_never_made() {
    let rendered = accept(samples::shared());
    for kind in ["google_compute_network", "google_compute_subnetwork", "google_storage_bucket"] {
        assert!(rendered.resources("", kind).is_empty(), "{kind}");
    }
    expect(
        &rendered.block("30-dev", "data google_compute_subnetwork shared"),
        &[("name", "\"corp-ew4\""), ("region", "var.region")],
    );
    expect(
        &rendered.block(ROOT, "data google_storage_bucket corpus"),
        &[("name", "\"corp-corpus\"")],
    );
    expect(
        &rendered.block("30-dev", "resource google_container_cluster this"),
        &[
            ("network", "data.google_compute_network.shared.id"),
            ("ip_allocation_policy.services_secondary_range_name", "\"svc\""),
            ("location", "var.zone"),
        ],
    );
}

#[test]
fn a_bucket_is_closed_and_says_what_it_is_asked() {
    let zoo = accept(samples::zoo());
    expect(
        &zoo.block(ROOT, "resource google_storage_bucket ckpt"),
        &[
            ("name", "\"my-project-1-ckpt\""),
            ("location", "\"US\""),
            ("public_access_prevention", "\"enforced\""),
            ("uniform_bucket_level_access", "true"),
            ("hierarchical_namespace.enabled", "true"),
            ("versioning", "-"),
            ("lifecycle_rule.condition.age", "30"),
            ("soft_delete_policy.retention_duration_seconds", "0"),
        ],
    );
    expect(
        &zoo.block(ROOT, "resource google_storage_bucket data"),
        &[("location", "var.region"), ("hierarchical_namespace", "-"), ("lifecycle_rule", "-")],
    );
}

#[test]
fn filesystems_stand_in_their_network() {
    let zoo = accept(samples::zoo());
    expect(
        &zoo.block(ROOT, "resource google_filestore_instance home"),
        &[
            ("tier", "\"BASIC_SSD\""),
            ("file_shares.capacity_gb", "2560"),
            ("networks.network", "google_compute_network.fabric.name"),
        ],
    );
    let lustre = zoo.block(ROOT, "resource google_lustre_instance fast");
    expect(
        &lustre,
        &[
            ("capacity_gib", "\"18000\""),
            ("filesystem", "\"scratch\""),
            ("gke_support_enabled", "true"),
            ("network", "google_compute_network.fabric.id"),
        ],
    );
    let after = at(&lustre, "depends_on");
    assert!(after.contains("google_service_networking_connection.fabric"), "{after}");
    assert_eq!(zoo.resources(ROOT, "google_service_networking_connection"), ["fabric"]);
}

#[test]
fn what_a_filesystem_lacks_is_said() {
    let filestore = variant("filestore", &[("capacity", gib(1024)), ("tier", "zonal".into())]);
    let lustre = variant("lustre", &[("capacity", gib(18000)), ("throughput", 250.into())]);
    type Case = (Value, &'static [(&'static str, &'static str)], &'static str);
    let cases: [Case; 4] = [
        (filestore.clone(), &[], "terraform/incomplete"),
        (filestore, &[("location", "us-central1-a")], "terraform/incomplete"),
        (lustre.clone(), &[], "terraform/incomplete"),
        (
            lustre,
            &[("location", "us-central1-a"), ("share", "far_too_long")],
            "terraform/lustre-share",
        ),
    ];
    for (index, (storage, fields, code)) in cases.into_iter().enumerate() {
        let mut blueprint = Blueprint::new();
        let network = blueprint.noun("network", "n", &[("region", "us-central1".into())]);
        let mut all = vec![("storage", storage)];
        all.extend(fields.iter().map(|(name, value)| (*name, Value::from(*value))));
        if index == 3 {
            all.push(("network", blueprint.to(network)));
        }
        blueprint.noun("filesystem", "f", &all);
        assert_eq!(render(blueprint).codes(), [code], "case {index}");
    }
}

#[test]
fn ages_of_objects_are_whole_days() {
    let mut blueprint = Blueprint::new();
    let fields = [("location", "us-central1".into()), ("delete_after", seconds(3600))];
    blueprint.noun("bucket", "b", &fields);
    assert_eq!(render(blueprint).codes(), ["terraform/bucket-age"]);
}

#[test]
fn a_repository_named_twice_is_made_once() {
    let mut blueprint = Blueprint::new();
    let registry = blueprint.noun(
        "registry",
        "training",
        &[("location", "us-central1".into()), ("keep", 5.into())],
    );
    let on_the_spot = |location: &str| {
        variant("registry", &[("location", location.into()), ("repository", "training".into())])
    };
    let pushes = [
        blueprint.to(registry),
        on_the_spot("us-central1"),
        on_the_spot("europe-west4"),
        on_the_spot("europe-west4"),
    ];
    for (at, push_to) in pushes.into_iter().enumerate() {
        blueprint.noun(
            "image",
            &format!("i{at}"),
            &[("from", "debian:12".into()), ("push_to", push_to)],
        );
    }
    let rendered = accept(blueprint);
    let kind = "google_artifact_registry_repository";
    assert_eq!(rendered.resources(ROOT, kind), ["training", "training_europe_west4"]);
    let made = rendered.block(ROOT, &format!("resource {kind} training"));
    // what is kept only counts against a policy that deletes
    expect(&made, &[("cleanup_policies.action", "\"DELETE\""), ("repository_id", "\"training\"")]);
    assert!(rendered.files["10-foundation/registry.tf"].contains("keep_count = 5"));
}

#[test]
fn identities_get_what_their_mounts_ask_and_no_more() {
    let granted = |access: &str, read_only: bool, whose: (bool, bool)| {
        let mut blueprint = Blueprint::new();
        let base = base(&mut blueprint, "us-central1");
        let fields = [
            ("location", "us-central1".into()),
            ("name", "b-of-mine".into()),
            ("access", access.into()),
        ];
        let bucket = blueprint.noun("bucket", "b", &fields);
        blueprint.at(bucket).existing = whose.0;
        blueprint.at(base.identity).existing = whose.1;
        let fields = [("network", blueprint.to(base.network)), ("zone", "us-central1-a".into())];
        let cluster = blueprint.noun("cluster on gke", "c", &fields);
        let pool = blueprint.inside(
            cluster,
            "pool",
            "p",
            &[("machine", "n2-standard-8".into()), ("nodes", 1.into())],
        );
        let Value::Variant(_, mut source) = mount(blueprint.to(bucket), "/b") else {
            panic!("a mount")
        };
        std::sync::Arc::make_mut(&mut source)["read_only"].value = read_only.into();
        let mounts = list([Value::Variant("mount".into(), source)]);
        workload(&mut blueprint, &base, "run", pool, &[("mounts", mounts)]);
        let rendered = accept(blueprint);
        let all = rendered.resources(ROOT, "google_storage_bucket_iam_member");
        all.first().map(|name| {
            at(
                &rendered.block(ROOT, &format!("resource google_storage_bucket_iam_member {name}")),
                "role",
            )
        })
    };
    let (reads, writes) = ("\"roles/storage.objectViewer\"", "\"roles/storage.objectUser\"");
    assert_eq!(granted("write", false, (false, false)).as_deref(), Some(writes));
    assert_eq!(granted("write", true, (false, false)).as_deref(), Some(reads));
    assert_eq!(granted("read", false, (false, false)).as_deref(), Some(reads));
    assert_eq!(granted("read", false, (true, false)).as_deref(), Some(reads));
    assert_eq!(granted("write", false, (false, true)).as_deref(), Some(writes));
    assert_eq!(granted("write", false, (true, true)), None);
}

#[test]
fn bindings_are_additive_and_dashboards_need_a_role() {
    let rendered = accept(samples::mega());
    let text: String = rendered.files.values().cloned().collect();
    assert!(!text.contains("_iam_binding") && !text.contains("_iam_policy"));
    let roles = at(&rendered.block(ROOT, "resource google_project_iam_member trainer"), "for_each");
    for role in
        ["roles/aiplatform.user", "roles/logging.logWriter", "roles/monitoring.metricWriter"]
    {
        assert!(roles.contains(role), "{roles}");
    }
}

#[test]
fn services_are_those_that_are_used_and_stay_on() {
    let mut blueprint = Blueprint::new();
    blueprint.noun("bucket", "b", &[("location", "eu".into())]);
    let rendered = accept(blueprint);
    let services = rendered.block(ROOT, "resource google_project_service apis");
    expect(&services, &[("disable_on_destroy", "false")]);
    let names = at(&services, "for_each");
    assert!(names.contains("storage.googleapis.com") && !names.contains("container"), "{names}");
    assert!(!rendered.files["10-foundation/variables.tf"].contains("\"region\""));
}
