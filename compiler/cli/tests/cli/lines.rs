//! `explain PATH:LINE`: what a line of a blueprint makes, and what made a line of a rendered file.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::{Clean, Unusable};

const CLUSTER: &str = r#"param project: ProjectId = "my-project"
param nodes: int = 2

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  name    = "a3m"
  network = fabric
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = nodes
    capacity = spot
  }
}
"#;

const ENVIRONMENTS: &str = r#"[project]
name = "fleet"

[env.dev.params]
project = "my-project-dev"
nodes = 4

[env.prod.params]
project = "my-project-prod"
nodes = 8
"#;

/// The place of the line of a file that has a text.
fn line_of(sandbox: &Sandbox, path: &str, text: &str) -> String {
    let file = sandbox.read(path);
    let before = file.lines().take_while(|line| !line.contains(text)).count();
    assert!(before < file.lines().count(), "{text} in {file}");
    format!("{path}:{}", before + 1)
}

fn explained(sandbox: &Sandbox, path: &str, text: &str) -> String {
    sandbox.run(&["explain", &line_of(sandbox, path, text)]).expect(Clean).out
}

#[test]
fn a_rendered_line_tells_the_words_that_it_depends_on() {
    let sandbox = Sandbox::new(&[("train.bp", CLUSTER), ("slipform.toml", ENVIRONMENTS)]);
    sandbox.run(&["build", "--all-envs"]).expect(Clean);
    let before = sandbox.tree();
    insta::assert_snapshot!(explained(&sandbox, "out/prod/30-a3m/node_pools.tf", " node_count"));
    let type_ = explained(&sandbox, "out/dev/30-a3m/node_pools.tf", "\"nvidia-h100-mega-80gb\"");
    for part in [
        "words  train.bp:15  \"a3-megagpu-8g\" as a3m.gpus.machine; with",
        "facts  machines a3-megagpu-8g: accelerator.gke_label = nvidia-h100-mega-80gb (stated 20",
        "gpus h100-mega-80gb: gke_label = nvidia-h100-mega-80gb (stated 20",
    ] {
        assert!(type_.contains(part), "{part}\n{type_}");
    }
    let own = explained(&sandbox, "out/dev/30-a3m/node_pools.tf", "auto_repair");
    assert!(own.contains("none changes the line"), "{own}");
    assert!(sandbox.tree() == before, "something was written");
    // A name is not tried with another: the line tells whose it is.
    let name = explained(&sandbox, "out/dev/30-a3m/node_pools.tf", "\"gpus\" {");
    assert!(name.contains("it has the name of pool a3m.gpus"), "{name}");
    // A folder that has another name is no other file.
    let named = explained(&sandbox, "out/dev/30-a3m/versions.tf", "required_version");
    assert!(named.contains("none changes the line"), "{named}");
    let unnumbered = sandbox.run(&["explain", "train.bp:gpus"]).expect(Unusable).err;
    assert!(unnumbered.contains("name a line of it, `train.bp:1`"), "{unnumbered}");
    // The project is found from where the file lies, wherever the command is given.
    let inside = sandbox.run_in("out/dev/30-a3m", &["explain", "node_pools.tf:2"]).expect(Clean);
    assert!(inside.out.contains("of     cluster a3m"), "{}", inside.out);
}

#[test]
fn a_line_of_a_blueprint_tells_what_it_makes() {
    let sandbox = Sandbox::new(&[("train.bp", CLUSTER), ("slipform.toml", ENVIRONMENTS)]);
    insta::assert_snapshot!(explained(&sandbox, "train.bp", "nodes    = nodes"));
    insta::assert_snapshot!(
        "a_head_tells_the_files_that_its_noun_renders_to",
        explained(&sandbox, "train.bp", "pool gpus")
    );
    let param = explained(&sandbox, "train.bp", "param nodes");
    assert!(param.contains("environment dev\n") && param.contains("with 5 for 4"), "{param}");
    let prod = sandbox.run(&["explain", "train.bp:2:7", "--env", "prod"]).expect(Clean).out;
    assert!(prod.contains("with 9 for 8"), "{prod}");
    let setting = explained(&sandbox, "slipform.toml", "nodes = 4");
    assert!(setting.contains("with 5 for 4"), "{setting}");
    // Of a value over several lines, the words of the line alone.
    sandbox.write("train.bp", CLUSTER.replace("= nodes", "= [\n      nodes,\n      9,\n    ][1]"));
    let nine = explained(&sandbox, "train.bp", "9,");
    assert!(nine.contains("says   nodes: ") && nine.contains("with 10 for 9"), "{nine}");
    sandbox.write("train.bp", CLUSTER);
    let end = explained(&sandbox, "train.bp", "}");
    assert!(end.contains("of     network fabric"), "{end}");
    let empty = sandbox.run(&["explain", "train.bp:3"]).expect(Clean).out;
    assert!(empty.contains("says nothing that is rendered"), "{empty}");
}

#[test]
fn of_a_large_blueprint_the_nearest_words_are_tried() {
    let mut fleet = String::from("param project: ProjectId = \"my-project\"\nlet kept = 30d\n");
    for at in 0..1000 {
        fleet.push_str(&format!(
            "bucket b{at} {{\n  location = \"us-east4\"\n  delete_after = kept\n}}\n"
        ));
    }
    let sandbox = Sandbox::new(&[("train.bp", &fleet)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let path = "out/default/10-foundation/storage.tf";
    let storage = sandbox.read(path);
    let (head, tail) = storage.split_once("-b900\"").unwrap();
    let inside = tail.lines().take_while(|line| !line.contains("age =")).count();
    let place = format!("{path}:{}", head.lines().count() + inside);
    let told = sandbox.run(&["explain", &place]).expect(Clean).out;
    assert!(told.contains("train.bp:2  30d") && told.contains("with 31d: age = 31"), "{told}");
    assert!(told.contains("the nearest 10 of 1002 words"), "{told}");
}

#[test]
fn programs_read_an_object() {
    let sandbox = Sandbox::with_bucket();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let place = line_of(&sandbox, "out/default/10-foundation/storage.tf", "age = ");
    let line = sandbox.run(&["explain", &place, "--message-format", "json"]).expect(Clean).out;
    assert_eq!(line.lines().count(), 1);
    let told: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["nouns"][0]["path"], "data");
    assert_eq!(told["words"][0]["at"], "train.bp:2");
    assert_eq!(told["words"][0]["fields"][0], "data.delete_after");
    assert!(told["words"][0]["makes"][0]["then"] == "age = 31", "{told}");
}

#[test]
fn what_is_not_as_it_was_built_is_told() {
    let sandbox = Sandbox::with_bucket();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let path = "out/default/10-foundation/storage.tf";
    let built = sandbox.read(path);
    sandbox.write(path, built.replace("age = 30", "age = 7"));
    let edited = explained(&sandbox, path, "age = ");
    assert!(
        edited.contains("edited since") && edited.contains("writes `age = 30` here"),
        "{edited}"
    );
    let other = explained(&sandbox, path, "name ");
    assert!(other.contains("edited since") && other.contains("bucket data"), "{other}");
    sandbox.write(path, &built);
    sandbox.write("train.bp", BUCKET.replace("30d", "40d"));
    let changed = explained(&sandbox, path, "age = ");
    assert!(
        changed.contains("something else since") && changed.contains("`age = 40`"),
        "{changed}"
    );
    sandbox.write("train.bp", BUCKET.replace("keep\n", "kept\n"));
    let broken = explained(&sandbox, path, "age = ");
    assert!(broken.contains("cannot be rendered") && broken.contains("data"), "{broken}");
    let line = explained(&sandbox, "train.bp", "location");
    assert!(line.contains("cannot be rendered") && line.contains("says   location"), "{line}");
    std::fs::remove_file(sandbox.path("train.bp")).unwrap();
    let alone = explained(&sandbox, path, "location");
    assert!(alone.contains("neither above it nor here") && alone.contains("train.bp:4"), "{alone}");
}

#[test]
fn what_is_no_line_is_refused() {
    let sandbox = Sandbox::with_bucket();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("out/default/mine.tf", "locals {}\n");
    sandbox.write("out/default/image.bin", [0xff, 0xfe, 0, 1]);
    sandbox.write("notes.txt", "x\n");
    for (place, said) in [
        ("train.bp:0", "counted from one"),
        ("train.bp:99", "has no line 99: it has 7 lines"),
        ("other.bp:1", "there is no file `other.bp`"),
        ("out:1", "`out` is a folder"),
        ("out/default/image.bin:1", "not UTF-8"),
        ("out/default/mine.tf:1", "someone else put it there"),
        ("out/default/slipform.manifest.json:1", "the list of what was built"),
        ("notes.txt:1", "neither a blueprint nor"),
        ("train.bp", "name a line of it, `train.bp:1`"),
    ] {
        sandbox.refuses(&["explain", place], Unusable, said);
    }
    let built = "out/default/10-foundation/storage.tf:1";
    sandbox.refuses(&["explain", built, "--env", "prod"], Unusable, "not for `prod`");
    sandbox.refuses(&["explain", "train.bp:1", "--env", "prod"], Unusable, "no environment `prod`");
    sandbox.refuses(
        &["explain", "--symptom", "x", "--env", "prod"],
        Unusable,
        "cannot be used with",
    );
}

/// Two teams with half of a pool each, and what one of them runs.
const TEAMS: &str = r#"network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = reservation("a3m")
  }
  for team in ["vision", "language"] {
    queue q {
      pools      = [gpus]
      namespaces = [team]
      flavors    = [flavor([gpus], quota = 16)]
      cohort     = cohort("all", reclaim = "lower")
    }
  }
}

workload small on a3m.gpus {
  image  = "a:1"
  nodes  = 3
  launch = torchrun("train.py")
  queue  = a3m.q["vision"]
}

workload urgent on a3m.gpus {
  image    = "a:1"
  nodes    = 1
  launch   = torchrun("train.py")
  queue    = a3m.q["language"]
  priority = "high"
}
"#;

#[test]
fn a_line_of_a_pool_tells_who_holds_it_and_one_of_a_run_who_goes_first() {
    let sandbox = Sandbox::new(&[("train.bp", TEAMS)]);
    let told = |line: usize| {
        let line = format!("train.bp:{line}");
        sandbox.run(&["explain", &line, "--message-format", "json"]).expect(Clean).out
    };
    let of = |line: usize, name: &str| {
        let value: serde_json::Value = serde_json::from_str(&told(line)).unwrap();
        value[name].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let holds: Vec<String> = of(10, "holds");
    assert_eq!(
        holds,
        [
            "16 GPUs or chips of a3m.gpus by a3m.q[\"vision\"]",
            "16 GPUs or chips of a3m.gpus by a3m.q[\"language\"]",
            "32 GPUs or chips of a3m.gpus in all"
        ]
    );
    let yields: Vec<String> = of(25, "yields");
    assert_eq!(yields, ["to urgent, whose queue takes back what it lent"]);
    let before: Vec<String> = of(32, "before");
    assert_eq!(before, ["small"]);
    let none: Vec<String> = of(32, "yields");
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn a_folder_without_a_project_file_is_found_as_well_as_its_one_file() {
    for built in [".", "train.bp"] {
        let sandbox = Sandbox::new(&[("train.bp", CLUSTER)]);
        sandbox.run(&["build", built]).expect(Clean);
        let told = explained(&sandbox, "out/default/30-a3m/node_pools.tf", " node_count");
        assert!(told.contains("words  train.bp:2 "), "{built}: {told}");
    }
}
