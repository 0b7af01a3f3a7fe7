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
            .map(|it| {
                let pool = it.name.split('-').next().unwrap_or_default();
                (pool, it.quota.devices, it.queued.is_some())
            })
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

/// Queues of a cluster, each with its cohort, and runs of so many nodes in them: who gives way to whom.
fn given_way(fields: &str, queues: &[(&str, &str)], runs: &[(&str, &str, i64)]) -> Vec<String> {
    let mut text = format!(
        "\n  {fields}\n  pool gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes   = 8\n  }}\n"
    );
    for (name, says) in queues {
        text += &format!("  queue {name} {{\n    pools = [gpus]\n    {says}\n  }}\n");
    }
    let run = |(name, queue, nodes): &(&str, &str, i64)| {
        workload(name, "a3m.gpus", &format!("nodes = {nodes}\n  queue = a3m.{queue}"))
    };
    let planned = unjudged(&(cluster(&text) + &runs.iter().map(run).collect::<String>()));
    let told = runs.iter().flat_map(|(name, ..)| {
        let all = planned.plan.yields_to(planned.id(name)).into_iter();
        all.map(|(other, why)| format!("{name}: {}, {}", planned.path(other), why.words()))
            .collect::<Vec<_>>()
    });
    told.collect()
}

/// As Kueue 0.17.1 did with such runs.
#[test]
fn what_cohorts_hold_and_share_decides_who_gives_way() {
    let runs = [("large", "b", 4), ("small", "a", 2)];
    let nested = "cohorts = { x = within(\"top\"), y = within(\"top\") }";
    let inside = [
        ("a", "quota = 0\n    cohort = \"x\""),
        ("lender", "quota = 16\n    cohort = \"x\""),
        ("b", "quota = 16\n    cohort = \"y\""),
    ];
    let told = given_way(nested, &inside, &runs);
    assert_eq!(told, ["large: small, whose queue takes back what it lent"]);
    let fair = "kueue = kueue(fair_sharing = true)";
    let lent = [
        ("a", "quota = 0\n    cohort = \"all\""),
        ("b", "quota = 0\n    cohort = \"all\""),
        ("d", "quota = 32\n    cohort = \"all\""),
    ];
    let told = given_way(fair, &lent, &runs);
    assert_eq!(told, ["large: small, whose queue has the smaller share of what is lent"]);
    assert_eq!(given_way("", &lent, &runs), [""; 0]);
}

/// Two queues of one cohort with a run each besides `low` and `high` of the first; what the second says of its cohort is `theirs`.
fn rivals(ours: &str, theirs: &str) -> Planned {
    let queues = format!(
        r#"
  pool gpus {{
    machine = "a3-megagpu-8g"
    nodes   = 8
  }}
  queue ours {{
    pools = [gpus]
    {ours}
  }}
  queue theirs {{
    pools  = [gpus]
    {theirs}
  }}
"#
    );
    let run = |name: &str, more: &str| workload(name, "a3m.gpus", &format!("nodes = 1\n  {more}"));
    let runs = run("low", "queue = a3m.ours\n  priority = \"low\"")
        + &run("high", "queue = a3m.ours\n  priority = \"high\"")
        + &run("other", "queue = a3m.theirs");
    unjudged(&(cluster(&queues) + &runs))
}

#[test]
fn a_run_gives_way_to_those_that_kueue_prefers() {
    let yields = |ours: &str, theirs: &str| {
        let planned = rivals(ours, theirs);
        ["low", "high", "other"].map(|run| {
            let all = planned.plan.yields_to(planned.id(run)).into_iter();
            let all = all.map(|(other, why)| format!("{}, {}", planned.path(other), why.words()));
            all.collect::<Vec<_>>().join("; ")
        })
    };
    // two runs of a queue that holds the nodes of one
    let cohort = "quota = 8\n    cohort = \"all\"";
    let lists = [
        ("", ""),
        ("preemption = \"lower_or_newer\"", ""),
        ("preemption = false", ""),
        (cohort, cohort),
        (cohort, "cohort = cohort(\"all\", reclaim = \"lower\")"),
        (cohort, "cohort = cohort(\"all\", reclaim = \"never\")"),
        ("quota = 16\n    cohort = \"all\"", cohort),
        ("quota = 8\n    cohort = cohort(\"all\", borrow = 0)", cohort),
        (
            cohort,
            "quota = 0\n    cohort = cohort(\"all\", reclaim = \"lower\", displace = \"low\")",
        ),
    ];
    let told: Vec<String> = lists
        .iter()
        .map(|(ours, theirs)| {
            let [low, high, other] = yields(ours, theirs);
            format!("[{ours}] [{theirs}]\n  low: {low}\n  high: {high}\n  other: {other}")
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_said_of_flavors_and_what_follows_never_come_to_more_than_a_pool() {
    let text = cluster(
        r#"
  pool first {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
  pool second {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
  pool cpus {
    machine = "e2-standard-8"
    nodes   = 3
  }
  queue said {
    pools   = [first, second, cpus]
    flavors = [
      flavor([first, second], name = "h100", quota = 24, lend = 8),
      flavor([cpus], quota = of(cpus = 20, memory = 8GiB)),
    ]
    cohort  = "all"
  }
  queue counted {
    pools   = [first, second, cpus]
    quota   = 8
    flavors = [flavor([first, second], name = "h100"), flavor([cpus], quota = of(cpus = 0))]
    cohort  = "all"
  }
  queue rest {
    pools   = [first, second, cpus]
    flavors = [flavor([first, second], name = "h100", borrow = of(devices = 8, cpus = 8))]
    cohort  = "all"
  }
"#,
    );
    let planned = unjudged(&text);
    let held = |queue: &str| {
        let flavors = &planned.queue(queue).flavors;
        flavors.iter().map(|it| it.quota).collect::<Vec<_>>()
    };
    let devices = |queue: &str| held(queue).iter().map(|it| it.devices).collect::<Vec<_>>();
    assert_eq!(devices("a3m.said"), [16, 8, 0]);
    assert_eq!(devices("a3m.counted"), [0, 8, 0]);
    assert_eq!(devices("a3m.rest"), [0, 16, 0]);
    for (at, pool) in ["a3m.first", "a3m.second", "a3m.cpus"].iter().enumerate() {
        let all = ["a3m.said", "a3m.counted", "a3m.rest"].map(|queue| held(queue)[at]);
        let sum = all.into_iter().fold(slipform_model::plan::Amounts::NONE, |all, it| all.plus(it));
        let pool = planned.pool(pool);
        assert!(sum.within(pool.allocatable.times(pool.max_nodes())), "{sum:?}");
    }
    assert_eq!(held("a3m.said")[2].millicpus, 20000);
    assert_eq!(held("a3m.counted")[2].millicpus, 0);
    let limits: Vec<_> = planned.queue("a3m.rest").flavors.iter().map(|it| it.borrows).collect();
    let total = limits
        .iter()
        .flatten()
        .fold((0, 0), |(devices, cpus), it| (devices + it.devices, cpus + it.millicpus));
    assert_eq!(total, (8, 8000));
    let lends = &planned.queue("a3m.said").flavors;
    assert_eq!(lends.iter().filter_map(|it| it.lends).map(|it| it.devices).sum::<i64>(), 8);
}
