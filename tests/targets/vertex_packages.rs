//! Packages on Google's prebuilt images, and what the replicas of a job are told of each other.

use serde_json::{Value, json};
use slipform_targets::document::to_node;
use slipform_targets::schema::Shape;
use slipform_tests::text::{planned_despite, rendered_despite};

/// Parameter servers and an evaluator: TensorFlow's four roles, each with a machine of its own.
const SERVERS: &str = r#"
cluster trainers on vertex {
  region  = "us-central1"
  machine = "n1-standard-16"
  gpus    = attached("t4", 2)
}

cluster servers on vertex {
  region  = "us-central1"
  machine = "n1-highmem-8"
}

workload recommend on trainers {
  image    = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12.py310:release-1"
  packages = ["gs://my-project-code/trainer-0.3.tar.gz", "gs://my-project-code/data-1.0.tar.gz"]
  launch   = python("trainer.task", module = true, args = { epochs = 3 })
  env      = { PRICE = "5 $(USD)" }
  restarts = 2
  success  = "own"

  group worker on trainers {
    image    = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12.py310:release-1"
    packages = ["gs://my-project-code/trainer-0.3.tar.gz"]
    launch   = python("trainer.task", module = true)
    nodes    = 4
  }

  group ps on servers {
    image    = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-12.py310:release-1"
    packages = ["gs://my-project-code/trainer-0.3.tar.gz"]
    launch   = python("trainer.task", module = true)
    nodes    = 2
    part     = "servers"
  }

  group judge on trainers {
    image  = "us-docker.pkg.dev/my-project/training/judge:v1"
    launch = command(["python3", "/app/judge.py", "--once"])
    part   = "evaluators"
  }
}
"#;

#[test]
fn roles_have_machines_and_packages_of_their_own() {
    let out = rendered_despite(SERVERS, &[]);
    let path = "50-workloads/recommend/recommend.json";
    insta::assert_snapshot!(out.shown(&[path]));
    let request: Value = serde_json::from_str(out.file(path)).unwrap();
    let faults = Shape::of("customjob").unwrap().check(&to_node(&request).unwrap());
    assert_eq!(faults, []);
    assert!(!out.has("50-workloads/recommend/launch.sh"));
    let judge = &request["jobSpec"]["workerPoolSpecs"][3]["containerSpec"];
    assert_eq!(judge["command"], json!(["python3"]));
}

/// As a program finds them in its environment, and as an editor shows them.
#[test]
fn replicas_are_told_of_each_other() {
    let planned = planned_despite(SERVERS, &[]);
    let both = ["cluster_spec", "tf_config"];
    let nouns = ["recommend", "recommend.worker", "recommend.ps", "recommend.judge"];
    let told: String = nouns.iter().map(|noun| planned.facts(noun, &both)).collect();
    insta::assert_snapshot!(told);
    let text = "cluster managed on vertex {\n  region = \"us-central1\"\n  machine = \"n1-standard-16\"\n}\n\nworkload alone on managed {\n  image = \"a:1\"\n  launch = command([\"true\"])\n  tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 2 }\n}\n";
    let alone = planned_despite(text, &[]);
    assert_eq!(alone.fact("alone", "tf_config"), "nothing");
    assert!(alone.fact("alone", "cluster_spec").contains("trial"));
}
