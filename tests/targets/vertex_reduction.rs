//! Reduction Servers: how many machines there are, and what speaks to them.

use serde_json::Value;
use slipform_tests::text::rendered_despite;

/// Both examples of Google's page: five machines and eight of 100 Gbps each, with others of 32.
#[test]
fn as_many_machines_reduce_as_send_together_what_those_with_gpus_send() {
    let text = r#"image trainer {
  from    = "nvcr.io/nvidia/pytorch:24.10-py3"
  push_to = registry("europe-west4", "training")
}

cluster volta on vertex {
  region  = "europe-west4"
  machine = "n1-highmem-96"
  gpus    = attached("v100", 8)
}

cluster a100 on vertex {
  region  = "us-central1"
  machine = "a2-megagpu-16g"
}

workload bert on volta {
  image            = trainer
  launch           = torchrun("train.py", args = { bucket_cap_mb = 64 })
  nodes            = 5
  restarts         = 1
  reduction_server = reducers()
}

workload gpt on a100 {
  image            = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12.py310:release-1"
  launch           = python("horovod_train.py")
  nodes            = 8
  restarts         = 1
  reduction_server = reducers()
}

workload faster on a100 {
  image            = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12.py310:release-1"
  launch           = python("train.py")
  nodes            = 8
  restarts         = 1
  reduction_server = reducers("n2-highcpu-80", tier_1 = true)
  success          = "own"

  group judge on a100 {
    image  = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12.py310:release-1"
    launch = python("judge.py")
    part   = "evaluators"
  }
}
"#;
    let out = rendered_despite(text, &["vertex/unsupported"]);
    let pools = |name: &str| -> Vec<Value> {
        let path = format!("50-workloads/{name}/{name}.json");
        let request: Value = serde_json::from_str(out.file(&path)).unwrap();
        request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap().clone()
    };
    let counts = |name: &str| -> Vec<i64> {
        pools(name).iter().map(|pool| pool["replicaCount"].as_i64().unwrap()).collect()
    };
    assert_eq!(counts("bert"), [1, 4, 16]);
    assert_eq!(counts("gpt"), [1, 7, 25]);
    assert_eq!(counts("faster"), [1, 7, 8, 1]);
    let env = pools("gpt")[1]["containerSpec"]["env"].clone();
    assert_eq!(env[0]["name"], "HOROVOD_FUSION_THRESHOLD");
    let server = serde_json::to_string_pretty(&pools("bert")[2]).unwrap();
    let docker = out.file("20-images/trainer/Dockerfile");
    insta::assert_snapshot!(format!("{server}\n\n{docker}"));
}
