//! What a cluster holds before any workload.

use super::samples::{GPUS, cluster, gpus, pool, queue, tpus, workload};
use super::{documents, file, jobset, object, rendered, strings, yaml};
use serde_yaml::Value;
use slipform_tests::text::rendered_in;

const QUEUES: &str = "40-a3m-queues/queues.yaml";

#[test]
fn a_folder_names_every_file_that_it_holds() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let kustomization = &documents(&out, "40-a3m-queues/kustomization.yaml")[0];
    let resources = strings(&kustomization["resources"]);
    assert_eq!(
        resources,
        ["namespaces.yaml", "networks.yaml", "installers.yaml", "storage.yaml", "queues.yaml"]
    );
    for resource in resources {
        assert!(!documents(&out, &format!("40-a3m-queues/{resource}")).is_empty());
    }
}

#[test]
fn teams_have_namespaces_and_workloads_act_as_their_identities() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let path = "40-a3m-queues/namespaces.yaml";
    for team in ["team-a", "team-b"] {
        assert_eq!(
            object(&out, path, "Namespace", team)["metadata"]["labels"],
            yaml("{kueue-managed: 'true'}")
        );
    }
    let account = object(&out, path, "ServiceAccount", "trainer");
    assert_eq!(account["metadata"]["namespace"], "team-a");
    let address = &account["metadata"]["annotations"]["iam.gke.io/gcp-service-account"];
    assert_eq!(address, "trainer@my-project-1.iam.gserviceaccount.com");
}

#[test]
fn a_queue_covers_what_pods_ask_for() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let research = object(&out, QUEUES, "ClusterQueue", "research");
    let spec = &research["spec"];
    assert_eq!(spec["cohortName"], "all");
    assert_eq!(
        spec["preemption"],
        yaml("{withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}")
    );
    let names = &spec["namespaceSelector"]["matchExpressions"][0];
    assert_eq!(
        *names,
        yaml("{key: kubernetes.io/metadata.name, operator: In, values: [team-a, team-b]}")
    );
    let mut covered = Vec::new();
    for group in spec["resourceGroups"].as_sequence().unwrap() {
        for flavor in group["flavors"].as_sequence().unwrap() {
            let quotas: Vec<_> = flavor["resources"]
                .as_sequence()
                .unwrap()
                .iter()
                .map(|it| it["name"].clone())
                .collect();
            assert_eq!(group["coveredResources"].as_sequence().unwrap(), &quotas);
            object(&out, QUEUES, "ResourceFlavor", flavor["name"].as_str().unwrap());
        }
        covered.extend(strings(&group["coveredResources"]));
    }
    assert_eq!(covered, ["nvidia.com/gpu", "cpu", "memory", "ephemeral-storage"]);
    assert_eq!(spec["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"], 32);
    assert!(spec.get("admissionChecksStrategy").is_none());
    for team in ["team-a", "team-b"] {
        let doors = documents(&out, QUEUES);
        let door = |it: &&serde_yaml::Value| {
            it["kind"] == "LocalQueue" && it["metadata"]["namespace"] == team
        };
        assert_eq!(doors.iter().find(door).unwrap()["spec"]["clusterQueue"], "research");
    }
}

/// What queues of a cohort hold of each flavor's devices: the quota, and the limits of what is borrowed and lent.
fn limits(queues: &[&str], name: &str) -> Vec<(i64, Option<i64>, Option<i64>)> {
    let pools = ["first", "second"].map(|it| pool(it, "a3-megagpu-8g", "nodes = 2"));
    let queues: String = queues
        .iter()
        .map(|it| {
            let (name, fields) = it.split_once(' ').unwrap();
            format!("queue {name} {{\n pools = [first, second]\n namespaces = [\"{name}\"]\n {fields}\n}}\n")
        })
        .collect();
    let out = rendered(cluster("cluster", &(pools.concat() + &queues)));
    let spec = object(&out, QUEUES, "ClusterQueue", name)["spec"].clone();
    let flavors = spec["resourceGroups"][0]["flavors"].as_sequence().unwrap().clone();
    let of = |flavor: &serde_yaml::Value| {
        let gpus = &flavor["resources"][0];
        let count = |name: &str| gpus.get(name).and_then(serde_yaml::Value::as_i64);
        (count("nominalQuota").unwrap(), count("borrowingLimit"), count("lendingLimit"))
    };
    flavors.iter().map(of).collect()
}

#[test]
fn a_queue_keeps_its_first_choice_longest_and_borrows_it_first() {
    let theirs = "theirs cohort = \"all\"";
    let all = limits(&["ours quota = 16\ncohort = \"all\"", theirs], "ours");
    assert_eq!(all, [(16, None, None), (0, None, None)]);
    let some = "ours quota = 16\ncohort = cohort(\"all\", lend = 4, borrow = 10)";
    assert_eq!(limits(&[some, theirs], "ours"), [(16, Some(0), Some(4)), (0, Some(10), Some(0))]);
    // what nobody here lends may be someone's of the same cluster
    let alone = "ours cohort = cohort(\"all\", borrow = 10)";
    assert_eq!(limits(&[alone], "ours"), [(16, Some(10), None), (16, Some(0), None)]);
    let none = "ours quota = 16\ncohort = cohort(\"all\", lend = 0, borrow = 0)";
    assert_eq!(limits(&[none, theirs], "ours"), [(16, Some(0), Some(0)), (0, Some(0), Some(0))]);
}

#[test]
fn a_queue_says_whose_place_its_workloads_take() {
    let spec = |fields: &str| {
        let out = rendered(cluster("cluster", &(GPUS.to_owned() + &queue("q", "gpus", fields))));
        object(&out, QUEUES, "ClusterQueue", "q")["spec"].clone()
    };
    let usual = spec("");
    assert_eq!(usual["preemption"], yaml("{withinClusterQueue: LowerPriority}"));
    assert_eq!(usual["queueingStrategy"], "BestEffortFIFO");
    let strict = spec("strict = true\npreemption = \"lower_or_newer\"");
    assert_eq!(strict["preemption"], yaml("{withinClusterQueue: LowerOrNewerEqualPriority}"));
    assert_eq!(strict["queueingStrategy"], "StrictFIFO");
    let never = spec("preemption = false\ncohort = \"all\"");
    assert_eq!(
        never["preemption"],
        yaml("{withinClusterQueue: Never, reclaimWithinCohort: Never}")
    );
    let lower = spec("preemption = false\ncohort = cohort(\"all\", reclaim = \"lower\")");
    assert_eq!(lower["preemption"]["reclaimWithinCohort"], "LowerPriority");
}

#[test]
fn only_flavors_of_queued_capacity_wait_for_nodes() {
    let beside =
        pool("owned", "ct5lp-hightpu-4t", "topology = 4x4") + &queue("tpus", "owned, v5e", "");
    let text = tpus("capacity = queued(1d)", &beside)
        + &workload("long", "v5e", "slices = 2")
        + &workload("short", "v5e", "slices = 2\nmax_run = 10m\ngrace = 1m")
        + &workload("whole", "v5e", "slices = 2\nmax_run = 1d\ngrace = 1m");
    let out = rendered(text);
    let strategy =
        &object(&out, QUEUES, "ClusterQueue", "tpus")["spec"]["admissionChecksStrategy"].clone();
    assert_eq!(*strategy, yaml("{admissionChecks: [{name: v5e, onFlavors: [v5e]}]}"));
    let check = object(&out, QUEUES, "AdmissionCheck", "v5e");
    assert_eq!(check["spec"]["controllerName"], "kueue.x-k8s.io/provisioning-request");
    let config = object(&out, QUEUES, "ProvisioningRequestConfig", "v5e");
    assert_eq!(config["spec"]["managedResources"], yaml("[google.com/tpu]"));
    assert_eq!(config["spec"]["parameters"]["tpu-topology"], "4x4");
    assert_eq!(config["spec"]["retryStrategy"]["backoffLimitCount"], 50, "for about a day");
    let tolerated = object(&out, QUEUES, "ResourceFlavor", "v5e")["spec"]["tolerations"].clone();
    assert!(
        tolerated
            .as_sequence()
            .unwrap()
            .iter()
            .any(|it| it["key"] == "cloud.google.com/gke-queued")
    );
    for (name, longest) in [("long", "86400"), ("short", "660"), ("whole", "86400")] {
        let annotations = &jobset(&out, name)["metadata"]["annotations"].clone();
        assert_eq!(annotations["provreq.kueue.x-k8s.io/maxRunDurationSeconds"], longest);
    }
}

#[test]
fn queues_that_disagree_about_a_priority_have_their_own() {
    let weights = |high: i64| format!("priorities = {{ low = 1, high = {high} }}");
    let queues = queue("one", "v5e", &weights(10)) + &queue("two", "v5e", &weights(20));
    let run = workload("run", "v5e", "slices = 2\nqueue = a3m.two\npriority = \"high\"");
    let out = rendered(tpus("", &queues) + &run);
    let classes: Vec<_> = documents(&out, QUEUES)
        .into_iter()
        .filter(|it| it["kind"] == "WorkloadPriorityClass")
        .map(|it| {
            (it["metadata"]["name"].as_str().unwrap().to_owned(), it["value"].as_i64().unwrap())
        })
        .collect();
    let expected = [("low", 1), ("one-high", 10), ("two-high", 20)];
    let mut classes: Vec<_> = classes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    classes.sort_unstable();
    assert_eq!(classes, expected);
    assert_eq!(
        jobset(&out, "run")["metadata"]["labels"]["kueue.x-k8s.io/priority-class"],
        "two-high"
    );
}

#[test]
fn data_networks_are_known_by_the_mode_of_their_devices() {
    let out = rendered(gpus("a3-ultragpu-8g", 4));
    let path = "40-a3m-queues/networks.yaml";
    assert_eq!(
        object(&out, path, "GKENetworkParamSet", "gvnic-1")["spec"]["deviceMode"],
        "NetDevice"
    );
    let rdma = object(&out, path, "GKENetworkParamSet", "rdma-7");
    assert_eq!(rdma["spec"]["deviceMode"], "RDMA");
    let network = object(&out, path, "Network", "rdma-7");
    assert_eq!(
        network["spec"]["parametersRef"],
        yaml("{group: networking.gke.io, kind: GKENetworkParamSet, name: rdma-7}")
    );
}

#[test]
fn domains_of_memory_have_their_driver_before_any_workload() {
    for (machine, accelerator, pods) in
        [("a4x-highgpu-4g", "nvidia-gb200", 9), ("a4x-maxgpu-4g-metal", "nvidia-gb300", 9)]
    {
        let out = rendered(gpus(machine, 4));
        let path = "40-a3m-queues/installers.yaml";
        let namespace = "nvidia-dra-driver-gpu";
        object(&out, path, "Namespace", namespace);
        let quota = object(&out, path, "ResourceQuota", "nvidia-dra-driver-gpu-quota");
        assert_eq!(quota["metadata"]["namespace"], namespace);
        assert_eq!(quota["spec"]["hard"]["pods"], pods);
        assert_eq!(
            quota["spec"]["scopeSelector"]["matchExpressions"],
            yaml(
                "[{scopeName: PriorityClass, operator: In, values: [system-node-critical, system-cluster-critical]}]"
            )
        );

        let values = &documents(&out, "40-a3m-queues/nvidia-dra-driver-gpu.values.yaml")[0];
        assert_eq!(values["nvidiaDriverRoot"], "/home/kubernetes/bin/nvidia");
        assert_eq!(values["resources"], yaml("{gpus: {enabled: false}}"));
        let terms = &values["kubeletPlugin"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            ["nodeSelectorTerms"];
        let nodes = format!(
            "[{{key: cloud.google.com/gke-accelerator, operator: In, values: [{accelerator}]}}, {{key: kubernetes.io/arch, operator: In, values: [arm64]}}]"
        );
        assert_eq!(terms[0]["matchExpressions"], yaml(&nodes));
        let tolerated = values["kubeletPlugin"]["tolerations"].as_sequence().unwrap();
        let keys: Vec<_> = tolerated.iter().map(|it| it["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["nvidia.com/gpu", "kubernetes.io/arch"]);

        let script = file(&out, "40-a3m-queues/install.sh");
        let steps = [
            "tools=(kubectl terraform helm)\n",
            "kubectl apply --server-side -k .\n",
            "helm upgrade --install nvidia-dra-driver-gpu nvidia-dra-driver-gpu --repo=https://helm.ngc.nvidia.com/nvidia --version=25.8.1",
            "--values=nvidia-dra-driver-gpu.values.yaml --wait",
            "kubectl wait crd/computedomains.resource.nvidia.com --for=condition=Established",
        ];
        let places: Vec<_> = steps.iter().map(|step| script.find(step)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {script}");
    }
}

#[test]
fn a_missing_tool_stops_the_script_with_a_sentence() {
    let out = rendered(gpus("a4x-highgpu-4g", 4));
    let folder = std::env::temp_dir().join(format!("slipform-install-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("install.sh");
    std::fs::write(&script, file(&out, "40-a3m-queues/install.sh")).unwrap();
    // nothing but what the script needs to find itself
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for (name, text) in [("kubectl", "exit 9"), ("terraform", "exit 9"), ("dirname", "echo .")] {
        use std::os::unix::fs::PermissionsExt;
        let path = bin.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut bash = std::process::Command::new("/bin/bash");
    let run = bash.arg(&script).env("PATH", &bin).current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let errors = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{errors}");
    assert_eq!(errors, "helm is not on the PATH, and this script calls it\n");
}

#[test]
fn objects_tell_which_build_they_are_of() {
    let labels = |nodes: i64| {
        let out = rendered(gpus("a3-megagpu-8g", nodes));
        let labels = documents(&out, "40-a3m-queues/kustomization.yaml")[0]["labels"][0].clone();
        (labels["pairs"].clone(), file(&out, "40-a3m-queues/install.sh").to_owned())
    };
    let ((four, script), (five, _)) = (labels(4), labels(5));
    assert_eq!(four["app.kubernetes.io/part-of"], "main-default");
    let revision = four["app.kubernetes.io/version"].as_str().unwrap();
    assert_ne!(five["app.kubernetes.io/version"], revision, "another quota");
    let others =
        format!("'app.kubernetes.io/part-of=main-default,app.kubernetes.io/version!={revision}'");
    assert!(
        script.contains(&others) && script.contains("admissionchecks.kueue.x-k8s.io"),
        "{script}"
    );
}

#[test]
fn nodes_are_prepared_by_what_belongs_to_their_fabric() {
    let path = "40-a3m-queues/installers.yaml";
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let plugin = object(&out, path, "DaemonSet", "nccl-tcpxo-installer");
    let spec = &plugin["spec"]["template"]["spec"];
    let terms = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"];
    assert_eq!(terms[0]["matchExpressions"][0]["values"], yaml("[nvidia-h100-mega-80gb]"));
    let names: Vec<_> =
        spec["initContainers"].as_sequence().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["prepare", "install"]);
    let injector = object(&out, path, "DaemonSet", "device-injector");
    let values = &injector["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"][0]["matchExpressions"][0]["values"];
    assert_eq!(*values, yaml("[nvidia-h100-mega-80gb]"), "the machines of this cluster alone");
    assert_eq!(spec["containers"][0]["image"], "registry.k8s.io/pause:3.10");

    assert_eq!(injector["spec"]["updateStrategy"]["type"], "RollingUpdate");

    let out = rendered(gpus("a3-ultragpu-8g", 4));
    let plugin = object(&out, path, "DaemonSet", "nccl-rdma-installer");
    assert_eq!(plugin["spec"]["updateStrategy"]["type"], "OnDelete", "libraries are mapped");
    let install = &plugin["spec"]["template"]["spec"]["initContainers"][0];
    let script = install["args"][0].as_str().unwrap();
    let copied = "cp -r /var/lib/gib/. /target/0\ncp -r /var/lib/gib/lib64/. /target/1\n";
    let complete = "/target/0/scripts/set_nccl_env.sh.complete\n";
    assert!(
        script.starts_with(&format!("set -ex\nrm -f {complete}"))
            && script.ends_with(&format!("{copied}touch {complete}")),
        "{script}"
    );
    let workload = file(&out, "50-workloads/ranks/base/jobset.yaml");
    assert!(workload.contains("installed=/usr/local/gib/scripts/set_nccl_env.sh.complete"));
    for (machine, installer, complete) in [
        ("a3-highgpu-8g", "nccl-tcpx-installer", "/target/0/lib64/libnccl-net.so.complete\n"),
        ("a3-megagpu-8g", "nccl-tcpxo-installer", "/target/0/lib64/nccl-env-profile.sh.complete\n"),
    ] {
        let plugin = object(&rendered(gpus(machine, 4)), path, "DaemonSet", installer).clone();
        let containers =
            plugin["spec"]["template"]["spec"]["initContainers"].as_sequence().unwrap();
        let script = containers.last().unwrap()["args"][0].as_str().unwrap();
        assert!(script.ends_with(&format!("touch {complete}")), "{script}");
    }
}

#[test]
fn filesystems_are_volumes_of_the_namespaces_that_mount_them() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let path = "40-a3m-queues/storage.yaml";
    let home = object(&out, path, "PersistentVolume", "a3m-team-a-home");
    assert_eq!(home["spec"]["csi"]["volumeHandle"], "modeInstance/us-east4-a/home/home");
    assert_eq!(home["spec"]["claimRef"], yaml("{name: home, namespace: team-a}"));
    let claim = object(&out, path, "PersistentVolumeClaim", "home");
    assert_eq!(claim["spec"]["volumeName"], "a3m-team-a-home");
    assert_eq!(home["spec"]["capacity"]["storage"], "2560Gi");
    assert_eq!(
        claim["spec"]["resources"]["requests"]["storage"], "1Gi",
        "the same for every size: a claim without a storage class cannot change"
    );
    let models = object(&out, path, "PersistentVolume", "a3m-team-a-models");
    assert_eq!(models["spec"]["nfs"], yaml("{server: 10.0.0.5, path: /exports/models}"));
    assert!(file(&out, "40-a3m-queues/fill-deferred.sh").contains("HOME_ADDRESS"));
    let replacement = &documents(&out, "40-a3m-queues/kustomization.yaml")[0]["replacements"][0];
    let target = &replacement["targets"][0];
    assert_eq!(target["select"], yaml("{kind: PersistentVolume, name: a3m-team-a-home}"));
    assert_eq!(target["fieldPaths"], yaml("[spec.csi.volumeAttributes.ip]"));
}

#[test]
fn controllers_are_installed_in_the_versions_of_the_catalog() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let script =
        out.artifacts.iter().find(|artifact| artifact.path == "40-a3m-queues/install.sh").unwrap();
    assert!(script.executable);
    let catalog = slipform_model::catalog::Catalog::builtin();
    for name in ["jobset", "kueue"] {
        let component = catalog.component(name).unwrap();
        let line = format!("/{name}/releases/download/v{}/manifests.yaml", component.version);
        assert!(script.content.contains(&line), "{}", script.content);
    }
    let readme = file(&out, "40-a3m-queues/README.md");
    assert!(readme.contains("./install.sh") && readme.contains("deferred.env"), "{readme}");
    let credentials = "gcloud container clusters get-credentials a3m --location=us-east4 --project=my-project-1 --dns-endpoint\n";
    assert!(readme.contains(credentials), "{readme}");
}

#[test]
fn a_cluster_without_queues_needs_jobset_alone() {
    let out = rendered(tpus("", "") + &workload("run", "v5e", "slices = 2"));
    let script = file(&out, "40-a3m-queues/install.sh");
    assert!(script.contains("jobset-system") && !script.contains("kueue-system"), "{script}");
    assert!(!script.contains("kubectl apply --server-side -k"), "nothing to apply: {script}");
    for kind in ["clusterqueues.kueue.x-k8s.io", "networks.networking.gke.io"] {
        assert!(script.contains(kind), "an earlier build may have had them: {script}");
    }
    assert!(
        !out.artifacts.iter().any(|artifact| artifact.path == "40-a3m-queues/kustomization.yaml")
    );
}

#[test]
fn patches_reach_the_queue_and_its_flavors() {
    let labels = "patch resource_flavor {\n  spec = { nodeLabels = { rack = \"r1\" } }\n}";
    let weight = "allow patch/owned \"for a trial\"\npatch cluster_queue {\n  spec = { fairSharing = { weight = 2 } }\n}";
    let out = rendered(tpus(labels, &queue("tpus", "v5e", weight)));
    assert_eq!(object(&out, QUEUES, "ClusterQueue", "tpus")["spec"]["fairSharing"]["weight"], 2);
    let labels = object(&out, QUEUES, "ResourceFlavor", "v5e")["spec"]["nodeLabels"].clone();
    assert_eq!(
        (labels["rack"].as_str(), labels["cloud.google.com/gke-tpu-topology"].as_str()),
        (Some("r1"), Some("4x4"))
    );
}

#[test]
fn what_is_not_there_is_not_written() {
    let body =
        "namespace = \"research\"\n".to_owned() + &pool("gpus", "a3-megagpu-8g", "nodes = 1");
    let out = rendered(cluster("existing cluster", &body));
    let paths: Vec<_> = out.artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    assert!(
        !paths
            .iter()
            .any(|path| path.ends_with("networks.yaml") || path.ends_with("installers.yaml")),
        "{paths:?}"
    );
    assert!(!paths.iter().any(|path| path.ends_with("namespaces.yaml")), "{paths:?}");
}

/// What the folder of a cluster holds is deleted at tear-down: of one that someone else keeps only what is ours alone.
#[test]
fn of_an_existing_cluster_only_what_is_ours_is_rendered() {
    let kinds = |queue_exists: bool| {
        let mut text = gpus("a3-megagpu-8g", 4).replace("\ncluster a3m", "\nexisting cluster a3m");
        if queue_exists {
            text = text.replace("  queue research", "  existing queue research");
            text = text.replace("   cohort = \"all\"\n", "");
        }
        let out = rendered(text);
        let of_folder =
            |it: &&slipform_targets::Artifact| it.path.as_str().starts_with("40-a3m-queues/");
        let files = out.artifacts.iter().filter(of_folder).map(|it| it.path.file_name().unwrap());
        let files = files.filter(|name| name.ends_with(".yaml") && *name != "kustomization.yaml");
        let kinds: std::collections::BTreeSet<String> = files
            .flat_map(|name| documents(&out, &format!("40-a3m-queues/{name}")))
            .map(|it| it["kind"].as_str().unwrap().to_owned())
            .collect();
        (kinds, file(&out, "40-a3m-queues/install.sh").to_owned())
    };
    let ours = ["PersistentVolume", "PersistentVolumeClaim", "ServiceAccount"];
    let queues = ["ClusterQueue", "LocalQueue", "ResourceFlavor", "WorkloadPriorityClass"];
    let (found, script) = kinds(false);
    let mut expected: Vec<_> = ours.into_iter().chain(queues).collect();
    expected.sort_unstable();
    assert!(found.iter().eq(&expected), "{found:?}");
    for handed_over in
        ["daemonsets", "networks.networking", "gkenetworkparamsets", "get namespaces"]
    {
        assert!(!script.contains(handed_over), "{handed_over} in {script}");
    }
    assert!(script.contains("persistentvolumes ") && script.contains(" clusterqueues.kueue"));
    let (found, script) = kinds(true);
    assert!(found.iter().eq(&ours), "{found:?}");
    // what an earlier build made of the queue may be in use: it is named, with no command that deletes it
    let loops = script.lines().find(|line| line.starts_with("for kind in ")).unwrap();
    assert!(!loops.contains("kueue.x-k8s.io"), "{loops}");
    assert!(script.contains("kubectl get serviceaccounts,clusterqueues.kueue"), "{script}");
}

/// `medium` of somebody else may weigh as much as they like.
#[test]
fn priorities_in_an_existing_cluster_are_the_queues_own() {
    let text = gpus("a3-megagpu-8g", 4).replace("\ncluster a3m", "\nexisting cluster a3m");
    let out = rendered(text);
    let classes = documents(&out, "40-a3m-queues/queues.yaml");
    let classes = classes.iter().filter(|it| it["kind"] == "WorkloadPriorityClass");
    let mut names = classes.map(|it| it["metadata"]["name"].as_str().unwrap());
    assert!(names.all(|name| name.starts_with("research-")));
}

#[test]
fn namespaces_and_accounts_that_are_left_are_named_and_not_deleted() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let script = file(&out, "40-a3m-queues/install.sh");
    assert!(script.contains("kubectl get namespaces,serviceaccounts --all-namespaces"), "{script}");
    let loops = script.lines().find(|line| line.starts_with("for kind in ")).unwrap();
    assert!(!loops.contains("serviceaccounts") && loops.contains(" daemonsets.apps "), "{loops}");
}

#[test]
fn an_installer_of_a_projects_own_runs_as_its_recipe_says() {
    let facts = r#"
[[stack]]
name = "tcpx"

[[stack.gke.installers]]
name = "prepare-disks"
recipe = { plugin = { unpacked = "/var/lib/ours", prepare = "aperture-devices" } }
image = { repository = "example.com/x" }
host_paths = ["/home/kubernetes/bin/nvidia"]

[[stack.gke.installers]]
name = "serves-devices"
recipe = "device-injector"
image = { repository = "example.com/y", tag = "v1" }
"#;
    let text = gpus("a3-highgpu-8g", 2);
    let files = [("main.bp", text.as_str()), ("catalog.local.toml", facts), ("slipform.toml", "")];
    let out = rendered_in(&files, &[]).output;
    let path = "40-a3m-queues/installers.yaml";
    let spec = |name| object(&out, path, "DaemonSet", name)["spec"]["template"]["spec"].clone();
    let first = &spec("prepare-disks")["initContainers"];
    assert_eq!(first[0]["name"], "prepare");
    let script = first[1]["args"][0].as_str().unwrap();
    assert!(script.contains("cp -r /var/lib/ours/lib64/. /target/0/lib64\n"), "{script}");
    assert!(script.contains("touch /target/0/lib64/libnccl-net.so.complete\n"), "{script}");
    assert_eq!(spec("serves-devices")["containers"][0]["name"], "injector");
}

/// A cluster whose Kueue shares fairly.
fn configured(more: &str) -> String {
    let kueue = "  kueue   = kueue(fair_sharing = true, ready_within = 90m, keep_finished = 3d)\n";
    format!(
        r#"
network fabric {{
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}}

cluster main on gke {{
  network = fabric
  zone    = "us-east4-a"
{kueue}  pool gpus {{
    machine = "a3-megagpu-8g"
    nodes   = 4
  }}
  queue all {{
    pools = [gpus]
  {more}}}
}}
"#
    )
}

#[test]
fn kueue_is_installed_with_what_its_cluster_says_and_what_its_release_says() {
    let out = rendered(configured(""));
    let kustomization = &documents(&out, "40-main-queues/kueue/kustomization.yaml")[0];
    assert_eq!(
        kustomization["patches"],
        yaml("[{path: configuration.yaml}, {path: manager.yaml}]")
    );
    let release = kustomization["resources"][0].as_str().unwrap();
    assert!(release.ends_with("kueue/releases/download/v0.17.1/manifests.yaml"), "{release}");
    let patches = "40-main-queues/kueue/configuration.yaml";
    let map = object(&out, patches, "ConfigMap", "kueue-manager-config");
    let text = map["data"]["controller_manager_config.yaml"].as_str().unwrap();
    let configuration = yaml(text);
    assert_eq!(configuration["waitForPodsReady"], yaml("{timeout: 90m}"));
    assert_eq!(configuration["objectRetentionPolicies"], yaml("{workloads: {afterFinished: 72h}}"));
    assert!(configuration["fairSharing"]["preemptionStrategies"].is_sequence());
    assert_eq!(configuration["clientConnection"], yaml("{qps: 50, burst: 100}"));
    assert_eq!(configuration.get("manageJobsWithoutQueueName"), None);
    let install = file(&out, "40-main-queues/install.sh");
    assert!(install.contains("apply --server-side -k kueue\nkubectl rollout status"), "{install}");
}

/// How runs go back whose pods are not ready, in releases that wait for pods by themselves and in others.
#[test]
fn kueue_waits_for_pods_as_its_cluster_and_its_release_say() {
    let told = |kueue: &str| {
        let said = "fair_sharing = true, ready_within = 90m, keep_finished = 3d";
        let out = rendered(configured("cohort = \"all\"\n  ").replace(said, kueue));
        let patches = "40-main-queues/kueue/configuration.yaml";
        let map = object(&out, patches, "ConfigMap", "kueue-manager-config");
        let text = map["data"]["controller_manager_config.yaml"].as_str().unwrap().to_owned();
        let all = yaml(&text);
        ["waitForPodsReady", "featureGates", "fairSharing"].map(|word| all[word].clone())
    };
    let [waits, gates, shares] = told("ready_within = 30m");
    assert_eq!((waits, gates, shares), (yaml("{timeout: 30m}"), Value::Null, Value::Null));
    let words = "recovered_within = 0s, one_at_a_time = true, requeue = requeue(limit = 3, max = 90s, place = \"kept\")";
    let all = "{timeout: 30m, recoveryTimeout: 0h, blockAdmission: true, requeuingStrategy: \
        {timestamp: Creation, backoffLimitCount: 3, backoffBaseSeconds: 60, backoffMaxSeconds: 90}}";
    assert_eq!(told(&format!("ready_within = 30m, {words}"))[0], yaml(all));
    assert_eq!(told(&format!("version = \"0.19.2\", {words}"))[0], yaml(all), "by itself");
    let [waits, gates, _] = told("ready_within = \"never\"");
    assert_eq!((waits, gates), (Value::Null, Value::Null), "there is no such gate before 0.19");
    let [waits, gates, _] = told("version = \"0.19.2\", ready_within = \"never\"");
    assert_eq!((waits, gates), (Value::Null, yaml("{DisableWaitForPodsReady: true}")));
    let [waits, gates, shares] = told("version = \"0.19.2\", fair_sharing = true");
    assert_eq!((waits, gates), (Value::Null, Value::Null), "as the release does");
    let both = "{preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}";
    assert_eq!(shares, yaml(both));
    let by = |share: &str| told(&format!("fair_sharing = true, fair_by = \"{share}\""))[2].clone();
    assert_eq!(by("final_share"), yaml("{preemptionStrategies: [LessThanOrEqualToFinalShare]}"));
    assert_eq!(by("initial_share"), yaml("{preemptionStrategies: [LessThanInitialShare]}"));
}

#[test]
fn another_configuration_is_rolled_out_and_the_same_one_is_not() {
    let digest = |text: String| {
        let out = rendered(text);
        let patch = "40-main-queues/kueue/manager.yaml";
        let manager = object(&out, patch, "Deployment", "kueue-controller-manager");
        manager["spec"]["template"]["metadata"]["annotations"]["slipform/configuration"].clone()
    };
    let own = digest(configured(""));
    assert_eq!(own, digest(configured("  strict = true\n  ")));
    assert_ne!(own, digest(configured("").replace("90m", "30m")));
}

#[test]
fn each_release_brings_its_own_configuration() {
    for (version, qps, kinds) in
        [("0.15.2", 50, 12), ("0.16.2", 50, 16), ("0.18.2", 50, 17), ("0.19.2", 300, 12)]
    {
        let other = format!("[[component]]\nname = \"kueue\"\nversion = \"{version}\"\n");
        let text = configured("");
        let files =
            [("main.bp", text.as_str()), ("catalog.local.toml", &other), ("slipform.toml", "")];
        let out = rendered_in(&files, &["cluster/kueue-fair-alone"]).output;
        let patches = "40-main-queues/kueue/configuration.yaml";
        let map = object(&out, patches, "ConfigMap", "kueue-manager-config");
        let configuration = yaml(map["data"]["controller_manager_config.yaml"].as_str().unwrap());
        assert_eq!(configuration["clientConnection"]["qps"], qps, "{version}");
        let frameworks = configuration["integrations"]["frameworks"].as_sequence().unwrap();
        assert_eq!(frameworks.len(), kinds, "{version}");
    }
}

#[test]
fn a_queue_that_only_lends_has_no_door() {
    let spare = "  queue spare {\n    pools = [gpus]\n    namespaces = []\n    quota = 16\n    cohort = \"all\"\n  }\n";
    let text = configured("  cohort = \"all\"\n  ")
        .replace("  queue all {", &format!("{spare}  queue all {{"));
    let out = rendered(text);
    let queues = "40-main-queues/queues.yaml";
    let lender = object(&out, queues, "ClusterQueue", "spare");
    assert_eq!(lender["spec"].get("namespaceSelector"), None);
    assert_eq!(lender["spec"]["cohortName"], "all");
    let doors = documents(&out, queues);
    let doors = doors.iter().filter(|it| it["kind"] == "LocalQueue");
    let leads: Vec<_> = doors.map(|it| strings_of(&it["spec"]["clusterQueue"])).collect();
    assert_eq!(leads, ["all"]);
}

fn strings_of(value: &serde_yaml::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_cohort_in_another_has_an_object_and_the_outer_one_needs_none() {
    let cohorts =
        "  cohorts = { all = within(\"research\", weight = 2), research = within(\"every\") }\n";
    let text = configured("  cohort = \"all\"\n  ")
        .replace("  pool gpus {", &format!("{cohorts}  pool gpus {{"));
    let out = rendered(text);
    let queues = "40-main-queues/queues.yaml";
    let inner = object(&out, queues, "Cohort", "all");
    assert_eq!(inner["spec"], yaml("{parentName: research, fairSharing: {weight: 2}}"));
    assert_eq!(object(&out, queues, "Cohort", "research")["spec"], yaml("{parentName: every}"));
    let all = documents(&out, queues);
    assert_eq!(all.iter().filter(|it| it["kind"] == "Cohort").count(), 2);
}
