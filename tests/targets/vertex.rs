//! Blueprints rendered for Vertex AI: what the requests and the scripts beside them say.

use serde_json::{Value, json};
use slipform_targets::document::to_node;
use slipform_targets::schema::Shape;
use slipform_tests::text::{Rendered, rendered_despite};

/// What rules say of runs that these tests are not about: how long others wait for one that fails, and what a
/// machine is offered as.
const JUDGED: &[&str] =
    &["vertex/unbounded-wait", "vertex/unsupported", "capacity/spot-without-restarts"];

/// Machines, with further fields, and a workload on them.
fn text(machine: &str, cluster: &str, workload: &str) -> String {
    let indented = |text: &str| -> String {
        text.lines().map(|line| format!("  {}\n", line.trim())).collect()
    };
    let launch = if workload.contains("launch") { "" } else { "  launch = python(\"train.py\")\n" };
    let (cluster, workload) = (indented(cluster), indented(workload));
    let region = match machine {
        "a2-highgpu-1g" => "us-central1",
        "ct6e-standard-4t" => "us-east5",
        _ => "us-east4",
    };
    format!(
        "cluster managed on vertex {{\n  region = \"{region}\"\n  machine = \"{machine}\"\n{cluster}}}\n\n\
         workload pretrain on managed {{\n  image = \"pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime\"\n{launch}{workload}}}\n"
    )
}

fn run(machine: &str, cluster: &str, workload: &str) -> Rendered {
    rendered_despite(&text(machine, cluster, workload), JUDGED)
}

const REQUEST: &str = "50-workloads/pretrain/pretrain.json";
const SUBMIT: &str = "50-workloads/pretrain/submit.sh";
const LAUNCHER: &str = "50-workloads/pretrain/launch.sh";
const TORCHRUN: &str =
    "launch = torchrun(\"pretrain_gpt.py\", args = { max_steps = 10, name = \"it's\" })";

fn request(out: &Rendered) -> Value {
    serde_json::from_str(out.file(REQUEST)).unwrap()
}

#[test]
fn a_training_run() {
    let nouns = r#"
bucket data {
  location = "us-east4"
}

identity trainer {}

dashboard board {
  region = "us-east4"
}

"#;
    let cluster = "staging = data
        capacity = reservation(\"projects/owner/reservations/big\")
        zone = \"us-east4-a\"";
    let workload = format!(
        "nodes = 16
        {TORCHRUN}
        mounts = [mount(data, \"/data\"), mount(scratch(2TiB), \"/scratch\")]
        env = {{ HF_TOKEN = secret(\"hf-token\"), GREETING = \"say \\$(HOME)\", N = 3 }}
        restarts = 3
        max_run = 3d
        identity = trainer
        dashboard = board
        labels = {{ team = \"a\" }}"
    );
    let text = nouns.to_owned()
        + &text("a3-megagpu-8g", &(cluster.to_owned() + "\ndisk = 3TiB"), &workload);
    let out = rendered_despite(&text, JUDGED);
    insta::assert_snapshot!("training_run_scripts", out.shown(&[LAUNCHER, SUBMIT]));
    insta::assert_snapshot!("training_run_request", out.shown(&[REQUEST]));
    // every pool of the request leaves the launcher to the script that sends it
    let request = request(&out);
    for pool in request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap() {
        let command = &pool["containerSpec"]["command"];
        assert_eq!(*command, json!(["bash", "-c", "@launch.sh", "pretrain"]));
    }
    assert!(out.file(SUBMIT).contains("\"$here\"/launch.sh"));
}

#[test]
fn every_request_has_the_shape_of_the_api() {
    let faults = |out: &Rendered| {
        let node = to_node(&request(out)).unwrap();
        Shape::of("customjob").unwrap().check(&node)
    };
    for (machine, nodes) in [("a3-megagpu-8g", 4), ("a2-highgpu-1g", 1), ("ct6e-standard-4t", 4)] {
        let out = run(machine, "", &format!("nodes = {nodes}"));
        assert_eq!(faults(&out), [], "{machine}");
    }
    assert_eq!(faults(&of_groups(EVALUATOR, SERVERS)), []);
}

/// No pool is a copy with another count, and the primary is alone.
#[test]
fn pools_are_the_primary_and_the_others() {
    let cluster =
        "capacity = reservation(\"projects/owner/reservations/r\")\nzone = \"us-east4-b\"";
    let request = request(&run("a3-ultragpu-8g", cluster, &format!("nodes = 8\n{TORCHRUN}")));
    let pools = request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap();
    let counts: Vec<_> = pools.iter().map(|pool| pool["replicaCount"].as_i64().unwrap()).collect();
    assert_eq!(counts, [1, 7]);
    assert_eq!(pools[0]["machineSpec"], pools[1]["machineSpec"]);
    let affinity = &pools[1]["machineSpec"]["reservationAffinity"]["values"][0];
    assert_eq!(affinity, "projects/owner/zones/us-east4-b/reservations/r");
    assert_eq!(pools[0]["diskSpec"]["bootDiskType"], "hyperdisk-balanced");
}

#[test]
fn one_node_that_needs_nothing_starts_at_once() {
    let out = run("a2-highgpu-1g", "", &format!("nodes = 1\n{TORCHRUN}"));
    assert!(!out.has(LAUNCHER));
    insta::assert_snapshot!(out.shown(&[REQUEST]));
}

#[test]
fn launchers_may_agree_on_their_ranks() {
    let workload = "nodes = 2\nlaunch = torchrun(\"train.py\", rendezvous = \"c10d\")";
    let out = run("a3-megagpu-8g", "", workload);
    let meeting =
        "--rdzv_endpoint=\"$MASTER_ADDR:$MASTER_PORT\" --rdzv_id=\"$CLOUD_ML_JOB_ID\" \"$@\"\n";
    assert!(out.file(LAUNCHER).ends_with(meeting), "{}", out.file(LAUNCHER));
}

#[test]
fn an_entry_point_starts_without_a_command() {
    let out = run("a2-highgpu-1g", "", "nodes = 2\nlaunch = entrypoint([\"--port\", 8000])");
    assert!(!out.has(LAUNCHER));
    let container = request(&out)["jobSpec"]["workerPoolSpecs"][1]["containerSpec"].clone();
    assert_eq!(container["command"], Value::Null);
    assert_eq!(container["args"], json!(["--port", "8000"]));
}

#[test]
fn ranks_without_a_launcher_are_started_by_the_script() {
    let workload = "nodes = 2\nlaunch = srun([\"python\", \"train.py\"])\nworkdir = \"/my app\"";
    insta::assert_snapshot!(run("a3-ultragpu-8g", "capacity = spot", workload).shown(&[LAUNCHER]));
}

/// What torchrun leaves its workers follows the grace of the workload, unless its own variables say it.
#[test]
fn torchrun_leaves_its_workers_their_grace() {
    let shutdown = |workload: &str| {
        let codes = [JUDGED, &["vertex/grace"]].concat();
        let request = request(&rendered_despite(&text("a3-megagpu-8g", "", workload), &codes));
        let env = request.pointer("/jobSpec/workerPoolSpecs/0/containerSpec/env").cloned();
        let env = env.unwrap_or_default().as_array().cloned().unwrap_or_default();
        env.iter()
            .find(|it| it["name"] == "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")
            .map(|it| it["value"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(shutdown(&format!("{TORCHRUN}\ngrace = 10m")).as_deref(), Some("600"));
    let own = format!("{TORCHRUN}\ngrace = 10m\nenv = {{ TORCH_ELASTIC_SHUTDOWN_TIMEOUT = 45 }}");
    assert_eq!(shutdown(&own).as_deref(), Some("45"));
    assert_eq!(shutdown(""), None);
}

/// Replicas that are left wait for ever for one that began anew, so that the whole job begins anew; without restarts
/// nothing does.
#[test]
fn a_gang_starts_again_as_a_whole_or_not_at_all() {
    let scheduling = |workload: &str| {
        let codes = [JUDGED, &["vertex/restarts"]].concat();
        let request = request(&rendered_despite(&text("a3-megagpu-8g", "", workload), &codes));
        let scheduling = request.pointer("/jobSpec/scheduling").cloned();
        let field = |name: &str| scheduling.as_ref().map(|it| it[name] == true);
        (field("restartJobOnWorkerRestart"), field("disableRetries"))
    };
    assert_eq!(scheduling("nodes = 4"), (Some(false), Some(true)));
    assert_eq!(scheduling("nodes = 4\nrestarts = 3"), (Some(true), Some(false)));
    assert_eq!(scheduling("nodes = 1\nrestarts = 3"), (Some(false), Some(false)));
}

/// The bill of a custom job tells the blueprint, as that of everything that Terraform makes.
#[test]
fn a_job_has_the_labels_of_its_blueprint() {
    let out = run("a3-megagpu-8g", "", "labels = { environment = \"mine\" }");
    let labels = request(&out)["labels"].clone();
    assert_eq!(labels["managed-by"], "slipform");
    assert_eq!(labels["blueprint"], out.planned.plan.model.name.as_str());
    // what is written goes first
    assert_eq!(labels["environment"], "mine");
}

#[test]
fn a_slice_is_one_replica_with_a_topology() {
    let request = request(&run("ct6e-standard-4t", "", "nodes = 4"));
    let pools = request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap();
    assert_eq!(pools.len(), 1);
    assert_eq!(pools[0]["replicaCount"], 1);
    assert_eq!(
        pools[0]["machineSpec"],
        json!({ "machineType": "ct6e-standard-4t", "tpuTopology": "4x4" })
    );
}

#[test]
fn capacity_becomes_a_strategy() {
    for (capacity, scheduling) in [
        ("on_demand", json!({ "strategy": "STANDARD", "disableRetries": true })),
        ("spot", json!({ "strategy": "SPOT", "disableRetries": true })),
        (
            "flex_start(1d)",
            json!({ "strategy": "FLEX_START", "timeout": "86400s", "maxWaitDuration": "86400s", "disableRetries": true }),
        ),
    ] {
        let cluster = format!("capacity = {capacity}");
        let request = request(&run("a3-megagpu-8g", &cluster, &format!("nodes = 2\n{TORCHRUN}")));
        assert_eq!(request.pointer("/jobSpec/scheduling"), Some(&scheduling), "{capacity}");
    }
}

/// Each place holds its marker, so that sending the request finds it.
#[test]
fn places_of_later_values_hold_their_markers() {
    let nouns = r#"
network fabric {
  region = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  location = "us-east4-a"
  network  = fabric
}

"#;
    let workload = "nodes = 2
        launch = torchrun(\"t.py\", args = { server = home.address })
        env = { SERVER = home.address }
        mounts = [mount(home, \"/home/shared\")]";
    let cluster = "network = \"projects/1/global/networks/n\"";
    let text = nouns.to_owned() + &text("a3-megagpu-8g", cluster, workload);
    let out = rendered_despite(&text, JUDGED);
    let (request, script) = (request(&out), out.file(SUBMIT));
    let pointers: Vec<&str> = script
        .lines()
        .filter_map(|line| line.trim().split(' ').next())
        .filter(|word| word.starts_with("/jobSpec"))
        .collect();
    assert_eq!(pointers.len(), 6, "{script}");
    for pointer in pointers {
        let text =
            request.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}"));
        assert!(text.contains("${home_address}"), "{pointer}: {text}");
    }
}

#[test]
fn a_patch_is_merged() {
    let patch = "nodes = 1
        allow patch/owned \"for a trial\"
        patch custom_job {
        jobSpec = { enableWebAccess = true, scheduling = { timeout = 1m } }
        }";
    let request = request(&run("a3-megagpu-8g", "", patch));
    assert_eq!(request.pointer("/jobSpec/enableWebAccess"), Some(&true.into()));
    assert_eq!(
        request.pointer("/jobSpec/scheduling"),
        Some(&json!({ "strategy": "STANDARD", "timeout": "60s", "disableRetries": true }))
    );
}

/// What the image has where something is mounted makes way, as it would for a mount, and nothing of it is lost.
#[test]
fn a_folder_of_the_image_makes_way_for_a_mount() {
    let bucket = "bucket data {\n  location = \"us-east4\"\n}\n\n".to_owned();
    let workload = "nodes = 2\nmounts = [mount(data, \"/workspace\")]";
    let out =
        rendered_despite(&(bucket + &text("a3-ultragpu-8g", "capacity = spot", workload)), JUDGED);
    let (_, after) = out.file(LAUNCHER).split_once("link() {").unwrap();
    let (body, _) = after.split_once("\n}\n").unwrap();
    let trial = format!(
        "set -euo pipefail\nlink() {{{body}\n}}\ncd \"$(mktemp -d)\"; root=$PWD\nmkdir -p work empty gcs/a; touch work/of-image gcs/a/of-bucket\n\
         cd work\nlink \"$root/gcs/a\" \"$root/work\"; ls . \"$root/work.image\"\n\
         link \"$root/gcs/a\" \"$root/empty\"; link \"$root/gcs/a\" \"$root/empty\"; ls \"$root/empty\" \"$root\"\n\
         rm -r -- \"$root\""
    );
    let out = std::process::Command::new("bash").args(["-c", &trial]).output().unwrap();
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(out.status.success(), "{}", words(&out.stderr));
    let seen = words(&out.stdout);
    let names: Vec<&str> = seen.lines().filter(|it| !it.is_empty() && !it.ends_with(':')).collect();
    assert_eq!(
        names,
        ["of-bucket", "of-image", "empty", "gcs", "work", "work.image", "of-bucket"],
        "{seen}"
    );
    assert!(words(&out.stderr).contains("is now at"), "{}", words(&out.stderr));
}

/// A job of two machines: trainers, servers beside them, and an evaluator without GPUs.
const GROUPS: &str = r#"bucket data {
  location = "us-east4"
  access   = "write"
}

network fabric {
  region = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  location = "us-east4-a"
  network  = fabric
}

identity trainer {}

cluster gpus on vertex {
  region  = "us-east4"
  machine = "a3-megagpu-8g"
  network = "projects/1/global/networks/n"
  staging = data
  labels  = { cost = "gpus", team = "a" }
}

cluster small on vertex {
  region  = "us-east4"
  machine = "g2-standard-24"
  network = "projects/1/global/networks/n"
  disk    = 200GiB
}

cluster cpus on vertex {
  region  = "us-east4"
  machine = "n1-standard-16"
  network = "projects/1/global/networks/n"
  labels  = { cost = "cpus", kind = "judges" }
}

workload pretrain on gpus {
  image    = "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime"
  launch   = torchrun("train.py")
  nodes    = 4
  success  = "own"
  restarts = 3
  identity = trainer
  mounts   = [mount(data, "/data")]
EVALUATOR
SERVERS
}
"#;

const SERVERS: &str = r#"
  group rollout on small {
    image   = "vllm/vllm-openai:v0.8.5"
    launch  = srun(["python3", "-m", "rollout"])
    nodes   = 3
    port    = 6000
    env     = { HF_TOKEN = secret("hf-token"), SERVER = home.address }
    mounts  = [mount(home, "/home/shared")]
    workdir = "/work"
  }
"#;

const EVALUATOR: &str = r#"
  group judge on cpus {
    image  = "python:3.12-slim-bookworm"
    launch = command(["python3", "judge.py"])
    part   = "evaluators"
  }
"#;

fn of_groups(evaluator: &str, servers: &str) -> Rendered {
    let text = GROUPS.replace("EVALUATOR\n", evaluator).replace("SERVERS\n", servers);
    rendered_despite(&text, JUDGED)
}

/// Each pool has its own machine, disk, image, command, variables and mounts, and stands in the place that its group
/// names, or in the first that is free.
#[test]
fn groups_are_worker_pools() {
    let out = of_groups(EVALUATOR, SERVERS);
    let servers = "50-workloads/pretrain/launch-servers.sh";
    insta::assert_snapshot!("groups_request", out.shown(&[REQUEST]));
    insta::assert_snapshot!("groups_scripts", out.shown(&[LAUNCHER, servers, SUBMIT]));
    assert!(!out.has("50-workloads/pretrain/launch-evaluators.sh"));
}

/// A place that no group takes is there and empty, so that the evaluator is none of the servers.
#[test]
fn a_place_that_is_free_stays_empty() {
    let pools = |evaluator: &str| {
        let out = of_groups(evaluator, "");
        let request = request(&out);
        request.pointer("/jobSpec/workerPoolSpecs").and_then(Value::as_array).cloned().unwrap()
    };
    let with_a_gap = pools(EVALUATOR);
    assert_eq!(with_a_gap[2], json!({}));
    assert_eq!(with_a_gap[3]["machineSpec"], json!({ "machineType": "n1-standard-16" }));
    assert_eq!(with_a_gap.len(), 4);
    let by_itself = pools(&EVALUATOR.replace("part   = \"evaluators\"", ""));
    assert_eq!(by_itself[2], with_a_gap[3]);
    assert_eq!(by_itself.len(), 3);
}

/// A workload of one node leaves the place of the workers to a group; one that says its part goes first.
#[test]
fn groups_of_one_node_may_be_its_workers() {
    let text = GROUPS
        .replace("  nodes    = 4\n", "")
        .replace("EVALUATOR\n", SERVERS)
        .replace("SERVERS\n", &EVALUATOR.replace("evaluators", "workers"));
    let request = request(&rendered_despite(&text, JUDGED));
    let machine = |at: usize| {
        let pointer = format!("/jobSpec/workerPoolSpecs/{at}/machineSpec/machineType");
        request.pointer(&pointer).and_then(Value::as_str).map(str::to_owned)
    };
    let expected = ["a3-megagpu-8g", "n1-standard-16", "g2-standard-24"];
    assert_eq!([0, 1, 2].map(|at| machine(at).unwrap()), expected);
    assert_eq!(machine(3), None);
    // the group is started again with the one node
    assert_eq!(
        request.pointer("/jobSpec/scheduling/restartJobOnWorkerRestart"),
        Some(&true.into())
    );
}

/// Each launcher finds its own first replica and its own number in what Vertex AI tells replicas of each other.
#[test]
fn replicas_of_a_group_meet_at_its_first() {
    let out = of_groups(EVALUATOR, SERVERS);
    let spec = |pool: &str, index: usize| {
        json!({
            "cluster": {
                "workerpool0": ["first:2222"],
                "workerpool1": ["w0:2222", "w1:2222", "w2:2222"],
                "workerpool2": ["s0:2222", "s1:2222", "s2:2222"],
                "workerpool3": ["e0:2222"],
            },
            "task": { "type": pool, "index": index },
        })
        .to_string()
    };
    let found = |launcher: &str, pool: &str, index: usize| {
        let script = out.file(launcher);
        let (_, rest) = script.split_once("read -r NODE_RANK").unwrap();
        let (read, _) = rest.split_once("\n')\n").unwrap();
        let trial =
            format!("set -euo pipefail\nread -r NODE_RANK{read}\n')\necho $NODE_RANK $MASTER_ADDR");
        let done = std::process::Command::new("bash")
            .args(["-c", &trial])
            .env("CLUSTER_SPEC", spec(pool, index))
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    };
    let servers = "50-workloads/pretrain/launch-servers.sh";
    assert_eq!(found(LAUNCHER, "workerpool0", 0), "0 first");
    assert_eq!(found(LAUNCHER, "workerpool1", 2), "3 first");
    assert_eq!(found(servers, "workerpool2", 0), "0 s0");
    assert_eq!(found(servers, "workerpool2", 2), "2 s0");
}
/// What a replica works out is put into its command by its script; the rest stays in the request.
#[test]
fn replicas_are_told_what_their_run_knows() {
    let workload = r#"nodes = 2
launch = command(["echo", node_rank, "$(x)"], )
env = { ID = run_id, NODES = node_count, TEXT = "run_id" }"#;
    let out = run("a3-megagpu-8g", "", &workload.replace(", )", ")"));
    let request = request(&out);
    let container = request.pointer("/jobSpec/workerPoolSpecs/0/containerSpec").unwrap();
    assert_eq!(container["args"], json!(["echo", "", "$(x)"]));
    let env = container["env"].as_array().unwrap();
    assert!(env.contains(&json!({ "name": "NODES", "value": "2" })), "{env:?}");
    assert!(env.contains(&json!({ "name": "TEXT", "value": "run_id" })), "{env:?}");
    assert!(!env.iter().any(|it| it["name"] == "ID"), "{env:?}");
    let (_, end) = out.file(LAUNCHER).split_once("export ID=").unwrap();
    let script = format!("set -euo pipefail\nNODE_RANK=1\nexport ID={end}")
        .replace("exec \"$@\"", "echo $ID; \"$@\"");
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &script, "launch", "echo", "", "$(x)"]).env("CLOUD_ML_JOB_ID", "77");
    let found = bash.output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "77\n1 $(x)\n");
}

#[test]
fn what_a_blueprint_says_wins_against_the_script_of_the_stack() {
    let codes = [JUDGED, &["gpu/owned-variables"]].concat();
    let workload = "nodes = 2\nenv = { NCCL_IB_TC = \"41\", OTHER = \"x\" }";
    let out = rendered_despite(&text("a3-ultragpu-8g", "capacity = spot", workload), &codes);
    let script = out.file(LAUNCHER);
    let (kept, rest) = script.split_once("for name in NCCL_IB_TC; do own+=(").unwrap();
    assert!(!kept.contains("source ") && rest.contains("source "), "{script}");
    let (_, behind) = rest.split_once("source ").unwrap();
    assert!(behind.contains("export \"${own[@]}\"\n"), "{script}");
}

#[test]
fn each_replica_is_prepared_and_cleaned_up_once() {
    let workload = r#"nodes = 1
setup = [["echo", "it's", host(pretrain)]]
cleanup = [["false"], ["echo", "last", "<$HOME>"]]
launch = command(["bash", "-c", "echo run; exit 4"])"#;
    let out = run("a2-highgpu-1g", "", workload);
    let request = request(&out);
    let args = request.pointer("/jobSpec/workerPoolSpecs/0/containerSpec/args").unwrap();
    let args: Vec<&str> = args.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let mut bash = std::process::Command::new("bash");
    let output = bash.args(["-c", out.file(LAUNCHER), "launch"]).args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        (text.as_str(), output.status.code()),
        ("it's localhost\nrun\nlast <$HOME>\n", Some(4))
    );
}

/// A patch finds worker pools by their places, and what else they say stays.
#[test]
fn pools_are_patched_by_their_places() {
    let mount = "{ instanceIp = \"10.0.0.2\", filesystem = \"lake\", volumeHandle = \"h\", mountPoint = \"/mnt/lustre/lake\" }";
    let pools = |patch: &str| {
        let out = run("a2-highgpu-1g", "", &format!("nodes = 3\n{patch}"));
        let request: Value = serde_json::from_str(out.file(REQUEST)).unwrap();
        request["jobSpec"]["workerPoolSpecs"].clone()
    };
    let plain = pools("");
    let patched = pools(&format!(
        "patch custom_job {{\n jobSpec = {{ workerPoolSpecs = [{{}}, {{ lustreMounts = [{mount}] }}] }}\n}}"
    ));
    assert_eq!(patched[0], plain[0]);
    assert_eq!(patched[1]["lustreMounts"][0]["mountPoint"], "/mnt/lustre/lake");
    assert_eq!(patched[1]["containerSpec"], plain[1]["containerSpec"]);
    assert_eq!(patched[1]["replicaCount"], plain[1]["replicaCount"]);
}
