//! What a plan says of nouns that others own from now on, and of those that they owned before.

use crate::drained::{retold, reworded};

const ESTATE: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20

  subnet_name   = "net"
  pods_name     = "pods"
  services_name = "services"
}

bucket data {
  location = "us-east4"
}

cluster fleet on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload train on fleet.gpus {
  image  = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes  = 2
  launch = torchrun("train.py")
}
"#;

/// A folder in which nothing is left but what others own and a bucket.
const ALONE: &str = r#"param project: ProjectId = "my-project"

bucket data {
  location = "us-east4"
}

bucket logs {
  location = "us-east4"
}

cluster hall on slurm {
  controllers = ["head1"]

  partition cpu {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}
"#;

/// A cluster of Cluster Toolkit, whose nodes mount what another root makes.
const MANAGED: &str = r#"param project: ProjectId = "my-project"

network net {
  region = "us-east4"
}

filesystem home {
  network  = net
  location = "us-east4-a"
  storage  = filestore(2.5TiB, tier = "zonal")
}

cluster hpc on slurm {
  network = net
  zone    = "us-east4-a"
  release = "25.11"
  mounts  = { "/shared" = home }

  partition gpu {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}
"#;

#[test]
fn a_bucket_that_others_own_from_now_on_is_let_go_of() {
    let told = retold(ESTATE, &[("bucket data", "existing bucket data")]);
    assert!(told.contains("in place         bucket data\n"), "{told}");
    let kept = "google_storage_bucket.data: Terraform lets go of it: nothing is deleted";
    assert!(told.contains(kept), "{told}");
}

#[test]
fn a_cluster_that_others_own_from_now_on_is_forgotten_and_not_destroyed() {
    let told = retold(ESTATE, &[("cluster fleet", "existing cluster fleet")]);
    assert!(told.contains("in place         cluster fleet\n"), "{told}");
    assert!(told.contains("terraform -chdir=30-fleet state rm"), "{told}");
    assert!(!told.contains("destroy"), "{told}");
    let taken = ["kubectl delete daemonset", "kubectl delete network", "what runs there"];
    assert!(!taken.iter().any(|it| told.contains(it)), "{told}");
}

#[test]
fn of_a_root_that_goes_what_others_own_is_forgotten_before_the_rest_is_destroyed() {
    let gone = ("bucket logs {\n  location = \"us-east4\"\n}\n", "");
    let told = retold(ALONE, &[("bucket data", "existing bucket data"), gone]);
    let forget =
        told.find("$ terraform -chdir=10-foundation state rm google_storage_bucket.data\n");
    let destroy = told.find("$ terraform -chdir=10-foundation destroy\n");
    assert!(forget.is_some() && forget < destroy, "{told}");
    let all = retold(
        ALONE,
        &[("bucket data", "existing bucket data"), ("bucket logs", "existing bucket logs")],
    );
    assert!(all.contains("state rm google_storage_bucket.logs"), "{all}");
    assert!(!all.contains("with data"), "{all}");
}

#[test]
fn what_others_owned_is_taken_over_and_not_made() {
    let before = reworded(
        ESTATE,
        &[("bucket data", "existing bucket data"), ("cluster fleet", "existing cluster fleet")],
    );
    let told = retold(&before, &[("existing ", "")]);
    let import = |address: &str| format!("terraform -chdir={address} ID\n");
    assert!(told.contains(&import("10-foundation import google_storage_bucket.data")), "{told}");
    assert!(told.contains(&import("30-fleet import google_container_cluster.this")), "{told}");
    assert!(!told.contains("google_storage_bucket.data: is made"), "{told}");
    assert!(!told.contains("made in the new cluster"), "{told}");
}

#[test]
fn a_cluster_of_cluster_toolkit_that_takes_another_address_is_deployed_again() {
    let told = retold(MANAGED, &[("tier = \"zonal\"", "tier = \"basic_ssd\"")]);
    let create = told.find("$ gcluster create 30-hpc/cluster.yaml --deployment-file=");
    let deploy = told.find("$ gcluster deploy hpc\n");
    assert!(create.is_some() && create < deploy, "{told}");
}
