//! What is offered at each sort of place of a blueprint that is being written: the first of it, and how much there is.

use super::{MAIN, offered, opened};
use crate::client::{Editor, Folder, marked};
use serde_json::json;
use std::fmt::Write;

/// Something of everything.
const WORLD: &str = r#"use std.components.{nccl_test}
let place = "us-east4-a"
param mode: "fast" | "slow" = "fast"
network fabric {
  region = "us-east4"
  subnet = 10.0.0.0/20
  pods   = 10.64.0.0/14
}
bucket data {
  location = "us-east4"
}
identity trainer {
}
image nemo {
  from = "nvcr.io/nvidia/nemo:24.07"
}
cluster a3m on gke {
  network = fabric
  zone    = place
  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 16
  }
  pool tpus {
    machine  = "ct5p-hightpu-4t"
    topology = 2x2x2
    zone     = "us-east5-a"
  }
  queue research {
  }
}
cluster floor on slurm {
  partition big {
    machine = "hgx-h100"
    nodes   = 4
  }
}
cluster managed on vertex {
  region  = "us-central1"
  machine = "a3-highgpu-8g"
}
workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 4
  launch = torchrun("train.py")
}
"#;

/// What is shown of an answer.
const SHOWN: usize = 10;

fn at(shown: &mut String, what: &str, text: &str) {
    let found = offered(text);
    let line = text.lines().find(|line| line.contains("<1>")).unwrap_or_default().trim();
    let first = found.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    // how many there are changes with every word of the language
    let more = if found.len() > SHOWN { ", and more" } else { "" };
    writeln!(shown, "# {what}\n{}\n  {first}{more}", line.replace("<1>", "|")).unwrap();
}

/// Answers to lines, each put in the place of a line of the world.
fn in_place_of(places: &[(&str, &str, &str)]) -> String {
    let mut shown = String::new();
    for (what, line, typed) in places {
        assert!(WORLD.contains(line), "{line}");
        at(&mut shown, what, &WORLD.replace(line, typed));
    }
    shown
}

/// Answers to what is typed behind the world.
fn behind(places: &[(&str, &str)]) -> String {
    let mut shown = String::new();
    for (what, typed) in places {
        at(&mut shown, what, &format!("{WORLD}{typed}"));
    }
    shown
}

/// The workload with another line in it.
fn run(line: &str) -> String {
    format!("  nodes  = 4\n  {line}\n")
}

#[test]
fn facts_are_narrowed_to_what_fits_here() {
    insta::assert_snapshot!(in_place_of(&[
        ("the machine of a pool", "machine = \"a3-megagpu-8g\"", "machine = \"<1>\""),
        ("without quotes", "machine = \"a3-megagpu-8g\"", "machine = <1>"),
        ("the machine of a partition", "machine = \"hgx-h100\"", "machine = \"<1>\""),
        ("the machine of Vertex AI", "machine = \"a3-highgpu-8g\"", "machine = \"<1>\""),
        ("a machine beside a topology", "machine  = \"ct5p-hightpu-4t\"", "machine  = \"<1>\""),
        ("the topology of a machine", "topology = 2x2x2", "topology = <1>"),
        ("the zone of a cluster", "zone    = place", "zone    = \"<1>\""),
        ("the zone of a pool", "zone     = \"us-east5-a\"", "zone     = \"<1>\""),
        (
            "the region of a network",
            "region = \"us-east4\"\n  subnet",
            "region = \"<1>\"\n  subnet"
        ),
        ("the region of Vertex AI", "region  = \"us-central1\"", "region  = \"<1>\""),
        ("the place of a bucket", "location = \"us-east4\"", "location = \"<1>\""),
        ("a driver", "    nodes   = 16\n", "    nodes   = 16\n    driver = \"<1>\"\n"),
        ("a type of disk", "    nodes   = 16\n", "    nodes   = 16\n    disk_type = \"<1>\"\n"),
        ("a capacity", "    nodes   = 16\n", "    nodes   = 16\n    capacity = <1>\n"),
        (
            "a capacity of Vertex AI",
            "  region  = \"us-central1\"\n",
            "  region  = \"us-central1\"\n  capacity = <1>\n",
        ),
        (
            "a capacity of Slurm",
            "machine = \"hgx-h100\"\n",
            "machine = \"a3-megagpu-8g\"\n    capacity = <1>\n",
        ),
    ]));
}

#[test]
fn statements_are_those_of_their_block() {
    insta::assert_snapshot!(in_place_of(&[
        ("in a network", "  subnet = 10.0.0.0/20\n", "  <1>\n"),
        ("in a cluster of GKE", "  queue research {\n", "  <1>\n  queue research {\n"),
        ("in a cluster of Slurm", "  partition big {\n", "  <1>\n  partition big {\n"),
        (
            "in a cluster of Vertex AI",
            "  region  = \"us-central1\"\n",
            "  region  = \"us-central1\"\n  <1>\n"
        ),
        ("in a pool", "    nodes   = 16\n", "    <1>\n"),
        ("in a workload", "  nodes  = 4\n", "  <1>\n"),
        ("in a bucket", "  location = \"us-east4\"\n}\nidentity", "  <1>\n}\nidentity"),
        ("an allowance", "    nodes   = 16\n", "    nodes   = 16\n    allow <1>\n"),
        ("its reason", "    nodes   = 16\n", "    nodes   = 16\n    allow pool/odd <1>\n"),
        ("a patch", "    nodes   = 16\n", "    nodes   = 16\n    patch <1>\n"),
        (
            "the field of a patch",
            "    nodes   = 16\n",
            "    nodes   = 16\n    patch node_pool {\n      <1>\n    }\n"
        ),
        (
            "a word of a patch",
            "  nodes  = 4\n",
            "  nodes  = 4\n  patch jobset {\n    spec = { successPolicy = { operator = \"<1>\" } }\n  }\n",
        ),
    ]));
}

#[test]
fn values_of_a_run_are_what_fits() {
    let lines: Vec<(&str, String)> = [
        ("mounts", "mounts = [<1>]"),
        ("behind what is mounted", "mounts = [data <1>]"),
        ("where it is mounted", "mounts = [data at <1>]"),
        ("within a mount", "mounts = [mount(<1>)]"),
        ("behind the source of a mount", "mounts = [mount(data, <1>)]"),
        ("how a mount is used", "mounts = [mount(data, \"/d\", use = \"<1>\")]"),
        ("an identity", "identity = <1>"),
        ("a queue", "queue = <1>"),
        ("a queue of the cluster", "queue = a3m.<1>"),
        ("an image", "image = <1>"),
        ("a launcher", "launch = <1>"),
        ("an argument of a launcher", "launch = torchrun(\"a.py\", <1>)"),
        ("a word of an argument", "launch = torchrun(\"a.py\", rendezvous = \"<1>\")"),
        ("how a model is cut", "parallel = { <1> }"),
        ("a duration", "max_run = <1>"),
        ("a number", "restarts = <1>"),
        ("a length of time to wait", "grace = <1>"),
        ("a value of the environment", "env = { A = <1> }"),
        ("within a text", "env = { A = \"${<1>}\" }"),
        ("what a failure means", "on_failure = [<1>]"),
        ("a topology of a queue", "topology = required(\"<1>\")"),
    ]
    .map(|(what, line)| (what, run(line)))
    .to_vec();
    let places: Vec<(&str, &str, &str)> =
        lines.iter().map(|(what, line)| (*what, "  nodes  = 4\n", line.as_str())).collect();
    insta::assert_snapshot!(in_place_of(&places));
}

#[test]
fn heads_say_what_comes_next() {
    insta::assert_snapshot!(behind(&[
        ("a word at the top", "<1>\n"),
        ("the name of a workload", "workload <1>\n"),
        ("behind the name of a workload", "workload second <1>\n"),
        ("behind the name of a cluster", "cluster second <1>\n"),
        ("behind the name of a network", "network second <1>\n"),
        ("where a workload runs", "workload second on <1> {\n}\n"),
        ("where in a cluster", "workload second on a3m.<1> {\n}\n"),
        ("where in a cluster of Slurm", "workload second on floor.<1> {\n}\n"),
        ("where a cluster runs", "cluster second on <1> {\n}\n"),
        ("where a component runs", "nccl_test bench on <1> {\n}\n"),
        ("the field of a component", "nccl_test bench on a3m.gpus {\n  <1>\n}\n"),
        ("what exists", "existing <1>\n"),
        ("behind the name of a round", "for one <1>\n"),
        ("what is walked", "for one in <1> {\n}\n"),
        ("a condition", "if <1> {\n}\n"),
        ("a type", "param more: <1>\n"),
        ("a default", "param more: \"low\" | \"high\" = <1>\n"),
        ("a default in quotes", "param more: \"low\" | \"high\" = \"<1>\"\n"),
        ("a limit", "param more: int = 1 where <1>\n"),
        ("what is brought in", "use <1>\n"),
        ("of the components", "use std.components.{<1>}\n"),
        ("of those that are not here yet", "use std.components.{nccl_test, <1>}\n"),
        ("what is shown", "output one = <1>\n"),
        ("of a pool", "output one = a3m.gpus.<1>\n"),
        ("of a bucket", "output one = data.<1>\n"),
    ]));
}

#[test]
fn what_is_compared_is_of_one_type() {
    insta::assert_snapshot!(behind(&[
        ("a parameter", "let one = mode == <1>\n"),
        ("in quotes", "let one = mode == \"<1>\"\n"),
        ("the other way", "let one = mode != \"<1>\"\n"),
        ("in a condition", "if mode == <1> {\n}\n"),
        ("in one of several", "if place == \"x\" and mode == \"<1>\" {\n}\n"),
        ("a field", "let one = a3m.release == \"<1>\"\n"),
        ("on the left", "let one = \"<1>\" == mode\n"),
        ("in a list", "let one = mode in [\"<1>\"]\n"),
    ]));
}

#[test]
fn rules_speak_of_their_nouns() {
    insta::assert_snapshot!(behind(&[
        ("what a rule is on", "rule a/b on <1> {\n}\n"),
        ("on a platform", "rule a/b on cluster.<1> {\n}\n"),
        ("on another too", "rule a/b on pool | <1> {\n}\n"),
        ("a line", "rule a/b on pool {\n  <1>\n}\n"),
        ("a condition", "rule a/b on pool {\n  when <1>\n}\n"),
        ("of the noun itself", "rule a/b on pool {\n  require self.<1>\n}\n"),
        ("of the noun around", "rule a/b on pool {\n  require cluster.<1>\n}\n"),
        ("of what is known of it", "rule a/b on pool {\n  require spec.<1>\n}\n"),
        ("whether it is there", "rule a/b on pool {\n  require topology is <1>\n}\n"),
        ("whether it is not", "rule a/b on pool {\n  require topology is not <1>\n}\n"),
        ("a word", "rule a/b on pool {\n  require placement == \"<1>\"\n}\n"),
        ("a form", "rule a/b on pool {\n  require form(capacity) == \"<1>\"\n}\n"),
        ("all of a kind", "rule a/b on pool {\n  require len(all(\"<1>\")) > 0\n}\n"),
        ("a fix", "rule a/b on pool {\n  require true\n  error \"e\"\n  fix <1>\n}\n"),
        ("a field to set", "rule a/b on pool {\n  require true\n  error \"e\"\n  fix set <1>\n}\n"),
        (
            "what it is set to",
            "rule a/b on pool {\n  require true\n  error \"e\"\n  fix set placement = <1>\n}\n"
        ),
        (
            "a field to remove",
            "rule a/b on pool {\n  require true\n  error \"e\"\n  fix remove <1>\n}\n"
        ),
    ]));
}

#[test]
fn each_form_says_what_it_means() {
    let text = WORLD.replace("    nodes   = 16\n", "    nodes   = 16\n    capacity = <1>\n");
    let (mut editor, _, marks) = opened(&text);
    let list = editor.at("textDocument/completion", MAIN, &marks[0]);
    let doc = |label: &str| {
        let found = list["items"].as_array().unwrap().iter().find(|it| it["label"] == label);
        found.unwrap()["documentation"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(doc("spot"), "`spot`: cheap, and taken away at any time.");
    assert!(
        doc("reservation").ends_with("`policy` is the\nplacement policy that it was made with.")
    );
}

/// What a completion of this label writes, in an editor that knows snippets.
fn inserted(text: &str, label: &str) -> String {
    let (text, marks) = marked(text);
    let snippets = json!({ "completionItem": { "snippetSupport": true } });
    let mut editor = Editor::with(json!({ "textDocument": { "completion": snippets } }));
    editor.open(MAIN, &text);
    let found = editor.at("textDocument/completion", MAIN, &marks[0]);
    let items = found["items"].as_array().unwrap();
    let item = items.iter().find(|it| it["label"] == label).unwrap_or_else(|| panic!("{label}"));
    let text = item["textEdit"]["newText"].as_str().or(item["insertText"].as_str());
    text.unwrap().to_owned()
}

#[test]
fn the_place_of_a_run_is_a_choice_of_what_fits() {
    let all = " on ${2|managed,floor.big,a3m.gpus,a3m.tpus|} {";
    for label in ["workload", "nccl_test"] {
        let text = inserted(&format!("{WORLD}<1>"), label);
        assert!(text.contains(all), "{text}");
    }
    let one = "use std.components.{nemo_launcher}\ncluster floor on slurm {\n  partition big {\n    machine = \"hgx-h100\"\n    nodes   = 4\n  }\n}\n<1>";
    let text = inserted(one, "nemo_launcher");
    assert!(text.contains(" on ${2:floor.big} {"), "{text}");
    let text = inserted("<1>", "workload");
    assert!(text.contains(" on ${2:place} {"), "{text}");
}

#[test]
fn files_that_nobody_uses_yet_can_be_used() {
    let folder = Folder::new("files-to-use");
    folder.write("slipform.toml", "");
    for path in ["used.bp", "other.bp", "shared/nets.bp", "not-a-name.bp", ".git/x.bp", "notes.md"]
    {
        folder.write(path, "let most = 4\n");
    }
    let (text, marks) = marked("use used.{most}\nuse <1>\noutput o = most\n");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    let found = editor.at("textDocument/completion", &main, &marks[0]);
    let items = found["items"].as_array().unwrap();
    let mut labels: Vec<&str> = items.iter().map(|it| it["label"].as_str().unwrap()).collect();
    labels.retain(|it| !it.starts_with("std"));
    labels.sort_unstable();
    assert_eq!(labels, ["other", "shared.nets", "used"]);
}

#[test]
fn what_cannot_be_is_not_offered_and_what_is_known_is() {
    let mut shown = in_place_of(&[
        ("a name behind one of a `use`", "{nccl_test}", "{nccl_test <1>}"),
        ("behind `as`", "{nccl_test}", "{nccl_test as <1>}"),
        ("behind the path of a `use`", "use std.components.{nccl_test}", "use std.components <1>"),
        (
            "the zone of a cluster, of which there is none",
            "  zone    = place\n",
            "  zone    = <1>\n",
        ),
        ("an image", "  image  = \"nvcr.io/nvidia/nemo:24.07\"", "  image  = \"<1>\""),
        (
            "where something is mounted",
            "  nodes  = 4\n  launch",
            "  mounts = [data at <1>]\n  launch",
        ),
        ("the same in quotes", "  nodes  = 4\n  launch", "  mounts = [data at \"<1>\"]\n  launch"),
        ("a variable", "  nodes  = 4\n  launch", "  env = { NCCL_D<1> }\n  launch"),
        (
            "a word of a patch",
            "  nodes  = 4\n  launch",
            "  patch jobset {\n    spec = { failurePolicy = { restartStrategy = \"<1>\" } }\n  }\n  launch",
        ),
    ]);
    shown.push_str(&behind(&[("an allowance of nobody", "allow <1>")]));
    insta::assert_snapshot!(shown);
}
