//! Blueprints rendered for Vertex AI: what the requests say, and what is refused.

use super::Vertex;
use crate::document::to_node;
use crate::schema::Shape;
use crate::testing::{Blueprint, Fields, gib, list, mount, record, seconds, variant};
use crate::{Output, Target};
use serde_json::Value as Json;
use slipform_model::{Deferred, NounId, Value};

/// A blueprint with machines on Vertex AI.
struct Managed {
    blueprint: Blueprint,
    cluster: NounId,
}

fn managed(machine: &str, fields: Fields<'_>) -> Managed {
    let mut blueprint = Blueprint::new();
    let mut all = vec![("region", Value::from("us-east4")), ("machine", machine.into())];
    all.extend(fields.iter().cloned());
    let cluster = blueprint.noun("cluster on vertex", "managed", &all);
    Managed { blueprint, cluster }
}

impl Managed {
    fn workload(&mut self, fields: Fields<'_>) -> NounId {
        let mut all = vec![
            ("place", self.blueprint.to(self.cluster)),
            ("image", "nvcr.io/nvidia/nemo:24.07".into()),
        ];
        all.extend(fields.iter().cloned());
        self.blueprint.noun("workload", "pretrain", &all)
    }

    fn render(self) -> Output {
        let mut out = Output::default();
        Vertex.render(&self.blueprint.plan(), &mut out);
        out
    }
}

fn request(out: &Output) -> Json {
    let found = out.artifacts.iter().find(|it| it.path == "50-workloads/pretrain/pretrain.json");
    let text = &found.unwrap_or_else(|| panic!("no request: {:#?}", out.diagnostics)).content;
    serde_json::from_str(text).unwrap()
}

fn submit(out: &Output) -> &str {
    &out.artifacts.iter().find(|it| it.path == "50-workloads/pretrain/submit.sh").unwrap().content
}

/// The launcher, which every pool of the request leaves to the script that sends it.
fn launcher(out: &Output) -> &str {
    let request = request(out);
    for pool in request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap() {
        let command = &pool["containerSpec"]["command"];
        assert_eq!(*command, serde_json::json!(["bash", "-c", "@launch.sh", "pretrain"]));
    }
    assert!(submit(out).contains("\"$here\"/launch.sh"));
    &out.artifacts.iter().find(|it| it.path == "50-workloads/pretrain/launch.sh").unwrap().content
}

fn codes(out: &Output) -> Vec<&str> {
    out.diagnostics.iter().map(|it| &*it.code).collect()
}

fn torchrun() -> Value {
    let args = record(&[("max_steps", 10.into()), ("name", "it's".into())]);
    variant(
        "torchrun",
        &[("script", "pretrain_gpt.py".into()), ("args", args), ("module", false.into())],
    )
}

fn reservation(name: &str) -> Value {
    variant("reservation", &[("name", name.into())])
}

#[test]
fn a_training_run() {
    let mut managed = managed(
        "a3-megagpu-8g",
        &[("capacity", reservation("big")), ("zone", "us-east4-a".into())],
    );
    let blueprint = &mut managed.blueprint;
    let staging = blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let data = blueprint.to(staging);
    let trainer = blueprint.noun("identity", "trainer", &[]);
    let trainer = blueprint.to(trainer);
    let board = blueprint.noun("dashboard", "board", &[("region", "us-east4".into())]);
    let board = blueprint.to(board);
    let scratch = variant("scratch", &[("size", gib(2048))]);
    let secret = variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]);
    managed.workload(&[
        ("nodes", 16.into()),
        ("launch", torchrun()),
        ("mounts", list([mount(data, "/data"), mount(scratch, "/scratch")])),
        (
            "env",
            record(&[("HF_TOKEN", secret), ("GREETING", "say $(HOME)".into()), ("N", 3.into())]),
        ),
        ("restarts", 3.into()),
        ("max_run", seconds(259_200)),
        ("identity", trainer),
        ("dashboard", board),
        ("labels", record(&[("team", "a".into())])),
    ]);
    let out = managed.render();
    assert_eq!(out.diagnostics, []);
    insta::assert_snapshot!("start", launcher(&out));
    insta::assert_snapshot!("submission", submit(&out));
    insta::assert_snapshot!("request", &out.artifacts[0].content);
}

#[test]
fn every_request_has_the_shape_of_the_api() {
    for (machine, fields) in [("a3-megagpu-8g", 4), ("a2-highgpu-1g", 1), ("ct6e-standard-4t", 4)] {
        let mut managed = managed(machine, &[]);
        managed.workload(&[("nodes", fields.into())]);
        let out = managed.render();
        assert_eq!(out.diagnostics, [], "{machine}");
        let node = to_node(&request(&out)).unwrap();
        assert_eq!(Shape::of("customjob").unwrap().check(&node), [], "{machine}");
    }
}

/// No pool is a copy with another count, and the primary is alone.
#[test]
fn pools_are_the_primary_and_the_others() {
    let mut managed = managed(
        "a3-ultragpu-8g",
        &[
            ("capacity", reservation("projects/owner/reservations/r")),
            ("zone", "us-east4-b".into()),
        ],
    );
    managed.workload(&[("nodes", 8.into()), ("launch", torchrun())]);
    let request = request(&managed.render());
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
    let mut managed = managed("a2-highgpu-1g", &[]);
    managed.workload(&[("nodes", 1.into()), ("launch", torchrun())]);
    let out = managed.render();
    assert!(out.artifacts.iter().all(|it| it.path.file_name() != Some("launch.sh")));
    let request = request(&out);
    let container = request.pointer("/jobSpec/workerPoolSpecs/0/containerSpec").unwrap();
    assert_eq!(
        container["command"],
        serde_json::json!(["torchrun", "--standalone", "--nproc_per_node=1"])
    );
    assert_eq!(
        container["args"],
        serde_json::json!(["pretrain_gpt.py", "--max_steps=10", "--name=it's"])
    );
}

#[test]
fn ranks_without_a_launcher_are_started_by_the_script() {
    let mut managed = managed("a3-ultragpu-8g", &[("capacity", Value::word("spot"))]);
    let srun = variant(
        "srun",
        &[("argv", list(["python".into(), "train.py".into()])), ("args", record(&[]))],
    );
    managed.workload(&[("nodes", 2.into()), ("launch", srun), ("workdir", "/my app".into())]);
    insta::assert_snapshot!("ranks", launcher(&managed.render()));
}

/// What torchrun leaves its workers follows the grace of the workload, unless its own variables say it.
#[test]
fn torchrun_leaves_its_workers_their_grace() {
    let shutdown = |fields: Fields<'_>| {
        let mut managed = managed("a3-megagpu-8g", &[]);
        managed.workload(fields);
        let request = request(&managed.render());
        let env = request.pointer("/jobSpec/workerPoolSpecs/0/containerSpec/env").cloned();
        let env = env.unwrap_or_default().as_array().cloned().unwrap_or_default();
        env.iter()
            .find(|it| it["name"] == "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")
            .map(|it| it["value"].as_str().unwrap_or_default().to_owned())
    };
    let ten = ("grace", seconds(600));
    assert_eq!(shutdown(&[("launch", torchrun()), ten.clone()]).as_deref(), Some("600"));
    let own = ("env", record(&[("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", 45.into())]));
    assert_eq!(shutdown(&[("launch", torchrun()), ten, own]).as_deref(), Some("45"));
    assert_eq!(shutdown(&[]), None);
}

/// Replicas that are left wait for ever for one that began anew, so that the whole job begins anew; without restarts
/// nothing does.
#[test]
fn a_gang_starts_again_as_a_whole_or_not_at_all() {
    let scheduling = |fields: Fields<'_>| {
        let mut managed = managed("a3-megagpu-8g", &[]);
        managed.workload(fields);
        let scheduling = request(&managed.render()).pointer("/jobSpec/scheduling").cloned();
        let field = |name: &str| scheduling.as_ref().map(|it| it[name] == true);
        (field("restartJobOnWorkerRestart"), field("disableRetries"))
    };
    let nodes = |count: i64| ("nodes", count.into());
    let restarts = |count: i64| ("restarts", count.into());
    assert_eq!(scheduling(&[nodes(4)]), (Some(false), Some(true)));
    assert_eq!(scheduling(&[nodes(4), restarts(3)]), (Some(true), Some(false)));
    assert_eq!(scheduling(&[nodes(1), restarts(3)]), (Some(false), Some(false)));
}

/// The bill of a custom job tells the blueprint, as that of everything that Terraform makes.
#[test]
fn a_job_has_the_labels_of_its_blueprint() {
    let mut managed = managed("a3-megagpu-8g", &[]);
    managed.workload(&[("labels", record(&[("environment", "mine".into())]))]);
    let labels = request(&managed.render())["labels"].clone();
    assert_eq!(labels["managed-by"], "slipform");
    assert_eq!(labels["blueprint"], "train");
    // what is written goes first
    assert_eq!(labels["environment"], "mine");
}

#[test]
fn a_slice_is_one_replica_with_a_topology() {
    let mut managed = managed("ct6e-standard-4t", &[]);
    managed.workload(&[("nodes", 4.into())]);
    let request = request(&managed.render());
    let pools = request.pointer("/jobSpec/workerPoolSpecs").unwrap().as_array().unwrap();
    assert_eq!(pools.len(), 1);
    assert_eq!(pools[0]["replicaCount"], 1);
    assert_eq!(
        pools[0]["machineSpec"],
        serde_json::json!({ "machineType": "ct6e-standard-4t", "tpuTopology": "4x4" })
    );
}

#[test]
fn capacity_becomes_a_strategy() {
    let flex = variant("flex_start", &[("max", seconds(86_400))]);
    for (capacity, scheduling) in [
        (
            Value::word("on_demand"),
            serde_json::json!({ "strategy": "STANDARD", "disableRetries": true }),
        ),
        (Value::word("spot"), serde_json::json!({ "strategy": "SPOT", "disableRetries": true })),
        (
            flex,
            serde_json::json!({ "strategy": "FLEX_START", "timeout": "86400s", "maxWaitDuration": "86400s", "disableRetries": true }),
        ),
    ] {
        let mut managed = managed("a3-megagpu-8g", &[("capacity", capacity)]);
        managed.workload(&[("nodes", 2.into()), ("launch", torchrun())]);
        assert_eq!(request(&managed.render()).pointer("/jobSpec/scheduling"), Some(&scheduling));
    }
}

/// Each place holds its marker, so that sending the request finds it.
#[test]
fn places_of_later_values_hold_their_markers() {
    let mut managed =
        managed("a3-megagpu-8g", &[("network", "projects/1/global/networks/n".into())]);
    let storage = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let home = managed.blueprint.noun(
        "filesystem",
        "home",
        &[("storage", storage), ("location", "us-east4-a".into())],
    );
    let address = Value::Deferred(Deferred { noun: home, field: "address".into() });
    let home = managed.blueprint.to(home);
    let args = record(&[("server", address.clone())]);
    managed.workload(&[
        ("nodes", 2.into()),
        (
            "launch",
            variant(
                "torchrun",
                &[("script", "t.py".into()), ("args", args), ("module", false.into())],
            ),
        ),
        ("env", record(&[("SERVER", address)])),
        ("mounts", list([mount(home, "/home/shared")])),
    ]);
    let out = managed.render();
    assert_eq!(out.diagnostics, []);
    let (request, script) = (request(&out), submit(&out));
    let pointers: Vec<&str> = script
        .lines()
        .filter_map(|line| line.trim().split(' ').next())
        .filter(|word| word.starts_with("/jobSpec"))
        .collect();
    assert_eq!(pointers.len(), 6, "{script}");
    for pointer in pointers {
        let text =
            request.pointer(pointer).and_then(Json::as_str).unwrap_or_else(|| panic!("{pointer}"));
        assert!(text.contains("${home_address}"), "{pointer}: {text}");
    }
}

#[test]
fn a_patch_is_merged_and_held_to_the_shape() {
    let render = |patch: Value| {
        let mut managed = managed("a3-megagpu-8g", &[]);
        let id = managed.workload(&[("nodes", 1.into())]);
        managed.blueprint.patch(id, "custom_job", patch);
        managed.render()
    };
    let spec = |fields: Fields<'_>| record(&[("jobSpec", record(fields))]);
    let good = render(spec(&[
        ("enableWebAccess", true.into()),
        ("scheduling", record(&[("timeout", seconds(60))])),
    ]));
    let request = request(&good);
    assert_eq!(request.pointer("/jobSpec/enableWebAccess"), Some(&true.into()));
    assert_eq!(
        request.pointer("/jobSpec/scheduling"),
        Some(
            &serde_json::json!({ "strategy": "STANDARD", "timeout": "60s", "disableRetries": true })
        )
    );
    let bad = render(spec(&[("enableWebAcces", true.into())]));
    assert_eq!(codes(&bad), ["patch/unknown-field"]);
    assert!(bad.artifacts.is_empty());
}

#[test]
fn what_vertex_cannot_do_is_said() {
    let run = |machine: &str, cluster: Fields<'_>, workload: Fields<'_>| {
        let mut managed = managed(machine, cluster);
        managed.workload(workload);
        let out = managed.render();
        assert!(out.artifacts.is_empty(), "{machine} {cluster:?} {workload:?}");
        codes(&out).join(" ")
    };
    let mega = |cluster: Fields<'_>, workload: Fields<'_>| run("a3-megagpu-8g", cluster, workload);
    let nodes = ("nodes", Value::from(2));
    let two = std::slice::from_ref(&nodes);
    for (found, code) in [
        (mega(&[("capacity", reservation("r"))], two), "vertex/reservation-name"),
        (mega(&[("labels", record(&[("Team", "a".into())]))], two), "vertex/label"),
        (
            mega(&[], &[nodes.clone(), ("env", record(&[("CLUSTER_SPEC", "x".into())]))]),
            "vertex/env-name",
        ),
        (mega(&[], &[nodes.clone(), ("env", record(&[("A", "x\0".into())]))]), "text/spelling"),
        (run("ct5p-hightpu-4t", &[], &[("nodes", 1.into())]), "vertex/topology"),
        (run("ct6e-standard-4t", &[], &[("nodes", 3.into())]), "vertex/topology"),
    ] {
        assert_eq!(found, code);
    }
}

/// What the image has where something is mounted makes way, as it would for a mount, and nothing of it is lost.
#[test]
fn a_folder_of_the_image_makes_way_for_a_mount() {
    let mut managed = managed("a3-ultragpu-8g", &[("capacity", Value::word("spot"))]);
    let data = managed.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let data = managed.blueprint.to(data);
    managed.workload(&[("nodes", 2.into()), ("mounts", list([mount(data, "/workspace")]))]);
    let script = launcher(&managed.render()).to_owned();
    let (_, after) = script.split_once("link() {").unwrap();
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
