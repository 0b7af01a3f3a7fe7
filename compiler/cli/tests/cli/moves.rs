//! What a plan says of runs that stand on another cluster from now on.

use crate::drained::{retold, reworded};

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
    let delete =
        "$ kubectl delete jobset train --namespace=default --ignore-not-found  # on fleet\n";
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
