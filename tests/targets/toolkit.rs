//! Slurm clusters on Google Cloud: what Cluster Toolkit is told of them.

use slipform_tests::text::{Rendered, rendered, rendered_despite};

const BLUEPRINT: &str = "30-hpc/cluster.yaml";

/// A cluster with these fields, partitions among them.
fn site(fields: &str) -> String {
    format!(
        r#"network system {{
  region = "us-east4"
}}

filesystem home {{
  storage  = filestore(2560GiB)
  network  = system
  location = "us-east4-b"
}}

bucket data {{
  location = "us-east4"
  access   = "read"
}}

identity nodes {{}}

identity head {{}}

cluster hpc on slurm {{
  network = system
  zone    = "us-east4-b"
  release = "25.11"
  shared  = "/home/slipform"
  image   = image_family("slurm-a3mega")
{fields}
}}
"#
    )
}

/// A cluster with one partition of these nodes.
fn nodes(machine: &str, fields: &str) -> Rendered {
    let partition = format!(
        "  partition gpus {{\n    machine = \"{machine}\"\n    nodes = 2\n    {fields}\n  }}"
    );
    rendered_despite(&site(&partition), UNSURE)
}

/// What is said of machines that may not be had in that zone, or in that way.
const UNSURE: &[&str] = &["slurm/not-in-zone", "capacity/uncertain", "slurm/lent-always"];

#[test]
fn a_cluster_of_a3_mega() {
    let text = site(
        r#"  mounts        = { "/home" = home, "/gcs" = data }
  node_identity = nodes
  controller    = controller(identity = head)
  health_checks = ["prolog"]
  partition a3mega {
    machine  = "a3-megagpu-8g"
    nodes    = 8
    capacity = reservation("a3m", block = "block-0001")
    default  = true
    max_time = 14d
  }
  partition debug {
    machine   = "n2-standard-8"
    nodes     = 1..4
    exclusive = false
    idle      = 10m
  }"#,
    );
    let rendered = rendered(&text);
    insta::assert_snapshot!(rendered.shown(&[BLUEPRINT, "30-hpc/deployment.yaml"]));
    assert!(!rendered.has("30-hpc/slurm.conf"));
    let iam = rendered.file("10-foundation/iam.tf");
    assert!(iam.contains("roles/compute.instanceAdmin.v1") && iam.contains("storage_bucket_iam"));
    let page = rendered.file("README.md");
    assert!(page.contains(
        r#"--vars=home_address="$(terraform -chdir=10-foundation output -raw home_address)""#
    ));
    assert!(page.contains("gcluster deploy hpc") && page.contains("gcluster destroy hpc"));
}

#[test]
fn hosts_run_scripts_of_ones_own() {
    let text = site(
        r##"  controller   = controller(startup = "dnf install -y tmux")
  login        = login(startup = "echo $(hostname)")
  startup_time = 20m
  prologs      = { "gpus.sh" = "#!/bin/bash\ntest $(nvidia-smi --list-gpus | wc -l) = 8\n" }
  epilogs      = { "gpus.sh" = "#!/bin/bash\ntrue $HOME\n" }
  partition a3mega {
    machine = "a3-megagpu-8g"
    nodes   = 2
    startup = "modprobe gdrdrv"
  }
  partition cpus {
    machine   = "n2-standard-8"
    nodes     = 0..4
    exclusive = false
    startup   = "sysctl -w vm.swappiness=1"
  }"##,
    );
    let rendered = rendered_despite(&text, UNSURE);
    insta::assert_snapshot!(rendered.shown(&[BLUEPRINT]));
}

#[test]
fn machines_with_rdma_have_a_network_of_its_own_kind() {
    let rendered = nodes("a4-highgpu-8g", "capacity = spot");
    insta::assert_snapshot!(rendered.shown(&[BLUEPRINT]));
}

#[test]
fn nodes_are_obtained_in_one_way() {
    let settings = [
        ("capacity = on_demand", &["enable_placement: true"][..]),
        ("capacity = spot", &["enable_spot_vm: true"]),
        ("capacity = reservation(\"a\")", &["reservation_name: a\n", "enable_placement: false"]),
        (
            "capacity = reservation(\"projects/other/reservations/a\", block = \"b\")",
            &["reservation_name: projects/other/reservations/a/reservationBlocks/b"],
        ),
        (
            "capacity = flex_start(max = 2d)",
            &["enabled: true", "max_run_duration: 172800", "enable_placement: false"],
        ),
        ("capacity = calendar(\"a\")", &["future_reservation: a\n", "enable_placement: false"]),
        (
            "capacity = calendar(\"projects/other/reservations/a\")",
            &["future_reservation: projects/other/zones/us-east4-b/futureReservations/a"],
        ),
    ];
    let all = ["enable_spot_vm", "reservation_name", "dws_flex", "future_reservation"];
    for (capacity, expected) in settings {
        let rendered = nodes("a3-megagpu-8g", capacity);
        let text = rendered.file(BLUEPRINT);
        for line in expected {
            assert!(text.contains(line), "{capacity}: no {line} in\n{text}");
        }
        let used = all.iter().filter(|name| text.contains(**name)).count();
        assert!(used <= 1, "{capacity}: {used} of {all:?}");
    }
}

#[test]
fn partitions_with_fewer_networks_take_the_first_of_them() {
    let text = site(
        r#"  partition mega {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
  partition high {
    machine  = "a3-highgpu-8g"
    nodes    = 2
    capacity = spot
  }"#,
    );
    let rendered = rendered_despite(&text, UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    assert!(blueprint.contains("network_count: 8"));
    assert_eq!(blueprint.matches("slice(data-networks.additional_networks, 0, 4)").count(), 1);
    for (machine, script) in [
        ("a3-megagpu-8g", "receive-data-path-manager-mega"),
        ("a3-highgpu-8g", "receive-data-path-manager"),
    ] {
        assert_eq!(runs(blueprint, machine, script), 2, "{script}\n{blueprint}");
    }
}

/// How often nodes of a machine are told to run a script: before a job, and after it.
fn runs(blueprint: &str, machine: &str, script: &str) -> usize {
    let lines: Vec<&str> = blueprint.lines().map(str::trim).collect();
    let said = [&format!("{machine})"), "scripts=(", script, ")"];
    lines.windows(said.len()).filter(|it| *it == said).count()
}

/// What the controller did when it was made holds for a partition that is called otherwise, and for one that comes beside it.
#[test]
fn nodes_know_what_their_network_needs_by_their_machine() {
    let partition = |name: &str| {
        format!(
            "  partition {name} {{\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n    capacity = spot\n  }}\n"
        )
    };
    let of = |partitions: &str| {
        let rendered = rendered_despite(&site(partitions), UNSURE);
        let blueprint = rendered.file(BLUEPRINT);
        let (_, rest) = blueprint.split_once("- id: controller-startup").unwrap_or_default();
        let (start, rest) = rest.split_once("  # cluster hpc\n").unwrap_or_default();
        let (_, scripts) = rest.split_once("      prolog_scripts:").unwrap_or_default();
        assert!(start.contains("fetch https://") && scripts.contains("z_network.sh"));
        (start.to_owned(), scripts.to_owned())
    };
    let first = of(&partition("cheap"));
    assert_eq!(first, of(&partition("leftover")));
    assert_eq!(first, of(&format!("{}{}", partition("cheap"), partition("more"))));
}

#[test]
fn machines_with_fewer_network_cards_of_rdma_take_the_first_of_them() {
    let text = site(
        r#"  allow slurm/processors-of-nodes "networks alone: no image is for both"
  partition a4 {
    machine  = "a4-highgpu-8g"
    nodes    = 2
    capacity = spot
  }
  partition a4x {
    machine  = "a4x-highgpu-4g"
    nodes    = 18
    capacity = reservation("a4x")
  }"#,
    );
    let rendered = rendered_despite(&text, UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    assert!(blueprint.contains("], rdma-network.subnetwork_interfaces))"));
    assert!(blueprint.contains("], slice(rdma-network.subnetwork_interfaces, 0, 4)))"));
}

#[test]
fn what_is_mounted_begins_no_expression() {
    let text = site(
        r#"  mounts = { "/home" = home, "/x$(vars.zone)" = odd }
  partition cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }
}

filesystem odd {
  storage = nfs("((var.x))", "/a b")"#,
    );
    let rendered = rendered_despite(&text, UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    assert!(blueprint.contains(r"local_mount: /x\$(vars.zone)"), "{blueprint}");
    assert!(blueprint.contains(r"server_ip: \((var.x))"), "{blueprint}");
}

/// No two modules of a blueprint have one id: `gcluster` refuses them.
#[test]
fn what_is_mounted_twice_has_a_module_for_each_path() {
    let text = site(
        r#"  mounts = { "/home" = home, "/data" = home, "/copy" = copy, "/again" = home }
  partition cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }
}

filesystem copy {
  storage = nfs("10.0.0.4", "/copy")"#,
    );
    let rendered = rendered(&text);
    let blueprint = rendered.file(BLUEPRINT);
    let of_mounts = |start: &str| -> Vec<String> {
        let found = blueprint.lines().filter_map(|line| line.trim().strip_prefix(start));
        found.filter(|id| id.starts_with("mount-")).map(str::to_owned).collect()
    };
    let ids = of_mounts("- id: ");
    assert_eq!(ids, ["mount-home", "mount-home-2", "mount-copy", "mount-home-3"]);
    assert_eq!(of_mounts("- "), ids, "{blueprint}");
    let paths = blueprint.lines().filter_map(|line| line.trim().strip_prefix("local_mount: "));
    assert_eq!(paths.collect::<Vec<_>>(), ["/home", "/data", "/copy", "/again"]);
}

/// Slices are asked for by their name, or by their shape where the name means another; a job counts them.
#[test]
fn nodes_with_tpus_are_slices() {
    let text = site(
        r#"  node_identity = nodes
  controller    = controller(identity = head)
  partition v4 {
    machine  = "ct4p-hightpu-4t"
    topology = 2x2x4
    nodes    = 4..8
    capacity = any_reservation
  }
  partition single {
    machine  = "ct4p-hightpu-4t"
    topology = 2x2x1
    nodes    = 0..2
    capacity = spot
    idle     = 10m
    tpus     = tpu_nodes(tensorflow = "2.13.0", container = "us-docker.pkg.dev/p/r/slurm:v1", keep = true)
    patch tpu_node_set {
      data_disks = ["projects/p/zones/us-central2-b/disks/corpus"]
    }
  }
  partition cubes {
    machine  = "ct4p-hightpu-4t"
    topology = 4x4x8
    nodes    = 32
  }"#,
    );
    let text = text
        .replace("us-east4", "us-central2")
        .replace("  image   = image_family(\"slurm-a3mega\")\n", "");
    let job = "workload train on hpc.v4 {\n  image = no_container\n  launch = python(\"/home/train.py\")\n}\n";
    let rendered = rendered_despite(&format!("{text}{job}"), UNSURE);
    insta::assert_snapshot!(rendered.shown(&[BLUEPRINT]));
    let script = rendered.file("50-workloads/train/train.sbatch");
    assert!(script.contains("#SBATCH --nodes=1\n"), "{script}");
    assert!(
        script.contains("#SBATCH --ntasks-per-node=1\n") && !script.contains("--gpus"),
        "{script}"
    );
    assert!(script.contains(" --nodes=\"$SLURM_NNODES\" "), "{script}");
    assert!(rendered.file("10-foundation/iam.tf").contains("roles/tpu.admin"));
    assert!(rendered.file("10-foundation/services.tf").contains("tpu.googleapis.com"));
}

/// All processors of a node are Slurm's, and a node has the time that its scripts may take.
#[test]
fn nodes_have_all_processors_and_the_time_to_start() {
    let partition = |startup_time: &str| {
        let text = site(&format!(
            "{startup_time}  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes = 0..2\n  }}"
        ));
        rendered_despite(&text, UNSURE).file(BLUEPRINT).to_owned()
    };
    let usual = partition("");
    assert!(usual.contains("threads_per_core: null") && usual.contains("resume_timeout: 600"));
    assert!(partition("  startup_time = 15m\n").contains("resume_timeout: 1200"));
    assert!(partition("  startup_time = 0s\n").contains("resume_timeout: 65535"));
}

/// NVLink between nodes is opened for each job, and what NCCL and containers need is on the nodes whatever their image has.
#[test]
fn nodes_that_nvlink_joins_run_scripts_around_jobs() {
    let text = site(
        r#"  controller = controller(machine = "c4a-standard-16")
  login      = login(machine = "c4a-standard-8")
  partition a4x {
    machine  = "a4x-highgpu-4g"
    nodes    = 18
    capacity = reservation("a4x")
  }"#,
    );
    let rendered = rendered_despite(&text, UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    for said in [
        "export SLURM_SCRIPT_CONTEXT=prolog_slurmd",
        "export SLURM_SCRIPT_CONTEXT=epilog_slurmd",
        "switch_type: switch/nvidia_imex",
        "nccl-plugin-gib-arm64:v1.1.0",
        "ENROOT_RUNTIME_PATH    /mnt/localssd/${UID}/enroot/runtime",
    ] {
        assert!(blueprint.contains(said), "no {said} in\n{blueprint}");
    }
    for script in ["imex_prolog", "imex_epilog"] {
        assert_eq!(runs(blueprint, "a4x-highgpu-4g", script), 1, "{script}\n{blueprint}");
    }
    assert!(!blueprint.contains("slurm_conf_tpl"));
}

/// The state of a deployment is no other project's and no other environment's; machines that take no `pd-ssd` have what they take.
#[test]
fn servers_have_disks_that_their_machines_take() {
    let text = site(
        r#"  controller = controller(machine = "c4a-standard-16")
  login      = login(machine = "c4a-standard-8")
  partition arm {
    machine = "c4a-standard-8"
    nodes   = 2
  }"#,
    );
    let rendered = rendered_despite(&text, UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    assert!(!blueprint.contains("pd-"), "{blueprint}");
    assert!(blueprint.contains("type: hyperdisk-balanced\n"), "{blueprint}");
    let name = blueprint.lines().find_map(|line| line.strip_prefix("blueprint_name: "));
    assert!(name.is_some_and(|name| name.ends_with("-hpc") && name != "-hpc"), "{name:?}");
}

#[test]
fn nodes_close_together_that_come_and_go_do_so_with_their_job() {
    let shared = nodes("a3-megagpu-8g", "capacity = spot");
    assert!(shared.file(BLUEPRINT).contains("OverSubscribe: EXCLUSIVE"));
    let text = site(
        "  partition gpus {\n    machine = \"a3-megagpu-8g\"\n    nodes = 0..8\n    capacity = spot\n  }",
    );
    let own = rendered_despite(&text, UNSURE);
    let blueprint = own.file(BLUEPRINT);
    assert!(blueprint.contains("exclusive: true") && !blueprint.contains("OverSubscribe"));
    assert!(blueprint.contains("node_count_static: 0"));
}

/// Two controllers share what they know of jobs, have an address each, and keep what jobs used in a database of neither.
#[test]
fn a_second_controller_goes_on() {
    let text = site(
        r#"  mounts     = { "/home" = home, "/opt/apps" = apps, "/var/spool/slurm" = state }
  accounting = cloud_sql(tier = "db-n1-standard-4")
  controller = controller(standby = standby("us-east4-c", [10.0.0.10, 10.0.0.11]))
  login      = login(count = 0)
  partition cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }"#,
    );
    let share =
        |name| format!("filesystem {name} {{\n  storage = nfs(\"10.0.0.3\", \"/{name}\")\n}}\n");
    let rendered = rendered(&format!("{}{}{text}", share("apps"), share("state")));
    insta::assert_snapshot!(rendered.shown(&[BLUEPRINT]));
    let page = rendered.file("README.md");
    assert!(page.contains("`roles/cloudsql.admin`"), "{page}");
}

/// A card of RDMA has its network, and nodes have the time and the settings that Cluster Toolkit gives them.
#[test]
fn machines_that_do_rdma_over_one_card_have_its_network() {
    let text = site(
        "  partition h4d {\n    machine = \"h4d-highmem-192-lssd\"\n    nodes = 0..16\n    capacity = spot\n  }",
    );
    let unsure = [UNSURE, &["slurm/family-not-in-region"]].concat();
    let rendered = rendered_despite(&text, &unsure);
    let blueprint = rendered.file(BLUEPRINT);
    for said in [
        "- id: falcon-0\n",
        "networkProfiles/us-east4-b-vpc-falcon",
        "nic_type: IRDMA",
        "additional_networks: $(falcon-0.instance_additional_networks)",
        "set_ofi_cloud_rdma_tunables: true",
        "on_host_maintenance: TERMINATE",
        "resume_timeout: 1200",
        "suspend_timeout: 600",
        "unkillable_step_timeout: 900",
        "/scripts/irdma_health_check",
    ] {
        assert!(blueprint.contains(said), "no {said} in\n{blueprint}");
    }
    assert_eq!(runs(blueprint, "h4d-highmem-192-lssd", "irdma_health_check"), 1);
    assert!(!blueprint.contains("gpu-rdma-vpc"), "{blueprint}");
    let machines = "network system {\n  region = \"us-east4\"\n}\n\nmachines solvers {\n  machine = \"h4d-highmem-192-lssd\"\n  nodes = 2\n  network = system\n  zone = \"us-east4-b\"\n  image = image_family(\"hpc\")\n  threads_per_core = 1\n}\n";
    let unsure = ["machines/zone", "capacity/uncertain", "placement/family-not-in-region"];
    let out = rendered_despite(machines, &unsure);
    let template = out.file("30-solvers/machines.tf");
    assert!(template.contains("nic_type   = \"IRDMA\""), "{template}");
    assert!(template.contains("threads_per_core = 1"), "{template}");
}

/// What Cluster Toolkit's blueprints write on images is meant for nodes with disks of their own; srun has to be told of containers on Arm.
#[test]
fn hosts_without_disks_keep_containers_on_the_one_that_they_start_from() {
    let debug = "  partition debug {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }";
    let rendered = rendered_despite(&site(debug), UNSURE);
    let blueprint = rendered.file(BLUEPRINT);
    let there = "ENROOT_RUNTIME_PATH    /var/tmp/containers/${UID}/enroot/runtime";
    assert_eq!(blueprint.matches(there).count(), 2, "{blueprint}");
    assert!(blueprint.contains("login_startup_script: $(login-startup.startup_script)"));
    assert!(blueprint.contains("resume_timeout: 600"), "{blueprint}");
    assert!(!blueprint.contains("spank_pyxis"), "{blueprint}");
    let own = site(debug).replace("  image   = image_family(\"slurm-a3mega\")\n", "");
    let public = rendered_despite(&own, UNSURE);
    assert!(!public.file(BLUEPRINT).contains("ENROOT"), "{}", public.file(BLUEPRINT));
    // one that is built here says so itself, or is as what it is built from
    let built = |scripts: &str| {
        let image = format!(
            "machine_image hosts {{\n  from = image_family(\"slurm-others\")\n  network = system\n  zone = \"us-east4-b\"\n  machine = \"c2-standard-8\"\n  slurm = \"25.11\"\n{scripts}}}\n\nmachine_image more {{\n  from = image_family(hosts)\n  network = system\n  zone = \"us-east4-b\"\n  machine = \"c2-standard-8\"\n  slurm = \"25.11\"\n}}\n"
        );
        let site = site(debug).replace("image_family(\"slurm-a3mega\")", "image_family(more)");
        let rendered = rendered_despite(&format!("{image}\n{site}"), UNSURE);
        rendered.file(BLUEPRINT).matches(there).count()
    };
    assert_eq!(built(""), 2);
    assert_eq!(built("  scripts = { \"e.sh\" = \"#!/bin/sh\\nrm /etc/enroot/enroot.conf\" }\n"), 0);
}

/// Nodes of several zones, and cores of one thread.
#[test]
fn nodes_are_in_several_zones_with_as_many_threads_as_is_said() {
    let fields = "zones = [\"us-east4-a\"]\n    threads_per_core = 1\n    exclusive = false";
    let text = nodes("n2-standard-8", fields);
    let blueprint = text.file(BLUEPRINT);
    assert!(blueprint.contains("zones:\n      - us-east4-a\n"), "{blueprint}");
    assert!(blueprint.contains("threads_per_core: 1\n"), "{blueprint}");
}

/// slurm-gcp takes away nodes that are lent and have not come in twice the time of their scripts.
#[test]
fn lent_nodes_have_the_time_to_come() {
    let limit = |time: &str, capacity: &str| {
        let partition = format!(
            "{time}  partition gpus {{\n    machine = \"a3-ultragpu-8g\"\n    nodes = 0..4\n    capacity = {capacity}\n  }}"
        );
        let blueprint = rendered_despite(&site(&partition), UNSURE).file(BLUEPRINT).to_owned();
        let line = blueprint.lines().find(|it| it.contains("compute_startup_scripts_timeout"));
        line.map(|line| line.trim().to_owned())
    };
    let said = |seconds: u32| Some(format!("compute_startup_scripts_timeout: {seconds}"));
    assert_eq!(limit("", "flex_start(max = 2d)"), said(900));
    assert_eq!(limit("  startup_time = 0s\n", "flex_start(max = 2d)"), said(65535));
    // by 0 some releases end every script at once
    assert_eq!(limit("  startup_time = 0s\n", "spot"), said(65535));
    // disks are made a filesystem first
    assert_eq!(limit("", "spot"), said(900));
}

/// Homes are mounted minutes after a host is there; where there is none to submit from, people come to the controller.
#[test]
fn the_page_waits_for_what_hosts_mount() {
    let page = |login: &str| {
        let text = format!(
            "{login}  mounts = {{ \"/home\" = home }}\n  partition debug {{\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }}"
        );
        rendered_despite(&site(&text), UNSURE).file("README.md").to_owned()
    };
    let usual = page("");
    assert!(usual.contains("until mountpoint --quiet /home; do sleep 10; done"), "{usual}");
    assert!(usual.contains("slurm_instance_role=login"), "{usual}");
    assert!(usual.contains("`must be replaced`"), "{usual}");
    for said in [
        "`sinfo --list-reasons`",
        "AND labels.slurm_instance_role=controller AND status=RUNNING\" --format=\"value(name, zone.basename())\" --limit=1)\"`",
        "`gcloud compute ssh \"$CONTROLLER\" --project=my-project-1 --zone=\"$ZONE\" --tunnel-through-iap`",
        "/var/log/slurm/setup.log",
        "mount `/opt/apps` of the former",
    ] {
        assert!(usual.contains(said), "no {said} in\n{usual}");
    }
    assert!(!usual.contains("slurm-network"), "{usual}");
    let alone = page("  login = login(count = 0)\n");
    assert!(alone.contains("slurm_instance_role=controller"), "{alone}");
    assert!(alone.contains("sudo install -d -m 1777 /home/slipform"), "{alone}");
}

/// A job without a container sees what its cluster mounts, where it is.
#[test]
fn a_job_of_the_nodes_own_programs_reads_what_its_cluster_mounts() {
    let cluster = site(
        "  mounts = { \"/home\" = home, \"/gcs\" = data }\n  node_identity = nodes\n  partition cpus {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }",
    );
    let job = |path: &str| {
        format!(
            "{cluster}\nworkload prepare on hpc.cpus {{\n  image = no_container\n  launch = command([\"true\"])\n  nodes = 1\n  mounts = [data at \"{path}\"]\n}}\n"
        )
    };
    let rendered = rendered_despite(&job("/gcs"), UNSURE);
    let script = rendered.file("50-workloads/prepare/prepare.sbatch");
    assert!(script.contains("[[ ! -e /gcs ]]") && !script.contains("gcsfuse"), "{script}");
}

/// Who no identity is named for is somebody all the same; Lustre has a client.
#[test]
fn the_page_says_what_a_cluster_takes_for_granted() {
    let partition = "  partition debug {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }";
    let page = |fields: &str| {
        rendered_despite(&site(&format!("{fields}{partition}")), UNSURE)
            .file("README.md")
            .to_owned()
    };
    let default = "NUMBER-compute@developer.gserviceaccount.com";
    assert!(page("").contains(default));
    assert!(page("").contains("`roles/compute.instanceAdmin.v1`"));
    let named = page("  node_identity = nodes\n  controller = controller(identity = head)\n");
    assert!(!named.contains(default), "{named}");
    let lake = "filesystem lake {\n  storage = lustre(36000GiB)\n  network = system\n  location = \"us-east4-b\"\n}\n\ncluster hpc";
    let text = site(&format!("  mounts = {{ \"/lake\" = lake }}\n{partition}"));
    let text = text.replace("cluster hpc", lake);
    let page = rendered_despite(&text, UNSURE).file("README.md").to_owned();
    assert!(page.contains("`install_managed_lustre`"), "{page}");
}

/// Images of other projects are let be used by those who make machines of them; of public ones nobody has to be asked.
#[test]
fn owners_of_images_know_who_makes_machines_of_them() {
    let page = |project: &str| {
        let text = site(
            "  controller = controller(identity = head)\n  partition debug {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }",
        );
        let family = format!("image_family(\"slurm-a3mega\", project = \"{project}\")");
        let text = text.replace("image_family(\"slurm-a3mega\")", &family);
        rendered_despite(&text, UNSURE).file("README.md").to_owned()
    };
    let of_others = page("other-images");
    assert!(of_others.contains("Machines start from images of `other-images`"), "{of_others}");
    assert!(of_others.contains("by `head-identity@"), "{of_others}");
    assert!(!page("schedmd-slurm-public").contains("Machines start from images of"));
}

/// Who builds an image says of its own machine when it is done.
#[test]
fn who_builds_an_image_may_act_as_itself() {
    let text = site("  partition debug {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }");
    let image = "machine_image hosts {\n  from = image_family(\"rocky-linux-8\", project = \"rocky-linux-cloud\")\n  network = system\n  zone = \"us-east4-b\"\n  identity = nodes\n}\n\ncluster hpc";
    let text = text
        .replace("cluster hpc", image)
        .replace("image_family(\"slurm-a3mega\")", "image_family(hosts)");
    let rendered = rendered_despite(&text, UNSURE);
    let iam = rendered.file("10-foundation/iam.tf");
    assert!(
        iam.contains("resource \"google_service_account_iam_member\" \"nodes_itself\""),
        "{iam}"
    );
    assert!(!iam.contains("head_itself"), "{iam}");
}

/// Jobs over several NVLink domains say how they are dealt, in clusters that are made too.
#[test]
fn jobs_over_several_domains_have_segments() {
    let cluster = site(
        "  controller = controller(machine = \"c4a-standard-16\")\n  login = login(machine = \"c4a-standard-8\")\n  partition a4x {\n    machine = \"a4x-highgpu-4g\"\n    nodes = 36\n    capacity = reservation(\"a4x\")\n  }",
    );
    let job = "workload train on hpc.a4x {\n  image = \"a:1\"\n  launch = torchrun(\"a.py\")\n  nodes = 24\n}\n";
    let rendered = rendered_despite(&format!("{cluster}\n{job}"), UNSURE);
    let script = rendered.file("50-workloads/train/train.sbatch");
    assert!(script.contains("#SBATCH --segment=12\n"), "{script}");
}
