//! What pods are given beside their command, where a blueprint says it.

use super::samples::{CPUS, GPUS, cluster, pool, run, tpus, workload};
use super::{container, job, jobset, object, pod, rendered, strings, yaml};
use slipform_tests::text::rendered_unjudged;

const JOBSET: &str = "50-workloads/run/base/jobset.yaml";

/// The commands of the page between two headings.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page.split_once(from).unwrap_or_else(|| panic!("no `{from}` in\n{page}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no `{to}` in\n{rest}")).0
}

#[test]
fn what_someone_else_makes_is_mounted_and_the_page_asks_for_it() {
    let out = rendered_unjudged(&run(
        "nodes = 2
mounts = [mount(claim(\"home\"), \"/home\"), mount(claim(\"home\"), \"/old\", folder = \"old\", read_only = true), mount(config_map(\"settings\"), \"/settings\"), mount(secret_files(\"certificates\"), \"/certificates\"), mount(secret_files(\"token\"), \"/token\"), mount(host_path(\"/var/cache\"), \"/cache\")]
env = { TOKEN = secret(\"token\") }",
    ));
    let page = out.file("README.md");
    let asked = between(page, "nothing here makes, once.", "\n```\n");
    for command in [
        "kubectl get persistentvolumeclaim home --namespace=default\n",
        "kubectl create configmap settings --namespace=default --from-file=\"$FILES_SETTINGS\"\n",
        "kubectl create secret generic certificates --namespace=default --from-file=\"$FILES_CERTIFICATES\"",
    ] {
        assert_eq!(page.matches(command.trim_end()).count(), 1, "{command}\n{page}");
        assert!(asked.contains(command), "{command}\n{asked}");
    }
    assert!(!asked.contains("generic token"), "{asked}");
    insta::assert_snapshot!(out.shown(&[JOBSET]));
}

#[test]
fn a_bucket_is_kept_on_the_nodes_as_far_as_it_says() {
    let mounts = "nodes = 2\nmounts = [mount(data, \"/data\", use = \"checkpoints\", cache = 500GiB, cpus = 4, memory = 8GiB), mount(data, \"/more\", folder = \"more\", cpus = 2)]\nidentity = trainer";
    let out = rendered(run(mounts));
    let jobset = jobset(&out, "run");
    let template = pod(&jobset, "node");
    let annotations = &template["metadata"]["annotations"];
    assert_eq!(annotations["gke-gcsfuse/cpu-request"], "6");
    assert_eq!(annotations["gke-gcsfuse/memory-request"], "8Gi");
    assert_eq!(annotations["gke-gcsfuse/memory-limit"], "0");
    let [first, second] =
        [0, 1].map(|at| &template["spec"]["volumes"][at]["csi"]["volumeAttributes"]);
    assert_eq!(first["fileCacheCapacity"], "500Gi");
    let options = first["mountOptions"].as_str().unwrap();
    assert!(!options.contains("file-cache:max-size-mb"), "{options}");
    assert!(options.contains("file-cache:enable-parallel-downloads:true"), "{options}");
    assert_eq!(second["fileCacheCapacity"], serde_yaml::Value::Null);
    // what is kept and what serves is the pod's to ask for
    let requests = &container(&jobset, "node")["resources"]["requests"];
    let without = rendered(run("nodes = 2\nidentity = trainer"));
    let alone =
        &container(&super::jobset(&without, "run"), "node")["resources"]["requests"].clone();
    assert_eq!(requests["ephemeral-storage"], "500Gi");
    assert_eq!(alone["cpu"].as_i64().unwrap() - requests["cpu"].as_i64().unwrap(), 6);
}

#[test]
fn hosts_of_tpus_keep_buckets_too() {
    let fields = "launch = command([\"true\"])\nslices = 2\nmounts = [mount(data, \"/data\", cache = 50GiB)]";
    let out = rendered(tpus("", "") + &workload("run", "v5e", fields));
    let jobset = jobset(&out, "run");
    let volume = &pod(&jobset, "slice")["spec"]["volumes"][0]["csi"]["volumeAttributes"];
    assert_eq!(volume["fileCacheCapacity"], "50Gi");
    assert_eq!(volume["hostNetworkPodKSA"], "true");
}

#[test]
fn what_a_container_may_do_is_what_it_says_and_what_its_fabric_needs() {
    let security = |machine: &str, fields: &str| {
        let text = cluster("cluster", &pool("gpus", machine, "nodes = 4"))
            + &workload("run", "gpus", &format!("nodes = 2\n{fields}"));
        container(&jobset(&rendered(text), "run"), "node")["securityContext"].clone()
    };
    let own = "capabilities = [\"IPC_LOCK\", \"SYS_PTRACE\"]\nprivileged = true";
    let both = yaml("{privileged: true, capabilities: {add: [IPC_LOCK, SYS_PTRACE]}}");
    assert_eq!(security("a3-megagpu-8g", own), both);
    // the fabric's own stay, and none is written twice
    let fabric = security("a3-highgpu-8g", "");
    let merged = security("a3-highgpu-8g", "capabilities = [\"SYS_PTRACE\", \"NET_ADMIN\"]");
    for name in strings(&fabric["capabilities"]["add"]) {
        let again = strings(&merged["capabilities"]["add"]);
        assert_eq!(again.iter().filter(|known| **known == name).count(), 1, "{again:?}");
    }
    assert!(strings(&merged["capabilities"]["add"]).contains(&"SYS_PTRACE"));
}

#[test]
fn the_network_of_the_nodes_is_said_or_follows() {
    let network = |text: String, job: &str| {
        let spec = pod(&jobset(&rendered(text), "run"), job)["spec"].clone();
        (spec["hostNetwork"].as_bool(), spec["dnsPolicy"].as_str().map(str::to_owned))
    };
    let host = (Some(true), Some("ClusterFirstWithHostNet".to_owned()));
    let gpus =
        |fields: &str| network(run(&format!("nodes = 2\nfabric = \"off\"\n{fields}")), "node");
    assert_eq!(gpus(""), (None, None));
    assert_eq!(gpus("host_network = true"), host);
    let slices = |fields: &str| {
        network(tpus("", "") + &workload("run", "v5e", &format!("slices = 2\n{fields}")), "slice")
    };
    assert_eq!(slices(""), host);
    assert_eq!(slices("host_network = false"), (None, None));
    assert_eq!(slices("identity = trainer"), (None, None));
}

#[test]
fn ports_have_names_beside_those_of_the_launch() {
    let out = rendered(run("nodes = 2\nports = { metrics = 9400, debug = 5678 }"));
    assert_eq!(
        container(&jobset(&out, "run"), "node")["ports"],
        yaml(
            "[{containerPort: 29500}, {name: metrics, containerPort: 9400}, {name: debug, containerPort: 5678}]"
        )
    );
    let mpi = rendered(run("nodes = 2\nlaunch = mpirun([\"a\"])\nports = { metrics = 29500 }"));
    assert_eq!(
        container(&jobset(&mpi, "run"), "node")["ports"],
        yaml("[{containerPort: 222}, {name: metrics, containerPort: 29500}]")
    );
}

#[test]
fn an_account_of_someone_else_is_taken_as_it_is() {
    let group = "group judge on a3m.cpus {\n image = nemo\n launch = command([\"true\"])\n}";
    let fields = format!(
        "nodes = 2\naccount = \"robot\"\npull_secrets = [\"registry\"]\nmounts = [mount(data, \"/data\")]\n{group}"
    );
    let text = cluster("cluster", &(GPUS.to_owned() + CPUS)) + &workload("run", "gpus", &fields);
    let out = rendered(&text);
    let jobset = jobset(&out, "run");
    for job in ["node", "judge"] {
        let spec = &pod(&jobset, job)["spec"];
        assert_eq!(spec["serviceAccountName"], "robot");
        assert_eq!(spec["automountServiceAccountToken"], serde_yaml::Value::Null);
        assert_eq!(spec["imagePullSecrets"], yaml("[{name: registry}]"));
    }
    // nothing is made of it, bound to it, or granted
    let made = out.artifacts.iter().filter(|it| it.path != "README.md" && it.path != JOBSET);
    let named: Vec<_> = made.filter(|it| it.content.contains("robot")).map(|it| &it.path).collect();
    assert_eq!(named, [""; 0]);
    let page = out.artifacts.iter().find(|it| it.path == "README.md").unwrap();
    for command in [
        "kubectl get serviceaccount robot --namespace=default\n",
        "kubectl create secret docker-registry registry --namespace=default --from-file=.dockerconfigjson=\"$FILES_REGISTRY\"\n",
    ] {
        assert!(page.content.contains(command), "{command}\n{}", page.content);
    }
}

#[test]
fn what_is_left_goes_and_pods_end_when_they_are_told_to() {
    let group = "group judge on a3m.cpus {\n image = nemo\n launch = command([\"true\"])\n deadline = 30m\n}";
    let fields = format!("nodes = 2\nttl = 1d\nmax_run = 2d\n{group}");
    let text = cluster("cluster", &(GPUS.to_owned() + CPUS)) + &workload("run", "gpus", &fields);
    let jobset = jobset(&rendered(text), "run");
    assert_eq!(jobset["spec"]["ttlSecondsAfterFinished"], 86400);
    assert_eq!(pod(&jobset, "judge")["spec"]["activeDeadlineSeconds"], 1800);
    assert_eq!(pod(&jobset, "node")["spec"]["activeDeadlineSeconds"], serde_yaml::Value::Null);
    assert_eq!(job(&jobset, "node")["spec"]["activeDeadlineSeconds"], 2 * 86400);
}

#[test]
fn some_nodes_are_kept_away_from_and_others_are_asked_for() {
    let group = "group judge on a3m.cpus {\n image = nemo\n launch = command([\"true\"])\n}";
    let fields = format!(
        "nodes = 2\navoid_nodes = [\"gke-a3m-gpus-1\", \"gke-a3m-gpus-2\"]\nonly_nodes = {{ rack = \"r1\" }}\n{group}"
    );
    let text = cluster("cluster", &(GPUS.to_owned() + CPUS)) + &workload("run", "gpus", &fields);
    let jobset = jobset(&rendered(text), "run");
    let apart = yaml(
        "[{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [gke-a3m-gpus-1, gke-a3m-gpus-2]}]}]",
    );
    for (job, rack) in [("node", "r1".into()), ("judge", serde_yaml::Value::Null)] {
        let spec = &pod(&jobset, job)["spec"];
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        assert_eq!(spec["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"], apart);
        assert_eq!(spec["nodeSelector"]["rack"], rack);
    }
}

#[test]
fn what_names_a_container_follows_its_name() {
    let text = run(
        "nodes = 2\nrestarts = 2\ncontainer = \"trainer\"\nmounts = [mount(home, \"/home\")]\nenv = { SERVER = home.address }",
    ) + "\nfilesystem home {\n  storage  = filestore(2560GiB)\n  network  = fabric\n  location = \"us-east4-a\"\n}\n";
    let out = rendered(text);
    let jobset = jobset(&out, "run");
    let main = job(&jobset, "node");
    assert_eq!(main["spec"]["template"]["spec"]["containers"][0]["name"], "trainer");
    let policy = serde_yaml::to_string(&main["spec"]["podFailurePolicy"]).unwrap();
    assert!(!policy.contains("containerName: node"), "{policy}");
    let filled: Vec<&str> = out
        .artifacts
        .iter()
        .filter(|it| {
            it.path.starts_with("50-workloads") && it.content.contains("containers.[name=")
        })
        .map(|it| it.content.as_str())
        .collect();
    assert!(!filled.is_empty());
    for content in filled {
        assert!(content.contains("containers.[name=trainer].env.[name=SERVER]"), "{content}");
    }
}

/// Networks, queues and their doors are called as those who made them, or the blueprint, call them.
#[test]
fn names_of_networks_and_queues_are_as_they_are_said() {
    let text = r#"
existing network fabric {
  region = "us-east4"
}
existing cluster main on gke {
  network = fabric
  zone    = "us-east4-a"
  existing pool gpus {
    machine    = "a3-ultragpu-8g"
    nodes      = 4
    interfaces = { eth2 = "rdma-a", eth3 = "rdma-b" }
  }
  queue team {
    pools      = [gpus]
    name       = "cluster-queue"
    local_name = "lq"
  }
}
workload run on main.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
  nodes  = 2
}
"#;
    let out = rendered(text);
    let jobset = jobset(&out, "run");
    let annotations = &pod(&jobset, "node")["metadata"]["annotations"];
    assert_eq!(
        annotations["networking.gke.io/interfaces"].as_str().unwrap().replace([' ', '\n'], ""),
        r#"[{"interfaceName":"eth0","network":"default"},{"interfaceName":"eth2","network":"rdma-a"},{"interfaceName":"eth3","network":"rdma-b"}]"#
    );
    assert_eq!(jobset["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "lq");
    let queues = "40-main-queues/queues.yaml";
    object(&out, queues, "ClusterQueue", "cluster-queue");
    let door = object(&out, queues, "LocalQueue", "lq");
    assert_eq!(door["spec"]["clusterQueue"], "cluster-queue");
}

/// Memory of nodes for checkpoints: a volume without options, what tells GKE of it, its add-on, and rights on the bucket.
#[test]
fn checkpoints_in_memory_are_kept_in_a_bucket() {
    let text = r#"
network fabric {
  region   = "us-west4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}
bucket results {
  location     = "us-west4"
  hierarchical = true
}
cluster main on gke {
  network = fabric
  zone    = "us-west4-a"
  pool v5e {
    machine  = "ct5lp-hightpu-4t"
    topology = 4x4
    slices   = 2
  }
}
workload run on main.v5e {
  image  = "python:3.12"
  launch = python("train.py")
  slices = 2
  mounts = [local_checkpoints(results, 40GiB) at "/local"]
}
"#;
    let out = rendered(text);
    let configuration =
        object(&out, "40-main-queues/checkpoints.yaml", "CheckpointConfiguration", "main-v5e");
    assert_eq!(configuration["spec"]["cloudStorageBucketName"], "my-project-1-results");
    assert_eq!(configuration["spec"]["inMemoryVolumeSize"], "40Gi");
    assert_eq!(configuration["spec"]["tolerations"][0]["key"], "google.com/tpu");
    let jobset = jobset(&out, "run");
    let volumes = &pod(&jobset, "slice")["spec"]["volumes"];
    assert_eq!(
        volumes[0],
        yaml("{name: checkpoints, csi: {driver: multitier-checkpoint.csi.storage.gke.io}}")
    );
    // what the driver keeps is not the container's
    let memory = &container(&jobset, "slice")["resources"]["limits"]["memory"];
    assert_eq!(memory, "141Gi");
    let files = |end: &str| {
        let found = out.artifacts.iter().filter(|it| it.path.as_str().ends_with(end));
        found.map(|it| it.content.as_str()).collect::<String>()
    };
    assert!(files("30-main/cluster.tf").contains("high_scale_checkpointing_config"));
    assert!(files("30-main/versions.tf").contains(">= 7.44.0"));
    let iam = files("35-workload-identity/iam.tf");
    assert!(iam.contains("subject/ns/gke-managed-checkpointing/sa/"), "{iam}");
}

/// Of nodes that are there only what GKE puts on them is known, and what the blueprint says.
#[test]
fn nodes_that_are_there_are_found_by_their_own_labels() {
    let text = |labels: &str| {
        format!(
            r#"
existing network fabric {{
  region = "us-east4"
}}
existing cluster main on gke {{
  network = fabric
  zone    = "us-east4-a"
  existing pool v6e {{
    machine  = "ct6e-standard-4t"
    topology = 4x4
    {labels}
  }}
  existing queue lq {{
    pools = [v6e]
  }}
}}
workload run on main.v6e {{
  image  = "python:3.12"
  launch = python("train.py")
}}
"#
        )
    };
    let run = |labels: &str| jobset(&rendered(text(labels)), "run");
    let selector = |labels: &str| pod(&run(labels), "slice")["spec"]["nodeSelector"].clone();
    let of_gke = "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4, node.kubernetes.io/instance-type: ct6e-standard-4t";
    assert_eq!(selector(""), yaml(&format!("{{{of_gke}}}")));
    assert_eq!(selector("labels = { team = \"a\" }"), yaml(&format!("{{{of_gke}, team: a}}")));
    let priority = "kueue.x-k8s.io/priority-class";
    assert!(run("")["metadata"]["labels"].get(priority).is_none());
}

/// Libraries of one's own are found behind those of the fabric, which the run would do without otherwise.
#[test]
fn libraries_of_the_fabric_stay_where_they_are_found() {
    let out = rendered(run("nodes = 2\nenv = { LD_LIBRARY_PATH = \"/opt/x/lib\" }"));
    let jobset = jobset(&out, "run");
    let found = super::env(container(&jobset, "node"), "LD_LIBRARY_PATH").as_str().unwrap();
    assert!(found.ends_with(":/opt/x/lib"), "{found}");
    assert!(found.starts_with("/usr/local/nvidia/lib64"), "{found}");
}

/// What others mount has a volume and a claim in each namespace, and the drivers that it needs.
#[test]
fn volumes_are_there_for_what_others_run() {
    let text = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}
bucket data {
  location = "us-east4"
  name     = "our-data"
}
filesystem home {
  storage = nfs("10.0.0.5", "/exports/home")
}
cluster main on gke {
  network   = fabric
  zone      = "us-east4-a"
  namespace = "research"
  volumes   = [data, home]
}
"#;
    let out = rendered(text);
    let storage = "40-main-queues/storage.yaml";
    let volume = object(&out, storage, "PersistentVolume", "main-research-data");
    assert_eq!(
        volume["spec"]["csi"],
        yaml("{driver: gcsfuse.csi.storage.gke.io, volumeHandle: our-data}")
    );
    assert_eq!(volume["spec"]["claimRef"], yaml("{name: data, namespace: research}"));
    let claim = object(&out, storage, "PersistentVolumeClaim", "data");
    assert_eq!(claim["spec"]["volumeName"], "main-research-data");
    let home = object(&out, storage, "PersistentVolume", "main-research-home");
    assert_eq!(home["spec"]["nfs"]["server"], "10.0.0.5");
    let cluster = out.artifacts.iter().find(|it| it.path.as_str() == "30-main/cluster.tf").unwrap();
    assert!(cluster.content.contains("gcs_fuse_csi_driver_config"));
}
