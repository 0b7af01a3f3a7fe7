//! What platforms do with fields: every field has a row, and every row is tried by writing the field.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

#[path = "coverage/model.rs"]
mod model;
#[path = "coverage/nouns.rs"]
mod nouns;
#[path = "coverage/owned.rs"]
mod owned;
#[path = "coverage/tuning.rs"]
mod tuning;

use model::MODEL;
use nouns::{IN_VAIN, SUBJECTS};
use owned::Said;
use slipform_analysis::{Fields, Options, Schema, Type, analyse};
use slipform_changes::{Effect, File};
use slipform_source::MemoryWorld;
use slipform_targets::Artifact;
use slipform_targets::coverage::{Cover, Platform, Row, shared};
use slipform_tests::{Report, checked_text, reports};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tuning::TUNING;

/// Everything that a workload may refer to, on each platform.
const GROUND: &str = r#"param project: ProjectId = "my-project"

network vpc {
  region   = "us-east5"
  subnet   = 10.0.0.0/16
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

identity trainer {}
identity other {}

bucket data {
  location     = "us-east5"
  access       = "write"
  hierarchical = true
}

bucket more {
  location     = "us-east5"
  access       = "write"
  hierarchical = true
}

dashboard board {
  region = "us-east5"
}

cluster gke on gke {
  network = vpc
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 16
    capacity = spot
  }

  pool spare {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }

  pool more {
    machine = "n2-standard-8"
    nodes   = 2
  }

  pool slices {
    machine  = "ct5p-hightpu-4t"
    topology = 2x2x2
    slices   = 4
    zone     = "us-east5-a"
  }

  queue first {
    pools      = [gpus]
    namespaces = ["default", "team"]
  }

  queue second {
    pools      = [gpus]
    namespaces = ["default", "team"]
  }
}

cluster tril on gke {
  network  = vpc
  location = "us-east5"

  pool cubes {
    machine  = "ct6e-standard-4t"
    topology = 2x4
    slices   = 4
    slicing  = "dynamic"
    zone     = "us-east5-a"
  }

  queue all {
    pools      = [cubes]
    namespaces = ["default", "team"]
  }
}

cluster slurm on slurm {
  shared        = "/shared"
  release       = "25.11"
  node_identity = trainer

  partition h100 {
    machine = "a3-megagpu-8g"
    nodes   = 8
  }

  partition more {
    machine = "a3-megagpu-8g"
    hosts   = "more-[0-7]"
    nodes   = 8
  }
}

cluster vertex on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
  staging = data
  capacity = spot
}

cluster vertex2 on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
  staging = data
  disk    = 600GiB
  capacity = spot
}
"#;

/// A field of a workload as it stands at first, if it does, and as it stands then.
struct Change {
    field: &'static str,
    before: &'static str,
    after: &'static str,
    /// Where it stands on one platform instead of its usual place: a TPU pool for slices.
    at: Option<(Platform, &'static str)>,
}

const fn change(field: &'static str, before: &'static str, after: &'static str) -> Change {
    Change { field, before, after, at: None }
}

/// What both mount.
const MOUNTS: &[Change] = &[
    change(
        "mounts.source",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(more, \"/data\")]",
    ),
    change(
        "mounts.source.size",
        "mounts = [mount(scratch(1GiB), \"/data\")]",
        "mounts = [mount(scratch(2GiB), \"/data\")]",
    ),
    change(
        "mounts.source.name",
        "mounts = [mount(claim(\"a\"), \"/data\")]",
        "mounts = [mount(claim(\"b\"), \"/data\")]",
    ),
    change(
        "mounts.source.name",
        "mounts = [mount(config_map(\"a\"), \"/data\")]",
        "mounts = [mount(config_map(\"b\"), \"/data\")]",
    ),
    change(
        "mounts.source.name",
        "mounts = [mount(secret_files(\"a\"), \"/data\")]",
        "mounts = [mount(secret_files(\"b\"), \"/data\")]",
    ),
    change(
        "mounts.source.path",
        "mounts = [mount(host_path(\"/a\"), \"/data\")]",
        "mounts = [mount(host_path(\"/b\"), \"/data\")]",
    ),
    change(
        "mounts.source.bucket",
        "mounts = [mount(local_checkpoints(data, 1GiB), \"/data\")]",
        "mounts = [mount(local_checkpoints(more, 1GiB), \"/data\")]",
    ),
    change(
        "mounts.source.memory",
        "mounts = [mount(local_checkpoints(data, 1GiB), \"/data\")]",
        "mounts = [mount(local_checkpoints(data, 2GiB), \"/data\")]",
    ),
    change(
        "mounts.path",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/other\")]",
    ),
    change("mounts", "", "mounts = [mount(data, \"/data\")]"),
    change(
        "mounts.folder",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", folder = \"part\")]",
    ),
    change(
        "mounts.read_only",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", read_only = true)]",
    ),
    change(
        "mounts.use",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", use = \"checkpoints\")]",
    ),
    change(
        "mounts.cache",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", cache = 1GiB)]",
    ),
    change(
        "mounts.cpus",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", cpus = 2)]",
    ),
    change(
        "mounts.memory",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", memory = 3GiB)]",
    ),
];

/// What both start, by each launcher.
const LAUNCHES: &[Change] = &[
    change("launch.script", "launch = python(\"a.py\")", "launch = python(\"b.py\")"),
    change("launch.script", "launch = torchrun(\"a.py\")", "launch = torchrun(\"b.py\")"),
    change(
        "launch.args",
        "launch = python(\"a.py\")",
        "launch = python(\"a.py\", args = { a = 1 })",
    ),
    change(
        "launch.args",
        "launch = torchrun(\"a.py\")",
        "launch = torchrun(\"a.py\", args = { a = 1 })",
    ),
    change("launch.args", "launch = srun([\"a\"])", "launch = srun([\"a\"], args = { a = 1 })"),
    change("launch.args", "launch = mpirun([\"a\"])", "launch = mpirun([\"a\"], args = { a = 1 })"),
    change(
        "launch.args.group",
        "launch = python(\"a\", args = { a = host(FIRST) })",
        "launch = python(\"a\", args = { a = host(SECOND) })",
    ),
    change(
        "launch.argv.group",
        "launch = srun([\"a\", host(FIRST)])",
        "launch = srun([\"a\", host(SECOND)])",
    ),
    change("launch.module", "launch = python(\"a\")", "launch = python(\"a\", module = true)"),
    change("launch.module", "launch = torchrun(\"a\")", "launch = torchrun(\"a\", module = true)"),
    change("launch.argv", "launch = python(\"a\")", "launch = python(\"a\", argv = [\"b\"])"),
    change("launch.argv", "launch = torchrun(\"a\")", "launch = torchrun(\"a\", argv = [\"b\"])"),
    change(
        "launch.options",
        "launch = python(\"a\", args = { b = 1 })",
        "launch = python(\"a\", args = { b = 1 }, options = \"plain\")",
    ),
    change(
        "launch.options",
        "launch = torchrun(\"a\", args = { b = 1 })",
        "launch = torchrun(\"a\", args = { b = 1 }, options = \"plain\")",
    ),
    change(
        "launch.options",
        "launch = srun([\"a\"], args = { b = 1 })",
        "launch = srun([\"a\"], args = { b = 1 }, options = \"plain\")",
    ),
    change(
        "launch.options",
        "launch = mpirun([\"a\"], args = { b = 1 })",
        "launch = mpirun([\"a\"], args = { b = 1 }, options = \"plain\")",
    ),
    change(
        "launch.rendezvous",
        "launch = torchrun(\"a\")",
        "launch = torchrun(\"a\", rendezvous = \"c10d\")",
    ),
    change("launch.argv", "launch = submitter([\"a\"])", "launch = submitter([\"b\"])"),
    change(
        "launch.args",
        "launch = submitter([\"a\"])",
        "launch = submitter([\"a\"], args = { a = 1 })",
    ),
    change(
        "launch.options",
        "launch = submitter([\"a\"], args = { b = 1 })",
        "launch = submitter([\"a\"], args = { b = 1 }, options = \"plain\")",
    ),
    change("launch.argv", "launch = srun([\"a\"])", "launch = srun([\"b\"])"),
    change("launch.argv", "launch = mpirun([\"a\"])", "launch = mpirun([\"b\"])"),
    change("launch.argv", "launch = command([\"a\"])", "launch = command([\"b\"])"),
    change(
        "launch.args",
        "launch = entrypoint()\n  fabric = \"off\"",
        "launch = entrypoint([\"a\"])\n  fabric = \"off\"",
    ),
];

/// What both say of their nodes.
const NODES: &[Change] = &[
    change("place", "", ""),
    change("image", "", ""),
    change("image.path", "image = squashfs(\"./a.sqsh\")", "image = squashfs(\"./b.sqsh\")"),
    change(
        "image.from",
        "image = squashfs(\"./a.sqsh\", from = \"a:1\")",
        "image = squashfs(\"./a.sqsh\", from = \"a:2\")",
    ),
    change("nodes", "nodes = 2", "nodes = 3"),
    Change {
        at: Some((Platform::Gke, "gke.slices")),
        ..change("slices", "slices = 1", "slices = 2")
    },
    change("launch", "launch = torchrun(\"train.py\")", "launch = torchrun(\"other.py\")"),
    change("env.name", "env = { A = secret(\"a\") }", "env = { A = secret(\"b\") }"),
    change(
        "env.key",
        "env = { A = secret(\"a\") }",
        "env = { A = secret(\"a\", key = \"other\") }",
    ),
    change("env", "", "env = { A = \"b\" }"),
    change("env.group", "env = { A = host(FIRST) }", "env = { A = host(SECOND) }"),
    change("identity", "identity = trainer", "identity = other"),
    change("setup", "", "setup = [[\"a\"]]"),
    change("setup.group", "setup = [[\"a\", host(FIRST)]]", "setup = [[\"a\", host(SECOND)]]"),
    change("gpu_check", "", "gpu_check = true"),
    change("cleanup", "", "cleanup = [[\"a\"]]"),
    change("cleanup.group", "cleanup = [[host(FIRST)]]", "cleanup = [[host(SECOND)]]"),
    change("processes", "", "processes = 4"),
    change("accelerators", "", "accelerators = 4"),
    change("cpus", "", "cpus = 2"),
    change("memory", "", "memory = 3GiB"),
    change("port", "", "port = 4000"),
    change("shared_memory", "", "shared_memory = 1GiB"),
    change("workdir", "", "workdir = \"/work\""),
    change("fabric", "", "fabric = \"off\""),
    change("role", "", "role = \"other\""),
    change(
        "packages",
        "image = \"us-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:v1\"\n  launch = python(\"a\", module = true)\n  fabric = \"off\"",
        "image = \"us-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:v1\"\n  launch = python(\"a\", module = true)\n  fabric = \"off\"\n  packages = [\"gs://b/a.tar.gz\"]",
    ),
    change("privileged", "", "privileged = true"),
    change("capabilities", "", "capabilities = [\"IPC_LOCK\"]"),
    change("host_network", "fabric = \"off\"", "fabric = \"off\"\n  host_network = true"),
    change("ports", "", "ports = { metrics = 9400 }"),
    change("account", "", "account = \"robot\""),
    change("deadline", "", "deadline = 2h"),
    change("container", "", "container = \"trainer\""),
    change("after", "", "after = [ready(FIRST)]"),
    change("after.group", "after = [ready(FIRST)]", "after = [ready(SECOND)]"),
    change("after.group", "after = [complete(FIRST)]", "after = [complete(SECOND)]"),
    change("ready_when", "", "ready_when = tcp(8000)"),
    change("ready_when.port", "ready_when = tcp(8000)", "ready_when = tcp(8001)"),
    change("ready_when.port", "ready_when = http(8000)", "ready_when = http(8001)"),
    change(
        "ready_when.path",
        "ready_when = http(8000)",
        "ready_when = http(8000, path = \"/health\")",
    ),
    change("ready_when.argv", "ready_when = exec([\"a\"])", "ready_when = exec([\"b\"])"),
    change("ready_when.within", "ready_when = tcp(1)", "ready_when = tcp(1, within = 2h)"),
    change("ready_when.within", "ready_when = http(1)", "ready_when = http(1, within = 2h)"),
    change(
        "ready_when.within",
        "ready_when = exec([\"a\"])",
        "ready_when = exec([\"a\"], within = 2h)",
    ),
    change("retries", "", "retries = 2"),
    change("domain", "", "domain = \"example.com/rack\""),
    change("topology", "", "topology = required(\"block\")"),
    change("topology.level", "topology = required(\"block\")", "topology = required(\"subblock\")"),
    change("topology.level", "topology = preferred(\"block\")", "topology = preferred(\"host\")"),
    change(
        "topology.slices",
        "topology = required(\"block\")",
        "topology = required(\"block\", slices = \"subblock\")",
    ),
    change(
        "topology.slices",
        "topology = preferred(\"block\")",
        "topology = preferred(\"block\", slices = \"subblock\")",
    ),
    change("topology", "", "topology = \"anywhere\""),
    change(
        "topology.each",
        "topology = required(\"block\")",
        "topology = required(\"block\", each = { host = 1 })",
    ),
    change(
        "topology.each",
        "topology = preferred(\"block\")",
        "topology = preferred(\"block\", each = { host = 1 })",
    ),
    change(
        "topology.each",
        "topology = grouped({ block = 1 })",
        "topology = grouped({ subblock = 1 })",
    ),
    Change {
        field: "shape",
        before: "slices = 1",
        after: "slices = 2\n  shape = 2x2",
        at: Some((Platform::Gke, "tril.cubes")),
    },
    change("sidecars", "", "sidecars = [sidecar(\"proxy\", image = \"a:1\")]"),
    change(
        "sidecars.name",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"other\", image = \"a:1\")]",
    ),
    change(
        "sidecars.image",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:2\")]",
    ),
    change(
        "sidecars.argv",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", argv = [\"a\"])]",
    ),
    change(
        "sidecars.env",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = \"b\" })]",
    ),
    change(
        "sidecars.args",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", args = [\"a\"])]",
    ),
    change(
        "sidecars.args.group",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", args = [host(FIRST)])]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", args = [host(SECOND)])]",
    ),
    change(
        "sidecars.argv.group",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", argv = [host(FIRST)])]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", argv = [host(SECOND)])]",
    ),
    change(
        "sidecars.env.group",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = host(FIRST) })]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = host(SECOND) })]",
    ),
    change(
        "sidecars.env.name",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = secret(\"a\") })]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = secret(\"b\") })]",
    ),
    change(
        "sidecars.env.key",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = secret(\"a\") })]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", env = { A = secret(\"a\", key = \"b\") })]",
    ),
    change(
        "sidecars.cpus",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", cpus = 2)]",
    ),
    change(
        "sidecars.memory",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", memory = 2GiB)]",
    ),
    change(
        "sidecars.port",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\")]",
        "sidecars = [sidecar(\"proxy\", image = \"a:1\", port = 80)]",
    ),
];

/// Every other field of a workload, changed.
const WORKLOAD: &[Change] = &[
    change("parallel", "", "parallel = { tensor = 8 }"),
    change("parallel.tensor", "parallel = {}", "parallel = { tensor = 8 }"),
    change("parallel.pipeline", "parallel = {}", "parallel = { pipeline = 2 }"),
    change("parallel.context", "parallel = {}", "parallel = { context = 2 }"),
    change("parallel.expert", "parallel = {}", "parallel = { expert = 2 }"),
    change("parallel.data", "parallel = {}", "parallel = { data = 16 }"),
    change("parallel.global_batch", "parallel = {}", "parallel = { global_batch = 32 }"),
    change(
        "parallel.micro_batch",
        "parallel = { global_batch = 32 }",
        "parallel = { global_batch = 32, micro_batch = 2 }",
    ),
    change("restarts", "", "restarts = 1"),
    change("max_run", "", "max_run = 5h"),
    change("test", "", "test = true"),
    change("grace", "", "grace = 10s"),
    change("queue", "", "queue = gke.second"),
    change("namespace", "", "namespace = \"team\""),
    change("priority", "", "priority = \"high\""),
    change("dashboard", "", "dashboard = board"),
    change("name", "", "name = \"other\""),
    change("labels", "", "labels = { team = \"a\" }"),
    change("success", "", "success = \"any\""),
    change("success", "", "success = \"own\""),
    change("on_failure", "", "on_failure = [fail()]"),
    change(
        "on_failure.exit_codes",
        "on_failure = [fail()]",
        "on_failure = [fail(exit_codes = [3])]",
    ),
    change(
        "on_failure.disrupted",
        "on_failure = [fail()]",
        "on_failure = [fail(disrupted = true)]",
    ),
    change("on_failure.of", "on_failure = [fail()]", "on_failure = [fail(of = [FIRST])]"),
    change(
        "on_failure.exit_codes",
        "on_failure = [restart()]",
        "on_failure = [restart(exit_codes = [3])]",
    ),
    change(
        "on_failure.disrupted",
        "on_failure = [restart()]",
        "on_failure = [restart(disrupted = true)]",
    ),
    change("on_failure.of", "on_failure = [restart()]", "on_failure = [restart(of = [FIRST])]"),
    change(
        "on_failure.exit_codes",
        "on_failure = [forgive()]",
        "on_failure = [forgive(exit_codes = [3])]",
    ),
    change(
        "on_failure.disrupted",
        "on_failure = [forgive()]",
        "on_failure = [forgive(disrupted = true)]",
    ),
    change("on_failure.of", "on_failure = [forgive()]", "on_failure = [forgive(of = [FIRST])]"),
    change("coordinator", "", "coordinator = train"),
    change(
        "host_names",
        "launch = python(\"a.py\")",
        "launch = python(\"a.py\")\n  host_names = false",
    ),
    change("only_nodes", "", "only_nodes = { rack = \"r1\" }"),
    change("prefer_nodes", "", "prefer_nodes = { rack = \"r1\" }"),
    change("avoid_nodes", "", "avoid_nodes = [\"node-1\"]"),
    change("ttl", "", "ttl = 1d"),
    change("pull_secrets", "", "pull_secrets = [\"registry\"]"),
    change("title", "", "title = \"Another title\""),
    change("upload", "", "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")"),
    change(
        "upload.title",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"N\", \"us-docker.pkg.dev/p/r/i:1\")",
    ),
    change(
        "upload.image",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:2\")",
    ),
    change(
        "upload.predict",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", predict = \"/p\")",
    ),
    change(
        "upload.health",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", health = \"/h\")",
    ),
    change(
        "upload.port",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", port = 8080)",
    ),
    change(
        "upload.id",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", id = \"m\")",
    ),
    change(
        "upload.parent",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", parent = \"m\")",
    ),
    change(
        "upload.aliases",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\")",
        "upload = upload(\"M\", \"us-docker.pkg.dev/p/r/i:1\", aliases = [\"prod\"])",
    ),
    change("reduction_server", "", "reduction_server = reducers()"),
    change(
        "reduction_server.machine",
        "reduction_server = reducers()",
        "reduction_server = reducers(\"n2-highcpu-16\")",
    ),
    change(
        "reduction_server.nodes",
        "reduction_server = reducers()",
        "reduction_server = reducers(nodes = 3)",
    ),
    change(
        "reduction_server.tier_1",
        "reduction_server = reducers(\"n2-highcpu-32\")",
        "reduction_server = reducers(\"n2-highcpu-32\", tier_1 = true)",
    ),
    change("batch", "", "batch = { label = true }"),
    change("batch.account", "batch = { account = \"a\" }", "batch = { account = \"b\" }"),
    change("batch.qos", "batch = { qos = \"a\" }", "batch = { qos = \"b\" }"),
    change(
        "batch.reservation",
        "batch = { reservation = \"a\" }",
        "batch = { reservation = \"b\" }",
    ),
    change("batch.nice", "batch = { nice = 1 }", "batch = { nice = 2 }"),
    change(
        "batch.attempt_logs",
        "batch = { nice = 1 }",
        "batch = { nice = 1, attempt_logs = true }",
    ),
    change(
        "batch.any_dependency",
        "batch = { dependency = [afterok(job(1)), afterok(job(2))] }",
        "batch = { dependency = [afterok(job(1)), afterok(job(2))], any_dependency = true }",
    ),
    change(
        "batch.output",
        "batch = { output = \"a.out\" }",
        "batch = { output = \"logs/%j.out\" }",
    ),
    change("batch.error", "batch = { error = \"a.err\" }", "batch = { error = \"logs/%j.err\" }"),
    change("batch.label", "batch = { label = false }", "batch = { label = true }"),
    change("batch.array", "batch = { array = \"0-3\" }", "batch = { array = \"0-7%2\" }"),
    change(
        "batch.dependency",
        "batch = { dependency = [] }",
        "batch = { dependency = [singleton] }",
    ),
    change(
        "batch.dependency.of",
        "batch = { dependency = [afterok(job(1))] }",
        "batch = { dependency = [afterok(job(2))] }",
    ),
    change(
        "batch.dependency.of.number",
        "batch = { dependency = [afterok(job(1))] }",
        "batch = { dependency = [afterok(job(2))] }",
    ),
    change(
        "batch.dependency.of",
        "batch = { dependency = [afterany(job(1))] }",
        "batch = { dependency = [afterany(job(2))] }",
    ),
    change(
        "batch.dependency.of.number",
        "batch = { dependency = [afterany(job(1))] }",
        "batch = { dependency = [afterany(job(2))] }",
    ),
    change(
        "batch.dependency.of",
        "batch = { dependency = [afternotok(job(1))] }",
        "batch = { dependency = [afternotok(job(2))] }",
    ),
    change(
        "batch.dependency.of.number",
        "batch = { dependency = [afternotok(job(1))] }",
        "batch = { dependency = [afternotok(job(2))] }",
    ),
    change(
        "batch.dependency.of",
        "batch = { dependency = [after(job(1))] }",
        "batch = { dependency = [after(job(2))] }",
    ),
    change(
        "batch.dependency.of.number",
        "batch = { dependency = [after(job(1))] }",
        "batch = { dependency = [after(job(2))] }",
    ),
    change(
        "batch.dependency.of",
        "batch = { array = \"0-3\", dependency = [aftercorr(job(1))] }",
        "batch = { array = \"0-3\", dependency = [aftercorr(job(2))] }",
    ),
    change(
        "batch.dependency.delay",
        "batch = { dependency = [after(job(1))] }",
        "batch = { dependency = [after(job(1), 10m)] }",
    ),
    change("batch.signal", "batch = { signal = \"TERM\" }", "batch = { signal = \"INT\" }"),
    change("batch.segment", "batch = { label = true }", "batch = { segment = 2 }"),
    change("batch.switches", "batch = { label = true }", "batch = { switches = switches(1) }"),
    change(
        "batch.switches.count",
        "batch = { switches = switches(1) }",
        "batch = { switches = switches(2) }",
    ),
    change(
        "batch.switches.wait",
        "batch = { switches = switches(1) }",
        "batch = { switches = switches(1, wait = 1h) }",
    ),
    change("batch.ranks", "batch = { ranks = \"slurm\" }", "batch = { ranks = \"physical_host\" }"),
    change("batch.cpu_bind", "batch = { label = true }", "batch = { cpu_bind = \"cores\" }"),
    change("batch.mem_bind", "batch = { label = true }", "batch = { mem_bind = \"local\" }"),
    change("batch.gpu_bind", "batch = { label = true }", "batch = { gpu_bind = \"closest\" }"),
    change("batch.mpi", "batch = { mpi = \"none\" }", "batch = { mpi = \"pmi2\" }"),
    change("batch.import", "batch = { import = \"submit\" }", "batch = { import = \"job\" }"),
    change(
        "batch.stage",
        "batch = { stage = [] }",
        "batch = { stage = [staged(\"./a\", \"/tmp/a\")] }",
    ),
    change(
        "batch.stage.from",
        "batch = { stage = [staged(\"./a\", \"/tmp/a\")] }",
        "batch = { stage = [staged(\"./b\", \"/tmp/a\")] }",
    ),
    change(
        "batch.stage.to",
        "batch = { stage = [staged(\"./a\", \"/tmp/a\")] }",
        "batch = { stage = [staged(\"./a\", \"/tmp/b\")] }",
    ),
    change(
        "batch.stage_images",
        "batch = { stage_images = \"/tmp\" }",
        "batch = { stage_images = \"/dev/shm\" }",
    ),
    change(
        "batch.save",
        "nodes = 1\n  batch = { save = \"./a.sqsh\" }",
        "nodes = 1\n  batch = { save = \"./b.sqsh\" }",
    ),
    change("batch.login", "batch = { login = [] }", "batch = { login = [[\"true\"]] }"),
];

/// The same of a group.
const GROUP: &[Change] = &[
    change("", "", ""),
    change("decides", "", "decides = false"),
    change("priority", "", "priority = \"high\""),
    change("part", "part = \"servers\"", "part = \"evaluators\""),
];

/// All changes of what runs.
fn of_runs(own: &'static [Change]) -> impl Iterator<Item = &'static Change> {
    let tuned = own.iter().any(|it| it.field == "parallel");
    own.iter()
        .chain(TUNING.iter().filter(move |_| tuned))
        .chain(MODEL.iter().filter(move |_| tuned))
        .chain(NODES)
        .chain(LAUNCHES)
        .chain(MOUNTS)
}

fn places(platform: Platform) -> [&'static str; 2] {
    match platform {
        Platform::Gke => ["gke.gpus", "gke.spare"],
        Platform::Slurm => ["slurm.h100", "slurm.more"],
        Platform::Vertex => ["vertex", "vertex2"],
    }
}

/// What the fields of a workload are where none of them is tried.
const USUAL: [(&str, &str); 4] = [
    ("image", "image = \"pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime\""),
    ("nodes", "nodes = 2"),
    ("launch", "launch = torchrun(\"train.py\")"),
    ("identity", "identity = trainer"),
];

/// Nodes with one field as it is tried.
fn fields(field: &str, line: &str) -> String {
    let own = field.split('.').next().unwrap_or_default();
    let usual = USUAL.iter().filter(|(name, _)| *name != own);
    // nodes follow from slices, a pod has one account, and launchers need names
    let apart = [
        ("slices", "nodes"),
        ("account", "identity"),
        ("host_names", "launch"),
        ("packages", "image"),
        ("packages", "launch"),
        ("batch.save", "nodes"),
    ];
    let usual = usual.filter(|(name, _)| !apart.contains(&(field, *name)));
    let mut lines: Vec<&str> = usual.map(|(_, line)| *line).collect();
    lines.push(line);
    lines.join("\n  ")
}

/// Whether a field names groups of the same workload.
fn names_groups(field: &str) -> bool {
    field.starts_with("after") || field.ends_with(".group") || field == "on_failure.of"
}

/// A workload with one field as it is tried; with the groups that it waits for, where it does.
fn workload(place: &str, field: &str, line: &str, group: &str) -> String {
    let others: &[&str] = if names_groups(field)
        || ["role", "success"].contains(&field) && !place.starts_with("vertex")
    {
        &["first", "second"]
    } else {
        &[]
    };
    let others = named(place, others);
    let line = line.replace("FIRST", "first_group").replace("SECOND", "second_group");
    let fields = fields(field, &line);
    format!("{GROUND}\nworkload train on {place} {{\n  {fields}\n{others}{group}}}\n")
}

/// Groups that something may name.
fn named(place: &str, names: &[&str]) -> String {
    let group = |name: &&str| {
        format!(
            "  group {name}_group on {place} {{\n    image = \"a:1\"\n    launch = command([\"true\"])\n  }}\n"
        )
    };
    names.iter().map(group).collect()
}

/// A workload with a group with one field as it is tried.
fn group(place: &str, at: &str, field: &str, line: &str) -> String {
    let others: &[&str] = if names_groups(field) { &["second"] } else { &[] };
    let others = named(place, others);
    let line = line.replace("FIRST", "train").replace("SECOND", "second_group");
    let fields = fields(field, &line);
    workload(place, "", "", &format!("{others}  group beside on {at} {{\n  {fields}\n  }}\n"))
}

/// The blueprints before and after a change.
fn both(platform: Platform, kind: &str, change: &Change) -> [String; 2] {
    let [place, other] = places(platform);
    let own = change.at.filter(|(it, _)| *it == platform);
    let place = own.map_or(place, |(_, place)| place);
    let Change { field, before, after, .. } = change;
    let images = ["image = \"a:1\"", "image = \"a:2\""];
    match (kind, *field) {
        ("group", "") => [workload(place, "", "", ""), group(place, place, "", "")],
        ("group", "place") => [place, other].map(|at| group(place, at, "", "")),
        ("group", "image") => images.map(|line| group(place, place, "image", line)),
        ("group", _) => [before, after].map(|line| group(place, place, field, line)),
        (_, "place") => [place, other].map(|place| workload(place, "", "", "")),
        (_, "image") => images.map(|line| workload(place, "image", line, "")),
        _ => [before, after].map(|line| workload(place, field, line, "")),
    }
}

/// What a blueprint renders to, and what is said of it.
fn tried(text: &str) -> (Vec<Artifact>, Vec<Report>) {
    let (analysis, output) = checked_text(text);
    (output.artifacts, reports(&analysis))
}

fn bytes(artifacts: &[Artifact]) -> Vec<(&str, &str)> {
    artifacts.iter().map(|it| (it.path.as_str(), it.content.as_str())).collect()
}

/// What does not hold of a row.
fn fault(cover: Cover, texts: [String; 2]) -> Option<String> {
    let [(before, first), (after, then)] = texts.map(|text| tried(&text));
    // what stands in a field that is refused is refused with it
    let refused = |code: &str| matches!(cover, Cover::Refused(answer) if answer.code.name == code);
    let error = first.iter().find(|it| it.severity == "error" && !refused(&it.code));
    if let Some(error) = error {
        return Some(format!("before the change: {error:?}"));
    }
    if before.is_empty() && first.iter().all(|it| it.severity != "error") {
        return Some("before the change: nothing is rendered".to_owned());
    }
    let same = bytes(&before) == bytes(&after);
    let told = |code: &str| then.iter().any(|it| it.code == code);
    let error = then.iter().find(|it| it.severity == "error");
    match cover {
        Cover::Honoured | Cover::Making | Cover::Managed | Cover::Only(..) | Cover::Noted(_) => {
            match error {
                Some(error) => Some(format!("after the change: {error:?}")),
                None if same => Some("changes nothing".to_owned()),
                None => feared(&before, &after),
            }
        }
        Cover::NoEffect(_) => (!same).then(|| format!("changes something: {error:?}")),
        Cover::Ignored(answer) => {
            (!told(answer.code.name) || !same).then(|| "is not ignored with a warning".to_owned())
        }
        Cover::Refused(answer) => (!told(answer.code.name) || error.is_none())
            .then(|| format!("is not refused: {then:?}")),
        Cover::Ruled(code) => (!told(code)).then(|| format!("{code} does not say so: {then:?}")),
    }
}

/// Whatever is known of these: objects of another namespace are others.
const FEARED: &[&str] = &[
    "objects in another namespace are others",
    "Cluster Toolkit makes Terraform of it",
    "machines are exchanged by hand, and jobs there end",
];

/// A change of what is rendered whose effect nobody knows: `plan` would say of it that it may replace.
fn feared(before: &[Artifact], after: &[Artifact]) -> Option<String> {
    let found = slipform_changes::changes(&read(before), &read(after));
    let is_unknown = |it: &&slipform_changes::Change| {
        it.effect == Effect::MayReplace && !FEARED.iter().any(|why| it.why.starts_with(*why))
    };
    let unknown = found.iter().find(is_unknown)?;
    Some(format!("it is not known what becomes of {}: {unknown:?}", unknown.thing))
}

fn read(artifacts: &[Artifact]) -> Vec<File<'_>> {
    artifacts.iter().map(|it| File { path: it.path.as_str(), text: it.content.as_str() }).collect()
}

#[test]
fn every_row_is_true() {
    let mut faults = Vec::new();
    for platform in Platform::ALL {
        for (kind, changes) in [("workload", WORKLOAD), ("group", GROUP)] {
            for (field, cover) in platform.rows(kind).unwrap() {
                let groups = platform.rows("group").into_iter().flatten().next();
                let alone = matches!(groups, Some(("", Cover::Refused(_))));
                let tried = of_runs(changes).filter(|it| it.field == *field);
                for change in tried.filter(|it| !(alone && names_groups(it.field))) {
                    let mut texts = both(platform, kind, change);
                    let kept = kept_out(Some(platform), change.after);
                    let kept = kept.or_else(|| kept_out_of_groups(platform, kind, change.after));
                    if kept.is_some() {
                        texts[0] = workload(places(platform)[0], "", "", "");
                    }
                    if let Some(fault) = fault(kept.unwrap_or(*cover), texts) {
                        let after = change.after;
                        faults
                            .push(format!("{} {kind} {field}: {after}: {fault}", platform.title()));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_row_of_another_noun_is_true() {
    let mut faults = Vec::new();
    for subject in SUBJECTS {
        let rows = rows(subject.kind, subject.platform);
        for (field, before, after) in subject.changes {
            let on = subject.platform.unwrap_or("every platform");
            let row = rows.iter().find(|(known, _)| known == field);
            let (_, cover) =
                row.unwrap_or_else(|| panic!("no row of {} {field} on {on}", subject.kind));
            let texts = [before, after].map(|line| subject.with(field, line));
            let kept = kept_out(platform(subject.platform), after);
            if let Some(fault) = fault(kept.unwrap_or(*cover), texts) {
                faults.push(format!("{} {field} on {on}: {after}: {fault}", subject.kind));
            }
            let (code, texts) = match cover {
                Cover::Making => {
                    ("existing/unused", [before, after].map(|line| subject.existing(field, line)))
                }
                Cover::Managed => ("storage/unmanaged", ["", after].map(nouns::on_a_server)),
                _ => continue,
            };
            let [(before, _), (after, then)] = texts.map(|text| tried(&text));
            if !then.iter().any(|it| it.code == code) || bytes(&before) != bytes(&after) {
                let kind = subject.kind;
                faults.push(format!("{kind} {field} is dropped without `{code}`: {then:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A document, a path in it, and the fields that say what stands there: those of its own noun, and of others as `cluster.zone`.
type Owners = BTreeMap<(&'static str, String), BTreeSet<String>>;

/// What a field changes of the documents that may be patched.
fn own(owners: &mut Owners, kind: &str, field: &str, texts: [String; 2]) {
    let [before, after] = texts.map(|text| Said::of(&tried(&text).0));
    // what Terraform is not to look at of a cluster is a list that anybody may have a longer one of
    let said = |it: &(&str, &str)| *it != ("cluster", "lifecycle.ignore_changes");
    for (document, path) in before.unlike(&after).filter(said) {
        let field = field.split('.').next().unwrap_or_default();
        let own = slipform_targets::patchable::documents(kind).any(|known| known == document);
        let field = if own { field.to_owned() } else { format!("{kind}.{field}") };
        owners.entry((document, path.to_owned())).or_default().insert(field);
    }
}

/// The table of what fields say in documents that may be patched.
fn owners() -> String {
    let mut owners = Owners::new();
    for platform in Platform::ALL {
        for (kind, changes) in [("workload", WORKLOAD), ("group", GROUP)] {
            for (field, _) in platform.rows(kind).unwrap().filter(|(field, _)| !field.is_empty()) {
                for change in of_runs(changes).filter(|it| it.field == *field) {
                    own(&mut owners, kind, field, both(platform, kind, change));
                }
            }
        }
    }
    for subject in SUBJECTS {
        for (field, before, after) in subject.changes {
            let texts = [before, after].map(|line| subject.with(field, line));
            own(&mut owners, subject.kind, field, texts);
        }
    }
    let line = |((document, path), fields): ((&str, String), BTreeSet<String>)| {
        format!("{document}\t{path}\t{}\n", fields.into_iter().collect::<Vec<_>>().join(" "))
    };
    owners.into_iter().map(line).collect()
}

#[test]
fn what_a_patch_may_not_overrule_is_what_fields_say() {
    let path = slipform_tests::root().join("targets/owned.tsv");
    let found = owners();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    assert!(
        known == found,
        "targets/owned.tsv is out of date: UPDATE=1 cargo test -p slipform-tests --test coverage"
    );
}

#[test]
fn what_holds_of_some_nouns_is_not_dropped_of_others() {
    let mut faults = Vec::new();
    let mut found = 0;
    let schema = schema();
    let kinds: BTreeSet<&str> = schema.kinds.values().map(|kind| &*kind.name).collect();
    for kind in kinds {
        for on in [None, Some("gke"), Some("slurm"), Some("vertex")] {
            for (field, cover) in rows(kind, on) {
                let Cover::Only(_, answer) = cover else { continue };
                found += 1;
                let subjects = IN_VAIN.iter().filter(|it| it.kind == kind && it.platform == on);
                let changes = subjects.flat_map(|it| it.changes.iter().map(move |of| (it, of)));
                let mut tried = changes.filter(|(_, (known, ..))| *known == field).peekable();
                if tried.peek().is_none() {
                    faults.push(format!("{kind} {field} is not tried in vain"));
                }
                for (subject, (_, before, after)) in tried {
                    let texts = [before, after].map(|line| subject.with(field, line));
                    let fault = fault(Cover::Ignored(answer), texts);
                    faults.extend(fault.map(|it| format!("{kind} {field}: {after}: {it}")));
                }
            }
        }
    }
    assert!(faults.is_empty() && found > 0, "of {found} rows: {}", faults.join("\n"));
}

/// A platform as it is written.
fn platform(written: Option<&str>) -> Option<Platform> {
    let of = |known: &Platform| match known {
        Platform::Gke => "gke",
        Platform::Slurm => "slurm",
        Platform::Vertex => "vertex",
    };
    Platform::ALL.into_iter().find(|known| written == Some(of(known)))
}

fn rows(kind: &str, on: Option<&str>) -> Vec<Row> {
    let rows = platform(on).map_or_else(|| shared(kind), |on| on.rows(kind));
    rows.into_iter().flatten().copied().collect()
}

/// Constructors and words that a rule keeps from a platform, whatever is written in them.
const KEPT_OUT: &[(Platform, &str, &str)] = &[
    (Platform::Gke, "tuning = ", "tuning/elsewhere"),
    (Platform::Slurm, "tuning = ", "tuning/elsewhere"),
    (Platform::Gke, "upload = ", "vertex/upload-elsewhere"),
    (Platform::Slurm, "upload = ", "vertex/upload-elsewhere"),
    (Platform::Gke, "reduction_server = ", "reduction/elsewhere"),
    (Platform::Slurm, "reduction_server = ", "reduction/elsewhere"),
    (Platform::Gke, "submitter(", "slurm/submitter"),
    (Platform::Vertex, "submitter(", "slurm/submitter"),
    (Platform::Gke, "batch = {", "slurm/batch-elsewhere"),
    (Platform::Vertex, "batch = {", "slurm/batch-elsewhere"),
    (Platform::Gke, "squashfs(", "image/slurm-only"),
    (Platform::Vertex, "squashfs(", "image/slurm-only"),
    (Platform::Vertex, "success = \"any\"", "vertex/success"),
    (Platform::Vertex, "ready(", "vertex/after"),
    (Platform::Vertex, "complete(", "vertex/after"),
    (Platform::Slurm, "claim(", "storage/object-elsewhere"),
    (Platform::Slurm, "config_map(", "storage/object-elsewhere"),
    (Platform::Slurm, "secret_files(", "storage/object-elsewhere"),
    (Platform::Vertex, "claim(", "storage/object-elsewhere"),
    (Platform::Vertex, "config_map(", "storage/object-elsewhere"),
    (Platform::Vertex, "secret_files(", "storage/object-elsewhere"),
    (Platform::Slurm, "local_checkpoints(", "storage/local-checkpoints-elsewhere"),
    (Platform::Vertex, "local_checkpoints(", "storage/local-checkpoints-elsewhere"),
    (Platform::Vertex, "host_path(", "storage/host-path-elsewhere"),
    (Platform::Vertex, "mpirun(", "vertex/mpirun"),
    (Platform::Vertex, "queued(", "vertex/capacity"),
    (Platform::Slurm, "queued(", "slurm/capacity"),
];

/// What becomes of a line with such a constructor.
fn kept_out(on: Option<Platform>, line: &str) -> Option<Cover> {
    let mut kept = KEPT_OUT.iter().filter(|(platform, ..)| on == Some(*platform));
    kept.find(|(_, constructor, _)| line.contains(constructor)).map(|(.., code)| Cover::Ruled(code))
}

/// The same of a group, where a run of one group alone may have it.
fn kept_out_of_groups(on: Platform, kind: &str, line: &str) -> Option<Cover> {
    let alone = on == Platform::Gke && kind == "group" && line.contains("local_checkpoints(");
    let submits = kind == "group" && line.contains("submitter(");
    alone
        .then_some(Cover::Ruled("storage/local-checkpoints-groups"))
        .or(submits.then_some(Cover::Ruled("slurm/submitter")))
}

#[test]
fn rules_that_answer_a_field_exist() {
    let rules: Vec<String> =
        slipform_analysis::explain_rules().into_iter().map(|rule| rule.code).collect();
    let tables = Platform::ALL.into_iter().flat_map(|platform| {
        ["cluster", "pool", "partition", "queue", "workload", "group"].map(|it| platform.rows(it))
    });
    let named: Vec<&str> = tables
        .flatten()
        .flatten()
        .filter_map(|(_, cover)| match cover {
            Cover::Ruled(code) => Some(*code),
            _ => None,
        })
        .collect();
    let unknown: Vec<&&str> =
        named.iter().filter(|code| !rules.iter().any(|rule| rule == **code)).collect();
    assert!(unknown.is_empty() && !named.is_empty(), "no rules, but rows name them: {unknown:?}");
}

#[test]
fn every_field_has_a_row_on_every_platform() {
    let mut faults = Vec::new();
    for kind in schema().kinds.values() {
        let platform = match &*kind.name {
            "pool" | "queue" => Some("gke"),
            "partition" => Some("slurm"),
            _ => kind.platform.as_deref(),
        };
        let tables: Vec<Vec<Row>> = match &*kind.name {
            "workload" | "group" => {
                let tables = Platform::ALL.iter().filter_map(|it| it.rows(&kind.name));
                tables.map(|rows| rows.copied().collect()).collect()
            }
            name => vec![rows(name, platform)],
        };
        let mut inside = Vec::new();
        let own = kind.fields.0.iter().filter(|(_, field)| !field.derived);
        let own: Vec<(String, &Type)> =
            own.map(|(name, field)| (name.to_string(), &field.ty)).collect();
        own.iter().for_each(|(name, ty)| inner(ty, name, &mut inside));
        let title = kind.title();
        let tried = changes(&kind.name, platform);
        let mut declared = BTreeSet::new();
        for (field, of) in own.into_iter().map(|(name, _)| (name, None)).chain(inside) {
            let word = of.as_ref().map_or(String::new(), |of| format!("{of}("));
            if !tried.iter().any(|(known, after)| *known == field && after.contains(&word)) {
                faults.push(format!("{title}: {field} is not tried with {word:?}"));
            }
            declared.insert(field);
        }
        for table in
            tables.into_iter().filter(|it| !matches!(it.as_slice(), [("", Cover::Refused(_))]))
        {
            let named = table.iter().map(|(field, _)| (*field).to_owned());
            let named: BTreeSet<String> = named.filter(|it| !it.is_empty()).collect();
            if named != declared {
                faults.push(format!("{title}: {named:?}, declared {declared:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What may be written.
fn schema() -> Arc<Schema> {
    let world = MemoryWorld::new([("main.bp", "")]);
    analyse(&world, &Options { path: "main.bp".into(), ..Options::default() }).schema
}

/// The fields of a kind that are tried, and what each is then.
fn changes(kind: &str, platform: Option<&str>) -> Vec<(&'static str, &'static str)> {
    let runs = match kind {
        "workload" => WORKLOAD,
        "group" => GROUP,
        _ => {
            let subjects = SUBJECTS.iter().filter(|it| it.kind == kind && it.platform == platform);
            let changes = subjects.flat_map(|it| it.changes);
            return changes.map(|(field, _, after)| (*field, *after)).collect();
        }
    };
    of_runs(runs).map(|it| (it.field, it.after)).collect()
}

/// The fields of the constructors and records that a field takes, as rows name them, with the constructor.
fn inner(ty: &Type, path: &str, found: &mut Vec<(String, Option<String>)>) {
    let mut fields = |fields: &Fields, of: Option<&str>| {
        for (name, field) in &fields.0 {
            let path = format!("{path}.{name}");
            inner(&field.ty, &path, found);
            found.push((path, of.map(str::to_owned)));
        }
    };
    match ty {
        Type::Ctor(ctor) => fields(&ctor.fields, Some(&ctor.name)),
        Type::Record(record) => fields(record, None),
        Type::List(ty) | Type::Optional(ty) | Type::Map(_, ty) => inner(ty, path, found),
        Type::Union(arms) => arms.iter().for_each(|arm| inner(arm, path, found)),
        Type::Named(named) => inner(&named.definition, path, found),
        _ => {}
    }
}
