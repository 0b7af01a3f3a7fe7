//! The page as it is read.

mod lent;
mod operate;
mod samples;

use samples::{everywhere, production, workload};
use slipform_tests::text::rendered_unjudged;

/// The page of a text, whatever rules warn of.
pub(crate) fn page(text: impl AsRef<str>) -> String {
    rendered_unjudged(text.as_ref()).file("README.md").to_owned()
}

#[test]
fn the_last_step_names_terraform_only_where_there_is_some() {
    let alone = "cluster hpc on slurm {\n  partition gpu {\n    machine = \"hgx-h100\"\n    nodes = 2\n  }\n}\n";
    let (slurm, all) = (page(alone), page(everywhere()));
    assert!(slurm.contains("## Tear down\n\nThe other way round.\n"), "{slurm}");
    assert!(!slurm.to_lowercase().contains("terraform"), "{slurm}");
    assert!(all.contains("Clusters are protected"), "{all}");
    assert!(all.contains("The bucket of Terraform's state stays"), "{all}");
    assert!(!all.contains("gcloud storage rm") && !all.contains("and filesystems are"), "{all}");
    let page = page(everywhere() + "\nbucket corpus {\n  location = \"us-east4\"\n}\n");
    assert!(page.contains("gcloud storage rm --recursive 'gs://"), "{page}");
}

fn positions(text: &str, lines: &[&str]) -> Vec<usize> {
    let at = |line: &&str| text.find(*line).unwrap_or_else(|| panic!("no `{line}` in\n{text}"));
    lines.iter().map(at).collect()
}

#[test]
fn what_tests_a_place_is_started_first_and_waited_for() {
    let page = page(production());
    for steps in [
        &[
            "kubectl apply -k 50-workloads/try-train-gke/overlays/default\n",
            "while state=\"$(kubectl get jobset/try-train-gke --namespace=default --output=jsonpath='{.status.terminalState}')\" && [[ -z \"$state\" ]]; do sleep 30; done\n",
            "kubectl logs --namespace=default --selector='jobset.sigs.k8s.io/jobset-name=try-train-gke",
            "[[ \"$state\" == Completed ]] || { echo 'try-train-gke did not complete: let nothing rest on its nodes' >&2; false; }\n",
            "kubectl apply -k 50-workloads/train-gke/overlays/default\n",
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
    let page = page(production());
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
fn the_page_of_a_production_setup() {
    insta::assert_snapshot!(rendered_unjudged(&production()).shown(&["README.md"]));
}

#[test]
fn the_page_says_how_each_platform_is_applied() {
    insta::assert_snapshot!(rendered_unjudged(&everywhere()).shown(&["README.md"]));
}

#[test]
fn what_is_not_rendered_is_not_spoken_of() {
    let plan = rendered_unjudged(&everywhere()).planned.plan;
    let artifacts = slipform_targets::render(&plan, &["slurm"]).artifacts;
    let page = &artifacts.iter().find(|it| it.path == "README.md").unwrap().content;
    assert!(page.contains("50-workloads/on-slurm/submit.sh"));
    for other in ["terraform", "kubectl", "gcloud builds", "gcloud ai"] {
        assert!(!page.contains(other), "{other}");
    }
}

#[test]
fn an_empty_output_has_no_page() {
    assert!(rendered_unjudged("").output.artifacts.is_empty());
}

#[test]
fn secrets_are_made_where_workloads_read_them_and_shown_to_nobody() {
    let page = page(production());
    let lines = [
        "kubectl create secret generic hf-token --namespace=default --from-file=value=<(printf %s \"$HF_TOKEN\")\n",
        "kubectl create secret generic wandb --namespace=default --from-file=api=<(printf %s \"$WANDB_KEY\")\n",
        "(umask 077 && mkdir -p \"$HOME\"/.secrets/wandb)\ninstall -m 600 <(printf %s \"$WANDB_KEY\") \"$HOME\"/.secrets/wandb/api\n",
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
    let page = page(production());
    let rows = [
        "| `GPUS_PER_GPU_FAMILY` with `gpu_family=NVIDIA_H100_MEGA` | us-east4 | 16 |\n",
        "| `PREEMPTIBLE_NVIDIA_L4_GPUS` | us-east4 | 24 |\n",
        "| `GPUS_ALL_REGIONS` | all regions | 40 |\n",
        "| `LOCAL_SSD_TOTAL_GB_PER_VM_FAMILY` with `vm_family=A3` | us-east4 | 12000 |\n",
        "| `custom_model_training_nvidia_h100_mega_gpus` | us-east4 | 16; 32 with all jobs at once |\n",
    ];
    positions(&page, &rows);
    assert!(!page.contains("NVIDIA_H200"), "quota was taken when it was reserved");
    let check = "gcloud compute reservations describe a3u --project=shared-1 --zone=us-east4-a ";
    positions(&page, &[check]);
}

/// The machine that an image is built on takes of the quotas while it is there, and Cloud TPU has quotas of its own in each zone.
#[test]
fn quotas_of_builders_and_of_slices() {
    let page = page(
        r#"
network fabric {
  region = "us-east5"
}

machine_image node {
  from    = image_family("ubuntu-2404-lts-amd64", project = "ubuntu-os-cloud")
  network = fabric
  zone    = "us-east5-a"
  machine = "c3-standard-22"
}

identity hosts {}

machines lent {
  network  = fabric
  zone     = "us-east5-a"
  machine  = "ct5p-hightpu-4t"
  nodes    = 4
  topology = 2x2x4
  identity = hosts
  capacity = spot
}
"#,
    );
    let rows = [
        // of cores, as the names of its slices
        "| `TPUV5PPreemptiblePerProjectPerZoneForTPUAPI` | us-east5-a | 32 |\n",
        "| `C3_CPUS` | us-east5 | 22 |\n",
    ];
    for row in rows {
        assert!(page.contains(row), "{row}: {page}");
    }
}

#[test]
fn secrets_that_identities_read_are_there_before() {
    let said = "has these secrets, which identities are let read: `hf-token`, `wandb`.";
    let read = page("identity loader {\n  secrets = [\"wandb\", \"hf-token\"]\n}\n");
    assert!(read.contains(said), "{read}");
    assert!(!page("identity loader {}\n").contains("which identities are let read"));
}

/// In a new project there is no agent to let use a key, and no API to put a secret in.
#[test]
fn agents_and_apis_are_there_before_what_needs_them() {
    let key = "projects/keys/locations/us-east4/keyRings/ring/cryptoKeys/key";
    let text = format!(
        "network fabric {{\n  region = \"us-east4\"\n  pods = 10.64.0.0/14\n  services = 10.68.0.0/20\n}}\nbucket data {{\n  location = \"us-east4\"\n  \
         encryption_key = \"{key}\"\n}}\nidentity loader {{\n  secrets = [\"hf-token\"]\n}}\ncluster main on gke {{\n  network = fabric\n  zone = \
         \"us-east4-a\"\n  encryption_key = \"{key}\"\n  pool p {{\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }}\n}}\n"
    );
    let page = page(text);
    for words in [
        " secretmanager.googleapis.com container.googleapis.com storage.googleapis.com",
        "\ngcloud beta services identity create --service=container.googleapis.com",
        "\ngcloud storage service-agent",
        "whose addresses the commands above print",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("--service=storage.googleapis.com"), "{page}");
}

#[test]
fn what_a_network_of_others_must_have_is_listed() {
    let text = "existing network host {\n  region = \"us-east4\"\n  project = \"host-project\"\n  subnet_name = \"nodes\"\n  pods_name = \"of-pods\"\n  \
                services_name = \"of-services\"\n  pods = 10.64.0.0/14\n  services = 10.68.0.0/20\n}\nfilesystem fast {\n  storage = \
                lustre(36000GiB)\n  network = host\n  location = \"us-east4-a\"\n}\nfilesystem home {\n  storage = filestore(1TiB, tier = \
                \"zonal\")\n  network = host\n  location = \"us-east4-a\"\n}\ncluster main on gke {\n  network = host\n  zone = \
                \"us-east4-a\"\n  pool p {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }\n}\n";
    let page = page(text);
    for words in [
        "The network `host` of `host-project` is there before the first apply, with:",
        "the subnet `nodes` in `us-east4`, and in it the ranges `of-pods` for pods and `of-services` for services;",
        "Private Google Access on that subnet, and a Cloud NAT for it",
        "for `fast`, `home`;",
        "`roles/compute.networkViewer` in `host-project`.",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let own = page_of_existing_bucket();
    assert!(own.contains("| `shards` | `loader` | `roles/storage.objectViewer` |"), "{own}");
}

fn page_of_existing_bucket() -> String {
    page(
        "existing bucket data {\n  location = \"us-east4\"\n  name = \"shards\"\n}\nexisting identity loader {\n  reads = [data]\n}\nnetwork fabric {\n  \
         region = \"us-east4\"\n}\n",
    )
}

/// A job takes machines of each of its groups, and of two jobs the larger one counts.
#[test]
fn quotas_and_reservations_of_custom_jobs_are_those_of_all_gangs() {
    let page = page(
        r#"
cluster big on vertex {
  region  = "us-east4"
  machine = "a3-megagpu-8g"
}

cluster small on vertex {
  region  = "us-east4"
  machine = "g2-standard-24"
}

cluster kept on vertex {
  region   = "us-east4"
  machine  = "a3-ultragpu-8g"
  zone     = "us-east4-a"
  capacity = reservation("projects/shared-1/reservations/a3u")
}

workload learn on big {
  image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  launch = torchrun("learn.py")
  nodes  = 2

  group more on big {
    image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
    launch = torchrun("more.py")
    nodes  = 3
  }

  group rollout on small {
    image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
    launch = torchrun("rollout.py")
    nodes  = 4
  }
}

workload tune on big {
  image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  launch = torchrun("tune.py")

  group judge on kept {
    image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
    launch = torchrun("judge.py")
  }
}
"#,
    );
    let rows = [
        "| `custom_model_training_nvidia_h100_mega_gpus` | us-east4 | 40; 48 with all jobs at once |\n",
        "| `custom_model_training_nvidia_l4_gpus` | us-east4 | 8 |\n",
        "gcloud compute reservations describe a3u --project=shared-1 --zone=us-east4-a ",
    ];
    positions(&page, &rows);
    assert!(!page.contains("h200"), "{page}");
}

#[test]
fn what_stops_a_new_project_first_is_a_quota_too() {
    let page = page(production());
    let rows = [
        // six nodes of the system with disks of 100 GB, one more while they are upgraded, and the boot disks of the pools
        "| `SSD_TOTAL_GB` | us-east4 | 1700 |\n",
        "| `CPUS` | us-east4 | 56 |\n",
        "| `CPUS_ALL_REGIONS` | all regions | 56 |\n",
        "| `NETWORKS` | all regions | 11 |\n",
    ];
    positions(&page, &rows);
}

#[test]
fn what_others_have_to_do_for_a_cluster_is_told() {
    let text = r#"
network fabric {
  region   = "us-central1"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network      = fabric
  dns_endpoint = false
  pool cpus {
    machine         = "n2-standard-8"
    nodes           = 2
    image_streaming = true
    image_disks     = ["projects/my-project-1/global/images/own", "projects/others/global/images/base"]
  }
  queue all {
    pools = [cpus]
  }
}
"#;
    let page = page(text);
    for line in [
        "Nodes start with `projects/others/global/images/base`. Whoever owns an image lets",
        "`roles/compute.imageUser`",
        "Its control plane has no address outside of the network `fabric`.",
        "with an address in `10.0.0.0/8`;",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn who_asks_for_a_reservation_may_do_so() {
    let page = page(production());
    let steps = [
        "gcloud services enable compute.googleapis.com ",
        "(who asks needs `roles/compute.viewer` in `shared-1` too):",
        "gcloud compute reservations describe a3u --project=shared-1 ",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

#[test]
fn commands_are_those_of_any_shell() {
    let page = page(everywhere());
    assert!(!page.contains("realpath"), "{page}");
    let step = "_DOCKERFILE=\"${DOCKERFILE#\"$SOURCE\"/}\"\n";
    positions(&page, &["SOURCE=\"$(cd FOLDER && pwd)\"", "DOCKERFILE=\"$PWD\"/20-", step]);
}

#[test]
fn a_new_project_gets_what_terraform_takes_for_granted() {
    let page = page(everywhere());
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

/// Scripts of a cluster that is there already say what they take for granted, before the first of them is submitted.
#[test]
fn an_existing_slurm_cluster_is_made_ready() {
    let nouns = r#"
identity trainer {
}

existing cluster hpc on slurm {
  shared        = "/home/slipform"
  node_identity = trainer
  partition gpu {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

bucket data {
  location = "us-east4"
}

filesystem home {
  storage = path("/mnt/home")
}
"#;
    let mounts = "mounts = [mount(data, \"/data\"), mount(home, \"/results\")]";
    let image = "\"us-east4-docker.pkg.dev/p/r/i:v1\"";
    let text = nouns.to_owned() + &workload("train", "hpc.gpu", image, 1, mounts);
    let page = page(text);
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
    let nouns = r#"
existing network corp {
  region = "us-east4"
}

existing identity trainer {
}

existing bucket data {
  location = "us-east4"
}

existing cluster a3m on gke {
  network      = corp
  zone         = "us-east4-a"
  dns_endpoint = true
  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
  existing queue shared {
    pools      = [gpus]
    namespaces = ["vision"]
  }
}
"#;
    let image = "\"us-east4-docker.pkg.dev/p/r/i:v1\"";
    let fields = "identity = trainer\nmounts = [mount(data, \"/data\")]";
    let text = nouns.to_owned() + &workload("train", "a3m.gpus", image, 2, fields);
    let page = page(text);
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
    let page = page(production());
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "--filter='displayName=train-vertex AND labels.blueprint=\"main\" AND labels.environment=\"default\" AND state:(JOB_STATE_RUNNING JOB_STATE_PENDING JOB_STATE_QUEUED)' \
         --format='value(name)' | xargs -r -n1 gcloud ai custom-jobs cancel\n",
        "gcloud secrets delete hf-token --project=my-project-1\n",
        "terraform -chdir=10-foundation destroy",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
}

/// A reservation says whether Vertex AI may take its machines.
#[test]
fn a_reservation_is_shared_with_vertex() {
    let managed = r#"
cluster managed on vertex {
  region   = "us-east4"
  zone     = "us-east4-a"
  machine  = "a3-megagpu-8g"
  capacity = reservation("projects/shared-1/reservations/a3m")
}
"#;
    let text = managed.to_owned() + &workload("train", "managed", "\"python:3.12\"", 1, "");
    let page = page(text);
    let steps = [
        "gcloud compute reservations describe a3m --project=shared-1 --zone=us-east4-a ",
        "reservationSharingPolicy)'\n",
        "gcloud compute reservations update a3m --project=shared-1 --zone=us-east4-a --reservation-sharing-policy=ALLOW_ALL\n",
        "50-workloads/train/submit.sh",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

/// Whoever applies a root reads what it looks up.
#[test]
fn who_looks_up_a_filesystem_of_others_may_read_it() {
    for (storage, role) in [
        ("filestore(2560GiB, tier = \"zonal\")", "roles/file.viewer"),
        ("lustre(36000GiB)", "roles/lustre.viewer"),
    ] {
        let home = format!(
            "\nexisting filesystem home {{\n  network  = fabric\n  location = \"us-east4-a\"\n  storage  = {storage}\n}}\n"
        );
        let run = workload(
            "reader",
            "a3m.gpus",
            "\"python:3.12\"",
            1,
            "  mounts = [home at \"/home\"]\n",
        );
        let page = page(everywhere() + &home + &run);
        assert!(page.contains(role), "{role}:\n{page}");
    }
}

#[test]
fn who_nodes_are_is_said_where_somebody_else_keeps_it_and_where_it_can_change() {
    let with = |existing: Option<bool>| {
        let head = if existing == Some(true) { "existing identity" } else { "identity" };
        let identity = format!("\n{head} nodes {{\n  account = \"gke-nodes\"\n}}\n");
        let cluster = "cluster a3m on gke {\n  node_identity = nodes\n";
        let text = match existing {
            Some(_) => everywhere().replace("cluster a3m on gke {\n", cluster),
            None => everywhere(),
        };
        page(text + &identity)
    };
    let (own, theirs, ours) = (with(None), with(Some(true)), with(Some(false)));
    let asked = "The service accounts of nodes, `gke-nodes`, are kept by someone else. Whoever gives rights on `my-project-1` \
                 gives them `roles/artifactregistry.reader` and `roles/container.defaultNodeServiceAccount` there.";
    assert!(theirs.contains(asked) && !theirs.contains("Another account for nodes"), "{theirs}");
    assert!(ours.contains("Nodes of `a3m` act as identities that `10-foundation` makes"), "{ours}");
    for page in [&own, &ours] {
        assert!(!page.contains("kept by someone else"), "{page}");
    }
    assert!(!own.contains("Another account for nodes"), "{own}");
}

/// Filters that spell every value; `name` is for names of variables alone, and `length` gives a number.
const OF_PAGES: [&str; 6] = ["sh", "command", "note", "md", "name", "length"];

#[test]
fn no_page_has_a_place_that_a_value_may_not_fit() {
    let texts = slipform_tests::files("targets/templates", "md");
    assert!(texts.len() > 10, "{texts:?}");
    for path in texts {
        let text = std::fs::read_to_string(slipform_tests::root().join(&path)).unwrap();
        let filters = text.split("<{").skip(1).filter_map(|place| {
            let (value, _) = place.split_once("}>")?;
            value.rsplit_once('|').map(|(_, filter)| filter.trim().to_owned())
        });
        let strangers: Vec<_> = filters.filter(|it| !OF_PAGES.contains(&it.as_str())).collect();
        assert_eq!(strangers, [""; 0], "{path}");
    }
}

#[test]
fn a_guarded_bucket_is_told_with_what_is_protected_and_not_emptied() {
    let bucket = |guard: &str| {
        let head = "bucket keep {\n  location = \"us-east4\"";
        page(format!("{}\n{head}\n{guard}}}\n", everywhere()))
    };
    let (free, guarded) = (bucket(""), bucket("  deletion_protection = true\n"));
    let empties = "gcloud storage rm --recursive 'gs://my-project-1-keep/**'";
    assert!(free.contains(empties) && !free.contains("so are buckets"), "{free}");
    assert!(!guarded.contains(empties), "{guarded}");
    assert!(
        guarded.contains(", and so are buckets: set `deletion_protection = false`"),
        "{guarded}"
    );
}

#[test]
fn the_group_that_gke_asks_for_the_groups_of_teams_is_asked_for() {
    let teams = "cluster a3m on gke {\n  teams = { vision = team(members = [\"group:vision@acme.com\"]) }\n";
    let page = page(everywhere().replace("cluster a3m on gke {\n", teams));
    assert!(page.contains("members of `gke-security-groups@acme.com`"), "{page}");
    assert!(!self::page(everywhere()).contains("gke-security-groups"));
}
