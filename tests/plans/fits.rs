//! Which pools of its queue a workload is let onto.

use super::{cluster, unjudged, workload};
use slipform_model::plan::{Misfit, Resource};
use slipform_tests::text::Planned;

/// A workload on `first`, whose queue has `second` too, pools of these fields; and what else stands in the cluster.
fn queued(first: &str, second: &str, fields: &str, more: &str) -> Planned {
    let pool = |name: &str, fields: &str| format!("pool {name} {{\n  {fields}\n}}\n");
    let queue = "queue q {\n  pools = [first, second]\n}\n";
    let nouns = pool("first", first) + &pool("second", second) + more + queue;
    unjudged(&(cluster(&nouns) + &workload("run", "a3m.first", fields)))
}

/// Whether it is let onto the second pool, and never kept from its own.
fn is_let(first: &str, second: &str, fields: &str) -> bool {
    let planned = queued(first, second, fields, "");
    let pools = &planned.run("run").lead().pod.selection.pools;
    assert!(pools.iter().any(|it| it.id() == planned.id("a3m.first")));
    pools.iter().any(|it| it.id() == planned.id("a3m.second"))
}

#[test]
fn every_difference_that_matters_keeps_a_workload_away() {
    let h100 = "machine = \"a3-megagpu-8g\"\n nodes = 2";
    let l4 = "machine = \"g2-standard-12\"\n nodes = 2";
    let cpus = |machine: &str| format!("machine = \"{machine}\"\n nodes = 2");
    let shared = format!("{l4}\n sharing = time_shared(4)");
    let one = "machine = \"a3-megagpu-8g\"\n nodes = 1";
    let python = "launch = python(\"train.py\")\n nodes = 2";
    for (what, first, second, fields, expected) in [
        ("nothing", h100, h100, "nodes = 2", true),
        ("devices", h100, &cpus("n2-standard-8"), "nodes = 2", false),
        ("the machine", &cpus("n2-standard-8"), &cpus("n2-standard-16"), python, false),
        ("sharing", l4, &shared, "nodes = 2", false),
        ("the number of nodes", h100, one, "nodes = 2", false),
        ("no more than that", h100, one, "nodes = 1", true),
    ] {
        assert_eq!(is_let(first, second, fields), expected, "{what}");
    }
}

#[test]
fn a_slice_whose_hosts_have_less_disk_than_a_pod_mounts_does_not_fit() {
    let slice =
        |disk: &str| format!("machine = \"ct5lp-hightpu-4t\"\n topology = 4x4\n disk = {disk}");
    let mounts = "mounts = [scratch(300GiB) at \"/scratch\"]";
    assert!(is_let(&slice("1TiB"), &slice("1TiB"), mounts));
    assert!(!is_let(&slice("1TiB"), &slice("200GiB"), mounts));
}

#[test]
fn files_of_pods_do_not_go_where_local_disks_are_raw() {
    let h100 = "machine = \"a3-megagpu-8g\"\n nodes = 2";
    let raw = format!("{h100}\n local_ssd = \"raw\"");
    let mounts = "mounts = [scratch(10GiB) at \"/scratch\"]\n nodes = 1";
    assert!(is_let(h100, h100, mounts));
    assert!(!is_let(h100, &raw, mounts));
    assert!(is_let(h100, &raw, "nodes = 1"));
}

#[test]
fn whoever_does_not_fit_is_told_every_reason() {
    let slice = "machine = \"ct5lp-hightpu-4t\"\n topology = 4x4\n disk = 200GiB";
    let fields = "slices = 2\n mounts = [scratch(300GiB) at \"/scratch\"]";
    let planned = queued(slice, slice, fields, "");
    let found = &planned.run("run").lead().pod.misfits;
    assert_eq!(*found, [Misfit::Node(Resource::Disk), Misfit::Nodes]);
}

#[test]
fn pods_stay_out_of_pools_that_only_groups_use() {
    let cpus = "machine = \"n2-standard-8\"\n nodes = 2";
    let side = "launch = python(\"train.py\")\ngroup watch on a3m.jobs {\n  decides = false\n  cpus = 1\n  memory = 2GiB\n  image = \"busybox:1.36\"\n  launch = command([\"true\"])\n}";
    let planned = queued(cpus, cpus, side, &format!("pool jobs {{\n  {cpus}\n}}\n"));
    let selection = &planned.run("run").lead().pod.selection;
    assert_eq!(selection.pools, [planned.id("a3m.first"), planned.id("a3m.second")]);
    // Both have the machine that the third has too.
    let barred = &selection.barred["cloud.google.com/gke-nodepool"];
    assert_eq!(barred.iter().collect::<Vec<_>>(), ["jobs"]);
}
