//! Blueprints whose pages the tests read.

/// One workload on each platform.
pub(super) fn everywhere() -> String {
    let nouns = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.128.0.0/20
}

image nemo {
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = registry("us-east4", "training")
  copy    = { src = "/app" }
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

cluster hpc on slurm {
  partition gpu {
    machine = "hgx-h100"
    nodes   = 2
  }
}

cluster managed on vertex {
  region  = "us-east4"
  machine = "a3-megagpu-8g"
}
"#;
    let runs = [("on_gke", "a3m.gpus"), ("on_slurm", "hpc.gpu"), ("on_vertex", "managed")]
        .map(|(name, place)| workload(name, place, "nemo", 2, ""));
    nouns.to_owned() + &runs.concat()
}

/// A workload with further fields.
pub(super) fn workload(name: &str, place: &str, image: &str, nodes: i64, fields: &str) -> String {
    let fields: String = fields.lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!(
        "\nworkload {name} on {place} {{\n  image = {image}\n  nodes = {nodes}\n  launch = python(\"train.py\")\n{fields}}}\n"
    )
}

pub(super) const PYTHON: &str = "\"python:3.12\"";

/// The text with further pools and queues in the cluster on GKE.
pub(super) fn with_pools(text: &str, pools: &str) -> String {
    let pools: String = pools.lines().map(|line| format!("  {line}\n")).collect();
    text.replace("\n  pool gpus {", &format!("\n{pools}  pool gpus {{"))
}

/// A test and a training on each platform, which read secrets; capacity of each kind.
pub(super) fn production() -> String {
    let pools = r#"pool reserved {
  machine  = "a3-ultragpu-8g"
  nodes    = 3
  capacity = reservation("projects/shared-1/reservations/a3u")
}
pool lent {
  machine  = "g2-standard-96"
  nodes    = 3
  capacity = flex_start(1d)
}"#;
    let env =
        "env = { HF_TOKEN = secret(\"hf-token\"), WANDB_KEY = secret(\"wandb\", key = \"api\") }";
    let places =
        [("train_gke", "a3m.lent"), ("train_slurm", "hpc.gpu"), ("train_vertex", "managed")];
    let runs = places.map(|(name, place)| {
        let whole = format!("{env}\nidentity = trainer");
        workload(name, place, PYTHON, 1, &whole)
            + &workload(&format!("try_{name}"), place, PYTHON, 1, "max_run = 30m\ntest = true")
    });
    with_pools(&everywhere(), pools) + "\nidentity trainer {\n}\n" + &runs.concat()
}

/// A test and two runs of unlike priorities on nodes that Kueue asks for, and what they read.
pub(super) fn lent() -> String {
    let pools = r#"pool lent {
  machine  = "a3-megagpu-8g"
  nodes    = 2
  capacity = queued(1d)
}
queue shared {
  pools      = [lent]
  priorities = { low = 1, high = 2 }
}"#;
    let nouns = r#"
## Shards.
bucket corpus {
  location = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  network  = fabric
  location = "us-east4-a"
}
"#;
    let mounts = "mounts = [mount(corpus, \"/corpus\", folder = \"v1\", read_only = true), \
                  mount(home, \"/seen\", folder = \"runs\", read_only = true), mount(home, \"/home\")]";
    let runs = [("trial", "high", true), ("small", "low", false), ("big", "high", false)];
    let runs = runs.map(|(name, priority, test)| {
        let fields = format!("priority = \"{priority}\"\nmax_run = 30m\ntest = {test}\n{mounts}");
        workload(name, "a3m.lent", PYTHON, 2, &fields)
    });
    with_pools(&everywhere(), pools) + nouns + &runs.concat()
}
