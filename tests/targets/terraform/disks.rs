//! Disks that hold filesystems: what is made of them, how nodes have them, and what the page says of both.

use super::samples::base;
use super::{accept, expect};
use crate::readme::page;

/// One node that has a disk of each type.
fn blueprint() -> String {
    let nouns = r#"
filesystem weights {
  storage  = hyperdisk_ml(500GiB, from = "projects/my-project/global/snapshots/llama")
  location = "us-central1-a"
}

filesystem work {
  storage  = hyperdisk_balanced(100GiB, iops = 6000, rate = 300)
  location = "us-central1-a"
  name     = "team-work"
}

filesystem raw {
  storage  = hyperdisk_throughput(4TiB, from = "projects/my-project/global/images/raw")
  location = "us-central1-a"
}

cluster cc on gke {
  network = fabric
  zone    = "us-central1-a"
  pool p {
    machine = "c4a-standard-16"
    nodes   = 1
  }
}

workload score on cc.p {
  image  = "python:3.13"
  nodes  = 1
  launch = python("score.py")
  mounts = [mount(weights, "/weights", folder = "v1"), work at "/work", raw at "/raw"]
}
"#;
    format!("{}{nouns}", base("us-central1"))
}

#[test]
fn a_disk_has_its_type_its_rates_and_who_may_attach_it() {
    let rendered = accept(blueprint());
    let disk = |name: &str| {
        rendered.block("10-foundation", &format!("resource google_compute_disk {name}"))
    };
    for (name, expected) in [
        (
            "weights",
            [
                ("name", "\"weights\""),
                ("type", "\"hyperdisk-ml\""),
                ("size", "500"),
                ("access_mode", "\"READ_ONLY_MANY\""),
                ("snapshot", "\"projects/my-project/global/snapshots/llama\""),
                ("provisioned_iops", "-"),
                ("provisioned_throughput", "-"),
            ],
        ),
        (
            "work",
            [
                ("name", "\"team-work\""),
                ("type", "\"hyperdisk-balanced\""),
                ("size", "100"),
                ("access_mode", "-"),
                ("snapshot", "-"),
                ("provisioned_iops", "6000"),
                ("provisioned_throughput", "300"),
            ],
        ),
        (
            "raw",
            [
                ("name", "\"raw\""),
                ("type", "\"hyperdisk-throughput\""),
                ("size", "4096"),
                ("access_mode", "-"),
                ("image", "\"projects/my-project/global/images/raw\""),
                ("provisioned_iops", "-"),
                ("provisioned_throughput", "-"),
            ],
        ),
    ] {
        expect(&disk(name), &expected);
    }
}

/// Volumes of what one node writes to are not for reading alone, and all of them are in the zone of their disk.
#[test]
fn nodes_have_a_disk_as_its_type_allows() {
    let rendered = accept(blueprint());
    let files = rendered.text.output.artifacts.iter();
    let volumes =
        files.clone().find(|it| it.path == "40-cc-queues/storage.yaml").map(|it| &it.content);
    let volumes =
        volumes.unwrap_or_else(|| panic!("{:?}", files.map(|it| &it.path).collect::<Vec<_>>()));
    assert_eq!(volumes.matches("- ReadOnlyMany").count(), 2, "{volumes}");
    assert_eq!(volumes.matches("- ReadWriteOnce").count(), 4, "{volumes}");
    assert_eq!(volumes.matches("readOnly: true").count(), 1, "{volumes}");
    assert_eq!(volumes.matches("fsType: ext4").count(), 3, "{volumes}");
    assert_eq!(volumes.matches("- us-central1-a").count(), 3, "{volumes}");
    let handle = "volumeHandle: projects/my-project-1/zones/us-central1-a/disks/team-work";
    assert!(volumes.contains(handle), "{volumes}");
}

#[test]
fn the_page_names_what_disks_are_made_of_and_take() {
    let page = page(blueprint());
    for line in [
        "Disks are made of `projects/my-project/global/images/raw`, `projects/my-project/global/snapshots/llama`: each is there before the first apply.",
        "- `score` in `/weights`: `v1` on the disk that is made of `projects/my-project/global/snapshots/llama`.",
        "| `HDB_TOTAL_GB` | us-central1 |",
        "| `HDML_TOTAL_GB` | us-central1 | 500 |",
        "| `HDML_TOTAL_THROUGHPUT` | us-central1 | 12000 |",
        "| `CPUS_PER_VM_FAMILY` with `vm_family=C4A` | us-central1 | 32 |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}
