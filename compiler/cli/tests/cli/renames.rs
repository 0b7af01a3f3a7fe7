//! Renames that are not written: what `plan` says of nouns that nothing names by themselves, and of what came out of components.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

const PROJECT: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}
"#;

const PARTS: &str = r#"
component lake {
  bucket store {
    location = "us-east4"
  }
}

component fleet {
  cluster c on gke {
    network = fabric
    zone    = "us-east4-a"

    pool gpus {
      machine = "a3-megagpu-8g"
      nodes   = 2
    }
  }

  workload train on c.gpus {
    image  = "nvcr.io/nvidia/nemo:24.07"
    launch = torchrun("train.py")
  }
}

lake first {}

fleet east {}
"#;

const LAB: &str = r#"cluster lab on slurm {
  partition gpu {
    machine = "a3-megagpu-8g"
    nodes   = 8
  }
}

workload train on lab.gpu {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 4
  launch = torchrun("train.py")

  group eval on lab.gpu {
    image  = "nvcr.io/nvidia/nemo:24.07"
    launch = command(["eval.py"])
  }
}
"#;

const VERTEX: &str = r#"param project: ProjectId = "my-project"

registry images {
  location = "us-central1"
}

cluster v on vertex {
  region  = "us-central1"
  machine = "a3-megagpu-8g"
}

image nemo {
  from    = "nvcr.io/nvidia/nemo:24.07"
  run     = ["pip install einops"]
  push_to = images
}

workload train on v {
  image  = nemo
  nodes  = 4
  launch = torchrun("train.py")
}
"#;

/// What is told of a blueprint that was built, once every word of a kind is another.
fn told(text: &str, words: &[(&str, &str)]) -> String {
    let sandbox = Sandbox::new(&[("train.bp", text)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let other = crate::drained::reworded(text, words);
    sandbox.write("train.bp", other);
    sandbox.run(&["plan", "train.bp"]).expect(Different).out
}

#[track_caller]
fn helps(text: &str, words: &[(&str, &str)], expected: &[&str]) {
    let told = told(text, words);
    let helps = told.lines().filter_map(|line| line.trim().strip_prefix("help: "));
    let expected: Vec<String> =
        expected.iter().map(|it| format!("{it}: then nothing is replaced")).collect();
    assert_eq!(helps.collect::<Vec<_>>(), expected, "{told}");
}

#[test]
fn a_cluster_that_could_stay_is_advised_though_more_than_its_name_differs() {
    let sandbox = Sandbox::new(&[("before/train.bp", crate::plan::FLEET)]);
    let renamed = crate::plan::FLEET.replace("a3m", "a4m");
    let plan = ["plan", "train.bp", "--against", "before/train.bp"];
    let told = |text: &str| {
        sandbox.write("train.bp", text);
        sandbox.run(&plan).expect(Different).out
    };
    let machine = told(&renamed.replace("a3-megagpu-8g", "a3-highgpu-8g"));
    let help = "write `was = \"a3m\"` in it: then it stays, and only what differs in it is changed";
    assert!(machine.contains(help), "{machine}");
    let clean = told(&renamed);
    assert!(clean.contains("write `was = \"a3m\"` in it: then nothing is replaced"), "{clean}");
    let elsewhere =
        told(&renamed.replace("pool gpus {", "control_plane = 172.17.0.0/28\n  pool gpus {"));
    assert!(!elsewhere.contains("`was = \"a3m\"`"), "{elsewhere}");
}

#[test]
fn what_nothing_names_by_itself_is_tried_too() {
    let partition = "if `lab.big` is `gpu` renamed, write `was = \"gpu\"` in it";
    helps(LAB, &[("partition gpu", "partition big"), ("lab.gpu", "lab.big")], &[partition]);
    let group = "if `train.judge` is `eval` renamed, write `was = \"eval\"` in it";
    helps(LAB, &[("group eval", "group judge")], &[group]);
    let run = "if `run` is `train` renamed, write `was = \"train\"` in it";
    helps(LAB, &[("workload train", "workload run")], &[run]);
    helps(VERTEX, &[("workload train", "workload run")], &[run]);
    let image = "if `base` is `nemo` renamed, write `was = \"nemo\"` in it";
    helps(VERTEX, &[("image nemo", "image base"), ("= nemo", "= base")], &[image]);
}

#[test]
fn a_run_of_vertex_ai_that_goes_is_cancelled_where_it_runs() {
    let told = told(VERTEX, &[("workload train", "workload run")]);
    let command = "$ gcloud ai custom-jobs list --region=us-central1 --project=my-project --filter='displayName=train AND labels.blueprint=\"train\" AND labels.environment=\"default\" AND state:(JOB_STATE_RUNNING JOB_STATE_PENDING JOB_STATE_QUEUED)' --format='value(name)' | xargs -r -n1 gcloud ai custom-jobs cancel\n";
    assert!(told.contains(command), "{told}");
}

#[test]
fn a_name_that_nothing_outside_has_is_no_rename() {
    let words = [("cluster v", "cluster w"), ("on v {", "on w {"), ("einops", "numpy")];
    assert!(!told(VERTEX, &words).contains("write `was = "));
}

#[test]
fn a_group_that_does_something_else_is_no_rename() {
    let told = told(LAB, &[("group eval", "group judge"), ("nodes  = 4", "nodes  = 3")]);
    assert!(told.contains("`train.judge` is `eval` renamed"), "{told}");
    let other = PROJECT.to_owned() + PARTS;
    let grown = [("workload train", "workload run"), ("nemo:24.07", "nemo:24.09")];
    assert!(!self::told(&other, &grown).contains("help: "));
}

#[test]
fn the_use_of_a_component_says_what_it_was() {
    let text = PROJECT.to_owned() + PARTS;
    let lake = "if `lake second` is `first` renamed, write `was = \"first\"` in it";
    helps(&text, &[("lake first", "lake second")], &[lake]);
    let fleet = "if `fleet west` is `east` renamed, write `was = \"east\"` in it";
    helps(&text, &[("fleet east", "fleet west")], &[fleet]);
    let sandbox = Sandbox::new(&[(
        "train.bp",
        &text.replace("fleet east {}", "fleet west {\n  was = \"east\"\n}"),
    )]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", text.replace("fleet east", "fleet west"));
    let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    let help = "`fleet west` says no more what it was: without `was = \"east\"` another one is made in its place";
    assert!(told.contains(help), "{told}");
    let pool = "if `pool big` of its component is `gpus` renamed, write `was = \"gpus\"` in it";
    let big = [("pool gpus", "pool big"), ("c.gpus", "c.big")];
    helps(&text, &big, &[pool]);
    let cluster = "if `cluster d` of its component is `c` renamed, write `was = \"c\"` in it";
    let both = [("cluster c", "cluster d"), ("pool gpus", "pool big"), ("c.gpus", "d.big")];
    helps(&text, &both, &[cluster, pool]);
}

#[test]
fn what_came_out_of_a_component_goes_by_its_noun() {
    let text = PROJECT.to_owned() + PARTS;
    for (gone, nouns) in [
        ("lake first {}\n", &["destroys data    bucket first.store\n"][..]),
        (
            "fleet east {}\n",
            &["needs commands   cluster east.c\n", "needs commands   workload east.train\n"],
        ),
    ] {
        let told = told(&text, &[(gone, "")]);
        for noun in nouns {
            assert!(told.contains(noun), "{told}");
        }
        assert!(!told.contains("\n                   it: "), "{told}");
    }
}

#[test]
fn a_further_rename_says_the_first_name() {
    let bucket = "\nbucket corpus {\n  was      = \"data\"\n  location = \"us-east4\"\n}\n";
    let words =
        [("bucket corpus", "bucket texts"), ("was      = \"data\"", "was      = \"corpus\"")];
    let told = told(&(PROJECT.to_owned() + bucket), &words);
    let help = "if `texts` is `corpus` renamed, write `was = \"data\"` in it in place of `was      = \"corpus\"`: outside it is called so still, and nothing is replaced";
    assert!(told.contains(help), "{told}");
}
