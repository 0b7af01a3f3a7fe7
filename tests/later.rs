//! Values that Terraform knows: whatever an artifact reads, some root hands on, on every platform.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_tests::{checked_text, reports};

/// What exists already, and a workload on each platform that reads of it.
const BLUEPRINT: &str = r#"param project: ProjectId = "my-project"

network vpc {
  region = "us-east4"
  subnet = 10.0.0.0/16
  pods   = 10.4.0.0/14
}

existing cluster shared on gke {
  network = vpc
  zone    = "us-east4-a"

  pool gpus {
    machine  = "g2-standard-12"
    nodes    = 1
    capacity = on_demand
  }
}

existing cluster floor on slurm {
  shared = "/shared"

  partition l4 {
    machine = "g2-standard-12"
    hosts   = "node[1-2]"
    nodes   = 2
  }
}

cluster jobs on vertex {
  region  = "us-east4"
  machine = "g2-standard-12"
}

existing filesystem home {
  storage  = filestore(1024GiB, tier = "zonal")
  location = "us-east4-a"
  network  = vpc
}

workload kubernetes on shared.gpus {
  image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  nodes  = 1
  launch = command(["true"])
  env    = { PLANE = shared.endpoint }
  mounts = [mount(home, "/home")]
}

workload slurm on floor.l4 {
  image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  nodes  = 1
  launch = command(["true"])
  env    = { PLANE = shared.endpoint }
}

workload vertex on jobs {
  image  = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  nodes  = 1
  launch = command(["true"])
  env    = { PLANE = shared.endpoint }
}
"#;

#[test]
fn every_value_that_is_read_is_handed_on_by_the_root_that_is_asked() {
    let (analysis, output) = checked_text(BLUEPRINT);
    let errors: Vec<_> =
        reports(&analysis).into_iter().filter(|it| it.severity == "error").collect();
    assert!(errors.is_empty(), "{errors:?}");
    let text = |path: &str| {
        let found = output.artifacts.iter().find(|it| it.path == path);
        found.unwrap_or_else(|| panic!("no {path}")).content.clone()
    };
    let outputs = text("10-foundation/outputs.tf");
    for (reader, name) in [
        ("50-workloads/kubernetes/base/fill-deferred.sh", "shared_endpoint"),
        ("50-workloads/slurm/submit.sh", "shared_endpoint"),
        ("50-workloads/vertex/submit.sh", "shared_endpoint"),
        ("40-shared-queues/fill-deferred.sh", "home_address"),
    ] {
        let script = text(reader);
        let asks = |line: &str| line.contains(name) && line.contains("10-foundation");
        assert!(script.lines().any(asks), "{reader}:\n{script}");
        assert!(outputs.contains(&format!("output \"{name}\"")), "{name} in\n{outputs}");
    }
    let lookups = text("10-foundation/data.tf");
    assert!(lookups.contains("data \"google_container_cluster\" \"shared\""), "{lookups}");
}
