//! Nodes that come and go with a workload, what it reads, and what is taken away of it.

use super::{everywhere, page, positions, production};
use crate::testing::{Blueprint, gib, list, mount, python, record, seconds, variant};
use slipform_model::nouns::Body;
use slipform_model::{Deferred, NounId, Value};

fn find(blueprint: &Blueprint, name: &str) -> NounId {
    blueprint.model.nouns.iter().find(|noun| noun.path == name).unwrap().id
}

fn read(source: Value, path: &str, folder: &str) -> Value {
    let fields = [
        ("source", source),
        ("path", path.into()),
        ("folder", folder.into()),
        ("read_only", true.into()),
        ("use", "data".into()),
    ];
    variant("mount", &fields)
}

/// A test and two runs of unlike priorities on nodes that Kueue asks for, and what they read.
fn lent() -> Blueprint {
    let mut blueprint = everywhere();
    let gke = find(&blueprint, "a3m");
    let capacity = variant("queued", &[("max", seconds(86_400))]);
    let fields = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into()), ("capacity", capacity)];
    let pool = blueprint.inside(gke, "pool", "lent", &fields);
    let priorities = record(&[("low", 1.into()), ("high", 2.into())]);
    let fields = [("pools", list([blueprint.to(pool)])), ("priorities", priorities)];
    blueprint.inside(gke, "queue", "shared", &fields);
    let corpus = blueprint.noun("bucket", "corpus", &[("location", "us-east4".into())]);
    blueprint.at(corpus).doc = Some("Shards.".to_owned());
    let storage = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let network = blueprint.to(find(&blueprint, "fabric"));
    let fields = [("storage", storage), ("network", network), ("location", "us-east4-a".into())];
    let home = blueprint.noun("filesystem", "home", &fields);
    for (name, priority, test) in
        [("try", "high", true), ("small", "low", false), ("big", "high", false)]
    {
        let mounts = [
            read(blueprint.to(corpus), "/corpus", "v1"),
            read(blueprint.to(home), "/seen", "runs"),
            mount(blueprint.to(home), "/home"),
        ];
        let fields = [
            ("place", blueprint.to(pool)),
            ("image", "python:3.12".into()),
            ("nodes", 2.into()),
            ("launch", python()),
            ("priority", priority.into()),
            ("max_run", seconds(1800)),
            ("test", test.into()),
            ("mounts", list(mounts)),
        ];
        blueprint.noun("workload", name, &fields);
    }
    blueprint
}

/// A state knows what was applied, not what was built: protection that the blueprint lifted is still there.
#[test]
fn every_root_that_may_be_protected_is_applied_before_any_is_destroyed() {
    let apply = |page: &str, root: &str| page.contains(&format!("-chdir={root} apply\n"));
    let protected = page(everywhere(), &[]).unwrap();
    let (_, down) = protected.split_once("## Tear down").unwrap();
    assert!(!apply(down, "30-a3m") && !apply(down, "10-foundation"), "{down}");
    let mut blueprint = everywhere();
    for noun in &mut blueprint.model.nouns {
        if let Body::GkeCluster(cluster) = &mut noun.body {
            cluster.deletion_protection = false;
        }
    }
    let page = page(blueprint, &[]).unwrap();
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "Nothing is protected by this build",
        "terraform -chdir=10-foundation apply\n",
        "terraform -chdir=30-a3m apply\n",
        "terraform -chdir=30-a3m destroy\n",
        "terraform -chdir=10-foundation destroy\n",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
    assert!(!down.contains("Clusters are protected"), "{down}");
}

#[test]
fn nodes_of_a_test_are_gone_before_others_are_asked_for() {
    let page = page(lent(), &[]).unwrap();
    let steps = [
        "nothing about the machines that the next workload gets",
        "\nkubectl apply -k 50-workloads/try/overlays/test\n",
        "\nREQUEST=\"$(kubectl get pods --namespace=default --selector='jobset.sigs.k8s.io/jobset-name=try'",
        "\n[[ \"$state\" != Completed ]] || kubectl delete -k 50-workloads/try/overlays/test --ignore-not-found\n",
        "\nwhile [[ \"$(kubectl get nodes --selector=\"autoscaling.gke.io/provisioning-request=$REQUEST\" --output=name)\" ]]; do",
        "\nkubectl apply -k 50-workloads/small/overlays/test\n",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(page.contains("because its nodes were taken back"), "{page}");
    assert!(!self::page(production(), &[]).unwrap().contains("REQUEST="));
}

#[test]
fn a_run_that_gives_way_is_told_before_it_starts() {
    let page = page(lent(), &[]).unwrap();
    assert!(page.contains("`big` (high) before `small` (low)."), "{page}");
}

/// Kueue gives a workload up without a word in the state of its JobSet.
#[test]
fn what_kueue_gave_up_is_not_waited_for() {
    let page = page(lent(), &[]).unwrap();
    let waits = page.lines().filter(|line| {
        ["OF_IT=", "while state=", "[[ \"$state"].iter().any(|it| line.starts_with(it))
    });
    let waits: Vec<_> = waits.take(4).collect();
    let script = format!(
        "kubectl() {{ case $2-$* in \
           workloads*spec.active*) ((slept > 1)) && printf false || printf true ;; \
           workloads*uid=7*) printf 'why' ;; \
           jobset*uid*) printf 'uid=7' ;; esac; }}\n\
         slept=0; sleep() {{ slept=$((slept + 1)); }}\n{}",
        waits.join("\n")
    );
    let done =
        std::process::Command::new("timeout").args(["20", "bash", "-c", &script]).output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{script}");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "why", "{script}");
}

#[test]
fn what_workloads_only_read_is_put_there_before() {
    let page = page(lent(), &[]).unwrap();
    let steps = [
        "\n## Data\n",
        "- `try`, `small`, `big` in `/corpus`: the bucket `gs://my-project-1-corpus/v1`. Shards.\n",
        "\ngcloud storage rsync FOLDER gs://my-project-1-corpus/v1 --recursive #",
        "\nkubectl apply -k 50-workloads/small/overlays/test\n",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
    assert!(!page.contains("/seen"), "others write there: {page}");
    assert!(!self::page(production(), &[]).unwrap().contains("## Data"));
}

/// Another clone has no values to fill a kustomization with, and has to take away what it makes all the same.
#[test]
fn what_was_filled_in_is_taken_away_by_its_name() {
    let mut blueprint = lent();
    let (home, pool) = (find(&blueprint, "home"), find(&blueprint, "a3m.gpus"));
    let address = Value::Deferred(Deferred { noun: home, field: "address".into() });
    let fields = [
        ("place", blueprint.to(pool)),
        ("image", "python:3.12".into()),
        ("nodes", 2.into()),
        ("launch", python()),
        ("env", record(&[("HOME_SERVER", address)])),
    ];
    blueprint.noun("workload", "later", &fields);
    let page = page(blueprint, &[]).unwrap();
    assert!(page.contains("50-workloads/later/base/fill-deferred.sh\n"), "{page}");
    let away = "kubectl delete jobset later --namespace=default --ignore-not-found\n";
    assert_eq!(page.matches(away).count(), 2, "{page}");
    let (_, down) = page.split_once("## Tear down").unwrap();
    let steps = [
        "get-credentials a3m ",
        away,
        "40-a3m-queues/fill-deferred.sh\nkubectl delete -k 40-a3m-queues\n",
        "terraform -chdir=30-a3m destroy",
    ];
    assert!(positions(down, &steps).is_sorted(), "{down}");
}

#[test]
fn the_foundation_is_called_after_what_it_holds() {
    let page = page(lent(), &[]).unwrap();
    for line in [
        "| `10-foundation` | Terraform: networks, buckets, filesystems, registries |\n",
        "\n## Networks, buckets, filesystems, registries\n",
    ] {
        assert!(page.contains(line), "{line}{page}");
    }
}

#[test]
fn what_the_blueprint_says_of_a_run_stands_beside_its_start() {
    let mut blueprint = production();
    for noun in &mut blueprint.model.nouns {
        if noun.body.kind() == "workload" {
            noun.doc = Some(format!("About {}.", noun.name));
        }
    }
    let page = page(blueprint, &[]).unwrap();
    for run in ["on-gke", "try-train-gke", "on-slurm", "try-train-slurm", "on-vertex"] {
        assert!(page.contains(&format!("\n`{run}`: About {run}.\n")), "{run}{page}");
    }
}
