//! JobSets: gangs, fabrics, launches, mounts, overlays, patches.

use super::samples::{GPUS, cluster, gpus, pool, run, tpus, workload};
use super::{container, documents, env, file, job, jobset, object, pod, rendered, strings, yaml};
use serde_yaml::Value as Yaml;
use slipform_targets::document::to_node;
use slipform_targets::schema::Shape;
use slipform_tests::text::{rendered_in, rendered_unjudged};

#[test]
fn every_object_has_the_shape_that_its_consumer_accepts() {
    let machines = [
        "a3-megagpu-8g",
        "a3-highgpu-8g",
        "a3-ultragpu-8g",
        "a4-highgpu-8g",
        "a4x-highgpu-4g",
        "a4x-maxgpu-4g-metal",
        "g2-standard-96",
    ];
    for machine in machines {
        let out = rendered(gpus(machine, 4));
        let mut checked = 0;
        for artifact in &out.artifacts {
            if artifact.path.extension() != Some("yaml") {
                continue;
            }
            for document in documents(&out, artifact.path.as_str()) {
                let Some(shape) = document["kind"].as_str().and_then(Shape::of) else { continue };
                assert_eq!(
                    shape.check(&to_node(&document).unwrap()),
                    [],
                    "{machine} {}",
                    artifact.path
                );
                checked += 1;
            }
        }
        assert!(checked > 12, "{machine}: {checked} objects");
    }
}

#[test]
fn a_gang_is_one_job_that_fails_and_restarts_as_one() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    assert_eq!(jobset["apiVersion"], "jobset.x-k8s.io/v1alpha2");
    assert_eq!(
        jobset["spec"]["network"],
        yaml("{enableDNSHostnames: true, publishNotReadyAddresses: true}")
    );
    let main = job(&jobset, "node");
    let spec = &main["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    assert_eq!((spec["parallelism"].as_i64(), spec["completions"].as_i64()), (Some(4), Some(4)));
    assert_eq!(spec["backoffLimit"], 0);
    assert_eq!(spec["activeDeadlineSeconds"], Yaml::Null, "the queue counts");
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    assert_eq!(spec["template"]["spec"]["terminationGracePeriodSeconds"], 300);

    let policy = &jobset["spec"]["failurePolicy"];
    assert_eq!(policy["maxRestarts"], 3);
    let actions: Vec<_> = policy["rules"]
        .as_sequence()
        .unwrap()
        .iter()
        .map(|rule| rule["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["FailJobSet", "RestartJobSetAndIgnoreMaxRestarts"]);
}

#[test]
fn admission_is_asked_for_on_the_jobset_alone() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    let labels = &jobset["metadata"]["labels"];
    assert_eq!(labels["kueue.x-k8s.io/queue-name"], "research");
    assert_eq!(labels["kueue.x-k8s.io/priority-class"], "high");
    assert_eq!(labels["kueue.x-k8s.io/max-exec-time-seconds"], "86400");
    assert_eq!(labels["team"], "llm");
    for name in ["node", "uploader"] {
        let text = serde_yaml::to_string(&pod(&jobset, name)["metadata"]).unwrap();
        assert!(!text.contains("queue-name") && !text.contains("priority"), "{text}");
    }
}

#[test]
fn a_side_job_neither_holds_the_run_open_nor_ends_it() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    assert_eq!(
        jobset["spec"]["successPolicy"],
        yaml("{operator: All, targetReplicatedJobs: [node]}")
    );
    for rule in jobset["spec"]["failurePolicy"]["rules"].as_sequence().unwrap() {
        assert_eq!(rule["targetReplicatedJobs"], yaml("[node]"));
    }
    let beside = pod(&jobset, "uploader");
    assert_eq!(beside["spec"]["restartPolicy"], "OnFailure");
    assert_eq!(beside["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"], "cpus");
    assert_eq!(
        container(&jobset, "uploader")["resources"],
        yaml("{requests: {cpu: 1, memory: 2Gi}}")
    );
    assert_eq!(job(&jobset, "uploader")["metadata"], Yaml::Null);
}

#[test]
fn tcpxo_has_its_daemon_devices_interfaces_and_profile() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    let annotations = &pod(&jobset, "node")["metadata"]["annotations"];
    let interfaces: serde_json::Value =
        serde_json::from_str(annotations["networking.gke.io/interfaces"].as_str().unwrap())
            .unwrap();
    let pairs: Vec<_> = interfaces
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["interfaceName"].as_str().unwrap(), it["network"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs.len(), 9);
    assert_eq!((pairs[0], pairs[8]), (("eth0", "default"), ("eth8", "vpc8")));
    let devices = yaml(annotations["devices.gke.io/container.tcpxo-daemon"].as_str().unwrap());
    assert!(devices.as_sequence().unwrap().contains(&yaml("{path: /dev/dmabuf_import_helper}")));

    let daemon = &pod(&jobset, "node")["spec"]["initContainers"][0];
    assert_eq!(
        (daemon["name"].as_str(), daemon["restartPolicy"].as_str()),
        (Some("tcpxo-daemon"), Some("Always"))
    );
    assert_eq!(
        daemon["securityContext"]["capabilities"]["add"],
        yaml("[NET_ADMIN, NET_BIND_SERVICE]")
    );

    let main = container(&jobset, "node");
    let script = main["command"][2].as_str().unwrap();
    let profile = "/usr/local/nvidia/lib64/nccl-env-profile.sh";
    assert!(
        script.starts_with(&format!("set -e\ninstalled={profile}.complete\n"))
            && script.ends_with(&format!("fi\nsource {profile}\nexec \"$@\"\n")),
        "{script}"
    );
    assert_eq!(env(main, "NCCL_LIB_DIR"), "/usr/local/nvidia/lib64");
    let names: Vec<_> =
        main["env"].as_sequence().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(!names.contains(&"NCCL_PROTO"), "the script sets the profile");
    assert_eq!(
        main["resources"]["limits"]["nvidia.com/gpu"],
        main["resources"]["requests"]["nvidia.com/gpu"]
    );
}

#[test]
fn tcpx_has_no_script_so_its_profile_is_in_the_environment() {
    let out = rendered(gpus("a3-highgpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    let main = container(&jobset, "node");
    assert_eq!(main["args"][0], "torchrun");
    let script = main["command"][2].as_str().unwrap();
    assert!(
        script.contains("installed=/usr/local/nvidia/lib64/libnccl-net.so.complete\n")
            && !script.contains("source "),
        "{script}"
    );
    assert_eq!(env(main, "NCCL_PROTO"), "Simple");
    assert_eq!(env(main, "NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX"), "/tmp");
    let socket = |container: &Yaml| {
        let mounts = container["volumeMounts"].as_sequence().unwrap();
        mounts.iter().find(|mount| mount["name"] == "tcpx-socket").unwrap()["mountPath"].clone()
    };
    assert_eq!(socket(main), "/tmp");
    assert_eq!(socket(&pod(&jobset, "node")["spec"]["initContainers"][0]), "/run/tcpx");
}

#[test]
fn gpus_that_share_memory_over_nodes_claim_their_domain_twice() {
    let out = rendered(gpus("a4x-maxgpu-4g-metal", 4));
    let path = "50-workloads/pretrain/base/jobset.yaml";
    let domain = object(&out, path, "ComputeDomain", "pretrain");
    assert_eq!(domain["spec"]["numNodes"], 4);
    let template = &domain["spec"]["channel"]["resourceClaimTemplate"]["name"];
    let rdma = object(&out, path, "ResourceClaimTemplate", "pretrain-rdma");
    assert_eq!(rdma["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"], 8);
    let jobset = jobset(&out, "pretrain");
    let claims = &pod(&jobset, "node")["spec"]["resourceClaims"];
    assert_eq!(claims[0]["resourceClaimTemplateName"], *template);
    assert_eq!(claims[1]["resourceClaimTemplateName"], "pretrain-rdma");
    let names = yaml("[{name: compute-domain-channel}, {name: rdma}]");
    assert_eq!(container(&jobset, "node")["resources"]["claims"], names);
    assert!(
        pod(&jobset, "node")["metadata"]["annotations"]
            .get("networking.gke.io/interfaces")
            .is_none()
    );
}

#[test]
fn torchrun_meets_at_the_first_pod() {
    let out = rendered(gpus("a3-ultragpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    let main = container(&jobset, "node");
    assert_eq!(env(main, "MASTER_ADDR"), "pretrain-node-0-0.pretrain");
    let args = strings(&main["args"]);
    assert_eq!(
        args[..9],
        [
            "torchrun",
            "--nnodes=4",
            "--nproc-per-node=8",
            "--node-rank=$(NODE_RANK)",
            "--master-addr=$(MASTER_ADDR)",
            "--master-port=$(MASTER_PORT)",
            "pretrain_gpt.py",
            "--max_steps=10",
            "--fast",
        ]
    );
    assert!(!args.iter().any(|word| word.contains("slow")), "{args:?}");
}

#[test]
fn one_node_needs_no_rendezvous() {
    let small = workload("small", "gpus", "nodes = 1\nlaunch = torchrun(\"pretrain_gpt.py\")");
    let out = rendered_unjudged(&(cluster("cluster", GPUS) + &small));
    insta::assert_snapshot!(out.shown(&["50-workloads/small/base/jobset.yaml"]));
}

/// Who meets where the ranks are dealt needs no rank, nor a script that counts it over slices.
#[test]
fn launchers_may_agree_on_their_ranks() {
    let out = rendered(run("launch = torchrun(\"train.py\", rendezvous = \"c10d\")"));
    let run = jobset(&out, "run");
    let main = container(&run, "node");
    let args = strings(&main["args"]);
    assert_eq!(
        args[..6],
        [
            "torchrun",
            "--nnodes=4",
            "--nproc-per-node=8",
            "--rdzv-backend=c10d",
            "--rdzv-endpoint=$(MASTER_ADDR):$(MASTER_PORT)",
            "--rdzv-id=run-$(RESTART_ATTEMPT)",
        ]
    );
    let attempt =
        main["env"].as_sequence().unwrap().iter().find(|it| it["name"] == "RESTART_ATTEMPT");
    let path = &attempt.unwrap()["valueFrom"]["fieldRef"]["fieldPath"];
    assert_eq!(path, "metadata.labels['jobset.sigs.k8s.io/restart-attempt']");
    let xla = "slices = 2\nlaunch = torchrun(\"train.py\", rendezvous = \"c10d\")";
    let sliced = jobset(&rendered(tpus("", "") + &workload("xla", "v5e", xla)), "xla");
    assert_eq!(container(&sliced, "slice")["command"], yaml("[torchrun]"));
}

#[test]
fn options_are_spelled_with_dashes_or_without() {
    let args = |options: &str| {
        let launch = format!(
            "launch = python(\"main.py\", argv = [\"fit\"], args = {{ a = 1, b = true, c = false, d = \"x y\" }}{options})"
        );
        strings(&container(&jobset(&rendered(run(&launch)), "run"), "node")["args"]).join(";")
    };
    assert!(args("").ends_with("python3;main.py;fit;--a=1;--b;--d=x y"));
    let plain = args(", options = \"plain\"");
    assert!(plain.ends_with("python3;main.py;fit;a=1;b=true;c=false;d=x y"), "{plain}");
}

#[test]
fn an_entry_point_starts_without_a_command() {
    let fields = "launch = entrypoint([\"--port\", 8000])\nfabric = \"off\"";
    let run = jobset(&rendered(run(fields)), "run");
    let main = container(&run, "node");
    assert_eq!(main["command"], Yaml::Null);
    assert_eq!(main["args"], yaml("[--port, '8000']"));
    assert_eq!(env(main, "MASTER_ADDR"), "run-node-0-0.run");
}

#[test]
fn ranks_are_told_to_every_process_of_srun_and_mpirun() {
    let out = rendered(gpus("a3-ultragpu-8g", 4));
    let ranks = jobset(&out, "ranks");
    let main = container(&ranks, "node");
    let script = main["command"][2].as_str().unwrap();
    assert!(
        script.contains("exit 75\nfi\nsource /usr/local/gib/scripts/set_nccl_env.sh\n")
            && script.contains("RANK=$rank LOCAL_RANK=")
    );
    assert_eq!(main["args"], yaml("[python3, \"it's.py\"]"));
    assert_eq!(
        (env(main, "WORLD_SIZE"), env(main, "LOCAL_WORLD_SIZE")),
        (&yaml("'16'"), &yaml("'8'"))
    );

    let bandwidth = jobset(&out, "bandwidth");
    let main = container(&bandwidth, "node");
    assert_eq!(env(main, "HOST_PREFIX"), "bandwidth-node-0-");
    assert_eq!(env(main, "HOST_SUFFIX"), ".bandwidth");
    assert_eq!(main["ports"], yaml("[{containerPort: 222}]"));
    assert_eq!(main["args"], yaml("[all_gather_perf, -b, '8']"));
    let volumes = pod(&bandwidth, "node")["spec"]["volumes"].as_sequence().unwrap();
    assert!(volumes.contains(&yaml(
        "{name: mpi-ssh, secret: {secretName: bandwidth-ssh, defaultMode: 256, optional: true}}"
    )));
}

#[test]
fn slices_have_a_node_pool_each_and_the_network_of_their_nodes() {
    let text = tpus("", "")
        + &workload("multi", "v5e", "slices = 2")
        + &workload("named", "v5e", "slices = 2\nidentity = trainer");
    let out = rendered(text);
    let multi = jobset(&out, "multi");
    assert!(multi["metadata"].get("annotations").is_none());
    let exclusive = yaml(
        "{annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}}",
    );
    assert_eq!(job(&multi, "slice")["metadata"], exclusive);
    assert_eq!(multi["spec"]["replicatedJobs"][0]["replicas"], 2);
    let spec = &pod(&multi, "slice")["spec"];
    assert_eq!(spec["hostNetwork"], true);
    assert_eq!(spec["dnsPolicy"], "ClusterFirstWithHostNet");
    assert_eq!(spec["nodeSelector"]["cloud.google.com/gke-tpu-topology"], "4x4");
    let main = container(&multi, "slice");
    assert_eq!(
        main["resources"],
        yaml(
            "{limits: {google.com/tpu: 4, memory: 181Gi}, requests: {google.com/tpu: 4, cpu: 98, memory: 158Gi}}"
        )
    );
    assert_eq!(
        (main["command"].clone(), main["args"].clone()),
        (yaml("[python3]"), yaml("[train.py]"))
    );

    let named = jobset(&out, "named");
    let spec = &pod(&named, "slice")["spec"];
    assert_eq!(spec["serviceAccountName"], "trainer");
    assert!(spec.get("hostNetwork").is_none(), "Workload Identity does not reach host networks");
    assert!(file(&out, "50-workloads/named/base/jobset.yaml").contains("# no hostNetwork: "));
}

#[test]
fn torchrun_counts_nodes_over_slices() {
    let xla = workload("xla", "v5e", "slices = 2\nlaunch = torchrun(\"pretrain_gpt.py\")");
    let out = rendered(tpus("", "") + &xla);
    let jobset = jobset(&out, "xla");
    let main = container(&jobset, "slice");
    assert!(
        main["command"][2]
            .as_str()
            .unwrap()
            .contains("PET_NODE_RANK=\"JOB_INDEX * NODES_PER_SLICE + JOB_COMPLETION_INDEX\"")
    );
    assert_eq!(env(main, "NODES_PER_SLICE"), "4");
    assert!(!strings(&main["args"]).contains(&"--node-rank=$(NODE_RANK)"));
}

#[test]
fn ranks_are_counted_over_slices() {
    let fields =
        "slices = 2\nlaunch = srun([\"bash\", \"-c\", \"echo \\$RANK\"])\nfabric = \"off\"";
    let jobset = jobset(&rendered(run(fields)), "run");
    let main = container(&jobset, "node");
    let numbers = [("JOB_INDEX", "1"), ("NODES_PER_SLICE", "2"), ("JOB_COMPLETION_INDEX", "1")];
    let variables = [&numbers[..], &[("LOCAL_WORLD_SIZE", "1")]].concat();
    assert_eq!(started(main, &variables), ("3\n".to_owned(), 0));
    assert_eq!(env(main, "NODES_PER_SLICE"), "2");
}

#[test]
fn mounts_become_volumes() {
    let mounts = "nodes = 1
mounts = [
  mount(data, \"/data\"),
  mount(data, \"/ckpt\", folder = \"/runs/1/\", read_only = true, use = \"checkpoints\"),
  mount(scratch(100GiB), \"/scratch\"),
]";
    let out = rendered_unjudged(&run(mounts));
    insta::assert_snapshot!(out.shown(&["50-workloads/run/base/jobset.yaml"]));
}

#[test]
fn deferred_values_have_one_way_to_their_places() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let folder = "50-workloads/pretrain/base";
    let script = file(&out, &format!("{folder}/fill-deferred.sh"));
    assert!(
        script.contains("value=\"$(output ../../../10-foundation home_address)\"\n"),
        "{script}"
    );
    let kustomization = &documents(&out, &format!("{folder}/kustomization.yaml"))[0];
    assert_eq!(kustomization["configMapGenerator"][0]["envs"], yaml("[deferred.env]"));
    let jobset = jobset(&out, "pretrain");
    let mut places = 0;
    for replacement in kustomization["replacements"].as_sequence().unwrap() {
        for target in replacement["targets"].as_sequence().unwrap() {
            let path = target["fieldPaths"][0].as_str().unwrap();
            let name = path.rsplit("[name=").next().unwrap().trim_end_matches("].value");
            assert!(path.starts_with("spec.replicatedJobs.[name=node].template.spec.template.spec.containers.[name=node].env."));
            assert_eq!(env(container(&jobset, "node"), name), "set-by-terraform");
            places += 1;
        }
    }
    assert_eq!(places, 3);
    let unfilled = out.artifacts.iter().all(|it| it.path.file_name() != Some("deferred.env"));
    assert!(unfilled, "Kustomize must refuse a folder until somebody has filled it");
    assert!(
        strings(&container(&jobset, "node")["args"]).contains(&"--board=$(DEFERRED_RUNS_RESOURCE)")
    );
}

#[test]
fn a_clusters_endpoint_is_asked_of_the_clusters_own_root() {
    let out = rendered(run("nodes = 1\nenv = { API = a3m.endpoint }"));
    assert!(
        file(&out, "50-workloads/run/base/fill-deferred.sh")
            .contains("$(output ../../../30-a3m a3m_endpoint)")
    );
}

#[test]
fn an_overlay_names_its_environment_and_images() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let overlay = &documents(&out, "50-workloads/pretrain/overlays/default/kustomization.yaml")[0];
    assert_eq!(overlay["resources"], yaml("[../../base]"));
    assert_eq!(
        overlay["images"][0],
        yaml("{name: us-east4-docker.pkg.dev/my-project-1/training/nemo, newTag: v1}")
    );
    assert_eq!(overlay["images"][1], yaml("{name: python, newTag: '3.12'}"));
    let patch = &overlay["patches"][0];
    assert_eq!(
        patch["target"],
        yaml("{group: jobset.x-k8s.io, version: v1alpha2, kind: JobSet, name: pretrain}")
    );
    let operations = yaml(patch["patch"].as_str().unwrap());
    assert_eq!(operations.as_sequence().unwrap().len(), 3);
    assert_eq!(
        operations[0],
        yaml("{op: add, path: /metadata/labels/environment, value: default}")
    );
}

#[test]
fn a_patch_is_merged_into_the_jobset() {
    let patch = r#"nodes = 1
allow patch/owned "less memory for a test"
patch jobset {
  spec = {
    ttlSecondsAfterFinished = 1h,
    replicatedJobs = [{
      name = "node",
      template = { spec = { template = { spec = {
        containers = [{ name = "node", resources = { requests = { memory = 80GiB }, limits = { memory = 80GiB } } }]
      } } } }
    }]
  }
}"#;
    let out = rendered_unjudged(&run(patch));
    insta::assert_snapshot!(out.shown(&["50-workloads/run/base/jobset.yaml"]));
}

#[test]
fn an_older_jobset_gets_no_rule_that_it_does_not_know() {
    let older = "[[component]]\nname = \"jobset\"\nversion = \"0.9.0\"\n";
    let text = gpus("a3-megagpu-8g", 4);
    let rules = slipform_analysis::explain_rules();
    let codes: Vec<&str> = rules.iter().map(|rule| rule.code.as_str()).collect();
    let files = [("main.bp", text.as_str()), ("catalog.local.toml", older), ("slipform.toml", "")];
    let out = rendered_in(&files, &codes).output;
    let jobset = jobset(&out, "pretrain");
    let rules = jobset["spec"]["failurePolicy"]["rules"].as_sequence().unwrap();
    let names: Vec<_> = rules.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["disrupted"]);
    let policy = &job(&jobset, "node")["spec"]["podFailurePolicy"]["rules"];
    assert_eq!(
        *policy,
        yaml("[{action: FailJob, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}]")
    );
}

#[test]
fn torchrun_lets_its_workers_end_in_the_time_that_the_pod_has() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let with_torchrun = jobset(&out, "pretrain");
    assert_eq!(*env(container(&with_torchrun, "node"), "TORCH_ELASTIC_SHUTDOWN_TIMEOUT"), "300");
    let text = serde_yaml::to_string(&jobset(&out, "bandwidth")).unwrap();
    assert!(!text.contains("TORCH_ELASTIC"), "{text}");

    let own = "nodes = 2
launch = torchrun(\"pretrain_gpt.py\")
env = { TORCH_ELASTIC_SHUTDOWN_TIMEOUT = 60 }";
    let jobset = jobset(&rendered(run(own)), "run");
    assert_eq!(*env(container(&jobset, "node"), "TORCH_ELASTIC_SHUTDOWN_TIMEOUT"), "60");
}

#[test]
fn pods_on_spot_nodes_have_the_time_that_those_leave() {
    let spot = pool("cheap", "g2-standard-48", "nodes = 2\n capacity = spot");
    let text = cluster("cluster", &spot) + &workload("run", "cheap", "nodes = 2");
    let jobset = jobset(&rendered(text), "run");
    assert_eq!(pod(&jobset, "node")["spec"]["terminationGracePeriodSeconds"], 25);
}

#[test]
fn an_account_without_rights_shows_no_token() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let token = |name: &str| {
        let jobset = jobset(&out, name);
        pod(&jobset, "node")["spec"]["automountServiceAccountToken"].clone()
    };
    assert_eq!((token("bandwidth"), token("pretrain")), (false.into(), Yaml::Null));
}

#[test]
fn the_sidecar_of_buckets_is_not_starved() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    for name in ["node", "uploader"] {
        for bound in ["cpu-limit", "memory-limit", "ephemeral-storage-limit"] {
            let annotations = &pod(&jobset, name)["metadata"]["annotations"];
            assert_eq!(annotations[format!("gke-gcsfuse/{bound}").as_str()], "0", "{name}");
        }
    }
}

#[test]
fn a_side_job_that_always_fails_never_restarts_the_run() {
    let out = rendered(gpus("a3-megagpu-8g", 4));
    let jobset = jobset(&out, "pretrain");
    assert_eq!(job(&jobset, "uploader")["spec"]["backoffLimit"], i32::MAX);
}

/// What the run knows of itself is read from the pod; text that spells one of its words stays text.
#[test]
fn pods_are_told_what_their_run_knows() {
    let fields = r#"launch = command(["run_id", "int", run_id, node_rank, attempt, node_count, host(side), host(run)])
env = { RUN = run_id, SLICE = slice_index, TEXT = "attempt", HEAD = host(side) }
fabric = "off"
group side on a3m.gpus {
  image = "a:1"
  launch = command(["true"])
  cpus = 1
  memory = 1GiB
  accelerators = 0
}"#;
    let run = jobset(&rendered_unjudged(&run(&format!("nodes = 3\n{fields}"))).output, "run");
    let main = container(&run, "node");
    let words: Vec<String> = [strings(&main["command"]), strings(&main["args"])]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        words,
        [
            "run_id",
            "int",
            "$(KNOWN_RUN_ID)",
            "$(KNOWN_NODE_RANK)",
            "$(KNOWN_ATTEMPT)",
            "3",
            "run-side-0-0.run",
            "run-node-0-0.run",
        ]
    );
    let env = main["env"].as_sequence().unwrap();
    let of = |name: &str| env.iter().find(|it| it["name"] == name).unwrap();
    let path = |name: &str| of(name)["valueFrom"]["fieldRef"]["fieldPath"].as_str().unwrap();
    let uid = "metadata.labels['jobset.sigs.k8s.io/jobset-uid']";
    assert_eq!((path("KNOWN_RUN_ID"), path("RUN")), (uid, uid));
    assert_eq!(path("KNOWN_ATTEMPT"), "metadata.labels['jobset.sigs.k8s.io/restart-attempt']");
    assert_eq!(path("SLICE"), "metadata.annotations['jobset.sigs.k8s.io/job-index']");
    assert_eq!(
        (&of("TEXT")["value"], &of("HEAD")["value"]),
        (&yaml("attempt"), &yaml("run-side-0-0.run"))
    );
}

/// What a container runs, with the words that it is given.
fn started(container: &Yaml, variables: &[(&str, &str)]) -> (String, i32) {
    let words = [strings(&container["command"]), strings(&container["args"])].concat();
    let mut program = std::process::Command::new(words[0]);
    program.args(words[1..].iter().map(|word| word.replace("$$", "$")));
    let output = program.envs(variables.iter().copied()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

#[test]
fn each_node_is_prepared_and_cleaned_up_once() {
    let fields = r#"setup = [["echo", "it's", "$(x)"], ["echo", "second"]]
cleanup = [["false"], ["echo", "last", "$HOME"]]
fabric = "off""#;
    let of = |launch: &str| {
        let run = jobset(&rendered(run(&format!("{fields}\nlaunch = {launch}"))), "run");
        let ranks = [("NODE_RANK", "0"), ("LOCAL_WORLD_SIZE", "2")];
        started(container(&run, "node"), &ranks)
    };
    let failed = of(r#"command(["bash", "-c", "echo run; exit 4"])"#);
    assert_eq!(failed, ("it's $(x)\nsecond\nrun\nlast $HOME\n".to_owned(), 4));
    let (ranks, status) = of(r#"srun(["echo", "rank"])"#);
    assert_eq!((ranks.as_str(), status), ("it's $(x)\nsecond\nrank\nrank\nlast $HOME\n", 0));
    let refused = r#"setup = [["false"]]
fabric = "off"
launch = command(["echo", "never"])"#;
    let run = jobset(&rendered(run(refused)), "run");
    assert_eq!(started(container(&run, "node"), &[]), (String::new(), 1));
}
