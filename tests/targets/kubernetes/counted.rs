//! What queues count besides devices and what every node has: devices that pods claim, and what a blueprint names.

use super::{documents, file, object, rendered, yaml};
use serde_yaml::Value;
use slipform_targets::Output;

/// Two NVLink domains and A3 Ultra with claimed interfaces, in a cluster that says this of its Kueue.
fn claiming(kueue: &str, queue: &str) -> String {
    format!(
        r#"
network fabric {{
  region   = "us-central1"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}}

cluster main on gke {{
  network = fabric
  zone    = "us-central1-a"
  version = "1.35"
  {kueue}
  pool domains {{
    machine  = "a4x-highgpu-4g"
    nodes    = 36
    slices   = 2
    capacity = reservation("gb200")
    rdma     = "claims"
  }}
  pool ultra {{
    machine  = "a3-ultragpu-8g"
    nodes    = 4
    capacity = reservation("h200")
    rdma     = "claims"
  }}
  pool cpus {{
    machine = "n2-standard-32"
    nodes   = 2
  }}
  queue all {{
    pools = [domains, ultra, cpus]
    {queue}
  }}
}}

workload train on main.domains {{
  image  = "a:1"
  nodes  = 18
  launch = torchrun("train.py")
}}
"#
    )
}

const QUEUES: &str = "40-main-queues/queues.yaml";

/// What a queue holds of a resource, flavor by flavor.
fn held(queue: &Value, name: &str) -> Vec<Value> {
    let flavors = queue["spec"]["resourceGroups"][0]["flavors"].as_sequence().unwrap();
    let of = |flavor: &Value| {
        let resources = flavor["resources"].as_sequence().unwrap();
        let found = resources.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {flavor:?}"))["nominalQuota"].clone()
    };
    flavors.iter().map(of).collect()
}

fn covered(queue: &Value) -> &Value {
    &queue["spec"]["resourceGroups"][0]["coveredResources"]
}

const CHANNEL: &str = "compute-domain-default-channel.nvidia.com";

#[test]
fn a_kueue_that_counts_devices_knows_those_that_pods_claim() {
    let out = rendered(claiming("kueue = kueue(version = \"0.19.2\")", ""));
    let map = object(
        &out,
        "40-main-queues/kueue/configuration.yaml",
        "ConfigMap",
        "kueue-manager-config",
    );
    let configuration = yaml(map["data"]["controller_manager_config.yaml"].as_str().unwrap());
    let own = format!(
        "{{deviceClassMappings: [{{name: {CHANNEL}, deviceClassNames: [{CHANNEL}]}}, {{name: mrdma.google.com, deviceClassNames: [mrdma.google.com]}}]}}"
    );
    assert_eq!(configuration["resources"], yaml(&own));
    let release = &documents(&out, "40-main-queues/kueue/kustomization.yaml")[0]["resources"][0];
    assert!(release.as_str().unwrap().ends_with("kueue/releases/download/v0.19.2/manifests.yaml"));
    assert!(file(&out, "40-main-queues/install.sh").contains("# kueue 0.19.2\n"));
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    // a node claims one channel, and as many interfaces as it has; processors alone claim none
    assert_eq!(held(&queue, CHANNEL), [36, 0, 0]);
    assert_eq!(held(&queue, "mrdma.google.com"), [36 * 4, 4 * 8, 0]);
}

#[test]
fn a_part_of_the_devices_has_its_part_of_what_is_claimed() {
    let quota = "flavors = [flavor([domains], quota = 72, lend = 36)]\n    cohort = \"all\"";
    let out = rendered(claiming("kueue = kueue(version = \"0.18.1\")", quota));
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    assert_eq!(held(&queue, CHANNEL)[0], 18);
    let resources = &queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"];
    let lent = resources.as_sequence().unwrap().iter().find(|it| it["name"] == CHANNEL).unwrap();
    assert_eq!(lent["lendingLimit"], 9);
}

#[test]
fn a_cluster_calls_devices_as_it_likes() {
    let kueue = "kueue = kueue(version = \"0.19.2\", devices = { nics = [\"mrdma.google.com\"], seats = [\"seat.example.com\"] })";
    let quota = "flavors = [flavor([cpus], quota = of(others = { seats = 4, \"example.com/store\" = 2TiB }))]";
    let out = rendered(claiming(kueue, quota));
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    let names = format!(
        "[nvidia.com/gpu, {CHANNEL}, nics, cpu, memory, ephemeral-storage, example.com/store, seats]"
    );
    assert_eq!(covered(&queue), &yaml(&names));
    assert_eq!(held(&queue, "nics"), [36 * 4, 4 * 8, 0]);
    assert_eq!(held(&queue, "seats"), [0, 0, 4]);
    assert_eq!(held(&queue, "example.com/store"), [yaml("0"), yaml("0"), yaml("2Ti")]);
    // what is named besides leaves the rest as it is dealt
    assert_ne!(held(&queue, "cpu")[2], 0);
}

#[test]
fn a_kueue_that_counts_none_is_told_of_none() {
    let out = rendered(claiming("", ""));
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    assert_eq!(covered(&queue), &yaml("[nvidia.com/gpu, cpu, memory, ephemeral-storage]"));
    assert!(!out.artifacts.iter().any(|it| it.path.as_str().contains("/kueue/")));
}

fn configuration(out: &Output, cluster: &str) -> Value {
    let path = format!("40-{cluster}-queues/kueue/configuration.yaml");
    let map = object(out, &path, "ConfigMap", "kueue-manager-config");
    yaml(map["data"]["controller_manager_config.yaml"].as_str().unwrap())
}

#[test]
fn parts_of_devices_are_counted_as_their_driver_tells() {
    let parts = r#"{ cores = counter("cores", classes = ["mig.example.com"], driver = "gpu.example.com", of = "device.attributes['x'].y"), store = capacity("memory", classes = ["gpu.example.com"], driver = "gpu.example.com") }"#;
    let kueue = format!("kueue = kueue(version = \"0.19.2\", parts = {parts})");
    let quota = "flavors = [flavor([cpus], quota = of(others = { cores = 4, store = 2TiB }))]";
    let out = rendered(claiming(&kueue, quota));
    let configuration = configuration(&out, "main");
    let mappings = configuration["resources"]["deviceClassMappings"].as_sequence().unwrap();
    // behind those that follow from pools
    let own = r#"
- name: cores
  deviceClassNames: [mig.example.com]
  sources: [{counter: {name: cores, driver: gpu.example.com, deviceSelector: {cel: {expression: "device.attributes['x'].y"}}}}]
- name: store
  deviceClassNames: [gpu.example.com]
  sources: [{capacity: {name: memory, driver: gpu.example.com, deviceSelector: {cel: {expression: 'device.driver == "gpu.example.com"'}}}}]
"#;
    assert_eq!(&mappings[2..], yaml(own).as_sequence().unwrap());
    // what claims share of one device is behind a gate
    let gates = yaml("{KueueDRAIntegrationConsumableCapacity: true}");
    assert_eq!(configuration["featureGates"], gates);
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    assert_eq!(held(&queue, "store"), [yaml("0"), yaml("0"), yaml("2Ti")]);
}

#[test]
fn what_pods_ask_for_counts_as_something_else() {
    let as_others = r#"{ "example.com/cores" = each({ "example.com/total" = 1 }, times = "nvidia.com/gpu"), "nvidia.com/gpu" = each({ "example.com/store" = 80GiB }, kept = true), "example.com/noise" = each() }"#;
    let kueue = format!("kueue = kueue(counts_as = {as_others})");
    let quota = "flavors = [flavor([domains], quota = of(others = { \"example.com/total\" = 4, \"example.com/store\" = 6TiB })), flavor([ultra], quota = of(others = { \"example.com/store\" = 3TiB }))]";
    let out = rendered(claiming(&kueue, quota));
    let wanted = r#"
transformations:
- {input: example.com/cores, strategy: Replace, multiplyBy: nvidia.com/gpu, outputs: {example.com/total: 1}}
- {input: nvidia.com/gpu, strategy: Retain, outputs: {example.com/store: 80Gi}}
- {input: example.com/noise, strategy: Replace}
"#;
    assert_eq!(configuration(&out, "main")["resources"], yaml(wanted));
}

#[test]
fn who_hands_on_knows_and_holds_what_workers_count() {
    let front = r#"
network near {
  region   = "us-central1"
  subnet   = 10.20.0.0/20
  pods     = 10.72.0.0/14
  services = 10.76.0.0/20
}

cluster front on gke {
  network = near
  zone    = "us-central1-a"
  kueue   = kueue(version = "0.19.2", devices = { places = ["seat.example.com"] })
  queue all {
    pools   = []
    workers = [main.all]
  }
}
"#;
    let kueue = "kueue = kueue(version = \"0.19.2\", devices = { nics = [\"mrdma.google.com\"], seats = [\"seat.example.com\"] })";
    let quota = "flavors = [flavor([cpus], quota = of(others = { seats = 4, \"example.com/license\" = 2 }))]";
    let out = rendered(format!("{}{front}", claiming(kueue, quota)));
    // each cluster has names of its own for a class
    let mappings = format!(
        "[{{name: {CHANNEL}, deviceClassNames: [{CHANNEL}]}}, {{name: mrdma.google.com, deviceClassNames: [mrdma.google.com]}}, {{name: places, deviceClassNames: [seat.example.com]}}]"
    );
    let own = configuration(&out, "front");
    assert_eq!(own["resources"]["deviceClassMappings"], yaml(&mappings));
    let queue = object(&out, "40-front-queues/queues.yaml", "ClusterQueue", "all");
    assert_eq!(held(&queue, CHANNEL), [36]);
    assert_eq!(held(&queue, "mrdma.google.com"), [36 * 4 + 4 * 8]);
    assert_eq!(held(&queue, "places"), [4]);
    assert_eq!(held(&queue, "example.com/license"), [2]);
}

/// What is said of claimed devices takes the place of what belongs to the nodes, each for itself.
#[test]
fn limits_of_claimed_devices_leave_their_quota_as_it_is() {
    let quota = "flavors = [flavor([domains], lend = of(others = { \"mrdma.google.com\" = 16 })), flavor([ultra], quota = of(others = { \"mrdma.google.com\" = 8 }), borrow = of(others = { \"mrdma.google.com\" = 4 }))]\n    cohort = \"all\"";
    let out = rendered(claiming("kueue = kueue(version = \"0.19.2\")", quota));
    let queue = object(&out, QUEUES, "ClusterQueue", "all");
    assert_eq!(held(&queue, "mrdma.google.com"), [36 * 4, 8, 0]);
    assert_eq!(held(&queue, CHANNEL), [36, 0, 0]);
    let limits = |at: usize, limit: &str| {
        let resources = &queue["spec"]["resourceGroups"][0]["flavors"][at]["resources"];
        let mut named = resources.as_sequence().unwrap().iter();
        named.find(|it| it["name"] == "mrdma.google.com").unwrap()[limit].clone()
    };
    assert_eq!(limits(0, "lendingLimit"), 16);
    assert_eq!(limits(0, "borrowingLimit"), Value::Null);
    assert_eq!(limits(1, "borrowingLimit"), 4);
}

/// What a check of a class of requests is told of pods whose nodes it asks for.
fn managed(pools: &str) -> Value {
    let check = format!(
        "checks = [provisioning(\"stock\", class = \"check-capacity.autoscaling.x-k8s.io\"{pools})]"
    );
    let out = rendered(claiming("", &check));
    object(&out, QUEUES, "ProvisioningRequestConfig", "stock")["spec"]["managedResources"].clone()
}

#[test]
fn a_check_asks_for_nodes_of_pods_that_take_their_devices() {
    assert_eq!(managed(", pools = [domains, ultra]"), yaml("[nvidia.com/gpu]"));
    // nodes of processors are asked for by all pods
    assert_eq!(managed(""), Value::Null);
    assert_eq!(managed(", pools = [cpus]"), Value::Null);
}
