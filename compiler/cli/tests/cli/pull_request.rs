//! One pull request with a bit of everything: its comment is short, and says what an engineer on call has to know.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};
use std::process::Command;

const BEFORE: &str = r#"# What the research team trains on.
param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket scratch {
  location = "us-east4"
}

bucket corpus {
  location = "us-east4"
}

identity trainer {}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }

  pool cpus {
    machine = "n2-standard-16"
    nodes   = 4
  }
}

workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 2
  launch = torchrun("train.py")
}

workload prepare on a3m.cpus {
  image    = "python:3.12"
  launch   = command(["python", "prepare.py"])
  identity = trainer
  mounts   = [scratch at "/scratch"]
}
"#;

/// A machine type, more nodes, a bucket less, another comment, and another name of the cluster, with what it was where that is said.
fn changed(was: &str) -> String {
    let words = [
        ("What the research team trains on", "What research trains on"),
        ("n2-standard-16", "n2-standard-32"),
        ("nodes   = 2\n", "nodes   = 4\n"),
        ("bucket scratch {\n  location = \"us-east4\"\n}\n\n", ""),
        ("cluster a3m on gke {\n", &format!("cluster east on gke {{\n{was}")),
        ("on a3m.", "on east."),
        ("  mounts   = [scratch at \"/scratch\"]\n", ""),
    ];
    words.iter().fold(BEFORE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The comment of a pull request that changes a committed blueprint.
fn comment(text: &str) -> Option<String> {
    let sandbox = Sandbox::new(&[("train.bp", BEFORE)]);
    let git = |args: &[&str]| {
        let who = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
        let run = Command::new("git").arg("-C").arg(sandbox.path("")).args(who).args(args).output();
        run.is_ok_and(|output| output.status.success())
    };
    let committed = git(&["init", "-q"]) && git(&["add", "."]) && git(&["commit", "-qm", "first"]);
    sandbox.write("train.bp", text);
    sandbox.run(&["fmt", "--check"]).expect(Clean);
    let plan = ["plan", "--against", "HEAD", "--message-format", "markdown"];
    committed.then(|| sandbox.run(&plan).expect(Different).out)
}

#[test]
fn a_comment_has_at_most_thirty_lines() {
    let Some(renamed) = comment(&changed("  was     = \"a3m\"\n")) else { return };
    let Some(another) = comment(&changed("")) else { return };
    for told in [&renamed, &another] {
        assert!(told.lines().count() <= 30, "{told}");
        assert!(told.lines().all(|line| line.chars().count() < 1000), "{told}");
    }
    insta::assert_snapshot!(format!("# with `was`\n\n{renamed}\n# without it\n\n{another}"));
}
