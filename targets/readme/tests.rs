//! The page as it is read.

mod lent;

use crate::render;
use crate::testing::{Blueprint, cidr, list, mount, python, record, seconds, variant};
use slipform_model::nouns::Body;

/// One workload on each platform.
fn everywhere() -> Blueprint {
    let mut blueprint = Blueprint::new();
    let network = blueprint.noun(
        "network",
        "fabric",
        &[
            ("region", "us-east4".into()),
            ("pods", cidr("10.64.0.0/14")),
            ("services", cidr("10.128.0.0/20")),
        ],
    );
    let push_to =
        variant("registry", &[("location", "us-east4".into()), ("repository", "training".into())]);
    let image = [
        ("from", "nvcr.io/nvidia/nemo:24.07".into()),
        ("push_to", push_to),
        ("copy", record(&[("src", "/app".into())])),
    ];
    let image = blueprint.noun("image", "nemo", &image);
    let network = [("network", blueprint.to(network)), ("zone", "us-east4-a".into())];
    let gke = blueprint.noun("cluster on gke", "a3m", &network);
    let pool = blueprint.inside(
        gke,
        "pool",
        "gpus",
        &[("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())],
    );
    let hpc = blueprint.noun("cluster on slurm", "hpc", &[]);
    let partition = blueprint.inside(
        hpc,
        "partition",
        "gpu",
        &[("machine", "hgx-h100".into()), ("nodes", 2.into())],
    );
    let managed = [("region", "us-east4".into()), ("machine", "a3-megagpu-8g".into())];
    let managed = blueprint.noun("cluster on vertex", "managed", &managed);
    for (name, place) in [("on-gke", pool), ("on-slurm", partition), ("on-vertex", managed)] {
        let fields = [
            ("place", blueprint.to(place)),
            ("image", blueprint.to(image)),
            ("nodes", 2.into()),
            ("launch", python()),
        ];
        blueprint.noun("workload", name, &fields);
    }
    blueprint
}

fn page(blueprint: Blueprint, only: &[&str]) -> Option<String> {
    let out = render(&blueprint.plan(), only);
    out.artifacts.into_iter().find(|it| it.path == "README.md").map(|it| it.content)
}

#[test]
fn the_last_step_names_terraform_only_where_there_is_some() {
    let mut blueprint = Blueprint::new();
    let hpc = blueprint.noun("cluster on slurm", "hpc", &[]);
    let machine = [("machine", "hgx-h100".into()), ("nodes", 2.into())];
    blueprint.inside(hpc, "partition", "gpu", &machine);
    let shown = |blueprint| page(blueprint, &[]).unwrap_or_default();
    let (slurm, all) = (shown(blueprint), shown(everywhere()));
    assert!(slurm.contains("## Tear down\n\nThe other way round.\n"), "{slurm}");
    assert!(!slurm.to_lowercase().contains("terraform"), "{slurm}");
    assert!(all.contains("Clusters are protected"), "{all}");
    assert!(all.contains("The bucket of Terraform's state stays"), "{all}");
    assert!(!all.contains("gcloud storage rm") && !all.contains("and filesystems are"), "{all}");
    let mut blueprint = everywhere();
    blueprint.noun("bucket", "corpus", &[("location", "us-east4".into())]);
    let page = shown(blueprint);
    assert!(page.contains("gcloud storage rm --recursive 'gs://"), "{page}");
}

/// A test and a training on each platform, which read secrets; capacity of each kind.
fn production() -> Blueprint {
    let mut blueprint = everywhere();
    let find = |blueprint: &Blueprint, name: &str| {
        blueprint.model.nouns.iter().find(|noun| noun.path == name).unwrap().id
    };
    let gke = find(&blueprint, "a3m");
    let identity = blueprint.noun("identity", "trainer", &[]);
    let pools = [
        (
            "reserved",
            variant("reservation", &[("name", "projects/shared-1/reservations/a3u".into())]),
        ),
        ("lent", variant("flex_start", &[("max", seconds(86_400))])),
    ];
    for (name, capacity) in pools {
        let machine = if name == "lent" { "g2-standard-96" } else { "a3-ultragpu-8g" };
        let fields = [("machine", machine.into()), ("nodes", 3.into()), ("capacity", capacity)];
        blueprint.inside(gke, "pool", name, &fields);
    }
    for (name, place) in
        [("train-gke", "a3m.lent"), ("train-slurm", "hpc.gpu"), ("train-vertex", "managed")]
    {
        let place = find(&blueprint, place);
        let secret = |name: &str, key: &str| {
            variant("secret", &[("name", name.into()), ("key", key.into())])
        };
        let env = record(&[
            ("HF_TOKEN", secret("hf-token", "value")),
            ("WANDB_KEY", secret("wandb", "api")),
        ]);
        let fields = [
            ("place", blueprint.to(place)),
            ("image", "python:3.12".into()),
            ("nodes", 1.into()),
            ("launch", python()),
            ("env", env),
            ("identity", blueprint.to(identity)),
        ];
        blueprint.noun("workload", name, &fields);
        let fields = [
            ("place", blueprint.to(place)),
            ("image", "python:3.12".into()),
            ("nodes", 1.into()),
            ("launch", python()),
            ("max_run", seconds(1800)),
            ("test", true.into()),
        ];
        blueprint.noun("workload", &format!("try-{name}"), &fields);
    }
    blueprint
}

fn positions(text: &str, lines: &[&str]) -> Vec<usize> {
    let at = |line: &&str| text.find(*line).unwrap_or_else(|| panic!("no `{line}` in\n{text}"));
    lines.iter().map(at).collect()
}

#[test]
fn what_tests_a_place_is_started_first_and_waited_for() {
    let page = page(production(), &[]).unwrap();
    for steps in [
        &[
            "kubectl apply -k 50-workloads/try-train-gke/overlays/test\n",
            "while state=\"$(kubectl get jobset/try-train-gke --namespace=default --output=jsonpath='{.status.terminalState}')\" && [[ -z \"$state\" ]]; do sleep 30; done\n",
            "kubectl logs --namespace=default --selector='jobset.sigs.k8s.io/jobset-name=try-train-gke",
            "[[ \"$state\" == Completed ]] || { echo 'try-train-gke did not complete: let nothing rest on its nodes' >&2; false; }\n",
            "kubectl apply -k 50-workloads/train-gke/overlays/test\n",
        ][..],
        &[
            "50-workloads/try-train-slurm/submit.sh --wait #",
            "50-workloads/on-slurm/submit.sh #",
            "50-workloads/train-slurm/submit.sh #",
        ],
        &[
            "JOB=\"$(50-workloads/try-train-vertex/submit.sh)\"\n",
            "gcloud ai custom-jobs stream-logs \"$JOB\" --region=us-east4\n",
            "\n50-workloads/train-vertex/submit.sh\n",
        ],
    ] {
        assert!(positions(&page, steps).is_sorted(), "{steps:?}\n{page}");
    }
}

#[test]
fn a_test_that_fails_is_not_waited_for_any_longer() {
    let page = page(production(), &[]).unwrap();
    let waits = page
        .lines()
        .filter(|line| line.starts_with("while state=") || line.starts_with("[[ \"$state"));
    let waits: Vec<_> = waits.take(2).collect();
    // the state is empty twice
    for (state, status) in [("Completed", 0), ("Failed", 1)] {
        let script = format!(
            "kubectl() {{ ((slept > 1)) && printf {state}; true; }}\nslept=0; sleep() {{ slept=$((slept + 1)); }}\n{}",
            waits.join("\n")
        );
        let done = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
        assert_eq!(done.status.code(), Some(status), "{script}");
    }
}

#[test]
fn secrets_are_made_where_workloads_read_them_and_shown_to_nobody() {
    let page = page(production(), &[]).unwrap();
    let lines = [
        "kubectl create secret generic hf-token --namespace=default --from-file=value=<(printf %s \"$HF_TOKEN\")\n",
        "kubectl create secret generic wandb --namespace=default --from-file=api=<(printf %s \"$WANDB_KEY\")\n",
        "mkdir -p -m 700 \"$HOME\"/.secrets/wandb\ninstall -m 600 <(printf %s \"$WANDB_KEY\") \"$HOME\"/.secrets/wandb/api\n",
        "# the value is an object of JSON with the keys api\n",
        "gcloud secrets create hf-token --project=my-project-1 --replication-policy=automatic --data-file=<(printf %s \"$HF_TOKEN\")\n",
        "--member=serviceAccount:trainer@my-project-1.iam.gserviceaccount.com --role=roles/secretmanager.secretAccessor\n",
    ];
    positions(&page, &lines);
    assert!(!page.contains("--from-literal"));
    let first = positions(&page, &["40-a3m-queues/install.sh", lines[0], "kubectl apply -k"]);
    assert!(first.is_sorted(), "namespaces, secrets, workloads");
}

#[test]
fn quotas_follow_from_machines_capacity_and_region() {
    let page = page(production(), &[]).unwrap();
    let rows = [
        "| `GPUS_PER_GPU_FAMILY` with `gpu_family=NVIDIA_H100_MEGA` | us-east4 | 16 |\n",
        "| `PREEMPTIBLE_NVIDIA_L4_GPUS` | us-east4 | 24 |\n",
        "| `GPUS_ALL_REGIONS` | all regions | 40 |\n",
        "| `LOCAL_SSD_TOTAL_GB_PER_VM_FAMILY` with `vm_family=A3` | us-east4 | 12000 |\n",
        "| `custom_model_training_nvidia_h100_mega_gpus` | us-east4 | 16 |\n",
    ];
    positions(&page, &rows);
    assert!(!page.contains("NVIDIA_H200"), "quota was taken when it was reserved");
    let check = "gcloud compute reservations describe a3u --project=shared-1 --zone=us-east4-a ";
    positions(&page, &[check]);
}

#[test]
fn what_stops_a_new_project_first_is_a_quota_too() {
    let page = page(production(), &[]).unwrap();
    let rows = [
        // six nodes of the system with disks of 100 GB, and the boot disks of the pools
        "| `SSD_TOTAL_GB` | us-east4 | 1600 |\n",
        "| `CPUS` | us-east4 | 48 |\n",
        "| `CPUS_ALL_REGIONS` | all regions | 48 |\n",
        "| `NETWORKS` | all regions | 11 |\n",
    ];
    positions(&page, &rows);
}

#[test]
fn who_asks_for_a_reservation_may_do_so() {
    let page = page(production(), &[]).unwrap();
    let steps = [
        "gcloud services enable compute.googleapis.com ",
        "(who asks needs `roles/compute.viewer` in `shared-1` too):",
        "gcloud compute reservations describe a3u --project=shared-1 ",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

#[test]
fn commands_are_those_of_any_shell() {
    let page = page(everywhere(), &[]).unwrap();
    assert!(!page.contains("realpath"), "{page}");
    let step = "_DOCKERFILE=\"${DOCKERFILE#\"$SOURCE\"/}\"\n";
    positions(&page, &["SOURCE=\"$(cd FOLDER && pwd)\"", "DOCKERFILE=\"$PWD\"/20-", step]);
}

#[test]
fn a_new_project_gets_what_terraform_takes_for_granted() {
    let page = page(everywhere(), &[]).unwrap();
    let steps = [
        "| gcloud with `gke-gcloud-auth-plugin` | 502.0.0 |\n",
        "| terraform | 1.9.0 |\n",
        "`roles/container.admin`",
        "gcloud services enable cloudresourcemanager.googleapis.com serviceusage.googleapis.com --project=my-project-1\n",
        "gcloud storage buckets create \"gs://$STATE\" --project=my-project-1 --location=us-east4 --uniform-bucket-level-access --public-access-prevention\n",
        "gcloud storage buckets update \"gs://$STATE\" --versioning\n",
        "terraform -chdir=10-foundation init ",
        "get-credentials a3m --location=us-east4 --project=my-project-1 --dns-endpoint\n",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(!page.contains("helm") && !page.contains("secretmanager"), "{page}");
}

#[test]
fn a_jobset_is_taken_away_before_it_starts_again() {
    let page = page(everywhere(), &[]).unwrap();
    let overlay = "50-workloads/on-gke/overlays/test";
    let again =
        format!("kubectl delete -k {overlay} --ignore-not-found\nkubectl apply -k {overlay}\n");
    positions(&page, &[&again]);
}

#[test]
fn the_page_of_a_production_setup() {
    insta::assert_snapshot!(page(production(), &[]).unwrap());
}

#[test]
fn the_page_says_how_each_platform_is_applied() {
    insta::assert_snapshot!(page(everywhere(), &[]).unwrap());
}

#[test]
fn what_is_not_rendered_is_not_spoken_of() {
    let page = page(everywhere(), &["slurm"]).unwrap();
    assert!(page.contains("50-workloads/on-slurm/submit.sh"));
    for other in ["terraform", "kubectl", "gcloud builds", "gcloud ai"] {
        assert!(!page.contains(other), "{other}");
    }
}

/// Scripts of a cluster that is there already say what they take for granted, before the first of them is submitted.
#[test]
fn an_existing_slurm_cluster_is_made_ready() {
    let mut blueprint = Blueprint::new();
    let hpc = blueprint.existing("cluster on slurm", "hpc", &[("shared", "/home/slipform".into())]);
    let trainer = blueprint.noun("identity", "trainer", &[]);
    let (span, trainer) = (blueprint.at(trainer).span, blueprint.at(trainer).reference().unwrap());
    let Body::SlurmCluster(cluster) = &mut blueprint.at(hpc).body else { panic!("a cluster") };
    cluster.node_identity = Some(slipform_source::Spanned { value: trainer, span });
    let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
    let partition = blueprint.inside(hpc, "partition", "gpu", &machine);
    let data = blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let storage = variant("path", &[("folder", "/mnt/home".into())]);
    let home = blueprint.noun("filesystem", "home", &[("storage", storage)]);
    let mounts = [mount(blueprint.to(data), "/data"), mount(blueprint.to(home), "/results")];
    let fields = [
        ("place", blueprint.to(partition)),
        ("image", "us-east4-docker.pkg.dev/p/r/i:v1".into()),
        ("launch", python()),
        ("mounts", list(mounts)),
    ];
    blueprint.noun("workload", "train", &fields);
    let page = page(blueprint, &[]).unwrap();
    let steps = [
        " --location=us-east4 --uniform-bucket-level-access",
        "terraform -chdir=10-foundation apply",
        "enroot and pyxis on its nodes, and gcsfuse",
        "`/mnt/home`",
        "`trainer@my-project-1.iam.gserviceaccount.com`",
        "sudo install -d -m 1777 /home/slipform /home/slipform/images /home/slipform/logs\n",
        "'machine us-east4-docker.pkg.dev login oauth2accesstoken password $(gcloud auth print-access-token)'",
        "50-workloads/train/submit.sh",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(!page.contains("deletion_protection"), "{page}");
    // a login shell goes on with the modes of files that it had
    assert!(!page.lines().any(|line| line.starts_with("umask")), "{page}");
}

/// What workloads of a cluster take for granted that someone else keeps is said before the first command.
#[test]
fn an_existing_gke_cluster_says_what_it_must_have() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.existing("network", "shared", &[("region", "us-east4".into())]);
    let trainer = blueprint.existing("identity", "trainer", &[]);
    let network = [
        ("network", blueprint.to(network)),
        ("zone", "us-east4-a".into()),
        ("dns_endpoint", true.into()),
    ];
    let cluster = blueprint.existing("cluster on gke", "a3m", &network);
    let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
    let pool = blueprint.inside(cluster, "pool", "gpus", &machine);
    let fields = [("pools", list([blueprint.to(pool)])), ("namespaces", list(["vision".into()]))];
    let queue = blueprint.inside(cluster, "queue", "shared", &fields);
    blueprint.at(queue).existing = true;
    let data = blueprint.existing("bucket", "data", &[("location", "us-east4".into())]);
    let fields = [
        ("place", blueprint.to(pool)),
        ("image", "us-east4-docker.pkg.dev/p/r/i:v1".into()),
        ("nodes", 2.into()),
        ("launch", python()),
        ("identity", blueprint.to(trainer)),
        ("mounts", list([mount(blueprint.to(data), "/data")])),
    ];
    blueprint.noun("workload", "train", &fields);
    let page = page(blueprint, &[]).unwrap();
    let steps = [
        "## Cluster a3m\n\nIt is there already",
        "jobset with the API `jobset.x-k8s.io/",
        "kueue with the API `kueue.x-k8s.io/",
        "`GcsFuseCsiDriver`",
        "the namespaces `vision`",
        "in `vision` the LocalQueue `shared`",
        "`cloud.google.com/gke-nodepool=gpus`",
        "`vpc1`, `vpc2`",
        "`/home/kubernetes/bin/nvidia/lib64/",
        "trainer@my-project-1.iam.gserviceaccount.com --role=roles/iam.workloadIdentityUser --member='serviceAccount:my-project-1.svc.id.goog[vision/trainer]'",
        "gcloud container clusters get-credentials a3m --location=us-east4 --project=my-project-1 --dns-endpoint\n",
        "kubectl apply -k 50-workloads/train/",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

/// Custom jobs that run go on without what made them, so they end first; secrets of this page go last.
#[test]
fn custom_jobs_end_before_what_they_use() {
    let page = page(production(), &[]).unwrap();
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "--filter='displayName=train-vertex AND state:(JOB_STATE_RUNNING JOB_STATE_PENDING JOB_STATE_QUEUED)' \
         --format='value(name)' | xargs -r -n1 gcloud ai custom-jobs cancel\n",
        "gcloud secrets delete hf-token --project=my-project-1\n",
        "terraform -chdir=10-foundation destroy",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
}

/// A reservation says whether Vertex AI may take its machines.
#[test]
fn a_reservation_is_shared_with_vertex() {
    let mut blueprint = Blueprint::new();
    let reserved = variant("reservation", &[("name", "projects/shared-1/reservations/a3m".into())]);
    let fields = [
        ("region", "us-east4".into()),
        ("zone", "us-east4-a".into()),
        ("machine", "a3-megagpu-8g".into()),
        ("capacity", reserved),
    ];
    let managed = blueprint.noun("cluster on vertex", "managed", &fields);
    let place = blueprint.to(managed);
    let fields = [("place", place), ("image", "python:3.12".into()), ("launch", python())];
    blueprint.noun("workload", "train", &fields);
    let page = page(blueprint, &[]).unwrap();
    let steps = [
        "gcloud compute reservations describe a3m --project=shared-1 --zone=us-east4-a ",
        "reservationSharingPolicy)'\n",
        "gcloud compute reservations update a3m --project=shared-1 --zone=us-east4-a --reservation-sharing-policy=ALLOW_ALL\n",
        "50-workloads/train/submit.sh",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

#[test]
fn an_empty_output_has_no_page() {
    assert_eq!(page(Blueprint::new(), &[]), None);
}

#[test]
fn who_nodes_are_is_said_where_somebody_else_keeps_it_and_where_it_can_change() {
    let with = |existing: Option<bool>| {
        let mut blueprint = everywhere();
        let find = |blueprint: &Blueprint, name: &str| {
            blueprint.model.nouns.iter().find(|noun| noun.path == name).unwrap().id
        };
        let gke = find(&blueprint, "a3m");
        let nodes = blueprint.noun("identity", "nodes", &[("account", "gke-nodes".into())]);
        if let Some(existing) = existing {
            blueprint.at(nodes).existing = existing;
            let nodes = blueprint.at(nodes).reference().unwrap();
            let slipform_model::nouns::Body::GkeCluster(cluster) = &mut blueprint.at(gke).body
            else {
                panic!("a cluster")
            };
            let span = cluster.network.span;
            cluster.node_identity = Some(slipform_source::Spanned { value: nodes, span });
        }
        page(blueprint, &[]).unwrap()
    };
    let (own, theirs, ours) = (with(None), with(Some(true)), with(Some(false)));
    let asked = "The service accounts of nodes, `gke-nodes`, are kept by someone else, who grants them \
                 `roles/artifactregistry.reader` and `roles/container.defaultNodeServiceAccount` on the project.";
    assert!(theirs.contains(asked) && !theirs.contains("Another account for nodes"), "{theirs}");
    assert!(ours.contains("Nodes of `a3m` act as identities that `10-foundation` makes"), "{ours}");
    for page in [&own, &ours] {
        assert!(!page.contains("kept by someone else"), "{page}");
    }
    assert!(!own.contains("Another account for nodes"), "{own}");
}
