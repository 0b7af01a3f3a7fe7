//! Runs of several groups: order, readiness, helpers, containers beside, and what failures mean.

use super::samples::{CPUS, cluster, pool};
use super::{jobset, object, pod, yaml};
use slipform_tests::text::rendered_despite;

/// What rules say of where machines are offered.
const OF_STOCK: &[&str] = &["placement/not-in-zone"];

fn shown(text: &str, name: &str) -> String {
    rendered_despite(text, OF_STOCK).shown(&[&format!("50-workloads/{name}/base/jobset.yaml")])
}

#[test]
fn a_head_leads_slices_of_workers() {
    let slices =
        pool("v5e", "ct5lp-hightpu-4t", "topology = 4x4\n slices = 2\n zone = \"us-east4-a\"");
    let text = cluster("cluster", &(slices + CPUS))
        + r#"
workload pathways on a3m.v5e {
  image       = "us-docker.pkg.dev/my-images/pathways/server:v1"
  launch      = command(["server", "--resource_manager=pathways-head"])
  role        = "worker"
  slices      = 2
  after       = [ready(head)]
  coordinator = head

  group head on a3m.cpus {
    image      = "us-docker.pkg.dev/my-images/pathways/client:v1"
    launch     = python("train.py")
    domain     = "kubernetes.io/hostname"
    cpus       = 2
    memory     = 8GiB
    ready_when = tcp(29000)
    sidecars   = [
      sidecar("proxy", image = "us-docker.pkg.dev/my-images/pathways/proxy:v1", argv = ["proxy", "--port=29000"], port = 29000),
      sidecar("rm", image = "us-docker.pkg.dev/my-images/pathways/server:v1", env = { TPU_SKIP_MDS_QUERY = "true" }, cpus = 2),
    ]
  }
}
"#;
    insta::assert_snapshot!(shown(&text, "pathways"));
}

#[test]
fn a_trainer_and_its_rollouts_fail_and_end_each_in_its_way() {
    let text = cluster("cluster", &(pool("gpus", "g2-standard-96", "nodes = 6") + CPUS))
        + r#"
workload dpo on a3m.gpus {
  image      = "us-docker.pkg.dev/my-images/rl/trainer:v1"
  launch     = torchrun("train.py")
  role       = "trainer"
  nodes      = 4
  restarts   = 2
  success    = "any"
  after      = [ready(rollout), complete(prepare)]
  on_failure = [fail(exit_codes = [3, 4], of = [dpo]), forgive(disrupted = true), restart(of = [rollout])]

  group rollout on a3m.gpus {
    image      = "us-docker.pkg.dev/my-images/rl/engine:v1"
    launch     = command(["serve", "--port=8000"])
    nodes      = 2
    ready_when = http(8000, path = "/health")
  }

  group prepare on a3m.cpus {
    image  = "us-docker.pkg.dev/my-images/rl/trainer:v1"
    launch = python("prepare.py")
    cpus    = 4
    memory  = 8GiB
    retries = 3
  }

  group watch on a3m.cpus {
    image   = "us-docker.pkg.dev/my-images/rl/trainer:v1"
    launch  = python("watch.py")
    cpus    = 1
    memory  = 1GiB
    decides = false
  }
}
"#;
    insta::assert_snapshot!(shown(&text, "dpo"));
}

#[test]
fn groups_say_whose_pods_go_first_onto_nodes() {
    let queue = "queue all {\n pools = [gpus, cpus]\n}\n";
    let gpus = pool("gpus", "g2-standard-96", "nodes = 2");
    let text = cluster("cluster", &(gpus + CPUS + queue))
        + r#"
workload train on a3m.gpus {
  image  = "a:1"
  nodes  = 2
  launch = torchrun("train.py")

  group feed on a3m.cpus {
    image    = "a:1"
    launch   = python("feed.py")
    cpus     = 2
    memory   = 4GiB
    priority = "high"
  }
}
"#;
    let out = rendered_despite(&text, OF_STOCK).output;
    let run = jobset(&out, "train");
    assert_eq!(pod(&run, "feed")["spec"]["priorityClassName"], "high");
    assert_eq!(pod(&run, "node")["spec"].get("priorityClassName"), None);
    let class = object(&out, "40-a3m-queues/queues.yaml", "PriorityClass", "high");
    assert_eq!(class["value"], 750);
    assert_eq!(class["globalDefault"], yaml("false"));
    assert_eq!(class["preemptionPolicy"], "Never");
}
