//! Runs that a plan says end, or asks to be drained: those that lose something, and no others; and what has to be there or away first.

use crate::drained::{retold, reworded, told as told_of, told_both_ways};
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

const HALL: &str = r#"cluster hall on slurm {
  controllers = ["head1"]

  partition gpu {
    machine = "a3-megagpu-8g"
    nodes   = 8
  }

  partition cpu {
    machine = "a3-megagpu-8g"
    nodes   = 2
    hosts   = "c[1-2]"
  }
}

workload train on hall.gpu {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 4
  launch = torchrun("train.py")
  env    = { HF_TOKEN = secret("hf-token", key = "value") }
}
"#;

const MANAGED: &str = r#"param project: ProjectId = "my-project"

bucket staging {
  location = "us-central1"
}

cluster managed on vertex {
  region  = "us-central1"
  machine = "a3-megagpu-8g"
  staging = staging
}

workload study on managed {
  image  = "us-docker.pkg.dev/my-project/images/train:v1"
  launch = torchrun("train.py")
  tuning = {
    metrics    = { loss = "minimize" }
    parameters = { lr = double(0.0001, 0.1, scale = "log") }
    trials     = 20
    parallel   = 2
  }
}
"#;

const FLEET: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket data {
  location = "us-east4"
}

bucket scratch {
  location = "us-east4"
}

identity trainer {
  roles = ["roles/logging.logWriter"]
}

cluster fleet on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload prepare on fleet.gpus {
  image    = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes    = 1
  launch   = torchrun("prepare.py")
  identity = trainer
  mounts   = [scratch at "/scratch"]
}

workload pretrain on fleet.gpus {
  image    = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes    = 2
  launch   = torchrun("train.py")
  identity = trainer
  mounts   = [data at "/data"]
}
"#;

#[track_caller]
fn says(told: &str, words: &[&str]) {
    for word in words {
        assert!(told.contains(word), "{word}\n{told}");
    }
}

#[test]
fn runs_of_another_partition_of_slurm_go_on() {
    let gone = retold(HALL, &[("partition cpu", "partition aux")]);
    says(&gone, &["`cpu`: jobs of that partition end"]);
    assert!(!gone.contains("drain first") && !gone.contains("what runs there"), "{gone}");
    let own = retold(HALL, &[("partition gpu", "partition big"), ("hall.gpu", "hall.big")]);
    says(&own, &["`gpu`: jobs of that partition end", "drain first: train"]);
}

#[test]
fn a_cluster_of_slurm_ends_before_another_one_starts_on_its_hosts() {
    let told = retold(HALL, &[("cluster hall", "cluster other"), ("hall.gpu", "other.gpu")]);
    says(
        &told,
        &[
            "`other` starts on its hosts, and knows none of its jobs",
            "these come before 30-other is applied",
            "$ systemctl disable --now slurmd  # on every node of hall\n",
            "$ systemctl disable --now slurmctld  # on head1\n",
            "/slurmctld.hall  # on head1\n",
            "drain first: train",
        ],
    );
}

#[test]
fn a_secret_that_nobody_made_yet_is_asked_for_first() {
    let told = retold(HALL, &[("\"hf-token\"", "\"hf-token-2\"")]);
    let page = "what reads them does not start before they are there";
    says(&told, &[page, "$ (umask 077 && mkdir -p \"$HOME\"/.secrets/hf-token-2)\n"]);
    let secret = told.find("secrets").unwrap_or(usize::MAX);
    assert!(secret < told.find("workload train").unwrap_or_default(), "{told}");
}

#[test]
fn a_study_that_goes_is_cancelled_as_what_it_is() {
    let told = retold(MANAGED, &[("workload study", "workload search")]);
    let filter = "--filter='displayName=study AND labels.blueprint=\"train\" AND labels.environment=\"default\" AND state:(";
    says(
        &told,
        &[
            "$ gcloud ai hp-tuning-jobs list",
            filter,
            "xargs -r -n1 gcloud ai hp-tuning-jobs cancel",
        ],
    );
}

#[test]
fn a_right_to_a_bucket_is_needed_by_who_uses_the_bucket() {
    let bucket = "bucket scratch {\n  location = \"us-east4\"\n}\n\n";
    let told = retold(FLEET, &[(bucket, ""), ("  mounts   = [scratch at \"/scratch\"]\n", "")]);
    says(&told, &["scratch_trainer: a grant is taken away", "drain first: prepare\n"]);
}

#[test]
fn pools_go_before_a_subnet_that_their_nodes_are_in() {
    let told = retold(
        FLEET,
        &[(
            "  services = 10.68.0.0/20\n",
            "  services = 10.68.0.0/20\n  accelerators = 172.20.0.0/16\n",
        )],
    );
    says(
        &told,
        &[
            "the nodes in it go before, and are made again",
            "$ terraform -chdir=30-fleet destroy -target=google_container_node_pool.gpus\n",
            "$ terraform -chdir=30-fleet apply\n",
            "drain first: prepare, pretrain\n",
        ],
    );
}

#[test]
fn what_the_provider_fills_in_is_not_taken_away() {
    let system = "  pool system {\n    machine = \"n2-standard-8\"\n    nodes   = 2\n    max_pods = 64\n  }\n\n  pool gpus {";
    let with = FLEET.replace("  pool gpus {", system);
    let without = retold(&with, &[("    max_pods = 64\n", "")]);
    assert!(!without.contains("`max_pods_per_node` cannot be changed (64 (gone)"), "{without}");
    let dropped = retold(&with, &[(system, "  pool gpus {")]);
    assert!(!dropped.contains("cannot be changed"), "{dropped}");
}

#[test]
fn a_pool_that_carries_the_controllers_says_what_waits_for_it() {
    let zone = "  zone    = \"us-east4-a\"\n";
    let told = retold(FLEET, &[(zone, &format!("{zone}  system_machine = \"n2-standard-16\"\n"))]);
    let waits = "is on it, and does none of that until another pool has it";
    says(&told, &["google_container_node_pool.system: its nodes are made anew", waits]);
    let other = retold(FLEET, &[("    nodes   = 4\n", "    nodes   = 4\n    disk    = 300GiB\n")]);
    assert!(!other.contains(waits), "{other}");
    // where there is one of processors alone, they are on that
    let pool =
        "  pool cpus {\n    machine = \"n2-standard-16\"\n    nodes   = 2\n  }\n\n  pool gpus {";
    let cpus = reworded(FLEET, &[("  pool gpus {", pool)]);
    for told in [told_of(&cpus, FLEET), retold(&cpus, &[("n2-standard-16", "n2-standard-8")])] {
        says(&told, &["google_container_node_pool.cpus: it", waits]);
    }
    let second = pool.replace("cpus", "more").replace("gpus", "cpus");
    // which is made first, where it is another one
    let made_first = |told: &str, pool: &str| {
        let words = format!("apply -target=google_container_node_pool.{pool}\n");
        says(told, &["is made before what it takes over goes", words.as_str()]);
    };
    made_first(&told_of(FLEET, &cpus), "cpus");
    made_first(&told_of(&cpus, FLEET), "system");
    made_first(&retold(&cpus, &[("pool cpus", "pool prep")]), "prep");
    let same = retold(
        &cpus,
        &[(
            "n2-standard-16\"\n    nodes   = 2\n",
            "n2-standard-16\"\n    nodes   = 2\n    max_pods = 64\n",
        )],
    );
    assert!(!same.contains("is made before what it takes over goes"), "{same}");
    let two = cpus.replace("  pool cpus {", &second);
    assert!(!told_of(&two, &cpus).contains(waits), "{two}");
}

#[test]
fn what_stands_on_a_network_goes_before_it() {
    let again = [
        "$ terraform -chdir=30-fleet destroy -refresh=false\n",
        "$ terraform -chdir=10-foundation apply\n",
        "$ terraform -chdir=30-fleet apply\n",
    ];
    let smaller = "  region   = \"us-east4\"\n  subnet   = 10.0.0.0/22\n";
    let told = retold(FLEET, &[("  region   = \"us-east4\"\n", smaller)]);
    says(&told, &["a range of a subnet only grows: what stands on it goes before"]);
    says(&told, &again);
    says(&told, &["drain first: prepare, pretrain", "stopped by `prevent_destroy`"]);
    let other = retold(FLEET, &[("network net", "network core"), ("= net\n", "= core\n")]);
    says(&other, &again);
    assert_eq!(other.matches("-chdir=30-fleet destroy").count(), 1, "{other}");
}

#[test]
fn a_network_that_goes_with_its_cluster_goes_after_it() {
    let (head, rest) = FLEET.split_once("network net").unwrap_or_default();
    let (_, kept) = rest.split_once("bucket data").unwrap_or_default();
    let (kept, _) = kept.split_once("cluster fleet").unwrap_or_default();
    let gone = format!("{head}bucket data{kept}");
    let told = told_of(FLEET, &gone);
    let destroy = told.find("$ terraform -chdir=30-fleet destroy\n");
    let apply = told.find("$ terraform -chdir=10-foundation apply\n");
    assert!(destroy.is_some() && destroy < apply, "{told}");
    assert_eq!(told.matches("-chdir=30-fleet destroy").count(), 1, "{told}");
    says(&told, &["the commands of its network take it away"]);
}

/// The hall, its controller and one more partition over the same hosts, which nobody stands on.
fn low() -> String {
    let low = "  partition low {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 8\n    hosts   = \"gpu-[1-8]\"\n  }\n\n  partition cpu {";
    HALL.replace("  partition cpu {", low)
        .replace("    nodes   = 8\n  }", "    nodes   = 8\n    hosts   = \"gpu-[1-8]\"\n  }")
}

/// What `plan` tells of a text with other words in it, where the first was built.
fn rebuilt(text: &str, words: &[(&str, &str)]) -> String {
    let sandbox = Sandbox::new(&[("train.bp", text)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", reworded(text, words));
    sandbox.run(&["plan", "train.bp"]).expect(Different).out
}

#[test]
fn a_partition_that_goes_drains_itself_where_the_former_blueprint_is_gone() {
    let low = low();
    let gone = "  partition low {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 8\n    hosts   = \"gpu-[1-8]\"\n  }\n\n";
    let told = rebuilt(&low, &[(gone, "")]);
    says(
        &told,
        &["`low`: jobs of that partition end", "scontrol update PartitionName=low State=DRAIN"],
    );
    assert!(!told.contains("drain first") && !told.contains("what runs there ends"), "{told}");
    let left = rebuilt(&low, &[("partition gpu {", "partition big {"), ("hall.gpu", "hall.low")]);
    says(&left, &["`gpu`: jobs of that partition end", "drain first: train"]);
    let fewer = retold(
        HALL,
        &[
            ("    hosts   = \"c[1-2]\"", "    hosts   = \"c[1-1]\""),
            ("    nodes   = 2\n", "    nodes   = 1\n"),
        ],
    );
    says(&fewer, &["scontrol update NodeName=c2 State=DRAIN Reason=goes"]);
}

/// What nodes are had from, and who they are, beside a run that keeps what it writes in a bucket that it only names.
const RESERVED: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket results {
  location = "us-east4"
}

reservation mine {
  machine = "g2-standard-96"
  count   = 4
  zone    = "us-east4-a"
}

filesystem home {
  network  = net
  location = "us-east4-a"
  storage  = filestore(2560GiB, tier = "zonal")
}

identity nodes {}

identity trainer {
  writes = [results]
}

cluster hub on gke {
  network       = net
  zone          = "us-east4-a"
  node_identity = nodes

  pool gpus {
    machine  = "g2-standard-96"
    nodes    = 4
    capacity = reservation(mine)
  }
}

workload train on hub.gpus {
  image    = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes    = 2
  identity = trainer
  launch   = torchrun("train.py", args = { out = "${results.url}/runs" })
}
"#;

/// Compute Engine takes no machine back that somebody has, and deletes no reservation of which somebody has some.
#[test]
fn nodes_leave_a_reservation_before_less_is_reserved() {
    let fewer =
        retold(RESERVED, &[("count   = 4", "count   = 2"), ("nodes    = 4", "nodes    = 2")]);
    assert!(fewer.contains("apply in this order: 30-hub, 10-foundation"), "{fewer}");
    let gone = "reservation mine {\n  machine = \"g2-standard-96\"\n  count   = 4\n  zone    = \"us-east4-a\"\n}\n\n";
    let spot = retold(RESERVED, &[(gone, ""), ("reservation(mine)", "spot")]);
    assert!(spot.contains("apply in this order: 30-hub, 10-foundation"), "{spot}");
    for words in
        [("us-east4-a\"\n}\n\nfilesystem", "us-east4-b\"\n}\n\nfilesystem"), ("mine", "ours")]
    {
        let zone = [words, ("zone          = \"us-east4-a\"", "zone          = \"us-east4-b\"")];
        let other = if words.0 == "mine" { &zone[..1] } else { &zone[..] };
        for told in told_both_ways(RESERVED, &reworded(RESERVED, other)) {
            let order =
                "$ terraform -chdir=30-hub destroy -target=google_container_node_pool.gpus\n";
            let (_, rest) = told.split_once(order).unwrap_or_default();
            assert!(rest.contains("$ terraform -chdir=10-foundation apply\n"), "{told}");
            assert!(told.contains("drain first: train\n"), "{told}");
        }
    }
}

/// What is made, or grows, has to be there before the rest of its cluster is applied.
#[test]
fn nodes_leave_a_reservation_that_shrinks_before_anything_is_made_beside_it() {
    let shrinks = [("count   = 4", "count   = 2"), ("nodes    = 4", "nodes    = 2")];
    let bucket =
        ("identity nodes", "bucket logs {\n  location = \"us-east4\"\n}\n\nidentity nodes");
    let freed = |does: &str| {
        format!(
            "$ terraform -chdir=30-hub {does} -target=google_container_node_pool.gpus\n{0}$ terraform -chdir=10-foundation apply\n{0}$ terraform -chdir=30-hub apply\n",
            " ".repeat(19)
        )
    };
    for told in told_both_ways(RESERVED, &reworded(RESERVED, &[shrinks[0], shrinks[1], bucket])) {
        assert!(told.contains(&freed("apply")), "{told}");
        assert!(told.contains("drain first: train\n"), "{told}");
    }
    let third = "reservation third {\n  machine = \"g2-standard-96\"\n  count   = 4\n  zone    = \"us-east4-a\"\n}\n\nfilesystem";
    let moved = [shrinks[0], ("filesystem", third), ("reservation(mine)", "reservation(third)")];
    let told = retold(RESERVED, &moved);
    assert!(told.contains(&freed("destroy")), "{told}");
    let small = "  }\n\n  pool small {\n    machine = \"g2-standard-96\"\n    nodes = 3\n    capacity = reservation(third)\n  }\n}\n\nworkload";
    let two = reworded(RESERVED, &[("filesystem", third), ("  }\n}\n\nworkload", small)]);
    let two = two.replace(
        "third {\n  machine = \"g2-standard-96\"\n  count   = 4",
        "third {\n  machine = \"g2-standard-96\"\n  count   = 3",
    );
    let grows =
        [shrinks[0], shrinks[1], ("count   = 3", "count   = 8"), ("nodes = 3", "nodes = 8")];
    let told = retold(&two, &grows);
    assert!(told.contains(&freed("apply")), "{told}");
    assert!(told.contains("apply in this order: 10-foundation, 30-hub\n"), "{told}");
    let alone = retold(&two, &grows[..3]);
    assert!(alone.contains("apply in this order: 30-hub, 10-foundation\n"), "{alone}");
}

/// Another template ends no machine: those that run keep what they are had from, and act as who they were.
#[test]
fn machines_leave_what_goes_by_commands() {
    const MACHINES: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region = "us-east4"
}

reservation mine {
  machine = "g2-standard-96"
  count   = 4
  zone    = "us-east4-a"
}

identity trainer {}

machines trainers {
  identity = trainer
  machine  = "g2-standard-96"
  nodes    = 4
  network  = fabric
  zone     = "us-east4-a"
  image    = image_family("common-cu129-ubuntu-2204-nvidia-580", project = "deeplearning-platform-release")
  capacity = reservation(mine)
}
"#;
    let gone = "reservation mine {\n  machine = \"g2-standard-96\"\n  count   = 4\n  zone    = \"us-east4-a\"\n}\n\n";
    let group = "=google_compute_instance_group_manager.trainers\n";
    for words in [
        &[(gone, ""), ("reservation(mine)", "spot")][..],
        &[("reservation mine {", "reservation mine {\n  name = \"ours\"")],
    ] {
        let told = retold(MACHINES, words);
        let first = format!("$ terraform -chdir=30-trainers destroy -target{group}");
        let (_, rest) = told.split_once(&first).unwrap_or_default();
        assert!(rest.contains("$ terraform -chdir=10-foundation apply\n"), "{told}");
        assert!(told.contains("goes with it: machines trainers\n"), "{told}");
    }
    let fewer = [("count   = 4", "count   = 2"), ("nodes    = 4", "nodes    = 2")];
    let told = retold(MACHINES, &fewer);
    assert!(told.contains("apply in this order: 30-trainers, 10-foundation\n"), "{told}");
    let account = ("identity trainer {}", "identity trainer { account = \"trainer-two\" }");
    for told in told_both_ways(MACHINES, &reworded(MACHINES, &[account])) {
        let anew = format!("$ terraform -chdir=30-trainers apply -replace{group}");
        assert!(told.contains(&anew), "{told}");
        assert!(told.contains("apply in this order: 10-foundation, 30-trainers\n"), "{told}");
    }
}

/// What was pushed is gone with a registry, under the same name too.
#[test]
fn an_image_is_pushed_again_where_its_registry_is_made_anew() {
    let registry = "registry images {\n  location = \"us-east4\"\n}\n\nimage nemo {\n  from    = \"nvcr.io/nvidia/nemo:24.07\"\n  push_to = images\n}\n\nidentity nodes";
    let text = RESERVED
        .replace("identity nodes", registry)
        .replace("\"us-docker.pkg.dev/my-project/images/train:v1\"", "nemo");
    let key = (
        "registry images {\n",
        "registry images {\n  encryption_key = \"projects/my-project/locations/us-east4/keyRings/r/cryptoKeys/k\"\n",
    );
    for told in told_both_ways(&text, &reworded(&text, &[key])) {
        assert!(told.contains("$ gcloud builds submit 20-images/nemo "), "{told}");
        assert!(told.contains("apply in this order: 10-foundation, 20-images/nemo\n"), "{told}");
    }
}

/// Its provider takes another name as if it could be changed, asks for what is not there, and loses what is.
#[test]
fn a_filestore_under_another_name_is_another_one() {
    let named = ("filesystem home {\n", "filesystem home {\n  name     = \"home2\"\n");
    let told = retold(RESERVED, &[named]);
    assert!(told.contains("destroys data  filesystem home"), "{told}");
    assert!(told.contains("stopped by `prevent_destroy`"), "{told}");
    let sandbox = Sandbox::new(&[("train.bp", RESERVED)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let storage = sandbox.read("out/default/10-foundation/storage.tf");
    assert!(storage.contains("replace_triggered_by = [terraform_data.home_name]"), "{storage}");
}

/// An account under another name is looked up where it is made first.
#[test]
fn an_account_of_nodes_is_made_before_nodes_act_as_it() {
    let named = ("identity nodes {}", "identity nodes { account = \"hub-nodes-2\" }");
    let told = retold(RESERVED, &[named]);
    assert!(told.contains("apply in this order: 10-foundation, 30-hub\n"), "{told}");
    assert!(told.contains("drain first: train\n"), "{told}");
}

/// A right goes with what it is on, whoever only names that.
#[test]
fn who_only_names_a_bucket_loses_the_right_to_it() {
    let named = ("bucket results {\n", "bucket results {\n  name     = \"others\"\n");
    for told in told_both_ways(RESERVED, &reworded(RESERVED, &[named])) {
        assert!(told.contains("drain first: train\n"), "{told}");
    }
}

/// What says no more what it was is another one, and what it was goes: with what ran there.
#[test]
fn who_stands_on_what_says_no_more_what_it_was_is_drained() {
    let was =
        RESERVED.replace("cluster hub on gke {\n", "cluster hub on gke {\n  was = \"core\"\n");
    for told in told_both_ways(&was, RESERVED) {
        assert!(told.contains("drain first: train\n"), "{told}");
    }
}

/// What nodes hold of checkpoints is gone with what set that up.
#[test]
fn who_keeps_checkpoints_in_memory_ends_before_that_is_set_up_anew() {
    const SLICES: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-west4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket results {
  location     = "us-west4"
  hierarchical = true
}

identity trainer {}

cluster tpus on gke {
  network = fabric
  zone    = "us-west4-a"

  pool v5e {
    machine  = "ct5lp-hightpu-4t"
    topology = 4x4
    slices   = 2
  }
}

workload train on tpus.v5e {
  image    = "us-docker.pkg.dev/my-project/images/maxtext:v1"
  identity = trainer
  slices   = 2
  restarts = 20
  mounts   = [local_checkpoints(results, 40GiB) at "/local"]
  launch   = python("train.py", options = "plain", args = { local_checkpoint_directory = "/local" })
}
"#;
    // a bucket that is made anew has none of the rights of the former, and the driver's is given in another folder
    for told in told_both_ways(
        SLICES,
        &reworded(SLICES, &[("location     = \"us-west4\"", "location     = \"us\"")]),
    ) {
        assert!(told.contains("35-workload-identity google_storage_bucket_iam_member.results_checkpoints: the bucket is made anew"), "{told}");
        assert!(
            told.contains("apply in this order: 10-foundation, 35-workload-identity\n"),
            "{told}"
        );
    }
    for told in told_both_ways(SLICES, &reworded(SLICES, &[("40GiB", "60GiB")])) {
        assert!(told.contains("drain first: train\n"), "{told}");
    }
}
