//! In which order a plan says that folders are applied: who leaves before what is taken away, who makes before who looks it up, and what is done in a circle.

use crate::drained::{retold, reworded, told_both_ways};

/// Two clusters of one network, which have their machines from two reservations.
const PAIR: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.80.0.0/16
}

bucket results {
  location = "us-east4"
}

reservation mine {
  machine = "g2-standard-96"
  count   = 12
  zone    = "us-east4-a"
}

reservation other {
  machine = "g2-standard-96"
  count   = 8
  zone    = "us-east4-a"
}

identity hosts {
  writes = [results]
}

cluster lab on gke {
  network       = net
  zone          = "us-east4-a"
  node_identity = hosts

  pool gpus {
    machine  = "g2-standard-96"
    nodes    = 4
    capacity = reservation(mine)
  }
}

cluster prod on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine  = "g2-standard-96"
    nodes    = 8
    capacity = reservation(other)
  }
}
"#;

/// A cluster of Cluster Toolkit that mounts a bucket.
const SITE: &str = r#"param project: ProjectId = "my-project"

network core {
  region = "us-central1"
}

filesystem home {
  network  = core
  location = "us-central1-a"
  storage  = filestore(2560GiB, tier = "zonal")
}

bucket results {
  location = "us-central1"
}

identity hosts {
  writes = [results]
}

cluster lab on slurm {
  network       = core
  zone          = "us-central1-a"
  release       = "25.11"
  shared        = "/home"
  node_identity = hosts
  mounts        = { "/home" = home, "/results" = results }

  partition gpu {
    machine = "g2-standard-96"
    nodes   = 0..4
  }
}
"#;

/// Machines of a reservation are had by one at a time.
#[test]
fn who_has_fewer_machines_of_a_reservation_comes_before_who_has_more() {
    let shared = PAIR.replace("reservation(other)", "reservation(mine)");
    let given =
        shared.replace("nodes    = 4", "nodes    = 10").replace("nodes    = 8", "nodes    = 2");
    let told = retold(&shared, &[(shared.as_str(), given.as_str())]);
    assert!(told.contains("apply in this order: 30-prod, 30-lab"), "{told}");
    let taken = [("nodes    = 4", "nodes    = 2"), ("nodes    = 8", "nodes    = 10")];
    let told = retold(&shared, &taken);
    assert!(told.contains("apply in this order: 30-lab, 30-prod"), "{told}");
}

/// Where each has what the other gets, the machines of one go first.
#[test]
fn two_clusters_that_exchange_reservations_are_applied_in_parts() {
    let swapped = PAIR
        .replace("capacity = reservation(mine)", "capacity = reservation(none)")
        .replace("capacity = reservation(other)", "capacity = reservation(mine)")
        .replace("reservation(none)", "reservation(other)");
    for told in told_both_ways(PAIR, &swapped) {
        assert!(told.contains("apply in this order: 30-lab in part, 30-prod, 30-lab"), "{told}");
        let freed = "$ terraform -chdir=30-lab destroy -target=google_container_node_pool.gpus\n";
        assert!(told.contains(freed), "{told}");
    }
}

/// What is put into a cluster waits for all of it, and is no reason to apply a part.
#[test]
fn two_clusters_that_exchange_their_names_give_machines_to_each_other() {
    let queue = |text: &str, capacity: &str| {
        let team = "  queue team {\n    pools = [gpus]\n  }\n";
        text.replacen(&format!("{capacity}\n  }}\n"), &format!("{capacity}\n  }}\n{team}"), 1)
    };
    let pair = queue(&queue(PAIR, "reservation(mine)"), "reservation(other)");
    let named = [
        ("cluster lab on gke {", "cluster lab on gke {\n  name = \"prod\""),
        ("cluster prod on gke {", "cluster prod on gke {\n  name = \"lab\""),
    ];
    let told = retold(&pair, &named);
    assert!(told.contains("30-lab in part, 30-prod, 30-lab, 40-lab-queues"), "{told}");
    assert_eq!(told.matches(" in part").count(), 1, "{told}");
    let freed = "$ terraform -chdir=30-lab destroy -target=google_container_node_pool.gpus\n";
    assert!(told.contains(freed), "{told}");
}

/// A cluster that others dispatch to is not made in part, since they are in another that waits for all of it.
#[test]
fn a_worker_under_another_name_has_the_machines_of_the_former() {
    let queue = "  queue team {\n    pools = [gpus]\n  }\n}\n\ncluster prod on gke {";
    let front = "\ncluster front on gke {\n  network = net\n  zone    = \"us-east4-a\"\n\n  pool cpu {\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }\n\n  queue team {\n    pools   = []\n    workers = [lab.team]\n  }\n}\n";
    let fleet = PAIR.replace("}\n\ncluster prod on gke {", queue) + front;
    let named = [("cluster lab on gke {", "cluster lab on gke {\n  name = \"labs\"")];
    let told = retold(&fleet, &named);
    assert!(told.contains("take away before anything is applied: 30-lab\n"), "{told}");
    assert!(told.contains("30-labs, 40-front-queues"), "{told}");
    assert!(!told.contains("in part"), "{told}");
}

/// Whatever block of it they are had from.
#[test]
fn machines_of_a_block_are_of_its_reservation() {
    let shared = PAIR
        .replace("g2-standard-96", "a3-megagpu-8g")
        .replace("\nreservation ", "\nexisting reservation ")
        .replace("reservation(other)", "reservation(mine)");
    let given = shared
        .replace(
            "nodes    = 4\n    capacity = reservation(mine)",
            "nodes    = 10\n    capacity = reservation(mine, block = \"block-2\")",
        )
        .replace("nodes    = 8", "nodes    = 2");
    let told = retold(&shared, &[(shared.as_str(), given.as_str())]);
    assert!(told.contains("apply in this order: 30-prod, 30-lab"), "{told}");
}

/// One who has what a folder takes away, and gets what it makes, is applied between both.
#[test]
fn a_folder_that_gives_and_takes_is_applied_twice() {
    let bucket = "bucket results {\n  location = \"us-central1\"\n}\n";
    let both = format!("{bucket}\n{}", bucket.replace("results", "fresh"));
    let swapped = [
        (bucket, both.as_str()),
        ("writes = [results]", "writes = [fresh]"),
        ("\"/results\" = results", "\"/results\" = fresh"),
    ];
    let told = retold(SITE, &swapped);
    let order = "apply in this order: 10-foundation in part, 30-lab, 10-foundation\n";
    assert!(told.contains(order), "{told}");
    let first = "$ terraform -chdir=10-foundation apply -target=google_storage_bucket.fresh -target=google_storage_bucket_iam_member.fresh_hosts\n";
    assert!(told.contains(first), "{told}");
    // what nobody looks up is no reason to begin with it
    let beside = format!("{bucket}\nbucket logs {{\n  location = \"us-central1\"\n}}\n");
    let leaves = [
        (bucket, beside.as_str()),
        ("  writes = [results]\n", ""),
        (", \"/results\" = results", ""),
    ];
    let told = retold(SITE, &leaves);
    assert!(told.contains("apply in this order: 30-lab, 10-foundation\n"), "{told}");
    let logs =
        ("bucket results {", "bucket logs {\n  location = \"us-east4\"\n}\n\nbucket results {");
    let account = [
        logs,
        ("  node_identity = hosts\n", ""),
        ("identity hosts {\n  writes = [results]\n}\n", ""),
    ];
    let told = retold(PAIR, &account);
    assert!(told.contains("apply in this order: 30-lab, 10-foundation"), "{told}");
}

/// A cluster is taken away before others are made where they need what it has, and at the end where they do not.
#[test]
fn a_cluster_goes_first_only_where_another_waits_for_what_it_has() {
    let named = ("cluster lab on gke {", "cluster lab on gke {\n  name = \"labs\"");
    for told in told_both_ways(PAIR, &reworded(PAIR, &[named])) {
        assert!(told.contains("take away before anything is applied: 30-lab\n"), "{told}");
    }
    let spot = PAIR.replace("reservation(mine)", "spot");
    for told in told_both_ways(&spot, &reworded(&spot, &[named])) {
        assert!(told.contains("take away at the end: 30-lab\n"), "{told}");
        assert!(!told.contains("take away before"), "{told}");
    }
}

/// What two changes need before one folder is applied is all given before it.
#[test]
fn two_reservations_that_are_made_anew_are_one_list_of_commands() {
    let named = [
        ("reservation mine {", "reservation mine {\n  name    = \"ours\""),
        ("reservation other {", "reservation other {\n  name    = \"theirs\""),
    ];
    for told in told_both_ways(PAIR, &reworded(PAIR, &named)) {
        let turns = [
            "$ terraform -chdir=30-lab destroy -target=",
            "$ terraform -chdir=30-prod destroy -target=",
            "$ terraform -chdir=10-foundation apply\n",
            "$ terraform -chdir=30-lab apply\n",
            "$ terraform -chdir=30-prod apply\n",
        ];
        let places = turns.map(|turn| told.find(turn));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
        assert_eq!(told.matches("-chdir=10-foundation apply\n").count(), 1, "{told}");
    }
}

/// Two pools of a queue, which a run waits in.
const QUEUED: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.80.0.0/16
}

bucket results {
  location = "us-east4"
}

identity trainer {
  writes = [results]
}

cluster lab on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine = "g2-standard-96"
    nodes   = 4
  }

  pool more {
    machine  = "g2-standard-96"
    nodes    = 8
    capacity = spot
  }

  queue team {
    pools = [gpus, more]
  }
}

workload train on lab.gpus {
  queue    = lab.team
  identity = trainer
  image    = "python:3.12"
  mounts   = [mount(results, "/out")]
  launch   = command(["python"])
}
"#;

/// What a run tolerates is what its queue let begin.
#[test]
fn a_taint_cuts_off_the_runs_that_do_not_start_anew_with_it() {
    let taint = ("nodes   = 4\n", "nodes   = 4\n    taints  = [taint(\"team\", \"a\")]\n");
    for told in told_both_ways(QUEUED, &reworded(QUEUED, &[taint])) {
        for words in [
            "restarts         pool lab.gpus",
            "what runs there is interrupted: train\n",
            "drain first: train\n",
            "start again at the end: train\n",
        ] {
            assert!(told.contains(words), "{words}\n{told}");
        }
    }
    // nobody runs on it
    let idle = QUEUED.split_once("workload train").unwrap_or_default().0;
    let told = retold(idle, &[taint]);
    assert!(!told.contains("restarts"), "{told}");
}

/// A rule of deletion takes what is in a bucket, and is in nobody's way.
#[test]
fn objects_that_a_rule_deletes_stop_no_run() {
    let rule = ("bucket results {\n", "bucket results {\n  delete_after = 30d\n");
    for told in told_both_ways(QUEUED, &reworded(QUEUED, &[rule])) {
        assert!(told.contains("destroys data"), "{told}");
        assert!(!told.contains("drain first"), "{told}");
    }
}

/// Pools of one cluster ask for machines of one reservation in one apply: who gives some comes first, where there are not enough for both.
#[test]
fn pools_of_one_cluster_make_way_for_each_other() {
    let full = PAIR.replace("count   = 12", "count   = 4");
    let steps = "apply in this order: 30-lab in part, 30-lab\n30-lab is applied in two steps: some of its machines of a reservation go";
    let freed = "$ terraform -chdir=30-lab destroy -target=google_container_node_pool.gpus\n";
    let lab = |text: &str| text.replacen("pool gpus {", "pool big {", 1);
    for told in told_both_ways(&full, &lab(&full)) {
        assert!(told.contains(steps) && told.contains(freed), "{told}");
    }
    for told in told_both_ways(PAIR, &lab(PAIR)) {
        assert!(!told.contains("in part"), "{told}");
    }
    let both = full.replacen("    capacity = reservation(mine)\n  }\n", "    capacity = reservation(mine)\n  }\n\n  pool more {\n    machine  = \"g2-standard-96\"\n    nodes    = 2\n    capacity = spot\n  }\n", 1);
    let given = reworded(
        &both,
        &[("nodes    = 4", "nodes    = 2"), ("capacity = spot", "capacity = reservation(mine)")],
    );
    for told in told_both_ways(&both, &given) {
        let freed = "$ terraform -chdir=30-lab apply -target=google_container_node_pool.gpus\n";
        assert!(told.contains(steps) && told.contains(freed), "{told}");
    }
}

/// A reservation stays where its machines do, whoever names it.
#[test]
fn a_reservation_whose_machines_are_had_by_its_name_neither_goes_nor_is_made() {
    let noun = "reservation mine {\n  machine = \"g2-standard-96\"\n  count   = 12\n  zone    = \"us-east4-a\"\n}\n\n";
    let named = reworded(PAIR, &[(noun, ""), ("reservation(mine)", "reservation(\"mine\")")]);
    for told in told_both_ways(PAIR, &named) {
        for words in [
            "stopped by machines of it, which cluster lab, pool gpus has by its name afterwards as well: the apply stops there",
            "lifted by `existing reservation mine` in its place",
        ] {
            assert!(told.contains(words), "{words}:\n{told}");
        }
    }
    for told in told_both_ways(&named, PAIR) {
        let import = "$ terraform -chdir=10-foundation import google_compute_reservation.mine projects/my-project/zones/us-east4-a/reservations/mine\n";
        assert!(told.contains(import), "{told}");
    }
}
