//! Who is told to stop before a right is taken away: whoever has it until then, as what was built knows, and nobody else.

use crate::drained::{reworded, told};
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

/// Two clusters, an identity that runs in both act as, and a bucket that one of these writes to and one reads.
const ESTATE: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

network branch {
  region   = "us-east4"
  subnet   = 10.30.0.0/20
  pods     = 10.80.0.0/14
  services = 10.84.0.0/20
}

bucket ck {
  location = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB, tier = "zonal")
  network  = fabric
  location = "us-east4-a"
}

identity trainer {
  federated = { forge = github("acme/models") }
}

identity other {}

cluster main on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 8
  }

  pool cpus {
    machine = "n2-standard-16"
    nodes   = 2
  }
}

cluster side on gke {
  network = branch
  name    = "annex"
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload writes on main.gpus {
  image     = "nvcr.io/nvidia/nemo:24.07"
  namespace = "vision"
  identity  = trainer
  launch    = torchrun("train.py")
  env       = { HF_TOKEN = secret("hf-token") }
  mounts    = [mount(ck, "/ck", use = "checkpoints"), home at "/home"]
}

workload reads on side.gpus {
  image     = "nvcr.io/nvidia/nemo:24.07"
  namespace = "vision"
  identity  = trainer
  launch    = torchrun("eval.py")
  env       = { HF_TOKEN = secret("hf-token") }
  mounts    = [mount(ck, "/ck", read_only = true)]
}

workload plays on main.gpus {
  image     = "nvcr.io/nvidia/nemo:24.07"
  namespace = "audio"
  identity  = trainer
  launch    = torchrun("play.py")
}
"#;

/// What `plan` tells of another text against what was built of one, and against the blueprint of that.
fn both(before: &str, after: &str) -> [String; 2] {
    let sandbox = Sandbox::new(&[("train.bp", before)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", after);
    [sandbox.run(&["plan", "train.bp"]).expect(Different).out, told(before, after)]
}

/// That so many words differ, and who is drained for them: those of the former side.
#[track_caller]
fn drains(words: &[(&str, &str)], runs: &str) {
    for told in both(ESTATE, &reworded(ESTATE, words)) {
        let drained = told.lines().find_map(|line| line.strip_prefix("drain first: "));
        assert_eq!(drained.unwrap_or_default(), runs, "{words:?}\n{told}");
    }
}

const WRITES: &str = "mount(ck, \"/ck\", use = \"checkpoints\"), ";
const READS: &str = "  mounts    = [mount(ck, \"/ck\", read_only = true)]\n";

#[test]
fn who_loses_a_right_is_drained_whatever_becomes_of_it() {
    let of = |run: &str| {
        let (_, rest) = ESTATE.split_once(&format!("workload {run} on ")).unwrap_or_default();
        let body = rest.split_once("\n}\n").unwrap_or_default().0;
        format!("workload {run} on {body}\n}}\n")
    };
    let (writes, plays) = (of("writes"), of("plays"));
    let other = |run: &str, from: &str, to: &str| reworded(run, &[(from, to)]);
    let without = other(&writes, WRITES, "");
    drains(&[(&writes, &without)], "writes");
    let read = other(&writes, WRITES, "mount(ck, \"/ck\", read_only = true), ");
    drains(&[(&writes, &read)], "writes");
    let someone = other(&writes, "identity  = trainer", "identity  = other");
    drains(&[(&writes, &someone)], "writes");
    drains(&[(&writes, "")], "writes");
    drains(&[(&plays, &other(&plays, "\"audio\"", "\"video\""))], "plays");
    drains(&[(&plays, &other(&plays, "  identity  = trainer\n", ""))], "plays");
    drains(&[(&plays, "")], "plays");
}

#[test]
fn who_keeps_a_right_is_not_drained() {
    // the one that writes may read
    drains(&[(READS, "")], "");
    // another pool of a cluster is one with the same accounts of pods
    drains(&[("workload plays on main.gpus", "workload plays on main.cpus")], "");
    // how a forge comes to act as an account is no business of runs
    drains(&[("  federated = { forge = github(\"acme/models\") }\n", "")], "");
    let renamed = [("identity trainer {\n", "identity coach {\n  was = \"trainer\"\n")];
    let renamed: Vec<_> = renamed.into_iter().chain([("= trainer\n", "= coach\n")]).collect();
    drains(&renamed, "");
}

/// An account of pods is in one cluster: where it goes, or acts as another, who has it is drained.
#[test]
fn who_has_an_account_of_pods_until_it_goes_is_drained() {
    let moves = [("workload plays on main.gpus", "workload plays on side.gpus")];
    drains(&moves, "plays");
    for told in both(ESTATE, &reworded(ESTATE, &moves)) {
        let gone = "40-main-queues ServiceAccount audio/trainer: it stays until it is deleted, and pods that have it are refused";
        assert!(told.contains(gone), "{told}");
    }
    let theirs = ESTATE
        .replace("identity other {}", "existing identity other {\n  project = \"company\"\n}")
        .replace("cluster side on gke {", "existing cluster side on gke {")
        .replace("eval.py", "play.py");
    let of_others = reworded(
        &theirs,
        &[
            (
                "identity  = trainer\n  launch    = torchrun(\"play.py\")\n  env",
                "identity  = other\n  launch    = torchrun(\"play.py\")\n  env",
            ),
            (READS, ""),
        ],
    );
    let elsewhere = reworded(&of_others, &[("\"company\"", "\"company-next\"")]);
    for told in both(&of_others, &elsewhere) {
        assert!(told.contains("act as another account from their next token on"), "{told}");
        assert!(told.contains("drain first: reads\n"), "{told}");
    }
}

#[test]
fn what_stood_on_something_until_now_is_drained_though_it_leaves_it() {
    let away = [
        ("bucket ck {\n  location = \"us-east4\"", "bucket ck {\n  location = \"us-east5\""),
        (WRITES, ""),
        (READS, ""),
    ];
    drains(&away, "reads, writes");
    let moved = [
        ("    nodes   = 8\n", "    nodes   = 8\n    capacity = spot\n"),
        ("workload plays on main.gpus", "workload plays on main.cpus"),
    ];
    drains(&moved, "plays, writes");
}

/// The pool of identities of another project is another one, whatever accounts are called in both.
#[test]
fn an_account_of_another_project_s_cluster_is_another_one() {
    let theirs = ESTATE.replace(
        "cluster side on gke {\n",
        "existing cluster side on gke {\n  project = \"company-platform\"\n",
    );
    let gone = "workload reads on side.gpus";
    for told in both(&theirs, &theirs.replace(gone, "workload reads on main.gpus")) {
        assert!(told.contains("trainer_of_company_platform[\"vision/trainer\"]"), "{told}");
        assert!(told.contains("drain first: reads\n"), "{told}");
        // it ends where it was, whatever that cluster is called in the cloud, and is started where it is now
        assert!(
            told.contains("delete jobset reads --namespace=vision --ignore-not-found  # on annex in us-east4 of company-platform\n"),
            "{told}"
        );
        assert!(!told.contains("--cascade=foreground && kubectl apply -k 50-workloads/reads/overlays/default  # on annex"), "{told}");
    }
}

#[test]
fn a_claim_is_deleted_in_one_cluster() {
    let volumes = ESTATE
        .replace(READS, "  mounts    = [home at \"/home\"]\n")
        .replace("= branch", "= fabric");
    let kept = volumes.replace(", home at \"/home\"", "");
    for told in both(&volumes, &kept) {
        assert!(
            told.contains("kubectl delete persistentvolumeclaim home --namespace=vision"),
            "{told}"
        );
        assert!(told.contains("drain first: writes\n"), "{told}");
    }
}

/// One of before such rights were told: the blueprint of now is asked.
#[test]
fn an_older_manifest_is_read() {
    let sandbox = Sandbox::new(&[("train.bp", ESTATE)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let path = "out/default/slipform.manifest.json";
    let text = sandbox.read(path);
    let (start, rest) = text.split_once("  \"rights\": {").unwrap();
    let (_, rest) = rest.split_once("\n  },\n").unwrap();
    sandbox.write(path, format!("{start}{rest}"));
    sandbox.write(
        "train.bp",
        reworded(
            ESTATE,
            &[("identity trainer {\n", "identity trainer {\n  account = \"another-one\"\n")],
        ),
    );
    let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(told.contains("drain first: plays, reads, writes\n"), "{told}");
}

#[test]
fn a_cluster_that_is_made_anew_has_none_of_its_secrets() {
    let words =
        [("  name    = \"annex\"\n", "  name    = \"annex\"\n  location = \"us-east4-a\"\n")];
    for told in both(ESTATE, &reworded(ESTATE, &words)) {
        let command = "$ kubectl create secret generic hf-token --namespace=vision --from-file=value=<(printf %s \"$HF_TOKEN\")  # on annex in us-east4-a of my-project\n";
        assert!(told.contains(command), "{told}");
        assert_eq!(told.matches("kubectl create secret").count(), 1, "{told}");
    }
    let [told, _] = both(ESTATE, &reworded(ESTATE, &[("    nodes   = 4\n", "    nodes   = 5\n")]));
    assert!(!told.contains("kubectl create secret"), "{told}");
}

/// Whoever has to stop a run gives a command, though what is applied is changed in place.
#[test]
fn a_gate_of_commands_stops_where_runs_are_drained() {
    let other = ESTATE.replace(
        "identity  = trainer\n  launch    = torchrun(\"play.py\")",
        "launch    = torchrun(\"play.py\")",
    );
    let sandbox = Sandbox::new(&[("train.bp", ESTATE)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write(
        "train.bp",
        ESTATE.replace(
            "  federated = { forge = github(\"acme/models\") }\n",
            "  federated = { forge = github(\"acme/others\") }\n",
        ),
    );
    sandbox.run(&["plan", "train.bp", "--fail-on", "by-hand"]).expect(Clean);
    sandbox.write("train.bp", other);
    sandbox.run(&["plan", "train.bp", "--fail-on", "by-hand"]).expect(Different);
    sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Clean);
}

/// A run that comes to a cluster which stands finds none of what it read elsewhere.
#[test]
fn a_cluster_that_runs_come_to_has_none_of_their_secrets() {
    let command = "$ kubectl create secret generic hf-token --namespace=vision --from-file=value=<(printf %s \"$HF_TOKEN\")  # on annex in us-east4 of my-project\n";
    let none = ESTATE.replace("reads on side.gpus", "reads on main.gpus");
    for told in both(&none, ESTATE) {
        assert!(told.contains(command), "{told}");
        assert_eq!(told.matches("kubectl create secret").count(), 1, "{told}");
    }
    let [told, _] = both(ESTATE, &none);
    assert!(!told.contains("kubectl create secret"), "{told}");
}

/// What a cluster is called in the blueprint is no other cluster.
#[test]
fn a_cluster_that_is_called_otherwise_keeps_its_runs() {
    let wing =
        ESTATE.replace("cluster side on", "cluster wing on").replace("side.gpus", "wing.gpus");
    let sandbox = Sandbox::new(&[("train.bp", &wing), ("before/train.bp", ESTATE)]);
    let told = sandbox.run(&["plan", "train.bp", "--against", "before/train.bp"]).out;
    assert!(!told.contains("kubectl delete jobset"), "{told}");
}
