//! What a cluster holds before any workload.

use super::samples::{base, cluster, gpus, pool, queue, tpus, workload};
use super::{documents, file, jobset, object, rendered, strings, yaml};
use crate::testing::{Blueprint, record, seconds, variant};
use slipform_model::Value;

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

#[test]
fn only_flavors_of_queued_capacity_wait_for_nodes() {
    let capacity = variant("queued", &[("max", seconds(86_400))]);
    let (mut blueprint, base, queued) = tpus(&[("capacity", capacity)]);
    let cluster = blueprint.model.get(queued).unwrap().parent.unwrap();
    let topology = ("topology", crate::testing::topology("4x4"));
    let owned = pool(&mut blueprint, cluster, "owned", "ct5lp-hightpu-4t", &[topology]);
    queue(&mut blueprint, cluster, "tpus", &[owned, queued], &[]);
    workload(&mut blueprint, &base, "long", queued, &[("slices", 2.into())]);
    workload(
        &mut blueprint,
        &base,
        "short",
        queued,
        &[("slices", 2.into()), ("max_run", seconds(600))],
    );
    let out = rendered(blueprint);
    let strategy =
        &object(&out, QUEUES, "ClusterQueue", "tpus")["spec"]["admissionChecksStrategy"].clone();
    assert_eq!(*strategy, yaml("{admissionChecks: [{name: v5e, onFlavors: [v5e]}]}"));
    let check = object(&out, QUEUES, "AdmissionCheck", "v5e");
    assert_eq!(check["spec"]["controllerName"], "kueue.x-k8s.io/provisioning-request");
    let config = object(&out, QUEUES, "ProvisioningRequestConfig", "v5e");
    assert_eq!(config["spec"]["managedResources"], yaml("[google.com/tpu]"));
    assert_eq!(config["spec"]["parameters"]["tpu-topology"], "4x4");
    let tolerated = object(&out, QUEUES, "ResourceFlavor", "v5e")["spec"]["tolerations"].clone();
    assert!(
        tolerated
            .as_sequence()
            .unwrap()
            .iter()
            .any(|it| it["key"] == "cloud.google.com/gke-queued")
    );
    for (name, longest) in [("long", "86400"), ("short", "600")] {
        let annotations = &jobset(&out, name)["metadata"]["annotations"].clone();
        assert_eq!(annotations["provreq.kueue.x-k8s.io/maxRunDurationSeconds"], longest);
    }
}

#[test]
fn queues_that_disagree_about_a_priority_have_their_own() {
    let (mut blueprint, base, pool) = tpus(&[]);
    let cluster = blueprint.model.get(pool).unwrap().parent.unwrap();
    let weights = |high: i64| [("priorities", record(&[("low", 1.into()), ("high", high.into())]))];
    queue(&mut blueprint, cluster, "one", &[pool], &weights(10));
    let other = queue(&mut blueprint, cluster, "two", &[pool], &weights(20));
    let fields =
        [("slices", 2.into()), ("queue", blueprint.to(other)), ("priority", "high".into())];
    workload(&mut blueprint, &base, "run", pool, &fields);
    let out = rendered(blueprint);
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
    object(&out, path, "DaemonSet", "device-injector");

    let out = rendered(gpus("a3-ultragpu-8g", 4));
    let plugin = object(&out, path, "DaemonSet", "nccl-rdma-installer");
    let install = &plugin["spec"]["template"]["spec"]["initContainers"][0];
    let script = install["args"][0].as_str().unwrap();
    assert!(
        script.contains("cp -r /var/lib/gib/. /target/0\ncp -r /var/lib/gib/lib64/. /target/1\n"),
        "{script}"
    );
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
    let models = object(&out, path, "PersistentVolume", "a3m-team-a-models");
    assert_eq!(models["spec"]["nfs"], yaml("{server: 10.0.0.5, path: /exports/models}"));
    assert_eq!(file(&out, "40-a3m-queues/deferred.env"), "HOME_ADDRESS=set-by-terraform\n");
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
}

#[test]
fn a_cluster_without_queues_needs_jobset_alone() {
    let (mut blueprint, base, pool) = tpus(&[]);
    workload(&mut blueprint, &base, "run", pool, &[("slices", 2.into())]);
    let out = rendered(blueprint);
    let script = file(&out, "40-a3m-queues/install.sh");
    assert!(script.contains("jobset-system") && !script.contains("kueue"), "{script}");
    assert!(!script.contains("kubectl apply --server-side -k"), "nothing to apply: {script}");
    assert!(
        !out.artifacts.iter().any(|artifact| artifact.path == "40-a3m-queues/kustomization.yaml")
    );
}

#[test]
fn patches_reach_the_queue_and_its_flavors() {
    let (mut blueprint, _, pool) = tpus(&[]);
    let cluster = blueprint.model.get(pool).unwrap().parent.unwrap();
    let queue = queue(&mut blueprint, cluster, "tpus", &[pool], &[]);
    let weight = record(&[("spec", record(&[("fairSharing", record(&[("weight", 2.into())]))]))]);
    blueprint.patch(queue, "cluster_queue", weight);
    let labels = record(&[("spec", record(&[("nodeLabels", record(&[("rack", "r1".into())]))]))]);
    blueprint.patch(pool, "flavor", labels);
    let out = rendered(blueprint);
    assert_eq!(object(&out, QUEUES, "ClusterQueue", "tpus")["spec"]["fairSharing"]["weight"], 2);
    let labels = object(&out, QUEUES, "ResourceFlavor", "v5e")["spec"]["nodeLabels"].clone();
    assert_eq!(
        (labels["rack"].as_str(), labels["cloud.google.com/gke-tpu-topology"].as_str()),
        (Some("r1"), Some("4x4"))
    );
}

#[test]
fn what_is_not_there_is_not_written() {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint);
    let id = cluster(&mut blueprint, &base, &[("namespace", Value::from("research"))]);
    pool(&mut blueprint, id, "gpus", "a3-megagpu-8g", &[("nodes", 1.into())]);
    blueprint.at(id).existing = true;
    let out = rendered(blueprint);
    let paths: Vec<_> = out.artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    assert!(
        !paths
            .iter()
            .any(|path| path.ends_with("networks.yaml") || path.ends_with("installers.yaml")),
        "{paths:?}"
    );
    object(&out, "40-a3m-queues/namespaces.yaml", "Namespace", "research");
}
