//! Which nodes pods find, and what they ask of queues.

use super::samples::{CPUS, GPUS, cluster, gpus, pool, queue, tpus, workload};
use super::{container, documents, file, job, jobset, object, pod, rendered, yaml};
use serde_yaml::Value as Yaml;

#[test]
fn a_queue_of_several_pools_chooses_among_them() {
    let spot = pool("cheap", "a3-megagpu-8g", "nodes = 4\n capacity = spot");
    let pools = GPUS.to_owned() + &spot + &queue("both", "gpus, cheap", "");
    let out = rendered(cluster("cluster", &pools) + &workload("run", "gpus", "nodes = 2"));
    let selector = &pod(&jobset(&out, "run"), "node")["spec"]["nodeSelector"].clone();
    let both = "{cloud.google.com/gke-accelerator: nvidia-h100-mega-80gb, node.kubernetes.io/instance-type: a3-megagpu-8g}";
    assert_eq!(*selector, yaml(both));
}

#[test]
fn a_workload_finds_the_pools_that_can_run_it_and_no_other() {
    let a100 = |name: &str, more: &str| pool(name, "a2-highgpu-1g", &format!("nodes = 1\n {more}"));
    let pools = a100("whole", "")
        + &a100("more", "capacity = spot")
        + &a100("parts", "sharing = mig(\"1g.5gb\")")
        + &a100("turns", "sharing = time_shared(4)")
        + CPUS
        + &queue("q", "whole, more, parts, turns, cpus", "");
    let text = cluster("cluster", &pools)
        + &workload("on_whole", "whole", "nodes = 1")
        + &workload("on_parts", "parts", "nodes = 1")
        + &workload("on_cpus", "cpus", "nodes = 2");
    let out = rendered(text.replace("us-east4", "us-central1"));
    let spec = |name: &str| pod(&jobset(&out, name), "node")["spec"].clone();

    let on_whole = spec("on-whole");
    let same = "{cloud.google.com/gke-accelerator: nvidia-tesla-a100, node.kubernetes.io/instance-type: a2-highgpu-1g}";
    assert_eq!(on_whole["nodeSelector"], yaml(same));
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = &on_whole["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"];
    let apart = "[{matchExpressions: [
        {key: cloud.google.com/gke-gpu-partition-size, operator: NotIn, values: [1g.5gb]},
        {key: cloud.google.com/gke-gpu-sharing-strategy, operator: NotIn, values: [time-sharing]}]}]";
    assert_eq!(*terms, yaml(apart));

    for (name, pool) in [("on-parts", "parts"), ("on-cpus", "cpus")] {
        let only = spec(name);
        assert_eq!(only["nodeSelector"]["cloud.google.com/gke-nodepool"], pool);
        assert_eq!(only["affinity"], Yaml::Null);
    }
    // Kueue holds a selector only against labels that a flavor has.
    let turns = object(&out, "40-a3m-queues/queues.yaml", "ResourceFlavor", "turns");
    let labels = &turns["spec"]["nodeLabels"];
    assert_eq!(labels["cloud.google.com/gke-gpu-sharing-strategy"], "time-sharing");
    assert_eq!(labels["cloud.google.com/gke-max-shared-clients-per-gpu"], "4");
}

#[test]
fn slices_of_another_shape_and_machines_of_another_fabric_are_kept_apart() {
    let pools = pool("large", "ct5lp-hightpu-4t", "topology = 16x16\n slices = 2")
        + &pool("mega", "a3-megagpu-8g", "nodes = 2")
        + &pool("ultra", "a3-ultragpu-8g", "nodes = 2\n capacity = reservation(\"r\")")
        + &queue("q", "v5e, large, mega, ultra", "");
    let text = tpus("", &pools)
        + &workload("slices", "v5e", "launch = command([\"true\"])")
        + &workload("fast", "mega", "nodes = 2");
    let out = rendered(text);
    let selector = pod(&jobset(&out, "slices"), "slice")["spec"]["nodeSelector"].clone();
    assert_eq!(selector["cloud.google.com/gke-tpu-accelerator"], "tpu-v5-lite-podslice");
    assert_eq!(selector["cloud.google.com/gke-tpu-topology"], "4x4");
    let selector = pod(&jobset(&out, "fast"), "node")["spec"]["nodeSelector"].clone();
    assert_eq!(selector["cloud.google.com/gke-accelerator"], "nvidia-h100-mega-80gb");
}

#[test]
fn a_queue_covers_all_that_its_pods_ask_for() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let queue = object(&out, "40-a3m-queues/queues.yaml", "ClusterQueue", "research");
    let groups = queue["spec"]["resourceGroups"].as_sequence().unwrap();
    assert_eq!(groups.len(), 1);
    let covered = yaml("[nvidia.com/gpu, cpu, memory, ephemeral-storage]");
    assert_eq!(groups[0]["coveredResources"], covered);
    let quotas = |flavor: usize| {
        let resources = groups[0]["flavors"][flavor]["resources"].as_sequence().unwrap();
        resources.iter().map(|it| it["nominalQuota"].clone()).collect::<Vec<_>>()
    };
    // The pool of the side job is a flavor, though the queue does not name it.
    assert!(groups[0]["flavors"][1]["name"].as_str().unwrap().starts_with("cpus"));
    assert_eq!(Yaml::Sequence(quotas(0)), yaml("[32, 829640m, 7486268Mi, 21200Gi]"));
    assert_eq!(Yaml::Sequence(quotas(1)), yaml("[0, 15820m, 58044Mi, 208Gi]"));
}

#[test]
fn a_workload_leaves_room_for_its_side_job_on_its_own_pool() {
    let watch = "nodes = 2
group watch on a3m.cpus {
  decides = false
  cpus = 1
  memory = 2GiB
  image  = \"python:3.12\"
  launch = command([\"true\"])
}";
    let pools = GPUS.to_owned() + CPUS;
    let out = rendered(cluster("cluster", &pools) + &workload("convert", "cpus", watch));
    let main = &container(&jobset(&out, "convert"), "node")["resources"].clone();
    assert_eq!(*main, yaml("{limits: {memory: 28Gi}, requests: {cpu: 6, memory: 22Gi}}"));
    let pulled = |part: &str| container(&jobset(&out, "convert"), part)["imagePullPolicy"].clone();
    assert_eq!(
        (pulled("node"), pulled("watch")),
        ("Always".into(), Yaml::Null),
        "only what is built again"
    );
}

#[test]
fn a_workload_without_a_priority_has_the_one_in_the_middle() {
    let queue = queue("q", "gpus", "priorities = { high = 3, low = 1, medium = 2 }");
    let pools = GPUS.to_owned() + &queue;
    let text = cluster("cluster", &pools) + &workload("run", "gpus", "nodes = 1");
    let labels = jobset(&rendered(text), "run")["metadata"]["labels"].clone();
    assert_eq!(labels["kueue.x-k8s.io/priority-class"], "medium");
}

#[test]
fn only_one_of_queue_and_job_counts_the_longest_run() {
    let run = |queued: bool| {
        let queue = if queued { queue("research", "gpus", "") } else { String::new() };
        let run = workload("run", "gpus", "nodes = 2\nmax_run = 10m\nrestarts = 3");
        jobset(&rendered(cluster("cluster", &(GPUS.to_owned() + &queue)) + &run), "run")
    };
    let first = |jobset: &Yaml| jobset["spec"]["failurePolicy"]["rules"][0]["name"].clone();
    let max = |jobset: &Yaml| {
        jobset["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"].clone()
    };
    let (alone, queued) = (run(false), run(true));
    assert_eq!(job(&alone, "node")["spec"]["activeDeadlineSeconds"], 600);
    assert_eq!((first(&alone), max(&alone)), ("tooLong".into(), Yaml::Null));
    assert_eq!(job(&queued, "node")["spec"]["activeDeadlineSeconds"], Yaml::Null);
    assert_eq!((first(&queued), max(&queued)), ("unstartable".into(), "600".into()));
}

#[test]
fn nodes_without_accelerators_leave_room_for_the_system() {
    let pools = GPUS.to_owned() + CPUS + &queue("batch", "cpus", "");
    let out = rendered(cluster("cluster", &pools) + &workload("convert", "cpus", "nodes = 2"));
    let jobset = jobset(&out, "convert");
    let name = jobset["spec"]["replicatedJobs"][0]["name"].as_str().unwrap();
    assert_eq!(
        container(&jobset, name)["resources"],
        yaml("{limits: {memory: 28Gi}, requests: {cpu: 7, memory: 24Gi}}")
    );
    let queue = object(&out, "40-a3m-queues/queues.yaml", "ClusterQueue", "batch");
    let groups = queue["spec"]["resourceGroups"].as_sequence().unwrap();
    assert_eq!(groups[0]["coveredResources"], yaml("[cpu, memory, ephemeral-storage]"));
    // As much as pods ask for: what they leave of many nodes together is no further node.
    assert_eq!(groups[0]["flavors"][0]["resources"][0]["nominalQuota"], 14);
}

/// One workload that asks for levels gives them to all flavors; whole slices are then placed by the queue, too.
#[test]
fn a_queue_places_nodes_close_together() {
    let slices =
        pool("v5e", "ct5lp-hightpu-4t", "topology = 4x4\n slices = 2\n zone = \"us-east4-a\"");
    let pools = GPUS.to_owned() + CPUS + &slices + &queue("all", "gpus, cpus, v5e", "");
    let fields = "nodes = 4\nslices = 2\ntopology = required(\"block\", slices = \"subblock\")";
    let text = cluster("cluster", &pools)
        + &workload("close", "gpus", fields)
        + &workload("sliced", "v5e", "slices = 2");
    let out = rendered(text);
    let annotations =
        |name: &str, role: &str| pod(&jobset(&out, name), role)["metadata"]["annotations"].clone();
    let close = annotations("close", "node");
    assert_eq!(
        close["kueue.x-k8s.io/podset-required-topology"],
        "cloud.google.com/gce-topology-block"
    );
    assert_eq!(
        close["kueue.x-k8s.io/podset-slice-required-topology"],
        "cloud.google.com/gce-topology-subblock"
    );
    assert_eq!(close["kueue.x-k8s.io/podset-slice-size"], "2");
    let sliced = annotations("sliced", "slice");
    assert_eq!(sliced["kueue.x-k8s.io/podset-preferred-topology"], "cloud.google.com/gke-nodepool");
    assert_eq!(sliced["kueue.x-k8s.io/podset-slice-size"], "4");
    assert!(job(&jobset(&out, "sliced"), "slice").get("metadata").is_none());
    let queues = "40-a3m-queues/queues.yaml";
    // a flavor with levels cannot be changed: its name tells it from what it was
    let flavors: Vec<(String, String)> = documents(&out, queues)
        .into_iter()
        .filter(|it| it["kind"] == "ResourceFlavor")
        .map(|it| {
            let text = |value: &Yaml| value.as_str().unwrap_or_default().to_owned();
            let name = text(&it["metadata"]["name"]);
            let (pool, mark) = name.rsplit_once('-').unwrap();
            assert_eq!(mark.len(), 4);
            (pool.to_owned(), text(&it["spec"]["topologyName"]))
        })
        .collect();
    let of = |pool: &str, levels: &str| (pool.to_owned(), levels.to_owned());
    assert_eq!(
        flavors,
        [of("gpus", "gke-default"), of("cpus", "gke-nodes"), of("v5e", "gke-nodes")]
    );
    let levels = object(&out, queues, "Topology", "gke-nodes")["spec"]["levels"].clone();
    assert_eq!(
        levels,
        yaml("[{nodeLabel: cloud.google.com/gke-nodepool}, {nodeLabel: kubernetes.io/hostname}]")
    );
}

/// Groups within groups are one text, of which Kueue before 0.19 reads nothing unless it is told to.
#[test]
fn a_queue_places_groups_of_nodes() {
    let told = |kueue: &str, topology: &str| {
        let fields = "nodes = 64\n capacity = reservation(\"r\", policy = \"p\")";
        let pools = pool("gpus", "a3-megagpu-8g", fields) + &queue("all", "gpus", "");
        let run = format!("nodes = 64\n topology = {topology}");
        let kueue = format!("{pools}{kueue}");
        let out = rendered(cluster("cluster", &kueue) + &workload("run", "gpus", &run));
        let pod = pod(&jobset(&out, "run"), "node").clone();
        let annotations = pod["metadata"]["annotations"].as_mapping().cloned().unwrap_or_default();
        let own = annotations.into_iter().filter_map(|(key, value)| {
            let key = key.as_str()?.strip_prefix("kueue.x-k8s.io/podset-")?.to_owned();
            Some((key, value.as_str()?.to_owned()))
        });
        let path = "40-a3m-queues/kueue/configuration.yaml";
        let there = out.artifacts.iter().any(|it| it.path == path);
        let gate = there && file(&out, path).contains("TASMultiLayerTopology: true");
        (own.collect::<Vec<_>>(), gate)
    };
    let layers = "slice-required-topology-constraints";
    let (grouped, gate) = told("", "grouped({ subblock = 16, block = 32 })");
    let constraints = yaml(&grouped[0].1);
    let wanted = "[{topology: cloud.google.com/gce-topology-block, size: 32}, {topology: cloud.google.com/gce-topology-subblock, size: 16}]";
    assert_eq!((grouped.len(), grouped[0].0.as_str(), gate), (1, layers, true));
    assert_eq!(constraints, yaml(wanted));
    let (one, gate) = told("", "required(\"block\", each = { subblock = 16 })");
    let words: Vec<&str> = one.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(words, ["required-topology", "slice-required-topology", "slice-size"]);
    assert_eq!((one[2].1.as_str(), gate), ("16", false));
    let newer = "kueue = kueue(version = \"0.19.2\")";
    assert!(!told(newer, "grouped({ subblock = 16, block = 32 })").1, "there it is open by itself");
    let (anywhere, _) = told("", "\"anywhere\"");
    assert_eq!(anywhere, [("unconstrained-topology".to_owned(), "true".to_owned())]);
}

/// Reserved nodes of such a family may have no labels of their block: nothing is placed by those, whatever a pool beside them has, and a
/// flavor is what its own pool makes it.
#[test]
fn a_neighbour_has_no_flavor_of_reserved_nodes_placed() {
    let reserved = |name: &str| format!("nodes = 4\n capacity = reservation(\"{name}\")");
    let of = |machine: &str, beside: &str| {
        let pools = pool("first", machine, &reserved("r1"))
            + &pool("more", machine, beside)
            + &queue("both", "first, more", "");
        let out = rendered(cluster("cluster", &pools) + &workload("run", "first", "nodes = 2"));
        let all = documents(&out, "40-a3m-queues/queues.yaml");
        let flavors = all.iter().filter(|it| it["kind"] == "ResourceFlavor");
        let first =
            flavors.filter(|it| it["metadata"]["name"].as_str().unwrap().starts_with("first"));
        (first.cloned().collect::<Vec<Yaml>>(), jobset(&out, "run"))
    };
    let spot = "nodes = 4\n capacity = spot";
    let both = of("a3-megagpu-8g", &reserved("r2"));
    assert_eq!(both, of("a3-megagpu-8g", spot));
    assert_eq!(both.0[0]["spec"]["topologyName"], Yaml::Null);
    // those of a family that is reserved densely tell for certain
    let dense = of("a3-ultragpu-8g", &reserved("r2"));
    assert_eq!(dense, of("a3-ultragpu-8g", spot));
    assert_ne!(dense.0[0]["spec"]["topologyName"], Yaml::Null);
}
