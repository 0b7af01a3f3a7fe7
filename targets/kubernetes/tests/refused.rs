//! What Kubernetes cannot express is said, at the place that asked for it.

use super::samples::{Base, argv, base, cluster, command, pool, queue, scratch, tpus, workload};
use super::{refused, rendered_with_diagnostics};
use crate::testing::{Blueprint, list, mount, record, seconds, variant};
use slipform_model::{NounId, Value};

fn only(blueprint: Blueprint, code: &str, message: &str) {
    assert_eq!(refused(blueprint), [(code.to_owned(), message.to_owned())]);
}

fn on(machine: &str, more: &[(&str, Value)]) -> (Blueprint, Base, NounId) {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint);
    let cluster = cluster(&mut blueprint, &base, &[]);
    let mut fields = vec![("nodes", 4.into())];
    fields.extend(more.iter().cloned());
    let pool = pool(&mut blueprint, cluster, "gpus", machine, &fields);
    (blueprint, base, pool)
}

fn run(mut at: (Blueprint, Base, NounId), fields: &[(&str, Value)]) -> Blueprint {
    workload(&mut at.0, &at.1, "run", at.2, fields);
    at.0
}

#[test]
fn launches_of_gpus_on_tpus() {
    for launch in ["srun", "mpirun"] {
        let blueprint = run(tpus(&[]), &[("slices", 2.into()), ("launch", argv(launch, &["x"]))]);
        only(
            blueprint,
            "kubernetes/launch",
            &format!("{launch} starts one process a GPU, but the pool has TPUs"),
        );
    }
}

#[test]
fn a_folder_of_the_nodes() {
    let (mut blueprint, base, pool) = on("a3-megagpu-8g", &[]);
    let storage = variant("path", &[("folder", "/mnt/shared".into())]);
    let shared = blueprint.noun("filesystem", "shared", &[("storage", storage)]);
    let mounts = list([mount(blueprint.to(shared), "/shared")]);
    workload(&mut blueprint, &base, "run", pool, &[("nodes", 1.into()), ("mounts", mounts)]);
    only(blueprint, "kubernetes/mount", "GKE's nodes have nothing at `/mnt/shared` that lasts");
}

#[test]
fn scratch_on_raw_devices() {
    let fields = |size| [("nodes", 1.into()), ("mounts", list([mount(scratch(size), "/scratch")]))];
    let raw = on("a3-megagpu-8g", &[("local_ssd", "raw".into())]);
    let message = "the local disks of this pool are raw devices, which hold no scratch";
    only(run(raw, &fields(10)), "kubernetes/mount", message);
}

#[test]
fn a_folder_that_would_end_the_mount_options() {
    let (mut blueprint, base, pool) = on("a3-megagpu-8g", &[]);
    let data = blueprint.to(base.bucket);
    let fields = [
        ("source", data),
        ("path", "/data".into()),
        ("folder", "a,uid=0".into()),
        ("read_only", false.into()),
        ("use", "data".into()),
    ];
    let mounts = list([variant("mount", &fields)]);
    workload(&mut blueprint, &base, "run", pool, &[("nodes", 1.into()), ("mounts", mounts)]);
    only(
        blueprint,
        "kubernetes/mount",
        "`only-dir:a,uid=0` holds a comma, which separates mount options",
    );
}

#[test]
fn a_bucket_on_the_network_of_old_nodes() {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint);
    let id = cluster(&mut blueprint, &base, &[("version", "1.31".into())]);
    let fields = [("topology", crate::testing::topology("4x4")), ("slices", 2.into())];
    let pool = pool(&mut blueprint, id, "v5e", "ct5lp-hightpu-4t", &fields);
    let mounts = list([mount(blueprint.to(base.bucket), "/data")]);
    workload(&mut blueprint, &base, "run", pool, &[("slices", 2.into()), ("mounts", mounts)]);
    let message = "pods with TPUs use the network of their node, where buckets can be mounted from GKE 1.33 on, not in 1.31";
    only(blueprint, "kubernetes/mount", message);
}

#[test]
fn a_share_of_a_gpu_for_each_of_several_processes() {
    let sharing = variant("time_shared", &[("clients", 4.into())]);
    let at = on("g2-standard-96", &[("sharing", sharing)]);
    let blueprint = run(at, &[("nodes", 1.into()), ("launch", argv("srun", &["x"]))]);
    let found = refused(blueprint);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "kubernetes/sharing");
    assert!(found[0].1.starts_with("8 processes of a node cannot have a GPU each"), "{found:?}");
}

#[test]
fn queued_nodes_and_priorities_without_a_queue() {
    let capacity = variant("queued", &[("max", seconds(600))]);
    let blueprint = run(on("a3-megagpu-8g", &[("capacity", capacity)]), &[("nodes", 1.into())]);
    let message = "the nodes of `a3m.gpus` are asked for by a queue, and none admits `run`";
    only(blueprint, "kubernetes/queued", message);
    let blueprint =
        run(on("a3-megagpu-8g", &[]), &[("nodes", 1.into()), ("priority", "high".into())]);
    only(
        blueprint,
        "kubernetes/priority",
        "priority `high` is a queue's, and no queue admits `run`",
    );
    let (mut blueprint, base, pool) = on("a3-megagpu-8g", &[]);
    let cluster = blueprint.model.get(pool).unwrap().parent.unwrap();
    queue(&mut blueprint, cluster, "research", &[pool], &[]);
    workload(
        &mut blueprint,
        &base,
        "run",
        pool,
        &[("nodes", 1.into()), ("priority", "hihg".into())],
    );
    let out = rendered_with_diagnostics(blueprint);
    assert_eq!(out.diagnostics[0].message, "queue `research` has no priority `hihg`");
    assert_eq!(out.diagnostics[0].help, ["the nearest name is `high`"]);
}

#[test]
fn a_label_that_the_api_server_would_refuse() {
    let labels = record(&[("team", "a b".into())]);
    let blueprint = run(on("a3-megagpu-8g", &[]), &[("nodes", 1.into()), ("labels", labels)]);
    only(blueprint, "kubernetes/label", "`team: a b` is no label that Kubernetes accepts");
}

#[test]
fn a_side_job_of_another_cluster() {
    let (mut blueprint, base, pool_) = on("a3-megagpu-8g", &[]);
    let other = blueprint.noun(
        "cluster on gke",
        "other",
        &[("network", blueprint.to(base.network)), ("zone", "us-east4-a".into())],
    );
    let cpus = pool(&mut blueprint, other, "cpus", "n2-standard-8", &[("nodes", 1.into())]);
    let run = workload(&mut blueprint, &base, "run", pool_, &[("nodes", 1.into())]);
    let fields = [
        ("pool", blueprint.to(cpus)),
        ("image", "python:3.12".into()),
        ("launch", command(&["x"])),
    ];
    blueprint.inside(run, "side_job", "beside", &fields);
    only(
        blueprint,
        "kubernetes/side-job",
        "`run.beside` runs in another cluster than its workload",
    );
}

#[test]
fn patches_that_the_api_does_not_know() {
    let patched = |value: Value| {
        let (mut blueprint, base, pool) = on("a3-megagpu-8g", &[]);
        let run = workload(&mut blueprint, &base, "run", pool, &[("nodes", 1.into())]);
        blueprint.patch(run, "jobset", value);
        rendered_with_diagnostics(blueprint).diagnostics
    };
    let found = patched(record(&[("spec", record(&[("ttlSecondsAfterFinish", 3600.into())]))]));
    assert_eq!((found.len(), &*found[0].code), (1, "patch/unknown-field"));
    assert!(found[0].help[0].contains("`ttlSecondsAfterFinished` is close"), "{found:#?}");

    let found = patched(record(&[("spec", record(&[("suspend", 3.into())]))]));
    assert_eq!((found.len(), &*found[0].code), (1, "patch/wrong-value"));

    let found = patched(record(&[("metadata", record(&[("name", "other".into())]))]));
    assert_eq!((found.len(), &*found[0].code), (1, "patch/identity"));

    let found = patched(record(&[("spec", record(&[("suspend", Value::word("spot"))]))]));
    assert_eq!((found.len(), &*found[0].code), (1, "patch/value"));
}
