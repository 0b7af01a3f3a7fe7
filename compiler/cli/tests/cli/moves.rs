//! What a plan says of runs that stand on another cluster from now on.

use crate::drained::{retold, reworded, told_both_ways};

/// Two clusters of Slurm, one of GKE, and what comes to stand where.
const HALLS: &str = r#"param project: ProjectId = "my-project"

existing network net {
  region = "us-east4"
}

cluster hall on slurm {
  partition gpu {
    machine = "hgx-h100"
    nodes   = 4
  }
}

cluster annex on slurm {
  controllers = ["head2"]

  partition gpu {
    machine = "hgx-h100"
    nodes   = 4
    hosts   = "b[1-4]"
  }
}

existing cluster fleet on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-highgpu-8g"
    nodes   = 4
  }
}

workload train on hall.gpu {
  image  = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes  = 2
  launch = torchrun("train.py")
}
"#;

#[test]
fn a_run_that_stands_elsewhere_from_now_on_is_ended_where_it_was() {
    let other = retold(HALLS, &[("on hall.gpu", "on annex.gpu")]);
    assert!(other.contains("train.sbatch: on `hall`, where it was, it goes on until"), "{other}");
    assert!(other.contains("$ scancel --name=train  # on hall\n"), "{other}");
    assert!(other.contains("submit.sh: is made"), "{other}");
    let gke = retold(HALLS, &[("on hall.gpu", "on fleet.gpus")]);
    assert!(gke.contains("$ scancel --name=train  # on hall\n"), "{gke}");
    let before = reworded(HALLS, &[("on hall.gpu", "on fleet.gpus")]);
    let back = retold(&before, &[("on fleet.gpus", "on hall.gpu")]);
    let delete = "$ kubectl delete jobset train --namespace=default --ignore-not-found  # on fleet in us-east4 of my-project\n";
    assert!(back.contains(delete), "{back}");
    assert!(back.contains("train.sbatch: is made"), "{back}");
}

#[test]
fn a_run_whose_cluster_goes_is_not_ended_by_itself() {
    let hall = "cluster hall on slurm {\n  partition gpu {\n    machine = \"hgx-h100\"\n    nodes   = 4\n  }\n}\n";
    let told = retold(HALLS, &[(hall, ""), ("on hall.gpu", "on annex.gpu")]);
    assert!(told.contains("what runs there ends"), "{told}");
    assert!(!told.contains("scancel --name="), "{told}");
}

/// Two clusters that are made, and a run in each.
const PAIR: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a on gke {
  network = net
  name    = "alpha"
  zone    = "us-east4-a"

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 4
  }
}

cluster b on gke {
  network = net
  name    = "beta"
  zone    = "us-east4-a"

  pool hosts {
    machine = "n2-standard-16"
    nodes   = 4
  }
}

workload train on a.cpus {
  image  = "python:3.12"
  env    = { HF_TOKEN = secret("hf-token") }
  launch = command(["python", "train.py"])
}

workload prep on b.hosts {
  image  = "python:3.12"
  launch = command(["python", "prep.py"])
}
"#;

/// What a place is called in the blueprint says nothing of what runs there: Terraform keeps both clusters, and makes their pools anew.
#[test]
fn runs_of_clusters_that_swap_their_names_are_ended_where_they_were() {
    let swapped = PAIR
        .replace("\"alpha\"", "\"x\"")
        .replace("\"beta\"", "\"alpha\"")
        .replace("\"x\"", "\"beta\"");
    for told in told_both_ways(PAIR, &swapped) {
        for (run, was) in [("train", "alpha"), ("prep", "beta")] {
            let ends = format!(
                "$ kubectl delete jobset {run} --namespace=default --ignore-not-found  # on {was} in us-east4 of my-project\n"
            );
            assert!(told.contains(&ends), "{ends}:\n{told}");
        }
        let secret =
            "--from-file=value=<(printf %s \"$HF_TOKEN\")  # on beta in us-east4 of my-project\n";
        assert!(told.contains(secret), "{told}");
        assert!(
            told.contains("30-alpha google_container_node_pool.cpus: it is destroyed"),
            "{told}"
        );
        assert!(told.contains("drain first: prep, train\n"), "{told}");
    }
}

#[test]
fn a_cluster_that_takes_the_name_of_another_is_that_one() {
    let chain = PAIR.replace("\"alpha\"", "\"gamma\"").replace("\"beta\"", "\"alpha\"");
    for told in told_both_ways(PAIR, &chain) {
        let ends = "$ kubectl delete jobset train --namespace=default --ignore-not-found  # on alpha in us-east4 of my-project\n";
        assert!(told.contains(ends), "{told}");
        assert!(told.contains("drain first: prep, train\n"), "{told}");
        let destroy = told.find("$ terraform -chdir=30-beta destroy\n");
        assert!(destroy.is_some(), "{told}");
        assert!(told.contains("apply in this order: 30-alpha, 30-gamma"), "{told}");
    }
}

/// What prepares a cluster for runs may be a script alone, and a new one has nothing of it.
#[test]
fn a_cluster_that_is_made_anew_is_prepared_anew() {
    let other = ("  name    = \"beta\"\n", "  name    = \"beta\"\n  location = \"us-east4-a\"\n");
    let told = retold(PAIR, &[other]);
    assert!(told.contains("then, since their cluster is a new one: 40-beta-queues\n"), "{told}");
}

/// What a cluster has, such as machines that are reserved, others may wait for.
#[test]
fn a_cluster_that_goes_has_its_turn_though_nothing_below_it_is_applied() {
    let (first, rest) = PAIR.split_once("cluster b on gke").unwrap_or_default();
    let (_, runs) = rest.split_once("workload train").unwrap_or_default();
    let one = format!("{first}workload train{runs}").replace("on b.hosts", "on a.cpus");
    for told in told_both_ways(PAIR, &one) {
        assert!(told.contains("take away before anything is applied: 30-beta\n"), "{told}");
    }
    for told in told_both_ways(PAIR, &reworded(PAIR, &[("\"beta\"", "\"gamma\"")])) {
        assert!(told.contains("take away at the end: 30-beta\n"), "{told}");
    }
}
