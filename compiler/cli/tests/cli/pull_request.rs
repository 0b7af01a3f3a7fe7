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
    told(&[("train.bp", BEFORE)], text)
}

/// What a pull request is told that changes `train.bp` of some committed files.
fn told(files: &[(&str, &str)], text: &str) -> Option<String> {
    let sandbox = Sandbox::new(files);
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

/// As many lines as somebody sees of a comment before anything is unfolded: rows by their longest cell.
fn seen(comment: &str) -> usize {
    let cell = |cell: &str| {
        let folded =
            cell.split("<details>").skip(1).filter_map(|rest| rest.split("</details>").next());
        let folded: usize = folded.map(|it| it.matches("<br>").count()).sum();
        1 + cell.matches("<br>").count() - folded
    };
    let row = |line: &str| line.split(" | ").map(cell).max().unwrap_or_default();
    comment.lines().filter(|line| !line.is_empty() && !line.starts_with("|---")).map(row).sum()
}

#[track_caller]
fn is_short(comment: &str) {
    assert!(comment.lines().count() <= 30, "{comment}");
    assert!(seen(comment) <= 30, "{} lines are seen:\n{comment}", seen(comment));
    assert!(comment.lines().all(|line| line.chars().count() < 2000), "{comment}");
}

#[test]
fn a_comment_has_at_most_thirty_lines() {
    let Some(renamed) = comment(&changed("  was     = \"a3m\"\n")) else { return };
    let Some(another) = comment(&changed("")) else { return };
    is_short(&renamed);
    is_short(&another);
    insta::assert_snapshot!(format!("# with `was`\n\n{renamed}\n# without it\n\n{another}"));
}

/// Two environments, in which what is the same stands once.
#[test]
fn a_comment_on_two_environments_has_no_more_lines() {
    let sized = |text: &str| {
        text.replace(
            "param project: ProjectId = \"my-project\"",
            "param project: ProjectId\nparam size: int",
        )
        .replace("nodes   = 2\n", "nodes   = size\n")
        .replace("nodes   = 4\n  }\n\n  pool cpus", "nodes   = size * 2\n  }\n\n  pool cpus")
        .replace("nodes  = 2\n", "nodes  = size\n")
        .replace("nodes  = 4\n", "nodes  = size * 2\n")
    };
    let both = "[project]\nname = \"training\"\n\n[env.dev.params]\nproject = \"my-dev\"\nsize = 2\n\n[env.prod.params]\nproject = \"my-prod\"\nsize = 16\n";
    let before = sized(BEFORE);
    let files = [("train.bp", before.as_str()), ("slipform.toml", both)];
    let after = sized(&changed("  was     = \"a3m\"\n"));
    let Some(grown) = told(&files, &after) else { return };
    is_short(&grown);
    let other = after.replace("a3-megagpu-8g", "a3-highgpu-8g").replace("size * 2", "size");
    let Some(other) = told(&files, &other) else { return };
    is_short(&other);
    assert_eq!(grown.matches("bucket scratch |").count(), 1, "{grown}");
    assert!(grown.contains("| **dev**: pool east.gpus: `nodes 2 -> 4` |"), "{grown}");
    assert!(grown.contains("| **prod**: pool east.gpus: `nodes 16 -> 32` |"), "{grown}");
    for environment in ["dev", "prod"] {
        let command = format!("kubectl apply -k 50-workloads/prepare/overlays/{environment}`");
        assert_eq!(grown.matches(&command).count(), 1, "{grown}");
        assert!(grown.contains(&format!("gs://my-{environment}-scratch/**")), "{grown}");
    }
    insta::assert_snapshot!(format!("# grown\n\n{grown}\n# another GPU\n\n{other}"));
}
