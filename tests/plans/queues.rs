//! What queues admit, and what they are dealt.

use super::{cluster, unjudged, workload};
use slipform_tests::text::Planned;

#[test]
fn queues_admit_and_share_out() {
    let text = cluster(
        r#"
  pool first {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
  pool second {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = queued(7d)
  }
  pool cpus {
    machine = "e2-standard-8"
    nodes   = 3
  }
  queue all {
    pools      = [first, second, cpus]
    namespaces = ["team-a", "team-b"]
  }
  queue some {
    pools      = [first, second]
    quota      = 24
    namespaces = ["team-c"]
  }
  queue more {
    pools      = [first, second]
    quota      = 100
    namespaces = ["team-a", "team-b"]
  }
"#,
    );
    let runs = workload("auto_", "a3m.first", "")
        + &workload("served", "a3m.first", "namespace = \"team-c\"")
        + &workload("said", "a3m.first", "queue = a3m.more");
    let planned = unjudged(&(text + &runs));
    let quotas = |queue: &str| {
        let flavors = &planned.queue(queue).flavors;
        flavors
            .iter()
            .map(|it| (it.name.as_str(), it.quota.devices, it.queued.is_some()))
            .collect::<Vec<_>>()
    };
    // What has a quota comes first, and first what its own workloads need: 16 each of the pool that no other queue needs.
    assert_eq!(quotas("a3m.some"), [("first", 8, false), ("second", 16, true)]);
    assert_eq!(quotas("a3m.more"), [("first", 8, false), ("second", 16, true)]);
    assert_eq!(quotas("a3m.all"), [("first", 0, false), ("second", 0, true), ("cpus", 0, false)]);
    let undealt = |queue: &str| planned.queue(queue).undealt;
    assert_eq!((undealt("a3m.more"), undealt("a3m.some"), undealt("a3m.all")), (76, 0, 0));
    assert_eq!(planned.queue("a3m.all").flavors[2].quota.millicpus, 3 * 7910);

    let admitted = |workload: &str| {
        let site = planned.run(workload).gke().unwrap();
        (site.queue.map(|queue| queue.id()), site.namespace.as_str())
    };
    let by = |queue: &str| Some(planned.id(queue));
    assert_eq!(admitted("auto_"), (by("a3m.all"), "team-a"));
    assert_eq!(admitted("served"), (by("a3m.some"), "team-c"));
    assert_eq!(admitted("said"), (by("a3m.more"), "team-a"));
    let found = planned.cluster("a3m");
    assert_eq!(found.namespaces, ["team-a", "team-b", "team-c"]);
    assert!(found.system.is_some(), "the queue may fill the nodes of CPUs");
}

/// Pools of two nodes: of CPUs, and of GPUs that take turns. A queue has the second, none a third.
fn three_pools(runs: &str) -> Planned {
    let pools = r#"
  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }
  pool queued {
    machine = "g2-standard-12"
    nodes   = 2
    sharing = time_shared(4)
  }
  pool free {
    machine = "g2-standard-12"
    nodes   = 2
  }
  queue research {
    pools = [queued]
  }
"#;
    unjudged(&(cluster(pools) + runs))
}

/// A workload with a job beside it on the pool of CPUs.
fn watched(name: &str, place: &str, cpus: i64) -> String {
    let side = format!(
        "group watch on a3m.cpus {{\n decides = false\n memory = 2GiB\n image = \"uploader:v1\"\n launch = python(\"up.py\")\n cpus = {cpus}\n}}"
    );
    workload(name, place, &side)
}

fn processors(planned: &Planned, pool: &str) -> i64 {
    let flavors = &planned.queue("a3m.research").flavors;
    flavors.iter().find(|flavor| flavor.name == pool).unwrap().quota.millicpus
}

#[test]
fn what_workloads_in_no_queue_take_is_not_dealt() {
    let planned =
        three_pools(&(watched("first", "a3m.queued", 2) + &watched("second", "a3m.free", 3)));
    assert_eq!(processors(&planned, "cpus"), 2 * 7910 - 3000);
}

#[test]
fn what_a_workload_needs_is_dealt_all_the_same() {
    let prepare = workload("prepare", "a3m.cpus", "");
    let planned = three_pools(&(watched("first", "a3m.queued", 5) + &prepare));
    assert_eq!(planned.run("prepare").lead().request.millicpus, 7000);
    assert_eq!(processors(&planned, "cpus"), 5000);
}

#[test]
fn pods_leave_room_for_side_jobs_of_others() {
    let prepare = workload("prepare", "a3m.cpus", "");
    let planned = three_pools(&(watched("first", "a3m.queued", 2) + &prepare));
    assert_eq!(planned.run("prepare").lead().request.millicpus, 5000);
    assert_eq!(processors(&planned, "cpus"), 2 * 7910 - 2 * 5000);
}

#[test]
fn local_disk_of_a_shared_node_is_dealt_in_whole_pods() {
    let one = "nodes = 1\n mounts = [mount(scratch(40GiB), \"/scratch\")]";
    let planned = three_pools(&workload("one", "a3m.queued", one));
    let node = planned.pool("a3m.queued").allocatable.disk.0 >> 30;
    let quota = planned.queue("a3m.research").flavors[0].quota.disk.0 >> 30;
    assert!(!node.is_multiple_of(40), "{node}");
    assert_eq!(quota, 2 * (node / 40 * 40));
}
