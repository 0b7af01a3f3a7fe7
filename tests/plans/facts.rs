//! Derived fields as rules and editors see them: a snapshot has the text and what follows from it.

use super::{FABRIC, planned, pool, unjudged};
use slipform_tests::text::{Planned, planned_despite};

/// The text, and derived fields of its nouns.
fn shown(text: &str, planned: &Planned, facts: &[(&str, &[&str])]) -> String {
    let facts: String = facts.iter().map(|(path, names)| planned.facts(path, names)).collect();
    format!("{}\n\n---\n{facts}", text.trim())
}

#[test]
fn facts_of_a_pool() {
    let text = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/20
  services = 10.4.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"
  version = "1.32.1-gke.100"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 16
  }
}
"#;
    let planned = unjudged(text);
    let of_pool = [
        "max_nodes",
        "chips",
        "location",
        "region",
        "arrangement",
        "pod_room",
        "support",
        "needed_version",
        "boot_disk",
        "local_disks",
        "scratch_room",
        "slice",
        "topologies",
        "nics",
        "name_budget",
        "nosuch",
    ];
    let of_cluster = [
        "region",
        "max_nodes",
        "pod_addresses",
        "pod_room",
        "data_networks",
        "data_nodes",
        "data_room",
    ];
    let facts =
        [("a3m.gpus", &of_pool[..]), ("a3m", &of_cluster), ("fabric", &["free", "subnet_room"])];
    insta::assert_snapshot!(shown(text, &planned, &facts));
}

#[test]
fn facts_of_a_machine() {
    let text = FABRIC.to_owned()
        + r#"
cluster main on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
  }
  pool chips {
    machine  = "ct5lp-hightpu-4t"
    topology = 4x4
  }
  pool unknown {
    machine = "a9-megagpu-8g"
  }
}

cluster hpc on slurm {
  partition l40s {
    machine = "l40s-8"
    nodes   = 1
  }
}
"#;
    let planned = planned_despite(&text, &["catalog/machine", "placement/not-in-zone"]);
    let spec = ["spec"];
    let facts = [
        ("main.gpus", &spec[..]),
        ("main.chips", &["spec", "slice"]),
        ("main.unknown", &spec),
        ("hpc.l40s", &spec),
    ];
    insta::assert_snapshot!(shown(&text, &planned, &facts));
}

#[test]
fn facts_of_a_workload() {
    let text = FABRIC.to_owned()
        + r#"
cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 16
    capacity = flex_start(2d)
  }
  queue research {
    pools      = [gpus]
    namespaces = ["team-a", "team-b"]
  }
}

workload pretrain on a3m.gpus {
  image    = "nvcr.io/nvidia/nemo:24.07"
  nodes    = 16
  launch   = torchrun("train.py")
  parallel = { tensor = 8, pipeline = 4 }
  env      = { NCCL_SOCKET_IFNAME = "eth9", HOME = "/root" }
}
"#;
    let planned = unjudged(&text);
    let of_workload = [
        "chips",
        "world_size",
        "processes_per_node",
        "model_parallel",
        "data_parallel",
        "rendezvous",
        "platform",
        "total_nodes",
        "room",
        "slice_room",
        "longest_run",
        "capacity",
        "admitted_by",
        "in_namespace",
        "uses_fabric",
        "owned_env",
        "shared_memory_size",
        "scratch_size",
        "scratch_room",
        "image_platform",
        "reference",
        "name_budget",
    ];
    let facts = [("pretrain", &of_workload[..]), ("a3m.research", &["chips"])];
    insta::assert_snapshot!(shown(&text, &planned, &facts));
}

#[test]
fn facts_of_storage_and_accounts() {
    let text = FABRIC.to_owned()
        + r#"
bucket data {
  location = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  location = "us-east4-a"
  network  = fabric
}

registry training_images {
  location = "us-east4"
}

identity sa {}

dashboard board {
  region = "us-east4"
}

image nemo {
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = training_images
}
"#;
    let planned = planned(&text);
    let facts = [
        ("data", &["url"][..]),
        ("home", &["address"]),
        ("training_images", &["url"]),
        ("sa", &["email"]),
        ("board", &["resource"]),
        ("nemo", &["reference"]),
    ];
    insta::assert_snapshot!(shown(&text, &planned, &facts));
}

#[test]
fn facts_of_vertex_and_partitions() {
    let text = r#"
cluster managed on vertex {
  region  = "us-east4"
  machine = "a3-highgpu-8g"
}

cluster hpc on slurm {
  partition dgx {
    machine = "hgx-h100"
    nodes   = 6
    hosts   = "dgx[001-006]"
  }
}

workload tune on managed {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 2
  launch = torchrun("train.py")
}
"#;
    let planned = unjudged(text);
    let facts = [
        ("managed", &["chips", "trainable", "accelerator_type", "boot_disk"][..]),
        ("hpc.dgx", &["chips", "host_count", "switches"]),
        ("hpc", &["nodes"]),
        ("tune", &["platform", "room", "rendezvous"]),
    ];
    insta::assert_snapshot!(shown(text, &planned, &facts));
}

#[test]
fn mig_and_time_sharing_multiply_what_a_node_offers() {
    for (sharing, parts, shares) in [
        ("mig(\"1g.10gb\")", "7", "56"),
        ("mig(\"9g.99gb\")", "nothing", "8"),
        ("time_shared(4)", "nothing", "32"),
    ] {
        let planned = pool("a3-megagpu-8g", &format!("nodes = 1\n sharing = {sharing}"), "");
        let found = (planned.fact("a3m.p", "mig_parts"), planned.fact("a3m.p", "shares"));
        assert_eq!((found.0.as_str(), found.1.as_str()), (parts, shares), "{sharing}");
        assert!(planned.fact("a3m.p", "mig_profiles").contains("1g.10gb"));
    }
}
