//! The commands about runs: watch, read logs, cancel, run again, with the names of the runs that are there.

use super::samples::{PYTHON, everywhere, lent, production, with_pools, workload};
use super::{page, positions};

/// The part of the page with commands about the runs of a platform, whose own part begins with this heading.
fn operated(page: &str, heading: &str) -> String {
    let (_, rest) = page.split_once(&format!("\n## {heading}")).unwrap();
    let part = rest.split("\n## ").next().unwrap();
    part.split_once("### Watch, cancel and run again\n").unwrap().1.to_owned()
}

/// A trainer with an engine, whose containers have one beside them, and a helper.
fn groups() -> String {
    let cpus = "pool cpus {\n  machine = \"n2-standard-32\"\n  nodes   = 3\n}";
    let text = r#"
workload dpo on a3m.gpus {
  image  = nemo
  launch = torchrun("train.py")
  role   = "trainer"
  nodes  = 2

  group engine on a3m.cpus {
    image    = nemo
    launch   = command(["serve"])
    nodes    = 2
    cpus     = 4
    memory   = 8GiB
    env      = { HF_TOKEN = secret("hf-token") }
    sidecars = [sidecar("judge", image = nemo, env = { JUDGE_KEY = secret("judge", key = "api") })]
  }

  group watch on a3m.cpus {
    image   = nemo
    launch  = python("watch.py")
    cpus    = 1
    memory  = 1GiB
    decides = false
  }
}
"#;
    with_pools(&everywhere(), cpus) + text
}

#[test]
fn runs_are_named_once_and_every_command_is_about_them() {
    let page = page(production());
    let gke = operated(&page, "Workloads on a3m");
    let names = [
        "RUN=try-train-gke NAMESPACE=default GROUP=node # 1 node, 5m of grace\n",
        "RUN=train-gke NAMESPACE=default GROUP=node # 1 node, 5m of grace\n",
    ];
    assert!(positions(&gke, &names).is_sorted(), "a test comes first: {gke}");
    let slurm = operated(&page, "Jobs of Slurm");
    positions(
        &slurm,
        &["RUN=train-slurm STEP=train LOGS=/shared/logs # 1 node, partition gpu of hpc\n"],
    );
    let vertex = operated(&page, "Jobs of Vertex AI");
    positions(
        &vertex,
        &[
            "RUN=train-vertex REGION=us-east4 LABELS='labels.blueprint=\"main\" AND labels.environment=\"default\"' # 1 node: workerpool0-0\n",
        ],
    );
    for (part, other) in [(&gke, "squeue"), (&slurm, "kubectl"), (&vertex, "scancel")] {
        assert!(!part.contains(other), "{part}");
        assert_eq!(part.matches("-train-").count(), 1, "named once: {part}");
    }
}

#[test]
fn nodes_and_replicas_are_counted() {
    let page = page(everywhere());
    positions(&page, &["# 2 nodes: workerpool0-0, workerpool1-0\n", "--max-log-requests=2\n"]);
    let larger = everywhere().replace(
        "workload on_vertex on managed {\n  image = nemo\n  nodes = 2",
        "workload on_vertex on managed {\n  image = nemo\n  nodes = 5",
    );
    let page = self::page(larger);
    positions(&page, &["# 5 nodes: workerpool0-0, workerpool1-0 to workerpool1-3\n"]);
}

#[test]
fn a_run_of_one_group_needs_no_table() {
    let gke = operated(&page(everywhere()), "Workloads on a3m");
    assert!(
        !gke.contains("| `GROUP` |") && !gke.contains("helper") && !gke.contains("of all groups"),
        "{gke}"
    );
    assert!(!gke.contains("job-index") && !gke.contains("take the line of one"), "{gke}");
}

#[test]
fn groups_helpers_and_containers_beside_them_are_listed() {
    let gke = operated(&page(groups()), "Workloads on a3m");
    let lines = [
        "RUN=dpo NAMESPACE=default GROUP=trainer # 2 nodes with 8 ranks each, 5m of grace\n",
        "| dpo | `trainer` | 2 nodes with 8 ranks each |  |\n",
        "| dpo | `engine` | 2 nodes | `judge` |\n",
        "| dpo | `watch` | 1 node, a helper |  |\n\nA helper starts again by itself",
        "another `--container` has what ran beside",
        "--max-log-requests=5\n",
        "--selector=\"jobset.sigs.k8s.io/jobset-name=$RUN\" --prefix",
    ];
    assert!(positions(&gke, &lines).is_sorted(), "{gke}");
}

#[test]
fn what_groups_and_containers_beside_them_read_is_made() {
    let page = page(groups());
    let steps = [
        "kubectl create secret generic hf-token --namespace=default --from-file=value=<(printf %s \"$HF_TOKEN\")\n",
        "kubectl create secret generic judge --namespace=default --from-file=api=<(printf %s \"$JUDGE_KEY\")\n",
        "kubectl apply -k 50-workloads/dpo/",
    ];
    assert!(positions(&page, &steps).is_sorted(), "{page}");
}

#[test]
fn slices_are_counted_and_one_of_them_is_read() {
    let slices =
        "pool v5e {\n  machine  = \"ct5lp-hightpu-4t\"\n  topology = 4x4\n  slices   = 2\n}";
    let run = r#"
workload tpus on a3m.v5e {
  image  = "us-docker.pkg.dev/my-images/jax:v1"
  launch = python("train.py")
  slices = 2
}
"#;
    let gke = operated(&page(with_pools(&everywhere(), slices) + run), "Workloads on a3m");
    let lines = [
        "RUN=tpus NAMESPACE=default GROUP=slice # 2 slices of 4 nodes, ",
        "jobset.sigs.k8s.io/job-index=0,batch.kubernetes.io/job-completion-index=0\"",
        "--max-log-requests=8\n",
    ];
    assert!(positions(&gke, &lines).is_sorted(), "{gke}");
}

/// What Kueue says is asked where Kueue is, and why it gives up is said where it does.
#[test]
fn a_queue_is_asked_where_there_is_one() {
    let asks = "kubectl get workloads.kueue.x-k8s.io --namespace=\"$NAMESPACE\" --output=custom-columns='RUN:";
    let queued = operated(&page(lent()), "Workloads on a3m");
    assert!(queued.contains(asks), "{queued}");
    assert!(
        queued.contains("it took longer than its `max_run`, no nodes came for a day"),
        "{queued}"
    );
    let alone = operated(&page(everywhere()), "Workloads on a3m");
    assert!(!alone.contains("ueue"), "{alone}");
    let unlimited = operated(&page(lent().replace("max_run = 30m\n", "")), "Workloads on a3m");
    assert!(!unlimited.contains("max_run") && unlimited.contains("no nodes came"), "{unlimited}");
}

#[test]
fn a_jobset_is_taken_away_before_it_starts_again() {
    let gke = operated(&page(everywhere()), "Workloads on a3m");
    let again = "kubectl delete jobset \"$RUN\" --namespace=\"$NAMESPACE\" --ignore-not-found --cascade=foreground\n\
                 kubectl apply -k 50-workloads/\"$RUN\"/overlays/default\n";
    positions(&gke, &["`apply` of another version is refused", again]);
}

/// A log that a patch has put elsewhere is where Slurm says.
#[test]
fn a_log_is_read_where_it_is() {
    let slurm = |text: &str| operated(&page(text), "Jobs of Slurm");
    let (own, asked) = ("tail -n 100 -F \"$LOGS/$RUN-$JOB.out\"\n", "s/^ *StdOut=//p");
    let there = slurm(&everywhere());
    assert!(there.contains("BeginTime"), "{there}");
    let once = "cluster hpc on slurm {\n  requeue = false\n";
    let once = slurm(&everywhere().replace("cluster hpc on slurm {\n", once));
    assert!(!once.contains("BeginTime"), "it never goes back to the queue: {once}");
    assert!(there.contains(own) && !there.contains(asked), "{there}");
    let patched =
        "allow patch/owned \"kept at home\"\npatch sbatch {\n  output = \"/home/me/%j.log\"\n}";
    let text = everywhere() + &workload("elsewhere", "hpc.gpu", PYTHON, 1, patched);
    let elsewhere = slurm(&text);
    assert!(elsewhere.contains(asked) && !elsewhere.contains(own), "{elsewhere}");
    positions(&elsewhere, &["\nRUN=elsewhere STEP=train # "]);
}

#[test]
fn tasks_of_a_custom_job_are_told_by_group() {
    let engines =
        "\ncluster l4 on vertex {\n  region  = \"us-east4\"\n  machine = \"g2-standard-24\"\n}\n";
    let group = "group rollout on l4 {\nimage = nemo\nlaunch = command([\"serve\"])\nnodes = 2\n}";
    let text = everywhere() + engines + &workload("learn", "managed", "nemo", 3, group);
    let vertex = operated(&page(text), "Jobs of Vertex AI");
    let lines = [
        "RUN=learn REGION=us-east4 LABELS='labels.blueprint=\"main\" AND labels.environment=\"default\"' # 2 groups\n",
        "| group of learn | has | tasks |\n",
        "| `learn` | 3 nodes | workerpool0-0, workerpool1-0 to workerpool1-1 |\n",
        "| `rollout` | 2 nodes | workerpool2-0 to workerpool2-1 |\n",
    ];
    assert!(positions(&vertex, &lines).is_sorted(), "{vertex}");
}
