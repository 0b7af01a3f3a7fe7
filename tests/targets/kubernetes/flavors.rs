//! Queues that say what their pools are to Kueue, whose LocalQueues they take, and what they try in which order.

use super::*;

/// A queue over reserved, spot and plain nodes with all that it may say, and one that says nothing but the shared flavor.
const TEAMS: &str = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network = fabric
  zone    = "us-east4-a"
  pool block_a {
    machine  = "a3-megagpu-8g"
    nodes    = 8
    capacity = reservation("a3m-a")
  }
  pool block_b {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = reservation("a3m-b")
  }
  pool cheap {
    machine  = "a3-megagpu-8g"
    nodes    = 8
    capacity = spot
    labels   = { tier = "spot" }
  }
  pool cpus {
    machine = "n2-standard-32"
    nodes   = 4
  }
  queue vision {
    pools       = [block_a, block_b, cheap, cpus]
    namespaces  = ["vision", "vision-dev"]
    local_names = { vision = ["high", "low"] }
    open_to     = { team = "vision" }
    flavors = [
      flavor([block_a, block_b], name = "reserved", quota = 48, lend = 16, borrow = of(devices = 32, cpus = 700)),
      flavor([cheap], quota = 0, labels = { tier = "spot" }, taints = { spot = "true" }, tolerates = ["maintenance"]),
      flavor([cpus], quota = of(cpus = 64, memory = 200GiB)),
    ]
    cohort      = cohort("everyone", displace = "low")
    next_before = ["borrow", "preempt"]
    stop        = "hold"
  }
  queue language {
    pools      = [block_a, block_b]
    namespaces = ["language"]
    flavors    = [flavor([block_a, block_b], name = "reserved")]
    cohort     = "everyone"
  }
}

workload pretrain on main.block_a {
  image     = "a:1"
  nodes     = 10
  launch    = torchrun("train.py")
  queue     = main.vision
  namespace = "vision"
}

workload detector on main.cheap {
  image     = "a:1"
  launch    = torchrun("train.py")
  restarts  = 3
  queue     = main.vision
  namespace = "vision"
}
"#;

const QUEUES: &str = "40-main-queues/queues.yaml";

#[test]
fn a_queue_says_what_its_pools_are_to_kueue() {
    let out = rendered(TEAMS);
    let priorities = |text: &str| text.contains("WorkloadPriorityClass");
    let text = file(&out, QUEUES);
    let objects: Vec<&str> = text.split("---\n").filter(|it| !priorities(it)).collect();
    insta::assert_snapshot!(objects.join("---\n"));
}

/// Limits that say nothing of GPUs are of what they say alone.
#[test]
fn what_is_lent_and_borrowed_of_processors_leaves_gpus_as_they_are() {
    let limits = "lend = of(cpus = 100), borrow = of(memory = 10TiB)";
    let text = TEAMS.replace("lend = 16, borrow = of(devices = 32, cpus = 700)", limits);
    let queue = object(&rendered(text), QUEUES, "ClusterQueue", "vision");
    let reserved = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"].clone();
    let of = |name: &str, word: &str| {
        let mut quotas = reserved.as_sequence().unwrap().iter();
        quotas.find(|it| it["name"] == name).unwrap()[word].clone()
    };
    assert_eq!(of("nvidia.com/gpu", "lendingLimit"), of("nvidia.com/gpu", "nominalQuota"));
    assert_eq!(of("memory", "lendingLimit"), of("memory", "nominalQuota"));
    assert_eq!(of("cpu", "lendingLimit"), 100);
    assert_eq!(of("memory", "borrowingLimit"), "10Ti");
    assert_eq!(of("nvidia.com/gpu", "borrowingLimit"), 96, "all that there are");
}

#[test]
fn namespaces_have_the_labels_that_their_queue_is_open_to() {
    let out = rendered(TEAMS);
    let labels = |name: &str| {
        object(&out, "40-main-queues/namespaces.yaml", "Namespace", name)["metadata"]["labels"]
            .clone()
    };
    assert_eq!(labels("vision-dev"), yaml("{kueue-managed: 'true', team: vision}"));
    assert_eq!(labels("language"), yaml("{kueue-managed: 'true'}"));
}

#[test]
fn a_run_may_be_on_nodes_of_all_pools_of_a_flavor_and_waits_in_the_first_queue_of_its_namespace() {
    let out = rendered(TEAMS);
    let run = object(&out, "50-workloads/pretrain/base/jobset.yaml", "JobSet", "pretrain");
    assert_eq!(run["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "high");
    let pod = &run["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
    assert_eq!(pod["nodeSelector"].get("cloud.google.com/gke-nodepool"), None);
    let spot = object(&out, "50-workloads/detector/base/jobset.yaml", "JobSet", "detector");
    let pod = &spot["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
    let guard = yaml("{key: spot, operator: Equal, value: 'true', effect: NoSchedule}");
    assert!(pod["tolerations"].as_sequence().unwrap().contains(&guard));
}

#[test]
fn a_queue_that_is_open_to_all_has_no_door_of_its_own() {
    let open = TEAMS.replace("namespaces = [\"language\"]", "namespaces = []\n    open_to    = {}");
    let out = rendered(open);
    let queue = object(&out, QUEUES, "ClusterQueue", "language");
    assert_eq!(queue["spec"]["namespaceSelector"], yaml("{}"));
    let doors = documents(&out, QUEUES);
    let leads = |it: &&serde_yaml::Value| {
        it["kind"] == "LocalQueue" && it["spec"]["clusterQueue"] == "language"
    };
    assert_eq!(doors.iter().filter(leads).count(), 0);
}

#[test]
fn a_queue_chooses_by_what_its_namespaces_used() {
    let counted = TEAMS
        .replace(
            "  zone    = \"us-east4-a\"\n",
            "  zone    = \"us-east4-a\"\n  kueue   = kueue()\n",
        )
        .replace(
            "    stop        =",
            "    by_use      = { \"vision/high\" = 3, \"vision-dev\" = 0 }\n    stop        =",
        );
    let out = rendered(counted);
    let queue = object(&out, QUEUES, "ClusterQueue", "vision");
    let scope = yaml("{admissionMode: UsageBasedAdmissionFairSharing}");
    assert_eq!(queue["spec"]["admissionScope"], scope);
    let weight =
        |name: &str| object(&out, QUEUES, "LocalQueue", name)["spec"]["fairSharing"].clone();
    assert_eq!(weight("high"), yaml("{weight: 3}"));
    assert_eq!(weight("low"), yaml("null"));
    assert_eq!(weight("vision"), yaml("{weight: 0}"));
    let map = object(
        &out,
        "40-main-queues/kueue/configuration.yaml",
        "ConfigMap",
        "kueue-manager-config",
    );
    let text = map["data"]["controller_manager_config.yaml"].as_str().unwrap();
    // bytes and processors would weigh more than GPUs
    let weights = "{cpu: 0, ephemeral-storage: 0, memory: 0}";
    let counted = yaml(&format!(
        "{{usageHalfLifeTime: 168h, usageSamplingInterval: 5m, resourceWeights: {weights}}}"
    ));
    assert_eq!(yaml(text)["admissionFairSharing"], counted);
}

#[test]
fn the_page_says_what_a_queue_stops_and_what_it_takes_from_others() {
    let out = rendered(TEAMS);
    let page = file(&out, "README.md");
    for said in [
        "`vision` is stopped, and admits none of these: `pretrain`, `detector`.",
        "What `vision` has to borrow it takes from runs of lower priority in other queues",
    ] {
        assert!(page.contains(said), "{said}\n{page}");
    }
}
