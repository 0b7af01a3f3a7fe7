//! The root of what outlives clusters.

use super::samples;
use super::{Rendered, accept, at, expect, sample_roots};
use slipform_targets::schema::Shape;
use std::collections::BTreeSet;

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
            ("send_secondary_ip_range_if_empty", "true"),
            ("log_config.flow_sampling", "0.1"),
        ],
    );
    let sources = at(
        &rendered.block(ROOT, "resource google_compute_firewall fabric_internal"),
        "source_ranges",
    );
    let nodes = "google_compute_subnetwork.fabric.ip_cidr_range";
    assert!(sources.contains(nodes) && sources.contains("10.64.0.0/14"), "{sources}");
    expect(
        &rendered.block(ROOT, "resource google_compute_router_nat fabric"),
        &[
            ("enable_dynamic_port_allocation", "true"),
            ("enable_endpoint_independent_mapping", "false"),
            ("min_ports_per_vm", "64"),
            ("max_ports_per_vm", "4096"),
        ],
    );
    expect(
        &rendered.block(ROOT, "resource google_compute_firewall fabric_iap_ssh"),
        &[
            ("name", "\"fabric-iap-ssh\""),
            ("source_ranges", "[\n  \"35.235.240.0/20\"\n]"),
            ("allow.ports", "[\n  \"22\"\n]"),
        ],
    );
}

#[test]
fn what_a_network_does_not_ask_for_is_not_there() {
    let rendered = accept(
        "network plain {\n  region = \"us-central1\"\n  nat = false\n  flow_logs = false\n}\n",
    );
    assert!(rendered.resources(ROOT, "google_compute_router").is_empty());
    insta::assert_snapshot!(rendered.text.shown(&["10-foundation/network.tf"]));
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
            ("versioning.enabled", "false"),
            ("lifecycle_rule.condition.age", "30"),
            ("soft_delete_policy.retention_duration_seconds", "604800"),
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
            ("capacity_gib", "\"36000\""),
            ("filesystem", "\"scratch\""),
            ("gke_support_enabled", "-"),
            ("network", "google_compute_network.fabric.id"),
        ],
    );
    let after = at(&lustre, "depends_on");
    assert!(after.contains("google_service_networking_connection.fabric"), "{after}");
    assert_eq!(zoo.resources(ROOT, "google_service_networking_connection"), ["fabric"]);
}

#[test]
fn a_repository_named_twice_is_made_once() {
    let mut text = "registry training {\n  location = \"us-central1\"\n  keep = 5\n}\n".to_owned();
    let pushes = [
        "training",
        "registry(\"us-central1\", \"training\")",
        "registry(\"europe-west4\", \"training\")",
        "registry(\"europe-west4\", \"training\")",
    ];
    for (at, push_to) in pushes.into_iter().enumerate() {
        text += &format!("image i{at} {{\n  from = \"debian:12\"\n  push_to = {push_to}\n}}\n");
    }
    let rendered = accept(text);
    let kind = "google_artifact_registry_repository";
    assert_eq!(rendered.resources(ROOT, kind), ["training", "training_europe_west4"]);
    let made = rendered.block(ROOT, &format!("resource {kind} training"));
    // what is kept only counts against a policy that deletes
    expect(
        &made,
        &[
            ("cleanup_policies.action", "\"DELETE\""),
            ("cleanup_policies.condition.tag_state", "\"UNTAGGED\""),
            ("cleanup_policies.condition.older_than", "\"2592000s\""),
            ("repository_id", "\"training\""),
        ],
    );
    assert!(!rendered.files["10-foundation/outputs.tf"].contains("${\""));
    assert!(rendered.files["10-foundation/registry.tf"].contains("keep_count = 5"));
}

/// The APIs that the foundation turns on.
fn services(rendered: &Rendered) -> String {
    at(&rendered.block(ROOT, "resource google_project_service apis"), "for_each")
}

#[test]
fn services_are_those_that_are_used_and_stay_on() {
    let rendered = accept("bucket shards {\n  location = \"eu\"\n}\n");
    let apis = rendered.block(ROOT, "resource google_project_service apis");
    expect(&apis, &[("disable_on_destroy", "false")]);
    let names = services(&rendered);
    assert!(names.contains("storage.googleapis.com") && !names.contains("container"), "{names}");
    assert!(!rendered.files["10-foundation/variables.tf"].contains("\"region\""));
}

#[test]
fn resource_manager_is_turned_on_before_all_others() {
    for (name, rendered) in sample_roots() {
        let manager = rendered.block(ROOT, "resource google_project_service resource_manager");
        expect(&manager, &[("service", "\"cloudresourcemanager.googleapis.com\"")]);
        let apis = rendered.block(ROOT, "resource google_project_service apis");
        let after = at(&apis, "depends_on");
        assert!(after.contains("google_project_service.resource_manager"), "{name}: {after}");
        assert!(!services(&rendered).contains("cloudresourcemanager"), "{name}");
    }
}

#[test]
fn what_any_root_holds_has_its_service() {
    let expected = [
        ("google_container_node_pool", "container"),
        ("google_compute_network", "compute"),
        ("google_service_account", "iam"),
        ("google_filestore_instance", "file"),
        ("google_lustre_instance", "lustre"),
        ("google_service_networking_connection", "servicenetworking"),
        ("google_storage_bucket_iam_member", "storage"),
        ("google_vertex_ai_tensorboard", "aiplatform"),
        ("google_artifact_registry_repository", "artifactregistry"),
    ];
    let mut seen = BTreeSet::new();
    for (name, rendered) in sample_roots() {
        let names = services(&rendered);
        for block in rendered.blocks("") {
            let kind = block.labels().first().map(|label| label.as_str().to_owned());
            let found = expected.iter().find(|(known, _)| kind.as_deref() == Some(known));
            if let Some((kind, service)) = found {
                seen.insert(kind);
                let service = format!("\"{service}.googleapis.com\"");
                assert!(names.contains(&service), "{name}: {kind} without {service}: {names}");
            }
        }
    }
    assert_eq!(seen.len(), expected.len());
}

#[test]
fn who_makes_a_placement_policy_may_do_so() {
    let policy = "roles/compute.instanceAdmin.v1";
    assert!(accept(samples::zoo()).text.file("README.md").contains(policy));
    let without = accept(samples::mega());
    let page = without.text.file("README.md");
    assert!(!page.contains(policy) && page.contains("roles/compute.securityAdmin"));
}

#[test]
fn jobs_of_vertex_ai_need_their_service_and_roles_on_the_project_theirs() {
    let rendered = accept(format!("{MANAGED}identity trainer {{\n}}\n"));
    let names = services(&rendered);
    assert!(names.contains("aiplatform") && names.contains("iam"), "{names}");
    rendered.block(ROOT, "resource google_project_service resource_manager");
}

/// Machines of Vertex AI.
const MANAGED: &str =
    "cluster managed on vertex {\n  region = \"us-east4\"\n  machine = \"a3-highgpu-8g\"\n}\n";

#[test]
fn secrets_that_jobs_of_vertex_ai_read_need_their_service() {
    let with = |env: &str| {
        let run = format!(
            "workload run on managed {{\n  image = \"us-docker.pkg.dev/p/r/i:1\"\n  \
             launch = python(\"train.py\")\n  env = {env}\n}}\n"
        );
        services(&accept(MANAGED.to_owned() + &run)).contains("secretmanager.googleapis.com")
    };
    assert!(with("{ HF_TOKEN = secret(\"hf-token\") }"));
    assert!(!with("{ GREETING = \"hello\" }"));
}

#[test]
fn every_resource_names_its_project_where_it_can() {
    for (name, rendered) in sample_roots() {
        let blocks = rendered.blocks("");
        let made: Vec<_> = blocks.iter().filter(|block| block.identifier() == "resource").collect();
        let without =
            ["google_compute_network", "google_container_node_pool", "google_project_service"];
        for kind in without {
            let of_kind = made.iter().filter(|block| block.labels()[0].as_str() == kind);
            for block in of_kind {
                assert_eq!(at(block, "project"), "var.project_id", "{name}: {:?}", block.labels());
            }
        }
        for block in made.iter().filter(|block| at(block, "project") == "-") {
            let kind = block.labels()[0].as_str();
            let takes = Shape::of(kind).is_some_and(|it| it.takes("project"));
            assert!(!takes, "{name}: {kind}");
        }
    }
}

#[test]
fn filesystems_are_not_destroyed_unless_it_is_said() {
    let made = |tier: &str, protected: bool| {
        let kept = format!("  deletion_protection = {protected}\n");
        let text = samples::zoo().replace("2560GiB)", &format!("2560GiB, tier = \"{tier}\")"));
        let text = text.replace("filesystem home {\n", &format!("filesystem home {{\n{kept}"));
        let text = text.replace("filesystem fast {\n", &format!("filesystem fast {{\n{kept}"));
        accept(text.replace("cluster zoo on gke {\n", &format!("cluster zoo on gke {{\n{kept}")))
    };
    let policy = "deletion_policy";
    let (itself, stop) = ("deletion_protection_enabled", "lifecycle.prevent_destroy");
    let guarded = "var.deletion_protection ? \"PREVENT\" : \"DELETE\"";
    let home = "resource google_filestore_instance home";
    let fast = "resource google_lustre_instance fast";
    // basic tiers of Filestore refuse to be protected
    let basic = made("basic_ssd", true);
    expect(&basic.block(ROOT, home), &[(policy, guarded), (itself, "-"), (stop, "true")]);
    expect(&basic.block(ROOT, fast), &[(policy, guarded), (stop, "true")]);
    assert!(basic.files["10-foundation/terraform.tfvars"].contains("deletion_protection = true"));
    assert!(basic.files["10-foundation/versions.tf"].contains(">= 7.33.0, < 8.0.0"));
    let zonal = made("zonal", true);
    expect(&zonal.block(ROOT, home), &[(policy, guarded), (itself, "var.deletion_protection")]);
    let open = made("zonal", false);
    expect(&open.block(ROOT, home), &[(policy, "\"DELETE\""), (itself, "false"), (stop, "-")]);
    expect(&open.block(ROOT, fast), &[(policy, "\"DELETE\""), (stop, "-")]);
    assert!(!open.files["10-foundation/variables.tf"].contains("deletion_protection"));
}

#[test]
fn a_network_lasts_as_long_as_a_protected_cluster_on_it() {
    let made = |protected: bool, handed_over: bool| {
        let head = if handed_over { "existing cluster a3m" } else { "cluster a3m" };
        let cluster = format!("{head} on gke {{\n  deletion_protection = {protected}\n");
        accept(samples::mega().replace("cluster a3m on gke {\n", &cluster))
    };
    let guarded = "var.deletion_protection ? \"PREVENT\" : \"DELETE\"";
    let parts = [
        ("google_compute_network fabric", guarded, true),
        ("google_compute_subnetwork fabric", guarded, true),
        ("google_compute_firewall fabric_internal", guarded, false),
        // these can be shut
        ("google_compute_firewall fabric_iap_ssh", "\"DELETE\"", false),
        ("google_compute_router fabric", "\"DELETE\"", false),
        ("google_compute_router_nat fabric", "\"DELETE\"", false),
    ];
    let (kept, open) = (made(true, false), made(false, false));
    let handed_over = made(true, true);
    // and go after what does not go
    let internal = "resource google_compute_firewall fabric_internal";
    let after = at(&kept.block(ROOT, internal), "depends_on");
    for way in ["google_compute_firewall.fabric_iap_ssh", "google_compute_router_nat.fabric"] {
        assert!(after.contains(way), "{after}");
    }
    expect(&open.block(ROOT, internal), &[("depends_on", "-")]);
    for (part, held, stops) in parts {
        let (policy, stop) = ("deletion_policy", "lifecycle.prevent_destroy");
        for kept in [&kept, &handed_over] {
            let block = kept.block(ROOT, &format!("resource {part}"));
            expect(&block, &[(policy, held), (stop, if stops { "true" } else { "-" })]);
        }
        // what was applied stays as it was where nothing is written
        let block = open.block(ROOT, &format!("resource {part}"));
        expect(&block, &[(policy, "\"DELETE\""), (stop, "-")]);
    }
    assert!(kept.files["10-foundation/terraform.tfvars"].contains("deletion_protection = true"));
    assert!(kept.files["10-foundation/versions.tf"].contains(">= 7.33.0, < 8.0.0"));
}

#[test]
fn managed_services_have_further_ranges_beside_the_first() {
    let rendered = accept(
        "network plain {\n  region = \"us-central1\"\n  more_private_services = [18]\n}\n\nfilesystem fast {\n  storage = lustre(36000GiB)\n  network = plain\n  location = \"us-central1-a\"\n}\n",
    );
    let more = rendered.block(ROOT, "resource google_compute_global_address plain_services_more");
    expect(&more, &[("name", "each.value.name"), ("lifecycle.create_before_destroy", "true")]);
    let ranges = at(&more, "for_each");
    for words in ["\"plain-services-2-18\"", "prefix_length = 18"] {
        assert!(ranges.contains(words), "{ranges}");
    }
    for (block, field) in [
        ("google_service_networking_connection plain", "reserved_peering_ranges"),
        ("google_compute_firewall plain_lustre", "source_ranges"),
    ] {
        let ranges = at(&rendered.block(ROOT, &format!("resource {block}")), field);
        for range in ["plain_services.", "plain_services_more[\"2\"]."] {
            assert!(ranges.contains(&format!("google_compute_global_address.{range}")), "{ranges}");
        }
    }
}

#[test]
fn nodes_reach_lustre_for_as_long_as_it_is_there() {
    let zoo = accept(samples::zoo());
    let after = at(&zoo.block(ROOT, "resource google_lustre_instance fast"), "depends_on");
    for (kind, label) in
        [("google_service_networking_connection", ""), ("google_compute_firewall", "_lustre")]
    {
        let made = zoo.resources(ROOT, kind);
        let made = made.iter().find(|name| name.ends_with(label)).unwrap();
        assert!(after.contains(&format!("{kind}.{made}")), "{after}");
    }
}

#[test]
fn a_patch_that_adds_a_block_turns_on_what_the_block_needs() {
    let enabled = |patch: &str| {
        let cluster = format!("cluster a3m on gke {{\n{patch}");
        let rendered = accept(samples::mega().replace("cluster a3m on gke {\n", &cluster));
        services(&rendered).contains("binaryauthorization.googleapis.com")
    };
    let patch = "  patch cluster {\n    binary_authorization = { evaluation_mode = \"PROJECT_SINGLETON_POLICY_ENFORCE\" }\n  }\n";
    assert!(enabled(patch) && !enabled(""));
}
