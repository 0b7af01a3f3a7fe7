//! Blueprints that the tests look at.

/// What most blueprints share.
const BASE: &str = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket data {
  location = "us-east4"
}

identity trainer {
}

image nemo {
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = registry("us-east4", "training")
}
"#;

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// All of that, and a cluster with these fields, pools and queues.
pub(super) fn cluster(head: &str, body: &str) -> String {
    format!(
        "{BASE}\n{head} a3m on gke {{\n  network = fabric\n  zone = \"us-east4-a\"\n{}}}\n",
        indented(body)
    )
}

/// A pool of four nodes with eight GPUs each.
pub(super) const GPUS: &str = "pool gpus {\n machine = \"a3-megagpu-8g\"\n nodes = 4\n}\n";

/// A pool of two nodes without any.
pub(super) const CPUS: &str = "pool cpus {\n machine = \"n2-standard-8\"\n nodes = 2\n}\n";

/// A pool, with these fields.
pub(super) fn pool(name: &str, machine: &str, fields: &str) -> String {
    format!("pool {name} {{\n machine = \"{machine}\"\n{fields}\n}}\n")
}

/// A queue of two teams over pools, with further fields.
pub(super) fn queue(name: &str, pools: &str, fields: &str) -> String {
    format!(
        "queue {name} {{\n pools = [{pools}]\n namespaces = [\"team-a\", \"team-b\"]\n{fields}\n}}\n"
    )
}

/// A workload of the image, with further fields.
pub(super) fn workload(name: &str, place: &str, fields: &str) -> String {
    let own = fields.split("group ").next().unwrap_or_default();
    let launch = if own.contains("launch") { "" } else { "  launch = python(\"train.py\")\n" };
    format!("\nworkload {name} on a3m.{place} {{\n  image = nemo\n{launch}{}}}\n", indented(fields))
}

/// A cluster with four nodes of GPUs, and a workload on them.
pub(super) fn run(fields: &str) -> String {
    cluster("cluster", GPUS) + &workload("run", "gpus", fields)
}

/// Two slices of 16 chips, with further fields, and what else the cluster has.
pub(super) fn tpus(fields: &str, beside: &str) -> String {
    let slices = format!("topology = 4x4\n slices = 2\n {fields}");
    cluster("cluster", &(pool("v5e", "ct5lp-hightpu-4t", &slices) + beside))
}

/// One GPU pool with a queue and a run of all its nodes, which uses everything that a workload may say.
pub(super) fn gpus(machine: &str, nodes: i64) -> String {
    let lent = ["a3-megagpu-8g", "a3-highgpu-8g", "g2-standard-96"].contains(&machine);
    let capacity = if lent { "on_demand" } else { "reservation(\"r\")" };
    let pools = pool("gpus", machine, &format!(" nodes = {nodes}\n capacity = {capacity}"))
        + CPUS
        + &queue("research", "gpus", " cohort = \"all\"");
    let nouns = r#"
dashboard runs {
  region = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  network  = fabric
  location = "us-east4-a"
}

filesystem models {
  storage = nfs("10.0.0.5", "/exports/models")
}
"#;
    let pretrain = format!(
        r#"nodes     = {nodes}
launch    = torchrun("pretrain_gpt.py", args = {{ max_steps = 10, fast = true, slow = false, board = runs.resource }})
mounts    = [mount(data, "/data"), mount(home, "/home"), mount(models, "/models"), mount(scratch(1TiB), "/scratch")]
env       = {{ HF_TOKEN = secret("hf-token"), MODE = "\$(HOME) \$\$", STEPS = 10, SERVER = home.address }}
restarts  = 3
max_run   = 1d
priority  = "high"
identity  = trainer
dashboard = runs
workdir   = "/opt/nemo"
labels    = {{ team = "llm" }}

group uploader on a3m.cpus {{
  decides = false
  cpus = 1
  memory = 2GiB
  image  = "python:3.12"
  launch = command(["python3", "-c", "print('\$(x)')"])
  mounts = [mount(data, "/data")]
}}
"#
    );
    let bandwidth = "nodes = 2\nlaunch = mpirun([\"all_gather_perf\", \"-b\", \"8\"])";
    let platform = if machine.starts_with("a4x") { "arm64" } else { "amd64" };
    let image = format!("image nemo {{\n  platform = \"{platform}\"\n");
    cluster("cluster", &pools).replace("image nemo {\n", &image)
        + nouns
        + &workload("pretrain", "gpus", &pretrain)
        + &workload("bandwidth", "gpus", bandwidth)
        + &workload("ranks", "gpus", "nodes = 2\nlaunch = srun([\"python3\", \"it's.py\"])")
}
