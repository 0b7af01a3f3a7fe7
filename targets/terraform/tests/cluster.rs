//! Roots of clusters: capacity, sizes, slices, placement, networks, accounts.

use super::samples::{self, base};
use super::{Rendered, accept, at, expect, render};
use crate::testing::{Blueprint, cidr, gib, list, record, seconds, topology, variant};
use slipform_model::{Range, Value};

/// A cluster with one pool.
fn pool(machine: &str, fields: &[(&str, Value)]) -> Rendered {
    let mut all = vec![("machine", machine.into())];
    all.extend(fields.iter().cloned());
    accept(with_pool(&all, &[("zone", "us-central1-a".into())]))
}

fn with_pool(pool: &[(&str, Value)], cluster: &[(&str, Value)]) -> Blueprint {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-central1");
    let mut fields = vec![("network", blueprint.to(base.network))];
    fields.extend(cluster.iter().cloned());
    let cluster = blueprint.noun("cluster on gke", "c", &fields);
    blueprint.inside(cluster, "pool", "p", pool);
    blueprint
}

const POOL: &str = "resource google_container_node_pool p";

#[test]
fn each_model_of_capacity_is_spelled_out() {
    let on_demand = Value::word("on_demand");
    let flex = variant("flex_start", &[("max", seconds(3600))]);
    let queued = variant("queued", &[("max", seconds(3600))]);
    let reservation = variant("reservation", &[("name", "r".into())]);
    let block = variant(
        "reservation",
        &[("name", "projects/o/reservations/r".into()), ("block", "b".into())],
    );
    let affinity = "node_config.reservation_affinity.consume_reservation_type";
    let values = "node_config.reservation_affinity.values";
    let spot = "node_config.spot";
    let repair = "management.auto_repair";
    let cases: &[(Value, &[(&str, &str)])] = &[
        (on_demand, &[(affinity, "-"), (spot, "-"), (repair, "true"), ("node_count", "4")]),
        (
            Value::word("spot"),
            &[(affinity, "\"NO_RESERVATION\""), (spot, "true"), (repair, "true")],
        ),
        (reservation, &[(affinity, "\"SPECIFIC_RESERVATION\""), (spot, "-"), ("node_count", "4")]),
        (block, &[(affinity, "\"SPECIFIC_RESERVATION\""), ("queued_provisioning.enabled", "-")]),
        (variant("calendar", &[("name", "r".into())]), &[(affinity, "\"SPECIFIC_RESERVATION\"")]),
        (
            flex,
            &[
                (affinity, "\"NO_RESERVATION\""),
                ("node_config.flex_start", "true"),
                ("node_config.max_run_duration", "\"3600s\""),
                ("autoscaling.total_min_node_count", "0"),
                ("autoscaling.total_max_node_count", "4"),
                ("upgrade_settings.strategy", "-"),
                ("maintenance_policy", "-"),
                (repair, "false"),
                ("node_count", "-"),
                ("queued_provisioning.enabled", "-"),
            ],
        ),
        (
            queued,
            &[
                (affinity, "\"NO_RESERVATION\""),
                ("node_config.flex_start", "true"),
                ("node_config.max_run_duration", "-"),
                ("node_config.labels", "{}"),
                ("queued_provisioning.enabled", "true"),
                ("autoscaling.total_min_node_count", "0"),
                (repair, "false"),
                ("node_count", "-"),
            ],
        ),
    ];
    for (capacity, expected) in cases {
        let rendered =
            pool("a3-ultragpu-8g", &[("nodes", 4.into()), ("capacity", capacity.clone())]);
        expect(&rendered.block("30-c", POOL), expected);
    }
    let named = pool("a3-ultragpu-8g", &[("nodes", 4.into()), ("capacity", cases[3].0.clone())]);
    assert!(
        at(&named.block("30-c", POOL), values)
            .contains("projects/o/reservations/r/reservationBlocks/b")
    );
}

#[test]
fn reserved_machines_meet_no_policy_of_ours() {
    let (kind, name) = ("placement_policy.type", "placement_policy.policy_name");
    let reserved = |more: &[(&str, Value)]| {
        let mut fields = vec![("name", Value::from("r"))];
        fields.extend(more.iter().cloned());
        variant("reservation", &fields)
    };
    let policy = [("policy", "dense".into())];
    let calendar = variant("calendar", &[("name", "r".into())]);
    for (machine, capacity, expected) in [
        ("a3-megagpu-8g", Value::word("on_demand"), [(kind, "\"COMPACT\""), (name, "-")]),
        ("a3-megagpu-8g", reserved(&[]), [(kind, "-"), (name, "-")]),
        ("a3-ultragpu-8g", calendar, [(kind, "-"), (name, "-")]),
        ("a3-megagpu-8g", reserved(&policy), [(kind, "\"COMPACT\""), (name, "\"dense\"")]),
        ("a4x-highgpu-4g", reserved(&policy), [(kind, "\"\""), (name, "\"dense\"")]),
        (
            "a4x-highgpu-4g",
            reserved(&[]),
            [(kind, "\"\""), (name, "google_compute_resource_policy.p.name")],
        ),
    ] {
        let nodes = if machine.starts_with("a4x") { 18 } else { 4 };
        let rendered = pool(machine, &[("nodes", nodes.into()), ("capacity", capacity.clone())]);
        expect(&rendered.block("30-c", POOL), &expected);
    }
    // a slice is placed by its topology, reserved or not
    let slice = [("topology", topology("4x4")), ("capacity", reserved(&[]))];
    expect(
        &pool("ct5lp-hightpu-4t", &slice).block("30-c", POOL),
        &[(kind, "\"COMPACT\""), ("placement_policy.tpu_topology", "\"4x4\"")],
    );
}

#[test]
fn no_upgrade_restarts_a_run_unasked() {
    let held = "maintenance_policy.exclusion_until_end_of_support.enabled";
    let gpus = pool("a3-megagpu-8g", &[("nodes", 4.into())]);
    expect(
        &gpus.block("30-c", POOL),
        &[(held, "true"), ("management.auto_upgrade", "true"), ("upgrade_settings.max_surge", "0")],
    );
    assert!(gpus.files["30-c/versions.tf"].contains(">= 7.40.0,"));
    let system = "resource google_container_node_pool system";
    expect(&gpus.block("30-c", system), &[(held, "-"), ("management.auto_upgrade", "true")]);
    let cpus = pool("n2-standard-8", &[("nodes", 4.into())]);
    expect(&cpus.block("30-c", POOL), &[(held, "-"), ("upgrade_settings.max_surge", "1")]);
}

#[test]
fn what_cannot_change_under_nodes_replaces_the_pool() {
    let shape = |machine: &str, fields: &[(&str, Value)]| {
        let rendered = pool(machine, fields);
        let triggers = at(&rendered.block("30-c", POOL), "lifecycle.replace_triggered_by");
        let made = rendered.resources("30-c", "terraform_data");
        assert_eq!(triggers != "-", made == ["p_shape"], "{machine}");
        (!made.is_empty()).then(|| {
            assert_eq!(triggers, "[\n  terraform_data.p_shape\n]");
            at(&rendered.block("30-c", "resource terraform_data p_shape"), "input")
        })
    };
    let slice = |machine: &str, of: &str| shape(machine, &[("topology", topology(of))]);
    let of_slice = slice("ct5lp-hightpu-4t", "4x4").unwrap();
    assert!(of_slice.contains("\"4x4\"") && of_slice.contains("var.zone"), "{of_slice}");
    assert_ne!(slice("ct5lp-hightpu-4t", "4x8").unwrap(), of_slice);
    assert!(slice("tpu7x-standard-4t", "4x4x4").unwrap().contains("4x4x4"));
    assert!(shape("a4x-highgpu-4g", &[("nodes", 18.into())]).unwrap().contains("1x72"));
    let rdma = shape("a3-ultragpu-8g", &[("nodes", 2.into())]).unwrap();
    assert!(rdma.contains("zone = var.zone") && !rdma.contains("machine"), "{rdma}");
    assert_eq!(slice("ct5lp-hightpu-8t", "2x4"), None);
    assert_eq!(shape("a3-megagpu-8g", &[("nodes", 2.into())]), None);
}

#[test]
fn node_pools_of_gpus_are_all_made_and_the_first_stays() {
    let made = |slices: i64| {
        pool("a3-megagpu-8g", &[("slices", slices.into()), ("nodes", (4 * slices).into())])
    };
    let one = made(1);
    expect(&one.block("30-c", POOL), &[("name", "\"p\""), ("for_each", "-")]);
    assert!(!one.files["30-c/node_pools.tf"].contains("moved"));
    let three = made(3);
    expect(
        &three.block("30-c", POOL),
        &[("name", "each.value"), ("for_each", "local.p_slices"), ("node_count", "4")],
    );
    expect(
        &three.block("30-c", "moved"),
        &[("from", "google_container_node_pool.p"), ("to", "google_container_node_pool.p[\"p\"]")],
    );
    let domains = pool("a4x-highgpu-4g", &[("nodes", 18.into())]);
    expect(&domains.block("30-c", POOL), &[("for_each", "local.p_slices")]);
}

#[test]
fn the_number_of_nodes_is_exact_in_one_zone_and_over_all_zones() {
    let sized = |nodes: Value, cluster: &[(&str, Value)]| {
        let rendered =
            accept(with_pool(&[("machine", "n2-standard-8".into()), ("nodes", nodes)], cluster));
        rendered.block("30-c", POOL)
    };
    let zone = [("zone", "us-central1-a".into())];
    let zonal = [("location", "us-central1-a".into())];
    expect(
        &sized(3.into(), &zone),
        &[("node_count", "3"), ("autoscaling.total_max_node_count", "-")],
    );
    expect(&sized(3.into(), &zonal), &[("node_count", "3"), ("location", "var.zone")]);
    expect(
        &sized(3.into(), &[]),
        &[
            ("node_count", "-"),
            ("node_locations", "-"),
            ("autoscaling.total_min_node_count", "3"),
            ("autoscaling.total_max_node_count", "3"),
        ],
    );
    expect(
        &sized(Value::Range(Range(1, 8)), &zone),
        &[
            ("autoscaling.total_min_node_count", "1"),
            ("autoscaling.total_max_node_count", "8"),
            ("node_count", "-"),
        ],
    );
}

#[test]
fn a_slice_is_a_node_pool_of_its_hosts_with_its_topology() {
    let chips = |machine: &str, shape: &str, more: &[(&str, Value)]| {
        let mut fields = vec![("topology", topology(shape))];
        fields.extend(more.iter().cloned());
        pool(machine, &fields).block("30-c", POOL)
    };
    expect(
        &chips("ct5lp-hightpu-4t", "4x4", &[("slices", 2.into())]),
        &[
            ("for_each", "local.p_slices"),
            ("name", "each.value"),
            ("node_count", "4"),
            ("placement_policy.type", "\"COMPACT\""),
            ("placement_policy.tpu_topology", "\"4x4\""),
        ],
    );
    // the limit of a zone is what GKE holds against the size of a slice
    expect(
        &chips("ct5lp-hightpu-4t", "4x4", &[("autoscale", true.into())]),
        &[
            ("autoscaling.min_node_count", "0"),
            ("autoscaling.max_node_count", "4"),
            ("autoscaling.location_policy", "\"ANY\""),
            ("autoscaling.total_max_node_count", "-"),
            ("node_count", "-"),
        ],
    );
    expect(
        &chips("ct5lp-hightpu-8t", "2x4", &[]),
        &[
            ("node_count", "1"),
            ("placement_policy.tpu_topology", "-"),
            ("placement_policy.type", "-"),
        ],
    );
    expect(
        &chips("tpu7x-standard-4t", "4x4x4", &[]),
        &[
            ("node_count", "16"),
            ("placement_policy.type", "\"\""),
            ("placement_policy.policy_name", "google_compute_resource_policy.p.name"),
            ("placement_policy.tpu_topology", "\"4x4x4\""),
        ],
    );
}

#[test]
fn one_more_slice_leaves_the_others_where_they_are() {
    let keys = |machine: &str, shape: &str, slices: i64| {
        let fields = [("topology", topology(shape)), ("slices", slices.into())];
        let rendered = pool(machine, &fields);
        let blocks = rendered.blocks("30-c");
        let locals =
            blocks.iter().map(|block| at(block, "p_slices")).find(|text| text != "-").unwrap();
        locals
            .lines()
            .filter(|line| line.contains('='))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    for (machine, shape) in [("ct5lp-hightpu-4t", "4x4"), ("ct5lp-hightpu-8t", "2x4")] {
        let (one, three) = (keys(machine, shape, 1), keys(machine, shape, 3));
        assert_eq!((one.len(), three.len()), (1, 3));
        assert!(one.iter().all(|key| three.contains(key)), "{one:?} {three:?}");
    }
}

#[test]
fn gpus_come_with_driver_sharing_disks_and_card() {
    let sharing = variant("time_shared", &[("clients", 4.into())]);
    let mig = variant("mig", &[("profile", "1g.5gb".into())]);
    let gpus = |machine: &str, more: &[(&str, Value)]| {
        let mut fields = vec![("nodes", 1.into())];
        fields.extend(more.iter().cloned());
        pool(machine, &fields).block("30-c", POOL)
    };
    expect(
        &gpus("g2-standard-12", &[("sharing", sharing), ("driver", "none".into())]),
        &[
            ("node_config.guest_accelerator.type", "\"nvidia-l4\""),
            ("node_config.guest_accelerator.count", "1"),
            (
                "node_config.guest_accelerator.gpu_driver_installation_config.gpu_driver_version",
                "\"INSTALLATION_DISABLED\"",
            ),
            ("node_config.guest_accelerator.gpu_sharing_config.max_shared_clients_per_gpu", "4"),
            ("node_config.gvnic.enabled", "true"),
        ],
    );
    expect(
        &gpus("a2-highgpu-1g", &[("sharing", mig)]),
        &[
            ("node_config.guest_accelerator.gpu_partition_size", "\"1g.5gb\""),
            (
                "node_config.guest_accelerator.gpu_driver_installation_config.gpu_driver_version",
                "\"LATEST\"",
            ),
            ("node_config.guest_accelerator.gpu_sharing_config", "-"),
        ],
    );
    expect(
        &gpus("a3-ultragpu-8g", &[("local_ssd", "raw".into()), ("disk", gib(500))]),
        &[
            ("node_config.local_nvme_ssd_block_config.local_ssd_count", "32"),
            ("node_config.ephemeral_storage_local_ssd_config", "-"),
            ("node_config.disk_size_gb", "500"),
        ],
    );
}

#[test]
fn interfaces_stand_in_their_order_and_firewalls_follow_the_ranges() {
    let rendered = accept(samples::mega());
    let text = &rendered.files["30-a3m/node_pools.tf"];
    let order: Vec<_> =
        text.lines().filter(|line| line.contains("subnetwork =")).map(str::trim).collect();
    let expected: Vec<_> = (1..=8)
        .map(|at| format!("subnetwork = google_compute_subnetwork.data[\"vpc{at}\"].name"))
        .collect();
    assert_eq!(order, expected);
    let firewall = rendered.block("30-a3m", "resource google_compute_firewall data");
    expect(
        &firewall,
        &[
            ("for_each", "local.data_networks"),
            ("source_ranges", "[\n  google_compute_subnetwork.data[each.key].ip_cidr_range\n]"),
        ],
    );
    let subnet = rendered.block("30-a3m", "resource google_compute_subnetwork data");
    expect(&subnet, &[("log_config", "-"), ("private_ip_google_access", "true")]);
    expect(
        &rendered.block("30-a3m", "resource google_container_cluster this"),
        &[("enable_multi_networking", "true"), ("datapath_provider", "\"ADVANCED_DATAPATH\"")],
    );
}

#[test]
fn rdma_is_one_network_with_a_profile_and_no_firewall() {
    let rendered = pool("a3-ultragpu-8g", &[("nodes", 2.into())]);
    let text = &rendered.files["30-c/network.tf"];
    assert!(text.contains("networkProfiles/${var.zone}-vpc-roce\""), "{text}");
    assert_eq!(rendered.resources("30-c", "google_compute_network"), ["data", "rdma"]);
    assert_eq!(rendered.resources("30-c", "google_compute_firewall"), ["data"]);
    let interfaces = &rendered.files["30-c/node_pools.tf"];
    let order = interfaces.lines().filter(|line| line.contains("subnetwork ="));
    let order: Vec<_> = order.map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(
        order,
        ["gvnic-1", "rdma-0", "rdma-1", "rdma-2", "rdma-3", "rdma-4", "rdma-5", "rdma-6", "rdma-7"]
    );
}

#[test]
fn data_networks_name_the_pool_that_has_them() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.noun("network", "fabric", &[("region", "us-central1".into())]);
    let fields = [("network", blueprint.to(network)), ("zone", "us-central1-a".into())];
    let cluster = blueprint.noun("cluster on gke", "c", &fields);
    for (name, machine) in [("mega", "a3-megagpu-8g"), ("ultra", "a3-ultragpu-8g")] {
        let fields = [("machine", machine.into()), ("nodes", 2.into())];
        blueprint.inside(cluster, "pool", name, &fields);
    }
    let rendered = accept(blueprint);
    let lines: Vec<_> = rendered.files["30-c/network.tf"].lines().collect();
    for (block, pool) in [("\"data\" {", "mega"), ("\"rdma\" {", "ultra")] {
        let made = lines.windows(2).filter(|it| it[1].ends_with(block));
        let above: Vec<_> = made.map(|it| it[0]).collect();
        assert!(!above.is_empty() && above.iter().all(|it| it.contains(pool)), "{above:?}");
    }
}

#[test]
fn interfaces_that_pods_claim_ask_for_a_newer_provider() {
    let rendered = pool("a4x-maxgpu-4g-metal", &[("nodes", 18.into())]);
    let pool = rendered.block("30-c", POOL);
    expect(
        &pool,
        &[
            ("network_config.accelerator_network_profile", "\"auto\""),
            ("network_config.additional_node_network_configs", "-"),
            ("placement_policy.policy_name", "google_compute_resource_policy.p.name"),
            ("node_config.shielded_instance_config", "-"),
        ],
    );
    assert!(rendered.files["30-c/versions.tf"].contains(">= 7.40.0, < 8.0.0"));
    expect(
        &rendered.block("30-c", "resource google_container_cluster this"),
        &[("enable_shielded_nodes", "false")],
    );
}

#[test]
fn accelerators_come_after_a_pool_without_them() {
    let alone = pool("g2-standard-12", &[("nodes", 1.into())]);
    let after = at(&alone.block("30-c", POOL), "depends_on");
    assert!(after.contains("google_container_node_pool.system"), "{after}");
    let plain = pool("n2-standard-8", &[("nodes", 1.into())]);
    assert_eq!(plain.resources("30-c", "google_container_node_pool"), ["p"]);
    expect(&plain.block("30-c", POOL), &[("depends_on", "-")]);
}

#[test]
fn a_pool_of_the_name_system_does_not_meet_the_system_pool() {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-central1");
    let fields = [("network", blueprint.to(base.network)), ("zone", "us-central1-a".into())];
    let cluster = blueprint.noun("cluster on gke", "c", &fields);
    blueprint.inside(
        cluster,
        "pool",
        "system",
        &[("machine", "g2-standard-12".into()), ("nodes", 1.into())],
    );
    let rendered = accept(blueprint);
    assert_eq!(
        rendered.resources("30-c", "google_container_node_pool"),
        ["cluster_system", "system"]
    );
}

#[test]
fn the_control_plane_says_what_the_blueprint_says() {
    let networks = record(&[("corp", cidr("203.0.113.0/24"))]);
    let cluster = [
        ("zone", "us-central1-a".into()),
        ("release", "rapid".into()),
        ("version", "1.33.4-gke.1036000".into()),
        ("private_endpoint", false.into()),
        ("deletion_protection", false.into()),
        ("authorized", networks),
    ];
    let mut blueprint =
        with_pool(&[("machine", "n2-standard-8".into()), ("nodes", 1.into())], &cluster);
    let id = blueprint.model.nouns.iter().find(|noun| noun.name == "c").unwrap().id;
    blueprint.at(id).doc = Some("A cluster\nfor tests.\n\nMore.".into());
    let rendered = accept(blueprint);
    expect(
        &rendered.block("30-c", "resource google_container_cluster this"),
        &[
            ("description", "\"A cluster for tests.\""),
            ("location", "var.region"),
            ("min_master_version", "\"1.33.4-gke.1036000\""),
            ("release_channel.channel", "\"RAPID\""),
            ("private_cluster_config.enable_private_endpoint", "false"),
            ("private_cluster_config.master_ipv4_cidr_block", "-"),
            ("control_plane_endpoints_config.dns_endpoint_config.allow_external_traffic", "true"),
            ("deletion_protection", "false"),
            ("lifecycle.prevent_destroy", "-"),
            ("binary_authorization", "-"),
            ("enable_multi_networking", "-"),
            ("remove_default_node_pool", "true"),
            ("ip_allocation_policy.cluster_secondary_range_name", "\"pods\""),
        ],
    );
    let values: serde_json::Value =
        hcl::from_str(&rendered.files["30-c/terraform.tfvars"]).unwrap();
    assert_eq!(values.get("deletion_protection"), None);
    assert_eq!(values["authorized_networks"]["corp"], "203.0.113.0/24");
}

#[test]
fn the_pool_that_goes_at_once_takes_no_quota_of_solid_state() {
    let rendered = pool("a3-megagpu-8g", &[("nodes", 2.into())]);
    expect(
        &rendered.block("30-c", "resource google_container_cluster this"),
        &[("node_config.disk_type", "\"pd-standard\""), ("node_config.disk_size_gb", "30")],
    );
}

#[test]
fn a_protected_cluster_is_in_no_plan_that_destroys_it() {
    let rendered = pool("n2-standard-8", &[("nodes", 1.into())]);
    expect(
        &rendered.block("30-c", "resource google_container_cluster this"),
        &[("deletion_protection", "true"), ("lifecycle.prevent_destroy", "true")],
    );
}

#[test]
fn the_control_plane_is_reached_by_name_unless_the_blueprint_says_no() {
    let credentials = |cluster: &[(&str, Value)]| {
        let pool = [("machine", "n2-standard-8".into()), ("nodes", 1.into())];
        let rendered = accept(with_pool(&pool, cluster));
        let dns = "control_plane_endpoints_config.dns_endpoint_config.allow_external_traffic";
        let this = rendered.block("30-c", "resource google_container_cluster this");
        let outputs = rendered.files["30-c/outputs.tf"].contains("--dns-endpoint");
        (at(&this, dns), at(&this, "private_cluster_config.master_ipv4_cidr_block"), outputs)
    };
    assert_eq!(credentials(&[]), ("true".into(), "-".into(), true));
    let own = [("dns_endpoint", false.into()), ("control_plane", cidr("172.16.0.0/28"))];
    assert_eq!(credentials(&own), ("false".into(), "\"172.16.0.0/28\"".into(), false));
}

#[test]
fn gke_goes_on_measuring_what_it_measures_by_itself() {
    let of = |machine: &str| {
        let rendered = pool(machine, &[("nodes", 1.into())]);
        at(
            &rendered.block("30-c", "resource google_container_cluster this"),
            "monitoring_config.enable_components",
        )
    };
    let cpus = of("n2-standard-8");
    for component in ["SYSTEM_COMPONENTS", "CADVISOR", "KUBELET", "POD", "STORAGE", "JOBSET"] {
        assert!(cpus.contains(&format!("\"{component}\"")), "{cpus}");
    }
    assert!(!cpus.contains("DCGM") && of("g2-standard-12").contains("DCGM"));
}

#[test]
fn addons_follow_from_mounts() {
    let cluster = accept(samples::zoo()).block("30-zoo", "resource google_container_cluster this");
    expect(
        &cluster,
        &[
            ("addons_config.gcs_fuse_csi_driver_config.enabled", "true"),
            ("addons_config.gcp_filestore_csi_driver_config.enabled", "true"),
            ("addons_config.lustre_csi_driver_config.enabled", "true"),
        ],
    );
    let bare = pool("n2-standard-8", &[("nodes", 1.into())]);
    expect(
        &bare.block("30-c", "resource google_container_cluster this"),
        &[
            ("addons_config.gcs_fuse_csi_driver_config", "-"),
            ("addons_config.lustre_csi_driver_config", "-"),
        ],
    );
}

#[test]
fn data_networks_without_addresses_are_refused() {
    let mut blueprint = Blueprint::new();
    let fields = [("region", "us-central1".into()), ("accelerators", cidr("192.168.0.0/30"))];
    let network = blueprint.noun("network", "small", &fields);
    let fields = [("network", blueprint.to(network)), ("zone", "us-central1-a".into())];
    let cluster = blueprint.noun("cluster on gke", "c", &fields);
    blueprint.inside(
        cluster,
        "pool",
        "p",
        &[("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())],
    );
    blueprint.output("all", list([]));
    assert_eq!(render(blueprint).codes(), ["terraform/no-range"]);
}

#[test]
fn documentation_never_replaces_what_is_there() {
    let mut blueprint = samples::mega();
    for noun in &mut blueprint.model.nouns {
        noun.doc = Some("Other words.".into());
    }
    let rendered = accept(blueprint);
    expect(
        &rendered.block("10-foundation", "resource google_compute_network fabric"),
        &[("description", "-")],
    );
    let ignored = at(
        &rendered.block("30-a3m", "resource google_container_cluster this"),
        "lifecycle.ignore_changes",
    );
    assert!(ignored.contains("description"), "{ignored}");
}

/// Each variable of the Terraform configuration in Google's guide to training on TPU v4 and v5e has a field here.
#[test]
fn the_guide_to_training_on_tpus_can_be_said() {
    let rendered = accept(samples::guide());
    let root = "30-gke-tpu-training-cluster";
    expect(
        &rendered.block(root, "resource google_container_cluster this"),
        &[
            ("name", "\"gke-tpu-training-cluster\""),
            ("min_master_version", "\"1.33\""),
            ("description", "\"GKE cluster for running TPU training workloads\""),
        ],
    );
    expect(
        &rendered.block(root, "resource google_container_node_pool cpu"),
        &[
            ("node_count", "3"),
            ("node_config.machine_type", "\"n1-standard-4\""),
            ("node_config.disk_type", "\"pd-standard\""),
            ("node_config.service_account", "data.google_service_account.nodes.email"),
        ],
    );
    let slices = rendered.block(root, "resource google_container_node_pool tpu_node_pool");
    expect(
        &slices,
        &[
            ("autoscaling.max_node_count", "2"),
            ("placement_policy.tpu_topology", "\"2x2x2\""),
            ("node_locations", "[\n  var.zone\n]"),
        ],
    );
    assert!(at(&slices, "node_config.labels").contains("multi-slice-group"));
    let accounts = rendered
        .block("35-workload-identity", "resource google_service_account_iam_member trainer");
    assert!(at(&accounts, "for_each").contains("tpu-training/"));
    let foundation = "10-foundation";
    expect(
        &rendered.block(foundation, "resource google_compute_subnetwork training"),
        &[("name", "\"my-subnet\""), ("ip_cidr_range", "\"10.129.0.0/20\"")],
    );
    expect(
        &rendered.block(foundation, "resource google_service_account trainer"),
        &[("account_id", "\"cloud-tpu-sa\"")],
    );
    expect(
        &rendered.block(foundation, "resource google_vertex_ai_tensorboard board"),
        &[("region", "\"us-central1\"")],
    );
    assert_eq!(
        rendered.resources(foundation, "google_storage_bucket_iam_member"),
        ["aiml_trainer"]
    );
}
