//! What Kubernetes cannot express is said, at the place that asked for it.

use super::samples::{Base, argv, base, cluster, pool, tpus, workload};
use super::{refused, rendered_with_diagnostics};
use crate::testing::{Blueprint, list, mount, record, variant};
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
fn a_label_that_the_api_server_would_refuse() {
    let labels = record(&[("team", "a b".into())]);
    let blueprint = run(on("a3-megagpu-8g", &[]), &[("nodes", 1.into()), ("labels", labels)]);
    only(blueprint, "kubernetes/label", "`team: a b` is no label that Kubernetes accepts");
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
