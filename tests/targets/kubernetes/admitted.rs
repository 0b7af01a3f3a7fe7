//! What workloads pass before they run, and what Kueue is told of how it works: the objects of queues besides quotas.

use super::samples::{GPUS, cluster, pool, queue, workload};
use super::{documents, file, jobset, object, pod, rendered, yaml};
use serde_yaml::Value;
use slipform_targets::Output;

/// The queues of a cluster with these pools.
fn queues(pools: &str) -> String {
    let text = cluster("cluster", pools) + &workload("run", "gpus", "nodes = 2");
    file(&rendered(text), "40-a3m-queues/queues.yaml").to_owned()
}

/// The objects of some kinds, without the head of each file.
fn of_kinds(text: &str, kinds: &[&str]) -> String {
    let is = |part: &&str| {
        let kind = part.lines().find_map(|line| line.strip_prefix("kind: "));
        kind.is_some_and(|kind| kinds.contains(&kind))
    };
    text.split("\n---\n").filter(is).map(str::trim_end).collect::<Vec<_>>().join("\n---\n")
}

/// Pools that ask for nodes in one way share a check; others are performed by whoever is named, and of one that is there only the name
/// is written.
#[test]
fn workloads_pass_checks_before_they_run() {
    let asked = |name: &str| {
        let capacity = "queued(max = 3d, check = \"dws-prov\", retry = backoff(limit = 3))";
        pool(name, "a3-megagpu-8g", &format!("nodes = 4\n capacity = {capacity}"))
    };
    let checks = "checks = [
      \"budget\",
      check(\"gate\", controller = \"example.com/gate\", parameters = object(\"example.com\", \"Budget\", \"training\"), pools = [gpus]),
      provisioning(\"stock\", class = \"check-capacity.autoscaling.x-k8s.io\", parameters = { zone = \"b\" }, pools = [gpus]),
    ]";
    let pools = GPUS.to_owned()
        + &asked("flex")
        + &asked("more")
        + &queue("all", "gpus, flex, more", checks);
    let text = queues(&pools);
    let made = of_kinds(&text, &["AdmissionCheck", "ProvisioningRequestConfig"]);
    let (_, strategy) = text.split_once("admissionChecksStrategy:").unwrap();
    let (strategy, _) = strategy.split_once("\n---\n").unwrap();
    insta::assert_snapshot!(format!("{made}\n\nadmissionChecksStrategy:{strategy}"));
}

/// The API takes each flavor of a check once, and pools that share a flavor are one to it.
#[test]
fn a_check_names_a_flavor_of_several_pools_once() {
    let check = "provisioning(\"stock\", class = \"check-capacity.autoscaling.x-k8s.io\", pools = [gpus, near])";
    let fields = format!("flavors = [flavor([gpus, near], name = \"both\")]\nchecks = [{check}]");
    let near = pool("near", "a3-megagpu-8g", "nodes = 4\n capacity = spot");
    let apart = pool("apart", "a3-ultragpu-8g", "nodes = 4\n capacity = spot");
    let pools = GPUS.to_owned() + &near + &apart + &queue("all", "gpus, near, apart", &fields);
    let text = queues(&pools);
    let (_, strategy) = text.split_once("onFlavors:").unwrap();
    assert_eq!(strategy.matches("- both").count(), 1, "{strategy}");
    assert_eq!(text.matches("onFlavors:").count(), 1, "{text}");
}

/// Of a pool of slices that are joined and cut, workloads of several shapes: nothing of theirs names a node pool.
#[test]
fn slices_are_joined_and_cut_as_workloads_ask() {
    let fields = "topology = 4x4x4\n slices = 4\n slicing = \"dynamic\"\n capacity = reservation(\"r\", policy = \"p\")";
    let pools = pool("cubes", "tpu7x-standard-4t", fields) + &queue("all", "cubes", "");
    let runs = [
        ("joined", "shape = 4x8x8"),
        ("several", "shape = 4x4x8\n slices = 2"),
        ("cut", "shape = 2x2x4\n slices = 3"),
    ];
    let runs = runs.map(|(name, fields)| workload(name, "cubes", fields)).concat();
    let text = cluster("cluster", &pools) + &runs;
    let out = rendered(text.replace("us-east4", "us-central1"));
    let said = |name: &str| {
        let jobset = jobset(&out, name);
        let job = &jobset["spec"]["replicatedJobs"][0];
        let pod = pod(&jobset, "slice");
        let size = [&job["replicas"], &job["template"]["spec"]["parallelism"]]
            .map(|it| it.as_i64().unwrap());
        let told = [
            &pod["metadata"]["annotations"],
            &pod["spec"]["nodeSelector"],
            &pod["spec"]["affinity"],
        ];
        let told = told.map(|it| serde_yaml::to_string(it).unwrap()).concat();
        format!("{name}: {} of {}\n{told}\n", size[0], size[1])
    };
    let runs = ["joined", "several", "cut"].map(said).concat();
    let made = of_kinds(
        file(&out, "40-a3m-queues/queues.yaml"),
        &["Topology", "ResourceFlavor", "AdmissionCheck"],
    );
    insta::assert_snapshot!(format!("{runs}{made}"));
    let installed = file(&out, "40-a3m-queues/install.sh");
    assert!(installed.contains("slice-controller.yaml"), "{installed}");
    let cluster = file(&out, "30-a3m/cluster.tf");
    assert!(cluster.contains("slice_controller_config"), "{cluster}");
    let pools = file(&out, "30-a3m/node_pools.tf");
    assert!(pools.contains("policy_name = \"p\"") && !pools.contains("tpu_topology"), "{pools}");
}

/// A slice of v6e is cut within the topology that its node pool has.
#[test]
fn a_slice_is_cut_within_its_node_pool() {
    let fields = "topology = 4x8\n slicing = \"dynamic\"\n capacity = reservation(\"r\")";
    let pools = pool("cut", "ct6e-standard-4t", fields) + &queue("all", "cut", "");
    let text = cluster("cluster", &pools) + &workload("small", "cut", "shape = 2x4");
    let out = rendered(text);
    let queues = documents(&out, "40-a3m-queues/queues.yaml");
    let topology = queues.iter().find(|it| it["kind"] == "Topology").unwrap();
    let levels = topology["spec"]["levels"].as_sequence().unwrap();
    let levels: Vec<&str> = levels.iter().map(|it| it["nodeLabel"].as_str().unwrap()).collect();
    let wanted = [
        "cloud.google.com/gke-tpu-slice-4x8-id",
        "cloud.google.com/gke-tpu-slice-4x4-id",
        "cloud.google.com/gke-tpu-slice-2x4-id",
        "kubernetes.io/hostname",
    ];
    assert_eq!(levels, wanted);
    let told = pod(&jobset(&out, "small"), "slice").clone();
    let annotations = &told["metadata"]["annotations"];
    assert_eq!(annotations["kueue.x-k8s.io/podset-required-topology"], wanted[2]);
    assert_eq!(annotations["cloud.google.com/gke-tpu-slice-topology"], "2x4");
    assert_eq!(told["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"], "4x8");
    assert_eq!(told["spec"]["affinity"], Value::Null);
}

/// Where nodes tell how far apart they are, queues place by it though nobody asks, unless that would take something away.
#[test]
fn nodes_that_tell_where_they_stand_are_placed_by_themselves() {
    let said = |machine: &str, fields: &str, beside: &str, run: &str| {
        let pools = pool("gpus", machine, fields) + beside;
        let pools =
            pools + &queue("all", if beside.is_empty() { "gpus" } else { "gpus, more" }, "");
        let text = cluster("cluster", &pools) + &workload("run", "gpus", run);
        let text =
            text.replace("us-east4", "us-central1").replace("image = nemo", "image = \"a:1\"");
        let out = rendered(text);
        let pod = pod(&jobset(&out, "run"), "node").clone();
        let annotations = pod["metadata"]["annotations"].as_mapping().cloned().unwrap_or_default();
        let told =
            annotations.iter().filter_map(|(key, value)| Some((key.as_str()?, value.as_str()?)));
        let told = told
            .filter_map(|(key, value)| Some((key.strip_prefix("kueue.x-k8s.io/podset-")?, value)));
        told.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
    };
    let reserved = |nodes: i64| format!("nodes = {nodes}\n capacity = reservation(\"r\")");
    let host = "preferred-topology cloud.google.com/gce-topology-host";
    assert_eq!(said("a3-ultragpu-8g", &reserved(4), "", "nodes = 4"), host);
    assert_eq!(said("a3-ultragpu-8g", &reserved(4), "", "nodes = 1"), "");
    assert_eq!(said("a3-megagpu-8g", "nodes = 4", "", "nodes = 4"), host);
    assert_eq!(said("a3-megagpu-8g", &reserved(4), "", "nodes = 4"), "", "perhaps not a dense one");
    let grows = pool("more", "a3-ultragpu-8g", "nodes = 0..4\n capacity = spot");
    assert_eq!(
        said("a3-ultragpu-8g", &reserved(4), &grows, "nodes = 4"),
        "",
        "not there to be chosen"
    );
    let loose = pool("more", "a3-ultragpu-8g", "nodes = 4\n capacity = queued(max = 1d)");
    assert_eq!(said("a3-ultragpu-8g", &reserved(4), &loose, "nodes = 4"), "", "not of every pool");
    let one = "required-topology cloud.google.com/gce-topology-subblock";
    let apart = format!("{}\n placement = \"spread\"", reserved(36));
    assert_eq!(said("a4x-highgpu-4g", &apart, "", "nodes = 18"), one);
    let two = "preferred-topology cloud.google.com/gce-topology-block, \
        slice-required-topology cloud.google.com/gce-topology-subblock, slice-size 18";
    assert_eq!(said("a4x-highgpu-4g", &apart, "", "nodes = 36\n slices = 2"), two);
}

/// Two clusters: one whose queues have these fields and hand on to those of the other, which have these.
fn handing_on(here: &[(&str, &str)], there: &[(&str, &str)], pools: &str) -> String {
    let fields = |name: &str, more: &str| format!("namespaces = [\"{name}\"]\n {more}");
    let front = here.iter().map(|(name, more)| {
        let workers = format!("pools = []\n workers = [west.{name}]\n {more}");
        format!("queue {name} {{\n {}\n}}\n", fields(name, &workers))
    });
    let near = cluster("cluster", &front.collect::<String>());
    let behind = there.iter().map(|(name, more)| {
        format!("queue {name} {{\n pools = [gpus]\n {}\n}}\n", fields(name, more))
    });
    let far = cluster("cluster", &(pools.to_owned() + &behind.collect::<String>()));
    let (base, far) = far.split_once("cluster a3m").unwrap();
    let network = base.split_once("network fabric").unwrap().1.split_once("}").unwrap().0;
    let network = network.replace("10.64.", "10.72.").replace("10.68.", "10.76.");
    let far = far.replace("fabric", "far");
    format!("{near}network far{network}  subnet = 10.20.0.0/20\n}}\ncluster west{far}")
}

/// What a queue that hands on lends and borrows is a part of what its workers hold, with as much of nodes as belongs to the GPUs.
#[test]
fn queues_that_hand_on_lend_and_borrow() {
    let pools = pool("gpus", "a3-megagpu-8g", "nodes = 4\n capacity = reservation(\"r\")");
    let lend = |limits: &str| format!("cohort = cohort(\"all\", {limits})");
    let (some, none) = (lend("lend = 8, borrow = 16"), lend("lend = 0, borrow = 0"));
    let there = "quota = 16\n cohort = \"all\"";
    let text = handing_on(
        &[("one", &some), ("two", &none), ("three", "cohort = \"all\"")],
        &[("one", there), ("two", "quota = 8\n cohort = \"all\""), ("three", there)],
        &pools.replace("nodes = 4", "nodes = 5"),
    );
    let out = rendered(text);
    let of = |name: &str| {
        let queue = object(&out, "40-a3m-queues/queues.yaml", "ClusterQueue", name);
        let flavor = queue["spec"]["resourceGroups"][0]["flavors"][0].clone();
        assert_eq!(flavor["name"], "workers");
        let quotas = flavor["resources"].as_sequence().unwrap().clone();
        let limits = ["name", "nominalQuota", "lendingLimit", "borrowingLimit"];
        quotas.into_iter().map(|it| limits.map(|word| it[word].clone())).collect::<Vec<_>>()
    };
    let one = of("one");
    let (gpus, cpus) = (&one[0], &one[1]);
    assert_eq!(Value::from(gpus.to_vec()), yaml("[nvidia.com/gpu, 16, 8, 16]"));
    // of the processors half is lent of two nodes, and as much borrowed as there are
    let milli = |it: &Value| it.as_str().unwrap().trim_end_matches('m').parse::<i64>().unwrap();
    assert_eq!(milli(&cpus[1]), 2 * milli(&cpus[2]));
    assert_eq!(cpus[1], cpus[3]);
    for [_, held, lent, borrowed] in of("two") {
        assert!(held != 0 && lent == 0 && borrowed == 0);
    }
    for [.., lent, borrowed] in of("three") {
        assert_eq!((lent, borrowed), (Value::Null, Value::Null));
    }
}

/// A queue of queues: what Kueue knows of the other clusters, and what all of them hold together.
#[test]
fn a_queue_hands_on_to_other_clusters() {
    let all = "queue all {\n pools = []\n namespaces = [\"team-a\", \"team-b\"]\n workers = [west.all]\n}\n";
    let near = cluster("cluster", all);
    let far = cluster("cluster", &(GPUS.to_owned() + &queue("all", "gpus", "")));
    let (base, far) = far.split_once("cluster a3m").unwrap();
    let network = base.split_once("network fabric").unwrap().1.split_once("}").unwrap().0;
    let network = network.replace("10.64.", "10.72.").replace("10.68.", "10.76.");
    let far = format!(
        "network far{network}  subnet = 10.20.0.0/20\n}}\ncluster west{}",
        far.replace("fabric", "far")
    );
    let out = rendered(near + &far);
    let queues = file(&out, "40-a3m-queues/queues.yaml");
    let kinds = [
        "MultiKueueCluster",
        "MultiKueueConfig",
        "AdmissionCheck",
        "ResourceFlavor",
        "ClusterQueue",
    ];
    insta::assert_snapshot!(of_kinds(queues, &kinds));
    assert!(file(&out, "40-a3m-queues/README.md").contains("secret generic kubeconfig-west"));
}

/// A Kueue that hands on knows the levels of all that it hands on to, if each of them places pods; queues of one sort have one flavor.
#[test]
fn who_hands_on_knows_the_levels_of_those_that_run() {
    let front = |workers: [&str; 2]| {
        let [near, far] = workers;
        let queue = |name: &str, workers: &str, team: &str| {
            let fields = format!("namespaces = [\"{team}\"]\n pools = []\n workers = [{workers}]");
            format!("queue {name} {{\n local_name = \"all\"\n {fields}\n}}\n")
        };
        let own = queue("one", near, "team-a") + &queue("two", far, "team-b");
        let text = cluster("cluster", &own);
        let (head, _) = text.split_once("  queue one").unwrap();
        let (_, head) = head.split_once("cluster a3m").unwrap();
        let of = |name: &str, machine: &str, placement: &str| {
            let fields = format!("nodes = 18\n capacity = reservation(\"{name}\")\n {placement}");
            let pools = pool("gpus", machine, &fields);
            let queue = "queue all {\n pools = [gpus]\n namespaces = [\"team-a\", \"team-b\"]\n}\n";
            let inside = (pools + queue).replace('\n', "\n  ");
            format!("cluster {name}{head}  {inside}\n}}\n")
        };
        let clusters = of("ultra", "a3-ultragpu-8g", "")
            + &of("domains", "a4x-highgpu-4g", "")
            + &of("loose", "a3-megagpu-8g", "placement = \"spread\"");
        rendered((text.clone() + &clusters).replace("us-east4", "us-central1"))
    };
    let flavors = |out: &Output| {
        let all = documents(out, "40-a3m-queues/queues.yaml");
        let named = |kind: &str| -> Vec<Value> {
            all.iter().filter(|it| it["kind"] == kind).cloned().collect()
        };
        (named("ResourceFlavor"), named("Topology"))
    };
    let (own, levels) = flavors(&front(["ultra.all, domains.all", "ultra.all"]));
    let of = |at: usize| levels[at]["spec"]["levels"].as_sequence().unwrap().len();
    assert_eq!((own.len(), levels.len(), of(0), of(1)), (2, 2, 5, 4));
    for (flavor, levels) in own.iter().zip(&levels) {
        assert_eq!(flavor["spec"]["topologyName"], levels["metadata"]["name"]);
        // Kueue refuses one with levels and without labels; no pod asks for this one
        assert_eq!(flavor["spec"]["nodeLabels"].as_mapping().unwrap().len(), 1);
    }
    let (same, _) = flavors(&front(["ultra.all", "ultra.all"]));
    assert_eq!(same.len(), 1);
    let (mixed, none) = flavors(&front(["ultra.all, loose.all", "loose.all"]));
    assert_eq!((mixed.len(), none.len()), (1, 0));
    assert_eq!(mixed[0]["spec"], yaml("{}"));
}

/// Interfaces that pods claim are on networks that GKE makes: nothing of theirs is made here.
#[test]
fn interfaces_are_claimed_where_a_pool_says_so() {
    let fields = "nodes = 2\n capacity = reservation(\"r\")\n rdma = \"claims\"";
    let pools = pool("gpus", "a3-ultragpu-8g", fields) + &queue("all", "gpus", "");
    let out = rendered(cluster("cluster", &pools) + &workload("run", "gpus", "nodes = 2"));
    let text = file(&out, "50-workloads/run/base/jobset.yaml");
    let templates = documents(&out, "50-workloads/run/base/jobset.yaml");
    let template = templates.iter().find(|it| it["kind"] == "ResourceClaimTemplate").unwrap();
    let request = &template["spec"]["spec"]["devices"]["requests"][0]["exactly"];
    assert_eq!(
        (&request["deviceClassName"], &request["count"]),
        (&"mrdma.google.com".into(), &8.into())
    );
    assert!(!text.contains("networking.gke.io/interfaces"), "{text}");
    let nodes = file(&out, "30-a3m/node_pools.tf");
    assert!(
        nodes.contains("accelerator_network_profile") && !nodes.contains("additional_node"),
        "{nodes}"
    );
    assert!(out.artifacts.iter().all(|it| it.path != "40-a3m-queues/networks.yaml"));
}

/// What is handed on is submitted where it is handed on, so that the gate for groups within groups is open there, too: in no other cluster.
#[test]
fn who_hands_on_groups_within_groups_opens_the_gate_for_them() {
    let fields = "nodes = 64\n capacity = reservation(\"r\", policy = \"p\")";
    let pools = pool("gpus", "a3-megagpu-8g", fields);
    let gates = |topology: &str| {
        let own = format!("nodes = 64\n namespace = \"one\"\n topology = {topology}");
        let run = workload("run", "gpus", &own).replace("a3m.gpus", "west.gpus");
        let out = rendered(handing_on(&[("one", "")], &[("one", "")], &pools) + &run);
        ["a3m", "west"].map(|cluster| {
            let path = format!("40-{cluster}-queues/kueue/configuration.yaml");
            let configured = out.artifacts.iter().find(|it| it.path == path.as_str());
            configured.is_some_and(|_| file(&out, &path).contains("TASMultiLayerTopology: true"))
        })
    };
    assert_eq!(gates("grouped({ subblock = 16, block = 32 })"), [true, true]);
    assert_eq!(gates("required(\"block\", each = { subblock = 16 })"), [false, false]);
}
