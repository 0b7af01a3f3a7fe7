//! Whether a cluster gets a pool for what it runs itself.

use super::{FABRIC, cluster, planned, unjudged, workload};

/// Whether a cluster with one pool besides that of GPUs gets one for itself, once something was done with it.
fn needed(machine: &str, fields: &str, queue: &str, used: &str) -> bool {
    let text = cluster(&format!(
        "pool gpus {{\n machine = \"a3-megagpu-8g\"\n nodes = 2\n}}\n\
         pool cpus {{\n machine = \"{machine}\"\n{fields}\n}}\n{queue}"
    ));
    unjudged(&(text + used)).cluster("a3m").system.is_some()
}

#[test]
fn a_pool_of_cpus_whose_nodes_stay_takes_its_place() {
    for fields in ["nodes = 1", "nodes = 1..4", "nodes = 1\n capacity = reservation(\"r\")"] {
        assert!(!needed("n2-standard-8", fields, "", ""), "{fields}");
    }
}

#[test]
fn nodes_that_go_do_not() {
    for fields in [
        "nodes = 0..4",
        "nodes = 2\n capacity = spot",
        "nodes = 2\n capacity = flex_start(7d)",
        "nodes = 2\n capacity = queued(7d)",
        "nodes = 2\n autoscale = true",
    ] {
        assert!(needed("n2-standard-8", fields, "", ""), "{fields}");
    }
}

#[test]
fn nodes_that_are_too_small_do_not() {
    assert!(needed("e2-medium", "nodes = 2", "", ""));
    assert!(!needed("e2-medium", "nodes = 3", "", ""));
}

#[test]
fn a_node_is_left_for_it() {
    let two = workload("w", "a3m.cpus", "nodes = 2");
    assert!(needed("n2-standard-8", "nodes = 2", "", &two));
    assert!(!needed("n2-standard-8", "nodes = 3", "", &two));
    let board = "group board on a3m.cpus {\n decides = false\n cpus = 1\n memory = 2GiB\n image = \"b:v1\"\n launch = python(\"b.py\")\n}";
    let beside = workload("w", "a3m.gpus", board);
    assert!(needed("n2-standard-8", "nodes = 1", "", &beside));
    assert!(!needed("n2-standard-8", "nodes = 2", "", &beside));
}

#[test]
fn a_queue_may_fill_all_nodes() {
    assert!(needed("n2-standard-8", "nodes = 9", "queue q {\n pools = [gpus, cpus]\n}", ""));
}

#[test]
fn a_cluster_that_exists_has_its_own() {
    let theirs = "existing cluster a3m on gke {\n network = fabric\n zone = \"us-east4-a\"\n}\n";
    assert!(planned(&(FABRIC.to_owned() + theirs)).cluster("a3m").system.is_none());
}
