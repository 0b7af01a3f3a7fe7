//! What is told where names are declared, of files that are brought in, and of values by what they are given to.

use super::client::{Editor, Folder, marked};
use super::opened;
use std::fmt::Write;

const TEXT: &str = r#"use std.compo<1>nents.{nccl_test}
param project: ProjectId = "my-project"

## How a run is named.
type Na<2>me = string matching "[a-z]+"

## Two at once.
component tw<3>ice {
  ## How many.
  no<4>des: int = 2
  workload one on place.gpus {
    image  = "nvcr.io/nvidia/nemo:24.07"
    nodes  = nodes
    launch = torchrun("train.py")
  }
}

## Not too many.
rule own/mo<5>st on pool {
  when nodes is set
  require len("a") < 5
  error "too many"
}

network fabric {
  region   = "us-east4"
  subnet   = 10.0.0.0/1<6>6
  pods     = 10.64.0.0/14
  services = 10.0.16.0/20
}

cluster place on gke {
  network = fabric
  zone    = "us-east4-a"
  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

identity trainer {
  roles = ["roles/stor<7>age.objectUser"]
}

for na<8>me in ["a", "b"] {
  workload run on place.gpus {
    image  = "nvcr.io/nvi<9>dia/nemo:24.07"
    nodes  = 1
    name   = "run-${name}"
    launch = torchrun("train.py")
    patch job<10>set {
      spec = { success<11>Policy = { operator = "A<12>ll" } }
    }
  }
}

output wh<13>ere = place.zone
"#;

#[test]
fn names_are_told_of_where_they_are_declared_and_values_by_what_they_are_given_to() {
    insta::assert_snapshot!(hovers(TEXT));
}

/// Each marked line with what is told at its mark.
fn hovers(text: &str) -> String {
    let (mut editor, text, marks) = opened(text);
    let mut shown = String::new();
    for mark in &marks {
        let line = usize::try_from(mark["line"].as_u64().unwrap()).unwrap();
        let hover = editor.hover(super::MAIN, mark);
        writeln!(shown, "# {}\n{hover}\n", text.lines().nth(line).unwrap().trim()).unwrap();
    }
    shown
}

#[test]
fn keys_and_words_inside_of_others_are_told_of() {
    let (text, _) = marked(TEXT);
    let text = text
        .replace("    nodes  = 1\n", "    nodes  = 1\n    env    = { LE<1>VEL = name }\n")
        + "\nlet sizes = { sm<2>all = { nodes = 2 + 2 } }\nlet all = [for o<3>ne in [1, 2] { one }]\ntw<4>ice two { }\n"
        + "rule own/other on pool {\n  require true\n  error \"e\"\n  fix re<5>move nodes\n}\n";
    insta::assert_snapshot!(hovers(&text));
}

#[test]
fn a_value_that_is_another_one_elsewhere_says_of_which_environment_it_is() {
    let folder = Folder::new("in-force");
    folder.write(
        "slipform.toml",
        "[project]\nenvironment = \"dev\"\n\n[env.dev.params]\nsize = 2\n\n[env.prod.params]\nsize = 4\n",
    );
    let text = "param size: int\nparam place: Region = \"us-east4\"\nlet dou<1>ble = size * 2\nlet fixed = 3\n\
                bucket data {\n  location = pl<2>ace\n}\noutput a = double\noutput b = fi<3>xed\n";
    let (text, marks) = marked(text);
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    let mut ends = |mark: usize, end: &str| {
        let hover = editor.hover(&main, &marks[mark]);
        assert!(hover.ends_with(end), "{hover}");
    };
    ends(0, "double = 4\n```\n\nIn the environment `dev`: `slipform.toml` gives `size` there.");
    ends(1, "In the environment `dev`: `place` has its default there.");
    ends(2, "fixed = 3\n```");
}
