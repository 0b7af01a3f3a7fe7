//! What production sets of networks, clusters and pools: upgrades, ways in and out, keys.

use super::samples::base;
use super::{Rendered, accept, at, expect};

const FOUNDATION: &str = "10-foundation";
const CLUSTER: &str = "resource google_container_cluster this";
const POOL: &str = "resource google_container_node_pool p";

/// A cluster with a pool of a machine, and what both say.
fn made(cluster: &str, machine: &str, pool: &str) -> Rendered {
    accept(format!(
        "{}\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  {cluster}\n  pool p {{\n    machine = \
         \"{machine}\"\n    nodes = 2\n    {pool}\n  }}\n}}\n",
        base("us-central1")
    ))
}

#[test]
fn a_window_opens_at_its_time_and_stays_shut_where_it_is_said() {
    let shut = "except = { freeze = no_upgrades(\"2026-12-20\", \"2027-01-07\") }";
    let window = format!("window(\"23:30\", days = [\"sat\", \"sun\"], length = 9h, {shut})");
    let rendered = made(format!("maintenance = {window}").as_str(), "n2-standard-8", "");
    let open = "maintenance_policy.recurring_window";
    let freeze = "maintenance_policy.maintenance_exclusion";
    expect(
        &rendered.block("30-cc", CLUSTER),
        &[
            (format!("{open}.start_time").as_str(), "\"1970-01-01T23:30:00Z\""),
            (format!("{open}.end_time").as_str(), "\"1970-01-02T08:30:00Z\""),
            (format!("{open}.recurrence").as_str(), "\"FREQ=WEEKLY;BYDAY=SA,SU\""),
            (format!("{freeze}.exclusion_name").as_str(), "\"freeze\""),
            (format!("{freeze}.start_time").as_str(), "\"2026-12-20T00:00:00Z\""),
            (format!("{freeze}.end_time").as_str(), "\"2027-01-07T00:00:00Z\""),
            (format!("{freeze}.exclusion_options.scope").as_str(), "\"NO_UPGRADES\""),
            (format!("{freeze}.exclusion_options.end_time_behavior").as_str(), "-"),
        ],
    );
    let until = "except = { run = no_minor_or_node_upgrades(\"2026-12-20\") }";
    let rendered = made(&format!("maintenance = window(\"03:00\", {until})"), "n2-standard-8", "");
    expect(
        &rendered.block("30-cc", CLUSTER),
        &[
            (format!("{open}.recurrence").as_str(), "\"FREQ=DAILY\""),
            (format!("{freeze}.end_time").as_str(), "-"),
            (
                format!("{freeze}.exclusion_options.end_time_behavior").as_str(),
                "\"UNTIL_END_OF_SUPPORT\"",
            ),
        ],
    );
}

#[test]
fn accelerators_are_upgraded_when_somebody_asks() {
    let upgrade = "management.auto_upgrade";
    let held = "maintenance_policy.exclusion_until_end_of_support.enabled";
    let surge = "upgrade_settings.max_surge";
    for (cluster, machine, pool, by_itself, until_the_end, extra) in [
        ("", "a3-megagpu-8g", "", "true", "true", "0"),
        ("", "a3-megagpu-8g", "upgrades = \"automatic\"", "true", "-", "0"),
        ("release = \"none\"", "a3-megagpu-8g", "", "false", "-", "0"),
        ("", "n2-standard-8", "", "true", "-", "1"),
        ("", "n2-standard-8", "upgrades = \"end_of_support\"", "true", "true", "1"),
        ("", "n2-standard-8", "upgrade_by = surge(3)", "true", "-", "3"),
        ("", "a3-megagpu-8g", "capacity = flex_start(1d)", "true", "-", "-"),
        // there is no machine beside those that a pool fills its reservation with
        ("", "n2-standard-8", "capacity = reservation(\"mine\")", "true", "-", "0"),
        ("", "n2-standard-8", "capacity = any_reservation", "true", "-", "1"),
    ] {
        let rendered = made(cluster, machine, pool);
        expect(
            &rendered.block("30-cc", POOL),
            &[(upgrade, by_itself), (held, until_the_end), (surge, extra)],
        );
    }
    let rendered = made("", "n2-standard-8", "upgrade_by = blue_green(batch = 2, soak = 2h)");
    let blue_green = "upgrade_settings.blue_green_settings";
    expect(
        &rendered.block("30-cc", POOL),
        &[
            ("upgrade_settings.strategy", "\"BLUE_GREEN\""),
            (format!("{blue_green}.node_pool_soak_duration").as_str(), "\"7200s\""),
            (format!("{blue_green}.standard_rollout_policy.batch_node_count").as_str(), "2"),
        ],
    );
}

#[test]
fn gpus_attach_and_taints_stand_beside_theirs() {
    let rendered =
        made("", "n1-standard-8", "gpus = attached(\"t4\", 2)\n taints = [taint(\"a\", \"b\")]");
    let block = rendered.block("30-cc", POOL);
    expect(
        &block,
        &[
            ("node_config.guest_accelerator.type", "\"nvidia-tesla-t4\""),
            ("node_config.guest_accelerator.count", "2"),
            ("node_config.taint.key", "\"nvidia.com/gpu\""),
        ],
    );
    let text: String = rendered.files.values().map(String::as_str).collect();
    assert!(text.contains("key    = \"a\"\n      value  = \"b\"\n      effect = \"NO_SCHEDULE\""));
}

#[test]
fn images_are_streamed_with_the_api_that_does_it() {
    let rendered = made("", "n2-standard-8", "image_streaming = true");
    expect(&rendered.block("30-cc", POOL), &[("node_config.gcfs_config.enabled", "true")]);
    let apis = rendered.block(FOUNDATION, "resource google_project_service apis");
    assert!(at(&apis, "for_each").contains("containerfilesystem.googleapis.com"));
}

#[test]
fn a_network_lets_out_by_its_own_addresses_and_in_what_is_said() {
    let rendered = accept(
        "network plain {\n  region = \"us-central1\"\n  nat_addresses = 2\n  nat_ports = 8192\n  ssh = false\n  firewall = { \"my-office\" = \
         ingress(from = [192.0.2.0/24], tcp = [\"443\"], icmp = true) }\n}\n",
    );
    assert_eq!(
        rendered.resources(FOUNDATION, "google_compute_firewall"),
        ["plain_internal", "plain_ingress"]
    );
    insta::assert_snapshot!(rendered.text.shown(&["10-foundation/network.tf"]));
}

/// The provider fills `nat_ips` in itself: the addresses of before would be sent with `AUTO_ONLY`.
#[test]
fn addresses_of_its_own_are_taken_back_by_name() {
    let nat = |words: &str| {
        let rendered = accept(format!("network plain {{\n  region = \"us-central1\"\n{words}}}\n"));
        let nat = rendered.block(FOUNDATION, "resource google_compute_router_nat plain");
        ["nat_ip_allocate_option", "nat_ips"].map(|path| at(&nat, path))
    };
    let own = "google_compute_address.plain_nat[*].self_link";
    assert_eq!(nat("  nat_addresses = 2\n"), ["\"MANUAL_ONLY\"", own]);
    assert_eq!(nat(""), ["\"AUTO_ONLY\"", "[]"]);
}

/// A key of the cluster's disks is that of all nodes of it; a pool may have another.
#[test]
fn disks_of_all_nodes_have_the_key_of_the_cluster() {
    let key = |name: &str| format!("projects/p/locations/us-central1/keyRings/r/cryptoKeys/{name}");
    let provided = "patch cluster {\n    cluster_autoscaling = { enabled = true }\n  }";
    let keyed = |pool: &str| {
        let words = format!("disk_key = \"{}\"\n  {provided}", key("all"));
        made(&words, "a3-megagpu-8g", &format!("capacity = spot\n    {pool}"))
    };
    let rendered = keyed("");
    let all = format!("\"{}\"", key("all"));
    let cluster = rendered.block("30-cc", "resource google_container_cluster this");
    for at_key in ["node_config", "cluster_autoscaling.auto_provisioning_defaults"] {
        assert_eq!(at(&cluster, &format!("{at_key}.boot_disk_kms_key")), all, "{at_key}");
    }
    let pools = rendered.resources("30-cc", "google_container_node_pool");
    assert!(pools.len() > 1, "{pools:?}");
    for pool in &pools {
        let block = rendered.block("30-cc", &format!("resource google_container_node_pool {pool}"));
        assert_eq!(at(&block, "node_config.boot_disk_kms_key"), all, "{pool}");
    }
    let own = keyed(&format!("disk_key = \"{}\"", key("own")));
    let own = at(&own.block("30-cc", POOL), "node_config.boot_disk_kms_key");
    assert_eq!(own, format!("\"{}\"", key("own")));
    let page = rendered.text.file("README.md");
    assert!(page.contains(&format!("| `{}` | Compute Engine |", key("all"))), "{page}");
}

/// What is kept beside a cluster has keys of its own, and the page says whose agents encrypt with them.
#[test]
fn images_and_dashboards_have_keys() {
    let key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k";
    let words = format!("encryption_key = \"{key}\"");
    let rendered = accept(format!(
        "registry images {{\n  location = \"us-central1\"\n  {words}\n}}\n\ndashboard board \
         {{\n  region = \"us-central1\"\n  {words}\n}}\n"
    ));
    let key = format!("\"{key}\"");
    let registry =
        rendered.block(FOUNDATION, "resource google_artifact_registry_repository images");
    expect(&registry, &[("kms_key_name", key.as_str())]);
    let board = rendered.block(FOUNDATION, "resource google_vertex_ai_tensorboard board");
    expect(&board, &[("encryption_spec.kms_key_name", key.as_str())]);
    let page = rendered.text.file("README.md");
    assert!(page.contains("Artifact Registry |") && page.contains("Vertex AI |"), "{page}");
}

/// Images that many regions pull lie in several at once, which is no region of anything else.
#[test]
fn a_registry_may_lie_in_several_regions() {
    let rendered = accept(
        "registry images {\n  location = \"us\"\n}\n\nexisting registry base {\n  location = \"europe\"\n  project = \"company-images\"\n}\n\n\
         dashboard board {\n  region = \"us-east4\"\n}\n\nidentity trainer {\n  reads = [images, base]\n}\n\n\
         image nemo {\n  from = \"a:1\"\n  packages = [\"lhotse==1.30.3\"]\n  push_to = images\n}\n\n\
         image other {\n  from = \"a:1\"\n  packages = [\"lhotse==1.30.3\"]\n  push_to = registry(\"asia\", \"more\")\n}\n",
    );
    let made = "resource google_artifact_registry_repository";
    let given = "resource google_artifact_registry_repository_iam_member";
    let all = [("images", "us", made), ("more", "asia", made), ("base_trainer", "europe", given)];
    for (label, location, kind) in all {
        let block = rendered.block(FOUNDATION, &format!("{kind} {label}"));
        expect(&block, &[("location", format!("\"{location}\"").as_str())]);
    }
    let pushed = rendered.text.file("20-images/nemo/cloudbuild.yaml");
    assert!(pushed.contains("us-docker.pkg.dev/my-project-1/images/nemo:"), "{pushed}");
    let values = rendered.text.file("10-foundation/terraform.tfvars");
    assert!(values.contains("\"us-east4\""), "{values}");
}

#[test]
fn the_system_pool_is_patched_by_its_cluster() {
    let words = "patch system_pool {\n    node_config = { tags = [\"system\"] }\n  }";
    let rendered = made(words, "a3-megagpu-8g", "capacity = spot");
    let pool = rendered.block("30-cc", "resource google_container_node_pool system");
    assert!(at(&pool, "node_config.tags").contains("\"system\""));
}

/// Pools that GKE makes by itself would act as the default account of the project.
#[test]
fn nodes_that_gke_makes_by_itself_act_as_those_of_the_cluster() {
    let nodes = |inner: &str| {
        let words = format!("patch cluster {{\n    cluster_autoscaling = {{ {inner} }}\n  }}");
        let rendered = made(&words, "n2-standard-8", "");
        let cluster = rendered.block("30-cc", "resource google_container_cluster this");
        [
            "enabled",
            "auto_provisioning_defaults.service_account",
            "auto_provisioning_defaults.management.auto_repair",
        ]
        .map(|field| at(&cluster, &format!("cluster_autoscaling.{field}")))
    };
    let limits = "resource_limits = [{ resource_type = \"cpu\", minimum = 0, maximum = 64 }, { resource_type = \"memory\", minimum = 0, maximum = 256 }]";
    let own = "google_service_account.nodes.email";
    assert_eq!(nodes(&format!("enabled = true, {limits}")), ["true", own, "true"]);
    let said =
        "auto_provisioning_defaults = { service_account = \"me@p.iam.gserviceaccount.com\" }";
    let theirs = "\"me@p.iam.gserviceaccount.com\"";
    assert_eq!(nodes(&format!("enabled = true, {limits}, {said}")), ["true", theirs, "true"]);
    assert_eq!(nodes("enabled = false"), ["false", "-", "-"]);
}

/// What the provider keeps where nothing says it is switched off by its word, and left alone without one.
#[test]
fn what_has_an_off_says_it() {
    let streams = |words: &str| {
        let rendered = made("", "n2-standard-8", words);
        at(&rendered.block("30-cc", POOL), "node_config.gcfs_config.enabled")
    };
    assert_eq!(
        ["image_streaming = true", "image_streaming = false", ""].map(streams),
        ["true", "false", "-"]
    );
    let secrets = |words: &str| {
        let rendered = made(words, "n2-standard-8", "");
        let cluster = rendered.block("30-cc", "resource google_container_cluster this");
        ["state", "key_name"].map(|field| at(&cluster, &format!("database_encryption.{field}")))
    };
    assert_eq!(secrets(""), ["\"DECRYPTED\"", "-"]);
    let key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k";
    assert_eq!(
        secrets(&format!("encryption_key = \"{key}\"")),
        ["\"ENCRYPTED\"".to_owned(), format!("\"{key}\"")]
    );
}

#[test]
fn a_shared_network_is_looked_up_where_it_is() {
    let rendered = accept(
        "existing network vpc {\n  region = \"us-central1\"\n  name = \"company\"\n  project = \
         \"host-project\"\n  subnet_name = \"training\"\n  pods_name = \"pods\"\n  services_name = \"services\"\n}\n\ncluster cc on gke {\n  network \
         = vpc\n}\n\nfilesystem home {\n  storage = filestore(3TiB)\n  network = vpc\n  location = \"us-central1-a\"\n}\n",
    );
    for (folder, kind) in [("30-cc", "network"), ("30-cc", "subnetwork"), (FOUNDATION, "network")] {
        let found = rendered.block(folder, &format!("data google_compute_{kind} vpc"));
        expect(&found, &[("project", "\"host-project\"")]);
    }
    expect(
        &rendered.block(FOUNDATION, "resource google_filestore_instance home"),
        &[
            ("networks.network", "data.google_compute_network.vpc.id"),
            ("networks.connect_mode", "\"PRIVATE_SERVICE_ACCESS\""),
        ],
    );
}

/// All files, those for Kubernetes among them.
fn whole(rendered: &Rendered) -> String {
    rendered.text.output.artifacts.iter().map(|file| file.content.as_str()).collect()
}

/// A cluster with a pool on a second network.
fn second(machine: &str, pool: &str) -> Rendered {
    alone(machine, &format!("{pool}\n    second_network = true"))
}

/// A cluster with a pool alone.
fn alone(machine: &str, pool: &str) -> Rendered {
    accept(format!(
        "{}\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  pool p {{\n    machine = \"{machine}\"\n    {pool}\n  }}\n}}\n",
        base("us-central1")
    ))
}

#[test]
fn nodes_are_on_a_second_network_where_it_is_said() {
    let rendered = second("ct6e-standard-4t", "topology = 4x4");
    let interface = "network_config.additional_node_network_configs";
    let block = rendered.block("30-cc", POOL);
    let network = "google_compute_network.data[\"gvnic-1\"].name";
    expect(&block, &[(format!("{interface}.network").as_str(), network)]);
    let cluster = rendered.block("30-cc", CLUSTER);
    expect(&cluster, &[("enable_multi_networking", "true")]);

    let rendered = second("h4d-highmem-192-lssd", "nodes = 2");
    let block = rendered.block("30-cc", POOL);
    let network = "google_compute_network.rdma[\"cc-falcon\"].name";
    expect(&block, &[(format!("{interface}.network").as_str(), network)]);
    let text = whole(&rendered);
    assert!(text.contains("/global/networkProfiles/${var.zone}-vpc-falcon"), "{text}");
    assert!(text.contains("deviceMode: RDMA"), "{text}");
    let networks = text.split("rdma_networks").nth(1).unwrap_or_default();
    assert!(networks.contains("mtu     = 8896"), "{networks}");
}

/// The provider reads of a pool what is no more said of it, so that the pool would stay on networks that go.
#[test]
fn a_pool_is_made_anew_with_other_networks_and_where_it_has_none() {
    let held = |rendered: &Rendered| {
        let block = rendered.block("30-cc", "resource terraform_data p_networks");
        let pool = rendered.block("30-cc", POOL);
        (at(&block, "input"), at(&pool, "lifecycle.replace_triggered_by"))
    };
    let ignored = |rendered: &Rendered| {
        at(&rendered.block("30-cc", CLUSTER), "lifecycle.ignore_changes")
            .contains("enable_multi_networking")
    };
    for (machine, words, network) in [
        ("ct6e-standard-4t", "topology = 4x4", "cc-gvnic-1"),
        ("h4d-highmem-192-lssd", "nodes = 2", "cc-falcon-0"),
        ("g4-standard-384", "nodes = 2", "cc-gvnic-1"),
    ] {
        let (with, without) = (second(machine, words), alone(machine, words));
        let ((networks, trigger), (none, same)) = (held(&with), held(&without));
        assert_eq!(networks, format!("[\n  \"{network}\"\n]"), "{machine}");
        assert_eq!(none, "[]", "{machine}");
        for trigger in [trigger, same] {
            assert!(trigger.contains("terraform_data.p_networks"), "{machine}: {trigger}");
        }
        assert_eq!((ignored(&with), ignored(&without)), (false, true));
    }
    let said = "allow patch/owned \"pools of others\"\n patch cluster {\n enable_multi_networking = true\n }";
    assert!(!ignored(&made(said, "n2-standard-8", "")));
}

#[test]
fn the_system_pool_has_a_disk_that_its_machine_boots_from() {
    for (words, kind, size) in [
        ("", "-", "-"),
        ("system_disk = 200GiB", "-", "200"),
        ("system_machine = \"n4-standard-16\"", "\"hyperdisk-balanced\"", "-"),
    ] {
        let rendered = made(words, "a3-megagpu-8g", "");
        let block = rendered.block("30-cc", "resource google_container_node_pool system");
        expect(&block, &[("node_config.disk_type", kind), ("node_config.disk_size_gb", size)]);
    }
}

#[test]
fn accounts_act_as_identities_without_a_workload() {
    let rendered = accept(format!(
        "{}\nidentity reader {{\n}}\n\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  accounts = {{ \"research/loader\" = reader \
         }}\n  pool p {{\n    machine = \"n2-standard-8\"\n    nodes = 2\n  }}\n}}\n",
        base("us-central1")
    ));
    let text = whole(&rendered);
    assert!(text.contains("\"research/loader\""), "{text}");
    assert!(text.contains("namespace: research"), "{text}");
    assert!(text.contains("kind: Namespace"), "{text}");
}

#[test]
fn pods_have_an_interface_on_the_second_network() {
    let run = |words: &str| {
        let text = accept(format!(
            "{}\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  pool p {{\n    machine = \"h4d-highmem-192-lssd\"\n    nodes = \
             2\n    second_network = true\n  }}\n}}\n\nworkload solve on cc.p {{\n  image = \"python:3.12.7-slim\"\n  nodes = 2\n  launch = \
             command([\"true\"])\n  {words}\n}}\n",
            base("us-central1")
        ));
        whole(&text).contains("\"interfaceName\":\"eth1\",\"network\":\"falcon-0\"")
    };
    assert!(run(""));
    assert!(!run("host_network = true"));
    assert!(!run("fabric = \"off\""));
}

#[test]
fn pools_have_the_pods_of_their_cluster_where_they_say_none() {
    for (cluster, pool, of_cluster, of_pool) in [
        ("", "", "-", "110"),
        ("max_pods = 32", "", "32", "32"),
        ("max_pods = 32", "max_pods = 64", "32", "64"),
        ("", "max_pods = 64", "-", "64"),
    ] {
        let rendered = made(cluster, "n2-standard-8", pool);
        let block = rendered.block("30-cc", CLUSTER);
        assert_eq!(at(&block, "default_max_pods_per_node"), of_cluster, "{cluster}");
        assert_eq!(at(&rendered.block("30-cc", POOL), "max_pods_per_node"), of_pool, "{pool}");
    }
}

#[test]
fn nodes_take_what_matches_of_any_reservation() {
    let rendered = made("", "a3-megagpu-8g", "capacity = any_reservation");
    let affinity = "node_config.reservation_affinity";
    expect(
        &rendered.block("30-cc", POOL),
        &[
            (&format!("{affinity}.consume_reservation_type"), "\"ANY_RESERVATION\""),
            (&format!("{affinity}.key"), "-"),
            ("placement_policy", "-"),
        ],
    );
}

#[test]
fn objects_lie_in_a_zone_or_are_kept_beside_machines() {
    let bucket = |words: &str| {
        accept(format!("bucket shards {{\n  location = \"us-east4\"\n  {words}\n}}\n"))
    };
    let rendered = bucket("hierarchical = true\n  rapid = \"us-east4-a\"");
    let shards = "resource google_storage_bucket shards";
    expect(
        &rendered.block(FOUNDATION, shards),
        &[
            ("storage_class", "\"RAPID\""),
            ("custom_placement_config.data_locations", "[\n  \"us-east4-a\"\n]"),
            ("hierarchical_namespace.enabled", "true"),
        ],
    );
    let rendered = bucket("caches = [\"us-east4-a\", \"us-east4-b\"]\n  cached_for = 2h");
    expect(
        &rendered.block(FOUNDATION, "resource google_storage_anywhere_cache shards"),
        &[
            ("for_each", "toset([\"us-east4-a\", \"us-east4-b\"])"),
            ("bucket", "google_storage_bucket.shards.name"),
            ("ttl", "\"7200s\""),
        ],
    );
}
