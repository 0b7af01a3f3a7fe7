//! Which words of other nouns a change is told to come from.

use crate::drained::retold;
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

/// Two pools, of which a queue deals out one, a filesystem, and runs on both.
const SITE: &str = r#"param project: ProjectId = "my-project"
param size: int = 4

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket data {
  location = "us-east4"
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  pool cpus {
    machine = "n2-standard-16"
    nodes   = 4
  }

  queue q {
    pools = [gpus]
  }
}

workload train on a3m.gpus {
  image    = "nvcr.io/nvidia/nemo:24.07"
  nodes    = 2
  launch   = torchrun("train.py")
  queue    = a3m.q
  restarts = 3
}
"#;

/// The lines of nouns that are told to come from another one.
fn causes(told: &str) -> Vec<&str> {
    let of_nouns = told.lines().filter(|line| line.contains(", because "));
    of_nouns.filter_map(|line| line.split_once("  ")).map(|(_, line)| line.trim_start()).collect()
}

/// What is tried: other words, and what is told of them.
type Try = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

#[test]
fn a_change_is_told_by_the_words_of_another_noun_that_made_it() {
    let tries: [Try; 6] = [
        (
            "of two words of one noun, the one that counts",
            &[(
                "zone    = \"us-east4-a\"",
                "zone    = \"us-east4-b\"\n  labels  = { team = \"one\" }",
            )],
            &[
                "pool a3m.cpus, because cluster a3m: zone us-east4-a -> us-east4-b",
                "pool a3m.gpus, because cluster a3m: zone us-east4-a -> us-east4-b",
            ],
        ),
        (
            "a quota that follows from nodes",
            &[("nodes    = 4", "nodes    = 8")],
            &["queue a3m.q, because pool a3m.gpus: nodes 4 -> 8"],
        ),
        (
            "pools that stand on the network of their cluster",
            &[("network fabric", "network fab"), ("= fabric", "= fab")],
            &[
                "pool a3m.cpus, because cluster a3m: network fabric -> fab",
                "pool a3m.gpus, because cluster a3m: network fabric -> fab",
            ],
        ),
        (
            "a word that comes, and is no part of what goes into the pools",
            &[("a\"\n\n  pool gpus", "a\"\n  deletion_protection = false\n\n  pool gpus")],
            &["network fabric, because cluster a3m: deletion_protection false (new)"],
        ),
        (
            "what is said of the bucket has nothing to do with the queue",
            &[
                ("nodes    = 4", "nodes    = 8"),
                ("  location =", "  versioning = true\n  location ="),
            ],
            &["queue a3m.q, because pool a3m.gpus: nodes 4 -> 8"],
        ),
        (
            "a noun that says it itself needs no cause, and the bucket of another is none",
            &[
                ("nodes   = 4", "nodes   = 6"),
                ("  location =", "  versioning = true\n  location ="),
            ],
            &[],
        ),
    ];
    for (what, words, expected) in tries {
        let told = retold(SITE, words);
        assert_eq!(causes(&told), expected, "{what}:\n{told}");
    }
}

/// It says something of its own, and is changed by another noun besides.
#[test]
fn what_else_made_a_change_is_told_beside_the_words_of_the_noun() {
    let told = retold(
        SITE,
        &[("capacity = spot", "capacity = on_demand"), ("restarts = 3", "restarts = 5")],
    );
    let line = "  workload train: restarts 3 -> 5; also because pool a3m.gpus: capacity spot -> on_demand\n";
    assert!(told.contains(line), "{told}");
}

/// The word of the noun is the same, and what it stands for is another.
#[test]
fn a_parameter_is_told_by_the_noun_that_has_it() {
    let by_size = SITE.replace("nodes    = 4", "nodes    = size");
    let told = retold(&by_size, &[("size: int = 4", "size: int = 8")]);
    assert_eq!(causes(&told), ["queue a3m.q, because pool a3m.gpus: nodes 4 -> 8"], "{told}");
}

/// Words that several nouns have from one place are taken back for all of them.
#[test]
fn nouns_of_one_declaration_are_no_cause_of_each_other() {
    let rounds = SITE
        .replace("  pool gpus {", "  for i in 0..2 {\n  pool part {")
        .replace("    capacity = spot\n  }\n", "    capacity = spot\n  }\n  }\n")
        .replace("[gpus]", "[part[0], part[1]]")
        .replace("a3m.gpus", "a3m.part[0]");
    let told = retold(&rounds, &[("nodes    = 4", "nodes    = 8")]);
    let expected = ["queue a3m.q, because pool a3m.part[0] and 2 more: nodes 4 -> 8"];
    assert_eq!(causes(&told), expected, "{told}");
}

/// What lies in a noun is told in its lines, and no cause besides.
#[test]
fn what_lies_in_a_noun_is_no_cause_of_it() {
    let slurm = "cluster onprem on slurm {\n  partition gpus {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 4\n  }\n}\n\nworkload tune on onprem.gpus {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  launch = torchrun(\"train.py\")\n}\n";
    let told = retold(slurm, &[("a3-megagpu-8g", "a3-highgpu-8g")]);
    let cause = "because partition onprem.gpus: machine a3-megagpu-8g -> a3-highgpu-8g";
    assert_eq!(causes(&told), [format!("workload tune, {cause}")], "{told}");
    assert!(told.contains("  cluster onprem\n"), "{told}");
}

#[test]
fn programs_are_told_causes_too() {
    let after = SITE.replace("nodes    = 4", "nodes    = 8");
    let sandbox = Sandbox::new(&[("before/train.bp", SITE), ("train.bp", &after)]);
    let plan = ["plan", "train.bp", "--against", "before/train.bp", "--message-format", "json"];
    let told = sandbox.run(&plan).expect(Different).out;
    let lines = told.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let queue: Vec<serde_json::Value> = lines
        .filter(|line| line["noun"] == "queue a3m.q")
        .map(|it| it["because"].clone())
        .collect();
    assert!(!queue.is_empty(), "{told}");
    assert!(queue.iter().all(|it| *it == serde_json::json!(["pool a3m.gpus: nodes 4 -> 8"])));
    // the words of a build are not at hand
    let sandbox = Sandbox::new(&[("train.bp", SITE)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", &after);
    let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(!told.contains("because pool"), "{told}");
}
