//! Roots of clusters: capacity, sizes, slices, placement, networks, accounts.

use super::samples::{self, base};
use super::{Rendered, accept, at, expect};

/// A cluster with one pool.
fn pool(machine: &str, fields: &str) -> Rendered {
    accept(with_pool(machine, fields, "zone = \"us-central1-a\""))
}

fn with_pool(machine: &str, fields: &str, cluster: &str) -> String {
    let fields: String = fields.lines().map(|line| format!("    {}\n", line.trim())).collect();
    let cluster: String = cluster.lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!(
        "{}\ncluster cc on gke {{\n  network = fabric\n{cluster}  pool p {{\n    machine = \"{machine}\"\n{fields}  }}\n}}\n",
        base("us-central1")
    )
}

const POOL: &str = "resource google_container_node_pool p";

/// A machine, its capacity, and what its node pool says.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn each_model_of_capacity_is_spelled_out() {
    let affinity = "node_config.reservation_affinity.consume_reservation_type";
    let values = "node_config.reservation_affinity.values";
    let spot = "node_config.spot";
    let repair = "management.auto_repair";
    let block = "reservation(\"projects/owner/reservations/r\", block = \"b\")";
    let specific = (affinity, "\"SPECIFIC_RESERVATION\"");
    let none = (affinity, "\"NO_RESERVATION\"");
    let cases: &[Case<'_>] = &[
        (
            "a3-megagpu-8g",
            "on_demand",
            &[(affinity, "-"), (spot, "-"), (repair, "true"), ("node_count", "4")],
        ),
        ("a3-ultragpu-8g", "spot", &[none, (spot, "true"), (repair, "true")]),
        ("a3-ultragpu-8g", "reservation(\"r\")", &[specific, (spot, "-"), ("node_count", "4")]),
        ("a3-ultragpu-8g", block, &[specific, ("queued_provisioning.enabled", "-")]),
        ("a3-ultragpu-8g", "calendar(\"r\")", &[specific]),
        (
            "a3-ultragpu-8g",
            "flex_start(1h)",
            &[
                none,
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
            "a3-ultragpu-8g",
            "queued(1h)",
            &[
                none,
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
    for (machine, capacity, expected) in cases {
        let rendered = pool(machine, &format!("nodes = 4\ncapacity = {capacity}"));
        expect(&rendered.block("30-cc", POOL), expected);
    }
    let named = pool("a3-ultragpu-8g", &format!("nodes = 4\ncapacity = {block}"));
    assert!(
        at(&named.block("30-cc", POOL), values)
            .contains("projects/owner/reservations/r/reservationBlocks/b")
    );
}

#[test]
fn reserved_machines_meet_no_policy_of_ours() {
    let (kind, name) = ("placement_policy.type", "placement_policy.policy_name");
    let (reserved, placed) = ("reservation(\"r\")", "reservation(\"r\", policy = \"dense\")");
    for (machine, capacity, expected) in [
        ("a3-megagpu-8g", "on_demand", [(kind, "\"COMPACT\""), (name, "-")]),
        ("a3-megagpu-8g", reserved, [(kind, "-"), (name, "-")]),
        ("a3-ultragpu-8g", "calendar(\"r\")", [(kind, "-"), (name, "-")]),
        ("a3-megagpu-8g", placed, [(kind, "\"COMPACT\""), (name, "\"dense\"")]),
        ("a4x-highgpu-4g", placed, [(kind, "\"\""), (name, "\"dense\"")]),
        (
            "a4x-highgpu-4g",
            reserved,
            [(kind, "\"\""), (name, "google_compute_resource_policy.p.name")],
        ),
    ] {
        let nodes = if machine.starts_with("a4x") { 18 } else { 4 };
        let rendered = pool(machine, &format!("nodes = {nodes}\ncapacity = {capacity}"));
        expect(&rendered.block("30-cc", POOL), &expected);
    }
    // a slice is placed by its topology, reserved or not
    let slice = pool("ct5lp-hightpu-4t", &format!("topology = 4x4\ncapacity = {reserved}"));
    expect(
        &slice.block("30-cc", POOL),
        &[(kind, "\"COMPACT\""), ("placement_policy.tpu_topology", "\"4x4\"")],
    );
}

#[test]
fn no_upgrade_restarts_a_run_unasked() {
    let held = "maintenance_policy.exclusion_until_end_of_support.enabled";
    let gpus = pool("a3-megagpu-8g", "nodes = 4");
    expect(
        &gpus.block("30-cc", POOL),
        &[(held, "true"), ("management.auto_upgrade", "true"), ("upgrade_settings.max_surge", "0")],
    );
    assert!(gpus.files["30-cc/versions.tf"].contains(">= 7.40.0,"));
    let system = "resource google_container_node_pool system";
    expect(&gpus.block("30-cc", system), &[(held, "-"), ("management.auto_upgrade", "true")]);
    let cpus = pool("n2-standard-8", "nodes = 4");
    expect(&cpus.block("30-cc", POOL), &[(held, "-"), ("upgrade_settings.max_surge", "1")]);
}

#[test]
fn what_cannot_change_under_nodes_replaces_the_pool() {
    let shape = |machine: &str, fields: &str| {
        let rendered = pool(machine, fields);
        let triggers = at(&rendered.block("30-cc", POOL), "lifecycle.replace_triggered_by");
        let made = rendered.resources("30-cc", "terraform_data");
        let names = triggers.matches("terraform_data.p_");
        assert_eq!(names.count(), made.len(), "{machine}: {triggers}");
        made.iter().any(|label| label == "p_shape").then(|| {
            assert!(triggers.contains("terraform_data.p_shape"), "{triggers}");
            at(&rendered.block("30-cc", "resource terraform_data p_shape"), "input")
        })
    };
    let slice = |machine: &str, of: &str| shape(machine, &format!("topology = {of}"));
    let of_slice = slice("ct5lp-hightpu-4t", "4x4").unwrap();
    assert!(of_slice.contains("\"4x4\"") && of_slice.contains("var.zone"), "{of_slice}");
    assert_ne!(slice("ct5lp-hightpu-4t", "4x8").unwrap(), of_slice);
    assert!(slice("tpu7x-standard-4t", "4x4x4").unwrap().contains("4x4x4"));
    assert!(
        shape("a4x-highgpu-4g", "nodes = 18\ncapacity = reservation(\"r\")")
            .unwrap()
            .contains("1x72")
    );
    let rdma = shape("a3-ultragpu-8g", "nodes = 2\ncapacity = reservation(\"r\")").unwrap();
    assert!(rdma.contains("zone = var.zone") && !rdma.contains("machine"), "{rdma}");
    assert_eq!(slice("ct5lp-hightpu-8t", "2x4"), None);
    assert_eq!(shape("a3-megagpu-8g", "nodes = 2"), None);
}

#[test]
fn node_pools_of_gpus_are_all_made_and_the_first_stays() {
    let made =
        |slices: i64| pool("a3-megagpu-8g", &format!("slices = {slices}\nnodes = {}", 4 * slices));
    let one = made(1);
    expect(&one.block("30-cc", POOL), &[("name", "\"p\""), ("for_each", "-")]);
    assert!(!one.files["30-cc/node_pools.tf"].contains("moved"));
    let three = made(3);
    expect(
        &three.block("30-cc", POOL),
        &[("name", "each.value"), ("for_each", "local.p_slices"), ("node_count", "4")],
    );
    expect(
        &three.block("30-cc", "moved"),
        &[("from", "google_container_node_pool.p"), ("to", "google_container_node_pool.p[\"p\"]")],
    );
    let domains = pool("a4x-highgpu-4g", "nodes = 18\ncapacity = reservation(\"r\")");
    expect(&domains.block("30-cc", POOL), &[("for_each", "local.p_slices")]);
}

#[test]
fn the_number_of_nodes_is_exact_in_one_zone_and_over_all_zones() {
    let sized = |nodes: &str, cluster: &str| {
        let rendered = accept(with_pool("n2-standard-8", &format!("nodes = {nodes}"), cluster));
        rendered.block("30-cc", POOL)
    };
    let zone = "zone = \"us-central1-a\"";
    let zonal = "location = \"us-central1-a\"";
    expect(&sized("3", zone), &[("node_count", "3"), ("autoscaling.total_max_node_count", "-")]);
    expect(&sized("3", zonal), &[("node_count", "3"), ("location", "var.zone")]);
    expect(
        &sized("3", ""),
        &[
            ("node_count", "-"),
            ("node_locations", "-"),
            ("autoscaling.total_min_node_count", "3"),
            ("autoscaling.total_max_node_count", "3"),
        ],
    );
    expect(
        &sized("1..8", zone),
        &[
            ("autoscaling.total_min_node_count", "1"),
            ("autoscaling.total_max_node_count", "8"),
            ("node_count", "-"),
        ],
    );
}

#[test]
fn a_slice_is_a_node_pool_of_its_hosts_with_its_topology() {
    let chips = |machine: &str, shape: &str, more: &str| {
        pool(machine, &format!("topology = {shape}\n{more}")).block("30-cc", POOL)
    };
    expect(
        &chips("ct5lp-hightpu-4t", "4x4", "slices = 2"),
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
        &chips("ct5lp-hightpu-4t", "4x4", "autoscale = true"),
        &[
            ("autoscaling.min_node_count", "0"),
            ("autoscaling.max_node_count", "4"),
            ("autoscaling.location_policy", "\"ANY\""),
            ("autoscaling.total_max_node_count", "-"),
            ("node_count", "-"),
        ],
    );
    expect(
        &chips("ct5lp-hightpu-8t", "2x4", ""),
        &[
            ("node_count", "1"),
            ("placement_policy.tpu_topology", "-"),
            ("placement_policy.type", "-"),
        ],
    );
    expect(
        &chips("tpu7x-standard-4t", "4x4x4", ""),
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
        let rendered = pool(machine, &format!("topology = {shape}\nslices = {slices}"));
        let blocks = rendered.blocks("30-cc");
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
    let gpus = |machine: &str, more: &str| {
        pool(machine, &format!("nodes = 1\n{more}")).block("30-cc", POOL)
    };
    expect(
        &gpus("g2-standard-12", "sharing = time_shared(4)\ndriver = \"none\""),
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
        &gpus("a2-highgpu-1g", "sharing = mig(\"1g.5gb\")"),
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
        &gpus(
            "a3-ultragpu-8g",
            "local_ssd = \"raw\"\ndisk = 500GiB\ncapacity = reservation(\"r\")",
        ),
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
    let rendered = pool("a3-ultragpu-8g", "nodes = 2\ncapacity = reservation(\"r\")");
    let text = &rendered.files["30-cc/network.tf"];
    assert!(text.contains("networkProfiles/${var.zone}-vpc-roce\""), "{text}");
    assert_eq!(rendered.resources("30-cc", "google_compute_network"), ["data", "rdma"]);
    assert_eq!(rendered.resources("30-cc", "google_compute_firewall"), ["data"]);
    let interfaces = &rendered.files["30-cc/node_pools.tf"];
    let order = interfaces.lines().filter(|line| line.contains("subnetwork ="));
    let order: Vec<_> = order.map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(
        order,
        ["gvnic-1", "rdma-0", "rdma-1", "rdma-2", "rdma-3", "rdma-4", "rdma-5", "rdma-6", "rdma-7"]
    );
}

#[test]
fn data_networks_name_the_pool_that_has_them() {
    let text = with_pool("a3-megagpu-8g", "nodes = 2", "zone = \"us-central1-a\"")
        .replace("pool p {", "pool mega {");
    let ultra = "  pool ultra {\n    machine = \"a3-ultragpu-8g\"\n    nodes = 2\n    capacity = reservation(\"r\")\n  }\n";
    let (cluster, end) = text.trim_end().split_at(text.trim_end().len() - 1);
    let rendered = accept(format!("{cluster}{ultra}{end}\n"));
    let lines: Vec<_> = rendered.files["30-cc/network.tf"].lines().collect();
    for (block, pool) in [("\"data\" {", "mega"), ("\"rdma\" {", "ultra")] {
        let made = lines.windows(2).filter(|it| it[1].ends_with(block));
        let above: Vec<_> = made.map(|it| it[0]).collect();
        assert!(!above.is_empty() && above.iter().all(|it| it.contains(pool)), "{above:?}");
    }
}

#[test]
fn interfaces_that_pods_claim_ask_for_a_newer_provider() {
    let rendered = pool("a4x-maxgpu-4g-metal", "nodes = 18\ncapacity = reservation(\"r\")");
    let pool = rendered.block("30-cc", POOL);
    expect(
        &pool,
        &[
            ("network_config.accelerator_network_profile", "\"auto\""),
            ("network_config.additional_node_network_configs", "-"),
            ("placement_policy.policy_name", "google_compute_resource_policy.p.name"),
            ("node_config.shielded_instance_config", "-"),
        ],
    );
    assert!(rendered.files["30-cc/versions.tf"].contains(">= 7.40.0, < 8.0.0"));
    expect(
        &rendered.block("30-cc", "resource google_container_cluster this"),
        &[("enable_shielded_nodes", "false")],
    );
}

#[test]
fn accelerators_come_after_a_pool_without_them() {
    let alone = pool("g2-standard-12", "nodes = 1");
    let after = at(&alone.block("30-cc", POOL), "depends_on");
    assert!(after.contains("google_container_node_pool.system"), "{after}");
    let plain = pool("n2-standard-8", "nodes = 1");
    assert_eq!(plain.resources("30-cc", "google_container_node_pool"), ["p"]);
    expect(&plain.block("30-cc", POOL), &[("depends_on", "-")]);
}

#[test]
fn a_pool_of_the_name_system_does_not_meet_the_system_pool() {
    let text = with_pool("g2-standard-12", "nodes = 1", "zone = \"us-central1-a\"");
    let rendered = accept(text.replace("pool p {", "pool system {"));
    assert_eq!(
        rendered.resources("30-cc", "google_container_node_pool"),
        ["cluster_system", "system"]
    );
}

#[test]
fn the_control_plane_says_what_the_blueprint_says() {
    let cluster = "zone = \"us-central1-a\"
        release = \"rapid\"
        version = \"1.33.4-gke.1036000\"
        private_endpoint = false
        deletion_protection = false
        authorized = { corp = 203.0.113.0/24 }";
    let text = with_pool("n2-standard-8", "nodes = 1", cluster);
    let documented = "## A cluster\n## for tests.\n##\n## More.\ncluster cc";
    let rendered = accept(text.replace("cluster cc", documented));
    expect(
        &rendered.block("30-cc", "resource google_container_cluster this"),
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
        hcl::from_str(&rendered.files["30-cc/terraform.tfvars"]).unwrap();
    assert_eq!(values.get("deletion_protection"), None);
    assert_eq!(values["authorized_networks"]["corp"], "203.0.113.0/24");
}

#[test]
fn the_pool_that_goes_at_once_takes_no_quota_of_solid_state() {
    let rendered = pool("a3-megagpu-8g", "nodes = 2");
    expect(
        &rendered.block("30-cc", "resource google_container_cluster this"),
        &[("node_config.disk_type", "\"pd-standard\""), ("node_config.disk_size_gb", "30")],
    );
}

#[test]
fn a_protected_cluster_is_in_no_plan_that_destroys_it() {
    let rendered = pool("n2-standard-8", "nodes = 1");
    expect(
        &rendered.block("30-cc", "resource google_container_cluster this"),
        &[("deletion_protection", "true"), ("lifecycle.prevent_destroy", "true")],
    );
}

#[test]
fn the_control_plane_is_reached_by_name_unless_the_blueprint_says_no() {
    let credentials = |cluster: &str| {
        let cluster = format!("zone = \"us-central1-a\"\n{cluster}");
        let rendered = accept(with_pool("n2-standard-8", "nodes = 1", &cluster));
        let dns = "control_plane_endpoints_config.dns_endpoint_config.allow_external_traffic";
        let this = rendered.block("30-cc", "resource google_container_cluster this");
        let outputs = rendered.files["30-cc/outputs.tf"].contains("--dns-endpoint");
        (at(&this, dns), at(&this, "private_cluster_config.master_ipv4_cidr_block"), outputs)
    };
    assert_eq!(credentials(""), ("true".into(), "-".into(), true));
    let own = "dns_endpoint = false\ncontrol_plane = 172.16.0.0/28";
    assert_eq!(credentials(own), ("false".into(), "\"172.16.0.0/28\"".into(), false));
}

#[test]
fn gke_goes_on_measuring_what_it_measures_by_itself() {
    let of = |machine: &str| {
        let rendered = pool(machine, "nodes = 1");
        at(
            &rendered.block("30-cc", "resource google_container_cluster this"),
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
    let bare = pool("n2-standard-8", "nodes = 1");
    expect(
        &bare.block("30-cc", "resource google_container_cluster this"),
        &[
            ("addons_config.gcs_fuse_csi_driver_config", "-"),
            ("addons_config.lustre_csi_driver_config", "-"),
        ],
    );
}

#[test]
fn documentation_never_replaces_what_is_there() {
    let text = samples::mega().replace("\nnetwork", "\n## Other words.\nnetwork");
    let rendered = accept(text.replace("\ncluster", "\n## Other words.\ncluster"));
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
