//! Documents held to their shapes, patches merged, and the files of shapes themselves.

use serde_json::json;

use super::library::{Kind, Library};
use super::sbatch::{Argument, Release};
use super::*;
use slipform_document::hcl::{Block, Body, Expr, to_hcl};
use slipform_document::{Node, map, yaml_string};

fn node(value: serde_json::Value) -> Node {
    value.into()
}

/// `message (nearest)` for each error.
fn told(errors: Vec<ShapeError>) -> Vec<String> {
    let line = |error: ShapeError| match error.nearest {
        Some(nearest) => format!("{} ({nearest})", error.message),
        None => error.message,
    };
    errors.into_iter().map(line).collect()
}

fn patch(shape: &str, value: serde_json::Value) -> Vec<String> {
    told(Shape::of(shape).unwrap().check_patch(&node(value)))
}

#[test]
fn every_name_in_the_files_is_defined() {
    fn defined(library: &Library, kind: &Kind) {
        match kind {
            Kind::Record(name) | Kind::Blocks { record: name, .. } => {
                assert!(library.record(name).is_some(), "{name} is not defined");
            }
            Kind::List(inner, _) | Kind::Map(inner) => defined(library, inner),
            _ => {}
        }
    }
    for library in [
        library::kubernetes(),
        library::vertex(),
        library::terraform(),
        library::toolkit(),
        library::slurm(),
    ] {
        assert!(!library.roots.is_empty());
        for root in library.roots.values() {
            defined(library, &root.kind);
        }
        for (name, record) in &library.records {
            assert!(record.fields().is_sorted_by(|a, b| a.name < b.name), "{name} is not sorted");
            for field in record.fields() {
                defined(library, &field.kind);
                let keys = match &field.kind {
                    Kind::List(inner, keys) => Some((inner, keys)),
                    _ => None,
                };
                let named = keys.into_iter().flat_map(|(_, keys)| keys);
                for key in named.filter(|key| **key != library::PLACE) {
                    let Some((inner, _)) = keys else { continue };
                    let Kind::Record(items) = **inner else {
                        panic!("{name}.{} has keys but no records", field.name)
                    };
                    assert!(
                        library.record(items).unwrap().field(key).is_some(),
                        "{items} has no {key}"
                    );
                }
            }
        }
    }
}

#[test]
fn names_are_found_however_they_are_spelt() {
    for name in [
        "jobset",
        "JobSet",
        "job_set",
        "cluster_queue",
        "ClusterQueue",
        "customjob",
        "google_storage_bucket",
    ] {
        assert!(Shape::of(name).is_some(), "{name}");
    }
    assert_eq!(Shape::of("JOBSET").unwrap().title(), "JobSet");
    assert!(Shape::of("job set").is_none());
    assert!(Shape::of("Google_Storage_Bucket").is_none());
    assert!(Shape::names().all(|name| Shape::of(name).is_some()));
}

#[test]
fn mistakes_in_a_jobset_are_told() {
    let job = |pod: serde_json::Value| {
        json!({ "spec": { "replicatedJobs": [
            { "name": "worker", "template": { "spec": { "template": { "spec": pod } } } },
        ] } })
    };
    let cases = [
        (json!({ "spec": { "ttlSecondsAfterFinished": 3600 } }), vec![]),
        (
            json!({ "spec": { "ttlSecondAfterFinished": 3600 } }),
            vec![
                "JobSet has no field `ttlSecondAfterFinished` in `spec` (ttlSecondsAfterFinished)",
            ],
        ),
        (json!({ "sepc": {} }), vec!["JobSet has no field `sepc` (spec)"]),
        (json!({ "zzz": {} }), vec!["JobSet has no field `zzz`"]),
        (json!({ "status": {} }), vec!["JobSet has no field `status`"]),
        (
            json!({ "spec": { "suspend": "true" } }),
            vec!["`spec.suspend` must be a boolean, not a string"],
        ),
        (json!({ "spec": [] }), vec!["`spec` must be a record, not a list"]),
        (json!("x"), vec!["JobSet must be a record, not a string"]),
        (
            json!({ "metadata": { "labels": { "a.b/c": 1 } } }),
            vec!["`metadata.labels[\"a.b/c\"]` must be a string, not an integer"],
        ),
        (
            json!({ "spec": { "failurePolicy": { "restartStrategy": "blockingRecreate" } } }),
            vec![
                "`blockingRecreate` is not one of Recreate, BlockingRecreate in `spec.failurePolicy.restartStrategy` \
                 (BlockingRecreate)",
            ],
        ),
        // newer than v0.10
        (
            json!({ "spec": { "volumeClaimPolicies": [] } }),
            vec!["JobSet has no field `volumeClaimPolicies` in `spec`"],
        ),
        (
            json!({ "spec": { "replicatedJobs": [{ "replicas": 2 }] } }),
            vec!["`spec.replicatedJobs[0]` needs `name`, which tells which item it changes"],
        ),
        (
            job(
                json!({ "containers": [{ "name": "main", "resources": { "limits": { "a": 8, "b": "80Gi", "c": 1.5 } } }] }),
            ),
            vec![],
        ),
        (
            job(
                json!({ "containers": [{ "name": "main", "env": [{ "name": "A", "value": true }] }] }),
            ),
            vec![
                "`spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value` must be a string, not a \
                 boolean",
            ],
        ),
        // what replaces a list must be whole
        (
            job(json!({ "tolerations": [{ "key": "a", "operater": "Exists" }] })),
            vec![
                "JobSet has no field `operater` in `spec.replicatedJobs[0].template.spec.template.spec.tolerations[0]` \
                 (operator)",
            ],
        ),
        (
            job(
                json!({ "affinity": { "nodeAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [{ "weight": 1 }] } } }),
            ),
            vec![
                "`spec.replicatedJobs[0].template.spec.template.spec.affinity.nodeAffinity\
                 .preferredDuringSchedulingIgnoredDuringExecution[0]` has no `preference`, which is required",
            ],
        ),
        (json!({ "spec": { "suspend": null } }), vec![]),
    ];
    for (value, expected) in cases {
        assert_eq!(patch("jobset", value.clone()), expected, "{value}");
    }
}

#[test]
fn a_whole_document_needs_what_is_required() {
    let queue = node(
        json!({ "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": { "name": "q" }, "spec": null }),
    );
    assert_eq!(
        told(Shape::of("localqueue").unwrap().check(&queue)),
        ["`spec` must be a record, not null"]
    );
    let job = node(json!({ "displayName": "x" }));
    assert_eq!(
        told(Shape::of("customjob").unwrap().check(&job)),
        ["CustomJob has no `jobSpec`, which is required"]
    );
    let job = node(json!({ "displayName": "x", "jobSpec": { "workerPoolSpecs": [
        { "machineSpec": { "machineType": "a3-megagpu-8g" }, "replicaCount": "1", "containerSpec": { "imageUri": "i" } },
    ] } }));
    assert_eq!(told(Shape::of("customjob").unwrap().check(&job)), [""; 0]);
}

#[test]
fn errors_point_at_the_value() {
    let shape = Shape::of("jobset").unwrap();
    let errors = shape.check_patch(&node(
        json!({ "spec": { "replicatedJobs": [{ "name": "a", "replica": 1 }] } }),
    ));
    let key = |name: &str| Step::Key(name.to_owned());
    assert_eq!(
        errors[0].path,
        [key("spec"), key("replicatedJobs"), Step::Index(0), key("replica")]
    );
    assert_eq!(errors[0].nearest.as_deref(), Some("replicas"));
}

#[test]
fn a_patch_merges_by_key() {
    let mut base: Node = map()
        .with("kind", "JobSet")
        .with_comment("cluster a", "spec", node(json!({
            "suspend": true,
            "replicatedJobs": [
                { "name": "worker", "replicas": 1, "template": { "spec": { "template": { "spec": {
                    "tolerations": [{ "key": "old" }],
                    "containers": [
                        { "name": "main", "args": ["a"], "env": [{ "name": "A", "value": "1" }], "ports": [{ "containerPort": 1, "name": "p" }] },
                        { "name": "side" },
                    ],
                    "nodeSelector": { "a": "1" },
                } } } } },
            ],
        })))
        .into();
    let patch: Node = map()
        .with_comment("cluster a, pool b", "spec", node(json!({
            "suspend": null,
            "ttlSecondsAfterFinished": 5,
            "replicatedJobs": [{ "name": "worker", "template": { "spec": { "template": { "spec": {
                "tolerations": [{ "key": "new" }],
                "containers": [
                    { "name": "main", "args": ["b"], "env": [{ "name": "B", "value": "2" }, { "name": "A", "value": "3" }], "ports": [{ "containerPort": 1, "hostPort": 1 }, { "containerPort": 2 }] },
                    { "name": "third" },
                ],
                "nodeSelector": { "b": "2" },
            } } } } }],
        })))
        .into();
    Shape::of("jobset").unwrap().merge(&mut base, patch);
    let expected = "\
kind: JobSet
# cluster a
# cluster a, pool b
spec:
  replicatedJobs:
  - name: worker
    replicas: 1
    template:
      spec:
        template:
          spec:
            tolerations:
            - key: new
            containers:
            - name: main
              args:
              - b
              env:
              - name: A
                value: '3'
              - name: B
                value: '2'
              ports:
              - containerPort: 1
                name: p
                hostPort: 1
              - containerPort: 2
            - name: side
            - name: third
            nodeSelector:
              a: '1'
              b: '2'
  ttlSecondsAfterFinished: 5
";
    assert_eq!(yaml_string(&base).unwrap(), expected);
}

#[test]
fn a_patch_merges_into_a_body() {
    let shape = Shape::of("google_storage_bucket").unwrap();
    let mut body = Body::new()
        .attr("name", "a")
        .attr("labels", Expr::object([("team", "x")]))
        .block(Block::of("soft_delete_policy").attr("retention_duration_seconds", 0))
        .block(Block::of("lifecycle_rule").comment("old"))
        .block(Block::of("lifecycle_rule"))
        .block(Block::of("autoclass").attr("enabled", true));
    let patch = node(json!({
        "labels": { "cost": "y" },
        "location": "us",
        "name": "${b}",
        "soft_delete_policy": { "retention_duration_seconds": 60 },
        "lifecycle_rule": [{ "action": { "type": "Delete" }, "condition": { "age": 3 } }],
        "autoclass": null,
        "versioning": { "enabled": true },
        "lifecycle": { "ignore_changes": ["labels", "x y"] },
    }));
    assert_eq!(told(shape.check_patch(&patch)), [""; 0]);
    shape.merge_body(&mut body, patch);
    let expected = "\
name = \"$${b}\"

labels = {
  team = \"x\"
  cost = \"y\"
}

location = \"us\"

soft_delete_policy {
  retention_duration_seconds = 60
}

lifecycle_rule {
  action {
    type = \"Delete\"
  }

  condition {
    age = 3
  }
}

versioning {
  enabled = true
}

lifecycle {
  ignore_changes = [labels, \"x y\"]
}
";
    assert_eq!(to_hcl(&body), expected);
}

#[test]
fn options_of_sbatch() {
    let nodes = sbatch::option("nodes").unwrap();
    assert_eq!((nodes.letter, nodes.argument), (Some('N'), Argument::Required));
    assert_eq!(sbatch::option("N"), Some(nodes));
    assert_eq!(sbatch::option("hold").unwrap().argument, Argument::None);
    assert!(sbatch::option("consolidate-segments").unwrap().since > Release(24, 5));
    assert_eq!(sbatch::option("power").unwrap().until.unwrap().to_string(), "23.11");
    assert_eq!(sbatch::option("gpu-per-node"), None);
    assert_eq!(sbatch::suggestion("gpu-per-node"), Some("gpus-per-node"));
    assert_eq!(sbatch::suggestion("qqqqqq"), None);
    assert!(sbatch::options().map(|option| option.name).is_sorted());
}

#[test]
fn every_document_has_a_shape() {
    let titles = Document::ALL.map(|document| Shape::document(document).title());
    let known = [
        "JobSet",
        "ClusterQueue",
        "ResourceFlavor",
        "CustomJob",
        "HyperparameterTuningJob",
        "TrainingPipeline",
    ];
    assert_eq!(titles, known);
}
