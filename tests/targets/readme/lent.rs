//! Nodes that come and go with a workload, what it reads, and what is taken away of it.

use super::samples::{PYTHON, everywhere, lent, production, workload};
use super::{page, positions};
use slipform_tests::text::rendered_unjudged;

/// A state knows what was applied, not what was built: protection that the blueprint lifted is still there.
#[test]
fn every_root_that_may_be_protected_is_applied_before_any_is_destroyed() {
    let apply = |page: &str, root: &str| page.contains(&format!("-chdir={root} apply\n"));
    let protected = page(everywhere());
    let (_, down) = protected.split_once("## Tear down").unwrap();
    assert!(!apply(down, "30-a3m") && !apply(down, "10-foundation"), "{down}");
    let open = "cluster a3m on gke {\n  deletion_protection = false\n";
    let text = everywhere().replace("cluster a3m on gke {\n", open);
    let page = page(text);
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "Nothing is protected by this build",
        "terraform -chdir=10-foundation apply\n",
        "terraform -chdir=30-a3m apply\n",
        "terraform -chdir=30-a3m destroy\n",
        "terraform -chdir=10-foundation destroy\n",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
    assert!(!down.contains("Clusters are protected"), "{down}");
}

#[test]
fn nodes_of_a_test_are_gone_before_others_are_asked_for() {
    let page = page(lent());
    let steps = [
        "nothing about the machines that the next workload gets",
        "\nkubectl apply -k 50-workloads/trial/overlays/default\n",
        "\nREQUEST=\"$(kubectl get pods --namespace=default --selector='jobset.sigs.k8s.io/jobset-name=trial'",
        "\n[[ \"$state\" != Completed ]] || kubectl delete -k 50-workloads/trial/overlays/default --ignore-not-found\n",
        "\nwhile [[ \"$(kubectl get nodes --selector=\"autoscaling.gke.io/provisioning-request=$REQUEST\" --output=name)\" ]]; do",
        "\nkubectl apply -k 50-workloads/small/overlays/default\n",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(!self::page(production()).contains("REQUEST="));
}

#[test]
fn a_run_that_gives_way_is_told_before_it_starts() {
    let page = page(lent());
    assert!(page.contains("`big` (high) before `small` (low)."), "{page}");
}

/// Kueue gives a workload up without a word in the state of its JobSet.
#[test]
fn what_kueue_gave_up_is_not_waited_for() {
    let page = page(lent());
    let waits = page.lines().filter(|line| {
        ["OF_IT=", "while state=", "[[ \"$state"].iter().any(|it| line.starts_with(it))
    });
    let waits: Vec<_> = waits.take(4).collect();
    let script = format!(
        "kubectl() {{ case $2-$* in \
           workloads*spec.active*) ((slept > 1)) && printf false || printf true ;; \
           workloads*uid=7*) printf 'why' ;; \
           jobset*uid*) printf 'uid=7' ;; esac; }}\n\
         slept=0; sleep() {{ slept=$((slept + 1)); }}\n{}",
        waits.join("\n")
    );
    let done =
        std::process::Command::new("timeout").args(["20", "bash", "-c", &script]).output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{script}");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "why", "{script}");
}

#[test]
fn what_workloads_only_read_is_put_there_before() {
    let page = page(lent());
    let steps = [
        "\n## Data\n",
        "- `trial`, `small`, `big` in `/corpus`: the bucket `gs://my-project-1-corpus/v1`. Shards.\n",
        "\ngcloud storage rsync FOLDER gs://my-project-1-corpus/v1 --recursive #",
        "\nkubectl apply -k 50-workloads/small/overlays/default\n",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(!page.contains("/seen"), "others write there: {page}");
    assert!(!self::page(production()).contains("## Data"));
}

/// Another clone has no values to fill a kustomization with, and has to take away what it makes all the same.
#[test]
fn what_was_filled_in_is_taken_away_by_its_name() {
    let env = "env = { HOME_SERVER = home.address }";
    let text = lent() + &workload("later", "a3m.gpus", PYTHON, 2, env);
    let page = page(text);
    let fill = "50-workloads/later/base/fill-deferred.sh\nkubectl apply -k 50-workloads/later/";
    assert!(page.contains(fill), "{page}");
    let again = "[[ ! -x 50-workloads/\"$RUN\"/base/fill-deferred.sh ]] || 50-workloads/\"$RUN\"/base/fill-deferred.sh\n";
    assert!(page.contains(again), "others have nothing to fill in: {page}");
    let away = "kubectl delete jobset later --namespace=default --ignore-not-found\n";
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "get-credentials a3m ",
        away,
        "40-a3m-queues/fill-deferred.sh\nkubectl delete -k 40-a3m-queues\n",
        "terraform -chdir=30-a3m destroy",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
}

#[test]
fn the_foundation_is_called_after_what_it_holds() {
    let page = page(lent());
    for line in [
        "| `10-foundation` | Terraform: networks, buckets, filesystems, registries |\n",
        "\n## Networks, buckets, filesystems, registries\n",
    ] {
        assert!(page.contains(line), "{line}{page}");
    }
}

#[test]
fn what_the_blueprint_says_of_a_run_stands_beside_its_start() {
    let lines = production();
    let lines = lines.lines().map(|line| match line.strip_prefix("workload ") {
        Some(rest) => {
            let name = rest.split(' ').next().unwrap_or_default().replace('_', "-");
            format!("## About {name}.\n{line}\n")
        }
        None => format!("{line}\n"),
    });
    let text = lines.collect::<String>();
    let page = page(text);
    for run in ["on-gke", "try-train-gke", "on-slurm", "try-train-slurm", "on-vertex"] {
        assert!(page.contains(&format!("\n`{run}`: About {run}.\n")), "{run}{page}");
    }
}

#[test]
fn it_says_who_gives_way_besides_lower_priorities() {
    let text = r#"
network fabric {
  region   = "us-central1"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network = fabric
  zone    = "us-central1-b"
  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
  queue vision {
    pools      = [gpus]
    namespaces = ["vision"]
    cohort     = COHORT
    preemption = PREEMPTION
  }
}

workload train on main.gpus {
  image  = "us-docker.pkg.dev/p/images/train:v1"
  nodes  = 1
  launch = torchrun("train.py")
}
"#;
    let with = |cohort: &str, preemption: &str| {
        page(text.replace("COHORT", cohort).replace("PREEMPTION", preemption))
    };
    let newer = "In `vision` a run also stops those of its own priority that were submitted after it: `train`.";
    let lent = "its runs are on what other queues of `everyone` lend";
    let both = with("\"everyone\"", "\"lower_or_newer\"");
    assert!(both.contains(newer) && both.contains(lent), "{both}");
    let neither = with("cohort(\"everyone\", borrow = 0)", "true");
    assert!(!neither.contains(newer) && !neither.contains(lent), "{neither}");
}

/// Nodes that are made here may read what is in this project, and nothing else.
#[test]
fn it_says_whose_images_nodes_have_to_be_let_read() {
    let page = |image: &str| {
        let text = format!(
            "network fabric {{\n  region = \"us-central1\"\n  pods = 10.64.0.0/14\n  services = 10.68.0.0/20\n}}\n\ncluster cc on gke {{\n  network = \
             fabric\n  zone = \"us-central1-a\"\n  pool p {{\n    machine = \"n2-standard-8\"\n    nodes = 2\n  }}\n}}\n\nworkload run on cc.p {{\n  \
             image = \"{image}\"\n  nodes = 1\n  launch = command([\"true\"])\n}}\n"
        );
        rendered_unjudged(&text).file("README.md").to_owned()
    };
    let theirs = page("us-docker.pkg.dev/acme-images/base/nemo:v1");
    assert!(theirs.contains("Images of runs come from `acme-images`."), "{theirs}");
    for image in ["us-docker.pkg.dev/my-project-1/base/nemo:v1", "nvcr.io/nvidia/nemo:25.07"] {
        assert!(!page(image).contains("Images of runs come from"), "{image}");
    }
}

/// A right on this project says nothing of an account of another one.
#[test]
fn who_lends_accounts_is_told_who_uses_them() {
    let text = r#"network net { region = "us-east4" }

existing identity nodes {
  project = "company-accounts"
}

identity head {}

bucket data { location = "us-east4" }

filesystem home {
  storage  = filestore(2560GiB)
  network  = net
  location = "us-east4-a"
}

cluster hpc on slurm {
  network       = net
  zone          = "us-east4-a"
  release       = "25.11"
  mounts        = { "/home" = home }
  shared        = "/home/slipform"
  node_identity = nodes
  controller    = controller(identity = head)
  partition debug {
    machine = "n2-standard-8"
    nodes   = 0..4
  }
}

cluster vx on vertex {
  region  = "us-east4"
  machine = "n1-standard-8"
  staging = data
}

workload prep on vx {
  image    = "python:3.12"
  nodes    = 1
  launch   = command(["python", "prep.py"])
  identity = nodes
}
"#;
    let out = rendered_unjudged(text);
    let page = out.file("README.md");
    let lent = "\n- on `nodes-identity@company-accounts.iam.gserviceaccount.com`: \
                `head-identity@my-project-1.iam.gserviceaccount.com` may act as it (`roles/iam.serviceAccountUser`), and \
                `service-NUMBER@compute-system.iam.gserviceaccount.com`, \
                `service-NUMBER@gcp-sa-aiplatform.iam.gserviceaccount.com` may make tokens of it \
                (`roles/iam.serviceAccountTokenCreator`).\n\n";
    assert!(page.contains(lent), "{page}");
    let account = "`nodes-identity@company-accounts.iam.gserviceaccount.com`";
    let looked_up =
        format!("| `company-accounts` | {account} | `roles/iam.serviceAccountViewer` |");
    assert!(page.contains(&looked_up), "{page}");
    assert!(!out.file("10-foundation/iam.tf").contains("serviceAccountUser"));
}

/// What a deployment of Cluster Toolkit protects, keeps on its controller, and leaves behind.
#[test]
fn a_cluster_of_slurm_says_what_goes_with_it_and_what_stays() {
    let site = |mounts: &str, protected: bool| {
        let text = format!(
            "network core {{\n  region = \"us-east4\"\n}}\n\nfilesystem home {{\n  storage  = filestore(2560GiB)\n  network  = core\n  location = \"us-east4-b\"\n  deletion_protection = false\n}}\n\ncluster hpc on slurm {{\n  network = core\n  zone    = \"us-east4-b\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n{mounts}  accounting = cloud_sql(deletion_protection = {protected})\n\n  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }}\n}}\n"
        );
        page(text).split_once("## Tear down").unwrap().1.to_owned()
    };
    let mounted = "  mounts = { \"/home\" = home }\n";
    let kept = site(mounted, true);
    assert!(
        kept.contains("But for the database below nothing is protected by this build"),
        "{kept}"
    );
    assert!(!kept.contains("lies on its controller's disk"), "{kept}");
    let free = site("", false);
    assert!(free.contains("\nNothing is protected by this build"), "{free}");
    assert!(free.contains("they come before the `destroy`"), "{free}");
    assert!(free.contains("`/home` of Slurm cluster hpc lies on its controller's disk"), "{free}");
    let own = page(
        "cluster hpc on slurm {\n  accounting = slurmdbd()\n  partition gpu {\n    machine = \"hgx-h100\"\n    nodes = 2\n  }\n}\n",
    );
    assert!(own.contains("then `slurmdbd` on its host, whose database stays"), "{own}");
}
